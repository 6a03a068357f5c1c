//! Practice and courses: the open task, the open course, and the user's attempts.

use podscope_protocol::{
    CourseInfo, CourseItem, CourseSource, CourseUpdate, OpenedSession, PracticeFamily, PracticeTask, practice_run_name,
};

use super::Shared;
use crate::pure::attempts::{Attempt, Attempts, HowSolved};
use crate::pure::class::Class;

/// The state of practice, course and exam.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Study {
    /// The practice families, once the engine has listed them.
    pub(crate) families: Option<Vec<PracticeFamily>>,
    /// The practice task that is open, or that opens next.
    pub(crate) task: Option<Shared<PracticeTask>>,
    pub(crate) course: Option<CourseInfo>,
    /// Index of the course's item that is open.
    pub(crate) item: Option<usize>,
    /// Index of the course's item that opens next.
    opening: Option<usize>,
    pub(crate) attempts: Attempts,
    /// Replayed runs that a class handed in, and files that cannot be read.
    pub(crate) class: Class,
    /// The most help that the user has used in the open session.
    pub(crate) help: HowSolved,
}

/// A change in practice, course or exam.
#[derive(Debug, Clone)]
pub(crate) enum StudyAct {
    /// An item of the course was requested.
    OpenItem(usize),
    /// A hint was opened, or the solution was shown.
    Helped(HowSolved),
    /// The present attempt at the open item, and the time since the item opened or was last recorded, in milliseconds.
    Record(Attempt, f64),
    /// A session with this number is open: a run of the open item, or of an item that was open before.
    Session { id: u64, copy_of: Option<u64> },
    /// The browser goes back or forward to the session of this number.
    Return(u64),
    /// Replaces the attempts: by those stored for the course, or by those at the beginning or the end of an exam.
    Attempts(Attempts),
    /// The teacher sent this number of files to the engine, which replays and grades them.
    Sent(usize),
    /// Removes the runs of the class.
    ForgetClass,
    /// Leaves the course: its state is forgotten.
    CloseCourse,
}

/// Returns whether an opened session can be a run of this item of a course.
fn is_run_of(opened: &OpenedSession, source: &CourseSource) -> bool {
    match source {
        CourseSource::Lesson(name) => opened.lesson.as_ref() == Some(name),
        CourseSource::Practice(id) => opened.title == practice_run_name(&id.family),
        CourseSource::Url(_) | CourseSource::Inline(_) => opened.lesson.is_none(),
    }
}

impl Study {
    pub(super) fn apply_act(&mut self, act: StudyAct) {
        match act {
            StudyAct::OpenItem(index) => self.opening = Some(index),
            StudyAct::Helped(way) => self.help = self.help.max(way),
            StudyAct::Record(attempt, millis) => {
                if let Some(index) = self.item {
                    self.attempts.add_time(index, millis);
                    self.attempts.record(index, attempt);
                }
            }
            StudyAct::Session { id, copy_of } => match self.item {
                Some(index) => self.attempts.note_session(id, index),
                None => {
                    let item_of = |id: u64| self.attempts.item_of_session(id);
                    self.item = item_of(id)
                        .or_else(|| item_of(copy_of?))
                        .filter(|index| self.item_at(*index).is_some())
                }
            },
            StudyAct::Return(id) => self.opening = self.attempts.item_of_session(id),
            StudyAct::Attempts(attempts) => {
                // A session that was opened before the exam began is not a run of the exam.
                if attempts.begun != self.attempts.begun {
                    self.item = None;
                }
                self.attempts = attempts;
            }
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

    pub(super) fn apply_update(&mut self, update: CourseUpdate) {
        match update {
            CourseUpdate::Families(families) => self.families = Some(families),
            CourseUpdate::Task(task) => self.task = Some(Shared::new(task)),
            CourseUpdate::Graded(graded) => self.class.add(graded),
            CourseUpdate::Course(course) => {
                (self.item, self.opening) = (None, None);
                self.course = Some(course);
            }
            // `studying.rs` stores the schedule.
            CourseUpdate::Schedule(_) => {}
        }
    }

    /// Called when a session has opened: an item of the course, a practice task, or neither. A session of a practice
    /// task gets the task's title and its reasons for wrong answers, in English like all texts of the state.
    pub(super) fn session_opened(&mut self, opened: &mut OpenedSession) {
        // The session that has opened may not be the item's: for example, after a reload, a session that was requested
        // earlier can open first. Then the item stays in `opening` until its own session opens.
        self.item = self.opening.take_if(|index| {
            let item = self.course.as_ref().and_then(|course| course.items.get(*index));
            item.is_none_or(|item| is_run_of(opened, &item.source))
        });
        self.help = HowSolved::Solved;
        let is_its_own = |task: &Shared<PracticeTask>| opened.title == practice_run_name(&task.id.family);
        self.task = self.task.take().filter(is_its_own);
        if let Some(title) = self.task_title() {
            opened.title = title.to_owned();
        }
        let Some(task) = &self.task else { return };
        opened.title.clone_from(&task.title);
        if let Some(question) = opened.story.first_mut().and_then(|step| step.question.as_mut()) {
            for (option, reason) in &task.reasons {
                if question.why.get(option).is_none() {
                    question.why.insert(option.clone(), reason.english());
                }
            }
        }
    }

    fn item_at(&self, index: usize) -> Option<&CourseItem> {
        self.course.as_ref()?.items.get(index)
    }

    /// Returns the title of the open item if it is a practice task, because the task's session only has the name of the
    /// family.
    pub(super) fn task_title(&self) -> Option<&str> {
        let item = self.item_at(self.item?)?;
        matches!(item.source, CourseSource::Practice(_)).then_some(item.title.as_str())
    }

    fn is_exam(&self) -> bool {
        self.course.as_ref().is_some_and(|course| course.exam.is_some())
    }

    /// Returns whether an exam is running now.
    pub(crate) fn is_exam_running(&self) -> bool {
        self.is_exam() && self.attempts.begun.is_some() && self.attempts.ended.is_none()
    }

    /// Returns whether rules, solutions and right answers are hidden, because a task of a running exam is open.
    pub(crate) fn hides_solutions(&self) -> bool {
        self.item.is_some() && self.is_exam_running()
    }

    /// Returns whether the open session is a replay from an ended exam, which shows the right answers.
    pub(crate) fn is_replay(&self) -> bool {
        self.is_exam() && self.item.is_some() && self.attempts.ended.is_some()
    }

    /// Returns whether the open item lets the user open hints; true outside a course.
    pub(crate) fn allows_hints(&self) -> bool {
        self.item.is_none() || self.course.as_ref().is_none_or(|course| course.has_hints)
    }

    /// Returns whether the open item lets the user see the solution; true outside a course.
    pub(crate) fn allows_solution(&self) -> bool {
        self.item.is_none() || self.course.as_ref().is_none_or(|course| course.has_show_me)
    }

    /// Returns the course and the index of the item after the open one, if there is one.
    pub(crate) fn next_item(&self) -> Option<(&CourseInfo, usize)> {
        let (course, next) = (self.course.as_ref()?, self.item? + 1);
        (next < course.items.len()).then_some((course, next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::{ExamInfo, TaskId};

    fn course_item(source: CourseSource, title: &str) -> CourseItem {
        CourseItem {
            source,
            title: title.into(),
            text: None,
            weight: 1,
        }
    }

    fn lesson_item(name: &str) -> CourseItem {
        course_item(CourseSource::Lesson(name.into()), name)
    }

    fn new_study(items: Vec<CourseItem>, exam: Option<ExamInfo>) -> Study {
        Study {
            course: Some(CourseInfo {
                name: "c".into(),
                title: "c".into(),
                items,
                has_hints: exam.is_none(),
                has_show_me: exam.is_none(),
                theme: None,
                language: None,
                exam,
            }),
            ..Study::default()
        }
    }

    /// After a reload the engine loads the course before it opens the stored session.
    #[test]
    fn requested_item_waits_for_its_own_session() {
        let mut study = new_study(vec![lesson_item("first-pod"), lesson_item("keep-three")], None);
        let open = |study: &mut Study, lesson: Option<&str>| {
            study.session_opened(&mut OpenedSession {
                lesson: lesson.map(str::to_owned),
                ..OpenedSession::default()
            });
            study.item
        };
        study.apply_act(StudyAct::OpenItem(1));
        assert_eq!(open(&mut study, None), None);
        assert_eq!(open(&mut study, Some("keep-three")), Some(1));
        assert_eq!(open(&mut study, Some("first-pod")), None);
    }

    /// Shows: E-12
    #[test]
    fn exam_continues_after_back_and_reload() {
        let task = |family: &str| {
            let id = TaskId {
                family: family.into(),
                seed: 1,
                level: 1,
            };
            course_item(CourseSource::Practice(id), &format!("The title of {family}"))
        };
        let exam = Some(ExamInfo { minutes: 5, pass: 66 });
        let items = || vec![task("which-node"), task("which-phase")];
        let open_copy = |study: &mut Study, name: &str, session: u64, copy_of: Option<u64>| {
            let mut opened = OpenedSession {
                title: name.into(),
                ..OpenedSession::default()
            };
            study.session_opened(&mut opened);
            study.apply_act(StudyAct::Session { id: session, copy_of });
            (study.item, opened.title)
        };
        let open = |study: &mut Study, name: &str, session: u64| open_copy(study, name, session, None);
        let mut first = new_study(items(), exam);
        first.apply_act(StudyAct::Attempts(Attempts::begun_at(0.0)));
        assert!(first.is_exam_running() && !first.hides_solutions(), "no task is open");
        first.apply_act(StudyAct::OpenItem(0));
        open(&mut first, "practice-which-node", 11);
        assert!(first.hides_solutions());
        first.apply_act(StudyAct::OpenItem(1));
        let second = open(&mut first, "practice-which-phase", 12);
        assert_eq!(second, (Some(1), "The title of which-phase".to_owned()));

        // If the stored session no longer exists, its link opens as a session with another number.
        first.apply_act(StudyAct::Return(11));
        let back = open(&mut first, "practice-which-node", 13);
        assert_eq!(back, (Some(0), "The title of which-node".to_owned()));
        assert_eq!(open(&mut first, "free", 14).0, None, "another session is no task");

        let mut reloaded = new_study(items(), exam);
        reloaded.apply_act(StudyAct::Attempts(Attempts::read(&first.attempts.write())));
        assert_eq!(open(&mut reloaded, "practice-which-node", 13).0, Some(0));

        // If another tab, or the page before the reload, still holds the session's lock, this tab gets a copy of the
        // session.
        let mut copied = new_study(items(), exam);
        copied.apply_act(StudyAct::Attempts(Attempts::read(&first.attempts.write())));
        assert_eq!(open_copy(&mut copied, "practice-which-node", 15, Some(13)).0, Some(0));
        copied.apply_act(StudyAct::Session {
            id: 15,
            copy_of: Some(13),
        });
        assert_eq!(copied.attempts.item_of_session(15), Some(0));
        reloaded.attempts.ended = Some(1.0);
        assert!(!reloaded.hides_solutions(), "after the end everything is shown");
    }
}
