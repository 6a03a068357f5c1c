//! The kube-proxies of a world. Each watches Services and EndpointSlices over the link of its node.
//!
//! ```text
//!   Live ──link cut, or no server──▶ Broken ──link open, after a back-off──▶ Live, with the missed changes
//! ```
//!
//! They exist only from the first traffic on. Before that, only the last state observed by nodes with cut links is
//! stored, because their rules follow from it. Deviation: their watches have their own message order and jitter, so
//! that traffic does not change when other messages arrive; the changes that a broken watch missed arrive in one
//! message.

use std::sync::Arc;

use podscope_api::well_known::label;
use podscope_api::{NodeName, Object};
use podscope_node::proxy::{Proxy, SyncSchedule};
use podscope_sim::{Place, Rng, SimTime, Span, WatchResponse};

use super::{Traffic, TrafficTouch};
use crate::event::Event;
use crate::{Objects, World};

/// Minimum and maximum back-off before a broken watch is tried again.
const RESUME_BACKOFF: (Span, Span) = (Span::millis(800), Span::millis(1600));

/// Time until the cluster's DNS has observed a change (TR-057, TR-076).
const DNS_WATCH_DELAY: Span = Span::millis(5);

/// One incarnation of a kube-proxy, which begins when its machine starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProxyLife(u32);

/// An event of a kube-proxy.
#[derive(Debug, Clone)]
pub(crate) enum ProxyEvent {
    /// The state of the API objects after a watched change, or from a list.
    Observed(Arc<Objects>),
    /// A broken watch is tried again.
    Resume,
    /// A scheduled sync is due.
    Sync,
}

/// A kube-proxy and its watch.
#[derive(Debug, Clone)]
pub(super) struct ProxyState {
    pub proxy: Proxy,
    life: u32,
    is_live: bool,
    /// Arrival of the last message; later messages must not arrive earlier.
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

/// Returns whether kube-proxy or the cluster's DNS watches objects of this kind.
fn is_watched(change: &WatchResponse) -> bool {
    matches!(change.object(), Some(Object::Service(_) | Object::EndpointSlice(_)))
}

impl World {
    /// Simulates a kube-proxy that observes `observed` but does not sync, which violates `no-request-to-ended`
    /// (TR-025).
    #[cfg(test)]
    pub(crate) fn suppress_proxy_sync(&mut self, node: &NodeName, observed: Arc<Objects>) {
        let (now, objects) = (self.now, self.objects().clone());
        if let Some(state) = self.traffic_mut().proxies.get_mut(node) {
            // The first call syncs at once, so the second schedules a sync; its event is never queued.
            state.proxy.observe(objects, now);
            state.proxy.observe(observed, now);
        }
    }

    fn traffic_mut(&mut self) -> &mut Traffic {
        Arc::make_mut(&mut self.traffic)
    }

    /// Stores a change that may affect the fate of requests, with the queue's present cause as its cause.
    pub(crate) fn touch_traffic(&mut self, touch: TrafficTouch) {
        if self.traffic.is_idle() && !matches!(touch, TrafficTouch::Caller(_)) {
            return;
        }
        let cause = self.queue.cause();
        self.traffic_mut().touched.push((touch, cause));
    }

    /// Starts the kube-proxies at the first traffic, as if they had always run.
    pub(super) fn start_proxies(&mut self) {
        if !self.traffic.is_idle() {
            return;
        }
        let nodes: Vec<(NodeName, bool)> = (self.nodes.iter())
            .map(|(node, state)| (node.clone(), state.machine.is_on()))
            .collect();
        let (seed, objects) = (self.seed, self.objects().clone());
        let now = self.now;
        let traffic = self.traffic_mut();
        traffic.dns_states = vec![(now, objects.clone())];
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
    pub(crate) fn notify_proxies(&mut self, change: &Arc<WatchResponse>) {
        if self.traffic.is_idle() || !is_watched(change) {
            return;
        }
        debug_assert!(
            self.nodes.keys().eq(self.traffic.proxies.keys()),
            "each machine has a kube-proxy"
        );
        // Endpoints of a Service that is not headless affect only the rules of kube-proxy, not the answers of DNS.
        let affects_names = match change.object() {
            Some(Object::EndpointSlice(slice)) => slice.metadata.label(label::HEADLESS_SERVICE).is_some(),
            _ => true,
        };
        if affects_names {
            let at = self.now + DNS_WATCH_DELAY;
            self.traffic_mut().dns_states.push((at, change.after.clone()));
            self.queue.push(at, Event::Traffic);
        }
        let live: Vec<NodeName> = (self.traffic.proxies.iter())
            .filter(|(_, state)| state.is_live)
            .map(|(node, _)| node.clone())
            .collect();
        for node in live {
            self.send_to_proxy(&node, &change.after);
        }
    }

    /// Sends a message from the API server to a kube-proxy; if the link is cut, its watch breaks.
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
        let event = Event::Proxy(
            node.clone(),
            ProxyLife(state.life),
            ProxyEvent::Observed(objects.clone()),
        );
        self.queue.push(arrival, event);
    }

    /// Updates a kube-proxy after the link from the API server to its node was cut or restored.
    pub(crate) fn update_proxy_link(&mut self, node: &NodeName) {
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

    /// Updates all kube-proxies after the API server went down or came up: breaks all watches, and retries them if it
    /// is up.
    pub(crate) fn update_proxies_of_api_server(&mut self) {
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

    /// Starts or removes the kube-proxy of a machine that started, joined or left.
    pub(crate) fn update_proxy_of_machine(&mut self, node: &NodeName) {
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

    /// Handles an event of a kube-proxy, unless it is for an earlier incarnation.
    pub(crate) fn on_proxy_event(&mut self, node: &NodeName, life: ProxyLife, event: ProxyEvent) {
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
            ProxyEvent::Observed(objects) => match state.proxy.observe(objects, now) {
                SyncSchedule::Done => true,
                SyncSchedule::At(at) => {
                    let event = Event::Proxy(node.clone(), life, ProxyEvent::Sync);
                    self.queue.push(at, event);
                    false
                }
                SyncSchedule::Scheduled => false,
            },
            ProxyEvent::Sync => state.proxy.sync(now),
            ProxyEvent::Resume => false,
        };
        if is_written {
            self.touch_traffic(TrafficTouch::Rules(node.clone()));
        }
    }
}
