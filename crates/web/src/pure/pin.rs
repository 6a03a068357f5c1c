//! A question whose answer is a time, as the timeline shows it: its options are marked there, and the user answers with
//! a pin.

use podscope_api::parse_duration;
use podscope_protocol::{Micros, OpenedSession, QuestionKind, StoryState};

use super::clock;
use super::scale::Span;

const SECOND: Micros = 1_000_000;

/// An open question whose answer is a time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TimeQuestion {
    /// Instant at which the question's step was shown. An answer is a duration from this instant.
    pub(crate) from: Micros,
    /// The options: text and instant.
    pub(crate) options: Vec<(String, Micros)>,
}

impl TimeQuestion {
    /// Returns the open question if its answer is a time.
    pub(crate) fn of(opened: &OpenedSession, story: &StoryState) -> Option<TimeQuestion> {
        let step = story.question?;
        let question = opened.story.get(step)?.question.as_ref()?;
        if question.kind != QuestionKind::Time {
            return None;
        }
        let from = story.steps.get(step)?.at;
        let with_instant = |option: &String| Some((option.clone(), from + parse_duration(option).ok()?));
        let options = question.options.iter().filter_map(with_instant).collect();
        Some(TimeQuestion { from, options })
    }

    /// Returns the last instant on which a pin can be set: somewhat after the last option.
    pub(crate) fn until(&self) -> Micros {
        let last = self.options.iter().map(|(_, at)| *at).max().unwrap_or(self.from);
        self.from + ((last - self.from) * 3 / 2).max(60 * SECOND)
    }

    /// Returns the span of the timeline that shows the whole question.
    pub(crate) fn span(&self) -> Span {
        let length = self.until() - self.from;
        Span {
            from: (self.from - length / 8).max(0),
            to: self.until() + length / 16,
        }
    }

    /// Snaps a pin to a near option, otherwise to a whole second.
    pub(crate) fn snap(&self, at: Micros) -> Micros {
        let near = (self.until() - self.from) / 60;
        let option = self.options.iter().map(|(_, option)| *option);
        let option = option
            .filter(|option| (option - at).abs() <= near)
            .min_by_key(|option| (option - at).abs());
        let whole = self.from + (at - self.from + SECOND / 2).div_euclid(SECOND) * SECOND;
        option.unwrap_or(whole).clamp(self.from + SECOND, self.until())
    }

    /// Returns the answer for a pin: the text of the option at the pin, or a duration.
    pub(crate) fn answer_at_pin(&self, pin: Micros) -> String {
        let option = self.options.iter().find(|(_, at)| *at == pin);
        option.map_or_else(|| clock::scenario_duration(pin - self.from), |(text, _)| text.clone())
    }

    /// Returns the pin after a key press, such as an arrow key; `None` for other keys.
    pub(crate) fn pin_after_key(&self, pin: Option<Micros>, key: &str, is_shift: bool) -> Option<Micros> {
        let step = if is_shift { 10 * SECOND } else { SECOND };
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

/// Returns the instants of the user's answer and of the real outcome, for the question of the shown step.
pub(crate) fn times_of_answer_and_outcome(
    opened: &OpenedSession,
    story: &StoryState,
) -> (Option<Micros>, Option<Micros>) {
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

    fn time_question() -> TimeQuestion {
        TimeQuestion {
            from: 10 * SECOND,
            options: vec![("10s".into(), 20 * SECOND), ("1m".into(), 70 * SECOND)],
        }
    }

    /// A pin near an option answers with the option's text; another pin answers with the time since the question
    /// opened.
    /// Shows: E-06
    #[test]
    fn pin_snaps_to_a_near_option() {
        let time_question = time_question();
        assert_eq!(time_question.until(), 100 * SECOND);
        for (at, pin, answer) in [
            (21 * SECOND, 20 * SECOND, "10s"),
            (69_300_000, 70 * SECOND, "1m"),
            (40_400_000, 40 * SECOND, "30s"),
            (0, 11 * SECOND, "1s"),
            (900 * SECOND, 100 * SECOND, "90s"),
        ] {
            assert_eq!(time_question.snap(at), pin, "{at}");
            assert_eq!(time_question.answer_at_pin(pin), answer);
        }
    }

    #[test]
    fn arrow_keys_move_the_pin_by_seconds() {
        let time_question = time_question();
        assert_eq!(
            time_question.pin_after_key(None, "ArrowRight", false),
            Some(11 * SECOND)
        );
        assert_eq!(
            time_question.pin_after_key(Some(20 * SECOND), "ArrowRight", true),
            Some(30 * SECOND)
        );
        assert_eq!(
            time_question.pin_after_key(Some(20 * SECOND), "Home", false),
            Some(11 * SECOND)
        );
        assert_eq!(time_question.pin_after_key(Some(20 * SECOND), "Enter", false), None);
    }
}
