//! Image garbage collection. When the disk fills, unused images are removed, the least recently used first
//! (`pkg/kubelet/images/image_gc_manager.go` of v1.36). When the node is under disk pressure, all unused images are
//! removed (LC-194).
//!
//! ```text
//! (pass, every 5 min) ─▶ remove images over the maximum age ─▶ disk at the high threshold? ─▶ free down to the low one
//!                                                                                         └─▶ FreeDiskSpaceFailed
//! ```
//!
//! A kubelet detects images and their use every five minutes and at each collection; the age of an image counts from
//! its detection. A pass is scheduled only while the disk could reach the threshold or an image could become too old.
//! The detections of skipped passes are computed afterwards.
//!
//! Deviation: the pass at the kubelet's start is left out. In reality it finds no statistics of the disk
//! (`InvalidDiskCapacity`).

use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::EventType;

use super::host::{Host, next_tick};
use super::{KubeletManagers, KubeletTimer, events};
use crate::Timer;
use crate::machine::{HeldImage, Image};
use podscope_sim::{SimTime, Span};

/// Interval of detecting and collecting images (`ImageGCPeriod`).
const COLLECTION_INTERVAL: Span = Span::seconds(300);

/// State of the image garbage collection.
#[derive(Debug, Clone, Default)]
pub(super) struct ImageGc {
    queued: Option<SimTime>,
    /// The machine's images, as the last collection recorded them.
    observed: Vec<ObservedImage>,
    /// Whether the last pass could not free enough. From the second such pass in a row on, ImageGCFailed is emitted
    /// too.
    has_failed: bool,
}

/// When an image was first observed and last found in use, as of the last collection.
#[derive(Debug, Clone)]
struct ObservedImage {
    image: Arc<Image>,
    first_observed: SimTime,
    last_used: Option<SimTime>,
}

/// An image that no container uses.
struct UnusedImage {
    image: Arc<Image>,
    /// When the kubelet last found the image in use; None if never since this kubelet started.
    last_used: Option<SimTime>,
    /// When the kubelet first detected the image.
    first_observed: SimTime,
}

impl KubeletManagers {
    /// Schedules the next pass if it could find an image to remove.
    pub(super) fn schedule_image_gc_if_useful(&mut self, host: &mut Host<'_, '_>) {
        let settings = &host.shared.settings;
        let (high, max_age) = (settings.image_gc_high_threshold_percent, settings.image_maximum_gc_age);
        let could_fill =
            high < 100 && super::eviction::max_future_disk_use_percent(host).is_some_and(|used| used >= high);
        let is_unused = |held: &HeldImage| !host.machine.is_image_used(&held.image);
        if could_fill || (max_age > Span::ZERO && host.machine.images().iter().any(is_unused)) {
            let at = next_tick(host.ctx.now, COLLECTION_INTERVAL, Span(host.shared.started_at.0));
            if self.images.queued != Some(at) {
                self.images.queued = Some(at);
                host.ctx.timer(at, Timer::Kubelet(KubeletTimer::Images));
            }
        }
    }

    /// Runs the pass of image garbage collection if it is due, and schedules the next one.
    pub(super) fn run_image_gc_if_due(&mut self, host: &mut Host<'_, '_>) {
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
                events::emit_for_node(&node, EventType::Warning, reason, message, host);
            }
            self.images.has_failed = failure.is_some();
        }
        self.schedule_image_gc_if_useful(host);
    }

    /// Removes images that are too old, then as many as the thresholds require. Returns the failure message if that was
    /// not possible.
    fn collect_images(&mut self, host: &mut Host<'_, '_>) -> Option<String> {
        let now = host.ctx.now;
        let settings = host.shared.settings.clone();
        let max_age = settings.image_maximum_gc_age;
        let mut unused = self.unused_images(host);
        // An image counts as unused only since this kubelet started.
        if max_age > Span::ZERO && now - host.shared.started_at > max_age {
            unused.retain(|one| {
                let is_too_old = one.last_used.is_none_or(|last_used| now - last_used > max_age);
                if is_too_old {
                    host.remove_image(&one.image);
                }
                !is_too_old
            });
        }
        let (capacity, available) = super::eviction::disk_capacity_and_free(host)?;
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

    /// Removes all unused images, because the node is under disk pressure (LC-194).
    pub(super) fn delete_unused_images(&mut self, host: &mut Host<'_, '_>) {
        let unused = self.unused_images(host);
        free_images(unused, i64::MAX, host);
    }

    /// Detects images and their use; returns the unused ones, the least recently used first.
    fn unused_images(&mut self, host: &Host<'_, '_>) -> Vec<UnusedImage> {
        let (now, started_at) = (host.ctx.now, host.shared.started_at);
        let before = std::mem::take(&mut self.images.observed);
        let phase = Span(started_at.0);
        let mut unused = Vec::new();
        for held in host.machine.images() {
            let known = before.iter().find(|one| Arc::ptr_eq(&one.image, &held.image));
            let regular = next_tick(held.added_at.max(started_at) - Span(1), COLLECTION_INTERVAL, phase);
            let first_observed = known.map_or(regular, |one| one.first_observed.min(regular)).min(now);
            // The time of the last regular detection at which a container used the image.
            let by_pass = held.used_until.and_then(|until| {
                let last = next_tick(until, COLLECTION_INTERVAL, phase) - COLLECTION_INTERVAL;
                (last >= regular).then_some(last)
            });
            let mut last_used = known.and_then(|one| one.last_used).max(by_pass);
            if host.machine.is_image_used(&held.image) {
                last_used = Some(now);
            } else {
                let image = held.image.clone();
                unused.push(UnusedImage {
                    image,
                    last_used,
                    first_observed,
                });
            }
            self.images.observed.push(ObservedImage {
                image: held.image.clone(),
                first_observed,
                last_used,
            });
        }
        unused.stable_sort_by_key(|one| (one.last_used, one.first_observed));
        unused
    }
}

/// Removes images until `wanted` bytes are freed, except images that are too young. Returns the freed bytes.
fn free_images(unused: Vec<UnusedImage>, wanted: i64, host: &mut Host<'_, '_>) -> i64 {
    let mut freed = 0_i64;
    for one in unused {
        if freed >= wanted {
            break;
        }
        // A young image may have been pulled for a container that is about to start.
        if host.ctx.now - one.first_observed >= host.shared.settings.image_minimum_gc_age {
            freed = freed.saturating_add(one.image.bytes);
            host.remove_image(&one.image);
        }
    }
    freed
}

impl Host<'_, '_> {
    fn remove_image(&mut self, image: &Arc<Image>) {
        self.machine.remove_image(image);
        self.handle_images_changed();
    }
}
