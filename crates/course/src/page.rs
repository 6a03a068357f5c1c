//! Handles the page's requests about practice and courses.

use podscope_messages::sentence;
use podscope_protocol::{
    CourseInfo, CourseItem, CourseRequest, CourseSource, CourseUpdate, ExamInfo, GradedAnswer, GradedRun, Practice,
    PracticeFamily, PracticeTask, Problem, Request, SessionSource, TaskId, Update,
};
use podscope_session::host::{ClockMillis, Host};
use podscope_session::lessons;

use crate::course::{Course, Item, ItemSource};
use crate::family::{Family, MAX_LEVEL};
use crate::grade;
use crate::schedule::{NextTask, Schedule};
use crate::task::Task;

/// Handles a request about practice or a course. A generated task replaces the session of the host.
pub fn handle(host: &mut Host, request: CourseRequest, now: ClockMillis) -> Vec<Update> {
    let answer = match request {
        CourseRequest::Families(practice) => Ok(CourseUpdate::Families(scheduled_families(&practice))),
        CourseRequest::Answered {
            task,
            is_right,
            practice,
        } => Ok(CourseUpdate::Schedule(schedule_after_answer(task, is_right, &practice))),
        CourseRequest::Grade { file, text } => Ok(CourseUpdate::Graded(grade_file(&file, &text))),
        CourseRequest::ReadCourse { name, text } => read_course(&name, text.as_deref()).map(CourseUpdate::Course),
        CourseRequest::Practise { task, run, practice } => match generate_task(task, &practice) {
            Ok((task, text)) => {
                let file = format!("{}.yaml", task.id.family);
                let source = match run {
                    Some(fragment) => SessionSource::Link { fragment },
                    None => SessionSource::Files {
                        files: vec![(file, text)],
                    },
                };
                let mut updates = vec![Update::Course(Box::new(CourseUpdate::Task(task)))];
                updates.extend(host.handle(Request::Open { source }, now));
                return updates;
            }
            Err(problems) => Err(problems),
        },
    };
    vec![match answer {
        Ok(answer) => Update::Course(Box::new(answer)),
        Err(problems) => Update::Refused { problems },
    }]
}

/// Returns all practice families, each with its next task and the number of days until that task is due.
fn scheduled_families(practice: &Practice) -> Vec<PracticeFamily> {
    let schedule = Schedule::read(&practice.schedule);
    let listed = |name: &str| {
        let family = Family::built_in(name).ok()?;
        let next = schedule.next(std::iter::once(name), practice.today)?;
        Some(PracticeFamily {
            name: family.name,
            title: family.title,
            topic: family.topic,
            level: next.level,
            seed: next.seed,
            due_in: next.due.map(|due| i64::from(due) - i64::from(practice.today)),
        })
    };
    crate::families().filter_map(listed).collect()
}

/// Returns the text of the schedule after an answer to a task.
fn schedule_after_answer(task: TaskId, is_right: bool, practice: &Practice) -> String {
    let mut schedule = Schedule::read(&practice.schedule);
    let answered = NextTask {
        family: task.family,
        seed: task.seed,
        level: task.level,
        due: None,
    };
    schedule.record(&answered, is_right, practice.today);
    schedule.write()
}

/// Generates the given task, or else the next one in the schedule. Returns it with the text of its scenario.
fn generate_task(task: Option<TaskId>, practice: &Practice) -> Result<(PracticeTask, String), Vec<Problem>> {
    let chosen = || {
        let next = Schedule::read(&practice.schedule).next(crate::families(), practice.today)?;
        Some(TaskId {
            family: next.family,
            seed: next.seed,
            level: next.level,
        })
    };
    let id = task
        .or_else(chosen)
        .ok_or_else(|| vec![Problem::of_file("practice", sentence!(refused::no_families))])?;
    let task = Task::draw(&Family::built_in(&id.family)?, id.seed, id.level)?;
    let reasons = task
        .options
        .iter()
        .map(|option| (option.clone(), task.check(option).why));
    let shown = PracticeTask {
        id: TaskId {
            level: task.level,
            ..id
        },
        title: task.family.title.clone(),
        rule: task.family.rule.clone(),
        topic: task.family.topic.clone(),
        reasons: reasons.collect(),
        texts: task.texts,
        max_level: MAX_LEVEL,
    };
    Ok((shown, task.text))
}

/// Replays the runs of a handed-in file.
fn grade_file(file: &str, text: &str) -> Result<Vec<GradedRun>, Vec<Problem>> {
    let runs = grade::grade(&grade::read(file, text)?);
    let answer = |answer: grade::GradedAnswer| GradedAnswer {
        ask: answer.ask,
        given: answer.given,
        truth: answer.truth,
        is_right: answer.is_right,
    };
    let shown = |run: grade::GradedRun| GradedRun {
        student: run.student,
        lesson: run.lesson,
        title: run.title,
        is_finished: run.is_finished,
        goals: run.goals,
        answers: run.answers.into_iter().map(answer).collect(),
        minutes: run.handed.minutes,
        hints: run.handed.hints,
        is_shown: run.handed.is_shown,
        complaints: run.complaints,
        link: run.handed.link,
    };
    Ok(runs.into_iter().map(shown).collect())
}

fn read_course(name: &str, text: Option<&str>) -> Result<CourseInfo, Vec<Problem>> {
    let text = match text {
        Some(text) => text,
        None => crate::course_text(name).ok_or_else(|| {
            vec![Problem::of_file(
                "course",
                sentence!(refused::no_course, name = format!("{name:?}")),
            )]
        })?,
    };
    let course = Course::read(name, text)?;
    Ok(CourseInfo {
        name: course.name,
        title: course.title,
        items: (course.items.into_iter()).map(course_item).collect(),
        has_hints: course.has_hints,
        has_show_me: course.has_show_me,
        theme: course.theme,
        language: course.language,
        exam: course.exam.map(|exam| ExamInfo {
            minutes: exam.minutes,
            pass: exam.pass,
        }),
    })
}

fn course_item(item: Item) -> CourseItem {
    let title = match &item.source {
        ItemSource::Practice { family: name, .. } => Family::built_in(name).ok().map(|family| family.title),
        ItemSource::Lesson(name) => lessons::title(name).map(str::to_owned),
        ItemSource::Url(_) | ItemSource::Inline(_) => None,
    };
    CourseItem {
        title: title.unwrap_or_else(|| item.source.scenario_name()),
        text: item.text,
        weight: item.weight,
        source: match item.source {
            ItemSource::Lesson(name) => CourseSource::Lesson(name),
            ItemSource::Url(path) => CourseSource::Url(path),
            ItemSource::Inline(text) => CourseSource::Inline(text),
            ItemSource::Practice { family, seed, level } => CourseSource::Practice(TaskId { family, seed, level }),
        },
    }
}
