//! Triage of pods: pods that are not scheduled, do not terminate, or do not become ready.

use std::sync::Arc;

use podscope_api::explained::NodeDevices;
use podscope_api::ordered;
use podscope_api::well_known::condition;
use podscope_api::{
    ConditionStatus, ContainerStatus, NodeName, Pod, PodPhase, PodSchedulingGate, PriorityClass, Time, Uid,
};
use podscope_messages::{Sentence, Value, sentence};
use podscope_protocol::{device_words, gate_setter};
use podscope_scheduler::explain::{Explained, explain};
use podscope_scheduler::what_would_help::WhatWouldHelp;
use podscope_scheduler::{Scheduler, TrialNodes};

use super::{
    Problem, Triage, held_by_finalizers, out_of_service_command, pod_name, pod_state_notes, without_full_stop,
};
use crate::view;
use crate::whatif::{self, GroupCheck};
use podscope_cluster::scheduler_of;

/// Maximum number of pending pods for which triage asks the scheduler for a new decision. The reason of other pods is
/// the message in their condition PodScheduled.
const MAX_DECISIONS: usize = 300;
/// Maximum number of rows of triage for which remedies are searched.
const MAX_ROWS_WITH_REMEDIES: usize = 40;
const MAX_REMEDIES_PER_ROW: usize = 3;

/// Returns the UID of the pod's ReplicaSet if the scheduler decides the same about all its pending pods, because they
/// have no volume claims.
pub(crate) fn shared_decision_owner(pod: &Pod) -> Option<Uid> {
    let owner = pod
        .metadata
        .controller_ref()
        .filter(|owner| &*owner.kind == "ReplicaSet")?;
    let mut volumes = pod.spec.volumes.iter();
    let has_claim = volumes.any(|volume| podscope_cluster::claim_name(pod, volume).is_some());
    (!has_claim).then(|| owner.uid.clone())
}

/// The problem of one pod: what it is, its reason, and since when it exists.
struct PodProblem {
    problem: Problem,
    reason: Sentence,
    since: Option<Time>,
}

impl Triage<'_> {
    pub(super) fn add_pod_problems(&mut self) {
        let objects = self.objects;
        let mut scheduler: Option<Scheduler> = None;
        // Indices of the rows, by owner, problem and reason.
        let mut rows: ordered::Map<(String, Problem, Sentence), usize> = ordered::Map::new();
        let mut shown: Vec<(usize, Arc<Pod>)> = Vec::new();
        let mut decided = 0;
        let mut reasons: ordered::Map<Uid, Option<Sentence>> = ordered::Map::new();
        let only = self.scope.pod.clone();
        for pod in objects.list::<Pod>() {
            let is_meant = match &only {
                Some(key) => pod.metadata.key().to_string() == *key,
                None => self.includes_namespace(&pod.metadata.namespace),
            };
            if !is_meant {
                continue;
            }
            let Some(mut pod_problem) = self.pod_problem(pod) else {
                continue;
            };
            if pod_problem.problem == Problem::Pending && decided < MAX_DECISIONS {
                // The scheduler decides the same about pods of one ReplicaSet, unless each pod has its own claim.
                let alike = shared_decision_owner(pod);
                let known = alike.as_ref().and_then(|owner| reasons.get(owner)).cloned();
                let reason = known.unwrap_or_else(|| {
                    decided += 1;
                    let config = self.config.clone();
                    let scheduler = scheduler.get_or_insert_with(|| scheduler_of(objects, config, 0));
                    explain_by_new_decision(self, scheduler, pod)
                });
                if let Some(owner) = alike {
                    reasons.insert(owner, reason.clone());
                }
                pod_problem.reason = reason.unwrap_or(pod_problem.reason);
            }
            let owner = self.owner(&pod.metadata);
            let group = owner.clone().unwrap_or_else(|| pod_name(pod));
            let key = (group, pod_problem.problem, pod_problem.reason.clone());
            if let Some(row) = rows.get(&key) {
                let row = &mut self.findings[*row];
                row.count += 1;
                let since = pod_problem.since.map(|since| since.0 - self.start.0);
                row.since = match (row.since, since) {
                    (Some(known), Some(since)) => Some(known.min(since)),
                    (known, since) => known.or(since),
                };
                continue;
            }
            rows.insert(key, self.findings.len());
            shown.push((self.findings.len(), pod.clone()));
            let row = self.add_finding(
                pod_problem.problem,
                pod_name(pod),
                &pod.metadata,
                pod_problem.reason,
                pod_problem.since,
            );
            row.owner = owner;
        }
        let classes: Vec<Arc<PriorityClass>> = objects.list::<PriorityClass>().cloned().collect();
        let mut helped = 0;
        let mut groups: Option<Option<GroupCheck<'_>>> = None;
        for (row, pod) in shown {
            let problem = self.findings[row].problem;
            let help = match problem {
                Problem::Pending | Problem::Gated
                    if helped < MAX_ROWS_WITH_REMEDIES && objects.missing_objects(&pod).is_none() =>
                {
                    helped += 1;
                    let now = self.config.clone();
                    let scheduler = scheduler.get_or_insert_with(|| scheduler_of(objects, now, 0));
                    let groups = groups
                        .get_or_insert_with(|| GroupCheck::new(objects, self.nodes, || TrialNodes::new(scheduler)));
                    let grown = groups.as_mut().and_then(|groups| groups.answers_for(&pod));
                    let mut help = verified_remedies(scheduler, &pod, &classes);
                    help.extend(grown.and_then(|asked| whatif::group_help(&asked)));
                    help
                }
                _ => self.remedies_for(problem, &pod),
            };
            self.findings[row].help = help;
        }
    }

    /// Returns the problem of a pod; `None` if it has none.
    fn pod_problem(&self, pod: &Pod) -> Option<PodProblem> {
        let pod_problem = |problem, reason: Sentence, since| Some(PodProblem { problem, reason, since });
        if pod.metadata.is_terminating() {
            return self.termination_problem(pod);
        }
        if pod.status.phase == Some(PodPhase::Failed) {
            let ended = pod
                .condition(condition::DISRUPTION_TARGET)
                .and_then(|one| one.last_transition_time);
            let message = without_full_stop(&pod.status.message);
            return match &*pod.status.reason {
                "Evicted" => pod_problem(Problem::Evicted, message.into(), ended),
                // Failed pods of a Job count towards the Job's backoffLimit, so the Job is reported instead.
                _ if pod.metadata.controller_ref().is_some_and(|owner| &*owner.kind == "Job") => None,
                reason => {
                    let since = ended.or_else(|| last_container_end(pod));
                    pod_problem(
                        Problem::Failed,
                        describe_failed_pod(reason, message, failed_container_exits(pod)),
                        since,
                    )
                }
            };
        }
        if pod.is_terminal() {
            return None;
        }
        let Some(node) = &pod.spec.node_name else {
            let since = pod
                .condition(condition::POD_SCHEDULED)
                .and_then(|one| one.last_transition_time)
                .or(pod.metadata.creation_timestamp);
            if !pod.spec.scheduling_gates.is_empty() {
                return pod_problem(Problem::Gated, describe_gates(pod), since);
            }
            let said = pod.condition(condition::POD_SCHEDULED).map_or("", |one| &*one.message);
            return pod_problem(Problem::Pending, without_full_stop(said).into(), since);
        };
        for status in pod
            .status
            .init_container_statuses
            .iter()
            .chain(&pod.status.container_statuses)
        {
            if let Some(found) = container_problem(status) {
                return Some(found);
            }
        }
        // If a node is not ready, only the node is reported, not its pods.
        if self.is_node_not_ready(node) {
            return None;
        }
        self.readiness_problem(pod, node)
    }

    /// Returns the reason why a terminating pod is not removed; `None` during its grace period.
    fn termination_problem(&self, pod: &Pod) -> Option<PodProblem> {
        let until = pod.metadata.deletion_timestamp?;
        let has_ended = |status: &ContainerStatus| status.state.terminated.is_some();
        let ended = pod.is_terminal() || pod.status.container_statuses.iter().all(has_ended);
        let lost = pod.spec.node_name.as_ref().filter(|node| self.is_node_not_ready(node));
        let held = &*pod.metadata.finalizers;
        let reason = match (lost, held.is_empty()) {
            (Some(node), true) if !ended => sentence!(problem::node_unreachable, node = node.as_str()),
            (Some(node), false) if !ended => sentence!(
                problem::node_unreachable_then_held,
                count = held.len(),
                node = node.as_str(),
                names = held
            ),
            (_, false) => held_by_finalizers(held.iter().map(|name| &**name).collect()),
            _ if until >= self.now => return None,
            _ => match &pod.spec.node_name {
                Some(node) => sentence!(problem::grace_has_ended, node = node.as_str()),
                None => sentence!(problem::grace_has_ended_unbound),
            },
        };
        Some(PodProblem {
            problem: Problem::Terminating,
            reason,
            since: Some(until),
        })
    }

    /// Returns the reason why a bound pod does not become ready; `None` if it is ready or still starting.
    fn readiness_problem(&self, pod: &Pod, node: &NodeName) -> Option<PodProblem> {
        if pod.is_ready() {
            return None;
        }
        let since = pod
            .condition(condition::READY)
            .and_then(|one| one.last_transition_time)
            .or(pod.status.start_time)
            .or(pod.metadata.creation_timestamp);
        if since.is_some_and(|since| self.now.0 - since.0 < STARTUP_TIME_MICROS) {
            return None;
        }
        let uid = &pod.metadata.uid;
        let of_volume = ["FailedAttachVolume", "FailedMount", "FailedMapVolume"];
        let waits = |status: &ContainerStatus| status.state.running.is_none() && status.state.terminated.is_none();
        let statuses = pod
            .status
            .init_container_statuses
            .iter()
            .chain(&pod.status.container_statuses);
        let has_started = statuses.clone().any(|status| !waits(status));
        if !has_started && let Some(said) = self.newest_warning(uid, &of_volume) {
            return Some(PodProblem {
                problem: Problem::VolumeStuck,
                reason: without_full_stop(said).into(),
                since,
            });
        }
        let reason = if let Some(said) = self.newest_warning(uid, &["FailedCreatePodSandBox", "NetworkNotReady"]) {
            without_full_stop(said).into()
        } else if let Some(status) = pod
            .status
            .init_container_statuses
            .iter()
            .find(|one| is_running_but_not_ready(one))
        {
            sentence!(problem::init_container_runs, container = &status.name)
        } else if let Some(status) = pod.status.container_statuses.iter().find(|one| !one.ready) {
            self.unready_container_reason(pod, status)
        } else if let Some(gate) = (pod.spec.readiness_gates.iter()).find(|gate| {
            pod.condition(&gate.condition_type)
                .is_none_or(|one| one.status != ConditionStatus::True)
        }) {
            sentence!(problem::readiness_gate, gate = &gate.condition_type)
        } else if pod.status.container_statuses.is_empty() {
            sentence!(problem::not_begun, node = node.as_str())
        } else {
            let told = pod.condition(condition::READY);
            let told = told.map(|one| {
                if one.message.is_empty() {
                    &*one.reason
                } else {
                    &*one.message
                }
            });
            let told = told.filter(|told| !told.is_empty());
            told.map_or_else(
                || sentence!(problem::only_containers_ready),
                |told| without_full_stop(told).into(),
            )
        };
        Some(PodProblem {
            problem: Problem::NotReady,
            reason,
            since,
        })
    }

    /// Returns the reason why a container is not ready.
    fn unready_container_reason(&self, pod: &Pod, status: &ContainerStatus) -> Sentence {
        let probe = pod.spec.containers.iter().find(|one| one.name == status.name);
        let is_starting = status.started == Some(false) && probe.is_some_and(|one| one.startup_probe.is_some());
        let container = &status.name;
        match (
            &status.state.running,
            self.newest_warning(&pod.metadata.uid, &["Unhealthy"]),
        ) {
            (Some(_), Some(said)) => sentence!(
                problem::container_not_ready_for,
                container = container,
                message = without_full_stop(said)
            ),
            (Some(_), None) if is_starting => sentence!(problem::startup_probe_fails, container = container),
            (Some(_), None) if probe.is_some_and(|one| one.readiness_probe.is_some()) => {
                sentence!(problem::readiness_probe_fails, container = container)
            }
            (Some(_), None) => sentence!(problem::container_not_ready, container = container),
            (None, _) => {
                let reason = match &status.state.waiting {
                    Some(waiting) => Sentence::from(&*waiting.reason),
                    None => sentence!(problem::not_created),
                };
                sentence!(problem::container_waits, container = container, reason = reason)
            }
        }
    }

    fn remedies_for(&self, problem: Problem, pod: &Pod) -> Vec<Sentence> {
        let key = pod.metadata.key();
        let (namespace, name) = (&key.namespace, &key.name);
        match problem {
            Problem::Terminating
                if pod
                    .spec
                    .node_name
                    .as_ref()
                    .is_some_and(|node| self.is_node_not_ready(node)) =>
            {
                let node = pod.spec.node_name.as_ref().map_or("", |node| node.as_str());
                vec![
                    sentence!(problem::bring_node_back, node = node),
                    sentence!(problem::once_machine_is_off, command = out_of_service_command(node)),
                ]
            }
            Problem::Terminating if !pod.metadata.finalizers.is_empty() => {
                let command = format!(
                    "kubectl patch pod {name} -n {namespace} --type=json -p '[{{\"op\":\"remove\",\"path\":\"/metadata/finalizers\"}}]'"
                );
                vec![sentence!(
                    problem::let_controller_finish,
                    names = &*pod.metadata.finalizers,
                    command = command
                )]
            }
            Problem::CrashLoop => vec![format!("kubectl logs {name} -n {namespace} --previous").into()],
            Problem::ImagePull | Problem::ConfigError | Problem::NotReady | Problem::VolumeStuck => {
                vec![format!("kubectl describe pod {name} -n {namespace}").into()]
            }
            Problem::Evicted | Problem::Failed => vec![format!("kubectl delete pod {name} -n {namespace}").into()],
            _ => Vec::new(),
        }
    }
}

/// Time for which a pod that is not ready is not reported, because it may still be starting, in microseconds.
const STARTUP_TIME_MICROS: i64 = 60 * 1_000_000;

fn last_container_end(pod: &Pod) -> Option<Time> {
    let ended = pod
        .status
        .container_statuses
        .iter()
        .filter_map(|status| status.state.terminated.as_ref()?.finished_at);
    ended.max()
}

/// Returns one sentence for each failed container of the pod, which describes the container's exit.
fn failed_container_exits(pod: &Pod) -> Vec<Sentence> {
    let statuses = pod
        .status
        .init_container_statuses
        .iter()
        .chain(&pod.status.container_statuses);
    let ends = statuses.filter_map(|status| {
        let ended = status.state.terminated.as_ref().filter(|ended| ended.exit_code != 0)?;
        Some(sentence!(
            problem::container_ended,
            container = &status.name,
            exit = exit_text(ended)
        ))
    });
    ends.collect()
}

/// Describes a failed pod: the reason and message of its status, and the exits of its containers. Empty parts are left
/// out.
fn describe_failed_pod(reason: &str, message: &str, ends: Vec<Sentence>) -> Sentence {
    let said: Vec<&str> = [reason, message].into_iter().filter(|part| !part.is_empty()).collect();
    match (said.is_empty(), ends.is_empty()) {
        (_, true) => said.join(": ").into(),
        (true, false) => sentence!(problem::ended_containers, ends = ends),
        (false, false) => sentence!(problem::message_and_ends, message = said.join(": "), ends = ends),
    }
}

/// Returns the sentence that the pod waits because of its scheduling gates.
fn describe_gates(pod: &Pod) -> Sentence {
    let gates = scheduling_gate_values(pod);
    sentence!(problem::gated, count = gates.len(), gates = gates)
}

/// Returns the pod's scheduling gates, each with the controller that sets it, if this controller is known.
pub(super) fn scheduling_gate_values(pod: &Pod) -> Vec<Value> {
    let gates = pod.spec.scheduling_gates.iter();
    let gate = |gate: &PodSchedulingGate| match gate_setter(&gate.name) {
        None => Value::from(&gate.name),
        Some(setter) => sentence!(problem::gate_of, gate = &gate.name, setter = setter).into(),
    };
    gates.map(gate).collect()
}

fn is_running_but_not_ready(status: &ContainerStatus) -> bool {
    status.state.terminated.is_none() && !status.ready && status.state.running.is_some()
}

fn exit_text(ended: &podscope_api::ContainerStateTerminated) -> Sentence {
    match (&*ended.reason, ended.exit_code) {
        ("" | "Error" | "Completed", code) => sentence!(problem::exit_code, code = code),
        (reason, code) => sentence!(problem::reason_with_exit_code, reason = reason, code = code),
    }
}

/// Returns the problem that a container's status shows: repeated exits, an image error, or a configuration error. None
/// if it shows none of these.
fn container_problem(status: &ContainerStatus) -> Option<PodProblem> {
    let again = |ended: &podscope_api::ContainerStateTerminated| {
        sentence!(
            problem::container_restarts,
            restarts = status.restart_count,
            container = &status.name,
            exit = exit_text(ended)
        )
    };
    let last = status.last_state.terminated.as_ref();
    let Some(waiting) = &status.state.waiting else {
        // The container has exited, and the kubelet will restart it.
        let ended = status
            .state
            .terminated
            .as_ref()
            .filter(|ended| ended.exit_code != 0 && status.restart_count > 0)?;
        return Some(PodProblem {
            problem: Problem::CrashLoop,
            reason: again(ended),
            since: ended.finished_at,
        });
    };
    let since = last.and_then(|ended| ended.finished_at);
    let said = |what: Sentence| {
        let message = match without_full_stop(&waiting.message) {
            "" => what,
            message => message.into(),
        };
        sentence!(problem::of_container, container = &status.name, message = message)
    };
    let (problem, reason) = match &*waiting.reason {
        "CrashLoopBackOff" => (
            Problem::CrashLoop,
            last.map_or_else(|| said(sentence!(problem::ends_repeatedly)), again),
        ),
        "ErrImagePull"
        | "ImagePullBackOff"
        | "ImageInspectError"
        | "InvalidImageName"
        | "ErrImageNeverPull"
        | "RegistryUnavailable"
        | "SignatureValidationFailed" => (
            Problem::ImagePull,
            sentence!(
                problem::image,
                image = &status.image,
                message = match without_full_stop(&waiting.message) {
                    "" => &*waiting.reason,
                    message => message,
                }
            ),
        ),
        "CreateContainerConfigError"
        | "CreateContainerError"
        | "RunContainerError"
        | "PreCreateHookError"
        | "PreStartHookError"
        | "PostStartHookError" => (Problem::ConfigError, said((&*waiting.reason).into())),
        _ => return None,
    };
    Some(PodProblem { problem, reason, since })
}

/// Explains why no node can run a pending pod, by letting the scheduler decide about the pod again.
fn explain_by_new_decision(triage: &Triage<'_>, scheduler: &Scheduler, pod: &Arc<Pod>) -> Option<Sentence> {
    let condition = pod.condition(condition::POD_SCHEDULED);
    let said = condition
        .map(|one| without_full_stop(&one.message))
        .filter(|said| !said.is_empty());
    if let Some(unheld) = triage.objects.missing_objects(pod) {
        let missing = view::missing_objects_view(unheld).sentence();
        return Some(match said {
            Some(said) => sentence!(problem::said_in_cluster, message = said, missing = missing),
            None => sentence!(problem::nobody_can_say, missing = missing),
        });
    }
    let Some((cache, decision)) = scheduler.decide(pod) else {
        let name = &pod.spec.scheduler_name;
        return Some(match said {
            Some(said) => sentence!(problem::said_by_unknown_scheduler, message = said, scheduler = name),
            None => sentence!(problem::unknown_scheduler, scheduler = name),
        });
    };
    let explained = explain(&cache, &decision);
    if let Some(message) = &explained.explanation.message {
        let more = pod_state_notes::unmentioned_causes(triage.objects, pod).into_iter();
        let Some(cause) = more.chain(device_explanation(&explained)).reduce(append_cause) else {
            return Some(without_full_stop(message).into());
        };
        return Some(sentence!(problem::message_and_cause, message = message, cause = cause));
    }
    let fits = explained.explanation.hosts;
    if fits.is_empty() {
        return said.map(Sentence::from);
    }
    Some(match condition.map(|one| &one.status) {
        Some(ConditionStatus::False) => sentence!(problem::fits_now, nodes = fits),
        _ => sentence!(problem::fits_on, nodes = fits),
    })
}

fn append_cause(before: Sentence, cause: Sentence) -> Sentence {
    sentence!(problem::and_cause, before = before, cause = cause)
}

/// Returns the scheduler's explanation of why a node's devices do not satisfy the pod: for the first node that has
/// devices, or else for the first node.
fn device_explanation(explained: &Explained) -> Option<Sentence> {
    let nodes = explained.nodes();
    let explained: Vec<(&str, &NodeDevices)> = nodes
        .filter_map(|(node, devices)| Some((node.name.as_str(), devices?)))
        .collect();
    let has_devices = |(_, devices): &&(&str, &NodeDevices)| {
        let mut requests = devices.requests.iter();
        requests.any(|request| !request.gets.is_empty() || !request.unsuitable.is_empty())
    };
    let (node, devices) = explained.iter().find(has_devices).or(explained.first())?;
    let lines = device_words::node_device_lines(devices)
        .into_iter()
        .reduce(append_cause)?;
    Some(sentence!(problem::devices_on_node, node = *node, lines = lines))
}

/// Returns remedies for a pending pod. The scheduler has verified that each of them helps.
fn verified_remedies(scheduler: &Scheduler, pod: &Arc<Pod>, classes: &[Arc<PriorityClass>]) -> Vec<Sentence> {
    let mut search = WhatWouldHelp::new(scheduler, pod, classes);
    while search.suggestions().len() < MAX_REMEDIES_PER_ROW && !search.step().finished {}
    let maker = view::PodCreator::None;
    let found = search.suggestions().iter().take(MAX_REMEDIES_PER_ROW);
    found
        .map(|suggestion| view::remedy(pod, &maker, suggestion).sentence())
        .collect()
}

/// Returns the reason of the pod's problem. None if the pod has no problem.
pub(super) fn reason_of_pod_problem(triage: &Triage<'_>, pod: &Pod) -> Option<Sentence> {
    triage.pod_problem(pod).map(|pod_problem| pod_problem.reason)
}
