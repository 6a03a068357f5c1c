//! The network: directed links between places, with latency, jitter, cuts and
//! slowness (F-01, F-02). A message is delivered in order on its link, or
//! never; nobody is told.

use podscope_api::ordered;

use podscope_api::{NodeName, Str};

use crate::{Place, Rng, SimTime, Span};

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
    cuts: ordered::Set<(Place, Place)>,
    /// Nodes that get nothing from outside, with the zone they were cut off with (within it messages pass).
    isolated_in: ordered::Map<NodeName, Option<Str>>,
    /// Nodes that reach nothing outside, likewise.
    isolated_out: ordered::Map<NodeName, Option<Str>>,
    /// Nodes that get nothing from other nodes.
    nodes_in: ordered::Set<NodeName>,
    /// Nodes that reach no other node.
    nodes_out: ordered::Set<NodeName>,
    slow: ordered::Map<NodeName, Span>,
    /// Nodes that a fence isolates, whatever is cut or healed beside it (CT-148).
    fenced: ordered::Set<NodeName>,
    last_delivery: ordered::Map<(Place, Place), SimTime>,
}

impl Network {
    /// A network without faults.
    pub fn new(settings: NetworkSettings, seed: u64) -> Self {
        Self {
            settings,
            rng: Rng::split(seed, "network"),
            cuts: ordered::Set::new(),
            isolated_in: ordered::Map::new(),
            isolated_out: ordered::Map::new(),
            nodes_in: ordered::Set::new(),
            nodes_out: ordered::Set::new(),
            slow: ordered::Map::new(),
            fenced: ordered::Set::new(),
            last_delivery: ordered::Map::new(),
        }
    }

    /// When a message sent now arrives; none if the link is cut. Later messages on a link never overtake earlier ones.
    pub fn delivery(&mut self, now: SimTime, from: &Place, to: &Place) -> Option<SimTime> {
        if !self.is_open(from, to) {
            return None;
        }
        let link = (from.clone(), to.clone());
        let mut arrival = now + self.settings.latency + self.rng.between(Span::ZERO, self.settings.jitter);
        for place in [from, to] {
            if let Place::Node(node) = place {
                arrival += self.slow.get(node).copied().unwrap_or(Span::ZERO);
            }
        }
        let last = self.last_delivery.entry(link).or_default();
        arrival = arrival.max(*last);
        *last = arrival;
        debug_assert!(
            arrival >= now,
            "a message from {from:?} to {to:?} arrives before it is sent"
        );
        Some(arrival)
    }

    /// How long a message takes in that direction, without its jitter; nothing within one place.
    pub fn usual_latency(&self, from: &Place, to: &Place) -> Span {
        if from == to {
            return Span::ZERO;
        }
        let slow = |place: &Place| match place {
            Place::Node(node) => self.slowness(node),
            Place::ControlPlane | Place::Storage => Span::ZERO,
        };
        self.settings.latency + slow(from) + slow(to)
    }

    /// The greatest delay that a link's jitter adds.
    pub fn jitter(&self) -> Span {
        self.settings.jitter
    }

    /// Whether messages pass between a node and what is outside the cluster, both ways.
    pub fn reaches_outside(&self, node: &NodeName) -> bool {
        !self.is_fenced(node) && !self.isolated_in.contains_key(node) && !self.isolated_out.contains_key(node)
    }

    /// Whether messages pass in that direction.
    pub fn is_open(&self, from: &Place, to: &Place) -> bool {
        if from == to {
            return true;
        }
        if !self.fenced.is_empty() && [from, to].into_iter().any(|place| self.has_fenced(place)) {
            return false;
        }
        if !self.cuts.is_empty() && self.cuts.contains(&(from.clone(), to.clone())) {
            return false;
        }
        let tag = |place: &Place, map: &ordered::Map<NodeName, Option<Str>>| match place {
            Place::Node(node) => map.get(node).cloned(),
            Place::ControlPlane | Place::Storage => None,
        };
        let out = tag(from, &self.isolated_out);
        let into = tag(to, &self.isolated_in);
        let is_inside = |this: &Option<Option<Str>>, other: &Place, map: &ordered::Map<NodeName, Option<Str>>| {
            this.as_ref()
                .is_some_and(|zone| zone.is_some() && tag(other, map).as_ref() == Some(zone))
        };
        if out.is_some() && !is_inside(&out, to, &self.isolated_out)
            || into.is_some() && !is_inside(&into, from, &self.isolated_in)
        {
            return false;
        }
        match (from, to) {
            (Place::Node(from), Place::Node(to)) => !self.nodes_out.contains(from) && !self.nodes_in.contains(to),
            _ => true,
        }
    }

    /// Cuts a node from everything, or, as part of a zone, from everything outside that zone.
    pub fn isolate(&mut self, node: &NodeName, zone: Option<&Str>, inward: bool, outward: bool) {
        if inward {
            self.isolated_in.insert(node.clone(), zone.cloned());
        }
        if outward {
            self.isolated_out.insert(node.clone(), zone.cloned());
        }
    }

    /// Whether a node is cut from all other nodes, or all outside its zone: (to the node, from the node).
    pub fn is_apart(&self, node: &NodeName) -> (bool, bool) {
        let is_fenced = self.is_fenced(node);
        let is_in = is_fenced || self.isolated_in.contains_key(node) || self.nodes_in.contains(node);
        let is_out = is_fenced || self.isolated_out.contains_key(node) || self.nodes_out.contains(node);
        (is_in, is_out)
    }

    /// Cuts a node from all other nodes.
    pub fn cut_from_nodes(&mut self, node: &NodeName, inward: bool, outward: bool) {
        if inward {
            self.nodes_in.insert(node.clone());
        }
        if outward {
            self.nodes_out.insert(node.clone());
        }
    }

    /// Removes every cut of a node; true if there was one.
    pub fn heal(&mut self, node: &NodeName) -> bool {
        let place = Place::Node(node.clone());
        let before = self.cuts.len();
        self.cuts.retain(|(from, to)| *from != place && *to != place);
        let mut healed = self.cuts.len() != before;
        healed |= self.isolated_in.remove(node).is_some();
        healed |= self.isolated_out.remove(node).is_some();
        healed |= self.nodes_in.remove(node);
        healed |= self.nodes_out.remove(node);
        healed
    }

    /// Isolates a node by a fence, which no healing lifts; false if it was so already.
    pub fn fence(&mut self, node: &NodeName) -> bool {
        self.fenced.insert(node.clone())
    }

    /// Lifts a node's fence; false if there was none.
    pub fn unfence(&mut self, node: &NodeName) -> bool {
        self.fenced.remove(node)
    }

    /// Whether a fence isolates the node.
    pub fn is_fenced(&self, node: &NodeName) -> bool {
        self.fenced.contains(node)
    }

    fn has_fenced(&self, place: &Place) -> bool {
        matches!(place, Place::Node(node) if self.is_fenced(node))
    }

    /// The nodes with a cut, in order.
    pub fn cut_nodes(&self) -> ordered::Set<NodeName> {
        let single = self
            .cuts
            .iter()
            .flat_map(|(from, to)| [from, to])
            .filter_map(|place| match place {
                Place::Node(node) => Some(node.clone()),
                Place::ControlPlane | Place::Storage => None,
            });
        self.isolated_in
            .keys()
            .chain(self.isolated_out.keys())
            .chain(&self.nodes_in)
            .chain(&self.nodes_out)
            .cloned()
            .chain(single)
            .collect()
    }

    /// The extra latency of a node's links.
    pub fn slowness(&self, node: &NodeName) -> Span {
        self.slow.get(node).copied().unwrap_or(Span::ZERO)
    }

    /// Whether messages pass everywhere as fast as they should.
    pub fn is_whole(&self) -> bool {
        self.slow.is_empty() && self.fenced.is_empty() && self.cut_nodes().is_empty()
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
