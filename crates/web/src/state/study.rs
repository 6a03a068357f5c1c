//! Practice and courses: the open task, the open course, and what the user has done in it.

use podscope_protocol::{
    CourseInfo, CourseSource, CourseUpdate, Opened, PracticeFamily, PracticeTask, practice_run_name,
};

use crate::pure::attempts::{Attempt, Attempts, Way};
use crate::pure::class::Class;

/// What the user studies.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Study {
    /// The practice families, once the engine has listed them.
    pub(crate) families: Option<Vec<PracticeFamily>>,
    /// The practice task that is open, or that opens next.
    pub(crate) task: Option<PracticeTask>,
    pub(crate) course: Option<CourseInfo>,
    /// Index of the course's item that is open.
    pub(crate) item: Option<usize>,
    /// Index of the course's item that opens next.
    opening: Option<usize>,
    pub(crate) attempts: Attempts,
    /// Runs of a class that were handed in, and files that cannot be read.
    pub(crate) class: Class,
    /// Help that was used in the open session.
    pub(crate) help: Way,
}

/// A change of what is studied.
#[derive(Debug, Clone)]
pub(crate) enum StudyAct {
    /// An item of the course was requested.
    OpenItem(usize),
    /// A hint was opened, or the solution was shown.
    Helped(Way),
    /// The state of the attempt at the open item.
    Record(Attempt),
    /// The stored attempts at the course, or begin and end of an exam.
    Attempts(Attempts),
    /// Files were sent to be graded.
    Sent(usize),
    /// The class's runs are dropped.
    ForgetClass,
    /// The user leaves the course.
    CloseCourse,
}

/// Whether a session that opened can be a run of a course's item.
fn is_run_of(opened: &Opened, source: &CourseSource) -> bool {
    match source {
        CourseSource::Lesson(name) => opened.lesson.as_ref() == Some(name),
        CourseSource::Practice(id) => opened.title == practice_run_name(&id.family),
        CourseSource::Url(_) | CourseSource::Inline(_) => opened.lesson.is_none(),
    }
}

impl Study {
    pub(super) fn act(&mut self, act: StudyAct) {
        match act {
            StudyAct::OpenItem(index) => self.opening = Some(index),
            StudyAct::Helped(way) => self.help = self.help.max(way),
            StudyAct::Record(attempt) => {
                if let Some(index) = self.item {
                    self.attempts.record(index, attempt);
                }
            }
            StudyAct::Attempts(attempts) => self.attempts = attempts,
            StudyAct::Sent(count) => self.class.n_awaited += count,
            StudyAct::ForgetClass => self.class = Class::default(),
            StudyAct::CloseCourse => {
                *self = Study {
                    families: self.families.take(),
                    task: self.task.take(),
                    class: std::mem::take(&mut self.class),
                    ..Study::default()
                };
            }
        }
    }

    pub(super) fn update(&mut self, update: CourseUpdate) {
        match update {
            CourseUpdate::Families(families) => self.families = Some(families),
            CourseUpdate::Task(task) => self.task = Some(task),
            CourseUpdate::Graded(graded) => self.class.add(graded),
            CourseUpdate::Course(course) => {
                (self.item, self.opening) = (None, None);
                self.course = Some(course);
            }
            // `studying.rs` keeps it.
            CourseUpdate::Schedule(_) => {}
        }
    }

    /// A session opened: an item of the course, a practice task, or something else. Wrong answers to a task get the
    /// reasons that came with it.
    pub(super) fn opened(&mut self, opened: &mut Opened) {
        // A session that was requested before the item may open first, as after a reload.
        self.item = self.opening.take_if(|index| {
            let item = self.course.as_ref().and_then(|course| course.items.get(*index));
            item.is_none_or(|item| is_run_of(opened, &item.source))
        });
        self.help = Way::Solved;
        let is_its_own = |task: &PracticeTask| opened.title == practice_run_name(&task.id.family);
        self.task = self.task.take().filter(is_its_own);
        let Some(task) = &self.task else { return };
        opened.title.clone_from(&task.title);
        if let Some(question) = opened.story.first_mut().and_then(|step| step.question.as_mut()) {
            for (option, reason) in &task.reasons {
                if question.why.get(option).is_none() {
                    question.why.insert(option.clone(), reason.clone());
                }
            }
        }
    }

    /// Hints may be opened.
    pub(crate) fn has_hints(&self) -> bool {
        self.item.is_none() || self.course.as_ref().is_none_or(|course| course.has_hints)
    }

    /// The solution may be shown.
    pub(crate) fn has_show_me(&self) -> bool {
        self.item.is_none() || self.course.as_ref().is_none_or(|course| course.has_show_me)
    }

    /// The course and the index of the item after the open one, if there is one.
    pub(crate) fn next_item(&self) -> Option<(&CourseInfo, usize)> {
        let (course, next) = (self.course.as_ref()?, self.item? + 1);
        (next < course.items.len()).then_some((course, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::CourseItem;

    /// After a reload the engine reads the course before it opens the stored session.
    #[test]
    fn item_waits_for_its_own_session() {
        let item = |name: &str| CourseItem {
            source: CourseSource::Lesson(name.into()),
            title: name.into(),
            text: None,
            weight: 1,
        };
        let mut study = Study {
            course: Some(CourseInfo {
                name: "c".into(),
                title: "c".into(),
                items: vec![item("first-pod"), item("keep-three")],
                has_hints: true,
                has_show_me: true,
                theme: None,
                exam: None,
            }),
            ..Study::default()
        };
        let open = |study: &mut Study, lesson: Option<&str>| {
            study.opened(&mut Opened {
                lesson: lesson.map(str::to_owned),
                ..Opened::default()
            });
            study.item
        };
        study.act(StudyAct::OpenItem(1));
        assert_eq!(open(&mut study, None), None);
        assert_eq!(open(&mut study, Some("keep-three")), Some(1));
        assert_eq!(open(&mut study, Some("first-pod")), None);
    }
}
