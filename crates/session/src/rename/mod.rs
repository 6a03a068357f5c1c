//! Renames what is private before it is passed on, by an allow-list: of each object the fields of the API are
//! kept, and of their values what the list of public words knows; every other text becomes `xbf`, `xbf-0`, …, the same
//! everywhere, in files and commands. Command lines, values of variables and data go.

mod command;
mod names;
mod public;

use podscope_api::schema::{self, GoType, Shape, Struct};
use serde_json::{Map, Value};

use crate::link::Link;
use crate::scenario::{File, readable};
use names::{Names, Role};

/// Old names with their new ones, by the old name.
pub type Table = Vec<(String, String)>;

/// The table as a file: a line for each name, with a tab between old and new.
#[must_use]
pub fn printed(table: &[(String, String)]) -> String {
    table.iter().map(|(old, new)| format!("{old}\t{new}\n")).collect()
}

/// Files with new names, and which old name became which.
#[derive(Debug, Clone, Default)]
pub struct Renamed {
    pub text: String,
    pub table: Table,
}

/// Renames what files hold.
#[must_use]
pub fn rename(files: &[File]) -> Renamed {
    let mut documents: Vec<Value> = files.iter().flat_map(|(_, text)| documents(text)).collect();
    let mut names = Names::default();
    collect(&mut names, &documents, &[]);
    Renamed {
        text: renamed(&mut names, &mut documents),
        table: names.table.into_iter().collect(),
    }
}

/// The link with its objects renamed, and which old name became which. Lessons have nothing to hide.
pub(crate) fn link(mut link: Link) -> (Link, Table) {
    if link.lesson.is_some() {
        return (link, Table::new());
    }
    let mut documents: Vec<Value> = link.files.iter().flat_map(|(_, text)| documents(text)).collect();
    let mut names = Names::default();
    collect(&mut names, &documents, &link.commands);
    link.files = vec![("shared.yaml".into(), renamed(&mut names, &mut documents))];
    let mut since = 0;
    for (after, text) in std::mem::take(&mut link.commands) {
        since += after;
        if let Some(text) = command::renamed(&text, &mut names) {
            link.commands.push((std::mem::take(&mut since), text));
        }
    }
    // What is selected has a name, as an answer has; what is grouped by may be a label of theirs.
    link.screen = String::new();
    link.reading = None;
    link.trace_hash = String::new();
    link.facts_hash = String::new();
    (link, names.table.into_iter().collect())
}

/// Looks at all that is to be renamed, and gives it new names.
fn collect(names: &mut Names, documents: &[Value], commands: &[(i64, String)]) {
    for document in documents {
        apply(&mut document.clone(), names);
    }
    for (_, text) in commands {
        command::renamed(text, names);
    }
    names.complete();
}

fn renamed(names: &mut Names, documents: &mut [Value]) -> String {
    let mut text = String::new();
    for document in documents {
        apply(document, names);
        if !text.is_empty() {
            text.push_str("---\n");
        }
        text.push_str(&podscope_api::print_yaml(document));
    }
    text
}

/// The documents of a text that are simulated, as trees; what is not simulated is left out.
fn documents(text: &str) -> Vec<Value> {
    let parsed = podscope_api::parse(&readable(text).text);
    let configs = parsed.configs.iter().map(|config| config.value.tree.to_value());
    // The revisions of templates hold whole templates; they are made anew where they are not there.
    let objects = parsed.objects.iter().map(|object| &object.value);
    let objects = objects.filter(|object| object.kind() != podscope_api::Kind::ControllerRevision);
    let objects = objects.map(podscope_api::Object::to_value);
    configs.chain(objects).collect()
}

/// Renames within a document.
fn apply(document: &mut Value, names: &mut Names) {
    let word = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (version, kind) = (word("apiVersion"), word("kind"));
    match schema::served(&version, &kind) {
        Some(served) => {
            if let Value::Object(fields) = document {
                record(fields, served.fields, names);
                // The struct has these from elsewhere.
                fields.insert("apiVersion".into(), version.into());
                fields.insert("kind".into(), kind.into());
                fields.sort_keys();
            }
        }
        None if kind == "Scenario" => scenario(document, names),
        None => untyped(document, names),
    }
}

/// Fields of a struct: those that the API does not have are left out.
fn record(fields: &mut Map<String, Value>, of: Struct, names: &mut Names) {
    fields.shift_remove("managedFields");
    let old = std::mem::take(fields);
    for (key, mut value) in old {
        let Some(field) = of.field(&key) else { continue };
        if let Some(text) = value.as_str().filter(|text| !field.of.values().contains(text)) {
            let text = special(of.name(), &key, text, names);
            if let Some(text) = text {
                fields.insert(key, text.into());
                continue;
            }
        }
        match (of.name(), key.as_str()) {
            // Command lines run nothing here; a list that must not be empty keeps its length.
            (_, "command" | "args") => {
                for word in value.as_array_mut().into_iter().flatten() {
                    *word = "word".into();
                }
            }
            (_, "env") => {
                variables(&mut value);
                typed(&mut value, field.of, names);
            }
            ("ConfigMap" | "Secret", "data" | "stringData" | "binaryData") => {
                for value in value.as_object_mut().into_iter().flat_map(Map::values_mut) {
                    *value = "".into();
                }
                typed(&mut value, field.of, names);
            }
            (_, "annotations") => annotations(&mut value, names),
            _ => typed(&mut value, field.of, names),
        }
        fields.insert(key, value);
    }
}

/// Strings whose field says more than their type.
fn special(of: &str, key: &str, text: &str, names: &mut Names) -> Option<String> {
    Some(match (of, key) {
        (_, "message" | "note") => names.text(Role::Message, text),
        (_, "reason" | "action" | "type") => names.text(Role::Word, text),
        (_, "kind") if is_kind(text) => text.to_owned(),
        (_, "apiVersion") if is_group(text) => text.to_owned(),
        ("ObjectFieldSelector", "fieldPath") => {
            let name = names.text(Role::Name, text);
            if name == text { name } else { "metadata.name".to_owned() }
        }
        // Which features a kubelet has follows from its version, not from who built it.
        (_, "kubeletVersion" | "kubeProxyVersion") => text.split(['-', '+']).next().unwrap_or_default().to_owned(),
        (_, "resourceVersion") => text.to_owned(),
        (_, "value") if of == "EnvVar" => String::new(),
        (_, "clusterIP" | "sessionAffinity") if text == "None" => text.to_owned(),
        _ => return None,
    })
}

fn is_kind(text: &str) -> bool {
    podscope_api::Kind::ALL.iter().any(|kind| kind.name() == text)
}

fn is_group(text: &str) -> bool {
    podscope_api::Kind::ALL.iter().any(|kind| kind.api_version() == text)
}

/// Variables keep their names, and where they come from.
fn variables(value: &mut Value) {
    for variable in value.as_array_mut().into_iter().flatten() {
        if let Some(variable) = variable.as_object_mut() {
            variable.shift_remove("value");
        }
    }
}

/// Annotations with documented keys stay; what they say is renamed, and gone where it is a document of its own.
fn annotations(value: &mut Value, names: &mut Names) {
    let Some(all) = value.as_object_mut() else { return };
    let old = std::mem::take(all);
    for (key, value) in old {
        let Some(text) = value.as_str() else { continue };
        let is_own = key.contains("podscope.dev/");
        let is_document = text.contains(['{', '\n']) && !is_own;
        let is_kept = public::is_public_key(&key) || public::chosen(&key).is_some();
        if !is_kept || is_document || key.ends_with("/last-applied-configuration") {
            continue;
        }
        if key == podscope_api::CALLS_ANNOTATION {
            // What cannot be read says nothing, and may hold names.
            if let Ok(calls) = podscope_api::parse_calls(text) {
                let calls = calls.into_iter().map(|call| renamed_calls(call, names).to_string());
                let text = calls.collect::<Vec<_>>().join("; ");
                all.insert(key, text.into());
            }
            continue;
        }
        let new = if key.starts_with("behavior.podscope.dev/") || public::is_word(text) {
            text.to_owned()
        } else {
            names.text(Role::Name, text)
        };
        all.insert(names.text(Role::Name, &key), new.into());
    }
}

/// A call of a Service by its new name.
fn renamed_calls(mut call: podscope_api::Calls, names: &mut Names) -> podscope_api::Calls {
    let service = &mut call.service;
    if !service.namespace.is_empty() {
        service.namespace = names.text(Role::Name, &service.namespace).into();
    }
    service.name = names.text(Role::Name, &service.name).into();
    call
}

/// A value of a type of the API.
fn typed(value: &mut Value, of: GoType, names: &mut Names) {
    match (of.shape(), value) {
        (Shape::List(of), Value::Array(items)) => items.iter_mut().for_each(|item| typed(item, of, names)),
        (Shape::Struct(of), Value::Object(fields)) => record(fields, of, names),
        (Shape::Map(of), Value::Object(entries)) => {
            let old = std::mem::take(entries);
            for (key, mut value) in old {
                typed(&mut value, of, names);
                entries.insert(names.text(Role::Name, &key), value);
            }
        }
        (Shape::Leaf(leaf), value) => match value {
            Value::String(text) => {
                let is_value = of.values().contains(&text.as_str());
                let role = if leaf.contains('=') && leaf != "string=types.UID" {
                    Role::Word
                } else {
                    Role::Name
                };
                if !is_value && !matches!(leaf, "Quantity" | "Time" | "MicroTime") {
                    *text = names.text(role, text);
                }
            }
            Value::Number(_) | Value::Bool(_) | Value::Null => {}
            // What the API leaves open may hold anything.
            open => *open = Value::Null,
        },
        // A value of another type than the API's says nothing to it.
        (_, value) => {
            if !value.is_null() {
                *value = Value::Null;
            }
        }
    }
}

/// A scenario keeps its cluster, its components and its timeline.
fn scenario(document: &mut Value, names: &mut Names) {
    let spec = document.get_mut("spec").map(Value::take).unwrap_or_default();
    let mut kept = Map::new();
    for key in ["seed", "start", "cluster", "components", "search"] {
        if let Some(value) = spec.get(key) {
            let mut value = value.clone();
            untyped(&mut value, names);
            kept.insert(key.into(), value);
        }
    }
    let timeline = spec.get("timeline").and_then(Value::as_array).into_iter().flatten();
    let timeline = timeline.filter_map(|entry| {
        let run = entry.get("run").and_then(Value::as_str)?;
        let run = command::renamed(run, names)?;
        Some(serde_json::json!({"at": entry.get("at"), "run": run}))
    });
    let timeline: Vec<Value> = timeline.collect();
    if !timeline.is_empty() {
        kept.insert("timeline".into(), timeline.into());
    }
    *document = serde_json::json!({
        "apiVersion": "podscope.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "shared"}, "spec": kept,
    });
}

/// Settings: their keys are Kubernetes' own, unless they are labels.
fn untyped(value: &mut Value, names: &mut Names) {
    match value {
        Value::String(text) => *text = names.text(Role::Word, text),
        Value::Array(items) => items.iter_mut().for_each(|item| untyped(item, names)),
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            for (key, mut value) in old {
                if !matches!(key.as_str(), "apiVersion" | "kind") {
                    untyped(&mut value, names);
                }
                let key = match key.contains(['/', '.', '-']) {
                    true => names.text(Role::Name, &key),
                    false => key,
                };
                fields.insert(key, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
