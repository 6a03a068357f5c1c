//! Chains of causes of an object's history: each chain begins with a record that nothing in the run caused, and ends
//! with a record about the object.

use std::fmt::Write;
use std::sync::Arc;

use podscope_api::{Kind, ObjectKey, ordered};
use podscope_cluster::Record;
use serde_json::Value;

use crate::timeline::Session;

/// A record with its depth in a chain of causes.
#[derive(Debug, Clone)]
pub struct CauseChainEntry {
    /// Number of records between this record and the root of the chain, the root included. 0 if nothing in the run
    /// caused this record.
    pub depth: usize,
    pub record: Arc<Record>,
}

/// Returns the chains of causes that end at records about an object, up to the cursor. A record stands below the record
/// that caused it, after the earlier records with the same cause. Each record occurs once.
pub fn cause_chains(session: &Session, kind: Kind, key: &ObjectKey) -> Vec<CauseChainEntry> {
    let is_about = |record: &Arc<Record>| {
        let subject = record.object.as_ref();
        subject.is_some_and(|subject| subject.kind == kind && subject.key == *key)
    };
    let about = session.trace().filter(is_about).map(|record| record.seq);
    arrange_as_trees(session.with_causes(about))
}

/// Arranges records as trees: depth first, each record below the record that caused it. `records` are in the order of
/// the trace and include all causes.
pub(crate) fn arrange_as_trees(records: Vec<Arc<Record>>) -> Vec<CauseChainEntry> {
    let mut effects: ordered::Map<u64, Vec<usize>> = ordered::Map::new();
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for (place, record) in records.iter().enumerate().rev() {
        match record.caused_by.seq() {
            Some(cause) => effects.entry(cause).or_default().push(place),
            None => stack.push((0, place)),
        }
    }
    // The earliest record is on top of the stack.
    let mut entries = Vec::with_capacity(records.len());
    while let Some((depth, place)) = stack.pop() {
        let record = records[place].clone();
        let led_to = effects.remove(&record.seq).unwrap_or_default();
        stack.extend(led_to.into_iter().map(|place| (depth + 1, place)));
        entries.push(CauseChainEntry { depth, record });
    }
    entries
}

/// Formats chains as text: one record per line, indented by two spaces per level of depth.
pub fn chains_text(entries: &[CauseChainEntry]) -> String {
    let mut text = String::new();
    for CauseChainEntry { depth, record } in entries {
        let _ = writeln!(text, "{:indent$}{}", "", format_record(record), indent = depth * 2);
    }
    text
}

/// Formats a record as one line, such as `45.002 Bound Pod default/web-0 node=b-1 (scheduler) #812`.
fn format_record(record: &Record) -> String {
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
            // A text that is empty or contains white space or quotes is printed as JSON, so that a record stays on one
            // line.
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
