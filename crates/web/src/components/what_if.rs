//! The answer to a what-if question: where the pods would go, which budgets block evictions, what breaks, or how many
//! more copies of a pod fit. The dialog lies beside the stage, which shows the pods where they would go, or each node's
//! room. The run is not changed.

use podscope_messages::{listed, t, what_if};
use podscope_protocol::markdown;
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

/// Maximum number of table rows, and of lines below a heading, that are shown; the copied text has all.
const MAX_ANSWER_ROWS: usize = 400;
/// Maximum number of nodes that a title names.
const MAX_NODES_IN_TITLE: usize = 3;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) change: WhatIf,
    /// The engine's answer; `None` while the engine works.
    pub(crate) answer: Option<Shared<WhatIfAnswer>>,
    /// The finished part of the engine's work, in per mille; `None` if it is unknown.
    pub(crate) done: Option<u32>,
    /// Zone of the node in question, for a button that asks about the whole zone.
    pub(crate) zone: Option<String>,
    /// The stage draws the cluster as one picture, which cannot show the answer.
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
                browser::recover_focus(&["#stage .node.sel .name", ".side"]);
            }
        });
    }
    let title = question_title(&props.change);
    let zone = props.zone.clone().map(|zone| {
        let ask = ctl
            .act
            .reform(move |_: MouseEvent| Act::Dialog(Dialog::WhatIf(WhatIf::LoseZone(zone.clone()))));
        html! { <button type="button" class="quiet" onclick={ask}>{ t!(what_if::whole_zone) }</button> }
    });
    let stop = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::None));
    let is_count = matches!(props.change, WhatIf::Fit { .. });
    let doing = match props.change {
        WhatIf::Fit { need: 0, .. } => what_if::counting,
        WhatIf::Fit { .. } => what_if::trying_changes,
        WhatIf::Consolidate => what_if::consolidating,
        _ => what_if::running,
    };
    html! {
        <Modal key={title.clone()} title={title.clone()} class="what-if" beside=true>
            if let Some(answer) = &props.answer { { answer_content(&ctl, props, answer, zone.unwrap_or_default()) } }
            else {
                <p class="none" role="status">{ doing.text() }{ "…" }</p>
                // While copies are counted, the final number is unknown, so the progress bar has no value.
                <progress max="1000" value={props.done.filter(|_| !is_count).map(|done| done.to_string())} aria-label={doing.text()}></progress>
                <div class="row"><button type="button" onclick={stop}>{ t!(what_if::stop) }</button></div>
            }
            if let WhatIf::Fit { pod, need } = &props.change {
                <MakeRoom pod={pod.clone()} need={*need} fits={props.answer.as_ref().map(|answer| n_fitting_copies(answer))}
                    changes={props.answer.as_ref().map_or_else(Vec::new, |answer| answer.changes.clone())} />
            }
        </Modal>
    }
}

fn question_title(change: &WhatIf) -> String {
    match change {
        WhatIf::Drain(nodes) => {
            let named = listed(nodes.iter().take(MAX_NODES_IN_TITLE));
            match nodes.len().saturating_sub(MAX_NODES_IN_TITLE) {
                0 => t!(what_if::drain, count = nodes.len(), nodes = named),
                more => t!(what_if::drain_more, nodes = named, more = more),
            }
        }
        WhatIf::LoseZone(zone) => t!(what_if::lose_zone, zone = zone),
        WhatIf::Consolidate => t!(what_if::consolidate),
        WhatIf::Figures => t!(what_if::figures),
        WhatIf::Fit { pod, .. } => t!(what_if::fit, pod = names::without_default_namespace(pod)),
    }
}

fn answer_content(ctl: &Ctl, props: &Props, answer: &Shared<WhatIfAnswer>, zone: Html) -> Html {
    let copy = {
        let (act, answer) = (ctl.act.clone(), answer.clone());
        Callback::from(move |_: MouseEvent| {
            let (act, text) = (act.clone(), markdown::print(&answer.markdown));
            spawn_local(async move {
                let words = match browser::copy_to_clipboard(text).await {
                    true => t!(what_if::copied),
                    false => t!(what_if::cannot_copy),
                };
                act.emit(Act::Toast(words));
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
            let words = t!(what_if::drain_it, count = nodes.len());
            let run = Callback::from(move |_: MouseEvent| {
                ctl.act.emit(Act::Dialog(Dialog::None));
                ctl.run(&line);
            });
            html! { <button type="button" onclick={run}>{ words }</button> }
        }
        _ => Html::default(),
    };
    let contents = match answer.change {
        WhatIf::Figures => what_if::figures_contents,
        WhatIf::Fit { .. } => what_if::fit_contents,
        WhatIf::Consolidate => what_if::consolidate_contents,
        _ => what_if::contents,
    };
    let at = clock::instant(answer.at);
    let origin = match answer.change {
        WhatIf::Figures => t!(what_if::as_of, at = at),
        _ => t!(what_if::tried, at = at),
    };
    html! {
        <>
            <p class="lead" role="status">{ shown(&answer.summary.to_string()) }</p>
            if props.is_picture && answer.change != WhatIf::Figures { <p class="none">{ t!(what_if::no_marks) }</p> }
            // On a phone the table would hide the stage, so it is folded.
            <details class="raw" open={!browser::is_phone()}>
                <summary>{ contents.text() }</summary>
                { figures::view(&answer.figures) }
                if !answer.room.is_empty() {
                    <div class="scroll" tabindex="0" role="region" aria-label={t!(what_if_table::nodes)}>
                        <table>
                            <thead><tr><th scope="col">{ t!(what_if::node) }</th><th scope="col">{ t!(what_if::more_pods) }</th><th scope="col">{ t!(what_if::stops_next) }</th></tr></thead>
                            <tbody>{ for answer.room.iter().take(MAX_ANSWER_ROWS).map(room_row) }</tbody>
                        </table>
                        { omitted_rows_text(answer.room.len()) }
                    </div>
                }
                if !answer.moves.is_empty() {
                    <div class="scroll" tabindex="0" role="region" aria-label={t!(what_if_table::pods)}>
                        <table>
                            <thead><tr><th scope="col">{ t!(what_if_table::pod) }</th><th scope="col">{ t!(what_if_table::from) }</th><th scope="col">{ t!(what_if_table::to) }</th></tr></thead>
                            <tbody>{ for answer.moves.iter().take(MAX_ANSWER_ROWS).map(move_row) }</tbody>
                        </table>
                        { omitted_rows_text(answer.moves.len()) }
                    </div>
                }
                { for answer.sections.iter().map(|(title, lines)| html! {
                    <section><h3 class="eyebrow">{ title.to_string() }</h3><ul>{ for lines.iter().take(MAX_ANSWER_ROWS).map(|line| html! { <li>{ shown(&line.to_string()) }</li> }) }</ul>{ omitted_rows_text(lines.len()) }</section>
                }) }
            </details>
            <div class="row">{ drain }<button type="button" onclick={copy}>{ t!(what_if::copy) }</button>{ zone }</div>
            <p class="none">{ origin }</p>
        </>
    }
}

/// Number of copies of the pod that fit.
fn n_fitting_copies(answer: &WhatIfAnswer) -> usize {
    answer.room.iter().map(|node| node.pods).sum()
}

/// Says how many of all rows are not shown.
fn omitted_rows_text(n_rows: usize) -> Html {
    match n_rows.saturating_sub(MAX_ANSWER_ROWS) {
        0 => Html::default(),
        more => html! { <p class="none">{ t!(what_if::more_rows, count = more) }</p> },
    }
}

fn room_row(node: &NodeRoom) -> Html {
    html! {
        <tr>
            <th scope="row" class="mono">{ shown(&node.node) }</th>
            <td>{ node.pods }</td>
            <td lang="en" translate="no">{ shown(&node.reason) }</td>
        </tr>
    }
}

fn move_row(one: &PodMove) -> Html {
    html! {
        <tr>
            <th scope="row" class="mono">{ shown(names::without_default_namespace(&one.pod)) }</th>
            <td>{ shown(one.from.as_ref().unwrap_or(&t!(what_if_table::from_none))) }</td>
            <td>
                if let Some(to) = &one.to { { shown(to) } }
                else { <span class="bad">{ if one.waits { "Pending".to_owned() } else { t!(what_if::to_nowhere) } }</span>{ " " }{ for one.reason.iter().map(|why| shown(&why.to_string())) } }
            </td>
        </tr>
    }
}
