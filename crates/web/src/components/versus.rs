//! The line above two compared runs: their first difference with a button that seeks there, the number of pods that
//! differ now, and a button for the figures of both.

use podscope_messages::t;
use podscope_protocol::{SubjectRef, WhatIf};
use yew::prelude::*;

use super::control_plane::state_view_buttons;
use super::shown::shown;
use crate::browser;
use crate::ctl::Ctl;
use crate::pure::{clock, compare};
use crate::state::{Act, Dialog, Model, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
    pub(crate) other: Shared<Model>,
}

/// Describes in one line how the two runs of a comparison differ.
#[component]
pub(crate) fn ComparisonLine(props: &Props) -> Html {
    let (ours, other) = (&props.page.session.model, &props.other);
    // A run can have thousands of timeline marks, so the runs are compared only after a change.
    let first = use_memo((ours.marks_rev, other.marks_rev, ours.horizon, other.horizon), |_| {
        compare::first_difference(ours, other)
    });
    let nth = use_state(|| 0_usize);
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let differing = compare::differing_pods(ours, other);
    let n_differing = differing.len().max(compare::differing_pods(other, ours).len());
    let next = {
        let (nth, ctl) = (nth.clone(), ctl.clone());
        // In the picture of a big cluster no pod has an element that could be focused, so the differing pod is selected
        // instead.
        let pod = differing.iter().next().and_then(|id| ours.pods.get(id));
        let subject = pod.map(|pod| SubjectRef::Pod {
            key: pod.key.clone(),
            uid: pod.uid().to_owned(),
        });
        Callback::from(move |_: MouseEvent| {
            if !browser::focus_nth(".runs .pod.differs", *nth)
                && let Some(subject) = subject.clone()
            {
                ctl.act.emit(Act::SelectFound(subject));
            }
            nth.set(*nth + 1);
        })
    };
    let figures = ctl
        .act
        .reform(|_: MouseEvent| Act::Dialog(Dialog::WhatIf(WhatIf::Figures)));
    let go = first.as_ref().as_ref().map(|first| {
        let (ctl, at) = (ctl.clone(), first.at);
        Callback::from(move |_: MouseEvent| ctl.seek(at))
    });
    html! {
        <section class="difference" aria-label={t!(versus::name)}>
            { match &*first {
                None => html! { <span>{ t!(versus::same_so_far) }</span> },
                Some(first) => html! {
                    <>
                        <span><b>{ t!(versus::first_difference, instant = clock::instant(first.at)) }{ " " }</b>{ shown(&if first.is_ours { t!(versus::in_this_run, event = first.label) } else { t!(versus::in_the_other, event = first.label) }) }</span>
                        <button type="button" class="chip" onclick={go}>{ t!(versus::go_there) }</button>
                    </>
                },
            } }
            <span class="none" role="status">
                if n_differing == 0 {
                    { t!(versus::no_pod_differs) }
                } else {
                    <button type="button" class="chip" onclick={next} title={t!(versus::pods_differ_hint)}>{ t!(versus::pods_differ, count = n_differing) }</button>
                }
            </span>
            <button type="button" class="chip" onclick={figures} aria-haspopup="dialog">{ t!(versus::figures) }</button>
            { state_view_buttons(&ctl, props.page.shell.truth) }
        </section>
    }
}
