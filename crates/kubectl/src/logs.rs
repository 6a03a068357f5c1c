//! `logs`: of a pod, of one pod of a workload, or of all that a selector matches.

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, Object, ObjectKey, Pod};
use podscope_cluster::SimTime;

use super::command::Since;
use super::selector::{LabelQuery, refused};
use super::{Printed, View};

/// `v1.Node`, as Go names the type of a kind.
pub(crate) fn go_type(kind: Kind) -> String {
    let version = kind.api_version().rsplit('/').next().unwrap_or_default();
    format!("{version}.{}", kind.name())
}

/// What `logs` was asked for.
pub(super) struct Logs<'a> {
    pub(super) pod: &'a str,
    pub(super) selector: Option<&'a str>,
    pub(super) namespace: &'a str,
    pub(super) container: Option<&'a str>,
    pub(super) previous: bool,
    pub(super) all_containers: bool,
    pub(super) timestamps: bool,
    pub(super) prefix: bool,
    pub(super) follow: bool,
    pub(super) since: Option<Since>,
    pub(super) limit_bytes: u64,
    pub(super) tail: i64,
}

/// `kubectl logs`: the scripted containers' life events.
pub(super) fn logs(logs: &Logs<'_>, view: &View<'_>, printed: &mut Printed) {
    let pods = match (logs.selector, logs.pod.split_once('/')) {
        (Some(selector), _) => match LabelQuery::parse(selector) {
            Ok(query) => in_namespace(logs, view)
                .filter(|pod| query.matches(&Object::Pod((*pod).clone())))
                .cloned()
                .collect(),
            Err(why) => {
                let why = refused(Kind::Pod, selector, "", &why);
                return printed.fail(format!("Error from server (BadRequest): {why}"));
            }
        },
        (None, Some((kind, name))) => match of_workload(logs, kind, name, view, printed) {
            Ok(pod) => vec![pod],
            Err(message) => return printed.fail(message),
        },
        (None, None) => match view.objects.get::<Pod>(&ObjectKey::new(logs.namespace, logs.pod)) {
            Some(pod) => vec![pod.clone()],
            None => {
                return printed.fail(format!(
                    "error: error from server (NotFound): pods {:?} not found in namespace {:?}",
                    logs.pod, logs.namespace
                ));
            }
        },
    };
    if pods.is_empty() {
        return printed.err(format!("No resources found in {} namespace.", logs.namespace));
    }
    pods.iter().for_each(|pod| of_pod(logs, pod, view, printed));
    if logs.follow && printed.status == 0 && pods.iter().any(|pod| !pod.is_terminal()) {
        printed.err("logs -f: this is what there is up to now; give the command again for what comes later");
    }
}

fn in_namespace<'v>(logs: &Logs<'_>, view: &'v View<'_>) -> impl Iterator<Item = &'v Arc<Pod>> {
    view.objects.list_in::<Pod>(logs.namespace)
}

/// The pod of a workload that kubectl takes: one that runs and is ready, for long; how many there were is told.
fn of_workload(
    logs: &Logs<'_>,
    kind: &str,
    name: &str,
    view: &View<'_>,
    printed: &mut Printed,
) -> Result<Arc<Pod>, String> {
    let kind = Kind::from_resource_name(kind).unwrap_or(Kind::Deployment);
    let key = ObjectKey::new(logs.namespace, name);
    let object = view.objects.get_kind(kind, &key);
    let object = object.ok_or_else(|| {
        format!(
            "error: error from server (NotFound): {} {name:?} not found in namespace {:?}",
            kind.qualified_plural(),
            logs.namespace
        )
    })?;
    let value = object.to_value();
    let (at, is_plain) = match kind {
        Kind::Service | Kind::ReplicationController => ("/spec/selector", true),
        _ => ("/spec/selector/matchLabels", false),
    };
    let wanted = value.pointer(at).and_then(serde_json::Value::as_object);
    let Some(wanted) = wanted.filter(|wanted| is_plain || !wanted.is_empty()) else {
        return Err(format!(
            "error: cannot get the logs from *{}: selector for *{} not implemented",
            go_type(kind),
            go_type(kind)
        ));
    };
    let is_of = |pod: &&Arc<Pod>| {
        wanted
            .iter()
            .all(|(key, value)| pod.metadata.label(key) == value.as_str())
    };
    let mut pods: Vec<Arc<Pod>> = in_namespace(logs, view).filter(is_of).cloned().collect();
    pods.stable_sort_by_key(|pod| {
        let ready = pod
            .status
            .conditions
            .iter()
            .find(|condition| &*condition.kind == "Ready");
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

fn of_pod(logs: &Logs<'_>, pod: &Arc<Pod>, view: &View<'_>, printed: &mut Printed) {
    let name_of_pod = &*pod.metadata.name;
    let names: Vec<String> = if logs.all_containers {
        pod.spec
            .all_containers()
            .map(|container| container.name.to_string())
            .collect()
    } else if let Some(name) = logs.container {
        if !pod.spec.all_containers().any(|container| *container.name == *name) {
            return printed.fail(format!("error: container {name} is not valid for pod {}", name_of_pod));
        }
        vec![name.to_owned()]
    } else {
        let all: Vec<&str> = pod.spec.all_containers().map(|container| &*container.name).collect();
        let first = pod
            .spec
            .containers
            .first()
            .map(|container| container.name.to_string())
            .unwrap_or_default();
        if all.len() > 1 {
            printed.err(format!("Defaulted container {first:?} out of: {}", all.join(", ")));
        }
        vec![first]
    };
    let prefix = |container: &str| match logs.prefix {
        true => format!("[pod/{name_of_pod}/{container}] "),
        false => String::new(),
    };
    let (mut lines, mut is_empty) = (Vec::new(), true);
    for name in &names {
        let lead = prefix(name);
        let whole = (view.logs)(pod, name, logs.previous);
        is_empty &= whole.is_empty();
        let shown = shown(logs, whole, view).into_iter();
        lines.extend(shown.map(|(at, text)| (at, format!("{lead}{text}"))));
    }
    lines.stable_sort_by_key(|(at, _)| *at);
    if is_empty && pod.spec.node_name.is_some() {
        let waiting = names.iter().any(|name| {
            pod.status
                .container_statuses
                .iter()
                .chain(&pod.status.init_container_statuses)
                .any(|status| *status.name == **name && status.state.waiting.is_some())
        });
        if waiting {
            let reason = pod
                .status
                .container_statuses
                .iter()
                .find_map(|status| status.state.waiting.as_ref())
                .map_or("ContainerCreating", |waiting| &waiting.reason);
            return printed.fail(format!(
                "Error from server (BadRequest): container {:?} in pod {:?} is waiting to start: {reason}",
                names.first().map_or("", String::as_str),
                name_of_pod
            ));
        }
    }
    for (_, text) in lines {
        printed.out(text);
    }
}

/// What is shown of a container's log: what is not too old, of that the last lines, of these the first bytes.
fn shown(logs: &Logs<'_>, whole: Vec<(SimTime, String)>, view: &View<'_>) -> Vec<(SimTime, String)> {
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
    let mut left = usize::try_from(logs.limit_bytes).unwrap_or(usize::MAX);
    for (_, text) in &mut lines {
        let end = (0..=left.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or(0);
        // Each line ends with a byte of its own.
        left = left.saturating_sub(text.len() + 1);
        text.truncate(end);
    }
    lines.retain(|(_, text)| !text.is_empty());
    lines
}
