//! A question whose answer is a time, drawn on the timeline: its options, the pin with which the user answers, and
//! afterwards the user's answer beside the real instant.

use podscope_messages::t;
use podscope_protocol::{Micros, Request};
use yew::prelude::*;

use crate::ctl::Ctl;
use crate::pure::pin::{self, TimeQuestion};
use crate::pure::scale::Span;
use crate::state::{Act, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
    pub(crate) span: Span,
}

/// The pins of a question, drawn over the lanes of the timeline.
#[component]
pub(crate) fn Pins(props: &Props) -> Html {
    let (Some(ctl), Some(opened)) = (use_context::<Ctl>(), &props.page.session.opened) else {
        return Html::default();
    };
    let (page, span) = (&*props.page, props.span);
    if let Some(question) = page.session.time_question() {
        return html! {
            <>
                { for question.options.iter().enumerate().map(|(index, (text, at))| answer_mark(span, *at, if index % 2 == 0 { "choice" } else { "choice low" }, text)) }
                { pin_slider(&ctl, page, &question, span) }
            </>
        };
    }
    let (mine, real) = pin::times_of_answer_and_outcome(opened, &page.session.model.story);
    html! {
        <>
            if let Some(at) = mine { { answer_mark(span, at, "mine", &t!(story::your_answer)) } }
            if let Some(at) = real { { answer_mark(span, at, "real", &t!(story::so_it_is)) } }
        </>
    }
}

fn answer_mark(span: Span, at: Micros, class: &'static str, words: &str) -> Html {
    let left = span.percent(at);
    if !(0.0..=100.0).contains(&left) {
        return Html::default();
    }
    // Near the right edge the text is placed to the left of the line.
    let turned = (left > 86.0).then_some("turned");
    html! { <i class={classes!("pin", class, turned)} ~style={format!("left:{left:.3}%")} aria-hidden="true"><span>{ words }</span></i> }
}

/// The pin, as a slider: arrow keys move it, and Enter answers. Only its label can be dragged, not its line, because
/// the line may cover the playhead.
fn pin_slider(ctl: &Ctl, page: &Page, question: &TimeQuestion, span: Span) -> Html {
    let at = page.session.pin.unwrap_or(question.from);
    let words = page
        .session
        .pin
        .map_or_else(|| t!(ask::not_set), |pin| question.answer_at_pin(pin));
    let onkeydown = {
        let (ctl, question, pin, step) = (
            ctl.clone(),
            question.clone(),
            page.session.pin,
            page.session.model.story.question,
        );
        Callback::from(move |event: KeyboardEvent| {
            if let (Some(pin), Some(step), "Enter") = (pin, step, &*event.key()) {
                let answer = Some(question.answer_at_pin(pin));
                ctl.send.emit(Request::Predict { step, answer });
            } else if let Some(to) = question.pin_after_key(pin, &event.key(), event.shift_key()) {
                ctl.act.emit(Act::Pin(Some(to)));
            } else {
                return;
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let left = span.percent(at).clamp(0.0, 100.0);
    html! {
        <div class={classes!("pin", "mine", (left > 86.0).then_some("turned"), page.session.pin.is_none().then_some("unset"))} ~style={format!("left:{left:.3}%")}>
            <span role="slider" tabindex="0" aria-label={t!(pins::slider)} aria-valuemin="0" aria-valuemax={((question.until() - question.from) / 1_000_000).to_string()}
                aria-valuenow={((at - question.from) / 1_000_000).to_string()} aria-valuetext={words.clone()} {onkeydown}>{ if page.session.pin.is_some() { t!(pins::your_answer, answer = words) } else { t!(pins::from_here) } }</span>
        </div>
    }
}
