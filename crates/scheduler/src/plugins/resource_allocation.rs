//! What the two plugins that score by resources have in common: which resources count, with which weight, and
//! their amounts on a node (SCH-057, SCH-107).

use podscope_api::Str;

use crate::cache::Cache;
use crate::config::{Errors, Fields};
use crate::cycle::Cycle;
use crate::node_info::NodeIdx;
use crate::resources::{Resources, is_scalar};
use crate::rows::Row;
use crate::symbols::Symbol;

/// A resource and its weight in a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    pub name: Str,
    /// Its weight; 0 was read as 1.
    pub weight: i64,
}

/// What counts unless the arguments say otherwise.
pub(super) fn default_resources() -> Vec<Resource> {
    ["cpu", "memory"]
        .into_iter()
        .map(|name| Resource {
            name: name.into(),
            weight: 1,
        })
        .collect()
}

/// Reads `resources`; `None` where the field is absent.
pub(super) fn read_resources(fields: &mut Fields<'_>, errors: &mut Errors) -> Option<Vec<Resource>> {
    let base = fields.at("resources");
    let list = fields.list("resources", errors)?;
    let mut out = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let mut entry = Fields::new(value, &format!("{base}[{index}]"), errors);
        let name = entry.string("name", errors).unwrap_or("");
        let weight = entry.integer("weight", errors).unwrap_or(0);
        out.push(Resource {
            name: name.into(),
            weight: if weight == 0 { 1 } else { weight },
        });
        entry.finish(errors);
    }
    Some(out)
}

/// What a score reads of a resource.
#[derive(Debug, Clone, Copy)]
enum Column {
    Cpu,
    Memory,
    Ephemeral,
    Scalar(Symbol),
}

/// A resource that counts in a score of this pod.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredResource {
    column: Column,
    /// What the pod asks for.
    pub wanted: i64,
    pub weight: i64,
}

/// The configured resources, without those of which neither the pod nor any node has something to say.
pub(crate) fn scored_resources(cycle: &Cycle<'_>, resources: &[Resource], pod: &Resources) -> Vec<ScoredResource> {
    let scored = |Resource { name, weight }: &Resource| {
        let (column, wanted) = match &**name {
            "cpu" => (Column::Cpu, pod.cpu),
            "memory" => (Column::Memory, pod.memory),
            "ephemeral-storage" => (Column::Ephemeral, pod.ephemeral),
            name => {
                let symbol = cycle.cache.symbols.get(name)?;
                let wanted = pod.scalar(symbol).unwrap_or(0);
                if wanted == 0 && is_scalar(name) {
                    return None;
                }
                (Column::Scalar(symbol), wanted)
            }
        };
        Some(ScoredResource {
            column,
            wanted,
            weight: *weight,
        })
    };
    resources.iter().filter_map(scored).collect()
}

impl ScoredResource {
    #[inline(always)]
    pub(crate) fn is_cpu(&self) -> bool {
        matches!(self.column, Column::Cpu)
    }

    #[inline(always)]
    pub(crate) fn is_memory(&self) -> bool {
        matches!(self.column, Column::Memory)
    }

    /// Its amounts on the node with the pod added: `(requested, allocatable)`.
    /// `nonzero` counts the placed pods' requests with their defaults.
    #[inline(always)]
    pub(crate) fn on(&self, cache: &Cache, node: NodeIdx, row: &Row, nonzero: bool) -> (i64, i64) {
        let (used, have) = match self.column {
            Column::Cpu => (if nonzero { row.nonzero_cpu } else { row.used_cpu }, row.cpu),
            Column::Memory => (if nonzero { row.nonzero_memory } else { row.used_memory }, row.memory),
            Column::Ephemeral => {
                let node = cache.node(node);
                (node.requested.ephemeral, node.allocatable.ephemeral)
            }
            Column::Scalar(name) => {
                let node = cache.node(node);
                match node.allocatable.scalar(name) {
                    Some(have) => (node.requested.scalar(name).unwrap_or(0), have),
                    None => return (0, 0),
                }
            }
        };
        (used.wrapping_add(self.wanted), have)
    }
}
