//! Completion and help (K-03), from the same tables that parsing uses.

use podscope_api::Kind;
use podscope_api::ordered::StableSort as _;
use podscope_cluster::Objects;

use super::fault::FAULTS;
use super::parse::VERBS;

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// What it is.
    pub hint: String,
}

/// Completes a line at a cursor (bytes): the byte range to replace, and the choices.
pub fn complete(line: &str, cursor: usize, objects: &Objects) -> ((usize, usize), Vec<Completion>) {
    let mut cursor = cursor.min(line.len());
    while !line.is_char_boundary(cursor) {
        cursor -= 1;
    }
    let before = line.get(..cursor).unwrap_or_default();
    let start = before.rfind(char::is_whitespace).map_or(0, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let typed = before.get(start..).unwrap_or_default();
    let mut words: Vec<&str> = before.get(..start).unwrap_or_default().split_whitespace().collect();
    if let Some(program) = words.first_mut().filter(|program| **program == "k") {
        *program = "kubectl";
    }
    let mut choices: Vec<(String, String)> = Vec::new();
    let mut push = |text: &str, hint: &str| choices.push((text.to_owned(), hint.to_owned()));
    match words.as_slice() {
        [] => {
            push("kubectl", "API work");
            push("fault", "break or repair the outside world");
            push("app", "membership of an application group");
            push("stop", "end a command that still runs");
            push("help", "what there is");
        }
        ["kubectl"] => {
            let mut last = "";
            for verb in VERBS {
                let first = verb.name.split(' ').next().unwrap_or_default();
                if first != last {
                    push(first, if verb.name.contains(' ') { "" } else { verb.summary });
                }
                last = first;
            }
        }
        ["kubectl", group] if *group != "create" && is_group(group) => {
            for verb in VERBS {
                if let Some(sub) = verb.name.strip_prefix(group).and_then(|rest| rest.strip_prefix(' ')) {
                    push(sub, verb.summary);
                }
            }
        }
        ["kubectl", rest @ ..] => {
            let verb = VERBS.iter().find(|verb| {
                let mut parts = verb.name.split(' ');
                parts.next() == rest.first().copied() && parts.next().is_none_or(|sub| rest.get(1) == Some(&sub))
            });
            let Some(verb) = verb else {
                return ((start, cursor), Vec::new());
            };
            let positional: Vec<&str> = rest
                .iter()
                .skip(verb.name.split(' ').count())
                .copied()
                .filter(|word| !word.starts_with('-'))
                .collect();
            let namespace = rest
                .iter()
                .zip(rest.iter().skip(1))
                .find(|(flag, _)| matches!(**flag, "-n" | "--namespace"))
                .map_or("default", |(_, value)| *value);
            if words.last().is_some_and(|last| matches!(*last, "-n" | "--namespace")) {
                for name in names(objects, Kind::Namespace, "") {
                    push(&name, "namespace");
                }
            } else if typed.starts_with('-') {
                for (long, _, _) in verb.flags {
                    push(&format!("--{long}"), "flag");
                }
            } else if let Some((kind_text, _)) = typed.split_once('/') {
                if let Some(kind) = Kind::from_resource_name(kind_text) {
                    for name in names(objects, kind, namespace) {
                        push(&format!("{kind_text}/{name}"), kind.name());
                    }
                }
            } else if matches!(verb.name, "drain" | "cordon" | "uncordon") {
                for name in names(objects, Kind::Node, "") {
                    push(&name, "node");
                }
            } else if verb.name == "logs" {
                for name in names(objects, Kind::Pod, namespace) {
                    push(&name, "pod");
                }
            } else if positional.is_empty() {
                for kind in Kind::ALL {
                    push(kind.plural(), kind.name());
                }
            } else if let Some(kind) = positional.first().and_then(|name| Kind::from_resource_name(name)) {
                for name in names(objects, kind, namespace) {
                    push(&name, kind.singular());
                }
            }
        }
        ["fault"] => {
            for fault in FAULTS {
                push(fault.name, &format!("{}: {}", fault.form, fault.what));
            }
        }
        ["fault", verb, rest @ ..] => {
            if typed.starts_with('-') {
                for flag in FAULTS
                    .iter()
                    .filter(|fault| fault.name == *verb)
                    .flat_map(|fault| fault.form.split(|c: char| !(c == '-' || c.is_ascii_alphanumeric())))
                    .filter(|word| word.starts_with("--"))
                {
                    push(flag, "flag");
                }
            } else if rest.last() == Some(&"--from") {
                for place in ["control-plane", "nodes", "storage"] {
                    push(place, "");
                }
            } else if rest.last() == Some(&"--one-way") {
                push("in", "lose what goes to the node");
                push("out", "lose what comes from the node");
            } else if rest.last() == Some(&"--by") {
                for mechanism in ["power", "storage", "network"] {
                    push(mechanism, "");
                }
            } else if rest.last() == Some(&"--zone") {
                for zone in zones(objects) {
                    push(&zone, "zone");
                }
            } else if matches!(*verb, "crash" | "restart") && rest.is_empty() {
                for process in ["kubelet", "runtime", "scheduler", "controller-manager", "apiserver"] {
                    push(process, "");
                }
            } else if *verb == "second" {
                push("controller-manager", "");
                push("scheduler", "");
            } else if *verb == "etcd" {
                push("down", "");
                push("up", "");
            } else if matches!(*verb, "exit" | "sandbox") && rest.is_empty() {
                for object in objects.list_kind(Kind::Pod) {
                    let key = object.key();
                    if &*key.namespace == "default" {
                        push(&key.name, "pod");
                    } else {
                        push(&key.to_string(), "pod");
                    }
                }
            } else if *verb == "detach" {
                for name in names(objects, Kind::PersistentVolume, "") {
                    push(&name, "volume");
                }
            } else if *verb != "join" {
                for name in names(objects, Kind::Node, "") {
                    push(&name, "node");
                }
            }
        }
        ["stop"] => push("--all", "every command that still runs"),
        ["app"] => push("member", "add or remove a member"),
        ["app", "member"] => {
            push("add", "");
            push("remove", "");
        }
        _ => {}
    }
    let choices = choices
        .into_iter()
        .filter(|(text, _)| text.starts_with(typed) && !text.is_empty())
        .take(200)
        .map(|(text, hint)| Completion { text, hint })
        .collect();
    ((start, cursor), choices)
}

/// Whether a verb has sub-commands.
fn is_group(name: &str) -> bool {
    VERBS
        .iter()
        .any(|verb| verb.name.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))
}

fn names(objects: &Objects, kind: Kind, namespace: &str) -> Vec<String> {
    objects
        .list_kind(kind)
        .iter()
        .filter(|object| !kind.is_namespaced() || &*object.metadata().namespace == namespace)
        .map(|object| object.metadata().name.to_string())
        .collect()
}

fn zones(objects: &Objects) -> Vec<String> {
    let mut zones: Vec<String> = objects
        .list::<podscope_api::Node>()
        .filter_map(|node| node.metadata.label("topology.kubernetes.io/zone").map(str::to_owned))
        .collect();
    zones.stable_sort();
    zones.dedup();
    zones
}
