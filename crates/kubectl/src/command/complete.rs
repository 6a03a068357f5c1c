//! Completion (K-03), from the same tables that parsing uses.

use podscope_api::Kind;
use podscope_api::ordered::StableSort as _;
use podscope_cluster::Objects;
use podscope_cluster::fault::FenceMechanism;

use super::fault::{Argument, CUTS, FAULTS, WAYS};
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

    fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
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
        let Some(fault) = FAULTS.iter().find(|fault| fault.name == verb) else {
            return;
        };
        if self.typed.starts_with('-') {
            for (flag, ..) in fault.flags {
                self.push(&format!("--{flag}"), "flag");
            }
            return;
        }
        match words.last().copied() {
            Some("--from") => self.words(CUTS.iter().map(|(word, _)| *word)),
            Some("--one-way") => {
                for (word, _, hint) in WAYS {
                    self.push(word, hint);
                }
            }
            Some("--by") => self.words(FenceMechanism::NAMES.iter().copied()),
            Some("--zone") => {
                for zone in zones(self.objects) {
                    self.push(&zone, "zone");
                }
            }
            _ => {
                let before = [""].into_iter().chain(words.iter().copied());
                // A word behind a flag is its value.
                let is_argument = |(before, word): &(&str, &&str)| !before.starts_with('-') && !word.starts_with('-');
                self.argument(fault.argument(before.zip(words).filter(is_argument).count()));
            }
        }
    }

    fn argument(&mut self, argument: Argument) {
        match argument {
            Argument::Node | Argument::Nodes => self.names(Kind::Node, "", "node"),
            Argument::Pod => self.pods(),
            Argument::Volume => self.names(Kind::PersistentVolume, "", "volume"),
            Argument::Word(words) => self.words(words.iter().copied()),
            Argument::New => {}
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
        ["app", "member"] => choices.words(["add", "remove"]),
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
