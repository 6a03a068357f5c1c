//! How fast pods that failed are replaced. A pod that its kubelet rejects is Failed within milliseconds, and a ReplicaSet
//! replaces it at once; what slows this down in a real cluster is the client of the controller-manager, which sends 20
//! requests a second after a burst of 30 (`--kube-api-qps`, `--kube-api-burst`).
//!
//! Deviation: only the replacement of failed pods is slowed down, not every request of every controller, so that large
//! clusters fill quickly.

use podscope_sim::{SimTime, Span};

/// Time between two requests.
const INTERVAL: Span = Span(50_000);
/// Requests that need not wait after a pause.
const BURST: i64 = 30;

/// A token bucket, kept as the instant at which it is full again.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    full_at: Option<SimTime>,
}

impl Pace {
    /// Takes up to `count` requests; how many may be sent now, and after what time the next one may if not all.
    pub(super) fn take(&mut self, count: usize, now: SimTime) -> (usize, Option<Span>) {
        let full_at = self.full_at.map_or(now.0, |at| at.0.max(now.0));
        let free = BURST - (full_at - now.0 + INTERVAL.0 - 1) / INTERVAL.0;
        let taken = i64::try_from(count).unwrap_or(i64::MAX).min(free.max(0));
        let full_at = full_at + taken * INTERVAL.0;
        self.full_at = Some(SimTime(full_at));
        let taken = usize::try_from(taken).unwrap_or(0);
        let wait = (taken < count).then(|| Span((full_at - now.0 - (BURST - 1) * INTERVAL.0).max(1)));
        (taken, wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_allows_burst_then_twenty_a_second() {
        let (mut pace, mut now, mut sent) = (Pace::default(), SimTime(0), 0);
        while now < SimTime(10_000_000) {
            let (taken, wait) = pace.take(100, now);
            sent += taken;
            now = SimTime(now.0 + wait.expect("more is wanted").0);
        }
        assert_eq!(sent, 30 + 199);
        assert_eq!(pace.take(5, SimTime(60_000_000)), (5, None));
    }
}
