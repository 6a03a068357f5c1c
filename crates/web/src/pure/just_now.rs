//! What has just happened at the cursor, in words: read off the timeline's marks, so that it is the same after a seek,
//! a fork and a heal.

use podscope_api::ordered::StableSort as _;
use podscope_protocol::{Cut, Lane, Mark, MarkKind, MarkLabel, Micros};

use crate::pure::clock;
use crate::state::Model;

/// Lines that are told.
const LINES: usize = 9;
/// Marks that are looked through for them: in a busy cluster most are placements and ends.
const LOOKED_AT: usize = 400;
/// And for what has come to its end: that may have begun long ago.
const LOOKED_BACK: usize = 4000;
/// More of one kind within a second are counted.
const ALIKE: usize = 3;
const SECOND: Micros = 1_000_000;

/// The same that happened to several within a second: who, the last one first.
struct Alike {
    at: Micros,
    /// What many are said to do; none for what is told one by one.
    many: Option<String>,
    lines: Vec<(Micros, String)>,
}

/// The newest things first, each with its own time.
pub(crate) fn lines(model: &Model) -> Vec<(Micros, String)> {
    let mut told = counted(model, |_| true, ALIKE);
    told.truncate(LINES);
    told
}

/// What has happened after an instant, oldest first, for a voice: alike things are one sentence.
pub(crate) fn since(model: &Model, after: Micros) -> Vec<String> {
    let mut told = counted(model, |mark| mark.lane != Lane::Commands, 1);
    told.retain(|(at, _)| *at > after);
    told.reverse();
    told.into_iter().map(|(_, words)| words).collect()
}

/// The newest things first; more than `alike` of one kind within a second are counted.
fn counted(model: &Model, is_told: impl Fn(&Mark) -> bool, alike: usize) -> Vec<(Micros, String)> {
    let most = alike;
    let mut all: Vec<Alike> = Vec::new();
    let past = model
        .marks
        .values()
        .rev()
        .filter(|mark| mark.from <= model.now && is_told(mark));
    for (nth, mark) in past.take(LOOKED_BACK).enumerate() {
        if let Some(line) = ended(mark, model.now) {
            all.push(Alike {
                at: line.0,
                many: None,
                lines: vec![line],
            });
        }
        if nth >= LOOKED_AT {
            continue;
        }
        let Some(words) = words(mark) else { continue };
        let (line, many) = ((mark.from, words), many(mark));
        let is_it = |known: &&mut Alike| known.many == many && known.at - mark.from < SECOND;
        match all.iter_mut().rev().filter(|_| many.is_some()).find(is_it) {
            Some(known) => known.lines.push(line),
            None => all.push(Alike {
                at: mark.from,
                many,
                lines: vec![line],
            }),
        }
    }
    let mut told: Vec<(Micros, String)> = Vec::new();
    for alike in all {
        match alike.many {
            Some(many) if alike.lines.len() > most => told.push((alike.at, format!("{} {many}", alike.lines.len()))),
            _ => told.extend(alike.lines),
        }
    }
    told.stable_sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    told.dedup();
    told
}

/// What is over, and when it was.
fn ended(mark: &Mark, now: Micros) -> Option<(Micros, String)> {
    let to = mark.to.filter(|to| *to > mark.from && *to <= now)?;
    let words = match &mark.label {
        MarkLabel::Condition { node, condition } if condition == "NotReady" => format!("{node} is Ready again"),
        MarkLabel::Condition { node, condition } => format!("{node}: {condition} is over"),
        label @ MarkLabel::Broken { .. } => format!("whole again after {}: {label}", clock::took(to - mark.from)),
        _ => return None,
    };
    Some((to, words))
}

/// What many are said to do where one mark is about one of them.
fn many(mark: &Mark) -> Option<String> {
    Some(match &mark.label {
        MarkLabel::NoNode { .. } => "pods: no node".into(),
        MarkLabel::Bound { .. } => "pods got a node".into(),
        MarkLabel::Preempted { .. } => "pods preempted".into(),
        MarkLabel::Evicted { by, .. } => format!("pods {by}"),
        MarkLabel::Restarted { .. } => "containers run again".into(),
        MarkLabel::Container { .. } => match mark.kind {
            MarkKind::Sigterm => "containers get SIGTERM".into(),
            MarkKind::Killed => "containers get SIGKILL".into(),
            _ => "preStop hooks begin".into(),
        },
        _ => return None,
    })
}

/// What a mark is, for people; none for what is not worth a line.
fn words(mark: &Mark) -> Option<String> {
    let label = &mark.label;
    if let MarkLabel::Cut {
        node,
        from,
        is_in,
        is_out,
    } = label
    {
        let from = from.clone();
        return Some(match from {
            Some(from) => cut(
                node,
                &Cut {
                    from,
                    is_in: *is_in,
                    is_out: *is_out,
                },
            ),
            None if *is_in && *is_out => format!("{node} is cut off"),
            None if *is_in => format!("what is sent to {node} is lost"),
            None => format!("what {node} sends is lost"),
        });
    }
    if let MarkLabel::Fault { fault, name } = label {
        return Some(fault.told(name));
    }
    match (mark.lane, mark.kind) {
        (Lane::Terminations, MarkKind::Sigterm) => Some(format!("{label} gets SIGTERM")),
        (Lane::Terminations, MarkKind::Killed) => Some(format!("{label} gets SIGKILL")),
        (Lane::Terminations, MarkKind::PreStop) => Some(format!("{label}: its preStop hook begins")),
        (Lane::Invariants, MarkKind::Broken) => Some(format!("broken: {label}")),
        (Lane::Invariants, MarkKind::Expected) => Some(format!("as expected: {label}")),
        (Lane::Invariants, MarkKind::Unexpected) => Some(format!("not as expected: {label}")),
        (Lane::Requests, MarkKind::Requests) => None,
        (Lane::Commands, MarkKind::Refused) => Some(format!("refused: {label}")),
        (Lane::Commands, _) if matches!(label, MarkLabel::Marked(_)) => None,
        _ => Some(label.to_string()),
    }
}

fn cut(node: &str, cut: &Cut) -> String {
    let from = &cut.from;
    match (cut.is_in, cut.is_out) {
        (true, false) => format!("what {from} sends to {node} is lost"),
        (false, true) => format!("what {node} sends to {from} is lost"),
        _ => format!("{node} is cut off from {from}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{FaultView, Frame};

    fn mark(id: u64, lane: Lane, kind: MarkKind, label: MarkLabel) -> Mark {
        Mark {
            id,
            lane,
            from: id as i64 * SECOND,
            to: None,
            kind,
            label,
            subject: None,
        }
    }

    fn told(now: Micros, marks: Vec<Mark>) -> Vec<(Micros, String)> {
        let mut model = Model::default();
        model.apply(Frame {
            now,
            marks,
            ..Frame::default()
        });
        lines(&model)
    }

    fn course() -> Vec<Mark> {
        let node = || "a-1".to_owned();
        let cut = MarkLabel::Cut {
            node: node(),
            from: None,
            is_in: true,
            is_out: true,
        };
        let condition = MarkLabel::Condition {
            node: node(),
            condition: "NotReady".into(),
        };
        let healed = MarkLabel::Healed {
            fault: FaultView::Partition,
            name: node(),
        };
        let command = MarkLabel::Marked("fault heal a-1".into());
        let mut not_ready = mark(2, Lane::Faults, MarkKind::NotReady, condition);
        not_ready.to = Some(5 * SECOND);
        vec![
            mark(1, Lane::Faults, MarkKind::Cut, cut),
            not_ready,
            mark(3, Lane::Commands, MarkKind::Command, command),
            mark(4, Lane::Faults, MarkKind::Healed, healed),
        ]
    }

    /// What is told is what lies before the cursor, whichever way one came there; once, and its end as well.
    /// Shows: U-15
    #[test]
    fn after_a_seek_back_only_what_lies_before_is_told() {
        let words = |now| {
            let lines = told(now, course()).into_iter();
            lines.map(|(_, line)| line).collect::<Vec<_>>()
        };
        assert_eq!(
            words(6 * SECOND),
            ["a-1 is Ready again", "healed a-1", "a-1 NotReady", "a-1 is cut off"]
        );
        assert_eq!(words(4 * SECOND), ["healed a-1", "a-1 NotReady", "a-1 is cut off"]);
        assert_eq!(told(1_500_000, course()), [(SECOND, "a-1 is cut off".to_owned())]);
    }

    /// What has a mark of its own is not told by its command as well.
    /// Shows: U-15
    #[test]
    fn what_a_command_did_is_told_once() {
        let given = |id, label| mark(id, Lane::Commands, MarkKind::Command, label);
        let cordoned = MarkLabel::Cordoned {
            node: "a-1".into(),
            is_on: true,
        };
        let marks = vec![
            given(1, MarkLabel::Marked("kubectl cordon a-1".into())),
            mark(2, Lane::Faults, MarkKind::Fenced, cordoned),
            given(3, MarkLabel::Written("kubectl delete pod web-0".into())),
        ];
        let lines: Vec<String> = told(4 * SECOND, marks).into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, ["kubectl delete pod web-0", "a-1 cordoned"]);
    }

    /// A fault is told by what it does, not by its command.
    /// Shows: U-15
    #[test]
    fn a_fault_is_told_in_words() {
        let label = MarkLabel::Fault {
            fault: FaultView::PowerOff,
            name: "c-2".into(),
        };
        let marks = vec![mark(1, Lane::Faults, MarkKind::Fault, label)];
        assert_eq!(told(2 * SECOND, marks), [(SECOND, "c-2 loses its power".to_owned())]);
    }

    /// Many pods with one fate at one instant are one line.
    /// Shows: U-15
    #[test]
    fn what_happens_to_many_at_once_is_one_line() {
        let command = MarkLabel::Written("kubectl scale deployment web --replicas=60".into());
        let mut marks = vec![mark(1, Lane::Commands, MarkKind::Command, command)];
        for nth in 2..62 {
            let pod = format!("web-{nth}");
            let label = match nth % 4 {
                0 => MarkLabel::NoNode { pod },
                _ => MarkLabel::Bound {
                    pod,
                    node: "a-1".into(),
                },
            };
            let mut one = mark(nth, Lane::Decisions, MarkKind::Bound, label);
            one.from = SECOND + nth as i64;
            marks.push(one);
        }
        let lines: Vec<String> = told(10 * SECOND, marks).into_iter().map(|(_, line)| line).collect();
        assert_eq!(
            lines,
            [
                "45 pods got a node",
                "15 pods: no node",
                "kubectl scale deployment web --replicas=60"
            ]
        );
    }
}
