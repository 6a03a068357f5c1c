//! Renames the objects of a session before it is shared: names,
//! namespaces, label values and images become `pod-1`, `ns-2`, …, the same
//! everywhere; annotations, environment values and managedFields go.

use podscope_api::ordered::BTreeMap;

use serde_json::Value;

use crate::link::Link;

/// The renaming.
#[derive(Debug, Default)]
struct Names {
    map: BTreeMap<String, String>,
    counts: BTreeMap<String, usize>,
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
            .to_lowercase();
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
        // NAMESPACE/NAME and names with a generated tail.
        if let Some((left, right)) = text.split_once('/')
            && (self.map.contains_key(left) || self.map.contains_key(right))
        {
            return format!("{}/{}", self.rename(left), self.rename(right));
        }
        text.to_owned()
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

/// The link with its objects renamed. Lessons have nothing to hide.
pub(crate) fn link(mut link: Link) -> Link {
    if link.lesson.is_some() {
        return link;
    }
    let mut names = Names::default();
    let mut values: Vec<Value> = Vec::new();
    for (_, text) in &link.files {
        let parsed = podscope_api::parse(text);
        values.extend(parsed.configs.iter().map(|config| config.value.tree.to_value()));
        values.extend(parsed.objects.iter().map(|object| object.value.to_value()));
    }
    for value in &values {
        names.collect(value);
    }
    let mut text = String::new();
    for value in &mut values {
        names.apply(value);
        if !text.is_empty() {
            text.push_str("---\n");
        }
        text.push_str(&podscope_api::print_yaml(value));
    }
    link.files = vec![("shared.yaml".into(), text)];
    for (_, command) in &mut link.commands {
        let words: Vec<String> = command.split(' ').map(|word| names.rename(word)).collect();
        *command = words.join(" ");
    }
    link.trace_hash = String::new();
    link
}
