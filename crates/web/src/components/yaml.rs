//! The tab "YAML": an object as stored in the API server, with highlighted keys.

use super::shown::shown;
use podscope_messages::t;
use podscope_protocol::{Request, SubjectRef};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::browser;
use crate::ctl::Ctl;
use crate::state::Act;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) text: String,
    /// True if the API server has no such object, because the subject is a ghost.
    pub(crate) ghost: bool,
    /// Names are replaced in links and exports, so the button that copies the object (with its original names) is
    /// hidden.
    pub(crate) anonymises: bool,
    /// While a lesson is recorded: the object whose fields the user can choose as goals.
    pub(crate) pick: Option<SubjectRef>,
}

#[component]
pub(crate) fn Yaml(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    if props.ghost {
        return html! { <p class="none">{ t!(yaml::no_such_object) }</p> };
    }
    let lines = props.text.lines().zip(1..).map(|(text, number)| match &props.pick {
        Some(subject) => pickable_line(&ctl, subject, number, text),
        None => highlighted_line(text),
    });
    let copy = {
        let (text, ctl) = (props.text.clone(), ctl.clone());
        Callback::from(move |_: MouseEvent| {
            let (text, act) = (text.clone(), ctl.act.clone());
            spawn_local(async move {
                let done = browser::copy_to_clipboard(text).await;
                act.emit(Act::Toast(if done { t!(yaml::copied) } else { t!(yaml::cannot_copy) }));
            });
        })
    };
    html! {
        <div class="yaml">
            if !props.anonymises { <button type="button" class="quiet" onclick={copy}>{ t!(yaml::copy) }</button> }
            if props.pick.is_some() { <p class="none">{ t!(yaml::pick_goal) }</p> }
            <pre class="mono" lang="en" translate="no" tabindex="0" aria-label="YAML">{ for lines }</pre>
        </div>
    }
}

/// A line of the object as a button that makes the line's field a goal of the recorded lesson.
fn pickable_line(ctl: &Ctl, subject: &SubjectRef, number: u32, text: &str) -> Html {
    let request = Request::RecordGoal {
        subject: subject.clone(),
        line: number,
    };
    let title = t!(yaml::make_goal, field = podscope_api::visible(text.trim()));
    html! { <button type="button" class="pick" onclick={ctl.on(request)} {title}>{ highlighted_line(text.trim_end()) }</button> }
}

fn highlighted_line(text: &str) -> Html {
    let text = &*podscope_api::visible(text);
    let indent = text.len() - text.trim_start_matches([' ', '-']).len();
    let (lead, rest) = text.split_at(indent);
    match rest
        .split_once(':')
        .filter(|(key, value)| !key.contains(' ') && (value.is_empty() || value.starts_with(' ')))
    {
        Some((key, value)) => html! { <>{ lead }<bdi class="k">{ key }</bdi>{ ":" }{ shown(value) }{ "\n" }</> },
        None => html! { <>{ shown(text) }{ "\n" }</> },
    }
}
