//! What leaves with its objects renamed: it is made of a second session, that of the link without names, which is
//! played to where this one stands.

use std::collections::VecDeque;

use podscope_cluster::SimTime;
use podscope_protocol::{ExportKind, NoFilm, Update};

use super::{Host, PIECE, answers};
use crate::film::Film;
use crate::link::Link;
use crate::timeline::{Session, Slice};

/// What is asked of the session without names.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asked {
    Export(ExportKind),
    Film { from: SimTime, to: SimTime, seconds: u32 },
    Triage,
}

/// Sessions without names on their way to an instant, each with what is asked of it there.
#[derive(Debug, Default)]
pub(super) struct Nameless(VecDeque<(Asked, SimTime, Box<Session>)>);

impl Nameless {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Host {
    /// Asks something of the same session with other names.
    pub(super) fn renamed(&mut self, asked: Asked) -> Vec<Update> {
        let Some(show) = &self.show else { return Vec::new() };
        let until = match asked {
            Asked::Film { from, to, .. } if from >= to.min(show.session.horizon()) => {
                return vec![Update::Film(Err(NoFilm::NothingPlayed))];
            }
            Asked::Film { to, .. } => to.min(show.session.horizon()),
            Asked::Export(_) | Asked::Triage => show.session.now(),
        };
        let link = Link::until(&show.session, self.lesson.as_deref(), String::new(), until).anonymised();
        match link.load().and_then(Session::new) {
            Ok(mut session) => {
                let unread = link.replay(&mut session);
                debug_assert!(unread.is_empty(), "a renamed command is one: {unread:?}");
                self.nameless.0.push_back((asked, until, Box::new(session)));
                Vec::new()
            }
            Err(problems) => vec![Update::Refused { problems }],
        }
    }

    /// A piece of the way of the first of them, or its answer.
    pub(super) fn go_on_renaming(&mut self) -> Option<Update> {
        let (_, until, session) = self.nameless.0.front_mut()?;
        if session.advance(*until, PIECE) == Slice::More {
            return None;
        }
        let (asked, _, session) = self.nameless.0.pop_front()?;
        match asked {
            Asked::Export(what) => Some(answers::export(&session, what)),
            Asked::Triage => Some(answers::triage(&session, true)),
            Asked::Film { from, to, seconds } => match Film::start(&session, from, to, seconds) {
                Ok(film) => {
                    self.film = Some(film);
                    None
                }
                Err(why) => Some(Update::Film(Err(why))),
            },
        }
    }
}
