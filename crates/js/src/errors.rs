//! What goes wrong, as JavaScript's own `Error`s. Bad input carries its place (P-04, P-06):
//! `document`, `line`, `column`, `path` and `file` of the first problem, and all of them in `problems`.

use js_sys::{Error, Reflect};
use podscope_kubectl::command::CommandError;
use podscope_protocol::Problem;
use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::plain;

/// An `Error` of that class name; the name is what `instanceof` cannot be across realms.
fn named(name: &str, message: &str) -> Error {
    let error = Error::new(message);
    error.set_name(name);
    error
}

/// A call that cannot be meant: a wrong type, a time that is none.
pub(crate) fn misuse(message: &str) -> JsValue {
    js_sys::TypeError::new(message).into()
}

/// A limit was reached.
pub(crate) fn limit(message: &str) -> JsValue {
    js_sys::RangeError::new(message).into()
}

/// A problem as the package tells it: its place and its words.
#[derive(Serialize)]
pub(crate) struct Told<'a> {
    file: &'a str,
    document: u32,
    line: u32,
    column: u32,
    path: &'a str,
    message: &'a str,
}

impl<'a> From<&'a Problem> for Told<'a> {
    fn from(problem: &'a Problem) -> Self {
        Told {
            file: &problem.file,
            document: problem.document,
            line: problem.line,
            column: problem.column,
            path: &problem.path,
            message: &problem.message,
        }
    }
}

/// Input that was refused. There is at least one problem.
pub(crate) fn input(problems: &[Problem]) -> JsValue {
    let told: Vec<Told<'_>> = problems.iter().map(Told::from).collect();
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let error = named("InputError", &lines.join("\n"));
    let first = told.first().and_then(|first| plain::value(first).ok());
    for key in ["file", "document", "line", "column", "path"] {
        if let Some(value) = first.as_ref().and_then(|first| Reflect::get(first, &key.into()).ok()) {
            let _ = Reflect::set(&error, &key.into(), &value);
        }
    }
    if let Ok(all) = plain::value(&told) {
        let _ = Reflect::set(&error, &"problems".into(), &all);
    }
    error.into()
}

/// A link or a command that cannot be read: one problem without a file.
pub(crate) fn line(column: u32, message: String) -> JsValue {
    input(&[Problem {
        document: 1,
        line: 1,
        column,
        ..Problem::of("", message)
    }])
}

/// A command that is none.
pub(crate) fn command(error: CommandError) -> JsValue {
    line(error.column, error.message)
}
