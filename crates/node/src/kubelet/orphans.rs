//! Orphans: running containers of pods that have no worker here (LC-061, LC-168). Housekeeping kills them with the
//! minimum grace period, without preStop hooks, without an order, and without a status update.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Pod, Uid};

use super::grace::{MIN_GRACE_SECONDS, RemainingGrace};
use super::host::{Host, next_tick};
use super::kill::{ContainerToKill, Kill};
use super::worker::WorkerStage;
use super::{KubeletManagers, KubeletTimer};
use crate::Timer;
use crate::machine::ContainerId;
use podscope_sim::{SimTime, Span};

/// Kills of orphaned containers.
#[derive(Debug, Clone, Default)]
pub(super) struct OrphanKills {
    kills: ordered::Map<Uid, (Arc<Pod>, Kill)>,
    queued: Option<SimTime>,
}

/// Interval of housekeeping (LC-056).
const HOUSEKEEPING_INTERVAL: Span = Span::seconds(2);

impl OrphanKills {
    /// Handles the exit of a container's process.
    pub(super) fn handle_exit(&mut self, uid: &Uid, container: ContainerId, host: &mut Host<'_, '_>) {
        if let Some((pod, kill)) = self.kills.get_mut(uid) {
            kill.handle_exit(&pod.clone(), container, host);
        }
    }
}

impl super::Kubelet {
    /// Returns whether the pod's containers are being killed as orphans.
    pub fn kills_as_orphan(&self, pod: &Uid) -> bool {
        self.managers.orphans.kills.contains_key(pod)
    }
}

impl KubeletManagers {
    /// Returns whether a pod on the machine has no worker that runs it.
    fn is_orphan(&self, uid: &Uid) -> bool {
        let waits_for_admission = || self.backlog.iter().any(|pod| pod.metadata.uid == *uid);
        let is_refused = |worker: &super::PodWorker| worker.stage == WorkerStage::Rejected;
        self.pods.get(uid).map_or_else(|| !waits_for_admission(), is_refused)
    }

    /// Schedules housekeeping if a pod on the machine is an orphan or a kill has a deadline.
    pub(super) fn schedule_housekeeping(&mut self, host: &mut Host<'_, '_>) {
        let found = host.machine.pods().any(|(uid, _)| self.is_orphan(uid));
        let next = next_tick(host.ctx.now, HOUSEKEEPING_INTERVAL, host.shared.relist_phase);
        let due = self
            .orphans
            .kills
            .values()
            .filter_map(|(_, kill)| kill.next_deadline())
            .chain(found.then_some(next))
            .min();
        if let Some(at) = due
            && self
                .orphans
                .queued
                .is_none_or(|queued| queued > at || queued <= host.ctx.now)
        {
            self.orphans.queued = Some(at);
            host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Housekeeping));
        }
    }

    /// Housekeeping: begins to kill new orphans, and removes dead ones.
    pub(super) fn run_housekeeping(&mut self, host: &mut Host<'_, '_>) {
        if !host.machine.is_runtime_up() || !self.has_listed {
            return;
        }
        for (pod, kill) in self.orphans.kills.values_mut() {
            kill.advance_due_calls(pod, host);
        }
        self.orphans.kills.retain(|_, (_, kill)| !kill.is_done());
        if host.shared.is_sync_loop_blocked {
            return self.schedule_housekeeping(host);
        }
        let held: Vec<Uid> = host.machine.pods().map(|(uid, _)| uid.clone()).collect();
        for uid in held {
            if !self.is_orphan(&uid) || self.orphans.kills.contains_key(&uid) {
                continue;
            }
            let Some(pod) = host.machine.pod(&uid) else { continue };
            let mut known = Pod::default();
            known.metadata.uid = uid.clone();
            known.metadata.name = pod.subject.key.name.clone();
            known.metadata.namespace = pod.subject.key.namespace.clone();
            let victims: Vec<ContainerToKill> = pod
                .running()
                .map(|process| ContainerToKill {
                    container: process.id,
                    name: process.name.clone(),
                    role: process.role,
                    init_idx: 0,
                    left: RemainingGrace::new(Some(MIN_GRACE_SECONDS), MIN_GRACE_SECONDS, host.ctx.switches),
                    message: None,
                    hook: None,
                })
                .collect();
            if victims.is_empty() {
                host.machine.remove_pod(&uid, host.ctx);
                host.request_node_status();
                continue;
            }
            let kill = Kill::begin(&known, victims, false, host);
            self.orphans.kills.insert(uid, (Arc::new(known), kill));
        }
        self.schedule_housekeeping(host);
    }
}
