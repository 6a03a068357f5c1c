//! What would help a pending pod, for the page: the scheduler's own change, with the line that makes it.

use std::sync::Arc;

use podscope_api::{Kind, Object, ObjectKey, Pod, ReplicaSet, Str};
use podscope_cluster::Objects;
use podscope_protocol::Remedy;
use podscope_scheduler::what_would_help::{Change, Suggestion};

/// Who makes a pod anew if it is to be another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Maker {
    /// Nobody who is here.
    Nobody,
    /// This Deployment or DaemonSet, whenever its template changes.
    Template(Kind, Str),
    /// One that makes it as it was, or only once it is ready.
    Other,
}

impl Maker {
    /// That of a pod.
    pub(crate) fn of(objects: &Objects, pod: &Pod) -> Maker {
        let Some(mut owner) = pod.metadata.controller_ref().cloned() else {
            return Maker::Nobody;
        };
        let key = |name: &Str| ObjectKey::new(pod.metadata.namespace.clone(), name.clone());
        if &*owner.kind == "ReplicaSet" {
            let Some(set) = objects.get::<ReplicaSet>(&key(&owner.name)) else {
                return Maker::Nobody;
            };
            match set.metadata.controller_ref() {
                Some(above) => owner = above.clone(),
                None => return Maker::Other,
            }
        }
        let kind = Kind::from_wire(&owner.api_version, &owner.kind);
        match kind.filter(|kind| objects.get_kind(*kind, &key(&owner.name)).is_some()) {
            Some(kind @ (Kind::Deployment | Kind::DaemonSet)) => Maker::Template(kind, owner.name),
            Some(_) => Maker::Other,
            None => Maker::Nobody,
        }
    }
}

pub(crate) fn remedy(pod: &Pod, maker: &Maker, suggestion: &Suggestion) -> Remedy {
    Remedy {
        command: command(pod, maker, &suggestion.change).unwrap_or_default(),
        change: suggestion.change.clone(),
        then: suggestion.then.clone(),
    }
}

/// The line that makes the change; none where the API lets nobody make it, as of most rules of a pod.
#[expect(clippy::too_many_lines, reason = "a table: one command a change")]
pub(crate) fn command(pod: &Pod, maker: &Maker, change: &Change) -> Option<String> {
    let patch = |how: &str, what: String| {
        let (name, namespace) = (&pod.metadata.name, &pod.metadata.namespace);
        Some(format!("kubectl patch pod {name} -n {namespace} {how} -p '{what}'"))
    };
    match change {
        Change::Uncordon { node } => Some(format!("kubectl uncordon {node}")),
        Change::Untaint {
            node,
            key,
            value,
            effect,
        } => {
            let value = if value.is_empty() {
                String::new()
            } else {
                format!("={value}")
            };
            Some(format!("kubectl taint node {node} {key}{value}:{effect}-"))
        }
        Change::Ungate { .. } => patch(
            "--type=json",
            r#"[{"op":"remove","path":"/spec/schedulingGates"}]"#.to_owned(),
        ),
        Change::Label { node, key, value } => Some(format!("kubectl label node {node} {key}={value}")),
        Change::DeletePod { pod, .. } => {
            let (namespace, name) = pod.split_once('/')?;
            Some(format!("kubectl delete pod {name} -n {namespace}"))
        }
        Change::Tolerate { key, value, effect } => {
            let toleration = format!(r#"{{"key":"{key}","operator":"Equal","value":"{value}","effect":"{effect}"}}"#);
            let (path, added) = match pod.spec.tolerations.is_empty() {
                true => ("", format!("[{toleration}]")),
                false => ("/-", toleration),
            };
            let what = format!(r#"[{{"op":"add","path":"/spec/tolerations{path}","value":{added}}}]"#);
            patch("--type=json", what)
        }
        Change::Shrink {
            resource,
            container,
            request,
            with_limit,
            ..
        } => {
            let amount = format!(r#"{{"{resource}":"{request}"}}"#);
            let limits = match with_limit {
                true => format!(r#","limits":{amount}"#),
                false => String::new(),
            };
            let resources = format!(r#"{{"requests":{amount}{limits}}}"#);
            let what = format!(r#"{{"spec":{{"containers":[{{"name":"{container}","resources":{resources}}}]}}}}"#);
            patch("--subresource=resize", what)
        }
        Change::Offer { node, resource, amount } => {
            let list = format!(r#"{{"{resource}":"{amount}"}}"#);
            let what = format!(r#"{{"status":{{"capacity":{list},"allocatable":{list}}}}}"#);
            Some(format!("kubectl patch node {node} --subresource=status -p '{what}'"))
        }
        Change::AddPod { pod, namespace, labels } => {
            let image = "registry.k8s.io/pause:3.10";
            Some(format!(
                "kubectl run {pod} -n {namespace} --image={image} --labels={labels}"
            ))
        }
        Change::AddNode { node, .. } => {
            let labels = if node.labels.is_empty() { "" } else { " --labels " };
            let (name, capacity) = (&node.name, &node.capacity);
            Some(format!(
                "fault join {name}{labels}{} --capacity {capacity}",
                node.labels
            ))
        }
        Change::Scheduler { to } => with_scheduler(pod, maker, to),
        Change::MaxSkew { .. }
        | Change::HonorTaints { .. }
        | Change::MinDomains { .. }
        | Change::Soften { .. }
        | Change::Drop { .. }
        | Change::DropRequest { .. }
        | Change::Priority { .. }
        | Change::AllowPreemption => None,
    }
}

/// A pod's scheduler is for ever: its template gets another one, or it is replaced by a pod that is like it.
fn with_scheduler(pod: &Pod, maker: &Maker, scheduler: &str) -> Option<String> {
    let namespace = &pod.metadata.namespace;
    match maker {
        Maker::Other => None,
        Maker::Template(kind, name) => {
            let patch = format!(r#"{{"spec":{{"template":{{"spec":{{"schedulerName":"{scheduler}"}}}}}}}}"#);
            Some(format!(
                "kubectl patch {} {name} -n {namespace} -p '{patch}'",
                kind.singular()
            ))
        }
        Maker::Nobody => {
            let mut value = Object::Pod(Arc::new(pod.clone())).to_value();
            let fields = value.as_object_mut()?;
            fields.remove("status");
            let spec = fields.get_mut("spec")?.as_object_mut()?;
            spec.insert("schedulerName".into(), scheduler.into());
            let metadata = fields.get_mut("metadata")?.as_object_mut()?;
            metadata.retain(|field, _| {
                matches!(
                    field.as_str(),
                    "name" | "namespace" | "labels" | "annotations" | "ownerReferences" | "finalizers"
                )
            });
            Some(format!("kubectl replace --force -f - <<'EOF'\n{value}\nEOF"))
        }
    }
}
