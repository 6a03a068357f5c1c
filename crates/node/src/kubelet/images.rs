//! Image garbage collection: images that no container needs go when their disk
//! fills, the least recently used first (`pkg/kubelet/images/image_gc_manager.go`
//! of v1.36), and all of them when the node is short of disk (LC-194).
//!
//! ```text
//! (pass, every 5 min) ─▶ those over the maximum age go ─▶ disk at the high threshold? ─▶ enough go for the low one
//!                                                                                   └─▶ not enough: FreeDiskSpaceFailed
//! ```
//!
//! A kubelet sees images and their use every five minutes, and at each
//! collection: an image's age counts from then. A pass is queued only while the
//! disk could be at the threshold or an image could be too old; what passes
//! without effect would have seen is computed.
//!
//! Deviation: the pass at the kubelet's start, which in reality finds no
//! statistics of the disk (`InvalidDiskCapacity`), is left out.

use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::EventType;

use super::host::{Host, next_tick};
use super::{KubeletTimer, Managers, events};
use crate::Timer;
use crate::machine::{HeldImage, Image};
use podscope_sim::{SimTime, Span};

/// How often images are looked at, and collected (`ImageGCPeriod`).
const PERIOD: Span = Span::seconds(300);

/// What the image manager remembers.
#[derive(Debug, Clone, Default)]
pub(super) struct ImageGc {
    queued: Option<SimTime>,
    /// What collections between the passes saw.
    seen: Vec<Seen>,
    /// Whether the last pass could not free enough: only from the second in a row on is there an event of its own.
    has_failed: bool,
}

/// An image as a collection between the passes saw it.
#[derive(Debug, Clone)]
struct Seen {
    image: Arc<Image>,
    first: SimTime,
    used: Option<SimTime>,
}

/// An image that no container needs.
struct Unused {
    image: Arc<Image>,
    /// When a look last found it in use; none since this kubelet started.
    used: Option<SimTime>,
    /// When a look first found it.
    first: SimTime,
}

impl Managers {
    /// Queues the next pass if it could find something to collect.
    pub(super) fn watch_images(&mut self, host: &mut Host<'_, '_>) {
        let settings = &host.shared.settings;
        let (high, max_age) = (settings.image_gc_high_threshold_percent, settings.image_maximum_gc_age);
        let could_fill = high < 100 && super::eviction::most_disk(host).is_some_and(|used| used >= high);
        let is_unused = |held: &HeldImage| !host.machine.is_image_used(&held.image);
        if could_fill || (max_age > Span::ZERO && host.machine.images().iter().any(is_unused)) {
            let at = next_tick(host.ctx.now, PERIOD, Span(host.shared.started_at.0));
            if self.images.queued != Some(at) {
                self.images.queued = Some(at);
                host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Images));
            }
        }
    }

    pub(super) fn image_pass(&mut self, host: &mut Host<'_, '_>) {
        if self.images.queued.is_none_or(|queued| queued > host.ctx.now) {
            return;
        }
        self.images.queued = None;
        if host.machine.is_runtime_up() {
            let failure = self.collect_images(host);
            for reason in failure.iter().flat_map(|_| {
                let again = self.images.has_failed.then_some("ImageGCFailed");
                ["FreeDiskSpaceFailed"].into_iter().chain(again)
            }) {
                let node = host.shared.node.clone();
                let message = failure.clone().unwrap_or_default();
                events::of_node(&node, EventType::Warning, reason, message, host);
            }
            self.images.has_failed = failure.is_some();
        }
        self.watch_images(host);
    }

    /// What is too old goes, then as much as the thresholds want; the words of the failure if that was not possible.
    fn collect_images(&mut self, host: &mut Host<'_, '_>) -> Option<String> {
        let now = host.ctx.now;
        let settings = host.shared.settings.clone();
        let max_age = settings.image_maximum_gc_age;
        let mut unused = self.unused_images(host);
        // Not before this kubelet could have seen an image for so long.
        if max_age > Span::ZERO && now - host.shared.started_at > max_age {
            unused.retain(|one| {
                let is_too_old = one.used.is_none_or(|used| now - used > max_age);
                if is_too_old {
                    host.remove_image(&one.image);
                }
                !is_too_old
            });
        }
        let (capacity, available) = super::eviction::disk(host)?;
        let free = i128::from(available.clamp(0, capacity)) * 100 / i128::from(capacity);
        if 100 - (free as i64) < settings.image_gc_high_threshold_percent {
            return None;
        }
        let kept = i128::from(capacity) * i128::from(100 - settings.image_gc_low_threshold_percent) / 100;
        let wanted = (kept as i64).saturating_sub(available);
        let freed = free_images(unused, wanted, host);
        (freed < wanted).then(|| {
            format!(
                "Failed to garbage collect required amount of images. Attempted to free {wanted} bytes, but only found {freed} bytes eligible to free."
            )
        })
    }

    /// Every image that nobody needs goes, however much room there is: a node short of disk (LC-194).
    pub(super) fn delete_unused_images(&mut self, host: &mut Host<'_, '_>) {
        let unused = self.unused_images(host);
        free_images(unused, i64::MAX, host);
    }

    /// Looks at the images: those that no container needs, the least recently used first.
    fn unused_images(&mut self, host: &Host<'_, '_>) -> Vec<Unused> {
        let (now, started_at) = (host.ctx.now, host.shared.started_at);
        let before = std::mem::take(&mut self.images.seen);
        let phase = Span(started_at.0);
        let mut unused = Vec::new();
        for held in host.machine.images() {
            let known = before.iter().find(|seen| Arc::ptr_eq(&seen.image, &held.image));
            let found = next_tick(held.came_at.max(started_at) - Span(1), PERIOD, phase);
            let first = known.map_or(found, |seen| seen.first.min(found)).min(now);
            // The last of the regular looks while a container was there.
            let by_pass = held.used_until.and_then(|until| {
                let last = next_tick(until, PERIOD, phase) - PERIOD;
                (last >= found).then_some(last)
            });
            let mut used = known.and_then(|seen| seen.used).max(by_pass);
            if host.machine.is_image_used(&held.image) {
                used = Some(now);
            } else {
                let image = held.image.clone();
                unused.push(Unused { image, used, first });
            }
            self.images.seen.push(Seen {
                image: held.image.clone(),
                first,
                used,
            });
        }
        unused.stable_sort_by_key(|one| (one.used, one.first));
        unused
    }
}

/// Frees at least so many bytes, if images that are old enough have them; how many it was.
fn free_images(unused: Vec<Unused>, wanted: i64, host: &mut Host<'_, '_>) -> i64 {
    let mut freed = 0_i64;
    for one in unused {
        if freed >= wanted {
            break;
        }
        // It may have just been pulled for a container to come.
        if host.ctx.now - one.first >= host.shared.settings.image_minimum_gc_age {
            freed = freed.saturating_add(one.image.bytes);
            host.remove_image(&one.image);
        }
    }
    freed
}

impl Host<'_, '_> {
    fn remove_image(&mut self, image: &Arc<Image>) {
        self.machine.remove_image(image);
        self.images_changed();
    }
}
