//! `kubectl describe` of roles and role bindings.

use podscope_api::Object;
use podscope_api::ordered::StableSort as _;
use serde_json::Value;

use super::super::text::TabbedText;
use super::{bracketed, print_annotations, print_labels};

/// The verbs that a role allows for one resource or one non-resource path.
#[derive(Debug, Default, PartialEq)]
struct DescribedRule {
    group: String,
    resource: String,
    path: String,
    name: String,
    verbs: Vec<String>,
}

/// Returns the strings of a list field.
fn string_list(value: &Value, field: &str) -> Vec<String> {
    let items = value.get(field).and_then(Value::as_array);
    let items = items.into_iter().flatten().filter_map(Value::as_str);
    items.map(str::to_owned).collect()
}

/// Prints name, labels and annotations.
fn print_header(object: &Object, text: &mut TabbedText) {
    let meta = object.metadata();
    text.line(0, &format!("Name:\t{}", meta.name));
    print_labels(text, "Labels", &meta.labels);
    print_annotations(text, "Annotations", &meta.annotations);
}

/// Prints a Role or ClusterRole: one line per resource, with the verbs of all rules that contain it.
pub(super) fn describe_role(object: &Object, text: &mut TabbedText) {
    print_header(object, text);
    text.line(0, "PolicyRule:");
    text.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
    text.line(1, "---------\t-----------------\t--------------\t-----");
    let value = object.to_value();
    let stored_rules = value.get("rules").and_then(Value::as_array);
    let mut rules: Vec<DescribedRule> = Vec::new();
    for rule in stored_rules.into_iter().flatten().flat_map(split_into_single_rules) {
        let same = |other: &&mut DescribedRule| {
            (&other.group, &other.resource, &other.path, &other.name)
                == (&rule.group, &rule.resource, &rule.path, &rule.name)
        };
        match rules.iter_mut().find(same) {
            Some(known) => known.verbs.extend(rule.verbs),
            None => rules.push(rule),
        }
    }
    rules.stable_sort_by_key(|rule| {
        let (verbs, names) = (bracketed(&rule.verbs), bracketed_name(&rule.name));
        (
            verbs,
            rule.group.clone(),
            rule.resource.clone(),
            names,
            rule.path.clone(),
        )
    });
    for rule in rules {
        let (resource, subresource) = rule.resource.split_once('/').unwrap_or((&rule.resource, ""));
        let group = if rule.group.is_empty() {
            String::new()
        } else {
            format!(".{}", rule.group)
        };
        let subresource = if subresource.is_empty() {
            String::new()
        } else {
            format!("/{subresource}")
        };
        text.line(
            1,
            &format!(
                "{resource}{group}{subresource}\t{}\t{}\t{}",
                bracketed_name(&rule.path),
                bracketed_name(&rule.name),
                bracketed(&rule.verbs)
            ),
        );
    }
}

/// Returns a name in brackets, or `[]` if it is empty.
fn bracketed_name(name: &str) -> String {
    format!("[{name}]")
}

/// Splits a rule into rules that each have one resource or path, at most one resource name, and one verb.
fn split_into_single_rules(rule: &Value) -> Vec<DescribedRule> {
    let mut names = string_list(rule, "resourceNames");
    if names.is_empty() {
        names.push(String::new());
    }
    let (resources, verbs) = (string_list(rule, "resources"), string_list(rule, "verbs"));
    let mut found = Vec::new();
    for group in string_list(rule, "apiGroups") {
        for resource in &resources {
            for verb in &verbs {
                found.extend(names.iter().map(|name| DescribedRule {
                    group: group.clone(),
                    resource: resource.clone(),
                    name: name.clone(),
                    verbs: vec![verb.clone()],
                    ..DescribedRule::default()
                }));
            }
        }
    }
    for path in string_list(rule, "nonResourceURLs") {
        found.extend(verbs.iter().map(|verb| DescribedRule {
            path: path.clone(),
            verbs: vec![verb.clone()],
            ..DescribedRule::default()
        }));
    }
    found
}

/// Prints a RoleBinding or ClusterRoleBinding: the role and its subjects.
pub(super) fn describe_binding(object: &Object, text: &mut TabbedText) {
    print_header(object, text);
    let value = object.to_value();
    let field = |value: &Value, at: &str| value.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
    text.line(0, "Role:");
    text.line(1, &format!("Kind:\t{}", field(&value, "/roleRef/kind")));
    text.line(1, &format!("Name:\t{}", field(&value, "/roleRef/name")));
    text.line(0, "Subjects:");
    text.line(1, "Kind\tName\tNamespace");
    text.line(1, "----\t----\t---------");
    let subjects = value.get("subjects").and_then(Value::as_array);
    for subject in subjects.into_iter().flatten() {
        let [kind, name, namespace] = ["/kind", "/name", "/namespace"].map(|at| field(subject, at));
        text.line(1, &format!("{kind}\t{name}\t{namespace}"));
    }
}
