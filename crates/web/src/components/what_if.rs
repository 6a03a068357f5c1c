//! The answer to a what-if question: where the pods would go, which budgets block, what breaks, or how many more pods fit.
//! It lies beside the stage, which shows the pods where they would go, or each node's room. The run is not changed.

use podscope_protocol::{NodeRoom, PodMove, Request, WhatIf, WhatIfAnswer};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::dialog::Modal;
use super::figures;
use super::make_room::MakeRoom;
use super::shown::shown;
use crate::browser;
use crate::ctl::Ctl;
use crate::pure::{clock, names};
use crate::state::{Act, Dialog, Shared};

/// Number of rows and of lines below a heading; the copied text has all.
const MAX_ROWS: usize = 400;
/// Number of nodes that a title names.
const NAMED: usize = 3;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) change: WhatIf,
    /// `None` while the engine works.
    pub(crate) answer: Option<Shared<WhatIfAnswer>>,
    /// The done part of the engine's work, in per mille, if it is known.
    pub(crate) done: Option<u32>,
    /// Zone of the node in question, to ask for the whole zone next.
    pub(crate) zone: Option<String>,
    /// The stage is a picture, which does not show the answer.
    pub(crate) is_picture: bool,
}

#[component]
pub(crate) fn WhatIfView(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    {
        let send = ctl.send.clone();
        use_effect_with(props.change.clone(), move |change| {
            send.emit(Request::WhatIf(Some(change.clone())));
            move || {
                send.emit(Request::WhatIf(None));
                browser::catch_focus(&["#stage .node.sel .name", ".side"]);
            }
        });
    }
    let title = title(&props.change);
    let zone = props.zone.clone().map(|zone| {
        let ask = ctl
            .act
            .reform(move |_: MouseEvent| Act::Dialog(Dialog::WhatIf(WhatIf::LoseZone(zone.clone()))));
        html! { <button type="button" class="quiet" onclick={ask}>{ "And the whole zone?" }</button> }
    });
    let stop = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::None));
    let is_count = matches!(props.change, WhatIf::Fit { .. });
    let doing = match props.change {
        WhatIf::Fit { need: 0, .. } => "The scheduler places copies in a copy of the cluster",
        WhatIf::Fit { .. } => "Changes are tried in copies of the cluster",
        WhatIf::Consolidate => "The emptiest nodes are drained in a copy of the cluster",
        _ => "A copy of the cluster runs",
    };
    html! {
        <Modal key={title.clone()} title={title.clone()} class="what-if" beside=true>
            if let Some(answer) = &props.answer { { content(&ctl, props, answer, zone.unwrap_or_default()) } }
            else {
                <p class="none" role="status">{ doing }{ "…" }</p>
                // How many copies will fit is not known before.
                <progress max="1000" value={props.done.filter(|_| !is_count).map(|done| done.to_string())} aria-label={doing}></progress>
                <div class="row"><button type="button" onclick={stop}>{ "Stop" }</button></div>
            }
            if let WhatIf::Fit { pod, need } = &props.change {
                <MakeRoom pod={pod.clone()} need={*need} fits={props.answer.as_ref().map(|answer| n_copies(answer))}
                    changes={props.answer.as_ref().map_or_else(Vec::new, |answer| answer.changes.clone())} />
            }
        </Modal>
    }
}

fn title(change: &WhatIf) -> String {
    match change {
        WhatIf::Drain(nodes) => {
            let named = nodes.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let verb = if nodes.len() == 1 { "is" } else { "are" };
            match nodes.len().saturating_sub(NAMED) {
                0 => format!("What if {named} {verb} drained?"),
                more => format!("What if {named} and {more} more are drained?"),
            }
        }
        WhatIf::LoseZone(zone) => format!("What if zone {zone} loses its power?"),
        WhatIf::Consolidate => "Which nodes can go?".to_owned(),
        WhatIf::Figures => "Figures of both runs".to_owned(),
        WhatIf::Fit { pod, .. } => format!("How many more pods like {} fit?", names::without_default(pod)),
    }
}

fn content(ctl: &Ctl, props: &Props, answer: &WhatIfAnswer, zone: Html) -> Html {
    let copy = {
        let (act, text) = (ctl.act.clone(), answer.markdown.clone());
        Callback::from(move |_: MouseEvent| {
            let (act, text) = (act.clone(), text.clone());
            spawn_local(async move {
                let words = match browser::copy(text).await {
                    true => "The answer is copied as Markdown.",
                    false => "The browser does not allow copying here.",
                };
                act.emit(Act::Toast(words.into()));
            });
        })
    };
    let drain = match &answer.change {
        WhatIf::Drain(nodes) => {
            let (ctl, line) = (
                ctl.clone(),
                format!(
                    "kubectl drain {} --ignore-daemonsets --delete-emptydir-data",
                    nodes.join(" ")
                ),
            );
            let words = if nodes.len() == 1 { "Drain it" } else { "Drain them" };
            let run = Callback::from(move |_: MouseEvent| {
                ctl.act.emit(Act::Dialog(Dialog::None));
                ctl.run(&line);
            });
            html! { <button type="button" onclick={run}>{ words }</button> }
        }
        _ => Html::default(),
    };
    let contents = match answer.change {
        WhatIf::Figures => "Figures and plots",
        WhatIf::Fit { .. } => "Nodes, and what stops the next pod",
        WhatIf::Consolidate => "Nodes, in the order of their drains",
        _ => "Pods, nodes and what breaks",
    };
    let at = clock::instant(answer.at);
    let origin = match answer.change {
        WhatIf::Figures => format!("As of {at}."),
        _ => format!("Tried on a copy of the cluster as of {at}; your run has not changed."),
    };
    html! {
        <>
            <p class="lead" role="status">{ shown(&answer.summary) }</p>
            if props.is_picture && answer.change != WhatIf::Figures { <p class="none">{ "The cluster is too large for marks on the stage: the table alone says where the pods would go." }</p> }
            // On a phone the table would hide the stage.
            <details class="raw" open={!browser::is_phone()}>
                <summary>{ contents }</summary>
                { figures::view(&answer.figures) }
                if !answer.room.is_empty() {
                    <div class="scroll" tabindex="0" role="region" aria-label="Nodes">
                        <table>
                            <thead><tr><th scope="col">{ "Node" }</th><th scope="col">{ "More pods" }</th><th scope="col">{ "What stops the next one" }</th></tr></thead>
                            <tbody>{ for answer.room.iter().take(MAX_ROWS).map(room_row) }</tbody>
                        </table>
                        { rest(answer.room.len()) }
                    </div>
                }
                if !answer.moves.is_empty() {
                    <div class="scroll" tabindex="0" role="region" aria-label="Pods">
                        <table>
                            <thead><tr><th scope="col">{ "Pod" }</th><th scope="col">{ "From" }</th><th scope="col">{ "To" }</th></tr></thead>
                            <tbody>{ for answer.moves.iter().take(MAX_ROWS).map(row) }</tbody>
                        </table>
                        { rest(answer.moves.len()) }
                    </div>
                }
                { for answer.sections.iter().map(|(title, lines)| html! {
                    <section><h3 class="eyebrow">{ title }</h3><ul>{ for lines.iter().take(MAX_ROWS).map(|line| html! { <li>{ shown(line) }</li> }) }</ul>{ rest(lines.len()) }</section>
                }) }
            </details>
            <div class="row">{ drain }<button type="button" onclick={copy}>{ "Copy as Markdown" }</button>{ zone }</div>
            <p class="none">{ origin }</p>
        </>
    }
}

/// Number of copies of the pod that fit.
fn n_copies(answer: &WhatIfAnswer) -> usize {
    answer.room.iter().map(|node| node.pods).sum()
}

/// Says how many of so many rows are not shown.
fn rest(n_rows: usize) -> Html {
    match n_rows.saturating_sub(MAX_ROWS) {
        0 => Html::default(),
        more => html! { <p class="none">{ format!("and {more} more, which the copied text has") }</p> },
    }
}

fn room_row(one: &NodeRoom) -> Html {
    html! {
        <tr>
            <th scope="row" class="mono">{ shown(&one.node) }</th>
            <td>{ one.pods }</td>
            <td>{ shown(&one.reason) }</td>
        </tr>
    }
}

fn row(one: &PodMove) -> Html {
    html! {
        <tr>
            <th scope="row" class="mono">{ shown(names::without_default(&one.pod)) }</th>
            <td>{ shown(one.from.as_deref().unwrap_or("none")) }</td>
            <td>
                if let Some(to) = &one.to { { shown(to) } }
                else { <span class="bad">{ if one.waits { "Pending" } else { "nowhere" } }</span>{ " " }{ shown(one.reason.as_deref().unwrap_or_default()) } }
            </td>
        </tr>
    }
}
