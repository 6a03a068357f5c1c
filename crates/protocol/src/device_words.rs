//! Formats sentences about the devices of a pod's claims on one node (S-14).

use podscope_api::explained::{
    CapacityAmount, CounterUse, DeviceName, DeviceObstacle, DeviceSelectorPlace, DeviceShare, NodeDevices,
    RequestDevices, RequestOutcome, UnsuitableDevices,
};
use podscope_messages::{Sentence, sentence};

/// Maximum number of devices that one reason lists by name.
const MAX_NAMED_DEVICES: usize = 8;

/// Formats lines about the devices of a node, without full stops: first the pools that cannot be used, then each device
/// request.
#[must_use]
pub fn node_device_lines(devices: &NodeDevices) -> Vec<Sentence> {
    let mut lines = Vec::new();
    if let Some(error) = &devices.error {
        lines.push(sentence!(device_words::search_failed, error = error));
    }
    for pool in &devices.unusable_pools {
        let name = format!("{}/{}", pool.driver, pool.pool);
        lines.push(match pool.is_incomplete {
            true => sentence!(device_words::pool_incomplete, pool = name),
            false => sentence!(device_words::pool_invalid, pool = name),
        });
    }
    lines.extend(devices.requests.iter().map(request_line));
    lines
}

/// Formats a device request as one line: the devices that it gets, then the reasons against other devices.
#[must_use]
pub fn request_line(request: &RequestDevices) -> Sentence {
    let and_unsuitable = |line: Sentence, group: &UnsuitableDevices| {
        sentence!(
            device_words::and_unsuitable,
            request = line,
            devices = device_names(&group.devices),
            why = obstacle_sentence(&group.why)
        )
    };
    request.unsuitable.iter().fold(request_outcome(request), and_unsuitable)
}

/// Formats the devices that a request gets: `request gpu of claim shop/c (class a100): gets gpu.example.com/n1/g0`.
#[must_use]
pub fn request_outcome(request: &RequestDevices) -> Sentence {
    let RequestDevices {
        request: name,
        claim,
        class,
        ..
    } = request;
    let named = match class.as_str() {
        "" => sentence!(device_words::request, request = name, claim = claim),
        class => sentence!(
            device_words::request_of_class,
            request = name,
            claim = claim,
            class = class
        ),
    };
    gained_devices_sentence(named, request)
}

fn gained_devices_sentence(named: Sentence, request: &RequestDevices) -> Sentence {
    let both = |one: Sentence, other: Sentence| sentence!(device_words::both, one = one, other = other);
    let gets = request.gets.iter().map(share_sentence).reduce(both).unwrap_or_default();
    match (&request.outcome, request.gets.len()) {
        (RequestOutcome::Complete, _) => sentence!(device_words::gets, request = named, devices = gets),
        (RequestOutcome::PassedOver, _) => sentence!(device_words::passed_over, request = named, devices = gets),
        (RequestOutcome::Allocated, _) => sentence!(device_words::allocated, request = named, devices = gets),
        (RequestOutcome::AllocatedElsewhere, _) => {
            sentence!(device_words::allocated_elsewhere, request = named, devices = gets)
        }
        (RequestOutcome::TooFew { .. }, 0) if request.unsuitable.is_empty() => {
            sentence!(device_words::no_device_published, request = named)
        }
        (RequestOutcome::TooFew { asks: Some(1) }, 0) => sentence!(device_words::no_device, request = named),
        (RequestOutcome::TooFew { asks: Some(n) }, 0) => sentence!(device_words::none_of, request = named, asks = *n),
        (RequestOutcome::TooFew { asks: Some(n) }, has) => sentence!(
            device_words::too_few,
            request = named,
            asks = *n,
            has = has,
            devices = gets
        ),
        (RequestOutcome::TooFew { asks: None }, _)
            if request.unsuitable.iter().all(|group| is_device_unmatched(&group.why)) =>
        {
            sentence!(device_words::none_matches, request = named)
        }
        (RequestOutcome::TooFew { asks: None }, _) => sentence!(device_words::not_all, request = named),
    }
}

fn is_device_unmatched(why: &DeviceObstacle) -> bool {
    matches!(why, DeviceObstacle::NotSelected { .. } | DeviceObstacle::OtherNode)
}

fn share_sentence(share: &DeviceShare) -> Sentence {
    let consumes = share.consumes.iter().map(amount_sentence);
    let counters = share.counters.iter().map(|one| {
        sentence!(
            device_words::takes,
            takes = &one.takes,
            counter = &one.counter,
            set = &one.counter_set,
            left = &one.left
        )
    });
    let details: Vec<Sentence> = consumes.chain(counters).collect();
    let device = qualified_name(&share.device);
    match details.is_empty() {
        true => device.into(),
        false => sentence!(device_words::with_details, device = device, details = details),
    }
}

/// Lists the names of devices in their pool; long lists are truncated.
#[must_use]
pub fn device_names(devices: &[DeviceName]) -> Sentence {
    let shown = devices.iter().take(MAX_NAMED_DEVICES).map(|device| &*device.device);
    let names: Vec<&str> = shown.collect();
    let more = devices.len().saturating_sub(MAX_NAMED_DEVICES);
    sentence!(device_words::devices_and_more, devices = names, more = more)
}

/// Formats the reason why a device cannot be used, without a full stop.
#[must_use]
pub fn obstacle_sentence(why: &DeviceObstacle) -> Sentence {
    match why {
        DeviceObstacle::InUse { claim, pods } => match pods.len() {
            0 => sentence!(device_words::held, claim = claim),
            count => sentence!(
                device_words::held_for_pods,
                count = count,
                claim = claim,
                pods = pods.clone()
            ),
        },
        DeviceObstacle::TakenBy { claim, request } => sentence!(device_words::taken, request = request, claim = claim),
        DeviceObstacle::NotSelected { selector, expression } => exclusion_sentence(selector, expression),
        DeviceObstacle::SelectorError {
            selector,
            expression,
            error,
        } => selector_error(selector, expression, error),
        DeviceObstacle::OtherNode => sentence!(device_words::other_node),
        DeviceObstacle::NoSuchCapacity { name } => sentence!(device_words::no_such_capacity, name = name),
        DeviceObstacle::CapacityPolicy(asked) => {
            sentence!(
                device_words::capacity_policy,
                amount = &asked.amount,
                name = &asked.name
            )
        }
        DeviceObstacle::Capacity { asks, left } => sentence!(
            device_words::too_little,
            name = &asks.name,
            asks = &asks.amount,
            left = left
        ),
        DeviceObstacle::Counter(CounterUse {
            counter_set,
            counter,
            takes,
            left,
        }) => sentence!(
            device_words::counter_too_low,
            takes = takes,
            counter = counter,
            set = counter_set,
            left = left
        ),
        DeviceObstacle::Taint { key, value, effect } => {
            let value = if value.is_empty() {
                String::new()
            } else {
                format!("={value}")
            };
            sentence!(device_words::taint, taint = format!("{key}{value}:{effect}"))
        }
        DeviceObstacle::NoAttribute { attribute } => sentence!(device_words::no_attribute, attribute = attribute),
        DeviceObstacle::Differs {
            attribute,
            value,
            wanted,
        } => sentence!(
            device_words::differs,
            attribute = attribute,
            value = value,
            wanted = wanted
        ),
        DeviceObstacle::Repeats { attribute, value } => {
            sentence!(device_words::repeats, attribute = attribute, value = value)
        }
        DeviceObstacle::LeavesTooFew => sentence!(device_words::leaves_too_few),
    }
}

fn exclusion_sentence(selector: &DeviceSelectorPlace, expression: &str) -> Sentence {
    match selector {
        DeviceSelectorPlace::Class { class, index } => sentence!(
            device_words::excluded_by_class,
            index = *index,
            class = class,
            expression = expression
        ),
        DeviceSelectorPlace::Request { index } => sentence!(
            device_words::excluded_by_request,
            index = *index,
            expression = expression
        ),
    }
}

fn selector_error(selector: &DeviceSelectorPlace, expression: &str, error: &str) -> Sentence {
    match selector {
        DeviceSelectorPlace::Class { class, index } => sentence!(
            device_words::class_selector_error,
            index = *index,
            class = class,
            expression = expression,
            error = error
        ),
        DeviceSelectorPlace::Request { index } => sentence!(
            device_words::request_selector_error,
            index = *index,
            expression = expression,
            error = error
        ),
    }
}

fn amount_sentence(amount: &CapacityAmount) -> Sentence {
    sentence!(device_words::amount, amount = &amount.amount, name = &amount.name)
}

/// Returns `driver/pool/device`, as in kube-scheduler's messages.
fn qualified_name(device: &DeviceName) -> String {
    format!("{}/{}/{}", device.driver, device.pool, device.device)
}
