//! Compact rows, one per node, with the numbers that most decisions read.
//!
//! Filter and the resource scores examine hundreds of nodes per decision. The numbers that they compare are in one
//! 64-byte row per node; the rows are contiguous. Flags in the row tell whether a plugin must read the [`NodeInfo`]
//! instead:
//!
//! ```text
//!  order    … 17 18 19 20 …        nodes are examined from the start index on
//!              │
//!  rows  17 [ cpu mem │ used cpu mem │ defaulted cpu mem │ free ephemeral │ free pods │ flags ]
//!        18 [ …                                                                               ]
//!              │ every check passes, no relevant flag                otherwise │
//!              ▼                                                               ▼
//!        feasible, or remaining plugins (spread, affinity, …)           NodeInfo, plugin by plugin
//! ```
//! A row is computed from its [`NodeInfo`] alone, when [`crate::Cache::update_snapshot`] processes changed nodes. A
//! block has sixty-four rows, and checkpoints share it until it changes.

use std::sync::Arc;

use crate::node_info::{Effect, NodeIdx, NodeInfo};
use crate::resources::{Resources, evenness_of_two, fraction};

/// Flag: the node is cordoned.
pub(crate) const CORDONED_FLAG: u16 = 1;
/// Flag: the node has a NoSchedule or NoExecute taint.
pub(crate) const HARD_TAINT_FLAG: u16 = 1 << 1;
/// Flag: the node has a PreferNoSchedule taint.
pub(crate) const SOFT_TAINT_FLAG: u16 = 1 << 2;
/// Flag: at least one host port is in use.
pub(crate) const PORTS_TAKEN_FLAG: u16 = 1 << 3;

/// Value of [`Row::evenness`] if the balance is not in the row: the node has no cpu or no memory, or the result is out
/// of range.
pub(crate) const EVENNESS_NOT_IN_ROW: u8 = u8::MAX;

/// The row of one node.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Row {
    /// Allocatable cpu in millicores.
    pub cpu: i64,
    /// Allocatable memory in bytes.
    pub memory: i64,
    /// Cpu requested by the node's pods, in millicores.
    pub used_cpu: i64,
    /// Memory requested by the node's pods, in bytes.
    pub used_memory: i64,
    /// Requested cpu including the defaults for scoring, in millicores (SCH-056).
    pub nonzero_cpu: i64,
    /// Requested memory including the defaults for scoring, in bytes.
    pub nonzero_memory: i64,
    /// Free ephemeral storage in bytes.
    pub free_ephemeral: i64,
    /// Number of pods that still fit on the node.
    pub free_pods: i32,
    /// Flags of properties for which plugins read the [`NodeInfo`].
    pub flags: u16,
    /// Balance of cpu and memory usage, from 0 to 100 (SCH-107); [`EVENNESS_NOT_IN_ROW`] if it must be computed from
    /// the [`NodeInfo`].
    pub evenness: u8,
}

const _: () = assert!(size_of::<Row>() == 64, "a row must fill exactly one cache line");

impl Row {
    fn of(node: &NodeInfo) -> Self {
        let (allocatable, requested) = (&node.allocatable, &node.requested);
        let free_pods = node.allowed_pods.saturating_sub(node.pods.len() as i64);
        let flag = |is: bool, flag: u16| if is { flag } else { 0 };
        let taint = |effects: &[Effect]| node.taints.iter().any(|taint| effects.contains(&taint.effect));
        Self {
            cpu: allocatable.cpu,
            memory: allocatable.memory,
            used_cpu: requested.cpu,
            used_memory: requested.memory,
            nonzero_cpu: node.nonzero_cpu,
            nonzero_memory: node.nonzero_memory,
            free_ephemeral: allocatable.ephemeral.wrapping_sub(requested.ephemeral),
            free_pods: free_pods.clamp(-1, i64::from(i32::MAX)) as i32,
            flags: flag(node.unschedulable, CORDONED_FLAG)
                | flag(taint(&[Effect::NoSchedule, Effect::NoExecute]), HARD_TAINT_FLAG)
                | flag(taint(&[Effect::PreferNoSchedule]), SOFT_TAINT_FLAG)
                | flag(!node.ports.is_empty(), PORTS_TAKEN_FLAG),
            evenness: evenness(allocatable, requested),
        }
    }
}

fn evenness(allocatable: &Resources, requested: &Resources) -> u8 {
    if allocatable.cpu == 0 || allocatable.memory == 0 {
        return EVENNESS_NOT_IN_ROW;
    }
    let evenness = evenness_of_two(
        fraction(requested.cpu, allocatable.cpu),
        fraction(requested.memory, allocatable.memory),
    );
    if (0..=100).contains(&evenness) {
        evenness as u8
    } else {
        EVENNESS_NOT_IN_ROW
    }
}

const ROWS_PER_BLOCK: usize = 64;

/// The rows of all nodes, by node index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    blocks: Vec<Arc<[Row; ROWS_PER_BLOCK]>>,
}

impl Rows {
    /// Computes a node's row from its [`NodeInfo`].
    pub(crate) fn set(&mut self, node: NodeIdx, info: &NodeInfo) {
        let (block, at) = (node as usize / ROWS_PER_BLOCK, node as usize % ROWS_PER_BLOCK);
        while self.blocks.len() <= block {
            self.blocks.push(Arc::new([Row::default(); ROWS_PER_BLOCK]));
        }
        Arc::make_mut(&mut self.blocks[block])[at] = Row::of(info);
    }

    /// Returns the row of a node, which must have been set before.
    pub(crate) fn get(&self, node: NodeIdx) -> &Row {
        &self.blocks[node as usize / ROWS_PER_BLOCK][node as usize % ROWS_PER_BLOCK]
    }
}

/// Bounds that a row must satisfy so that the node passes the Filter plugins that need only the row.
#[derive(Debug)]
pub(crate) struct RowBounds {
    /// Minimum free cpu; `i64::MIN` if the pod requests no cpu.
    pub cpu: i64,
    pub memory: i64,
    pub ephemeral: i64,
    /// Minimum number of pods that must still fit.
    pub pods: i32,
    /// If a node has any of these flags, all plugins run on it one by one.
    pub flags: u16,
}

impl Default for RowBounds {
    fn default() -> Self {
        Self {
            cpu: i64::MIN,
            memory: i64::MIN,
            ephemeral: i64::MIN,
            pods: i32::MIN,
            flags: 0,
        }
    }
}

impl RowBounds {
    /// Returns true if the node certainly passes the Filter plugins that need only the row. If false, the plugins must
    /// run one by one.
    #[inline(always)]
    pub(crate) fn are_satisfied(&self, row: &Row) -> bool {
        row.flags & self.flags == 0
            && self.cpu <= row.cpu.wrapping_sub(row.used_cpu)
            && self.memory <= row.memory.wrapping_sub(row.used_memory)
            && self.ephemeral <= row.free_ephemeral
            && self.pods <= row.free_pods
    }
}
