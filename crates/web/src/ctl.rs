//! What components act with.

use std::cell::RefCell;

use podscope_protocol::{Micros, Request, Source, SubjectRef};
use yew::prelude::*;

use crate::pure::actions::{self, Action};
use crate::pure::paste;
use crate::state::{Act, Dialog, Present};

/// What components act with: changes of the page, requests to the engine.
#[derive(Clone, PartialEq)]
pub(crate) struct Ctl {
    pub(crate) act: Callback<Act>,
    pub(crate) send: Callback<Request>,
}

impl Ctl {
    /// Gives a command, or several lines of them; a dangerous one after it has said what it means.
    pub(crate) fn run(&self, line: &str) {
        if is_pressed_twice(line) {
            return;
        }
        let commands = paste::commands(line);
        match commands.iter().find_map(|command| actions::consequence(command)) {
            Some(warning) => {
                let label = line.to_string();
                self.act.emit(Act::Dialog(Dialog::Confirm(Action {
                    label,
                    command: line.to_string(),
                    warning,
                })));
            }
            None => self.run_now(line),
        }
    }

    /// Begins to present, in the place of the dialog that offered it.
    pub(crate) fn present(&self) -> Callback<MouseEvent> {
        let act = self.act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Act::Dialog(Dialog::None));
            act.emit(Act::Present(Present {
                on: true,
                ..Present::default()
            }));
        })
    }

    /// Gives a command that has been confirmed.
    pub(crate) fn run_now(&self, line: &str) {
        let mut lines = paste::commands(line);
        if lines.iter().any(|line| line == "clear") {
            self.act.emit(Act::ClearConsole);
            lines.retain(|line| line != "clear");
        }
        for line in &lines {
            self.act.emit(Act::Typed(line.clone()));
        }
        match lines.len() {
            0 => {}
            1 => lines
                .into_iter()
                .for_each(|line| self.send.emit(Request::Command { line })),
            _ => self.send.emit(Request::Commands { lines }),
        }
    }

    /// Goes to an instant.
    pub(crate) fn seek(&self, at: Micros) {
        self.act.emit(Act::Aim(at));
        self.send.emit(Request::Seek { at });
    }

    /// Lets time run at another speed, in thousandths.
    pub(crate) fn speed(&self, per_mille: u64) {
        self.act.emit(Act::Speed(per_mille));
        self.send.emit(Request::Speed { per_mille });
    }

    /// Selects something.
    pub(crate) fn select(&self, subject: SubjectRef) -> Callback<MouseEvent> {
        self.act.reform(move |_| Act::Select(Some(subject.clone())))
    }

    /// Opens a text that was pasted to be opened.
    pub(crate) fn open_pasted(&self, text: String) {
        let files = vec![(PASTED.into(), text)];
        self.send.emit(Request::Open {
            source: Source::Files { files },
        });
    }

    /// A request as a click's answer.
    pub(crate) fn on(&self, request: Request) -> Callback<MouseEvent> {
        self.send.reform(move |_| request.clone())
    }

    /// The same, where a press that shook must not do what the second would: buttons of one name share it.
    pub(crate) fn once(&self, name: &'static str, request: Request) -> Callback<MouseEvent> {
        let send = self.send.clone();
        Callback::from(move |_| {
            if !is_pressed_twice(name) {
                send.emit(request.clone());
            }
        })
    }
}

/// What a text is called that was pasted.
pub(crate) const PASTED: &str = "pasted.yaml";

/// Milliseconds in which the same command again is one press that shook.
const SHAKE: f64 = 350.0;

/// Whether the same command has just been given: a button that is pressed twice gives it once.
fn is_pressed_twice(line: &str) -> bool {
    thread_local! {
        static LAST: RefCell<(String, f64)> = const { RefCell::new((String::new(), 0.0)) };
    }
    let now = js_sys::Date::now();
    LAST.with_borrow_mut(|(last, at)| {
        let again = last == line && (0.0..SHAKE).contains(&(now - *at));
        *at = now;
        line.clone_into(last);
        again
    })
}

/// The clock, and how far time has been computed: for the few that move with every frame.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Now {
    pub(crate) at: Micros,
    pub(crate) horizon: Micros,
}
