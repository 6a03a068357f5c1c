//! The engine's side of the protocol: requests in, updates out, work in small pieces.
//!
//! It runs the same in a worker and in-process. The clock of the machine it runs on is an
//! argument: only [`Request::Play`] looks at it.

use crate::protocol::{Problem, Request, Update};

/// Milliseconds of a clock that only goes forward; its zero means nothing.
pub type ClockMillis = f64;

/// When the host wants to [`Host::work`] next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wants {
    /// Nothing to do until a request comes.
    Rest,
    /// At once: work is left.
    Now,
    /// At that time of the clock: the next frame of a session that plays.
    At(ClockMillis),
}

/// An engine with its session.
#[derive(Debug, Default)]
pub struct Host {}

impl Host {
    /// An engine without a session.
    #[must_use]
    pub fn new() -> Host {
        Host::default()
    }

    /// What the page hears first.
    #[must_use]
    pub fn hello(&self) -> Update {
        Update::Hello {
            version: env!("CARGO_PKG_VERSION").to_string(),
            lessons: Vec::new(),
        }
    }

    /// Takes a request. Returns quickly: long work is left for [`Host::work`].
    pub fn handle(&mut self, request: Request, _clock: ClockMillis) -> Vec<Update> {
        match request {
            Request::Open { .. } => vec![Update::Refused {
                problems: vec![Problem {
                    file: String::new(),
                    line: 0,
                    column: 0,
                    path: String::new(),
                    message: "this engine cannot open sessions yet".to_string(),
                }],
            }],
            _ => Vec::new(),
        }
    }

    /// When to call [`Host::work`].
    #[must_use]
    pub fn wants(&self) -> Wants {
        Wants::Rest
    }

    /// Does a small piece of work (about a millisecond).
    pub fn work(&mut self, _clock: ClockMillis) -> Vec<Update> {
        Vec::new()
    }
}
