//! What all checks need to know of the past: which processes live, who
//! removed which object, which commands and faults there were.

use podscope_api::ordered::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{Kind, NodeName, Object, ObjectKey, PersistentVolume, Pod, Str, Uid};
use rpds::RedBlackTreeMapSync;

use super::{Parts, Seen};
use crate::controllers::ATTACHED_TO;
use crate::{Actor, Place, Record, SimTime, What};

/// Removed pods that are remembered, beyond those whose processes live on.
const REMOVALS_MAX: usize = 4096;

/// The live processes of one pod on one node.
#[derive(Debug, Clone)]
pub(crate) struct LivePod {
    pub key: ObjectKey,
    pub node: NodeName,
    /// Running containers with their start.
    pub containers: BTreeMap<Str, SimTime>,
    /// The StatefulSet pod's name, if it is one.
    pub identity: Option<ObjectKey>,
}

/// How a pod object came to an end.
#[derive(Debug, Clone)]
pub(crate) struct Removal {
    pub by: Actor,
    pub pod: Arc<Pod>,
}

/// The memory that the checks share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    pub live: RedBlackTreeMapSync<Uid, LivePod>,
    /// UIDs with live processes by StatefulSet identity.
    pub by_identity: RedBlackTreeMapSync<ObjectKey, Vec<Uid>>,
    pub removals: RedBlackTreeMapSync<Uid, Removal>,
    removal_order: VecDeque<Uid>,
    /// Text of each command, by client.
    pub commands: RedBlackTreeMapSync<u32, Arc<str>>,
    /// Who deleted a Node object last.
    pub node_removals: BTreeMap<NodeName, (SimTime, Actor)>,
    /// Who set the out-of-service taint.
    pub out_of_service: BTreeMap<NodeName, Actor>,
    /// Clients who ended an attachment of a volume to a node themselves.
    pub detach_asked: BTreeMap<(Str, NodeName), Actor>,
    /// The last fault that happened.
    pub last_fault: Option<(SimTime, String)>,
    /// Since when a second instance of a component believes it leads.
    pub second_since: Option<SimTime>,
}

impl Ledger {
    /// The text of the command behind an actor.
    pub(crate) fn command(&self, actor: &Actor) -> Option<&str> {
        match actor {
            Actor::Client(0) => Some("the scenario's manifests"),
            Actor::Client(number) => self.commands.get(number).map(|text| &**text),
            _ => None,
        }
    }
    /// Endings and causes, before the checks look.
    pub(super) fn before(&mut self, seen: &Seen<'_>, parts: &Parts<'_>) {
        match seen {
            Seen::Change { actor, change } => match (&change.old, &change.new) {
                (Some(Object::Pod(pod)), None) => {
                    let removal = Removal {
                        by: (*actor).clone(),
                        pod: pod.clone(),
                    };
                    let uid = pod.metadata.uid.clone();
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
                    let holder = |volume: &PersistentVolume| {
                        let holder = volume.metadata.annotation(ATTACHED_TO)?;
                        holder.split(' ').next().map(NodeName::from)
                    };
                    if let (Some(node), Actor::Client(_)) = (holder(old), *actor)
                        && holder(new).as_ref() != Some(&node)
                    {
                        let place = (old.metadata.name.clone(), node);
                        self.detach_asked.insert(place, (*actor).clone());
                    }
                }
                _ => {}
            },
            Seen::Record(record) => match record.what {
                What::VolumeAttached if !self.detach_asked.is_empty() => {
                    let text = |name: &str| {
                        let mut fields = record.fields.iter();
                        fields.find(|(field, _)| *field == name)?.1.as_str()
                    };
                    if let (Some(volume), Some(node)) = (text("volume"), text("node")) {
                        self.detach_asked.remove(&(volume.into(), node.into()));
                    }
                }
                What::ContainerExited => self.exited(record),
                What::Fault => {
                    let text = |name: &str| {
                        record
                            .fields
                            .iter()
                            .find(|(field, _)| *field == name)
                            .and_then(|(_, value)| value.as_str())
                    };
                    let mut name = text("fault").unwrap_or("fault").to_owned();
                    if let Some(object) = &record.object {
                        name = format!("fault {name} {}", object.key);
                    } else {
                        name = format!("fault {name}");
                    }
                    if name.starts_with("fault second") {
                        self.second_since = Some(record.at);
                    }
                    self.last_fault = Some((record.at, name));
                }
                What::Healed if record.object.is_none() => self.second_since = None,
                _ => {}
            },
            Seen::Request { .. } | Seen::Tick { .. } => {}
        }
    }
    /// Beginnings, after the checks looked.
    pub(super) fn after(&mut self, seen: &Seen<'_>, parts: &Parts<'_>) {
        if let Seen::Record(record) = seen
            && record.what == What::ContainerStarted
        {
            self.started(record, parts);
        }
    }

    /// The StatefulSet identity of a pod.
    pub(crate) fn identity_of(&self, uid: &Uid, objects: &crate::Objects) -> Option<ObjectKey> {
        let stored;
        let pod: &Pod = match objects.by_uid(uid) {
            Some(Object::Pod(pod)) => {
                stored = pod;
                &stored
            }
            _ => &self.removals.get(uid)?.pod,
        };
        let owner = pod.metadata.controller_ref()?;
        (&*owner.kind == Kind::StatefulSet.name()).then(|| pod.metadata.key())
    }

    fn started(&mut self, record: &Record, parts: &Parts<'_>) {
        let (Some(object), Some(container), Place::Node(node)) =
            (&record.object, &record.container, record.actor.place())
        else {
            return;
        };
        let identity = self.identity_of(&object.uid, parts.objects);
        let mut entry = self.live.get(&object.uid).cloned().unwrap_or_else(|| LivePod {
            key: object.key.clone(),
            node,
            containers: BTreeMap::new(),
            identity: identity.clone(),
        });
        entry.containers.insert(container.clone(), record.at);
        self.live.insert_mut(object.uid.clone(), entry);
        if let Some(identity) = identity {
            let mut uids = self.by_identity.get(&identity).cloned().unwrap_or_default();
            if !uids.contains(&object.uid) {
                uids.push(object.uid.clone());
                self.by_identity.insert_mut(identity, uids);
            }
        }
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
    }
    fn end(&mut self, uid: &Uid) {
        let Some(entry) = self.live.get(uid).cloned() else {
            return;
        };
        self.live.remove_mut(uid);
        if let Some(identity) = entry.identity {
            let mut uids = self.by_identity.get(&identity).cloned().unwrap_or_default();
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
