//! Hints, revealed one at a time from vague to explicit, and the button for the next one.

use podscope_messages::t;
use podscope_protocol::is_command_hint;
use web_sys::Element;
use yew::prelude::*;

use super::inline_markdown;
use crate::browser;
use crate::ctl::Ctl;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The hints that the user has revealed.
    pub(super) revealed: Vec<String>,
}

#[component]
pub(super) fn Hints(props: &Props) -> Html {
    let list = use_node_ref();
    {
        let list = list.clone();
        // The list is at the end of the scrolling text, so a new hint has to be scrolled into view.
        use_effect_with(props.revealed.len(), move |_| {
            let last = list.cast::<Element>().and_then(|list| list.last_element_child());
            last.iter().for_each(browser::scroll_into_view);
        });
    }
    let Some(ctl) = use_context::<Ctl>().filter(|_| !props.revealed.is_empty()) else {
        return Html::default();
    };
    html! {
        <div class="hints">
            <ol aria-live="polite" aria-label={t!(help::hints)} ref={list}>
                { for props.revealed.iter().map(|hint| {
                    if is_command_hint(hint) {
                        let run = { let (ctl, line) = (ctl.clone(), hint.clone()); Callback::from(move |_: MouseEvent| ctl.run(&line)) };
                        html! { <li><button type="button" class="mono" onclick={run} title={t!(help::run_it)}>{ hint }</button></li> }
                    } else {
                        html! { <li>{ inline_markdown(hint) }</li> }
                    }
                }) }
            </ol>
        </div>
    }
}

/// The button for the next hint, if there is one.
pub(super) fn next_hint_button(hints: &[String], n_revealed: usize, next: Callback<MouseEvent>) -> Html {
    if n_revealed >= hints.len() {
        return Html::default();
    }
    html! { <button type="button" class="quiet" onclick={next}>{ t!(help::more, number = n_revealed + 1, count = hints.len()) }</button> }
}
