//! Grading of handed-in work. A student hands in one file with a name, and for each lesson the link of the run, which
//! contains the commands and the answers. Grading replays each run: only what the replay shows counts, and other claims
//! of the file are compared with it.
//!
//! ```json
//! {"apiVersion": "podscope.dev/v1alpha1", "kind": "HandIn", "name": "Ada", "course": "week-1",
//!  "lessons": [{"lesson": "first-pod", "run": "#s1:…", "minutes": 4.5, "hints": 1, "shown": false, "finished": true}]}
//! ```
//! A text file with one link per line is accepted too; its file name is the name of the student. Fields other than
//! `run` are optional.

use podscope_api::ordered::StableSort as _;
use podscope_cluster::{SimTime, Span};
use podscope_messages::{Sentence, sentence};
use podscope_protocol::Problem;
use podscope_session::lessons;
use podscope_session::link::{self, Link};
use podscope_session::scenario::{Loaded, Scenario};
use podscope_session::story::{Goal, Story};
use podscope_session::timeline::{Session, Slice};
use serde_json::Value;

use crate::Family;
use crate::course::{Course, Item, ItemSource, file_stem};

/// Simulated time for which a replay continues after the cursor of the link, so that the last actions can complete.
const PLAYED_TIME_AFTER_CURSOR: Span = Span::seconds(1);
/// Maximum number of runs in a file.
pub const MAX_RUNS: usize = 500;

/// The work that a student submitted.
#[derive(Debug, Clone, PartialEq)]
pub struct HandIn {
    pub name: String,
    pub runs: Vec<HandedRun>,
}

/// A handed-in run of a lesson, with what the file claims about it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HandedRun {
    /// Name of the lesson, if the file contains it.
    pub lesson: Option<String>,
    /// Link of the run.
    pub link: String,
    pub minutes: Option<f64>,
    pub hints: Option<u64>,
    /// Whether the file claims that the student had the solution shown.
    pub is_shown: bool,
    /// Whether the file claims that the lesson is finished.
    pub claims_finished: Option<bool>,
}

/// A student's answer to a question, compared with the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradedAnswer {
    /// Index of the scenario's step with the question.
    pub step: usize,
    pub ask: String,
    /// The answer of the student; None if the question was skipped.
    pub given: Option<String>,
    /// The right answer; None if the run ends before it is known.
    pub truth: Option<String>,
    pub is_right: bool,
}

/// A run that was replayed, with its results.
#[derive(Debug, Clone, PartialEq)]
pub struct GradedRun {
    pub student: String,
    /// Name of the built-in lesson or of the practice run; the title of any other scenario.
    pub lesson: String,
    /// Title of the lesson, of the practice family or of the scenario.
    pub title: String,
    /// The scenario of a lesson that is not built in.
    custom: Option<CustomLesson>,
    pub is_finished: bool,
    /// Number of reached goals, and of all goals of the lesson.
    pub goals: (usize, usize),
    pub answers: Vec<GradedAnswer>,
    pub handed: HandedRun,
    /// Claims of the file that the run does not confirm, and errors that prevent a replay.
    pub complaints: Vec<Sentence>,
}

/// The scenario file in a link, if the lesson is not built in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CustomLesson {
    /// File name without its extension.
    stem: String,
    text: String,
}

impl GradedRun {
    /// Returns whether this is a run of the course item. A lesson by URL is identified by its file name, which the page
    /// puts into the link; an inline lesson by its whole text.
    fn is_run_of_item(&self, source: &ItemSource) -> bool {
        match (source, &self.custom) {
            (ItemSource::Url(path), Some(custom)) => custom.stem == file_stem(path),
            (ItemSource::Inline(text), Some(custom)) => custom.text == *text,
            (ItemSource::Lesson(name), None) => self.lesson == *name,
            (ItemSource::Practice { .. }, Some(_)) => self.lesson == source.scenario_name(),
            _ => false,
        }
    }

    /// Returns the number of right answers, and of questions that were asked.
    #[must_use]
    pub fn right_answers(&self) -> (usize, usize) {
        (
            self.answers.iter().filter(|answer| answer.is_right).count(),
            self.answers.len(),
        )
    }

    /// Returns the share of reached goals and right answers, from 0 to 1.
    #[must_use]
    pub fn score(&self) -> f64 {
        let (right, asked) = self.right_answers();
        let (reached, goals) = self.goals;
        let of = goals + asked;
        if of == 0 {
            f64::from(u8::from(self.is_finished))
        } else {
            (reached + right) as f64 / of as f64
        }
    }
}

/// Reads a handed-in file.
///
/// # Errors
/// The problems of the file.
pub fn read(file: &str, text: &str) -> Result<HandIn, Vec<Problem>> {
    let refuse = |message: Sentence| Err(vec![Problem::of_file(file, message)]);
    let too_many = |count: usize| sentence!(grading::too_many_runs, count = count, limit = MAX_RUNS);
    let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem).to_owned();
    if !text.trim_start().starts_with('{') {
        let links = text.split_whitespace().filter(|word| word.contains(link::PREFIX));
        let runs: Vec<HandedRun> = links
            .map(|word| HandedRun {
                link: word.to_owned(),
                ..HandedRun::default()
            })
            .collect();
        return match runs.len() {
            0 => refuse(sentence!(grading::no_hand_in, prefix = link::PREFIX)),
            1..=MAX_RUNS => Ok(HandIn { name: stem, runs }),
            many => refuse(too_many(many)),
        };
    }
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            return Err(vec![Problem {
                line: u32::try_from(error.line()).unwrap_or_default(),
                column: u32::try_from(error.column()).unwrap_or_default(),
                ..Problem::of_file(file, format!("this is no JSON: {error}"))
            }]);
        }
    };
    if value["kind"] != "HandIn" {
        return refuse("kind: it must be HandIn".into());
    }
    let Some(lessons) = value["lessons"].as_array() else {
        return refuse("lessons: it must be a list".into());
    };
    if lessons.len() > MAX_RUNS {
        return Err(vec![Problem {
            path: "lessons".to_owned(),
            ..Problem::of_file(file, too_many(lessons.len()))
        }]);
    }
    let mut problems = Vec::new();
    let mut runs = Vec::new();
    for (index, lesson) in lessons.iter().enumerate() {
        let Some(run) = lesson["run"].as_str() else {
            problems.push(Problem {
                path: format!("lessons[{index}].run"),
                ..Problem::of_file(file, "Required value: the link of the run")
            });
            continue;
        };
        runs.push(HandedRun {
            lesson: lesson["lesson"].as_str().map(str::to_owned),
            link: run.to_owned(),
            minutes: lesson["minutes"].as_f64(),
            hints: lesson["hints"].as_u64(),
            is_shown: lesson["shown"].as_bool().unwrap_or_default(),
            claims_finished: lesson["finished"].as_bool(),
        });
    }
    if problems.is_empty() {
        let name = value["name"].as_str().map_or(stem, str::to_owned);
        Ok(HandIn { name, runs })
    } else {
        Err(problems)
    }
}

/// Replays all runs of a student.
#[must_use]
pub fn grade(hand_in: &HandIn) -> Vec<GradedRun> {
    hand_in.runs.iter().map(|run| grade_run(&hand_in.name, run)).collect()
}

/// Replays one run of a student. An error in the link becomes a complaint.
fn grade_run(student: &str, handed: &HandedRun) -> GradedRun {
    let mut graded = GradedRun {
        student: student.to_owned(),
        lesson: handed.lesson.clone().unwrap_or_default(),
        title: lesson_or_family_title(handed.lesson.as_deref().unwrap_or_default()),
        custom: None,
        is_finished: false,
        goals: (0, 0),
        answers: Vec::new(),
        handed: handed.clone(),
        complaints: Vec::new(),
    };
    if let Err(why) = replay_and_grade(handed, &mut graded) {
        graded.complaints.push(why);
    }
    graded
}

/// Replays a run and sets the results in `graded`.
fn replay_and_grade(handed: &HandedRun, graded: &mut GradedRun) -> Result<(), Sentence> {
    let first = |problems: Vec<Problem>| {
        let problem = problems.into_iter().next();
        problem.map_or_else(Sentence::default, |problem| {
            sentence!(
                grading::problem,
                place = problem.position_and_path(),
                message = problem.message
            )
        })
    };
    let link = link::decode(&handed.link).map_err(|why| sentence!(grading::link_unreadable, error = why))?;
    let loaded = link.load().map_err(first)?;
    set_lesson_of_link(&link, &loaded, graded);
    let is_claimed = |claimed: &str| match &graded.custom {
        None => claimed == graded.lesson,
        // A custom scenario is never accepted as a built-in lesson, whatever its title.
        Some(custom) => {
            (claimed == graded.lesson || claimed == custom.stem) && !lessons::names().any(|name| name == claimed)
        }
    };
    if let Some(claimed) = handed.lesson.as_deref().filter(|claimed| !is_claimed(claimed)) {
        let (claimed, of) = (lesson_or_family_title(claimed), &graded.title);
        let complaint = match claimed == *of {
            true => sentence!(grading::run_of_namesake, claimed = Sentence::from(claimed)),
            false => {
                let (claimed, title) = (Sentence::from(claimed), Sentence::from(of));
                sentence!(grading::run_of_another, claimed = claimed, title = title)
            }
        };
        graded.complaints.push(complaint);
    }
    let timed = link
        .parse_commands()
        .map_err(|unreadable| Sentence::from(unreadable.to_string()))?;
    let mut session = Session::new(loaded).map_err(first)?;
    session.schedule(timed);
    let until = SimTime(link.cursor.max(0)) + PLAYED_TIME_AFTER_CURSOR;
    while session.advance(until, 100_000) == Slice::More {}
    let scenario = &session.loaded().scenario;
    let story = session.progress().story();
    graded.is_finished = story.finished().is_some();
    graded.goals = count_goals(story, scenario);
    let given = link.reading.map(|reading| reading.answers).unwrap_or_default();
    graded.answers = graded_answers(story, scenario, &given);
    if handed.claims_finished == Some(true) && !graded.is_finished {
        graded.complaints.push(sentence!(grading::not_finished));
    }
    Ok(())
}

/// Sets `lesson` and `title` of a graded run.
fn set_lesson_of_link(link: &Link, loaded: &Loaded, graded: &mut GradedRun) {
    if let Some(name) = &link.lesson {
        graded.lesson.clone_from(name);
    } else {
        graded.lesson = loaded.title();
        graded.custom = loaded.files.first().map(|(name, text)| CustomLesson {
            stem: file_stem(name).to_owned(),
            text: text.clone(),
        });
    }
    graded.title = lesson_or_family_title(&graded.lesson);
}

/// Returns the title of a built-in lesson or practice family; for any other scenario, `name` is already its title.
fn lesson_or_family_title(name: &str) -> String {
    if let Some(title) = lessons::title(name) {
        return title.to_owned();
    }
    let family = crate::families().find(|family| podscope_protocol::practice_run_name(family) == name);
    let family = family.and_then(|family| Family::built_in(family).ok());
    family.map_or_else(|| name.to_owned(), |family| family.title)
}

/// Returns the number of reached goals, and of all goals of the scenario.
fn count_goals(story: &Story, scenario: &Scenario) -> (usize, usize) {
    let states = story.shown().iter().flat_map(|shown| &shown.goals);
    let reached = states.filter(|goal| matches!(goal, Goal::Reached(_))).count();
    (reached, scenario.steps.iter().map(|step| step.goals.len()).sum())
}

/// Compares the student's answers (step and answer) with the right answers that the run shows.
fn graded_answers(story: &Story, scenario: &Scenario, given: &[(usize, Option<String>)]) -> Vec<GradedAnswer> {
    let shown = story.shown().iter().zip(&scenario.steps).enumerate();
    let asked = shown.filter_map(|(step, (shown, of))| {
        let ask = of.predict.as_ref()?;
        let given = given
            .iter()
            .find(|(at, _)| *at == step)
            .and_then(|(_, answer)| answer.clone());
        let truth = shown.truth.as_ref().map(|truth| truth.value.clone());
        let is_right = given
            .as_ref()
            .zip(truth.as_ref())
            .is_some_and(|(given, truth)| ask.is_right(given, truth));
        Some(GradedAnswer {
            step,
            ask: ask.ask.clone(),
            truth: truth.map(|truth| ask.option_for_value(&truth).map_or(truth.clone(), str::to_owned)),
            given,
            is_right,
        })
    });
    asked.collect()
}

/// A student's result in a course or exam.
#[derive(Debug, Clone, PartialEq)]
pub struct CourseResult {
    pub student: String,
    /// Points in percent.
    pub percent: f64,
    pub is_passed: bool,
    /// Number of items of the course without a run.
    pub missing: usize,
}

/// Returns the result of each student, in the order in which they first appear. Only the best run of an item counts;
/// runs with complaints score 0.
#[must_use]
pub fn results(course: &Course, runs: &[GradedRun]) -> Vec<CourseResult> {
    let mut students: Vec<&str> = Vec::new();
    for run in runs {
        if !students.contains(&run.student.as_str()) {
            students.push(&run.student);
        }
    }
    let result = |student: &str| {
        let valid = || {
            runs.iter()
                .filter(|run| run.student == student && run.complaints.is_empty())
        };
        let best = |item: &Item| {
            let of_item = valid().filter(|run| run.is_run_of_item(&item.source));
            of_item.map(GradedRun::score).max_by(f64::total_cmp)
        };
        let scores: Vec<Option<f64>> = course.items.iter().map(best).collect();
        let points: Vec<f64> = scores.iter().map(|score| score.unwrap_or_default()).collect();
        let (percent, is_passed) = course.percent_and_pass(&points);
        CourseResult {
            student: student.to_owned(),
            percent,
            is_passed,
            missing: scores.iter().filter(|score| score.is_none()).count(),
        }
    };
    students.into_iter().map(result).collect()
}

/// The most frequent wrong answer of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrequentMistake {
    pub lesson: String,
    pub ask: String,
    pub wrong: String,
    /// Number of students who gave this answer, and of all who answered.
    pub count: (usize, usize),
    pub right: String,
}

/// Returns the most frequent wrong answer of each question, ordered by the names of the lessons.
#[must_use]
pub fn frequent_mistakes(runs: &[GradedRun]) -> Vec<FrequentMistake> {
    let mut questions: Vec<(&str, &GradedAnswer)> = Vec::new();
    for run in runs {
        questions.extend(
            run.answers
                .iter()
                .filter(|one| one.given.is_some())
                .map(|one| (run.lesson.as_str(), one)),
        );
    }
    questions.stable_sort_by_key(|(lesson, answer)| (*lesson, answer.step));
    let same = |a: &(&str, &GradedAnswer), b: &(&str, &GradedAnswer)| a.0 == b.0 && a.1.step == b.1.step;
    let of_question = |all: &[(&str, &GradedAnswer)]| {
        let wrong: Vec<&str> = all
            .iter()
            .filter(|(_, one)| !one.is_right)
            .filter_map(|(_, one)| one.given.as_deref())
            .collect();
        let count = |answer: &str| wrong.iter().filter(|one| **one == answer).count();
        let most = wrong
            .iter()
            .copied()
            .max_by_key(|answer| (count(answer), std::cmp::Reverse(*answer)))?;
        let (lesson, first) = all.first()?;
        Some(FrequentMistake {
            lesson: (*lesson).to_owned(),
            ask: first.ask.clone(),
            wrong: most.to_owned(),
            count: (count(most), all.len()),
            right: first.truth.clone().unwrap_or_default(),
        })
    };
    questions.chunk_by(same).filter_map(of_question).collect()
}
