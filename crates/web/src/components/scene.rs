//! One run on its stage: the rail, the wires, zones with nodes and pods, each where the plan has it.

use std::rc::Rc;

use podscope_api::ordered::{self, Set};
use podscope_protocol::{GroupView, Micros, SubjectRef};
use web_sys::Element;
use yew::prelude::*;

use super::broken::{self, Broken};
use super::cause_lines::cause_lines;
use super::icon;
use super::messages::{Messages, Reached};
use super::node::Node;
use super::overview::Overview;
use super::plane::Plane;
use super::story::{told_of, told_on};
use super::tray::Tray;
use super::wiring::Wiring;
use super::zone::Zone;
use crate::browser::sight;
use crate::ctl::Ctl;
use crate::pure::compare;
use crate::pure::overview::{NODES_IN_DOM, PODS_IN_DOM, Rect};
use crate::pure::stage::slots::Slots;
use crate::pure::stage::wires::{Rail, rail};
use crate::pure::stage::{Crowd, Measures, NodePlan, Plan, Room, plan};
use crate::state::{Act, Model, NodeState, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
    pub(crate) model: Shared<Model>,
    /// The run beside it.
    pub(crate) versus: Option<Shared<Model>>,
    /// It is the second of two.
    pub(crate) other: bool,
}

/// Where something is, as a style.
pub(super) fn at(r: Rect) -> String {
    format!(
        "left:{:.1}px;top:{:.1}px;width:{:.1}px;height:{:.1}px",
        r.x, r.y, r.w, r.h
    )
}

/// A whole second.
const SECOND: Micros = 1_000_000;

/// The stage of a run.
#[component]
pub(crate) fn Scene(props: &Props) -> Html {
    let root = use_node_ref();
    let room = use_room(&root);
    let slots = use_mut_ref(Slots::default);
    let beside_slots = use_mut_ref(Slots::default);
    let read = use_state(broken::Read::default);
    let ctl = use_context::<Ctl>();
    let (page, model) = (&props.page, &props.model);
    let is_picture = {
        let (nodes, pods) = seen(page, model);
        nodes > NODES_IN_DOM || pods > PODS_IN_DOM
    };
    let (Some(ctl), true) = (ctl, room.w > 0.0) else {
        return html! { <div class="run" ref={root}></div> };
    };
    let differing = (props.versus.as_ref())
        .map(|versus| Rc::new(compare::differing(model, versus)))
        .unwrap_or_default();
    let measures = Measures::of(room);
    let rail = rail(&measures, room.w);
    let plane = rail_of(props, &measures, &rail, &differing);
    if is_picture {
        return html! {
            <div class="run pictured" ref={root} ~style={lengths(&measures, room.h)}>
                { plane }
                <Overview model={model.clone()} zone={page.zone.clone()} key_name={key_name(page)} selected={page.selected.clone()} theme={page.theme} filter={page.filter.clone()} truth={page.truth} {differing} {room} />
            </div>
        };
    }
    let groups = Group::all(page, model);
    let slots = &mut *slots.borrow_mut();
    let beside = props.versus.as_ref().map(|versus| Group::all(page, versus));
    let beside_slots = &mut *beside_slots.borrow_mut();
    let plan = Rc::new(planned(
        room,
        &groups,
        slots,
        beside.as_deref().map(|groups| (groups, beside_slots)),
    ));
    let broken = broken::unread(model, &read).filter(|_| !props.other);
    let breaking = broken.map_or_else(Vec::new, |broken| broken::breaking(model, broken));
    let drawn = Drawn {
        props,
        plan: &plan,
        differing: &differing,
        breaking: &breaking,
        by_memory: by_memory(model),
    };
    let spots = Spots {
        groups: &groups,
        plan: &plan,
        slots,
    };
    let selected = selected_pod(page, model).and_then(|id| model.pods.get(&id).cloned());
    let reached: Vec<Vec<Reached>> = groups.iter().map(Group::reached).collect();
    html! {
        <div class="run" ref={root}>
            <div class={classes!("scenery", broken.is_some().then_some("breaking"))} ~style={lengths(&measures, plan.height)} role="group" aria-label="Cluster. Arrow keys move among nodes and pods, Enter selects.">
                { zones(&drawn, &ctl, &groups, slots) }
                <Wiring plan={plan.clone()} nodes={reached.clone()} />
                if !props.other { <Messages plan={plan.clone()} nodes={reached} sent={model.sent.clone()} /> }
                { cause_lines(model, selected.as_deref(), &spots, &rail) }
                { plane }
                <p class="keys-hint" aria-hidden="true">{ "Arrow keys: nodes and pods · Enter: details · Del: delete" }</p>
                if let Some(broken) = broken {
                    <Broken key={broken.name.clone()} broken={broken.clone()} whole={whole(model, &broken.name)} marks={spots.pods(&breaking)} {room} top={measures.top()} height={plan.height} read={reads(&read, model)} />
                }
            </div>
        </div>
    }
}

/// Since when a guarantee that was broken is whole again.
fn whole(model: &Model, name: &str) -> Option<Micros> {
    let is = |(of, at): (String, Micros)| (of == name).then_some(at);
    model.whole().into_iter().find_map(is)
}

/// Takes the guarantees that are broken off the stage: they have been read.
fn reads(read: &UseStateHandle<broken::Read>, model: &Model) -> Callback<MouseEvent> {
    let (read, plane) = (read.clone(), model.plane.clone());
    Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        let mut next = (*read).clone();
        next.extend(plane.broken.iter().map(|broken| (broken.name.clone(), broken.at)));
        read.set(next);
    })
}

/// Where things are on the stage.
pub(super) struct Spots<'a> {
    groups: &'a [Group<'a>],
    pub(super) plan: &'a Plan,
    slots: &'a Slots,
}

impl Spots<'_> {
    /// The marks of these pods.
    pub(super) fn pods(&self, ids: &[String]) -> Vec<Rect> {
        self.marks(|id| ids.iter().any(|one| one == id))
    }

    /// The mark of a pod, or the name of a node.
    pub(super) fn of(&self, subject: &SubjectRef) -> Option<Rect> {
        match subject {
            SubjectRef::Pod { uid, .. } => self.marks(|id| id == uid).first().copied(),
            SubjectRef::Node { name } => {
                self.nodes()
                    .find(|(node, _, _)| node.view.name == *name)
                    .map(|(_, rect, _)| Rect {
                        h: self.plan.measures.node_header,
                        ..rect
                    })
            }
            SubjectRef::Object { .. } | SubjectRef::Invariant { .. } => None,
        }
    }

    /// Each node with where it is.
    fn nodes(&self) -> impl Iterator<Item = (&Shared<NodeState>, Rect, NodePlan)> {
        self.groups.iter().zip(&self.plan.zones).flat_map(|(group, zone)| {
            group.nodes.iter().zip(&zone.nodes).map(move |(node, place)| {
                let rect = Rect {
                    x: zone.rect.x + place.rect.x,
                    y: zone.rect.y + place.rect.y,
                    ..place.rect
                };
                (node, rect, *place)
            })
        })
    }

    fn marks(&self, is: impl Fn(&str) -> bool) -> Vec<Rect> {
        let of_node = |(node, rect, place): (&Shared<NodeState>, Rect, NodePlan)| {
            let marks = ids(node).filter(|id| is(id)).map(|id| {
                let mark = place.mark(self.slots.slot(&node.view.name, id));
                Rect {
                    x: rect.x + mark.x,
                    y: rect.y + mark.y,
                    ..mark
                }
            });
            marks.collect::<Vec<_>>()
        };
        self.nodes().flat_map(of_node).collect()
    }
}

/// Lengths that style sheets share with the plan.
fn lengths(m: &Measures, height: f64) -> String {
    format!(
        "height:{height:.1}px;--zh:{:.1}px;--nh:{:.1}px;--in:{:.1}px;--lane:{:.1}px;--pad:{:.1}px",
        m.zone_header, m.node_header, m.margin, m.gutter, m.pad
    )
}

/// The room that the run has, told by the browser.
#[hook]
fn use_room(root: &NodeRef) -> Room {
    let room = use_state(Room::default);
    let (root, set) = (root.clone(), room.setter());
    use_effect_with((), move |()| {
        let element = root.cast::<Element>();
        let watch = element.and_then(|element| {
            sight::Watch::size(&element, move |w, h| {
                let unit = sight::root_px() / 14.0;
                set.set(Room { w, h, unit });
            })
        });
        move || drop(watch)
    });
    *room
}

/// Nodes that stand together: a zone, or machines without a Node object.
struct Group<'a> {
    /// None of machines without a Node object.
    view: Option<&'a GroupView>,
    nodes: Vec<Shared<NodeState>>,
}

impl<'a> Group<'a> {
    fn all(page: &Page, model: &'a Model) -> Vec<Group<'a>> {
        let is_seen = |group: &&GroupView| page.zone.as_ref().is_none_or(|zone| *zone == group.name);
        let mut all: Vec<Group> = (model.groups.iter().filter(is_seen))
            .map(|group| Group {
                view: Some(group),
                nodes: group.nodes.iter().filter_map(|n| model.nodes.get(n).cloned()).collect(),
            })
            .collect();
        let loose = if zoomed(page, model).is_some() {
            Vec::new()
        } else {
            model.loose()
        };
        if !loose.is_empty() {
            all.push(Group {
                view: None,
                nodes: loose,
            });
        }
        all
    }
}

impl Group<'_> {
    /// Its nodes as their messages see them.
    fn reached(&self) -> Vec<Reached> {
        let one = |node: &Shared<NodeState>| {
            let machine = &node.view.machine;
            Reached {
                name: node.view.name.clone(),
                is_cut: !machine.cuts.is_empty(),
            }
        };
        self.nodes.iter().map(one).collect()
    }
}

/// The id by which the slot of a nominated pod is kept, which becomes the pod's own when it is bound there.
fn ids(node: &NodeState) -> impl Iterator<Item = &str> + Clone {
    node.pods.iter().chain(&node.nominated).map(|pod| pod.id.as_str())
}

/// Lays out a run; the run beside it has its nodes at the same places.
fn planned(room: Room, groups: &[Group], slots: &mut Slots, beside: Option<(&[Group], &mut Slots)>) -> Plan {
    let mut usual = settled(groups, slots);
    let mut beside_has = Vec::new();
    if let Some((groups, slots)) = beside {
        usual = usual.max(settled(groups, slots));
        beside_has.extend(groups.iter().map(|group| group.nodes.len()));
    }
    let mut crowd: Crowd = (groups.iter())
        .map(|group| {
            group
                .nodes
                .iter()
                .map(|node| slots.room(&node.view.name, usual))
                .collect()
        })
        .collect();
    for (nth, n_nodes) in beside_has.into_iter().enumerate() {
        match crowd.get_mut(nth) {
            Some(nodes) => nodes.resize(nodes.len().max(n_nodes), usual),
            None => crowd.push(vec![usual; n_nodes]),
        }
    }
    let mut plan = plan(room, &crowd, usual);
    plan.zones.truncate(groups.len());
    for (zone, group) in plan.zones.iter_mut().zip(groups) {
        zone.nodes.truncate(group.nodes.len());
    }
    plan
}

/// Gives the pods of a run their slots; returns how many most of its nodes show.
fn settled(groups: &[Group], slots: &mut Slots) -> usize {
    let mut names: Set<&str> = Set::new();
    for node in groups.iter().flat_map(|group| &group.nodes) {
        slots.settle(&node.view.name, ids(node));
        names.insert(&node.view.name);
    }
    slots.keep(|name| names.contains(name));
    slots.usual()
}

/// The rail, and the pods that wait at the scheduler.
fn rail_of(props: &Props, measures: &Measures, rail: &Rail, differing: &Rc<Set<String>>) -> Html {
    let (page, model, other) = (&props.page, &props.model, props.other);
    let follows = (page.shown_decision())
        .and_then(|why| why.spread.first())
        .map(|spread| spread.topology_key.clone());
    let tick = model.pending.iter().any(|p| {
        p.countdown.is_some() || p.termination.is_some() || p.queue.as_ref().is_some_and(|q| q.until.is_some())
    });
    // Beside the scheduler's name and a few words.
    let free = rail.scheduler.w / measures.unit - if measures.is_narrow { 62.0 } else { 230.0 };
    let marks = ((free / 34.0) as usize).clamp(1, 6);
    html! {
        <Plane plane={model.plane.clone()} whole={model.whole()} keys={model.keys.clone()} group_key={page.group.clone()} {follows} idle={other} truth={page.truth}
            compared={props.versus.is_some()} cut={model.cut_nodes().count()} rail={*rail} is_narrow={measures.is_narrow} is_short={rail.managers.w < 236.0 * measures.unit}>
            <Tray pending={model.pending.clone()} owners={model.owners.clone()} now={if tick { model.now } else { 0 }} selected={selected_pod(page, model)} beside={other}
                asks={!other && page.model.story.question.is_some()} {marks} filter={page.filter.clone()} told={if other { Vec::new() } else { told_on(page, model.pending.iter()) }} differing={differing.clone()} />
        </Plane>
    }
}

fn selected_pod(page: &Page, model: &Model) -> Option<String> {
    match &page.selected {
        Some(SubjectRef::Pod { key, uid }) => model.pod(key, uid).map(|p| p.id.clone()),
        _ => None,
    }
}

/// The zone that is looked at by itself.
fn zoomed<'a>(page: &Page, model: &'a Model) -> Option<&'a GroupView> {
    let zone = page.zone.as_ref()?;
    model.groups.iter().find(|g| g.name == *zone)
}

/// How many nodes and pods are to be seen.
pub(super) fn seen(page: &Page, model: &Model) -> (usize, usize) {
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

/// Whether memory is scarcer than cpu on the whole.
fn by_memory(model: &Model) -> bool {
    let share = |(used, has): (i64, i64)| if has > 0 { used as f64 / has as f64 } else { 0.0 };
    let nodes = || model.nodes.values().map(|node| &node.view);
    nodes().map(|view| share(view.memory)).sum::<f64>() > nodes().map(|view| share(view.cpu)).sum::<f64>()
}

fn zones(drawn: &Drawn, ctl: &Ctl, groups: &[Group], slots: &Slots) -> Html {
    let (props, plan) = (drawn.props, drawn.plan);
    let (page, model) = (&props.page, &props.model);
    let mut least: ordered::Map<String, u32> = ordered::Map::new();
    for count in (model.groups.iter().filter(|g| !g.name.is_empty())).flat_map(|g| &g.counts) {
        let low = least.entry(count.owner.clone()).or_insert(count.pods);
        *low = (*low).min(count.pods);
    }
    let least = Shared::new(least);
    let back = ctl.act.reform(|_: MouseEvent| Act::Zone(None));
    html! {
        <>
            if zoomed(page, model).is_some() {
                <button type="button" class="zoom-back" onclick={back}>{ icon("back") }{ "All zones" }</button>
            }
            { for groups.iter().zip(&plan.zones).map(|(group, planned)| {
                let nodes = group.nodes.iter().zip(&planned.nodes).map(|(state, place)| {
                    let seats = ids(state).map(|id| slots.slot(&state.view.name, id)).collect();
                    drawn.node(state, *place, seats)
                });
                match group.view {
                    Some(view) => {
                        let cut = !group.nodes.is_empty() && group.nodes.iter().all(|n| !n.view.machine.cuts.is_empty());
                        html! {
                            <Zone key={view.name.clone()} group={view.clone()} owners={model.owners.clone()} key_name={key_name(page)} {cut} least={least.clone()} rect={planned.rect} beside={props.other}>
                                { for nodes }
                            </Zone>
                        }
                    }
                    None => html! {
                        <section key="/loose" class="zone apart" ~style={at(planned.rect)} aria-label="Machines without a Node object">
                            <header><h2>{ "no Node object" }</h2></header>
                            { for nodes }
                        </section>
                    },
                }
            }) }
        </>
    }
}

/// What nodes are drawn by.
struct Drawn<'a> {
    props: &'a Props,
    plan: &'a Plan,
    differing: &'a Set<String>,
    /// Ids of pods by which a guarantee is broken.
    breaking: &'a [String],
    by_memory: bool,
}

impl Drawn<'_> {
    fn node(&self, state: &Shared<NodeState>, place: NodePlan, slots: Vec<usize>) -> Html {
        let (page, model, other) = (&self.props.page, &self.props.model, self.props.other);
        let name = &state.view.name;
        let why = page.shown_decision();
        let verdict = why.and_then(|w| w.verdicts.get(name).cloned());
        let aside = why.is_some_and(|w| !w.verdicts.is_empty()) && verdict.is_none();
        let victims = (why.and_then(|w| w.preemption.as_ref())).map_or_else(Vec::new, |(p, nominated)| {
            let here = p.candidates.iter().filter(|c| c.node == *name && c.node == *nominated);
            here.flat_map(|c| c.victims.iter().map(|v| v.pod.clone())).collect()
        });
        let selected_pod = selected_pod(page, model).filter(|id| state.pods.iter().any(|p| p.id == *id));
        let differing = (state.pods.iter().filter(|p| self.differing.contains(&p.id)))
            .map(|p| p.id.clone())
            .collect::<Vec<_>>();
        let breaking: Vec<String> = (state.pods.iter())
            .filter(|p| self.breaking.contains(&p.id))
            .map(|p| p.id.clone())
            .collect();
        let is = matches!(&page.selected, Some(SubjectRef::Node { name: n }) if n == name);
        let highlighted = highlights(page).any(|h| h.strip_prefix("node/") == Some(name));
        let ages = place.fit.step.is_large() && state.pods.iter().any(|pod| pod.running_since.is_some());
        let now = match (state.ticks(), ages) {
            (true, _) => model.now,
            (false, true) => model.now - model.now % SECOND,
            (false, false) => 0,
        };
        html! {
            <Node key={name.clone()} node={state.clone()} owners={model.owners.clone()} {now} plan={place} measures={self.plan.measures} {slots} by_memory={self.by_memory}
                {selected_pod} selected={is} {verdict} {aside} {victims} {highlighted} {differing} {breaking} filter={page.filter.clone()} truth={page.truth} told={if other { None } else { told_of(page, name) }}
                told_pods={if other { Vec::new() } else { told_on(page, &state.pods) }} />
        }
    }
}

fn highlights(page: &Page) -> impl Iterator<Item = &str> {
    let step = page.opened.as_ref().and_then(|o| o.story.get(page.model.story.step));
    step.into_iter().flat_map(|s| s.highlight.iter().map(String::as_str))
}
