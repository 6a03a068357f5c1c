//! Determines when a practice family is asked again, by the SM-2 algorithm (P. A. Woźniak, SuperMemo 2, 1987). After a
//! right answer the interval is multiplied by the easiness of the family; after a wrong one it is reset, and the
//! easiness decreases. Families are interleaved: the same family is not asked twice in a row while another one is due.
//!
//! The schedule is stored as text, one line per family: `NAME DAY INTERVAL EASINESS REPETITIONS LEVEL SEED`. The caller
//! numbers the days; easiness is in thousandths.

use std::fmt::Write;

use podscope_api::ordered;

use crate::family::MAX_LEVEL;

/// Easiness of a new family, in thousandths.
const INITIAL_EASINESS: u32 = 2500;
/// Minimum easiness in SM-2, in thousandths.
const MIN_EASINESS: u32 = 1300;
/// Increase of the easiness after a right answer without hesitation (quality 5 in SM-2), in thousandths.
const EASINESS_INCREASE: u32 = 100;
/// Decrease of the easiness after a wrong answer (quality 2 in SM-2), in thousandths.
const EASINESS_DECREASE: u32 = 320;
/// Maximum interval in days.
const MAX_INTERVAL_DAYS: u32 = 365;
/// Number of right answers in a row after which the level rises.
const ANSWERS_PER_LEVEL: u32 = 2;

/// A student's results in one practice family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PracticeRecord {
    /// The day on which the family is due.
    pub due: u32,
    /// Interval in days between the last answer and `due`.
    interval: u32,
    easiness: u32,
    /// Number of right answers in a row.
    repetitions: u32,
    pub level: u32,
    /// Seed of the last task.
    seed: u64,
}

/// The schedule of all practised families.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    families: ordered::Map<String, PracticeRecord>,
    /// The family that was asked last.
    last: Option<String>,
}

/// The task that a [`Schedule`] chooses for a learner, and when its family is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextTask {
    pub family: String,
    pub seed: u64,
    pub level: u32,
    /// The day on which the family was or will be due; None if it is new.
    pub due: Option<u32>,
}

impl Schedule {
    /// Parses the stored text; invalid lines are skipped. The first line may contain the family that was asked last.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let name = words.next()?.to_owned();
            let mut number = || words.next()?.parse::<u64>().ok();
            let mut small = || number().and_then(|number| u32::try_from(number).ok());
            let (due, interval, easiness) = (small()?, small()?, small()?);
            let (repetitions, level) = (small()?, small()?);
            let practised = PracticeRecord {
                due,
                interval: interval.min(MAX_INTERVAL_DAYS),
                easiness: easiness.clamp(MIN_EASINESS, 2 * INITIAL_EASINESS),
                repetitions,
                level: level.clamp(1, MAX_LEVEL),
                seed: number()?,
            };
            Some((name, practised))
        };
        Self {
            families: text.lines().filter_map(line).collect(),
            last: text
                .lines()
                .find_map(|line| line.strip_prefix("last "))
                .map(str::to_owned),
        }
    }

    /// Returns the text to store.
    #[must_use]
    pub fn write(&self) -> String {
        let mut text = self
            .last
            .as_ref()
            .map_or_else(String::new, |last| format!("last {last}\n"));
        for (name, one) in &self.families {
            let PracticeRecord {
                due,
                interval,
                easiness,
                repetitions,
                level,
                seed,
            } = one;
            let _ = writeln!(text, "{name} {due} {interval} {easiness} {repetitions} {level} {seed}");
        }
        text
    }

    /// Records an answer to a task.
    pub fn record(&mut self, next: &NextTask, is_right: bool, today: u32) {
        let known = self.families.get(&next.family).copied().unwrap_or(PracticeRecord {
            due: today,
            interval: 0,
            easiness: INITIAL_EASINESS,
            repetitions: 0,
            level: 1,
            seed: 0,
        });
        let repetitions = if is_right { known.repetitions + 1 } else { 0 };
        let interval = match repetitions {
            0 | 1 => 1,
            2 => 6,
            _ => (known.interval * known.easiness).div_ceil(1000).min(MAX_INTERVAL_DAYS),
        };
        let easiness = if is_right {
            known.easiness + EASINESS_INCREASE
        } else {
            known.easiness.saturating_sub(EASINESS_DECREASE)
        };
        let level = match is_right {
            true if repetitions.is_multiple_of(ANSWERS_PER_LEVEL) => (known.level + 1).min(MAX_LEVEL),
            true => known.level,
            false => known.level.saturating_sub(1).max(1),
        };
        self.last = Some(next.family.clone());
        self.families.insert(
            next.family.clone(),
            PracticeRecord {
                due: today.saturating_add(interval),
                interval,
                easiness: easiness.clamp(MIN_EASINESS, 2 * INITIAL_EASINESS),
                repetitions,
                level,
                seed: next.seed,
            },
        );
    }

    /// Returns the task to ask next. Its family is the one that has been due longest, else a new family, else the one
    /// that is due next.
    #[must_use]
    pub fn next<'n>(&self, families: impl Iterator<Item = &'n str>, today: u32) -> Option<NextTask> {
        let all: Vec<&str> = families.collect();
        let is_last = |name: &&str| self.last.as_deref() == Some(*name);
        let known = |name: &&str| self.families.get(*name).map(|one| one.due);
        let soonest = |due: &dyn Fn(u32) -> bool| {
            let fits = all.iter().filter(|name| known(name).is_some_and(due));
            let (last, others): (Vec<&&str>, Vec<&&str>) = fits.partition(|name| is_last(name));
            let candidates = if others.is_empty() { last } else { others };
            candidates.into_iter().min_by_key(|name| known(name)).copied()
        };
        let new = || all.iter().find(|name| known(name).is_none()).copied();
        let family = soonest(&|due| due <= today)
            .or_else(new)
            .or_else(|| soonest(&|_| true))?;
        let known = self.families.get(family);
        Some(NextTask {
            family: family.to_owned(),
            seed: known.map_or(1, |one| one.seed + 1),
            level: known.map_or(1, |one| one.level),
            due: known.map(|one| one.due),
        })
    }

    /// Returns all practised families with their records.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PracticeRecord)> {
        self.families.iter().map(|(name, one)| (name.as_str(), one))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers the next task of the families a and b, and returns its family.
    fn answer_next_task(schedule: &mut Schedule, is_right: bool, today: u32) -> String {
        let next = schedule
            .next(["a", "b"].into_iter(), today)
            .expect("there are families");
        schedule.record(&next, is_right, today);
        next.family
    }

    /// Shows: E-08
    #[test]
    fn right_answers_lengthen_interval_and_wrong_ones_reset_it() {
        let mut schedule = Schedule::default();
        let ask = |schedule: &mut Schedule, is_right, today| {
            let next = schedule.next(["a"].into_iter(), today).expect("one family");
            schedule.record(&next, is_right, today);
            schedule.families["a"]
        };
        let due: Vec<u32> = [(true, 0), (true, 1), (true, 7), (true, 24)]
            .map(|(is_right, today)| ask(&mut schedule, is_right, today).due - today)
            .into();
        assert_eq!(due, [1, 6, 17, 48], "SM-2: 1, 6, then times the easiness");
        assert_eq!(schedule.families["a"].level, 3);
        let failed = ask(&mut schedule, false, 72);
        assert_eq!((failed.due, failed.level, failed.repetitions), (73, 2, 0));
        for day in 73..90 {
            ask(&mut schedule, false, day);
        }
        assert_eq!(
            (schedule.families["a"].easiness, schedule.families["a"].level),
            (MIN_EASINESS, 1)
        );
    }

    /// Shows: E-08
    #[test]
    fn due_families_are_interleaved_before_new_ones() {
        let mut schedule = Schedule::default();
        assert_eq!(answer_next_task(&mut schedule, true, 0), "a");
        assert_eq!(
            answer_next_task(&mut schedule, true, 0),
            "b",
            "nothing is due: a new one"
        );
        assert_eq!(answer_next_task(&mut schedule, false, 1), "a", "b was asked last");
        assert_eq!(answer_next_task(&mut schedule, true, 1), "b");
        assert_eq!(answer_next_task(&mut schedule, true, 9), "a", "it is overdue longest");
        assert_eq!(Schedule::read(&schedule.write()), schedule);
        assert_eq!(Schedule::read("nonsense\n\na b c\n"), Schedule::default());
    }
}
