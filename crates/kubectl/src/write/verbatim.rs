//! The [`Verbatim`] commands that write or wait: `create KIND`, `run`, `expose`, `autoscale`, `wait`, `replace`,
//! `set env|resources|serviceaccount|selector`.

use std::sync::Arc;

use podscope_api::managed::{FieldManager, FieldManagers};
use podscope_api::{Kind, Object, ObjectKey};
use podscope_cluster::client::{
    AwaitedObject, ClientCommand, ErrorContext, WaitCommand, WaitPredicate, Write, object_name,
};
use podscope_cluster::{Objects, Part, Request};
use serde_json::{Value, json};

use super::super::jsonpath::{Path, value_text};
use super::super::merge::json_merge;
use super::super::work::WorkCounter;
use super::manifest_reader::{Manifest, ManifestItem};
use super::{
    Plan, View, change_request, find, finish_plan, plan_for_objects, refuse_if_missing, saved_config, with_dry_run,
};
use super::{expose, last_applied, replace, set};
use crate::command::{
    Action, Autoscale, GeneratedObjects, Kubectl, Output, SetChange, Validation, Verbatim, Wait, WaitCondition,
};
use crate::refusals::{Refusal, not_found, undecodable};
use crate::scale::ScaleSubresource;

/// Plans a [`Verbatim`] command; `None` if the command only reads.
pub(super) fn plan(verbatim: &Verbatim, view: &View<'_>) -> Option<Plan> {
    let dry_run = |plan: Plan| with_dry_run(plan, verbatim.dry_run, &verbatim.output, view);
    Some(match &verbatim.action {
        Action::Create(generated) => create_generated(generated, verbatim, view),
        Action::Wait(wait) => self::plan_wait(wait, view),
        Action::JobFrom { name, kind, source } => match job_from_cron_job(name, *kind, source, verbatim, view) {
            Ok(generated) => create_generated(&generated, verbatim, view),
            Err(message) => Plan::refuse(message),
        },
        Action::Expose(expose) => match expose::services_for(expose, view) {
            Ok(generated) => create_generated(&generated, verbatim, view),
            Err(message) => Plan::refuse(message),
        },
        Action::Autoscale(autoscale) => match autoscaler_for(autoscale, view) {
            Ok(generated) => create_generated(&generated, verbatim, view),
            Err(message) => Plan::refuse(message),
        },
        Action::Replace { text, options } => dry_run(replace::plan_replace(text, options, verbatim, view)),
        Action::SetLastApplied { text, creates } => {
            dry_run(last_applied::plan_set_last_applied(text, *creates, verbatim, view))
        }
        Action::EditLastApplied { target, text } => last_applied::plan_edit_last_applied(target, text, view),
        Action::Local {
            command,
            namespace,
            text,
        } => plan_local(command, namespace, text, view),
        Action::Set { target, change } => {
            let mut warnings = Vec::new();
            let sources = match set::variables_from_env_source(change, target.namespace(), view, &mut warnings) {
                Ok(sources) => sources,
                Err(message) => return Some(Plan::refuse(message)),
            };
            if let SetChange::Env {
                list: true, resolve, ..
            } = change
            {
                return Some(plan_for_objects(target, view, |object, plan, _| {
                    set::list_variables(object, *resolve, view, plan);
                    Ok(())
                }));
            }
            if let Some(plan) = refuse_if_missing(target, view).filter(|_| !matches!(change, SetChange::Selector(_))) {
                return Some(plan);
            }
            let mut plan = plan_for_objects(target, view, |object, plan, writes| {
                set::plan_set(object, change, &sources, plan, writes)
            });
            warnings.iter().for_each(|warning| plan.warn(warning));
            dry_run(plan)
        }
        _ => return None,
    })
}

/// Plans a command with `--local`: it works on the objects of the manifest instead of the cluster's objects.
fn plan_local(command: &Kubectl, namespace: &str, text: &str, view: &View<'_>) -> Plan {
    let mut objects = Objects::default();
    for item in Manifest::read(text, Some(namespace), Validation::Ignore, view.objects).items() {
        match item {
            Ok(ManifestItem::Object { object, .. }) => drop(objects.put(object)),
            Ok(ManifestItem::Malformed { kind, why, .. }) => return Plan::refuse(undecodable(kind, &why)),
            Ok(ManifestItem::Binding { .. }) => {}
            Err(message) => return Plan::refuse(message),
        }
    }
    super::plan_command(command, &objects, view.now)
}

/// Creates generated objects. With `--dry-run=client -o` they are printed instead, in the format of Go's types: with
/// empty structs, and without a namespace unless one was given.
fn create_generated(generated: &GeneratedObjects, verbatim: &Verbatim, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    generated.warnings.iter().for_each(|warning| plan.warn(warning));
    generated.errors.iter().for_each(|error| plan.err(error));
    let namespace = verbatim.namespace.as_deref();
    let is_shown = verbatim.dry_run.is_client_side() && verbatim.output != Output::Table;
    let mut writes = Vec::new();
    for (at, value) in generated.objects.iter().enumerate() {
        let mut value = value.clone();
        let text = |at: &str| value.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_service = text("/kind") == "Service";
        let kind = Kind::from_wire(&text("/apiVersion"), &text("/kind"));
        if kind.is_some_and(Kind::is_namespaced)
            && let Some(namespace) = namespace.or((!is_shown).then_some("default"))
        {
            value["metadata"]["namespace"] = Value::from(namespace);
        }
        // `run` and `expose` add the last-applied annotation only to an object that they send, not to a printed one.
        let is_saved = !(is_shown && matches!(verbatim.verb, "run" | "expose"));
        if verbatim.save_config && is_saved {
            let mut filled = value.clone();
            add_missing_fields(&mut filled, &generated.empty_fields);
            if !is_shown && namespace.is_none() {
                // The default namespace is part of the request, but not of the last-applied annotation.
                filled["metadata"]
                    .as_object_mut()
                    .map(|fields| fields.shift_remove("namespace"));
            }
            saved_config::set_last_applied_annotation(&mut value, &saved_config::last_applied_of_generated(&filled));
        }
        if is_shown {
            // `run --expose` also prints the Service, which has an empty status of its own.
            let service_status = [("/status", json!({"loadBalancer": {}}))];
            let empty_fields: &[(&str, Value)] = if is_service && generated.objects.len() > 1 {
                &service_status
            } else {
                &generated.empty_fields
            };
            add_missing_fields(&mut value, empty_fields);
            let format = match super::ObjectFormat::of(&verbatim.output) {
                Ok(Some(format)) => format,
                Ok(None) => continue,
                Err(why) => return Plan::refuse(why),
            };
            if at > 0 && format.has_document_separators() {
                plan.out("---");
                plan.out("---");
            }
            match format.text(&value) {
                Ok(text) => text.split('\n').for_each(|line| plan.out(line)),
                Err(why) => return Plan::refuse(why),
            }
            continue;
        }
        match podscope_api::object_from_value(&value) {
            Ok(mut object) => {
                let verb = verbatim.verb.split(' ').next().unwrap_or_default();
                object.metadata_mut().managers =
                    FieldManagers::of(vec![FieldManager::of_sender(format!("kubectl-{verb}"))]);
                let success = format!("{} {}", object_name(object.kind(), "{name}"), generated.done);
                writes.push(Write {
                    context: generated.context.clone(),
                    ..Write::new(Request::Create(object), success)
                });
            }
            Err(errors) => {
                let first = errors
                    .first()
                    .map_or_else(String::new, |error| format!("{}: {}", error.path, error.message));
                return Plan::refuse(format!("error: {first}"));
            }
        }
    }
    if is_shown {
        return plan;
    }
    with_dry_run(
        finish_plan(plan, writes, Vec::new()),
        verbatim.dry_run,
        &verbatim.output,
        view,
    )
}

/// Adds those of the given fields that the object lacks; each is a path of [`set_if_missing`] and an empty value.
fn add_missing_fields(value: &mut Value, fields: &[(&str, Value)]) {
    for (path, default) in fields {
        set_if_missing(value, path, default);
    }
}

/// Sets the value at a path if it is missing; `*` stands for every element of a list.
fn set_if_missing(value: &mut Value, path: &str, default: &Value) {
    let (head, rest) = match path.trim_start_matches('/').split_once('/') {
        Some((head, rest)) => (head, rest),
        None => {
            if let Some(map) = value.as_object_mut()
                && !map.contains_key(path.trim_start_matches('/'))
            {
                map.insert(path.trim_start_matches('/').to_owned(), default.clone());
            }
            return;
        }
    };
    match (head, value) {
        ("*", Value::Array(items)) => items.iter_mut().for_each(|item| set_if_missing(item, rest, default)),
        (head, Value::Object(map)) => {
            if let Some(inner) = map.get_mut(head) {
                set_if_missing(inner, rest, default);
            }
        }
        _ => {}
    }
}

/// Returns the object of a kind and name, or a NotFound error.
fn find_named(kind: Kind, name: &str, namespace: Option<&str>, view: &View<'_>) -> Result<Object, Refusal> {
    let key = ObjectKey::of(kind, namespace.unwrap_or("default"), name);
    view.objects.get_kind(kind, &key).ok_or_else(|| not_found(kind, name))
}

/// Generates a Job from the template of a CronJob (`create job --from`).
fn job_from_cron_job(
    name: &str,
    kind: Kind,
    source: &str,
    verbatim: &Verbatim,
    view: &View<'_>,
) -> Result<GeneratedObjects, String> {
    let object = find_named(kind, source, verbatim.namespace.as_deref(), view)?;
    if kind.name() != "CronJob" {
        return Err(format!(
            "error: unknown object type *{}",
            super::super::logs::go_type_of_kind(kind)
        ));
    }
    let value = object.to_value();
    let template = value.pointer("/spec/jobTemplate").cloned().unwrap_or_default();
    let mut metadata = template.get("metadata").cloned().unwrap_or_else(|| json!({}));
    metadata["name"] = Value::from(name);
    metadata["annotations"]["cronjob.kubernetes.io/instantiate"] = Value::from("manual");
    metadata["ownerReferences"] = json!([{"apiVersion": "batch/v1", "kind": "CronJob", "name": source, "uid": object.metadata().uid.to_string(), "controller": true}]);
    Ok(GeneratedObjects {
        objects: vec![
            json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.get("spec").cloned().unwrap_or_default()}),
        ],
        context: ErrorContext::Own("failed to create job: ".to_owned()),
        done: "created",
        empty_fields: vec![("/status", json!({}))],
        ..GeneratedObjects::default()
    })
}

/// Returns the only object of a target, or an error.
fn find_single(target: &crate::command::Target, view: &View<'_>) -> Result<Object, Refusal> {
    let found = find(target, view.objects)?;
    if let Some(error) = found.lookup_errors().next() {
        return Err(error);
    }
    let object = found.groups.into_iter().flat_map(|(_, objects)| objects).next();
    object.ok_or_else(|| Refusal::kubectl_error("no objects passed"))
}

/// Generates the HorizontalPodAutoscaler of a scalable object (`autoscale`).
fn autoscaler_for(autoscale: &Autoscale, view: &View<'_>) -> Result<GeneratedObjects, String> {
    let object = find_single(&autoscale.target, view)?;
    let kind = object.kind();
    if ScaleSubresource::of_kind(kind, view.objects).is_none() {
        let (group, version) = kind.group_and_version();
        return Err(format!(
            "error: cannot autoscale a {}: could not find scale subresource for {group}/{version}, Resource={} in discovery information",
            kind.name(),
            kind.plural()
        ));
    }
    let name = autoscale
        .name
        .clone()
        .unwrap_or_else(|| object.metadata().name.to_string());
    let mut spec = json!({"maxReplicas": autoscale.max,
        "scaleTargetRef": {"apiVersion": kind.api_version(), "kind": kind.name(), "name": object.metadata().name.to_string()}});
    if let Some(min) = autoscale.min {
        spec["minReplicas"] = Value::from(min);
    }
    if let Some(percent) = autoscale.cpu_percent {
        spec["metrics"] = json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}]);
    }
    Ok(GeneratedObjects {
        objects: vec![
            json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name}, "spec": spec}),
        ],
        done: "autoscaled",
        empty_fields: vec![("/status", json!({"currentMetrics": null, "desiredReplicas": 0}))],
        ..GeneratedObjects::default()
    })
}

/// Returns whether an object meets one condition of `kubectl wait`.
fn is_condition_met(awaited: &WaitCondition, path: Option<&Path>, object: Option<&Object>, uid: &str) -> bool {
    let Some(object) = object else {
        return *awaited == WaitCondition::Delete;
    };
    match awaited {
        WaitCondition::Create => true,
        WaitCondition::Delete => *object.metadata().uid.to_string() != *uid,
        WaitCondition::Condition(name, status) => {
            let value = object.to_value();
            let number = |at: &str| value.pointer(at).and_then(Value::as_i64);
            let conditions = value.pointer("/status/conditions").and_then(Value::as_array);
            conditions.into_iter().flatten().any(|condition| {
                let text = |field: &str| condition.get(field).and_then(Value::as_str).unwrap_or_default();
                let observed = condition.get("observedGeneration").and_then(Value::as_i64);
                let observed = observed.or_else(|| number("/status/observedGeneration"));
                text("type").eq_ignore_ascii_case(name)
                    && text("status").eq_ignore_ascii_case(status)
                    && observed.is_none_or(|observed| {
                        number("/metadata/generation").is_none_or(|generation| generation <= observed)
                    })
            })
        }
        WaitCondition::Path(_, wanted) => {
            let value = object.to_value();
            let work = WorkCounter::default();
            let found = path.and_then(|path| path.find(&value, &work).ok()).unwrap_or_default();
            match (found.as_slice(), wanted) {
                ([], _) => false,
                (_, None) => true,
                ([one], Some(wanted)) => value_text(one) == *wanted,
                _ => false,
            }
        }
    }
}

/// Plans `kubectl wait`.
fn plan_wait(wait: &Wait, view: &View<'_>) -> Plan {
    let found = match find(&wait.target, view.objects) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    let waits_for_deletion = wait.conditions.contains(&WaitCondition::Delete);
    let waits_for_creation = wait.conditions.contains(&WaitCondition::Create);
    let awaited = |kind: Kind, key: ObjectKey, object: Option<&Object>| AwaitedObject {
        kind,
        key,
        uid: object.map(|object| object.metadata().uid.clone()).unwrap_or_default(),
    };
    let mut objects: Vec<AwaitedObject> = found
        .groups
        .iter()
        .flat_map(|(kind, objects)| objects.iter().map(|object| awaited(*kind, object.key(), Some(object))))
        .collect();
    match (waits_for_deletion, waits_for_creation) {
        (true, _) => {}
        (_, true) => objects.extend(found.missing.iter().map(|(kind, name)| {
            let key = ObjectKey::of(*kind, wait.target.namespace(), name.as_str());
            awaited(*kind, key, None)
        })),
        _ if found.missing.is_empty() => {}
        _ => return finish_plan(Plan::default(), Vec::new(), found.lookup_errors().collect()),
    }
    if objects.is_empty() {
        return match waits_for_deletion {
            true => Plan::default(),
            false => Plan::refuse("error: no matching resources found"),
        };
    }
    let conditions: Vec<(WaitCondition, Option<Path>)> = wait
        .conditions
        .iter()
        .map(|one| match one {
            WaitCondition::Path(path, _) => (one.clone(), Path::parse(path).ok()),
            _ => (one.clone(), None),
        })
        .collect();
    let until = WaitPredicate(Arc::new(move |object, uid| {
        conditions
            .iter()
            .all(|(one, path)| is_condition_met(one, path.as_ref(), object, &uid.to_string()))
    }));
    Plan {
        client: Some(ClientCommand::Wait(WaitCommand {
            objects,
            until,
            timeout: wait.timeout,
            names_object: !waits_for_creation,
        })),
        ..Plan::default()
    }
}

/// Returns the request of a JSON merge patch.
pub(super) fn merge_patch(
    object: &Object,
    manager: &'static str,
    success: &str,
    patch: Value,
) -> Result<Write, Refusal> {
    change_request(object, Part::Main, manager, success, None, move |live| {
        Ok(json_merge(live, &patch))
    })
}
