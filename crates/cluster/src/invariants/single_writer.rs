//! `single-writer` (CT-163): a ReadWriteOnce volume is writable on one node, a ReadWriteOncePod volume by one pod, and
//! an inline disk (a disk in a pod's spec without a PersistentVolume) on one node. A mount counts only while its pod
//! has live processes.

use podscope_api::fault::ViolationCause;
use podscope_api::ordered;
use podscope_messages::invariant;
use podscope_messages::{Sentence, sentence};

use podscope_api::{AccessMode, NodeName, PersistentVolume, Str, Uid};

use podscope_sim::Originator;

use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::volume::{Backend, of_inline, of_persistent_volume};
use crate::{Happening, Place, Record, What};

pub(super) const SINGLE_WRITER: Invariant = Invariant {
    name: "single-writer",
    fact: "CT-163",
    group: InvariantGroup::Storage,
    kind: InvariantKind::Safety,
    statement: invariant::single_writer,
    keeper: invariant::single_writer_keeper,
    breaker: invariant::single_writer_breaker,
    lesson: "corrupting-nfs",
};

const FACT_ID: &str = "CT-163";

/// State of the check of `single-writer`: who has each volume mounted writable, and which violations are reported.
#[derive(Debug, Clone, Default)]
pub(super) struct SingleWriter {
    mounts: ordered::Map<Str, ordered::Set<(NodeName, Uid)>>,
    reported: ordered::Set<(Str, Uid, Uid)>,
    /// Volumes that were detached while a node had them mounted, with the cause and the originator of the detach.
    /// Without a fence, that node and another one can then both write.
    forced_detaches: ordered::Map<(Str, NodeName), (ViolationCause, Originator)>,
    /// Whether another pod may have become able to write to a volume. All volumes are checked at the next record,
    /// because the ledger has recorded the change only then.
    may_have_new_writer: bool,
}

impl Check for SingleWriter {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Observation::Record(record) = seen else { return };
        // When a process starts or a link heals, another pod may become able to write.
        if matches!(record.what(), What::Healed | What::ContainerStarted) && !self.mounts.is_empty() {
            self.may_have_new_writer = true;
        }
        if self.may_have_new_writer && !matches!(record.what(), What::Healed | What::ContainerStarted) {
            self.may_have_new_writer = false;
            for volume in self.mounts.keys().cloned().collect::<Vec<_>>() {
                self.check_writers(&volume, view, out);
            }
        }
        if let Happening::VolumeDetached { volume, node, .. } = &record.happening {
            self.record_detach(record, (volume.clone(), node.clone()), view);
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
                self.forced_detaches.remove(&(volume.clone(), node));
            }
            if writers.is_empty() {
                self.mounts.remove(volume);
            }
            return;
        }
        if writable {
            writers.insert((node, object.uid.clone()));
            self.check_writers(volume, view, out);
        }
    }
}

impl SingleWriter {
    /// Stores who detached a volume from a node that has it mounted.
    fn record_detach(&mut self, record: &Record, place: (Str, NodeName), view: &View<'_>) {
        let mut writers = self.mounts.get(&place.0).into_iter().flatten();
        if let Some((_, uid)) = writers.find(|(node, _)| *node == place.1) {
            let blame = blame::of_forced_removal(&record.actor, Some(&place.0), uid, &place.1, FACT_ID, view);
            self.forced_detaches.insert(place, blame);
        }
    }

    /// Returns the storage backend of an inline volume; None if no pod that mounts it declares it.
    fn inline_backend(&self, volume: &Str, view: &View<'_>) -> Option<Backend> {
        let writers = self.mounts.get(volume)?.iter();
        writers
            .filter_map(|(_, uid)| view.ledger.pod_of(uid, view.objects))
            .flat_map(|pod| pod.spec.volumes.iter().filter_map(of_inline).collect::<Vec<_>>())
            .find(|backend| backend.name == *volume)
    }

    /// Reports every pair of writers that the volume's access mode forbids.
    fn check_writers(&mut self, volume: &Str, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
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
            // An inline disk has no access modes: if it is a block device, only one node may write to it.
            None => match self.inline_backend(volume, view) {
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
                let is_violation = other != uid && (per_pod || per_node && other_node != node);
                if !is_violation || !self.reported.insert(pair) {
                    continue;
                }
                let removed = [other, uid]
                    .into_iter()
                    .find(|uid| view.ledger.removals.contains_key(*uid));
                let (cause, by) = match removed {
                    Some(removed) => blame::of_pod_removal(removed, view),
                    None if !is_exclusive => (
                        ViolationCause::Command,
                        Originator::excused(
                            sentence!(seen::backend_admits_several, volume = &**volume),
                            "CT-163: unsafe backend",
                        ),
                    ),
                    None => {
                        let blames =
                            [other_node, node].map(|node| self.forced_detaches.get(&(volume.clone(), node.clone())));
                        let blame = blames.into_iter().flatten().next().cloned();
                        blame.unwrap_or((ViolationCause::Bug, sentence!(seen::both_exist).into()))
                    }
                };
                let object = view.objects.by_uid(uid).map(|object| crate::subject_of(&object));
                out.push(DetectedViolation {
                    invariant: SINGLE_WRITER.name,
                    object,
                    cause,
                    by,
                    seen: sentence!(
                        seen::writable_by_two,
                        volume = &**volume,
                        one = describe_writer(other, view),
                        other = describe_writer(uid, view)
                    ),
                    corrupts: (!is_exclusive && node != other_node).then(|| volume.clone()),
                });
            }
        }
    }
}

/// Describes a writing pod for messages: its name, its node, and since when it runs there.
fn describe_writer(uid: &Uid, view: &View<'_>) -> Sentence {
    let pod = view.ledger.live.get(uid);
    pod.map_or_else(Sentence::default, |pod| {
        sentence!(seen::pod_at_place, pod = pod.key.to_string(), place = pod.location())
    })
}

/// Returns whether the pod can write to remote storage on the node: it has live processes, and the node reaches the
/// storage.
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

    /// After a forced detach from a node that is still writing, another node can write too; the fault is named as the
    /// cause.
    /// Shows: CT-163
    #[test]
    fn forced_detach_without_fence_causes_two_writers() {
        let mut objects = lab::volume_and_pod();
        // Replaces iSCSI by EBS, which attaches a volume to one node only.
        objects[0]["spec"]["iscsi"].take();
        objects[0]["spec"]["awsElasticBlockStore"] = serde_json::json!({"volumeID": "vol-1"});
        // A second pod with the same claim waits for the volume; its node is the first to get the volume once it is
        // free.
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
            .expect("the volume is attached");
        // The attach controller detects the missing attachment within a minute (CT-135).
        world.run_until(SimTime::from_seconds(150), &mut trace);
        let broken = trace.violations_of("single-writer");
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].starts_with("single-writer fault fault detach "), "{broken:?}");
    }
}
