//! Who reads a lesson: which of the shown steps is looked at, what was answered, and that time waits for an answer.
//! The story itself is the run's (`crate::story`); this is the little that the run does not know.

use podscope_api::ordered;

use podscope_cluster::SimTime;

use super::console::complain;
use super::{ClockMillis, Host, director};
use crate::link::Reading;
use crate::play::{self, Attempt};
use crate::scenario::{About, Condition, Predict, Scenario, Step, Timed};
use crate::story::{Goal, Halt, Shown, Story};
use crate::timeline::{Session, Slice};
use podscope_protocol::{
    GoalState, Halted, Notice, Question, QuestionKind, StepState, StoryState, StoryStep, TruthView, Update, WaitsFor,
};

/// What is remembered of the reader.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader {
    step: usize,
    /// Answers by step; none: skipped.
    answers: ordered::Map<usize, Option<String>>,
    /// Time ran when a question stopped it.
    pub(super) goes_on: bool,
}

impl Reader {
    /// Moves on or back, among the steps that have shown.
    pub(super) fn turn_to(&mut self, step: usize) {
        self.step = step;
    }

    pub(super) fn answer(&mut self, step: usize, answer: Option<String>) {
        self.answers.insert(step, answer);
    }

    /// Whether time waits at a shown step for the answer to its question. What has happened before it could be asked
    /// is not asked: the picture shows the answer already.
    pub(super) fn waits_at(&self, scenario: &Scenario, story: &Story, step: usize) -> bool {
        let asks = scenario.steps.get(step).is_some_and(|step| step.predict.is_some());
        asks && !self.answers.contains_key(&step) && !story.shown().get(step).is_some_and(is_late)
    }

    /// The first shown step whose question waits for its answer.
    pub(super) fn question(&self, session: &Session) -> Option<usize> {
        let (scenario, story) = (&session.loaded().scenario, session.progress().story());
        (0..story.shown().len()).find(|step| self.waits_at(scenario, story, *step))
    }

    /// What was shown before the reader came has been seen: nothing of it is asked, and the last step is read.
    pub(super) fn has_seen_all(&mut self, session: &Session) {
        let shown = session.progress().story().shown().len();
        (0..shown).for_each(|step| {
            self.answers.entry(step).or_insert(None);
        });
        self.step = shown.saturating_sub(1);
    }

    /// What a link keeps of it.
    pub(super) fn kept(&self) -> Reading {
        Reading {
            step: self.step,
            answers: (self.answers.iter())
                .map(|(step, answer)| (*step, answer.clone()))
                .collect(),
        }
    }

    /// The reader comes back to what a link kept: a question that waited waits again.
    pub(super) fn comes_back(&mut self, kept: Reading, session: &Session) {
        self.step = kept.step;
        self.answers = kept.answers.into_iter().collect();
        self.goes_on = self.question(session).is_some();
    }

    /// The first question of a lesson that is asked again: what comes before it counts as seen.
    pub(super) fn recalls(&mut self, step: usize) {
        (0..step).for_each(|before| {
            self.answers.insert(before, None);
        });
        (self.step, self.goes_on) = (step, true);
    }

    /// The story as the page has it.
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
                .map(|(at, (shown, step))| self.step_state(at, shown, step))
                .collect(),
            waits_for: next.map(|next| match story.next(scenario) {
                Some(_) => WaitsFor(next.when.iter().map(|when| when.wanted.clone()).collect()),
                None => open_goals(shown, scenario),
            }),
            question: self.question(session),
            halted: story.halt().map(|halt| halted(halt, shown, scenario)),
            finished: story.finished().is_some(),
            moments: Vec::new(),
        }
    }

    fn step_state(&self, at: usize, shown: &Shown, step: &Step) -> StepState {
        // What was not asked because it had happened is told like what was skipped.
        let skipped = step.predict.as_ref().filter(|_| is_late(shown)).map(|_| &None);
        let answer = self.answers.get(&at).or(skipped);
        let truth = answer.zip(shown.truth.as_ref()).zip(step.predict.as_ref());
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
            mistakes: (shown.mistakes.iter().enumerate())
                .filter_map(|(index, made)| made.map(|_| index))
                .collect(),
            answer: answer.map(|answer| answer.clone().unwrap_or_default()),
            truth: truth.map(|((answer, truth), ask)| {
                let value = ask.option_of(&truth.value).unwrap_or(&truth.value);
                TruthView {
                    value: value.to_owned(),
                    exact: (*value != truth.value).then(|| truth.value.clone()),
                    at: truth.at.0,
                    is_right: answer.as_ref().is_some_and(|answer| ask.is_right(answer, &truth.value)),
                }
            }),
        }
    }
}

/// Whether the run had the answer when the step showed that asks for it.
fn is_late(shown: &Shown) -> bool {
    shown.truth.as_ref().is_some_and(|truth| truth.at <= shown.at)
}

/// The goals that hold the story up.
fn open_goals(shown: &[Shown], scenario: &Scenario) -> WaitsFor {
    let open = shown.iter().zip(&scenario.steps).flat_map(|(shown, step)| {
        let open = shown.goals.iter().zip(&step.goals);
        open.filter(|(state, goal)| **state == Goal::Open && !crate::story::is_always(goal))
            .map(|(_, goal)| goal.wanted.clone())
    });
    WaitsFor(open.collect())
}

fn halted(halt: Halt, shown: &[Shown], scenario: &Scenario) -> Halted {
    Halted {
        at: halt.at.0,
        promise: halt.broken(scenario).wanted.clone(),
        from: shown.get(halt.step).map_or(0, |shown| shown.at.0),
    }
}

/// A step as it is told when a session opens.
pub(super) fn told(step: &Step) -> StoryStep {
    let wanted = |conditions: &[Condition]| conditions.iter().map(|one| one.wanted.clone()).collect();
    StoryStep {
        text: step.text.clone(),
        highlight: step.highlight.clone(),
        try_command: step.try_command.as_ref().map(ToString::to_string),
        question: step.predict.as_ref().map(question),
        manifest: step.manifest.clone(),
        hints: step.hints.clone(),
        goals: wanted(&step.goals),
        keeps: wanted(&step.keeps),
        mistakes: step.mistakes.iter().map(|mistake| mistake.say.clone()).collect(),
    }
}

fn question(ask: &Predict) -> Question {
    let pod = match &ask.about {
        About::Field { kind, key, .. } if *kind == podscope_api::Kind::Pod => {
            Some(format!("{}/{}", key.namespace, key.name))
        }
        _ => None,
    };
    Question {
        ask: ask.ask.clone(),
        options: ask.options.clone(),
        kind: match ask.about {
            About::Time(_) => QuestionKind::Time,
            About::Field { .. } if ask.options.is_empty() => QuestionKind::Place,
            _ => QuestionKind::Choice,
        },
        why: ask.why.iter().map(|(key, say)| (key.clone(), say.clone())).collect(),
        pod,
    }
}

/// What is left of the solution where a step has just shown, from that instant on; found by playing the solution
/// beside it. None if there is no solution, or it does not come that far.
pub(super) fn rest_of_solution(session: &Session, step: usize) -> Option<(SimTime, Vec<Timed>)> {
    let loaded = session.loaded();
    let here = session.progress().story().shown().get(step)?.at;
    let played = play::play((**loaded).clone(), Attempt::Solution, None).ok()?;
    let there = played.session.progress().story().shown().get(step)?.at;
    let rest = loaded.scenario.solution.iter().filter(|timed| timed.at >= there);
    let moved = rest.map(|timed| Timed {
        at: here + (timed.at - there),
        command: timed.command.clone(),
    });
    Some((here, moved.collect()))
}

impl Host {
    /// Plays the solution from where the last step showed; what was done since stays as a branch. Of a solution that is
    /// shown already the next command.
    pub(super) fn show_me(&mut self, clock: ClockMillis) -> Vec<Update> {
        if self.shows {
            self.show_on(clock);
            return Vec::new();
        }
        let Some(show) = &mut self.show else {
            return Vec::new();
        };
        let story = show.session.progress().story();
        let last = story
            .halt()
            .map_or(story.shown().len().saturating_sub(1), |halt| halt.step);
        let Some((from, commands)) = rest_of_solution(&show.session, last) else {
            return vec![complain(show, Notice::NoSolution)];
        };
        let session = &mut show.session;
        // Who has only watched goes on from here; what was done since, or comes too late, is left behind.
        let is_early = commands.first().is_none_or(|first| first.at >= session.now());
        let has_acted = session.commands().iter().any(|timed| timed.at >= from);
        if !is_early || has_acted || session.now() < from {
            session.seek(from);
            while session.advance(from, u64::MAX) == Slice::More {}
        }
        if show.session.now() < show.session.horizon()
            && let Err(limit) = show.session.fork()
        {
            return vec![complain(show, limit)];
        }
        show.session.schedule(commands);
        let told = self.forget_waiting();
        self.job = None;
        self.shows = true;
        self.show_on(clock);
        told
    }

    /// To the next command of the solution that is shown, or to what is due where none is left.
    fn show_on(&mut self, clock: ClockMillis) {
        let Some(show) = &self.show else { return };
        if self.reader.question(&show.session).is_some() {
            self.reader.goes_on = true;
        } else {
            let fast = director::to_solution(&show.session, clock).or_else(|| director::skip(&show.session, clock));
            self.run_fast(fast);
        }
        self.pace_from(clock);
        self.dirty = true;
    }
}
