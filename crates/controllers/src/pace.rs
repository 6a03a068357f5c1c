//! Limits the rate at which failed pods are replaced. A pod that its kubelet rejects becomes Failed within
//! milliseconds, and a ReplicaSet replaces it at once. In a real cluster the API client of the controller-manager
//! limits this rate: 20 requests per second after a burst of 30 (`--kube-api-qps`, `--kube-api-burst`).
//!
//! Deviation: only the replacement of failed pods is limited, not every request of every controller, so that large
//! clusters fill quickly.

use podscope_sim::{SimTime, Span};

/// Time between two requests after the burst.
const REQUEST_INTERVAL: Span = Span(50_000);
/// Number of requests that may be sent at once after a pause.
const BURST: i64 = 30;

/// A token bucket of which only the time is stored at which it is full again.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RateLimit {
    full_at: Option<SimTime>,
}

impl RateLimit {
    /// Takes tokens for up to `count` requests. Returns the number of requests that may be sent now and, if some
    /// remain, the time until the next one.
    pub(super) fn take(&mut self, count: usize, now: SimTime) -> (usize, Option<Span>) {
        let full_at = self.full_at.map_or(now.0, |at| at.0.max(now.0));
        let available = BURST - (full_at - now.0 + REQUEST_INTERVAL.0 - 1) / REQUEST_INTERVAL.0;
        let taken = i64::try_from(count).unwrap_or(i64::MAX).min(available.max(0));
        let full_at = full_at + taken * REQUEST_INTERVAL.0;
        self.full_at = Some(SimTime(full_at));
        let taken = usize::try_from(taken).unwrap_or(0);
        let wait = (taken < count).then(|| Span((full_at - now.0 - (BURST - 1) * REQUEST_INTERVAL.0).max(1)));
        (taken, wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_limit_allows_burst_then_twenty_requests_per_second() {
        let (mut pace, mut now, mut sent) = (RateLimit::default(), SimTime(0), 0);
        while now < SimTime(10_000_000) {
            let (taken, wait) = pace.take(100, now);
            sent += taken;
            now = SimTime(now.0 + wait.expect("the pace leaves requests over").0);
        }
        assert_eq!(sent, 30 + 199);
        assert_eq!(pace.take(5, SimTime(60_000_000)), (5, None));
    }
}
