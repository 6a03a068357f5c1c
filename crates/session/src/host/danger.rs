//! Asks the user for confirmation before dangerous command lines run.

use podscope_api::Danger;
use podscope_cluster::OutputKind;
use podscope_kubectl::command::{self, Command, Pipe};
use podscope_protocol::{Request, Update};

use super::Host;
use crate::shell::run_without_time;
use crate::timeline::Session;

/// Sample texts that stand for the unknown output of a command that has not run yet. They are the input of the next
/// command in the pipe, which takes its arguments or its manifest from that output.
const SAMPLE_OUTPUTS: [&str; 6] = [
    "pod/name",
    "name",
    "node/name",
    "namespace/name",
    "{apiVersion: v1, kind: Namespace, metadata: {name: name}}",
    "{apiVersion: v1, kind: Node, metadata: {name: name}}",
];
/// Maximum number of consecutive commands in a pipe that are checked with sample texts as input.
const MAX_CHECKED_PIPED_COMMANDS: usize = 3;

impl Host {
    /// Returns a request to run lines if none of them is dangerous; otherwise, as `Err`, the question to the user
    /// whether they may run. Requests of other types are returned unchanged.
    pub(super) fn unless_dangerous(&self, request: Request) -> Result<Request, Update> {
        let Request::RunUnlessDangerous { lines } = request else {
            return Ok(request);
        };
        match self.danger_of_lines(&lines) {
            Some(danger) => Err(Update::Dangerous { lines, danger }),
            None => Ok(Request::run_lines(lines)),
        }
    }

    /// Returns the reason why one of the lines is dangerous.
    pub(super) fn danger_of_lines(&self, lines: &[String]) -> Option<Danger> {
        let session = &self.active.as_ref()?.session;
        lines.iter().enumerate().find_map(|(at, line)| {
            let is_first = at == 0;
            DangerCheck { session, is_first }.line_danger(line)
        })
    }
}

/// Checks a line against the current state of the cluster.
struct DangerCheck<'a> {
    session: &'a Session,
    /// Whether no line runs before this one. An earlier line could create the objects and custom kinds that this line
    /// refers to.
    is_first: bool,
}

impl DangerCheck<'_> {
    /// Returns why a line is dangerous, if it is. Commands of the line that only read are run, because the command
    /// behind their pipe is built from their output.
    fn line_danger(&self, line: &str) -> Option<Danger> {
        let (command, pipe) = command::parse_piped(line, None).ok()?;
        if !pipe.has_next_command() {
            return self.command_danger(&command);
        }
        let reached = run_without_time(self.session, command, &pipe).ok();
        let found = reached.and_then(|(_, left)| {
            let (command, pipe) = left?;
            self.command_danger(&command)
                .or_else(|| self.piped_danger(&pipe, MAX_CHECKED_PIPED_COMMANDS))
        });
        match self.is_first {
            true => found,
            false => found.or_else(|| self.piped_danger(&pipe, MAX_CHECKED_PIPED_COMMANDS)),
        }
    }

    /// Returns why one of the next `max_commands` commands behind a pipe is dangerous, if one is. Their input is not
    /// known, so sample texts are used.
    fn piped_danger(&self, pipe: &Pipe, max_commands: usize) -> Option<Danger> {
        let max_commands = max_commands.checked_sub(1)?;
        SAMPLE_OUTPUTS.iter().find_map(|output| {
            let (command, pipe) = pipe.next_command(&[(OutputKind::Output, (*output).to_owned())])?.ok()?;
            self.command_danger(&command)
                .or_else(|| self.piped_danger(&pipe, max_commands))
        })
    }

    fn command_danger(&self, command: &Command) -> Option<Danger> {
        match self.session.resolve_custom_kinds(command) {
            Ok(command) => command.danger(),
            Err(_) if self.is_first => None,
            Err(_) => command.danger(),
        }
    }
}
