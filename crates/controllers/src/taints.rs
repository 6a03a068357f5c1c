//! Taints that controllers put on nodes, and what follows from them.

use podscope_api::{ConditionStatus, Kind, Node, Taint, TaintEffect, Time};

use podscope_sim::{Mutation, Part, Request};

use super::plan::Action;

pub(super) const NOT_READY: &str = "node.kubernetes.io/not-ready";
pub(super) const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
pub(super) const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// Which status of which condition means which taint (CT-027).
const OF_CONDITIONS: &[(&str, ConditionStatus, &str)] = &[
    ("Ready", ConditionStatus::False, NOT_READY),
    ("Ready", ConditionStatus::Unknown, UNREACHABLE),
    (
        "MemoryPressure",
        ConditionStatus::True,
        "node.kubernetes.io/memory-pressure",
    ),
    (
        "DiskPressure",
        ConditionStatus::True,
        "node.kubernetes.io/disk-pressure",
    ),
    (
        "NetworkUnavailable",
        ConditionStatus::True,
        "node.kubernetes.io/network-unavailable",
    ),
    ("PIDPressure", ConditionStatus::True, "node.kubernetes.io/pid-pressure"),
];

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
    let mut wanted: Vec<&str> = OF_CONDITIONS
        .iter()
        .filter(|(kind, status, _)| {
            node.condition(kind)
                .is_some_and(|condition| condition.status == *status)
        })
        .map(|(_, _, key)| *key)
        .collect();
    if node.is_unschedulable() {
        wanted.push(UNSCHEDULABLE);
    }
    let ours = |key: &str| key == UNSCHEDULABLE || OF_CONDITIONS.iter().any(|(_, _, own)| *own == key);
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
