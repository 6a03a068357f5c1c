//! Converts the scheduler's explanation of a decision for the page.

use podscope_protocol as protocol;
use podscope_scheduler::explain::{Explanation, NodeExplanation, NodeVerdict};

pub(crate) fn explanation(explanation: Explanation) -> protocol::Explanation {
    protocol::Explanation {
        verdict: explanation.verdict,
        conclusion: explanation.conclusion,
        chosen: explanation.chosen,
        won: explanation.won,
        message: explanation.message,
        plugins: explanation.plugins,
        nodes: explanation.nodes.into_iter().map(node).collect(),
        spread: explanation.spread,
        preemption: explanation.preemption,
        sampling: explanation.sampling,
    }
}

fn node(node: NodeExplanation) -> protocol::NodeExplanation {
    // Without devices, the texts are not linked into the engine.
    let devices = match cfg!(feature = "devices") {
        true => node.devices.as_deref().map(protocol::device_words::lines),
        false => None,
    };
    protocol::NodeExplanation {
        name: node.name,
        devices: devices.unwrap_or_default(),
        verdict: match node.verdict {
            NodeVerdict::Fits => protocol::NodeVerdict::Fits {
                scores: node.scores,
                total: node.total,
                score_notes: node.score_notes,
            },
            NodeVerdict::Refused(refusal) => protocol::NodeVerdict::Refused {
                refusal,
                reasons: node.reasons,
                short: node.short,
            },
            NodeVerdict::NotExamined => protocol::NodeVerdict::NotExamined,
        },
    }
}
