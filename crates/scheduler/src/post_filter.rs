//! PostFilter: what can be done when no node passed (SCH-029, SCH-030, SCH-093 to SCH-102).

use podscope_api::explained::{Criterion, NotEligible};

use crate::cache::Cache;
use crate::cycle::{CycleState, Diagnosis, Search};
use crate::node_info::NodeIdx;
use crate::plugins::Point;
use crate::plugins::default_preemption::Candidate;
use crate::status::Status;

/// What DefaultPreemption found.
#[derive(Debug, Clone)]
pub enum Preemption {
    /// Not this pod, not now.
    NotEligible(NotEligible),
    /// Nothing helps.
    NoCandidate {
        /// kube-scheduler's text.
        text: String,
        /// What the dry run says of each node that was tried: less important pods of it were taken away.
        refused: Vec<(NodeIdx, Status)>,
    },
    /// Victims on at least one node.
    Found {
        /// Every candidate tried.
        candidates: Vec<Candidate>,
        /// Nodes that can be chosen.
        chosen: Vec<NodeIdx>,
        /// What decided.
        criterion: Criterion,
    },
}

/// What a PostFilter plugin answers.
pub(crate) enum PostFilter {
    /// A preemption will make room: the others are not asked.
    Success(Preemption),
    /// It cannot help: its text, and what preemption found where it was that.
    Unschedulable(String, Option<Preemption>),
    /// It failed: the others are not asked.
    Error(String),
}

/// How many nodes preemption tries.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// All.
    None,
    /// As many as the arguments say, starting at this draw modulo the number of nodes.
    Real(u64),
}

/// Runs the PostFilter plugins; puts their text into the diagnosis (SCH-029 to SCH-031).
pub(crate) fn run(
    search: &Search<'_>,
    cache: &mut Cache,
    state: &mut CycleState,
    diagnosis: &mut Diagnosis,
    limit: Limit,
) -> Option<Preemption> {
    let mut texts: Vec<String> = Vec::new();
    let mut preemption = None;
    for plugin in search.profile.at(Point::PostFilter) {
        match plugin.does().post_filter(search, cache, state, diagnosis, limit) {
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
