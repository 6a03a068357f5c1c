//! The note that is shown while a lesson is recorded: the user's commands become the lesson's steps, and clicked YAML
//! fields become its goals (E-10).

use podscope_messages::t;
use podscope_protocol::{ExportKind, LessonCondition, Request};
use yew::prelude::*;

use super::icon;
use crate::ctl::Ctl;
use crate::state::{Act, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) goals: Shared<Vec<LessonCondition>>,
    /// The saved lesson has the names of objects replaced.
    pub(crate) anonymises: bool,
}

#[component]
pub(crate) fn Record(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let stop = ctl.act.reform(|_: MouseEvent| Act::Record(false));
    let save = ctl.on(Request::Export {
        what: ExportKind::Lesson,
        anonymise: props.anonymises,
    });
    html! {
        <section class="said recorded" aria-label={t!(record::a_lesson_is_recorded)}>
            <div>
                <p><b>{ t!(record::recording) }{ " " }</b>{ t!(record::about) }</p>
                if !props.goals.is_empty() {
                    <ol aria-label={t!(record::goals)} aria-live="polite">
                        { for props.goals.iter().enumerate().map(|(index, goal)| html! {
                            <li>{ goal.to_string() }<button type="button" class="quiet" onclick={ctl.on(Request::ForgetGoal { index })} aria-label={t!(record::not_a_goal, goal = goal)}>{ icon("cross") }</button></li>
                        }) }
                    </ol>
                }
            </div>
            <button type="button" class="primary" onclick={save}>{ t!(record::save) }</button>
            <button type="button" class="quiet" onclick={stop}>{ t!(record::stop) }</button>
        </section>
    }
}
