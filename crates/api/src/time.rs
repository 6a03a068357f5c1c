//! Timestamps of the API. Both types hold microseconds since the Unix epoch; they differ only in how they are printed.

/// `metav1.Time`: printed in RFC 3339 with seconds, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub i64);

/// `metav1.MicroTime`: printed in RFC 3339 with microseconds, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MicroTime(pub i64);

impl Time {
    /// Creates the time `seconds` after the Unix epoch.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds * 1_000_000)
    }

    /// Returns whole seconds since the Unix epoch, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }
}

/// Returns the number of days from the Unix epoch to a date (proleptic Gregorian calendar).
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Returns year, month and day of the date that is `days` days after the Unix epoch.
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days - era * 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (
        year_of_era + era * 400 + i64::from(month <= 2),
        month,
        day_of_year - (153 * shifted + 2) / 5 + 1,
    )
}

/// Parses RFC 3339 with any fraction and offset to microseconds since the epoch.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let part = text.get(range)?;
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            part.parse().ok()
        } else {
            None
        }
    };
    let separator = |at: usize, expected: &[u8]| text.as_bytes().get(at).is_some_and(|byte| expected.contains(byte));
    if !(separator(4, b"-") && separator(7, b"-") && separator(10, b"Tt") && separator(13, b":") && separator(16, b":"))
    {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in_month = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let last_day = *days_in_month.get(usize::try_from(month - 1).ok()?)?;
    if day < 1 || day > last_day || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut rest = text.get(19..)?;
    let mut micros = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > 9 {
            return None;
        }
        let mut padded = fraction.get(..digits)?.to_owned();
        while padded.len() < 6 {
            padded.push('0');
        }
        micros = padded.get(..6)?.parse().ok()?;
        rest = fraction.get(digits..)?;
    }
    let offset = match rest {
        "Z" | "z" => 0,
        _ => {
            let sign = match rest.as_bytes().first()? {
                b'+' => 1,
                b'-' => -1,
                _ => return None,
            };
            let bytes = rest.as_bytes();
            if bytes.len() != 6 || bytes.get(3) != Some(&b':') {
                return None;
            }
            let hours: i64 = rest.get(1..3)?.parse().ok()?;
            let minutes: i64 = rest.get(4..6)?.parse().ok()?;
            sign * (hours * 3600 + minutes * 60)
        }
    };
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(seconds * 1_000_000 + micros)
}

/// Prints a time in RFC 1123 in UTC with a numeric zone, as kubectl does: `Sat, 21 Nov 2026 01:06:15 +0000` (KC-064).
pub fn print_rfc1123(at: Time) -> String {
    // 1970-01-01 was a Thursday.
    const WEEKDAY_NAMES: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTH_NAMES: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let days = at.seconds().div_euclid(86_400);
    let (year, month, day) = civil_from_days(days);
    let of_day = at.seconds().rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let name_at = |names: &[&'static str], at: i64| {
        usize::try_from(at)
            .ok()
            .and_then(|at| names.get(at).copied())
            .unwrap_or("")
    };
    let (weekday, month) = (
        name_at(&WEEKDAY_NAMES, days.rem_euclid(7)),
        name_at(&MONTH_NAMES, month - 1),
    );
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} +0000")
}

/// Prints a time in RFC 3339 in UTC; `fraction_digits` (0 or 6) is the number of digits of the second's fraction.
pub fn print_rfc3339(micros: i64, fraction_digits: usize) -> String {
    let seconds = micros.div_euclid(1_000_000);
    let (year, month, day) = civil_from_days(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let fraction = if fraction_digits == 0 {
        String::new()
    } else {
        format!(".{:06}", micros.rem_euclid(1_000_000))
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Returns Go's error message for a text that is not an RFC 3339 time (VA-241).
#[must_use]
pub fn go_time_error(text: &str) -> String {
    let (rest, element) = first_layout_mismatch(text, "");
    format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {rest:?} as {element:?}")
}

/// Returns Go's error message for a text that is not a time with exactly six fractional digits; None if the text is
/// such a time.
pub(crate) fn go_micro_time_error(text: &str) -> Option<String> {
    let (rest, element) = first_layout_mismatch(text, ".000000");
    let is_zone = element == "Z07:00" && !rest.starts_with(|first: char| first.is_ascii_digit());
    (!is_zone || parse_rfc3339(text).is_none()).then(|| {
        format!("parsing time {text:?} as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse {rest:?} as {element:?}")
    })
}

/// Compares a text with Go's time layout. Returns the text from the first mismatch on and the layout element expected
/// there; if everything before the zone matches, the zone. `fraction` is the layout of the second's fraction.
fn first_layout_mismatch<'t>(text: &'t str, fraction: &'static str) -> (&'t str, &'static str) {
    let layout: [(&'static str, usize); 13] = [
        ("2006", 4),
        ("-", 1),
        ("01", 2),
        ("-", 1),
        ("02", 2),
        ("T", 1),
        ("15", 2),
        (":", 1),
        ("04", 2),
        (":", 1),
        ("05", 2),
        (fraction, fraction.len()),
        ("Z07:00", 0),
    ];
    let mut rest = text;
    for (name, width) in layout.into_iter().filter(|(name, _)| !name.is_empty()) {
        let matches_layout = |(byte, expected): (u8, u8)| match expected.is_ascii_digit() {
            true => byte.is_ascii_digit(),
            false => byte == expected,
        };
        let fits = |part: &str| width > 0 && part.bytes().zip(name.bytes()).all(matches_layout);
        match rest.get(..width) {
            Some(part) if fits(part) => rest = &rest[width..],
            _ => return (rest, name),
        }
    }
    (rest, "Z07:00")
}

macro_rules! impl_rfc3339 {
    ($name:ident, $digits:literal) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&print_rfc3339(self.0, $digits))
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                parse_rfc3339(text).map(Self).ok_or_else(|| go_time_error(text))
            }
        }
    };
}

impl_rfc3339!(Time, 0);
impl_rfc3339!(MicroTime, 6);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_round_trips() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-01-01T00:00:00Z", 1_767_225_600),
            ("2024-02-29T23:59:59Z", 1_709_251_199),
            ("1969-12-31T23:59:59Z", -1),
        ] {
            assert_eq!(text.parse::<Time>().unwrap().seconds(), seconds);
            assert_eq!(Time::from_seconds(seconds).to_string(), text);
        }
        assert_eq!(
            "2026-01-01T01:00:00.5+01:00".parse::<MicroTime>().unwrap().to_string(),
            "2026-01-01T00:00:00.500000Z"
        );
        for bad in [
            "",
            "2026-01-01",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.Z",
        ] {
            assert!(bad.parse::<Time>().is_err(), "{bad}");
        }
    }
}
