//! Shows a brief story, one whose steps are short lines (the guided start is one). Such a story has no panel of its
//! own: the line of the present step stands under the stage (the drawing of the cluster), with the command that the
//! step suggests.

use podscope_messages::t;
use podscope_protocol::{Caption, FIRST_VISIT_LESSON, OpenedSession, Request, SessionSource};
use yew::prelude::*;

use super::icon;
use super::start::FIRST_COURSE_LESSON;
use super::story::{inline_markdown, next_item_button, use_record_finished};
use crate::ctl::Ctl;
use crate::pure::actions;
use crate::state::{Page, Shared};

/// Maximum length of a step's text that fits into one or two lines under the stage, in bytes.
const MAX_TEXT_BYTES: usize = 220;

/// Returns whether the story has short lines only: it asks no question and sets no goal, or it is the guided start.
pub(crate) fn is_brief(opened: &OpenedSession) -> bool {
    if let Some(lesson) = &opened.lesson {
        return lesson == FIRST_VISIT_LESSON;
    }
    opened.story.iter().all(|step| {
        let has_task = !step.goals.is_empty() || step.question.is_some() || step.manifest.is_some();
        !has_task && step.hints.is_empty() && step.text.len() <= MAX_TEXT_BYTES
    })
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// Renders the current step of a brief story as one line of text below the stage.
#[component]
pub(crate) fn BriefStory(props: &Props) -> Html {
    let is_closed = use_state(|| false);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &*props.page;
    use_record_finished(page, &ctl);
    let story = &page.session.model.story;
    {
        // A brief story turns to each new step by itself.
        let (send, step) = (ctl.send.clone(), story.step);
        use_effect_with(story.steps.len(), move |shown| {
            if *shown > step + 1 {
                send.emit(Request::StoryStep { step: shown - 1 });
            }
        });
    }
    {
        // When a fast run has ended, let time continue. Keep it paused after a single step, and if there was no
        // upcoming event.
        let skipped = (page.session.model.director.caption.as_ref())
            .is_some_and(|caption| !matches!(caption, Caption::Event { .. } | Caption::NoUpcomingEvent));
        let send = ctl.send.clone();
        use_effect_with(skipped, move |skipped| {
            if *skipped {
                send.emit(Request::Play);
            }
        });
    }
    let step = page
        .session
        .opened
        .as_ref()
        .and_then(|opened| opened.story.get(story.step));
    let Some(step) = step.filter(|_| !*is_closed && !story.steps.is_empty()) else {
        return Html::default();
    };
    let hides_solutions = page.shell.study.hides_solutions();
    let command = step.try_command.as_deref();
    let node = command.and_then(|line| page.session.model.nodes.get(line.split_whitespace().last()?));
    let is_done =
        node.is_some_and(|node| command.is_some_and(|line| actions::reverse_command(line, &node.view).is_some()));
    let run = command.filter(|_| !is_done).map(|line| {
        let (ctl, line) = (ctl.clone(), line.to_owned());
        (
            actions::short_description(&line).unwrap_or_else(|| line.clone()),
            line.clone(),
            Callback::from(move |_: MouseEvent| ctl.run(&line)),
        )
    });
    let close = Callback::from(move |_: MouseEvent| is_closed.set(true));
    let lesson = page.session.opened.as_ref().and_then(|opened| opened.lesson.clone());
    let end = lesson.filter(|_| story.finished).map(|name| {
        let info = page.shell.lessons.iter().find(|lesson| lesson.name == name);
        let rule = info.filter(|_| !hides_solutions).map(|info| info.rule.clone());
        (rule.unwrap_or_else(|| step.text.clone()), next_button(&ctl, page))
    });
    let mistake = (story.steps.get(story.step)).and_then(|now| step.mistakes.get(*now.mistakes.last()?));
    let mistake = mistake.filter(|_| !hides_solutions);
    let text = match (&end, node.filter(|_| is_done)) {
        (Some((rule, _)), _) => inline_markdown(rule),
        (None, Some(node)) => html! { actions::present_effect_text(&node.view) },
        (None, None) => inline_markdown(mistake.unwrap_or(&step.text)),
    };
    html! {
        <section class="brief" aria-label={t!(brief::story)} data-asks="">
            <p aria-live="polite">{ text }</p>
            if let Some((_, next)) = end { { next } }
            else if let Some((label, line, onclick)) = run { <button type="button" class="primary" {onclick} title={line.clone()}>{ label }<span class="mono">{ line }</span></button> }
            <button type="button" class="quiet shut" onclick={close} aria-label={t!(brief::close)}>{ icon("cross") }</button>
        </section>
    }
}

/// The button after the end: opens the next item of the open course, or otherwise the first lesson of Podscope's
/// course.
fn next_button(ctl: &Ctl, page: &Page) -> Html {
    if page.shell.study.item.is_some() {
        return next_item_button(ctl, &page.shell.study);
    }
    let source = SessionSource::Lesson {
        name: FIRST_COURSE_LESSON.to_owned(),
        seed: None,
    };
    html! { <button type="button" class="primary" onclick={ctl.on(Request::Open { source })}>{ t!(brief::start_course) }</button> }
}
