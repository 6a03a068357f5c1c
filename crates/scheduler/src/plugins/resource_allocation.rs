//! Code shared by the two plugins that score resources: the scored resources, their weights and their amounts on a node
//! (SCH-057, SCH-107).

use podscope_api::Str;

use crate::cache::Cache;
use crate::config::{Errors, Fields};
use crate::cycle::Cycle;
use crate::node_info::NodeIdx;
use crate::resources::{Resources, is_scalar};
use crate::rows::Row;
use crate::symbols::Symbol;

/// A resource and its weight in a score, as configured.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    pub name: Str,
    /// The weight, at least 1: an absent weight is read as 1.
    pub weight: i64,
}

/// Returns the resources that are scored if the arguments do not set any.
pub(super) fn default_resources() -> Vec<Resource> {
    ["cpu", "memory"]
        .into_iter()
        .map(|name| Resource {
            name: name.into(),
            weight: 1,
        })
        .collect()
}

/// Reads the field `resources`; returns `None` if it is absent.
pub(super) fn read_resources(fields: &mut Fields<'_>, errors: &mut Errors) -> Option<Vec<Resource>> {
    let base = fields.path_of("resources");
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

/// The field from which a resource's amounts are read.
#[derive(Debug, Clone, Copy)]
enum AmountSource {
    Cpu,
    Memory,
    Ephemeral,
    Scalar(Symbol),
}

/// A resource that is scored for the incoming pod.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredResource {
    source: AmountSource,
    /// The pod's request of the resource.
    pub wanted: i64,
    pub weight: i64,
}

/// Returns the configured resources to score for a pod. Omits resources that no node has, and extended resources that
/// the pod does not request.
pub(crate) fn scored_resources(cycle: &Cycle<'_>, resources: &[Resource], pod: &Resources) -> Vec<ScoredResource> {
    let scored = |Resource { name, weight }: &Resource| {
        let (source, wanted) = match &**name {
            "cpu" => (AmountSource::Cpu, pod.cpu),
            "memory" => (AmountSource::Memory, pod.memory),
            "ephemeral-storage" => (AmountSource::Ephemeral, pod.ephemeral),
            name => {
                let symbol = cycle.cache.symbols.get(name)?;
                let wanted = pod.scalar(symbol).unwrap_or(0);
                if wanted == 0 && is_scalar(name) {
                    return None;
                }
                (AmountSource::Scalar(symbol), wanted)
            }
        };
        Some(ScoredResource {
            source,
            wanted,
            weight: *weight,
        })
    };
    resources.iter().filter_map(scored).collect()
}

impl ScoredResource {
    #[inline(always)]
    pub(crate) fn is_cpu(&self) -> bool {
        matches!(self.source, AmountSource::Cpu)
    }

    #[inline(always)]
    pub(crate) fn is_memory(&self) -> bool {
        matches!(self.source, AmountSource::Memory)
    }

    /// Returns `(requested, allocatable)` on the node, with the pod's request added. With `nonzero`, the requests of
    /// placed pods include the defaults for missing requests.
    #[inline(always)]
    pub(crate) fn requested_and_allocatable(
        &self,
        cache: &Cache,
        node: NodeIdx,
        row: &Row,
        nonzero: bool,
    ) -> (i64, i64) {
        let (requested, allocatable) = match self.source {
            AmountSource::Cpu => (if nonzero { row.nonzero_cpu } else { row.used_cpu }, row.cpu),
            AmountSource::Memory => (if nonzero { row.nonzero_memory } else { row.used_memory }, row.memory),
            AmountSource::Ephemeral => {
                let node = cache.node(node);
                (node.requested.ephemeral, node.allocatable.ephemeral)
            }
            AmountSource::Scalar(name) => {
                let node = cache.node(node);
                match node.allocatable.scalar(name) {
                    Some(allocatable) => (node.requested.scalar(name).unwrap_or(0), allocatable),
                    None => return (0, 0),
                }
            }
        };
        (requested.wrapping_add(self.wanted), allocatable)
    }
}
