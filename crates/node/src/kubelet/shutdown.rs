//! Graceful node shutdown (LC-212): when the machine's operating system goes
//! down in order, the kubelet ends the pods first, group by group.
//!
//! ```text
//! (asked to go down) ─▶ NotReady, nothing new admitted ─▶ least priority ──all ended / its time is over──▶ next group … ─▶ power off
//! ```

use std::collections::VecDeque;

use podscope_api::{EventType, Uid};

use super::conditions::EndReason;
use super::host::Host;
use super::settings::ShutdownGroup;
use super::worker::Stage;
use super::{KubeletTimer, Managers, events};
use crate::{Act, Timer};
use podscope_sim::{SimTime, Span};

/// `~` From the kubelet's consent to the end of power: what the operating system itself needs.
const SYSTEM: Span = Span::seconds(1);

/// A shutdown under way.
#[derive(Debug, Clone)]
pub(super) struct Shutdown {
    /// Groups that have not begun to end, with their pods.
    left: VecDeque<(ShutdownGroup, Vec<Uid>)>,
    /// The pods being ended, and until when they are waited for.
    current: Option<(Vec<Uid>, SimTime)>,
    /// When the power goes, once every group is over.
    ends_at: Option<SimTime>,
}

/// The group of a pod: the last that its priority reaches, else the first.
fn group_of(groups: &[ShutdownGroup], priority: i32) -> usize {
    groups.iter().rposition(|group| group.priority <= priority).unwrap_or(0)
}

impl Managers {
    /// The machine is going down.
    pub(super) fn begin_shutdown(&mut self, host: &mut Host<'_, '_>) {
        if self.shutdown.is_some() {
            return;
        }
        let node = host.shared.node.clone();
        let message = "Shutdown manager detected shutdown event";
        events::of_node(&node, EventType::Normal, "NodeShutdown", message, host);
        host.shared.node_state.is_shutting_down = true;
        host.node_pass_at(host.ctx.now);
        let groups = host.shared.settings.shutdown.clone();
        let mut left: VecDeque<(ShutdownGroup, Vec<Uid>)> = groups.iter().map(|group| (*group, Vec::new())).collect();
        for (uid, worker) in self.pods.iter().filter(|(_, worker)| worker.may_run()) {
            if let Some((_, pods)) = left.get_mut(group_of(&groups, worker.pod.priority())) {
                pods.push(uid.clone());
            }
        }
        // A group without pods is not waited for.
        left.retain(|(_, pods)| !pods.is_empty());
        self.shutdown = Some(Shutdown {
            left,
            current: None,
            ends_at: None,
        });
        self.shutdown_pass(host);
    }

    /// Goes on where a group is over.
    pub(super) fn shutdown_pass(&mut self, host: &mut Host<'_, '_>) {
        let now = host.ctx.now;
        let Some(shutdown) = &mut self.shutdown else { return };
        if let Some(ends_at) = shutdown.ends_at {
            if ends_at <= now {
                host.ctx.act(Act::PowerOff);
            }
            return;
        }
        if let Some((pods, until)) = &shutdown.current {
            let is_over = |uid: &Uid| self.pods.get(uid).is_none_or(|worker| worker.stage == Stage::Finished);
            if now < *until && !pods.iter().all(is_over) {
                return;
            }
            shutdown.current = None;
        }
        let Some((group, pods)) = shutdown.left.pop_front() else {
            shutdown.ends_at = Some(now + SYSTEM);
            host.ctx.timer(now + SYSTEM, Timer::Kubelet(KubeletTimer::Shutdown));
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
                let ended_for = EndReason {
                    reason: "Terminated".into(),
                    message: message.into(),
                    disruption: Some(message.into()),
                };
                worker.kill_pod_now(ended_for, Some(grace), host);
            }
            self.advance(uid, host);
        }
        // A group of pods that are all over by now.
        self.shutdown_pass(host);
    }
}
