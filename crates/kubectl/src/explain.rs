//! `kubectl explain`: every field of a kind, with Podscope's own descriptions (KC-114).

mod custom;

use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, fields};
use podscope_cluster::Objects;

use super::Printed;

/// Note printed before every list of fields, because Podscope, unlike kubectl, does not describe all fields.
const DESCRIBED_FIELDS_NOTE: &str =
    "All fields are listed; described are those that decide where a pod runs and when it is gone.";

/// Prints the fields of a kind, or the field at a path below it. Only fields that affect where a pod runs or when it is
/// deleted have a description.
pub(super) fn explain(kind: Kind, path: &[String], recursive: bool, objects: &Objects, printed: &mut Printed) {
    if let Kind::Custom(_) = kind {
        return custom::explain(kind, path, recursive, objects, printed);
    }
    let Some(fields) = fields(kind, path) else {
        let unknown = path.last().map_or("", |name| name);
        print_header(kind, printed);
        return printed.fail(format!("error: field {unknown:?} does not exist"));
    };
    print_header(kind, printed);
    if let Some((last, above)) = path.split_last() {
        let siblings = podscope_api::fields(kind, above).unwrap_or_default();
        let field = siblings.into_iter().find(|field| field.name == *last);
        printed.out(format!(
            "FIELD: {last} <{}>",
            field.map_or_else(String::new, |field| field.type_name)
        ));
        if let Some(values) = allowed_values(kind, path) {
            printed.out("ENUM:");
            for value in values {
                printed.out(format!("    {value}"));
            }
        } else {
            printed.out("");
        }
        printed.out("");
    }
    printed.out("DESCRIPTION:");
    let text = match path {
        [] => kind_description(kind),
        path => field_key_and_description(kind, path).map_or("<empty>", |(_, text)| text),
    };
    for line in wrap_lines(text) {
        printed.out(format!("    {line}"));
    }
    if !fields.is_empty() {
        printed.out("");
        for line in wrap_lines(DESCRIBED_FIELDS_NOTE) {
            printed.out(format!("    {line}"));
        }
        printed.out("");
        printed.out("FIELDS:");
    }
    if recursive {
        return print_names_below(kind, path, 1, printed);
    }
    for field in &fields {
        let full: Vec<String> = path.iter().chain([&field.name]).cloned().collect();
        let described = field_key_and_description(kind, &full);
        let required = described.map_or("", |(required, _)| required);
        printed.out(format!("  {}\t<{}>{required}", field.name, field.type_name));
        if let Some(values) = allowed_values(kind, &full) {
            printed.out(format!("  enum: {}", values.join(", ")));
        }
        for line in described.into_iter().flat_map(|(_, text)| wrap_lines(text)) {
            printed.out(format!("    {line}"));
        }
        printed.out("");
    }
    if fields.is_empty() {
        printed.out("");
    }
}

/// Prints group, kind and version.
fn print_header(kind: Kind, printed: &mut Printed) {
    let (group, version) = kind.group_and_version();
    if !group.is_empty() {
        printed.out(format!("GROUP:      {group}"));
    }
    printed.out(format!("KIND:       {}", kind.name()));
    printed.out(format!("VERSION:    {version}"));
    printed.out("");
}

/// Returns the allowed values of an enum field, sorted; `None` for other fields.
fn allowed_values(kind: Kind, path: &[String]) -> Option<Vec<&'static str>> {
    let mut values: Vec<&str> = podscope_api::field_values(kind, path).to_vec();
    values.retain(|value| !matches!(*value, "true" | "false"));
    values.stable_sort();
    (!values.is_empty()).then_some(values)
}

/// Maximum depth of the fields that `--recursive` prints.
const MAX_PRINTED_DEPTH: usize = 16;

/// Prints name and type of all fields below a path (`--recursive`).
fn print_names_below(kind: Kind, path: &[String], level: usize, printed: &mut Printed) {
    for field in fields(kind, path).unwrap_or_default() {
        printed.out(format!("{}{}\t<{}>", "  ".repeat(level), field.name, field.type_name));
        if level < MAX_PRINTED_DEPTH {
            let full: Vec<String> = path.iter().chain([&field.name]).cloned().collect();
            print_names_below(kind, &full, level + 1, printed);
        }
    }
}

/// Returns Podscope's description of a field, if it has one.
pub fn field_description(kind: Kind, path: &[String]) -> Option<&'static str> {
    field_key_and_description(kind, path).map(|(_, text)| text)
}

/// Returns the marker (` -required-` or empty) and the description of a field. The fields of a pod template have the
/// descriptions of a pod's fields.
fn field_key_and_description(kind: Kind, path: &[String]) -> Option<(&'static str, &'static str)> {
    let (kind, path) = match path {
        [spec, template, rest @ ..] if spec == "spec" && template == "template" && !rest.is_empty() => {
            (Kind::Pod, rest)
        }
        path => (kind, path),
    };
    let dotted_path = path.join(".").replace("spec.initContainers.", "spec.containers.");
    let kind = match dotted_path.as_str() {
        "apiVersion" | "kind" | "metadata" | "spec" | "status" => Kind::Pod,
        _ => kind,
    };
    find_description(kind.name(), &dotted_path).or_else(|| {
        // The fields of a type that occurs in several places are described once, under the name of the type.
        let (field, above) = path.split_last()?;
        let (parent, further) = above.split_last()?;
        let siblings = fields(kind, further)?;
        let parent = siblings.iter().find(|one| one.name == *parent)?;
        find_description(parent.type_name.trim_start_matches("[]"), field)
    })
}

/// Looks up the line `OWNER FIELD: TEXT`, or `OWNER FIELD!: TEXT` for a required field. The owner is a kind or a type.
fn find_description(owner: &str, field: &str) -> Option<(&'static str, &'static str)> {
    FIELD_DESCRIPTIONS.lines().find_map(|line| {
        let rest = line.strip_prefix(owner)?.strip_prefix(' ')?.strip_prefix(field)?;
        match rest.strip_prefix("!: ") {
            Some(text) => Some((" -required-", text)),
            None => Some(("", rest.strip_prefix(": ")?)),
        }
    })
}

/// Capitalizes the first letter of a text.
pub(super) fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Breaks a text into lines of at most 76 characters.
fn wrap_lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut();
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 76 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn kind_description(kind: Kind) -> &'static str {
    match kind {
        Kind::Pod => {
            "Pod is a collection of containers that can run on a host. It is bound to a node once and never moves."
        }
        Kind::Node => "Node is a worker machine as the API knows it; the machine itself may be in another state.",
        Kind::Deployment => "Deployment enables declarative updates for Pods and ReplicaSets.",
        Kind::ReplicaSet => "ReplicaSet ensures that a specified number of pod replicas are running at any given time.",
        Kind::StatefulSet => {
            "StatefulSet represents a set of pods with consistent identities: at most one pod per identity."
        }
        Kind::DaemonSet => "DaemonSet runs one pod on every eligible node.",
        Kind::Job => "Job runs pods until a number of them have completed.",
        Kind::PodDisruptionBudget => {
            "PodDisruptionBudget bounds how many pods of an application voluntary disruptions may take down at once."
        }
        Kind::PriorityClass => {
            "PriorityClass maps a name to the integer priority of pods; the higher the value, the higher the priority."
        }
        Kind::Service => "Service is a name for a set of pods and a way to reach them.",
        Kind::PersistentVolume => "PersistentVolume is a piece of storage of the cluster.",
        Kind::PersistentVolumeClaim => "PersistentVolumeClaim is a pod's claim on a persistent volume.",
        kind if kind.is_only_stored() => {
            "An object of the Kubernetes API that Podscope stores and prints; nothing that is simulated acts on it."
        }
        _ => "An object of the Kubernetes API.",
    }
}

/// Descriptions of fields that affect where a pod runs or when it is deleted, one line each: kind, path (`!`:
/// required), text. Fields that every kind has are listed under `Pod`.
const FIELD_DESCRIPTIONS: &str = include_str!("explain.txt");
