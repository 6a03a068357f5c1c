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
            Request::Check { text, revision } => vec![check(&text, revision)],
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

/// What is wrong with a text, without opening it.
fn check(text: &str, revision: u64) -> Update {
    let problems = podscope_api::parse(text).problems.into_iter().map(|problem| Problem {
        file: String::new(),
        line: problem.line,
        column: problem.column,
        path: problem.path,
        message: problem.message,
    });
    Update::Checked {
        revision,
        problems: problems.collect(),
        advice: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::Host;
    use crate::protocol::{Request, Update};

    /// P-04: the editor hears every problem with its place, and the session is not asked.
    #[test]
    fn a_check_answers_with_places() {
        let mut host = Host::new();
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\nspec: {priority: high}\n".to_string();
        let updates = host.handle(Request::Check { text, revision: 3 }, 0.0);
        let [
            Update::Checked {
                revision: 3, problems, ..
            },
        ] = updates.as_slice()
        else {
            panic!("{updates:?}")
        };
        let places: Vec<(u32, &str)> = problems.iter().map(|p| (p.line, p.path.as_str())).collect();
        assert_eq!(places, [(3, "metadata.name"), (4, "spec.priority")]);
    }
}
