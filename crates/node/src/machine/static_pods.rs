//! Static pods (LC-213): manifests on a machine's disk. They survive power loss and kubelet crashes.

use std::sync::Arc;

use podscope_api::{Kind, ObjectKey, Pod, Uid};

use super::{Machine, MachineTimer};
use crate::{Context, Timer};
use podscope_sim::subject;

impl Machine {
    /// Returns the static pods of the machine, each with the metadata of its present mirror pod.
    pub fn static_pods(&self) -> &[Arc<Pod>] {
        &self.static_pods
    }

    pub fn static_pod(&self, key: &ObjectKey) -> Option<&Arc<Pod>> {
        self.static_pods.iter().find(|pod| pod.metadata.key() == *key)
    }

    /// Stores the manifest of a static pod, given its mirror pod.
    pub fn set_static_pod(&mut self, mirror: Arc<Pod>) {
        let key = mirror.metadata.key();
        match self.static_pods.iter_mut().find(|pod| pod.metadata.key() == key) {
            Some(known) => *known = mirror,
            None => self.static_pods.push(mirror),
        }
    }

    /// Moves the state of a static pod from the UID of its old mirror pod to that of the new one.
    pub fn change_mirror_uid(&mut self, old: &Uid, mirror: &Pod, ctx: &mut Context<'_>) {
        let Some(mut held) = self.pods.remove(old) else { return };
        let uid = &mirror.metadata.uid;
        held.subject = subject(Kind::Pod, mirror.metadata.key(), uid.clone());
        for container in &held.containers {
            if let Some(plan) = &container.plan {
                let timer = MachineTimer::Process(uid.clone(), container.id);
                ctx.timer(plan.at, Timer::Machine(timer));
            }
            for at in container.hooks.iter().filter_map(|hook| hook.ends_at) {
                ctx.timer(at, Timer::Machine(MachineTimer::Hook(uid.clone(), container.id)));
            }
        }
        self.pods.insert(uid.clone(), held);
    }
}
