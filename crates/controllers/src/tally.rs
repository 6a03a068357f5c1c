//! What the pods of a ReplicaSet come to, kept up as they change. A sync that counted them all for
//! each change of one would cost the square of their number.

use std::sync::Arc;

use podscope_api::ordered;
use podscope_api::{LabelSelector, Labels, ObjectKey, Pod, PodTemplateSpec, Resource, Uid};

use podscope_sim::{Change, Objects};

use super::owner::{kind_of, pods_of_change};
use super::pod_util::{is_active, is_terminating, ready_since};
use super::queue::Key;

/// The counts of one owner.
///
/// Invariant: about the pods that the cache holds with a controller of that UID.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tally {
    uid: Uid,
    selector: LabelSelector,
    template: Arc<PodTemplateSpec>,
    /// Pods that the selector does not match: to be released.
    pub(super) strangers: usize,
    /// Active pods that it matches.
    pub(super) active: usize,
    /// Those of them that have every label of the template.
    pub(super) labeled: usize,
    /// Those of them that are Ready.
    pub(super) ready: usize,
    /// Pods that it matches and that are on their way out (CT-063).
    pub(super) terminating: usize,
}

impl Tally {
    fn of(uid: &Uid, selector: &LabelSelector, template: &Arc<PodTemplateSpec>, objects: &Objects) -> Self {
        let mut tally = Self {
            uid: uid.clone(),
            selector: selector.clone(),
            template: template.clone(),
            strangers: 0,
            active: 0,
            labeled: 0,
            ready: 0,
            terminating: 0,
        };
        objects
            .pods_of(uid)
            .for_each(|pod| tally.take(pod, usize::wrapping_add));
        tally
    }

    /// Whether the pod's labels are the selector's.
    pub(super) fn matches(&self, pod: &Pod) -> bool {
        !self.selector.is_empty() && self.selector.matches(&pod.metadata.labels)
    }

    /// Adds the pod's part, or takes it away.
    fn take(&mut self, pod: &Pod, with: fn(usize, usize) -> usize) {
        if !self.matches(pod) {
            self.strangers = with(self.strangers, 1);
        } else if is_active(pod) {
            let labels = &self.template.metadata.labels;
            let has_all = has_labels(pod, labels);
            self.active = with(self.active, 1);
            self.labeled = with(self.labeled, usize::from(has_all));
            self.ready = with(self.ready, usize::from(ready_since(pod).is_some()));
        } else if is_terminating(pod) {
            self.terminating = with(self.terminating, 1);
        }
    }
}

/// Whether the pod has all of the labels.
pub(super) fn has_labels(pod: &Pod, labels: &Labels) -> bool {
    labels
        .iter()
        .all(|(key, value)| pod.metadata.labels.get(key) == Some(value))
}

/// The tallies of one kind of owner, made when they are first asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Tallies(ordered::Map<Key, Tally>);

impl Tallies {
    /// Takes a change of a pod into the counts of its controllers of that kind, before and after.
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
                tally.take(pod, with);
            }
        }
    }

    /// The counts of an owner with that selector and template.
    pub(super) fn of<'t, T: Resource>(
        &'t mut self,
        key: &Key,
        owner: &T,
        selector: &LabelSelector,
        template: &Arc<PodTemplateSpec>,
        objects: &Objects,
    ) -> &'t Tally {
        let uid = &owner.metadata().uid;
        let is_about = |tally: &Tally| {
            tally.uid == *uid
                && tally.selector == *selector
                && tally.template.metadata.labels == template.metadata.labels
        };
        if !self.0.get(key).is_some_and(is_about) {
            self.0.insert(key.clone(), Tally::of(uid, selector, template, objects));
        }
        let tally = &self.0[key];
        // Cheap enough for tests of few pods, and all of them are such.
        debug_assert!(
            tally.active > 50 || {
                let counted = Tally::of(uid, selector, template, objects);
                let counts = |tally: &Tally| {
                    (
                        tally.strangers,
                        tally.active,
                        tally.labeled,
                        tally.ready,
                        tally.terminating,
                    )
                };
                counts(&counted) == counts(tally)
            },
            "{tally:?}"
        );
        tally
    }

    /// The owner is gone.
    pub(super) fn forget(&mut self, key: &Key) {
        self.0.remove(key);
    }
}
