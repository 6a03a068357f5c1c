//! What a write says in the trace: the details of an update (conditions,
//! taints, nomination), and which updates say nothing.

use podscope_api::{ConditionStatus, Node, NodeCondition, Object, Pod, PodCondition};
use serde_json::{Value, json};

use super::Outcome;
use podscope_sim::What;

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

/// What a record says of a condition of either kind.
struct ConditionView<'a> {
    kind: &'a str,
    status: &'a ConditionStatus,
    reason: &'a str,
    message: &'a str,
}

impl<'a> From<&'a PodCondition> for ConditionView<'a> {
    fn from(one: &'a PodCondition) -> Self {
        Self {
            kind: &one.kind,
            status: &one.status,
            reason: &one.reason,
            message: &one.message,
        }
    }
}
impl<'a> From<&'a NodeCondition> for ConditionView<'a> {
    fn from(one: &'a NodeCondition) -> Self {
        Self {
            kind: &one.kind,
            status: &one.status,
            reason: &one.reason,
            message: &one.message,
        }
    }
}

/// A record for every condition whose status or reason is new.
fn condition_details<'a, C>(before: &'a [C], after: &'a [C], object: &Object, out: &mut Outcome)
where
    ConditionView<'a>: From<&'a C>,
{
    for one in after.iter().map(ConditionView::from) {
        let mut known = before.iter().map(ConditionView::from);
        let old = known.find(|old| old.kind == one.kind);
        if old.is_some_and(|old| old.status == one.status && old.reason == one.reason) {
            continue;
        }
        let mut fields = vec![("type", json!(one.kind)), ("status", json!(one.status.as_str()))];
        if !one.reason.is_empty() {
            fields.push(("reason", json!(one.reason)));
        }
        if !one.message.is_empty() {
            fields.push(("message", json!(one.message)));
        }
        out.record(What::ConditionChanged, object, fields);
    }
}

fn pod_details(before: &Pod, after: &Pod, object: &Object, out: &mut Outcome) {
    condition_details(&before.status.conditions, &after.status.conditions, object, out);
    let nominated = &after.status.nominated_node_name;
    if *nominated != before.status.nominated_node_name && !nominated.is_empty() {
        out.record(What::Nominated, object, vec![("node", json!(&**nominated))]);
    }
}

fn node_details(before: &Node, after: &Node, object: &Object, out: &mut Outcome) {
    condition_details(&before.status.conditions, &after.status.conditions, object, out);
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
