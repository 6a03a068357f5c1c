//! `NodePorts`: ports of the node itself (SCH-049).

use crate::cycle::Cycle;
use crate::node_info::NodeInfo;
use crate::plugins::Plugin;
use crate::status::Status;

/// The text.
pub const REASON: &str = "node(s) didn't have free ports for the requested pod ports";

/// PreFilter: `false` skips.
pub fn pre_filter(cycle: &Cycle<'_>) -> bool {
    !cycle.incoming.info.ports.is_empty()
}

/// Filter.
pub fn filter(cycle: &Cycle<'_>, node: &NodeInfo) -> Result<(), Status> {
    let wanted = &cycle.incoming.info.ports;
    if node
        .ports
        .iter()
        .any(|used| wanted.iter().any(|port| port.conflicts(used)))
    {
        return Err(Status::unschedulable(Plugin::NodePorts, REASON));
    }
    Ok(())
}
