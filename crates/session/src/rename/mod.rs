//! Anonymises files and links before they leave the browser. Fields of the API are kept; their values are kept
//! only if an allow-list of public words contains them. Every other text is replaced by a text such as `xbf` or
//! `xbf-0`, which is the same everywhere in files and commands. Command lines of containers, values of environment
//! variables, and data of ConfigMaps and Secrets are removed.

mod cel;
mod command;
mod names;
mod public_texts;

use podscope_api::schema::{self, GoType, Shape, Struct};
use serde_json::{Map, Value};

use crate::history;
use crate::link::Link;
use crate::scenario::{File, extract_manifests};
use names::{NameDictionary, TextRole};

/// Pairs of old and new names, ordered by old name.
pub type NameTable = Vec<(String, String)>;

/// Formats the table of names as text: one line per name, with a tab between old and new name.
#[must_use]
pub fn table_text(table: &[(String, String)]) -> String {
    table.iter().map(|(old, new)| format!("{old}\t{new}\n")).collect()
}

/// Anonymised files, with the table of old and new names.
#[derive(Debug, Clone, Default)]
pub struct RenamedFiles {
    pub text: String,
    pub table: NameTable,
}

/// Anonymises files. A recorded history is first converted to a scenario, which is then anonymised.
#[must_use]
pub fn rename(files: &[File]) -> RenamedFiles {
    let of_history = history::may_contain_history(files).then(|| {
        let opened = history::convert_histories(files.to_vec());
        opened.map_or_else(|unreadable| unreadable.files, |opened| opened.files)
    });
    let files = of_history.as_deref().unwrap_or(files);
    let mut documents: Vec<Value> = files.iter().flat_map(|(_, text)| parse_documents(text)).collect();
    let mut names = NameDictionary::default();
    collect_names(&mut names, &documents, std::iter::empty());
    RenamedFiles {
        text: rename_and_print_documents(&mut names, &mut documents),
        table: names.table.into_iter().collect(),
    }
}

/// Anonymises a link. Lessons contain nothing private and are kept; in a comparison, the text of the other scenario is
/// removed.
pub(crate) fn rename_link(mut link: Link) -> (Link, NameTable) {
    if link.lesson.is_some() {
        link.compared_scenario.take_if(|text| !text.is_empty());
        return (link, NameTable::new());
    }
    let mut own: Vec<Value> = link.files.iter().flat_map(|(_, text)| parse_documents(text)).collect();
    let n_own = own.len();
    if let Some(text) = &link.compared_scenario {
        own.extend(parse_documents(text));
    }
    let mut names = NameDictionary::default();
    let of_others = link.others.iter().flat_map(|other| &other.commands);
    collect_names(&mut names, &own, link.commands.iter().chain(of_others));
    let mut compared = own.split_off(n_own);
    link.files = vec![("shared.yaml".into(), rename_and_print_documents(&mut names, &mut own))];
    if let Some(text) = &mut link.compared_scenario {
        *text = rename_and_print_documents(&mut names, &mut compared);
    }
    rename_commands(&mut link.commands, &mut names);
    for other in &mut link.others {
        rename_commands(&mut other.commands, &mut names);
    }
    // The page's state and the reader's answers contain names of selected objects and labels, so they are removed.
    link.screen = String::new();
    link.reading = None;
    link.trace_hash = String::new();
    link.facts_hash = String::new();
    (link, names.table.into_iter().collect())
}

/// Collects all texts that must be renamed, then assigns new names.
fn collect_names<'a>(
    names: &mut NameDictionary,
    documents: &[Value],
    commands: impl Iterator<Item = &'a (i64, String)>,
) {
    for document in documents {
        rename_document(&mut document.clone(), names);
    }
    for (_, text) in commands {
        command::rename_command_line(text, names);
    }
    names.assign_names();
}

/// Renames the commands of a branch. A command that cannot be renamed is removed; the other commands keep their times.
fn rename_commands(commands: &mut Vec<(i64, String)>, names: &mut NameDictionary) {
    let mut since = 0;
    for (after, text) in std::mem::take(commands) {
        since += after;
        if let Some(text) = command::rename_command_line(&text, names) {
            commands.push((std::mem::take(&mut since), text));
        }
    }
}

fn rename_and_print_documents(names: &mut NameDictionary, documents: &mut [Value]) -> String {
    let mut text = String::new();
    for document in documents {
        rename_document(document, names);
        if !text.is_empty() {
            text.push_str("---\n");
        }
        text.push_str(&podscope_api::print_yaml(document));
    }
    text
}

/// Parses the documents of a text. Only the documents that the simulation uses are returned.
fn parse_documents(text: &str) -> Vec<Value> {
    let parsed = podscope_api::parse(&extract_manifests(text).text);
    let configs = parsed.configs.iter().map(|config| config.value.tree.to_value());
    // ControllerRevisions contain whole templates. They are removed, because controllers create them again.
    let objects = parsed.objects.iter().map(|object| &object.value);
    let objects = objects.filter(|object| object.kind() != podscope_api::Kind::ControllerRevision);
    let objects = objects.map(podscope_api::Object::to_value);
    configs.chain(objects).collect()
}

/// Renames all private texts of a document.
fn rename_document(document: &mut Value, names: &mut NameDictionary) {
    let field = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (version, kind) = (field("apiVersion"), field("kind"));
    match schema::served(&version, &kind) {
        Some(served) => {
            if let Value::Object(fields) = document {
                rename_struct(fields, served.fields, names);
                // The schema's list of fields does not contain `apiVersion` and `kind`.
                fields.insert("apiVersion".into(), version.into());
                fields.insert("kind".into(), kind.into());
                fields.sort_keys();
            }
        }
        None if kind == "Scenario" => rename_scenario(document, names),
        None => rename_untyped(document, names),
    }
}

/// Renames the values of a struct's fields. Fields that the API does not have are removed.
fn rename_struct(fields: &mut Map<String, Value>, api_type: Struct, names: &mut NameDictionary) {
    fields.shift_remove("managedFields");
    let old = std::mem::take(fields);
    for (key, mut value) in old {
        let Some(field) = api_type.field(&key) else { continue };
        if let Some(text) = value.as_str().filter(|text| !field.of.accepted_values().contains(text)) {
            let text = rename_special_field(api_type.name(), &key, text, names);
            if let Some(text) = text {
                fields.insert(key, text.into());
                continue;
            }
        }
        match (api_type.name(), key.as_str()) {
            // Command lines of containers have no effect in the simulation. Their words are replaced, not removed,
            // because some lists must not be empty.
            (_, "command" | "args") => {
                for word in value.as_array_mut().into_iter().flatten() {
                    *word = "word".into();
                }
            }
            (_, "env") => {
                remove_variable_values(&mut value);
                rename_typed(&mut value, field.of, names);
            }
            ("ConfigMap" | "Secret", "data" | "stringData" | "binaryData") => {
                for value in value.as_object_mut().into_iter().flat_map(Map::values_mut) {
                    *value = "".into();
                }
                rename_typed(&mut value, field.of, names);
            }
            (_, "annotations") => rename_annotations(&mut value, names),
            _ => rename_typed(&mut value, field.of, names),
        }
        fields.insert(key, value);
    }
}

/// Returns the new text of a field that needs a special rule. None if the type of the field alone determines how it is
/// renamed.
fn rename_special_field(api_type: &str, key: &str, text: &str, names: &mut NameDictionary) -> Option<String> {
    Some(match (api_type, key) {
        (_, "message" | "note") => names.rename_text(TextRole::Message, text),
        (_, "reason" | "action" | "type") => names.rename_text(TextRole::Word, text),
        ("CELDeviceSelector", "expression") => cel::rename_expression(text, names),
        ("DeviceAttribute", "version") if cel::is_number_with_unit(text) => text.to_owned(),
        (_, "allocationMode" | "effect" | "operator") => names.rename_text(TextRole::Word, text),
        (_, "kind") if is_kind_name(text) => text.to_owned(),
        (_, "apiVersion") if is_api_version(text) => text.to_owned(),
        ("ObjectFieldSelector", "fieldPath") => {
            let name = names.rename_text(TextRole::Name, text);
            if name == text { name } else { "metadata.name".to_owned() }
        }
        // Only the version determines the features of a kubelet; the vendor's suffix is private and removed.
        (_, "kubeletVersion" | "kubeProxyVersion") => text.split(['-', '+']).next().unwrap_or_default().to_owned(),
        (_, "resourceVersion") => text.to_owned(),
        (_, "value") if api_type == "EnvVar" => String::new(),
        (_, "clusterIP" | "sessionAffinity") if text == "None" => text.to_owned(),
        _ => return None,
    })
}

fn is_kind_name(text: &str) -> bool {
    podscope_api::Kind::ALL.iter().any(|kind| kind.name() == text)
}

fn is_api_version(text: &str) -> bool {
    podscope_api::Kind::ALL.iter().any(|kind| kind.api_version() == text)
}

/// Removes the values of environment variables. Their names and references are kept.
fn remove_variable_values(value: &mut Value) {
    for variable in value.as_array_mut().into_iter().flatten() {
        if let Some(variable) = variable.as_object_mut() {
            variable.shift_remove("value");
        }
    }
}

/// Keeps annotations whose keys Kubernetes or Podscope documents. Their values are renamed, or the annotation is
/// removed if the value is a document.
fn rename_annotations(value: &mut Value, names: &mut NameDictionary) {
    let Some(all) = value.as_object_mut() else { return };
    let old = std::mem::take(all);
    for (key, value) in old {
        let Some(text) = value.as_str() else { continue };
        let is_podscope_key = key.contains("podscope.dev/");
        let is_document = text.contains(['{', '\n']) && !is_podscope_key;
        let is_public_annotation = public_texts::is_public_key(&key) || public_texts::user_named_prefix(&key).is_some();
        if !is_public_annotation || is_document || key.ends_with("/last-applied-configuration") {
            continue;
        }
        if key == podscope_api::CALLS_ANNOTATION {
            // Annotations with invalid calls have no effect and may contain names, so they are removed.
            if let Ok(calls) = podscope_api::parse_calls(text) {
                let calls = calls.into_iter().map(|call| rename_call(call, names).to_string());
                let text = calls.collect::<Vec<_>>().join("; ");
                all.insert(key, text.into());
            }
            continue;
        }
        let new = if key.starts_with("behavior.podscope.dev/") || public_texts::is_kubernetes_word(text) {
            text.to_owned()
        } else {
            names.rename_text(TextRole::Name, text)
        };
        all.insert(names.rename_text(TextRole::Name, &key), new.into());
    }
}

/// Renames the Service in a call of the annotation about calls between pods.
fn rename_call(mut call: podscope_api::ServiceCalls, names: &mut NameDictionary) -> podscope_api::ServiceCalls {
    let service = &mut call.service;
    if !service.namespace.is_empty() {
        service.namespace = names.rename_text(TextRole::Name, &service.namespace).into();
    }
    service.name = names.rename_text(TextRole::Name, &service.name).into();
    call
}

/// Renames a value according to its API type.
fn rename_typed(value: &mut Value, api_type: GoType, names: &mut NameDictionary) {
    match (api_type.shape(), value) {
        (Shape::List(api_type), Value::Array(items)) => {
            items.iter_mut().for_each(|item| rename_typed(item, api_type, names))
        }
        (Shape::Struct(api_type), Value::Object(fields)) => rename_struct(fields, api_type, names),
        (Shape::Map(api_type), Value::Object(entries)) => {
            let old = std::mem::take(entries);
            for (key, mut value) in old {
                rename_typed(&mut value, api_type, names);
                entries.insert(names.rename_text(TextRole::Name, &key), value);
            }
        }
        (Shape::Leaf(leaf), value) => match value {
            Value::String(text) => {
                let is_value = api_type.accepted_values().contains(&text.as_str());
                let role = if leaf.contains('=') && leaf != "string=types.UID" {
                    TextRole::Word
                } else {
                    TextRole::Name
                };
                if !is_value && !matches!(leaf, "Quantity" | "Time" | "MicroTime") {
                    *text = names.rename_text(role, text);
                }
            }
            Value::Number(_) | Value::Bool(_) | Value::Null => {}
            // A value without a known type may contain any private text.
            untyped_value => *untyped_value = Value::Null,
        },
        // A value of the wrong type has no effect, so it is removed.
        (_, value) => {
            if !value.is_null() {
                *value = Value::Null;
            }
        }
    }
}

/// Renames a Scenario document. Only cluster, components, search and timeline are kept.
fn rename_scenario(document: &mut Value, names: &mut NameDictionary) {
    let spec = document.get_mut("spec").map(Value::take).unwrap_or_default();
    let mut kept = Map::new();
    for key in ["seed", "start", "cluster", "components", "search"] {
        if let Some(value) = spec.get(key) {
            let mut value = value.clone();
            let labels = take_labels_of_groups(&mut value);
            rename_untyped(&mut value, names);
            put_labels_of_groups(&mut value, labels, names);
            kept.insert(key.into(), value);
        }
    }
    let timeline = spec.get("timeline").and_then(Value::as_array).into_iter().flatten();
    let timeline = timeline.filter_map(|entry| {
        let run = entry.get("run").and_then(Value::as_str)?;
        let run = command::rename_command_line(run, names)?;
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

/// Removes the labels of node groups from `spec.cluster` and returns them. They are renamed separately, because label
/// keys are names, unlike keys of settings.
fn take_labels_of_groups(cluster: &mut Value) -> Vec<Option<Value>> {
    let groups = cluster.get_mut("nodeGroups").and_then(Value::as_array_mut);
    let fields = groups.into_iter().flatten().map(Value::as_object_mut);
    fields.map(|fields| fields?.shift_remove("labels")).collect()
}

/// Renames the labels of node groups and inserts them into `spec.cluster` again.
fn put_labels_of_groups(cluster: &mut Value, labels: Vec<Option<Value>>, names: &mut NameDictionary) {
    let groups = cluster.get_mut("nodeGroups").and_then(Value::as_array_mut);
    for (group, labels) in groups.into_iter().flatten().zip(labels) {
        let (Some(fields), Some(Value::Object(labels))) = (group.as_object_mut(), labels) else {
            continue;
        };
        let mut name = |text: &str| names.rename_text(TextRole::Name, text);
        let labels = labels.into_iter().map(|(key, value)| {
            let value = value.as_str().map(&mut name).unwrap_or_default();
            (name(&key), Value::String(value))
        });
        fields.insert("labels".into(), Value::Object(labels.collect()));
    }
}

/// Renames the values of a document without a schema, such as settings. Keys are kept unless they look like label keys.
fn rename_untyped(value: &mut Value, names: &mut NameDictionary) {
    match value {
        Value::String(text) => *text = names.rename_text(TextRole::Word, text),
        Value::Array(items) => items.iter_mut().for_each(|item| rename_untyped(item, names)),
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            for (key, mut value) in old {
                if !matches!(key.as_str(), "apiVersion" | "kind") {
                    rename_untyped(&mut value, names);
                }
                let key = match key.contains(['/', '.', '-']) {
                    true => names.rename_text(TextRole::Name, &key),
                    false => key,
                };
                fields.insert(key, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
