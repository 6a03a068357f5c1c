//! The page of guarantees: for each guarantee about the pod lifecycle, the component that upholds it, the faults that
//! break it, and a lesson that shows it (E-04).

use podscope_messages::t;
use podscope_protocol::{Guarantee, LessonInfo, Request, SessionSource};
use yew::prelude::*;

use super::bar::logo;
use crate::ctl::Ctl;
use crate::pure::route::View;
use crate::state::{Act, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) lessons: Shared<Vec<LessonInfo>>,
    pub(crate) guarantees: Shared<Vec<Guarantee>>,
}

#[component]
pub(crate) fn Guarantees(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let back = ctl.act.reform(|event: MouseEvent| {
        event.prevent_default();
        crate::browser::forget_link();
        Act::View(View::Playground)
    });
    let show = |name: String, guarantee: String| {
        let ctl = ctl.clone();
        Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            crate::browser::forget_link();
            ctl.act.emit(Act::View(View::Playground));
            ctl.act.emit(Act::OpenGuarantee {
                name: guarantee.clone(),
                lesson: name.clone(),
            });
            ctl.send.emit(Request::Open {
                source: SessionSource::Lesson {
                    name: name.clone(),
                    seed: None,
                },
            });
        })
    };
    let groups = props.guarantees.chunk_by(|one, next| one.group == next.group);
    html! {
        <div class="book">
            <header class="bar"><a class="logo" href="#" onclick={back.clone()}>{ logo() }<span class="word">{ "Podscope" }</span></a><a class="btn" href="#" onclick={back}>{ t!(guarantees::to_cluster) }</a></header>
            <main>
                <h1>{ t!(guarantees::title) }</h1>
                <p class="lead">{ t!(guarantees::intro) }</p>
                { for groups.map(|rows| html! {
                    <section>
                        <h2>{ &rows[0].group }</h2>
                        { for rows.iter().map(|guarantee| {
                            let lesson = props.lessons.iter().find(|lesson| lesson.name == guarantee.lesson);
                            html! {
                                <article id={guarantee.name.clone()} data-guarantee={guarantee.name.clone()}>
                                    <h3>{ &guarantee.statement }</h3>
                                    <dl>
                                        <div><dt>{ t!(guarantees::kept_by) }</dt><dd>{ &guarantee.keeper }</dd></div>
                                        <div><dt>{ t!(guarantees::broken_by) }</dt><dd>{ &guarantee.breaker }</dd></div>
                                    </dl>
                                    <p class="foot"><code>{ &guarantee.name }</code><span class="chip">{ if guarantee.is_safety { t!(guarantees::always) } else { t!(guarantees::in_the_end) } }</span>
                                        if let Some(lesson) = lesson { <a href={format!("#lesson={}", guarantee.lesson)} onclick={show(guarantee.lesson.clone(), guarantee.name.clone())}>{ t!(guarantees::see_it, lesson = lesson.title) }</a> }
                                    </p>
                                </article>
                            }
                        }) }
                    </section>
                }) }
            </main>
        </div>
    }
}
