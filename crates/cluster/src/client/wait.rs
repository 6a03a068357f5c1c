//! `kubectl wait`: until every object is as it is awaited, one after the other.

use super::{ClientTimer, Context, Input, View, WaitCommand, complain, exit, object_name, print};
use crate::Span;

/// The state of such a command.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    command: WaitCommand,
    /// Which object is waited for now.
    at: usize,
    has_failed: bool,
    has_started: bool,
}

impl Waiting {
    pub(super) fn new(command: WaitCommand) -> Self {
        Self {
            command,
            at: 0,
            has_failed: false,
            has_started: false,
        }
    }
    pub(super) fn handle(&mut self, input: &Input, view: &View, ctx: &mut Context<'_>) {
        match input {
            Input::Started => self.arm(ctx),
            Input::Listed { .. } | Input::Changed(_) => {
                self.has_started = true;
                self.look(view, ctx);
            }
            Input::Timer(ClientTimer::WaitEnds(at)) if *at == self.at => {
                let Some(one) = self.command.objects.get(self.at) else {
                    return;
                };
                let on = format!(" on {}/{}", one.kind.plural(), one.key.name);
                let on = if self.command.names_object { on } else { String::new() };
                complain(ctx, format!("error: timed out waiting for the condition{on}"));
                self.has_failed = true;
                self.next(ctx);
                if self.at >= self.command.objects.len() {
                    exit(ctx, true);
                } else {
                    self.look(view, ctx);
                }
            }
            _ => {}
        }
    }
    fn arm(&self, ctx: &mut Context<'_>) {
        // A command begins a microsecond after the instant at which it is given; its time counts from there.
        let span = Span((self.command.timeout.0 - 1).max(1));
        ctx.timer_in(span, ClientTimer::WaitEnds(self.at));
    }
    fn next(&mut self, ctx: &mut Context<'_>) {
        self.at += 1;
        if self.at < self.command.objects.len() {
            self.arm(ctx);
        }
    }
    fn look(&mut self, view: &View, ctx: &mut Context<'_>) {
        if !self.has_started {
            return;
        }
        while let Some(one) = self.command.objects.get(self.at) {
            let object = view.objects.get_kind(one.kind, &one.key);
            if !(self.command.until.0)(object.as_ref(), &one.uid) {
                return;
            }
            print(ctx, format!("{} condition met", object_name(one.kind, &one.key.name)));
            self.next(ctx);
        }
        exit(ctx, self.has_failed);
    }
}
