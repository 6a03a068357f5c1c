//! The binding subresource (LC-045).

use std::sync::Arc;

use podscope_api::well_known::condition;
use podscope_api::{ConditionStatus, Kind, NodeName, Object, ObjectKey, ObjectMeta, PodCondition, Uid};

use super::{ApiServer, Caller, Outcome};
use podscope_sim::{Answer, ApiError, Happening};

const BINDING_SUBRESOURCE: &str = "pods/binding";

impl ApiServer {
    /// Handles POST pods/binding: assigns the pod to a node permanently (LC-001, LC-045).
    pub(super) fn bind(
        &mut self,
        key: &ObjectKey,
        uid: &Uid,
        (node, metadata): (&NodeName, Option<&ObjectMeta>),
        caller: &Caller<'_>,
        out: &mut Outcome,
    ) -> Answer {
        let Object::Pod(old) = self.stored(Kind::Pod, key)? else {
            return Err(ApiError::not_found(Kind::Pod, &key.name));
        };
        let name = &old.metadata.name;
        if !uid.is_empty() && *uid != old.metadata.uid {
            return Err(ApiError::uid_precondition_failed(
                BINDING_SUBRESOURCE,
                name,
                uid.as_str(),
                old.metadata.uid.as_str(),
            ));
        }
        if old.metadata.is_terminating() {
            let why = format!("pod {name} is being deleted, cannot be assigned to a host");
            return Err(ApiError::conflict_on(BINDING_SUBRESOURCE, name, &why));
        }
        if let Some(bound) = &old.spec.node_name {
            let why = format!("pod {name} is already assigned to node {:?}", bound.as_str());
            return Err(ApiError::conflict_on(BINDING_SUBRESOURCE, name, &why));
        }
        if !old.spec.scheduling_gates.is_empty() {
            let why = format!("pod {name} has non-empty .spec.schedulingGates");
            return Err(ApiError::conflict_on(BINDING_SUBRESOURCE, name, &why));
        }
        let mut pod = old.clone();
        let typed = Arc::make_mut(&mut pod);
        typed.spec.node_name = Some(node.clone());
        // The binding removes the nomination, even if it was for another node (LC-045).
        typed.status.nominated_node_name = Default::default();
        if let Some(sent) = metadata {
            for (to, from) in [
                (&mut typed.metadata.labels, &sent.labels),
                (&mut typed.metadata.annotations, &sent.annotations),
            ] {
                for (key, value) in from.iter() {
                    Arc::make_mut(to).insert(key.clone(), value.clone());
                }
            }
        }
        self.copy_topology_labels(typed, node);
        set_condition(
            &mut typed.status.conditions,
            PodCondition {
                kind: condition::POD_SCHEDULED.into(),
                status: ConditionStatus::True,
                last_transition_time: Some(caller.wall_time()),
                ..PodCondition::default()
            },
        );
        let stored = self.write(Object::Pod(pod), out);
        out.record(Happening::Bound { node: node.clone() }, &stored);
        Ok(None)
    }
}

/// Sets a condition by type. Its transition time changes only with its status.
pub(super) fn set_condition(conditions: &mut Vec<PodCondition>, mut condition: PodCondition) {
    match conditions.iter_mut().find(|other| other.kind == condition.kind) {
        Some(other) => {
            if other.status == condition.status {
                condition.last_transition_time = other.last_transition_time;
            }
            condition.last_probe_time = other.last_probe_time;
            *other = condition;
        }
        None => conditions.push(condition),
    }
}
