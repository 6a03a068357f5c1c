//! Back-off of restarts and image pulls: a delay that doubles, counted from
//! the last attempt's end, and forgotten after twice the longest delay.

use podscope_sim::{SimTime, Span};

const FIRST: Span = Span::seconds(10);
/// The longest delay, unless a kubelet's configuration says less for restarts (LC-085, LC-091).
pub(super) const LONGEST: Span = Span::seconds(300);
const FORGET: Span = Span::seconds(600);

/// One back-off entry: a container's restarts (LC-084) or a pod's pulls of an image (LC-069).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BackOff {
    /// The delay before the next attempt.
    pub(super) delay: Span,
    /// The last decision to start, or the last failure of a pull.
    pub(super) last: SimTime,
}

impl BackOff {
    /// The longest delay, from now on.
    pub(super) fn longest(delay: Span, last: SimTime) -> Self {
        Self { delay, last }
    }

    /// The delay before the restart that comes after so many.
    pub(super) fn after(restarts: i32, longest: Span, last: SimTime) -> Self {
        let mut delay = FIRST;
        for _ in 1..restarts.min(16) {
            delay = Span((delay.0 * 2).min(LONGEST.0));
        }
        let delay = delay.min(longest);
        Self { delay, last }
    }

    /// Whether housekeeping has dropped the entry by now (LC-084, LC-086).
    fn is_forgotten(&self, now: SimTime) -> bool {
        now - self.last > FORGET
    }
}

/// Whether a needed start of a container may happen now, if its last instance finished at `finished` (LC-084);
/// `longest` bounds the delays (LC-091).
///
/// # Errors
/// The delay that blocks it.
pub(super) fn restart(entry: &mut Option<BackOff>, finished: SimTime, now: SimTime, longest: Span) -> Result<(), Span> {
    let delay = match *entry {
        Some(known) if !known.is_forgotten(now) && finished - known.last <= FORGET => {
            if now - finished < known.delay {
                return Err(known.delay);
            }
            Span(known.delay.0 * 2).min(longest)
        }
        _ => FIRST.min(longest),
    };
    *entry = Some(BackOff { delay, last: now });
    Ok(())
}

/// Whether an image may not be pulled yet.
pub(super) fn is_pull_blocked(entry: &Option<BackOff>, now: SimTime) -> bool {
    entry.is_some_and(|known| !known.is_forgotten(now) && now - known.last < known.delay)
}

pub(super) fn pull_failed(entry: &mut Option<BackOff>, now: SimTime) {
    let delay = match *entry {
        Some(known) if !known.is_forgotten(now) => Span((known.delay.0 * 2).min(LONGEST.0)),
        _ => FIRST,
    };
    *entry = Some(BackOff { delay, last: now });
}

/// A delay as Go prints it: `10s`, `1m20s`, `5m0s` (LC-089).
pub(super) fn print_delay(delay: Span) -> String {
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
    fn delays_double_after_each_exit() {
        let mut entry = None;
        let mut finished = SimTime::from_seconds(100);
        assert_eq!(restart(&mut entry, finished, finished, LONGEST), Ok(()));
        for delay in [10, 20, 40, 80, 160, 300, 300] {
            finished += Span::seconds(1);
            assert_eq!(
                restart(&mut entry, finished, finished, LONGEST),
                Err(Span::seconds(delay))
            );
            let early = finished + Span(Span::seconds(delay).0 - 1);
            assert_eq!(restart(&mut entry, finished, early, LONGEST), Err(Span::seconds(delay)));
            finished += Span::seconds(delay);
            assert_eq!(
                restart(&mut entry, finished - Span::seconds(delay), finished, LONGEST),
                Ok(())
            );
        }
    }

    /// Shows: LC-091
    #[test]
    fn a_configured_maximum_bounds_the_first_delay_too() {
        let longest = Span::seconds(5);
        let mut entry = None;
        let finished = SimTime::from_seconds(100);
        assert_eq!(restart(&mut entry, finished, finished, longest), Ok(()));
        assert_eq!(restart(&mut entry, finished, finished, longest), Err(longest));
        let later = finished + longest;
        assert_eq!(restart(&mut entry, finished, later, longest), Ok(()));
        assert_eq!(restart(&mut entry, later, later, longest), Err(longest));
    }

    /// Shows: LC-086
    #[test]
    fn back_off_is_forgotten_after_ten_minutes() {
        let mut entry = Some(BackOff {
            delay: Span::seconds(300),
            last: SimTime::from_seconds(0),
        });
        // Ran for 400 s, then waits only until 600 s after the last decision.
        let finished = SimTime::from_seconds(400);
        assert!(restart(&mut entry, finished, SimTime::from_seconds(600), LONGEST).is_err());
        assert!(restart(&mut entry, finished, SimTime(600_000_001), LONGEST).is_ok());
        assert_eq!(entry.map(|entry| entry.delay), Some(Span::seconds(10)));
    }

    /// Shows: LC-089
    #[test]
    fn a_delay_is_printed_as_go_prints_it() {
        let texts: Vec<String> = [10, 20, 40, 80, 160, 300]
            .map(|seconds| print_delay(Span::seconds(seconds)))
            .into();
        assert_eq!(texts, ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s"]);
    }
}
