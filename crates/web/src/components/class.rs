//! The dialog of a class: files that were handed in are replayed in this browser and listed. Nothing leaves it (E-13).

use podscope_protocol::{CourseRequest, GradedRun, Request, Source};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::dialog::Modal;
use super::dialogs;
use super::shown::shown;
use super::story::words;
use crate::browser::files;
use crate::ctl::Ctl;
use crate::pure::class::cells;
use crate::state::{Act, Dialog, Shared, Study, StudyAct};

const HEADER: [&str; 9] = [
    "Student", "Lesson", "Finished", "Goals", "Answers", "Hints", "Shown", "Minutes", "Check",
];

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) study: Shared<Study>,
}

#[component]
pub(crate) fn ClassView(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let class = &props.study.class;
    let mistakes = class.frequent_mistakes();
    let save = {
        let (act, csv) = (ctl.act.clone(), class.csv());
        Callback::from(move |_: MouseEvent| {
            let (act, csv) = (act.clone(), csv.clone());
            spawn_local(async move {
                if files::save("podscope-class.csv", "text/csv", &csv).await.is_err() {
                    act.emit(Act::Toast("podscope-class.csv could not be saved".into()));
                }
            });
        })
    };
    html! {
        <Modal key="class" title="Class" class="wide class-view">
            <p>{ "Drop the files that people handed in. Each run is replayed here, and what a file claims is checked; nothing leaves this browser." }</p>
            <div class="row">
                <label class="btn primary load">{ "Choose files" }<input type="file" class="sr" multiple=true accept=".json,.txt" onchange={grade(&ctl)} /></label>
                if !class.runs.is_empty() {
                    <button type="button" onclick={save}>{ "Save as CSV" }</button>
                    <button type="button" class="quiet" onclick={ctl.act.reform(|_: MouseEvent| Act::Study(StudyAct::ForgetClass))}>{ "Forget them" }</button>
                }
                <span role="status">{ match class.n_awaited { 0 => String::new(), 1 => "1 file is being replayed…".to_owned(), n => format!("{n} files are being replayed…") } }</span>
            </div>
            if !class.problems.is_empty() { { dialogs::problems(&class.problems) } }
            if !class.runs.is_empty() {
                <div class="scroll" tabindex="0" role="region" aria-label="Runs">
                    <table>
                        <thead><tr>{ for HEADER.iter().map(|word| html! { <th scope="col">{ *word }</th> }) }<th scope="col"><span class="sr">{ "Run" }</span></th></tr></thead>
                        <tbody>{ for class.runs.iter().map(|run| row(&ctl, run)) }</tbody>
                    </table>
                </div>
            }
            if !mistakes.is_empty() {
                <section aria-label="Most frequent wrong answers">
                    <h3 class="eyebrow">{ "Most frequent wrong answers" }</h3>
                    <ul>
                        { for mistakes.iter().map(|one| html! {
                            <li><b>{ shown(&format!("{}: ", one.lesson)) }{ words(&podscope_api::visible(&one.ask)) }</b>{ shown(&format!(" {} of {} said {}; it is {}.", one.count.0, one.count.1, one.wrong, one.right)) }</li>
                        }) }
                    </ul>
                </section>
            }
        </Modal>
    }
}

fn row(ctl: &Ctl, run: &GradedRun) -> Html {
    let open = {
        let (ctl, link) = (ctl.clone(), run.link.clone());
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Dialog(Dialog::None));
            let fragment = link.rsplit('#').next().unwrap_or_default().to_owned();
            ctl.send.emit(Request::Open {
                source: Source::Link { fragment },
            });
        })
    };
    html! {
        <tr class={classes!((!run.complaints.is_empty()).then_some("bad"))}>
            { for cells(run, &run.title).iter().map(|cell| html! { <td>{ shown(cell) }</td> }) }
            <td><button type="button" onclick={open} aria-label={format!("Open the run of {} by {}", run.title, run.student)}>{ "Open" }</button></td>
        </tr>
    }
}

/// Reads the chosen files and sends each to be graded.
fn grade(ctl: &Ctl) -> Callback<Event> {
    let ctl = ctl.clone();
    Callback::from(move |event: Event| {
        let ctl = ctl.clone();
        let input: HtmlInputElement = event.target_unchecked_into();
        spawn_local(async move {
            let Some(list) = input.files() else { return };
            let read = files::read(list).await;
            // Cleared, so that choosing the same file again fires a change event.
            input.set_value("");
            match read {
                Ok(files) => {
                    ctl.act.emit(Act::Study(StudyAct::Sent(files.len())));
                    for (file, text) in files {
                        ctl.send.emit(Request::Course(CourseRequest::Grade { file, text }));
                    }
                }
                Err(why) => ctl.act.emit(Act::Toast(why)),
            }
        });
    })
}
