//! Draws the answer to a what-if question on the stage: outlines of the pods that would come to a node or would stay
//! Pending, and lines to them from the pods that they replace. Pods that exist now do not move.

use podscope_messages::t;
use yew::prelude::*;

use super::scene::StagePositions;
use super::shown::shown;
use crate::pure::overview::Rect;
use crate::pure::preview::{Arrival, NodePreview, WhatIfPreview, place_of_arrival};
use crate::pure::stage::NodePlan;
use crate::pure::stage::fit::DetailLevel;

/// Number of moved pods above which no lines are drawn, because the lines would hide the stage.
const MAX_LINES: usize = 4;

/// Returns the label of a node's card, extended by the effect of the what-if question on the node.
pub(super) fn extend_card_label(mut label: String, preview: Option<&NodePreview>) -> String {
    if let Some(preview) = preview {
        label.push_str(&format!(", {}", preview.words(false)));
    }
    label
}

/// Renders the pods that would come to a node. Pods for which the card has no space are rendered for screen readers
/// only.
pub(super) fn arriving_pod_marks(
    preview: Option<&NodePreview>,
    plan: &NodePlan,
    taken_slots: &[usize],
    unit: f64,
) -> Html {
    let arrivals = preview.map(NodePreview::arrivals).unwrap_or_default();
    let place = |nth: usize| place_of_arrival(plan, taken_slots, nth, unit);
    html! { <>{ for arrivals.iter().enumerate().map(|(nth, pod)| arriving_pod_mark(pod, place(nth))) }</> }
}

fn arriving_pod_mark(pod: &Arrival, place: Option<(Rect, DetailLevel)>) -> Html {
    let Some((rect, detail)) = place else {
        return html! { <span class="sr" key={format!("would {}", pod.pod.pod)}>{ pod.label() }</span> };
    };
    html! {
        <span key={format!("would {}", pod.pod.pod)} class={classes!("nominee", "would", detail.class(), format!("h{}", pod.hue))} data-would={pod.pod.pod.clone()}
            data-nav="pod" tabindex="-1" role="img" aria-label={pod.label()} title={pod.label()}
            ~style={format!("translate:{:.1}px {:.1}px;width:{:.1}px;height:{:.1}px;--pod:{:.1}px", rect.x, rect.y, rect.w, rect.h, rect.w.min(rect.h))}>
            if detail.is_card() {
                <span class="up"><b>{ shown(pod.name()) }</b><span class="api-word">{ pod.pod.from.as_ref().map(|from| t!(preview::from, node = from)) }</span></span>
                <span class="lo"><b>{ t!(preview::would_come) }</b></span>
            } else if detail != DetailLevel::Dot {
                <span class="t">{ shown(&pod.short) }</span>
            }
        </span>
    }
}

/// Renders the pods that would stay Pending, beside the pods that are Pending now: at most `n_marks` of them, and their
/// total number.
pub(super) fn pods_left_pending(pods: &[Arrival], n_marks: usize) -> Html {
    if pods.is_empty() {
        return Html::default();
    }
    let mark = |pod: &Arrival| {
        html! { <span key={format!("would {}", pod.pod.pod)} class={classes!("pod", "still", "would", format!("h{}", pod.hue))} data-would={pod.pod.pod.clone()} role="img" aria-label={pod.label()} title={pod.label()} data-nav="pod" tabindex="-1"><span class="t">{ shown(&pod.short) }</span></span> }
    };
    html! {
        <>
            <span class="waiting">{ for pods.iter().take(n_marks).map(mark) }</span>
            <span class="would-wait">{ t!(preview::would_stay_pending, count = pods.len()) }</span>
            { for pods.iter().skip(n_marks).map(|pod| html! { <span class="sr">{ pod.label() }</span> }) }
        </>
    }
}

/// Lines from pods on the stage to the marks of the pods that replace them.
pub(super) fn replacement_lines(preview: Option<&WhatIfPreview>, spots: &StagePositions) -> Html {
    let Some(preview) = preview.filter(|preview| preview.arrivals.len() <= MAX_LINES) else {
        return Html::default();
    };
    let plan = spots.plan;
    html! {
        <svg class="wires threads" viewBox={format!("0 0 {:.1} {:.1}", plan.room.w, plan.height)} aria-hidden="true">
            { for spots.move_ends(preview).into_iter().map(|(from, to)| html! { <path class="thread next" d={curve_between(from, to)} /> }) }
        </svg>
    }
}

/// A curve between the facing sides of two marks, which ends at the second mark.
fn curve_between(from: Rect, to: Rect) -> String {
    let (y, end_y) = (from.y + from.h / 2.0, to.y + to.h / 2.0);
    let (x, end_x) = if to.x >= from.x + from.w {
        (from.x + from.w, to.x)
    } else if to.x + to.w <= from.x {
        (from.x, to.x + to.w)
    } else {
        (from.x + from.w, to.x + to.w)
    };
    let middle = (x + end_x) / 2.0;
    format!("M{x:.1} {y:.1}C{middle:.1} {y:.1} {middle:.1} {end_y:.1} {end_x:.1} {end_y:.1}")
}
