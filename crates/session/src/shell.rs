//! The console without a page: lines in, printed lines out, time moved by whoever drives it. `podscope shell` is this
//! with a terminal or JSON around it, and tests drive it in-process.

use podscope_cluster::{OutputKind, SimTime, Span};

use crate::timeline::{END_OF_TIME, MAX_RECORDS, Session, Slice};
use podscope_kubectl::command::{self, Command, CommandError, Kubectl, Pipe};
use podscope_kubectl::duration::parse_duration;
use podscope_protocol::{Limit, Notice};

/// How far a command is followed to its answer where nobody says how long to wait.
const ANSWER: Span = Span::millis(100);
/// Events between two looks at whether a command has answered.
const PIECE: u64 = 10_000;

/// Lines, and the command to the world that is left with what its own go through.
pub(crate) type Told = (Vec<(OutputKind, String)>, Option<(Command, Pipe)>);

/// What a command prints at once, and what is behind its pipe done with it; what is left to do is a command to the world.
///
/// # Errors
/// What stands behind the pipe is no command.
pub(crate) fn at_once(session: &Session, command: Command, pipe: &Pipe) -> Result<Told, String> {
    let printed = match &command {
        Command::Help(topic) => Some(vec![(OutputKind::Output, command::help_text(topic))]),
        Command::Kubectl(kubectl) => session.ask(kubectl).map(|printed| printed.lines),
        _ => None,
    };
    match printed {
        Some(printed) => through(session, printed, pipe),
        None => Ok((Vec::new(), Some((command, pipe.clone())))),
    }
}

/// The same for what has been printed.
pub(crate) fn through(session: &Session, printed: Vec<(OutputKind, String)>, pipe: &Pipe) -> Result<Told, String> {
    let mut lines = pipe.run(printed);
    let Some(next) = pipe.next(&lines) else {
        return Ok((lines, None));
    };
    let (command, pipe) = next.map_err(|error| error.message)?;
    lines.retain(|(kind, _)| kind.is_stderr());
    let (more, left) = at_once(session, command, &pipe)?;
    lines.extend(more);
    Ok((lines, left))
}

/// Gives a command to the world and lets time pass until it has answered, for what stands behind its pipe.
///
/// # Errors
/// The world does not take it, or its answer comes while time runs.
pub(crate) fn follow(session: &mut Session, command: Command) -> Result<(), Notice> {
    if !answers_soon(&command) {
        return Err(Notice::PipedLate);
    }
    let clients = session.world().clients();
    session.command(command)?;
    until_answered(session, clients);
    Ok(())
}

fn until_answered(session: &mut Session, clients: usize) {
    let answered = session.now() + ANSWER;
    while session.advance_while(answered, PIECE, |world| world.clients() > clients) == Slice::More {}
}

/// Whether what a command prints comes all in its first moments.
fn answers_soon(command: &Command) -> bool {
    match command {
        Command::Kubectl(kubectl) => !matches!(
            kubectl,
            Kubectl::Get(_) | Kubectl::Events(_) | Kubectl::Logs(_) | Kubectl::Drain(_)
        ),
        _ => true,
    }
}

/// What a line came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The cursor afterwards.
    pub at: SimTime,
    /// Lines printed since the last answer, and what they are.
    pub lines: Vec<(OutputKind, String)>,
    /// Why the line was no command, in the parser's words.
    pub refused: Option<String>,
}

/// A line of a person at the prompt, who also moves time.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed {
    /// Nothing, or a comment.
    Blank,
    /// `wait 30s`.
    Wait(Span),
    /// `until 2m`.
    Until(SimTime),
    /// Anything else, and what its lines go through.
    Command(Box<Command>, Pipe),
}

/// Reads a line typed at the prompt.
///
/// # Errors
/// What is wrong with it; [`CommandError::is_unfinished`] where more lines belong to it.
pub fn read_typed(line: &str) -> Result<Typed, CommandError> {
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
        [] => Ok(Typed::Blank),
        [comment, ..] if comment.starts_with('#') => Ok(Typed::Blank),
        ["wait", span] => Ok(Typed::Wait(instant(span)?)),
        ["until", at] => Ok(Typed::Until(SimTime::ZERO + instant(at)?)),
        ["wait" | "until", ..] => Err(CommandError::new(1, "error: use: wait DURATION, or until DURATION")),
        _ => command::parse_piped(line, None).map(|(command, pipe)| Typed::Command(Box::new(command), pipe)),
    }
}

/// A session at a prompt.
#[derive(Debug)]
pub struct Shell {
    session: Session,
    /// Output lines that have been answered.
    seen: usize,
    /// Whether time is to stop where it is.
    stop: fn() -> bool,
}

impl Shell {
    /// A shell at the session's cursor; what was printed before is not printed again.
    #[must_use]
    pub fn new(session: Session) -> Shell {
        Shell::stopped_by(session, || false)
    }

    /// The same where somebody may want time to stop before it is where it should be: asked now and then.
    #[must_use]
    pub fn stopped_by(session: Session, stop: fn() -> bool) -> Shell {
        let seen = session.outputs().len();
        Shell { session, seen, stop }
    }

    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, for who drives it beside the console.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Goes on with another session, of which everything printed so far has been seen.
    pub fn resume(&mut self, session: Session) {
        self.seen = session.outputs().len();
        self.session = session;
    }

    /// Runs a line, then lets time pass: that long, or, for none, until the command has answered or waits for something.
    pub fn run(&mut self, line: &str, stdin: Option<&str>, wait: Span) -> Answer {
        match command::parse_piped(line, stdin) {
            Ok((command, pipe)) => self.give(command, &pipe, wait),
            Err(error) => {
                let mut answer = self.advance(wait);
                answer.refused = Some(error.message);
                answer
            }
        }
    }

    /// Runs a command, as [`Shell::run`]; what it prints at once goes through the pipe.
    pub fn give(&mut self, command: Command, pipe: &Pipe, wait: Span) -> Answer {
        let until = self.session.now() + wait;
        let mut lines = Vec::new();
        let mut refused = None;
        let mut done = at_once(&self.session, command, pipe);
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
                let clients = self.session.world().clients();
                refused = self.session.command(command).err().map(|limit| limit.to_string());
                if wait == Span::ZERO {
                    until_answered(&mut self.session, clients);
                }
                break;
            }
            refused = follow(&mut self.session, command).err().map(|why| why.to_string());
            if refused.is_some() {
                break;
            }
            let printed = self.unseen();
            done = through(&self.session, printed, &pipe);
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

    /// What was printed since it was last looked at.
    fn unseen(&mut self) -> Vec<(OutputKind, String)> {
        let outputs = self.session.outputs();
        let printed = outputs.get(self.seen..).unwrap_or_default();
        let lines = printed.iter().map(|line| (line.kind, line.text.clone())).collect();
        self.seen = outputs.len();
        lines
    }

    /// Lets time pass.
    pub fn advance(&mut self, span: Span) -> Answer {
        let target = (self.session.now() + span).min(END_OF_TIME);
        let mut lines = Vec::new();
        if span > Span::ZERO {
            loop {
                match self.session.advance(target, PIECE) {
                    Slice::More if (self.stop)() => {
                        lines.push((
                            OutputKind::Error,
                            format!("interrupted: it is {} now", self.session.now()),
                        ));
                        break;
                    }
                    Slice::More => {}
                    Slice::Done => break,
                    Slice::Limit => {
                        lines.push((OutputKind::Error, Limit::Records(MAX_RECORDS).to_string()));
                        break;
                    }
                }
            }
        }
        lines.splice(0..0, self.unseen());
        Answer {
            at: self.session.now(),
            lines,
            refused: None,
        }
    }
}
