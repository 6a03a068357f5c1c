//! The capacity of a shareable device that a request consumes (DRA-165 to DRA-169).

use podscope_api::{
    CapacityRequestPolicy, CapacityRequestPolicyRange, CapacityRequirements, Device, Quantity, ResourceList, Str,
};

/// Returns the amount of each capacity that a share of the device consumes (DRA-168).
pub(super) fn share_consumption(device: &Device, requested: Option<&CapacityRequirements>) -> ResourceList {
    let amounts = device.capacity.iter().map(|(name, capacity)| {
        let requested = requested.and_then(|requested| requested.requests.get(name)).copied();
        (
            name.clone(),
            consumed_amount(requested, capacity.value, capacity.request_policy.as_ref()),
        )
    });
    amounts.collect()
}

/// Reason why a request does not fit into the capacity of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CapacityObstacle<'a> {
    /// The device has no capacity with this name.
    Missing(&'a Str),
    /// The request policy of this capacity does not allow the amount.
    Policy(&'a Str, Quantity),
    /// The other shares leave less than the requested amount of this capacity: name, requested amount, available
    /// amount.
    TooLittle(&'a Str, Quantity, Quantity),
}

/// Returns why the request does not fit into the capacity that other shares leave; `None` if it fits (DRA-165). `taken`
/// is the capacity consumed by existing allocations and by the current search.
pub(super) fn capacity_obstacle<'a>(
    device: &'a Device,
    requested: Option<&'a CapacityRequirements>,
    taken: [Option<&ResourceList>; 2],
) -> Option<CapacityObstacle<'a>> {
    let mut names = requested.into_iter().flat_map(|requested| requested.requests.keys());
    if let Some(missing) = names.find(|name| !device.capacity.contains_key(*name)) {
        return Some(CapacityObstacle::Missing(missing));
    }
    device.capacity.iter().find_map(|(name, capacity)| {
        let policy = capacity.request_policy.as_ref();
        let requested = requested.and_then(|requested| requested.requests.get(name)).copied();
        let own = consumed_amount(requested, capacity.value, policy);
        if policy.is_some_and(|policy| violates_policy(own, policy)) {
            return Some(CapacityObstacle::Policy(name, own));
        }
        let before = taken.into_iter().flatten().filter_map(|list| list.get(name));
        let left = before.fold(capacity.value, |left, amount| left.minus(*amount));
        (own > left).then_some(CapacityObstacle::TooLittle(name, own, left))
    })
}

/// Returns the amount that a request consumes of one capacity (DRA-166).
fn consumed_amount(requested: Option<Quantity>, whole: Quantity, policy: Option<&CapacityRequestPolicy>) -> Quantity {
    let default = policy.and_then(|policy| policy.default);
    let Some(requested) = requested else {
        return default.unwrap_or(whole);
    };
    let Some(policy) = policy else {
        return requested;
    };
    if let Some(range) = &policy.valid_range {
        return round_up_to_step(requested, range);
    }
    let larger = policy.valid_values.iter().find(|value| requested <= **value);
    larger.copied().unwrap_or(requested)
}

fn round_up_to_step(requested: Quantity, range: &CapacityRequestPolicyRange) -> Quantity {
    let min = range.min.unwrap_or_default();
    if requested < min {
        return min;
    }
    let Some(step) = range.step else {
        return requested;
    };
    let (requested, min, step) = (requested.value(), min.value(), step.value());
    if step <= 0 {
        return Quantity::from_bytes(requested);
    }
    let over = requested.saturating_sub(min);
    let steps = over / step + i64::from(over % step != 0);
    Quantity::from_bytes(steps.saturating_mul(step).saturating_add(min))
}

/// Returns whether an amount violates the request policy of the capacity (DRA-167).
fn violates_policy(amount: Quantity, policy: &CapacityRequestPolicy) -> bool {
    if policy.default == Some(amount) {
        return false;
    }
    if let Some(range) = &policy.valid_range {
        if range.max.is_some_and(|max| amount > max) {
            return true;
        }
        let over = amount.value().saturating_sub(range.min.unwrap_or_default().value());
        return range
            .step
            .is_some_and(|step| step.value() > 0 && over % step.value() != 0);
    }
    !policy.valid_values.is_empty() && !policy.valid_values.contains(&amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_quantity(text: &str) -> Quantity {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// Shows: DRA-166, DRA-290
    #[test]
    fn consumed_amount_is_rounded_by_request_policy() {
        let range = CapacityRequestPolicy {
            default: Some(parse_quantity("1G")),
            valid_values: Vec::new(),
            valid_range: Some(CapacityRequestPolicyRange {
                min: Some(parse_quantity("1G")),
                max: Some(parse_quantity("8G")),
                step: Some(parse_quantity("1G")),
            }),
        };
        let values = CapacityRequestPolicy {
            default: Some(parse_quantity("4Gi")),
            valid_values: vec![parse_quantity("4Gi"), parse_quantity("8Gi")],
            valid_range: None,
        };
        for (requested, policy, takes, is_refused) in [
            (Some("2500M"), Some(&range), "3000000000", false),
            (Some("6G"), Some(&range), "5859375Ki", false),
            (Some("10M"), Some(&range), "1G", false),
            (Some("9G"), Some(&range), "9000000000", true),
            (None, Some(&range), "1G", false),
            (Some("5Gi"), Some(&values), "8Gi", false),
            (Some("9Gi"), Some(&values), "9Gi", true),
            (None, Some(&values), "4Gi", false),
            (Some("5Gi"), None, "5Gi", false),
            (None, None, "10Gi", false),
        ] {
            let own = consumed_amount(requested.map(parse_quantity), parse_quantity("10Gi"), policy);
            let refused = policy.is_some_and(|policy| violates_policy(own, policy));
            assert_eq!(
                (own, refused),
                (parse_quantity(takes), is_refused),
                "{requested:?} {policy:?}"
            );
        }
    }
}
