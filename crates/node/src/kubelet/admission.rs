//! Admission at the node: the kubelet may refuse a pod that is bound to its node, by the scheduler or by someone who
//! bypassed it (LC-062 to LC-067).

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::taint;

use podscope_api::{Node, Pod, QosClass, Quantity, Str, TaintEffect, features};

use super::host::Host;
use super::node::NodePressure;

/// Why the kubelet refuses a pod: `status.reason` and the detail of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AdmissionRefusal {
    pub(super) reason: String,
    pub(super) detail: String,
    /// Whether the pod is refused only because the node lacks resources. A critical pod may then preempt others
    /// (LC-066).
    pub(super) is_for_resources: bool,
}

impl AdmissionRefusal {
    fn new(reason: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            detail: detail.into(),
            is_for_resources: false,
        }
    }
}

/// Pods of this priority or higher are critical (LC-066).
pub(super) const SYSTEM_CRITICAL_PRIORITY: i32 = 2_000_000_000;

/// Returns whether a pod is critical: the kubelet never evicts it, and it may preempt others at admission (LC-066,
/// LC-197).
pub(super) fn is_critical(pod: &Pod) -> bool {
    pod.priority() >= SYSTEM_CRITICAL_PRIORITY || pod.is_mirror()
}

/// Returns the requests of a pod, as the node counts them: CPU in millicores, other resources in their own units.
pub(super) fn requests_by_resource(pod: &Pod) -> ordered::Map<Str, i64> {
    let amount = |(name, quantity): (Str, Quantity)| {
        let amount = if &*name == "cpu" {
            quantity.milli_value()
        } else {
            quantity.value()
        };
        (name, amount)
    };
    pod.spec.total_requests().into_iter().map(amount).collect()
}

/// Checks whether the node admits the pod. `others` are the pods whose resources already count (LC-065).
///
/// # Errors
/// The first reason to refuse the pod.
pub(super) fn admit(pod: &Pod, others: &[&Pod], host: &Host<'_, '_>) -> Result<(), AdmissionRefusal> {
    let Some(node) = host.shared.node_object.clone() else {
        return Ok(());
    };
    if host.shared.node_state.is_shutting_down {
        let detail = "Pod was rejected as the node is shutting down.";
        return Err(AdmissionRefusal::new("NodeShutdown", detail));
    }
    check_pressure(pod, host)?;
    if let Some(os) = &pod.spec.os
        && &*os.name != "linux"
        && !os.name.is_empty()
    {
        return Err(AdmissionRefusal::new(
            "PodOSNotSupported",
            "Failed to admit pod as the OS field doesn't match node OS",
        ));
    }
    super::security::admit_sysctls(pod, host).map_err(|detail| AdmissionRefusal::new("SysctlForbidden", detail))?;
    check_resources(pod, others, &node)?;
    let predicate = |name: &str, text: &str| AdmissionRefusal::new(name, format!("Predicate {name} failed: {text}"));
    if !pod.spec.selects(&node) {
        return Err(predicate(
            "NodeAffinity",
            "node(s) didn't match Pod's node affinity/selector",
        ));
    }
    if pod
        .spec
        .node_name
        .as_ref()
        .is_some_and(|name| *name.0 != *node.metadata.name)
    {
        return Err(predicate("NodeName", "node(s) didn't match the requested node name"));
    }
    let ports = |pod: &Pod| -> Vec<(i32, Str, Str)> {
        let containers = pod
            .spec
            .containers
            .iter()
            .chain(pod.spec.init_containers.iter().filter(|init| init.is_sidecar()));
        let host_ports = containers.flat_map(|container| &container.ports).filter_map(|port| {
            let number = port.host_port.filter(|number| *number > 0)?;
            let protocol = if port.protocol.is_empty() {
                "TCP".into()
            } else {
                port.protocol.clone()
            };
            Some((number, protocol, port.host_ip.clone()))
        });
        host_ports.collect()
    };
    let is_any = |ip: &Str| ip.is_empty() || &**ip == "0.0.0.0";
    let taken: Vec<(i32, Str, Str)> = others.iter().flat_map(|other| ports(other)).collect();
    let clashes = |(number, protocol, ip): &(i32, Str, Str)| {
        taken
            .iter()
            .any(|(n, p, i)| n == number && p == protocol && (i == ip || is_any(i) || is_any(ip)))
    };
    if ports(pod).iter().any(clashes) {
        return Err(predicate(
            "NodePorts",
            "node(s) didn't have free ports for the requested pod ports",
        ));
    }
    let no_execute = node
        .spec
        .taints
        .iter()
        .filter(|taint| taint.effect == TaintEffect::NoExecute);
    let mut untolerated = no_execute.filter(|taint| {
        !pod.spec
            .tolerations
            .iter()
            .any(|toleration| toleration.tolerates(taint))
    });
    if !pod.is_mirror() && untolerated.next().is_some() {
        let text = "node(s) had taints that the pod didn't tolerate";
        return Err(predicate("TaintToleration", text));
    }
    check_required_features(pod, host)
}

/// Refuses a pod that needs a feature which the kubelet does not have, whatever its Node object declares (LC-063).
fn check_required_features(pod: &Pod, host: &Host<'_, '_>) -> Result<(), AdmissionRefusal> {
    let declared = super::node::declared_features(host);
    let missing: Vec<&str> = features::needed_by(pod)
        .filter(|needed| !declared.iter().any(|known| **known == **needed))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let detail = format!(
        "Pod requires node features that are not available: {}",
        missing.join(", ")
    );
    Err(AdmissionRefusal::new("PodFeatureUnsupported", detail))
}

/// Refuses new pods, except critical ones, on a node under pressure. Under memory pressure alone, only BestEffort pods
/// without a toleration are refused (LC-067).
fn check_pressure(pod: &Pod, host: &Host<'_, '_>) -> Result<(), AdmissionRefusal> {
    // An imported pod with a start time was already admitted, so an imported node condition does not count (P-09).
    let is_new = pod.status.start_time.is_none();
    let measured = &host.shared.node_state.pressure;
    let is_imported = |kind: &NodePressure| is_new && host.machine.imported_condition(kind.condition()).is_some();
    let pressure: Vec<NodePressure> = (NodePressure::ALL.into_iter())
        .filter(|kind| measured.contains(kind) || is_imported(kind))
        .collect();
    if is_critical(pod) || pressure.is_empty() {
        return Ok(());
    }
    let taint = podscope_api::Taint {
        key: taint::MEMORY_PRESSURE.into(),
        effect: TaintEffect::NoSchedule,
        ..podscope_api::Taint::default()
    };
    let tolerates = pod
        .spec
        .tolerations
        .iter()
        .any(|toleration| toleration.tolerates(&taint));
    let only_memory = pressure == [NodePressure::Memory];
    if only_memory && (pod.status.qos_class != Some(QosClass::BestEffort) || tolerates) {
        return Ok(());
    }
    let mut names: Vec<&str> = pressure.iter().map(|kind| kind.condition()).collect();
    names.stable_sort();
    Err(AdmissionRefusal::new(
        "Evicted",
        format!("The node had condition: [{}]. ", names.join(" ")),
    ))
}

/// A resource of which the node has too little for a pod; amounts in the unit of the resource (CPU in millicores).
pub(super) struct Shortage {
    pub(super) resource: String,
    requested: i64,
    used: i64,
    capacity: i64,
}

impl Shortage {
    /// Returns the amount that must become free so that the pod fits.
    pub(super) fn missing_amount(&self) -> i64 {
        self.requested + self.used - self.capacity
    }
}

fn check_resources(pod: &Pod, others: &[&Pod], node: &Node) -> Result<(), AdmissionRefusal> {
    let Some(first) = shortages(pod, others, node).into_iter().next() else {
        return Ok(());
    };
    let Shortage {
        resource,
        requested,
        used,
        capacity,
    } = first;
    Err(AdmissionRefusal {
        reason: format!("OutOf{resource}"),
        detail: format!(
            "Node didn't have enough resource: {resource}, requested: {requested}, used: {used}, capacity: {capacity}"
        ),
        is_for_resources: true,
    })
}

/// Returns the allocatable amount of a resource on the node, or else its capacity; CPU in millicores.
pub(super) fn allocatable(node: &Node, name: &str) -> i64 {
    let quantity = node
        .status
        .allocatable
        .get(name)
        .or_else(|| node.status.capacity.get(name));
    quantity.map_or(0, |quantity| {
        if name == "cpu" {
            quantity.milli_value()
        } else {
            quantity.value()
        }
    })
}

/// Returns the resources of which the node has too little for the pod, in the order pods, cpu, memory,
/// ephemeral-storage, others (LC-063).
pub(super) fn shortages(pod: &Pod, others: &[&Pod], node: &Node) -> Vec<Shortage> {
    let mut found = Vec::new();
    let mut check = |name: &str, requested: i64, used: i64| {
        let capacity = allocatable(node, name);
        if used + requested > capacity {
            found.push(Shortage {
                resource: name.to_owned(),
                requested,
                used,
                capacity,
            });
        }
    };
    if node.status.allocatable.contains_key("pods") {
        check("pods", 1, others.len() as i64);
    }
    let wanted = requests_by_resource(pod);
    let mut used: ordered::Map<Str, i64> = ordered::Map::new();
    for other in others {
        for (name, amount) in requests_by_resource(other) {
            *used.entry(name).or_default() += amount;
        }
    }
    let mut names: Vec<&Str> = wanted.keys().collect();
    let rank = |name: &str| {
        ["cpu", "memory", "ephemeral-storage"]
            .iter()
            .position(|known| *known == name)
            .unwrap_or(3)
    };
    names.stable_sort_by_key(|name| (rank(name), (*name).clone()));
    for name in names {
        let amount = wanted.get(name).copied().unwrap_or(0);
        // The kubelet ignores extended resources that its node does not list.
        let counts = rank(name) < 3 || node.status.allocatable.contains_key(name);
        if amount > 0 && counts {
            check(name, amount, used.get(name).copied().unwrap_or(0));
        }
    }
    found
}
