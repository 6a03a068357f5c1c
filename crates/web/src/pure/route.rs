//! Parses the address: a share link, a lesson, a practice task, a course, a scenario of the same site, the panels of an
//! embedded page, the theme, a view.

use podscope_protocol::TaskId;

/// The theme; the system's by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// Returns the value of `data-theme`, and of the stored setting.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Theme> {
        [Theme::System, Theme::Light, Theme::Dark]
            .into_iter()
            .find(|theme| theme.name() == name)
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

    /// Returns the panels while presenting: cluster and story, and on a key press timeline and console.
    pub(crate) fn while_presenting(timeline: bool, console: bool) -> Panels {
        Panels {
            side: false,
            timeline,
            console,
            ..Panels::ALL
        }
    }

    /// Returns the comma-separated names, as in an address.
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

    fn from_names(list: &str) -> Panels {
        let has = |name: &str| list.split(',').any(|part| part.trim() == name);
        let has_known_name = ["story", "cluster", "side", "timeline", "console"].into_iter().any(has);
        Panels {
            bar: true,
            story: has("story"),
            // Without any known name at least the cluster is shown.
            cluster: has("cluster") || !has_known_name,
            side: has("side"),
            timeline: has("timeline"),
            console: has("console"),
        }
    }
}

/// A view that fills the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum View {
    #[default]
    Playground,
    Guarantees,
}

/// A parsed address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Route {
    /// The fragment of a share link, from `s1:` on.
    pub(crate) link: Option<String>,
    /// A built-in lesson.
    pub(crate) lesson: Option<String>,
    /// Path in the address; `browser::fetch_text` checks that it is a file of the same site.
    pub(crate) scenario: Option<String>,
    pub(crate) embed: Option<Panels>,
    pub(crate) theme: Option<Theme>,
    /// Code of the page's language.
    pub(crate) lang: Option<String>,
    pub(crate) view: View,
    /// Number of a stored session.
    pub(crate) kept: Option<u64>,
    /// A practice task: family, seed and level.
    pub(crate) practice: Option<TaskId>,
    /// Path of a course file of the same site, or the name of a built-in course.
    pub(crate) course: Option<String>,
    /// The origin of the surrounding page that exchanges messages with this one.
    pub(crate) post: Option<String>,
    /// The address requests a new session, even if there are stored sessions.
    pub(crate) new_session: bool,
}

/// Parses `?search` and `#fragment`.
pub(crate) fn parse(search: &str, fragment: &str) -> Route {
    let mut route = Route::default();
    for pair in search.trim_start_matches('?').split('&') {
        match pair.split_once('=') {
            Some(("scenario", path)) => route.scenario = Some(unescape(path)),
            Some(("lesson", name)) => route.lesson = lesson_name(&unescape(name)),
            Some(("course", path)) => route.course = Some(unescape(path)),
            Some(("post", origin)) => route.post = Some(unescape(origin)),
            Some(("embed", list)) => route.embed = Some(Panels::from_names(&unescape(list))),
            Some(("theme", name)) => route.theme = Theme::from_name(name),
            Some(("lang", code)) => route.lang = Some(unescape(code)),
            _ => {}
        }
    }
    for part in fragment.trim_start_matches('#').split('&') {
        if is_link(part) {
            route.link = Some(part.to_string());
        } else if part == "guarantees" {
            route.view = View::Guarantees;
        } else if part == "new" {
            route.new_session = true;
        } else {
            match part.split_once('=') {
                Some(("embed", list)) => route.embed = Some(Panels::from_names(&unescape(list))),
                Some(("theme", name)) => route.theme = Theme::from_name(name),
                Some(("lang", code)) => route.lang = Some(unescape(code)),
                Some(("lesson", name)) => route.lesson = lesson_name(&unescape(name)),
                Some(("kept", id)) => route.kept = id.parse().ok(),
                Some(("post", origin)) => route.post = Some(unescape(origin)),
                Some(("course", path)) => route.course = Some(unescape(path)),
                Some(("practice", name)) => route.practice = task_id(name, fragment),
                // An unknown part is treated as a broken link, so that the engine reports the problem.
                None if !part.is_empty() => route.link = Some(part.to_string()),
                _ => {}
            }
        }
    }
    route
}

/// Parses the task that `practice=FAMILY&seed=N&level=N` names; seed and level are 1 by default.
fn task_id(family: &str, fragment: &str) -> Option<TaskId> {
    let parts = || fragment.trim_start_matches('#').split('&');
    let number = |key: &str| parts().find_map(|part| part.strip_prefix(key)?.strip_prefix('=')?.parse().ok());
    Some(TaskId {
        family: lesson_name(family)?,
        seed: number("seed").unwrap_or(1),
        level: number("level").and_then(|level| u32::try_from(level).ok()).unwrap_or(1),
    })
}

/// Returns whether a fragment is a share link of any version: `s`, digits and a colon.
fn is_link(part: &str) -> bool {
    part.split_once(':').is_some_and(|(head, _)| {
        head.strip_prefix('s')
            .is_some_and(|version| !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// Returns the lesson's name, or an empty name if it has other characters. No lesson has an empty name, so an error is
/// shown.
fn lesson_name(name: &str) -> Option<String> {
    let is_plain = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    Some(if is_plain { name.to_string() } else { String::new() })
}

fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let hex = (bytes[index] == b'%')
            .then(|| bytes.get(index + 1..index + 3))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match hex {
            Some(byte) => {
                out.push(byte);
                index += 3;
            }
            None => {
                out.push(if bytes[index] == b'+' { b' ' } else { bytes[index] });
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link can choose panels and theme of an embedded page.
    /// Shows: E-03
    #[test]
    fn link_chooses_panels_and_theme() {
        let route = parse("", "#s1:AbC-_9&embed=cluster,timeline&theme=dark");
        assert_eq!(route.link.as_deref(), Some("s1:AbC-_9"));
        assert_eq!(route.theme, Some(Theme::Dark));
        let panels = route.embed.unwrap_or(Panels::ALL);
        assert!(panels.cluster && panels.timeline && !panels.story && !panels.side && !panels.console);
        assert!(parse("", "#embed=nonsense").embed.is_some_and(|panels| panels.cluster));
        assert_eq!(Panels::from_names(&panels.names()), panels);
        assert_eq!(Panels::ALL.names(), "story,cluster,side,timeline,console");
    }

    #[test]
    fn links_of_later_versions_are_recognised() {
        assert_eq!(parse("", "#s27:x").link.as_deref(), Some("s27:x"));
        assert_eq!(parse("", "#embed=cluster&theme=dark").link, None);
        assert_eq!(parse("", "#guarantees").view, View::Guarantees);
    }

    #[test]
    fn lesson_names_with_other_characters_become_empty() {
        assert_eq!(
            parse("?scenario=lessons%2Fmine.yaml", "").scenario.as_deref(),
            Some("lessons/mine.yaml")
        );
        for bad in ["#lesson=<script>", "#lesson="] {
            assert_eq!(parse("", bad).lesson.as_deref(), Some(""), "{bad}");
        }
    }

    /// An invalid address is reported, not ignored.
    /// Shows: U-09
    #[test]
    fn unknown_fragment_is_treated_as_broken_link() {
        assert_eq!(parse("", "#garbage").link.as_deref(), Some("garbage"));
        assert_eq!(parse("", "").link, None);
        assert_eq!(parse("", "#").link, None);
    }
}
