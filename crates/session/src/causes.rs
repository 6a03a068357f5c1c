//! What led to what happened to an object: chains of records, from what nothing in the run caused to the object itself.

use std::fmt::Write;
use std::sync::Arc;

use podscope_api::{Kind, ObjectKey, ordered};
use podscope_cluster::Record;
use serde_json::Value;

use crate::timeline::Session;

/// A record of a chain.
#[derive(Debug, Clone)]
pub struct Link {
    /// How many records lead to it, one after another; 0 for what nothing in the run caused.
    pub depth: usize,
    pub record: Arc<Record>,
}

/// The chains that end at an object, up to the cursor: every record about it with all that led to it. A record stands
/// directly below the one that led to it, or below what else that one led to; each stands once.
pub fn chains(session: &Session, kind: Kind, key: &ObjectKey) -> Vec<Link> {
    let is_about = |record: &Arc<Record>| {
        let subject = record.object.as_ref();
        subject.is_some_and(|subject| subject.kind == kind && subject.key == *key)
    };
    let about = session.trace().filter(is_about).map(|record| record.seq);
    arrange(session.with_causes(about))
}

/// Puts each record below the one that led to it. They come in the order of the trace, with all that led to them.
pub(crate) fn arrange(records: Vec<Arc<Record>>) -> Vec<Link> {
    let mut below: ordered::Map<u64, Vec<usize>> = ordered::Map::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (place, record) in records.iter().enumerate().rev() {
        match record.caused_by.seq() {
            Some(cause) => below.entry(cause).or_default().push(place),
            None => open.push((0, place)),
        }
    }
    // What came first is taken first: it was pushed last.
    let mut links = Vec::with_capacity(records.len());
    while let Some((depth, place)) = open.pop() {
        let record = records[place].clone();
        let led_to = below.remove(&record.seq).unwrap_or_default();
        open.extend(led_to.into_iter().map(|place| (depth + 1, place)));
        links.push(Link { depth, record });
    }
    links
}

/// The chains as text, a record a line, indented by two spaces for each record that leads to it.
pub fn print(links: &[Link]) -> String {
    let mut text = String::new();
    for Link { depth, record } in links {
        let _ = writeln!(text, "{:indent$}{}", "", line(record), indent = depth * 2);
    }
    text
}

/// `45.002 Bound Pod default/web-0 node=b-1 (scheduler) #812`.
fn line(record: &Record) -> String {
    let (seconds, micros) = (record.at.0.div_euclid(1_000_000), record.at.0.rem_euclid(1_000_000));
    let mut line = format!("{seconds}.{micros:06}");
    let kept = line.trim_end_matches('0').trim_end_matches('.').len();
    line.truncate(kept);
    let _ = write!(line, " {}", record.what().as_str());
    if let Some(subject) = &record.object {
        let _ = write!(line, " {} {}", subject.kind.name(), subject.key);
    }
    if let Some(container) = &record.container {
        let _ = write!(line, " container={container}");
    }
    for (name, value) in record.happening.fields() {
        match value {
            // One record is one line, whatever its words hold.
            Value::String(text) if !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '"') => {
                let _ = write!(line, " {name}={text}");
            }
            value => {
                let _ = write!(line, " {name}={value}");
            }
        }
    }
    let _ = write!(line, " ({}) #{}", record.actor, record.seq);
    line
}
