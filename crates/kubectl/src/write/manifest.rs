//! `apply` and `create`: objects from texts (KC-094 to KC-097).

use std::sync::Arc;

use podscope_api::schema::Rejection;
use podscope_api::{Kind, Object, ObjectKey, Str};
use podscope_cluster::client::Write;
use podscope_cluster::{Part, Request};
use serde_json::{Value, json};

use super::super::merge::{merge_patch, three_way};
use super::super::output::{Form, shown_value};
use super::super::selector::LabelQuery;
use super::objects::{convertible, invalid_patch};
use super::reading::{Read, read, without_fields};
use super::{LAST_APPLIED, Plan, View, change, finish, qualified_singular, typed_name};
use crate::command::{Apply, Output, Validation};

pub(super) fn apply(apply: &Apply, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    let query = match LabelQuery::parse(apply.selector.as_deref().unwrap_or_default()) {
        Ok(query) => query,
        Err(why) => return Plan::refuse(format!("error: {why}")),
    };
    let mut found = read(&apply.manifest, apply.namespace.as_deref(), apply.validation);
    found.retain(|read| match read {
        Ok(Read::Object { object, .. }) => query.matches(object),
        _ => true,
    });
    if found.is_empty() {
        return Plan::refuse("error: no objects passed to apply");
    }
    for read in found {
        let (object, document, unknown) = match read {
            Ok(Read::Object {
                object,
                document,
                unknown,
            }) => (object, document, unknown),
            Ok(Read::Malformed {
                kind,
                key,
                why,
                document,
            }) => {
                match view.objects.get_kind(kind, &key) {
                    Some(live) => errors.push(unpatchable(&live, document)),
                    None => writes.push(malformed(kind, key, why)),
                }
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
        for field in &unknown {
            plan.err(format!("Warning: unknown field {field:?}"));
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
        if let Some(why) = outdated(&original, &desired, &live) {
            errors.push(why);
            continue;
        }
        let fields = match convertible(object.kind(), &desired) {
            Err(Rejection::Unknown(fields)) => fields,
            _ => Vec::new(),
        };
        let write = change(
            &live,
            Part::Main,
            "apply",
            &format!("{name} configured"),
            Some(format!("{name} unchanged")),
            move |live| Ok(without_fields(&three_way(&original, &desired, live), &fields)),
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

/// `kubectl create -f - --dry-run=client`: nothing is asked of the server, and nothing checked but the text.
pub(super) fn create_of_client(manifest: &str, namespace: Option<&str>, output: &Output) -> Plan {
    let form = match Form::of(output) {
        Ok(form) => form,
        Err(message) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    let mut errors = Vec::new();
    let mut writes = Vec::new();
    for read in read(manifest, namespace, Validation::Ignore) {
        let (kind, document) = match read {
            Ok(Read::Object { object, document, .. }) => (object.kind(), document),
            Ok(Read::Malformed { kind, document, .. }) => (kind, document),
            Ok(Read::LeftOut { kind, name }) => {
                plan.err(left_out(&kind, &name));
                continue;
            }
            Err(message) => {
                errors.push(message);
                continue;
            }
        };
        let separator = match &form {
            Some(form) if form.is_separated() && !writes.is_empty() => "---\n",
            _ => "",
        };
        let name = document
            .pointer("/metadata/name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        writes.push(Write::say(match &form {
            Some(form) => format!("{separator}{}", shown_value(form, &document)),
            None => format!("{}/{name} created (dry run)", qualified_singular(kind)),
        }));
    }
    finish(plan, writes, errors)
}

pub(super) fn create(manifest: &str, namespace: Option<&str>, validation: Validation) -> Plan {
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    let found = read(manifest, namespace, validation);
    if found.is_empty() {
        return Plan::refuse("error: no objects passed to create");
    }
    for read in found {
        match read {
            Ok(Read::Object {
                mut object, unknown, ..
            }) => {
                for field in unknown {
                    plan.err(format!("Warning: unknown field {field:?}"));
                }
                // Left out by kubectl, whoever wrote it.
                object.metadata_mut().resource_version = Str::default();
                let success = format!("{}/{{name}} created", qualified_singular(object.kind()));
                writes.push(Write {
                    context: CREATING.to_owned(),
                    ..Write::new(Request::Create(object), success)
                });
            }
            Ok(Read::Malformed { kind, key, why, .. }) => writes.push(malformed(kind, key, why)),
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
    let found = read(text, namespace, Validation::Strict);
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

/// What the server says of an object that is there, and that the manifest would make one it cannot read.
fn unpatchable(live: &Object, document: Value) -> String {
    let applied = last_applied(&document);
    let mut desired = document;
    set_annotation(&mut desired, LAST_APPLIED, &applied);
    let original = live.metadata().annotation(LAST_APPLIED);
    let original = original
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(Value::Null);
    let live_value = live.to_value();
    let patch = merge_patch(&original, &desired, &live_value);
    match convertible(live.kind(), &three_way(&original, &desired, &live_value)) {
        Err(why) => invalid_patch(&patch, &why),
        Ok(()) => String::new(),
    }
}

/// What the server says of a manifest that names another version of the object than the one that is there.
fn outdated(original: &Value, desired: &Value, live: &Object) -> Option<String> {
    let wanted = desired.pointer("/metadata/resourceVersion")?.as_str()?;
    let metadata = live.metadata();
    if wanted.is_empty() || *wanted == *metadata.resource_version {
        return None;
    }
    let kind = live.kind();
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    let patch = crate::gotext::json(&merge_patch(original, desired, &live.to_value()));
    let plural = super::super::qualified_plural(kind);
    Some(format!(
        "Error from server (Conflict): error when applying patch:\n{patch}\nto:\nResource: \"{group}/{version}, Resource={}\", GroupVersionKind: \"{group}/{version}, Kind={}\"\nName: {:?}, Namespace: {:?}\nfor: \"STDIN\": error when patching \"STDIN\": Operation cannot be fulfilled on {plural} {:?}: the object has been modified; please apply your changes to the latest version and try again",
        kind.plural(),
        kind.name(),
        &*metadata.name,
        &*metadata.namespace,
        &*metadata.name,
    ))
}

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
