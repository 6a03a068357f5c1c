//! Clients: commands that live through time (drain, delete that waits,
//! rollout status), as actors that meet partitions like real ones.

use crate::{ApiError, Ctx, Effect, Input, Request};

/// A timer of a client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientTimer {}

/// What a client does.
#[derive(Debug, Clone)]
pub enum ClientCommand {
    /// Sends the requests one after the other and prints refusals.
    Requests(Vec<Request>),
}

/// One running command.
#[derive(Debug, Clone)]
pub struct Client {
    requests: std::collections::VecDeque<Request>,
    has_failed: bool,
}

impl Client {
    /// A client that has not started.
    pub fn new(command: ClientCommand) -> Self {
        let ClientCommand::Requests(requests) = command;
        Self {
            requests: requests.into(),
            has_failed: false,
        }
    }
    /// Whether it watches objects.
    pub(crate) fn watches(&self) -> bool {
        false
    }
    /// One step.
    pub fn handle(&mut self, input: Input, ctx: &mut Ctx<'_>) {
        match input {
            Input::Started => {}
            Input::Answered(_, answer) => {
                if let Err(error) = answer {
                    self.has_failed = true;
                    ctx.push(Effect::Print {
                        is_error: true,
                        text: error_text(&error),
                    });
                }
            }
            Input::Listed { .. } | Input::Changed(_) | Input::Timer(_) => return,
        }
        match self.requests.pop_front() {
            Some(request) => {
                ctx.call(request);
            }
            None => ctx.push(Effect::Exit(u8::from(self.has_failed))),
        }
    }
}

/// How kubectl prints an API error (KC-116).
pub fn error_text(error: &ApiError) -> String {
    match error.reason {
        "ConnectionRefused" => error.message.clone(),
        "Invalid" => format!("The {}", error.message),
        reason => format!("Error from server ({reason}): {}", error.message),
    }
}
