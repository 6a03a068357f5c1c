//! One container as the runtime knows it: its process, and what is left of it.
//!
//! ```text
//! Running ──exit (own end, signal, OOM, power)──▶ Exited
//! ```

use std::sync::Arc;

use podscope_api::{CausedBy, ResourceRequirements, Str};

use super::{Behavior, ContainerId, HookKind, Image, Role};
use podscope_sim::{SimTime, Span};

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub at: SimTime,
    /// Exit code.
    pub code: i32,
    /// The runtime's word for it (LC-095).
    pub reason: &'static str,
}

impl Exit {
    /// An exit with a code: `Completed` or `Error` (LC-095).
    pub fn with_code(at: SimTime, code: i32) -> Self {
        let reason = if code == 0 { "Completed" } else { "Error" };
        Self { at, code, reason }
    }

    /// What the runtime reports after a reboot of a container that ran before it. `~` containerd's own word and code.
    pub fn unknown(at: SimTime) -> Self {
        Self {
            at,
            code: 255,
            reason: "Unknown",
        }
    }
}

/// Bytes of a page of memory, and of a block of a file system.
const PAGE: i64 = 4096;

/// What an amount takes: memory and disks are given out in whole pages.
pub(crate) fn whole_pages(bytes: i64) -> i64 {
    bytes.saturating_add(PAGE - 1).div_euclid(PAGE).saturating_mul(PAGE)
}

/// A hook under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningHook {
    pub hook: HookKind,
    /// When it ends by itself; none if it hangs.
    pub ends_at: Option<SimTime>,
    /// Whether it then has succeeded.
    pub succeeds: bool,
}

/// A container of the runtime.
#[derive(Debug, Clone)]
pub struct Container {
    /// Its number.
    pub id: ContainerId,
    /// Its name in the pod.
    pub name: Str,
    /// What it is in the pod.
    pub role: Role,
    /// Its image, as the pod's spec calls it.
    pub image: Str,
    /// The image that it was made from.
    pub source: Arc<Image>,
    /// Restarts before this instance (LC-097).
    pub attempt: i32,
    /// The number of the sandbox that it was made in.
    pub sandbox: u32,
    /// When its process started.
    pub started_at: SimTime,
    /// How it ended; none while it runs.
    pub exit: Option<Exit>,
    /// Signals it received.
    pub signals: Vec<Str>,
    /// When it received the first of them.
    pub signalled_at: Option<SimTime>,
    /// How readily the kernel kills it when the machine's memory is used up.
    pub oom_score_adj: i64,
    /// The resources in force.
    pub resources: Arc<ResourceRequirements>,
    /// How it behaves.
    pub behavior: Arc<Behavior>,
    /// The emptyDir that it writes to; none if that is its own layer.
    pub writes_to: Option<Str>,
    /// Hooks under way.
    pub hooks: Vec<RunningHook>,
    /// The latest record of the trace that is about its process: its start, a signal, a failed probe, its end.
    pub latest: CausedBy,
    /// When and how it will end as things stand.
    pub(super) plan: Option<Exit>,
}

impl Container {
    /// Whether its process runs.
    pub fn is_running(&self) -> bool {
        self.exit.is_none()
    }

    /// How long it has run at an instant.
    pub fn elapsed(&self, now: SimTime) -> Span {
        now - self.started_at
    }

    /// Bytes of memory it uses.
    pub fn memory(&self, now: SimTime) -> i64 {
        if self.is_running() {
            whole_pages(self.behavior.memory.at(self.elapsed(now)))
        } else {
            0
        }
    }

    /// CPU it uses, thousandths.
    pub fn cpu(&self, now: SimTime) -> i64 {
        if self.is_running() {
            self.behavior.cpu.at(self.elapsed(now))
        } else {
            0
        }
    }

    /// Bytes of disk it uses; what it wrote stays until it is removed.
    pub fn disk(&self, now: SimTime) -> i64 {
        let until = self.exit.as_ref().map_or(now, |exit| exit.at);
        whole_pages(self.behavior.disk.at(self.elapsed(until)))
    }

    /// Until when its use of memory or disk grows.
    pub fn settles_at(&self) -> SimTime {
        self.started_at + self.behavior.memory.over.max(self.behavior.disk.over)
    }

    /// When its process ends as things stand, if it does.
    pub fn ends_at(&self) -> Option<SimTime> {
        self.plan.as_ref().filter(|_| self.is_running()).map(|exit| exit.at)
    }

    /// The process will end in that way, unless it ends earlier; the instant to be woken at, if this is news.
    pub(super) fn will_exit(&mut self, exit: Exit) -> Option<SimTime> {
        if self.exit.is_some() || self.plan.as_ref().is_some_and(|plan| plan.at <= exit.at) {
            return None;
        }
        let at = exit.at;
        self.plan = Some(exit);
        Some(at)
    }

    /// How its process ends by itself or by its memory limit, from what it does and what it may use; the instants to
    /// be woken at.
    pub(super) fn plan_own_end(&mut self) -> Vec<SimTime> {
        let limit = self.resources.limits.get("memory").map(|limit| limit.value());
        let own_end = self.behavior.run.map(|run| {
            let mut exit = Exit::with_code(self.started_at + run, self.behavior.exit_code);
            if self.behavior.is_out_of_memory {
                exit.reason = "OOMKilled";
            }
            exit
        });
        let out_of_memory = limit
            .and_then(|limit| self.behavior.memory.exceeds(limit))
            .map(|after| Exit {
                at: self.started_at + after,
                code: 137,
                reason: "OOMKilled",
            });
        let ends = [own_end, out_of_memory].into_iter().flatten();
        ends.filter_map(|exit| self.will_exit(exit)).collect()
    }

    /// The end that is due at `now`.
    pub(super) fn due_exit(&mut self, now: SimTime) -> Option<Exit> {
        if self.exit.is_none() && self.plan.as_ref().is_some_and(|plan| plan.at <= now) {
            self.plan.take()
        } else {
            None
        }
    }
}
