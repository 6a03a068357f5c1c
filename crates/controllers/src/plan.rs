//! What a sync asks for: steps of requests that may go out together, a step only after the previous one succeeded,
//! and what counts as success.

use std::collections::VecDeque;

use podscope_api::{Object, Uid};
use podscope_sim::{Answer, ApiError, EventNote, Request, Span};

/// Why a plan was not carried out to its end.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The first request that was refused or timed out.
    pub(super) request: Request,
    pub(super) error: ApiError,
    /// What was not tried any more.
    pub(super) dropped: Vec<Request>,
}

/// What a sync wants done.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub(super) steps: VecDeque<Vec<Action>>,
    pub(super) requeue_after: Option<Span>,
    pub(super) failed: bool,
}

impl Plan {
    /// A plan of one request.
    pub(super) fn one(action: impl Into<Action>) -> Self {
        Self::default().then(vec![action.into()])
    }

    /// A sync that could not be done; the key is retried with back-off.
    pub(super) fn failure() -> Self {
        Self {
            failed: true,
            ..Self::default()
        }
    }

    /// Adds a step of requests that may go out together.
    pub(super) fn then(mut self, actions: Vec<Action>) -> Self {
        if !actions.is_empty() {
            self.steps.push_back(actions);
        }
        self
    }

    /// Adds a step of one request.
    pub(super) fn then_one(self, action: impl Into<Action>) -> Self {
        self.then(vec![action.into()])
    }

    /// Adds steps of 1, 2, 4, … requests, so that a persistent failure costs few (CT-056).
    pub(super) fn then_slowly(mut self, actions: Vec<Action>) -> Self {
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

    /// Syncs the key again after a while, when everything went well.
    pub(super) fn requeue_after(mut self, span: Option<Span>) -> Self {
        self.requeue_after = match (self.requeue_after, span) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self
    }

    /// Retries the key with back-off when the requests are done, as a sync that returns an error.
    pub(super) fn and_retry(mut self, retry: bool) -> Self {
        self.failed |= retry;
        self
    }
}

/// Which answers let a plan go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Accept {
    /// Success only.
    Success,
    /// Success, or "already gone".
    OrNotFound,
    /// Success, or "already there".
    OrAlreadyExists,
    /// Success, or the namespace is ending (CT-056).
    OrNamespaceTerminating,
    /// Whatever the answer, the plan goes on.
    Anything,
    /// The live object must have this UID and not be terminating (CT-060); otherwise the plan ends, to be retried.
    LiveOwner(Uid),
    /// Only NotFound goes on; an existing object ends the plan quietly (CT-048).
    OnlyNotFound,
    /// No object of that UID: NotFound, or another one of the name (CT-152).
    Gone(Uid),
    /// A Node that does not report the volume in use, or none at all (CT-132).
    NotInUse(podscope_api::Str),
    /// A failure ends the plan quietly: the next periodic pass sees to it.
    OrStop,
}

/// Whether a plan goes on after an answer.
pub(super) enum GoesOn {
    Yes,
    No,
    Fail(ApiError),
}

impl Accept {
    pub(super) fn judge(&self, answer: &Answer) -> GoesOn {
        match (self, answer) {
            (Self::Anything, _) => GoesOn::Yes,
            (Self::LiveOwner(uid), Ok(Some(owner))) => {
                if owner.metadata().uid == *uid && !owner.metadata().is_terminating() {
                    GoesOn::Yes
                } else {
                    GoesOn::No
                }
            }
            (Self::OnlyNotFound, Ok(_)) => GoesOn::No,
            (Self::Gone(uid), Ok(found)) => {
                let is_it = found.as_ref().is_some_and(|object| object.metadata().uid == *uid);
                if is_it { GoesOn::No } else { GoesOn::Yes }
            }
            (Self::NotInUse(volume), Ok(Some(Object::Node(node)))) if node.status.volumes_in_use.contains(volume) => {
                GoesOn::No
            }
            (Self::OnlyNotFound | Self::OrNotFound | Self::Gone(_) | Self::NotInUse(_), Err(error))
                if error.code == 404 =>
            {
                GoesOn::Yes
            }
            (Self::OnlyNotFound | Self::OrStop, Err(_)) => GoesOn::No,
            (Self::OrAlreadyExists, Err(error)) if error.is_already_exists() => GoesOn::Yes,
            (Self::OrNamespaceTerminating, Err(error)) if is_namespace_terminating(error) => GoesOn::Yes,
            (_, Ok(_)) => GoesOn::Yes,
            (_, Err(error)) => GoesOn::Fail(error.clone()),
        }
    }
}

/// Whether a create was refused because its namespace is being deleted (CT-119).
pub(super) fn is_namespace_terminating(error: &ApiError) -> bool {
    error.causes.iter().any(|cause| cause.about == "NamespaceTerminating")
}

/// One request with what is said about its outcome. In the events' texts `{name}` stands for the name in the answer, `{error}` for the refusal.
#[derive(Debug, Clone)]
pub(super) struct Action {
    pub(super) request: Request,
    pub(super) accept: Accept,
    pub(super) on_success: Vec<EventNote>,
    pub(super) on_failure: Vec<EventNote>,
    /// Whether it is sent though an action before it failed, as the status step of most controllers is.
    pub(super) is_always: bool,
}

impl From<Request> for Action {
    fn from(request: Request) -> Self {
        Self {
            request,
            accept: Accept::Success,
            on_success: Vec::new(),
            on_failure: Vec::new(),
            is_always: false,
        }
    }
}

impl Action {
    pub(super) fn accept(mut self, accept: Accept) -> Self {
        self.accept = accept;
        self
    }

    /// Sent even if an action before it failed, unless that one was of this sort itself.
    pub(super) fn always(mut self) -> Self {
        self.is_always = true;
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
