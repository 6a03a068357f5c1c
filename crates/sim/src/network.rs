//! The network: directed links between places, with latency, jitter, cuts and added latency (F-01, F-02). Messages on a
//! link arrive in order. A message on a cut link is lost without notice to sender or receiver.

use podscope_api::ordered;

use podscope_api::{NodeName, Str};

use crate::{Place, Rng, SimTime, Span};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkSettings {
    /// One-way latency of a link.
    pub latency: Span,
    /// Upper bound of a random delay that is added to each message, from zero, uniformly.
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

/// The simulated network: the state of all links between places.
#[derive(Debug, Clone)]
pub struct Network {
    settings: NetworkSettings,
    rng: Rng,
    cuts: ordered::Set<(Place, Place)>,
    /// Nodes that receive nothing from outside. The value is the zone if the whole zone was isolated; messages pass
    /// within it.
    isolated_in: ordered::Map<NodeName, Option<Str>>,
    /// Nodes whose messages reach nothing outside; the value as in `isolated_in`.
    isolated_out: ordered::Map<NodeName, Option<Str>>,
    /// Nodes that receive nothing from other nodes.
    cut_from_nodes_inward: ordered::Set<NodeName>,
    /// Nodes whose messages reach no other node.
    cut_from_nodes_outward: ordered::Set<NodeName>,
    extra_latencies: ordered::Map<NodeName, Span>,
    /// Nodes that a fence isolates, regardless of other cuts and repairs (CT-148).
    fenced: ordered::Set<NodeName>,
    last_delivery: ordered::Map<(Place, Place), SimTime>,
}

impl Network {
    /// Creates a network without faults.
    pub fn new(settings: NetworkSettings, seed: u64) -> Self {
        Self {
            settings,
            rng: Rng::split(seed, "network"),
            cuts: ordered::Set::new(),
            isolated_in: ordered::Map::new(),
            isolated_out: ordered::Map::new(),
            cut_from_nodes_inward: ordered::Set::new(),
            cut_from_nodes_outward: ordered::Set::new(),
            extra_latencies: ordered::Map::new(),
            fenced: ordered::Set::new(),
            last_delivery: ordered::Map::new(),
        }
    }

    /// Returns the arrival time of a message that is sent now; `None` if the link is cut. A message never overtakes an
    /// earlier one on the same link.
    pub fn delivery(&mut self, now: SimTime, from: &Place, to: &Place) -> Option<SimTime> {
        if !self.is_open(from, to) {
            return None;
        }
        let link = (from.clone(), to.clone());
        let mut arrival = now + self.settings.latency + self.rng.between(Span::ZERO, self.settings.jitter);
        for place in [from, to] {
            if let Place::Node(node) = place {
                arrival += self.extra_latencies.get(node).copied().unwrap_or(Span::ZERO);
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

    /// Returns the latency from one place to the other without jitter; zero within one place.
    pub fn usual_latency(&self, from: &Place, to: &Place) -> Span {
        if from == to {
            return Span::ZERO;
        }
        let slow = |place: &Place| match place {
            Place::Node(node) => self.extra_latency(node),
            Place::ControlPlane | Place::Storage => Span::ZERO,
        };
        self.settings.latency + slow(from) + slow(to)
    }

    /// Returns the upper bound of the jitter of a link.
    pub fn jitter(&self) -> Span {
        self.settings.jitter
    }

    /// Returns whether messages pass both ways between a node and the world outside the cluster.
    pub fn reaches_outside(&self, node: &NodeName) -> bool {
        !self.is_fenced(node) && !self.isolated_in.contains_key(node) && !self.isolated_out.contains_key(node)
    }

    /// Returns whether messages pass from one place to the other.
    pub fn is_open(&self, from: &Place, to: &Place) -> bool {
        if from == to {
            return true;
        }
        if !self.fenced.is_empty() && [from, to].into_iter().any(|place| self.is_place_fenced(place)) {
            return false;
        }
        if !self.cuts.is_empty() && self.cuts.contains(&(from.clone(), to.clone())) {
            return false;
        }
        let isolated_zone = |place: &Place, map: &ordered::Map<NodeName, Option<Str>>| match place {
            Place::Node(node) => map.get(node).cloned(),
            Place::ControlPlane | Place::Storage => None,
        };
        let out = isolated_zone(from, &self.isolated_out);
        let into = isolated_zone(to, &self.isolated_in);
        let is_same_zone = |this: &Option<Option<Str>>, other: &Place, map: &ordered::Map<NodeName, Option<Str>>| {
            this.as_ref()
                .is_some_and(|zone| zone.is_some() && isolated_zone(other, map).as_ref() == Some(zone))
        };
        if out.is_some() && !is_same_zone(&out, to, &self.isolated_out)
            || into.is_some() && !is_same_zone(&into, from, &self.isolated_in)
        {
            return false;
        }
        match (from, to) {
            (Place::Node(from), Place::Node(to)) => {
                !self.cut_from_nodes_outward.contains(from) && !self.cut_from_nodes_inward.contains(to)
            }
            _ => true,
        }
    }

    /// Cuts a node off from everything or, as part of an isolated zone, from everything outside that zone.
    pub fn isolate(&mut self, node: &NodeName, zone: Option<&Str>, inward: bool, outward: bool) {
        if inward {
            self.isolated_in.insert(node.clone(), zone.cloned());
        }
        if outward {
            self.isolated_out.insert(node.clone(), zone.cloned());
        }
    }

    /// Returns whether a node is cut off from all other nodes, or from all nodes outside its zone: first for messages
    /// to the node, then for messages from it.
    pub fn is_cut_from_nodes(&self, node: &NodeName) -> (bool, bool) {
        let is_fenced = self.is_fenced(node);
        let is_in = is_fenced || self.isolated_in.contains_key(node) || self.cut_from_nodes_inward.contains(node);
        let is_out = is_fenced || self.isolated_out.contains_key(node) || self.cut_from_nodes_outward.contains(node);
        (is_in, is_out)
    }

    /// Cuts a node off from all other nodes.
    pub fn cut_from_nodes(&mut self, node: &NodeName, inward: bool, outward: bool) {
        if inward {
            self.cut_from_nodes_inward.insert(node.clone());
        }
        if outward {
            self.cut_from_nodes_outward.insert(node.clone());
        }
    }

    /// Removes every cut of a node; returns whether there was one.
    pub fn heal(&mut self, node: &NodeName) -> bool {
        let place = Place::Node(node.clone());
        let before = self.cuts.len();
        self.cuts.retain(|(from, to)| *from != place && *to != place);
        let mut healed = self.cuts.len() != before;
        healed |= self.isolated_in.remove(node).is_some();
        healed |= self.isolated_out.remove(node).is_some();
        healed |= self.cut_from_nodes_inward.remove(node);
        healed |= self.cut_from_nodes_outward.remove(node);
        healed
    }

    /// Isolates a node by a fence, which repairs of the network do not lift. Returns false if it was fenced already.
    pub fn fence(&mut self, node: &NodeName) -> bool {
        self.fenced.insert(node.clone())
    }

    /// Lifts a node's fence; returns whether there was one.
    pub fn unfence(&mut self, node: &NodeName) -> bool {
        self.fenced.remove(node)
    }

    /// Returns whether a fence isolates the node.
    pub fn is_fenced(&self, node: &NodeName) -> bool {
        self.fenced.contains(node)
    }

    fn is_place_fenced(&self, place: &Place) -> bool {
        matches!(place, Place::Node(node) if self.is_fenced(node))
    }

    /// Returns the nodes that a network fault cuts off, even if only on one link or in one direction. Nodes that are
    /// only fenced are not included.
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
            .chain(&self.cut_from_nodes_inward)
            .chain(&self.cut_from_nodes_outward)
            .cloned()
            .chain(single)
            .collect()
    }

    /// Returns the extra latency of a node's links.
    pub fn extra_latency(&self, node: &NodeName) -> Span {
        self.extra_latencies.get(node).copied().unwrap_or(Span::ZERO)
    }

    /// Returns whether no node is cut off, slowed down or fenced.
    pub fn has_no_faults(&self) -> bool {
        self.extra_latencies.is_empty() && self.fenced.is_empty() && self.cut_nodes().is_empty()
    }

    /// Cuts one direction of a link.
    pub fn cut(&mut self, from: Place, to: Place) {
        self.cuts.insert((from, to));
    }

    /// Repairs one direction of a link; returns whether it was cut.
    pub fn mend(&mut self, from: Place, to: Place) -> bool {
        self.cuts.remove(&(from, to))
    }

    /// Returns the links that are cut, each with its direction.
    pub fn cuts(&self) -> impl Iterator<Item = &(Place, Place)> {
        self.cuts.iter()
    }

    /// Sets the extra latency of every link of a node; zero removes it.
    pub fn set_extra_latency(&mut self, node: NodeName, extra: Span) {
        if extra == Span::ZERO {
            self.extra_latencies.remove(&node);
        } else {
            self.extra_latencies.insert(node, extra);
        }
    }
}
