//! PodGC: deletes pods that no kubelet will delete (CT-045 to CT-051).
//!
//! Every 20 s it deletes, in this order: finished pods beyond the threshold, terminating pods on unready nodes that are
//! out of service, pods whose node has been missing for 40 s, and terminating pods that were never bound. It is the
//! only controller that may force-delete pods (C-05).

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::condition;
use std::sync::Arc;

use podscope_api::{CausedBy, ConditionStatus, Kind, Node, NodeName, Object, ObjectKey, Pod, PodPhase};

use podscope_sim::{Answer, Change, DeleteOptions, Mutation, Part, Request, SimTime, Span};

use super::controller::{Controller, ControllerContext};
use super::plan::{Accept, Action, Plan};
use super::pod_util::set_condition;
use super::queue::Key;
use super::taints::is_out_of_service;

const GC_PERIOD: Span = Span::seconds(20);
/// Time that a Node must be missing before PodGC deletes the pods that are bound to it.
const MISSING_NODE_QUARANTINE: Span = Span::seconds(40);

/// Why a pod is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeletionReason {
    Terminated,
    OutOfService,
    Orphaned,
    Unscheduled,
}

#[derive(Debug, Clone, Default)]
pub(super) struct PodGcController {
    /// Finished pods, so that a pass does not have to scan all pods.
    terminal: ordered::Set<ObjectKey>,
    /// Terminating pods, each with the change that first showed that it is terminating.
    terminating: ordered::Map<ObjectKey, CausedBy>,
    /// Missing nodes, each with the change that showed that it is missing: the deletion of the node, or a change of a
    /// pod that is bound to it.
    missing: ordered::Map<NodeName, CausedBy>,
    quarantine: ordered::Map<NodeName, (SimTime, CausedBy)>,
    to_delete: ordered::Map<ObjectKey, DeletionReason>,
}

impl Controller for PodGcController {
    fn name(&self) -> &'static str {
        "pod-garbage-collector-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Pod, Kind::Node]
    }

    fn started(&mut self, cx: &mut ControllerContext<'_, '_>) {
        if !cx.ctx.switches.podgc_absent {
            cx.tick_at(cx.now(), 0);
        }
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match (&change.old, &change.new) {
            (Some(Object::Node(node)), None) => {
                self.missing.insert((&*node.metadata.name).into(), cx.ctx.caused_by());
            }
            (Some(Object::Pod(pod)), None) => {
                let key = pod.metadata.key();
                self.terminal.remove(&key);
                self.terminating.remove(&key);
                self.to_delete.remove(&key);
            }
            (_, Some(Object::Pod(pod))) => {
                let key = pod.metadata.key();
                if pod.metadata.is_terminating() {
                    self.terminating.entry(key.clone()).or_insert(cx.ctx.caused_by());
                }
                if pod.is_terminal() {
                    self.terminal.insert(key);
                }
                if let Some(node) = &pod.spec.node_name
                    && cx.objects.named::<Node>(node).is_none()
                {
                    self.missing.entry(node.clone()).or_insert(cx.ctx.caused_by());
                }
            }
            _ => {}
        }
    }

    fn tick(&mut self, _tick: u8, cx: &mut ControllerContext<'_, '_>) {
        self.collect_garbage(cx);
        cx.tick_at(cx.now() + GC_PERIOD, 0);
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if key.0 == Kind::Node {
            // The node is missing in the cache; verify with the API server.
            let read = Request::Get {
                kind: Kind::Node,
                key: key.1.clone(),
            };
            return Plan::one(Action::from(read).accept(Accept::OnlyNotFound));
        }
        let (Some(why), Some(pod)) = (self.to_delete.remove(&key.1), cx.objects.get::<Pod>(&key.1)) else {
            return Plan::default();
        };
        let mut plan = Plan::default();
        if !pod.is_terminal() {
            let now = cx.time();
            let change = Mutation::new("collection", move |pod: &mut Pod| {
                pod.status.phase = Some(PodPhase::Failed);
                if why == DeletionReason::Orphaned {
                    let text = "PodGC: node no longer exists";
                    set_condition(
                        pod,
                        condition::DISRUPTION_TARGET,
                        ConditionStatus::True,
                        "DeletionByPodGC",
                        text,
                        now,
                    );
                }
            });
            let patch = Action::from(Request::Patch {
                kind: Kind::Pod,
                key: key.1.clone(),
                uid: Some(pod.metadata.uid.clone()),
                part: Part::Status,
                change,
            });
            // The patch to Failed and the DELETE are two writes: a crash of the controller between them leaves a Failed
            // pod (CT-051).
            plan = plan.then_action(patch.accept(Accept::OrStop));
        }
        let delete = Request::Delete {
            kind: Kind::Pod,
            key: key.1.clone(),
            options: DeleteOptions {
                grace_seconds: Some(0),
                ..DeleteOptions::default()
            },
        };
        plan.then_action(Action::from(delete).accept(Accept::OrStop))
    }

    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, cx: &mut ControllerContext<'_, '_>) {
        let Request::Get { .. } = request else { return };
        if answer.as_ref().is_err_and(|error| error.code == 404) {
            let node = NodeName(key.1.name.clone());
            let pods: Vec<ObjectKey> = cx.objects.pods_on(&node).map(|pod| pod.metadata.key()).collect();
            for pod in pods {
                self.mark_for_deletion(pod, DeletionReason::Orphaned, cx);
            }
        }
    }
}

impl PodGcController {
    fn mark_for_deletion(&mut self, pod: ObjectKey, why: DeletionReason, cx: &mut ControllerContext<'_, '_>) {
        self.to_delete.insert(pod.clone(), why);
        cx.enqueue((Kind::Pod, pod));
    }

    fn collect_garbage(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let threshold = cx.settings.terminated_pod_gc_threshold;
        if threshold > 0 {
            for pod in excess_pods(cx, &self.terminal, threshold) {
                self.mark_for_deletion(pod, DeletionReason::Terminated, cx);
            }
        }
        let terminating: Vec<(Arc<Pod>, CausedBy)> = self
            .terminating
            .iter()
            .filter_map(|(key, cause)| Some((cx.objects.get::<Pod>(key)?.clone(), *cause)))
            .collect();
        for (pod, cause) in &terminating {
            cx.ctx.set_cause(*cause);
            let node = pod
                .spec
                .node_name
                .as_ref()
                .and_then(|name| cx.objects.named::<Node>(name));
            if node.is_some_and(|node| !node.is_ready() && is_out_of_service(node)) {
                self.mark_for_deletion(pod.metadata.key(), DeletionReason::OutOfService, cx);
            }
        }
        self.check_missing_nodes(cx);
        for (pod, cause) in terminating.iter().filter(|(pod, _)| pod.spec.node_name.is_none()) {
            cx.ctx.set_cause(*cause);
            self.mark_for_deletion(pod.metadata.key(), DeletionReason::Unscheduled, cx);
        }
    }

    fn check_missing_nodes(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        self.missing
            .retain(|node, _| cx.objects.pods_on(node).next().is_some() && cx.objects.named::<Node>(node).is_none());
        for (node, cause) in &self.missing {
            let entry = self.quarantine.entry(node.clone());
            entry.or_insert((now + MISSING_NODE_QUARANTINE, *cause));
        }
        let due: Vec<(NodeName, CausedBy)> = self
            .quarantine
            .iter()
            .filter(|(_, (until, _))| *until <= now)
            .map(|(node, (_, cause))| (node.clone(), *cause))
            .collect();
        for (node, cause) in due {
            cx.ctx.set_cause(cause);
            self.quarantine.remove(&node);
            if cx.objects.named::<Node>(&node).is_none() {
                cx.enqueue((Kind::Node, ObjectKey::cluster(node.0)));
            }
        }
    }
}

/// Returns the finished pods beyond the threshold: evicted pods first, then the oldest (CT-046).
fn excess_pods(cx: &ControllerContext<'_, '_>, terminal: &ordered::Set<ObjectKey>, threshold: i64) -> Vec<ObjectKey> {
    let threshold = usize::try_from(threshold).unwrap_or(usize::MAX);
    if terminal.len() <= threshold {
        return Vec::new();
    }
    let mut pods: Vec<&Arc<Pod>> = terminal.iter().filter_map(|key| cx.objects.get::<Pod>(key)).collect();
    let count = pods.len().saturating_sub(threshold);
    pods.stable_sort_by_key(|pod| {
        (
            &*pod.status.reason != "Evicted",
            pod.metadata.creation_timestamp,
            pod.metadata.name.clone(),
        )
    });
    pods.into_iter().take(count).map(|pod| pod.metadata.key()).collect()
}
