//! Taints that controllers add to nodes and remove.

use podscope_api::condition_taints::CONDITION_TAINTS;
use podscope_api::well_known::{condition, taint};
use podscope_api::{ConditionStatus, Kind, Node, Taint, TaintEffect, Time};

use podscope_sim::{Mutation, Part, Request};

use super::plan::Action;

pub(super) fn has_taint(node: &Node, key: &str, effect: &TaintEffect) -> bool {
    node.spec
        .taints
        .iter()
        .any(|taint| &*taint.key == key && taint.effect == *effect)
}

/// Returns whether the node has the out-of-service taint, with any effect (CT-147).
pub(super) fn is_out_of_service(node: &Node) -> bool {
    node.spec
        .taints
        .iter()
        .any(|taint| &*taint.key == taint::OUT_OF_SERVICE)
}

/// Returns the NoExecute taints of a node.
pub(super) fn no_execute_taints(node: &Node) -> impl Iterator<Item = &Taint> {
    node.spec
        .taints
        .iter()
        .filter(|taint| taint.effect == TaintEffect::NoExecute)
}

/// Returns the status of the condition Ready; `None` if the node has no such condition.
pub(super) fn ready_status(node: &Node) -> Option<&ConditionStatus> {
    node.condition(condition::READY).map(|ready| &ready.status)
}

/// Adds and removes taints by key and effect in one PATCH.
pub(super) fn patch_taints(
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

/// Taints, each identified by key and effect.
type TaintKeys = Vec<(String, TaintEffect)>;

/// Returns the NoSchedule taints to add and those to remove, so that the taints match the node's conditions and cordon
/// (CT-027).
pub(super) fn no_schedule_taints_to_add_and_remove(node: &Node) -> (TaintKeys, TaintKeys) {
    let mut wanted: Vec<&str> = CONDITION_TAINTS
        .iter()
        .filter(|row| {
            node.condition(row.condition)
                .is_some_and(|condition| condition.status == row.status)
        })
        .map(|row| row.taint)
        .collect();
    if node.is_unschedulable() {
        wanted.push(taint::UNSCHEDULABLE);
    }
    let is_managed = |key: &str| key == taint::UNSCHEDULABLE || CONDITION_TAINTS.iter().any(|row| row.taint == key);
    let no_schedule = |key: &str| (key.to_owned(), TaintEffect::NoSchedule);
    let add = wanted
        .iter()
        .filter(|key| !has_taint(node, key, &TaintEffect::NoSchedule))
        .map(|key| no_schedule(key))
        .collect();
    let remove = node
        .spec
        .taints
        .iter()
        .filter(|taint| {
            taint.effect == TaintEffect::NoSchedule && is_managed(&taint.key) && !wanted.contains(&&*taint.key)
        })
        .map(|taint| no_schedule(&taint.key))
        .collect();
    (add, remove)
}
