//! Finds pods whose deletion may make the pending pod schedulable: on the node of the deleted pod, or on another node
//! of the same domain, because affinity and spread depend on the pods of a whole domain. This search is cheap; each pod
//! found is then verified.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use std::sync::Arc;

use podscope_api::{ObjectKey, Pod};

use super::{Change, Trial, WhatWouldHelp};
use crate::cache::Cache;
use crate::cycle::{CycleResult, CycleState, NodeSearch};
use crate::node_info::NodeIdx;
use crate::plugins::node_affinity::AddedAffinity;
use crate::plugins::{Plugin, inter_pod_affinity};
use crate::status::Code;

/// Maximum number of pods whose effect on other nodes is examined.
const MAX_PODS_ON_OTHER_NODES: usize = 64;
/// Maximum number of pods that are verified.
const MAX_VERIFIED_BLOCKERS: usize = 6;

/// A pod that may block the pending pod: priority, key, object, node. Blockers are sorted by ascending priority.
type Blocker = (i32, ObjectKey, Arc<Pod>, NodeIdx);

impl WhatWouldHelp {
    /// Adds a trial for each of the lowest-priority pods that may block the pending pod.
    pub(super) fn find_blockers(&mut self) {
        let pod = self.pod.clone();
        let Some((found, mut state)) = self.schedule_on_copy(&pod) else {
            return;
        };
        let mut blockers = self
            .with_search(&pod, |cache, search| {
                let mut blockers = blockers_on_own_node(cache, search, &found, &mut state);
                blockers.extend(blockers_on_other_nodes(cache, search, &found, &mut state));
                blockers
            })
            .unwrap_or_default();
        blockers.stable_sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        blockers.dedup_by(|a, b| a.1 == b.1);
        for (_, key, pod, node) in blockers.into_iter().take(MAX_VERIFIED_BLOCKERS).rev() {
            let change = Change::DeletePod {
                pod: key.to_string(),
                node: self.cache.node(node).name.to_string(),
                remade_by: (pod.metadata.controller_ref()).map_or_else(String::new, |owner| owner.kind.to_string()),
            };
            self.trials.push_front(Trial::Delete(change, pod, 70));
        }
    }

    /// Calls `run` with the inputs of a scheduling cycle for the pod. Returns `None` if no profile schedules the pod.
    pub(super) fn with_search<T>(
        &mut self,
        pod: &Arc<Pod>,
        run: impl FnOnce(&mut Cache, &NodeSearch<'_>) -> T,
    ) -> Option<T> {
        let profile = self.config.profile(&pod.spec.scheduler_name)?.clone();
        let incoming = crate::pod_info::Incoming::new(&mut self.cache, pod);
        let added_affinity = AddedAffinity::compile(&mut self.cache, &profile);
        let search = NodeSearch {
            config: &self.config,
            profile: &profile,
            incoming: &incoming,
            added_affinity: &added_affinity,
            nominator: &self.nominator,
        };
        Some(run(&mut self.cache, &search))
    }
}

fn blockers_on_own_node(
    cache: &Cache,
    search: &NodeSearch<'_>,
    found: &CycleResult,
    state: &mut CycleState,
) -> Vec<Blocker> {
    let cycle = search.cycle(cache);
    let mut blockers = Vec::new();
    for (index, status) in &found.diagnosis.refused {
        // Deleting a pod does not change taints, node labels or missing affinity.
        if status.code != Code::Unschedulable || search.incoming.first_untolerated(cache.node(*index)).is_some() {
            continue;
        }
        for candidate in cache.node(*index).pods.iter() {
            let saved = state.critical_paths();
            let mut node = cache.node(*index).clone();
            node.remove_pod(&candidate.uid);
            state.add_or_remove_pod(&cycle, candidate, *index, -1);
            let helps = search.filter_with_nominated(&cycle, state, *index, &node).is_ok();
            state.add_or_remove_pod(&cycle, candidate, *index, 1);
            state.restore_critical_paths(saved);
            if helps {
                let key = candidate.pod.metadata.key();
                blockers.push((candidate.priority, key, candidate.pod.clone(), *index));
            }
        }
    }
    blockers
}

fn blockers_on_other_nodes(
    cache: &Cache,
    search: &NodeSearch<'_>,
    found: &CycleResult,
    state: &mut CycleState,
) -> Vec<Blocker> {
    let cycle = search.cycle(cache);
    // Only InterPodAffinity and PodTopologySpread take pods on other nodes into account.
    let refused: Vec<NodeIdx> = found
        .diagnosis
        .refused
        .iter()
        .filter(|(_, status)| {
            status.code == Code::Unschedulable
                && matches!(
                    status.plugin,
                    Some(Plugin::InterPodAffinity | Plugin::PodTopologySpread)
                )
        })
        .map(|(index, _)| *index)
        .collect();
    if refused.is_empty() {
        return Vec::new();
    }
    let refused_set: ordered::Set<NodeIdx> = refused.iter().copied().collect();
    let mut candidates = Vec::new();
    for index in cache.examination_order() {
        for candidate in cache.node(*index).pods.iter() {
            let counts = state
                .spread()
                .is_some_and(|spread| spread.counts_pod(&cycle, candidate));
            if counts || inter_pod_affinity::excludes_incoming_pod(&cycle, candidate) {
                candidates.push((candidate.priority, candidate.pod.metadata.key(), candidate, *index));
            }
        }
    }
    candidates.stable_sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    // Pods on rejected nodes come last. They were already tried for their own node, but may affect other nodes too.
    candidates.stable_sort_by_key(|candidate| refused_set.contains(&candidate.3));
    let mut blockers = Vec::new();
    for (priority, key, candidate, on) in candidates.into_iter().take(MAX_PODS_ON_OTHER_NODES) {
        let saved = state.critical_paths();
        state.add_or_remove_pod(&cycle, candidate, on, -1);
        let helps = refused.iter().any(|index| {
            *index != on
                && search
                    .filter_with_nominated(&cycle, state, *index, cache.node(*index))
                    .is_ok()
        });
        state.add_or_remove_pod(&cycle, candidate, on, 1);
        state.restore_critical_paths(saved);
        if helps {
            blockers.push((priority, key, candidate.pod.clone(), on));
        }
    }
    blockers
}
