//! Practice tasks and courses: requests of the page that `podscope-course` answers, and its answers.
//!
//! The page stores the practice schedule as text; only `podscope-course` reads and changes it. The page supplies
//! the current day.

use serde::{Deserialize, Serialize};

use podscope_messages::Sentence;

use crate::{FilledTexts, Problem};

/// Identifies one practice task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskId {
    /// Name of the practice family.
    pub family: String,
    pub seed: u64,
    /// Difficulty, from 1.
    pub level: u32,
}

/// Returns the name of a run of a practice family. It is the title of the session, and names the run in a handed-in
/// file.
#[must_use]
pub fn practice_run_name(family: &str) -> String {
    format!("practice-{family}")
}

/// The user's practice schedule (which tasks are due when), and the current day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Practice {
    /// The stored schedule; empty at first.
    pub schedule: String,
    /// The current day, in days since 1970.
    pub today: u32,
}

/// A request about practice or a course.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CourseRequest {
    /// List the practice families. Answered by [`CourseUpdate::Families`].
    Families(Practice),
    /// Generate a task and open it. Answered by [`CourseUpdate::Task`], followed by the answers to
    /// [`Request::Open`](crate::Request::Open).
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
    /// Grade a handed-in file: replay its runs. Answered by [`CourseUpdate::Graded`].
    Grade {
        /// Name of the file, for messages. It stands for the student's name if the file contains none.
        file: String,
        text: String,
    },
    /// Read a course. Answered by [`CourseUpdate::Course`], or by [`Update::Refused`](crate::Update::Refused).
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
    /// The changed schedule, which the page must store.
    Schedule(String),
    Course(CourseInfo),
    /// The graded runs of a handed-in file, or the reason why it cannot be read.
    Graded(Result<Vec<GradedRun>, Vec<Problem>>),
}

/// A handed-in run and the result of its replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GradedRun {
    pub student: String,
    /// Name of the lesson.
    pub lesson: String,
    pub title: String,
    pub is_finished: bool,
    /// Number of reached goals, and of all goals of the lesson.
    pub goals: (usize, usize),
    pub answers: Vec<GradedAnswer>,
    pub minutes: Option<f64>,
    pub hints: Option<u64>,
    /// Whether the student let the page show the solution.
    pub is_shown: bool,
    /// Claims in the file that the replay of the run does not confirm, and errors that prevent a replay.
    pub complaints: Vec<Sentence>,
    /// The link of the run.
    pub link: String,
}

/// A student's answer in a replayed run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GradedAnswer {
    pub ask: String,
    /// The answer of the student; `None` if the question was skipped.
    pub given: Option<String>,
    /// The right answer; `None` if the run ends before the answer is known.
    pub truth: Option<String>,
    pub is_right: bool,
}

/// A practice family, from which tasks are generated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PracticeFamily {
    pub name: String,
    pub title: String,
    /// Title of the related page of the Kubernetes documentation.
    pub topic: String,
    /// Level of the next task according to the practice schedule; 1 at first.
    pub level: u32,
    /// Seed of the next task according to the practice schedule.
    pub seed: u64,
    /// Days until a task of the family is due; zero or negative if one is due now. `None` if the family was never
    /// practised.
    pub due_in: Option<i64>,
}

/// A generated practice task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PracticeTask {
    pub id: TaskId,
    pub title: String,
    /// The rule about Kubernetes that the task teaches.
    pub rule: String,
    pub topic: String,
    /// Each answer option with the reason why it is right or wrong.
    pub reasons: Vec<(String, Sentence)>,
    /// The texts of the scenario that contain generated values.
    pub texts: FilledTexts,
    /// The highest level of the task's family.
    pub max_level: u32,
}

/// A course, as described in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CourseInfo {
    pub name: String,
    pub title: String,
    pub items: Vec<CourseItem>,
    /// Whether students may open hints.
    pub has_hints: bool,
    /// Whether students may let the page show the solution.
    pub has_show_me: bool,
    /// Name of the theme in which the page is shown while the course is open.
    pub theme: Option<String>,
    /// Code of the language in which the page is shown.
    pub language: Option<String>,
    pub exam: Option<ExamInfo>,
}

/// Time limit and pass mark of an exam.
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
    /// Title of the session that opens when the student chooses the item.
    pub title: String,
    /// Text that is shown before the item, in Markdown.
    pub text: Option<String>,
    /// Weight of the item in an exam.
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
