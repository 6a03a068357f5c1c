//! Where a node or a volume is, in words, as several plugins say it.

use podscope_api::{NodeSelectorRequirement, PersistentVolume, SelectorOperator};

/// The place that a label names: `zone a`, `node n-1`, or the label itself.
pub(super) fn place(key: &str, value: &str) -> String {
    match word_of(key) {
        Some(word) => format!("{word} {value}"),
        None => format!("{key}={value}"),
    }
}

/// Where a volume can be reached, as its node affinity says: `is in zone a or b`.
pub(super) fn place_of(volume: &PersistentVolume) -> Option<String> {
    let required = volume.spec.node_affinity.as_ref()?.required.as_ref()?;
    let terms = required.node_selector_terms.iter().map(|term| {
        let rules: Vec<String> = term.match_expressions.iter().map(rule).collect();
        rules.join(" and ")
    });
    let terms: Vec<String> = terms.filter(|term| !term.is_empty()).collect();
    (!terms.is_empty()).then(|| terms.join(" or "))
}

fn rule(rule: &NodeSelectorRequirement) -> String {
    let values = rule.values.join(" or ");
    match (&rule.operator, word_of(&rule.key)) {
        (SelectorOperator::In, Some("node")) => format!("is on node {values}"),
        (SelectorOperator::In, Some(word)) => format!("is in {word} {values}"),
        (SelectorOperator::In, None) => format!("is where {} is {values}", rule.key),
        (operator, _) => format!("is where {} {} {values}", rule.key, operator.as_str())
            .trim_end()
            .to_owned(),
    }
}

/// What people call the domains of a well-known label, a driver's own among them.
fn word_of(key: &str) -> Option<&'static str> {
    match key.rsplit_once('/')? {
        ("kubernetes.io", "hostname") => Some("node"),
        (_, "zone") => Some("zone"),
        (_, "region") => Some("region"),
        _ => None,
    }
}
