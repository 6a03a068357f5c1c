//! A small editor in the story for a manifest that the user completes: its gaps are written `___`, and it can be
//! applied when no gap is left.

use gloo_timers::callback::Timeout;
use podscope_messages::t;
use podscope_protocol::Request;
use yew::prelude::*;

use crate::browser;
use crate::components::dialogs::problems;
use crate::components::shown::shown;
use crate::ctl::Ctl;
use crate::pure::{clock, hints, paste};
use crate::state::{ApplyAnswer, CheckedText, Shared};

/// First revision number of this editor; the large editor uses lower numbers.
const FIRST_REVISION: u64 = 1 << 40;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) text: String,
    pub(super) checked: Option<Shared<CheckedText>>,
    /// The answer to the manifests that were applied last.
    pub(super) answer: ApplyAnswer,
}

#[component]
pub(super) fn ManifestWithGaps(props: &Props) -> Html {
    let text = use_state(|| props.text.clone());
    let revision = use_state(|| FIRST_REVISION);
    let waiting = use_mut_ref(|| None::<Timeout>);
    // True while the text is the one that was applied last, so that the shown answer belongs to it.
    let is_applied = use_state(|| false);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let gaps = hints::remaining_gaps(&text).len();
    let change = {
        let (text, revision, ctl) = (text.clone(), revision.clone(), ctl.clone());
        let is_applied = is_applied.setter();
        Callback::from(move |now: String| {
            is_applied.set(false);
            let next = *revision + 1;
            revision.set(next);
            text.set(now.clone());
            let send = ctl.send.clone();
            *waiting.borrow_mut() = (!now.contains(hints::GAP)).then(|| {
                Timeout::new(250, move || {
                    send.emit(Request::Check {
                        text: now,
                        revision: next,
                    })
                })
            });
        })
    };
    let oninput = change.reform(|event: InputEvent| browser::field_value_of(&event));
    let reset = {
        let (change, text) = (change.clone(), props.text.clone());
        Callback::from(move |_: MouseEvent| change.emit(text.clone()))
    };
    let found = props
        .checked
        .as_ref()
        .filter(|checked| checked.revision == *revision)
        .map_or(&[][..], |checked| &checked.problems);
    let apply = {
        let (ctl, text, is_applied) = (ctl.clone(), text.clone(), is_applied.setter());
        Callback::from(move |_: MouseEvent| {
            is_applied.set(true);
            ctl.run(&paste::here_document(&text));
        })
    };
    let why = hints::remaining_gaps_text(gaps);
    let rows = text.lines().count().clamp(6, 22).to_string();
    html! {
        <div class="starter">
            <textarea class="mono" aria-label={t!(starter::manifest)} aria-describedby="starter-gaps" spellcheck="false" {rows} {oninput} value={(*text).clone()} />
            <div class="row">
                <span id="starter-gaps" class="gaps" role="status">{ why }</span>
                <button type="button" class="quiet" onclick={reset}>{ t!(starter::as_it_was) }</button>
                <button type="button" class="primary" disabled={gaps > 0} onclick={apply}>{ t!(starter::apply) }</button>
            </div>
            if !found.is_empty() { { problems(found) } }
            <div role="status">
                if *is_applied {
                    { for props.answer.refused.iter().map(|line| html! { <p class="error mono">{ shown(line) }</p> }) }
                    { for props.answer.done.iter().map(|(at, line)| html! { <p class="waits">{ clock::instant(*at) }{ " " }{ shown(line) }</p> }) }
                }
            </div>
        </div>
    }
}
