//! The rail: the processes of the control plane where their wires begin, and the guarantees that are broken.

use podscope_protocol::{
    BrokenInvariant, Component, ComponentState, ComponentView, ControlPlaneView, Micros, SubjectRef,
};
use yew::prelude::*;

use super::icon;
use crate::ctl::Ctl;
use crate::pure::actions::Action;
use crate::pure::overview::Rect;
use crate::pure::stage::wires::Rail;
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
    pub(crate) rail: Rail,
    pub(crate) is_narrow: bool,
    /// Processes have short names.
    pub(crate) is_short: bool,
    /// The pods that wait at the scheduler.
    pub(crate) children: Children,
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

/// The rail: scheduler, API server with etcd, controller-managers.
#[component]
pub(crate) fn Plane(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let all = &props.plane.components;
    let part = |is: fn(Component) -> bool| {
        let (ctl, idle) = (&ctl, props.idle);
        let short = props.is_short || all.iter().filter(|one| is(one.component)).count() > 2;
        all.iter()
            .filter(move |one| is(one.component))
            .map(move |one| component(ctl, *one, idle, short))
    };
    // The attacher and fencing work unseen; they are drawn when they do not.
    let unseen = all
        .iter()
        .filter(|one| matches!(one.component, Component::Attacher | Component::Fencing) && !one.state.is_up());
    html! {
        <section class={classes!("rail", props.is_narrow.then_some("narrow"))} aria-label={if props.idle { "Control plane, other run" } else { "Control plane" }}>
            <div class="machine queueing" ~style={widest(props.rail.scheduler)}>
                { for part(|one| matches!(one, Component::Scheduler(_))) }
                { props.children.clone() }
            </div>
            <div class="machine api" ~style={super::scene::at(props.rail.api)}>
                <span class="main">{ for part(|one| one == Component::ApiServer) }</span>
                { broken(&ctl, props) }
                <span class="store">{ for part(|one| one == Component::Etcd) }</span>
            </div>
            <div class="machine managing" ~style={super::scene::at(props.rail.managers)}>
                { for part(|one| matches!(one, Component::ControllerManager(_))) }
                { for unseen.map(|one| component(&ctl, *one, props.idle, true)) }
                if !props.idle { { view_menu(&ctl, props) } }
            </div>
        </section>
    }
}

/// A box that grows inside its room.
fn widest(r: Rect) -> String {
    format!(
        "left:{:.1}px;top:{:.1}px;max-width:{:.1}px;height:{:.1}px",
        r.x, r.y, r.w, r.h
    )
}

/// The guarantees that are broken or were, and the way to heal several cuts at once.
fn broken(ctl: &Ctl, props: &Props) -> Html {
    let all = &props.plane.broken;
    let are_whole = props.whole.len() == all.len();
    let heal = {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| ctl.run(actions::HEAL_ALL))
    };
    html! {
        <span class="troubles">
            { match all.as_slice() {
                [] => Html::default(),
                [only] => {
                    let whole = props.whole.iter().find(|(name, _)| *name == only.name);
                    let words = told(only, whole.map(|(_, at)| *at));
                    if props.idle {
                        html! { <span class="chip bad" title={podscope_api::visible(&only.seen.to_string()).into_owned()}>{ icon("shield") }{ words }</span> }
                    } else {
                        let select = ctl.select(SubjectRef::Invariant { name: only.name.clone() });
                        html! { <button type="button" class="chip bad" data-nav="rail" tabindex="-1" onclick={select} title={format!("{} ({}: {})", only.seen, only.cause.word(), only.by)}>{ icon("shield") }{ words }</button> }
                    }
                }
                [first, ..] => together(ctl, first, all.len(), are_whole, props.idle),
            } }
            // One is healed where it is cut.
            if props.cut > 1 && !props.idle {
                <button type="button" class="chip heal" data-nav="rail" tabindex="-1" onclick={heal} title={format!("Remove every cut of {} nodes\n{}", props.cut, actions::HEAL_ALL)}>{ icon("link") }<span class="n">{ "Heal everything" }</span></button>
            }
        </span>
    }
}

/// What the stage draws, and by what it groups nodes; and every process of the control plane.
fn view_menu(ctl: &Ctl, props: &Props) -> Html {
    let group = {
        let ctl = ctl.clone();
        Callback::from(move |event: Event| {
            let key = crate::browser::value_of(&event);
            ctl.act.emit(Act::Group(key));
        })
    };
    let is_changed = props.truth != Truth::Both || !props.group_key.is_empty();
    html! {
        <details class={classes!("view", is_changed.then_some("on"))}>
            <summary data-nav="rail" tabindex="-1" title="What is drawn" aria-label="What is drawn">{ icon("eye") }</summary>
            <div>
                if !props.compared { <p>{ "Whose picture" }</p>{ truths(ctl, props.truth) } }
                if props.keys.len() > 1 {
                    <label class="group"><span>{ "Group nodes by" }</span>
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
                { as_one(ctl, &props.plane.components) }
            </div>
        </details>
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
        " guarantees were broken"
    } else {
        " guarantees broken"
    };
    let words = html! { <>{ icon("shield") }{ count }<span class="n">{ words }</span></> };
    if idle {
        return html! { <span class="chip bad together">{ words }</span> };
    }
    let select = ctl.select(SubjectRef::Invariant {
        name: first.name.clone(),
    });
    html! { <button type="button" class="chip bad together" data-nav="rail" tabindex="-1" onclick={select}>{ words }</button> }
}

/// The processes of the control plane as one menu.
fn as_one(ctl: &Ctl, all: &[ComponentView]) -> Html {
    let list = all.iter().flat_map(|one| {
        let named = |action: Action| Action {
            label: format!("{}: {}", one.component, action.label),
            ..action
        };
        actions::component(*one).into_iter().map(named)
    });
    let open = opens(ctl, "Control plane", list.collect());
    html! { <button type="button" onclick={open} aria-haspopup="dialog">{ "Control plane" }</button> }
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
        Component::ApiServer => ("API", 0),
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

fn component(ctl: &Ctl, one: ComponentView, idle: bool, is_short: bool) -> Html {
    let (name, up) = (one.component.to_string(), one.state.is_up());
    let list = actions::component(one);
    let seen = if is_short {
        short(one.component)
    } else {
        long(one.component, &name)
    };
    let names = html! { <>{ icon(sign(one.component)) }<span class="n">{ &seen }</span></> };
    let said = match one.state {
        ComponentState::Up => "",
        ComponentState::Leader => " (leader)",
        ComponentState::Standby => " (standby)",
        ComponentState::Down => " (down)",
        ComponentState::Unreachable => " (unreachable)",
    };
    // That one of one leads goes without saying.
    let word = if up && one.state != ComponentState::Standby {
        ""
    } else {
        said
    };
    if idle || list.is_empty() {
        return html! { <span class={classes!("c", (!up).then_some("down"))} title={format!("{name}{said}")}>{ names }<span class="word">{ word }</span></span> };
    }
    let open = opens(ctl, &name, list);
    // The name on the button comes first: speech input uses it.
    let label = if name == seen {
        format!("{name}{said}")
    } else {
        format!("{seen}: {name}{said}")
    };
    html! {
        <button type="button" class={classes!("c", (!up).then_some("down"))} data-nav="rail" tabindex="-1" onclick={open} aria-haspopup="dialog" aria-label={label} title={format!("{name}{said}")}>
            { names }<span class="word">{ word }</span>
        </button>
    }
}

/// A name where there is room for it.
fn long(component: Component, name: &str) -> String {
    match component {
        Component::ApiServer => "API server".to_owned(),
        _ => name.to_owned(),
    }
}

fn sign(component: Component) -> &'static str {
    match component {
        Component::ApiServer => "server",
        Component::Etcd => "store",
        Component::Scheduler(_) => "sort",
        Component::ControllerManager(_) => "loop",
        Component::Attacher => "link",
        Component::Fencing => "shield",
    }
}
