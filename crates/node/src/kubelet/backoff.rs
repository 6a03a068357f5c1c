//! Back-off of restarts and image pulls: the delay doubles after each failure, counts from the end of the last attempt,
//! and is reset after twice the maximum delay.

use podscope_sim::{SimTime, Span};

/// Delay after the first failure.
const INITIAL_DELAY: Span = Span::seconds(10);
/// Maximum delay; a kubelet's configuration may set a smaller one for restarts (LC-085, LC-091).
pub(super) const MAX_DELAY: Span = Span::seconds(300);
/// Time after which an entry is dropped, so that the next failure starts with the initial delay again.
const RESET_AFTER: Span = Span::seconds(600);

/// One back-off entry: a container's restarts (LC-084) or a pod's pulls of an image (LC-069).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BackOff {
    pub(super) delay: Span,
    /// When the kubelet last decided to start the container, or when the last pull failed.
    pub(super) last: SimTime,
}

impl BackOff {
    /// Creates an entry with the given delay, counted from `last`.
    pub(super) fn with_delay(delay: Span, last: SimTime) -> Self {
        Self { delay, last }
    }

    /// Returns the entry of a container that was restarted `restarts` times.
    pub(super) fn after_restarts(restarts: i32, max: Span, last: SimTime) -> Self {
        let doublings = u32::try_from(restarts.saturating_sub(1)).unwrap_or(0);
        let delay = INITIAL_DELAY.doubled_times(doublings, MAX_DELAY).min(max);
        Self { delay, last }
    }

    /// Returns whether the kubelet's garbage collection has dropped the entry by now (LC-084, LC-086).
    fn is_garbage_collected(&self, now: SimTime) -> bool {
        now - self.last > RESET_AFTER
    }
}

/// Allows or delays the start of a container whose last instance finished at `finished` (LC-084). An allowed start
/// doubles the delay, up to `max` (LC-091).
///
/// # Errors
/// The delay that is still running.
pub(super) fn try_restart(entry: &mut Option<BackOff>, finished: SimTime, now: SimTime, max: Span) -> Result<(), Span> {
    let delay = match *entry {
        Some(known) if !known.is_garbage_collected(now) && finished - known.last <= RESET_AFTER => {
            if now - finished < known.delay {
                return Err(known.delay);
            }
            known.delay.doubled(max)
        }
        _ => INITIAL_DELAY.min(max),
    };
    *entry = Some(BackOff { delay, last: now });
    Ok(())
}

/// Returns whether the image must not be pulled yet because of the back-off.
pub(super) fn is_pull_blocked(entry: &Option<BackOff>, now: SimTime) -> bool {
    entry.is_some_and(|known| !known.is_garbage_collected(now) && now - known.last < known.delay)
}

/// Doubles the back-off after a failed pull.
pub(super) fn record_pull_failure(entry: &mut Option<BackOff>, now: SimTime) {
    let delay = match *entry {
        Some(known) if !known.is_garbage_collected(now) => known.delay.doubled(MAX_DELAY),
        _ => INITIAL_DELAY,
    };
    *entry = Some(BackOff { delay, last: now });
}

/// Formats a delay as Go does: `10s`, `1m20s`, `5m0s` (LC-089).
pub(super) fn format_delay(delay: Span) -> String {
    let seconds = delay.whole_seconds();
    if seconds < 60 {
        format!("{seconds}s")
    } else {
        format!("{}m{}s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: LC-085
    #[test]
    fn restart_delay_doubles_after_each_exit() {
        let mut entry = None;
        let mut finished = SimTime::from_seconds(100);
        assert_eq!(try_restart(&mut entry, finished, finished, MAX_DELAY), Ok(()));
        for delay in [10, 20, 40, 80, 160, 300, 300] {
            finished += Span::seconds(1);
            assert_eq!(
                try_restart(&mut entry, finished, finished, MAX_DELAY),
                Err(Span::seconds(delay))
            );
            let early = finished + Span(Span::seconds(delay).0 - 1);
            assert_eq!(
                try_restart(&mut entry, finished, early, MAX_DELAY),
                Err(Span::seconds(delay))
            );
            finished += Span::seconds(delay);
            assert_eq!(
                try_restart(&mut entry, finished - Span::seconds(delay), finished, MAX_DELAY),
                Ok(())
            );
        }
    }

    /// Shows: LC-091
    #[test]
    fn configured_maximum_limits_first_restart_delay() {
        let max = Span::seconds(5);
        let mut entry = None;
        let finished = SimTime::from_seconds(100);
        assert_eq!(try_restart(&mut entry, finished, finished, max), Ok(()));
        assert_eq!(try_restart(&mut entry, finished, finished, max), Err(max));
        let later = finished + max;
        assert_eq!(try_restart(&mut entry, finished, later, max), Ok(()));
        assert_eq!(try_restart(&mut entry, later, later, max), Err(max));
    }

    /// Shows: LC-086
    #[test]
    fn back_off_resets_after_ten_minutes() {
        let mut entry = Some(BackOff {
            delay: Span::seconds(300),
            last: SimTime::from_seconds(0),
        });
        // The container ran for 400 s; the delay ends early because the entry is reset 600 s after the last start.
        let finished = SimTime::from_seconds(400);
        assert!(try_restart(&mut entry, finished, SimTime::from_seconds(600), MAX_DELAY).is_err());
        assert!(try_restart(&mut entry, finished, SimTime(600_000_001), MAX_DELAY).is_ok());
        assert_eq!(entry.map(|entry| entry.delay), Some(Span::seconds(10)));
    }

    /// Shows: LC-089
    #[test]
    fn restart_delay_is_formatted_as_in_go() {
        let texts: Vec<String> = [10, 20, 40, 80, 160, 300]
            .map(|seconds| format_delay(Span::seconds(seconds)))
            .into();
        assert_eq!(texts, ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s"]);
    }
}
