//! A decision as the page shows it, read from the scheduler's own explanation. The keys are
//! those of the decision cases (`conformance/README.md`); what a decision lacks is left out.

use std::collections::BTreeMap;

use podscope_session::protocol::AttemptInfo;
use serde_json::Value;

/// A decision: the sentence, the tables, the raw message.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Why {
    pub(crate) pod: String,
    pub(crate) attempts: Vec<AttemptInfo>,
    pub(crate) attempt: u64,
    /// What happened, for a beginner.
    pub(crate) sentence: String,
    /// Why, in a second sentence; may be empty.
    pub(crate) meaning: String,
    /// By node.
    pub(crate) verdicts: BTreeMap<String, Verdict>,
    /// Nodes that cannot take it: node, plugin, reasons.
    pub(crate) refused: Vec<(String, String, String)>,
    /// A plugin that refused before any node was looked at.
    pub(crate) pre_filter: Option<(String, String)>,
    pub(crate) scores: Option<Scores>,
    pub(crate) spread: Vec<Spread>,
    pub(crate) preemption: Option<Preemption>,
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
    /// Plugin, weight if known, score of each node; plugins that tell nodes apart first.
    pub(crate) rows: Vec<(String, Option<i64>, Vec<Option<i64>>)>,
    pub(crate) totals: Vec<i64>,
    /// How many nodes share the best total.
    pub(crate) tied: usize,
}

/// A spread constraint: pods by domain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Spread {
    pub(crate) key: String,
    pub(crate) max_skew: i64,
    pub(crate) hard: bool,
    pub(crate) domains: Vec<(String, i64)>,
}

/// How room was made, or why not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Preemption {
    pub(crate) not_eligible: String,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) nominated: String,
    pub(crate) criterion: String,
}

/// A node where room could be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Candidate {
    pub(crate) node: String,
    pub(crate) victims: Vec<String>,
    pub(crate) reprieved: Vec<String>,
    pub(crate) pdb_violations: i64,
}

fn text(value: &Value, keys: &[&str]) -> String {
    keys.iter()
        .find_map(|k| value.get(k).and_then(Value::as_str))
        .unwrap_or_default()
        .to_string()
}

fn list(value: Option<&Value>) -> Vec<String> {
    let one = |v: &Value| match v {
        Value::String(s) => Some(s.clone()),
        Value::Object(o) => o
            .get("key")
            .or_else(|| o.get("pod"))
            .or_else(|| o.get("name"))
            .and_then(Value::as_str)
            .map(str::to_string),
        _ => None,
    };
    value
        .and_then(Value::as_array)
        .map(|a| a.iter().filter_map(one).collect())
        .unwrap_or_default()
}

fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().map(|f| f as i64))
}

/// Objects as pairs, and arrays of objects with a `node` as pairs too.
fn by_node(value: Option<&Value>) -> Vec<(String, &Value)> {
    match value {
        Some(Value::Object(map)) => map.iter().map(|(k, v)| (k.clone(), v)).collect(),
        Some(Value::Array(rows)) => rows
            .iter()
            .map(|v| (text(v, &["node", "name"]), v))
            .filter(|(n, _)| !n.is_empty())
            .collect(),
        _ => Vec::new(),
    }
}

fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Reads an explanation.
pub(crate) fn read(pod: String, attempts: Vec<AttemptInfo>, attempt: u64, raw: &Value) -> Why {
    let mut why = Why {
        pod,
        attempts,
        attempt,
        message: text(raw, &["message"]),
        ..Why::default()
    };
    let feasible = list(raw.get("feasible"));
    let hosts = list(raw.get("hosts"));
    let mut chosen = text(raw, &["chosen", "host", "selected", "node"]);
    if chosen.is_empty() && hosts.len() == 1 {
        chosen.clone_from(&hosts[0]);
    }
    for (node, verdict) in by_node(raw.get("filter")) {
        let reasons = list(verdict.get("reasons")).join(", ");
        why.refused
            .push((node.clone(), text(verdict, &["plugin"]), reasons.clone()));
        why.verdicts.insert(
            node,
            Verdict {
                fits: false,
                chosen: false,
                text: short_reason(&reasons),
            },
        );
    }
    why.refused.sort();
    if let Some(pre) = raw.get("preFilter").filter(|p| p.is_object()) {
        why.pre_filter = Some((text(pre, &["plugin"]), list(pre.get("reasons")).join(", ")));
    }
    why.scores = scores(raw, &chosen);
    for node in &feasible {
        let total = why
            .scores
            .as_ref()
            .and_then(|s| s.nodes.iter().position(|n| n == node).and_then(|i| s.totals.get(i)));
        let is = *node == chosen;
        let text = match (total, is) {
            (Some(total), true) => format!("{total} · chosen"),
            (Some(total), false) => total.to_string(),
            (None, true) => "the only one · chosen".into(),
            (None, false) => "fits".into(),
        };
        why.verdicts.insert(
            node.clone(),
            Verdict {
                fits: true,
                chosen: is,
                text,
            },
        );
    }
    why.spread = by_constraint(raw);
    why.preemption = raw.get("preemption").and_then(preemption);
    why.sentence = text(raw, &["sentence"]);
    why.meaning = text(raw, &["meaning"]);
    if why.sentence.is_empty() {
        why.sentence = sentence(&why, feasible.len(), &chosen);
    }
    if why.meaning.is_empty() {
        why.meaning = meaning(&why, &chosen);
    }
    why
}

/// The reason without the words that every line would repeat.
fn short_reason(reason: &str) -> String {
    let reason = reason.split(", ").next().unwrap_or(reason);
    let reason = reason
        .strip_prefix("node(s) had ")
        .or_else(|| reason.strip_prefix("node(s) were "))
        .or_else(|| reason.strip_prefix("node(s) "))
        .unwrap_or(reason);
    match reason.split_once('{') {
        Some((head, _)) if head.len() > 3 => head.trim().to_string(),
        _ => reason.to_string(),
    }
}

fn scores(raw: &Value, chosen: &str) -> Option<Scores> {
    let per_node = by_node(raw.get("scores"));
    if per_node.is_empty() {
        return None;
    }
    let totals: BTreeMap<String, i64> = by_node(raw.get("totals"))
        .into_iter()
        .filter_map(|(n, v)| number(v).map(|v| (n, v)))
        .collect();
    let mut table: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
    for (node, plugins) in per_node {
        let plugins = plugins.get("plugins").unwrap_or(plugins);
        let row: BTreeMap<String, i64> = plugins
            .as_object()
            .map(|m| {
                m.iter()
                    .filter_map(|(p, v)| {
                        number(v)
                            .or_else(|| v.get("weighted").and_then(number))
                            .map(|v| (p.clone(), v))
                    })
                    .collect()
            })
            .unwrap_or_default();
        table.insert(node, row);
    }
    let total = |node: &str| {
        totals
            .get(node)
            .copied()
            .unwrap_or_else(|| table.get(node).map_or(0, |r| r.values().sum()))
    };
    let mut nodes: Vec<String> = table.keys().cloned().collect();
    nodes.sort_by_key(|n| (-total(n), n != chosen, n.clone()));
    let best = nodes.first().map_or(0, |n| total(n));
    let tied = nodes.iter().filter(|n| total(n) == best).count();
    let mut plugins: Vec<String> = table.values().flat_map(|r| r.keys().cloned()).collect();
    plugins.sort();
    plugins.dedup();
    let weights = raw
        .get("weights")
        .or_else(|| raw.get("config").and_then(|c| c.get("weights")));
    let mut rows: Vec<(String, Option<i64>, Vec<Option<i64>>)> = plugins
        .into_iter()
        .map(|p| {
            let cells = nodes
                .iter()
                .map(|n| table.get(n).and_then(|r| r.get(&p)).copied())
                .collect();
            (p.clone(), weights.and_then(|w| w.get(&p)).and_then(number), cells)
        })
        .collect();
    let range =
        |cells: &[Option<i64>]| cells.iter().flatten().max().unwrap_or(&0) - cells.iter().flatten().min().unwrap_or(&0);
    rows.sort_by_key(|(name, _, cells)| (-range(cells), name.clone()));
    let totals = nodes.iter().map(|n| total(n)).collect();
    Some(Scores {
        nodes,
        rows,
        totals,
        tied,
    })
}

fn by_constraint(raw: &Value) -> Vec<Spread> {
    let rows = raw.get("spread").and_then(Value::as_array).cloned().unwrap_or_default();
    rows.iter()
        .map(|c| Spread {
            key: text(c, &["topologyKey", "key"]),
            max_skew: c.get("maxSkew").and_then(number).unwrap_or(1),
            hard: text(c, &["whenUnsatisfiable"]) != "ScheduleAnyway",
            domains: by_domain(c.get("domains").or_else(|| c.get("counts"))),
        })
        .collect()
}

fn by_domain(value: Option<&Value>) -> Vec<(String, i64)> {
    match value {
        Some(Value::Object(map)) => map
            .iter()
            .filter_map(|(k, v)| number(v).map(|v| (k.clone(), v)))
            .collect(),
        Some(Value::Array(rows)) => rows
            .iter()
            .filter_map(|r| {
                let count = r
                    .get("count")
                    .or_else(|| r.get("pods"))
                    .or_else(|| r.get(1))
                    .and_then(number)?;
                let name = r
                    .get("domain")
                    .or_else(|| r.get("value"))
                    .or_else(|| r.get(0))
                    .and_then(Value::as_str)?;
                Some((name.to_string(), count))
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn preemption(raw: &Value) -> Option<Preemption> {
    let candidates: Vec<Candidate> = by_node(raw.get("candidates"))
        .into_iter()
        .map(|(node, c)| Candidate {
            node,
            victims: list(c.get("victims")),
            reprieved: list(c.get("reprieved")),
            pdb_violations: c.get("pdbViolations").and_then(number).unwrap_or(0),
        })
        .collect();
    let nominated = match raw.get("nominated") {
        Some(Value::String(node)) => node.clone(),
        other => list(other).join(", "),
    };
    let all = Preemption {
        not_eligible: text(raw, &["notEligible"]),
        candidates,
        nominated: if text(raw, &["chosen"]).is_empty() {
            nominated
        } else {
            text(raw, &["chosen"])
        },
        criterion: text(raw, &["criterion", "decidedBy"]),
    };
    (all != Preemption::default()).then_some(all)
}

fn sentence(why: &Why, fit: usize, chosen: &str) -> String {
    let all = fit + why.refused.len();
    if let Some((plugin, reason)) = &why.pre_filter {
        return format!("{plugin} refused before any node was looked at: {reason}.");
    }
    if let Some(p) = why.preemption.as_ref().filter(|p| !p.nominated.is_empty()) {
        let victims = p
            .candidates
            .iter()
            .find(|c| c.node == p.nominated)
            .map_or(0, |c| c.victims.len());
        return format!(
            "No node has room. {} must leave {} to make some.",
            plural(victims, "pod", "pods"),
            p.nominated
        );
    }
    match (fit, chosen.is_empty()) {
        (0, _) if all == 0 => "No node was looked at.".into(),
        (0, _) => format!("None of {} can take it.", plural(all, "node", "nodes")),
        (1, false) => format!("Only {chosen} can take it, of {}.", plural(all, "node", "nodes")),
        (n, false) => match why.scores.as_ref().map(|s| s.tied) {
            Some(tied) if tied > 1 => {
                format!("{n} of {all} nodes fit; {tied} scored the same, and {chosen} was drawn.")
            }
            _ => format!("{n} of {all} nodes fit; {chosen} scored highest."),
        },
        (n, true) => format!("{n} of {all} nodes fit."),
    }
}

fn meaning(why: &Why, chosen: &str) -> String {
    if let Some(p) = &why.preemption {
        if !p.not_eligible.is_empty() {
            return format!("It takes no one's place: {}.", p.not_eligible);
        }
        if !p.criterion.is_empty() {
            return format!("That node was taken because of: {}.", p.criterion);
        }
    }
    let Some(s) = why
        .scores
        .as_ref()
        .filter(|s| s.nodes.len() > 1 && s.tied == 1 && s.nodes.first().is_some_and(|n| n == chosen))
    else {
        return String::new();
    };
    // What set the winner apart from the second.
    let best = s
        .rows
        .iter()
        .filter_map(|(p, _, cells)| Some((cells.first()?.unwrap_or(0) - cells.get(1)?.unwrap_or(0), p)))
        .filter(|(d, _)| *d > 0)
        .max_by_key(|(d, _)| *d);
    best.map(|(by, plugin)| format!("What set it apart from {}: {} (+{by}).", s.nodes[1], in_words(plugin)))
        .unwrap_or_default()
}

/// What a plugin prefers, in words.
pub(crate) fn in_words(plugin: &str) -> String {
    match plugin {
        "NodeResourcesFit" => "more free room",
        "NodeResourcesBalancedAllocation" => "cpu and memory in better balance",
        "PodTopologySpread" => "fewer of its kind in that domain",
        "InterPodAffinity" => "the company it asked for",
        "NodeAffinity" => "labels it prefers",
        "TaintToleration" => "fewer taints that would rather not have it",
        "ImageLocality" => "its image is already there",
        other => other,
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// S-14, U-04: sentence, verdicts, table of a decision with scores.
    #[test]
    fn a_decision_between_two_nodes_reads_as_a_sentence_and_a_table() {
        let raw = json!({
            "filter": {"a-1": {"plugin": "NodeResourcesFit", "code": "Unschedulable", "reasons": ["Insufficient cpu"]},
                       "a-2": {"plugin": "TaintToleration", "reasons": ["node(s) had untolerated taint {dedicated: db}"]}},
            "feasible": ["b-2", "c-1"],
            "scores": {"b-2": {"TaintToleration": 300, "NodeResourcesFit": 52}, "c-1": {"TaintToleration": 300, "NodeResourcesFit": 71}},
            "totals": {"b-2": 352, "c-1": 371},
            "hosts": ["c-1"],
        });
        let why = read("default/batch-7".into(), vec![], 3, &raw);
        assert_eq!(why.sentence, "2 of 4 nodes fit; c-1 scored highest.");
        assert_eq!(why.meaning, "What set it apart from b-2: more free room (+19).");
        assert_eq!(why.verdicts["c-1"].text, "371 · chosen");
        assert_eq!(why.verdicts["a-2"].text, "untolerated taint");
        let scores = why.scores.unwrap_or_default();
        assert_eq!(scores.nodes, ["c-1", "b-2"]);
        assert_eq!(scores.rows[0].0, "NodeResourcesFit");
    }

    #[test]
    fn a_preemption_names_its_victims() {
        let raw = json!({
            "filter": {"a-1": {"plugin": "NodeResourcesFit", "reasons": ["Insufficient cpu"]}},
            "feasible": [], "hosts": [],
            "preemption": {"candidates": {"a-1": {"victims": ["default/low-1"], "pdbViolations": 0}}, "nominated": ["a-1"]},
            "message": "0/1 nodes are available",
        });
        let why = read("default/high".into(), vec![], 1, &raw);
        assert_eq!(why.sentence, "No node has room. 1 pod must leave a-1 to make some.");
        assert_eq!(
            why.preemption.unwrap_or_default().candidates[0].victims,
            ["default/low-1"]
        );
    }

    #[test]
    fn anything_at_all_is_read_without_a_panic() {
        for raw in [
            json!(null),
            json!([]),
            json!({"filter": 3, "scores": [1], "preemption": "x", "spread": {"a": 1}}),
            json!({"feasible": ["a"], "totals": {"a": "x"}}),
        ] {
            read("p".into(), vec![], 0, &raw);
        }
    }
}
