//! Durations in commands, and ages as kubectl prints them.

use podscope_cluster::Span;

/// Parses a duration in Go's syntax: `90s`, `1m30s`, `1.5h`, `250ms`.
///
/// # Errors
/// Go's message about invalid text, e.g. `time: missing unit in duration "5"`.
pub fn parse_duration(text: &str) -> Result<Span, String> {
    podscope_api::parse_duration(text).map(Span)
}

/// Formats a duration so that it parses to the same value: `1m30s`, `250ms`, `0s`.
pub fn print_duration(span: Span) -> String {
    podscope_api::print_duration_short(span.0)
}

/// Formats an age like kubectl, in one or two units (KC-012). `elapsed` is in whole seconds, rounded down.
pub fn human_duration(elapsed: i64) -> String {
    let two = |big: i64, big_unit: &str, int32: i64, small_unit: &str| {
        if int32 == 0 {
            format!("{big}{big_unit}")
        } else {
            format!("{big}{big_unit}{int32}{small_unit}")
        }
    };
    let (minutes, hours) = (elapsed / 60, elapsed / 3600);
    match elapsed {
        ..-1 => "<invalid>".into(),
        -1 => "0s".into(),
        0..120 => format!("{elapsed}s"),
        120..600 => two(minutes, "m", elapsed % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => two(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => two(hours / 24, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{}d", hours / 24),
        63_072_000..252_288_000 => two(hours / 24 / 365, "y", hours / 24 % 365, "d"),
        _ => format!("{}y", hours / 24 / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: KC-012
    #[test]
    fn human_duration_equals_kubectl_output() {
        for (seconds, text) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (28_799, "7h59m"),
            (172_799, "47h"),
            (691_199, "7d23h"),
            (691_200, "8d"),
            (63_071_999, "729d"),
            (63_072_000, "2y"),
            (252_288_000, "8y"),
        ] {
            assert_eq!(human_duration(seconds), text);
        }
    }

    #[test]
    fn printed_durations_parse_to_the_same_value() {
        for (text, micros) in [
            ("90s", 90_000_000),
            ("1m30s", 90_000_000),
            ("1.5h", 5_400_000_000),
            ("250ms", 250_000),
            ("0", 0),
            ("-1s", -1_000_000),
            ("12.345678s", 12_345_678),
        ] {
            let span = parse_duration(text).unwrap();
            assert_eq!(span.0, micros, "{text}");
            assert_eq!(parse_duration(&print_duration(span)), Ok(span), "{text}");
        }
        for bad in ["", "5", "x", "1d", "s", "99999999999999h", "1.s.", "١s"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
