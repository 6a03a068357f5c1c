//! A big cluster as one picture: a square a node, a dot a pod, by zone. What is looked at is
//! real markup beside it, so it can be read, reached by keyboard and acted on (U-09).

use podscope_api::ordered::{self, Set};
use std::rc::Rc;

use podscope_protocol::{OwnerView, PodMark, SubjectRef};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use yew::prelude::*;

use super::node::Node;
use crate::browser::sight;
use crate::ctl::Ctl;
use crate::pure::belief;
use crate::pure::find::Filter;
use crate::pure::overview::{Plan, Rect, plan, room};
use crate::pure::route::Theme;
use crate::state::{Act, HUES, Model, NodeState, Shared, Truth};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) model: Shared<Model>,
    pub(crate) zone: Option<String>,
    pub(crate) key_name: String,
    pub(crate) selected: Option<SubjectRef>,
    /// Another one, or another one of the system's, paints anew.
    pub(crate) theme: Theme,
    /// What does not match is painted dimly.
    pub(crate) filter: Option<Shared<Filter>>,
    /// Whose picture it is.
    pub(crate) truth: Truth,
    /// Ids of pods that another run beside this one does not have so.
    pub(crate) differing: Rc<Set<String>>,
}

type Zones = Vec<(String, Vec<Shared<NodeState>>)>;

fn zones(props: &Props) -> Zones {
    let model = &props.model;
    model
        .groups
        .iter()
        .filter(|g| props.zone.as_ref().is_none_or(|z| *z == g.name))
        .map(|g| {
            (
                g.name.clone(),
                g.nodes.iter().filter_map(|n| model.nodes.get(n).cloned()).collect(),
            )
        })
        .collect()
}

/// The picture and the card of what has the focus.
#[component]
pub(crate) fn Overview(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let canvas = use_node_ref();
    let focus = use_state(|| (0usize, 0usize));
    let size = use_state(|| (0.0f64, 0.0f64));
    let painted = use_mut_ref(Painted::default);
    let zones = zones(props);
    let most = zones
        .iter()
        .flat_map(|(_, n)| n.iter().map(|n| n.pods.len()))
        .max()
        .unwrap_or(1);
    let counts: Vec<usize> = zones.iter().map(|(_, n)| n.len()).collect();
    let room_before = use_mut_ref(|| 0);
    let room = room(*room_before.borrow(), most);
    *room_before.borrow_mut() = room;
    let plan = use_memo((counts, room, *size), |(counts, room, (w, h))| {
        plan(counts, *room, w.max(200.0), h.max(200.0))
    });
    {
        let (canvas, size) = (canvas.clone(), size.setter());
        use_effect_with((), move |()| {
            let room = canvas.cast::<HtmlCanvasElement>().and_then(|c| c.parent_element());
            let watch = room.and_then(|room| sight::Watch::size(&room, move |w, h| size.set((w, h))));
            move || drop(watch)
        });
    }
    let dark = use_state(sight::is_dark);
    {
        let dark = dark.setter();
        use_effect_with((), move |()| {
            let watch = sight::Watch::scheme(move |is_dark| dark.set(is_dark));
            move || drop(watch)
        });
    }
    {
        let (canvas, plan, zones, focus) = (canvas.clone(), plan.clone(), zones.clone(), *focus);
        let (model, painted, tint) = (props.model.clone(), painted.clone(), (props.theme, *dark));
        let (filter, truth, differing) = (props.filter.clone(), props.truth, props.differing.clone());
        use_effect(move || {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                draw(
                    &canvas,
                    &mut painted.borrow_mut(),
                    &plan,
                    &zones,
                    focus,
                    &model,
                    Look {
                        tint,
                        filter,
                        truth,
                        differing,
                    },
                );
            }
        });
    }
    let onmousemove = {
        let (plan, focus) = (plan.clone(), focus.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(node) = plan
                .node_at(f64::from(event.offset_x()), f64::from(event.offset_y()))
                .filter(|n| *n != *focus)
            {
                focus.set(node);
            }
        })
    };
    let onclick = {
        let (plan, ctl, zones) = (plan.clone(), ctl.clone(), zones.clone());
        Callback::from(move |event: MouseEvent| {
            let node = plan
                .node_at(f64::from(event.offset_x()), f64::from(event.offset_y()))
                .and_then(|(z, n)| zones.get(z)?.1.get(n).cloned());
            if let Some(node) = node {
                ctl.act.emit(Act::Select(Some(SubjectRef::Node {
                    name: node.view.name.clone(),
                })));
            }
        })
    };
    let onkeydown = {
        let (plan, focus, ctl, zones) = (plan.clone(), focus.clone(), ctl.clone(), zones.clone());
        Callback::from(move |event: KeyboardEvent| {
            let (z, n) = *focus;
            let here = plan
                .nodes
                .get(z)
                .and_then(|nodes| nodes.get(n))
                .copied()
                .unwrap_or_default();
            let step = |dx: f64, dy: f64| nearest(&plan, here, dx, dy);
            let next = match event.key().as_str() {
                "ArrowRight" => step(1.0, 0.0),
                "ArrowLeft" => step(-1.0, 0.0),
                "ArrowDown" => step(0.0, 1.0),
                "ArrowUp" => step(0.0, -1.0),
                "Enter" => {
                    if let Some(node) = zones.get(z).and_then(|(_, nodes)| nodes.get(n)) {
                        ctl.act.emit(Act::Select(Some(SubjectRef::Node {
                            name: node.view.name.clone(),
                        })));
                    }
                    None
                }
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            if let Some(next) = next {
                focus.set(next);
            }
        })
    };
    let focused = zones.get(focus.0).and_then(|(_, nodes)| nodes.get(focus.1)).cloned();
    let by_selection = match &props.selected {
        Some(SubjectRef::Node { name }) => props.model.nodes.get(name).cloned(),
        Some(SubjectRef::Pod { key, uid }) => props
            .model
            .pod(key, uid)
            .and_then(|p| props.model.nodes.get(&p.node).cloned()),
        _ => None,
    };
    {
        // The picture's frame, and where the arrows go on, follow what is selected.
        let at = by_selection.as_ref().and_then(|node| {
            let of = |(_, nodes): &(String, Vec<Shared<NodeState>>)| {
                nodes.iter().position(|n| n.view.name == node.view.name)
            };
            zones.iter().enumerate().find_map(|(z, zone)| Some((z, of(zone)?)))
        });
        let focus = focus.setter();
        use_effect_with((props.selected.clone(), at), move |(_, at)| {
            at.iter().for_each(|at| focus.set(*at))
        });
    }
    let shown = by_selection.or(focused);
    html! {
        <div class="overview">
            <div class="picture" role="group" tabindex="0" {onkeydown} aria-label={format!("{} nodes in {} groups; arrows go from node to node, Enter selects", props.model.nodes.size(), zones.len())}>
                <canvas ref={canvas} {onmousemove} {onclick} aria-hidden="true"></canvas>
            </div>
            <div class="beside">
                <ul class="zone-list" aria-label="Groups">
                    { for zones.iter().map(|(name, nodes)| {
                        let zone = name.clone();
                        let go = ctl.act.reform(move |_: MouseEvent| Act::Zone(Some(zone.clone())));
                        let pods: usize = nodes.iter().map(|n| n.pods.len()).sum();
                        let bad = nodes.iter().filter(|n| n.view.ready != "True").count();
                        html! { <li data-zone={name.clone()}><button type="button" class="quiet" onclick={go} title="Look at this one only"><b>{ format!("{} {name}", props.key_name) }</b>
                            <span>{ format!("{} nodes, {pods} pods", nodes.len()) }</span>if bad > 0 { <span class="chip bad">{ format!("{bad} not ready") }</span> }</button></li> }
                    }) }
                </ul>
                if props.zone.is_some() { <button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Zone(None))}>{ "All groups" }</button> }
                if let Some(node) = shown {
                    <Node node={node.clone()} owners={props.model.owners.clone()} now={props.model.now} truth={props.truth} filter={props.filter.clone()} differing={(node.pods.iter()).filter(|p| props.differing.contains(&p.id)).map(|p| p.id.clone()).collect::<Vec<_>>()}
                        selected_pod={match &props.selected { Some(SubjectRef::Pod { key, uid }) => props.model.pod(key, uid).map(|p| p.id.clone()), _ => None }} />
                }
            </div>
        </div>
    }
}

fn nearest(plan: &Plan, here: Rect, dx: f64, dy: f64) -> Option<(usize, usize)> {
    let mut best: Option<(f64, (usize, usize))> = None;
    for (z, nodes) in plan.nodes.iter().enumerate() {
        for (n, r) in nodes.iter().enumerate() {
            let (vx, vy) = (r.x - here.x, r.y - here.y);
            let along = vx * dx + vy * dy;
            let across = (vx * dy).abs() + (vy * dx).abs();
            if along > 1.0 && across <= along * 2.0 {
                let far = along + across * 3.0;
                if best.is_none_or(|(b, _)| far < b) {
                    best = Some((far, (z, n)));
                }
            }
        }
    }
    best.map(|(_, at)| at)
}

/// What the canvas shows: only nodes that are other ones now are painted again.
#[derive(Default)]
struct Painted {
    plan: Rc<Plan>,
    /// The theme that it was painted in, whether the system's was dark then, and its colours.
    tint: Option<(Theme, bool)>,
    colours: Colours,
    owners: Shared<ordered::Map<String, OwnerView>>,
    nodes: Vec<Vec<Shared<NodeState>>>,
    focus: (usize, usize),
    filter: Option<Shared<Filter>>,
    truth: Truth,
    differing: Rc<Set<String>>,
}

/// In what light it is painted.
struct Look {
    /// The theme, and whether the system's is dark.
    tint: (Theme, bool),
    /// What does not match is painted dimly.
    filter: Option<Shared<Filter>>,
    /// Whose picture it is.
    truth: Truth,
    /// Pods to be outlined.
    differing: Rc<Set<String>>,
}

#[derive(Default)]
struct Colours {
    ink: String,
    hues: Vec<String>,
    panel: String,
    card: String,
    line: String,
    bad: String,
    ghost: String,
    accent: String,
}

fn draw(
    canvas: &HtmlCanvasElement,
    painted: &mut Painted,
    plan: &Rc<Plan>,
    zones: &Zones,
    focus: (usize, usize),
    model: &Model,
    look: Look,
) {
    let Look {
        tint,
        filter,
        truth,
        differing,
    } = look;
    let Some(window) = crate::browser::window() else { return };
    let ratio = window.device_pixel_ratio();
    let width = plan.zones.iter().map(|z| z.x + z.w).fold(0.0, f64::max);
    let (w, h) = ((width * ratio) as u32, (plan.height * ratio) as u32);
    let recoloured = painted.tint != Some(tint);
    let fresh = canvas.width() != w
        || canvas.height() != h
        || !Rc::ptr_eq(&painted.plan, plan)
        || recoloured
        || painted.filter != filter
        || painted.truth != truth
        || is_recoloured(&painted.owners, &model.owners)
        || painted.nodes.len() != zones.len();
    let others = zones.iter().zip(&painted.nodes).any(|((_, now), before)| now != before);
    painted.owners = model.owners.clone();
    let differs_anew = painted.differing != differing;
    let is_outlined_anew = |node: &NodeState| {
        differs_anew && (node.pods.iter()).any(|pod| painted.differing.contains(&pod.id) != differing.contains(&pod.id))
    };
    if !fresh && !others && !differs_anew && focus == painted.focus {
        return;
    }
    let Some(context) = canvas
        .get_context("2d")
        .ok()
        .flatten()
        .and_then(|c| c.dyn_into::<CanvasRenderingContext2d>().ok())
    else {
        return;
    };
    if fresh {
        canvas.set_width(w);
        canvas.set_height(h);
        drop(web_sys::HtmlElement::style(canvas).set_property("width", &format!("{width}px")));
        drop(web_sys::HtmlElement::style(canvas).set_property("height", &format!("{}px", plan.height)));
        if recoloured {
            painted.colours = colours(canvas);
        }
    }
    let colours = &painted.colours;
    drop(context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0));
    // One path a colour: setting a colour costs more than drawing with it.
    let paint = |colour: &str, rects: &[Rect]| {
        context.set_fill_style_str(colour);
        context.begin_path();
        rects.iter().for_each(|r| context.rect(r.x, r.y, r.w, r.h));
        context.fill();
    };
    let frame = |colour: &str, width: f64, rects: &[Rect]| {
        context.set_stroke_style_str(colour);
        context.set_line_width(width);
        context.begin_path();
        rects
            .iter()
            .for_each(|r| context.rect(r.x + 0.5, r.y + 0.5, (r.w - 1.0).max(1.0), (r.h - 1.0).max(1.0)));
        context.stroke();
    };
    let (mut cards, mut unwell, mut holding) = (Vec::new(), Vec::new(), Vec::new());
    let mut filled = vec![Vec::new(); colours.hues.len()];
    let mut outlined = vec![Vec::new(); colours.hues.len()];
    let (mut ghosts, mut failing) = (Vec::new(), Vec::new());
    let (mut left_out, mut unlike) = (Vec::new(), Vec::new());
    for (z, ((_, nodes), rects)) in zones.iter().zip(&plan.nodes).enumerate() {
        for (n, (node, rect)) in nodes.iter().zip(rects).enumerate() {
            let refocused = focus != painted.focus && (focus == (z, n) || painted.focus == (z, n));
            if !fresh && !refocused && painted.nodes[z].get(n) == Some(node) && !is_outlined_anew(node) {
                continue;
            }
            cards.push(*rect);
            if belief::is_unwell(&node.view, truth) {
                unwell.push(*rect);
            }
            for (k, pod) in node.pods.iter().enumerate().take(plan.per_row * plan.per_row) {
                let r = plan.pod_rect(*rect, k);
                let inner = Rect {
                    x: r.x + 0.5,
                    y: r.y + 0.5,
                    w: (r.w - 1.0).max(1.0),
                    h: (r.h - 1.0).max(1.0),
                };
                if differing.contains(&pod.id) {
                    unlike.push(around(r, 1.0));
                }
                let hue = usize::from(model.owners.get(&pod.owner).map_or(HUES, |o| o.hue % HUES));
                let found = (filter.as_ref()).is_none_or(|f| f.finds_pod(pod) || f.finds_node(&node.view));
                if !found {
                    left_out.push(Rect {
                        x: inner.x + inner.w / 3.0,
                        y: inner.y + inner.h / 3.0,
                        w: inner.w / 3.0,
                        h: inner.h / 3.0,
                    });
                    continue;
                }
                let Some(mark) = belief::mark(pod, &node.view, truth) else {
                    continue;
                };
                // What is looked for is seen from afar, as is the square that holds it.
                let inner = if filter.is_some() { around(inner, 0.75) } else { inner };
                if filter.is_some() && holding.last() != Some(rect) {
                    holding.push(*rect);
                }
                match mark {
                    PodMark::Ghost => ghosts.push(inner),
                    PodMark::Starting | PodMark::Pending => outlined[hue].push(inner),
                    PodMark::NotReady | PodMark::Terminating | PodMark::Unconfirmed => filled[hue].push(Rect {
                        h: inner.h / 2.0,
                        ..inner
                    }),
                    PodMark::CrashLoop | PodMark::Failed => {
                        filled[hue].push(inner);
                        failing.push(Rect {
                            x: inner.x + inner.w / 2.0,
                            w: inner.w / 2.0,
                            h: inner.h / 2.0,
                            ..inner
                        });
                    }
                    PodMark::Ready | PodMark::Succeeded => filled[hue].push(inner),
                }
            }
        }
    }
    if fresh {
        paint(&colours.panel, &plan.zones);
        context.set_fill_style_str(&colours.ink);
        context.set_font("600 13px system-ui, sans-serif");
        for (zone, (name, _)) in plan.zones.iter().zip(zones) {
            drop(context.fill_text(name, zone.x + 10.0, zone.y + 18.0));
        }
    } else {
        // The focus' frame stands around its card.
        let wider: Vec<Rect> = cards.iter().map(|r| around(*r, 2.0)).collect();
        paint(&colours.panel, &wider);
    }
    paint(&colours.card, &cards);
    frame(&colours.line, 1.0, &cards);
    frame(&colours.ink, 1.0, &holding);
    frame(&colours.bad, 2.0, &unwell);
    for (hue, colour) in colours.hues.iter().enumerate() {
        paint(colour, &filled[hue]);
        frame(colour, 1.0, &outlined[hue]);
    }
    paint(&colours.line, &left_out);
    paint(&colours.bad, &failing);
    frame(&colours.ghost, 1.0, &ghosts);
    // In no owner's colour.
    frame(&colours.ink, 2.0, &unlike);
    if let Some(r) = plan.nodes.get(focus.0).and_then(|n| n.get(focus.1)) {
        frame(&colours.accent, 2.0, &[around(*r, 1.5)]);
    }
    painted.plan = plan.clone();
    painted.tint = Some(tint);
    painted.nodes = zones.iter().map(|(_, nodes)| nodes.clone()).collect();
    painted.focus = focus;
    painted.filter = filter;
    painted.truth = truth;
    painted.differing = differing;
}

/// A rectangle that much larger on each side.
fn around(r: Rect, by: f64) -> Rect {
    Rect {
        x: r.x - by,
        y: r.y - by,
        w: r.w + 2.0 * by,
        h: r.h + 2.0 * by,
    }
}

/// Whether an owner whose pods are painted has another colour now.
fn is_recoloured(
    before: &Shared<ordered::Map<String, OwnerView>>,
    now: &Shared<ordered::Map<String, OwnerView>>,
) -> bool {
    before != now && before.iter().any(|(id, o)| now.get(id).is_some_and(|n| n.hue != o.hue))
}

/// The value that the style sheet gives the canvas.
fn used(canvas: &HtmlCanvasElement, property: &str) -> String {
    crate::browser::window()
        .and_then(|w| w.get_computed_style(canvas).ok().flatten())
        .and_then(|style| style.get_property_value(property).ok())
        .unwrap_or_default()
}

/// The tokens of the theme as a canvas understands them: read from an element that has each as its
/// colour, because `light-dark()` means nothing to it.
fn colours(canvas: &HtmlCanvasElement) -> Colours {
    let ink = used(canvas, "color");
    let style = web_sys::HtmlElement::style(canvas);
    let token = |name: &str| {
        drop(style.set_property("color", &format!("var(--{name})")));
        used(canvas, "color")
    };
    let colours = Colours {
        ink,
        hues: (0..=HUES).map(|i| token(&format!("h{i}"))).collect(),
        panel: token("zone"),
        card: token("raised"),
        line: token("line"),
        bad: token("bad"),
        ghost: token("ghost"),
        accent: token("accent"),
    };
    drop(style.remove_property("color"));
    colours
}
