//! Problems of pods: pods that are not scheduled, do not terminate, or do not become ready.

use std::sync::Arc;

use podscope_api::explained::NodeDevices;
use podscope_api::ordered;
use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, ContainerStatus, Pod, PodPhase, PriorityClass, Time, Uid};
use podscope_protocol::{device_words, gate_setter};
use podscope_scheduler::explain::{Explanation, explain};
use podscope_scheduler::what_would_help::WhatWouldHelp;
use podscope_scheduler::{Scheduler, TrialNodes};

use super::{Problem, Triage, clause, pod_name, standing};
use crate::view;
use crate::whatif::{self, GroupsAsked};
use podscope_cluster::scheduler_of;

/// Maximum number of pods whose scheduling decision is repeated. Further pods keep the message of their condition.
const DECISIONS: usize = 300;
/// Rows for which it is searched what would help, and how much of it is told.
const HELPED: usize = 40;
const HELP: usize = 3;

/// UID of the pod's ReplicaSet, if all its pending pods get the same decision: they have no claims of their own.
pub(crate) fn shares_decision(pod: &Pod) -> Option<Uid> {
    let owner = pod
        .metadata
        .controller_ref()
        .filter(|owner| &*owner.kind == "ReplicaSet")?;
    let mut volumes = pod.spec.volumes.iter();
    let has_claim = volumes.any(|volume| podscope_cluster::claim_name(pod, volume).is_some());
    (!has_claim).then(|| owner.uid.clone())
}

/// The problem of one pod.
struct Ailment {
    problem: Problem,
    reason: String,
    since: Option<Time>,
}

impl Triage<'_> {
    pub(super) fn pods(&mut self) {
        let objects = self.objects;
        let mut scheduler: Option<Scheduler> = None;
        // Rows by owner, problem and reason.
        let mut rows: ordered::Map<(String, Problem, String), usize> = ordered::Map::new();
        let mut shown: Vec<(usize, Arc<Pod>)> = Vec::new();
        let mut decided = 0;
        let mut reasons: ordered::Map<Uid, Option<String>> = ordered::Map::new();
        let only = self.scope.pod.clone();
        for pod in objects.list::<Pod>() {
            let is_meant = match &only {
                Some(key) => pod.metadata.key().to_string() == *key,
                None => self.sees(&pod.metadata.namespace),
            };
            if !is_meant {
                continue;
            }
            let Some(mut ailment) = self.ailment(pod) else { continue };
            if ailment.problem == Problem::Pending && decided < DECISIONS {
                // Pods of one ReplicaSet share a decision, unless each has its own claim or node.
                let alike = shares_decision(pod);
                let known = alike.as_ref().and_then(|owner| reasons.get(owner)).cloned();
                let reason = known.unwrap_or_else(|| {
                    decided += 1;
                    let config = self.config.clone();
                    let scheduler = scheduler.get_or_insert_with(|| scheduler_of(objects, config, 0));
                    decision(self, scheduler, pod)
                });
                if let Some(owner) = alike {
                    reasons.insert(owner, reason.clone());
                }
                ailment.reason = reason.unwrap_or(ailment.reason);
            }
            let owner = self.owner(&pod.metadata);
            let group = owner.clone().unwrap_or_else(|| pod_name(pod));
            let key = (group, ailment.problem, ailment.reason.clone());
            if let Some(row) = rows.get(&key) {
                let row = &mut self.findings[*row];
                row.count += 1;
                let since = ailment.since.map(|since| since.0 - self.start.0);
                row.since = match (row.since, since) {
                    (Some(known), Some(since)) => Some(known.min(since)),
                    (known, since) => known.or(since),
                };
                continue;
            }
            rows.insert(key, self.findings.len());
            shown.push((self.findings.len(), pod.clone()));
            let row = self.add(
                ailment.problem,
                pod_name(pod),
                &pod.metadata,
                ailment.reason,
                ailment.since,
            );
            row.owner = owner;
        }
        let classes: Vec<Arc<PriorityClass>> = objects.list::<PriorityClass>().cloned().collect();
        let mut helped = 0;
        let mut groups: Option<Option<GroupsAsked<'_>>> = None;
        for (row, pod) in shown {
            let problem = self.findings[row].problem;
            let help = match problem {
                Problem::Pending | Problem::Gated if helped < HELPED && objects.missing_objects(&pod).is_none() => {
                    helped += 1;
                    let now = self.config.clone();
                    let scheduler = scheduler.get_or_insert_with(|| scheduler_of(objects, now, 0));
                    let groups = groups
                        .get_or_insert_with(|| GroupsAsked::new(objects, self.nodes, || TrialNodes::new(scheduler)));
                    let grown = groups.as_mut().and_then(|groups| groups.help(&pod));
                    let mut help = placed_by(scheduler, &pod, &classes);
                    help.extend(grown.and_then(|asked| whatif::group_help(&asked)));
                    help
                }
                _ => self.help(problem, &pod),
            };
            self.findings[row].help = help;
        }
    }

    /// The pod's problem; `None` if it has none.
    fn ailment(&self, pod: &Pod) -> Option<Ailment> {
        let ailment = |problem, reason: String, since| Some(Ailment { problem, reason, since });
        if pod.metadata.is_terminating() {
            return self.terminating(pod);
        }
        if pod.status.phase == Some(PodPhase::Failed) {
            let ended = pod
                .condition(condition::DISRUPTION_TARGET)
                .and_then(|one| one.last_transition_time);
            let message = clause(&pod.status.message).to_owned();
            return match &*pod.status.reason {
                "Evicted" => ailment(Problem::Evicted, message, ended),
                // Failed pods of a Job count towards its backoffLimit; the Job itself is reported.
                _ if pod.metadata.controller_ref().is_some_and(|owner| &*owner.kind == "Job") => None,
                reason => {
                    let ends = self.ends(pod);
                    let said = [reason, &message, &ends].into_iter().filter(|part| !part.is_empty());
                    let said: Vec<&str> = said.collect();
                    let since = ended.or_else(|| finished(pod));
                    ailment(Problem::Failed, said.join(": "), since)
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
                return ailment(Problem::Gated, gated(pod), since);
            }
            let said = pod.condition(condition::POD_SCHEDULED).map_or("", |one| &*one.message);
            return ailment(Problem::Pending, clause(said).to_owned(), since);
        };
        for status in pod
            .status
            .init_container_statuses
            .iter()
            .chain(&pod.status.container_statuses)
        {
            if let Some(found) = of_container(status) {
                return Some(found);
            }
        }
        // A node that is not ready is reported itself, not each of its pods.
        if self.is_lost(node) {
            return None;
        }
        self.unready(pod)
    }

    /// The reason why a terminating pod is not removed; `None` during its grace period.
    fn terminating(&self, pod: &Pod) -> Option<Ailment> {
        let until = pod.metadata.deletion_timestamp?;
        let has_ended = |status: &ContainerStatus| status.state.terminated.is_some();
        let ended = pod.is_terminal() || pod.status.container_statuses.iter().all(has_ended);
        let lost = pod.spec.node_name.as_ref().filter(|node| self.is_lost(node));
        let reason = match (lost, pod.metadata.finalizers.as_slice()) {
            (Some(node), _) if !ended => {
                let and = match pod.metadata.finalizers.as_slice() {
                    [] => String::new(),
                    held => format!("; after that {} holds it", finalizers(held)),
                };
                format!("its node {node} is not reachable, so no kubelet confirms that its containers have ended{and}")
            }
            (_, held @ [_, ..]) => format!("{} holds it: whoever set that has to remove it", finalizers(held)),
            _ if until >= self.now => return None,
            _ => format!(
                "its grace period has ended, and the kubelet of {} has not ended it",
                pod.spec.node_name.as_ref().map_or("its node", |node| node.as_str())
            ),
        };
        Some(Ailment {
            problem: Problem::Terminating,
            reason,
            since: Some(until),
        })
    }

    /// The reason why a bound pod does not become ready; `None` if it is ready or still starting.
    #[expect(clippy::too_many_lines, reason = "one arm a reason, in the order of their weight")]
    fn unready(&self, pod: &Pod) -> Option<Ailment> {
        if pod.is_ready() {
            return None;
        }
        let since = pod
            .condition(condition::READY)
            .and_then(|one| one.last_transition_time)
            .or(pod.status.start_time)
            .or(pod.metadata.creation_timestamp);
        if since.is_some_and(|since| self.now.0 - since.0 < ON_ITS_WAY) {
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
        if !has_started && let Some(said) = self.warning(uid, &of_volume) {
            return Some(Ailment {
                problem: Problem::VolumeStuck,
                reason: clause(said).to_owned(),
                since,
            });
        }
        let reason = if let Some(said) = self.warning(uid, &["FailedCreatePodSandBox", "NetworkNotReady"]) {
            clause(said).to_owned()
        } else if let Some(status) = pod.status.init_container_statuses.iter().find(|one| is_under_way(one)) {
            format!("its init container {} has not ended yet", status.name)
        } else if let Some(status) = pod.status.container_statuses.iter().find(|one| !one.ready) {
            let probe = pod.spec.containers.iter().find(|one| one.name == status.name);
            let is_starting = status.started == Some(false) && probe.is_some_and(|one| one.startup_probe.is_some());
            match (&status.state.running, self.warning(uid, &["Unhealthy"])) {
                (Some(_), Some(said)) => format!("container {} is not ready: {}", status.name, clause(said)),
                (Some(_), None) if is_starting => {
                    format!("the startup probe of container {} does not succeed", status.name)
                }
                (Some(_), None) if probe.is_some_and(|one| one.readiness_probe.is_some()) => {
                    format!("the readiness probe of container {} fails", status.name)
                }
                (Some(_), None) => format!("container {} runs and is not ready", status.name),
                (None, _) => format!(
                    "container {} waits: {}",
                    status.name,
                    status
                        .state
                        .waiting
                        .as_ref()
                        .map_or("not created yet", |waiting| &*waiting.reason)
                ),
            }
        } else if let Some(gate) = (pod.spec.readiness_gates.iter()).find(|gate| {
            pod.condition(&gate.condition_type)
                .is_none_or(|one| one.status != ConditionStatus::True)
        }) {
            format!("its readiness gate {} is not True", gate.condition_type)
        } else if pod.status.container_statuses.is_empty() {
            let node = pod.spec.node_name.as_ref().map_or("its node", |node| node.as_str());
            format!("it is bound to {node}, and its kubelet has not begun it")
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
                || "its containers are ready and it is not".to_owned(),
                |told| clause(told).to_owned(),
            )
        };
        Some(Ailment {
            problem: Problem::NotReady,
            reason,
            since,
        })
    }

    /// Describes the exits of the pod's failed containers.
    fn ends(&self, pod: &Pod) -> String {
        let statuses = pod
            .status
            .init_container_statuses
            .iter()
            .chain(&pod.status.container_statuses);
        let ends = statuses.filter_map(|status| {
            let ended = status.state.terminated.as_ref().filter(|ended| ended.exit_code != 0)?;
            Some(format!("container {} ended with {}", status.name, exit(ended)))
        });
        ends.collect::<Vec<_>>().join(", ")
    }

    fn help(&self, problem: Problem, pod: &Pod) -> Vec<String> {
        let key = pod.metadata.key();
        let (namespace, name) = (&key.namespace, &key.name);
        match problem {
            Problem::Terminating if pod.spec.node_name.as_ref().is_some_and(|node| self.is_lost(node)) => {
                let node = pod.spec.node_name.as_ref().map_or("", |node| node.as_str());
                vec![
                    format!("Bring node {node} back: its kubelet then ends the pod"),
                    format!(
                        "Once the machine is surely off: kubectl taint node {node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"
                    ),
                ]
            }
            Problem::Terminating if !pod.metadata.finalizers.is_empty() => {
                vec![format!(
                    "Let the controller of {} finish, or, where it is gone for good, remove the finalizer: kubectl patch pod {name} -n {namespace} --type=json -p '[{{\"op\":\"remove\",\"path\":\"/metadata/finalizers\"}}]'",
                    pod.metadata.finalizers.join(", ")
                )]
            }
            Problem::CrashLoop => vec![format!("kubectl logs {name} -n {namespace} --previous")],
            Problem::ImagePull | Problem::ConfigError | Problem::NotReady | Problem::VolumeStuck => {
                vec![format!("kubectl describe pod {name} -n {namespace}")]
            }
            Problem::Evicted | Problem::Failed => vec![format!("kubectl delete pod {name} -n {namespace}")],
            _ => Vec::new(),
        }
    }
}

/// Time in which a pod may become ready before it is reported, in microseconds.
const ON_ITS_WAY: i64 = 60 * 1_000_000;

fn finished(pod: &Pod) -> Option<Time> {
    let ended = pod
        .status
        .container_statuses
        .iter()
        .filter_map(|status| status.state.terminated.as_ref()?.finished_at);
    ended.max()
}

fn finalizers(held: &[podscope_api::Str]) -> String {
    let s = if held.len() == 1 { "" } else { "s" };
    let all: Vec<&str> = held.iter().map(|name| &**name).collect();
    format!("the finalizer{s} {}", all.join(", "))
}

/// Describes the pod's scheduling gates.
pub(super) fn gated(pod: &Pod) -> String {
    let gates = pod
        .spec
        .scheduling_gates
        .iter()
        .map(|gate| match gate_setter(&gate.name).as_str() {
            "" => gate.name.to_string(),
            who => format!("{} (of {who})", gate.name),
        });
    let gates: Vec<String> = gates.collect();
    let s = if gates.len() == 1 { "" } else { "s" };
    format!(
        "its scheduling gate{s} {} holds it back: the scheduler does not look at it",
        gates.join(", ")
    )
}

fn is_under_way(status: &ContainerStatus) -> bool {
    status.state.terminated.is_none() && !status.ready && status.state.running.is_some()
}

fn exit(ended: &podscope_api::ContainerStateTerminated) -> String {
    match (&*ended.reason, ended.exit_code) {
        ("" | "Error" | "Completed", code) => format!("exit code {code}"),
        (reason, code) => format!("{reason} (exit code {code})"),
    }
}

/// The problem that a container's status reports: repeated exits, an image error, or a configuration error.
fn of_container(status: &ContainerStatus) -> Option<Ailment> {
    let again = |ended: &podscope_api::ContainerStateTerminated| {
        let times = match status.restart_count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        format!("container {} ends with {}, restarted {times}", status.name, exit(ended))
    };
    let last = status.last_state.terminated.as_ref();
    let Some(waiting) = &status.state.waiting else {
        // The container has exited and will be restarted.
        let ended = status
            .state
            .terminated
            .as_ref()
            .filter(|ended| ended.exit_code != 0 && status.restart_count > 0)?;
        return Some(Ailment {
            problem: Problem::CrashLoop,
            reason: again(ended),
            since: ended.finished_at,
        });
    };
    let since = last.and_then(|ended| ended.finished_at);
    let said = |what: &str| match clause(&waiting.message) {
        "" => format!("container {}: {what}", status.name),
        message => format!("container {}: {message}", status.name),
    };
    let (problem, reason) = match &*waiting.reason {
        "CrashLoopBackOff" => (
            Problem::CrashLoop,
            last.map_or_else(|| said("it ends again and again"), again),
        ),
        "ErrImagePull"
        | "ImagePullBackOff"
        | "ImageInspectError"
        | "InvalidImageName"
        | "ErrImageNeverPull"
        | "RegistryUnavailable"
        | "SignatureValidationFailed" => (
            Problem::ImagePull,
            format!(
                "image {}: {}",
                status.image,
                match clause(&waiting.message) {
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
        | "PostStartHookError" => (Problem::ConfigError, said(&waiting.reason)),
        _ => return None,
    };
    Some(Ailment { problem, reason, since })
}

/// Explains why no node can run the pod, from a new scheduling decision.
fn decision(triage: &Triage<'_>, scheduler: &Scheduler, pod: &Arc<Pod>) -> Option<String> {
    let said = || {
        pod.condition(condition::POD_SCHEDULED)
            .map(|one| clause(&one.message).to_owned())
    };
    if let Some(unheld) = triage.objects.missing_objects(pod) {
        let unheld = view::missing_objects_view(unheld);
        return Some(match said().filter(|said| !said.is_empty()) {
            Some(said) => format!("{said} (said in the cluster; {unheld})"),
            None => format!("nobody can say why: {unheld}"),
        });
    }
    let Some((cache, decision)) = scheduler.decide(pod) else {
        let by = format!(
            "its scheduler {} is not one that is known here",
            pod.spec.scheduler_name
        );
        return Some(match said().filter(|said| !said.is_empty()) {
            Some(said) => format!("{said} ({by})"),
            None => format!("{by}: nothing says why it waits"),
        });
    };
    let explanation = explain(&cache, &decision);
    if let Some(message) = &explanation.message {
        let mut more = standing::particulars(triage.objects, pod);
        more.extend(devices(&explanation));
        let parts: Vec<&str> = std::iter::once(&**message)
            .chain(more.iter().map(String::as_str))
            .collect();
        return Some(clause(&parts.join(" ")).to_owned());
    }
    if explanation.hosts.is_empty() {
        return said().filter(|said| !said.is_empty());
    }
    let fits = explanation.hosts.join(", ");
    Some(match pod.condition(condition::POD_SCHEDULED).map(|one| &one.status) {
        Some(ConditionStatus::False) => format!("by what the files hold it fits now: on {fits}"),
        _ => format!("it was not scheduled yet: it fits on {fits}"),
    })
}

/// The scheduler's explanation about devices, for the first node with devices that lacks some; without such a node, for
/// the first one.
fn devices(explanation: &Explanation) -> Option<String> {
    let nodes = explanation.nodes.iter();
    let explained: Vec<(&str, &NodeDevices)> = nodes
        .filter_map(|node| Some((node.name.as_str(), node.devices.as_deref()?)))
        .collect();
    let has_devices = |(_, devices): &&(&str, &NodeDevices)| {
        let mut requests = devices.requests.iter();
        requests.any(|request| !request.gets.is_empty() || !request.unsuitable.is_empty())
    };
    let (node, devices) = explained.iter().find(has_devices).or(explained.first())?;
    let lines = device_words::lines(devices).join(". ");
    (!lines.is_empty()).then(|| format!("On {node}: {lines}."))
}

/// Remedies for a pending pod, each verified by the scheduler.
fn placed_by(scheduler: &Scheduler, pod: &Arc<Pod>, classes: &[Arc<PriorityClass>]) -> Vec<String> {
    let mut search = WhatWouldHelp::new(scheduler, pod, classes);
    while search.suggestions().len() < HELP && !search.step().finished {}
    let maker = view::PodCreator::None;
    let found = search.suggestions().iter().take(HELP);
    found
        .map(|suggestion| view::remedy(pod, &maker, suggestion).to_string())
        .collect()
}

/// The reason of the pod's problem, if it has one.
pub(super) fn reason_of(triage: &Triage<'_>, pod: &Pod) -> Option<String> {
    triage.ailment(pod).map(|ailment| ailment.reason)
}
