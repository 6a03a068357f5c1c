//! The network: directed links between places, with latency, jitter, cuts and
//! slowness (F-01, F-02). A message is delivered in order on its link, or
//! never; nobody is told.

use std::collections::{BTreeMap, BTreeSet};

use podscope_api::NodeName;

use crate::{Place, Rng, SimTime, Span};

/// Settings of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkSettings {
    /// One-way latency of a link.
    pub latency: Span,
    /// Added uniformly at random, from zero to this.
    pub jitter: Span,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            latency: Span::millis(2),
            jitter: Span::millis(1),
        }
    }
}

/// The state of all links.
#[derive(Debug, Clone)]
pub struct Network {
    settings: NetworkSettings,
    rng: Rng,
    cuts: BTreeSet<(Place, Place)>,
    slow: BTreeMap<NodeName, Span>,
    last_delivery: BTreeMap<(Place, Place), SimTime>,
}

impl Network {
    /// A network without faults.
    pub fn new(settings: NetworkSettings, seed: u64) -> Self {
        Self {
            settings,
            rng: Rng::split(seed, "network"),
            cuts: BTreeSet::new(),
            slow: BTreeMap::new(),
            last_delivery: BTreeMap::new(),
        }
    }
    /// When a message sent now arrives; none if the link is cut. Later messages on a link never overtake earlier ones.
    pub fn delivery(&mut self, now: SimTime, from: &Place, to: &Place) -> Option<SimTime> {
        let link = (from.clone(), to.clone());
        if self.cuts.contains(&link) {
            return None;
        }
        let mut arrival = now + self.settings.latency + self.rng.between(Span::ZERO, self.settings.jitter);
        for place in [from, to] {
            if let Place::Node(node) = place {
                arrival += self.slow.get(node).copied().unwrap_or(Span::ZERO);
            }
        }
        let last = self.last_delivery.entry(link).or_default();
        arrival = arrival.max(*last);
        *last = arrival;
        Some(arrival)
    }
    /// Whether messages pass in that direction.
    pub fn is_open(&self, from: &Place, to: &Place) -> bool {
        !self.cuts.contains(&(from.clone(), to.clone()))
    }
    /// Cuts one direction.
    pub fn cut(&mut self, from: Place, to: Place) {
        self.cuts.insert((from, to));
    }
    /// Opens one direction; true if it was cut.
    pub fn mend(&mut self, from: Place, to: Place) -> bool {
        self.cuts.remove(&(from, to))
    }
    /// The cuts, in order.
    pub fn cuts(&self) -> impl Iterator<Item = &(Place, Place)> {
        self.cuts.iter()
    }
    /// Adds latency to every link of a node; zero removes it.
    pub fn slow(&mut self, node: NodeName, extra: Span) {
        if extra == Span::ZERO {
            self.slow.remove(&node);
        } else {
            self.slow.insert(node, extra);
        }
    }
}
