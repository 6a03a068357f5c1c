//! Formats durations in the current language. In every language, points in time are written as in scenarios (`1:32.4`).

use podscope_messages::t;

/// Formats a duration in whole seconds, rounded down to its largest useful unit: `82 s`, `4 min`, `2 h`.
#[must_use]
pub fn in_largest_unit(seconds: i64) -> String {
    match seconds {
        ..120 => of_seconds(seconds),
        120..7200 => t!(duration::minutes, n = seconds / 60),
        _ => t!(duration::hours, n = seconds / 3600),
    }
}

/// Formats a duration in seconds: `82 s`.
#[must_use]
pub fn of_seconds(seconds: i64) -> String {
    t!(duration::seconds, n = seconds.max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_formatted_in_largest_useful_unit() {
        let formatted = [-1, 119, 120, 7199, 7200].map(in_largest_unit);
        assert_eq!(formatted, ["0 s", "119 s", "2 min", "119 min", "2 h"]);
    }
}
