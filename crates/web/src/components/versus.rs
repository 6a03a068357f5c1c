//! What lies above two runs: where they first differ, with a way there, and how much differs now.

use podscope_protocol::SubjectRef;
use yew::prelude::*;

use super::plane::truths;
use crate::browser;
use crate::ctl::Ctl;
use crate::pure::{clock, compare};
use crate::state::{Act, Model, Page, Shared};

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
    let nth = use_state(|| 0_usize);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let differing = compare::differing(ours, other);
    let now = differing.len().max(compare::differing(other, ours).len());
    let next = {
        let (nth, ctl) = (nth.clone(), ctl.clone());
        // In the picture of a big cluster no pod is an element: one of them is pointed at.
        let pod = differing.iter().next().and_then(|id| ours.pods.get(id));
        let subject = pod.map(|pod| SubjectRef::Pod {
            key: pod.key.clone(),
            uid: pod.uid().to_owned(),
        });
        Callback::from(move |_: MouseEvent| {
            if !browser::show_nth(".runs .pod.differs", *nth)
                && let Some(subject) = subject.clone()
            {
                ctl.act.emit(Act::Point(subject));
            }
            nth.set(*nth + 1);
        })
    };
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
            <span class="none" role="status">
                if now == 0 {
                    { "No pod differs now" }
                } else {
                    <button type="button" class="chip" onclick={next} title="It is outlined: go there; again, to the next one">{ match now { 1 => "1 pod differs now".into(), n => format!("{n} pods differ now") } }</button>
                }
            </span>
            { truths(&ctl, props.page.truth) }
        </section>
    }
}
