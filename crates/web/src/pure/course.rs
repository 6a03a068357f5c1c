//! What was done of the course: lessons finished, and which are due to be asked again after 1, 3 and 7 days. Kept on
//! this device only; as text it is one line a lesson, `NAME MILLIS RECAPS`.

use podscope_api::ordered;

/// Days after which a lesson's questions are asked again.
pub(crate) const RECAPS: [f64; 3] = [1.0, 3.0, 7.0];
const DAY: f64 = 86_400_000.0;

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
    /// How often it has been asked again, if that is due once more.
    pub(crate) fn due(&self, name: &str, now: f64) -> Option<usize> {
        let done = self.done.get(name)?;
        let days = RECAPS.get(done.recaps)?;
        (now - done.at >= days * DAY).then_some(done.recaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-08: asked again after 1, 3 and 7 days, and then no more.
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
}
