//! Node conditions that an imported Node keeps: pressure conditions, and `Ready=False` reported by the kubelet itself.
//! Both stay for the whole run, because nothing in a dump says when they would end (P-09).

use podscope_api::condition_taints::CONDITION_TAINTS;
use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Node, NodeCondition, Object, Time};

use super::{Assumed, is_imported};

/// Maximum age of the heartbeat of a kubelet that still reports, in microseconds. A kubelet writes its Node at least
/// every five minutes (`nodeStatusReportFrequency`).
const MAX_HEARTBEAT_AGE_MICROS: i64 = 6 * 60 * 1_000_000;

/// Returns the newest heartbeat of all imported nodes: the control plane was receiving heartbeats until then.
pub fn newest_heartbeat(objects: &[Object]) -> Option<Time> {
    let nodes = objects.iter().filter(|object| is_imported(object));
    let heartbeats = nodes.filter_map(|object| match object {
        Object::Node(node) => heartbeat(node),
        _ => None,
    });
    heartbeats.max()
}

fn heartbeat(node: &Node) -> Option<Time> {
    let all = node.status.conditions.iter();
    all.filter_map(|known| known.last_heartbeat_time).max()
}

/// Returns whether the kubelet of an imported node was still reporting when the dump was taken. A node with
/// `Ready=False` counts as reporting if its heartbeat is recent.
pub fn was_kubelet_reporting(node: &Node, newest_heartbeat: Option<Time>) -> bool {
    match node.condition(condition::READY).map(|ready| &ready.status) {
        None | Some(ConditionStatus::True) => true,
        Some(ConditionStatus::False) => {
            let behind = heartbeat(node)
                .zip(newest_heartbeat)
                .map(|(own, newest)| newest.0 - own.0);
            behind.is_none_or(|behind| behind < MAX_HEARTBEAT_AGE_MICROS)
        }
        Some(_) => false,
    }
}

/// Stores the conditions that stay for the whole run, for the nodes whose kubelets were still reporting.
pub(super) fn store_node_conditions(assumed: &mut Assumed, objects: &[Object]) {
    let newest = newest_heartbeat(objects);
    for object in objects.iter().filter(|object| is_imported(object)) {
        let Object::Node(node) = object else { continue };
        if !was_kubelet_reporting(node, newest) {
            continue;
        }
        let lasting: Vec<NodeCondition> = pressure_conditions(node).chain(not_ready_condition(node)).collect();
        if !lasting.is_empty() {
            assumed.node_conditions.insert(node.metadata.name.clone(), lasting);
        }
    }
}

/// Returns the node's pressure conditions. If a condition is absent but its taint is present, the taint stands for the
/// condition.
fn pressure_conditions(node: &Node) -> impl Iterator<Item = NodeCondition> {
    let pressures = CONDITION_TAINTS.iter().filter(|row| row.is_pressure);
    pressures.filter_map(|row| match node.condition(row.condition) {
        Some(known) => (known.status == ConditionStatus::True).then(|| known.clone()),
        None => {
            let is_tainted = node.spec.taints.iter().any(|known| &*known.key == row.taint);
            is_tainted.then(|| NodeCondition {
                kind: row.condition.into(),
                status: ConditionStatus::True,
                ..NodeCondition::default()
            })
        }
    })
}

fn not_ready_condition(node: &Node) -> Option<NodeCondition> {
    let ready = node.condition(condition::READY)?;
    (ready.status == ConditionStatus::False).then(|| ready.clone())
}
