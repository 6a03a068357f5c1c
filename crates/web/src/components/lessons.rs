//! The dialog of the course: lessons by group with progress, the next lesson, questions to repeat; free play, files.

use podscope_messages::{listed, t};
use podscope_protocol::{CourseRequest, LessonInfo, Request, SessionSource};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::dialog::Modal;
use super::icon;
use super::recall;
use super::shown::shown;
use crate::browser::{Warn as _, files};
use crate::ctl::Ctl;
use crate::pure::course::CourseProgress;
use crate::pure::symptoms::{Query, SYMPTOMS};
use crate::state::{Act, Dialog, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) lessons: Shared<Vec<LessonInfo>>,
    pub(crate) current: Option<String>,
    pub(crate) course: Shared<CourseProgress>,
}

/// File name of the saved progress.
const COURSE_FILE: &str = "podscope-course.txt";

#[component]
pub(crate) fn Lessons(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let filter = use_state(String::new);
    let oninput = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| filter.set(crate::browser::field_value_of(&event)))
    };
    let matching = matching_lessons(&filter, &props.lessons);
    let mut groups: Vec<(&str, Vec<&LessonInfo>)> = Vec::new();
    for lesson in matching.iter().copied() {
        match groups.iter_mut().find(|(known, _)| *known == lesson.group) {
            Some((_, list)) => list.push(lesson),
            None => groups.push((&lesson.group, vec![lesson])),
        }
    }
    let open = |source: SessionSource| {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.send.emit(Request::Open { source: source.clone() });
        })
    };
    let exam = {
        let send = ctl.send.clone();
        Callback::from(move |_: MouseEvent| {
            send.emit(Request::Course(CourseRequest::ReadCourse {
                name: "exam-scheduling".to_owned(),
                text: None,
            }));
        })
    };
    let onkeydown = {
        let (ctl, first) = (ctl.clone(), matching.first().map(|lesson| lesson.name.clone()));
        let first = first.filter(|_| !filter.trim().is_empty());
        Callback::from(move |event: KeyboardEvent| {
            if let ("Enter", Some(first)) = (event.key().as_str(), &first) {
                ctl.act.emit(Act::Dialog(Dialog::None));
                ctl.send.emit(Request::Open {
                    source: lesson_source(first, None),
                });
            }
        })
    };
    html! {
        <Modal title={t!(lessons::title)} class="wide lessons">
            { course_progress(&ctl, props) }
            <div class="lead">
                <button type="button" onclick={open(SessionSource::Free)}><b>{ t!(lessons::free_play) }</b><span>{ t!(lessons::about_free_play) }</span></button>
                <button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Practise))}><b>{ t!(lessons::practise) }</b><span>{ t!(lessons::about_practise) }</span></button>
                <button type="button" onclick={exam}><b>{ t!(lessons::exam) }</b><span>{ t!(lessons::about_exam) }</span></button>
                <button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Editor))}><b>{ t!(lessons::your_own) }</b><span>{ t!(lessons::about_your_own) }</span></button>
                <button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Glossary))}><b>{ t!(lessons::terms) }</b><span>{ t!(lessons::about_terms) }</span></button>
                <button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Files))}><b>{ t!(lessons::a_file) }</b><span>{ t!(lessons::about_a_file) }</span></button>
            </div>
            <input type="search" placeholder={t!(lessons::find)} aria-label={t!(lessons::find)} {oninput} {onkeydown} value={(*filter).clone()} autofocus=true title={t!(lessons::find_hint)} />
            <p class="none told" role="status">{ match_count(&filter, matching.len()) }</p>
            <div class="symptoms" role="group" aria-label={t!(lessons::what_do_you_see)}>
                { for SYMPTOMS.iter().map(|symptom| {
                    let words = symptom.words.text();
                    let on = *filter == words;
                    let press = {
                        let (filter, words) = (filter.clone(), words.clone());
                        Callback::from(move |_: MouseEvent| filter.set(if on { String::new() } else { words.clone() }))
                    };
                    html! { <button type="button" class={classes!("chip", on.then_some("on"))} aria-pressed={on.to_string()} onclick={press}>{ words }</button> }
                }) }
            </div>
            // A wrapper element: children of a dialog are matched by position, and without it the field would lose the
            // focus.
            <div class="groups">
                { for groups.iter().map(|(group, list)| html! {
                    <section>
                        <h3 class="eyebrow">{ t!(lessons::group_done, group = group, done = list.iter().filter(|lesson| props.course.is_done(&lesson.name)).count(), count = list.len()) }</h3>
                        <div class="cards">
                            { for list.iter().map(|info| {
                                let here = props.current.as_ref() == Some(&info.name);
                                html! {
                                    <button type="button" class={classes!(here.then_some("here"))} onclick={open(lesson_source(&info.name, None))} data-lesson={info.name.clone()}
                                        aria-current={here.then_some("true")}>
                                        <b>if let Some(way) = props.course.how_solved(&info.name) { <span class={classes!("tick", way.name())} title={way.words()}>{ icon("check") }<span class="sr">{ format!("{}: ", way.words()) }</span></span> }{ shown(&info.title) }</b>
                                        <span>{ shown(&info.summary) }</span>
                                        if info.minutes > 0 { <small>{ duration_and_prerequisites(info, &props.lessons) }</small> }
                                    </button>
                                }
                            }) }
                        </div>
                    </section>
                }) }
            </div>
            if props.lessons.is_empty() {
                <p class="none" role="status">{ t!(lessons::loading) }</p>
            }
        </Modal>
    }
}

/// Returns the lessons that match the text, best match first; all lessons if the text is empty.
fn matching_lessons<'a>(text: &str, all: &'a [LessonInfo]) -> Vec<&'a LessonInfo> {
    let query = Query::parse(text);
    // Returns the text of a lesson in which the search looks for words. It includes the rule, and the command for the
    // reader's own cluster, because they name kinds, commands and symptoms that the summary does not name.
    let content = |lesson: &LessonInfo| {
        [&lesson.group, &lesson.summary, &lesson.rule, &lesson.own, &lesson.topic]
            .map(String::as_str)
            .join(" ")
    };
    let rank = |lesson: &LessonInfo| query.rank(&lesson.name, &lesson.title, &content(lesson));
    let ranked: Vec<(Option<usize>, &LessonInfo)> = all.iter().map(|lesson| (rank(lesson), lesson)).collect();
    let best = ranked.iter().filter_map(|(rank, _)| *rank).max().unwrap_or(0);
    // A rank is 256 for each matched word plus less than 256 for where the words were found. Keep the lessons that
    // match as many words as the best one.
    let ranks = (best / 256 * 256..=best).rev();
    ranks
        .flat_map(|wanted| {
            ranked
                .iter()
                .filter(move |(rank, _)| *rank == Some(wanted))
                .map(|(_, lesson)| *lesson)
        })
        .collect()
}

/// Text for the number of matches.
fn match_count(text: &str, count: usize) -> String {
    match count {
        _ if text.trim().is_empty() => String::new(),
        0 => t!(lessons::no_matches),
        count => t!(lessons::matches, count = count),
    }
}

fn lesson_source(name: &str, seed: Option<u64>) -> SessionSource {
    SessionSource::Lesson {
        name: name.to_owned(),
        seed,
    }
}

/// A lesson's duration and prerequisites: `4 min · after First pod`.
fn duration_and_prerequisites(info: &LessonInfo, all: &[LessonInfo]) -> String {
    let title = |name: &String| {
        all.iter()
            .find(|lesson| lesson.name == *name)
            .map(|lesson| lesson.title.as_str())
    };
    let needs: Vec<&str> = info.needs.iter().filter_map(title).collect();
    if needs.is_empty() {
        t!(lessons::minutes, minutes = info.minutes)
    } else {
        t!(lessons::minutes_after, minutes = info.minutes, lessons = listed(needs))
    }
}

/// Progress in the course, the next lesson, and questions that are due for repetition.
fn course_progress(ctl: &Ctl, props: &Props) -> Html {
    let (course, lessons) = (&props.course, &props.lessons);
    let done = lessons.iter().filter(|lesson| course.is_done(&lesson.name)).count();
    let now = js_sys::Date::now();
    let open = |source: SessionSource| {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.send.emit(Request::Open { source: source.clone() });
        })
    };
    let next = lessons.iter().find(|lesson| !course.is_done(&lesson.name));
    let due = course.due_recaps(lessons, now);
    let title = |name: &str| {
        lessons
            .iter()
            .find(|lesson| lesson.name == name)
            .map(|lesson| lesson.title.clone())
    };
    let save = {
        let (ctl, text) = (ctl.clone(), course.write());
        Callback::from(move |_: MouseEvent| {
            let (act, text) = (ctl.act.clone(), text.clone());
            spawn_local(async move {
                if files::save_file(COURSE_FILE, "text/plain", &text)
                    .await
                    .warn()
                    .is_none()
                {
                    act.emit(Act::Toast(t!(lessons::cannot_save, file = COURSE_FILE)));
                }
            });
        })
    };
    let reset = ctl.act.reform(|_: MouseEvent| Act::Course(CourseProgress::default()));
    let load = merge_saved_course(ctl, props);
    html! {
        <section class="course" aria-label={t!(lessons::course)}>
            <div class="row">
                <b>{ t!(lessons::done_of, done = done, count = lessons.len()) }</b>
                <meter min="0" max={lessons.len().to_string()} value={done.to_string()} aria-label={t!(lessons::lessons_done)}></meter>
                if let Some(next) = next {
                    <button type="button" class="primary" data-continue={next.name.clone()} onclick={open(lesson_source(&next.name, None))}>{ if done == 0 { t!(lessons::begin_with, title = next.title) } else { t!(lessons::continue_with, title = next.title) } }</button>
                }
            </div>
            if !due.is_empty() {
                <div class="row" role="group" aria-label={t!(recall::asked_again)}>
                    <span>{ t!(recall::still_know) }</span>
                    { for due.iter().take(3).map(|again| html! { <button type="button" onclick={recall::repeat_question(ctl, course, again)}>{ title(&again.ask) }</button> }) }
                </div>
            }
            <div class="row small">
                <span>{ t!(lessons::on_this_device) }</span>
                if done > 0 {
                    <button type="button" class="quiet" onclick={save}>{ t!(lessons::save) }</button>
                    <button type="button" class="quiet" onclick={reset}>{ t!(lessons::forget) }</button>
                }
                <label class="btn quiet load">{ t!(lessons::load) }<input type="file" class="sr" accept=".txt" onchange={load} /></label>
            </div>
        </section>
    }
}

/// Returns a handler that merges a saved course from a file into the present one.
fn merge_saved_course(ctl: &Ctl, props: &Props) -> Callback<Event> {
    let (act, course, lessons) = (ctl.act.clone(), props.course.clone(), props.lessons.clone());
    Callback::from(move |event: Event| {
        let (act, course, lessons) = (act.clone(), course.clone(), lessons.clone());
        let input: HtmlInputElement = event.target_unchecked_into();
        spawn_local(async move {
            let Some(list) = input.files() else { return };
            let read = files::read(list).await;
            // Clear the field, so that choosing the same file again fires a change event.
            input.set_value("");
            let message = match read {
                Ok(files) => {
                    let mut course = (*course).clone();
                    let texts = files.iter().map(|(_, text)| CourseProgress::read(text));
                    let n_loaded: usize = texts.map(|other| course.merge(other, &lessons)).sum();
                    act.emit(Act::Course(course));
                    match n_loaded {
                        0 => t!(lessons::none_loaded),
                        count => t!(lessons::loaded, count = count),
                    }
                }
                Err(why) => why,
            };
            act.emit(Act::Toast(message));
        });
    })
}
