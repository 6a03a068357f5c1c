//! Constraints of a claim on the attributes of its devices (DRA-155 to DRA-157).

use podscope_api::explained::DeviceObstacle;
use podscope_api::ordered::Map;
use podscope_api::{Device, DeviceAttribute, DeviceConstraint, Str};

/// A constraint, and the attribute values of the devices added so far.
#[derive(Debug, Clone)]
pub(super) struct AttributeConstraint {
    requests: Vec<Str>,
    attribute: Str,
    kind: ConstraintKind,
    n_devices: usize,
}

#[derive(Debug, Clone)]
enum ConstraintKind {
    /// `matchAttribute`: all devices have the same value as the first device.
    Match(Option<DeviceAttribute>),
    /// `distinctAttribute`: all devices have different values. The map contains the value by request name. As in
    /// kube-scheduler, only the latest value of each request is stored.
    Distinct(Map<Str, DeviceAttribute>),
}

/// Name of the request that a device is allocated for and, for a prioritized list, of the subrequest.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestName<'a> {
    pub(super) name: &'a Str,
    pub(super) subrequest: Option<&'a Str>,
}

impl AttributeConstraint {
    /// Compiles a constraint. Returns `None` if it has neither `matchAttribute` nor `distinctAttribute`.
    pub(super) fn new(from: &DeviceConstraint) -> Option<Self> {
        let (attribute, kind) = match (&from.match_attribute, &from.distinct_attribute) {
            (Some(attribute), _) => (attribute, ConstraintKind::Match(None)),
            (None, Some(attribute)) => (attribute, ConstraintKind::Distinct(Map::new())),
            (None, None) => return None,
        };
        Some(Self {
            requests: from.requests.clone(),
            attribute: attribute.clone(),
            kind,
            n_devices: 0,
        })
    }

    fn applies_to(&self, request: RequestName<'_>) -> bool {
        self.requests.is_empty()
            || self.requests.iter().any(|name| match request.subrequest {
                None => name == request.name,
                Some(sub) => {
                    name == request.name
                        || name
                            .split_once('/')
                            .is_some_and(|(list, own)| *list == **request.name && *own == **sub)
                }
            })
    }

    /// Adds a device. Returns false, without adding it, if the device violates the constraint.
    pub(super) fn add(&mut self, request: RequestName<'_>, driver: &str, device: &Device) -> bool {
        if !self.applies_to(request) {
            return true;
        }
        let Some(value) = look_up_attribute(device, driver, &self.attribute) else {
            return false;
        };
        let is_first = self.n_devices == 0;
        match &mut self.kind {
            ConstraintKind::Match(seen) if is_first => *seen = Some(value.clone()),
            ConstraintKind::Match(seen) => {
                if !seen.as_ref().is_some_and(|seen| is_same_value(seen, value)) {
                    return false;
                }
            }
            ConstraintKind::Distinct(seen) => {
                if !is_first && seen.values().any(|seen| is_same_value(seen, value)) {
                    return false;
                }
                seen.insert(request.name.clone(), value.clone());
            }
        }
        self.n_devices += 1;
        true
    }

    /// Returns why the device violates the constraint.
    pub(super) fn constraint_obstacle(&self, driver: &str, device: &Device) -> DeviceObstacle {
        let attribute = self.attribute.to_string();
        let Some(value) = look_up_attribute(device, driver, &self.attribute) else {
            return DeviceObstacle::NoAttribute { attribute };
        };
        let value = value_text(value);
        match &self.kind {
            ConstraintKind::Match(seen) => DeviceObstacle::Differs {
                attribute,
                value,
                wanted: seen.as_ref().map_or_else(String::new, value_text),
            },
            ConstraintKind::Distinct(_) => DeviceObstacle::Repeats { attribute, value },
        }
    }

    /// Removes the device that [`AttributeConstraint::add`] added last.
    pub(super) fn remove(&mut self, request: RequestName<'_>) {
        if !self.applies_to(request) {
            return;
        }
        if let ConstraintKind::Distinct(seen) = &mut self.kind {
            seen.remove(request.name);
        }
        self.n_devices = self.n_devices.saturating_sub(1);
    }
}

/// Finds the attribute with a fully qualified name. The device may omit the domain of its own driver.
fn look_up_attribute<'a>(device: &'a Device, driver: &str, name: &Str) -> Option<&'a DeviceAttribute> {
    device.attributes.get(name).or_else(|| {
        let (domain, id) = name.split_once('/')?;
        (domain == driver).then(|| device.attributes.get(id))?
    })
}

/// Returns the text form of an attribute value.
fn value_text(value: &DeviceAttribute) -> String {
    match (&value.string, value.int, value.boolean, &value.version) {
        (Some(value), ..) | (None, None, None, Some(value)) => value.to_string(),
        (None, Some(value), ..) => value.to_string(),
        (None, None, Some(value), _) => value.to_string(),
        (None, None, None, None) => String::new(),
    }
}

/// Returns whether two values are equal in type and value; versions are compared as strings.
fn is_same_value(a: &DeviceAttribute, b: &DeviceAttribute) -> bool {
    match (&b.string, b.int, b.boolean, &b.version) {
        (Some(value), ..) => a.string.as_ref() == Some(value),
        (None, Some(value), ..) => a.int == Some(value),
        (None, None, Some(value), _) => a.boolean == Some(value),
        (None, None, None, Some(value)) => a.version.as_ref() == Some(value),
        (None, None, None, None) => false,
    }
}
