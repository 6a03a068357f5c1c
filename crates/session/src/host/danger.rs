//! Command lines that need confirmation before they run.

use podscope_api::Danger;
use podscope_cluster::OutputKind;
use podscope_kubectl::command::{self, Command, Pipe};
use podscope_protocol::{Request, Update};

use super::Host;
use crate::IS_WHOLE;
use crate::shell::run_without_time;
use crate::timeline::Session;

/// What stands for the output of a command that has not run yet, in front of a command that takes its arguments or its
/// manifest from there.
const UNKNOWN_OUTPUT: [&str; 6] = [
    "pod/name",
    "name",
    "node/name",
    "namespace/name",
    "{apiVersion: v1, kind: Namespace, metadata: {name: name}}",
    "{apiVersion: v1, kind: Node, metadata: {name: name}}",
];
/// Maximum number of commands in a pipe that are judged by unknown output.
const MAX_UNKNOWN: usize = 3;

impl Host {
    /// The request to run lines that may be dangerous, or as `Err` the question whether they may run. Other requests
    /// are returned as they are.
    pub(super) fn unless_dangerous(&self, request: Request) -> Result<Request, Update> {
        let Request::RunUnlessDangerous { lines } = request else {
            return Ok(request);
        };
        match self.danger(&lines) {
            Some(danger) => Err(Update::Dangerous { lines, danger }),
            None => Ok(Request::run(lines)),
        }
    }

    /// The reason why one of the lines is dangerous.
    pub(super) fn danger(&self, lines: &[String]) -> Option<Danger> {
        let session = &self.active.as_ref()?.session;
        lines.iter().enumerate().find_map(|(at, line)| {
            let is_first = at == 0;
            Judge { session, is_first }.line(line)
        })
    }
}

/// Judges a line in the cluster as it is now.
struct Judge<'a> {
    session: &'a Session,
    /// No line runs before this one. A line before it can make the objects and the custom kinds that this one is about.
    is_first: bool,
}

impl Judge<'_> {
    /// The danger of a line. Commands that only read are run, because a command behind their pipe is made of their
    /// output.
    fn line(&self, line: &str) -> Option<Danger> {
        let (command, pipe) = command::parse_piped(line, None).ok()?;
        if !IS_WHOLE || !pipe.has_next() {
            return self.command(&command);
        }
        let reached = run_without_time(self.session, command, &pipe).ok();
        let found = reached.and_then(|(_, left)| {
            let (command, pipe) = left?;
            self.command(&command).or_else(|| self.behind(&pipe, MAX_UNKNOWN))
        });
        match self.is_first {
            true => found,
            false => found.or_else(|| self.behind(&pipe, MAX_UNKNOWN)),
        }
    }

    /// The danger of the commands behind a pipe whose input is not known.
    fn behind(&self, pipe: &Pipe, n_left: usize) -> Option<Danger> {
        let n_left = n_left.checked_sub(1)?;
        UNKNOWN_OUTPUT.iter().find_map(|output| {
            let (command, pipe) = pipe.next(&[(OutputKind::Output, (*output).to_owned())])?.ok()?;
            self.command(&command).or_else(|| self.behind(&pipe, n_left))
        })
    }

    fn command(&self, command: &Command) -> Option<Danger> {
        match self.session.resolved(command) {
            Ok(command) => command.danger(),
            Err(_) if self.is_first => None,
            Err(_) => command.danger(),
        }
    }
}
