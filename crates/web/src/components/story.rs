//! The left: a lesson's story, the thing to try, the goals.

use podscope_protocol::{LessonInfo, Opened, Request, StoryState};
use yew::prelude::*;

use super::icon;
use crate::app::Ctl;
use crate::pure::actions;
use crate::pure::markdown::{self, Block, Span};
use crate::state::Shared;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) opened: Option<Shared<Opened>>,
    pub(crate) state: Shared<StoryState>,
    pub(crate) lessons: Shared<Vec<LessonInfo>>,
}

/// The panel.
#[component]
pub(crate) fn Story(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let Some(opened) = &props.opened else {
        return Html::default();
    };
    let state = &*props.state;
    let count = opened.story.len();
    let at = state.step.min(count.saturating_sub(1));
    let Some(step) = opened.story.get(at) else {
        return Html::default();
    };
    let blocks = use_memo(step.text.clone(), |text| markdown::parse(text));
    let go = |to: usize| ctl.on(Request::StoryStep { step: to });
    let info = opened
        .lesson
        .as_ref()
        .and_then(|name| props.lessons.iter().find(|l| l.name == *name));
    let next_lesson = (at + 1 == count)
        .then(|| {
            let here = props
                .lessons
                .iter()
                .position(|l| Some(&l.name) == opened.lesson.as_ref())?;
            props.lessons.get(here + 1).cloned()
        })
        .flatten();
    let try_it = step.try_command.as_ref().map(|command| {
        let run = {
            let (ctl, command) = (ctl.clone(), command.clone());
            Callback::from(move |_: MouseEvent| ctl.run(&command))
        };
        html! {
            <div class="try">
                <b>{ "Try it" }</b>
                <button type="button" class="primary" onclick={run}>
                    if let Some(words) = actions::words(command) { <span>{ words }</span> }<span class="mono">{ command }</span>
                </button>
            </div>
        }
    });
    let has_heading = blocks.iter().any(|b| matches!(b, Block::Heading(_)));
    html! {
        <aside class="story" aria-label="Story">
            if count > 1 {
                <div class="steps" role="img" aria-label={format!("Step {} of {count}", at + 1)}>
                    { for (0..count).map(|i| html! { <i class={classes!((i <= at).then_some("on"), (i > at && i <= state.reached).then_some("reached"))}></i> }) }
                </div>
                <p class="eyebrow">{ match info { Some(info) => format!("{} · {} of {count}", info.group, at + 1), None => format!("{} of {count}", at + 1) } }</p>
            }
            if !has_heading { <h2 class="title">{ &opened.title }</h2> }
            <div class="prose">{ for blocks.iter().enumerate().map(|(i, b)| block(b, i == 0)) }</div>
            { try_it.unwrap_or_default() }
            { goals(opened, state) }
            <div class="foot">
                if count > 1 { <button type="button" class="quiet" disabled={at == 0} onclick={go(at.saturating_sub(1))}>{ "‹ Back" }</button> }
                if at + 1 < count {
                    <button type="button" class={classes!((state.reached > at).then_some("primary"))} onclick={go(at + 1)}>{ "Next ›" }</button>
                } else if let Some(next) = next_lesson {
                    <button type="button" title={next.title.clone()} onclick={ctl.on(Request::Open { source: podscope_protocol::Source::Lesson { name: next.name.clone() } })}>{ "Next lesson ›" }</button>
                }
            </div>
        </aside>
    }
}

fn goals(opened: &Opened, state: &StoryState) -> Html {
    let rows: Vec<Html> = opened
        .story
        .iter()
        .enumerate()
        .filter_map(|(i, step)| {
            let goal = step.goal.as_ref()?;
            let met = state.goals.get(i).copied().flatten().unwrap_or(false);
            Some(html! {
                <li class={classes!(met.then_some("met"))}>
                    { icon(if met { "check" } else { "circle" }) }
                    <span><span class="sr">{ if met { "reached: " } else { "to do: " } }</span>{ goal }</span>
                </li>
            })
        })
        .collect();
    if rows.is_empty() {
        Html::default()
    } else {
        html! { <ul class="goals" aria-label="Goals">{ for rows }</ul> }
    }
}

fn block(block: &Block, first: bool) -> Html {
    match block {
        Block::Heading(spans) if first => html! { <h2 class="title">{ for spans.iter().map(span) }</h2> },
        Block::Heading(spans) => html! { <h3>{ for spans.iter().map(span) }</h3> },
        Block::Paragraph(spans) => html! { <p>{ for spans.iter().map(span) }</p> },
        Block::List(true, items) => {
            html! { <ol>{ for items.iter().map(|i| html! { <li>{ for i.iter().map(span) }</li> }) }</ol> }
        }
        Block::List(false, items) => {
            html! { <ul>{ for items.iter().map(|i| html! { <li>{ for i.iter().map(span) }</li> }) }</ul> }
        }
        Block::Code(code) => html! { <pre class="mono">{ code }</pre> },
    }
}

fn span(span: &Span) -> Html {
    match span {
        Span::Text(t) => html! { { t } },
        Span::Emphasis(t) => html! { <em>{ t }</em> },
        Span::Strong(t) => html! { <strong>{ t }</strong> },
        Span::Code(t) => html! { <code>{ t }</code> },
    }
}
