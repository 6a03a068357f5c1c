//! Recording of a branch's trace and output while the branch is played.

use podscope_api::fault::ViolationCause;
use podscope_cluster::{Answer, Happening, OutputKind, OutputLine, Record, SimTime, Sink};

use podscope_kubectl::FollowedContainer;

use super::commands::container_log_line;
use super::{Branch, MAX_OUTPUT_LINES, MAX_UNFETCHED_ANSWERS, Progress};

/// Appends records and output lines to a branch while it is played. During a replay the branch already has them, and
/// they are only compared.
pub(crate) struct Log<'a> {
    pub(crate) branch: &'a mut Branch,
    pub(crate) progress: &'a mut Progress,
}

impl Log<'_> {
    pub(super) fn print_error(&mut self, at: SimTime, command: u32, text: String) {
        for line in text.lines() {
            self.output(OutputLine {
                at,
                command,
                kind: OutputKind::Error,
                text: line.to_owned(),
            });
        }
    }
}

impl Log<'_> {
    /// Prints a line of `logs -f` for each record that belongs to the container's log, until the container exits.
    fn print_followed_logs(&mut self, record: &Record) {
        let (Some(text), Some(subject)) = (container_log_line(&record.happening), &record.object) else {
            return;
        };
        let is_followed = |one: &FollowedContainer| {
            one.uid == subject.uid && record.container.as_deref() == Some(one.container.as_str())
        };
        let has_ended = matches!(record.happening, Happening::ContainerExited { .. });
        let (of_container, mut rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.progress.followed)
            .into_iter()
            .partition(|(_, one)| is_followed(one));
        for (command, one) in of_container {
            self.output(OutputLine {
                at: record.at,
                command,
                kind: OutputKind::Output,
                text: one.with_prefix_and_timestamp(record.at, &text),
            });
            match has_ended {
                false => rest.push((command, one)),
                true if rest.iter().all(|(other, _)| *other != command) => self.finished(command, record.at, 0),
                true => {}
            }
        }
        self.progress.followed = rest;
    }
}

impl Sink for Log<'_> {
    fn record(&mut self, record: Record) {
        match &record.happening {
            Happening::Attempt { .. } => self.progress.attempts += 1,
            Happening::InvariantViolated { violation } => {
                if violation.cause == ViolationCause::Bug {
                    self.progress.bugs += 1;
                }
                let name = violation.invariant.to_string();
                self.progress.broken.entry(name).or_insert(record.at);
                self.progress.changed = true;
            }
            Happening::RequestsFailed { .. } | Happening::RequestRate { .. } => self.progress.changed = true,
            _ => {}
        }
        if !self.progress.followed.is_empty() {
            self.print_followed_logs(&record);
        }
        if self.progress.recorded >= self.branch.trace.len() {
            self.branch.trace.push(record);
        } else {
            debug_assert!(
                self.branch.trace.equals_known_record(self.progress.recorded, &record),
                "replay is deterministic (T-01), but this record differs: {record:?}"
            );
        }
        self.progress.recorded += 1;
    }

    fn output(&mut self, mut line: OutputLine) {
        if self.progress.printed >= MAX_OUTPUT_LINES {
            return;
        }
        if self.progress.printed == MAX_OUTPUT_LINES - 1 {
            line.text = format!("error: a run holds {MAX_OUTPUT_LINES} lines of output: what follows is dropped");
            line.kind = OutputKind::Error;
        }
        match self.branch.outputs.get(self.progress.printed) {
            Some(was) => debug_assert_eq!(*was, line, "replay is deterministic (T-01)"),
            None => self.branch.outputs.push(line),
        }
        self.progress.printed += 1;
    }

    fn answered(&mut self, command: u32, answers: Vec<Answer>) {
        let unfetched = &mut self.branch.answers;
        if unfetched.len() >= MAX_UNFETCHED_ANSWERS {
            unfetched.remove(0);
        }
        unfetched.push((command, answers));
    }

    fn finished(&mut self, command: u32, at: SimTime, status: u8) {
        // The list of finished commands is ordered by time.
        let mut latest = self.branch.finished.iter().rev().take_while(|(_, then, _)| *then >= at);
        if !latest.any(|known| *known == (command, at, status)) {
            debug_assert!(
                at >= self.branch.horizon,
                "replay is deterministic (T-01), but command {command} had not finished before"
            );
            self.branch.finished.push((command, at, status));
        }
    }
}

/// A sink that discards records and output. It is used when a fault is tried on a clone of the world.
pub(super) struct NullSink;

impl Sink for NullSink {
    fn record(&mut self, _record: Record) {}
    fn output(&mut self, _line: OutputLine) {}
    fn finished(&mut self, _command: u32, _at: SimTime, _status: u8) {}
}
