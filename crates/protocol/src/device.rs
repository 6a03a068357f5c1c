//! Devices of nodes: what drivers publish, and which claims hold them.

use podscope_messages::Sentence;
use serde::{Deserialize, Serialize};

/// A node with what its drivers publish.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeDevices {
    pub node: String,
    /// In the order of drivers, pools and names.
    pub devices: Vec<DeviceView>,
}

/// A device as its driver publishes it, and who holds it.
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
    /// The shared counter that other devices have used up; a partitioned device is blocked by its parts.
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
    /// The claim holds a share; others can hold more of the device.
    pub is_share: bool,
}

impl DeviceView {
    /// The state in one word: `held`, `shared`, `blocked`, `tainted` or `free`.
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
