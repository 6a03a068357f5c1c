//! Conditions that are checked while time advances: expectations, steps of the story, and goals. Each checkpoint
//! contains their state, so that a seek restores it.

use std::cell::RefCell;

use podscope_api::ordered;

use podscope_cluster::{SimTime, Span, World};
use podscope_kubectl::FollowedContainer;

use super::log::Log;
use crate::scenario::{Scenario, Step, Timing, ValueCache, WorldState};
use crate::story::{Story, StoryMoment};

/// The state of expectations, story and goals at the cursor, and the numbers of commands, records and output lines of
/// the branch up to the cursor.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Index in the schedule of the first command after the cursor.
    pub(crate) next_command: usize,
    /// Whether no event of the cursor's instant has been processed yet.
    pub(crate) before_events: bool,
    /// Number of records in the trace up to the cursor.
    pub(crate) recorded: usize,
    /// Number of output lines up to the cursor.
    pub(crate) printed: usize,
    /// Number of scheduling attempts up to the cursor.
    pub(crate) attempts: u64,
    /// The time of the first violation of each violated invariant.
    pub(crate) broken: ordered::Map<String, SimTime>,
    /// Number of violations of invariants with `cause: bug`.
    pub(crate) bugs: u32,
    /// Whether each expectation is fulfilled. None while it is undecided.
    pub(crate) expect: Vec<Option<bool>>,
    pub(crate) story: Story,
    /// Containers whose logs are followed, each with the number of the command that follows them.
    pub(crate) followed: Vec<(u32, FollowedContainer)>,
    /// Whether a violation was recorded, or a request count has changed, since the conditions were last checked.
    pub(crate) changed: bool,
    revision: u64,
    /// Whether a step of the story counts client requests. These counts grow between events, so such conditions are
    /// checked every second.
    counts_requests: bool,
    judged_until: i64,
    value_cache: ValueCache,
}

impl Progress {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self {
            expect: vec![None; scenario.expect.len()],
            story: Story::new(scenario),
            before_events: true,
            changed: true,
            counts_requests: scenario.steps.iter().any(Step::counts_requests),
            judged_until: -1,
            ..Self::default()
        }
    }

    /// Returns whether each expectation is fulfilled. None while it is undecided; `always` is undecided as long as it
    /// holds.
    pub fn expectations(&self) -> &[Option<bool>] {
        &self.expect
    }

    /// Returns the time of the first violation of each violated invariant.
    pub fn first_violations(&self) -> &ordered::Map<String, SimTime> {
        &self.broken
    }

    /// Returns the number of violations of invariants with `cause: bug`.
    pub fn bug_count(&self) -> u32 {
        self.bugs
    }

    pub fn story(&self) -> &Story {
        &self.story
    }

    /// Returns the next time at which conditions must be checked even if no event occurs.
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
        let second = self
            .counts_requests
            .then(|| SimTime(self.judged_until.max(0)).floor_second() + Span::seconds(1));
        let story = self.story.next_deadline(scenario, self.judged_until);
        [expect, story, second].into_iter().flatten().min()
    }
}

/// Checks the undecided conditions after all events of the current instant, if anything has changed or a deadline has
/// been reached. Returns whether the story shows another step.
pub(crate) fn check_conditions(scenario: &Scenario, world: &mut World, log: &mut Log<'_>, is_deadline: bool) -> bool {
    let now = world.now();
    let revision = world.revision();
    let progress = &mut *log.progress;
    if !is_deadline && !progress.changed && progress.revision == revision {
        return false;
    }
    progress.changed = false;
    progress.revision = revision;
    progress.judged_until = now.0;
    if scenario.expect.is_empty() && scenario.steps.is_empty() {
        return false;
    }
    let objects = world.objects().clone();
    let value_cache = RefCell::new(std::mem::take(&mut progress.value_cache));
    let broken = progress.broken.clone();
    let is_broken = |name: &str| broken.contains_key(name);
    let requests = || world.requests();
    let mut verdicts = Vec::new();
    for (index, expect) in scenario.expect.iter().enumerate() {
        if progress.expect.get(index).copied().flatten().is_some() {
            continue;
        }
        let due = match expect.timing {
            Timing::At(instant) => now >= instant,
            Timing::By(_) | Timing::Always => true,
        };
        if !due {
            continue;
        }
        let state = WorldState {
            objects: &objects,
            is_invariant_violated: &is_broken,
            requests: &requests,
            value_cache: &value_cache,
            recorded: None,
        };
        let (holds, found) = expect.check.holds(&state);
        let verdict = match expect.timing {
            Timing::At(_) => Some(holds),
            Timing::By(_) if holds => Some(true),
            Timing::By(instant) if now >= instant => Some(false),
            Timing::Always if !holds => Some(false),
            _ => None,
        };
        if let Some(verdict) = verdict {
            if let Some(slot) = progress.expect.get_mut(index) {
                *slot = Some(verdict);
            }
            verdicts.push((expect.text.clone(), verdict, found));
        }
    }
    let moment = StoryMoment {
        now,
        objects: &objects,
        violated_invariants: &broken,
        value_cache: &value_cache,
        requests: &requests,
    };
    let moved = progress.story.check(scenario, &moment);
    progress.value_cache = value_cache.into_inner();
    for (text, verdict, found) in verdicts {
        world.record_expectation(&text, verdict, &found, log);
    }
    moved
}
