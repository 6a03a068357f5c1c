//! Notices that Podscope itself prints during a session, besides the output of commands.

use std::borrow::Cow;
use std::fmt;

use podscope_messages::t;
use serde::{Deserialize, Serialize};

use crate::{Micros, Request, clock};

/// Text of a console line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConsoleText {
    /// Text that the user typed or a command printed.
    Text(String),
    /// A notice of Podscope itself.
    Notice(Notice),
}

impl ConsoleText {
    /// Returns the console line as a string; a notice is formatted as a sentence.
    #[must_use]
    pub fn plain_text(&self) -> Cow<'_, str> {
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

/// A notice about a request of the user.
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
    /// The remaining commands of a lesson's solution cannot be run.
    NoSolution,
    /// A pipe is not supported after a command that prints its output while time runs.
    PipedLate,
    /// A request made during a seek waits until the seek ends.
    RequestWaits { what: RequestName, until: Micros },
    /// A waiting request was dropped, because the seek stopped before its target.
    RequestDropped { what: RequestName, until: Micros },
    /// Too many requests are already waiting.
    TooManyWait {
        most: usize,
        /// Target of the seek that the requests wait for, if a seek is running.
        until: Option<Micros>,
    },
    /// Pasted command lines wait until a running command has ended.
    LinesWait {
        /// First line of the running command.
        behind: String,
        lines: UnrunLines,
    },
    /// Command lines that waited were dropped.
    LinesDropped(UnrunLines),
    /// The user gave more command lines than may wait.
    TooManyLines { most: usize },
    /// A limit of the session was reached.
    Limit(SessionLimit),
    /// The selected line cannot be a goal of a lesson.
    GoalRefusal(GoalRefusal),
    /// A link was created by a version of the engine that computes a different trace.
    OtherEngine(OtherEngine),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::TimeIsPaused => t!(notice::time_is_paused),
            Self::WaitsForAnswer => t!(notice::waits_for_answer),
            Self::CommandWaitsForAnswer => t!(notice::command_waits_for_answer),
            Self::NothingToUndo => t!(notice::nothing_to_undo),
            Self::NoSolution => t!(notice::no_solution),
            Self::PipedLate => t!(notice::piped_late),
            Self::RequestWaits { what, until } => {
                t!(notice::request_waits, what = what, until = clock::instant(*until))
            }
            Self::RequestDropped { what, until } => {
                t!(notice::request_dropped, until = clock::instant(*until), what = what)
            }
            Self::TooManyWait { most, until } => {
                let until = until.map(clock::instant).unwrap_or_default();
                t!(notice::too_many_wait, most = *most, until = until)
            }
            Self::LinesWait { behind, lines } => t!(notice::lines_wait, command = behind, lines = lines),
            Self::LinesDropped(lines) => t!(notice::lines_dropped, lines = lines),
            Self::TooManyLines { most } => t!(notice::too_many_lines, most = *most),
            Self::Limit(limit) => return limit.fmt(f),
            Self::GoalRefusal(why) => return why.fmt(f),
            Self::OtherEngine(other) => return other.fmt(f),
        })
    }
}

/// Name of a waiting request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestName {
    /// First line of the command, or of the first command if there are several.
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
    pub fn from_request(request: &Request) -> Self {
        match request {
            Request::Command { .. } | Request::Commands { .. } | Request::RunUnlessDangerous { .. } => {
                let first = request.command_lines().first().and_then(|line| line.lines().next());
                Self::Command(first.unwrap_or_default().to_owned())
            }
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
        f.write_str(&match self {
            Self::Command(line) => return f.write_str(line),
            Self::Play => t!(notice::play),
            Self::Step => t!(notice::step),
            Self::NextDecision => t!(notice::next_decision),
            Self::Skip => t!(notice::skip),
            Self::Fork => t!(notice::fork),
            Self::Undo => t!(notice::undo),
            Self::Remedy => t!(notice::remedy),
            Self::Seek => t!(notice::seek),
        })
    }
}

/// Command lines that wait or were dropped: the first one, and how many follow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnrunLines {
    /// First line of the next command.
    pub first: String,
    /// Number of lines after `first`.
    pub more: usize,
}

impl fmt::Display for UnrunLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&t!(notice::lines, first = self.first, more = self.more))
    }
}

/// A limit of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SessionLimit {
    /// Maximum number of branches of a session.
    Branches(usize),
    /// Maximum number of commands of a branch.
    Commands(usize),
    /// Maximum number of records of a run; the run stops there.
    Records(usize),
}

impl fmt::Display for SessionLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Branches(most) => t!(notice::limit_branches, most = *most),
            Self::Commands(most) => t!(notice::limit_commands, most = *most),
            Self::Records(most) => t!(notice::limit_records, most = *most),
        })
    }
}

impl From<SessionLimit> for Notice {
    fn from(limit: SessionLimit) -> Self {
        Self::Limit(limit)
    }
}

/// The reason why the selected line cannot be a goal of the lesson being recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GoalRefusal {
    Invariant,
    NoObject,
    NoField,
    /// Goals do not support this kind of field.
    UnsupportedField,
    /// The value is different in every run.
    DiffersPerRun,
    /// The name of the pod is generated at random in every run, and goals cannot select pods by this field.
    DrawnName,
}

impl fmt::Display for GoalRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Invariant => t!(notice::goal_invariant),
            Self::NoObject => t!(notice::goal_no_object),
            Self::NoField => t!(notice::goal_no_field),
            Self::UnsupportedField => t!(notice::goal_unsupported_field),
            Self::DiffersPerRun => t!(notice::goal_differs_per_run),
            Self::DrawnName => t!(notice::goal_drawn_name),
        })
    }
}

/// A link was created by an engine that computes a different trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherEngine {
    /// Version of the engine that created the link.
    pub maker: String,
    /// Kubernetes version that the other engine simulates, if it differs from that of this engine.
    pub followed: Option<String>,
    /// Version of the engine that opened the link.
    pub own: String,
    /// The traces differ before this instant.
    pub before: Micros,
}

impl fmt::Display for OtherEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { maker, own, .. } = self;
        let before = clock::Seconds(self.before);
        f.write_str(&match &self.followed {
            None => t!(notice::other_engine, maker = maker, own = own, before = before),
            Some(followed) => t!(
                notice::other_engine_followed,
                maker = maker,
                followed = followed,
                own = own,
                before = before
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_with_arguments_are_formatted_as_sentences() {
        let left = |more| UnrunLines {
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
        let what = RequestName::from_request(&Request::Commands { lines });
        let until = 600_000_000;
        let read = [
            Notice::RequestWaits { what, until },
            Notice::RequestDropped {
                what: RequestName::from_request(&Request::SkipToStory),
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
