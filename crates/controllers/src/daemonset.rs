//! DaemonSet: one pod on every node that fits (C-03, CT-087 to CT-090).
//!
//! Watches DaemonSets, pods and nodes; compares the nodes a daemon should run
//! on with the pods bound or pinned to them. Its pods tolerate a lost node for
//! ever, so none is evicted and none replaced while the node is cut off (CT-038).

mod rolling;

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{
    Affinity, DaemonSet, DaemonSetStatus, EventType, Kind, Node, NodeName, NodeSelector, Object, Pod, Str, Taint,
    TaintEffect, Toleration, TolerationOperator, UpdateStrategyType,
};

use podscope_sim::{Answer, Change, Part, Request, SimTime, Span};

use super::controller::{Controller, ControllerContext, note};
use super::expectations::Expectations;
use super::node_selector::{pin, target};
use super::owner::{self, controller_of, controller_ref};
use super::plan::{Accept, Action, Failure, Plan};
use super::pod_util::{is_available, is_failed, is_succeeded, next_available_in};
use super::queue::{Key, key_of};
use super::replicaset::delete_pod;
use super::revision::{self, REVISION_LABEL};
use super::template::{Template, set_entry};
use rolling::{bounds, roll};

/// Creations and deletions of one sync.
const BURST: usize = 250;
/// A failed daemon pod is replaced after this long, doubling with each failure on its node.
const BACKOFF: (Span, Span) = (Span::seconds(1), Span::seconds(900));

#[derive(Debug, Clone, Default)]
pub(super) struct DaemonSetController {
    expectations: Expectations,
    /// When a failed pod of a set on a node may be replaced, and the wait after that.
    backoff: ordered::Map<(Key, NodeName), (SimTime, Span)>,
}

impl DaemonSetController {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self::default())
    }
}

/// The older number of a template, which its pods carry as a label.
const GENERATION: &str = "deprecated.daemonset.template.generation";

/// What daemons tolerate beyond their template (CT-087).
fn tolerations(host_network: bool) -> Vec<Toleration> {
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

/// Whether a daemon should be on the node, and whether one that is there may stay (CT-089).
fn belongs(set: &DaemonSet, node: &Node) -> (bool, bool) {
    let spec = &set.spec.template.spec;
    let name_fits = spec.node_name.as_ref().is_none_or(|name| *name == *node.metadata.name);
    if !name_fits || !spec.selects(node) {
        return (false, false);
    }
    let mut tolerated: Vec<Toleration> = spec.tolerations.to_vec();
    tolerated.extend(tolerations(spec.host_network == Some(true)));
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
                for key in owner::concerned::<DaemonSet>(cx, old, new, |set| set.spec.selector.clone()) {
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
                    let place = |node: &Option<Arc<Node>>| node.as_ref().map(|node| belongs(&set, node));
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
        let claimed = owner::claim::<DaemonSet, Pod>(&set, &selector, owner::pod_candidates(cx, &*set));
        let mut plan = Plan::default();
        for step in claimed.steps {
            plan = plan.then(step);
        }
        if set.metadata.is_terminating() {
            return plan;
        }
        let template = Template::of(&set.spec.template);
        let history = revision::history(cx.objects, &*set, &template, set.status.collision_count);
        plan = plan.then(history.action.clone().into_iter().collect());
        let hash = revision::hash_of(&history.update);
        let by_node = by_node(&claimed.owned);
        let mut work = Work {
            template,
            hash: hash.clone(),
            create: Vec::new(),
            delete: ordered::Map::new(),
            requeue: None,
        };
        if self.expectations.are_satisfied(key, cx.now()) {
            self.place(key, &set, &by_node, &claimed.owned, &mut work, cx);
            if work.create.is_empty()
                && work.delete.is_empty()
                && set.spec.update_strategy.kind != Some(UpdateStrategyType::OnDelete)
            {
                roll(&set, &by_node, &mut work, cx);
            }
            plan = self.act(plan, key, &set, work, cx);
        } else {
            plan = plan.requeue_after(work.requeue);
        }
        let status = status_of(&set, &by_node, &hash, cx);
        if status != set.status {
            let mut updated = (*set).clone();
            updated.status = status;
            let update = Request::Update(Object::DaemonSet(Arc::new(updated)), Part::Status);
            plan = plan.then_one(Action::from(update).always());
        }
        let live: ordered::Set<Str> = claimed.owned.iter().map(|pod| hash_of_pod(pod).into()).collect();
        let soon = next_available_in(&claimed.owned, set.spec.min_ready_seconds, cx.ctx.wall());
        plan.then(revision::truncate(&history, set.spec.revision_history_limit, &live))
            .requeue_after(soon)
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

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

struct Work {
    template: Template,
    hash: Str,
    create: Vec<NodeName>,
    delete: ordered::Map<podscope_api::ObjectKey, Arc<Pod>>,
    requeue: Option<Span>,
}

impl Work {
    fn delete(&mut self, pod: &Arc<Pod>) {
        if !pod.metadata.is_terminating() {
            self.delete.insert(pod.metadata.key(), pod.clone());
        }
    }
}

fn hash_of_pod(pod: &Pod) -> &str {
    pod.metadata.label(REVISION_LABEL).unwrap_or_default()
}

/// The set's pods by the node they are for; those that are finished and going do not count (CT-088).
fn by_node(pods: &[Arc<Pod>]) -> ordered::Map<NodeName, Vec<Arc<Pod>>> {
    let mut map: ordered::Map<NodeName, Vec<Arc<Pod>>> = ordered::Map::new();
    for pod in pods
        .iter()
        .filter(|pod| !(pod.is_terminal() && pod.metadata.is_terminating()))
    {
        if let Some(node) = target(pod) {
            map.entry(node).or_default().push(pod.clone());
        }
    }
    for pods in map.values_mut() {
        pods.stable_sort_by_key(|pod| (pod.metadata.creation_timestamp, pod.metadata.name.clone()));
    }
    map
}

impl DaemonSetController {
    /// Which nodes need a pod, which pods must go.
    fn place(
        &mut self,
        key: &Key,
        set: &DaemonSet,
        by_node: &ordered::Map<NodeName, Vec<Arc<Pod>>>,
        owned: &[Arc<Pod>],
        work: &mut Work,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        let surges = bounds(set, by_node.len().max(1)).1 > 0;
        let nodes: Vec<Arc<Node>> = cx.objects.list::<Node>().cloned().collect();
        for node in &nodes {
            let name = NodeName::from(&*node.metadata.name);
            let (should_run, may_stay) = belongs(set, node);
            let pods = by_node.get(&name).map(Vec::as_slice).unwrap_or_default();
            if should_run && pods.is_empty() {
                work.create.push(name);
            } else if may_stay {
                self.tend(key, set, &name, pods, surges, work, cx);
            } else {
                pods.iter().for_each(|pod| work.delete(pod));
            }
        }
        // Pods that wait for a node that is gone (CT-090).
        for pod in owned.iter().filter(|pod| pod.spec.node_name.is_none()) {
            if target(pod).is_none_or(|node| cx.objects.named::<Node>(&node).is_none()) {
                work.delete(pod);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one node's part of a pass")]
    fn tend(
        &mut self,
        key: &Key,
        set: &DaemonSet,
        node: &NodeName,
        pods: &[Arc<Pod>],
        surges: bool,
        work: &mut Work,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        let mut running = Vec::new();
        for pod in pods.iter().filter(|pod| !pod.metadata.is_terminating()) {
            if is_failed(pod) {
                self.replace_failed(key, set, node, pod, work, cx);
            } else if is_succeeded(pod) {
                let text = format!(
                    "Found succeeded daemon pod {} on node {node}, will try to delete it",
                    pod.metadata.key()
                );
                cx.event(note(set, EventType::Normal, "SucceededDaemonPod", text));
                work.delete(pod);
            } else {
                running.push(pod);
            }
        }
        // The oldest stays; with surge, the oldest of each revision.
        let mut kept: ordered::Set<bool> = ordered::Set::new();
        for pod in running {
            let is_new = surges && hash_of_pod(pod) == &*work.hash;
            if !kept.insert(is_new) {
                work.delete(pod);
            }
        }
    }

    fn replace_failed(
        &mut self,
        key: &Key,
        set: &DaemonSet,
        node: &NodeName,
        pod: &Arc<Pod>,
        work: &mut Work,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        let now = cx.now();
        let place = (key.clone(), node.clone());
        if let Some((until, _)) = self.backoff.get(&place).filter(|(until, _)| *until > now) {
            let rest = *until - now;
            work.requeue = Some(work.requeue.map_or(rest, |least| least.min(rest)));
            return;
        }
        let wait = self
            .backoff
            .get(&place)
            .map_or(BACKOFF.0, |(_, wait)| Span((wait.0 * 2).min(BACKOFF.1.0)));
        self.backoff.insert(place, (now + wait, wait));
        let text = format!(
            "Found failed daemon pod {} on node {node}, will try to kill it",
            pod.metadata.key()
        );
        cx.event(note(set, EventType::Warning, "FailedDaemonPod", text));
        work.delete(pod);
    }

    fn act(&mut self, plan: Plan, key: &Key, set: &DaemonSet, mut work: Work, cx: &ControllerContext<'_, '_>) -> Plan {
        work.create.truncate(BURST);
        let delete: Vec<Arc<Pod>> = work.delete.into_values().take(BURST).collect();
        if !work.create.is_empty() || !delete.is_empty() {
            let keys = delete.iter().map(|pod| pod.metadata.key()).collect();
            self.expectations.expect(key, work.create.len(), keys, cx.now());
        }
        let create = work.create.iter().map(|node| {
            let pod = pod_for(set, &work.template, &work.hash, node);
            Action::from(Request::Create(Object::Pod(Arc::new(pod))))
                .accept(Accept::OrNamespaceTerminating)
                .on_success(note(set, EventType::Normal, "SuccessfulCreate", "Created pod: {name}"))
                .on_failure(note(set, EventType::Warning, "FailedCreate", "Error creating: {error}"))
        });
        plan.then_slowly(create.collect())
            .then(delete.iter().map(|pod| delete_pod(set, pod)).collect())
            .requeue_after(work.requeue)
    }
}

/// The pod of a node: pinned by name, with the daemons' tolerations (CT-087).
fn pod_for(set: &DaemonSet, template: &Template, hash: &str, node: &NodeName) -> Pod {
    let mut pod = template.pod(
        &set.metadata.namespace,
        &format!("{}-", set.metadata.name),
        controller_ref(set),
    );
    set_entry(&mut pod.metadata.labels, REVISION_LABEL, hash);
    if let Some(generation) = set.metadata.annotation(GENERATION) {
        set_entry(&mut pod.metadata.labels, "pod-template-generation", generation);
    }
    let mut affinity = pod.spec.affinity.as_deref().cloned().unwrap_or_else(Affinity::default);
    let mut of_nodes = affinity.node_affinity.take().unwrap_or_default();
    of_nodes.required_during_scheduling_ignored_during_execution = Some(NodeSelector {
        node_selector_terms: vec![pin(node)],
    });
    affinity.node_affinity = Some(of_nodes);
    pod.spec.affinity = Some(Arc::new(affinity));
    let mut all = pod.spec.tolerations.to_vec();
    for toleration in tolerations(pod.spec.host_network == Some(true)) {
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
        if !belongs(set, node).0 {
            misscheduled += i32::from(!pods.is_empty());
            continue;
        }
        desired += 1;
        let Some(oldest) = pods.first() else { continue };
        current += 1;
        ready += i32::from(oldest.is_ready());
        available += i32::from(oldest.is_ready() && is_available(oldest, set.spec.min_ready_seconds, now));
        updated += i32::from(pods.iter().any(|pod| hash_of_pod(pod) == hash));
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

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;

    fn agent(more: &str) -> String {
        format!(
            "{{apiVersion: apps/v1, kind: DaemonSet, metadata: {{name: agent}}, spec: {{{more} selector: {{matchLabels: {{app: agent}}}}, \
             template: {{metadata: {{labels: {{app: agent}}}}, spec: {{containers: [{{name: c, image: 'i:1'}}]}}}}}}}}"
        )
    }

    fn nodes(lab: &Lab) -> Vec<String> {
        let mut nodes: Vec<String> = lab
            .objects()
            .list::<Pod>()
            .filter_map(|pod| target(pod))
            .map(|node| node.0.to_string())
            .collect();
        nodes.stable_sort();
        nodes
    }

    fn images(lab: &Lab) -> Vec<String> {
        lab.objects()
            .list::<Pod>()
            .map(|pod| pod.spec.containers[0].image.to_string())
            .collect()
    }

    /// One on each node that fits; NoSchedule keeps, NoExecute removes.
    /// Shows: C-03, CT-087, CT-089, CT-090
    #[test]
    fn a_daemon_set_has_one_pod_a_node() {
        let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &agent(""));
        lab.run(Span::seconds(3));
        assert_eq!(nodes(&lab), ["a-1", "b-1", "c-1"]);
        let pod = lab.objects().list::<Pod>().next().unwrap().clone();
        assert!(
            pod.spec
                .tolerations
                .iter()
                .any(|toleration| &*toleration.key == "node.kubernetes.io/unreachable"
                    && toleration.toleration_seconds.is_none())
        );
        for (node, effect) in [("a-1", TaintEffect::NoSchedule), ("b-1", TaintEffect::NoExecute)] {
            lab.edit::<Node>(node, move |node| {
                node.spec.taints.push(Taint {
                    key: "mine".into(),
                    effect: effect.clone(),
                    ..Taint::default()
                });
            });
        }
        lab.run(Span::seconds(3));
        assert_eq!(nodes(&lab), ["a-1", "c-1"]);
        let status = lab.get::<DaemonSet>("agent").unwrap().status.clone();
        assert_eq!(
            (
                status.desired_number_scheduled,
                status.number_misscheduled,
                status.number_ready
            ),
            (1, 1, 1)
        );
        lab.apply("{apiVersion: v1, kind: Node, metadata: {name: d-1}}");
        lab.run(Span::seconds(3));
        assert_eq!(nodes(&lab), ["a-1", "c-1", "d-1"]);
        lab.delete(Kind::Node, "d-1", None);
        lab.run(Span::seconds(3));
        assert_eq!(nodes(&lab), ["a-1", "c-1"], "CT-090: pinned to a node that is gone");
    }

    /// On a lost node nothing is evicted, nothing replaced; a terminating pod blocks its node.
    /// Shows: CT-038, CT-088
    #[test]
    fn a_daemon_set_keeps_its_pod_on_a_lost_node() {
        let mut lab = Lab::new(&["a-1", "b-1"], &agent(""));
        lab.run(Span::seconds(3));
        lab.partition("a-1");
        lab.run(Span::seconds(900));
        assert_eq!(lab.pods().iter().filter(|pod| pod.starts_with('!')).count(), 1);
        let lost = lab
            .objects()
            .pods_on(&"a-1".into())
            .next()
            .unwrap()
            .metadata
            .name
            .to_string();
        lab.delete(Kind::Pod, &lost, None);
        lab.run(Span::seconds(60));
        assert_eq!(nodes(&lab), ["a-1", "b-1"]);
        lab.delete(Kind::Pod, &lost, Some(0));
        lab.run(Span::seconds(3));
        assert_eq!(
            nodes(&lab),
            ["b-1"],
            "the NoSchedule taint of a lost node is not tolerated"
        );
        lab.heal("a-1");
        lab.run(Span::seconds(10));
        assert_eq!(nodes(&lab), ["a-1", "b-1"]);
    }

    /// Failed pods are replaced with back-off.
    /// Shows: CT-088
    #[test]
    fn a_failed_pod_of_a_daemon_set_is_replaced() {
        let mut lab = Lab::new(&["a-1"], &agent(""));
        lab.run(Span::seconds(3));
        let name = lab.pods()[0].clone();
        lab.edit::<Pod>(&name, |pod| pod.status.phase = Some(podscope_api::PodPhase::Failed));
        lab.run(Span::seconds(3));
        assert_ne!(lab.pods()[0], name);
        let text =
            format!("agent FailedDaemonPod: Found failed daemon pod default/{name} on node a-1, will try to kill it");
        assert!(lab.events.contains(&text), "{:?}", lab.events);
    }

    /// An update replaces one at a time; with surge the new pod comes first.
    /// Shows: C-03, CT-177
    #[test]
    fn a_daemon_set_is_updated_node_by_node() {
        for (more, most) in [
            ("", 3),
            (
                "updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}},",
                4,
            ),
        ] {
            let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &agent(more));
            lab.run(Span::seconds(3));
            lab.edit::<DaemonSet>("agent", |set| {
                let template = Arc::make_mut(&mut set.spec.template);
                Arc::make_mut(&mut template.spec.containers)[0].image = "i:2".into();
            });
            let (mut least_ready, mut seen) = (3, 0);
            for _ in 0..2000 {
                lab.run(Span::millis(10));
                let ready = lab
                    .objects()
                    .list::<Pod>()
                    .filter(|pod| pod.is_ready() && !pod.metadata.is_terminating())
                    .count();
                least_ready = least_ready.min(ready);
                seen = seen.max(lab.pods().len());
            }
            assert_eq!(images(&lab), ["i:2"; 3], "{more}");
            assert!(least_ready >= if most == 4 { 3 } else { 2 }, "{more} {least_ready}");
            assert!(seen <= most + 1, "{more} {seen}");
        }
    }
}
