//! Pods that have no node: where in the scheduler's queue each is and what it waits for.

use podscope_api::ordered;

use podscope_protocol::{Micros, OwnerView, PodView, QueuePlace};
use yew::prelude::*;

use super::pod::Pod;
use crate::pure::clock;
use crate::state::{HUES, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) pending: Shared<Vec<Shared<PodView>>>,
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
    pub(crate) now: Micros,
    pub(crate) selected: Option<String>,
    /// It is in the second of two runs.
    pub(crate) beside: bool,
}

/// Rows shown in full; the others as marks.
const ROWS: usize = 3;

fn pool(place: &QueuePlace) -> &'static str {
    match place {
        QueuePlace::Unheard | QueuePlace::Active => "next in line",
        QueuePlace::Backoff => "backing off",
        QueuePlace::Gated(_) | QueuePlace::Victims => "held by a gate",
        QueuePlace::Unschedulable(_) | QueuePlace::Stranded => "fits nowhere",
    }
}

/// What a pending pod waits for.
fn waits_for(place: &QueuePlace) -> String {
    match place {
        QueuePlace::Unheard => "the scheduler".into(),
        QueuePlace::Active => "its turn".into(),
        QueuePlace::Backoff => "the end of its back-off".into(),
        QueuePlace::Gated(gates) => format!("its scheduling gates: {}", gates.join(", ")),
        QueuePlace::Victims => "its victims to end".into(),
        QueuePlace::Unschedulable(plugins) if plugins.is_empty() => {
            "an event that can help, or the five-minute flush".into()
        }
        QueuePlace::Unschedulable(plugins) => {
            format!(
                "an event that can help {}, or the five-minute flush",
                plugins.join(", ")
            )
        }
        QueuePlace::Stranded => "a scheduler that runs".into(),
    }
}

/// The tray.
#[component]
pub(crate) fn Tray(props: &Props) -> Html {
    let name = if props.beside {
        "Pending pods, other run"
    } else {
        "Pending pods"
    };
    if props.pending.is_empty() {
        return html! { <section class="tray empty" aria-label={name} data-drop=""><span class="eyebrow">{ "Pending" }</span><span>{ "every pod has a node" }</span></section> };
    }
    let mark = |pod: &Shared<PodView>| {
        let hue = props.owners.get(&pod.owner).map_or(HUES, |o| o.hue % HUES);
        html! { <Pod key={pod.id.clone()} pod={pod.clone()} now={props.now} {hue} tab_stop=true selected={props.selected.as_ref() == Some(&pod.id)} /> }
    };
    let row = |pod: &Shared<PodView>| {
        let name = pod.key.strip_prefix("default/").unwrap_or(&pod.key).to_string();
        let queue = pod.queue.clone().unwrap_or_default();
        html! {
            <li key={pod.id.clone()}>
                { mark(pod) }
                <span class="what">
                    <b>{ &name }</b>
                    <span class="pool">{ pool(&queue.place) }</span>
                    <span>{ waits_for(&queue.place) }</span>
                    if let Some(until) = queue.until {
                        <span class="mono" title={format!("retried at {}", clock::instant(until))}>{ format!("retry by {}", clock::axis(until)) }</span>
                    }
                </span>
                if let Some((fit, all)) = queue.fit { <span class="chip">{ format!("{fit}/{all} fit") }</span> }
                <button type="button" class="quiet" data-help={pod.key.clone()} data-id={pod.id.clone()}>{ "What would help?" }</button>
            </li>
        }
    };
    let rest = props.pending.len().saturating_sub(ROWS);
    html! {
        <section class="tray" aria-label={name}>
            <span class="eyebrow">{ format!("Pending {}", props.pending.len()) }</span>
            <ul>{ for props.pending.iter().take(ROWS).map(row) }</ul>
            if rest > 0 {
                <div class="more" role="group" aria-label={format!("{rest} more pending pods")}>
                    { for props.pending.iter().skip(ROWS).take(60).map(mark) }
                    if rest > 60 { <span class="chip">{ format!("+{}", rest - 60) }</span> }
                </div>
            }
        </section>
    }
}
