//! What is done to objects that are there: `delete`, `scale`, `label`,
//! `annotate`, `patch`, `edit`, `set image` (KC-079 to KC-085, KC-098 to KC-103).

use podscope_api::{Kind, Object, ObjectKey};
use podscope_cluster::client::{ClientCommand, DeleteCommand, Write};
use podscope_cluster::{DeleteOptions, Part, Propagation};
use serde_json::{Value, json};

use super::super::merge::{json_merge, json_patch, strategic, three_way};
use super::super::qualified_plural;
use super::reading::{Read, read};
use super::{Plan, View, change, find, finish, not_found, qualified_singular, typed_name, with_objects};
use crate::command::{Delete, Doomed, DryRun, Kubectl, Mark, PatchType, Target};

pub(super) fn delete(what: &Delete, view: &View<'_>) -> Plan {
    let mut plan = Plan::default();
    let mut targets: Vec<(Kind, ObjectKey)> = Vec::new();
    let mut ignore_not_found = what.ignore_not_found;
    let is_scoped = match &what.what {
        Doomed::Manifest { text, namespace } => {
            let found = read(text, namespace.as_deref());
            if found.is_empty() {
                return Plan::refuse("error: no objects passed to delete");
            }
            for read in found {
                match read {
                    Ok(Read::Object { object, .. }) => targets.push((object.kind(), object.key())),
                    Ok(Read::Malformed { kind, key, .. }) => targets.push((kind, key)),
                    Ok(Read::LeftOut { .. }) => {}
                    Err(message) => return Plan::refuse(message),
                }
            }
            namespace.is_some()
        }
        Doomed::Target(target) => {
            let found = match find(target, view.objects) {
                Ok(found) => found,
                Err(message) => return Plan::refuse(message),
            };
            for object in found.groups.iter().flat_map(|(_, objects)| objects) {
                targets.push((object.kind(), object.key()));
            }
            for (kind, name) in found.misses {
                let key = if kind.is_namespaced() {
                    ObjectKey::new(target.namespace(), name.as_str())
                } else {
                    ObjectKey::cluster(name.as_str())
                };
                targets.push((kind, key));
            }
            if target.all || target.selector.is_some() || target.field_selector.is_some() {
                ignore_not_found = true;
                if targets.is_empty() {
                    plan.out("No resources found");
                    return plan;
                }
            }
            target.namespace.is_some()
        }
    };
    let mut warnings = Vec::new();
    if is_scoped && targets.iter().any(|(kind, _)| !kind.is_namespaced()) {
        warnings.push("Warning: deleting cluster-scoped resources, not scoped to the provided namespace".to_owned());
    }
    if what.dry_run == DryRun::Client {
        for (kind, key) in &targets {
            let tail = if kind.is_namespaced() {
                format!(" from {} namespace", key.namespace)
            } else {
                String::new()
            };
            plan.out(format!(
                "{} {:?} deleted{tail} (dry run)",
                qualified_singular(*kind),
                &*key.name
            ));
        }
        return plan;
    }
    plan.client = Some(ClientCommand::Delete(DeleteCommand {
        targets,
        options: DeleteOptions {
            grace_seconds: what.grace_seconds(),
            propagation: match what.cascade.as_deref() {
                Some("orphan") => Some(Propagation::Orphan),
                Some("foreground") => Some(Propagation::Foreground),
                _ => Some(Propagation::Background),
            },
            ..DeleteOptions::default()
        },
        wait: what.wait.unwrap_or(true),
        timeout: what.timeout,
        ignore_not_found,
        output_name: what.output_name,
        dry_run: what.dry_run,
        warnings,
    }));
    plan
}

pub(super) fn scale(target: &Target, replicas: i32, current: Option<i32>, view: &View<'_>) -> Plan {
    let found = match find(target, view.objects) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    if let Some((kind, name)) = found.misses.first() {
        return Plan::refuse(format!(
            "error: no objects passed to scale {} {name:?} not found",
            qualified_plural(*kind)
        ));
    }
    let mut writes = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        if !matches!(
            object.kind(),
            Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet
        ) {
            return Plan::refuse("Error from server (NotFound): the server could not find the requested resource");
        }
        let have = object
            .typed_value()
            .pointer("/spec/replicas")
            .and_then(Value::as_i64)
            .unwrap_or(1);
        if let Some(current) = current.filter(|current| i64::from(*current) != have) {
            return Plan::refuse(format!("error: Expected replicas to be {current}, was {have}"));
        }
        let write = change(
            object,
            Part::Main,
            "scale",
            &format!("{} scaled", typed_name(object)),
            None,
            move |live| Ok(json_merge(live, &json!({"spec": {"replicas": replicas}}))),
        );
        match write {
            Ok(write) => writes.push(write),
            Err(message) => return Plan::refuse(message),
        }
    }
    Plan::writes(writes)
}

pub(super) fn mark(what: &Mark, labels: bool, view: &View<'_>) -> Plan {
    let found = match find(&what.target, view.objects) {
        Ok(found) => found,
        Err(message) => return Plan::refuse(message),
    };
    let mut plan = Plan::default();
    let mut writes = Vec::new();
    let mut errors = Vec::new();
    for object in found.groups.iter().flat_map(|(_, objects)| objects) {
        let name = typed_name(object);
        let meta = object.metadata();
        let map = if labels { &meta.labels } else { &meta.annotations };
        let conflicts: Vec<String> = what
            .changes
            .iter()
            .filter_map(|(key, value)| {
                let have = map.get(key.as_str())?;
                let clash =
                    value.as_ref().is_some_and(|value| **value != **have) && key != "kubernetes.io/change-cause";
                clash.then(|| format!("'{key}' already has a value ({have})"))
            })
            .collect();
        if !what.overwrite && !conflicts.is_empty() {
            errors.push(if labels {
                format!("error: {}, and --overwrite is false", conflicts.join(", "))
            } else {
                format!(
                    "error: --overwrite is false but found the following declared annotation(s): {}",
                    conflicts.join("; ")
                )
            });
            continue;
        }
        let noun = if labels { "label" } else { "annotation" };
        for (key, value) in &what.changes {
            if value.is_none() && !map.contains_key(key.as_str()) && labels {
                plan.out(format!("{noun} {key:?} not found."));
            }
        }
        let removes = what
            .changes
            .iter()
            .any(|(key, value)| value.is_none() && map.contains_key(key.as_str()));
        let adds = what.changes.iter().any(|(_, value)| value.is_some());
        let word = match (labels, removes && !adds && !what.overwrite) {
            (false, _) => "annotated",
            (true, true) => "unlabeled",
            (true, false) => "labeled",
        };
        let pairs: serde_json::Map<String, Value> = what
            .changes
            .iter()
            .map(|(key, value)| {
                (
                    key.clone(),
                    value.as_ref().map_or(Value::Null, |value| Value::from(value.as_str())),
                )
            })
            .collect();
        let field = if labels { "labels" } else { "annotations" };
        let patch = json!({"metadata": {field: pairs}});
        let unchanged = labels.then(|| format!("{name} not labeled"));
        match change(
            object,
            Part::Main,
            "label",
            &format!("{name} {word}"),
            unchanged,
            move |live| Ok(json_merge(live, &patch)),
        ) {
            Ok(write) => writes.push(write),
            Err(message) => errors.push(message),
        }
    }
    errors.extend(found.misses.iter().map(|(kind, name)| not_found(*kind, name)));
    if writes.is_empty() && errors.is_empty() {
        plan.err("No resources found");
    }
    finish(plan, writes, errors)
}

/// `kubectl patch`.
pub(super) fn patch(command: &Kubectl, view: &View<'_>) -> Plan {
    let Kubectl::Patch {
        target,
        patch_type,
        patch,
        subresource,
        dry_run: _,
    } = command
    else {
        return Plan::default();
    };
    let tree = match podscope_api::read_yaml(patch) {
        Ok(tree) => tree.to_value(),
        Err(problems) => {
            let why = problems.first().map_or_else(String::new, ToString::to_string);
            return Plan::refuse(format!("error: unable to parse {patch:?}: {why}"));
        }
    };
    let patch_type = *patch_type;
    let part = if subresource.as_deref() == Some("status") {
        Part::Status
    } else {
        Part::Main
    };
    with_objects(target, view, |object, _, writes| {
        let name = typed_name(object);
        let tree = tree.clone();
        writes.push(change(
            object,
            part,
            "patch",
            &format!("{name} patched"),
            Some(format!("{name} patched (no change)")),
            move |live| match patch_type {
                PatchType::Strategic => Ok(strategic(live, &tree)),
                PatchType::Merge => Ok(json_merge(live, &tree)),
                PatchType::Json => json_patch(live, &tree).map_err(|why| format!("The request is invalid: {why}")),
            },
        )?);
        Ok(())
    })
}

/// `kubectl edit`: what was changed in the text is changed in the object.
pub(super) fn edit(target: &Target, text: &str, view: &View<'_>) -> Plan {
    let parsed = podscope_api::parse(text);
    if let Some(problem) = parsed.problems.first() {
        return Plan::refuse(format!("error: the edited file failed validation: {problem}"));
    }
    let [located] = parsed.objects.as_slice() else {
        return Plan::refuse("error: the edited text must hold one object");
    };
    let edited = located.value.to_value();
    with_objects(target, view, |object, _, writes| {
        if object.kind() != located.value.kind() || object.metadata().name != located.value.metadata().name {
            return Err("error: at least one of apiVersion, kind and name was changed".into());
        }
        let (before, edited) = (object.to_value(), edited.clone());
        writes.push(change(
            object,
            Part::Main,
            "edit",
            &format!("{} edited", typed_name(object)),
            Some("Edit cancelled, no changes made.".into()),
            move |live| Ok(three_way(&before, &edited, live)),
        )?);
        Ok(())
    })
}

pub(super) fn set_image(object: &Object, images: &[(String, String)], writes: &mut Vec<Write>) -> Result<(), String> {
    let at = if object.kind() == Kind::Pod {
        "/spec"
    } else {
        "/spec/template/spec"
    };
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
    for (container, _) in images.iter().filter(|(container, _)| container != "*") {
        if !names("containers").contains(container) && !names("initContainers").contains(container) {
            return Err(format!("error: unable to find container named {container:?}"));
        }
    }
    let images = images.to_vec();
    writes.push(change(
        object,
        Part::Main,
        "set image",
        &format!("{} image updated", typed_name(object)),
        None,
        move |live| {
            let mut value = live.clone();
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
            Ok(value)
        },
    )?);
    Ok(())
}
