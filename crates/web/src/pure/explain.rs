//! A decision as the page shows it, from the scheduler's own explanation.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;

use podscope_scheduler::explain::{
    Explanation, NodeExplanation, NodeVerdict, PreemptionExplanation, SpreadExplanation,
};
use podscope_session::protocol::AttemptInfo;

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
    pub(crate) verdicts: ordered::Map<String, Verdict>,
    /// Nodes that cannot take it: node, plugin, reasons, the same in words.
    pub(crate) refused: Vec<(String, String, String, String)>,
    pub(crate) scores: Option<Scores>,
    pub(crate) spread: Vec<SpreadExplanation>,
    /// How room was made, and the node that was nominated.
    pub(crate) preemption: Option<(PreemptionExplanation, String)>,
    /// The message as the event says it.
    pub(crate) message: String,
}

/// What the decision says of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
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
}

/// Reads an explanation; one that cannot be read says so.
pub(crate) fn read(pod: String, uid: String, attempts: Vec<AttemptInfo>, attempt: u64, raw: &str) -> Why {
    let mut why = Why {
        pod,
        uid,
        attempts,
        attempt,
        ..Why::default()
    };
    if why.attempts.is_empty() {
        return why;
    }
    match serde_json::from_str::<Explanation>(raw) {
        Ok(explanation) => tell(&mut why, explanation),
        Err(error) => why.sentence = format!("The explanation cannot be read: {error}."),
    }
    why
}

fn tell(why: &mut Why, told: Explanation) {
    let chosen = told.chosen.unwrap_or_default();
    let preempts = told.verdict == podscope_scheduler::explain::Verdict::Preempts;
    why.sentence = told.sentence;
    why.meaning = told.why.or(told.sampling).unwrap_or_default();
    if !why.meaning.is_empty() && !why.meaning.ends_with(['.', '!']) {
        why.meaning.push('.');
    }
    why.message = told.message.unwrap_or_default();
    let mut scored: Vec<(&NodeExplanation, i64)> = Vec::new();
    for node in &told.nodes {
        let text = match (node.verdict, node.total) {
            (NodeVerdict::Refused, _) => {
                let plugin = node.plugin.clone().unwrap_or_default();
                why.refused
                    .push((node.name.clone(), plugin, node.reasons.join(", "), node.words.clone()));
                short_reason(node.reasons.first().map_or(node.words.as_str(), String::as_str))
            }
            (NodeVerdict::NotExamined, _) => continue,
            (NodeVerdict::Fits, Some(total)) => {
                scored.push((node, total));
                total.to_string()
            }
            (NodeVerdict::Fits, None) => "fits".into(),
        };
        let is = node.name == chosen && !preempts;
        let text = if is { format!("{text} · chosen") } else { text };
        why.verdicts.insert(
            node.name.clone(),
            Verdict {
                fits: node.verdict == NodeVerdict::Fits,
                chosen: is,
                text,
            },
        );
    }
    scored.stable_sort_by_key(|(node, total)| (-total, node.name != chosen, node.name.clone()));
    if !scored.is_empty() && !told.plugins.is_empty() {
        let rows = told.plugins.iter().enumerate().map(|(i, plugin)| Row {
            plugin: plugin.name.clone(),
            about: plugin.about.clone(),
            weight: plugin.weight,
            cells: scored.iter().map(|(node, _)| node.scores.get(i).copied()).collect(),
        });
        let mut rows: Vec<Row> = rows.collect();
        // What tells nodes apart comes first.
        rows.stable_sort_by_key(|row| (-range(&row.cells), row.plugin.clone()));
        why.scores = Some(Scores {
            nodes: scored.iter().map(|(node, _)| node.name.clone()).collect(),
            totals: scored.iter().map(|(_, total)| *total).collect(),
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

/// The reason without the words that every line would repeat.
fn short_reason(reason: &str) -> String {
    let mut lead = [
        "node(s) had ",
        "node(s) were ",
        "node(s) didn't match pod ",
        "node(s) didn't match Pod's ",
        "node(s) ",
    ]
    .into_iter();
    let reason = lead.find_map(|l| reason.strip_prefix(l)).unwrap_or(reason);
    let reason = ([" constraints", " rules"].into_iter())
        .find_map(|tail| reason.strip_suffix(tail))
        .unwrap_or(reason);
    match reason.split_once('{') {
        Some((head, _)) if head.len() > 3 => head.trim().to_string(),
        _ => reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// S-14, U-04: verdicts on the nodes, the table, the reasons.
    #[test]
    fn a_decision_between_two_nodes_reads_as_verdicts_and_a_table() {
        let raw = json!({
            "pod": "default/batch-7", "schedulerName": "default-scheduler", "priority": 0, "verdict": "scheduled",
            "sentence": "2 of 4 nodes fit; c-1 scored highest.", "chosen": "c-1", "hosts": ["c-1"],
            "plugins": [{"name": "TaintToleration", "about": "taints", "weight": 3}, {"name": "NodeResourcesFit", "about": "room", "weight": 1}],
            "nodes": [
                {"name": "a-1", "verdict": "refused", "plugin": "NodeResourcesFit", "reasons": ["Insufficient cpu"], "words": "too little cpu"},
                {"name": "a-2", "verdict": "refused", "plugin": "TaintToleration", "reasons": ["node(s) had untolerated taint {dedicated: db}"], "words": "a taint"},
                {"name": "b-2", "verdict": "fits", "words": "fits", "scores": [300, 52], "total": 352},
                {"name": "c-1", "verdict": "fits", "words": "fits", "scores": [300, 71], "total": 371},
                {"name": "c-2", "verdict": "notExamined", "words": "not looked at"},
            ],
        });
        let why = read(
            "default/batch-7".into(),
            String::new(),
            vec![AttemptInfo::default()],
            3,
            &raw.to_string(),
        );
        assert_eq!(why.verdicts["c-1"].text, "371 · chosen");
        assert_eq!(why.verdicts["a-2"].text, "untolerated taint");
        assert!(!why.verdicts.contains_key("c-2"));
        assert_eq!(why.refused.len(), 2);
        let scores = why.scores.unwrap_or_default();
        assert_eq!(scores.nodes, ["c-1", "b-2"]);
        assert_eq!(scores.rows[0].plugin, "NodeResourcesFit");
    }

    #[test]
    fn a_refusal_fits_on_a_card() {
        for (reason, short) in [
            (
                "node(s) didn't match pod topology spread constraints",
                "topology spread",
            ),
            (
                "node(s) didn't match Pod's node affinity/selector",
                "node affinity/selector",
            ),
            ("node(s) didn't match pod anti-affinity rules", "anti-affinity"),
            ("node(s) were unschedulable", "unschedulable"),
            ("Insufficient cpu", "Insufficient cpu"),
        ] {
            assert_eq!(short_reason(reason), short);
        }
    }

    #[test]
    fn anything_at_all_is_read_without_a_panic() {
        for raw in ["", "[]", "{\"sentence\": 3}"] {
            assert!(
                read("p".into(), String::new(), vec![AttemptInfo::default()], 0, raw)
                    .sentence
                    .starts_with("The explanation cannot be read")
            );
        }
    }
}
