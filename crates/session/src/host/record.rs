//! A lesson being recorded: fields of objects that were made its goals. What was done is the session's own commands.

use podscope_api::{Data, Tree};
use podscope_protocol::{NoGoal, SubjectRef, Update, Wanted};
use serde_json::{Value, json};

use crate::timeline::Session;
use crate::view;

/// A field that was picked, as a goal of a lesson's file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picked {
    /// How many of the commands had been given where the cursor stood.
    pub(crate) after: usize,
    /// The condition, as it is written.
    pub(crate) goal: Value,
    /// As it is told.
    wanted: Wanted,
}

/// Everything that was picked.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    goals: Vec<Picked>,
}

impl Recorded {
    pub(super) fn goals(&self) -> &[Picked] {
        &self.goals
    }

    /// Makes a goal of the field in that line of an object's YAML, unless it is one.
    ///
    /// # Errors
    /// Why there is nothing to pick.
    pub(super) fn pick(&mut self, session: &Session, subject: &SubjectRef, line: u32) -> Result<(), NoGoal> {
        let object = match subject {
            SubjectRef::Pod { key, .. } => format!("Pod {key}"),
            SubjectRef::Node { name } => format!("Node {name}"),
            SubjectRef::Object { kind, key } => format!("{kind} {key}"),
            SubjectRef::Invariant { .. } => {
                return Err(NoGoal::Invariant);
            }
        };
        let text = view::detail(session, subject, &[]).yaml;
        let tree = podscope_api::read_yaml(&text).map_err(|_| NoGoal::NoObject)?;
        let (path, value) = at_line(&tree, line).ok_or(NoGoal::NoField)?;
        // That something is being deleted can be reached; the instant of it cannot.
        let value = value.filter(|_| path != ".metadata.deletionTimestamp");
        if value.as_ref().is_some_and(|value| is_of_this_run(&path, value)) {
            return Err(NoGoal::OfThisRun);
        }
        let goal = match value {
            Some(value) => json!({"object": object, "path": path, "equals": value}),
            None => json!({"object": object, "path": path, "exists": true}),
        };
        let is_known = self.goals.iter().any(|known| known.goal == goal);
        if !is_known {
            let now = session.now();
            let after = session.commands().iter().filter(|timed| timed.at <= now).count();
            let wanted = crate::scenario::wanted(&goal).ok_or(NoGoal::Unfit)?;
            self.goals.push(Picked { after, goal, wanted });
        }
        Ok(())
    }

    /// Takes a goal back.
    pub(super) fn forget(&mut self, index: usize) {
        if index < self.goals.len() {
            self.goals.remove(index);
        }
    }

    /// Takes back what came with commands that are undone, all but the first so many; what is left, if that is less.
    pub(super) fn undo(&mut self, commands: usize) -> Option<Update> {
        let before = self.goals.len();
        self.goals.retain(|picked| picked.after <= commands);
        (self.goals.len() < before).then(|| self.told())
    }

    /// What there is, for the page.
    pub(super) fn told(&self) -> Update {
        let goals = self.goals.iter().map(|picked| picked.wanted.clone());
        Update::Recorded { goals: goals.collect() }
    }
}

/// JSONPath and value of the field whose key, or whose list item, stands in that line; no value of what holds others.
fn at_line(tree: &Tree<'_>, line: u32) -> Option<(String, Option<Value>)> {
    fn go(tree: &Tree<'_>, path: &str, line: u32) -> Option<(String, Option<Value>)> {
        let found = |path: String, value: &Tree<'_>| {
            let is_plain = !matches!(value.data, Data::Map(_) | Data::Seq(_));
            (path, is_plain.then(|| value.to_value()))
        };
        match &tree.data {
            Data::Map(entries) => entries.iter().find_map(|entry| {
                let path = format!("{path}{}", step(&entry.key));
                if entry.line == line {
                    Some(found(path, &entry.value))
                } else {
                    go(&entry.value, &path, line)
                }
            }),
            Data::Seq(items) => items.iter().enumerate().find_map(|(index, item)| {
                let path = match item.get("type").and_then(Tree::as_str) {
                    Some(kind) => format!("{path}[?(@.type==\"{kind}\")]"),
                    None => format!("{path}[{index}]"),
                };
                let is_plain = !matches!(item.data, Data::Map(_) | Data::Seq(_));
                if item.line == line && is_plain {
                    Some(found(path, item))
                } else {
                    go(item, &path, line)
                }
            }),
            _ => None,
        }
    }
    go(tree, "", line)
}

/// Whether a run that does the same at other instants has another value there: an instant, or what is counted or drawn.
/// What people write themselves, labels and the like, may be called as they want.
fn is_of_this_run(path: &str, value: &Value) -> bool {
    let is_instant = value.as_str().is_some_and(|text| {
        let bytes = text.as_bytes();
        bytes.len() >= 20 && bytes[4] == b'-' && bytes[10] == b'T' && bytes.ends_with(b"Z")
    });
    let is_kept = path.starts_with(".metadata") || path.starts_with(".status");
    let is_written = path.starts_with(".metadata.labels") || path.starts_with(".metadata.annotations");
    let key = path.rsplit('.').next().unwrap_or_default();
    is_instant && !is_written || is_kept && !is_written && DRAWN.contains(&key)
}

/// Fields of metadata and status whose values are of one run.
const DRAWN: [&str; 7] = [
    "uid",
    "resourceVersion",
    "generation",
    "observedGeneration",
    "containerID",
    "podIP",
    "ip",
];

/// A key in JSONPath.
fn step(key: &str) -> String {
    let is_word = key
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_word {
        format!(".{key}")
    } else {
        format!("['{key}']")
    }
}
