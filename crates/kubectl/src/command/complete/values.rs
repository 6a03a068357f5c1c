//! Completion of flag values (formats, labels, containers, conditions) and of field paths.

use podscope_api::well_known::condition;
use podscope_api::{Kind, Labels, Object, ObjectKey, fields};

use super::{Candidates, object_names};
use crate::command::flags::{Flag, FlagTakes, flags_with_global};
use crate::command::parse::Verb;

/// Flags with a fixed set of values: name of the flag, and its values. After a value that ends with `=`, the user types
/// the rest.
const FLAG_VALUES: &[(&str, &[&str])] = &[
    (
        "output",
        &["json", "yaml", "kyaml", "name", "jsonpath=", "go-template="],
    ),
    ("dry-run", &["client", "server", "none"]),
    ("cascade", &["background", "foreground", "orphan"]),
    ("type", &["strategic", "merge", "json"]),
    ("validate", &["strict", "warn", "ignore"]),
    ("restart", &["Always", "OnFailure", "Never"]),
    ("image-pull-policy", &["Always", "IfNotPresent", "Never"]),
    ("preemption-policy", &["PreemptLowerPriority", "Never"]),
    ("for", &["condition=", "delete", "create", "jsonpath="]),
    (
        "sort-by",
        &[
            ".metadata.name",
            ".metadata.creationTimestamp",
            ".spec.nodeName",
            ".spec.priority",
        ],
    ),
    (
        "field-selector",
        &[
            "metadata.name=",
            "metadata.namespace=",
            "spec.nodeName=",
            "status.phase=",
        ],
    ),
    ("types", &["Normal", "Warning"]),
];

/// Output formats that only `kubectl get` has.
const TABLE_FORMATS: &[&str] = &["wide", "custom-columns="];

/// Returns the condition types of a kind that `kubectl wait` commonly waits for.
const fn common_conditions(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Pod => &[
            condition::READY,
            condition::CONTAINERS_READY,
            condition::INITIALIZED,
            condition::POD_SCHEDULED,
            condition::DISRUPTION_TARGET,
        ],
        Kind::Node => &[
            condition::READY,
            condition::MEMORY_PRESSURE,
            condition::DISK_PRESSURE,
            condition::PID_PRESSURE,
        ],
        Kind::Deployment => &[condition::AVAILABLE, condition::PROGRESSING, condition::REPLICA_FAILURE],
        Kind::Job => &["Complete", "Failed", condition::SUSPENDED],
        _ => &[],
    }
}

/// Finds the flag of a verb for a word such as `-o` or `--output`.
fn find_flag(verb: &Verb, word: &str) -> Option<&'static Flag> {
    let mut known = flags_with_global(verb.flags, true);
    match word.strip_prefix("--") {
        Some(long) => known.find(|(name, ..)| *name == long),
        None => {
            let mut letters = word.strip_prefix('-')?.chars();
            let (letter, more) = (letters.next()?, letters.next());
            known.find(|(_, short, _)| *short == letter && more.is_none())
        }
    }
}

/// Returns the words that are neither flags nor values of flags.
pub(super) fn positionals<'w>(verb: &Verb, words: &[&'w str]) -> Vec<&'w str> {
    let mut found = Vec::new();
    let mut is_value = false;
    for word in words {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if word.starts_with('-') {
            is_value = find_flag(verb, word).is_some_and(|(.., takes)| *takes == FlagTakes::Value);
        } else {
            found.push(*word);
        }
    }
    found
}

/// Finds the value of a flag among words: `-n web`, `--namespace web` or `--namespace=web`.
pub(super) fn flag_value_in_words<'w>(verb: &Verb, words: &[&'w str], name: &str) -> Option<&'w str> {
    let pairs = words.iter().zip(words.iter().skip(1));
    let separate = pairs
        .clone()
        .find(|(flag, _)| find_flag(verb, flag).is_some_and(|(long, ..)| *long == name));
    let joined = || {
        words
            .iter()
            .find_map(|word| word.strip_prefix("--")?.strip_prefix(name)?.strip_prefix('='))
    };
    separate.map(|(_, value)| *value).or_else(joined)
}

/// A command line up to the cursor.
pub(super) struct PartialCommand<'a> {
    pub(super) verb: &'a Verb,
    pub(super) namespace: &'a str,
    /// Positional arguments before the word at the cursor.
    pub(super) positionals: Vec<&'a str>,
}

impl PartialCommand<'_> {
    /// Returns the kind in the first positional argument: `pods`, or `pods/NAME`.
    pub(super) fn kind(&self) -> Option<Kind> {
        let first = self.positionals.first()?;
        let kind = first.split_once('/').map_or(*first, |(kind, _)| kind);
        let logs_kind = matches!(self.verb.name, "logs").then_some(Kind::Pod);
        Kind::from_resource_name(kind).or(logs_kind)
    }

    /// Returns whether the positional arguments name an object, not only a kind.
    pub(super) fn names_object(&self) -> bool {
        self.positionals.len() > 1 || self.positionals.iter().any(|word| word.contains('/'))
    }

    /// Returns the object that the positional arguments name.
    fn named_object(&self, candidates: &Candidates<'_>) -> Option<Object> {
        let kind = self.kind()?;
        let first = self.positionals.first()?;
        let name = match first.split_once('/') {
            Some((_, name)) => name,
            None if self.verb.name == "logs" => *first,
            None => self.positionals.get(1)?,
        };
        candidates
            .objects
            .get_kind(kind, &ObjectKey::of(kind, self.namespace, name))
    }
}

impl Candidates<'_> {
    /// Adds candidates if the word at the cursor is a flag value, after the flag or after `=`. Returns whether it is
    /// one.
    pub(super) fn add_if_flag_value(&mut self, partial: &PartialCommand<'_>, before: Option<&str>) -> bool {
        if let Some((flag, ..)) = before
            .and_then(|word| find_flag(partial.verb, word))
            .filter(|(.., takes)| *takes == FlagTakes::Value)
        {
            self.add_flag_values(partial, flag, "");
            return true;
        }
        let Some((flag, _)) = self.typed.strip_prefix("--").and_then(|typed| typed.split_once('=')) else {
            return false;
        };
        self.add_flag_values(partial, flag, &format!("--{flag}="));
        true
    }

    /// Adds the values of a flag, each after `prefix`.
    fn add_flag_values(&mut self, partial: &PartialCommand<'_>, flag: &str, prefix: &str) {
        let mut put = |text: &str, hint: &str| self.found.push((format!("{prefix}{text}"), hint.to_owned()));
        match flag {
            "namespace" => object_names(self.objects, Kind::Namespace, "")
                .iter()
                .for_each(|name| put(name, "namespace")),
            "container" | "containers" => {
                let object = partial.named_object(self);
                let mut put = |text: &str| self.found.push((format!("{prefix}{text}"), "container".to_owned()));
                object.iter().flat_map(container_names).for_each(|name| put(&name));
            }
            "selector" => self.add_label_requirements(partial, prefix),
            "for" if self.typed.trim_start_matches(prefix).starts_with("condition=") => {
                for condition in partial.kind().map_or(&[] as &[&str], common_conditions) {
                    put(&format!("condition={condition}"), "condition");
                }
            }
            _ => {
                let known = FLAG_VALUES.iter().find(|(name, _)| *name == flag);
                let tables = if flag == "output" && partial.verb.name == "get" {
                    TABLE_FORMATS
                } else {
                    &[]
                };
                for text in known.map_or(&[] as &[&str], |(_, values)| values).iter().chain(tables) {
                    put(text, "");
                }
            }
        }
    }

    /// Adds the values of `-l`: each label of the objects of the command's kind as `KEY=VALUE`, after the requirements
    /// already typed.
    fn add_label_requirements(&mut self, partial: &PartialCommand<'_>, prefix: &str) {
        let typed = self.typed.get(prefix.len()..).unwrap_or_default();
        let done = typed.rfind(',').map_or("", |at| &typed[..=at]);
        let mut seen = podscope_api::ordered::Set::new();
        for object in self.objects.list_kind(partial.kind().unwrap_or(Kind::Pod)) {
            let labels: &Labels = &object.metadata().labels;
            seen.extend(labels.iter().map(|(key, value)| format!("{prefix}{done}{key}={value}")));
        }
        self.found
            .extend(seen.into_iter().map(|text| (text, "label".to_owned())));
    }

    /// Adds `CONTAINER=` for each container of the object that `set image` changes.
    pub(super) fn add_container_assignments(&mut self, partial: &PartialCommand<'_>) {
        let all = partial
            .named_object(self)
            .as_ref()
            .map(container_names)
            .unwrap_or_default();
        for name in all {
            self.push(&format!("{name}="), "container");
        }
    }

    /// Adds kinds, or after the first dot the fields below `TYPE.FIELD…` (`explain`).
    pub(super) fn add_field_paths(&mut self) {
        let Some((above, _)) = self.typed.rsplit_once('.') else {
            return self.add_kinds();
        };
        let mut path = above.split('.');
        let Some(kind) = path.next().and_then(Kind::from_resource_name) else {
            return;
        };
        let path: Vec<String> = path.map(str::to_owned).collect();
        for field in fields(kind, &path).unwrap_or_default() {
            self.push(&format!("{above}.{}", field.name), &field.type_name);
        }
    }
}

/// Returns the container names of a pod or of a workload's template.
fn container_names(object: &Object) -> Vec<String> {
    let spec = match object {
        Object::Pod(pod) => Some(&pod.spec),
        other => other.template().map(|template| &template.spec),
    };
    let all = spec
        .into_iter()
        .flat_map(|spec| spec.init_containers.iter().chain(spec.containers.iter()));
    all.map(|container| container.name.to_string()).collect()
}
