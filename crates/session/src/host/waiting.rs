//! What is asked for on the way to an instant. Who seeks and then gives a command means it for the instant that the
//! clock already shows, not for wherever the replay happens to be: it waits until the seek has arrived, and so does
//! whatever acts at the cursor after it, in the order in which it was asked for. A pause ends the way, and says what it
//! leaves undone.

use std::collections::VecDeque;

use podscope_protocol::{Asked, Micros, Notice, Request, Update};

use super::console::{complain, notice};
use super::{ClockMillis, Host, Job};

/// So much may wait; more is refused.
const MOST: usize = 1_000;

/// Requests that wait for the end of a seek, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    requests: VecDeque<Request>,
    /// That something waits has been said.
    said: bool,
}

impl Waiting {
    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }
}

/// Whether a request acts at the cursor: on the way to an instant that is nowhere yet.
fn acts_at_the_cursor(request: &Request) -> bool {
    matches!(
        request,
        Request::Command { .. }
            | Request::Commands { .. }
            | Request::Play
            | Request::Step
            | Request::NextDecision
            | Request::SkipAhead
            | Request::SkipToStory
            | Request::Fork
            | Request::Undo
            | Request::TryRemedy { .. }
    )
}

/// Whether a request sends the cursor elsewhere: what waits before it is done where it was meant.
fn leaves(request: &Request) -> bool {
    matches!(request, Request::Seek { .. } | Request::Branch { .. })
}

impl Host {
    /// Where a seek under way goes.
    fn goes_to(&self) -> Option<Micros> {
        match self.job {
            Some(Job::Seek { target, .. }) => Some(target.0),
            _ => None,
        }
    }

    /// Takes what has to wait for the end of a seek; gives back what can be done now.
    pub(super) fn wait(&mut self, request: Request) -> Result<Vec<Update>, Request> {
        let is_on_the_way = matches!(self.job, Some(Job::Seek { .. }));
        let queued = !self.waiting.requests.is_empty();
        let waits = (is_on_the_way || queued) && acts_at_the_cursor(&request) || queued && leaves(&request);
        let Some(show) = self.show.as_ref().filter(|_| waits) else {
            return Err(request);
        };
        if let (Some(last @ Request::Seek { .. }), Request::Seek { .. }) = (self.waiting.requests.back_mut(), &request)
        {
            // Of a scrub only the last place matters.
            *last = request;
        } else if self.waiting.requests.len() < MOST {
            self.waiting.requests.push_back(request);
        } else {
            let (most, until) = (MOST, self.goes_to());
            return Ok(vec![complain(show, Notice::TooManyWait { most, until })]);
        }
        Ok(Vec::new())
    }

    /// What waits, said once a seek takes so long that it is told how far it is.
    pub(super) fn say_waiting(&mut self) -> Option<Update> {
        let (show, until) = (self.show.as_ref()?, self.goes_to()?);
        let what = Asked::of(self.waiting.requests.front()?);
        if std::mem::replace(&mut self.waiting.said, true) {
            return None;
        }
        Some(notice(show, Notice::Waits { what, until }))
    }

    /// Nothing waits any more; what is left undone is said.
    pub(super) fn forget_waiting(&mut self) -> Vec<Update> {
        let left = std::mem::take(&mut self.waiting).requests;
        let (Some(show), Some(until)) = (&self.show, self.goes_to()) else {
            return Vec::new();
        };
        left.iter()
            .filter(|request| acts_at_the_cursor(request))
            .map(|request| {
                let what = Asked::of(request);
                complain(show, Notice::NotDone { what, until })
            })
            .collect()
    }

    /// Does what waited, in its order, until something of it goes on its own way.
    pub(super) fn go_on_with_waiting(&mut self, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        while !matches!(self.job, Some(Job::Seek { .. } | Job::Fast))
            && let Some(request) = self.waiting.requests.pop_front()
        {
            self.waiting.said = false;
            updates.extend(self.act_now(request, clock));
        }
        updates
    }
}
