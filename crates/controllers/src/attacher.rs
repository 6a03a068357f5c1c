//! The external attachers of CSI drivers: each attaches and detaches the volumes that VolumeAttachments request
//! (CT-135). A back-end that enforces a single attachment refuses a second node (V-02).

use podscope_api::ordered;

use podscope_api::{Kind, NodeName, Object, PersistentVolume, Str, VolumeAttachment, VolumeError};

use podscope_sim::volume::of_persistent_volume;
use podscope_sim::{Change, Flag, Happening, Mutation, Part, Request, SimTime, Span, subject_of};

use super::controller::{Controller, ControllerContext};
use super::plan::{Accept, Action, Plan};
use super::queue::{Key, key_of};

/// Duration of an attach or detach operation of the storage.
const STORAGE_OPERATION_TIME: Span = Span::seconds(1);
/// Prefix of the finalizers of attachers.
const FINALIZER_PREFIX: &str = "external-attacher/";

/// Returns the finalizer that the attacher of a driver adds to a VolumeAttachment (`GetFinalizerName` in
/// external-attacher).
fn finalizer_of(attacher: &str) -> Str {
    let sanitized = attacher
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    format!("{FINALIZER_PREFIX}{}", sanitized.collect::<String>()).into()
}

#[derive(Debug, Clone, Default)]
pub(super) struct Attacher {
    /// Operations in progress: whether each is a detach (otherwise an attach), and when it ends.
    in_progress: ordered::Map<Key, (bool, SimTime)>,
}

impl Attacher {
    /// Returns `Ok` if the storage operation of the key has finished. Otherwise starts it, unless it is in progress,
    /// and returns the remaining time as `Err`.
    fn finish_operation(&mut self, key: &Key, is_detach: bool, now: SimTime) -> Result<(), Span> {
        let started = self
            .in_progress
            .get(key)
            .filter(|(kind, _)| *kind == is_detach)
            .map(|(_, ends_at)| *ends_at);
        let ends_at = started.unwrap_or(now + STORAGE_OPERATION_TIME);
        if ends_at > now {
            self.in_progress.insert(key.clone(), (is_detach, ends_at));
            return Err(ends_at - now);
        }
        self.in_progress.remove(key);
        Ok(())
    }
}

impl Controller for Attacher {
    fn name(&self) -> &'static str {
        "external-attacher"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::VolumeAttachment]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        if let Some(Object::VolumeAttachment(attachment)) = change.object() {
            cx.enqueue(key_of(&**attachment));
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(attachment) = cx.objects.get::<VolumeAttachment>(&key.1).cloned() else {
            self.in_progress.remove(key);
            return Plan::default();
        };
        let is_ours = attachment
            .metadata
            .finalizers
            .iter()
            .any(|name| name.starts_with(FINALIZER_PREFIX));
        if attachment.metadata.is_terminating() {
            if !is_ours {
                return Plan::default();
            }
            return match self.finish_operation(key, true, cx.now()) {
                Err(remaining) => Plan::default().requeue_after(Some(remaining)),
                Ok(()) => {
                    if attachment.status.attached {
                        let (volume, node) = volume_and_node(&attachment);
                        let forced = Flag(false);
                        record_volume_happening(Happening::VolumeDetached { volume, node, forced }, &attachment, cx);
                    }
                    Plan::one(patch_attachment(&attachment, Part::Main, |attachment| {
                        attachment
                            .metadata
                            .finalizers
                            .retain(|name| !name.starts_with(FINALIZER_PREFIX));
                    }))
                }
            };
        }
        if attachment.status.attached {
            return Plan::default();
        }
        if !is_ours {
            let finalizer = finalizer_of(&attachment.spec.attacher);
            return Plan::one(patch_attachment(&attachment, Part::Main, move |attachment| {
                attachment.metadata.finalizers.push(finalizer.clone())
            }));
        }
        match self.finish_operation(key, false, cx.now()) {
            Err(remaining) => Plan::default().requeue_after(Some(remaining)),
            Ok(()) => self.attach(&attachment, cx),
        }
    }
}

impl Attacher {
    fn attach(&self, attachment: &VolumeAttachment, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let name = attachment
            .spec
            .source
            .persistent_volume_name
            .clone()
            .unwrap_or_else(|| "".into());
        let backend = cx
            .objects
            .named::<PersistentVolume>(&name)
            .and_then(|volume| of_persistent_volume(volume, cx.objects));
        let other = cx.objects.list::<VolumeAttachment>().find(|other| {
            other.status.attached
                && other.spec.node_name != attachment.spec.node_name
                && other.spec.source.persistent_volume_name.as_ref() == Some(&name)
        });
        if let (Some(backend), Some(other)) = (backend, other)
            && backend.is_exclusive
        {
            let text = format!("volume {name} is already attached to node {}", other.spec.node_name);
            if attachment
                .status
                .attach_error
                .as_ref()
                .is_some_and(|error| *error.message == *text)
            {
                return Plan::failure();
            }
            let error = VolumeError {
                time: Some(cx.time()),
                message: text.into(),
            };
            let refused = patch_attachment(attachment, Part::Status, move |attachment| {
                attachment.status.attach_error = Some(error.clone())
            });
            return Plan::one(refused).and_retry(true);
        }
        let (volume, node) = volume_and_node(attachment);
        record_volume_happening(Happening::VolumeAttached { volume, node }, attachment, cx);
        Plan::one(patch_attachment(attachment, Part::Status, |attachment| {
            attachment.status.attached = true;
            attachment.status.attach_error = None;
        }))
    }
}

fn patch_attachment(
    attachment: &VolumeAttachment,
    part: Part,
    change: impl Fn(&mut VolumeAttachment) + Send + Sync + 'static,
) -> Action {
    Action::from(Request::Patch {
        kind: Kind::VolumeAttachment,
        key: attachment.metadata.key(),
        uid: Some(attachment.metadata.uid.clone()),
        part,
        change: Mutation::new("attachment", change),
    })
    .accept(Accept::OrNotFound)
}

/// Returns the name of the volume and the node of an attachment.
fn volume_and_node(attachment: &VolumeAttachment) -> (Str, NodeName) {
    let name = attachment.spec.source.persistent_volume_name.clone();
    (name.unwrap_or_default(), attachment.spec.node_name.clone())
}

fn record_volume_happening(happening: Happening, attachment: &VolumeAttachment, cx: &mut ControllerContext<'_, '_>) {
    let name = attachment.spec.source.persistent_volume_name.as_ref();
    let volume = name.and_then(|name| cx.objects.named::<PersistentVolume>(name));
    let about = volume.map(|volume| subject_of(&Object::PersistentVolume(volume.clone())));
    cx.ctx.record_subject(happening, about, None);
}
