//! The tab "Why here?": the decision as a sentence, as a table and as the raw message; remedies for a pending pod.

use podscope_messages::{Sentence, listed, t};
use podscope_protocol::explained::{PreemptionExplanation, SpreadExplanation, VictimExplanation};
use podscope_protocol::{AnswerLimitation, MissingObjectsView, QueuePlace, QueueView, Request, explained};
use yew::prelude::*;

use super::icon;
use super::shown::{breakable_name, shown, text_with_code};
use crate::ctl::Ctl;
use crate::pure::explain::{self, DecisionView, Scores};
use crate::pure::{clock, names};
use crate::state::{RemediesView, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) pod: String,
    pub(crate) pending: bool,
    pub(crate) why: Option<Shared<DecisionView>>,
    pub(crate) help: Option<Shared<RemediesView>>,
    /// Text that says what a pod with a nominated node is waiting for.
    pub(crate) waits: Option<String>,
    /// Position in the scheduling queue, while the pod is pending.
    pub(crate) queue: Option<Box<QueueView>>,
    /// Limitations of all answers about this cluster.
    pub(crate) basis: Vec<AnswerLimitation>,
}

/// Maximum number of nodes listed under one reason, and of rows in the list of devices.
const MAX_NODES_PER_REASON: usize = 60;
/// Maximum number of nodes with a column in the score table.
const MAX_SCORE_COLUMNS: usize = 4;

#[component]
pub(crate) fn WhyHereTab(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let help = props.help.as_ref().filter(|help| help.pod == props.pod);
    // The remedies follow the reason directly, above the details.
    let remedies = if props.pending || help.is_some() {
        html! { <Remedies pod={props.pod.clone()} help={help.cloned()} place={props.queue.as_ref().map(|queue| queue.place.clone())} /> }
    } else {
        Html::default()
    };
    html! {
        <>
            { match &props.why {
                _ if let Some((what, said)) = missing_data(props) => html! {
                    <>
                        <div class="why">
                            <p class="lead">{ shown(&t!(why::nobody_can_say, what = what)) }</p>
                            if !said.is_empty() { <p>{ t!(why::real_scheduler_said) }{ " " }<span class="mono">{ shown(said) }</span></p> }
                        </div>
                        if *what != MissingObjectsView::Nodes { { remedies } }
                    </>
                },
                Some(why) if why.attempts.is_empty() => html! { <><p class="none">{ match &props.waits {
                    Some(waits) => shown(waits),
                    None if props.pending => html! { t!(why::not_looked_at_yet) },
                    None => html! { t!(why::scheduler_not_asked) },
                } }</p>{ remedies }</> },
                Some(why) => decision_html(&ctl, why, props.waits.as_deref(), assumption_list(why, &props.basis), remedies),
                None => html! { <><p class="none" aria-busy="true">{ "…" }</p>{ remedies }</> },
            } }
        </>
    }
}

/// Returns which objects are missing from the opened files, so that nobody can say why the pod is pending, and the
/// message of the real scheduler.
fn missing_data(props: &Props) -> Option<(&MissingObjectsView, &str)> {
    let queue = props.queue.as_ref()?;
    match &queue.place {
        QueuePlace::Unknown(what) => Some((what, &queue.message)),
        _ => None,
    }
}

/// The assumptions behind an answer, which limit it. The one about missing PodDisruptionBudgets is listed only if pods
/// would have to be evicted.
fn assumption_list(why: &DecisionView, all: &[AnswerLimitation]) -> Html {
    let matters = |limitation: &&AnswerLimitation| {
        **limitation != AnswerLimitation::NoBudgets || why.preemption.is_some() || !why.refused.is_empty()
    };
    html! { <>{ for all.iter().filter(matters).map(|limitation| html! { <p class="basis">{ text_with_code(&format!("{limitation}.")) }</p> }) }</> }
}

fn decision_html(ctl: &Ctl, why: &DecisionView, waits: Option<&str>, assumptions: Html, remedies: Html) -> Html {
    let at = why.attempts.iter().position(|attempt| attempt.id == why.attempt);
    let step = |to: Option<usize>| {
        to.and_then(|index| why.attempts.get(index)).map(|attempt| {
            ctl.on(Request::Explain {
                pod: why.pod.clone(),
                uid: why.uid.clone(),
                attempt: Some(attempt.id),
            })
        })
    };
    let back = step(at.and_then(|index| index.checked_sub(1)));
    let next = step(at.map(|index| index + 1));
    let info = at.and_then(|index| why.attempts.get(index));
    html! {
        <>
            <div class="why">
                <div class="attempt">
                    <span class="eyebrow">{ match (at, info) {
                        (Some(index), Some(attempt)) => t!(why::attempt, number = index + 1, count = why.attempts.len(), instant = clock::instant(attempt.at)),
                        _ => t!(why::last_attempt),
                    } }</span>
                    if why.attempts.len() > 1 {
                        <span>
                            <button type="button" class="quiet" disabled={back.is_none()} onclick={back} aria-label={t!(why::attempt_before)}>{ icon("back") }</button>
                            <button type="button" class="quiet" disabled={next.is_none()} onclick={next} aria-label={t!(why::next_attempt)}>{ icon("step") }</button>
                        </span>
                    }
                </div>
                if let Some(waits) = waits { <p class="lead">{ shown(waits) }</p> }
                <p class={waits.is_none().then_some("lead")}>{ shown(&why.sentence) }</p>
                if !why.meaning.is_empty() { <p>{ shown(&why.meaning) }</p> }
                { assumptions }
            </div>
            { remedies }
            if let Some(scores) = &why.scores { { score_table(scores) } }
            { for why.spread.iter().map(spread_table) }
            if let Some((explanation, nominated)) = &why.preemption { { preemption_html(explanation, nominated) } }
            if !why.devices.is_empty() { { device_lists(&why.devices) } }
            if !why.refused.is_empty() {
                <h3 class="eyebrow">{ t!(why::cannot_take_it, count = why.refused.len()) }</h3>
                { refused_nodes(why) }
            }
            if !why.message.is_empty() {
                <details class="raw"><summary>{ t!(why::as_the_event_says) }</summary><p class="mono" lang="en" translate="no">{ shown(&why.message) }</p></details>
            }
        </>
    }
}

/// Lists the nodes that cannot run the pod: single nodes, and groups of nodes with a common reason.
fn refused_nodes(why: &DecisionView) -> Html {
    let list = |nodes: &[&explain::RefusedNode]| {
        html! {
            <>
                <ul class="refused">{ for nodes.iter().take(MAX_NODES_PER_REASON).map(|(node, plugin, reason, words)| html! { <li title={format!("{plugin}: {reason}")}><b>{ breakable_name(node) }</b><span>{ words }</span></li> }) }</ul>
                if nodes.len() > MAX_NODES_PER_REASON { <p class="none">{ t!(why::and_more, count = nodes.len() - MAX_NODES_PER_REASON) }</p> }
            </>
        }
    };
    html! {
        { for why.grouped_refusals().iter().map(|nodes| match nodes.first() {
            Some((.., reason, _)) if nodes.len() > 1 => html! {
                <details class="raw"><summary><b>{ t!(why::nodes, count = nodes.len()) }</b>{ format!(": {reason}") }</summary>{ list(nodes) }</details>
            },
            _ => list(nodes),
        }) }
    }
}

/// Lists the devices of each node that would be allocated to the pod's claims.
fn device_lists(nodes: &[(Vec<String>, Vec<Sentence>)]) -> Html {
    html! {
        <section data-devices="">
            <h3 class="eyebrow">{ t!(why::devices) }</h3>
            <ul class="refused">
                { for nodes.iter().take(MAX_NODES_PER_REASON).map(|(nodes, lines)| html! {
                    <li><b>{ breakable_name(&listed(nodes)) }</b><span>{ for lines.iter().map(|line| html! { <p>{ shown(&line.to_string()) }</p> }) }</span></li>
                }) }
            </ul>
        </section>
    }
}

fn score_table(scores: &Scores) -> Html {
    let columns = scores.nodes.len().min(MAX_SCORE_COLUMNS);
    let most = scores
        .rows
        .iter()
        .flat_map(|row| row.cells.iter().flatten())
        .copied()
        .max()
        .unwrap_or(1)
        .max(1);
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={t!(why::scores)}>
        <table class="scores">
            <thead><tr><th scope="col">{ t!(why::plugin) }</th><th scope="col">{ "×" }<span class="sr">{ " " }{ t!(why::weight) }</span></th>
                { for scores.nodes.iter().take(columns).map(|node| html! { <th scope="col">{ node }</th> }) }</tr></thead>
            <tbody>
                { for scores.rows.iter().map(|row| html! {
                    <tr><th scope="row" title={row.about.clone()}>{ breakable_name(&row.plugin) }</th><td>{ row.weight }</td>
                        { for row.cells.iter().take(columns).map(|cell| match cell {
                            Some(value) => html! { <td class="bartd" ~style={format!("--w:{}%", value * 100 / most)}>{ value }</td> },
                            None => html! { <td>{ "–" }</td> },
                        }) }
                    </tr>
                }) }
                <tr class="total"><th scope="row">{ t!(why::total) }</th><td></td>
                    { for scores.totals.iter().take(columns).map(|total| html! { <td>{ total }</td> }) }</tr>
            </tbody>
        </table>
        { for scores.rows.iter().filter(|row| !row.score_notes.is_empty()).map(|row| html! {
            <details class="raw"><summary>{ t!(why::what_it_adds, plugin = row.plugin) }</summary>
                { for row.score_notes.iter().take(60).map(|(node, words)| html! { <p>{ format!("{node}: {words}") }</p> }) }</details>
        }) }
        if scores.nodes.len() > columns { <p class="none">{ t!(why::and_more_nodes, count = scores.nodes.len() - columns) }</p> }
        </div>
    }
}

fn spread_table(spread: &SpreadExplanation) -> Html {
    let limit = spread.min + spread.max_skew;
    let most = spread
        .domains
        .iter()
        .map(|domain| domain.count)
        .max()
        .unwrap_or(0)
        .max(limit)
        .max(1);
    html! {
        <section class="spread">
            <h3 class="eyebrow">{ t!(why::spread_by, key = spread.topology_key) }</h3>
            <p>{ skew_rule(spread, limit) }</p>
            <ul>
                { for spread.domains.iter().take(24).map(|domain| html! {
                    <li class={classes!((!domain.allowed).then_some("full"))}>
                        <span>{ &domain.value }</span>
                        <i ~style={format!("--v:{}%;--l:{}%", domain.count * 100 / most, limit * 100 / most)}></i>
                        <span class="mono">{ domain.count }</span>
                        if domain.is_scored {
                            <span class="word" title={t!(why::full_hint, skew = domain.skew)}>{ if domain.allowed { String::new() } else { t!(why::full) } }</span>
                        } else {
                            <span class="word" title={t!(why::not_scored_hint)}>{ t!(why::not_scored) }</span>
                        }
                    </li>
                }) }
            </ul>
        </section>
    }
}

/// Describes the count from which the skew is computed, and the maximum that is allowed.
fn skew_rule(spread: &SpreadExplanation, limit: i64) -> String {
    let (least, skew) = (spread.min, spread.max_skew);
    match (spread.too_few_domains, spread.hard) {
        (Some(few), true) => t!(
            why::spread_hard_few_domains,
            found = few.found,
            wanted = few.min_domains,
            skew = skew,
            limit = limit
        ),
        (Some(few), false) => t!(
            why::spread_soft_few_domains,
            found = few.found,
            wanted = few.min_domains,
            skew = skew,
            limit = limit
        ),
        (None, true) => t!(why::spread_hard, least = least, skew = skew, limit = limit),
        (None, false) => t!(why::spread_soft, least = least, skew = skew, limit = limit),
    }
}

fn preemption_html(explanation: &PreemptionExplanation, nominated: &str) -> Html {
    html! {
        <section class="preempt">
            <h3 class="eyebrow">{ t!(why::making_room) }</h3>
            <p>{ explained::preemption(explanation.result) }</p>
            if !explanation.candidates.is_empty() { <ul>
                { for explanation.candidates.iter().take(24).map(|candidate| html! {
                    <li class={classes!((candidate.node == nominated).then_some("win"))}>
                        <b>{ &candidate.node }{ if candidate.node == nominated { format!(" · {}", t!(why::nominated)) } else { String::new() } }</b>
                        <span>{ t!(why::victims, pods = victim_names(&candidate.victims)) }</span>
                        if !candidate.reprieved.is_empty() { <span>{ t!(why::may_stay, pods = victim_names(&candidate.reprieved)) }</span> }
                        if candidate.pdb_violations > 0 { <span class="bad">{ t!(why::against_budget, count = candidate.pdb_violations) }</span> }
                    </li>
                }) }
            </ul> }
            if !explanation.not_helped_nodes.is_empty() { <ul>
                { for explanation.not_helped_nodes.iter().take(24).map(|node_without_help| html! {
                    <li><b>{ &node_without_help.node }</b><span>{ explained::preemption_obstacle_text(&node_without_help.why) }</span></li>
                }) }
            </ul> }
        </section>
    }
}

fn victim_names(pods: &[VictimExplanation]) -> String {
    if pods.is_empty() {
        return t!(why::no_pods);
    }
    let node_without_help = |victim: &VictimExplanation| {
        t!(
            why::victim,
            pod = names::without_default_namespace(&victim.pod),
            priority = victim.priority
        )
    };
    listed(pods.iter().map(node_without_help))
}

#[derive(Properties, PartialEq)]
struct RemediesProps {
    pod: String,
    help: Option<Shared<RemediesView>>,
    place: Option<QueuePlace>,
}

/// Text when no remedy was found.
fn no_remedy_text(place: Option<&QueuePlace>) -> Html {
    match place {
        Some(QueuePlace::Unknown(what)) => shown(&t!(why::nothing_can_be_tried, what = what)),
        Some(QueuePlace::Foreign(name)) => shown(&t!(why::nothing_found_foreign, scheduler = name)),
        _ => html! { t!(why::nothing_found) },
    }
}

/// The remedies; they are scrolled into view when the first result arrives.
#[component]
fn Remedies(props: &RemediesProps) -> Html {
    let root = use_node_ref();
    {
        let root = root.clone();
        let has_result = (props.help.as_ref()).is_some_and(|help| help.done || !help.remedies.is_empty());
        use_effect_with((props.pod.clone(), has_result), move |(_, has_result)| {
            if let (true, Some(root)) = (*has_result, root.cast::<web_sys::Element>()) {
                crate::browser::scroll_into_view(&root);
            }
        });
    }
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let (pod, help) = (&props.pod, props.help.as_ref());
    let name = pod.rsplit('/').next().unwrap_or(pod);
    let ask = ctl.on(Request::WhatWouldHelp { pod: pod.clone() });
    html! {
        <section class="why help" ref={root}>
            { match help {
                None => html! { <button type="button" onclick={ask}>{ t!(why::what_would_help) }</button> },
                Some(help) => html! {
                    <>
                        <h3>{ t!(why::what_would_help_pod, pod = name) }</h3>
                        if !help.done {
                            <progress max="1000" value={help.per_mille.to_string()} aria-label={t!(why::trying)}></progress>
                            <button type="button" class="quiet" onclick={ctl.on(Request::CancelHelp)}>{ t!(why::stop) }</button>
                        }
                        if help.done && help.remedies.is_empty() { <p>{ no_remedy_text(props.place.as_ref()) }</p> }
                        <ul>
                            { for help.remedies.iter().enumerate().map(|(index, remedy)| html! {
                                <li>
                                    <span title={remedy.command.clone()}>{ remedy.to_string() }</span>
                                    if !remedy.command.is_empty() {
                                        <button type="button" onclick={ctl.on(Request::TryRemedy { index })} title={remedy.command.clone()}
                                            aria-label={t!(why::try_remedy, remedy = remedy)}>{ t!(why::try_on_branch) }</button>
                                    }
                                </li>
                            }) }
                        </ul>
                        if !help.groups.is_empty() {
                            <h4 class="eyebrow">{ t!(why::one_more_node) }</h4>
                            <ul class="groups">{ for help.groups.iter().map(|line| html! { <li>{ shown(&line.to_string()) }</li> }) }</ul>
                        }
                    </>
                },
            } }
        </section>
    }
}
