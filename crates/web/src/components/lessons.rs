//! The chooser: lessons by group, free play, files.

use podscope_protocol::{LessonInfo, Request, Source};
use yew::prelude::*;

use super::dialog::Modal;
use crate::app::Ctl;
use crate::state::{Act, Dialog, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) lessons: Shared<Vec<LessonInfo>>,
    pub(crate) current: Option<String>,
}

/// The dialog.
#[component]
pub(crate) fn Lessons(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let filter = use_state(String::new);
    let oninput = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| filter.set(crate::browser::value_of(&event)))
    };
    let words: Vec<String> = filter
        .to_ascii_lowercase()
        .split_whitespace()
        .map(str::to_string)
        .collect();
    let fits = |l: &LessonInfo| {
        let text = format!("{} {} {} {}", l.name, l.title, l.group, l.summary).to_ascii_lowercase();
        words.iter().all(|w| text.contains(w))
    };
    let mut groups: Vec<(&str, Vec<&LessonInfo>)> = Vec::new();
    for lesson in props.lessons.iter().filter(|l| fits(l)) {
        match groups.iter_mut().find(|(g, _)| *g == lesson.group) {
            Some((_, list)) => list.push(lesson),
            None => groups.push((&lesson.group, vec![lesson])),
        }
    }
    let open = |source: Source| {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.send.emit(Request::Open { source: source.clone() });
        })
    };
    html! {
        <Modal title="Lessons and scenarios" class="wide lessons">
            <div class="lead">
                <button type="button" onclick={open(Source::Welcome)}><b>{ "Free play" }</b><span>{ "A small living cluster, nothing to follow" }</span></button>
                <button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Editor))}><b>{ "Your own" }</b><span>{ "Write or paste manifests and scenarios" }</span></button>
                <button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Files))}><b>{ "A file" }</b><span>{ "A scenario, or a dump of a real cluster" }</span></button>
            </div>
            <input type="search" placeholder="Find a lesson" aria-label="Find a lesson" {oninput} value={(*filter).clone()} autofocus=true />
            { for groups.iter().map(|(group, list)| html! {
                <section>
                    <h3 class="eyebrow">{ *group }</h3>
                    <div class="cards">
                        { for list.iter().map(|l| {
                            let here = props.current.as_ref() == Some(&l.name);
                            html! {
                                <button type="button" class={classes!(here.then_some("here"))} onclick={open(Source::Lesson { name: l.name.clone() })} data-lesson={l.name.clone()}
                                    aria-current={here.then_some("true")}><b>{ &l.title }</b><span>{ &l.summary }</span></button>
                            }
                        }) }
                    </div>
                </section>
            }) }
            if groups.is_empty() { <p class="none">{ "No lesson with these words." }</p> }
        </Modal>
    }
}
