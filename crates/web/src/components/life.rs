//! The Life tab of the selection: conditions, containers, owners, volumes, and its termination as bars on a time axis.

use podscope_api::ConditionStatus;
use podscope_messages::t;
use podscope_protocol::{ContainerRole, InspectorContent, Mark, MarkLabel, Micros, SubjectRef};
use yew::prelude::*;

use super::icon;
use super::shown::shown;
use crate::ctl::Ctl;
use crate::pure::clock;
use crate::pure::scale::Span;
use crate::state::Shared;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) detail: Option<Shared<InspectorContent>>,
    pub(crate) now: Micros,
}

#[component]
pub(crate) fn Life(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let Some(detail) = &props.detail else {
        return html! { <p class="none">{ "…" }</p> };
    };
    let now = props.now;
    html! {
        <div class="life">
            if !detail.bars.is_empty() { { termination_chart(&detail.bars, now) } }
            if !detail.containers.is_empty() {
                <h3 class="eyebrow">{ t!(life::containers) }</h3>
                <ul class="containers">
                    { for detail.containers.iter().map(|container| html! {
                        <li>
                            <p><i class={classes!("dot", if container.ready { "ok" } else { "wait" })}></i><b>{ shown(&container.name) }</b>
                                { role_chip(container.role) }
                                <span class="sr">{ if container.ready { t!(life::ready) } else { t!(life::not_ready) } }</span>
                                if container.restarts > 0 { <span class="mono">{ t!(life::restarts, count = container.restarts) }</span> }</p>
                            <p class="two"><span>{ t!(life::api) }</span>{ shown(&container.state.to_string()) }</p>
                            <p class={classes!("two", container.differs.then_some("differs"))}><span>{ t!(life::machine) }</span>{ shown(&(container.process.as_ref()).map_or_else(|| t!(life::no_process), ToString::to_string)) }</p>
                            if let Some(restarted) = &container.restarted { <p class="two"><span>{ t!(life::rule) }</span>{ restarted.to_string() }</p> }
                            <p class="mono image">{ shown(&container.image) }</p>
                        </li>
                    }) }
                </ul>
            }
            if !detail.conditions.is_empty() {
                <h3 class="eyebrow">{ t!(life::conditions) }</h3>
                <table class="conditions"><tbody>
                    { for detail.conditions.iter().map(|one| html! {
                        <><tr>
                            <th scope="row">{ &one.kind }</th>
                            <td><span class={classes!("status", (one.status == ConditionStatus::True).then_some("yes"), (one.status == ConditionStatus::Unknown).then_some("unknown"))}>{ one.status.as_str().to_owned() }</span></td>
                            <td class="mono">{ clock::ago(one.since, now) }</td>
                        </tr>
                        if !one.reason.is_empty() || !one.message.is_empty() {
                            <tr class="of"><td colspan="3" lang="en" translate="no">{ shown(&one.reason) }if !one.message.is_empty() { <small>{ shown(&one.message) }</small> }</td></tr>
                        }</>
                    }) }
                </tbody></table>
            }
            if !detail.owners.is_empty() {
                <h3 class="eyebrow">{ t!(life::owned_by) }</h3>
                <ul class="chain">
                    { for detail.owners.iter().map(|(kind, key)| {
                        let subject = SubjectRef::Object { kind: kind.clone(), key: key.clone() };
                        let go = ctl.select(subject);
                        html! { <li><button type="button" class="quiet" onclick={go}>{ format!("{kind} {key}") }</button></li> }
                    }) }
                </ul>
            }
            if !detail.volumes.is_empty() {
                <h3 class="eyebrow">{ t!(life::volumes) }</h3>
                <dl class="volumes">{ for detail.volumes.iter().map(|(name, state)| html! { <div><dt>{ shown(name) }</dt><dd>{ shown(&state.to_string()) }</dd></div> }) }</dl>
            }
        </div>
    }
}

/// A chip with the container's role, unless it is an app container.
fn role_chip(role: ContainerRole) -> Html {
    let words = match role {
        ContainerRole::App => return Html::default(),
        ContainerRole::Init => t!(life::init),
        ContainerRole::Sidecar => t!(life::sidecar),
    };
    html! { <span class="chip">{ words }</span> }
}

/// The pod's termination as a Gantt chart: one labelled bar for each container and for each phase.
fn termination_chart(bars: &[Mark], now: Micros) -> Html {
    let from = bars.iter().map(|bar| bar.from).min().unwrap_or(0);
    let to = bars
        .iter()
        .filter_map(|bar| bar.to)
        .max()
        .unwrap_or(now)
        .max(now)
        .max(from + 1_000_000);
    let span = Span { from, to };
    let mut rows: Vec<(&MarkLabel, Vec<&Mark>)> = Vec::new();
    for bar in bars {
        match rows.iter_mut().find(|(name, _)| **name == bar.label) {
            Some((_, list)) => list.push(bar),
            None => rows.push((&bar.label, vec![bar])),
        }
    }
    html! {
        <section class="gantt">
            <h3 class="eyebrow">{ t!(life::termination) }</h3>
            { for rows.iter().map(|(name, list)| html! {
                <div class="lane"><span>{ name.to_string() }</span><div class="bars">
                    { for list.iter().map(|bar| {
                        let end = bar.to.unwrap_or(now).max(bar.from);
                        let (stage, from) = (super::timeline::mark_kind_class(bar.kind), clock::instant(bar.from));
                        let words = match bar.to.map(clock::instant) {
                            Some(to) => t!(life::stage_from_to, stage = stage, from = from, to = to),
                            None => t!(life::stage_until_now, stage = stage, from = from),
                        };
                        html! { <i class={format!("k-{stage}")} title={words.clone()}
                            ~style={format!("left:{:.2}%;width:{:.2}%", span.percent(bar.from), (span.percent(end) - span.percent(bar.from)).max(0.8))}><span class="sr">{ words }</span></i> }
                    }) }
                    <u ~style={format!("left:{:.2}%", span.percent(now.clamp(from, to)))}></u>
                </div></div>
            }) }
            <p class="keys"><span><i class="k-preStop"></i>{ "preStop" }</span><span><i class="k-sigterm"></i>{ "SIGTERM" }</span><span><i class="k-killed"></i>{ "SIGKILL" }</span>{ icon("clock") }{ clock::countdown(to, from) }</p>
        </section>
    }
}
