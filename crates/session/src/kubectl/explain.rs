//! `kubectl explain`, short (KC-114): the fields that the simulation gives behaviour.

use podscope_api::Kind;

use super::Printed;

/// `kubectl explain`, short (KC-114): the fields that the simulation gives behaviour.
pub(super) fn explain(kind: Kind, path: &[String], printed: &mut Printed) {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    if !group.is_empty() {
        printed.out(format!("GROUP:      {group}"));
    }
    printed.out(format!("KIND:       {}", kind.name()));
    printed.out(format!("VERSION:    {version}"));
    printed.out("");
    let about = about(kind);
    match path {
        [] => {
            printed.out("DESCRIPTION:");
            for line in wrap(about) {
                printed.out(format!("    {line}"));
            }
            printed.out("    ");
            printed.out("FIELDS:");
            for (name, of) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "ObjectMeta")] {
                printed.out(format!("  {name}\t<{of}>"));
            }
            let spec = FIELDS.iter().filter(|(known, ..)| *known == kind);
            let mut tops: Vec<&str> = spec.filter_map(|(_, path, ..)| path.split('.').next()).collect();
            tops.dedup();
            for top in tops {
                printed.out(format!("  {top}\t<{}{}>", kind.name(), capital(top)));
            }
        }
        path => {
            let wanted = path.join(".");
            let prefix = format!("{wanted}.");
            let exact = FIELDS
                .iter()
                .find(|(known, path, ..)| *known == kind && *path == wanted);
            let children: Vec<_> = FIELDS
                .iter()
                .filter(|(known, path, ..)| *known == kind && path.starts_with(&prefix))
                .collect();
            let Some(last) = path.last() else { return };
            if exact.is_none() && children.is_empty() {
                printed.lines.clear();
                return printed.fail(format!("error: field {last:?} does not exist"));
            }
            let of = exact.map_or_else(
                || format!("{}{}", kind.name(), capital(last)),
                |(_, _, of, _)| (*of).to_owned(),
            );
            printed.out(format!("FIELD: {last} <{of}>"));
            printed.out("");
            printed.out("DESCRIPTION:");
            for line in wrap(exact.map_or(about, |(.., text)| text)) {
                printed.out(format!("    {line}"));
            }
            if !children.is_empty() {
                printed.out("    ");
                printed.out("FIELDS:");
                for (_, path, of, _) in children {
                    let rest = path.strip_prefix(&prefix).unwrap_or(path);
                    if !rest.contains('.') {
                        printed.out(format!("  {rest}\t<{of}>"));
                    }
                }
            }
        }
    }
    printed.out("");
}

pub(super) fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn wrap(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut();
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 76 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn about(kind: Kind) -> &'static str {
    match kind {
        Kind::Pod => {
            "Pod is a collection of containers that can run on a host. It is bound to a node once and never moves."
        }
        Kind::Node => "Node is a worker machine as the API knows it; the machine itself may be in another state.",
        Kind::Deployment => "Deployment enables declarative updates for Pods and ReplicaSets.",
        Kind::ReplicaSet => "ReplicaSet ensures that a specified number of pod replicas are running at any given time.",
        Kind::StatefulSet => {
            "StatefulSet represents a set of pods with consistent identities: at most one pod per identity."
        }
        Kind::DaemonSet => "DaemonSet runs one pod on every eligible node.",
        Kind::Job => "Job runs pods until a number of them have completed.",
        Kind::PodDisruptionBudget => {
            "PodDisruptionBudget bounds how many pods of an application voluntary disruptions may take down at once."
        }
        Kind::PriorityClass => {
            "PriorityClass maps a name to the integer priority of pods; the higher the value, the higher the priority."
        }
        Kind::Service => "Service is a name for a set of pods and a way to reach them.",
        Kind::PersistentVolume => "PersistentVolume is a piece of storage of the cluster.",
        Kind::PersistentVolumeClaim => "PersistentVolumeClaim is a pod's claim on a persistent volume.",
        _ => "An object of the Kubernetes API.",
    }
}

/// Fields that decide where a pod runs and when it is gone: kind, path, type, text.
const FIELDS: &[(Kind, &str, &str, &str)] = &[
    (
        Kind::Pod,
        "spec.nodeName",
        "string",
        "The node the pod is bound to. Set once, by the scheduler's binding.",
    ),
    (
        Kind::Pod,
        "spec.nodeSelector",
        "map[string]string",
        "Labels a node must have.",
    ),
    (
        Kind::Pod,
        "spec.affinity",
        "Affinity",
        "Rules about nodes and about pods already placed.",
    ),
    (Kind::Pod, "spec.tolerations", "[]Toleration", "Taints the pod accepts."),
    (
        Kind::Pod,
        "spec.topologySpreadConstraints",
        "[]TopologySpreadConstraint",
        "How the pods of a group spread over domains such as zones; all constraints are ANDed.",
    ),
    (
        Kind::Pod,
        "spec.topologySpreadConstraints.maxSkew",
        "integer",
        "How uneven the pods may be: most minus fewest matching pods over the domains.",
    ),
    (
        Kind::Pod,
        "spec.topologySpreadConstraints.topologyKey",
        "string",
        "The node label whose values are the domains.",
    ),
    (
        Kind::Pod,
        "spec.topologySpreadConstraints.whenUnsatisfiable",
        "string",
        "DoNotSchedule, or ScheduleAnyway, which only prefers nodes that reduce the skew.",
    ),
    (
        Kind::Pod,
        "spec.topologySpreadConstraints.minDomains",
        "integer",
        "With fewer domains the smallest count is taken as 0. Needs DoNotSchedule.",
    ),
    (
        Kind::Pod,
        "spec.topologySpreadConstraints.labelSelector",
        "LabelSelector",
        "The pods that are counted.",
    ),
    (
        Kind::Pod,
        "spec.priorityClassName",
        "string",
        "The PriorityClass that gives the pod its priority.",
    ),
    (
        Kind::Pod,
        "spec.priority",
        "integer",
        "Filled in by admission from the PriorityClass.",
    ),
    (
        Kind::Pod,
        "spec.preemptionPolicy",
        "string",
        "Never, or PreemptLowerPriority.",
    ),
    (
        Kind::Pod,
        "spec.schedulingGates",
        "[]PodSchedulingGate",
        "While any is left, the scheduler does not look at the pod.",
    ),
    (
        Kind::Pod,
        "spec.readinessGates",
        "[]PodReadinessGate",
        "Conditions that must be True besides the containers' readiness.",
    ),
    (
        Kind::Pod,
        "spec.terminationGracePeriodSeconds",
        "integer",
        "Seconds from the deletion request to SIGKILL; the preStop hook counts. Default 30.",
    ),
    (
        Kind::Pod,
        "spec.restartPolicy",
        "string",
        "Always, OnFailure or Never, for all containers.",
    ),
    (
        Kind::Pod,
        "spec.containers",
        "[]Container",
        "The containers of the pod.",
    ),
    (
        Kind::Pod,
        "spec.initContainers",
        "[]Container",
        "Run one after the other before the containers; with restartPolicy Always they are sidecars.",
    ),
    (
        Kind::Pod,
        "status.phase",
        "string",
        "Pending, Running, Succeeded or Failed. Only moves forward.",
    ),
    (
        Kind::Pod,
        "status.conditions",
        "[]PodCondition",
        "PodScheduled, Initialized, ContainersReady, Ready and others.",
    ),
    (
        Kind::Pod,
        "status.nominatedNodeName",
        "string",
        "Where the pod will probably run once its victims are gone; not a binding.",
    ),
    (
        Kind::Node,
        "spec.taints",
        "[]Taint",
        "Repel pods that do not tolerate them.",
    ),
    (Kind::Node, "spec.unschedulable", "boolean", "Set by cordon."),
    (
        Kind::Node,
        "status.conditions",
        "[]NodeCondition",
        "Ready, MemoryPressure, DiskPressure, PIDPressure.",
    ),
    (
        Kind::Node,
        "status.allocatable",
        "map[string]Quantity",
        "What pods may request.",
    ),
    (
        Kind::Deployment,
        "spec.replicas",
        "integer",
        "Number of desired pods. Defaults to 1.",
    ),
    (
        Kind::Deployment,
        "spec.strategy",
        "DeploymentStrategy",
        "RollingUpdate with maxSurge and maxUnavailable, or Recreate.",
    ),
    (
        Kind::Deployment,
        "spec.template",
        "PodTemplateSpec",
        "The pods that are made.",
    ),
    (Kind::StatefulSet, "spec.replicas", "integer", "Number of desired pods."),
    (
        Kind::StatefulSet,
        "spec.podManagementPolicy",
        "string",
        "OrderedReady, or Parallel.",
    ),
    (
        Kind::StatefulSet,
        "spec.updateStrategy",
        "StatefulSetUpdateStrategy",
        "RollingUpdate with a partition, or OnDelete.",
    ),
    (
        Kind::PodDisruptionBudget,
        "spec.minAvailable",
        "IntOrString",
        "Evictions are allowed while at least this many stay available.",
    ),
    (
        Kind::PodDisruptionBudget,
        "spec.maxUnavailable",
        "IntOrString",
        "Evictions are allowed while at most this many are unavailable.",
    ),
    (
        Kind::PriorityClass,
        "value",
        "integer",
        "The priority; at most 1000000000 for users' classes.",
    ),
    (
        Kind::PriorityClass,
        "globalDefault",
        "boolean",
        "Whether pods without a class get this one. Only one class may say so.",
    ),
];
