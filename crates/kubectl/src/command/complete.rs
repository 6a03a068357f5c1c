//! Completion of command lines, from the same tables that the parser uses (K-03).

use podscope_api::fault::{CutFrom, FenceMechanism};
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::label;
use podscope_api::{Kind, ResourceSlice};
use podscope_cluster::Objects;

use super::app::TRAFFIC_FLAGS;
use super::fault::{FAULTS, FaultArgument, PARTITION_CUTS, PARTITION_DIRECTIONS};
use super::parse::VERBS;
use super::pipe::PROGRAMS;

mod values;

use values::{PartialCommand, flag_value_in_words, positionals};

/// A candidate for the completion of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// Description of the candidate.
    pub hint: String,
}

/// Collects the completion candidates for a word of a command line.
struct Candidates<'a> {
    /// The part of the word before the cursor.
    typed: &'a str,
    objects: &'a Objects,
    found: Vec<(String, String)>,
}

impl Candidates<'_> {
    fn push(&mut self, text: &str, hint: &str) {
        self.found.push((text.to_owned(), hint.to_owned()));
    }

    fn add_words<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
        for word in words {
            self.push(word, "");
        }
    }

    /// Adds the names of the objects of a kind in a namespace; `hint` describes each candidate.
    fn add_names(&mut self, kind: Kind, namespace: &str, hint: &str) {
        for name in object_names(self.objects, kind, namespace) {
            self.push(&name, hint);
        }
    }

    fn add_programs(&mut self) {
        self.push("kubectl", "API work");
        self.push("fault", "break or repair the outside world");
        self.push("app", "requests of clients; membership of an application group");
        self.push("stop", "end a command that still runs");
        self.push("help", "what there is");
    }

    fn add_verbs(&mut self) {
        let mut last = "";
        for verb in VERBS {
            let first = verb.name.split(' ').next().unwrap_or_default();
            if first != last {
                self.push(first, if verb.name.contains(' ') { "" } else { verb.summary });
            }
            last = first;
        }
    }

    /// Adds the sub-commands of a command group such as `rollout`.
    fn add_sub_commands(&mut self, group: &str) {
        for verb in VERBS {
            if let Some(sub) = verb.name.strip_prefix(group).and_then(|rest| rest.strip_prefix(' ')) {
                self.push(sub, verb.summary);
            }
        }
    }

    /// Adds the candidates for the next word of a `kubectl` command.
    fn add_for_kubectl(&mut self, words: &[&str]) {
        let verb = VERBS.iter().find(|verb| {
            let mut parts = verb.name.split(' ');
            parts.next() == words.first().copied() && parts.next().is_none_or(|sub| words.get(1) == Some(&sub))
        });
        let Some(verb) = verb else {
            return;
        };
        let words = words.get(verb.name.split(' ').count()..).unwrap_or_default();
        let partial = PartialCommand {
            verb,
            namespace: flag_value_in_words(verb, words, "namespace").unwrap_or("default"),
            positionals: positionals(verb, words),
        };
        if self.add_if_flag_value(&partial, words.last().copied()) {
            return;
        }
        if self.typed.starts_with('-') {
            for (long, _, _) in verb.flags {
                self.push(&format!("--{long}"), "flag");
            }
        } else if verb.name == "explain" {
            self.add_field_paths();
        } else if verb.name == "set image" && partial.kind().is_some() && partial.names_object() {
            self.add_container_assignments(&partial);
        } else if let Some((kind_text, _)) = self.typed.split_once('/') {
            if let Some(kind) = Kind::from_resource_name(kind_text) {
                for name in object_names(self.objects, kind, partial.namespace) {
                    self.push(&format!("{kind_text}/{name}"), kind.name());
                }
            }
        } else if matches!(verb.name, "drain" | "cordon" | "uncordon") {
            self.add_names(Kind::Node, "", "node");
        } else if verb.name == "logs" {
            self.add_names(Kind::Pod, partial.namespace, "pod");
        } else if !partial.positionals.is_empty() {
            if let Some(kind) = partial.kind() {
                self.add_names(kind, partial.namespace, kind.singular());
            }
        } else {
            self.add_kinds();
        }
    }

    fn add_kinds(&mut self) {
        for kind in Kind::ALL {
            self.push(kind.plural(), kind.name());
        }
    }

    fn add_faults(&mut self) {
        for fault in FAULTS {
            self.push(fault.name, &format!("{}: {}", fault.usage, fault.description));
        }
    }

    /// Adds the candidates for the next word of a `fault` command.
    fn add_for_fault(&mut self, verb: &str, words: &[&str]) {
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
            Some("--from") => self.add_words(PARTITION_CUTS.iter().map(CutFrom::as_str)),
            Some("--one-way") => {
                for (way, hint) in PARTITION_DIRECTIONS {
                    self.push(way.as_str(), hint);
                }
            }
            Some("--by") => self.add_words(FenceMechanism::NAMES.iter().copied()),
            Some("--zone") => {
                for zone in zone_names(self.objects) {
                    self.push(&zone, "zone");
                }
            }
            _ => {
                let before = [""].into_iter().chain(words.iter().copied());
                // A word after a flag is the flag's value, not an argument.
                let is_argument = |(before, word): &(&str, &&str)| !before.starts_with('-') && !word.starts_with('-');
                let given: Vec<&str> = before.zip(words).filter(is_argument).map(|(_, word)| *word).collect();
                self.add_fault_argument(fault.argument(given.len()), given.last().copied());
            }
        }
    }

    /// Adds the devices that a node publishes.
    fn add_devices(&mut self, node: Option<&str>) {
        let slices = self.objects.list::<ResourceSlice>();
        let local = slices.filter(|slice| node.is_some() && slice.spec.node_name.as_deref() == node);
        let devices = local.flat_map(|slice| &slice.spec.devices);
        let names: Vec<&str> = devices.map(|device| &*device.name).collect();
        names.into_iter().for_each(|name| self.push(name, "device"));
    }

    /// Adds the candidates for a positional argument of a `fault` command; `before` is the preceding argument.
    fn add_fault_argument(&mut self, argument: FaultArgument, before: Option<&str>) {
        match argument {
            FaultArgument::Node | FaultArgument::Nodes => self.add_names(Kind::Node, "", "node"),
            FaultArgument::Pod => self.add_pods(),
            FaultArgument::Volume => self.add_names(Kind::PersistentVolume, "", "volume"),
            FaultArgument::Device => self.add_devices(before),
            FaultArgument::Word(words) => self.add_words(words.iter().copied()),
            FaultArgument::New => {}
        }
    }

    /// Adds the candidates for the next word of an `app` command.
    fn add_for_app(&mut self, words: &[&str]) {
        match words {
            [] => {
                self.push("traffic", "let clients send requests to a Service");
                self.push("member", "add or remove a member");
            }
            ["member"] => self.add_words(["add", "remove"]),
            ["traffic"] => self.add_words(["start", "stop"]),
            ["traffic", "start", .., "--from"] => self.add_traffic_clients(),
            ["traffic", "start", .., "--rate"] => self.add_words(["10/s", "50/s", "100/s"]),
            ["traffic", "start", ..] if self.typed.starts_with('-') => {
                for (flag, ..) in TRAFFIC_FLAGS {
                    self.push(&format!("--{flag}"), "flag");
                }
            }
            ["traffic", "start" | "stop"] => self.add_object_keys(Kind::Service, "", "service"),
            _ => {}
        }
    }

    /// Adds the values of `app traffic start --from`: zones, nodes, pods, and `outside`.
    fn add_traffic_clients(&mut self) {
        for zone in zone_names(self.objects) {
            self.push(&format!("zone/{zone}"), "clients on the nodes of a zone");
        }
        for node in object_names(self.objects, Kind::Node, "") {
            self.push(&format!("node/{node}"), "clients on a node");
        }
        self.add_object_keys(Kind::Pod, "pod/", "a pod");
        self.push("outside", "clients outside the cluster");
    }

    /// Adds the pods of all namespaces.
    fn add_pods(&mut self) {
        self.add_object_keys(Kind::Pod, "", "pod");
    }

    /// Adds the objects of a kind in all namespaces, as `NAME` or `NAMESPACE/NAME` after a prefix.
    fn add_object_keys(&mut self, kind: Kind, prefix: &str, hint: &str) {
        for object in self.objects.list_kind(kind) {
            let key = object.key();
            if &*key.namespace == "default" {
                self.push(&format!("{prefix}{}", key.name), hint);
            } else {
                self.push(&format!("{prefix}{key}"), hint);
            }
        }
    }
}

/// Completes a line at a cursor (in bytes). Returns the byte range to replace and the candidates.
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
    // Only the command after the last `|` is completed.
    let last_pipe = words.iter().rposition(|word| *word == "|");
    if let Some(at) = last_pipe {
        words.drain(..=at);
    }
    if let Some(program) = words.first_mut().filter(|program| **program == "k") {
        *program = "kubectl";
    }
    if let ["kubectl", "-n" | "--namespace", _, rest @ ..] = words.as_slice() {
        // `-n NAMESPACE` may precede the verb; it is moved after the verb.
        let has_verb = !rest.is_empty();
        words[1..].rotate_left(2);
        if !has_verb {
            words.truncate(1);
        }
    }
    let mut candidates = Candidates {
        typed,
        objects,
        found: Vec::new(),
    };
    match words.as_slice() {
        [] if last_pipe.is_some() => candidates.add_words(PROGRAMS.iter().copied()),
        [] => candidates.add_programs(),
        ["kubectl"] => candidates.add_verbs(),
        ["kubectl", "-n" | "--namespace"] => candidates.add_names(Kind::Namespace, "", "namespace"),
        ["kubectl", group] if *group != "create" && has_sub_commands(group) => candidates.add_sub_commands(group),
        ["kubectl", rest @ ..] => candidates.add_for_kubectl(rest),
        ["fault"] => candidates.add_faults(),
        ["fault", verb, rest @ ..] => candidates.add_for_fault(verb, rest),
        ["stop"] => candidates.push("--all", "every command that still runs"),
        ["app", rest @ ..] => candidates.add_for_app(rest),
        _ => {}
    }
    let candidates = candidates
        .found
        .into_iter()
        .filter(|(text, _)| text.starts_with(typed) && !text.is_empty())
        .take(200)
        .map(|(text, hint)| Completion { text, hint })
        .collect();
    ((start, cursor), candidates)
}

/// Returns whether a kubectl verb has sub-commands.
fn has_sub_commands(name: &str) -> bool {
    VERBS
        .iter()
        .any(|verb| verb.name.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))
}

fn object_names(objects: &Objects, kind: Kind, namespace: &str) -> Vec<String> {
    objects
        .list_kind(kind)
        .iter()
        .filter(|object| !kind.is_namespaced() || &*object.metadata().namespace == namespace)
        .map(|object| object.metadata().name.to_string())
        .collect()
}

fn zone_names(objects: &Objects) -> Vec<String> {
    let mut zones: Vec<String> = objects
        .list::<podscope_api::Node>()
        .filter_map(|node| node.metadata.label(label::ZONE).map(str::to_owned))
        .collect();
    zones.stable_sort();
    zones.dedup();
    zones
}
