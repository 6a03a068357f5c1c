//! The allocation manager: the resources that each pod was granted, and in-place resizes (LC-221 to LC-226).
//!
//! ```text
//!                           ┌──exceeds the node's capacity──▶ Infeasible (until the pod changes again)
//! (API requests a resize) ─┤──no room now──▶ Deferred ──a pod changes or ends, 3 min──▶ (tried again)
//!                           └──fits──▶ granted ──containers are resized──▶ (completed)
//! ```
//!
//! `PodWorker::pod` always has the granted resources, whatever the API object requests.

use std::cmp::Reverse;
use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::condition;
use podscope_api::{
    ConditionStatus, Container, EventType, Pod, PodCondition, QosClass, ResourceList, Str, Time, Uid, ordered,
};
use serde_json::{Map, Value, json};

use super::host::Host;
use super::worker::{PodWorker, WorkerStage};
use super::{KubeletManagers, KubeletTimer, admission, events};
use crate::Timer;
use crate::machine::containers_of;
use podscope_sim::{SimTime, Span};

/// Interval after which deferred resizes are tried again if nothing else triggers it (`retryDelay`).
const RESIZE_RETRY_INTERVAL: Span = Span::seconds(180);

/// An in-place resize that has not completed.
#[derive(Debug, Clone, Default)]
pub(super) struct UncompletedResize {
    /// The API object, while it requests resources that are not granted.
    desired: Option<Arc<Pod>>,
    /// Why the resize is not granted (condition `PodResizePending`).
    pub(super) pending: Option<ResizeCondition>,
    /// The granted resize is being applied to the containers (condition `PodResizeInProgress`).
    pub(super) in_progress: Option<ResizeCondition>,
}

/// Content of a condition about a resize. The reason of `PodResizeInProgress` is empty or `Error`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResizeCondition {
    pub(super) reason: Str,
    pub(super) message: Str,
    /// Generation of the pod to which the condition applies.
    pub(super) generation: Option<i64>,
    since: Time,
}

const REASON_DEFERRED: &str = "Deferred";
const REASON_INFEASIBLE: &str = "Infeasible";

/// Pods whose resizes are pending, and the instant of the next retry.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingResizes {
    /// The pods, in the order in which their resizes were requested.
    pods: Vec<Uid>,
    next: Option<SimTime>,
}

impl PodWorker {
    /// Adopts the new API object. If it requests other resources than were granted, the worker keeps the granted ones.
    /// Returns whether this is a new resize request.
    pub(super) fn set_api_pod(&mut self, api: &Arc<Pod>, host: &mut Host<'_, '_>) -> bool {
        let has_granted_resources = api.has_same_resources_as(&self.pod);
        if has_granted_resources || self.stage != WorkerStage::Syncing {
            self.pod = api.clone();
            if let Some(resize) = &mut self.resize {
                (resize.desired, resize.pending) = (None, None);
                host.machine.set_allocation(&api.metadata.uid, None);
                self.drop_completed_resize();
            }
            return false;
        }
        let mut granted = api.clone();
        Arc::make_mut(&mut granted).copy_resources_from(&self.pod);
        let resize = self.resize.get_or_insert_default();
        let is_news = resize
            .desired
            .as_ref()
            .is_none_or(|known| !known.has_same_resources_as(api));
        resize.desired = Some(api.clone());
        host.machine.set_allocation(&api.metadata.uid, Some(granted.clone()));
        self.pod = granted;
        is_news
    }

    /// Restores what an earlier kubelet process had granted, from its checkpoint on disk and the pod's resize
    /// conditions. Returns whether the API object requests a new resize.
    pub(super) fn restore_allocation(&mut self, host: &mut Host<'_, '_>) -> bool {
        let api = self.pod.clone();
        let condition = |kind: &str| {
            let known = api
                .condition(kind)
                .filter(|known| known.status == ConditionStatus::True)?;
            Some(ResizeCondition {
                reason: known.reason.clone(),
                message: known.message.clone(),
                generation: known.observed_generation,
                since: known.last_transition_time.unwrap_or_default(),
            })
        };
        let (pending, in_progress) = (
            condition(condition::POD_RESIZE_PENDING),
            condition(condition::POD_RESIZE_IN_PROGRESS),
        );
        if pending.is_some() || in_progress.is_some() {
            self.resize = Some(Box::new(UncompletedResize {
                desired: None,
                pending,
                in_progress,
            }));
        }
        let on_disk = host.machine.allocation(&api.metadata.uid).cloned();
        let granted = match &self.resize {
            // While a resize is in progress, the resources in the API object count as granted, even if not all
            // containers have them yet.
            Some(resize) if on_disk.is_none() && resize.in_progress.is_some() => None,
            _ => on_disk.or_else(|| pod_with_actuated_resources(&api, host)),
        };
        match granted {
            Some(granted) => {
                Arc::make_mut(&mut self.pod).copy_resources_from(&granted);
                self.set_api_pod(&api, host)
            }
            None => false,
        }
    }

    /// Returns whether a resize of this pod is pending.
    fn waits_for_resize(&self) -> bool {
        self.stage == WorkerStage::Syncing && self.desired_pod().is_some()
    }

    /// Returns the API object that requests resources which are not granted.
    fn desired_pod(&self) -> Option<&Arc<Pod>> {
        self.resize.as_ref()?.desired.as_ref()
    }

    /// Returns whether a resize of the pod is pending and Deferred.
    fn is_resize_deferred(&self) -> bool {
        let pending = self.resize.as_ref().and_then(|resize| resize.pending.as_ref());
        pending.is_some_and(|pending| &*pending.reason == REASON_DEFERRED)
    }

    /// Grants a resize; the next sync applies it to the containers.
    fn grant_resize(&mut self, desired: Arc<Pod>, host: &mut Host<'_, '_>) {
        host.machine.set_allocation(&desired.metadata.uid, None);
        let generation = desired.metadata.generation;
        let granted = std::mem::replace(&mut self.pod, desired);
        let changed = containers_of(&granted).zip(containers_of(&self.pod));
        for (container_state, ((_, before), (_, after))) in self.container_states.iter_mut().zip(changed) {
            if before.resources != after.resources {
                // Changed resources start a new back-off entry (LC-084).
                container_state.restarts = None;
            }
        }
        self.has_resized = true;
        let in_progress = Some(ResizeCondition {
            reason: Str::default(),
            message: Str::default(),
            generation,
            since: host.ctx.wall(),
        });
        self.resize = Some(Box::new(UncompletedResize {
            desired: None,
            pending: None,
            in_progress,
        }));
        let message = resize_event_message("Pod resize started", &self.pod, generation, "");
        events::emit_for_pod(&self.pod, EventType::Normal, "ResizeStarted", message, host);
        self.request_sync(host);
    }

    /// Sets the condition of a resize that is deferred or infeasible.
    fn set_resize_pending(&mut self, reason: &str, message: String, host: &mut Host<'_, '_>) {
        let Some(desired) = self.desired_pod().cloned() else {
            return;
        };
        let condition = ResizeCondition {
            reason: reason.into(),
            message: message.as_str().into(),
            generation: desired.metadata.generation,
            since: host.ctx.wall(),
        };
        let resize = self.resize.get_or_insert_default();
        let is_same = |known: &ResizeCondition| {
            known.reason == condition.reason
                && known.message == condition.message
                && known.generation == condition.generation
        };
        if resize.pending.as_ref().is_some_and(is_same) {
            return;
        }
        resize.pending = Some(condition);
        let prefix = format!("Pod resize {reason}");
        let event_text = resize_event_message(&prefix, &desired, desired.metadata.generation, &message);
        let event = if reason == REASON_INFEASIBLE {
            "ResizeInfeasible"
        } else {
            "ResizeDeferred"
        };
        events::emit_for_pod(&self.pod, EventType::Warning, event, event_text, host);
        self.request_sync(host);
    }

    /// Completes, at the beginning of a sync, a resize that has been applied to all running containers.
    pub(super) fn complete_applied_resize(&mut self, host: &mut Host<'_, '_>) {
        let Some(in_progress) = self.resize.as_ref().and_then(|resize| resize.in_progress.clone()) else {
            return;
        };
        let held = host.machine.pod(self.uid());
        let is_applied = containers_of(&self.pod).all(|(_, container)| {
            let running = held
                .and_then(|held| held.latest(&container.name))
                .filter(|one| one.is_running());
            running.is_none_or(|one| one.resources == container.resources)
        });
        if !is_applied {
            return;
        }
        if let Some(resize) = &mut self.resize {
            resize.in_progress = None;
        }
        self.drop_completed_resize();
        let message = resize_event_message("Pod resize completed", &self.pod, in_progress.generation, "");
        events::emit_for_pod(&self.pod, EventType::Normal, "ResizeCompleted", message, host);
    }

    /// Reports that a granted resize could not be applied; the next sync tries again.
    pub(super) fn report_resize_failure(&mut self, error: String, host: &mut Host<'_, '_>) {
        let resize = self.resize.get_or_insert_default();
        let Some(in_progress) = &mut resize.in_progress else {
            return;
        };
        if *in_progress.message == *error {
            return;
        }
        (in_progress.reason, in_progress.message) = ("Error".into(), error.as_str().into());
        let message = resize_event_message("Pod resize error", &self.pod, in_progress.generation, &error);
        events::emit_for_pod(&self.pod, EventType::Warning, "ResizeError", message, host);
    }

    /// Removes the state of a resize that is complete.
    fn drop_completed_resize(&mut self) {
        let is_done = |resize: &UncompletedResize| {
            resize.desired.is_none() && resize.pending.is_none() && resize.in_progress.is_none()
        };
        if self.resize.as_deref().is_some_and(is_done) {
            self.resize = None;
        }
    }
}

impl KubeletManagers {
    /// Queues a pod whose API object requests resources that differ from the granted ones.
    pub(super) fn queue_resize(&mut self, uid: &Uid) {
        if !self.resizes.pods.contains(uid) {
            self.resizes.pods.push(uid.clone());
        }
    }

    /// Retries pending resizes if the retry timer is due.
    pub(super) fn handle_resize_timer(&mut self, host: &mut Host<'_, '_>) {
        if self.resizes.next.is_some_and(|next| next <= host.ctx.now) {
            self.resizes.next = None;
            self.retry_resizes(host);
        }
    }

    /// Tries the pending resizes: first the ones that do not increase requests, then by priority, QoS class and age.
    pub(super) fn retry_resizes(&mut self, host: &mut Host<'_, '_>) {
        if self.resizes.pods.is_empty() || !self.has_listed {
            return;
        }
        let mut waiting = std::mem::take(&mut self.resizes.pods);
        waiting.retain(|uid| self.pods.get(uid).is_some_and(PodWorker::waits_for_resize));
        waiting.stable_sort_by_key(|uid| self.pods.get(uid).map(resize_retry_sort_key));
        for uid in waiting {
            self.grant_or_defer_resize(&uid, host);
            if self.pods.get(&uid).is_some_and(PodWorker::is_resize_deferred) {
                self.resizes.pods.push(uid.clone());
            }
            self.advance_worker(&uid, host);
        }
        if !self.resizes.pods.is_empty() {
            let at = host.ctx.now + RESIZE_RETRY_INTERVAL;
            self.resizes.next = Some(at);
            host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Resizes));
        }
    }

    /// Grants a pending resize if it fits; otherwise marks it as deferred or infeasible.
    fn grant_or_defer_resize(&mut self, uid: &Uid, host: &mut Host<'_, '_>) {
        let Some(desired) = self.pods.get(uid).and_then(PodWorker::desired_pod).cloned() else {
            return;
        };
        let others = self.admitted_pods(Some(uid));
        let others: Vec<&Pod> = others.iter().map(|pod| &**pod).collect();
        let verdict = match infeasible_reason(&desired, host) {
            Some(message) => Err((REASON_INFEASIBLE, message)),
            None => admission::admit(&desired, &others, host).map_err(|refusal| (REASON_DEFERRED, refusal.detail)),
        };
        let Some(worker) = self.pods.get_mut(uid) else { return };
        match verdict {
            Ok(()) => worker.grant_resize(desired, host),
            Err((reason, message)) => worker.set_resize_pending(reason, message, host),
        }
    }
}

/// Returns why the pod would not fit even on the empty node; None if it would.
fn infeasible_reason(pod: &Pod, host: &Host<'_, '_>) -> Option<String> {
    let node = host.shared.node_object.as_ref()?;
    let wanted = admission::requests_by_resource(pod);
    let exceeds = |name: &str| {
        let (requested, capacity) = (
            wanted.get(name).copied().unwrap_or(0),
            admission::allocatable(node, name),
        );
        (requested > capacity)
            .then(|| format!("Node didn't have enough capacity: {name}, requested: {requested}, capacity: {capacity}"))
    };
    exceeds("memory").or_else(|| exceeds("cpu"))
}

/// Returns the pod with the resources that its containers run with and that its status reports; None if the API object
/// requests the same. Resources requested while no kubelet ran have not been granted.
fn pod_with_actuated_resources(api: &Arc<Pod>, host: &Host<'_, '_>) -> Option<Arc<Pod>> {
    let held = host.machine.pod(&api.metadata.uid)?;
    held.running().next()?;
    let mut granted = Pod::clone(api);
    let spec = &mut granted.spec;
    for containers in [&mut spec.containers, &mut spec.init_containers] {
        for container in Arc::make_mut(containers) {
            if let Some(running) = held.latest(&container.name).filter(|one| one.is_running()) {
                container.resources.clone_from(&running.resources);
            }
        }
    }
    if let (Some(own), Some(reported)) = (&mut spec.resources, &api.status.resources) {
        let own = Arc::make_mut(own);
        let overhead = &api.spec.overhead;
        for (list, reported) in [
            (&mut own.requests, &api.status.allocated_resources),
            (&mut own.limits, &reported.limits),
        ] {
            for (name, amount) in list.iter_mut() {
                if let Some(reported) = reported.get(name) {
                    *amount = overhead
                        .get(name)
                        .map_or(*reported, |overhead| reported.minus(*overhead));
                }
            }
        }
    }
    (!granted.has_same_resources_as(api)).then(|| Arc::new(granted))
}

/// Returns the sort key of a pending resize; the smallest key is tried first. So these come first, in this order:
/// resizes by which no request grows, high priorities, Guaranteed pods, resizes that have been pending for long.
fn resize_retry_sort_key(worker: &PodWorker) -> (bool, Reverse<i32>, bool, Option<Time>) {
    let grows = worker.desired_pod().is_some_and(|desired| {
        let (before, after) = (
            admission::requests_by_resource(&worker.pod),
            admission::requests_by_resource(desired),
        );
        let amount_of = |amounts: &ordered::Map<Str, i64>, name: &str| amounts.get(name).copied().unwrap_or(0);
        ["cpu", "memory"]
            .iter()
            .any(|name| amount_of(&after, name) > amount_of(&before, name))
    });
    let is_guaranteed = worker.pod.status.qos_class == Some(QosClass::Guaranteed);
    let since = worker.resize.as_ref().and_then(|resize| resize.pending.as_ref());
    (
        grows,
        Reverse(worker.pod.priority()),
        !is_guaranteed,
        // A resize without a condition yet is tried after those that were deferred before.
        Some(since.map_or(Time::from_seconds(i64::from(u32::MAX)), |pending| pending.since)),
    )
}

/// Returns the conditions of a resize; the caller sets their transition times.
pub(super) fn resize_conditions(resize: &UncompletedResize) -> impl Iterator<Item = PodCondition> {
    let condition = |kind: &str, given: &Option<ResizeCondition>| {
        let given = given.as_ref()?;
        Some(PodCondition {
            kind: podscope_api::shared(kind),
            status: ConditionStatus::True,
            reason: given.reason.clone(),
            message: given.message.clone(),
            observed_generation: given.generation,
            ..PodCondition::default()
        })
    };
    [
        condition(condition::POD_RESIZE_PENDING, &resize.pending),
        condition(condition::POD_RESIZE_IN_PROGRESS, &resize.in_progress),
    ]
    .into_iter()
    .flatten()
}

/// Returns the message of a resize event: JSON with the resources of each container, the generation, and the error if
/// there is one.
fn resize_event_message(prefix: &str, pod: &Pod, generation: Option<i64>, error: &str) -> String {
    let amounts = |list: &ResourceList| -> Value {
        list.iter()
            .map(|(name, amount)| (name.to_string(), Value::from(amount.to_string())))
            .collect()
    };
    let resources = |container: &Container| -> Value {
        let of = &container.resources;
        let given = [("limits", &of.limits), ("requests", &of.requests)];
        let given = given.into_iter().filter(|(_, list)| !list.is_empty());
        given.map(|(name, list)| (name.to_owned(), amounts(list))).collect()
    };
    let one = |container: &Container| json!({"name": &*container.name, "resources": resources(container)});
    let mut summary = Map::new();
    for (name, containers) in [
        ("initContainers", &pod.spec.init_containers),
        ("containers", &pod.spec.containers),
    ] {
        if !containers.is_empty() {
            summary.insert(name.into(), containers.iter().map(one).collect());
        }
    }
    summary.insert("generation".into(), generation.unwrap_or(0).into());
    if !error.is_empty() {
        summary.insert("error".into(), error.into());
    }
    format!("{prefix}: {}", Value::Object(summary))
}
