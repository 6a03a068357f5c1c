//! Taints that controllers put on nodes, and what follows from them.

use podscope_api::condition_taints::CONDITION_TAINTS;
pub(super) use podscope_api::condition_taints::{NOT_READY, UNREACHABLE};
use podscope_api::{ConditionStatus, Kind, Node, Taint, TaintEffect, Time};

use podscope_sim::{Mutation, Part, Request};

use super::plan::Action;

pub(super) const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

pub(super) fn has_taint(node: &Node, key: &str, effect: &TaintEffect) -> bool {
    node.spec
        .taints
        .iter()
        .any(|taint| &*taint.key == key && taint.effect == *effect)
}

/// Whether the node carries the out-of-service key with any effect (CT-147).
pub(super) fn is_out_of_service(node: &Node) -> bool {
    node.spec.taints.iter().any(|taint| &*taint.key == OUT_OF_SERVICE)
}

/// The NoExecute taints of a node.
pub(super) fn no_execute(node: &Node) -> impl Iterator<Item = &Taint> {
    node.spec
        .taints
        .iter()
        .filter(|taint| taint.effect == TaintEffect::NoExecute)
}

/// The status of condition Ready, if there is one.
pub(super) fn ready_status(node: &Node) -> Option<&ConditionStatus> {
    node.condition("Ready").map(|ready| &ready.status)
}

/// Adds and removes taints by key and effect: one PATCH.
pub(super) fn swap(
    node: &Node,
    add: Vec<(String, TaintEffect)>,
    remove: Vec<(String, TaintEffect)>,
    now: Time,
) -> Action {
    let change = Mutation::new("taints", move |node: &mut Node| {
        node.spec.taints.retain(|taint| {
            !remove
                .iter()
                .any(|(key, effect)| *taint.key == **key && taint.effect == *effect)
        });
        for (key, effect) in &add {
            if !has_taint(node, key, effect) {
                node.spec.taints.push(Taint {
                    key: key.as_str().into(),
                    effect: effect.clone(),
                    time_added: Some(now),
                    ..Taint::default()
                });
            }
        }
    });
    Action::from(Request::Patch {
        kind: Kind::Node,
        key: node.metadata.key(),
        uid: Some(node.metadata.uid.clone()),
        part: Part::Main,
        change,
    })
}

/// Taints by key and effect.
type Keys = Vec<(String, TaintEffect)>;

/// The NoSchedule taints to add and to remove so that they say what the conditions and the cordon say (CT-027).
pub(super) fn no_schedule_difference(node: &Node) -> (Keys, Keys) {
    let mut wanted: Vec<&str> = CONDITION_TAINTS
        .iter()
        .filter(|row| {
            node.condition(row.condition)
                .is_some_and(|condition| condition.status == row.status)
        })
        .map(|row| row.taint)
        .collect();
    if node.is_unschedulable() {
        wanted.push(UNSCHEDULABLE);
    }
    let ours = |key: &str| key == UNSCHEDULABLE || CONDITION_TAINTS.iter().any(|row| row.taint == key);
    let owned = |key: &str| (key.to_owned(), TaintEffect::NoSchedule);
    let add = wanted
        .iter()
        .filter(|key| !has_taint(node, key, &TaintEffect::NoSchedule))
        .map(|key| owned(key))
        .collect();
    let remove = node
        .spec
        .taints
        .iter()
        .filter(|taint| taint.effect == TaintEffect::NoSchedule && ours(&taint.key) && !wanted.contains(&&*taint.key))
        .map(|taint| owned(&taint.key))
        .collect();
    (add, remove)
}
