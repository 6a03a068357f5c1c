//! Two moments of a run as small pictures: nodes by zone, with their pods.

use podscope_messages::{listed, t};
use podscope_protocol::{MomentNode, MomentPicture, MomentPod, PodMark};
use yew::prelude::*;

use crate::components::pod;
use crate::pure::{clock, names};
use crate::state::OWNER_HUE_COUNT;

// Lengths in units of the drawing: its width, the side of a pod, the distance from one pod to the next, and the height
// of a node's heading. `PODS_PER_ROW` is a number of pods.
const PICTURE_WIDTH: usize = 108;
const PODS_PER_ROW: usize = 4;
const POD_SIDE: usize = 20;
const POD_SPACING: usize = 24;
const HEADING_HEIGHT: usize = 18;

/// The pictures before and after the key moment.
pub(super) fn before_and_after(moments: &[MomentPicture]) -> Html {
    let [before, after] = moments else {
        return Html::default();
    };
    html! {
        <div class="moments">
            <figure>{ picture(before) }<figcaption>{ t!(moments::before, time = clock::instant(before.at)) }</figcaption></figure>
            <figure>{ picture(after) }<figcaption>{ t!(moments::after, time = clock::instant(after.at)) }</figcaption></figure>
        </div>
    }
}

/// Describes the picture of a moment as text, for screen readers.
fn text_alternative(moment: &MomentPicture) -> String {
    let pods = |pods: &[MomentPod]| {
        let all: Vec<String> = pods.iter().map(|one| pod_name(one).to_owned()).collect();
        listed(all)
    };
    let nodes = moment.groups.iter().flat_map(|(_, nodes)| nodes);
    let mut parts: Vec<String> = nodes
        .map(|node| {
            let trouble = node
                .trouble
                .map_or_else(String::new, |it| format!(", {}", it.short_text()));
            match node.pods.as_slice() {
                [] => t!(moments::empty_node, node = format_args!("{}{trouble}", node.name)),
                on => format!("{}{trouble}: {}", node.name, pods(on)),
            }
        })
        .collect();
    if !moment.pending.is_empty() {
        parts.push(t!(moments::pending_pods, pods = pods(&moment.pending)));
    }
    parts.join("; ")
}

fn pod_name(pod: &MomentPod) -> &str {
    names::without_default_namespace(&pod.key)
}

/// Draws the picture of one moment.
pub(crate) fn picture(moment: &MomentPicture) -> Html {
    let mut top = 0;
    let mut drawn: Vec<Html> = Vec::new();
    for node in moment.groups.iter().flat_map(|(_, nodes)| nodes) {
        drawn.push(node_card(node, top));
        top += node_height(node.pods.len()) + 4;
    }
    if !moment.pending.is_empty() {
        drawn.push(html! { <text x="6" y={(top + 13).to_string()} class="soft">{ t!(moments::pending) }</text> });
        drawn.extend(pod_row(&moment.pending, top + HEADING_HEIGHT));
        top += node_height(moment.pending.len()) + 4;
    }
    let view = format!("0 0 {PICTURE_WIDTH} {}", top.max(24));
    html! { <svg viewBox={view} role="img" aria-label={text_alternative(moment)}>{ for drawn }</svg> }
}

fn node_height(pods: usize) -> usize {
    HEADING_HEIGHT + 4 + pods.div_ceil(PODS_PER_ROW) * POD_SPACING
}

fn node_card(node: &MomentNode, top: usize) -> Html {
    html! {
        <g>
            <rect class={classes!("card", node.trouble.is_some().then_some("bad"))} x="1" y={(top + 1).to_string()} width={(PICTURE_WIDTH - 2).to_string()} height={(node_height(node.pods.len()) - 1).to_string()} rx="5" />
            <text x="6" y={(top + 14).to_string()}>{ &node.name }</text>
            if let Some(trouble) = node.trouble { <text x={(PICTURE_WIDTH - 6).to_string()} y={(top + 14).to_string()} text-anchor="end" class="bad">{ trouble.short_text() }</text> }
            { for pod_row(&node.pods, top + HEADING_HEIGHT) }
        </g>
    }
}

fn pod_row(pods: &[MomentPod], top: usize) -> Vec<Html> {
    let mark = |(at, pod): (usize, &MomentPod)| {
        let (x, y) = (
            6 + at % PODS_PER_ROW * POD_SPACING,
            top + 2 + at / PODS_PER_ROW * POD_SPACING,
        );
        let hue = pod.hue.map_or(OWNER_HUE_COUNT, |hue| hue % OWNER_HUE_COUNT);
        let sign = match pod.mark {
            PodMark::Terminating => "↓",
            PodMark::CrashLoop => "↻",
            PodMark::Succeeded => "✓",
            PodMark::Failed => "✗",
            PodMark::Unconfirmed => "?",
            PodMark::NotReady => "!",
            _ => "",
        };
        html! {
            <g class={classes!("p", pod::class(pod.mark), format!("h{hue}"))}>
                <title>{ pod_name(pod) }</title>
                <rect x={x.to_string()} y={y.to_string()} width={POD_SIDE.to_string()} height={POD_SIDE.to_string()} rx="5" />
                <text x={(x + POD_SIDE / 2).to_string()} y={(y + 14).to_string()} text-anchor="middle">{ &pod.short }</text>
                if !sign.is_empty() { <text x={(x + POD_SIDE).to_string()} y={(y + 6).to_string()} text-anchor="middle" class="sign">{ sign }</text> }
            </g>
        }
    };
    pods.iter().enumerate().map(mark).collect()
}
