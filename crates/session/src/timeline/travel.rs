//! Back and forth: checkpoints, seeking, branches, taking back.

use std::cell::Cell;
use std::sync::Arc;

use podscope_api::Kind;
use podscope_cluster::{SimTime, Span, World};

use super::branch::Checkpoint;
use super::{Hashed, MAX_BRANCHES, MAX_CHECKPOINTS, MIN_CHECKPOINTS, ROOM, Session, WORLD_WEIGHS};

/// How many checkpoints a branch keeps of worlds of this size: one costs what the scheduler and the controllers
/// know of nodes and pods, which is theirs alone as soon as they learn something.
fn most_checkpoints(world: &World) -> usize {
    let objects = world.objects();
    let known = objects.count_kind(Kind::Pod) + objects.count_kind(Kind::Node);
    let room = ROOM.saturating_sub(WORLD_WEIGHS * known);
    (room / known.max(1)).clamp(MIN_CHECKPOINTS, MAX_CHECKPOINTS)
}

impl Session {
    pub(super) fn checkpoint(&mut self) {
        let events = self.world.queue_stats().1;
        let Some(branch) = self.branches.get_mut(self.current) else {
            return;
        };
        let last = branch.checkpoints.last().map_or(0, |last| last.world.queue_stats().1);
        if events < last + branch.spacing {
            return;
        }
        branch.checkpoints.push(Checkpoint {
            at: self.world.now(),
            world: self.world.clone(),
            progress: self.progress.clone(),
        });
        let most = most_checkpoints(&self.world);
        while branch.checkpoints.len() > most {
            branch.spacing = branch.spacing.saturating_mul(2);
            let mut at = 0;
            branch.checkpoints.retain(|_| {
                at += 1;
                at % 2 == 1
            });
        }
    }

    /// Starts to seek: afterwards [`Session::advance`] to the same instant finishes it. Both ways begin at the
    /// last checkpoint before the target, unless the cursor is nearer.
    pub fn seek(&mut self, target: SimTime) {
        let now = self.world.now();
        if target < now || self.nearest(target).is_some_and(|checkpoint| checkpoint.at > now) {
            self.restore(target);
        }
    }

    /// The last checkpoint that is not after the instant.
    fn nearest(&self, target: SimTime) -> Option<&Checkpoint> {
        let checkpoints = &self.branch().checkpoints;
        let after = checkpoints.partition_point(|checkpoint| checkpoint.at <= target);
        checkpoints.get(after.saturating_sub(1))
    }

    fn restore(&mut self, target: SimTime) {
        if let Some(checkpoint) = self.nearest(target).cloned() {
            self.world = checkpoint.world;
            self.progress = checkpoint.progress;
        }
    }

    /// Keeps the present future as a branch and continues from the cursor on a new one.
    ///
    /// # Errors
    /// There are too many branches.
    pub fn fork(&mut self) -> Result<(), String> {
        if self.branches.len() >= MAX_BRANCHES {
            return Err(format!("a session holds at most {MAX_BRANCHES} branches"));
        }
        let now = self.world.now();
        let (next, recorded, printed) = (
            self.progress.next_command,
            self.progress.recorded,
            self.progress.printed,
        );
        let parent = self.current;
        let mut branch = self.branch().clone();
        branch.parent = Some(parent);
        branch.from = now;
        branch.label = String::new();
        branch.cursor = now;
        branch.horizon = now;
        branch.trace.truncate(recorded);
        branch.outputs.truncate(printed);
        branch.finished.retain(|(_, at, _)| *at <= now);
        let mut index = 0;
        branch.schedule.retain(|entry| {
            index += 1;
            index <= next || !entry.is_users
        });
        branch
            .checkpoints
            .retain(|checkpoint| checkpoint.progress.recorded <= recorded && checkpoint.at <= now);
        if let Some(old) = self.branches.get_mut(parent) {
            old.cursor = now;
        }
        self.branches.push(branch);
        self.current = self.branches.len() - 1;
        // What was hashed up to here stands on the new branch too.
        let hashed = self.hashed.get();
        if hashed.branch == parent && hashed.len <= recorded {
            self.hashed.set(Hashed {
                branch: self.current,
                ..hashed
            });
        }
        Ok(())
    }

    /// Goes to another branch, where its cursor was. The way there is replayed by [`Session::advance`]; the answer is the instant to advance to.
    pub fn switch(&mut self, branch: usize) -> Option<SimTime> {
        if branch >= self.branches.len() {
            return None;
        }
        let now = self.world.now();
        if let Some(old) = self.branches.get_mut(self.current) {
            old.cursor = now;
        }
        self.current = branch;
        let target = self.branch().cursor;
        self.restore(target);
        Some(target)
    }

    /// Takes back the last command of this branch; the cursor goes to just before it.
    pub fn undo(&mut self) -> Option<SimTime> {
        let branch = self.branches.get_mut(self.current)?;
        let index = branch.schedule.iter().rposition(|entry| entry.is_users)?;
        let at = branch.schedule.remove(index).timed.at;
        let keep = |checkpoint: &Checkpoint| {
            checkpoint.at < at || (checkpoint.at == at && checkpoint.progress.next_command <= index)
        };
        branch.checkpoints.retain(keep);
        let target = at - Span(1);
        self.restore(target);
        // What the command led to is not what was: the branch is cut where the checkpoint stands.
        let (recorded, printed, now) = (self.progress.recorded, self.progress.printed, self.world.now());
        if self.hashed.get().len > recorded {
            self.hashed.set(Hashed::nothing(self.current));
        }
        let branch = self.branches.get_mut(self.current)?;
        branch.trace.truncate(recorded);
        branch.outputs.truncate(printed);
        branch.finished.retain(|(_, finished, _)| *finished <= now);
        branch.horizon = now;
        Some(target.max(now))
    }

    /// The decision behind the attempt with that place in the trace, by replaying to it with recording on.
    pub(crate) fn decision(&self, place: u64) -> Option<Arc<podscope_cluster::RecordedDecision>> {
        let place = usize::try_from(place).ok()?;
        let checkpoint = self
            .branch()
            .checkpoints
            .iter()
            .rev()
            .find(|checkpoint| checkpoint.progress.recorded <= place)?;
        let mut replay = Session {
            loaded: self.loaded.clone(),
            world: checkpoint.world.clone(),
            progress: checkpoint.progress.clone(),
            branches: vec![self.branch().clone()],
            current: 0,
            hashed: Cell::new(Hashed::nothing(0)),
        };
        replay.world.record_decisions(true);
        while replay.progress.recorded <= place {
            replay.world.take_decision();
            if !replay.advance_one(self.horizon()) {
                return None;
            }
        }
        replay.world.take_decision()
    }
}
