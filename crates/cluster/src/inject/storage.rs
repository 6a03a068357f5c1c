//! `fault detach`: a volume is detached from its node without the node's knowledge.

use std::sync::Arc;

use podscope_api::fault::FaultKind;
use podscope_api::{Kind, NodeName, PersistentVolume, VolumeAttachment};
use podscope_sim::{FaultDetails, Flag, Happening};

use crate::controllers::Holder;
use crate::{Actor, DeleteOptions, Mutation, Part, Request, Sink, World, subject};

impl World {
    /// Breaks all attachments of a volume by force: the storage detaches it even if a process still writes, and the
    /// VolumeAttachment is deleted in spite of its finalizers (V-06).
    pub(super) fn force_detach_volume(&mut self, by: &Actor, volume: &str, sink: &mut dyn Sink) -> Result<(), String> {
        let attachments: Vec<Arc<VolumeAttachment>> = self
            .objects()
            .list::<VolumeAttachment>()
            .filter(|attachment| attachment.spec.source.persistent_volume_name.as_deref() == Some(volume))
            .cloned()
            .collect();
        if attachments.is_empty() {
            return self.remove_volume_holder(by, volume, sink);
        }
        for attachment in attachments {
            let key = attachment.metadata.key();
            let about = subject(Kind::VolumeAttachment, key.clone(), attachment.metadata.uid.clone());
            let node = attachment.spec.node_name.clone();
            self.emit(by, detach_fault_record(volume, &node), Some(about.clone()), None, sink);
            let patch = |part: Part, change: Mutation| Request::Patch {
                kind: Kind::VolumeAttachment,
                key: key.clone(),
                uid: None,
                part,
                change,
            };
            let requests = [
                patch(
                    Part::Status,
                    Mutation::new::<VolumeAttachment>("detached", |attachment| attachment.status.attached = false),
                ),
                patch(
                    Part::Main,
                    Mutation::new::<VolumeAttachment>("released", |attachment| attachment.metadata.finalizers.clear()),
                ),
                Request::Delete {
                    kind: Kind::VolumeAttachment,
                    key: key.clone(),
                    options: DeleteOptions::default(),
                },
            ];
            for request in requests {
                // If the attachment was already terminating, clearing its finalizers deletes it, and the DELETE that
                // follows returns NotFound.
                if let Err(error) = self.serve(by, &request, sink)
                    && !error.is_not_found()
                {
                    return Err(error.message);
                }
            }
            if attachment.status.attached {
                self.emit(by, detached_record(volume, &node), Some(about), None, sink);
            }
        }
        Ok(())
    }

    /// Detaches a volume without a driver: removes its holder from the PersistentVolume (V-04).
    fn remove_volume_holder(&mut self, by: &Actor, volume: &str, sink: &mut dyn Sink) -> Result<(), String> {
        let held = self.objects().named::<PersistentVolume>(volume).cloned();
        let holder = held.as_ref().and_then(|held| Holder::of(&held.metadata));
        let (Some(held), Some(Holder { node, .. })) = (&held, holder) else {
            return Err(format!("there is no attachment of volume {volume:?}"));
        };
        let about = subject(Kind::PersistentVolume, held.metadata.key(), held.metadata.uid.clone());
        self.emit(by, detach_fault_record(volume, &node), Some(about.clone()), None, sink);
        let patch = Request::Patch {
            kind: Kind::PersistentVolume,
            key: held.metadata.key(),
            uid: None,
            part: Part::Main,
            change: Mutation::new::<PersistentVolume>("detached", |volume| {
                Holder::remove_annotation(&mut volume.metadata);
            }),
        };
        self.serve(by, &patch, sink).map_err(|error| error.message)?;
        self.emit(by, detached_record(volume, &node), Some(about), None, sink);
        Ok(())
    }
}

fn detach_fault_record(volume: &str, node: &NodeName) -> Happening {
    Happening::Fault {
        fault: FaultKind::Detach,
        details: FaultDetails::Volume {
            volume: volume.into(),
            node: node.clone(),
        },
    }
}

fn detached_record(volume: &str, node: &NodeName) -> Happening {
    Happening::VolumeDetached {
        volume: volume.into(),
        node: node.clone(),
        forced: Flag(true),
    }
}
