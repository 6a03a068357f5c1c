//! Makes one complete decision on a given cluster, for the conformance corpus and for explanations.

use std::sync::Arc;

use podscope_api::{Pod, Str};

use crate::cache::Cache;
use crate::config::{Profile, SchedulerConfiguration};
use crate::cycle::{CycleResult, CycleState, NodeSearch};
use crate::nominator::Nominator;
use crate::plugins::node_affinity::AddedAffinity;
use crate::plugins::{Plugin, Point, default_preemption};
use crate::pod_info::Incoming;
use crate::post_filter::{self, DryRunLimit, Preemption};

/// A decision with all intermediate results.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The scheduled pod in compiled form.
    pub incoming: Incoming,
    /// The profile that made the decision.
    pub profile: Arc<Profile>,
    /// Feasible nodes, scores, hosts and diagnosis.
    pub found: CycleResult,
    /// State that the plugins stored during the cycle, for details such as spread counts.
    pub state: CycleState,
    /// Result of preemption. `None` if a node is feasible or the profile does not preempt.
    pub preemption: Option<Preemption>,
    /// Message of the FailedScheduling event if no node is feasible, or the error of the cycle.
    pub message: Option<String>,
    /// The node selected at random among equals for binding or preemption; `None` if no random number was used.
    pub chosen: Option<Str>,
}

/// Makes the decision for a pod on the given cache, and collects all preemption candidates. `start` is the rotating
/// start index. Returns `None` if no profile matches the pod's `schedulerName`.
pub fn decide(
    cache: &mut Cache,
    config: &SchedulerConfiguration,
    nominator: &Nominator,
    pod: &Arc<Pod>,
    start: &mut usize,
) -> Option<Decision> {
    let profile = config.profile(&pod.spec.scheduler_name)?.clone();
    cache.update_snapshot();
    let incoming = Incoming::new(cache, pod);
    let added_affinity = AddedAffinity::compile(cache, &profile);
    let search = NodeSearch {
        config,
        profile: &profile,
        incoming: &incoming,
        added_affinity: &added_affinity,
        nominator,
    };
    let (mut found, mut state) = search.run(cache, start);
    let mut preemption = None;
    let mut message = found.error.clone();
    if found.feasible.is_empty() && message.is_none() {
        if !cache.examination_order().is_empty() {
            preemption = post_filter::run(&search, cache, &mut state, &mut found.diagnosis, DryRunLimit::None);
            // If an earlier PostFilter plugin failed, run preemption nevertheless to report its result.
            if preemption.is_none() && profile.has(Point::PostFilter, Plugin::DefaultPreemption) {
                let tried =
                    default_preemption::preempt(&search, cache, &mut state, &found.diagnosis, DryRunLimit::None);
                preemption = tried.ok();
            }
        }
        message = Some(found.diagnosis.message(cache));
    }
    Some(Decision {
        found,
        state,
        preemption,
        message,
        chosen: None,
        profile: profile.clone(),
        incoming,
    })
}
