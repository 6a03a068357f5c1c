//! Go's duration format (`1h30m`, `1.5s`, `250ms`), in whole microseconds.

/// Parses a duration as Go's `time.ParseDuration` does. Returns microseconds, rounded down.
///
/// # Errors
/// Go's error message.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {text:?}");
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut nanos: i128 = 0;
    while !rest.is_empty() {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, after) = rest.split_at(digits(rest));
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at(digits(after)),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let unit_end = after
            .find(|letter: char| letter == '.' || letter.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, left) = after.split_at(unit_end);
        let scale: i128 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "" => return Err(format!("time: missing unit in duration {text:?}")),
            _ => return Err(format!("time: unknown unit {unit:?} in duration {text:?}")),
        };
        if whole.len() > 19 {
            return Err(invalid());
        }
        let fraction = &fraction[..fraction.len().min(18)];
        let count: i128 = if whole.is_empty() {
            0
        } else {
            whole.parse().map_err(|_| invalid())?
        };
        let part: i128 = if fraction.is_empty() {
            0
        } else {
            fraction.parse().map_err(|_| invalid())?
        };
        let power = 10_i128.pow(u32::try_from(fraction.len()).unwrap_or(0));
        nanos += count * scale + part * scale / power;
        if nanos > i128::from(i64::MAX) {
            return Err(invalid());
        }
        rest = left;
    }
    let micros = i64::try_from(nanos / 1000).map_err(|_| invalid())?;
    Ok(if negative { -micros } else { micros })
}

/// Prints microseconds in Go's format: `1h30m0s`, `1.5s`, `250ms`, `0s`.
pub fn print_duration(micros: i64) -> String {
    let sign = if micros < 0 { "-" } else { "" };
    let magnitude = micros.unsigned_abs();
    let fraction = |value: u64, unit: u64, name: &str| {
        let digits = unit.ilog10() as usize;
        let decimals = format!("{:0digits$}", value % unit);
        let decimals = decimals.trim_end_matches('0');
        let point = if decimals.is_empty() || unit == 1 { "" } else { "." };
        let decimals = if unit == 1 { "" } else { decimals };
        format!("{}{point}{decimals}{name}", value / unit)
    };
    if magnitude == 0 {
        return "0s".into();
    }
    if magnitude < 1_000 {
        return format!("{sign}{magnitude}µs");
    }
    if magnitude < 1_000_000 {
        return format!("{sign}{}", fraction(magnitude, 1_000, "ms"));
    }
    let (hours, minutes) = (magnitude / 3_600_000_000, magnitude / 60_000_000 % 60);
    let seconds = fraction(magnitude % 60_000_000, 1_000_000, "s");
    if hours > 0 {
        format!("{sign}{hours}h{minutes}m{seconds}")
    } else if minutes > 0 {
        format!("{sign}{minutes}m{seconds}")
    } else {
        format!("{sign}{seconds}")
    }
}

/// Prints microseconds like [`print_duration`], but without trailing zero parts: `1h` instead of `1h0m0s`.
pub fn print_duration_short(micros: i64) -> String {
    let text = print_duration(micros);
    let text = match text.strip_suffix("m0s") {
        Some(rest) => format!("{rest}m"),
        None => text,
    };
    match text.strip_suffix("h0m") {
        Some(rest) => format!("{rest}h"),
        None => text,
    }
}

/// `metav1.Duration`: microseconds in Go's duration format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(pub i64);

impl std::fmt::Display for Duration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print_duration(self.0))
    }
}

impl std::str::FromStr for Duration {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        parse_duration(text).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_parse_and_print_like_go() {
        for (text, micros, printed, short) in [
            ("0", 0, "0s", "0s"),
            ("1s", 1_000_000, "1s", "1s"),
            ("90s", 90_000_000, "1m30s", "1m30s"),
            ("1h", 3_600_000_000, "1h0m0s", "1h"),
            ("1h30m", 5_400_000_000, "1h30m0s", "1h30m"),
            ("1.5s", 1_500_000, "1.5s", "1.5s"),
            ("250ms", 250_000, "250ms", "250ms"),
            ("1.25ms", 1_250, "1.25ms", "1.25ms"),
            ("7us", 7, "7µs", "7µs"),
            ("-5m", -300_000_000, "-5m0s", "-5m"),
            ("10m", 600_000_000, "10m0s", "10m"),
            ("1h0m5s", 3_605_000_000, "1h0m5s", "1h0m5s"),
        ] {
            assert_eq!(parse_duration(text), Ok(micros), "{text}");
            assert_eq!(print_duration(micros), printed);
            assert_eq!(print_duration_short(micros), short);
        }
        for (bad, message) in [
            ("", "time: invalid duration \"\""),
            ("5", "time: missing unit in duration \"5\""),
            ("5d", "time: unknown unit \"d\" in duration \"5d\""),
            ("soon", "time: invalid duration \"soon\""),
            (
                "99999999999999999999h",
                "time: invalid duration \"99999999999999999999h\"",
            ),
        ] {
            assert_eq!(parse_duration(bad), Err(message.to_owned()));
        }
    }
}
