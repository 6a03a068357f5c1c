//! The sentences about the devices of a pod's claims on one node (S-14). Only the whole engine forms them.

use podscope_api::explained::{
    Amount, CounterUse, DeviceName, DeviceObstacle, DeviceSelectorPlace, DeviceShare, NodeDevices, RequestDevices,
    RequestOutcome,
};

/// Number of devices that one reason names.
const NAMED_MAX: usize = 8;

/// Lines about the devices of a node, without a full stop: pools that cannot be used, then each request.
#[must_use]
pub fn lines(devices: &NodeDevices) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(error) = &devices.error {
        lines.push(format!("the search for devices failed: {error}"));
    }
    for pool in &devices.unusable_pools {
        let why = match pool.is_incomplete {
            true => "incomplete: not all of its slices are published",
            false => "invalid: its slices contradict each other",
        };
        lines.push(format!("pool {}/{} is {why}", pool.driver, pool.pool));
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
        request: name, claim, ..
    } = request;
    let class = match request.class.as_str() {
        "" => String::new(),
        class => format!(" (class {class})"),
    };
    format!("request {name} of claim {claim}{class}: {}", gets(request))
}

fn gets(request: &RequestDevices) -> String {
    let gets: Vec<String> = request.gets.iter().map(share).collect();
    let gets = gets.join(" and ");
    match (&request.outcome, request.gets.len()) {
        (RequestOutcome::Complete, _) => format!("gets {gets}"),
        (RequestOutcome::PassedOver, _) => {
            format!("is passed over: with {gets}, another request would get too few devices")
        }
        (RequestOutcome::Allocated, _) => format!("already has {gets}"),
        (RequestOutcome::AllocatedElsewhere, _) => format!("already has {gets}, which this node cannot use"),
        (RequestOutcome::TooFew { .. }, 0) if request.unsuitable.is_empty() => {
            "gets nothing: no driver publishes a device for this node".to_owned()
        }
        (RequestOutcome::TooFew { asks: Some(1) }, 0) => "gets nothing: no device does".to_owned(),
        (RequestOutcome::TooFew { asks: Some(n) }, 0) => format!("asks for {n} devices, and none does"),
        (RequestOutcome::TooFew { asks: Some(n) }, has) => {
            format!("asks for {n} devices, and only {has} would do: {gets}")
        }
        (RequestOutcome::TooFew { asks: None }, _)
            if request.unsuitable.iter().all(|group| is_unmatched(&group.why)) =>
        {
            "asks for all devices that match, and none does".to_owned()
        }
        (RequestOutcome::TooFew { asks: None }, _) => {
            "asks for all devices that match, and gets nothing: not all of them can be taken".to_owned()
        }
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
        format!("takes {takes} of {counter} in {counter_set}, {left} left")
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
    let mut names = shown.collect::<Vec<_>>().join(", ");
    let n_more = devices.len().saturating_sub(NAMED_MAX);
    if n_more > 0 {
        names.push_str(&format!(" and {n_more} more"));
    }
    names
}

/// Why a device does not do, without a full stop.
#[must_use]
pub fn obstacle(why: &DeviceObstacle) -> String {
    match why {
        DeviceObstacle::InUse { claim, pods } => match pods.as_slice() {
            [] => format!("held by claim {claim}"),
            [pod] => format!("held by claim {claim} of pod {pod}"),
            pods => format!("held by claim {claim} of pods {}", pods.join(", ")),
        },
        DeviceObstacle::TakenBy { claim, request } => format!("goes to request {request} of claim {claim}"),
        DeviceObstacle::NotSelected { selector, expression } => {
            format!("excluded by {}, {expression}", place(selector))
        }
        DeviceObstacle::SelectorError {
            selector,
            expression,
            error,
        } => format!("{}, {expression}, cannot be evaluated: {error}", place(selector)),
        DeviceObstacle::OtherNode => "not for this node".to_owned(),
        DeviceObstacle::NoSuchCapacity { name } => format!("no capacity {name}"),
        DeviceObstacle::CapacityPolicy(asked) => format!("its policy does not allow {}", amount(asked)),
        DeviceObstacle::Capacity { asks, left } => {
            format!("too little {}: {} asked for, {left} left", asks.name, asks.amount)
        }
        DeviceObstacle::Counter(CounterUse {
            counter_set,
            counter,
            takes,
            left,
        }) => format!("needs {takes} of {counter} in {counter_set}, which has {left} left"),
        DeviceObstacle::Taint { key, value, effect } => {
            let value = if value.is_empty() {
                String::new()
            } else {
                format!("={value}")
            };
            format!("taint {key}{value}:{effect} is not tolerated")
        }
        DeviceObstacle::NoAttribute { attribute } => format!("no attribute {attribute}, which a constraint compares"),
        DeviceObstacle::Differs {
            attribute,
            value,
            wanted,
        } => format!("{attribute} is {value}, and {wanted} for the devices that it must match"),
        DeviceObstacle::Repeats { attribute, value } => {
            format!("{attribute} is {value}, as for another device from which it must differ")
        }
        DeviceObstacle::LeavesTooFew => "with it, other requests would get too few devices".to_owned(),
    }
}

fn place(selector: &DeviceSelectorPlace) -> String {
    match selector {
        DeviceSelectorPlace::Class { class, index } => format!("selector {index} of class {class}"),
        DeviceSelectorPlace::Request { index } => format!("selector {index} of the request"),
    }
}

fn amount(amount: &Amount) -> String {
    format!("{} of {}", amount.amount, amount.name)
}

/// `driver/pool/device`, as in kube-scheduler's messages.
fn name(device: &DeviceName) -> String {
    format!("{}/{}/{}", device.driver, device.pool, device.device)
}
