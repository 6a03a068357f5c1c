//! `kubectl get --watch`: prints the list, then a line for each watch event (KC-057).

use std::sync::Arc;

use podscope_api::{Kind, Object};

use super::{Context, Input, WatchCommand, WatchEvent, print, resource_version_of};
use crate::Objects;

/// State of a running `kubectl get --watch`.
#[derive(Debug, Clone)]
pub(super) struct WatchClient {
    command: WatchCommand,
    /// The objects as last printed; None before the first list.
    printed: Option<Arc<Objects>>,
}

impl WatchClient {
    pub(super) fn new(command: WatchCommand) -> Self {
        Self { command, printed: None }
    }

    pub(super) fn handle(&mut self, input: &Input, ctx: &mut Context<'_>) {
        match input {
            Input::Listed { objects, .. } => match self.printed.replace(objects.clone()) {
                None => {
                    let found = self.matching_objects(objects);
                    let lines = self.command.printer.format_list(&found, ctx.wall());
                    lines.into_iter().for_each(|line| print(ctx, line));
                }
                // Deviation: kubectl exits when its connection breaks; this client continues with the present state.
                Some(before) => self.print_differences(&before, objects, ctx),
            },
            Input::Changed(change) => {
                let before = self.printed.replace(change.after.clone());
                if change.object().is_some_and(|object| object.kind() == self.command.kind) {
                    self.print_change(change.old.as_ref(), change.new.as_ref(), Some(change.revision), ctx);
                } else if matches!(self.command.kind, Kind::Event | Kind::Lease)
                    && let Some(before) = before
                {
                    // Writes to Events and Leases send no watch events: their changes appear with the next change of
                    // another object.
                    self.print_differences(&before, &change.after, ctx);
                }
            }
            Input::Started | Input::Answered(..) | Input::Timer(_) => {}
        }
    }

    /// Returns the objects that the command selects.
    fn matching_objects(&self, objects: &Objects) -> Vec<Object> {
        let mut found = objects.list_kind(self.command.kind);
        found.retain(|object| self.command.printer.matches(object));
        found
    }

    /// Prints each object that was created, changed or deleted between two states.
    fn print_differences(&mut self, before: &Objects, now: &Objects, ctx: &mut Context<'_>) {
        let kind = self.command.kind;
        for new in now.list_kind(kind) {
            let old = before.get_kind(kind, &new.key());
            if old.as_ref().map(resource_version_of) != Some(resource_version_of(&new)) {
                self.print_change(old.as_ref(), Some(&new), None, ctx);
            }
        }
        for old in before.list_kind(kind) {
            if now.get_kind(kind, &old.key()).is_none() {
                self.print_change(Some(&old), None, None, ctx);
            }
        }
    }

    /// Prints a change. An object that was deleted or no longer matches is printed with the resourceVersion of that
    /// change.
    fn print_change(
        &mut self,
        old: Option<&Object>,
        new: Option<&Object>,
        revision: Option<u64>,
        ctx: &mut Context<'_>,
    ) {
        let printer = &mut self.command.printer;
        let old = old.filter(|object| printer.matches(object));
        let new = new.filter(|object| printer.matches(object));
        let lines = match (old, new) {
            (None, Some(object)) => printer.format_event(WatchEvent::Added, object, ctx.wall()),
            (Some(_), Some(object)) => printer.format_event(WatchEvent::Modified, object, ctx.wall()),
            (Some(object), None) => {
                let mut object = object.clone();
                if let Some(revision) = revision {
                    object.metadata_mut().resource_version = revision.to_string().into();
                }
                printer.format_event(WatchEvent::Deleted, &object, ctx.wall())
            }
            (None, None) => return,
        };
        lines.into_iter().for_each(|line| print(ctx, line));
    }
}
