//! Built-in lessons (E-01): every file of `lessons/`. Adding a file adds the lesson (see `build.rs`).

use crate::scenario::{self, Loaded};
use podscope_api::ordered::StableSort as _;
use podscope_protocol::{LessonInfo, Problem};

include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// The small living cluster of a first visit (U-10).
const WELCOME: &str = include_str!("welcome.yaml");

/// The lessons in the chooser's order: `podscope.dev/order`, so that groups come in the order of their first lesson.
pub fn list() -> Vec<LessonInfo> {
    let mut lessons: Vec<(u32, LessonInfo)> = LESSONS
        .iter()
        .map(|(name, text)| {
            let field = |key: &str| line_value(text, key);
            let info = LessonInfo {
                name: (*name).to_owned(),
                title: field("title:"),
                group: field("podscope.dev/group:"),
                summary: field("podscope.dev/summary:"),
            };
            (field("podscope.dev/order:").parse().unwrap_or(u32::MAX), info)
        })
        .collect();
    lessons.stable_sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    lessons.into_iter().map(|(_, info)| info).collect()
}

/// The first value of a key in a file, without reading it as YAML: the list of lessons must cost nothing.
fn line_value(text: &str, key: &str) -> String {
    text.lines()
        .find_map(|line| line.trim_start().strip_prefix(key))
        .map(|value| value.trim().trim_matches('"').trim_matches('\'').to_owned())
        .unwrap_or_default()
}

/// The text of a lesson.
pub fn text(name: &str) -> Option<&'static str> {
    LESSONS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// What the run of a lesson depends on: its text without story, solution and wrong attempt.
/// A link carries it, so that it shows the same after the lesson was rewritten (T-03).
pub fn bare(name: &str) -> Option<String> {
    let mut is_left_out = false;
    let mut bare = String::new();
    for line in text(name)?.lines() {
        // A key of `spec` begins a part, a line that is not indented ends it.
        if !line.starts_with("   ") && !line.starts_with("  -") && !line.trim().is_empty() {
            is_left_out = ["  steps:", "  solution:", "  wrong:"]
                .iter()
                .any(|part| line.starts_with(part));
        }
        if !is_left_out {
            bare.push_str(line);
            bare.push('\n');
        }
    }
    Some(bare)
}

/// Names of the lessons.
pub fn names() -> impl Iterator<Item = &'static str> {
    LESSONS.iter().map(|(name, _)| *name)
}

/// Loads a lesson.
///
/// # Errors
/// There is none of that name.
pub fn load(name: &str) -> Result<Loaded, Vec<Problem>> {
    match text(name) {
        Some(text) => scenario::load(&[(format!("{name}.yaml"), text.to_owned())]),
        None => Err(vec![Problem {
            file: name.to_owned(),
            document: 0,
            line: 0,
            column: 0,
            path: String::new(),
            message: format!("there is no lesson {name:?}"),
        }]),
    }
}

/// The cluster of a first visit.
pub fn welcome() -> (String, String) {
    ("welcome.yaml".into(), WELCOME.into())
}
