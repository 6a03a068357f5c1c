//! `NodeName`: a node asked for by name (SCH-040).

use crate::cycle::Cycle;
use crate::node_info::NodeInfo;
use crate::plugins::Plugin;
use crate::status::Status;

/// The text.
pub const REASON: &str = "node(s) didn't match the requested node name";

/// Filter.
pub fn filter(cycle: &Cycle<'_>, node: &NodeInfo) -> Result<(), Status> {
    match &cycle.incoming.info.pod.spec.node_name {
        Some(name) if !name.is_empty() && name.0 != node.name => Err(Status::unresolvable(Plugin::NodeName, REASON)),
        _ => Ok(()),
    }
}
