//! What is to be reached and kept, of the steps that have shown; and what is said to mistakes.

use podscope_protocol::{GoalState, Opened, StepState, StoryState, StoryStep, Wanted};
use yew::prelude::*;

use super::words;
use crate::components::icon;

/// The goals and promises of the steps up to the one that is read.
pub(super) fn goals(opened: &Opened, state: &StoryState) -> Html {
    let mut rows: Vec<Html> = Vec::new();
    for (step, now) in opened.story.iter().zip(&state.steps).take(state.step + 1) {
        for (goal, state) in step.goals.iter().zip(&now.goals) {
            let (class, mark, said) = match state {
                GoalState::Open => ("", "circle", "to do: "),
                GoalState::Reached => ("met", "check", "reached: "),
                GoalState::Missed => ("missed", "cross", "missed: "),
            };
            rows.push(row(class, mark, said, goal));
        }
        for (keep, broken) in step.keeps.iter().zip(&now.broken) {
            let (class, mark, said) = match (broken, state.finished) {
                (true, _) => ("missed", "cross", "broken: "),
                (false, true) => ("met", "check", "kept: "),
                (false, false) => ("keep", "circle", "to keep: "),
            };
            rows.push(row(class, mark, said, keep));
        }
    }
    if rows.is_empty() {
        return Html::default();
    }
    html! { <ul class="goals" aria-label="Goals">{ for rows }</ul> }
}

fn row(class: &'static str, mark: &'static str, said: &'static str, wanted: &Wanted) -> Html {
    html! {
        <li {class}>
            { icon(mark) }
            <span><span class={if class == "keep" { "tag" } else { "sr" }}>{ said }</span>{ words(&wanted.to_string()) }</span>
        </li>
    }
}

/// The answers to the mistakes that were made.
pub(super) fn mistakes(step: &StoryStep, now: &StepState) -> Html {
    let said = now.mistakes.iter().filter_map(|index| step.mistakes.get(*index));
    html! { { for said.map(|say| html! { <p class="mistake" role="status">{ words(say) }</p> }) } }
}
