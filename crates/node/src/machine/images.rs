//! Images of a machine (which are present and when they were last used) and image pulls.
//!
//! ```text
//! (requested) ─▶ Waiting ──a pull slot is free──▶ UnderWay ──its duration is over──▶ (ended)
//! ```

use std::sync::Arc;

use podscope_api::hash::{self, fnv1a};
use podscope_api::{CausedBy, Kind, Pod, Str};

use super::{Machine, MachineEvent, MachineTimer, PullId, TimedOutcome};
use crate::{Context, Timer};
use podscope_sim::{Happening, SimTime, Subject, subject};

/// A container image: its names and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Full names as a node's status lists them; names by digest come first.
    pub names: Vec<Str>,
    pub bytes: i64,
}

impl Image {
    /// Returns the image that a registry has under this name. Assumption: manifests do not give digest and size, so
    /// both are computed from the name; the size is a whole number of megabytes from 20 to 219, as usual for server
    /// images.
    pub(super) fn from_registry(image: &str) -> Self {
        let name = full_image_name(image);
        let mut names = vec![Str::from(name.as_str())];
        if let Some((repository, _)) = name.rsplit_once(':')
            && !name.contains('@')
        {
            let digest = format!("{repository}@sha256:{}", hex_digest(0, &[&name]));
            names.insert(0, digest.into());
        }
        let draw = name.bytes().fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % 200);
        Self {
            names,
            bytes: (20 + draw) * 1_000_000,
        }
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|known| **known == *name)
    }

    /// Returns the name by tag, or else by digest: `image` of a container's status.
    pub fn name(&self) -> Str {
        self.names.last().cloned().unwrap_or_else(|| "".into())
    }

    /// Returns the name by digest: `imageID` of a container's status.
    pub fn digest(&self) -> Str {
        self.names.first().cloned().unwrap_or_else(|| "".into())
    }
}

/// An image on a machine's disk, with the times of its use that the kubelet can observe.
#[derive(Debug, Clone)]
pub struct HeldImage {
    pub image: Arc<Image>,
    pub added_at: SimTime,
    /// When the last container of this image was removed; None if no such container was ever removed. Containers that
    /// still exist do not count.
    pub used_until: Option<SimTime>,
}

/// Returns 64 hexadecimal digits that are computed from a number and texts, to be used as a container or image ID.
pub(crate) fn hex_digest(number: u64, texts: &[&str]) -> String {
    use std::fmt::Write;
    let mut digits = String::with_capacity(64);
    for salt in 0..4_u64 {
        let seed = hash::EMPTY ^ (number << 8 | salt);
        let hash = fnv1a(seed, texts.iter().flat_map(|text| text.bytes()));
        let _ = write!(
            digits,
            "{:016x}",
            hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (hash >> 29)
        );
    }
    digits
}

/// A pull that was requested and has not ended.
#[derive(Debug, Clone)]
pub(super) struct PendingPull {
    id: PullId,
    pod: Arc<Subject>,
    image: Str,
    outcome: TimedOutcome,
    requested_at: SimTime,
    /// Cause of the pod's start, which is also the cause of the pull.
    caused_by: CausedBy,
    /// When the pull began and when it ends; None while it waits for other pulls.
    running_times: Option<(SimTime, SimTime)>,
}

impl Machine {
    /// Returns whether an image is present; the name may be abbreviated (`nginx`).
    pub fn has_image(&self, image: &str) -> bool {
        self.image(image).is_some()
    }

    /// Returns the image with this name, which may be abbreviated (`nginx`).
    pub fn image(&self, image: &str) -> Option<&Arc<Image>> {
        let name = full_image_name(image);
        let known = self.images.iter().find(|held| held.image.has_name(&name))?;
        Some(&known.image)
    }

    /// Adds an image of this size; names by digest are sorted before tags.
    pub fn add_image(&mut self, names: &[Str], bytes: i64) {
        let (mut digests, tags): (Vec<Str>, Vec<Str>) = names.iter().cloned().partition(|name| name.contains('@'));
        digests.extend(tags);
        self.store_image(Image { names: digests, bytes }, SimTime::ZERO);
    }

    /// Returns the images in the order in which they were added.
    pub fn images(&self) -> &[HeldImage] {
        &self.images
    }

    /// Returns the bytes that images use on the machine's main disk; 0 if images have a separate disk.
    pub fn image_bytes(&self) -> i64 {
        if self.has_image_disk {
            return 0;
        }
        let sizes = self.images.iter().map(|held| held.image.bytes);
        sizes.fold(0, i64::saturating_add)
    }

    /// Returns whether a container of any pod uses the image, running or not. The kubelet does not remove such images.
    pub fn is_image_used(&self, image: &Arc<Image>) -> bool {
        let mut containers = self.pods.values().flat_map(|pod| &pod.containers);
        containers.any(|one| Arc::ptr_eq(&one.source, image))
    }

    pub fn remove_image(&mut self, image: &Arc<Image>) {
        self.images.retain(|held| !Arc::ptr_eq(&held.image, image));
        self.changes += 1;
    }

    /// Moves the images to a separate disk whose size is not simulated: they then use no space on the node's disk.
    pub fn add_image_disk(&mut self) {
        self.has_image_disk = true;
    }

    /// Returns the image with this name; it is added if it is not present.
    pub(super) fn ensure_image(&mut self, image: &str, now: SimTime) -> Arc<Image> {
        if let Some(known) = self.image(image) {
            return known.clone();
        }
        self.store_image(Image::from_registry(image), now)
    }

    fn store_image(&mut self, image: Image, added_at: SimTime) -> Arc<Image> {
        let image = Arc::new(image);
        self.changes += 1;
        self.images.push(HeldImage {
            image: image.clone(),
            added_at,
            used_until: None,
        });
        image
    }

    /// Records the time at which a container of the image was removed.
    pub(super) fn release_image(&mut self, image: &Arc<Image>, now: SimTime) {
        let mut all = self.images.iter_mut();
        if let Some(held) = all.find(|held| Arc::ptr_eq(&held.image, image)) {
            held.used_until = Some(now);
        }
    }

    /// Requests a pull; [`MachineEvent::Pulled`] reports its end. At most `max_concurrent` pulls run at once, in the
    /// order of their requests (LC-070: one).
    pub fn pull(
        &mut self,
        pod: &Pod,
        image: &Str,
        outcome: TimedOutcome,
        max_concurrent: usize,
        ctx: &mut Context<'_>,
    ) -> PullId {
        let id = PullId(self.new_id().0);
        self.pulls.push(PendingPull {
            id,
            pod: subject(Kind::Pod, pod.metadata.key(), pod.metadata.uid.clone()),
            image: image.clone(),
            outcome,
            requested_at: ctx.now,
            caused_by: ctx.caused_by(),
            running_times: None,
        });
        self.pull_limit = max_concurrent;
        self.begin_pulls(ctx);
        id
    }

    /// Cancels all pulls, because the kubelet that requested them crashed.
    pub fn cancel_pulls(&mut self) {
        self.pulls.clear();
    }

    /// Begins the pulls that wait, as far as the maximum number of concurrent pulls allows.
    fn begin_pulls(&mut self, ctx: &mut Context<'_>) {
        let n_running = self.pulls.iter().filter(|pull| pull.running_times.is_some()).count();
        for _ in n_running..self.pull_limit {
            let Some(next) = self.pulls.iter().position(|pull| pull.running_times.is_none()) else {
                return;
            };
            let ends_at = self.pull_end_time(&self.pulls[next], ctx.now);
            self.pulls[next].running_times = Some((ctx.now, ends_at));
            ctx.timer(ends_at, Timer::Machine(MachineTimer::Pull));
        }
    }

    /// Returns when a pull that begins now ends: at once if the image is present. If another pull of the same image
    /// ends earlier, both end then, because layers are downloaded once.
    fn pull_end_time(&self, pull: &PendingPull, now: SimTime) -> SimTime {
        let TimedOutcome::Takes(span) = pull.outcome else {
            return now;
        };
        if self.has_image(&pull.image) {
            return now;
        }
        let others = self.pulls.iter().filter(|other| {
            other.id != pull.id && other.image == pull.image && matches!(other.outcome, TimedOutcome::Takes(_))
        });
        let first = others.filter_map(|other| Some(other.running_times?.1)).min();
        first.map_or(now + span, |first| first.min(now + span))
    }

    pub(super) fn handle_pull_timer(&mut self, ctx: &mut Context<'_>) {
        let now = ctx.now;
        let is_due = |pull: &PendingPull| pull.running_times.is_some_and(|(_, ends_at)| ends_at <= now);
        while let Some(idx) = self.pulls.iter().position(is_due) {
            let pull = self.pulls.remove(idx);
            ctx.set_cause(pull.caused_by);
            let succeeded = matches!(pull.outcome, TimedOutcome::Takes(_));
            if succeeded {
                self.ensure_image(&pull.image, now);
                let (image, node) = ((&*pull.image).into(), self.node.clone());
                ctx.record_subject(Happening::ImagePulled { image, node }, Some(pull.pod), None);
            }
            let started_at = pull.running_times.map_or(ctx.now, |(started_at, _)| started_at);
            self.events.push(MachineEvent::Pulled {
                pull: pull.id,
                succeeded,
                took: ctx.now - started_at,
                waited: ctx.now - pull.requested_at,
            });
        }
        self.begin_pulls(ctx);
    }
}

/// Returns the full name of an image, with registry and tag, as runtimes and node statuses write it.
pub(super) fn full_image_name(image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or(image);
    let tag = if last.contains(':') || image.contains('@') {
        ""
    } else {
        ":latest"
    };
    let registry = match image.split_once('/') {
        None => "docker.io/library/",
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => "",
        Some(_) => "docker.io/",
    };
    format!("{registry}{image}{tag}")
}

#[cfg(test)]
mod tests {
    use super::{Image, full_image_name};

    #[test]
    fn image_names_get_default_registry_and_tag() {
        for (short, full) in [
            ("busybox", "docker.io/library/busybox:latest"),
            ("nginx:1.27", "docker.io/library/nginx:1.27"),
            ("grafana/loki:3", "docker.io/grafana/loki:3"),
            ("registry.k8s.io/pause", "registry.k8s.io/pause:latest"),
            ("localhost:5000/a", "localhost:5000/a:latest"),
            ("quay.io/a/b@sha256:1", "quay.io/a/b@sha256:1"),
        ] {
            assert_eq!(full_image_name(short), full);
            assert_eq!(full_image_name(full), full);
            // A reference by digest is its own image ID; the digest of any other name is computed.
            let image = Image::from_registry(short);
            assert_eq!(*image.name(), *full);
            let (repository, digest) = image
                .digest()
                .split_once('@')
                .map_or_else(Default::default, |(name, digest)| (name.to_owned(), digest.to_owned()));
            assert!(
                full.starts_with(&repository) && digest.starts_with("sha256:"),
                "{image:?}"
            );
            assert_eq!(digest.len() == 71, !full.contains('@'), "{image:?}");
        }
    }
}
