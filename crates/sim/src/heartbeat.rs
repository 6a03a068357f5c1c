//! Heartbeats of nodes, without writing them: the renewals of a node's lease
//! follow from its phase and from since when they reach the API server
//! (LC-202). Nothing here is queued; 5 000 idle nodes cost nothing.

use podscope_api::ordered;

use podscope_api::{CausedBy, NodeName};

use crate::{SimTime, Span};

/// How often a kubelet renews its lease (LC-202).
pub const RENEW_INTERVAL: Span = Span::seconds(10);

#[derive(Debug, Clone)]
struct Heart {
    /// First renewal of the current unbroken run; later ones follow every [`RENEW_INTERVAL`]. None while renewals do not arrive.
    beating_since: Option<SimTime>,
    /// Last renewal of earlier runs.
    last: Option<SimTime>,
}

/// The renewals of all nodes as the API server has them.
#[derive(Debug, Clone, Default)]
pub struct Heartbeats {
    hearts: rpds::RedBlackTreeMapSync<NodeName, Heart>,
    /// Nodes whose renewals do not arrive, with what stopped them.
    silent: ordered::Map<NodeName, CausedBy>,
    /// While the API server stores nothing, no renewal arrives: closed outages and the open one.
    stopped_at: Option<SimTime>,
}

impl Heartbeats {
    /// Renewals of a node arrive from `first` on.
    pub fn begin(&mut self, node: &NodeName, first: SimTime) {
        let last = self.hearts.get(node).and_then(|heart| heart.last);
        let heart = Heart {
            beating_since: Some(first),
            last,
        };
        self.hearts.insert_mut(node.clone(), heart);
        self.silent.remove(node);
    }

    /// Renewals of a node arrive no more, because of that record.
    pub fn end(&mut self, node: &NodeName, now: SimTime, cause: CausedBy) {
        let last = self.last_renewal(node, now);
        self.hearts.insert_mut(
            node.clone(),
            Heart {
                beating_since: None,
                last,
            },
        );
        self.silent.insert(node.clone(), cause);
    }

    /// A record that tells of what stopped the renewals of a node, if they do not arrive now.
    pub fn blame(&mut self, node: &NodeName, record: CausedBy) {
        if let Some(known) = self.silent.get_mut(node) {
            *known = record;
        }
    }

    /// The node's lease is gone.
    pub fn forget(&mut self, node: &NodeName) {
        self.hearts.remove_mut(node);
        self.silent.remove(node);
    }

    /// The API server stops or resumes storing renewals; on resumption each node's next one arrives within an interval.
    pub fn server(&mut self, up: bool, now: SimTime) {
        match (up, self.stopped_at) {
            (false, None) => self.stopped_at = Some(now),
            (true, Some(since)) => {
                let beating: Vec<(NodeName, Heart)> = self
                    .hearts
                    .iter()
                    .filter(|(_, heart)| heart.beating_since.is_some())
                    .map(|(node, heart)| (node.clone(), heart.clone()))
                    .collect();
                for (node, heart) in beating {
                    let last = latest(&heart, since);
                    let first = heart.beating_since.map(|first| next_of(first, now));
                    self.hearts.insert_mut(
                        node,
                        Heart {
                            beating_since: first,
                            last,
                        },
                    );
                }
                self.stopped_at = None;
            }
            _ => {}
        }
    }

    /// When the node's lease was last renewed, as stored at `now`; none if it never was.
    pub fn last_renewal(&self, node: &NodeName, now: SimTime) -> Option<SimTime> {
        latest(self.hearts.get(node)?, self.stopped_at.unwrap_or(now).min(now))
    }

    /// Nodes whose renewals do not arrive now: the only ones that can cross a threshold while the API server stores.
    pub fn silent(&self) -> impl Iterator<Item = &NodeName> {
        self.silent.keys()
    }

    /// What stopped the renewals of a node that do not arrive now.
    pub fn silenced_by(&self, node: &str) -> CausedBy {
        self.silent.get(node).copied().unwrap_or_default()
    }

    /// Whether the renewals of a node do not arrive now.
    pub fn is_silent(&self, node: &str) -> bool {
        self.silent.contains_key(node)
    }

    /// Whether the API server stores renewals now.
    pub fn is_server_up(&self) -> bool {
        self.stopped_at.is_none()
    }

    /// Nodes with a lease, with their last renewal.
    pub fn renewals(&self, now: SimTime) -> ordered::Map<NodeName, SimTime> {
        self.hearts
            .keys()
            .filter_map(|node| Some((node.clone(), self.last_renewal(node, now)?)))
            .collect()
    }
}

fn latest(heart: &Heart, at: SimTime) -> Option<SimTime> {
    match heart.beating_since {
        Some(first) if first <= at => {
            let beats = (at - first).0 / RENEW_INTERVAL.0;
            Some(first + Span(beats * RENEW_INTERVAL.0))
        }
        _ => heart.last,
    }
}

/// The first beat of a run not before `at`.
fn next_of(first: SimTime, at: SimTime) -> SimTime {
    if first >= at {
        return first;
    }
    let beats = ((at - first).0 + RENEW_INTERVAL.0 - 1) / RENEW_INTERVAL.0;
    first + Span(beats * RENEW_INTERVAL.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renewals_follow_from_phase_and_reachability() {
        let node = NodeName::from("a-1");
        let at = SimTime::from_seconds;
        let mut hearts = Heartbeats::default();
        assert_eq!(hearts.last_renewal(&node, at(5)), None);
        hearts.begin(&node, at(3));
        assert_eq!(hearts.last_renewal(&node, at(2)), None);
        assert_eq!(hearts.last_renewal(&node, at(12)), Some(at(3)));
        assert_eq!(hearts.last_renewal(&node, at(13)), Some(at(13)));
        hearts.server(false, at(30));
        assert_eq!(hearts.last_renewal(&node, at(50)), Some(at(23)));
        hearts.server(true, at(60));
        assert_eq!(hearts.last_renewal(&node, at(62)), Some(at(23)));
        assert_eq!(hearts.last_renewal(&node, at(63)), Some(at(63)));
        hearts.end(&node, at(99), CausedBy::record(7));
        assert_eq!(hearts.silenced_by("a-1").seq(), Some(7));
        assert_eq!(hearts.last_renewal(&node, at(500)), Some(at(93)));
        assert_eq!(hearts.silent().count(), 1);
        hearts.begin(&node, at(502));
        assert_eq!(hearts.last_renewal(&node, at(501)), Some(at(93)));
        assert_eq!(hearts.last_renewal(&node, at(502)), Some(at(502)));
        assert_eq!(hearts.silent().count(), 0);
    }
}
