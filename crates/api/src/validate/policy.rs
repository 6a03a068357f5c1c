//! Validation of PodDisruptionBudgets and PriorityClasses (VA-209 to VA-211, S-04, LC-050).

use crate::schema::values;
use crate::{IntOrString, PodDisruptionBudget, PreemptionPolicy, PriorityClass};

use super::error_list::{IMMUTABLE, NEGATIVE, quoted};
use super::{ErrorList, Path, names, selector};

/// Maximum value of a user-defined priority class.
const MAX_USER_PRIORITY: i32 = 1_000_000_000;

pub(super) fn validate_budget(budget: &PodDisruptionBudget, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let spec = &budget.spec;
    if let (Some(min), Some(max)) = (&spec.min_available, &spec.max_unavailable) {
        let value = format!(
            "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{}}}",
            int_or_percent_json(min),
            spec.selector
                .as_ref()
                .map_or_else(|| "null".to_owned(), selector::selector_json),
            int_or_percent_json(max),
            spec.unhealthy_pod_eviction_policy
                .as_ref()
                .map_or_else(|| "null".to_owned(), |policy| quoted(policy)),
        );
        errors.invalid(&path, value, "minAvailable and maxUnavailable cannot be both set");
    }
    for (name, value) in [
        ("minAvailable", &spec.min_available),
        ("maxUnavailable", &spec.max_unavailable),
    ] {
        if let Some(value) = value {
            check_int_or_percent(value, &path.child(name), errors);
            check_at_most_100_percent(value, &path.child(name), errors);
        }
    }
    if let Some(labels) = &spec.selector {
        selector::validate(labels, &path.child("selector"), errors);
    }
    if let Some(policy) = &spec.unhealthy_pod_eviction_policy {
        errors.check_one_of_sorted(
            &path.child("unhealthyPodEvictionPolicy"),
            policy,
            values::UNHEALTHY_POD_EVICTION_POLICY,
        );
    }
}

fn int_or_percent_json(value: &IntOrString) -> String {
    match value {
        IntOrString::Int(number) => number.to_string(),
        IntOrString::String(text) => quoted(text),
    }
}

/// Checks an IntOrString: a percentage, or an integer that is not negative (VA-187).
pub(super) fn check_int_or_percent(value: &IntOrString, path: &Path<'_>, errors: &mut ErrorList) {
    match value {
        IntOrString::Int(number) if *number < 0 => errors.invalid(path, number, NEGATIVE),
        IntOrString::Int(_) => {}
        IntOrString::String(text) => {
            let digits = text.strip_suffix('%').unwrap_or("");
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                errors.invalid(path, quoted(text), names::INVALID_PERCENT);
            }
        }
    }
}

/// Checks that a percentage does not exceed 100 % (VA-187).
pub(super) fn check_at_most_100_percent(value: &IntOrString, path: &Path<'_>, errors: &mut ErrorList) {
    let IntOrString::String(text) = value else { return };
    let digits = text.strip_suffix('%').unwrap_or("");
    if !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u64>().is_ok_and(|percent| percent > 100)
    {
        errors.invalid(path, quoted(text), "must not be greater than 100%");
    }
}

pub(super) fn validate_priority_class(class: &PriorityClass, errors: &mut ErrorList) {
    let name = &class.metadata.name;
    if name.starts_with("system-") {
        let known = match &**name {
            "system-node-critical" => Some(2_000_001_000),
            "system-cluster-critical" => Some(2_000_000_000),
            _ => None,
        };
        let problem = match known {
            None => Some(format!("{name} is not a known system priority class")),
            Some(value) if value != class.value => Some(format!("value of {name} PriorityClass must be {value}")),
            Some(_) if class.global_default == Some(true) => {
                Some(format!("globalDefault of {name} PriorityClass must be false"))
            }
            Some(_) => None,
        };
        if let Some(problem) = problem {
            let message = format!(
                "priority class names with 'system-' prefix are reserved for system use only. error: {problem}"
            );
            errors.forbidden(&Path::root("metadata").child("name"), &message);
        }
    } else if class.value > MAX_USER_PRIORITY {
        let message = format!("maximum allowed value of a user defined priority is {MAX_USER_PRIORITY}");
        errors.forbidden(&Path::root("value"), &message);
    }
    match class.preemption_policy.as_ref().map(PreemptionPolicy::as_str) {
        Some("") => errors.required(&Path::root("preemptionPolicy"), ""),
        Some(policy) => errors.check_one_of(&Path::root("preemptionPolicy"), policy, PreemptionPolicy::KNOWN),
        None => {}
    }
}

pub(super) fn validate_priority_class_update(old: &PriorityClass, new: &PriorityClass, errors: &mut ErrorList) {
    if old.value != new.value {
        errors.forbidden(&Path::root("value"), "may not be changed in an update.");
    }
    let text = |class: &PriorityClass| {
        class
            .preemption_policy
            .as_ref()
            .map_or("", PreemptionPolicy::as_str)
            .to_owned()
    };
    if text(old) != text(new) {
        errors.invalid_text(&Path::root("preemptionPolicy"), &text(new), IMMUTABLE);
    }
}
