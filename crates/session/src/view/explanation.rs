//! Converts the scheduler's explanation of a decision for the page.

use podscope_protocol as protocol;
use podscope_scheduler::explain::{
    CandidateExplanation, Explanation, NodeExplanation, NodeVerdict, SpreadExplanation, Verdict, VictimExplanation,
};

pub(crate) fn explanation(explanation: Explanation) -> protocol::Explanation {
    protocol::Explanation {
        outcome: match explanation.verdict {
            Verdict::Scheduled => protocol::Outcome::Scheduled,
            Verdict::Unschedulable => protocol::Outcome::Unschedulable,
            Verdict::Preempts => protocol::Outcome::Preempts,
            Verdict::Error => protocol::Outcome::Error,
        },
        conclusion: explanation.conclusion,
        chosen: explanation.chosen,
        won: explanation.won,
        message: explanation.message,
        plugins: (explanation.plugins.into_iter())
            .map(|plugin| protocol::ScoringPlugin {
                name: plugin.name,
                about: plugin.about,
                weight: plugin.weight,
            })
            .collect(),
        nodes: explanation.nodes.into_iter().map(node).collect(),
        spread: explanation.spread.into_iter().map(spread).collect(),
        preemption: explanation.preemption.map(|found| protocol::PreemptionExplanation {
            result: found.result,
            candidates: found.candidates.into_iter().map(candidate).collect(),
            not_helped_nodes: found.not_helped_nodes,
        }),
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

fn spread(constraint: SpreadExplanation) -> protocol::SpreadExplanation {
    protocol::SpreadExplanation {
        topology_key: constraint.topology_key,
        hard: constraint.hard,
        max_skew: constraint.max_skew,
        min: constraint.min,
        too_few_domains: (constraint.too_few_domains).map(|few| (few.found, few.min_domains)),
        domains: (constraint.domains.into_iter())
            .map(|domain| protocol::DomainCount {
                value: domain.value,
                count: domain.count,
                skew: domain.skew,
                allowed: domain.allowed,
                is_scored: domain.is_scored,
            })
            .collect(),
    }
}

fn candidate(candidate: CandidateExplanation) -> protocol::CandidateExplanation {
    let pods = |pods: Vec<VictimExplanation>| pods.into_iter().map(victim).collect();
    protocol::CandidateExplanation {
        node: candidate.node,
        victims: pods(candidate.victims),
        reprieved: pods(candidate.reprieved),
        pdb_violations: candidate.pdb_violations,
    }
}

fn victim(victim: VictimExplanation) -> protocol::VictimExplanation {
    protocol::VictimExplanation {
        pod: victim.pod,
        priority: victim.priority,
    }
}
