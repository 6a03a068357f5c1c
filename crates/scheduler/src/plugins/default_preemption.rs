//! `DefaultPreemption`: finds lower-priority pods to delete so that the pod fits on a node (SCH-093 to SCH-105).

use podscope_api::explained::{PreemptionCriterion, PreemptionIneligibility};
use podscope_api::ordered::{self, go_sort};
use podscope_api::well_known::condition;
use podscope_messages::plugin as messages;
use std::cmp::Ordering;
use std::sync::Arc;

use podscope_api::{ConditionStatus, Pod, PreemptionPolicy};

use super::{ExtensionPoints, Plugin, PluginSpec, Point};
use crate::cache::Cache;
use crate::config::{self, Errors, Fields};
use crate::cycle::{CycleState, Diagnosis, NodeSearch};
use crate::node_info::NodeIdx;
use crate::pod_info::PodInfo;
use crate::post_filter::{DryRunLimit, PostFilter, Preemption};
use crate::queue::events::{Event, EventKind, WaitingPod};
use crate::selector::Selector;
use crate::status::{Code, ReasonHistogram, Status};

pub(super) const SPEC: PluginSpec = PluginSpec {
    events: &[EventKind::PodDelete],
    about: Some(messages::default_preemption_about),
    ..PluginSpec::new(
        "DefaultPreemption",
        &[Point::PreEnqueue, Point::PostFilter],
        &DefaultPreemption,
    )
};

/// The fields of DefaultPreemptionArgs.
#[derive(Debug, Clone, PartialEq)]
pub struct Args {
    /// Minimum number of candidate nodes, as a percentage of the potential nodes.
    pub min_candidate_nodes_percentage: i64,
    /// Minimum number of candidate nodes.
    pub min_candidate_nodes_absolute: i64,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            min_candidate_nodes_percentage: 10,
            min_candidate_nodes_absolute: 100,
        }
    }
}

struct DefaultPreemption;

impl ExtensionPoints for DefaultPreemption {
    fn pre_enqueue(&self, _: &Cache, _: &Pod, is_preempting: bool) -> Result<(), String> {
        if is_preempting {
            return Err("waiting for the preemption for this pod to be finished".to_owned());
        }
        Ok(())
    }

    fn post_filter(
        &self,
        search: &NodeSearch<'_>,
        cache: &mut Cache,
        state: &mut CycleState,
        diagnosis: &Diagnosis,
        limit: DryRunLimit,
    ) -> PostFilter {
        let result = match preempt(search, cache, state, diagnosis, limit) {
            Ok(result) => result,
            Err(text) => return PostFilter::Error(format!("preemption: {text}")),
        };
        let text = match &result {
            Preemption::NotEligible(why) => not_eligible_text(*why).to_owned(),
            Preemption::NoCandidate { text, .. } => text.clone(),
            Preemption::Found { .. } => return PostFilter::Success(result),
        };
        PostFilter::Unschedulable(format!("preemption: {text}"), Some(result))
    }

    /// Returns false for every event. The plugin registers for pod deletions only so that the queue keeps these events;
    /// the end of a preemption activates the pod itself.
    fn queueing_hint(&self, _: &mut Cache, _: &Event<'_>, _: &WaitingPod<'_>) -> bool {
        false
    }

    fn read_args(&self, fields: &mut Fields<'_>, args: &mut config::Args, errors: &mut Errors) {
        let (percentage, absolute) = (
            fields.integer("minCandidateNodesPercentage", errors),
            fields.integer("minCandidateNodesAbsolute", errors),
        );
        let preemption = &mut args.preemption;
        preemption.min_candidate_nodes_percentage = percentage.unwrap_or(preemption.min_candidate_nodes_percentage);
        preemption.min_candidate_nodes_absolute = absolute.unwrap_or(preemption.min_candidate_nodes_absolute);
        let (percentage, absolute) = (
            preemption.min_candidate_nodes_percentage,
            preemption.min_candidate_nodes_absolute,
        );
        if !(0..=100).contains(&percentage) {
            errors.push_invalid_value(
                fields.path_of("minCandidateNodesPercentage"),
                percentage,
                "not in valid range [0, 100]",
            );
        }
        if absolute < 0 {
            errors.push_invalid_value(
                fields.path_of("minCandidateNodesAbsolute"),
                absolute,
                "not in valid range [0, inf)",
            );
        }
        if percentage == 0 && absolute == 0 {
            errors.push(
                &fields.path,
                "cannot have both minCandidateNodesPercentage and minCandidateNodesAbsolute to be 0",
            );
        }
    }
}

/// Reason for a node without lower-priority pods.
pub const REASON_NO_VICTIMS: &str = "No preemption victims found for incoming pod";
/// Reason for a node on which deleting pods cannot help.
pub const REASON_NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";

/// Returns kube-scheduler's text for a pod that is not eligible for preemption.
pub(crate) const fn not_eligible_text(why: PreemptionIneligibility) -> &'static str {
    match why {
        PreemptionIneligibility::Never => "not eligible due to preemptionPolicy=Never.",
        PreemptionIneligibility::Terminating => "not eligible due to a terminating pod on the nominated node.",
    }
}

/// A node on which the pod would fit after its victims are deleted.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub node: NodeIdx,
    /// The pods to delete, the most important pod first.
    pub victims: Vec<Arc<PodInfo>>,
    /// Number of victims whose deletion violates a PodDisruptionBudget.
    pub pdb_violations: usize,
    /// Lower-priority pods that need not be deleted.
    pub reprieved: Vec<Arc<PodInfo>>,
}

/// Implements kube-scheduler's MoreImportantPod: a higher priority, then an earlier start time. A pod without a start
/// time is treated as starting now; of two such pods, the first is treated as the earlier one (SCH-098).
fn is_more_important(a: &PodInfo, b: &PodInfo) -> bool {
    match a.priority.cmp(&b.priority) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => match (a.start_time, b.start_time) {
            (Some(a), Some(b)) => a < b,
            (Some(_), None) | (None, None) => true,
            (None, Some(_)) => false,
        },
    }
}

/// Returns the reason why the pod is not eligible for preemption, if there is one (SCH-094).
pub(crate) fn ineligibility_reason(
    search: &NodeSearch<'_>,
    cache: &Cache,
    diagnosis: &Diagnosis,
) -> Option<PreemptionIneligibility> {
    let pod = &search.incoming.info;
    if pod.pod.spec.preemption_policy == Some(PreemptionPolicy::Never) {
        return Some(PreemptionIneligibility::Never);
    }
    let nominated = &pod.pod.status.nominated_node_name;
    if nominated.is_empty() {
        return None;
    }
    let node = cache.node_index(nominated)?;
    // Nodes without a status are treated as UnschedulableAndUnresolvable, unless PreFilter set another status for them.
    let code = diagnosis
        .status_of(node)
        .map_or(Code::UnschedulableAndUnresolvable, |status| status.code);
    if code == Code::UnschedulableAndUnresolvable {
        return None;
    }
    let has_terminating_victim = cache.node(node).pods.iter().any(|other| {
        other.priority < pod.priority
            && other.terminating
            && other
                .pod
                .condition(condition::DISRUPTION_TARGET)
                .is_some_and(|condition| {
                    condition.status == ConditionStatus::True && &*condition.reason == "PreemptionByScheduler"
                })
    });
    has_terminating_victim.then_some(PreemptionIneligibility::Terminating)
}

/// A PodDisruptionBudget in the form used by the dry run.
struct DisruptionBudget {
    namespace: crate::symbols::Symbol,
    selector: Selector,
    /// Names of pods whose disruption the budget already counts.
    disrupted: Vec<podscope_api::Str>,
    allowed: i64,
}

/// Results of the dry runs.
#[derive(Debug, Clone, Default)]
pub struct DryRun {
    /// Nodes on which preemption would make the pod fit; nodes without budget violations come first.
    pub candidates: Vec<Candidate>,
    /// Status of the evaluated nodes on which preemption does not help.
    pub refused: Vec<(NodeIdx, Status)>,
}

/// Returns the nodes on which preemption might help: those with status `Unschedulable` (SCH-095).
pub fn potential_nodes(diagnosis: &Diagnosis) -> Vec<NodeIdx> {
    diagnosis
        .refused
        .iter()
        .filter(|(_, status)| status.code == Code::Unschedulable)
        .map(|(node, _)| *node)
        .collect()
}

fn disruption_budgets(cache: &mut Cache) -> Vec<DisruptionBudget> {
    let mut out = Vec::new();
    for budget in cache.stores.budgets.values() {
        let Ok(selector) = Selector::compile(&mut cache.symbols, budget.spec.selector.as_ref()) else {
            continue;
        };
        // For preemption, an empty selector selects no pod (SCH-099).
        if selector.is_empty() || selector == Selector::Nothing {
            continue;
        }
        out.push(DisruptionBudget {
            namespace: cache.symbols.intern(&budget.metadata.namespace),
            selector,
            disrupted: budget.status.disrupted_pods.keys().cloned().collect(),
            allowed: i64::from(budget.status.disruptions_allowed),
        });
    }
    out
}

/// Runs the dry run on nodes until enough candidates are found (SCH-096). `limit` contains the index of the first node
/// and the number of candidates; with `None`, all nodes are tried.
pub(crate) fn dry_run(
    search: &NodeSearch<'_>,
    cache: &mut Cache,
    state: &mut CycleState,
    nodes: &[NodeIdx],
    limit: Option<(usize, usize)>,
) -> DryRun {
    let budgets = disruption_budgets(cache);
    let cache = &*cache;
    let (offset, wanted) = limit.unwrap_or((0, usize::MAX));
    let mut result = DryRun::default();
    let mut violating = Vec::new();
    for node in nodes[offset..].iter().chain(&nodes[..offset]) {
        match dry_run_on_node(search, cache, state, &budgets, *node) {
            Ok(candidate) => {
                let list = if candidate.pdb_violations == 0 {
                    &mut result.candidates
                } else {
                    &mut violating
                };
                if list.len() < wanted {
                    list.push(candidate);
                }
                if !result.candidates.is_empty() && result.candidates.len() + violating.len() >= wanted {
                    break;
                }
            }
            Err(status) => result.refused.push((*node, status)),
        }
    }
    result.candidates.extend(violating);
    result
}

/// Returns the result of PostFilter. The result is an error only if no dry run found a candidate.
pub(crate) fn preempt(
    search: &NodeSearch<'_>,
    cache: &mut Cache,
    state: &mut CycleState,
    diagnosis: &Diagnosis,
    limit: DryRunLimit,
) -> Result<Preemption, String> {
    if let Some(why) = ineligibility_reason(search, cache, diagnosis) {
        return Ok(Preemption::NotEligible(why));
    }
    let nodes = potential_nodes(diagnosis);
    let limit = match limit {
        DryRunLimit::Configured(draw) if !nodes.is_empty() => {
            let offset = (draw % nodes.len() as u64) as usize;
            Some((offset, candidates_wanted(search, nodes.len())))
        }
        _ => None,
    };
    let result = dry_run(search, cache, state, &nodes, limit);
    if result.candidates.is_empty() {
        let errors = result.refused.iter().filter(|(_, status)| status.code == Code::Error);
        let mut errors: Vec<String> = errors.map(|(_, status)| status.message(&cache.symbols)).collect();
        errors.dedup();
        return match errors.as_slice() {
            [] => Ok(Preemption::NoCandidate {
                text: no_candidate_text(cache, &result.refused),
                refused: result.refused,
            }),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        };
    }
    let (chosen, criterion) = pick_best_candidates(&result.candidates);
    let chosen = chosen.iter().map(|candidate| candidate.node).collect();
    Ok(Preemption::Found {
        candidates: result.candidates,
        chosen,
        criterion,
    })
}

/// Returns the number of candidates to search for among `n` potential nodes (SCH-096).
pub(crate) fn candidates_wanted(search: &NodeSearch<'_>, n: usize) -> usize {
    let args = &search.profile.args.preemption;
    let share = n as i64 * args.min_candidate_nodes_percentage / 100;
    let wanted = share.max(args.min_candidate_nodes_absolute);
    usize::try_from(wanted).unwrap_or(0).min(n)
}

/// Runs the dry run on one node (SCH-097, SCH-100).
fn dry_run_on_node(
    search: &NodeSearch<'_>,
    cache: &Cache,
    state: &mut CycleState,
    budgets: &[DisruptionBudget],
    index: NodeIdx,
) -> Result<Candidate, Status> {
    let cycle = search.cycle(cache);
    let priority = search.incoming.info.priority;
    let info = cache.node(index);
    let mut potential: Vec<Arc<PodInfo>> = info
        .pods
        .iter()
        .filter(|pod| pod.priority < priority)
        .cloned()
        .collect();
    if potential.is_empty() {
        return Err(Status::unresolvable(Plugin::DefaultPreemption, REASON_NO_VICTIMS));
    }
    let saved = state.critical_paths();
    let mut node = info.clone();
    for pod in &potential {
        node.remove_pod(&pod.uid);
        state.add_or_remove_pod(&cycle, pod, index, -1);
    }
    let undo = |state: &mut CycleState, removed: &[Arc<PodInfo>]| {
        for pod in removed {
            state.add_or_remove_pod(&cycle, pod, index, 1);
        }
    };
    if let Err(status) = search.filter_with_nominated(&cycle, state, index, &node) {
        undo(state, &potential);
        state.restore_critical_paths(saved);
        return Err(status);
    }
    go_sort(&mut potential, |a, b| is_more_important(a, b));
    let (violating, rest) = split_by_budget(&potential, budgets);
    let has_both_groups = !violating.is_empty() && !rest.is_empty();
    let mut candidate = Candidate {
        node: index,
        victims: Vec::new(),
        pdb_violations: 0,
        reprieved: Vec::new(),
    };
    for (group, protected) in [(violating, true), (rest, false)] {
        for pod in group {
            node.add_pod(pod.clone());
            state.add_or_remove_pod(&cycle, &pod, index, 1);
            if search.filter_with_nominated(&cycle, state, index, &node).is_ok() {
                candidate.reprieved.push(pod);
            } else {
                node.remove_pod(&pod.uid);
                state.add_or_remove_pod(&cycle, &pod, index, -1);
                candidate.pdb_violations += usize::from(protected);
                candidate.victims.push(pod);
            }
        }
    }
    undo(state, &candidate.victims);
    state.restore_critical_paths(saved);
    if candidate.victims.is_empty() {
        return Err(Status::text(
            Plugin::DefaultPreemption,
            Code::Error,
            format!("expected at least one victim pod on node \"{}\"", info.name),
        ));
    }
    if has_both_groups {
        go_sort(&mut candidate.victims, |a, b| is_more_important(a, b));
    }
    Ok(candidate)
}

type Pods = Vec<Arc<PodInfo>>;

/// Splits pods into those whose deletion violates a budget and the others. Each budget is used up by the first pods of
/// the list, which are the most important ones (SCH-099).
fn split_by_budget(pods: &[Arc<PodInfo>], budgets: &[DisruptionBudget]) -> (Pods, Pods) {
    let mut allowed: Vec<i64> = budgets.iter().map(|budget| budget.allowed).collect();
    let (mut violating, mut rest) = (Vec::new(), Vec::new());
    for pod in pods {
        let mut violates = false;
        if !pod.labels.is_empty() {
            for (index, budget) in budgets.iter().enumerate() {
                if budget.namespace != pod.namespace
                    || !budget.selector.matches(&pod.labels)
                    || budget.disrupted.contains(&pod.pod.metadata.name)
                {
                    continue;
                }
                allowed[index] -= 1;
                violates |= allowed[index] < 0;
            }
        }
        if violates {
            violating.push(pod.clone());
        } else {
            rest.push(pod.clone());
        }
    }
    (violating, rest)
}

/// Returns the best candidates, and the criterion that selected them (SCH-102).
pub fn pick_best_candidates(candidates: &[Candidate]) -> (Vec<&Candidate>, PreemptionCriterion) {
    let mut remaining: Vec<&Candidate> = candidates.iter().collect();
    if remaining.len() <= 1 {
        return (remaining, PreemptionCriterion::OnlyCandidate);
    }

    type CandidateCost = fn(&Candidate) -> i64;
    let criteria: [(PreemptionCriterion, CandidateCost); 5] = [
        (PreemptionCriterion::FewestPdbViolations, |candidate| {
            candidate.pdb_violations as i64
        }),
        (PreemptionCriterion::LowestHighestPriority, |candidate| {
            candidate
                .victims
                .first()
                .map_or(i64::MIN, |pod| i64::from(pod.priority))
        }),
        (PreemptionCriterion::LowestPrioritySum, |candidate| {
            candidate
                .victims
                .iter()
                .map(|pod| i64::from(pod.priority) + (1 << 31))
                .sum()
        }),
        (PreemptionCriterion::FewestVictims, |candidate| {
            candidate.victims.len() as i64
        }),
        (PreemptionCriterion::LatestStart, |candidate| {
            -earliest_victim_start(candidate)
        }),
    ];
    for (criterion, cost) in criteria {
        let best = remaining.iter().map(|candidate| cost(candidate)).min();
        remaining.retain(|candidate| Some(cost(candidate)) == best);
        if remaining.len() == 1 {
            return (remaining, criterion);
        }
    }
    (remaining, PreemptionCriterion::Tie)
}

/// Returns the earliest start time of the victims with the highest priority. A victim without a start time is treated
/// as later than any other.
fn earliest_victim_start(candidate: &Candidate) -> i64 {
    let highest = candidate.victims.iter().map(|pod| pod.priority).max();
    candidate
        .victims
        .iter()
        .filter(|pod| Some(pod.priority) == highest)
        .map(|pod| pod.start_time.unwrap_or(i64::MAX))
        .min()
        .unwrap_or(i64::MAX)
}

/// Returns kube-scheduler's text if no candidate was found (SCH-101), without the prefix `preemption: `.
pub fn no_candidate_text(cache: &Cache, refused: &[(NodeIdx, Status)]) -> String {
    let n_nodes = cache.examination_order().len();
    let mut histogram = ReasonHistogram::default();
    for (_, status) in refused {
        histogram.add(status, 1);
    }
    if refused.len() < n_nodes {
        let rest = Status::unresolvable(Plugin::DefaultPreemption, REASON_NOT_HELPFUL);
        histogram.add(&rest, n_nodes - refused.len());
    }
    format!("0/{n_nodes} nodes are available:{}", histogram.text(&cache.symbols))
}

/// Returns the lower-priority pods nominated to the chosen node, whose nominations are cleared (SCH-104).
pub(crate) fn lower_priority_nominated<'a>(
    search: &'a NodeSearch<'_>,
    node: &str,
) -> impl Iterator<Item = &'a Arc<PodInfo>> {
    let priority = search.incoming.info.priority;
    let uid = search.incoming.info.uid.clone();
    search
        .nominator
        .pods_nominated_to(node)
        .iter()
        .filter(move |pod| pod.priority < priority && pod.uid != uid)
}

/// Returns the PodDisruptionBudgets that select a pod, with their `disruptionsAllowed`, for explanations.
pub fn budgets_of(cache: &Cache, pod: &PodInfo) -> ordered::Map<podscope_api::Str, i32> {
    let meta = &pod.pod.metadata;
    cache
        .stores
        .budgets
        .in_namespace(&meta.namespace)
        .filter(|budget| {
            budget
                .spec
                .selector
                .as_ref()
                .is_some_and(|selector| !selector.is_empty() && selector.matches(&meta.labels))
        })
        .map(|budget| (budget.metadata.name.clone(), budget.status.disruptions_allowed))
        .collect()
}
