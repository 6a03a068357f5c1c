//! Progress in the course: the finished lessons, and which of their questions are due for repetition after 1, 3 and 7
//! days. The progress is stored on this device only, as one line of text per lesson: `NAME MILLIS RECAPS`, followed by
//! the kind of help (`hinted`) if the user needed help.

use podscope_api::ordered;
use podscope_protocol::LessonInfo;

use super::attempts::HowSolved;

/// Number of days after a lesson was finished at which its questions are repeated.
pub(crate) const RECAP_DAYS: [f64; 3] = [1.0, 3.0, 7.0];
const DAY_MILLIS: f64 = 86_400_000.0;

/// Seed of the first repeated question; the seeds of lessons are lower.
const FIRST_RECAP_SEED: u64 = 1000;

/// A question that is due for repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DueRecap {
    /// The finished lesson whose repetition is due.
    pub(crate) of: String,
    /// The lesson that contains the question.
    pub(crate) ask: String,
    /// Seed of the run.
    pub(crate) seed: u64,
}

/// The record of a finished lesson.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FinishedLesson {
    /// Instant at which the lesson was finished first, in milliseconds of the browser's clock.
    pub(crate) at: f64,
    /// Number of repetitions so far.
    pub(crate) recaps: usize,
    /// How the lesson was solved in the best attempt.
    pub(crate) how_solved: HowSolved,
}

/// Progress in the course.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct CourseProgress {
    done: ordered::Map<String, FinishedLesson>,
}

impl CourseProgress {
    /// Parses the stored text; invalid lines are skipped.
    pub(crate) fn read(text: &str) -> CourseProgress {
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let (name, at) = (words.next()?, words.next()?.parse().ok()?);
            let recaps = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
            let how_solved = words.next().and_then(HowSolved::from_name).unwrap_or_default();
            Some((name.to_owned(), FinishedLesson { at, recaps, how_solved }))
        };
        CourseProgress {
            done: text.lines().filter_map(line).collect(),
        }
    }

    /// Returns the text to store.
    pub(crate) fn write(&self) -> String {
        let line = |(name, done): (&String, &FinishedLesson)| {
            let how_solved = match done.how_solved {
                HowSolved::Solved => String::new(),
                how_solved => format!(" {}", how_solved.name()),
            };
            format!("{name} {} {}{how_solved}\n", done.at, done.recaps)
        };
        self.done.iter().map(line).collect()
    }

    /// Records that a lesson was finished now. If it was finished before, the earlier instant and the better way of
    /// solving are kept.
    pub(crate) fn finish(&mut self, name: &str, how_solved: HowSolved, now: f64) {
        let done = FinishedLesson {
            at: now,
            recaps: 0,
            how_solved,
        };
        let known = self.done.entry(name.to_owned()).or_insert(done);
        known.how_solved = known.how_solved.min(how_solved);
    }

    /// Merges progress from another device; ignores lessons that do not exist. Returns the number of merged lessons.
    pub(crate) fn merge(&mut self, other: CourseProgress, lessons: &[LessonInfo]) -> usize {
        let exists = |name: &String| lessons.iter().any(|lesson| lesson.name == *name);
        let known: Vec<(String, FinishedLesson)> = other.done.into_iter().filter(|(name, _)| exists(name)).collect();
        let count = known.len();
        for (name, done) in known {
            let mine = self.done.entry(name).or_insert(done);
            mine.at = mine.at.min(done.at);
            mine.recaps = mine.recaps.max(done.recaps);
            mine.how_solved = mine.how_solved.min(done.how_solved);
        }
        count
    }

    /// Records that a lesson's questions were repeated.
    pub(crate) fn record_recap(&mut self, name: &str) {
        if let Some(done) = self.done.get_mut(name) {
            done.recaps += 1;
        }
    }

    /// Returns how a lesson was solved; `None` if it was not finished.
    pub(crate) fn how_solved(&self, name: &str) -> Option<HowSolved> {
        self.done.get(name).map(|done| done.how_solved)
    }

    /// Returns whether a lesson was finished.
    pub(crate) fn is_done(&self, name: &str) -> bool {
        self.done.contains_key(name)
    }

    /// Returns the questions that are due: for each lesson that was finished long enough ago, the next one of its
    /// `recap` list, or without a list its own question. Only questions of finished lessons are included, and each only
    /// once.
    pub(crate) fn due_recaps(&self, lessons: &[LessonInfo], now: f64) -> Vec<DueRecap> {
        let asks = |name: &str| lessons.iter().any(|lesson| lesson.name == name && lesson.asks);
        let mut due: Vec<DueRecap> = Vec::new();
        for lesson in lessons {
            let Some(recaps) = self.recaps_if_next_is_due(&lesson.name, now) else {
                continue;
            };
            let from_recap_list = lesson.recap.iter().filter(|name| asks(name) && self.is_done(name));
            let mut candidates: Vec<&String> = from_recap_list.collect();
            if candidates.is_empty() && asks(&lesson.name) {
                candidates.push(&lesson.name);
            }
            let Some(ask) = candidates.get(recaps % candidates.len().max(1)) else {
                continue;
            };
            if !due.iter().any(|known| known.ask == **ask) {
                due.push(DueRecap {
                    of: lesson.name.clone(),
                    ask: (*ask).clone(),
                    seed: FIRST_RECAP_SEED + recaps as u64,
                });
            }
        }
        due
    }

    /// Returns the number of repetitions of a lesson so far if its next repetition is due, otherwise `None`.
    fn recaps_if_next_is_due(&self, name: &str, now: f64) -> Option<usize> {
        let done = self.done.get(name)?;
        let days = RECAP_DAYS.get(done.recaps)?;
        (now - done.at >= days * DAY_MILLIS).then_some(done.recaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Questions are repeated after 1, 3 and 7 days, and then no longer.
    /// Shows: E-08
    #[test]
    fn finished_lesson_is_repeated_three_times() {
        let mut course = CourseProgress::default();
        course.finish("first-pod", HowSolved::Solved, 0.0);
        assert_eq!(course.recaps_if_next_is_due("first-pod", 0.9 * DAY_MILLIS), None);
        for (days, recaps) in [(1.0, 0), (3.0, 1), (7.0, 2)] {
            assert_eq!(
                course.recaps_if_next_is_due("first-pod", days * DAY_MILLIS),
                Some(recaps)
            );
            course.record_recap("first-pod");
            assert_eq!(course.recaps_if_next_is_due("first-pod", days * DAY_MILLIS), None);
        }
        assert_eq!(course.recaps_if_next_is_due("first-pod", 100.0 * DAY_MILLIS), None);
        course.finish("first-pod", HowSolved::Solved, 5.0);
        assert_eq!(
            CourseProgress::read(&course.write()),
            course,
            "finishing a lesson again changes nothing"
        );
        assert_eq!(CourseProgress::read("nonsense\n\nx y z"), CourseProgress::default());
    }

    fn lesson_with_recap(name: &str, recap: &[&str]) -> LessonInfo {
        LessonInfo {
            name: name.into(),
            title: String::new(),
            group: String::new(),
            summary: String::new(),
            minutes: 1,
            needs: Vec::new(),
            topic: String::new(),
            page: String::new(),
            rule: String::new(),
            own: String::new(),
            variation: String::new(),
            recap: recap.iter().map(|name| (*name).to_owned()).collect(),
            asks: true,
        }
    }

    /// A course saved on another device is merged; other files contribute nothing.
    /// Shows: E-08
    #[test]
    fn course_of_another_device_is_merged_into_this_one() {
        let lessons = [lesson_with_recap("first", &[]), lesson_with_recap("second", &[])];
        let mut course = CourseProgress::default();
        course.finish("first", HowSolved::Solved, 5.0 * DAY_MILLIS);
        course.record_recap("first");
        let elsewhere = format!(
            "first {} 0\nsecond {} 2\nother 1 0\n",
            2.0 * DAY_MILLIS,
            3.0 * DAY_MILLIS
        );
        assert_eq!(course.merge(CourseProgress::read(&elsewhere), &lessons), 2);
        assert_eq!(
            course.write(),
            format!("first {} 1\nsecond {} 2\n", 2.0 * DAY_MILLIS, 3.0 * DAY_MILLIS)
        );
        assert_eq!(course.merge(CourseProgress::read("kind: Pod\nname 5\n"), &lessons), 0);
    }

    /// The `recap` list of a lesson determines of which finished lessons the questions are repeated, one after another.
    /// Shows: E-08
    #[test]
    fn recap_list_determines_repeated_questions() {
        let lessons = [
            lesson_with_recap("first", &[]),
            lesson_with_recap("second", &[]),
            lesson_with_recap("third", &["first", "second", "never-done"]),
        ];
        let mut course = CourseProgress::default();
        course.finish("first", HowSolved::Solved, 9.0 * DAY_MILLIS);
        course.finish("second", HowSolved::Solved, 9.0 * DAY_MILLIS);
        course.finish("third", HowSolved::Solved, 0.0);
        let asked = |course: &CourseProgress, days: f64| {
            let due = course.due_recaps(&lessons, days * DAY_MILLIS).into_iter();
            due.map(|again| (again.ask, again.seed)).collect::<Vec<_>>()
        };
        assert_eq!(asked(&course, 0.5), []);
        assert_eq!(asked(&course, 1.5), [("first".to_owned(), FIRST_RECAP_SEED)]);
        course.record_recap("third");
        assert_eq!(asked(&course, 1.5), []);
        assert_eq!(asked(&course, 3.5), [("second".to_owned(), FIRST_RECAP_SEED + 1)]);
        assert_eq!(
            asked(&course, 10.5)[0],
            ("first".to_owned(), FIRST_RECAP_SEED),
            "the lesson's own question, a day later"
        );
    }
}
