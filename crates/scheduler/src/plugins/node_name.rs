//! `NodeName`: a pod that sets `spec.nodeName` fits only that node (SCH-040).

use super::{ExtensionPoints, Plugin, PluginSpec, Point};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::Incoming;
use crate::queue::events::EventKind;
use crate::rows::RowBounds;
use crate::status::Status;
use podscope_messages::plugin as messages;

pub(super) const SPEC: PluginSpec = PluginSpec {
    events: &[EventKind::NodeAdd],
    about: Some(messages::node_name_about),
    short: &[(REASON, messages::node_name_another_node_is_named)],
    ..PluginSpec::new("NodeName", &[Point::Filter], &NodeName)
};

pub const REASON: &str = "node(s) didn't match the requested node name";

struct NodeName;

impl ExtensionPoints for NodeName {
    fn add_node_row_bounds(&self, incoming: &Incoming, _: &mut RowBounds) -> bool {
        incoming.info.pod.spec.node_name.is_none()
    }

    fn filter(&self, cycle: &Cycle<'_>, _: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        match &cycle.incoming.info.pod.spec.node_name {
            Some(name) if !name.is_empty() && name.0 != node.name => {
                Err(Status::unresolvable(Plugin::NodeName, REASON))
            }
            _ => Ok(()),
        }
    }

    fn refusal_text(&self, _: &Cache, _: &Decision, _: NodeIdx, _: &Status) -> String {
        "is not the node the pod asks for by name".to_owned()
    }
}
