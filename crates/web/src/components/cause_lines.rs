//! Lines of causes on the stage: of what is selected, from who acted to what it was done to, and of a pod that waits for
//! its victims, through these to the room that they leave.

use podscope_protocol::{Deed, PodView, QueuePlace, ThreadActor, ThreadLink};
use yew::prelude::*;

use super::scene::Spots;
use crate::pure::overview::Rect;
use crate::pure::stage::wires::Rail;
use crate::state::Model;

/// Lines drawn at once: the latest. The panel has the whole thread.
const MOST: usize = 5;

/// A line, in pixels of the stage.
#[derive(Debug, PartialEq)]
struct Line {
    class: &'static str,
    from: (f64, f64),
    to: (f64, f64),
    /// What was done along it.
    word: &'static str,
}

/// The lines of what is selected; `pod` if that is a pod.
pub(super) fn cause_lines(model: &Model, pod: Option<&PodView>, spots: &Spots, rail: &Rail) -> Html {
    // Where a pod goes could be the answer to the question.
    if model.story.question.is_some() {
        return Html::default();
    }
    let place = pod.and_then(|pod| Some((pod, &pod.queue.as_ref()?.place)));
    let (lines, next) = match place {
        Some((pod, QueuePlace::Victims { pods, .. })) => preemption(model, pod, pods, spots, rail),
        _ => (thread(&model.thread.links, spots, rail), Vec::new()),
    };
    if lines.is_empty() {
        return Html::default();
    }
    let (plan, u) = (spots.plan, spots.plan.measures.unit);
    html! {
        <svg class="wires threads" viewBox={format!("0 0 {:.1} {:.1}", plan.room.w, plan.height)} aria-hidden="true">
            { for lines.iter().map(|line| drawn(line, u)) }
            { for next.into_iter().map(|d| html! { <path class="thread next" {d} /> }) }
        </svg>
    }
}

/// From the scheduler to each victim, and from the victims to where the pod is to run, as paths.
fn preemption(
    model: &Model,
    pod: &PodView,
    victims: &[String],
    spots: &Spots,
    rail: &Rail,
) -> (Vec<Line>, Vec<String>) {
    let ids: Vec<String> = (model.pods.values())
        .filter(|one| one.node == pod.nominated && victims.contains(&one.key))
        .map(|one| one.id.clone())
        .collect();
    let kept = spots.pods(std::slice::from_ref(&pod.id)).first().copied();
    let u = spots.plan.measures.unit;
    let victims = spots.pods(&ids);
    let lines = (victims.iter())
        .map(|victim| Line {
            class: "thread bad",
            from: below(&rail.scheduler, u),
            to: above(victim, u),
            word: "preempts",
        })
        .collect();
    let next = kept.into_iter().flat_map(|kept| {
        victims.iter().map(move |victim| {
            let (ax, ay) = (victim.x + victim.w + 7.0 * u, victim.y + victim.h * 0.6);
            let (bx, by) = (kept.x + kept.w * 0.5, kept.y - 4.0 * u);
            format!(
                "M{ax:.1} {ay:.1}C{:.1} {ay:.1} {bx:.1} {:.1} {bx:.1} {by:.1}",
                ax + 30.0 * u,
                by - 30.0 * u
            )
        })
    });
    (lines, next.collect())
}

/// The lines of a thread, one for each actor and target, the latest deed of each.
fn thread(links: &[ThreadLink], spots: &Spots, rail: &Rail) -> Vec<Line> {
    let u = spots.plan.measures.unit;
    let mut lines: Vec<Line> = Vec::new();
    for link in links.iter().rev() {
        if lines.len() == MOST {
            break;
        }
        let cause = links.iter().find(|one| Some(one.record) == link.caused_by);
        let target = link.subject.as_ref().and_then(|subject| spots.of(subject));
        let (Some(target), Some((from, word, class))) = (target, origin(link, cause, spots, rail)) else {
            continue;
        };
        let to = above(&target, u);
        if lines.iter().all(|line| (line.from, line.to) != (from, to)) {
            lines.push(Line { class, from, to, word });
        }
    }
    lines
}

/// Where the line to a record begins, what it says, and how it looks: at the process that acted, or at the other thing
/// that led to it.
fn origin(
    link: &ThreadLink,
    cause: Option<&ThreadLink>,
    spots: &Spots,
    rail: &Rail,
) -> Option<((f64, f64), &'static str, &'static str)> {
    let u = spots.plan.measures.unit;
    let of_cause = || {
        let subject = cause?
            .subject
            .as_ref()
            .filter(|subject| link.subject.as_ref() != Some(*subject))?;
        Some(below(&spots.of(subject)?, u))
    };
    let is_by_taint = matches!(cause.map(|cause| &cause.deed), Some(Deed::TaintAdded { .. }));
    let (word, class) = match &link.deed {
        Deed::Bound { .. } => ("binds", "thread mild"),
        Deed::Created => ("creates", "thread mild"),
        Deed::Nominated { .. } => ("nominates", "thread mild"),
        Deed::Preempted { .. } => ("preempts", "thread bad"),
        Deed::TaintAdded { .. } => ("taints", "thread bad"),
        Deed::DeletionRequested { .. } if is_by_taint => ("evicts", "thread bad"),
        Deed::DeletionRequested { .. } => ("deletes", "thread bad"),
        _ => return of_cause().map(|from| (from, "", "thread mild")),
    };
    let from = match link.by {
        ThreadActor::Scheduler => {
            // A line from one pod to the other says more than one from the scheduler.
            let is_preempted = matches!(link.deed, Deed::Preempted { .. });
            let preemptor = is_preempted.then(of_cause).flatten();
            preemptor.unwrap_or_else(|| below(&rail.scheduler, u))
        }
        ThreadActor::ControllerManager => below(&rail.managers, u),
        ThreadActor::Other => of_cause()?,
    };
    Some((from, word, class))
}

/// The middle of the upper edge, a little above.
fn above(rect: &Rect, unit: f64) -> (f64, f64) {
    (rect.x + rect.w / 2.0, rect.y - 6.0 * unit)
}

/// On the lower edge, near its beginning.
fn below(rect: &Rect, unit: f64) -> (f64, f64) {
    (rect.x + (40.0 * unit).min(rect.w / 2.0), rect.y + rect.h)
}

fn drawn(line: &Line, u: f64) -> Html {
    let ((x, y), (tx, ty)) = (line.from, line.to);
    // It leaves downwards and arrives from above, with less of a bend where there is little room.
    let bend = ((ty - y).abs() / 2.0).min(60.0 * u);
    let d = format!(
        "M{x:.1} {y:.1}C{x:.1} {:.1} {tx:.1} {:.1} {tx:.1} {ty:.1}",
        y + bend,
        ty - bend
    );
    html! {
        <>
            <path class={line.class} {d} />
            if !line.word.is_empty() {
                <text class={classes!("thread-word", line.class.ends_with("mild").then_some("mild"))} x={format!("{:.1}", (x + tx) / 2.0 + 8.0 * u)} y={format!("{:.1}", (y + ty) / 2.0)}>{ line.word }</text>
            }
        </>
    }
}
