//! Requests that are sent one after the other: create, apply, patch, scale, label, cordon.

use std::collections::VecDeque;

use super::{ClientTimer, Context, Input, Write, errors_text, exit, print, print_error};
use podscope_api::{Kind, Object, ObjectKey};

use crate::{ApiError, Request, Span};

/// State of a command that sends requests one after the other.
#[derive(Debug, Clone)]
pub(super) struct WriteClient {
    left: VecDeque<Write>,
    /// Errors with their contexts; printed when the command ends.
    errors: Vec<(ApiError, super::ErrorContext)>,
    /// The deleted object that must be gone before the next request is sent.
    deleting: Option<(Kind, ObjectKey)>,
}

/// Interval at which kubectl checks whether a deleted object is gone.
const DELETION_POLL_INTERVAL: Span = Span::seconds(1);

impl WriteClient {
    pub(super) fn new(writes: Vec<Write>) -> Self {
        Self {
            left: writes.into(),
            errors: Vec::new(),
            deleting: None,
        }
    }

    pub(super) fn handle(&mut self, input: Input, ctx: &mut Context<'_>) {
        match input {
            Input::Started => {}
            Input::Answered(_, Ok(_)) if self.deleting.is_some() => {
                ctx.timer_in(DELETION_POLL_INTERVAL, ClientTimer::Poll);
                return;
            }
            Input::Answered(..) if self.deleting.is_some() => self.deleting = None,
            Input::Timer(ClientTimer::Poll) => return self.request_deleted_object(ctx),
            Input::Answered(_, answer) => {
                let Some(write) = self.left.pop_front() else { return };
                let deleted = match &write.request {
                    Some(Request::Delete { kind, key, .. }) if write.until_gone => Some((*kind, key.clone())),
                    _ => None,
                };
                match answer {
                    Ok(object) => {
                        print_server_warnings(&write, object.as_ref(), ctx);
                        let metadata = object.as_ref().map(podscope_api::Object::metadata);
                        // If a patch removed the last finalizer of a terminating object, the object is gone although
                        // its version did not change.
                        let is_unchanged = |version: &str| {
                            metadata.is_some_and(|metadata| {
                                let is_deleted = metadata.is_terminating() && metadata.finalizers.is_empty();
                                &*metadata.resource_version == version && !is_deleted
                            })
                        };
                        let text = match (&write.formatter, &object, &write.unchanged) {
                            // A command that prints nothing about an unchanged object does not print the object either.
                            (_, _, Some((version, text))) if text.is_empty() && is_unchanged(version) => String::new(),
                            (Some(show), Some(object), _) => (show.0)(object),
                            (_, _, Some((version, text))) if is_unchanged(version) => text.clone(),
                            _ => write.success,
                        };
                        let name = metadata.map_or("", |metadata| &metadata.name);
                        let is_shown = write.formatter.is_some();
                        print(ctx, if is_shown { text } else { text.replace("{name}", name) });
                    }
                    Err(error) if matches!(error.code, 409 | 422) && !write.instead.is_empty() => {
                        write
                            .instead
                            .into_iter()
                            .rev()
                            .for_each(|one| self.left.push_front(one));
                    }
                    Err(error) => self.errors.push((error, write.context)),
                }
                if let Some((kind, key)) = deleted {
                    self.deleting = Some((kind, key));
                    return self.request_deleted_object(ctx);
                }
            }
            Input::Listed { .. } | Input::Changed(_) | Input::Timer(_) => return,
        }
        while let Some(line) = self.left.pop_front_if(|write| write.request.is_none()) {
            print(ctx, line.success);
        }
        match self.left.front().and_then(|write| write.request.clone()) {
            Some(request) => drop(ctx.call(request)),
            None => {
                let errors = std::mem::take(&mut self.errors);
                errors_text(&errors).into_iter().for_each(|line| print_error(ctx, line));
                exit(ctx, !errors.is_empty());
            }
        }
    }
}

impl WriteClient {
    /// Reads the deleted object, to check whether it is gone.
    fn request_deleted_object(&self, ctx: &mut Context<'_>) {
        if let Some((kind, key)) = self.deleting.clone() {
            ctx.call(Request::Get { kind, key });
        }
    }
}

/// Prints the API server's warnings about the object that was sent, or that a patch produced.
fn print_server_warnings(write: &Write, answered: Option<&Object>, ctx: &mut Context<'_>) {
    let request = match &write.request {
        Some(Request::DryRun(request)) => Some(&**request),
        request => request.as_ref(),
    };
    let written = match request {
        Some(Request::Create(object)) => Some(object),
        Some(Request::Patch { .. } | Request::Apply(_)) => answered.filter(|object| {
            let version = &object.metadata().resource_version;
            write.unchanged.as_ref().is_none_or(|(before, _)| before != version)
        }),
        _ => None,
    };
    for warning in written.map(podscope_api::warnings).into_iter().flatten() {
        super::print_warning(ctx, warning);
    }
}
