//! The inspector at the right: details of the selection, with the tabs Why here?, Life, Events and YAML.

use podscope_messages::{Message, inspector, t};
use podscope_protocol::{
    InspectorContent, Micros, PodMark, SubjectRef, Subtitle, Summary, WhatIf, cause_word, failures_title,
};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::devices;
use super::guarantee_details::GuaranteeDetails;
use super::icon;
use super::legend::{Legend, POD_ICON_MEANINGS};
use super::life::Life;
use super::pod;
use super::shown::shown;
use super::thread::CausalThreadView;
use super::why::WhyHereTab;
use super::yaml::Yaml;
use crate::browser::{self, Warn as _};
use crate::ctl::Ctl;
use crate::pure::actions::{self, Action};
use crate::pure::{clock, just_now, waits};
use crate::state::{Act, Dialog, Model, Page, Shared, Tab};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

const TABS: [(Tab, &str, Message); 4] = [
    (Tab::Why, "why", inspector::why_here),
    (Tab::Life, "life", inspector::life),
    (Tab::Events, "events", inspector::events),
    (Tab::Yaml, "yaml", inspector::yaml),
];

#[component]
pub(crate) fn Inspector(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    // The panel opens on the half of the stage in which the selected pod or node is not.
    let is_left = use_memo(page.session.selected.clone(), |selected| {
        selected
            .as_ref()
            .is_some_and(|subject| browser::is_in_right_half_of_stage(&selector_of(subject, &page.session.model)))
    });
    let Some(subject) = &page.session.selected else {
        let model = &page.session.model;
        let sums = [
            model.nodes.values().filter(|node| node.view.registered).count(),
            model.pods.size() - model.ghosts,
            model.ready,
            model.pending.len(),
            model.ghosts,
        ];
        let is_there = |mark: &PodMark| model.pods.values().any(|pod| pod.mark == *mark);
        let on_stage: Vec<PodMark> = POD_ICON_MEANINGS
            .iter()
            .map(|(mark, _)| *mark)
            .filter(is_there)
            .collect();
        let shut = ctl.act.reform(|_: MouseEvent| Act::Legend);
        return html! { <aside class="side" aria-label={t!(inspector::legend)} tabindex="0"><button type="button" class="quiet shut" onclick={shut} aria-label={t!(inspector::close_legend)}>{ icon("cross") }</button><Legend {sums} owners={model.owners.clone()} {on_stage} log={just_now::recent_event_lines(model)} /></aside> };
    };
    let close = ctl.act.reform(|_: MouseEvent| Act::Select(None));
    let tabs: Vec<_> = TABS
        .into_iter()
        .filter(|(tab, ..)| match subject {
            SubjectRef::Pod { .. } => true,
            SubjectRef::FailedRequests { .. } => *tab == Tab::Life,
            _ => *tab != Tab::Why,
        })
        .collect();
    let onkeydown = {
        let (ctl, now) = (ctl.clone(), page.session.tab);
        let order: Vec<Tab> = tabs.iter().map(|(tab, ..)| *tab).collect();
        Callback::from(move |event: KeyboardEvent| {
            let here = order.iter().position(|tab| *tab == now).unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowRight" => (here + 1) % order.len(),
                "ArrowLeft" => (here + order.len() - 1) % order.len(),
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            ctl.act.emit(Act::Tab(order[next]));
            focus_tab(next, &event);
        })
    };
    let mut fallback = InspectorContent::default();
    let detail = match &page.session.detail {
        Some(detail) => &**detail,
        None => {
            fill_detail_from_model(&mut fallback, subject, &page.session.model);
            &fallback
        }
    };
    // The subtitle that the page shows until the engine answers consists of names, which must not be translated.
    let translate = matches!(detail.subtitle, Subtitle::Known(_)).then_some("no");
    html! {
        <aside class={classes!("side", is_left.then_some("left"))} aria-label={t!(inspector::details)} tabindex="-1" data-subject={detail.title.clone()}>
            <header class="subject">
                { subject_icon(subject, &page.session.model) }
                <div><h2>{ shown(&detail.title) }</h2><p {translate}>{ shown(&detail.subtitle.to_string()) }</p></div>
                <button type="button" class="quiet" onclick={close} aria-label={t!(inspector::close)} title={t!(inspector::close_hint)}>{ icon("cross") }</button>
            </header>
            if let SubjectRef::Invariant { name } = subject { <GuaranteeDetails name={name.clone()} sentence={detail.summary.to_string()} model={page.session.model.clone()} guarantees={page.shell.guarantees.clone()} /> }
            else if detail.summary != Summary::Nothing && page.session.time_question().is_none() { <p class="sentence">{ shown(&detail.summary.to_string()) }</p> }
            { action_buttons(&ctl, detail, subject, &page.session.model) }
            <div class="tabs" role="tablist" aria-label={t!(inspector::details)} {onkeydown}>
                { for tabs.iter().map(|(tab, id, name)| {
                    let on = page.session.tab == *tab;
                    let tab = *tab;
                    let go = ctl.act.reform(move |_: MouseEvent| Act::Tab(tab));
                    html! {
                        <button type="button" role="tab" id={format!("tab-{id}")} aria-selected={on.to_string()} aria-controls="tabpanel"
                            tabindex={if on { "0" } else { "-1" }} onclick={go}>{ name.text() }</button>
                    }
                }) }
            </div>
            <div id="tabpanel" role="tabpanel" tabindex="0" aria-labelledby={format!("tab-{}", TABS.iter().find(|tab| tab.0 == page.session.tab).map_or("life", |tab| tab.1))}>
                { tab_content(&ctl, page, detail) }
            </div>
        </aside>
    }
}

/// Returns the CSS selector of the element that draws the subject on the stage; empty if no element does.
fn selector_of(subject: &SubjectRef, model: &Model) -> String {
    let quoted = |name: &str| name.replace(['"', '\\'], "");
    match subject {
        SubjectRef::Pod { key, uid } => {
            let id = model.pod(key, uid).map_or("", |pod| pod.id.as_str());
            format!("#stage [data-id=\"{}\"]", quoted(id))
        }
        SubjectRef::Node { name } => format!("#stage [data-node=\"{}\"]", quoted(name)),
        _ => String::new(),
    }
}

/// One second of simulated time. Deadlines are shown in whole seconds, so the chain of causes is drawn again once per
/// second.
const SECOND: Micros = 1_000_000;

/// Lists the devices of the selected node.
fn node_devices(ctl: &Ctl, page: &Page) -> Html {
    match &page.session.selected {
        Some(SubjectRef::Node { name }) => devices::device_list(
            ctl,
            page.session
                .model
                .devices
                .get(name)
                .map(Vec::as_slice)
                .unwrap_or_default(),
        ),
        _ => Html::default(),
    }
}

/// Renders the content of the open tab.
fn tab_content(ctl: &Ctl, page: &Page, detail: &InspectorContent) -> Html {
    match page.session.tab {
        Tab::Why | Tab::Life if would_reveal_answer(page) => {
            html! { <p class="hidden-answer">{ t!(inspector::hidden_answer) }</p> }
        }
        Tab::Why => {
            let key = page.session.selected_pod().unwrap_or_default().0.to_string();
            let pending = page.session.selected_pod_view().is_some_and(|pod| pod.node.is_empty());
            html! { <WhyHereTab pod={key} {pending} why={page.session.decision().cloned()} help={page.session.help.clone()} waits={page.session.selected_pod_view().and_then(|pod| waits::victim_waiting_text(pod, page.session.model.now).or_else(|| waits::why_no_scheduler_tries(pod)))}
            queue={page.session.selected_pod_view().and_then(|pod| pod.queue.clone())}
            basis={page.session.opened.as_ref().map(|opened| opened.basis.clone()).unwrap_or_default()} /> }
        }
        Tab::Life => {
            html! { <><CausalThreadView thread={page.session.model.thread.clone()} now={page.session.model.now / SECOND * SECOND} />{ node_devices(ctl, page) }<Life detail={page.session.detail.clone()} now={page.session.model.now} /></> }
        }
        Tab::Events => events_tab(detail, page.session.model.now),
        Tab::Yaml => {
            let ghost =
                page.session.selected_pod().is_some() && detail.yaml.is_empty() && page.session.detail.is_some();
            html! { <Yaml text={detail.yaml.clone()} anonymises={page.session.anonymises} pick={page.session.selected.clone().filter(|_| page.shell.records_lesson)} {ghost} /> }
        }
    }
}

/// Returns whether the tab would reveal the answer to the open question: the decision tab always would, the life tab if
/// the question asks for a time.
fn would_reveal_answer(page: &Page) -> bool {
    page.session.model.story.question.is_some()
        && (page.session.tab == Tab::Why || page.session.time_question().is_some())
}

fn focus_tab(index: usize, event: &KeyboardEvent) {
    let list = event
        .current_target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let tab = list
        .and_then(|list| list.children().item(index as u32))
        .and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(tab) = tab {
        tab.focus().warn();
    }
}

/// Fills the details from the page's own view model, until the engine sends the full details.
fn fill_detail_from_model(detail: &mut InspectorContent, subject: &SubjectRef, model: &Model) {
    match subject {
        SubjectRef::Pod { key, uid } => {
            let (namespace, name) = key.split_once('/').unwrap_or(("", key));
            detail.title = name.to_string();
            let (owner, node) = (model.pod(key, uid)).map_or(("", ""), |pod| (&pod.owner, &pod.node));
            detail.subtitle = Subtitle::Known([namespace, owner, node].map(str::to_owned));
        }
        SubjectRef::Node { name } => detail.title.clone_from(name),
        SubjectRef::Object { kind, key } => {
            detail.title.clone_from(key);
            detail.subtitle = Subtitle::Kind(kind.clone());
        }
        SubjectRef::FailedRequests { service, .. } => {
            detail.title = failures_title(service);
            detail.subtitle = Subtitle::FailedRequests;
        }
        SubjectRef::Invariant { name } => {
            detail.title.clone_from(name);
            detail.subtitle = Subtitle::Invariant;
            if let Some(broken) = model.plane.broken.iter().find(|broken| broken.name == *name) {
                detail.summary = Summary::Broken(broken.clone());
            }
        }
    }
}

fn subject_icon(subject: &SubjectRef, model: &Model) -> Html {
    match subject {
        SubjectRef::Pod { key, uid } => match model.pod(key, uid) {
            Some(pod) => {
                html! { <span class={classes!("pod", "still", pod::class(pod.mark), format!("h{}", model.hue(&pod.owner)))} aria-hidden="true"><span class="face"><span class="t">{ &pod.short }</span></span></span> }
            }
            None => html! { <span class="pod still m-gone" aria-hidden="true"><span class="face"></span></span> },
        },
        SubjectRef::Invariant { .. } => html! { <span class="kind">{ icon("shield") }</span> },
        _ => html! { <span class="kind">{ icon("fit") }</span> },
    }
}

/// Buttons for the actions on the subject.
fn action_buttons(ctl: &Ctl, detail: &InspectorContent, subject: &SubjectRef, model: &Model) -> Html {
    let list = match subject {
        SubjectRef::Pod { key, uid } => model.pod(key, uid).map(|pod| actions::pod(pod)).unwrap_or_default(),
        SubjectRef::Node { name } => model
            .nodes
            .get(name)
            .map(|node| actions::node(&node.view))
            .unwrap_or_default(),
        // The YAML of a deleted object is empty.
        SubjectRef::Object { kind, key } if !detail.yaml.is_empty() => actions::object(kind, key, detail.replicas),
        _ => Vec::new(),
    };
    if list.is_empty() {
        return Html::default();
    }
    let question = match subject {
        SubjectRef::Node { name } => Some((inspector::what_if_it_goes, WhatIf::Drain(vec![name.clone()]))),
        SubjectRef::Pod { key, uid } => (model.pod(key, uid).filter(|pod| actions::can_be_counted(pod))).map(|_| {
            (
                inspector::how_many_more_fit,
                WhatIf::Fit {
                    pod: key.clone(),
                    need: 0,
                },
            )
        }),
        _ => None,
    };
    let what_if = question.map(|(words, change)| {
        let ask = ctl
            .act
            .reform(move |_: MouseEvent| Act::Dialog(Dialog::WhatIf(change.clone())));
        html! { <button type="button" onclick={ask} aria-haspopup="dialog">{ words.text() }</button> }
    });
    html! {
        <div class="doings" role="group" aria-label={t!(inspector::what_can_be_done)}>
            { for what_if }
            { for list.iter().map(|one| action(ctl, one)) }
        </div>
    }
}

/// A button for one action.
pub(crate) fn action(ctl: &Ctl, action: &Action) -> Html {
    let run = {
        let (ctl, action) = (ctl.clone(), action.clone());
        Callback::from(move |_: MouseEvent| ctl.run(&action.command))
    };
    html! { <button type="button" class={classes!(action.is_dangerous.then_some("danger"))} onclick={run} title={action.command.clone()}>{ &action.label }</button> }
}

fn events_tab(detail: &InspectorContent, now: Micros) -> Html {
    if detail.events.is_empty() && detail.breaks.is_empty() {
        return html! { <p class="none">{ t!(inspector::no_events) }</p> };
    }
    html! {
        <ol class="events">
            { for detail.breaks.iter().map(|broken| html! {
                <li class="warning">
                    <span class="mono when" title={clock::instant(broken.at)}>{ clock::ago(broken.at, now) }</span>
                    <b>{ cause_word(broken.cause) }</b>
                    <span class="from">{ shown(&broken.by.to_string()) }</span>
                    <p>{ shown(&broken.seen.to_string()) }</p>
                </li>
            }) }
            { for detail.events.iter().map(|event| html! {
                <li class={classes!(event.is_warning.then_some("warning"))}>
                    <span class="mono when" title={clock::instant(event.at)}>{ clock::ago(event.at, now) }</span>
                    <b>{ shown(&event.reason) }</b>
                    if event.count > 1 { <span class="mono">{ format!("×{}", event.count) }</span> }
                    <span class="from">{ shown(&event.from) }</span>
                    <p lang="en" translate="no">{ shown(&event.message) }</p>
                </li>
            }) }
        </ol>
    }
}
