//! The pod conditions that the kubelet owns (LC-106 to LC-113), in the order in which it writes them.

use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Pod, PodCondition, PodPhase, PodStatus, Str, shared};

use super::allocation::{self, UncompletedResize};
use super::host::Host;
use super::restart;
use super::worker::PodWorker;
use crate::Context;
use crate::machine::MachinePod;

/// Why the kubelet itself ends a pod (eviction, preemption, shutdown, deadline).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PodEndReason {
    /// Value of `status.reason`.
    pub(super) reason: Str,
    /// Value of `status.message`.
    pub(super) message: Str,
    /// Message of the DisruptionTarget condition; None if the pod gets no such condition (LC-035).
    pub(super) disruption: Option<Str>,
}

/// Returns whether the kubelet owns conditions of this type (LC-110).
pub(super) fn is_owned_by_kubelet(kind: &str) -> bool {
    matches!(
        kind,
        condition::POD_READY_TO_START_CONTAINERS
            | condition::INITIALIZED
            | condition::READY
            | condition::CONTAINERS_READY
            | condition::POD_SCHEDULED
            | condition::ALL_CONTAINERS_RESTARTING
            | condition::POD_RESIZE_PENDING
            | condition::POD_RESIZE_IN_PROGRESS
    )
}

/// Values from which the conditions are computed, in addition to the container states.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ConditionInputs<'a> {
    pub(super) end_reason: Option<&'a PodEndReason>,
    pub(super) has_sandbox: bool,
    /// Whether all containers are being stopped because of RestartAllContainers.
    pub(super) is_restarting_all: bool,
    /// A resize that has not completed.
    pub(super) resize: Option<&'a UncompletedResize>,
}

impl<'a> ConditionInputs<'a> {
    pub(super) fn of(worker: &'a PodWorker, host: &Host<'_, '_>) -> Self {
        Self {
            end_reason: worker.end_reason.as_deref(),
            has_sandbox: host.machine.pod(worker.uid()).is_some_and(MachinePod::has_sandbox),
            is_restarting_all: worker.is_restarting_all,
            resize: worker.resize.as_deref(),
        }
    }
}

/// Sets all conditions of a status. The caller must have set the container states and the phase.
pub(super) fn set_all_conditions(
    status: &mut PodStatus,
    old: &PodStatus,
    pod: &Pod,
    inputs: ConditionInputs<'_>,
    ctx: &Context<'_>,
) {
    let foreign = |condition: &&PodCondition| {
        !is_owned_by_kubelet(&condition.kind) && &*condition.kind != condition::DISRUPTION_TARGET
    };
    status.conditions = pod.status.conditions.iter().filter(foreign).cloned().collect();
    for mut one in inputs.resize.into_iter().flat_map(allocation::resize_conditions) {
        let generation = one.observed_generation;
        set_transition_time(&mut one, old, pod, ctx);
        one.observed_generation = generation;
        status.conditions.push(one);
    }
    let disruption = match inputs.end_reason.and_then(|end_reason| end_reason.disruption.clone()) {
        Some(message) => {
            let mut wanted = new_condition(condition::DISRUPTION_TARGET, true, "TerminationByKubelet", message);
            set_transition_time(&mut wanted, old, pod, ctx);
            Some(wanted)
        }
        None => [old, &pod.status]
            .into_iter()
            .find_map(|status| {
                status
                    .conditions
                    .iter()
                    .find(|known| &*known.kind == condition::DISRUPTION_TARGET)
            })
            .cloned(),
    };
    status.conditions.extend(disruption);
    let containers_ready = containers_ready_condition(status, pod);
    let ready = ready_condition(&containers_ready, status, pod);
    let mut owned = vec![
        new_condition(
            condition::POD_READY_TO_START_CONTAINERS,
            inputs.has_sandbox,
            "",
            Str::default(),
        ),
        initialized_condition(status, old, pod),
        ready,
        containers_ready,
        new_condition(condition::POD_SCHEDULED, true, "", Str::default()),
    ];
    for one in &mut owned {
        set_transition_time(one, old, pod, ctx);
    }
    if restart::can_restart_all(pod) {
        // This condition comes last, and is the only one without observedGeneration.
        let mut restarting = restarting_all_condition(status, inputs.is_restarting_all);
        set_transition_time(&mut restarting, old, pod, ctx);
        restarting.observed_generation = None;
        owned.push(restarting);
    }
    status.conditions.extend(owned);
}

/// Recomputes only ContainersReady and Ready, when a probe result changes while the worker is busy (LC-170).
pub(super) fn set_ready_conditions(status: &mut PodStatus, pod: &Pod, ctx: &Context<'_>) {
    let old = status.clone();
    let containers_ready = containers_ready_condition(status, pod);
    let ready = ready_condition(&containers_ready, status, pod);
    for mut wanted in [containers_ready, ready] {
        set_transition_time(&mut wanted, &old, pod, ctx);
        if let Some(known) = status.conditions.iter_mut().find(|known| known.kind == wanted.kind) {
            *known = wanted;
        }
    }
}

/// Sets PodReadyToStartContainers and leaves the other conditions unchanged.
pub(super) fn set_sandbox_ready(status: &mut PodStatus, pod: &Pod, ctx: &Context<'_>) {
    let old = status.clone();
    let mut wanted = new_condition(condition::POD_READY_TO_START_CONTAINERS, true, "", Str::default());
    set_transition_time(&mut wanted, &old, pod, ctx);
    match status.conditions.iter_mut().find(|known| known.kind == wanted.kind) {
        Some(known) => *known = wanted,
        None => status.conditions.push(wanted),
    }
}

fn new_condition(kind: &str, is_true: bool, reason: &str, message: Str) -> PodCondition {
    PodCondition {
        kind: shared(kind),
        status: if is_true {
            ConditionStatus::True
        } else {
            ConditionStatus::False
        },
        reason: shared(reason),
        message,
        ..PodCondition::default()
    }
}

/// Sets observedGeneration and the transition time, which changes only with the condition's status (LC-110).
fn set_transition_time(wanted: &mut PodCondition, old: &PodStatus, pod: &Pod, ctx: &Context<'_>) {
    wanted.observed_generation = pod.metadata.generation;
    let before = old.conditions.iter().find(|known| known.kind == wanted.kind);
    wanted.last_transition_time = match before {
        Some(before) if before.status == wanted.status && before.last_transition_time.is_some() => {
            before.last_transition_time
        }
        _ => Some(ctx.wall()),
    };
}

/// Returns the condition AllContainersRestarting, for pods with a restart rule that can restart all containers.
fn restarting_all_condition(status: &PodStatus, is_restarting: bool) -> PodCondition {
    const KIND: &str = condition::ALL_CONTAINERS_RESTARTING;
    match status.phase {
        Some(PodPhase::Succeeded) => new_condition(KIND, false, "PodCompleted", Str::default()),
        Some(PodPhase::Failed) => new_condition(KIND, false, "PodFailed", Str::default()),
        _ if is_restarting => {
            let message = "container exited with restart policy rule".into();
            new_condition(KIND, true, "RestartAllContainersStarted", message)
        }
        _ => new_condition(KIND, false, "", Str::default()),
    }
}

/// Returns whether the status has condition Initialized, status True.
pub(super) fn is_initialized(status: &PodStatus) -> bool {
    let mut known = status.conditions.iter();
    known.any(|known| &*known.kind == condition::INITIALIZED && known.status == ConditionStatus::True)
}

/// Returns the condition Initialized.
fn initialized_condition(status: &PodStatus, old: &PodStatus, pod: &Pod) -> PodCondition {
    let incomplete: Vec<&str> = pod
        .spec
        .init_containers
        .iter()
        .zip(&status.init_container_statuses)
        .filter(|(container, one)| {
            if container.is_sidecar() {
                one.started != Some(true)
            } else {
                !one.ready
            }
        })
        .map(|(container, _)| &*container.name)
        .collect();
    if status.phase == Some(PodPhase::Succeeded) {
        return new_condition(condition::INITIALIZED, true, "PodCompleted", Str::default());
    }
    // An initialized pod stays initialized, whatever happens to its init containers (since 1.36).
    let has_started =
        |one: &podscope_api::ContainerStatus| one.state.running.is_some() || one.state.terminated.is_some();
    if incomplete.is_empty() || status.container_statuses.iter().any(has_started) || is_initialized(old) {
        return new_condition(condition::INITIALIZED, true, "", Str::default());
    }
    let message = format!("containers with incomplete status: [{}]", incomplete.join(" "));
    new_condition(
        condition::INITIALIZED,
        false,
        "ContainersNotInitialized",
        message.into(),
    )
}

/// Returns the condition ContainersReady.
fn containers_ready_condition(status: &PodStatus, pod: &Pod) -> PodCondition {
    const KIND: &str = condition::CONTAINERS_READY;
    match status.phase {
        Some(PodPhase::Succeeded) => return new_condition(KIND, false, "PodCompleted", Str::default()),
        Some(PodPhase::Failed) => return new_condition(KIND, false, "PodFailed", Str::default()),
        _ => {}
    }
    let sidecars = pod
        .spec
        .init_containers
        .iter()
        .filter(|container| container.is_sidecar());
    let (mut unknown, mut unready) = (Vec::new(), Vec::new());
    for container in sidecars.chain(pod.spec.containers.iter()) {
        match status.status_of(&container.name) {
            None => unknown.push(&*container.name),
            Some(one) if !one.ready => unready.push(&*container.name),
            Some(_) => {}
        }
    }
    let part = |text: &str, names: &[&str]| {
        (!names.is_empty()).then(|| format!("containers with {text} status: [{}]", names.join(" ")))
    };
    let parts: Vec<String> = [part("unknown", &unknown), part("unready", &unready)]
        .into_iter()
        .flatten()
        .collect();
    if parts.is_empty() {
        new_condition(KIND, true, "", Str::default())
    } else {
        new_condition(KIND, false, "ContainersNotReady", parts.join(", ").into())
    }
}

/// Returns the condition Ready.
fn ready_condition(containers_ready: &PodCondition, status: &PodStatus, pod: &Pod) -> PodCondition {
    if containers_ready.status != ConditionStatus::True {
        return PodCondition {
            kind: shared(condition::READY),
            ..containers_ready.clone()
        };
    }
    let mut problems = Vec::new();
    for gate in pod.spec.readiness_gates.iter() {
        let name = &gate.condition_type;
        match status.conditions.iter().find(|known| known.kind == *name) {
            None => problems.push(format!(
                "corresponding condition of pod readiness gate \"{name}\" does not exist."
            )),
            Some(known) if known.status != ConditionStatus::True => {
                problems.push(format!(
                    "the status of pod readiness gate \"{name}\" is not \"True\", but {}",
                    known.status
                ));
            }
            Some(_) => {}
        }
    }
    if problems.is_empty() {
        new_condition(condition::READY, true, "", Str::default())
    } else {
        new_condition(
            condition::READY,
            false,
            "ReadinessGatesNotReady",
            problems.join(", ").into(),
        )
    }
}
