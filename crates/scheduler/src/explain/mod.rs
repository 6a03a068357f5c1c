//! Explanation of a decision for people (S-14): the conclusion, every node, every score, preemption. It is data, except
//! for the texts of individual plugins; other crates turn it into sentences.

mod conclusion;

use podscope_api::explained::{
    CandidateExplanation, DomainCount, Explanation, NodeDevices, NodeExplanation, NodeNotHelpedByPreemption,
    NodeSampling, NodeScores, NodeVerdict, PreemptionExplanation, PreemptionObstacle, PreemptionResult, ScoringPlugin,
    SpreadExplanation, TooFewDomains, VictimExplanation,
};
use podscope_api::ordered::StableSort as _;

use crate::cache::Cache;
use crate::cycle::{Cycle, name_of_node};
use crate::decide::Decision;
use crate::node_info::NodeIdx;
use crate::plugins::Plugin;
use crate::plugins::default_preemption::{Candidate, budgets_of};
use crate::plugins::node_affinity::AddedAffinity;
use crate::pod_info::{PodInfo, SpreadConstraint};
use crate::post_filter::Preemption;
use crate::status::Status;
use crate::topology::NO_DOMAIN;

/// The explanation of one decision, and the devices that the pod's claims get on each node.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    pub explanation: Explanation,
    /// The devices by index of the node in the explanation; None for a node that the DynamicResources filter did not
    /// evaluate.
    devices: Vec<Option<Box<NodeDevices>>>,
}

impl Explained {
    /// Returns every node in the order of the explanation, with the devices of the pod's claims if the DynamicResources
    /// filter evaluated it.
    pub fn nodes(&self) -> impl Iterator<Item = (&NodeExplanation, Option<&NodeDevices>)> {
        let devices = self.devices.iter().map(Option::as_deref);
        self.explanation.nodes.iter().zip(devices)
    }
}

/// Explains a decision. `cache` must be in the state in which the decision was made.
pub fn explain(cache: &Cache, decision: &Decision) -> Explained {
    let explain_node = |node: &NodeIdx| {
        let explained = explain_node(cache, decision, *node);
        let devices = explain_devices(cache, decision, *node, &explained.verdict);
        (explained, devices)
    };
    let (nodes, devices) = cache.examination_order().iter().map(explain_node).unzip();
    Explained {
        explanation: explain_decision(cache, decision, nodes),
        devices,
    }
}

fn explain_decision(cache: &Cache, decision: &Decision, nodes: Vec<NodeExplanation>) -> Explanation {
    let found = &decision.found;
    let pod = &decision.incoming.info;
    let n_examined = found.feasible.len() + found.diagnosis.refused.len();
    let stopped_early = found.diagnosis.absent.is_none() && !found.feasible.is_empty() && n_examined < nodes.len();
    let hosts: Vec<String> = found.hosts.iter().map(|node| node_name(cache, *node)).collect();
    let chosen = match (&decision.chosen, hosts.as_slice()) {
        (Some(chosen), _) => Some(chosen.to_string()),
        (None, [one]) => Some(one.clone()),
        (None, _) => None,
    };
    Explanation {
        scheduler_name: decision.profile.scheduler_name.to_string(),
        priority: pod.priority,
        conclusion: conclusion::conclusion(cache, decision, chosen.as_ref(), &hosts),
        won: conclusion::win_reason(cache, decision, chosen.as_ref()),
        chosen,
        hosts,
        message: decision.message.clone(),
        plugins: found
            .scores
            .iter()
            .map(|scores| ScoringPlugin {
                name: scores.plugin.name().to_owned(),
                about: scores.plugin.spec().english_description().to_owned(),
                weight: scores.weight,
            })
            .collect(),
        spread: explain_spread(cache, decision),
        preemption: (decision.preemption.as_ref()).map(|preemption| explain_preemption(cache, decision, preemption)),
        sampling: stopped_early.then_some(NodeSampling {
            examined: n_examined,
            nodes: nodes.len(),
            wanted: found.wanted,
        }),
        nodes,
    }
}

fn node_name(cache: &Cache, node: NodeIdx) -> String {
    name_of_node(cache, node).to_string()
}

fn explain_node(cache: &Cache, decision: &Decision, node: NodeIdx) -> NodeExplanation {
    let found = &decision.found;
    let info = cache.node(node);
    let zone = crate::selector::label(&info.labels, crate::symbols::Symbol::ZONE);
    let verdict = if let Some(at) = found.feasible.iter().position(|feasible| *feasible == node) {
        NodeVerdict::Fits(explain_scores(cache, decision, node, at))
    } else if let Some(status) = found.diagnosis.status_of(node) {
        explain_refusal(cache, decision, node, status)
    } else {
        NodeVerdict::NotExamined
    };
    NodeExplanation {
        name: info.name.to_string(),
        zone: zone.map(|zone| cache.symbols.text(zone).to_string()),
        verdict,
    }
}

/// Returns the scores of the node `decision.found.feasible[at]`.
fn explain_scores(cache: &Cache, decision: &Decision, node: NodeIdx, at: usize) -> NodeScores {
    let found = &decision.found;
    let cycle = Cycle {
        cache,
        profile: &decision.profile,
        incoming: &decision.incoming,
        added_affinity: &AddedAffinity::default(),
    };
    let mut out = NodeScores {
        total: found.totals.get(at).copied(),
        ..NodeScores::default()
    };
    for (index, scores) in found.scores.iter().enumerate() {
        out.weighted.push(scores.normalized[at] * scores.weight);
        out.raw.push(scores.raw[at]);
        let note = scores.plugin.extension_points().explain_score(&cycle, node);
        out.notes.extend(note.map(|note| (index, note)));
    }
    out
}

fn explain_refusal(cache: &Cache, decision: &Decision, node: NodeIdx, status: &Status) -> NodeVerdict {
    let reasons = status.reasons.as_slice();
    let short: Vec<String> = reasons.iter().map(|reason| reason.short(&cache.symbols)).collect();
    NodeVerdict::Refused {
        refusal: conclusion::plugin_refusal(cache, decision, node, status),
        code: status.code,
        reasons: reasons.iter().map(|reason| reason.text(&cache.symbols)).collect(),
        short: short.join(", "),
    }
}

/// Returns the devices of the pod's claims on a node; `None` if the DynamicResources filter did not evaluate the node.
fn explain_devices(
    cache: &Cache,
    decision: &Decision,
    node: NodeIdx,
    verdict: &NodeVerdict,
) -> Option<Box<NodeDevices>> {
    let plugin = Plugin::DynamicResources;
    let has_failed = decision.found.error.is_some();
    let is_decided = match verdict {
        NodeVerdict::Fits(_) => true,
        NodeVerdict::Refused { refusal, .. } => refusal.plugin() == Some(plugin.name()),
        // An error of one node ends the cycle, so that no node has a verdict.
        NodeVerdict::NotExamined => has_failed,
    };
    let explained = is_decided.then(|| plugin.extension_points().explain_devices(cache, decision, node))??;
    (!has_failed || explained.error.is_some()).then(|| Box::new(explained))
}

fn explain_spread(cache: &Cache, decision: &Decision) -> Vec<SpreadExplanation> {
    let mut out = Vec::new();
    if let Some(state) = decision.state.spread() {
        for (at, constraint) in state.constraints.iter().enumerate() {
            let count = |node: NodeIdx| {
                let domain = cache.topology.key(constraint.key).domain(node);
                let count = if domain == NO_DOMAIN {
                    None
                } else {
                    state.domain_count(at, domain)
                };
                Some((count?, true))
            };
            let own = state.self_match(at);
            let mut explained = spread_of(cache, constraint, Some(state.min_count(at)), own, &count);
            explained.too_few_domains = state.too_few_domains(at).map(|found| TooFewDomains {
                found,
                min_domains: constraint.min_domains,
            });
            out.push(explained);
        }
    }
    if let Some(state) = &decision.state.spread_score {
        for (at, constraint) in state.constraints.iter().enumerate() {
            let own = i64::from(constraint.selector.matches(&decision.incoming.info.labels));
            let scored = state.scored_domains(cache, at, &decision.found.feasible);
            out.push(spread_of(cache, constraint, None, own, &|node| {
                let domain = cache.topology.key(constraint.key).domain(node);
                Some((state.true_count(cache, at, node)?, scored.contains(&domain)))
            }));
        }
    }
    out.stable_sort_by_key(|constraint| constraint.index);
    out
}

/// Explains one spread constraint. `own` is 1 if the pod matches the constraint's selector, otherwise 0. `min` is the
/// global minimum; `None` computes it. `count` returns, for a node's domain, the number of matching pods and whether
/// the domain counts for the minimum; `None` if the node has no domain or the constraint does not include it.
fn spread_of(
    cache: &Cache,
    constraint: &SpreadConstraint,
    min: Option<i64>,
    own: i64,
    count: &dyn Fn(NodeIdx) -> Option<(i64, bool)>,
) -> SpreadExplanation {
    let key = cache.topology.key(constraint.key);
    let mut domains: Vec<(String, i64, bool)> = Vec::new();
    for node in cache.examination_order() {
        let domain = key.domain(*node);
        let Some((count, is_scored)) = count(*node).filter(|_| domain != NO_DOMAIN) else {
            continue;
        };
        let value = cache.symbols.text(key.values[domain as usize]).to_string();
        domains.push((value, count, is_scored));
    }
    domains.stable_sort();
    domains.dedup_by(|a, b| a.0 == b.0);
    let min = min.unwrap_or_else(|| {
        let scored = domains.iter().filter(|(_, _, is_scored)| *is_scored);
        scored.map(|(_, count, _)| *count).min().unwrap_or(0)
    });
    SpreadExplanation {
        index: constraint.index,
        topology_key: cache.symbols.text(constraint.key_symbol).to_string(),
        hard: constraint.hard,
        max_skew: constraint.max_skew,
        min,
        too_few_domains: None,
        own,
        domains: domains
            .into_iter()
            .map(|(value, count, is_scored)| DomainCount {
                value,
                count,
                is_scored,
                skew: count + own - min,
                allowed: count + own - min <= constraint.max_skew,
            })
            .collect(),
    }
}

fn explain_preemption(cache: &Cache, decision: &Decision, preemption: &Preemption) -> PreemptionExplanation {
    let without_candidates = |result| PreemptionExplanation {
        result,
        candidates: Vec::new(),
        chosen: Vec::new(),
        not_helped_nodes: Vec::new(),
    };
    match preemption {
        Preemption::NotEligible(why) => without_candidates(PreemptionResult::NotEligible(*why)),
        Preemption::NoCandidate { refused, .. } => PreemptionExplanation {
            not_helped_nodes: nodes_not_helped_by_preemption(cache, decision, refused),
            ..without_candidates(PreemptionResult::NoCandidate)
        },
        Preemption::Found {
            candidates,
            chosen,
            criterion,
        } => PreemptionExplanation {
            result: PreemptionResult::Found {
                candidates: candidates.len(),
                criterion: *criterion,
            },
            candidates: candidates
                .iter()
                .map(|candidate| explain_candidate(cache, candidate))
                .collect(),
            chosen: chosen.iter().map(|node| node_name(cache, *node)).collect(),
            not_helped_nodes: Vec::new(),
        },
    }
}

/// Returns, for each node, the reason why preemption does not help: the result of the dry run, or the node's own
/// rejection if no dry run was made on it.
fn nodes_not_helped_by_preemption(
    cache: &Cache,
    decision: &Decision,
    refused: &[(NodeIdx, Status)],
) -> Vec<NodeNotHelpedByPreemption> {
    let texts = |status: &Status| {
        let reasons = status.reasons.as_slice().iter();
        reasons
            .map(|reason| reason.text(&cache.symbols))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let of_node = |node: &NodeIdx| {
        let tried = refused
            .iter()
            .find(|(tried, _)| tried == node)
            .map(|(_, status)| status);
        let why = match tried {
            Some(status) if status.plugin == Some(Plugin::DefaultPreemption) => PreemptionObstacle::NoVictims,
            Some(status) => {
                let plugin = status.plugin.map_or("", Plugin::name);
                PreemptionObstacle::StillRefused(plugin.to_owned(), texts(status))
            }
            None => PreemptionObstacle::Other(texts(decision.found.diagnosis.status_of(*node)?)),
        };
        Some(NodeNotHelpedByPreemption {
            node: node_name(cache, *node),
            why,
        })
    };
    cache.examination_order().iter().filter_map(of_node).collect()
}

fn explain_candidate(cache: &Cache, candidate: &Candidate) -> CandidateExplanation {
    let explain = |pods: &[std::sync::Arc<PodInfo>]| -> Vec<VictimExplanation> {
        pods.iter()
            .map(|pod| VictimExplanation {
                pod: pod.pod.metadata.key().to_string(),
                priority: pod.priority,
                budgets: budgets_of(cache, pod)
                    .into_iter()
                    .map(|(name, allowed)| (name.to_string(), allowed))
                    .collect(),
            })
            .collect()
    };
    CandidateExplanation {
        node: node_name(cache, candidate.node),
        victims: explain(&candidate.victims),
        reprieved: explain(&candidate.reprieved),
        pdb_violations: candidate.pdb_violations,
    }
}

/// Returns the weighted score difference `a - b` of each plugin that scores two nodes differently, largest first.
fn score_differences(decision: &Decision, a: NodeIdx, b: NodeIdx) -> Vec<(Plugin, i64)> {
    let found = &decision.found;
    let at = |node: NodeIdx| found.feasible.iter().position(|feasible| *feasible == node);
    let (Some(a), Some(b)) = (at(a), at(b)) else {
        return Vec::new();
    };
    let mut out: Vec<(Plugin, i64)> = found
        .scores
        .iter()
        .map(|scores| {
            (
                scores.plugin,
                (scores.normalized[a] - scores.normalized[b]) * scores.weight,
            )
        })
        .filter(|(_, difference)| *difference != 0)
        .collect();
    out.stable_sort_by_key(|(plugin, difference)| (-difference, *plugin));
    out
}
