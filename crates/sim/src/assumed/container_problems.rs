//! Problems of containers of imported pods, for example an image that cannot be pulled. A problem that the status of
//! the pod reports lasts as long as the pod (P-09).

use podscope_api::ordered;
use podscope_api::{
    BEHAVIOR_PREFIX, Container, ContainerStateTerminated, ContainerStatus, Kind, Object, Pod, RestartPolicy, Str, Time,
};

use super::{Assumed, imported_pods};
use crate::Span;

/// Maximum duration of a normal startup or termination, in microseconds: one kubelet sync waits two minutes for
/// volumes.
const NORMAL_DELAY_MICROS: i64 = 120 * 1_000_000;

/// A problem of a container, as the status of its imported pod reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContainerProblem {
    /// The image, with this name, cannot be pulled.
    Pull(Str),
    /// The process exits again in the same way as before.
    Ends {
        /// Run time until the exit.
        after: Span,
        code: i32,
        is_out_of_memory: bool,
    },
    /// An unfinished init container keeps running.
    NeverEnds,
    /// The container's startup probe fails.
    NotStarted,
    /// The container's readiness probe fails.
    NotReady,
    /// The container cannot be created.
    NotCreated {
        /// Reason of the waiting state.
        reason: Str,
        /// The kubelet's message.
        message: Str,
    },
    /// No container of the pod was ever created, for an unknown reason.
    WaitsForever,
    /// The container still runs although its pod is overdue for termination.
    IgnoresTermination,
}

/// Whether each imported Node is Ready, by name.
type NodeReadiness<'o> = ordered::Map<&'o str, bool>;

/// Stores the container problems of all imported pods that are bound to a node.
pub(super) fn store_container_problems(assumed: &mut Assumed, objects: &[Object]) {
    let has_nodes = objects.iter().any(|object| object.kind() == Kind::Node);
    let dump_time = super::dump_time(objects).filter(|_| has_nodes);
    let nodes: NodeReadiness<'_> = (objects.iter())
        .filter_map(|object| match object {
            Object::Node(node) => Some((&*node.metadata.name, node.is_ready())),
            _ => None,
        })
        .collect();
    for pod in imported_pods(objects).filter(|pod| pod.spec.node_name.is_some() && !pod.is_terminal()) {
        let container_problems = problems_of_pod(pod, dump_time, &nodes);
        if !container_problems.is_empty() {
            assumed
                .container_problems
                .insert(pod.metadata.uid.clone(), container_problems);
        }
        if let Some(displayed_status) = displayed_status(pod, dump_time, &nodes) {
            assumed.pods_with_problems.push((pod.metadata.key(), displayed_status));
        }
    }
}

/// Returns every container with a status, and whether it is an init container (not a sidecar).
fn containers_with_status(pod: &Pod) -> impl Iterator<Item = (&Container, &ContainerStatus, bool)> {
    let inits = pod.spec.init_containers.iter().map(|container| {
        let is_init = container.restart_policy.is_none();
        (container, &pod.status.init_container_statuses, is_init)
    });
    let apps = pod.spec.containers.iter();
    inits
        .chain(apps.map(|container| (container, &pod.status.container_statuses, false)))
        .filter_map(|(container, statuses, is_init)| {
            let status = statuses.iter().find(|status| status.name == container.name)?;
            Some((container, status, is_init))
        })
}

fn problems_of_pod(pod: &Pod, dump_time: Option<Time>, nodes: &NodeReadiness<'_>) -> Vec<(Str, ContainerProblem)> {
    let scripted = |container: &Container| {
        let key = format!("{BEHAVIOR_PREFIX}{}", container.name);
        pod.metadata.annotation(&key).is_some()
    };
    let mut container_problems: Vec<(Str, ContainerProblem)> = containers_with_status(pod)
        .filter(|(container, ..)| !scripted(container))
        .filter_map(|(container, status, is_init)| {
            let problem = problem_of_container(pod, container, status, is_init, dump_time)?;
            Some((container.name.clone(), problem))
        })
        .collect();
    if is_overdue(pod, dump_time, nodes) {
        let running = containers_with_status(pod).filter(|(_, status, _)| status.state.running.is_some());
        container_problems = running
            .map(|(container, ..)| (container.name.clone(), ContainerProblem::IgnoresTermination))
            .collect();
    }
    if is_waiting_for_creation(pod) && !is_within_normal_delay(pod.status.start_time, dump_time) {
        container_problems.extend(
            containers_with_status(pod).map(|(container, ..)| (container.name.clone(), ContainerProblem::WaitsForever)),
        );
    }
    container_problems
}

/// Returns whether the pod should have terminated by now and its node is Ready. Also true if the node is not in the
/// dump: then nothing shows that the pod will terminate.
fn is_overdue(pod: &Pod, dump_time: Option<Time>, nodes: &NodeReadiness<'_>) -> bool {
    let Some(until) = pod.metadata.deletion_timestamp else {
        return false;
    };
    let node = pod.spec.node_name.as_ref().and_then(|node| nodes.get(node.as_str()));
    node.is_none_or(|is_ready| *is_ready && !is_within_normal_delay(Some(until), dump_time))
}

/// Returns whether less than `NORMAL_DELAY_MICROS` has passed from `since` to `dump_time`.
fn is_within_normal_delay(since: Option<Time>, dump_time: Option<Time>) -> bool {
    since
        .zip(dump_time)
        .is_some_and(|(since, dump_time)| dump_time.0 - since.0 < NORMAL_DELAY_MICROS)
}

fn problem_of_container(
    pod: &Pod,
    container: &Container,
    status: &ContainerStatus,
    is_init: bool,
    dump_time: Option<Time>,
) -> Option<ContainerProblem> {
    if let Some(waiting) = &status.state.waiting {
        return match &*waiting.reason {
            "CrashLoopBackOff" => status.last_state.terminated.as_ref().map(repeated_exit_problem),
            "ErrImagePull" | "ImagePullBackOff" | "ImageInspectError" | "RegistryUnavailable" => {
                Some(ContainerProblem::Pull(container.image.clone()))
            }
            "CreateContainerConfigError" if missing_configuration(&waiting.message).is_some() => None,
            "CreateContainerConfigError" | "CreateContainerError" | "RunContainerError" => {
                Some(ContainerProblem::NotCreated {
                    reason: waiting.reason.clone(),
                    message: waiting.message.clone(),
                })
            }
            _ => None,
        };
    }
    if let Some(ended) = &status.state.terminated {
        let policy = pod.spec.restart_policy.as_ref();
        let is_restarted = policy.is_none_or(|policy| *policy == RestartPolicy::Always)
            || (policy == Some(&RestartPolicy::OnFailure) && ended.exit_code != 0);
        let is_finished_init = is_init && ended.exit_code == 0;
        return (is_restarted && !is_finished_init).then(|| repeated_exit_problem(ended));
    }
    let running = status.state.running.as_ref()?;
    if is_within_normal_delay(running.started_at, dump_time) {
        return None;
    }
    if is_init {
        return Some(ContainerProblem::NeverEnds);
    }
    match status.started {
        Some(false) if container.startup_probe.is_some() => Some(ContainerProblem::NotStarted),
        _ => (!status.ready && container.readiness_probe.is_some()).then_some(ContainerProblem::NotReady),
    }
}

/// Returns the problem that the process of a container exits again as it did before.
fn repeated_exit_problem(ended: &ContainerStateTerminated) -> ContainerProblem {
    let ran = ended.started_at.zip(ended.finished_at);
    // Times in a status are rounded to whole seconds, so a run of less than a second appears to last zero seconds.
    let shortest_run = 500_000;
    ContainerProblem::Ends {
        after: Span(ran.map_or(shortest_run, |(from, until)| (until.0 - from.0).max(shortest_run))),
        code: ended.exit_code,
        is_out_of_memory: &*ended.reason == "OOMKilled",
    }
}

/// Returns whether no container of the pod was ever created: each unfinished container waits with the reason
/// `ContainerCreating` or `PodInitializing`.
fn is_waiting_for_creation(pod: &Pod) -> bool {
    let is_not_created_reason = |reason: &str| matches!(reason, "ContainerCreating" | "PodInitializing");
    let mut unfinished = containers_with_status(pod).filter(|(_, status, is_init)| {
        let ended = status.state.terminated.as_ref();
        !(*is_init && ended.is_some_and(|ended| ended.exit_code == 0))
    });
    let mut has_any = false;
    unfinished.all(|(_, status, _)| {
        has_any = true;
        let waiting = status.state.waiting.as_ref();
        waiting.is_some_and(|waiting| is_not_created_reason(&waiting.reason))
    }) && has_any
}

/// Returns the status of an unhealthy pod, as `kubectl get pods` prints it.
fn displayed_status(pod: &Pod, dump_time: Option<Time>, nodes: &NodeReadiness<'_>) -> Option<Str> {
    if is_overdue(pod, dump_time, nodes)
        && containers_with_status(pod).any(|(_, status, _)| status.state.running.is_some())
    {
        return Some("Terminating".into());
    }
    if is_waiting_for_creation(pod) {
        return (!is_within_normal_delay(pod.status.start_time, dump_time)).then(|| "ContainerCreating".into());
    }
    containers_with_status(pod).find_map(|(container, status, is_init)| {
        let waiting = status.state.waiting.as_ref();
        if let Some(waiting) = waiting.filter(|waiting| missing_configuration(&waiting.message).is_some()) {
            return Some(waiting.reason.clone());
        }
        Some(
            match problem_of_container(pod, container, status, is_init, dump_time)? {
                ContainerProblem::NotStarted | ContainerProblem::NotReady => "not ready".into(),
                ContainerProblem::NeverEnds => "initializing".into(),
                ContainerProblem::WaitsForever => "ContainerCreating".into(),
                ContainerProblem::IgnoresTermination => "Terminating".into(),
                ContainerProblem::Pull(_) | ContainerProblem::NotCreated { .. } => waiting?.reason.clone(),
                ContainerProblem::Ends { .. } => match &status.state.terminated {
                    Some(ended) => ended.reason.clone(),
                    None => "CrashLoopBackOff".into(),
                },
            },
        )
    })
}

/// A ConfigMap or Secret, or a key of one, that a kubelet did not find.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MissingConfiguration {
    pub(super) kind: Kind,
    pub(super) name: Str,
    pub(super) key: Option<Str>,
}

/// Returns the ConfigMap, Secret or key that a kubelet's message reports as missing.
pub(super) fn missing_configuration(message: &str) -> Option<MissingConfiguration> {
    for (kind, prefix) in [(Kind::ConfigMap, "configmap \""), (Kind::Secret, "secret \"")] {
        if let Some(name) = message
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_suffix("\" not found"))
        {
            return Some(MissingConfiguration {
                kind,
                name: name.into(),
                key: None,
            });
        }
    }
    let (key, place) = message.strip_prefix("couldn't find key ")?.split_once(" in ")?;
    let (kind, place) = place.split_once(' ')?;
    Some(MissingConfiguration {
        kind: match kind {
            "ConfigMap" => Kind::ConfigMap,
            "Secret" => Kind::Secret,
            _ => return None,
        },
        name: place.split_once('/')?.1.into(),
        key: Some(key.into()),
    })
}
