//! The open dialog: chooses it, and contains the small ones.

use podscope_api::Danger;
use podscope_api::ordered::StableSort as _;
use podscope_messages::{Message, dialogs, localized, t};
use podscope_protocol::glossary::GLOSSARY;
use podscope_protocol::{ExportKind, Lane, Problem, Request, SessionSource, Task, WhatIf};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::class_results::ClassResults;
use super::dialog::Modal;
use super::editor::Editor;
use super::icon;
use super::lessons::Lessons;
use super::more_menu::MoreMenu;
use super::practise::Practise;
use super::scene::is_drawn_as_picture;
use super::search::ViolationSearchDialog;
use super::share::{AnonymiseCheckbox, Share};
use super::shown::{rich_text, shown, text_with_code};
use super::spread;
use super::start::PendingPodDialog;
use super::syllabus::Syllabus;
use super::timeline::{LANES, lane_list_buttons, mark_kind_class, show_event};
use super::triage::Triage;
use super::what_if::WhatIfView;
use super::worksheet::Worksheet;
use crate::browser::{self, Warn as _, store};
use crate::ctl::Ctl;
use crate::keys;
use crate::pure::hints;
use crate::pure::prepared_comparisons::{self, COMPARISONS};
use crate::pure::{actions, clock};
use crate::state::{Act, Dialog, Menu, MenuSubject, Page, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) page: Shared<Page>,
}

/// Renders the open dialog, if any. Each dialog has a key, so that a following dialog is a new element and gets the
/// focus.
#[component]
pub(crate) fn Dialogs(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let page = &props.page;
    {
        let send = ctl.send.clone();
        let may_open_dump = matches!(page.shell.dialog, Dialog::Files | Dialog::Pending);
        use_effect_with(may_open_dump, move |may_open_dump| {
            if *may_open_dump {
                send.emit(Request::PrepareToOpen);
            }
        });
    }
    if let Some(message) = &page.session.crashed {
        return crash_dialog(message);
    }
    match &page.shell.dialog {
        Dialog::None => Html::default(),
        Dialog::Lessons => {
            html! { <Lessons lessons={page.shell.lessons.clone()} course={page.shell.course.clone()} current={page.session.opened.as_ref().and_then(|opened| opened.lesson.clone())} /> }
        }
        Dialog::Shortcuts => shortcuts_dialog(),
        Dialog::More => html! { <MoreMenu page={page.clone()} /> },
        Dialog::Pending => html! { <PendingPodDialog /> },
        Dialog::Share => html! { <Share page={page.clone()} /> },
        Dialog::Files => {
            html! { <Files text={page.session.opened.as_ref().map(|opened| opened.text.clone()).unwrap_or_default()} page={page.clone()} /> }
        }
        Dialog::Editor => {
            html! { <Editor text={page.text_to_edit()} fields={page.session.fields.clone()} answer={page.shell.console.apply_answer()} still={!page.session.model.playing} checked={page.session.checked.clone()} refused={page.shell.problems.clone()} /> }
        }
        Dialog::Notices => notices_dialog(page),
        Dialog::Triage => html! { <Triage page={page.clone()} /> },
        Dialog::Refused => {
            html! { <Modal key="refused" title={t!(dialogs::refused)} class="wide"><p>{ t!(dialogs::nothing_changed) }</p>{ problems(&page.shell.problems) }
            <p class="buttons"><button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Files))}>{ t!(dialogs::open_another) }</button><button type="button" onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::Editor))}>{ t!(dialogs::to_editor) }</button><button type="button" class="primary" autofocus=true onclick={ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::None))}>{ t!(dialogs::go_on) }</button></p></Modal> }
        }
        Dialog::Confirm { lines, danger } => confirm_dialog(&ctl, lines, *danger),
        Dialog::Menu(menu) => actions_menu(&ctl, page, menu),
        Dialog::Lane(lane) => lane_events_dialog(&ctl, page, *lane),
        Dialog::Spread => spread::spread_list_dialog(&ctl, page),
        Dialog::Glossary => glossary_dialog(),
        Dialog::Practise => html! { <Practise families={page.shell.study.families.clone()} /> },
        Dialog::WhatIf(change) => {
            let zone = match change {
                WhatIf::Drain(nodes) => nodes.first().and_then(|name| page.session.model.nodes.get(name)),
                _ => None,
            };
            let zone = zone.map(|node| node.view.zone.clone()).filter(|zone| !zone.is_empty());
            let done = page
                .session
                .progress
                .filter(|(task, _)| *task == Task::WhatIf)
                .map(|(_, done)| done);
            html! { <WhatIfView change={change.clone()} answer={page.open_what_if_answer().cloned()} {done} {zone} is_picture={is_drawn_as_picture(page, &page.session.model)} /> }
        }
        Dialog::Search => {
            html! { if let Some(opened) = &page.session.opened { <ViolationSearchDialog text={opened.text.clone()} seed={opened.seed} /> } }
        }
        Dialog::Worksheet => html! { <Worksheet page={page.clone()} /> },
        Dialog::Class => html! { <ClassResults study={page.shell.study.clone()} /> },
        Dialog::Course => html! { <Syllabus study={page.shell.study.clone()} /> },
    }
}

/// Renders a list of problems with their positions.
pub(crate) fn problems(all: &[Problem]) -> Html {
    html! {
        <ol class="problems">
            { for all.iter().take(200).map(|problem| html! {
                <li>
                    <span class="mono where">{ shown(&problem.position()) }</span>
                    if !problem.message_begins_with_path() { <code>{ shown(&problem.path) }</code> }
                    <span>{ shown(&problem.message.to_string()) }</span>
                    if let Some(hint) = hints::hint(problem) { <small class="hint">{ hint }</small> }
                </li>
            }) }
        </ol>
    }
}

/// The glossary: every term that lessons explain.
fn glossary_dialog() -> Html {
    let mut terms: Vec<_> = GLOSSARY.iter().collect();
    terms.stable_sort_by_key(|(term, _)| term.to_ascii_lowercase());
    html! {
        <Modal key="terms" title={t!(dialogs::terms)} class="wide">
            <dl class="glossary">{ for terms.iter().map(|(term, sentence)| html! { <div><dt lang="en" translate="no">{ *term }</dt><dd>{ localized(sentence) }</dd></div> }) }</dl>
        </Modal>
    }
}

fn confirm_dialog(ctl: &Ctl, lines: &[String], danger: Danger) -> Html {
    let on_confirm = {
        let (ctl, lines) = (ctl.clone(), lines.to_vec());
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.run_confirmed(&lines);
        })
    };
    let on_cancel = ctl.act.reform(|_: MouseEvent| Act::Dialog(Dialog::None));
    html! {
        <Modal key="confirm" title={t!(dialogs::confirm)} class="confirm">
            <p class="warning">{ shown(&actions::warning(danger)) }</p>
            <p class="mono command">{ shown(&lines.join("\n")) }</p>
            <div class="buttons">
                <button type="button" onclick={on_cancel} autofocus=true>{ t!(dialogs::leave_it) }</button>
                <button type="button" class="danger" onclick={on_confirm}>{ t!(dialogs::do_it) }</button>
            </div>
        </Modal>
    }
}

fn actions_menu(ctl: &Ctl, page: &Page, menu: &Menu) -> Html {
    let style = format!("--x:{}px;--y:{}px", menu.at.0, menu.at.1);
    let zone = match &menu.subject {
        MenuSubject::Group(name) => Some(name.clone()),
        _ => None,
    };
    let zone = zone.filter(|zone| page.session.model.groups.iter().any(|group| group.name == *zone));
    html! {
        <Modal key="menu" title={menu.title.clone()} class="menu" style={style}>
            <ul>
                if let Some(zone) = zone {
                    <li><button type="button" onclick={ {
                        let (ctl, zone) = (ctl.clone(), zone.clone());
                        Callback::from(move |_: MouseEvent| {
                            ctl.act.emit(Act::Dialog(Dialog::None));
                            ctl.act.emit(Act::Zone(Some(zone.clone())));
                        })
                    } }><span>{ t!(dialogs::only_this_zone) }</span></button></li>
                    <li><button type="button" aria-haspopup="dialog" onclick={ {
                        let change = loss_question(page, &zone);
                        ctl.act.reform(move |_: MouseEvent| Act::Dialog(Dialog::WhatIf(change.clone())))
                    } }><span>{ t!(dialogs::what_if_it_goes) }</span></button></li>
                }
                { for menu.actions.iter().map(|action| {
                    let run = {
                        let (ctl, action) = (ctl.clone(), action.clone());
                        Callback::from(move |_: MouseEvent| {
                            ctl.act.emit(Act::Dialog(Dialog::None));
                            ctl.run(&action.command);
                        })
                    };
                    html! { <li><button type="button" class={classes!(action.is_dangerous.then_some("danger"))} onclick={run}><span>{ shown(&action.label) }</span><span class="mono">{ shown(&action.command) }</span></button></li> }
                }) }
            </ul>
        </Modal>
    }
}

/// Returns the what-if question about a group of nodes: the loss of a zone, or for another label the drain of all nodes
/// with its value.
fn loss_question(page: &Page, group: &str) -> WhatIf {
    let nodes = page.session.model.groups.iter().find(|one| one.name == group);
    match nodes {
        Some(group) if !page.session.group.is_empty() || group.name.is_empty() => WhatIf::Drain(group.nodes.to_vec()),
        _ => WhatIf::LoseZone(group.to_owned()),
    }
}

fn lane_events_dialog(ctl: &Ctl, page: &Page, lane: Lane) -> Html {
    let name = LANES
        .iter()
        .find(|(known, _)| *known == lane)
        .map_or_else(String::new, |(_, name)| name.text());
    let mut marks: Vec<_> = page
        .session
        .model
        .marks
        .values()
        .filter(|mark| mark.lane == lane)
        .cloned()
        .collect();
    marks.stable_sort_by_key(|mark| (std::cmp::Reverse(mark.from), mark.id));
    html! {
        <Modal key="lane" title={name} class="lane-list">
            { lane_list_buttons(ctl, page) }
            if marks.is_empty() { <p class="none">{ t!(dialogs::no_marks) }</p> }
            <ol>
                { for marks.iter().take(400).map(|mark| {
                    let go = {
                        let (ctl, mark) = (ctl.clone(), mark.clone());
                        Callback::from(move |_: MouseEvent| {
                            ctl.act.emit(Act::Dialog(Dialog::None));
                            show_event(&ctl, &mark);
                        })
                    };
                    let from = clock::instant(mark.from);
                    let span = match mark.to {
                        Some(to) if to > mark.from => t!(dialogs::from_to, from = from, to = clock::instant(to)),
                        Some(_) => from,
                        None => t!(dialogs::from_until_now, from = from),
                    };
                    html! { <li><button type="button" class="quiet" onclick={go}><i class={format!("key k-{}", mark_kind_class(mark.kind))}></i><span class="mono">{ span }</span><span>{ shown(&mark.label.to_string()) }</span></button></li> }
                }) }
            </ol>
            if marks.len() > 400 { <p class="none">{ t!(dialogs::earlier, count = marks.len() - 400) }</p> }
        </Modal>
    }
}

fn shortcuts_dialog() -> Html {
    let toggle = Callback::from(|event: Event| {
        let field: web_sys::HtmlInputElement = event.target_unchecked_into();
        store::store_single_key_shortcuts(field.checked());
    });
    html! {
        <Modal key="help" title={t!(dialogs::help)} class="wide shortcuts">
            <p>{ t!(dialogs::help_hint) }</p>
            <div class="columns" tabindex="0" role="group" aria-label={t!(dialogs::shortcuts)}>
                { for keys::shortcut_groups().into_iter().map(|(title, rows)| html! {
                    <section><h3 class="eyebrow">{ title }</h3><dl>
                        { for rows.into_iter().map(|(key, what)| html! { <div><dt><kbd>{ key }</kbd></dt><dd>{ what }</dd></div> }) }
                    </dl></section>
                }) }
            </div>
            <label class="check"><input type="checkbox" checked={store::has_single_key_shortcuts()} onchange={toggle} />{ t!(dialogs::single_keys) }</label>
            <p class="none">{ t!(dialogs::browsers) }</p>
            <p class="buttons"><a class="btn quiet" href="THIRD-PARTY.md">{ t!(dialogs::licences) }</a><a class="btn quiet" href="#guarantees">{ t!(dialogs::guarantees) }</a></p>
        </Modal>
    }
}

fn notices_dialog(page: &Page) -> Html {
    let Some(opened) = &page.session.opened else {
        return Html::default();
    };
    html! {
        <Modal key="notices" title={t!(dialogs::notices)} class="wide">
            if !opened.notices.is_empty() {
                <h3 class="eyebrow">{ t!(dialogs::read_and_kept) }</h3>
                <ul class="notices">{ for opened.notices.iter().map(|notice| html! { <li>{ text_with_code(&notice.to_string()) }</li> }) }</ul>
            }
            if !opened.advice.is_empty() {
                <h3 class="eyebrow">{ t!(dialogs::advice) }</h3>
                { problems(&opened.advice) }
            }
        </Modal>
    }
}

fn crash_dialog(message: &str) -> Html {
    let reload = Callback::from(|_: MouseEvent| {
        if let Some(window) = browser::window() {
            window.location().reload().warn();
        }
    });
    let start_empty = Callback::from(|_: MouseEvent| {
        if let Some(location) = browser::window().map(|window| window.location()) {
            location.set_hash("new").warn();
            location.reload().warn();
        }
    });
    // If the worker could not load the rest of its wasm, the message contains the error of `podscopeLoadRest`
    // (crates/js/worker.js). A browser puts "Uncaught Error: " before it.
    let hint = match message.contains("the rest of the engine did not load") {
        true => t!(dialogs::rest_not_loaded_hint),
        false => t!(dialogs::engine_stopped_hint),
    };
    html! {
        <Modal title={t!(dialogs::engine_stopped)} class="confirm">
            <p>{ hint }</p>
            <p class="mono command">{ shown(message) }</p>
            <div class="buttons">
                <button type="button" onclick={start_empty}>{ t!(dialogs::start_empty) }</button>
                <button type="button" class="primary" onclick={reload} autofocus=true>{ t!(dialogs::go_on_saved) }</button>
            </div>
        </Modal>
    }
}

/// The list of stored sessions.
#[component]
fn Sessions() -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let all = use_state(store::sessions);
    if all.is_empty() {
        return Html::default();
    }
    let here = store::current_session();
    let forget_here = {
        let ctl = ctl.clone();
        Callback::from(move |_: MouseEvent| {
            store::forget_on_next_open(here);
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.send.emit(Request::Open {
                source: SessionSource::Free,
            });
        })
    };
    let rows = all.iter().map(|kept| {
        let (id, name) = (kept.id, format!("{} · {}", store::format_time_of_save(kept.at), podscope_api::visible(&kept.title)));
        let open = {
            let ctl = ctl.clone();
            Callback::from(move |_: MouseEvent| {
                if let Some(fragment) = store::link_of_session(id) {
                    store::resume_on_next_open(id);
                    ctl.act.emit(Act::Dialog(Dialog::None));
                    ctl.send.emit(Request::Open { source: SessionSource::Link { fragment } });
                }
            })
        };
        let download = Callback::from(move |_: MouseEvent| {
            if let Some(fragment) = store::link_of_session(id) {
                spawn_local(async move {
                    browser::files::save_file("podscope-session.txt", "text/plain", &browser::address(&fragment)).await.warn();
                });
            }
        });
        let onchange = {
            let all = all.clone();
            Callback::from(move |event: Event| {
                store::rename_session(id, &browser::field_value_of(&event));
                all.set(store::sessions());
            })
        };
        let forget = {
            let all = all.clone();
            Callback::from(move |_: MouseEvent| {
                store::forget_session(id);
                all.set(store::sessions());
            })
        };
        html! {
            <li key={id}>
                <span class="mono">{ store::format_time_of_save(kept.at) }</span>
                <input class="name" value={kept.title.clone()} maxlength="80" {onchange} aria-label={if id == here { t!(dialogs::name_of_this) } else { t!(dialogs::name_of, name = name) }} title={t!(dialogs::name_hint)} />
                if id == here {
                    <span class="none">{ t!(dialogs::this_tab) }</span>
                } else {
                    <button type="button" onclick={open} aria-label={t!(dialogs::open_session, name = name)}>{ t!(dialogs::open) }</button>
                }
                <button type="button" class="quiet" onclick={download} aria-label={t!(dialogs::save_link, name = name)} title={t!(dialogs::save_link_hint)}>{ icon("files") }</button>
                if id == here {
                    <button type="button" class="quiet" onclick={forget_here.clone()} title={t!(dialogs::forget_this_hint)}>{ t!(dialogs::forget_this) }</button>
                } else {
                    <button type="button" class="quiet" onclick={forget} aria-label={t!(dialogs::forget, name = name)} title={t!(dialogs::forget_hint)}>{ icon("bin") }</button>
                }
            </li>
        }
    });
    html! { <><h3 class="eyebrow">{ t!(dialogs::sessions) }</h3><ul class="sessions">{ for rows }</ul></> }
}

#[derive(Properties, PartialEq)]
struct FilesProps {
    /// The text of the opened scenario.
    text: String,
    page: Shared<Page>,
}

#[component]
fn Files(props: &FilesProps) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let open = {
        let ctl = ctl.clone();
        Callback::from(move |event: Event| {
            let field: web_sys::HtmlInputElement = event.target_unchecked_into();
            if let Some(list) = field.files() {
                open_files(&ctl, list);
            }
        })
    };
    html! {
        <Modal title={t!(dialogs::files)} class="files">
            <h3 class="eyebrow">{ t!(dialogs::open_files) }</h3>
            <label class="drop">{ icon("files") }<span>{ rich_text(&t!(dialogs::open_files_hint)) }</span>
                <input type="file" multiple=true accept=".yaml,.yml,.json,.txt" onchange={open} /></label>
            <Sessions />
            { compare_controls(&ctl, &props.text) }
            { save_controls(&ctl, &props.page) }
        </Modal>
    }
}

/// Controls that start a comparison with this session.
fn compare_controls(ctl: &Ctl, text: &str) -> Html {
    let pair = {
        let ctl = ctl.clone();
        Callback::from(move |event: Event| {
            let index: Option<usize> = browser::field_value_of(&event).parse().ok();
            let Some((_, [first_side, other])) = index.and_then(|index| COMPARISONS.get(index)) else {
                return;
            };
            ctl.act.emit(Act::Dialog(Dialog::None));
            let files = vec![(
                "compare.yaml".to_string(),
                prepared_comparisons::scenario_of_run(first_side),
            )];
            ctl.send.emit(Request::Open {
                source: SessionSource::Files { files },
            });
            ctl.send.emit(Request::Compare {
                other: Some(prepared_comparisons::scenario_of_run(other)),
            });
            ctl.send.emit(Request::Play);
        })
    };
    let untouched = {
        let (ctl, text) = (ctl.clone(), text.to_owned());
        Callback::from(move |_: MouseEvent| {
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.send.emit(Request::Compare {
                other: Some(text.clone()),
            });
        })
    };
    let compare = {
        let ctl = ctl.clone();
        Callback::from(move |event: Event| {
            let field: web_sys::HtmlInputElement = event.target_unchecked_into();
            let (Some(list), ctl) = (field.files(), ctl.clone()) else {
                return;
            };
            spawn_local(async move {
                match browser::files::read(list).await {
                    Ok(files) => {
                        let other = files
                            .into_iter()
                            .map(|(_, text)| text)
                            .collect::<Vec<_>>()
                            .join("\n---\n");
                        ctl.act.emit(Act::Dialog(Dialog::None));
                        ctl.send.emit(Request::Compare { other: Some(other) });
                    }
                    Err(error) => ctl.act.emit(Act::Toast(error)),
                }
            });
        })
    };
    html! {
        <>
            <h3 class="eyebrow">{ t!(dialogs::compare) }</h3>
            <label class="drop">{ icon("fork") }<span>{ t!(dialogs::second_scenario) }</span><input type="file" accept=".yaml,.yml,.json" onchange={compare} /></label>
            <div class="row">
                <label>{ t!(dialogs::two_ways) }{ " " }<select onchange={pair} aria-label={t!(dialogs::two_ways)}><option value="" selected=true>{ "…" }</option>
                    { for COMPARISONS.iter().enumerate().map(|(index, (name, _))| html! { <option value={index.to_string()}>{ name.text() }</option> }) }
                </select></label>
                <button type="button" onclick={untouched}>{ t!(dialogs::without_commands) }</button>
            </div>
        </>
    }
}

/// Buttons that save parts of the session as files.
fn save_controls(ctl: &Ctl, page: &Shared<Page>) -> Html {
    let anonymise = page.session.anonymises;
    let save = |what: ExportKind, name: Message, how: Message| {
        html! { <button type="button" onclick={ctl.on(Request::Export { what, anonymise })}><b>{ name.text() }</b><span>{ how.text() }</span></button> }
    };
    let record = {
        let act = ctl.act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Act::Dialog(Dialog::None));
            act.emit(Act::Record(true));
        })
    };
    html! {
        <>
            <h3 class="eyebrow">{ t!(dialogs::save) }</h3>
            <AnonymiseCheckbox page={page.clone()} />
            <div class="grid">
                { save(ExportKind::Scenario, dialogs::save_session, dialogs::save_session_how) }
                { save(ExportKind::Lesson, dialogs::save_lesson, dialogs::save_lesson_how) }
                <button type="button" onclick={record}><b>{ t!(dialogs::record) }</b><span>{ t!(dialogs::record_how) }</span></button>
                { save(ExportKind::Objects, dialogs::save_objects, dialogs::save_objects_how) }
                { save(ExportKind::Trace, dialogs::save_trace, dialogs::save_trace_how) }
                { save(ExportKind::Picture, dialogs::save_drawing, dialogs::save_drawing_how) }
                { save(ExportKind::Image, dialogs::save_picture, dialogs::save_picture_how) }
            </div>
        </>
    }
}

/// Opens files that were chosen or dropped.
pub(crate) fn open_files(ctl: &Ctl, list: web_sys::FileList) {
    let ctl = ctl.clone();
    spawn_local(async move {
        match browser::files::read(list).await {
            Ok(files) if files.is_empty() => {}
            Ok(files) => {
                ctl.act.emit(Act::Dialog(Dialog::None));
                ctl.send.emit(Request::Open {
                    source: SessionSource::Files { files },
                });
            }
            Err(error) => ctl.act.emit(Act::Toast(error)),
        }
    });
}

#[cfg(test)]
mod tests {
    use podscope_protocol::GroupView;

    use super::*;
    use crate::pure::route::{Theme, View};
    use crate::state::Shared;

    /// Shows: P-14
    #[test]
    fn question_about_group_is_zone_loss_or_drain_of_its_nodes() {
        let mut page = Page::new(None, Theme::System, View::Playground);
        let nodes = vec!["n-1".to_owned(), "n-2".to_owned()];
        page.session.model.change(|model| {
            let group = |name: &str| GroupView {
                name: name.to_owned(),
                nodes: nodes.clone().into(),
                ..GroupView::default()
            };
            model.groups = Shared::new(vec![group("a"), group("")]);
        });
        let drain = WhatIf::Drain(nodes.clone());
        assert_eq!(loss_question(&page, "a"), WhatIf::LoseZone("a".into()));
        assert_eq!(loss_question(&page, ""), drain, "nodes without a zone lose none");
        page.session.group = "rack".to_owned();
        assert_eq!(loss_question(&page, "a"), drain);
    }
}
