//! Problems in the cluster, worst first: a few beside the stage when a dump has opened, all in a dialog (P-09).

use podscope_messages::t;
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

/// Maximum number of problems listed beside the stage; the dialog lists all.
const MAX_ROWS_BESIDE_STAGE: usize = 3;
/// Maximum number of problems listed in the dialog; the copied text has all.
const MAX_DIALOG_ROWS: usize = 400;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// A row: problem, reason, and a button that selects the object. There is no button without `ctl`.
fn problem_row(ctl: Option<&Ctl>, finding: &Finding, at: Micros) -> Html {
    let heading = html! { <><b>{ finding.problem.name() }</b>{ " " }<span class="mono">{ shown(&finding.heading(at)) }</span></> };
    let heading = match ctl {
        Some(ctl) => {
            let act = ctl.act.clone();
            let subject = finding.subject();
            let show = Callback::from(move |_: MouseEvent| {
                act.emit(Act::Dialog(Dialog::None));
                act.emit(Act::Select(Some(subject.clone())));
            });
            html! { <button type="button" class="quiet" onclick={show} title={t!(triage::show)}>{ heading }</button> }
        }
        None => html! { <span>{ heading }{ " " }</span> },
    };
    html! { <li>{ heading }<span>{ shown(&finding.reason.to_string()) }</span></li> }
}

/// The worst problems, for the note about the opened session. Without `ctl` there are no buttons, because the dump is
/// still being opened.
pub(super) fn worst_problems(ctl: Option<&Ctl>, triage: &TriageView) -> Html {
    if triage.findings.is_empty() {
        return Html::default();
    }
    html! { <ol aria-label={t!(triage::worst_first)}>{ for triage.findings.iter().take(MAX_ROWS_BESIDE_STAGE).map(|finding| problem_row(ctl, finding, triage.at)) }</ol> }
}

/// The button that opens the dialog with all problems.
pub(super) fn all_problems_button(ctl: &Ctl, triage: &TriageView) -> Html {
    let all = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Triage));
    html! { <button type="button" class="chip" onclick={all} aria-haspopup="dialog">{ t!(triage::problems, count = triage.findings.len()) }</button> }
}

/// The dialog: all problems, filtered by namespace, with a button to copy them.
#[component]
pub(crate) fn Triage(props: &Props) -> Html {
    let namespace = use_state(|| None::<String>);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    {
        // If names are replaced, a second list with the replaced names is requested for copying. The page shows the
        // original names.
        let ctl = ctl.clone();
        use_effect_with(
            (page.session.anonymises, page.session.triage.clone()),
            move |(anonymises, _)| {
                if *anonymises {
                    ctl.send.emit(Request::Triage { anonymise: true });
                }
            },
        );
    }
    let Some(triage) = &page.session.triage else {
        return html! { <Modal key="triage" title={t!(triage::title)} class="wide triage"><p role="status">{ t!(triage::looking) }</p></Modal> };
    };
    let is_seen = |finding: &&Finding| namespace.as_ref().is_none_or(|only| finding.namespace == *only);
    let rows: Vec<&Finding> = triage.findings.iter().filter(is_seen).collect();
    let mut namespaces: Vec<&str> = triage.findings.iter().map(|finding| &*finding.namespace).collect();
    namespaces.sort_unstable();
    namespaces.dedup();
    let chosen = {
        let namespace = namespace.clone();
        Callback::from(move |event: Event| {
            let value = browser::field_value_of(&event);
            namespace.set((value != "*").then_some(value));
        })
    };
    // The list with replaced names has another order, so the namespace filter cannot be applied to it: the whole list
    // is copied.
    let text = match page.session.anonymises {
        false => {
            let rows: Vec<Finding> = rows.iter().map(|finding| (*finding).clone()).collect();
            Some(markdown(&rows, triage.at))
        }
        true => (page.session.anonymised_triage.as_ref()).map(|renamed| markdown(&renamed.findings, renamed.at)),
    };
    let copy = text.map(|text| {
        let act = ctl.act.clone();
        Callback::from(move |_: MouseEvent| {
            let (text, act) = (text.clone(), act.clone());
            spawn_local(async move {
                let message = if browser::copy_to_clipboard(text).await {
                    t!(triage::copied)
                } else {
                    t!(yaml::cannot_copy)
                };
                act.emit(Act::Toast(message));
            });
        })
    });
    let look_again = ctl.on(Request::Triage { anonymise: false });
    let objects: usize = rows.iter().map(|finding| finding.count).sum();
    html! {
        <Modal key="triage" title={t!(triage::title)} class="wide triage">
            <div class="row">
                <label>{ t!(triage::namespace) }{ " " }<select onchange={chosen}>
                    <option value="*" selected={namespace.is_none()}>{ t!(triage::all) }</option>
                    { for namespaces.iter().map(|name| html! { <option value={(*name).to_owned()} selected={namespace.as_deref() == Some(*name)}>{ if name.is_empty() { t!(triage::none) } else { podscope_api::visible(name).into_owned() } }</option> }) }
                </select></label>
                <p role="status">{ t!(triage::rows, rows = rows.len(), objects = objects, time = clock::instant(triage.at)) }</p>
                if page.session.model.now != triage.at { <button type="button" class="quiet" onclick={look_again}>{ t!(triage::look_again) }</button> }
                <button type="button" onclick={copy.clone().unwrap_or_default()} disabled={copy.is_none()}>{ t!(triage::copy) }</button>
            </div>
            <super::share::AnonymiseCheckbox page={page.clone()} />
            if rows.is_empty() { <p class="none">{ t!(triage::nothing_wrong) }</p> }
            <ol class="findings">
                { for rows.iter().take(MAX_DIALOG_ROWS).map(|finding| problem_row(Some(&ctl), finding, triage.at)) }
            </ol>
            if rows.len() > MAX_DIALOG_ROWS { <p class="none">{ t!(triage::and_more, count = rows.len() - MAX_DIALOG_ROWS) }</p> }
        </Modal>
    }
}
