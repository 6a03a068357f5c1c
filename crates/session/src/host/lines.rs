//! Lines that were pasted into the console together. Each line runs when the previous one has ended, as in a shell
//! (K-01). If a command keeps running, a notice tells the user that the other lines wait; Ctrl-C ends the command and
//! drops the waiting lines. Each line is recorded as a command at the time at which it ran, so a replay does not need
//! this queue.

use std::collections::VecDeque;

use podscope_cluster::SimTime;
use podscope_protocol::{Notice, Request, UnrunLines, Update};

use super::console::{error, notice};
use super::{ANSWER_TIMEOUT, Host, PageSession};
use crate::timeline::Session;

/// Maximum number of pasted lines that wait; further lines are refused.
const MAX_WAITING_LINES: usize = 1_000;

/// The pasted lines that wait, the next one first.
#[derive(Debug, Default)]
pub(super) struct PastedLines {
    rest: VecDeque<String>,
    /// The pasted line that ran last: its first line of text, the number of its command if it was sent to the
    /// simulation, and the time at which it ran.
    last: (String, Option<u32>, SimTime),
    /// Whether the user has been notified that other lines wait for the line `last`.
    is_notified: bool,
}

impl PastedLines {
    /// Returns whether a pasted line is waiting and can run now.
    pub(super) fn can_run_next_line(&self, session: &Session) -> bool {
        !self.rest.is_empty() && !self.last.1.is_some_and(|number| session.is_command_running(number))
    }

    fn waiting_lines(&self) -> Option<UnrunLines> {
        let first = first_text_line(self.rest.front()?).to_owned();
        let more = self.rest.len() - 1;
        Some(UnrunLines { first, more })
    }
}

fn first_text_line(line: &str) -> &str {
    line.lines().next().unwrap_or_default()
}

/// Returns whether a request drops the waiting pasted lines, because it moves the session to another instant or stops
/// commands.
pub(super) fn drops_waiting_lines(request: &Request, active: &PageSession) -> bool {
    match request {
        Request::Seek { at } => *at < active.session.now().0,
        Request::Branch { .. } | Request::Undo | Request::ShowMe => true,
        _ => matches!(request.command_lines(), [line] if line.split_whitespace().next() == Some("stop")),
    }
}

impl Host {
    /// Queues lines that were pasted together.
    pub(super) fn queue_pasted_lines(&mut self, lines: Vec<String>) -> Option<Update> {
        let active = self.active.as_ref()?;
        if self.lines.rest.len() + lines.len() > MAX_WAITING_LINES {
            return Some(error(
                active,
                Notice::TooManyLines {
                    most: MAX_WAITING_LINES,
                },
            ));
        }
        self.lines.rest.extend(lines);
        None
    }

    /// Runs the waiting pasted lines that can run now. Notifies the user once if the remaining lines must wait.
    pub(super) fn run_next_pasted_lines(&mut self) -> Vec<Update> {
        let mut updates = Vec::new();
        while self.job.is_none()
            && self
                .active
                .as_ref()
                .is_some_and(|active| self.lines.can_run_next_line(&active.session))
            && let Some(line) = self.lines.rest.pop_front()
        {
            let update = self.command(&line);
            let number = match &update {
                Update::Console { lines } => lines.first().and_then(|input| input.command),
                _ => None,
            };
            let at = self
                .active
                .as_ref()
                .map_or(SimTime::ZERO, |active| active.session.now());
            self.lines.last = (first_text_line(&line).to_owned(), number, at);
            self.lines.is_notified = false;
            self.dirty = true;
            updates.push(update);
        }
        updates.extend(self.notice_waiting_lines());
        updates
    }

    /// Notifies the user of the waiting lines if the last command keeps running.
    fn notice_waiting_lines(&mut self) -> Option<Update> {
        let (active, lines) = (self.active.as_ref()?, self.lines.waiting_lines()?);
        let (line, _, since) = &self.lines.last;
        let must_wait = self.job.is_none() && (!self.pace.playing || active.session.now() > *since + ANSWER_TIMEOUT);
        if !must_wait || std::mem::replace(&mut self.lines.is_notified, true) {
            return None;
        }
        let behind = line.clone();
        Some(notice(active, Notice::LinesWait { behind, lines }))
    }

    /// Drops the waiting pasted lines and prints which ones were dropped.
    pub(super) fn drop_pasted_lines(&mut self) -> Option<Update> {
        let waiting_lines = std::mem::take(&mut self.lines).waiting_lines()?;
        Some(error(self.active.as_ref()?, Notice::LinesDropped(waiting_lines)))
    }
}
