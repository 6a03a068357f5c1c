//! Accounting for ResourceQuotas (VA-290): which quotas apply to an object, how much of each quota the object uses, and
//! which requests and limits a pod must set. Admission and the quota controller use these rules.

use crate::ordered::{Map, Set};
use crate::untyped::{list, texts};
use crate::{
    Kind, LabelSelector, LabelSelectorRequirement, Object, Pod, QosClass, Quantity, ResourceList, ResourceQuota,
    ResourceRequirements, SelectorOperator, Service, Str, Time,
};

/// Returns the amounts that one object uses, by quota resource name. A terminated pod counts only as an object.
pub fn usage(object: &Object, now: Time) -> ResourceList {
    let mut taken = ResourceList::new();
    let one_object = || Quantity::from_units(1);
    taken.insert(object_count_resource(object.kind()), one_object());
    match object {
        Object::Pod(pod) if are_pod_resources_counted(pod, now) => {
            let resources = ResourceRequirements {
                requests: pod.spec.total_requests(),
                limits: pod.spec.total_limits(),
                ..ResourceRequirements::default()
            };
            taken.extend(compute_resource_usage(&resources));
        }
        Object::Service(service) => {
            let [ports, balancers] = node_ports_and_load_balancers(service);
            taken.insert("services".into(), one_object());
            taken.insert("services.nodeports".into(), Quantity::from_units(ports));
            taken.insert("services.loadbalancers".into(), Quantity::from_units(balancers));
        }
        Object::PersistentVolumeClaim(claim) => {
            let storage = claim
                .spec
                .resources
                .requests
                .get("storage")
                .copied()
                .unwrap_or_default();
            taken.insert("persistentvolumeclaims".into(), one_object());
            taken.insert("requests.storage".into(), storage);
            if let Some(class) = claim
                .spec
                .storage_class_name
                .as_deref()
                .filter(|class| !class.is_empty())
            {
                let class_resource =
                    |resource: &str| Str::from(format!("{class}.storageclass.storage.k8s.io/{resource}"));
                taken.insert(class_resource("persistentvolumeclaims"), one_object());
                taken.insert(class_resource("requests.storage"), storage);
            }
        }
        Object::ReplicationController(_) | Object::ResourceQuota(_) | Object::Secret(_) | Object::ConfigMap(_) => {
            taken.insert(object.kind().plural().into(), one_object());
        }
        _ => {}
    }
    taken
}

/// Returns the quota resource that counts objects of a kind: `count/deployments.apps`.
fn object_count_resource(kind: Kind) -> Str {
    format!("count/{}", kind.qualified_plural()).into()
}

/// Returns the numbers of node ports and of load balancers that a Service uses.
fn node_ports_and_load_balancers(service: &Service) -> [i64; 2] {
    let ports = || i64::try_from(service.spec.ports.len()).unwrap_or(i64::MAX);
    match &*service.spec.kind {
        "NodePort" => [ports(), 0],
        "LoadBalancer" if service.spec.allocate_load_balancer_node_ports != Some(false) => [ports(), 1],
        "LoadBalancer" => {
            let given = service
                .spec
                .ports
                .iter()
                .filter(|port| port.node_port.is_some_and(|port| port > 0));
            [i64::try_from(given.count()).unwrap_or(i64::MAX), 1]
        }
        _ => [0, 0],
    }
}

/// Returns whether a pod's resources are counted: until the pod has terminated or its grace period is over.
fn are_pod_resources_counted(pod: &Pod, now: Time) -> bool {
    let grace = pod
        .metadata
        .deletion_grace_period_seconds
        .unwrap_or(0)
        .saturating_mul(1_000_000);
    let is_over = |deleted: Time| deleted.0.saturating_add(grace) < now.0;
    !pod.is_terminal() && !pod.metadata.deletion_timestamp.is_some_and(is_over)
}

/// Returns the compute resources used by a pod or container with these requests and limits.
fn compute_resource_usage(resources: &ResourceRequirements) -> ResourceList {
    let mut taken = ResourceList::from([("pods".into(), Quantity::from_units(1))]);
    for (name, amount) in &resources.requests {
        let is_plain = matches!(&**name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
        if is_plain {
            taken.insert(name.clone(), *amount);
        }
        if is_plain || name.contains('/') {
            taken.insert(format!("requests.{name}").into(), *amount);
        }
    }
    for (name, amount) in &resources.limits {
        if matches!(&**name, "cpu" | "memory" | "ephemeral-storage") {
            taken.insert(format!("limits.{name}").into(), *amount);
        }
    }
    taken
}

/// Returns the resources of a quota that objects of a kind can use.
fn quota_resources_of_kind(kind: Kind, hard: &ResourceList) -> impl Iterator<Item = &Str> {
    let count = object_count_resource(kind);
    hard.keys().filter(move |name| {
        let bare = name
            .strip_prefix("requests.")
            .or(name.strip_prefix("limits."))
            .unwrap_or(name);
        **name == count
            || match kind {
                Kind::Pod => {
                    &***name == "pods"
                        || matches!(bare, "cpu" | "memory" | "ephemeral-storage")
                        || bare.starts_with("hugepages-")
                        || (name.starts_with("requests.") && bare.contains('/'))
                }
                Kind::Service => matches!(&***name, "services" | "services.nodeports" | "services.loadbalancers"),
                Kind::PersistentVolumeClaim => {
                    matches!(&***name, "persistentvolumeclaims" | "requests.storage")
                        || name.contains(".storageclass.storage.k8s.io/")
                }
                Kind::ReplicationController | Kind::ResourceQuota | Kind::Secret | Kind::ConfigMap => {
                    &***name == kind.plural()
                }
                _ => false,
            }
    })
}

/// Returns whether a quota applies to an object: it limits a resource of the kind, and all its scopes match.
pub fn concerns(quota: &ResourceQuota, object: &Object) -> bool {
    let names_resource = quota_resources_of_kind(object.kind(), &quota.spec.hard)
        .next()
        .is_some();
    names_resource && quota_scopes(quota).iter().all(|scope| scope.contains(object))
}

/// Returns the kinds whose objects a quota counts.
pub fn counted_kinds(quota: &ResourceQuota) -> Vec<Kind> {
    let is_counted =
        |kind: &Kind| kind.is_namespaced() && quota_resources_of_kind(*kind, &quota.spec.hard).next().is_some();
    Kind::ALL.iter().copied().filter(is_counted).collect()
}

/// Recounts the usage of all resources that a quota limits; `list` returns the objects of a kind in the quota's
/// namespace.
pub fn recount_usage(quota: &ResourceQuota, list: impl Fn(Kind) -> Vec<Object>, now: Time) -> ResourceList {
    let mut total: ResourceList = quota
        .spec
        .hard
        .keys()
        .map(|name| (name.clone(), Quantity::default()))
        .collect();
    for object in counted_kinds(quota).into_iter().flat_map(list) {
        if !concerns(quota, &object) {
            continue;
        }
        for (name, amount) in usage(&object, now) {
            if let Some(sum) = total.get_mut(&name) {
                *sum = sum.plus(amount);
            }
        }
    }
    total
}

/// Returns the requests and limits that a quota of cpu or memory requires, but that containers do not set:
/// `requests.cpu for: c`. None if all are set, or if the pod sets pod-level resources.
pub fn missing_requests_and_limits(quota: &ResourceQuota, pod: &Pod) -> Option<String> {
    const REQUIRABLE_RESOURCES: [&str; 6] = [
        "cpu",
        "limits.cpu",
        "limits.memory",
        "memory",
        "requests.cpu",
        "requests.memory",
    ];
    if pod.spec.resources.is_some() {
        return None;
    }
    let mut missing: Map<&str, Set<Str>> = Map::new();
    for container in pod.spec.all_containers() {
        let specified = compute_resource_usage(&container.resources);
        for name in REQUIRABLE_RESOURCES {
            if quota.spec.hard.contains_key(name) && !specified.contains_key(name) {
                missing.entry(name).or_default().insert(container.name.clone());
            }
        }
    }
    let each = missing.iter().map(|(resource, containers)| {
        let containers: Vec<&str> = containers.iter().map(|name| &**name).collect();
        format!("{resource} for: {}", containers.join(","))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| each.join("; "))
}

/// A scope of a quota: a condition that a pod must meet to be counted.
struct QuotaScope {
    name: Str,
    /// For a scope of the `scopeSelector`: the requirement that the name of a pod's PriorityClass must meet.
    priority_class_requirement: Option<LabelSelectorRequirement>,
}

fn quota_scopes(quota: &ResourceQuota) -> Vec<QuotaScope> {
    let plain = quota.spec.scopes.iter().map(|name| QuotaScope {
        name: name.clone(),
        priority_class_requirement: None,
    });
    let selector = quota.spec.scope_selector.as_ref();
    let expressions = list(selector.and_then(|selector| selector.get("matchExpressions")));
    let selected = expressions.filter_map(|(_, one)| {
        let text = |key: &str| one.get(key).and_then(serde_json::Value::as_str);
        let name = Str::from(text("scopeName")?);
        Some(QuotaScope {
            priority_class_requirement: Some(LabelSelectorRequirement {
                key: name.clone(),
                operator: SelectorOperator::from(text("operator")?),
                values: texts(one, "values").into_iter().map(Str::from).collect(),
            }),
            name,
        })
    });
    plain.chain(selected).collect()
}

impl QuotaScope {
    /// Returns whether an object is in the quota scope. Only pods can be in a scope.
    fn contains(&self, object: &Object) -> bool {
        let Object::Pod(pod) = object else { return false };
        let has_deadline = pod.spec.active_deadline_seconds.is_some_and(|seconds| seconds >= 0);
        let is_best_effort = pod.status.qos_class == Some(QosClass::BestEffort);
        match &*self.name {
            "Terminating" => has_deadline,
            "NotTerminating" => !has_deadline,
            "BestEffort" => is_best_effort,
            "NotBestEffort" => !is_best_effort,
            "PriorityClass" => self.matches_priority_class(&pod.spec.priority_class_name),
            "CrossNamespacePodAffinity" => has_cross_namespace_affinity(pod),
            _ => false,
        }
    }

    fn matches_priority_class(&self, class: &Str) -> bool {
        let Some(requirement) = &self.priority_class_requirement else {
            return !class.is_empty();
        };
        let mut labels = Map::new();
        if !class.is_empty() {
            labels.insert(self.name.clone(), class.clone());
        }
        let selector = LabelSelector {
            match_expressions: vec![requirement.clone()],
            ..LabelSelector::default()
        };
        selector.matches(&labels)
    }
}

/// Returns whether a pod affinity term selects pods of other namespaces.
fn has_cross_namespace_affinity(pod: &Pod) -> bool {
    let Some(affinity) = &pod.spec.affinity else {
        return false;
    };
    [&affinity.pod_affinity, &affinity.pod_anti_affinity]
        .into_iter()
        .flatten()
        .any(|rules| {
            rules
                .terms()
                .any(|term| !term.namespaces.is_empty() || term.namespace_selector.is_some())
        })
}
