//! The kube-proxies of a world: each with a watch of Services and EndpointSlices over its node's link.
//!
//! ```text
//!   Live ──way cut, or no server──▶ Broken ──way open, after a back-off──▶ Live, with what it missed
//! ```
//!
//! They run from the first traffic on; before, it is kept what a node that is cut off had heard, which is all that
//! their rules would be. Deviation: a watch of theirs keeps its own order and jitter, so that traffic moves no other
//! message; what a broken watch missed comes in one piece.

use std::sync::Arc;

use podscope_api::{NodeName, Object};
use podscope_node::proxy::{Proxy, Sync};
use podscope_sim::{Place, Rng, SimTime, Span, WatchResponse};

use super::{Touch, Traffic};
use crate::event::Event;
use crate::{Objects, World};

/// Back-off before a broken watch is tried again, low and high end.
const RESUME_BACKOFF: (Span, Span) = (Span::millis(800), Span::millis(1600));

/// One life of a kube-proxy: from the start of its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProxyLife(u32);

/// What reaches a kube-proxy.
#[derive(Debug, Clone)]
pub(crate) enum ProxyEvent {
    /// The state of the API after a change that it watches, or the answer to a list.
    Heard(Arc<Objects>),
    /// A broken watch is tried again.
    Resume,
    /// A sync that was asked for is due.
    Sync,
}

/// A kube-proxy and its watch.
#[derive(Debug, Clone)]
pub(super) struct ProxyState {
    pub proxy: Proxy,
    life: u32,
    is_live: bool,
    /// What is sent later arrives later.
    last_arrival: SimTime,
    rng: Rng,
}

impl ProxyState {
    fn new(proxy: Proxy, life: u32, is_live: bool, seed: u64, node: &NodeName) -> Self {
        Self {
            proxy,
            life,
            is_live,
            last_arrival: SimTime::ZERO,
            rng: Rng::split(seed, &format!("kube-proxy/{node}/{life}")),
        }
    }
}

/// Whether kube-proxies or the cluster's DNS follow objects of that kind.
fn is_watched(change: &WatchResponse) -> bool {
    matches!(change.object(), Some(Object::Service(_) | Object::EndpointSlice(_)))
}

impl World {
    /// A kube-proxy that breaks its promise, for the test of the invariant that sees it.
    #[cfg(test)]
    pub(crate) fn forget_to_sync(&mut self, node: &NodeName, heard: Arc<Objects>) {
        let (now, objects) = (self.now, self.objects().clone());
        if let Some(state) = self.traffic_mut().proxies.get_mut(node) {
            // A sync was a moment ago, so this one is asked for; nobody wakes it.
            state.proxy.hear(objects, now);
            state.proxy.hear(heard, now);
        }
    }

    fn traffic_mut(&mut self) -> &mut Traffic {
        Arc::make_mut(&mut self.traffic)
    }

    /// What a fate may hang on has changed, because of what the queue names as the cause now.
    pub(crate) fn touch_traffic(&mut self, touch: Touch) {
        if self.traffic.is_idle() && !matches!(touch, Touch::Caller(_)) {
            return;
        }
        let cause = self.queue.cause();
        self.traffic_mut().touched.push((touch, cause));
    }

    /// The first traffic: kube-proxies have run all the time.
    pub(super) fn start_proxies(&mut self) {
        if !self.traffic.is_idle() {
            return;
        }
        let nodes: Vec<(NodeName, bool)> = (self.nodes.iter())
            .map(|(node, state)| (node.clone(), state.machine.is_on()))
            .collect();
        let (seed, objects) = (self.seed, self.objects().clone());
        let traffic = self.traffic_mut();
        let known = std::mem::take(&mut traffic.known_before_cut);
        for (node, is_on) in nodes {
            let before_cut = known.get(&node);
            let proxy = match is_on {
                true => Proxy::running(node.clone(), before_cut.unwrap_or(&objects).clone()),
                false => Proxy::new(node.clone()),
            };
            let state = ProxyState::new(proxy, 1, is_on && before_cut.is_none(), seed, &node);
            traffic.proxies.insert(node, state);
        }
    }

    /// Sends a change to every kube-proxy whose watch is live.
    pub(crate) fn tell_proxies(&mut self, change: &Arc<WatchResponse>) {
        if self.traffic.is_idle() || !is_watched(change) {
            return;
        }
        // Names are answered as the API is; of others only the rules matter.
        let names_of_pods = match change.object() {
            Some(Object::EndpointSlice(slice)) => slice.metadata.label("service.kubernetes.io/headless").is_some(),
            _ => true,
        };
        if names_of_pods {
            self.touch_traffic(Touch::All);
        }
        let live: Vec<NodeName> = (self.traffic.proxies.iter())
            .filter(|(_, state)| state.is_live)
            .map(|(node, _)| node.clone())
            .collect();
        for node in live {
            self.send_to_proxy(&node, &change.after);
        }
    }

    /// A message from the API server to a kube-proxy, if the way is open; else its watch is broken.
    fn send_to_proxy(&mut self, node: &NodeName, objects: &Arc<Objects>) {
        let place = Place::Node(node.clone());
        let is_open = self.network.is_open(&Place::ControlPlane, &place);
        let latency = self.network.usual_latency(&Place::ControlPlane, &place);
        let (now, jitter) = (self.now, self.network.jitter());
        let Some(state) = self.traffic_mut().proxies.get_mut(node) else {
            return;
        };
        state.is_live = is_open;
        if !is_open {
            return;
        }
        let arrival = now + latency + state.rng.between(Span::ZERO, jitter);
        let arrival = arrival.max(state.last_arrival);
        state.last_arrival = arrival;
        let event = Event::Proxy(node.clone(), ProxyLife(state.life), ProxyEvent::Heard(objects.clone()));
        self.queue.push(arrival, event);
    }

    /// The way from the API server to a node is cut, or open again.
    pub(crate) fn proxy_link(&mut self, node: &NodeName) {
        let is_open = self.network.is_open(&Place::ControlPlane, &Place::Node(node.clone()));
        if self.traffic.is_idle() {
            let is_known = self.traffic.known_before_cut.contains_key(node);
            if is_open && is_known {
                self.traffic_mut().known_before_cut.remove(node);
            } else if !is_open && !is_known {
                let objects = self.objects().clone();
                self.traffic_mut().known_before_cut.insert(node.clone(), objects);
            }
            return;
        }
        let Some(state) = self.traffic_mut().proxies.get_mut(node) else {
            return;
        };
        if !is_open {
            state.is_live = false;
        } else if !state.is_live {
            self.resume_proxy(node);
        }
    }

    /// The API server goes: no watch is live. It comes back: each is tried again.
    pub(crate) fn proxies_of_server(&mut self) {
        if self.traffic.is_idle() {
            return;
        }
        let nodes: Vec<NodeName> = self.traffic.proxies.keys().cloned().collect();
        for node in nodes {
            if let Some(state) = self.traffic_mut().proxies.get_mut(&node) {
                state.is_live = false;
            }
            if self.is_api_up {
                self.resume_proxy(&node);
            }
        }
    }

    /// A machine starts, joins or is gone: so does its kube-proxy.
    pub(crate) fn proxy_of_machine(&mut self, node: &NodeName) {
        if self.traffic.is_idle() {
            self.traffic_mut().known_before_cut.remove(node);
            return;
        }
        let Some(machine) = self.nodes.get(node) else {
            self.traffic_mut().proxies.remove(node);
            return;
        };
        let (is_on, seed) = (machine.machine.is_on(), self.seed);
        let traffic = self.traffic_mut();
        let life = traffic.proxies.get(node).map_or(0, |state| state.life) + 1;
        let state = ProxyState::new(Proxy::new(node.clone()), life, false, seed, node);
        traffic.proxies.insert(node.clone(), state);
        if is_on {
            self.resume_proxy(node);
        }
    }

    fn resume_proxy(&mut self, node: &NodeName) {
        let now = self.now;
        let Some(state) = self.traffic_mut().proxies.get_mut(node) else {
            return;
        };
        let pause = state.rng.between(RESUME_BACKOFF.0, RESUME_BACKOFF.1);
        let event = Event::Proxy(node.clone(), ProxyLife(state.life), ProxyEvent::Resume);
        self.queue.push(now + pause, event);
    }

    /// Something reaches a kube-proxy, unless it has begun another life.
    pub(crate) fn on_proxy(&mut self, node: &NodeName, life: ProxyLife, event: ProxyEvent) {
        let now = self.now;
        let is_current = |state: &&ProxyState| state.life == life.0;
        let Some(state) = self.traffic.proxies.get(node).filter(is_current) else {
            return;
        };
        if matches!(event, ProxyEvent::Resume) {
            let place = Place::Node(node.clone());
            let is_open = self.network.is_open(&place, &Place::ControlPlane)
                && self.network.is_open(&Place::ControlPlane, &place);
            if !state.is_live && is_open && self.is_api_up {
                let objects = self.objects().clone();
                self.send_to_proxy(node, &objects);
            }
            return;
        }
        let Some(state) = self.traffic_mut().proxies.get_mut(node) else {
            return;
        };
        let is_written = match event {
            ProxyEvent::Heard(objects) => match state.proxy.hear(objects, now) {
                Sync::Done => true,
                Sync::At(at) => {
                    let event = Event::Proxy(node.clone(), life, ProxyEvent::Sync);
                    self.queue.push(at, event);
                    false
                }
                Sync::Asked => false,
            },
            ProxyEvent::Sync => state.proxy.sync(now),
            ProxyEvent::Resume => false,
        };
        if is_written {
            self.touch_traffic(Touch::Rules(node.clone()));
        }
    }
}
