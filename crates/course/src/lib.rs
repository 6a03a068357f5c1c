//! Features based on lessons: unlimited practice tasks, courses and exams, and grading of submitted work.
//!
//! A *practice family* is a file that describes many similar tasks: a scenario with variables, their possible values at
//! each level, and a question. A family, a level and a seed determine one task. The engine is the answer key: the task
//! is played, and the run shows which answer is right and why the others are wrong.
//!
//! A *course* is a file that lists lessons and tasks; an *exam* is a course with a time limit, weights and a pass mark.
//! A student hands in a file with the runs of the course. Grading replays each run and checks what the file claims.
//!
//! This crate is separate from the session, because the first visit of the page does not need it.
//!
//! ```
//! use podscope_course::{Family, Task};
//!
//! let text = podscope_course::family_text("which-phase").expect("it is built in");
//! let family = Family::read("which-phase.yaml", text).expect("it is valid");
//! let task = Task::draw(&family, 7, 1).expect("it has an answer");
//! assert!(task.check(&task.answer).is_right);
//! ```

pub mod course;
pub mod family;
pub mod grade;
pub mod page;
pub mod schedule;
pub mod scorm;
pub mod task;
pub mod xapi;

pub use family::{Family, MAX_LEVEL};
pub use task::{CheckedAnswer, Task};

use podscope_api::wire::Wire;
use podscope_api::{Parsed, Tree};
use podscope_protocol::Problem;

/// Built-in courses: name and text.
const COURSES: [(&str, &str); 2] = [
    ("from-docker", include_str!("../courses/from-docker.yaml")),
    ("exam-scheduling", include_str!("../courses/exam-scheduling.yaml")),
];

/// Returns the names of the built-in courses.
pub fn courses() -> impl Iterator<Item = &'static str> {
    COURSES.iter().map(|(name, _)| *name)
}

/// Returns the text of a built-in course.
#[must_use]
pub fn course_text(name: &str) -> Option<&'static str> {
    COURSES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

include!(concat!(env!("OUT_DIR"), "/families.rs"));

/// Returns the names of the built-in practice families in alphabetical order.
pub fn families() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|(name, _)| *name)
}

/// Returns the text of a built-in practice family.
#[must_use]
pub fn family_text(name: &str) -> Option<&'static str> {
    FAMILIES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the first document of a kind, its decoded fields, and the problems found while decoding.
///
/// # Errors
/// The file has no document of this kind.
fn parse_document<'p, T: Wire>(
    file: &str,
    parsed: &'p Parsed,
    kind: &str,
) -> Result<(&'p Tree<'p>, T, Vec<Problem>), Vec<Problem>> {
    let config = parsed.configs.iter().find(|config| &*config.value.kind == kind);
    let config = config.ok_or_else(|| {
        vec![Problem::of_file(
            file,
            format!("there is no document of kind {kind} in it"),
        )]
    })?;
    let tree = &config.value.tree;
    let (fields, errors) = podscope_api::decode_lenient(tree, true);
    let problem = |error: podscope_api::FieldError| problem_at_path(file, tree, &error.path, error.message);
    Ok((tree, fields, errors.into_iter().map(problem).collect()))
}

/// Creates a problem at the position of a field.
fn problem_at_path(file: &str, tree: &Tree<'_>, path: &str, message: String) -> Problem {
    let (line, column) = tree.position(path);
    Problem {
        line,
        column,
        path: path.to_owned(),
        ..Problem::of_file(file, message)
    }
}
