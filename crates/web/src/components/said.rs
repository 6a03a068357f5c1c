//! What is to be said of what was opened, and what is wrong in it: above the cluster, in nobody's way, until it has been read.

use yew::prelude::*;

use super::icon;
use super::shown::told;
use super::triage::{way_to_all, worst};
use crate::ctl::Ctl;
use crate::state::{Act, Dialog, Page, Shared};

/// Notices that stand there; more are in the dialog.
const SHOWN: usize = 4;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The strip.
#[component]
pub(crate) fn Said(props: &Props) -> Html {
    let (Some(ctl), Some(opened)) = (use_context::<Ctl>(), &props.page.opened) else {
        return Html::default();
    };
    let all = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Notices));
    let read = ctl.act.reform(|_: MouseEvent| Act::Read);
    html! {
        <section class="said" aria-label="About what was opened">
            <div class="told">
                if let Some(triage) = &props.page.triage { { worst(&ctl, triage) } }
                <ul>{ for opened.notices.iter().take(SHOWN).map(|notice| html! { <li>{ told(&notice.to_string()) }</li> }) }</ul>
            </div>
            if let Some(triage) = props.page.triage.as_ref().filter(|triage| !triage.findings.is_empty()) { { way_to_all(&ctl, triage) } }
            if !opened.notices.is_empty() { <button type="button" class="chip" onclick={all} aria-haspopup="dialog">{ format!("all {}", opened.notices.len()) }</button> }
            <button type="button" class="quiet" onclick={read} aria-label="I have read it">{ icon("cross") }</button>
        </section>
    }
}
