//! A container as the container runtime knows it: its process, and what remains after its exit.
//!
//! ```text
//! Running ──exit (by itself, signal, OOM kill, power loss)──▶ Exited
//! ```

use std::sync::Arc;

use podscope_api::{CausedBy, ResourceRequirements, Str, cpu_milli_with_load};

use super::{Behavior, ContainerId, HookKind, Image, Role};
use podscope_sim::{SimTime, Span};

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub at: SimTime,
    pub code: i32,
    /// Termination reason as the runtime reports it (LC-095).
    pub reason: &'static str,
}

impl Exit {
    /// Creates an exit with a code; its reason is `Completed` for 0, otherwise `Error` (LC-095).
    pub fn with_code(at: SimTime, code: i32) -> Self {
        let reason = if code == 0 { "Completed" } else { "Error" };
        Self { at, code, reason }
    }

    /// Creates the exit that the runtime reports, after a reboot, for a container that ran before it. Assumption: code
    /// and reason are containerd's.
    pub fn unknown(at: SimTime) -> Self {
        Self {
            at,
            code: 255,
            reason: "Unknown",
        }
    }
}

/// Size in bytes of a memory page and of a file-system block.
const PAGE_SIZE: i64 = 4096;

/// Rounds up to whole pages: memory and disk are allocated in pages.
pub(crate) fn round_to_pages(bytes: i64) -> i64 {
    bytes
        .saturating_add(PAGE_SIZE - 1)
        .div_euclid(PAGE_SIZE)
        .saturating_mul(PAGE_SIZE)
}

/// A lifecycle hook in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningHook {
    pub hook: HookKind,
    /// When the hook returns; None if it hangs.
    pub ends_at: Option<SimTime>,
    /// Whether the hook succeeds when it returns.
    pub succeeds: bool,
}

/// A container in the container runtime, running or exited.
#[derive(Debug, Clone)]
pub struct Container {
    pub id: ContainerId,
    pub name: Str,
    pub role: Role,
    /// Image name as the pod's spec writes it.
    pub image: Str,
    /// The image from which the container was created.
    pub source: Arc<Image>,
    /// Number of restarts before this instance (LC-097).
    pub attempt: i32,
    /// Attempt number of the sandbox in which the container was created.
    pub sandbox: u32,
    pub started_at: SimTime,
    /// Exit of the process; None while it runs.
    pub exit: Option<Exit>,
    /// Signals that the process received, in order.
    pub signals: Vec<Str>,
    /// When the process received the first signal.
    pub signalled_at: Option<SimTime>,
    /// `oom_score_adj` of the process: the higher, the sooner the kernel kills it when memory runs out.
    pub oom_score_adj: i64,
    /// Resources that apply to the running container.
    pub resources: Arc<ResourceRequirements>,
    pub behavior: Arc<Behavior>,
    /// Size of the machine's disk in bytes; more cannot be written.
    pub(super) disk_size: i64,
    /// The emptyDir that receives the container's disk use; None if its writable layer does.
    pub writes_to: Option<Str>,
    /// Hooks in progress.
    pub hooks: Vec<RunningHook>,
    /// Latest trace record about the process: its start, a signal, a failed probe or its exit.
    pub latest: CausedBy,
    /// Planned exit; None if only an event, such as a signal, can end the process.
    pub(super) plan: Option<Exit>,
}

impl Container {
    pub fn is_running(&self) -> bool {
        self.exit.is_none()
    }

    /// Returns the time from the container's start to `now`.
    pub fn elapsed(&self, now: SimTime) -> Span {
        now - self.started_at
    }

    /// Returns the bytes of memory in use; 0 after the exit.
    pub fn memory(&self, now: SimTime) -> i64 {
        if self.is_running() {
            round_to_pages(self.behavior.memory.amount_at(self.elapsed(now)))
        } else {
            0
        }
    }

    /// Returns the CPU in use, in millicores, with the load of its requests; 0 after the exit.
    pub fn cpu(&self, now: SimTime, request_load: i64) -> i64 {
        if self.is_running() {
            let idle = self.behavior.cpu.amount_at(self.elapsed(now));
            cpu_milli_with_load(idle, request_load, self.behavior.cpu_limit)
        } else {
            0
        }
    }

    /// Returns the bytes of disk in use, at most the whole disk. Written data stays until the container is removed.
    ///
    /// Deviation: the disk's size caps each container alone, so that several containers together can exceed it.
    pub fn disk(&self, now: SimTime) -> i64 {
        let until = self.exit.as_ref().map_or(now, |exit| exit.at);
        round_to_pages(self.behavior.disk.amount_at(self.elapsed(until))).min(self.disk_size)
    }

    /// Returns the planned end of the process; None if it has ended or no end is planned.
    pub fn ends_at(&self) -> Option<SimTime> {
        self.plan.as_ref().filter(|_| self.is_running()).map(|exit| exit.at)
    }

    /// Plans an exit unless an earlier one is already planned. Returns the instant for which the caller must set a
    /// timer; None if nothing was planned.
    pub(super) fn plan_exit(&mut self, exit: Exit) -> Option<SimTime> {
        if self.exit.is_some() || self.plan.as_ref().is_some_and(|plan| plan.at <= exit.at) {
            return None;
        }
        let at = exit.at;
        self.plan = Some(exit);
        Some(at)
    }

    /// Plans the exits that follow from the behaviour alone: the process ends by itself, or exceeds its memory limit.
    /// Returns the instants for which the caller must set timers.
    pub(super) fn plan_own_exits(&mut self) -> Vec<SimTime> {
        let limit = self.resources.limits.get("memory").map(|limit| limit.value());
        let own_end = self.behavior.run.map(|run| {
            let mut exit = Exit::with_code(self.started_at + run, self.behavior.exit_code);
            if self.behavior.is_out_of_memory {
                exit.reason = "OOMKilled";
            }
            exit
        });
        let out_of_memory = limit
            .and_then(|limit| self.behavior.memory.first_time_above(limit))
            .map(|after| Exit {
                at: self.started_at + after,
                code: 137,
                reason: "OOMKilled",
            });
        let ends = [own_end, out_of_memory].into_iter().flatten();
        ends.filter_map(|exit| self.plan_exit(exit)).collect()
    }

    /// Removes and returns the planned exit if it is due.
    pub(super) fn take_due_exit(&mut self, now: SimTime) -> Option<Exit> {
        if self.exit.is_none() && self.plan.as_ref().is_some_and(|plan| plan.at <= now) {
            self.plan.take()
        } else {
            None
        }
    }
}
