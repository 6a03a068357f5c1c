//! Code that the commands share: usage errors, reading of files, values of options, printing of problems.

use std::fmt::Display;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use podscope_api::ordered::StableSort as _;
use podscope_cluster::{Objects, SimTime, Span};
use podscope_kubectl::duration::parse_duration;
use podscope_messages::t;
use podscope_protocol::Problem;
use podscope_session::scenario::{self, File, Loaded};
use podscope_session::timeline::END_OF_TIME;

use crate::msgpack;

/// Exit status after bad input or wrong usage.
pub(crate) const BAD_INPUT_STATUS: u8 = 2;

/// Output format of a command that prints either text or JSON.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum TextOrJson {
    Text,
    Json,
}

/// Message about arguments that are valid separately, but not together.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl From<&str> for UsageError {
    fn from(message: &str) -> Self {
        UsageError(message.to_owned())
    }
}

impl From<String> for UsageError {
    fn from(message: String) -> Self {
        UsageError(message)
    }
}

/// Prints a usage error to stderr, or requested help to stdout. Returns the exit status.
pub(crate) fn print_usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        print_error(text.trim_end());
        ExitCode::from(BAD_INPUT_STATUS)
    } else {
        print_text(&text);
        ExitCode::SUCCESS
    }
}

/// Prints text for people to stdout. Control characters are escaped, so that names in the text cannot control the
/// terminal.
pub(crate) fn print_text(text: &str) {
    write(std::io::stdout().lock(), &podscope_api::visible(text));
}

/// Prints output for programs to stdout, unchanged. On a terminal, control characters are escaped.
pub(crate) fn print_data(text: &str) {
    if std::io::stdout().is_terminal() {
        print_text(text);
    } else {
        write(std::io::stdout().lock(), text);
    }
}

/// Prints a line to stderr.
pub(crate) fn print_error(text: impl Display) {
    let text = format!("{text}\n");
    // A write error is ignored: if stderr is closed, nobody reads messages.
    let _ = std::io::stderr()
        .lock()
        .write_all(podscope_api::visible(&text).as_bytes());
}

/// Writes the whole text. A closed pipe is not an error; any other write error ends the program, because all further
/// output would be lost as well.
pub(crate) fn write(mut to: impl Write, text: &str) {
    exit_on_write_error(to.write_all(text.as_bytes()).and_then(|()| to.flush()));
}

/// Ends the program if a write failed, unless the pipe was closed; see [`write()`].
pub(crate) fn exit_on_write_error(result: std::io::Result<()>) {
    if let Err(error) = result
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        print_error(format_args!("podscope: standard output: {error}"));
        std::process::exit(BAD_INPUT_STATUS.into());
    }
}

/// Maximum number of manifests in a folder that is given on the command line.
const MAX_INPUT_FILES: usize = 20_000;
/// Maximum total size of the manifests in such a folder, in bytes.
const MAX_INPUT_BYTES: u64 = 512 << 20;

/// Reads the files that are given on the command line. `-` is standard input; a folder stands for all YAML and JSON
/// files in it.
pub(crate) fn read_files(names: &[String]) -> Result<Vec<File>, ExitCode> {
    let mut files = Vec::new();
    let mut failed = false;
    for name in names {
        let is_folder = std::fs::metadata(name).is_ok_and(|metadata| metadata.is_dir());
        if !is_folder {
            match read_text(name) {
                Ok(text) => files.push((if name == "-" { "stdin".into() } else { name.clone() }, text)),
                Err(error) => {
                    print_error(error);
                    failed = true;
                }
            }
            continue;
        }
        let mut manifests = Vec::new();
        if let Err(error) = collect_manifests(Path::new(name), &mut manifests, &mut 0) {
            print_error(error);
            failed = true;
        }
        if manifests.is_empty() {
            print_error(format_args!("{name}: no file in it ends in .yaml, .yml or .json"));
            failed = true;
        }
        for name in manifests {
            // An unreadable file in a folder is reported, and the others are read.
            match read_text(&name) {
                Ok(text) => files.push((name, text)),
                Err(error) => print_error(format_args!("left out: {error}")),
            }
        }
    }
    if failed {
        Err(ExitCode::from(BAD_INPUT_STATUS))
    } else {
        Ok(files)
    }
}

/// Collects the paths of the manifests in a folder and its subfolders, ordered by name.
fn collect_manifests(folder: &Path, found: &mut Vec<String>, bytes: &mut u64) -> Result<(), String> {
    let with_path = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries: Vec<std::fs::DirEntry> = (std::fs::read_dir(folder).map_err(with_path)?)
        .collect::<Result<_, _>>()
        .map_err(with_path)?;
    entries.stable_sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A symbolic link is not followed: it may lead back to a parent folder.
        let Ok(kind) = entry.file_type() else { continue };
        let extension = path.extension().and_then(|extension| extension.to_str());
        if kind.is_dir() {
            collect_manifests(&path, found, bytes)?;
        } else if extension.is_some_and(|end| ["yaml", "yml", "json"].contains(&end)) && path.is_file() {
            *bytes += path.metadata().map_or(0, |metadata| metadata.len());
            if found.len() >= MAX_INPUT_FILES || *bytes > MAX_INPUT_BYTES {
                return Err(format!(
                    "{}: more than {MAX_INPUT_FILES} files, or {MAX_INPUT_BYTES} bytes: name the folders that matter",
                    folder.display()
                ));
            }
            found.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

/// Reads and decodes a file. If the file is too long, only its beginning is read, and the later length check fails.
fn read_text(name: &str) -> Result<String, String> {
    let shown = if name == "-" { "stdin" } else { name };
    let bytes = match name {
        "-" => read_bounded(std::io::stdin()),
        _ => std::fs::File::open(name).and_then(read_bounded),
    };
    let bytes = bytes.map_err(|error| format!("{shown}: {error}"))?;
    if let Some(trace) = msgpack::trace_as_json(&bytes) {
        return trace.map_err(|wrong| format!("{shown}: {wrong}"));
    }
    podscope_api::decode_text(bytes).map_err(|wrong| format!("{shown}:{wrong}"))
}

/// Reads input up to slightly more than the maximum length of a text, because input from a device may be endless.
fn read_bounded(mut from: impl Read) -> std::io::Result<Vec<u8>> {
    let limit = podscope_api::limits::INPUT_BYTES as u64;
    let mut bytes = Vec::new();
    from.by_ref().take(4).read_to_end(&mut bytes)?;
    // UTF-16 needs two bytes for a character that UTF-8 encodes in one.
    let is_wide = match bytes.as_slice() {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [first, second, ..] => (*first == 0) != (*second == 0),
        _ => false,
    };
    let more = if is_wide { 2 * limit } else { limit };
    from.take(more).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Loads several files as one scenario.
pub(crate) fn load(names: &[String]) -> Result<Loaded, ExitCode> {
    scenario::load_owned(read_files(names)?).map_err(|problems| print_problems(&problems))
}

/// Output format of the commands `compare`, `whatif` and `why`.
#[derive(Debug, Clone, Copy, Default, PartialEq, ValueEnum)]
pub(crate) enum AnswerFormat {
    #[default]
    Text,
    Json,
    Markdown,
}

impl AnswerFormat {
    /// Prints the result of a command in this format; each argument creates the result in one format.
    pub(crate) fn print(
        self,
        text: impl FnOnce() -> String,
        markdown: impl FnOnce() -> String,
        json: impl FnOnce() -> serde_json::Value,
    ) {
        match self {
            AnswerFormat::Text => print_text(&text()),
            AnswerFormat::Markdown => print_text(&markdown()),
            AnswerFormat::Json => print_data(&format!("{:#}\n", json())),
        }
    }
}

/// Prints to stderr the notices about translated, omitted and assumed parts of the input, and a hint if the cluster has
/// an older Kubernetes version than the one that Podscope simulates.
pub(crate) fn print_notices(loaded: &Loaded, objects: &Objects) {
    for notice in &loaded.notices {
        print_error(notice);
    }
    if let Some(version) = podscope_session::triage::newest_older_kubelet_version(objects) {
        let rules = podscope_api::KUBERNETES_VERSION;
        print_error(t!(cli_input::older_kubelets, version = version, rules = rules));
    }
}

/// Prints problems to stderr. Returns the exit status for bad input.
pub(crate) fn print_problems(problems: &[Problem]) -> ExitCode {
    problems.iter().for_each(print_error);
    ExitCode::from(BAD_INPUT_STATUS)
}

/// Parses a simulated time, given as a duration since t = 0.
pub(crate) fn parse_time_since_start(text: &str) -> Result<SimTime, String> {
    match parse_duration(text) {
        Ok(span) if span >= Span::ZERO && SimTime::ZERO + span <= END_OF_TIME => Ok(SimTime::ZERO + span),
        Ok(span) if span >= Span::ZERO => Err("after the end of time, a hundred years (876000h)".to_owned()),
        _ => Err("not a duration such as 45s or 5m".to_owned()),
    }
}

pub(crate) fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a number from 0 to {}", u64::MAX))
}

/// Returns the names, or `-` for standard input if there are none.
pub(crate) fn names_or_stdin(names: &[String]) -> Vec<String> {
    if names.is_empty() {
        vec!["-".to_owned()]
    } else {
        names.to_vec()
    }
}
