//! Volumes of a pod must exist, be attached and be mounted before its containers start (CT-127, CT-128). This module
//! mounts them and limits the wait.

use podscope_api::{ConfigMap, EventType, ObjectKey, PersistentVolume, Pod, Secret, Str, VolumeAttachment};

use super::events;
use super::host::Host;
use crate::machine::Mount;
use podscope_sim::volume::{Backend, ResolvedVolume, driver_of, resolve};
use podscope_sim::{Place, SimTime, Span};

/// A volume of a pod that cannot be mounted, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VolumeProblem {
    volume: Str,
    obstacle: MountObstacle,
}

/// Why a volume cannot be mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MountObstacle {
    /// The volume is not attached to the node yet.
    Unattached,
    /// The mount fails; the text is the message of the FailedMount event.
    Mount(String),
    /// The volume cannot be resolved; the text is the message of the FailedMount event.
    Unprocessed(String),
}

impl VolumeProblem {
    /// Returns the message of the FailedMount event; None while only the attachment is missing.
    fn message(&self) -> Option<&String> {
        match &self.obstacle {
            MountObstacle::Unattached => None,
            MountObstacle::Mount(message) | MountObstacle::Unprocessed(message) => Some(message),
        }
    }
}

/// A worker's wait for volumes.
#[derive(Debug, Clone)]
pub(super) struct VolumeWait {
    until: SimTime,
    delay: Span,
    pub(super) next_try: SimTime,
}

/// Time for which a sync waits for volumes before it fails and is retried (2 m 3 s in the kubelet).
const MOUNT_TIMEOUT: Span = Span::seconds(123);
/// Delay before the first retry of a mount.
const INITIAL_MOUNT_RETRY_DELAY: Span = Span::millis(500);
/// Maximum delay before a retry of a mount.
const MAX_MOUNT_RETRY_DELAY: Span = Span::seconds(122);

impl VolumeWait {
    pub(super) fn begin(pod: &Pod, problems: &[VolumeProblem], host: &mut Host<'_, '_>) -> Self {
        let mut wait = Self {
            until: host.ctx.now + MOUNT_TIMEOUT,
            delay: INITIAL_MOUNT_RETRY_DELAY,
            next_try: host.ctx.now,
        };
        wait.record_failure(pod, problems, host);
        wait
    }

    pub(super) fn has_timed_out(&self, now: SimTime) -> bool {
        now >= self.until
    }

    /// Schedules the next try for now, because something that the volumes depend on changed.
    pub(super) fn retry_now(&mut self, now: SimTime) {
        self.next_try = now;
    }

    /// Records a failed attempt: emits its events and schedules the next one. The delay doubles.
    pub(super) fn record_failure(&mut self, pod: &Pod, problems: &[VolumeProblem], host: &mut Host<'_, '_>) {
        for problem in problems {
            if let Some(message) = problem.message() {
                events::emit_for_pod(pod, EventType::Warning, "FailedMount", message.clone(), host);
            }
        }
        self.next_try = (host.ctx.now + self.delay).min(self.until.max(host.ctx.now + Span(1)));
        // While only the attachment is missing, the kubelet polls every half second: the delay does not double.
        if problems.iter().any(|problem| problem.message().is_some()) {
            self.delay = self.delay.doubled(MAX_MOUNT_RETRY_DELAY);
        }
    }

    /// Emits the event of a wait that timed out.
    pub(super) fn emit_timeout(&self, pod: &Pod, problems: &[VolumeProblem], host: &mut Host<'_, '_>) {
        let names = |matches: fn(&MountObstacle) -> bool| {
            let all = problems.iter().filter(|problem| matches(&problem.obstacle));
            all.map(|problem| &*problem.volume).collect::<Vec<&str>>().join(" ")
        };
        let message = format!(
            "Unable to attach or mount volumes: unmounted volumes=[{}], unattached volumes=[{}], failed to process volumes=[{}]: context deadline exceeded",
            names(|_| true),
            names(|obstacle| *obstacle == MountObstacle::Unattached),
            names(|obstacle| matches!(obstacle, MountObstacle::Unprocessed(_))),
        );
        events::emit_for_pod(pod, EventType::Warning, "FailedMount", message, host);
    }
}

/// Mounts all volumes of a pod that can be mounted.
///
/// # Errors
/// The volumes that cannot be mounted, in the order of the pod's spec.
pub(super) fn mount_all_volumes(pod: &Pod, host: &mut Host<'_, '_>) -> Result<(), Vec<VolumeProblem>> {
    let mut problems = Vec::new();
    for volume in pod.spec.volumes.iter() {
        let key = |name: &str| ObjectKey::new(pod.metadata.namespace.clone(), name);
        let blocked = |obstacle: MountObstacle| VolumeProblem {
            volume: volume.name.clone(),
            obstacle,
        };
        let set_up = |problem: String| {
            let name = &volume.name;
            blocked(MountObstacle::Mount(format!(
                "MountVolume.SetUp failed for volume \"{name}\" : {problem}"
            )))
        };
        if let Some(source) = &volume.config_map
            && source.optional != Some(true)
            && host.cache.get::<ConfigMap>(&key(&source.name)).is_none()
        {
            problems.push(set_up(format!("configmap \"{}\" not found", source.name)));
        }
        if let Some(source) = &volume.secret
            && source.optional != Some(true)
            && host.cache.get::<Secret>(&key(&source.secret_name)).is_none()
        {
            problems.push(set_up(format!("secret \"{}\" not found", source.secret_name)));
        }
        match resolve(pod, volume, host.cache) {
            ResolvedVolume::OfNode => {}
            ResolvedVolume::Missing(problem) => {
                let claim = podscope_sim::volume::claim_name(pod, volume).unwrap_or_else(|| volume.name.clone());
                let message = format!("error processing PVC {}/{claim}: {problem}", pod.metadata.namespace);
                problems.push(blocked(MountObstacle::Unprocessed(message)));
            }
            ResolvedVolume::Backend(backend) if !is_attached(&backend, host) => {
                host.report_volume_in_use(backend.unique_name);
                problems.push(blocked(MountObstacle::Unattached));
            }
            ResolvedVolume::Backend(backend) if is_storage_unreachable(pod, &backend, host) => {
                problems.push(blocked(MountObstacle::Mount(unreachable_message(pod, &backend))));
            }
            ResolvedVolume::Backend(backend) => {
                let mounts = pod.spec.all_containers().flat_map(|container| &container.volume_mounts);
                let mut own = mounts.filter(|mount| mount.name == volume.name);
                let is_writable = !backend.is_read_only && own.any(|mount| mount.read_only != Some(true));
                let mount = Mount {
                    volume: backend.name.clone(),
                    unique_name: backend.needs_attach.then_some(backend.unique_name),
                    is_writable,
                    is_remote: backend.is_remote,
                };
                host.machine.mount(pod, mount, host.ctx);
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Returns whether a remote volume cannot be mounted because the machine does not reach its storage: the link is cut,
/// or the storage refuses the machine (a fence). A mounted volume stays mounted.
fn is_storage_unreachable(pod: &Pod, backend: &Backend, host: &Host<'_, '_>) -> bool {
    let here = Place::Node(host.shared.node.clone());
    let held = host.machine.pod(&pod.metadata.uid);
    let is_mounted = held.is_some_and(|held| held.mounts.iter().any(|mount| mount.volume == backend.name));
    let is_reachable = !host.machine.is_storage_refused()
        && host.ctx.reaches(&here, &Place::Storage)
        && host.ctx.reaches(&Place::Storage, &here);
    backend.is_remote && !is_mounted && !is_reachable
}

/// Returns the error message of a mount whose storage does not answer: staging of a block device, or `mount` of a
/// share.
fn unreachable_message(pod: &Pod, backend: &Backend) -> String {
    if backend.is_block {
        return format!(
            "MountVolume.MountDevice failed for volume \"{}\" : rpc error: code = DeadlineExceeded desc = context deadline exceeded",
            backend.spec_name
        );
    }
    let rest = backend.unique_name.trim_start_matches("kubernetes.io/");
    let (plugin, id) = rest.split_once('/').unwrap_or((rest, ""));
    let name = &backend.spec_name;
    format!(
        "MountVolume.SetUp failed for volume \"{name}\" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t {plugin} {id} /var/lib/kubelet/pods/{}/volumes/kubernetes.io~{plugin}/{name}\nOutput: mount.{plugin}: Connection timed out",
        pod.metadata.uid.as_str(),
    )
}

/// Returns whether the volume is attached and this kubelet has reported it in use, so that it can be mounted (CT-128).
fn is_attached(backend: &Backend, host: &Host<'_, '_>) -> bool {
    if !backend.needs_attach {
        return true;
    }
    let Some(node) = &host.shared.node_object else {
        return false;
    };
    if !node.status.volumes_in_use.contains(&backend.unique_name) {
        return false;
    }
    if !node
        .status
        .volumes_attached
        .iter()
        .any(|attached| attached.name == backend.unique_name)
    {
        return false;
    }
    // A CSI driver reports the attachment in a VolumeAttachment. An attachment that is being deleted does not count.
    let of_this_node = |attachment: &&std::sync::Arc<VolumeAttachment>| {
        attachment.spec.node_name == host.shared.node
            && attachment.spec.source.persistent_volume_name.as_ref() == Some(&backend.name)
    };
    let mut own = host.cache.list::<VolumeAttachment>().filter(of_this_node);
    let volume = host.cache.named::<PersistentVolume>(&backend.name);
    let needs_one = volume.is_some_and(|volume| driver_of(volume).is_some());
    let is_good = |attachment: &std::sync::Arc<VolumeAttachment>| {
        attachment.status.attached && !attachment.metadata.is_terminating()
    };
    if needs_one {
        own.next().is_some_and(is_good) && own.all(is_good)
    } else {
        own.all(is_good)
    }
}
