//! The card at the end of a lesson: the rule, the next lesson, and what to try.

use podscope_messages::t;
use podscope_protocol::{LessonInfo, MomentPicture, Request, SessionSource};
use yew::prelude::*;

use super::{inline_markdown, moments};
use crate::components::shown::shown;
use crate::components::syllabus;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog, Shared, Study};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) info: Option<LessonInfo>,
    pub(super) lessons: Shared<Vec<LessonInfo>>,
    /// Number of answered questions, and of right answers.
    pub(super) answers: (usize, usize),
    /// The states of the cluster before and after the lesson's key moment.
    pub(super) moments: Vec<MomentPicture>,
    pub(super) study: Shared<Study>,
}

#[component]
pub(super) fn LessonEndCard(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let Some(info) = &props.info else {
        return html! { <section class="end" aria-label={t!(end::end)}><h3>{ t!(end::all_reached) }</h3><div class="row">{ next_item_button(&ctl, &props.study) }</div></section> };
    };
    let at = props.lessons.iter().position(|lesson| lesson.name == info.name);
    let next = at.and_then(|at| props.lessons.get(at + 1));
    let open = |name: &str| {
        ctl.on(Request::Open {
            source: SessionSource::Lesson {
                name: name.to_owned(),
                seed: None,
            },
        })
    };
    let map = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Lessons));
    let rule = if info.rule.is_empty() {
        &info.summary
    } else {
        &info.rule
    };
    let (answered, right) = props.answers;
    html! {
        <section class="end" aria-label={t!(end::end_of_lesson)}>
            <h3>{ t!(end::all_reached) }</h3>
            <p class="rule">{ inline_markdown(rule) }</p>
            { moments::before_and_after(&props.moments) }
            if answered > 0 { <p>{ t!(end::predictions, right = right, count = answered) }</p> }
            if !info.own.is_empty() { <p>{ t!(end::own_cluster) }{ " " }<code>{ shown(&info.own) }</code></p> }
            if !info.variation.is_empty() { <p>{ t!(end::try_also) }{ " " }{ inline_markdown(&info.variation) }</p> }
            if !info.page.is_empty() { <p>{ t!(end::read_on) }{ " " }<a href={info.page.clone()} target="_blank" rel="noopener">{ &info.topic }</a></p> }
            <div class="row">
                if props.study.item.is_some() { { next_item_button(&ctl, &props.study) } }
                else if let Some(next) = next { <button type="button" class="primary" onclick={open(&next.name)}>{ t!(end::next_lesson, title = next.title) }</button> }
                <button type="button" onclick={map}>{ t!(end::course) }</button>
            </div>
        </section>
    }
}

/// The card at the end of a task of a running exam. It shows neither the task's rule nor whether the answer is right.
pub(super) fn exam_task_card(ctl: &Ctl, study: &Study) -> Html {
    html! {
        <section class="end" aria-label={t!(end::end_of_task)}>
            <h3>{ t!(end::noted) }</h3>
            <p>{ t!(end::shown_later) }</p>
            <div class="row">{ next_item_button(ctl, study) }</div>
        </section>
    }
}

/// The button that opens the next item of the course. After the last item, and after the replay of an exam's task, it
/// opens the course's dialog.
pub(crate) fn next_item_button(ctl: &Ctl, study: &Study) -> Html {
    let (Some(course), Some(_)) = (&study.course, study.item) else {
        return Html::default();
    };
    let is_exam = course.exam.is_some();
    match study.next_item().filter(|_| !is_exam || study.is_exam_running()) {
        Some((course, next)) => {
            let words = match is_exam {
                true => t!(end::next_task),
                false => t!(end::next_item, title = course.items[next].title),
            };
            html! { <button type="button" class="primary" onclick={syllabus::open_item(ctl, course, next)}>{ words }</button> }
        }
        None => {
            let words = if is_exam { t!(end::to_exam) } else { t!(end::to_course) };
            html! { <button type="button" class="primary" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Course))}>{ words }</button> }
        }
    }
}
