//! The reader of a lesson: the step that the page shows, the reader's answers, and waiting for an answer. The state of
//! the story itself belongs to the run (`crate::story`).

use podscope_api::ordered;

use crate::link::ReaderState;
use crate::scenario::{AnswerSource, Check, Condition, PredictionQuestion, Scenario, Step, Timing};
use crate::story::{Goal, Halt, ShownStep, Story};
use crate::timeline::Session;
use podscope_cluster::SimTime;
use podscope_kubectl::command::{Get, Selection};
use podscope_messages::{Sentence, sentence};
use podscope_protocol::{
    GoalState, LessonCondition, Question, QuestionKind, StepState, StoryHalt, StoryState, StoryStep, TrueAnswer,
    WaitsFor, clock,
};

/// The reader's current step in a lesson, and the reader's answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader {
    step: usize,
    /// The reader's answer to the question of each step. None if the question was skipped.
    answers: ordered::Map<usize, Option<String>>,
    /// Whether a question has paused a playing session, which continues after the answer.
    pub(super) plays_after_answer: bool,
}

impl Reader {
    /// Shows another step, among the steps that the story has already shown.
    pub(super) fn turn_to_step(&mut self, step: usize) {
        self.step = step;
    }

    pub(super) fn answer(&mut self, step: usize, answer: Option<String>) {
        self.answers.insert(step, answer);
    }

    /// Returns whether time is paused at a shown step until its question is answered. A question whose answer was
    /// already visible when the step was shown is not asked.
    pub(super) fn is_waiting_at_step(&self, scenario: &Scenario, story: &Story, step: usize) -> bool {
        let has_question = scenario.steps.get(step).is_some_and(|step| step.predict.is_some());
        has_question
            && !self.answers.contains_key(&step)
            && !story.shown().get(step).is_some_and(was_answer_visible_before_step)
    }

    /// Returns the first shown step with an unanswered question.
    pub(super) fn question(&self, session: &Session) -> Option<usize> {
        let (scenario, story) = (&session.loaded().scenario, session.progress().story());
        (0..story.shown().len()).find(|step| self.is_waiting_at_step(scenario, story, *step))
    }

    /// Marks all shown steps as seen: their questions count as skipped, and the page shows the last step.
    pub(super) fn mark_all_seen(&mut self, session: &Session) {
        let shown = session.progress().story().shown().len();
        (0..shown).for_each(|step| {
            self.answers.entry(step).or_insert(None);
        });
        self.step = shown.saturating_sub(1);
    }

    /// Returns the current step and the answers in the form that a link stores.
    pub(super) fn saved_state(&self) -> ReaderState {
        ReaderState {
            step: self.step,
            answers: (self.answers.iter())
                .map(|(step, answer)| (*step, answer.clone()))
                .collect(),
        }
    }

    /// Restores the current step and the answers from a link. A question without an answer pauses time again.
    pub(super) fn restore(&mut self, saved: ReaderState, session: &Session) {
        self.step = saved.step;
        self.answers = saved.answers.into_iter().collect();
        self.plays_after_answer = self.question(session).is_some();
    }

    /// Starts a recap, which asks the questions of a finished lesson again, at the step of the first question. Earlier
    /// steps are marked as seen.
    pub(super) fn start_recap(&mut self, step: usize) {
        (0..step).for_each(|before| {
            self.answers.insert(before, None);
        });
        (self.step, self.plays_after_answer) = (step, true);
    }

    /// Returns the state of the story for the page.
    pub(super) fn state(&self, session: &Session) -> StoryState {
        let scenario = &session.loaded().scenario;
        let story = session.progress().story();
        let shown = story.shown();
        let step = self.step.min(shown.len().saturating_sub(1));
        let steps = shown.iter().zip(&scenario.steps).enumerate();
        let next = scenario.steps.get(shown.len()).filter(|_| step + 1 >= shown.len());
        StoryState {
            step,
            steps: steps
                .map(|(at, (state, step))| {
                    let is_current = at + 1 == shown.len() && story.finished().is_none();
                    self.step_state(at, state, step, is_current)
                })
                .collect(),
            waits_for: next.map(|next| match story.next(scenario) {
                Some(_) if shown.is_empty() => {
                    WaitsFor(next.when.iter().map(|when| when.description.clone()).collect())
                }
                Some(_) => {
                    // If the run has already answered the question, the story waits for something else.
                    let is_open = shown.last().is_some_and(|last| last.truth.is_none());
                    let is_answer_undetermined = is_open && scenario.steps[shown.len() - 1].predict.is_some();
                    describe_awaited_condition(is_answer_undetermined, next, session.now())
                }
                None => open_goals(shown, scenario),
            }),
            question: self.question(session),
            halted: story.halt().map(|halt| halted_state(halt, shown, scenario)),
            finished: story.finished().is_some(),
            moments: Vec::new(),
        }
    }

    /// Returns the state of a step for the page. `is_current` is true for the last shown step of an unfinished story.
    fn step_state(&self, at: usize, shown: &ShownStep, step: &Step, is_current: bool) -> StepState {
        // A question that was not asked, because its answer was already visible, counts as skipped.
        let skipped = step
            .predict
            .as_ref()
            .filter(|_| was_answer_visible_before_step(shown))
            .map(|_| &None);
        let answer = self.answers.get(&at).or(skipped);
        let answered = answer.zip(shown.truth.as_ref()).zip(step.predict.as_ref());
        StepState {
            at: shown.at.0,
            goals: (shown.goals.iter())
                .map(|goal| match goal {
                    Goal::Open => GoalState::Open,
                    Goal::Reached(_) => GoalState::Reached,
                    Goal::Missed(_) => GoalState::Missed,
                })
                .collect(),
            broken: shown.keeps.iter().map(Option::is_some).collect(),
            mistakes: shown.reply.filter(|_| is_current).into_iter().collect(),
            made: (0..)
                .zip(&shown.mistakes)
                .filter_map(|(index, made)| made.map(|_| index))
                .collect(),
            answer: answer.map(|answer| answer.clone().unwrap_or_default()),
            truth: answered.map(|((answer, truth), ask)| {
                let value = ask.option_for_value(&truth.value).unwrap_or(&truth.value);
                TrueAnswer {
                    value: value.to_owned(),
                    exact: (*value != truth.value).then(|| truth.value.clone()),
                    at: truth.at.0,
                    is_right: answer.as_ref().is_some_and(|answer| ask.is_right(answer, &truth.value)),
                }
            }),
        }
    }
}

/// Returns whether the run had answered the question of a step before the step was shown.
fn was_answer_visible_before_step(shown: &ShownStep) -> bool {
    shown.truth.as_ref().is_some_and(|truth| truth.at <= shown.at)
}

/// Returns a sentence about the type of condition for which the next step waits. The sentence does not reveal the
/// condition itself, which often answers a question or is a goal. `is_answer_undetermined` is true while the run has
/// not answered the question of the last shown step.
fn describe_awaited_condition(is_answer_undetermined: bool, next: &Step, now: SimTime) -> WaitsFor {
    let Some(when) = &next.when else {
        return WaitsFor(Vec::new());
    };
    let objects = |get: &Get| match &get.target.selection {
        Selection::Kinds { kinds, .. } => {
            let plurals = kinds.iter().map(|kind| Sentence::from(kind.plural()));
            plurals
                .reduce(|one, other| sentence!(awaited::either, one = one, other = other))
                .unwrap_or_default()
        }
        Selection::Items(_) => Sentence::default(),
    };
    let mut what = match &when.check {
        _ if is_answer_undetermined => sentence!(awaited::outcome),
        Some(Check::Object { kind, key, .. }) => {
            sentence!(awaited::change, object = format!("{} {}", kind.name(), key.name))
        }
        Some(Check::Count { get, .. } | Check::Ready { get, .. }) => {
            sentence!(awaited::change_among, objects = objects(get))
        }
        Some(Check::Requests { counted, .. }) => sentence!(awaited::requests, service = &*counted.service.name),
        _ => sentence!(awaited::anything),
    };
    if let Some(Timing::At(at)) = when.timing
        && at > now
    {
        what = sentence!(awaited::not_before, what = what, time = clock::instant(at.0));
    }
    WaitsFor(vec![LessonCondition::Awaited(what)])
}

/// Returns the goals for which the story waits, because they are not reached yet.
fn open_goals(shown: &[ShownStep], scenario: &Scenario) -> WaitsFor {
    let open = shown.iter().zip(&scenario.steps).flat_map(|(shown, step)| {
        let open = shown.goals.iter().zip(&step.goals);
        open.filter(|(state, goal)| **state == Goal::Open && !crate::story::must_hold_to_end(goal))
            .map(|(_, goal)| goal.description.clone())
    });
    WaitsFor(open.collect())
}

fn halted_state(halt: Halt, shown: &[ShownStep], scenario: &Scenario) -> StoryHalt {
    StoryHalt {
        at: halt.at.0,
        promise: halt.unmet_condition(scenario).description.clone(),
        from: shown.get(halt.step).map_or(0, |shown| shown.at.0),
    }
}

/// Returns text and conditions of a step, as the page receives them when a session opens.
pub(super) fn step_view(step: &Step) -> StoryStep {
    let descriptions = |conditions: &[Condition]| conditions.iter().map(|one| one.description.clone()).collect();
    StoryStep {
        text: step.text.clone(),
        highlight: step.highlight.clone(),
        try_command: step.try_command.as_ref().map(ToString::to_string),
        question: step.predict.as_ref().map(question),
        manifest: step.manifest.clone(),
        hints: step.hints.clone(),
        goals: descriptions(&step.goals),
        keeps: descriptions(&step.keeps),
        mistakes: step.mistakes.iter().map(|mistake| mistake.say.clone()).collect(),
    }
}

fn question(ask: &PredictionQuestion) -> Question {
    let pod = match &ask.about {
        AnswerSource::Field { kind, key, .. } if *kind == podscope_api::Kind::Pod => {
            Some(format!("{}/{}", key.namespace, key.name))
        }
        _ => None,
    };
    Question {
        ask: ask.ask.clone(),
        options: ask.options.clone(),
        kind: match ask.about {
            AnswerSource::Time(_) => QuestionKind::Time,
            AnswerSource::Field { .. } if ask.options.is_empty() => QuestionKind::Place,
            _ => QuestionKind::Choice,
        },
        why: ask.why.iter().map(|(key, say)| (key.clone(), say.clone())).collect(),
        pod,
    }
}
