//! What the console shows: commands as they were given, what they print, and what the host itself
//! has to say. It knows no frames and no clock but the session's own.

use super::Show;
use crate::shell::{at_once, follow, through};
use podscope_cluster::{OutputKind, OutputLine};
use podscope_kubectl::command::{self, Command, Kubectl};
use podscope_protocol::{ConsoleLine, LineKind, Micros, Notice, Said, Update};

fn line_at(at: Micros, kind: LineKind, text: Said) -> ConsoleLine {
    ConsoleLine {
        at,
        kind,
        text,
        command: None,
        applies: false,
    }
}

pub(super) fn console_line(show: &Show, kind: LineKind, notice: Notice) -> ConsoleLine {
    line_at(show.session.now().0, kind, Said::Notice(notice))
}

fn shown(kind: OutputKind) -> LineKind {
    match kind {
        OutputKind::Output => LineKind::Output,
        OutputKind::Warning => LineKind::Warning,
        OutputKind::Error => LineKind::Error,
    }
}

/// Runs a line of the console at the cursor; what is printed at once, and whether it was a command to the world.
pub(super) fn run_line(show: &mut Show, line: &str) -> (Vec<ConsoleLine>, bool) {
    let at = show.session.now().0;
    let console = |kind: LineKind, text: &str| line_at(at, kind, text.into());
    let mut input = console(LineKind::Input, line);
    let parsed = command::parse_piped(line, None);
    input.applies = matches!(parsed, Ok((Command::Kubectl(Kubectl::Apply(_)), _)));
    let mut lines = vec![input];
    let (command, pipe) = match parsed {
        Ok(read) => read,
        Err(error) => {
            lines.extend(error.message.lines().map(|text| console(LineKind::Error, text)));
            return (lines, false);
        }
    };
    let mut done = at_once(&show.session, command, &pipe);
    let mut is_given = false;
    loop {
        let (printed, left) = match done {
            Ok(done) => done,
            Err(message) => (vec![(OutputKind::Error, message)], None),
        };
        for (kind, text) in printed {
            let blank = text.is_empty().then_some("");
            lines.extend(text.lines().chain(blank).map(|text| console(shown(kind), text)));
        }
        let Some((command, pipe)) = left else {
            return (lines, is_given);
        };
        let given = match pipe.is_empty() {
            true => show.session.command(command).map_err(Notice::from),
            false => follow(&mut show.session, command),
        };
        if let Err(why) = given {
            lines.push(line_at(at, LineKind::Error, Said::Notice(why)));
            return (lines, is_given);
        }
        is_given = true;
        if let Some(input) = lines.first_mut() {
            input.command = Some(show.session.given());
        }
        if pipe.is_empty() {
            lines.extend(new_output(show));
            return (lines, is_given);
        }
        let printed = unseen(show).iter().map(|line| (line.kind, line.text.clone()));
        let printed = printed.collect();
        done = through(&show.session, printed, &pipe);
    }
}

/// Output lines as the console shows them that it has not shown yet.
pub(super) fn new_output(show: &mut Show) -> Vec<ConsoleLine> {
    let lines = unseen(show).iter().map(|line| ConsoleLine {
        at: line.at.0,
        kind: shown(line.kind),
        text: Said::Text(line.text.clone()),
        command: Some(line.command),
        applies: false,
    });
    lines.collect()
}

/// What was printed since the console was last shown it. What a seek replays is not printed twice.
fn unseen(show: &mut Show) -> &[OutputLine] {
    if show.console_branch != show.session.current() {
        show.console_branch = show.session.current();
        show.console_seen = show.console_seen.min(show.session.outputs().len());
    }
    let outputs = show.session.outputs();
    let from = show.console_seen;
    show.console_seen = from.max(outputs.len());
    outputs.get(from..).unwrap_or_default()
}

pub(super) fn complain(show: &Show, why: impl Into<Notice>) -> Update {
    say(show, LineKind::Error, why.into())
}

pub(super) fn notice(show: &Show, notice: Notice) -> Update {
    say(show, LineKind::Notice, notice)
}

fn say(show: &Show, kind: LineKind, notice: Notice) -> Update {
    Update::Console {
        lines: vec![console_line(show, kind, notice)],
    }
}
