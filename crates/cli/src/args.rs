//! What the commands share: usage errors, files, durations, problems.

use std::fmt::Display;
use std::io::{IsTerminal, Read, Write};
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
    say(format_args!("podscope: {error}\nsee `podscope --help`"));
    ExitCode::from(BAD)
}

/// Prints help.
pub(crate) fn help(text: &str) -> ExitCode {
    out(text);
    ExitCode::SUCCESS
}

/// Prints words for a person: control characters of what they quote show, and do nothing to a terminal.
pub(crate) fn out(text: &str) {
    write(std::io::stdout().lock(), &podscope_api::visible(text));
}

/// Prints what a program reads: as it is, but to a terminal.
pub(crate) fn data(text: &str) {
    if std::io::stdout().is_terminal() {
        out(text);
    } else {
        write(std::io::stdout().lock(), text);
    }
}

/// Prints words to stderr, with a line break.
pub(crate) fn say(text: impl Display) {
    let text = format!("{text}\n");
    // Who closed stderr does not want to hear.
    let _ = std::io::stderr()
        .lock()
        .write_all(podscope_api::visible(&text).as_bytes());
}

/// Writes all of it. A reader that went away is no error; what does not arrive for another reason ends
/// the program, because all that follows would be lost as well.
pub(crate) fn write(mut to: impl Write, text: &str) {
    written(to.write_all(text.as_bytes()).and_then(|()| to.flush()));
}

/// What to do about a write that failed: see [`write()`].
pub(crate) fn written(result: std::io::Result<()>) {
    if let Err(error) = result
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        say(format_args!("podscope: standard output: {error}"));
        std::process::exit(BAD.into());
    }
}

/// Reads the files of the command line; `-` is standard input.
pub(crate) fn files(names: &[String]) -> Result<Vec<File>, ExitCode> {
    let mut files = Vec::new();
    let mut failed = false;
    for name in names {
        let read = if name == "-" {
            read_bounded(std::io::stdin())
        } else {
            std::fs::File::open(name).and_then(read_bounded)
        };
        let file = if name == "-" { "stdin" } else { name.as_str() };
        match read {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => files.push((file.to_owned(), text)),
                Err(error) => {
                    let good = error.utf8_error().valid_up_to();
                    let before = error.as_bytes().get(..good).unwrap_or_default();
                    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                    say(format_args!("{file}:{line}:1: the file is not UTF-8 text"));
                    failed = true;
                }
            },
            Err(error) => {
                say(format_args!("{file}: {error}"));
                failed = true;
            }
        }
    }
    if failed { Err(ExitCode::from(BAD)) } else { Ok(files) }
}

/// Reads no more than a text may have, and one byte more: what is longer is refused where it is parsed, also where it has
/// no end.
fn read_bounded(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(podscope_api::limits::INPUT_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Prints problems to stderr.
pub(crate) fn complain(problems: &[Problem]) -> ExitCode {
    problems.iter().for_each(say);
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
