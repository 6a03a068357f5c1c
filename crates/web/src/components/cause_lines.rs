//! Lines on the stage that show causes. For the selection they lead from an actor to the object it changed; for a pod
//! that waits for its preemption victims they lead from the scheduler through the victims to the space that they free.

use podscope_messages::{Message, cause_lines as verbs};
use podscope_protocol::{PodView, QueuePlace, ThreadActor, ThreadEvent, ThreadLink};
use yew::prelude::*;

use super::scene::StagePositions;
use crate::pure::overview::Rect;
use crate::pure::stage::wires::ControlPlaneRects;
use crate::state::Model;

/// Maximum number of lines that are drawn, the latest ones; the panel shows the whole chain of causes.
const MAX_LINES: usize = 5;

/// Gap between the right edge of a preemption victim and the path that begins beside it, in pixels at the default
/// font size.
const GAP_BESIDE_VICTIM: f64 = 7.0;
/// Height at which a preemption path begins beside the victim, as a share of the victim's height.
const PATH_START_HEIGHT: f64 = 0.6;
/// Gap between the end of a preemption path and the upper edge of the preempting pod, in pixels at the default font
/// size.
const GAP_ABOVE_POD: f64 = 4.0;
/// Distance between the ends of a preemption path and the control points of its curve, in pixels at the default
/// font size.
const CONTROL_POINT_DISTANCE: f64 = 30.0;

/// A line on the stage that shows a cause; coordinates are in CSS pixels.
#[derive(Debug, PartialEq)]
struct Line {
    class: &'static str,
    from: (f64, f64),
    to: (f64, f64),
    /// The verb that is written beside the line.
    word: Option<Message>,
}

/// Draws the lines for the selection. `pod` is the selected pod, if a pod is selected.
pub(super) fn cause_lines(
    model: &Model,
    pod: Option<&PodView>,
    spots: &StagePositions,
    rail: &ControlPlaneRects,
) -> Html {
    // The lines could give away the answer to the lesson's question.
    if model.story.question.is_some() {
        return Html::default();
    }
    let place = pod.and_then(|pod| Some((pod, &pod.queue.as_ref()?.place)));
    let (lines, next) = match place {
        Some((pod, QueuePlace::Victims { pods, .. })) => preemption_lines(model, pod, pods, spots, rail),
        _ => (chain_lines(&model.thread.links, spots, rail), Vec::new()),
    };
    if lines.is_empty() {
        return Html::default();
    }
    let (plan, unit) = (spots.plan, spots.plan.measures.unit);
    html! {
        <svg class="wires threads" viewBox={format!("0 0 {:.1} {:.1}", plan.room.w, plan.height)} aria-hidden="true">
            { for lines.iter().map(|line| draw_line(line, unit, plan.room.w)) }
            { for next.into_iter().map(|path| html! { <path class="thread next" d={path} /> }) }
        </svg>
    }
}

/// For a preempting pod, returns lines from the scheduler to each victim, and paths from each victim to the position
/// where the stage draws the preempting pod.
fn preemption_lines(
    model: &Model,
    pod: &PodView,
    victim_keys: &[String],
    spots: &StagePositions,
    rail: &ControlPlaneRects,
) -> (Vec<Line>, Vec<String>) {
    let ids: Vec<String> = (model.pods.values())
        .filter(|other| other.node == pod.nominated && victim_keys.contains(&other.key))
        .map(|other| other.id.clone())
        .collect();
    let kept = spots.pods(std::slice::from_ref(&pod.id)).first().copied();
    let unit = spots.plan.measures.unit;
    let victims = spots.pods(&ids);
    let lines = (victims.iter())
        .map(|victim| Line {
            class: "thread bad",
            from: lower_point(&rail.scheduler, unit),
            to: upper_point(victim, unit),
            word: Some(verbs::preempts),
        })
        .collect();
    let next = kept.into_iter().flat_map(|kept| {
        victims.iter().map(move |victim| {
            let (ax, ay) = (
                victim.x + victim.w + GAP_BESIDE_VICTIM * unit,
                victim.y + victim.h * PATH_START_HEIGHT,
            );
            let (bx, by) = (kept.x + kept.w * 0.5, kept.y - GAP_ABOVE_POD * unit);
            format!(
                "M{ax:.1} {ay:.1}C{:.1} {ay:.1} {bx:.1} {:.1} {bx:.1} {by:.1}",
                ax + CONTROL_POINT_DISTANCE * unit,
                by - CONTROL_POINT_DISTANCE * unit
            )
        })
    });
    (lines, next.collect())
}

/// Returns the lines of a chain of causes: one for each pair of actor and target, labelled with the latest action.
fn chain_lines(links: &[ThreadLink], spots: &StagePositions, rail: &ControlPlaneRects) -> Vec<Line> {
    let unit = spots.plan.measures.unit;
    let mut lines: Vec<Line> = Vec::new();
    for link in links.iter().rev() {
        if lines.len() == MAX_LINES {
            break;
        }
        let cause = links.iter().find(|other| Some(other.record) == link.caused_by);
        let target = link.subject.as_ref().and_then(|subject| spots.of(subject));
        let (Some(target), Some((from, word, class))) = (target, line_start(link, cause, spots, rail)) else {
            continue;
        };
        let to = upper_point(&target, unit);
        if lines.iter().all(|line| (line.from, line.to) != (from, to)) {
            lines.push(Line { class, from, to, word });
        }
    }
    lines
}

/// Returns where the line to a record starts, its verb and its CSS class. The line starts at the process that acted, or
/// at the other object whose change caused the record.
fn line_start(
    link: &ThreadLink,
    cause: Option<&ThreadLink>,
    spots: &StagePositions,
    rail: &ControlPlaneRects,
) -> Option<((f64, f64), Option<Message>, &'static str)> {
    let unit = spots.plan.measures.unit;
    let of_cause = || {
        let subject = cause?
            .subject
            .as_ref()
            .filter(|subject| link.subject.as_ref() != Some(*subject))?;
        Some(lower_point(&spots.of(subject)?, unit))
    };
    let is_by_taint = matches!(cause.map(|cause| &cause.event), Some(ThreadEvent::TaintAdded { .. }));
    let (word, class) = match &link.event {
        ThreadEvent::Bound { .. } => (verbs::binds, "thread mild"),
        ThreadEvent::Created => (verbs::creates, "thread mild"),
        ThreadEvent::Nominated { .. } => (verbs::nominates, "thread mild"),
        ThreadEvent::Preempted { .. } => (verbs::preempts, "thread bad"),
        ThreadEvent::TaintAdded { .. } => (verbs::taints, "thread bad"),
        ThreadEvent::DeletionRequested { .. } if is_by_taint => (verbs::evicts, "thread bad"),
        ThreadEvent::DeletionRequested { .. } => (verbs::deletes, "thread bad"),
        _ => return of_cause().map(|from| (from, None, "thread mild")),
    };
    let from = match link.by {
        ThreadActor::Scheduler => {
            // The record is a preemption: draw the line from the preempting pod instead of from the scheduler.
            let is_preempted = matches!(link.event, ThreadEvent::Preempted { .. });
            let preemptor = is_preempted.then(of_cause).flatten();
            preemptor.unwrap_or_else(|| lower_point(&rail.scheduler, unit))
        }
        ThreadActor::ControllerManager => lower_point(&rail.managers, unit),
        ThreadActor::Other => of_cause()?,
    };
    Some((from, Some(word), class))
}

/// Returns the point slightly above the middle of a rectangle's upper edge, where lines end.
fn upper_point(rect: &Rect, unit: f64) -> (f64, f64) {
    (rect.x + rect.w / 2.0, rect.y - 6.0 * unit)
}

/// Returns a point on a rectangle's lower edge, near the left end of the edge.
fn lower_point(rect: &Rect, unit: f64) -> (f64, f64) {
    (rect.x + (40.0 * unit).min(rect.w / 2.0), rect.y + rect.h)
}

/// Returns where the word of a line begins: beside the middle of the line, or further left if the stage would cut it
/// off.
fn word_left_edge(middle: f64, word: &str, unit: f64, width: f64) -> f64 {
    let word_width = word.chars().count() as f64 * 8.5 * unit;
    (middle + 8.0 * unit).min(width - word_width)
}

fn draw_line(line: &Line, unit: f64, width: f64) -> Html {
    let ((x, y), (tx, ty)) = (line.from, line.to);
    let word = line.word.map(|word| {
        let word = word.text();
        let word_x = word_left_edge((x + tx) / 2.0, &word, unit, width);
        (word, word_x)
    });
    // The curve leaves downwards and arrives from above; it bends less over a short distance.
    let bend = ((ty - y).abs() / 2.0).min(60.0 * unit);
    let path = format!(
        "M{x:.1} {y:.1}C{x:.1} {:.1} {tx:.1} {:.1} {tx:.1} {ty:.1}",
        y + bend,
        ty - bend
    );
    html! {
        <>
            <path class={line.class} d={path} />
            if let Some((word, word_x)) = word {
                <text class={classes!("thread-word", line.class.ends_with("mild").then_some("mild"))} x={format!("{word_x:.1}")} y={format!("{:.1}", (y + ty) / 2.0)}>{ word }</text>
            }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_of_line_ends_within_stage() {
        for (middle, width, expected) in [(100.0, 390.0, 108.0), (380.0, 390.0, 330.5)] {
            assert_eq!(word_left_edge(middle, "creates", 1.0, width), expected);
        }
    }
}
