//! What is wrong in the cluster, worst first: of a dump beside the stage when it has opened, whole in a dialog (P-09).

use podscope_protocol::triage::{Finding, markdown};
use podscope_protocol::{Micros, Request};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::dialog::Modal;
use super::shown::shown;
use crate::browser;
use crate::ctl::Ctl;
use crate::pure::clock;
use crate::state::{Act, Dialog, Page, Shared, TriageView};

/// Rows that stand beside the stage; more are in the dialog.
const SHOWN: usize = 3;
/// Rows of the dialog; more are in the copied text.
const LISTED: usize = 400;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// A row: what, why, and a press that shows the object.
fn row(ctl: &Ctl, found: &Finding, at: Micros) -> Html {
    let act = ctl.act.clone();
    let subject = found.subject();
    let show = Callback::from(move |_: MouseEvent| {
        act.emit(Act::Dialog(Dialog::None));
        act.emit(Act::Select(Some(subject.clone())));
    });
    html! {
        <li>
            <button type="button" class="quiet" onclick={show} title="Show it">
                <b>{ found.problem.name() }</b>{ " " }<span class="mono">{ shown(&found.heading(at)) }</span>
            </button>
            <span>{ shown(&found.reason) }</span>
        </li>
    }
}

/// The worst of it, among what is said of what was opened.
pub(super) fn worst(ctl: &Ctl, triage: &TriageView) -> Html {
    if triage.findings.is_empty() {
        return Html::default();
    }
    html! { <ol aria-label="What is wrong, worst first">{ for triage.findings.iter().take(SHOWN).map(|found| row(ctl, found, triage.at)) }</ol> }
}

/// The way to all of it.
pub(super) fn way_to_all(ctl: &Ctl, triage: &TriageView) -> Html {
    let all = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Triage));
    html! { <button type="button" class="chip" onclick={all} aria-haspopup="dialog">{ count_of(triage.findings.len(), "problem") }</button> }
}

/// All of it, by namespace, to take away.
#[component]
pub(crate) fn Triage(props: &Props) -> Html {
    let namespace = use_state(|| None::<String>);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    {
        // What leaves has other names than what is read here.
        let ctl = ctl.clone();
        use_effect_with((page.renames, page.triage.clone()), move |(renames, _)| {
            if *renames {
                ctl.send.emit(Request::Triage { anonymise: true });
            }
        });
    }
    let Some(triage) = &page.triage else {
        return html! { <Modal key="triage" title="What is wrong" class="wide triage"><p role="status">{ "Looking…" }</p></Modal> };
    };
    let is_seen = |found: &&Finding| namespace.as_ref().is_none_or(|only| found.namespace == *only);
    let rows: Vec<&Finding> = triage.findings.iter().filter(is_seen).collect();
    let mut namespaces: Vec<&str> = triage.findings.iter().map(|found| &*found.namespace).collect();
    namespaces.sort_unstable();
    namespaces.dedup();
    let chosen = {
        let namespace = namespace.clone();
        Callback::from(move |event: Event| {
            let value = browser::value_of(&event);
            namespace.set((value != "*").then_some(value));
        })
    };
    // The renamed list has the same rows in its own order: it is copied whole.
    let text = match page.renames {
        false => {
            let rows: Vec<Finding> = rows.iter().map(|found| (*found).clone()).collect();
            Some(markdown(&rows, triage.at))
        }
        true => (page.nameless_triage.as_ref()).map(|renamed| markdown(&renamed.findings, renamed.at)),
    };
    let copy = text.map(|text| {
        let act = ctl.act.clone();
        Callback::from(move |_: MouseEvent| {
            let (text, act) = (text.clone(), act.clone());
            spawn_local(async move {
                let said = if browser::copy(text).await {
                    "The list is copied as Markdown."
                } else {
                    "The browser does not allow copying here."
                };
                act.emit(Act::Toast(said.into()));
            });
        })
    });
    let again = ctl.on(Request::Triage { anonymise: false });
    let objects: usize = rows.iter().map(|found| found.count).sum();
    html! {
        <Modal key="triage" title="What is wrong" class="wide triage">
            <div class="row">
                <label>{ "Namespace " }<select onchange={chosen}>
                    <option value="*" selected={namespace.is_none()}>{ "all" }</option>
                    { for namespaces.iter().map(|name| html! { <option value={(*name).to_owned()} selected={namespace.as_deref() == Some(*name)}>{ if name.is_empty() { "none (of the cluster)".to_owned() } else { podscope_api::visible(name).into_owned() } }</option> }) }
                </select></label>
                <p role="status">{ format!("{} of {} objects, at {}", count_of(rows.len(), "row"), objects, clock::instant(triage.at)) }</p>
                if page.model.now != triage.at { <button type="button" class="quiet" onclick={again}>{ "Look again" }</button> }
                <button type="button" onclick={copy.clone().unwrap_or_default()} disabled={copy.is_none()}>{ "Copy" }</button>
            </div>
            <super::share::Renames page={page.clone()} />
            if rows.is_empty() { <p class="none">{ "Nothing is wrong that the objects show." }</p> }
            <ol class="findings">
                { for rows.iter().take(LISTED).map(|found| row(&ctl, found, triage.at)) }
            </ol>
            if rows.len() > LISTED { <p class="none">{ format!("and {} more; Copy takes all of them", rows.len() - LISTED) }</p> }
        </Modal>
    }
}

fn count_of(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
