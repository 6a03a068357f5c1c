//! Validation of resource names, requests and limits (VA-115 to VA-126).

use crate::{Quantity, ResourceList, ResourceRequirements, ordered};

use super::error_list::{NEGATIVE, quoted};
use super::{ErrorList, Path, names};

const STANDARD_RESOURCES: [&str; 24] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "requests.storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
    "storage",
    "count/pods",
    "requests.hugepages",
    "limits.hugepages",
    "hugepages",
];

pub(super) fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Returns whether the resource is defined by Kubernetes itself.
fn is_native_resource(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

pub(super) fn is_extended_resource(name: &str) -> bool {
    !is_native_resource(name)
        && !name.starts_with("requests.")
        && names::qualified_name_faults(&format!("requests.{name}")).is_empty()
}

/// Returns whether a container's limit may exceed its request.
pub(super) fn may_resource_be_overcommitted(name: &str) -> bool {
    is_native_resource(name) && !is_huge_page(name)
}

fn must_amount_be_integer(name: &str) -> bool {
    matches!(
        name,
        "pods"
            | "services"
            | "replicationcontrollers"
            | "resourcequotas"
            | "secrets"
            | "configmaps"
            | "persistentvolumeclaims"
            | "services.nodeports"
            | "services.loadbalancers"
    ) || is_extended_resource(name)
}

/// Checks that a resource name is a qualified name, and one of Kubernetes' own names if it has no prefix.
fn check_resource_name(name: &str, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    let messages = names::qualified_name_faults(name);
    errors.invalid_name(path, name, &messages);
    if !messages.is_empty() {
        return false;
    }
    let is_known = name.contains('/') || STANDARD_RESOURCES.contains(&name) || is_huge_page(name);
    if !is_known {
        errors.invalid_text(path, name, "must be a standard resource type or fully qualified");
    }
    is_known
}

/// Returns whether the resource is a standard resource of quotas.
pub(super) fn is_standard_quota_resource(resource: &str) -> bool {
    let name = resource.strip_prefix("requests.").or(resource.strip_prefix("limits."));
    match name {
        Some(name) => matches!(name, "cpu" | "memory" | "ephemeral-storage" | "storage") || is_huge_page(name),
        None => {
            matches!(
                resource,
                "cpu"
                    | "memory"
                    | "ephemeral-storage"
                    | "storage"
                    | "pods"
                    | "resourcequotas"
                    | "services"
                    | "replicationcontrollers"
                    | "secrets"
                    | "persistentvolumeclaims"
                    | "configmaps"
                    | "services.nodeports"
                    | "services.loadbalancers"
            ) || is_huge_page(resource)
        }
    }
}

/// Checks a resource name in a quota.
pub(super) fn check_quota_resource_name(resource: &str, path: &Path<'_>, errors: &mut ErrorList) {
    check_resource_name(resource, path, errors);
    if !resource.contains('/') && !is_standard_quota_resource(resource) {
        errors.invalid_text(path, resource, "must be a standard resource for quota");
    }
}

/// Checks a resource name in a LimitRange. For pods and containers, it must be a container resource.
pub(super) fn check_limit_resource_name(resource: &str, kind: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if matches!(kind, "Pod" | "Container") {
        check_container_resource_name(resource, path, errors);
    } else {
        check_resource_name(resource, path, errors);
    }
}

/// Checks the name of a pod-level resource.
fn check_pod_resource_name(resource: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if check_resource_name(resource, path, errors) && !matches!(resource, "cpu" | "memory") && !is_huge_page(resource) {
        errors.unsupported_text(path, resource, &["cpu", "hugepages-", "memory"]);
    }
}

pub(super) fn check_container_resource_name(resource: &str, path: &Path<'_>, errors: &mut ErrorList) {
    check_resource_name(resource, path, errors);
    if !resource.contains('/') {
        if !matches!(resource, "cpu" | "memory" | "ephemeral-storage") && !is_huge_page(resource) {
            errors.invalid_text(path, resource, "must be a standard resource for containers");
        }
    } else if !is_native_resource(resource) && !is_extended_resource(resource) {
        errors.invalid_text(path, resource, "doesn't follow extended resource name standard");
    }
}

/// Checks that an amount is not negative, and that it is an integer if the resource counts objects.
pub(super) fn check_amount(resource: &str, quantity: Quantity, path: &Path<'_>, errors: &mut ErrorList) {
    if quantity.sign() < 0 {
        errors.invalid_text(path, &quantity.to_string(), NEGATIVE);
    }
    if must_amount_be_integer(resource) && !quantity.is_whole() {
        errors.invalid_text(path, &quantity.to_string(), "must be an integer");
    }
    // Deviation: the server accepts this amount, but its value in thousandths overflows (VA-360).
    if matches!(resource, "cpu" | "requests.cpu" | "limits.cpu") && quantity.overflows_milli() {
        let message = "must be no more than 9223372036854775 (its thousandths are counted in 64 bits)";
        errors.invalid_text(path, &quantity.to_string(), message);
    }
}

/// Checks the pod overhead by the rules for limits.
pub(super) fn check_pod_overhead(list: &ResourceList, path: &Path<'_>, errors: &mut ErrorList) {
    let limits = ResourceRequirements {
        limits: list.clone(),
        ..ResourceRequirements::default()
    };
    validate(&limits, &[], path, errors);
}

fn check_huge_page_multiple(resource: &str, quantity: Quantity, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(size) = resource
        .strip_prefix("hugepages-")
        .and_then(|size| size.parse::<Quantity>().ok())
    else {
        return;
    };
    let (amount, size) = (quantity.value(), size.value());
    if amount <= 0 || size <= 0 || amount % size != 0 {
        if quantity.is_zero() {
            return;
        }
        let text = quantity.to_string();
        errors.invalid_text(
            path,
            &text,
            &format!("{text} is not positive integer multiple of {resource}"),
        );
    }
}

/// Checks requests and limits of a container; `claims` are the names of the pod's resource claims.
pub(super) fn validate(resources: &ResourceRequirements, claims: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    check_requests_and_limits(resources, check_container_resource_name, path, errors);
    check_resource_claims_listed(resources, claims, path, errors);
}

/// Checks pod-level requests and limits.
pub(super) fn validate_pod_level(resources: &ResourceRequirements, path: &Path<'_>, errors: &mut ErrorList) {
    check_requests_and_limits(resources, check_pod_resource_name, path, errors);
}

fn check_requests_and_limits(
    resources: &ResourceRequirements,
    check_name: fn(&str, &Path<'_>, &mut ErrorList),
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (limits, requests) = (path.child("limits"), path.child("requests"));
    let (mut ordinary, mut huge) = (false, false);
    let mut note = |resource: &str| {
        ordinary |= matches!(resource, "cpu" | "memory");
        huge |= is_huge_page(resource);
    };
    for (resource, quantity) in &resources.limits {
        let path = limits.key(resource);
        check_name(resource, &path, errors);
        check_amount(resource, *quantity, &path, errors);
        check_huge_page_multiple(resource, *quantity, &path, errors);
        note(resource);
    }
    for (resource, quantity) in &resources.requests {
        let path = requests.key(resource);
        check_name(resource, &path, errors);
        check_amount(resource, *quantity, &path, errors);
        match resources.limits.get(resource) {
            Some(limit) if quantity != limit && !may_resource_be_overcommitted(resource) => {
                let message = format!("must be equal to {resource} limit of {limit}");
                errors.invalid_text(&requests, &quantity.to_string(), &message);
            }
            Some(limit) if quantity > limit => {
                let message = format!("must be less than or equal to {resource} limit of {limit}");
                errors.invalid_text(&requests, &quantity.to_string(), &message);
            }
            None if !may_resource_be_overcommitted(resource) => {
                errors.required(&limits, "Limit must be set for non overcommitable resources");
            }
            _ => {}
        }
        check_huge_page_multiple(resource, *quantity, &path, errors);
        note(resource);
    }
    if huge && !ordinary {
        errors.forbidden(path, "HugePages require cpu or memory");
    }
}

fn check_resource_claims_listed(
    resources: &ResourceRequirements,
    claims: &[&str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let path = path.child("claims");
    // Names of the used claims, and `CLAIM/REQUEST` for single requests of a claim.
    let mut seen: ordered::Set<String> = ordered::Set::new();
    for (index, claim) in resources.claims.iter().enumerate() {
        let path = path.index(index);
        let name = &*claim.name;
        if name.is_empty() {
            errors.required(&path, "");
            continue;
        }
        if seen.contains(name) {
            errors.duplicate(&path, quoted(name), "");
        } else {
            let mut key = name.to_owned();
            if !claim.request.is_empty() {
                let messages = names::label_faults(&claim.request);
                errors.invalid_name(&path.child("request"), &claim.request, &messages);
                key = format!("{name}/{}", claim.request);
            }
            if seen.contains(&key) {
                errors.duplicate(&path, quoted(&key), "");
            } else if claim.request.is_empty() {
                let parts = seen
                    .iter()
                    .filter(|key| key.split_once('/').is_some_and(|(claim, _)| claim == name));
                for _ in parts {
                    errors.duplicate(&path, quoted(name), "");
                }
            }
            seen.insert(key);
        }
        if !claims.contains(&name) {
            let detail = if claims.is_empty() {
                "must be one of the names in pod.spec.resourceClaims which is empty".to_owned()
            } else {
                format!(
                    "must be one of the names in pod.spec.resourceClaims: {}",
                    claims.join(", ")
                )
            };
            errors.not_found(&path, name, &detail);
        }
    }
}
