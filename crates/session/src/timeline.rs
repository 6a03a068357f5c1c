//! The timeline (T-01). A [`Session`] has a scenario, a tree of branches with their commands, and the simulated world
//! at the cursor. Each branch has checkpoints and a trace up to its horizon, the latest computed instant. A seek to an
//! earlier instant restores the nearest checkpoint and replays from there. The replay is deterministic, so it gives the
//! same records, which are only compared with the trace.
//!
//! A command takes effect before the events of its instant. If events of the current instant have already been
//! processed, a command gets the next microsecond as its time. Thus times alone determine the order of commands and
//! events, also in links and files.

mod branch;
mod commands;
mod log;
mod progress;
mod trace;
mod travel;

use std::cell::Cell;
use std::sync::Arc;

use podscope_api::hash::{self, fnv1a};
use podscope_api::{ObjectKey, ordered};
use podscope_cluster::{
    Cause, Fingerprint, Objects, OutputKind, OutputLine, Record, SetupError, SimTime, StatusReason, World,
};

pub use branch::Branch;
use branch::Checkpoint;
pub use commands::SentCall;
use log::Log;
pub use progress::Progress;
pub use trace::{Records, Trace};

use crate::scenario::{Loaded, Timed};
use crate::story::Story;
use podscope_protocol::Problem;

/// The end of simulated time: one hundred years.
pub const END_OF_TIME: SimTime = SimTime::from_seconds(100 * 365 * 86_400);
/// Maximum number of checkpoints of a branch. When it is exceeded, every other checkpoint is dropped and their spacing
/// doubles.
pub const MAX_CHECKPOINTS: usize = 192;
/// Maximum memory for the checkpoints of a branch together with the world. It limits the number of checkpoints of large
/// clusters. The unit is the memory that a scheduler needs for one pod: about 250 bytes in a browser.
pub const MAX_MEMORY_WEIGHT: usize = 1_600_000;
/// Initial number of events between two checkpoints of a branch.
const INITIAL_CHECKPOINT_SPACING: u64 = 400;
/// Maximum number of branches of a session.
pub const MAX_BRANCHES: usize = 64;
/// Maximum number of the user's commands on one branch, unless [`Session::set_max_commands`] raises it.
pub const MAX_COMMANDS: usize = 10_000;
/// Maximum number of commands that run at the same time, such as watches, waits and drains.
pub const MAX_RUNNING_COMMANDS: usize = 200;
/// Maximum number of answers to API calls that are stored until [`Session::take_answers`] returns them; the oldest are
/// dropped.
pub(crate) const MAX_UNFETCHED_ANSWERS: usize = 2 * MAX_RUNNING_COMMANDS;
/// Maximum number of output lines of a branch; further lines are dropped.
pub const MAX_OUTPUT_LINES: usize = 2_000_000;
/// Maximum number of records in the trace of a branch; a run that exceeds it stops.
pub const MAX_RECORDS: usize = 4_000_000;

#[derive(Debug, Clone)]
pub struct Session {
    loaded: Arc<Loaded>,
    world: World,
    progress: Progress,
    branches: Vec<Branch>,
    /// Index of the current branch. Invariant: a valid index of `branches`.
    current: usize,
    hashed: Cell<TraceHash>,
    /// Result of the last API call, for [`Session::call`].
    last_call: Option<SentCall>,
    commands_max: usize,
}

/// Hash of the first `len` records of a branch's trace, which [`Session::trace_hash`] extends.
#[derive(Debug, Clone, Copy)]
struct TraceHash {
    branch: usize,
    len: usize,
    hash: u64,
}

impl TraceHash {
    /// Returns the hash of an empty trace.
    fn empty(branch: usize) -> Self {
        let (len, hash) = (0, hash::EMPTY);
        Self { branch, len, hash }
    }
}

/// Result of advancing a session by a limited number of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slice {
    /// The target has been reached.
    Done,
    /// The maximum number of events has been processed before the target was reached.
    More,
    /// The run cannot continue, because it has reached the maximum number of records.
    Limit,
}

impl Session {
    /// Creates a session at t = 0.
    ///
    /// # Errors
    /// The API server refuses objects: one problem for each invalid field, with its position.
    pub fn new(loaded: Loaded) -> Result<Session, Vec<Problem>> {
        let loaded = Arc::new(loaded);
        let mut branch = Branch::root(&loaded.scenario.timeline);
        let mut progress = Progress::new(&loaded.scenario);
        let mut log = Log {
            branch: &mut branch,
            progress: &mut progress,
        };
        let world = World::new(loaded.setup.clone(), &mut log).map_err(|errors| setup_problems(&loaded, errors))?;
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
            hashed: Cell::new(TraceHash::empty(0)),
            last_call: None,
            commands_max: MAX_COMMANDS,
        })
    }

    /// Returns the scenario that the session runs.
    pub fn loaded(&self) -> &Arc<Loaded> {
        &self.loaded
    }

    /// Returns the simulated world at the cursor.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Turns invariant checks off, to measure what they cost.
    pub fn disable_invariants(&mut self) {
        self.world.disable_invariants();
    }

    /// Returns the time of the cursor.
    pub fn now(&self) -> SimTime {
        self.world.now()
    }

    /// Returns the horizon of the current branch: the latest instant that has been computed.
    pub fn horizon(&self) -> SimTime {
        self.branch().horizon
    }

    /// Returns the state of the story, goals and expectations at the cursor.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// Returns the index of the current branch.
    pub fn current_branch_index(&self) -> usize {
        self.current
    }

    pub fn branch(&self) -> &Branch {
        &self.branches[self.current]
    }

    /// Returns the trace up to the cursor.
    pub fn trace(&self) -> Records<'_> {
        self.branch().trace.range(0, self.progress.recorded)
    }

    /// Returns scheduling attempts up to the cursor for pods with this key, oldest first.
    pub fn attempts_of(&self, key: &ObjectKey) -> impl Iterator<Item = Arc<Record>> {
        self.branch().trace.attempts_of(key, self.progress.recorded)
    }

    /// Returns violations of invariants up to the cursor.
    pub fn violations(&self) -> impl Iterator<Item = &Arc<Record>> {
        let until = self.progress.recorded as u64;
        let violations = self.branch().trace.violations().iter();
        violations.take_while(move |record| record.seq < until)
    }

    /// Returns the number of the latest command, as in [`OutputLine::command`].
    pub(crate) fn last_command_number(&self) -> u32 {
        u32::try_from(self.progress.next_command).expect("the user and the scenario have less than two billion each")
    }

    /// Returns whether the command with that number is still running or following logs.
    pub(crate) fn is_command_running(&self, number: u32) -> bool {
        let is_following_logs = || self.progress.followed.iter().any(|(command, _)| *command == number);
        self.world.running_commands().any(|running| running == number) || is_following_logs()
    }

    /// Returns the lines that commands have printed on this branch up to the cursor.
    pub fn outputs(&self) -> &[OutputLine] {
        &self.branch().outputs[..self.progress.printed]
    }

    /// Returns the user's commands on the current branch, with their times.
    pub fn commands(&self) -> Vec<Timed> {
        self.branch()
            .schedule
            .iter()
            .filter(|entry| entry.is_from_user)
            .map(|entry| entry.timed.clone())
            .collect()
    }

    /// Returns the number of the user's commands on the current branch.
    pub fn command_count(&self) -> usize {
        // The schedule of a branch also contains all commands of the scenario.
        self.branch().schedule.len() - self.loaded.scenario.timeline.len()
    }

    /// Returns the user's commands on the current branch, from the command with index `first`.
    pub fn commands_from(&self, first: usize) -> Vec<&Timed> {
        let later = self.command_count().saturating_sub(first);
        let from_user = self.branch().schedule.iter().rev().filter(|entry| entry.is_from_user);
        let mut commands: Vec<&Timed> = from_user.take(later).map(|entry| &entry.timed).collect();
        commands.reverse();
        commands
    }

    /// Changes the maximum number of the user's commands on one branch. Only for callers that do not create links: a
    /// link contains at most [`MAX_COMMANDS`] commands.
    pub fn set_max_commands(&mut self, max: usize) {
        self.commands_max = max;
    }

    /// Returns the user's commands in order. The flag is true if the command printed only errors, or only that there
    /// was nothing to do.
    pub(crate) fn commands_and_failures(&self) -> Vec<(&Timed, bool)> {
        let with_lines = |kinds: &[OutputKind]| -> ordered::Set<u32> {
            let lines = self.outputs().iter().filter(|line| kinds.contains(&line.kind));
            lines.map(|line| line.command).collect()
        };
        let failed = with_lines(&[OutputKind::Error, OutputKind::Remark]);
        let printed = with_lines(&[OutputKind::Output]);
        let numbered = (1..).zip(&self.branch().schedule);
        numbered
            .filter(|(_, entry)| entry.is_from_user)
            .map(|(number, entry)| (&entry.timed, failed.contains(&number) && !printed.contains(&number)))
            .collect()
    }

    /// Advances time to `target` (inclusive), processing at most `budget` events.
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

    /// Like [`Session::advance`], but stops after an event after which the predicate is false for the world. The cursor
    /// then stays at that event.
    pub fn advance_while(&mut self, target: SimTime, budget: u64, predicate: impl Fn(&World) -> bool) -> Slice {
        for _ in 0..budget.max(1) {
            if !predicate(&self.world) || !self.advance_one(target) {
                return Slice::Done;
            }
        }
        Slice::More
    }

    /// Like [`Session::advance`], but stops after an event after which the predicate is true. The cursor then stays at
    /// that event.
    pub fn advance_until(&mut self, target: SimTime, budget: u64, predicate: impl Fn(&Session) -> bool) -> Slice {
        for _ in 0..budget.max(1) {
            if self.progress.recorded >= MAX_RECORDS {
                return Slice::Limit;
            }
            if predicate(self) || !self.advance_one(target) {
                return Slice::Done;
            }
        }
        if predicate(self) { Slice::Done } else { Slice::More }
    }

    /// Like [`Session::advance`], but also stops when the story shows a step for which `waits` returns true.
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

    /// Processes the next event or command up to `target`. Returns false if there is none.
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
        // All events of the previous instant have been processed, so conditions can be checked on the result.
        if next > self.world.now() {
            // If the story shows a new step, return to the caller, which may stop before the next event.
            if progress::check_conditions(&self.loaded.scenario, &mut self.world, &mut log, false) {
                return true;
            }
        }
        if let Some(deadline) = log.progress.next_deadline(&self.loaded.scenario)
            && deadline < next
            && deadline <= target
        {
            self.world.run_until(deadline, &mut log);
            progress::check_conditions(&self.loaded.scenario, &mut self.world, &mut log, true);
            log.progress.before_events = false;
            self.update_horizon();
            return true;
        }
        if next > target {
            if target > self.world.now() || log.progress.before_events {
                self.world.run_until(target, &mut log);
                log.progress.before_events = false;
                self.update_horizon();
            }
            return false;
        }
        if command <= event {
            self.world.run_before(command, &mut log);
            log.progress.before_events = true;
            let entry = log.branch.schedule.get(log.progress.next_command).cloned();
            let entry = entry.expect("the schedule has an entry at `command`");
            log.progress.next_command += 1;
            self.perform(&entry.timed.command);
        } else {
            self.world.step(&mut log);
            log.progress.before_events = false;
        }
        self.update_horizon();
        self.create_checkpoint_if_due();
        true
    }

    fn update_horizon(&mut self) {
        let now = self.world.now();
        let branch = &mut self.branches[self.current];
        branch.horizon = branch.horizon.max(now);
    }

    /// Processes the next event or command.
    pub fn step(&mut self) {
        self.advance_one(END_OF_TIME);
    }

    /// Returns the time of the scenario's next scheduled command, if there is one.
    pub(crate) fn next_scenario_command(&self) -> Option<SimTime> {
        let left = self.branch().schedule.get(self.progress.next_command..)?;
        left.iter()
            .find(|entry| !entry.is_from_user)
            .map(|entry| entry.timed.at)
    }

    /// Returns the user's next command after the cursor, if there is one.
    pub(crate) fn next_user_command(&self) -> Option<&Timed> {
        let left = self.branch().schedule.get(self.progress.next_command..)?;
        left.iter().find(|entry| entry.is_from_user).map(|entry| &entry.timed)
    }

    /// Returns the commands of the branch that have finished, each with its number, time of the end, and exit status.
    pub fn finished_commands(&self) -> &[(u32, SimTime, u8)] {
        &self.branch().finished
    }

    /// Returns the records with those sequence numbers, together with all records that caused them, in the order of the
    /// trace.
    pub fn with_causes(&self, seqs: impl IntoIterator<Item = u64>) -> Vec<Arc<Record>> {
        self.branch().trace.with_causes(seqs)
    }

    /// Returns the hash of the trace up to the cursor, as 16 hex digits: FNV-1a over its lines in the form
    /// [`Fingerprint::Facts`], which excludes causes and Podscope's own sentences.
    pub fn trace_hash(&self) -> String {
        let trace = self.trace();
        let len = trace.len();
        let mut known = self.hashed.get();
        if known.branch != self.current || known.len > len {
            known = TraceHash::empty(self.current);
        }
        let hash = extend_hash(
            known.hash,
            self.branch().trace.range(known.len, len),
            Fingerprint::Facts,
        );
        self.hashed.set(TraceHash { len, hash, ..known });
        format!("{hash:016x}")
    }
}

fn extend_hash(hash: u64, trace: Records<'_>, form: Fingerprint) -> u64 {
    trace.fold(hash, |hash, record| {
        fnv1a(hash, record.fingerprint_line(form).bytes().chain([b'\n']))
    })
}

/// Returns the FNV-1a hash (64 bits) of the lines of a trace in the given form, including newlines, as 16 hex digits.
pub fn trace_hash(trace: Records<'_>, form: Fingerprint) -> String {
    let hash = extend_hash(hash::EMPTY, trace, form);
    format!("{hash:016x}")
}

impl Loaded {
    /// Returns the objects that a session has at t = 0, without creating a session.
    ///
    /// # Errors
    /// The same as those of [`Session::new`].
    pub fn objects_at_start(&self) -> Result<Arc<Objects>, Vec<Problem>> {
        World::objects_at_start(&self.setup).map_err(|errors| setup_problems(self, errors))
    }
}

/// Converts errors about refused objects to problems with positions in the files.
fn setup_problems(loaded: &Loaded, errors: Vec<SetupError>) -> Vec<Problem> {
    let causes = errors.into_iter();
    loaded.problems_of(causes.flat_map(|SetupError { index, error }| problem_causes(index, error)))
}

/// Splits the error about a refused object into one problem per invalid field: object index, field path and message.
fn problem_causes(index: usize, error: podscope_cluster::ApiError) -> Vec<(usize, Cause)> {
    // Each cause of the error is about one field. An error about the whole object has no field path and remains one
    // message.
    let mut fields = error.causes;
    fields.retain(|cause| !cause.about.is_empty());
    if fields.is_empty() || error.reason != StatusReason::Invalid {
        return vec![(index, Cause::new("", error.message))];
    }
    fields.into_iter().map(|cause| (index, cause)).collect()
}
