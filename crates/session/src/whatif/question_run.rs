//! Computes the answer to a what-if question in pieces of work, so that the page stays responsive and can stop it. The
//! cluster runs twice, with the change in question and without. The two runs alternate, so that they can be compared at
//! any time:
//!
//! ```text
//! with the change ──at most a second has passed──▶ without it
//!        ▲                                             │
//!        └──────────────the same time has passed───────┤
//!                                                      └──and no pod moves any more──▶ answered
//! ```

use podscope_api::ordered;
use podscope_cluster::{OutputKind, SimTime, Span};
use podscope_kubectl::command;
use podscope_protocol::Problem;

use super::compare::{self, ClusterState};
use super::run::{commands, leaving_nodes};
use super::shortfall::ShortfallWatcher;
use super::volumes::{StuckVolume, stuck_volumes};
use super::{Answer, Question};
use crate::timeline::{Session, Slice};

/// Maximum simulated duration of a what-if run. It exceeds the default timeouts after which pods are evicted from an
/// unreachable node (350 s) and a rollout has failed (600 s).
const MAX_DURATION: Span = Span::seconds(900);
/// Simulated time without pod moves after which a what-if run ends.
const QUIET_TIME: Span = Span::seconds(60);
/// Minimum simulated duration of a run after the loss of a machine. Its pods are evicted late: the node becomes
/// NotReady after 50 s, and pods tolerate this for 300 s.
const MIN_AFTER_MACHINE_LOSS: Span = Span::seconds(360);
/// Simulated time between two samples of the cluster.
const SAMPLE_INTERVAL: Span = Span::seconds(1);
/// Number of samples between two checks whether pods have moved.
const SAMPLES_PER_CHECK: u32 = 5;

/// Detects when a session has settled: no command is running, and no pod has moved for a while.
#[derive(Debug)]
pub(super) struct SettlingDetector {
    begin: SimTime,
    min_duration: Span,
    /// Time at which it was last detected that a pod had moved.
    moved: SimTime,
    places: Vec<compare::PodPlace>,
    n_samples: u32,
}

impl SettlingDetector {
    pub(super) fn begin(session: &Session, min_duration: Span) -> Self {
        Self {
            begin: session.now(),
            min_duration,
            moved: session.now(),
            places: compare::pod_places(session),
            n_samples: 0,
        }
    }

    /// Returns the time at which it was last detected that a pod had moved.
    pub(super) fn last_move_time(&self) -> SimTime {
        self.moved
    }

    /// Returns the earliest time at which the session can count as settled.
    fn earliest_end(&self) -> SimTime {
        (self.moved + QUIET_TIME)
            .max(self.begin + self.min_duration)
            .min(self.begin + MAX_DURATION)
    }

    /// Advances the session by at most `max_events` events. Returns whether it has settled. Calls `sample` with the
    /// session once per simulated second.
    pub(super) fn work(&mut self, session: &mut Session, max_events: u64, sample: &mut dyn FnMut(&Session)) -> bool {
        let next_sample = self.begin + Span(SAMPLE_INTERVAL.0 * i64::from(self.n_samples + 1));
        match session.advance(next_sample, max_events) {
            Slice::More => return false,
            // The session has reached a limit and cannot continue.
            Slice::Limit => return true,
            Slice::Done => {}
        }
        sample(session);
        self.n_samples += 1;
        if !self.n_samples.is_multiple_of(SAMPLES_PER_CHECK) {
            return false;
        }
        let places = compare::pod_places(session);
        if places != self.places {
            (self.moved, self.places) = (session.now(), places);
        }
        let passed = session.now() - self.begin;
        let is_still = session.now() - self.moved >= QUIET_TIME && !self.places.iter().any(|place| place.is_moving);
        is_still && session.world().client_count() == 0 && passed >= self.min_duration || passed >= MAX_DURATION
    }
}

/// The computation of the answer to a what-if question, in pieces of work.
#[derive(Debug)]
pub struct QuestionRun {
    question: Question,
    begin: SimTime,
    before: ClusterState,
    /// The run with the change, and the state for detecting that it has settled.
    session: Session,
    settling: SettlingDetector,
    has_settled: bool,
    /// The run without the change, and whether it lags behind the run with the change.
    without: Session,
    is_behind: bool,
    /// Error messages of the commands that the session has refused.
    refused: Vec<String>,
    watcher: ShortfallWatcher,
    volumes: Vec<StuckVolume>,
    progress_per_mille: u32,
}

impl QuestionRun {
    /// Starts to compute the answer for a session at its current time.
    ///
    /// # Errors
    /// An object in the question does not exist.
    pub fn start(mut session: Session, question: Question) -> Result<Self, Vec<Problem>> {
        let commands = commands(&session, &question).map_err(|why| vec![Problem::of_file("whatif", why)])?;
        let before = ClusterState::of(&session);
        let without = session.clone();
        let mut refused = Vec::new();
        for line in commands {
            let read = command::parse(&line).map_err(|error| vec![Problem::of_file("whatif", error.message)])?;
            if let Err(limit) = session.command(read) {
                refused.push(limit.to_string());
            }
        }
        let min_duration = match question {
            Question::LoseZone(_) => MIN_AFTER_MACHINE_LOSS,
            _ => Span::ZERO,
        };
        let leaving = leaving_nodes(&session, &question);
        Ok(Self {
            begin: session.now(),
            before,
            volumes: stuck_volumes(session.world().objects(), &leaving),
            watcher: ShortfallWatcher::new(&without),
            settling: SettlingDetector::begin(&session, min_duration),
            has_settled: false,
            question,
            session,
            without,
            is_behind: false,
            refused,
            progress_per_mille: 0,
        })
    }

    /// Simulates at most `max_events` events. Returns whether both runs are complete.
    pub fn work(&mut self, max_events: u64) -> bool {
        if self.is_behind {
            self.is_behind = self.without.advance(self.session.now(), max_events) == Slice::More;
        } else if !self.has_settled {
            let watcher = &mut self.watcher;
            let sample = &mut |session: &Session| watcher.sample(session);
            self.has_settled = self.settling.work(&mut self.session, max_events, sample);
            self.is_behind = true;
        }
        let done = (self.session.now() - self.begin).0 + (self.without.now() - self.begin).0;
        let end = self.settling.earliest_end().max(self.session.now());
        let share = done.saturating_mul(1000) / (2 * (end - self.begin).0).max(1);
        // If a pod moves later than the others, the runs take longer than expected, but the reported progress does not
        // decrease.
        self.progress_per_mille = self.progress_per_mille.max(u32::try_from(share).unwrap_or(0)).min(999);
        self.has_settled && !self.is_behind
    }

    /// Returns the progress in per mille of the simulated time that the runs are expected to take.
    #[must_use]
    pub const fn progress_per_mille(&self) -> u32 {
        self.progress_per_mille
    }

    /// Returns the answer to the question, from the part of the runs that has been simulated.
    #[must_use]
    pub fn into_answer(mut self) -> Answer {
        let passed = self.session.now() - self.begin;
        // If the computation was interrupted, the run without the change lags by at most a second.
        while self.without.advance(self.session.now(), u64::MAX) == Slice::More {}
        let (after, without) = (ClusterState::of(&self.session), ClusterState::of(&self.without));
        let mut answer = compare::answer(&self.question, &self.before, &after, &without);
        if let Question::Drain(nodes) = &self.question {
            answer.blocked = compare::blocked_pods(&self.session, nodes);
        }
        answer.shortfalls = self.watcher.shortfalls();
        answer.volumes = self.volumes;
        answer.broken = newly_violated_invariants(&self.session, &self.without);
        answer.said = self.refused;
        answer.said.extend(error_lines(&self.session, self.begin));
        answer.seconds = passed.0 / 1_000_000;
        answer
    }
}

/// Returns the invariants that are violated in `session` but not in `without`.
fn newly_violated_invariants(session: &Session, without: &Session) -> Vec<String> {
    let violated_without: &ordered::Map<String, SimTime> = without.progress().first_violations();
    let newly_violated = session.progress().first_violations().keys();
    newly_violated
        .filter(|name| !violated_without.contains_key(*name))
        .cloned()
        .collect()
}

/// Returns the distinct lines of error output that commands have printed since a time.
fn error_lines(session: &Session, since: SimTime) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lines = session.outputs().iter();
    for line in lines.filter(|line| line.at >= since && line.kind == OutputKind::Error) {
        // A refused eviction is retried every five seconds. The answer lists the budget that refuses it separately.
        let is_retry = line.text.contains("will retry after");
        if !is_retry && !found.contains(&line.text) {
            found.push(line.text.clone());
        }
    }
    found
}
