//! The one command language (K-01): `kubectl …` for API work, `fault …` for
//! the outside world, `app …` for an application's membership. A command is
//! parsed once into a value, prints back to the same canonical text, and is
//! what the page, timelines, links and the console all use.
//!
//! Text that follows a command (a manifest for `apply -f -`, the edited
//! object of `edit`) is a here-document: `kubectl apply -f - <<'EOF'`.

mod api;
mod app;
mod complete;
mod delete;
mod fault;
mod flags;
mod help;
mod kubectl;
mod parse;
mod pipe;
mod print;
mod shell;
mod verbatim;

pub use complete::{Completion, complete};
pub use delete::*;
pub use help::help_text;
pub use kubectl::*;
pub(crate) use parse::is_of_all;
pub use pipe::Pipe;
use podscope_cluster::OutputKind;
use podscope_cluster::fault::Fault;
pub use shell::MAX_COMMAND_BYTES;
pub use verbatim::*;

#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// API work.
    Kubectl(Kubectl),
    /// `fault …` and `app …`.
    Fault(Fault),
    /// `api …`: a request that a program sent.
    Api(crate::rest::ApiCall),
    /// `stop`: ends the command that was given last and still runs (a watch, a drain), as Ctrl-C does.
    Stop {
        /// `--all`: every command that still runs.
        all: bool,
    },
    /// `help`, `kubectl --help`, `kubectl get --help`, `fault --help`: the topic, may be empty.
    Help(String),
}

/// Why a command is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandError {
    /// Where, from 1, in characters of the first line.
    pub column: u32,
    /// In kubectl's words, `error: ` included where kubectl prints it.
    pub message: String,
    /// More lines belong to the command: its here-document is open, or a backslash ends the text.
    pub is_unfinished: bool,
}

impl CommandError {
    /// A refusal at a column, in kubectl's words.
    pub fn new(column: u32, message: impl Into<String>) -> Self {
        Self {
            column,
            message: message.into(),
            is_unfinished: false,
        }
    }

    pub(crate) fn unfinished(column: u32, message: impl Into<String>) -> Self {
        Self {
            is_unfinished: true,
            ..Self::new(column, message)
        }
    }
}

impl std::fmt::Display for CommandError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CommandError {}

/// Parses a command.
///
/// # Errors
/// What is wrong and where, as kubectl words it (KC-115 to KC-119).
pub fn parse(text: &str) -> Result<Command, CommandError> {
    alone(parse_piped(text, None)?)
}

/// What is done at an instant prints to nobody's pipe.
fn alone((command, pipe): (Command, Pipe)) -> Result<Command, CommandError> {
    if pipe.is_empty() {
        Ok(command)
    } else {
        Err(CommandError::new(1, "one command at a time: only a prompt has pipes"))
    }
}

/// Parses what was typed at a prompt: a command and what its lines go through; its standard input may come beside it.
///
/// # Errors
/// As [`parse`]; what stands behind a `|` is none of the programs known here, or is used wrongly.
pub fn parse_piped(text: &str, stdin: Option<&str>) -> Result<(Command, Pipe), CommandError> {
    let mut line = shell::split(text)?;
    if let Some(stdin) = stdin {
        line.stdin.get_or_insert_with(|| stdin.to_owned());
    }
    let pipe = Pipe::parse(&line.pipe, line.end)?;
    // `cat <<EOF | kubectl apply -f -`, `echo … | kubectl apply -f -`.
    let told = match line.words.split_first() {
        Some((program, [])) if program.text == "cat" => line.stdin.clone(),
        Some((program, words)) if program.text == "echo" => Some(
            words
                .iter()
                .map(|word| word.text.as_str())
                .collect::<Vec<_>>()
                .join(" "),
        ),
        _ => None,
    };
    if let Some(next) = told.and_then(|text| pipe.next(&pipe.run(vec![(OutputKind::Output, text)]))) {
        return next;
    }
    Ok((parse_line(line)?, pipe))
}

fn parse_line(line: shell::Line) -> Result<Command, CommandError> {
    let Some((program, rest)) = line.words.split_first() else {
        return Err(CommandError::new(1, "error: no command"));
    };
    match program.text.as_str() {
        "kubectl" | "k" => parse::kubectl(rest, line.stdin),
        "fault" => fault::parse(rest),
        "app" => app::parse(rest),
        "api" => api::parse(rest, line.stdin),
        "stop" => match rest {
            [] => Ok(Command::Stop { all: false }),
            [word] if word.text == "--all" => Ok(Command::Stop { all: true }),
            [word, ..] => Err(CommandError::new(word.column, "error: use: stop [--all]")),
        },
        "help" => Ok(Command::Help(
            rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "),
        )),
        "watch" => Err(CommandError::new(
            program.column,
            "error: kubectl watches by itself: `kubectl get pods -w`",
        )),
        other => Err(CommandError::new(
            program.column,
            format!("error: unknown command {other:?}; commands start with kubectl, fault, app, stop or help"),
        )),
    }
}

impl std::fmt::Display for Command {
    /// The canonical text: [`parse`] gives the same command back.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Command::Kubectl(kubectl) => kubectl.fmt(f),
            Command::Fault(fault) => f.write_str(&fault::print(fault)),
            Command::Api(call) => f.write_str(&api::print(call)),
            Command::Stop { all } => f.write_str(if *all { "stop --all" } else { "stop" }),
            Command::Help(topic) if topic.is_empty() => f.write_str("help"),
            Command::Help(topic) => {
                let words: Vec<String> = topic.split(' ').map(shell::quote).collect();
                write!(f, "help {}", words.join(" "))
            }
        }
    }
}

#[cfg(test)]
mod roundtrip;
#[cfg(test)]
mod tests;
