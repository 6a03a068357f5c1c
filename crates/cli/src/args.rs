//! What the commands share: usage errors, files, durations, problems.

use std::fmt::Display;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use podscope_api::ordered::StableSort as _;
use podscope_cluster::{SimTime, Span};
use podscope_kubectl::duration::parse_duration;
use podscope_protocol::Problem;
use podscope_session::scenario::{self, File, Loaded};
use podscope_session::timeline::{END_OF_TIME, Session};

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

/// Most files of a folder, and bytes of all files together.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 512 << 20;

/// Reads the files of the command line; `-` is standard input, and of a folder every YAML and JSON file is read.
pub(crate) fn files(names: &[String]) -> Result<Vec<File>, ExitCode> {
    let mut files = Vec::new();
    let mut failed = false;
    for name in names {
        let of_folder = std::fs::metadata(name).is_ok_and(|known| known.is_dir());
        if !of_folder {
            match read(name) {
                Ok(text) => files.push((if name == "-" { "stdin".into() } else { name.clone() }, text)),
                Err(why) => {
                    say(why);
                    failed = true;
                }
            }
            continue;
        }
        let mut within = Vec::new();
        if let Err(why) = walk(Path::new(name), &mut within, &mut 0) {
            say(why);
            failed = true;
        }
        if within.is_empty() {
            say(format_args!("{name}: no file in it ends in .yaml, .yml or .json"));
            failed = true;
        }
        for name in within {
            // One that cannot be read does not refuse the others.
            match read(&name) {
                Ok(text) => files.push((name, text)),
                Err(why) => say(format_args!("left out: {why}")),
            }
        }
    }
    if failed { Err(ExitCode::from(BAD)) } else { Ok(files) }
}

/// The manifests in a folder, in the order of their names.
fn walk(folder: &Path, found: &mut Vec<String>, bytes: &mut u64) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut within: Vec<std::fs::DirEntry> = (std::fs::read_dir(folder).map_err(told)?)
        .collect::<Result<_, _>>()
        .map_err(told)?;
    within.stable_sort_by_key(std::fs::DirEntry::file_name);
    for entry in within {
        let path = entry.path();
        // A link may lead around in a circle.
        let Ok(kind) = entry.file_type() else { continue };
        let ends = path.extension().and_then(|end| end.to_str());
        if kind.is_dir() {
            walk(&path, found, bytes)?;
        } else if ends.is_some_and(|end| ["yaml", "yml", "json"].contains(&end)) && path.is_file() {
            *bytes += path.metadata().map_or(0, |known| known.len());
            if found.len() >= MAX_FILES || *bytes > MAX_BYTES {
                return Err(format!(
                    "{}: more than {MAX_FILES} files, or {MAX_BYTES} bytes: name the folders that matter",
                    folder.display()
                ));
            }
            found.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

/// The text of a file; of one that is too long, no more than shows it.
fn read(name: &str) -> Result<String, String> {
    let shown = if name == "-" { "stdin" } else { name };
    let bytes = match name {
        "-" => bounded(std::io::stdin()),
        _ => std::fs::File::open(name).and_then(bounded),
    };
    let bytes = bytes.map_err(|error| format!("{shown}: {error}"))?;
    podscope_api::decode_text(bytes)
        .map_err(|wrong| format!("{shown}:{}:1: the file is neither UTF-8 nor UTF-16 text", wrong.line))
}

/// What is to be read, up to one byte more than the longest text has; a device may never end.
fn bounded(mut from: impl Read) -> std::io::Result<Vec<u8>> {
    let limit = podscope_api::limits::INPUT_BYTES as u64;
    let mut bytes = Vec::new();
    from.by_ref().take(4).read_to_end(&mut bytes)?;
    // UTF-16 takes two bytes for what is one in UTF-8.
    let is_wide = match bytes.as_slice() {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [first, second, ..] => (*first == 0) != (*second == 0),
        _ => false,
    };
    let more = if is_wide { 2 * limit } else { limit };
    from.take(more).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads files as one.
pub(crate) fn load(names: &[String]) -> Result<Loaded, ExitCode> {
    scenario::load_owned(files(names)?).map_err(|problems| complain(&problems))
}

/// How an answer is printed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Output {
    Text,
    Json,
    Markdown,
}

impl Output {
    /// Reads the value of `-o`.
    pub(crate) fn parse(word: &std::ffi::OsStr) -> Result<Output, String> {
        match &*word.to_string_lossy() {
            "text" => Ok(Output::Text),
            "json" => Ok(Output::Json),
            "markdown" => Ok(Output::Markdown),
            other => Err(format!("-o is text, json or markdown, not {other:?}")),
        }
    }

    /// Prints the one that is asked for.
    pub(crate) fn print(
        self,
        text: impl FnOnce() -> String,
        markdown: impl FnOnce() -> String,
        json: impl FnOnce() -> serde_json::Value,
    ) {
        match self {
            Output::Text => out(&text()),
            Output::Markdown => out(&markdown()),
            Output::Json => data(&format!("{:#}\n", json())),
        }
    }
}

/// Prints to stderr what was translated, left out or assumed, and by which rules a dump is explained.
pub(crate) fn notices(session: &Session) {
    for notice in &session.loaded().notices {
        say(notice);
    }
    if let Some(version) = podscope_session::triage::older_versions(session.world().objects()) {
        say(format_args!(
            "The nodes' kubelets are of {version}; everything is explained by the rules of {}",
            podscope_api::KUBERNETES_VERSION
        ));
    }
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
