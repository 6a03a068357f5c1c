//! `NodeUnschedulable`: cordoned nodes (SCH-039).

use crate::cycle::Cycle;
use crate::node_info::{Effect, NodeInfo, TaintInfo};
use crate::plugins::Plugin;
use crate::status::Status;
use crate::symbols::Symbol;

/// The text.
pub const REASON: &str = "node(s) were unschedulable";

/// Filter.
pub fn filter(cycle: &Cycle<'_>, node: &NodeInfo) -> Result<(), Status> {
    if !node.unschedulable {
        return Ok(());
    }
    let taint = TaintInfo {
        key: Symbol::UNSCHEDULABLE_TAINT,
        value: Symbol::EMPTY,
        effect: Effect::NoSchedule,
    };
    if cycle
        .incoming
        .tolerations
        .iter()
        .any(|toleration| toleration.tolerates(&taint))
    {
        return Ok(());
    }
    Err(Status::unresolvable(Plugin::NodeUnschedulable, REASON))
}
