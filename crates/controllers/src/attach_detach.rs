//! Attach/detach: a volume is attached to a node before a pod there can mount
//! it, to one node at a time if it is exclusive, and detached when nobody
//! there needs it (V-03, CT-127 to CT-135).
//!
//! ```text
//! (none) ──attach──► Attaching ──ok──► Attached ──nobody wants it──► Detaching ──► (none)
//!                        └──failed──► Uncertain ◄──failed──┘
//! ```
//!
//! Every 100 ms, detaches first. A VolumeAttachment that somebody else deletes
//! is missed within a minute (`VerifyVolumesAreAttached`), and the node's list
//! is cleared then. What is wanted follows from pods; what is, is
//! remembered, and rebuilt from the API after a restart. How an attachment is
//! made is in [`super::attachment`].

mod reconcile;

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{
    CausedBy, EventType, Kind, Node, NodeName, Object, ObjectKey, PersistentVolume, Pod, Str, VolumeAttachment,
};

use podscope_sim::volume::{Backend, Resolved, of_persistent_volume, resolve};
use podscope_sim::{Answer, Change, Flag, Happening, Request, SimTime, Span, subject};

use super::attachment::{self, AttachMethod, Holder};
use super::controller::{Controller, ControllerContext, note};
use super::plan::{Failure, Plan};
use super::queue::Key;

const PERIOD: Span = Span::millis(100);
/// How often attachments are verified (`attach-detach-reconcile-sync-period`).
const VERIFY_PERIOD: Span = Span::seconds(60);
const FIRST_RETRY: Span = Span::millis(500);
const LONGEST_RETRY: Span = Span::seconds(122);

/// A volume, by its unique name, on a node.
type Place = (Str, NodeName);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Attaching,
    Attached,
    Detaching,
    /// An attach or detach failed; does not count as attached elsewhere (CT-130).
    Uncertain,
}

#[derive(Debug, Clone)]
struct Attachment {
    backend: Backend,
    state: State,
    unwanted_since: Option<SimTime>,
    retry_at: SimTime,
    retry: Span,
}

#[derive(Debug, Clone, Default)]
pub(super) struct AttachDetachController {
    start: SimTime,
    /// Attachable volumes of scheduled pods that want them.
    wanted: ordered::Map<ObjectKey, Vec<(Backend, NodeName)>>,
    actual: ordered::Map<Place, Attachment>,
    /// `volumesInUse` as last seen, kept when the Node is gone (CT-150).
    in_use: ordered::Map<NodeName, Vec<Str>>,
    /// Multi-attach errors that were said.
    reported: ordered::Set<Place>,
    /// When it is looked next whether what is attached still has its VolumeAttachment; none while nothing went.
    verify_at: Option<SimTime>,
    next_tick: Option<SimTime>,
    /// The change that asked for the next pass last.
    woken_by: CausedBy,
}

impl AttachDetachController {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self::default())
    }
}

fn key_of_place(place: &Place) -> Key {
    (
        Kind::VolumeAttachment,
        ObjectKey::new(place.1.0.clone(), place.0.clone()),
    )
}

fn place_of_key(key: &Key) -> Place {
    (key.1.name.clone(), NodeName(key.1.namespace.clone()))
}

/// Whether a pod object still wants its volumes attached (CT-127).
fn wants_volumes(pod: &Pod) -> bool {
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
        self.rebuild(cx);
        if !self.without_attachment(cx).is_empty() {
            self.verify_later(cx);
        }
        self.wake(cx);
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
                    .users_of(&claim.metadata.key())
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
                self.wake(cx);
            }
            Some(Object::PersistentVolume(volume)) => {
                // Somebody else broke the record of an attachment.
                let is_held = |object: &Option<Object>| {
                    let held = object.as_ref();
                    held.is_some_and(|object| Holder::of(object.metadata()).is_some())
                };
                if is_held(&change.old) && !is_held(&change.new) {
                    let name = &volume.metadata.name;
                    let is_lost = |known: &Attachment| known.backend.name == *name && known.state == State::Attached;
                    let lost = self.actual.iter().filter(|(_, known)| is_lost(known));
                    for place in lost.map(|(place, _)| place.clone()).collect::<Vec<_>>() {
                        self.lost(&place, cx);
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
            cx.ctx.because(self.woken_by);
            self.reconcile(cx);
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let place = place_of_key(key);
        let Some(known) = self.actual.get(&place) else {
            // Nothing is known of it any more: the node's list must not say so either.
            return Plan::default().then(attachment::report(&place, false, cx));
        };
        match known.state {
            State::Attaching => attachment::attach(&known.backend, &place.1, self.users(&place).first(), cx),
            State::Attached => Plan::default().then(attachment::report(&place, true, cx)),
            State::Detaching => {
                let forced = self.is_forced(&place, known, cx);
                attachment::detach(&known.backend, &place, !forced, cx)
            }
            State::Uncertain => Plan::default(),
        }
    }

    fn answered(&mut self, key: &Key, request: &Request, answer: &Answer, cx: &mut ControllerContext<'_, '_>) {
        let place = place_of_key(key);
        let Some(known) = self.actual.get(&place).cloned() else {
            return;
        };
        match (known.state, request, answer) {
            // The record of a volume without a driver was swapped: that is the attachment (V-04).
            (State::Attaching, Request::Update(Object::PersistentVolume(_), _), Ok(_)) => {
                self.attached(&place, &known, true, cx)
            }
            (State::Detaching, Request::Update(Object::PersistentVolume(_), _), Ok(_)) => {
                self.detached(&place, true, cx)
            }
            (State::Attaching, Request::Patch { .. }, Ok(_))
                if attachment::method_of(&known.backend, cx) == AttachMethod::Bookkeeping =>
            {
                self.attached(&place, &known, true, cx);
            }
            // It was there before this manager was: no change will come to say that it is attached already (CT-135).
            (State::Attaching, Request::Create(Object::VolumeAttachment(asked)), Err(_)) => {
                if let Some(there) = cx.objects.named::<VolumeAttachment>(&asked.metadata.name).cloned() {
                    self.attachment_changed(&there, true, cx);
                }
            }
            (State::Detaching, Request::Get { .. }, Ok(Some(Object::Node(node)))) => {
                let forced = self.is_forced(&place, &known, cx);
                if !forced && node.status.volumes_in_use.contains(&place.0) {
                    // Still in use: reported as attached again, and looked at later (CT-132).
                    self.set(&place, State::Attached);
                    cx.enqueue(key.clone());
                    self.wake(cx);
                }
            }
            // An attachment object that was already gone, or a volume without any record.
            (State::Detaching, Request::Delete { .. }, Err(error)) if error.code == 404 => {
                self.detached(&place, false, cx)
            }
            (State::Detaching, Request::Patch { .. }, _)
                if attachment::method_of(&known.backend, cx) == AttachMethod::Bookkeeping =>
            {
                self.detached(&place, true, cx);
            }
            _ => {}
        }
    }

    fn failed(&mut self, key: &Key, failure: &Failure, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let place = place_of_key(key);
        self.uncertain(&place, &failure.error.message, cx);
        Plan::default()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

fn say(pods: &[ObjectKey], kind: EventType, reason: &str, text: &str, cx: &mut ControllerContext<'_, '_>) {
    for pod in pods
        .iter()
        .filter_map(|key| cx.objects.get::<Pod>(key))
        .cloned()
        .collect::<Vec<_>>()
    {
        cx.event(note(&*pod, kind.clone(), reason, text));
    }
}

impl AttachDetachController {
    /// What the API knows of attachments: the nodes' lists and the records on volumes are certain, attachment
    /// objects beside them are not. What is recorded for a node that is gone counts as mounted there, until the
    /// force timeout (CT-131).
    fn rebuild(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let mut backends: ordered::Map<Str, Backend> = ordered::Map::new();
        for volume in cx.objects.list::<PersistentVolume>() {
            if let Some(backend) = of_persistent_volume(volume, cx.objects) {
                backends.insert(backend.unique_name.clone(), backend);
            }
        }
        for (backend, _) in self.wanted.values().flatten() {
            backends
                .entry(backend.unique_name.clone())
                .or_insert_with(|| backend.clone());
        }
        for node in cx.objects.list::<Node>() {
            for attached in &node.status.volumes_attached {
                if let Some(backend) = backends.get(&attached.name) {
                    self.remember(
                        (attached.name.clone(), (&*node.metadata.name).into()),
                        backend.clone(),
                        State::Attached,
                    );
                }
            }
        }
        for attachment in cx.objects.list::<VolumeAttachment>() {
            let name = attachment.spec.source.persistent_volume_name.as_ref();
            if let Some(backend) = backends.values().find(|backend| Some(&backend.name) == name) {
                let place = (backend.unique_name.clone(), attachment.spec.node_name.clone());
                // Its pod is not in the dump.
                if cx.objects.assumed().is_attached(&backend.name, &place.1) {
                    self.actual.remove(&place);
                } else if !self.actual.contains_key(&place) {
                    self.remember(place, backend.clone(), State::Uncertain);
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
                    self.remember(place, backend.clone(), State::Attached);
                }
            }
        }
    }

    fn remember(&mut self, place: Place, backend: Backend, state: State) {
        let known = Attachment {
            backend,
            state,
            unwanted_since: None,
            retry_at: SimTime::ZERO,
            retry: FIRST_RETRY,
        };
        self.actual.insert(place, known);
    }

    fn set(&mut self, place: &Place, state: State) {
        if let Some(known) = self.actual.get_mut(place) {
            known.state = state;
        }
    }

    fn pod_changed(&mut self, key: &ObjectKey, pod: Option<&Pod>, cx: &mut ControllerContext<'_, '_>) {
        let mut volumes = Vec::new();
        if let Some(pod) = pod.filter(|pod| wants_volumes(pod))
            && let Some(node) = &pod.spec.node_name
        {
            for volume in pod.spec.volumes.iter() {
                if let Resolved::Backend(backend) = resolve(pod, volume, cx.objects)
                    && backend.needs_attach
                {
                    volumes.push((backend, node.clone()));
                }
            }
        }
        let before = if volumes.is_empty() {
            self.wanted.remove(key).unwrap_or_default()
        } else {
            self.wanted.insert(key.clone(), volumes.clone()).unwrap_or_default()
        };
        if before != volumes {
            self.wake(cx);
        }
    }

    /// The driver reports, or an attachment object went.
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
                State::Detaching | State::Uncertain => self.detached(&place, false, cx),
                State::Attaching => self.uncertain(&place, "the VolumeAttachment was deleted", cx),
                // Nobody tells the controller.
                State::Attached => self.verify_later(cx),
            }
        } else if attachment.status.attached && known.state == State::Attaching {
            self.attached(&place, &known, false, cx);
        } else if let Some(error) = &attachment.status.attach_error
            && known.state == State::Attaching
        {
            self.uncertain(&place, &error.message, cx);
        }
    }

    /// The next look at whether what is attached still is.
    fn verify_later(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let passed = (cx.now() - self.start).0;
        let at = self.start + Span((passed.div_euclid(VERIFY_PERIOD.0) + 1) * VERIFY_PERIOD.0);
        self.verify_at.get_or_insert(at);
        self.wake_at(at, cx);
    }

    /// Volumes of drivers that have lost their VolumeAttachment count as attached no longer.
    fn verify(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let Some(at) = self.verify_at else { return };
        if at > cx.now() {
            return self.wake_at(at, cx);
        }
        self.verify_at = None;
        for place in self.without_attachment(cx) {
            self.lost(&place, cx);
        }
    }

    fn without_attachment(&self, cx: &ControllerContext<'_, '_>) -> Vec<Place> {
        let is_lost = |place: &Place, known: &Attachment| {
            let is_of = |one: &Arc<VolumeAttachment>| {
                one.spec.node_name == place.1
                    && one.spec.source.persistent_volume_name.as_ref() == Some(&known.backend.name)
            };
            known.state == State::Attached
                && matches!(attachment::method_of(&known.backend, cx), AttachMethod::Driver(_))
                && !cx
                    .objects
                    .list::<VolumeAttachment>()
                    .any(|one| one.status.attached && is_of(one))
        };
        let all = self.actual.iter().filter(|(place, known)| is_lost(place, known));
        all.map(|(place, _)| place.clone()).collect()
    }

    /// An attachment is no more, without this controller's doing: the node's list follows.
    fn lost(&mut self, place: &Place, cx: &mut ControllerContext<'_, '_>) {
        self.actual.remove(place);
        self.reported.retain(|reported| reported.0 != place.0);
        cx.enqueue(key_of_place(place));
        self.wake(cx);
    }

    /// What failed is tried again later, and longer each time (CT-130).
    fn uncertain(&mut self, place: &Place, why: &str, cx: &mut ControllerContext<'_, '_>) {
        let pods = self.users(place);
        if let Some(known) = self.actual.get_mut(place) {
            if known.state == State::Attaching {
                let text = format!(
                    "AttachVolume.Attach failed for volume \"{}\" : {why}",
                    known.backend.name
                );
                say(&pods, EventType::Warning, "FailedAttachVolume", &text, cx);
            }
            known.state = State::Uncertain;
            known.retry_at = cx.now() + known.retry;
            known.retry = Span((known.retry.0 * 2).min(LONGEST_RETRY.0));
        }
        self.wake(cx);
    }

    fn attached(&mut self, place: &Place, known: &Attachment, records: bool, cx: &mut ControllerContext<'_, '_>) {
        if let Some(known) = self.actual.get_mut(place) {
            known.state = State::Attached;
            known.retry = FIRST_RETRY;
        }
        if records {
            let (volume, node) = (known.backend.name.clone(), place.1.clone());
            record(Happening::VolumeAttached { volume, node }, &known.backend, cx);
        }
        let text = format!("AttachVolume.Attach succeeded for volume \"{}\" ", known.backend.name);
        say(
            &self.users(place),
            EventType::Normal,
            "SuccessfulAttachVolume",
            &text,
            cx,
        );
        cx.enqueue(key_of_place(place));
        self.wake(cx);
    }

    fn detached(&mut self, place: &Place, records: bool, cx: &mut ControllerContext<'_, '_>) {
        if let Some(known) = self.actual.remove(place)
            && records
        {
            let detached = Happening::VolumeDetached {
                volume: known.backend.name.clone(),
                node: place.1.clone(),
                forced: Flag(false),
            };
            record(detached, &known.backend, cx);
        }
        self.reported.retain(|reported| reported.0 != place.0);
        self.wake(cx);
    }

    /// Pods that want a volume on a node.
    fn users(&self, place: &Place) -> Vec<ObjectKey> {
        let of_place = |volumes: &Vec<(Backend, NodeName)>| {
            volumes
                .iter()
                .any(|(backend, node)| backend.unique_name == place.0 && *node == place.1)
        };
        self.wanted
            .iter()
            .filter(|(_, volumes)| of_place(volumes))
            .map(|(key, _)| key.clone())
            .collect()
    }

    /// Ticks are on the loop's phase; nothing to do, no tick.
    fn wake(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let passed = (cx.now() - self.start).0;
        let at = self.start + Span((passed.div_euclid(PERIOD.0) + 1) * PERIOD.0);
        self.wake_at(at, cx);
    }

    fn wake_at(&mut self, at: SimTime, cx: &mut ControllerContext<'_, '_>) {
        self.woken_by = self.woken_by.latest(cx.ctx.caused_by());
        if self.next_tick.is_none_or(|armed| at < armed) {
            self.next_tick = Some(at);
            cx.tick_at(at, 0);
        }
    }
}

fn record(happening: Happening, backend: &Backend, cx: &mut ControllerContext<'_, '_>) {
    let key = ObjectKey::cluster(backend.name.clone());
    let uid = cx
        .objects
        .get::<PersistentVolume>(&key)
        .map(|volume| volume.metadata.uid.clone())
        .unwrap_or_default();
    let about = subject(Kind::PersistentVolume, key, uid);
    cx.ctx.record_subject(happening, Some(about), None);
}
