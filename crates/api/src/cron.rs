//! CronJob schedules and the API server's error messages for invalid ones.
//!
//! A schedule is evaluated in the local time of a [`Zone`].

use crate::time::civil_from_days;
use crate::{Time, Zone};

/// The times at which a CronJob is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// At every minute that matches all fields.
    At(Box<ScheduleFields>),
    /// At intervals of this many seconds (`@every 90s`), counted from the previous due time.
    Every(i64),
}

/// The five fields of a schedule, each as a bit set: bit n is set if the value n matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleFields {
    /// Minutes, 0 to 59.
    pub minute: u64,
    /// Hours, 0 to 23.
    pub hour: u64,
    /// Days of the month, 1 to 31.
    pub day: u64,
    /// Months, 1 to 12.
    pub month: u64,
    /// Weekdays, 0 (Sunday) to 6.
    pub weekday: u64,
    /// Whether a day must match both `day` and `weekday`: true if one of these fields is a star. Otherwise one match is
    /// enough.
    pub needs_both_days: bool,
}

struct FieldBounds {
    low: u32,
    high: u32,
    names: &'static [&'static str],
}

const MONTH_NAMES: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAY_NAMES: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELD_BOUNDS: [FieldBounds; 5] = [
    FieldBounds {
        low: 0,
        high: 59,
        names: &[],
    },
    FieldBounds {
        low: 0,
        high: 23,
        names: &[],
    },
    FieldBounds {
        low: 1,
        high: 31,
        names: &[],
    },
    FieldBounds {
        low: 1,
        high: 12,
        names: MONTH_NAMES,
    },
    FieldBounds {
        low: 0,
        high: 6,
        names: WEEKDAY_NAMES,
    },
];

impl Schedule {
    /// Parses a schedule as the API server does.
    ///
    /// # Errors
    /// The error message of the server's parser.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("empty spec string".to_owned());
        }
        let mut rest = text;
        if rest.starts_with("TZ=") || rest.starts_with("CRON_TZ=") {
            let (zone, after) = rest.split_once(' ').unwrap_or((rest, ""));
            let zone = zone.split_once('=').map_or("", |(_, zone)| zone);
            if Zone::named(zone).is_none() {
                return Err(format!("provided bad location {zone}: unknown time zone {zone}"));
            }
            rest = after.trim();
        }
        if rest.starts_with('@') {
            return parse_schedule_descriptor(rest);
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        if words.len() != 5 {
            return Err(format!(
                "expected exactly 5 fields, found {}: [{}]",
                words.len(),
                words.join(" ")
            ));
        }
        let mut sets = [0; 5];
        for ((word, bounds), set) in words.iter().zip(&FIELD_BOUNDS).zip(&mut sets) {
            *set = parse_field(word, bounds)?;
        }
        let [minute, hour, day, month, weekday] = sets;
        let is_star = |word: &str| word.split(',').any(|part| part.starts_with(['*', '?']));
        let needs_both_days = [2, 4].iter().any(|at| words.get(*at).is_some_and(|word| is_star(word)));
        Ok(Self::At(Box::new(ScheduleFields {
            minute,
            hour,
            day,
            month,
            weekday,
            needs_both_days,
        })))
    }
}

/// Number of days that [`Schedule::next`] looks ahead. A schedule such as February 30 is never due.
const MAX_DAYS_AHEAD: i64 = 5 * 366;

impl Schedule {
    /// Returns the first time after `after` at which the schedule is due, in the local time of a zone. A local time
    /// that is skipped when clocks go forward is not made up for; a local time that occurs twice when clocks go back is
    /// due twice.
    pub fn next(&self, after: Time, zone: Zone) -> Option<Time> {
        match self {
            Self::Every(seconds) => Some(Time::from_seconds(after.seconds().saturating_add(*seconds))),
            Self::At(fields) => {
                let first = |from: i64| {
                    fields
                        .local_times_after(from)
                        .find_map(|local_time| zone.instants_with_local_time(local_time).find(|at| *at > after))
                };
                let local_time = zone.local_time(after);
                let next = first(local_time)?;
                match zone.clocks_go_back_near(after) {
                    true => Some(next.min(first(local_time - 3 * 3600).unwrap_or(next))),
                    false => Some(next),
                }
            }
        }
    }
}

impl ScheduleFields {
    /// Returns the local times after `after` at which the schedule is due. All are in seconds since the epoch.
    fn local_times_after(&self, after: i64) -> impl Iterator<Item = i64> {
        let minute = after.div_euclid(60) + 1;
        let (first_day, of_first) = (minute.div_euclid(1440), minute.rem_euclid(1440));
        let days = (first_day..first_day + MAX_DAYS_AHEAD).filter(move |day| self.matches_day_of_epoch(*day));
        days.flat_map(move |day| {
            let from = if day == first_day { of_first } else { 0 };
            let of_day = (from..1440).filter(move |minute| self.matches_minute_of_day(*minute));
            of_day.map(move |minute| (day * 1440 + minute) * 60)
        })
    }

    /// Returns whether a minute of the day matches the hour and minute fields.
    fn matches_minute_of_day(&self, minute: i64) -> bool {
        let has = |set: u64, value: i64| set >> value & 1 == 1;
        has(self.hour, minute / 60) && has(self.minute, minute % 60)
    }

    /// Returns whether a day, counted since the epoch, matches the day and month fields.
    fn matches_day_of_epoch(&self, day: i64) -> bool {
        let has = |set: u64, value: i64| set >> value & 1 == 1;
        let (_, month, of_month) = civil_from_days(day);
        // 1970-01-01 was a Thursday; weekday 0 is Sunday.
        let weekday = (day + 4).rem_euclid(7);
        let [in_month, in_week] = [has(self.day, of_month), has(self.weekday, weekday)];
        let matches_day = if self.needs_both_days {
            in_month && in_week
        } else {
            in_month || in_week
        };
        has(self.month, month) && matches_day
    }
}

fn parse_schedule_descriptor(text: &str) -> Result<Schedule, String> {
    let fields = match text {
        "@yearly" | "@annually" => "0 0 1 1 *",
        "@monthly" => "0 0 1 * *",
        "@weekly" => "0 0 * * 0",
        "@daily" | "@midnight" => "0 0 * * *",
        "@hourly" => "0 * * * *",
        _ => {
            let Some(every) = text.strip_prefix("@every ") else {
                return Err(format!("unrecognized descriptor: {text}"));
            };
            let duration = crate::parse_duration(every)
                .map_err(|_| format!("failed to parse duration {text}: time: invalid duration {every:?}"))?;
            return Ok(Schedule::Every((duration / 1_000_000).max(1)));
        }
    };
    Schedule::parse(fields)
}

fn parse_field(text: &str, bounds: &FieldBounds) -> Result<u64, String> {
    let parts = text.split(',').filter(|part| !part.is_empty());
    parts
        .map(|part| parse_range(part, bounds))
        .try_fold(0, |set, part| Ok(set | part?))
}

fn parse_range(text: &str, bounds: &FieldBounds) -> Result<u64, String> {
    let halves: Vec<&str> = text.split('/').collect();
    let ends: Vec<&str> = halves.first().unwrap_or(&"").split('-').collect();
    let (mut low, mut high, mut step) = (bounds.low, bounds.high, 1);
    let is_single = ends.len() == 1;
    if !matches!(ends.as_slice(), ["*" | "?", ..]) {
        low = parse_number_or_name(ends.first().unwrap_or(&""), bounds)?;
        high = match ends.as_slice() {
            [_] => low,
            [_, end] => parse_number_or_name(end, bounds)?,
            _ => return Err(format!("too many hyphens: {text}")),
        };
    }
    match halves.as_slice() {
        [_] => {}
        [_, by] => {
            step = parse_field_number(by)?;
            // A single number with a step is a range up to the maximum.
            if is_single {
                high = bounds.high;
            }
        }
        _ => return Err(format!("too many slashes: {text}")),
    }
    if low < bounds.low {
        return Err(format!(
            "beginning of range ({low}) below minimum ({}): {text}",
            bounds.low
        ));
    }
    if high > bounds.high {
        return Err(format!("end of range ({high}) above maximum ({}): {text}", bounds.high));
    }
    if low > high {
        return Err(format!(
            "beginning of range ({low}) beyond end of range ({high}): {text}"
        ));
    }
    let Some(step) = usize::try_from(step).ok().filter(|step| *step > 0) else {
        return Err(format!("step of range should be a positive number: {text}"));
    };
    Ok((low..=high).step_by(step).fold(0, |set, at| set | 1 << at))
}

fn parse_number_or_name(text: &str, bounds: &FieldBounds) -> Result<u32, String> {
    let lower = text.to_ascii_lowercase();
    match bounds.names.iter().position(|name| **name == *lower) {
        Some(at) => Ok(bounds.low + u32::try_from(at).unwrap_or(0)),
        None => parse_field_number(text),
    }
}

fn parse_field_number(text: &str) -> Result<u32, String> {
    let number: i64 = text
        .parse()
        .map_err(|_| format!("failed to parse int from {text}: strconv.Atoi: parsing {text:?}: invalid syntax"))?;
    u32::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule_parse_error(text: &str) -> String {
        Schedule::parse(text).err().unwrap_or_default()
    }

    #[test]
    fn invalid_schedule_errors_match_the_api_server() {
        for text in [
            "* * * * *",
            "*/5 0-6,22 1,15 jan-mar mon",
            "@hourly",
            "@every 1h30m",
            "CRON_TZ=Etc/UTC 0 0 * * *",
        ] {
            assert_eq!(schedule_parse_error(text), "", "{text}");
        }
        assert_eq!(schedule_parse_error("x"), "expected exactly 5 fields, found 1: [x]");
        assert_eq!(
            schedule_parse_error("61 * * * *"),
            "end of range (61) above maximum (59): 61"
        );
        assert_eq!(
            schedule_parse_error("* * 0 * *"),
            "beginning of range (0) below minimum (1): 0"
        );
        assert_eq!(
            schedule_parse_error("9-3 * * * *"),
            "beginning of range (9) beyond end of range (3): 9-3"
        );
        assert_eq!(
            schedule_parse_error("*/0 * * * *"),
            "step of range should be a positive number: */0"
        );
        assert_eq!(
            schedule_parse_error("a * * * *"),
            "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"
        );
        assert_eq!(schedule_parse_error("@never"), "unrecognized descriptor: @never");
    }

    #[test]
    fn schedule_with_star_day_field_requires_both_day_fields() {
        let days = |text: &str| match Schedule::parse(text) {
            Ok(Schedule::At(fields)) => fields.needs_both_days,
            other => panic!("{other:?}"),
        };
        assert!(days("0 0 1 * *") && days("0 0 * * 1") && !days("0 0 1 * 1"));
        let Ok(Schedule::At(fields)) = Schedule::parse("10-20/5 * * * *") else {
            panic!("valid schedule");
        };
        assert_eq!(fields.minute, 1 << 10 | 1 << 15 | 1 << 20);
    }

    #[test]
    fn next_due_time_crosses_days_months_and_leap_years() {
        let next = |schedule: &str, after: &str| {
            let after = Time(crate::parse_rfc3339(after).expect("an instant"));
            let schedule = Schedule::parse(schedule).expect("a schedule");
            schedule
                .next(after, Zone::default())
                .map(|at| crate::print_rfc3339(at.0, 0))
        };
        for (schedule, after, expected) in [
            ("* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"),
            ("*/5 * * * *", "2026-01-01T00:04:59.5Z", "2026-01-01T00:05:00Z"),
            ("0 2 * * *", "2026-01-01T02:00:00Z", "2026-01-02T02:00:00Z"),
            ("30 6-16/4 * * 1-5", "2026-01-02T14:30:00Z", "2026-01-05T06:30:00Z"),
            ("0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
            ("@every 90s", "2026-01-01T00:00:10Z", "2026-01-01T00:01:40Z"),
        ] {
            assert_eq!(
                next(schedule, after).as_deref(),
                Some(expected),
                "{schedule} after {after}"
            );
        }
        assert_eq!(next("0 0 30 2 *", "2026-01-01T00:00:00Z"), None);
    }

    #[test]
    fn schedule_follows_daylight_saving_time() {
        let all = |schedule: &str, after: &str, count: usize| {
            let zone = Zone::named("Europe/Berlin").expect("a zone");
            let schedule = Schedule::parse(schedule).expect("a schedule");
            let mut at = Time(crate::parse_rfc3339(after).expect("an instant"));
            let mut found = Vec::new();
            for _ in 0..count {
                at = schedule.next(at, zone).expect("a next time");
                found.push(crate::print_rfc3339(at.0, 0));
            }
            found
        };
        assert_eq!(
            all("0 9 * * *", "2026-03-27T12:00:00Z", 2),
            ["2026-03-28T08:00:00Z", "2026-03-29T07:00:00Z"],
            "one hour earlier in UTC during summer time"
        );
        assert_eq!(
            all("30 2 * * *", "2026-03-28T00:00:00Z", 2),
            ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"],
            "a local time that is skipped"
        );
        assert_eq!(
            all("30 2 * * *", "2026-10-24T12:00:00Z", 3),
            ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"],
            "a local time that occurs twice"
        );
    }
}
