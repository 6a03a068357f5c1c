//! Validation of DeviceClasses, ResourceClaims and ResourceClaimTemplates (DRA-031 to DRA-038). The expressions of
//! selectors are compiled by the API server.

use super::device_lists::{
    check_attribute_name_with_domain, check_binding_conditions, check_configuration, check_dns_label,
    check_driver_name, check_json_object, check_list, check_pool_name, check_required_one_of, check_set,
};
use super::error_list::IMMUTABLE;
use super::{ErrorList, Path, affinity, internal, meta, names, quoted, resources};
use crate::wire::Wire as _;
use crate::{
    AllocatedDeviceStatus, AllocationResult, DeviceClaim, DeviceClass, DeviceConstraint, DeviceRequest,
    DeviceRequestAllocationResult, DeviceSelector, DeviceToleration, ResourceClaim, ResourceClaimStatus,
    ResourceClaimTemplate, Str, ordered,
};

/// Maximum number of requests, constraints, configurations or selectors in a list of a claim or class.
const MAX_LIST_ITEMS: usize = 32;
/// Maximum number of subrequests of a request.
const MAX_SUBREQUESTS: usize = 8;
/// Maximum length of a CEL expression, in bytes.
const MAX_EXPRESSION_BYTES: usize = 10 * 1024;
/// Maximum number of pods that a claim is reserved for.
const MAX_RESERVED_PODS: usize = 256;
/// Allowed effects of device taints.
pub(super) const TAINT_EFFECTS: &[&str] = &["NoExecute", "NoSchedule", "None"];
const INVALID_REQUEST_REFERENCE: &str =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

pub(super) fn validate_class(class: &DeviceClass, errors: &mut ErrorList) {
    let spec = Path::root("spec");
    check_device_selectors(&class.spec.selectors, &spec.child("selectors"), errors);
    check_list(
        &class.spec.config,
        MAX_LIST_ITEMS,
        &spec.child("config"),
        errors,
        |one, path, errors| {
            check_configuration(one.opaque.as_ref(), path, errors);
        },
    );
    if let Some(name) = class
        .spec
        .extended_resource_name
        .as_ref()
        .filter(|name| !resources::is_extended_resource(name))
    {
        let message = "must be a valid extended resource name";
        errors.invalid_text(&spec.child("extendedResourceName"), name, message);
    }
}

pub(super) fn validate_claim(claim: &ResourceClaim, errors: &mut ErrorList) {
    let spec = Path::root("spec");
    check_device_claim(&claim.spec.devices, &spec.child("devices"), errors);
}

pub(super) fn validate_template(template: &ResourceClaimTemplate, errors: &mut ErrorList) {
    let spec = Path::root("spec");
    if let Some(metadata) = &template.spec.metadata {
        let path = spec.child("metadata");
        meta::check_annotations(&metadata.annotations, &path.child("annotations"), errors);
        meta::check_labels(&metadata.labels, &path.child("labels"), errors);
    }
    let spec_of_claim = spec.child("spec");
    check_device_claim(&template.spec.spec.devices, &spec_of_claim.child("devices"), errors);
}

pub(super) fn validate_claim_update(old: &ResourceClaim, new: &ResourceClaim, errors: &mut ErrorList) {
    if old.spec != new.spec {
        let value = internal::to_internal_struct_json("ResourceClaimSpec", &new.spec.to_json_value());
        errors.invalid(&Path::root("spec"), value, IMMUTABLE);
    }
}

pub(super) fn validate_template_update(
    old: &ResourceClaimTemplate,
    new: &ResourceClaimTemplate,
    errors: &mut ErrorList,
) {
    if old.spec != new.spec {
        let value = internal::to_internal_struct_json("ResourceClaimTemplateSpec", &new.spec.to_json_value());
        errors.invalid(&Path::root("spec"), value, IMMUTABLE);
    }
}

/// Names of the requests of a claim, each with the names of its subrequests.
type RequestNames<'a> = ordered::Map<&'a str, Vec<&'a str>>;

fn request_names(claim: &DeviceClaim) -> RequestNames<'_> {
    let mut all = RequestNames::new();
    for request in &claim.requests {
        let names = request.first_available.iter().map(|sub| &*sub.name).collect();
        all.insert(&*request.name, names);
    }
    all
}

fn check_device_claim(claim: &DeviceClaim, path: &Path<'_>, errors: &mut ErrorList) {
    let names = request_names(claim);
    check_set(
        &claim.requests,
        MAX_LIST_ITEMS,
        &path.child("requests"),
        errors,
        check_device_request,
        |one| quoted(&one.name),
    );
    check_list(
        &claim.constraints,
        MAX_LIST_ITEMS,
        &path.child("constraints"),
        errors,
        |one, path, errors| {
            check_device_constraint(one, &names, path, errors);
        },
    );
    check_list(
        &claim.config,
        MAX_LIST_ITEMS,
        &path.child("config"),
        errors,
        |one, path, errors| {
            check_request_references(&one.requests, &names, &path.child("requests"), errors);
            check_configuration(one.opaque.as_ref(), path, errors);
        },
    );
}

fn check_device_request(request: &DeviceRequest, path: &Path<'_>, errors: &mut ErrorList) {
    const EXACTLY_ONE: &str = "exactly one of `exactly` or `firstAvailable` is required";
    check_dns_label(&request.name, &path.child("name"), errors);
    match (&request.exactly, request.first_available.is_empty()) {
        (None, true) => errors.required(path, EXACTLY_ONE),
        (Some(_), false) => errors.invalid(path, "null", &format!("{EXACTLY_ONE}, but multiple fields are set")),
        (Some(exactly), true) => {
            let of_devices = CommonRequestFields {
                class: &exactly.device_class_name,
                selectors: &exactly.selectors,
                mode: &exactly.allocation_mode,
                count: exactly.count,
                tolerations: &exactly.tolerations,
            };
            of_devices.check(&path.child("exactly"), errors);
        }
        (None, false) => {
            let list = path.child("firstAvailable");
            let check = |sub: &crate::DeviceSubRequest, path: &Path<'_>, errors: &mut ErrorList| {
                check_dns_label(&sub.name, &path.child("name"), errors);
                let of_devices = CommonRequestFields {
                    class: &sub.device_class_name,
                    selectors: &sub.selectors,
                    mode: &sub.allocation_mode,
                    count: sub.count,
                    tolerations: &sub.tolerations,
                };
                of_devices.check(path, errors);
            };
            check_set(&request.first_available, MAX_SUBREQUESTS, &list, errors, check, |sub| {
                quoted(&sub.name)
            });
        }
    }
}

/// The fields that a device request and a subrequest have in common.
struct CommonRequestFields<'a> {
    class: &'a str,
    selectors: &'a [DeviceSelector],
    mode: &'a str,
    count: Option<i64>,
    tolerations: &'a [DeviceToleration],
}

impl CommonRequestFields<'_> {
    fn check(&self, path: &Path<'_>, errors: &mut ErrorList) {
        let class = path.child("deviceClassName");
        if self.class.is_empty() {
            errors.required(&class, "");
        } else {
            errors.invalid_name(&class, self.class, &names::subdomain_faults(self.class));
        }
        check_device_selectors(self.selectors, &path.child("selectors"), errors);
        let count = self.count.unwrap_or(0);
        match self.mode {
            "All" if count != 0 => {
                let message = "must not be specified when allocationMode is 'All'";
                errors.invalid(&path.child("count"), count, message);
            }
            "ExactCount" if count <= 0 => errors.invalid(&path.child("count"), count, "must be greater than zero"),
            "All" | "ExactCount" => {}
            mode => errors.unsupported_text(&path.child("allocationMode"), mode, &["All", "ExactCount"]),
        }
        let list = path.child("tolerations");
        for (index, one) in self.tolerations.iter().enumerate() {
            check_device_toleration(one, &list.index(index), errors);
        }
    }
}

fn check_device_toleration(toleration: &DeviceToleration, path: &Path<'_>, errors: &mut ErrorList) {
    let (key, value) = (&toleration.key, &toleration.value);
    if !key.is_empty() {
        errors.invalid_name(&path.child("key"), key, &names::qualified_name_faults(key));
    }
    match &*toleration.operator {
        "Exists" if !value.is_empty() => {
            errors.invalid_text(&path.child("value"), value, "must be empty for operator `Exists`");
        }
        "Equal" => errors.invalid_name(&path.child("value"), value, &names::label_value_faults(value)),
        operator => check_required_one_of(operator, &["Equal", "Exists"], &path.child("operator"), errors),
    }
    if !toleration.effect.is_empty() {
        check_required_one_of(&toleration.effect, TAINT_EFFECTS, &path.child("effect"), errors);
    }
}

fn check_device_selectors(selectors: &[DeviceSelector], path: &Path<'_>, errors: &mut ErrorList) {
    check_list(selectors, MAX_LIST_ITEMS, path, errors, |selector, path, errors| {
        let path = path.child("cel");
        match &selector.cel {
            None => errors.required(&path, ""),
            Some(cel) if cel.expression.len() > MAX_EXPRESSION_BYTES => {
                errors.too_long(&path.child("expression"), MAX_EXPRESSION_BYTES);
            }
            Some(_) => {}
        }
    });
}

fn check_device_constraint(
    constraint: &DeviceConstraint,
    names: &RequestNames<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    check_request_references(&constraint.requests, names, &path.child("requests"), errors);
    match (&constraint.match_attribute, &constraint.distinct_attribute) {
        (Some(name), _) => check_attribute_name_with_domain(name, &path.child("matchAttribute"), errors),
        (None, Some(name)) => check_attribute_name_with_domain(name, &path.child("distinctAttribute"), errors),
        // The server's message mentions multiple fields, although no field is set.
        (None, None) => errors.required(
            path,
            "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set",
        ),
    }
}

fn check_request_references(requests: &[Str], names: &RequestNames<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let check =
        |name: &Str, path: &Path<'_>, errors: &mut ErrorList| check_request_reference(name, names, path, errors);
    check_set(requests, MAX_LIST_ITEMS, path, errors, check, |name| quoted(name));
}

/// Checks a reference to a request of the claim: `REQUEST` or `REQUEST/SUBREQUEST`.
fn check_request_reference(name: &str, names: &RequestNames<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let parts: Vec<&str> = name.split('/').collect();
    if parts.len() > 2 {
        return errors.invalid_text(path, name, INVALID_REQUEST_REFERENCE);
    }
    for part in &parts {
        check_dns_label(part, path, errors);
    }
    let is_known = match parts.as_slice() {
        [request] => names.contains_key(request),
        [request, sub] => names.get(request).is_some_and(|subs| subs.contains(sub)),
        _ => false,
    };
    if !is_known {
        errors.invalid_text(path, name, INVALID_REQUEST_REFERENCE);
    }
}

/// Checks a status update of a claim (DRA-037).
pub(super) fn validate_claim_status_update(old: &ResourceClaim, new: &ResourceClaim, errors: &mut ErrorList) {
    let path = Path::root("status");
    let (before, after) = (&old.status, &new.status);
    let consumers = path.child("reservedFor");
    let consumer = |one: &crate::ResourceClaimConsumerReference, path: &Path<'_>, errors: &mut ErrorList| {
        for (field, value) in [("resource", &one.resource), ("name", &one.name), ("uid", &one.uid)] {
            if value.is_empty() {
                errors.required(&path.child(field), "");
            }
        }
    };
    check_set(
        &after.reserved_for,
        MAX_RESERVED_PODS,
        &consumers,
        errors,
        consumer,
        |one| quoted(&one.uid),
    );
    let devices = path.child("devices");
    let key = |one: &AllocatedDeviceStatus| device_id_json(one);
    let check = |one: &AllocatedDeviceStatus, path: &Path<'_>, errors: &mut ErrorList| {
        check_device_status(one, after, path, errors);
    };
    check_set(&after.devices, usize::MAX, &devices, errors, check, key);
    if !after.reserved_for.is_empty() {
        if after.allocation.is_none() {
            errors.forbidden(&consumers, "may not be specified when `allocated` is not set");
        } else if new.metadata.is_terminating()
            && after.reserved_for.iter().any(|one| !before.reserved_for.contains(one))
        {
            let message = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
            errors.forbidden(&consumers, message);
        }
    }
    let allocation = path.child("allocation");
    match (&before.allocation, &after.allocation) {
        (Some(before), Some(after)) if before != after => {
            let value = after.to_json_value();
            errors.invalid(&allocation, value, IMMUTABLE);
        }
        (None, Some(after)) => check_allocation_result(after, &new.spec.devices, &allocation, errors),
        _ => {}
    }
}

/// Prints a device and its share as the server's messages do.
fn device_id_json(device: &AllocatedDeviceStatus) -> String {
    let share = device.share_id.as_deref().unwrap_or_default();
    format!(
        "{{\"Driver\":{},\"Pool\":{},\"Device\":{},\"ShareID\":{}}}",
        quoted(&device.driver),
        quoted(&device.pool),
        quoted(&device.device),
        quoted(share)
    )
}

fn check_device_status(
    device: &AllocatedDeviceStatus,
    status: &ResourceClaimStatus,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    const MAX_CONDITIONS: usize = 8;
    check_driver_name(&device.driver, &path.child("driver"), errors);
    check_pool_name(&device.pool, &path.child("pool"), errors);
    check_dns_label(&device.device, &path.child("device"), errors);
    let mut results = status
        .allocation
        .iter()
        .flat_map(|allocation| &allocation.devices.results);
    let is_same = |result: &DeviceRequestAllocationResult| {
        (&result.driver, &result.pool, &result.device, &result.share_id)
            == (&device.driver, &device.pool, &device.device, &device.share_id)
    };
    if !results.any(is_same) {
        errors.invalid(path, device_id_json(device), "must be an allocated device in the claim");
    }
    let conditions = path.child("conditions");
    if device.conditions.len() > MAX_CONDITIONS {
        errors.too_many(&conditions, device.conditions.len(), MAX_CONDITIONS);
    }
    for (index, condition) in device.conditions.iter().enumerate() {
        let path = conditions.index(index);
        errors.invalid_name(
            &path.child("type"),
            &condition.kind,
            &names::qualified_name_faults(&condition.kind),
        );
        check_required_one_of(
            &condition.status,
            &["False", "True", "Unknown"],
            &path.child("status"),
            errors,
        );
        if condition.last_transition_time.is_none() {
            errors.required(&path.child("lastTransitionTime"), "must be set");
        }
        if condition.reason.is_empty() {
            errors.required(&path.child("reason"), "must be set");
        }
    }
    if device.data.is_some() {
        check_json_object(device.data.as_ref(), &path.child("data"), errors);
    }
}

fn check_allocation_result(
    allocation: &AllocationResult,
    claim: &DeviceClaim,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let names = request_names(claim);
    let devices = path.child("devices");
    check_list(
        &allocation.devices.results,
        MAX_LIST_ITEMS,
        &devices.child("results"),
        errors,
        |one, path, errors| {
            check_request_reference(&one.request, &names, &path.child("request"), errors);
            check_driver_name(&one.driver, &path.child("driver"), errors);
            check_pool_name(&one.pool, &path.child("pool"), errors);
            check_dns_label(&one.device, &path.child("device"), errors);
            check_binding_conditions(&one.binding_conditions, &one.binding_failure_conditions, path, errors);
        },
    );
    check_list(
        &allocation.devices.config,
        2 * MAX_LIST_ITEMS,
        &devices.child("config"),
        errors,
        |one, path, errors| {
            check_required_one_of(&one.source, &["FromClaim", "FromClass"], &path.child("source"), errors);
            check_request_references(&one.requests, &names, &path.child("requests"), errors);
            check_configuration(one.opaque.as_ref(), path, errors);
        },
    );
    if let Some(selector) = &allocation.node_selector {
        affinity::validate_node_selector(selector, &path.child("nodeSelector"), errors);
    }
}
