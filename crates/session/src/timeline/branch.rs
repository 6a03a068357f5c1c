//! A branch: its schedule of commands, its log, its checkpoints.

use podscope_cluster::{Answer, OutputLine, SimTime, World};

use super::{FIRST_SPACING, MAX_COMMANDS, Progress, Trace};
use crate::scenario::Timed;

/// A command of a branch.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) timed: Timed,
    /// Given by the user, not by the scenario.
    pub(crate) is_users: bool,
}

/// The world at an instant.
#[derive(Debug, Clone)]
pub(crate) struct Checkpoint {
    pub(crate) at: SimTime,
    pub(crate) world: World,
    pub(crate) progress: Progress,
}

/// One course of events.
#[derive(Debug, Clone)]
pub struct Branch {
    /// The branch it left; none for the first.
    pub parent: Option<usize>,
    /// When it left it.
    pub from: SimTime,
    /// Its first command of its own.
    pub label: String,
    /// How far it has been computed.
    pub horizon: SimTime,
    /// Where its cursor was when it was left.
    pub cursor: SimTime,
    /// Commands by time; the scenario's before the user's at equal times.
    pub(crate) schedule: Vec<Entry>,
    /// Everything that happened up to the horizon.
    pub(crate) trace: Trace,
    pub(crate) outputs: Vec<OutputLine>,
    pub(crate) finished: Vec<(u32, SimTime, u8)>,
    /// Answers to calls, by their clients' numbers, until they are fetched.
    pub(crate) answers: Vec<(u32, Vec<Answer>)>,
    /// By position; the first is t = 0 and stays.
    pub(crate) checkpoints: Vec<Checkpoint>,
    /// Events between checkpoints.
    pub(crate) spacing: u64,
    /// After how many events, and at which revision, a checkpoint was considered last, whether it was made or not.
    pub(crate) looked: (u64, u64),
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
                .map(|timed| Entry {
                    timed: timed.clone(),
                    is_users: false,
                })
                .collect(),
            trace: Trace::default(),
            outputs: Vec::new(),
            finished: Vec::new(),
            answers: Vec::new(),
            checkpoints: Vec::new(),
            spacing: FIRST_SPACING,
            looked: (0, 0),
        }
    }

    /// The user's commands with their times.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &Timed> {
        self.schedule
            .iter()
            .filter(|entry| entry.is_users)
            .map(|entry| &entry.timed)
    }

    /// Puts the user's commands into the schedule, none before the command of that number.
    pub(crate) fn schedule(&mut self, commands: Vec<Timed>, next: usize) {
        for timed in commands.into_iter().take(MAX_COMMANDS) {
            let later = self.schedule.iter().position(|entry| entry.timed.at > timed.at);
            let index = later.unwrap_or(self.schedule.len()).max(next);
            self.schedule.insert(index, Entry { timed, is_users: true });
        }
    }

    /// When the command of that number was given, and whether it is the user's last of all.
    pub(crate) fn given(&self, number: u32) -> Option<(SimTime, bool)> {
        let index = (number as usize).checked_sub(1)?;
        let entry = self.schedule.get(index)?;
        let last = self.schedule.iter().rposition(|entry| entry.is_users);
        Some((entry.timed.at, last == Some(index)))
    }

    /// Its first command that the branch it left did not give.
    pub(crate) fn called(&self, parent: Option<&Branch>) -> String {
        let theirs = parent.into_iter().flat_map(Branch::commands);
        let shared = self.commands().zip(theirs).take_while(|(own, theirs)| own == theirs);
        let own = self.commands().nth(shared.count());
        let words = own.map(|own| own.command.to_string()).unwrap_or_default();
        words.lines().next().unwrap_or_default().to_owned()
    }

    /// Everything that happened up to the horizon.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Checkpoints kept.
    pub fn checkpoint_count(&self) -> usize {
        self.checkpoints.len()
    }
}
