//! Built-in lessons (E-01): every file of `lessons/`. Adding a file adds the lesson (see `build.rs`).

use crate::protocol::{LessonInfo, Problem};
use crate::scenario::{self, Loaded};
use podscope_api::ordered::InOrder as _;

include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// The small living cluster of a first visit (U-10).
const WELCOME: &str = include_str!("welcome.yaml");

/// The lessons in the chooser's order.
pub fn list() -> Vec<LessonInfo> {
    let mut lessons: Vec<LessonInfo> = LESSONS
        .iter()
        .map(|(name, text)| {
            let field = |key: &str| line_value(text, key);
            LessonInfo {
                name: (*name).to_owned(),
                title: field("title:"),
                group: field("podscope.dev/group:"),
                summary: field("podscope.dev/summary:"),
            }
        })
        .collect();
    let rank = |group: &str| GROUPS.iter().position(|known| *known == group).unwrap_or(GROUPS.len());
    lessons.in_order_by(|a, b| (rank(&a.group), &a.group, &a.name).cmp(&(rank(&b.group), &b.group, &b.name)));
    lessons
}

/// Groups in the order a newcomer takes them.
const GROUPS: &[&str] = &[
    "First steps",
    "Scheduling",
    "Spreading",
    "Topology spread",
    "Priority and preemption",
    "Pod lifecycle",
    "Lifecycle",
    "Workloads",
    "Pod safety",
    "Storage and fencing",
];

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
