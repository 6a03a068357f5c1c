//! The control plane at the top of the stage: its processes, where their wires begin, and broken guarantees.

use podscope_api::well_known::label;
use podscope_messages::{Message, plane, t};
use podscope_protocol::{
    BrokenInvariant, Component, ComponentState, ComponentView, ControlPlaneView, Micros, SubjectRef, cause_word,
};
use yew::prelude::*;

use super::icon;
use crate::browser;
use crate::ctl::Ctl;
use crate::pure::overview::Rect;
use crate::pure::stage::wires::ControlPlaneRects;
use crate::pure::{actions, clock};
use crate::state::{Act, MenuSubject, Shared, StateView};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) plane: Shared<ControlPlaneView>,
    /// Guarantees that were broken and hold again, each with the instant from which it holds.
    pub(crate) restored: Vec<(String, Micros)>,
    /// Number of nodes with at least one cut link.
    pub(crate) cut: usize,
    pub(crate) truth: StateView,
    pub(crate) run: Run,
    pub(crate) grouping: Grouping,
    pub(crate) layout: ControlPlaneLayout,
    /// The pending pods, which wait at the scheduler.
    pub(crate) children: Children,
}

/// Which run the control plane belongs to, if two runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    Only,
    /// The first run of a comparison. Its control plane has no menu for the shown state, because that menu is above
    /// both runs.
    First,
    /// The second run of a comparison. Its control plane has no controls.
    Second,
}

/// How nodes are grouped, and by which keys they could be grouped.
#[derive(Clone, PartialEq)]
pub(crate) struct Grouping {
    /// Label keys by which nodes can be grouped.
    pub(crate) keys: Shared<Vec<String>>,
    /// The label key by which nodes are grouped; empty for zones.
    pub(crate) key: String,
    /// Topology key of the selected pod's spread constraint.
    pub(crate) spread_key: Option<String>,
}

/// Positions of the processes, and what fits into their boxes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ControlPlaneLayout {
    pub(crate) rail: ControlPlaneRects,
    pub(crate) is_narrow: bool,
    /// The boxes show the short names of the processes.
    pub(crate) is_short: bool,
}

/// The views of the state that the user can choose: value, name and description.
const STATE_VIEWS: [(StateView, Message, Message); 3] = [
    (StateView::Api, plane::api, plane::api_hint),
    (StateView::Both, plane::both, plane::both_hint),
    (StateView::Machine, plane::machine, plane::machine_hint),
];

/// The control plane: scheduler, API server with etcd, controller-managers.
#[component]
pub(crate) fn ControlPlane(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let all = &props.plane.components;
    let part = |is: fn(Component) -> bool| {
        let ctl = &ctl;
        let short = props.layout.is_short || all.iter().filter(|view| is(view.component)).count() > 2;
        all.iter()
            .filter(move |view| is(view.component))
            .map(move |view| process_button(ctl, *view, props.run, short))
    };
    // The attach-detach controller and the fencing controller are drawn only while they are stopped.
    let down_helpers = all
        .iter()
        .filter(|view| matches!(view.component, Component::Attacher | Component::Fencing) && !view.state.is_up());
    let is_etcd_down = all
        .iter()
        .any(|view| view.component == Component::Etcd && !view.state.is_up());
    html! {
        <section class={classes!("rail", props.layout.is_narrow.then_some("narrow"))} aria-label={if props.run == Run::Second { t!(plane::control_plane_other_run) } else { t!(plane::control_plane) }}>
            <div class="machine queueing" ~style={growing_box_style(props.layout.rail.scheduler)}>
                { for part(|view| matches!(view, Component::Scheduler(_))) }
                { props.children.clone() }
            </div>
            <div class="machine api" ~style={super::scene::position_style(props.layout.rail.api)}>
                <span class="main">{ for part(|view| view == Component::ApiServer) }</span>
                { violation_chips(&ctl, props) }
                if !props.layout.rail.is_tiny || is_etcd_down { <span class="store">{ for part(|view| view == Component::Etcd) }</span> }
            </div>
            <div class="machine managing" ~style={super::scene::position_style(props.layout.rail.managers)}>
                { for part(|view| matches!(view, Component::ControllerManager(_))) }
                { for down_helpers.map(|view| process_button(&ctl, *view, props.run, true)) }
                if props.run != Run::Second && !props.layout.rail.is_tiny { { view_menu(&ctl, props) } }
            </div>
        </section>
    }
}

/// Style of a box that grows with its content up to the given width.
fn growing_box_style(rect: Rect) -> String {
    format!(
        "left:{:.1}px;top:{:.1}px;max-width:{:.1}px;height:{:.1}px",
        rect.x, rect.y, rect.w, rect.h
    )
}

/// Broken guarantees, and the button that heals several cuts at once.
fn violation_chips(ctl: &Ctl, props: &Props) -> Html {
    let all = &props.plane.broken;
    let are_restored = props.restored.len() == all.len();
    let heal = {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| ctl.run(actions::HEAL_ALL_COMMAND))
    };
    html! {
        <span class="troubles">
            { match all.as_slice() {
                [] => Html::default(),
                [only] => {
                    let restored_at = props.restored.iter().find(|(name, _)| *name == only.name);
                    let words = violation_text(only, restored_at.map(|(_, at)| *at));
                    if props.run == Run::Second {
                        html! { <span class="chip bad" title={podscope_api::visible(&only.seen.to_string()).into_owned()}>{ icon("shield") }{ words }</span> }
                    } else {
                        let select = ctl.select(SubjectRef::Invariant { name: only.name.clone() });
                        html! { <button type="button" class="chip bad" data-nav="rail" tabindex="-1" onclick={select} title={format!("{} ({}: {})", only.seen, cause_word(only.cause), only.by)}>{ icon("shield") }{ words }</button> }
                    }
                }
                [first, ..] => violations_chip(ctl, first, all.len(), are_restored, props.run),
            } }
            // A single cut is healed by the button at its node.
            if props.cut > 1 && props.run != Run::Second {
                <button type="button" class="chip heal" data-nav="rail" tabindex="-1" onclick={heal} title={format!("{}\n{}", t!(plane::heal_everything_hint, count = props.cut), actions::HEAL_ALL_COMMAND)}>{ icon("link") }<span class="n">{ t!(plane::heal_everything) }</span></button>
            }
        </span>
    }
}

/// The menu in the control plane's box: whose state the stage shows, how nodes are grouped, and the actions on all
/// control-plane processes.
fn view_menu(ctl: &Ctl, props: &Props) -> Html {
    let group = {
        let ctl = ctl.clone();
        Callback::from(move |event: Event| {
            let key = crate::browser::field_value_of(&event);
            ctl.act.emit(Act::Group(key));
        })
    };
    let is_changed = props.truth != StateView::Both || !props.grouping.key.is_empty();
    html! {
        <details class={classes!("view", is_changed.then_some("on"))}>
            <summary data-nav="rail" tabindex="-1" title={t!(plane::what_is_drawn)} aria-label={t!(plane::what_is_drawn)}>{ icon("eye") }</summary>
            <div>
                if props.run == Run::Only { <p>{ t!(plane::whose_picture) }</p>{ state_view_buttons(ctl, props.truth) } }
                if props.grouping.keys.len() > 1 {
                    <label class="group"><span>{ t!(plane::group_by) }</span>
                        <select aria-label={t!(plane::group_by_label)} onchange={group}>
                            <option value="" selected={props.grouping.key.is_empty()}>{ grouping_key_name(if props.grouping.keys.iter().any(|key| key == "zone") { t!(plane::zone_by_topology) } else { t!(plane::zone) }, props.grouping.spread_key.as_deref() == Some(label::ZONE)) }</option>
                            if let Some(key) = props.grouping.spread_key.as_ref().filter(|key| **key != label::ZONE && !props.grouping.keys.contains(key)) {
                                <option value={key.clone()} selected={*key == props.grouping.key}>{ key }</option>
                            }
                            { for props.grouping.keys.iter().filter(|key| **key != label::ZONE || props.grouping.key == label::ZONE).map(|key| html! {
                                <option value={key.clone()} selected={*key == props.grouping.key}>
                                    { grouping_key_name(if key == "zone" { t!(plane::zone_by_label) } else { key.clone() }, props.grouping.spread_key.as_ref() == Some(key)) }
                                </option>
                            }) }
                        </select>
                    </label>
                }
                { control_plane_button(ctl) }
            </div>
        </details>
    }
}

/// Returns the menu's text for a label key by which nodes can be grouped. `is_spread_key`: the selected pod's spread
/// constraint has this key.
fn grouping_key_name(key: String, is_spread_key: bool) -> String {
    if is_spread_key {
        t!(plane::key_of_constraint, key = key)
    } else {
        key
    }
}

/// The chip's text for a violation: its name, and where there is space, instant and duration.
fn violation_text(broken: &BrokenInvariant, restored_at: Option<Micros>) -> Html {
    let instant = clock::instant(broken.at);
    let (is, since) = restored_at.map_or_else(
        || {
            (
                t!(plane::broken, guarantee = broken.name),
                t!(plane::since, instant = instant),
            )
        },
        |at| {
            (
                t!(plane::was_broken, guarantee = broken.name),
                t!(
                    plane::since_for,
                    instant = instant,
                    duration = clock::rounded_duration(at - broken.at)
                ),
            )
        },
    );
    html! { <span class="n">{ is }<span class="since">{ format!(" {since}") }</span></span> }
}

/// The buttons that choose whose state the stage shows: the API server's, the machines', or both.
pub(super) fn state_view_buttons(ctl: &Ctl, chosen: StateView) -> Html {
    html! {
        <span class="truths" role="group" aria-label={t!(plane::whose_picture)}>
            { for STATE_VIEWS.into_iter().map(|(truth, name, about)| {
                let go = ctl.act.reform(move |_: MouseEvent| Act::StateView(truth));
                html! { <button type="button" class="quiet" aria-pressed={(chosen == truth).to_string()} onclick={go} title={about.text()}>{ name.text() }</button> }
            }) }
        </span>
    }
}

/// A chip that stands for several violations.
fn violations_chip(ctl: &Ctl, first: &BrokenInvariant, count: usize, are_restored: bool, run: Run) -> Html {
    let words = if are_restored {
        t!(plane::guarantees_were_broken, count = count)
    } else {
        t!(plane::guarantees_broken, count = count)
    };
    let words = html! { <>{ icon("shield") }{ count }<span class="n">{ format!(" {words}") }</span></> };
    if run == Run::Second {
        return html! { <span class="chip bad together">{ words }</span> };
    }
    let select = ctl.select(SubjectRef::Invariant {
        name: first.name.clone(),
    });
    html! { <button type="button" class="chip bad together" data-nav="rail" tabindex="-1" onclick={select}>{ words }</button> }
}

/// The button that opens the actions on all processes of the control plane.
fn control_plane_button(ctl: &Ctl) -> Html {
    let open = open_menu(ctl, MenuSubject::ControlPlane);
    html! { <button type="button" onclick={open} aria-haspopup="dialog">{ t!(plane::control_plane) }</button> }
}

fn open_menu(ctl: &Ctl, subject: MenuSubject) -> Callback<MouseEvent> {
    ctl.act
        .reform(move |event: MouseEvent| Act::Menu(subject.clone(), browser::menu_position(&event)))
}

/// The short name of a component, for narrow stages.
fn short_name(component: Component) -> String {
    let (name, instance) = match component {
        Component::ApiServer => (t!(plane::api_short), 0),
        Component::Etcd => ("etcd".to_owned(), 0),
        Component::Scheduler(instance) => (t!(plane::scheduler_short), instance),
        Component::ControllerManager(instance) => (t!(plane::controllers_short), instance),
        Component::Attacher => (t!(plane::attacher_short), 0),
        Component::Fencing => (t!(plane::fencing_short), 0),
    };
    match instance {
        0 => name,
        _ => format!("{name}/{instance}"),
    }
}

fn process_button(ctl: &Ctl, view: ComponentView, run: Run, is_short: bool) -> Html {
    let (name, up) = (view.component.to_string(), view.state.is_up());
    let has_actions = !actions::component(view).is_empty();
    let visible_name = if is_short {
        short_name(view.component)
    } else {
        long_name(view.component, &name)
    };
    let names = html! { <>{ icon(icon_name(view.component)) }<span class="n">{ &visible_name }</span></> };
    let state_suffix = match view.state {
        ComponentState::Up => String::new(),
        ComponentState::Leader => format!(" {}", t!(plane::leader)),
        ComponentState::Standby => format!(" {}", t!(plane::standby)),
        ComponentState::Down => format!(" {}", t!(plane::down)),
        ComponentState::Unreachable => format!(" {}", t!(plane::unreachable)),
    };
    // The state of a running component is only labelled if the component is on standby.
    let word = if up && view.state != ComponentState::Standby {
        String::new()
    } else {
        state_suffix.clone()
    };
    if run == Run::Second || !has_actions {
        return html! { <span class={classes!("c", (!up).then_some("down"))} title={format!("{name}{state_suffix}")}>{ names }<span class="word">{ word }</span></span> };
    }
    let open = open_menu(ctl, MenuSubject::Component(view.component));
    // The accessible name begins with the visible one, as speech input requires.
    let label = if name == visible_name {
        format!("{name}{state_suffix}")
    } else {
        format!("{visible_name}: {name}{state_suffix}")
    };
    html! {
        <button type="button" class={classes!("c", (!up).then_some("down"))} data-nav="rail" tabindex="-1" onclick={open} aria-haspopup="dialog" aria-label={label} title={format!("{name}{state_suffix}")}>
            { names }<span class="word">{ word }</span>
        </button>
    }
}

/// The long name of a component.
fn long_name(component: Component, name: &str) -> String {
    match component {
        Component::ApiServer => t!(plane::api_server),
        _ => name.to_owned(),
    }
}

fn icon_name(component: Component) -> &'static str {
    match component {
        Component::ApiServer => "server",
        Component::Etcd => "store",
        Component::Scheduler(_) => "sort",
        Component::ControllerManager(_) => "loop",
        Component::Attacher => "link",
        Component::Fencing => "shield",
    }
}
