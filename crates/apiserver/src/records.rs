//! The trace records of a write: details of an update (conditions, taints, nomination), and which updates are not
//! recorded.

use podscope_api::{ConditionStatus, Node, NodeCondition, Object, Pod, PodCondition};

use super::Outcome;
use podscope_sim::{Happening, Updated};

/// Returns whether an update changes only heartbeat times, and therefore is not recorded.
pub(super) fn is_heartbeat(old: &Object, new: &Object) -> bool {
    let (Object::Node(old), Object::Node(new)) = (old, new) else {
        return false;
    };
    let mut without_heartbeats = Node::clone(new);
    without_heartbeats
        .metadata
        .resource_version
        .clone_from(&old.metadata.resource_version);
    if without_heartbeats.status.conditions.len() != old.status.conditions.len() {
        return false;
    }
    for (condition, before) in without_heartbeats
        .status
        .conditions
        .iter_mut()
        .zip(&old.status.conditions)
    {
        condition.last_heartbeat_time = before.last_heartbeat_time;
    }
    without_heartbeats == **old
}

/// Returns the changed fields for the record `Updated` of an update.
pub(super) fn updated_record(old: &Object, new: &Object) -> Updated {
    let phase = match (old, new) {
        (Object::Pod(old), Object::Pod(new)) if old.status.phase != new.status.phase => {
            new.status.phase.as_ref().map(|phase| phase.as_str().into())
        }
        (Object::Namespace(old), Object::Namespace(new)) if old.status.phase != new.status.phase => {
            Some(new.status.phase.clone())
        }
        _ => None,
    };
    let (before, after) = (old.metadata(), new.metadata());
    let is_same_grace = before.deletion_grace_period_seconds == after.deletion_grace_period_seconds;
    let unschedulable = match (old, new) {
        (Object::Node(old), Object::Node(new)) if old.is_unschedulable() != new.is_unschedulable() => {
            Some(new.is_unschedulable())
        }
        _ => None,
    };
    let replicas = |object: &Object| match object {
        Object::Deployment(typed) => typed.spec.replicas,
        Object::ReplicaSet(typed) => typed.spec.replicas,
        Object::ReplicationController(typed) => typed.spec.replicas,
        Object::StatefulSet(typed) => typed.spec.replicas,
        _ => None,
    };
    Updated {
        phase,
        grace: after.deletion_grace_period_seconds.filter(|_| !is_same_grace),
        finalizers: (before.finalizers != after.finalizers).then(|| after.finalizers.to_vec()),
        unschedulable,
        replicas: replicas(new).filter(|_| replicas(old) != replicas(new)),
        disruptions_allowed: None,
    }
}

/// Adds the records that follow the record `Updated`: one for each change of a condition, a taint or the nomination.
pub(super) fn add_condition_and_taint_records(old: &Object, new: &Object, out: &mut Outcome) {
    match (old, new) {
        (Object::Pod(before), Object::Pod(after)) => record_pod_changes(before, after, new, out),
        (Object::Node(before), Object::Node(after)) => record_node_changes(before, after, new, out),
        _ => {}
    }
}

/// The common fields of pod and node conditions.
struct ConditionView<'a> {
    kind: &'a str,
    status: &'a ConditionStatus,
    reason: &'a str,
    message: &'a str,
}

impl<'a> From<&'a PodCondition> for ConditionView<'a> {
    fn from(condition: &'a PodCondition) -> Self {
        Self {
            kind: &condition.kind,
            status: &condition.status,
            reason: &condition.reason,
            message: &condition.message,
        }
    }
}

impl<'a> From<&'a NodeCondition> for ConditionView<'a> {
    fn from(condition: &'a NodeCondition) -> Self {
        Self {
            kind: &condition.kind,
            status: &condition.status,
            reason: &condition.reason,
            message: &condition.message,
        }
    }
}

/// Records every condition whose status or reason changed.
fn record_changed_conditions<'a, C>(before: &'a [C], after: &'a [C], object: &Object, out: &mut Outcome)
where
    ConditionView<'a>: From<&'a C>,
{
    for condition in after.iter().map(ConditionView::from) {
        let mut known = before.iter().map(ConditionView::from);
        let old = known.find(|old| old.kind == condition.kind);
        if old.is_some_and(|old| old.status == condition.status && old.reason == condition.reason) {
            continue;
        }
        let unless_empty = |text: &str| (!text.is_empty()).then(|| text.into());
        let happening = Happening::ConditionChanged {
            kind: condition.kind.into(),
            status: condition.status.clone(),
            reason: unless_empty(condition.reason),
            message: unless_empty(condition.message),
        };
        out.record(happening, object);
    }
}

fn record_pod_changes(before: &Pod, after: &Pod, object: &Object, out: &mut Outcome) {
    record_changed_conditions(&before.status.conditions, &after.status.conditions, object, out);
    let nominated = &after.status.nominated_node_name;
    if *nominated != before.status.nominated_node_name && !nominated.is_empty() {
        let node = (&**nominated).into();
        out.record(Happening::Nominated { node }, object);
    }
}

fn record_node_changes(before: &Node, after: &Node, object: &Object, out: &mut Outcome) {
    record_changed_conditions(&before.status.conditions, &after.status.conditions, object, out);
    let same = |condition: &podscope_api::Taint, other: &podscope_api::Taint| {
        condition.key == other.key && condition.effect == other.effect && condition.value == other.value
    };
    let value = |taint: &podscope_api::Taint| (!taint.value.is_empty()).then(|| taint.value.clone());
    for taint in &before.spec.taints {
        if !after.spec.taints.iter().any(|other| same(taint, other)) {
            let (key, effect) = (taint.key.clone(), taint.effect.clone());
            let value = value(taint);
            out.record(Happening::TaintRemoved { key, effect, value }, object);
        }
    }
    for taint in &after.spec.taints {
        if !before.spec.taints.iter().any(|other| same(taint, other)) {
            let (key, effect) = (taint.key.clone(), taint.effect.clone());
            let value = value(taint);
            out.record(Happening::TaintAdded { key, effect, value }, object);
        }
    }
}
