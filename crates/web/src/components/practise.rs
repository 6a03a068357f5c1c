//! The dialog of practice: an endless supply of tasks, by family and level; the schedule chooses the next one (E-11).

use podscope_messages::{Sentence, localized, t};
use podscope_protocol::{CourseRequest, PracticeFamily, PracticeTask, Request, TaskId};
use yew::prelude::*;

use super::dialog::Modal;
use super::shown::shown;
use crate::browser::store;
use crate::ctl::Ctl;
use crate::state::{Act, Dialog, Study};
use crate::studying::practise_request;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// `None` until the engine has sent the list of families.
    pub(crate) families: Option<Vec<PracticeFamily>>,
}

#[component]
pub(crate) fn Practise(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    {
        let send = ctl.send.clone();
        // Request the list again: it changes with each answer.
        use_effect_with((), move |()| {
            send.emit(Request::Course(CourseRequest::Families(store::practice_schedule())))
        });
    }
    let families = props.families.as_deref().unwrap_or_default();
    let n_due = families
        .iter()
        .filter(|family| family.due_in.is_some_and(|days| days <= 0))
        .count();
    html! {
        <Modal key="practise" title={t!(practise::practise)} class="wide lessons">
            <section class="course" aria-label={t!(practise::the_next_task)}>
                <div class="row">
                    <b>{ match n_due { 0 => t!(practise::nothing_is_due), count => t!(practise::due_topics, count = count) } }</b>
                    <button type="button" class="primary" autofocus=true onclick={open_task(&ctl, None)}>{ t!(practise::give_task) }</button>
                </div>
                <div class="row small"><span>{ t!(practise::about_schedule) }</span></div>
            </section>
            <div class="groups">
                <div class="cards">
                    { for families.iter().map(|family| html! {
                        <button type="button" onclick={open_task(&ctl, Some(scheduled_task(family)))} data-practice={family.name.clone()}>
                            <b>{ shown(&localized(&family.title)) }</b>
                            <span>{ shown(&family.topic) }</span>
                            <small>{ t!(practise::level, level = family.level, due = due_text(family.due_in)) }</small>
                        </button>
                    }) }
                </div>
            </div>
            if props.families.is_none() {
                <p class="none" role="status">{ t!(practise::loading) }</p>
            }
        </Modal>
    }
}

fn scheduled_task(family: &PracticeFamily) -> TaskId {
    TaskId {
        family: family.name.clone(),
        seed: family.seed,
        level: family.level,
    }
}

/// Describes when a task of the family is due again.
fn due_text(due_in: Option<i64>) -> String {
    match due_in {
        None => t!(practise::due_new),
        Some(days) if days <= 0 => t!(practise::due_today),
        Some(1) => t!(practise::due_tomorrow),
        Some(days) => t!(practise::due_in, days = days),
    }
}

/// Opens a task; without a given task, the schedule chooses one.
pub(crate) fn open_task(ctl: &Ctl, task: Option<TaskId>) -> Callback<MouseEvent> {
    let ctl = ctl.clone();
    Callback::from(move |_: MouseEvent| {
        ctl.act.emit(Act::Start(false));
        ctl.act.emit(Act::Dialog(Dialog::None));
        ctl.send.emit(practise_request(task.clone(), None));
    })
}

/// The card at the end of a practice task: the rule, the outcome of each other answer, and the next task. In a course,
/// the next item of the course takes the place of the next task.
pub(crate) fn end_card(ctl: &Ctl, task: &PracticeTask, study: &Study) -> Html {
    let with = |seed: u64, level: u32| {
        open_task(
            ctl,
            Some(TaskId {
                family: task.id.family.clone(),
                seed,
                level,
            }),
        )
    };
    let TaskId { seed, level, .. } = task.id;
    html! {
        <section class="end" aria-label={t!(practise::end_of_task)}>
            <h3>{ t!(practise::rule) }</h3>
            <p class="rule">{ super::story::inline_markdown(&localized(&task.rule)) }</p>
            if !task.reasons.is_empty() {
                <details><summary>{ t!(practise::reasons) }</summary>
                    <dl class="reasons">{ for task.reasons.iter().map(|(option, reason)| html! { <div><dt class="mono">{ shown(option) }</dt><dd>{ super::story::inline_markdown(&translated_reason(task, reason)) }</dd></div> }) }</dl>
                </details>
            }
            <div class="row">
                if study.item.is_some() {
                    { super::story::next_item_button(ctl, study) }
                } else {
                    <button type="button" class="primary" onclick={open_task(ctl, None)}>{ t!(practise::next_task) }</button>
                    <button type="button" onclick={with(seed + 1, level)}>{ t!(practise::another) }</button>
                    if level < task.max_level { <button type="button" onclick={with(seed, level + 1)}>{ t!(practise::harder) }</button> }
                    <button type="button" class="quiet" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Practise))}>{ t!(practise::all_topics) }</button>
                }
            </div>
        </section>
    }
}

/// Returns the reason of an answer in the page's language.
fn translated_reason(task: &PracticeTask, reason: &Sentence) -> String {
    let filled = task.texts.translated(&reason.english());
    filled.unwrap_or_else(|| reason.to_string())
}
