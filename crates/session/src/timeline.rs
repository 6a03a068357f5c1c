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
mod progress;

use std::sync::Arc;

use podscope_api::{NodeName, Pod};
use podscope_cluster::{OutputLine, Record, SetupError, SimTime, Sink, Span, What, World};
use serde_json::Value;

pub use branch::Branch;
use branch::{Checkpoint, Entry};
pub use progress::{GoalState, Progress};

use crate::command::{Command, Kubectl};
use crate::kubectl::{self, Printed, View};
use crate::protocol::Problem;
use crate::scenario::{Loaded, Timed};

/// The end of simulated time: one hundred years.
pub const END_OF_TIME: SimTime = SimTime::from_seconds(100 * 365 * 86_400);
/// Checkpoints kept in a branch; when there are more, every other one goes and the spacing doubles.
pub const MAX_CHECKPOINTS: usize = 96;
/// Events between checkpoints of a young branch.
const FIRST_SPACING: u64 = 400;
/// Branches kept.
pub const MAX_BRANCHES: usize = 64;
/// Commands a user may give on one branch.
pub const MAX_COMMANDS: usize = 10_000;
/// Records a branch keeps; a run that writes more stops.
pub const MAX_RECORDS: usize = 4_000_000;

/// A session.
#[derive(Debug, Clone)]
pub struct Session {
    loaded: Arc<Loaded>,
    world: World,
    progress: Progress,
    branches: Vec<Branch>,
    current: usize,
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
    /// The branches.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }
    /// The number of the present branch.
    pub fn current(&self) -> usize {
        self.current
    }
    /// The present branch.
    pub fn branch(&self) -> &Branch {
        // Invariant: `current` is always a branch.
        &self.branches[self.current]
    }
    /// The trace up to the cursor.
    pub fn trace(&self) -> &[Arc<Record>] {
        let trace = &self.branch().trace;
        trace.get(..self.progress.recorded.min(trace.len())).unwrap_or_default()
    }
    /// Violations of invariants up to the cursor.
    pub fn violations(&self) -> impl Iterator<Item = &Arc<Record>> {
        let trace = &self.branch().trace;
        let until = self.progress.recorded as u64;
        self.branch()
            .violations
            .iter()
            .filter_map(move |seq| trace.get(*seq).filter(|record| record.seq < until))
    }
    /// Lines that commands printed up to the cursor.
    pub fn outputs(&self) -> &[OutputLine] {
        let outputs = &self.branch().outputs;
        outputs
            .get(..self.progress.printed.min(outputs.len()))
            .unwrap_or_default()
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
            if self.branch().trace.len() >= MAX_RECORDS {
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

    /// Takes the next event or command not after the target; false when the target is reached.
    fn advance_one(&mut self, target: SimTime) -> bool {
        let event = self.world.next_at().unwrap_or(SimTime(i64::MAX));
        let command = self
            .branch()
            .schedule
            .get(self.progress.next_command)
            .map_or(SimTime(i64::MAX), |entry| entry.timed.at);
        let next = event.min(command);
        let (branch, current) = (&mut self.branches, self.current);
        let Some(branch) = branch.get_mut(current) else {
            return false;
        };
        let mut log = Log {
            branch,
            progress: &mut self.progress,
        };
        // The instant before is over: what it changed is judged now.
        if next > self.world.now() {
            progress::judge(&self.loaded.scenario, &mut self.world, &mut log, false);
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
            log.progress.next_command += 1;
            if let Some(entry) = entry {
                self.perform(&entry.timed.command);
            }
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
        if let Some(branch) = self.branches.get_mut(self.current) {
            branch.horizon = branch.horizon.max(now);
        }
    }

    fn checkpoint(&mut self) {
        let events = self.world.queue_stats().1;
        let Some(branch) = self.branches.get_mut(self.current) else {
            return;
        };
        let last = branch.checkpoints.last().map_or(0, |last| last.world.queue_stats().1);
        if events < last + branch.spacing {
            return;
        }
        branch.checkpoints.push(Checkpoint {
            at: self.world.now(),
            world: self.world.clone(),
            progress: self.progress.clone(),
        });
        if branch.checkpoints.len() > MAX_CHECKPOINTS {
            branch.spacing = branch.spacing.saturating_mul(2);
            let mut at = 0;
            branch.checkpoints.retain(|_| {
                at += 1;
                at % 2 == 1
            });
        }
    }

    /// Runs a command on the world at the cursor, and records it.
    fn perform(&mut self, command: &Command) {
        let text = command.to_string();
        let number = self.progress.next_command as u32;
        if let Command::Kubectl(kubectl) = command {
            let printed = self.read(kubectl);
            if let Some(printed) = printed {
                let Some(branch) = self.branches.get_mut(self.current) else {
                    return;
                };
                let mut log = Log {
                    branch,
                    progress: &mut self.progress,
                };
                self.world.record_command(&text, None, &mut log);
                let at = self.world.now();
                for line in printed.output_lines(at, number) {
                    log.output(line);
                }
                return;
            }
        }
        let Some(branch) = self.branches.get_mut(self.current) else {
            return;
        };
        let mut log = Log {
            branch,
            progress: &mut self.progress,
        };
        match command {
            Command::Kubectl(kubectl) => {
                let now = podscope_api::Time(self.world.start().0 + self.world.now().0);
                let plan = kubectl::plan(kubectl, self.world.objects(), now);
                self.world.record_command(&text, plan.refused.as_deref(), &mut log);
                let at = self.world.now();
                for (is_error, line) in plan.lines {
                    log.output(OutputLine {
                        at,
                        command: number,
                        is_error,
                        text: line,
                    });
                }
                if let Some(message) = plan.refused {
                    log.complain(at, number, message);
                }
                if let Some(client) = plan.client {
                    self.world.start_client(client, &mut log);
                }
            }
            Command::Fault(fault) => {
                // The record of the command comes before those of its effects.
                let mut probe = self.world.clone();
                match probe.apply_fault(fault, &mut Nothing) {
                    Ok(()) => {
                        self.world.record_command(&text, None, &mut log);
                        let _ = self.world.apply_fault(fault, &mut log);
                    }
                    Err(message) => {
                        self.world.record_command(&text, Some(&message), &mut log);
                        log.complain(self.world.now(), number, format!("error: {message}"));
                    }
                }
            }
            Command::Help(topic) => {
                let at = self.world.now();
                for line in crate::command::help_text(topic).lines() {
                    log.output(OutputLine {
                        at,
                        command: number,
                        is_error: false,
                        text: line.to_owned(),
                    });
                }
            }
        }
    }

    /// Answers a command that only reads; none if it is one that writes.
    pub fn read(&self, command: &Kubectl) -> Option<Printed> {
        let trace = self.trace();
        let logs = |pod: &Pod, container: &str, previous: bool| container_log(trace, pod, container, previous);
        let usage = |pod: &Pod, container: &str| container_usage(&self.world, pod, container);
        let start = self.world.start();
        let renewed = |node: &NodeName| {
            let at = self.world.heartbeats().last_renewal(node, self.world.now())?;
            Some(podscope_api::Time(start.0 + at.0))
        };
        kubectl::read(
            command,
            &View {
                objects: self.world.objects(),
                now: podscope_api::Time(start.0 + self.world.now().0),
                start,
                logs: &logs,
                usage: &usage,
                renewed: &renewed,
            },
        )
    }

    /// Gives a command at the cursor. In the past this starts a branch. The command has acted when this returns.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn command(&mut self, command: Command) -> Result<(), String> {
        if self.branch().schedule.iter().filter(|entry| entry.is_users).count() >= MAX_COMMANDS {
            return Err(format!("a branch holds at most {MAX_COMMANDS} commands"));
        }
        let at = if self.progress.before_events {
            self.world.now()
        } else {
            self.world.now() + Span(1)
        };
        if self.world.now() < self.horizon() || self.progress.recorded < self.branch().trace.len() {
            self.fork()?;
        }
        let Some(branch) = self.branches.get_mut(self.current) else {
            return Ok(());
        };
        let index = branch
            .schedule
            .iter()
            .position(|entry| entry.timed.at > at)
            .unwrap_or(branch.schedule.len())
            .max(self.progress.next_command);
        if branch.label.is_empty() {
            branch.label = command.to_string().lines().next().unwrap_or_default().to_owned();
        }
        branch.schedule.insert(
            index,
            Entry {
                timed: Timed { at, command },
                is_users: true,
            },
        );
        while self.progress.next_command <= index {
            if !self.advance_one(at) {
                break;
            }
        }
        Ok(())
    }

    /// Puts the user's commands of a link into a session at t = 0.
    pub fn schedule(&mut self, commands: Vec<Timed>) {
        let next = self.progress.next_command;
        let Some(branch) = self.branches.get_mut(self.current) else {
            return;
        };
        for timed in commands.into_iter().take(MAX_COMMANDS) {
            let index = branch
                .schedule
                .iter()
                .position(|entry| entry.timed.at > timed.at)
                .unwrap_or(branch.schedule.len())
                .max(next);
            branch.schedule.insert(index, Entry { timed, is_users: true });
        }
    }

    /// The decision behind the attempt with that place in the trace, by replaying to it with recording on.
    pub(crate) fn decision(&self, place: u64) -> Option<Arc<podscope_cluster::RecordedDecision>> {
        let place = usize::try_from(place).ok()?;
        let checkpoint = self
            .branch()
            .checkpoints
            .iter()
            .rev()
            .find(|checkpoint| checkpoint.progress.recorded <= place)?;
        let mut replay = Session {
            loaded: self.loaded.clone(),
            world: checkpoint.world.clone(),
            progress: checkpoint.progress.clone(),
            branches: vec![self.branch().clone()],
            current: 0,
        };
        replay.world.record_decisions(true);
        while replay.progress.recorded <= place {
            replay.world.take_decision();
            if !replay.advance_one(self.horizon()) {
                return None;
            }
        }
        replay.world.take_decision()
    }

    /// Keeps the present future as a branch and continues from the cursor on a new one.
    ///
    /// # Errors
    /// There are too many branches.
    pub fn fork(&mut self) -> Result<(), String> {
        if self.branches.len() >= MAX_BRANCHES {
            return Err(format!("a session holds at most {MAX_BRANCHES} branches"));
        }
        let now = self.world.now();
        let (next, recorded, printed) = (
            self.progress.next_command,
            self.progress.recorded,
            self.progress.printed,
        );
        let parent = self.current;
        let mut branch = self.branch().clone();
        branch.parent = Some(parent);
        branch.from = now;
        branch.label = String::new();
        branch.cursor = now;
        branch.horizon = now;
        branch.trace.truncate(recorded);
        branch.outputs.truncate(printed);
        branch.violations.retain(|place| *place < recorded);
        branch.finished.retain(|(_, at, _)| *at <= now);
        let mut index = 0;
        branch.schedule.retain(|entry| {
            index += 1;
            index <= next || !entry.is_users
        });
        branch
            .checkpoints
            .retain(|checkpoint| checkpoint.progress.recorded <= recorded && checkpoint.at <= now);
        if let Some(old) = self.branches.get_mut(parent) {
            old.cursor = now;
        }
        self.branches.push(branch);
        self.current = self.branches.len() - 1;
        Ok(())
    }

    /// Goes to another branch, where its cursor was. The way there is replayed by [`Session::advance`]; the answer is the instant to advance to.
    pub fn switch(&mut self, branch: usize) -> Option<SimTime> {
        if branch >= self.branches.len() {
            return None;
        }
        let now = self.world.now();
        if let Some(old) = self.branches.get_mut(self.current) {
            old.cursor = now;
        }
        self.current = branch;
        let target = self.branch().cursor;
        self.restore(target);
        Some(target)
    }

    /// Starts to seek: afterwards [`Session::advance`] to the same instant finishes it.
    pub fn seek(&mut self, target: SimTime) {
        if target < self.world.now() {
            self.restore(target);
        }
    }

    fn restore(&mut self, target: SimTime) {
        let Some(checkpoint) = self
            .branch()
            .checkpoints
            .iter()
            .rev()
            .find(|checkpoint| checkpoint.at <= target)
            .or_else(|| self.branch().checkpoints.first())
            .cloned()
        else {
            return;
        };
        self.world = checkpoint.world;
        self.progress = checkpoint.progress;
    }

    /// Processes the next event or command.
    pub fn step(&mut self) {
        self.advance_one(END_OF_TIME);
    }

    /// Takes events until one made a scheduling attempt; [`Slice::Done`] when it did.
    pub fn next_decision(&mut self, budget: u64) -> Slice {
        let before = self.progress.attempts;
        for _ in 0..budget.max(1) {
            if !self.advance_one(END_OF_TIME) {
                return Slice::Done;
            }
            if self.progress.attempts > before {
                return Slice::Done;
            }
        }
        Slice::More
    }

    /// Takes back the last command of this branch; the cursor goes to just before it.
    pub fn undo(&mut self) -> Option<SimTime> {
        let branch = self.branches.get_mut(self.current)?;
        let index = branch.schedule.iter().rposition(|entry| entry.is_users)?;
        let at = branch.schedule.remove(index).timed.at;
        let keep = |checkpoint: &Checkpoint| {
            checkpoint.at < at || (checkpoint.at == at && checkpoint.progress.next_command <= index)
        };
        branch.checkpoints.retain(keep);
        let target = at - Span(1);
        self.restore(target);
        // What the command led to is not what was: the branch is cut where the checkpoint stands.
        let (recorded, printed, now) = (self.progress.recorded, self.progress.printed, self.world.now());
        let branch = self.branches.get_mut(self.current)?;
        branch.trace.truncate(recorded);
        branch.outputs.truncate(printed);
        branch.violations.retain(|place| *place < recorded);
        branch.finished.retain(|(_, finished, _)| *finished <= now);
        branch.horizon = now;
        Some(target.max(now))
    }

    /// Exit statuses of commands that ended, with their times.
    pub fn finished(&self) -> &[(u32, SimTime, u8)] {
        &self.branch().finished
    }

    /// SHA-256-free fingerprint of the trace up to the cursor: FNV-1a over its JSON lines, as 16 hex digits.
    pub fn trace_hash(&self) -> String {
        trace_hash(self.trace())
    }
}

/// FNV-1a (64 bits) over the JSON lines of a trace, newlines included, as 16 hex digits.
pub fn trace_hash(trace: &[Arc<Record>]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for record in trace {
        for byte in record.to_json_line().bytes().chain([b'\n']) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

/// Writes the branch's log; what is replayed is already there.
pub(crate) struct Log<'a> {
    pub(crate) branch: &'a mut Branch,
    pub(crate) progress: &'a mut Progress,
}

impl Log<'_> {
    fn complain(&mut self, at: SimTime, command: u32, text: String) {
        for line in text.lines() {
            self.output(OutputLine {
                at,
                command,
                is_error: true,
                text: line.to_owned(),
            });
        }
    }
}

impl Sink for Log<'_> {
    fn record(&mut self, record: Record) {
        match record.what {
            What::Attempt => self.progress.attempts += 1,
            What::InvariantViolated => {
                if let Some((_, Value::String(name))) = record.fields.iter().find(|(field, _)| *field == "invariant") {
                    let cause = record.fields.iter().find(|(field, _)| *field == "cause");
                    if matches!(cause, Some((_, Value::String(cause))) if cause == "bug") {
                        self.progress.bugs += 1;
                    }
                    self.progress.broken.entry(name.clone()).or_insert(record.at);
                    self.progress.changed = true;
                }
            }
            _ => {}
        }
        if self.progress.recorded >= self.branch.trace.len() {
            if record.what == What::InvariantViolated {
                self.branch.violations.push(self.branch.trace.len());
            }
            self.branch.trace.push(Arc::new(record));
        }
        self.progress.recorded += 1;
    }
    fn output(&mut self, line: OutputLine) {
        if self.progress.printed >= self.branch.outputs.len() {
            self.branch.outputs.push(line);
        }
        self.progress.printed += 1;
    }
    fn finished(&mut self, command: u32, at: SimTime, status: u8) {
        if !self.branch.finished.contains(&(command, at, status)) {
            self.branch.finished.push((command, at, status));
        }
    }
}

/// A sink that forgets.
pub(crate) struct Nothing;

impl Sink for Nothing {
    fn record(&mut self, _record: Record) {}
    fn output(&mut self, _line: OutputLine) {}
    fn finished(&mut self, _command: u32, _at: SimTime, _status: u8) {}
}

/// Problems of a refused object, one for each field the server names: its index, path and message.
fn refusal(index: usize, error: podscope_cluster::ApiError) -> Vec<(usize, String, String)> {
    // `Pod "x" is invalid: spec.a: Required value`; several come as `[a, b]` or as causes.
    let mut fields = error.causes;
    fields.retain(|(path, _)| !path.is_empty());
    if fields.is_empty() || error.reason != "Invalid" {
        return vec![(index, String::new(), error.message)];
    }
    fields
        .into_iter()
        .map(|(path, message)| (index, path, message))
        .collect()
}

/// The life events of a container, for `logs` (K-02): what a scripted container has to tell.
fn container_log(trace: &[Arc<Record>], pod: &Pod, container: &str, previous: bool) -> Vec<(SimTime, String)> {
    let mut lives: Vec<Vec<(SimTime, String)>> = Vec::new();
    for record in trace {
        let mine = record.container.as_deref() == Some(container)
            && record
                .object
                .as_ref()
                .is_some_and(|subject| subject.uid == pod.metadata.uid);
        if !mine {
            continue;
        }
        let field = |name: &str| {
            record
                .fields
                .iter()
                .find(|(field, _)| *field == name)
                .map(|(_, value)| match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                })
        };
        let text = match record.what {
            What::ContainerStarted => {
                lives.push(Vec::new());
                "process started".to_owned()
            }
            What::SignalSent => format!("received {}", field("signal").unwrap_or_default()),
            What::HookStarted => format!("{} hook started", field("hook").unwrap_or_default()),
            What::HookFinished => format!("{} hook finished", field("hook").unwrap_or_default()),
            What::ContainerExited => format!("exiting with code {}", field("exitCode").unwrap_or_default()),
            What::ProbeFailed => format!("{} probe failed", field("probe").unwrap_or_default()),
            _ => continue,
        };
        match lives.last_mut() {
            Some(life) => life.push((record.at, text)),
            None => lives.push(vec![(record.at, text)]),
        }
    }
    let index = lives.len().checked_sub(if previous { 2 } else { 1 });
    index.and_then(|index| lives.get(index)).cloned().unwrap_or_default()
}

/// What a container uses now, if it runs, as its behaviour says: cpu in thousandths, memory in bytes.
fn container_usage(world: &World, pod: &Pod, container: &str) -> Option<(i64, i64)> {
    let machine = world.machine(pod.spec.node_name.as_ref()?)?;
    let process = machine.pod(&pod.metadata.uid)?.latest(container)?;
    let now = world.now();
    process.is_running().then(|| (process.cpu(now), process.memory(now)))
}
