//! Notes above the timeline: the introduction, notices about the opened session, a question from an earlier lesson, the
//! outcome of a fast run. Their region has a fixed size, so a note does not move the stage.

use podscope_messages::t;
use yew::prelude::*;

use super::brief::{BriefStory, is_brief};
use super::recall::Recall;
use super::record::Record;
use super::session_notes::{OpenedNote, OpeningDumpNote};
use super::start::Introduction;
use super::timeline::branch_chooser;
use crate::ctl::Ctl;
use crate::pure::director;
use crate::state::{Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

#[component]
pub(crate) fn Notes(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    let caption = page
        .session
        .model
        .director
        .caption
        .as_ref()
        .filter(|_| !page.shell.start);
    let brief = (page.session.opened.as_ref())
        .filter(|opened| page.shell.panels.story && !opened.story.is_empty() && is_brief(opened));
    html! {
        // The notes are a landmark of their own, because they are outside the stage and the timeline.
        <section class="notes" aria-label={t!(notes::notes)}>
            if let Some(triage) = &page.shell.coming_triage { <OpeningDumpNote triage={triage.clone()} /> }
            if page.session.has_unread_notices && !page.shell.start { <OpenedNote page={page.clone()} /> }
            if !page.shell.embedded { <Recall page={page.clone()} /> }
            if page.shell.records_lesson { <Record goals={page.session.goals.clone()} anonymises={page.session.anonymises} /> }
            <p class="ended" role="status">{ caption.map(director::fast_run_outcome).unwrap_or_default() }</p>
            if brief.is_none() { { branch_chooser(&ctl, page) } }
            if let Some(opened) = brief.filter(|_| !page.shell.start) { <BriefStory key={format!("{} {}", opened.title, opened.seed)} page={page.clone()} /> }
            if page.shell.start && page.session.opened.is_some() { <Introduction opened_by_logo={page.shell.start_requested} /> }
        </section>
    }
}
