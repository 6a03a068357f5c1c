//! The control plane: its components, and the invariants that are broken.

use podscope_protocol::{ControlPlaneView, SubjectRef};
use yew::prelude::*;

use super::icon;
use crate::ctl::Ctl;
use crate::pure::{actions, clock};
use crate::state::{Act, Dialog, Shared, Truth};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) plane: Shared<ControlPlaneView>,
    /// Label keys by which nodes can be grouped.
    pub(crate) keys: Shared<Vec<String>>,
    pub(crate) group_key: String,
    /// The key of the selected pod's spread constraint.
    pub(crate) follows: Option<String>,
    /// The second of two runs: it is looked at, not acted on.
    pub(crate) idle: bool,
    pub(crate) truth: Truth,
}

/// Whose picture the cards draw, by name.
const TRUTHS: [(Truth, &str, &str); 3] = [
    (Truth::Api, "API", "Only what the API server believes"),
    (
        Truth::Both,
        "both",
        "What the API server believes, and where machines differ",
    ),
    (Truth::Machine, "machine", "Only what really runs"),
];

/// What nodes are grouped by where nothing else is chosen.
const ZONE: &str = "topology.kubernetes.io/zone";

/// The strip.
#[component]
pub(crate) fn Plane(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let group = {
        let ctl = ctl.clone();
        Callback::from(move |event: Event| {
            let key = crate::browser::value_of(&event);
            ctl.act.emit(Act::Group(key));
        })
    };
    let broken = props.plane.broken.iter().map(|b| {
        let select = ctl.act.reform({
            let name = b.name.clone();
            move |_: MouseEvent| Act::Select(Some(SubjectRef::Invariant { name: name.clone() }))
        });
        if props.idle {
            return html! { <span class="chip bad" title={podscope_api::visible(&b.text).into_owned()}>{ icon("shield") }{ format!("{} broken at {}", b.name, clock::instant(b.at)) }</span> };
        }
        html! {
            <button type="button" class="chip bad" onclick={select} title={format!("{} ({}: {})", b.text, b.cause.word(), b.by)}>
                { icon("shield") }{ format!("{} broken at {}", b.name, clock::instant(b.at)) }
            </button>
        }
    });
    html! {
        <section class="plane" tabindex={props.idle.then_some("0")} aria-label={if props.idle { "Control plane, other run" } else { "Control plane" }}>
            <h2>{ "Control plane" }</h2>
            <span class="parts">{ for props.plane.components.iter().map(|(name, up, word)| component(&ctl, name, *up, word, props.idle)) }</span>
            { for broken }
            if !props.idle {
                <span class="truths" role="group" aria-label="Whose picture">
                    { for TRUTHS.into_iter().map(|(truth, name, about)| {
                        let go = ctl.act.reform(move |_: MouseEvent| Act::Truth(truth));
                        html! { <button type="button" class="quiet" aria-pressed={(props.truth == truth).to_string()} onclick={go} title={about}>{ name }</button> }
                    }) }
                </span>
            }
            if props.keys.len() > 1 && !props.idle {
                <label class="group"><span>{ "by" }</span>
                    <select aria-label="Group nodes by label" onchange={group}>
                        <option value="" selected={props.group_key.is_empty()}>{ if props.keys.iter().any(|key| key == "zone") { ZONE } else { "zone" } }{ if props.follows.as_deref() == Some(ZONE) { " (its constraint)" } else { "" } }</option>
                        if let Some(key) = props.follows.as_ref().filter(|k| **k != ZONE && !props.keys.contains(k)) {
                            <option value={key.clone()} selected={*key == props.group_key}>{ key }</option>
                        }
                        { for props.keys.iter().filter(|key| **key != ZONE || props.group_key == ZONE).map(|key| html! {
                            <option value={key.clone()} selected={*key == props.group_key}>
                                { key }{ if props.follows.as_ref() == Some(key) { " (its constraint)" } else { "" } }
                            </option>
                        }) }
                    </select>
                </label>
            }
        </section>
    }
}

/// Letters of a short name of a component.
const LONG: usize = 12;

fn component(ctl: &Ctl, name: &str, up: bool, word: &str, idle: bool) -> Html {
    let list = actions::component(name, up);
    // Where there is no room for all names, the longest gives way first.
    let long = (name.len() > LONG).then_some("long");
    let dot = if up { "ok" } else { "bad" };
    let said = match (up, word.is_empty()) {
        (true, true) => String::new(),
        (_, false) => format!(" ({word})"),
        (false, true) => " (down)".into(),
    };
    if idle || list.is_empty() {
        return html! { <span class={classes!("c", long)}><i class={classes!("dot", dot)}></i><span class="n">{ name }</span><span class="word">{ said }</span></span> };
    }
    let open = {
        let (ctl, title) = (ctl.clone(), name.to_string());
        Callback::from(move |event: MouseEvent| {
            let menu = crate::state::menu(title.clone(), list.clone(), &event);
            ctl.act.emit(Act::Dialog(Dialog::Menu(menu)));
        })
    };
    html! {
        <button type="button" class={classes!("c", long, (!up).then_some("down"))} onclick={open} aria-haspopup="dialog" title={format!("{name}{said}")}>
            <i class={classes!("dot", dot)}></i><span class="n">{ name }</span><span class="word">{ said }</span>
        </button>
    }
}
