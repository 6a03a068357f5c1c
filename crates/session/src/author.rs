//! Checks a lesson for its author (E-10): plays the lesson with its solution, without commands, and with each wrong
//! attempt, and lists the violated rules. The rules are those of `lessons/README.md`.

use podscope_cluster::Span;

use crate::play::{self, Attempt, Played};
use crate::scenario::{Check, Condition, Loaded, Scenario, Test};
use crate::story::{Goal, must_hold_to_end};
use podscope_kubectl::command;
use podscope_kubectl::duration::print_duration;
use podscope_messages::{Sentence, sentence};
use podscope_protocol::is_command_hint;

/// Lists the rules that a lesson violates.
pub fn violated_lesson_rules(loaded: &Loaded) -> Vec<Sentence> {
    let scenario = &loaded.scenario;
    let mut found = check_scenario_rules(scenario);
    let attempt = |attempt: Attempt| play::play(loaded.clone(), attempt, None).ok();
    if !scenario.solution.is_empty()
        && let Some(solved) = attempt(Attempt::Solution)
    {
        check_solution(&solved, &mut found);
        check_questions(&solved, &mut found);
        check_solution_at_other_paces(loaded, &mut found);
    }
    if let Some(nothing) = attempt(Attempt::Nothing) {
        if nothing.reaches_final_goal() {
            found.push(sentence!(author::nothing_reaches_goals));
        }
        check_questions(&nothing, &mut found);
    }
    let n_bypasses = play::wrong_attempts(scenario).len();
    let bypasses: Vec<Played> = (1..=n_bypasses).filter_map(|at| attempt(Attempt::Bypass(at))).collect();
    for (index, played) in bypasses.iter().enumerate() {
        if played.reaches_final_goal() {
            let commands = wrong_attempt_text(scenario, index);
            found.push(sentence!(
                author::bypass_reaches_goals,
                number = index + 1,
                commands = commands
            ));
        }
    }
    for (at, step) in scenario.steps.iter().enumerate() {
        for (index, mistake) in step.mistakes.iter().enumerate() {
            let made = |played: &Played| {
                let shown = played.session.progress().story().shown();
                shown
                    .get(at)
                    .is_some_and(|shown| shown.mistakes.get(index).is_some_and(Option::is_some))
            };
            if !bypasses.iter().any(made) {
                found.push(sentence!(
                    author::unseen_reply,
                    step = at + 1,
                    reply = mistake.say.as_str()
                ));
            }
        }
    }
    found
}

/// Returns the rules that the text of a lesson violates, as far as they can be checked without playing the lesson.
fn check_scenario_rules(scenario: &Scenario) -> Vec<Sentence> {
    let mut found = Vec::new();
    if scenario.steps.is_empty() {
        found.push(sentence!(author::no_steps));
        return found;
    }
    if scenario.solution.is_empty() {
        found.push(sentence!(author::no_solution));
    }
    let bypasses = play::wrong_attempts(scenario).len();
    if bypasses < 2 {
        found.push(sentence!(author::few_bypasses, count = bypasses));
    }
    let is_goal = |goals: &[crate::scenario::Condition]| goals.iter().any(|goal| !must_hold_to_end(goal));
    if !scenario.steps.iter().any(|step| is_goal(&step.goals)) {
        found.push(sentence!(author::no_goal));
    }
    let steps = &scenario.steps;
    for (index, step) in steps.iter().enumerate() {
        let number = index + 1;
        match &step.when {
            // A step without `when` waits for all goals of the previous step.
            None if index > 0 && steps[index - 1].goals.len() < 2 => {
                found.push(sentence!(author::shows_at_once, step = number));
            }
            Some(when) if when.check.is_none() => found.push(sentence!(author::follows_clock, step = number)),
            _ => {}
        }
        let blind = step.keeps.iter().filter(|keep| cannot_see_replacement(keep));
        found.extend(blind.map(|keep| sentence!(author::blind_promise, step = number, condition = in_english(keep))));
        // If a hint begins like a command, the page shows it as a button that runs this command.
        for hint in &step.hints {
            if is_command_hint(hint) && (hint.ends_with('.') || command::parse(hint).is_err()) {
                found.push(sentence!(author::hint_no_command, step = number, hint = hint));
            }
        }
        for text in [&step.text].into_iter().chain(&step.hints) {
            let unknown = podscope_protocol::glossary::unknown_terms(text);
            found.extend(
                unknown
                    .iter()
                    .map(|term| sentence!(author::unknown_term, step = number, term = term.to_string())),
            );
        }
        if step.manifest.as_ref().is_some_and(|manifest| !manifest.contains("___")) {
            found.push(sentence!(author::no_gap, step = number));
        }
    }
    found
}

/// Returns whether the condition of a promise (`keep`) would still hold if its objects were replaced. A count of pods
/// with the phase Running includes pods that are being deleted, and the test that a field does not exist also passes if
/// the object does not exist.
fn cannot_see_replacement(keep: &Condition) -> bool {
    match &keep.check {
        Some(Check::Count { get, .. }) => {
            let fields = get.target.field_selector.as_deref().unwrap_or_default();
            fields.contains("status.phase=Running")
        }
        Some(Check::Object { path, test, .. }) => path.is_some() && *test == Test::Exists(false),
        _ => false,
    }
}

fn check_solution(played: &Played, found: &mut Vec<Sentence>) {
    let steps = &played.session.loaded().scenario.steps;
    let story = played.session.progress().story();
    for (at, step) in steps.iter().enumerate() {
        let number = at + 1;
        let Some(shown) = story.shown().get(at) else {
            found.push(match &step.when {
                Some(when) => sentence!(author::never_shows_waits, step = number, condition = in_english(when)),
                None => sentence!(author::never_shows, step = number),
            });
            break;
        };
        for (goal, state) in step.goals.iter().zip(&shown.goals) {
            match state {
                Goal::Reached(at) if *at == shown.at && !must_hold_to_end(goal) => {
                    found.push(sentence!(
                        author::holds_already,
                        step = number,
                        condition = in_english(goal)
                    ));
                }
                Goal::Reached(_) => {}
                Goal::Open | Goal::Missed(_) => {
                    found.push(sentence!(
                        author::goal_not_reached,
                        step = number,
                        condition = in_english(goal)
                    ));
                }
            }
        }
        let broken = step
            .keeps
            .iter()
            .zip(&shown.keeps)
            .filter(|(_, broken)| broken.is_some());
        found.extend(
            broken.map(|(keep, _)| sentence!(author::promise_broken, step = number, condition = in_english(keep))),
        );
        for (mistake, made) in step.mistakes.iter().zip(&shown.mistakes) {
            if let Some(at) = made {
                let when = print_duration(*at - podscope_cluster::SimTime::ZERO);
                found.push(sentence!(
                    author::solution_is_mistake,
                    time = when,
                    step = number,
                    reply = mistake.say.as_str()
                ));
            }
        }
        let Some(ask) = &step.predict else { continue };
        let next = story.shown().get(at + 1);
        if let (Some(truth), Some(next)) = (&shown.truth, next)
            && truth.at > next.at
        {
            found.push(sentence!(author::shows_too_early, next = number + 1, step = number));
        }
        match &shown.truth {
            None => found.push(sentence!(author::never_answered, step = number, ask = ask.ask.as_str())),
            Some(truth) if !ask.options.is_empty() && ask.option_for_value(&truth.value).is_none() => {
                found.push(sentence!(
                    author::no_option,
                    value = format!("{:?}", truth.value),
                    step = number,
                    options = format!("{:?}", ask.options),
                    ask = ask.ask.as_str()
                ));
            }
            Some(_) => {}
        }
    }
}

/// Adds a complaint if the lesson is not finished when the solution's commands for each step begin 1 s, or 200 s, after
/// the step is shown.
fn check_solution_at_other_paces(loaded: &Loaded, found: &mut Vec<Sentence>) {
    for seconds in [1, 200] {
        let played = play::play_with_delay(loaded.clone(), Span::seconds(seconds)).ok();
        if let Some(open) = played.and_then(|played| played.first_incomplete()) {
            found.push(sentence!(author::other_pace, seconds = seconds, why = open));
        }
    }
}

/// Adds a complaint for each question whose answer the run has already shown when the question is asked.
fn check_questions(played: &Played, found: &mut Vec<Sentence>) {
    let steps = &played.session.loaded().scenario.steps;
    let shown = played.session.progress().story().shown().iter().zip(steps);
    for (index, (shown, step)) in shown.enumerate() {
        if let (Some(truth), Some(ask)) = (&shown.truth, &step.predict)
            && truth.at <= shown.at
        {
            let complaint = sentence!(author::asks_too_late, step = index + 1, ask = ask.ask.as_str());
            if !found.contains(&complaint) {
                found.push(complaint);
            }
        }
    }
}

/// Describes a condition in English, because authors write lessons in English.
fn in_english(condition: &Condition) -> String {
    condition.description.to_string()
}

/// Returns the first line of each command of the wrong attempt with this index (see [`play::wrong_attempts`]), joined
/// by `; `.
fn wrong_attempt_text(scenario: &Scenario, bypass_index: usize) -> String {
    let entries = play::wrong_attempts(scenario)
        .get(bypass_index)
        .copied()
        .unwrap_or_default();
    let lines: Vec<String> = entries.iter().map(|timed| timed.command.to_string()).collect();
    let first = lines.iter().filter_map(|line| line.lines().next()).collect::<Vec<_>>();
    first.join("; ")
}
