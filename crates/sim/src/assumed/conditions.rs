//! Nodes of a dump that are short of something, or that say themselves that they are not ready: both last, because
//! nothing in a dump says what would end them (P-09).

use podscope_api::condition_taints::CONDITION_TAINTS;
use podscope_api::{ConditionStatus, Node, NodeCondition, Object, Time};

use super::{Assumed, is_imported};

/// A kubelet writes its Node at least every five minutes (`nodeStatusReportFrequency`); one that is a minute behind that
/// is not heard.
const STALE: i64 = 6 * 60 * 1_000_000;

/// When the control plane last heard of a node that it imported: the newest heartbeat of all.
pub fn newest_heartbeat(objects: &[Object]) -> Option<Time> {
    let nodes = objects.iter().filter(|object| is_imported(object));
    let beats = nodes.filter_map(|object| match object {
        Object::Node(node) => heartbeat(node),
        _ => None,
    });
    beats.max()
}

fn heartbeat(node: &Node) -> Option<Time> {
    let all = node.status.conditions.iter();
    all.filter_map(|known| known.last_heartbeat_time).max()
}

/// Whether the control plane hears the kubelet of an imported node: one that says itself that it is not ready is heard,
/// as long as it says so now.
pub fn is_heard(node: &Node, newest: Option<Time>) -> bool {
    match node.condition("Ready").map(|ready| &ready.status) {
        None | Some(ConditionStatus::True) => true,
        Some(ConditionStatus::False) => {
            let behind = heartbeat(node).zip(newest).map(|(own, newest)| newest.0 - own.0);
            behind.is_none_or(|behind| behind < STALE)
        }
        Some(_) => false,
    }
}

/// Notes what kubelets that are heard say of their nodes.
pub(super) fn note(assumed: &mut Assumed, objects: &[Object]) {
    let newest = newest_heartbeat(objects);
    for object in objects.iter().filter(|object| is_imported(object)) {
        let Object::Node(node) = object else { continue };
        if !is_heard(node, newest) {
            continue;
        }
        let told: Vec<NodeCondition> = strained(node).chain(unready(node)).collect();
        if !told.is_empty() {
            assumed.conditions.insert(node.metadata.name.clone(), told);
        }
    }
}

/// What the node is short of. Where a hand took the conditions away, the taint stands for its condition.
fn strained(node: &Node) -> impl Iterator<Item = NodeCondition> {
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

fn unready(node: &Node) -> Option<NodeCondition> {
    let ready = node.condition("Ready")?;
    (ready.status == ConditionStatus::False).then(|| ready.clone())
}
