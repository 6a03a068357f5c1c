//! Computes what a sync of a pod must do, from the running containers and the spec (LC-071 to LC-080, LC-125). This
//! module only reads state; `sync.rs` acts.

use podscope_api::Container;
use podscope_api::ordered::StableSort as _;

use super::grace::KillReason;
use super::host::Host;
use super::probes::ProbeKind;
use super::restart;
use super::status::{has_created_app_container, should_start};
use super::worker::PodWorker;
use crate::machine::{self, ContainerId, Role, containers_of};

/// The actions of one sync. The index of a container is its position in [`containers_of`].
#[derive(Debug, Default)]
pub(super) struct PodActions {
    /// Whether to kill all containers and the sandbox.
    pub(super) kill_pod: bool,
    pub(super) new_sandbox: bool,
    /// Whether all containers are removed after their exit, so that they start again (RestartAllContainers).
    pub(super) restart_all: bool,
    pub(super) kill: Vec<(ContainerId, usize, String, KillReason)>,
    pub(super) start: Vec<usize>,
    /// Running containers whose resources change in place, each with its index.
    pub(super) resize: Vec<(ContainerId, usize)>,
}

impl PodWorker {
    /// Computes the actions (LC-071 to LC-080, LC-125).
    pub(super) fn compute_pod_actions(&self, host: &Host<'_, '_>) -> PodActions {
        let pod = &*self.pod;
        let held = host.machine.pod(&pod.metadata.uid);
        let latest = |name: &str| held.and_then(|held| held.latest(name));
        let n_init = pod.spec.init_containers.len();
        let mut actions = PodActions::default();
        if !held.is_some_and(|held| held.has_sandbox()) {
            self.set_sandbox_actions(&mut actions, held);
            return actions;
        }
        if self.is_restarting_all {
            actions.restart_all = true;
            return actions;
        }
        if !self.add_init_container_actions(&mut actions, host) {
            return actions;
        }
        let mut n_kept = 0;
        let mut app_starts = Vec::new();
        for (idx, container) in pod
            .spec
            .containers
            .iter()
            .enumerate()
            .map(|(idx, container)| (n_init + idx, container))
        {
            let Some(process) = latest(&container.name).filter(|process| process.is_running()) else {
                if should_start(pod, Role::App, container, latest(&container.name)) {
                    app_starts.push(idx);
                }
                continue;
            };
            let is_changed = process.image != container.image;
            let (text, reason) = if is_changed {
                (
                    format!("Container {} definition changed", container.name),
                    KillReason::Other,
                )
            } else if let Some((what, reason)) = self.failed_probe_name_and_reason(idx, process.id) {
                (format!("Container {} failed {what} probe", container.name), reason)
            } else if self.must_restart_to_resize(idx, container, process, &mut actions) {
                let text = format!("Container {} resize requires restart", container.name);
                actions.kill.push((process.id, idx, text, KillReason::Other));
                app_starts.push(idx);
                continue;
            } else {
                n_kept += 1;
                continue;
            };
            let restarts = is_changed || restart::restarts_after_failed_probe(pod, container);
            let message = if restarts {
                format!("{text}, will be restarted")
            } else {
                text
            };
            actions.kill.push((process.id, idx, message, reason));
            if restarts {
                app_starts.push(idx);
            }
        }
        if n_kept == 0 && app_starts.is_empty() {
            // Sidecars alone do not keep a pod running (LC-078).
            actions.kill_pod = true;
            actions.start.clear();
        }
        actions.start.extend(app_starts);
        for (idx, (role, container)) in containers_of(pod).enumerate() {
            if role == Role::Ephemeral && latest(&container.name).is_none() && !actions.kill_pod {
                actions.start.push(idx);
            }
        }
        actions
    }

    /// Determines the actions for a pod without a sandbox: create one, unless no container would start in it (LC-071).
    fn set_sandbox_actions(&self, actions: &mut PodActions, held: Option<&machine::MachinePod>) {
        let pod = &*self.pod;
        let n_init = pod.spec.init_containers.len();
        actions.kill_pod = true;
        let ran_before = held.is_some_and(|held| held.sandbox.is_some() && !held.containers.is_empty());
        if restart::never_restarts(pod) && ran_before {
            return;
        }
        let has_succeeded = |container: &Container| {
            let exit = held
                .and_then(|held| held.latest(&container.name))
                .and_then(|one| one.exit.as_ref());
            exit.is_some_and(|exit| exit.code == 0)
        };
        let apps: Vec<usize> = (0..pod.spec.containers.len())
            .filter(|idx| {
                let container = &pod.spec.containers[*idx];
                !has_succeeded(container) || restart::restarts_after_exit(pod, Role::App, container, 0)
            })
            .map(|idx| n_init + idx)
            .collect();
        let inits_done = pod.spec.init_containers.last().is_none_or(has_succeeded);
        if apps.is_empty() && inits_done {
            return;
        }
        actions.new_sandbox = true;
        actions.start = if n_init > 0 { vec![0] } else { apps };
    }

    /// Returns whether the container must be restarted to get its granted resources. If it can be resized in place,
    /// adds that to `actions` (`computePodResizeAction`).
    fn must_restart_to_resize(
        &self,
        idx: usize,
        container: &Container,
        process: &machine::Container,
        actions: &mut PodActions,
    ) -> bool {
        if process.resources == container.resources {
            return false;
        }
        let (before, after) = (&process.resources, &container.resources);
        let is_changed = |name: &str| {
            before.requests.get(name) != after.requests.get(name) || before.limits.get(name) != after.limits.get(name)
        };
        let restarts = container
            .resize_policy
            .iter()
            .any(|policy| &*policy.restart_policy == "RestartContainer" && is_changed(&policy.resource_name));
        if !restarts {
            actions.resize.push((process.id, idx));
        }
        restarts
    }

    /// Adds the actions for init containers and sidecars, examined from the last to the first (LC-072 to LC-079).
    /// Returns whether app containers may start.
    fn add_init_container_actions(&self, actions: &mut PodActions, host: &Host<'_, '_>) -> bool {
        let pod = &*self.pod;
        let inits = &pod.spec.init_containers;
        let held = host.machine.pod(&pod.metadata.uid);
        let latest = |name: &str| held.and_then(|held| held.latest(name));
        let mut is_initialized = inits.is_empty() || has_created_app_container(pod, held);
        // Whether a later init container has already started, which proves that this one completed before.
        let mut was_reached = is_initialized;
        let mut starts = Vec::new();
        for (idx, container) in inits.iter().enumerate().rev() {
            let is_sidecar = container.is_sidecar();
            let Some(process) = latest(&container.name) else {
                if was_reached && is_sidecar {
                    starts.push(idx);
                }
                continue;
            };
            if was_reached && !is_sidecar {
                continue;
            }
            match (&process.exit, is_sidecar) {
                (None, false) => {
                    // A plain init container is never restarted for a resize.
                    self.must_restart_to_resize(idx, container, process, actions);
                }
                (None, true) => {
                    let failed_probe = self.failed_probe_name_and_reason(idx, process.id);
                    let has_started = self.probe_result(idx, ProbeKind::Startup, Some(process.id)) != Some(false);
                    if let Some((what, reason)) = failed_probe {
                        actions.kill.push((
                            process.id,
                            idx,
                            format!("Init container {} failed {what} probe", container.name),
                            reason,
                        ));
                        starts.push(idx);
                    } else if self.must_restart_to_resize(idx, container, process, actions) {
                        let text = format!("Container {} resize requires restart", container.name);
                        actions.kill.push((process.id, idx, text, KillReason::Other));
                        starts.push(idx);
                    }
                    if has_started && !was_reached {
                        if idx + 1 < inits.len() {
                            starts.push(idx + 1);
                        } else {
                            is_initialized = true;
                        }
                    }
                }
                (Some(_), true) => starts.push(idx),
                (Some(exit), false) if exit.code != 0 => {
                    if !restart::restarts_after_exit(pod, Role::Init, container, exit.code) {
                        actions.kill_pod = true;
                        return false;
                    }
                    starts.push(idx);
                }
                (Some(_), false) if idx + 1 < inits.len() => starts.push(idx + 1),
                (Some(_), false) => is_initialized = true,
            }
            was_reached = true;
        }
        if !was_reached {
            starts.push(0);
        }
        starts.stable_sort();
        starts.dedup();
        actions.start = starts;
        is_initialized
    }
}
