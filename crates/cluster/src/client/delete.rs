//! `kubectl delete`: prints a line when the server accepts the deletion, then waits until the UID is gone (KC-079 to
//! KC-084).

use podscope_api::{Kind, Object, ObjectKey, Uid};

use super::{
    ClientTimer, Context, DeleteCommand, DryRun, Input, View, deletion_message, error_text, exit, object_name, print,
    print_error, print_warning, resource_version_of, set_timeout,
};
use crate::Request;

/// Warning printed before a forced deletion (KC-082).
pub const FORCE_WARNING: &str = "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.";

/// A deletion that the server accepted and whose completion `kubectl delete` waits for.
#[derive(Debug, Clone)]
struct PendingDeletion {
    kind: Kind,
    key: ObjectKey,
    uid: Uid,
    /// resourceVersion that the watch must have reached before a missing object counts as deleted.
    version: u64,
}

/// State of a running `kubectl delete`.
#[derive(Debug, Clone)]
pub(super) struct DeleteClient {
    command: DeleteCommand,
    next: usize,
    awaited: Vec<PendingDeletion>,
    has_failed: bool,
}

impl DeleteClient {
    pub(super) fn new(command: DeleteCommand) -> Self {
        Self {
            command,
            next: 0,
            awaited: Vec::new(),
            has_failed: false,
        }
    }

    pub(super) fn must_wait(&self) -> bool {
        self.command.wait && self.command.dry_run == DryRun::None
    }

    fn is_forced(&self) -> bool {
        self.command.options.grace_seconds == Some(0)
    }

    pub(super) fn handle(&mut self, input: Input, view: &View, ctx: &mut Context<'_>) {
        match input {
            Input::Started => {
                for warning in &self.command.warnings {
                    print_warning(ctx, warning);
                }
                if self.is_forced() {
                    print_warning(ctx, FORCE_WARNING);
                }
                set_timeout(self.command.timeout, ctx);
                self.send_deletions(ctx);
            }
            Input::Answered(_, answer) => {
                let Some((kind, key)) = self.command.targets.get(self.next).cloned() else {
                    return;
                };
                self.next += 1;
                if answer.is_err() {
                    print(ctx, std::mem::take(&mut self.command.question));
                }
                match answer {
                    Ok(object) => self.handle_accepted_deletion(kind, key, object.as_ref(), ctx),
                    Err(error) if error.is_not_found() && self.command.ignore_not_found => {}
                    Err(error) => {
                        self.has_failed = true;
                        print_error(ctx, error_text(&error, &self.command.context));
                    }
                }
                self.send_deletions(ctx);
            }
            Input::Timer(ClientTimer::Timeout) => {
                for left in &self.awaited {
                    let resource = left.kind.qualified_plural();
                    print_error(
                        ctx,
                        format!(
                            "error: timed out waiting for the condition on {resource}/{}",
                            left.key.name
                        ),
                    );
                }
                exit(ctx, true);
                return;
            }
            Input::Listed { .. } | Input::Changed(_) | Input::Timer(_) => {}
        }
        self.exit_if_done(view, ctx);
    }

    /// Sends the DELETE of the next object.
    fn send_deletions(&mut self, ctx: &mut Context<'_>) {
        if let Some((kind, key)) = self.command.targets.get(self.next) {
            let request = Request::Delete {
                kind: *kind,
                key: key.clone(),
                options: self.command.options.clone(),
            };
            ctx.call(self.command.dry_run.wrap_request(request));
        }
    }

    /// Prints that a deletion was accepted, and begins to wait for its completion if the command waits.
    fn handle_accepted_deletion(&mut self, kind: Kind, key: ObjectKey, object: Option<&Object>, ctx: &mut Context<'_>) {
        let question = std::mem::take(&mut self.command.question);
        if self.command.output_name {
            print(ctx, format!("{question}{}", object_name(kind, &key.name)));
        } else {
            let how = if self.is_forced() { "force deleted" } else { "deleted" };
            let text = deletion_message(kind, &key, how);
            print(ctx, format!("{question}{text}{}", self.command.dry_run.suffix()));
        }
        // Clients do not watch Leases and Events, so they cannot wait until one is gone.
        if self.must_wait()
            && !matches!(kind, Kind::Lease | Kind::Event)
            && let Some(object) = object
        {
            self.awaited.push(PendingDeletion {
                kind,
                key,
                uid: object.metadata().uid.clone(),
                version: resource_version_of(object),
            });
        }
    }

    /// Exits when all requests are answered and all accepted deletions are complete.
    fn exit_if_done(&mut self, view: &View, ctx: &mut Context<'_>) {
        self.awaited.retain(|left| {
            let is_there = view
                .objects
                .get_kind(left.kind, &left.key)
                .is_some_and(|object| object.metadata().uid == left.uid);
            view.revision < left.version || is_there
        });
        if self.next >= self.command.targets.len() && self.awaited.is_empty() {
            exit(ctx, self.has_failed);
        }
    }
}
