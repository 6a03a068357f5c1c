//! Roles and their bindings.

use podscope_api::Object;
use podscope_api::ordered::StableSort as _;
use serde_json::Value;

use super::super::text::Elastic;
use super::{annotations, bracketed, labels};

/// What a role allows of one resource, or of one path.
#[derive(Debug, Default, PartialEq)]
struct Rule {
    group: String,
    resource: String,
    path: String,
    name: String,
    verbs: Vec<String>,
}

fn words(value: &Value, field: &str) -> Vec<String> {
    let items = value.get(field).and_then(Value::as_array);
    let items = items.into_iter().flatten().filter_map(Value::as_str);
    items.map(str::to_owned).collect()
}

fn head(object: &Object, text: &mut Elastic) {
    let meta = object.metadata();
    text.line(0, &format!("Name:\t{}", meta.name));
    labels(text, "Labels", &meta.labels);
    annotations(text, "Annotations", &meta.annotations);
}

/// Role and ClusterRole: a line for each resource, whatever rules it stands in.
pub(super) fn role(object: &Object, text: &mut Elastic) {
    head(object, text);
    text.line(0, "PolicyRule:");
    text.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
    text.line(1, "---------\t-----------------\t--------------\t-----");
    let value = object.to_value();
    let given = value.get("rules").and_then(Value::as_array);
    let mut rules: Vec<Rule> = Vec::new();
    for rule in given.into_iter().flatten().flat_map(single_rules) {
        let same = |other: &&mut Rule| {
            (&other.group, &other.resource, &other.path, &other.name)
                == (&rule.group, &rule.resource, &rule.path, &rule.name)
        };
        match rules.iter_mut().find(same) {
            Some(known) => known.verbs.extend(rule.verbs),
            None => rules.push(rule),
        }
    }
    rules.stable_sort_by_key(|rule| {
        let (verbs, names) = (bracketed(&rule.verbs), one(&rule.name));
        (
            verbs,
            rule.group.clone(),
            rule.resource.clone(),
            names,
            rule.path.clone(),
        )
    });
    for rule in rules {
        let (resource, part) = rule.resource.split_once('/').unwrap_or((&rule.resource, ""));
        let group = if rule.group.is_empty() {
            String::new()
        } else {
            format!(".{}", rule.group)
        };
        let part = if part.is_empty() {
            String::new()
        } else {
            format!("/{part}")
        };
        text.line(
            1,
            &format!(
                "{resource}{group}{part}\t{}\t{}\t{}",
                one(&rule.path),
                one(&rule.name),
                bracketed(&rule.verbs)
            ),
        );
    }
}

fn one(word: &str) -> String {
    format!("[{word}]")
}

/// A rule as rules of one resource or path, one name and one verb each.
fn single_rules(rule: &Value) -> Vec<Rule> {
    let mut names = words(rule, "resourceNames");
    if names.is_empty() {
        names.push(String::new());
    }
    let (resources, verbs) = (words(rule, "resources"), words(rule, "verbs"));
    let mut found = Vec::new();
    for group in words(rule, "apiGroups") {
        for resource in &resources {
            for verb in &verbs {
                found.extend(names.iter().map(|name| Rule {
                    group: group.clone(),
                    resource: resource.clone(),
                    name: name.clone(),
                    verbs: vec![verb.clone()],
                    ..Rule::default()
                }));
            }
        }
    }
    for path in words(rule, "nonResourceURLs") {
        found.extend(verbs.iter().map(|verb| Rule {
            path: path.clone(),
            verbs: vec![verb.clone()],
            ..Rule::default()
        }));
    }
    found
}

/// RoleBinding and ClusterRoleBinding.
pub(super) fn binding(object: &Object, text: &mut Elastic) {
    head(object, text);
    let value = object.to_value();
    let word = |value: &Value, at: &str| value.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
    text.line(0, "Role:");
    text.line(1, &format!("Kind:\t{}", word(&value, "/roleRef/kind")));
    text.line(1, &format!("Name:\t{}", word(&value, "/roleRef/name")));
    text.line(0, "Subjects:");
    text.line(1, "Kind\tName\tNamespace");
    text.line(1, "----\t----\t---------");
    let subjects = value.get("subjects").and_then(Value::as_array);
    for subject in subjects.into_iter().flatten() {
        let [kind, name, namespace] = ["/kind", "/name", "/namespace"].map(|at| word(subject, at));
        text.line(1, &format!("{kind}\t{name}\t{namespace}"));
    }
}
