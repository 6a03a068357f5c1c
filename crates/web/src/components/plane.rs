//! The control plane: its components, and the invariants that are broken.

use podscope_protocol::{
    BrokenInvariant, Component, ComponentState, ComponentView, ControlPlaneView, Micros, SubjectRef,
};
use yew::prelude::*;

use super::icon;
use crate::ctl::Ctl;
use crate::pure::actions::Action;
use crate::pure::{actions, clock};
use crate::state::{Act, Dialog, Shared, Truth};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) plane: Shared<ControlPlaneView>,
    /// Broken promises that are whole again, with when each was.
    pub(crate) whole: Vec<(String, Micros)>,
    /// Label keys by which nodes can be grouped.
    pub(crate) keys: Shared<Vec<String>>,
    pub(crate) group_key: String,
    /// The key of the selected pod's spread constraint.
    pub(crate) follows: Option<String>,
    /// The second of two runs: it is looked at, not acted on.
    pub(crate) idle: bool,
    pub(crate) truth: Truth,
    /// It stands beside another run: whose picture is drawn is chosen above both.
    pub(crate) compared: bool,
    /// Machines that are cut off from something.
    pub(crate) cut: usize,
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
    let heal = {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| ctl.run(actions::HEAL_ALL))
    };
    let all = &props.plane.broken;
    // Several are one where there is no room for their names: the first tells of the others.
    let many = (all.len() > 1).then_some("many");
    let told = |b: &BrokenInvariant| {
        let whole = props.whole.iter().find(|(name, _)| *name == b.name);
        told(b, whole.map(|(_, at)| *at))
    };
    let are_whole = props.whole.len() == all.len();
    let broken = all.iter().map(|b| {
        let select = ctl.select(SubjectRef::Invariant { name: b.name.clone() });
        if props.idle {
            return html! { <span class={classes!("chip", "bad", many)} title={podscope_api::visible(&b.seen.to_string()).into_owned()}>{ icon("shield") }{ told(b) }</span> };
        }
        html! {
            <button type="button" class={classes!("chip", "bad", many)} onclick={select} title={format!("{} ({}: {})", b.seen, b.cause.word(), b.by)}>
                { icon("shield") }{ told(b) }
            </button>
        }
    });
    html! {
        <section class="plane" tabindex={props.idle.then_some("0")} aria-label={if props.idle { "Control plane, other run" } else { "Control plane" }}>
            <h2>{ "Control plane" }</h2>
            <span class="parts">
                { as_one(&ctl, &props.plane.components, props.idle) }
                { for props.plane.components.iter().map(|one| component(&ctl, *one, props.idle)) }
            </span>
            if let Some(first) = all.first().filter(|_| all.len() > 1) { { together(&ctl, first, all.len(), are_whole, props.idle) } }
            { for broken }
            // One is healed where it is cut.
            if props.cut > 1 && !props.idle {
                <button type="button" class="chip heal" onclick={heal} title={format!("Remove every cut of {} nodes\n{}", props.cut, actions::HEAL_ALL)}>{ icon("link") }<span class="n">{ "Heal everything" }</span></button>
            }
            if !props.idle && !props.compared { { truths(&ctl, props.truth) } }
            if props.keys.len() > 1 && !props.idle {
                <label class="group"><span>{ "by" }</span>
                    <select aria-label="Group nodes by label" onchange={group}>
                        <option value="" selected={props.group_key.is_empty()}>{ if props.keys.iter().any(|key| key == "zone") { "zone (topology…)" } else { "zone" } }{ if props.follows.as_deref() == Some(ZONE) { " (its constraint)" } else { "" } }</option>
                        if let Some(key) = props.follows.as_ref().filter(|k| **k != ZONE && !props.keys.contains(k)) {
                            <option value={key.clone()} selected={*key == props.group_key}>{ key }</option>
                        }
                        { for props.keys.iter().filter(|key| **key != ZONE || props.group_key == ZONE).map(|key| html! {
                            <option value={key.clone()} selected={*key == props.group_key}>
                                { if key == "zone" { "zone (label)" } else { key } }{ if props.follows.as_ref() == Some(key) { " (its constraint)" } else { "" } }
                            </option>
                        }) }
                    </select>
                </label>
            }
        </section>
    }
}

/// What is broken or was, and, where there is room, since when and how long.
fn told(broken: &BrokenInvariant, whole: Option<Micros>) -> Html {
    let (is, lasted) = whole.map_or_else(
        || ("broken", String::new()),
        |at| ("was broken", format!(" for {}", clock::took(at - broken.at))),
    );
    html! { <span class="n">{ format!("{} {is}", broken.name) }<span class="since">{ format!(" at {}{lasted}", clock::instant(broken.at)) }</span></span> }
}

/// The choice of whose picture the cards draw.
pub(super) fn truths(ctl: &Ctl, chosen: Truth) -> Html {
    html! {
        <span class="truths" role="group" aria-label="Whose picture">
            { for TRUTHS.into_iter().map(|(truth, name, about)| {
                let go = ctl.act.reform(move |_: MouseEvent| Act::Truth(truth));
                html! { <button type="button" class="quiet" aria-pressed={(chosen == truth).to_string()} onclick={go} title={about}>{ name }</button> }
            }) }
        </span>
    }
}

/// That several are broken, or were.
fn together(ctl: &Ctl, first: &BrokenInvariant, count: usize, are_whole: bool, idle: bool) -> Html {
    let words = if are_whole {
        " promises were broken"
    } else {
        " promises broken"
    };
    let words = html! { <>{ icon("shield") }{ count }<span class="n">{ words }</span></> };
    if idle {
        return html! { <span class="chip bad together">{ words }</span> };
    }
    let select = ctl.select(SubjectRef::Invariant {
        name: first.name.clone(),
    });
    html! { <button type="button" class="chip bad together" onclick={select}>{ words }</button> }
}

/// Components as one button, where there is no room for each: a dot for each. Those that are down stand beside it.
fn as_one(ctl: &Ctl, all: &[ComponentView], idle: bool) -> Html {
    let dots = all.iter().map(|one| dot(one.state.is_up()));
    if idle {
        return html! { <span class="c all">{ for dots }</span> };
    }
    let list = all.iter().flat_map(|one| {
        let named = |action: Action| Action {
            label: format!("{}: {}", one.component, action.label),
            ..action
        };
        actions::component(*one).into_iter().map(named)
    });
    let open = opens(ctl, "Control plane", list.collect());
    html! { <button type="button" class="c all" onclick={open} aria-haspopup="dialog" aria-label="Control plane">{ for dots }</button> }
}

fn dot(up: bool) -> Html {
    html! { <i class={classes!("dot", if up { "ok" } else { "bad" })}></i> }
}

fn opens(ctl: &Ctl, title: &str, list: Vec<Action>) -> Callback<MouseEvent> {
    let (ctl, title) = (ctl.clone(), title.to_owned());
    Callback::from(move |event: MouseEvent| {
        let menu = crate::state::menu(title.clone(), list.clone(), &event);
        ctl.act.emit(Act::Dialog(Dialog::Menu(menu)));
    })
}

/// A name where there is no room for the whole.
fn short(component: Component) -> String {
    let (name, instance) = match component {
        Component::ApiServer => ("api", 0),
        Component::Etcd => ("etcd", 0),
        Component::Scheduler(instance) => ("sched", instance),
        Component::ControllerManager(instance) => ("control", instance),
        Component::Attacher => ("attach", 0),
        Component::Fencing => ("fencing", 0),
    };
    match instance {
        0 => name.to_owned(),
        _ => format!("{name}/{instance}"),
    }
}

fn component(ctl: &Ctl, one: ComponentView, idle: bool) -> Html {
    let (name, up) = (one.component.to_string(), one.state.is_up());
    let list = actions::component(one);
    let names = html! { <><span class="n">{ &name }</span><span class="s" aria-hidden="true">{ short(one.component) }</span></> };
    let said = match one.state {
        ComponentState::Up => "",
        ComponentState::Leader => " (leader)",
        ComponentState::Standby => " (standby)",
        ComponentState::Down => " (down)",
        ComponentState::Unreachable => " (unreachable)",
    };
    if idle || list.is_empty() {
        return html! { <span class="c" title={format!("{name}{said}")}>{ dot(up) }{ names }<span class="word">{ said }</span></span> };
    }
    let open = opens(ctl, &name, list);
    html! {
        <button type="button" class={classes!("c", (!up).then_some("down"))} onclick={open} aria-haspopup="dialog" title={format!("{name}{said}")}>
            { dot(up) }{ names }<span class="word">{ said }</span>
        </button>
    }
}
