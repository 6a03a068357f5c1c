//! The stage: control plane, pending pods, zones with nodes. One listener of each
//! kind for all of it; what was touched is read from the marks' `data-` attributes.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_api::ordered::{self, Set};

use gloo_timers::callback::Timeout;
use podscope_protocol::{GroupView, Request, SubjectRef};
use web_sys::Element;
use yew::prelude::*;

use super::hands::{click, drop_pod, menu_of};
use super::icon;
use super::node::Node;
use super::overview::Overview;
use super::plane::Plane;
use super::shown::shown;
use super::story::{told_of, told_on};
use super::timeline::branch_name;
use super::tray::Tray;
use super::versus::Versus;
use super::zone::Zone;
use crate::browser::drag::{self, Drag, End, Went};
use crate::browser::{self, closest, flight, focus};
use crate::ctl::Ctl;
use crate::pure::compare;
use crate::pure::overview::{NODES_IN_DOM, PODS_IN_DOM};
use crate::state::{Act, Dialog, Model, NodeState, Page, Shared};

/// From so many nodes on, cards are small.
const FULL_CARDS: usize = 24;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The region.
#[component]
pub(crate) fn Cluster(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let root = use_node_ref();
    use_flight(page, &root);
    let hand = use_hand(&root);
    let (onclick, oncontextmenu) = (hand.click(&ctl, page), hand.menu(&ctl, page));
    let (onpointerdown, onpointermove) = (hand.down(), hand.go(&ctl, page));
    let (onpointerup, onpointercancel) = (hand.up(&ctl, page), hand.cancel());
    let onkeydown = arrows(&root);
    html! {
        <main id="stage" class="cluster" ref={root} tabindex="-1" aria-label="Cluster"
            {onclick} {oncontextmenu} {onkeydown} {onpointerdown} {onpointermove} {onpointerup} {onpointercancel}>
            if page.opened.is_none() {
                <div class="hollow" role="status">
                    { match &page.progress {
                        Some((task, part)) => html! { <>{ task.word() }<progress max="1000" value={part.to_string()} aria-label={task.word()}></progress></> },
                        None => html! { "Starting the cluster…" },
                    } }
                </div>
            } else if let Some(other) = &page.other {
                <Versus page={page.clone()} other={other.clone()} />
                <div class="runs" ~style={format!("--rows:{}", rows(page, &page.model).max(rows(page, other)))}>
                    <div class="side-a">
                        <h2 class="versus"><span class="eyebrow" title="The timeline below, its lanes and the story are this run's">{ "This run, and its lanes" }</span>{ shown(&titles(&page.model, other).0) }</h2>
                        { run(page, &page.model, Some(other), false, &ctl) }
                    </div>
                    <div class="side-b" data-other="">
                        <h2 class="versus"><span class="eyebrow">{ "Same seed" }</span>{ shown(&titles(&page.model, other).1) }
                            <button type="button" class="chip" data-end="" onclick={ctl.on(Request::Compare { other: None })} aria-label="End the comparison">{ "End" }</button></h2>
                        { run(page, other, Some(&page.model), true, &ctl) }
                    </div>
                </div>
            } else {
                { run(page, &page.model, None, false, &ctl) }
            }
            <div class="bin" data-drop={drag::BIN} aria-hidden="true">
                { icon("bin") }<span class="soft">{ "Delete: it gets its grace period" }</span><span class="hard">{ "Force delete: the name is free at once" }</span>
            </div>
        </main>
    }
}

/// Pods that have come to another node are seen to go there.
#[hook]
fn use_flight(page: &Shared<Page>, root: &NodeRef) {
    // Where marks were before this render: the document still shows the last one.
    let places = use_mut_ref(flight::Places::new);
    let last_moved = use_mut_ref(|| page.model.moved.clone());
    if *last_moved.borrow() != page.model.moved {
        *last_moved.borrow_mut() = page.model.moved.clone();
        // In a big cluster motion explains nothing, and looking for places costs a layout.
        let few = page.model.nodes.size() <= FULL_CARDS && !browser::calm();
        if let Some(root) = root.cast::<Element>().filter(|_| few) {
            *places.borrow_mut() = flight::places(&root, &page.model.moved);
        }
    }
    let reads = page.opened.as_ref().is_some_and(|opened| !opened.story.is_empty());
    let root = root.clone();
    use_effect_with(page.model.moved.clone(), move |moved| {
        // Who reads a story on a phone sees a few lines of the cluster: those in which it happens.
        if let ([only], true, Some(root)) = (&***moved, reads && browser::is_phone(), root.cast::<Element>()) {
            flight::show(&root, only);
        }
        let from = std::mem::take(&mut *places.borrow_mut());
        if let (false, Some(root)) = (from.is_empty(), root.cast::<Element>()) {
            flight::fly(&root, &from);
        }
    });
}

/// Arrows go from mark to mark, except in a field that has its own use for them.
fn arrows(root: &NodeRef) -> Callback<KeyboardEvent> {
    let root = root.clone();
    Callback::from(move |event: KeyboardEvent| {
        let arrow = event.key().starts_with("Arrow") && !event.alt_key() && !event.ctrl_key() && !event.meta_key();
        let field = closest(event.target(), "role").is_some_and(|(_, r)| r == "slider")
            || event.target_dyn_into::<web_sys::HtmlSelectElement>().is_some();
        if arrow
            && !field
            && root
                .cast::<Element>()
                .is_some_and(|root| focus::go(&root, &event.key()))
        {
            event.prevent_default();
        }
    })
}

/// The pointer over the region, and what it holds.
#[derive(Clone)]
struct Hand {
    root: NodeRef,
    drag: Rc<RefCell<Option<Drag>>>,
    /// Until a finger has rested.
    resting: Rc<RefCell<Option<Timeout>>>,
    /// The next click is the end of a drag.
    suppress: Rc<RefCell<bool>>,
}

#[hook]
fn use_hand(root: &NodeRef) -> Hand {
    let hand = Hand {
        root: root.clone(),
        drag: use_mut_ref(|| None),
        resting: use_mut_ref(|| None),
        suppress: use_mut_ref(|| false),
    };
    let root = root.clone();
    use_effect_with((), move |()| {
        let still = root.cast::<Element>().map(|root| drag::Still::new(&root));
        move || drop(still)
    });
    hand
}

impl Hand {
    fn click(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<MouseEvent> {
        let (ctl, page, suppress) = (ctl.clone(), page.clone(), self.suppress.clone());
        Callback::from(move |event: MouseEvent| {
            if std::mem::take(&mut *suppress.borrow_mut()) {
                return;
            }
            click(&ctl, &page, &event);
        })
    }

    fn menu(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<MouseEvent> {
        let (ctl, page, drag) = (ctl.clone(), page.clone(), self.drag.clone());
        Callback::from(move |event: MouseEvent| {
            // A finger that rests holds the pod; its menu comes when it is lifted.
            if drag.borrow().as_ref().is_some_and(|d| d.finger) {
                event.prevent_default();
            } else if let Some(menu) = menu_of(&page, &event) {
                event.prevent_default();
                ctl.act.emit(Act::Dialog(Dialog::Menu(menu)));
            }
        })
    }

    fn down(&self) -> Callback<PointerEvent> {
        let hand = self.clone();
        Callback::from(move |event: PointerEvent| {
            let begun = Drag::begin(&event);
            let finger = begun.as_ref().is_some_and(|d| d.finger);
            *hand.drag.borrow_mut() = begun;
            let (drag, root) = (hand.drag.clone(), hand.root.clone());
            *hand.resting.borrow_mut() = finger.then(|| {
                Timeout::new(drag::REST, move || {
                    if let (Some(drag), Some(root)) = (&mut *drag.borrow_mut(), root.cast::<Element>()) {
                        drag.rest(&root);
                    }
                })
            });
        })
    }

    fn go(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<PointerEvent> {
        let (hand, ctl, page) = (self.clone(), ctl.clone(), page.clone());
        Callback::from(move |event: PointerEvent| {
            let went = match (&mut *hand.drag.borrow_mut(), hand.root.cast::<Element>()) {
                (Some(drag), Some(root)) => drag.go(&root, &event),
                _ => return,
            };
            if went == Went::Away {
                *hand.drag.borrow_mut() = None;
            } else if let Went::Across(wire) = went {
                let uncut = page
                    .model
                    .nodes
                    .get(&wire)
                    .is_some_and(|n| n.view.machine.cuts.is_empty());
                if uncut {
                    ctl.run(&format!("fault partition {wire}"));
                }
            }
        })
    }

    fn up(&self, ctl: &Ctl, page: &Shared<Page>) -> Callback<PointerEvent> {
        let (hand, ctl, page) = (self.clone(), ctl.clone(), page.clone());
        Callback::from(move |event: PointerEvent| {
            let (Some(drag), Some(root)) = (hand.drag.borrow_mut().take(), hand.root.cast::<Element>()) else {
                return;
            };
            *hand.resting.borrow_mut() = None;
            let end = drag.end(&root, &event);
            *hand.suppress.borrow_mut() = end != End::Click;
            if end != End::Click {
                // The click that follows a drag comes now or never.
                let suppress = hand.suppress.clone();
                browser::after_drawing(move || *suppress.borrow_mut() = false);
            }
            drop_pod(&ctl, &page, end, &event);
        })
    }

    fn cancel(&self) -> Callback<PointerEvent> {
        let hand = self.clone();
        Callback::from(move |_: PointerEvent| {
            if let (Some(drag), Some(root)) = (hand.drag.borrow_mut().take(), hand.root.cast::<Element>()) {
                drag.cancel(&root);
            }
        })
    }
}

/// Rows that a run has beside another, so that each thing is as high as its like: its title, the control plane, what
/// is pending, then of each zone its header and its nodes.
fn rows(page: &Page, model: &Model) -> usize {
    let groups = model.groups.iter().map(|group| group.nodes.len().max(1) + 1);
    let loose = model.loose().len();
    let (nodes, pods) = seen(page, model);
    let zones = if nodes > NODES_IN_DOM || pods > PODS_IN_DOM {
        1
    } else {
        groups.sum()
    };
    3 + zones + if loose > 0 { loose + 1 } else { 0 }
}

/// What two runs are called beside each other.
fn titles(ours: &Model, other: &Model) -> (String, String) {
    match (title(ours), title(other)) {
        (ours, other) if ours == other => ("with your commands".into(), "without your commands".into()),
        both => both,
    }
}

/// What a run is called beside another: its branch, where there are several.
fn title(model: &Model) -> String {
    let several = model.branches.len() > 1;
    let branch = model.branches.iter().find(|b| several && b.current);
    branch.map_or_else(|| model.title.clone(), branch_name)
}

fn run(page: &Shared<Page>, model: &Shared<Model>, versus: Option<&Shared<Model>>, other: bool, ctl: &Ctl) -> Html {
    let why = page.shown_decision().cloned();
    let follows = why
        .as_ref()
        .and_then(|w| w.spread.first())
        .map(|s| s.topology_key.clone());
    let selected = match &page.selected {
        Some(SubjectRef::Pod { key, uid }) => model.pod(key, uid).map(|p| p.id.clone()),
        _ => None,
    };
    let tick = model.pending.iter().any(|p| {
        p.countdown.is_some() || p.termination.is_some() || p.queue.as_ref().is_some_and(|q| q.until.is_some())
    });
    let (nodes, pods) = seen(page, model);
    let cut = model.cut_nodes().count();
    let differing = versus
        .map(|versus| Rc::new(compare::differing(model, versus)))
        .unwrap_or_default();
    let picture = nodes > NODES_IN_DOM || pods > PODS_IN_DOM;
    let plane = html! { <Plane plane={model.plane.clone()} whole={model.whole()} keys={model.keys.clone()} group_key={page.group.clone()} {follows} idle={other} truth={page.truth} compared={versus.is_some()} {cut} /> };
    html! {
        <div class={classes!("run", picture.then_some("pictured"))}>
            { if versus.is_some() { html! { <div class="fold">{ plane }</div> } } else { plane } }
            <Tray pending={model.pending.clone()} owners={model.owners.clone()} now={if tick { model.now } else { 0 }} selected={selected.clone()} beside={other} asks={!other && page.model.story.question.is_some()} any={model.pods.size() > 0} filter={page.filter.clone()} told={if other { Vec::new() } else { told_on(page, model.pending.iter()) }} differing={differing.clone()} />
            { if picture { overview(page, model, differing) } else { zones(page, model, selected, &Beside { differing, other }, ctl) } }
        </div>
    }
}

/// The zone that is looked at by itself.
fn zoomed<'a>(page: &Page, model: &'a Model) -> Option<&'a GroupView> {
    let zone = page.zone.as_ref()?;
    model.groups.iter().find(|g| g.name == *zone)
}

/// How many nodes and pods are to be seen.
fn seen(page: &Page, model: &Model) -> (usize, usize) {
    let Some(group) = zoomed(page, model) else {
        return (model.nodes.size(), model.pods.size());
    };
    let nodes = group.nodes.iter().filter_map(|n| model.nodes.get(n));
    (group.nodes.len(), nodes.map(|n| n.pods.len()).sum())
}

/// What nodes are grouped by, in a word.
fn key_name(page: &Page) -> String {
    let key = page.group.rsplit('/').next().filter(|key| !key.is_empty());
    key.unwrap_or("zone").to_string()
}

fn overview(page: &Page, model: &Shared<Model>, differing: Rc<Set<String>>) -> Html {
    html! { <Overview model={model.clone()} zone={page.zone.clone()} key_name={key_name(page)} selected={page.selected.clone()} theme={page.theme} filter={page.filter.clone()} truth={page.truth} {differing} /> }
}

/// What differs from the run that one is compared with, and whether it is the second of the two.
struct Beside {
    differing: Rc<Set<String>>,
    other: bool,
}

fn zones(page: &Shared<Page>, model: &Shared<Model>, selected: Option<String>, beside: &Beside, ctl: &Ctl) -> Html {
    let zoomed = zoomed(page, model);
    let key_name = key_name(page);
    let why = page.shown_decision().cloned();
    let lit: Vec<&str> = highlights(page);
    let node = |state: &Shared<NodeState>| {
        let name = &state.view.name;
        let verdict = why.as_ref().and_then(|w| w.verdicts.get(name).cloned());
        let aside = why.as_ref().is_some_and(|w| !w.verdicts.is_empty()) && verdict.is_none();
        let victims = why
            .as_ref()
            .and_then(|w| w.preemption.as_ref())
            .map_or_else(Vec::new, |(p, nominated)| {
                let here = p.candidates.iter().filter(|c| c.node == *name && c.node == *nominated);
                here.flat_map(|c| c.victims.iter().map(|v| v.pod.clone())).collect()
            });
        let selected_pod = selected.clone().filter(|id| state.pods.iter().any(|p| p.id == *id));
        let differs = state.pods.iter().filter(|p| beside.differing.contains(&p.id));
        let differing: Vec<String> = differs.map(|p| p.id.clone()).collect();
        let is = matches!(&page.selected, Some(SubjectRef::Node { name: n }) if n == name);
        let highlighted = lit.iter().any(|h| h.strip_prefix("node/") == Some(name));
        html! {
            <Node key={name.clone()} node={state.clone()} owners={model.owners.clone()} now={if state.ticks() { model.now } else { 0 }}
                {selected_pod} selected={is} {verdict} {aside} {victims} {highlighted} {differing} filter={page.filter.clone()} truth={page.truth} told={if beside.other { None } else { told_of(page, name) }}
                told_pods={if beside.other { Vec::new() } else { told_on(page, &state.pods) }} />
        }
    };
    let mut least: ordered::Map<String, u32> = ordered::Map::new();
    for count in model
        .groups
        .iter()
        .filter(|g| !g.name.is_empty())
        .flat_map(|g| &g.counts)
    {
        let low = least.entry(count.owner.clone()).or_insert(count.pods);
        *low = (*low).min(count.pods);
    }
    let least = Shared::new(least);
    let loose = if zoomed.is_some() { Vec::new() } else { model.loose() };
    let back = ctl.act.reform(|_: MouseEvent| Act::Zone(None));
    let small = seen(page, model).0 > FULL_CARDS;
    html! {
        <div class={classes!("zones", small.then_some("small"))} ~style={format!("--n:{}", if zoomed.is_some() { 1 } else { model.groups.len().max(1) })}>
            if zoomed.is_some() {
                <button type="button" class="zoom-back" onclick={back}>{ icon("back") }{ "All zones" }</button>
            }
            { for model.groups.iter().filter(|g| page.zone.as_ref().is_none_or(|z| *z == g.name)).map(|group| {
                let states: Vec<&Shared<NodeState>> = group.nodes.iter().filter_map(|n| model.nodes.get(n)).collect();
                let cut = !states.is_empty() && states.iter().all(|n| !n.view.machine.cuts.is_empty());
                html! {
                    <Zone key={group.name.clone()} group={group.clone()} owners={model.owners.clone()} key_name={key_name.clone()} {cut} least={least.clone()} wide={zoomed.is_some()} beside={beside.other}>
                        { for states.into_iter().map(node) }
                    </Zone>
                }
            }) }
            if !loose.is_empty() {
                <section class="zone apart" ~style={format!("--m:{}", loose.len() + 1)} aria-label="Machines without a Node object">
                    <header><h2>{ "no Node object" }</h2></header>
                    <div class="nodes">{ for loose.iter().map(node) }</div>
                </section>
            }
        </div>
    }
}

fn highlights(page: &Page) -> Vec<&str> {
    let step = page.model.story.step;
    page.opened
        .as_ref()
        .and_then(|o| o.story.get(step))
        .map_or_else(Vec::new, |s| s.highlight.iter().map(String::as_str).collect())
}
