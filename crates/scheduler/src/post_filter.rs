//! PostFilter: what can be done when no node passed (SCH-029, SCH-030, SCH-093 to SCH-102).

use crate::cache::Cache;
use crate::cycle::{CycleState, Diagnosis, Search};
use crate::node_info::NodeIdx;
use crate::plugins::default_preemption::{self, Candidate, Criterion};
use crate::plugins::{Plugin, Point, dynamic_resources};

/// What DefaultPreemption found.
#[derive(Debug, Clone)]
pub enum Preemption {
    /// Not this pod, not now.
    NotEligible(&'static str),
    /// Nothing helps; the text says why.
    NoCandidate(String),
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

/// How many nodes preemption tries.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// All.
    None,
    /// As many as the arguments say, starting at this draw modulo the number of nodes.
    Real(u64),
}

/// Runs DefaultPreemption alone.
pub(crate) fn preempt(
    search: &Search<'_>,
    cache: &mut Cache,
    state: &mut CycleState,
    diagnosis: &Diagnosis,
    limit: Limit,
) -> Preemption {
    if let Some(text) = default_preemption::not_eligible(search, cache, diagnosis) {
        return Preemption::NotEligible(text);
    }
    let nodes = default_preemption::potential_nodes(diagnosis);
    let limit = match limit {
        Limit::Real(draw) if !nodes.is_empty() => {
            let offset = (draw % nodes.len() as u64) as usize;
            Some((offset, default_preemption::candidates_wanted(search, nodes.len())))
        }
        _ => None,
    };
    let result = default_preemption::dry_run(search, cache, state, &nodes, limit);
    if result.candidates.is_empty() {
        return Preemption::NoCandidate(default_preemption::no_candidate_text(cache, &result.refused));
    }
    let (chosen, criterion) = default_preemption::pick(&result.candidates);
    let chosen = chosen.iter().map(|candidate| candidate.node).collect();
    Preemption::Found {
        candidates: result.candidates,
        chosen,
        criterion,
    }
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
        match plugin {
            Plugin::DynamicResources => match dynamic_resources::post_filter(state.dynamic_resources_ran) {
                Ok(text) => texts.push(text.to_owned()),
                Err(text) => {
                    texts = vec![text.to_owned()];
                    break;
                }
            },
            Plugin::DefaultPreemption => {
                let result = preempt(search, cache, state, diagnosis, limit);
                match &result {
                    Preemption::NotEligible(text) => texts.push(format!("preemption: {text}")),
                    Preemption::NoCandidate(text) => texts.push(format!("preemption: {text}")),
                    Preemption::Found { .. } => texts.clear(),
                }
                let done = matches!(result, Preemption::Found { .. });
                preemption = Some(result);
                if done {
                    break;
                }
            }
            _ => {}
        }
    }
    diagnosis.post_filter = texts.join(", ");
    preemption
}
