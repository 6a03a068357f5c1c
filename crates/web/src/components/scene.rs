//! One run drawn on a stage: control plane, wires, zones with nodes and pods, each at the position that the layout
//! (`plan`) computes.

mod groups;

use std::rc::Rc;

use podscope_api::ordered::{self, Set};
use podscope_messages::t;
use podscope_protocol::{GroupView, Micros, PodView, SubjectRef};
use web_sys::Element;
use yew::prelude::*;

use self::groups::{Group, ids_with_slots, plan_of_run};
use super::cause_lines::cause_lines;
use super::control_plane::{ControlPlane, ControlPlaneLayout, Grouping, Run};
use super::emphasis::{NodeEmphasis, PodsEmphasis};
use super::icon;
use super::messages::{Messages, NodeEnd};
use super::node::{Assessment, CardLayout, Node};
use super::overview::{Overview, PaintOptions};
use super::preview;
use super::requests::{self, Requests};
use super::story::{answer_mark_on_node, answer_marks_on_pods};
use super::tray::PendingPodTray;
use super::violation_alarm::{self, ViolationAlarm};
use super::wiring::Wiring;
use super::zone::Zone;
use crate::browser::{Warn as _, display, focus};
use crate::ctl::Ctl;
use crate::pure::compare;
use crate::pure::overview::{Rect, needs_picture};
use crate::pure::preview::{WhatIfPreview, place_of_arrival};
use crate::pure::stage::slots::Slots;
use crate::pure::stage::wires::{ControlPlaneRects, rail};
use crate::pure::stage::{self, NodePlan, Plan, StageLengths, StageSize};
use crate::state::{Act, Model, NodeState, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
    pub(crate) model: Shared<Model>,
    /// The run that this run is compared with, if any.
    pub(crate) compared: Option<Shared<Model>>,
    /// True for the second run of a comparison.
    pub(crate) other: bool,
}

/// Returns the style that puts an element at a position.
pub(super) fn position_style(rect: Rect) -> String {
    format!(
        "left:{:.1}px;top:{:.1}px;width:{:.1}px;height:{:.1}px",
        rect.x, rect.y, rect.w, rect.h
    )
}

/// One second of simulated time.
const SECOND: Micros = 1_000_000;

#[component]
pub(crate) fn Scene(props: &Props) -> Html {
    let root = use_node_ref();
    let first_size = match props.page.session.recorded {
        true => props.page.shell.first_stage,
        false => StageSize::default(),
    };
    let room = use_stage_size(&root, first_size);
    let slots = use_mut_ref(Slots::default);
    let beside_slots = use_mut_ref(Slots::default);
    let closed_alarms = use_state(violation_alarm::ClosedAlarms::default);
    let ctl = use_context::<Ctl>();
    // Ensure after each render that the stage has one tab stop, even if only the size of the stage has changed.
    {
        let root = root.clone();
        use_effect(move || {
            let stage = root.cast::<Element>().and_then(|run| run.closest("#stage").warn()?);
            stage.iter().for_each(focus::ensure_tab_stop);
        });
    }
    let (page, model) = (&props.page, &props.model);
    let is_picture = is_drawn_as_picture(page, model);
    let (Some(ctl), true) = (ctl, room.w > 0.0) else {
        return html! { <div class="run" ref={root}></div> };
    };
    let differing = (props.compared.as_ref())
        .map(|compared| Rc::new(compare::differing_pods(model, compared)))
        .unwrap_or_default();
    let measures = StageLengths::of(room);
    let rail = rail(&measures, room.w);
    let preview = (page.open_what_if_answer())
        .filter(|_| !props.other && !is_picture)
        .map(|answer| WhatIfPreview::of(answer, model));
    let plane = control_plane(props, &measures, &rail, &differing, preview.as_ref());
    if is_picture {
        let look = PaintOptions {
            theme: page.shell.theme,
            filter: page.session.filter.clone(),
            truth: page.shell.truth,
        };
        return html! {
            <div class="run pictured" ref={root} ~style={length_properties(&measures, room.h)}>
                { plane }
                <Overview model={model.clone()} zone={page.session.zone.clone()} key_name={grouping_key_name(page)} selected={page.session.selected.clone()} {look} {differing} {room} />
            </div>
        };
    }
    let groups = Group::all(page, model);
    let slots = &mut *slots.borrow_mut();
    let beside = props.compared.as_ref().map(|compared| Group::all(page, compared));
    let beside_slots = &mut *beside_slots.borrow_mut();
    let band = if model.requests.is_empty() {
        0.0
    } else {
        stage::requests::band_height(&measures)
    };
    let mut plan = plan_of_run(
        StageSize {
            h: room.h - band,
            ..room
        },
        &groups,
        slots,
        beside.as_deref().map(|groups| (groups, beside_slots)),
    );
    plan.height += band;
    let plan = Rc::new(plan);
    let broken = violation_alarm::violation_to_show(model, &closed_alarms).filter(|_| !props.other);
    let breaking = broken.map_or_else(Vec::new, |broken| violation_alarm::breaking_pods(model, broken));
    let context = NodeContext {
        props,
        plan: &plan,
        differing: &differing,
        breaking: &breaking,
        preview: preview.as_ref(),
        by_memory: is_memory_scarcer(model),
    };
    let spots = StagePositions {
        groups: &groups,
        plan: &plan,
        slots,
    };
    let selected = selected_pod(page, model).and_then(|id| model.pods.get(&id).cloned());
    let message_ends: Vec<Vec<NodeEnd>> = groups.iter().map(Group::message_ends).collect();
    html! {
        <div class="run" ref={root}>
            <div class={classes!("scenery", broken.is_some().then_some("breaking"))} ~style={length_properties(&measures, plan.height)} role="group" aria-label={t!(scene::name)}>
                { zone_boxes(&context, &ctl, &groups, slots) }
                <Wiring plan={plan.clone()} nodes={message_ends.clone()} />
                if !props.other { <Messages plan={plan.clone()} nodes={message_ends} sent={model.sent.clone()} /> }
                if band > 0.0 { <Requests plan={plan.clone()} requests={model.requests.clone()} paths={requests::request_paths(model, &spots)} playing={model.playing} /> }
                { cause_lines(model, selected.as_deref(), &spots, &rail) }
                { preview::replacement_lines(preview.as_ref(), &spots) }
                { plane }
                <p class="keys-hint" aria-hidden="true">{ t!(scene::keys_hint) }</p>
                if let Some(broken) = broken {
                    <ViolationAlarm key={broken.name.clone()} broken={broken.clone()} restored_at={guarantee_restored_at(model, &broken.name)} marks={spots.pods(&breaking)} {room} top={measures.zones_top()} height={plan.height} read={close_alarms(&closed_alarms, model)} />
                }
            </div>
        </div>
    }
}

/// The instant from which a violated guarantee holds again.
fn guarantee_restored_at(model: &Model, name: &str) -> Option<Micros> {
    let instant_of = |(of, at): (String, Micros)| (of == name).then_some(at);
    model.restored_guarantees().into_iter().find_map(instant_of)
}

/// Returns a handler that closes the alarms of all present violations.
fn close_alarms(closed_alarms: &UseStateHandle<violation_alarm::ClosedAlarms>, model: &Model) -> Callback<MouseEvent> {
    let (closed_alarms, plane) = (closed_alarms.clone(), model.plane.clone());
    Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        let mut next = (*closed_alarms).clone();
        next.extend(plane.broken.iter().map(|broken| (broken.name.clone(), broken.at)));
        closed_alarms.set(next);
    })
}

/// The positions of nodes and pods on the stage.
pub(super) struct StagePositions<'a> {
    groups: &'a [Group<'a>],
    pub(super) plan: &'a Plan,
    slots: &'a Slots,
}

impl StagePositions<'_> {
    /// Returns the rectangles of the marks of these pods.
    pub(super) fn pods(&self, ids: &[String]) -> Vec<Rect> {
        self.pod_rects_where(|id| ids.iter().any(|one| one == id))
    }

    /// Returns the rectangle of a pod's mark, or of a node's header.
    pub(super) fn of(&self, subject: &SubjectRef) -> Option<Rect> {
        match subject {
            SubjectRef::Pod { uid, .. } => self.pod_rects_where(|id| id == uid).first().copied(),
            SubjectRef::Node { name } => {
                self.nodes()
                    .find(|(node, _, _)| node.view.name == *name)
                    .map(|(_, rect, _)| Rect {
                        h: self.plan.measures.node_header,
                        ..rect
                    })
            }
            _ => None,
        }
    }

    /// Returns for each move of a preview the position of the pod, and the position of its replacement.
    pub(super) fn move_ends(&self, preview: &WhatIfPreview) -> Vec<(Rect, Rect)> {
        let on_stage = |(rect, mark): (Rect, Rect)| Rect {
            x: rect.x + mark.x,
            y: rect.y + mark.y,
            ..mark
        };
        let node = |name: &String| self.nodes().find(|(node, ..)| node.view.name == *name);
        let ends = preview.arrivals.iter().enumerate().filter_map(|(at, arrival)| {
            let pod = &arrival.pod;
            let (from, rect, place) = node(pod.from.as_ref()?)?;
            let id = &from.pods.iter().find(|one| one.key == pod.pod)?.id;
            let begin = on_stage((rect, place.mark_rect(self.slots.slot(&from.view.name, id))));
            let (to, rect, place) = node(pod.to.as_ref()?)?;
            let taken: Vec<usize> = ids_with_slots(to)
                .map(|id| self.slots.slot(&to.view.name, id))
                .collect();
            let before = preview.arrivals.iter().take(at);
            let nth = before.filter(|one| one.pod.to == pod.to).count();
            let (mark, _) = place_of_arrival(&place, &taken, nth, self.plan.measures.unit)?;
            Some((begin, on_stage((rect, mark))))
        });
        ends.collect()
    }

    /// Returns each node with its rectangle on the stage and its layout.
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

    fn pod_rects_where(&self, is: impl Fn(&str) -> bool) -> Vec<Rect> {
        let of_node = |(node, rect, place): (&Shared<NodeState>, Rect, NodePlan)| {
            let marks = ids_with_slots(node).filter(|id| is(id)).map(|id| {
                let mark = place.mark_rect(self.slots.slot(&node.view.name, id));
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

/// Passes lengths of the layout to the style sheets, as CSS custom properties.
fn length_properties(measures: &StageLengths, height: f64) -> String {
    format!(
        "height:{height:.1}px;--zone-header:{:.1}px;--node-header:{:.1}px;--node-padding:{:.1}px;--zone-gutter:{:.1}px;--pad:{:.1}px",
        measures.zone_header, measures.node_header, measures.margin, measures.gutter, measures.pad
    )
}

/// Returns a size of the stage in CSS pixels, with the unit of lengths in this document.
pub(crate) fn stage_size(w: f64, h: f64) -> StageSize {
    let unit = display::root_font_size() / 14.0;
    StageSize { w, h, unit }
}

/// Observes the size of the stage in the browser. Until it is observed, `first` is used.
#[hook]
fn use_stage_size(root: &NodeRef, first: StageSize) -> StageSize {
    let room = use_state_eq(|| first);
    let (root, set) = (root.clone(), room.setter());
    use_effect_with((), move |()| {
        let element = root.cast::<Element>();
        let observation = element.and_then(|element| {
            display::Observation::observe_element_size(&element, move |w, h| set.set(stage_size(w, h)))
        });
        move || drop(observation)
    });
    *room
}

/// The control plane with the pending pods.
fn control_plane(
    props: &Props,
    measures: &StageLengths,
    rail: &ControlPlaneRects,
    differing: &Set<String>,
    preview: Option<&WhatIfPreview>,
) -> Html {
    let (page, model, other) = (&props.page, &props.model, props.other);
    let spread_key = (page.session.shown_decision())
        .and_then(|(why, _)| why.spread.first())
        .map(|spread| spread.topology_key.clone());
    let tick = model.pending.iter().any(|pod| {
        pod.countdown.is_some()
            || pod.termination.is_some()
            || pod.queue.as_ref().is_some_and(|queue| queue.until.is_some())
    });
    // The width that the scheduler's name and state leave for the pending pods.
    let free = rail.scheduler.w / measures.unit - if measures.is_narrow { 62.0 } else { 230.0 };
    let marks = ((free / 34.0) as usize).clamp(1, 6);
    let run = match (other, &props.compared) {
        (true, _) => Run::Second,
        (false, Some(_)) => Run::First,
        (false, None) => Run::Only,
    };
    let grouping = Grouping {
        keys: model.keys.clone(),
        key: page.session.group.clone(),
        spread_key,
    };
    let layout = ControlPlaneLayout {
        rail: *rail,
        is_narrow: measures.is_narrow,
        is_short: rail.managers.w < 236.0 * measures.unit,
    };
    let emphasis = PodsEmphasis {
        selected: selected_pod(page, model),
        differing: pod_ids_where(model.pending.iter(), |id| differing.contains(id)),
        answer_marks: if other {
            Vec::new()
        } else {
            answer_marks_on_pods(page, model.pending.iter())
        },
        filter: page.session.filter.clone(),
        ..PodsEmphasis::default()
    };
    let would_wait = preview.map(|preview| preview.waiting.clone()).unwrap_or_default();
    let now = if tick { model.now } else { 0 };
    html! {
        <ControlPlane plane={model.plane.clone()} restored={model.restored_guarantees()} cut={model.cut_nodes().count()} truth={page.shell.truth} {run} {grouping} {layout}>
            <PendingPodTray pending={model.pending.clone()} owners={model.owners.clone()} {now} beside={other} {marks} {would_wait} asks={!other && page.session.model.story.question.is_some()} {emphasis} />
        </ControlPlane>
    }
}

/// Ids of the pods whose id satisfies a predicate.
pub(super) fn pod_ids_where<'a>(
    pods: impl Iterator<Item = &'a Shared<PodView>>,
    is_one: impl Fn(&String) -> bool,
) -> Vec<String> {
    pods.map(|pod| &pod.id).filter(|id| is_one(id)).cloned().collect()
}

fn selected_pod(page: &Page, model: &Model) -> Option<String> {
    match &page.session.selected {
        Some(SubjectRef::Pod { key, uid }) => model.pod(key, uid).map(|pod| pod.id.clone()),
        _ => None,
    }
}

/// Returns the zone (or other group of nodes) that the user chose to see alone, if any.
fn zoomed_group<'a>(page: &Page, model: &'a Model) -> Option<&'a GroupView> {
    let zone = page.session.zone.as_ref()?;
    model.groups.iter().find(|group| group.name == *zone)
}

/// Returns whether the cluster, or the zone shown alone, is drawn as one picture instead of node cards.
pub(super) fn is_drawn_as_picture(page: &Page, model: &Model) -> bool {
    let (nodes, pods) = shown_node_and_pod_count(page, model);
    needs_picture(nodes, pods)
}

/// Returns the number of nodes and the number of pods that the stage shows.
pub(super) fn shown_node_and_pod_count(page: &Page, model: &Model) -> (usize, usize) {
    let Some(group) = zoomed_group(page, model) else {
        return (model.nodes.size(), model.pods.size());
    };
    let nodes = group.nodes.iter().filter_map(|name| model.nodes.get(name));
    (group.nodes.len(), nodes.map(|node| node.pods.len()).sum())
}

/// The short name of the label key by which nodes are grouped.
fn grouping_key_name(page: &Page) -> String {
    let key = page.session.group.rsplit('/').next().filter(|key| !key.is_empty());
    key.map_or_else(|| t!(scene::zone), str::to_owned)
}

/// Returns whether memory is scarcer than cpu in the whole cluster.
fn is_memory_scarcer(model: &Model) -> bool {
    let share = |(used, has): (i64, i64)| if has > 0 { used as f64 / has as f64 } else { 0.0 };
    let nodes = || model.nodes.values().map(|node| &node.view);
    nodes().map(|view| share(view.memory)).sum::<f64>() > nodes().map(|view| share(view.cpu)).sum::<f64>()
}

fn zone_boxes(context: &NodeContext, ctl: &Ctl, groups: &[Group], slots: &Slots) -> Html {
    let (props, plan) = (context.props, context.plan);
    let (page, model) = (&props.page, &props.model);
    let mut fewest: ordered::Map<String, u32> = ordered::Map::new();
    for count in (model.groups.iter().filter(|group| !group.name.is_empty())).flat_map(|group| &group.counts) {
        let low = fewest.entry(count.owner.clone()).or_insert(count.pods);
        *low = (*low).min(count.pods);
    }
    let fewest = Shared::new(fewest);
    let back = ctl.act.reform(|_: MouseEvent| Act::Zone(None));
    html! {
        <>
            if zoomed_group(page, model).is_some() {
                <button type="button" class="zoom-back" onclick={back}>{ icon("back") }{ t!(scene::all_zones) }</button>
            }
            { for groups.iter().zip(&plan.zones).map(|(group, zone_plan)| {
                let nodes = group.nodes.iter().zip(&zone_plan.nodes).map(|(state, place)| {
                    let slot_indices = ids_with_slots(state).map(|id| slots.slot(&state.view.name, id)).collect();
                    context.node(state, *place, slot_indices)
                });
                match group.view {
                    Some(view) => {
                        let cut = !group.nodes.is_empty() && group.nodes.iter().all(|node| !node.view.machine.cuts.is_empty());
                        html! {
                            <Zone key={view.name.clone()} group={view.clone()} owners={model.owners.clone()} key_name={grouping_key_name(page)} {cut} least={fewest.clone()} rect={zone_plan.rect} beside={props.other}>
                                { for nodes }
                            </Zone>
                        }
                    }
                    None => html! {
                        <section key="/loose" class="zone apart" ~style={position_style(zone_plan.rect)} aria-label={t!(scene::machines_without_node)}>
                            <header><h2>{ t!(scene::no_node_object) }</h2></header>
                            { for nodes }
                        </section>
                    },
                }
            }) }
        </>
    }
}

/// Values that all node cards of a run share.
struct NodeContext<'a> {
    props: &'a Props,
    plan: &'a Plan,
    differing: &'a Set<String>,
    /// Ids of pods that break a guarantee.
    breaking: &'a [String],
    preview: Option<&'a WhatIfPreview>,
    by_memory: bool,
}

impl NodeContext<'_> {
    fn node(&self, state: &Shared<NodeState>, place: NodePlan, slots: Vec<usize>) -> Html {
        let (page, model, other) = (&self.props.page, &self.props.model, self.props.other);
        let name = &state.view.name;
        let shown = page.session.shown_decision();
        let why = shown.map(|(why, _)| why);
        let decided = shown.and_then(|(_, decided)| decided);
        let verdict = why.and_then(|why| why.verdicts.get(name).cloned());
        let has_no_verdict = why.is_some_and(|why| !why.verdicts.is_empty()) && verdict.is_none();
        let victims = (why.and_then(|why| why.preemption.as_ref())).map_or_else(Vec::new, |(preemption, nominated)| {
            let here = preemption
                .candidates
                .iter()
                .filter(|candidate| candidate.node == *name && candidate.node == *nominated);
            here.flat_map(|candidate| candidate.victims.iter().map(|victim| victim.pod.clone()))
                .collect()
        });
        let selected_pod = selected_pod(page, model).filter(|id| state.pods.iter().any(|pod| pod.id == *id));
        let ages = place.fit.detail.is_large() && state.pods.iter().any(|pod| pod.running_since.is_some());
        let now = match (state.changes_with_time(), ages) {
            (true, _) => model.now,
            (false, true) => model.now - model.now % SECOND,
            (false, false) => 0,
        };
        let layout = CardLayout {
            plan: place,
            measures: self.plan.measures,
            slots,
            by_memory: self.by_memory,
        };
        let assessment = Assessment {
            verdict,
            decided,
            has_no_verdict,
            preview: self.preview.and_then(|preview| preview.of_node(name, &state.view.zone)),
        };
        let emphasis = NodeEmphasis {
            selected: matches!(&page.session.selected, Some(SubjectRef::Node { name: selected }) if selected == name),
            highlighted: highlighted_names(page).any(|highlighted| highlighted.strip_prefix("node/") == Some(name)),
            answer_mark: if other { None } else { answer_mark_on_node(page, name) },
            pods: PodsEmphasis {
                selected: selected_pod,
                victims,
                differing: pod_ids_where(state.pods.iter(), |id| self.differing.contains(id)),
                breaking: pod_ids_where(state.pods.iter(), |id| self.breaking.contains(id)),
                answer_marks: if other {
                    Vec::new()
                } else {
                    answer_marks_on_pods(page, &state.pods)
                },
                filter: page.session.filter.clone(),
            },
        };
        let devices = model.devices.get(name).cloned().unwrap_or_default();
        html! {
            <Node key={name.clone()} node={state.clone()} {devices} owners={model.owners.clone()} {now} truth={page.shell.truth} {layout} {assessment} {emphasis} />
        }
    }
}

fn highlighted_names(page: &Page) -> impl Iterator<Item = &str> {
    let step = page
        .session
        .opened
        .as_ref()
        .and_then(|opened| opened.story.get(page.session.model.story.step));
    step.into_iter()
        .flat_map(|step| step.highlight.iter().map(String::as_str))
}
