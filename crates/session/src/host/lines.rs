//! Lines that were given at once: each is run when the one before it has ended, as a shell does (K-01). A line that
//! goes on keeps the others waiting, and that is said; Ctrl-C ends it and drops them. Each is recorded as a command
//! with the instant at which it ran, so that a replay needs nothing of this.

use std::collections::VecDeque;

use podscope_cluster::SimTime;
use podscope_protocol::{LinesLeft, Notice, Request, Update};

use super::console::{complain, notice};
use super::{ANSWER, Host, Show};
use crate::timeline::Session;

/// So many may wait; more is refused.
const MOST: usize = 1_000;

/// Lines that wait, the next first.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rest: VecDeque<String>,
    /// The line that ran last: its first words, its command's number if it was one to the world, and when it was given.
    last: (String, Option<u32>, SimTime),
    /// What waits has been said of this one.
    said: bool,
}

impl Lines {
    /// Whether a line waits and can run now.
    pub(super) fn is_next(&self, session: &Session) -> bool {
        !self.rest.is_empty() && !self.last.1.is_some_and(|number| session.runs(number))
    }

    fn left(&self) -> Option<LinesLeft> {
        let first = first(self.rest.front()?).to_owned();
        let more = self.rest.len() - 1;
        Some(LinesLeft { first, more })
    }
}

fn first(line: &str) -> &str {
    line.lines().next().unwrap_or_default()
}

/// Whether a request takes the session away from where lines wait.
pub(super) fn leaves(request: &Request, show: &Show) -> bool {
    match request {
        Request::Seek { at } => *at < show.session.now().0,
        Request::Command { line } => line.split_whitespace().next() == Some("stop"),
        Request::Branch { .. } | Request::Undo | Request::ShowMe => true,
        _ => false,
    }
}

impl Host {
    /// Takes lines that were given at once.
    pub(super) fn take_lines(&mut self, lines: Vec<String>) -> Option<Update> {
        let show = self.show.as_ref()?;
        if self.lines.rest.len() + lines.len() > MOST {
            return Some(complain(show, Notice::TooManyLines { most: MOST }));
        }
        self.lines.rest.extend(lines);
        None
    }

    /// Runs the lines that can run now; says once what waits for one that goes on.
    pub(super) fn go_on_with_lines(&mut self) -> Vec<Update> {
        let mut updates = Vec::new();
        while self.job.is_none()
            && self.show.as_ref().is_some_and(|show| self.lines.is_next(&show.session))
            && let Some(line) = self.lines.rest.pop_front()
        {
            let told = self.command(&line);
            let number = match &told {
                Update::Console { lines } => lines.first().and_then(|input| input.command),
                _ => None,
            };
            let at = self.show.as_ref().map_or(SimTime::ZERO, |show| show.session.now());
            self.lines.last = (first(&line).to_owned(), number, at);
            self.lines.said = false;
            self.dirty = true;
            updates.push(told);
        }
        updates.extend(self.say_lines());
        updates
    }

    /// What waits, once the line before has not ended at once.
    fn say_lines(&mut self) -> Option<Update> {
        let (show, lines) = (self.show.as_ref()?, self.lines.left()?);
        let (line, _, since) = &self.lines.last;
        let goes_on = self.job.is_none() && (!self.pace.playing || show.session.now() > *since + ANSWER);
        if !goes_on || std::mem::replace(&mut self.lines.said, true) {
            return None;
        }
        let behind = line.clone();
        Some(notice(show, Notice::LinesWait { behind, lines }))
    }

    /// Nothing waits any more; what is not run is said.
    pub(super) fn drop_lines(&mut self) -> Option<Update> {
        let left = std::mem::take(&mut self.lines).left()?;
        Some(complain(self.show.as_ref()?, Notice::LinesDropped(left)))
    }
}
