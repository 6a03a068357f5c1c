//! What has just happened at the cursor, in words: read off the timeline's marks, so that it is the same after a seek,
//! a fork and a heal.

use podscope_protocol::{Lane, Mark, MarkKind, Micros, SubjectRef};

use crate::state::Model;

/// Lines that are told.
const LINES: usize = 9;
/// Marks that are looked through for them: in a busy cluster most are placements and ends.
const LOOKED_AT: usize = 400;

/// The newest things first, each with its own time.
pub(crate) fn lines(model: &Model) -> Vec<(Micros, String)> {
    let mut lines: Vec<(Micros, String)> = Vec::new();
    let past = model.marks.values().rev().filter(|mark| mark.from <= model.now);
    for mark in past.take(LOOKED_AT) {
        let Some(words) = words(mark) else { continue };
        if lines
            .last()
            .is_some_and(|(at, last)| *at == mark.from && *last == words)
        {
            continue;
        }
        lines.push((mark.from, words));
        if lines.len() == LINES {
            break;
        }
    }
    lines
}

/// What a mark is, for people; none for what is not worth a line.
fn words(mark: &Mark) -> Option<String> {
    let label = &mark.label;
    let name = match &mark.subject {
        Some(SubjectRef::Node { name }) => name.as_str(),
        _ => "",
    };
    match (mark.lane, mark.kind) {
        (Lane::Terminations, MarkKind::Sigterm) => Some(format!("{label} gets SIGTERM")),
        (Lane::Terminations, MarkKind::Killed) => Some(format!("{label} gets SIGKILL")),
        (Lane::Terminations, MarkKind::PreStop) => Some(format!("{label}: its preStop hook begins")),
        (Lane::Terminations, _) => None,
        (Lane::Faults, MarkKind::Cut) if !name.is_empty() => Some(format!("{name} is cut off")),
        (Lane::Faults, MarkKind::Fault) => Some(format!("fault: {label}")),
        (Lane::Invariants, MarkKind::Broken) => Some(format!("broken: {label}")),
        (Lane::Invariants, MarkKind::Expected) => Some(format!("as expected: {label}")),
        (Lane::Invariants, MarkKind::Unexpected) => Some(format!("not as expected: {label}")),
        (Lane::Commands, MarkKind::Refused) => Some(format!("refused: {label}")),
        _ => Some(label.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{Frame, MarkLabel};

    fn mark(id: u64, lane: Lane, kind: MarkKind, label: &str) -> Mark {
        Mark {
            id,
            lane,
            from: id as i64 * 1_000_000,
            to: None,
            kind,
            label: MarkLabel::Written(label.into()),
            subject: (lane == Lane::Faults).then(|| SubjectRef::Node { name: "a-1".into() }),
        }
    }

    /// U-15: what is told is what lies before the cursor, whichever way one came there.
    #[test]
    fn after_a_seek_back_only_what_lies_before_is_told() {
        let mut model = Model::default();
        let marks = vec![
            mark(1, Lane::Faults, MarkKind::Cut, "partition a-1"),
            mark(2, Lane::Faults, MarkKind::NotReady, "a-1 NotReady"),
            mark(3, Lane::Commands, MarkKind::Command, "fault heal a-1"),
        ];
        model.apply(Frame {
            now: 3_000_000,
            marks,
            ..Frame::default()
        });
        let told: Vec<String> = lines(&model).into_iter().map(|(_, line)| line).collect();
        assert_eq!(told, ["fault heal a-1", "a-1 NotReady", "a-1 is cut off"]);
        model.apply(Frame {
            now: 1_500_000,
            ..Frame::default()
        });
        assert_eq!(lines(&model), [(1_000_000, "a-1 is cut off".to_owned())]);
    }
}
