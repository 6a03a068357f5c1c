//! The removal of a node: the node is tainted, its pods are evicted, and its machine is deleted (CA-028 to CA-033).
//!
//! ```text
//! begun ──tainted──► evicting ──pods gone──► removed
//!                        └──────a budget refuses for too long──► kept
//! ```

use std::sync::Arc;

use podscope_api::well_known::taint;
use podscope_api::{EventType, Kind, Node, NodeName, ObjectKey, Pod, Taint, TaintEffect, ordered};
use podscope_sim::{Answer, DeleteOptions, Mutation, Part, Request, SimTime, Span};

use super::super::controller::{ControllerContext, note};
use super::super::plan::{Accept, Action, Plan};
use super::super::queue::Key;
use super::drainable::is_long_terminating;
use super::{ClusterAutoscaler, status_event};
use crate::Act;

/// Time from the taint to the first eviction, so that the scheduler sees the taint first (CA-028).
const DELAY_AFTER_TAINT: Span = Span::seconds(5);
/// Interval of the attempts to evict a pod (CA-030).
const EVICTION_PERIOD: Span = Span::seconds(10);
/// Interval of the checks whether all pods of the node are deleted (CA-030).
const DELETION_CHECK_PERIOD: Span = Span::seconds(5);
/// Maximum grace period of an evicted pod (CA-031).
const MAX_EVICTION_GRACE: Span = Span::seconds(600);
/// Time allowed for the deletion of an evicted pod, in addition to its grace period (CA-031).
const DELETION_ALLOWANCE: Span = Span::seconds(30);

/// A node that is being removed.
#[derive(Debug, Clone)]
pub(super) struct NodeRemoval {
    /// Whether the node has pods that must be evicted before its removal.
    pub(super) has_pods: bool,
    /// Time at which the evictions started.
    evicting: Option<SimTime>,
    /// Pods for which an eviction event was emitted.
    announced: ordered::Set<ObjectKey>,
    /// The latest refusal of an eviction: the pod and the error message.
    refusal: Option<(ObjectKey, String)>,
}

impl NodeRemoval {
    pub(super) fn new(has_pods: bool) -> Self {
        Self {
            has_pods,
            evicting: None,
            announced: ordered::Set::new(),
            refusal: None,
        }
    }
}

impl ClusterAutoscaler {
    /// Performs the next step of the removal of a node.
    pub(super) fn remove_node(&mut self, name: &NodeName, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let (now, objects) = (cx.now(), cx.objects.clone());
        let (Some(removal), Some(node)) = (self.removals.get_mut(name), objects.named::<Node>(name.as_str())) else {
            return Plan::default();
        };
        if !node.spec.taints.iter().any(|known| &*known.key == taint::TO_BE_DELETED) {
            let marked = "marked the node as toBeDeleted/unschedulable";
            let action = taint_and_cordon(node, cx.ctx.wall().seconds()).on_success(note(
                &**node,
                EventType::Normal,
                "ScaleDown",
                marked,
            ));
            return Plan::one(action.accept(Accept::OrStop)).requeue_after(Some(DELAY_AFTER_TAINT));
        }
        let wall = cx.ctx.wall();
        let is_counted = |pod: &&Arc<Pod>| !pod.is_mirror() && !is_long_terminating(pod, wall);
        let pods: Vec<&Arc<Pod>> = objects.pods_on(name).filter(is_counted).collect();
        let (daemons, pods): (Vec<&Arc<Pod>>, Vec<&Arc<Pod>>) = pods.into_iter().partition(|pod| pod.is_daemon());
        if pods.is_empty() {
            return self.finish_removal(name, node, cx);
        }
        if !removal.has_pods {
            let why = format!("failed to delete empty node \"{name}\", new pods scheduled");
            return self.abandon_removal(name, node, format!("failed to delete empty node: {why}"), cx);
        }
        let since = *removal.evicting.get_or_insert(now);
        let is_to_evict = |pod: &&&Arc<Pod>| !pod.metadata.is_terminating();
        let refused: Vec<&Arc<Pod>> = pods.iter().filter(is_to_evict).copied().collect();
        let limit = match refused.is_empty() {
            true => self.settings.max_pod_eviction_time + MAX_EVICTION_GRACE + DELETION_ALLOWANCE,
            false => self.settings.max_pod_eviction_time,
        };
        if now >= since + limit {
            let why = match refused.is_empty() {
                true => format!("Failed to drain node /{name}: pods remaining after timeout"),
                false => drain_failure_message(name, removal, &refused),
            };
            for pod in refused {
                let text = "failed to delete pod for ScaleDown";
                cx.emit_event(note(&**pod, EventType::Warning, "ScaleDownFailed", text));
            }
            return self.abandon_removal(name, node, format!("failed to drain and delete node: {why}"), cx);
        }
        let wait = if refused.is_empty() {
            DELETION_CHECK_PERIOD
        } else {
            EVICTION_PERIOD
        };
        let mut evictions = Vec::new();
        for pod in refused
            .into_iter()
            .chain(daemons.into_iter().filter(|pod| !pod.metadata.is_terminating()))
        {
            let key = pod.metadata.key();
            if removal.announced.insert(key.clone()) {
                let text = "deleting pod for node scale down";
                cx.emit_event(note(&**pod, EventType::Normal, "ScaleDown", text));
            } else if pod.is_daemon() {
                continue;
            }
            evictions.push(evict_pod(pod, key));
        }
        Plan::default().then(evictions).requeue_after(Some(wait))
    }

    /// Records why an eviction was refused.
    pub(super) fn record_refusal(&mut self, key: &Key, request: &Request, answer: &Answer) {
        let removal = self.removals.get_mut(&*key.1.name);
        if let (Some(removal), Request::Evict { pod, .. }, Err(error)) = (removal, request, answer) {
            removal.refusal = Some((pod.clone(), error.message.clone()));
        }
    }

    /// Deletes the Node, and releases the machine, after all pods have left.
    fn finish_removal(&mut self, name: &NodeName, node: &Node, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let has_pods = self.removals.remove(name).is_some_and(|removal| removal.has_pods);
        cx.emit_event(note(
            node,
            EventType::Normal,
            "ScaleDown",
            "nodes removed by cluster autoscaler",
        ));
        let (reason, text) = match has_pods {
            true => ("ScaleDown", format!("Scale-down: node {name} removed with drain")),
            false => ("ScaleDownEmpty", format!("Scale-down: empty node {name} removed")),
        };
        cx.emit_event(status_event(EventType::Normal, reason, text));
        cx.ctx.act(Act::Leave(name.clone()));
        let delete = Request::Delete {
            kind: Kind::Node,
            key: node.metadata.key(),
            options: DeleteOptions {
                uid: Some(node.metadata.uid.clone()),
                ..DeleteOptions::default()
            },
        };
        Plan::one(Action::from(delete).accept(Accept::OrNotFound))
    }

    /// Abandons the removal of a node whose pods could not be evicted.
    fn abandon_removal(
        &mut self,
        name: &NodeName,
        node: &Node,
        why: String,
        cx: &mut ControllerContext<'_, '_>,
    ) -> Plan {
        self.removals.remove(name);
        self.last_failure = Some(cx.now());
        cx.emit_event(note(node, EventType::Warning, "ScaleDownFailed", why));
        Plan::one(untaint_and_uncordon(node).accept(Accept::OrNotFound))
    }
}

fn drain_failure_message(name: &NodeName, removal: &NodeRemoval, refused: &[&Arc<Pod>]) -> String {
    let errors = refused.iter().map(|pod| {
        let key = pod.metadata.key();
        let last = removal.refusal.as_ref().filter(|(of, _)| *of == key);
        let last = last.map_or("", |(_, message)| message.as_str());
        format!("failed to evict pod {key} within allowed timeout (last error: {last})")
    });
    let errors: Vec<String> = errors.collect();
    format!(
        "Failed to drain node /{name}, due to following errors: [{}]",
        errors.join(" ")
    )
}

/// Taints and cordons a node (CA-028).
fn taint_and_cordon(node: &Node, unix_seconds: i64) -> Action {
    patch_node(node, "to-be-deleted", move |node| {
        node.spec.taints.push(Taint {
            key: taint::TO_BE_DELETED.into(),
            value: unix_seconds.to_string().into(),
            effect: TaintEffect::NoSchedule,
            ..Taint::default()
        });
        node.spec.unschedulable = Some(true);
    })
}

fn untaint_and_uncordon(node: &Node) -> Action {
    patch_node(node, "kept", |node| {
        node.spec.taints.retain(|known| &*known.key != taint::TO_BE_DELETED);
        node.spec.unschedulable = None;
    })
}

fn patch_node(node: &Node, name: &'static str, change: impl Fn(&mut Node) + Send + Sync + 'static) -> Action {
    Action::from(Request::Patch {
        kind: Kind::Node,
        key: node.metadata.key(),
        uid: Some(node.metadata.uid.clone()),
        part: Part::Main,
        change: Mutation::new(name, change),
    })
}

/// Evicts a pod; its grace period is limited to `MAX_EVICTION_GRACE`.
fn evict_pod(pod: &Pod, key: ObjectKey) -> Action {
    let grace = pod.spec.grace_seconds();
    let options = DeleteOptions {
        grace_seconds: Some(grace.min(MAX_EVICTION_GRACE.0 / 1_000_000)),
        ..DeleteOptions::default()
    };
    Action::from(Request::Evict { pod: key, options }).accept(Accept::Anything)
}
