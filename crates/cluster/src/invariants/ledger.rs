//! State that all checks share: which processes are alive, who removed which object, and which commands and faults
//! there were.

use podscope_api::fault::{ControlPlaneProcess, FaultKind};
use podscope_api::ordered;
use podscope_api::well_known::taint;
use podscope_messages::{Sentence, Value, sentence};
use std::collections::VecDeque;
use std::sync::Arc;

use podscope_api::{Kind, Node, NodeName, Object, ObjectKey, PersistentVolume, Pod, Str, Uid};
use podscope_sim::Originator;
use rpds::RedBlackTreeMapSync;

use super::{Observation, WorldParts};
use crate::controllers::Holder;
use crate::{Actor, Happening, Place, Record, SimTime, Span, What};

/// Number of removed pods to remember, besides those whose processes still run.
const MAX_REMEMBERED_REMOVALS: usize = 4096;

/// The live processes of one pod on one node.
#[derive(Debug, Clone)]
pub(crate) struct LivePod {
    pub key: ObjectKey,
    pub node: NodeName,
    /// Running containers with their start times.
    pub containers: ordered::Map<Str, SimTime>,
    /// Namespace and name, if the pod belongs to a StatefulSet.
    pub identity: Option<ObjectKey>,
}

impl LivePod {
    /// Describes where the pod runs and since when, because several pods may have the same name: `on a-1 since 0:02.1`.
    pub(crate) fn location(&self) -> Sentence {
        let since = self.containers.values().min().copied().unwrap_or(SimTime::ZERO);
        location(&*self.node, since)
    }
}

/// Describes the node on which a pod runs, and since when.
pub(crate) fn location(node: impl Into<Value>, since: SimTime) -> Sentence {
    sentence!(
        seen::location,
        node = node,
        since = podscope_api::clock::instant(since.0)
    )
}

/// How a pod object was removed.
#[derive(Debug, Clone)]
pub(crate) struct PodRemoval {
    pub by: Actor,
    pub pod: Arc<Pod>,
    /// The actor that had deleted the pod's Node ([`Ledger::actor_that_removed_node`]).
    pub node_deleted_by: Option<Actor>,
    /// The actor that had set the node's out-of-service taint ([`Ledger::actor_of_out_of_service_taint`]).
    pub out_of_service: Option<Actor>,
}

/// The last out-of-service taint of a node, and the actor that set it.
#[derive(Debug, Clone)]
struct OutOfServiceTaint {
    by: Actor,
    /// When the taint was removed; None while the node has it.
    removed: Option<SimTime>,
}

/// A command, or a fault that it caused, to which a violation can be attributed.
#[derive(Debug, Clone)]
pub(crate) struct BlamedAction {
    /// The command line, or the fault written as a command line.
    pub text: Arc<str>,
    /// Number of the command; None for actions of the scenario itself.
    pub number: Option<u32>,
}

impl BlamedAction {
    /// Returns the action as the originator of a violation.
    pub(crate) fn originator(&self, exception: &str) -> Originator {
        Originator {
            command: self.number,
            ..Originator::excused(&*self.text, exception)
        }
    }
}

/// A fault that may still have effects, and when it was repaired.
#[derive(Debug, Clone)]
pub(crate) struct ActiveFault {
    pub at: SimTime,
    pub action: BlamedAction,
    healed: Option<SimTime>,
}

/// Time after its repair during which a fault may still have effects: the six minutes of a forced detach, back-offs,
/// and the expiry of controller expectations (CT-057, CT-133). Later, the fault no longer excuses a violation.
pub(super) const FAULT_AFTERMATH: Span = Span::seconds(600);

/// State that the checks of all invariants share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    pub live: RedBlackTreeMapSync<Uid, LivePod>,
    /// The pods in `live` without an API object. Invariant: a pod enters the set when its object is removed, or when it
    /// starts without one.
    pub orphans: ordered::Set<Uid>,
    /// UIDs of live pods by StatefulSet identity. Invariant: exactly the pods in `live` that have an identity.
    pub by_identity: RedBlackTreeMapSync<ObjectKey, Vec<Uid>>,
    pub removals: RedBlackTreeMapSync<Uid, PodRemoval>,
    removal_order: VecDeque<Uid>,
    /// The command of each client, by client number.
    pub commands: RedBlackTreeMapSync<u32, BlamedAction>,
    /// The last deletion of each Node object: when, and by which actor.
    node_removals: ordered::Map<NodeName, (SimTime, Actor)>,
    /// The last out-of-service taint of each Node that exists.
    out_of_service: ordered::Map<NodeName, OutOfServiceTaint>,
    /// The client that removed the attachment of a volume to a node, by volume and node.
    pub requested_detaches: ordered::Map<(Str, NodeName), Actor>,
    /// Pods that a quorum has removed from their application group; their remaining processes are not members (C-12).
    pub expelled_members: ordered::Set<Uid>,
    /// Number of the command that is being executed; None while any other event is handled.
    pub current_command: Option<u32>,
    /// The latest fault.
    pub last_fault: Option<BlamedAction>,
    /// The latest fault of each kind by node name; the empty name is the control plane.
    faults: ordered::Map<(Str, FaultKind), ActiveFault>,
}

/// Returns the StatefulSet identity of a pod: its namespace and name.
fn stateful_set_identity(pod: &Pod) -> Option<ObjectKey> {
    let owner = pod.metadata.controller_ref()?;
    (&*owner.kind == Kind::StatefulSet.name()).then(|| pod.metadata.key())
}

impl Ledger {
    /// Returns the command of an actor as the originator of a violation.
    pub(crate) fn command_originator(&self, actor: &Actor, exception: &str) -> Option<Originator> {
        match actor {
            Actor::Client(0) => Some(Originator::excused("the scenario's manifests", exception)),
            Actor::Client(client) => Some(self.commands.get(client)?.originator(exception)),
            _ => None,
        }
    }

    /// Returns the latest fault at a node, or at the control plane, that may still have effects and whose kind `counts`
    /// accepts.
    fn relevant_fault(&self, place: &str, now: SimTime, counts: impl Fn(FaultKind) -> bool) -> Option<&ActiveFault> {
        let is_relevant = |fault: &ActiveFault| fault.healed.is_none_or(|healed| now - healed <= FAULT_AFTERMATH);
        let found = self
            .faults
            .iter()
            .filter(|((at, kind), _)| &**at == place && counts(*kind));
        found
            .map(|(_, fault)| fault)
            .filter(|fault| is_relevant(fault))
            .max_by_key(|fault| fault.at)
    }

    /// Returns a fault that may keep the control plane from knowing the real state of a node.
    pub(crate) fn recent_node_fault(&self, node: &NodeName, now: SimTime) -> Option<&ActiveFault> {
        self.relevant_fault(node, now, |kind| kind != FaultKind::Device)
    }

    /// Returns a fault by which a controller may have lost its in-memory state, or the result of a write.
    pub(crate) fn recent_control_plane_fault(&self, now: SimTime) -> Option<&ActiveFault> {
        self.relevant_fault("", now, |kind| !matches!(kind, FaultKind::Second(_)))
    }

    /// Returns the fault that started a second instance of the actor's process.
    pub(crate) fn second_instance_fault(&self, actor: &Actor, now: SimTime) -> Option<&ActiveFault> {
        let process = match actor {
            Actor::Scheduler(_) => ControlPlaneProcess::Scheduler,
            Actor::ControllerManager(_) => ControlPlaneProcess::ControllerManager,
            _ => return None,
        };
        self.relevant_fault("", now, |kind| kind == FaultKind::Second(process))
    }

    fn record_fault(&mut self, kind: FaultKind, record: &Record) {
        let about = record.object.as_ref();
        let name = match about {
            Some(object) => format!("fault {kind} {}", object.key),
            None => format!("fault {kind}"),
        };
        self.end_second_instance(kind, record.at);
        let action = BlamedAction {
            text: name.into(),
            number: self.current_command,
        };
        self.last_fault = Some(action.clone());
        let place = match about {
            None => Str::from(""),
            Some(object) if object.kind == Kind::Node => object.key.name.clone(),
            Some(_) => return,
        };
        let fault = ActiveFault {
            at: record.at,
            action,
            healed: None,
        };
        self.faults.insert((place, kind), fault);
    }

    fn record_repair(&mut self, kind: FaultKind, record: &Record) {
        self.end_second_instance(kind, record.at);
        let place = record
            .object
            .as_ref()
            .map_or(Str::from(""), |object| object.key.name.clone());
        if let Some(fault) = self.faults.get_mut(&(place, kind)) {
            fault.healed.get_or_insert(record.at);
        }
    }

    /// Marks a second instance as ended, because a crash or restart of a component ends both of its instances.
    fn end_second_instance(&mut self, kind: FaultKind, now: SimTime) {
        if let FaultKind::Crash(process) = kind
            && let Some(fault) = self.faults.get_mut(&("".into(), FaultKind::Second(process)))
        {
            fault.healed.get_or_insert(now);
        }
    }

    /// Records ended processes and the causes of violations; called before the checks.
    pub(super) fn observe_before_checks(&mut self, seen: &Observation<'_>, parts: &WorldParts<'_>) {
        match seen {
            Observation::Change { actor, change } => match (&change.old, &change.new) {
                (Some(Object::Pod(pod)), None) => {
                    let node = pod.spec.node_name.as_ref();
                    let deleted = node.and_then(|node| self.actor_that_removed_node(node, parts.objects, parts.now));
                    let removal = PodRemoval {
                        by: (*actor).clone(),
                        pod: pod.clone(),
                        node_deleted_by: deleted.cloned(),
                        out_of_service: node
                            .and_then(|node| self.actor_of_out_of_service_taint(node, parts.now))
                            .cloned(),
                    };
                    let uid = pod.metadata.uid.clone();
                    if self.live.contains_key(&uid) {
                        self.orphans.insert(uid.clone());
                    }
                    self.removals.insert_mut(uid.clone(), removal);
                    self.removal_order.push_back(uid);
                    self.drop_old_removals();
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
                            .any(|taint| &*taint.key == taint::OUT_OF_SERVICE)
                    };
                    let name = NodeName(new.metadata.name.clone());
                    match (is_out(old), is_out(new)) {
                        (false, true) => {
                            let by = (*actor).clone();
                            self.out_of_service
                                .insert(name, OutOfServiceTaint { by, removed: None });
                        }
                        (true, false) => {
                            if let Some(taint) = self.out_of_service.get_mut(&name) {
                                taint.removed = Some(parts.now);
                            }
                        }
                        _ => {}
                    }
                }
                (Some(Object::VolumeAttachment(old)), new) => {
                    let is_terminating = |object: &Object| object.metadata().is_terminating();
                    let ends = !old.metadata.is_terminating() && new.as_ref().is_none_or(is_terminating);
                    let volume = old.spec.source.persistent_volume_name.clone();
                    if let (true, Some(volume), Actor::Client(_)) = (ends, volume, *actor) {
                        let place = (volume, old.spec.node_name.clone());
                        self.requested_detaches.insert(place, (*actor).clone());
                    }
                }
                (Some(Object::PersistentVolume(old)), Some(Object::PersistentVolume(new))) => {
                    let holder = |volume: &PersistentVolume| Some(Holder::of(&volume.metadata)?.node);
                    if let (Some(node), Actor::Client(_)) = (holder(old), *actor)
                        && holder(new).as_ref() != Some(&node)
                    {
                        let place = (old.metadata.name.clone(), node);
                        self.requested_detaches.insert(place, (*actor).clone());
                    }
                }
                _ => {}
            },
            Observation::Record(record) => match &record.happening {
                Happening::VolumeAttached { volume, node } if !self.requested_detaches.is_empty() => {
                    self.requested_detaches.remove(&(volume.clone(), node.clone()));
                }
                Happening::ContainerExited { .. } => self.record_container_exit(record),
                Happening::Fault { fault, .. } => self.record_fault(*fault, record),
                Happening::Healed { fault, .. } => self.record_repair(*fault, record),
                _ => {}
            },
            Observation::Request { .. } | Observation::Tick { .. } => {}
        }
    }

    /// Records started containers; called after the checks.
    pub(super) fn observe_after_checks(&mut self, seen: &Observation<'_>, parts: &WorldParts<'_>) {
        if let Observation::Record(record) = seen
            && record.what() == What::ContainerStarted
        {
            self.record_container_start(record, parts);
        }
    }

    /// Returns the actor that set the node's out-of-service taint, if the node has it or had it recently: a controller
    /// may still act on what it saw, and its request may still be on its way.
    pub(super) fn actor_of_out_of_service_taint(&self, node: &NodeName, now: SimTime) -> Option<&Actor> {
        let taint = self.out_of_service.get(node)?;
        let is_recent = taint.removed.is_none_or(|removed| now - removed <= FAULT_AFTERMATH);
        is_recent.then_some(&taint.by)
    }

    /// Returns whether the node has an out-of-service taint from the fencing controller.
    pub(super) fn is_fenced(&self, node: &NodeName) -> bool {
        let taint = self.out_of_service.get(node);
        taint.is_some_and(|taint| taint.removed.is_none() && taint.by == Actor::Fencing)
    }

    /// Returns the actor that deleted the Node, if the Node is absent or was created again recently: requests that
    /// assumed its absence may still be on their way, and until its kubelet has reported everything again, the
    /// controllers do not know which volumes it uses.
    pub(super) fn actor_that_removed_node(
        &self,
        node: &NodeName,
        objects: &crate::Objects,
        now: SimTime,
    ) -> Option<&Actor> {
        let (at, actor) = self.node_removals.get(node)?;
        let is_absent = objects.named::<Node>(node.as_str()).is_none();
        (is_absent || now - *at <= FAULT_AFTERMATH).then_some(actor)
    }

    /// Returns the pod with this UID, even if its object was removed.
    pub(super) fn pod_of(&self, uid: &Uid, objects: &crate::Objects) -> Option<Arc<Pod>> {
        match objects.by_uid(uid) {
            Some(Object::Pod(pod)) => Some(pod),
            _ => Some(self.removals.get(uid)?.pod.clone()),
        }
    }

    /// Returns the StatefulSet identity of a pod; None if it does not belong to a StatefulSet.
    pub(crate) fn identity_of(&self, uid: &Uid, objects: &crate::Objects) -> Option<ObjectKey> {
        self.pod_of(uid, objects).and_then(|pod| stateful_set_identity(&pod))
    }

    fn record_container_start(&mut self, record: &Record, parts: &WorldParts<'_>) {
        let (Some(object), Some(container), Place::Node(node)) =
            (&record.object, &record.container, record.actor.place())
        else {
            return;
        };
        // The object is looked up only once, because this runs for every container of a dump at t = 0.
        let stored = parts.objects.by_uid(&object.uid);
        let is_orphan = stored.is_none();
        let pod = match stored {
            Some(Object::Pod(pod)) => Some(pod),
            _ => self.removals.get(&object.uid).map(|removal| removal.pod.clone()),
        };
        // The processes of a static pod do not depend on the life of its mirror pod (LC-213).
        if pod.as_ref().is_some_and(|pod| pod.is_mirror()) {
            return;
        }
        let identity = pod.and_then(|pod| stateful_set_identity(&pod));
        let mut entry = self.live.get(&object.uid).cloned().unwrap_or_else(|| LivePod {
            key: object.key.clone(),
            node,
            containers: ordered::Map::new(),
            identity: identity.clone(),
        });
        // The pod may have been adopted by a StatefulSet since its first container started.
        if entry.identity.is_none() {
            entry.identity.clone_from(&identity);
        }
        entry.containers.insert(container.clone(), record.at);
        self.live.insert_mut(object.uid.clone(), entry);
        if is_orphan {
            self.orphans.insert(object.uid.clone());
        }
        if let Some(identity) = identity {
            let mut uids = self.by_identity.get(&identity).cloned().unwrap_or_default();
            if !uids.contains(&object.uid) {
                uids.push(object.uid.clone());
                self.by_identity.insert_mut(identity, uids);
            }
        }
        self.assert_consistent(&object.uid);
    }

    /// Asserts that the collections agree about a pod.
    fn assert_consistent(&self, uid: &Uid) {
        let entry = self.live.get(uid);
        debug_assert!(
            entry.is_some() || !self.orphans.contains(uid),
            "orphan {uid:?} has no live process"
        );
        debug_assert!(
            entry.is_none_or(|entry| !entry.containers.is_empty()),
            "live pod {uid:?} has no running container"
        );
        let identity = entry.and_then(|entry| entry.identity.as_ref());
        let is_listed = |identity: &ObjectKey| self.by_identity.get(identity).is_some_and(|uids| uids.contains(uid));
        debug_assert!(
            identity.is_none_or(is_listed),
            "live pod {uid:?} is not listed under its identity {identity:?}"
        );
    }

    fn record_container_exit(&mut self, record: &Record) {
        let (Some(object), Some(container)) = (&record.object, &record.container) else {
            return;
        };
        let Some(mut entry) = self.live.get(&object.uid).cloned() else {
            return;
        };
        entry.containers.remove(container);
        if entry.containers.is_empty() {
            self.end_live_pod(&object.uid);
        } else {
            self.live.insert_mut(object.uid.clone(), entry);
        }
        self.assert_consistent(&object.uid);
    }

    /// Removes a pod from the live pods, because its last process has ended.
    fn end_live_pod(&mut self, uid: &Uid) {
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

    /// Removes all pods of a machine from the live pods: the machine lost power or left, so their processes have ended.
    pub(crate) fn end_live_pods_on_node(&mut self, node: &NodeName) {
        let ended: Vec<Uid> = self
            .live
            .iter()
            .filter(|(_, entry)| entry.node == *node)
            .map(|(uid, _)| uid.clone())
            .collect();
        for uid in ended {
            self.end_live_pod(&uid);
        }
    }

    fn drop_old_removals(&mut self) {
        let mut n_examined = 0;
        while self.removals.size() > MAX_REMEMBERED_REMOVALS && n_examined < 8 {
            n_examined += 1;
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
