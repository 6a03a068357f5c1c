//! What was done of the course: lessons finished, and which are due to be asked again after 1, 3 and 7 days. Kept on
//! this device only; as text it is one line a lesson, `NAME MILLIS RECAPS`.

use podscope_api::ordered;
use podscope_protocol::LessonInfo;

/// Days after which a lesson's questions are asked again.
pub(crate) const RECAPS: [f64; 3] = [1.0, 3.0, 7.0];
const DAY: f64 = 86_400_000.0;

/// Seeds of questions that are asked again begin here: no lesson's own is as high.
const SEEDS: u64 = 1000;

/// A question that is due to be asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Again {
    /// The lesson after which it is asked.
    pub(crate) of: String,
    /// The lesson whose question it is.
    pub(crate) ask: String,
    /// The seed of the run.
    pub(crate) seed: u64,
}

/// A lesson that was finished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Done {
    /// When first, in milliseconds of the browser's clock.
    pub(crate) at: f64,
    /// How often it has been asked again.
    pub(crate) recaps: usize,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Course {
    done: ordered::Map<String, Done>,
}

impl Course {
    /// From its text; lines that are none are left out.
    pub(crate) fn read(text: &str) -> Course {
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let (name, at) = (words.next()?, words.next()?.parse().ok()?);
            let recaps = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
            Some((name.to_owned(), Done { at, recaps }))
        };
        Course {
            done: text.lines().filter_map(line).collect(),
        }
    }

    /// As text.
    pub(crate) fn write(&self) -> String {
        let line = |(name, done): (&String, &Done)| format!("{name} {} {}\n", done.at, done.recaps);
        self.done.iter().map(line).collect()
    }

    /// A lesson has been finished.
    pub(crate) fn finish(&mut self, name: &str, now: f64) {
        self.done.entry(name.to_owned()).or_insert(Done { at: now, recaps: 0 });
    }

    /// Takes in what was done elsewhere, of the lessons that there are; how many that is.
    pub(crate) fn take_in(&mut self, other: Course, lessons: &[LessonInfo]) -> usize {
        let there = |name: &String| lessons.iter().any(|lesson| lesson.name == *name);
        let known: Vec<(String, Done)> = other.done.into_iter().filter(|(name, _)| there(name)).collect();
        let count = known.len();
        for (name, done) in known {
            let mine = self.done.entry(name).or_insert(done);
            mine.at = mine.at.min(done.at);
            mine.recaps = mine.recaps.max(done.recaps);
        }
        count
    }

    /// A lesson's questions are asked again.
    pub(crate) fn ask_again(&mut self, name: &str) {
        if let Some(done) = self.done.get_mut(name) {
            done.recaps += 1;
        }
    }

    /// Whether a lesson has been finished.
    pub(crate) fn is_done(&self, name: &str) -> bool {
        self.done.contains_key(name)
    }

    /// What is due to be asked: for each lesson that was finished long enough ago, one that its `recap` names, each time
    /// the next one; without such a list, its own question. Nothing is asked of a lesson that was not finished, and
    /// nothing twice.
    pub(crate) fn again(&self, lessons: &[LessonInfo], now: f64) -> Vec<Again> {
        let asks = |name: &str| lessons.iter().any(|lesson| lesson.name == name && lesson.asks);
        let mut due: Vec<Again> = Vec::new();
        for lesson in lessons {
            let Some(recaps) = self.due(&lesson.name, now) else {
                continue;
            };
            let named = lesson.recap.iter().filter(|name| asks(name) && self.is_done(name));
            let mut fit: Vec<&String> = named.collect();
            if fit.is_empty() && asks(&lesson.name) {
                fit.push(&lesson.name);
            }
            let Some(ask) = fit.get(recaps % fit.len().max(1)) else {
                continue;
            };
            if !due.iter().any(|known| known.ask == **ask) {
                due.push(Again {
                    of: lesson.name.clone(),
                    ask: (*ask).clone(),
                    seed: SEEDS + recaps as u64,
                });
            }
        }
        due
    }

    /// How often it has been asked again, if that is due once more.
    fn due(&self, name: &str, now: f64) -> Option<usize> {
        let done = self.done.get(name)?;
        let days = RECAPS.get(done.recaps)?;
        (now - done.at >= days * DAY).then_some(done.recaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked again after 1, 3 and 7 days, and then no more.
    /// Shows: E-08
    #[test]
    fn a_finished_lesson_is_asked_again_three_times() {
        let mut course = Course::default();
        course.finish("first-pod", 0.0);
        assert_eq!(course.due("first-pod", 0.9 * DAY), None);
        for (days, recaps) in [(1.0, 0), (3.0, 1), (7.0, 2)] {
            assert_eq!(course.due("first-pod", days * DAY), Some(recaps));
            course.ask_again("first-pod");
            assert_eq!(course.due("first-pod", days * DAY), None);
        }
        assert_eq!(course.due("first-pod", 100.0 * DAY), None);
        course.finish("first-pod", 5.0);
        assert_eq!(Course::read(&course.write()), course, "finished twice is finished once");
        assert_eq!(Course::read("nonsense\n\nx y z"), Course::default());
    }

    fn lesson(name: &str, recap: &[&str]) -> LessonInfo {
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

    /// A course that was saved on another device adds to what is known here; other files hold none.
    /// Shows: E-08
    #[test]
    fn a_saved_course_is_taken_in() {
        let lessons = [lesson("first", &[]), lesson("second", &[])];
        let mut course = Course::default();
        course.finish("first", 5.0 * DAY);
        course.ask_again("first");
        let elsewhere = format!("first {} 0\nsecond {} 2\nother 1 0\n", 2.0 * DAY, 3.0 * DAY);
        assert_eq!(course.take_in(Course::read(&elsewhere), &lessons), 2);
        assert_eq!(
            course.write(),
            format!("first {} 1\nsecond {} 2\n", 2.0 * DAY, 3.0 * DAY)
        );
        assert_eq!(course.take_in(Course::read("kind: Pod\nname 5\n"), &lessons), 0);
    }

    /// What a lesson's own `recap` names is asked, in turn, of what was finished.
    /// Shows: E-08
    #[test]
    fn a_lessons_recap_says_what_is_asked_again() {
        let lessons = [
            lesson("first", &[]),
            lesson("second", &[]),
            lesson("third", &["first", "second", "never-done"]),
        ];
        let mut course = Course::default();
        course.finish("first", 9.0 * DAY);
        course.finish("second", 9.0 * DAY);
        course.finish("third", 0.0);
        let asked = |course: &Course, days: f64| {
            let due = course.again(&lessons, days * DAY).into_iter();
            due.map(|again| (again.ask, again.seed)).collect::<Vec<_>>()
        };
        assert_eq!(asked(&course, 0.5), []);
        assert_eq!(asked(&course, 1.5), [("first".to_owned(), SEEDS)]);
        course.ask_again("third");
        assert_eq!(asked(&course, 1.5), []);
        assert_eq!(asked(&course, 3.5), [("second".to_owned(), SEEDS + 1)]);
        assert_eq!(
            asked(&course, 10.5)[0],
            ("first".to_owned(), SEEDS),
            "its own question, a day later"
        );
    }
}
