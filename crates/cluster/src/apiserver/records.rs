//! What a write says in the trace: the details of an update (conditions,
//! taints, nomination), and which updates say nothing.

use podscope_api::{ConditionStatus, Node, Object, Pod};
use serde_json::{Value, json};

use super::Outcome;
use crate::What;

type Fields = Vec<(&'static str, Value)>;

/// Whether an update only carries heartbeat times, which are not recorded.
pub(super) fn is_heartbeat(old: &Object, new: &Object) -> bool {
    let (Object::Node(old), Object::Node(new)) = (old, new) else {
        return false;
    };
    let mut quiet = Node::clone(new);
    quiet
        .metadata
        .resource_version
        .clone_from(&old.metadata.resource_version);
    if quiet.status.conditions.len() != old.status.conditions.len() {
        return false;
    }
    for (condition, before) in quiet.status.conditions.iter_mut().zip(&old.status.conditions) {
        condition.last_heartbeat_time = before.last_heartbeat_time;
    }
    quiet == **old
}

/// The fields of an `Updated` record: what a reader looks for first.
pub(super) fn updated_fields(old: &Object, new: &Object) -> Fields {
    let mut fields = Fields::new();
    if let (Object::Pod(old), Object::Pod(new)) = (old, new)
        && old.status.phase != new.status.phase
        && let Some(phase) = &new.status.phase
    {
        fields.push(("phase", json!(phase.as_str())));
    }
    if let (Object::Namespace(old), Object::Namespace(new)) = (old, new)
        && old.status.phase != new.status.phase
    {
        fields.push(("phase", json!(&*new.status.phase)));
    }
    let (before, after) = (old.metadata(), new.metadata());
    if before.deletion_grace_period_seconds != after.deletion_grace_period_seconds {
        fields.push(("grace", json!(after.deletion_grace_period_seconds)));
    }
    if before.finalizers != after.finalizers {
        let names: Vec<&str> = after.finalizers.iter().map(|name| &**name).collect();
        fields.push(("finalizers", json!(names)));
    }
    if let (Object::Node(old), Object::Node(new)) = (old, new)
        && old.is_unschedulable() != new.is_unschedulable()
    {
        fields.push(("unschedulable", json!(new.is_unschedulable())));
    }
    let replicas = |object: &Object| match object {
        Object::Deployment(typed) => typed.spec.replicas,
        Object::ReplicaSet(typed) => typed.spec.replicas,
        Object::ReplicationController(typed) => typed.spec.replicas,
        Object::StatefulSet(typed) => typed.spec.replicas,
        _ => None,
    };
    if replicas(old) != replicas(new) {
        fields.push(("replicas", json!(replicas(new))));
    }
    fields
}

/// The further records of an update.
pub(super) fn details(old: &Object, new: &Object, out: &mut Outcome) {
    match (old, new) {
        (Object::Pod(before), Object::Pod(after)) => pod_details(before, after, new, out),
        (Object::Node(before), Object::Node(after)) => node_details(before, after, new, out),
        _ => {}
    }
}

fn condition_fields(kind: &str, status: &ConditionStatus, reason: &str, message: &str) -> Fields {
    let mut fields = vec![("type", json!(kind)), ("status", json!(status.as_str()))];
    if !reason.is_empty() {
        fields.push(("reason", json!(reason)));
    }
    if !message.is_empty() {
        fields.push(("message", json!(message)));
    }
    fields
}

fn pod_details(before: &Pod, after: &Pod, object: &Object, out: &mut Outcome) {
    for condition in &after.status.conditions {
        let old = before.condition(&condition.kind);
        if old.is_none_or(|old| old.status != condition.status || old.reason != condition.reason) {
            let fields = condition_fields(
                &condition.kind,
                &condition.status,
                &condition.reason,
                &condition.message,
            );
            out.record(What::ConditionChanged, object, fields);
        }
    }
    let nominated = &after.status.nominated_node_name;
    if *nominated != before.status.nominated_node_name && !nominated.is_empty() {
        out.record(What::Nominated, object, vec![("node", json!(&**nominated))]);
    }
}

fn node_details(before: &Node, after: &Node, object: &Object, out: &mut Outcome) {
    for condition in &after.status.conditions {
        let old = before.condition(&condition.kind);
        if old.is_none_or(|old| old.status != condition.status || old.reason != condition.reason) {
            let fields = condition_fields(
                &condition.kind,
                &condition.status,
                &condition.reason,
                &condition.message,
            );
            out.record(What::ConditionChanged, object, fields);
        }
    }
    let same = |one: &podscope_api::Taint, other: &podscope_api::Taint| {
        one.key == other.key && one.effect == other.effect && one.value == other.value
    };
    let fields = |taint: &podscope_api::Taint| -> Fields {
        let mut fields = vec![("key", json!(&*taint.key)), ("effect", json!(taint.effect.as_str()))];
        if !taint.value.is_empty() {
            fields.push(("value", json!(&*taint.value)));
        }
        fields
    };
    for taint in &before.spec.taints {
        if !after.spec.taints.iter().any(|other| same(taint, other)) {
            out.record(What::TaintRemoved, object, fields(taint));
        }
    }
    for taint in &after.spec.taints {
        if !before.spec.taints.iter().any(|other| same(taint, other)) {
            out.record(What::TaintAdded, object, fields(taint));
        }
    }
}
