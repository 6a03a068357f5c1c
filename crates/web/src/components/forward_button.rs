//! The forward button: it shows which event comes next and in how much time, and runs to it when pressed. During a fast
//! run it shows the run, and a press stops the run (U-05). The caption beside the stage says how the last run ended.

use podscope_messages::t;
use podscope_protocol::Request;
use yew::prelude::*;

use super::icon;
use crate::browser;
use crate::ctl::{Ctl, Now};
use crate::pure::director::{self, Forward as Next};
use crate::state::{Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

#[component]
pub(crate) fn Forward(props: &Props) -> Html {
    let (Some(ctl), Some(now)) = (use_context::<Ctl>(), use_context::<Now>()) else {
        return Html::default();
    };
    let session = &props.page.session;
    let next = director::forward(session);
    let (what, more) = director::button_texts(&next, session, now.at);
    let title = director::forward_tooltip(&next, session, now.at);
    let onclick = match &next {
        Next::Stop => ctl.send_debounced("skip", Request::Pause),
        Next::Skip => {
            let to = session.model.director.next.first().cloned().map(Box::new);
            ctl.send_debounced("skip", Request::SkipAhead { to })
        }
        Next::Decision => ctl.send_debounced("skip", Request::NextDecision),
        Next::Page(step) => ctl.on(Request::StoryStep { step: *step }),
        Next::Answer(step) => {
            let turn = ctl.on(Request::StoryStep { step: *step });
            Callback::from(move |event: MouseEvent| {
                turn.emit(event);
                browser::focus_after_drawing(".story .ask");
            })
        }
        Next::Command(line) => {
            let (ctl, line) = (ctl.clone(), line.clone());
            Callback::from(move |_: MouseEvent| ctl.run(&line))
        }
    };
    html! {
        <button type="button" class="forward" data-forward={next.name()} {onclick} {title}>
            // A changed text gets a new element: the text is centred, so a changed width would count as a layout shift.
            <span class="goes" key={format!("{what} {}", more.chars().count())}>
                <b>if next == Next::Skip { { icon("skip") }<span class="to">{ t!(forward::skip_to) }{ " " }</span> }{ what }</b>
                if !more.is_empty() { <span class="mono">{ format!("· {more}") }</span> }
            </span>
        </button>
    }
}
