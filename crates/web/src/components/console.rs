//! The console: an input line at the bottom with completion and history, and above it the commands and their output.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_messages::t;
use podscope_protocol::{Completion, ConsoleLine, ConsoleText, LineKind, Request, TextKind};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

use super::icon;
use super::shown::shown;
use crate::browser::{self, Warn as _};
use crate::ctl::Ctl;
use crate::pure::paste;
use crate::state::{Act, Console, Shared};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) console: Shared<Console>,
    pub(crate) open: bool,
}

/// Maximum number of console lines that are drawn, the latest ones.
const MAX_LINES_DRAWN: usize = 300;

/// A console: the output of commands above an input line.
#[component]
pub(crate) fn ConsoleView(props: &Props) -> Html {
    let Some(ctl) = use_context::<Ctl>() else {
        return Html::default();
    };
    let typed = TypedText {
        line: use_state(String::new),
        earlier_lines: use_state(String::new),
        history_index: use_state(|| None),
        choice: use_state(|| 0),
        draft: use_state(String::new),
        ctl: ctl.clone(),
    };
    let (line, earlier_lines) = (&typed.line, &typed.earlier_lines);
    let input = use_node_ref();
    let log = use_node_ref();
    let console = &*props.console;
    let open = props.open;
    let before = use_focus(open, &input);
    use_scroll_to_last_line(console, open, &log);
    // Completions are valid only for the line they were requested for.
    let completions = console
        .completions
        .as_ref()
        .filter(|(hint_for, _, choices)| *hint_for == **line && !choices.is_empty());
    // The detected kind of a pasted text is also valid only for the text it was requested for.
    let pasted = (console.recognised.as_ref())
        .filter(|(text, _)| *text == **earlier_lines)
        .map_or(TextKind::Other, |(_, kind)| *kind);
    let choices = completions.map_or(0, |(_, _, choices)| choices.len());
    let picked = (*typed.choice).min(choices.saturating_sub(1));
    let take = typed.insert_completion(completions.cloned());
    let oninput = typed.on_input();
    let onpaste = typed.on_paste();
    let onkeydown = {
        let (typed, take, history, open) = (typed.clone(), take.clone(), console.history.clone(), props.open);
        Callback::from(move |event: KeyboardEvent| {
            match event.key().as_str() {
                "Enter" => typed.on_enter(pasted),
                "Tab" if choices > 0 && !event.shift_key() => take.emit(picked),
                "ArrowDown" if choices > 1 => typed.choice.set((picked + 1) % choices),
                "ArrowUp" if choices > 1 && picked > 0 => typed.choice.set(picked - 1),
                key @ ("ArrowUp" | "ArrowDown") => typed.recall_command(&history, key == "ArrowUp"),
                "Escape" if !typed.earlier_lines.is_empty() => typed.earlier_lines.set(String::new()),
                "Escape" if choices > 0 => typed.ctl.act.emit(Act::ForgetCompletions),
                "Escape" => typed.close_console(&event, before.take()),
                // As in a terminal: Ctrl+C discards the typed text; on an empty line it stops running commands.
                "c" if event.ctrl_key() && !typed.earlier_lines.is_empty() => {
                    typed.earlier_lines.set(String::new());
                    typed.line.set(String::new());
                }
                "c" if event.ctrl_key() && typed.line.is_empty() => typed.ctl.run("stop"),
                "`" if typed.line.is_empty() => typed.ctl.act.emit(Act::ConsoleOpen(!open)),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    // A click opens the console; moving through the field with Tab does not.
    let onclick = ctl.act.reform(|_: MouseEvent| Act::ConsoleOpen(true));
    let toggle = {
        let open = props.open;
        ctl.act.reform(move |_: MouseEvent| Act::ConsoleOpen(!open))
    };
    html! {
        <section class={classes!("con", "mono", open.then_some("open"))} aria-label={t!(console::console)}>
            if open { { log_html(console, log) } }
            if let Some((_, _, choices)) = completions { { choice_list(choices, picked, &take) } }
            if !earlier_lines.is_empty() {
                <div class="block" role="status">
                    <pre lang="en" translate="no">{ &**earlier_lines }</pre>
                    <p class="none">{ multi_line_hint(earlier_lines, pasted) }</p>
                </div>
            }
            <div class="line">
                <span class="prompt" aria-hidden="true">{ if earlier_lines.is_empty() { "›" } else { "…" } }</span>
                <input ref={input} value={(**line).clone()} {oninput} {onkeydown} {onclick} {onpaste} aria-label={t!(console::command)} role="combobox" aria-autocomplete="list"
                    aria-expanded={completions.is_some().to_string()} aria-controls="choices"
                    aria-activedescendant={completions.map(|_| format!("choice-{picked}"))}
                    placeholder={match console.last_input() { Some(last) if open => t!(console::type_or_last, last = last), None if open => t!(console::type_command), _ => t!(console::console) }} spellcheck="false" autocomplete="off" autocapitalize="off" enterkeyhint="go" />
                if open { <button type="button" class="quiet" onclick={toggle} aria-label={t!(console::close)} title={t!(console::close_hint)}>{ icon("cross") }</button> }
                else { <button type="button" class="quiet" onclick={toggle} aria-expanded="false">{ t!(console::console) }{ " " }<kbd>{ "`" }</kbd></button> }
            </div>
        </section>
    }
}

/// Focuses the input when the console opens. Returns the previously focused element, to restore the focus on closing.
#[hook]
fn use_focus(open: bool, input: &NodeRef) -> Rc<RefCell<Option<HtmlElement>>> {
    let before = use_mut_ref(|| None::<HtmlElement>);
    let (input, kept) = (input.clone(), before.clone());
    use_effect_with(open, move |open| {
        if let (true, Some(input)) = (*open, input.cast::<HtmlInputElement>()) {
            *kept.borrow_mut() = browser::focused().filter(|focused| **focused != **input);
            input.focus().warn();
        }
    });
    before
}

/// Scrolls the log to its last line.
#[hook]
fn use_scroll_to_last_line(console: &Console, open: bool, log: &NodeRef) {
    {
        // After a new command the log is scrolled to its first column.
        let log = log.clone();
        let input = console.lines.iter().rposition(|line| line.kind == LineKind::Input);
        use_effect_with(input, move |_| {
            if let Some(log) = log.cast::<web_sys::Element>() {
                log.set_scroll_left(0);
            }
        });
    }
    let log = log.clone();
    use_effect_with((console.lines.len(), open), move |_| {
        if let Some(log) = log.cast::<web_sys::Element>() {
            log.set_scroll_top(log.scroll_height());
        }
    });
}

/// The text that the user has typed but not run.
#[derive(Clone)]
struct TypedText {
    line: UseStateHandle<String>,
    /// Earlier lines of an unfinished command, or pasted lines.
    earlier_lines: UseStateHandle<String>,
    /// Index in the history, while the user browses it.
    history_index: UseStateHandle<Option<usize>>,
    /// The text that was typed before the user browsed the history.
    draft: UseStateHandle<String>,
    /// Index of the completion that Tab inserts.
    choice: UseStateHandle<usize>,
    ctl: Ctl,
}

impl TypedText {
    /// Returns a callback that inserts the completion with a given index into the line.
    fn insert_completion(&self, completions: Option<(String, (usize, usize), Vec<Completion>)>) -> Callback<usize> {
        let typed = self.clone();
        Callback::from(move |index: usize| {
            let Some((hint_for, (from, to), choices)) = &completions else {
                return;
            };
            let Some(chosen) = choices.get(index) else { return };
            if let (Some(head), Some(tail)) = (hint_for.get(..*from), hint_for.get(*to..)) {
                let space = if tail.is_empty() && !chosen.text.ends_with(['=', '/']) {
                    " "
                } else {
                    ""
                };
                typed.line.set(format!("{head}{}{space}{tail}", chosen.text));
            }
            typed.choice.set(0);
            typed.ctl.act.emit(Act::ForgetCompletions);
        })
    }

    fn on_input(&self) -> Callback<InputEvent> {
        let typed = self.clone();
        Callback::from(move |event: InputEvent| {
            let field: HtmlInputElement = event.target_unchecked_into();
            let value = field.value();
            let units = field.selection_start().ok().flatten().unwrap_or(u32::MAX) as usize;
            let cursor = value
                .char_indices()
                .scan(0, |end, (index, symbol)| {
                    let here = *end;
                    *end += symbol.len_utf16();
                    Some((here, index))
                })
                .find(|(end, _)| *end >= units)
                .map_or(value.len(), |(_, index)| index);
            typed.ctl.act.emit(Act::ConsoleOpen(true));
            typed.ctl.send.emit(Request::Complete {
                line: value.clone(),
                cursor,
            });
            typed.line.set(value);
            typed.history_index.set(None);
            typed.choice.set(0);
        })
    }

    fn on_paste(&self) -> Callback<Event> {
        let typed = self.clone();
        Callback::from(move |event: Event| {
            let pasted = event
                .dyn_ref::<web_sys::ClipboardEvent>()
                .and_then(|event| event.clipboard_data());
            let text = pasted
                .and_then(|data| data.get_data("text/plain").ok())
                .unwrap_or_default();
            let text = text.trim_end();
            // No command begins with a brace, so the text is a manifest in JSON.
            if text.contains('\n') || text.starts_with('{') {
                event.prevent_default();
                typed.ctl.act.emit(Act::ConsoleOpen(true));
                let text = join_lines(&typed.earlier_lines, &format!("{}{text}", *typed.line));
                typed.earlier_lines.set(text.clone());
                typed.line.set(String::new());
                typed.ctl.send.emit(Request::Recognise { text });
            }
        })
    }

    /// Runs the command, or opens the pasted text, or continues an unfinished command on another line.
    fn on_enter(&self, pasted: TextKind) {
        if pasted != TextKind::Other && self.line.is_empty() {
            if pasted >= TextKind::Scenario {
                self.ctl.open_pasted((*self.earlier_lines).clone());
            } else {
                self.ctl.run_typed(&paste::here_document(&self.earlier_lines));
            }
            return self.earlier_lines.set(String::new());
        }
        let text = join_lines(&self.earlier_lines, &self.line);
        let waits = paste::split_commands(&text)
            .last()
            .is_some_and(|last| paste::is_incomplete(last));
        if !waits && !text.trim().is_empty() {
            self.ctl.run_typed(&text);
        }
        self.earlier_lines.set(if waits { text } else { String::new() });
        self.line.set(String::new());
        self.history_index.set(None);
    }

    /// Closes the console and returns the focus.
    fn close_console(&self, event: &KeyboardEvent, before: Option<HtmlElement>) {
        let field: HtmlInputElement = event.target_unchecked_into();
        field.blur().warn();
        if let Some(before) = before {
            before.focus().warn();
        }
        self.ctl.act.emit(Act::ConsoleOpen(false));
    }

    /// Shows the previous or the next command of the history.
    fn recall_command(&self, history: &[String], back: bool) {
        self.ctl.act.emit(Act::ConsoleOpen(true));
        let at = self.history_index.unwrap_or(history.len());
        let next = if back { at.checked_sub(1) } else { Some(at + 1) };
        let Some(next) = next.filter(|next| *next <= history.len() && self.history_index.map_or(back, |_| true)) else {
            return;
        };
        if self.history_index.is_none() {
            self.draft.set((*self.line).clone());
        }
        let text = history.get(next);
        // A command of several lines is restored into the block above the input.
        let (earlier_lines, line) = match text {
            Some(text) if text.contains('\n') => (text.clone(), String::new()),
            Some(text) => (String::new(), text.clone()),
            None => (String::new(), (*self.draft).clone()),
        };
        self.earlier_lines.set(earlier_lines);
        self.line.set(line);
        self.history_index.set(text.map(|_| next));
    }
}

/// The log of commands and their output.
fn log_html(console: &Console, log: NodeRef) -> Html {
    let skip = console.lines.len().saturating_sub(MAX_LINES_DRAWN);
    html! {
        <div class="log" ref={log} tabindex="0" role="log" aria-label={t!(console::log)} aria-live="off">
            if console.lines.is_empty() { <p class="notice"><span></span><span>{ t!(console::empty_log) }</span></p> }
            { for console.lines.iter().enumerate().skip(skip).map(|(index, line)| {
                let run = console.title_of_run_at(index);
                // Commands and their output are in English, in every language of the page.
                let english = matches!(line.text, ConsoleText::Text(_)).then_some("en");
                let above = index.checked_sub(1).filter(|_| index > skip && run.is_none()).and_then(|index| console.lines.get(index));
                html! { <>{ for run.map(heading_of_run) }<p class={line_class(line.kind)}><span class="when">{ console.time_label(line, above) }</span><span class="text" lang={english} translate={english.map(|_| "no")}>{ line_html(line) }</span></p></> }
            }) }
            { for console.title_of_run_at(console.lines.len()).map(heading_of_run) }
        </div>
    }
}

/// A horizontal line with the title of a run, above the first line of the run.
fn heading_of_run(title: &str) -> Html {
    html! { <h3 class="rule">{ shown(title) }</h3> }
}

fn choice_list(choices: &[Completion], picked: usize, take: &Callback<usize>) -> Html {
    html! {
        <ul class="choices" id="choices" role="listbox" aria-label={t!(console::completions)}>
            { for choices.iter().take(12).enumerate().map(|(index, choice)| {
                let take = take.reform(move |event: MouseEvent| { event.prevent_default(); index });
                html! { <li role="option" id={format!("choice-{index}")} aria-selected={(index == picked).to_string()} onmousedown={take}><b>{ &choice.text }</b><span>{ &choice.hint }</span></li> }
            }) }
        </ul>
    }
}

/// Joins the earlier lines and the typed one.
fn join_lines(earlier_lines: &str, line: &str) -> String {
    match (
        earlier_lines.is_empty(),
        line.is_empty()
            && !paste::split_commands(earlier_lines)
                .last()
                .is_some_and(|last| paste::is_incomplete(last)),
    ) {
        (true, _) => line.to_string(),
        (false, true) => earlier_lines.to_string(),
        (false, false) => format!("{earlier_lines}\n{line}"),
    }
}

/// Explains what Enter and Esc do with the lines above the prompt.
fn multi_line_hint(earlier_lines: &str, pasted: TextKind) -> String {
    match pasted {
        TextKind::Other => {}
        TextKind::Broken | TextKind::Manifests => return t!(console::manifests),
        TextKind::Scenario | TextKind::Lesson => return t!(console::scenario),
    }
    let commands = paste::split_commands(earlier_lines);
    match commands.as_slice() {
        [.., last] if paste::is_incomplete(last) => t!(console::open_document),
        all => t!(console::commands, count = all.len()),
    }
}

/// Renders a console line. A command with a here-document shows its first line; a click unfolds the other lines.
fn line_html(line: &ConsoleLine) -> Html {
    let words = line.text.plain_text();
    match words.split_once('\n') {
        Some((first, rest)) if line.kind == LineKind::Input => html! {
            <details class="doc"><summary>{ "› " }{ shown(first) }<span class="none">{ format!(" … {}", t!(console::lines, count = rest.lines().count() + 1)) }</span></summary><pre lang="en" translate="no">{ shown(rest) }</pre></details>
        },
        _ if line.kind == LineKind::Input => html! { <>{ "› " }{ shown(&words) }</> },
        _ => html! { { shown(&words) } },
    }
}

fn line_class(kind: LineKind) -> &'static str {
    match kind {
        LineKind::Input => "input",
        LineKind::Output => "output",
        LineKind::Error | LineKind::Warning => "error",
        LineKind::Notice => "notice",
    }
}
