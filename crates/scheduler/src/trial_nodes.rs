//! Checks, as an autoscaler does, whether pods would fit on nodes that do not exist yet, with the filters of the
//! scheduler.

use std::sync::Arc;

use podscope_api::{Object, Pod, Str};

use crate::cache::Cache;
use crate::config::SchedulerConfiguration;
use crate::cycle::{CycleResult, NodeSearch};
use crate::nominator::Nominator;
use crate::plugins::node_affinity::AddedAffinity;
use crate::pod_info::Incoming;
use crate::scheduler::Scheduler;

/// A copy of a scheduler's cluster, to which nodes and pods are added on trial.
#[derive(Debug, Clone)]
pub struct TrialNodes {
    cache: Cache,
    config: SchedulerConfiguration,
    nominator: Nominator,
}

impl TrialNodes {
    pub fn new(scheduler: &Scheduler) -> Self {
        Self {
            cache: scheduler.cache().clone(),
            config: scheduler.config().clone().without_sampling(),
            nominator: scheduler.nominator().clone(),
        }
    }

    /// Adds a node, or an object that belongs to a node.
    pub fn add(&mut self, object: &Object) {
        self.cache.on_change(None, Some(object));
    }

    /// Removes an object that was added before or that is in the cluster.
    pub fn remove(&mut self, object: &Object) {
        self.cache.on_change(Some(object), None);
    }

    /// Checks whether all filters accept the pod on a node.
    ///
    /// # Errors
    /// Returns kube-scheduler's reasons for rejecting the node.
    pub fn check(&mut self, pod: &Arc<Pod>, node: &str) -> Result<(), Vec<String>> {
        let Some(found) = self.search(pod) else {
            return Err(vec![format!("no scheduler is named {}", pod.spec.scheduler_name)]);
        };
        if let Some(error) = found.error {
            return Err(vec![error]);
        }
        let index = self.cache.node_index(node);
        if index.is_some_and(|index| found.feasible.contains(&index)) {
            return Ok(());
        }
        let of_node = index.and_then(|index| found.diagnosis.status_of(index));
        let status = found.diagnosis.pre_filter.as_ref().or(of_node);
        let symbols = self.cache.symbols();
        let reasons = status.map(|status| status.reasons.as_slice()).unwrap_or_default();
        Err(reasons.iter().map(|reason| reason.text(symbols)).collect())
    }

    /// Returns the nodes on which all filters accept the pod, in the order in which they are examined.
    pub fn nodes_accepting(&mut self, pod: &Arc<Pod>) -> Vec<Str> {
        let found = self.search(pod).filter(|found| found.error.is_none());
        let feasible = found.map(|found| found.feasible).unwrap_or_default();
        let name = |index: &crate::NodeIdx| self.cache.node(*index).name.clone();
        feasible.iter().map(name).collect()
    }

    fn search(&mut self, pod: &Arc<Pod>) -> Option<CycleResult> {
        self.cache.update_snapshot();
        let profile = self.config.profile(&pod.spec.scheduler_name)?.clone();
        let incoming = Incoming::new(&mut self.cache, pod);
        let added_affinity = AddedAffinity::compile(&mut self.cache, &profile);
        let search = NodeSearch {
            config: &self.config,
            profile: &profile,
            incoming: &incoming,
            added_affinity: &added_affinity,
            nominator: &self.nominator,
        };
        Some(search.run(&mut self.cache, &mut 0).0)
    }
}
