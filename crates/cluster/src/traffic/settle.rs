//! What touched the traffic is settled once a step is over: clients that came or went, rules that were written, fates
//! that are others now.

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, NodeName, Object, ObjectKey, Pod, Service, Uid, ordered};
use podscope_node::machine::Role;
use podscope_node::proxy::{Backend, Entry, Route, resolve};
use podscope_sim::{
    Happening, Place, Record, RequestClient, RequestOutcome, RequestTruth, SimTime, Sink, What, subject,
};

use super::balancer;
use super::fate::{Fate, Ground, Judged};
use super::flow::{Flow, Kept, Origin, Planned, Stream};
use super::proxies::ProxyState;
use super::{Outcomes, Touch};
use crate::event::Event;
use crate::{Actor, Objects, World};

/// What flows are settled on.
struct Settling<'a> {
    ground: Ground<'a>,
    objects: &'a Objects,
    proxies: &'a ordered::Map<NodeName, ProxyState>,
    touched: &'a [(Touch, CausedBy)],
    /// What touched the traffic last.
    because: CausedBy,
}

/// An endpoint chosen, or why none is.
enum Choice {
    Any(Vec<Backend>),
    None(Judged),
}

impl World {
    /// A record may tell of what fates hang on.
    pub(crate) fn traffic_sees(&mut self, record: &Record) {
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
                    self.touch_traffic(Touch::Caller(object.uid.clone()));
                }
                self.touch_traffic(Touch::Pod(object.uid.clone()));
            }
            What::ContainerExited | What::SignalSent => self.touch_traffic(Touch::Pod(object.uid.clone())),
            _ => {}
        }
    }

    /// An instant for which traffic waited.
    pub(crate) fn wake_traffic(&mut self) {
        let now = self.now;
        let traffic = Arc::make_mut(&mut self.traffic);
        if traffic.wake.is_some_and(|at| at <= now) {
            traffic.wake = None;
            self.touch_traffic(Touch::Instant);
        }
    }

    /// Counts and judges anew what was touched.
    pub(crate) fn settle_traffic(&mut self, sink: &mut dyn Sink) {
        if self.traffic.touched.is_empty() {
            return;
        }
        let touched = std::mem::take(&mut Arc::make_mut(&mut self.traffic).touched);
        for (touch, _) in &touched {
            if let Touch::Caller(uid) = touch {
                self.start_calls(uid);
            }
        }
        let because = touched.last().map_or(CausedBy::NOTHING, |(_, cause)| *cause);
        let mut out = Outcomes::default();
        let mut rates = Vec::new();
        let mut shared = std::mem::take(&mut self.traffic);
        let traffic = Arc::make_mut(&mut shared);
        let settling = Settling {
            ground: Ground {
                now: self.now,
                nodes: &self.nodes,
                network: &self.network,
            },
            objects: self.api.objects(),
            proxies: &traffic.proxies,
            touched: &touched,
            because,
        };
        for flow in &mut traffic.flows {
            flow.settle(&settling, &mut out);
            let rate = flow.rate();
            if flow.told.as_ref() != Some(&rate) && (flow.told.is_some() || rate.per_second > 0) {
                flow.told = Some(rate.clone());
                rates.push(rate);
            }
        }
        traffic.flows.retain(|flow| !flow.is_over);
        for (service, outcome, count) in out.counts {
            if count > 0 {
                *traffic.totals.entry((service, outcome)).or_default() += count;
            }
        }
        // An instant that was waited for has no cause of its own.
        let because = if because == CausedBy::NOTHING { out.led } else { because };
        let wake = out.wake.filter(|at| traffic.wake.is_none_or(|known| *at < known));
        if let Some(at) = wake {
            traffic.wake = Some(at);
        }
        self.traffic = shared;
        if let Some(at) = wake {
            self.queue.set_cause(CausedBy::NOTHING);
            self.queue.push(at.max(self.now), Event::Traffic);
        }
        for failure in out.failed {
            let actor = match failure.failed.client {
                RequestClient::Outside => Actor::World,
                _ => Actor::Machine(failure.failed.node_name()),
            };
            let about = failure
                .pod
                .unwrap_or_else(|| self.service_subject(&failure.failed.service));
            self.queue.set_cause(failure.cause);
            let failed = Box::new(failure.failed);
            self.emit(&actor, Happening::RequestsFailed { failed }, Some(about), None, sink);
        }
        for rate in rates {
            let about = self.service_subject(&rate.service);
            self.queue.set_cause(because);
            let rate = Box::new(rate);
            self.emit(&Actor::World, Happening::RequestRate { rate }, Some(about), None, sink);
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
        self.ground.now
    }

    /// Whether what a stream chooses from, or where it goes, may be something else now.
    fn concerns(&self, stream: &Stream) -> bool {
        let is_its = |touch: &Touch| match touch {
            Touch::All | Touch::Instant => true,
            Touch::Rules(node) => *node == stream.node,
            Touch::Machine(node) => stream.lanes.iter().any(|lane| {
                let backend = lane.backend.as_ref();
                backend.is_some_and(|backend| backend.node == *node)
            }),
            Touch::Caller(_) => false,
            Touch::Pod(uid) => {
                let lanes = stream.lanes.iter().filter_map(|lane| lane.backend.as_ref());
                let kept = stream.kept.iter().map(|kept| &kept.backend);
                let mut its = lanes.chain(kept).chain(&stream.session);
                its.any(|backend| backend.uid == *uid) || !stream.in_flight.is_empty()
            }
        };
        stream.lanes.is_empty() || self.touched.iter().any(|(touch, _)| is_its(touch))
    }

    /// The node of a pod that calls, once its first container has started up; or when that will be.
    fn caller(&self, uid: &Uid, node: &NodeName) -> Result<Option<NodeName>, SimTime> {
        let machine = self.ground.nodes.get(node).map(|state| &state.machine);
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

    fn is_passing(&self, flow: &Flow, node: &NodeName) -> bool {
        let reaches = self.ground.is_on(node) && self.ground.network.reaches_outside(node);
        let Some(state) = self.proxies.get(node).filter(|_| reaches) else {
            return false;
        };
        let service = state.proxy.service(&flow.service);
        let is_local = service.is_some_and(|service| &*service.spec.external_traffic_policy == "Local");
        !is_local || matches!(state.proxy.route(&flow.service, Entry::Outside), Route::Any(_))
    }

    /// The nodes on which clients of a flow are now.
    fn clients(&self, flow: &mut Flow, out: &mut Outcomes) -> Vec<NodeName> {
        // A machine that starts has clients once its kube-proxy has rules.
        let has_rules = |node: &NodeName| self.proxies.get(node).is_some_and(|state| state.proxy.has_rules());
        let nodes = || self.ground.nodes.iter();
        let running = || nodes().filter(|(node, state)| state.machine.is_on() && has_rules(node));
        let caller = match (&flow.origin, &flow.client) {
            (_, _) if flow.is_over => return Vec::new(),
            (Origin::Pod(uid, node), _) => Some((uid.clone(), node.clone())),
            (Origin::Command, RequestClient::Pod(key)) => {
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
            return match self.caller(&uid, &node) {
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
                let nodes = self.ground.nodes.keys();
                let passing = nodes.map(|node| (node.clone(), self.is_passing(flow, node))).collect();
                let (used, wake) = balancer::used(&mut flow.health, &passing, self.now());
                out.wake_at(wake);
                used
            }
            _ => running().map(|(node, _)| node.clone()).collect(),
        }
    }

    /// What the rules of a stream's node choose from for a new connection.
    fn choice(&self, flow: &Flow, node: &NodeName) -> Choice {
        use RequestOutcome::{Refused, Timeout};
        let fails = |outcome, truth| Choice::None(Judged::fails(outcome, truth));
        let entry = match flow.client {
            RequestClient::Outside => Entry::Outside,
            _ => Entry::Inside,
        };
        if entry == Entry::Outside {
            if !self.ground.is_on(node) {
                return fails(Timeout, RequestTruth::NoPower);
            }
            if !self.ground.network.reaches_outside(node) {
                return fails(Timeout, RequestTruth::LinkCut);
            }
        } else {
            let Some(service) = self.objects.get::<Service>(&flow.service) else {
                return fails(Refused, RequestTruth::NoService);
            };
            if &*service.spec.cluster_ip == "None" {
                let (here, names) = (Place::Node(node.clone()), Place::ControlPlane);
                let network = self.ground.network;
                if !network.is_open(&here, &names) || !network.is_open(&names, &here) {
                    return fails(Timeout, RequestTruth::NoName);
                }
                return match resolve(self.objects, service) {
                    found if found.is_empty() => fails(Refused, RequestTruth::NoEndpoints),
                    found => Choice::Any(found),
                };
            }
        }
        let route = match self.proxies.get(node) {
            Some(state) => state.proxy.route(&flow.service, entry),
            None => Route::Unknown,
        };
        match route {
            Route::Unknown => fails(Timeout, RequestTruth::NoRules),
            Route::Reject => fails(Refused, RequestTruth::NoEndpoints),
            Route::Drop => fails(Timeout, RequestTruth::NoLocalEndpoints),
            Route::Any(backends) => Choice::Any(backends),
        }
    }

    /// The lanes of a stream as they are to be from now on.
    fn plan(&self, flow: &mut Flow, stream: &mut Stream, out: &mut Outcomes) -> Vec<Planned> {
        let choice = self.choice(flow, &stream.node);
        if flow.patience.keep_alive {
            return self.plan_kept(flow, stream, choice, out);
        }
        let mut backends = match choice {
            Choice::Any(backends) => backends,
            Choice::None(judged) => {
                stream.session = None;
                return vec![planned(None, judged)];
            }
        };
        if self.has_sessions(flow, &stream.node) {
            let known = stream.session.take().filter(|known| backends.contains(known));
            let session = known.or_else(|| drawn(flow, &backends));
            stream.session.clone_from(&session);
            backends = session.into_iter().collect();
        }
        let judged: Vec<Judged> = backends
            .iter()
            .map(|backend| self.ground.judge(&stream.node, backend, flow.patience))
            .collect();
        let lanes = backends.into_iter().enumerate();
        lanes
            .map(|(at, backend)| planned(Some(backend), with_retries(&judged, at, flow.retries)))
            .collect()
    }

    fn has_sessions(&self, flow: &Flow, node: &NodeName) -> bool {
        let service = self
            .proxies
            .get(node)
            .and_then(|state| state.proxy.service(&flow.service));
        service.is_some_and(|service| &*service.spec.session_affinity == "ClientIP")
    }

    /// A connection is kept as long as it lives, whatever the rules say (TR-035).
    fn plan_kept(&self, flow: &mut Flow, stream: &mut Stream, choice: Choice, out: &mut Outcomes) -> Vec<Planned> {
        let node = stream.node.clone();
        if let Some(kept) = &mut stream.kept
            && let Some(judged) = self
                .ground
                .judge_kept(&node, &kept.backend, kept.process, flow.patience)
        {
            let is_silent = matches!(judged.fate, Fate::Fails(_));
            let since = kept.silent_since.get_or_insert(self.now());
            let gives_up_at = *since + flow.patience.timeout;
            if !is_silent {
                kept.silent_since = None;
                return vec![planned(Some(kept.backend.clone()), judged)];
            }
            if gives_up_at > self.now() {
                out.wake_at(Some(gives_up_at));
                return vec![planned(Some(kept.backend.clone()), judged)];
            }
        }
        stream.kept = None;
        let backends = match choice {
            Choice::Any(backends) => backends,
            Choice::None(judged) => return vec![planned(None, judged)],
        };
        let judge = |backend: &Backend| self.ground.judge(&node, backend, flow.patience);
        let judged: Vec<(Backend, Judged)> = backends.iter().map(|one| (one.clone(), judge(one))).collect();
        let is_refused =
            |one: &Judged| matches!(one.fate, Fate::Fails(failing) if failing.outcome == RequestOutcome::Refused);
        if judged.iter().all(|(_, one)| is_refused(one)) {
            return judged
                .into_iter()
                .map(|(backend, one)| planned(Some(backend), one))
                .collect();
        }
        let mut refused = 0;
        loop {
            let drawn = flow.rng.below(judged.len() as u64) as usize;
            let Some((backend, one)) = judged.get(drawn) else {
                unreachable!("a draw below their number");
            };
            if is_refused(one) {
                refused += 1;
                out.failed.push(flow.tell_refused(stream, backend, one, self.now()));
                continue;
            }
            let (process, silent_since) = match one.fate {
                Fate::Answered { process, .. } => (process, None),
                Fate::Fails(_) => (podscope_node::machine::ContainerId(0), Some(self.now())),
            };
            if silent_since.is_some() {
                out.wake_at(Some(self.now() + flow.patience.timeout));
            }
            stream.kept = Some(Kept {
                backend: backend.clone(),
                process,
                silent_since,
            });
            return vec![Planned {
                refused,
                ..planned(Some(backend.clone()), *one)
            }];
        }
    }
}

fn planned(backend: Option<Backend>, judged: Judged) -> Planned {
    Planned {
        backend,
        judged,
        refused: 0,
    }
}

fn drawn(flow: &mut Flow, backends: &[Backend]) -> Option<Backend> {
    let at = flow.rng.below(backends.len() as u64) as usize;
    backends.get(at).cloned()
}

/// What becomes of a lane's requests if each that fails is repeated at once: the next in turn takes it.
fn with_retries(judged: &[Judged], at: usize, retries: u32) -> Judged {
    let tries = (0..=retries as usize).map(|more| (at + more) % judged.len());
    let mut tried = tries.filter_map(|at| judged.get(at));
    let answers = |one: &&Judged| one.fate.failing().is_none();
    let until = judged.iter().filter_map(|one| one.until).min();
    let first = judged.get(at).copied();
    let found = match first {
        Some(first) if retries == 0 || answers(&&first) => return first,
        first => tried.find(answers).copied().or(first),
    };
    let found = found.unwrap_or_else(|| unreachable!("a lane that was judged"));
    Judged { until, ..found }
}

impl Flow {
    /// Counts and judges anew what was touched of it.
    fn settle(&mut self, settling: &Settling<'_>, out: &mut Outcomes) {
        let (now, because) = (settling.now(), settling.because);
        let clients = settling.clients(self, out);
        if !self.nodes().eq(clients.iter()) {
            self.deal_clients(&clients, now, out);
        }
        let mut streams = std::mem::take(&mut self.streams);
        for stream in &mut streams {
            if settling.concerns(stream) {
                let planned = settling.plan(self, stream, out);
                self.follow_plan(stream, planned, now, because, out);
                self.tell_long_stretches(stream, now, out);
                self.settle_in_flight(stream, &settling.ground, because, out);
            }
        }
        self.streams = streams;
        if let Origin::Pod(uid, node) = &self.origin {
            let machine = settling.ground.nodes.get(node).map(|state| &state.machine);
            self.is_over |= machine.is_none_or(|machine| machine.pod(uid).is_none());
        }
    }
}
