//! The right when nothing is selected: what just happened, and how marks are read.

use podscope_session::protocol::{PodMark, PodView};
use yew::prelude::*;

use super::pod;
use crate::pure::clock;
use crate::state::{HUES, Model, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) model: Shared<Model>,
    pub(crate) heard: Shared<Vec<String>>,
}

const MARKS: [(PodMark, &str); 10] = [
    (PodMark::Ready, "running and ready"),
    (PodMark::Starting, "starting"),
    (PodMark::NotReady, "running, not ready"),
    (PodMark::Terminating, "terminating: the ring empties"),
    (PodMark::CrashLoop, "crashing, waits to restart"),
    (PodMark::Succeeded, "succeeded"),
    (PodMark::Failed, "failed"),
    (PodMark::Pending, "pending: no node yet"),
    (PodMark::Unconfirmed, "nobody can confirm it"),
    (PodMark::Ghost, "runs, but is forgotten"),
];

/// The panel's idle face.
#[component]
pub(crate) fn Legend(props: &Props) -> Html {
    let model = &*props.model;
    let log = use_mut_ref(Vec::<(String, String)>::new);
    let last = use_mut_ref(|| None::<Shared<Vec<String>>>);
    if last.borrow().as_ref() != Some(&props.heard) {
        *last.borrow_mut() = Some(props.heard.clone());
        let mut log = log.borrow_mut();
        if props.heard.is_empty() {
            // Another session.
            log.clear();
        }
        for line in props.heard.iter() {
            log.insert(0, (clock::instant(model.now), line.clone()));
        }
        log.truncate(9);
    }
    // Counted a few times a second, not for each frame.
    let counts = {
        let model = props.model.clone();
        use_memo(
            (model.now / 300_000, model.pods.size(), model.moved.clone()),
            move |_| {
                let count = |f: &dyn Fn(&PodView) -> bool| model.pods.values().filter(|p| f(p)).count();
                (
                    count(&|p| p.mark == PodMark::Ready),
                    count(&|p| p.mark == PodMark::Ghost),
                )
            },
        )
    };
    let (ready, ghosts) = *counts;
    let all = model.pods.size() - ghosts;
    html! {
        <>
            <h2 class="quiet-title">{ "Select anything to ask why" }</h2>
            <dl class="sums mono">
                <div><dt>{ "nodes" }</dt><dd>{ model.nodes.size() }</dd></div>
                <div><dt>{ "pods" }</dt><dd>{ all }</dd></div>
                <div><dt>{ "ready" }</dt><dd>{ ready }</dd></div>
                <div><dt>{ "pending" }</dt><dd>{ model.pending.len() }</dd></div>
                if ghosts > 0 { <div class="ghosts"><dt>{ "ghosts" }</dt><dd>{ ghosts }</dd></div> }
            </dl>
            if !log.borrow().is_empty() {
                <p class="eyebrow">{ "Just now" }</p>
                <ol class="log">{ for log.borrow().iter().map(|(at, line)| html! { <li><span class="mono">{ at }</span>{ line }</li> }) }</ol>
            }
            if !model.owners.is_empty() {
                <p class="eyebrow">{ "Colour: who owns it" }</p>
                <ul class="owners">{ for model.owners.values().take(16).map(|o| html! { <li class={format!("h{}", o.hue % HUES)} title={o.id.clone()}><i></i>{ &o.name }</li> }) }</ul>
            }
            <p class="eyebrow">{ "Shape: how it is" }</p>
            <ul class="marks">
                { for MARKS.iter().map(|(mark, words)| html! {
                    <li><span class={classes!("pod", "still", "tiny", pod::class(*mark), "h0")} style="--left:60%" aria-hidden="true"><span class="face"></span>{ pod::glyph(*mark) }</span>{ *words }</li>
                }) }
            </ul>
        </>
    }
}
