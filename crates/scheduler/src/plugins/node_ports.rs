//! `NodePorts`: the pod's host ports must be free on the node (SCH-049).

use super::Point::{Filter, PreFilter as AtPreFilter};
use super::{ExtensionPoints, Plugin, PluginSpec};
use crate::cache::Cache;
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::pod_info::Incoming;
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::rows::{PORTS_TAKEN_FLAG, RowBounds};
use crate::status::Status;
use podscope_messages::plugin as messages;

pub(super) const SPEC: PluginSpec = PluginSpec {
    events: &[EventKind::NodeAdd, EventKind::PodDelete],
    about: Some(messages::node_ports_about),
    refused: messages::node_ports_refused,
    short: &[(REASON, messages::node_ports_port_in_use)],
    ..PluginSpec::new("NodePorts", &[AtPreFilter, Filter], &NodePorts)
};

pub const REASON: &str = "node(s) didn't have free ports for the requested pod ports";

struct NodePorts;

impl ExtensionPoints for NodePorts {
    fn pre_filter(&self, search: &NodeSearch<'_>, _: &mut Cache, _: &mut CycleState) -> Result<PreFilter, Status> {
        Ok(PreFilter::run_or_skip(!search.incoming.info.ports.is_empty()))
    }

    fn add_node_row_bounds(&self, _: &Incoming, bounds: &mut RowBounds) -> bool {
        bounds.flags |= PORTS_TAKEN_FLAG;
        true
    }

    fn filter(&self, cycle: &Cycle<'_>, _: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        let own_ports = &cycle.incoming.info.ports;
        if node
            .ports
            .iter()
            .any(|used| own_ports.iter().any(|port| port.conflicts(used)))
        {
            return Err(Status::unschedulable(Plugin::NodePorts, REASON));
        }
        Ok(())
    }

    fn queueing_hint(&self, _: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let own_ports = &waiting.incoming.info.ports;
        event.kind == EventKind::NodeAdd
            || event.deleted_pod().is_some_and(|other| {
                let mut freed = other.ports.iter();
                freed.any(|freed| own_ports.iter().any(|port| port.conflicts(freed)))
            })
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, _: &Status) -> String {
        let info = cache.node(node);
        let ports: Vec<String> = decision
            .incoming
            .info
            .ports
            .iter()
            .filter(|port| info.ports.iter().any(|used| used.conflicts(port)))
            .map(|port| format!("{}/{}", port.port, cache.symbols.text(port.protocol)))
            .collect();
        format!("already uses port {} of the node", ports.join(", "))
    }
}
