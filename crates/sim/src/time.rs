//! Simulated time: microseconds since the start of the scenario.

use std::ops::{Add, AddAssign, Sub};

/// An instant of the simulation, in microseconds since t = 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct SimTime(pub i64);

/// A length of simulated time, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct Span(pub i64);

impl Span {
    pub const ZERO: Span = Span(0);
    /// Creates a span of whole seconds.
    pub const fn seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// Creates a span of milliseconds.
    pub const fn millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1000))
    }

    /// Returns the whole seconds of this span, rounded down.
    pub const fn whole_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns the next delay of a back-off: twice this one, at most `max`.
    pub fn doubled(self, max: Self) -> Self {
        self.doubled_times(1, max)
    }

    /// Returns the delay of a back-off that starts with this one and has been doubled `times` times, at most `max`.
    pub fn doubled_times(self, times: u32, max: Self) -> Self {
        let factor = 1_i64.checked_shl(times).filter(|&factor| factor > 0);
        Self(self.0.saturating_mul(factor.unwrap_or(i64::MAX))).min(max)
    }
}

impl SimTime {
    /// The start of the scenario.
    pub const ZERO: SimTime = SimTime(0);
    /// Returns the instant `seconds` after the start.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// Rounds down to a whole second.
    pub const fn floor_second(self) -> Self {
        Self(self.0.div_euclid(1_000_000) * 1_000_000)
    }
}

impl Add<Span> for SimTime {
    type Output = SimTime;
    fn add(self, span: Span) -> SimTime {
        SimTime(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for SimTime {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for SimTime {
    type Output = SimTime;
    fn sub(self, span: Span) -> SimTime {
        SimTime(self.0.saturating_sub(span.0))
    }
}

impl Sub for SimTime {
    type Output = Span;
    fn sub(self, earlier: SimTime) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl std::fmt::Display for SimTime {
    /// Formats seconds with as many decimals as needed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Span(self.0).fmt(f)
    }
}

impl std::fmt::Display for Span {
    /// Formats seconds with as many decimals as needed, followed by `s`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        podscope_api::clock::Seconds(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_off_doubles_up_to_its_maximum() {
        let (first, max) = (Span::seconds(10), Span::seconds(300));
        let delays = [0, 1, 2, 4, 5, 62, 63, 64, u32::MAX].map(|times| first.doubled_times(times, max).whole_seconds());
        assert_eq!(delays, [10, 20, 40, 160, 300, 300, 300, 300, 300]);
        assert_eq!(Span::seconds(160).doubled(max), max);
    }
}
