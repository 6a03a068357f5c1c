//! Texts about the location of a node or volume, shared by several plugins.

use podscope_api::{NodeSelectorRequirement, PersistentVolume, SelectorOperator};

/// Returns the domain of a label value as text: `zone a`, `node n-1`, or `key=value`.
pub(super) fn domain_text(key: &str, value: &str) -> String {
    match domain_word(key) {
        Some(word) => format!("{word} {value}"),
        None => format!("{key}={value}"),
    }
}

/// Returns the node affinity of a volume as text: `is in zone a or b`.
pub(super) fn location_text(volume: &PersistentVolume) -> Option<String> {
    let required = volume.spec.node_affinity.as_ref()?.required.as_ref()?;
    let terms = required.node_selector_terms.iter().map(|term| {
        let rules: Vec<String> = term.match_expressions.iter().map(rule_text).collect();
        rules.join(" and ")
    });
    let terms: Vec<String> = terms.filter(|term| !term.is_empty()).collect();
    (!terms.is_empty()).then(|| terms.join(" or "))
}

fn rule_text(rule: &NodeSelectorRequirement) -> String {
    let values = rule.values.join(" or ");
    match (&rule.operator, domain_word(&rule.key)) {
        (SelectorOperator::In, Some("node")) => format!("is on node {values}"),
        (SelectorOperator::In, Some(word)) => format!("is in {word} {values}"),
        (SelectorOperator::In, None) => format!("is where {} is {values}", rule.key),
        (operator, _) => format!("is where {} {} {values}", rule.key, operator.as_str())
            .trim_end()
            .to_owned(),
    }
}

/// Returns the word for the domains of a well-known label. For zones and regions, the label may have a driver's own
/// prefix.
fn domain_word(key: &str) -> Option<&'static str> {
    match key.rsplit_once('/')? {
        ("kubernetes.io", "hostname") => Some("node"),
        (_, "zone") => Some("zone"),
        (_, "region") => Some("region"),
        _ => None,
    }
}
