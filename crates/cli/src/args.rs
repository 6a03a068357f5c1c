//! What the commands share: usage errors, files, durations, problems.

use std::fmt::Display;
use std::io::{Read, Write};
use std::process::ExitCode;

use podscope_cluster::{SimTime, Span};
use podscope_kubectl::duration::parse_duration;
use podscope_protocol::Problem;
use podscope_session::scenario::File;
use podscope_session::timeline::END_OF_TIME;

/// Status of bad input or usage.
pub(crate) const BAD: u8 = 2;

/// Says what is wrong with the arguments.
pub(crate) fn usage(error: impl Display) -> ExitCode {
    eprintln!("podscope: {error}\nsee `podscope --help`");
    ExitCode::from(BAD)
}

/// Prints help.
pub(crate) fn help(text: &str) -> ExitCode {
    out(text);
    ExitCode::SUCCESS
}

/// Prints to stdout; a reader that went away is no error.
pub(crate) fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Reads the files of the command line; `-` is standard input.
pub(crate) fn files(names: &[String]) -> Result<Vec<File>, ExitCode> {
    let mut files = Vec::new();
    let mut failed = false;
    for name in names {
        let read = if name == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            std::fs::read(name)
        };
        let file = if name == "-" { "stdin" } else { name.as_str() };
        match read {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => files.push((file.to_owned(), text)),
                Err(error) => {
                    let good = error.utf8_error().valid_up_to();
                    let before = error.as_bytes().get(..good).unwrap_or_default();
                    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                    eprintln!("{file}:{line}:1: the file is not UTF-8 text");
                    failed = true;
                }
            },
            Err(error) => {
                eprintln!("{file}: {error}");
                failed = true;
            }
        }
    }
    if failed { Err(ExitCode::from(BAD)) } else { Ok(files) }
}

/// Prints problems to stderr.
pub(crate) fn complain(problems: &[Problem]) -> ExitCode {
    let mut stderr = std::io::stderr().lock();
    for problem in problems {
        let _ = writeln!(stderr, "{problem}");
    }
    ExitCode::from(BAD)
}

/// An instant: a duration since t = 0.
pub(crate) fn instant(value: std::ffi::OsString, flag: &str) -> Result<SimTime, lexopt::Error> {
    let text = value.to_string_lossy().into_owned();
    match parse_duration(&text) {
        Ok(span) if span >= Span::ZERO && SimTime::ZERO + span <= END_OF_TIME => Ok(SimTime::ZERO + span),
        Ok(span) if span >= Span::ZERO => {
            Err(format!("{flag}: {text} is after the end of time, a hundred years (876000h)").into())
        }
        _ => Err(format!("{flag} takes a duration such as 45s or 5m, not {text:?}").into()),
    }
}
