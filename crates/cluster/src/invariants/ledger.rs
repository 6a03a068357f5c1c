//! What all checks need to know of the past: which processes live, who
//! removed which object, which commands and faults there were.

use podscope_api::ordered;
use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{Kind, Node, NodeName, Object, ObjectKey, PersistentVolume, Phrase, Pod, Str, Uid, phrase};
use podscope_sim::Culprit;
use rpds::RedBlackTreeMapSync;

use super::{Parts, Seen};
use crate::controllers::Holder;
use crate::{Actor, ControlPlaneProcess, FaultKind, Happening, Place, Record, SimTime, Span, What};

/// Removed pods that are remembered, beyond those whose processes live on.
const REMOVALS_MAX: usize = 4096;

/// The live processes of one pod on one node.
#[derive(Debug, Clone)]
pub(crate) struct LivePod {
    pub key: ObjectKey,
    pub node: NodeName,
    /// Running containers with their start.
    pub containers: ordered::Map<Str, SimTime>,
    /// The StatefulSet pod's name, if it is one.
    pub identity: Option<ObjectKey>,
}

impl LivePod {
    /// Which of several pods of one name it is, as people tell them apart: `on a-1 since 0:02.1`.
    pub(crate) fn whereabouts(&self) -> Phrase {
        let since = self.containers.values().min().copied().unwrap_or(SimTime::ZERO);
        whereabouts(&self.node, since)
    }
}

/// Where a pod runs, and since when.
pub(crate) fn whereabouts(node: &str, since: SimTime) -> Phrase {
    phrase!(
        "on {node} since {since}",
        node = node,
        since = podscope_api::clock::instant(since.0)
    )
}

/// How a pod object came to an end.
#[derive(Debug, Clone)]
pub(crate) struct Removal {
    pub by: Actor,
    pub pod: Arc<Pod>,
    /// Who had deleted its node, if the Node object was gone then.
    pub node_gone: Option<Actor>,
    /// Who had said that its node is out of service, if that was said then.
    pub out_of_service: Option<Actor>,
}

/// A command, or a fault that one caused.
#[derive(Debug, Clone)]
pub(crate) struct Deed {
    /// As the command line names it.
    pub text: Arc<str>,
    /// The number of the command that was given; none of what the scenario itself did.
    pub number: Option<u32>,
}

impl Deed {
    /// Whoever did it, as a culprit.
    pub(crate) fn by(&self, exception: &str) -> Culprit {
        Culprit {
            command: self.number,
            ..Culprit::excused(&*self.text, exception)
        }
    }
}

/// A fault, and when it was repaired.
#[derive(Debug, Clone)]
pub(crate) struct Trouble {
    pub at: SimTime,
    pub deed: Deed,
    healed: Option<SimTime>,
}

/// How long after its repair a fault may still show: the six minutes of a forced detach, back-offs, and the
/// expiry of what a controller expects (CT-057, CT-133). No excuse outlives it.
pub(super) const AFTERMATH: Span = Span::seconds(600);

/// The memory that the checks share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    pub live: RedBlackTreeMapSync<Uid, LivePod>,
    /// Those of `live` without an object. Invariant: an object's removal or a start without one puts them here.
    pub orphans: ordered::Set<Uid>,
    /// UIDs with live processes by StatefulSet identity. Invariant: those of `live` that have one, and no others.
    pub by_identity: RedBlackTreeMapSync<ObjectKey, Vec<Uid>>,
    pub removals: RedBlackTreeMapSync<Uid, Removal>,
    removal_order: VecDeque<Uid>,
    /// Each command that has a client, by the client.
    pub commands: RedBlackTreeMapSync<u32, Deed>,
    /// Who deleted a Node object last.
    pub node_removals: ordered::Map<NodeName, (SimTime, Actor)>,
    /// Who set the out-of-service taint.
    pub out_of_service: ordered::Map<NodeName, Actor>,
    /// Clients who ended an attachment of a volume to a node themselves.
    pub detach_asked: ordered::Map<(Str, NodeName), Actor>,
    /// Pods that a quorum of their group has removed from it: what still runs of them is no member any more (C-12).
    pub forgotten: ordered::Set<Uid>,
    /// The number of the command that is being carried out, until something else happens.
    pub given: Option<u32>,
    /// The last fault that happened.
    pub last_fault: Option<Deed>,
    /// The last fault of each kind about a node, or, with an empty name, about the control plane.
    troubles: ordered::Map<(Str, FaultKind), Trouble>,
}

impl Ledger {
    /// The command behind an actor, as a culprit.
    pub(crate) fn command(&self, actor: &Actor, exception: &str) -> Option<Culprit> {
        match actor {
            Actor::Client(0) => Some(Culprit::excused("the scenario's manifests", exception)),
            Actor::Client(client) => Some(self.commands.get(client)?.by(exception)),
            _ => None,
        }
    }

    /// The last fault about a place that matters now and is of a kind that counts.
    fn trouble(&self, place: &str, now: SimTime, counts: impl Fn(FaultKind) -> bool) -> Option<&Trouble> {
        let matters = |trouble: &Trouble| trouble.healed.is_none_or(|healed| now - healed <= AFTERMATH);
        let found = self
            .troubles
            .iter()
            .filter(|((at, kind), _)| &**at == place && counts(*kind));
        found
            .map(|(_, trouble)| trouble)
            .filter(|trouble| matters(trouble))
            .max_by_key(|trouble| trouble.at)
    }

    /// The fault that may keep the control plane from seeing a node as it is.
    pub(crate) fn node_trouble(&self, node: &NodeName, now: SimTime) -> Option<&Trouble> {
        self.trouble(node, now, |_| true)
    }

    /// The fault that may have emptied a controller's memory, or left it in doubt of its writes.
    pub(crate) fn control_plane_trouble(&self, now: SimTime) -> Option<&Trouble> {
        self.trouble("", now, |kind| !matches!(kind, FaultKind::Second(_)))
    }

    /// The fault by which two instances of the actor's kind lead.
    pub(crate) fn second(&self, actor: &Actor, now: SimTime) -> Option<&Trouble> {
        let process = match actor {
            Actor::Scheduler(_) => ControlPlaneProcess::Scheduler,
            Actor::ControllerManager(_) => ControlPlaneProcess::ControllerManager,
            _ => return None,
        };
        self.trouble("", now, |kind| kind == FaultKind::Second(process))
    }

    fn learn_fault(&mut self, kind: FaultKind, record: &Record) {
        let about = record.object.as_ref();
        let name = match about {
            Some(object) => format!("fault {kind} {}", object.key),
            None => format!("fault {kind}"),
        };
        self.end_second(kind, record.at);
        let deed = Deed {
            text: name.into(),
            number: self.given,
        };
        self.last_fault = Some(deed.clone());
        let place = match about {
            None => Str::from(""),
            Some(object) if object.kind == Kind::Node => object.key.name.clone(),
            Some(_) => return,
        };
        let trouble = Trouble {
            at: record.at,
            deed,
            healed: None,
        };
        self.troubles.insert((place, kind), trouble);
    }

    fn learn_repair(&mut self, kind: FaultKind, record: &Record) {
        self.end_second(kind, record.at);
        let place = record
            .object
            .as_ref()
            .map_or(Str::from(""), |object| object.key.name.clone());
        if let Some(trouble) = self.troubles.get_mut(&(place, kind)) {
            trouble.healed.get_or_insert(record.at);
        }
    }

    /// A crash or restart of a component ends both of its instances.
    fn end_second(&mut self, kind: FaultKind, now: SimTime) {
        if let FaultKind::Crash(process) = kind
            && let Some(trouble) = self.troubles.get_mut(&("".into(), FaultKind::Second(process)))
        {
            trouble.healed.get_or_insert(now);
        }
    }

    /// Endings and causes, before the checks look.
    pub(super) fn before(&mut self, seen: &Seen<'_>, parts: &Parts<'_>) {
        match seen {
            Seen::Change { actor, change } => match (&change.old, &change.new) {
                (Some(Object::Pod(pod)), None) => {
                    let node = pod.spec.node_name.as_ref();
                    let is_gone = |node: &&NodeName| parts.objects.named::<Node>(node.as_str()).is_none();
                    let deleted = node.filter(is_gone).and_then(|node| self.node_removals.get(node));
                    let removal = Removal {
                        by: (*actor).clone(),
                        pod: pod.clone(),
                        node_gone: deleted.map(|(_, actor)| actor.clone()),
                        out_of_service: node.and_then(|node| self.out_of_service.get(node)).cloned(),
                    };
                    let uid = pod.metadata.uid.clone();
                    if self.live.contains_key(&uid) {
                        self.orphans.insert(uid.clone());
                    }
                    self.removals.insert_mut(uid.clone(), removal);
                    self.removal_order.push_back(uid);
                    self.forget_old_removals();
                }
                (Some(Object::Node(node)), None) => {
                    let name = NodeName(node.metadata.name.clone());
                    self.out_of_service.remove(&name);
                    self.node_removals.insert(name, (parts.now, (*actor).clone()));
                }
                (Some(Object::Node(old)), Some(Object::Node(new))) => {
                    let is_out = |node: &podscope_api::Node| {
                        node.spec
                            .taints
                            .iter()
                            .any(|taint| &*taint.key == "node.kubernetes.io/out-of-service")
                    };
                    let name = NodeName(new.metadata.name.clone());
                    match (is_out(old), is_out(new)) {
                        (false, true) => {
                            self.out_of_service.insert(name, (*actor).clone());
                        }
                        (true, false) => {
                            self.out_of_service.remove(&name);
                        }
                        _ => {}
                    }
                }
                (Some(Object::VolumeAttachment(old)), new) => {
                    let is_going = |object: &Object| object.metadata().is_terminating();
                    let ends = !old.metadata.is_terminating() && new.as_ref().is_none_or(is_going);
                    let volume = old.spec.source.persistent_volume_name.clone();
                    if let (true, Some(volume), Actor::Client(_)) = (ends, volume, *actor) {
                        let place = (volume, old.spec.node_name.clone());
                        self.detach_asked.insert(place, (*actor).clone());
                    }
                }
                (Some(Object::PersistentVolume(old)), Some(Object::PersistentVolume(new))) => {
                    let holder = |volume: &PersistentVolume| Some(Holder::of(&volume.metadata)?.node);
                    if let (Some(node), Actor::Client(_)) = (holder(old), *actor)
                        && holder(new).as_ref() != Some(&node)
                    {
                        let place = (old.metadata.name.clone(), node);
                        self.detach_asked.insert(place, (*actor).clone());
                    }
                }
                _ => {}
            },
            Seen::Record(record) => match &record.happening {
                Happening::VolumeAttached { volume, node } if !self.detach_asked.is_empty() => {
                    self.detach_asked.remove(&(volume.clone(), node.clone()));
                }
                Happening::ContainerExited { .. } => self.exited(record),
                Happening::Fault { fault, .. } => self.learn_fault(*fault, record),
                Happening::Healed { fault, .. } => self.learn_repair(*fault, record),
                _ => {}
            },
            Seen::Request { .. } | Seen::Tick { .. } => {}
        }
    }

    /// Beginnings, after the checks looked.
    pub(super) fn after(&mut self, seen: &Seen<'_>, parts: &Parts<'_>) {
        if let Seen::Record(record) = seen
            && record.what() == What::ContainerStarted
        {
            self.started(record, parts);
        }
    }

    /// A pod that is or was.
    pub(super) fn pod_of(&self, uid: &Uid, objects: &crate::Objects) -> Option<Arc<Pod>> {
        match objects.by_uid(uid) {
            Some(Object::Pod(pod)) => Some(pod),
            _ => Some(self.removals.get(uid)?.pod.clone()),
        }
    }

    /// The StatefulSet identity of a pod.
    pub(crate) fn identity_of(&self, uid: &Uid, objects: &crate::Objects) -> Option<ObjectKey> {
        let pod = self.pod_of(uid, objects)?;
        let owner = pod.metadata.controller_ref()?;
        (&*owner.kind == Kind::StatefulSet.name()).then(|| pod.metadata.key())
    }

    fn started(&mut self, record: &Record, parts: &Parts<'_>) {
        let (Some(object), Some(container), Place::Node(node)) =
            (&record.object, &record.container, record.actor.place())
        else {
            return;
        };
        // LC-213: a static pod's processes are not bound to the life of its mirror.
        if self
            .pod_of(&object.uid, parts.objects)
            .is_some_and(|pod| pod.is_mirror())
        {
            return;
        }
        let identity = self.identity_of(&object.uid, parts.objects);
        let mut entry = self.live.get(&object.uid).cloned().unwrap_or_else(|| LivePod {
            key: object.key.clone(),
            node,
            containers: ordered::Map::new(),
            identity: identity.clone(),
        });
        // A pod that a StatefulSet has adopted meanwhile has its identity from now on.
        if entry.identity.is_none() {
            entry.identity.clone_from(&identity);
        }
        entry.containers.insert(container.clone(), record.at);
        self.live.insert_mut(object.uid.clone(), entry);
        if parts.objects.by_uid(&object.uid).is_none() {
            self.orphans.insert(object.uid.clone());
        }
        if let Some(identity) = identity {
            let mut uids = self.by_identity.get(&identity).cloned().unwrap_or_default();
            if !uids.contains(&object.uid) {
                uids.push(object.uid.clone());
                self.by_identity.insert_mut(identity, uids);
            }
        }
        self.assert_agreed(&object.uid);
    }

    /// What is known of a pod is known everywhere or nowhere.
    fn assert_agreed(&self, uid: &Uid) {
        let entry = self.live.get(uid);
        debug_assert!(
            entry.is_some() || !self.orphans.contains(uid),
            "an orphan {uid:?} without a live process"
        );
        debug_assert!(
            entry.is_none_or(|entry| !entry.containers.is_empty()),
            "a live pod {uid:?} of which nothing runs"
        );
        let identity = entry.and_then(|entry| entry.identity.as_ref());
        let is_listed = |identity: &ObjectKey| self.by_identity.get(identity).is_some_and(|uids| uids.contains(uid));
        debug_assert!(
            identity.is_none_or(is_listed),
            "{identity:?} has lost its process of {uid:?}"
        );
    }

    fn exited(&mut self, record: &Record) {
        let (Some(object), Some(container)) = (&record.object, &record.container) else {
            return;
        };
        let Some(mut entry) = self.live.get(&object.uid).cloned() else {
            return;
        };
        entry.containers.remove(container);
        if entry.containers.is_empty() {
            self.end(&object.uid);
        } else {
            self.live.insert_mut(object.uid.clone(), entry);
        }
        self.assert_agreed(&object.uid);
    }

    fn end(&mut self, uid: &Uid) {
        let Some(entry) = self.live.get(uid).cloned() else {
            return;
        };
        self.live.remove_mut(uid);
        self.orphans.remove(uid);
        if let Some(identity) = entry.identity {
            let known = self.by_identity.get(&identity).cloned();
            let mut uids = known.expect("a live pod with an identity is listed under it");
            uids.retain(|other| other != uid);
            if uids.is_empty() {
                self.by_identity.remove_mut(&identity);
            } else {
                self.by_identity.insert_mut(identity, uids);
            }
        }
    }

    /// A machine lost power or left: nothing lives there.
    pub(crate) fn node_is_dark(&mut self, node: &NodeName) {
        let gone: Vec<Uid> = self
            .live
            .iter()
            .filter(|(_, entry)| entry.node == *node)
            .map(|(uid, _)| uid.clone())
            .collect();
        for uid in gone {
            self.end(&uid);
        }
    }

    fn forget_old_removals(&mut self) {
        let mut looked = 0;
        while self.removals.size() > REMOVALS_MAX && looked < 8 {
            looked += 1;
            let Some(oldest) = self.removal_order.pop_front() else {
                return;
            };
            if self.live.contains_key(&oldest) {
                self.removal_order.push_back(oldest);
            } else {
                self.removals.remove_mut(&oldest);
            }
        }
    }
}
