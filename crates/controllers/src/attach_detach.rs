//! Attach/detach: attaches a volume to a node before a pod there mounts it, an exclusive volume to only one node at a
//! time, and detaches it when no pod on the node needs it (V-03, CT-127 to CT-135).
//!
//! ```text
//! (none) ──attach──► Attaching ──ok──► Attached ──unwanted──► Detaching ──► (none)
//! └──failed──► Uncertain ◄──failed──┘
//! ```
//!
//! Every 100 ms, while there is work, a pass detaches volumes and then attaches others. If another client deletes a
//! VolumeAttachment, the controller notices it within a minute (`VerifyVolumesAreAttached`) and then removes the volume
//! from the node's `volumesAttached`. The desired attachments are computed from the pods. The actual attachments are
//! kept in memory, and rebuilt from the API after a restart. [`super::attachment`] implements how a volume is attached.

mod reconcile;

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{
    CausedBy, EventType, Kind, Node, NodeName, Object, ObjectKey, PersistentVolume, Pod, Str, VolumeAttachment,
};

use podscope_sim::volume::{Backend, ResolvedVolume, of_persistent_volume, resolve};
use podscope_sim::{Answer, Change, Flag, Happening, Request, SimTime, Span, subject};

use super::attachment::{self, AttachMethod, Holder};
use super::controller::{Controller, ControllerContext, note};
use super::plan::{Failure, Plan};
use super::queue::Key;

/// Interval of the passes that attach and detach volumes.
const RECONCILE_PERIOD: Span = Span::millis(100);
/// Interval of the verification of attachments (`attach-detach-reconcile-sync-period`).
const VERIFY_PERIOD: Span = Span::seconds(60);
/// Initial back-off after a failed attach or detach (CT-130).
const INITIAL_OPERATION_BACKOFF: Span = Span::millis(500);
/// Maximum back-off after failed attaches or detaches (CT-130).
const MAX_OPERATION_BACKOFF: Span = Span::seconds(122);

/// The unique name of a volume, and the node that it is attached to.
type VolumeOnNode = (Str, NodeName);

/// State of the attachment of a volume to a node, as this controller knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttachmentState {
    Attaching,
    Attached,
    Detaching,
    /// An attach or detach failed. This state does not prevent an attachment to another node (CT-130).
    Uncertain,
}

/// A volume that is attached to a node, may be attached to it, or is being attached or detached.
#[derive(Debug, Clone)]
struct Attachment {
    backend: Backend,
    state: AttachmentState,
    unneeded_since: Option<SimTime>,
    retry_at: SimTime,
    retry: Span,
}

#[derive(Debug, Clone, Default)]
pub(super) struct AttachDetachController {
    start: SimTime,
    /// Attachable volumes that each scheduled pod needs.
    needed: ordered::Map<ObjectKey, Vec<(Backend, NodeName)>>,
    actual: ordered::Map<VolumeOnNode, Attachment>,
    /// Last seen `volumesInUse` of each node, kept after the Node is deleted (CT-150).
    in_use: ordered::Map<NodeName, Vec<Str>>,
    /// Pairs of volume and node for which a Multi-Attach error was already reported.
    reported: ordered::Set<VolumeOnNode>,
    /// Time of the next verification of attachments; `None` unless a VolumeAttachment is missing.
    verify_at: Option<SimTime>,
    next_tick: Option<SimTime>,
    /// Cause of the next pass: the latest change that requested a pass.
    pass_cause: CausedBy,
}

/// Returns the work-queue key of the attachment of a volume to a node.
fn key_of_attachment(place: &VolumeOnNode) -> Key {
    (
        Kind::VolumeAttachment,
        ObjectKey::new(place.1.0.clone(), place.0.clone()),
    )
}

fn attachment_of_key(key: &Key) -> VolumeOnNode {
    (key.1.name.clone(), NodeName(key.1.namespace.clone()))
}

/// Returns whether a pod still needs its volumes attached (CT-127).
fn needs_volumes_attached(pod: &Pod) -> bool {
    let runs = pod
        .status
        .container_statuses
        .iter()
        .any(|status| status.state.terminated.is_none() && status.state.waiting.is_none());
    !pod.is_terminal() && (!pod.metadata.is_terminating() || runs)
}

impl Controller for AttachDetachController {
    fn name(&self) -> &'static str {
        "attachdetach-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[
            Kind::Pod,
            Kind::Node,
            Kind::PersistentVolumeClaim,
            Kind::PersistentVolume,
            Kind::VolumeAttachment,
        ]
    }

    fn started(&mut self, cx: &mut ControllerContext<'_, '_>) {
        self.start = cx.now();
        self.rebuild_attachments(cx);
        if !self.volumes_without_attachment(cx).is_empty() {
            self.schedule_verification(cx);
        }
        self.schedule_reconcile_pass(cx);
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::Pod(pod)) => {
                let now = change.new.is_some();
                self.pod_changed(&pod.metadata.key(), now.then_some(&**pod), cx);
            }
            Some(Object::PersistentVolumeClaim(claim)) => {
                let users: Vec<Arc<Pod>> = cx
                    .index
                    .pods_using_claim(&claim.metadata.key())
                    .filter_map(|key| cx.objects.get::<Pod>(key))
                    .cloned()
                    .collect();
                for pod in users {
                    self.pod_changed(&pod.metadata.key(), Some(&pod), cx);
                }
            }
            Some(Object::Node(node)) => {
                let name: NodeName = (&*node.metadata.name).into();
                if change.new.is_some() {
                    let before = self.in_use.insert(name.clone(), node.status.volumes_in_use.clone());
                    if node.status.volumes_in_use.is_empty() {
                        self.in_use.remove(&name);
                    }
                    if before.unwrap_or_default() == node.status.volumes_in_use
                        && self.actual.keys().all(|place| place.1 != name)
                    {
                        return;
                    }
                }
                self.schedule_reconcile_pass(cx);
            }
            Some(Object::PersistentVolume(volume)) => {
                // Another client removed the holder annotation of a volume.
                let has_holder = |object: &Option<Object>| {
                    let held = object.as_ref();
                    held.is_some_and(|object| Holder::of(object.metadata()).is_some())
                };
                if has_holder(&change.old) && !has_holder(&change.new) {
                    let name = &volume.metadata.name;
                    let is_lost =
                        |known: &Attachment| known.backend.name == *name && known.state == AttachmentState::Attached;
                    let lost = self.actual.iter().filter(|(_, known)| is_lost(known));
                    for place in lost.map(|(place, _)| place.clone()).collect::<Vec<_>>() {
                        self.remove_lost_attachment(&place, cx);
                    }
                }
            }
            Some(Object::VolumeAttachment(attachment)) => self.attachment_changed(attachment, change.new.is_some(), cx),
            _ => {}
        }
    }

    fn tick(&mut self, _tick: u8, cx: &mut ControllerContext<'_, '_>) {
        if self.next_tick.is_some_and(|at| at <= cx.now()) {
            self.next_tick = None;
            cx.ctx.set_cause(self.pass_cause);
            self.reconcile(cx);
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let place = attachment_of_key(key);
        let Some(known) = self.actual.get(&place) else {
            // This controller has no record of the attachment, so the node's `volumesAttached` must not contain the
            // volume.
            return Plan::default().then(attachment::update_volumes_attached(&place, false, cx));
        };
        match known.state {
            AttachmentState::Attaching => {
                attachment::attach(&known.backend, &place.1, self.pods_using_volume(&place).first(), cx)
            }
            AttachmentState::Attached => Plan::default().then(attachment::update_volumes_attached(&place, true, cx)),
            AttachmentState::Detaching => {
                let forced = self.is_detach_forced(&place, known, cx);
                attachment::detach(&known.backend, &place, !forced, cx)
            }
            AttachmentState::Uncertain => Plan::default(),
        }
    }

    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, cx: &mut ControllerContext<'_, '_>) {
        let place = attachment_of_key(key);
        let Some(known) = self.actual.get(&place).cloned() else {
            return;
        };
        match (known.state, request, answer) {
            // The holder annotation of a volume without a driver was updated, which completes the attachment (V-04).
            (AttachmentState::Attaching, Request::Update(Object::PersistentVolume(_), _), Ok(_)) => {
                self.set_attached(&place, &known, true, cx)
            }
            (AttachmentState::Detaching, Request::Update(Object::PersistentVolume(_), _), Ok(_)) => {
                self.remove_detached_volume(&place, true, cx)
            }
            (AttachmentState::Attaching, Request::Patch { .. }, Ok(_))
                if attachment::attach_method(&known.backend, cx) == AttachMethod::NodeListOnly =>
            {
                self.set_attached(&place, &known, true, cx);
            }
            // The VolumeAttachment is older than this manager, and no change event will report that it is attached
            // (CT-135).
            (AttachmentState::Attaching, Request::Create(Object::VolumeAttachment(asked)), Err(_)) => {
                if let Some(existing) = cx.objects.named::<VolumeAttachment>(&asked.metadata.name).cloned() {
                    self.attachment_changed(&existing, true, cx);
                }
            }
            (AttachmentState::Detaching, Request::Get { .. }, Ok(Some(Object::Node(node)))) => {
                let forced = self.is_detach_forced(&place, &known, cx);
                if !forced && node.status.volumes_in_use.contains(&place.0) {
                    // The node still uses the volume: report it as attached again and retry later (CT-132).
                    self.set_attachment_state(&place, AttachmentState::Attached);
                    cx.enqueue(key.clone());
                    self.schedule_reconcile_pass(cx);
                }
            }
            // The VolumeAttachment was deleted already, or the volume never had one.
            (AttachmentState::Detaching, Request::Delete { .. }, Err(error)) if error.code == 404 => {
                self.remove_detached_volume(&place, false, cx)
            }
            (AttachmentState::Detaching, Request::Patch { .. }, _)
                if attachment::attach_method(&known.backend, cx) == AttachMethod::NodeListOnly =>
            {
                self.remove_detached_volume(&place, true, cx);
            }
            _ => {}
        }
    }

    fn failed(&mut self, key: &Key, failure: &Failure, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let place = attachment_of_key(key);
        self.mark_uncertain(&place, &failure.error.message, cx);
        Plan::default()
    }
}

fn emit_event_for_pods(
    pods: &[ObjectKey],
    kind: EventType,
    reason: &str,
    text: &str,
    cx: &mut ControllerContext<'_, '_>,
) {
    for pod in pods
        .iter()
        .filter_map(|key| cx.objects.get::<Pod>(key))
        .cloned()
        .collect::<Vec<_>>()
    {
        cx.emit_event(note(&*pod, kind.clone(), reason, text));
    }
}

impl AttachDetachController {
    /// Rebuilds the actual state from the API. A volume counts as attached to a node if the node's `volumesAttached` or
    /// a holder annotation says so. If only a VolumeAttachment exists, the state is uncertain. A volume held by a
    /// deleted Node counts as mounted there until the force timeout (CT-131).
    fn rebuild_attachments(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let mut backends: ordered::Map<Str, Backend> = ordered::Map::new();
        for volume in cx.objects.list::<PersistentVolume>() {
            if let Some(backend) = of_persistent_volume(volume, cx.objects) {
                backends.insert(backend.unique_name.clone(), backend);
            }
        }
        for (backend, _) in self.needed.values().flatten() {
            backends
                .entry(backend.unique_name.clone())
                .or_insert_with(|| backend.clone());
        }
        for node in cx.objects.list::<Node>() {
            for attached in &node.status.volumes_attached {
                if let Some(backend) = backends.get(&attached.name) {
                    self.insert_attachment(
                        (attached.name.clone(), (&*node.metadata.name).into()),
                        backend.clone(),
                        AttachmentState::Attached,
                    );
                }
            }
        }
        for attachment in cx.objects.list::<VolumeAttachment>() {
            let name = attachment.spec.source.persistent_volume_name.as_ref();
            if let Some(backend) = backends.values().find(|backend| Some(&backend.name) == name) {
                let place = (backend.unique_name.clone(), attachment.spec.node_name.clone());
                // The import did not contain the pod that uses the volume, so the attachment is left alone.
                if cx.objects.assumed().is_attached(&backend.name, &place.1) {
                    self.actual.remove(&place);
                } else if !self.actual.contains_key(&place) {
                    self.insert_attachment(place, backend.clone(), AttachmentState::Uncertain);
                }
            }
        }
        for volume in cx.objects.list::<PersistentVolume>() {
            let holder = Holder::of(&volume.metadata);
            let backend = backends.values().find(|backend| backend.name == volume.metadata.name);
            if let (Some(Holder { node, .. }), Some(backend)) = (holder, backend) {
                let place = (backend.unique_name.clone(), node);
                if !self.actual.contains_key(&place) {
                    if cx.objects.named::<Node>(&place.1).is_none() {
                        self.in_use.entry(place.1.clone()).or_default().push(place.0.clone());
                    }
                    self.insert_attachment(place, backend.clone(), AttachmentState::Attached);
                }
            }
        }
    }

    /// Adds an attachment to the actual state.
    fn insert_attachment(&mut self, place: VolumeOnNode, backend: Backend, state: AttachmentState) {
        let known = Attachment {
            backend,
            state,
            unneeded_since: None,
            retry_at: SimTime::ZERO,
            retry: INITIAL_OPERATION_BACKOFF,
        };
        self.actual.insert(place, known);
    }

    fn set_attachment_state(&mut self, place: &VolumeOnNode, state: AttachmentState) {
        if let Some(known) = self.actual.get_mut(place) {
            known.state = state;
        }
    }

    fn pod_changed(&mut self, key: &ObjectKey, pod: Option<&Pod>, cx: &mut ControllerContext<'_, '_>) {
        let mut volumes = Vec::new();
        if let Some(pod) = pod.filter(|pod| needs_volumes_attached(pod))
            && let Some(node) = &pod.spec.node_name
        {
            for volume in pod.spec.volumes.iter() {
                if let ResolvedVolume::Backend(backend) = resolve(pod, volume, cx.objects)
                    && backend.needs_attach
                {
                    volumes.push((backend, node.clone()));
                }
            }
        }
        let before = if volumes.is_empty() {
            self.needed.remove(key).unwrap_or_default()
        } else {
            self.needed.insert(key.clone(), volumes.clone()).unwrap_or_default()
        };
        if before != volumes {
            self.schedule_reconcile_pass(cx);
        }
    }

    /// Handles a changed or deleted VolumeAttachment.
    fn attachment_changed(&mut self, attachment: &VolumeAttachment, exists: bool, cx: &mut ControllerContext<'_, '_>) {
        let name = attachment.spec.source.persistent_volume_name.as_ref();
        let node = &attachment.spec.node_name;
        let place = self
            .actual
            .iter()
            .find(|(place, known)| place.1 == *node && Some(&known.backend.name) == name);
        let Some((place, known)) = place.map(|(place, known)| (place.clone(), known.clone())) else {
            return;
        };
        if !exists {
            match known.state {
                AttachmentState::Detaching | AttachmentState::Uncertain => {
                    self.remove_detached_volume(&place, false, cx)
                }
                AttachmentState::Attaching => self.mark_uncertain(&place, "the VolumeAttachment was deleted", cx),
                // The real controller receives no event about the deletion; it notices it at the next verification.
                AttachmentState::Attached => self.schedule_verification(cx),
            }
        } else if attachment.status.attached && known.state == AttachmentState::Attaching {
            self.set_attached(&place, &known, false, cx);
        } else if let Some(error) = &attachment.status.attach_error
            && known.state == AttachmentState::Attaching
        {
            self.mark_uncertain(&place, &error.message, cx);
        }
    }

    /// Schedules the next verification of attachments.
    fn schedule_verification(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let passed = (cx.now() - self.start).0;
        let at = self.start + Span((passed.div_euclid(VERIFY_PERIOD.0) + 1) * VERIFY_PERIOD.0);
        self.verify_at.get_or_insert(at);
        self.schedule_reconcile_pass_at(at, cx);
    }

    /// Removes attachments whose VolumeAttachment no longer exists.
    fn verify_attachments(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let Some(at) = self.verify_at else { return };
        if at > cx.now() {
            return self.schedule_reconcile_pass_at(at, cx);
        }
        self.verify_at = None;
        for place in self.volumes_without_attachment(cx) {
            self.remove_lost_attachment(&place, cx);
        }
    }

    fn volumes_without_attachment(&self, cx: &ControllerContext<'_, '_>) -> Vec<VolumeOnNode> {
        let is_lost = |place: &VolumeOnNode, known: &Attachment| {
            let is_of = |one: &Arc<VolumeAttachment>| {
                one.spec.node_name == place.1
                    && one.spec.source.persistent_volume_name.as_ref() == Some(&known.backend.name)
            };
            known.state == AttachmentState::Attached
                && matches!(attachment::attach_method(&known.backend, cx), AttachMethod::Driver(_))
                && !cx
                    .objects
                    .list::<VolumeAttachment>()
                    .any(|one| one.status.attached && is_of(one))
        };
        let all = self.actual.iter().filter(|(place, known)| is_lost(place, known));
        all.map(|(place, _)| place.clone()).collect()
    }

    /// Removes an attachment that ended without this controller, and schedules the update of the node's
    /// `volumesAttached`.
    fn remove_lost_attachment(&mut self, place: &VolumeOnNode, cx: &mut ControllerContext<'_, '_>) {
        self.actual.remove(place);
        self.reported.retain(|reported| reported.0 != place.0);
        cx.enqueue(key_of_attachment(place));
        self.schedule_reconcile_pass(cx);
    }

    /// Marks an attachment as uncertain after a failed operation, and schedules a retry with exponential back-off
    /// (CT-130).
    fn mark_uncertain(&mut self, place: &VolumeOnNode, why: &str, cx: &mut ControllerContext<'_, '_>) {
        let pods = self.pods_using_volume(place);
        if let Some(known) = self.actual.get_mut(place) {
            if known.state == AttachmentState::Attaching {
                let text = format!(
                    "AttachVolume.Attach failed for volume \"{}\" : {why}",
                    known.backend.spec_name
                );
                emit_event_for_pods(&pods, EventType::Warning, "FailedAttachVolume", &text, cx);
            }
            known.state = AttachmentState::Uncertain;
            known.retry_at = cx.now() + known.retry;
            known.retry = known.retry.doubled(MAX_OPERATION_BACKOFF);
        }
        self.schedule_reconcile_pass(cx);
    }

    /// Records a successful attach, and emits an event about each pod that needs the volume.
    fn set_attached(
        &mut self,
        place: &VolumeOnNode,
        known: &Attachment,
        should_record_in_trace: bool,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        if let Some(known) = self.actual.get_mut(place) {
            known.state = AttachmentState::Attached;
            known.retry = INITIAL_OPERATION_BACKOFF;
        }
        if should_record_in_trace {
            let (volume, node) = (known.backend.name.clone(), place.1.clone());
            record_volume_happening(Happening::VolumeAttached { volume, node }, &known.backend, cx);
        }
        let text = format!(
            "AttachVolume.Attach succeeded for volume \"{}\" ",
            known.backend.spec_name
        );
        emit_event_for_pods(
            &self.pods_using_volume(place),
            EventType::Normal,
            "SuccessfulAttachVolume",
            &text,
            cx,
        );
        cx.enqueue(key_of_attachment(place));
        self.schedule_reconcile_pass(cx);
    }

    /// Removes a detached volume from the actual state.
    fn remove_detached_volume(
        &mut self,
        place: &VolumeOnNode,
        should_record_in_trace: bool,
        cx: &mut ControllerContext<'_, '_>,
    ) {
        if let Some(known) = self.actual.remove(place)
            && should_record_in_trace
        {
            let detached = Happening::VolumeDetached {
                volume: known.backend.name.clone(),
                node: place.1.clone(),
                forced: Flag(false),
            };
            record_volume_happening(detached, &known.backend, cx);
        }
        self.reported.retain(|reported| reported.0 != place.0);
        self.schedule_reconcile_pass(cx);
    }

    /// Returns the pods that need a volume on a node.
    fn pods_using_volume(&self, place: &VolumeOnNode) -> Vec<ObjectKey> {
        let of_place = |volumes: &Vec<(Backend, NodeName)>| {
            volumes
                .iter()
                .any(|(backend, node)| backend.unique_name == place.0 && *node == place.1)
        };
        self.needed
            .iter()
            .filter(|(_, volumes)| of_place(volumes))
            .map(|(key, _)| key.clone())
            .collect()
    }

    /// Schedules the next pass, at a multiple of `RECONCILE_PERIOD`. Passes run only when there is work.
    fn schedule_reconcile_pass(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let passed = (cx.now() - self.start).0;
        let at = self.start + Span((passed.div_euclid(RECONCILE_PERIOD.0) + 1) * RECONCILE_PERIOD.0);
        self.schedule_reconcile_pass_at(at, cx);
    }

    fn schedule_reconcile_pass_at(&mut self, at: SimTime, cx: &mut ControllerContext<'_, '_>) {
        self.pass_cause = self.pass_cause.latest(cx.ctx.caused_by());
        if self.next_tick.is_none_or(|armed| at < armed) {
            self.next_tick = Some(at);
            cx.tick_at(at, 0);
        }
    }
}

fn record_volume_happening(happening: Happening, backend: &Backend, cx: &mut ControllerContext<'_, '_>) {
    let key = ObjectKey::cluster(backend.name.clone());
    let uid = cx
        .objects
        .get::<PersistentVolume>(&key)
        .map(|volume| volume.metadata.uid.clone())
        .unwrap_or_default();
    let about = subject(Kind::PersistentVolume, key, uid);
    cx.ctx.record_subject(happening, Some(about), None);
}
