//! DaemonSet: runs one pod on every eligible node (C-03, CT-087 to CT-090).
//!
//! Watches DaemonSets, pods and nodes; compares the nodes that should run a daemon pod with the pods that are bound or
//! pinned to them by affinity. Daemon pods tolerate the taints of a lost node for unlimited time, so they are neither
//! evicted nor replaced while the node is partitioned (CT-038).

mod rolling;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::annotation;
use std::sync::Arc;

use podscope_api::{
    Affinity, DaemonSet, DaemonSetStatus, EventType, Kind, Node, NodeName, NodeSelector, Object, Pod, Str, Taint,
    TaintEffect, Toleration, TolerationOperator, UpdateStrategyType,
};

use podscope_sim::{Answer, Change, Objects, Part, Request, SimTime, Span};

use super::controller::{Controller, ControllerContext, note};
use super::expectations::Expectations;
use super::node_selector::{node_name_term, target_node};
use super::owner::{self, controller_of, controller_ref};
use super::plan::{Accept, Action, Failure, Plan};
use super::pod_util::{is_available, is_failed, is_succeeded, next_available_in};
use super::queue::{Key, key_of};
use super::replicaset::delete_pod;
use super::revision::{self, REVISION_LABEL};
use super::template::{Template, set_entry};
use rolling::{allows_surge, roll};

/// Maximum number of pods that one sync creates; one sync also deletes at most this number.
const BURST_REPLICAS: usize = 250;
/// Initial and maximum back-off before a failed daemon pod is replaced; it doubles with each failure on the node.
const FAILED_POD_BACKOFF: (Span, Span) = (Span::seconds(1), Span::seconds(900));

#[derive(Debug, Clone, Default)]
pub(super) struct DaemonSetController {
    expectations: Expectations,
    /// Time at which a failed pod may be replaced, and the next back-off, by DaemonSet and node.
    backoff: ordered::Map<(Key, NodeName), (SimTime, Span)>,
}

/// Returns the tolerations that daemon pods get in addition to those of the template (CT-087).
fn daemon_tolerations(host_network: bool) -> Vec<Toleration> {
    let rows = [
        ("not-ready", TaintEffect::NoExecute, true),
        ("unreachable", TaintEffect::NoExecute, true),
        ("disk-pressure", TaintEffect::NoSchedule, true),
        ("memory-pressure", TaintEffect::NoSchedule, true),
        ("pid-pressure", TaintEffect::NoSchedule, true),
        ("unschedulable", TaintEffect::NoSchedule, true),
        ("network-unavailable", TaintEffect::NoSchedule, host_network),
    ];
    let wanted = rows.into_iter().filter(|(_, _, wanted)| *wanted);
    wanted
        .map(|(key, effect, _)| Toleration {
            key: format!("node.kubernetes.io/{key}").into(),
            operator: Some(TolerationOperator::Exists),
            effect: Some(effect),
            ..Toleration::default()
        })
        .collect()
}

/// Returns whether a daemon pod should run on the node, and whether an existing one may stay (CT-089).
fn should_run_and_may_stay(set: &DaemonSet, node: &Node) -> (bool, bool) {
    let spec = &set.spec.template.spec;
    let name_fits = spec.node_name.as_ref().is_none_or(|name| *name == *node.metadata.name);
    if !name_fits || !spec.selects(node) {
        return (false, false);
    }
    let mut tolerated: Vec<Toleration> = spec.tolerations.to_vec();
    tolerated.extend(daemon_tolerations(spec.host_network == Some(true)));
    let untolerated = |effect: &TaintEffect| {
        let of_effect = |taint: &&Taint| taint.effect == *effect;
        node.spec
            .taints
            .iter()
            .filter(of_effect)
            .any(|taint| !tolerated.iter().any(|toleration| toleration.tolerates(taint)))
    };
    if untolerated(&TaintEffect::NoExecute) {
        return (false, false);
    }
    (!untolerated(&TaintEffect::NoSchedule), true)
}

/// Returns the daemon pods that would run on a node that does not exist yet, bound to that node.
#[must_use]
pub fn daemon_pods_on(objects: &Objects, node: &Node) -> Vec<Arc<Pod>> {
    let sets = objects
        .list::<DaemonSet>()
        .filter(|set| !set.metadata.is_terminating() && should_run_and_may_stay(set, node).0);
    let pods = sets.map(|set| {
        let template = Template::of(&set.spec.template);
        let mut pod = template.pod(&set.metadata.namespace, "", controller_ref(&**set));
        pod.metadata.name = format!("{}-{}", set.metadata.name, node.metadata.name).into();
        pod.metadata.uid = podscope_api::Uid(format!("{}-{}", set.metadata.uid, node.metadata.name).into());
        pod.spec.node_name = Some(NodeName(node.metadata.name.clone()));
        Arc::new(pod)
    });
    pods.collect()
}

impl Controller for DaemonSetController {
    fn name(&self) -> &'static str {
        "daemonset-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::DaemonSet, Kind::Pod, Kind::Node]
    }

    fn waits_for_own_writes(&self) -> bool {
        true
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::DaemonSet(set)) => cx.enqueue(key_of(&**set)),
            Some(Object::Pod(_)) => {
                let (old, new) = owner::pods_of_change(change);
                let (old, new) = (old.map(|pod| &pod.metadata), new.map(|pod| &pod.metadata));
                for meta in [old, new].into_iter().flatten() {
                    let Some(key) = controller_of::<DaemonSet>(cx.objects, meta).map(|set| key_of(&**set)) else {
                        continue;
                    };
                    if new.is_none_or(|new| new.is_terminating()) {
                        self.expectations.deletion_observed(&key, &meta.key());
                    } else if old.is_none() {
                        self.expectations.creation_observed(&key);
                    }
                }
                for key in owner::affected_owners::<DaemonSet>(cx, old, new, |set| set.spec.selector.clone()) {
                    cx.enqueue(key);
                }
            }
            Some(Object::Node(_)) => {
                let node = |object: &Option<Object>| match object {
                    Some(Object::Node(node)) => Some(node.clone()),
                    _ => None,
                };
                let (old, new) = (node(&change.old), node(&change.new));
                let sets: Vec<Arc<DaemonSet>> = cx.objects.list::<DaemonSet>().cloned().collect();
                for set in sets {
                    let place =
                        |node: &Option<Arc<Node>>| node.as_ref().map(|node| should_run_and_may_stay(&set, node));
                    if place(&old) != place(&new) {
                        cx.enqueue(key_of(&*set));
                    }
                }
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(set) = cx.objects.get::<DaemonSet>(&key.1).cloned() else {
            self.expectations.forget(key);
            self.backoff.retain(|(of, _), _| of != key);
            return Plan::default();
        };
        if cx.objects.assumed().is_left_alone(&set.metadata.uid) {
            return Plan::default();
        }
        let selector = set.spec.selector.clone().unwrap_or_default();
        let claimed = owner::claim_dependents::<DaemonSet, Pod>(&set, &selector, owner::pod_candidates(cx, &*set));
        let mut plan = Plan::default();
        for step in claimed.steps {
            plan = plan.then(step);
        }
        if set.metadata.is_terminating() {
            return plan;
        }
        let template = Template::of(&set.spec.template);
        let history = revision::revision_history(cx.objects, &*set, &template, set.status.collision_count);
        plan = plan.then(history.action.clone().into_iter().collect());
        let hash = revision::hash_of(&history.update);
        let by_node = pods_by_node(&claimed.owned);
        let mut changes = DaemonPodChanges {
            template,
            hash: hash.clone(),
            create: Vec::new(),
            delete: ordered::Map::new(),
            requeue: None,
        };
        if self.expectations.are_satisfied(key, cx.now()) {
            self.plan_changes(key, &set, &by_node, &claimed.owned, &mut changes, cx);
            if changes.create.is_empty()
                && changes.delete.is_empty()
                && set.spec.update_strategy.kind != Some(UpdateStrategyType::OnDelete)
            {
                roll(&set, &by_node, &mut changes, cx);
            }
            plan = self.apply_changes(plan, key, &set, changes, cx);
        } else {
            plan = plan.requeue_after(changes.requeue);
        }
        let status = status_of(&set, &by_node, &hash, cx);
        if status != set.status {
            let mut updated = (*set).clone();
            updated.status = status;
            let update = Request::Update(Object::DaemonSet(Arc::new(updated)), Part::Status);
            plan = plan.then_action(Action::from(update).even_after_failure());
        }
        let live: ordered::Set<Str> = claimed
            .owned
            .iter()
            .map(|pod| revision_hash_of_pod(pod).into())
            .collect();
        let next_check = next_available_in(&claimed.owned, set.spec.min_ready_seconds, cx.ctx.wall());
        plan.then(revision::truncate_history(
            &history,
            set.spec.revision_history_limit,
            &live,
        ))
        .requeue_after(next_check)
    }

    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, _cx: &mut ControllerContext<'_, '_>) {
        match (request, answer) {
            (Request::Create(Object::Pod(_)), Err(_)) => self.expectations.creation_observed(key),
            (Request::Delete { key: pod, .. }, Err(_)) => self.expectations.deletion_observed(key, pod),
            _ => {}
        }
    }

    fn failed(&mut self, key: &Key, failure: &Failure, _cx: &mut ControllerContext<'_, '_>) -> Plan {
        for dropped in &failure.dropped {
            match dropped {
                Request::Create(Object::Pod(_)) => self.expectations.creation_observed(key),
                Request::Delete { key: pod, .. } => self.expectations.deletion_observed(key, pod),
                _ => {}
            }
        }
        Plan::default()
    }
}

/// The changes of one sync: the nodes that get a new pod, the pods to delete, and the delay until the next sync.
struct DaemonPodChanges {
    template: Template,
    hash: Str,
    create: Vec<NodeName>,
    delete: ordered::Map<podscope_api::ObjectKey, Arc<Pod>>,
    requeue: Option<Span>,
}

impl DaemonPodChanges {
    fn add_deletion(&mut self, pod: &Arc<Pod>) {
        if !pod.metadata.is_terminating() {
            self.delete.insert(pod.metadata.key(), pod.clone());
        }
    }
}

fn revision_hash_of_pod(pod: &Pod) -> &str {
    pod.metadata.label(REVISION_LABEL).unwrap_or_default()
}

/// Groups the set's pods by target node, without those that are both finished and terminating (CT-088).
fn pods_by_node(pods: &[Arc<Pod>]) -> ordered::Map<NodeName, Vec<Arc<Pod>>> {
    let mut map: ordered::Map<NodeName, Vec<Arc<Pod>>> = ordered::Map::new();
    for pod in pods
        .iter()
        .filter(|pod| !(pod.is_terminal() && pod.metadata.is_terminating()))
    {
        if let Some(node) = target_node(pod) {
            map.entry(node).or_default().push(pod.clone());
        }
    }
    for pods in map.values_mut() {
        // Bound pods come first.
        pods.stable_sort_by_key(|pod| {
            (
                pod.spec.node_name.is_none(),
                pod.metadata.creation_timestamp,
                pod.metadata.name.clone(),
            )
        });
    }
    map
}

impl DaemonSetController {
    /// Decides which nodes need a pod, and which pods must be deleted.
    fn plan_changes(
        &mut self,
        key: &Key,
        set: &DaemonSet,
        by_node: &ordered::Map<NodeName, Vec<Arc<Pod>>>,
        owned: &[Arc<Pod>],
        changes: &mut DaemonPodChanges,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        let with_surge = allows_surge(set);
        let nodes: Vec<Arc<Node>> = cx.objects.list::<Node>().cloned().collect();
        for node in &nodes {
            let name = NodeName::from(&*node.metadata.name);
            let (should_run, may_stay) = should_run_and_may_stay(set, node);
            let pods = by_node.get(&name).map(Vec::as_slice).unwrap_or_default();
            if should_run && pods.is_empty() {
                changes.create.push(name);
            } else if may_stay {
                let n_running = self.manage_node(key, set, &name, pods, with_surge, changes, cx);
                // With surge, a node whose pods have all failed, finished or begun to terminate gets a new pod at once.
                if with_surge && should_run && n_running == 0 {
                    changes.create.push(name);
                }
            } else {
                pods.iter().for_each(|pod| changes.add_deletion(pod));
            }
        }
        // Delete pending pods whose target node no longer exists (CT-090).
        for pod in owned.iter().filter(|pod| pod.spec.node_name.is_none()) {
            if target_node(pod).is_none_or(|node| cx.objects.named::<Node>(&node).is_none()) {
                changes.add_deletion(pod);
            }
        }
    }

    /// Deletes failed, finished and excess pods of a node; returns the number of running pods.
    #[expect(clippy::too_many_arguments, reason = "the parameters of one node in a pass")]
    fn manage_node(
        &mut self,
        key: &Key,
        set: &DaemonSet,
        node: &NodeName,
        pods: &[Arc<Pod>],
        with_surge: bool,
        changes: &mut DaemonPodChanges,
        cx: &mut ControllerContext<'_, '_>,
    ) -> usize {
        let mut running = Vec::new();
        for pod in pods.iter().filter(|pod| !pod.metadata.is_terminating()) {
            if is_failed(pod) {
                self.replace_failed_pod(key, set, node, pod, changes, cx);
            } else if is_succeeded(pod) {
                let text = format!(
                    "Found succeeded daemon pod {} on node {node}, will try to delete it",
                    pod.metadata.key()
                );
                cx.emit_event(note(set, EventType::Normal, "SucceededDaemonPod", text));
                changes.add_deletion(pod);
            } else {
                running.push(pod);
            }
        }
        // Keep the oldest pod. With surge, keep the oldest pod of the new and of an old revision, as long as the old
        // pod is ready and the new one is not available.
        let (mut oldest_new, mut oldest_old) = (None, None);
        for pod in &running {
            let is_new = with_surge && revision_hash_of_pod(pod) == &*changes.hash;
            let kept = if is_new { &mut oldest_new } else { &mut oldest_old };
            if kept.is_none() {
                *kept = Some(*pod);
            } else {
                changes.add_deletion(pod);
            }
        }
        if let (Some(new), Some(old)) = (oldest_new, oldest_old)
            && (!old.is_ready() || is_available(new, set.spec.min_ready_seconds, cx.ctx.wall()))
        {
            changes.add_deletion(old);
        }
        running.len()
    }

    fn replace_failed_pod(
        &mut self,
        key: &Key,
        set: &DaemonSet,
        node: &NodeName,
        pod: &Arc<Pod>,
        changes: &mut DaemonPodChanges,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        let now = cx.now();
        let place = (key.clone(), node.clone());
        if let Some((until, _)) = self.backoff.get(&place).filter(|(until, _)| *until > now) {
            let remaining = *until - now;
            changes.requeue = Some(changes.requeue.map_or(remaining, |earliest| earliest.min(remaining)));
            return;
        }
        let wait = self
            .backoff
            .get(&place)
            .map_or(FAILED_POD_BACKOFF.0, |(_, wait)| wait.doubled(FAILED_POD_BACKOFF.1));
        self.backoff.insert(place, (now + wait, wait));
        let text = format!(
            "Found failed daemon pod {} on node {node}, will try to kill it",
            pod.metadata.key()
        );
        cx.emit_event(note(set, EventType::Warning, "FailedDaemonPod", text));
        changes.add_deletion(pod);
    }

    fn apply_changes(
        &mut self,
        plan: Plan,
        key: &Key,
        set: &DaemonSet,
        mut changes: DaemonPodChanges,
        cx: &ControllerContext<'_, '_>,
    ) -> Plan {
        changes.create.truncate(BURST_REPLICAS);
        let delete: Vec<Arc<Pod>> = changes.delete.into_values().take(BURST_REPLICAS).collect();
        if !changes.create.is_empty() || !delete.is_empty() {
            let keys = delete.iter().map(|pod| pod.metadata.key()).collect();
            self.expectations.expect(key, changes.create.len(), keys, cx.now());
        }
        let create = changes.create.iter().map(|node| {
            let pod = daemon_pod(set, &changes.template, &changes.hash, node);
            Action::from(Request::Create(Object::Pod(Arc::new(pod))))
                .accept(Accept::OrNamespaceTerminating)
                .on_success(note(set, EventType::Normal, "SuccessfulCreate", "Created pod: {name}"))
                .on_failure(note(set, EventType::Warning, "FailedCreate", "Error creating: {error}"))
        });
        plan.then_in_growing_batches(create.collect())
            .then(delete.iter().map(|pod| delete_pod(set, pod)).collect())
            .requeue_after(changes.requeue)
    }
}

/// Builds the daemon pod of a node: pinned to the node by affinity, with the additional tolerations (CT-087).
fn daemon_pod(set: &DaemonSet, template: &Template, hash: &str, node: &NodeName) -> Pod {
    let mut pod = template.pod(
        &set.metadata.namespace,
        &format!("{}-", set.metadata.name),
        controller_ref(set),
    );
    set_entry(&mut pod.metadata.labels, REVISION_LABEL, hash);
    if let Some(generation) = set.metadata.annotation(annotation::TEMPLATE_GENERATION) {
        set_entry(&mut pod.metadata.labels, "pod-template-generation", generation);
    }
    let mut affinity = pod.spec.affinity.as_deref().cloned().unwrap_or_else(Affinity::default);
    let mut node_affinity = affinity.node_affinity.take().unwrap_or_default();
    node_affinity.required_during_scheduling_ignored_during_execution = Some(NodeSelector {
        node_selector_terms: vec![node_name_term(node)],
    });
    affinity.node_affinity = Some(node_affinity);
    pod.spec.affinity = Some(Arc::new(affinity));
    let mut all = pod.spec.tolerations.to_vec();
    for toleration in daemon_tolerations(pod.spec.host_network == Some(true)) {
        if !all.contains(&toleration) {
            all.push(toleration);
        }
    }
    pod.spec.tolerations = Arc::new(all);
    pod
}

fn status_of(
    set: &DaemonSet,
    by_node: &ordered::Map<NodeName, Vec<Arc<Pod>>>,
    hash: &str,
    cx: &ControllerContext<'_, '_>,
) -> DaemonSetStatus {
    let now = cx.ctx.wall();
    let (mut desired, mut current, mut misscheduled, mut ready, mut updated, mut available) = (0, 0, 0, 0, 0, 0);
    for node in cx.objects.list::<Node>() {
        let pods = by_node.get(&*node.metadata.name).map(Vec::as_slice).unwrap_or_default();
        if !should_run_and_may_stay(set, node).0 {
            misscheduled += i32::from(!pods.is_empty());
            continue;
        }
        desired += 1;
        let Some(oldest) = pods.first() else { continue };
        current += 1;
        ready += i32::from(oldest.is_ready());
        available += i32::from(oldest.is_ready() && is_available(oldest, set.spec.min_ready_seconds, now));
        updated += i32::from(revision_hash_of_pod(oldest) == hash);
    }
    let some = |count: i32| (count > 0).then_some(count);
    DaemonSetStatus {
        current_number_scheduled: current,
        number_misscheduled: misscheduled,
        desired_number_scheduled: desired,
        number_ready: ready,
        observed_generation: set.metadata.generation,
        updated_number_scheduled: some(updated),
        number_available: some(available),
        number_unavailable: some(desired - available),
        collision_count: set.status.collision_count,
    }
}
