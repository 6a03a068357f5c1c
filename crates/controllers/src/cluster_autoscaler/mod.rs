//! Cluster autoscaler: adds machines for pods that fit on no node, and removes machines that are not needed. It is a
//! simplified model of the real autoscaler (CA-001 to CA-034), and runs if the scenario declares a node group with a
//! maximum.
//!
//! Each scan first looks for pods that fit on a new node (`scale_up.rs`). Without a scale-up it looks for nodes whose
//! pods fit elsewhere (`scale_down.rs`, `drainable.rs`), and starts to remove nodes that were unneeded for long enough
//! (`removal.rs`).
//!
//! Deviation: the real autoscaler is a separate program, and the cloud has its own controllers. Here the cloud is a
//! delay, and this process deletes the Node of a removed machine itself, as the cloud's node lifecycle controller does
//! (CT-041).

mod drainable;
mod removal;
mod scale_down;
mod scale_up;

use std::sync::Arc;

use podscope_api::well_known::condition;
use podscope_api::{CausedBy, ConditionStatus, EventType, Kind, Node, NodeName, Object, ObjectKey, Pod, Str, ordered};
use podscope_sim::{Answer, Change, EventNote, Objects, Request, SimTime, Span};
use serde_json::Value;

use super::controller::{Controller, ControllerContext};
use super::plan::Plan;
use super::queue::Key;
use super::settings::{MIN_PERIOD, Setting, Thousandths};
use crate::Act;
use removal::NodeRemoval;
pub use scale_up::{MAX_REACHED, not_triggered_message};

/// A machine that is not Ready this long after its request no longer counts as upcoming (CA-016).
const MAX_PROVISION_TIME: Span = Span::seconds(15 * 60);

super::settings::settings! {
    /// Settings of the cluster autoscaler (`components.clusterAutoscaler`), with the names and defaults of its flags
    /// (CA-006, CA-012, CA-018 to CA-025).
    ClusterAutoscalerSettings;
    /// Whether the autoscaler runs, provided that a node group has a maximum.
    enabled: bool = "enabled", true;
    /// Period between two evaluations of pending pods and idle nodes.
    scan_interval: Span = "scanInterval", Span::seconds(10), least MIN_PERIOD;
    /// How one of several suitable groups is chosen.
    expander: Expander = "expander", Expander::LeastWaste;
    /// Whether unneeded nodes are removed.
    scale_down_enabled: bool = "scaleDownEnabled", true;
    /// Time after a scale-up during which no node is removed.
    scale_down_delay_after_add: Span = "scaleDownDelayAfterAdd", Span::seconds(600);
    /// Time after a failed removal during which no node is removed.
    scale_down_delay_after_failure: Span = "scaleDownDelayAfterFailure", Span::seconds(180);
    /// Time that a node must be unneeded before it is removed.
    scale_down_unneeded_time: Span = "scaleDownUnneededTime", Span::seconds(600);
    /// A node is needed if pods request at least this fraction of its cpu or memory (in thousandths).
    scale_down_utilization_threshold: Thousandths = "scaleDownUtilizationThreshold", Thousandths(500);
    /// Whether a pod with local storage prevents the removal of its node.
    skip_nodes_with_local_storage: bool = "skipNodesWithLocalStorage", true;
    /// Whether a pod in kube-system without a PodDisruptionBudget prevents the removal of its node.
    skip_nodes_with_system_pods: bool = "skipNodesWithSystemPods", true;
    /// Time during which evictions are tried before the removal of the node is abandoned.
    max_pod_eviction_time: Span = "maxPodEvictionTime", Span::seconds(120);
}

/// How one of several suitable groups is chosen (CA-012).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expander {
    /// The group whose new nodes would have the smallest idle fraction of cpu and memory; a random one among equals.
    LeastWaste,
    /// A random group.
    Random,
}

impl Setting for Expander {
    fn read(&mut self, value: &Value, _: Span) -> Result<(), String> {
        *self = match value.as_str() {
            Some("least-waste") => Self::LeastWaste,
            Some("random") => Self::Random,
            _ => return Err(format!("{value} is not least-waste or random")),
        };
        Ok(())
    }
}

/// The interface to the cloud provider, and to the scheduler's filters on a copy of the cluster.
pub trait Cloud: std::fmt::Debug + Send + Sync {
    /// Returns the node groups that have a maximum, with their existing nodes.
    fn scalable_groups(&self, objects: &Objects) -> Vec<ScalableGroup>;
    /// Returns the Node that a new machine of a group would register, and the objects that belong to it (for example
    /// daemon pods).
    fn new_node(&self, group: &str, objects: &Objects, name: &str) -> Option<(Arc<Node>, Vec<Object>)>;
    /// Returns a copy of the cluster in which pods can be placed on trial.
    fn trial_cluster(&self, objects: &Objects) -> Box<dyn TrialCluster>;
}

/// A copy of a cluster in which the scheduler's filters are evaluated for pods.
pub trait TrialCluster {
    /// Adds a node, or an object that belongs to a node.
    fn add(&mut self, object: &Object);
    /// Removes what [`add`](Self::add) added.
    fn remove_object(&mut self, object: &Object);
    /// Checks whether all filters accept the pod on a node.
    ///
    /// # Errors
    /// Returns the reasons of the filter that refuses the pod.
    fn check_placement(&mut self, pod: &Arc<Pod>, node: &str) -> Result<(), Vec<String>>;
    /// Returns the nodes on which all filters accept the pod.
    fn nodes_accepting(&mut self, pod: &Arc<Pod>) -> Vec<Str>;
    /// Returns an independent copy of the current state.
    fn fork(&self) -> Box<dyn TrialCluster>;
}

/// A node group whose number of nodes the autoscaler may change.
#[derive(Debug, Clone)]
pub struct ScalableGroup {
    pub name: Str,
    pub min: usize,
    pub max: usize,
    /// Time from the request for a machine to its boot.
    pub delay: Span,
    pub nodes: Vec<Arc<Node>>,
}

/// A machine that was requested and is not Ready yet.
#[derive(Debug, Clone)]
struct RequestedMachine {
    group: Str,
    requested: SimTime,
    /// Time at which the machine boots.
    boots: SimTime,
    has_booted: bool,
}

#[derive(Debug, Clone)]
pub(super) struct ClusterAutoscaler {
    settings: ClusterAutoscalerSettings,
    cloud: Arc<dyn Cloud>,
    upcoming: ordered::Map<NodeName, RequestedMachine>,
    /// Time from which each node has been unneeded, and the change that caused it.
    unneeded: ordered::Map<NodeName, (SimTime, CausedBy)>,
    removals: ordered::Map<NodeName, NodeRemoval>,
    last_scale_up: Option<SimTime>,
    last_failure: Option<SimTime>,
    /// The change that made each pod unschedulable; it becomes the cause of the scale-up.
    causes_of_pods: ordered::Map<ObjectKey, CausedBy>,
    /// The latest change that can make a node unneeded.
    latest_change: CausedBy,
    /// Text and time of the latest NotTriggerScaleUp event of each pod (CA-011).
    latest_not_triggered: ordered::Map<ObjectKey, (String, SimTime)>,
}

impl ClusterAutoscaler {
    pub(super) fn new(settings: ClusterAutoscalerSettings, cloud: Arc<dyn Cloud>) -> Self {
        Self {
            settings,
            cloud,
            upcoming: ordered::Map::new(),
            unneeded: ordered::Map::new(),
            removals: ordered::Map::new(),
            last_scale_up: None,
            last_failure: None,
            causes_of_pods: ordered::Map::new(),
            latest_change: CausedBy::NOTHING,
            latest_not_triggered: ordered::Map::new(),
        }
    }

    /// Removes, from the requested machines, those that are Ready and those that did not become Ready in time.
    fn update_upcoming_machines(&mut self, cx: &ControllerContext<'_, '_>) {
        let (now, objects) = (cx.now(), cx.objects);
        self.upcoming.retain(|name, machine| {
            let is_ready = objects.named::<Node>(name.as_str()).is_some_and(|node| node.is_ready());
            !is_ready && now < machine.requested + MAX_PROVISION_TIME
        });
    }

    /// Returns the trial cluster of a scan, in which requested machines that are not Ready yet count as Ready nodes
    /// with the template of their group (CA-007).
    fn trial_with_upcoming_nodes(&self, objects: &Objects) -> Box<dyn TrialCluster> {
        let mut trial = self.cloud.trial_cluster(objects);
        for (name, machine) in &self.upcoming {
            if let Some(node) = objects.named::<Node>(name.as_str()) {
                // The node built from the group's template, added below, has its own DaemonSet pods and static pods.
                for daemon in objects.pods_on(name).filter(|pod| pod.is_daemon() || pod.is_mirror()) {
                    trial.remove_object(&Object::Pod(daemon.clone()));
                }
                trial.remove_object(&Object::Node(node.clone()));
            }
            if let Some(new) = self.cloud.new_node(&machine.group, objects, name.as_str()) {
                add_node(&mut *trial, &new);
            }
        }
        trial
    }

    /// Returns the number of machines of a group that exist or have been requested.
    fn target_size(&self, group: &ScalableGroup) -> usize {
        let is_known = |name: &NodeName| group.nodes.iter().any(|node| *node.metadata.name == *name.as_str());
        let upcoming = self.upcoming.iter();
        let coming = upcoming.filter(|(name, machine)| machine.group == group.name && !is_known(name));
        group.nodes.len() + coming.count()
    }
}

/// Adds a new node and the objects that belong to it to a trial.
fn add_node(trial: &mut dyn TrialCluster, (node, node_objects): &(Arc<Node>, Vec<Object>)) {
    trial.add(&Object::Node(node.clone()));
    node_objects.iter().for_each(|object| trial.add(object));
}

/// Adds a copy of the pod, bound to a node, to a trial and returns the copy.
fn add_bound_copy(trial: &mut dyn TrialCluster, pod: &Pod, node: &str) -> Object {
    let mut copy = pod.clone();
    copy.spec.node_name = Some(NodeName(node.into()));
    let copy = Object::Pod(Arc::new(copy));
    trial.add(&copy);
    copy
}

/// Returns whether the scheduler has reported that the pod fits on no node (CA-006).
fn is_unschedulable(pod: &Pod) -> bool {
    let condition = pod.condition(condition::POD_SCHEDULED);
    let is_refused =
        condition.is_some_and(|one| one.status == ConditionStatus::False && &*one.reason == "Unschedulable");
    is_refused && pod.spec.node_name.is_none() && !pod.metadata.is_terminating()
}

/// Returns whether a change can make a node unneeded: a pod appeared or disappeared, a node's spec changed, or a
/// PodDisruptionBudget changed.
fn can_free_nodes(change: &Change) -> bool {
    match (&change.old, &change.new) {
        (Some(Object::Pod(old)), Some(Object::Pod(new))) => old.spec.node_name != new.spec.node_name,
        (Some(Object::Node(old)), Some(Object::Node(new))) => old.spec != new.spec,
        (Some(Object::PodDisruptionBudget(old)), Some(Object::PodDisruptionBudget(new))) => {
            old.status.disruptions_allowed != new.status.disruptions_allowed
        }
        _ => true,
    }
}

fn key_of_node(node: &NodeName) -> Key {
    (Kind::Node, ObjectKey::cluster(node.0.clone()))
}

/// Creates an event about the status ConfigMap, which represents the autoscaler itself (CA-015).
fn status_event(kind: EventType, reason: &str, message: String) -> EventNote {
    EventNote {
        component: "".into(),
        kind: Kind::ConfigMap,
        key: ObjectKey::new("kube-system", "cluster-autoscaler-status"),
        uid: podscope_api::Uid::default(),
        field_path: "".into(),
        kind_of_event: kind,
        reason: reason.into(),
        message: message.into(),
        action: "".into(),
        related: None,
    }
}

impl Controller for ClusterAutoscaler {
    fn name(&self) -> &'static str {
        "cluster-autoscaler"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Node, Kind::Pod, Kind::PodDisruptionBudget]
    }

    fn started(&mut self, cx: &mut ControllerContext<'_, '_>) {
        cx.tick_at(cx.now() + self.settings.scan_interval, 0);
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        let cause = cx.ctx.caused_by();
        if can_free_nodes(change) {
            self.latest_change = cause;
        }
        match (&change.old, &change.new) {
            (_, Some(Object::Pod(pod))) if is_unschedulable(pod) => {
                self.causes_of_pods.entry(pod.metadata.key()).or_insert(cause);
            }
            (_, Some(Object::Pod(pod))) | (Some(Object::Pod(pod)), None) => {
                let key = pod.metadata.key();
                self.causes_of_pods.remove(&key);
                self.latest_not_triggered.remove(&key);
                let node = pod
                    .spec
                    .node_name
                    .as_ref()
                    .filter(|node| self.removals.contains_key(*node));
                if let (Some(node), None) = (node, &change.new) {
                    cx.enqueue(key_of_node(node));
                }
            }
            (Some(Object::Node(node)), None) => {
                self.unneeded.remove(&*node.metadata.name);
                self.removals.remove(&*node.metadata.name);
            }
            _ => {}
        }
    }

    fn tick(&mut self, _: u8, cx: &mut ControllerContext<'_, '_>) {
        self.update_upcoming_machines(cx);
        let groups = self.cloud.scalable_groups(cx.objects);
        if !self.scale_up(&groups, cx) && self.settings.scale_down_enabled {
            self.scale_down(&groups, cx);
        }
        cx.tick_at(cx.now() + self.settings.scan_interval, 0);
    }

    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, _: &mut ControllerContext<'_, '_>) {
        self.record_refusal(key, request, answer);
    }

    /// Boots a requested machine, or continues the removal of a node.
    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let name = NodeName(key.1.name.clone());
        let now = cx.now();
        match self.upcoming.get_mut(&name) {
            Some(machine) if !machine.has_booted && machine.boots <= now => {
                machine.has_booted = true;
                let group = machine.group.clone();
                cx.ctx.act(Act::Join { node: name, group });
                Plan::default()
            }
            _ => self.remove_node(&name, cx),
        }
    }
}
