//! The slices of the cluster, compiled once: their devices' numbers, their node selectors, what CEL sees of them.

use std::sync::Arc;

use podscope_api::ordered::Map;
use podscope_api::{self as api, ResourceSlice, Str};
use podscope_cel::DeviceValue;

use super::{DeviceNo, Numbers};
use crate::node_info::NodeInfo;
use crate::selector::NodeSelector;
use crate::symbols::Symbols;

/// Where something can be used from, in the order in which the fields count (DRA-132).
#[derive(Debug, Clone)]
pub(crate) enum Reach {
    Node(Str),
    All,
    Selected(NodeSelector),
    /// None of the fields is set.
    Nowhere,
}

impl Reach {
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

/// A slice with what the search asks of it.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) object: Arc<ResourceSlice>,
    /// The numbers of its devices, in their order.
    pub(crate) numbers: Vec<DeviceNo>,
    /// Its devices as expressions see them.
    pub(super) values: Vec<DeviceValue>,
    pub(crate) reach: Reach,
    /// The devices' own reach, where `perDeviceNodeSelection` is set.
    pub(crate) devices: Vec<Reach>,
    /// Whether a device has conditions to wait for.
    pub(crate) has_binding_conditions: bool,
}

impl Slice {
    fn new(symbols: &mut Symbols, numbers: &mut Numbers, object: &Arc<ResourceSlice>) -> Self {
        let spec = &object.spec;
        let reach = Reach::new(
            symbols,
            spec.node_name.as_ref(),
            spec.all_nodes,
            spec.node_selector.as_ref(),
        );
        let number = |device: &api::Device| numbers.of(&spec.driver, &spec.pool.name, &device.name);
        let devices = match spec.per_device_node_selection {
            Some(true) => {
                let own = |device: &api::Device| {
                    let selector = device.node_selector.as_ref();
                    Reach::new(symbols, device.node_name.as_ref(), device.all_nodes, selector)
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
            reach,
            devices,
        }
    }

    /// Whether it holds counters and no devices.
    pub(crate) fn is_of_counters(&self) -> bool {
        !self.object.spec.shared_counters.is_empty()
    }

    /// Whether the slice is of a node's pool (DRA-132).
    pub(super) fn concerns(&self, symbols: &Symbols, node: &NodeInfo) -> bool {
        if self.is_of_counters() {
            return true;
        }
        match &self.reach {
            Reach::Nowhere => self.devices.iter().any(|device| device.matches(symbols, node)),
            reach => reach.matches(symbols, node),
        }
    }
}

/// All slices. Their index is their place in name order.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) slices: Vec<Arc<Slice>>,
    /// Those of one node, by its name.
    local: Map<Str, Vec<usize>>,
    /// Those that any node may have to look at.
    shared: Vec<usize>,
    /// By driver and pool.
    pools: Map<(Str, Str), Vec<usize>>,
}

impl Table {
    pub(super) fn new<'a>(
        symbols: &mut Symbols,
        numbers: &mut Numbers,
        slices: impl Iterator<Item = &'a Arc<ResourceSlice>>,
        before: &Self,
    ) -> Self {
        let mut table = Self::default();
        let mut known = before.slices.iter().peekable();
        for (at, object) in slices.enumerate() {
            // Both are in name order: what did not change is found on the way.
            while known
                .peek()
                .is_some_and(|slice| slice.object.metadata.name < object.metadata.name)
            {
                known.next();
            }
            let slice = match known.peek() {
                Some(slice) if Arc::ptr_eq(&slice.object, object) => (*slice).clone(),
                _ => Arc::new(Slice::new(symbols, numbers, object)),
            };
            let spec = &object.spec;
            match &slice.reach {
                Reach::Node(name) if !slice.is_of_counters() => {
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

    /// The slices that a node may have to look at (DRA-131).
    pub(super) fn candidates<'a>(&'a self, node: &str) -> impl Iterator<Item = usize> + use<'a> {
        let local = self.local.get(node).into_iter().flatten();
        local.chain(&self.shared).copied()
    }

    /// All slices of a pool, of every generation and node.
    pub(super) fn of_pool(&self, driver: &Str, pool: &Str) -> &[usize] {
        let key = (driver.clone(), pool.clone());
        self.pools.get(&key).map_or(&[], |slices| slices)
    }
}
