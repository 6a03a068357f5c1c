//! Graceful node shutdown (LC-212): when the operating system of the machine shuts down normally, the kubelet kills the
//! pods first, group by group.
//!
//! ```text
//! (shutdown begins) ─▶ NotReady, no pods admitted ─▶ lowest priority ──ended / deadline──▶ next group … ─▶ power off
//! ```

use std::collections::VecDeque;

use podscope_api::{EventType, Uid};

use super::conditions::PodEndReason;
use super::host::Host;
use super::settings::ShutdownGroup;
use super::worker::WorkerStage;
use super::{KubeletManagers, KubeletTimer, events};
use crate::{NodeAct, Timer};
use podscope_sim::{SimTime, Span};

/// Assumption: time that the operating system needs from the kubelet's consent until the power is off.
const POWER_OFF_DELAY: Span = Span::seconds(1);

/// A shutdown in progress.
#[derive(Debug, Clone)]
pub(super) struct Shutdown {
    /// Groups whose pods are not being killed yet, each with its pods.
    left: VecDeque<(ShutdownGroup, Vec<Uid>)>,
    /// The pods being killed, and the deadline of their group.
    current: Option<(Vec<Uid>, SimTime)>,
    /// When the power goes off, once all groups are done.
    ends_at: Option<SimTime>,
}

/// Returns the index of the group of a pod: the last one whose priority the pod reaches, or else the first.
fn shutdown_group_index(groups: &[ShutdownGroup], priority: i32) -> usize {
    groups.iter().rposition(|group| group.priority <= priority).unwrap_or(0)
}

impl KubeletManagers {
    /// Starts the shutdown: sets the node NotReady and begins with the first group.
    pub(super) fn begin_shutdown(&mut self, host: &mut Host<'_, '_>) {
        if self.shutdown.is_some() {
            return;
        }
        let node = host.shared.node.clone();
        let message = "Shutdown manager detected shutdown event";
        events::emit_for_node(&node, EventType::Normal, "NodeShutdown", message, host);
        host.shared.node_state.is_shutting_down = true;
        host.schedule_node_status_pass(host.ctx.now);
        let groups = host.shared.settings.shutdown.clone();
        let mut left: VecDeque<(ShutdownGroup, Vec<Uid>)> = groups.iter().map(|group| (*group, Vec::new())).collect();
        for (uid, worker) in self
            .pods
            .iter()
            .filter(|(_, worker)| worker.can_have_running_containers())
        {
            if let Some((_, pods)) = left.get_mut(shutdown_group_index(&groups, worker.pod.priority())) {
                pods.push(uid.clone());
            }
        }
        // Groups without pods are skipped.
        left.retain(|(_, pods)| !pods.is_empty());
        self.shutdown = Some(Shutdown {
            left,
            current: None,
            ends_at: None,
        });
        self.continue_shutdown(host);
    }

    /// Continues the shutdown with the next group when all pods of the current group have ended, or its deadline is
    /// reached.
    pub(super) fn continue_shutdown(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        let Some(shutdown) = &mut self.shutdown else { return };
        if let Some(ends_at) = shutdown.ends_at {
            if ends_at <= now {
                host.ctx.act(NodeAct::PowerOff);
            }
            return;
        }
        if let Some((pods, until)) = &shutdown.current {
            let is_finished = |uid: &Uid| {
                self.pods
                    .get(uid)
                    .is_none_or(|worker| worker.stage == WorkerStage::Finished)
            };
            if now < *until && !pods.iter().all(is_finished) {
                return;
            }
            shutdown.current = None;
        }
        let Some((group, pods)) = shutdown.left.pop_front() else {
            shutdown.ends_at = Some(now + POWER_OFF_DELAY);
            host.ctx
                .timer(now + POWER_OFF_DELAY, Timer::Kubelet(KubeletTimer::Shutdown));
            return;
        };
        let until = now + Span::seconds(group.grace_seconds);
        shutdown.current = Some((pods.clone(), until));
        host.ctx.timer(until, Timer::Kubelet(KubeletTimer::Shutdown));
        for uid in &pods {
            if let Some(worker) = self.pods.get_mut(uid) {
                let own = worker.pod.spec.termination_grace_period_seconds;
                let grace = own.map_or(group.grace_seconds, |own| own.min(group.grace_seconds));
                let message = "Pod was terminated in response to imminent node shutdown.";
                let end_reason = PodEndReason {
                    reason: "Terminated".into(),
                    message: message.into(),
                    disruption: Some(message.into()),
                };
                worker.kill_pod_now(end_reason, Some(grace), host);
            }
            self.advance_worker(uid, host);
        }
        // All pods of this group may already have ended.
        self.continue_shutdown(host);
    }
}
