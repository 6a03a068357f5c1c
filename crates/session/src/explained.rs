//! An explanation of a decision in words, as the command line and the npm package give it (P-06, P-07). Its fields and
//! their order are the JSON form that both promise.

use podscope_api::explained::Criterion;
use podscope_protocol::explained;
use podscope_scheduler::explain::{
    CandidateExplanation, Explanation, NodeExplanation, NodeVerdict, PreemptionExplanation, ScoringPlugin,
    SpreadExplanation, Verdict,
};
use serde::Serialize;

/// The whole story of one decision.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Told<'a> {
    /// `namespace/name`.
    pub pod: &'a str,
    /// The profile that decided.
    pub scheduler_name: &'a str,
    pub priority: i32,
    /// How it ended.
    pub verdict: Verdict,
    /// One or two sentences for a beginner.
    pub sentence: String,
    /// The node that was taken or nominated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<&'a str>,
    /// The nodes that may be taken: more than one is a tie.
    pub hosts: &'a [String],
    /// Why the winner won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// kube-scheduler's own text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    /// The plugins that scored, in order.
    pub plugins: &'a [ScoringPlugin],
    /// Every node, in the order in which they are examined.
    pub nodes: Vec<ToldNode<'a>>,
    /// Spread constraints with their counts per domain.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub spread: &'a [SpreadExplanation],
    /// When no node fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption: Option<ToldPreemption<'a>>,
    /// Where the search stopped early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<String>,
}

/// What is said of a node.
#[derive(Debug, Serialize)]
pub struct ToldNode<'a> {
    pub name: &'a str,
    /// Its zone, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<&'a str>,
    /// What became of it.
    pub verdict: ToldVerdict,
    /// The plugin that refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<&'a str>,
    /// `Unschedulable` or `UnschedulableAndUnresolvable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// kube-scheduler's reasons.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub reasons: &'a [String],
    /// With numbers.
    pub words: String,
    /// What a plugin adds to its score, by its place among the plugins that scored.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub said: &'a [(usize, String)],
    /// Weighted scores, one for each plugin.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub scores: &'a [i64],
    /// The scores before they were brought to 0…100.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub raw: &'a [i64],
    /// Sum of the weighted scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
}

/// What became of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ToldVerdict {
    /// The pod can run there.
    Fits,
    /// It cannot.
    Refused,
    /// The search ended before.
    NotExamined,
}

/// What preemption found.
#[derive(Debug, Serialize)]
pub struct ToldPreemption<'a> {
    pub words: String,
    /// Nodes with victims.
    pub candidates: &'a [CandidateExplanation],
    /// The nodes that can be chosen.
    pub chosen: &'a [String],
    /// What decided between candidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criterion: Option<Criterion>,
    /// Where nothing helps: why not, node by node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unhelped: Vec<ToldUnhelped<'a>>,
}

/// Why preemption does not help on a node.
#[derive(Debug, Serialize)]
pub struct ToldUnhelped<'a> {
    pub node: &'a str,
    pub words: String,
}

/// Puts an explanation into words.
pub fn told(explanation: &Explanation) -> Told<'_> {
    Told {
        pod: &explanation.pod,
        scheduler_name: &explanation.scheduler_name,
        priority: explanation.priority,
        verdict: explanation.verdict,
        sentence: explained::sentence(&explanation.conclusion),
        chosen: explanation.chosen.as_deref(),
        hosts: &explanation.hosts,
        why: explanation.won.as_ref().map(explained::why),
        message: explanation.message.as_deref(),
        plugins: &explanation.plugins,
        nodes: explanation.nodes.iter().map(node).collect(),
        spread: &explanation.spread,
        preemption: explanation.preemption.as_ref().map(preemption),
        sampling: explanation.sampling.as_ref().map(explained::sampling),
    }
}

fn node(node: &NodeExplanation) -> ToldNode<'_> {
    let (verdict, plugin, words) = match &node.verdict {
        NodeVerdict::Fits => {
            let said = node.said.iter().map(|(_, words)| words.as_str());
            (ToldVerdict::Fits, None, explained::fits(said))
        }
        NodeVerdict::Refused(refusal) => {
            let words = explained::refusal(refusal).to_owned();
            (ToldVerdict::Refused, refusal.plugin(), words)
        }
        NodeVerdict::NotExamined => (ToldVerdict::NotExamined, None, explained::NOT_EXAMINED.to_owned()),
    };
    ToldNode {
        name: &node.name,
        zone: node.zone.as_deref(),
        verdict,
        plugin,
        code: node.code,
        reasons: &node.reasons,
        words,
        said: &node.said,
        scores: &node.scores,
        raw: &node.raw,
        total: node.total,
    }
}

fn preemption(found: &PreemptionExplanation) -> ToldPreemption<'_> {
    ToldPreemption {
        words: explained::preemption(found.result),
        candidates: &found.candidates,
        chosen: &found.chosen,
        criterion: found.criterion(),
        unhelped: (found.unhelped.iter())
            .map(|one| ToldUnhelped {
                node: &one.node,
                words: explained::not_helpful(&one.why),
            })
            .collect(),
    }
}
