//! Volumes of a pod before its containers: what must exist, be attached and
//! be mounted (CT-127, CT-128), and how long that is waited for.

use podscope_api::{ConfigMap, EventType, ObjectKey, Pod, Secret, VolumeAttachment};

use super::events;
use super::host::Host;
use crate::machine::Mount;
use podscope_sim::volume::{Backend, Resolved, resolve};
use podscope_sim::{SimTime, Span};

/// What keeps a volume from being mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    volume: String,
    /// Text of a FailedMount event; none while it only waits (for the attach controller).
    message: Option<String>,
}

/// A wait for volumes.
#[derive(Debug, Clone)]
pub(super) struct Wait {
    until: SimTime,
    delay: Span,
    pub(super) next_try: SimTime,
}

/// How long a sync waits for volumes before it fails and is tried again (the kubelet's 2 m 3 s).
const PATIENCE: Span = Span::seconds(123);
const FIRST_DELAY: Span = Span::millis(500);
const LONGEST_DELAY: Span = Span::seconds(122);

impl Wait {
    pub(super) fn begin(pod: &Pod, problems: &[Problem], host: &mut Host<'_, '_>) -> Self {
        let mut wait = Self {
            until: host.ctx.now + PATIENCE,
            delay: FIRST_DELAY,
            next_try: host.ctx.now,
        };
        wait.again(pod, problems, host);
        wait
    }

    pub(super) fn is_over(&self, now: SimTime) -> bool {
        now >= self.until
    }

    /// Looks again as soon as the step is over: something that matters changed.
    pub(super) fn hurry(&mut self, now: SimTime) {
        self.next_try = now;
    }

    /// A failed attempt: each is retried after a delay that doubles.
    pub(super) fn again(&mut self, pod: &Pod, problems: &[Problem], host: &mut Host<'_, '_>) {
        for problem in problems {
            if let Some(message) = &problem.message {
                events::of_pod(pod, EventType::Warning, "FailedMount", message.clone(), host);
            }
        }
        self.next_try = (host.ctx.now + self.delay).min(self.until.max(host.ctx.now + Span(1)));
        // Waiting for the attach controller does not double: it is asked every half second.
        if problems.iter().any(|problem| problem.message.is_some()) {
            self.delay = Span((self.delay.0 * 2).min(LONGEST_DELAY.0));
        }
    }

    /// The wait is over.
    pub(super) fn give_up(&self, pod: &Pod, problems: &[Problem], host: &mut Host<'_, '_>) {
        let names: Vec<&str> = problems.iter().map(|problem| problem.volume.as_str()).collect();
        let message = format!(
            "Unable to attach or mount volumes: unmounted volumes=[{}], unattached volumes=[], failed to process volumes=[]: context deadline exceeded",
            names.join(" ")
        );
        events::of_pod(pod, EventType::Warning, "FailedMount", message, host);
    }
}

/// Mounts every volume of a pod that can be mounted.
///
/// # Errors
/// What is in the way, by volume, in the pod's order.
pub(super) fn mount_all(pod: &Pod, host: &mut Host<'_, '_>) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    for volume in pod.spec.volumes.iter() {
        let key = |name: &str| ObjectKey::new(pod.metadata.namespace.clone(), name);
        let set_up = |problem: String| Problem {
            volume: volume.name.to_string(),
            message: Some(format!(
                "MountVolume.SetUp failed for volume \"{}\" : {problem}",
                volume.name
            )),
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
            Resolved::OfNode => {}
            Resolved::Missing(problem) => {
                let claim = podscope_sim::volume::claim_name(pod, volume).unwrap_or_else(|| volume.name.clone());
                let message = format!("error processing PVC {}/{claim}: {problem}", pod.metadata.namespace);
                problems.push(Problem {
                    volume: volume.name.to_string(),
                    message: Some(message),
                });
            }
            Resolved::Backend(backend) if is_attached(&backend, host) => {
                let mounts = pod.spec.all_containers().flat_map(|container| &container.volume_mounts);
                let mut own = mounts.filter(|mount| mount.name == volume.name);
                let is_writable = !backend.is_read_only && own.any(|mount| mount.read_only != Some(true));
                let mount = Mount {
                    volume: backend.name.clone(),
                    unique_name: backend.needs_attach.then_some(backend.unique_name),
                    is_writable,
                };
                host.machine.mount(pod, mount, host.ctx);
            }
            Resolved::Backend(backend) => {
                host.want_in_use(backend.unique_name);
                problems.push(Problem {
                    volume: volume.name.to_string(),
                    message: None,
                });
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Whether the volume can be mounted: reported in use by this kubelet, and attached (CT-128).
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
    // A driver's own word, where there is one; a VolumeAttachment that is being deleted is on its way out.
    let of_this_node = |attachment: &&std::sync::Arc<VolumeAttachment>| {
        attachment.spec.node_name == host.shared.node
            && attachment.spec.source.persistent_volume_name.as_ref() == Some(&backend.name)
    };
    host.cache
        .list::<VolumeAttachment>()
        .filter(of_this_node)
        .all(|attachment| attachment.status.attached && !attachment.metadata.is_terminating())
}
