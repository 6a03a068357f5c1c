//! What would help a pending pod, for the page: the scheduler's own change, with the line that makes it.

use podscope_api::Pod;
use podscope_protocol::{Remedy, RemedyChange, RemedyThen};
use podscope_scheduler::what_would_help::{Change, Suggestion, Then};

pub(crate) fn remedy(pod: &Pod, suggestion: &Suggestion) -> Remedy {
    Remedy {
        command: command(pod, &suggestion.change).unwrap_or_default(),
        change: change(suggestion.change.clone()),
        then: match suggestion.then.clone() {
            Then::Fits(n) => RemedyThen::Fits(n),
            Then::Ends { victims, node } => RemedyThen::Ends { victims, node },
        },
    }
}

/// The line that makes the change; none where the API lets nobody make it, as of most rules of a pod.
pub(crate) fn command(pod: &Pod, change: &Change) -> Option<String> {
    let patch = |how: &str, what: String| {
        let (name, namespace) = (&pod.metadata.name, &pod.metadata.namespace);
        Some(format!("kubectl patch pod {name} -n {namespace} {how} -p '{what}'"))
    };
    match change {
        Change::Uncordon { node } => Some(format!("kubectl uncordon {node}")),
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
        Change::MaxSkew { .. }
        | Change::MinDomains { .. }
        | Change::Soften { .. }
        | Change::Drop { .. }
        | Change::DropRequest { .. }
        | Change::Priority { .. }
        | Change::AllowPreemption => None,
    }
}

fn change(change: Change) -> RemedyChange {
    match change {
        Change::Uncordon { node } => RemedyChange::Uncordon { node },
        Change::Tolerate { key, value, effect } => RemedyChange::Tolerate { key, value, effect },
        Change::Shrink { resource, from, to, .. } => RemedyChange::Shrink { resource, from, to },
        Change::MaxSkew { topology_key, to, .. } => RemedyChange::MaxSkew { topology_key, to },
        Change::MinDomains { topology_key, to, .. } => RemedyChange::MinDomains { topology_key, to },
        Change::Soften { topology_key, .. } => RemedyChange::Soften { topology_key },
        Change::Drop { field } => RemedyChange::Drop { field },
        Change::DropRequest { resource } => RemedyChange::DropRequest { resource },
        Change::Priority { class, value } => RemedyChange::Priority { class, value },
        Change::AllowPreemption => RemedyChange::AllowPreemption,
        Change::DeletePod { pod, node, remade_by } => RemedyChange::DeletePod { pod, node, remade_by },
        Change::Label { node, key, value } => RemedyChange::Label { node, key, value },
        Change::Offer { node, resource, amount } => RemedyChange::Offer { node, resource, amount },
        Change::AddPod { pod, namespace, labels } => RemedyChange::AddPod { pod, namespace, labels },
        Change::AddNode {
            node,
            topology_key,
            domain,
            volume,
            more,
        } => RemedyChange::AddNode {
            like: node.like,
            without: node.without,
            topology_key,
            domain,
            volume,
            more,
        },
    }
}
