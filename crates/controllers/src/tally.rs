//! Counts of the pods of each ReplicaSet, updated incrementally. Counting all pods after each change of a pod would
//! take quadratic time.

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::{LabelSelector, Labels, ObjectKey, Pod, PodTemplateSpec, Resource, Uid};

use podscope_sim::{Change, Objects};

use super::owner::{kind_of, pods_of_change};
use super::pod_util::{is_active, is_terminating, ready_since};
use super::queue::Key;

/// Maximum number of pods of an owner for which a debug build verifies the tally by a recount.
const MAX_RECOUNTED_PODS: usize = 50;

/// The counts of the pods of one owner.
///
/// Invariant: the counts cover exactly the cached pods whose controller has the UID `uid`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PodTally {
    uid: Uid,
    selector: LabelSelector,
    template: Arc<PodTemplateSpec>,
    /// Number of pods that the selector does not match and that the owner therefore has to release.
    pub(super) unselected: usize,
    /// Number of active pods that the selector matches.
    pub(super) active: usize,
    /// Number of active pods that have every label of the template.
    pub(super) labeled: usize,
    /// Number of active pods that are Ready.
    pub(super) ready: usize,
    /// Number of terminating pods that the selector matches (CT-063).
    pub(super) terminating: usize,
}

impl PodTally {
    fn of(uid: &Uid, selector: &LabelSelector, template: &Arc<PodTemplateSpec>, objects: &Objects) -> Self {
        let mut tally = Self {
            uid: uid.clone(),
            selector: selector.clone(),
            template: template.clone(),
            unselected: 0,
            active: 0,
            labeled: 0,
            ready: 0,
            terminating: 0,
        };
        objects
            .pods_of(uid)
            .for_each(|pod| tally.update_counts(pod, usize::wrapping_add));
        tally
    }

    /// Returns whether the selector matches the pod's labels.
    pub(super) fn matches(&self, pod: &Pod) -> bool {
        !self.selector.is_empty() && self.selector.matches(&pod.metadata.labels)
    }

    /// Adds the pod to the counts or subtracts it, depending on `operation`.
    fn update_counts(&mut self, pod: &Pod, operation: fn(usize, usize) -> usize) {
        if !self.matches(pod) {
            self.unselected = operation(self.unselected, 1);
        } else if is_active(pod) {
            let labels = &self.template.metadata.labels;
            let has_all = has_labels(pod, labels);
            self.active = operation(self.active, 1);
            self.labeled = operation(self.labeled, usize::from(has_all));
            self.ready = operation(self.ready, usize::from(ready_since(pod).is_some()));
        } else if is_terminating(pod) {
            self.terminating = operation(self.terminating, 1);
        }
    }
}

/// Returns whether the pod has all of the labels.
pub(super) fn has_labels(pod: &Pod, labels: &Labels) -> bool {
    labels
        .iter()
        .all(|(key, value)| pod.metadata.labels.get(key) == Some(value))
}

/// The tallies of all owners of one kind, created on first use.
#[derive(Debug, Clone, Default)]
pub(super) struct Tallies(ordered::Map<Key, PodTally>);

impl Tallies {
    /// Subtracts the old state of a changed pod from the tally of its controller, and adds the new state. The pod may
    /// have had another controller before.
    pub(super) fn update<T: Resource>(&mut self, change: &Change) {
        let (old, new) = pods_of_change(change);
        for (pod, with) in [
            (old, usize::wrapping_sub as fn(usize, usize) -> usize),
            (new, usize::wrapping_add),
        ] {
            let Some(pod) = pod else { continue };
            let Some(reference) = pod.metadata.controller_ref() else {
                continue;
            };
            if kind_of(reference) != Some(T::KIND) {
                continue;
            }
            let key = ObjectKey::new(pod.metadata.namespace.clone(), reference.name.clone());
            if let Some(tally) = self.0.get_mut(&(T::KIND, key))
                && tally.uid == reference.uid
            {
                tally.update_counts(pod, with);
            }
        }
    }

    /// Returns the tally of an owner with this selector and template.
    pub(super) fn of<'t, T: Resource>(
        &'t mut self,
        key: &Key,
        owner: &T,
        selector: &LabelSelector,
        template: &Arc<PodTemplateSpec>,
        objects: &Objects,
    ) -> &'t PodTally {
        let uid = &owner.metadata().uid;
        let is_current = |tally: &PodTally| {
            tally.uid == *uid
                && tally.selector == *selector
                && tally.template.metadata.labels == template.metadata.labels
        };
        if !self.0.get(key).is_some_and(is_current) {
            self.0
                .insert(key.clone(), PodTally::of(uid, selector, template, objects));
        }
        let tally = &self.0[key];
        // Verifies the tally by a recount, if the owner has few pods, finished ones included.
        debug_assert!(
            objects.pods_of(uid).nth(MAX_RECOUNTED_PODS).is_some() || {
                let counted = PodTally::of(uid, selector, template, objects);
                let counts = |tally: &PodTally| {
                    (
                        tally.unselected,
                        tally.active,
                        tally.labeled,
                        tally.ready,
                        tally.terminating,
                    )
                };
                counts(&counted) == counts(tally)
            },
            "the incremental counts differ from a recount: {tally:?}"
        );
        tally
    }

    /// Removes the tally of an owner that no longer exists.
    pub(super) fn forget(&mut self, key: &Key) {
        self.0.remove(key);
    }
}
