//! Admission at the node: a pod that the scheduler (or someone who bypassed
//! it) put here may still be refused (LC-062 to LC-067).

use podscope_api::ordered::BTreeMap;
use podscope_api::ordered::InOrder as _;

use podscope_api::{
    Affinity, Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, QosClass, ResourceList, SelectorOperator, Str,
    TaintEffect,
};

use super::host::Host;

/// Why a pod is refused: `status.reason` and the detail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) reason: String,
    pub(super) detail: String,
    /// Whether only resources are missing, so that a critical pod may preempt (LC-066).
    pub(super) is_for_resources: bool,
}

impl Refusal {
    fn new(reason: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            detail: detail.into(),
            is_for_resources: false,
        }
    }
}

/// From this priority on a pod is critical (LC-066).
const SYSTEM_CRITICAL: i32 = 2_000_000_000;

/// Whether the kubelet never evicts the pod and preempts for it (LC-066, LC-197).
pub(super) fn is_critical(pod: &Pod) -> bool {
    pod.priority() >= SYSTEM_CRITICAL || is_static(pod)
}

/// Whether the pod is a static pod's mirror (LC-213).
pub(super) fn is_static(pod: &Pod) -> bool {
    pod.metadata.annotation("kubernetes.io/config.mirror").is_some()
}

/// Sum of a pod's requests as the node accounts them (containers, the larger init container, sidecars, overhead), in
/// thousandths for cpu, units otherwise.
pub(super) fn requests(pod: &Pod) -> BTreeMap<Str, i64> {
    let of = |name: &Str, list: &ResourceList| -> i64 {
        list.get(name).map_or(0, |quantity| {
            if &**name == "cpu" {
                quantity.milli_value()
            } else {
                quantity.value()
            }
        })
    };
    let mut names: Vec<Str> = pod
        .spec
        .all_containers()
        .flat_map(|container| container.resources.requests.keys().cloned())
        .collect();
    names.extend(pod.spec.overhead.keys().cloned());
    if let Some(own) = &pod.spec.resources {
        names.extend(own.requests.keys().cloned());
    }
    names.in_order();
    names.dedup();
    let mut sums = BTreeMap::new();
    for name in names {
        let apps: i64 = pod
            .spec
            .containers
            .iter()
            .map(|container| of(&name, &container.resources.requests))
            .sum();
        let (mut sidecars, mut peak) = (0_i64, 0_i64);
        for container in pod.spec.init_containers.iter() {
            let own = of(&name, &container.resources.requests);
            if container.is_sidecar() {
                sidecars += own;
                peak = peak.max(sidecars);
            } else {
                peak = peak.max(sidecars + own);
            }
        }
        let mut sum = (apps + sidecars).max(peak);
        if let Some(own) = pod.spec.resources.as_ref().and_then(|own| own.requests.get(&name)) {
            sum = if &*name == "cpu" {
                own.milli_value()
            } else {
                own.value()
            };
        }
        sums.insert(name.clone(), sum + of(&name, &pod.spec.overhead));
    }
    sums
}

/// Whether the node takes the pod beside `others` (those whose resources still count, LC-065).
pub(super) fn admit(pod: &Pod, others: &[&Pod], host: &Host<'_, '_>) -> Result<(), Refusal> {
    let Some(node) = host.shared.node_object.clone() else {
        return Ok(());
    };
    under_pressure(pod, host)?;
    if let Some(os) = &pod.spec.os
        && &*os.name != "linux"
        && !os.name.is_empty()
    {
        return Err(Refusal::new(
            "PodOSNotSupported",
            "Failed to admit pod as the OS field doesn't match node OS",
        ));
    }
    fits(pod, others, &node)?;
    let predicate = |name: &str, text: &str| Refusal::new(name, format!("Predicate {name} failed: {text}"));
    if !selects(pod, &node) {
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
    if !is_static(pod)
        && let Some(taint) = untolerated.next()
    {
        let value = &taint.value;
        let text = format!("node(s) had untolerated taint {{{}: {value}}}", taint.key);
        return Err(predicate("TaintToleration", &text));
    }
    Ok(())
}

/// LC-067.
fn under_pressure(pod: &Pod, host: &Host<'_, '_>) -> Result<(), Refusal> {
    let state = &host.shared.node_state;
    if is_critical(pod) || !(state.memory_pressure || state.disk_pressure) {
        return Ok(());
    }
    let taint = podscope_api::Taint {
        key: "node.kubernetes.io/memory-pressure".into(),
        effect: TaintEffect::NoSchedule,
        ..podscope_api::Taint::default()
    };
    let tolerates = pod
        .spec
        .tolerations
        .iter()
        .any(|toleration| toleration.tolerates(&taint));
    let only_memory = !state.disk_pressure;
    if only_memory && (pod.status.qos_class != Some(QosClass::BestEffort) || tolerates) {
        return Ok(());
    }
    let mut names = Vec::new();
    if state.disk_pressure {
        names.push("DiskPressure");
    }
    if state.memory_pressure {
        names.push("MemoryPressure");
    }
    Err(Refusal::new(
        "Evicted",
        format!("The node had condition: [{}]. ", names.join(" ")),
    ))
}

/// Resources, in the order pods, cpu, memory, ephemeral-storage, others (LC-063).
fn fits(pod: &Pod, others: &[&Pod], node: &Node) -> Result<(), Refusal> {
    let lacking = |resource: &str, requested: i64, used: i64, capacity: i64| Refusal {
        reason: format!("OutOf{resource}"),
        detail: format!(
            "Node didn't have enough resource: {resource}, requested: {requested}, used: {used}, capacity: {capacity}"
        ),
        is_for_resources: true,
    };
    let allocatable = |name: &str| {
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
    };
    let n_others = others.len() as i64;
    if node.status.allocatable.contains_key("pods") && n_others + 1 > allocatable("pods") {
        return Err(lacking("pods", 1, n_others, allocatable("pods")));
    }
    let wanted = requests(pod);
    let mut used: BTreeMap<Str, i64> = BTreeMap::new();
    for other in others {
        for (name, amount) in requests(other) {
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
    names.in_order_by_key(|name| (rank(name), (*name).clone()));
    for name in names {
        let amount = wanted.get(name).copied().unwrap_or(0);
        let in_use = used.get(name).copied().unwrap_or(0);
        let is_extended = rank(name) == 3;
        // The kubelet ignores extended resources that its node does not know.
        let is_known = node.status.allocatable.contains_key(name);
        if amount > 0 && (!is_extended || is_known) && in_use + amount > allocatable(name) {
            return Err(lacking(name, amount, in_use, allocatable(name)));
        }
    }
    Ok(())
}

fn selects(pod: &Pod, node: &Node) -> bool {
    let labels = &node.metadata.labels;
    if !pod
        .spec
        .node_selector
        .iter()
        .all(|(key, value)| labels.get(key) == Some(value))
    {
        return false;
    }
    let required = |affinity: &Affinity| {
        affinity
            .node_affinity
            .as_ref()?
            .required_during_scheduling_ignored_during_execution
            .clone()
    };
    let Some(selector) = pod.spec.affinity.as_deref().and_then(required) else {
        return true;
    };
    selector.node_selector_terms.iter().any(|term| term_matches(term, node))
}

fn term_matches(term: &NodeSelectorTerm, node: &Node) -> bool {
    let name = [("metadata.name".into(), node.metadata.name.clone())]
        .into_iter()
        .collect();
    (!term.match_expressions.is_empty() || !term.match_fields.is_empty())
        && term
            .match_expressions
            .iter()
            .all(|one| requirement_matches(one, &node.metadata.labels))
        && term.match_fields.iter().all(|one| requirement_matches(one, &name))
}

fn requirement_matches(one: &NodeSelectorRequirement, labels: &BTreeMap<Str, Str>) -> bool {
    let requirement = podscope_api::LabelSelectorRequirement {
        key: one.key.clone(),
        operator: one.operator.clone(),
        values: one.values.clone(),
    };
    // NotIn of a node selector also accepts nodes without the label, like a label selector's.
    !matches!(one.operator, SelectorOperator::Other(_)) && requirement.matches(labels)
}

/// The pods to kill so that a critical pod fits: as few and as small as possible, BestEffort before Burstable before
/// Guaranteed (LC-066); none if it cannot be made to fit. Deviation: chosen greedily within a class.
pub(super) fn victims<'a>(pod: &Pod, others: &[&'a Pod], host: &Host<'_, '_>) -> Option<Vec<&'a Pod>> {
    let node = host.shared.node_object.clone()?;
    let mut left: Vec<&Pod> = others.to_vec();
    let mut chosen = Vec::new();
    for class in [QosClass::BestEffort, QosClass::Burstable, QosClass::Guaranteed] {
        let mut candidates: Vec<&'a Pod> = others
            .iter()
            .copied()
            .filter(|other| {
                other.status.qos_class.as_ref() == Some(&class)
                    && !is_critical(other)
                    && other.priority() < pod.priority()
            })
            .collect();
        candidates.in_order_by_key(|other| {
            let own = requests(other);
            let amount = |name: &str| own.get(name).copied().unwrap_or(0);
            (
                std::cmp::Reverse(amount("cpu")),
                std::cmp::Reverse(amount("memory")),
                other.metadata.key(),
            )
        });
        for candidate in candidates {
            if fits(pod, &left, &node).is_ok() {
                return Some(chosen);
            }
            left.retain(|other| other.metadata.uid != candidate.metadata.uid);
            chosen.push(candidate);
        }
    }
    fits(pod, &left, &node).is_ok().then_some(chosen)
}
