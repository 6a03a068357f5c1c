//! The console: command lines, their output, and notices of the host, as lines for the page.

use super::PageSession;
use crate::shell::{run_and_wait, run_pipe, run_without_time};
use podscope_cluster::{OutputKind, OutputLine};
use podscope_kubectl::command::{self, Command, Kubectl};
use podscope_protocol::{ConsoleLine, ConsoleText, LineKind, Micros, Notice, Update};

pub(super) fn console_line_at(at: Micros, kind: LineKind, text: ConsoleText) -> ConsoleLine {
    ConsoleLine {
        at,
        kind,
        text,
        command: None,
        applies: false,
    }
}

pub(super) fn console_line(active: &PageSession, kind: LineKind, notice: Notice) -> ConsoleLine {
    console_line_at(active.session.now().0, kind, ConsoleText::Notice(notice))
}

fn line_kind(kind: OutputKind) -> LineKind {
    match kind {
        OutputKind::Output => LineKind::Output,
        OutputKind::Warning => LineKind::Warning,
        OutputKind::Remark => LineKind::Notice,
        OutputKind::Error => LineKind::Error,
    }
}

/// Runs a command line at the cursor. Returns the console lines that are printed immediately, and whether a command was
/// sent to the simulation.
pub(super) fn run_line(active: &mut PageSession, line: &str) -> (Vec<ConsoleLine>, bool) {
    let at = active.session.now().0;
    let console = |kind: LineKind, text: &str| console_line_at(at, kind, text.into());
    let mut input = console(LineKind::Input, line);
    let parsed = command::parse_piped(line, None);
    input.applies = matches!(
        parsed,
        Ok((
            Command::Kubectl {
                action: Kubectl::Apply(_),
                ..
            },
            _
        ))
    );
    let mut lines = vec![input];
    let (command, pipe) = match parsed {
        Ok(read) => read,
        Err(error) => {
            let kind = match error.is_empty_list {
                true => LineKind::Notice,
                false => LineKind::Error,
            };
            lines.extend(error.message.lines().map(|text| console(kind, text)));
            return (lines, false);
        }
    };
    let mut done = run_without_time(&active.session, command, &pipe);
    let mut is_given = false;
    loop {
        let (printed, left) = match done {
            Ok(done) => done,
            Err(message) => (vec![(OutputKind::Error, message)], None),
        };
        for (kind, text) in printed {
            let blank = text.is_empty().then_some("");
            lines.extend(text.lines().chain(blank).map(|text| console(line_kind(kind), text)));
        }
        let Some((command, pipe)) = left else {
            return (lines, is_given);
        };
        let given = match pipe.is_empty() {
            true => active.session.command(command).map_err(Notice::from),
            false => run_and_wait(&mut active.session, command),
        };
        if let Err(why) = given {
            lines.push(console_line_at(at, LineKind::Error, ConsoleText::Notice(why)));
            return (lines, is_given);
        }
        is_given = true;
        if let Some(input) = lines.first_mut() {
            input.command = Some(active.session.last_command_number());
        }
        if pipe.is_empty() {
            lines.extend(new_output(active));
            return (lines, is_given);
        }
        let printed = take_unseen_output(active)
            .iter()
            .map(|line| (line.kind, line.text.clone()));
        let printed = printed.collect();
        done = run_pipe(&active.session, printed, &pipe);
    }
}

/// Returns the output lines that the console has not shown yet, as console lines.
pub(super) fn new_output(active: &mut PageSession) -> Vec<ConsoleLine> {
    let lines = take_unseen_output(active).iter().map(|line| ConsoleLine {
        at: line.at.0,
        kind: line_kind(line.kind),
        text: ConsoleText::Text(line.text.clone()),
        command: Some(line.command),
        applies: false,
    });
    lines.collect()
}

/// Returns the output that the console has not shown yet, without output that it showed before a seek back and that a
/// replay repeats.
fn take_unseen_output(active: &mut PageSession) -> &[OutputLine] {
    if active.console_branch != active.session.current_branch_index() {
        active.console_branch = active.session.current_branch_index();
        active.console_seen = active.console_seen.min(active.session.outputs().len());
    }
    let outputs = active.session.outputs();
    let from = active.console_seen;
    active.console_seen = from.max(outputs.len());
    outputs.get(from..).unwrap_or_default()
}

pub(super) fn error(active: &PageSession, why: impl Into<Notice>) -> Update {
    console_update(active, LineKind::Error, why.into())
}

pub(super) fn notice(active: &PageSession, notice: Notice) -> Update {
    console_update(active, LineKind::Notice, notice)
}

fn console_update(active: &PageSession, kind: LineKind, notice: Notice) -> Update {
    Update::Console {
        lines: vec![console_line(active, kind, notice)],
    }
}
