//! A test environment for controllers: a controller-manager, the real API server with a latency of two milliseconds in
//! each direction, and simulated kubelets that start and stop pods within a second. Tests of single controllers use
//! this environment; tests of the whole cluster use `World`.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{
    ConditionStatus, Container, ContainerState, ContainerStateRunning, ContainerStatus, Kind, NodeName, Object,
    ObjectKey, Pod, PodPhase, Resource, Time, Uid, default_object, parse,
};
use podscope_apiserver::{ApiServer, Caller, Outcome};

use crate::{Act, Context, Input, Timer};
use podscope_sim::{
    Actor, Answer, ApiError, CallId, DeleteOptions, Effect, Happening, Heartbeats, Mutation, Network, NetworkSettings,
    Objects, Part, Request, Rng, SimTime, Span, StatusReason, Switches,
};

use super::{ControllerManager, ControllerManagerSettings};

/// Time that a request takes to the API server, and time that the answer takes back.
const API_LATENCY: Span = Span::millis(2);
/// Wall-clock time at which every lab starts.
const START_TIME: Time = Time::from_seconds(1_767_225_600);

#[derive(Debug, Clone)]
enum LabEvent {
    Request(usize, CallId, Request),
    Input(usize, Input),
    Start(ObjectKey, Uid),
    Stop(ObjectKey, Uid),
}

pub(super) struct Lab {
    pub(super) now: SimTime,
    /// The controller-manager, and the process with the attachers of the CSI drivers.
    managers: Vec<ControllerManager>,
    /// The emitted trace records as `RECORD NODE`, and the managers' actions outside the API ([`Act`]).
    pub(super) records: Vec<String>,
    api: ApiServer,
    /// The last revision of the store that was delivered to the managers.
    delivered: u64,
    pub(super) switches: Switches,
    /// Nodes that are partitioned: their kubelets do nothing.
    pub(super) partitioned: ordered::Set<NodeName>,
    /// While true, started pods do not become Ready.
    pub(super) readiness_fails: bool,
    /// Function that decides which requests the server refuses, and with which error.
    pub(super) refuse: Option<fn(&Request) -> Option<ApiError>>,
    pub(super) heartbeats: Heartbeats,
    /// Time between a write and its watch events.
    pub(super) watch_lag: Span,
    /// Emitted events, as `NAME REASON: message`.
    pub(super) events: Vec<String>,
    /// Successful writes of the managers, as `VERB KIND NAME`, with their times.
    pub(super) writes: Vec<(SimTime, String)>,
    queue: ordered::Map<(SimTime, u64), LabEvent>,
    next_seq: u64,
    next_call: u64,
    rng: Rng,
    nodes: Vec<NodeName>,
}

/// Builds an error of the API server.
pub(super) fn api_error(code: u16, reason: StatusReason, message: &str) -> ApiError {
    ApiError {
        code,
        reason,
        message: message.into(),
        retry_after_seconds: None,
        causes: Vec::new(),
        about: None,
        resource: None,
        field_conflicts: 0,
    }
}

impl Lab {
    /// Creates a lab with these nodes (the first letter of the name is the zone) and objects in YAML; the manager has
    /// received its first list.
    pub(super) fn new(nodes: &[&str], manifests: &str) -> Self {
        Self::with_settings(
            nodes,
            manifests,
            ControllerManagerSettings::default(),
            Switches::default(),
        )
    }

    /// Creates a lab as [`Lab::new`] does, but with these settings and switches.
    pub(super) fn with_settings(
        nodes: &[&str],
        manifests: &str,
        settings: ControllerManagerSettings,
        switches: Switches,
    ) -> Self {
        let mut lab = Self {
            now: SimTime::ZERO,
            managers: vec![ControllerManager::new(settings), ControllerManager::attacher()],
            records: Vec::new(),
            api: ApiServer::new(1),
            delivered: 0,
            switches,
            partitioned: ordered::Set::new(),
            readiness_fails: false,
            refuse: None,
            heartbeats: Heartbeats::default(),
            watch_lag: API_LATENCY,
            events: Vec::new(),
            writes: Vec::new(),
            queue: ordered::Map::new(),
            next_seq: 0,
            next_call: 0,
            rng: Rng::split(1, "lab"),
            nodes: nodes.iter().map(|name| NodeName::from(*name)).collect(),
        };
        for name in ["default", "kube-system"] {
            lab.apply(&format!(
                "{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}, spec: {{finalizers: [kubernetes]}}}}"
            ));
        }
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
            revision: self.api.store().revision(),
            objects: self.objects().clone(),
        };
        self.schedule_event(Span::ZERO, LabEvent::Input(self.managers.len() - 1, listed));
    }

    /// Replaces the controller-manager by a new process without in-memory state.
    pub(super) fn restart(&mut self) {
        self.managers[0] = ControllerManager::new(self.managers[0].settings().clone());
        self.queue.retain(|_, event| !matches!(event, LabEvent::Input(0, _)));
        let listed = Input::Listed {
            revision: self.api.store().revision(),
            objects: self.objects().clone(),
        };
        let first = self.now == SimTime::ZERO;
        for manager in 0..if first { self.managers.len() } else { 1 } {
            self.schedule_event(Span::ZERO, LabEvent::Input(manager, listed.clone()));
        }
        self.run(Span::ZERO);
    }

    /// Returns all objects in the store.
    pub(super) fn objects(&self) -> &Arc<Objects> {
        self.api.objects()
    }

    /// Imports objects in YAML, including their status.
    pub(super) fn apply(&mut self, manifests: &str) {
        let parsed = parse(manifests);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        for object in parsed.objects {
            let mut object = object.value;
            if object.metadata().namespace.is_empty() && object.kind().is_namespaced() {
                object.metadata_mut().namespace = "default".into();
            }
            default_object(&mut object);
            object.metadata_mut().generation.get_or_insert(1);
            if let Object::Pod(pod) = &mut object {
                Arc::make_mut(pod).status.phase.get_or_insert(PodPhase::Pending);
            }
            let caller = Caller {
                actor: &Actor::World,
                now: self.now,
                start: START_TIME,
            };
            self.api.import(object, &caller);
        }
        self.deliver_changes();
    }

    pub(super) fn get<T: Resource>(&self, name: &str) -> Option<Arc<T>> {
        let namespace = if T::KIND.is_namespaced() { "default" } else { "" };
        self.objects().get::<T>(&ObjectKey::new(namespace, name)).cloned()
    }

    pub(super) fn get_pod_in(&self, namespace: &str, name: &str) -> Option<Arc<Pod>> {
        self.objects().get::<Pod>(&ObjectKey::new(namespace, name)).cloned()
    }

    /// Changes an object: first its main part, then its status.
    pub(super) fn edit<T: Resource>(&mut self, name: &str, change: impl Fn(&mut T) + Send + Sync + 'static) {
        let namespace = if T::KIND.is_namespaced() { "default" } else { "" };
        let change = Mutation::new("edit", change);
        for part in [Part::Main, Part::Status] {
            let answer = self.serve(
                &Actor::Client(1),
                &Request::Patch {
                    kind: T::KIND,
                    key: ObjectKey::new(namespace, name),
                    uid: None,
                    part,
                    change: change.clone(),
                },
            );
            assert!(answer.is_ok(), "{answer:?}");
        }
    }

    pub(super) fn delete(&mut self, kind: Kind, name: &str, grace_seconds: Option<i64>) {
        let namespace = if kind.is_namespaced() { "default" } else { "" };
        let options = DeleteOptions {
            grace_seconds,
            ..DeleteOptions::default()
        };
        let key = ObjectKey::new(namespace, name);
        let answer = self.serve(&Actor::Client(1), &Request::Delete { kind, key, options });
        assert!(answer.is_ok(), "{answer:?}");
    }

    /// Stops a node's heartbeats and kubelet.
    pub(super) fn partition(&mut self, node: &str) {
        self.partitioned.insert(node.into());
        self.heartbeats
            .end(&node.into(), self.now, podscope_api::CausedBy::NOTHING);
    }

    /// Ends the partition of a node.
    pub(super) fn heal(&mut self, node: &str) {
        self.partitioned.remove(node);
        self.heartbeats.begin(&node.into(), self.now);
        self.set_node_ready(node, ConditionStatus::True);
        let pods: Vec<Arc<Pod>> = self.objects().pods_on(&node.into()).cloned().collect();
        for pod in pods {
            let key = pod.metadata.key();
            let event = if pod.metadata.is_terminating() {
                LabEvent::Stop
            } else {
                LabEvent::Start
            };
            self.schedule_event(Span::seconds(1), event(key, pod.metadata.uid.clone()));
        }
    }

    /// Sets the condition Ready of a node to `status`, and its other conditions to False.
    pub(super) fn set_node_ready(&mut self, node: &str, status: ConditionStatus) {
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

    /// Returns the names of all pods, with the prefix `-` for terminating pods and `!` for unready ones.
    pub(super) fn pods(&self) -> Vec<String> {
        let mark = |pod: &Pod| match (pod.metadata.is_terminating(), pod.is_ready()) {
            (true, _) => "-",
            (false, false) => "!",
            _ => "",
        };
        self.objects()
            .list::<Pod>()
            .map(|pod| format!("{}{}", mark(pod), pod.metadata.name))
            .collect()
    }

    /// Returns the current wall-clock time.
    pub(super) fn wall(&self) -> Time {
        Time(START_TIME.0 + self.now.0)
    }

    /// Advances the simulated time by `span`, and processes all events until then.
    pub(super) fn run(&mut self, span: Span) {
        let end = self.now + span;
        while let Some((at, seq)) = self.queue.keys().next().copied()
            && at <= end
        {
            let event = self.queue.remove(&(at, seq));
            self.now = at;
            match event {
                Some(LabEvent::Request(manager, id, request)) => {
                    let answer = self.serve(&Actor::ControllerManager(0), &request);
                    self.schedule_event(API_LATENCY, LabEvent::Input(manager, Input::Answered(id, answer)));
                }
                Some(LabEvent::Input(manager, input)) => self.step_manager(manager, input),
                Some(LabEvent::Start(key, uid)) => self.start_pod(&key, &uid),
                Some(LabEvent::Stop(key, uid)) => self.stop_pod(&key, &uid),
                None => {}
            }
        }
        self.now = end;
    }

    /// Schedules an event after `span`.
    fn schedule_event(&mut self, span: Span, event: LabEvent) {
        self.next_seq += 1;
        self.queue.insert((self.now + span, self.next_seq), event);
    }

    /// Passes an input to a manager, and schedules the requests and timers that follow from it.
    fn step_manager(&mut self, manager: usize, input: Input) {
        let network = Network::new(NetworkSettings::default(), 1);
        let mut ctx = Context::new(
            self.now,
            START_TIME,
            Actor::ControllerManager(0),
            &mut self.rng,
            &self.switches,
            &mut self.next_call,
        )
        .with_world(&network, &self.heartbeats);
        self.managers[manager].handle(input, &mut ctx);
        let effects = ctx.into_effects::<Timer, Act>();
        for effect in effects {
            match effect {
                Effect::Call(id, request) => self.schedule_event(API_LATENCY, LabEvent::Request(manager, id, request)),
                Effect::Record { happening, .. } => {
                    let node = match &happening {
                        Happening::VolumeAttached { node, .. } | Happening::VolumeDetached { node, .. } => {
                            node.as_str()
                        }
                        _ => "",
                    };
                    self.records.push(format!("{} {node}", happening.what().as_str()));
                }
                Effect::Timer(at, timer) => {
                    self.next_seq += 1;
                    self.queue
                        .insert((at, self.next_seq), LabEvent::Input(manager, Input::Timer(timer)));
                }
                Effect::Because(_) | Effect::Follow => {}
                Effect::Act(act) => self.records.push(format!("{act:?}")),
            }
        }
    }

    /// Binds a pod if necessary and sets it to Running, unless its node is partitioned.
    fn start_pod(&mut self, key: &ObjectKey, uid: &Uid) {
        let current_pod = |lab: &Self| {
            lab.objects()
                .get::<Pod>(key)
                .filter(|pod| pod.metadata.uid == *uid)
                .cloned()
        };
        let Some(pod) = current_pod(self) else { return };
        if pod.metadata.is_terminating() || pod.is_terminal() {
            return;
        }
        if pod.spec.node_name.is_none() {
            let pinned = super::node_selector::target_node(&pod);
            let is_schedulable = |node: &&NodeName| {
                !self.partitioned.contains(*node) && pinned.as_ref().is_none_or(|pinned| pinned == *node)
            };
            let free = self.nodes.iter().filter(is_schedulable);
            let Some(node) = free.min_by_key(|node| self.objects().pods_on(node).count()).cloned() else {
                return;
            };
            let bind = Request::Bind {
                pod: key.clone(),
                uid: uid.clone(),
                node,
                metadata: None,
            };
            let _ = self.serve(&Actor::Scheduler(0), &bind);
        }
        let Some(node) = current_pod(self).and_then(|pod| pod.spec.node_name.clone()) else {
            return;
        };
        if self.partitioned.contains(&node) {
            return;
        }
        let ready = if self.readiness_fails {
            ConditionStatus::False
        } else {
            ConditionStatus::True
        };
        let now = Time::from_seconds(self.wall().seconds());
        let running = Mutation::new::<Pod>("runs", move |pod| {
            pod.status.phase = Some(PodPhase::Running);
            pod.status.pod_ip = "10.0.0.1".into();
            pod.status.start_time.get_or_insert(now);
            let running_status = |container: &Container| ContainerStatus {
                name: container.name.clone(),
                state: ContainerState {
                    running: Some(ContainerStateRunning { started_at: Some(now) }),
                    ..ContainerState::default()
                },
                ..ContainerStatus::default()
            };
            pod.status.container_statuses = pod.spec.containers.iter().map(running_status).collect();
            super::pod_util::set_condition(pod, "Ready", ready.clone(), "", "", now);
        });
        let status = Request::Patch {
            kind: Kind::Pod,
            key: key.clone(),
            uid: Some(uid.clone()),
            part: Part::Status,
            change: running,
        };
        let answer = self.serve(&Actor::Kubelet(node), &status);
        assert!(answer.is_ok(), "{answer:?}");
    }

    /// Completes the deletion of a terminating pod, unless its node is partitioned.
    fn stop_pod(&mut self, key: &ObjectKey, uid: &Uid) {
        let pod = self.objects().get::<Pod>(key).filter(|pod| pod.metadata.uid == *uid);
        let Some(node) = pod.and_then(|pod| pod.spec.node_name.clone()) else {
            return;
        };
        if self.partitioned.contains(&node) {
            return;
        }
        let options = DeleteOptions {
            grace_seconds: Some(0),
            uid: Some(uid.clone()),
            ..DeleteOptions::default()
        };
        let delete = Request::Delete {
            kind: Kind::Pod,
            key: key.clone(),
            options,
        };
        let answer = self.serve(&Actor::Kubelet(node), &delete);
        assert!(answer.is_ok(), "{answer:?}");
    }

    /// Sends a request to the API server, logs it, and delivers its changes.
    pub(super) fn serve(&mut self, actor: &Actor, request: &Request) -> Answer {
        if let Some(refusal) = self.refuse.and_then(|refuse| refuse(request)) {
            return Err(refusal);
        }
        if let Request::Event(note) = request {
            self.events
                .push(format!("{} {}: {}", note.key.name, note.reason, note.message));
        }
        let caller = Caller {
            actor,
            now: self.now,
            start: START_TIME,
        };
        let answer = self.api.handle(request, &caller, &mut Outcome::default());
        if let (Ok(object), Actor::ControllerManager(_)) = (&answer, actor)
            && let Some(write) = describe_write(request, object.as_ref())
        {
            self.writes.push((self.now, write));
        }
        self.deliver_changes();
        answer
    }

    /// Delivers new changes to the managers, and schedules the start or stop of changed pods.
    fn deliver_changes(&mut self) {
        let changes = self
            .api
            .store()
            .since(self.delivered)
            .expect("the log reaches back that far");
        self.delivered = self.api.store().revision();
        for (change, _) in changes {
            for manager in 0..self.managers.len() {
                self.schedule_event(self.watch_lag, LabEvent::Input(manager, Input::Changed(change.clone())));
            }
            let (key, uid) = match &change.new {
                Some(Object::Pod(pod)) => (pod.metadata.key(), pod.metadata.uid.clone()),
                _ => continue,
            };
            let was_terminating = change.old.as_ref().map(|old| old.metadata().is_terminating());
            let is_terminating = change.new.as_ref().is_some_and(|new| new.metadata().is_terminating());
            match (was_terminating, is_terminating) {
                (None, false) => self.schedule_event(Span::seconds(1), LabEvent::Start(key, uid)),
                (None | Some(false), true) => self.schedule_event(Span::seconds(1), LabEvent::Stop(key, uid)),
                _ => {}
            }
        }
    }
}

/// Describes a successful write as verb, kind and name; `None` for requests that are not logged.
fn describe_write(request: &Request, answer: Option<&Object>) -> Option<String> {
    let describe = |verb: &str, kind: Kind, part: Part, name: &str| {
        let part = if part == Part::Status { "/status" } else { "" };
        Some(format!("{verb} {}{part} {name}", kind.singular()))
    };
    match request {
        Request::Create(object) => {
            let name = answer.map_or("", |made| &*made.metadata().name);
            describe("create", object.kind(), Part::Main, name)
        }
        Request::Update(object, part) => describe("update", object.kind(), *part, &object.metadata().name),
        Request::Patch { kind, key, part, .. } => describe("patch", *kind, *part, &key.name),
        Request::Delete { kind, key, options } if options.grace_seconds == Some(0) => {
            describe("force", *kind, Part::Main, &key.name)
        }
        Request::Delete { kind, key, .. } => describe("delete", *kind, Part::Main, &key.name),
        Request::Evict { pod, .. } => describe("evict", Kind::Pod, Part::Main, &pod.name),
        Request::Get { .. }
        | Request::Bind { .. }
        | Request::Finalize { .. }
        | Request::Event(_)
        | Request::Malformed { .. }
        | Request::Refused { .. }
        | Request::Apply(_)
        | Request::DryRun(_) => None,
    }
}
