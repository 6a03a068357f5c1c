//! What is judged while time runs: expectations, the story's steps, its
//! goals. Part of every checkpoint, so that seeking finds it as it was.

use podscope_api::ordered;

use podscope_cluster::{SimTime, World};

use super::log::Log;
use crate::scenario::{Check, Condition, Scenario, Timing};

/// State of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GoalState {
    /// The step has none.
    #[default]
    None,
    /// Not decided yet.
    Open,
    /// It held once (or, for `always`, still holds and is judged at the end).
    Reached,
    /// It cannot be reached any more.
    Missed,
}

/// Where everything that is judged stands.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Index of the next command of the schedule.
    pub(crate) next_command: usize,
    /// No event of the present instant has happened yet.
    pub(crate) before_events: bool,
    /// Records up to here.
    pub(crate) recorded: usize,
    /// Output lines up to here.
    pub(crate) printed: usize,
    /// Scheduling attempts so far.
    pub(crate) attempts: u64,
    /// Invariants broken so far, with the first instant.
    pub(crate) broken: ordered::Map<String, SimTime>,
    /// Invariants broken with `cause: bug` so far.
    pub(crate) bugs: u32,
    /// Verdict of each expectation; none while it is open.
    pub(crate) expect: Vec<Option<bool>>,
    /// Last step that shows; none before the first.
    pub(crate) shown: Option<usize>,
    /// State of each step's goal.
    pub(crate) goals: Vec<GoalState>,
    /// Something relevant happened since the last judgement.
    pub(crate) changed: bool,
    revision: u64,
    judged_until: i64,
}

impl Progress {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self {
            expect: vec![None; scenario.expect.len()],
            goals: scenario
                .steps
                .iter()
                .map(|step| {
                    if step.goal.is_some() {
                        GoalState::Open
                    } else {
                        GoalState::None
                    }
                })
                .collect(),
            before_events: true,
            changed: true,
            judged_until: -1,
            ..Self::default()
        }
    }
    /// Verdicts of the expectations; none while open. `always` is open as long as it holds.
    pub fn expectations(&self) -> &[Option<bool>] {
        &self.expect
    }
    /// Invariants broken so far.
    pub fn broken(&self) -> &ordered::Map<String, SimTime> {
        &self.broken
    }
    /// How many violations were `cause: bug`.
    pub fn bugs(&self) -> u32 {
        self.bugs
    }
    /// Last step whose condition held; none without a story.
    pub fn shown_step(&self) -> Option<usize> {
        self.shown
    }
    /// States of the goals, by step.
    pub fn goals(&self) -> &[GoalState] {
        &self.goals
    }
    /// Whether every goal is reached if the run ends now: `always` goals that still hold count.
    pub fn goals_reached(&self, scenario: &Scenario) -> bool {
        self.shown.map_or(0, |shown| shown + 1) == scenario.steps.len()
            && self.goals.iter().zip(&scenario.steps).all(|(state, step)| match state {
                GoalState::None | GoalState::Reached => true,
                GoalState::Open => step.goal.as_ref().is_some_and(is_always),
                GoalState::Missed => false,
            })
    }
    /// The next instant at which something must be judged although nothing happens.
    pub(crate) fn next_deadline(&self, scenario: &Scenario) -> Option<SimTime> {
        let expect = scenario
            .expect
            .iter()
            .zip(&self.expect)
            .filter(|(_, verdict)| verdict.is_none())
            .filter_map(|(expect, _)| match expect.timing {
                Timing::At(at) | Timing::By(at) => Some(at),
                Timing::Always => None,
            })
            .min();
        let next_step = self.shown.map_or(0, |shown| shown + 1);
        let waits = scenario
            .steps
            .get(next_step)
            .and_then(|step| step.when.as_ref())
            .into_iter()
            .chain(
                scenario
                    .steps
                    .iter()
                    .zip(&self.goals)
                    .take(next_step)
                    .filter(|(_, state)| **state == GoalState::Open)
                    .filter_map(|(step, _)| step.goal.as_ref()),
            )
            .filter_map(|condition| match condition.timing {
                Some(Timing::At(at) | Timing::By(at)) if at.0 > self.judged_until => Some(at),
                _ => None,
            })
            .min();
        match (expect, waits) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

fn is_always(condition: &Condition) -> bool {
    matches!(condition.check, Some(Check::Invariant(_)))
}

/// Judges what is open at the present instant, whose events are over.
pub(crate) fn judge(scenario: &Scenario, world: &mut World, log: &mut Log<'_>, deadline: bool) {
    let now = world.now();
    let revision = world.revision();
    let progress = &mut *log.progress;
    if !deadline && !progress.changed && progress.revision == revision {
        return;
    }
    progress.changed = false;
    progress.revision = revision;
    progress.judged_until = now.0;
    if scenario.expect.is_empty() && scenario.steps.is_empty() {
        return;
    }
    let objects = world.objects().clone();
    let broken = progress.broken.clone();
    let is_broken = |name: &str| broken.contains_key(name);
    let mut verdicts = Vec::new();
    for (at, expect) in scenario.expect.iter().enumerate() {
        if progress.expect.get(at).copied().flatten().is_some() {
            continue;
        }
        let due = match expect.timing {
            Timing::At(instant) => now >= instant,
            Timing::By(_) | Timing::Always => true,
        };
        if !due {
            continue;
        }
        let (holds, found) = expect.check.holds(&objects, &is_broken);
        let verdict = match expect.timing {
            Timing::At(_) => Some(holds),
            Timing::By(_) if holds => Some(true),
            Timing::By(instant) if now >= instant => Some(false),
            Timing::Always if !holds => Some(false),
            _ => None,
        };
        if let Some(verdict) = verdict {
            if let Some(slot) = progress.expect.get_mut(at) {
                *slot = Some(verdict);
            }
            verdicts.push((expect.text.clone(), verdict, found));
        }
    }
    story(scenario, progress, now, &objects, &is_broken);
    for (text, verdict, found) in verdicts {
        world.record_expectation(&text, verdict, &found, log);
    }
}

fn story(
    scenario: &Scenario,
    progress: &mut Progress,
    now: SimTime,
    objects: &podscope_cluster::Objects,
    is_broken: &dyn Fn(&str) -> bool,
) {
    let holds = |condition: &Condition| {
        let in_time = match condition.timing {
            Some(Timing::At(at)) => now >= at,
            Some(Timing::By(by)) => now <= by,
            Some(Timing::Always) | None => true,
        };
        in_time
            && condition
                .check
                .as_ref()
                .is_none_or(|check| check.holds(objects, is_broken).0)
    };
    loop {
        let next = progress.shown.map_or(0, |shown| shown + 1);
        match scenario.steps.get(next) {
            // The first step shows at once.
            Some(step) if next == 0 || step.when.as_ref().is_none_or(holds) => progress.shown = Some(next),
            _ => break,
        }
    }
    let shown = progress.shown.map_or(0, |shown| shown + 1);
    for (step, state) in scenario.steps.iter().zip(&mut progress.goals).take(shown) {
        let Some(goal) = &step.goal else { continue };
        if *state != GoalState::Open {
            continue;
        }
        if is_always(goal) {
            if !holds(goal) {
                *state = GoalState::Missed;
            }
        } else if holds(goal) {
            *state = GoalState::Reached;
        } else if matches!(goal.timing, Some(Timing::By(by)) if now >= by) {
            *state = GoalState::Missed;
        }
    }
}
