//! Fencing: isolates a lost node so that nothing on it can write data any more, and only then declares it out of
//! service (V-05, CT-140 to CT-151). Off by default.
//!
//! ```text
//! silent ──detected──► due ──decided──► fencing ──confirmed──► out of service
//! ```
//!
//! Watches nodes, pods and budgets like an administrator. It decides by policy (a pod's annotation), priority and
//! budget; fences by power, storage or network; waits for the confirmation of the fence agent; then adds the
//! out-of-service taint, whereupon other controllers detach volumes and force-delete pods. Adding the taint before the
//! confirmation would violate at-most-one semantics (CT-144).

use podscope_api::fault::FenceMechanism;
use podscope_api::ordered;
use podscope_api::well_known::taint;
use std::sync::Arc;

use podscope_api::{ConditionStatus, EventType, Kind, Node, NodeName, Object, Pod, TaintEffect};
use serde_json::Value;

use crate::Act;
use podscope_sim::{Change, SimTime, Span};

use super::controller::{Controller, ControllerContext, note};
use super::owner::kind_of;
use super::plan::{Accept, Plan};
use super::pod_util::is_active;
use super::queue::Key;
use super::settings::Setting;
use super::taints::{is_out_of_service, patch_taints, ready_status};

/// Annotation of a pod that requires (`always`) or forbids (`never`) fencing of its node. Without the annotation,
/// the pod's priority, owner, claims and budgets decide ([`FencingController::delay_before_fencing`]).
const FENCING_ANNOTATION: &str = "podscope.dev/fencing";

super::settings::settings! {
    /// Settings of the fencing controller (`components.fencing`).
    FencingSettings;
    /// Whether the controller runs.
    enabled: bool = "enabled", false;
    /// The fencing mechanism.
    mechanism: FenceMechanism = "mechanism", FenceMechanism::Power;
    /// Time that a node must be Unknown before it is fenced for a pod without a substitute.
    detect_after: Span = "detectAfter", Span::seconds(30);
    /// Time that a node must be Unknown before it is fenced, if the budgets of all its pods still allow a disruption.
    patience: Span = "patience", Span::seconds(300);
    /// Minimum priority of pods that cause fencing.
    min_priority: i64 = "minPriority", 0;
    /// Time from the request until the fence agent confirms. The fence is effective from the request on (CT-148).
    confirmation: Span = "confirmation", Span::seconds(2);
}

impl Setting for FenceMechanism {
    fn read(&mut self, value: &Value, _: Span) -> Result<(), String> {
        let mechanism = value.as_str().and_then(Self::from_name);
        *self = mechanism.ok_or_else(|| format!("{value} is not power, storage or network"))?;
        Ok(())
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct FencingController {
    settings: FencingSettings,
    /// Time since which each node has been Unknown.
    unknown_since: ordered::Map<NodeName, SimTime>,
    /// Requested fences, with the time of their confirmation.
    requested: ordered::Map<NodeName, SimTime>,
}

impl FencingController {
    pub(super) fn new(settings: FencingSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }
}

fn key_of_node(node: &NodeName) -> Key {
    (Kind::Node, podscope_api::ObjectKey::cluster(node.0.clone()))
}

impl Controller for FencingController {
    fn name(&self) -> &'static str {
        "fencing-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Node, Kind::Pod, Kind::PodDisruptionBudget]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match (&change.new, change.object()) {
            (Some(Object::Node(node)), _) => {
                let name = NodeName::from(&*node.metadata.name);
                if ready_status(node) == Some(&ConditionStatus::Unknown) {
                    self.unknown_since.entry(name.clone()).or_insert(cx.now());
                    cx.enqueue(key_of_node(&name));
                } else {
                    self.unknown_since.remove(&name);
                    self.requested.remove(&name);
                }
            }
            (None, Some(Object::Node(node))) => {
                self.unknown_since.remove(&*node.metadata.name);
                self.requested.remove(&*node.metadata.name);
            }
            (Some(Object::Pod(pod)), _) => {
                if let Some(node) = &pod.spec.node_name
                    && self.unknown_since.contains_key(node)
                {
                    cx.enqueue(key_of_node(node));
                }
            }
            (Some(Object::PodDisruptionBudget(_)), _) => {
                let nodes: Vec<NodeName> = self.unknown_since.keys().cloned().collect();
                nodes.iter().for_each(|node| cx.enqueue(key_of_node(node)));
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let name = NodeName(key.1.name.clone());
        let (Some(since), Some(node)) = (
            self.unknown_since.get(&name).copied(),
            cx.objects.named::<Node>(&name).cloned(),
        ) else {
            return Plan::default();
        };
        if is_out_of_service(&node) {
            return Plan::default();
        }
        let now = cx.now();
        if let Some(confirmed) = self.requested.get(&name).copied() {
            if confirmed > now {
                return Plan::default().requeue_after(Some(confirmed - now));
            }
            return self.mark_out_of_service(&node, cx);
        }
        // If more than half of the nodes are Unknown, the fault is probably on the side of the control plane.
        if self.unknown_since.len() * 2 > cx.objects.list::<Node>().count() {
            return Plan::default().requeue_after(Some(self.settings.detect_after));
        }
        let Some(wait) = self.delay_before_fencing(&name, cx) else {
            return Plan::default();
        };
        let due = since + wait;
        if due > now {
            return Plan::default().requeue_after(Some(due - now));
        }
        let mechanism = self.settings.mechanism;
        let text = format!("Fencing node {name} by {}", mechanism.as_str());
        cx.emit_event(note(&*node, EventType::Warning, "FencingNode", text));
        cx.ctx.act(Act::Fence(name.clone(), mechanism));
        let confirmation = self.settings.confirmation;
        self.requested.insert(name, now + confirmation);
        Plan::default().requeue_after(Some(confirmation))
    }
}

impl FencingController {
    /// Decides how long the node may stay Unknown before it is fenced; returns `None` if no pod on it requires fencing
    /// (CT-141, CT-143).
    fn delay_before_fencing(&self, node: &NodeName, cx: &ControllerContext<'_, '_>) -> Option<Span> {
        let pods = cx.objects.pods_on(node).filter(|pod| !pod.is_terminal());
        pods.filter_map(|pod| match pod.metadata.annotation(FENCING_ANNOTATION) {
            Some("never") => None,
            Some("always") => Some(self.settings.detect_after),
            _ if i64::from(pod.priority()) < self.settings.min_priority || !is_not_replaced_on_lost_node(pod) => None,
            _ if has_substitutes(pod, cx) => Some(self.settings.patience),
            _ => Some(self.settings.detect_after),
        })
        .min()
    }

    /// Adds the out-of-service taint after the confirmation; other controllers then detach volumes and delete pods.
    fn mark_out_of_service(&self, node: &Arc<Node>, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let mechanism = self.settings.mechanism.as_str();
        let text = format!(
            "Node {} is fenced by {mechanism}; marking it out of service",
            node.metadata.name
        );
        let taint = vec![(taint::OUT_OF_SERVICE.to_owned(), TaintEffect::NoExecute)];
        let action = patch_taints(node, taint, Vec::new(), cx.time());
        Plan::one(
            action
                .accept(Accept::OrNotFound)
                .on_success(note(&**node, EventType::Normal, "NodeFenced", text)),
        )
    }
}

/// Returns whether the pod is not replaced while its node is Unknown: it belongs to a StatefulSet or uses a claim.
fn is_not_replaced_on_lost_node(pod: &Pod) -> bool {
    let is_of_stateful_set = pod
        .metadata
        .controller_ref()
        .is_some_and(|owner| kind_of(owner) == Some(Kind::StatefulSet));
    let has_claim = pod
        .spec
        .volumes
        .iter()
        .any(|volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some());
    is_of_stateful_set || has_claim
}

/// Returns whether all budgets of the pod still allow a disruption and other pods of its owner run.
fn has_substitutes(pod: &Pod, cx: &ControllerContext<'_, '_>) -> bool {
    let mut covering = cx.objects.budgets_of(pod).peekable();
    covering.peek().is_some()
        && covering.all(|budget| budget.status.disruptions_allowed > 0)
        && !is_only_active_pod_of_owner(pod, cx)
}

fn is_only_active_pod_of_owner(pod: &Pod, cx: &ControllerContext<'_, '_>) -> bool {
    let owner = pod.metadata.controller_ref().map(|owner| owner.uid.clone());
    owner.is_none_or(|owner| cx.objects.pods_of(&owner).filter(|pod| is_active(pod)).count() <= 1)
}
