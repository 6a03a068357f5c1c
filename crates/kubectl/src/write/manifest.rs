//! `apply` and `create`: objects from texts and from generators (KC-094 to KC-097).

use std::sync::Arc;

use podscope_api::schema::Rejection;
use podscope_api::{Kind, Object, ObjectKey, Str};
use podscope_cluster::client::Write;
use podscope_cluster::{Part, Request};
use serde_json::{Value, json};

use super::super::merge::three_way;
use super::super::selector::LabelQuery;
use super::super::shown;
use super::reading::{Read, read};
use super::{LAST_APPLIED, Plan, View, change, finish, qualified_singular, rehearsed, typed_name};
use crate::command::{CreateWhat, DryRun, Output};

pub(super) fn apply(manifest: &str, namespace: Option<&str>, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    let found = read(manifest, namespace);
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

pub(super) fn create(what: &CreateWhat, given: Option<&str>, dry_run: DryRun, output: &Output) -> Plan {
    let mut plan = Plan::default();
    let namespace = given.unwrap_or("default");
    if dry_run == DryRun::Client && *output != Output::Table && !matches!(what, CreateWhat::Manifest(_)) {
        return generated_only(generated(what, namespace).0, given, output);
    }
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    let creates = |object: Object, context: String| {
        let success = format!("{}/{{name}} created", qualified_singular(object.kind()));
        Write {
            context,
            ..Write::new(Request::Create(object), success)
        }
    };
    if let CreateWhat::Manifest(text) = what {
        let found = read(text, given);
        if found.is_empty() {
            return Plan::refuse("error: no objects passed to create");
        }
        for read in found {
            match read {
                Ok(Read::Object { mut object, .. }) => {
                    // Left out by kubectl, whoever wrote it.
                    object.metadata_mut().resource_version = Str::default();
                    writes.push(creates(object, CREATING.to_owned()));
                }
                Ok(Read::Malformed { kind, key, why }) => writes.push(malformed(kind, key, why)),
                Ok(Read::LeftOut { kind, name }) => plan.err(left_out(&kind, &name)),
                Err(message) => errors.push(message),
            }
        }
    } else {
        let (value, context) = generated(what, namespace);
        let context = context.map_or_else(String::new, |kind| format!("error: failed to create {kind}: "));
        match podscope_api::object_from_value(&value) {
            Ok(object) => writes.push(creates(object, context)),
            Err(errors) => return Plan::refuse(first_error(&errors)),
        }
    }
    if *output == Output::Table {
        return rehearsed(finish(plan, writes, errors), dry_run);
    }
    for (at, write) in writes.iter_mut().enumerate() {
        write.shows = Some(match output {
            Output::Json => |object| json_text(&shown(object, false)),
            Output::Name => typed_name,
            _ if at == 0 => |object| yaml_text(&shown(object, false)),
            _ => |object| format!("---\n{}", yaml_text(&shown(object, false))),
        });
        if dry_run == DryRun::Client {
            // Nothing is sent: what was read is what would be.
            if let (Request::Create(object), Some(show)) = (&write.request, write.shows) {
                show(object).lines().for_each(|line| plan.out(line));
            }
        }
        write.request = dry_run.request(write.request.clone());
    }
    if dry_run == DryRun::Client {
        writes.clear();
    }
    finish(plan, writes, errors)
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

fn first_error(errors: &[podscope_api::FieldError]) -> String {
    let text = errors
        .first()
        .map_or_else(String::new, |error| format!("{}: {}", error.path, error.message));
    format!("error: {text}")
}

fn yaml_text(value: &Value) -> String {
    podscope_api::print_yaml(value).trim_end().to_owned()
}

fn json_text(value: &Value) -> String {
    podscope_api::print_json(value).trim_end().to_owned()
}

/// What a generator made and nothing has filled in: the namespace stands only if it was given, and the empty structs
/// of its types stand too.
fn generated_only(mut value: Value, namespace: Option<&str>, output: &Output) -> Plan {
    let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    if namespace.is_none()
        && let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut)
    {
        meta.shift_remove("namespace");
    }
    for at in ["/spec/containers", "/spec/template/spec/containers"] {
        for container in value
            .pointer_mut(at)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            container["resources"] = json!({});
        }
    }
    match kind.as_str() {
        "Deployment" => value["spec"]["strategy"] = json!({}),
        "Job" => value["spec"]["template"]["metadata"] = json!({}),
        "Pod" => value["spec"]["dnsPolicy"] = json!("ClusterFirst"),
        "Namespace" => value["spec"] = json!({}),
        "PodDisruptionBudget" => {
            value["status"] =
                json!({"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0});
        }
        _ => {}
    }
    match (kind.as_str(), value.as_object_mut()) {
        ("Deployment" | "Job" | "Pod" | "Namespace", Some(map)) => {
            map.insert("status".to_owned(), json!({}));
        }
        ("PriorityClass", Some(map)) => map.retain(|_, value| *value != json!(false) && *value != json!("")),
        _ => {}
    }
    let mut plan = Plan::default();
    let text = match output {
        Output::Json => json_text(&value),
        Output::Name => match podscope_api::object_from_value(&value) {
            Ok(object) => typed_name(&object),
            Err(errors) => return Plan::refuse(first_error(&errors)),
        },
        _ => yaml_text(&value),
    };
    text.lines().for_each(|line| plan.out(line));
    plan
}

/// The object that a generator makes, and the kind named in its errors.
fn generated(what: &CreateWhat, namespace: &str) -> (Value, Option<&'static str>) {
    let container = |image: &str| {
        // The image's name without registry, tag and digest, as kubectl names the container.
        let name = image.rsplit('/').next().unwrap_or(image);
        let name = name.split(['@', ':']).next().unwrap_or(name);
        json!({"name": name, "image": image})
    };
    match what {
        CreateWhat::Deployment { name, images, replicas } => (
            json!({"apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
                "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                    "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": images.iter().map(|image| container(image)).collect::<Vec<_>>()}}}}),
            Some("deployment"),
        ),
        CreateWhat::Namespace(name) => (
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
            None,
        ),
        CreateWhat::Job { name, image } => (
            json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": namespace},
                "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": name, "image": image}]}}}}),
            Some("job"),
        ),
        CreateWhat::ConfigMap { name, literals } => {
            let data: serde_json::Map<String, Value> = literals
                .iter()
                .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
                .collect();
            (
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}),
                Some("configmap"),
            )
        }
        CreateWhat::PriorityClass {
            name,
            value,
            global_default,
            preemption_policy,
            description,
        } => (
            json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value,
                "globalDefault": global_default, "description": description,
                "preemptionPolicy": preemption_policy.as_deref().unwrap_or("PreemptLowerPriority")}),
            Some("priorityclass"),
        ),
        CreateWhat::Run {
            name,
            image,
            restart,
            labels,
        } => {
            let labels: serde_json::Map<String, Value> = if labels.is_empty() {
                [("run".to_owned(), Value::from(name.as_str()))].into_iter().collect()
            } else {
                labels
                    .iter()
                    .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
                    .collect()
            };
            (
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": labels},
                    "spec": {"containers": [{"name": name, "image": image}], "restartPolicy": restart.as_deref().unwrap_or("Always")}}),
                None,
            )
        }
        CreateWhat::PodDisruptionBudget {
            name,
            selector,
            min_available,
            max_unavailable,
        } => {
            let labels: serde_json::Map<String, Value> = LabelQuery::parse(selector)
                .ok()
                .and_then(|query| query.equalities())
                .unwrap_or_default()
                .into_iter()
                .map(|(key, value)| (key.to_string(), Value::from(&*value)))
                .collect();
            let bound = |text: &String| {
                text.parse::<i32>()
                    .map_or_else(|_| Value::from(text.as_str()), Value::from)
            };
            let mut spec = json!({"selector": {"matchLabels": labels}});
            if let Some(map) = spec.as_object_mut() {
                map.extend(
                    min_available
                        .as_ref()
                        .map(|text| ("minAvailable".to_owned(), bound(text))),
                );
                map.extend(
                    max_unavailable
                        .as_ref()
                        .map(|text| ("maxUnavailable".to_owned(), bound(text))),
                );
            }
            (
                json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": namespace}, "spec": spec}),
                Some("poddisruptionbudgets"),
            )
        }
        CreateWhat::Manifest(_) => (Value::Null, None),
    }
}
