//! Which request is whose, by arithmetic: requests are evenly spaced, dealt out in turn to the clients, and by each
//! client in turn to the endpoints. Shares are exact, and what is left over is carried on: where the dealing changes,
//! the next request is the next one's.

use podscope_api::Rate;
use podscope_sim::SimTime;

/// Evenly spaced requests from an instant on: the first is sent one interval after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pace {
    pub start: SimTime,
    pub rate: Rate,
}

impl Pace {
    /// How many were sent up to and including an instant.
    pub(super) fn sent(&self, at: SimTime) -> u64 {
        let elapsed = i128::from((at - self.start).0.max(0));
        let sent = elapsed * i128::from(self.rate.requests) / i128::from(self.rate.micros);
        u64::try_from(sent).unwrap_or(u64::MAX)
    }

    /// Millionths of a request per second.
    pub(super) fn per_second(&self) -> i128 {
        i128::from(self.rate.requests) * 1_000_000 * 1_000_000 / i128::from(self.rate.micros)
    }
}

/// How many of the first `n` things that are dealt out in turn to `of` go to number `which`.
fn share(n: u64, of: u64, which: u64) -> u64 {
    debug_assert!(which < of, "number {which} of {of}");
    (n + (of - 1 - which)) / of
}

/// The place of a lane among everything that is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbering {
    pub pace: Pace,
    /// How many requests of the flow were sent before they were dealt out to these clients.
    pub before_clients: u64,
    /// How many clients there are, and which of them this is.
    pub clients: u64,
    pub client: u64,
    /// How many requests of the client were sent before they were dealt out to these lanes.
    pub before_lanes: u64,
    /// How many lanes there are, and whose turn was first.
    pub lanes: u64,
    pub first: u64,
}

impl Numbering {
    /// How many the client has sent since the requests were dealt out to these clients.
    pub(super) fn of_client(&self, at: SimTime) -> u64 {
        let dealt = self.pace.sent(at).saturating_sub(self.before_clients);
        share(dealt, self.clients, self.client)
    }

    /// How many were sent on a lane.
    pub(super) fn of_lane(&self, lane: u64, at: SimTime) -> u64 {
        let dealt = self.of_client(at).saturating_sub(self.before_lanes);
        let which = (lane + self.lanes - self.first) % self.lanes;
        share(dealt, self.lanes, which)
    }

    /// Deals out anew from an instant on, to that many lanes.
    pub(super) fn deal(&mut self, lanes: u64, at: SimTime) {
        let sent = self.of_client(at);
        let next = self.first + sent.saturating_sub(self.before_lanes);
        self.before_lanes = sent;
        self.lanes = lanes.max(1);
        self.first = next % self.lanes;
    }
}

/// The share of `n` that is `per_million`, exact over time by what is carried.
pub(super) fn part(n: u64, per_million: u32, carried: &mut u64) -> u64 {
    let sum = u128::from(*carried) + u128::from(n) * u128::from(per_million);
    *carried = (sum % 1_000_000) as u64;
    (sum / 1_000_000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares are exact at each instant, whoever asks when, and over changes of the dealing.
    #[test]
    fn shares_are_exact_and_remainders_are_carried() {
        let rate = Rate::parse("7/s").expect("a rate");
        let start = SimTime::from_seconds(3);
        let pace = Pace { start, rate };
        let mut clients: Vec<Numbering> = (0..3)
            .map(|client| Numbering {
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
            let lanes = |one: &Numbering| (0..4).map(|lane| one.of_lane(lane, at)).collect::<Vec<_>>();
            let all: Vec<u64> = clients.iter().flat_map(lanes).collect();
            assert_eq!(all.iter().sum::<u64>(), pace.sent(at), "at {at}");
            let (least, most) = (all.iter().min(), all.iter().max());
            assert!(
                most.zip(least).is_some_and(|(most, least)| most - least <= 2),
                "{all:?}"
            );
        }
        let at = SimTime::from_seconds(10);
        let before = clients[1].of_client(at);
        clients[1].deal(2, at);
        let later = SimTime::from_seconds(20);
        let after: u64 = (0..2).map(|lane| clients[1].of_lane(lane, later)).sum();
        assert_eq!(before + after, clients[1].of_client(later));
    }

    #[test]
    fn parts_add_up() {
        let mut carried = 0;
        let parts: Vec<u64> = (0..20).map(|_| part(7, 50_000, &mut carried)).collect();
        assert_eq!(parts.iter().sum::<u64>(), 7, "5% of 140 in {parts:?}");
    }
}
