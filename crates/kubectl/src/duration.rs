//! Durations as people and Kubernetes write them: Go's `90s`, `1m30s`, `1.5h`, `250ms`.

use podscope_cluster::Span;

const UNITS: &[(&str, i64)] = &[
    ("ns", 0),
    ("us", 1),
    ("µs", 1),
    ("μs", 1),
    ("ms", 1000),
    ("s", 1_000_000),
    ("m", 60_000_000),
    ("h", 3_600_000_000),
];

/// Reads a duration.
///
/// # Errors
/// Go's words for what is wrong, e.g. `time: missing unit in duration "5"`.
pub fn parse_duration(text: &str) -> Result<Span, String> {
    let invalid = || format!("time: invalid duration {text:?}");
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(Span::ZERO);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (whole, after) = rest.split_at(digits);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => {
                let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                after.split_at(digits)
            }
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let unit_len = after
            .find(|c: char| c == '.' || c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, left) = after.split_at(unit_len);
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {text:?}"));
        }
        let Some((_, micros)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("time: unknown unit {unit:?} in duration {text:?}"));
        };
        let value: i64 = if whole.is_empty() {
            0
        } else {
            whole.parse().map_err(|_| invalid())?
        };
        let mut part = if *micros == 0 {
            value / 1000
        } else {
            value.checked_mul(*micros).ok_or_else(invalid)?
        };
        let mut place = *micros;
        for digit in fraction.bytes().take(12) {
            place /= 10;
            part = part.checked_add(i64::from(digit - b'0') * place).ok_or_else(invalid)?;
        }
        total = total.checked_add(part).ok_or_else(invalid)?;
        rest = left;
    }
    Ok(Span(if negative { -total } else { total }))
}

/// Prints a duration so that it reads back as the same one: `1m30s`, `250ms`, `0s`.
pub fn print_duration(span: Span) -> String {
    if span == Span::ZERO {
        return "0s".into();
    }
    let mut out = String::new();
    if span.0 < 0 {
        out.push('-');
    }
    let micros = span.0.unsigned_abs();
    if micros < 1000 {
        return format!("{out}{micros}us");
    }
    if micros < 1_000_000 {
        let (millis, rest) = (micros / 1000, micros % 1000);
        let fraction = if rest == 0 {
            String::new()
        } else {
            format!(".{rest:03}").trim_end_matches('0').to_owned()
        };
        return format!("{out}{millis}{fraction}ms");
    }
    let (hours, minutes) = (micros / 3_600_000_000, micros / 60_000_000 % 60);
    let (seconds, rest) = (micros / 1_000_000 % 60, micros % 1_000_000);
    if hours > 0 {
        out.push_str(&format!("{hours}h"));
    }
    if minutes > 0 {
        out.push_str(&format!("{minutes}m"));
    }
    if rest > 0 {
        out.push_str(format!("{seconds}.{rest:06}").trim_end_matches('0'));
        out.push('s');
    } else if seconds > 0 {
        out.push_str(&format!("{seconds}s"));
    }
    out
}

/// Age as kubectl prints it (KC-012). `elapsed` in whole seconds, rounded down.
pub fn human_duration(elapsed: i64) -> String {
    let two = |big: i64, big_unit: &str, small: i64, small_unit: &str| {
        if small == 0 {
            format!("{big}{big_unit}")
        } else {
            format!("{big}{big_unit}{small}{small_unit}")
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

    /// KC-012.
    #[test]
    fn ages_are_printed_as_kubectl_prints_them() {
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
    fn durations_read_and_print() {
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
