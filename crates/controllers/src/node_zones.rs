//! Zones of nodes: how disrupted each is, and how fast its nodes may get
//! NoExecute taints (CT-029 to CT-031).
//!
//! ```text
//! Initial -> Normal <-> Partial <-> Full;   all zones Full: no taints at all
//! ```

use podscope_api::ordered;

use podscope_api::{ConditionStatus, Node, NodeName, Str};

use podscope_sim::{SimTime, Span};

use super::taints::ready_status;
use super::{ControllerManagerSettings, Millis};

const REGION: &str = "topology.kubernetes.io/region";
const ZONE: &str = "topology.kubernetes.io/zone";
const EXCLUDE: &str = "node.kubernetes.io/exclude-disruption";

/// Region and zone of a node, as one key.
pub(super) fn zone_of(node: &Node) -> Str {
    let label = |key: &str| node.metadata.label(key).unwrap_or_default();
    format!("{}:{}", label(REGION), label(ZONE)).into()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disruption {
    Initial,
    Normal,
    Partial,
    Full,
}

/// A bucket of one token.
#[derive(Debug, Clone)]
struct Limiter {
    rate: Millis,
    /// When the next token is there; none if never.
    next: Option<SimTime>,
}

impl Limiter {
    fn new(rate: Millis, now: SimTime) -> Self {
        Self {
            rate,
            next: (rate.0 > 0).then_some(now),
        }
    }

    fn take(&mut self, now: SimTime) -> bool {
        if self.next.is_none_or(|next| next > now) {
            return false;
        }
        self.next = Some(now + Span(1_000_000_000 / self.rate.0.max(1)));
        true
    }
}

#[derive(Debug, Clone)]
pub(super) struct Zone {
    state: Disruption,
    limiter: Limiter,
    /// Nodes that wait for a NoExecute taint, oldest first.
    queue: ordered::Set<(SimTime, u64, NodeName)>,
    queued: ordered::Map<NodeName, (SimTime, u64)>,
    /// Nodes that had their turn and are not queued again until they recover or lose the taint.
    done: ordered::Set<NodeName>,
    next_number: u64,
}

impl Zone {
    fn new(settings: &ControllerManagerSettings, now: SimTime) -> Self {
        Self {
            state: Disruption::Initial,
            limiter: Limiter::new(settings.node_eviction_rate, now),
            queue: ordered::Set::new(),
            queued: ordered::Map::new(),
            done: ordered::Set::new(),
            next_number: 0,
        }
    }

    fn add(&mut self, node: &NodeName, now: SimTime) {
        if self.done.contains(node) || self.queued.contains_key(node) {
            return;
        }
        self.next_number += 1;
        self.queue.insert((now, self.next_number, node.clone()));
        self.queued.insert(node.clone(), (now, self.next_number));
    }

    fn remove(&mut self, node: &NodeName) {
        self.done.remove(node);
        if let Some((at, number)) = self.queued.remove(node) {
            self.queue.remove(&(at, number, node.clone()));
        }
    }

    fn set_rate(&mut self, rate: Millis, now: SimTime) {
        if rate == self.limiter.rate {
            return;
        }
        let had_token = self.limiter.take(now);
        self.limiter = Limiter::new(rate, now);
        if !had_token && rate.0 > 0 {
            self.limiter.take(now);
        }
    }
}

/// All zones.
#[derive(Debug, Clone, Default)]
pub(super) struct Zones(ordered::Map<Str, Zone>);

/// What a look at all zones led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Nothing,
    /// All zones are disrupted now: taints go.
    EnteredFull,
    /// Some node is ready again: every node gets its full grace.
    LeftFull,
}

impl Zones {
    pub(super) fn zone(&mut self, name: Str, settings: &ControllerManagerSettings, now: SimTime) -> &mut Zone {
        self.0.entry(name).or_insert_with(|| Zone::new(settings, now))
    }

    /// Queues a node; one not yet tainted goes to the tail at each pass (CT-029). Whether its zone was known.
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

    /// Nodes whose turn it is at this tick; each costs a token.
    pub(super) fn turns(&mut self, now: SimTime) -> Vec<NodeName> {
        let mut turns = Vec::new();
        for zone in self.0.values_mut() {
            while let Some(first) = zone.queue.first().cloned() {
                if !zone.limiter.take(now) {
                    break;
                }
                zone.queue.remove(&first);
                zone.queued.remove(&first.2);
                zone.done.insert(first.2.clone());
                turns.push(first.2);
            }
        }
        turns
    }

    /// When the next queued node may have its turn.
    pub(super) fn next_turn(&self) -> Option<SimTime> {
        self.0
            .values()
            .filter(|zone| !zone.queue.is_empty())
            .filter_map(|zone| zone.limiter.next)
            .min()
    }

    /// Whether every zone is in its ordinary state.
    pub(super) fn are_normal(&self) -> bool {
        self.0.values().all(|zone| zone.state == Disruption::Normal)
    }

    /// Looks at all nodes anew and sets each zone's state and rate (CT-030, CT-031). `ready` overrides what a node's cached object says.
    pub(super) fn assess<'n>(
        &mut self,
        nodes: impl Iterator<Item = &'n Node>,
        ready: impl Fn(&Node) -> Option<ConditionStatus>,
        settings: &ControllerManagerSettings,
        now: SimTime,
    ) -> Turn {
        let mut counts: ordered::Map<Str, (i64, i64)> = ordered::Map::new();
        // Neighbours by name are mostly of one zone.
        let mut last: Option<([Option<&str>; 2], Str)> = None;
        for node in nodes.filter(|node| node.metadata.label(EXCLUDE).is_none()) {
            let place = [REGION, ZONE].map(|key| node.metadata.label(key));
            let name = match &last {
                Some((known, name)) if *known == place => name,
                _ => &last.insert((place, zone_of(node))).1,
            };
            let (good, bad) = match counts.get_mut(name) {
                Some(count) => count,
                None => counts.entry(name.clone()).or_default(),
            };
            let is_ready = match ready(node) {
                Some(status) => status == ConditionStatus::True,
                None => ready_status(node) == Some(&ConditionStatus::True),
            };
            if is_ready {
                *good += 1;
            } else {
                *bad += 1;
            }
        }
        let was_full = self.0.values().all(|zone| zone.state == Disruption::Full) && !self.0.is_empty();
        for name in counts.keys() {
            self.zone(name.clone(), settings, now);
        }
        let states: ordered::Map<&Str, (Disruption, Millis)> = counts
            .iter()
            .map(|(name, (good, bad))| (name, state_and_rate(*good, *bad, settings)))
            .collect();
        let is_full = !states.is_empty() && states.values().all(|(state, _)| *state == Disruption::Full);
        if is_full && was_full {
            return Turn::Nothing;
        }
        for (name, zone) in &mut self.0 {
            if is_full {
                zone.state = Disruption::Full;
                zone.set_rate(Millis(0), now);
            } else if let Some((state, rate)) = states.get(name) {
                if was_full || zone.state != *state {
                    zone.set_rate(*rate, now);
                }
                zone.state = *state;
            }
        }
        match (was_full, is_full) {
            (false, true) => Turn::EnteredFull,
            (true, false) => Turn::LeftFull,
            _ => Turn::Nothing,
        }
    }
}

fn state_and_rate(good: i64, bad: i64, settings: &ControllerManagerSettings) -> (Disruption, Millis) {
    if good == 0 && bad > 0 {
        return (Disruption::Full, settings.node_eviction_rate);
    }
    if bad > 2 && bad * 1000 >= settings.unhealthy_zone_threshold.0 * (good + bad) {
        let is_large = good + bad > settings.large_cluster_size_threshold;
        return (
            Disruption::Partial,
            if is_large {
                settings.secondary_node_eviction_rate
            } else {
                Millis(0)
            },
        );
    }
    (Disruption::Normal, settings.node_eviction_rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CT-030, and trap 7: three of five nodes stop the taints of a small zone, two do not.
    /// Shows: CT-030
    #[test]
    fn a_zones_state_sets_the_rate_of_its_taints() {
        let settings = ControllerManagerSettings::default();
        for (name, good, bad, expected) in [
            ("two of five", 3, 2, (Disruption::Normal, Millis(100))),
            ("three of five", 2, 3, (Disruption::Partial, Millis(0))),
            ("a large zone", 20, 31, (Disruption::Partial, Millis(10))),
            ("just below the threshold", 23, 28, (Disruption::Normal, Millis(100))),
            ("none ready", 0, 1, (Disruption::Full, Millis(100))),
            ("no nodes", 0, 0, (Disruption::Normal, Millis(100))),
        ] {
            assert_eq!(state_and_rate(good, bad, &settings), expected, "{name}");
        }
    }

    /// One token, then one every ten seconds.
    /// Shows: CT-029
    #[test]
    fn a_turn_costs_a_token() {
        let settings = ControllerManagerSettings::default();
        let mut zones = Zones::default();
        let mut node = Node::default();
        for name in ["a", "b", "c"] {
            node.metadata.name = name.into();
            zones.queue(&node, false, &settings, SimTime::ZERO);
        }
        let names = |turns: Vec<NodeName>| turns.iter().map(|name| name.0.to_string()).collect::<Vec<_>>();
        assert_eq!(names(zones.turns(SimTime::ZERO)), ["a"]);
        assert_eq!(zones.next_turn(), Some(SimTime::from_seconds(10)));
        assert_eq!(names(zones.turns(SimTime::from_seconds(9))), Vec::<String>::new());
        assert_eq!(names(zones.turns(SimTime::from_seconds(10))), ["b"]);
        node.metadata.name = "c".into();
        zones.remove(&node);
        assert_eq!(zones.next_turn(), None);
    }
}
