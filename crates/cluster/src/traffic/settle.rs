//! Settles the traffic at the end of a step: adds and removes clients, counts the requests sent so far, and determines
//! anew to which endpoints requests go and what happens to them.

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, Node, NodeName, Object, ObjectKey, Pod, Service, Uid, ordered};
use podscope_node::machine::Role;
use podscope_node::proxy::{Backend, PacketOrigin, Route, resolve_headless_service, service_by_dns_name};
use podscope_sim::{
    Happening, Place, Record, RequestClient, RequestFailureCause, RequestOutcome, SimTime, Sink, What, subject,
};

use super::balancer;
use super::cpu_load::load_of_flows;
use super::fate::{ClusterView, RequestAssessment, RequestFate};
use super::flow::{Flow, FlowOrigin, KeptConnection, PlannedLane, Stream};
use super::proxies::ProxyState;
use super::{FailedRequestsRecord, SettledOutcomes, TrafficTouch};
use crate::event::Event;
use crate::{Actor, Objects, World};

/// Taint of a node that the cluster autoscaler is about to remove.
const TO_BE_DELETED_TAINT: &str = "ToBeDeletedByClusterAutoscaler";

/// What [`World::settle_traffic`] reads to count the requests and to assess their fate.
struct Settling<'a> {
    cluster: ClusterView<'a>,
    objects: &'a Objects,
    /// The API objects from which the cluster's DNS answers now.
    dns_objects: &'a Objects,
    proxies: &'a ordered::Map<NodeName, ProxyState>,
    touched: &'a [(TrafficTouch, CausedBy)],
    /// Cause of the latest change that may affect the fate of requests.
    because: CausedBy,
}

/// The endpoints for a new connection, or the fate of its requests if there is no endpoint.
enum EndpointChoice {
    Any(Vec<Backend>),
    None(RequestAssessment),
}

impl World {
    /// Marks the requests to a pod for a new assessment ([`TrafficTouch::Pod`]) if the record reports that a process of
    /// the pod started, exited or got a signal.
    pub(crate) fn touch_traffic_by_record(&mut self, record: &Record) {
        let Some(object) = record.object.as_ref().filter(|object| object.kind == Kind::Pod) else {
            return;
        };
        match record.what() {
            What::ContainerStarted => {
                let calls = match self.objects().by_uid(&object.uid) {
                    Some(Object::Pod(pod)) => pod.metadata.annotation(podscope_api::CALLS_ANNOTATION).is_some(),
                    _ => false,
                };
                if calls {
                    self.touch_traffic(TrafficTouch::Caller(object.uid.clone()));
                }
                self.touch_traffic(TrafficTouch::Pod(object.uid.clone()));
            }
            What::ContainerExited | What::SignalSent => self.touch_traffic(TrafficTouch::Pod(object.uid.clone())),
            _ => {}
        }
    }

    /// Handles a scheduled instant: [`World::settle_traffic`] must run, or the cluster's DNS observes a change.
    pub(crate) fn wake_traffic(&mut self) {
        let now = self.now;
        let traffic = Arc::make_mut(&mut self.traffic);
        let observed = traffic.dns_states.iter().take_while(|(at, _)| *at <= now).count();
        if observed > 1 {
            traffic.dns_states.drain(..observed - 1);
            self.touch_traffic(TrafficTouch::All);
        }
        let traffic = Arc::make_mut(&mut self.traffic);
        if traffic.wake.is_some_and(|at| at <= now) {
            traffic.wake = None;
            self.touch_traffic(TrafficTouch::Instant);
        }
    }

    /// Counts the requests of the touched flows, and assesses their fate again.
    pub(crate) fn settle_traffic(&mut self, sink: &mut dyn Sink) {
        if self.traffic.touched.is_empty() {
            return;
        }
        let touched = std::mem::take(&mut Arc::make_mut(&mut self.traffic).touched);
        for (touch, _) in &touched {
            if let TrafficTouch::Caller(uid) = touch {
                self.start_pod_calls(uid);
            }
        }
        let because = touched.last().map_or(CausedBy::NOTHING, |(_, cause)| *cause);
        let mut out = SettledOutcomes::default();
        let mut rates = Vec::new();
        let mut shared = std::mem::take(&mut self.traffic);
        let traffic = Arc::make_mut(&mut shared);
        let dns_objects: &Arc<Objects> =
            (traffic.dns_states.first()).map_or(self.api.objects(), |(_, objects)| objects);
        let settling = Settling {
            cluster: ClusterView {
                now: self.now,
                nodes: &self.nodes,
                network: &self.network,
            },
            objects: self.api.objects(),
            dns_objects,
            proxies: &traffic.proxies,
            touched: &touched,
            because,
        };
        for flow in &mut traffic.flows {
            flow.settle_flow(&settling, &mut out);
            let rate = flow.rate();
            if flow.reported_rate.as_ref() != Some(&rate) && (flow.reported_rate.is_some() || rate.per_second > 0) {
                flow.reported_rate = Some(rate.clone());
                rates.push(rate);
            }
        }
        traffic.flows.retain(|flow| !flow.is_ended);
        traffic.load = Arc::new(load_of_flows(&traffic.flows, &settling.cluster));
        for (service, outcome, count) in out.counts {
            if count > 0 {
                *traffic.totals.entry((service, outcome)).or_default() += count;
            }
        }
        // A scheduled instant has no cause, so the cause is the latest record about a process whose fate changed.
        let because = if because == CausedBy::NOTHING {
            out.cause
        } else {
            because
        };
        let wake = out.wake.filter(|at| traffic.wake.is_none_or(|known| *at < known));
        if let Some(at) = wake {
            traffic.wake = Some(at);
        }
        self.traffic = shared;
        if let Some(at) = wake {
            self.queue.set_cause(CausedBy::NOTHING);
            self.queue.push(at.max(self.now), Event::Traffic);
        }
        self.emit_failures(out.failed, sink);
        for rate in rates {
            let about = self.service_subject(&rate.service);
            self.queue.set_cause(because);
            let rate = Box::new(rate);
            self.emit(&Actor::World, Happening::RequestRate { rate }, Some(about), None, sink);
        }
    }

    /// Puts the records about failed requests into the trace.
    fn emit_failures(&mut self, failures: Vec<FailedRequestsRecord>, sink: &mut dyn Sink) {
        for failure in failures {
            let actor = match failure.failed.client {
                RequestClient::Outside => Actor::World,
                _ => Actor::Machine(failure.failed.node_name()),
            };
            let container = failure.process.and_then(|(node, process)| {
                let machine = &self.nodes.get(&node)?.machine;
                let held = machine.pod(&failure.pod.as_ref()?.uid)?;
                Some(held.container(process)?.name.clone())
            });
            let about = failure
                .pod
                .unwrap_or_else(|| self.service_subject(&failure.failed.service));
            self.queue.set_cause(failure.cause);
            let failed = Box::new(failure.failed);
            self.emit(
                &actor,
                Happening::RequestsFailed { failed },
                Some(about),
                container,
                sink,
            );
        }
    }

    fn service_subject(&self, key: &ObjectKey) -> Arc<crate::Subject> {
        let service = self.objects().get::<Service>(key);
        let uid = service.map(|service| service.metadata.uid.clone()).unwrap_or_default();
        subject(Kind::Service, key.clone(), uid)
    }
}

impl Settling<'_> {
    fn now(&self) -> SimTime {
        self.cluster.now
    }

    /// Returns whether one of the touches may change the endpoints or the fate of a stream.
    fn is_touched(&self, stream: &Stream) -> bool {
        let affects = |touch: &TrafficTouch| match touch {
            TrafficTouch::All | TrafficTouch::Instant => true,
            TrafficTouch::Rules(node) => *node == stream.node,
            TrafficTouch::Machine(node) => stream.lanes.iter().any(|lane| {
                let backend = lane.backend.as_ref();
                backend.is_some_and(|backend| backend.node == *node)
            }),
            TrafficTouch::Caller(_) => false,
            TrafficTouch::Pod(uid) => {
                let lanes = stream.lanes.iter().filter_map(|lane| lane.backend.as_ref());
                let kept = stream.kept.iter().map(|kept| &kept.backend);
                let mut backends = lanes.chain(kept).chain(&stream.session);
                backends.any(|backend| backend.uid == *uid) || !stream.in_flight.is_empty()
            }
        };
        stream.lanes.is_empty() || self.touched.iter().any(|(touch, _)| affects(touch))
    }

    /// Returns the node of a pod that sends requests if its first running app container has started up, and None if no
    /// app container runs. While it starts up, the error is the time at which it will have started up.
    fn caller_node(&self, uid: &Uid, node: &NodeName) -> Result<Option<NodeName>, SimTime> {
        let machine = self.cluster.nodes.get(node).map(|state| &state.machine);
        let Some(held) = machine.and_then(|machine| machine.pod(uid)) else {
            return Ok(None);
        };
        let calling = held.running().find(|one| one.role == Role::App);
        let Some(process) = calling else { return Ok(None) };
        let from = process.started_at + process.behavior.startup;
        if from > self.now() {
            Err(from)
        } else {
            Ok(Some(node.clone()))
        }
    }

    /// Returns whether a node passes the health check of the load balancer.
    fn passes_health_check(&self, flow: &Flow, node: &NodeName) -> bool {
        let is_reachable = self.cluster.is_on(node) && self.cluster.network.reaches_outside(node);
        let Some(state) = self.proxies.get(node).filter(|_| is_reachable) else {
            return false;
        };
        let service = state.proxy.service(&flow.service);
        let is_local = service.is_some_and(|service| &*service.spec.external_traffic_policy == "Local");
        if is_local {
            return state.proxy.has_ready_local_endpoint(&flow.service);
        }
        // kube-proxy's own health check fails on a node that is being removed (TR-073).
        let object = self.objects.named::<Node>(node.as_str());
        let is_tainted = |node: &Node| node.spec.taints.iter().any(|taint| &*taint.key == TO_BE_DELETED_TAINT);
        object.is_none_or(|node| !node.metadata.is_terminating() && !is_tainted(node))
    }

    /// Returns the nodes on which clients of a flow are now.
    fn client_nodes(&self, flow: &mut Flow, out: &mut SettledOutcomes) -> Vec<NodeName> {
        // A started machine has clients only when its kube-proxy has rules.
        let has_rules = |node: &NodeName| self.proxies.get(node).is_some_and(|state| state.proxy.has_rules());
        let nodes = || self.cluster.nodes.iter();
        let running = || nodes().filter(|(node, state)| state.machine.is_on() && has_rules(node));
        let caller = match (&flow.origin, &flow.client) {
            (_, _) if flow.is_ended => return Vec::new(),
            (FlowOrigin::Pod(uid, node), _) => Some((uid.clone(), node.clone())),
            (FlowOrigin::Command, RequestClient::Pod(key)) => {
                let pod = self.objects.get::<Pod>(key);
                let place = pod.and_then(|pod| Some((pod.metadata.uid.clone(), pod.spec.node_name.clone()?)));
                match place {
                    Some(place) => Some(place),
                    None => return Vec::new(),
                }
            }
            _ => None,
        };
        if let Some((uid, node)) = caller {
            return match self.caller_node(&uid, &node) {
                Ok(node) => node.into_iter().collect(),
                Err(at) => {
                    out.wake_at(Some(at));
                    Vec::new()
                }
            };
        }
        match &flow.client {
            RequestClient::Zone(zone) => running()
                .filter(|(_, state)| state.zone.as_ref() == Some(zone))
                .map(|(node, _)| node.clone())
                .collect(),
            RequestClient::Node(only) => running()
                .filter(|(node, _)| node.0 == *only)
                .map(|(node, _)| node.clone())
                .collect(),
            RequestClient::Outside => {
                let nodes = self.cluster.nodes.keys();
                let passing = nodes
                    .map(|node| (node.clone(), self.passes_health_check(flow, node)))
                    .collect();
                let (targets, wake) = balancer::target_nodes(&mut flow.health, &passing, self.now());
                out.wake_at(wake);
                targets
            }
            _ => running().map(|(node, _)| node.clone()).collect(),
        }
    }

    /// Returns the endpoints for a new connection, according to the rules of a node.
    fn choose_endpoints(&self, flow: &Flow, node: &NodeName) -> EndpointChoice {
        use RequestOutcome::{Refused, Timeout};
        let fails = |outcome, truth| EndpointChoice::None(RequestAssessment::failure(outcome, truth));
        let packet_origin = match flow.client {
            RequestClient::Outside => PacketOrigin::Outside,
            _ => PacketOrigin::Inside,
        };
        if packet_origin == PacketOrigin::Outside {
            if !self.cluster.is_on(node) {
                return fails(Timeout, RequestFailureCause::NoPower);
            }
            if !self.cluster.network.reaches_outside(node) {
                return fails(Timeout, RequestFailureCause::LinkCut);
            }
        } else {
            let Some((service, hostname)) = service_by_dns_name(self.dns_objects, &flow.service) else {
                return fails(Refused, RequestFailureCause::NoService);
            };
            if &*service.spec.cluster_ip == "None" || hostname.is_some() {
                let (here, names) = (Place::Node(node.clone()), Place::ControlPlane);
                let network = self.cluster.network;
                if !network.is_open(&here, &names) || !network.is_open(&names, &here) {
                    return fails(Timeout, RequestFailureCause::NoName);
                }
                return match resolve_headless_service(self.dns_objects, service, hostname) {
                    found if found.is_empty() => fails(Refused, RequestFailureCause::NoEndpoints),
                    found => EndpointChoice::Any(found),
                };
            }
        }
        let route = match self.proxies.get(node) {
            Some(state) => state.proxy.route(&flow.service, packet_origin),
            None => Route::Unknown,
        };
        match route {
            Route::Unknown => fails(Timeout, RequestFailureCause::NoRules),
            Route::Reject => fails(Refused, RequestFailureCause::NoEndpoints),
            Route::Drop => fails(Timeout, RequestFailureCause::NoLocalEndpoints),
            Route::Any(backends) => EndpointChoice::Any(backends),
        }
    }

    /// Returns the lanes that a stream must have from now on.
    fn plan_lanes(&self, flow: &mut Flow, stream: &mut Stream, out: &mut SettledOutcomes) -> Vec<PlannedLane> {
        let choice = self.choose_endpoints(flow, &stream.node);
        if flow.options.keep_alive {
            return self.plan_kept_connection(flow, stream, choice, out);
        }
        let mut backends = match choice {
            EndpointChoice::Any(backends) => backends,
            EndpointChoice::None(assessed) => {
                stream.session = None;
                return vec![planned_lane(None, assessed)];
            }
        };
        if self.has_session_affinity(flow, &stream.node) {
            let known = stream.session.take().filter(|known| backends.contains(known));
            let session = known.or_else(|| choose_random_backend(flow, &backends));
            stream.session.clone_from(&session);
            backends = session.into_iter().collect();
        }
        let assessed: Vec<RequestAssessment> = backends
            .iter()
            .map(|backend| self.cluster.assess(&stream.node, backend, flow.options))
            .collect();
        let lanes = backends.into_iter().enumerate();
        lanes
            .map(|(at, backend)| planned_lane(Some(backend), assessment_after_retries(&assessed, at, flow.retries)))
            .collect()
    }

    fn has_session_affinity(&self, flow: &Flow, node: &NodeName) -> bool {
        let service = self
            .proxies
            .get(node)
            .and_then(|state| state.proxy.service(&flow.service));
        service.is_some_and(|service| &*service.spec.session_affinity == "ClientIP")
    }

    /// Plans the lanes of a client with keep-alive: the connection stays open until the server closes it or a request
    /// times out, even if the rules of kube-proxy no longer list the endpoint (TR-035).
    fn plan_kept_connection(
        &self,
        flow: &mut Flow,
        stream: &mut Stream,
        choice: EndpointChoice,
        out: &mut SettledOutcomes,
    ) -> Vec<PlannedLane> {
        let node = stream.node.clone();
        if let Some(kept) = &mut stream.kept
            && let Some(assessed) =
                self.cluster
                    .assess_kept_connection(&node, &kept.backend, kept.process, flow.options)
        {
            let is_silent = matches!(assessed.fate, RequestFate::Fails(_));
            let since = kept.silent_since.get_or_insert(self.now());
            let times_out_at = *since + flow.options.timeout;
            if !is_silent {
                kept.silent_since = None;
                return vec![planned_lane(Some(kept.backend.clone()), assessed)];
            }
            if times_out_at > self.now() {
                out.wake_at(Some(times_out_at));
                return vec![planned_lane(Some(kept.backend.clone()), assessed)];
            }
        }
        stream.kept = None;
        let backends = match choice {
            EndpointChoice::Any(backends) => backends,
            EndpointChoice::None(assessed) => return vec![planned_lane(None, assessed)],
        };
        let assess = |backend: &Backend| self.cluster.assess(&node, backend, flow.options);
        let assessed: Vec<(Backend, RequestAssessment)> =
            backends.iter().map(|one| (one.clone(), assess(one))).collect();
        let is_refused = |one: &RequestAssessment| matches!(one.fate, RequestFate::Fails(failing) if failing.outcome == RequestOutcome::Refused);
        if assessed.iter().all(|(_, one)| is_refused(one)) {
            return assessed
                .into_iter()
                .map(|(backend, one)| planned_lane(Some(backend), one))
                .collect();
        }
        let mut refused = 0;
        loop {
            let drawn = flow.rng.below(assessed.len() as u64) as usize;
            let Some((backend, one)) = assessed.get(drawn) else {
                unreachable!("the drawn index is below the number of endpoints");
            };
            if is_refused(one) {
                refused += 1;
                out.failed
                    .push(flow.refused_attempt_record(stream, backend, one, self.now()));
                continue;
            }
            let (process, silent_since) = match one.fate {
                RequestFate::Answered { process, .. } => (process, None),
                RequestFate::Fails(_) => (podscope_node::machine::ContainerId(0), Some(self.now())),
            };
            if silent_since.is_some() {
                out.wake_at(Some(self.now() + flow.options.timeout));
            }
            stream.kept = Some(KeptConnection {
                backend: backend.clone(),
                process,
                silent_since,
            });
            return vec![PlannedLane {
                refused,
                ..planned_lane(Some(backend.clone()), *one)
            }];
        }
    }
}

fn planned_lane(backend: Option<Backend>, assessed: RequestAssessment) -> PlannedLane {
    PlannedLane {
        backend,
        assessed,
        refused: 0,
    }
}

/// Chooses one endpoint at random.
fn choose_random_backend(flow: &mut Flow, backends: &[Backend]) -> Option<Backend> {
    let at = flow.rng.below(backends.len() as u64) as usize;
    backends.get(at).cloned()
}

/// Returns the fate of a lane's requests if a failed request is retried at once, on the next endpoints in turn until
/// one answers.
fn assessment_after_retries(assessed: &[RequestAssessment], lane_index: usize, retries: u32) -> RequestAssessment {
    let tries = (0..=retries as usize).map(|more| (lane_index + more) % assessed.len());
    let mut tried = tries.filter_map(|at| assessed.get(at));
    let answers = |one: &&RequestAssessment| one.fate.failure_reason().is_none();
    let until = assessed.iter().filter_map(|one| one.until).min();
    let first = assessed.get(lane_index).copied();
    let found = match first {
        Some(first) if retries == 0 || answers(&&first) => return first,
        first => tried.find(answers).copied().or(first),
    };
    let found = found.unwrap_or_else(|| unreachable!("every lane has an assessment"));
    RequestAssessment { until, ..found }
}

impl Flow {
    /// Counts the requests of the touched streams of this flow, and assesses their fate again.
    fn settle_flow(&mut self, settling: &Settling<'_>, out: &mut SettledOutcomes) {
        let (now, because) = (settling.now(), settling.because);
        let clients = settling.client_nodes(self, out);
        if !self.nodes().eq(clients.iter()) {
            self.redistribute_to_clients(&clients, now, out);
        }
        let mut streams = std::mem::take(&mut self.streams);
        for stream in &mut streams {
            if settling.is_touched(stream) {
                let planned = settling.plan_lanes(self, stream, out);
                self.apply_lane_plan(stream, planned, now, because, out);
                self.report_long_stretches(stream, now, out);
                self.settle_in_flight(stream, &settling.cluster, because, out);
            }
        }
        self.streams = streams;
        if let FlowOrigin::Pod(uid, node) = &self.origin {
            let machine = settling.cluster.nodes.get(node).map(|state| &state.machine);
            self.is_ended |= machine.is_none_or(|machine| machine.pod(uid).is_none());
        }
    }
}
