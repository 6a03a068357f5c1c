//! The legend, shown at the right when nothing is selected: recent events, and the meaning of the pod icons.

use podscope_api::ordered;
use podscope_messages::{Message, legend, t};
use podscope_protocol::{Micros, OwnerView, PodMark};
use yew::prelude::*;

use super::pod;
use super::shown::shown;
use crate::pure::clock;
use crate::state::{OWNER_HUE_COUNT, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Number of nodes, pods, ready pods, pending pods, and ghosts (processes whose pod the API server has forgotten).
    pub(crate) sums: [usize; 5],
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
    /// The groups of pod icons that the stage shows now, in the order of [`POD_ICON_MEANINGS`].
    pub(crate) on_stage: Vec<PodMark>,
    /// Recent events with their instants, newest first.
    pub(crate) log: Vec<(Micros, String)>,
}

/// All groups of pod icons, each with its meaning.
pub(crate) const POD_ICON_MEANINGS: [(PodMark, Message); 10] = [
    (PodMark::Ready, legend::ready_mark),
    (PodMark::Starting, legend::starting_mark),
    (PodMark::NotReady, legend::not_ready_mark),
    (PodMark::Terminating, legend::terminating_mark),
    (PodMark::CrashLoop, legend::crash_loop_mark),
    (PodMark::Succeeded, legend::succeeded_mark),
    (PodMark::Failed, legend::failed_mark),
    (PodMark::Pending, legend::pending_mark),
    (PodMark::Unconfirmed, legend::unconfirmed_mark),
    (PodMark::Ghost, legend::ghost_mark),
];

/// The legend: first the pod icons that are on the stage now, then the others.
#[component]
pub(crate) fn Legend(props: &Props) -> Html {
    let [nodes, pods, ready, pending, ghosts] = props.sums;
    html! {
        <>
            <h2 class="quiet-title">{ t!(legend::select) }</h2>
            <dl class="sums mono">
                <div><dt>{ t!(legend::nodes) }</dt><dd>{ nodes }</dd></div>
                <div><dt>{ t!(legend::pods) }</dt><dd>{ pods }</dd></div>
                <div><dt>{ t!(legend::ready) }</dt><dd>{ ready }</dd></div>
                <div><dt>{ t!(legend::pending) }</dt><dd>{ pending }</dd></div>
                if ghosts > 0 { <div class="ghosts"><dt>{ t!(legend::ghosts) }</dt><dd>{ ghosts }</dd></div> }
            </dl>
            if !props.log.is_empty() {
                <p class="eyebrow">{ t!(legend::just_now) }</p>
                <ol class="log">{ for props.log.iter().map(|(at, line)| html! { <li><span class="mono">{ clock::instant(*at) }</span>{ shown(line) }</li> }) }</ol>
            }
            if !props.owners.is_empty() {
                <p class="eyebrow">{ t!(legend::colour) }</p>
                <ul class="owners">{ for props.owners.values().take(16).map(|owner| html! { <li class={format!("h{}", owner.hue % OWNER_HUE_COUNT)} title={owner.id.clone()}><i></i>{ shown(&owner.name) }</li> }) }</ul>
            }
            if !props.on_stage.is_empty() {
                <p class="eyebrow">{ t!(legend::shape) }</p>
                { marks_list(|mark| props.on_stage.contains(&mark)) }
            }
            <details class="more-marks">
                <summary>{ t!(legend::other_marks) }</summary>
                { marks_list(|mark| !props.on_stage.contains(&mark)) }
            </details>
        </>
    }
}

fn marks_list(is_shown: impl Fn(PodMark) -> bool) -> Html {
    html! {
        <ul class="marks">
            { for POD_ICON_MEANINGS.iter().filter(|(mark, _)| is_shown(*mark)).map(|(mark, words)| html! {
                <li><span class={classes!("pod", "still", "tiny", pod::class(*mark), "h0")} ~style="--left:60%" aria-hidden="true"><span class="face"></span>{ pod::corner_symbol(*mark) }</span>{ words.text() }</li>
            }) }
        </ul>
    }
}
