//! Devices of nodes: their published properties, and the claims that hold them.

use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

/// A node with the devices that its drivers publish.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeDevices {
    pub node: String,
    /// Sorted by driver, pool and name.
    pub devices: Vec<DeviceView>,
}

/// A device as its driver publishes it, and the claims that hold it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceView {
    pub name: String,
    pub driver: String,
    pub pool: String,
    /// Attributes and capacities, as `name value`.
    pub properties: Vec<String>,
    /// Taints as `key=value:Effect`.
    pub taints: Vec<String>,
    /// Claims that hold the device or a share of it.
    pub holders: Vec<DeviceHolder>,
    /// The shared counter that other allocated devices have used up, so that this device cannot be allocated. For
    /// example, allocated partitions of a device block the whole device.
    pub exhausted: Option<Sentence>,
}

/// A claim that holds a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceHolder {
    /// `NAMESPACE/NAME` of the claim.
    pub claim: String,
    /// Names of the pods for which the claim is reserved.
    pub pods: Vec<String>,
    /// Whether the claim holds only a share, so that other claims can hold further shares of the device.
    pub is_share: bool,
}

impl DeviceView {
    /// Returns the device's state in one word: `held`, `shared`, `blocked`, `tainted` or `free`.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match self.holders.as_slice() {
            [] if self.exhausted.is_some() => "blocked",
            [] if !self.taints.is_empty() => "tainted",
            [] => "free",
            holders if holders.iter().all(|holder| holder.is_share) => "shared",
            _ => "held",
        }
    }
}
