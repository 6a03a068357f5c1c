//! A question for a time, as the timeline has it: the options lie on it, and an answer is a pin.

use podscope_api::parse_duration;
use podscope_protocol::{Micros, Opened, QuestionKind, StoryState};

use super::clock;
use super::scale::Span;

const SECOND: Micros = 1_000_000;

/// A question for a time that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    /// When its step showed: from there the time counts.
    pub(crate) from: Micros,
    /// The options, and where they lie.
    pub(crate) options: Vec<(String, Micros)>,
}

impl Asked {
    /// The question that waits, if it is for a time.
    pub(crate) fn of(opened: &Opened, story: &StoryState) -> Option<Asked> {
        let step = story.question?;
        let question = opened.story.get(step)?.question.as_ref()?;
        if question.kind != QuestionKind::Time {
            return None;
        }
        let from = story.steps.get(step)?.at;
        let lies = |option: &String| Some((option.clone(), from + parse_duration(option).ok()?));
        let options = question.options.iter().filter_map(lies).collect();
        Some(Asked { from, options })
    }

    /// How far pins can be set: somewhat beyond the last option.
    pub(crate) fn until(&self) -> Micros {
        let last = self.options.iter().map(|(_, at)| *at).max().unwrap_or(self.from);
        self.from + ((last - self.from) * 3 / 2).max(60 * SECOND)
    }

    /// The stretch of time in which all of it is seen.
    pub(crate) fn span(&self) -> Span {
        let length = self.until() - self.from;
        Span {
            from: (self.from - length / 8).max(0),
            to: self.until() + length / 16,
        }
    }

    /// Where a pin comes to stand: on an option that is near, else on a whole second.
    pub(crate) fn place(&self, at: Micros) -> Micros {
        let near = (self.until() - self.from) / 60;
        let option = self.options.iter().map(|(_, option)| *option);
        let option = option
            .filter(|option| (option - at).abs() <= near)
            .min_by_key(|option| (option - at).abs());
        let whole = self.from + (at - self.from + SECOND / 2).div_euclid(SECOND) * SECOND;
        option.unwrap_or(whole).clamp(self.from + SECOND, self.until())
    }

    /// A pin as the answer it is: an option's own text, or a duration.
    pub(crate) fn answer(&self, pin: Micros) -> String {
        let option = self.options.iter().find(|(_, at)| *at == pin);
        option.map_or_else(|| clock::plain(pin - self.from), |(text, _)| text.clone())
    }

    /// The pin after a key of a slider; none if the key means nothing there.
    pub(crate) fn key(&self, pin: Option<Micros>, key: &str, big: bool) -> Option<Micros> {
        let step = if big { 10 * SECOND } else { SECOND };
        let now = pin.unwrap_or(self.from);
        let to = match key {
            "ArrowLeft" | "ArrowDown" => now - step,
            "ArrowRight" | "ArrowUp" => now + step,
            "PageDown" => now - 10 * SECOND,
            "PageUp" => now + 10 * SECOND,
            "Home" => self.from,
            "End" => self.until(),
            _ => return None,
        };
        Some(to.clamp(self.from + SECOND, self.until()))
    }
}

/// Where the reader's answer to the question of the step that is read lies, and the run's.
pub(crate) fn told(opened: &Opened, story: &StoryState) -> (Option<Micros>, Option<Micros>) {
    let question = opened.story.get(story.step).and_then(|step| step.question.as_ref());
    let state = story
        .steps
        .get(story.step)
        .filter(|_| story.question != Some(story.step));
    let (Some(QuestionKind::Time), Some(state)) = (question.map(|question| question.kind), state) else {
        return (None, None);
    };
    let mine = state.answer.as_deref().and_then(|answer| parse_duration(answer).ok());
    (
        mine.map(|after| state.at + after),
        state.truth.as_ref().map(|truth| truth.at),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Asked {
        Asked {
            from: 10 * SECOND,
            options: vec![("10s".into(), 20 * SECOND), ("1m".into(), 70 * SECOND)],
        }
    }

    /// A pin answers as the option it stands on, else as the time it is.
    /// Shows: E-06
    #[test]
    fn a_pin_near_an_option_is_that_option() {
        let asked = asked();
        assert_eq!(asked.until(), 100 * SECOND);
        for (at, pin, answer) in [
            (21 * SECOND, 20 * SECOND, "10s"),
            (69_300_000, 70 * SECOND, "1m"),
            (40_400_000, 40 * SECOND, "30s"),
            (0, 11 * SECOND, "1s"),
            (900 * SECOND, 100 * SECOND, "90s"),
        ] {
            assert_eq!(asked.place(at), pin, "{at}");
            assert_eq!(asked.answer(pin), answer);
        }
    }

    #[test]
    fn keys_move_a_pin_by_seconds() {
        let asked = asked();
        assert_eq!(asked.key(None, "ArrowRight", false), Some(11 * SECOND));
        assert_eq!(asked.key(Some(20 * SECOND), "ArrowRight", true), Some(30 * SECOND));
        assert_eq!(asked.key(Some(20 * SECOND), "Home", false), Some(11 * SECOND));
        assert_eq!(asked.key(Some(20 * SECOND), "Enter", false), None);
    }
}
