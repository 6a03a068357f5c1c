//! Fencing: makes sure that a node which is not heard from can do no harm,
//! and only then says so (V-05, CT-140 to CT-151). Off by default.
//!
//! ```text
//! silent ──detected──► due ──decided──► fencing ──confirmed──► out of service
//! ```
//!
//! Watches nodes, pods and budgets, as an administrator would. It decides by
//! policy (a pod's annotation), priority and budget; fences by power, storage
//! or network; waits until the fence agent confirms; then taints the node
//! out-of-service, upon which others detach and force-delete. Anything before
//! the confirmation would break at-most-one (CT-144).

use podscope_api::ordered;
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
use super::taints::{OUT_OF_SERVICE, is_out_of_service, ready_status, swap};

/// What a pod says about fencing its node: `always` or `never`; otherwise the rules below decide.
const POLICY: &str = "podscope.dev/fencing";

super::settings::settings! {
    /// Settings of the fencing controller (`components.fencing`).
    FencingSettings;
    /// Whether it runs at all.
    enabled: bool = "enabled", false;
    /// How it fences.
    mechanism: FenceMechanism = "mechanism", FenceMechanism::Power;
    /// How long a node must be Unknown before it is fenced for a pod that nothing else serves.
    detect_after: Span = "detectAfter", Span::seconds(30);
    /// How long if the budgets of all its pods still allow a disruption.
    patience: Span = "patience", Span::seconds(300);
    /// Only for pods of at least this priority.
    min_priority: i64 = "minPriority", 0;
    /// How long the fence agent needs to confirm; the fence is in force from the request on (CT-148).
    confirmation: Span = "confirmation", Span::seconds(2);
}

pub use podscope_sim::FenceMechanism;

impl Setting for FenceMechanism {
    fn read(&mut self, value: &Value, _: Span) -> Result<(), String> {
        *self = match value.as_str() {
            Some("power") => Self::Power,
            Some("storage") => Self::Storage,
            Some("network") => Self::Network,
            _ => return Err(format!("{value} is not power, storage or network")),
        };
        Ok(())
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct FencingController {
    settings: FencingSettings,
    /// Since when a node is seen Unknown.
    silent: ordered::Map<NodeName, SimTime>,
    /// Fences that were asked for, and when they are confirmed.
    asked: ordered::Map<NodeName, SimTime>,
}

impl FencingController {
    pub(super) fn boxed(settings: FencingSettings) -> Box<dyn Controller> {
        Box::new(Self {
            settings,
            ..Self::default()
        })
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
                    self.silent.entry(name.clone()).or_insert(cx.now());
                    cx.enqueue(key_of_node(&name));
                } else {
                    self.silent.remove(&name);
                    self.asked.remove(&name);
                }
            }
            (None, Some(Object::Node(node))) => {
                self.silent.remove(&*node.metadata.name);
                self.asked.remove(&*node.metadata.name);
            }
            (Some(Object::Pod(pod)), _) => {
                if let Some(node) = &pod.spec.node_name
                    && self.silent.contains_key(node)
                {
                    cx.enqueue(key_of_node(node));
                }
            }
            (Some(Object::PodDisruptionBudget(_)), _) => {
                let nodes: Vec<NodeName> = self.silent.keys().cloned().collect();
                nodes.iter().for_each(|node| cx.enqueue(key_of_node(node)));
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let name = NodeName(key.1.name.clone());
        let (Some(since), Some(node)) = (
            self.silent.get(&name).copied(),
            cx.objects.named::<Node>(&name).cloned(),
        ) else {
            return Plan::default();
        };
        if is_out_of_service(&node) {
            return Plan::default();
        }
        let now = cx.now();
        if let Some(confirmed) = self.asked.get(&name).copied() {
            if confirmed > now {
                return Plan::default().requeue_after(Some(confirmed - now));
            }
            return self.mark(&node, cx);
        }
        // More than half of the nodes silent is more likely a fault on this side.
        if self.silent.len() * 2 > cx.objects.list::<Node>().count() {
            return Plan::default().requeue_after(Some(self.settings.detect_after));
        }
        let Some(wait) = self.decide(&name, cx) else {
            return Plan::default();
        };
        let due = since + wait;
        if due > now {
            return Plan::default().requeue_after(Some(due - now));
        }
        let mechanism = self.settings.mechanism;
        let text = format!("Fencing node {name} by {}", mechanism.as_str());
        cx.event(note(&*node, EventType::Warning, "FencingNode", text));
        cx.ctx.act(Act::Fence(name.clone(), mechanism));
        let confirmation = self.settings.confirmation;
        self.asked.insert(name, now + confirmation);
        Plan::default().requeue_after(Some(confirmation))
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

impl FencingController {
    /// How long the node may stay silent for its pods; none if nothing on it asks for fencing (CT-141, CT-143).
    fn decide(&self, node: &NodeName, cx: &ControllerContext<'_, '_>) -> Option<Span> {
        let pods = cx.objects.pods_on(node).filter(|pod| !pod.is_terminal());
        pods.filter_map(|pod| match pod.metadata.annotation(POLICY) {
            Some("never") => None,
            Some("always") => Some(self.settings.detect_after),
            _ if i64::from(pod.priority()) < self.settings.min_priority || !is_stuck_by_nature(pod) => None,
            _ if has_room(pod, cx) => Some(self.settings.patience),
            _ => Some(self.settings.detect_after),
        })
        .min()
    }

    /// Confirmed: the node is declared out of service; attachments are broken and pods collected from there on.
    fn mark(&self, node: &Arc<Node>, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let mechanism = self.settings.mechanism.as_str();
        let text = format!(
            "Node {} is fenced by {mechanism}; marking it out of service",
            node.metadata.name
        );
        let taint = vec![(OUT_OF_SERVICE.to_owned(), TaintEffect::NoExecute)];
        let action = swap(node, taint, Vec::new(), cx.time());
        Plan::one(
            action
                .accept(Accept::OrNotFound)
                .on_success(note(&**node, EventType::Normal, "NodeFenced", text)),
        )
    }
}

/// Pods that nobody replaces while their node is silent: those of a StatefulSet, and those that hold a claim.
fn is_stuck_by_nature(pod: &Pod) -> bool {
    let of_set = pod
        .metadata
        .controller_ref()
        .is_some_and(|owner| kind_of(owner) == Some(Kind::StatefulSet));
    let holds = pod
        .spec
        .volumes
        .iter()
        .any(|volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some());
    of_set || holds
}

/// Whether every budget over the pod's application still allows a disruption: others serve meanwhile.
fn has_room(pod: &Pod, cx: &ControllerContext<'_, '_>) -> bool {
    let mut covering = cx.objects.budgets_of(pod).peekable();
    covering.peek().is_some() && covering.all(|budget| budget.status.disruptions_allowed > 0) && !is_only_one(pod, cx)
}

fn is_only_one(pod: &Pod, cx: &ControllerContext<'_, '_>) -> bool {
    let owner = pod.metadata.controller_ref().map(|owner| owner.uid.clone());
    owner.is_none_or(|owner| cx.objects.pods_of(&owner).filter(|pod| is_active(pod)).count() <= 1)
}
