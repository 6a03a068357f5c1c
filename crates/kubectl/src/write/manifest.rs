//! `apply` and `create`: objects from texts and from generators (KC-094 to KC-097).

use podscope_api::{Object, Str};
use podscope_cluster::client::Write;
use podscope_cluster::{Part, Request};
use serde_json::{Value, json};

use super::super::merge::three_way;
use super::super::selector::LabelQuery;
use super::super::shown;
use super::{LAST_APPLIED, Plan, View, change, finish, qualified_singular, rehearsed, typed_name};
use crate::command::{CreateWhat, DryRun, Output};

pub(super) fn manifest_objects(text: &str, namespace: Option<&str>, plan: &mut Plan) -> Result<Vec<Object>, String> {
    let parsed = podscope_api::parse(text);
    if !parsed.problems.is_empty() {
        let lines: Vec<String> = parsed
            .problems
            .iter()
            .map(|problem| format!("error: error parsing STDIN: {problem}"))
            .collect();
        return Err(lines.join("\n"));
    }
    for other in &parsed.others {
        plan.err(format!(
            "Warning: {} {:?} is not simulated and is left out",
            other.value.kind, other.value.name
        ));
    }
    let mut objects = Vec::new();
    for located in parsed.objects {
        let mut object = located.value;
        if object.kind().is_namespaced() {
            let own = object.metadata().namespace.clone();
            if own.is_empty() {
                object.metadata_mut().namespace = Str::from(namespace.unwrap_or("default"));
            } else if let Some(wanted) = namespace.filter(|wanted| **wanted != *own) {
                return Err(format!(
                    "error: the namespace from the provided object {own:?} does not match the namespace {wanted:?}. You must pass '--namespace={own}' to perform this operation."
                ));
            }
        }
        objects.push(object);
    }
    if objects.is_empty() && parsed.others.is_empty() {
        return Err("error: no objects passed to apply".into());
    }
    Ok(objects)
}

pub(super) fn apply(manifest: &str, namespace: Option<&str>, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let objects = match manifest_objects(manifest, namespace, &mut plan) {
        Ok(objects) => objects,
        Err(message) => return Plan::refuse(message),
    };
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    for object in objects {
        let mut desired = object.to_value();
        let name = typed_name(&object);
        // The file as it is given, on one line.
        let applied = format!("{desired}\n");
        set_annotation(&mut desired, LAST_APPLIED, &applied);
        let Some(live) = view.objects.get_kind(object.kind(), &object.key()) else {
            match podscope_api::object_from_value(&desired) {
                Ok(object) => writes.push(Write {
                    context: "error when creating \"STDIN\": ".into(),
                    ..Write::new(Request::Create(object), format!("{name} created"))
                }),
                Err(found) => errors.extend(
                    found
                        .into_iter()
                        .map(|error| format!("error: {}: {}", error.path, error.message)),
                ),
            }
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
    let (values, context) = match what {
        CreateWhat::Manifest(text) => {
            let objects = match manifest_objects(text, given, &mut plan) {
                Ok(objects) => objects,
                Err(message) => return Plan::refuse(message.replace("passed to apply", "passed to create")),
            };
            (
                objects.into_iter().map(Ok).collect::<Vec<_>>(),
                "error when creating \"STDIN\": ".to_owned(),
            )
        }
        other => {
            let (value, context) = generated(other, namespace);
            (
                vec![podscope_api::object_from_value(&value)],
                context.map_or_else(String::new, |kind| format!("error: failed to create {kind}: ")),
            )
        }
    };
    let mut writes = Vec::new();
    for object in values {
        match object {
            Ok(object) => {
                let success = format!("{}/{{name}} created", qualified_singular(object.kind()));
                writes.push(Write {
                    context: context.clone(),
                    ..Write::new(Request::Create(object), success)
                });
            }
            Err(errors) => return Plan::refuse(first_error(&errors)),
        }
    }
    if *output == Output::Table {
        return rehearsed(finish(plan, writes, Vec::new()), dry_run);
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
    finish(plan, writes, Vec::new())
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
