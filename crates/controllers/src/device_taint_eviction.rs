//! Device taint eviction: deletes pods gracefully if one of their devices gets a NoExecute taint that the claim does
//! not tolerate (DRA-220 to DRA-228).
//!
//! Deviation: an imported taint without `timeAdded` counts as added at the time of each sync.

use std::sync::Arc;

use podscope_api::ordered::{Map, Set};
use podscope_api::well_known::condition;
use podscope_api::{
    ConditionStatus, DeviceRequestAllocationResult, DeviceTaint, EventType, Kind, Object, ObjectKey, Pod,
    ResourceClaim, ResourceSlice, Time, Uid,
};
use podscope_sim::{Change, DeleteOptions, Mutation, Objects, Part, Request, Span};

use super::controller::{Controller, ControllerContext, note};
use super::plan::{Accept, Action, Failure, Plan};
use super::pod_util::set_condition;
use super::queue::{Key, key_of};

const EVICTION_REASON: &str = "DeviceTaintManagerEviction";

#[derive(Debug, Clone, Default)]
pub(super) struct DeviceTaintEvictionController {
    /// UIDs of pods that will be evicted, with the time of the eviction.
    pending_evictions: Map<Uid, Time>,
    /// UIDs of pods that were evicted; each pod is evicted once.
    evicted: Set<Uid>,
}

/// Returns the device's NoExecute taints in the newest generation of its resource pool.
fn taints_of<'a>(
    objects: &'a Objects,
    result: &'a DeviceRequestAllocationResult,
) -> impl Iterator<Item = &'a DeviceTaint> {
    let is_of_pool =
        move |slice: &&Arc<ResourceSlice>| slice.spec.driver == result.driver && slice.spec.pool.name == result.pool;
    let slices = move || objects.list::<ResourceSlice>().filter(is_of_pool);
    let newest = slices().map(|slice| slice.spec.pool.generation).max();
    let current = slices().filter(move |slice| Some(slice.spec.pool.generation) == newest);
    let devices = current.flat_map(|slice| &slice.spec.devices);
    let device = devices.filter(move |device| device.name == result.device);
    device
        .flat_map(|device| &device.taints)
        .filter(|taint| &*taint.effect == "NoExecute")
}

/// Returns when a taint evicts the pods that use the device. A toleration of the taint delays the eviction, or prevents
/// it (`None`; DRA-222).
fn eviction_by_taint(result: &DeviceRequestAllocationResult, taint: &DeviceTaint, now: Time) -> Option<Time> {
    let mut delay: Option<i64> = None;
    let tolerates = |one: &&podscope_api::DeviceToleration| &*one.effect == "NoExecute" && one.tolerates(taint);
    for toleration in result.tolerations.iter().filter(tolerates) {
        let seconds = toleration.toleration_seconds?.max(0);
        delay = Some(delay.map_or(seconds, |known| known.min(seconds)));
    }
    let since = taint.time_added.unwrap_or(now);
    Some(Time(
        since.0.saturating_add(delay.unwrap_or(0).saturating_mul(1_000_000)),
    ))
}

/// Returns when the pod must be evicted; `None` if no taint requires it (DRA-221).
fn eviction_time(objects: &Objects, pod: &Pod, now: Time) -> Option<Time> {
    pod.spec.node_name.as_ref()?;
    let mut earliest: Option<Time> = None;
    for entry in &pod.spec.resource_claims {
        let recorded = || {
            let mut statuses = pod.status.resource_claim_statuses.iter();
            let status = statuses.find(|status| status.name == entry.name)?;
            status.resource_claim_name.as_ref()
        };
        let Some(name) = entry.resource_claim_name.as_ref().or_else(recorded) else {
            continue;
        };
        let key = ObjectKey::new(pod.metadata.namespace.clone(), name.clone());
        let Some(claim) = objects.get::<ResourceClaim>(&key) else {
            continue;
        };
        if !claim.is_reserved_for(&pod.metadata.uid) {
            continue;
        }
        let results = claim
            .status
            .allocation
            .iter()
            .flat_map(|allocation| &allocation.devices.results);
        for result in results {
            let ends = taints_of(objects, result).filter_map(|taint| eviction_by_taint(result, taint, now));
            earliest = earliest.into_iter().chain(ends).min();
        }
    }
    earliest
}

impl Controller for DeviceTaintEvictionController {
    fn name(&self) -> &'static str {
        "device-taint-eviction-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Pod, Kind::ResourceClaim, Kind::ResourceSlice]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match (&change.old, &change.new) {
            (_, Some(Object::Pod(pod))) if !pod.spec.resource_claims.is_empty() => cx.enqueue(key_of(&**pod)),
            (Some(Object::Pod(pod)), None) => {
                self.pending_evictions.remove(&pod.metadata.uid);
                self.evicted.remove(&pod.metadata.uid);
            }
            (_, Some(Object::ResourceClaim(claim))) => {
                let namespace = &claim.metadata.namespace;
                for consumer in &claim.status.reserved_for {
                    cx.enqueue((Kind::Pod, ObjectKey::new(namespace.clone(), consumer.name.clone())));
                }
            }
            (Some(Object::ResourceSlice(_)), _) | (_, Some(Object::ResourceSlice(_))) => {
                let users = cx
                    .objects
                    .list::<Pod>()
                    .filter(|pod| !pod.spec.resource_claims.is_empty());
                let users: Vec<Key> = users.map(|pod| key_of(&**pod)).collect();
                users.into_iter().for_each(|pod| cx.enqueue(pod));
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(pod) = cx.objects.get::<Pod>(&key.1).cloned() else {
            return Plan::default();
        };
        let uid = &pod.metadata.uid;
        if pod.metadata.is_terminating() || self.evicted.contains(uid) {
            return Plan::default();
        }
        let now = cx.ctx.wall();
        match eviction_time(cx.objects, &pod, now) {
            None => {
                if self.pending_evictions.remove(uid).is_some() {
                    cx.emit_event(note(
                        &*pod,
                        EventType::from("Normal"),
                        EVICTION_REASON,
                        "Cancelling deletion",
                    ));
                }
                Plan::default()
            }
            Some(at) if at > now => {
                self.pending_evictions.insert(uid.clone(), at);
                cx.enqueue_after(key.clone(), Span(at.0 - now.0));
                Plan::default()
            }
            Some(_) => {
                self.pending_evictions.remove(uid);
                self.evicted.insert(uid.clone());
                cx.emit_event(note(
                    &*pod,
                    EventType::from("Normal"),
                    EVICTION_REASON,
                    "Marking for deletion",
                ));
                evict(&pod, cx.time())
            }
        }
    }

    fn failed(&mut self, key: &Key, _: &Failure, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if let Some(pod) = cx.objects.get::<Pod>(&key.1) {
            self.evicted.remove(&pod.metadata.uid);
        }
        Plan::default()
    }
}

/// Sets the condition DisruptionTarget and deletes the pod (DRA-224).
fn evict(pod: &Pod, now: Time) -> Plan {
    let change = Mutation::new("device taint eviction", move |pod: &mut Pod| {
        let text = "Device Taint manager: deleting due to NoExecute taint";
        let reason = "DeletionByDeviceTaintManager";
        set_condition(
            pod,
            condition::DISRUPTION_TARGET,
            ConditionStatus::True,
            reason,
            text,
            now,
        );
    });
    let patch = Request::Patch {
        kind: Kind::Pod,
        key: pod.metadata.key(),
        uid: Some(pod.metadata.uid.clone()),
        part: Part::Status,
        change,
    };
    let delete = Request::Delete {
        kind: Kind::Pod,
        key: pod.metadata.key(),
        options: DeleteOptions {
            uid: Some(pod.metadata.uid.clone()),
            ..DeleteOptions::default()
        },
    };
    Plan::one(Action::from(patch).accept(Accept::OrNotFound))
        .then_action(Action::from(delete).accept(Accept::OrNotFound))
}
