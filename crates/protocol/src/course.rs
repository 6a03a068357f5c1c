//! Practice tasks and courses: requests of the page that `podscope-course` answers, and the answers.
//!
//! The schedule of practice is text that the page keeps; only `podscope-course` reads and changes it. Days are counted
//! by the page.

use serde::{Deserialize, Serialize};

use podscope_messages::Sentence;

use crate::{FilledTexts, Problem};

/// Names one practice task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskId {
    /// Name of the practice family.
    pub family: String,
    pub seed: u64,
    /// Difficulty, from 1.
    pub level: u32,
}

/// The name of a run of a practice family: the title of its session, and what a hand-in calls it.
#[must_use]
pub fn practice_run_name(family: &str) -> String {
    format!("practice-{family}")
}

/// What the user has practised so far, and the present day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Practice {
    /// The kept schedule; empty at first.
    pub schedule: String,
    /// Days since 1970.
    pub today: u32,
}

/// A request about practice or a course.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CourseRequest {
    /// List the practice families. Answered by [`CourseUpdate::Families`].
    Families(Practice),
    /// Draw a task and open it. Answered by [`CourseUpdate::Task`], followed by the answers to `Open`.
    Practise {
        /// The task; `None` leaves the choice to the schedule.
        task: Option<TaskId>,
        /// Fragment of the link of a run of the task, which is opened instead of a new run.
        run: Option<String>,
        practice: Practice,
    },
    /// Record the answer to a task. Answered by [`CourseUpdate::Schedule`].
    Answered {
        task: TaskId,
        is_right: bool,
        practice: Practice,
    },
    /// Grade a file that was handed in: replay its runs. Answered by [`CourseUpdate::Graded`].
    Grade {
        /// File name for messages, and the student's name if the file has none.
        file: String,
        text: String,
    },
    /// Read a course. Answered by [`CourseUpdate::Course`], or by `Refused`.
    ReadCourse {
        /// Name of a built-in course, or of the file.
        name: String,
        /// The file's text; `None` for a built-in course.
        text: Option<String>,
    },
}

/// An answer about practice or a course.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CourseUpdate {
    Families(Vec<PracticeFamily>),
    /// The task that opens next.
    Task(PracticeTask),
    /// The changed schedule, to be kept.
    Schedule(String),
    Course(CourseInfo),
    /// What a file that was handed in contains, or why it cannot be read.
    Graded(Result<Vec<GradedRun>, Vec<Problem>>),
}

/// A run that was handed in and has been replayed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GradedRun {
    pub student: String,
    /// Name of the lesson.
    pub lesson: String,
    pub title: String,
    pub is_finished: bool,
    /// Reached goals, and all goals of the lesson.
    pub goals: (usize, usize),
    pub answers: Vec<GradedAnswer>,
    pub minutes: Option<f64>,
    pub hints: Option<u64>,
    /// The solution was shown.
    pub is_shown: bool,
    /// Claims that the run does not confirm, and errors that prevent a replay.
    pub complaints: Vec<Sentence>,
    /// The link of the run.
    pub link: String,
}

/// An answer in a run that was replayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GradedAnswer {
    pub ask: String,
    /// `None` if the question was skipped.
    pub given: Option<String>,
    /// `None` if the run has not answered it.
    pub truth: Option<String>,
    pub is_right: bool,
}

/// A topic of practice, from which tasks are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PracticeFamily {
    pub name: String,
    pub title: String,
    /// Title of the related page of the Kubernetes documentation.
    pub topic: String,
    /// Level of the next task by the schedule; 1 at first.
    pub level: u32,
    /// Seed of the next task by the schedule.
    pub seed: u64,
    /// Days until the family is due; not positive if it is due. `None` if it was never practised.
    pub due_in: Option<i64>,
}

/// A drawn practice task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PracticeTask {
    pub id: TaskId,
    pub title: String,
    /// The rule to remember.
    pub rule: String,
    pub topic: String,
    /// Each option with the reason why it is right or wrong.
    pub reasons: Vec<(String, Sentence)>,
    /// The texts of its scenario that contain drawn values.
    pub texts: FilledTexts,
    /// The highest level.
    pub max_level: u32,
}

/// A course file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CourseInfo {
    pub name: String,
    pub title: String,
    pub items: Vec<CourseItem>,
    /// Hints may be opened.
    pub has_hints: bool,
    /// The solution may be shown.
    pub has_show_me: bool,
    /// Name of a theme.
    pub theme: Option<String>,
    /// Code of the language in which the page is shown.
    pub language: Option<String>,
    pub exam: Option<ExamInfo>,
}

/// The conditions of an exam.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExamInfo {
    pub minutes: u32,
    /// Pass mark in percent.
    pub pass: u32,
}

/// A lesson or task of a course.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CourseItem {
    pub source: CourseSource,
    /// Title of a run of the item.
    pub title: String,
    /// Text before it, in Markdown.
    pub text: Option<String>,
    /// Weight in an exam.
    pub weight: u32,
}

/// What an item of a course opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CourseSource {
    /// A built-in lesson.
    Lesson(String),
    /// A scenario file of the same site.
    Url(String),
    /// The text of a scenario.
    Inline(String),
    /// A practice task.
    Practice(TaskId),
}
