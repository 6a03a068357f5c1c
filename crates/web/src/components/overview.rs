//! A big cluster as one picture: a square per node, a dot per pod, grouped by zone. The focused node is also drawn as
//! real markup beside its square, so that it can be read, reached by keyboard and acted on (U-09).

use std::rc::Rc;

use podscope_api::ConditionStatus;
use podscope_api::ordered::Set;
use podscope_messages::t;
use podscope_protocol::SubjectRef;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::emphasis::{NodeEmphasis, PodsEmphasis};
use super::node::{CardLayout, Node, card_label};
use super::picture::{PaintedCanvas, Scene, Zones};
use super::scene::pod_ids_where;
use super::wiring::zone_wires as draw_zone_wires;
use crate::browser::{self, display};
use crate::ctl::Ctl;
use crate::pure::clock;
use crate::pure::find::Filter;
use crate::pure::overview::{OverviewLayout, Rect, ZONE_TITLE_HEIGHT, overview_layout, pod_square_count};
use crate::pure::route::Theme;
use crate::pure::stage::{StageLengths, StageSize, single_node};
use crate::state::{Act, Model, NodeState, Shared, StateView};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) model: Shared<Model>,
    pub(crate) zone: Option<String>,
    pub(crate) key_name: String,
    pub(crate) selected: Option<SubjectRef>,
    pub(crate) look: PaintOptions,
    /// Ids of the pods that differ between the two compared runs.
    pub(crate) differing: Rc<Set<String>>,
    /// The size of the stage.
    pub(crate) room: StageSize,
}

/// Options for painting the picture of the cluster.
#[derive(Clone, PartialEq)]
pub(crate) struct PaintOptions {
    /// A change of the theme, or of the system's theme, repaints everything.
    pub(crate) theme: Theme,
    /// Nodes and pods that do not match the filter are dimmed.
    pub(crate) filter: Option<Shared<Filter>>,
    /// Whose view of the state is drawn: the API server's, the machines', or both.
    pub(crate) truth: StateView,
}

fn nodes_by_zone(props: &Props) -> Zones {
    let model = &props.model;
    model
        .groups
        .iter()
        .filter(|group| props.zone.as_ref().is_none_or(|zone| *zone == group.name))
        .map(|group| {
            (
                group.name.clone(),
                group
                    .nodes
                    .iter()
                    .filter_map(|name| model.nodes.get(name).cloned())
                    .collect(),
            )
        })
        .collect()
}

#[component]
pub(crate) fn Overview(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let canvas = use_node_ref();
    let focus = use_state(|| (0usize, 0usize));
    // True while the pointer is over a node, or after an arrow key moved the focus.
    let is_focus_shown = use_state(|| false);
    let zones = nodes_by_zone(props);
    let measures = StageLengths::of(props.room);
    let frame = Rect {
        x: measures.pad,
        y: measures.zones_top(),
        w: props.room.w - 2.0 * measures.pad,
        h: props.room.h - measures.zones_top() - measures.pad,
    };
    let plan = use_plan(&zones, (frame.w, frame.h));
    use_paint_picture(props, &canvas, &plan, &zones, *focus);
    let onmousemove = {
        let (plan, focus, is_focus_shown) = (plan.clone(), focus.clone(), is_focus_shown.setter());
        Callback::from(move |event: MouseEvent| {
            if let Some(node) = node_under_pointer(&plan, &event) {
                is_focus_shown.set(true);
                if node != *focus {
                    focus.set(node);
                }
            }
        })
    };
    let onmouseleave = {
        let is_focus_shown = is_focus_shown.setter();
        Callback::from(move |_: MouseEvent| is_focus_shown.set(false))
    };
    let onclick = {
        let (plan, ctl, zones) = (plan.clone(), ctl.clone(), zones.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(at) = node_under_pointer(&plan, &event) {
                select_node_at(&ctl, &zones, at);
            }
        })
    };
    let mark = use_node_ref();
    // Text for screen readers about the focused node. It is set when an arrow key moves the focus, and not updated when
    // the node changes.
    let announced = use_state(String::new);
    let onkeydown = arrow_key_handler(&plan, &zones, &focus, &ctl, {
        let (mark, announced, now, is_focus_shown) = (
            mark.clone(),
            announced.setter(),
            props.model.now,
            is_focus_shown.setter(),
        );
        move |node| {
            is_focus_shown.set(true);
            announced.set(card_label(node, now));
            scroll_into_view_after_drawing(&mark);
        }
    });
    let focused = node_at(&zones, *focus).cloned();
    let by_selection = selected_node(props);
    let is_found = use_focus_on_match(props, &zones, by_selection.as_ref(), &focus, &mark);
    let framed = plan.node(*focus);
    let shown = by_selection.or(focused.filter(|_| *is_focus_shown || is_found));
    html! {
        <>
        { zone_wires(&zones, &plan, &measures, frame, props.room) }
        <div class="overview" {onmouseleave} ~style={super::scene::position_style(frame)}>
            <div class="picture" role="application" tabindex="0" {onkeydown} aria-label={t!(overview::name, nodes = props.model.nodes.size(), groups = zones.len())}>
                <canvas ref={canvas} {onmousemove} {onclick} aria-hidden="true"></canvas>
                <i ref={mark} ~style={format!("left:{}px;top:{}px;width:{2}px;height:{2}px", framed.x, framed.y, framed.w)}></i>
            </div>
            <p class="sr" role="status">{ (*announced).clone() }</p>
            { zone_list(&zones, &plan, &props.key_name, &ctl) }
            if props.zone.is_some() { <button type="button" class="zoom-back" onclick={ctl.act.reform(|_: MouseEvent| Act::Zone(None))}>{ t!(overview::all_groups) }</button> }
            if let Some(node) = shown { { focus_card(props, &measures, frame, framed, &node) } }
        </div>
        </>
    }
}

/// A wire to each zone; the wire has a gap if all of the zone's nodes are cut off.
fn zone_wires(zones: &Zones, plan: &OverviewLayout, measures: &StageLengths, frame: Rect, room: StageSize) -> Html {
    let cut: Vec<bool> = (zones.iter())
        .map(|(_, nodes)| !nodes.is_empty() && nodes.iter().all(|node| !node.view.machine.cuts.is_empty()))
        .collect();
    let places: Vec<Rect> = (plan.zones.iter())
        .map(|zone| Rect {
            x: zone.x + frame.x,
            y: zone.y + frame.y,
            ..*zone
        })
        .collect();
    draw_zone_wires(measures, room, &places, &cut)
}

/// The card of the focused node, beside its square.
fn focus_card(props: &Props, measures: &StageLengths, frame: Rect, node: Rect, shown: &Shared<NodeState>) -> Html {
    let unit = measures.unit;
    let (w, h, gap) = (
        (270.0 * unit).min(frame.w - 8.0),
        (190.0 * unit).min(frame.h - 8.0),
        14.0 * unit,
    );
    let right = node.x + node.w + gap;
    let x = if right + w <= frame.w {
        right
    } else {
        (node.x - gap - w).max(0.0)
    };
    let y = (node.y - 20.0 * unit).clamp(0.0, (frame.h - h).max(0.0));
    let rect = Rect { x: 0.0, y: 0.0, w, h };
    let n_marks = shown.pods.len() + shown.nominated.len();
    let selected_pod = match &props.selected {
        Some(SubjectRef::Pod { key, uid }) => props.model.pod(key, uid).map(|pod| pod.id.clone()),
        _ => None,
    };
    let differing = pod_ids_where(shown.pods.iter(), |id| props.differing.contains(id));
    let layout = CardLayout {
        plan: single_node(measures, rect, n_marks),
        measures: *measures,
        slots: (0..n_marks).collect(),
        by_memory: false,
    };
    let emphasis = NodeEmphasis {
        pods: PodsEmphasis {
            selected: selected_pod,
            differing,
            filter: props.look.filter.clone(),
            ..PodsEmphasis::default()
        },
        ..NodeEmphasis::default()
    };
    let devices = props.model.devices.get(&shown.view.name).cloned().unwrap_or_default();
    html! {
        <div class="beside" ~style={super::scene::position_style(Rect { x, y, w, h })}>
            <Node node={shown.clone()} {devices} owners={props.model.owners.clone()} now={props.model.now} truth={props.look.truth} {layout} {emphasis} />
        </div>
    }
}

/// The selected node, or the node of the selected pod, if it matches the filter.
fn selected_node(props: &Props) -> Option<Shared<NodeState>> {
    let node = match props.selected.as_ref()? {
        SubjectRef::Node { name } => props.model.nodes.get(name)?,
        SubjectRef::Pod { key, uid } => props.model.nodes.get(&props.model.pod(key, uid)?.node)?,
        _ => return None,
    };
    let matches_filter = props
        .look
        .filter
        .as_ref()
        .is_none_or(|filter| filter.finds_node_or_pod_on_it(node));
    matches_filter.then(|| node.clone())
}

/// Moves the focus to the selection, or else to the first match of the filter. Returns whether the filter matches a
/// node.
#[hook]
fn use_focus_on_match(
    props: &Props,
    zones: &Zones,
    node: Option<&Shared<NodeState>>,
    focus: &UseStateHandle<(usize, usize)>,
    focus_frame: &NodeRef,
) -> bool {
    let filter = props.look.filter.clone();
    let found = use_memo(filter.clone(), |filter| {
        filter
            .as_ref()
            .and_then(|filter| find_node(zones, |node| filter.finds_node_or_pod_on_it(node)))
    });
    let at = node.map_or(*found, |node| {
        find_node(zones, |other| other.view.name == node.view.name)
    });
    let (focus, focus_frame) = (focus.setter(), focus_frame.clone());
    use_effect_with((props.selected.clone(), filter, at), move |(.., at)| {
        if let Some(at) = at {
            focus.set(*at);
            scroll_into_view_after_drawing(&focus_frame);
        }
    });
    found.is_some()
}

/// Zone and index of the first node that satisfies a predicate.
fn find_node(zones: &Zones, predicate: impl Fn(&NodeState) -> bool) -> Option<(usize, usize)> {
    let index_in = |nodes: &[Shared<NodeState>]| nodes.iter().position(|node| predicate(node));
    (zones.iter().enumerate()).find_map(|(zone_index, (_, nodes))| Some((zone_index, index_in(nodes)?)))
}

/// Scrolls to the frame around the focused node, after the frame is drawn.
fn scroll_into_view_after_drawing(mark: &NodeRef) {
    let mark = mark.clone();
    browser::after_drawing(move || mark.cast().iter().for_each(browser::scroll_into_view));
}

/// Computes the layout of the picture for the available size.
#[hook]
fn use_plan(zones: &Zones, size: (f64, f64)) -> Rc<OverviewLayout> {
    let max_pods = zones
        .iter()
        .flat_map(|(_, nodes)| nodes.iter().map(|node| node.pods.len()))
        .max()
        .unwrap_or(1);
    let counts: Vec<usize> = zones.iter().map(|(_, nodes)| nodes.len()).collect();
    let squares_before = use_mut_ref(|| 0);
    let squares = pod_square_count(*squares_before.borrow(), max_pods);
    *squares_before.borrow_mut() = squares;
    use_memo((counts, squares, size), |(counts, squares, (w, h))| {
        overview_layout(counts, *squares, w.max(60.0), h.max(60.0))
    })
}

/// Paints the changed parts after each render.
#[hook]
fn use_paint_picture(props: &Props, canvas: &NodeRef, plan: &Rc<OverviewLayout>, zones: &Zones, focus: (usize, usize)) {
    let painted = use_mut_ref(PaintedCanvas::default);
    let dark = use_state(display::is_dark);
    {
        let dark = dark.setter();
        use_effect_with((), move |()| {
            let observation = display::Observation::observe_dark_scheme(move |is_dark| dark.set(is_dark));
            move || drop(observation)
        });
    }
    let (canvas, model) = (canvas.clone(), props.model.clone());
    let scene = Scene {
        plan: plan.clone(),
        zones: zones.clone(),
        focus,
        tint: (props.look.theme, *dark),
        filter: props.look.filter.clone(),
        truth: props.look.truth,
        differing: props.differing.clone(),
        owners: model.owners.clone(),
    };
    use_effect(move || {
        if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
            painted.borrow_mut().draw(&canvas, scene);
        }
    });
}

fn node_under_pointer(plan: &OverviewLayout, event: &MouseEvent) -> Option<(usize, usize)> {
    plan.node_at(f64::from(event.offset_x()), f64::from(event.offset_y()))
}

fn node_at(zones: &Zones, (z, n): (usize, usize)) -> Option<&Shared<NodeState>> {
    zones.get(z)?.1.get(n)
}

fn select_node_at(ctl: &Ctl, zones: &Zones, at: (usize, usize)) {
    if let Some(node) = node_at(zones, at) {
        ctl.act.emit(Act::Select(Some(SubjectRef::Node {
            name: node.view.name.clone(),
        })));
    }
}

fn arrow_key_handler(
    plan: &Rc<OverviewLayout>,
    zones: &Zones,
    focus: &UseStateHandle<(usize, usize)>,
    ctl: &Ctl,
    on_arrival: impl Fn(&NodeState) + 'static,
) -> Callback<KeyboardEvent> {
    let (plan, zones, focus, ctl) = (plan.clone(), zones.clone(), focus.clone(), ctl.clone());
    Callback::from(move |event: KeyboardEvent| {
        let here = plan.node(*focus);
        let step = |dx: f64, dy: f64| nearest_node(&plan, here, dx, dy);
        let next = match event.key().as_str() {
            "ArrowRight" => step(1.0, 0.0),
            "ArrowLeft" => step(-1.0, 0.0),
            "ArrowDown" => step(0.0, 1.0),
            "ArrowUp" => step(0.0, -1.0),
            "Enter" => {
                select_node_at(&ctl, &zones, *focus);
                None
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(next) = next {
            focus.set(next);
            node_at(&zones, next).into_iter().for_each(|node| on_arrival(node));
        }
    })
}

/// The titles of the zones, each above its zone.
fn zone_list(zones: &Zones, plan: &OverviewLayout, key_name: &str, ctl: &Ctl) -> Html {
    html! {
        <ul class="zone-list" aria-label={t!(overview::groups)}>
            { for zones.iter().zip(&plan.zones).map(|((name, nodes), rect)| {
                let zone = name.clone();
                let go = ctl.act.reform(move |_: MouseEvent| Act::Zone(Some(zone.clone())));
                let pods: usize = nodes.iter().map(|node| node.pods.len()).sum();
                let bad = nodes.iter().filter(|node| node.view.ready != ConditionStatus::True).count();
                let title = Rect { h: ZONE_TITLE_HEIGHT, ..*rect };
                html! { <li data-zone={name.clone()} ~style={super::scene::position_style(title)}><h2><button type="button" class="quiet" onclick={go} title={t!(overview::group_hint, nodes = nodes.len(), pods = pods)}><b>{ t!(zone::name, key = key_name, value = name) }</b>
                    if bad > 0 { <span class="chip bad">{ t!(overview::not_ready, count = bad) }</span> }<span class="mono">{ clock::count_in_digit_groups(pods as u64) }<span class="sr">{ " " }{ t!(overview::pods) }</span></span></button></h2></li> }
            }) }
        </ul>
    }
}

fn nearest_node(plan: &OverviewLayout, here: Rect, dx: f64, dy: f64) -> Option<(usize, usize)> {
    let mut best: Option<(f64, (usize, usize))> = None;
    for (zone_index, nodes) in plan.nodes.iter().enumerate() {
        for (node_index, rect) in nodes.iter().enumerate() {
            let (vx, vy) = (rect.x - here.x, rect.y - here.y);
            let along = vx * dx + vy * dy;
            let across = (vx * dy).abs() + (vy * dx).abs();
            if along > 1.0 && across <= along * 2.0 {
                let far = along + across * 3.0;
                if best.is_none_or(|(least, _)| far < least) {
                    best = Some((far, (zone_index, node_index)));
                }
            }
        }
    }
    best.map(|(_, at)| at)
}
