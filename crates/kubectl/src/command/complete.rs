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

/// The choices for a word, as they are found.
struct Choices<'a> {
    /// What of the word is there.
    typed: &'a str,
    objects: &'a Objects,
    found: Vec<(String, String)>,
}

impl Choices<'_> {
    fn push(&mut self, text: &str, hint: &str) {
        self.found.push((text.to_owned(), hint.to_owned()));
    }

    fn words(&mut self, words: &[&str]) {
        for word in words {
            self.push(word, "");
        }
    }

    /// The objects of a kind.
    fn names(&mut self, kind: Kind, namespace: &str, hint: &str) {
        for name in names(self.objects, kind, namespace) {
            self.push(&name, hint);
        }
    }

    fn programs(&mut self) {
        self.push("kubectl", "API work");
        self.push("fault", "break or repair the outside world");
        self.push("app", "membership of an application group");
        self.push("stop", "end a command that still runs");
        self.push("help", "what there is");
    }

    fn verbs(&mut self) {
        let mut last = "";
        for verb in VERBS {
            let first = verb.name.split(' ').next().unwrap_or_default();
            if first != last {
                self.push(first, if verb.name.contains(' ') { "" } else { verb.summary });
            }
            last = first;
        }
    }

    /// The verbs of a group.
    fn group(&mut self, group: &str) {
        for verb in VERBS {
            if let Some(sub) = verb.name.strip_prefix(group).and_then(|rest| rest.strip_prefix(' ')) {
                self.push(sub, verb.summary);
            }
        }
    }

    /// What may come behind some words of `kubectl`.
    fn kubectl(&mut self, words: &[&str]) {
        let verb = VERBS.iter().find(|verb| {
            let mut parts = verb.name.split(' ');
            parts.next() == words.first().copied() && parts.next().is_none_or(|sub| words.get(1) == Some(&sub))
        });
        let Some(verb) = verb else {
            return;
        };
        let named = words
            .iter()
            .skip(verb.name.split(' ').count())
            .find(|word| !word.starts_with('-'));
        let is_namespace = |flag: &str| matches!(flag, "-n" | "--namespace");
        let namespace = words
            .iter()
            .zip(words.iter().skip(1))
            .find(|(flag, _)| is_namespace(flag))
            .map_or("default", |(_, value)| *value);
        if words.last().is_some_and(|last| is_namespace(last)) {
            self.names(Kind::Namespace, "", "namespace");
        } else if self.typed.starts_with('-') {
            for (long, _, _) in verb.flags {
                self.push(&format!("--{long}"), "flag");
            }
        } else if let Some((kind_text, _)) = self.typed.split_once('/') {
            if let Some(kind) = Kind::from_resource_name(kind_text) {
                for name in names(self.objects, kind, namespace) {
                    self.push(&format!("{kind_text}/{name}"), kind.name());
                }
            }
        } else if matches!(verb.name, "drain" | "cordon" | "uncordon") {
            self.names(Kind::Node, "", "node");
        } else if verb.name == "logs" {
            self.names(Kind::Pod, namespace, "pod");
        } else if let Some(named) = named {
            if let Some(kind) = Kind::from_resource_name(named) {
                self.names(kind, namespace, kind.singular());
            }
        } else {
            for kind in Kind::ALL {
                self.push(kind.plural(), kind.name());
            }
        }
    }

    fn faults(&mut self) {
        for fault in FAULTS {
            self.push(fault.name, &format!("{}: {}", fault.form, fault.what));
        }
    }

    /// What may come behind the words of a fault.
    fn fault(&mut self, verb: &str, words: &[&str]) {
        if self.typed.starts_with('-') {
            for flag in FAULTS
                .iter()
                .filter(|fault| fault.name == verb)
                .flat_map(|fault| fault.form.split(|c: char| !(c == '-' || c.is_ascii_alphanumeric())))
                .filter(|word| word.starts_with("--"))
            {
                self.push(flag, "flag");
            }
            return;
        }
        match (verb, words.last().copied()) {
            (_, Some("--from")) => self.words(&["control-plane", "nodes", "storage"]),
            (_, Some("--one-way")) => {
                self.push("in", "lose what goes to the node");
                self.push("out", "lose what comes from the node");
            }
            (_, Some("--by")) => self.words(&["power", "storage", "network"]),
            (_, Some("--zone")) => {
                for zone in zones(self.objects) {
                    self.push(&zone, "zone");
                }
            }
            ("crash" | "restart", None) => {
                self.words(&["kubelet", "runtime", "scheduler", "controller-manager", "apiserver"]);
            }
            ("second", _) => self.words(&["controller-manager", "scheduler"]),
            ("etcd", _) => self.words(&["down", "up"]),
            ("exit" | "sandbox", None) => self.pods(),
            ("detach", _) => self.names(Kind::PersistentVolume, "", "volume"),
            ("join", _) => {}
            _ => self.names(Kind::Node, "", "node"),
        }
    }

    /// The pods of all namespaces.
    fn pods(&mut self) {
        for object in self.objects.list_kind(Kind::Pod) {
            let key = object.key();
            if &*key.namespace == "default" {
                self.push(&key.name, "pod");
            } else {
                self.push(&key.to_string(), "pod");
            }
        }
    }
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
    let mut choices = Choices {
        typed,
        objects,
        found: Vec::new(),
    };
    match words.as_slice() {
        [] => choices.programs(),
        ["kubectl"] => choices.verbs(),
        ["kubectl", group] if *group != "create" && is_group(group) => choices.group(group),
        ["kubectl", rest @ ..] => choices.kubectl(rest),
        ["fault"] => choices.faults(),
        ["fault", verb, rest @ ..] => choices.fault(verb, rest),
        ["stop"] => choices.push("--all", "every command that still runs"),
        ["app"] => choices.push("member", "add or remove a member"),
        ["app", "member"] => choices.words(&["add", "remove"]),
        _ => {}
    }
    let choices = choices
        .found
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
