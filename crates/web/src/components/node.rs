//! A node's card: what the API says of it, and, where they differ, what its machine does.

use podscope_api::{ConditionStatus, ordered, visible};

use podscope_protocol::{Cut, CutFrom, Micros, NodeView, OwnerView};
use yew::prelude::*;

use super::icon;
use super::pod::Pod;
use super::shown::{dotted, shown};
use super::story::AnswerMark;
use crate::pure::explain::NodeAnswer;
use crate::pure::find::Filter;
use crate::pure::{actions, belief, clock, quantity};
use crate::state::{HUES, NodeState, Shared, Truth};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) node: Shared<NodeState>,
    pub(crate) owners: Shared<ordered::Map<String, OwnerView>>,
    /// The present, for nodes on which something counts down; 0 for the others.
    pub(crate) now: Micros,
    /// Id of the selected pod, if it is here.
    #[prop_or_default]
    pub(crate) selected_pod: Option<String>,
    #[prop_or_default]
    pub(crate) selected: bool,
    #[prop_or_default]
    pub(crate) verdict: Option<NodeAnswer>,
    /// A decision is shown, and says nothing of this node.
    #[prop_or_default]
    pub(crate) aside: bool,
    #[prop_or_default]
    pub(crate) victims: Vec<String>,
    #[prop_or_default]
    pub(crate) highlighted: bool,
    /// What does not match is drawn dimly.
    #[prop_or_default]
    pub(crate) filter: Option<Shared<Filter>>,
    /// Ids of pods here that another run beside this one does not have so.
    #[prop_or_default]
    pub(crate) differing: Vec<String>,
    /// Whose picture it is.
    #[prop_or_default]
    pub(crate) truth: Truth,
    /// What is told here of an answer to a question.
    #[prop_or_default]
    pub(crate) told: Option<AnswerMark>,
    /// And on pods here, by their ids.
    #[prop_or_default]
    pub(crate) told_pods: Vec<(String, AnswerMark)>,
}

/// The state of a node in a few words, if it is not simply ready.
fn state(node: &NodeView, now: Micros) -> Option<(&'static str, String)> {
    let machine = &node.machine;
    if !node.registered {
        return Some(("ghost", "no Node object".into()));
    }
    if machine.exists && !machine.powered {
        return Some(("bad", "machine is off".into()));
    }
    let heard = machine.last_heartbeat.map(|heard| clock::ago(heard, now.max(heard)));
    if let Some(heard) = heard.as_ref().filter(|_| machine.lost().1) {
        return Some(("bad", format!("cut off, last heard {heard} ago")));
    }
    match node.ready {
        ConditionStatus::True => cut_words(&machine.cuts).map(|words| ("bad", words)),
        ConditionStatus::Unknown => Some(("bad", format!("unreachable {}", heard.unwrap_or_default()))),
        _ if node.ready_reason.is_empty() => Some(("bad", "not ready".into())),
        _ => Some(("bad", format!("not ready: {}", node.ready_reason))),
    }
}

/// What a machine is cut off from, and which way; none if from nothing.
fn cut_words(cuts: &[Cut]) -> Option<String> {
    let one = |cut: &Cut| match (cut.is_in, cut.is_out) {
        (true, false) => format!("nothing from {} arrives", cut.from),
        (false, true) => format!("nothing arrives at {}", cut.from),
        _ => format!("cut off from {}", cut.from),
    };
    let first = one(cuts.first()?);
    let is_whole = |from: &CutFrom| cuts.iter().any(|cut| cut.from == *from && cut.is_in && cut.is_out);
    if [CutFrom::ControlPlane, CutFrom::Nodes, CutFrom::Storage]
        .iter()
        .all(is_whole)
    {
        return Some("cut off".into());
    }
    Some(match cuts.len() {
        1 => first,
        _ if cuts.iter().all(|cut| !cut.is_out) => "nothing that is sent to it arrives".into(),
        more => format!("{first} and {} more", more - 1),
    })
}

/// The same as one of the two truths has it: the API server knows nothing of machines, a machine nothing of beliefs.
fn state_of(node: &NodeView, truth: Truth, now: Micros) -> Option<(&'static str, String)> {
    let machine = &node.machine;
    match truth {
        Truth::Both => state(node, now),
        Truth::Api if !node.registered => Some(("ghost", "no Node object".into())),
        Truth::Api => match node.ready {
            ConditionStatus::True => None,
            ConditionStatus::Unknown => Some(("bad", "NotReady".into())),
            _ => Some(("bad", format!("not ready: {}", node.ready_reason))),
        },
        Truth::Machine => match machine {
            machine if !machine.exists => Some(("ghost", "no machine".into())),
            machine if !machine.powered => Some(("bad", "off".into())),
            machine if machine.lost() == (true, true) => Some(("bad", "cut off".into())),
            machine if !machine.kubelet => Some(("bad", "no kubelet runs".into())),
            machine if !machine.runtime => Some(("bad", "no runtime answers".into())),
            machine => cut_words(&machine.cuts).map(|words| ("bad", words)),
        },
    }
}

/// What a screen reader hears of the card.
pub(super) fn label(node: &NodeState, now: Micros) -> String {
    let view = &node.view;
    let mut text = format!("Node {}", view.name);
    match state(view, now) {
        Some((_, words)) => text.push_str(&format!(", {words}")),
        None => text.push_str(", ready"),
    }
    if view.cordoned {
        text.push_str(", cordoned");
    }
    text.push_str(&match view.only_name {
        true => format!(", {} pods, only its name is known", node.pods.len()),
        false => format!(", {} pods, cpu {}", node.pods.len(), quantity::cpu(view.cpu)),
    });
    for line in &view.machine.differs {
        text.push_str(&format!(". {line}"));
    }
    visible(&text).into_owned()
}

/// The taints that the state already says.
fn said_elsewhere(taint: &str) -> bool {
    [
        "node.kubernetes.io/unschedulable",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/not-ready",
    ]
    .iter()
    .any(|t| taint.starts_with(t))
}

/// A chip's text: the key without its well-known domain.
fn taint_chip(taint: &str) -> String {
    taint.strip_prefix("node.kubernetes.io/").unwrap_or(taint).to_string()
}

/// The card.
#[component]
pub(crate) fn Node(props: &Props) -> Html {
    let node = &*props.node;
    let view = &node.view;
    let machine = &view.machine;
    let truth = props.truth;
    let (shows_api, shows_machine) = (truth != Truth::Machine, truth != Truth::Api);
    let cut = !machine.cuts.is_empty() && shows_machine;
    let dark = machine.exists && !machine.powered && shows_machine;
    let found = |pod: &podscope_protocol::PodView| {
        (props.filter.as_ref()).is_none_or(|filter| filter.finds_node(view) || filter.finds_pod(pod))
    };
    let out = props.filter.as_ref().is_some_and(|filter| !filter.finds_on(node));
    let pods: Vec<_> = (node.pods.iter())
        .filter_map(|pod| Some((pod, belief::mark(pod, view, truth)?)))
        .collect();
    let nominated = if shows_api { node.nominated.as_slice() } else { &[] };
    let dim = props.aside || props.verdict.as_ref().is_some_and(|v| !v.fits);
    let win = props.verdict.as_ref().is_some_and(|v| v.chosen);
    let command = actions::toggle_cut(view);
    let said = if cut {
        format!("Heal the links of {}", view.name)
    } else {
        format!("Cut {} off from everything", view.name)
    };
    html! {
        <article
            class={classes!("node", cut.then_some("cut"), dark.then_some("dark"), dim.then_some("dim"), win.then_some("win"),
                props.selected.then_some("sel"), props.highlighted.then_some("lit"), out.then_some("out"), props.told.map(AnswerMark::outline))}
            data-node={view.name.clone()}
            data-ready={view.ready.to_string()}
            data-drop={view.name.clone()}
            aria-label={label(node, props.now)}
        >
            if machine.exists {
                <button type="button" class="wire" data-wire={view.name.clone()} data-run={command.clone()}
                    aria-label={format!("{said}: {command}")} title={format!("{said}\n{command}")}>
                    { icon(if cut { "cut" } else { "link" }) }
                </button>
            }
            <div class="body">
            { heading(props) }
            <div class="meters mono">
                // Requests are the API server's: on a machine are processes.
                if shows_api && view.only_name {
                    <span class="count">{ format!("{} · only its name is known", pods_of(view)) }</span>
                } else if shows_api {
                    { meter("cpu", quantity::percent(view.cpu), quantity::cpu(view.cpu)) }
                    { meter("mem", quantity::percent(view.memory), quantity::memory(view.memory)) }
                    <span class="count">{ format!("{} / {} pods", view.pods.0, view.pods.1) }</span>
                } else {
                    <span class="count">{ match machine.running.len() { 1 => "1 pod runs".into(), pods => format!("{pods} pods run") } }</span>
                }
            </div>
            if !pods.is_empty() || !nominated.is_empty() {
                <div class="pods" role="group" aria-label={format!("Pods on {}", view.name)}>
                    { for pods.iter().map(|(pod, mark)| html! {
                        <Pod key={pod.id.clone()} pod={(*pod).clone()} drawn={*mark} now={props.now} hue={hue(&props.owners, &pod.owner)} out={!found(pod)} differs={props.differing.contains(&pod.id)}
                            selected={props.selected_pod.as_ref() == Some(&pod.id)} victim={props.victims.contains(&pod.key)} told={AnswerMark::on(&props.told_pods, &pod.id)} />
                    }) }
                    { for nominated.iter().map(|pod| html! {
                        <span key={format!("n{}", pod.id)} class={classes!("nominee", format!("h{}", hue(&props.owners, &pod.owner)))}
                            title={format!("{} is nominated here: room is being made for it", pod.key)}>
                            <span class="sr">{ "nominated here: " }</span>{ shown(&pod.short) }
                        </span>
                    }) }
                </div>
            }
            if shows_api { { taints(view) } }
            { truths(view, truth, props.now) }
            </div>
        </article>
    }
}

/// Its name, its state, and what a decision or an answer says of it.
fn heading(props: &Props) -> Html {
    let view = &props.node.view;
    let state = state_of(view, props.truth, props.now);
    let dot = match (&state, view.cordoned) {
        (Some(_), _) => "bad",
        (None, true) => "wait",
        (None, false) => "ok",
    };
    html! {
        <h3>
            <i class={classes!("dot", dot)}></i>
            <button type="button" class="name" data-nav="node" data-select-node={view.name.clone()}
                aria-pressed={if props.selected { "true" } else { "false" }}>{ dotted(&view.name) }</button>
            if let Some((kind, words)) = &state {
                <span class={classes!("chip", *kind)}>{ shown(words) }</span>
            }
            if view.cordoned && props.truth != Truth::Machine { <span class="chip wait">{ "cordoned" }</span> }
            if let Some((class, words)) = props.told.map(AnswerMark::said) { <span class={classes!("told", class)}>{ words }</span> }
            if let Some(verdict) = &props.verdict {
                <span class={classes!("verdict", if verdict.fits { "fits" } else { "not" })} title={visible(&verdict.text).into_owned()}>
                    { icon(if verdict.fits { "check" } else { "cross" }) }
                    <span>{ shown(&verdict.text) }</span>
                </span>
            }
        </h3>
    }
}

/// Pressure, and the taints that its state does not say.
fn taints(view: &NodeView) -> Html {
    let taints: Vec<&String> = view.taints.iter().filter(|t| !said_elsewhere(t)).collect();
    if taints.is_empty() && view.pressure.is_empty() {
        return Html::default();
    }
    html! {
        <p class="chips">
            { for view.pressure.iter().map(|p| html! { <span class="chip bad">{ p }</span> }) }
            { for taints.iter().map(|t| html! { <span class="chip" title={format!("Taint {t}")}>{ taint_chip(t) }</span> }) }
        </p>
    }
}

/// Where what the API believes and what the machine does are two things.
fn truths(view: &NodeView, truth: Truth, now: Micros) -> Html {
    let machine = &view.machine;
    let (shows_api, shows_machine) = (truth != Truth::Machine, truth != Truth::Api);
    let believed = belief::words(view, now).filter(|_| shows_api);
    let said = |line: &podscope_protocol::Difference| match truth {
        Truth::Machine => line.on_machine(),
        _ => Some(line.to_string()),
    };
    let pressure = shows_api && !view.pressure.is_empty();
    if believed.is_none() && !pressure && (!shows_machine || machine.differs.is_empty() && machine.fenced.is_empty()) {
        return Html::default();
    }
    html! {
        <p class="truth">
            if let Some(believed) = believed { <span class="api"><b>{ "API" }</b><span>{ believed }</span></span> }
            if pressure { <span class="api"><b>{ "API" }</b><span>{ pressure_ends(view) }</span></span> }
            if shows_machine {
                { for machine.differs.iter().filter_map(said).map(|line| html! { <span>{ icon("ghost") }{ shown(&line) }</span> }) }
                { for machine.fenced.iter().map(|by| html! { <span>{ icon("shield") }{ by.to_string() }</span> }) }
            }
        </p>
    }
}

/// How many pods are here, where nobody knows how many may be.
fn pods_of(view: &NodeView) -> String {
    match view.pods.0 {
        1 => "1 pod".into(),
        pods => format!("{pods} pods"),
    }
}

/// When the API stops telling of pressure.
fn pressure_ends(view: &NodeView) -> &'static str {
    if view.pressure_lasts {
        "Pressure as in the files, which nobody measures here: it lasts until the machine is started anew"
    } else {
        "Pressure is told for 5 min more once it is over, unless evictionPressureTransitionPeriod says otherwise"
    }
}

fn hue(owners: &ordered::Map<String, OwnerView>, owner: &str) -> u8 {
    owners.get(owner).map_or(HUES, |o| o.hue % HUES)
}

fn meter(name: &'static str, percent: i64, text: String) -> Html {
    html! {
        <div class={classes!("meter", (percent >= 90).then_some("full"))}>
            <span>{ name }</span><i ~style={format!("--v:{percent}%")}></i><span>{ text }</span>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{CutFrom, MachineView};

    /// What is made up of a node is not told, and what lasts is not promised to end.
    /// Shows: P-09, U-15
    #[test]
    fn a_node_of_a_dump_tells_no_more_than_the_dump() {
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
            label(&state(&view), 0),
            "Node ip-1, ready, 0 pods, only its name is known"
        );
        view.only_name = false;
        assert!(label(&state(&view), 0).contains("cpu 0.7 / 6"));
        assert!(pressure_ends(&view).contains("5 min more"));
        view.pressure_lasts = true;
        assert!(pressure_ends(&view).contains("until the machine is started anew"));
    }

    /// A cut node says so, with the age of what the API knows.
    /// Shows: F-01, U-02, U-08
    #[test]
    fn a_node_says_its_state_in_words() {
        let mut view = NodeView {
            name: "b-1".into(),
            registered: true,
            ready: ConditionStatus::True,
            ..NodeView::default()
        };
        assert_eq!(state(&view, 0), None);
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
            state(&view, 92_000_000).map(|s| s.1).as_deref(),
            Some("cut off, last heard 82 s ago")
        );
        // F-01: a link to storage, or one way to it, leaves its heartbeats alone.
        view.machine.last_heartbeat = None;
        view.machine.cuts[0].is_out = false;
        let told = |view: &NodeView| state(view, 0).map(|s| s.1).unwrap_or_default();
        assert_eq!(told(&view), "nothing from the control plane arrives");
        view.machine.cuts = vec![Cut {
            from: CutFrom::Storage,
            is_in: true,
            is_out: true,
        }];
        assert_eq!(told(&view), "cut off from storage");
        view.machine.powered = false;
        assert_eq!(state(&view, 0).map(|s| s.1).as_deref(), Some("machine is off"));
        view.registered = false;
        assert_eq!(state(&view, 0).map(|s| s.1).as_deref(), Some("no Node object"));
        assert_eq!(taint_chip("dedicated=db:NoSchedule"), "dedicated=db:NoSchedule");
        assert!(said_elsewhere("node.kubernetes.io/unreachable:NoExecute"));
    }
}
