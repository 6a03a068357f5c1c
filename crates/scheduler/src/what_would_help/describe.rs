//! A change in words, and as a command where one makes it.

use super::Change;

pub(super) fn in_words(change: &Change) -> String {
    match change {
        Change::Uncordon { node } => format!("Uncordon {node}"),
        Change::Tolerate { key, value, effect } if value.is_empty() => {
            format!("Let the pod tolerate the taint {key}:{effect}")
        }
        Change::Tolerate { key, value, effect } => format!("Let the pod tolerate the taint {key}={value}:{effect}"),
        Change::Shrink { resource, from, to } => format!("Request {to} of {resource} instead of {from}"),
        Change::MaxSkew { topology_key, to, .. } => format!("Allow a maxSkew of {to} over {topology_key}"),
        Change::MinDomains { topology_key, to, .. } => {
            format!("Be content with {to} domains of {topology_key} (minDomains)")
        }
        Change::Soften { topology_key, .. } => {
            format!("Make the spread over {topology_key} a wish (ScheduleAnyway) instead of a rule")
        }
        Change::Drop { field } => format!("Leave out {field}"),
        Change::Priority { class, value } => format!("Give the pod the PriorityClass {class} ({value})"),
        Change::AllowPreemption => "Let the pod preempt (preemptionPolicy PreemptLowerPriority)".to_owned(),
        Change::DeletePod { pod, node, remade_by } if remade_by.is_empty() => format!("Delete pod {pod} on {node}"),
        Change::DeletePod { pod, node, remade_by } => {
            format!("Delete pod {pod} on {node} (its {remade_by} makes another one, which may take the place)")
        }
        Change::Label { node, key, value } => format!("Label node {node} with {key}={value}"),
        Change::AddNode {
            topology_key,
            domain,
            like,
        } => format!("Add a node like {like} with {topology_key}={domain}"),
        Change::AddDomain { topology_key, like } => {
            format!("Add a node like {like} in a domain of {topology_key} that is not there yet")
        }
    }
}

pub(super) fn command(change: &Change) -> Option<String> {
    match change {
        Change::Uncordon { node } => Some(format!("kubectl uncordon {node}")),
        Change::Label { node, key, value } => Some(format!("kubectl label node {node} {key}={value}")),
        Change::DeletePod { pod, .. } => {
            let (namespace, name) = pod.split_once('/')?;
            Some(format!("kubectl delete pod {name} -n {namespace}"))
        }
        _ => None,
    }
}
