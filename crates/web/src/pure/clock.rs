//! Texts for simulated instants, durations and speeds.

use podscope_messages::t;
use podscope_protocol::Micros;
pub(crate) use podscope_protocol::clock::instant;
use podscope_protocol::clock::whole_seconds;
use podscope_protocol::duration;

const SECOND: i64 = 1_000_000;

/// Formats an instant without tenths of a second, for axes: `1:30`.
pub(crate) fn axis_label(at: Micros) -> String {
    whole_seconds(at.max(0) / SECOND)
}

/// Formats the time left in a countdown: `11 s`, `4:12`. Both instants are first rounded down to whole seconds, so that
/// the result is consistent with the instants that [`axis_label`] shows.
pub(crate) fn countdown(until: Micros, now: Micros) -> String {
    format_seconds(until.max(0) / SECOND - now.max(0) / SECOND)
}

/// Formats a duration, rounded to the nearest second: `20 s`, `5:00`.
pub(crate) fn rounded_duration(micros: Micros) -> String {
    format_seconds((micros + SECOND / 2) / SECOND)
}

fn format_seconds(seconds: i64) -> String {
    match seconds.max(0) {
        few @ ..100 => duration::of_seconds(few),
        many => whole_seconds(many),
    }
}

/// Formats a duration in the notation of scenarios, to a tenth of a second: `12.3s`.
pub(crate) fn scenario_duration(micros: Micros) -> String {
    let tenths = micros / (SECOND / 10);
    match tenths % 10 {
        0 => format!("{}s", tenths / 10),
        tenth => format!("{}.{tenth}s", tenths / 10),
    }
}

/// Formats the age of a state, in whole seconds: `12 s`, `4:12`.
pub(crate) fn age(since: Micros, now: Micros) -> String {
    countdown(now, since.min(now))
}

/// A number with narrow spaces between groups of digits: `1 000 000`.
pub(crate) fn number_in_digit_groups(number: i64) -> String {
    let sign = if number < 0 { "−" } else { "" };
    format!("{sign}{}", count_in_digit_groups(number.unsigned_abs()))
}

/// Formats the time since an instant, rounded down: `82 s`, `4 min`, `2 h`.
pub(crate) fn ago(since: Micros, now: Micros) -> String {
    duration::in_largest_unit((now - since) / SECOND)
}

/// Formats a speed given in thousandths: `0.1×`, `10×`, `10 000×`.
pub(crate) fn speed_text(per_mille: u64) -> String {
    if per_mille < 1000 {
        let hundredths = (per_mille + 5) / 10;
        let digits = format!("{:02}", hundredths % 100);
        return format!("{}×", format_decimal(hundredths / 100, digits.trim_end_matches('0')));
    }
    let whole = per_mille / 1000;
    let tenth = per_mille % 1000 / 100;
    if whole < 10 && tenth > 0 {
        return format!("{}×", format_decimal(whole, &tenth.to_string()));
    }
    format!("{}×", count_in_digit_groups(whole))
}

/// Formats a decimal number with the decimal separator of the language; a whole number has no decimals.
fn format_decimal(whole: u64, digits: &str) -> String {
    match digits {
        "" => whole.to_string(),
        digits => format!("{whole}{}{digits}", t!(duration::decimal_separator)),
    }
}

/// A count with narrow spaces between groups of digits: `12 345`.
pub(crate) fn count_in_digit_groups(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// Parses an instant typed into the clock: `90`, `90s`, `1:30`, `1:02:03.5`, `5m`.
pub(crate) fn parse(text: &str) -> Option<Micros> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let unit = |amount: &str, factor: i64| {
        let value: f64 = amount.trim().parse().ok()?;
        (value.is_finite() && (0.0..=1.0e8).contains(&value)).then_some((value * SECOND as f64) as i64 * factor)
    };
    if let Some(amount) = text.strip_suffix('s') {
        return unit(amount, 1);
    }
    if let Some(amount) = text.strip_suffix('m') {
        return unit(amount, 60);
    }
    if let Some(amount) = text.strip_suffix('h') {
        return unit(amount, 3600);
    }
    let mut total = 0;
    let parts: Vec<&str> = text.split(':').collect();
    if parts.len() > 3 {
        return None;
    }
    for part in parts {
        total = total * 60 + unit(part, 1)?;
    }
    Some(total)
}

/// The speeds of the slider, in thousandths: 1, 2, 5 steps from 0.1× to 10 000×.
pub(crate) const SPEEDS: [u64; 16] = [
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000,
    5_000_000, 10_000_000,
];

/// Returns the index of a speed in [`SPEEDS`].
pub(crate) fn speed_index(per_mille: u64) -> usize {
    SPEEDS.iter().rposition(|speed| *speed <= per_mille).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_durations_and_speeds_are_formatted() {
        assert_eq!(instant(92_440_000), "1:32.4");
        assert_eq!(instant(3_723_400_000), "1:02:03.4");
        assert_eq!(axis_label(90 * SECOND), "1:30");
        assert_eq!(countdown(11_000_001, 0), "11 s");
        assert_eq!(countdown(252 * SECOND, 0), "4:12");
        assert_eq!(ago(0, 82 * SECOND), "82 s");
        assert_eq!(ago(0, 300 * SECOND), "5 min");
        assert_eq!(speed_text(100), "0.1×");
        assert_eq!(speed_text(1_000), "1×");
        assert_eq!(speed_text(2_500), "2.5×");
        assert_eq!(speed_text(10_000_000), "10\u{202f}000×");
    }

    /// Instants, durations and countdowns are rounded in the same way.
    /// Shows: U-05
    #[test]
    fn countdown_is_consistent_with_shown_instants() {
        let (now, until) = (179_400_000, 375_020_000);
        assert_eq!(
            (axis_label(now), axis_label(until)),
            ("2:59".to_owned(), "6:15".to_owned())
        );
        assert_eq!(countdown(until, now), "3:16");
        assert_eq!(countdown(until, now - SECOND), "3:17");
        assert_eq!(rounded_duration(20_003_000), "20 s");
        assert_eq!(rounded_duration(19_999_999), "20 s");
        assert_eq!(rounded_duration(300_012_000), "5:00");
    }

    #[test]
    fn typed_instants_are_parsed() {
        assert_eq!(parse("90"), Some(90 * SECOND));
        assert_eq!(parse("1:30"), Some(90 * SECOND));
        assert_eq!(parse("1:00:00.5"), Some(3_600_500_000));
        assert_eq!(parse("5m"), Some(300 * SECOND));
        for bad in ["", "x", "1:2:3:4", "-4", "NaN", "1e99"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn speed_index_is_nearest_lower_speed() {
        assert_eq!(speed_index(1_000), 3);
        assert_eq!(speed_index(9_999), 5);
        assert_eq!(SPEEDS[speed_index(u64::MAX)], 10_000_000);
    }
}
