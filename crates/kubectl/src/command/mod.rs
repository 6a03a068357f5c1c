//! The command language (K-01): `kubectl …` for API requests, `fault …` for faults of machines and network, `app …` for
//! applications. A command consists of its canonical text and of a value that represents its meaning. The canonical
//! text is printed, and parses to the same command. The page, timelines, links and the console all use these commands.
//!
//! Text that belongs to a command (a manifest for `apply -f -`, the edited object of `edit`) is a here-document:
//! `kubectl apply -f - <<'EOF'`.

mod api;
mod app;
mod complete;
mod custom;
mod delete;
mod docker;
mod fault;
mod flags;
mod help;
mod kubectl;
mod parse;
mod pipe;
mod shell;
mod verbatim;
mod words;

pub use complete::{Completion, complete};
pub(crate) use custom::CustomKinds;
pub use delete::*;
pub use help::help_text;
pub use kubectl::*;
pub(crate) use parse::{API_EXTENSION_KINDS, EDITED_TEXT_MISSING, is_in_category_all};
pub use pipe::Pipe;
use podscope_cluster::OutputKind;
use podscope_cluster::fault::Fault;
pub use shell::MAX_COMMAND_BYTES;
pub use verbatim::*;
pub use words::Words;

#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// `kubectl …`.
    Kubectl {
        /// The meaning of the words.
        action: Kubectl,
        /// The canonical text, which parses to the same action.
        words: Words,
    },
    /// `fault …` and `app …`.
    Fault {
        fault: Fault,
        /// The canonical text, which parses to the same fault.
        words: Words,
    },
    /// `api …`: an HTTP request that a program sent.
    Api(crate::rest::ApiCall),
    /// `stop`: ends the last command that is still running (a watch, a drain), like Ctrl-C.
    Stop {
        /// `--all`: ends every command that is still running.
        all: bool,
    },
    /// `help`, `kubectl --help`, `kubectl get --help`, `fault --help`: holds the topic, which may be empty.
    Help(String),
}

/// A syntax error in a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandError {
    /// Position of the error in characters of the first line, from 1.
    pub column: u32,
    /// kubectl's message, with `error: ` where kubectl prints it.
    pub message: String,
    /// Whether the command continues on further lines: its here-document is open, or the text ends with a backslash.
    pub is_unfinished: bool,
    /// Whether the command is valid but lists a kind that never has objects in the simulation. The message is kubectl's
    /// for an empty list.
    pub is_empty_list: bool,
    /// Whether the command names a type that is not built in, and the custom kinds were not known to the parser.
    pub needs_custom_kinds: bool,
}

impl CommandError {
    /// Creates an error at a column, with kubectl's message.
    pub fn new(column: u32, message: impl Into<String>) -> Self {
        Self {
            column,
            message: message.into(),
            is_unfinished: false,
            is_empty_list: false,
            needs_custom_kinds: false,
        }
    }

    /// Creates the result of listing a kind that never has objects in the simulation.
    pub(crate) fn for_empty_list(column: u32) -> Self {
        Self {
            is_empty_list: true,
            ..Self::new(column, "No resources found")
        }
    }

    pub(crate) fn for_unfinished_command(column: u32, message: impl Into<String>) -> Self {
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

/// Parses a command that names only built-in kinds.
///
/// # Errors
/// kubectl's message and the position of the error (KC-115 to KC-119).
pub fn parse(text: &str) -> Result<Command, CommandError> {
    match parse_unresolved(text)? {
        Command::Kubectl { action, words } => {
            let action = action.resolved(&CustomKinds::default())?.into_owned();
            Ok(Command::Kubectl { action, words })
        }
        command => Ok(command),
    }
}

/// Like [`parse`], but the command may name custom kinds. Whether these kinds exist is checked when the command runs
/// ([`Kubectl::resolved_in`]).
///
/// # Errors
/// Like [`parse`], except errors about unknown resource types.
pub fn parse_unresolved(text: &str) -> Result<Command, CommandError> {
    reject_pipe(parse_piped(text, None)?)
}

/// Rejects pipes: the output of a command in a timeline or link cannot be piped.
fn reject_pipe((command, pipe): (Command, Pipe)) -> Result<Command, CommandError> {
    if pipe.is_empty() {
        Ok(command)
    } else {
        Err(CommandError::new(1, "one command at a time: only a prompt has pipes"))
    }
}

/// Parses a line typed at a prompt: a command, and the filters after its pipes. `stdin` is the standard input if the
/// line has no here-document. The command may name custom kinds, as in [`parse_unresolved`].
///
/// # Errors
/// Like [`parse_unresolved`]; also if a program after `|` is unknown or has invalid arguments.
pub fn parse_piped(text: &str, stdin: Option<&str>) -> Result<(Command, Pipe), CommandError> {
    let mut line = shell::split(text)?;
    if let Some(stdin) = stdin {
        line.stdin.get_or_insert_with(|| stdin.to_owned());
    }
    let pipe = Pipe::parse(&line.pipe, line.end)?;
    // The first command of a pipe may be one that only prints the input of the second: `cat <<EOF | kubectl apply -f
    // -`, `echo … | kubectl apply -f -`.
    let printed = match line.words.split_first() {
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
    if let Some(next) = printed.and_then(|text| pipe.next_command(&pipe.run(vec![(OutputKind::Output, text)]))) {
        return next;
    }
    Ok((parse_line(line, None)?, pipe))
}

/// Parses a line that is split into words. `custom` holds the custom kinds that the cluster serves; `None` if they are
/// not known.
fn parse_line(line: shell::SplitLine, custom: Option<&CustomKinds>) -> Result<Command, CommandError> {
    let Some((program, rest)) = line.words.split_first() else {
        return Err(CommandError::new(1, "error: no command"));
    };
    match program.text.as_str() {
        "kubectl" | "k" => parse::parse_kubectl(rest, line.stdin, custom),
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
        other if docker::PROGRAMS.contains(&other) => {
            Err(CommandError::new(program.column, docker::docker_answer(other, rest)))
        }
        other => Err(CommandError::new(
            program.column,
            format!("error: unknown command {other:?}; commands start with kubectl, fault, app, stop or help"),
        )),
    }
}

impl Command {
    /// Creates `kubectl apply -f -` for a manifest.
    pub fn apply(manifest: String) -> Self {
        Command::Kubectl {
            words: Words::apply(manifest.clone(), None),
            action: Kubectl::Apply(Apply {
                manifest,
                ..Apply::default()
            }),
        }
    }
}

impl std::fmt::Display for Command {
    /// Writes the canonical text, which [`parse`] turns back into the same command.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Command::Kubectl { words, .. } | Command::Fault { words, .. } => words.fmt(f),
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
mod tests;
