//! PostFilter: runs if no node passed Filter; mainly preemption (SCH-029, SCH-030, SCH-093 to SCH-102).

use podscope_api::explained::{PreemptionCriterion, PreemptionIneligibility};

use crate::cache::Cache;
use crate::cycle::{CycleState, Diagnosis, NodeSearch};
use crate::node_info::NodeIdx;
use crate::plugins::Point;
use crate::plugins::default_preemption::Candidate;
use crate::status::Status;

/// The result of DefaultPreemption.
#[derive(Debug, Clone)]
pub enum Preemption {
    /// The pod is not eligible for preemption.
    NotEligible(PreemptionIneligibility),
    /// Preemption does not help on any node.
    NoCandidate {
        /// The reason in kube-scheduler's words.
        text: String,
        /// Status of each node in the dry run, after its lower-priority pods were removed.
        refused: Vec<(NodeIdx, Status)>,
    },
    /// Preemption helps on at least one node.
    Found {
        /// All candidates.
        candidates: Vec<Candidate>,
        /// Nodes of the best candidates; one of them is chosen.
        chosen: Vec<NodeIdx>,
        /// The rule that selected the best candidates.
        criterion: PreemptionCriterion,
    },
}

/// The result of a PostFilter plugin.
pub(crate) enum PostFilter {
    /// The plugin found a preemption after which the pod fits. Later plugins do not run.
    Success(Preemption),
    /// The plugin cannot help. Contains its text and, for DefaultPreemption, the result.
    Unschedulable(String, Option<Preemption>),
    /// The plugin failed. Later plugins do not run.
    Error(String),
}

/// How many of the potential nodes preemption tries with a dry run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DryRunLimit {
    /// All potential nodes.
    None,
    /// As many as are needed to find the number of candidates that the plugin's arguments require. The value is a
    /// random number; modulo the number of potential nodes, it is the index of the first node to try.
    Configured(u64),
}

/// Runs the PostFilter plugins and stores their texts in the diagnosis (SCH-029 to SCH-031).
pub(crate) fn run(
    search: &NodeSearch<'_>,
    cache: &mut Cache,
    state: &mut CycleState,
    diagnosis: &mut Diagnosis,
    limit: DryRunLimit,
) -> Option<Preemption> {
    let mut texts: Vec<String> = Vec::new();
    let mut preemption = None;
    for plugin in search.profile.at(Point::PostFilter) {
        match plugin
            .extension_points()
            .post_filter(search, cache, state, diagnosis, limit)
        {
            PostFilter::Success(found) => {
                texts.clear();
                preemption = Some(found);
                break;
            }
            PostFilter::Unschedulable(text, tried) => {
                texts.push(text);
                preemption = tried.or(preemption);
            }
            PostFilter::Error(text) => {
                texts = vec![text];
                break;
            }
        }
    }
    diagnosis.post_filter = texts.join(", ");
    preemption
}
