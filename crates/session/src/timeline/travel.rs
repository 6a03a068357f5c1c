//! Travel in time: checkpoints, seeks, forks of branches, and undo.

use std::cell::Cell;
use std::sync::Arc;

use podscope_api::Kind;
use podscope_cluster::{SimTime, Span, World};
use podscope_protocol::SessionLimit;

use super::branch::{Branch, Checkpoint};
use super::{INITIAL_CHECKPOINT_SPACING, MAX_BRANCHES, MAX_CHECKPOINTS, MAX_MEMORY_WEIGHT, Session, TraceHash};

/// A branch of a stored session: its parent with the time of the fork in microseconds, the time of its cursor, and its
/// commands.
type StoredBranch = (Option<(usize, i64)>, SimTime, Vec<crate::scenario::Timed>);

// Weights are in the unit of [`MAX_MEMORY_WEIGHT`].

/// Memory weight of a node in the world, with its machine and kubelet.
const NODE_WEIGHT: usize = 20;
/// Memory weight of a pod in the world, with its containers.
const POD_WEIGHT: usize = 25;
/// Memory weight of a scheduler's data about a node. The weight of its data about a pod is 1.
const CACHED_NODE_WEIGHT: usize = 5;
/// Memory weight of a queued event. A checkpoint copies all queued events.
const QUEUED_EVENT_WEIGHT: usize = 1;
/// Memory weight of an old version of an object that only a checkpoint still contains.
const OLD_VERSION_WEIGHT: usize = 4;
/// Memory weight that a checkpoint may copy for each event since the previous checkpoint. This limits the share of the
/// computing time that is spent on copying.
const COPIED_WEIGHT_PER_EVENT: u64 = 5;
/// The minimum number of events between two checkpoints of a large world is the square of the copied weight divided by
/// this number. The spacing grows with the square, because only few checkpoints of a large world fit into the memory
/// limit.
const MIN_SPACING_DIVISOR: u64 = 50_000;
/// Weight of a world above which the memory limit allows only few checkpoints. A checkpoint that would soon be dropped
/// is then not created.
const LARGE_WORLD_WEIGHT: usize = MAX_MEMORY_WEIGHT / 4;

/// Returns the number of nodes and the number of pods.
fn node_and_pod_counts(world: &World) -> (usize, usize) {
    let objects = world.objects();
    (objects.count_kind(Kind::Node), objects.count_kind(Kind::Pod))
}

/// Returns the memory weight of a world. In a small cluster with many changes, it consists mostly of Events: each Event
/// exists for an hour, so distant checkpoints share no Events.
fn memory_weight(world: &World) -> usize {
    let (nodes, pods) = node_and_pod_counts(world);
    nodes * NODE_WEIGHT + pods * POD_WEIGHT + world.objects().count_kind(Kind::Event) * OLD_VERSION_WEIGHT
}

/// Returns the memory weight that a checkpoint does not share with the next state `after`: the copied data of
/// scheduler, controllers and network, and the objects that have been written since the checkpoint.
fn unshared_weight(checkpoint: &World, after: &World) -> usize {
    let written = after.revision().saturating_sub(checkpoint.revision());
    let written = usize::try_from(written).unwrap_or(usize::MAX);
    copied_weight(checkpoint)
        + written
            .saturating_mul(OLD_VERSION_WEIGHT)
            .min(memory_weight(checkpoint))
}

fn copied_weight(world: &World) -> usize {
    let (nodes, pods) = node_and_pod_counts(world);
    nodes * CACHED_NODE_WEIGHT + pods + world.pending_and_processed_events().0 * QUEUED_EVENT_WEIGHT
}

/// Returns the minimum number of events between two checkpoints of this world.
fn min_spacing(world: &World) -> u64 {
    let copied_weight = copied_weight(world) as u64;
    (copied_weight / COPIED_WEIGHT_PER_EVENT).max(copied_weight * copied_weight / MIN_SPACING_DIVISOR)
}

impl Branch {
    /// Returns the memory weight of the branch's checkpoints, without that of the world at the cursor.
    fn checkpoints_weight(&self, world: &World) -> usize {
        let worlds = || self.checkpoints.iter().map(|checkpoint| &checkpoint.world);
        let after = worlds().skip(1).chain([world]);
        worlds()
            .zip(after)
            .map(|(own, after)| unshared_weight(own, after))
            .sum()
    }

    /// Returns whether a new checkpoint of the world fits into the memory limit, also after `written` more writes.
    fn has_room_for_checkpoint(&self, world: &World, written: usize) -> bool {
        let whole = memory_weight(world);
        let own = copied_weight(world) + written.saturating_mul(OLD_VERSION_WEIGHT).min(whole);
        whole + self.checkpoints_weight(world) + own <= MAX_MEMORY_WEIGHT
    }

    /// Drops every other checkpoint, but never the first, until the checkpoints and the world together weigh at most
    /// `max_weight`.
    fn thin_out_checkpoints(&mut self, world: &World, max_weight: usize) {
        while self.checkpoints.len() > 1
            && (self.checkpoints.len() > MAX_CHECKPOINTS
                || self.checkpoints_weight(world) + memory_weight(world) > max_weight)
        {
            // With three checkpoints or fewer, the last one is too heavy because many objects have changed since it was
            // created. Later checkpoints may be lighter, so the spacing is not increased.
            if self.checkpoints.len() > 3 {
                self.spacing = self.spacing.saturating_mul(2);
            }
            let mut at = 0;
            self.checkpoints.retain(|_| {
                at += 1;
                at % 2 == 1
            });
        }
        self.debug_assert_first_checkpoint();
    }

    fn debug_assert_first_checkpoint(&self) {
        debug_assert!(
            self.checkpoints.first().is_some_and(|first| first.at == SimTime::ZERO),
            "the checkpoint at t = 0 is kept, so that every seek has a start"
        );
    }
}

impl Session {
    pub(super) fn create_checkpoint_if_due(&mut self) {
        let events = self.world.pending_and_processed_events().1;
        let branch = &mut self.branches[self.current];
        let last = branch.checkpoints.last();
        let (last, revision) = last.map_or((0, 0), |last| {
            (last.world.pending_and_processed_events().1, last.world.revision())
        });
        if events > last && events.is_multiple_of(INITIAL_CHECKPOINT_SPACING) {
            branch.thin_out_checkpoints(&self.world, MAX_MEMORY_WEIGHT);
        }
        let (last_considered, revision) = branch.last_considered.max((last, revision));
        if events < last_considered + branch.spacing.max(min_spacing(&self.world)) {
            return;
        }
        branch.last_considered = (events, self.world.revision());
        let written = usize::try_from(self.world.revision().saturating_sub(revision)).unwrap_or(usize::MAX);
        if memory_weight(&self.world) > LARGE_WORLD_WEIGHT && !branch.has_room_for_checkpoint(&self.world, written) {
            return;
        }
        // `checkpoint_at_or_before` finds a checkpoint by binary search, so checkpoints must be ordered.
        assert!(
            branch
                .checkpoints
                .last()
                .is_none_or(|last| { last.at <= self.world.now() && last.progress.recorded <= self.progress.recorded }),
            "checkpoints are ordered by time"
        );
        branch.checkpoints.push(Checkpoint {
            at: self.world.now(),
            world: self.world.clone(),
            progress: self.progress.clone(),
        });
        branch.thin_out_checkpoints(&self.world, MAX_MEMORY_WEIGHT);
    }

    /// Starts a seek. Restores the last checkpoint before the target, if the cursor is after the target or before that
    /// checkpoint. The caller then calls [`Session::advance`] with the same target.
    pub fn seek(&mut self, target: SimTime) {
        let now = self.world.now();
        if target < now || self.checkpoint_at_or_before(target).at > now {
            self.restore_checkpoint(target);
        }
    }

    /// Returns the last checkpoint at or before the target, which always exists.
    fn checkpoint_at_or_before(&self, target: SimTime) -> &Checkpoint {
        let checkpoints = &self.branch().checkpoints;
        let after = checkpoints.partition_point(|checkpoint| checkpoint.at <= target);
        checkpoints
            .get(after.saturating_sub(1))
            .expect("the checkpoint at t = 0 is kept")
    }

    fn restore_checkpoint(&mut self, target: SimTime) {
        let checkpoint = self.checkpoint_at_or_before(target).clone();
        self.world = checkpoint.world;
        self.progress = checkpoint.progress;
    }

    /// Keeps the current branch with its later commands and records, and continues from the cursor on a new branch.
    ///
    /// # Errors
    /// The maximum number of branches is reached.
    pub fn fork(&mut self) -> Result<(), SessionLimit> {
        if self.branches.len() >= MAX_BRANCHES {
            return Err(SessionLimit::Branches(MAX_BRANCHES));
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
            index <= next || !entry.is_from_user
        });
        branch
            .checkpoints
            .retain(|checkpoint| checkpoint.progress.recorded <= recorded && checkpoint.at <= now);
        branch.debug_assert_first_checkpoint();
        branch.last_considered = (0, 0);
        self.branches[parent].cursor = now;
        self.branches.push(branch);
        self.current = self.branches.len() - 1;
        // The new branch has the same records up to the cursor, so their hash stays valid.
        let hashed = self.hashed.get();
        if hashed.branch == parent && hashed.len <= recorded {
            self.hashed.set(TraceHash {
                branch: self.current,
                ..hashed
            });
        }
        Ok(())
    }

    /// Switches to another branch at its last cursor. Returns the instant to which the caller must advance.
    pub fn switch_branch(&mut self, branch: usize) -> Option<SimTime> {
        if branch >= self.branches.len() {
            return None;
        }
        let now = self.world.now();
        self.branches[self.current].cursor = now;
        self.current = branch;
        let target = self.branch().cursor;
        self.restore_checkpoint(target);
        Some(target)
    }

    /// Adds the other branches of a stored session to a session at t = 0, which has only its current branch. The
    /// current branch gets the index `index`. The added branches are computed when the user switches to them. Parents
    /// that do not exist are ignored.
    pub(crate) fn add_stored_branches(
        &mut self,
        others: Vec<StoredBranch>,
        index: usize,
        fork_point: Option<(usize, i64)>,
    ) {
        let Some(present) = self.branches.pop().filter(|_| self.branches.is_empty()) else {
            return;
        };
        let scripted = Branch {
            schedule: present
                .schedule
                .iter()
                .filter(|entry| !entry.is_from_user)
                .cloned()
                .collect(),
            ..present.clone()
        };
        let index = index.min(others.len());
        self.branches
            .extend(others.into_iter().map(|(fork_point, cursor, commands)| {
                let mut branch = scripted.clone();
                branch.parent = fork_point.map(|(parent, _)| parent);
                branch.from = fork_point.map_or(SimTime::ZERO, |(_, from)| SimTime(from));
                branch.schedule(commands, 0);
                branch.cursor = cursor;
                branch
            }));
        self.branches.insert(
            index,
            Branch {
                parent: fork_point.map(|(parent, _)| parent),
                from: fork_point.map_or(SimTime::ZERO, |(_, from)| SimTime(from)),
                ..present
            },
        );
        self.current = index;
        debug_assert!(index < self.branches.len(), "the current branch exists");
        self.hashed.set(TraceHash::empty(index));
        let count = self.branches.len();
        for at in 0..count {
            let parent = self.branches[at]
                .parent
                .filter(|parent| *parent < count && *parent != at);
            let label = self.branches[at].label_relative_to(parent.and_then(|parent| self.branches.get(parent)));
            (self.branches[at].parent, self.branches[at].label) = (parent, label);
        }
    }

    /// Removes the user's last command from the current branch. Returns the time just before the command, to which the
    /// caller must advance.
    pub fn undo(&mut self) -> Option<SimTime> {
        let branch = &mut self.branches[self.current];
        let index = branch.schedule.iter().rposition(|entry| entry.is_from_user)?;
        let at = branch.schedule.remove(index).timed.at;
        let keep = |checkpoint: &Checkpoint| {
            checkpoint.at < at || (checkpoint.at == at && checkpoint.progress.next_command <= index)
        };
        branch.checkpoints.retain(keep);
        branch.debug_assert_first_checkpoint();
        branch.last_considered = (0, 0);
        let target = at - Span(1);
        self.restore_checkpoint(target);
        // The trace after the command is no longer valid, so the branch is truncated at the restored checkpoint.
        let (recorded, printed, now) = (self.progress.recorded, self.progress.printed, self.world.now());
        if self.hashed.get().len > recorded {
            self.hashed.set(TraceHash::empty(self.current));
        }
        let branch = &mut self.branches[self.current];
        branch.trace.truncate(recorded);
        branch.outputs.truncate(printed);
        branch.finished.retain(|(_, finished, _)| *finished <= now);
        branch.horizon = now;
        Some(target.max(now))
    }

    /// Returns the scheduling decision of the attempt whose record has this index. The decision is not in the record,
    /// so the branch is replayed up to that record.
    pub(crate) fn decision(&self, record_index: u64) -> Option<Arc<podscope_cluster::RecordedDecision>> {
        let index = usize::try_from(record_index).ok()?;
        let checkpoint = self
            .branch()
            .checkpoints
            .iter()
            .rev()
            .find(|checkpoint| checkpoint.progress.recorded <= index)?;
        let mut replay = Session {
            loaded: self.loaded.clone(),
            world: checkpoint.world.clone(),
            progress: checkpoint.progress.clone(),
            branches: vec![self.branch().clone()],
            current: 0,
            hashed: Cell::new(TraceHash::empty(0)),
            last_call: None,
            commands_max: self.commands_max,
        };
        replay.world.record_decisions(true);
        while replay.progress.recorded <= index {
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

    fn session_after_30_minutes() -> Session {
        let loaded = scenario::load(&[lessons::first_visit_file()]).expect("it loads");
        let mut session = Session::new(loaded).expect("it starts");
        session.advance(SimTime::from_seconds(1800), u64::MAX);
        session
    }

    #[test]
    fn weight_of_checkpoint_counts_its_events() {
        const EVENTS: usize = 50;
        let event = |number: usize| {
            format!(
                "{{apiVersion: v1, kind: Event, metadata: {{name: e-{number}, namespace: default}}, reason: R, \
                 involvedObject: {{kind: Pod, namespace: default, name: p}}}}\n---\n"
            )
        };
        let events: String = (0..EVENTS).map(event).collect();
        let mut session = Session::new(scenario::load(&[]).expect("it loads")).expect("it starts");
        let mut run = |line: &str| {
            let command = podscope_kubectl::command::parse(line).expect("a command");
            session.command(command).expect("there is room");
            let until = session.now() + Span::seconds(5);
            session.advance(until, u64::MAX);
            session.world().clone()
        };
        let full = run(&format!("kubectl create -f - <<'EOF'\n{events}EOF\n"));
        assert_eq!(full.objects().count_kind(Kind::Event), EVENTS);
        let empty = run("kubectl delete events --all");
        assert_eq!(empty.objects().count_kind(Kind::Event), 0);
        assert!(unshared_weight(&full, &empty) >= EVENTS * OLD_VERSION_WEIGHT);
    }

    /// Shows: T-01
    #[test]
    fn checkpoints_stay_within_memory_limit() {
        let session = session_after_30_minutes();
        let (branch, world) = (session.branch(), session.world());
        let all = branch.checkpoint_count();
        assert!(all > 8, "only {all} checkpoints in half an hour");
        for part in [1, 2, 4] {
            let room = memory_weight(world) + branch.checkpoints_weight(world) / part;
            let mut less = branch.clone();
            less.thin_out_checkpoints(world, room);
            assert!(less.checkpoints_weight(world) + memory_weight(world) <= room);
            assert_eq!(less.checkpoint_count() == all, part == 1);
            assert_eq!(less.checkpoints.first().map(|first| first.at), Some(SimTime::ZERO));
        }
        let mut none = branch.clone();
        none.thin_out_checkpoints(world, 0);
        assert_eq!(none.checkpoint_count(), 1, "the checkpoint at t = 0 is kept");
    }

    /// Shows: T-01
    #[test]
    fn checkpoint_weight_grows_with_later_writes() {
        let mut session = session_after_30_minutes();
        let world = session.world().clone();
        assert_eq!(unshared_weight(&world, &world), copied_weight(&world));
        let mut last = copied_weight(&world);
        for _ in 0..3 {
            session.advance(session.now() + Span::seconds(10), u64::MAX);
            let weighs = unshared_weight(&world, session.world());
            assert!(
                weighs > last || weighs == copied_weight(&world) + memory_weight(&world),
                "{weighs} after {last}"
            );
            last = weighs;
        }
        assert!(last > copied_weight(&world));
    }
}
