//! Time that runs both ways (T-01). A [`Session`] is a scenario, a tree of
//! branches with their commands, the world at the cursor, and per branch a
//! trace up to its horizon with checkpoints. Seeking back takes the nearest
//! checkpoint and replays; what is replayed is what was, so the trace is not
//! written again.
//!
//! A command acts before the events of its instant. One that is given after
//! events of the present instant gets the next microsecond, so that instants
//! alone say where it belongs, in links and files too.

mod branch;
mod log;
mod perform;
mod progress;
mod trace;
mod travel;

use std::cell::Cell;
use std::sync::Arc;

use podscope_api::ObjectKey;
use podscope_api::hash::{self, fnv1a};
use podscope_cluster::{Cause, Fingerprint, OutputLine, Record, SetupError, SimTime, StatusReason, World};

pub use branch::Branch;
use branch::Checkpoint;
use log::Log;
pub use perform::Called;
pub use progress::Progress;
pub use trace::{Records, Trace};

use crate::scenario::{Loaded, Timed};
use crate::story::Story;
use podscope_protocol::Problem;

/// The end of simulated time: one hundred years.
pub const END_OF_TIME: SimTime = SimTime::from_seconds(100 * 365 * 86_400);
/// Checkpoints kept in a branch; when there is no room for more, every other one goes and the spacing doubles.
pub const MAX_CHECKPOINTS: usize = 192;
/// What a branch's checkpoints and the world may weigh together; 1 is what a scheduler knows of a pod, some 250 bytes
/// in a browser. What bounds memory in a large cluster.
pub const ROOM: usize = 1_600_000;
/// Events between checkpoints of a young branch.
const FIRST_SPACING: u64 = 400;
/// Branches kept.
pub const MAX_BRANCHES: usize = 64;
/// Commands a user may give on one branch.
pub const MAX_COMMANDS: usize = 10_000;
/// Commands that run at the same time: watches, waits, drains.
pub const MAX_RUNNING: usize = 200;
/// Answers to programs that nobody has fetched; older ones go.
pub(crate) const MAX_UNFETCHED: usize = 2 * MAX_RUNNING;
/// Lines that the commands of a branch print; later ones are dropped.
pub const MAX_PRINTED: usize = 2_000_000;
/// Records a branch keeps; a run that writes more stops.
pub const MAX_RECORDS: usize = 4_000_000;

#[derive(Debug, Clone)]
pub struct Session {
    loaded: Arc<Loaded>,
    world: World,
    progress: Progress,
    branches: Vec<Branch>,
    /// Invariant: one of `branches`.
    current: usize,
    hashed: Cell<Hashed>,
    /// The client of the call that was performed last.
    answer_to: Option<Called>,
}

/// A hash of the first records of a branch's trace; the next one goes on from here.
#[derive(Debug, Clone, Copy)]
struct Hashed {
    branch: usize,
    len: usize,
    hash: u64,
}

impl Hashed {
    /// Of no records.
    fn nothing(branch: usize) -> Self {
        let (len, hash) = (0, hash::EMPTY);
        Self { branch, len, hash }
    }
}

/// What a slice of work came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slice {
    /// The target is reached.
    Done,
    /// The budget is used up.
    More,
    /// A limit stops the run.
    Limit,
}

impl Session {
    /// A session at t = 0.
    ///
    /// # Errors
    /// Objects that the API server refuses, with their places.
    pub fn new(loaded: Loaded) -> Result<Session, Vec<Problem>> {
        let loaded = Arc::new(loaded);
        let mut branch = Branch::root(&loaded.scenario.timeline);
        let mut progress = Progress::new(&loaded.scenario);
        let mut log = Log {
            branch: &mut branch,
            progress: &mut progress,
        };
        let world = World::new(loaded.setup.clone(), &mut log).map_err(|errors| {
            loaded.problems_of(
                errors
                    .into_iter()
                    .flat_map(|SetupError { index, error }| refusal(index, error)),
            )
        })?;
        branch.checkpoints.push(Checkpoint {
            at: world.now(),
            world: world.clone(),
            progress: progress.clone(),
        });
        Ok(Session {
            loaded,
            world,
            progress,
            branches: vec![branch],
            current: 0,
            hashed: Cell::new(Hashed::nothing(0)),
            answer_to: None,
        })
    }

    /// What was loaded.
    pub fn loaded(&self) -> &Arc<Loaded> {
        &self.loaded
    }

    /// The world at the cursor.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Turns the invariants off, to measure what they cost.
    pub fn leave_unchecked(&mut self) {
        self.world.leave_unchecked();
    }

    /// The cursor.
    pub fn now(&self) -> SimTime {
        self.world.now()
    }

    /// How far the present branch has been computed.
    pub fn horizon(&self) -> SimTime {
        self.branch().horizon
    }

    /// Story, goals and expectations at the cursor.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The number of the present branch.
    pub fn current(&self) -> usize {
        self.current
    }

    /// The present branch.
    pub fn branch(&self) -> &Branch {
        &self.branches[self.current]
    }

    /// The trace up to the cursor.
    pub fn trace(&self) -> Records<'_> {
        self.branch().trace.range(0, self.progress.recorded)
    }

    /// Attempts to schedule pods of that key up to the cursor, oldest first.
    pub fn attempts_of(&self, key: &ObjectKey) -> impl Iterator<Item = Arc<Record>> {
        self.branch().trace.attempts_of(key, self.progress.recorded)
    }

    /// Violations of invariants up to the cursor.
    pub fn violations(&self) -> impl Iterator<Item = &Arc<Record>> {
        let until = self.progress.recorded as u64;
        let violations = self.branch().trace.violations().iter();
        violations.take_while(move |record| record.seq < until)
    }

    /// The number of the command that was given last, as in [`OutputLine::command`].
    pub(crate) fn given(&self) -> u32 {
        u32::try_from(self.progress.next_command).expect("a branch holds no more than `MAX_COMMANDS` of each kind")
    }

    /// Whether the command of that number goes on: it is under way, or watches.
    pub(crate) fn runs(&self, number: u32) -> bool {
        let follows = || self.progress.followed.iter().any(|(command, _)| *command == number);
        self.world.running_clients().contains(&number) || follows()
    }

    /// Lines that commands printed up to the cursor.
    pub fn outputs(&self) -> &[OutputLine] {
        &self.branch().outputs[..self.progress.printed]
    }

    /// The user's commands of the present branch with their times.
    pub fn commands(&self) -> Vec<Timed> {
        self.branch()
            .schedule
            .iter()
            .filter(|entry| entry.is_users)
            .map(|entry| entry.timed.clone())
            .collect()
    }

    /// Works towards an instant (inclusive), at most `budget` events.
    pub fn advance(&mut self, target: SimTime, budget: u64) -> Slice {
        let target = target.min(END_OF_TIME);
        for _ in 0..budget.max(1) {
            if self.progress.recorded >= MAX_RECORDS {
                return Slice::Limit;
            }
            if !self.advance_one(target) {
                return Slice::Done;
            }
        }
        Slice::More
    }

    /// Like [`Session::advance`], but no further than where the world stops being so; the clock stays there.
    pub fn advance_while(&mut self, target: SimTime, budget: u64, is_so: impl Fn(&World) -> bool) -> Slice {
        for _ in 0..budget.max(1) {
            if !is_so(&self.world) || !self.advance_one(target) {
                return Slice::Done;
            }
        }
        Slice::More
    }

    /// Like [`Session::advance`], but no further than to where it is so; the clock stays there.
    pub fn advance_until(&mut self, target: SimTime, budget: u64, is_so: impl Fn(&Session) -> bool) -> Slice {
        for _ in 0..budget.max(1) {
            if self.progress.recorded >= MAX_RECORDS {
                return Slice::Limit;
            }
            if is_so(self) || !self.advance_one(target) {
                return Slice::Done;
            }
        }
        if is_so(self) { Slice::Done } else { Slice::More }
    }

    /// Like [`Session::advance`], but no further than to the showing of a step of the story at which time waits.
    pub fn advance_story(&mut self, target: SimTime, budget: u64, waits: impl Fn(usize, &Story) -> bool) -> Slice {
        for _ in 0..budget.max(1) {
            if self.progress.recorded >= MAX_RECORDS {
                return Slice::Limit;
            }
            let shown = self.progress.story.shown().len();
            if !self.advance_one(target) {
                return Slice::Done;
            }
            let story = &self.progress.story;
            if (shown..story.shown().len()).any(|step| waits(step, story)) {
                return Slice::Done;
            }
        }
        Slice::More
    }

    /// Takes the next event or command not after the target; false when the target is reached.
    fn advance_one(&mut self, target: SimTime) -> bool {
        let event = self.world.next_at().unwrap_or(SimTime(i64::MAX));
        let command = self
            .branch()
            .schedule
            .get(self.progress.next_command)
            .map_or(SimTime(i64::MAX), |entry| entry.timed.at);
        let next = event.min(command);
        let mut log = Log {
            branch: &mut self.branches[self.current],
            progress: &mut self.progress,
        };
        // The instant before is over: what it changed is judged now.
        if next > self.world.now() {
            // Who waits for the story stops before anything else happens.
            if progress::judge(&self.loaded.scenario, &mut self.world, &mut log, false) {
                return true;
            }
        }
        if let Some(deadline) = log.progress.next_deadline(&self.loaded.scenario)
            && deadline < next
            && deadline <= target
        {
            self.world.run_until(deadline, &mut log);
            progress::judge(&self.loaded.scenario, &mut self.world, &mut log, true);
            log.progress.before_events = false;
            self.mark_horizon();
            return true;
        }
        if next > target {
            if target > self.world.now() || log.progress.before_events {
                self.world.run_until(target, &mut log);
                log.progress.before_events = false;
                self.mark_horizon();
            }
            return false;
        }
        if command <= event {
            self.world.run_before(command, &mut log);
            log.progress.before_events = true;
            let entry = log.branch.schedule.get(log.progress.next_command).cloned();
            let entry = entry.expect("its instant has just been read");
            log.progress.next_command += 1;
            self.perform(&entry.timed.command);
        } else {
            self.world.step(&mut log);
            log.progress.before_events = false;
        }
        self.mark_horizon();
        self.checkpoint();
        true
    }

    fn mark_horizon(&mut self) {
        let now = self.world.now();
        let branch = &mut self.branches[self.current];
        branch.horizon = branch.horizon.max(now);
    }

    /// Processes the next event or command.
    pub fn step(&mut self) {
        self.advance_one(END_OF_TIME);
    }

    /// When the scenario's own next command is given, if one is left.
    pub(crate) fn next_scripted(&self) -> Option<SimTime> {
        let left = self.branch().schedule.get(self.progress.next_command..)?;
        left.iter().find(|entry| !entry.is_users).map(|entry| entry.timed.at)
    }

    /// The user's next command that has a place after the cursor, if one is left.
    pub(crate) fn next_given(&self) -> Option<&Timed> {
        let left = self.branch().schedule.get(self.progress.next_command..)?;
        left.iter().find(|entry| entry.is_users).map(|entry| &entry.timed)
    }

    /// Exit statuses of commands that ended, with their times.
    pub fn finished(&self) -> &[(u32, SimTime, u8)] {
        &self.branch().finished
    }

    /// The records of those numbers and all that led to them, in order.
    pub fn with_causes(&self, of: impl IntoIterator<Item = u64>) -> Vec<Arc<Record>> {
        self.branch().trace.with_causes(of)
    }

    /// A fingerprint of the trace up to the cursor: FNV-1a over its lines of facts ([`Fingerprint::Facts`]), as 16 hex
    /// digits. Words and causes change none.
    pub fn trace_hash(&self) -> String {
        let trace = self.trace();
        let len = trace.len();
        let mut known = self.hashed.get();
        if known.branch != self.current || known.len > len {
            known = Hashed::nothing(self.current);
        }
        let hash = hash_on(
            known.hash,
            self.branch().trace.range(known.len, len),
            Fingerprint::Facts,
        );
        self.hashed.set(Hashed { len, hash, ..known });
        format!("{hash:016x}")
    }
}

fn hash_on(hash: u64, trace: Records<'_>, form: Fingerprint) -> u64 {
    trace.fold(hash, |hash, record| {
        fnv1a(hash, record.fingerprint_line(form).bytes().chain([b'\n']))
    })
}

/// FNV-1a (64 bits) over the lines of a trace in that form, newlines included, as 16 hex digits.
pub fn trace_hash(trace: Records<'_>, form: Fingerprint) -> String {
    let hash = hash_on(hash::EMPTY, trace, form);
    format!("{hash:016x}")
}

/// Problems of a refused object, one for each field the server names: its index, path and message.
fn refusal(index: usize, error: podscope_cluster::ApiError) -> Vec<(usize, Cause)> {
    // Each field is a cause; what is wrong with the whole has no path, and is told as it stands.
    let mut fields = error.causes;
    fields.retain(|cause| !cause.about.is_empty());
    if fields.is_empty() || error.reason != StatusReason::Invalid {
        return vec![(index, Cause::new("", error.message))];
    }
    fields.into_iter().map(|cause| (index, cause)).collect()
}
