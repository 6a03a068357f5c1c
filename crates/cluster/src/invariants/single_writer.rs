//! `single-writer` (CT-163): a ReadWriteOnce volume is writable on one node, a
//! ReadWriteOncePod volume by one pod, a disk that pods name themselves on one
//! node. Only mounts whose pod has live
//! processes write.

use podscope_api::ordered;

use podscope_api::{AccessMode, NodeName, PersistentVolume, Phrase, Str, Uid, phrase};

use podscope_sim::Culprit;

use super::{Breach, Cause, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::volume::{Backend, of_inline, of_persistent_volume};
use crate::{Happening, Place, Record, What};

pub(super) const SINGLE_WRITER: Invariant = Invariant {
    name: "single-writer",
    fact: "CT-163",
    group: Group::Storage,
    promise: Promise::Safety,
    statement: "A ReadWriteOnce volume is writable on one node at a time; ReadWriteOncePod by one pod.",
    keeper: "The attach controller and backends that refuse a second attachment.",
    breaker: "A forced detach without a fence; backends that refuse nothing (NFS).",
    lesson: "corrupting-nfs",
};

const FACT: &str = "CT-163";

/// Writable mounts by volume.
#[derive(Debug, Clone, Default)]
pub(super) struct SingleWriter {
    mounts: ordered::Map<Str, ordered::Set<(NodeName, Uid)>>,
    reported: ordered::Set<(Str, Uid, Uid)>,
    /// Volumes that were detached from a node that had them mounted, and who is to blame: a forced detach
    /// without a fence lets another node write beside it.
    torn: ordered::Map<(Str, NodeName), (Cause, Culprit)>,
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
        if let Happening::VolumeDetached { volume, node, .. } = &record.happening {
            self.detached(record, (volume.clone(), node.clone()), view);
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
            writers.remove(&(node.clone(), object.uid.clone()));
            if !writers.iter().any(|(other, _)| *other == node) {
                self.torn.remove(&(volume.clone(), node));
            }
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
    /// Remembers who took a volume from a node that has it mounted.
    fn detached(&mut self, record: &Record, place: (Str, NodeName), view: &View<'_>) {
        let mut writers = self.mounts.get(&place.0).into_iter().flatten();
        if let Some((_, uid)) = writers.find(|(node, _)| *node == place.1) {
            let blame = blame::of_break(&record.actor, Some(&place.0), uid, &place.1, FACT, view);
            self.torn.insert(place, blame);
        }
    }

    /// The storage of a volume that pods name themselves.
    fn inline(&self, volume: &Str, view: &View<'_>) -> Option<Backend> {
        let writers = self.mounts.get(volume)?.iter();
        writers
            .filter_map(|(_, uid)| view.ledger.pod_of(uid, view.objects))
            .flat_map(|pod| pod.spec.volumes.iter().filter_map(of_inline).collect::<Vec<_>>())
            .find(|backend| backend.name == *volume)
    }

    /// Reports every two writers of a volume that should not be.
    fn compare(&mut self, volume: &Str, view: &View<'_>, out: &mut Vec<Breach>) {
        let (per_pod, per_node, is_exclusive) = match view.objects.named::<PersistentVolume>(volume) {
            Some(stored) => {
                let modes = &stored.spec.access_modes;
                let backend = of_persistent_volume(stored, view.objects);
                (
                    modes.contains(&AccessMode::ReadWriteOncePod),
                    modes.contains(&AccessMode::ReadWriteOnce) && !modes.contains(&AccessMode::ReadWriteMany),
                    backend.is_none_or(|backend| backend.is_exclusive),
                )
            }
            // A disk that pods name themselves has no modes: its file system is one node's.
            None => match self.inline(volume, view) {
                Some(backend) => (false, backend.is_block, backend.is_exclusive),
                None => return,
            },
        };
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
                        Culprit::excused(
                            phrase!("the back-end of {volume} admits several nodes", volume = &**volume),
                            "CT-163: unsafe backend",
                        ),
                    ),
                    None => {
                        let torn = [other_node, node].map(|node| self.torn.get(&(volume.clone(), node.clone())));
                        let torn = torn.into_iter().flatten().next().cloned();
                        torn.unwrap_or((Cause::Bug, "both pods exist".into()))
                    }
                };
                let object = view.objects.by_uid(uid).map(|object| crate::subject_of(&object));
                out.push(Breach {
                    invariant: SINGLE_WRITER.name,
                    object,
                    cause,
                    by,
                    seen: phrase!(
                        "{volume} is writable by {one} and by {other}",
                        volume = &**volume,
                        one = writer(other, view),
                        other = writer(uid, view)
                    ),
                    corrupts: (!is_exclusive && node != other_node).then(|| volume.clone()),
                });
            }
        }
    }
}

/// A pod that can write, by its name, its node, and since when it runs there.
fn writer(uid: &Uid, view: &View<'_>) -> Phrase {
    let pod = view.ledger.live.get(uid);
    pod.map_or_else(Phrase::default, |pod| {
        phrase!("{pod} {place}", pod = pod.key.to_string(), place = pod.whereabouts())
    })
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

#[cfg(test)]
mod tests {
    use super::super::lab::{self, Trace};
    use crate::fault::Fault;
    use crate::{Actor, Request, SimTime};

    /// A volume that a fault tore from a node which writes on lets another one write beside it; the fault is
    /// told as the cause.
    /// Shows: CT-163
    #[test]
    fn a_forced_detach_without_a_fence_is_told_as_the_cause() {
        let mut objects = lab::volume_and_pod();
        // A back-end that admits one node.
        objects[0]["spec"]["iscsi"].take();
        objects[0]["spec"]["awsElasticBlockStore"] = serde_json::json!({"volumeID": "vol-1"});
        // Another of the same claim: it waits for the volume, and its node comes first when it is free.
        let mut other = objects[2].clone();
        other["metadata"]["name"] = "two".into();
        objects[2]["spec"]["nodeSelector"]["kubernetes.io/hostname"] = "b-1".into();
        let mut trace = Trace::default();
        let mut world = lab::world(&objects, &mut trace);
        world.run_until(SimTime::from_seconds(30), &mut trace);
        let create = Request::Create(lab::object(&other));
        assert!(world.serve(&Actor::Client(0), &create, &mut trace).is_ok());
        world.run_until(SimTime::from_seconds(60), &mut trace);
        world
            .apply_fault(&Fault::Detach("disk".into()), &mut trace)
            .expect("it is attached");
        // The attach controller misses the attachment within a minute (CT-135).
        world.run_until(SimTime::from_seconds(150), &mut trace);
        let broken = trace.broken_of("single-writer");
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].starts_with("single-writer fault fault detach "), "{broken:?}");
    }
}
