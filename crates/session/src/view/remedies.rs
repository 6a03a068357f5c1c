//! Suggested changes for a pending pod: the changes that the scheduler finds, and the commands for them.

use std::sync::Arc;

use podscope_api::{Kind, Object, ObjectKey, Pod, ReplicaSet, Str};
use podscope_cluster::Objects;
use podscope_protocol::Remedy;
use podscope_scheduler::what_would_help::{Change, Suggestion};

/// The controller that would create the pod again with a suggested change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PodCreator {
    /// The pod has no controller, or the controller no longer exists.
    None,
    /// A Deployment or DaemonSet. It creates new pods when its template changes.
    Template(Kind, Str),
    /// Any other controller. It creates the pod again unchanged, or changes a pod only after that pod is ready.
    Other,
}

impl PodCreator {
    pub(crate) fn of(objects: &Objects, pod: &Pod) -> PodCreator {
        let Some(mut owner) = pod.metadata.controller_ref().cloned() else {
            return PodCreator::None;
        };
        let key = |name: &Str| ObjectKey::new(pod.metadata.namespace.clone(), name.clone());
        if &*owner.kind == "ReplicaSet" {
            let Some(set) = objects.get::<ReplicaSet>(&key(&owner.name)) else {
                return PodCreator::None;
            };
            match set.metadata.controller_ref() {
                Some(above) => owner = above.clone(),
                None => return PodCreator::Other,
            }
        }
        let kind = Kind::from_wire(&owner.api_version, &owner.kind);
        match kind.filter(|kind| objects.get_kind(*kind, &key(&owner.name)).is_some()) {
            Some(kind @ (Kind::Deployment | Kind::DaemonSet)) => PodCreator::Template(kind, owner.name),
            Some(_) => PodCreator::Other,
            None => PodCreator::None,
        }
    }
}

pub(crate) fn remedy(pod: &Pod, creator: &PodCreator, suggestion: &Suggestion) -> Remedy {
    Remedy {
        command: command_for_change(pod, creator, &suggestion.change).unwrap_or_default(),
        change: suggestion.change.clone(),
        effect: suggestion.effect.clone(),
    }
}

/// Returns the command that makes a suggested change. None if the API does not allow the change, for example of most
/// scheduling rules of an existing pod.
#[expect(clippy::too_many_lines, reason = "a table: one command a change")]
pub(crate) fn command_for_change(pod: &Pod, creator: &PodCreator, change: &Change) -> Option<String> {
    let patch = |flags: &str, what: String| {
        let (name, namespace) = (&pod.metadata.name, &pod.metadata.namespace);
        Some(format!("kubectl patch pod {name} -n {namespace} {flags} -p '{what}'"))
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
        Change::DeleteClaim { claim } => {
            let (namespace, name) = claim.split_once('/')?;
            Some(format!("kubectl delete resourceclaim {name} -n {namespace}"))
        }
        Change::AddNodeWithDevices {
            node,
            is_scripted: true,
            ..
        } => Some(format!("fault join {} --like {}", node.name, node.like)),
        Change::Scheduler { to } => assign_scheduler_command(pod, creator, to),
        Change::Claim { .. }
        | Change::AddNodeWithDevices { .. }
        | Change::MaxSkew { .. }
        | Change::HonorTaints { .. }
        | Change::MinDomains { .. }
        | Change::Soften { .. }
        | Change::Drop { .. }
        | Change::DropRequest { .. }
        | Change::Priority { .. }
        | Change::AllowPreemption => None,
    }
}

/// Returns the command that assigns another scheduler to the pod. The field is immutable in a pod, so the controller's
/// template is changed, or a pod without a template is replaced.
fn assign_scheduler_command(pod: &Pod, creator: &PodCreator, scheduler: &str) -> Option<String> {
    let namespace = &pod.metadata.namespace;
    match creator {
        PodCreator::Other => None,
        PodCreator::Template(kind, name) => {
            let patch = format!(r#"{{"spec":{{"template":{{"spec":{{"schedulerName":"{scheduler}"}}}}}}}}"#);
            Some(format!(
                "kubectl patch {} {name} -n {namespace} -p '{patch}'",
                kind.singular()
            ))
        }
        PodCreator::None => {
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
