//! The note about the opened session: notices from reading its files, and the worst problems of its cluster. It stays
//! until the user closes it.

use podscope_messages::t;
use yew::prelude::*;

use super::icon;
use super::shown::text_with_code;
use super::triage::{all_problems_button, worst_problems};
use crate::ctl::Ctl;
use crate::state::{Act, Dialog, Page, Shared, TriageView};

/// Maximum number of notices in the note; the dialog lists all.
const MAX_NOTICES: usize = 4;

#[derive(Properties, PartialEq)]
pub(crate) struct OpeningDumpProps {
    pub(crate) triage: Shared<TriageView>,
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// Shows the worst problems of a large dump while the dump is being opened and its cluster cannot be shown yet.
#[component]
pub(crate) fn OpeningDumpNote(props: &OpeningDumpProps) -> Html {
    let OpeningDumpProps { triage } = props;
    html! {
        <section class="said" aria-label={t!(said::about_opening)}>
            <div class="told">
                <p role="status">{ t!(said::still_opening, count = triage.findings.len()) }</p>
                { worst_problems(None, triage) }
            </div>
        </section>
    }
}

/// The assumptions and notices of a session that was just opened, until the user closes the note.
#[component]
pub(crate) fn OpenedNote(props: &Props) -> Html {
    let (Some(ctl), Some(opened)) = (use_context::<Ctl>(), &props.page.session.opened) else {
        return Html::default();
    };
    let all = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Notices));
    let mark_read = ctl.act.reform(|_: MouseEvent| Act::NoticesRead);
    html! {
        <section class="said" aria-label={t!(said::about_opened)}>
            <div class="told">
                if let Some(triage) = &props.page.session.triage { { worst_problems(Some(&ctl), triage) } }
                <ul>{ for opened.notices.iter().take(MAX_NOTICES).map(|notice| html! { <li>{ text_with_code(&notice.to_string()) }</li> }) }</ul>
            </div>
            if let Some(triage) = props.page.session.triage.as_ref().filter(|triage| !triage.findings.is_empty()) { { all_problems_button(&ctl, triage) } }
            if !opened.notices.is_empty() { <button type="button" class="chip" onclick={all} aria-haspopup="dialog">{ t!(said::all_notices, count = opened.notices.len()) }</button> }
            <button type="button" class="quiet" onclick={mark_read} aria-label={t!(said::read)}>{ icon("cross") }</button>
        </section>
    }
}
