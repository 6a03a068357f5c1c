//! What most decisions read of a node, as one row of numbers.
//!
//! Filter and the scores of resources look at hundreds of nodes a decision. What they compare of a node
//! stands in one row of 64 bytes, rows stand one after the other, and a flag says where a plugin has to
//! look at the [`NodeInfo`] itself:
//!
//! ```text
//!  order    … 17 18 19 20 …        nodes are examined from the start index on
//!              │
//!  rows  17 [ cpu mem │ used cpu mem │ defaulted cpu mem │ free ephemeral │ free pods │ flags ]
//!        18 [ …                                                                               ]
//!              │ every check passes, no flag that matters            otherwise │
//!              ▼                                                               ▼
//!        feasible, or the plugins that ask more (spread, affinity, …)    NodeInfo, plugin by plugin
//! ```
//! A row is made from its [`NodeInfo`] and nothing else, when [`crate::Cache::update_snapshot`] takes
//! over what has changed. Sixty-four rows are one block, which a checkpoint shares until it changes.

use std::sync::Arc;

use crate::node_info::{Effect, NodeIdx, NodeInfo};
use crate::resources::{Resources, evenness_of_two, fraction};

/// Cordoned.
pub(crate) const UNSCHEDULABLE: u16 = 1;
/// Has a taint that keeps pods away.
pub(crate) const REPELS: u16 = 1 << 1;
/// Has a taint that costs score.
pub(crate) const DISCOURAGES: u16 = 1 << 2;
/// Some of its own ports are taken.
pub(crate) const PORTS_TAKEN: u16 = 1 << 3;

/// The node has no cpu or no memory, or amounts that are no part of a whole.
pub(crate) const UNEVEN: u8 = u8::MAX;

/// The numbers of one node.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Row {
    /// Allocatable, milli.
    pub cpu: i64,
    /// Allocatable, bytes.
    pub memory: i64,
    /// Requested by its pods, milli.
    pub used_cpu: i64,
    /// Requested by its pods, bytes.
    pub used_memory: i64,
    /// Requested with the defaults for scoring (SCH-056), milli.
    pub nonzero_cpu: i64,
    /// Requested with the defaults for scoring, bytes.
    pub nonzero_memory: i64,
    /// Bytes.
    pub free_ephemeral: i64,
    /// How many more pods it may hold.
    pub free_pods: i32,
    /// What the [`NodeInfo`] has to be asked about.
    pub flags: u16,
    /// How evenly its pods use cpu and memory, 0 to 100 (SCH-107); [`UNEVEN`] where that does not say it.
    pub evenness: u8,
}

const _: () = assert!(size_of::<Row>() == 64, "a row is a line of a processor's cache");

impl Row {
    fn of(node: &NodeInfo) -> Self {
        let (have, used) = (&node.allocatable, &node.requested);
        let free_pods = node.allowed_pods.saturating_sub(node.pods.len() as i64);
        let flag = |is: bool, flag: u16| if is { flag } else { 0 };
        let taint = |effects: &[Effect]| node.taints.iter().any(|taint| effects.contains(&taint.effect));
        Self {
            cpu: have.cpu,
            memory: have.memory,
            used_cpu: used.cpu,
            used_memory: used.memory,
            nonzero_cpu: node.nonzero_cpu,
            nonzero_memory: node.nonzero_memory,
            free_ephemeral: have.ephemeral.wrapping_sub(used.ephemeral),
            free_pods: free_pods.clamp(-1, i64::from(i32::MAX)) as i32,
            flags: flag(node.unschedulable, UNSCHEDULABLE)
                | flag(taint(&[Effect::NoSchedule, Effect::NoExecute]), REPELS)
                | flag(taint(&[Effect::PreferNoSchedule]), DISCOURAGES)
                | flag(!node.ports.is_empty(), PORTS_TAKEN),
            evenness: evenness(have, used),
        }
    }
}

fn evenness(have: &Resources, used: &Resources) -> u8 {
    if have.cpu == 0 || have.memory == 0 {
        return UNEVEN;
    }
    let evenness = evenness_of_two(fraction(used.cpu, have.cpu), fraction(used.memory, have.memory));
    if (0..=100).contains(&evenness) {
        evenness as u8
    } else {
        UNEVEN
    }
}

const BLOCK: usize = 64;

/// The rows of all nodes, by node index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    blocks: Vec<Arc<[Row; BLOCK]>>,
}

impl Rows {
    /// Takes a node's numbers over.
    pub(crate) fn set(&mut self, node: NodeIdx, info: &NodeInfo) {
        let (block, at) = (node as usize / BLOCK, node as usize % BLOCK);
        while self.blocks.len() <= block {
            self.blocks.push(Arc::new([Row::default(); BLOCK]));
        }
        Arc::make_mut(&mut self.blocks[block])[at] = Row::of(info);
    }

    /// A node's row. The node must have been set.
    pub(crate) fn get(&self, node: NodeIdx) -> &Row {
        &self.blocks[node as usize / BLOCK][node as usize % BLOCK]
    }
}

/// What a row must show for the Filters that rows can answer to pass, as bounds.
#[derive(Debug)]
pub(crate) struct RowBounds {
    /// Requests; `i64::MIN` where none is too many.
    pub cpu: i64,
    pub memory: i64,
    pub ephemeral: i64,
    /// How many pods more there must be room for.
    pub pods: i32,
    /// A node with one of these is asked plugin by plugin.
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
    /// Whether none of the Filters that rows answer would refuse the node. `false` may also mean that the
    /// row does not tell.
    #[inline(always)]
    pub(crate) fn hold(&self, row: &Row) -> bool {
        row.flags & self.flags == 0
            && self.cpu <= row.cpu.wrapping_sub(row.used_cpu)
            && self.memory <= row.memory.wrapping_sub(row.used_memory)
            && self.ephemeral <= row.free_ephemeral
            && self.pods <= row.free_pods
    }
}
