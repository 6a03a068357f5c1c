//! Instants as people read them: one form on the page, in its words and in its pictures.

use crate::Micros;

/// An instant on the clock, with tenths: `1:32.4`, from an hour on `1:02:03.4`.
#[must_use]
pub fn instant(at: Micros) -> String {
    let tenths = at.max(0) / 100_000;
    let (seconds, tenth) = (tenths / 10, tenths % 10);
    format!("{}.{tenth}", whole(seconds))
}

/// Seconds on the clock: `1:30`.
#[must_use]
pub fn whole(seconds: i64) -> String {
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 {
        format!("{h}:{m:02}:{s:02}")
    } else {
        format!("{m}:{s:02}")
    }
}
