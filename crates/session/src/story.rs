//! State of a lesson's story: shown steps, goals, promises, mistakes, and the run's answers to questions.
//!
//! ```text
//! step:   waits ──`when` holds, and all goals so far are reached──▶ shown (never hidden again)
//! goal:   open ──condition holds──▶ reached          open ──`by` has passed──▶ missed
//! always: open ──the lesson is finished──▶ reached   open ──the invariant is violated──▶ missed
//!         (`same` and `never` as goals likewise)
//! keep:   held ──condition fails──▶ broken
//! ```
//! A missed goal or a broken promise (`keep`) *halts* the story: no further goal is reached and no step is shown, until
//! the reader goes back in time or starts over. Thus steps follow from the reader's actions, never from the clock
//! alone, and a goal that was reached by breaking a promise does not count.
//!
//! The story is a function of the run alone, and part of every checkpoint. The reader's state is separate, in
//! `host/reader.rs`: the step on the page, the answers, and pauses for questions.

use std::cell::RefCell;

use podscope_api::ordered;
use podscope_cluster::{Objects, SimTime, Totals};

use crate::scenario::{
    AnswerSource, Check, Condition, CountSubject, RecordedState, Scenario, Step, Timing, ValueCache, WorldState, count,
};
use podscope_kubectl::duration::print_duration;

/// State of a goal of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// The goal is neither reached nor missed.
    #[default]
    Open,
    /// The goal was reached at that time. Its state does not change again.
    Reached(SimTime),
    /// The goal was missed at that time. It can no longer be reached.
    Missed(SimTime),
}

/// The answer to a question, as determined by the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunAnswer {
    /// The answer as text. For a question about time, it is the duration since the step was shown.
    pub value: String,
    /// Time from which the answer is known.
    pub at: SimTime,
}

/// State of a step that the story has shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownStep {
    pub at: SimTime,
    pub goals: Vec<Goal>,
    /// For each promise (`keep`) of the step, the time at which it was broken.
    pub keeps: Vec<Option<SimTime>>,
    /// For each mistake of the step, the time at which it was first made.
    pub mistakes: Vec<Option<SimTime>>,
    /// The mistake that was made last; the page shows its explanation. Explanations of earlier mistakes may contradict
    /// what the reader has done since.
    pub reply: Option<usize>,
    /// For each mistake of the step, whether its conditions held at the previous instant.
    in_progress: Vec<bool>,
    /// The answer to the step's question.
    pub truth: Option<RunAnswer>,
    /// State recorded for the conditions of the step that compare with the time at which the step was shown
    /// ([`Step::conditions_comparing_with_start`]).
    recorded_states: Vec<RecordedState>,
}

/// When and why a story has halted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halt {
    pub at: SimTime,
    /// Index of the step that has the broken promise or the missed goal.
    pub step: usize,
    pub unmet_condition: UnmetCondition,
}

/// The condition whose failure has halted a story: a promise or a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmetCondition {
    /// A promise (`keep`) that was broken, by its index in the step.
    Keep(usize),
    /// A goal that was missed, by its index in the step.
    Goal(usize),
}

impl Halt {
    /// Returns the condition that has halted the story, from the scenario.
    pub(crate) fn unmet_condition<'a>(&self, scenario: &'a Scenario) -> &'a Condition {
        let step = scenario.steps.get(self.step);
        let condition = step.and_then(|step| match self.unmet_condition {
            UnmetCondition::Keep(at) => step.keeps.get(at),
            UnmetCondition::Goal(at) => step.goals.get(at),
        });
        condition.expect("the halt refers to a promise of its scenario")
    }
}

/// State of a lesson's story in a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Story {
    shown: Vec<ShownStep>,
    halt: Option<Halt>,
    finished: Option<SimTime>,
}

/// State of the cluster after the events of an instant, against which the story is checked.
pub(crate) struct StoryMoment<'a> {
    pub(crate) now: SimTime,
    pub(crate) objects: &'a Objects,
    pub(crate) violated_invariants: &'a ordered::Map<String, SimTime>,
    pub(crate) value_cache: &'a RefCell<ValueCache>,
    pub(crate) requests: &'a dyn Fn() -> Totals,
}

impl StoryMoment<'_> {
    fn count(&self, counted: &CountSubject) -> u64 {
        match counted {
            CountSubject::Objects(get) => count(get, self.objects) as u64,
            CountSubject::Requests(counted) => counted.count(&(self.requests)()),
        }
    }

    fn holds(&self, condition: &Condition, recorded: Option<&RecordedState>) -> bool {
        let in_time = match condition.timing {
            Some(Timing::At(at)) => self.now >= at,
            Some(Timing::By(by)) => self.now <= by,
            Some(Timing::Always) | None => true,
        };
        let is_broken = |name: &str| self.violated_invariants.contains_key(name);
        let state = WorldState {
            objects: self.objects,
            is_invariant_violated: &is_broken,
            requests: self.requests,
            value_cache: self.value_cache,
            recorded,
        };
        let check = condition.check.as_ref();
        in_time && check.is_none_or(|check| check.holds(&state).0)
    }

    /// Updates the state that a shown step records for its conditions `same` and `never`.
    fn update_recorded_states(&self, step: &Step, states: &mut Vec<RecordedState>) {
        let checks = || {
            step.conditions_comparing_with_start()
                .filter_map(|condition| condition.check.as_ref())
        };
        if states.is_empty() {
            states.extend(checks().filter_map(|check| RecordedState::start(check, self.objects)));
        }
        for (check, state) in checks().zip(states) {
            if let (Check::Never(check), RecordedState::HasHeld(has_held)) = (check, state) {
                let state = WorldState {
                    objects: self.objects,
                    is_invariant_violated: &|_| false,
                    requests: self.requests,
                    value_cache: self.value_cache,
                    recorded: None,
                };
                *has_held = *has_held || check.holds(&state).0;
            }
        }
    }
}

/// Returns whether a goal must hold to the end of the lesson: `always`, `same` and `never`.
pub(crate) fn must_hold_to_end(goal: &Condition) -> bool {
    let check = goal.check.as_ref();
    check.is_some_and(|check| check.compares_with_step_start() || matches!(check, Check::Invariant(_)))
}

/// Returns the state that a step has recorded for one of its conditions. None if the condition does not compare with
/// the start of the step.
fn recorded_state<'a>(step: &Step, states: &'a [RecordedState], condition: &Condition) -> Option<&'a RecordedState> {
    let at = step
        .conditions_comparing_with_start()
        .position(|known| std::ptr::eq(known, condition))?;
    states.get(at)
}

impl Story {
    /// Creates the story at t = 0. If the first step has no condition, it is shown immediately.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let mut story = Self::default();
        if let Some(first) = scenario.steps.first().filter(|step| step.when.is_none()) {
            story.show_step(first, SimTime::ZERO);
        }
        story
    }

    pub fn shown(&self) -> &[ShownStep] {
        &self.shown
    }

    /// Returns when and why the story has halted. None if it has not halted.
    pub fn halt(&self) -> Option<Halt> {
        self.halt
    }

    /// Returns the time at which the lesson was finished: all steps were shown and all goals were reached. None if it
    /// is not finished.
    pub fn finished(&self) -> Option<SimTime> {
        self.finished
    }

    fn show_step(&mut self, step: &Step, at: SimTime) {
        self.shown.push(ShownStep {
            at,
            goals: vec![Goal::Open; step.goals.len()],
            keeps: vec![None; step.keeps.len()],
            mistakes: vec![None; step.mistakes.len()],
            reply: None,
            in_progress: vec![false; step.mistakes.len()],
            truth: None,
            recorded_states: Vec::new(),
        });
    }

    /// Returns whether all goals of the shown steps have been reached, except goals that must hold to the end of the
    /// lesson.
    fn are_goals_reached(&self, scenario: &Scenario) -> bool {
        self.shown.iter().zip(&scenario.steps).all(|(shown, step)| {
            (shown.goals.iter().zip(&step.goals))
                .all(|(state, goal)| matches!(state, Goal::Reached(_)) || must_hold_to_end(goal))
        })
    }

    /// Returns the next step, if the story waits only for this step's own condition. None if earlier goals are open or
    /// the story has halted.
    pub fn next<'s>(&self, scenario: &'s Scenario) -> Option<&'s Step> {
        let next = scenario.steps.get(self.shown.len())?;
        (self.halt.is_none() && self.are_goals_reached(scenario)).then_some(next)
    }

    /// Returns the earliest time after `now` at which, according to the scenario, the next step can be shown or an
    /// unanswered question gets its answer. None if the scenario gives no such time.
    pub fn waits_until(&self, scenario: &Scenario, now: SimTime) -> Option<SimTime> {
        let step = self.next(scenario).and_then(|step| step.when.as_ref());
        let step = step.and_then(|when| match when.timing {
            Some(Timing::At(at)) => Some(at),
            Some(Timing::By(_) | Timing::Always) | None => None,
        });
        let asked_at = self.shown.iter().zip(&scenario.steps);
        let open = asked_at.filter(|(shown, _)| shown.truth.is_none());
        let answers = open.filter_map(|(_, step)| match &step.predict.as_ref()?.about {
            AnswerSource::Field { at, .. } | AnswerSource::Count { at, .. } => *at,
            AnswerSource::Time(_) => None,
        });
        answers.chain(step).filter(|at| *at > now).min()
    }

    /// Returns the earliest time after `last_checked` at which a condition of the story can change even if no event
    /// occurs.
    pub(crate) fn next_deadline(&self, scenario: &Scenario, last_checked: i64) -> Option<SimTime> {
        let mut earliest: Option<SimTime> = None;
        let mut add = |at: Option<SimTime>| {
            if let Some(at) = at.filter(|at| at.0 > last_checked) {
                earliest = Some(earliest.map_or(at, |known| known.min(at)));
            }
        };
        let instant = |condition: &Condition| match condition.timing {
            Some(Timing::At(at) | Timing::By(at)) => Some(at),
            Some(Timing::Always) | None => None,
        };
        add(self
            .next(scenario)
            .and_then(|step| step.when.as_ref())
            .and_then(instant));
        for (shown, step) in self.shown.iter().zip(&scenario.steps) {
            for (goal, state) in step.goals.iter().zip(&shown.goals) {
                add(instant(goal).filter(|_| *state == Goal::Open));
            }
            for (mistake, made) in step.mistakes.iter().zip(&shown.mistakes) {
                mistake
                    .when
                    .iter()
                    .for_each(|when| add(instant(when).filter(|_| made.is_none())));
            }
            step.keeps.iter().for_each(|keep| add(instant(keep)));
            match step
                .predict
                .as_ref()
                .filter(|_| shown.truth.is_none())
                .map(|ask| &ask.about)
            {
                Some(AnswerSource::Field { at, .. } | AnswerSource::Count { at, .. }) => add(*at),
                Some(AnswerSource::Time(until)) => add(instant(until)),
                None => {}
            }
        }
        earliest
    }

    /// Checks the story against the state of the cluster at an instant. Returns whether another step is shown.
    pub(crate) fn check(&mut self, scenario: &Scenario, moment: &StoryMoment<'_>) -> bool {
        let before = self.shown.len();
        self.check_shown_steps(scenario, moment);
        while let Some(next) = self.next(scenario)
            && next.when.as_ref().is_none_or(|when| moment.holds(when, None))
        {
            self.answer_count_questions(scenario, moment);
            self.show_step(next, moment.now);
            self.check_shown_steps(scenario, moment);
        }
        let is_over = self.shown.len() == scenario.steps.len() && !self.shown.is_empty();
        if self.finished.is_none() && is_over && self.halt.is_none() && self.are_goals_reached(scenario) {
            self.finish(scenario, moment);
        }
        self.shown.len() > before
    }

    /// Checks the goals, promises, mistakes and questions of all shown steps at one instant.
    fn check_shown_steps(&mut self, scenario: &Scenario, moment: &StoryMoment<'_>) {
        let now = moment.now;
        let last = self.shown.len().saturating_sub(1);
        for (at, (shown, step)) in self.shown.iter_mut().zip(&scenario.steps).enumerate() {
            moment.update_recorded_states(step, &mut shown.recorded_states);
            let states = &shown.recorded_states;
            let holds = |condition| moment.holds(condition, recorded_state(step, states, condition));
            // What is a mistake in an earlier step may be a goal of a later step, so only mistakes of the last step are
            // checked.
            if at == last {
                let making: Vec<bool> = (step.mistakes.iter())
                    .map(|mistake| mistake.when.iter().all(holds))
                    .collect();
                let begins = |index: &usize| making[*index] && !shown.in_progress[*index];
                shown.reply = (0..making.len()).find(begins).or(shown.reply);
                for (made, _) in shown.mistakes.iter_mut().zip(&making).filter(|(_, making)| **making) {
                    made.get_or_insert(now);
                }
                shown.in_progress = making;
            }
            if shown.truth.is_none()
                && let Some(ask) = &step.predict
            {
                shown.truth = answer_from_run(&ask.about, shown.at, moment);
            }
            if self.halt.is_some() || self.finished.is_some() {
                continue;
            }
            let halt = |unmet_condition| {
                Some(Halt {
                    at: now,
                    step: at,
                    unmet_condition,
                })
            };
            for (index, (keep, broken)) in step.keeps.iter().zip(&mut shown.keeps).enumerate() {
                if !holds(keep) {
                    *broken = Some(now);
                    self.halt = halt(UnmetCondition::Keep(index));
                }
            }
            for (index, (goal, state)) in step.goals.iter().zip(&mut shown.goals).enumerate() {
                if *state != Goal::Open || self.halt.is_some() {
                    continue;
                }
                let holds = holds(goal);
                let is_late = matches!(goal.timing, Some(Timing::By(by)) if now >= by);
                if holds && !must_hold_to_end(goal) {
                    *state = Goal::Reached(now);
                } else if !holds && (must_hold_to_end(goal) || is_late) {
                    *state = Goal::Missed(now);
                    self.halt = halt(UnmetCondition::Goal(index));
                }
            }
        }
    }

    /// Answers the questions that ask for a number of objects or requests and do not say at which time. The count is
    /// taken when the story continues.
    fn answer_count_questions(&mut self, scenario: &Scenario, moment: &StoryMoment<'_>) {
        for (shown, step) in self.shown.iter_mut().zip(&scenario.steps) {
            if shown.truth.is_none()
                && let Some(ask) = &step.predict
                && let AnswerSource::Count { of, at: None } = &ask.about
            {
                shown.truth = Some(RunAnswer {
                    value: moment.count(of).to_string(),
                    at: moment.now,
                });
            }
        }
    }

    fn finish(&mut self, scenario: &Scenario, moment: &StoryMoment<'_>) {
        self.answer_count_questions(scenario, moment);
        self.finished = Some(moment.now);
        for state in self.shown.iter_mut().flat_map(|shown| &mut shown.goals) {
            if *state == Goal::Open {
                *state = Goal::Reached(moment.now);
            }
        }
    }
}

/// Returns the answer that the run has determined by now. None if there is none yet.
fn answer_from_run(about: &AnswerSource, asked_at: SimTime, moment: &StoryMoment<'_>) -> Option<RunAnswer> {
    let is_time = |at: &Option<SimTime>| at.is_none_or(|at| moment.now >= at);
    let value = match about {
        AnswerSource::Field { kind, key, path, at } => {
            let object = moment.objects.get_kind(*kind, key).filter(|_| is_time(at))?;
            moment.value_cache.borrow_mut().value_at(path, &object)?
        }
        AnswerSource::Count { at: None, .. } => return None,
        AnswerSource::Count { of, at } => is_time(at).then(|| moment.count(of).to_string())?,
        AnswerSource::Time(until) => moment
            .holds(until, None)
            .then(|| print_duration(moment.now - asked_at))?,
    };
    Some(RunAnswer { value, at: moment.now })
}
