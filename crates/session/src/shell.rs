//! The console without a page: takes command lines, returns the printed lines, and advances time on request. `podscope
//! shell` is a terminal or JSON interface to it; tests use it in-process.

use podscope_cluster::{OutputKind, SimTime, Span};

use crate::timeline::{END_OF_TIME, MAX_RECORDS, Session, Slice};
use podscope_kubectl::command::{self, Command, CommandError, Kubectl, Pipe};
use podscope_kubectl::duration::parse_duration;
use podscope_protocol::{Notice, SessionLimit};

/// Simulated time within which a command can be answered if the caller gives no time to wait.
const ANSWER_TIMEOUT: Span = Span::millis(100);
/// Number of events between two checks of whether a command has been answered.
const EVENTS_PER_SLICE: u64 = 10_000;

/// Result of running a command line up to the first command that needs the simulation: the lines printed so far and, if
/// there is such a command, that command with the pipe for its output.
pub(crate) type PipeStep = (Vec<(OutputKind, String)>, Option<(Command, Pipe)>);

/// Runs the commands of a line and its pipe up to the first one that must be sent to the simulation. Returns the
/// printed lines and, if there is such a command, that command with the remaining pipe.
///
/// # Errors
/// A command in the pipe cannot be parsed.
pub(crate) fn run_without_time(session: &Session, command: Command, pipe: &Pipe) -> Result<PipeStep, String> {
    let printed = match &*session.resolve_custom_kinds(&command).map_err(|error| error.message)? {
        Command::Help(topic) => Some(vec![(OutputKind::Output, command::help_text(topic))]),
        Command::Kubectl { action: kubectl, .. } => session.immediate_output(kubectl).map(|printed| printed.lines),
        _ => None,
    };
    match printed {
        Some(printed) => run_pipe(session, printed, pipe),
        None => Ok((Vec::new(), Some((command, pipe.clone())))),
    }
}

/// Sends printed lines through a pipe. Runs the commands behind the pipe like [`run_without_time`].
pub(crate) fn run_pipe(session: &Session, printed: Vec<(OutputKind, String)>, pipe: &Pipe) -> Result<PipeStep, String> {
    let mut lines = pipe.run(printed);
    let Some(next) = pipe.next_command(&lines) else {
        return Ok((lines, None));
    };
    let (command, pipe) = next.map_err(|error| error.message)?;
    lines.retain(|(kind, _)| kind.is_stderr());
    let (more, left) = run_without_time(session, command, &pipe)?;
    lines.extend(more);
    Ok((lines, left))
}

/// Sends a command to the simulation and advances time until the command is answered. The command's output is the input
/// of a pipe.
///
/// # Errors
/// The session does not accept the command, or the command prints its output over a longer time.
pub(crate) fn run_and_wait(session: &mut Session, command: Command) -> Result<(), Notice> {
    let is_slow = session
        .resolve_custom_kinds(&command)
        .is_ok_and(|command| !answers_soon(&command));
    if is_slow {
        return Err(Notice::PipedLate);
    }
    let clients = session.world().client_count();
    session.command(command)?;
    advance_until_answered(session, clients);
    Ok(())
}

fn advance_until_answered(session: &mut Session, max_waiting_commands: usize) {
    let answered = session.now() + ANSWER_TIMEOUT;
    while session.advance_while(answered, EVENTS_PER_SLICE, |world| {
        world.client_count() > max_waiting_commands
    }) == Slice::More
    {}
}

/// Returns whether the command prints all of its output shortly after it starts.
fn answers_soon(command: &Command) -> bool {
    match command {
        Command::Kubectl { action: kubectl, .. } => !matches!(
            kubectl,
            Kubectl::Get(_) | Kubectl::Events(_) | Kubectl::Logs(_) | Kubectl::Drain(_)
        ),
        _ => true,
    }
}

/// Result of a command line in the shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Time of the cursor after the command.
    pub at: SimTime,
    /// Lines printed since the previous answer, with their kinds.
    pub lines: Vec<(OutputKind, String)>,
    /// Error message of the parser if the line is not a valid command.
    pub refused: Option<String>,
}

/// A line that was typed at the prompt, after parsing. Unlike the page's console, the prompt has commands that advance
/// time.
#[derive(Debug, Clone, PartialEq)]
pub enum TypedLine {
    /// An empty line or a comment.
    Blank,
    /// The command `wait`, such as `wait 30s`.
    Wait(Span),
    /// The command `until`, such as `until 2m`.
    Until(SimTime),
    /// Any other command, with the pipe for its output.
    Command(Box<Command>, Pipe),
}

/// Reads a line typed at the prompt.
///
/// # Errors
/// The line is invalid. [`CommandError::is_unfinished`] is true if the command continues on another line.
pub fn parse_typed_line(line: &str) -> Result<TypedLine, CommandError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let instant = |text: &str| {
        let span = parse_duration(text).map_err(|message| CommandError::new(1, format!("error: {message}")))?;
        if span < Span::ZERO {
            return Err(CommandError::new(1, "error: time does not run backwards here"));
        }
        if SimTime::ZERO + span > END_OF_TIME {
            let message = format!("error: {text} is after the end of time, a hundred years (876000h)");
            return Err(CommandError::new(1, message));
        }
        Ok(span)
    };
    match words.as_slice() {
        [] => Ok(TypedLine::Blank),
        [comment, ..] if comment.starts_with('#') => Ok(TypedLine::Blank),
        ["wait", span] => Ok(TypedLine::Wait(instant(span)?)),
        ["until", at] => Ok(TypedLine::Until(SimTime::ZERO + instant(at)?)),
        ["wait" | "until", ..] => Err(CommandError::new(1, "error: use: wait DURATION, or until DURATION")),
        _ => command::parse_piped(line, None).map(|(command, pipe)| TypedLine::Command(Box::new(command), pipe)),
    }
}

/// A session with a prompt, and the number of output lines that have been returned.
#[derive(Debug)]
pub struct Shell {
    session: Session,
    /// Number of output lines that have already been returned.
    n_returned_lines: usize,
    /// Called repeatedly while time advances; when it returns true, time stops.
    should_stop: fn() -> bool,
}

impl Shell {
    /// Creates a shell at the session's cursor. Lines that were printed before are not returned.
    #[must_use]
    pub fn new(session: Session) -> Shell {
        Shell::with_stop_condition(session, || false)
    }

    /// Like [`Shell::new`]. `should_stop` is called while time advances, and can interrupt it by returning true.
    #[must_use]
    pub fn with_stop_condition(session: Session, should_stop: fn() -> bool) -> Shell {
        let n_returned_lines = session.outputs().len();
        Shell {
            session,
            n_returned_lines,
            should_stop,
        }
    }

    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the session, for callers that change it other than by command lines.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Replaces the session. Its output so far is not returned.
    pub fn replace_session(&mut self, session: Session) {
        self.n_returned_lines = session.outputs().len();
        self.session = session;
    }

    /// Runs a command line, then advances time by `wait`. If `wait` is zero, advances time until the command is
    /// answered or its time limit has passed.
    pub fn run(&mut self, line: &str, stdin: Option<&str>, wait: Span) -> Answer {
        match command::parse_piped(line, stdin) {
            Ok((command, pipe)) => self.run_parsed(command, &pipe, wait),
            Err(error) => {
                let mut answer = self.advance(wait);
                answer.refused = Some(error.message);
                answer
            }
        }
    }

    /// Runs a parsed command like [`Shell::run`], and sends its output through the pipe.
    pub fn run_parsed(&mut self, command: Command, pipe: &Pipe, wait: Span) -> Answer {
        let until = self.session.now() + wait;
        let mut lines = Vec::new();
        let mut refused = None;
        let mut done = run_without_time(&self.session, command, pipe);
        loop {
            let (printed, left) = match done {
                Ok(done) => done,
                Err(message) => {
                    refused = Some(message);
                    break;
                }
            };
            lines.extend(printed);
            let Some((command, pipe)) = left else {
                break;
            };
            if pipe.is_empty() {
                let clients = self.session.world().client_count();
                refused = self.session.command(command).err().map(|limit| limit.to_string());
                if wait == Span::ZERO {
                    advance_until_answered(&mut self.session, clients);
                }
                break;
            }
            refused = run_and_wait(&mut self.session, command)
                .err()
                .map(|why| why.to_string());
            if refused.is_some() {
                break;
            }
            let printed = self.take_unseen_lines();
            done = run_pipe(&self.session, printed, &pipe);
        }
        let mut answer = self.advance((until - self.session.now()).max(Span::ZERO));
        lines.append(&mut answer.lines);
        answer.lines = lines
            .iter()
            .flat_map(|(kind, text)| {
                let blank = text.is_empty().then_some("");
                text.lines().chain(blank).map(|line| (*kind, line.to_owned()))
            })
            .collect();
        answer.refused = refused;
        answer
    }

    /// Returns the lines that commands have printed since the last call.
    fn take_unseen_lines(&mut self) -> Vec<(OutputKind, String)> {
        let outputs = self.session.outputs();
        let printed = outputs.get(self.n_returned_lines..).unwrap_or_default();
        let lines = printed.iter().map(|line| (line.kind, line.text.clone())).collect();
        self.n_returned_lines = outputs.len();
        lines
    }

    /// Advances simulated time by `span`. Returns the lines that were printed.
    pub fn advance(&mut self, span: Span) -> Answer {
        let target = (self.session.now() + span).min(END_OF_TIME);
        let mut lines = Vec::new();
        if span > Span::ZERO {
            loop {
                match self.session.advance(target, EVENTS_PER_SLICE) {
                    Slice::More if (self.should_stop)() => {
                        lines.push((
                            OutputKind::Error,
                            format!("interrupted: it is {} now", self.session.now()),
                        ));
                        break;
                    }
                    Slice::More => {}
                    Slice::Done => break,
                    Slice::Limit => {
                        lines.push((OutputKind::Error, SessionLimit::Records(MAX_RECORDS).to_string()));
                        break;
                    }
                }
            }
        }
        lines.splice(0..0, self.take_unseen_lines());
        Answer {
            at: self.session.now(),
            lines,
            refused: None,
        }
    }
}
