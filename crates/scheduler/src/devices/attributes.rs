//! Constraints on the attributes of a claim's devices (DRA-155 to DRA-157).

use podscope_api::ordered::Map;
use podscope_api::{Device, DeviceAttribute, DeviceConstraint, Str};

/// A constraint, and the devices of the search that it has seen.
#[derive(Debug, Clone)]
pub(super) struct Constraint {
    requests: Vec<Str>,
    attribute: Str,
    kind: Kind,
    n_devices: usize,
}

#[derive(Debug, Clone)]
enum Kind {
    /// All have one value: that of the first.
    Match(Option<DeviceAttribute>),
    /// No two have one value. As upstream one value is remembered of each request, the latest.
    Distinct(Map<Str, DeviceAttribute>),
}

/// The request a device is for: of a prioritized list, its name and that of the alternative.
#[derive(Debug, Clone, Copy)]
pub(super) struct For<'a> {
    pub(super) request: &'a Str,
    pub(super) sub: Option<&'a Str>,
}

impl Constraint {
    /// `None` where neither attribute is given.
    pub(super) fn new(from: &DeviceConstraint) -> Option<Self> {
        let (attribute, kind) = match (&from.match_attribute, &from.distinct_attribute) {
            (Some(attribute), _) => (attribute, Kind::Match(None)),
            (None, Some(attribute)) => (attribute, Kind::Distinct(Map::new())),
            (None, None) => return None,
        };
        Some(Self {
            requests: from.requests.clone(),
            attribute: attribute.clone(),
            kind,
            n_devices: 0,
        })
    }

    fn concerns(&self, what: For<'_>) -> bool {
        self.requests.is_empty()
            || self.requests.iter().any(|name| match what.sub {
                None => name == what.request,
                Some(sub) => {
                    name == what.request
                        || name
                            .split_once('/')
                            .is_some_and(|(request, own)| *request == **what.request && *own == **sub)
                }
            })
    }

    /// Adds a device; `false` if it may not be added.
    pub(super) fn add(&mut self, what: For<'_>, driver: &str, device: &Device) -> bool {
        if !self.concerns(what) {
            return true;
        }
        let Some(value) = look_up(device, driver, &self.attribute) else {
            return false;
        };
        let is_first = self.n_devices == 0;
        match &mut self.kind {
            Kind::Match(known) if is_first => *known = Some(value.clone()),
            Kind::Match(known) => {
                if !known.as_ref().is_some_and(|known| is_same(known, value)) {
                    return false;
                }
            }
            Kind::Distinct(known) => {
                if !is_first && known.values().any(|known| is_same(known, value)) {
                    return false;
                }
                known.insert(what.request.clone(), value.clone());
            }
        }
        self.n_devices += 1;
        true
    }

    /// Takes a device back.
    pub(super) fn remove(&mut self, what: For<'_>) {
        if !self.concerns(what) {
            return;
        }
        if let Kind::Distinct(known) = &mut self.kind {
            known.remove(what.request);
        }
        self.n_devices = self.n_devices.saturating_sub(1);
    }
}

/// The attribute of a fully qualified name, also where the device leaves out its driver's domain.
fn look_up<'a>(device: &'a Device, driver: &str, name: &Str) -> Option<&'a DeviceAttribute> {
    device.attributes.get(name).or_else(|| {
        let (domain, id) = name.split_once('/')?;
        (domain == driver).then(|| device.attributes.get(id))?
    })
}

/// Equal in type and value; versions as texts.
fn is_same(a: &DeviceAttribute, b: &DeviceAttribute) -> bool {
    match (&b.string, b.int, b.boolean, &b.version) {
        (Some(value), ..) => a.string.as_ref() == Some(value),
        (None, Some(value), ..) => a.int == Some(value),
        (None, None, Some(value), _) => a.boolean == Some(value),
        (None, None, None, Some(value)) => a.version.as_ref() == Some(value),
        (None, None, None, None) => false,
    }
}
