//! Decides, like the cluster autoscaler (CA-006 to CA-011), which node group could run a pending pod on one more node,
//! and why the other groups could not.
//!
//! The model is simple. One node is made from the group's template, with the pods of DaemonSets that would run on it
//! and the devices of the node that it copies. The node is added to a copy of the cluster, and the scheduler's filters
//! decide whether it accepts the pod. Preferences and preemption are ignored. The groups are those that the scenario
//! declares, and those that the node labels of cloud providers name; the limits of the latter are unknown.

use std::sync::Arc;

use podscope_api::{Node, Object, Pod, Uid, ordered};
use podscope_cluster::{MAX_REACHED, NewGroupNode, NodeGroupWithNodes, NodeShorthand, Objects, node_groups};
use podscope_protocol::Problem;
use podscope_scheduler::TrialNodes;
use serde::Serialize;

use super::{ProgressStage, WorkControl, fit};
use crate::owners::workload_of;
use crate::scenario::Loaded;
use crate::timeline::Session;
use crate::triage::shared_decision_owner;
use podscope_cluster::scheduler_of;

/// Maximum number of pending pods for which node groups are evaluated; pods of one ReplicaSet count as one.
const MAX_EVALUATED_PODS: usize = 300;

/// The node groups of a cluster, and for its pending pods the answer of each group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GroupGrowth {
    pub groups: Vec<NodeGroupSummary>,
    pub pods: Vec<PodGroupAnswers>,
    /// Number of pending pods for which node groups were not evaluated: those beyond `MAX_EVALUATED_PODS`, and those
    /// that were left when the evaluation was stopped.
    #[serde(rename = "notAsked")]
    pub not_asked: usize,
}

/// A node group of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeGroupSummary {
    pub name: String,
    /// Number of existing nodes in the group.
    pub nodes: usize,
    /// Minimum and maximum number of nodes of the group; `None` if they are not known.
    pub min: Option<u32>,
    pub max: Option<u32>,
    /// Name of the Node that a new node of the group would copy; `None` if a new node is the scenario's default
    /// machine.
    pub like: Option<String>,
}

/// A pending pod, or the pending pods of one ReplicaSet, with the answer of each node group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PodGroupAnswers {
    /// `NAMESPACE/NAME` of the first pod.
    pub pod: String,
    /// Workload that owns the pods, as `KIND NAMESPACE/NAME`.
    pub owner: Option<String>,
    /// Number of pending pods with this answer.
    pub count: usize,
    /// Names of existing nodes that would accept the pod. If there are any, no group needs to grow.
    pub fits: Vec<String>,
    pub groups: Vec<GroupAnswer>,
    /// Message of the cluster autoscaler's event about the pod; `None` if a group can help or no help is needed.
    pub event: Option<String>,
}

/// The answer of one node group: whether one more node would help a pod.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupAnswer {
    pub group: String,
    /// Whether the group can grow, and its new node would accept the pod.
    pub helps: bool,
    /// Whether a new node of the group would accept the pod, even if the group cannot grow.
    pub accepts: bool,
    /// Reasons why the group does not help, in the words of the cluster autoscaler.
    pub reasons: Vec<String>,
}

/// Evaluates each node group for all pending pods of a cluster, or only for the given pod.
///
/// # Errors
/// Problems of the files, or that the pod does not exist.
pub fn evaluate_node_groups(
    cluster: &Loaded,
    pod: Option<&str>,
    control: WorkControl<'_>,
) -> Result<GroupGrowth, Vec<Problem>> {
    // The cluster must not contain an autoscaler, because an autoscaler would add nodes.
    let mut cluster = cluster.clone();
    cluster.setup.settings.cluster_autoscaler.enabled = false;
    let objects = fit::objects_of(&cluster, control)?;
    let config = cluster.setup.settings.scheduler.clone();
    let trial = || TrialNodes::new(&scheduler_of(&objects, config, 0));
    let Some(mut group_check) = GroupCheck::new(&objects, &cluster.setup.nodes, trial) else {
        return Ok(GroupGrowth::default());
    };
    let mut grow = GroupGrowth {
        groups: group_check
            .groups
            .iter()
            .map(|(group, _)| group_description(group, &objects))
            .collect(),
        ..GroupGrowth::default()
    };
    let mut known: ordered::Map<Uid, usize> = ordered::Map::new();
    for pending in objects.list::<Pod>().filter(|pending| is_waiting(pending)) {
        if pod.is_some_and(|pod| *pod != pending.metadata.key().to_string()) {
            continue;
        }
        let shared = shared_decision_owner(pending).filter(|_| pod.is_none());
        if let Some(row) = shared.as_ref().and_then(|owner| known.get(owner)) {
            grow.pods[*row].count += 1;
            continue;
        }
        if grow.pods.len() >= MAX_EVALUATED_PODS || (control.stop)() {
            grow.not_asked += 1;
            continue;
        }
        (control.progress)(ProgressStage::Placed(grow.pods.len()));
        if let Some(owner) = shared {
            known.insert(owner, grow.pods.len());
        }
        grow.pods.push(group_check.evaluate(pending));
    }
    match pod {
        Some(pod) if grow.pods.is_empty() => {
            let message = format!("there is no pod {pod:?} that waits for a node");
            Err(vec![Problem::of_file("whatif", message)])
        }
        _ => Ok(grow),
    }
}

/// Evaluates each node group for one pending pod. `None` if there is no node group, or if the pod fits on an existing
/// node.
#[must_use]
pub fn group_answers_for_pod(session: &Session, pod: &Arc<Pod>) -> Option<PodGroupAnswers> {
    let (objects, nodes) = (session.world().objects(), &session.loaded().setup.nodes);
    let trial = || TrialNodes::new(&scheduler_of(objects, session.scheduler_config(), 0));
    GroupCheck::new(objects, nodes, trial)?.answers_for(pod)
}

/// Returns whether the pod waits for the scheduler: it has no node and no scheduling gates, and it is not terminating.
fn is_waiting(pod: &Pod) -> bool {
    let is_bound_or_gated = pod.spec.node_name.is_some() || !pod.spec.scheduling_gates.is_empty();
    // The pod of a DaemonSet can only run on an existing node (CA-009).
    let is_pinned = pod.spec.pinned_node().is_some();
    !is_bound_or_gated && !is_pinned && !pod.is_terminal() && !pod.metadata.is_terminating()
}

fn group_description(group: &NodeGroupWithNodes, objects: &Objects) -> NodeGroupSummary {
    NodeGroupSummary {
        name: group.group.name.to_string(),
        nodes: group.nodes.len(),
        min: group.is_declared.then_some(group.group.min),
        max: group.group.max,
        like: group
            .template_source(objects)
            .map(|node| node.metadata.name.to_string()),
    }
}

/// The node groups of a cluster, each with its next node, and a copy of the cluster in which this node is tried.
pub(crate) struct GroupCheck<'a> {
    objects: &'a Objects,
    trial: TrialNodes,
    groups: Vec<(NodeGroupWithNodes, NewGroupNode)>,
}

impl<'a> GroupCheck<'a> {
    /// Creates the check for the groups of a cluster. `None` if there is no group; `trial`, which creates the copy of
    /// the cluster, is then not called.
    pub(crate) fn new(objects: &'a Objects, nodes: &NodeShorthand, trial: impl FnOnce() -> TrialNodes) -> Option<Self> {
        let is_taken = |name: &str| objects.named::<Node>(name).is_some();
        let groups = node_groups(objects, &nodes.groups).into_iter().map(|group| {
            let name = group.next_name(is_taken);
            let new = group.new_node(objects, &nodes.capacity, &name);
            (group, new)
        });
        let groups: Vec<(NodeGroupWithNodes, NewGroupNode)> = groups.collect();
        (!groups.is_empty()).then(|| Self {
            objects,
            trial: trial(),
            groups,
        })
    }

    /// Returns the answer of each node group for a pending pod. `None` if the pod is not pending, or fits on an
    /// existing node.
    pub(crate) fn answers_for(&mut self, pod: &Arc<Pod>) -> Option<PodGroupAnswers> {
        let asked = is_waiting(pod).then(|| self.evaluate(pod));
        asked.filter(|asked| asked.fits.is_empty())
    }

    fn evaluate(&mut self, pod: &Arc<Pod>) -> PodGroupAnswers {
        let owner = workload_of(self.objects, &pod.metadata);
        let mut asked = PodGroupAnswers {
            pod: pod.metadata.key().to_string(),
            owner: owner.map(|owner| format!("{} {}/{}", owner.kind, pod.metadata.namespace, owner.name)),
            count: 1,
            fits: self
                .trial
                .nodes_accepting(pod)
                .iter()
                .map(ToString::to_string)
                .collect(),
            groups: Vec::new(),
            event: None,
        };
        if !asked.fits.is_empty() {
            return asked;
        }
        for (group, new) in &self.groups {
            let checked = check_on_new_node(&mut self.trial, new, pod);
            let is_full = group.group.max.is_some_and(|max| group.nodes.len() >= max as usize);
            let mut reasons = checked.clone().err().unwrap_or_default();
            if is_full {
                reasons = vec![MAX_REACHED.to_owned()];
            }
            asked.groups.push(GroupAnswer {
                group: group.group.name.to_string(),
                helps: checked.is_ok() && !is_full,
                accepts: checked.is_ok(),
                reasons,
            });
        }
        if !asked.groups.iter().any(|answer| answer.helps) {
            asked.event = Some(not_triggered_message(&asked.groups));
        }
        asked
    }
}

/// Checks whether the scheduler would accept a pod on one more node of a group. Returns the reasons if it would not.
fn check_on_new_node(trial: &mut TrialNodes, new: &NewGroupNode, pod: &Arc<Pod>) -> Result<(), Vec<String>> {
    let node = Object::Node(new.node.clone());
    trial.add(&node);
    new.company.iter().for_each(|object| trial.add(object));
    let checked = trial.check(pod, &new.node.metadata.name);
    new.company.iter().for_each(|object| trial.remove(object));
    trial.remove(&node);
    checked
}

/// Returns the message of the event `NotTriggerScaleUp` (CA-011) for a pod that no group can help.
fn not_triggered_message(answers: &[GroupAnswer]) -> String {
    let reasons = answers
        .iter()
        .flat_map(|answer| answer.reasons.iter().map(String::as_str));
    podscope_cluster::not_triggered_message(reasons)
}
