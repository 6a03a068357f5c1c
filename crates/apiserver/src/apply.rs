//! Server-side apply and field ownership. An apply makes its field manager the owner of all fields in its document,
//! even of those that it does not change; it fails with a conflict if it would change a field of another manager. Any
//! other write makes its field manager the owner of only the fields that it changes.

use podscope_api::managed::{
    ElementIdentity, FieldChanges, FieldManager, FieldManagers, FieldPath, FieldSet, OwnershipSemantics, compare,
    fields_of, fields_set_at_creation, list_index, path_text, type_errors, value_at,
};
use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::annotation::LAST_APPLIED;
use podscope_api::{Kind, Object, Str, Time, Tree, object_from_tree, object_from_value, schema};
use serde_json::{Value, json};

use super::{ApiServer, Caller, Outcome};
use podscope_sim::{Actor, Answer, ApiError, ApplyRequest, Part};

/// Field manager of `kubectl apply` without `--server-side`. A server-side apply by `kubectl` takes over its fields.
const CLIENT_SIDE_APPLY_MANAGER: &str = "kubectl-client-side-apply";
const KUBECTL_MANAGER: &str = "kubectl";

/// How a write changes field ownership.
pub(super) enum Ownership {
    /// The writer becomes the owner of the fields that it changes. `None` if ownership is not tracked for this write.
    FieldWriter(Option<FieldWriter>),
    /// The object gets this complete list of managers, which server-side apply has computed.
    Managers(FieldManagers),
}

/// The field manager of a write to an existing object, with the time of the write.
pub(super) struct FieldWriter {
    name: Str,
    subresource: Str,
    time: Time,
    /// The field managers in the object that the client sent; if there are none, the stored ones are kept.
    sent: FieldManagers,
    /// Whether the client requests to remove all field managers.
    removes_all_managers: bool,
}

impl FieldWriter {
    /// Returns the field manager of a write; `client_manager` is its name if a client writes. `None` if ownership is
    /// not tracked, because the stored object has no field managers.
    pub(super) fn of(
        caller: &Caller<'_>,
        (old, new): (&Object, &Object),
        client_manager: &str,
        subresource: &str,
        part: Part,
    ) -> Option<FieldWriter> {
        if old.metadata().managers.list().is_empty() {
            return None;
        }
        let name = match caller.actor {
            Actor::Client(_) => client_manager,
            Actor::Kubelet(_) => "kubelet",
            Actor::Scheduler(_) => "kube-scheduler",
            _ if old.kind() == Kind::CustomResourceDefinition => "kube-apiserver",
            _ => "kube-controller-manager",
        };
        let subresource = match part {
            Part::Main => subresource,
            Part::Status => "status",
            Part::Resize => "resize",
            Part::EphemeralContainers => "ephemeralcontainers",
        };
        let sent = new.metadata().managers.list().iter();
        let removes_all_managers = sent.clone().any(|manager| manager.name.is_empty());
        let sent = sent.filter(|manager| !manager.fields.is_empty()).cloned().collect();
        Some(FieldWriter {
            name: name.into(),
            subresource: subresource.into(),
            time: caller.wall_time(),
            sent: FieldManagers::of(sent),
            removes_all_managers,
        })
    }
}

/// The schema of a kind, which determines whether a list or map has one owner or an owner per element.
pub(super) struct OwnershipSchema {
    kind: Kind,
    /// The schema of a custom kind; `None` for a built-in kind.
    schema: Option<Value>,
}

impl OwnershipSchema {
    fn ownership_semantics(&self) -> OwnershipSemantics<'_> {
        match &self.schema {
            Some(schema) => OwnershipSemantics::Defined(schema),
            None => OwnershipSemantics::of_kind(self.kind),
        }
    }
}

impl ApiServer {
    /// Returns the schema that determines how the fields of a kind can be owned; a custom kind has it in its
    /// definition.
    pub(super) fn ownership_schema(&self, kind: Kind) -> OwnershipSchema {
        let schema = self.objects().with_version(kind, |version| version.schema().clone());
        OwnershipSchema { kind, schema }
    }

    /// Makes the client that creates an object the owner of its fields.
    pub(super) fn set_creator_as_manager(&self, object: &mut Object, caller: &Caller<'_>) {
        if !object
            .metadata()
            .managers
            .list()
            .iter()
            .any(|one| one.fields.is_empty())
        {
            return;
        }
        let ownership_schema = self.ownership_schema(object.kind());
        let fields = FieldSet::of(&created_fields(object, ownership_schema.ownership_semantics()));
        let metadata = object.metadata_mut();
        let mut managers = metadata.managers.list().to_vec();
        for manager in managers.iter_mut().filter(|one| one.fields.is_empty()) {
            manager.fields = fields.clone();
            manager.time = Some(caller.wall_time());
        }
        managers.retain(|manager| !manager.fields.is_empty());
        metadata.managers = FieldManagers::of(managers);
    }

    /// Handles a PATCH of server-side apply.
    pub(super) fn apply(&mut self, applied: &ApplyRequest, caller: &Caller<'_>, out: &mut Outcome) -> Answer {
        let ApplyRequest {
            kind, key, document, ..
        } = applied;
        let ownership_schema = self.ownership_schema(*kind);
        let semantics = ownership_schema.ownership_semantics();
        check_types(applied, semantics)?;
        let is_status = &*applied.subresource == "status";
        let in_part = |path: &FieldPath| match is_status {
            true => path.first().is_some_and(|step| &**step == "f:status"),
            false => !self.has_status_subresource(*kind) || path.first().is_none_or(|step| &**step != "f:status"),
        };
        let mut applied_fields = fields_of(document, semantics);
        applied_fields.retain(in_part);
        let own = FieldManager {
            name: applied.manager.clone(),
            subresource: applied.subresource.clone(),
            is_apply: true,
            time: Some(caller.wall_time()),
            fields: FieldSet::of(&applied_fields),
        };
        let Some(live) = self.objects().get_kind(*kind, key) else {
            if !applied.subresource.is_empty() {
                return Err(ApiError::not_found(*kind, &key.name));
            }
            let object = new_object(applied, own)?;
            return self.create(object, caller, out);
        };
        ApiError::check_uid_and_resource_version(&live, document)?;
        let before = live.to_value();
        let mut managers = managers_or_implicit_manager(&live, semantics);
        let mut conflicting = find_conflicts(&managers, &applied_fields, document, &before, &own);
        if applied.manager == KUBECTL_MANAGER.into() {
            remove_last_applied_conflicts(&live, &before, &mut conflicting);
        }
        if !applied.force && !conflicting.is_empty() {
            return Err(conflict_error(&conflicting, kind.api_version()));
        }
        for (owner, path) in &conflicting {
            managers
                .iter_mut()
                .filter(|manager| *manager == owner || manager.is_same(owner))
                .for_each(|manager| remove_ownership(manager, path));
        }
        let mut dropped = remove_replaced_managers(&mut managers, &own);
        // A map is not removed if the document applies a field inside it: an apply owns only that field, whereas other
        // writes also own the maps that they create.
        let is_applied = |path: &FieldPath| applied_fields.iter().any(|one| one.starts_with(path));
        dropped.retain(|path| !is_applied(path) && !is_owned(&managers, path));
        let mut merged = merge(semantics, &before, &document_part_to_apply(document, is_status));
        // List elements are removed before their fields, because the key fields identify the element.
        dropped.iter().for_each(|path| remove_field(&mut merged, path));
        update_last_applied_annotation(&live, applied, &mut merged);
        if !own.fields.is_empty() {
            managers.push(own);
        }
        managers.retain(|manager| !manager.fields.is_empty());
        let object = decode_applied(applied, &merged)?;
        if merged == before && are_managers_equal_except_times(live.metadata().managers.list(), &managers) {
            return Ok(Some(live));
        }
        restore_unchanged_manager_times(live.metadata().managers.list(), &mut managers, merged == before);
        let part = if is_status { Part::Status } else { Part::Main };
        let by = Ownership::Managers(FieldManagers::of(managers));
        self.replace_part(&live, object, part, by, caller, out)
    }

    /// Makes the writer the owner of the fields that the write changes, and removes those from all other managers.
    pub(super) fn update_field_managers(&self, old: &Object, new: &mut Object, writer: &FieldWriter) {
        if writer.removes_all_managers {
            new.metadata_mut().managers = FieldManagers::default();
            return;
        }
        let ownership_schema = self.ownership_schema(new.kind());
        let (before, after) = (old.to_value(), new.to_value());
        let FieldChanges { written, removed } = compare(&before, &after, ownership_schema.ownership_semantics());
        let mut managers = match writer.sent.list() {
            [] => old.metadata().managers.list().to_vec(),
            sent => sent.to_vec(),
        };
        let own = FieldManager {
            subresource: writer.subresource.clone(),
            ..FieldManager::of_sender(writer.name.clone())
        };
        if !managers.iter().any(|manager| manager.is_same(&own)) {
            managers.push(own.clone());
        }
        let is_changed = |path: &FieldPath| written.binary_search(path).is_ok() || removed.binary_search(path).is_ok();
        for manager in &mut managers {
            let is_writer = manager.is_same(&own);
            let had = manager.fields.paths();
            let mut fields = had.clone();
            fields.retain(|path| !is_changed(path));
            if is_writer {
                fields.extend(written.iter().cloned());
                fields.stable_sort();
            }
            if fields == had {
                continue;
            }
            manager.fields = FieldSet::of(&fields);
            if is_writer && &*manager.subresource != "scale" {
                manager.time = Some(writer.time);
            }
        }
        managers.retain(|manager| !manager.fields.is_empty());
        new.metadata_mut().managers = FieldManagers::of(managers);
    }
}

/// Refuses a document with fields that the kind does not have, or with values of another type.
fn check_types(applied: &ApplyRequest, semantics: OwnershipSemantics<'_>) -> Result<(), ApiError> {
    let kind = applied.kind;
    let errors = match (semantics, schema::served(kind.api_version(), kind.name())) {
        (OwnershipSemantics::BuiltIn(..), Some(served)) => type_errors(served.fields, &applied.document),
        (OwnershipSemantics::Defined(of), _) => podscope_api::structural::undeclared_fields(&applied.document, of),
        (OwnershipSemantics::BuiltIn(..), None) => Vec::new(),
    };
    match errors.as_slice() {
        [] => Ok(()),
        errors => Err(typed_patch_error(applied, errors)),
    }
}

/// Creates the object of an applied document if no such object is stored.
fn new_object(applied: &ApplyRequest, own: FieldManager) -> Result<Object, ApiError> {
    let mut object = decode_applied(applied, &applied.document)?;
    let metadata = object.metadata_mut();
    if !metadata.uid.is_empty() {
        let uid = &metadata.uid;
        let why = format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
        return Err(ApiError::conflict(applied.kind, &applied.key.name, &why));
    }
    metadata.namespace = applied.key.namespace.clone();
    metadata.managers = FieldManagers::of(if own.fields.is_empty() { Vec::new() } else { vec![own] });
    Ok(object)
}

/// Returns the part of a document that an apply writes: the status, or everything else.
fn document_part_to_apply(document: &Value, is_status: bool) -> Value {
    let mut document = document.clone();
    if let Some(map) = document.as_object_mut() {
        match is_status {
            true => map.retain(|name, _| matches!(name.as_str(), "apiVersion" | "kind" | "status")),
            false => drop(map.shift_remove("status")),
        }
    }
    document
}

/// Returns the fields that the creation of an object sets; the status is not among them.
fn created_fields(object: &Object, semantics: OwnershipSemantics<'_>) -> Vec<FieldPath> {
    let mut fields = fields_set_at_creation(&object.to_value(), semantics);
    fields.retain(|path| path.first().is_none_or(|step| &**step != "f:status"));
    fields
}

/// Returns the managers of an object. If it has none, a manager that owns all its fields is added.
fn managers_or_implicit_manager(object: &Object, semantics: OwnershipSemantics<'_>) -> Vec<FieldManager> {
    let metadata = object.metadata();
    let mut managers = metadata.managers.list().to_vec();
    if managers.is_empty() {
        let name = match metadata.controller_ref() {
            Some(_) => "kube-controller-manager",
            None => "before-first-apply",
        };
        managers.push(FieldManager {
            time: metadata.creation_timestamp,
            fields: FieldSet::of(&created_fields(object, semantics)),
            ..FieldManager::of_sender(name)
        });
    }
    managers
}

/// Returns whether the same managers own the same fields, regardless of their timestamps.
fn are_managers_equal_except_times(before: &[FieldManager], now: &[FieldManager]) -> bool {
    let is_known = |one: &FieldManager| {
        before
            .iter()
            .any(|other| other.is_same(one) && other.fields == one.fields)
    };
    before.len() == now.len() && now.iter().all(is_known)
}

/// Restores the time of entries whose fields did not change, if the apply did not change the object.
fn restore_unchanged_manager_times(before: &[FieldManager], now: &mut [FieldManager], is_unchanged: bool) {
    for manager in now.iter_mut().filter(|_| is_unchanged) {
        let old = before
            .iter()
            .find(|old| old.is_same(manager) && old.fields == manager.fields);
        if let Some(old) = old {
            manager.time = old.time;
        }
    }
}

fn is_keyed_list_element(path: &[Str]) -> bool {
    path.last().is_some_and(|step| step.starts_with("k:"))
}

/// Returns whether a manager owns the field or a field inside it.
fn is_owned(managers: &[FieldManager], path: &FieldPath) -> bool {
    let mut owned = managers.iter().flat_map(|manager| manager.fields.paths());
    owned.any(|one| one.starts_with(path))
}

fn remove_ownership(manager: &mut FieldManager, path: &FieldPath) {
    let mut fields = manager.fields.paths();
    fields.retain(|one| one != path);
    manager.fields = FieldSet::of(&fields);
}

/// Returns the fields of other managers that the document would set to a different value.
fn find_conflicts(
    managers: &[FieldManager],
    applied_fields: &[FieldPath],
    document: &Value,
    live: &Value,
    own: &FieldManager,
) -> Vec<(FieldManager, FieldPath)> {
    let differs = |path: &&FieldPath| !is_keyed_list_element(path) && value_at(document, path) != value_at(live, path);
    let changed: Vec<&FieldPath> = applied_fields.iter().filter(differs).collect();
    let others = managers.iter().filter(|manager| !manager.is_same(own));
    others
        .flat_map(|manager| {
            let fields = manager.fields.paths();
            let held = changed.iter().filter(|path| fields.binary_search(path).is_ok());
            held.map(|path| (manager.clone(), (*path).clone())).collect::<Vec<_>>()
        })
        .collect()
}

/// Removes conflicts on fields that still have the value of the last client-side apply, because kubectl owns them.
fn remove_last_applied_conflicts(live: &Object, before: &Value, conflicting: &mut Vec<(FieldManager, FieldPath)>) {
    let text = live.metadata().annotation(LAST_APPLIED);
    let Some(last) = text.and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
        return;
    };
    conflicting.retain(|(_, path)| value_at(&last, path).is_none_or(|value| Some(value) != value_at(before, path)));
}

/// Removes the entries that the new apply replaces: the earlier entry of its manager and, if that is kubectl, the entry
/// of client-side apply. Returns the fields of the removed entries.
fn remove_replaced_managers(managers: &mut Vec<FieldManager>, own: &FieldManager) -> Vec<FieldPath> {
    let is_own = |manager: &FieldManager| {
        let is_followed =
            own.name == KUBECTL_MANAGER.into() && !manager.is_apply && manager.name == CLIENT_SIDE_APPLY_MANAGER.into();
        is_followed || manager.is_same(own)
    };
    let replaced = managers.iter().filter(|manager| is_own(manager));
    let mut had: Vec<FieldPath> = replaced.flat_map(|manager| manager.fields.paths()).collect();
    managers.retain(|manager| !is_own(manager));
    had.stable_sort();
    had.dedup();
    // The last-applied annotation stays, so that a later apply still recognises the object as client-side applied.
    let annotation = [
        "f:metadata".to_owned(),
        "f:annotations".to_owned(),
        format!("f:{LAST_APPLIED}"),
    ];
    let leads_to_it = |path: &FieldPath| {
        path.len() <= annotation.len() && path.iter().zip(&annotation).all(|(step, kept)| **step == **kept)
    };
    if had
        .iter()
        .any(|path| path.len() == annotation.len() && leads_to_it(path))
    {
        had.retain(|path| !leads_to_it(path));
    }
    had
}

/// Updates the last-applied annotation if kubectl applies an object that has it from an earlier client-side apply.
fn update_last_applied_annotation(live: &Object, applied: &ApplyRequest, merged: &mut Value) {
    if applied.manager != KUBECTL_MANAGER.into() || live.metadata().annotation(LAST_APPLIED).is_none() {
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

/// Decodes the JSON of a new or merged object, and sets the namespace of the request.
fn decode_applied(applied: &ApplyRequest, value: &Value) -> Result<Object, ApiError> {
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
fn merge(semantics: OwnershipSemantics<'_>, live: &Value, wanted: &Value) -> Value {
    match (live, wanted) {
        (Value::Object(existing), Value::Object(map)) if !semantics.is_atomic() => {
            let mut merged = existing.clone();
            for (key, value) in map {
                let field = semantics.field(key);
                let next = existing
                    .get(key)
                    .map_or_else(|| value.clone(), |live| merge(field, live, value));
                match next {
                    Value::Null => drop(merged.shift_remove(key)),
                    next => drop(merged.insert(key.clone(), next)),
                }
            }
            Value::Object(merged)
        }
        (Value::Array(existing), Value::Array(items)) => {
            let mut merged = existing.clone();
            match semantics.elements() {
                ElementIdentity::Atomic => return wanted.clone(),
                ElementIdentity::Set => merged.extend(items.iter().filter(|item| !existing.contains(item)).cloned()),
                ElementIdentity::Keyed(keys) => {
                    for item in items {
                        let Some(step) = semantics.path_element(item, &keys) else {
                            continue;
                        };
                        match list_index(&merged, &step).and_then(|at| merged.get_mut(at)) {
                            Some(element) => *element = merge(semantics.item(), element, item),
                            None => merged.push(item.clone()),
                        }
                    }
                }
            }
            Value::Array(merged)
        }
        _ => wanted.clone(),
    }
}

fn remove_field(value: &mut Value, path: &[Str]) {
    let Some((last, above)) = path.split_last() else { return };
    let mut at = value;
    for step in above {
        let next = match step.split_once(':') {
            Some(("f", name)) => at.get_mut(name),
            _ => at
                .as_array_mut()
                .and_then(|items| list_index(items, step).and_then(|found| items.get_mut(found))),
        };
        match next {
            Some(next) => at = next,
            None => return,
        }
    }
    match (at, last.split_once(':')) {
        (Value::Object(map), Some(("f", name))) => drop(map.shift_remove(name)),
        (Value::Array(items), Some(("k", _))) => {
            if let Some(found) = list_index(items, last) {
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

fn typed_patch_error(applied: &ApplyRequest, errors: &[String]) -> ApiError {
    let kind = applied.kind;
    let (group, version) = kind.group_and_version();
    // The message contains the namespace in the document (empty if it has none), not the namespace of the request.
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
    ApiError::without_reason(format!("failed to create typed patch object ({of}): {why}"))
}

/// Returns error 409, which lists the conflicting fields by manager.
fn conflict_error(conflicting: &[(FieldManager, FieldPath)], api_version: &str) -> ApiError {
    let texts = conflicting
        .iter()
        .map(|(manager, path)| (manager.printed_name(api_version), path_text(path)));
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
