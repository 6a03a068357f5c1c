//! Static pods (LC-213): manifests on a machine's disk, which outlive power cuts and kubelets.

use std::sync::Arc;

use podscope_api::{Kind, ObjectKey, Pod, Uid};

use super::{Machine, MachineTimer};
use crate::{Context, Timer};
use podscope_sim::subject;

impl Machine {
    /// Its static pods, each as its present mirror is called.
    pub fn static_pods(&self) -> &[Arc<Pod>] {
        &self.static_pods
    }

    /// The static pod of that name.
    pub fn static_pod(&self, key: &ObjectKey) -> Option<&Arc<Pod>> {
        self.static_pods.iter().find(|pod| pod.metadata.key() == *key)
    }

    /// The machine has the manifest of a pod, whose mirror this is.
    pub fn keep_static(&mut self, mirror: Arc<Pod>) {
        let key = mirror.metadata.key();
        match self.static_pods.iter_mut().find(|pod| pod.metadata.key() == key) {
            Some(known) => *known = mirror,
            None => self.static_pods.push(mirror),
        }
    }

    /// What it holds of a static pod goes by another mirror's UID from now on.
    pub fn rename(&mut self, old: &Uid, mirror: &Pod, ctx: &mut Context<'_>) {
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
