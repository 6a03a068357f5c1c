//! A lesson's story while it is played: which steps have shown, what was reached, kept and mistaken, and what the run
//! answered to the questions.
//!
//! ```text
//! step:   waits ──when holds, and every goal before is reached──▶ shown (for good)
//! goal:   open ──condition holds──▶ reached          open ──`by` has passed──▶ missed
//! always: open ──the lesson is finished──▶ reached   open ──the invariant breaks──▶ missed
//! keep:   held ──condition fails──▶ broken
//! ```
//! What is missed or broken *halts* the story: no goal is reached and no step shows after it, until the reader goes
//! back to before it or starts over. So steps follow what was done, never the clock alone, and a goal that was reached
//! at the price of a promise does not count.
//!
//! The story is a function of the run alone, and part of every checkpoint. It knows no reader: which of the shown
//! steps is looked at, what was answered, and that time waits for an answer, is the host's (`host/reader.rs`).

use std::cell::RefCell;

use podscope_api::ordered;
use podscope_cluster::{Objects, SimTime, Totals};

use crate::scenario::{About, Check, Condition, Counted, Findings, Scenario, Seen, Step, Timing, count};
use podscope_kubectl::duration::print_duration;

/// Where a goal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// Not yet.
    #[default]
    Open,
    /// Reached at that instant, for good.
    Reached(SimTime),
    /// It cannot be reached any more, since that instant.
    Missed(SimTime),
}

/// What the run answered to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// The value; a time as a duration since the step's showing.
    pub value: String,
    /// Since when it is known.
    pub at: SimTime,
}

/// A step that has shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    pub at: SimTime,
    pub goals: Vec<Goal>,
    /// When each of its keeps broke.
    pub keeps: Vec<Option<SimTime>>,
    /// When each of its mistakes was made first.
    pub mistakes: Vec<Option<SimTime>>,
    /// The answer to its question.
    pub truth: Option<Truth>,
}

/// What halted a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halt {
    pub at: SimTime,
    /// The step whose promise it was.
    pub step: usize,
    pub promise: Promise,
}

/// What a step has promised, by its index there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// A keep, which broke.
    Keep(usize),
    /// A goal, which was missed.
    Goal(usize),
}

impl Halt {
    /// The condition of the file that did not hold.
    pub(crate) fn broken<'a>(&self, scenario: &'a Scenario) -> &'a Condition {
        let step = scenario.steps.get(self.step);
        let promise = step.and_then(|step| match self.promise {
            Promise::Keep(at) => step.keeps.get(at),
            Promise::Goal(at) => step.goals.get(at),
        });
        promise.expect("a story is halted by a promise of its own file")
    }
}

/// A story being played.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Story {
    shown: Vec<Shown>,
    halt: Option<Halt>,
    finished: Option<SimTime>,
}

/// What a story is judged by: an instant whose events are over.
pub(crate) struct Moment<'a> {
    pub(crate) now: SimTime,
    pub(crate) objects: &'a Objects,
    pub(crate) broken: &'a ordered::Map<String, SimTime>,
    pub(crate) findings: &'a RefCell<Findings>,
    pub(crate) requests: &'a dyn Fn() -> Totals,
}

impl Moment<'_> {
    fn count(&self, of: &Counted) -> u64 {
        match of {
            Counted::Objects(get) => count(get, self.objects) as u64,
            Counted::Requests(counted) => counted.count(&(self.requests)()),
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        let in_time = match condition.timing {
            Some(Timing::At(at)) => self.now >= at,
            Some(Timing::By(by)) => self.now <= by,
            Some(Timing::Always) | None => true,
        };
        let is_broken = |name: &str| self.broken.contains_key(name);
        let seen = Seen {
            objects: self.objects,
            broken: &is_broken,
            requests: self.requests,
            findings: self.findings,
        };
        let check = condition.check.as_ref();
        in_time && check.is_none_or(|check| check.holds(&seen).0)
    }
}

/// Whether it is a goal for the whole run: `always: INVARIANT`.
pub(crate) fn is_always(goal: &Condition) -> bool {
    matches!(goal.check, Some(Check::Invariant(_)))
}

impl Story {
    /// A story at its beginning: a first step without a condition shows at once.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let mut story = Self::default();
        if let Some(first) = scenario.steps.first().filter(|step| step.when.is_none()) {
            story.show(first, SimTime::ZERO);
        }
        story
    }

    /// The steps that have shown, in order.
    pub fn shown(&self) -> &[Shown] {
        &self.shown
    }

    /// What halted it, if something did.
    pub fn halt(&self) -> Option<Halt> {
        self.halt
    }

    /// When the last goal of the last step was reached.
    pub fn finished(&self) -> Option<SimTime> {
        self.finished
    }

    fn show(&mut self, step: &Step, at: SimTime) {
        self.shown.push(Shown {
            at,
            goals: vec![Goal::Open; step.goals.len()],
            keeps: vec![None; step.keeps.len()],
            mistakes: vec![None; step.mistakes.len()],
            truth: None,
        });
    }

    /// Whether every goal of the steps shown is reached, those for the whole run aside.
    fn is_due(&self, scenario: &Scenario) -> bool {
        self.shown.iter().zip(&scenario.steps).all(|(shown, step)| {
            (shown.goals.iter().zip(&step.goals))
                .all(|(state, goal)| matches!(state, Goal::Reached(_)) || is_always(goal))
        })
    }

    /// The step that can show next, if nothing but its own condition is missing.
    pub fn next<'s>(&self, scenario: &'s Scenario) -> Option<&'s Step> {
        let next = scenario.steps.get(self.shown.len())?;
        (self.halt.is_none() && self.is_due(scenario)).then_some(next)
    }

    /// The next instant after `now` that the story itself waits for: a step that shows not before it, or the answer to a
    /// question. What else a step waits for may come later.
    pub fn waits_until(&self, scenario: &Scenario, now: SimTime) -> Option<SimTime> {
        let step = self.next(scenario).and_then(|step| step.when.as_ref());
        let step = step.and_then(|when| match when.timing {
            Some(Timing::At(at)) => Some(at),
            Some(Timing::By(_) | Timing::Always) | None => None,
        });
        let asked = self.shown.iter().zip(&scenario.steps);
        let open = asked.filter(|(shown, _)| shown.truth.is_none());
        let answers = open.filter_map(|(_, step)| match &step.predict.as_ref()?.about {
            About::Field { at, .. } | About::Count { at, .. } => *at,
            About::Time(_) => None,
        });
        answers.chain(step).filter(|at| *at > now).min()
    }

    /// The next instant after `judged` at which something must be looked at although nothing happens.
    pub(crate) fn next_deadline(&self, scenario: &Scenario, judged: i64) -> Option<SimTime> {
        let mut earliest: Option<SimTime> = None;
        let mut note = |at: Option<SimTime>| {
            if let Some(at) = at.filter(|at| at.0 > judged) {
                earliest = Some(earliest.map_or(at, |known| known.min(at)));
            }
        };
        let instant = |condition: &Condition| match condition.timing {
            Some(Timing::At(at) | Timing::By(at)) => Some(at),
            Some(Timing::Always) | None => None,
        };
        note(
            self.next(scenario)
                .and_then(|step| step.when.as_ref())
                .and_then(instant),
        );
        for (shown, step) in self.shown.iter().zip(&scenario.steps) {
            for (goal, state) in step.goals.iter().zip(&shown.goals) {
                note(instant(goal).filter(|_| *state == Goal::Open));
            }
            for (mistake, made) in step.mistakes.iter().zip(&shown.mistakes) {
                mistake
                    .when
                    .iter()
                    .for_each(|when| note(instant(when).filter(|_| made.is_none())));
            }
            step.keeps.iter().for_each(|keep| note(instant(keep)));
            match step
                .predict
                .as_ref()
                .filter(|_| shown.truth.is_none())
                .map(|ask| &ask.about)
            {
                Some(About::Field { at, .. } | About::Count { at, .. }) => note(*at),
                Some(About::Time(until)) => note(instant(until)),
                None => {}
            }
        }
        earliest
    }

    /// Judges an instant; whether another step shows since.
    pub(crate) fn judge(&mut self, scenario: &Scenario, moment: &Moment<'_>) -> bool {
        let before = self.shown.len();
        self.look(scenario, moment);
        while let Some(next) = self.next(scenario)
            && next.when.as_ref().is_none_or(|when| moment.holds(when))
        {
            self.answer_counts(scenario, moment);
            self.show(next, moment.now);
            self.look(scenario, moment);
        }
        let is_over = self.shown.len() == scenario.steps.len() && !self.shown.is_empty();
        if self.finished.is_none() && is_over && self.halt.is_none() && self.is_due(scenario) {
            self.finish(scenario, moment);
        }
        self.shown.len() > before
    }

    /// Everything of the steps shown, once.
    fn look(&mut self, scenario: &Scenario, moment: &Moment<'_>) {
        let now = moment.now;
        let last = self.shown.len().saturating_sub(1);
        for (at, (shown, step)) in self.shown.iter_mut().zip(&scenario.steps).enumerate() {
            for (mistake, made) in step.mistakes.iter().zip(&mut shown.mistakes) {
                // Once the story is past a step, what was wrong there may be what is wanted now.
                if at == last && made.is_none() && mistake.when.iter().all(|when| moment.holds(when)) {
                    *made = Some(now);
                }
            }
            if shown.truth.is_none()
                && let Some(ask) = &step.predict
            {
                shown.truth = truth(&ask.about, shown.at, moment);
            }
            if self.halt.is_some() || self.finished.is_some() {
                continue;
            }
            let halt = |promise| {
                Some(Halt {
                    at: now,
                    step: at,
                    promise,
                })
            };
            for (index, (keep, broken)) in step.keeps.iter().zip(&mut shown.keeps).enumerate() {
                if !moment.holds(keep) {
                    *broken = Some(now);
                    self.halt = halt(Promise::Keep(index));
                }
            }
            for (index, (goal, state)) in step.goals.iter().zip(&mut shown.goals).enumerate() {
                if *state != Goal::Open || self.halt.is_some() {
                    continue;
                }
                let holds = moment.holds(goal);
                let is_late = matches!(goal.timing, Some(Timing::By(by)) if now >= by);
                if holds && !is_always(goal) {
                    *state = Goal::Reached(now);
                } else if !holds && (is_always(goal) || is_late) {
                    *state = Goal::Missed(now);
                    self.halt = halt(Promise::Goal(index));
                }
            }
        }
    }

    /// Questions for a number that name no instant are answered when the story goes on.
    fn answer_counts(&mut self, scenario: &Scenario, moment: &Moment<'_>) {
        for (shown, step) in self.shown.iter_mut().zip(&scenario.steps) {
            if shown.truth.is_none()
                && let Some(ask) = &step.predict
                && let About::Count { of, at: None } = &ask.about
            {
                shown.truth = Some(Truth {
                    value: moment.count(of).to_string(),
                    at: moment.now,
                });
            }
        }
    }

    fn finish(&mut self, scenario: &Scenario, moment: &Moment<'_>) {
        self.answer_counts(scenario, moment);
        self.finished = Some(moment.now);
        for state in self.shown.iter_mut().flat_map(|shown| &mut shown.goals) {
            if *state == Goal::Open {
                *state = Goal::Reached(moment.now);
            }
        }
    }
}

/// What the run answers now; none: not yet.
fn truth(about: &About, asked: SimTime, moment: &Moment<'_>) -> Option<Truth> {
    let is_time = |at: &Option<SimTime>| at.is_none_or(|at| moment.now >= at);
    let value = match about {
        About::Field { kind, key, path, at } => {
            let object = moment.objects.get_kind(*kind, key).filter(|_| is_time(at))?;
            moment.findings.borrow_mut().at(path, &object)?
        }
        About::Count { at: None, .. } => return None,
        About::Count { of, at } => is_time(at).then(|| moment.count(of).to_string())?,
        About::Time(until) => moment.holds(until).then(|| print_duration(moment.now - asked))?,
    };
    Some(Truth { value, at: moment.now })
}
