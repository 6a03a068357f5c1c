//! The dialog for teachers: replays the files that a class handed in, and lists the results. Nothing leaves the browser
//! (E-13).

use podscope_messages::{Message, class, t};
use podscope_protocol::{CourseRequest, GradedRun, Request, SessionSource};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::dialog::Modal;
use super::dialogs;
use super::shown::shown;
use super::story::inline_markdown;
use crate::browser::{Warn as _, files};
use crate::ctl::Ctl;
use crate::pure::class::table_cells_of_run;
use crate::state::{Act, Dialog, Shared, Study, StudyAct};

const COLUMN_TITLES: [Message; 9] = [
    class::student,
    class::lesson,
    class::finished,
    class::goals,
    class::answers,
    class::hints,
    class::shown,
    class::minutes,
    class::check,
];

/// File name of the saved table.
const CSV_FILE: &str = "podscope-class.csv";

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) study: Shared<Study>,
}

#[component]
pub(crate) fn ClassResults(props: &Props) -> Html {
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
                if files::save_file(CSV_FILE, "text/csv", &csv).await.warn().is_none() {
                    act.emit(Act::Toast(t!(lessons::cannot_save, file = CSV_FILE)));
                }
            });
        })
    };
    html! {
        <Modal key="class" title={t!(class::class)} class="wide class-view">
            <p>{ t!(class::about) }</p>
            <div class="row">
                <label class="btn primary load">{ t!(class::choose_files) }<input type="file" class="sr" multiple=true accept=".json,.txt" onchange={grade_chosen_files(&ctl)} /></label>
                if !class.runs.is_empty() {
                    <button type="button" onclick={save}>{ t!(class::save) }</button>
                    <button type="button" class="quiet" onclick={ctl.act.reform(|_: MouseEvent| Act::Study(StudyAct::ForgetClass))}>{ t!(class::forget) }</button>
                }
                <span role="status">{ match class.n_awaited { 0 => String::new(), count => t!(class::awaited, count = count) } }</span>
            </div>
            if !class.problems.is_empty() { { dialogs::problems(&class.problems) } }
            if !class.runs.is_empty() {
                <div class="scroll" tabindex="0" role="region" aria-label={t!(class::runs)}>
                    <table>
                        <thead><tr>{ for COLUMN_TITLES.iter().map(|word| html! { <th scope="col">{ word.text() }</th> }) }<th scope="col"><span class="sr">{ t!(class::run) }</span></th></tr></thead>
                        <tbody>{ for class.runs.iter().map(|run| run_row(&ctl, run)) }</tbody>
                    </table>
                </div>
            }
            if !mistakes.is_empty() {
                <section aria-label={t!(class::frequent_wrong_answers)}>
                    <h3 class="eyebrow">{ t!(class::frequent_wrong_answers) }</h3>
                    <ul>
                        { for mistakes.iter().map(|one| html! {
                            <li><b>{ shown(&format!("{}: ", one.lesson)) }{ inline_markdown(&podscope_api::visible(&one.ask)) }</b>{ shown(&format!(" {}", t!(class::wrong_answer, count = one.count.0, all = one.count.1, wrong = one.wrong, right = one.right))) }</li>
                        }) }
                    </ul>
                </section>
            }
        </Modal>
    }
}

fn run_row(ctl: &Ctl, run: &GradedRun) -> Html {
    let open = {
        let (ctl, link) = (ctl.clone(), run.link.clone());
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Dialog(Dialog::None));
            let fragment = link.rsplit('#').next().unwrap_or_default().to_owned();
            ctl.send.emit(Request::Open {
                source: SessionSource::Link { fragment },
            });
        })
    };
    let words = [class::yes, class::no, class::replayed].map(Message::text);
    html! {
        <tr class={classes!((!run.complaints.is_empty()).then_some("bad"))}>
            { for table_cells_of_run(run, &run.title, &words, ToString::to_string).iter().map(|cell| html! { <td>{ shown(cell) }</td> }) }
            <td><button type="button" onclick={open} aria-label={t!(class::open_run, title = run.title, student = run.student)}>{ t!(class::open) }</button></td>
        </tr>
    }
}

/// Reads the chosen files and sends each to be graded.
fn grade_chosen_files(ctl: &Ctl) -> Callback<Event> {
    let ctl = ctl.clone();
    Callback::from(move |event: Event| {
        let ctl = ctl.clone();
        let input: HtmlInputElement = event.target_unchecked_into();
        spawn_local(async move {
            let Some(list) = input.files() else { return };
            let read = files::read(list).await;
            // Clear the field, so that choosing the same file again fires a change event.
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
