//! The offer to repeat a question: on a later visit, a question of an earlier lesson is asked again with another seed
//! (E-08).

use podscope_messages::t;
use podscope_protocol::{Request, SessionSource};
use yew::prelude::*;

use super::icon;
use crate::ctl::Ctl;
use crate::pure::course::{CourseProgress, DueRecap};
use crate::state::{Act, Dialog, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The note with the offer. It is shown neither during a lesson nor during a task of a course.
#[component]
pub(crate) fn Recall(props: &Props) -> Html {
    let is_dismissed = use_state(|| false);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    let is_in_lesson = page
        .session
        .opened
        .as_ref()
        .is_some_and(|opened| opened.lesson.is_some())
        && !page.session.model.story.finished;
    let due = page.shell.course.due_recaps(&page.shell.lessons, js_sys::Date::now());
    let Some(again) = due
        .first()
        .filter(|_| !*is_dismissed && !is_in_lesson && page.shell.study.item.is_none())
    else {
        return Html::default();
    };
    let title = page.shell.lessons.iter().find(|lesson| lesson.name == again.ask);
    let title = title.map_or(again.ask.as_str(), |lesson| lesson.title.as_str());
    let dismiss = Callback::from(move |_: MouseEvent| is_dismissed.set(true));
    html! {
        <section class="said recall" aria-label={t!(recall::asked_again)}>
            <p><b>{ t!(recall::still_know) }{ " " }</b>{ t!(recall::one_question, lesson = title) }</p>
            <button type="button" class="primary" onclick={repeat_question(&ctl, &page.shell.course, again)}>{ t!(recall::ask_me) }</button>
            <button type="button" class="quiet" onclick={dismiss} aria-label={t!(recall::not_now)}>{ icon("cross") }</button>
        </section>
    }
}

/// Opens the question, and records that it was repeated.
pub(crate) fn repeat_question(ctl: &Ctl, course: &Shared<CourseProgress>, again: &DueRecap) -> Callback<MouseEvent> {
    let (ctl, again, course) = (ctl.clone(), again.clone(), course.clone());
    Callback::from(move |_: MouseEvent| {
        let mut course = (*course).clone();
        course.record_recap(&again.of);
        ctl.act.emit(Act::Course(course));
        ctl.act.emit(Act::Start(false));
        ctl.act.emit(Act::Dialog(Dialog::None));
        ctl.send.emit(Request::Open {
            source: SessionSource::Recap {
                name: again.ask.clone(),
                seed: again.seed,
            },
        });
    })
}
