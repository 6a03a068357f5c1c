//! Time zones of the IANA database with their current offsets from UTC.
//!
//! Deviation: earlier rules of a zone are not known; simulations begin in 2026.

use crate::Time;

/// The table of time zones: names grouped by their rule.
const ZONE_TABLE: &str = include_str!("zones.txt");
const HOUR_SECONDS: i64 = 3600;
const DAY_SECONDS: i64 = 86_400;

/// A time zone: its offset from UTC in seconds, and its daylight saving time, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    standard: i64,
    summer: Option<DaylightSaving>,
}

/// Daylight saving time: its offset from UTC in seconds, and when it begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DaylightSaving {
    offset: i64,
    begins: ClockChange,
    ends: ClockChange,
}

/// The date and time of a clock change: the n-th weekday of a month (5 means the last), and seconds after midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ClockChange {
    month: i64,
    week: i64,
    weekday: i64,
    seconds: i64,
}

impl Zone {
    /// Returns the zone with this name, if it exists.
    #[must_use]
    pub fn named(name: &str) -> Option<Zone> {
        let line = ZONE_TABLE
            .lines()
            .find(|line| !line.starts_with('#') && contains_name(line, name))?;
        parse_zone_rule(line.split(' ').next()?)
    }

    /// Returns the local time at an instant, in seconds since the epoch as if the local time were UTC.
    #[must_use]
    pub(crate) fn local_time(&self, at: Time) -> i64 {
        at.seconds() + self.utc_offset_at(at.seconds())
    }

    /// Returns the instants with this local time: none if the local time is skipped, two if it occurs twice.
    pub(crate) fn instants_with_local_time(&self, local_time: i64) -> impl Iterator<Item = Time> + use<> {
        let zone = *self;
        let summer = self.summer.map(|summer| summer.offset);
        // The larger the offset from UTC, the earlier the instant with the given local time.
        let mut offsets = [Some(self.standard), summer.filter(|offset| *offset != self.standard)];
        offsets.sort_unstable_by_key(|offset| std::cmp::Reverse(*offset));
        let candidates = offsets
            .into_iter()
            .flatten()
            .map(move |offset| (local_time - offset, offset));
        let has_this_offset = move |(at, offset): &(i64, i64)| zone.utc_offset_at(*at) == *offset;
        candidates.filter(has_this_offset).map(|(at, _)| Time::from_seconds(at))
    }

    /// Returns whether clocks go back within three hours of an instant.
    pub(crate) fn clocks_go_back_near(&self, at: Time) -> bool {
        self.utc_offset_at(at.seconds() - 3 * HOUR_SECONDS) > self.utc_offset_at(at.seconds() + 3 * HOUR_SECONDS)
    }

    /// Returns the offset from UTC at an instant, in seconds.
    fn utc_offset_at(&self, at: i64) -> i64 {
        let Some(summer) = self.summer else {
            return self.standard;
        };
        let (year, ..) = crate::time::civil_from_days((at + self.standard).div_euclid(DAY_SECONDS));
        let begins = summer.begins.local_time_of_change(year) - self.standard;
        let ends = summer.ends.local_time_of_change(year) - summer.offset;
        let (has_begun, has_ended) = (begins <= at, ends <= at);
        // In the southern hemisphere, summer time includes the turn of the year.
        let is_summer = match begins < ends {
            true => has_begun && !has_ended,
            false => has_begun || !has_ended,
        };
        if is_summer { summer.offset } else { self.standard }
    }
}

impl ClockChange {
    /// Returns the local time of the clock change in a year, in seconds since the epoch.
    fn local_time_of_change(&self, year: i64) -> i64 {
        let first = crate::time::days_from_civil(year, self.month, 1);
        // 1970-01-01 was a Thursday; weekday 0 is Sunday.
        let weekday_of_first = (first + 4).rem_euclid(7);
        let mut day = first + (self.weekday - weekday_of_first).rem_euclid(7) + 7 * (self.week - 1);
        let (next_year, next_month) = if self.month == 12 {
            (year + 1, 1)
        } else {
            (year, self.month + 1)
        };
        if day >= crate::time::days_from_civil(next_year, next_month, 1) {
            day -= 7;
        }
        day * DAY_SECONDS + self.seconds
    }
}

/// Returns whether a line of the table contains a name. A line has the form `RULE Area:City,City Name,Name`.
fn contains_name(line: &str, name: &str) -> bool {
    let (area, city) = name.split_once('/').unwrap_or(("", name));
    !name.starts_with('/')
        && !name.contains([',', ':', ' '])
        && line.split(' ').skip(1).any(|group| {
            let (group_area, names) = group.split_once(':').unwrap_or(("", group));
            group_area == area && !city.is_empty() && names.split(',').any(|name| name == city)
        })
}

/// Parses a rule such as `-1,,M3.5.0,M10.5.0/3`: standard time in hours west of Greenwich, summer time likewise (if
/// empty, one hour ahead of standard time), begin of summer time, end of summer time.
fn parse_zone_rule(rule: &str) -> Option<Zone> {
    let mut parts = rule.split(',');
    let standard = -parse_hours_and_minutes(parts.next()?)?;
    let Some(in_summer) = parts.next() else {
        return Some(Zone { standard, summer: None });
    };
    let offset = match in_summer {
        "" => standard + HOUR_SECONDS,
        text => -parse_hours_and_minutes(text)?,
    };
    let summer = DaylightSaving {
        offset,
        begins: parse_clock_change(parts.next()?)?,
        ends: parse_clock_change(parts.next()?)?,
    };
    Some(Zone {
        standard,
        summer: Some(summer),
    })
}

/// Parses the date of a clock change such as `M3.5.0/1`: month, week, weekday, and the hour, which is 2 by default.
fn parse_clock_change(text: &str) -> Option<ClockChange> {
    let (date, time) = text.split_once('/').unwrap_or((text, "2"));
    let mut numbers = date.strip_prefix('M')?.split('.').map(|number| number.parse().ok());
    Some(ClockChange {
        month: numbers.next()??,
        week: numbers.next()??,
        weekday: numbers.next()??,
        seconds: parse_hours_and_minutes(time)?,
    })
}

/// Parses hours and minutes such as `-3:30` to seconds.
fn parse_hours_and_minutes(text: &str) -> Option<i64> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
    let (hours, minutes) = text.split_once(':').unwrap_or((text, "0"));
    Some(sign * (hours.parse::<i64>().ok()? * HOUR_SECONDS + minutes.parse::<i64>().ok()? * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local_time(zone: &str, at: &str) -> String {
        let at = Time(crate::parse_rfc3339(at).expect("an instant"));
        let zone = Zone::named(zone).expect("a zone");
        crate::print_rfc3339(zone.local_time(at) * 1_000_000, 0)
    }

    #[test]
    fn all_zone_rules_parse() {
        for line in ZONE_TABLE.lines().filter(|line| !line.starts_with('#')) {
            assert!(
                line.split(' ')
                    .next()
                    .is_some_and(|rule| parse_zone_rule(rule).is_some()),
                "{line}"
            );
        }
    }

    #[test]
    fn zone_names_are_case_sensitive_iana_names() {
        for name in [
            "UTC",
            "Etc/UTC",
            "Europe/Berlin",
            "America/Argentina/Buenos_Aires",
            "US/Eastern",
            "GB",
        ] {
            assert!(Zone::named(name).is_some(), "{name}");
        }
        for name in [
            "",
            "Europe/Nowhere",
            "europe/berlin",
            "Europe",
            "Berlin",
            "Europe/",
            "/UTC",
            "Etc:UTC",
        ] {
            assert!(Zone::named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn local_time_follows_daylight_saving_rules() {
        for (zone, at, expected) in [
            ("Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59Z"),
            ("Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00Z"),
            ("Europe/Berlin", "2026-10-25T00:59:59Z", "2026-10-25T02:59:59Z"),
            ("Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"),
            ("America/New_York", "2026-07-01T12:00:00Z", "2026-07-01T08:00:00Z"),
            ("America/New_York", "2026-11-01T06:00:00Z", "2026-11-01T01:00:00Z"),
            ("Australia/Sydney", "2026-01-01T00:00:00Z", "2026-01-01T11:00:00Z"),
            ("Australia/Sydney", "2026-06-01T00:00:00Z", "2026-06-01T10:00:00Z"),
            ("Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-01T05:30:00Z"),
            ("Europe/Dublin", "2026-07-01T00:00:00Z", "2026-07-01T01:00:00Z"),
            ("America/St_Johns", "2026-01-01T00:00:00Z", "2025-12-31T20:30:00Z"),
        ] {
            assert_eq!(local_time(zone, at), expected, "{zone} at {at}");
        }
    }
}
