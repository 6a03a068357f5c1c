//! Zones of nodes: the disruption state of each zone, and the rate at which its nodes get NoExecute taints (CT-029 to
//! CT-031).
//!
//! ```text
//! Initial -> Normal <-> Partial <-> Full;   all zones Full: no node is tainted
//! ```

use podscope_api::ordered;
use podscope_api::well_known::label;

use podscope_api::{ConditionStatus, Node, NodeName, Str};

use podscope_sim::{SimTime, Span};

use super::taints::ready_status;
use super::{ControllerManagerSettings, Thousandths};

const EXCLUDE_DISRUPTION_LABEL: &str = "node.kubernetes.io/exclude-disruption";

/// Returns the region and zone of a node, combined into one key.
pub(super) fn zone_of(node: &Node) -> Str {
    let label = |key: &str| node.metadata.label(key).unwrap_or_default();
    format!("{}:{}", label(label::REGION), label(label::ZONE)).into()
}

/// Disruption state of a zone, which depends on its share of unready nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ZoneDisruption {
    Initial,
    Normal,
    Partial,
    Full,
}

/// A token bucket with a capacity of one.
#[derive(Debug, Clone)]
struct TokenBucket {
    rate: Thousandths,
    /// Time at which the next token becomes available; `None` if never.
    next: Option<SimTime>,
}

impl TokenBucket {
    fn new(rate: Thousandths, now: SimTime) -> Self {
        Self {
            rate,
            next: (rate.0 > 0).then_some(now),
        }
    }

    /// Takes a token; returns false if none is available.
    fn take_token(&mut self, now: SimTime) -> bool {
        if self.next.is_none_or(|next| next > now) {
            return false;
        }
        self.next = Some(now + Span(1_000_000_000 / self.rate.0.max(1)));
        true
    }
}

#[derive(Debug, Clone)]
pub(super) struct Zone {
    state: ZoneDisruption,
    tokens: TokenBucket,
    /// Nodes that wait for a NoExecute taint, oldest first.
    queue: ordered::Set<(SimTime, u64, NodeName)>,
    queued: ordered::Map<NodeName, (SimTime, u64)>,
    /// Nodes that were taken from the queue. They are not queued again until they recover or lose the taint.
    dequeued: ordered::Set<NodeName>,
    next_number: u64,
}

impl Zone {
    fn new(settings: &ControllerManagerSettings, now: SimTime) -> Self {
        Self {
            state: ZoneDisruption::Initial,
            tokens: TokenBucket::new(settings.node_eviction_rate, now),
            queue: ordered::Set::new(),
            queued: ordered::Map::new(),
            dequeued: ordered::Set::new(),
            next_number: 0,
        }
    }

    /// Adds a node to the end of the queue, unless it is queued or was already taken from the queue.
    fn add(&mut self, node: &NodeName, now: SimTime) {
        if self.dequeued.contains(node) || self.queued.contains_key(node) {
            return;
        }
        self.next_number += 1;
        self.queue.insert((now, self.next_number, node.clone()));
        self.queued.insert(node.clone(), (now, self.next_number));
    }

    /// Removes a node from the queue and from the dequeued nodes.
    fn remove(&mut self, node: &NodeName) {
        self.dequeued.remove(node);
        if let Some((at, number)) = self.queued.remove(node) {
            self.queue.remove(&(at, number, node.clone()));
        }
    }

    /// Changes the rate of new tokens. A token that is already available is kept.
    fn set_taint_rate(&mut self, rate: Thousandths, now: SimTime) {
        if rate == self.tokens.rate {
            return;
        }
        let had_token = self.tokens.take_token(now);
        self.tokens = TokenBucket::new(rate, now);
        if !had_token && rate.0 > 0 {
            self.tokens.take_token(now);
        }
    }
}

/// All zones, by region and zone.
#[derive(Debug, Clone, Default)]
pub(super) struct Zones(ordered::Map<Str, Zone>);

/// Transition to or from the state in which all zones are fully disrupted, as detected by an assessment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ZoneTransition {
    Nothing,
    /// All zones have become fully disrupted: all taints are removed.
    EnteredFull,
    /// Some node is ready again: the grace period of every node restarts.
    LeftFull,
}

impl Zones {
    pub(super) fn zone(&mut self, name: Str, settings: &ControllerManagerSettings, now: SimTime) -> &mut Zone {
        self.0.entry(name).or_insert_with(|| Zone::new(settings, now))
    }

    /// Adds a node to the queue of its zone. An untainted node moves to the end in each pass (CT-029). Returns whether
    /// its zone was known.
    pub(super) fn queue(
        &mut self,
        node: &Node,
        is_tainted: bool,
        settings: &ControllerManagerSettings,
        now: SimTime,
    ) -> bool {
        let name = NodeName::from(&*node.metadata.name);
        let known = self.0.len();
        let zone = self.zone(zone_of(node), settings, now);
        if !is_tainted {
            zone.remove(&name);
        }
        zone.add(&name, now);
        self.0.len() == known
    }

    pub(super) fn remove(&mut self, node: &Node) {
        if let Some(zone) = self.0.get_mut(&zone_of(node)) {
            zone.remove(&NodeName::from(&*node.metadata.name));
        }
    }

    /// Takes the nodes that may be tainted at this tick; each node uses one token.
    pub(super) fn take_due_nodes(&mut self, now: SimTime) -> Vec<NodeName> {
        let mut taken = Vec::new();
        for zone in self.0.values_mut() {
            while let Some(first) = zone.queue.first().cloned() {
                if !zone.tokens.take_token(now) {
                    break;
                }
                zone.queue.remove(&first);
                zone.queued.remove(&first.2);
                zone.dequeued.insert(first.2.clone());
                taken.push(first.2);
            }
        }
        taken
    }

    /// Returns the time at which the next queued node may be taken.
    pub(super) fn next_taint_time(&self) -> Option<SimTime> {
        self.0
            .values()
            .filter(|zone| !zone.queue.is_empty())
            .filter_map(|zone| zone.tokens.next)
            .min()
    }

    /// Returns whether every zone is in the state Normal.
    pub(super) fn are_normal(&self) -> bool {
        self.0.values().all(|zone| zone.state == ZoneDisruption::Normal)
    }

    /// Sets the state and rate of each zone from all nodes (CT-030, CT-031). `ready` overrides the Ready status of a
    /// node in the cache.
    pub(super) fn update_zone_states<'n>(
        &mut self,
        nodes: impl Iterator<Item = &'n Node>,
        ready: impl Fn(&Node) -> Option<ConditionStatus>,
        settings: &ControllerManagerSettings,
        now: SimTime,
    ) -> ZoneTransition {
        let mut counts: ordered::Map<Str, (i64, i64)> = ordered::Map::new();
        // Cache of the zone of the last node: nodes with adjacent names are mostly in the same zone.
        let mut last: Option<([Option<&str>; 2], Str)> = None;
        for node in nodes.filter(|node| node.metadata.label(EXCLUDE_DISRUPTION_LABEL).is_none()) {
            let place = [label::REGION, label::ZONE].map(|key| node.metadata.label(key));
            let name = match &last {
                Some((known, name)) if *known == place => name,
                _ => &last.insert((place, zone_of(node))).1,
            };
            let (n_ready, n_unready) = match counts.get_mut(name) {
                Some(count) => count,
                None => counts.entry(name.clone()).or_default(),
            };
            let is_ready = match ready(node) {
                Some(status) => status == ConditionStatus::True,
                None => ready_status(node) == Some(&ConditionStatus::True),
            };
            if is_ready {
                *n_ready += 1;
            } else {
                *n_unready += 1;
            }
        }
        let was_full = self.0.values().all(|zone| zone.state == ZoneDisruption::Full) && !self.0.is_empty();
        for name in counts.keys() {
            self.zone(name.clone(), settings, now);
        }
        let states: ordered::Map<&Str, (ZoneDisruption, Thousandths)> = counts
            .iter()
            .map(|(name, (n_ready, n_unready))| (name, state_and_rate(*n_ready, *n_unready, settings)))
            .collect();
        let is_full = !states.is_empty() && states.values().all(|(state, _)| *state == ZoneDisruption::Full);
        if is_full && was_full {
            return ZoneTransition::Nothing;
        }
        for (name, zone) in &mut self.0 {
            if is_full {
                zone.state = ZoneDisruption::Full;
                zone.set_taint_rate(Thousandths(0), now);
            } else if let Some((state, rate)) = states.get(name) {
                if was_full || zone.state != *state {
                    zone.set_taint_rate(*rate, now);
                }
                zone.state = *state;
            }
        }
        match (was_full, is_full) {
            (false, true) => ZoneTransition::EnteredFull,
            (true, false) => ZoneTransition::LeftFull,
            _ => ZoneTransition::Nothing,
        }
    }
}

fn state_and_rate(n_ready: i64, n_unready: i64, settings: &ControllerManagerSettings) -> (ZoneDisruption, Thousandths) {
    if n_ready == 0 && n_unready > 0 {
        return (ZoneDisruption::Full, settings.node_eviction_rate);
    }
    if n_unready > 2 && n_unready * 1000 >= settings.unhealthy_zone_threshold.0 * (n_ready + n_unready) {
        let is_large = n_ready + n_unready > settings.large_cluster_size_threshold;
        return (
            ZoneDisruption::Partial,
            if is_large {
                settings.secondary_node_eviction_rate
            } else {
                Thousandths(0)
            },
        );
    }
    (ZoneDisruption::Normal, settings.node_eviction_rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a small zone, three unready nodes of five stop the tainting; two of five do not (CT-030).
    /// Shows: CT-030
    #[test]
    fn zone_disruption_determines_state_and_taint_rate() {
        let settings = ControllerManagerSettings::default();
        for (name, n_ready, n_unready, expected) in [
            ("two of five", 3, 2, (ZoneDisruption::Normal, Thousandths(100))),
            ("three of five", 2, 3, (ZoneDisruption::Partial, Thousandths(0))),
            ("a large zone", 20, 31, (ZoneDisruption::Partial, Thousandths(10))),
            (
                "just below the threshold",
                23,
                28,
                (ZoneDisruption::Normal, Thousandths(100)),
            ),
            ("none ready", 0, 1, (ZoneDisruption::Full, Thousandths(100))),
            ("no nodes", 0, 0, (ZoneDisruption::Normal, Thousandths(100))),
        ] {
            assert_eq!(state_and_rate(n_ready, n_unready, &settings), expected, "{name}");
        }
    }

    /// There is one token at the start, and a new one every ten seconds.
    /// Shows: CT-029
    #[test]
    fn each_taint_takes_a_token() {
        let settings = ControllerManagerSettings::default();
        let mut zones = Zones::default();
        let mut node = Node::default();
        for name in ["a", "b", "c"] {
            node.metadata.name = name.into();
            zones.queue(&node, false, &settings, SimTime::ZERO);
        }
        let names = |nodes: Vec<NodeName>| nodes.iter().map(|name| name.0.to_string()).collect::<Vec<_>>();
        assert_eq!(names(zones.take_due_nodes(SimTime::ZERO)), ["a"]);
        assert_eq!(zones.next_taint_time(), Some(SimTime::from_seconds(10)));
        assert_eq!(
            names(zones.take_due_nodes(SimTime::from_seconds(9))),
            Vec::<String>::new()
        );
        assert_eq!(names(zones.take_due_nodes(SimTime::from_seconds(10))), ["b"]);
        node.metadata.name = "c".into();
        zones.remove(&node);
        assert_eq!(zones.next_taint_time(), None);
    }
}
