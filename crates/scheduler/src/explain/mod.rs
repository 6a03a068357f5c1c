//! A decision as it is told to a person (S-14): first what it came to, then every node, every score, preemption.
//! It is data, but for what plugins say themselves; others put it into words.

mod conclusion;

use podscope_api::explained::{Conclusion, Criterion, NotHelpful, PreemptionResult, Refusal, Sampling, Unhelped, Won};
use podscope_api::ordered::StableSort as _;
use serde::Serialize;

use crate::cache::Cache;
use crate::cycle::{Cycle, name_of};
use crate::decide::Decision;
use crate::node_info::NodeIdx;
use crate::plugins::Plugin;
use crate::plugins::default_preemption::{Candidate, budgets_of};
use crate::plugins::node_affinity::AddedAffinity;
use crate::pod_info::{PodInfo, SpreadConstraint};
use crate::post_filter::Preemption;
use crate::status::Status;
use crate::topology::NONE;

/// How the decision ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// A node was chosen.
    Scheduled,
    /// No node fits, and ending pods would not help, or is not allowed.
    Unschedulable,
    /// No node fits, but one would without some less important pods.
    Preempts,
    /// The cycle failed.
    Error,
}

/// The whole story of one decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// `namespace/name`.
    pub pod: String,
    /// The profile that decided.
    pub scheduler_name: String,
    /// The pod's priority.
    pub priority: i32,
    /// How it ended.
    pub verdict: Verdict,
    /// The same with what a sentence about it needs.
    pub conclusion: Conclusion,
    /// The node that was taken (or nominated), if a draw or a single best decided.
    pub chosen: Option<String>,
    /// The nodes that may be taken: more than one is a tie.
    pub hosts: Vec<String>,
    /// Why the winner won.
    pub won: Option<Won>,
    /// kube-scheduler's own text.
    pub message: Option<String>,
    /// The plugins that scored, in order.
    pub plugins: Vec<ScoringPlugin>,
    /// Every node, in the order in which they are examined.
    pub nodes: Vec<NodeExplanation>,
    /// Spread constraints with their counts per domain.
    pub spread: Vec<SpreadExplanation>,
    /// When no node fits.
    pub preemption: Option<PreemptionExplanation>,
    /// Where the search stopped early.
    pub sampling: Option<Sampling>,
}

/// A column of the score table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScoringPlugin {
    /// Its name in Kubernetes.
    pub name: String,
    /// What it looks at.
    pub about: String,
    pub weight: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NodeExplanation {
    pub name: String,
    /// Its zone, where it has one.
    pub zone: Option<String>,
    /// What became of it.
    pub verdict: NodeVerdict,
    /// `Unschedulable` or `UnschedulableAndUnresolvable`.
    pub code: Option<&'static str>,
    /// kube-scheduler's reasons.
    pub reasons: Vec<String>,
    /// The reasons in two or three words each.
    pub short: String,
    /// What a plugin adds to its score, by its place among the plugins that scored.
    pub said: Vec<(usize, String)>,
    /// Weighted scores, one for each of [`Explanation::plugins`].
    pub scores: Vec<i64>,
    /// The scores as the plugins gave them, before they were brought to 0…100.
    pub raw: Vec<i64>,
    /// Their sum.
    pub total: Option<i64>,
}

/// What became of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeVerdict {
    /// The pod can run there.
    Fits,
    /// It cannot.
    Refused(Refusal),
    /// The search ended before.
    NotExamined,
}

/// One spread constraint.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadExplanation {
    /// Where it stands in the pod's list, or among the defaults.
    pub index: usize,
    /// Over which label.
    pub topology_key: String,
    /// DoNotSchedule (`true`) or ScheduleAnyway.
    pub hard: bool,
    /// Largest difference allowed.
    pub max_skew: i64,
    /// The smallest count (0 below minDomains); for soft constraints the smallest shown.
    pub min: i64,
    /// Where there are fewer domains than minDomains, so that the smallest count is 0 (SCH-076).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_few_domains: Option<TooFewDomains>,
    /// 1 if the pod counts itself.
    pub own: i64,
    /// The domains, by name.
    pub domains: Vec<DomainCount>,
}

/// Fewer domains than a constraint wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TooFewDomains {
    /// How many there are.
    pub found: usize,
    /// How many it wants.
    pub min_domains: usize,
}

/// One domain of a constraint.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DomainCount {
    /// The label's value.
    pub value: String,
    /// Matching pods.
    pub count: i64,
    /// The skew if the pod went there.
    pub skew: i64,
    /// Whether that is within the limit.
    pub allowed: bool,
    /// Whether it is compared with others: a soft constraint scores only domains with a node that can take the pod.
    pub is_scored: bool,
}

/// What preemption found.
#[derive(Debug, Clone, PartialEq)]
pub struct PreemptionExplanation {
    pub result: PreemptionResult,
    /// Nodes with victims.
    pub candidates: Vec<CandidateExplanation>,
    /// The nodes that can be chosen.
    pub chosen: Vec<String>,
    /// Where nothing helps: why not, node by node.
    pub unhelped: Vec<Unhelped>,
}

impl PreemptionExplanation {
    /// What decided between candidates.
    pub fn criterion(&self) -> Option<Criterion> {
        match self.result {
            PreemptionResult::Found { criterion, .. } => Some(criterion),
            PreemptionResult::NotEligible(_) | PreemptionResult::NoCandidate => None,
        }
    }
}

/// A node on which the pod would fit without some others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CandidateExplanation {
    pub node: String,
    /// Who would have to end, most important first.
    pub victims: Vec<VictimExplanation>,
    /// Pods of lower priority that may stay.
    pub reprieved: Vec<VictimExplanation>,
    /// Victims that a PodDisruptionBudget protects.
    pub pdb_violations: usize,
}

/// A pod of lower priority.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VictimExplanation {
    /// `namespace/name`.
    pub pod: String,
    pub priority: i32,
    /// PodDisruptionBudgets that select it, with what they still allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<(String, i32)>,
}

/// Explains a decision on the cache it was made on.
pub fn explain(cache: &Cache, decision: &Decision) -> Explanation {
    let found = &decision.found;
    let pod = &decision.incoming.info;
    let names = |nodes: &[NodeIdx]| -> Vec<String> { nodes.iter().map(|node| name(cache, *node)).collect() };
    let verdict = match &decision.preemption {
        _ if found.error.is_some() => Verdict::Error,
        _ if !found.hosts.is_empty() => Verdict::Scheduled,
        Some(Preemption::Found { .. }) => Verdict::Preempts,
        _ => Verdict::Unschedulable,
    };
    let n_nodes = cache.order().len();
    let n_examined = found.feasible.len() + found.diagnosis.refused.len();
    let sampled = found.diagnosis.absent.is_none() && !found.feasible.is_empty() && n_examined < n_nodes;
    let hosts = names(&found.hosts);
    let chosen = match (&decision.chosen, hosts.as_slice()) {
        (Some(chosen), _) => Some(chosen.to_string()),
        (None, [one]) => Some(one.clone()),
        (None, _) => None,
    };
    Explanation {
        pod: pod.pod.metadata.key().to_string(),
        scheduler_name: decision.profile.scheduler_name.to_string(),
        priority: pod.priority,
        verdict,
        conclusion: conclusion::conclusion(cache, decision, verdict, chosen.as_ref(), &hosts),
        won: conclusion::won(cache, decision, chosen.as_ref()),
        chosen,
        hosts,
        message: decision.message.clone(),
        plugins: found
            .scores
            .iter()
            .map(|scores| ScoringPlugin {
                name: scores.plugin.name().to_owned(),
                about: scores.plugin.row().about.to_owned(),
                weight: scores.weight,
            })
            .collect(),
        nodes: cache
            .order()
            .iter()
            .map(|node| explain_node(cache, decision, *node))
            .collect(),
        spread: explain_spread(cache, decision),
        preemption: (decision.preemption.as_ref()).map(|preemption| explain_preemption(cache, decision, preemption)),
        sampling: sampled.then_some(Sampling {
            examined: n_examined,
            nodes: n_nodes,
            wanted: found.wanted,
        }),
    }
}

fn name(cache: &Cache, node: NodeIdx) -> String {
    name_of(cache, node).to_string()
}

fn explain_node(cache: &Cache, decision: &Decision, node: NodeIdx) -> NodeExplanation {
    let found = &decision.found;
    let info = cache.node(node);
    let zone = crate::selector::label(&info.labels, crate::symbols::Symbol::ZONE);
    let mut out = NodeExplanation {
        name: info.name.to_string(),
        zone: zone.map(|zone| cache.symbols.text(zone).to_string()),
        verdict: NodeVerdict::NotExamined,
        code: None,
        reasons: Vec::new(),
        short: String::new(),
        said: Vec::new(),
        scores: Vec::new(),
        raw: Vec::new(),
        total: None,
    };
    if let Some(at) = found.feasible.iter().position(|feasible| *feasible == node) {
        out.verdict = NodeVerdict::Fits;
        let cycle = Cycle {
            cache,
            profile: &decision.profile,
            incoming: &decision.incoming,
            added_affinity: &AddedAffinity::default(),
        };
        for (place, scores) in found.scores.iter().enumerate() {
            if let Some(words) = scores.plugin.does().score_in_words(&cycle, node) {
                out.said.push((place, words));
            }
        }
        out.scores = found
            .scores
            .iter()
            .map(|scores| scores.normalized[at] * scores.weight)
            .collect();
        out.raw = found.scores.iter().map(|scores| scores.raw[at]).collect();
        out.total = found.totals.get(at).copied();
    } else if let Some(status) = found.diagnosis.status_of(node) {
        out.verdict = NodeVerdict::Refused(conclusion::refusal(cache, decision, node, status));
        out.code = Some(status.code.as_str());
        out.reasons = status
            .reasons
            .as_slice()
            .iter()
            .map(|reason| reason.text(&cache.symbols))
            .collect();
        let short = status
            .reasons
            .as_slice()
            .iter()
            .map(|reason| reason.short(&cache.symbols));
        out.short = short.collect::<Vec<_>>().join(", ");
    }
    out
}

fn explain_spread(cache: &Cache, decision: &Decision) -> Vec<SpreadExplanation> {
    let mut out = Vec::new();
    if let Some(state) = decision.state.spread() {
        for (at, constraint) in state.constraints.iter().enumerate() {
            let count = |node: NodeIdx| {
                let domain = cache.topology.key(constraint.key).domain(node);
                let count = if domain == NONE { None } else { state.count(at, domain) };
                Some((count?, true))
            };
            let own = state.self_match(at);
            let mut told = spread_of(cache, constraint, Some(state.min(at)), own, &count);
            told.too_few_domains = state.too_few_domains(at).map(|found| TooFewDomains {
                found,
                min_domains: constraint.min_domains,
            });
            out.push(told);
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

fn spread_of(
    cache: &Cache,
    constraint: &SpreadConstraint,
    min: Option<i64>,
    own: i64,
    count: &dyn Fn(NodeIdx) -> Option<(i64, bool)>,
) -> SpreadExplanation {
    let key = cache.topology.key(constraint.key);
    let mut domains: Vec<(String, i64, bool)> = Vec::new();
    for node in cache.order() {
        let domain = key.domain(*node);
        let Some((count, is_scored)) = count(*node).filter(|_| domain != NONE) else {
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
    let nothing = |result| PreemptionExplanation {
        result,
        candidates: Vec::new(),
        chosen: Vec::new(),
        unhelped: Vec::new(),
    };
    match preemption {
        Preemption::NotEligible(why) => nothing(PreemptionResult::NotEligible(*why)),
        Preemption::NoCandidate { refused, .. } => PreemptionExplanation {
            unhelped: unhelped(cache, decision, refused),
            ..nothing(PreemptionResult::NoCandidate)
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
            chosen: chosen.iter().map(|node| name(cache, *node)).collect(),
            unhelped: Vec::new(),
        },
    }
}

/// Why preemption does not help: what the dry run found on a node; on one that was not tried, what keeps the pod away.
fn unhelped(cache: &Cache, decision: &Decision, refused: &[(NodeIdx, Status)]) -> Vec<Unhelped> {
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
            Some(status) if status.plugin == Some(Plugin::DefaultPreemption) => NotHelpful::NoVictims,
            Some(status) => {
                let plugin = status.plugin.map_or("", Plugin::name);
                NotHelpful::StillRefused(plugin.to_owned(), texts(status))
            }
            None => NotHelpful::Other(texts(decision.found.diagnosis.status_of(*node)?)),
        };
        Some(Unhelped {
            node: name(cache, *node),
            why,
        })
    };
    cache.order().iter().filter_map(of_node).collect()
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
        node: name(cache, candidate.node),
        victims: explain(&candidate.victims),
        reprieved: explain(&candidate.reprieved),
        pdb_violations: candidate.pdb_violations,
    }
}

/// The scoring plugins that separate two nodes, largest difference first: `(plugin, difference)`.
fn differences(decision: &Decision, a: NodeIdx, b: NodeIdx) -> Vec<(Plugin, i64)> {
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
