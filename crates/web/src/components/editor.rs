//! The editor for manifests and scenarios. Its code is a bundle of its own, loaded on first use; it shows the engine's
//! messages at the lines that they concern.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use js_sys::{Array, Function, Object, Reflect};
use podscope_messages::{Message, editor, t};
use podscope_protocol::{Completion, Problem, Request, SessionSource, TextKind};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::Element;
use yew::prelude::*;

use super::dialog::Modal;
use super::dialogs::problems;
use super::icon;
use super::shown::shown;
use crate::browser::{self, Warn as _};
use crate::ctl::Ctl;
use crate::pure::paste::here_document;
use crate::pure::{clock, hints};
use crate::state::{Act, ApplyAnswer, CheckedText, Dialog, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The editor is beside the cluster instead of in a dialog.
    #[prop_or_default]
    pub(crate) beside: bool,
    pub(crate) text: String,
    pub(crate) fields: Option<Shared<(u64, Vec<Completion>)>>,
    pub(crate) checked: Option<Shared<CheckedText>>,
    /// The API server's answer to the manifests that were applied last.
    pub(crate) answer: ApplyAnswer,
    /// Whether time is paused; a line below the results then says so.
    pub(crate) still: bool,
    pub(crate) refused: Shared<Vec<Problem>>,
}

/// The mounted CodeMirror editor; `crates/web/editor/editor.js` describes its methods.
struct MountedEditor {
    object: JsValue,
    _changed: Closure<dyn FnMut(String)>,
    _asked: Closure<dyn FnMut(String, String, f64)>,
}

impl MountedEditor {
    fn call(&self, method: &str, argument: &JsValue) -> Option<JsValue> {
        let function: Function = Reflect::get(&self.object, &method.into()).warn()?.dyn_into().ok()?;
        function.call1(&self.object, argument).warn()
    }
}

impl Drop for MountedEditor {
    fn drop(&mut self) {
        self.call("destroy", &JsValue::UNDEFINED);
    }
}

/// The examples offered for a new text.
const EXAMPLE_MANIFESTS: [(Message, &str); 5] = [
    (editor::a_pod, include_str!("../../examples/pod.yaml")),
    (editor::spread, include_str!("../../examples/spread.yaml")),
    (editor::partition, include_str!("../../examples/partition.yaml")),
    (editor::priorities, include_str!("../../examples/priorities.yaml")),
    (editor::lesson, include_str!("../../examples/lesson.yaml")),
];

/// Delay after the last key before the text is applied automatically, in milliseconds.
const AUTO_APPLY_DELAY_MS: u32 = 700;

#[component]
pub(crate) fn Editor(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let host = use_node_ref();
    let text = use_state(|| props.text.clone());
    let is_plain = use_state(|| false);
    let applies_live = use_state(|| false);
    let revision = use_mut_ref(|| 0u64);
    let changed = use_check_on_change(&ctl, text.setter(), &revision);
    let mounted = use_mounted_editor(props, &ctl, &host, &changed, is_plain.setter());
    // While the text cannot be parsed, the last detected kind of text is used.
    let kind = props.checked.as_ref().map_or(TextKind::Other, |checked| checked.kind);
    let is_scenario = kind >= TextKind::Scenario;
    // A scenario may contain `___` on purpose, for its readers to fill, so no advice is shown.
    let gaps = if is_scenario {
        Vec::new()
    } else {
        hints::remaining_gaps(&text)
    };
    let current_check = (props.checked.as_ref()).filter(|checked| checked.revision == *revision.borrow());
    let (problems, advice) = match current_check {
        _ if !gaps.is_empty() => (Vec::new(), gaps.iter().map(gap_advice).collect()),
        Some(checked) => (checked.problems.clone(), checked.advice.clone()),
        None => (Vec::new(), Vec::new()),
    };
    {
        let (mounted, problems, advice) = (mounted.clone(), problems.clone(), advice.clone());
        use_effect_with((props.checked.clone(), gaps.clone()), move |_| {
            if let Some(mounted) = &*mounted.borrow() {
                mounted.call("problems", &findings_to_js(&problems, &advice));
            }
        });
    }
    let can_be_applied = gaps.is_empty() && problems.is_empty() && !is_scenario && !text.trim().is_empty();
    let applied = use_mut_ref(String::new);
    use_auto_apply(
        *applies_live && can_be_applied,
        props,
        &ctl,
        &text,
        *revision.borrow(),
        &applied,
    );
    // The answer is shown only while the text has not changed since it was applied.
    let answer = Some(&props.answer).filter(|_| *applied.borrow() == **text && !text.is_empty());
    let example = {
        let changed = changed.clone();
        Callback::from(move |event: Event| {
            let index: Option<usize> = browser::field_value_of(&event).parse().ok();
            let Some((_, new)) = index.and_then(|index| EXAMPLE_MANIFESTS.get(index)) else {
                return;
            };
            match &*mounted.borrow() {
                Some(editor) => {
                    editor.call("set", &(*new).into());
                }
                None => changed.emit((*new).to_string()),
            }
        })
    };
    let body = html! {
        <>
            <div class="row">
                <label>{ t!(editor::begin_with) }{ " " }<select onchange={example} aria-label={t!(editor::examples)}><option value="" selected=true>{ "…" }</option>
                    { for EXAMPLE_MANIFESTS.iter().enumerate().map(|(index, (name, _))| html! { <option value={index.to_string()}>{ name.text() }</option> }) }
                </select></label>
                if !props.beside { <span class="none">{ t!(editor::paste_hint) }</span> }
            </div>
            if *is_plain {
                <textarea class="mono code" autofocus=true aria-label="YAML" spellcheck="false" value={(*text).clone()}
                    oninput={changed.reform(|event: InputEvent| browser::field_value_of(&event))} />
            } else {
                <div class="code" ref={host}></div>
            }
            { findings_list(props, gaps.len(), &problems, &advice, current_check.is_some().then_some(&**text), answer) }
            { editor_buttons(props.beside, &ctl, (&text, &applied), &applies_live, (kind == TextKind::Lesson).then_some(&revision), can_be_applied) }
        </>
    };
    if !props.beside {
        return html! { <Modal title={t!(editor::editor)} class="wide editor">{ body }</Modal> };
    }
    let close = ctl.act.reform(|_: MouseEvent| Act::SideEditor(None));
    html! {
        <aside class="code-beside editor" aria-label={t!(editor::editor_beside)}>
            <header><h2>{ t!(editor::editor) }</h2><button type="button" class="quiet" onclick={close} aria-label={t!(editor::close)}>{ icon("cross") }</button></header>
            { body }
        </aside>
    }
}

/// Number of the current text. Results for lower revisions are obsolete.
type Revision = Rc<RefCell<u64>>;

/// Returns a callback that takes each new text and requests a check when typing pauses.
#[hook]
fn use_check_on_change(ctl: &Ctl, text: UseStateSetter<String>, revision: &Revision) -> Callback<String> {
    let (ctl, revision) = (ctl.clone(), revision.clone());
    let waiting = use_mut_ref(|| None::<Timeout>);
    use_callback((), move |new_text: String, ()| {
        let next = *revision.borrow() + 1;
        *revision.borrow_mut() = next;
        let (ctl, copy) = (ctl.clone(), new_text.clone());
        *waiting.borrow_mut() = Some(Timeout::new(250, move || {
            ctl.send.emit(Request::Check {
                text: copy,
                revision: next,
            })
        }));
        text.set(new_text);
    })
}

/// Loads the editor's module and mounts it in the host; on failure switches to a plain text area.
#[hook]
fn use_mounted_editor(
    props: &Props,
    ctl: &Ctl,
    host: &NodeRef,
    changed: &Callback<String>,
    is_plain: UseStateSetter<bool>,
) -> Rc<RefCell<Option<MountedEditor>>> {
    let mounted = use_mut_ref(|| None::<MountedEditor>);
    {
        let (host, mounted, changed) = (host.clone(), mounted.clone(), changed.clone());
        let (first, send) = (props.text.clone(), ctl.send.clone());
        use_effect_with((), move |()| {
            send.emit(Request::Check {
                text: first.clone(),
                revision: 0,
            });
            load_editor(move |module| {
                let (Some(module), Some(host)) = (module, host.cast::<Element>()) else {
                    return is_plain.set(true);
                };
                match mount_editor(&module, &host, &first, changed, send) {
                    Some(editor) => {
                        *mounted.borrow_mut() = Some(editor);
                        focus_editor_text(host);
                    }
                    None => is_plain.set(true),
                }
            });
        });
    }
    {
        let mounted = mounted.clone();
        use_effect_with(props.fields.clone(), move |fields| {
            if let (Some(mounted), Some(fields)) = (&*mounted.borrow(), fields) {
                let (revision, choices) = &**fields;
                let list: Array = choices
                    .iter()
                    .map(|field| Array::of2(&field.text.as_str().into(), &field.hint.as_str().into()))
                    .collect();
                mounted.call("fields", &Array::of2(&list, &(*revision as f64).into()));
            }
        });
    }
    mounted
}

/// Focuses the text after the dialog has opened. The text is in a shadow root, which selectors do not enter.
fn focus_editor_text(host: Element) {
    browser::after_drawing(move || {
        let text = (host.shadow_root()).and_then(|root| root.query_selector(".cm-content").warn().flatten());
        if let Some(text) = text.and_then(|text| text.dyn_into::<web_sys::HtmlElement>().ok()) {
            text.focus().warn();
        }
    });
}

fn mount_editor(
    module: &JsValue,
    host: &Element,
    first: &str,
    changed: Callback<String>,
    send: Callback<Request>,
) -> Option<MountedEditor> {
    let mount: Function = Reflect::get(module, &"mount".into()).warn()?.dyn_into().ok()?;
    let changed = Closure::<dyn FnMut(String)>::new(move |text| changed.emit(text));
    // The editor requests the fields at its cursor; the page answers with the method `fields`.
    let asked = Closure::<dyn FnMut(String, String, f64)>::new(move |before, after, revision: f64| {
        send.emit(Request::Fields {
            before,
            after,
            revision: revision as u64,
        });
    });
    let callbacks = Array::of2(changed.as_ref(), asked.as_ref());
    let object = mount.call3(module, host, &first.into(), &callbacks).ok()?;
    Some(MountedEditor {
        object,
        _changed: changed,
        _asked: asked,
    })
}

/// Applies a text without problems automatically, once, when typing pauses.
#[hook]
fn use_auto_apply(
    can_be_applied: bool,
    props: &Props,
    ctl: &Ctl,
    text: &UseStateHandle<String>,
    revision: u64,
    applied: &Rc<RefCell<String>>,
) {
    let pausing = use_mut_ref(|| None::<Timeout>);
    let (ctl, text, applied) = (ctl.clone(), text.clone(), applied.clone());
    let current_check = props.checked.as_ref().map(|checked| checked.revision);
    use_effect_with(
        (can_be_applied, current_check),
        move |(can_be_applied, current_check)| {
            let is_due = *can_be_applied && *current_check == Some(revision) && !text.trim().is_empty();
            *pausing.borrow_mut() = is_due.then(move || {
                Timeout::new(AUTO_APPLY_DELAY_MS, move || {
                    if *applied.borrow() != *text {
                        applied.borrow_mut().clone_from(&text);
                        ctl.run_without_confirmation(&here_document(&text));
                    }
                })
            });
        },
    );
}

/// Number of applied objects whose result is shown below the text.
const MAX_SHOWN_RESULTS: usize = 3;

/// Problems and advice for the text. `text` is the checked text, `answer` the answer of `kubectl apply` to it.
fn findings_list(
    props: &Props,
    n_gaps: usize,
    findings: &[Problem],
    advice: &[Problem],
    text: Option<&str>,
    answer: Option<&ApplyAnswer>,
) -> Html {
    let (denied, done) = answer.map_or((&[] as &[_], &[] as &[_]), |answer| (&answer.refused, &answer.done));
    let refused = if findings.is_empty() {
        props.refused.as_slice()
    } else {
        &[]
    };
    // A long list needs a tab stop so that it can be scrolled by keyboard.
    let has_list = !findings.is_empty() || !refused.is_empty() || !advice.is_empty();
    html! {
        <div class="found" role="group" aria-label={t!(editor::found)} aria-live="polite" tabindex={has_list.then_some("0")}>
            if n_gaps > 0 { <p role="status">{ hints::remaining_gaps_text(n_gaps) }</p> }
            else if !findings.is_empty() { { problems(findings) } }
            else if !refused.is_empty() { { problems(refused) } }
            else if !advice.is_empty() { <p class="eyebrow">{ t!(editor::advice) }</p>{ problems(advice) } }
            else if text.is_some_and(|text| text.trim().is_empty()) { <p>{ t!(editor::nothing_to_apply) }</p> }
            else if text.is_some() && denied.is_empty() { <p class="fine">{ t!(editor::no_problems) }</p> }
            if findings.is_empty() && !denied.is_empty() { <p class="eyebrow">{ t!(editor::refused) }</p>{ for denied.iter().map(|line| html! { <p class="error mono">{ shown(line) }</p> }) } }
            if props.beside && !done.is_empty() {
                { for done.iter().take(MAX_SHOWN_RESULTS).map(|(at, line)| html! { <p class="none">{ clock::instant(*at) }{ " " }{ shown(line) }</p> }) }
                if done.len() > MAX_SHOWN_RESULTS { <p class="none">{ t!(editor::and_more, count = done.len() - MAX_SHOWN_RESULTS) }</p> }
                if props.still { <p class="none">{ t!(editor::time_stands) }</p> }
            }
        </div>
    }
}

/// Renders the buttons below the text. `lesson` is the text's revision if the text is a lesson, which can be checked.
fn editor_buttons(
    beside: bool,
    ctl: &Ctl,
    (text, applied): (&UseStateHandle<String>, &Rc<RefCell<String>>),
    applies_live: &UseStateHandle<bool>,
    lesson: Option<&Revision>,
    can_be_applied: bool,
) -> Html {
    let open = {
        let (ctl, text) = (ctl.clone(), text.clone());
        Callback::from(move |_: MouseEvent| {
            ctl.send.emit(Request::Open {
                source: SessionSource::Files {
                    files: vec![("editor.yaml".into(), (*text).clone())],
                },
            });
        })
    };
    let apply = {
        let (ctl, text, applied) = (ctl.clone(), text.clone(), applied.clone());
        Callback::from(move |_: MouseEvent| {
            applied.borrow_mut().clone_from(&text);
            ctl.act.emit(Act::Dialog(Dialog::None));
            ctl.run_without_confirmation(&here_document(&text));
        })
    };
    let check = lesson.map(|revision| {
        let (ctl, text, revision) = (ctl.clone(), text.clone(), revision.clone());
        Callback::from(move |_: MouseEvent| {
            ctl.send.emit(Request::CheckLesson {
                text: (*text).clone(),
                revision: *revision.borrow(),
            });
        })
    });
    let toggle_live = {
        let applies_live = applies_live.clone();
        Callback::from(move |_: Event| applies_live.set(!*applies_live))
    };
    let put_beside = {
        let text = text.clone();
        ctl.act
            .reform(move |_: MouseEvent| Act::SideEditor(Some((*text).clone())))
    };
    html! {
        <div class="buttons">
            if let Some(check) = check { <button type="button" onclick={check} title={t!(editor::check_lesson_hint)}>{ t!(editor::check_lesson) }</button> }
            if beside {
                <label class="check"><input type="checkbox" checked={**applies_live} onchange={toggle_live} />{ t!(editor::apply_live) }</label>
                <span class="gap"></span>
            } else {
                <button type="button" class="quiet put-beside" onclick={put_beside} title={t!(editor::beside_hint)}>{ t!(editor::beside) }</button>
            }
            <button type="button" onclick={apply} title="kubectl apply -f -" disabled={!can_be_applied}>{ if beside { t!(editor::apply) } else { t!(editor::apply_to_running) } }</button>
            <button type="button" class={classes!((!beside).then_some("primary"))} onclick={open}>{ t!(editor::start_anew) }</button>
        </div>
    }
}

/// Advice to fill a gap, at the gap's position.
fn gap_advice((line, column): &(u32, u32)) -> Problem {
    Problem {
        line: *line,
        column: *column,
        ..Problem::of_file("", t!(editor::gap))
    }
}

fn findings_to_js(findings: &[Problem], advice: &[Problem]) -> JsValue {
    let list = Array::new();
    for (severity, all) in [("error", findings), ("warning", advice)] {
        for problem in all.iter().filter(|problem| problem.line > 0) {
            let entry = Object::new();
            let set = |key: &str, value: JsValue| Reflect::set(&entry, &key.into(), &value).warn();
            set("line", problem.line.into());
            set("column", problem.column.into());
            set("severity", severity.into());
            set(
                "message",
                if problem.message_begins_with_path() {
                    problem.message.to_string().into()
                } else {
                    format!("{}: {}", problem.path, problem.message).into()
                },
            );
            list.push(&entry);
        }
    }
    list.into()
}

#[wasm_bindgen]
extern "C" {
    /// A script element that loads the editor's bundle (`www/boot.js`).
    #[wasm_bindgen(js_name = podscopeEditorScript)]
    fn editor_script() -> web_sys::HtmlScriptElement;
}

/// Loads the editor's bundle once; calls back with its exports, or with `None` if it cannot be loaded.
fn load_editor(then: impl FnOnce(Option<JsValue>) + 'static) {
    const BUNDLE_GLOBAL: &str = "podscopeEditor";
    let module = || {
        Reflect::get(&js_sys::global(), &BUNDLE_GLOBAL.into())
            .warn()
            .filter(JsValue::is_object)
    };
    if let Some(module) = module() {
        return then(Some(module));
    }
    let head = browser::document().and_then(|document| document.head());
    let Some(head) = head else { return then(None) };
    let script = editor_script();
    if head.append_child(&script).warn().is_none() {
        return then(None);
    }
    let then = Rc::new(RefCell::new(Some(then)));
    let fail = {
        let then = then.clone();
        Closure::once_into_js(move || {
            if let Some(then) = then.borrow_mut().take() {
                then(None)
            }
        })
    };
    let done = Closure::once_into_js(move || {
        let module = Reflect::get(&js_sys::global(), &BUNDLE_GLOBAL.into())
            .warn()
            .filter(JsValue::is_object);
        if let Some(then) = then.borrow_mut().take() {
            then(module);
        }
    });
    script.set_onload(Some(done.unchecked_ref()));
    script.set_onerror(Some(fail.unchecked_ref()));
}
