//! Memory of the machine. All processes together never use more than its capacity. When they would, the kernel kills
//! the process with the highest OOM score, and repeats this until the rest fits.
//!
//! The score is the memory use of a process plus its `oom_score_adj` thousandths of the capacity. The kubelet sets
//! `oom_score_adj` from QoS class, priority and memory request (LC-043; `GetContainerOOMScoreAdjust`).
//!
//! Deviation: there is no swap, and the kernel itself uses no memory.

use podscope_api::{Container, Pod, QosClass, Uid};

use super::{ContainerId, Exit, Machine, MachineEvent, MachineTimer, Role};
use crate::{Context, Timer};
use podscope_sim::SimTime;

/// `oom_score_adj` of Guaranteed pods and of priority system-node-critical.
const GUARANTEED_SCORE_ADJ: i64 = -997;
/// `oom_score_adj` of BestEffort pods.
const BEST_EFFORT_SCORE_ADJ: i64 = 1000;
/// Priority of the PriorityClass system-node-critical.
const SYSTEM_NODE_CRITICAL_PRIORITY: i32 = 2_000_001_000;
/// Lowest PID that the kernel gives to a container's process.
const FIRST_PID: u64 = 1000;
/// Number of PIDs that the kernel gives to containers' processes.
const PID_COUNT: u64 = 31_768;

impl Machine {
    /// Returns the memory of the machine in bytes; None if the scenario does not give it.
    fn memory_capacity(&self) -> Option<i64> {
        self.capacity
            .get("memory")
            .map(|amount| amount.value())
            .filter(|amount| *amount > 0)
    }

    /// Computes a container's `oom_score_adj`, in thousandths of the machine's memory.
    pub(super) fn oom_score_adj(&self, pod: &Pod, container: &Container, role: Role) -> i64 {
        if pod.priority() == SYSTEM_NODE_CRITICAL_PRIORITY {
            return GUARANTEED_SCORE_ADJ;
        }
        match pod.status.qos_class {
            Some(QosClass::Guaranteed) => return GUARANTEED_SCORE_ADJ,
            Some(QosClass::BestEffort) => return BEST_EFFORT_SCORE_ADJ,
            _ => {}
        }
        let request = |container: &Container| {
            container
                .resources
                .requests
                .get("memory")
                .map_or(0, |amount| amount.value())
        };
        let own = request(container);
        // A sidecar gets no higher score than the main containers that it serves, so the largest memory request counts.
        let asked = if role == Role::Sidecar {
            pod.spec.containers.iter().map(request).fold(own, i64::max)
        } else {
            own
        };
        let capacity = self.memory_capacity().unwrap_or(i64::MAX);
        let share = i128::from(asked) * 1000 / i128::from(capacity);
        (BEST_EFFORT_SCORE_ADJ - share as i64)
            .clamp(BEST_EFFORT_SCORE_ADJ + GUARANTEED_SCORE_ADJ, BEST_EFFORT_SCORE_ADJ - 1)
    }

    /// Returns the bytes of memory that all processes use together.
    fn memory_used(&self, now: SimTime) -> i64 {
        let running = self.pods.values().flat_map(|pod| pod.running());
        running.fold(0, |sum, container| sum.saturating_add(container.memory(now)))
    }

    /// Sets the timer for the instant at which memory runs out, if the processes go on as planned.
    pub(super) fn set_memory_timer(&mut self, ctx: &mut Context<'_>) {
        let Some(at) = self.memory_exhausted_at(ctx.now) else {
            return;
        };
        if self.memory_due.is_none_or(|due| at < due || due < ctx.now) {
            self.memory_due = Some(at);
            ctx.timer(at, Timer::Machine(MachineTimer::Memory));
        }
    }

    /// Returns the first instant from `now` on at which the processes use more than the capacity; None if they never do
    /// unless something changes.
    fn memory_exhausted_at(&self, now: SimTime) -> Option<SimTime> {
        let capacity = self.memory_capacity()?;
        let running = || self.pods.values().flat_map(|pod| pod.running());
        let most = running().fold(0_i64, |sum, container| {
            let usage = container.behavior.memory;
            sum.saturating_add(super::round_to_pages(usage.from.max(usage.to)))
        });
        if most <= capacity {
            return None;
        }
        // Between instants at which some process's memory use becomes constant, the total is monotonic. Bisection finds
        // the instant at which it exceeds the capacity.
        let is_over = |at: SimTime| self.memory_used(at) > capacity;
        if is_over(now) {
            return Some(now);
        }
        let mut change_points: Vec<SimTime> = running()
            .map(|container| container.started_at + container.behavior.memory.over)
            .filter(|at| *at > now)
            .collect();
        change_points.sort_unstable();
        let mut from = now;
        for to in change_points {
            if is_over(to) {
                let (mut below, mut above) = (from.0, to.0);
                while above - below > 1 {
                    let middle = below + (above - below) / 2;
                    if is_over(SimTime(middle)) {
                        above = middle;
                    } else {
                        below = middle;
                    }
                }
                return Some(SimTime(above));
            }
            from = to;
        }
        None
    }

    /// If memory has run out, the kernel kills processes until the rest fits.
    pub(super) fn handle_memory_timer(&mut self, ctx: &mut Context<'_>) {
        if self.memory_due.is_none_or(|due| due > ctx.now) {
            return;
        }
        self.memory_due = None;
        let Some(capacity) = self.memory_capacity().filter(|_| self.is_on) else {
            return;
        };
        while self.memory_used(ctx.now) > capacity
            && let Some((uid, id)) = self.oom_victim(capacity, ctx.now)
        {
            let exit = Exit {
                at: ctx.now,
                code: 137,
                reason: "OOMKilled",
            };
            let process = self
                .pod(&uid)
                .and_then(|pod| pod.container(id))
                .map(|container| container.name.clone());
            self.finish_process(&uid, id, exit, ctx);
            self.events.push(MachineEvent::OutOfMemory {
                process: process.unwrap_or_default(),
                pid: FIRST_PID + id.0 % PID_COUNT,
            });
        }
        self.set_memory_timer(ctx);
    }

    /// Returns the process with the highest OOM score; of equal scores, the first in iteration order.
    fn oom_victim(&self, capacity: i64, now: SimTime) -> Option<(Uid, ContainerId)> {
        let mut worst: Option<(i128, &Uid, ContainerId)> = None;
        for (uid, pod) in &self.pods {
            for container in pod.running() {
                let adj = i128::from(container.oom_score_adj) * i128::from(capacity) / 1000;
                let score = i128::from(container.memory(now)) + adj;
                if worst.is_none_or(|(known, _, _)| score > known) {
                    worst = Some((score, uid, container.id));
                }
            }
        }
        worst.map(|(_, uid, id)| (uid.clone(), id))
    }
}
