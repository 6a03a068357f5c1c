//! The chain of causes of the selection: a list in the inspector, arcs on the timeline.

use podscope_messages::t;
use podscope_protocol::{CausalThread, Micros, SubjectRef, ThreadLink};
use yew::prelude::*;

use super::shown::shown;
use crate::ctl::Ctl;
use crate::pure::scale::Span;
use crate::pure::{clock, director};
use crate::state::{Act, Page, Shared};

/// Maximum indentation, in levels; deeper records are not indented further.
const MAX_INDENTATION_LEVELS: u32 = 9;
/// Maximum number of pending deadlines that are listed and drawn.
const MAX_DEADLINES: usize = 4;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) thread: Shared<CausalThread>,
    /// The present instant in whole seconds, so that the list is drawn again only once per second.
    pub(crate) now: Micros,
}

/// The list: the records that led to the present state, their effects, and pending deadlines.
#[component]
pub(crate) fn CausalThreadView(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let thread = &*props.thread;
    if thread.links.is_empty() {
        return Html::default();
    }
    let last = thread.links.last().map_or(0, |link| link.depth);
    html! {
        <section class="thread">
            <h3 class="eyebrow">{ t!(thread::what_led_here) }</h3>
            <ol>
                if thread.is_cut { <li class="cut">{ t!(thread::left_out) }</li> }
                { for thread.links.iter().map(|link| record_row(&ctl, link)) }
                { for thread.due.iter().take(MAX_DEADLINES).map(|due| html! {
                    <li class="due" ~style={format!("--depth:{}", (last + 1).min(MAX_INDENTATION_LEVELS))}><span class="mono">{ clock::instant(due.at) }</span><span>{ format!("{} ", director::sentence_of(due)) }<b>{ director::time_left(due, props.now) }</b></span></li>
                }) }
            </ol>
        </section>
    }
}

fn record_row(ctl: &Ctl, link: &ThreadLink) -> Html {
    let name = link.subject.clone().filter(|_| !link.is_own).map(|subject| {
        let go = ctl.act.reform(move |_: MouseEvent| Act::Select(Some(subject.clone())));
        html! { <button type="button" class="link" onclick={go}>{ shown(&link.name) }</button> }
    });
    html! {
        <li class={classes!(link.is_own.then_some("own"))} ~style={format!("--depth:{}", link.depth.min(MAX_INDENTATION_LEVELS))} data-record={link.record.to_string()}>
            <span class="mono">{ clock::instant(link.at) }</span>
            <span>if let Some(name) = name { { name }{ " " } }{ shown(&link.event.to_string()) }</span>
        </li>
    }
}

#[derive(Properties)]
pub(crate) struct CauseArcsProps {
    pub(crate) page: Shared<Page>,
    pub(crate) span: Span,
}

impl CauseArcsProps {
    /// Returns the values that the drawing of the arcs depends on. While time runs they change a few times a second,
    /// not with every frame.
    fn render_key(&self) -> (&Shared<CausalThread>, u64, Option<&SubjectRef>, Span) {
        let model = &self.page.session.model;
        let frames = if model.playing { self.page.shell.frames / 8 } else { 0 };
        (&model.thread, frames, self.page.session.selected.as_ref(), self.span)
    }
}

impl PartialEq for CauseArcsProps {
    fn eq(&self, other: &Self) -> bool {
        self.render_key() == other.render_key()
    }
}

/// Width and height of the drawing, in units of its view box.
const VIEW_WIDTH: f64 = 1000.0;
const VIEW_HEIGHT: f64 = 100.0;

/// Arcs from each cause to its effect; dashed arcs to pending deadlines.
#[component]
pub(crate) fn CauseArcs(props: &CauseArcsProps) -> Html {
    let (thread, span) = (&*props.page.session.model.thread, props.span);
    if props.page.session.selected.is_none() || thread.links.is_empty() {
        return Html::default();
    }
    let at = |record: u64| {
        thread
            .links
            .iter()
            .find(|link| link.record == record)
            .map(|link| link.at)
    };
    let arcs = thread
        .links
        .iter()
        .filter_map(|link| arc_path(span, at(link.caused_by?)?, link.at));
    let from = thread.links.iter().filter(|link| link.is_own).map(|link| link.at).max();
    let due = thread
        .due
        .iter()
        .take(MAX_DEADLINES)
        .filter_map(|due| arc_path(span, from?, due.at));
    html! {
        <svg class="arcs" viewBox={format!("0 0 {VIEW_WIDTH} {VIEW_HEIGHT}")} preserveAspectRatio="none" aria-hidden="true">
            { for arcs.map(|path| html! { <path d={path} /> }) }
            { for due.map(|path| html! { <path class="due" d={path} /> }) }
        </svg>
    }
}

/// An arc between two instants; `None` if it would be a point or lies outside the span.
fn arc_path(span: Span, from: Micros, to: Micros) -> Option<String> {
    let x = |at: Micros| span.percent(at) / 100.0 * VIEW_WIDTH;
    let (from, to) = (x(from), x(to));
    let is_seen = to >= 0.0 && from <= VIEW_WIDTH && to - from >= 2.0;
    is_seen.then(|| {
        format!(
            "M{from:.1} {VIEW_HEIGHT} Q{:.1} {:.1} {to:.1} {VIEW_HEIGHT}",
            (from + to) / 2.0,
            VIEW_HEIGHT * 0.1
        )
    })
}
