//! `apply` and `create`: objects from texts (KC-094 to KC-097).

use std::sync::Arc;

use podscope_api::schema::Rejection;
use podscope_api::{Kind, Object, ObjectKey, Str};
use podscope_cluster::client::Write;
use podscope_cluster::{Part, Request};
use serde_json::{Value, json};

use super::super::merge::three_way;
use super::super::selector::LabelQuery;
use super::reading::{Read, read};
use super::{LAST_APPLIED, Plan, View, change, finish, qualified_singular, typed_name};
use crate::command::Apply;

pub(super) fn apply(apply: &Apply, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    let query = match LabelQuery::parse(apply.selector.as_deref().unwrap_or_default()) {
        Ok(query) => query,
        Err(why) => return Plan::refuse(format!("error: {why}")),
    };
    let mut found = read(&apply.manifest, apply.namespace.as_deref());
    found.retain(|read| match read {
        Ok(Read::Object { object, .. }) => query.matches(object),
        _ => true,
    });
    if found.is_empty() {
        return Plan::refuse("error: no objects passed to apply");
    }
    for read in found {
        let (object, document) = match read {
            Ok(Read::Object { object, document }) => (object, document),
            Ok(Read::Malformed { kind, key, why }) => {
                writes.push(malformed(kind, key, why));
                continue;
            }
            Ok(Read::LeftOut { kind, name }) => {
                plan.err(left_out(&kind, &name));
                continue;
            }
            Err(message) => {
                errors.push(message);
                continue;
            }
        };
        if object.metadata().name.is_empty() {
            errors.push(unnamed(&object));
            continue;
        }
        let name = typed_name(&object);
        let applied = last_applied(&document);
        let mut desired = document;
        set_annotation(&mut desired, LAST_APPLIED, &applied);
        let Some(live) = view.objects.get_kind(object.kind(), &object.key()) else {
            let mut object = object;
            annotate(&mut object, LAST_APPLIED, &applied);
            writes.push(Write {
                context: CREATING.into(),
                ..Write::new(Request::Create(object), format!("{name} created"))
            });
            continue;
        };
        if live.metadata().is_terminating() {
            plan.err(format!(
                "Warning: Detected changes to resource {} which is currently being deleted.",
                object.metadata().name
            ));
        }
        let original = match live.metadata().annotation(LAST_APPLIED) {
            Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            None => {
                plan.err(format!(
                    "Warning: resource {}/{} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.",
                    object.kind().plural(),
                    object.metadata().name
                ));
                Value::Null
            }
        };
        if let Some(map) = desired.as_object_mut() {
            map.shift_remove("status");
        }
        let write = change(
            &live,
            Part::Main,
            "apply",
            &format!("{name} configured"),
            Some(format!("{name} unchanged")),
            move |live| Ok(three_way(&original, &desired, live)),
        );
        match write {
            Ok(write) => writes.push(write),
            Err(message) => errors.push(message),
        }
    }
    finish(plan, writes, errors)
}

fn set_annotation(value: &mut Value, key: &str, text: &str) {
    if let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        let annotations = meta.entry("annotations").or_insert_with(|| json!({}));
        if let Some(map) = annotations.as_object_mut() {
            map.insert(key.to_owned(), Value::from(text));
        }
    }
}

pub(super) fn create(manifest: &str, namespace: Option<&str>) -> Plan {
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    let found = read(manifest, namespace);
    if found.is_empty() {
        return Plan::refuse("error: no objects passed to create");
    }
    for read in found {
        match read {
            Ok(Read::Object { mut object, .. }) => {
                // Left out by kubectl, whoever wrote it.
                object.metadata_mut().resource_version = Str::default();
                let success = format!("{}/{{name}} created", qualified_singular(object.kind()));
                writes.push(Write {
                    context: CREATING.to_owned(),
                    ..Write::new(Request::Create(object), success)
                });
            }
            Ok(Read::Malformed { kind, key, why }) => writes.push(malformed(kind, key, why)),
            Ok(Read::LeftOut { kind, name }) => plan.err(left_out(&kind, &name)),
            Err(message) => errors.push(message),
        }
    }
    finish(plan, writes, errors)
}

/// The objects of a manifest, if all of them can be read (`replace`, `diff`).
pub(in super::super) fn manifest_objects(
    text: &str,
    namespace: Option<&str>,
    plan: &mut Plan,
) -> Result<Vec<Object>, String> {
    let found = read(text, namespace);
    if found.is_empty() {
        return Err("error: no objects passed to apply".to_owned());
    }
    let mut objects = Vec::new();
    for read in found {
        match read? {
            Read::Object { object, .. } => objects.push(object),
            Read::Malformed { kind, .. } => {
                return Err(format!("error: a {} of the text cannot be read", kind.name()));
            }
            Read::LeftOut { kind, name } => plan.err(left_out(&kind, &name)),
        }
    }
    Ok(objects)
}

/// Put before what the server says of an object that is created from a manifest.
const CREATING: &str = "error when creating \"STDIN\": ";

fn malformed(kind: Kind, key: ObjectKey, why: Rejection) -> Write {
    Write {
        context: CREATING.into(),
        ..Write::new(Request::Malformed { kind, key, why }, String::new())
    }
}

fn left_out(kind: &str, name: &str) -> String {
    format!("Warning: {kind} {name:?} is not simulated and is left out")
}

/// `apply` looks for what is there, and there is no name to look for.
fn unnamed(object: &Object) -> String {
    let metadata = object.metadata();
    if !metadata.generate_name.is_empty() {
        return format!(
            "error: from {}: cannot use generate name with apply",
            metadata.generate_name
        );
    }
    let kind = object.kind();
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    format!(
        "error: error when retrieving current configuration of:\nResource: \"{group}/{version}, Resource={}\", GroupVersionKind: \"{group}/{version}, Kind={}\"\nName: \"\", Namespace: {:?}\nfrom server for: \"STDIN\": resource name may not be empty",
        kind.plural(),
        kind.name(),
        &*metadata.namespace,
    )
}

/// The document that was applied, on one line, as kubectl writes it down.
fn last_applied(document: &Value) -> String {
    let mut document = document.clone();
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if let Some(map) = annotations.as_object_mut() {
            map.shift_remove(LAST_APPLIED);
        }
        if metadata.get("annotations").is_some_and(Value::is_null) {
            metadata.insert("annotations".to_owned(), json!({}));
        }
    }
    document.sort_all_objects();
    format!("{document}\n")
}

fn annotate(object: &mut Object, key: &str, text: &str) {
    let annotations = Arc::make_mut(&mut object.metadata_mut().annotations);
    annotations.insert(key.into(), text.into());
}
