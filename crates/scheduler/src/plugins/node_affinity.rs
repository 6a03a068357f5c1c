//! `NodeAffinity`: nodeSelector, required and preferred node affinity, and the profile's added affinity
//! (SCH-044 to SCH-048).

use podscope_api::NodeAffinity as Rules;
use podscope_api::ordered::StableSort as _;
use podscope_messages::plugin as messages;
use std::sync::Arc;

use super::Point::{Filter, PreFilter as AtPreFilter, PreScore, Score};
use super::{ExtensionPoints, Plugin, PluginSpec, default_normalize};
use crate::cache::Cache;
use crate::config::{self, Errors, Fields, Profile};
use crate::cycle::{Cycle, CycleState, NodeSearch, PreFilter};
use crate::decide::Decision;
use crate::node_info::{NodeIdx, NodeInfo};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::selector::{NodeSelector, NodeTerm};
use crate::status::{Code, Status};
use crate::symbols::Symbol;

pub(super) const SPEC: PluginSpec = PluginSpec {
    weight: 2,
    events: &[EventKind::NodeAdd, EventKind::NodeLabel],
    about: Some(messages::node_affinity_about),
    refused: messages::node_affinity_refused,
    short: &[
        (REASON_POD, messages::node_affinity_node_affinity_selector),
        (REASON_ENFORCED, messages::node_affinity_the_scheduler_s_node_affinity),
    ],
    ..PluginSpec::new("NodeAffinity", &[AtPreFilter, Filter, PreScore, Score], &NodeAffinity)
};

/// Reason why a node is rejected: the pod's nodeSelector or required node affinity does not match.
pub const REASON_POD: &str = "node(s) didn't match Pod's node affinity/selector";
/// Reason why a node is rejected: the profile's added affinity does not match.
pub const REASON_ENFORCED: &str = "node(s) didn't match scheduler-enforced node affinity";
/// Reason why the pod is rejected: its required terms pin it to contradictory node names.
pub const REASON_CONFLICT: &str = "pod affinity terms conflict";

/// The node affinity that the profile adds to every pod, in compiled form.
#[derive(Debug, Clone, Default)]
pub struct AddedAffinity {
    /// Required node affinity for every pod of the profile.
    pub required: Option<NodeSelector>,
    /// Preferred terms for every pod of the profile, with their weights.
    pub preferred: Vec<(i64, NodeTerm)>,
    /// Whether there are preferred terms. If all of them are empty, the plugin still scores, and gives every node 0
    /// (SCH-149).
    has_preferred: bool,
}

impl AddedAffinity {
    pub(crate) fn compile(cache: &mut Cache, profile: &Profile) -> Self {
        let Some(added) = &profile.args.added_affinity else {
            return Self::default();
        };
        let symbols = &mut cache.symbols;
        Self {
            has_preferred: !added.preferred_during_scheduling_ignored_during_execution.is_empty(),
            required: added
                .required_during_scheduling_ignored_during_execution
                .as_ref()
                .map(|selector| NodeSelector::compile(symbols, selector)),
            preferred: added
                .preferred_during_scheduling_ignored_during_execution
                .iter()
                .map(|term| (i64::from(term.weight), NodeTerm::compile(symbols, &term.preference)))
                .filter(|(weight, term)| *weight != 0 && !term.empty)
                .collect(),
        }
    }
}

struct NodeAffinity;

impl ExtensionPoints for NodeAffinity {
    /// Skips the plugin if there are no required rules. Returns the candidate nodes if every term pins node names
    /// (SCH-045).
    fn pre_filter(&self, search: &NodeSearch<'_>, _: &mut Cache, _: &mut CycleState) -> Result<PreFilter, Status> {
        let required = &search.incoming.required;
        if required.is_absent() && search.added_affinity.required.is_none() {
            return Ok(PreFilter::Skip);
        }
        let Some(affinity) = &required.affinity else {
            return Ok(PreFilter::Run);
        };
        if affinity.terms.is_empty() {
            return Ok(PreFilter::Run);
        }
        let mut names: Vec<Symbol> = Vec::new();
        for term in &affinity.terms {
            match term.pinned_names() {
                None => return Ok(PreFilter::Run),
                Some(more) => names.extend(more),
            }
        }
        if names.is_empty() {
            return Err(Status::unresolvable(Plugin::NodeAffinity, REASON_CONFLICT));
        }
        names.stable_sort();
        names.dedup();
        Ok(PreFilter::Only(names))
    }

    fn filter(&self, cycle: &Cycle<'_>, _: &CycleState, _: NodeIdx, node: &NodeInfo) -> Result<(), Status> {
        if let Some(added) = &cycle.added_affinity.required
            && !added.matches(&cycle.cache.symbols, node)
        {
            return Err(Status::unresolvable(Plugin::NodeAffinity, REASON_ENFORCED));
        }
        if !cycle.incoming.required.matches(&cycle.cache.symbols, node) {
            return Err(Status::unresolvable(Plugin::NodeAffinity, REASON_POD));
        }
        Ok(())
    }

    /// Fails the cycle if a preferred term is malformed (SCH-046).
    fn pre_score(
        &self,
        search: &NodeSearch<'_>,
        _: &mut Cache,
        _: &mut CycleState,
        _: &[NodeIdx],
    ) -> Result<bool, Status> {
        let affinity = &search.incoming.info.pod.spec.affinity;
        let has_own = affinity
            .as_ref()
            .and_then(|affinity| affinity.node_affinity.as_ref())
            .is_some_and(|rules| !rules.preferred_during_scheduling_ignored_during_execution.is_empty());
        if !has_own && !search.added_affinity.has_preferred {
            return Ok(false);
        }
        let mut terms = search.incoming.preferred.iter();
        match terms.find_map(|(_, term)| term.malformed.as_ref()) {
            Some(error) => Err(Status::text(Plugin::NodeAffinity, Code::Error, error.as_str())),
            None => Ok(true),
        }
    }

    /// Sums the weights of the preferred terms that match the node.
    fn score(&self, cycle: &Cycle<'_>, _: &CycleState, feasible: &[NodeIdx], scores: &mut [i64]) -> bool {
        let terms = || cycle.incoming.preferred.iter().chain(&cycle.added_affinity.preferred);
        for (score, node) in scores.iter_mut().zip(feasible) {
            let node = cycle.cache.node(*node);
            *score = terms()
                .filter(|(_, term)| term.matches(&cycle.cache.symbols, node))
                .map(|(weight, _)| weight)
                .sum();
        }
        true
    }

    fn normalize(&self, _: &CycleState, scores: &mut [i64]) {
        default_normalize(scores, false);
    }

    fn queueing_hint(&self, cache: &mut Cache, event: &Event<'_>, waiting: &WaitingPod<'_>) -> bool {
        let allowed = |node: &NodeInfo| {
            let added = &waiting.added_affinity.required;
            added.as_ref().is_none_or(|added| added.matches(&cache.symbols, node))
        };
        // The old node is matched only against the pod's own rules, not against the profile's added affinity. A pod
        // without rules matches every node.
        let matches = |node: &NodeInfo| waiting.incoming.required.matches(&cache.symbols, node);
        event
            .new_node
            .as_ref()
            .is_some_and(|node| allowed(node) && matches(node))
            && !event.old_node.as_ref().is_some_and(matches)
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut config::Args, errors: &mut Errors) {
        if let Some(value) = fields.get("addedAffinity") {
            match podscope_api::wire::from_value::<Rules>(value) {
                Ok(affinity) => args.added_affinity = Some(Arc::new(affinity)),
                Err(error) => errors.push(fields.path_of("addedAffinity"), error),
            }
        }
    }

    fn refusal_text(&self, cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> String {
        if status.message(&cache.symbols) == REASON_ENFORCED {
            return "does not match the node affinity that the scheduler's configuration adds".to_owned();
        }
        let Some(node) = &cache.node(node).node else {
            return status.message(&cache.symbols);
        };
        let mut selector = decision.incoming.info.pod.spec.node_selector.iter();
        match selector.find(|(key, value)| node.metadata.label(key) != Some(&***value)) {
            Some((key, value)) => format!("has no label {key}={value}, which the pod's nodeSelector asks for"),
            None => "does not match the pod's required node affinity".to_owned(),
        }
    }
}
