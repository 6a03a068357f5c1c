//! What is judged while time runs: expectations, the story's steps, its
//! goals. Part of every checkpoint, so that seeking finds it as it was.

use std::cell::RefCell;

use podscope_api::ordered;

use podscope_cluster::{SimTime, Span, World};
use podscope_kubectl::Followed;

use super::log::Log;
use crate::scenario::{Findings, Scenario, Seen, Step, Timing};
use crate::story::{Moment, Story};

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
    /// The lesson's story.
    pub(crate) story: Story,
    /// Containers whose logs commands follow, each with the command's number.
    pub(crate) followed: Vec<(u32, Followed)>,
    /// Something relevant happened since the last judgement.
    pub(crate) changed: bool,
    revision: u64,
    /// Whether conditions count requests, which come while nothing happens: they are looked at every second.
    counts_requests: bool,
    judged_until: i64,
    findings: Findings,
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

    /// The lesson's story.
    pub fn story(&self) -> &Story {
        &self.story
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
        let second = self
            .counts_requests
            .then(|| SimTime(self.judged_until.max(0)).floor_second() + Span::seconds(1));
        let story = self.story.next_deadline(scenario, self.judged_until);
        [expect, story, second].into_iter().flatten().min()
    }
}

/// Judges what is open at the present instant, whose events are over; whether another step of the story shows.
pub(crate) fn judge(scenario: &Scenario, world: &mut World, log: &mut Log<'_>, deadline: bool) -> bool {
    let now = world.now();
    let revision = world.revision();
    let progress = &mut *log.progress;
    if !deadline && !progress.changed && progress.revision == revision {
        return false;
    }
    progress.changed = false;
    progress.revision = revision;
    progress.judged_until = now.0;
    if scenario.expect.is_empty() && scenario.steps.is_empty() {
        return false;
    }
    let objects = world.objects().clone();
    let findings = RefCell::new(std::mem::take(&mut progress.findings));
    let broken = progress.broken.clone();
    let is_broken = |name: &str| broken.contains_key(name);
    let requests = || world.requests();
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
        let seen = Seen {
            objects: &objects,
            broken: &is_broken,
            requests: &requests,
            findings: &findings,
        };
        let (holds, found) = expect.check.holds(&seen);
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
    let moment = Moment {
        now,
        objects: &objects,
        broken: &broken,
        findings: &findings,
        requests: &requests,
    };
    let moved = progress.story.judge(scenario, &moment);
    progress.findings = findings.into_inner();
    for (text, verdict, found) in verdicts {
        world.record_expectation(&text, verdict, &found, log);
    }
    moved
}
