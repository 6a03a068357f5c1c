//! Builds frames for the page, together with updates of the console and the inspector.

use podscope_protocol::{CausalThread, Director, Frame, ServiceRequests, StoryState, Update};

use super::console::new_output;
use super::{ClockMillis, EVENTS_PER_PIECE, Host, Job, director};
use crate::timeline::{Session, Slice};
use crate::view::{self, Marks, Owners, SpreadRow, ThreadTracker, TrafficCursor, ViewState};

/// A session that the page shows, with the state that the page has already received.
#[derive(Debug)]
pub(super) struct PageSession {
    pub(super) session: Session,
    pub(super) view_state: ViewState,
    pub(super) owners: Owners,
    pub(super) marks: Marks,
    pub(super) spread: SpreadRow,
    pub(super) threads: ThreadTracker,
    /// The thread (chain of causes of the selected object) that was last sent to the page.
    pub(super) thread: CausalThread,
    pub(super) traffic_view: TrafficCursor,
    /// Number of output lines of `console_branch` that the console has already shown.
    pub(super) console_seen: usize,
    pub(super) console_branch: usize,
    pub(super) director: Director,
    /// Rates of client requests to each Service, as in the last frame.
    requests: Vec<ServiceRequests>,
}

impl PageSession {
    pub(super) fn new(session: Session) -> PageSession {
        PageSession {
            session,
            view_state: ViewState::default(),
            owners: Owners::default(),
            marks: Marks::default(),
            spread: SpreadRow::default(),
            threads: ThreadTracker::default(),
            thread: CausalThread::default(),
            traffic_view: TrafficCursor::default(),
            console_seen: 0,
            console_branch: 0,
            director: Director::default(),
            requests: Vec::new(),
        }
    }

    fn frame(&mut self, group_by: &str, story: StoryState) -> Frame {
        let mut frame = (self.view_state).update(&self.session, group_by, &mut self.owners, story);
        if frame.reset {
            self.marks = Marks::default();
            self.spread = SpreadRow::default();
            self.requests.clear();
        }
        let (marks, gone) = view::new_marks(&mut self.marks, &self.session);
        frame.marks = marks;
        frame.traffic = self.traffic_view.update(&self.session, frame.reset);
        frame.marks_gone = gone;
        let requests = view::service_requests(&self.session);
        if self.requests != requests {
            self.requests.clone_from(&requests);
            frame.requests = Some(requests);
        }
        frame.now = self.session.now().0;
        frame.horizon = self.session.horizon().0;
        frame
    }
}

impl Host {
    /// Builds the next frame, with updates of console and inspector.
    pub(super) fn frame(&mut self, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        let Some(active) = &mut self.active else {
            return updates;
        };
        self.dirty = false;
        let mut story = self.reader.state(&active.session);
        story.moments = self.moments.pictures(active);
        let mut frame = active.frame(&self.group_by, story);
        frame.playing = self.pace.playing;
        frame.speed_per_mille = self.pace.speed_per_mille;
        frame.achieved_per_mille = self.pace.achieved_speed(clock, active.session.now());
        let fast = self.fast.as_ref().filter(|_| self.job == Some(Job::Fast));
        let now = director::view_for_frame(&active.session, &self.reader, fast, self.caption.as_ref());
        if frame.reset || active.director != now {
            active.director = now.clone();
            frame.director = Some(now);
        }
        frame.spread = (active.spread).update(&active.session, self.subject.as_ref(), &self.group_by);
        let pending = director::pending_object_events(&active.session, &self.reader, self.subject.as_ref());
        let thread = (active.threads)
            .update(&active.session, self.subject.as_ref(), &active.marks, pending)
            .unwrap_or_default();
        if frame.reset || active.thread != thread {
            active.thread.clone_from(&thread);
            frame.thread = Some(thread);
        }
        self.dirty = active.spread.has_unprocessed_records(&active.session)
            || active.threads.has_unprocessed_records(&active.session);
        if let Some(other) = &mut self.other {
            other.session.seek(active.session.now());
            self.is_other_behind = other.session.advance(active.session.now(), 20 * EVENTS_PER_PIECE) == Slice::More;
            frame.other = Some(Box::new(other.frame(&self.group_by, StoryState::default())));
        }
        let lines = new_output(active);
        if !lines.is_empty() {
            updates.push(Update::Console { lines });
        }
        if let Some(subject) = &self.subject {
            let detail = view::detail(&active.session, subject, &active.marks.all());
            if self.detail.as_ref() != Some(&detail) {
                updates.push(Update::Detail(Box::new(detail.clone())));
                self.detail = Some(detail);
            }
        }
        updates.push(Update::Frame(Box::new(frame)));
        self.last_frame.frame_built(clock);
        updates
    }
}
