//! Pods of a dump that do not run as they should: what the status tells of it lasts as long as the pod does (P-09).

use podscope_api::ordered;
use podscope_api::{
    BEHAVIOR_PREFIX, Container, ContainerStateTerminated, ContainerStatus, Kind, Object, Pod, RestartPolicy, Str, Time,
};

use super::{Assumed, pods};
use crate::Span;

/// For so long a pod may well be on its way: a sync of the kubelet waits two minutes for volumes.
const ON_ITS_WAY: i64 = 120 * 1_000_000;

/// What is wrong with a container, as the status of its imported pod tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// This image cannot be pulled.
    Pull(Str),
    /// It ends again as it did.
    Ends {
        /// So long after its start.
        after: Span,
        /// Its exit code.
        code: i32,
        /// Whether it was killed for the memory it used.
        is_out_of_memory: bool,
    },
    /// An init container that had not done its work runs on.
    RunsOn,
    /// Its startup probe fails.
    NotStarted,
    /// Its readiness probe fails.
    NotReady,
    /// It cannot be created, for this reason, with the kubelet's message.
    NotCreated {
        /// As the state tells it.
        reason: Str,
        /// As the state tells it.
        message: Str,
    },
    /// Nothing of the pod is made, and nothing says why.
    Waits,
    /// It was to end, and does not.
    Outlives,
}

/// Nodes of the files, each with whether it is Ready.
type Nodes<'o> = ordered::Map<&'o str, bool>;

/// Notes the troubles of what is imported.
pub(super) fn note(assumed: &mut Assumed, objects: &[Object]) {
    let newest = super::newest_time(objects);
    let has_nodes = objects.iter().any(|object| object.kind() == Kind::Node);
    let newest = newest.filter(|_| has_nodes);
    let nodes: Nodes<'_> = (objects.iter())
        .filter_map(|object| match object {
            Object::Node(node) => Some((&*node.metadata.name, node.is_ready())),
            _ => None,
        })
        .collect();
    for pod in pods(objects).filter(|pod| pod.spec.node_name.is_some() && !pod.is_terminal()) {
        let troubles = of_pod(pod, newest, &nodes);
        if !troubles.is_empty() {
            assumed.troubles.insert(pod.metadata.uid.clone(), troubles);
        }
        if let Some(word) = word(pod, newest, &nodes) {
            assumed.troubled.push((pod.metadata.key(), word));
        }
    }
}

/// Every container that a status tells of, with whether it is an init container.
fn told(pod: &Pod) -> impl Iterator<Item = (&Container, &ContainerStatus, bool)> {
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

fn of_pod(pod: &Pod, newest: Option<Time>, nodes: &Nodes<'_>) -> Vec<(Str, Trouble)> {
    let scripted = |container: &Container| {
        let key = format!("{BEHAVIOR_PREFIX}{}", container.name);
        pod.metadata.annotation(&key).is_some()
    };
    let mut troubles: Vec<(Str, Trouble)> = told(pod)
        .filter(|(container, ..)| !scripted(container))
        .filter_map(|(container, status, is_init)| {
            let trouble = of_container(pod, container, status, is_init, newest)?;
            Some((container.name.clone(), trouble))
        })
        .collect();
    if is_overdue(pod, newest, nodes) {
        let running = told(pod).filter(|(_, status, _)| status.state.running.is_some());
        troubles = running
            .map(|(container, ..)| (container.name.clone(), Trouble::Outlives))
            .collect();
    }
    if waits(pod) && !is_on_its_way(pod.status.start_time, newest) {
        troubles.extend(told(pod).map(|(container, ..)| (container.name.clone(), Trouble::Waits)));
    }
    troubles
}

/// Whether the pod should have ended by now, and its node is not known to be lost; of a node that the files do not have,
/// nothing says that it ends the pod.
fn is_overdue(pod: &Pod, newest: Option<Time>, nodes: &Nodes<'_>) -> bool {
    let Some(until) = pod.metadata.deletion_timestamp else {
        return false;
    };
    let node = pod.spec.node_name.as_ref().and_then(|node| nodes.get(node.as_str()));
    node.is_none_or(|is_ready| *is_ready && !is_on_its_way(Some(until), newest))
}

fn is_on_its_way(since: Option<Time>, newest: Option<Time>) -> bool {
    since
        .zip(newest)
        .is_some_and(|(since, newest)| newest.0 - since.0 < ON_ITS_WAY)
}

fn of_container(
    pod: &Pod,
    container: &Container,
    status: &ContainerStatus,
    is_init: bool,
    newest: Option<Time>,
) -> Option<Trouble> {
    if let Some(waiting) = &status.state.waiting {
        return match &*waiting.reason {
            "CrashLoopBackOff" => status.last_state.terminated.as_ref().map(ends),
            "ErrImagePull" | "ImagePullBackOff" | "ImageInspectError" | "RegistryUnavailable" => {
                Some(Trouble::Pull(container.image.clone()))
            }
            "CreateContainerConfigError" if missing_configuration(&waiting.message).is_some() => None,
            "CreateContainerConfigError" | "CreateContainerError" | "RunContainerError" => Some(Trouble::NotCreated {
                reason: waiting.reason.clone(),
                message: waiting.message.clone(),
            }),
            _ => None,
        };
    }
    if let Some(ended) = &status.state.terminated {
        let policy = pod.spec.restart_policy.as_ref();
        let is_started_again = policy.is_none_or(|policy| *policy == RestartPolicy::Always)
            || (policy == Some(&RestartPolicy::OnFailure) && ended.exit_code != 0);
        let has_done_its_work = is_init && ended.exit_code == 0;
        return (is_started_again && !has_done_its_work).then(|| ends(ended));
    }
    let running = status.state.running.as_ref()?;
    if is_on_its_way(running.started_at, newest) {
        return None;
    }
    if is_init {
        return Some(Trouble::RunsOn);
    }
    match status.started {
        Some(false) if container.startup_probe.is_some() => Some(Trouble::NotStarted),
        _ => (!status.ready && container.readiness_probe.is_some()).then_some(Trouble::NotReady),
    }
}

fn ends(ended: &ContainerStateTerminated) -> Trouble {
    let ran = ended.started_at.zip(ended.finished_at);
    // Times of a status are whole seconds.
    let least = 500_000;
    Trouble::Ends {
        after: Span(ran.map_or(least, |(from, until)| (until.0 - from.0).max(least))),
        code: ended.exit_code,
        is_out_of_memory: &*ended.reason == "OOMKilled",
    }
}

/// Whether nothing of the pod was ever made: each container that has not done its work waits for what comes before it.
fn waits(pod: &Pod) -> bool {
    let is_before = |reason: &str| matches!(reason, "ContainerCreating" | "PodInitializing");
    let mut left = told(pod).filter(|(_, status, is_init)| {
        let ended = status.state.terminated.as_ref();
        !(*is_init && ended.is_some_and(|ended| ended.exit_code == 0))
    });
    let mut any = false;
    left.all(|(_, status, _)| {
        any = true;
        let waiting = status.state.waiting.as_ref();
        waiting.is_some_and(|waiting| is_before(&waiting.reason))
    }) && any
}

/// What a pod that is not well waits for, in the words of `kubectl get pods`.
fn word(pod: &Pod, newest: Option<Time>, nodes: &Nodes<'_>) -> Option<Str> {
    if is_overdue(pod, newest, nodes) && told(pod).any(|(_, status, _)| status.state.running.is_some()) {
        return Some("Terminating".into());
    }
    if waits(pod) {
        return (!is_on_its_way(pod.status.start_time, newest)).then(|| "ContainerCreating".into());
    }
    told(pod).find_map(|(container, status, is_init)| {
        let waiting = status.state.waiting.as_ref();
        if let Some(waiting) = waiting.filter(|waiting| missing_configuration(&waiting.message).is_some()) {
            return Some(waiting.reason.clone());
        }
        Some(match of_container(pod, container, status, is_init, newest)? {
            Trouble::NotStarted | Trouble::NotReady => "not ready".into(),
            Trouble::RunsOn => "initializing".into(),
            Trouble::Waits => "ContainerCreating".into(),
            Trouble::Outlives => "Terminating".into(),
            Trouble::Pull(_) | Trouble::NotCreated { .. } => waiting?.reason.clone(),
            Trouble::Ends { .. } => match &status.state.terminated {
                Some(ended) => ended.reason.clone(),
                None => "CrashLoopBackOff".into(),
            },
        })
    })
}

/// A ConfigMap or Secret, or a key of one, that a kubelet looked for in vain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Missing {
    pub(super) kind: Kind,
    pub(super) name: Str,
    pub(super) key: Option<Str>,
}

/// What a kubelet's message says is not there.
pub(super) fn missing_configuration(message: &str) -> Option<Missing> {
    for (kind, word) in [(Kind::ConfigMap, "configmap \""), (Kind::Secret, "secret \"")] {
        if let Some(name) = message
            .strip_prefix(word)
            .and_then(|rest| rest.strip_suffix("\" not found"))
        {
            return Some(Missing {
                kind,
                name: name.into(),
                key: None,
            });
        }
    }
    let (key, place) = message.strip_prefix("couldn't find key ")?.split_once(" in ")?;
    let (kind, place) = place.split_once(' ')?;
    Some(Missing {
        kind: match kind {
            "ConfigMap" => Kind::ConfigMap,
            "Secret" => Kind::Secret,
            _ => return None,
        },
        name: place.split_once('/')?.1.into(),
        key: Some(key.into()),
    })
}
