//! What the address says: a share link, a scenario of the same site, panels of an embedded
//! page, the theme, a view.

/// The theme; by default the system's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// The value of `data-theme`, and of the setting kept in the browser.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Theme> {
        [Theme::System, Theme::Light, Theme::Dark]
            .into_iter()
            .find(|t| t.name() == name)
    }
}

/// Panels of the page. An embedded page shows the chosen ones (E-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panels {
    pub(crate) bar: bool,
    pub(crate) story: bool,
    pub(crate) cluster: bool,
    pub(crate) side: bool,
    pub(crate) timeline: bool,
    pub(crate) console: bool,
}

impl Panels {
    pub(crate) const ALL: Panels = Panels {
        bar: true,
        story: true,
        cluster: true,
        side: true,
        timeline: true,
        console: true,
    };

    /// What a room looks at: the cluster and the story.
    pub(crate) fn for_a_room() -> Panels {
        Panels {
            side: false,
            timeline: false,
            console: false,
            ..Panels::ALL
        }
    }

    /// The list that an address names them by.
    pub(crate) fn names(self) -> String {
        let all = [
            (self.story, "story"),
            (self.cluster, "cluster"),
            (self.side, "side"),
            (self.timeline, "timeline"),
            (self.console, "console"),
        ];
        let named: Vec<&str> = all.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
        named.join(",")
    }

    fn named(list: &str) -> Panels {
        let has = |name: &str| list.split(',').any(|p| p.trim() == name);
        let some = ["story", "cluster", "side", "timeline", "console"].into_iter().any(has);
        Panels {
            bar: true,
            story: has("story"),
            // Nothing that is known: at least the cluster.
            cluster: has("cluster") || !some,
            side: has("side"),
            timeline: has("timeline"),
            console: has("console"),
        }
    }
}

/// A view that takes the whole page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum View {
    #[default]
    Playground,
    Guarantees,
}

/// An address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Route {
    /// The fragment of a share link, from `s1:` on.
    pub(crate) link: Option<String>,
    /// A built-in lesson.
    pub(crate) lesson: Option<String>,
    /// A file of the same site; whoever loads it sees to that (`browser::fetch`).
    pub(crate) scenario: Option<String>,
    pub(crate) embed: Option<Panels>,
    pub(crate) theme: Option<Theme>,
    pub(crate) view: View,
    /// The number of a session that this browser keeps.
    pub(crate) kept: Option<u64>,
    /// A new session, whatever is kept.
    pub(crate) fresh: bool,
}

/// Reads `?search` and `#fragment`.
pub(crate) fn parse(search: &str, fragment: &str) -> Route {
    let mut route = Route::default();
    for pair in search.trim_start_matches('?').split('&') {
        match pair.split_once('=') {
            Some(("scenario", path)) => route.scenario = Some(unescape(path)),
            Some(("lesson", name)) => route.lesson = lesson_name(&unescape(name)),
            Some(("embed", list)) => route.embed = Some(Panels::named(&unescape(list))),
            Some(("theme", name)) => route.theme = Theme::named(name),
            _ => {}
        }
    }
    for part in fragment.trim_start_matches('#').split('&') {
        if is_link(part) {
            route.link = Some(part.to_string());
        } else if part == "guarantees" {
            route.view = View::Guarantees;
        } else if part == "new" {
            route.fresh = true;
        } else {
            match part.split_once('=') {
                Some(("embed", list)) => route.embed = Some(Panels::named(&unescape(list))),
                Some(("theme", name)) => route.theme = Theme::named(name),
                Some(("lesson", name)) => route.lesson = lesson_name(&unescape(name)),
                Some(("kept", id)) => route.kept = id.parse().ok(),
                // What is none of these was meant as a link: the engine says what is wrong with it.
                None if !part.is_empty() => route.link = Some(part.to_string()),
                _ => {}
            }
        }
    }
    route
}

/// Whether a fragment is a share link, of whatever version: `s` and digits before a colon.
fn is_link(part: &str) -> bool {
    part.split_once(':').is_some_and(|(head, _)| {
        head.strip_prefix('s')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The name as it is, or an empty one, which no lesson has: that is said.
fn lesson_name(name: &str) -> Option<String> {
    let is_plain = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    Some(if is_plain { name.to_string() } else { String::new() })
}

fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = (bytes[i] == b'%')
            .then(|| bytes.get(i + 1..i + 3))
            .flatten()
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match hex {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(if bytes[i] == b'+' { b' ' } else { bytes[i] });
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An embedded page shows the chosen panels in the chosen theme.
    /// Shows: E-03
    #[test]
    fn a_link_may_choose_panels_and_theme() {
        let route = parse("", "#s1:AbC-_9&embed=cluster,timeline&theme=dark");
        assert_eq!(route.link.as_deref(), Some("s1:AbC-_9"));
        assert_eq!(route.theme, Some(Theme::Dark));
        let panels = route.embed.unwrap_or(Panels::ALL);
        assert!(panels.cluster && panels.timeline && !panels.story && !panels.side && !panels.console);
        assert!(parse("", "#embed=nonsense").embed.is_some_and(|p| p.cluster));
        assert_eq!(Panels::named(&panels.names()), panels);
        assert_eq!(Panels::ALL.names(), "story,cluster,side,timeline,console");
    }

    #[test]
    fn links_of_later_versions_are_links_too() {
        assert_eq!(parse("", "#s27:x").link.as_deref(), Some("s27:x"));
        assert_eq!(parse("", "#embed=cluster&theme=dark").link, None);
        assert_eq!(parse("", "#guarantees").view, View::Guarantees);
    }

    #[test]
    fn names_of_lessons_are_plain_words() {
        assert_eq!(
            parse("?scenario=lessons%2Fmine.yaml", "").scenario.as_deref(),
            Some("lessons/mine.yaml")
        );
        for bad in ["#lesson=<script>", "#lesson="] {
            assert_eq!(parse("", bad).lesson.as_deref(), Some(""), "{bad}");
        }
    }

    /// An address that leads nowhere is said to, not passed over.
    /// Shows: U-09
    #[test]
    fn what_is_no_address_is_taken_for_a_broken_link() {
        assert_eq!(parse("", "#garbage").link.as_deref(), Some("garbage"));
        assert_eq!(parse("", "").link, None);
        assert_eq!(parse("", "#").link, None);
    }
}
