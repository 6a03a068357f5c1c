//! Node heartbeats that are computed instead of written: while the renewals of a node's lease reach the API server,
//! their times follow from the first one and the renewal interval (LC-202). No event is queued, so 5 000 idle nodes
//! cost nothing.

use podscope_api::ordered;

use podscope_api::{CausedBy, NodeName};

use crate::{SimTime, Span};

/// Interval at which a kubelet renews its lease (LC-202).
pub const RENEW_INTERVAL: Span = Span::seconds(10);

/// The lease renewals of one node, as the API server has them.
#[derive(Debug, Clone)]
struct NodeRenewals {
    /// First renewal of the current unbroken sequence; later ones follow every [`RENEW_INTERVAL`]. `None` while
    /// renewals do not arrive.
    first_of_sequence: Option<SimTime>,
    /// Last renewal of earlier sequences.
    last: Option<SimTime>,
}

/// The lease renewals of all nodes, as the API server has them.
#[derive(Debug, Clone, Default)]
pub struct Heartbeats {
    renewals_by_node: rpds::RedBlackTreeMapSync<NodeName, NodeRenewals>,
    /// Nodes whose renewals do not arrive, each with the record that stopped them.
    silent: ordered::Map<NodeName, CausedBy>,
    /// Start of the current API server outage, in which no renewal is stored.
    stopped_at: Option<SimTime>,
}

impl Heartbeats {
    /// Starts the renewals of a node; the first one arrives at `first`.
    pub fn begin(&mut self, node: &NodeName, first: SimTime) {
        let last = self.renewals_by_node.get(node).and_then(|renewals| renewals.last);
        let renewals = NodeRenewals {
            first_of_sequence: Some(first),
            last,
        };
        self.renewals_by_node.insert_mut(node.clone(), renewals);
        self.silent.remove(node);
    }

    /// Stops the renewals of a node, because of the record `cause`.
    pub fn end(&mut self, node: &NodeName, now: SimTime, cause: CausedBy) {
        let last = self.last_renewal(node, now);
        self.renewals_by_node.insert_mut(
            node.clone(),
            NodeRenewals {
                first_of_sequence: None,
                last,
            },
        );
        self.silent.insert(node.clone(), cause);
    }

    /// Replaces the record that explains why the renewals of a node do not arrive. Has no effect if they do arrive.
    pub fn blame(&mut self, node: &NodeName, record: CausedBy) {
        if let Some(known) = self.silent.get_mut(node) {
            *known = record;
        }
    }

    /// Removes a node whose lease was deleted.
    pub fn forget(&mut self, node: &NodeName) {
        self.renewals_by_node.remove_mut(node);
        self.silent.remove(node);
    }

    /// Sets whether the API server stores renewals. After it resumes, each node's next renewal arrives within one
    /// interval.
    pub fn set_server_up(&mut self, up: bool, now: SimTime) {
        match (up, self.stopped_at) {
            (false, None) => self.stopped_at = Some(now),
            (true, Some(since)) => {
                let renewing: Vec<(NodeName, NodeRenewals)> = self
                    .renewals_by_node
                    .iter()
                    .filter(|(_, renewals)| renewals.first_of_sequence.is_some())
                    .map(|(node, renewals)| (node.clone(), renewals.clone()))
                    .collect();
                for (node, renewals) in renewing {
                    let last = latest_renewal(&renewals, since);
                    let first = renewals.first_of_sequence.map(|first| next_renewal(first, now));
                    self.renewals_by_node.insert_mut(
                        node,
                        NodeRenewals {
                            first_of_sequence: first,
                            last,
                        },
                    );
                }
                self.stopped_at = None;
            }
            _ => {}
        }
    }

    /// Returns the last renewal of the node's lease as stored at `now`; `None` if it was never renewed.
    pub fn last_renewal(&self, node: &NodeName, now: SimTime) -> Option<SimTime> {
        latest_renewal(
            self.renewals_by_node.get(node)?,
            self.stopped_at.unwrap_or(now).min(now),
        )
    }

    /// Returns the nodes whose renewals do not arrive now. While the API server is up, only these can exceed the grace
    /// period.
    pub fn silent(&self) -> impl Iterator<Item = &NodeName> {
        self.silent.keys()
    }

    /// Returns the record that stopped the renewals of a silent node.
    pub fn silenced_by(&self, node: &str) -> CausedBy {
        self.silent.get(node).copied().unwrap_or_default()
    }

    /// Returns whether the renewals of a node do not arrive now.
    pub fn is_silent(&self, node: &str) -> bool {
        self.silent.contains_key(node)
    }

    /// Returns whether the API server stores renewals now.
    pub fn is_server_up(&self) -> bool {
        self.stopped_at.is_none()
    }

    /// Returns the last renewal of every node that has a lease.
    pub fn renewals(&self, now: SimTime) -> ordered::Map<NodeName, SimTime> {
        self.renewals_by_node
            .keys()
            .filter_map(|node| Some((node.clone(), self.last_renewal(node, now)?)))
            .collect()
    }
}

/// Returns the last renewal of a node at or before an instant.
fn latest_renewal(renewals: &NodeRenewals, at: SimTime) -> Option<SimTime> {
    match renewals.first_of_sequence {
        Some(first) if first <= at => {
            let n_renewals = (at - first).0 / RENEW_INTERVAL.0;
            Some(first + Span(n_renewals * RENEW_INTERVAL.0))
        }
        _ => renewals.last,
    }
}

/// Returns the earliest renewal at or after `at`, in the sequence of renewals that begins at `first`.
fn next_renewal(first: SimTime, at: SimTime) -> SimTime {
    if first >= at {
        return first;
    }
    let n_renewals = ((at - first).0 + RENEW_INTERVAL.0 - 1) / RENEW_INTERVAL.0;
    first + Span(n_renewals * RENEW_INTERVAL.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renewals_are_computed_from_phase_and_reachability() {
        let node = NodeName::from("a-1");
        let at = SimTime::from_seconds;
        let mut heartbeats = Heartbeats::default();
        assert_eq!(heartbeats.last_renewal(&node, at(5)), None);
        heartbeats.begin(&node, at(3));
        assert_eq!(heartbeats.last_renewal(&node, at(2)), None);
        assert_eq!(heartbeats.last_renewal(&node, at(12)), Some(at(3)));
        assert_eq!(heartbeats.last_renewal(&node, at(13)), Some(at(13)));
        heartbeats.set_server_up(false, at(30));
        assert_eq!(heartbeats.last_renewal(&node, at(50)), Some(at(23)));
        heartbeats.set_server_up(true, at(60));
        assert_eq!(heartbeats.last_renewal(&node, at(62)), Some(at(23)));
        assert_eq!(heartbeats.last_renewal(&node, at(63)), Some(at(63)));
        heartbeats.end(&node, at(99), CausedBy::record(7));
        assert_eq!(heartbeats.silenced_by("a-1").seq(), Some(7));
        assert_eq!(heartbeats.last_renewal(&node, at(500)), Some(at(93)));
        assert_eq!(heartbeats.silent().count(), 1);
        heartbeats.begin(&node, at(502));
        assert_eq!(heartbeats.last_renewal(&node, at(501)), Some(at(93)));
        assert_eq!(heartbeats.last_renewal(&node, at(502)), Some(at(502)));
        assert_eq!(heartbeats.silent().count(), 0);
    }
}
