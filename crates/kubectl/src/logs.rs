//! `kubectl logs` of a pod, of one pod of a workload, or of all pods that a selector matches.

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::condition;
use podscope_api::{Kind, Object, ObjectKey, Pod};
use podscope_cluster::SimTime;

use super::command::{Logs, Since};
use super::selector::{LabelQuery, invalid_selector_message};
use super::{FollowedContainer, Printed, View};
use crate::get::is_namespace_absent;
use crate::refusals::bad_request;

/// Returns the Go type name of a kind: `v1.Node`.
pub(crate) fn go_type_of_kind(kind: Kind) -> String {
    let version = kind.api_version().rsplit('/').next().unwrap_or_default();
    format!("{version}.{}", kind.name())
}

/// Prints the logs. The containers are simulated; their logs are their life-cycle events.
pub(super) fn logs(logs: &Logs, view: &View<'_>, printed: &mut Printed) {
    match requested_pods(logs, view, printed) {
        Ok(pods) if pods.is_empty() => {
            printed.print_no_objects(format!("No resources found in {} namespace.", namespace(logs)))
        }
        Ok(pods) => pods.iter().for_each(|pod| print_pod(logs, pod, view, printed)),
        Err(message) => printed.fail(message),
    }
}

/// Returns the requested containers that may still write log lines (`logs -f`).
pub(super) fn followed_containers(logs: &Logs, view: &View<'_>) -> Vec<FollowedContainer> {
    let mut discarded = Printed::default();
    let pods = requested_pods(logs, view, &mut discarded).unwrap_or_default();
    let can_write = |pod: &Pod, name: &str| {
        let ended =
            |status: &&podscope_api::ContainerStatus| *status.name == *name && status.state.terminated.is_some();
        let statuses = pod.status.container_statuses.iter();
        !pod.is_terminal()
            && !statuses
                .chain(&pod.status.init_container_statuses)
                .any(|one| ended(&one))
    };
    let mut followed = Vec::new();
    for pod in pods {
        let names = requested_containers(logs, &pod);
        if logs.previous || missing_logs_error(logs, &pod, &names, view).is_some() {
            continue;
        }
        for container in names {
            if can_write(&pod, &container) {
                followed.push(FollowedContainer {
                    uid: pod.metadata.uid.clone(),
                    prefix: line_prefix(logs, &pod, &container),
                    start: logs.timestamps.then_some(view.start),
                    container,
                });
            }
        }
    }
    followed
}

fn namespace(logs: &Logs) -> &str {
    logs.namespace.as_deref().unwrap_or("default")
}

/// Returns the pods whose logs are requested.
fn requested_pods(logs: &Logs, view: &View<'_>, printed: &mut Printed) -> Result<Vec<Arc<Pod>>, String> {
    match (&logs.selector, logs.pod.split_once('/')) {
        (Some(selector), _) => match LabelQuery::parse(selector) {
            Ok(query) => Ok(pods_in_namespace(logs, view)
                .filter(|pod| query.matches(&Object::Pod((*pod).clone())))
                .cloned()
                .collect()),
            Err(why) => Err(bad_request(invalid_selector_message(Kind::Pod, selector, "", &why)).into()),
        },
        (None, Some((kind, name))) => pod_of_workload(logs, kind, name, view, printed).map(|pod| vec![pod]),
        (None, None) => match view
            .objects
            .get::<Pod>(&ObjectKey::new(namespace(logs), logs.pod.as_str()))
        {
            Some(pod) => Ok(vec![pod.clone()]),
            None => Err(not_found_in(Kind::Pod, &logs.pod, logs, view)),
        },
    }
}

/// Returns kubectl's error about an object that does not exist, or about its namespace if the namespace does not exist.
fn not_found_in(kind: Kind, name: &str, logs: &Logs, view: &View<'_>) -> String {
    let namespace = namespace(logs);
    let (kind, name) = match is_namespace_absent(namespace, view.objects) {
        true => (Kind::Namespace, namespace),
        false => (kind, name),
    };
    let plural = kind.qualified_plural();
    format!("error: error from server (NotFound): {plural} {name:?} not found in namespace {namespace:?}")
}

fn pods_in_namespace<'v>(logs: &Logs, view: &'v View<'_>) -> impl Iterator<Item = &'v Arc<Pod>> {
    view.objects.list_in::<Pod>(namespace(logs))
}

/// Returns the pod that kubectl selects from a workload: preferably scheduled, running, and ready for the longest time.
/// If the workload has several pods, prints their number.
fn pod_of_workload(
    logs: &Logs,
    kind: &str,
    name: &str,
    view: &View<'_>,
    printed: &mut Printed,
) -> Result<Arc<Pod>, String> {
    let kind = Kind::from_resource_name(kind).unwrap_or(Kind::Deployment);
    let key = ObjectKey::new(namespace(logs), name);
    let object = view.objects.get_kind(kind, &key);
    let object = object.ok_or_else(|| not_found_in(kind, name, logs, view))?;
    let value = object.to_value();
    let (at, is_plain) = match kind {
        Kind::Service | Kind::ReplicationController => ("/spec/selector", true),
        _ => ("/spec/selector/matchLabels", false),
    };
    let wanted = value.pointer(at).and_then(serde_json::Value::as_object);
    let Some(wanted) = wanted.filter(|wanted| is_plain || !wanted.is_empty()) else {
        return Err(format!(
            "error: cannot get the logs from *{}: selector for *{} not implemented",
            go_type_of_kind(kind),
            go_type_of_kind(kind)
        ));
    };
    let is_selected = |pod: &&Arc<Pod>| {
        wanted
            .iter()
            .all(|(key, value)| pod.metadata.label(key) == value.as_str())
    };
    let mut pods: Vec<Arc<Pod>> = pods_in_namespace(logs, view).filter(is_selected).cloned().collect();
    pods.stable_sort_by_key(|pod| {
        let ready = pod
            .status
            .conditions
            .iter()
            .find(|condition| &*condition.kind == condition::READY);
        let since = ready.and_then(|condition| condition.last_transition_time);
        let restarts: i32 = pod
            .status
            .container_statuses
            .iter()
            .map(|one| one.restart_count)
            .max()
            .unwrap_or(0);
        (
            pod.spec.node_name.is_none(),
            pod.status.phase != Some(podscope_api::PodPhase::Running),
            !pod.is_ready(),
            since,
            std::cmp::Reverse((restarts, pod.metadata.creation_timestamp)),
        )
    });
    let found = pods.len();
    let pod = pods.into_iter().next();
    let pod = pod.ok_or_else(|| "error: timed out waiting for the condition".to_owned())?;
    if found > 1 {
        printed.err(format!("Found {found} pods, using pod/{}", pod.metadata.name));
    }
    Ok(pod)
}

/// Returns the names of the requested containers of a pod.
fn requested_containers(logs: &Logs, pod: &Pod) -> Vec<String> {
    let all = || pod.spec.all_containers().map(|container| container.name.to_string());
    match &logs.container {
        _ if logs.all_containers => all().collect(),
        Some(name) => vec![name.clone()],
        None => {
            let first = pod.spec.containers.first();
            first.map(|container| container.name.to_string()).into_iter().collect()
        }
    }
}

/// Returns the text that `--prefix` prints before each line.
fn line_prefix(logs: &Logs, pod: &Pod, container: &str) -> String {
    match logs.prefix {
        true => format!("[pod/{}/{container}] ", pod.metadata.name),
        false => String::new(),
    }
}

fn print_pod(logs: &Logs, pod: &Arc<Pod>, view: &View<'_>, printed: &mut Printed) {
    let names = requested_containers(logs, pod);
    let all: Vec<&str> = pod.spec.all_containers().map(|container| &*container.name).collect();
    if logs.container.is_none() && !logs.all_containers && all.len() > 1 {
        let first = names.first().map_or("", String::as_str);
        printed.err(format!("Defaulted container {first:?} out of: {}", all.join(", ")));
    }
    if let Some(why) = missing_logs_error(logs, pod, &names, view) {
        return printed.fail(why);
    }
    let mut lines = Vec::new();
    for name in &names {
        let prefix = line_prefix(logs, pod, name);
        let whole = (view.logs)(pod, name, logs.previous);
        let limited = limit_lines(logs, whole, view).into_iter();
        lines.extend(limited.map(|(at, text)| (at, format!("{prefix}{text}"))));
    }
    lines.stable_sort_by_key(|(at, _)| *at);
    for (_, text) in lines {
        printed.out(text);
    }
}

/// Returns an error if one of these containers of a pod has no logs, because it does not exist or has not started yet.
fn missing_logs_error(logs: &Logs, pod: &Arc<Pod>, names: &[String], view: &View<'_>) -> Option<String> {
    let pod_name = &*pod.metadata.name;
    let exists = |name: &String| pod.spec.all_containers().any(|container| *container.name == **name);
    if let Some(name) = logs
        .container
        .as_ref()
        .filter(|name| !logs.all_containers && !exists(name))
    {
        let all: Vec<&str> = pod.spec.all_containers().map(|container| &*container.name).collect();
        let all = all.join(", ");
        return Some(format!(
            "error: container {name} is not valid for pod {pod_name} out of: {all}"
        ));
    }
    let mut statuses = (pod.status.container_statuses.iter()).chain(&pod.status.init_container_statuses);
    // For `--previous`, the kubelet checks first whether the container has a terminated previous instance.
    let has_no_previous = |name: &&String| {
        statuses
            .clone()
            .any(|status| *status.name == ***name && status.last_state.terminated.is_none())
    };
    if let Some(name) = names.iter().find(|name| logs.previous && has_no_previous(name)) {
        let error = bad_request(format!(
            "previous terminated container {name:?} in pod {pod_name:?} not found"
        ));
        return Some(error.into());
    }
    let is_waiting = pod.spec.node_name.is_some()
        && statuses.any(|status| status.state.waiting.is_some() && names.iter().any(|name| **name == *status.name));
    if !is_waiting
        || names
            .iter()
            .any(|name| !(view.logs)(pod, name, logs.previous).is_empty())
    {
        return None;
    }
    let mut waiting = (pod.status.container_statuses.iter()).filter_map(|status| status.state.waiting.as_ref());
    let reason = waiting.next().map_or("ContainerCreating", |waiting| &waiting.reason);
    let error = bad_request(format!(
        "container {:?} in pod {pod_name:?} is waiting to start: {reason}",
        names.first().map_or("", String::as_str),
    ));
    Some(error.into())
}

/// Applies `--since`, then `--tail`, then `--limit-bytes` to the lines of a container.
fn limit_lines(logs: &Logs, whole: Vec<(SimTime, String)>, view: &View<'_>) -> Vec<(SimTime, String)> {
    let oldest = logs.since.map(|since| match since {
        Since::Ago(ago) => view.now.0 - view.start.0 - ago.0,
        Since::At(at) => at.0 - view.start.0,
    });
    let mut lines: Vec<(SimTime, String)> = whole
        .into_iter()
        .filter(|(at, _)| oldest.is_none_or(|oldest| at.0 >= oldest))
        .map(|(at, text)| match logs.timestamps {
            true => (
                at,
                format!("{} {text}", podscope_api::print_rfc3339(view.start.0 + at.0, 6)),
            ),
            false => (at, text),
        })
        .collect();
    let skip = usize::try_from(logs.tail).map_or(0, |tail| lines.len().saturating_sub(tail));
    lines.drain(..skip);
    if logs.limit_bytes == 0 {
        return lines;
    }
    let mut bytes_left = usize::try_from(logs.limit_bytes).unwrap_or(usize::MAX);
    for (_, text) in &mut lines {
        let end = (0..=bytes_left.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or(0);
        // The line break after the text counts as one byte of `--limit-bytes`.
        bytes_left = bytes_left.saturating_sub(text.len() + 1);
        text.truncate(end);
    }
    lines.retain(|(_, text)| !text.is_empty());
    lines
}
