//! `kubectl set image|env|resources|serviceaccount|selector|subject`: changes of a pod template, a Service or a role
//! binding.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use podscope_api::{Kind, Object, ObjectKey};
use podscope_cluster::client::{ErrorContext, Write};
use serde_json::{Value, json};

use super::super::gotext::sorted_entries;
use super::super::logs::go_type_of_kind;
use super::super::selector::LabelQuery;
use super::verbatim::merge_patch;
use super::{Plan, View, set_verb_request, typed_name};
use crate::command::SetChange;
use crate::refusals::{Refusal, not_found};

/// Returns the JSON pointer to the pod spec of an object.
pub(super) fn pod_spec_pointer(object: &Object) -> Result<&'static str, Refusal> {
    match object.kind() {
        Kind::Pod => Ok("/spec"),
        _ if object.template().is_some() => Ok("/spec/template/spec"),
        kind if kind.name() == "CronJob" => Ok("/spec/jobTemplate/spec/template/spec"),
        kind => Err(Refusal::kubectl_error(format!(
            "{}/{} the object is not a pod or does not have a pod template: *{}",
            kind.plural(),
            object.metadata().name,
            go_type_of_kind(kind)
        ))),
    }
}

/// Formats a selector requirement as Go prints its struct: `{app In [a b]}`.
fn go_requirement_text(requirement: &Value) -> String {
    let text = |field: &str| requirement.get(field).and_then(Value::as_str).unwrap_or_default();
    let values = requirement.get("values").and_then(Value::as_array);
    let values: Vec<&str> = values.into_iter().flatten().filter_map(Value::as_str).collect();
    format!("{{{} {} [{}]}}", text("key"), text("operator"), values.join(" "))
}

/// Returns whether a container name matches a pattern with at most one `*`.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail),
    }
}

/// Returns the names of an object's containers that match the pattern, init containers first.
fn matching_containers(value: &Value, spec_pointer: &str, pattern: &str) -> Vec<String> {
    ["initContainers", "containers"]
        .iter()
        .filter_map(|field| value.pointer(&format!("{spec_pointer}/{field}"))?.as_array())
        .flatten()
        .filter_map(|container| container.get("name")?.as_str())
        .filter(|name| matches_pattern(pattern, name))
        .map(str::to_owned)
        .collect()
}

/// Returns one variable per key of the ConfigMap or Secret that `set env --from` names (only the keys of `--keys`, if
/// given), each with its name and `valueFrom`; empty for other changes. Adds a warning for each key that differs from
/// its variable, `--prefix` aside.
pub(super) fn variables_from_env_source(
    change: &SetChange,
    namespace: &str,
    view: &View<'_>,
    warnings: &mut Vec<String>,
) -> Result<Vec<(String, Value)>, Refusal> {
    let SetChange::Env {
        from: Some((kind, name)),
        prefix,
        keys,
        ..
    } = change
    else {
        return Ok(Vec::new());
    };
    let object = view.objects.get_kind(*kind, &ObjectKey::new(namespace, name.as_str()));
    let value = object.ok_or_else(|| not_found(*kind, name))?.to_value();
    let field = match kind {
        Kind::Secret => "secretKeyRef",
        Kind::ConfigMap => "configMapKeyRef",
        _ => {
            return Err(Refusal::kubectl_error("unsupported resource specified in --from"));
        }
    };
    let data = value
        .get("data")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let mut variables = Vec::new();
    for (key, _) in sorted_entries(&data) {
        if !keys.is_empty() && !keys.contains(key) {
            continue;
        }
        let variable: String = key
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_uppercase()
                } else {
                    '_'
                }
            })
            .collect();
        if variable != *key {
            warnings.push(format!("key {key} transferred to {variable}"));
        }
        variables.push((
            format!("{prefix}{variable}"),
            json!({field: {"key": key, "name": name}}),
        ));
    }
    Ok(variables)
}

/// Changes the selector of a Service (`set selector`).
fn change_selector(object: &Object, selector_text: &str) -> Result<Write, Refusal> {
    if object.kind() != Kind::Service {
        return Err(Refusal::kubectl_error(
            "setting a selector is only supported for Services",
        ));
    }
    let query = LabelQuery::parse(selector_text).ok();
    let Some(pairs) = query.as_ref().and_then(LabelQuery::equalities) else {
        let expressions = query.map(|query| query.to_value()).unwrap_or_default();
        let listed = expressions.get("matchExpressions").and_then(Value::as_array);
        let listed: Vec<String> = listed.into_iter().flatten().map(go_requirement_text).collect();
        let listed = listed.join(" ");
        return Err(Refusal::kubectl_error(format!(
            "match expression [{listed}] not supported on this object"
        )));
    };
    let selector: Value = Value::Object(
        pairs
            .iter()
            .map(|(key, value)| (key.to_string(), Value::from(&**value)))
            .collect(),
    );
    let success = format!("{} selector updated", typed_name(object));
    set_verb_request(object, &success, None, move |value| {
        value["spec"]["selector"] = selector.clone();
    })
}

/// Changes the service account of a pod spec (`set serviceaccount`).
fn change_service_account(object: &Object, account: &str) -> Result<Write, Refusal> {
    let at = pod_spec_pointer(object)?;
    let mut patch = json!({"serviceAccountName": account, "serviceAccount": account});
    for part in at.trim_start_matches('/').split('/').rev() {
        patch = json!({part: patch});
    }
    let success = format!("{} serviceaccount updated", typed_name(object));
    Ok(Write {
        context: ErrorContext::Own("failed to patch ServiceAccountName ".to_owned()),
        ..merge_patch(object, "set serviceaccount", &success, patch)?
    })
}

/// Sets the amounts of `limits` and `requests` by resource name (`set resources`).
fn change_resources(
    object: &Object,
    containers: &str,
    amounts: [(&'static str, Vec<(String, String)>); 2],
) -> Result<Write, Refusal> {
    let at = pod_spec_pointer(object)?;
    if matching_containers(&object.to_value(), at, containers).is_empty() {
        return Err(Refusal::kubectl_error(format!(
            "unable to find container named {containers}"
        )));
    }
    let success = format!("{} resource requirements updated", typed_name(object));
    let write = change_containers(object, at, containers.to_owned(), success, move |container| {
        for (field, amounts) in &amounts {
            for (resource, amount) in amounts {
                container["resources"][field][resource.as_str()] = Value::from(amount.as_str());
            }
        }
    })?;
    Ok(Write {
        context: ErrorContext::Own("failed to patch resources update to pod template ".to_owned()),
        ..write
    })
}

/// Plans a `kubectl set` sub-command other than `set image` for one object. `env_source_variables` are the variables
/// of `set env --from`.
pub(super) fn plan_set(
    object: &Object,
    change: &SetChange,
    env_source_variables: &[(String, Value)],
    plan: &mut Plan,
    writes: &mut Vec<Write>,
) -> Result<(), Refusal> {
    match change {
        SetChange::Selector(text) => writes.push(change_selector(object, text)?),
        SetChange::Subjects(added) => add_subjects(object, added, writes)?,
        SetChange::ServiceAccount(account) => writes.push(change_service_account(object, account)?),
        SetChange::Env {
            changes,
            containers,
            overwrite,
            ..
        } => {
            let explicit = changes.iter().map(|(name, value)| {
                (
                    name.clone(),
                    value.as_ref().map(|value| json!({"name": name, "value": value})),
                )
            });
            let from_sources = env_source_variables
                .iter()
                .map(|(name, from)| (name.clone(), Some(json!({"name": name, "valueFrom": from}))));
            if matching_containers(&object.to_value(), pod_spec_pointer(object)?, containers).is_empty() {
                plan.warn(format_args!(
                    "{}/{} does not have any containers matching {containers:?}",
                    object.kind().name(),
                    object.metadata().name
                ));
                return Ok(());
            }
            let variables = explicit.chain(from_sources).collect();
            change_env(object, variables, containers, *overwrite, &typed_name(object), writes)?;
        }
        SetChange::Resources {
            limits,
            requests,
            containers,
        } => {
            let amounts = [("limits", limits.clone()), ("requests", requests.clone())];
            writes.push(change_resources(object, containers, amounts)?);
        }
    }
    Ok(())
}

/// Changes the images of containers given by name (`set image`).
pub(super) fn set_image(
    object: &Object,
    images: &[(String, String)],
    plan: &mut Plan,
    writes: &mut Vec<Write>,
) -> Result<(), Refusal> {
    let at = pod_spec_pointer(object)?;
    let value = object.to_value();
    let names = |field: &str| -> Vec<String> {
        value
            .pointer(&format!("{at}/{field}"))
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|container| container.get("name").and_then(Value::as_str).map(str::to_owned))
            .collect()
    };
    let known: Vec<String> = names("containers").into_iter().chain(names("initContainers")).collect();
    let is_known = |(container, _): &&(String, String)| container == "*" || known.contains(container);
    for (container, _) in images.iter().filter(|image| !is_known(image)) {
        plan.err(format!("error: unable to find container named {container:?}"));
    }
    // Containers that exist are changed even if other given names match no container.
    if !images.iter().any(|image| is_known(&image)) {
        return Ok(());
    }
    let images = images.to_vec();
    let write = set_verb_request(
        object,
        &format!("{} image updated", typed_name(object)),
        // The message for an unchanged object is empty.
        Some(String::new()),
        move |value| {
            for field in ["containers", "initContainers"] {
                let Some(Value::Array(containers)) = value.pointer_mut(&format!("{at}/{field}")) else {
                    continue;
                };
                for container in containers {
                    let name = container
                        .get("name")
                        .and_then(Value::as_str)
                        .unwrap_or_default()
                        .to_owned();
                    if let Some((_, image)) = images.iter().rev().find(|(wanted, _)| *wanted == name || wanted == "*")
                        && let Some(map) = container.as_object_mut()
                    {
                        map.insert("image".into(), Value::from(image.as_str()));
                    }
                }
            }
        },
    )?;
    writes.push(Write {
        context: ErrorContext::Own("failed to patch image update to pod template: ".to_owned()),
        ..write
    });
    Ok(())
}

/// Adds subjects that a binding does not have yet (`set subject`).
fn add_subjects(
    object: &Object,
    added: &[(&'static str, String, String)],
    writes: &mut Vec<Write>,
) -> Result<(), Refusal> {
    let kind = object.kind().name();
    if !matches!(kind, "RoleBinding" | "ClusterRoleBinding") {
        let (plural, name) = (object.kind().qualified_plural(), &object.metadata().name);
        return Err(Refusal::kubectl_error(format!(
            "{plural}/{name} setting subjects is only supported for RoleBinding/ClusterRoleBinding\n"
        )));
    }
    let mut subjects = Vec::new();
    for (subject_kind, namespace, name) in added {
        subjects.push(match (*subject_kind, namespace.as_str()) {
            ("ServiceAccount", "") if kind == "ClusterRoleBinding" => {
                return Err(Refusal::kubectl_error(
                    "serviceaccount must be <namespace>:<name>, namespace must be specified",
                ));
            }
            ("ServiceAccount", "") => {
                json!({"kind": subject_kind, "name": name, "namespace": object.metadata().namespace.to_string()})
            }
            ("ServiceAccount", namespace) => json!({"kind": subject_kind, "name": name, "namespace": namespace}),
            (subject_kind, _) => json!({"apiGroup": "rbac.authorization.k8s.io", "kind": subject_kind, "name": name}),
        });
    }
    let success = format!("{} subjects updated", typed_name(object));
    writes.push(set_verb_request(object, &success, Some(String::new()), move |value| {
        let have = value
            .get("subjects")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let new = subjects.iter().filter(|subject| !have.contains(subject)).cloned();
        let all: Vec<Value> = have.iter().cloned().chain(new).collect();
        value["subjects"] = Value::Array(all);
    })?);
    Ok(())
}

/// Returns a request that changes every container whose name matches the pattern.
fn change_containers(
    object: &Object,
    at: &'static str,
    pattern: String,
    success: String,
    edit: impl Fn(&mut Value) + Send + Sync + 'static,
) -> Result<Write, Refusal> {
    set_verb_request(object, &success, Some(String::new()), move |value| {
        for field in ["initContainers", "containers"] {
            let list = value
                .pointer_mut(&format!("{at}/{field}"))
                .and_then(Value::as_array_mut);
            for container in list.into_iter().flatten() {
                let is_match = container
                    .get("name")
                    .and_then(Value::as_str)
                    .is_some_and(|name| matches_pattern(&pattern, name));
                if is_match {
                    edit(container);
                }
            }
        }
    })
}

/// Sets variables, or removes those whose value is `None` (`set env`).
fn change_env(
    object: &Object,
    changes: Vec<(String, Option<Value>)>,
    containers: &str,
    overwrite: bool,
    name: &str,
    writes: &mut Vec<Write>,
) -> Result<(), Refusal> {
    let at = pod_spec_pointer(object)?;
    let value = object.to_value();
    if !overwrite {
        let list = value.pointer(&format!("{at}/containers")).and_then(Value::as_array);
        for variable in list
            .into_iter()
            .flatten()
            .filter_map(|container| container.get("env")?.as_array())
            .flatten()
        {
            let known = variable.get("name").and_then(Value::as_str).unwrap_or_default();
            let given = changes.iter().find(|(name, value)| name == known && value.is_some());
            if let (Some(_), Some(have)) = (given, variable.get("value").and_then(Value::as_str)) {
                let (plural, object_name) = (object.kind().plural(), &object.metadata().name);
                return Err(Refusal::kubectl_error(format!(
                    "{plural}/{object_name} '{known}' already has a value ({have}), and --overwrite is false"
                )));
            }
        }
    }
    let write = change_containers(
        object,
        at,
        containers.to_owned(),
        format!("{name} env updated"),
        move |container| {
            let mut list = container
                .get("env")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            for (name, value) in &changes {
                let index = list
                    .iter()
                    .position(|variable| variable.get("name").and_then(Value::as_str) == Some(name));
                let Some(value) = value else {
                    if let Some(index) = index {
                        list.remove(index);
                    }
                    continue;
                };
                match index.and_then(|index| list.get_mut(index)) {
                    Some(variable) => *variable = value.clone(),
                    None => list.push(value.clone()),
                }
            }
            match (list.is_empty(), container.as_object_mut()) {
                (true, Some(map)) => drop(map.shift_remove("env")),
                _ => container["env"] = Value::Array(list),
            }
        },
    )?;
    writes.push(Write {
        context: ErrorContext::Own("failed to patch env update to pod template: ".to_owned()),
        ..write
    });
    Ok(())
}

/// Prints the variables of all containers (`set env --list`); `resolve` prints their values instead of references.
pub(super) fn list_variables(object: &Object, resolve: bool, view: &View<'_>, plan: &mut Plan) {
    let at = match pod_spec_pointer(object) {
        Ok(at) => at,
        Err(why) => return plan.err(why),
    };
    let value = object.to_value();
    let lists = ["containers", "initContainers"].map(|field| value.pointer(&format!("{at}/{field}")));
    for container in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        plan.out(format!(
            "# {} {}, container {}",
            object.kind().name(),
            object.metadata().name,
            text(container, "name")
        ));
        for variable in container.get("env").and_then(Value::as_array).into_iter().flatten() {
            let name = text(variable, "name");
            let Some(from) = variable.get("valueFrom") else {
                plan.out(format!("{name}={}", text(variable, "value")));
                continue;
            };
            let reference = reference_text(from);
            match resolve.then(|| resolved_value(object, from, view)) {
                None => plan.out(format!("# {name} from {reference}")),
                Some(Ok(value)) => format!("{name}={value}")
                    .trim_end_matches('\n')
                    .split('\n')
                    .for_each(|line| plan.out(line)),
                Some(Err(why)) => {
                    plan.out(format!("# {name} from {reference}"));
                    plan.err(format!("error retrieving reference for {name}: {why}"));
                }
            }
        }
    }
}

/// Formats a `valueFrom` reference: `configmap settings, key color`.
fn reference_text(from: &Value) -> String {
    let text = |at: &str| from.pointer(at).and_then(Value::as_str).unwrap_or_default();
    if from.get("configMapKeyRef").is_some() {
        return format!(
            "configmap {}, key {}",
            text("/configMapKeyRef/name"),
            text("/configMapKeyRef/key")
        );
    }
    if from.get("secretKeyRef").is_some() {
        return format!(
            "secret {}, key {}",
            text("/secretKeyRef/name"),
            text("/secretKeyRef/key")
        );
    }
    if from.get("fieldRef").is_some() {
        return format!("field path {}", text("/fieldRef/fieldPath"));
    }
    if from.get("resourceFieldRef").is_some() {
        let container = text("/resourceFieldRef/containerName");
        let prefix = if container.is_empty() {
            String::new()
        } else {
            format!("{container}/")
        };
        return format!("resource field {prefix}{}", text("/resourceFieldRef/resource"));
    }
    // kubectl does not support `fileKeyRef`.
    "invalid valueFrom".to_owned()
}

/// Returns the value of a `valueFrom` reference (`--resolve`).
fn resolved_value(object: &Object, from: &Value, view: &View<'_>) -> Result<String, String> {
    let namespace = &*object.metadata().namespace;
    let text = |at: &str| from.pointer(at).and_then(Value::as_str).unwrap_or_default();
    let data = |kind: Kind, field: &str| -> Result<String, String> {
        let (name, key) = (text(&format!("/{field}/name")), text(&format!("/{field}/key")));
        let found = view.objects.get_kind(kind, &ObjectKey::new(namespace, name));
        let plural = kind.plural();
        let value = found.ok_or_else(|| format!("{plural} {name:?} not found"))?.to_value();
        let found = value
            .pointer("/data")
            .and_then(|data| data.get(key))
            .and_then(Value::as_str);
        found
            .map(str::to_owned)
            .ok_or_else(|| format!("key {key} not found in {} {name}", kind.name().to_ascii_lowercase()))
    };
    if from.get("configMapKeyRef").is_some() {
        return data(Kind::ConfigMap, "configMapKeyRef");
    }
    if from.get("secretKeyRef").is_some() {
        let bytes = STANDARD.decode(data(Kind::Secret, "secretKeyRef")?).unwrap_or_default();
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let path = text("/fieldRef/fieldPath");
    let value = object.to_value();
    match path {
        "metadata.name" | "metadata.namespace" | "metadata.uid" => {
            let found = value
                .pointer(&format!("/{}", path.replace('.', "/")))
                .and_then(Value::as_str);
            Ok(found.unwrap_or_default().to_owned())
        }
        path => Err(format!("unsupported fieldPath: {path}")),
    }
}
