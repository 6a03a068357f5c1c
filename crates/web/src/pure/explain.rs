//! A decision as the page shows it.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_protocol::{
    AttemptInfo, Explanation, NodeVerdict, Outcome, PreemptionExplanation, SpreadExplanation, explained,
};

/// A node that cannot take the pod: its name, plugin, reasons, the same in words.
pub(crate) type Refused = (String, String, String, String);

/// From so many nodes on, those with one reason stand together.
const MANY: usize = 7;

/// A decision: the sentence, the tables, the raw message.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Why {
    pub(crate) pod: String,
    pub(crate) uid: String,
    /// None: the scheduler never looked at it.
    pub(crate) attempts: Vec<AttemptInfo>,
    pub(crate) attempt: u64,
    /// What happened, for a beginner.
    pub(crate) sentence: String,
    /// Why, in a second sentence; may be empty.
    pub(crate) meaning: String,
    /// By node.
    pub(crate) verdicts: ordered::Map<String, NodeAnswer>,
    /// Nodes that cannot take it.
    pub(crate) refused: Vec<Refused>,
    pub(crate) scores: Option<Scores>,
    pub(crate) spread: Vec<SpreadExplanation>,
    /// How room was made, and the node that was nominated.
    pub(crate) preemption: Option<(PreemptionExplanation, String)>,
    /// The message as the event says it.
    pub(crate) message: String,
}

impl Why {
    /// Nodes that cannot take it, those together that many have the same reason for.
    pub(crate) fn alike(&self) -> Vec<Vec<&Refused>> {
        if self.refused.len() < MANY {
            return self.refused.iter().map(|one| vec![one]).collect();
        }
        let mut groups: Vec<Vec<&Refused>> = Vec::new();
        for one in &self.refused {
            let same = |group: &&mut Vec<&Refused>| {
                group
                    .first()
                    .is_some_and(|(_, by, why, _)| *by == one.1 && *why == one.2)
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(one),
                None => groups.push(vec![one]),
            }
        }
        groups
    }

    /// What separates the node that was meant from the one that was chosen: why that one was refused, or the plugin that
    /// set them apart most.
    pub(crate) fn separates(&self, meant: &str, chosen: &str) -> Option<String> {
        if let Some((_, plugin, _, words)) = self.refused.iter().find(|(node, ..)| node == meant) {
            return Some(format!("{meant}: {words} ({plugin})."));
        }
        let scores = self.scores.as_ref()?;
        let column = |name: &str| scores.nodes.iter().position(|node| node == name);
        let (a, b) = (column(meant)?, column(chosen)?);
        let (row, more) = scores
            .rows
            .iter()
            .filter_map(|row| Some((row, row.cells.get(b).copied()?? - row.cells.get(a).copied()??)))
            .max_by_key(|(_, more)| *more)?;
        Some(match more {
            ..=0 => format!("{meant} and {chosen} scored alike: the draw decided."),
            _ => format!("{} gave {chosen} {more} points more than {meant}.", row.plugin),
        })
    }
}

/// What the decision says of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeAnswer {
    pub(crate) fits: bool,
    pub(crate) chosen: bool,
    /// The score, or the reason.
    pub(crate) text: String,
}

/// Weighted scores, plugins × nodes, best node first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Scores {
    pub(crate) nodes: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) totals: Vec<i64>,
}

/// A plugin's line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) plugin: String,
    pub(crate) about: String,
    pub(crate) weight: i64,
    pub(crate) cells: Vec<Option<i64>>,
    /// What the plugin adds to its score of a node, in words: node and words, best node first.
    pub(crate) said: Vec<(String, String)>,
}

/// The view of a decision; without attempts there is none to show.
pub(crate) fn read(
    pod: String,
    uid: String,
    attempts: Vec<AttemptInfo>,
    attempt: u64,
    explanation: Option<Explanation>,
) -> Why {
    let mut why = Why {
        pod,
        uid,
        attempts,
        attempt,
        ..Why::default()
    };
    if let Some(explanation) = explanation {
        tell(&mut why, explanation);
    }
    why
}

/// A node that was scored.
struct Scored {
    node: String,
    scores: Vec<i64>,
    total: i64,
    said: Vec<(usize, String)>,
}

impl Scored {
    fn said_by(&self, plugin: usize) -> Option<(String, String)> {
        let (_, words) = self.said.iter().find(|(place, _)| *place == plugin)?;
        Some((self.node.clone(), words.clone()))
    }
}

fn tell(why: &mut Why, told: Explanation) {
    let chosen = told.chosen.unwrap_or_default();
    let preempts = told.outcome == Outcome::Preempts;
    why.sentence = explained::sentence(&told.conclusion);
    let meaning = match (&told.won, &told.sampling) {
        (Some(won), _) => Some(explained::why(won)),
        (None, sampling) => sampling.as_ref().map(explained::sampling),
    };
    why.meaning = meaning.map_or_else(String::new, |meaning| format!("{meaning}."));
    why.message = told.message.unwrap_or_default();
    let mut scored: Vec<Scored> = Vec::new();
    for node in told.nodes {
        let fits = matches!(node.verdict, NodeVerdict::Fits { .. });
        let text = match node.verdict {
            NodeVerdict::Refused {
                refusal,
                reasons,
                short,
            } => {
                let plugin = refusal.plugin().unwrap_or_default().to_owned();
                let words = explained::refusal(&refusal).to_owned();
                why.refused.push((node.name.clone(), plugin, reasons.join(", "), words));
                short
            }
            NodeVerdict::NotExamined => continue,
            NodeVerdict::Fits {
                scores,
                total: Some(total),
                said,
            } => {
                let node = node.name.clone();
                scored.push(Scored {
                    node,
                    scores,
                    total,
                    said,
                });
                total.to_string()
            }
            NodeVerdict::Fits { total: None, .. } => "fits".into(),
        };
        let is = node.name == chosen && !preempts;
        let text = if is { format!("{text} · chosen") } else { text };
        why.verdicts.insert(node.name, NodeAnswer { fits, chosen: is, text });
    }
    scored.stable_sort_by_key(|one| (-one.total, one.node != chosen, one.node.clone()));
    if !scored.is_empty() && !told.plugins.is_empty() {
        let rows = told.plugins.into_iter().enumerate().map(|(i, plugin)| Row {
            cells: scored.iter().map(|one| one.scores.get(i).copied()).collect(),
            said: scored.iter().filter_map(|one| one.said_by(i)).collect(),
            plugin: plugin.name,
            about: plugin.about,
            weight: plugin.weight,
        });
        let mut rows: Vec<Row> = rows.collect();
        // What tells nodes apart comes first.
        rows.stable_sort_by_key(|row| (-range(&row.cells), row.plugin.clone()));
        why.scores = Some(Scores {
            totals: scored.iter().map(|one| one.total).collect(),
            nodes: scored.into_iter().map(|one| one.node).collect(),
            rows,
        });
    }
    why.spread = told.spread;
    why.preemption = told
        .preemption
        .map(|p| (p, if preempts { chosen } else { String::new() }));
}

fn range(cells: &[Option<i64>]) -> i64 {
    cells.iter().flatten().max().unwrap_or(&0) - cells.iter().flatten().min().unwrap_or(&0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::explained::{Conclusion, Ending, Refusal, Sampling};
    use podscope_protocol::{NodeExplanation, ScoringPlugin};

    fn refused(name: &str, plugin: &str, short: &str) -> NodeExplanation {
        NodeExplanation {
            name: name.into(),
            verdict: NodeVerdict::Refused {
                refusal: Refusal::Plugin {
                    name: plugin.into(),
                    text: "in words".into(),
                },
                reasons: vec!["as the scheduler puts it".into()],
                short: short.into(),
            },
        }
    }

    fn fits(name: &str, scores: [i64; 2]) -> NodeExplanation {
        NodeExplanation {
            name: name.into(),
            verdict: NodeVerdict::Fits {
                total: Some(scores.iter().sum()),
                scores: scores.to_vec(),
                said: vec![(1, format!("{name} said"))],
            },
        }
    }

    /// Sixty nodes are a few lines.
    /// Shows: U-14
    #[test]
    fn many_nodes_with_the_same_reason_are_one_group() {
        let mut why = Why::default();
        for i in 0..60 {
            let (plugin, reason) = if i % 20 == 0 {
                ("TaintToleration", "untolerated taint")
            } else {
                ("NodeResourcesFit", "Insufficient cpu")
            };
            why.refused
                .push((format!("n-{i}"), plugin.into(), reason.into(), format!("{i} free")));
        }
        let sizes: Vec<usize> = why.alike().iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 57]);
    }

    /// Verdicts on the nodes, the table, the reasons.
    /// Shows: S-14, U-04
    #[test]
    fn a_decision_between_two_nodes_reads_as_verdicts_and_a_table() {
        let plugin = |name: &str, weight| ScoringPlugin {
            name: name.into(),
            about: String::new(),
            weight,
        };
        let told = Explanation {
            outcome: Outcome::Scheduled,
            conclusion: Conclusion {
                pod: "default/batch-7".into(),
                ending: Ending::Best {
                    node: "c-1".into(),
                    fit: 2,
                    of: 5,
                },
            },
            chosen: Some("c-1".into()),
            won: None,
            message: None,
            plugins: vec![plugin("TaintToleration", 3), plugin("NodeResourcesFit", 1)],
            nodes: vec![
                refused("a-1", "NodeResourcesFit", "Insufficient cpu"),
                refused("a-2", "TaintToleration", "untolerated taint"),
                fits("b-2", [300, 52]),
                fits("c-1", [300, 71]),
                NodeExplanation {
                    name: "c-2".into(),
                    verdict: NodeVerdict::NotExamined,
                },
            ],
            spread: Vec::new(),
            preemption: None,
            sampling: Some(Sampling {
                examined: 4,
                nodes: 5,
                wanted: 2,
            }),
        };
        let attempts = vec![AttemptInfo::default()];
        let why = read("default/batch-7".into(), String::new(), attempts, 3, Some(told));
        assert_eq!(
            why.sentence,
            "default/batch-7 goes to c-1: 2 of 5 nodes can take it, and c-1 scores highest."
        );
        assert_eq!(
            why.meaning,
            "4 of 5 nodes were examined: the search ends when 2 can take the pod."
        );
        assert_eq!(why.verdicts["c-1"].text, "371 · chosen");
        assert_eq!(why.verdicts["a-2"].text, "untolerated taint");
        assert!(!why.verdicts.contains_key("c-2"));
        assert_eq!(why.refused.len(), 2);
        assert_eq!(why.alike().len(), 2, "a few stand by themselves");
        let scores = why.scores.unwrap_or_default();
        assert_eq!(scores.nodes, ["c-1", "b-2"]);
        assert_eq!(scores.rows[0].plugin, "NodeResourcesFit");
        let said = |node: &str| (node.to_owned(), format!("{node} said"));
        assert_eq!(scores.rows[0].said, [said("c-1"), said("b-2")]);
        assert!(scores.rows[1].said.is_empty());
    }
}
