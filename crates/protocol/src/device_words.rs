//! The sentences about the devices of a pod's claims on one node (S-14). Only the whole engine forms them.

use podscope_api::explained::{
    Amount, CounterUse, DeviceName, DeviceObstacle, DeviceSelectorPlace, DeviceShare, NodeDevices, RequestDevices,
    RequestOutcome,
};
use podscope_messages::t;

/// Number of devices that one reason names.
const NAMED_MAX: usize = 8;

/// Lines about the devices of a node, without a full stop: pools that cannot be used, then each request.
#[must_use]
pub fn lines(devices: &NodeDevices) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(error) = &devices.error {
        lines.push(t!(device_words::search_failed, error = error));
    }
    for pool in &devices.unusable_pools {
        let name = format!("{}/{}", pool.driver, pool.pool);
        lines.push(match pool.is_incomplete {
            true => t!(device_words::pool_incomplete, pool = name),
            false => t!(device_words::pool_invalid, pool = name),
        });
    }
    lines.extend(devices.requests.iter().map(request));
    lines
}

/// A request in one line: what it gets, then the reasons against other devices.
#[must_use]
pub fn request(request: &RequestDevices) -> String {
    let mut line = outcome(request);
    for group in &request.unsuitable {
        line.push_str(&format!("; {}: {}", device_names(&group.devices), obstacle(&group.why)));
    }
    line
}

/// What a request gets: `request gpu of claim shop/c (class a100): gets gpu.example.com/n1/g0`.
#[must_use]
pub fn outcome(request: &RequestDevices) -> String {
    let RequestDevices {
        request: name,
        claim,
        class,
        ..
    } = request;
    let named = match class.as_str() {
        "" => t!(device_words::request, request = name, claim = claim),
        class => t!(
            device_words::request_of_class,
            request = name,
            claim = claim,
            class = class
        ),
    };
    gets(&named, request)
}

fn gets(named: &str, request: &RequestDevices) -> String {
    let gets: Vec<String> = request.gets.iter().map(share).collect();
    let gets = gets.join(&t!(device_words::and));
    match (&request.outcome, request.gets.len()) {
        (RequestOutcome::Complete, _) => t!(device_words::gets, request = named, devices = gets),
        (RequestOutcome::PassedOver, _) => t!(device_words::passed_over, request = named, devices = gets),
        (RequestOutcome::Allocated, _) => t!(device_words::allocated, request = named, devices = gets),
        (RequestOutcome::AllocatedElsewhere, _) => {
            t!(device_words::allocated_elsewhere, request = named, devices = gets)
        }
        (RequestOutcome::TooFew { .. }, 0) if request.unsuitable.is_empty() => {
            t!(device_words::no_device_published, request = named)
        }
        (RequestOutcome::TooFew { asks: Some(1) }, 0) => t!(device_words::no_device, request = named),
        (RequestOutcome::TooFew { asks: Some(n) }, 0) => t!(device_words::none_of, request = named, asks = *n),
        (RequestOutcome::TooFew { asks: Some(n) }, has) => t!(
            device_words::too_few,
            request = named,
            asks = *n,
            has = has,
            devices = gets
        ),
        (RequestOutcome::TooFew { asks: None }, _)
            if request.unsuitable.iter().all(|group| is_unmatched(&group.why)) =>
        {
            t!(device_words::none_matches, request = named)
        }
        (RequestOutcome::TooFew { asks: None }, _) => t!(device_words::not_all, request = named),
    }
}

fn is_unmatched(why: &DeviceObstacle) -> bool {
    matches!(why, DeviceObstacle::NotSelected { .. } | DeviceObstacle::OtherNode)
}

fn share(share: &DeviceShare) -> String {
    let mut words = name(&share.device);
    let consumes = share.consumes.iter().map(amount);
    let counters = share.counters.iter().map(|one| {
        let CounterUse {
            counter_set,
            counter,
            takes,
            left,
        } = one;
        t!(
            device_words::takes,
            takes = takes,
            counter = counter,
            set = counter_set,
            left = left
        )
    });
    let details: Vec<String> = consumes.chain(counters).collect();
    if !details.is_empty() {
        words.push_str(&format!(" ({})", details.join(", ")));
    }
    words
}

/// Devices by their names in the pool; long lists are cut.
#[must_use]
pub fn device_names(devices: &[DeviceName]) -> String {
    let shown = devices.iter().take(NAMED_MAX).map(|device| &*device.device);
    let names = shown.collect::<Vec<_>>().join(", ");
    match devices.len().saturating_sub(NAMED_MAX) {
        0 => names,
        more => t!(device_words::more_devices, devices = names, more = more),
    }
}

/// Why a device does not do, without a full stop.
#[must_use]
pub fn obstacle(why: &DeviceObstacle) -> String {
    match why {
        DeviceObstacle::InUse { claim, pods } => match pods.len() {
            0 => t!(device_words::held, claim = claim),
            count => t!(
                device_words::held_for_pods,
                count = count,
                claim = claim,
                pods = pods.join(", ")
            ),
        },
        DeviceObstacle::TakenBy { claim, request } => t!(device_words::taken, request = request, claim = claim),
        DeviceObstacle::NotSelected { selector, expression } => excluded(selector, expression),
        DeviceObstacle::SelectorError {
            selector,
            expression,
            error,
        } => selector_error(selector, expression, error),
        DeviceObstacle::OtherNode => t!(device_words::other_node),
        DeviceObstacle::NoSuchCapacity { name } => t!(device_words::no_such_capacity, name = name),
        DeviceObstacle::CapacityPolicy(asked) => {
            t!(device_words::capacity_policy, amount = asked.amount, name = asked.name)
        }
        DeviceObstacle::Capacity { asks, left } => t!(
            device_words::too_little,
            name = asks.name,
            asks = asks.amount,
            left = left
        ),
        DeviceObstacle::Counter(CounterUse {
            counter_set,
            counter,
            takes,
            left,
        }) => t!(
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
            t!(device_words::taint, taint = format_args!("{key}{value}:{effect}"))
        }
        DeviceObstacle::NoAttribute { attribute } => t!(device_words::no_attribute, attribute = attribute),
        DeviceObstacle::Differs {
            attribute,
            value,
            wanted,
        } => t!(
            device_words::differs,
            attribute = attribute,
            value = value,
            wanted = wanted
        ),
        DeviceObstacle::Repeats { attribute, value } => {
            t!(device_words::repeats, attribute = attribute, value = value)
        }
        DeviceObstacle::LeavesTooFew => t!(device_words::leaves_too_few),
    }
}

fn excluded(selector: &DeviceSelectorPlace, expression: &str) -> String {
    match selector {
        DeviceSelectorPlace::Class { class, index } => t!(
            device_words::excluded_by_class,
            index = index,
            class = class,
            expression = expression
        ),
        DeviceSelectorPlace::Request { index } => t!(
            device_words::excluded_by_request,
            index = index,
            expression = expression
        ),
    }
}

fn selector_error(selector: &DeviceSelectorPlace, expression: &str, error: &str) -> String {
    match selector {
        DeviceSelectorPlace::Class { class, index } => t!(
            device_words::class_selector_error,
            index = index,
            class = class,
            expression = expression,
            error = error
        ),
        DeviceSelectorPlace::Request { index } => t!(
            device_words::request_selector_error,
            index = index,
            expression = expression,
            error = error
        ),
    }
}

fn amount(amount: &Amount) -> String {
    t!(device_words::amount, amount = amount.amount, name = amount.name)
}

/// `driver/pool/device`, as in kube-scheduler's messages.
fn name(device: &DeviceName) -> String {
    format!("{}/{}/{}", device.driver, device.pool, device.device)
}
