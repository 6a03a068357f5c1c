//! Counts requests by arithmetic. Requests are evenly spaced and distributed round-robin to the clients, and by each
//! client round-robin to the endpoints. Shares are exact: when the distribution changes, it continues with the next
//! request, and no remainder is lost.

use podscope_api::Rate;
use podscope_sim::SimTime;

/// Evenly spaced requests from an instant on. The first request is sent one interval after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestPace {
    pub start: SimTime,
    pub rate: Rate,
}

impl RequestPace {
    /// Returns the number of requests sent up to and including an instant.
    pub(super) fn sent(&self, at: SimTime) -> u64 {
        let elapsed = i128::from((at - self.start).0.max(0));
        let sent = elapsed * i128::from(self.rate.requests) / i128::from(self.rate.micros);
        u64::try_from(sent).unwrap_or(u64::MAX)
    }

    /// Returns the rate in millionths of a request per second.
    pub(super) fn per_second(&self) -> i128 {
        i128::from(self.rate.requests) * 1_000_000 * 1_000_000 / i128::from(self.rate.micros)
    }
}

/// Returns how many of the first `n` items the receiver with this index gets if the items are distributed round-robin
/// to so many receivers.
fn round_robin_share(n: u64, receivers: u64, index: u64) -> u64 {
    debug_assert!(index < receivers, "receiver {index} of {receivers} does not exist");
    (n + (receivers - 1 - index)) / receivers
}

/// Position of one client in the round-robin distribution of a flow's requests to clients, and the state of the
/// client's own distribution to lanes (one lane per endpoint).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RoundRobinPosition {
    pub pace: RequestPace,
    /// Requests of the flow that were sent before the present distribution to clients began.
    pub before_clients: u64,
    /// Number of clients of the flow; `client` is the index of this client.
    pub clients: u64,
    pub client: u64,
    /// Requests of the client that were sent before the present distribution to lanes began.
    pub before_lanes: u64,
    /// Number of lanes of the client; `first` is the lane that got the first request of the present distribution.
    pub lanes: u64,
    pub first: u64,
}

impl RoundRobinPosition {
    /// Returns the number of requests that the client has sent since the present distribution to clients began.
    pub(super) fn sent_by_client(&self, at: SimTime) -> u64 {
        let distributed = self.pace.sent(at).saturating_sub(self.before_clients);
        round_robin_share(distributed, self.clients, self.client)
    }

    /// Returns the number of requests that the client has sent on a lane since the present distribution to lanes began.
    pub(super) fn sent_on_lane(&self, lane: u64, at: SimTime) -> u64 {
        let distributed = self.sent_by_client(at).saturating_sub(self.before_lanes);
        let which = (lane + self.lanes - self.first) % self.lanes;
        round_robin_share(distributed, self.lanes, which)
    }

    /// Begins a new distribution of the client's requests to `lanes` lanes, which continues with the next request.
    pub(super) fn redistribute(&mut self, lanes: u64, at: SimTime) {
        let sent = self.sent_by_client(at);
        let next = self.first + sent.saturating_sub(self.before_lanes);
        self.before_lanes = sent;
        self.lanes = lanes.max(1);
        self.first = next % self.lanes;
    }
}

/// Returns `per_million` millionths of `n` plus the remainder `carried` of the previous call, rounded down. The new
/// remainder is stored in `carried`, so that the sum of all results is exact.
pub(super) fn per_million_share(n: u64, per_million: u32, carried: &mut u64) -> u64 {
    let sum = u128::from(*carried) + u128::from(n) * u128::from(per_million);
    *carried = (sum % 1_000_000) as u64;
    (sum / 1_000_000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requests that are counted on all lanes add up to the requests sent, at every instant and across a new
    /// distribution to lanes.
    #[test]
    fn lane_counts_are_exact_across_redistribution() {
        let rate = Rate::parse("7/s").expect("a rate");
        let start = SimTime::from_seconds(3);
        let pace = RequestPace { start, rate };
        let mut clients: Vec<RoundRobinPosition> = (0..3)
            .map(|client| RoundRobinPosition {
                pace,
                before_clients: 0,
                clients: 3,
                client,
                before_lanes: 0,
                lanes: 4,
                first: client % 4,
            })
            .collect();
        for tenth in 0..200 {
            let at = SimTime(start.0 + tenth * 100_000);
            let lanes = |one: &RoundRobinPosition| (0..4).map(|lane| one.sent_on_lane(lane, at)).collect::<Vec<_>>();
            let all: Vec<u64> = clients.iter().flat_map(lanes).collect();
            assert_eq!(all.iter().sum::<u64>(), pace.sent(at), "at {at}");
            let (least, most) = (all.iter().min(), all.iter().max());
            assert!(
                most.zip(least).is_some_and(|(most, least)| most - least <= 2),
                "{all:?}"
            );
        }
        let at = SimTime::from_seconds(10);
        let before = clients[1].sent_by_client(at);
        clients[1].redistribute(2, at);
        let later = SimTime::from_seconds(20);
        let after: u64 = (0..2).map(|lane| clients[1].sent_on_lane(lane, later)).sum();
        assert_eq!(before + after, clients[1].sent_by_client(later));
    }

    #[test]
    fn per_million_shares_add_up() {
        let mut carried = 0;
        let parts: Vec<u64> = (0..20).map(|_| per_million_share(7, 50_000, &mut carried)).collect();
        assert_eq!(parts.iter().sum::<u64>(), 7, "5% of 140 is 7: {parts:?}");
    }
}
