//! Faults of a machine.

use std::sync::Arc;

use podscope_api::{Str, Uid};

use super::{Exit, Machine, MachineEvent};
use crate::Context;

/// A fault of a machine. Kubelet crashes, network partitions and deletions of Nodes are not faults of a machine.
#[derive(Debug, Clone, PartialEq)]
pub enum MachineFault {
    /// Power is cut: every process ends at once, without a signal.
    PowerOff,
    /// The operating system shuts down gracefully: it notifies the kubelet and waits for it.
    ShutDown,
    /// Power returns; no container runs. The caller then starts the kubelet.
    Boot,
    /// The container runtime stops answering; processes keep running.
    RuntimeDown,
    /// The container runtime answers again.
    RuntimeUp,
    /// The main process of a container exits.
    ContainerExit { pod: Uid, container: Str, code: i32 },
    /// The sandbox of a pod is lost. If the pod has none, its next sandbox cannot be created.
    SandboxLost(Uid),
    /// The storage servers begin (true) or cease (false) to refuse requests of this machine.
    StorageRefused(bool),
}

impl Machine {
    /// Applies a fault to the machine.
    ///
    /// # Errors
    /// Why the fault is not possible (no such container, machine already off, …).
    pub fn apply_fault(&mut self, fault: &MachineFault, ctx: &mut Context<'_>) -> Result<(), String> {
        let node = self.node.clone();
        match fault {
            MachineFault::PowerOff if !self.is_on => return Err(format!("machine {node} is already off")),
            MachineFault::PowerOff => {
                for (uid, id) in self.running_containers() {
                    self.finish_process(&uid, id, Exit::unknown(ctx.now), ctx);
                }
                for pod in self.pods.values_mut() {
                    pod.mounts.clear();
                    if let Some(sandbox) = &mut pod.sandbox {
                        sandbox.is_ready = false;
                    }
                }
                self.is_on = false;
                self.is_shutting_down = false;
                self.pulls.clear();
                self.conditions = Arc::default();
                self.events.clear();
            }
            MachineFault::Boot if self.is_on => return Err(format!("machine {node} is already on")),
            MachineFault::Boot => {
                self.is_on = true;
                self.is_runtime_up = true;
                self.reboot_count += 1;
            }
            // This fault happens on the storage servers, so it is possible while the machine is off.
            MachineFault::StorageRefused(refused) => self.is_storage_refused = *refused,
            _ if !self.is_on => return Err(format!("machine {node} is off")),
            MachineFault::ShutDown if self.is_shutting_down => {
                return Err(format!("machine {node} is already shutting down"));
            }
            MachineFault::ShutDown => {
                self.is_shutting_down = true;
                self.events.push(MachineEvent::ShuttingDown);
            }
            MachineFault::RuntimeDown if !self.is_runtime_up => {
                return Err(format!("the container runtime of {node} is already down"));
            }
            MachineFault::RuntimeDown => {
                self.is_runtime_up = false;
                self.pulls.clear();
                self.events.push(MachineEvent::Runtime { is_up: false });
            }
            MachineFault::RuntimeUp => {
                // If the runtime is already up, the fault restarts it, so that calls in progress fail.
                if self.is_runtime_up {
                    self.pulls.clear();
                    self.events.push(MachineEvent::Runtime { is_up: false });
                }
                self.is_runtime_up = true;
                self.events.push(MachineEvent::Runtime { is_up: true });
            }
            MachineFault::ContainerExit { pod, container, code } => {
                let running = self.pods.get(pod).and_then(|held| {
                    let latest = held.latest(container)?;
                    latest.is_running().then_some(latest.id)
                });
                let Some(id) = running else {
                    return Err(format!("container {container} does not run on {node}"));
                };
                self.finish_process(pod, id, Exit::with_code(ctx.now, *code), ctx);
            }
            MachineFault::SandboxLost(uid) => {
                if self.pods.get(uid).is_some_and(|pod| pod.has_sandbox()) {
                    self.stop_sandbox(uid);
                    self.events.push(MachineEvent::SandboxLost(uid.clone()));
                } else {
                    self.refused_sandboxes.insert(uid.clone());
                }
            }
        }
        Ok(())
    }

    fn running_containers(&self) -> Vec<(Uid, super::ContainerId)> {
        self.pods
            .iter()
            .flat_map(|(uid, pod)| pod.running().map(move |container| (uid.clone(), container.id)))
            .collect()
    }
}
