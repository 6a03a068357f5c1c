//! Checks of a lesson for its author (E-10): plays its solution, no commands, and all wrong attempts, and lists
//! violated rules. The rules are those of `lessons/README.md`.

use podscope_cluster::Span;

use crate::play::{self, Attempt, Played};
use crate::scenario::{Check, Condition, Loaded, Scenario, Test};
use crate::story::{Goal, is_always};
use podscope_kubectl::command;
use podscope_kubectl::duration::print_duration;
use podscope_protocol::is_command_hint;

/// Lists the rules that a lesson violates.
pub fn complaints(loaded: &Loaded) -> Vec<String> {
    let scenario = &loaded.scenario;
    let mut found = check_form(scenario);
    let attempt = |attempt: Attempt| play::play(loaded.clone(), attempt, None).ok();
    if !scenario.solution.is_empty()
        && let Some(solved) = attempt(Attempt::Solution)
    {
        check_solution(&solved, &mut found);
        check_questions(&solved, &mut found);
        check_paces(loaded, &mut found);
    }
    if let Some(nothing) = attempt(Attempt::Nothing) {
        if nothing.reaches_final_goal() {
            found.push("Who does nothing reaches the last goals: they hold by themselves.".into());
        }
        check_questions(&nothing, &mut found);
    }
    let n_bypasses = play::bypasses(scenario).len();
    let bypasses: Vec<Played> = (1..=n_bypasses).filter_map(|at| attempt(Attempt::Bypass(at))).collect();
    for (index, played) in bypasses.iter().enumerate() {
        if played.reaches_final_goal() {
            found.push(format!(
                "Bypass {} reaches the last goals, and it is not meant to: {}",
                index + 1,
                commands(scenario, index)
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
                found.push(format!(
                    "Step {} answers a mistake that no bypass makes, so nobody has seen the answer: {}",
                    at + 1,
                    mistake.say
                ));
            }
        }
    }
    found
}

/// Checks that do not need a run.
fn check_form(scenario: &Scenario) -> Vec<String> {
    let mut found = Vec::new();
    if scenario.steps.is_empty() {
        found.push("There are no steps: a lesson tells something in `spec.steps`.".to_owned());
        return found;
    }
    if scenario.solution.is_empty() {
        found.push("There is no solution: *Show me* has nothing to play.".to_owned());
    }
    let bypasses = play::bypasses(scenario).len();
    if bypasses < 2 {
        found.push(format!(
            "A lesson lists two attempts at least that tempt and do not work (`wrong`, `bypasses`); here {bypasses} stand."
        ));
    }
    let is_goal = |goals: &[crate::scenario::Condition]| goals.iter().any(|goal| !is_always(goal));
    if !scenario.steps.iter().any(|step| is_goal(&step.goals)) {
        found.push("No step has a goal: there is nothing to reach.".to_owned());
    }
    let steps = &scenario.steps;
    for (index, step) in steps.iter().enumerate() {
        let number = index + 1;
        match &step.when {
            // A step without `when` waits for all goals of the previous step.
            None if index > 0 && steps[index - 1].goals.len() < 2 => found.push(format!(
                "Step {number} shows at once after the one before: say in `when` what has happened by then."
            )),
            Some(when) if when.check.is_none() => found.push(format!(
                "Step {number} follows the clock alone: its `when` names no object, so it would tell of what nobody did."
            )),
            _ => {}
        }
        let blind = step.keeps.iter().filter(|keep| cannot_see_replacement(keep));
        found.extend(blind.map(|keep| {
            format!(
                "A `keep` of step {number} holds while what it speaks of is deleted and made again; use `ready`, `same` or \
                 `never`: {}",
                keep.description
            )
        }));
        // The page shows a hint that begins like a command as a button that runs it.
        for hint in &step.hints {
            if is_command_hint(hint) && (hint.ends_with('.') || command::parse(hint).is_err()) {
                found.push(format!(
                    "A hint of step {number} begins like a command, so a press runs it, and it is none: {hint}"
                ));
            }
        }
        for text in [&step.text].into_iter().chain(&step.hints) {
            let unknown = podscope_protocol::glossary::unknown_terms(text);
            found.extend(
                unknown
                    .iter()
                    .map(|term| format!("Step {number} links [[{term}]], which is no term of the glossary.")),
            );
        }
        if step.manifest.as_ref().is_some_and(|manifest| !manifest.contains("___")) {
            found.push(format!(
                "The manifest of step {number} has no gap (`___`): it is the whole solution."
            ));
        }
    }
    found
}

/// Whether a promise may hold although its objects were replaced: a pod that ends is still Running by its phase, and a
/// field of an object that is gone does not exist either.
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

fn check_solution(played: &Played, found: &mut Vec<String>) {
    let steps = &played.session.loaded().scenario.steps;
    let story = played.session.progress().story();
    for (at, step) in steps.iter().enumerate() {
        let number = at + 1;
        let Some(shown) = story.shown().get(at) else {
            let when = step
                .when
                .as_ref()
                .map_or(String::new(), |when| format!("; it waits for: {}", when.description));
            found.push(format!("With the solution step {number} never shows{when}."));
            break;
        };
        for (goal, state) in step.goals.iter().zip(&shown.goals) {
            match state {
                Goal::Reached(at) if *at == shown.at && !is_always(goal) => found.push(format!(
                    "A goal of step {number} holds already when the step shows, so nobody reaches it (a status may be \
                     older than what was just changed): {}",
                    goal.description
                )),
                Goal::Reached(_) => {}
                Goal::Open | Goal::Missed(_) => found.push(format!(
                    "The solution does not reach a goal of step {number}: {}",
                    goal.description
                )),
            }
        }
        let broken = step
            .keeps
            .iter()
            .zip(&shown.keeps)
            .filter(|(_, broken)| broken.is_some());
        found.extend(
            broken.map(|(keep, _)| format!("The solution breaks a promise of step {number}: {}", keep.description)),
        );
        for (mistake, made) in step.mistakes.iter().zip(&shown.mistakes) {
            if let Some(at) = made {
                let when = print_duration(*at - podscope_cluster::SimTime::ZERO);
                found.push(format!(
                    "The solution is told at {when} that it is a mistake (step {number}): {}",
                    mistake.say
                ));
            }
        }
        let Some(ask) = &step.predict else { continue };
        let next = story.shown().get(at + 1);
        if let (Some(truth), Some(next)) = (&shown.truth, next)
            && truth.at > next.at
        {
            found.push(format!(
                "Step {} shows before the run has answered the question of step {number}, and may give it away or \
                 change it: let it wait (`at` in its `when`), or ask for an earlier instant.",
                number + 1
            ));
        }
        match &shown.truth {
            None => found.push(format!("The question of step {number} is never answered: {}", ask.ask)),
            Some(truth) if !ask.options.is_empty() && ask.option_of(&truth.value).is_none() => found.push(format!(
                "The run answers {:?} to step {number}, and that is none of the options {:?}: {}",
                truth.value, ask.options, ask.ask
            )),
            Some(_) => {}
        }
    }
}

/// Checks that quicker and slower readers can finish too.
fn check_paces(loaded: &Loaded, found: &mut Vec<String>) {
    for seconds in [1, 200] {
        let played = play::play_with_delay(loaded.clone(), Span::seconds(seconds)).ok();
        if let Some(open) = played.and_then(|played| played.first_incomplete()) {
            found.push(format!(
                "Who does each step's part of the solution {seconds} s after the step has shown does not come to the end: {open}"
            ));
        }
    }
}

/// Checks that the answer to a question is not known before it is asked.
fn check_questions(played: &Played, found: &mut Vec<String>) {
    let steps = &played.session.loaded().scenario.steps;
    let shown = played.session.progress().story().shown().iter().zip(steps);
    for (index, (shown, step)) in shown.enumerate() {
        if let (Some(truth), Some(ask)) = (&shown.truth, &step.predict)
            && truth.at <= shown.at
        {
            let complaint = format!("Step {} asks for what has happened already: {}", index + 1, ask.ask);
            if !found.contains(&complaint) {
                found.push(complaint);
            }
        }
    }
}

fn commands(scenario: &Scenario, bypass: usize) -> String {
    let entries = play::bypasses(scenario).get(bypass).copied().unwrap_or_default();
    let lines: Vec<String> = entries.iter().map(|timed| timed.command.to_string()).collect();
    let first = lines.iter().filter_map(|line| line.lines().next()).collect::<Vec<_>>();
    first.join("; ")
}
