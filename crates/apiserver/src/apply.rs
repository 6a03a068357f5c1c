//! Server-side apply, and whose the fields of an object are: every command owns what it set last, an apply also what it
//! leaves as it was, and another apply is refused what it would take from somebody.

use std::sync::Arc;

use podscope_api::managed::{
    FieldPath, Manager, Managers, Owned, element_step, fields_of, is_atomic, list_keys, path_text, position, value_at,
};
use podscope_api::ordered::StableSort as _;
use podscope_api::{Object, Str, Time, Tree, object_from_value, schema};
use serde_json::{Value, json};

use super::{ApiServer, Caller, Outcome};
use podscope_sim::{Actor, Answer, ApiError, Applied, Part};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// What `kubectl apply` without `--server-side` is called; `kubectl` takes its fields over.
const CLIENT_SIDE: &str = "kubectl-client-side-apply";
const KUBECTL: &str = "kubectl";

/// Whose the fields become that a write changes.
pub(super) enum By {
    /// The writer's, if it is written down at all.
    Writer(Option<Writer>),
    /// As server-side apply has decided.
    Managers(Managers),
}

/// Who writes an object that is there, and when.
pub(super) struct Writer {
    name: Str,
    subresource: Str,
    time: Time,
}

impl Writer {
    /// Who it is, of a change that has a name; none where nothing is written down.
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
                return Err(untyped(applied, &errors));
            }
        }
        let set = fields_of(document);
        let own = Manager {
            name: applied.manager.clone(),
            subresource: Str::default(),
            is_apply: true,
            time: Some(caller.wall()),
            fields: Owned::Fields(Arc::new(set.clone())),
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
        let mut managers = written_out(&live);
        let mut lost = conflicts(&managers, &set, document, &before, applied);
        if applied.manager == KUBECTL.into() {
            allow_last_applied(&live, &before, &mut lost);
        }
        if !applied.force && !lost.is_empty() {
            return Err(conflict(&lost, kind.api_version()));
        }
        for (taken, path) in &lost {
            managers
                .iter_mut()
                .filter(|manager| *manager == taken)
                .for_each(|manager| give_up(manager, path));
        }
        let mut dropped = take_over(&mut managers, applied);
        dropped.retain(|path| set.binary_search(path).is_err() && !is_held(&managers, path));
        let mut merged = merge("", &before, document);
        // Elements after what they hold.
        dropped.iter().rev().for_each(|path| remove(&mut merged, path));
        keep_last_applied(&live, applied, &mut merged);
        managers.push(own);
        let object = read(applied, &merged)?;
        if merged == before && are_same(live.metadata().managers.list(), &managers) {
            return Ok(Some(live));
        }
        self.replace_as(
            &live,
            object,
            Part::Main,
            By::Managers(Managers::of(managers)),
            caller,
            out,
        )
    }
}

/// Whose the fields are that a write changes: the writer's, and nobody's who had them.
pub(super) fn note_write(old: &Object, new: &mut Object, writer: &Writer) {
    let (before, after) = (old.to_value(), new.to_value());
    let has = fields_of(&after);
    let changed: Vec<FieldPath> = has
        .iter()
        .filter(|path| value_at(&before, path) != value_at(&after, path))
        .filter(|path| !is_element(path) || value_at(&before, path).is_none())
        .cloned()
        .collect();
    let mut managers = written_out(old);
    for manager in &mut managers {
        let is_writer = !manager.is_apply && manager.name == writer.name && manager.subresource == writer.subresource;
        if let Owned::Fields(fields) = &mut manager.fields {
            let fields = Arc::make_mut(fields);
            fields.retain(|path| has.binary_search(path).is_ok());
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

/// The managers with their fields written out; of an object that nobody is known to have made, one that stands for all.
fn written_out(object: &Object) -> Vec<Manager> {
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

/// Whether the same managers own the same fields, whenever they wrote.
fn are_same(before: &[Manager], now: &[Manager]) -> bool {
    let owns = |manager: &Manager| Manager {
        time: None,
        ..manager.clone()
    };
    before.len() == now.len()
        && now
            .iter()
            .all(|one| before.iter().any(|other| owns(other) == owns(one)))
}

fn is_element(path: &[Str]) -> bool {
    path.last().is_some_and(|step| step.starts_with("k:"))
}

fn holds(manager: &Manager, path: &FieldPath) -> bool {
    matches!(&manager.fields, Owned::Fields(fields) if fields.binary_search(path).is_ok())
}

/// Whether a manager has the field, or one inside it.
fn is_held(managers: &[Manager], path: &FieldPath) -> bool {
    managers.iter().any(|manager| match &manager.fields {
        Owned::Fields(fields) => fields.iter().any(|one| one.starts_with(path)),
        Owned::All => true,
    })
}

fn give_up(manager: &mut Manager, path: &FieldPath) {
    if let Owned::Fields(fields) = &mut manager.fields {
        Arc::make_mut(fields).retain(|one| one != path);
    }
}

/// The fields of others that the document sets to something else.
fn conflicts(
    managers: &[Manager],
    set: &[FieldPath],
    document: &Value,
    live: &Value,
    applied: &Applied,
) -> Vec<(Manager, FieldPath)> {
    let differs = |path: &&FieldPath| !is_element(path) && value_at(document, path) != value_at(live, path);
    let changed: Vec<&FieldPath> = set.iter().filter(differs).collect();
    let others = managers
        .iter()
        .filter(|manager| !(manager.is_apply && manager.name == applied.manager));
    others
        .flat_map(|manager| {
            let held = changed.iter().filter(|path| holds(manager, path));
            held.map(|path| (manager.clone(), (*path).clone())).collect::<Vec<_>>()
        })
        .collect()
}

/// What `kubectl apply` gave last and nobody has changed since is kubectl's own.
fn allow_last_applied(live: &Object, before: &Value, lost: &mut Vec<(Manager, FieldPath)>) {
    let text = live.metadata().annotation(LAST_APPLIED);
    let Some(last) = text.and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
        return;
    };
    lost.retain(|(_, path)| value_at(&last, path).is_none_or(|value| Some(value) != value_at(before, path)));
}

/// Takes the manager's own entry out, and that of the client-side apply which kubectl follows; the fields they had.
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
    // The annotation that tells them apart stays.
    had.retain(|path| !path.iter().any(|step| step.get(2..) == Some(LAST_APPLIED)));
    had
}

/// The annotation of an object that was applied by a client goes with what is applied on the server.
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
    let mut object = object_from_value(value).map_err(|errors| {
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

/// Two values of one field, as the kinds' lists and maps are merged.
fn merge(field: &str, live: &Value, wanted: &Value) -> Value {
    match (live, wanted) {
        (Value::Object(have), Value::Object(map)) if !is_atomic(field) => {
            let mut merged = have.clone();
            for (key, value) in map {
                let next = have
                    .get(key)
                    .map_or_else(|| value.clone(), |live| merge(key, live, value));
                match next {
                    Value::Null => drop(merged.shift_remove(key)),
                    next => drop(merged.insert(key.clone(), next)),
                }
            }
            Value::Object(merged)
        }
        (Value::Array(have), Value::Array(items)) if field == "finalizers" => {
            let mut merged = have.clone();
            merged.extend(items.iter().filter(|item| !have.contains(item)).cloned());
            Value::Array(merged)
        }
        (Value::Array(have), Value::Array(items)) => {
            let Some(keys) = list_keys(field, items) else {
                return wanted.clone();
            };
            let mut merged = have.clone();
            for item in items {
                let Some(step) = element_step(item, keys) else { continue };
                match position(&merged, &step).and_then(|at| merged.get_mut(at)) {
                    Some(slot) => *slot = merge("", slot, item),
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

fn untyped(applied: &Applied, errors: &[String]) -> ApiError {
    let kind = applied.kind;
    let (group, version) = kind.group_and_version();
    // As the document has it, which may leave its namespace to the path.
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

/// 409 with whose the fields are, manager by manager.
fn conflict(lost: &[(Manager, FieldPath)], api_version: &str) -> ApiError {
    let texts = lost
        .iter()
        .map(|(manager, path)| (manager.told(api_version), path_text(path)));
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
