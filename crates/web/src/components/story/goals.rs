//! The goals of a lesson, the conditions that must stay true, and the lesson's replies to mistakes; for the steps up to
//! the shown one.

use podscope_messages::{Message, goals, t};
use podscope_protocol::{GoalState, LessonCondition, OpenedSession, StepState, StoryState, StoryStep};
use yew::prelude::*;

use super::inline_markdown;
use crate::components::icon;
use crate::state::Study;

/// The goals and conditions of the steps up to the shown one.
pub(super) fn goals(opened: &OpenedSession, state: &StoryState) -> Html {
    let mut rows: Vec<Html> = Vec::new();
    for (step, now) in opened.story.iter().zip(&state.steps).take(state.step + 1) {
        for (goal, state) in step.goals.iter().zip(&now.goals) {
            let (class, mark, prefix) = match state {
                GoalState::Open => ("", "circle", goals::to_do),
                GoalState::Reached => ("met", "check", goals::reached),
                GoalState::Missed => ("missed", "cross", goals::missed),
            };
            rows.push(goal_row(class, mark, prefix, goal));
        }
        for (keep, broken) in step.keeps.iter().zip(&now.broken) {
            let (class, mark, prefix) = match (broken, state.finished) {
                (true, _) => ("missed", "cross", goals::broken),
                (false, true) => ("met", "check", goals::kept),
                (false, false) => ("keep", "circle", goals::to_keep),
            };
            rows.push(goal_row(class, mark, prefix, keep));
        }
    }
    if rows.is_empty() {
        return Html::default();
    }
    html! { <ul class="goals" aria-label={t!(goals::goals)}>{ for rows }</ul> }
}

fn goal_row(class: &'static str, mark: &'static str, prefix: Message, wanted: &LessonCondition) -> Html {
    html! {
        <li {class}>
            { icon(mark) }
            <span><span class={if class == "keep" { "tag" } else { "sr" }}>{ prefix.text() }{ " " }</span>{ inline_markdown(&wanted.to_string()) }</span>
        </li>
    }
}

/// Returns the mistakes of a step that get a reply: the last one, or all in the replay of an exam.
pub(super) fn mistakes_with_reply<'a>(now: &'a StepState, study: &Study) -> &'a [usize] {
    match study.is_replay() {
        true => &now.made,
        false => &now.mistakes,
    }
}

/// Replies to these mistakes of a step, given by their indices. A reply would lead to the solution, so an exam only
/// reports that there was a mistake.
pub(super) fn mistake_replies(step: &StoryStep, mistakes: &[usize], hides_solutions: bool) -> Html {
    if hides_solutions && !mistakes.is_empty() {
        return html! { <p class="mistake" role="status">{ t!(goals::mistake_noted) }</p> };
    }
    let replies = mistakes.iter().filter_map(|index| step.mistakes.get(*index));
    html! { { for replies.map(|say| html! { <p class="mistake" role="status">{ inline_markdown(say) }</p> }) } }
}
