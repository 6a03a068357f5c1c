//! How fast a session plays, and when its next frame is due.

use podscope_cluster::SimTime;

use super::ClockMillis;
use crate::timeline::END_OF_TIME;

/// Time between frames of a session that plays: a page on a busy machine still gets thirty a second.
pub(super) const FRAME: ClockMillis = 25.0;
/// A page that does not answer a frame gets the next one after this long.
const PATIENCE: ClockMillis = 1000.0;
/// A session that falls behind by more than this lets the difference go: its achieved speed is lower.
const LAG: ClockMillis = 250.0;
/// The achieved speed is measured anew after this long.
const MEASURE: ClockMillis = 500.0;

/// Simulated time against the clock.
#[derive(Debug)]
pub(super) struct Pace {
    pub(super) playing: bool,
    /// Thousandths of real time.
    pub(super) speed_per_mille: u64,
    achieved_per_mille: u64,
    /// Clock and cursor from which the pace counts.
    origin: (ClockMillis, SimTime),
    /// Clock and cursor of the last measurement of the achieved speed.
    measured: (ClockMillis, SimTime),
    /// The cursor is not yet where the pace wants it.
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
    /// Counts from here.
    pub(super) fn count_from(&mut self, clock: ClockMillis, now: SimTime) {
        self.origin = (clock, now);
        self.measured = (clock, now);
        self.behind = false;
    }

    /// Where the cursor of a session that plays is to be.
    pub(super) fn target(&self, clock: ClockMillis) -> SimTime {
        let (since, from) = self.origin;
        let simulated = (clock - since).max(0.0) * self.speed_per_mille as f64;
        SimTime(from.0.saturating_add(simulated as i64)).min(END_OF_TIME)
    }

    /// The cursor has come to where it is to be.
    pub(super) fn kept_up(&mut self) {
        self.behind = false;
    }

    /// The cursor is on its way; too far behind, it lets the difference go.
    pub(super) fn fell_behind(&mut self, clock: ClockMillis, now: SimTime, target: SimTime) {
        let late = (target - now).0 as f64 / self.speed_per_mille as f64;
        if late > LAG {
            // What is achieved is measured on: it is what this shows.
            self.origin = (clock, now);
        }
        self.behind = true;
    }

    /// Whether there is way to make at once.
    pub(super) fn is_late(&self) -> bool {
        self.playing && self.behind
    }

    /// The speed that was achieved of late, in thousandths of real time: at least 1, and 0 only while time stands still or
    /// nothing is measured.
    pub(super) fn achieved(&mut self, clock: ClockMillis, now: SimTime) -> u64 {
        let elapsed = clock - self.measured.0;
        if elapsed >= MEASURE {
            let simulated = (now - self.measured.1).0.max(0) as f64;
            self.achieved_per_mille = ((simulated / elapsed) as u64).max(1);
            self.measured = (clock, now);
        }
        if self.playing { self.achieved_per_mille } else { 0 }
    }
}

/// The last frame, and what it cost: the simulation gets as much time before the next one.
#[derive(Debug, Default)]
pub(super) struct LastFrame {
    at: ClockMillis,
    cost: ClockMillis,
    /// The page has not drawn it yet.
    pub(super) is_open: bool,
}

impl LastFrame {
    /// A frame is made.
    pub(super) fn made(&mut self, clock: ClockMillis) {
        self.at = clock;
        self.is_open = true;
    }

    /// A frame, or progress in its place, was made at this time of the clock: the next one waits from here.
    pub(super) fn told(&mut self, clock: ClockMillis) {
        self.at = clock;
    }

    /// It has been handed over.
    pub(super) fn sent(&mut self, clock: ClockMillis) {
        self.cost = (clock - self.at).clamp(0.0, PATIENCE);
        self.at = clock;
    }

    /// How long ago it was.
    pub(super) fn age(&self, clock: ClockMillis) -> ClockMillis {
        clock - self.at
    }

    /// Frames begin every [`FRAME`], but a simulation that is late gets as much time between two as the last one took.
    fn pause(&self, is_late: bool) -> ClockMillis {
        let share = if is_late { self.cost } else { 0.0 };
        (FRAME - self.cost).max(share)
    }

    /// When to look whether the next one is due, where the simulation is not late.
    pub(super) fn next(&self) -> ClockMillis {
        let pause = match self.is_open {
            true => PATIENCE.min(4.0 * FRAME),
            false => self.pause(false),
        };
        self.at + pause
    }

    /// Whether the next one is due.
    pub(super) fn is_due(&self, clock: ClockMillis, is_late: bool) -> bool {
        let waited = self.age(clock);
        waited >= self.pause(is_late) && (!self.is_open || waited >= PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who plays faster than the machine can is told what it achieves, also while it computes one instant.
    /// Shows: U-08
    #[test]
    fn a_session_that_stays_behind_tells_the_speed_that_it_achieves() {
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
            pace.fell_behind(clock, now, target);
            let achieved = pace.achieved(clock, now);
            match tick {
                ..5 => assert_eq!(achieved, 0, "nothing is measured yet"),
                5..=15 => assert_eq!(achieved, 2_000, "at {clock}"),
                20.. => assert_eq!(achieved, 1, "one instant is computed since"),
                _ => {}
            }
        }
    }
}
