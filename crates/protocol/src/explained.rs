//! Formats the sentences that explain a scheduling decision (S-14), for the page and for text output. The scheduler
//! provides the data, [`podscope_api::explained`].

use podscope_messages::{Sentence, localized, sentence, t};
use std::cmp::Ordering;

pub use podscope_api::explained::{
    CandidateExplanation, Code, DecisionOutcome, DecisionSummary, DomainCount, Explanation, NodeExplanation,
    NodeNotHelpedByPreemption, NodeRefusal, NodeSampling, NodeScores, NodeVerdict, PreemptionCriterion,
    PreemptionExplanation, PreemptionIneligibility, PreemptionObstacle, PreemptionResult, PreemptionRoom, RefusalCause,
    RefusedNodes, SchedulingVerdict, ScoreLead, ScoreNote, ScoringPlugin, SpreadExplanation, TooFewDomains,
    VictimExplanation, WaitsBecause, WinReason,
};

/// Returns the text for a node that the scheduler did not examine.
#[must_use]
pub fn unexamined_node_text() -> Sentence {
    sentence!(explained::not_examined)
}

/// Formats the concluding sentence of an explanation, for beginners.
#[must_use]
pub fn decision_sentence(conclusion: &DecisionSummary) -> String {
    let pod = &conclusion.pod;
    match &conclusion.outcome {
        DecisionOutcome::Failed(error) => t!(explained::failed, pod = pod, error = error),
        DecisionOutcome::OnlyNode { node, of } => t!(explained::only_node, pod = pod, node = node, of = *of),
        DecisionOutcome::Best { node, fit, of } => t!(explained::best, pod = pod, node = node, fit = *fit, of = *of),
        DecisionOutcome::Drawn { node, among } => t!(explained::drawn, pod = pod, node = node, among = *among),
        DecisionOutcome::ToBeDrawn { among } => t!(
            explained::to_be_drawn,
            pod = pod,
            nodes = among.join(&t!(explained::separator))
        ),
        DecisionOutcome::Waits { cause, room } => {
            let room = room
                .as_ref()
                .map_or_else(String::new, |room| t!(explained::gap) + &making_room_phrase(room));
            pending_pod_sentence(pod, cause, &room)
        }
    }
}

/// Formats the conclusion of a past decision: the sentence about a placement is in the past tense.
#[must_use]
pub fn past_decision_sentence(conclusion: &DecisionSummary) -> String {
    let pod = &conclusion.pod;
    match &conclusion.outcome {
        DecisionOutcome::OnlyNode { node, of } => t!(explained::only_node_past, pod = pod, node = node, of = *of),
        DecisionOutcome::Best { node, fit, of } => {
            t!(explained::best_past, pod = pod, node = node, fit = *fit, of = *of)
        }
        DecisionOutcome::Drawn { node, among } => t!(explained::drawn_past, pod = pod, node = node, among = *among),
        DecisionOutcome::Failed(_) | DecisionOutcome::ToBeDrawn { .. } | DecisionOutcome::Waits { .. } => {
            decision_sentence(conclusion)
        }
    }
}

/// Formats the sentence about a pending pod:
/// `web waits: none of 4 nodes can take it. Of these: 3 too full for its requests, 1 cordoned.`
fn pending_pod_sentence(pod: &str, cause: &WaitsBecause, room: &str) -> String {
    match cause {
        WaitsBecause::NoNodes => t!(explained::waits_no_nodes, pod = pod, room = room),
        WaitsBecause::WhateverTheNode(why) => {
            t!(explained::waits_whatever_the_node, pod = pod, why = why, room = room)
        }
        WaitsBecause::Refused(RefusedNodes { nodes: 1, causes }) if let [cause] = causes.as_slice() => {
            t!(
                explained::waits_only_node,
                pod = pod,
                why = localized(&cause.text),
                room = room
            )
        }
        WaitsBecause::Refused(RefusedNodes { nodes, causes }) => {
            let cause = |cause: &RefusalCause| t!(explained::cause, nodes = cause.nodes, why = localized(&cause.text));
            let causes: Vec<String> = causes.iter().map(cause).collect();
            let causes = causes.join(&t!(explained::separator));
            t!(
                explained::waits_refused,
                pod = pod,
                nodes = *nodes,
                causes = causes,
                room = room
            )
        }
    }
}

fn making_room_phrase(room: &PreemptionRoom) -> String {
    let nodes = room.nodes.join(&t!(explained::or));
    t!(explained::room, victims = room.victims, nodes = nodes)
}

/// Formats why the chosen node won against the other feasible nodes, without a full stop.
#[must_use]
pub fn win_reason_text(won: &WinReason) -> String {
    match won {
        WinReason::OnlyNode => t!(explained::won_only_node),
        WinReason::Ahead {
            points,
            next,
            next_points,
            leads,
        } => {
            let lead = |lead: &ScoreLead| {
                t!(
                    explained::lead,
                    points = lead.points,
                    plugin = lead.plugin,
                    about = localized(&lead.about)
                )
            };
            let leads: Vec<String> = leads.iter().map(lead).collect();
            let leads = leads.join(&t!(explained::and));
            t!(
                explained::won_ahead,
                points = points,
                next = next,
                next_points = next_points,
                leads = leads
            )
        }
        WinReason::Tie { nodes, points, chosen } => match chosen {
            None => t!(explained::won_tie, nodes = nodes, points = points),
            Some(chosen) => t!(
                explained::won_tie_drawn,
                nodes = nodes,
                points = points,
                chosen = chosen
            ),
        },
    }
}

/// Formats the sentence about a search for feasible nodes that stopped before all nodes were examined, without a full
/// stop.
#[must_use]
pub fn sampling_text(conclusion: &NodeSampling) -> String {
    let NodeSampling {
        examined,
        nodes,
        wanted,
    } = conclusion;
    t!(explained::sampling, examined = examined, nodes = nodes, wanted = wanted)
}

/// Formats the text for a feasible node, with the notes of scoring plugins about their scores.
#[must_use]
pub fn feasible_node_text(notes: impl Iterator<Item = ScoreNote>) -> Sentence {
    notes.fold(sentence!(explained::fits), |words, note| {
        sentence!(explained::with_note, words = words, note = score_note(note))
    })
}

/// Formats a plugin's note about its score for a node, without a full stop.
#[must_use]
pub fn score_note(note: ScoreNote) -> Sentence {
    let ScoreNote::Evenness { without, with } = note;
    match with.cmp(&without) {
        Ordering::Greater => sentence!(explained::more_even, without = without, with = with),
        Ordering::Equal => sentence!(explained::as_even, without = without, with = with),
        Ordering::Less => sentence!(explained::less_even, without = without, with = with),
    }
}

/// Formats the text for a node that cannot take the pod.
#[must_use]
pub fn refusal_text(conclusion: &NodeRefusal) -> Sentence {
    match conclusion {
        NodeRefusal::Plugin { text, .. } => text.into(),
        NodeRefusal::NotNamed => sentence!(explained::not_named),
    }
}

/// Formats the reason why preemption does not help on a node, without a full stop.
#[must_use]
pub fn preemption_obstacle_text(why: &PreemptionObstacle) -> String {
    match why {
        PreemptionObstacle::Other(why) => t!(explained::not_helpful, why = why),
        PreemptionObstacle::NoVictims => t!(explained::no_victims),
        PreemptionObstacle::StillRefused(plugin, why) => t!(explained::still_refused, plugin = plugin, why = why),
    }
}

/// Formats the result of preemption, without a full stop.
#[must_use]
pub fn preemption(result: PreemptionResult) -> String {
    match result {
        PreemptionResult::NotEligible(PreemptionIneligibility::Never) => t!(explained::never),
        PreemptionResult::NotEligible(PreemptionIneligibility::Terminating) => t!(explained::terminating),
        PreemptionResult::NoCandidate => t!(explained::no_candidate),
        PreemptionResult::Found { candidates: 1, .. } => t!(explained::one_candidate),
        PreemptionResult::Found { candidates, criterion } => match criterion {
            PreemptionCriterion::OnlyCandidate => t!(explained::only_candidate, candidates = candidates),
            PreemptionCriterion::FewestPdbViolations => t!(explained::fewest_violations, candidates = candidates),
            PreemptionCriterion::LowestHighestPriority => t!(explained::lowest_priority, candidates = candidates),
            PreemptionCriterion::LowestPrioritySum => t!(explained::lowest_sum, candidates = candidates),
            PreemptionCriterion::FewestVictims => t!(explained::fewest_victims, candidates = candidates),
            PreemptionCriterion::LatestStart => t!(explained::latest_start, candidates = candidates),
            PreemptionCriterion::Tie => t!(explained::candidates_tie, candidates = candidates),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conclusion_sentence(outcome: DecisionOutcome) -> String {
        let pod = "default/web".to_owned();
        decision_sentence(&DecisionSummary { pod, outcome })
    }

    fn owned_names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// Shows: S-14
    #[test]
    fn decision_with_node_is_formatted_as_sentence() {
        let node = || "a-1".to_owned();
        for (outcome, want) in [
            (
                DecisionOutcome::Failed("no such class".to_owned()),
                "Deciding default/web failed: no such class. The scheduler tries again after a pause.",
            ),
            (
                DecisionOutcome::OnlyNode { node: node(), of: 1 },
                "default/web goes to a-1, the only one of 1 node that can take it.",
            ),
            (
                DecisionOutcome::Best {
                    node: node(),
                    fit: 2,
                    of: 4,
                },
                "default/web goes to a-1: 2 of 4 nodes can take it, and a-1 scores highest.",
            ),
            (
                DecisionOutcome::Drawn { node: node(), among: 3 },
                "default/web goes to a-1: it is one of 3 nodes that score equally high, and the draw took it.",
            ),
            (
                DecisionOutcome::ToBeDrawn {
                    among: owned_names(&["a-1", "b-1"]),
                },
                "default/web goes to one of a-1, b-1: they score equally high, and a draw decides.",
            ),
        ] {
            assert_eq!(conclusion_sentence(outcome), want);
        }
    }

    /// Shows: S-14
    #[test]
    fn pending_pod_is_formatted_with_cause() {
        let refused = |nodes, causes: &[(usize, &str)]| {
            let causes = (causes.iter())
                .map(|(nodes, text)| RefusalCause {
                    nodes: *nodes,
                    text: (*text).to_owned(),
                })
                .collect();
            WaitsBecause::Refused(RefusedNodes { nodes, causes })
        };
        let room = |victims, nodes: &[&str]| {
            let nodes = owned_names(nodes);
            Some(PreemptionRoom { victims, nodes })
        };
        for (cause, room, want) in [
            (
                WaitsBecause::NoNodes,
                None,
                "default/web waits: the cluster has no nodes.",
            ),
            (
                WaitsBecause::WhateverTheNode("claim \"data\" not found".to_owned()),
                None,
                "default/web waits: claim \"data\" not found, whatever the node.",
            ),
            (
                refused(1, &[(1, "cordoned")]),
                room(1, &["a-1"]),
                "default/web waits: the only node cannot take it: cordoned. It may end a less important pod on a-1 and take \
                 its room.",
            ),
            (
                refused(4, &[(3, "too full"), (1, "cordoned")]),
                room(2, &["a-1", "b-1"]),
                "default/web waits: none of 4 nodes can take it. Of these: 3 too full, 1 cordoned. It may end 2 less important \
                 pods on a-1 or b-1 and take their room.",
            ),
        ] {
            assert_eq!(conclusion_sentence(DecisionOutcome::Waits { cause, room }), want);
        }
    }

    /// Shows: S-14
    #[test]
    fn lead_of_winning_node_is_formatted_as_one_line() {
        let lead = |points, plugin: &str, about: &str| ScoreLead {
            points,
            plugin: plugin.to_owned(),
            about: about.to_owned(),
        };
        let ahead = WinReason::Ahead {
            points: 635,
            next: "b-1".to_owned(),
            next_points: 409,
            leads: vec![
                lead(200, "PodTopologySpread", "pods spread over domains"),
                lead(26, "Fit", "room"),
            ],
        };
        assert_eq!(
            win_reason_text(&ahead),
            "635 points against 409 for the next, b-1: 200 points from PodTopologySpread (pods spread over domains) and 26 \
             points from Fit (room)"
        );
        let tie = |chosen| {
            win_reason_text(&WinReason::Tie {
                nodes: 2,
                points: 9,
                chosen,
            })
        };
        let drawn = "2 nodes share the highest score, 9; kube-scheduler draws one at random";
        assert_eq!(tie(None), drawn);
        assert_eq!(tie(Some("a-1".to_owned())), format!("{drawn}, and drew a-1"));
    }

    /// Shows: S-14
    #[test]
    fn preemption_is_formatted_with_deciding_criterion() {
        let found = |candidates, criterion| preemption(PreemptionResult::Found { candidates, criterion });
        assert_eq!(
            found(1, PreemptionCriterion::OnlyCandidate),
            "one node would do without some less important pods"
        );
        assert_eq!(
            found(2, PreemptionCriterion::FewestVictims),
            "2 nodes would do without some less important pods; of these, the chosen one is taken because it has the fewest \
             victims"
        );
        assert_eq!(
            found(3, PreemptionCriterion::Tie),
            "3 nodes would do without some less important pods; of these, several are equal and any may be taken"
        );
        assert_eq!(
            preemption(PreemptionResult::NotEligible(PreemptionIneligibility::Terminating)),
            "pods it preempted before are still ending on its nominated node: it waits for them"
        );
    }
}
