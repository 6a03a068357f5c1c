//! The handle by which components act: it changes the page's state and sends requests to the engine.

use std::cell::RefCell;

use podscope_protocol::{Micros, Request, SessionSource, SubjectRef};
use yew::prelude::*;

use crate::pure::paste;
use crate::state::{Act, Dialog, Present};

/// Callbacks for components: changes of the page's state, and requests to the engine.
#[derive(Clone, PartialEq)]
pub(crate) struct Ctl {
    pub(crate) act: Callback<Act>,
    pub(crate) send: Callback<Request>,
}

impl Ctl {
    /// Runs a button's command, or several lines of commands. Ignores the second click of a double click. If the engine
    /// classifies a command as dangerous, a dialog first explains its effect.
    pub(crate) fn run(&self, line: &str) {
        if !is_double_click(line) {
            self.run_typed(line);
        }
    }

    /// Runs a command that was typed on the console. A repeated command is not taken for a double click.
    pub(crate) fn run_typed(&self, line: &str) {
        self.send_command_lines(line, |lines| Request::RunUnlessDangerous { lines });
    }

    /// Ends an open question without an answer: time runs to its outcome.
    pub(crate) fn give_up_question(&self, step: usize, present: Present) {
        self.act.emit(Act::Present(Present {
            question: false,
            ..present
        }));
        self.send.emit(Request::Predict { step, answer: None });
    }

    /// Closes the dialog in which the user pressed the button, and starts presenting with the given overlays.
    pub(crate) fn start_presenting(&self, parts: Present) -> Callback<MouseEvent> {
        let act = self.act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Act::Dialog(Dialog::None));
            act.emit(Act::Present(Present { on: true, ..parts }));
        })
    }

    /// Runs a command without asking for confirmation.
    pub(crate) fn run_without_confirmation(&self, line: &str) {
        self.send_command_lines(line, Request::run_lines);
    }

    /// Runs typed lines that the user has confirmed.
    pub(crate) fn run_confirmed(&self, lines: &[String]) {
        if let Some(last) = lines.last() {
            self.act.emit(Act::Typed(last.clone()));
            self.send.emit(Request::run_lines(lines.to_vec()));
        }
    }

    fn send_command_lines(&self, line: &str, request: fn(Vec<String>) -> Request) {
        let mut lines = paste::split_commands(line);
        if lines.iter().any(|line| line == "clear") {
            self.act.emit(Act::ClearConsole);
            lines.retain(|line| line != "clear");
        }
        for line in &lines {
            self.act.emit(Act::Typed(line.clone()));
        }
        if !lines.is_empty() {
            self.send.emit(request(lines));
        }
    }

    /// Seeks to an instant.
    pub(crate) fn seek(&self, at: Micros) {
        self.act.emit(Act::SeekStarted(at));
        self.send.emit(Request::Seek { at });
    }

    /// Sets the speed of time, in thousandths of real time.
    pub(crate) fn set_speed(&self, per_mille: u64) {
        self.act.emit(Act::Speed(per_mille));
        self.send.emit(Request::Speed { per_mille });
    }

    /// Returns a callback that selects a subject.
    pub(crate) fn select(&self, subject: SubjectRef) -> Callback<MouseEvent> {
        self.act.reform(move |_| Act::Select(Some(subject.clone())))
    }

    /// Opens a pasted text as a file.
    pub(crate) fn open_pasted(&self, text: String) {
        let files = vec![(PASTED_FILE_NAME.into(), text)];
        self.send.emit(Request::Open {
            source: SessionSource::Files { files },
        });
    }

    /// Returns a click handler that sends a request.
    pub(crate) fn on(&self, request: Request) -> Callback<MouseEvent> {
        self.send.reform(move |_| request.clone())
    }

    /// Returns a debounced click handler: it ignores a double click. Buttons that share a `name` share the debouncing.
    pub(crate) fn send_debounced(&self, name: &'static str, request: Request) -> Callback<MouseEvent> {
        let send = self.send.clone();
        Callback::from(move |_| {
            if !is_double_click(name) {
                send.emit(request.clone());
            }
        })
    }
}

/// File name of a pasted text.
pub(crate) const PASTED_FILE_NAME: &str = "pasted.yaml";

/// Maximum time between two equal commands that count as one double click, in milliseconds.
const DOUBLE_CLICK_MS: f64 = 350.0;

/// Returns whether the same command was run a moment ago, which means that the button was double-clicked.
fn is_double_click(line: &str) -> bool {
    thread_local! {
        static LAST_COMMAND_AND_TIME: RefCell<(String, f64)> = const { RefCell::new((String::new(), 0.0)) };
    }
    let now = js_sys::Date::now();
    LAST_COMMAND_AND_TIME.with_borrow_mut(|(last, at)| {
        let again = last == line && (0.0..DOUBLE_CLICK_MS).contains(&(now - *at));
        *at = now;
        line.clone_into(last);
        again
    })
}

/// The simulated time and the end of the computed time, in a Yew context of their own for the few components that
/// change with every frame.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Now {
    pub(crate) at: Micros,
    pub(crate) horizon: Micros,
}
