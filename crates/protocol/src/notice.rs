//! Notices of Podscope itself during a session, in addition to the output of commands.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Micros, Request, clock};

/// Text of a console line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConsoleText {
    /// Text that a person typed or a command printed.
    Text(String),
    /// A notice of Podscope itself.
    Notice(Notice),
}

impl ConsoleText {
    /// The line as plain text.
    #[must_use]
    pub fn words(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Notice(notice) => Cow::Owned(notice.to_string()),
        }
    }
}

impl Default for ConsoleText {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<&str> for ConsoleText {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for ConsoleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Notice(notice) => notice.fmt(f),
        }
    }
}

/// A notice about a person's request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// A command was given while time is paused.
    TimeIsPaused,
    /// Time cannot run because a question of the story is unanswered.
    WaitsForAnswer,
    /// A command was given while a question of the story is unanswered.
    CommandWaitsForAnswer,
    /// The branch has no command to undo.
    NothingToUndo,
    /// The rest of a solution cannot be played.
    NoSolution,
    /// A pipe follows a command that prints its output while time runs.
    PipedLate,
    /// A request made during a seek waits until the seek ends.
    RequestWaits { what: RequestName, until: Micros },
    /// A waiting request was dropped because the seek did not reach its instant.
    RequestDropped { what: RequestName, until: Micros },
    /// Too many requests wait already.
    TooManyWait {
        most: usize,
        /// Target of the seek, if there is one.
        until: Option<Micros>,
    },
    /// Pasted lines wait for a command that is still running.
    LinesWait {
        /// First line of the running command.
        behind: String,
        lines: LinesLeft,
    },
    /// Waiting lines were dropped.
    LinesDropped(LinesLeft),
    /// More lines than the maximum would wait.
    TooManyLines { most: usize },
    /// A limit of the session was reached.
    Limit(Limit),
    /// The picked line cannot be a goal of a lesson.
    GoalRefusal(GoalRefusal),
    /// The engine that created a link decides differently.
    OtherEngine(OtherEngine),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeIsPaused => f.write_str("Time stands still: play or step to see what follows."),
            Self::WaitsForAnswer => {
                f.write_str("Time waits for your answer: choose one in the story, or press *I don't know*.")
            }
            Self::CommandWaitsForAnswer => {
                f.write_str("Time waits for your answer in the story: what this command brings comes after it.")
            }
            Self::NothingToUndo => f.write_str("there is no command to take back on this branch"),
            Self::NoSolution => f.write_str("This story has no solution that can be played from here."),
            Self::PipedLate => {
                f.write_str("error: a pipe takes what is printed at once; this command's answer comes while time runs")
            }
            Self::RequestWaits { what, until } => write!(f, "{what} waits until {} is reached", clock::instant(*until)),
            Self::RequestDropped { what, until } => {
                write!(f, "not done, {} was not reached: {what}", clock::instant(*until))
            }
            Self::TooManyWait { most, until } => {
                let until = until.map(clock::instant).unwrap_or_default();
                write!(f, "not done: {most} requests already wait until {until} is reached")
            }
            Self::LinesWait { behind, lines } => write!(
                f,
                "Waiting until `{behind}` ends: {lines}. Ctrl-C ends it and drops what waits."
            ),
            Self::LinesDropped(lines) => write!(f, "not run: {lines}"),
            Self::TooManyLines { most } => write!(f, "not run: at most {most} lines wait"),
            Self::Limit(limit) => limit.fmt(f),
            Self::GoalRefusal(why) => why.fmt(f),
            Self::OtherEngine(other) => other.fmt(f),
        }
    }
}

/// Name of a waiting request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestName {
    /// First line of a command, or of the first of several commands.
    Command(String),
    Play,
    Step,
    NextDecision,
    Skip,
    Fork,
    Undo,
    Remedy,
    /// A seek to another instant or branch.
    Seek,
}

impl RequestName {
    #[must_use]
    pub fn of(request: &Request) -> Self {
        let first = |line: &str| Self::Command(line.lines().next().unwrap_or_default().to_owned());
        match request {
            Request::Command { line } => first(line),
            Request::Commands { lines } => first(lines.first().map_or("", String::as_str)),
            Request::Play => Self::Play,
            Request::Step => Self::Step,
            Request::NextDecision => Self::NextDecision,
            Request::SkipAhead { .. } | Request::SkipToStory => Self::Skip,
            Request::Fork => Self::Fork,
            Request::Undo => Self::Undo,
            Request::TryRemedy { .. } => Self::Remedy,
            _ => Self::Seek,
        }
    }
}

impl fmt::Display for RequestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Command(line) => line,
            Self::Play => "play",
            Self::Step => "the next event",
            Self::NextDecision => "the next decision",
            Self::Skip => "the skip",
            Self::Fork => "the branch",
            Self::Undo => "the undo",
            Self::Remedy => "the remedy",
            Self::Seek => "the way to another instant",
        })
    }
}

/// Command lines that wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesLeft {
    /// First line of the next command.
    pub first: String,
    /// Number of further lines.
    pub more: usize,
}

impl fmt::Display for LinesLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = &self.first;
        match self.more {
            0 => f.write_str(first),
            1 => write!(f, "{first} and another line"),
            more => write!(f, "{first} and {more} more lines"),
        }
    }
}

/// A limit of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// Maximum number of branches of a session.
    Branches(usize),
    /// Maximum number of commands of a branch.
    Commands(usize),
    /// Maximum number of records of a run; the run stops there.
    Records(usize),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branches(most) => write!(f, "a session holds at most {most} branches"),
            Self::Commands(most) => write!(f, "a branch holds at most {most} commands"),
            Self::Records(most) => write!(f, "the run holds at most {most} records: it stops here"),
        }
    }
}

impl From<Limit> for Notice {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// The reason why the picked line cannot be a goal of the lesson being recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GoalRefusal {
    Invariant,
    NoObject,
    NoField,
    /// Goals do not support this kind of field.
    UnsupportedField,
    /// The value is different in every run.
    DiffersPerRun,
    /// The pod's name is drawn in every run, and pods are not found by this field.
    DrawnName,
}

impl fmt::Display for GoalRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invariant => "An invariant has no fields; write `always` in the file.",
            Self::NoObject => "There is no such object now.",
            Self::NoField => "There is no field in this line.",
            Self::UnsupportedField => "This field can be no goal.",
            Self::DiffersPerRun => "No reader would reach this goal: each run gives this field a value of its own.",
            Self::DrawnName => "No reader would reach this goal: each run draws the pod's name. Phase, node, readiness and labels of such a pod can be goals, for all pods with its labels; or pick a field of its owner.",
        })
    }
}

/// A link was created by an engine that computes a different trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherEngine {
    /// Version of the engine that created the link.
    pub maker: String,
    /// Kubernetes version that the other engine followed, if it differs.
    pub followed: Option<String>,
    /// Version of this engine.
    pub own: String,
    /// The traces differ before this instant.
    pub before: Micros,
}

impl fmt::Display for OtherEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { maker, own, .. } = self;
        write!(f, "This link was made by engine {maker}")?;
        if let Some(followed) = &self.followed {
            write!(f, ", which followed Kubernetes {followed}")?;
        }
        let before = clock::Seconds(self.before);
        write!(
            f,
            "; this is {own}, which decides differently somewhere before {before}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_with_arguments_format_as_sentences() {
        let left = |more| LinesLeft {
            first: "kubectl get ns".to_owned(),
            more,
        };
        let engine = |followed: Option<&str>| OtherEngine {
            maker: "0.1.0".to_owned(),
            followed: followed.map(str::to_owned),
            own: "0.2.0+v1.36".to_owned(),
            before: 2_500_000,
        };
        let lines = vec!["kubectl apply -f - <<EOF\nkind: Pod\nEOF".to_owned(), "next".to_owned()];
        let what = RequestName::of(&Request::Commands { lines });
        let until = 600_000_000;
        let read = [
            Notice::RequestWaits { what, until },
            Notice::RequestDropped {
                what: RequestName::of(&Request::SkipToStory),
                until,
            },
            Notice::LinesWait {
                behind: "kubectl get pods -w".to_owned(),
                lines: left(2),
            },
            Notice::LinesDropped(left(0)),
            Notice::OtherEngine(engine(Some("v1.34"))),
            Notice::OtherEngine(engine(None)),
        ];
        let want = [
            "kubectl apply -f - <<EOF waits until 10:00.0 is reached",
            "not done, 10:00.0 was not reached: the skip",
            "Waiting until `kubectl get pods -w` ends: kubectl get ns and 2 more lines. Ctrl-C ends it and drops what waits.",
            "not run: kubectl get ns",
            "This link was made by engine 0.1.0, which followed Kubernetes v1.34; this is 0.2.0+v1.36, which decides \
             differently somewhere before 2.5s.",
            "This link was made by engine 0.1.0; this is 0.2.0+v1.36, which decides differently somewhere before 2.5s.",
        ];
        assert_eq!(read.map(|notice| notice.to_string()), want);
    }
}
