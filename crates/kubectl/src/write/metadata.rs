//! `kubectl label` and `kubectl annotate` (KC-100, KC-101).

use podscope_api::well_known::annotation;
use podscope_api::{Str, ordered};
use podscope_cluster::Part;
use serde_json::{Value, json};

use super::super::merge::json_merge;
use super::{Plan, View, change_request, plan_for_objects, typed_name};
use crate::command::MetadataChange;
use crate::refusals::{Refusal, version_conflict};

/// Returns the verb that `label` prints for its changes of an object's labels, such as `labeled` (KC-100).
fn label_verb(map: &ordered::Map<Str, Str>, changes: &[(String, Option<String>)]) -> &'static str {
    let sets = |key: &str, value: &str| map.get(key).is_none_or(|have| **have != *value);
    let has_set = changes
        .iter()
        .any(|(key, value)| value.as_ref().is_some_and(|value| sets(key, value)));
    let has_removed = changes
        .iter()
        .any(|(key, value)| value.is_none() && map.contains_key(key.as_str()));
    match (has_set, has_removed) {
        (true, true) => "modified",
        (true, false) => "labeled",
        (false, true) => "unlabeled",
        (false, false) => "not labeled",
    }
}

/// Plans `label` or `annotate`.
pub(super) fn plan_metadata_change(command: &MetadataChange, labels: bool, view: &View<'_>) -> Plan {
    let mut marks = ordered::Map::new();
    plan_for_objects(&command.target, view, |object, plan, writes| {
        let meta = object.metadata();
        // An object may occur twice in the command: its second change is based on the result of the first.
        let stored = if labels { &meta.labels } else { &meta.annotations };
        let map: &mut ordered::Map<Str, Str> = marks
            .entry((object.kind(), object.key()))
            .or_insert_with(|| (**stored).clone());
        let conflicts: Vec<String> = command
            .changes
            .iter()
            .filter_map(|(key, value)| {
                let have = map.get(key.as_str())?;
                let is_exempt = !labels && key == annotation::CHANGE_CAUSE;
                let is_conflict = value.as_ref().is_some_and(|value| **value != **have) && !is_exempt;
                is_conflict.then(|| format!("'{key}' already has a value ({have})"))
            })
            .collect();
        if !command.overwrite && !conflicts.is_empty() {
            let label = |one: &String| format!("{one}, and --overwrite is false");
            return Err(match labels {
                true => match conflicts.as_slice() {
                    [one] => Refusal::KubectlError(label(one)),
                    all => Refusal::AsIs(all.iter().map(label).collect::<Vec<_>>().join("\n")),
                },
                false => Refusal::kubectl_error(format!(
                    "--overwrite is false but found the following declared annotation(s): {}",
                    conflicts.join("; ")
                )),
            });
        }
        if let Some(version) = command
            .resource_version
            .as_deref()
            .filter(|version| **version != *meta.resource_version)
        {
            if version.parse::<u64>().is_err() {
                let why = "invalid syntax";
                return Err(Refusal::as_is(format!(
                    "Error from server: strconv.ParseUint: parsing {version:?}: {why}"
                )));
            }
            return Err(version_conflict(object));
        }
        let name = typed_name(object);
        for (key, value) in &command.changes {
            let is_reported = labels && !command.list && !command.dry_run.is_client_side();
            if value.is_none() && !map.contains_key(key.as_str()) && is_reported {
                plan.out(format!("label {key:?} not found."));
            }
        }
        let done = if labels {
            label_verb(map, &command.changes)
        } else {
            "annotated"
        };
        let mut pairs = serde_json::Map::new();
        for (key, value) in &command.changes {
            match value {
                Some(value) => drop(map.insert(key.as_str().into(), value.as_str().into())),
                None => drop(map.remove(key.as_str())),
            }
            pairs.insert(key.clone(), value.as_deref().map_or(Value::Null, Value::from));
        }
        let (field, manager) = match labels {
            true => ("labels", "kubectl-label"),
            false => ("annotations", "kubectl-annotate"),
        };
        let patch = json!({"metadata": {field: pairs}});
        let success = format!("{name} {done}");
        writes.push(change_request(
            object,
            Part::Main,
            manager,
            &success,
            None,
            move |live| Ok(json_merge(live, &patch)),
        )?);
        Ok(())
    })
}
