//! The user's attempts at the items of a course or an exam: for each item the score, the help that was used, and the
//! link of the run. They are stored on this device as text. `podscope grade` reads them as JSON.

use podscope_api::ordered;
use podscope_messages::t;
use podscope_protocol::{CourseInfo, CourseSource, ExamInfo, GoalState, OpenedSession, StoryState, practice_run_name};
use serde_json::{Value, json};

const MILLIS_PER_MINUTE: f64 = 60_000.0;

/// How a lesson was solved, from best to worst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HowSolved {
    #[default]
    Solved,
    /// The user predicted wrongly, but needed no help.
    Guessed,
    /// The user opened hints.
    Hinted,
    /// The user had a part of the solution shown.
    Shown,
}

impl HowSolved {
    /// Returns the word for this way of solving in stored texts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            HowSolved::Solved => "solved",
            HowSolved::Guessed => "guessed",
            HowSolved::Hinted => "hinted",
            HowSolved::Shown => "shown",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<HowSolved> {
        [
            HowSolved::Solved,
            HowSolved::Guessed,
            HowSolved::Hinted,
            HowSolved::Shown,
        ]
        .into_iter()
        .find(|how_solved| how_solved.name() == name)
    }

    /// Returns the text for this way of solving on the page.
    pub(crate) fn words(self) -> String {
        match self {
            HowSolved::Solved => t!(attempts::solved),
            HowSolved::Guessed => t!(attempts::guessed),
            HowSolved::Hinted => t!(attempts::hinted),
            HowSolved::Shown => t!(attempts::shown),
        }
    }
}

/// The best attempt at an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Attempt {
    /// Share of goals reached and questions answered rightly, in thousandths.
    pub(crate) score: u32,
    pub(crate) is_finished: bool,
    pub(crate) how_solved: HowSolved,
    /// Fragment of the link of the run.
    pub(crate) run: String,
}

/// The attempts at the items of one course.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Attempts {
    /// Instant at which the exam was begun, in milliseconds of the browser's clock.
    pub(crate) begun: Option<f64>,
    /// Instant at which the exam was handed in, in milliseconds of the browser's clock.
    pub(crate) ended: Option<f64>,
    items: ordered::Map<usize, Attempt>,
    /// For each unfinished item, the time that the user has spent on it, in milliseconds.
    spent: ordered::Map<usize, f64>,
    /// For each session of this browser, by its number: the item that the session is a run of.
    sessions: ordered::Map<u64, usize>,
}

impl Attempts {
    /// Parses the stored text; invalid lines are skipped.
    pub(crate) fn read(text: &str) -> Attempts {
        let mut attempts = Attempts::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["begun", at] => attempts.begun = at.parse().ok(),
                ["ended", at] => attempts.ended = at.parse().ok(),
                ["spent", index, millis] => {
                    if let (Ok(index), Ok(millis)) = (index.parse(), millis.parse()) {
                        attempts.spent.insert(index, millis);
                    }
                }
                ["session", id, index] => {
                    if let (Ok(id), Ok(index)) = (id.parse(), index.parse()) {
                        attempts.sessions.insert(id, index);
                    }
                }
                [index, score, finished, how_solved, run @ ..] => {
                    if let (Ok(index), Ok(score), Some(how_solved)) =
                        (index.parse(), score.parse(), HowSolved::from_name(how_solved))
                    {
                        let attempt = Attempt {
                            score,
                            is_finished: *finished == "finished",
                            how_solved,
                            run: run.first().copied().unwrap_or_default().to_owned(),
                        };
                        attempts.items.insert(index, attempt);
                    }
                }
                _ => {}
            }
        }
        attempts
    }

    /// Returns the text to store.
    pub(crate) fn write(&self) -> String {
        let time = |name: &str, at: Option<f64>| at.map(|at| format!("{name} {at}\n")).unwrap_or_default();
        let item = |(index, attempt): (&usize, &Attempt)| {
            let finished = if attempt.is_finished { "finished" } else { "open" };
            format!(
                "{index} {} {finished} {} {}\n",
                attempt.score,
                attempt.how_solved.name(),
                attempt.run
            )
        };
        let mut text = time("begun", self.begun) + &time("ended", self.ended);
        text.extend(self.items.iter().map(item));
        text.extend((self.spent.iter()).map(|(index, millis)| format!("spent {index} {millis}\n")));
        text.extend((self.sessions.iter()).map(|(id, index)| format!("session {id} {index}\n")));
        text
    }

    /// Returns empty attempts, for an exam that begins now.
    pub(crate) fn begun_at(now: f64) -> Attempts {
        Attempts {
            begun: Some(now),
            ..Attempts::default()
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Attempt> {
        self.items.get(&index)
    }

    /// Records that a session of this browser is a run of an item.
    pub(crate) fn note_session(&mut self, id: u64, index: usize) {
        self.sessions.insert(id, index);
    }

    /// Returns the item that a session of this browser is a run of.
    pub(crate) fn item_of_session(&self, id: u64) -> Option<usize> {
        self.sessions.get(&id).copied()
    }

    /// Adds time that was spent on an item that is not finished yet.
    pub(crate) fn add_time(&mut self, index: usize, millis: f64) {
        let is_open = self.get(index).is_none_or(|attempt| !attempt.is_finished);
        if is_open && self.ended.is_none() {
            *self.spent.entry(index).or_default() += millis.round();
        }
    }

    /// Number of finished items.
    pub(crate) fn n_finished(&self) -> usize {
        self.items.values().filter(|attempt| attempt.is_finished).count()
    }

    /// Records an attempt at an item, unless an earlier attempt was better. In an exam the first finished attempt
    /// counts, because afterwards the answers are shown; later attempts only replace the link of the run.
    pub(crate) fn record(&mut self, index: usize, attempt: Attempt) {
        let is_final = |known: &Attempt| known.is_finished && self.begun.is_some();
        let is_better = |known: &Attempt| match is_final(known) {
            true => attempt.is_finished && attempt.score == known.score,
            false => (attempt.is_finished, attempt.score) >= (known.is_finished, known.score),
        };
        if self.ended.is_none() && self.items.get(&index).is_none_or(is_better) {
            self.items.insert(index, attempt);
        }
    }

    /// Returns the remaining time of the exam, in milliseconds. `None` before it begins and after it has been handed
    /// in.
    pub(crate) fn remaining_millis(&self, exam: ExamInfo, now: f64) -> Option<f64> {
        let begun = self.begun.filter(|_| self.ended.is_none())?;
        Some((begun + f64::from(exam.minutes) * MILLIS_PER_MINUTE - now).max(0.0))
    }

    /// Returns the weighted score of the course, in percent.
    pub(crate) fn percent(&self, course: &CourseInfo) -> f64 {
        let score = |index: usize| self.get(index).map_or(0, |attempt| attempt.score);
        let total: u32 = course.items.iter().map(|item| item.weight).sum();
        let items = course.items.iter().enumerate();
        let points: u64 = items
            .map(|(index, item)| u64::from(item.weight) * u64::from(score(index)))
            .sum();
        points as f64 / 10.0 / f64::from(total.max(1))
    }

    /// Returns the file to hand in (`crates/course/src/grade.rs`).
    pub(crate) fn file_to_hand_in(&self, course: &CourseInfo, student: &str) -> String {
        let lesson = |(index, attempt): (&usize, &Attempt)| -> Option<Value> {
            let name = match &course.items.get(*index)?.source {
                CourseSource::Lesson(name) => name.clone(),
                CourseSource::Practice(task) => practice_run_name(&task.family),
                CourseSource::Url(_) | CourseSource::Inline(_) => course.items[*index].title.clone(),
            };
            (!attempt.run.is_empty()).then(|| {
                json!({
                    "lesson": name,
                    "run": format!("#{}", attempt.run),
                    "minutes": self.spent.get(index).map(|millis| (millis / MILLIS_PER_MINUTE * 10.0).round() / 10.0),
                    "hints": u8::from(attempt.how_solved == HowSolved::Hinted),
                    "shown": attempt.how_solved == HowSolved::Shown,
                    "finished": attempt.is_finished,
                })
            })
        };
        let lessons: Vec<Value> = self.items.iter().filter_map(lesson).collect();
        let file = json!({
            "apiVersion": "podscope.dev/v1alpha1",
            "kind": "HandIn",
            "name": student,
            "course": course.name,
            "lessons": lessons,
        });
        format!("{file:#}\n")
    }
}

/// Returns the score of the present state of a story, in thousandths: reached goals and right answers, divided by all
/// goals and the questions of the shown steps.
pub(crate) fn story_score(opened: &OpenedSession, state: &StoryState) -> u32 {
    let goals: usize = opened.story.iter().map(|step| step.goals.len()).sum();
    let reached = state
        .steps
        .iter()
        .flat_map(|step| &step.goals)
        .filter(|goal| **goal == GoalState::Reached)
        .count();
    let shown = opened.story.iter().zip(&state.steps);
    let asked = shown.filter(|(step, _)| step.question.is_some()).count();
    let right = state
        .steps
        .iter()
        .filter(|step| step.truth.as_ref().is_some_and(|truth| truth.is_right));
    match goals + asked {
        0 => u32::from(state.finished) * 1000,
        all => ((reached + right.count()) * 1000 / all) as u32,
    }
}

/// Returns whether a story is finished: all its goals are reached, and every question has an outcome.
pub(crate) fn is_story_finished(opened: &OpenedSession, state: &StoryState) -> bool {
    let mut shown = opened.story.iter().zip(&state.steps);
    let n_shown = state.steps.len();
    state.finished
        && n_shown == opened.story.len()
        && shown.all(|(step, now)| step.question.is_none() || now.truth.is_some())
}

/// Returns how well the story was solved so far, without regard to hints and shown solutions.
pub(crate) fn how_answered(state: &StoryState) -> HowSolved {
    let is_wrong = state
        .steps
        .iter()
        .any(|step| step.truth.as_ref().is_some_and(|truth| !truth.is_right));
    if is_wrong {
        HowSolved::Guessed
    } else {
        HowSolved::Solved
    }
}

#[cfg(test)]
mod tests {
    use podscope_protocol::{CourseItem, Question, StepState, StoryStep, TrueAnswer};

    use super::*;

    fn attempt(score: u32, is_finished: bool) -> Attempt {
        Attempt {
            score,
            is_finished,
            how_solved: HowSolved::Hinted,
            run: "s1:abc".to_owned(),
        }
    }

    fn exam_course() -> CourseInfo {
        let item = |name: &str, weight| CourseItem {
            source: CourseSource::Lesson(name.to_owned()),
            title: name.to_owned(),
            text: None,
            weight,
        };
        CourseInfo {
            name: "week-1".to_owned(),
            title: String::new(),
            items: vec![item("first-pod", 1), item("keep-three", 3)],
            has_hints: true,
            has_show_me: true,
            theme: None,
            language: None,
            exam: Some(ExamInfo { minutes: 90, pass: 66 }),
        }
    }

    /// Shows: E-12
    #[test]
    fn best_attempt_counts_with_its_weight() {
        let mut attempts = Attempts::default();
        attempts.record(0, attempt(500, false));
        attempts.record(1, attempt(1000, true));
        attempts.record(1, attempt(200, false));
        assert_eq!(attempts.percent(&exam_course()), 87.5);
        attempts.add_time(0, 60_000.0);
        attempts.note_session(1_764_000_000_000_123, 1);
        assert_eq!(attempts.item_of_session(1_764_000_000_000_123), Some(1));
        assert_eq!(Attempts::read(&attempts.write()), attempts);
    }

    /// Shows: E-12
    #[test]
    fn exam_counts_first_answers_until_it_ends() {
        let mut attempts = Attempts::begun_at(1_000.0);
        let exam = ExamInfo { minutes: 90, pass: 66 };
        assert_eq!(attempts.remaining_millis(exam, 61_000.0), Some(89.0 * 60_000.0));
        assert_eq!(attempts.remaining_millis(exam, 1e9), Some(0.0));
        attempts.record(1, attempt(0, true));
        attempts.record(1, attempt(1000, true));
        assert_eq!(attempts.percent(&exam_course()), 0.0, "the first answer counts");
        attempts.ended = Some(2_000.0);
        attempts.record(0, attempt(1000, true));
        assert_eq!(
            (attempts.n_finished(), attempts.remaining_millis(exam, 3_000.0)),
            (1, None)
        );
    }

    /// Shows: E-11
    #[test]
    fn task_is_not_over_before_its_question_has_an_outcome() {
        let opened = OpenedSession {
            story: vec![StoryStep {
                question: Some(Question::default()),
                ..StoryStep::default()
            }],
            ..OpenedSession::default()
        };
        // A story without goals is over as soon as its question has an outcome.
        let mut state = StoryState {
            finished: true,
            ..StoryState::default()
        };
        assert!(!is_story_finished(&opened, &state), "the step is not shown yet");
        state.steps = vec![StepState::default()];
        assert!(!is_story_finished(&opened, &state));
        state.steps[0].truth = Some(TrueAnswer::default());
        assert!(is_story_finished(&opened, &state));
    }

    /// Shows: E-13
    #[test]
    fn handed_in_file_holds_links_of_runs() {
        let mut attempts = Attempts::default();
        attempts.add_time(1, 90_000.0);
        attempts.add_time(1, 60_000.0);
        attempts.record(1, attempt(1000, true));
        attempts.add_time(1, 60_000.0);
        let file: Value = serde_json::from_str(&attempts.file_to_hand_in(&exam_course(), "Ada")).expect("it is JSON");
        assert_eq!(file["name"], "Ada");
        assert_eq!(file["lessons"][0]["lesson"], "keep-three");
        assert_eq!(file["lessons"][0]["run"], "#s1:abc");
        assert_eq!(
            file["lessons"][0]["minutes"], 2.5,
            "what came after the end does not count"
        );
    }
}
