//! Time zones: names of the IANA data base, and how far their clocks are from UTC by the rules of now.
//!
//! Deviation: what rules a zone followed in the past is not known here; a simulation begins in 2026.

use crate::Time;

/// Zones by their rule.
const TABLE: &str = include_str!("zones.txt");
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

/// A time zone: how far its clocks are ahead of UTC, in seconds, and the time of year in which they are put forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Zone {
    standard: i64,
    summer: Option<Summer>,
}

/// When clocks are put forward, and how far ahead of UTC they are then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Summer {
    ahead: i64,
    begins: Change,
    ends: Change,
}

/// The time of a change: the n-th weekday of a month (the fifth is the last), and seconds after its midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    month: i64,
    week: i64,
    weekday: i64,
    seconds: i64,
}

impl Zone {
    /// The zone of a name; none if there is no such name.
    #[must_use]
    pub fn named(name: &str) -> Option<Zone> {
        let line = TABLE.lines().find(|line| !line.starts_with('#') && holds(line, name))?;
        read(line.split(' ').next()?)
    }

    /// What clocks of the zone show at an instant, as seconds since the epoch in a zone without a shift.
    #[must_use]
    pub(crate) fn shown(&self, at: Time) -> i64 {
        at.seconds() + self.ahead(at.seconds())
    }

    /// The instants at which clocks of the zone show a time: none where it is skipped, two where it comes twice.
    pub(crate) fn instants(&self, shown: i64) -> impl Iterator<Item = Time> + use<> {
        let zone = *self;
        let summer = self.summer.map(|summer| summer.ahead);
        // The further ahead, the earlier the instant.
        let mut aheads = [Some(self.standard), summer.filter(|ahead| *ahead != self.standard)];
        aheads.sort_unstable_by_key(|ahead| std::cmp::Reverse(*ahead));
        let seconds = aheads.into_iter().flatten().map(move |ahead| (shown - ahead, ahead));
        let is_so = move |(at, ahead): &(i64, i64)| zone.ahead(*at) == *ahead;
        seconds.filter(is_so).map(|(at, _)| Time::from_seconds(at))
    }

    /// Whether clocks are put back within some hours of an instant.
    pub(crate) fn is_put_back_near(&self, at: Time) -> bool {
        self.ahead(at.seconds() - 3 * HOUR) > self.ahead(at.seconds() + 3 * HOUR)
    }

    /// How far ahead of UTC clocks are at an instant.
    fn ahead(&self, at: i64) -> i64 {
        let Some(summer) = self.summer else {
            return self.standard;
        };
        let (year, ..) = crate::time::civil_from_days((at + self.standard).div_euclid(DAY));
        let begins = summer.begins.of(year) - self.standard;
        let ends = summer.ends.of(year) - summer.ahead;
        let (has_begun, has_ended) = (begins <= at, ends <= at);
        // South of the equator summer lasts over the turn of the year.
        let is_summer = match begins < ends {
            true => has_begun && !has_ended,
            false => has_begun || !has_ended,
        };
        if is_summer { summer.ahead } else { self.standard }
    }
}

impl Change {
    /// The time that clocks show before the change of a year, in seconds since the epoch.
    fn of(&self, year: i64) -> i64 {
        let first = crate::time::days_from_civil(year, self.month, 1);
        // The epoch was a Thursday.
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
        day * DAY + self.seconds
    }
}

/// Whether a line of the table holds a name: `RULE Area:City,City Name,Name`.
fn holds(line: &str, name: &str) -> bool {
    let (area, city) = name.split_once('/').unwrap_or(("", name));
    !name.starts_with('/')
        && !name.contains([',', ':', ' '])
        && line.split(' ').skip(1).any(|group| {
            let (of, names) = group.split_once(':').unwrap_or(("", group));
            of == area && !city.is_empty() && names.split(',').any(|name| name == city)
        })
}

/// `-1,,M3.5.0,M10.5.0/3`: hours west of Greenwich, then in summer, and when that begins and ends.
fn read(rule: &str) -> Option<Zone> {
    let mut parts = rule.split(',');
    let standard = -seconds(parts.next()?)?;
    let Some(in_summer) = parts.next() else {
        return Some(Zone { standard, summer: None });
    };
    let ahead = match in_summer {
        "" => standard + HOUR,
        text => -seconds(text)?,
    };
    let summer = Summer {
        ahead,
        begins: change(parts.next()?)?,
        ends: change(parts.next()?)?,
    };
    Some(Zone {
        standard,
        summer: Some(summer),
    })
}

/// `M3.5.0/1`; at two o'clock if nothing is said.
fn change(text: &str) -> Option<Change> {
    let (date, time) = text.split_once('/').unwrap_or((text, "2"));
    let mut numbers = date.strip_prefix('M')?.split('.').map(|number| number.parse().ok());
    Some(Change {
        month: numbers.next()??,
        week: numbers.next()??,
        weekday: numbers.next()??,
        seconds: seconds(time)?,
    })
}

/// `-3:30`.
fn seconds(text: &str) -> Option<i64> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
    let (hours, minutes) = text.split_once(':').unwrap_or((text, "0"));
    Some(sign * (hours.parse::<i64>().ok()? * HOUR + minutes.parse::<i64>().ok()? * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(zone: &str, at: &str) -> String {
        let at = Time(crate::parse_rfc3339(at).expect("an instant"));
        let zone = Zone::named(zone).expect("a zone");
        crate::print_rfc3339(zone.shown(at) * 1_000_000, 0)
    }

    #[test]
    fn every_rule_of_the_table_can_be_read() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            assert!(
                line.split(' ').next().is_some_and(|rule| read(rule).is_some()),
                "{line}"
            );
        }
    }

    #[test]
    fn names_are_those_of_the_data_base() {
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
    fn clocks_are_put_forward_and_back() {
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
            assert_eq!(shown(zone, at), expected, "{zone} at {at}");
        }
    }
}
