//! `kubectl wait`: until every object is as it is awaited, one after the other.

use super::{ClientTimer, Context, Input, View, WaitCommand, complain, exit, object_name, print};
use crate::Span;

/// The state of such a command.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    command: WaitCommand,
    /// Which object is waited for now.
    at: usize,
    failures: Vec<String>,
    has_started: bool,
}

impl Waiting {
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
            // It looks once.
            Input::Started if self.command.timeout == Span::ZERO => {}
            Input::Started => {
                // A command begins a microsecond after the instant at which it is given; its time counts from there.
                let span = Span((self.command.timeout.0 - 1).max(1));
                ctx.timer_in(span, ClientTimer::WaitEnds);
            }
            Input::Listed { .. } | Input::Changed(_) => {
                self.has_started = true;
                self.look(view, ctx);
            }
            Input::Timer(ClientTimer::WaitEnds) => {
                // What stands behind it in the row has no time left; only who is gone is gone.
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
                self.end(ctx);
            }
            _ => {}
        }
    }

    fn look(&mut self, view: &View, ctx: &mut Context<'_>) {
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
        self.end(ctx);
    }

    /// What failed is told in the end: several without kubectl's `error: ` (KC-116).
    fn end(&mut self, ctx: &mut Context<'_>) {
        match self.failures.as_slice() {
            [one] => complain(ctx, format!("error: {one}")),
            several => several.iter().for_each(|one| complain(ctx, one.as_str())),
        }
        exit(ctx, !self.failures.is_empty());
    }
}
