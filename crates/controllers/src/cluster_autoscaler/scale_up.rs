//! Scale-up: which group gets how many new nodes for the pods that fit nowhere (CA-006 to CA-016).

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{EventType, Node, NodeName, ObjectKey, Pod, Quantity, Str, Uid, ordered};
use podscope_sim::{Objects, Span};

use super::super::controller::{ControllerContext, note};
use super::{
    ClusterAutoscaler, Expander, ScalableGroup, TrialCluster, Upcoming, add_node, is_unschedulable, key_of_node, place,
    status_note,
};

/// Age from which a pod is a reason to scale up (CA-008).
const MIN_AGE: Span = Span::seconds(2);
/// Priority below which a pod is none (CA-009).
const PRIORITY_CUTOFF: i32 = -10;
/// Time in which an equal event is not repeated (CA-011).
const EVENT_WINDOW: Span = Span::seconds(300);
/// Maximum number of nodes that a scale-up adds (CA-013).
const MAX_NEW_NODES: usize = 1000;
/// Maximum number of pods that a scan looks at. The next scan sees the rest.
///
/// Deviation: the real limit is a time.
const MAX_PODS: usize = 500;
/// Reason of a group at its maximum.
pub const MAX_REACHED: &str = "max node group size reached";

/// Pods that the filters decide alike: those of one controller, or a single pod (CA-010).
struct PodKind {
    pods: Vec<Arc<Pod>>,
    /// Why each of the examined groups does not help.
    reasons: Vec<String>,
    is_helped: bool,
}

/// What a group could do for the pods.
struct GrowthOption {
    /// Index of the group.
    group: usize,
    /// Number of new nodes.
    count: usize,
    /// The pods that they would take.
    pods: Vec<Arc<Pod>>,
    node: Arc<Node>,
}

impl ClusterAutoscaler {
    /// Scales one group up if that helps pods. Returns whether nothing else is done in this scan.
    pub(super) fn scale_up(&mut self, groups: &[ScalableGroup], cx: &mut ControllerContext<'_, '_>) -> bool {
        let pods = unschedulable_pods(cx.objects);
        if pods.is_empty() {
            return false;
        }
        let mut trial = self.trial(cx.objects);
        let pods = unplaced(pods, &mut *trial);
        if pods.is_empty() {
            return false;
        }
        let wall = cx.ctx.wall();
        let is_new = |pod: &Arc<Pod>| {
            let created = pod.metadata.creation_timestamp;
            created.is_some_and(|created| wall.0 - created.0 < MIN_AGE.0)
        };
        if pods.iter().all(is_new) {
            return true;
        }
        let mut kinds = kinds_of(pods);
        let mut options = Vec::new();
        for (index, group) in groups.iter().enumerate() {
            let free = group.max.saturating_sub(self.target_size(group)).min(MAX_NEW_NODES);
            if free == 0 {
                kinds
                    .iter_mut()
                    .for_each(|kind| kind.reasons.push(MAX_REACHED.to_owned()));
                continue;
            }
            options.extend(self.option(index, group, free, &mut kinds, &*trial, cx.objects));
        }
        match self.best(options, cx) {
            Some(option) => {
                self.grow(&option, &groups[option.group], cx);
                true
            }
            None => {
                self.report_not_helped(&kinds, cx);
                false
            }
        }
    }

    /// What a group could do, with at most `free` new nodes. Notes for each kind of pod whether a new node takes it.
    fn option(
        &self,
        index: usize,
        group: &ScalableGroup,
        free: usize,
        kinds: &mut [PodKind],
        trial: &dyn TrialCluster,
        objects: &Objects,
    ) -> Option<GrowthOption> {
        let mut names = self.free_names(group, objects);
        let name = names.next()?;
        let new = self.cloud.new_node(&group.name, objects, name.as_str())?;
        let mut with_one = trial.fork();
        add_node(&mut *with_one, &new);
        let mut pods = Vec::new();
        for kind in kinds.iter_mut() {
            let Some(sample) = kind.pods.first() else { continue };
            match with_one.check(sample, name.as_str()) {
                Ok(()) => {
                    kind.is_helped = true;
                    pods.extend(kind.pods.iter().cloned());
                }
                Err(reasons) => kind.reasons.extend(reasons),
            }
        }
        // The largest first (CA-013).
        pods.stable_sort_by_key(|pod| std::cmp::Reverse(size(pod, &new.0)));
        let mut added: Vec<Str> = vec![name.0.clone()];
        let mut is_last_empty = true;
        let mut placed: Vec<Arc<Pod>> = Vec::new();
        for pod in pods {
            let mut accepting = with_one.accepting(&pod);
            accepting.retain(|node| added.contains(node));
            if accepting.is_empty() && !is_last_empty && added.len() < free {
                let next = names.next()?;
                if let Some(new) = self.cloud.new_node(&group.name, objects, next.as_str()) {
                    add_node(&mut *with_one, &new);
                }
                added.push(next.0.clone());
                is_last_empty = true;
                if with_one.check(&pod, next.as_str()).is_ok() {
                    accepting.push(next.0);
                }
            }
            if let Some(node) = accepting.first() {
                is_last_empty &= added.last() != Some(node);
                place(&mut *with_one, &pod, node);
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

    /// Chooses an option (CA-012).
    fn best(&self, mut options: Vec<GrowthOption>, cx: &mut ControllerContext<'_, '_>) -> Option<GrowthOption> {
        if self.settings.expander == Expander::LeastWaste {
            let least = options.iter().map(waste).min()?;
            options.retain(|option| waste(option) == least);
        }
        match options.len() {
            0 => None,
            1 => options.pop(),
            many => Some(options.swap_remove(cx.ctx.rng.below(many as u64) as usize)),
        }
    }

    /// Requests the machines of an option.
    fn grow(&mut self, option: &GrowthOption, group: &ScalableGroup, cx: &mut ControllerContext<'_, '_>) {
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
            cx.event(status_note(EventType::Normal, "ScaledUpGroup", text));
        }
        for pod in &option.pods {
            let text = format!("pod triggered scale-up: [{{{name} {before}->{size} (max: {max})}}]");
            cx.event(note(&**pod, EventType::Normal, "TriggeredScaleUp", text));
        }
        let names: Vec<NodeName> = self.free_names(group, cx.objects).take(option.count).collect();
        for machine in names {
            let upcoming = Upcoming {
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

    /// Names for new machines of a group: its first free numbers.
    fn free_names(&self, group: &ScalableGroup, objects: &Objects) -> impl Iterator<Item = NodeName> {
        let names = (1_u64..).map(|number| NodeName(format!("{}-{number}", group.name).into()));
        let is_free =
            |name: &NodeName| objects.named::<Node>(name.as_str()).is_none() && !self.upcoming.contains_key(name);
        // A group has at most its maximum of nodes, so there is a free name among the first `2 * max + 1`.
        let bound = 2 * group.max + 1 + self.upcoming.len();
        names.take(bound).filter(is_free).collect::<Vec<_>>().into_iter()
    }

    /// Says of the pods that no group takes why (CA-011).
    fn report_not_helped(&mut self, kinds: &[PodKind], cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        for kind in kinds.iter().filter(|kind| !kind.is_helped) {
            let text = not_triggered_message(kind.reasons.iter().map(String::as_str));
            for pod in &kind.pods {
                let key: ObjectKey = pod.metadata.key();
                let known = self.not_helped.get(&key);
                if known.is_some_and(|(before, at)| *before == text && now < *at + EVENT_WINDOW) {
                    continue;
                }
                if let Some(cause) = self.causes_of_pods.get(&key) {
                    cx.ctx.set_cause(*cause);
                }
                cx.event(note(&**pod, EventType::Normal, "NotTriggerScaleUp", text.clone()));
                self.not_helped.insert(key, (text.clone(), now));
            }
        }
    }
}

/// Message of the event `NotTriggerScaleUp`: the groups' reasons, each with its number of groups (CA-011).
///
/// Deviation: the cluster autoscaler prints them in any order; here they are ordered by text, so that runs are equal.
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

/// The pods that may be a reason to scale up, the most important first (CA-006, CA-009).
fn unschedulable_pods(objects: &Objects) -> Vec<Arc<Pod>> {
    let is_reason = |pod: &&Arc<Pod>| is_unschedulable(pod) && !pod.is_daemon() && pod.priority() >= PRIORITY_CUTOFF;
    let mut pods: Vec<Arc<Pod>> = objects.list::<Pod>().filter(is_reason).cloned().collect();
    pods.stable_sort_by_key(|pod| std::cmp::Reverse(pod.priority()));
    pods.truncate(MAX_PODS);
    pods
}

/// The pods that no node takes which exists or is on its way. The others are placed in the trial (CA-007).
fn unplaced(mut pods: Vec<Arc<Pod>>, trial: &mut dyn TrialCluster) -> Vec<Arc<Pod>> {
    pods.retain(|pod| match trial.accepting(pod).first() {
        Some(node) => {
            place(trial, pod, node);
            false
        }
        None => true,
    });
    pods
}

fn kinds_of(pods: Vec<Arc<Pod>>) -> Vec<PodKind> {
    let mut kinds: Vec<PodKind> = Vec::new();
    let mut known: ordered::Map<Uid, usize> = ordered::Map::new();
    for pod in pods {
        let owner = pod.metadata.controller_ref().map(|owner| owner.uid.clone());
        // A pod with a claim of its own differs from its siblings.
        let has_claims = pod
            .spec
            .volumes
            .iter()
            .any(|volume| podscope_sim::volume::claim_name(&pod, volume).is_some());
        let alike = owner.filter(|_| !has_claims);
        let at = alike.as_ref().and_then(|alike| known.get(alike)).copied();
        if let Some(kind) = at.and_then(|at| kinds.get_mut(at)) {
            kind.pods.push(pod);
            continue;
        }
        if let Some(alike) = alike {
            known.insert(alike, kinds.len());
        }
        kinds.push(PodKind {
            pods: vec![pod],
            reasons: Vec::new(),
            is_helped: false,
        });
    }
    kinds
}

/// The cpu in thousandths and the memory in bytes that the pods request together.
pub(super) fn total_requests<'p>(pods: impl Iterator<Item = &'p Arc<Pod>>) -> [i128; 2] {
    pods.fold([0, 0], |[cpu, memory], pod| {
        let [more_cpu, more_memory] = requests(pod);
        [cpu + more_cpu, memory + more_memory]
    })
}

/// The pod's requested cpu in thousandths and memory in bytes.
fn requests(pod: &Pod) -> [i128; 2] {
    let total = pod.spec.total_requests();
    let amount = |name: &str, read: fn(&Quantity) -> i64| i128::from(total.get(name).map_or(0, read));
    [amount("cpu", Quantity::milli_value), amount("memory", Quantity::value)]
}

/// The node's allocatable cpu in thousandths and memory in bytes.
pub(super) fn allocatable(node: &Node) -> [i128; 2] {
    let amount = |name: &str, read: fn(&Quantity) -> i64| {
        let amount = node.status.allocatable.get(name).map_or(0, read);
        i128::from(amount)
    };
    [amount("cpu", Quantity::milli_value), amount("memory", Quantity::value)]
}

/// Billionths of a whole, for comparisons of parts without floats.
const WHOLE: i128 = 1_000_000_000;

/// The sum of the parts of a node's cpu and memory that a pod requests.
fn size(pod: &Pod, node: &Node) -> i128 {
    let parts = requests(pod).into_iter().zip(allocatable(node));
    parts.map(|(request, total)| request * WHOLE / total.max(1)).sum()
}

/// The sum of the parts of cpu and memory that stay idle on the new nodes (CA-012).
fn waste(option: &GrowthOption) -> i128 {
    let total = allocatable(&option.node).map(|amount| amount * option.count as i128);
    let parts = total.into_iter().zip(total_requests(option.pods.iter()));
    parts
        .map(|(total, requested)| (total - requested) * WHOLE / total.max(1))
        .sum()
}
