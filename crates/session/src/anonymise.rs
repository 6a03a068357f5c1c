//! Renames the objects of a session before it is shared: names,
//! namespaces, label values and images become `pod-1`, `namespace-2`, …, the
//! same everywhere, in files and commands; annotations, words of command lines,
//! environment values, the data of config maps and managedFields go.

use podscope_api::ordered;

use podscope_api::Kind;
use serde_json::Value;

use crate::link::Link;
use podscope_kubectl::command::{self, Action, Command, Kubectl, Selection, Target};

/// The renaming.
#[derive(Debug, Default)]
struct Names {
    map: ordered::Map<String, String>,
    counts: ordered::Map<String, usize>,
}

/// Names that mean something to Kubernetes and stay.
fn is_known(text: &str) -> bool {
    text.is_empty()
        || text.len() < 2
        || matches!(
            text,
            "default" | "true" | "false" | "kube-system" | "kube-public" | "kube-node-lease" | "Always" | "Never"
        )
        || text.starts_with("system-")
        || text.parse::<f64>().is_ok()
}

impl Names {
    fn add(&mut self, text: &str, prefix: &str) {
        if is_known(text) || self.map.contains_key(text) {
            return;
        }
        let count = self.counts.entry(prefix.to_owned()).or_default();
        *count += 1;
        self.map.insert(text.to_owned(), format!("{prefix}-{count}"));
    }

    fn collect(&mut self, value: &Value) {
        let kind = value
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or("object")
            .to_ascii_lowercase();
        if let Some(name) = value.pointer("/metadata/name").and_then(Value::as_str) {
            self.add(name, &kind);
        }
        if let Some(namespace) = value.pointer("/metadata/namespace").and_then(Value::as_str) {
            self.add(namespace, "namespace");
        }
        for labels in [
            "/metadata/labels",
            "/spec/selector/matchLabels",
            "/spec/template/metadata/labels",
        ] {
            for (key, text) in value.pointer(labels).and_then(Value::as_object).into_iter().flatten() {
                if let Some(text) = text.as_str() {
                    self.add(
                        text,
                        if key.contains("zone") || key.contains("region") {
                            "zone"
                        } else {
                            "value"
                        },
                    );
                }
            }
        }
        self.deep(value);
    }

    fn deep(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                for (key, inner) in map {
                    if let (true, Some(text)) = (key == "image", inner.as_str()) {
                        self.add(text, "image");
                    }
                    if matches!(key.as_str(), "containers" | "initContainers" | "volumes") {
                        for item in inner.as_array().into_iter().flatten() {
                            if let Some(name) = item.get("name").and_then(Value::as_str) {
                                self.add(name, if key == "volumes" { "volume" } else { "container" });
                            }
                        }
                    }
                    self.deep(inner);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.deep(item)),
            _ => {}
        }
    }

    fn rename(&self, text: &str) -> String {
        if let Some(name) = self.map.get(text) {
            return name.clone();
        }
        // NAMESPACE/NAME, KEY=VALUE, lists.
        for separator in ['/', ',', '='] {
            if let Some((left, right)) = text.split_once(separator) {
                return format!("{}{separator}{}", self.rename(left), self.rename(right));
            }
        }
        // Names with a generated tail: the longest known one that the text begins with.
        let known = self
            .map
            .iter()
            .filter(|(name, _)| {
                text.strip_prefix(name.as_str())
                    .is_some_and(|tail| tail.starts_with('-'))
            })
            .max_by_key(|(name, _)| name.len());
        match known {
            Some((name, other)) => format!("{other}{}", text.get(name.len()..).unwrap_or_default()),
            None => text.to_owned(),
        }
    }

    /// The documents of a text, renamed.
    fn text(&self, text: &str) -> String {
        let mut out = String::new();
        for mut value in documents(text) {
            self.apply(&mut value);
            if !out.is_empty() {
                out.push_str("---\n");
            }
            out.push_str(&podscope_api::print_yaml(&value));
        }
        out
    }

    /// What a command brings with it: names of what it makes, values it sets.
    fn collect_command(&mut self, command: &Kubectl) {
        if let Some(text) = manifest_of(command) {
            documents(text).iter().for_each(|value| self.collect(value));
        }
        match command {
            Kubectl::Verbatim(verbatim) => {
                if let Action::Make(made) = &verbatim.action {
                    made.objects.iter().for_each(|value| self.collect(value));
                }
            }
            Kubectl::SetImage { images, .. } => images.iter().for_each(|(_, image)| self.add(image, "image")),
            Kubectl::Label(mark) => {
                for value in mark.changes.iter().filter_map(|(_, value)| value.as_ref()) {
                    self.add(value, "value");
                }
            }
            _ => {}
        }
    }

    /// The command with other names; none for one that says nothing without its words.
    fn command(&self, text: &str) -> Option<String> {
        let words = |text: &str| {
            text.split(' ')
                .map(|word| self.rename(word))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let Ok(Command::Kubectl(mut kubectl)) = command::parse(text) else {
            return Some(words(text));
        };
        match &mut kubectl {
            Kubectl::Annotate(_) => return None,
            Kubectl::Apply(apply) => {
                apply.manifest = self.text(&apply.manifest);
                apply.namespace = apply.namespace.take().map(|name| self.rename(&name));
            }
            Kubectl::Create {
                manifest, namespace, ..
            } => {
                *manifest = self.text(manifest);
                *namespace = namespace.take().map(|name| self.rename(&name));
            }
            // What a generator makes says more than its words: values of literals, of variables.
            Kubectl::Verbatim(verbatim) => match &verbatim.action {
                Action::Make(made) => {
                    let texts: Vec<String> = made.objects.iter().map(podscope_api::print_yaml).collect();
                    kubectl = Kubectl::Create {
                        manifest: self.text(&texts.join("---\n")),
                        namespace: verbatim.namespace.as_ref().map(|name| self.rename(name)),
                        validation: command::Validation::default(),
                        save_config: verbatim.save_config,
                        dry_run: verbatim.dry_run,
                        output: verbatim.output.clone(),
                    };
                }
                Action::Replace { text, .. } => {
                    kubectl = Kubectl::Apply(command::Apply {
                        manifest: self.text(text),
                        namespace: verbatim.namespace.as_ref().map(|name| self.rename(name)),
                        ..command::Apply::default()
                    });
                }
                Action::Diff { .. } => return None,
                _ => return Some(words(text)),
            },
            Kubectl::Edit { target, text, .. } => {
                *text = self.text(text);
                self.target(target);
            }
            Kubectl::Patch { target, patch, .. } => {
                if let Ok(mut value) = serde_json::from_str::<Value>(patch) {
                    self.apply(&mut value);
                    *patch = value.to_string();
                }
                self.target(target);
            }
            _ => return Some(words(text)),
        }
        Some(kubectl.to_string())
    }

    fn target(&self, target: &mut Target) {
        target.namespace = target.namespace.take().map(|name| self.rename(&name));
        match &mut target.selection {
            Selection::Kinds { names, .. } => names.iter_mut().for_each(|name| *name = self.rename(name)),
            Selection::Items(items) => items.iter_mut().for_each(|(_, name)| *name = self.rename(name)),
        }
    }

    fn apply(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.rename(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply(item)),
            Value::Object(map) => {
                map.shift_remove("managedFields");
                if let Some(Value::Object(annotations)) = map.get_mut("annotations") {
                    annotations.retain(|key, _| key.contains("podscope.dev"));
                }
                for key in ["command", "args"] {
                    // Command lines run nothing here; a list that must not be empty keeps its length.
                    if let Some(Value::Array(words)) = map.get_mut(key) {
                        words.iter_mut().for_each(|word| *word = Value::from("word"));
                    }
                }
                if let Some(Value::Array(env)) = map.get_mut("env") {
                    for variable in env {
                        if let Some(variable) = variable.as_object_mut() {
                            variable.shift_remove("value");
                        }
                    }
                }
                for key in ["data", "stringData", "binaryData"] {
                    if let Some(Value::Object(data)) = map.get_mut(key) {
                        data.values_mut().for_each(|value| *value = Value::from(""));
                    }
                }
                for (key, inner) in map.iter_mut() {
                    if !matches!(key.as_str(), "apiVersion" | "kind") {
                        self.apply(inner);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The documents of a text that are simulated, as trees; what is not simulated is left out.
fn documents(text: &str) -> Vec<Value> {
    let parsed = podscope_api::parse(text);
    let configs = parsed.configs.iter().map(|config| config.value.tree.to_value());
    let objects = parsed.objects.iter().map(|object| object.value.to_value());
    configs.chain(objects).collect()
}

/// The text a command carries.
fn manifest_of(command: &Kubectl) -> Option<&str> {
    match command {
        Kubectl::Apply(apply) => Some(&apply.manifest),
        Kubectl::Create { manifest, .. } => Some(manifest),
        Kubectl::Verbatim(verbatim) => match &verbatim.action {
            Action::Replace { text, .. } => Some(text),
            _ => None,
        },
        Kubectl::Edit { text, .. } => Some(text),
        _ => None,
    }
}

/// The link with its objects renamed. Lessons have nothing to hide.
pub(crate) fn link(mut link: Link) -> Link {
    if link.lesson.is_some() {
        return link;
    }
    let mut names = Names::default();
    for (_, text) in &link.files {
        documents(text).iter().for_each(|value| names.collect(value));
    }
    for (_, text) in &link.commands {
        if let Ok(Command::Kubectl(kubectl)) = command::parse(text) {
            names.collect_command(&kubectl);
        }
    }
    // Kinds are words of commands too: they keep their meaning.
    names.map.retain(|name, _| Kind::from_resource_name(name).is_none());
    let texts: Vec<String> = link.files.iter().map(|(_, text)| names.text(text)).collect();
    link.files = vec![("shared.yaml".into(), texts.join("---\n"))];
    let mut since = 0;
    let commands = std::mem::take(&mut link.commands);
    for (after, text) in commands {
        since += after;
        if let Some(text) = names.command(&text) {
            link.commands.push((std::mem::take(&mut since), text));
        }
    }
    // What is selected has a name, as an answer has; what is grouped by may be a label of theirs.
    link.screen = String::new();
    link.reading = None;
    link.trace_hash = String::new();
    link.facts_hash = String::new();
    link
}
