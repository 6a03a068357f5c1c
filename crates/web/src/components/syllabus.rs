//! The dialog of a course: its lessons and tasks in order, the texts between them, and the user's progress. An exam has
//! a clock and a result sheet. The user's results can be saved as a file to hand in (E-12, E-13).

use podscope_messages::{listed, localized, t};
use podscope_protocol::{CourseInfo, CourseItem, CourseSource, ExamInfo, Request, SessionSource};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::dialog::Modal;
use super::icon;
use super::shown::shown;
use super::story;
use crate::browser::{self, Warn as _, files};
use crate::ctl::Ctl;
use crate::pure::attempts::Attempts;
use crate::state::{Act, Dialog, Shared, Study, StudyAct};
use crate::studying::practise_request;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) study: Shared<Study>,
}

#[component]
pub(crate) fn Syllabus(props: &Props) -> Html {
    let student = use_state(String::new);
    let is_ending = use_state(|| false);
    let (Some(ctl), Some(course)) = (use_context::<Ctl>(), &props.study.course) else {
        return Html::default();
    };
    let attempts = &props.study.attempts;
    let is_examined = props.study.is_exam_running();
    let is_closed = course.exam.is_some() && !is_examined;
    let n_items = course.items.len();
    let n_finished = attempts.n_finished();
    let (done, done_of) = match is_examined {
        true => (
            t!(syllabus::answered),
            t!(syllabus::answered_of, done = n_finished, count = n_items),
        ),
        false => (
            t!(syllabus::done),
            t!(syllabus::done_of, done = n_finished, count = n_items),
        ),
    };
    let leave = {
        let act = ctl.act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Act::Study(StudyAct::CloseCourse));
            act.emit(Act::Dialog(Dialog::Lessons));
        })
    };
    let next = (0..n_items).find(|index| attempts.get(*index).is_none_or(|attempt| !attempt.is_finished));
    html! {
        <Modal key="course" title={localized(&course.title)} class="wide lessons">
            <section class="course" aria-label={t!(syllabus::progress)}>
                <div class="row">
                    <b>{ done_of }</b>
                    <meter min="0" max={n_items.to_string()} value={n_finished.to_string()} aria-label={done}></meter>
                    if let Some(next) = next.filter(|_| !is_closed) {
                        <button type="button" class="primary" autofocus=true onclick={open_item(&ctl, course, next)}>
                            { if n_finished == 0 { t!(syllabus::begin_with, title = localized(&course.items[next].title)) } else { t!(syllabus::continue_with, title = localized(&course.items[next].title)) } }
                        </button>
                    }
                </div>
                if let Some(exam) = course.exam { { exam_row(&ctl, course, exam, attempts, &is_ending) } }
            </section>
            <ol class="syllabus">
                { for course.items.iter().enumerate().map(|(index, item)| {
                    let attempt = attempts.get(index);
                    let is_here = props.study.item == Some(index);
                    html! {
                        <li>
                            if let Some(text) = &item.text { <div class="prose">{ story::markdown_blocks(text) }</div> }
                            <button type="button" class={classes!("item", is_here.then_some("here"))} disabled={is_closed} onclick={open_item(&ctl, course, index)} aria-current={is_here.then_some("true")} data-item={index.to_string()}>
                                <b>
                                    if let Some(done) = attempt.filter(|attempt| attempt.is_finished && attempt.score > 0 && !is_examined) { <span class="tick" title={done.how_solved.words()}>{ icon("check") }<span class="sr">{ format!("{}: ", done.how_solved.words()) }</span></span> }
                                    { shown(&localized(&item.title)) }
                                </b>
                                <small>{ item_status(&props.study, course, index) }</small>
                            </button>
                            if attempts.ended.is_some() { { replay_button(&ctl, item, index, attempts) } }
                        </li>
                    }
                }) }
            </ol>
            <div class="row small">
                <label>{ t!(syllabus::your_name) }{ " " }<input type="text" value={(*student).clone()} oninput={let student = student.clone(); Callback::from(move |event: InputEvent| student.set(browser::field_value_of(&event)))} /></label>
                <button type="button" onclick={save_hand_in_file(&ctl, course, attempts, &student)}>{ t!(syllabus::hand_in) }</button>
                <button type="button" class="quiet" onclick={leave}>{ t!(syllabus::leave) }</button>
            </div>
            <p class="small">{ t!(syllabus::about_file) }</p>
        </Modal>
    }
}

/// Describes an item of the course: its score, and in an exam its weight. Scores are hidden while the exam runs.
fn item_status(study: &Study, course: &CourseInfo, index: usize) -> String {
    let weight = course.items[index].weight;
    let attempt = study.attempts.get(index);
    let score = attempt.map(|attempt| match (study.is_exam_running(), attempt.is_finished) {
        (true, true) => t!(syllabus::task_answered),
        (true, false) => t!(syllabus::task_begun),
        (false, _) => t!(syllabus::score, percent = (attempt.score + 5) / 10),
    });
    match (course.exam.is_some(), score) {
        (true, Some(score)) => t!(syllabus::with_weight, state = score, weight = weight),
        (true, None) => t!(syllabus::not_tried, weight = weight),
        (false, Some(score)) => score,
        (false, None) => String::new(),
    }
}

/// A button that opens the run of a task after the exam has ended, with all answers and reasons.
fn replay_button(ctl: &Ctl, item: &CourseItem, index: usize, attempts: &Attempts) -> Html {
    let run = attempts.get(index).map(|attempt| attempt.run.clone());
    let Some(fragment) = run.filter(|run| !run.is_empty()) else {
        return Html::default();
    };
    let request = match &item.source {
        CourseSource::Practice(task) => practise_request(Some(task.clone()), Some(fragment)),
        _ => Request::Open {
            source: SessionSource::Link { fragment },
        },
    };
    let ctl = ctl.clone();
    let open = Callback::from(move |_: MouseEvent| {
        expect_item(&ctl, index);
        ctl.send.emit(request.clone());
    });
    html! { <button type="button" class="replay" onclick={open} aria-label={t!(syllabus::replay_of, title = localized(&item.title))}>{ t!(syllabus::replay) }</button> }
}

/// The exam's row: the button that begins it, its clock, the button that ends it, and its result. Ending it has to be
/// confirmed, because the answers cannot be changed afterwards.
fn exam_row(
    ctl: &Ctl,
    course: &CourseInfo,
    exam: ExamInfo,
    attempts: &Attempts,
    is_ending: &UseStateHandle<bool>,
) -> Html {
    let change = |change: fn(&mut Attempts, f64)| {
        let (ctl, attempts) = (ctl.clone(), attempts.clone());
        Callback::from(move |_: MouseEvent| {
            let mut attempts = attempts.clone();
            change(&mut attempts, js_sys::Date::now());
            ctl.act.emit(Act::Study(StudyAct::Attempts(attempts)));
        })
    };
    let begin = change(|attempts, now| *attempts = Attempts::begun_at(now));
    if attempts.ended.is_some() {
        let percent = attempts.percent(course);
        let is_passed = percent >= f64::from(exam.pass);
        let percent = format!("{percent:.0}");
        let (name, verdict) = match is_passed {
            true => ("Passed", t!(syllabus::passed, percent = percent, pass = exam.pass)),
            false => (
                "Not passed",
                t!(syllabus::not_passed, percent = percent, pass = exam.pass),
            ),
        };
        return html! {
            <div class="row" role="status" data-result={name}>
                <b>{ verdict }</b>
                <span>{ t!(syllabus::about_replay) }</span>
                <button type="button" onclick={begin}>{ t!(syllabus::begin_again) }</button>
            </div>
        };
    }
    match attempts.remaining_millis(exam, js_sys::Date::now()) {
        None => html! {
            <div class="row">
                <span>{ if course.has_hints { t!(syllabus::about_exam_with_hints, minutes = exam.minutes, pass = exam.pass) } else { t!(syllabus::about_exam, minutes = exam.minutes, pass = exam.pass) } }</span>
                <button type="button" class="primary" onclick={begin}>{ t!(syllabus::begin_exam) }</button>
            </div>
        },
        Some(left) if **is_ending => {
            let is_open = |index: &usize| attempts.get(*index).is_none_or(|attempt| !attempt.is_finished);
            let open: Vec<String> = (0..course.items.len())
                .filter(is_open)
                .map(|index| (index + 1).to_string())
                .collect();
            let unanswered = match open.as_slice() {
                [] => t!(syllabus::all_answered),
                some => t!(syllabus::not_answered, count = some.len(), tasks = listed(some)),
            };
            let (end, is_ending) = (change(|attempts, now| attempts.ended = Some(now)), is_ending.clone());
            let go_on = is_ending.clone();
            let end = Callback::from(move |event: MouseEvent| {
                is_ending.set(false);
                end.emit(event);
            });
            html! {
                <div class="row" role="alert">
                    <b>{ t!(syllabus::end_exam_now) }</b>
                    <span>{ format!("{unanswered} {}", t!(syllabus::left_before_end, minutes = whole_minutes(left))) }</span>
                    <button type="button" class="primary" onclick={Callback::from(move |_: MouseEvent| go_on.set(false))}>{ t!(syllabus::go_on) }</button>
                    <button type="button" onclick={end}>{ t!(syllabus::end_it) }</button>
                </div>
            }
        }
        Some(left) => {
            let is_ending = is_ending.clone();
            html! {
                <div class="row">
                    <span>{ t!(syllabus::left, minutes = whole_minutes(left)) }</span>
                    <button type="button" onclick={Callback::from(move |_: MouseEvent| is_ending.set(true))}>{ t!(syllabus::end_exam) }</button>
                </div>
            }
        }
    }
}

/// Converts a duration from milliseconds to whole minutes.
fn whole_minutes(millis: f64) -> u64 {
    (millis / 60_000.0).ceil() as u64
}

/// The line above a lesson that was opened from the course: its position in the course, and the time that is left of an
/// exam.
pub(crate) fn course_position(ctl: &Ctl, study: &Study) -> Html {
    let (Some(course), Some(index)) = (&study.course, study.item) else {
        return Html::default();
    };
    let left = course
        .exam
        .and_then(|exam| study.attempts.remaining_millis(exam, js_sys::Date::now()));
    html! {
        <button type="button" class="quiet place" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Course))} aria-haspopup="dialog">
            { shown(&localized(&course.title)) }{ format!(" · {}", t!(syllabus::place, number = index + 1, count = course.items.len())) }
            if let Some(left) = left { { format!(" · {}", t!(syllabus::left_short, minutes = whole_minutes(left))) } }
        </button>
    }
}

/// Records that the session that opens next is a run of an item of the course.
fn expect_item(ctl: &Ctl, index: usize) {
    ctl.act.emit(Act::Dialog(Dialog::None));
    ctl.act.emit(Act::Start(false));
    ctl.act.emit(Act::Study(StudyAct::OpenItem(index)));
}

/// Returns a click handler that opens an item of the course.
pub(crate) fn open_item(ctl: &Ctl, course: &CourseInfo, index: usize) -> Callback<MouseEvent> {
    let begin = begin_item(ctl, course, index);
    Callback::from(move |_: MouseEvent| begin())
}

/// Returns a function that opens an item of the course from its beginning.
pub(crate) fn begin_item(ctl: &Ctl, course: &CourseInfo, index: usize) -> impl Fn() + 'static {
    let (ctl, source) = (ctl.clone(), course.items[index].source.clone());
    let title = course.items[index].title.clone();
    move || {
        expect_item(&ctl, index);
        let request = match &source {
            CourseSource::Lesson(name) => Request::Open {
                source: SessionSource::Lesson {
                    name: name.clone(),
                    seed: None,
                },
            },
            CourseSource::Practice(task) => practise_request(Some(task.clone()), None),
            CourseSource::Inline(text) => scenario_request(&title, text.clone()),
            CourseSource::Url(path) => {
                let (ctl, path, title) = (ctl.clone(), path.clone(), title.clone());
                spawn_local(async move {
                    match browser::fetch_text(&path).await {
                        Ok(text) => ctl.send.emit(scenario_request(&title, text)),
                        Err(error) => ctl.act.emit(Act::Toast(error)),
                    }
                });
                return;
            }
        };
        ctl.send.emit(request);
    }
}

/// Returns the request to open the text of a scenario under the item's title.
fn scenario_request(title: &str, text: String) -> Request {
    let files = vec![(format!("{title}.yaml"), text)];
    Request::Open {
        source: SessionSource::Files { files },
    }
}

/// Saves the file to hand in.
fn save_hand_in_file(ctl: &Ctl, course: &CourseInfo, attempts: &Attempts, student: &str) -> Callback<MouseEvent> {
    let text = attempts.file_to_hand_in(course, student.trim());
    let plain = |text: &str| {
        text.chars()
            .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            .collect::<String>()
    };
    let name = match plain(student) {
        student if student.is_empty() => format!("{}.json", plain(&course.name)),
        student => format!("{}-{student}.json", plain(&course.name)),
    };
    let act = ctl.act.clone();
    Callback::from(move |_: MouseEvent| {
        let (act, text, name) = (act.clone(), text.clone(), name.clone());
        spawn_local(async move {
            if files::save_file(&name, "application/json", &text)
                .await
                .warn()
                .is_none()
            {
                act.emit(Act::Toast(t!(lessons::cannot_save, file = name)));
            }
        });
    })
}
