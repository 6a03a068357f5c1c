//! Converts the engine's explanation of a scheduling decision into the texts and tables that the page shows.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_messages::{Sentence, listed, localized, t};
use podscope_protocol::explained::{
    Explanation, NodeScores, NodeVerdict, PreemptionExplanation, SchedulingVerdict, ScoringPlugin, SpreadExplanation,
};
use podscope_protocol::{AttemptInfo, explained};

/// A node that cannot run the pod: node, plugin, reasons, and a text for users.
pub(crate) type RefusedNode = (String, String, String, String);

/// Minimum number of refused nodes at which nodes with a common reason are grouped.
const MIN_REFUSED_NODES_TO_GROUP: usize = 7;

/// A decision: sentences, tables, and the raw message.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DecisionView {
    pub(crate) pod: String,
    pub(crate) uid: String,
    /// Attempts so far; empty if the scheduler has not tried to place the pod.
    pub(crate) attempts: Vec<AttemptInfo>,
    pub(crate) attempt: u64,
    /// The outcome of the decision, as a sentence for beginners.
    pub(crate) sentence: String,
    /// The reason, as a second sentence; may be empty.
    pub(crate) meaning: String,
    /// The verdict on each node.
    pub(crate) verdicts: ordered::Map<String, NodeVerdictText>,
    /// Nodes that cannot run the pod.
    pub(crate) refused: Vec<RefusedNode>,
    pub(crate) scores: Option<Scores>,
    pub(crate) spread: Vec<SpreadExplanation>,
    /// Texts about devices, each with its nodes, the chosen node first. Nodes with equal texts share an entry.
    pub(crate) devices: Vec<(Vec<String>, Vec<Sentence>)>,
    /// The preemption that the scheduler tried, and the nominated node.
    pub(crate) preemption: Option<(PreemptionExplanation, String)>,
    /// The message of the scheduler's event.
    pub(crate) message: String,
}

impl DecisionView {
    /// Nodes that cannot run the pod, grouped by reason if there are many.
    pub(crate) fn grouped_refusals(&self) -> Vec<Vec<&RefusedNode>> {
        if self.refused.len() < MIN_REFUSED_NODES_TO_GROUP {
            return self.refused.iter().map(|refused_node| vec![refused_node]).collect();
        }
        let mut groups: Vec<Vec<&RefusedNode>> = Vec::new();
        for refused_node in &self.refused {
            let same = |group: &&mut Vec<&RefusedNode>| {
                group
                    .first()
                    .is_some_and(|(_, by, why, _)| *by == refused_node.1 && *why == refused_node.2)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(refused_node),
                None => groups.push(vec![refused_node]),
            }
        }
        groups
    }

    /// Returns the criterion by which the scheduler preferred the chosen node to the user's node: the reason why the
    /// user's node was refused, or the plugin with the largest difference in scores.
    pub(crate) fn separating_criterion(&self, predicted: &str, chosen: &str) -> Option<String> {
        if let Some((_, plugin, _, words)) = self.refused.iter().find(|(node, ..)| node == predicted) {
            return Some(t!(explain::refused, node = predicted, reason = words, plugin = plugin));
        }
        let scores = self.scores.as_ref()?;
        let column = |name: &str| scores.nodes.iter().position(|node| node == name);
        let (predicted_column, chosen_column) = (column(predicted)?, column(chosen)?);
        let (row, score_difference) = scores
            .rows
            .iter()
            .filter_map(|row| {
                Some((
                    row,
                    row.cells.get(chosen_column).copied()?? - row.cells.get(predicted_column).copied()??,
                ))
            })
            .max_by_key(|(_, score_difference)| *score_difference)?;
        Some(match score_difference {
            ..=0 => t!(explain::alike, predicted = predicted, chosen = chosen),
            points => t!(
                explain::points_more,
                plugin = row.plugin,
                chosen = chosen,
                points = points,
                predicted = predicted
            ),
        })
    }
}

/// The scheduler's verdict on one node, as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeVerdictText {
    pub(crate) fits: bool,
    pub(crate) chosen: bool,
    /// The score of the node, or the reason why it was refused.
    pub(crate) text: String,
}

/// Weighted scores by plugin and node, best node first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Scores {
    pub(crate) nodes: Vec<String>,
    pub(crate) rows: Vec<ScoreRow>,
    pub(crate) totals: Vec<i64>,
}

/// A plugin's row in the score table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScoreRow {
    pub(crate) plugin: String,
    pub(crate) about: String,
    pub(crate) weight: i64,
    pub(crate) cells: Vec<Option<i64>>,
    /// Remarks of the plugin on its scores: node and text, best node first.
    pub(crate) score_notes: Vec<(String, String)>,
}

/// Builds the view of a decision. If the engine sent no explanation, the view holds only the list of attempts.
pub(crate) fn build_decision_view(
    pod: String,
    uid: String,
    attempts: Vec<AttemptInfo>,
    attempt: u64,
    explanation: Option<Explanation>,
    devices: Vec<(String, Vec<Sentence>)>,
) -> DecisionView {
    let mut why = DecisionView {
        pod,
        uid,
        attempts,
        attempt,
        ..DecisionView::default()
    };
    if let Some(explanation) = explanation {
        add_explanation(&mut why, explanation, devices);
    }
    why
}

/// A node with its scores.
struct ScoredNode {
    node: String,
    total: i64,
    scores: NodeScores,
}

impl ScoredNode {
    /// Returns the node's name and the plugin's remark on the node's score, if there is one.
    fn remark_of_plugin(&self, plugin: usize) -> Option<(String, String)> {
        let (_, note) = self.scores.notes.iter().find(|(place, _)| *place == plugin)?;
        Some((self.node.clone(), explained::score_note(*note).to_string()))
    }
}

fn add_explanation(why: &mut DecisionView, explanation: Explanation, devices: Vec<(String, Vec<Sentence>)>) {
    let preempts = explanation.verdict() == SchedulingVerdict::Preempts;
    let chosen = explanation.chosen.unwrap_or_default();
    why.sentence = explained::past_decision_sentence(&explanation.conclusion);
    let meaning = match (&explanation.won, &explanation.sampling) {
        (Some(won), _) => Some(explained::win_reason_text(won)),
        (None, sampling) => sampling.as_ref().map(explained::sampling_text),
    };
    why.meaning = meaning.map_or_else(String::new, |meaning| t!(explain::sentence, text = meaning));
    why.message = explanation.message.unwrap_or_default();
    for (node, lines) in devices {
        let is_chosen = node == chosen;
        add_devices(&mut why.devices, node, lines, is_chosen);
    }
    let mut scored: Vec<ScoredNode> = Vec::new();
    for node in explanation.nodes {
        let fits = matches!(node.verdict, NodeVerdict::Fits(_));
        let text = match node.verdict {
            NodeVerdict::Refused {
                refusal,
                reasons,
                short,
                ..
            } => {
                let plugin = refusal.plugin().unwrap_or_default().to_owned();
                let words = explained::refusal_text(&refusal).to_string();
                why.refused.push((node.name.clone(), plugin, listed(reasons), words));
                let short: Vec<String> = short.split(", ").map(localized).collect();
                short.join(&t!(explain::separator))
            }
            NodeVerdict::NotExamined => continue,
            NodeVerdict::Fits(scores) => match scores.total {
                Some(total) => {
                    let node = node.name.clone();
                    scored.push(ScoredNode { node, total, scores });
                    total.to_string()
                }
                None => t!(explain::fits),
            },
        };
        let is_chosen = node.name == chosen && !preempts;
        let text = if is_chosen {
            t!(explain::chosen, verdict = text)
        } else {
            text
        };
        why.verdicts.insert(
            node.name,
            NodeVerdictText {
                fits,
                chosen: is_chosen,
                text,
            },
        );
    }
    scored.stable_sort_by_key(|scored_node| (-scored_node.total, scored_node.node != chosen, scored_node.node.clone()));
    if !scored.is_empty() && !explanation.plugins.is_empty() {
        why.scores = Some(table_of_scores(scored, explanation.plugins));
    }
    why.spread = explanation.spread;
    why.preemption = explanation
        .preemption
        .map(|preemption| (preemption, if preempts { chosen } else { String::new() }));
}

/// Builds the table of scores. The nodes are sorted by total score; the plugins by how much their scores differ between
/// the nodes.
fn table_of_scores(scored: Vec<ScoredNode>, plugins: Vec<ScoringPlugin>) -> Scores {
    let rows = plugins.into_iter().enumerate().map(|(index, plugin)| ScoreRow {
        cells: scored
            .iter()
            .map(|scored_node| scored_node.scores.weighted.get(index).copied())
            .collect(),
        score_notes: scored
            .iter()
            .filter_map(|scored_node| scored_node.remark_of_plugin(index))
            .collect(),
        plugin: plugin.name,
        about: localized(&plugin.about),
        weight: plugin.weight,
    });
    let mut rows: Vec<ScoreRow> = rows.collect();
    rows.stable_sort_by_key(|row| (-score_range(&row.cells), row.plugin.clone()));
    Scores {
        totals: scored.iter().map(|scored_node| scored_node.total).collect(),
        nodes: scored.into_iter().map(|scored_node| scored_node.node).collect(),
        rows,
    }
}

fn add_devices(to: &mut Vec<(Vec<String>, Vec<Sentence>)>, node: String, lines: Vec<Sentence>, is_chosen: bool) {
    if lines.is_empty() {
        return;
    }
    match to.iter_mut().find(|(_, known)| *known == lines) {
        Some((nodes, _)) if !is_chosen => nodes.push(node),
        _ if is_chosen => to.insert(0, (vec![node], lines)),
        _ => to.push((vec![node], lines)),
    }
}

fn score_range(cells: &[Option<i64>]) -> i64 {
    cells.iter().flatten().max().unwrap_or(&0) - cells.iter().flatten().min().unwrap_or(&0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::explained::{
        Code, DecisionOutcome, DecisionSummary, NodeExplanation, NodeRefusal, NodeSampling, ScoreNote,
    };

    fn node(name: &str, verdict: NodeVerdict) -> NodeExplanation {
        NodeExplanation {
            name: name.into(),
            zone: None,
            verdict,
        }
    }

    fn refused_node(name: &str, plugin: &str, short: &str) -> NodeExplanation {
        let verdict = NodeVerdict::Refused {
            refusal: NodeRefusal::Plugin {
                name: plugin.into(),
                text: "in words".into(),
            },
            code: Code::Unschedulable,
            reasons: vec!["as the scheduler puts it".into()],
            short: short.into(),
        };
        node(name, verdict)
    }

    fn evenness_note(with: i64) -> ScoreNote {
        ScoreNote::Evenness { without: 0, with }
    }

    fn feasible_node(name: &str, scores: [i64; 2]) -> NodeExplanation {
        let scores = NodeScores {
            weighted: scores.to_vec(),
            raw: Vec::new(),
            total: Some(scores.iter().sum()),
            notes: vec![(1, evenness_note(scores[1]))],
        };
        node(name, NodeVerdict::Fits(scores))
    }

    /// If sixty nodes are refused, they are listed as a few groups.
    /// Shows: U-14
    #[test]
    fn nodes_with_a_common_reason_are_grouped() {
        let mut why = DecisionView::default();
        for index in 0..60 {
            let (plugin, reason) = if index % 20 == 0 {
                ("TaintToleration", "untolerated taint")
            } else {
                ("NodeResourcesFit", "Insufficient cpu")
            };
            why.refused.push((
                format!("n-{index}"),
                plugin.into(),
                reason.into(),
                format!("{index} free"),
            ));
        }
        let sizes: Vec<usize> = why.grouped_refusals().iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 57]);
    }

    /// A decision has verdicts, reasons and a score table.
    /// Shows: S-14, U-04
    #[test]
    fn decision_has_verdicts_reasons_and_score_table() {
        let plugin = |name: &str, weight| ScoringPlugin {
            name: name.into(),
            about: String::new(),
            weight,
        };
        let explanation = Explanation {
            scheduler_name: String::new(),
            priority: 0,
            conclusion: DecisionSummary {
                pod: "default/batch-7".into(),
                outcome: DecisionOutcome::Best {
                    node: "c-1".into(),
                    fit: 2,
                    of: 5,
                },
            },
            chosen: Some("c-1".into()),
            hosts: Vec::new(),
            won: None,
            message: None,
            plugins: vec![plugin("TaintToleration", 3), plugin("NodeResourcesFit", 1)],
            nodes: vec![
                refused_node("a-1", "NodeResourcesFit", "Insufficient cpu"),
                refused_node("a-2", "TaintToleration", "untolerated taint"),
                feasible_node("b-2", [300, 52]),
                feasible_node("c-1", [300, 71]),
                node("c-2", NodeVerdict::NotExamined),
            ],
            spread: Vec::new(),
            preemption: None,
            sampling: Some(NodeSampling {
                examined: 4,
                nodes: 5,
                wanted: 2,
            }),
        };
        let attempts = vec![AttemptInfo::default()];
        let devices = ["b-2", "c-1"].map(|node| (node.to_owned(), vec![node.into()]));
        let pod = "default/batch-7".to_owned();
        let why = build_decision_view(pod, String::new(), attempts, 3, Some(explanation), devices.into());
        assert_eq!(
            why.sentence,
            "default/batch-7 went to c-1: 2 of 5 nodes could take it, and c-1 scored highest."
        );
        assert_eq!(
            why.meaning,
            "4 of 5 nodes were examined: the search ends when 2 can take the pod."
        );
        assert_eq!(why.verdicts["c-1"].text, "371 · chosen");
        assert_eq!(why.verdicts["a-2"].text, "untolerated taint");
        assert!(!why.verdicts.contains_key("c-2"));
        let groups: Vec<&[String]> = why.devices.iter().map(|(nodes, _)| nodes.as_slice()).collect();
        assert_eq!(groups, [["c-1"], ["b-2"]], "the chosen node is first");
        assert_eq!(why.refused.len(), 2);
        assert_eq!(why.grouped_refusals().len(), 2, "a few nodes are not grouped");
        let scores = why.scores.unwrap_or_default();
        assert_eq!(scores.nodes, ["c-1", "b-2"]);
        assert_eq!(scores.rows[0].plugin, "NodeResourcesFit");
        let note = |node: &str, with| (node.to_owned(), explained::score_note(evenness_note(with)).to_string());
        assert_eq!(scores.rows[0].score_notes, [note("c-1", 71), note("b-2", 52)]);
        assert!(scores.rows[1].score_notes.is_empty());
    }

    /// Shows: S-14
    #[test]
    fn devices_are_grouped_with_chosen_node_first() {
        let mut devices = Vec::new();
        for (node, line) in [("a-1", "none"), ("a-2", "none"), ("b-1", "gets g0"), ("b-2", "")] {
            let lines = line.lines().map(Sentence::from).collect();
            add_devices(&mut devices, node.to_owned(), lines, node == "b-1");
        }
        let group = |nodes: &[&str], line: &str| {
            let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
            (nodes, vec![Sentence::from(line)])
        };
        assert_eq!(devices, [group(&["b-1"], "gets g0"), group(&["a-1", "a-2"], "none")]);
    }
}
