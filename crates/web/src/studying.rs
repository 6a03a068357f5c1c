//! Stores progress in practice and courses: attempts at the items of a course, answers to practice tasks, the end of an
//! exam.

use std::rc::Rc;

use gloo_timers::callback::Interval;
use podscope_protocol::{CourseRequest, Request, TaskId};
use yew::prelude::*;

use crate::address::current_route;
use crate::browser::{self, store};
use crate::ctl::Ctl;
use crate::language;
use crate::pure::attempts::{Attempt, Attempts, how_answered, is_story_finished, story_score};
use crate::pure::route::Theme;
use crate::state::{Act, Dialog, Page, Shared, StudyAct};

/// Returns the request to generate a practice task and open it; without a task, the schedule chooses one. `run` is the
/// link of a run of the task, which is opened instead of a new run.
pub(crate) fn practise_request(task: Option<TaskId>, run: Option<String>) -> Request {
    let practice = store::practice_schedule();
    Request::Course(CourseRequest::Practise { task, run, practice })
}

/// Stores the user's progress in practice, course and exam on this device.
#[hook]
pub(crate) fn use_studying(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    use_stored_attempts(page, ctl);
    use_session_of_item(page, ctl);
    use_record_attempt(page, ctl);
    use_report_answered_task(page, ctl);
    use_end_of_exam(page, ctl);
}

/// Reads the stored attempts when a course opens, and stores them when they change.
#[hook]
fn use_stored_attempts(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    let name = page.shell.study.course.as_ref().map(|course| course.name.clone());
    let theme = page.shell.study.course.as_ref().and_then(|course| course.theme.clone());
    let language = page
        .shell
        .study
        .course
        .as_ref()
        .and_then(|course| course.language.clone());
    let read = use_mut_ref(|| None::<String>);
    let act = ctl.act.clone();
    use_effect_with((name, page.shell.study.attempts.clone()), move |(name, attempts)| {
        if *read.borrow() == *name {
            if let Some(name) = name {
                store::store_attempts(name, &attempts.write());
            }
            return;
        }
        read.replace(name.clone());
        if let Some(name) = name {
            act.emit(Act::Study(StudyAct::Attempts(Attempts::read(&store::course_attempts(
                name,
            )))));
            if let Some(theme) = theme.as_deref().and_then(Theme::from_name) {
                act.emit(Act::Theme(theme));
            }
            // The language in the address takes precedence over the course's language; after a reload, so does the
            // language that the user chose.
            let is_open = current_route().lang.is_none() && !browser::is_reload();
            if let Some(language) = language.filter(|_| is_open) {
                language::change_for_this_visit(&language, act.clone());
            }
        }
    });
}

/// Records which sessions are runs of items, so that going back, reloading and opening a stored session return to the
/// course.
#[hook]
fn use_session_of_item(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    let study = &page.shell.study;
    let is_course_read = study.course.is_some() && study.attempts != Attempts::default();
    let act = ctl.act.clone();
    use_effect_with(
        (
            page.session.opened.clone(),
            is_course_read,
            study.item,
            // The tab may switch to a copy of the session some time after the session has opened.
            store::session_and_original(),
        ),
        move |(opened, is_course_read, _, session)| {
            if let Some((id, copy_of)) = *session
                && opened.is_some()
                && *is_course_read
            {
                act.emit(Act::Study(StudyAct::Session { id, copy_of }));
            }
        },
    );
}

/// Records the state of the attempt at the open item.
#[hook]
fn use_record_attempt(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    let attempt = page
        .shell
        .study
        .item
        .zip(page.session.opened.as_ref())
        .map(|(_, opened)| {
            let story = &page.session.model.story;
            let link = page.session.link.as_ref();
            Attempt {
                score: story_score(opened, story),
                is_finished: is_story_finished(opened, story),
                how_solved: page.shell.study.help.max(how_answered(story)),
                run: link.map_or_else(String::new, |link| {
                    link.whole.clone().unwrap_or_else(|| link.fragment.clone())
                }),
            }
        });
    let act = ctl.act.clone();
    let last = use_mut_ref(|| (None, 0.0));
    use_effect_with((page.shell.study.item, attempt), move |(item, attempt)| {
        let now = js_sys::Date::now();
        let (item_before, before) = *last.borrow();
        // The first link of a session arrives after the session has opened.
        let attempt = attempt.clone().filter(|attempt| !attempt.run.is_empty());
        if item_before == *item && attempt.is_none() {
            return;
        }
        last.replace((*item, now));
        if let Some(attempt) = attempt {
            let millis = if item_before == *item { now - before } else { 0.0 };
            act.emit(Act::Study(StudyAct::Record(attempt, millis)));
        }
    });
}

/// Reports the answer to a practice task to the schedule, once per task.
#[hook]
fn use_report_answered_task(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    let story = &page.session.model.story;
    let task = page.shell.study.task.as_ref().map(|task| task.id.clone());
    let opened = page
        .session
        .opened
        .as_ref()
        .filter(|opened| is_story_finished(opened, story));
    let outcome = task.filter(|_| opened.is_some()).map(|task| {
        let truth = story.steps.first().and_then(|step| step.truth.as_ref());
        let is_alone = page.shell.study.help != crate::pure::attempts::HowSolved::Shown;
        (task, truth.map_or(is_alone, |truth| truth.is_right && is_alone))
    });
    let send = ctl.send.clone();
    let is_done = use_mut_ref(|| false);
    use_effect_with(outcome, move |outcome| {
        let Some((task, is_right)) = outcome.clone() else {
            is_done.replace(false);
            return;
        };
        // Seeking back and forward again does not count as a second answer.
        if !is_done.replace(true) {
            send.emit(Request::Course(CourseRequest::Answered {
                task,
                is_right,
                practice: store::practice_schedule(),
            }));
        }
    });
}

/// Ends an exam when its time is over, also while another lesson is open.
#[hook]
fn use_end_of_exam(page: &Shared<Page>, ctl: &Rc<Ctl>) {
    let exam = page.shell.study.course.as_ref().and_then(|course| course.exam);
    let attempts = page.shell.study.attempts.clone();
    let act = ctl.act.clone();
    let is_running = page.shell.study.is_exam_running();
    use_effect_with((is_running, attempts), move |(is_running, attempts)| {
        let mut attempts = attempts.clone();
        let minute = |left: f64| (left / 60_000.0).ceil();
        let mut shown = exam
            .and_then(|exam| attempts.remaining_millis(exam, js_sys::Date::now()))
            .map(minute);
        let clock = exam.filter(|_| *is_running).map(|exam| {
            Interval::new(1_000, move || {
                let now = js_sys::Date::now();
                let left = attempts.remaining_millis(exam, now);
                if left == Some(0.0) {
                    attempts.ended = Some(now);
                    act.emit(Act::Dialog(Dialog::Course));
                }
                // Render the page again only when the remaining time in minutes changes.
                if left == Some(0.0) || std::mem::replace(&mut shown, left.map(minute)) != shown {
                    act.emit(Act::Study(StudyAct::Attempts(attempts.clone())));
                }
            })
        });
        move || drop(clock)
    });
}
