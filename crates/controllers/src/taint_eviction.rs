//! Taint eviction: deletes pods gracefully and by name if they do not tolerate a NoExecute taint of their node, or
//! after the time for which they tolerate it (CT-033 to CT-039).
//!
//! ```text
//! (none) --taint tolerated for a time--> Timer --fires--> Fired --pod removed--> (none)
//! ^______ no taints, unlimited toleration, pod removed _______|
//! ```
//!
//! A timer starts when the controller sees the taint, is never changed, and is lost with the process.

use podscope_api::ordered;
use podscope_api::pending_event::PendingEventKind;
use podscope_api::well_known::condition;

use podscope_api::{
    CausedBy, ConditionStatus, EventType, Kind, Node, Object, ObjectKey, Pod, PodPhase, Taint, Toleration, Uid,
};

use podscope_sim::{Change, DeleteOptions, EventNote, Mutation, Part, PendingEvent, Request, SimTime, Span};

use super::controller::{Controller, ControllerContext, PendingContext};
use super::plan::{Accept, Action, Failure, Plan};
use super::pod_util::set_condition;
use super::queue::Key;
use super::taints::{no_execute_taints, ready_status};

/// Maximum number of attempts to delete a pod.
const MAX_EVICTION_ATTEMPTS: u8 = 5;

/// State of the eviction of a pod; the diagram of this module shows the transitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EvictionState {
    Timer {
        fires: SimTime,
        /// The cause of the change of the pod or of its node's taints that started the timer.
        caused_by: CausedBy,
    },
    Firing {
        failures: u8,
    },
    Fired,
}

#[derive(Debug, Clone, Default)]
pub(super) struct TaintEvictionController {
    pods: ordered::Map<ObjectKey, EvictionState>,
}

/// Returns how long a pod may stay on a node with these NoExecute taints; `None` means for unlimited time (CT-034).
pub fn toleration_time<'a>(taints: impl IntoIterator<Item = &'a Taint>, tolerations: &[Toleration]) -> Option<Span> {
    let mut seconds: Option<i64> = None;
    for taint in taints {
        // Only the first matching toleration of a taint is used.
        match tolerations.iter().find(|toleration| toleration.tolerates(taint)) {
            None => return Some(Span::ZERO),
            Some(used) => seconds = seconds.into_iter().chain(used.toleration_seconds).min(),
        }
    }
    seconds.map(|seconds| Span::seconds(seconds.max(0)))
}

impl Controller for TaintEvictionController {
    fn name(&self) -> &'static str {
        "taint-eviction-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Node, Kind::Pod]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match (&change.old, &change.new) {
            (old, Some(Object::Node(node))) => {
                let taints: Vec<Taint> = no_execute_taints(node).cloned().collect();
                let before: Vec<Taint> = match old {
                    Some(Object::Node(old)) => no_execute_taints(old).cloned().collect(),
                    _ => Vec::new(),
                };
                if taints == before {
                    return;
                }
                let name = (&*node.metadata.name).into();
                let pods: Vec<_> = cx.objects.pods_on(&name).cloned().collect();
                for pod in pods {
                    self.update_timer(&pod, &taints, cx);
                }
            }
            (Some(Object::Pod(pod)), None) => self.cancel_timer(&pod.metadata.key(), cx),
            (old, Some(Object::Pod(pod))) => {
                if let Some(Object::Pod(old)) = old
                    && old.spec.node_name == pod.spec.node_name
                    && old.spec.tolerations == pod.spec.tolerations
                {
                    return;
                }
                let node = pod
                    .spec
                    .node_name
                    .as_ref()
                    .and_then(|name| cx.objects.named::<Node>(name));
                let taints: Vec<Taint> = node.iter().flat_map(|node| no_execute_taints(node)).cloned().collect();
                if !taints.is_empty() {
                    self.update_timer(pod, &taints, cx);
                }
            }
            _ => {}
        }
    }

    fn tick(&mut self, _tick: u8, cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        for (key, state) in &mut self.pods {
            if let EvictionState::Timer { fires, caused_by } = *state
                && fires <= now
            {
                cx.ctx.set_cause(caused_by);
                *state = EvictionState::Firing { failures: 0 };
                cx.emit_event(taint_manager_event(key, "Marking for deletion Pod"));
                cx.enqueue((Kind::Pod, key.clone()));
            }
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(EvictionState::Firing { .. }) = self.pods.get(&key.1) else {
            return Plan::default();
        };
        let pod = cx.objects.get::<Pod>(&key.1);
        let node = pod
            .and_then(|pod| pod.spec.node_name.as_ref())
            .and_then(|name| cx.objects.named::<Node>(name));
        let is_lost = node.is_some_and(|node| ready_status(node) == Some(&ConditionStatus::Unknown));
        let fails = is_lost && cx.ctx.switches.lost_node_pods_failed;
        let now = cx.time();
        let change = Mutation::new("deletion by taint manager", move |pod: &mut Pod| {
            let text = "Taint manager: deleting due to NoExecute taint";
            set_condition(
                pod,
                condition::DISRUPTION_TARGET,
                ConditionStatus::True,
                "DeletionByTaintManager",
                text,
                now,
            );
            if fails && !pod.is_terminal() {
                pod.status.phase = Some(PodPhase::Failed);
            }
        });
        // All requests are by name, so they also affect a later pod with the same name (CT-039).
        let read = Request::Get {
            kind: Kind::Pod,
            key: key.1.clone(),
        };
        let patch = Request::Patch {
            kind: Kind::Pod,
            key: key.1.clone(),
            uid: None,
            part: Part::Status,
            change,
        };
        if fails {
            // Only the phase is set; the pod's controller then replaces the pod, and PodGC deletes the object.
            return Plan::one(read).then_action(patch);
        }
        let forced = is_lost && cx.ctx.switches.node_controller_force_deletes;
        let delete = Request::Delete {
            kind: Kind::Pod,
            key: key.1.clone(),
            options: DeleteOptions {
                grace_seconds: forced.then_some(0),
                ..DeleteOptions::default()
            },
        };
        Plan::one(read)
            .then_action(patch)
            .then_action(Action::from(delete).accept(Accept::OrNotFound))
    }

    fn answered(
        &mut self,
        key: &Key,
        request: &Request,
        answer: &podscope_sim::Answer,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        let is_last = match request {
            Request::Delete { .. } => true,
            Request::Patch { .. } => cx.ctx.switches.lost_node_pods_failed && contains_failed_pod(answer),
            _ => false,
        };
        if is_last
            && answer.is_ok()
            && let Some(state) = self.pods.get_mut(&key.1)
        {
            *state = EvictionState::Fired;
        }
    }

    fn failed(&mut self, key: &Key, _failure: &Failure, _cx: &mut ControllerContext<'_, '_>) -> Plan {
        if let Some(EvictionState::Firing { failures }) = self.pods.get_mut(&key.1) {
            *failures += 1;
            if *failures >= MAX_EVICTION_ATTEMPTS {
                self.pods.remove(&key.1);
            }
        }
        Plan::default()
    }

    fn pending_events(&self, pending: &PendingContext<'_>) -> Vec<PendingEvent> {
        let timers = self.pods.iter().filter_map(|(key, state)| match state {
            EvictionState::Timer { fires, .. } => Some((key, *fires)),
            EvictionState::Firing { .. } | EvictionState::Fired => None,
        });
        timers
            .filter_map(|(key, at)| Some(eviction_event(pending.objects.get::<Pod>(key)?, at, false)))
            .collect()
    }
}

/// Creates the pending event for the eviction of a pod because of a taint of its node.
pub(super) fn eviction_event(pod: &Pod, at: SimTime, is_projected: bool) -> PendingEvent {
    PendingEvent {
        at,
        what: PendingEventKind::Evicted,
        kind: Kind::Pod,
        key: pod.metadata.key(),
        uid: pod.metadata.uid.clone(),
        container: "".into(),
        is_projected,
    }
}

/// Returns whether the answer contains a pod with the phase Failed.
fn contains_failed_pod(answer: &podscope_sim::Answer) -> bool {
    matches!(answer, Ok(Some(Object::Pod(pod))) if pod.status.phase == Some(PodPhase::Failed))
}

impl TaintEvictionController {
    /// Starts, keeps or cancels the timer of a pod, depending on the NoExecute taints of its node.
    fn update_timer(&mut self, pod: &Pod, taints: &[Taint], cx: &mut ControllerContext<'_, '_>) {
        let key = pod.metadata.key();
        if taints.is_empty() {
            self.cancel_timer(&key, cx);
            return;
        }
        // If the pod was already terminating in the imported cluster, the controller has nothing to delete, unless a
        // switch makes it set the pod to Failed or delete it by force (P-09).
        let switches = &cx.ctx.switches;
        let has_more_to_do = switches.lost_node_pods_failed || switches.node_controller_force_deletes;
        if !has_more_to_do && cx.objects.assumed().was_terminating(&pod.metadata.uid) {
            return;
        }
        let now = cx.now();
        match toleration_time(taints, &pod.spec.tolerations) {
            None => self.cancel_timer(&key, cx),
            Some(Span::ZERO) => {
                self.cancel_timer(&key, cx);
                self.start_timer(key, now, cx);
            }
            // An existing timer is not changed (CT-035).
            Some(_) if self.pods.contains_key(&key) => {}
            Some(stay) => self.start_timer(key, now + stay, cx),
        }
    }

    fn start_timer(&mut self, key: ObjectKey, fires: SimTime, cx: &mut ControllerContext<'_, '_>) {
        if let podscope_api::ordered::Entry::Vacant(entry) = self.pods.entry(key) {
            let caused_by = cx.ctx.caused_by();
            entry.insert(EvictionState::Timer { fires, caused_by });
            cx.tick_at(fires, 0);
        }
    }

    /// Removes a pod's state, and emits an event if its timer has not fired.
    fn cancel_timer(&mut self, key: &ObjectKey, cx: &mut ControllerContext<'_, '_>) {
        if let Some(EvictionState::Timer { .. }) = self.pods.remove(key) {
            cx.emit_event(taint_manager_event(key, "Cancelling deletion of Pod"));
        }
    }
}

/// Creates an event of the taint manager. It refers to the pod without its UID, so `describe` does not show it
/// (CT-033).
fn taint_manager_event(key: &ObjectKey, text: &str) -> EventNote {
    EventNote {
        component: "".into(),
        kind: Kind::Pod,
        key: key.clone(),
        uid: Uid::default(),
        field_path: "".into(),
        kind_of_event: EventType::Normal,
        reason: "TaintManagerEviction".into(),
        message: format!("{text} {key}").into(),
        action: "".into(),
        related: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_api::{TaintEffect, TolerationOperator};

    /// Shows: CT-034
    #[test]
    fn toleration_time_is_the_shortest_of_all_taints() {
        let taint = |key: &str| Taint {
            key: key.into(),
            effect: TaintEffect::NoExecute,
            ..Taint::default()
        };
        let tolerates = |key: &str, seconds: Option<i64>| Toleration {
            key: key.into(),
            operator: Some(TolerationOperator::Exists),
            toleration_seconds: seconds,
            ..Toleration::default()
        };
        let (a, b) = (taint("a"), taint("b"));
        for (name, taints, tolerations, expected) in [
            ("untolerated", vec![a.clone()], vec![], Some(0)),
            (
                "tolerated without limit",
                vec![a.clone()],
                vec![tolerates("a", None)],
                None,
            ),
            (
                "tolerated for a time",
                vec![a.clone()],
                vec![tolerates("a", Some(300))],
                Some(300),
            ),
            (
                "negative is zero",
                vec![a.clone()],
                vec![tolerates("a", Some(-5))],
                Some(0),
            ),
            (
                "the shorter of two",
                vec![a.clone(), b.clone()],
                vec![tolerates("a", Some(300)), tolerates("b", Some(60))],
                Some(60),
            ),
            (
                "one of two without limit",
                vec![a.clone(), b.clone()],
                vec![tolerates("a", None), tolerates("b", Some(60))],
                Some(60),
            ),
            (
                "an unmatched toleration does not count",
                vec![a.clone()],
                vec![tolerates("a", Some(300)), tolerates("b", Some(1))],
                Some(300),
            ),
            (
                "one of two untolerated",
                vec![a, b],
                vec![tolerates("a", Some(300))],
                Some(0),
            ),
        ] {
            assert_eq!(
                toleration_time(&taints, &tolerations),
                expected.map(Span::seconds),
                "{name}"
            );
        }
    }
}
