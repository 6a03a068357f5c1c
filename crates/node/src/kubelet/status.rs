//! Computes the status of a pod from the kubelet's state: container states, phase, conditions (LC-092 to LC-113). This
//! module only reads state; `status_manager.rs` writes the status.

use std::sync::Arc;

use podscope_api::{
    Container, ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting, ContainerStatus,
    IpAddress, Pod, PodPhase, PodStatus, ResourceList, ResourceRequirements, Str, VolumeMount, VolumeMountStatus,
    shared,
};

use super::conditions::{self, ConditionInputs};
use super::host::Host;
use super::probes::ProbeKind;
use super::restart;
use super::worker::PodWorker;
use crate::Context;
use crate::machine::{self, MachinePod, Role, containers_of, hex_digest};
use podscope_sim::SimTime;

/// Reason in the state of a container that the runtime does not know (LC-096, LC-174).
pub(super) const REASON_STATUS_UNKNOWN: &str = "ContainerStatusUnknown";

/// Message about a container that was removed from the machine by RestartAllContainers (LC-228).
pub(super) const RESTART_ALL_MESSAGE: &str = "The container is removed because RestartAllContainers in place";

/// Message about an init container that completed and is no longer on the machine (LC-079, LC-096).
const LOST_INIT_CONTAINER_MESSAGE: &str = "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally";

/// Returns whether a container should be started if it does not run (LC-082).
pub(super) fn should_start(pod: &Pod, role: Role, container: &Container, latest: Option<&machine::Container>) -> bool {
    if pod.metadata.is_terminating() {
        return false;
    }
    let Some(latest) = latest else { return true };
    let Some(exit) = &latest.exit else { return false };
    restart::restarts_after_exit(pod, role, container, exit.code)
}

/// Computes the present status. `is_final`: the worker will not start containers any more (LC-102).
pub(super) fn generate_status(worker: &PodWorker, host: &Host<'_, '_>, is_final: bool) -> PodStatus {
    let pod = &*worker.pod;
    let old = worker.status();
    let held = host.machine.pod(&pod.metadata.uid);
    let mut status = PodStatus {
        observed_generation: pod.metadata.generation,
        qos_class: pod.status.qos_class.clone(),
        nominated_node_name: pod.status.nominated_node_name.clone(),
        resize: pod.status.resize.clone(),
        start_time: old.start_time.or(Some(host.ctx.wall())),
        pod_ip: old.pod_ip.clone(),
        pod_ips: old.pod_ips.clone(),
        host_ip: old.host_ip.clone(),
        host_ips: old.host_ips.clone(),
        ..PodStatus::default()
    };
    if let Some(ip) = host_ip(host) {
        status.host_ips = vec![IpAddress { ip: ip.clone() }];
        status.host_ip = ip;
    }
    if let Some(sandbox) = held
        .and_then(|held| held.sandbox.as_ref())
        .filter(|sandbox| sandbox.is_ready)
    {
        status.pod_ips = vec![IpAddress { ip: sandbox.ip.clone() }];
        status.pod_ip = sandbox.ip.clone();
    }
    (status.allocated_resources, status.resources) = allocated_and_applied_resources(worker, held);
    set_container_statuses(&mut status, worker, host);
    let mut computed = if worker.is_restarting_all {
        PodPhase::Running
    } else {
        compute_phase(pod, &status, has_created_app_container(pod, held), is_final)
    };
    let is_terminal = |phase: &PodPhase| matches!(phase, PodPhase::Failed | PodPhase::Succeeded);
    // A terminal phase never changes, whoever wrote it (LC-103).
    let kept = [&old.phase, &pod.status.phase]
        .into_iter()
        .flatten()
        .find(|phase| is_terminal(phase));
    if let Some(kept) = kept {
        computed = kept.clone();
    }
    if old.phase.as_ref() == Some(&computed) {
        status.reason = if old.reason.is_empty() {
            pod.status.reason.clone()
        } else {
            old.reason.clone()
        };
        status.message = if old.message.is_empty() {
            pod.status.message.clone()
        } else {
            old.message.clone()
        };
    }
    if let Some(end_reason) = &worker.end_reason
        && old.phase.as_ref().is_none_or(|phase| !is_terminal(phase))
    {
        computed = PodPhase::Failed;
        status.reason = end_reason.reason.clone();
        status.message = end_reason.message.clone();
    }
    status.phase = Some(computed);
    conditions::set_all_conditions(&mut status, old, pod, ConditionInputs::of(worker, host), host.ctx);
    status
}

/// Sets the status of each container.
fn set_container_statuses(status: &mut PodStatus, worker: &PodWorker, host: &Host<'_, '_>) {
    let (pod, old) = (&*worker.pod, worker.status());
    let held = host.machine.pod(&pod.metadata.uid);
    // Container statuses are large and every pod has some, so no more memory is reserved than they need.
    let (inits, containers) = (&pod.spec.init_containers, &pod.spec.containers);
    status.init_container_statuses.reserve_exact(inits.len());
    status.container_statuses.reserve_exact(containers.len());
    for (idx, (role, container)) in containers_of(pod).enumerate() {
        let of_role = |status: &PodStatus| match role {
            Role::Init | Role::Sidecar => status.init_container_statuses.clone(),
            Role::App => status.container_statuses.clone(),
            Role::Ephemeral => status.ephemeral_container_statuses.clone(),
        };
        let before = of_role(old).into_iter().find(|status| status.name == container.name);
        let mut one = container_status(worker, idx, role, container, before, held, host.ctx);
        if role == Role::App {
            one.allocated_resources_status = super::claims::health_of_devices(pod, container, host);
        }
        match role {
            Role::Init | Role::Sidecar => status.init_container_statuses.push(one),
            Role::App => status.container_statuses.push(one),
            Role::Ephemeral => status.ephemeral_container_statuses.push(one),
        }
    }
}

/// Returns the requests allocated to the whole pod, and the resources that are applied to its running containers.
fn allocated_and_applied_resources(
    worker: &PodWorker,
    held: Option<&MachinePod>,
) -> (ResourceList, Option<Arc<ResourceRequirements>>) {
    let pod = &worker.pod;
    let pod_resources = |pod: &Pod| {
        let of_all = Arc::new(ResourceRequirements {
            requests: pod.spec.total_requests(),
            limits: pod.spec.total_limits(),
            ..ResourceRequirements::default()
        });
        let before = worker.status().resources.as_ref();
        before.filter(|before| **before == of_all).cloned().unwrap_or(of_all)
    };
    let granted = pod_resources(pod);
    let actual = match worker.resize.as_ref().zip(held) {
        None => granted.clone(),
        Some((_, held)) => {
            let mut actual = Pod::clone(pod);
            let spec = &mut actual.spec;
            for containers in [&mut spec.containers, &mut spec.init_containers] {
                for container in Arc::make_mut(containers) {
                    if let Some(running) = held.latest(&container.name).filter(|one| one.is_running()) {
                        container.resources.clone_from(&running.resources);
                    }
                }
            }
            pod_resources(&actual)
        }
    };
    (granted.requests.clone(), Some(actual))
}

fn host_ip(host: &Host<'_, '_>) -> Option<Str> {
    let node = host.shared.node_object.as_ref()?;
    let internal = node
        .status
        .addresses
        .iter()
        .find(|address| &*address.kind == "InternalIP")?;
    Some(internal.address.clone())
}

fn container_status(
    worker: &PodWorker,
    idx: usize,
    role: Role,
    container: &Container,
    old: Option<ContainerStatus>,
    held: Option<&MachinePod>,
    ctx: &Context<'_>,
) -> ContainerStatus {
    let pod = &*worker.pod;
    let latest = held.and_then(|held| held.latest(&container.name));
    let known = old.clone();
    let default_reason = if pod.spec.init_containers.is_empty() {
        "ContainerCreating"
    } else {
        "PodInitializing"
    };
    let mut status = match latest {
        Some(latest) => {
            let mut status = ContainerStatus {
                name: container.name.clone(),
                state: container_state(latest, pod, ctx),
                restart_count: latest.attempt,
                image: latest.source.name(),
                image_id: latest.source.digest(),
                container_id: container_id(pod, latest),
                // Allocated resources are the granted ones in the worker's pod; `resources` are those applied to the
                // container.
                allocated_resources: container.resources.requests.clone(),
                resources: Some(latest.resources.clone()),
                ..ContainerStatus::default()
            };
            if let Some(previous) = held.and_then(|held| held.previous(&container.name)) {
                status.last_state = container_state(previous, pod, ctx);
            } else if let Some(old) = &old
                && old.restart_count == latest.attempt
            {
                status.last_state = old.last_state.clone();
            }
            status
        }
        None => status_without_runtime(role, container, old, default_reason, worker),
    };
    status.volume_mounts = container.volume_mounts.iter().map(mount_status).collect();
    status.mounts_token_volume = role != Role::Ephemeral && pod.spec.mounts_token_implicitly(container);
    // Fields that the simulation does not produce (an imported container ID, imported resources) keep their API values.
    if let Some(before) = known.filter(|known| is_same_instance(known, &status)) {
        status.container_id = before.container_id;
        status.image_id = before.image_id;
        status.image = before.image;
        if !worker.has_resized {
            status.resources = before.resources;
            status.allocated_resources = before.allocated_resources;
        }
    }
    // A container that should run but could not be started is waiting, with the reason (LC-094).
    let is_done_init =
        role == Role::Init && latest.is_some_and(|latest| latest.exit.as_ref().is_some_and(|exit| exit.code == 0));
    if !is_done_init
        && should_start(pod, role, container, latest)
        && let Some(waiting) = worker.waiting_state(idx)
    {
        if status.state.terminated.is_some() {
            status.last_state = std::mem::take(&mut status.state);
        }
        status.state = ContainerState {
            waiting: Some(waiting.clone()),
            ..ContainerState::default()
        };
    }
    let is_running = status.state.running.is_some();
    let id = latest.map(|latest| latest.id);
    let startup = worker.probe_result(idx, ProbeKind::Startup, id);
    let started = is_running && startup != Some(false);
    status.started = Some(started);
    status.ready = match role {
        Role::Init => status
            .state
            .terminated
            .as_ref()
            .is_some_and(|terminated| terminated.exit_code == 0),
        Role::Ephemeral => false,
        _ => started && worker.probe_result(idx, ProbeKind::Readiness, id) != Some(false),
    };
    status
}

/// Returns the status of a volume mount. A read-only mount is not recursively read-only.
fn mount_status(mount: &VolumeMount) -> VolumeMountStatus {
    let is_read_only = mount.read_only == Some(true);
    VolumeMountStatus {
        name: mount.name.clone(),
        mount_path: mount.mount_path.clone(),
        read_only: is_read_only.then_some(true),
        recursive_read_only: is_read_only.then(|| "Disabled".into()),
    }
}

/// Returns whether a status from the API describes the running instance in `status`.
fn is_same_instance(known: &ContainerStatus, status: &ContainerStatus) -> bool {
    let start = |status: &ContainerStatus| {
        let running = status.state.running.as_ref()?;
        running.started_at.map(|at| at.seconds())
    };
    start(status).is_some()
        && start(known) == start(status)
        && known.restart_count == status.restart_count
        && !known.container_id.is_empty()
}

/// Returns the status of a container that the runtime does not know (LC-092, LC-096).
fn status_without_runtime(
    role: Role,
    container: &Container,
    old: Option<ContainerStatus>,
    default_reason: &str,
    worker: &PodWorker,
) -> ContainerStatus {
    let pod = &*worker.pod;
    let mut status = ContainerStatus {
        name: container.name.clone(),
        image: container.image.clone(),
        state: ContainerState {
            waiting: Some(ContainerStateWaiting {
                reason: shared(default_reason),
                message: Str::default(),
            }),
            ..ContainerState::default()
        },
        ..ContainerStatus::default()
    };
    let Some(old) = old else { return status };
    if old.state.terminated.is_some() {
        return old;
    }
    // A container removed by RestartAllContainers is not lost; it waits for its next start (LC-228).
    let last = old.last_state.terminated.as_ref();
    let is_restarting_all =
        old.state.waiting.is_some() && last.is_some_and(|last| &*last.reason == podscope_api::RESTARTING_ALL);
    if role == Role::Init && !is_restarting_all && conditions::is_initialized(worker.status()) {
        status.restart_count = old.restart_count;
        status.state = ContainerState {
            terminated: Some(ContainerStateTerminated {
                reason: "Completed".into(),
                message: LOST_INIT_CONTAINER_MESSAGE.into(),
                ..ContainerStateTerminated::default()
            }),
            ..ContainerState::default()
        };
        return status;
    }
    status.restart_count = old.restart_count;
    status.last_state = old.last_state.clone();
    if old.state.running.is_some() && status.last_state.terminated.is_none() {
        status.last_state.terminated = Some(ContainerStateTerminated {
            exit_code: 137,
            reason: REASON_STATUS_UNKNOWN.into(),
            message: "The container could not be located when the pod was deleted.  The container used to be Running"
                .into(),
            ..ContainerStateTerminated::default()
        });
        if !pod.metadata.is_terminating() {
            status.restart_count += 1;
        }
    }
    status
}

/// Sets the status of a container that was removed from the machine by RestartAllContainers. The times of its last
/// instance are unknown (LC-228).
pub(super) fn set_removed_by_restart_all(status: &mut ContainerStatus) {
    if status.state.running.is_some() || status.state.terminated.is_some() {
        status.restart_count += 1;
        status.last_state = ContainerState {
            terminated: Some(ContainerStateTerminated {
                exit_code: 137,
                reason: podscope_api::RESTARTING_ALL.into(),
                message: RESTART_ALL_MESSAGE.into(),
                ..ContainerStateTerminated::default()
            }),
            ..ContainerState::default()
        };
    }
    status.state = ContainerState {
        waiting: Some(ContainerStateWaiting {
            reason: podscope_api::RESTARTING_ALL.into(),
            message: RESTART_ALL_MESSAGE.into(),
        }),
        ..ContainerState::default()
    };
    (status.ready, status.started) = (false, Some(false));
}

fn container_state(container: &machine::Container, pod: &Pod, ctx: &Context<'_>) -> ContainerState {
    let wall = |at: SimTime| Some(ctx.wall_at(at));
    match &container.exit {
        None => ContainerState {
            running: Some(ContainerStateRunning {
                started_at: wall(container.started_at),
            }),
            ..ContainerState::default()
        },
        Some(exit) => ContainerState {
            terminated: Some(ContainerStateTerminated {
                exit_code: exit.code,
                reason: shared(exit.reason),
                started_at: wall(container.started_at),
                finished_at: wall(exit.at),
                container_id: container_id(pod, container),
                ..ContainerStateTerminated::default()
            }),
            ..ContainerState::default()
        },
    }
}

/// Returns the container ID in the runtime's format. It is computed from the container's identity, so that equal runs
/// have equal IDs.
pub(super) fn container_id(pod: &Pod, container: &machine::Container) -> Str {
    let node = pod.spec.node_name.as_ref().map_or("", |node| node.as_str());
    let digits = hex_digest(container.id.0, &[node, &container.name]);
    format!("containerd://{digits}").into()
}

/// Returns whether an app container was ever created in the pod's present sandbox, which proves that the pod is
/// initialized there (LC-079, LC-100).
pub(super) fn has_created_app_container(pod: &Pod, held: Option<&MachinePod>) -> bool {
    held.is_some_and(|held| {
        let mut names = pod.spec.containers.iter().map(|container| &container.name);
        names.any(|name| held.latest(name).is_some_and(|one| held.is_in_present_sandbox(one)))
    })
}

/// Computes the phase (LC-099 to LC-102).
fn compute_phase(pod: &Pod, status: &PodStatus, is_initialized: bool, is_final: bool) -> PodPhase {
    let stays_down = |role: Role, container: &Container, state: &ContainerState| {
        let terminated = state.terminated.as_ref();
        // A container ended by RestartAllContainers is started again, whatever its restart policy says.
        terminated.is_some_and(|terminated| {
            &*terminated.reason != podscope_api::RESTARTING_ALL
                && !restart::restarts_after_exit(pod, role, container, terminated.exit_code)
        })
    };
    let fails_for_good = |container: &Container, state: &ContainerState| {
        let has_failed = state
            .terminated
            .as_ref()
            .is_some_and(|terminated| terminated.exit_code != 0);
        has_failed && stays_down(Role::Init, container, state)
    };
    let (mut pending_init, mut pending_sidecar, mut failed_init) = (false, false, false);
    let (mut running, mut waiting, mut stopped, mut succeeded, mut restartable) = (0, 0, 0, 0, 0);
    for (container, one) in pod.spec.init_containers.iter().zip(&status.init_container_statuses) {
        let state = &one.state;
        if container.is_sidecar() {
            if state.running.is_some() {
                running += 1;
                pending_sidecar |= one.started != Some(true);
            } else if state.waiting.is_some() && one.last_state.terminated.is_none() {
                waiting += 1;
                pending_sidecar = true;
            }
        } else if state.terminated.is_some() {
            failed_init |= fails_for_good(container, state);
        } else if state.waiting.is_some() && one.last_state.terminated.is_some() {
            failed_init |= fails_for_good(container, &one.last_state);
        } else {
            pending_init = true;
        }
    }
    for (container, one) in pod.spec.containers.iter().zip(&status.container_statuses) {
        if one.state.running.is_some() {
            running += 1;
        } else if let Some(terminated) = &one.state.terminated {
            stopped += 1;
            succeeded += i32::from(terminated.exit_code == 0);
            restartable += i32::from(!stays_down(Role::App, container, &one.state));
        } else if one.last_state.terminated.is_some() {
            stopped += 1;
            restartable += i32::from(!stays_down(Role::App, container, &one.last_state));
        } else {
            waiting += 1;
        }
    }
    if failed_init {
        return PodPhase::Failed;
    }
    if pending_init || (pending_sidecar && !is_initialized) || waiting > 0 {
        return PodPhase::Pending;
    }
    if running > 0 {
        return PodPhase::Running;
    }
    if stopped == 0 {
        return PodPhase::Pending;
    }
    match (is_final || restartable == 0, stopped == succeeded) {
        (true, true) => PodPhase::Succeeded,
        (true, false) => PodPhase::Failed,
        (false, _) => PodPhase::Running,
    }
}

/// Sets the final status of a pod whose containers cannot run any more: containers without a known exit are reported as
/// lost (LC-173, LC-174).
pub(super) fn set_final_status(status: &mut PodStatus, pod: &Pod) {
    let lost = || ContainerState {
        terminated: Some(ContainerStateTerminated {
            exit_code: 137,
            reason: REASON_STATUS_UNKNOWN.into(),
            message: "The container could not be located when the pod was terminated".into(),
            ..ContainerStateTerminated::default()
        }),
        ..ContainerState::default()
    };
    let started = |one: &ContainerStatus| one.state.waiting.is_none() || one.last_state.terminated.is_some();
    let inits = &mut status.init_container_statuses;
    let is_initialized = pod
        .spec
        .init_containers
        .iter()
        .zip(inits.iter())
        .all(|(container, one)| {
            let is_done = one
                .state
                .terminated
                .as_ref()
                .is_some_and(|terminated| terminated.exit_code == 0);
            is_done || (container.is_sidecar() && started(one))
        })
        || status.container_statuses.iter().any(started);
    if is_initialized {
        for one in &mut status.container_statuses {
            if one.state.terminated.is_none() {
                one.state = lost();
            }
        }
    }
    // Report as lost the init containers up to the last one that ever started, but at least the first.
    let n_marked = if is_initialized {
        inits.len()
    } else {
        inits.iter().rposition(started).map_or(1, |last| last + 1)
    };
    for one in inits.iter_mut().take(n_marked) {
        if one.state.terminated.is_none() {
            one.state = lost();
        }
    }
    for one in inits.iter_mut().chain(&mut status.container_statuses) {
        one.started = Some(false);
    }
    if !matches!(status.phase, Some(PodPhase::Succeeded | PodPhase::Failed)) {
        status.phase = Some(PodPhase::Failed);
    }
}

/// Recomputes the conditions after [`set_final_status`].
pub(super) fn refresh_conditions(status: &mut PodStatus, pod: &Pod, host: &Host<'_, '_>) {
    let old = status.clone();
    conditions::set_all_conditions(status, &old, pod, ConditionInputs::default(), host.ctx);
}
