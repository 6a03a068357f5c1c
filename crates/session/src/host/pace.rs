//! Pace of a playing session, and timing of frames.

use podscope_cluster::SimTime;

use super::ClockMillis;
use crate::timeline::END_OF_TIME;

/// Interval between the frames of a playing session, in milliseconds. It is short enough for 30 frames per second on a
/// busy machine.
pub(super) const FRAME_INTERVAL: ClockMillis = 25.0;
/// Time in milliseconds after which the next frame is sent even if the page has not acknowledged the last one.
const FRAME_TIMEOUT: ClockMillis = 1000.0;
/// Maximum lag in milliseconds for which a session catches up. If it lags more, it plays slower than the requested
/// speed.
const MAX_LAG: ClockMillis = 250.0;
/// Interval between measurements of the achieved speed, in milliseconds.
const MEASURE_INTERVAL: ClockMillis = 500.0;

/// How fast simulated time passes compared with the clock while a session plays.
#[derive(Debug)]
pub(super) struct Pace {
    pub(super) playing: bool,
    /// Requested speed, in thousandths of real time.
    pub(super) speed_per_mille: u64,
    achieved_per_mille: u64,
    /// Clock time and cursor when pacing started.
    origin: (ClockMillis, SimTime),
    /// Clock time and cursor at the last measurement of the achieved speed.
    measured: (ClockMillis, SimTime),
    /// Whether the session lags: the cursor has not reached the target of the last call.
    behind: bool,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            playing: false,
            speed_per_mille: 1000,
            achieved_per_mille: 0,
            origin: (0.0, SimTime::ZERO),
            measured: (0.0, SimTime::ZERO),
            behind: false,
        }
    }
}

impl Pace {
    /// Restarts pacing: from now on, the time that passes is counted from this clock time and cursor.
    pub(super) fn count_from(&mut self, clock: ClockMillis, now: SimTime) {
        self.origin = (clock, now);
        self.measured = (clock, now);
        self.behind = false;
    }

    /// Returns the simulated time that a playing session should have reached at this clock time.
    pub(super) fn target(&self, clock: ClockMillis) -> SimTime {
        let (since, from) = self.origin;
        let simulated = (clock - since).max(0.0) * self.speed_per_mille as f64;
        SimTime(from.0.saturating_add(simulated as i64)).min(END_OF_TIME)
    }

    /// Records that the cursor has reached its target, so the session does not lag.
    pub(super) fn record_target_reached(&mut self) {
        self.behind = false;
    }

    /// Records that the cursor has not reached its target. If the session lags by more than `MAX_LAG`, pacing restarts
    /// at the cursor.
    pub(super) fn record_lag(&mut self, clock: ClockMillis, now: SimTime, target: SimTime) {
        let late = (target - now).0 as f64 / self.speed_per_mille as f64;
        if late > MAX_LAG {
            // `measured` is not reset, so that the achieved speed shows the lag.
            self.origin = (clock, now);
        }
        self.behind = true;
    }

    /// Returns whether the session lags and must be advanced without a pause.
    pub(super) fn is_late(&self) -> bool {
        self.playing && self.behind
    }

    /// Returns the speed achieved since the last measurement, in thousandths of real time. At least 1 after a
    /// measurement; 0 while time is paused and before the first measurement.
    pub(super) fn achieved_speed(&mut self, clock: ClockMillis, now: SimTime) -> u64 {
        let elapsed = clock - self.measured.0;
        if elapsed >= MEASURE_INTERVAL {
            let simulated = (now - self.measured.1).0.max(0) as f64;
            self.achieved_per_mille = ((simulated / elapsed) as u64).max(1);
            self.measured = (clock, now);
        }
        if self.playing { self.achieved_per_mille } else { 0 }
    }
}

/// Time and duration of the last frame. If the simulation lags, it gets at least as much time before the next frame as
/// the last frame took.
#[derive(Debug, Default)]
pub(super) struct LastFrame {
    at: ClockMillis,
    cost: ClockMillis,
    /// Whether the page has not acknowledged the frame yet.
    pub(super) is_unacknowledged: bool,
}

impl LastFrame {
    /// Records that a frame has been built.
    pub(super) fn frame_built(&mut self, clock: ClockMillis) {
        self.at = clock;
        self.is_unacknowledged = true;
    }

    /// Records that a progress update has been sent instead of a frame.
    pub(super) fn progress_sent(&mut self, clock: ClockMillis) {
        self.at = clock;
    }

    /// Records that the frame has been sent to the page.
    pub(super) fn sent(&mut self, clock: ClockMillis) {
        self.cost = (clock - self.at).clamp(0.0, FRAME_TIMEOUT);
        self.at = clock;
    }

    /// Returns the time since the last frame, in milliseconds.
    pub(super) fn age(&self, clock: ClockMillis) -> ClockMillis {
        clock - self.at
    }

    /// Returns the pause before the next frame, in milliseconds. Frames are [`FRAME_INTERVAL`] apart; a simulation that
    /// lags gets at least as much time as the last frame took.
    fn pause(&self, is_late: bool) -> ClockMillis {
        let share = if is_late { self.cost } else { 0.0 };
        (FRAME_INTERVAL - self.cost).max(share)
    }

    /// Returns the clock time at which to check whether the next frame is due, unless the simulation lags.
    pub(super) fn next_check(&self) -> ClockMillis {
        let pause = match self.is_unacknowledged {
            true => FRAME_TIMEOUT.min(4.0 * FRAME_INTERVAL),
            false => self.pause(false),
        };
        self.at + pause
    }

    /// Returns the clock time at which the next frame is due, unless the simulation lags.
    pub(super) fn due(&self) -> ClockMillis {
        let pause = if self.is_unacknowledged { FRAME_TIMEOUT } else { 0.0 };
        self.at + self.pause(false).max(pause)
    }

    /// Returns whether the next frame is due.
    pub(super) fn is_due(&self, clock: ClockMillis, is_late: bool) -> bool {
        let waited = self.age(clock);
        waited >= self.pause(is_late) && (!self.is_unacknowledged || waited >= FRAME_TIMEOUT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The achieved speed is measured even if the simulation spends a whole measurement interval on a single instant.
    /// Shows: U-08
    #[test]
    fn session_that_lags_reports_achieved_speed() {
        let mut pace = Pace {
            playing: true,
            speed_per_mille: 10_000,
            ..Pace::default()
        };
        pace.count_from(0.0, SimTime::ZERO);
        for tick in 1..=30 {
            let clock = f64::from(tick) * 100.0;
            let now = SimTime(i64::from(tick.min(15)) * 200_000);
            let target = pace.target(clock);
            pace.record_lag(clock, now, target);
            let achieved = pace.achieved_speed(clock, now);
            match tick {
                ..5 => assert_eq!(achieved, 0, "no measurement yet"),
                5..=15 => assert_eq!(achieved, 2_000, "at {clock}"),
                20.. => assert_eq!(achieved, 1, "the cursor does not move any more"),
                _ => {}
            }
        }
    }
}
