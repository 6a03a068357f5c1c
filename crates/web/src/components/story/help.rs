//! Hints, one at a time, the least telling first.

use yew::prelude::*;

use super::words;
use crate::app::Ctl;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) hints: Vec<String>,
}

#[component]
pub(super) fn Help(props: &Props) -> Html {
    let told = use_state(|| 0usize);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let all = props.hints.len();
    if all == 0 {
        return Html::default();
    }
    let more = {
        let told = told.clone();
        Callback::from(move |_: MouseEvent| told.set((*told + 1).min(all)))
    };
    let is_command = |hint: &str| {
        ["kubectl ", "fault ", "app "]
            .iter()
            .any(|start| hint.starts_with(start))
    };
    html! {
        <div class="hints">
            if *told > 0 {
                <ol aria-live="polite">
                    { for props.hints.iter().take(*told).map(|hint| {
                        if is_command(hint) {
                            let run = { let (ctl, line) = (ctl.clone(), hint.clone()); Callback::from(move |_: MouseEvent| ctl.run(&line)) };
                            html! { <li><button type="button" class="mono" onclick={run} title="Run it">{ hint }</button></li> }
                        } else {
                            html! { <li>{ words(hint) }</li> }
                        }
                    }) }
                </ol>
            }
            if *told < all { <button type="button" class="quiet" onclick={more}>{ format!("Hint {} of {all}", *told + 1) }</button> }
        </div>
    }
}
