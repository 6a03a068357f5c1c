//! The number of pods of each ReplicaSet in a rollout (CT-062, CT-064, CT-066).

use podscope_api::ReplicaSet;
use podscope_api::ordered::StableSort as _;

use super::{
    DESIRED_REPLICAS_ANNOTATION, MAX_REPLICAS_ANNOTATION, Rollout, compare_by_age, is_recreate, max_surge,
    max_unavailable, replicas_of, size, sum,
};

/// Identifies a ReplicaSet of the Deployment: the index of an old one in `Rollout::old`, or `None` for the new one.
type ReplicaSetId = Option<usize>;

impl Rollout<'_, '_, '_> {
    /// Sets the size of a ReplicaSet; returns whether the size changed.
    fn scale_replica_set(&mut self, set: &mut ReplicaSet, to: i32) -> bool {
        let from = size(set);
        let annotated = self.annotate_desired_and_max_replicas(set);
        set.spec.replicas = Some(to);
        if from == to && !annotated {
            return false;
        }
        let direction = if to > from { "up" } else { "down" };
        let text = format!(
            "Scaled {direction} replica set {} from {from} to {to}",
            set.metadata.name
        );
        self.update_replica_set(set, (from != to).then_some(text));
        from != to
    }

    /// Sets the size of the new ReplicaSet; returns whether the size of an existing one changed.
    pub(super) fn scale_new_replica_set(&mut self, to: i32) -> bool {
        let Some(mut set) = self.new.take() else {
            return false;
        };
        // A ReplicaSet that was created in this sync already has its size.
        let was_scaled = !set.metadata.uid.is_empty() && self.scale_replica_set(&mut set, to);
        self.new = Some(set);
        was_scaled
    }

    pub(super) fn scale_old_replica_set(&mut self, index: usize, to: i32) -> bool {
        let mut set = std::mem::take(&mut self.old[index]);
        let was_scaled = self.scale_replica_set(&mut set, to);
        self.old[index] = set;
        was_scaled
    }

    /// Returns the allowed size of the new ReplicaSet, given its current size and the total size of the others.
    pub(super) fn allowed_size_of_new_replica_set(&self, total_of_others: i32, current: i32) -> i32 {
        let replicas = replicas_of(&self.deployment);
        if is_recreate(&self.deployment) {
            return replicas;
        }
        let room = replicas
            .saturating_add(max_surge(&self.deployment))
            .saturating_sub(total_of_others.saturating_add(current));
        if room <= 0 {
            current
        } else {
            current + room.min(replicas - current)
        }
    }

    pub(super) fn scale_up_new_replica_set(&mut self) -> bool {
        let replicas = replicas_of(&self.deployment);
        let Some(current) = self.new.as_ref().map(size) else {
            return false;
        };
        if current == replicas {
            return false;
        }
        let others = sum(self.old.iter().map(size));
        let to = if current > replicas {
            replicas
        } else {
            self.allowed_size_of_new_replica_set(others, current)
        };
        self.scale_new_replica_set(to)
    }

    /// Scales down old ReplicaSets, oldest first: removes first their unavailable pods, then available ones beyond the
    /// minimum. Returns whether a size changed.
    pub(super) fn scale_down_old_replica_sets(&mut self) -> bool {
        if sum(self.old.iter().map(size)) == 0 {
            return false;
        }
        let available = |set: &ReplicaSet| set.status.available_replicas.unwrap_or(0);
        let min_available = replicas_of(&self.deployment) - max_unavailable(&self.deployment);
        let total = sum(self.all_replica_sets().map(size));
        let new_unavailable = self.new.as_ref().map_or(0, |set| size(set) - available(set));
        let mut room = total.saturating_sub(min_available).saturating_sub(new_unavailable);
        if room <= 0 {
            return false;
        }
        let mut was_scaled = false;
        for index in 0..self.old.len() {
            let set = &self.old[index];
            let n_removed = (size(set) - available(set)).min(room).max(0);
            let to = size(set) - n_removed;
            if n_removed > 0 {
                room -= n_removed;
                was_scaled |= self.scale_old_replica_set(index, to);
            }
        }
        let mut surplus = sum(self.all_replica_sets().map(available)).saturating_sub(min_available);
        for index in 0..self.old.len() {
            let n_removed = size(&self.old[index]).min(surplus).max(0);
            let to = size(&self.old[index]) - n_removed;
            if n_removed > 0 {
                surplus -= n_removed;
                was_scaled |= self.scale_old_replica_set(index, to);
            }
        }
        was_scaled
    }

    /// Returns whether `spec.replicas` changed since the active ReplicaSets were last scaled.
    pub(super) fn is_scaling(&self) -> bool {
        let replicas = replicas_of(&self.deployment);
        self.all_replica_sets().filter(|set| size(set) > 0).any(|set| {
            set.metadata
                .annotation(DESIRED_REPLICAS_ANNOTATION)
                .and_then(|text| text.parse::<i32>().ok())
                .is_some_and(|desired| desired != replicas)
        })
    }

    /// Distributes a change of `spec.replicas` over all active ReplicaSets, in proportion to their sizes (CT-066).
    pub(super) fn scale_proportionally(&mut self) {
        let replicas = replicas_of(&self.deployment);
        let active: Vec<ReplicaSetId> = self
            .replica_set_ids()
            .filter(|id| size(self.replica_set(*id)) > 0)
            .collect();
        match active.as_slice() {
            [] => {
                let latest = self
                    .new
                    .as_ref()
                    .map(|_| None)
                    .or_else(|| self.old.len().checked_sub(1).map(Some));
                if let Some(id) = latest
                    && size(self.replica_set(id)) != replicas
                {
                    self.scale_by_id(id, replicas);
                }
            }
            [one] if size(self.replica_set(*one)) == replicas => {}
            [one] => self.scale_by_id(*one, replicas),
            _ if self.is_saturated() => {
                for id in active.into_iter().filter(Option::is_some) {
                    self.scale_by_id(id, 0);
                }
            }
            _ if !is_recreate(&self.deployment) => self.distribute_replicas(active),
            _ => {}
        }
    }

    /// Scales the active ReplicaSets in proportion to their sizes, so that their total is the allowed number of pods.
    fn distribute_replicas(&mut self, mut active: Vec<ReplicaSetId>) {
        let replicas = replicas_of(&self.deployment);
        let allowed = if replicas > 0 {
            replicas.saturating_add(max_surge(&self.deployment))
        } else {
            0
        };
        let to_add = allowed.saturating_sub(sum(active.iter().map(|id| size(self.replica_set(*id)))));
        active.stable_sort_by(|one, other| {
            let (one, other) = (self.replica_set(*one), self.replica_set(*other));
            let age = if to_add > 0 {
                compare_by_age(other, one)
            } else {
                compare_by_age(one, other)
            };
            size(other).cmp(&size(one)).then(age)
        });
        let mut added = 0;
        let mut sizes = Vec::new();
        for id in &active {
            let share = self.proportional_change(self.replica_set(*id), to_add, added);
            added += share;
            sizes.push(size(self.replica_set(*id)) + share);
        }
        if let Some(largest) = sizes.first_mut() {
            *largest = (*largest + to_add - added).max(0);
        }
        for (id, to) in active.into_iter().zip(sizes) {
            self.scale_by_id(id, to);
        }
    }

    /// Returns the change of the ReplicaSet's size in proportion to its size, at most the rest of `to_add`, of which
    /// `added` is already distributed.
    fn proportional_change(&self, set: &ReplicaSet, to_add: i32, added: i32) -> i32 {
        if to_add == added {
            return 0;
        }
        let replicas = replicas_of(&self.deployment);
        let annotated = set
            .metadata
            .annotation(MAX_REPLICAS_ANNOTATION)
            .and_then(|text| text.parse::<i64>().ok())
            .filter(|max| *max != 0);
        let before = annotated.unwrap_or_else(|| i64::from(self.deployment.status.replicas.unwrap_or(0)));
        let share = if replicas == 0 {
            -size(set)
        } else if before <= 0 {
            0
        } else {
            let product = i64::from(size(set)) * i64::from(replicas.saturating_add(max_surge(&self.deployment)));
            let rounded = (2 * product + before).div_euclid(2 * before);
            i32::try_from(rounded).unwrap_or(i32::MAX) - size(set)
        };
        let remaining = to_add - added;
        if to_add > 0 {
            share.min(remaining)
        } else {
            share.max(remaining)
        }
    }

    /// Returns whether the new ReplicaSet has all desired pods, and all of them are available.
    fn is_saturated(&self) -> bool {
        let replicas = replicas_of(&self.deployment);
        self.new.as_ref().is_some_and(|set| {
            set.metadata.annotation(DESIRED_REPLICAS_ANNOTATION) == Some(&replicas.to_string())
                && size(set) == replicas
                && set.status.available_replicas.unwrap_or(0) == replicas
        })
    }

    /// Returns the identifiers of the existing ReplicaSets, old ones first.
    fn replica_set_ids(&self) -> impl Iterator<Item = ReplicaSetId> + use<> {
        (0..self.old.len()).map(Some).chain(self.new.is_some().then_some(None))
    }

    fn replica_set(&self, id: ReplicaSetId) -> &ReplicaSet {
        match (id, &self.new) {
            (None, Some(set)) => set,
            (index, _) => &self.old[index.unwrap_or(0)],
        }
    }

    fn scale_by_id(&mut self, id: ReplicaSetId, to: i32) {
        match id {
            Some(index) => self.scale_old_replica_set(index, to),
            None => self.scale_new_replica_set(to),
        };
    }
}
