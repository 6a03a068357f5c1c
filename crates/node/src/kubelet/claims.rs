//! Resource claims on the node: the kubelet lets the device drivers prepare a pod's claims before its sandbox is
//! created, and unprepare them after its containers have stopped (DRA-240 to DRA-250).
//!
//! ```text
//! checked ──▶ in the checkpoint ──NodePrepareResources──▶ prepared ──last pod ended: NodeUnprepareResources──▶ (gone)
//! ```
//!
//! Deviation: a driver whose devices the node's driver process does not publish counts as registered while it has
//! ResourceSlices for this node or for several nodes. Its calls always succeed, and it reports no health.

use std::sync::Arc;

use podscope_api::{
    Container, ContainerResourceStatus, EventType, ObjectKey, Pod, PrepareDescription, ResourceClaim, ResourceHealth,
    ResourceSlice, Str, Uid, ordered,
};

use super::events;
use super::host::Host;
use super::worker::{PodWorker, SyncResult};
use super::{KubeletManagers, KubeletTimer};
use crate::device_pools::device_pools;
use crate::machine::{Devices, PreparedClaim, PreparedDevice};
use crate::{Timer, driver};
use podscope_sim::{SimTime, Span};

/// Time after which the slices of a driver without a connection are deleted (DRA-250), and the health of its devices is
/// unknown (DRA-249).
const DRIVER_TIMEOUT: Span = Span::seconds(30);
/// Interval of the loop that unprepares the claims of pods that are gone (DRA-247).
const RECONCILE_PERIOD: Span = Span::seconds(60);

/// Result of preparing the claims of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ClaimPreparation {
    Ready,
    /// The drivers are preparing the claims; they answer at this instant.
    InProgress(SimTime),
    Failed(String),
}

/// Prepares the claims of a pod. `answered_at` is the instant at which the drivers answer the call in progress; `None`
/// if there is no such call.
pub(super) fn prepare_claims(pod: &Pod, answered_at: Option<SimTime>, host: &mut Host<'_, '_>) -> ClaimPreparation {
    if pod.spec.resource_claims.is_empty() && pod.status.extended_resource_claim_status.is_none() {
        return ClaimPreparation::Ready;
    }
    let claims = match claims_to_prepare(pod, host) {
        Ok(claims) => claims,
        Err(why) => return ClaimPreparation::Failed(why),
    };
    for claim in &claims {
        record_claim_use(claim, &pod.metadata.uid, host);
    }
    let unprepared = |claim: &&Arc<ResourceClaim>| {
        let known = host
            .machine
            .devices()
            .and_then(|devices| devices.claims.get(&claim.metadata.key()));
        known.is_none_or(|known| !known.is_prepared)
    };
    let missing: Vec<Arc<ResourceClaim>> = claims.iter().filter(unprepared).cloned().collect();
    if missing.is_empty() {
        return ClaimPreparation::Ready;
    }
    let results: Vec<PrepareDescription> = missing.iter().flat_map(|claim| prepare_results(claim, host)).collect();
    let slowest = results.iter().map(|result| match result {
        PrepareDescription::Takes(micros) => *micros,
        PrepareDescription::Fails => 0,
    });
    let answered_at = answered_at.unwrap_or_else(|| host.ctx.now + Span(slowest.max().unwrap_or(0)));
    if answered_at > host.ctx.now {
        return ClaimPreparation::InProgress(answered_at);
    }
    for claim in &missing {
        let name = &claim.metadata.name;
        if self::prepare_results(claim, host).contains(&PrepareDescription::Fails) {
            let text = format!("NodePrepareResources failed for ResourceClaim {name}: the driver is described to fail");
            return ClaimPreparation::Failed(text);
        }
        if let Some(known) = host.machine.devices_mut().claims.get_mut(&claim.metadata.key()) {
            known.is_prepared = true;
        }
    }
    ClaimPreparation::Ready
}

/// Returns the pod's claims, if this node may prepare them (DRA-241).
fn claims_to_prepare(pod: &Pod, host: &Host<'_, '_>) -> Result<Vec<Arc<ResourceClaim>>, String> {
    let (namespace, pod_name) = (&pod.metadata.namespace, &pod.metadata.name);
    let uid = &pod.metadata.uid;
    let mut claims = Vec::new();
    for (name, is_generated) in claim_names_and_is_generated(pod)? {
        let key = ObjectKey::new(namespace.clone(), name.clone());
        let Some(claim) = host.cache.get::<ResourceClaim>(&key) else {
            return Err(format!(
                "fetch ResourceClaim {name}: resourceclaims.resource.k8s.io \"{name}\" not found"
            ));
        };
        let owner = claim.metadata.controller_ref();
        if is_generated && owner.is_none_or(|owner| owner.uid != *uid) {
            return Err(format!(
                "ResourceClaim {namespace}/{name} was not created for Pod {namespace}/{pod_name} (Pod is not owner)"
            ));
        }
        if !claim.is_reserved_for(uid) {
            let claim_uid = &claim.metadata.uid;
            return Err(format!(
                "pod {pod_name} ({uid}) is not allowed to use ResourceClaim {name} ({claim_uid})"
            ));
        }
        let known = host.machine.devices().and_then(|devices| devices.claims.get(&key));
        if let Some(known) = known.filter(|known| known.uid != claim.metadata.uid) {
            return Err(format!(
                "old ResourceClaim with same name {name} and different UID {} still exists (previous pod force-deleted?!)",
                known.uid
            ));
        }
        let Some(allocation) = &claim.status.allocation else {
            return Err(format!("ResourceClaim {name}: not allocated"));
        };
        let mut drivers = allocation.devices.results.iter().map(|result| &result.driver);
        if let Some(driver) = drivers.find(|driver| !is_driver_registered(driver, host)) {
            return Err(format!("DRA driver {driver} is not registered"));
        }
        claims.push(claim.clone());
    }
    Ok(claims)
}

/// Returns the names of the pod's claims in order, each with whether it was generated for the pod (DRA-088).
fn claim_names_and_is_generated(pod: &Pod) -> Result<Vec<(Str, bool)>, String> {
    let mut names = Vec::new();
    for entry in &pod.spec.resource_claims {
        if let Some(name) = &entry.resource_claim_name {
            names.push((name.clone(), false));
            continue;
        }
        let mut statuses = pod.status.resource_claim_statuses.iter();
        match statuses.find(|status| status.name == entry.name) {
            Some(status) => names.extend(status.resource_claim_name.clone().map(|name| (name, true))),
            None => {
                let key = pod.metadata.key();
                return Err(format!("pod \"{key}\": ResourceClaim not created yet"));
            }
        }
    }
    let extended = pod.status.extended_resource_claim_status.iter();
    names.extend(extended.map(|status| (status.resource_claim_name.clone(), true)));
    Ok(names)
}

/// Returns whether the driver counts as registered on this node.
fn is_driver_registered(driver: &Str, host: &Host<'_, '_>) -> bool {
    if let Some(devices) = host.machine.devices().filter(|devices| devices.has_published(driver)) {
        return devices.is_driver_running;
    }
    let is_usable = |slice: &&Arc<ResourceSlice>| {
        let node = slice.spec.node_name.as_deref();
        slice.spec.driver == *driver && node.is_none_or(|node| node == host.shared.node.as_str())
    };
    host.cache.list::<ResourceSlice>().any(|slice| is_usable(&slice))
}

/// Returns the answer of the driver to NodePrepareResources for each device of a claim.
fn prepare_results(claim: &ResourceClaim, host: &Host<'_, '_>) -> Vec<PrepareDescription> {
    let Some(node) = &host.shared.node_object else {
        return Vec::new();
    };
    let pools = device_pools(node, host.machine.devices());
    let allocated = claim
        .status
        .allocation
        .iter()
        .flat_map(|allocation| &allocation.devices.results);
    let answer = |result: &podscope_api::DeviceRequestAllocationResult| {
        let pool = pools
            .iter()
            .find(|pool| pool.driver == result.driver && pool.name == result.pool);
        pool.and_then(|pool| pool.prepare_description(&result.device))
    };
    allocated.filter_map(answer).collect()
}

/// Records the pod's use of a claim in the checkpoint.
fn record_claim_use(claim: &ResourceClaim, pod: &Uid, host: &mut Host<'_, '_>) {
    let allocated = claim
        .status
        .allocation
        .iter()
        .flat_map(|allocation| &allocation.devices.results);
    let device = |result: &podscope_api::DeviceRequestAllocationResult| PreparedDevice {
        request: result.request.split('/').next().unwrap_or_default().into(),
        driver: result.driver.clone(),
        pool: result.pool.clone(),
        device: result.device.clone(),
    };
    let claims = &mut host.machine.devices_mut().claims;
    let known = claims.entry(claim.metadata.key()).or_insert_with(|| PreparedClaim {
        uid: claim.metadata.uid.clone(),
        is_prepared: false,
        pods: ordered::Set::new(),
        devices: allocated.map(device).collect(),
    });
    known.pods.insert(pod.clone());
}

/// Unprepares the claims that only this pod uses. If a driver of a claim is down, the claim stays prepared, and the
/// function returns false (DRA-245).
pub(super) fn unprepare_claims(pod: &Uid, host: &mut Host<'_, '_>) -> bool {
    let Some(devices) = host.machine.devices() else {
        return true;
    };
    let of_pod = devices.claims.iter().filter(|(_, claim)| claim.pods.contains(pod));
    let of_pod: Vec<(ObjectKey, PreparedClaim)> = of_pod.map(|(key, claim)| (key.clone(), claim.clone())).collect();
    let mut is_done = true;
    for (key, mut claim) in of_pod {
        claim.pods.remove(pod);
        if claim.pods.is_empty() {
            if claim.is_prepared && claim.devices.iter().any(|device| is_driver_down(&device.driver, host)) {
                is_done = false;
                continue;
            }
            host.machine.devices_mut().claims.remove(&key);
        } else {
            host.machine.devices_mut().claims.insert(key, claim);
        }
    }
    is_done
}

/// Returns whether the node's process of this driver is down.
fn is_driver_down(driver: &str, host: &Host<'_, '_>) -> bool {
    let devices = host.machine.devices().filter(|devices| devices.has_published(driver));
    devices.is_some_and(|devices| !devices.is_driver_running)
}

/// Returns the health of the devices that a container uses (DRA-249).
pub(super) fn health_of_devices(pod: &Pod, container: &Container, host: &Host<'_, '_>) -> Vec<ContainerResourceStatus> {
    let Some(devices) = host
        .machine
        .devices()
        .filter(|_| !container.resources.claims.is_empty())
    else {
        return Vec::new();
    };
    let names = claim_names_and_is_generated(pod).unwrap_or_default();
    let mut statuses = Vec::new();
    for used in &container.resources.claims {
        let entry = pod
            .spec
            .resource_claims
            .iter()
            .position(|entry| entry.name == used.name);
        let Some((name, _)) = entry.and_then(|index| names.get(index)) else {
            continue;
        };
        let key = ObjectKey::new(pod.metadata.namespace.clone(), name.clone());
        let Some(claim) = devices.claims.get(&key).filter(|claim| claim.is_prepared) else {
            continue;
        };
        let is_used = |device: &&PreparedDevice| used.request.is_empty() || device.request == used.request;
        let resources: Vec<ResourceHealth> = claim
            .devices
            .iter()
            .filter(is_used)
            .map(|device| device_health(device, devices, host))
            .collect();
        if resources.is_empty() {
            continue;
        }
        let suffix = if used.request.is_empty() {
            String::new()
        } else {
            format!("/{}", used.request)
        };
        statuses.push(ContainerResourceStatus {
            name: format!("claim:{}{suffix}", used.name).into(),
            resources,
        });
    }
    statuses
}

/// Returns the health of one prepared device.
fn device_health(device: &PreparedDevice, devices: &Devices, host: &Host<'_, '_>) -> ResourceHealth {
    let pools = match &host.shared.node_object {
        Some(node) => device_pools(node, Some(devices)),
        None => Vec::new(),
    };
    let mut names = pools
        .iter()
        .filter(|pool| pool.driver == device.driver)
        .flat_map(|pool| pool.device_names_with_parents());
    let parent = names
        .find(|(name, _)| **name == device.device)
        .and_then(|(_, parent)| parent);
    let state = devices.device_state(&device.driver, &device.device, parent);
    let is_silent = host
        .shared
        .driver_lost
        .is_some_and(|lost| host.ctx.now - lost >= DRIVER_TIMEOUT);
    let health = match state {
        _ if is_silent || !devices.has_published(&device.driver) => "Unknown",
        Some(state) if state.is_unhealthy || state.is_gone => "Unhealthy",
        _ => "Healthy",
    };
    ResourceHealth {
        resource_id: format!("{}/{}/{}", device.driver, device.pool, device.device).into(),
        health: health.into(),
        ..ResourceHealth::default()
    }
}

impl PodWorker {
    /// Handles a failed preparation of claims: the pod waits for its next periodic sync (DRA-243).
    pub(super) fn handle_prepare_failure(&mut self, why: &str, host: &mut Host<'_, '_>) {
        let message = format!("Failed to prepare dynamic resources: prepare dynamic resources: {why}");
        events::emit_for_pod(
            &self.pod,
            EventType::Warning,
            "FailedPrepareDynamicResources",
            message,
            host,
        );
        self.finish_sync(SyncResult::Ok, host);
        let wait = host.ctx.rng.between(Span::seconds(60), Span::seconds(90));
        self.request_sync_at(host.ctx.now + wait, host);
    }
}

impl KubeletManagers {
    /// Handles a change of a device, or a start or stop of the driver process.
    pub(super) fn handle_devices_changed(&mut self, host: &mut Host<'_, '_>) {
        let runs = host.machine.devices().is_some_and(|devices| devices.is_driver_running);
        if runs {
            host.shared.driver_lost = None;
        } else if host.shared.driver_lost.is_none() {
            host.shared.driver_lost = Some(host.ctx.now);
            let at = host.ctx.now + DRIVER_TIMEOUT;
            host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Drivers));
        }
        self.refresh_device_health(host);
    }

    /// Syncs the pods that use devices, so that their statuses show the present health.
    fn refresh_device_health(&mut self, host: &mut Host<'_, '_>) {
        let users = self
            .pods
            .iter()
            .filter(|(_, worker)| !worker.pod.spec.resource_claims.is_empty());
        let users: Vec<Uid> = users.map(|(uid, _)| uid.clone()).collect();
        for uid in users {
            if let Some(worker) = self.pods.get_mut(&uid) {
                worker.request_sync(host);
            }
            self.advance_worker(&uid, host);
        }
    }

    /// Deletes the drivers' slices if the drivers have been disconnected for `DRIVER_TIMEOUT` (DRA-250), and unprepares
    /// the claims of pods that this kubelet does not know.
    pub(super) fn handle_driver_timer(&mut self, host: &mut Host<'_, '_>) {
        let lost = host.shared.driver_lost;
        if lost.is_some_and(|lost| host.ctx.now - lost >= DRIVER_TIMEOUT) {
            delete_slices(host);
            self.refresh_device_health(host);
        }
        self.reconcile_claims(host);
    }

    /// Unprepares the claims of pods that this kubelet does not know (DRA-247).
    fn reconcile_claims(&mut self, host: &mut Host<'_, '_>) {
        let Some(devices) = host.machine.devices().filter(|_| self.has_listed) else {
            return;
        };
        let users = devices.claims.values().flat_map(|claim| claim.pods.iter());
        let gone: Vec<Uid> = users.filter(|uid| !self.pods.contains_key(*uid)).cloned().collect();
        let left: Vec<&Uid> = gone.iter().filter(|uid| !unprepare_claims(uid, host)).collect();
        if !left.is_empty() {
            schedule_claim_reconciliation(host);
        }
    }

    /// Initializes the state about devices when the kubelet starts. A restarted kubelet deletes the slices of the node;
    /// the drivers publish them again.
    pub(super) fn initialize_devices(&mut self, host: &mut Host<'_, '_>) {
        let Some(devices) = host.machine.devices() else { return };
        let has_claims = !devices.claims.is_empty();
        if !devices.is_driver_running && !devices.generations.is_empty() {
            host.shared.driver_lost = Some(host.ctx.now);
        }
        if host.shared.is_restart {
            delete_slices(host);
        }
        if has_claims {
            schedule_claim_reconciliation(host);
        }
    }
}

/// Schedules the next pass that unprepares the claims of pods that are gone.
fn schedule_claim_reconciliation(host: &mut Host<'_, '_>) {
    let at = host.ctx.now + RECONCILE_PERIOD;
    host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Drivers));
}

/// Deletes the slices that the node's drivers publish.
fn delete_slices(host: &mut Host<'_, '_>) {
    let Some(devices) = host.machine.devices() else { return };
    let is_own = |slice: &&Arc<ResourceSlice>| {
        slice.spec.node_name.as_deref() == Some(host.shared.node.as_str()) && devices.has_published(&slice.spec.driver)
    };
    let own = host.cache.list::<ResourceSlice>().filter(is_own);
    let requests: Vec<_> = own.map(|slice| driver::delete_slice(slice)).collect();
    for request in requests {
        host.ctx.call(request);
    }
}
