//! One decision on a given cluster, whole: what the conformance corpus compares and explanations show.

use std::sync::Arc;

use podscope_api::{Pod, Str};

use crate::cache::Cache;
use crate::config::{Profile, SchedulerConfiguration};
use crate::cycle::{CycleState, Found, Search};
use crate::nominator::Nominator;
use crate::plugins::node_affinity::AddedAffinity;
use crate::plugins::{Plugin, Point, default_preemption};
use crate::pod_info::Incoming;
use crate::post_filter::{self, Limit, Preemption};

/// A decision with everything that led to it.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The pod, compiled.
    pub incoming: Incoming,
    /// The profile that decided.
    pub profile: Arc<Profile>,
    /// Nodes, scores, hosts, refusals.
    pub found: Found,
    /// What plugins kept, for details such as spread counts.
    pub state: CycleState,
    /// Only when no node is feasible and the profile preempts.
    pub preemption: Option<Preemption>,
    /// The FailedScheduling text, when no node is feasible; or the error.
    pub message: Option<String>,
    /// The node that the draw took, to bind or to preempt on; `None` where nothing was drawn.
    pub chosen: Option<Str>,
}

/// Decides a pod against a cache: all preemption candidates, from start index `start`.
/// `None` where no profile is named as the pod asks.
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
    let search = Search {
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
        if !cache.order().is_empty() {
            preemption = post_filter::run(&search, cache, &mut state, &mut found.diagnosis, Limit::None);
            // Where an earlier PostFilter ended in an error, say all the same what preemption would have found.
            if preemption.is_none() && profile.has(Point::PostFilter, Plugin::DefaultPreemption) {
                let tried = default_preemption::preempt(&search, cache, &mut state, &found.diagnosis, Limit::None);
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
