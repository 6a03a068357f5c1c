//! The allocation manager: what a pod was granted, and resizes in place of it (LC-221 to LC-226).
//!
//! ```text
//!                       ┌──too much for the node──▶ Infeasible (until the pod changes again)
//! (API asks for other) ─┤──no room now────────────▶ Deferred ──a pod changes or goes, 3 min──▶ (tried again)
//!                       └──fits──▶ granted ──the containers have it──▶ (completed)
//! ```
//!
//! A worker's pod always has the resources that were granted, whatever the API asks for.

use std::cmp::Reverse;
use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{
    ConditionStatus, Container, EventType, Pod, PodCondition, QosClass, ResourceList, Str, Time, Uid, ordered,
};
use serde_json::{Map, Value, json};

use super::host::Host;
use super::worker::{PodWorker, Stage};
use super::{KubeletTimer, Managers, admission, conditions, events};
use crate::Timer;
use crate::machine::containers_of;
use podscope_sim::{SimTime, Span};

/// How often resizes that wait are tried again when nothing else happens (`retryDelay`).
const RETRY: Span = Span::seconds(180);

/// A resize that is not over.
#[derive(Debug, Clone, Default)]
pub(super) struct Resize {
    /// The API object, as long as it asks for what is not granted.
    desired: Option<Arc<Pod>>,
    /// Why it is not granted.
    pub(super) pending: Option<Notice>,
    /// What was granted is being put in force.
    pub(super) in_progress: Option<Notice>,
}

/// What a condition about a resize says. Of one in progress the reason is empty, or `Error`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) reason: Str,
    pub(super) message: Str,
    /// The pod's generation that it is about.
    pub(super) generation: Option<i64>,
    since: Time,
}

const DEFERRED: &str = "Deferred";
const INFEASIBLE: &str = "Infeasible";

/// The pods whose resizes wait, and when they are tried again by themselves.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingResizes {
    /// In the order in which they came.
    pods: Vec<Uid>,
    next: Option<SimTime>,
}

impl PodWorker {
    /// Takes over the API object; its resources count once they are granted. True if it asks for others.
    pub(super) fn take(&mut self, api: &Arc<Pod>, host: &mut Host<'_, '_>) -> bool {
        let has_what_it_wants = api.has_resources_of(&self.pod);
        if has_what_it_wants || self.stage != Stage::Syncing {
            self.pod = api.clone();
            if let Some(resize) = &mut self.resize {
                (resize.desired, resize.pending) = (None, None);
                host.machine.set_allocation(&api.metadata.uid, None);
                self.forget_done_resize();
            }
            return false;
        }
        let mut granted = api.clone();
        Arc::make_mut(&mut granted).take_resources(&self.pod);
        let resize = self.resize.get_or_insert_default();
        let is_news = resize.desired.as_ref().is_none_or(|known| !known.has_resources_of(api));
        resize.desired = Some(api.clone());
        host.machine.set_allocation(&api.metadata.uid, Some(granted.clone()));
        self.pod = granted;
        is_news
    }

    /// What an earlier process of the kubelet has granted, and what it said of a resize: kept on disk and in the API.
    pub(super) fn restore_allocation(&mut self, host: &mut Host<'_, '_>) -> bool {
        let api = self.pod.clone();
        let notice = |kind: &str| {
            let known = api
                .condition(kind)
                .filter(|known| known.status == ConditionStatus::True)?;
            Some(Notice {
                reason: known.reason.clone(),
                message: known.message.clone(),
                generation: known.observed_generation,
                since: known.last_transition_time.unwrap_or_default(),
            })
        };
        let (pending, in_progress) = (
            notice(conditions::RESIZE_PENDING),
            notice(conditions::RESIZE_IN_PROGRESS),
        );
        if pending.is_some() || in_progress.is_some() {
            self.resize = Some(Box::new(Resize {
                desired: None,
                pending,
                in_progress,
            }));
        }
        let on_disk = host.machine.allocation(&api.metadata.uid).cloned();
        let granted = match &self.resize {
            // What is being put in force was granted, though not all has it.
            Some(resize) if on_disk.is_none() && resize.in_progress.is_some() => None,
            _ => on_disk.or_else(|| in_force(&api, host)),
        };
        match granted {
            Some(granted) => {
                Arc::make_mut(&mut self.pod).take_resources(&granted);
                self.take(&api, host)
            }
            None => false,
        }
    }

    /// Whether it waits for a resize to be granted.
    fn waits_for_resize(&self) -> bool {
        self.stage == Stage::Syncing && self.desired().is_some()
    }

    fn desired(&self) -> Option<&Arc<Pod>> {
        self.resize.as_ref()?.desired.as_ref()
    }

    fn is_deferred(&self) -> bool {
        let pending = self.resize.as_ref().and_then(|resize| resize.pending.as_ref());
        pending.is_some_and(|pending| &*pending.reason == DEFERRED)
    }

    /// A resize is granted: the next sync puts it in force.
    fn grant(&mut self, desired: Arc<Pod>, host: &mut Host<'_, '_>) {
        host.machine.set_allocation(&desired.metadata.uid, None);
        let generation = desired.metadata.generation;
        let granted = std::mem::replace(&mut self.pod, desired);
        let changed = containers_of(&granted).zip(containers_of(&self.pod));
        for (memory, ((_, before), (_, after))) in self.memory.iter_mut().zip(changed) {
            if before.resources != after.resources {
                // LC-084: other resources are another back-off entry.
                memory.restarts = None;
            }
        }
        self.has_resized = true;
        let in_progress = Some(Notice {
            reason: Str::default(),
            message: Str::default(),
            generation,
            since: host.ctx.wall(),
        });
        self.resize = Some(Box::new(Resize {
            desired: None,
            pending: None,
            in_progress,
        }));
        let message = told("Pod resize started", &self.pod, generation, "");
        events::of_pod(&self.pod, EventType::Normal, "ResizeStarted", message, host);
        self.kick(host);
    }

    /// A resize has to wait, or will not come.
    fn put_off(&mut self, reason: &str, message: String, host: &mut Host<'_, '_>) {
        let Some(desired) = self.desired().cloned() else { return };
        let notice = Notice {
            reason: reason.into(),
            message: message.as_str().into(),
            generation: desired.metadata.generation,
            since: host.ctx.wall(),
        };
        let resize = self.resize.get_or_insert_default();
        let is_same = |known: &Notice| {
            known.reason == notice.reason && known.message == notice.message && known.generation == notice.generation
        };
        if resize.pending.as_ref().is_some_and(is_same) {
            return;
        }
        resize.pending = Some(notice);
        let prefix = format!("Pod resize {reason}");
        let said = told(&prefix, &desired, desired.metadata.generation, &message);
        let event = if reason == INFEASIBLE {
            "ResizeInfeasible"
        } else {
            "ResizeDeferred"
        };
        events::of_pod(&self.pod, EventType::Warning, event, said, host);
        self.kick(host);
    }

    /// The beginning of a sync: a resize that is in force everywhere is over.
    pub(super) fn check_resize(&mut self, host: &mut Host<'_, '_>) {
        let Some(in_progress) = self.resize.as_ref().and_then(|resize| resize.in_progress.clone()) else {
            return;
        };
        let held = host.machine.pod(self.uid());
        let is_in_force = containers_of(&self.pod).all(|(_, container)| {
            let running = held
                .and_then(|held| held.latest(&container.name))
                .filter(|one| one.is_running());
            running.is_none_or(|one| one.resources == container.resources)
        });
        if !is_in_force {
            return;
        }
        if let Some(resize) = &mut self.resize {
            resize.in_progress = None;
        }
        self.forget_done_resize();
        let message = told("Pod resize completed", &self.pod, in_progress.generation, "");
        events::of_pod(&self.pod, EventType::Normal, "ResizeCompleted", message, host);
    }

    /// What was granted could not be put in force; it is tried again with the next sync.
    pub(super) fn resize_failed(&mut self, error: String, host: &mut Host<'_, '_>) {
        let resize = self.resize.get_or_insert_default();
        let Some(in_progress) = &mut resize.in_progress else {
            return;
        };
        if *in_progress.message == *error {
            return;
        }
        (in_progress.reason, in_progress.message) = ("Error".into(), error.as_str().into());
        let message = told("Pod resize error", &self.pod, in_progress.generation, &error);
        events::of_pod(&self.pod, EventType::Warning, "ResizeError", message, host);
    }

    fn forget_done_resize(&mut self) {
        let is_done =
            |resize: &Resize| resize.desired.is_none() && resize.pending.is_none() && resize.in_progress.is_none();
        if self.resize.as_deref().is_some_and(is_done) {
            self.resize = None;
        }
    }
}

impl Managers {
    /// A pod asks for other resources than it was granted.
    pub(super) fn push_resize(&mut self, uid: &Uid) {
        if !self.resizes.pods.contains(uid) {
            self.resizes.pods.push(uid.clone());
        }
    }

    /// The timer of the retries.
    pub(super) fn resize_timer(&mut self, host: &mut Host<'_, '_>) {
        if self.resizes.next.is_some_and(|next| next <= host.ctx.now) {
            self.resizes.next = None;
            self.retry_resizes(host);
        }
    }

    /// Tries the resizes that wait: those that take no more than before first, then by priority, class and time.
    pub(super) fn retry_resizes(&mut self, host: &mut Host<'_, '_>) {
        if self.resizes.pods.is_empty() || !self.has_listed {
            return;
        }
        let mut waiting = std::mem::take(&mut self.resizes.pods);
        waiting.retain(|uid| self.pods.get(uid).is_some_and(PodWorker::waits_for_resize));
        waiting.stable_sort_by_key(|uid| self.pods.get(uid).map(rank));
        for uid in waiting {
            self.try_resize(&uid, host);
            if self.pods.get(&uid).is_some_and(PodWorker::is_deferred) {
                self.resizes.pods.push(uid.clone());
            }
            self.advance(&uid, host);
        }
        if !self.resizes.pods.is_empty() {
            let at = host.ctx.now + RETRY;
            self.resizes.next = Some(at);
            host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Resizes));
        }
    }

    fn try_resize(&mut self, uid: &Uid, host: &mut Host<'_, '_>) {
        let Some(desired) = self.pods.get(uid).and_then(PodWorker::desired).cloned() else {
            return;
        };
        let others = self.admitted(Some(uid));
        let others: Vec<&Pod> = others.iter().map(|pod| &**pod).collect();
        let verdict = match too_much(&desired, host) {
            Some(message) => Err((INFEASIBLE, message)),
            None => admission::admit(&desired, &others, host).map_err(|refusal| (DEFERRED, refusal.detail)),
        };
        let Some(worker) = self.pods.get_mut(uid) else { return };
        match verdict {
            Ok(()) => worker.grant(desired, host),
            Err((reason, message)) => worker.put_off(reason, message, host),
        }
    }
}

/// Why even the empty node could not hold the pod.
fn too_much(pod: &Pod, host: &Host<'_, '_>) -> Option<String> {
    let node = host.shared.node_object.as_ref()?;
    let wanted = admission::requests(pod);
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

/// The pod with the resources that its containers run with and its status tells, where it asks for others: what was asked
/// for while no kubelet ran has not been granted.
fn in_force(api: &Arc<Pod>, host: &Host<'_, '_>) -> Option<Arc<Pod>> {
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
    if let (Some(own), Some(told)) = (&mut spec.resources, &api.status.resources) {
        let own = Arc::make_mut(own);
        let overhead = &api.spec.overhead;
        for (list, told) in [
            (&mut own.requests, &api.status.allocated_resources),
            (&mut own.limits, &told.limits),
        ] {
            for (name, amount) in list.iter_mut() {
                if let Some(told) = told.get(name) {
                    *amount = overhead.get(name).map_or(*told, |overhead| told.minus(*overhead));
                }
            }
        }
    }
    (!granted.has_resources_of(api)).then(|| Arc::new(granted))
}

/// Which resizes come first.
fn rank(worker: &PodWorker) -> (bool, Reverse<i32>, bool, Option<Time>) {
    let grows = worker.desired().is_some_and(|desired| {
        let (before, after) = (admission::requests(&worker.pod), admission::requests(desired));
        let of = |amounts: &ordered::Map<Str, i64>, name: &str| amounts.get(name).copied().unwrap_or(0);
        ["cpu", "memory"]
            .iter()
            .any(|name| of(&after, name) > of(&before, name))
    });
    let is_guaranteed = worker.pod.status.qos_class == Some(QosClass::Guaranteed);
    let since = worker.resize.as_ref().and_then(|resize| resize.pending.as_ref());
    (
        grows,
        Reverse(worker.pod.priority()),
        !is_guaranteed,
        // One that has not been put off yet comes after those that have.
        Some(since.map_or(Time::from_seconds(i64::from(u32::MAX)), |pending| pending.since)),
    )
}

/// The conditions of a resize, to be dated by the caller.
pub(super) fn conditions_of(resize: &Resize) -> impl Iterator<Item = PodCondition> {
    let condition = |kind: &str, notice: &Option<Notice>| {
        let notice = notice.as_ref()?;
        Some(PodCondition {
            kind: podscope_api::shared(kind),
            status: ConditionStatus::True,
            reason: notice.reason.clone(),
            message: notice.message.clone(),
            observed_generation: notice.generation,
            ..PodCondition::default()
        })
    };
    [
        condition(conditions::RESIZE_PENDING, &resize.pending),
        condition(conditions::RESIZE_IN_PROGRESS, &resize.in_progress),
    ]
    .into_iter()
    .flatten()
}

/// What the events of a resize say: the resources of each container, the generation, and what is wrong.
fn told(prefix: &str, pod: &Pod, generation: Option<i64>, error: &str) -> String {
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
