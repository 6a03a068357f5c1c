//! `NodeUnschedulable`: rejects cordoned nodes (SCH-039).

use super::{ExtensionPoints, Plugin, PluginSpec, Point};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState};
use crate::decide::Decision;
use crate::node_info::{Effect, NodeIdx, NodeInfo, TaintInfo};
use crate::pod_info::Incoming;
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::rows::{CORDONED_FLAG, RowBounds};
use crate::status::Status;
use crate::symbols::Symbol;
use podscope_messages::plugin as messages;

pub(super) const SPEC: PluginSpec = PluginSpec {
    events: &[EventKind::NodeAdd, EventKind::NodeTaint, EventKind::PodToleration],
    about: Some(messages::node_unschedulable_about),
    refused: messages::node_unschedulable_refused,
    short: &[(REASON, messages::node_unschedulable_unschedulable)],
    ..PluginSpec::new("NodeUnschedulable", &[Point::Filter], &NodeUnschedulable)
};

pub const REASON: &str = "node(s) were unschedulable";

/// The taint that represents the cordon of a node; a pod that tolerates it fits on a cordoned node.
const CORDON: TaintInfo = TaintInfo {
    key: Symbol::UNSCHEDULABLE_TAINT,
    value: Symbol::EMPTY,
    effect: Effect::NoSchedule,
};

fn tolerates_cordon(incoming: &Incoming) -> bool {
    incoming
        .tolerations
        .iter()
        .any(|toleration| toleration.tolerates(&CORDON))
}

struct NodeUnschedulable;

impl ExtensionPoints for NodeUnschedulable {
    fn add_node_row_bounds(&self, _: &Incoming, bounds: &mut RowBounds) -> bool {
        bounds.flags |= CORDONED_FLAG;
        true
    }

    fn filter(&self, cycle: &Cycle<'_>, _: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        if !node.unschedulable || tolerates_cordon(cycle.incoming) {
            return Ok(());
        }
        Err(Status::unresolvable(Plugin::NodeUnschedulable, REASON))
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let is_cordoned = |node: &Option<NodeInfo>| node.as_ref().is_some_and(|node| node.unschedulable);
        match event.kind {
            EventKind::NodeAdd => !is_cordoned(&event.new_node),
            EventKind::NodeTaint => is_cordoned(&event.old_node) && !is_cordoned(&event.new_node),
            _ => event.is_update_of_pod(waiting) && tolerates_cordon(waiting.incoming),
        }
    }

    fn refusal_text(&self, _: &Cache, _: &Decision, _: NodeIdx, _: &Status) -> String {
        "is cordoned: no new pods until it is uncordoned".to_owned()
    }
}
