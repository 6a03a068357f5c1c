//! The bar above the cluster: what comes next by itself, how far away, and a press to go there. While something runs
//! fast it says so and can be stopped; afterwards it says how it ended (U-05).

use podscope_protocol::{Director, Request};
use yew::prelude::*;

use super::icon;
use crate::ctl::{Ctl, Now};
use crate::pure::director::{ended, next, runs, says, when};
use crate::state::Shared;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) director: Shared<Director>,
}

/// The bar, of a director that [has something to say](crate::pure::director::is_told).
#[component]
pub(crate) fn DirectorBar(props: &Props) -> Html {
    let (Some(ctl), Some(now)) = (use_context::<Ctl>(), use_context::<Now>()) else {
        return Html::default();
    };
    let director = &*props.director;
    if let Some(run) = director.running {
        return html! {
            <section class="due" aria-label="What comes next">
                <span role="status">{ runs(run) }</span>
                <button type="button" onclick={ctl.once("skip", Request::Pause)}>{ icon("pause") }{ "Stop" }</button>
            </section>
        };
    }
    let caption = director.caption.as_ref().map(ended);
    let coming = next(director);
    html! {
        <section class="due" aria-label="What comes next">
            <span class="ended" role="status">{ caption.unwrap_or_default() }</span>
            if let Some((first, then)) = coming {
                <span><b>{ "Next: " }</b>{ says(first) }{ " " }<span class="mono">{ when(first, now.at) }</span>
                    if let Some(then) = then { <small>{ format!(" · {} {}", says(then), when(then, now.at)) }</small> }
                </span>
                <button type="button" data-skip="" onclick={ctl.once("skip", Request::SkipAhead)} title="Runs fast, and stops there">{ "Skip ahead" }{ icon("decision") }</button>
            }
        </section>
    }
}
