//! Scale-up: chooses a node group, and its number of new nodes, for the pods that fit on no node (CA-006 to CA-016).

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{EventType, Node, NodeName, ObjectKey, Pod, Quantity, Str, Uid, ordered};
use podscope_sim::{Objects, Span};

use super::super::controller::{ControllerContext, note};
use super::{
    ClusterAutoscaler, Expander, RequestedMachine, ScalableGroup, TrialCluster, add_bound_copy, add_node,
    is_unschedulable, key_of_node, status_event,
};

/// Minimum age of a pod that can trigger a scale-up (CA-008).
const MIN_PENDING_POD_AGE: Span = Span::seconds(2);
/// Minimum priority of a pod that can trigger a scale-up (CA-009).
const MIN_POD_PRIORITY: i32 = -10;
/// Time during which an event with the same text is not repeated for a pod (CA-011).
const EVENT_REPEAT_WINDOW: Span = Span::seconds(300);
/// Maximum number of nodes that a scale-up adds (CA-013).
const MAX_NEW_NODES: usize = 1000;
/// Maximum number of pods that one scan evaluates; later scans evaluate the rest.
///
/// Deviation: the real autoscaler limits the duration of a scan instead.
const MAX_UNSCHEDULABLE_PODS: usize = 500;
/// Reason why a group at its maximum size cannot be scaled up.
pub const MAX_REACHED: &str = "max node group size reached";

/// Pods for which the filters give the same result: the pods of one controller, or a single pod (CA-010).
struct PodGroup {
    pods: Vec<Arc<Pod>>,
    /// Why each of the evaluated node groups is unsuitable.
    reasons: Vec<String>,
    is_helped: bool,
}

/// A possible scale-up of one node group.
struct GrowthOption {
    /// Index of the node group in the list of all groups.
    group: usize,
    /// Number of new nodes.
    count: usize,
    /// The pods that would fit on the new nodes.
    pods: Vec<Arc<Pod>>,
    node: Arc<Node>,
}

impl ClusterAutoscaler {
    /// Scales up one node group if pods fit on its new nodes. Returns whether the scan ends here, without a scale-down.
    pub(super) fn scale_up(&mut self, groups: &[ScalableGroup], cx: &mut ControllerContext<'_, '_>) -> bool {
        let pods = unschedulable_pods(cx.objects);
        if pods.is_empty() {
            return false;
        }
        let mut trial = self.trial_with_upcoming_nodes(cx.objects);
        let pods = pods_without_node(pods, &mut *trial);
        if pods.is_empty() {
            return false;
        }
        let wall = cx.ctx.wall();
        let is_new = |pod: &Arc<Pod>| {
            let created = pod.metadata.creation_timestamp;
            created.is_some_and(|created| wall.0 - created.0 < MIN_PENDING_POD_AGE.0)
        };
        if pods.iter().all(is_new) {
            return true;
        }
        let mut pod_groups = group_pods(pods);
        let mut options = Vec::new();
        for (index, group) in groups.iter().enumerate() {
            let max_new = group.max.saturating_sub(self.target_size(group)).min(MAX_NEW_NODES);
            if max_new == 0 {
                pod_groups
                    .iter_mut()
                    .for_each(|pod_group| pod_group.reasons.push(MAX_REACHED.to_owned()));
                continue;
            }
            options.extend(self.scale_up_of_group(index, group, max_new, &mut pod_groups, &*trial, cx.objects));
        }
        match self.choose_option(options, cx) {
            Some(option) => {
                self.request_machines(&option, &groups[option.group], cx);
                true
            }
            None => {
                self.emit_not_triggered_events(&pod_groups, cx);
                false
            }
        }
    }

    /// Computes the scale-up of a group with at most `max_new` new nodes. Records for each pod group whether it fits on
    /// a new node.
    fn scale_up_of_group(
        &self,
        index: usize,
        group: &ScalableGroup,
        max_new: usize,
        pod_groups: &mut [PodGroup],
        trial: &dyn TrialCluster,
        objects: &Objects,
    ) -> Option<GrowthOption> {
        let mut names = self.free_names(group, objects);
        let name = names.next()?;
        let new = self.cloud.new_node(&group.name, objects, name.as_str())?;
        let mut with_one = trial.fork();
        add_node(&mut *with_one, &new);
        let mut pods = Vec::new();
        for pod_group in pod_groups.iter_mut() {
            let Some(sample) = pod_group.pods.first() else { continue };
            match with_one.check_placement(sample, name.as_str()) {
                Ok(()) => {
                    pod_group.is_helped = true;
                    pods.extend(pod_group.pods.iter().cloned());
                }
                Err(reasons) => pod_group.reasons.extend(reasons),
            }
        }
        // The largest pods are placed first (CA-013).
        pods.stable_sort_by_key(|pod| std::cmp::Reverse(requested_fraction(pod, &new.0)));
        let mut added: Vec<Str> = vec![name.0.clone()];
        let mut is_last_empty = true;
        let mut placed: Vec<Arc<Pod>> = Vec::new();
        for pod in pods {
            let mut accepting = with_one.nodes_accepting(&pod);
            accepting.retain(|node| added.contains(node));
            if accepting.is_empty() && !is_last_empty && added.len() < max_new {
                let next = names.next()?;
                if let Some(new) = self.cloud.new_node(&group.name, objects, next.as_str()) {
                    add_node(&mut *with_one, &new);
                }
                added.push(next.0.clone());
                is_last_empty = true;
                if with_one.check_placement(&pod, next.as_str()).is_ok() {
                    accepting.push(next.0);
                }
            }
            if let Some(node) = accepting.first() {
                is_last_empty &= added.last() != Some(node);
                add_bound_copy(&mut *with_one, &pod, node);
                placed.push(pod);
            }
        }
        let count = added.len() - usize::from(is_last_empty);
        (count > 0).then_some(GrowthOption {
            group: index,
            count,
            pods: placed,
            node: new.0,
        })
    }

    /// Chooses one of the possible scale-ups (CA-012).
    fn choose_option(
        &self,
        mut options: Vec<GrowthOption>,
        cx: &mut ControllerContext<'_, '_>,
    ) -> Option<GrowthOption> {
        if self.settings.expander == Expander::LeastWaste {
            let least = options.iter().map(idle_fraction).min()?;
            options.retain(|option| idle_fraction(option) == least);
        }
        match options.len() {
            0 => None,
            1 => options.pop(),
            many => Some(options.swap_remove(cx.ctx.rng.below(many as u64) as usize)),
        }
    }

    /// Requests the machines of the chosen scale-up.
    fn request_machines(&mut self, option: &GrowthOption, group: &ScalableGroup, cx: &mut ControllerContext<'_, '_>) {
        let (name, now) = (&group.name, cx.now());
        let before = self.target_size(group);
        let (size, max) = (before + option.count, group.max);
        let first = option.pods.first().map(|pod| pod.metadata.key());
        if let Some(cause) = first.and_then(|pod| self.causes_of_pods.get(&pod)) {
            cx.ctx.set_cause(*cause);
        }
        for text in [
            format!("Scale-up: setting group {name} size to {size} instead of {before} (max: {max})"),
            format!("Scale-up: group {name} size set to {size} instead of {before} (max: {max})"),
        ] {
            cx.emit_event(status_event(EventType::Normal, "ScaledUpGroup", text));
        }
        for pod in &option.pods {
            let text = format!("pod triggered scale-up: [{{{name} {before}->{size} (max: {max})}}]");
            cx.emit_event(note(&**pod, EventType::Normal, "TriggeredScaleUp", text));
        }
        let names: Vec<NodeName> = self.free_names(group, cx.objects).take(option.count).collect();
        for machine in names {
            let upcoming = RequestedMachine {
                group: name.clone(),
                requested: now,
                boots: now + group.delay,
                has_booted: false,
            };
            self.upcoming.insert(machine.clone(), upcoming);
            cx.enqueue_after(key_of_node(&machine), group.delay);
        }
        self.last_scale_up = Some(now);
    }

    /// Returns free names for new machines of a group, with the lowest numbers.
    fn free_names(&self, group: &ScalableGroup, objects: &Objects) -> impl Iterator<Item = NodeName> {
        let names = (1_u64..).map(|number| NodeName(format!("{}-{number}", group.name).into()));
        let is_free =
            |name: &NodeName| objects.named::<Node>(name.as_str()).is_none() && !self.upcoming.contains_key(name);
        // A group has at most `max` nodes, so one of the first `2 * max + 1` names is free.
        let bound = 2 * group.max + 1 + self.upcoming.len();
        names.take(bound).filter(is_free).collect::<Vec<_>>().into_iter()
    }

    /// Emits an event for each pod that would fit on a new node of no group, with the reasons (CA-011).
    fn emit_not_triggered_events(&mut self, pod_groups: &[PodGroup], cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        for pod_group in pod_groups.iter().filter(|pod_group| !pod_group.is_helped) {
            let text = not_triggered_message(pod_group.reasons.iter().map(String::as_str));
            for pod in &pod_group.pods {
                let key: ObjectKey = pod.metadata.key();
                let known = self.latest_not_triggered.get(&key);
                if known.is_some_and(|(before, at)| *before == text && now < *at + EVENT_REPEAT_WINDOW) {
                    continue;
                }
                if let Some(cause) = self.causes_of_pods.get(&key) {
                    cx.ctx.set_cause(*cause);
                }
                cx.emit_event(note(&**pod, EventType::Normal, "NotTriggerScaleUp", text.clone()));
                self.latest_not_triggered.insert(key, (text.clone(), now));
            }
        }
    }
}

/// Formats the message of the event `NotTriggerScaleUp`: each reason with the number of groups that it applies to
/// (CA-011).
///
/// Deviation: the cluster autoscaler prints the reasons in random order; here they are sorted, so that runs are
/// reproducible.
#[must_use]
pub fn not_triggered_message<'a>(reasons: impl Iterator<Item = &'a str>) -> String {
    let mut counts: ordered::Map<&str, usize> = ordered::Map::new();
    reasons.for_each(|reason| *counts.entry(reason).or_default() += 1);
    let counted: Vec<String> = counts
        .iter()
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    format!("pod didn't trigger scale-up: {}", counted.join(", "))
}

/// Returns the unschedulable pods that can trigger a scale-up, by descending priority (CA-006, CA-009).
fn unschedulable_pods(objects: &Objects) -> Vec<Arc<Pod>> {
    let is_reason = |pod: &&Arc<Pod>| is_unschedulable(pod) && !pod.is_daemon() && pod.priority() >= MIN_POD_PRIORITY;
    let mut pods: Vec<Arc<Pod>> = objects.list::<Pod>().filter(is_reason).cloned().collect();
    pods.stable_sort_by_key(|pod| std::cmp::Reverse(pod.priority()));
    pods.truncate(MAX_UNSCHEDULABLE_PODS);
    pods
}

/// Returns the pods that fit on no existing or requested node. Places the other pods in the trial (CA-007).
fn pods_without_node(mut pods: Vec<Arc<Pod>>, trial: &mut dyn TrialCluster) -> Vec<Arc<Pod>> {
    pods.retain(|pod| match trial.nodes_accepting(pod).first() {
        Some(node) => {
            add_bound_copy(trial, pod, node);
            false
        }
        None => true,
    });
    pods
}

fn group_pods(pods: Vec<Arc<Pod>>) -> Vec<PodGroup> {
    let mut pod_groups: Vec<PodGroup> = Vec::new();
    let mut known: ordered::Map<Uid, usize> = ordered::Map::new();
    for pod in pods {
        let owner = pod.metadata.controller_ref().map(|owner| owner.uid.clone());
        // A pod with its own claim is not equivalent to the other pods of its controller.
        let has_claims = pod
            .spec
            .volumes
            .iter()
            .any(|volume| podscope_sim::volume::claim_name(&pod, volume).is_some());
        let alike = owner.filter(|_| !has_claims);
        let at = alike.as_ref().and_then(|alike| known.get(alike)).copied();
        if let Some(pod_group) = at.and_then(|at| pod_groups.get_mut(at)) {
            pod_group.pods.push(pod);
            continue;
        }
        if let Some(alike) = alike {
            known.insert(alike, pod_groups.len());
        }
        pod_groups.push(PodGroup {
            pods: vec![pod],
            reasons: Vec::new(),
            is_helped: false,
        });
    }
    pod_groups
}

/// Returns the total requested cpu in thousandths and memory in bytes.
pub(super) fn total_cpu_and_memory_requests<'p>(pods: impl Iterator<Item = &'p Arc<Pod>>) -> [i128; 2] {
    pods.fold([0, 0], |[cpu, memory], pod| {
        let [more_cpu, more_memory] = cpu_and_memory_requests(pod);
        [cpu + more_cpu, memory + more_memory]
    })
}

/// Returns the pod's requested cpu in thousandths and memory in bytes.
fn cpu_and_memory_requests(pod: &Pod) -> [i128; 2] {
    let total = pod.spec.total_requests();
    let amount = |name: &str, read: fn(&Quantity) -> i64| i128::from(total.get(name).map_or(0, read));
    [amount("cpu", Quantity::milli_value), amount("memory", Quantity::value)]
}

/// Returns the node's allocatable cpu in thousandths and memory in bytes.
pub(super) fn allocatable_cpu_and_memory(node: &Node) -> [i128; 2] {
    let amount = |name: &str, read: fn(&Quantity) -> i64| {
        let amount = node.status.allocatable.get(name).map_or(0, read);
        i128::from(amount)
    };
    [amount("cpu", Quantity::milli_value), amount("memory", Quantity::value)]
}

/// The fraction 1, in billionths; fractions are compared as integers.
const ONE_IN_BILLIONTHS: i128 = 1_000_000_000;

/// Returns the sum of the fractions of a node's cpu and memory that a pod requests, in billionths.
fn requested_fraction(pod: &Pod, node: &Node) -> i128 {
    let parts = cpu_and_memory_requests(pod)
        .into_iter()
        .zip(allocatable_cpu_and_memory(node));
    parts
        .map(|(request, total)| request * ONE_IN_BILLIONTHS / total.max(1))
        .sum()
}

/// Returns the sum of the fractions of cpu and memory that stay idle on the new nodes, in billionths (CA-012).
fn idle_fraction(option: &GrowthOption) -> i128 {
    let total = allocatable_cpu_and_memory(&option.node).map(|amount| amount * option.count as i128);
    let parts = total.into_iter().zip(total_cpu_and_memory_requests(option.pods.iter()));
    parts
        .map(|(total, requested)| (total - requested) * ONE_IN_BILLIONTHS / total.max(1))
        .sum()
}
