//! The sentences of an explanation of a scheduling decision (S-14), for the page and for text output. The scheduler
//! provides their data, [`podscope_api::explained`].

pub use podscope_api::explained::{
    Cause, Criterion, DecisionOutcome, DecisionSummary, Lead, NotEligible, NotHelpedNode, NotHelpful, PreemptionResult,
    Refusal, Room, Sampling, WaitsBecause, WinReason,
};

/// Text for a node that the search did not examine.
pub const NOT_EXAMINED: &str = "not examined: enough nodes were found before";

/// Concluding sentence of an explanation, for beginners.
#[must_use]
pub fn sentence(conclusion: &DecisionSummary) -> String {
    sentence_in(conclusion, ["goes", "can", "scores", "is", "score"])
}

/// The sentence with the verbs of a placement in its tense.
fn sentence_in(conclusion: &DecisionSummary, [goes, can, scores, is, score]: [&str; 5]) -> String {
    let pod = &conclusion.pod;
    match &conclusion.outcome {
        DecisionOutcome::Failed(error) => {
            format!("Deciding {pod} failed: {error}. The scheduler tries again after a pause.")
        }
        DecisionOutcome::OnlyNode { node, of } => {
            format!(
                "{pod} {goes} to {node}, the only one of {} that {can} take it.",
                nodes(*of)
            )
        }
        DecisionOutcome::Best { node, fit, of } => format!(
            "{pod} {goes} to {node}: {fit} of {} {can} take it, and {node} {scores} highest.",
            nodes(*of)
        ),
        DecisionOutcome::Drawn { node, among } => format!(
            "{pod} {goes} to {node}: it {is} one of {} that {score} equally high, and the draw took it.",
            nodes(*among)
        ),
        DecisionOutcome::ToBeDrawn { among } => format!(
            "{pod} goes to one of {}: they score equally high, and a draw decides.",
            among.join(", ")
        ),
        DecisionOutcome::Waits { cause, room } => {
            let room = room.as_ref().map_or_else(String::new, making_room);
            format!("{pod} waits: {}{room}", waits(cause))
        }
    }
}

/// The conclusion of a decision that has been made: a placement in the past tense.
pub fn past_sentence(conclusion: &DecisionSummary) -> String {
    sentence_in(conclusion, ["went", "could", "scored", "was", "scored"])
}

fn nodes(n: usize) -> String {
    match n {
        1 => "1 node".to_owned(),
        n => format!("{n} nodes"),
    }
}

/// The reason why a pod waits: `none of 4 nodes can take it. Of these: 3 too full for its requests, 1 cordoned.`
fn waits(cause: &WaitsBecause) -> String {
    match cause {
        WaitsBecause::NoNodes => "the cluster has no nodes.".to_owned(),
        WaitsBecause::WhateverTheNode(message) => format!("{message}, whatever the node."),
        WaitsBecause::Refused { nodes: 1, causes } if let [cause] = causes.as_slice() => {
            format!("the only node cannot take it: {}.", cause.text)
        }
        WaitsBecause::Refused { nodes: n, causes } => {
            let parts: Vec<String> = causes
                .iter()
                .map(|cause| format!("{} {}", cause.nodes, cause.text))
                .collect();
            format!("none of {} can take it. Of these: {}.", nodes(*n), parts.join(", "))
        }
    }
}

fn making_room(room: &Room) -> String {
    let place = room.nodes.join(" or ");
    match room.victims {
        1 => format!(" It may end a less important pod on {place} and take its room."),
        n => format!(" It may end {n} less important pods on {place} and take their room."),
    }
}

/// The reason why the winning node was chosen, without a full stop.
#[must_use]
pub fn why(won: &WinReason) -> String {
    match won {
        WinReason::OnlyNode => "the only node that can take it, so nothing is scored".to_owned(),
        WinReason::Ahead {
            points,
            next,
            next_points,
            leads,
        } => {
            let lead = |lead: &Lead| format!("{} points from {} ({})", lead.points, lead.plugin, lead.about);
            let leads: Vec<String> = leads.iter().map(lead).collect();
            format!(
                "{points} points against {next_points} for the next, {next}: {}",
                leads.join(" and ")
            )
        }
        WinReason::Tie { nodes, points, chosen } => {
            let drew = (chosen.as_ref()).map_or_else(String::new, |chosen| format!(", and drew {chosen}"));
            format!("{nodes} nodes share the highest score, {points}; kube-scheduler draws one at random{drew}")
        }
    }
}

/// Text about a search that stopped early, without a full stop.
#[must_use]
pub fn sampling(conclusion: &Sampling) -> String {
    let Sampling {
        examined,
        nodes,
        wanted,
    } = conclusion;
    format!("{examined} of {nodes} nodes were examined: the search ends when {wanted} can take the pod")
}

/// Text for a feasible node, with the notes of plugins about their scores.
#[must_use]
pub fn fits<'a>(notes: impl Iterator<Item = &'a str>) -> String {
    let mut words = "can take the pod".to_owned();
    for note in notes {
        words.push_str("; ");
        words.push_str(note);
    }
    words
}

/// Text for a node that cannot take the pod.
#[must_use]
pub fn refusal(conclusion: &Refusal) -> &str {
    match conclusion {
        Refusal::Plugin { text, .. } => text,
        Refusal::NotNamed => "is not one of the nodes that the pod's affinity names",
    }
}

/// The reason why preemption does not help on a node, without a full stop.
#[must_use]
pub fn not_helpful(why: &NotHelpful) -> String {
    match why {
        NotHelpful::Other(text) => format!("no pod's end changes that: {text}"),
        NotHelpful::NoVictims => "no pod there is less important".to_owned(),
        NotHelpful::StillRefused(plugin, text) => {
            format!("without all less important pods {plugin} still refuses: {text}")
        }
    }
}

/// Result of preemption, without a full stop.
#[must_use]
pub fn preemption(result: PreemptionResult) -> String {
    match result {
        PreemptionResult::NotEligible(NotEligible::Never) => {
            "the pod's preemptionPolicy is Never: it waits, and ends nobody".to_owned()
        }
        PreemptionResult::NotEligible(NotEligible::Terminating) => {
            "pods it preempted before are still ending on its nominated node: it waits for them".to_owned()
        }
        PreemptionResult::NoCandidate => "ending less important pods would not let the pod run on any node".to_owned(),
        PreemptionResult::Found { candidates: 1, .. } => {
            "one node would do without some less important pods".to_owned()
        }
        PreemptionResult::Found { candidates, criterion } => {
            let of_these = match criterion {
                Criterion::OnlyCandidate => "the chosen one is taken because it is the only candidate",
                Criterion::FewestPdbViolations => {
                    "the chosen one is taken because it violates the fewest PodDisruptionBudgets"
                }
                Criterion::LowestHighestPriority => {
                    "the chosen one is taken because its most important victim has the lowest priority"
                }
                Criterion::LowestPrioritySum => {
                    "the chosen one is taken because its victims' priorities have the smallest sum"
                }
                Criterion::FewestVictims => "the chosen one is taken because it has the fewest victims",
                Criterion::LatestStart => "the chosen one is taken because its most important victims started last",
                Criterion::Tie => "several are equal and any may be taken",
            };
            format!("{candidates} nodes would do without some less important pods; of these, {of_these}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conclusion(outcome: DecisionOutcome) -> String {
        let pod = "default/web".to_owned();
        sentence(&DecisionSummary { pod, outcome })
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// Shows: S-14
    #[test]
    fn decision_with_node_formats_as_sentence() {
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
                    among: names(&["a-1", "b-1"]),
                },
                "default/web goes to one of a-1, b-1: they score equally high, and a draw decides.",
            ),
        ] {
            assert_eq!(conclusion(outcome), want);
        }
    }

    /// Shows: S-14
    #[test]
    fn waiting_pod_formats_with_cause() {
        let refused = |nodes, causes: &[(usize, &str)]| WaitsBecause::Refused {
            nodes,
            causes: (causes.iter())
                .map(|(nodes, text)| Cause {
                    nodes: *nodes,
                    text: (*text).to_owned(),
                })
                .collect(),
        };
        let room = |victims, nodes: &[&str]| {
            let nodes = names(nodes);
            Some(Room { victims, nodes })
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
            assert_eq!(conclusion(DecisionOutcome::Waits { cause, room }), want);
        }
    }

    /// Shows: S-14
    #[test]
    fn winning_lead_formats_as_one_line() {
        let lead = |points, plugin: &str, about: &str| Lead {
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
            why(&ahead),
            "635 points against 409 for the next, b-1: 200 points from PodTopologySpread (pods spread over domains) and 26 \
             points from Fit (room)"
        );
        let tie = |chosen| {
            why(&WinReason::Tie {
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
    fn preemption_formats_with_deciding_criterion() {
        let found = |candidates, criterion| preemption(PreemptionResult::Found { candidates, criterion });
        assert_eq!(
            found(1, Criterion::OnlyCandidate),
            "one node would do without some less important pods"
        );
        assert_eq!(
            found(2, Criterion::FewestVictims),
            "2 nodes would do without some less important pods; of these, the chosen one is taken because it has the fewest \
             victims"
        );
        assert_eq!(
            found(3, Criterion::Tie),
            "3 nodes would do without some less important pods; of these, several are equal and any may be taken"
        );
        assert_eq!(
            preemption(PreemptionResult::NotEligible(NotEligible::Terminating)),
            "pods it preempted before are still ending on its nominated node: it waits for them"
        );
    }
}
