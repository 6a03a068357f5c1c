//! The part of a link that restores the screen.

use podscope_protocol::{Micros, SubjectRef};

use super::{Page, Tab};
use crate::pure::scale::Span;

/// The state of the screen that a link restores (T-03).
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Screen {
    pub(crate) selected: Option<SubjectRef>,
    pub(crate) tab: Tab,
    pub(crate) group: String,
    pub(crate) span: Option<Span>,
    pub(crate) console: bool,
}

impl Screen {
    /// Serializes all values that differ from the default, as short JSON, because links have a limited length.
    pub(crate) fn write(page: &Page) -> String {
        let mut map = serde_json::Map::new();
        if let Some(subject) = page
            .session
            .selected
            .as_ref()
            .and_then(|subject| serde_json::to_value(subject).ok())
        {
            map.insert("s".into(), subject);
        }
        let tab = match page.session.tab {
            Tab::Why => 0,
            Tab::Life => 1,
            Tab::Events => 2,
            Tab::Yaml => 3,
        };
        if tab > 0 {
            map.insert("t".into(), tab.into());
        }
        if !page.session.group.is_empty() {
            map.insert("g".into(), page.session.group.clone().into());
        }
        if let Some(span) = page.session.span {
            map.insert("z".into(), vec![span.from, span.to].into());
        }
        if page.shell.console_open {
            map.insert("c".into(), true.into());
        }
        if map.is_empty() {
            String::new()
        } else {
            serde_json::Value::Object(map).to_string()
        }
    }

    pub(super) fn read(text: &str) -> Option<Screen> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let int = |value: &serde_json::Value| value.as_i64().filter(|number| (0..=1 << 60).contains(number));
        Some(Screen {
            selected: value
                .get("s")
                .and_then(|value| serde_json::from_value(value.clone()).ok()),
            tab: match value.get("t").and_then(int) {
                Some(1) => Tab::Life,
                Some(2) => Tab::Events,
                Some(3) => Tab::Yaml,
                _ => Tab::Why,
            },
            group: value
                .get("g")
                .and_then(|group| group.as_str())
                .unwrap_or_default()
                .to_string(),
            span: value.get("z").and_then(|span| {
                let (from, to): (Micros, Micros) = (int(span.get(0)?)?, int(span.get(1)?)?);
                (from < to).then_some(Span { from, to })
            }),
            console: value.get("c").and_then(serde_json::Value::as_bool).unwrap_or(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use podscope_protocol::{OpenedSession, Update};
    use yew::Reducible;

    use super::*;
    use crate::pure::route::{Theme, View};
    use crate::state::Act;

    /// A link restores selection, tab, grouping, zoom and console.
    /// Shows: T-03
    #[test]
    fn link_restores_the_screen() {
        let subject = SubjectRef::Pod {
            key: "default/web-0".into(),
            uid: String::new(),
        };
        let mut original = (*page().reduce(Act::Select(Some(subject)))).clone();
        original.session.tab = Tab::Events;
        original.session.group = "rack".into();
        original.session.span = Some(Span { from: 3, to: 9 });
        let screen = Screen::write(&original);
        let restored = page().reduce(Act::Update(Box::new(Update::Opened(Box::new(OpenedSession {
            screen: Some(screen),
            ..OpenedSession::default()
        })))));
        assert_eq!(restored.session.selected, original.session.selected);
        assert_eq!(
            (
                restored.session.tab,
                restored.session.group.as_str(),
                restored.session.span
            ),
            (Tab::Events, "rack", original.session.span)
        );
        assert_eq!(Screen::write(&page()), "");
        for invalid in ["", "3", "{\"z\":[9,1],\"s\":7,\"t\":-1}"] {
            Screen::read(invalid);
        }
    }

    fn page() -> Rc<Page> {
        Rc::new(Page::new(None, Theme::System, View::Playground))
    }
}
