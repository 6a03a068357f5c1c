//! The note while a lesson is recorded: the user's commands become its steps, pressed fields its goals (E-10).

use podscope_protocol::{ExportKind, LessonCondition, Request};
use yew::prelude::*;

use super::icon;
use crate::ctl::Ctl;
use crate::state::{Act, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) goals: Shared<Vec<LessonCondition>>,
    /// Names of objects are replaced in the saved lesson.
    pub(crate) anonymises: bool,
}

/// The note.
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
        <section class="said recorded" aria-label="A lesson is being recorded">
            <div>
                <p><b>{ "Recording a lesson. " }</b>{ "What you do becomes its steps; refused commands are left out. For a goal, select an object and press a field of its YAML." }</p>
                if !props.goals.is_empty() {
                    <ol aria-label="Goals" aria-live="polite">
                        { for props.goals.iter().enumerate().map(|(index, goal)| html! {
                            <li>{ goal.to_string() }<button type="button" class="quiet" onclick={ctl.on(Request::ForgetGoal { index })} aria-label={format!("Not a goal: {goal}")}>{ icon("cross") }</button></li>
                        }) }
                    </ol>
                }
            </div>
            <button type="button" class="primary" onclick={save}>{ "Save the lesson" }</button>
            <button type="button" class="quiet" onclick={stop}>{ "Stop" }</button>
        </section>
    }
}
