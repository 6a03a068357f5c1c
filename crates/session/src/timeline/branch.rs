//! A branch of a session: its scheduled commands, trace, output and checkpoints.

use podscope_cluster::{Answer, OutputLine, SimTime, World};

use super::{INITIAL_CHECKPOINT_SPACING, MAX_COMMANDS, Progress, Trace};
use crate::scenario::Timed;

/// A scheduled command of a branch.
#[derive(Debug, Clone)]
pub(crate) struct ScheduledCommand {
    pub(crate) timed: Timed,
    /// Whether the user gave the command. If not, it is a command of the scenario.
    pub(crate) is_from_user: bool,
}

/// A copy of the world and of the checked conditions' state at an instant.
#[derive(Debug, Clone)]
pub(crate) struct Checkpoint {
    pub(crate) at: SimTime,
    pub(crate) world: World,
    pub(crate) progress: Progress,
}

/// A branch of a session: one possible course of events.
#[derive(Debug, Clone)]
pub struct Branch {
    /// Index of the branch from which this one was forked. None for the first branch.
    pub parent: Option<usize>,
    /// Time at which this branch was forked from its parent.
    pub from: SimTime,
    /// First line of the first command that differs from the parent's commands. The page shows it as the branch's name.
    pub label: String,
    /// The latest instant that has been computed on this branch.
    pub horizon: SimTime,
    /// Time of the cursor when the user last left this branch.
    pub cursor: SimTime,
    /// Commands ordered by time. At equal times the scenario's commands precede the user's.
    pub(crate) schedule: Vec<ScheduledCommand>,
    pub(crate) trace: Trace,
    pub(crate) outputs: Vec<OutputLine>,
    pub(crate) finished: Vec<(u32, SimTime, u8)>,
    /// Answers to API calls that have not been fetched yet, each with the number of its client.
    pub(crate) answers: Vec<(u32, Vec<Answer>)>,
    /// Checkpoints ordered by time. Invariant: the first is at t = 0 and is never removed.
    pub(crate) checkpoints: Vec<Checkpoint>,
    /// Minimum number of events between two checkpoints. It doubles when checkpoints are dropped.
    pub(crate) spacing: u64,
    /// Number of processed events and revision of the store at the last check whether to create a checkpoint, even if
    /// none was created.
    pub(crate) last_considered: (u64, u64),
}

impl Branch {
    pub(crate) fn root(timeline: &[Timed]) -> Branch {
        Branch {
            parent: None,
            from: SimTime::ZERO,
            label: String::new(),
            horizon: SimTime::ZERO,
            cursor: SimTime::ZERO,
            schedule: timeline
                .iter()
                .map(|timed| ScheduledCommand {
                    timed: timed.clone(),
                    is_from_user: false,
                })
                .collect(),
            trace: Trace::default(),
            outputs: Vec::new(),
            finished: Vec::new(),
            answers: Vec::new(),
            checkpoints: Vec::new(),
            spacing: INITIAL_CHECKPOINT_SPACING,
            last_considered: (0, 0),
        }
    }

    /// Returns the user's commands with their times.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &Timed> {
        self.schedule
            .iter()
            .filter(|entry| entry.is_from_user)
            .map(|entry| &entry.timed)
    }

    /// Inserts the user's commands into the schedule at their times, but not before index `next`.
    pub(crate) fn schedule(&mut self, commands: Vec<Timed>, next: usize) {
        for timed in commands.into_iter().take(MAX_COMMANDS) {
            let later = self.schedule.iter().position(|entry| entry.timed.at > timed.at);
            let index = later.unwrap_or(self.schedule.len()).max(next);
            self.schedule.insert(
                index,
                ScheduledCommand {
                    timed,
                    is_from_user: true,
                },
            );
        }
    }

    /// Returns the time of the command with this number (from 1), and whether it is the user's last command on the
    /// branch.
    pub(crate) fn command_time(&self, number: u32) -> Option<(SimTime, bool)> {
        let index = (number as usize).checked_sub(1)?;
        let entry = self.schedule.get(index)?;
        let last = self.schedule.iter().rposition(|entry| entry.is_from_user);
        Some((entry.timed.at, last == Some(index)))
    }

    /// Returns the label of the branch: the first command that differs from those of its parent.
    pub(crate) fn label_relative_to(&self, parent: Option<&Branch>) -> String {
        let theirs = parent.into_iter().flat_map(Branch::commands);
        let shared = self.commands().zip(theirs).take_while(|(own, theirs)| own == theirs);
        let own = self.commands().nth(shared.count());
        let text = own.map(|own| own.command.to_string()).unwrap_or_default();
        text.lines().next().unwrap_or_default().to_owned()
    }

    /// Returns the trace of the branch: its records up to the horizon.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the number of checkpoints of the branch.
    pub fn checkpoint_count(&self) -> usize {
        self.checkpoints.len()
    }
}
