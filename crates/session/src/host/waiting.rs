//! Requests that wait for the end of a seek. During a seek the page's clock already shows the target, so the user
//! expects a command to run at the target. Such a command waits, together with all later requests that act at the
//! cursor, in the order of the requests. A pause ends the seek, and prints which requests were dropped.

use std::collections::VecDeque;

use podscope_protocol::{Micros, Notice, Request, RequestName, Update};

use super::console::{error, notice};
use super::director::proceeds_from_cursor;
use super::{ClockMillis, Host, Job};

/// Maximum number of requests that wait for the end of a seek; further requests are refused.
const MAX_WAITING_REQUESTS: usize = 1_000;

/// Requests that wait for the end of a seek, the oldest first.
#[derive(Debug, Default)]
pub(super) struct WaitingRequests {
    requests: VecDeque<Request>,
    /// Whether the user has been notified of the waiting requests.
    is_notified: bool,
}

impl WaitingRequests {
    pub(super) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }
}

/// Returns whether a request acts at the cursor, so that it must wait until a seek has reached its target.
fn acts_at_cursor(request: &Request) -> bool {
    proceeds_from_cursor(request) || matches!(request, Request::Fork | Request::Undo | Request::TryRemedy { .. })
}

/// Returns whether a request moves the cursor. Requests that already wait must run before it.
fn moves_cursor(request: &Request) -> bool {
    matches!(request, Request::Seek { .. } | Request::Branch { .. })
}

impl Host {
    /// Returns the target of the seek in progress, in microseconds. None if there is no seek.
    fn seek_target(&self) -> Option<Micros> {
        match self.job {
            Some(Job::Seek { target, .. }) => Some(target.0),
            _ => None,
        }
    }

    /// Returns whether a request must wait for the end of a seek.
    pub(super) fn must_wait(&self, request: &Request) -> bool {
        let is_seeking = matches!(self.job, Some(Job::Seek { .. }));
        let queued = !self.waiting.requests.is_empty();
        (is_seeking || queued) && acts_at_cursor(request) || queued && moves_cursor(request)
    }

    /// Queues a request that must wait for the end of a seek. Returns any other request as `Err`; the caller then
    /// handles it immediately.
    pub(super) fn queue_if_must_wait(&mut self, request: Request) -> Result<Vec<Update>, Request> {
        let waits = self.must_wait(&request);
        let Some(active) = self.active.as_ref().filter(|_| waits) else {
            return Err(request);
        };
        if let (Some(last @ Request::Seek { .. }), Request::Seek { .. }) = (self.waiting.requests.back_mut(), &request)
        {
            // While the user drags the cursor on the timeline, only the last position matters.
            *last = request;
        } else if self.waiting.requests.len() < MAX_WAITING_REQUESTS {
            self.waiting.requests.push_back(request);
        } else {
            let (most, until) = (MAX_WAITING_REQUESTS, self.seek_target());
            return Ok(vec![error(active, Notice::TooManyWait { most, until })]);
        }
        Ok(Vec::new())
    }

    /// Notifies the user, once per seek, that requests wait for its end. Called when the seek reports its progress, so
    /// a short seek causes no notice.
    pub(super) fn notify_of_waiting_requests(&mut self) -> Option<Update> {
        let (active, until) = (self.active.as_ref()?, self.seek_target()?);
        let what = RequestName::from_request(self.waiting.requests.front()?);
        if std::mem::replace(&mut self.waiting.is_notified, true) {
            return None;
        }
        Some(notice(active, Notice::RequestWaits { what, until }))
    }

    /// Drops all requests that wait for the end of a seek, and prints which ones were dropped.
    pub(super) fn drop_waiting_requests(&mut self) -> Vec<Update> {
        let left = std::mem::take(&mut self.waiting).requests;
        let (Some(active), Some(until)) = (&self.active, self.seek_target()) else {
            return Vec::new();
        };
        left.iter()
            .filter(|request| acts_at_cursor(request))
            .map(|request| {
                let what = RequestName::from_request(request);
                error(active, Notice::RequestDropped { what, until })
            })
            .collect()
    }

    /// Handles the requests that waited, in order, until one of them starts a long job.
    pub(super) fn run_waiting_requests(&mut self, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        while !matches!(self.job, Some(Job::Seek { .. } | Job::Fast))
            && let Some(request) = self.waiting.requests.pop_front()
        {
            self.waiting.is_notified = false;
            updates.extend(self.handle_now(request, clock));
        }
        updates
    }
}
