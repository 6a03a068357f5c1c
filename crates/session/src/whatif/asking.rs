//! A question that is answered in pieces, so that the page stays responsive and can stop it. The cluster runs twice, with
//! the change in question and without. The two runs take turns, so that they can be compared at any time:
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
use super::shortfall::Watcher;
use super::volumes::{StuckVolume, stuck_volumes};
use super::{Answer, Question};
use crate::timeline::{Session, Slice};

/// Maximum duration of a run: the default timeout of evictions, of unreachable nodes, and of rollouts.
const MAX_DURATION: Span = Span::seconds(900);
/// Time without moves after which a run ends.
const STILL_TIME: Span = Span::seconds(60);
/// Minimum duration after the loss of a machine, until its pods are evicted: the node becomes NotReady after 50 s, and
/// pods tolerate that for 300 s.
const MIN_AFTER_MACHINE_LOSS: Span = Span::seconds(360);
/// Interval between samples of the cluster.
const SAMPLE_INTERVAL: Span = Span::seconds(1);
/// Number of samples between checks for moves.
const SAMPLES_PER_CHECK: u32 = 5;

/// A session whose time advances until no command is running and no pod has moved for a while.
#[derive(Debug)]
pub(super) struct Settling {
    begin: SimTime,
    least: Span,
    /// When the last pod moved.
    moved: SimTime,
    places: Vec<compare::Place>,
    n_samples: u32,
}

impl Settling {
    pub(super) fn begin(session: &Session, least: Span) -> Self {
        Self {
            begin: session.now(),
            least,
            moved: session.now(),
            places: compare::places(session),
            n_samples: 0,
        }
    }

    /// When the last pod moved.
    pub(super) fn moved(&self) -> SimTime {
        self.moved
    }

    /// The earliest instant at which the session can have settled.
    fn earliest_end(&self) -> SimTime {
        (self.moved + STILL_TIME)
            .max(self.begin + self.least)
            .min(self.begin + MAX_DURATION)
    }

    /// Handles at most this number of events; returns whether the session has settled. `sample` sees it every second.
    pub(super) fn work(&mut self, session: &mut Session, events: u64, sample: &mut dyn FnMut(&Session)) -> bool {
        let next_sample = self.begin + Span(SAMPLE_INTERVAL.0 * i64::from(self.n_samples + 1));
        match session.advance(next_sample, events) {
            Slice::More => return false,
            // The session cannot go on.
            Slice::Limit => return true,
            Slice::Done => {}
        }
        sample(session);
        self.n_samples += 1;
        if !self.n_samples.is_multiple_of(SAMPLES_PER_CHECK) {
            return false;
        }
        let places = compare::places(session);
        if places != self.places {
            (self.moved, self.places) = (session.now(), places);
        }
        let passed = session.now() - self.begin;
        let is_still = session.now() - self.moved >= STILL_TIME && !self.places.iter().any(|place| place.is_moving);
        is_still && session.world().clients() == 0 && passed >= self.least || passed >= MAX_DURATION
    }
}

/// A question that is being answered.
#[derive(Debug)]
pub struct Asking {
    question: Question,
    begin: SimTime,
    before: ClusterState,
    /// The run with the change, and its time without moves.
    session: Session,
    settling: Settling,
    has_settled: bool,
    /// The run without the change, and whether it is behind the other one.
    without: Session,
    is_behind: bool,
    /// Refusals of the commands.
    refused: Vec<String>,
    watcher: Watcher,
    volumes: Vec<StuckVolume>,
    per_mille: u32,
}

impl Asking {
    /// Begins with a session at its present time.
    ///
    /// # Errors
    /// An object in the question does not exist.
    pub fn start(mut session: Session, question: Question) -> Result<Self, Vec<Problem>> {
        let commands = commands(&session, &question).map_err(|why| vec![Problem::of("whatif", why)])?;
        let before = ClusterState::of(&session);
        let without = session.clone();
        let mut refused = Vec::new();
        for line in commands {
            let read = command::parse(&line).map_err(|error| vec![Problem::of("whatif", error.message)])?;
            if let Err(limit) = session.command(read) {
                refused.push(limit.to_string());
            }
        }
        let least = match question {
            Question::LoseZone(_) => MIN_AFTER_MACHINE_LOSS,
            _ => Span::ZERO,
        };
        let leaving = leaving_nodes(&session, &question);
        Ok(Self {
            begin: session.now(),
            before,
            volumes: stuck_volumes(session.world().objects(), &leaving),
            watcher: Watcher::new(&without),
            settling: Settling::begin(&session, least),
            has_settled: false,
            question,
            session,
            without,
            is_behind: false,
            refused,
            per_mille: 0,
        })
    }

    /// Simulates at most this number of events; returns whether all is simulated.
    pub fn work(&mut self, events: u64) -> bool {
        if self.is_behind {
            self.is_behind = self.without.advance(self.session.now(), events) == Slice::More;
        } else if !self.has_settled {
            let watcher = &mut self.watcher;
            let sample = &mut |session: &Session| watcher.sample(session);
            self.has_settled = self.settling.work(&mut self.session, events, sample);
            self.is_behind = true;
        }
        let done = (self.session.now() - self.begin).0 + (self.without.now() - self.begin).0;
        let end = self.settling.earliest_end().max(self.session.now());
        let share = done.saturating_mul(1000) / (2 * (end - self.begin).0).max(1);
        // A pod that moves later than the others puts the end off, but reported progress does not go back.
        self.per_mille = self.per_mille.max(u32::try_from(share).unwrap_or(0)).min(999);
        self.has_settled && !self.is_behind
    }

    /// The simulated part, in per mille of what is known to be needed.
    #[must_use]
    pub const fn per_mille(&self) -> u32 {
        self.per_mille
    }

    /// The answer as of the time that has been simulated.
    #[must_use]
    pub fn into_answer(mut self) -> Answer {
        let passed = self.session.now() - self.begin;
        // If the question was interrupted, at most a second is missing.
        while self.without.advance(self.session.now(), u64::MAX) == Slice::More {}
        let (after, without) = (ClusterState::of(&self.session), ClusterState::of(&self.without));
        let mut answer = compare::answer(&self.question, &self.before, &after, &without);
        if let Question::Drain(nodes) = &self.question {
            answer.blocked = compare::blocked_pods(&self.session, nodes);
        }
        answer.shortfalls = self.watcher.shortfalls();
        answer.volumes = self.volumes;
        answer.broken = newly_violated(&self.session, &self.without);
        answer.said = self.refused;
        answer.said.extend(error_lines(&self.session, self.begin));
        answer.seconds = passed.0 / 1_000_000;
        answer
    }
}

/// Invariants that are violated in `session` but not in `without`.
fn newly_violated(session: &Session, without: &Session) -> Vec<String> {
    let violated_without: &ordered::Map<String, SimTime> = without.progress().broken();
    let newly_violated = session.progress().broken().keys();
    newly_violated
        .filter(|name| !violated_without.contains_key(*name))
        .cloned()
        .collect()
}

/// Distinct lines of error output since a time.
fn error_lines(session: &Session, since: SimTime) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lines = session.outputs().iter();
    for line in lines.filter(|line| line.at >= since && line.kind == OutputKind::Error) {
        // A refused eviction is retried every five seconds. The budget is reported separately.
        let is_retry = line.text.contains("will retry after");
        if !is_retry && !found.contains(&line.text) {
            found.push(line.text.clone());
        }
    }
    found
}
