//! What Podscope itself says while somebody works, beside what commands print.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Micros, Request, clock};

/// What a line of the console says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Said {
    /// What somebody wrote, or a command printed.
    Text(String),
    /// Podscope itself.
    Notice(Notice),
}

impl Said {
    /// As it is read.
    #[must_use]
    pub fn words(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Notice(notice) => Cow::Owned(notice.to_string()),
        }
    }
}

impl Default for Said {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<&str> for Said {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Notice(notice) => notice.fmt(f),
        }
    }
}

/// What Podscope has to say of what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// A command was given while no time passes.
    StandsStill,
    /// Time is to run, and a question of the story waits.
    WaitsForAnswer,
    /// No command of the branch can be taken back.
    NothingToUndo,
    /// The rest of a solution cannot be played.
    NoSolution,
    /// A pipe stands behind a command that answers while time runs.
    PipedLate,
    /// What was asked for on the way to an instant waits until it is reached.
    Waits { what: Asked, until: Micros },
    /// It waited for an instant that was not reached.
    NotDone { what: Asked, until: Micros },
    /// Too much waits already.
    TooManyWait {
        most: usize,
        /// For which instant, if there is a way to one.
        until: Option<Micros>,
    },
    /// Lines that were pasted wait for one that goes on.
    LinesWait {
        /// The first line of that one.
        behind: String,
        lines: LinesLeft,
    },
    /// Lines that waited are dropped.
    LinesDropped(LinesLeft),
    /// More lines wait than may.
    TooManyLines { most: usize },
    /// A limit of the session is reached.
    Limit(Limit),
    /// What was picked is no goal of a lesson.
    NoGoal(NoGoal),
    /// The engine that made a link decides otherwise.
    OtherEngine(OtherEngine),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StandsStill => f.write_str("Time stands still: play or step to see what follows."),
            Self::WaitsForAnswer => {
                f.write_str("Time waits for your answer: choose one in the story, or skip the question.")
            }
            Self::NothingToUndo => f.write_str("there is no command to take back on this branch"),
            Self::NoSolution => f.write_str("This story has no solution that can be played from here."),
            Self::PipedLate => {
                f.write_str("error: a pipe takes what is printed at once; this command's answer comes while time runs")
            }
            Self::Waits { what, until } => write!(f, "{what} waits until {} is reached", clock::instant(*until)),
            Self::NotDone { what, until } => {
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
            Self::NoGoal(why) => why.fmt(f),
            Self::OtherEngine(other) => other.fmt(f),
        }
    }
}

/// What was asked for, as it is called while it waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asked {
    /// A command, or the first of several: its first line.
    Command(String),
    Play,
    Step,
    NextDecision,
    Skip,
    Fork,
    Undo,
    Remedy,
    /// Another instant, or another branch.
    Elsewhere,
}

impl Asked {
    #[must_use]
    pub fn of(request: &Request) -> Self {
        let first = |line: &str| Self::Command(line.lines().next().unwrap_or_default().to_owned());
        match request {
            Request::Command { line } => first(line),
            Request::Commands { lines } => first(lines.first().map_or("", String::as_str)),
            Request::Play => Self::Play,
            Request::Step => Self::Step,
            Request::NextDecision => Self::NextDecision,
            Request::SkipAhead | Request::SkipToStory => Self::Skip,
            Request::Fork => Self::Fork,
            Request::Undo => Self::Undo,
            Request::TryRemedy { .. } => Self::Remedy,
            _ => Self::Elsewhere,
        }
    }
}

impl fmt::Display for Asked {
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
            Self::Elsewhere => "the way to another instant",
        })
    }
}

/// Lines that wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinesLeft {
    /// The first line of the next one.
    pub first: String,
    /// How many are behind it.
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
    /// Branches of a session.
    Branches(usize),
    /// Commands of a branch.
    Commands(usize),
    /// Records of a run, which goes no further.
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

/// Why what was picked is no goal of the lesson that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoGoal {
    Invariant,
    NoObject,
    NoField,
    /// The field has a form that no goal has.
    Unfit,
    /// Its value is of this run alone.
    OfThisRun,
}

impl fmt::Display for NoGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invariant => "An invariant has no fields; write `always` in the file.",
            Self::NoObject => "There is no such object now.",
            Self::NoField => "There is no field in this line.",
            Self::Unfit => "This field can be no goal.",
            Self::OfThisRun => "No reader would reach this goal: each run gives this field a value of its own.",
        })
    }
}

/// A link was made by an engine whose trace is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherEngine {
    /// The version that made it.
    pub maker: String,
    /// The Kubernetes that one followed, where it is another one.
    pub followed: Option<String>,
    /// This version.
    pub own: String,
    /// Something differs before then.
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

    /// What people read of messages that have arguments.
    #[test]
    fn notices_read_as_sentences() {
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
        let what = Asked::of(&Request::Commands { lines });
        let until = 600_000_000;
        let read = [
            Notice::Waits { what, until },
            Notice::NotDone {
                what: Asked::of(&Request::SkipToStory),
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
