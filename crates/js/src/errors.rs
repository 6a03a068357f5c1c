//! Creates JavaScript `Error` objects. An error about bad input contains the position of the first problem (`document`,
//! `line`, `column`, `path`, `file`), and all problems in `problems` (P-04, P-06).

use js_sys::{Error, Reflect};
use podscope_kubectl::command::CommandError;
use podscope_messages::Sentence;
use podscope_protocol::Problem;
use serde::Serialize;
use wasm_bindgen::JsValue;

use crate::plain_objects;

/// Creates an `Error` with this name. Callers test the name, because `instanceof` does not work across realms.
fn error_with_name(name: &str, message: &str) -> Error {
    let error = Error::new(message);
    error.set_name(name);
    error
}

/// Creates a `TypeError` for a wrong argument, such as a value of a wrong type or an invalid time.
pub(crate) fn type_error(message: &str) -> JsValue {
    js_sys::TypeError::new(message).into()
}

/// Creates a `RangeError` for an exceeded limit.
pub(crate) fn range_error(message: &str) -> JsValue {
    js_sys::RangeError::new(message).into()
}

/// A problem with its position and message, as JavaScript programs receive it.
#[derive(Serialize)]
pub(crate) struct ProblemValue<'a> {
    file: &'a str,
    document: u32,
    line: u32,
    column: u32,
    path: &'a str,
    message: String,
}

impl<'a> From<&'a Problem> for ProblemValue<'a> {
    fn from(problem: &'a Problem) -> Self {
        ProblemValue {
            file: &problem.file,
            document: problem.document,
            line: problem.line,
            column: problem.column,
            path: &problem.path,
            message: problem.message.english(),
        }
    }
}

/// Creates an `InputError` for refused input. Invariant: `problems` is not empty.
pub(crate) fn input_error(problems: &[Problem]) -> JsValue {
    let values: Vec<ProblemValue<'_>> = problems.iter().map(ProblemValue::from).collect();
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let error = error_with_name("InputError", &lines.join("\n"));
    let first = values.first().and_then(|first| plain_objects::value(first).ok());
    for key in ["file", "document", "line", "column", "path"] {
        if let Some(value) = first.as_ref().and_then(|first| Reflect::get(first, &key.into()).ok()) {
            let _ = Reflect::set(&error, &key.into(), &value);
        }
    }
    if let Ok(all) = plain_objects::value(&values) {
        let _ = Reflect::set(&error, &"problems".into(), &all);
    }
    error.into()
}

/// Creates an `InputError` for an invalid link or command: one problem without a file.
pub(crate) fn command_line_error(column: u32, message: impl Into<Sentence>) -> JsValue {
    input_error(&[Problem {
        document: 1,
        line: 1,
        column,
        ..Problem::of_file("", message)
    }])
}

/// Creates an `InputError` for an invalid command.
pub(crate) fn command_error(error: CommandError) -> JsValue {
    command_line_error(error.column, error.message)
}
