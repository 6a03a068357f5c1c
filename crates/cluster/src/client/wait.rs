//! `kubectl wait`: waits until every object fulfils the condition, one after the other.

use super::{ClientTimer, Context, Input, View, WaitCommand, exit, object_name, print, print_error};
use crate::Span;

/// State of a running `kubectl wait`.
#[derive(Debug, Clone)]
pub(super) struct WaitClient {
    command: WaitCommand,
    /// Index of the object that is awaited now.
    at: usize,
    failures: Vec<String>,
    has_started: bool,
}

impl WaitClient {
    pub(super) fn new(command: WaitCommand) -> Self {
        Self {
            command,
            at: 0,
            failures: Vec::new(),
            has_started: false,
        }
    }

    pub(super) fn handle(&mut self, input: &Input, view: &View, ctx: &mut Context<'_>) {
        match input {
            // With timeout zero, the condition is checked once.
            Input::Started if self.command.timeout == Span::ZERO => {}
            Input::Started => {
                // The timeout counts from when the command was entered, one microsecond before it starts.
                let span = Span((self.command.timeout.0 - 1).max(1));
                ctx.timer_in(span, ClientTimer::WaitEnds);
            }
            Input::Listed { .. } | Input::Changed(_) => {
                self.has_started = true;
                self.check_awaited_objects(view, ctx);
            }
            Input::Timer(ClientTimer::WaitEnds) => {
                // The timeout has expired: of the remaining objects, only one that is already deleted can still fulfil
                // the condition.
                while let Some(one) = self.command.objects.get(self.at) {
                    let object = view.objects.get_kind(one.kind, &one.key);
                    if object.is_none() && (self.command.until.0)(None, &one.uid) {
                        print(ctx, format!("{} condition met", object_name(one.kind, &one.key.name)));
                    } else {
                        let on = format!(" on {}/{}", one.kind.plural(), one.key.name);
                        let on = if self.command.names_object { on } else { String::new() };
                        self.failures.push(format!("timed out waiting for the condition{on}"));
                    }
                    self.at += 1;
                }
                self.print_failures_and_exit(ctx);
            }
            _ => {}
        }
    }

    fn check_awaited_objects(&mut self, view: &View, ctx: &mut Context<'_>) {
        if !self.has_started {
            return;
        }
        while let Some(one) = self.command.objects.get(self.at) {
            let object = view.objects.get_kind(one.kind, &one.key);
            let holds = (self.command.until.0)(object.as_ref(), &one.uid);
            match self.command.timeout {
                _ if holds => print(ctx, format!("{} condition met", object_name(one.kind, &one.key.name))),
                Span::ZERO => {
                    let which = format!("{}/{}", one.kind.plural(), one.key.name);
                    self.failures.push(format!("condition not met for {which}"));
                }
                _ => return,
            }
            self.at += 1;
        }
        self.print_failures_and_exit(ctx);
    }

    /// Prints the failures (several failures without kubectl's `error: `, KC-116) and exits.
    fn print_failures_and_exit(&mut self, ctx: &mut Context<'_>) {
        match self.failures.as_slice() {
            [one] => print_error(ctx, format!("error: {one}")),
            several => several.iter().for_each(|one| print_error(ctx, one.as_str())),
        }
        exit(ctx, !self.failures.is_empty());
    }
}
