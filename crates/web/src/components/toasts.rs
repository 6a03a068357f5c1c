//! Toasts: short messages that disappear after a few seconds.

use gloo_timers::callback::Timeout;
use podscope_messages::t;
use podscope_protocol::Task;
use yew::prelude::*;

use super::announcements::Announcements;
use super::icon;
use super::shown::shown;
use crate::browser::{self, Warn as _};
use crate::ctl::Ctl;
use crate::state::{Act, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

#[derive(Properties, PartialEq)]
struct ToastProps {
    id: u64,
    text: String,
}

#[component]
pub(crate) fn Toasts(props: &Props) -> Html {
    let page = &*props.page;
    let newer = Callback::from(|_: MouseEvent| {
        if let (Some(window), Some(event)) = (browser::window(), web_sys::Event::new("podscope-update-now").warn()) {
            window.dispatch_event(&event).warn();
        }
    });
    html! {
        <>
            <Announcements page={props.page.clone()} />
            <div class="toasts" role="alert">
                if page.shell.has_new_version {
                    <div class="toast"><span>{ t!(toasts::new_version) }</span><button type="button" onclick={newer}>{ t!(toasts::reload) }</button></div>
                }
                if let Some((task, part)) = page.session.progress.as_ref().filter(|(task, _)| page.session.opened.is_some() && *task != Task::WhatIf) {
                    <div class="toast"><span>{ task.label() }</span><progress max="1000" value={part.to_string()} aria-label={task.label()}></progress></div>
                }
                if page.session.recorded { <div class="toast late">{ t!(toasts::starting) }</div> }
                { for page.shell.toasts.iter().map(|(id, text)| html! { <Toast key={*id} id={*id} text={text.clone()} /> }) }
            </div>
        </>
    }
}

#[component]
fn Toast(props: &ToastProps) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    {
        let (ctl, id, length) = (ctl.clone(), props.id, props.text.len() as u32);
        // A new toast may reuse the number of one that has just disappeared.
        use_effect_with(props.text.clone(), move |_| {
            // The duration grows with the length of the text.
            let timer = Timeout::new(4_000 + length * 60, move || ctl.act.emit(Act::ToastGone(id)));
            move || drop(timer)
        });
    }
    let id = props.id;
    let close = ctl.act.reform(move |_: MouseEvent| Act::ToastGone(id));
    html! { <div class="toast"><span>{ shown(&props.text) }</span><button type="button" class="quiet" onclick={close} aria-label={t!(toasts::close)}>{ icon("cross") }</button></div> }
}
