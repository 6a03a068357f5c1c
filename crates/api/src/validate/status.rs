//! Validation of status updates (VA-179, VA-356).

use serde_json::{Value, json};

use crate::ordered;
use crate::untyped::{items, text};
use crate::well_known::condition;
use crate::{
    ConditionStatus, ContainerStatus, IpAddress, Namespace, Node, Object, Pod, Quantity, RestartPolicy, Service,
};

use super::error_list::{IMMUTABLE, NEGATIVE, quoted};
use super::{ErrorList, Path, job_status, names};

/// Numeric fields in a DaemonSet's status.
const DAEMON_SET_COUNT_FIELDS: &[&str] = &[
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
];

/// Returns all errors of an update of the status from `old` to `new`.
#[must_use]
pub fn validate_status_update(old: &Object, new: &Object) -> ErrorList {
    let mut errors = ErrorList::default();
    match (old, new) {
        (Object::Pod(old), Object::Pod(new)) => check_pod_status(old, new, &mut errors),
        (Object::Deployment(_), Object::Deployment(_)) => check_count_fields(
            new,
            &[
                "observedGeneration",
                "replicas",
                "updatedReplicas",
                "readyReplicas",
                "availableReplicas",
                "unavailableReplicas",
            ],
            &["updatedReplicas", "readyReplicas", "availableReplicas"],
            "readyReplicas",
            &mut errors,
        ),
        (Object::ReplicaSet(_) | Object::ReplicationController(_), _) => check_count_fields(
            new,
            &[
                "replicas",
                "fullyLabeledReplicas",
                "readyReplicas",
                "availableReplicas",
                "observedGeneration",
            ],
            &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
            "readyReplicas",
            &mut errors,
        ),
        (Object::StatefulSet(_), Object::StatefulSet(_)) => check_count_fields(
            new,
            &[
                "replicas",
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
                "observedGeneration",
            ],
            &[
                "readyReplicas",
                "currentReplicas",
                "updatedReplicas",
                "availableReplicas",
            ],
            "status.readyReplicas",
            &mut errors,
        ),
        (Object::ResourceClaim(old), Object::ResourceClaim(new)) => {
            super::device_claims::validate_claim_status_update(old, new, &mut errors)
        }
        (Object::DaemonSet(_), Object::DaemonSet(_)) => {
            check_count_fields(new, DAEMON_SET_COUNT_FIELDS, &[], "", &mut errors)
        }
        (Object::PodDisruptionBudget(_), Object::PodDisruptionBudget(_)) => {
            check_status_conditions(new, &mut errors);
            let fields = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];
            check_count_fields(new, &fields, &[], "", &mut errors);
        }
        (Object::Job(old), Object::Job(job)) => {
            let fields = ["active", "succeeded", "failed", "terminating", "ready"];
            check_count_fields(new, &fields, &[], "", &mut errors);
            job_status::validate(old, job, &mut errors);
        }
        (Object::Namespace(_), Object::Namespace(new)) => check_namespace_status(new, &mut errors),
        (Object::Node(_), Object::Node(node)) => {
            super::node::validate(node, &mut errors);
            check_node_addresses(node, &mut errors);
        }
        (Object::PersistentVolumeClaim(_), Object::PersistentVolumeClaim(_)) => check_claim_status(new, &mut errors),
        (Object::Service(_), Object::Service(service)) => check_load_balancer_status(service, new, &mut errors),
        _ => {}
    }
    errors
}

/// Checks that a namespace has the phase Terminating if and only if it has a deletion timestamp.
fn check_namespace_status(new: &Namespace, errors: &mut ErrorList) {
    let (expected, when) = match new.metadata.is_terminating() {
        true => ("Terminating", "is not empty"),
        false => ("Active", "is empty"),
    };
    if &*new.status.phase != expected {
        let path = Path::root("status");
        let detail = format!("may only be '{expected}' if `deletionTimestamp` {when}");
        errors.invalid_text(&path.child("Phase"), &new.status.phase, &detail);
    }
}

fn check_node_addresses(node: &Node, errors: &mut ErrorList) {
    let path = Path::root("status");
    let path = path.child("addresses");
    let all = &node.status.addresses;
    for (index, address) in all.iter().enumerate() {
        if all.iter().take(index).any(|earlier| earlier == address) {
            let (kind, text) = (quoted(&address.kind), quoted(&address.address));
            let value = format!("{{\"Type\":{kind},\"Address\":{text}}}");
            errors.duplicate(&path.index(index), value, "");
        }
    }
}

/// Checks that no amount in the status of a PersistentVolumeClaim is negative.
fn check_claim_status(new: &Object, errors: &mut ErrorList) {
    let value = new.to_value();
    let path = Path::root("status");
    for field in ["capacity", "allocatedResources"] {
        let amounts = value.pointer(&format!("/status/{field}")).and_then(Value::as_object);
        for (name, amount) in amounts.into_iter().flatten() {
            // A field without a Rust type is stored as it was sent, so the amount may be a JSON number.
            let amount = amount.to_string().trim_matches('"').parse::<Quantity>();
            if let Some(amount) = amount.ok().filter(|amount| amount.sign() < 0) {
                let detail = "must be a valid resource quantity";
                errors.invalid(&path.child(field).key(name), amount.value(), detail);
            }
        }
    }
}

/// Checks that only a Service of type LoadBalancer has ingress points, each with an IP address or a DNS name.
fn check_load_balancer_status(service: &Service, new: &Object, errors: &mut ErrorList) {
    let value = new.to_value();
    let status = value.pointer("/status/loadBalancer").unwrap_or(&Value::Null);
    let path = Path::root("status");
    let path = path.child("loadBalancer");
    let path = path.child("ingress");
    let mut points = items(status, "ingress").peekable();
    if points.peek().is_some() && &*service.spec.kind != "LoadBalancer" {
        errors.forbidden(&path, "may only be used when `spec.type` is \"LoadBalancer\"");
        return;
    }
    for (index, point) in points {
        let at = path.index(index);
        let (ip, host) = (text(point, "ip"), text(point, "hostname"));
        if !ip.is_empty() && !names::is_ip(ip) {
            errors.invalid_text(&at.child("ip"), ip, names::INVALID_IP);
        }
        if !host.is_empty() {
            errors.invalid_name(&at.child("hostname"), host, &names::subdomain_faults(host));
            if names::is_ip(host) {
                errors.invalid_text(&at.child("hostname"), host, "must be a DNS name, not an IP address");
            }
        }
    }
}

fn check_pod_status(old: &Pod, new: &Pod, errors: &mut ErrorList) {
    let path = Path::root("status");
    // The API server reports invalid condition types under `metadata.conditions`, not under `status.conditions`.
    let metadata = Path::root("metadata");
    let list = metadata.child("conditions");
    for (index, condition) in new.status.conditions.iter().enumerate() {
        let at = list.index(index);
        if !matches!(
            &*condition.kind,
            condition::POD_SCHEDULED | condition::READY | condition::INITIALIZED
        ) {
            errors.invalid_name(
                &at.child("Type"),
                &condition.kind,
                &names::qualified_name_faults(&condition.kind),
            );
        }
        let list = path.child("conditions");
        let at = list.index(index);
        if condition.observed_generation.is_some_and(|generation| generation < 0) {
            let value = condition.observed_generation.unwrap_or_default();
            errors.invalid(&at.child("observedGeneration"), value, "must be a non-negative integer");
        }
    }
    if new.status.observed_generation.is_some_and(|generation| generation < 0) {
        let value = new.status.observed_generation.unwrap_or_default();
        errors.invalid(
            &path.child("observedGeneration"),
            value,
            "must be a non-negative integer",
        );
    }
    let name = &new.status.nominated_node_name;
    if *name != old.status.nominated_node_name && !name.is_empty() {
        errors.invalid_name(&path.child("nominatedNodeName"), name, &names::subdomain_faults(name));
    }
    if new.status.qos_class != old.status.qos_class {
        let class = new.status.qos_class.as_ref().map_or("", |class| class.as_str());
        errors.invalid_text(&path.child("qosClass"), class, IMMUTABLE);
    }
    let lists = [
        (
            "containerStatuses",
            &old.status.container_statuses,
            &new.status.container_statuses,
        ),
        (
            "initContainerStatuses",
            &old.status.init_container_statuses,
            &new.status.init_container_statuses,
        ),
    ];
    for (field, before, after) in lists {
        check_container_transitions(old, before, after, &path.child(field), errors);
    }
    // Ephemeral containers never restart.
    let before = old.status.ephemeral_container_statuses.iter().enumerate();
    for (index, _) in
        before.filter(|(_, status)| is_ended_container_restarted(status, &new.status.ephemeral_container_statuses))
    {
        let list = path.child("ephemeralContainerStatuses");
        errors.forbidden(&list.index(index).child("state"), ENDED_CONTAINER_RESTARTED);
    }
    check_resource_claim_statuses(new, &path.child("resourceClaimStatuses"), errors);
    check_pod_addresses(&path.child("podIPs"), &old.status.pod_ips, &new.status.pod_ips, errors);
    let host_ips = path.child("hostIPs");
    if let Some(first) = new
        .status
        .host_ips
        .first()
        .filter(|first| first.ip != new.status.host_ip)
    {
        errors.invalid_text(&host_ips.index(0).child("ip"), &first.ip, "must be equal to `hostIP`");
    }
    check_pod_addresses(&host_ips, &old.status.host_ips, &new.status.host_ips, errors);
}

/// Checks that each claim status belongs to one entry of `spec.resourceClaims` (`validatePodResourceClaimStatuses`).
fn check_resource_claim_statuses(pod: &Pod, path: &Path<'_>, errors: &mut ErrorList) {
    let mut seen = ordered::Set::new();
    for (index, status) in pod.status.resource_claim_statuses.iter().enumerate() {
        let at = path.index(index);
        let name = at.child("name");
        if pod.spec.resource_claims.iter().all(|claim| claim.name != status.name) {
            errors.invalid_text(
                &name,
                &status.name,
                "must match the name of an entry in `spec.resourceClaims`",
            );
        }
        if !seen.insert(&*status.name) {
            errors.duplicate(&name, quoted(&status.name), "");
        }
        if let Some(claim) = &status.resource_claim_name {
            errors.invalid_name(&name, claim, &names::subdomain_faults(claim));
        }
    }
}

/// Checks the addresses of a pod or its host: new addresses must be valid, and there is at most one of each family
/// (`validatePodIPs`, `validateHostIPs`).
fn check_pod_addresses(path: &Path<'_>, before: &[IpAddress], after: &[IpAddress], errors: &mut ErrorList) {
    let is_invalid = |address: &IpAddress| !names::is_ip(&address.ip);
    for (index, address) in after.iter().enumerate() {
        if is_invalid(address) && !before.contains(address) {
            errors.invalid_text(&path.index(index), &address.ip, names::INVALID_IP);
        }
    }
    let n_ipv6 = after.iter().filter(|address| address.ip.contains(':')).count();
    let invalid = after.iter().position(is_invalid).filter(|_| after.len() > 1);
    if let Some(index) = invalid {
        let message = format!("failed to check for dual stack with error:invalid IP[{index}]: <nil>");
        errors.internal(path, &message);
    }
    let is_pair = after.len() == 2 && n_ipv6 == 1 && invalid.is_none();
    if after.len() > 1 && !is_pair {
        let all: Vec<Value> = after.iter().map(|address| json!({"IP": address.ip})).collect();
        let all = Value::from(all);
        errors.invalid(path, all, "may specify no more than one IP for each IP family");
    }
}

/// Checks that terminated containers that may not restart stay terminated.
fn check_container_transitions(
    pod: &Pod,
    before: &[ContainerStatus],
    after: &[ContainerStatus],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let policy = pod.spec.restart_policy.clone().unwrap_or(RestartPolicy::Always);
    let all = || pod.spec.containers.iter().chain(pod.spec.init_containers.iter());
    // A restart rule of any container may restart all containers.
    if policy == RestartPolicy::Always || all().any(|container| !container.restart_policy_rules.is_empty()) {
        return;
    }
    for (index, status) in before.iter().enumerate() {
        let Some(ended) = &status.state.terminated else {
            continue;
        };
        let own = all().find(|container| container.name == status.name);
        let policy = own
            .and_then(|container| container.restart_policy.clone())
            .unwrap_or(policy.clone());
        if policy == RestartPolicy::Always || ended.exit_code != 0 && policy == RestartPolicy::OnFailure {
            continue;
        }
        if is_ended_container_restarted(status, after) {
            errors.forbidden(&path.index(index).child("state"), ENDED_CONTAINER_RESTARTED);
        }
    }
}

const ENDED_CONTAINER_RESTARTED: &str = "may not be transitioned to non-terminated state";

/// Returns whether a terminated container is no longer terminated in the later statuses.
fn is_ended_container_restarted(before: &ContainerStatus, after: &[ContainerStatus]) -> bool {
    let is_same = |after: &ContainerStatus| after.name == before.name && after.state.terminated.is_none();
    before.state.terminated.is_some() && after.iter().any(is_same)
}

/// Checks that numbers are not negative, that the fields in `at_most_replicas` do not exceed `replicas`, and that
/// `availableReplicas` does not exceed `readyReplicas`. `ready_label` is the name of `readyReplicas` in the message; if
/// it is empty, the last check is skipped.
fn check_count_fields(
    object: &Object,
    fields: &[&str],
    at_most_replicas: &[&str],
    ready_label: &str,
    errors: &mut ErrorList,
) {
    let value = object.to_value();
    let path = Path::root("status");
    let number = |field: &str| {
        value
            .pointer(&format!("/status/{field}"))
            .and_then(Value::as_i64)
            .unwrap_or(0)
    };
    for field in fields.iter().copied().chain(["collisionCount"]) {
        if number(field) < 0 {
            errors.invalid(&path.child(field), number(field), NEGATIVE);
        }
    }
    for field in at_most_replicas {
        if number(field) > number("replicas") {
            errors.invalid(
                &path.child(field),
                number(field),
                "cannot be greater than status.replicas",
            );
        }
    }
    if !ready_label.is_empty() && number("availableReplicas") > number("readyReplicas") {
        let message = format!("cannot be greater than {ready_label}");
        errors.invalid(&path.child("availableReplicas"), number("availableReplicas"), &message);
    }
}

/// Checks conditions of the type `metav1.Condition`.
fn check_status_conditions(object: &Object, errors: &mut ErrorList) {
    let value = object.to_value();
    let status = value.get("status").unwrap_or(&Value::Null);
    let list = Path::root("status");
    let list = list.child("conditions");
    for (index, condition) in items(status, "conditions") {
        let at = list.index(index);
        let kind = text(condition, "type");
        if kind.is_empty() {
            errors.required(&at.child("type"), "must be set");
        } else {
            errors.invalid_name(&at.child("type"), kind, &names::qualified_name_faults(kind));
        }
        let status = text(condition, "status");
        errors.check_one_of_sorted(&at.child("status"), status, ConditionStatus::KNOWN);
        if text(condition, "lastTransitionTime").is_empty() {
            errors.required(&at.child("lastTransitionTime"), "must be set");
        }
        match text(condition, "reason") {
            "" => errors.required(&at.child("reason"), "must be set"),
            reason if is_condition_reason(reason) => {}
            reason => errors.invalid_text(&at.child("reason"), reason, INVALID_REASON),
        }
    }
}

const INVALID_REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

fn is_condition_reason(text: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.ends_with(is_word)
        && text.chars().all(|letter| is_word(letter) || ",:".contains(letter))
}
