//! Validation of ResourceSlices (DRA-039 to DRA-044).

use super::device_claims::TAINT_EFFECTS;
use super::device_lists::{
    check_binding_conditions, check_dns_label, check_driver_name, check_list, check_map_keys, check_pool_name,
    check_property_name, check_required_one_of, check_set, format_list,
};
use super::error_list::IMMUTABLE;
use super::{ErrorList, Path, affinity, names, quoted};
use crate::wire::Wire as _;
use crate::{
    CapacityRequestPolicy, CapacityRequestPolicyRange, Device, DeviceAttribute, DeviceTaint, Quantity, ResourceSlice,
};

/// Maximum number of devices in a slice: the first number, or the second if any device has taints or consumes counters.
const MAX_SLICE_DEVICES: (usize, usize) = (128, 64);
/// Maximum number of attributes and capacities of a device.
const MAX_DEVICE_PROPERTIES: usize = 32;
/// Maximum length of a string or version attribute, in bytes.
const MAX_ATTRIBUTE_BYTES: usize = 64;
/// Maximum number of counters in a set.
const MAX_SET_COUNTERS: usize = 32;

pub(super) fn validate_update(old: &ResourceSlice, new: &ResourceSlice, errors: &mut ErrorList) {
    check_slice(Some(old), new, errors);
}

pub(super) fn validate(slice: &ResourceSlice, errors: &mut ErrorList) {
    check_slice(None, slice, errors);
}

fn check_slice(old: Option<&ResourceSlice>, slice: &ResourceSlice, errors: &mut ErrorList) {
    let (spec, path) = (&slice.spec, Path::root("spec"));
    check_driver_name(&spec.driver, &path.child("driver"), errors);
    let of_pool = path.child("pool");
    check_pool_name(&spec.pool.name, &of_pool.child("name"), errors);
    if spec.pool.resource_slice_count <= 0 {
        let count = spec.pool.resource_slice_count;
        errors.invalid(&of_pool.child("resourceSliceCount"), count, "must be greater than zero");
    }
    if spec.pool.generation < 0 {
        let message = "must be greater than or equal to zero";
        errors.invalid(&of_pool.child("generation"), spec.pool.generation, message);
    }
    if let Some(old) = old.map(|old| &old.spec) {
        if old.pool.name != spec.pool.name {
            errors.invalid_text(&of_pool.child("name"), &spec.pool.name, IMMUTABLE);
        }
        if old.driver != spec.driver {
            errors.invalid_text(&path.child("driver"), &spec.driver, IMMUTABLE);
        }
        if old.node_name != spec.node_name {
            let value = spec.node_name.as_deref().map_or_else(|| "null".to_owned(), quoted);
            errors.invalid(&path.child("nodeName"), value, IMMUTABLE);
        }
    }
    check_slice_node_choice(slice, &path, errors);
    if !spec.devices.is_empty() && !spec.shared_counters.is_empty() {
        errors.invalid_text(&path, "", "only one of `sharedCounters` or `devices` is allowed");
    }
    let is_special = |device: &Device| !device.taints.is_empty() || !device.consumes_counters.is_empty();
    let max = match spec.devices.iter().any(is_special) {
        true => MAX_SLICE_DEVICES.1,
        false => MAX_SLICE_DEVICES.0,
    };
    let is_per_device = spec.per_device_node_selection == Some(true);
    let check = |one: &Device, path: &Path<'_>, errors: &mut ErrorList| check_device(one, is_per_device, path, errors);
    check_set(&spec.devices, max, &path.child("devices"), errors, check, |one| {
        quoted(&one.name)
    });
    let counter_set = |set: &crate::CounterSet, path: &Path<'_>, errors: &mut ErrorList| {
        check_required_dns_label(&set.name, &path.child("name"), errors);
        check_counters(&set.counters, &path.child("counters"), errors);
    };
    check_set(
        &spec.shared_counters,
        8,
        &path.child("sharedCounters"),
        errors,
        counter_set,
        |set| quoted(&set.name),
    );
}

fn check_required_dns_label(name: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if name.is_empty() {
        errors.required(path, "");
    } else {
        check_dns_label(name, path, errors);
    }
}

fn check_counters(counters: &crate::ordered::Map<crate::Str, crate::Counter>, path: &Path<'_>, errors: &mut ErrorList) {
    if counters.is_empty() {
        errors.required(path, "");
    } else {
        check_map_keys(counters, MAX_SET_COUNTERS, path, errors, check_dns_label);
    }
}

/// Checks that exactly one field determines the nodes of the slice's devices.
fn check_slice_node_choice(slice: &ResourceSlice, path: &Path<'_>, errors: &mut ErrorList) {
    const EXACTLY_ONE: &str =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    const UNSET_OR_TRUE: &str = "must be either unset or set to true";
    let spec = &slice.spec;
    let mut given: Vec<&str> = Vec::new();
    match spec.node_name.as_deref() {
        None => {}
        Some("") => {
            let message = "must be either unset or set to a non-empty string";
            errors.invalid_text(&path.child("nodeName"), "", message);
        }
        Some(name) => {
            given.push("`nodeName`");
            errors.invalid_name(&path.child("nodeName"), name, &names::subdomain_faults(name));
        }
    }
    if let Some(selector) = &spec.node_selector {
        given.push("`nodeSelector`");
        let path = path.child("nodeSelector");
        affinity::validate_node_selector(selector, &path, errors);
        if selector.node_selector_terms.len() != 1 {
            let value = selector.to_json_value();
            let terms = value.get("nodeSelectorTerms").cloned().unwrap_or_default();
            errors.invalid(
                &path.child("nodeSelectorTerms"),
                terms,
                "must have exactly one node selector term",
            );
        }
    }
    for (field, shown, value) in [
        ("allNodes", "`allNodes`", spec.all_nodes),
        (
            "perDeviceNodeSelection",
            "`perDeviceNodeSelection`",
            spec.per_device_node_selection,
        ),
    ] {
        match value {
            None => {}
            Some(true) => given.push(shown),
            Some(false) => errors.invalid(&path.child(field), false, UNSET_OR_TRUE),
        }
    }
    match given.len() {
        0 => errors.required(path, EXACTLY_ONE),
        1 => {}
        _ => errors.invalid(
            path,
            format_list(&given),
            &format!("{EXACTLY_ONE}, but multiple fields are set"),
        ),
    }
}

fn check_device(device: &Device, is_per_device: bool, path: &Path<'_>, errors: &mut ErrorList) {
    check_dns_label(&device.name, &path.child("name"), errors);
    let properties = device.attributes.len() + device.capacity.len();
    if properties > MAX_DEVICE_PROPERTIES {
        let message = format!("the total number of attributes and capacities must not exceed {MAX_DEVICE_PROPERTIES}");
        errors.invalid(path, properties, &message);
    }
    let attributes = path.child("attributes");
    check_map_keys(&device.attributes, usize::MAX, &attributes, errors, check_property_name);
    for (name, value) in &device.attributes {
        check_device_attribute(value, &attributes.key(name), errors);
    }
    let capacity = path.child("capacity");
    check_map_keys(&device.capacity, usize::MAX, &capacity, errors, check_property_name);
    for (name, value) in &device.capacity {
        let Some(of_requests) = &value.request_policy else {
            continue;
        };
        let at = capacity.key(name);
        let path = at.child("requestPolicy");
        if device.allow_multiple_allocations == Some(true) {
            check_request_policy(of_requests, value.value, &path, errors);
        } else {
            errors.forbidden(&path, "allowMultipleAllocations must be true");
        }
    }
    check_list(&device.taints, 16, &path.child("taints"), errors, check_device_taint);
    let consumption = |one: &crate::DeviceCounterConsumption, path: &Path<'_>, errors: &mut ErrorList| {
        check_required_dns_label(&one.counter_set, &path.child("counterSet"), errors);
        check_counters(&one.counters, &path.child("counters"), errors);
    };
    check_set(
        &device.consumes_counters,
        2,
        &path.child("consumesCounters"),
        errors,
        consumption,
        |one| quoted(&one.counter_set),
    );
    check_device_node_choice(device, is_per_device, path, errors);
    check_binding_conditions(
        &device.binding_conditions,
        &device.binding_failure_conditions,
        path,
        errors,
    );
}

fn check_device_taint(taint: &DeviceTaint, path: &Path<'_>, errors: &mut ErrorList) {
    errors.invalid_name(
        &path.child("key"),
        &taint.key,
        &names::qualified_name_faults(&taint.key),
    );
    if !taint.value.is_empty() {
        errors.invalid_name(
            &path.child("value"),
            &taint.value,
            &names::label_value_faults(&taint.value),
        );
    }
    check_required_one_of(&taint.effect, TAINT_EFFECTS, &path.child("effect"), errors);
}

/// Checks the node fields of a device: they are set only if the slice leaves the choice of nodes to its devices
/// (DRA-043).
fn check_device_node_choice(device: &Device, is_per_device: bool, path: &Path<'_>, errors: &mut ErrorList) {
    const EXACTLY_ONE: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when \
        `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    if !is_per_device {
        if device.node_name.is_some() || device.node_selector.is_some() || device.all_nodes.is_some() {
            let message = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set \
                to true in the ResourceSlice spec";
            errors.invalid(path, "null", message);
        }
        return;
    }
    let mut given: Vec<&str> = Vec::new();
    match device.node_name.as_deref() {
        None => {}
        Some("") => errors.invalid_text(&path.child("nodeName"), "", "must not be empty"),
        Some(name) => {
            given.push("`nodeName`");
            errors.invalid_name(&path.child("nodeName"), name, &names::subdomain_faults(name));
        }
    }
    if let Some(selector) = &device.node_selector {
        given.push("`nodeSelector`");
        affinity::validate_node_selector(selector, &path.child("nodeSelector"), errors);
    }
    match device.all_nodes {
        None => {}
        Some(true) => given.push("`allNodes`"),
        Some(false) => errors.invalid(&path.child("allNodes"), false, "must be either unset or set to true"),
    }
    match given.len() {
        0 => errors.required(path, EXACTLY_ONE),
        1 => {}
        _ => errors.invalid(path, format_list(&given), EXACTLY_ONE),
    }
}

fn check_device_attribute(attribute: &DeviceAttribute, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(text) = attribute
        .string
        .as_ref()
        .filter(|text| text.len() > MAX_ATTRIBUTE_BYTES)
    {
        let _ = text;
        errors.too_long(&path.child("string"), MAX_ATTRIBUTE_BYTES);
    }
    if let Some(version) = &attribute.version {
        let path = path.child("version");
        if !is_semantic_version(version) {
            errors.invalid_text(&path, version, "must be a string compatible with semver.org spec 2.0.0");
        }
        if version.len() > MAX_ATTRIBUTE_BYTES {
            errors.too_long(&path, MAX_ATTRIBUTE_BYTES);
        }
    }
    let given = [
        attribute.int.is_some(),
        attribute.boolean.is_some(),
        attribute.string.is_some(),
        attribute.version.is_some(),
    ];
    match given.iter().filter(|is_given| **is_given).count() {
        0 => errors.invalid_text(path, "", "exactly one value must be specified"),
        1 => {}
        _ => {
            let text = |text: &Option<crate::Str>| text.as_deref().map_or_else(|| "null".to_owned(), quoted);
            let value = format!(
                "{{\"IntValue\":{},\"BoolValue\":{},\"StringValue\":{},\"VersionValue\":{}}}",
                attribute.int.map_or_else(|| "null".to_owned(), |int| int.to_string()),
                attribute
                    .boolean
                    .map_or_else(|| "null".to_owned(), |value| value.to_string()),
                text(&attribute.string),
                text(&attribute.version)
            );
            errors.invalid(path, value, "exactly one value must be specified");
        }
    }
}

/// Returns whether the text has the form `MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD]`.
fn is_semantic_version(text: &str) -> bool {
    let is_number = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'))
    };
    let is_word =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_release_word =
        |part: &str| is_word(part) && (is_number(part) || !part.bytes().all(|byte| byte.is_ascii_digit()));
    let (rest, build) = match text.split_once('+') {
        Some((rest, build)) => (rest, Some(build)),
        None => (text, None),
    };
    let (core, release) = match rest.split_once('-') {
        Some((core, release)) => (core, Some(release)),
        None => (rest, None),
    };
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && release.is_none_or(|release| release.split('.').all(is_release_word))
        && build.is_none_or(|build| build.split('.').all(is_word))
}

/// Checks the request policy of a capacity (DRA-042).
fn check_request_policy(policy: &CapacityRequestPolicy, capacity: Quantity, path: &Path<'_>, errors: &mut ErrorList) {
    let default = path.child("default");
    match (policy.valid_values.as_slice(), &policy.valid_range, policy.default) {
        ([_, ..], Some(_), _) => {
            let message = "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time";
            errors.forbidden(path, message);
        }
        ([_, ..], None, None) => errors.required(&default, "required when validValues is defined"),
        (values @ [_, ..], None, Some(default)) => {
            check_valid_values(values, default, capacity, &path.child("validValues"), errors);
        }
        ([], Some(_), None) => errors.required(&default, "required when validRange is defined"),
        ([], Some(range), Some(default)) => {
            check_valid_range(range, default, capacity, &path.child("validRange"), errors)
        }
        ([], None, _) => {}
    }
}

fn check_valid_values(
    values: &[Quantity],
    default: Quantity,
    capacity: Quantity,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (index, pair) in values.windows(2).enumerate() {
        if let [one, next] = pair
            && one > next
        {
            let message = "values must be sorted in ascending order";
            errors.invalid_text(&path.index(index + 1), &next.to_string(), message);
        }
    }
    let option = |one: &Quantity, path: &Path<'_>, errors: &mut ErrorList| {
        if *one > capacity {
            let message = format!("option is larger than capacity value: {capacity}");
            errors.invalid_text(path, &one.to_string(), &message);
        }
    };
    check_set(values, 10, path, errors, option, |one| quoted(&one.value().to_string()));
    if values.len() > 10 || !values.contains(&default) {
        let message = "default value is not valid according to the requestPolicy";
        errors.invalid_text(path, &default.to_string(), message);
    }
}

fn check_valid_range(
    range: &CapacityRequestPolicyRange,
    default: Quantity,
    capacity: Quantity,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(min) = range.min else {
        return errors.required(&path.child("min"), "required when validRange is defined");
    };
    let mut wrong = |field: &str, value: Quantity, message: String| {
        errors.invalid_text(&path.child(field), &value.to_string(), &message);
    };
    if min > capacity {
        wrong("min", min, format!("min is larger than capacity value: {capacity}"));
    }
    if default < min {
        wrong("min", default, format!("default is less than min: {min}"));
    }
    if let Some(max) = range.max {
        if min > max {
            wrong("max", min, format!("min is larger than max: {max}"));
        }
        if max > capacity {
            wrong("max", max, format!("max is larger than capacity value: {capacity}"));
        }
        if default > max {
            wrong("max", default, format!("default is more than max: {max}"));
        }
    }
    let Some(step) = range.step else { return };
    let first = min.plus(step);
    if first > capacity {
        wrong(
            "step",
            step,
            format!("one step {first} is larger than capacity value: {capacity}"),
        );
    }
    for value in [Some(default), range.max].into_iter().flatten() {
        let distance = i128::from(value.value()) - i128::from(min.value());
        // A step of 0 makes the real server panic; here, no value counts as a multiple of 0.
        if distance.checked_rem(i128::from(step.value())) != Some(0) {
            let message = format!("value is not a multiple of a given step ({step}) from ({min})");
            wrong("step", value, message);
        }
    }
}
