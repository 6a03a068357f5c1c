//! A bench for controllers: a controller-manager over a store that answers
//! each request after two milliseconds, with kubelets that start and stop
//! pods in a second. Tests of controllers by themselves run here; those of the
//! whole run through the world.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{ConditionStatus, Kind, NodeName, Object, ObjectKey, Pod, PodPhase, Resource, Time, Uid, parse};

use crate::{Act, Context, Input, Timer};
use podscope_sim::{
    Actor, Answer, ApiError, CallId, Change, Effect, Heartbeats, Network, NetworkSettings, Objects, Part, Request, Rng,
    SimTime, Span, Switches,
};

use super::{ControllerManager, ControllerManagerSettings};

const LATENCY: Span = Span::millis(2);

#[derive(Debug, Clone)]
enum Due {
    Request(usize, CallId, Request),
    Input(usize, Input),
    Start(ObjectKey, Uid),
    Stop(ObjectKey, Uid),
}

pub(super) struct Lab {
    pub(super) now: SimTime,
    /// The controller-manager, and the storage's attachers.
    managers: Vec<ControllerManager>,
    /// Records, as `WHAT node`.
    pub(super) records: Vec<String>,
    pub(super) objects: Objects,
    pub(super) switches: Switches,
    /// Nodes whose kubelet does nothing.
    pub(super) cut: ordered::Set<NodeName>,
    /// Pods do not get ready while this is true.
    pub(super) broken: bool,
    /// What is refused: a test of the request.
    pub(super) refuse: Option<fn(&Request) -> Option<ApiError>>,
    pub(super) heartbeats: Heartbeats,
    /// `REASON: message` of each event with its object's name.
    pub(super) events: Vec<String>,
    /// Verb, kind and name of each write.
    pub(super) writes: Vec<(SimTime, String)>,
    queue: ordered::Map<(SimTime, u64), Due>,
    revision: u64,
    number: u64,
    next_call: u64,
    rng: Rng,
    nodes: Vec<NodeName>,
}

pub(super) fn error(code: u16, reason: &'static str, message: &str) -> ApiError {
    ApiError {
        code,
        reason,
        message: message.into(),
        retry_after_seconds: None,
        causes: Vec::new(),
        about: None,
    }
}

impl Lab {
    /// A lab with these nodes (in zones by their first letter) and objects in YAML; the manager has just listed.
    pub(super) fn new(nodes: &[&str], manifests: &str) -> Self {
        Self::with(
            nodes,
            manifests,
            ControllerManagerSettings::default(),
            Switches::default(),
        )
    }
    pub(super) fn with(
        nodes: &[&str],
        manifests: &str,
        settings: ControllerManagerSettings,
        switches: Switches,
    ) -> Self {
        let mut lab = Self {
            now: SimTime::ZERO,
            managers: vec![ControllerManager::new(settings), ControllerManager::attacher()],
            records: Vec::new(),
            objects: Objects::default(),
            switches,
            cut: ordered::Set::new(),
            broken: false,
            refuse: None,
            heartbeats: Heartbeats::default(),
            events: Vec::new(),
            writes: Vec::new(),
            queue: ordered::Map::new(),
            revision: 0,
            number: 0,
            next_call: 0,
            rng: Rng::split(1, "lab"),
            nodes: nodes.iter().map(|name| NodeName::from(*name)).collect(),
        };
        for name in nodes {
            let zone = name.chars().next().unwrap_or('a');
            lab.apply(&format!(
                "{{apiVersion: v1, kind: Node, metadata: {{name: {name}, labels: {{topology.kubernetes.io/zone: {zone}}}}}, \
                 status: {{conditions: [{{type: Ready, status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z'}}]}}}}"
            ));
            lab.heartbeats.begin(&NodeName::from(*name), SimTime::ZERO);
        }
        lab.apply(manifests);
        lab.restart();
        lab
    }
    /// Starts the fencing controller as well.
    pub(super) fn start_fencing(&mut self, settings: super::FencingSettings) {
        self.managers.push(ControllerManager::fencing(settings));
        let listed = Input::Listed {
            revision: self.revision,
            objects: Arc::new(self.objects.clone()),
        };
        self.push(Span::ZERO, Due::Input(self.managers.len() - 1, listed));
    }
    /// A new process: what the old one remembered is lost.
    pub(super) fn restart(&mut self) {
        self.managers[0] = ControllerManager::new(self.managers[0].settings().clone());
        self.queue.retain(|_, due| !matches!(due, Due::Input(0, _)));
        let listed = Input::Listed {
            revision: self.revision,
            objects: Arc::new(self.objects.clone()),
        };
        let first = self.now == SimTime::ZERO;
        for who in 0..if first { self.managers.len() } else { 1 } {
            self.push(Span::ZERO, Due::Input(who, listed.clone()));
        }
        self.run(Span::ZERO);
    }
    /// Creates what the YAML says.
    pub(super) fn apply(&mut self, manifests: &str) {
        let parsed = parse(manifests);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        for object in parsed.objects {
            let mut object = object.value;
            if object.metadata().namespace.is_empty() && object.kind().is_namespaced() {
                object.metadata_mut().namespace = "default".into();
            }
            let answer = self.store(&Request::Create(object));
            assert!(answer.is_ok(), "{answer:?}");
        }
    }
    pub(super) fn get<T: Resource>(&self, name: &str) -> Option<Arc<T>> {
        let namespace = if T::KIND.is_namespaced() { "default" } else { "" };
        self.objects.get::<T>(&ObjectKey::new(namespace, name)).cloned()
    }
    pub(super) fn get_pod_in(&self, namespace: &str, name: &str) -> Option<Arc<Pod>> {
        self.objects.get::<Pod>(&ObjectKey::new(namespace, name)).cloned()
    }
    /// Changes an object as a user would.
    pub(super) fn edit<T: Resource>(&mut self, name: &str, change: impl Fn(&mut T) + Send + Sync + 'static) {
        let namespace = if T::KIND.is_namespaced() { "default" } else { "" };
        let answer = self.store(&Request::Patch {
            kind: T::KIND,
            key: ObjectKey::new(namespace, name),
            uid: None,
            part: Part::Main,
            change: podscope_sim::Mutation::new("edit", change),
        });
        assert!(answer.is_ok(), "{answer:?}");
    }
    pub(super) fn delete(&mut self, kind: Kind, name: &str, grace_seconds: Option<i64>) {
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        let options = podscope_sim::DeleteOptions {
            grace_seconds,
            ..podscope_sim::DeleteOptions::default()
        };
        let key = ObjectKey::new(namespace, name);
        let answer = self.store(&Request::Delete { kind, key, options });
        assert!(answer.is_ok(), "{answer:?}");
    }
    /// The node is not heard from any more, and its pods go on.
    pub(super) fn partition(&mut self, node: &str) {
        self.cut.insert(node.into());
        self.heartbeats.end(&node.into(), self.now);
    }
    pub(super) fn heal(&mut self, node: &str) {
        self.cut.remove(node);
        self.heartbeats.begin(&node.into(), self.now);
        self.set_ready(node, ConditionStatus::True);
        let pods: Vec<Arc<Pod>> = self.objects.pods_on(&node.into()).cloned().collect();
        for pod in pods {
            let key = pod.metadata.key();
            let due = if pod.metadata.is_terminating() {
                Due::Stop
            } else {
                Due::Start
            };
            self.push(Span::seconds(1), due(key, pod.metadata.uid.clone()));
        }
    }
    pub(super) fn set_ready(&mut self, node: &str, status: ConditionStatus) {
        let beat = self.wall();
        self.edit::<podscope_api::Node>(node, move |node| {
            for condition in &mut node.status.conditions {
                let is_ready = &*condition.kind == "Ready";
                condition.status = if is_ready {
                    status.clone()
                } else {
                    ConditionStatus::False
                };
                condition.last_heartbeat_time = Some(beat);
            }
        });
    }
    /// Names of the pods in the store, with `-` before terminating ones and `!` before ones not ready.
    pub(super) fn pods(&self) -> Vec<String> {
        let mark = |pod: &Pod| match (pod.metadata.is_terminating(), pod.is_ready()) {
            (true, _) => "-",
            (false, false) => "!",
            _ => "",
        };
        self.objects
            .list::<Pod>()
            .map(|pod| format!("{}{}", mark(pod), pod.metadata.name))
            .collect()
    }
    pub(super) fn wall(&self) -> Time {
        Time(Time::from_seconds(1_767_225_600).0 + self.now.0)
    }
    /// Lets time pass.
    pub(super) fn run(&mut self, span: Span) {
        let end = self.now + span;
        while let Some((at, number)) = self.queue.keys().next().copied()
            && at <= end
        {
            let due = self.queue.remove(&(at, number));
            self.now = at;
            match due {
                Some(Due::Request(who, id, request)) => {
                    let answer = self.store(&request);
                    self.push(LATENCY, Due::Input(who, Input::Answered(id, answer)));
                }
                Some(Due::Input(who, input)) => self.step(who, input),
                Some(Due::Start(key, uid)) => self.start_pod(&key, &uid),
                Some(Due::Stop(key, uid)) => self.stop_pod(&key, &uid),
                None => {}
            }
        }
        self.now = end;
    }

    fn push(&mut self, span: Span, due: Due) {
        self.number += 1;
        self.queue.insert((self.now + span, self.number), due);
    }

    fn step(&mut self, who: usize, input: Input) {
        let network = Network::new(NetworkSettings::default(), 1);
        let mut ctx = Context::new(
            self.now,
            Time::from_seconds(1_767_225_600),
            Actor::ControllerManager(0),
            &mut self.rng,
            &self.switches,
            &mut self.next_call,
        )
        .with_world(&network, &self.heartbeats);
        self.managers[who].handle(input, &mut ctx);
        let effects = ctx.into_effects::<Timer, Act>();
        for effect in effects {
            match effect {
                Effect::Call(id, request) => self.push(LATENCY, Due::Request(who, id, request)),
                Effect::Record { what, fields, .. } => {
                    let node = fields
                        .iter()
                        .find(|(name, _)| *name == "node")
                        .and_then(|(_, node)| node.as_str());
                    self.records
                        .push(format!("{} {}", what.as_str(), node.unwrap_or_default()));
                }
                Effect::Timer(at, timer) => {
                    self.number += 1;
                    self.queue
                        .insert((at, self.number), Due::Input(who, Input::Timer(timer)));
                }
                Effect::Act(act) => self.records.push(format!("{act:?}")),
            }
        }
    }

    fn start_pod(&mut self, key: &ObjectKey, uid: &Uid) {
        let Some(pod) = self
            .objects
            .get::<Pod>(key)
            .filter(|pod| pod.metadata.uid == *uid)
            .cloned()
        else {
            return;
        };
        if pod.metadata.is_terminating() || pod.is_terminal() {
            return;
        }
        let mut pod = (*pod).clone();
        if pod.spec.node_name.is_none() {
            let pinned = super::node_selector::target(&pod);
            let may =
                |node: &&NodeName| !self.cut.contains(*node) && pinned.as_ref().is_none_or(|pinned| pinned == *node);
            let free = self
                .nodes
                .iter()
                .filter(may)
                .min_by_key(|node| self.objects.pods_on(node).count());
            pod.spec.node_name = free.cloned();
        }
        if pod.spec.node_name.as_ref().is_none_or(|node| self.cut.contains(node)) {
            return;
        }
        pod.status.phase = Some(PodPhase::Running);
        pod.status.pod_ip = "10.0.0.1".into();
        let ready = if self.broken {
            ConditionStatus::False
        } else {
            ConditionStatus::True
        };
        let now = Time::from_seconds(self.wall().seconds());
        super::pod_util::set_condition(&mut pod.status, "Ready", ready, "", "", now);
        self.write(Some(Arc::new(pod).into_object()), Kind::Pod, key);
    }
    fn stop_pod(&mut self, key: &ObjectKey, uid: &Uid) {
        let pod = self.objects.get::<Pod>(key).filter(|pod| pod.metadata.uid == *uid);
        let Some(pod) = pod else { return };
        if pod.spec.node_name.as_ref().is_none_or(|node| !self.cut.contains(node)) {
            self.write(None, Kind::Pod, key);
        }
    }

    /// Writes an object and tells the manager.
    pub(super) fn write(&mut self, new: Option<Object>, kind: Kind, key: &ObjectKey) {
        let old = self.objects.get_kind(kind, key);
        self.revision += 1;
        let new = new.map(|mut new| {
            new.metadata_mut().resource_version = self.revision.to_string().as_str().into();
            new
        });
        match &new {
            Some(new) => self.objects.put(new.clone()),
            None => {
                self.objects.remove(kind, key);
            }
        }
        let change = Change {
            revision: self.revision,
            old,
            new,
            after: Arc::new(self.objects.clone()),
        };
        let change = Arc::new(change);
        for who in 0..self.managers.len() {
            self.push(LATENCY, Due::Input(who, Input::Changed(change.clone())));
        }
    }

    fn store(&mut self, request: &Request) -> Answer {
        if let Some(refusal) = self.refuse.and_then(|refuse| refuse(request)) {
            return Err(refusal);
        }
        let (verb, kind, key) = match request {
            Request::Get { kind, key } => {
                return self
                    .objects
                    .get_kind(*kind, key)
                    .map(Some)
                    .ok_or_else(|| error(404, "NotFound", "not found"));
            }
            Request::Event(note) => {
                self.events
                    .push(format!("{} {}: {}", note.key.name, note.reason, note.message));
                return Ok(None);
            }
            Request::Create(object) => return self.create(object.clone()),
            Request::Update(object, part) => {
                let key = object.key();
                let Some(old) = self.objects.get_kind(object.kind(), &key) else {
                    return Err(error(404, "NotFound", "not found"));
                };
                if old.metadata().resource_version != object.metadata().resource_version {
                    return Err(error(409, "Conflict", "the object has been modified"));
                }
                self.note("update", object.kind(), &key, *part);
                return self.replace(&old, object.clone(), *part);
            }
            Request::Patch {
                kind,
                key,
                uid,
                part,
                change,
            } => {
                let Some(old) = self.objects.get_kind(*kind, key) else {
                    return Err(error(404, "NotFound", "not found"));
                };
                if uid.as_ref().is_some_and(|uid| *uid != old.metadata().uid) {
                    return Err(error(409, "Conflict", "another uid"));
                }
                self.note("patch", *kind, key, *part);
                let new = change
                    .apply(&old)
                    .ok_or_else(|| error(400, "BadRequest", "another kind"))?;
                return self.replace(&old, new, *part);
            }
            Request::Delete { kind, key, options } => (
                if options.grace_seconds == Some(0) {
                    "force"
                } else {
                    "delete"
                },
                *kind,
                key,
            ),
            Request::Finalize { namespace } => {
                let Some(Object::Namespace(old)) = self
                    .objects
                    .get_kind(Kind::Namespace, &ObjectKey::cluster(namespace.clone()))
                else {
                    return Err(error(404, "NotFound", "not found"));
                };
                let mut new = (*old).clone();
                new.spec.finalizers.clear();
                return self.replace(&Object::Namespace(old), Object::Namespace(Arc::new(new)), Part::Status);
            }
            Request::Evict { pod, .. } => ("evict", Kind::Pod, pod),
            other => panic!("unexpected {other:?}"),
        };
        let Some(old) = self.objects.get_kind(kind, key) else {
            return Err(error(404, "NotFound", "not found"));
        };
        if let Request::Delete { options, .. } = request
            && options.uid.as_ref().is_some_and(|uid| *uid != old.metadata().uid)
        {
            return Err(error(409, "Conflict", "another uid"));
        }
        self.note(verb, kind, key, Part::Main);
        let mut old = old;
        if let Request::Delete { options, .. } = request
            && options.propagation == Some(podscope_sim::Propagation::Foreground)
        {
            old.metadata_mut().finalizers.push("foregroundDeletion".into());
        }
        if let Object::Pod(pod) = &old
            && verb != "force"
            && pod.spec.node_name.is_some()
            && !pod.is_terminal()
        {
            if !pod.metadata.is_terminating() {
                let mut terminating = (**pod).clone();
                terminating.metadata.deletion_timestamp = Some(Time(self.wall().0 + 30_000_000));
                terminating.metadata.deletion_grace_period_seconds = Some(30);
                self.push(Span::seconds(1), Due::Stop(key.clone(), pod.metadata.uid.clone()));
                self.write(Some(Arc::new(terminating).into_object()), kind, key);
            }
        } else if old.metadata().finalizers.is_empty() {
            self.write(None, kind, key);
        } else if !old.metadata().is_terminating() {
            let mut held = old.clone();
            held.metadata_mut().deletion_timestamp = Some(self.wall());
            self.write(Some(held), kind, key);
        }
        Ok(Some(old))
    }

    fn note(&mut self, verb: &str, kind: Kind, key: &ObjectKey, part: Part) {
        let part = if part == Part::Status { "/status" } else { "" };
        self.writes
            .push((self.now, format!("{verb} {}{part} {}", kind.singular(), key.name)));
    }

    fn create(&mut self, mut object: Object) -> Answer {
        self.number += 1;
        let number = self.number;
        let wall = Time::from_seconds(self.wall().seconds());
        let meta = object.metadata_mut();
        if meta.name.is_empty() {
            meta.name = format!("{}{number:05}", meta.generate_name).into();
        }
        meta.uid = format!("uid-{number:05}").into();
        meta.generation = Some(1);
        meta.creation_timestamp = Some(wall);
        let (kind, key) = (object.kind(), object.key());
        if self.objects.get_kind(kind, &key).is_some() {
            return Err(error(
                409,
                "AlreadyExists",
                &format!("{} \"{}\" already exists", kind.plural(), key.name),
            ));
        }
        self.note("create", kind, &key, Part::Main);
        if let Object::Pod(pod) = &object {
            let mut pod = (**pod).clone();
            if pod.status.phase.is_none() {
                pod.status.phase = Some(PodPhase::Pending);
            }
            object = Arc::new(pod).into_object();
            let uid = object.metadata().uid.clone();
            self.push(Span::seconds(1), Due::Start(key.clone(), uid));
        }
        self.write(Some(object), kind, &key);
        Ok(self.objects.get_kind(kind, &key))
    }

    fn replace(&mut self, old: &Object, mut new: Object, part: Part) -> Answer {
        let (kind, key) = (old.kind(), old.key());
        if part == Part::Main && old.to_value().get("spec") != new.to_value().get("spec") {
            let generation = old.metadata().generation.unwrap_or(0) + 1;
            new.metadata_mut().generation = Some(generation);
        }
        if new == *old {
            return Ok(Some(old.clone()));
        }
        if new.metadata().is_terminating() && new.metadata().finalizers.is_empty() && kind != Kind::Pod {
            self.write(None, kind, &key);
            return Ok(Some(new));
        }
        self.write(Some(new), kind, &key);
        Ok(self.objects.get_kind(kind, &key))
    }
}
