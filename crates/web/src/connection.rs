//! The page's connection to the engine: pending requests, and effects of the engine's updates outside the page's state,
//! such as on stored sessions and the address.

use std::cell::RefCell;
use std::rc::Rc;

use podscope_messages::t;
use podscope_protocol::{CourseRequest, CourseUpdate, Request, SessionSource, Update};

use crate::address::last_or_welcome;
use crate::browser::{self, Warn as _, files, store};
use crate::ctl::Ctl;
use crate::engine::Engine;
use crate::pure::watch::EngineWatch;
use crate::state::Act;

/// The engine, and the state of requests that it has not answered yet.
#[derive(Default)]
pub(crate) struct Connection {
    pub(crate) engine: Option<Engine>,
    is_seeking: bool,
    /// A session is open. Until then, a source that cannot be opened is replaced by the last stored session or the
    /// first visit's cluster.
    pub(crate) has_session: bool,
    /// Whether time starts when the session opens. False for a link, because a link shows one instant.
    plays_on_open: bool,
    /// The session is a lesson that begins with a question: time starts after the user's answer.
    plays_after_answer: bool,
    /// The last requested source comes from the user: a link or a file.
    is_users_source: bool,
    /// The last requested session is the user's work and has to be stored: it is opened from a file, or the user ran a
    /// command before it had opened.
    is_users_work: bool,
    /// A session has been requested, and neither opened nor been refused yet: new commands belong to it.
    is_opening: bool,
    /// The user has worked on the session: ran a command, answered a question, or opened the session from a file.
    pub(crate) is_touched: bool,
    /// The session is the first visit's cluster or one for free play, and the user has neither run a command, nor
    /// paused time or moved to another instant.
    pub(crate) is_fresh: bool,
    seek_to: Option<i64>,
    /// The next update of the address adds an entry to the browser's history, so that Back returns to the state before.
    pub(crate) needs_history_entry: bool,
    /// The user went Back or Forward to the session that opens next, so the browser's history already has an entry for
    /// it.
    pub(crate) has_entry: bool,
    pub(crate) watch: EngineWatch,
    /// Number of requests sent to this engine, not counting [`Request::FrameDone`].
    n_sent: u64,
}

impl Connection {
    pub(crate) fn send(&mut self, request: Request) {
        if let Request::Seek { at } = request {
            self.needs_history_entry = true;
            if self.is_seeking {
                // While a seek is pending, only the latest target is kept.
                self.seek_to = Some(at);
                return;
            }
            self.is_seeking = true;
        }
        if let Request::Open { source } = &request {
            let is_link = matches!(source, SessionSource::Link { .. });
            let is_file = matches!(source, SessionSource::Files { .. });
            self.expect_session(!is_link, is_link || is_file, is_file);
            self.is_fresh = matches!(source, SessionSource::Welcome | SessionSource::Free);
        }
        if let Request::Course(CourseRequest::Practise { run, .. }) = &request {
            self.expect_session(run.is_none(), false, false);
            self.is_fresh = false;
        }
        // If the user moves time before the session is open, time does not start by itself.
        let moves = matches!(
            request,
            Request::Pause | Request::Step | Request::NextDecision | Request::Seek { .. } | Request::SkipAhead { .. }
        );
        self.plays_on_open &= self.has_session || !moves;
        let commands = !request.command_lines().is_empty();
        self.is_touched |= commands
            || matches!(
                request,
                Request::Predict { .. } | Request::TryRemedy { .. } | Request::RecordGoal { .. } | Request::Undo
            );
        self.is_users_work |= commands && self.is_opening;
        self.is_fresh &= !commands && !moves;
        self.watch.request_sent();
        if request != Request::FrameDone {
            self.n_sent += 1;
            browser::set_settled_attribute(false);
        }
        if let Some(engine) = &self.engine {
            engine.send(&request).warn();
        }
    }

    /// Records what the page has to do when the requested session opens.
    fn expect_session(&mut self, plays_on_open: bool, is_users_source: bool, is_users_work: bool) {
        self.plays_on_open = plays_on_open;
        self.is_users_source = is_users_source;
        self.is_users_work = is_users_work;
        self.is_opening = true;
    }

    /// Resets the state for a new engine, which knows nothing of earlier requests.
    pub(crate) fn reset(&mut self) {
        *self = Connection {
            engine: self.engine.take(),
            has_session: self.has_session,
            ..Connection::default()
        };
    }

    /// Updates the list of stored sessions after a session opened. The new session is stored beside the earlier ones
    /// and only replaces one that the user did not touch. Returns whether the new session is itself a stored session.
    fn session_opened(&mut self, begins_with_question: bool, stays_paused: bool) -> bool {
        // After the session has been drawn, removes the note that it is being opened. If drawing fails, the note
        // remains, and the session is not opened automatically again.
        browser::after_drawing(|| browser::after_drawing(|| store::store_opening_note(None)));
        let resumed = store::take_session_to_resume();
        self.needs_history_entry = self.has_session && !std::mem::take(&mut self.has_entry);
        match resumed {
            Some(id) => store::take_over_session(id),
            None => {
                if self.has_session {
                    store::forget_untouched(store::current_session());
                }
                store::begin_session();
            }
        }
        if let Some(id) = store::take_session_to_forget() {
            // The new session uses the history entry of the session that is forgotten.
            self.needs_history_entry = false;
            store::forget_session(id);
        }
        self.is_touched = self.is_users_work;
        self.is_opening = false;
        self.has_session = true;
        self.is_seeking = false;
        self.seek_to = None;
        let plays = std::mem::take(&mut self.plays_on_open) && !stays_paused;
        self.plays_after_answer = plays && begins_with_question;
        if plays && !begins_with_question {
            self.send(Request::Play);
        }
        resumed.is_some()
    }

    fn seek_answered(&mut self) {
        self.is_seeking = false;
        if let Some(at) = self.seek_to.take() {
            self.send(Request::Seek { at });
        }
    }
}

/// Handles an update: applies its effects on the connection and on stored sessions, then passes it to the page's state.
pub(crate) fn handle_update(update: Update, ctl: &Rc<Ctl>, connection: &Rc<RefCell<Connection>>) {
    match &update {
        Update::Settled { requests } => {
            let (requests, connection) = (*requests, connection.clone());
            // The attribute is set after the next drawing, when the earlier updates are visible.
            browser::after_drawing(move || {
                if connection.borrow().n_sent == requests {
                    browser::set_settled_attribute(true);
                }
            });
            return;
        }
        Update::Frame(frame) => {
            let is_asked = frame.story.as_ref().is_none_or(|story| story.question.is_some());
            if !is_asked && std::mem::take(&mut connection.borrow_mut().plays_after_answer) {
                ctl.send.emit(Request::Play);
            }
            // The next frame is requested after this one is drawn, so a slow page gets fewer frames.
            let (send, connection) = (ctl.send.clone(), connection.clone());
            browser::after_drawing(move || {
                connection.borrow_mut().seek_answered();
                send.emit(Request::FrameDone);
            });
        }
        Update::File { name, media_type, text } => {
            let (name, media_type, text, act) = (name.clone(), media_type.clone(), text.clone(), ctl.act.clone());
            wasm_bindgen_futures::spawn_local(async move {
                if files::save_file(&name, &media_type, &text).await.warn().is_none() {
                    act.emit(Act::Toast(t!(connection::not_saved, name = name)));
                }
            });
        }
        Update::Course(update) => {
            if let CourseUpdate::Schedule(schedule) = &**update {
                store::store_schedule(schedule);
            }
        }
        Update::Pasted { opens: true } => {
            let mut connection = connection.borrow_mut();
            connection.expect_session(true, true, true);
            connection.is_fresh = false;
        }
        Update::Opened(opened) => {
            let asks = opened.story.first().is_some_and(|step| step.question.is_some());
            let is_beside = {
                let mut connection = connection.borrow_mut();
                let was_first = !connection.has_session && connection.is_users_source;
                // A dump opens paused, with its list of problems. For a session on a server, the server decides whether
                // time runs.
                !connection.session_opened(asks, opened.is_dump || opened.is_joined) && was_first
            };
            if let Some(kept) = store::sessions().first().filter(|_| is_beside && !store::is_framed()) {
                let at = store::format_time_of_save(kept.at);
                ctl.act.emit(Act::Toast(t!(connection::session_kept, time = at)));
            }
        }
        Update::Refused { .. } => {
            store::store_opening_note(None);
            connection.borrow_mut().has_entry = false;
            let was_kept = store::take_session_to_resume().is_some();
            let is_first = {
                let mut connection = connection.borrow_mut();
                connection.seek_answered();
                connection.is_opening = false;
                !std::mem::replace(&mut connection.has_session, true)
            };
            // If the page's first source cannot be opened, the last stored session or the first visit's cluster is
            // opened instead. Stored sessions are not changed.
            if is_first {
                let source = if was_kept {
                    SessionSource::Welcome
                } else {
                    last_or_welcome(&ctl.act)
                };
                connection.borrow_mut().has_session = false;
                connection.borrow_mut().send(Request::Open { source });
            }
        }
        _ => {}
    }
    ctl.act.emit(Act::Update(Box::new(update)));
}
