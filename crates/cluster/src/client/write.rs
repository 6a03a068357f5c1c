//! Requests one after the other: create, apply, patch, scale, label, cordon.

use std::collections::VecDeque;

use super::{ClientTimer, Context, Input, Write, complain, errors_text, exit, print};
use podscope_api::{Kind, Object, ObjectKey};

use crate::{ApiError, Request, Span};

/// The state of such a command.
#[derive(Debug, Clone)]
pub(super) struct Writing {
    left: VecDeque<Write>,
    /// What was refused, with its context; told in the end.
    errors: Vec<(ApiError, super::ErrorContext)>,
    /// What was deleted, and must be gone before the next one is sent.
    going: Option<(Kind, ObjectKey)>,
}

/// How often kubectl looks whether what it deleted is gone.
const LOOK_PERIOD: Span = Span::seconds(1);

impl Writing {
    pub(super) fn new(writes: Vec<Write>) -> Self {
        Self {
            left: writes.into(),
            errors: Vec::new(),
            going: None,
        }
    }

    pub(super) fn handle(&mut self, input: Input, ctx: &mut Context<'_>) {
        match input {
            Input::Started => {}
            Input::Answered(_, Ok(_)) if self.going.is_some() => {
                ctx.timer_in(LOOK_PERIOD, ClientTimer::Poll);
                return;
            }
            Input::Answered(..) if self.going.is_some() => self.going = None,
            Input::Timer(ClientTimer::Poll) => return self.look(ctx),
            Input::Answered(_, answer) => {
                let Some(write) = self.left.pop_front() else { return };
                let deleted = match &write.request {
                    Some(Request::Delete { kind, key, .. }) if write.until_gone => Some((*kind, key.clone())),
                    _ => None,
                };
                match answer {
                    Ok(object) => {
                        warn(&write, object.as_ref(), ctx);
                        let metadata = object.as_ref().map(podscope_api::Object::metadata);
                        // An object that a change let go is gone, though its version is the old one.
                        let is_unchanged = |version: &str| {
                            metadata.is_some_and(|metadata| {
                                let is_gone = metadata.is_terminating() && metadata.finalizers.is_empty();
                                &*metadata.resource_version == version && !is_gone
                            })
                        };
                        let text = match (&write.shows, &object, &write.unchanged) {
                            // A verb that says nothing of what it did not change shows it neither.
                            (_, _, Some((version, text))) if text.is_empty() && is_unchanged(version) => String::new(),
                            (Some(show), Some(object), _) => (show.0)(object),
                            (_, _, Some((version, text))) if is_unchanged(version) => text.clone(),
                            _ => write.success,
                        };
                        let name = metadata.map_or("", |metadata| &metadata.name);
                        let is_shown = write.shows.is_some();
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
                    self.going = Some((kind, key));
                    return self.look(ctx);
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
                errors_text(&errors).into_iter().for_each(|line| complain(ctx, line));
                exit(ctx, !errors.is_empty());
            }
        }
    }
}

impl Writing {
    /// Asks for what was deleted.
    fn look(&self, ctx: &mut Context<'_>) {
        if let Some((kind, key)) = self.going.clone() {
            ctx.call(Request::Get { kind, key });
        }
    }
}

/// The API server's warnings: of what was sent, or of what a patch made.
fn warn(write: &Write, answered: Option<&Object>, ctx: &mut Context<'_>) {
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
        super::warn(ctx, warning);
    }
}
