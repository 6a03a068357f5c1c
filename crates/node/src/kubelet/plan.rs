//! What a sync of a pod has to do, from what runs and what should (LC-071 to
//! LC-080, LC-125). Reads only; `sync.rs` does it.

use podscope_api::Container;
use podscope_api::ordered::StableSort as _;

use super::grace::KillReason;
use super::host::Host;
use super::probes::ProbeKind;
use super::restart;
use super::status::should_start;
use super::worker::PodWorker;
use crate::machine::{ContainerId, Role, containers_of};

/// What a sync has to do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Kill everything and the sandbox.
    pub(super) kill_pod: bool,
    pub(super) new_sandbox: bool,
    /// Whether all containers are removed once they have ended, to begin anew.
    pub(super) restart_all: bool,
    pub(super) kill: Vec<(ContainerId, usize, String, KillReason)>,
    pub(super) start: Vec<usize>,
}

impl PodWorker {
    /// What has to be done (LC-071 to LC-080, LC-125).
    pub(super) fn plan(&self, host: &Host<'_, '_>) -> Plan {
        let pod = &*self.pod;
        let held = host.machine.pod(&pod.metadata.uid);
        let latest = |name: &str| held.and_then(|held| held.latest(name));
        let never = restart::is_never(pod);
        let n_init = pod.spec.init_containers.len();
        let mut plan = Plan::default();
        if !held.is_some_and(|held| held.has_sandbox()) {
            plan.kill_pod = true;
            let ran_before = held.is_some_and(|held| held.sandbox.is_some() && !held.containers.is_empty());
            if never && ran_before {
                return plan;
            }
            let has_succeeded = |container: &Container| {
                let exit = latest(&container.name).and_then(|one| one.exit.as_ref());
                exit.is_some_and(|exit| exit.code == 0)
            };
            let apps: Vec<usize> = (0..pod.spec.containers.len())
                .filter(|idx| {
                    let container = &pod.spec.containers[*idx];
                    !has_succeeded(container) || restart::after_exit(pod, Role::App, container, 0)
                })
                .map(|idx| n_init + idx)
                .collect();
            let inits_done = pod.spec.init_containers.last().is_none_or(has_succeeded);
            if apps.is_empty() && inits_done {
                return plan;
            }
            plan.new_sandbox = true;
            plan.start = if n_init > 0 { vec![0] } else { apps };
            return plan;
        }
        if self.is_restarting_all {
            plan.restart_all = true;
            return plan;
        }
        if !self.plan_init(&mut plan, host) {
            return plan;
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
            } else if let Some((what, reason)) = self.condemned(idx, process.id) {
                (format!("Container {} failed {what} probe", container.name), reason)
            } else {
                n_kept += 1;
                continue;
            };
            let restarts = is_changed || restart::after_probe(pod, container);
            let message = if restarts {
                format!("{text}, will be restarted")
            } else {
                text
            };
            plan.kill.push((process.id, idx, message, reason));
            if restarts {
                app_starts.push(idx);
            }
        }
        if n_kept == 0 && app_starts.is_empty() {
            // LC-078: sidecars do not keep a pod alive.
            plan.kill_pod = true;
            plan.start.clear();
        }
        plan.start.extend(app_starts);
        for (idx, (role, container)) in containers_of(pod).enumerate() {
            if role == Role::Ephemeral && latest(&container.name).is_none() && !plan.kill_pod {
                plan.start.push(idx);
            }
        }
        plan
    }
    /// Init containers and sidecars (LC-072 to LC-079), looked at from the last to the first; true if app containers may be looked at.
    fn plan_init(&self, plan: &mut Plan, host: &Host<'_, '_>) -> bool {
        let pod = &*self.pod;
        let inits = &pod.spec.init_containers;
        let held = host.machine.pod(&pod.metadata.uid);
        let latest = |name: &str| held.and_then(|held| held.latest(name));
        let app_runs = |container: &Container| latest(&container.name).is_some_and(|process| process.is_running());
        let mut is_initialized = inits.is_empty() || pod.spec.containers.iter().any(app_runs);
        // Whether a later init container has been reached, so that this one was initialized before.
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
                (None, false) => {}
                (None, true) => {
                    let condemned = self.condemned(idx, process.id);
                    let has_started = self.probe_result(idx, ProbeKind::Startup, Some(process.id)) != Some(false);
                    if let Some((what, reason)) = condemned {
                        plan.kill.push((
                            process.id,
                            idx,
                            format!("Init container {} failed {what} probe", container.name),
                            reason,
                        ));
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
                    if !restart::after_exit(pod, Role::Init, container, exit.code) {
                        plan.kill_pod = true;
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
        plan.start = starts;
        is_initialized
    }
}
