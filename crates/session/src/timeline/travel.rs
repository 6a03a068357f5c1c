//! Back and forth: checkpoints, seeking, branches, taking back.

use std::cell::Cell;
use std::sync::Arc;

use podscope_api::Kind;
use podscope_cluster::{SimTime, Span, World};
use podscope_protocol::Limit;

use super::branch::{Branch, Checkpoint};
use super::{FIRST_SPACING, Hashed, MAX_BRANCHES, MAX_CHECKPOINTS, ROOM, Session};

/// A branch that was kept: the one that it left, and where; its cursor; its commands.
type Kept = (Option<(usize, i64)>, SimTime, Vec<crate::scenario::Timed>);

// What is weighed is told in [`ROOM`].

/// A node of the world, with its machine and its kubelet.
const NODE_WEIGHS: usize = 20;
/// A pod of the world, with its containers.
const POD_WEIGHS: usize = 25;
/// What is known of a node; of a pod it is 1.
const KNOWN_NODE_WEIGHS: usize = 5;
/// An event that waits: a checkpoint copies all of them.
const EVENT_WEIGHS: usize = 1;
/// An object's former state.
const WRITE_WEIGHS: usize = 4;
/// A checkpoint comes after so many events at least for what it copies: it takes a part of the time of these.
const KNOWN_PER_EVENT: u64 = 5;
/// Where so much is known, a checkpoint comes after as many events; with more, after more for each: the larger a world,
/// the fewer of them have room.
const KNOWN_OF_LARGE: u64 = 50_000;
/// A world that takes so much of the room leaves some of it to a few checkpoints alone: one that would soon have to go
/// is not made.
const LARGE: usize = ROOM / 4;

/// Nodes and pods of a world.
fn size(world: &World) -> (usize, usize) {
    let objects = world.objects();
    (objects.count_kind(Kind::Node), objects.count_kind(Kind::Pod))
}

/// What a world weighs.
fn weight(world: &World) -> usize {
    let (nodes, pods) = size(world);
    nodes * NODE_WEIGHS + pods * POD_WEIGHS
}

/// What a checkpoint has for itself: what the scheduler, the controllers and the network know of nodes and pods, which
/// is copied when they learn something; and the objects that were written after it.
fn own_weight(checkpoint: &World, after: &World) -> usize {
    let written = after.revision().saturating_sub(checkpoint.revision());
    let written = usize::try_from(written).unwrap_or(usize::MAX);
    known(checkpoint) + written.saturating_mul(WRITE_WEIGHS).min(weight(checkpoint))
}

fn known(world: &World) -> usize {
    let (nodes, pods) = size(world);
    nodes * KNOWN_NODE_WEIGHS + pods + world.queue_stats().0 * EVENT_WEIGHS
}

/// Events between two checkpoints at least.
fn least_spacing(world: &World) -> u64 {
    let known = known(world) as u64;
    (known / KNOWN_PER_EVENT).max(known * known / KNOWN_OF_LARGE)
}

impl Branch {
    /// What the checkpoints weigh beside the world.
    fn weight(&self, world: &World) -> usize {
        let worlds = || self.checkpoints.iter().map(|checkpoint| &checkpoint.world);
        let after = worlds().skip(1).chain([world]);
        worlds().zip(after).map(|(own, after)| own_weight(own, after)).sum()
    }

    /// Whether a checkpoint of the world has room, and will have it when so much more was written.
    fn has_room(&self, world: &World, written: usize) -> bool {
        let whole = weight(world);
        let own = known(world) + written.saturating_mul(WRITE_WEIGHS).min(whole);
        whole + self.weight(world) + own <= ROOM
    }

    /// Lets every other checkpoint go, but never the first, until the rest has room beside the world.
    fn thin_out(&mut self, world: &World, room: usize) {
        while self.checkpoints.len() > 1
            && (self.checkpoints.len() > MAX_CHECKPOINTS || self.weight(world) + weight(world) > room)
        {
            // Of two or three the last was too heavy, because much has changed since: that need not go on.
            if self.checkpoints.len() > 3 {
                self.spacing = self.spacing.saturating_mul(2);
            }
            let mut at = 0;
            self.checkpoints.retain(|_| {
                at += 1;
                at % 2 == 1
            });
        }
        debug_assert!(
            self.checkpoints.first().is_some_and(|first| first.at == SimTime::ZERO),
            "t = 0 stays: every seek can begin there"
        );
    }
}

impl Session {
    pub(super) fn checkpoint(&mut self) {
        let events = self.world.queue_stats().1;
        let branch = &mut self.branches[self.current];
        let last = branch.checkpoints.last();
        let (last, revision) = last.map_or((0, 0), |last| (last.world.queue_stats().1, last.world.revision()));
        if events > last && events.is_multiple_of(FIRST_SPACING) {
            branch.thin_out(&self.world, ROOM);
        }
        let (looked, revision) = branch.looked.max((last, revision));
        if events < looked + branch.spacing.max(least_spacing(&self.world)) {
            return;
        }
        branch.looked = (events, self.world.revision());
        let written = usize::try_from(self.world.revision().saturating_sub(revision)).unwrap_or(usize::MAX);
        if weight(&self.world) > LARGE && !branch.has_room(&self.world, written) {
            return;
        }
        // Seeking finds the nearest one by halves.
        assert!(
            branch
                .checkpoints
                .last()
                .is_none_or(|last| { last.at <= self.world.now() && last.progress.recorded <= self.progress.recorded }),
            "a checkpoint comes after those before it"
        );
        branch.checkpoints.push(Checkpoint {
            at: self.world.now(),
            world: self.world.clone(),
            progress: self.progress.clone(),
        });
        branch.thin_out(&self.world, ROOM);
    }

    /// Starts to seek: afterwards [`Session::advance`] to the same instant finishes it. Both ways begin at the
    /// last checkpoint before the target, unless the cursor is nearer.
    pub fn seek(&mut self, target: SimTime) {
        let now = self.world.now();
        if target < now || self.nearest(target).at > now {
            self.restore(target);
        }
    }

    /// The last checkpoint that is not after the instant; before t = 0 the first.
    fn nearest(&self, target: SimTime) -> &Checkpoint {
        let checkpoints = &self.branch().checkpoints;
        let after = checkpoints.partition_point(|checkpoint| checkpoint.at <= target);
        checkpoints
            .get(after.saturating_sub(1))
            .expect("the checkpoint of t = 0 stays")
    }

    fn restore(&mut self, target: SimTime) {
        let checkpoint = self.nearest(target).clone();
        self.world = checkpoint.world;
        self.progress = checkpoint.progress;
    }

    /// Keeps the present future as a branch and continues from the cursor on a new one.
    ///
    /// # Errors
    /// There are too many branches.
    pub fn fork(&mut self) -> Result<(), Limit> {
        if self.branches.len() >= MAX_BRANCHES {
            return Err(Limit::Branches(MAX_BRANCHES));
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
        branch.looked = (0, 0);
        self.branches[parent].cursor = now;
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
        self.branches[self.current].cursor = now;
        self.current = branch;
        let target = self.branch().cursor;
        self.restore(target);
        Some(target)
    }

    /// Lays the other branches of a kept session beside the one at t = 0, which gets its place among them. They are
    /// computed when somebody goes there. What names no branch is left out.
    pub(crate) fn lay_out(&mut self, others: Vec<Kept>, place: usize, left: Option<(usize, i64)>) {
        let Some(present) = self.branches.pop().filter(|_| self.branches.is_empty()) else {
            return;
        };
        let scripted = Branch {
            schedule: present
                .schedule
                .iter()
                .filter(|entry| !entry.is_users)
                .cloned()
                .collect(),
            ..present.clone()
        };
        let place = place.min(others.len());
        self.branches.extend(others.into_iter().map(|(left, cursor, commands)| {
            let mut branch = scripted.clone();
            branch.parent = left.map(|(parent, _)| parent);
            branch.from = left.map_or(SimTime::ZERO, |(_, from)| SimTime(from));
            branch.schedule(commands, 0);
            branch.cursor = cursor;
            branch
        }));
        self.branches.insert(
            place,
            Branch {
                parent: left.map(|(parent, _)| parent),
                from: left.map_or(SimTime::ZERO, |(_, from)| SimTime(from)),
                ..present
            },
        );
        self.current = place;
        self.hashed.set(Hashed::nothing(place));
        let count = self.branches.len();
        for at in 0..count {
            let parent = self.branches[at]
                .parent
                .filter(|parent| *parent < count && *parent != at);
            let label = self.branches[at].called(parent.and_then(|parent| self.branches.get(parent)));
            (self.branches[at].parent, self.branches[at].label) = (parent, label);
        }
    }

    /// Takes back the last command of this branch; the cursor goes to just before it.
    pub fn undo(&mut self) -> Option<SimTime> {
        let branch = &mut self.branches[self.current];
        let index = branch.schedule.iter().rposition(|entry| entry.is_users)?;
        let at = branch.schedule.remove(index).timed.at;
        let keep = |checkpoint: &Checkpoint| {
            checkpoint.at < at || (checkpoint.at == at && checkpoint.progress.next_command <= index)
        };
        branch.checkpoints.retain(keep);
        branch.looked = (0, 0);
        let target = at - Span(1);
        self.restore(target);
        // What the command led to is not what was: the branch is cut where the checkpoint stands.
        let (recorded, printed, now) = (self.progress.recorded, self.progress.printed, self.world.now());
        if self.hashed.get().len > recorded {
            self.hashed.set(Hashed::nothing(self.current));
        }
        let branch = &mut self.branches[self.current];
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
            answer_to: None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lessons, scenario};

    fn played() -> Session {
        let loaded = scenario::load(&[lessons::welcome()]).expect("it loads");
        let mut session = Session::new(loaded).expect("it starts");
        session.advance(SimTime::from_seconds(1800), u64::MAX);
        session
    }

    /// Shows: T-01
    #[test]
    fn checkpoints_stay_within_their_room() {
        let session = played();
        let (branch, world) = (session.branch(), session.world());
        let all = branch.checkpoint_count();
        assert!(all > 8, "{all} of half an hour");
        for part in [1, 2, 4] {
            let room = weight(world) + branch.weight(world) / part;
            let mut less = branch.clone();
            less.thin_out(world, room);
            assert!(less.weight(world) + weight(world) <= room);
            assert_eq!(less.checkpoint_count() == all, part == 1);
            assert_eq!(less.checkpoints.first().map(|first| first.at), Some(SimTime::ZERO));
        }
        let mut none = branch.clone();
        none.thin_out(world, 0);
        assert_eq!(none.checkpoint_count(), 1, "t = 0 stays");
    }

    /// Shows: T-01
    #[test]
    fn a_checkpoint_weighs_more_the_more_was_written_after_it() {
        let mut session = played();
        let world = session.world().clone();
        assert_eq!(own_weight(&world, &world), known(&world));
        let mut last = known(&world);
        for _ in 0..3 {
            session.advance(session.now() + Span::seconds(10), u64::MAX);
            let weighs = own_weight(&world, session.world());
            assert!(
                weighs > last || weighs == known(&world) + weight(&world),
                "{weighs} after {last}"
            );
            last = weighs;
        }
        assert!(last > known(&world));
    }
}
