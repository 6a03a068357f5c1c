//! Texts for recent events before the clock. They are computed from the events on the timeline, so a seek or a change
//! of branch does not change them.

use podscope_api::ordered::StableSort as _;
use podscope_messages::t;
use podscope_protocol::{Cut, Evictor, Lane, Mark, MarkKind, MarkLabel, Micros, fault_sentence, other_end_of_cut};

use crate::pure::clock;
use crate::state::Model;

/// Maximum number of lines of recent events.
const MAX_EVENT_LINES: usize = 9;
/// Maximum number of timeline events that are searched for lines: in a busy cluster most are bindings and terminations,
/// which are only counted.
const MAX_SEARCHED_MARKS: usize = 400;
/// Maximum number of timeline events that are searched for states that have ended. It is larger than
/// [`MAX_SEARCHED_MARKS`], because a state may have begun long ago.
const MAX_MARKS_SEARCHED_FOR_ENDS: usize = 4000;
/// Maximum number of events of one type within a second that have a line each; more of them become one line with their
/// number.
const MAX_LISTED_PER_SECOND: usize = 3;
const SECOND: Micros = 1_000_000;

/// Events of one type within a second.
struct EventGroup {
    at: Micros,
    /// The type, if several events of it become one line; `None` if each event has a line.
    kind: Option<GroupedEventKind>,
    lines: Vec<(Micros, String)>,
}

/// Types of events of which several become one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupedEventKind {
    NoNode,
    Bound,
    Preempted,
    Evicted(Evictor),
    Restarted,
    Sigterm,
    Killed,
    PreStop,
}

/// Returns lines for recent events, newest first.
pub(crate) fn recent_event_lines(model: &Model) -> Vec<(Micros, String)> {
    let mut lines = grouped_event_texts(model, |_| true, MAX_LISTED_PER_SECOND);
    lines.truncate(MAX_EVENT_LINES);
    lines
}

/// Returns sentences for the events after an instant, oldest first, for screen readers. All events of one type within a
/// second become one sentence.
pub(crate) fn sentences_since(model: &Model, after: Micros) -> Vec<String> {
    let mut lines = grouped_event_texts(model, |mark| mark.lane != Lane::Commands, 1);
    lines.retain(|(at, _)| *at > after);
    lines.reverse();
    lines.into_iter().map(|(_, words)| words).collect()
}

/// Returns texts for events, newest first. More than `max_listed` events of one type within a second become one text
/// with their number.
fn grouped_event_texts(model: &Model, is_included: impl Fn(&Mark) -> bool, max_listed: usize) -> Vec<(Micros, String)> {
    let mut all: Vec<EventGroup> = Vec::new();
    let past = model
        .marks
        .values()
        .rev()
        .filter(|mark| mark.from <= model.now && is_included(mark));
    for (nth, mark) in past.take(MAX_MARKS_SEARCHED_FOR_ENDS).enumerate() {
        if let Some(line) = end_of_lasting_event(mark, model.now) {
            all.push(EventGroup {
                at: line.0,
                kind: None,
                lines: vec![line],
            });
        }
        if nth >= MAX_SEARCHED_MARKS {
            continue;
        }
        let Some(words) = mark_text(mark) else { continue };
        let (line, kind) = ((mark.from, words), counted_kind(mark));
        let is_same_kind = |known: &&mut EventGroup| known.kind == kind && known.at - mark.from < SECOND;
        match all.iter_mut().rev().filter(|_| kind.is_some()).find(is_same_kind) {
            Some(known) => known.lines.push(line),
            None => all.push(EventGroup {
                at: mark.from,
                kind,
                lines: vec![line],
            }),
        }
    }
    let mut lines: Vec<(Micros, String)> = Vec::new();
    for group in all {
        match group.kind {
            Some(kind) if group.lines.len() > max_listed => {
                lines.push((group.at, counted_text(kind, group.lines.len())));
            }
            _ => lines.extend(group.lines),
        }
    }
    lines.stable_sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    lines.dedup();
    lines
}

/// Returns the instant at which a lasting event ended, and the text for its end (e.g. a node is Ready again). None if
/// the event has not ended by now, or if no text is shown for its end.
fn end_of_lasting_event(mark: &Mark, now: Micros) -> Option<(Micros, String)> {
    let to = mark.to.filter(|to| *to > mark.from && *to <= now)?;
    let words = match &mark.label {
        MarkLabel::Condition { node, condition } if condition == "NotReady" => t!(just_now::ready_again, node = node),
        MarkLabel::Condition { node, condition } => {
            t!(just_now::condition_over, node = node, condition = condition)
        }
        label @ MarkLabel::Broken { .. } => {
            t!(
                just_now::whole_again,
                time = clock::rounded_duration(to - mark.from),
                what = label
            )
        }
        _ => return None,
    };
    Some((to, words))
}

/// Returns the type of an event, if several events of this type become one line.
fn counted_kind(mark: &Mark) -> Option<GroupedEventKind> {
    Some(match &mark.label {
        MarkLabel::NoNode { .. } => GroupedEventKind::NoNode,
        MarkLabel::Bound { .. } => GroupedEventKind::Bound,
        MarkLabel::Preempted { .. } => GroupedEventKind::Preempted,
        MarkLabel::Evicted { by, .. } => GroupedEventKind::Evicted(*by),
        MarkLabel::Restarted { .. } => GroupedEventKind::Restarted,
        MarkLabel::Container { .. } => match mark.kind {
            MarkKind::Sigterm => GroupedEventKind::Sigterm,
            MarkKind::Killed => GroupedEventKind::Killed,
            _ => GroupedEventKind::PreStop,
        },
        _ => return None,
    })
}

/// Describes several events of one type with their number.
fn counted_text(kind: GroupedEventKind, count: usize) -> String {
    match kind {
        GroupedEventKind::NoNode => t!(just_now::no_node, count = count),
        GroupedEventKind::Bound => t!(just_now::got_node, count = count),
        GroupedEventKind::Preempted => t!(just_now::preempted, count = count),
        GroupedEventKind::Evicted(Evictor::Taint) => t!(just_now::evicted_by_taint, count = count),
        GroupedEventKind::Evicted(Evictor::Pressure) => t!(just_now::evicted_by_pressure, count = count),
        GroupedEventKind::Evicted(Evictor::Shutdown) => t!(just_now::ended_by_shutdown, count = count),
        GroupedEventKind::Evicted(Evictor::Api) => t!(just_now::evicted_by_api, count = count),
        GroupedEventKind::Evicted(Evictor::PodGc) => t!(just_now::removed_by_garbage_collector, count = count),
        GroupedEventKind::Restarted => t!(just_now::run_again, count = count),
        GroupedEventKind::Sigterm => t!(just_now::get_sigterm, count = count),
        GroupedEventKind::Killed => t!(just_now::get_sigkill, count = count),
        GroupedEventKind::PreStop => t!(just_now::pre_stop_begin, count = count),
    }
}

/// Describes an event of the timeline; `None` if it is not worth a line.
fn mark_text(mark: &Mark) -> Option<String> {
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
            Some(from) => cut_text(
                node,
                &Cut {
                    from,
                    is_in: *is_in,
                    is_out: *is_out,
                },
            ),
            None if *is_in && *is_out => t!(just_now::cut_off, node = node),
            None if *is_in => t!(just_now::lost_to_node, node = node),
            None => t!(just_now::lost_from_node, node = node),
        });
    }
    if let MarkLabel::Fault { fault, name } = label {
        return Some(fault_sentence(*fault, name));
    }
    match (mark.lane, mark.kind) {
        (Lane::Terminations, MarkKind::Sigterm) => Some(t!(just_now::sigterm, what = label)),
        (Lane::Terminations, MarkKind::Killed) => Some(t!(just_now::sigkill, what = label)),
        (Lane::Terminations, MarkKind::PreStop) => Some(t!(just_now::pre_stop, what = label)),
        (Lane::Invariants, MarkKind::Broken) => Some(t!(just_now::broken, what = label)),
        (Lane::Invariants, MarkKind::Expected) => Some(t!(just_now::as_expected, what = label)),
        (Lane::Invariants, MarkKind::Unexpected) => Some(t!(just_now::not_as_expected, what = label)),
        (Lane::Requests, MarkKind::Requests) => None,
        (Lane::Commands, MarkKind::Refused) => Some(t!(just_now::refused, command = label)),
        (Lane::Commands, _) if matches!(label, MarkLabel::Marked(_)) => None,
        _ => Some(label.to_string()),
    }
}

fn cut_text(node: &str, cut: &Cut) -> String {
    let from = other_end_of_cut(&cut.from);
    match (cut.is_in, cut.is_out) {
        (true, false) => t!(just_now::lost_to_node_from, from = from, node = node),
        (false, true) => t!(just_now::lost_from_node_to, from = from, node = node),
        _ => t!(just_now::cut_off_from, from = from, node = node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{FaultKind, Frame};

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

    fn lines_at(now: Micros, marks: Vec<Mark>) -> Vec<(Micros, String)> {
        let mut model = Model::default();
        model.apply(Frame {
            now,
            marks,
            ..Frame::default()
        });
        recent_event_lines(&model)
    }

    fn sample_marks() -> Vec<Mark> {
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
            fault: FaultKind::Partition,
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

    /// Only events before the clock are listed, also after a seek back: each once, and the end of its state once.
    /// Shows: U-15
    #[test]
    fn seek_back_lists_only_events_before_the_clock() {
        let texts_at = |now| {
            let lines = lines_at(now, sample_marks()).into_iter();
            lines.map(|(_, line)| line).collect::<Vec<_>>()
        };
        assert_eq!(
            texts_at(6 * SECOND),
            ["a-1 is Ready again", "healed a-1", "a-1 NotReady", "a-1 is cut off"]
        );
        assert_eq!(texts_at(4 * SECOND), ["healed a-1", "a-1 NotReady", "a-1 is cut off"]);
        assert_eq!(
            lines_at(1_500_000, sample_marks()),
            [(SECOND, "a-1 is cut off".to_owned())]
        );
    }

    /// If the effect of a command has a mark of its own, the command is not listed.
    /// Shows: U-15
    #[test]
    fn command_is_not_listed_beside_its_effect() {
        let command_mark = |id, label| mark(id, Lane::Commands, MarkKind::Command, label);
        let cordoned = MarkLabel::Cordoned {
            node: "a-1".into(),
            is_on: true,
        };
        let marks = vec![
            command_mark(1, MarkLabel::Marked("kubectl cordon a-1".into())),
            mark(2, Lane::Faults, MarkKind::Fenced, cordoned),
            command_mark(3, MarkLabel::Written("kubectl delete pod web-0".into())),
        ];
        let lines: Vec<String> = lines_at(4 * SECOND, marks).into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines, ["kubectl delete pod web-0", "a-1 cordoned"]);
    }

    /// A fault is described by its effect, not by its command.
    /// Shows: U-15
    #[test]
    fn fault_is_described_by_its_effect() {
        let label = MarkLabel::Fault {
            fault: FaultKind::PowerOff,
            name: "c-2".into(),
        };
        let marks = vec![mark(1, Lane::Faults, MarkKind::Fault, label)];
        assert_eq!(
            lines_at(2 * SECOND, marks),
            [(SECOND, "c-2 loses its power".to_owned())]
        );
    }

    /// Equal events of many pods at one instant are one line.
    /// Shows: U-15
    #[test]
    fn equal_events_within_a_second_are_one_line() {
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
            let mut bound_mark = mark(nth, Lane::Decisions, MarkKind::Bound, label);
            bound_mark.from = SECOND + nth as i64;
            marks.push(bound_mark);
        }
        let lines: Vec<String> = lines_at(10 * SECOND, marks).into_iter().map(|(_, line)| line).collect();
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
