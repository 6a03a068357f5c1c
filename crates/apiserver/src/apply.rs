//! Server-side apply and field ownership. A command owns the fields that it changed last. An apply owns all fields of
//! its document, even those that it did not change, and conflicts if it would change a field of another manager.

use std::sync::Arc;

use podscope_api::managed::{
    FieldPath, Manager, Managers, Owned, element_step, fields_of, is_atomic, list_keys, path_text, position, value_at,
};
use podscope_api::ordered::StableSort as _;
use podscope_api::{Kind, Object, Str, Time, Tree, object_from_tree, object_from_value, schema};
use serde_json::{Value, json};

use super::{ApiServer, Caller, Outcome};
use podscope_sim::{Actor, Answer, ApiError, Applied, Part};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Field manager of `kubectl apply` without `--server-side`. A server-side apply by `kubectl` takes over its fields.
const CLIENT_SIDE: &str = "kubectl-client-side-apply";
const KUBECTL: &str = "kubectl";

/// How a write changes field ownership.
pub(super) enum Ownership {
    /// The writer owns the changed fields. `None` if ownership is not tracked for this write.
    Writer(Option<Writer>),
    /// The complete list of managers, computed by server-side apply.
    Managers(Managers),
}

/// The field manager of a write to an existing object, with the time of the write.
pub(super) struct Writer {
    name: Str,
    subresource: Str,
    time: Time,
}

impl Writer {
    /// The field manager of a write; `change` is the name for writes of clients. `None` if ownership is not tracked.
    pub(super) fn of(caller: &Caller<'_>, old: &Object, change: &str, subresource: &str, part: Part) -> Option<Writer> {
        let managers = old.metadata().managers.list();
        let is_applied = managers.iter().any(|manager| manager.is_apply);
        let name = match caller.actor {
            Actor::Client(_) if !managers.is_empty() => change,
            Actor::Kubelet(_) if is_applied && part == Part::Main => "kubelet",
            _ if is_applied && part == Part::Main => "kube-controller-manager",
            _ => return None,
        };
        let subresource = match part {
            Part::Main => subresource,
            Part::Status => "status",
            Part::Resize => "resize",
        };
        Some(Writer {
            name: name.into(),
            subresource: subresource.into(),
            time: caller.wall(),
        })
    }
}

impl ApiServer {
    /// PATCH of server-side apply.
    pub(super) fn apply(&mut self, applied: &Applied, caller: &Caller<'_>, out: &mut Outcome) -> Answer {
        let Applied {
            kind, key, document, ..
        } = applied;
        if let Some(served) = schema::served(kind.api_version(), kind.name()) {
            let errors = schema::typed_errors(served.fields, document);
            if !errors.is_empty() {
                return Err(typed_patch_error(applied, &errors));
            }
        }
        let applied_fields = fields_of(document);
        let own = Manager {
            name: applied.manager.clone(),
            subresource: Str::default(),
            is_apply: true,
            time: Some(caller.wall()),
            fields: Owned::Fields(Arc::new(applied_fields.clone())),
        };
        let Some(live) = self.objects().get_kind(*kind, key) else {
            let mut object = read(applied, document)?;
            if !object.metadata().uid.is_empty() {
                let uid = &object.metadata().uid;
                let why =
                    format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
                return Err(ApiError::conflict(*kind, &key.name, &why));
            }
            object.metadata_mut().namespace = key.namespace.clone();
            object.metadata_mut().managers = Managers::of(vec![own]);
            return self.create(object, caller, out);
        };
        let before = live.to_value();
        let mut managers = explicit_managers(&live);
        let mut conflicting = conflicts(&managers, &applied_fields, document, &before, applied);
        if applied.manager == KUBECTL.into() {
            allow_last_applied(&live, &before, &mut conflicting);
        }
        if !applied.force && !conflicting.is_empty() {
            return Err(conflict(&conflicting, kind.api_version()));
        }
        for (owner, path) in &conflicting {
            managers
                .iter_mut()
                .filter(|manager| *manager == owner)
                .for_each(|manager| disown(manager, path));
        }
        let mut dropped = take_over(&mut managers, applied);
        dropped.retain(|path| applied_fields.binary_search(path).is_err() && !is_owned(&managers, path));
        let mut merged = merge("", &before, document);
        // In reverse order, so that the fields of a list element are removed before the element itself.
        dropped.iter().rev().for_each(|path| remove(&mut merged, path));
        keep_last_applied(&live, applied, &mut merged);
        managers.push(own);
        let object = read(applied, &merged)?;
        if merged == before && are_equal_except_times(live.metadata().managers.list(), &managers) {
            return Ok(Some(live));
        }
        self.replace_as(
            &live,
            object,
            Part::Main,
            Ownership::Managers(Managers::of(managers)),
            caller,
            out,
        )
    }
}

/// Makes the writer the owner of the fields that the write changes, and removes those from all other managers.
pub(super) fn note_write(old: &Object, new: &mut Object, writer: &Writer) {
    let (before, after) = (old.to_value(), new.to_value());
    let fields_after = fields_of(&after);
    let changed: Vec<FieldPath> = fields_after
        .iter()
        .filter(|path| value_at(&before, path) != value_at(&after, path))
        .filter(|path| !is_element(path) || value_at(&before, path).is_none())
        .cloned()
        .collect();
    let mut managers = explicit_managers(old);
    for manager in &mut managers {
        let is_writer = !manager.is_apply && manager.name == writer.name && manager.subresource == writer.subresource;
        if let Owned::Fields(fields) = &mut manager.fields {
            let fields = Arc::make_mut(fields);
            fields.retain(|path| fields_after.binary_search(path).is_ok());
            match is_writer {
                true => fields.extend(changed.iter().cloned()),
                false => fields.retain(|path| changed.binary_search(path).is_err()),
            }
            fields.stable_sort();
            fields.dedup();
        }
        if is_writer && !changed.is_empty() {
            manager.time = Some(writer.time);
        }
    }
    let is_known = managers
        .iter()
        .any(|one| !one.is_apply && one.name == writer.name && one.subresource == writer.subresource);
    if !is_known && !changed.is_empty() {
        managers.push(Manager {
            name: writer.name.clone(),
            subresource: writer.subresource.clone(),
            is_apply: false,
            time: Some(writer.time),
            fields: Owned::Fields(Arc::new(changed)),
        });
    }
    managers.retain(|manager| !matches!(&manager.fields, Owned::Fields(fields) if fields.is_empty()));
    new.metadata_mut().managers = Managers::of(managers);
}

/// The managers with explicit field lists. An object without managers gets one that owns all its fields.
fn explicit_managers(object: &Object) -> Vec<Manager> {
    let metadata = object.metadata();
    let mut managers = metadata.managers.list().to_vec();
    if managers.is_empty() {
        let name = match metadata.controller_ref() {
            Some(_) => "kube-controller-manager",
            None => "before-first-apply",
        };
        managers.push(Manager::creating(name));
    }
    for manager in &mut managers {
        manager.fields = Owned::Fields(manager.fields_of(object));
        manager.time = manager.time.or(metadata.creation_timestamp);
    }
    managers
}

/// Returns whether the same managers own the same fields, regardless of their timestamps.
fn are_equal_except_times(before: &[Manager], now: &[Manager]) -> bool {
    let without_time = |manager: &Manager| Manager {
        time: None,
        ..manager.clone()
    };
    before.len() == now.len()
        && now
            .iter()
            .all(|one| before.iter().any(|other| without_time(other) == without_time(one)))
}

fn is_element(path: &[Str]) -> bool {
    path.last().is_some_and(|step| step.starts_with("k:"))
}

fn owns_field(manager: &Manager, path: &FieldPath) -> bool {
    matches!(&manager.fields, Owned::Fields(fields) if fields.binary_search(path).is_ok())
}

/// Returns whether a manager owns the field or a field inside it.
fn is_owned(managers: &[Manager], path: &FieldPath) -> bool {
    managers.iter().any(|manager| match &manager.fields {
        Owned::Fields(fields) => fields.iter().any(|one| one.starts_with(path)),
        Owned::All => true,
    })
}

fn disown(manager: &mut Manager, path: &FieldPath) {
    if let Owned::Fields(fields) = &mut manager.fields {
        Arc::make_mut(fields).retain(|one| one != path);
    }
}

/// The fields of other managers that the document would set to a different value.
fn conflicts(
    managers: &[Manager],
    applied_fields: &[FieldPath],
    document: &Value,
    live: &Value,
    applied: &Applied,
) -> Vec<(Manager, FieldPath)> {
    let differs = |path: &&FieldPath| !is_element(path) && value_at(document, path) != value_at(live, path);
    let changed: Vec<&FieldPath> = applied_fields.iter().filter(differs).collect();
    let others = managers
        .iter()
        .filter(|manager| !(manager.is_apply && manager.name == applied.manager));
    others
        .flat_map(|manager| {
            let held = changed.iter().filter(|path| owns_field(manager, path));
            held.map(|path| (manager.clone(), (*path).clone())).collect::<Vec<_>>()
        })
        .collect()
}

/// Removes conflicts on fields that still have the value of the last client-side apply: kubectl owns those.
fn allow_last_applied(live: &Object, before: &Value, conflicting: &mut Vec<(Manager, FieldPath)>) {
    let text = live.metadata().annotation(LAST_APPLIED);
    let Some(last) = text.and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
        return;
    };
    conflicting.retain(|(_, path)| value_at(&last, path).is_none_or(|value| Some(value) != value_at(before, path)));
}

/// Removes the entries that the new apply replaces (its own, and for kubectl that of client-side apply), and returns
/// their fields.
fn take_over(managers: &mut Vec<Manager>, applied: &Applied) -> Vec<FieldPath> {
    let is_own = |manager: &Manager| {
        let is_followed = applied.manager == KUBECTL.into() && !manager.is_apply && manager.name == CLIENT_SIDE.into();
        is_followed || (manager.is_apply && manager.name == applied.manager)
    };
    let mut had: Vec<FieldPath> = Vec::new();
    for manager in managers.iter().filter(|manager| is_own(manager)) {
        if let Owned::Fields(fields) = &manager.fields {
            had.extend(fields.iter().cloned());
        }
    }
    managers.retain(|manager| !is_own(manager));
    had.stable_sort();
    had.dedup();
    // The last-applied annotation stays, so that a later apply still recognises the object as client-side applied.
    had.retain(|path| !path.iter().any(|step| step.get(2..) == Some(LAST_APPLIED)));
    had
}

/// Updates the last-applied annotation of an object that kubectl applied on the client side before.
fn keep_last_applied(live: &Object, applied: &Applied, merged: &mut Value) {
    if applied.manager != KUBECTL.into() || live.metadata().annotation(LAST_APPLIED).is_none() {
        return;
    }
    let mut document = applied.document.clone();
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.entry("annotations").or_insert_with(|| json!({}));
    }
    document.sort_all_objects();
    if let Some(annotations) = merged
        .pointer_mut("/metadata/annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.insert(LAST_APPLIED.to_owned(), format!("{document}\n").into());
    }
}

fn read(applied: &Applied, value: &Value) -> Result<Object, ApiError> {
    let tree = Tree::from_value(value);
    if let Some(served) = schema::served(applied.kind.api_version(), applied.kind.name())
        && let Err(why) = schema::decode_object(served.fields, &tree)
    {
        return Err(ApiError::undecodable(applied.kind, &why));
    }
    let object = match applied.kind {
        kind @ Kind::Custom(_) => object_from_tree(kind, &tree),
        _ => object_from_value(value),
    };
    let mut object = object.map_err(|errors| {
        ApiError::bad_request(
            errors
                .into_iter()
                .next()
                .map_or_else(String::new, |error| error.message),
        )
    })?;
    object.metadata_mut().namespace = applied.key.namespace.clone();
    Ok(object)
}

/// Merges two values of a field by the merge strategy of its list or map type.
fn merge(field: &str, live: &Value, wanted: &Value) -> Value {
    match (live, wanted) {
        (Value::Object(existing), Value::Object(map)) if !is_atomic(field) => {
            let mut merged = existing.clone();
            for (key, value) in map {
                let next = existing
                    .get(key)
                    .map_or_else(|| value.clone(), |live| merge(key, live, value));
                match next {
                    Value::Null => drop(merged.shift_remove(key)),
                    next => drop(merged.insert(key.clone(), next)),
                }
            }
            Value::Object(merged)
        }
        (Value::Array(existing), Value::Array(items)) if field == "finalizers" => {
            let mut merged = existing.clone();
            merged.extend(items.iter().filter(|item| !existing.contains(item)).cloned());
            Value::Array(merged)
        }
        (Value::Array(existing), Value::Array(items)) => {
            let Some(keys) = list_keys(field, items) else {
                return wanted.clone();
            };
            let mut merged = existing.clone();
            for item in items {
                let Some(step) = element_step(item, keys) else { continue };
                match position(&merged, &step).and_then(|at| merged.get_mut(at)) {
                    Some(element) => *element = merge("", element, item),
                    None => merged.push(item.clone()),
                }
            }
            Value::Array(merged)
        }
        _ => wanted.clone(),
    }
}

fn remove(value: &mut Value, path: &[Str]) {
    let Some((last, above)) = path.split_last() else { return };
    let mut at = value;
    for step in above {
        let next = match step.split_once(':') {
            Some(("f", name)) => at.get_mut(name),
            _ => at
                .as_array_mut()
                .and_then(|items| position(items, step).and_then(|found| items.get_mut(found))),
        };
        match next {
            Some(next) => at = next,
            None => return,
        }
    }
    match (at, last.split_once(':')) {
        (Value::Object(map), Some(("f", name))) => drop(map.shift_remove(name)),
        (Value::Array(items), Some(("k", _))) => {
            if let Some(found) = position(items, last) {
                items.remove(found);
            }
        }
        (Value::Array(items), Some((_, wanted))) => {
            let wanted: Option<Value> = serde_json::from_str(wanted).ok();
            items.retain(|item| Some(item) != wanted.as_ref());
        }
        _ => {}
    }
}

fn typed_patch_error(applied: &Applied, errors: &[String]) -> ApiError {
    let kind = applied.kind;
    let (group, version) = kind.group_and_version();
    // The message shows the namespace of the document, which may be absent there.
    let namespace = applied.document.pointer("/metadata/namespace").and_then(Value::as_str);
    let key = podscope_api::ObjectKey::new(namespace.unwrap_or_default(), applied.key.name.clone());
    let of = format!(
        "{}/{}; {group}/{version}, Kind={}",
        key.namespace,
        key.name,
        kind.name()
    );
    let why = match errors {
        [one] => one.clone(),
        several => format!("errors:\n  {}", several.join("\n  ")),
    };
    ApiError::unnamed(format!("failed to create typed patch object ({of}): {why}"))
}

/// 409 that lists the conflicting fields by manager.
fn conflict(conflicting: &[(Manager, FieldPath)], api_version: &str) -> ApiError {
    let texts = conflicting
        .iter()
        .map(|(manager, path)| (manager.printed(api_version), path_text(path)));
    let message = match texts.clone().collect::<Vec<_>>().as_slice() {
        [(manager, path)] => format!("Apply failed with 1 conflict: conflict with {manager}: {path}"),
        several => {
            let mut sorted = several.to_vec();
            sorted.stable_sort_by(|a, b| a.0.cmp(&b.0));
            let mut lines = Vec::new();
            for (at, (manager, path)) in sorted.iter().enumerate() {
                if at == 0 || sorted.get(at - 1).is_some_and(|(before, _)| before != manager) {
                    lines.push(format!("conflicts with {manager}:"));
                }
                lines.push(format!("- {path}"));
            }
            format!("Apply failed with {} conflicts: {}", several.len(), lines.join("\n"))
        }
    };
    ApiError::apply_conflict(
        message,
        texts.map(|(manager, path)| (path, format!("conflict with {manager}"))),
    )
}
