//! ResourceSlices in compiled form: device numbers, node selectors and CEL values of the devices.

use std::sync::Arc;

use podscope_api::ordered::Map;
use podscope_api::{self as api, ResourceSlice, Str};
use podscope_cel::DeviceValue;

use super::{DeviceNo, DeviceNumbers};
use crate::node_info::NodeInfo;
use crate::selector::NodeSelector;
use crate::symbols::Symbols;

/// The nodes from which a slice or device can be used. The variants are in the order of precedence of their fields
/// (DRA-132).
#[derive(Debug, Clone)]
pub(crate) enum NodeScope {
    Node(Str),
    All,
    Selected(NodeSelector),
    /// None of the fields is set.
    Nowhere,
}

impl NodeScope {
    fn new(symbols: &mut Symbols, node: Option<&Str>, all: Option<bool>, selector: Option<&api::NodeSelector>) -> Self {
        match (node.filter(|name| !name.is_empty()), all, selector) {
            (Some(name), ..) => Self::Node(name.clone()),
            (None, Some(true), _) => Self::All,
            (None, _, Some(selector)) => Self::Selected(NodeSelector::compile(symbols, selector)),
            _ => Self::Nowhere,
        }
    }

    pub(crate) fn matches(&self, symbols: &Symbols, node: &NodeInfo) -> bool {
        match self {
            Self::Node(name) => *name == node.name,
            Self::All => true,
            Self::Selected(selector) => selector.matches(symbols, node),
            Self::Nowhere => false,
        }
    }
}

/// A ResourceSlice with precomputed values for the search.
#[derive(Debug)]
pub(crate) struct DeviceSlice {
    pub(crate) object: Arc<ResourceSlice>,
    /// Numbers of the devices, in the order of the slice.
    pub(crate) numbers: Vec<DeviceNo>,
    /// CEL values of the devices.
    pub(super) values: Vec<DeviceValue>,
    pub(crate) scope: NodeScope,
    /// Node scopes of the individual devices, if `perDeviceNodeSelection` is set.
    pub(crate) devices: Vec<NodeScope>,
    /// Whether at least one device has binding conditions.
    pub(crate) has_binding_conditions: bool,
}

impl DeviceSlice {
    fn new(symbols: &mut Symbols, numbers: &mut DeviceNumbers, object: &Arc<ResourceSlice>) -> Self {
        let spec = &object.spec;
        let scope = NodeScope::new(
            symbols,
            spec.node_name.as_ref(),
            spec.all_nodes,
            spec.node_selector.as_ref(),
        );
        let number = |device: &api::Device| numbers.number_of(&spec.driver, &spec.pool.name, &device.name);
        let devices = match spec.per_device_node_selection {
            Some(true) => {
                let own = |device: &api::Device| {
                    let selector = device.node_selector.as_ref();
                    NodeScope::new(symbols, device.node_name.as_ref(), device.all_nodes, selector)
                };
                spec.devices.iter().map(own).collect()
            }
            _ => Vec::new(),
        };
        Self {
            numbers: spec.devices.iter().map(number).collect(),
            values: spec
                .devices
                .iter()
                .map(|device| DeviceValue::new(&spec.driver, device))
                .collect(),
            has_binding_conditions: spec.devices.iter().any(|device| !device.binding_conditions.is_empty()),
            object: object.clone(),
            scope,
            devices,
        }
    }

    /// Returns whether the slice publishes shared counters (and therefore no devices).
    pub(crate) fn has_counters(&self) -> bool {
        !self.object.spec.shared_counters.is_empty()
    }

    /// Returns whether a slice belongs to a pool that the node can use (DRA-132).
    pub(super) fn is_relevant_for(&self, symbols: &Symbols, node: &NodeInfo) -> bool {
        if self.has_counters() {
            return true;
        }
        match &self.scope {
            NodeScope::Nowhere => self.devices.iter().any(|device| device.matches(symbols, node)),
            scope => scope.matches(symbols, node),
        }
    }
}

/// All slices, in name order.
#[derive(Debug, Default)]
pub(crate) struct DeviceTable {
    pub(crate) slices: Vec<Arc<DeviceSlice>>,
    /// Indices of the slices of a single node, by node name.
    local: Map<Str, Vec<usize>>,
    /// Indices of the slices that may be usable from any node.
    shared: Vec<usize>,
    /// Indices of the slices by driver and pool.
    pools: Map<(Str, Str), Vec<usize>>,
}

impl DeviceTable {
    pub(super) fn new<'a>(
        symbols: &mut Symbols,
        numbers: &mut DeviceNumbers,
        slices: impl Iterator<Item = &'a Arc<ResourceSlice>>,
        before: &Self,
    ) -> Self {
        let mut table = Self::default();
        let mut known = before.slices.iter().peekable();
        for (at, object) in slices.enumerate() {
            // Both lists are sorted by name, so one pass finds the unchanged slices.
            while known
                .peek()
                .is_some_and(|slice| slice.object.metadata.name < object.metadata.name)
            {
                known.next();
            }
            let slice = match known.peek() {
                Some(slice) if Arc::ptr_eq(&slice.object, object) => (*slice).clone(),
                _ => Arc::new(DeviceSlice::new(symbols, numbers, object)),
            };
            let spec = &object.spec;
            match &slice.scope {
                NodeScope::Node(name) if !slice.has_counters() => {
                    table.local.entry(name.clone()).or_default().push(at);
                }
                _ => table.shared.push(at),
            }
            let pool = (spec.driver.clone(), spec.pool.name.clone());
            table.pools.entry(pool).or_default().push(at);
            table.slices.push(slice);
        }
        table
    }

    /// Returns the indices of the slices that may be usable from a node (DRA-131).
    pub(super) fn candidate_slices<'a>(&'a self, node: &str) -> impl Iterator<Item = usize> + use<'a> {
        let local = self.local.get(node).into_iter().flatten();
        local.chain(&self.shared).copied()
    }

    /// Returns the indices of all slices of a pool, of every generation and node.
    pub(super) fn slice_indices_of_pool(&self, driver: &Str, pool: &Str) -> &[usize] {
        let key = (driver.clone(), pool.clone());
        self.pools.get(&key).map_or(&[], |slices| slices)
    }
}
