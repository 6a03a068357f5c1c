//! A story of short lines: each line stands under the stage with its suggested command, and takes no room from the
//! stage.

use podscope_protocol::{Caption, Opened, Request};
use yew::prelude::*;

use super::icon;
use super::story::words;
use crate::ctl::Ctl;
use crate::pure::actions;
use crate::state::{Page, Shared};

/// Longest text of a step that fits into one or two lines under the stage, in bytes.
const MAX_TEXT: usize = 220;

/// Returns whether the story has short lines only: it asks no question and sets no goal.
pub(crate) fn is_brief(opened: &Opened) -> bool {
    opened.lesson.is_none()
        && opened.story.iter().all(|step| {
            let has_task = !step.goals.is_empty() || step.question.is_some() || step.manifest.is_some();
            !has_task && step.hints.is_empty() && step.text.len() <= MAX_TEXT
        })
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// The line under the stage.
#[component]
pub(crate) fn Brief(props: &Props) -> Html {
    let is_closed = use_state(|| false);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    let story = &page.model.story;
    {
        // Short lines advance by themselves.
        let (send, step) = (ctl.send.clone(), story.step);
        use_effect_with(story.steps.len(), move |shown| {
            if *shown > step + 1 {
                send.emit(Request::StoryStep { step: shown - 1 });
            }
        });
    }
    {
        // After a skip time runs on. Stepping from event to event does not start it.
        let skipped = (page.model.director.caption.as_ref())
            .is_some_and(|caption| !matches!(caption, Caption::Event { .. } | Caption::NoUpcomingEvent));
        let send = ctl.send.clone();
        use_effect_with(skipped, move |skipped| {
            if *skipped {
                send.emit(Request::Play);
            }
        });
    }
    let step = page.opened.as_ref().and_then(|opened| opened.story.get(story.step));
    let Some(step) = step.filter(|_| !*is_closed && !story.steps.is_empty()) else {
        return Html::default();
    };
    let command = step.try_command.as_deref();
    let node = command.and_then(|line| page.model.nodes.get(line.split_whitespace().last()?));
    let is_done =
        node.is_some_and(|node| command.is_some_and(|line| actions::reverse_command(line, &node.view).is_some()));
    let run = command.filter(|_| !is_done).map(|line| {
        let (ctl, line) = (ctl.clone(), line.to_owned());
        (
            actions::words(&line).unwrap_or_else(|| line.clone()),
            line.clone(),
            Callback::from(move |_: MouseEvent| ctl.run(&line)),
        )
    });
    let close = Callback::from(move |_: MouseEvent| is_closed.set(true));
    html! {
        <section class="brief" aria-label="Story" data-asks="">
            <p aria-live="polite">{ match node.filter(|_| is_done) { Some(node) => html! { actions::effect_text(&node.view) }, None => words(&step.text) } }</p>
            if let Some((label, line, onclick)) = run { <button type="button" class="primary" {onclick} title={line.clone()}>{ label }<span class="mono">{ line }</span></button> }
            <button type="button" class="quiet shut" onclick={close} aria-label="Close the story">{ icon("cross") }</button>
        </section>
    }
}
