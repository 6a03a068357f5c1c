//! `single-writer` (CT-163): a ReadWriteOnce volume is writable on one node, a
//! ReadWriteOncePod volume by one pod. Only mounts whose pod has live
//! processes write.

use podscope_api::ordered;

use podscope_api::{AccessMode, NodeName, PersistentVolume, Str, Uid};

use super::{Breach, Cause, Check, Seen, View, blame};
use crate::volume::of_persistent_volume;
use crate::{Happening, Place, What};

/// Writable mounts by volume.
#[derive(Debug, Clone, Default)]
pub(super) struct SingleWriter {
    mounts: ordered::Map<Str, ordered::Set<(NodeName, Uid)>>,
    reported: ordered::Set<(Str, Uid, Uid)>,
    /// Something may write that could not; looked at with the next record, when the ledger knows.
    started: bool,
}

impl Check for SingleWriter {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        let Seen::Record(record) = seen else { return };
        // A process starts or a link heals: who could not write a moment ago can.
        if matches!(record.what(), What::Healed | What::ContainerStarted) && !self.mounts.is_empty() {
            self.started = true;
        }
        if self.started && !matches!(record.what(), What::Healed | What::ContainerStarted) {
            self.started = false;
            for volume in self.mounts.keys().cloned().collect::<Vec<_>>() {
                self.compare(&volume, view, out);
            }
        }
        let (volume, writable) = match &record.happening {
            Happening::VolumeMounted { volume, writable, .. } => (volume, *writable),
            Happening::VolumeUnmounted { volume, .. } => (volume, false),
            _ => return,
        };
        let (Some(object), Place::Node(node)) = (&record.object, record.actor.place()) else {
            return;
        };
        let writers = self.mounts.entry(volume.clone()).or_default();
        if record.what() == What::VolumeUnmounted {
            writers.remove(&(node, object.uid.clone()));
            if writers.is_empty() {
                self.mounts.remove(volume);
            }
            return;
        }
        if writable {
            writers.insert((node, object.uid.clone()));
            self.compare(volume, view, out);
        }
    }
}

impl SingleWriter {
    /// Reports every two writers of a volume that should not be.
    fn compare(&mut self, volume: &Str, view: &View<'_>, out: &mut Vec<Breach>) {
        let Some(stored) = view.objects.named::<PersistentVolume>(volume) else {
            return;
        };
        let modes = &stored.spec.access_modes;
        let per_pod = modes.contains(&AccessMode::ReadWriteOncePod);
        let per_node = modes.contains(&AccessMode::ReadWriteOnce) && !modes.contains(&AccessMode::ReadWriteMany);
        let is_exclusive = of_persistent_volume(stored, view.objects).is_none_or(|backend| backend.is_exclusive);
        let writers: Vec<(NodeName, Uid)> = self
            .mounts
            .get(volume)
            .into_iter()
            .flatten()
            .filter(|(node, uid)| can_write(node, uid, view))
            .cloned()
            .collect();
        for (index, (node, uid)) in writers.iter().enumerate() {
            for (other_node, other) in &writers[..index] {
                let pair = (volume.clone(), other.clone(), uid.clone());
                let is_wrong = other != uid && (per_pod || per_node && other_node != node);
                if !is_wrong || !self.reported.insert(pair) {
                    continue;
                }
                let removed = [other, uid]
                    .into_iter()
                    .find(|uid| view.ledger.removals.contains_key(*uid));
                let (cause, by) = match removed {
                    Some(removed) => blame::of_removal(removed, view),
                    None if !is_exclusive => (
                        Cause::Command,
                        format!("the back-end of {volume} admits several nodes (CT-163: unsafe backend)"),
                    ),
                    None => (Cause::Bug, "both pods exist".into()),
                };
                let object = view.objects.by_uid(uid).map(|object| crate::subject_of(&object));
                out.push(Breach {
                    invariant: "single-writer",
                    object,
                    cause,
                    by,
                    message: format!("{volume} is writable on {other_node} by {other} and on {node} by {uid}"),
                    corrupts: (!is_exclusive && node != other_node).then(|| volume.clone()),
                });
            }
        }
    }
}

/// Whether what the pod writes there arrives: it has live processes, and the storage answers its node.
fn can_write(node: &NodeName, uid: &Uid, view: &View<'_>) -> bool {
    view.ledger.live.contains_key(uid)
        && view.network.is_open(&Place::Node(node.clone()), &Place::Storage)
        && view
            .nodes
            .get(node)
            .is_some_and(|state| !state.machine.is_storage_refused())
}
