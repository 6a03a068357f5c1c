//! Output with anonymised names. A second session replays the anonymised link of the session up to the cursor,
//! and the output is made from this second session.

use std::collections::VecDeque;

use podscope_cluster::SimTime;
use podscope_protocol::{ExportKind, FilmRefusal, Update};

use super::{EVENTS_PER_PIECE, Host, answers};
use crate::film::Film;
use crate::link::Link;
use crate::timeline::{Session, Slice};

/// Output that is requested from an anonymised session.
#[derive(Debug, Clone, Copy)]
pub(super) enum AnonymisedRequest {
    Export(ExportKind),
    Film { from: SimTime, to: SimTime, seconds: u32 },
    Triage,
}

/// Anonymised sessions that are being replayed, each with the requested output and the target instant.
#[derive(Debug, Default)]
pub(super) struct AnonymisedSessions(VecDeque<(AnonymisedRequest, SimTime, Box<Session>)>);

impl AnonymisedSessions {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Host {
    /// Starts an anonymised session for the requested output.
    pub(super) fn start_anonymised(&mut self, output_request: AnonymisedRequest) -> Vec<Update> {
        let Some(active) = &self.active else { return Vec::new() };
        let until = match output_request {
            AnonymisedRequest::Film { from, to, .. } if from >= to.min(active.session.horizon()) => {
                return vec![Update::Film(Err(FilmRefusal::EmptySpan))];
            }
            AnonymisedRequest::Film { to, .. } => to.min(active.session.horizon()),
            AnonymisedRequest::Export(_) | AnonymisedRequest::Triage => active.session.now(),
        };
        let link = Link::without_trace_hash(&active.session, self.lesson.as_deref(), String::new(), until).anonymised();
        match link.load().and_then(Session::new) {
            Ok(mut session) => {
                let unread = link.replay(&mut session);
                debug_assert!(unread.is_empty(), "renamed commands still parse: {unread:?}");
                self.anonymised.0.push_back((output_request, until, Box::new(session)));
                Vec::new()
            }
            Err(problems) => vec![Update::Refused { problems }],
        }
    }

    /// Continues the replay of the first anonymised session. Returns the requested output when the replay is finished.
    pub(super) fn continue_anonymised(&mut self) -> Option<Update> {
        let (_, until, session) = self.anonymised.0.front_mut()?;
        if session.advance(*until, EVENTS_PER_PIECE) == Slice::More {
            return None;
        }
        let (output_request, _, session) = self.anonymised.0.pop_front()?;
        match output_request {
            AnonymisedRequest::Export(what) => Some(answers::export(&session, what)),
            AnonymisedRequest::Triage => Some(answers::triage(&session, true)),
            AnonymisedRequest::Film { from, to, seconds } => match Film::start(&session, from, to, seconds) {
                Ok(film) => {
                    self.film = Some(film);
                    None
                }
                Err(why) => Some(Update::Film(Err(why))),
            },
        }
    }
}
