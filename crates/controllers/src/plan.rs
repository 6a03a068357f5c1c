//! The result of a sync: steps of requests, and the answers that count as success. The requests of a step are sent
//! together, and a step is sent after the previous one succeeded.

use std::collections::VecDeque;

use podscope_api::{Object, Uid};
use podscope_sim::{Answer, ApiError, EventNote, Request, Span};

/// The failure that stopped a plan.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The first request that was refused or timed out.
    pub(super) request: Request,
    pub(super) error: ApiError,
    /// Requests that were not sent because of the failure.
    pub(super) dropped: Vec<Request>,
}

/// The requests of a sync.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub(super) steps: VecDeque<Vec<Action>>,
    pub(super) requeue_after: Option<Span>,
    pub(super) failed: bool,
}

impl Plan {
    /// Returns a plan with one request.
    pub(super) fn one(action: impl Into<Action>) -> Self {
        Self::default().then(vec![action.into()])
    }

    /// Returns a failed sync without requests; the key is retried with back-off.
    pub(super) fn failure() -> Self {
        Self {
            failed: true,
            ..Self::default()
        }
    }

    /// Adds a step of requests that are sent together.
    pub(super) fn then(mut self, actions: Vec<Action>) -> Self {
        if !actions.is_empty() {
            self.steps.push_back(actions);
        }
        self
    }

    /// Adds a step with one request.
    pub(super) fn then_action(self, action: impl Into<Action>) -> Self {
        self.then(vec![action.into()])
    }

    /// Adds steps of 1, 2, 4, … requests, so that a persistent failure costs few requests (CT-056).
    pub(super) fn then_in_growing_batches(mut self, actions: Vec<Action>) -> Self {
        let mut rest = actions.into_iter();
        let mut size = 1;
        loop {
            let batch: Vec<Action> = rest.by_ref().take(size).collect();
            if batch.is_empty() {
                return self;
            }
            self.steps.push_back(batch);
            size *= 2;
        }
    }

    /// Requests another sync of the key after `span` if the plan succeeds.
    pub(super) fn requeue_after(mut self, span: Option<Span>) -> Self {
        self.requeue_after = match (self.requeue_after, span) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self
    }

    /// If `retry` is true, the key is retried with back-off after the requests, as if the sync had returned an error.
    pub(super) fn and_retry(mut self, retry: bool) -> Self {
        self.failed |= retry;
        self
    }
}

/// Which answers to a request let its plan continue with the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Accept {
    /// The plan continues only after a success.
    Success,
    /// The plan continues after a success or NotFound.
    OrNotFound,
    /// The plan continues after a success or AlreadyExists.
    OrAlreadyExists,
    /// The plan continues after a success, or after a refusal because the namespace is terminating (CT-056).
    OrNamespaceTerminating,
    /// The plan continues after any answer.
    Anything,
    /// The plan continues if the object has this UID and is not terminating (CT-060). Otherwise it ends without an
    /// error.
    LiveOwner(Uid),
    /// The plan continues only after NotFound. If the object exists, it ends without an error (CT-048).
    OnlyNotFound,
    /// The plan continues if no object has this UID: after NotFound, or after an object with another UID (CT-152).
    Gone(Uid),
    /// The plan continues after NotFound, or after a Node that does not list the volume in `volumesInUse` (CT-132).
    NotInUse(podscope_api::Str),
    /// The plan continues after a success. After a failure it ends without an error; the next periodic pass tries
    /// again.
    OrStop,
}

/// The effect of an answer on the plan.
pub(super) enum AnswerEffect {
    Continue,
    Stop,
    Fail(ApiError),
}

impl Accept {
    pub(super) fn effect_of(&self, answer: &Answer) -> AnswerEffect {
        match (self, answer) {
            (Self::Anything, _) => AnswerEffect::Continue,
            (Self::LiveOwner(uid), Ok(Some(owner))) => {
                if owner.metadata().uid == *uid && !owner.metadata().is_terminating() {
                    AnswerEffect::Continue
                } else {
                    AnswerEffect::Stop
                }
            }
            (Self::OnlyNotFound, Ok(_)) => AnswerEffect::Stop,
            (Self::Gone(uid), Ok(found)) => {
                let is_same_object = found.as_ref().is_some_and(|object| object.metadata().uid == *uid);
                if is_same_object {
                    AnswerEffect::Stop
                } else {
                    AnswerEffect::Continue
                }
            }
            (Self::NotInUse(volume), Ok(Some(Object::Node(node)))) if node.status.volumes_in_use.contains(volume) => {
                AnswerEffect::Stop
            }
            (Self::OnlyNotFound | Self::OrNotFound | Self::Gone(_) | Self::NotInUse(_), Err(error))
                if error.code == 404 =>
            {
                AnswerEffect::Continue
            }
            (Self::OnlyNotFound | Self::OrStop, Err(_)) => AnswerEffect::Stop,
            (Self::OrAlreadyExists, Err(error)) if error.is_already_exists() => AnswerEffect::Continue,
            (Self::OrNamespaceTerminating, Err(error)) if is_namespace_terminating(error) => AnswerEffect::Continue,
            (_, Ok(_)) => AnswerEffect::Continue,
            (_, Err(error)) => AnswerEffect::Fail(error.clone()),
        }
    }
}

/// Returns whether a create was refused because its namespace is being deleted (CT-119).
pub(super) fn is_namespace_terminating(error: &ApiError) -> bool {
    error.causes.iter().any(|cause| cause.about == "NamespaceTerminating")
}

/// A request with events about its outcome. In their messages `{name}` stands for the object name in the answer,
/// `{error}` for the error message.
#[derive(Debug, Clone)]
pub(super) struct Action {
    pub(super) request: Request,
    pub(super) accept: Accept,
    pub(super) on_success: Vec<EventNote>,
    pub(super) on_failure: Vec<EventNote>,
    /// Whether the request is sent even if an earlier action failed, as most controllers do with the status update.
    pub(super) is_sent_after_failure: bool,
}

impl From<Request> for Action {
    fn from(request: Request) -> Self {
        Self {
            request,
            accept: Accept::Success,
            on_success: Vec::new(),
            on_failure: Vec::new(),
            is_sent_after_failure: false,
        }
    }
}

impl Action {
    pub(super) fn accept(mut self, accept: Accept) -> Self {
        self.accept = accept;
        self
    }

    /// Sends the request even if an earlier action failed, unless that action is also marked in this way.
    pub(super) fn even_after_failure(mut self) -> Self {
        self.is_sent_after_failure = true;
        self
    }

    pub(super) fn on_success(mut self, note: EventNote) -> Self {
        self.on_success.push(note);
        self
    }

    pub(super) fn on_failure(mut self, note: EventNote) -> Self {
        self.on_failure.push(note);
        self
    }
}
