//! Command lines that need confirmation before they run.

use podscope_api::Danger;
use podscope_cluster::OutputKind;
use podscope_kubectl::command::{self, Command};
use podscope_protocol::{Request, Update};

use super::Host;
use crate::IS_WHOLE;
use crate::shell::run_without_time;
use crate::timeline::Session;

/// Words in place of the output of a command that has not run yet, for a command that takes its arguments from there.
const UNKNOWN_OUTPUT: [&str; 2] = ["pod/name", "name"];

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
        lines.iter().find_map(|line| danger_of_line(session, line))
    }
}

/// The danger of a line. Commands that only read are run, because a command behind their pipe is made of their output.
fn danger_of_line(session: &Session, line: &str) -> Option<Danger> {
    let (command, pipe) = command::parse_piped(line, None).ok()?;
    if !IS_WHOLE || !pipe.has_next() {
        return danger_of(session, &command);
    }
    let (command, pipe) = run_without_time(session, command, &pipe).ok()?.1?;
    danger_of(session, &command).or_else(|| {
        UNKNOWN_OUTPUT.iter().find_map(|word| {
            let next = pipe.next(&[(OutputKind::Output, (*word).to_owned())])?;
            danger_of(session, &next.ok()?.0)
        })
    })
}

fn danger_of(session: &Session, command: &Command) -> Option<Danger> {
    session.resolved(command).ok()?.danger()
}
