//! The client of a program that calls the API over HTTP: it sends all requests at once and returns the answers in the
//! order of the requests. It prints nothing.

use super::{ClientAct, Context, Input, exit};
use crate::{Answer, CallId, Request};

/// State of a client that sends the requests of a program over HTTP.
#[derive(Debug, Clone)]
pub(super) struct ApiClient {
    requests: Vec<Request>,
    /// The sent calls, each with its answer once that has arrived.
    calls: Vec<(CallId, Option<Answer>)>,
}

impl ApiClient {
    pub(super) fn new(requests: Vec<Request>) -> Self {
        Self {
            requests,
            calls: Vec::new(),
        }
    }

    pub(super) fn handle(&mut self, input: Input, ctx: &mut Context<'_>) {
        match input {
            Input::Started => {
                for request in std::mem::take(&mut self.requests) {
                    self.calls.push((ctx.call(request), None));
                }
            }
            Input::Answered(id, answer) => {
                if let Some((_, place)) = self.calls.iter_mut().find(|(call, _)| *call == id) {
                    *place = Some(answer);
                }
            }
            Input::Listed { .. } | Input::Changed(_) | Input::Timer(_) => return,
        }
        if self.calls.iter().all(|(_, answer)| answer.is_some()) {
            self.return_answers(ctx);
        }
    }

    /// Returns all answers to the program that sent the requests, and exits.
    fn return_answers(&mut self, ctx: &mut Context<'_>) {
        let answers: Vec<Answer> = self.calls.drain(..).filter_map(|(_, answer)| answer).collect();
        let has_failed = answers.iter().any(Result::is_err);
        ctx.act(ClientAct::Answer(answers));
        exit(ctx, has_failed);
    }
}
