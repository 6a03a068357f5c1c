//! A node's card: the API server's state of the node, and where it differs, the state of its machine.

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::taint;
use podscope_api::{ConditionStatus, ordered, visible};

use podscope_messages::t;
use podscope_protocol::{Cut, CutFrom, DeviceView, Micros, NodeNext, NodeView, OwnerView, PodMark, other_end_of_cut};
use yew::prelude::*;

use super::devices;
use super::emphasis::NodeEmphasis;
use super::icon;
use super::pod::{Place, Pod};
use super::preview;
use super::shown::{breakable_name, key_of_text_width, shown};
use super::story::AnswerMark;
use crate::pure::explain::NodeVerdictText;
use crate::pure::names;
use crate::pure::overview::Rect;
use crate::pure::preview::NodePreview;
use crate::pure::stage::fit::DetailLevel;
use crate::pure::stage::{NodePlan, StageLengths, halves};
use crate::pure::{actions, belief, clock, quantity};
use crate::state::{NodeState, OWNER_HUE_COUNT, Shared, StateView};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) node: Shared<NodeState>,
    pub(crate) devices: Vec<DeviceView>,
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
    /// The present instant, for nodes with a countdown; rounded to a whole second for nodes that only show ages.
    pub(crate) now: Micros,
    /// Whose view of the state is drawn: the API server's, the machine's, or both.
    pub(crate) truth: StateView,
    pub(crate) layout: CardLayout,
    #[prop_or_default]
    pub(crate) assessment: Assessment,
    pub(crate) emphasis: NodeEmphasis,
}

/// Position and size of a card, and what fits into it.
#[derive(Clone, PartialEq)]
pub(crate) struct CardLayout {
    pub(crate) plan: NodePlan,
    pub(crate) measures: StageLengths,
    /// The slots (cells for pods) of the node's pods, followed by those of pods nominated to the node.
    pub(crate) slots: Vec<usize>,
    /// The capacity bar shows memory instead of cpu, because memory is scarcer.
    pub(crate) by_memory: bool,
}

/// The verdict on a node, from the shown scheduling decision or from the answer to a what-if question.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct Assessment {
    pub(crate) verdict: Option<NodeVerdictText>,
    /// Instant of the decision that contains the verdict, if the decision was made in the past.
    pub(crate) decided: Option<Micros>,
    /// A decision is shown, but has no verdict on this node.
    pub(crate) has_no_verdict: bool,
    /// The effect on this node in the answer to a what-if question.
    pub(crate) preview: Option<NodePreview>,
}

/// Returns CSS class and text of a node's state; `None` if the node is ready and no link is cut.
fn state_class_and_text(node: &NodeView, now: Micros) -> Option<(&'static str, String)> {
    let machine = &node.machine;
    if !node.registered {
        return Some(("ghost", t!(node::no_node_object)));
    }
    if machine.exists && !machine.powered {
        return Some(("bad", t!(node::machine_is_off)));
    }
    let heard = machine.last_heartbeat.map(|heard| clock::ago(heard, now.max(heard)));
    if let Some(heard) = heard.as_ref().filter(|_| machine.lost_directions().1) {
        return Some(("bad", t!(node::cut_off_last_heard, time = heard)));
    }
    match node.ready {
        ConditionStatus::True => cut_links_text(&machine.cuts).map(|words| ("bad", words)),
        ConditionStatus::Unknown => Some(("bad", t!(node::unreachable, time = heard.unwrap_or_default()))),
        _ if node.ready_reason.is_empty() => Some(("bad", t!(node::not_ready))),
        _ => Some(("bad", t!(node::not_ready_because, reason = node.ready_reason))),
    }
}

/// Text for the machine's cut links and their directions; `None` if no link is cut.
fn cut_links_text(cuts: &[Cut]) -> Option<String> {
    let one = |cut: &Cut| match (cut.is_in, cut.is_out) {
        (true, false) => t!(node::nothing_from_arrives, end = other_end_of_cut(&cut.from)),
        (false, true) => t!(node::nothing_arrives_at, end = other_end_of_cut(&cut.from)),
        _ => t!(node::cut_off_from, end = other_end_of_cut(&cut.from)),
    };
    let first = one(cuts.first()?);
    let is_whole = |from: &CutFrom| cuts.iter().any(|cut| cut.from == *from && cut.is_in && cut.is_out);
    if [CutFrom::ControlPlane, CutFrom::Nodes, CutFrom::Storage]
        .iter()
        .all(is_whole)
    {
        return Some(t!(node::cut_off));
    }
    Some(match cuts.len() {
        1 => first,
        _ if cuts.iter().all(|cut| !cut.is_out) => t!(node::nothing_sent_arrives),
        more => t!(node::first_cut_and_more, first = first, count = more - 1),
    })
}

/// Returns CSS class and text of a node's state as one side sees it: the API server does not see the machine, and the
/// machine does not see the API objects.
fn state_class_and_text_as_seen_by(node: &NodeView, truth: StateView, now: Micros) -> Option<(&'static str, String)> {
    let machine = &node.machine;
    match truth {
        StateView::Both => state_class_and_text(node, now),
        StateView::Api if !node.registered => Some(("ghost", t!(node::no_node_object))),
        StateView::Api => match node.ready {
            ConditionStatus::True => None,
            ConditionStatus::Unknown => Some(("bad", "NotReady".into())),
            _ => Some(("bad", t!(node::not_ready_because, reason = node.ready_reason))),
        },
        StateView::Machine => match machine {
            machine if !machine.exists => Some(("ghost", t!(node::no_machine))),
            machine if !machine.powered => Some(("bad", t!(node::off))),
            machine if machine.lost_directions() == (true, true) => Some(("bad", t!(node::cut_off))),
            machine if !machine.kubelet => Some(("bad", t!(node::no_kubelet))),
            machine if !machine.runtime => Some(("bad", t!(node::no_runtime))),
            machine => cut_links_text(&machine.cuts).map(|words| ("bad", words)),
        },
    }
}

/// Label of the card for screen readers.
pub(super) fn card_label(node: &NodeState, now: Micros) -> String {
    let view = &node.view;
    let mut text = t!(node::name, node = view.name);
    match state_class_and_text(view, now) {
        Some((_, words)) => text.push_str(&format!(", {words}")),
        None => text.push_str(&format!(", {}", t!(node::ready))),
    }
    if view.cordoned {
        text.push_str(&format!(", {}", t!(node::cordoned)));
    }
    text.push_str(&match view.only_name {
        true => format!(", {}, {}", pod_count_text(node.pods.len()), t!(node::only_name_known)),
        false => format!(", {}, cpu {}", pod_count_text(node.pods.len()), quantity::cpu(view.cpu)),
    });
    for line in &view.machine.differs {
        text.push_str(&format!(". {line}"));
    }
    visible(&text).into_owned()
}

/// Returns whether the card already shows this taint as a state.
fn is_shown_as_state(taint: &str) -> bool {
    [taint::UNSCHEDULABLE, taint::UNREACHABLE, taint::NOT_READY]
        .iter()
        .any(|known| taint.starts_with(known))
}

/// Text of a taint's chip: the taint without the well-known domain.
fn taint_chip(taint: &str) -> String {
    taint.strip_prefix("node.kubernetes.io/").unwrap_or(taint).to_string()
}

#[component]
pub(crate) fn Node(props: &Props) -> Html {
    let node = &*props.node;
    let view = &node.view;
    let machine = &view.machine;
    let truth = props.truth;
    let shows_machine = truth != StateView::Api;
    let cut = !machine.cuts.is_empty() && shows_machine;
    let dark = machine.exists && !machine.powered && shows_machine;
    let (assessment, emphasis) = (&props.assessment, &props.emphasis);
    let out = (emphasis.pods.filter.as_ref()).is_some_and(|filter| !filter.finds_node_or_pod_on_it(node));
    let dim = assessment.has_no_verdict || assessment.verdict.as_ref().is_some_and(|verdict| !verdict.fits);
    let win = assessment.verdict.as_ref().is_some_and(|verdict| verdict.chosen);
    let command = actions::toggle_cut_command(view);
    let said = if cut {
        t!(node::heal_links, node = view.name)
    } else {
        t!(node::cut_everything, node = view.name)
    };
    let at = props.layout.plan.rect;
    html! {
        <article
            class={classes!("node", cut.then_some("cut"), dark.then_some("dark"), dim.then_some("dim"), win.then_some("win"), (props.layout.plan.fit.detail == DetailLevel::Dot).then_some("dots-only"),
                assessment.preview.as_ref().is_some_and(NodePreview::leaves).then_some("leaves"),
                emphasis.selected.then_some("sel"), emphasis.highlighted.then_some("lit"), out.then_some("out"), (!emphasis.pods.breaking.is_empty()).then_some("breaks"), emphasis.answer_mark.map(AnswerMark::outline))}
            ~style={format!("left:{:.1}px;top:{:.1}px;width:{:.1}px;height:{:.1}px", at.x, at.y, at.w, at.h)}
            data-node={view.name.clone()}
            data-ready={view.ready.to_string()}
            data-drop={view.name.clone()}
            aria-label={preview::extend_card_label(card_label(node, props.now), assessment.preview.as_ref())}
        >
            { silence_ring(props) }
            if machine.exists {
                <button type="button" class="knob" data-wire={view.name.clone()} data-run={command.clone()} tabindex="-1"
                    aria-label={format!("{said}: {command}")} title={format!("{said}\n{command}")}>
                    { icon(if cut { "cut" } else { "link" }) }
                </button>
            }
            { card_heading(props) }
            if truth != StateView::Machine { { capacity_bar(props) } }
            { pod_marks(props) }
            { difference_lines(props) }
        </article>
    }
}

/// The ring around a node whose heartbeats are missing: it empties until the node becomes NotReady, then again until
/// pods are evicted.
fn silence_ring(props: &Props) -> Html {
    let view = &props.node.view;
    let (class, since, at) = match &view.next {
        Some(NodeNext::NotReady { at }) => ("ring wait", view.machine.last_heartbeat.unwrap_or(*at), *at),
        Some(NodeNext::Evicts { at }) => match at.first() {
            Some((at, _)) => ("ring", view.ready_since, *at),
            None => return Html::default(),
        },
        _ => return Html::default(),
    };
    if props.truth == StateView::Machine {
        return Html::default();
    }
    let left = (at - props.now).clamp(0, (at - since).max(1)) * 1000 / (at - since).max(1);
    let (Rect { w, h, .. }, unit) = (props.layout.plan.rect, props.layout.measures.unit);
    let out = 3.0 * unit;
    let rect = |class: &'static str, dash: Option<String>| {
        html! {
            <rect {class} x={format!("{:.1}", -out)} y={format!("{:.1}", -out)} width={format!("{:.1}", w + 2.0 * out)} height={format!("{:.1}", h + 2.0 * out)}
                rx={format!("{:.1}", 12.0 * unit)} pathLength="100" stroke-dasharray={dash} />
        }
    };
    html! {
        <svg class="halves silence" viewBox={format!("0 0 {w:.1} {h:.1}")} aria-hidden="true">
            { rect("ring rest", None) }{ rect(class, Some(format!("{}.{} 100", left / 10, left % 10))) }
        </svg>
    }
}

/// Renders the node's pods, and outlines for the pods nominated to the node.
fn pod_marks(props: &Props) -> Html {
    let node = &*props.node;
    let (view, truth) = (&node.view, props.truth);
    let CardLayout { plan, slots, .. } = &props.layout;
    let slot = |nth: usize| plan.mark_rect(slots.get(nth).copied().unwrap_or(nth));
    let detail = plan.fit.detail;
    let unit = props.layout.measures.unit;
    let pods: Vec<_> = (node.pods.iter().enumerate())
        .filter_map(|(nth, pod)| {
            let drawn = belief::pod_mark_in_view(pod, view, truth)?;
            let content = halves::mark_content(pod, drawn, view, truth, props.now);
            Some((
                pod,
                drawn,
                Place {
                    rect: slot(nth),
                    detail,
                    unit,
                    content,
                },
            ))
        })
        .collect();
    let nominated = if truth == StateView::Machine {
        &[]
    } else {
        node.nominated.as_slice()
    };
    if pods.is_empty() && nominated.is_empty() && props.assessment.preview.is_none() {
        return Html::default();
    }
    html! {
        <div class="pods" role="group" aria-label={t!(node::pods_on, node = view.name)}>
            { for pods.into_iter().map(|(pod, mark, place)| html! {
                <Pod key={pod.id.clone()} pod={pod.clone()} drawn={mark} now={props.now} hue={owner_hue(&props.owners, &pod.owner)} {place} emphasis={props.emphasis.pods.of(pod, Some(view))} />
            }) }
            { for nominated.iter().enumerate().map(|(nth, pod)| {
                let rect = slot(node.pods.len() + nth);
                html! {
                    <span key={format!("n{}", pod.id)} class={classes!("nominee", detail.class(), format!("h{}", owner_hue(&props.owners, &pod.owner)))} data-nominee={pod.key.clone()}
                        ~style={format!("translate:{:.1}px {:.1}px;width:{:.1}px;height:{:.1}px;--pod:{:.1}px", rect.x, rect.y, rect.w, rect.h, rect.w.min(rect.h))}
                        title={t!(node::nominated_hint, pod = pod.key)}>
                        <span class="sr">{ t!(node::nominated_here) }{ " " }</span>
                        if detail.is_card() {
                            <span class="up"><b>{ shown(names::without_default_namespace(&pod.key)) }</b><span class="api-word">{ t!(node::api_nominated) }</span></span>
                            <span class="lo"><b>{ t!(node::waits_for_room) }</b></span>
                        } else if detail != DetailLevel::Dot {
                            <span class="t">{ shown(&pod.short) }</span>
                        }
                    </span>
                }
            }) }
            { preview::arriving_pod_marks(props.assessment.preview.as_ref(), plan, slots, unit) }
        </div>
    }
}

/// The right part of the card's header: a verdict, an answer to a what-if question, or the node's state. A healthy node
/// shows its capacity.
fn card_heading(props: &Props) -> Html {
    let view = &props.node.view;
    let unit = props.layout.measures.unit;
    let wide = props.layout.plan.rect.w / unit;
    let state = state_class_and_text_as_seen_by(view, props.truth, props.now);
    let shows_api = props.truth != StateView::Machine;
    let taints: Vec<&String> = view.taints.iter().filter(|taint| !is_shown_as_state(taint)).collect();
    let kind = state.as_ref().map(|(kind, _)| *kind);
    let right = if let Some((class, words)) = props.emphasis.answer_mark.map(AnswerMark::label) {
        html! { <span class={classes!("told", class)}>{ words.text() }</span> }
    } else if let Some(preview) = &props.assessment.preview {
        html! { <span class="say would-word">{ preview.words(wide <= 220.0) }</span> }
    } else if let Some(verdict) = &props.assessment.verdict {
        let text = match props.assessment.decided.map(clock::instant) {
            Some(at) if verdict.chosen => t!(node::verdict_at, verdict = verdict.text, instant = at),
            Some(at) => format!("{at}: {}", verdict.text),
            None => verdict.text.clone(),
        };
        html! {
            <span class={classes!("verdict", if verdict.fits { "fits" } else { "not" })} title={visible(&text).into_owned()}>
                { icon(if verdict.fits { "check" } else { "cross" }) }
                <span>{ shown(&text) }</span>
            </span>
        }
    } else if let Some((kind, words)) = &state {
        let words = state_shortened_to_header(view, words, wide, props.truth, props.now);
        // Until the node becomes NotReady, the countdown has the colour of the ring.
        let kind = match &view.next {
            Some(NodeNext::NotReady { .. }) => "wait",
            _ => *kind,
        };
        html! { <span class={classes!("say", kind)} key={key_of_text_width(&words)}>{ shown(&words) }</span> }
    } else if view.only_name && shows_api {
        html! { <span class="has">{ t!(node::pods_only_name_known, count = props.node.pods.len()) }</span> }
    } else if !shows_api {
        html! { <span class="has">{ t!(node::running_pods, count = view.machine.running.len()) }</span> }
    } else if wide > 150.0 {
        let has = if props.layout.by_memory {
            quantity::memory(view.memory)
        } else {
            format!("cpu {}", quantity::cpu(view.cpu))
        };
        html! { <span class="has mono" key={key_of_text_width(&has)}>{ has }</span> }
    } else {
        Html::default()
    };
    html! {
        <h3>
            <button type="button" class={classes!("name", kind)} data-nav="node" data-select-node={view.name.clone()} tabindex="-1"
                aria-pressed={if props.emphasis.selected { "true" } else { "false" }}>{ breakable_name(&view.name) }</button>
            if shows_api {
                if view.cordoned { <span class="chip wait" title={t!(node::cordoned_hint)}>{ if wide > 130.0 { t!(node::cordoned) } else { "!".to_owned() } }</span> }
                { for view.pressure.iter().map(|pressure| html! { <span class="chip bad">{ pressure }</span> }) }
                { for taints.iter().map(|taint| html! { <span class="chip" title={t!(node::taint, taint = taint)}>{ taint_chip(taint) }</span> }) }
            }
            if shows_api { { devices::device_chip(&props.devices, wide) } }
            { right }
        </h3>
    }
}

/// Shortens the text of the state to the width of the header.
fn state_shortened_to_header(view: &NodeView, words: &str, wide: f64, truth: StateView, now: Micros) -> String {
    if truth == StateView::Machine {
        return words.to_owned();
    }
    match &view.next {
        Some(NodeNext::NotReady { at }) => {
            let left = clock::countdown(*at, now);
            if wide > 300.0 {
                t!(node::cut_off_notready_in, time = left)
            } else {
                t!(node::notready_in, time = left)
            }
        }
        Some(NodeNext::Evicts { at }) if !at.is_empty() => {
            let left = at
                .first()
                .map_or_else(String::new, |(at, _)| clock::countdown(*at, now));
            if wide > 200.0 {
                t!(node::notready_evicts_in, time = left)
            } else {
                t!(node::evicts_in, time = left)
            }
        }
        _ => words.to_owned(),
    }
}

/// The node's capacity as a bar. Each pod is a segment whose length is the pod's request.
fn capacity_bar(props: &Props) -> Html {
    let node = &*props.node;
    let Some(at) = props.layout.plan.bar.filter(|_| !node.view.only_name) else {
        return Html::default();
    };
    let of = |(cpu, memory): (i64, i64)| if props.layout.by_memory { memory } else { cpu };
    let (used, has) = if props.layout.by_memory {
        node.view.memory
    } else {
        node.view.cpu
    };
    let wanted: i64 = node.nominated.iter().map(|pod| of(pod.requests)).sum();
    let scale = has.max(used + wanted);
    if scale <= 0 {
        return Html::default();
    }
    let percent = |amount: i64| amount as f64 * 100.0 / scale as f64;
    let mut counted: Vec<(usize, &Shared<podscope_protocol::PodView>)> = (node.pods.iter().enumerate())
        .filter(|(_, pod)| {
            of(pod.requests) > 0 && !matches!(pod.mark, PodMark::Succeeded | PodMark::Failed | PodMark::Ghost)
        })
        .collect();
    counted.stable_sort_by_key(|(nth, _)| props.layout.slots.get(*nth).copied());
    let tall = props.layout.plan.is_bar_tall;
    let free = has - used;
    let amount = |amount: i64| {
        if props.layout.by_memory {
            quantity::bytes(amount)
        } else {
            quantity::cores(amount)
        }
    };
    let name = |key: &str| key.rsplit('/').next().unwrap_or(key).to_owned();
    // Segments are positioned by a transform, so that the removal of a segment causes no layout.
    let mut end = 0.0;
    let mut next = |request: i64| {
        let (begin, long) = (end, at.w * request as f64 / scale as f64);
        end += long;
        format!("translate:{begin:.1}px 0;width:{long:.1}px")
    };
    let counted: Vec<Html> = (counted.iter())
        .map(|(_, pod)| {
            html! {
                <i key={pod.id.clone()} class={format!("h{}", owner_hue(&props.owners, &pod.owner))} ~style={next(of(pod.requests))}>
                    if tall { { format!("{} {}", name(&pod.key), amount(of(pod.requests))) } }
                </i>
            }
        })
        .collect();
    let wants: Vec<Html> = (node.nominated.iter().filter(|pod| of(pod.requests) > 0))
        .map(|pod| {
            html! {
                <i key={format!("n{}", pod.id)} class="want" ~style={next(of(pod.requests))}>if tall { { t!(node::wants, pod = name(&pod.key), amount = amount(of(pod.requests))) } }</i>
            }
        })
        .collect();
    let rest = format!("translate:{:.1}px 0", at.w * used as f64 / scale as f64);
    html! {
        <div class={classes!("capacity", tall.then_some("tall"), (used * 10 > has * 9).then_some("full"))} role="img"
            aria-label={t!(node::requests, cpu = quantity::cpu(node.view.cpu), memory = quantity::memory(node.view.memory), pods = node.view.pods.0, places = node.view.pods.1)}
            ~style={format!("left:{:.1}px;top:{:.1}px;width:{:.1}px;height:{:.1}px;--has:{:.2}%", at.x, at.y, at.w, at.h, percent(has))}>
            { for counted }
            { for wants }
            if tall && free > 0 && wanted == 0 { <span class="free" ~style={rest}>{ t!(node::free, amount = amount(free)) }</span> }
            if wanted > free { <b class="end">if tall { <span>{ t!(node::has, node = node.view.name, amount = amount(has)) }</span> }</b> }
        </div>
    }
}

/// Texts for each difference between the API server's state and the machine's. They are visible if the card has a free
/// line below its pods; screen readers always get them.
fn difference_lines(props: &Props) -> Html {
    let (view, truth, now) = (&props.node.view, props.truth, props.now);
    let machine = &view.machine;
    let (shows_api, shows_machine) = (truth != StateView::Machine, truth != StateView::Api);
    let believed = belief::belief_text(view, now).filter(|_| shows_api);
    let said = |line: &podscope_protocol::MachineDifference| match truth {
        StateView::Machine => line.on_machine(),
        _ => Some(line.to_string()),
    };
    let pressure = shows_api && !view.pressure.is_empty();
    if believed.is_none() && !pressure && (!shows_machine || machine.differs.is_empty() && machine.fenced.is_empty()) {
        return Html::default();
    }
    let seen = props.layout.plan.foot > 0.0;
    html! {
        <p class={classes!("truth", (!seen).then_some("sr"))} ~style={format!("max-height:{:.1}px", props.layout.plan.foot)}>
            if let Some(believed) = believed { <span class="api"><b>{ t!(node::api) }</b><span>{ believed }</span></span> }
            if pressure { <span class="api"><b>{ t!(node::api) }</b><span>{ pressure_ends(view) }</span></span> }
            if shows_machine {
                { for machine.differs.iter().filter_map(said).map(|line| html! { <span>{ icon("ghost") }{ shown(&line) }</span> }) }
                { for machine.fenced.iter().map(|by| html! { <span>{ icon("shield") }{ by.to_string() }</span> }) }
            }
        </p>
    }
}

fn pod_count_text(pods: usize) -> String {
    t!(node::pods, count = pods)
}

/// Text for the time at which the pressure condition ends.
fn pressure_ends(view: &NodeView) -> String {
    if view.pressure_lasts {
        t!(node::pressure_as_in_files)
    } else {
        t!(node::pressure_lasts_longer)
    }
}

fn owner_hue(owners: &ordered::Map<String, OwnerView>, owner: &str) -> u8 {
    owners
        .get(owner)
        .map_or(OWNER_HUE_COUNT, |owner| owner.hue % OWNER_HUE_COUNT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{CutFrom, MachineView};

    /// A dumped node's machine values are made up, so the card hides them; a pressure condition without a known end
    /// shows no end.
    /// Shows: P-09, U-15
    #[test]
    fn dumped_node_shows_only_known_values() {
        let mut view = NodeView {
            name: "ip-1".into(),
            registered: true,
            ready: ConditionStatus::True,
            only_name: true,
            cpu: (700, 6_000),
            ..NodeView::default()
        };
        let state = |view: &NodeView| NodeState {
            view: view.clone(),
            ..NodeState::default()
        };
        assert_eq!(
            card_label(&state(&view), 0),
            "Node ip-1, ready, 0 pods, only its name is known"
        );
        view.only_name = false;
        assert!(card_label(&state(&view), 0).contains("cpu 0.7 / 6"));
        assert!(pressure_ends(&view).contains("5 min more"));
        view.pressure_lasts = true;
        assert!(pressure_ends(&view).contains("until the machine is started anew"));
    }

    /// A node with cut links shows the cuts, and the age of the last heartbeat.
    /// Shows: F-01, U-02, U-08
    #[test]
    fn node_state_text_names_cuts_power_and_missing_node_object() {
        let mut view = NodeView {
            name: "b-1".into(),
            registered: true,
            ready: ConditionStatus::True,
            ..NodeView::default()
        };
        assert_eq!(state_class_and_text(&view, 0), None);
        view.machine = MachineView {
            exists: true,
            powered: true,
            cuts: vec![Cut {
                from: CutFrom::ControlPlane,
                is_in: true,
                is_out: true,
            }],
            last_heartbeat: Some(10_000_000),
            ..MachineView::default()
        };
        assert_eq!(
            state_class_and_text(&view, 92_000_000).map(|state| state.1).as_deref(),
            Some("cut off, last heard 82 s ago")
        );
        // A cut to storage, or a one-way cut, does not stop heartbeats (F-01).
        view.machine.last_heartbeat = None;
        view.machine.cuts[0].is_out = false;
        let state_text = |view: &NodeView| state_class_and_text(view, 0).map(|state| state.1).unwrap_or_default();
        assert_eq!(state_text(&view), "nothing from the control plane arrives");
        view.machine.cuts = vec![Cut {
            from: CutFrom::Storage,
            is_in: true,
            is_out: true,
        }];
        assert_eq!(state_text(&view), "cut off from storage");
        view.machine.powered = false;
        assert_eq!(
            state_class_and_text(&view, 0).map(|state| state.1).as_deref(),
            Some("machine is off")
        );
        view.registered = false;
        assert_eq!(
            state_class_and_text(&view, 0).map(|state| state.1).as_deref(),
            Some("no Node object")
        );
        assert_eq!(taint_chip("dedicated=db:NoSchedule"), "dedicated=db:NoSchedule");
        assert!(is_shown_as_state("node.kubernetes.io/unreachable:NoExecute"));
    }
}
