//! What lies above two runs: where they first differ, with a way there, and how much differs now.

use yew::prelude::*;

use super::plane::truths;
use crate::ctl::Ctl;
use crate::pure::{clock, compare};
use crate::state::{Model, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
    pub(crate) other: Shared<Model>,
}

/// The line.
#[component]
pub(crate) fn Versus(props: &Props) -> Html {
    let (ours, other) = (&props.page.model, &props.other);
    // Marks are many: they are gone through again only when there are others.
    let first = use_memo((ours.marks_rev, other.marks_rev, ours.horizon, other.horizon), |_| {
        compare::first_difference(ours, other)
    });
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let now = compare::differing(ours, other)
        .len()
        .max(compare::differing(other, ours).len());
    let go = first.as_ref().as_ref().map(|first| {
        let (ctl, at) = (ctl.clone(), first.at);
        Callback::from(move |_: MouseEvent| ctl.seek(at))
    });
    html! {
        <section class="difference" aria-label="What differs">
            { match &*first {
                None => html! { <span>{ "So far both runs are the same." }</span> },
                Some(first) => html! {
                    <>
                        <span><b>{ format!("First difference at {}: ", clock::instant(first.at)) }</b>{ first.label.to_string() }{ if first.is_ours { " (this run)" } else { " (the other)" } }</span>
                        <button type="button" class="chip" onclick={go}>{ "Go there" }</button>
                    </>
                },
            } }
            <span class="none" role="status" title="What differs is outlined">{ match now { 0 => "No pod differs now".into(), 1 => "1 pod differs now".into(), n => format!("{n} pods differ now") } }</span>
            { truths(&ctl, props.page.truth) }
        </section>
    }
}
