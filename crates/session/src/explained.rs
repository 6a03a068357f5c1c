//! The JSON form of the explanation of a scheduling decision, for the command line and the npm package (P-06, P-07).
//! Its sentences are in the language of the current thread, which is English wherever JSON is printed. Names and order
//! of the JSON fields are part of the public interface of the command line and the npm package.

use podscope_api::explained::{
    CandidateExplanation, DeviceName, DeviceObstacle, DeviceShare, DomainCount, NodeDevices, NodeExplanation,
    NodeVerdict, PreemptionCriterion, PreemptionExplanation, RequestOutcome, SchedulingVerdict, ScoringPlugin,
    SpreadExplanation, TooFewDomains, UnsuitableDevices, UnusablePool, VictimExplanation,
};
use podscope_messages::Sentence;
use podscope_protocol::{device_words, explained};
use podscope_scheduler::explain::Explained;
use serde::Serialize;

/// Explanation of one scheduling decision, as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplanationJson<'a> {
    /// `namespace/name`.
    pub pod: &'a str,
    /// Scheduler profile that decided.
    pub scheduler_name: &'a str,
    pub priority: i32,
    /// Outcome of the decision.
    pub verdict: SchedulingVerdict,
    /// The verdict in one or two sentences, for a beginner.
    pub sentence: String,
    /// Node to which the pod was assigned, or which preemption nominated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<&'a str>,
    /// Nodes with the highest score. More than one is a tie.
    pub hosts: &'a [String],
    /// Sentence that explains why the chosen node has the highest score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Message of kube-scheduler, as in the event `FailedScheduling`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    /// Score plugins, in the order in which they ran.
    pub plugins: &'a [ScoringPlugin],
    /// All nodes, in the order in which the scheduler examines them.
    pub nodes: Vec<NodeJson<'a>>,
    /// Topology spread constraints with the number of matching pods in each domain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<SpreadJson<'a>>,
    /// Result of preemption. None if a node fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption: Option<PreemptionJson<'a>>,
    /// Why the scheduler did not examine all nodes. None if it examined all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<String>,
}

/// Verdict on one node, with its scores.
#[derive(Debug, Serialize)]
pub struct NodeJson<'a> {
    pub name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<&'a str>,
    pub verdict: NodeVerdictJson,
    /// Plugin that refused the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<&'a str>,
    /// Status code of the refusal: `Unschedulable` or `UnschedulableAndUnresolvable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// Reasons why the node was refused, as kube-scheduler writes them.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub reasons: &'a [String],
    /// The verdict as a sentence, with the numbers that led to it.
    pub words: String,
    /// Notes of score plugins about this node, each with the index of the plugin in `plugins`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub said: Vec<(usize, String)>,
    /// Weighted scores, in the order of `plugins`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub scores: &'a [i64],
    /// Scores before normalization to 0…100, in the order of `plugins`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub raw: &'a [i64],
    /// Sum of the weighted scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
    /// The devices of the pod's claims. None without claims, or if another plugin refused the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<DevicesJson<'a>>,
}

/// The devices of the pod's claims on a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DevicesJson<'a> {
    pub requests: Vec<RequestDevicesJson<'a>>,
    /// Device pools from which the pod can get no device on this node.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub unusable_pools: &'a [UnusablePool],
    /// Error that ended the scheduling cycle, as kube-scheduler writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
}

/// A device request of a ResourceClaim, or one alternative of the request's prioritized list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestDevicesJson<'a> {
    /// `namespace/name`.
    pub claim: &'a str,
    pub request: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub class: &'a str,
    pub outcome: &'a RequestOutcome,
    /// Sentence about the devices that the request gets.
    pub words: String,
    /// Devices that the request gets.
    pub gets: &'a [DeviceShare],
    /// Devices that do not satisfy the request, grouped by the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsuitable: Vec<UnsuitableDevicesJson<'a>>,
}

/// Devices that do not satisfy a request, all for the same reason.
#[derive(Debug, Serialize)]
pub struct UnsuitableDevicesJson<'a> {
    pub devices: &'a [DeviceName],
    /// The reason as structured data; `words` is the same reason as a sentence.
    pub why: &'a DeviceObstacle,
    pub words: String,
}

/// Verdict of the scheduler on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NodeVerdictJson {
    /// The pod can run on the node.
    Fits,
    /// A plugin refused the node.
    Refused,
    /// The search ended before it reached the node.
    NotExamined,
}

/// A topology spread constraint with the number of matching pods in each domain.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpreadJson<'a> {
    /// Index in the pod's list of constraints, or in the list of default constraints.
    pub index: usize,
    pub topology_key: &'a str,
    /// True for DoNotSchedule, false for ScheduleAnyway.
    pub hard: bool,
    pub max_skew: i64,
    /// Number of matching pods in the domain with the fewest, from which the skew is computed; 0 if there are too few
    /// domains.
    pub min: i64,
    /// Set if there are fewer domains than minDomains, so that `min` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_few_domains: Option<TooFewDomains>,
    /// 1 if the pod matches its own constraint's selector, else 0.
    pub own: i64,
    pub domains: &'a [DomainCount],
}

/// Result of preemption for a pod that fits on no node.
#[derive(Debug, Serialize)]
pub struct PreemptionJson<'a> {
    pub words: String,
    /// Nodes on which preemption helps, with their victims.
    pub candidates: Vec<CandidateJson<'a>>,
    /// Names of the best candidate nodes. More than one is a tie.
    pub chosen: &'a [String],
    /// Criterion that decided between the candidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<PreemptionCriterion>,
    /// Why preemption does not help, for each node. Empty if it helps on some node.
    #[serde(rename = "unhelped", skip_serializing_if = "Vec::is_empty")]
    pub not_helped_nodes: Vec<UnhelpfulNodeJson<'a>>,
}

/// A node on which the pod would fit after its victims are preempted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CandidateJson<'a> {
    pub node: &'a str,
    /// The pods to preempt, most important first.
    pub victims: Vec<VictimJson<'a>>,
    /// Lower-priority pods that need not be preempted.
    pub reprieved: Vec<VictimJson<'a>>,
    /// Number of victims whose preemption violates a PodDisruptionBudget.
    pub pdb_violations: usize,
}

/// A lower-priority pod on a candidate node.
#[derive(Debug, Serialize)]
pub struct VictimJson<'a> {
    /// `namespace/name`.
    pub pod: &'a str,
    pub priority: i32,
    /// PodDisruptionBudgets that select the pod, with their `disruptionsAllowed`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub budgets: &'a [(String, i32)],
}

/// Why preemption does not help on a node.
#[derive(Debug, Serialize)]
pub struct UnhelpfulNodeJson<'a> {
    pub node: &'a str,
    pub words: String,
}

/// Converts an explanation to its JSON form.
pub fn explanation_json(explained: &Explained) -> ExplanationJson<'_> {
    let explanation = &explained.explanation;
    ExplanationJson {
        pod: explanation.pod(),
        scheduler_name: &explanation.scheduler_name,
        priority: explanation.priority,
        verdict: explanation.verdict(),
        sentence: explained::decision_sentence(&explanation.conclusion),
        chosen: explanation.chosen.as_deref(),
        hosts: &explanation.hosts,
        why: explanation.won.as_ref().map(explained::win_reason_text),
        message: explanation.message.as_deref(),
        plugins: &explanation.plugins,
        nodes: explained
            .nodes()
            .map(|(one, devices)| node_json(one, devices))
            .collect(),
        spread: explanation.spread.iter().map(spread_json).collect(),
        preemption: explanation.preemption.as_ref().map(preemption_json),
        sampling: explanation.sampling.as_ref().map(explained::sampling_text),
    }
}

/// Returns the sentence with the verdict on a node and the numbers that led to it.
#[must_use]
pub fn verdict(node: &NodeExplanation) -> Sentence {
    match &node.verdict {
        NodeVerdict::Fits(scores) => explained::feasible_node_text(scores.notes.iter().map(|(_, note)| *note)),
        NodeVerdict::Refused { refusal, .. } => explained::refusal_text(refusal),
        NodeVerdict::NotExamined => explained::unexamined_node_text(),
    }
}

fn node_json<'a>(node: &'a NodeExplanation, found: Option<&'a NodeDevices>) -> NodeJson<'a> {
    let not_examined = NodeJson {
        name: &node.name,
        zone: node.zone.as_deref(),
        verdict: NodeVerdictJson::NotExamined,
        plugin: None,
        code: None,
        reasons: &[],
        words: verdict(node).to_string(),
        said: Vec::new(),
        scores: &[],
        raw: &[],
        total: None,
        devices: found.map(devices_json),
    };
    match &node.verdict {
        NodeVerdict::Fits(scores) => NodeJson {
            verdict: NodeVerdictJson::Fits,
            said: (scores.notes.iter())
                .map(|(plugin, note)| (*plugin, explained::score_note(*note).to_string()))
                .collect(),
            scores: &scores.weighted,
            raw: &scores.raw,
            total: scores.total,
            ..not_examined
        },
        NodeVerdict::Refused {
            refusal, code, reasons, ..
        } => NodeJson {
            verdict: NodeVerdictJson::Refused,
            plugin: refusal.plugin(),
            code: Some(code.as_str()),
            reasons,
            ..not_examined
        },
        NodeVerdict::NotExamined => not_examined,
    }
}

fn unsuitable_json(group: &UnsuitableDevices) -> UnsuitableDevicesJson<'_> {
    UnsuitableDevicesJson {
        devices: &group.devices,
        why: &group.why,
        words: device_words::obstacle_sentence(&group.why).to_string(),
    }
}

fn devices_json(devices: &NodeDevices) -> DevicesJson<'_> {
    let requests = devices.requests.iter().map(|request| RequestDevicesJson {
        claim: &request.claim,
        request: &request.request,
        class: &request.class,
        outcome: &request.outcome,
        words: device_words::request_outcome(request).to_string(),
        gets: &request.gets,
        unsuitable: request.unsuitable.iter().map(unsuitable_json).collect(),
    });
    DevicesJson {
        requests: requests.collect(),
        unusable_pools: &devices.unusable_pools,
        error: devices.error.as_deref(),
    }
}

fn spread_json(constraint: &SpreadExplanation) -> SpreadJson<'_> {
    SpreadJson {
        index: constraint.index,
        topology_key: &constraint.topology_key,
        hard: constraint.hard,
        max_skew: constraint.max_skew,
        min: constraint.min,
        too_few_domains: constraint.too_few_domains,
        own: constraint.own,
        domains: &constraint.domains,
    }
}

fn candidate_json(candidate: &CandidateExplanation) -> CandidateJson<'_> {
    CandidateJson {
        node: &candidate.node,
        victims: candidate.victims.iter().map(victim_json).collect(),
        reprieved: candidate.reprieved.iter().map(victim_json).collect(),
        pdb_violations: candidate.pdb_violations,
    }
}

fn victim_json(victim: &VictimExplanation) -> VictimJson<'_> {
    VictimJson {
        pod: &victim.pod,
        priority: victim.priority,
        budgets: &victim.budgets,
    }
}

fn preemption_json(found: &PreemptionExplanation) -> PreemptionJson<'_> {
    PreemptionJson {
        words: explained::preemption(found.result),
        candidates: found.candidates.iter().map(candidate_json).collect(),
        chosen: &found.chosen,
        criterion: found.criterion(),
        not_helped_nodes: (found.not_helped_nodes.iter())
            .map(|one| UnhelpfulNodeJson {
                node: &one.node,
                words: explained::preemption_obstacle_text(&one.why),
            })
            .collect(),
    }
}
