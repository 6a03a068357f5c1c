//! Plays a lesson without a reader: with its solution, without commands, or with a wrong attempt. Reports which steps
//! were shown, which goals were reached, how the run answered the questions, which promises (`keep`) were broken and
//! which of the lesson's known mistakes were made, and whether the lesson behaves as intended (E-07, E-10).

use std::fmt::Write;

use podscope_cluster::{SimTime, Span};

use crate::scenario::{Condition, Loaded, Scenario, Timed};
use crate::story::{Goal, Story, must_hold_to_end};
use crate::timeline::{Session, Slice};
use podscope_kubectl::duration::print_duration;
use podscope_messages::{Sentence, sentence};
use podscope_protocol::Problem;

/// Simulated time for which a lesson is played after the last event in its file.
pub const TIME_AFTER_LAST_EVENT: Span = Span::seconds(300);

/// Which commands of a lesson's file are performed when the lesson is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    Solution,
    /// No commands at all.
    Nothing,
    /// A wrong attempt by its number: the entries of `bypasses` are numbered from 1, `wrong` is the next number; 0 also
    /// means `wrong`.
    Bypass(usize),
}

impl Attempt {
    /// Parses an attempt: `solution`, `nothing` or `bypass:N`.
    ///
    /// # Errors
    /// The text is none of these.
    pub fn parse(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("bypass:").map(str::parse::<usize>)) {
            ("solution", _) => Ok(Self::Solution),
            ("nothing", _) => Ok(Self::Nothing),
            (_, Some(Ok(number))) => Ok(Self::Bypass(number)),
            _ => Err(format!("--play takes solution, nothing or bypass:N, not {text:?}")),
        }
    }

    fn commands(self, scenario: &Scenario) -> Result<&[Timed], String> {
        let bypasses = wrong_attempts(scenario);
        match self {
            Self::Solution if scenario.solution.is_empty() => Err("the lesson has no solution".into()),
            Self::Solution => Ok(&scenario.solution),
            Self::Nothing => Ok(&[]),
            Self::Bypass(0) if scenario.wrong.is_empty() => {
                Err("the lesson has no `wrong`: bypasses count from 1".into())
            }
            Self::Bypass(0) => Ok(&scenario.wrong),
            Self::Bypass(number) => (bypasses.get(number - 1).copied())
                .ok_or_else(|| format!("there are {} bypasses, `wrong` among them", bypasses.len())),
        }
    }
}

/// Returns the commands of the lesson's wrong attempts: `bypasses`, then `wrong`.
pub fn wrong_attempts(scenario: &Scenario) -> Vec<&[Timed]> {
    let wrong = Some(scenario.wrong.as_slice()).filter(|wrong| !wrong.is_empty());
    (scenario.bypasses.iter().map(Vec::as_slice)).chain(wrong).collect()
}

/// A lesson that has been played.
#[derive(Debug)]
pub struct Played {
    pub attempt: Attempt,
    /// The session at the end of the lesson.
    pub session: Session,
}

/// Plays a lesson until the time `until`; by default until [`TIME_AFTER_LAST_EVENT`] after the last event in its file.
///
/// # Errors
/// The scenario has no story or no such attempt, or the API server refuses an object.
pub fn play(loaded: Loaded, attempt: Attempt, until: Option<SimTime>) -> Result<Played, Vec<Problem>> {
    let name = loaded.files.first().map(|(name, _)| name.clone()).unwrap_or_default();
    let refuse = |message: String| vec![Problem::of_file(name.clone(), message)];
    if loaded.scenario.steps.is_empty() {
        return Err(refuse("there are no steps: only a lesson can be played".into()));
    }
    let commands = attempt.commands(&loaded.scenario).map_err(&refuse)?.to_vec();
    let until = until.unwrap_or_else(|| last_event_time(&loaded) + TIME_AFTER_LAST_EVENT);
    let mut session = Session::new(loaded)?;
    session.schedule(commands);
    while session.advance(until, 100_000) == Slice::More {}
    Ok(Played { attempt, session })
}

/// Maximum simulated time to wait for a step to be shown or for the lesson to be finished.
const MAX_STEP_WAIT: Span = Span::seconds(1500);

/// Plays the solution like a faster or slower reader: the first command of each step is performed `delay` after the
/// step is shown.
///
/// # Errors
/// See [`play`].
pub fn play_with_delay(loaded: Loaded, delay: Span) -> Result<Played, Vec<Problem>> {
    let guide = play(loaded.clone(), Attempt::Solution, None)?;
    let shows: Vec<SimTime> = guide.story().shown().iter().map(|shown| shown.at).collect();
    let solution = loaded.scenario.solution.clone();
    let mut session = Session::new(loaded)?;
    let mut last = SimTime::ZERO;
    for (step, from) in shows.iter().enumerate() {
        let until = shows.get(step + 1);
        let is_of_step =
            |timed: &&Timed| (step == 0 || timed.at >= *from) && until.is_none_or(|until| timed.at < *until);
        let commands: Vec<&Timed> = solution.iter().filter(is_of_step).collect();
        let (Some(first), Some(end)) = (commands.first(), commands.last()) else {
            continue;
        };
        advance_until_story(&mut session, last + MAX_STEP_WAIT, |story| story.shown().len() > step);
        let Some(shown) = session.progress().story().shown().get(step) else {
            break;
        };
        let begin = (shown.at + delay).max(session.now()).max(last);
        let moved = |timed: &&Timed| Timed {
            at: begin + (timed.at - first.at),
            command: timed.command.clone(),
        };
        last = begin + (end.at - first.at);
        session.schedule(commands.iter().map(moved).collect());
    }
    advance_until_story(&mut session, last + MAX_STEP_WAIT, |story| story.finished().is_some());
    let attempt = Attempt::Solution;
    Ok(Played { attempt, session })
}

/// Advances the session second by second until the predicate is true or the time `until` is reached.
fn advance_until_story(session: &mut Session, until: SimTime, predicate: impl Fn(&Story) -> bool) {
    while !predicate(session.progress().story()) && session.now() < until {
        let target = session.now() + Span::seconds(1);
        while session.advance(target, 100_000) == Slice::More {}
        if session.now() < target {
            return;
        }
    }
}

/// Returns the time of the last event in the lesson's file.
fn last_event_time(loaded: &Loaded) -> SimTime {
    let scenario = &loaded.scenario;
    let attempts = wrong_attempts(scenario).into_iter().flatten();
    let named = scenario.solution.iter().chain(attempts).map(|timed| timed.at);
    named.max().unwrap_or_default().max(loaded.default_until())
}

impl Played {
    fn scenario(&self) -> &Scenario {
        &self.session.loaded().scenario
    }

    fn story(&self) -> &Story {
        self.session.progress().story()
    }

    /// Returns whether the lesson is finished, that is, all steps are shown and all goals reached.
    pub fn is_finished(&self) -> bool {
        self.story().finished().is_some()
    }

    /// Returns whether all goals of the last step that has goals are reached. If no step has goals, returns whether the
    /// lesson is finished.
    pub fn reaches_final_goal(&self) -> bool {
        let has_other = |goals: &[crate::scenario::Condition]| goals.iter().any(|goal| !must_hold_to_end(goal));
        let steps = &self.scenario().steps;
        let Some(last) = steps.iter().rposition(|step| has_other(&step.goals)) else {
            return self.is_finished();
        };
        self.story().shown().get(last).is_some_and(|shown| {
            (shown.goals.iter().zip(&steps[last].goals))
                .all(|(state, goal)| matches!(state, Goal::Reached(_)) || must_hold_to_end(goal))
        })
    }

    /// Returns the number of shown questions for which the run has not determined an answer.
    pub fn count_unanswered_questions(&self) -> usize {
        let shown = self.story().shown().iter().zip(&self.scenario().steps);
        shown
            .filter(|(shown, step)| step.predict.is_some() && shown.truth.is_none())
            .count()
    }

    /// Returns whether the lesson behaved as intended: with the solution it is finished and all questions are answered;
    /// with any other attempt the final goal is not reached.
    pub fn behaves_as_intended(&self) -> bool {
        match self.attempt {
            Attempt::Solution => self.is_finished() && self.count_unanswered_questions() == 0,
            Attempt::Nothing | Attempt::Bypass(_) => !self.reaches_final_goal(),
        }
    }

    /// Formats a report for people.
    pub fn report(&self) -> String {
        let mut out = String::new();
        let (scenario, story) = (self.scenario(), self.story());
        let what = match self.attempt {
            Attempt::Solution => "solution".to_owned(),
            Attempt::Nothing => "nothing".to_owned(),
            Attempt::Bypass(number) => format!("bypass {number}"),
        };
        let loaded = self.session.loaded();
        let (seed, now) = (loaded.setup.seed, print_time(self.session.now()));
        let _ = writeln!(out, "{}: {what}, seed {seed}, ran to {now}", loaded.title());
        for (at, step) in scenario.steps.iter().enumerate() {
            let number = at + 1;
            let Some(shown) = story.shown().get(at) else {
                let awaited_condition = self.awaited_condition(at);
                let awaited_condition = awaited_condition.map(|when| format!(": waited for: {}", when.description));
                let _ = writeln!(
                    out,
                    "step {number} never showed{}",
                    awaited_condition.unwrap_or_default()
                );
                continue;
            };
            let _ = writeln!(out, "step {number} showed at {}", print_time(shown.at));
            if let Some(ask) = &step.predict {
                let _ = match &shown.truth {
                    Some(truth) => {
                        let option = match ask.option_for_value(&truth.value) {
                            Some(option) if *option != *truth.value => format!(", option {option}"),
                            None if !ask.options.is_empty() => ", none of the options".to_owned(),
                            _ => String::new(),
                        };
                        writeln!(
                            out,
                            "  prediction  {} at {}{option}: {}",
                            truth.value,
                            print_time(truth.at),
                            ask.ask
                        )
                    }
                    None => writeln!(out, "  prediction  never answered: {}", ask.ask),
                };
            }
            for (goal, state) in step.goals.iter().zip(&shown.goals) {
                let state = match state {
                    Goal::Open => "not reached".to_owned(),
                    Goal::Reached(at) => format!("reached at {}", print_time(*at)),
                    Goal::Missed(at) => format!("missed at {}", print_time(*at)),
                };
                let _ = writeln!(out, "  goal  {state}: {}", goal.description);
            }
            for (keep, broken) in step.keeps.iter().zip(&shown.keeps) {
                let state = broken.map_or_else(|| "kept".to_owned(), |at| format!("broken at {}", print_time(at)));
                let _ = writeln!(out, "  keep  {state}: {}", keep.description);
            }
            for (mistake, made) in step.mistakes.iter().zip(&shown.mistakes) {
                let state = made.map_or_else(|| "not made".to_owned(), |at| format!("made at {}", print_time(at)));
                let _ = writeln!(out, "  mistake  {state}: {}", mistake.say);
            }
        }
        let end = match story.finished() {
            Some(at) => format!("finished at {}", print_time(at)),
            None => "not finished".to_owned(),
        };
        let _ = writeln!(out, "{end}");
        out
    }

    /// Describes what first prevents the lesson from being complete: a step that is not shown, an answer that is not
    /// among the options, or a goal that is not reached. None if the lesson is complete.
    pub fn first_incomplete(&self) -> Option<Sentence> {
        for (index, step) in self.scenario().steps.iter().enumerate() {
            let number = index + 1;
            let Some(shown) = self.story().shown().get(index) else {
                return Some(match self.awaited_condition(index) {
                    Some(when) => sentence!(
                        author::step_never_shows_waits,
                        step = number,
                        condition = when.description.to_string()
                    ),
                    None => sentence!(author::step_never_shows, step = number),
                });
            };
            if let Some((ask, truth)) = step.predict.as_ref().zip(shown.truth.as_ref())
                && !ask.options.is_empty()
                && ask.option_for_value(&truth.value).is_none()
            {
                let value = &truth.value;
                return Some(sentence!(author::answer_no_option, value = value, step = number));
            }
            let open = shown.goals.iter().zip(&step.goals);
            if let Some((_, goal)) = open.into_iter().find(|(state, _)| !matches!(state, Goal::Reached(_))) {
                let condition = goal.description.to_string();
                return Some(sentence!(author::goal_open, step = number, condition = condition));
            }
        }
        None
    }

    /// Returns the condition for which the step at this index waits, if it is the next step and has a condition.
    fn awaited_condition(&self, step_index: usize) -> Option<&Condition> {
        let next = self.story().next(self.scenario())?;
        next.when.as_ref().filter(|_| self.story().shown().len() == step_index)
    }
}

fn print_time(at: SimTime) -> String {
    print_duration(at - SimTime::ZERO)
}
