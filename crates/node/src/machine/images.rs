//! Images of a machine: which are there, since when and until when they were used, and pulls.
//!
//! ```text
//! (asked for) ─▶ Waiting ──fewer than the limit under way──▶ UnderWay ──took its time──▶ (ended)
//! ```

use std::sync::Arc;

use podscope_api::hash::{self, fnv1a};
use podscope_api::{CausedBy, Kind, Pod, Str};

use super::{Machine, MachineEvent, MachineTimer, Outcome, PullId};
use crate::{Context, Timer};
use podscope_sim::{Happening, SimTime, Subject, subject};

/// An image on a machine's disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its names in full, by digest first, as nodes report them.
    pub names: Vec<Str>,
    /// Bytes on disk.
    pub bytes: i64,
}

impl Image {
    /// The image that a registry has under a name. `~` Its digest is made from its name, and so is its size: whole
    /// megabytes from 20 to 219, as images of servers have; manifests do not say.
    pub(super) fn of(image: &str) -> Self {
        let name = full_name(image);
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

    fn is_called(&self, name: &str) -> bool {
        self.names.iter().any(|known| **known == *name)
    }

    /// Its name by tag, if it has one: `image` of a container's status.
    pub fn name(&self) -> Str {
        self.names.last().cloned().unwrap_or_else(|| "".into())
    }

    /// Its name by digest: `imageID` of a container's status.
    pub fn digest(&self) -> Str {
        self.names.first().cloned().unwrap_or_else(|| "".into())
    }
}

/// An image on a machine's disk, and what its kubelet can come to know of its use.
#[derive(Debug, Clone)]
pub struct HeldImage {
    pub image: Arc<Image>,
    /// When it came.
    pub came_at: SimTime,
    /// When the last container made from it was removed; none if there was none. Says nothing of those that are there.
    pub used_until: Option<SimTime>,
}

/// 64 hexadecimal digits made from a number and texts, as runtimes name containers and images.
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

/// A pull that was asked for and has not ended.
#[derive(Debug, Clone)]
pub(super) struct Pull {
    id: PullId,
    pod: Arc<Subject>,
    image: Str,
    outcome: Outcome,
    asked_at: SimTime,
    /// What led to the pod's start.
    caused_by: CausedBy,
    /// When it began and when it ends; none while others are before it.
    under_way: Option<(SimTime, SimTime)>,
}

impl Machine {
    /// Whether an image is present, under any of the ways to write its name.
    pub fn has_image(&self, image: &str) -> bool {
        self.image(image).is_some()
    }

    /// The image of that name, however it is written.
    pub fn image(&self, image: &str) -> Option<&Arc<Image>> {
        let name = full_name(image);
        let known = self.images.iter().find(|held| held.image.is_called(&name))?;
        Some(&known.image)
    }

    /// An image of so many bytes is present; names by digest go first.
    pub fn add_image(&mut self, names: &[Str], bytes: i64) {
        let (mut digests, tags): (Vec<Str>, Vec<Str>) = names.iter().cloned().partition(|name| name.contains('@'));
        digests.extend(tags);
        self.keep(Image { names: digests, bytes }, SimTime::ZERO);
    }

    /// What is present, in the order in which it came.
    pub fn images(&self) -> &[HeldImage] {
        &self.images
    }

    /// Bytes that the images take of the machine's disk.
    pub fn image_bytes(&self) -> i64 {
        if self.has_image_disk {
            return 0;
        }
        let sizes = self.images.iter().map(|held| held.image.bytes);
        sizes.fold(0, i64::saturating_add)
    }

    /// Whether a container of any pod was made from it, running or not: such an image is never collected.
    pub fn is_image_used(&self, image: &Arc<Image>) -> bool {
        let mut containers = self.pods.values().flat_map(|pod| &pod.containers);
        containers.any(|one| Arc::ptr_eq(&one.source, image))
    }

    /// Removes an image from the disk.
    pub fn remove_image(&mut self, image: &Arc<Image>) {
        self.images.retain(|held| !Arc::ptr_eq(&held.image, image));
        self.changes += 1;
    }

    /// Images lie on a disk of their own, of which nothing is known; what they take is not the node's.
    pub fn give_image_disk(&mut self) {
        self.has_image_disk = true;
    }

    /// The image of that name, which is present from now on.
    pub(super) fn hold_image(&mut self, image: &str, now: SimTime) -> Arc<Image> {
        if let Some(known) = self.image(image) {
            return known.clone();
        }
        self.keep(Image::of(image), now)
    }

    fn keep(&mut self, image: Image, came_at: SimTime) -> Arc<Image> {
        let image = Arc::new(image);
        self.changes += 1;
        self.images.push(HeldImage {
            image: image.clone(),
            came_at,
            used_until: None,
        });
        image
    }

    /// A container made from an image was removed.
    pub(super) fn release_image(&mut self, image: &Arc<Image>, now: SimTime) {
        let mut all = self.images.iter_mut();
        if let Some(held) = all.find(|held| Arc::ptr_eq(&held.image, image)) {
            held.used_until = Some(now);
        }
    }

    /// Asks for an image; the answer is [`MachineEvent::Pulled`]. At most `limit` pulls are under way at once, in the
    /// order in which they were asked for (LC-070: one).
    pub fn pull(&mut self, pod: &Pod, image: &Str, outcome: Outcome, limit: usize, ctx: &mut Context<'_>) -> PullId {
        let id = PullId(self.new_id().0);
        self.pulls.push(Pull {
            id,
            pod: subject(Kind::Pod, pod.metadata.key(), pod.metadata.uid.clone()),
            image: image.clone(),
            outcome,
            asked_at: ctx.now,
            caused_by: ctx.caused_by(),
            under_way: None,
        });
        self.pull_limit = limit;
        self.begin_pulls(ctx);
        id
    }

    /// Pulls end with the kubelet that asked for them.
    pub fn cancel_pulls(&mut self) {
        self.pulls.clear();
    }

    /// Begins what the limit allows.
    fn begin_pulls(&mut self, ctx: &mut Context<'_>) {
        let n_under_way = self.pulls.iter().filter(|pull| pull.under_way.is_some()).count();
        for _ in n_under_way..self.pull_limit {
            let Some(next) = self.pulls.iter().position(|pull| pull.under_way.is_none()) else {
                return;
            };
            let ends_at = self.pull_end(&self.pulls[next], ctx.now);
            self.pulls[next].under_way = Some((ctx.now, ends_at));
            ctx.timer(ends_at, Timer::Machine(MachineTimer::Pull));
        }
    }

    /// When a pull that begins now ends: at once if the image is there, with another pull of the same image if that
    /// one ends earlier (layers are fetched once).
    fn pull_end(&self, pull: &Pull, now: SimTime) -> SimTime {
        let Outcome::Takes(span) = pull.outcome else { return now };
        if self.has_image(&pull.image) {
            return now;
        }
        let others = self.pulls.iter().filter(|other| {
            other.id != pull.id && other.image == pull.image && matches!(other.outcome, Outcome::Takes(_))
        });
        let first = others.filter_map(|other| Some(other.under_way?.1)).min();
        first.map_or(now + span, |first| first.min(now + span))
    }

    pub(super) fn pulls_due(&mut self, ctx: &mut Context<'_>) {
        let now = ctx.now;
        let is_due = |pull: &Pull| pull.under_way.is_some_and(|(_, ends_at)| ends_at <= now);
        while let Some(idx) = self.pulls.iter().position(is_due) {
            let pull = self.pulls.remove(idx);
            ctx.because(pull.caused_by);
            let succeeded = matches!(pull.outcome, Outcome::Takes(_));
            if succeeded {
                self.hold_image(&pull.image, now);
                let (image, node) = ((&*pull.image).into(), self.node.clone());
                ctx.record_subject(Happening::ImagePulled { image, node }, Some(pull.pod), None);
            }
            let started_at = pull.under_way.map_or(ctx.now, |(started_at, _)| started_at);
            self.events.push(MachineEvent::Pulled {
                pull: pull.id,
                succeeded,
                took: ctx.now - started_at,
                waited: ctx.now - pull.asked_at,
            });
        }
        self.begin_pulls(ctx);
    }
}

/// An image's name with registry and tag, as runtimes and the status of nodes write it.
pub(super) fn full_name(image: &str) -> String {
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
    use super::{Image, full_name};

    #[test]
    fn names_are_completed_as_runtimes_do() {
        for (short, full) in [
            ("busybox", "docker.io/library/busybox:latest"),
            ("nginx:1.27", "docker.io/library/nginx:1.27"),
            ("grafana/loki:3", "docker.io/grafana/loki:3"),
            ("registry.k8s.io/pause", "registry.k8s.io/pause:latest"),
            ("localhost:5000/a", "localhost:5000/a:latest"),
            ("quay.io/a/b@sha256:1", "quay.io/a/b@sha256:1"),
        ] {
            assert_eq!(full_name(short), full);
            assert_eq!(full_name(full), full);
            // What a name by digest says is the image's ID.
            let image = Image::of(short);
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
