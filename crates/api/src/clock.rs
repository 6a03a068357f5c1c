//! Formats times for people: the page, exported images and the reports of invariant violations use the same formats.

use std::fmt;

/// Prints microseconds as seconds with as many decimals as needed: `1.5s`.
#[derive(Debug, Clone, Copy)]
pub struct Seconds(pub i64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (seconds, micros) = (self.0.unsigned_abs() / 1_000_000, self.0.unsigned_abs() % 1_000_000);
        let fraction = format!("{micros:06}");
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{sign}{seconds}s"),
            digits => write!(f, "{sign}{seconds}.{digits}s"),
        }
    }
}

/// Prints a simulated time, in microseconds since t = 0, with tenths of a second: `1:32.4`, from one hour on
/// `1:02:03.4`.
#[must_use]
pub fn instant(micros: i64) -> String {
    let tenths = micros.max(0) / 100_000;
    let (seconds, tenth) = (tenths / 10, tenths % 10);
    format!("{}.{tenth}", whole_seconds(seconds))
}

/// Prints a number of seconds as `1:30`, from one hour on as `1:02:03`.
#[must_use]
pub fn whole_seconds(seconds: i64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}
