//! Field managers of server-side apply and the sets of fields that they own, as in `metadata.managedFields`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{Kind, Object, Str, Time};

/// A field as a list of path elements in FieldsV1 form: `f:spec`, `k:{"name":"app"}`, `v:"example.com/hold"`.
pub type FieldPath = Vec<Str>;

/// The fields that a manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owned {
    /// All fields that the object was created with, including defaults: for an object that was not changed since.
    All,
    /// These fields, sorted.
    Fields(Arc<Vec<FieldPath>>),
}

/// An entry of `managedFields`: a client, its kind of write, and the fields it owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manager {
    /// The name of the client (`--field-manager`): `kubectl-create`.
    pub name: Str,
    /// The subresource: `scale`, `status`; usually empty.
    pub subresource: Str,
    /// Whether the manager used server-side apply.
    pub is_apply: bool,
    /// Time of the last write; None: the object's creation.
    pub time: Option<Time>,
    pub fields: Owned,
}

impl Manager {
    /// The manager that creates an object.
    #[must_use]
    pub fn creating(name: impl Into<Str>) -> Manager {
        Manager {
            name: name.into(),
            subresource: Str::default(),
            is_apply: false,
            time: None,
            fields: Owned::All,
        }
    }

    /// The manager as named in the server's error messages.
    #[must_use]
    pub fn printed(&self, api_version: &str) -> String {
        let mut text = format!("{:?}", &*self.name);
        if !self.subresource.is_empty() {
            text.push_str(&format!(" with subresource {:?}", &*self.subresource));
        }
        if !self.is_apply {
            text.push_str(&format!(" using {api_version}"));
        }
        text
    }
}

/// The field managers of an object; not on the wire, but printed by `get --show-managed-fields`.
///
/// Deviation: recorded only for writes by commands and for objects with server-side apply; status updates by
/// controllers are not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Managers(Option<Arc<Vec<Manager>>>);

impl Managers {
    /// From a list of managers.
    #[must_use]
    pub fn of(list: Vec<Manager>) -> Managers {
        Managers((!list.is_empty()).then(|| Arc::new(list)))
    }

    /// The managers in order of their first write.
    #[must_use]
    pub fn list(&self) -> &[Manager] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// `metadata.managedFields` of the object; None if there are no managers.
    #[must_use]
    pub fn to_value(&self, object: &Object) -> Option<Value> {
        let list = self.list();
        let entries = list.iter().map(|manager| {
            let mut entry = json!({
                "apiVersion": object.kind().api_version(),
                "fieldsType": "FieldsV1",
                "fieldsV1": fields_v1(&manager.fields_of(object)),
                "manager": &*manager.name,
                "operation": if manager.is_apply { "Apply" } else { "Update" },
            });
            if !manager.subresource.is_empty() {
                entry["subresource"] = Value::from(&*manager.subresource);
            }
            if let Some(time) = manager.time.or(object.metadata().creation_timestamp) {
                entry["time"] = Value::from(time.to_string());
            }
            entry
        });
        (!list.is_empty()).then(|| Value::Array(entries.collect()))
    }
}

impl Manager {
    /// The fields that the manager owns in this object.
    #[must_use]
    pub fn fields_of(&self, object: &Object) -> Arc<Vec<FieldPath>> {
        match &self.fields {
            Owned::All => Arc::new(fields_of(&as_sent(object))),
            Owned::Fields(fields) => fields.clone(),
        }
    }
}

/// The object without the fields set by admission, the registry and binding, which no manager owns.
fn as_sent(object: &Object) -> Value {
    let mut value = object.to_value();
    match object.kind() {
        Kind::Pod => pod_as_sent(&mut value),
        Kind::Service => service_as_sent(&mut value),
        Kind::Job => {
            let own = [
                "batch.kubernetes.io/controller-uid",
                "batch.kubernetes.io/job-name",
                "controller-uid",
                "job-name",
            ];
            remove(&mut value, "/metadata/labels", &own);
            remove(&mut value, "/spec/template/metadata/labels", &own);
            remove(&mut value, "/spec", &["selector"]);
        }
        Kind::Deployment => remove(
            &mut value,
            "/metadata/annotations",
            &["deployment.kubernetes.io/revision"],
        ),
        Kind::Namespace => remove(&mut value, "/spec", &["finalizers"]),
        Kind::PersistentVolumeClaim => remove(&mut value, "/spec", &["volumeName"]),
        Kind::PersistentVolume => remove(&mut value, "/spec", &["claimRef"]),
        _ => {}
    }
    let is_protection_finalizer = |item: &Value| item.as_str().is_some_and(|name| name.ends_with("-protection"));
    retain_items(value.pointer_mut("/metadata/finalizers"), &|item| {
        !is_protection_finalizer(item)
    });
    if let Some(metadata) = value.get_mut("metadata") {
        for field in ["finalizers", "labels", "annotations"] {
            remove_if_empty(metadata, field);
        }
    }
    value
}

fn pod_as_sent(value: &mut Value) {
    let labels_from_binding = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];
    remove(value, "/metadata/labels", &labels_from_binding);
    let fields_from_admission = [
        "nodeName",
        "serviceAccount",
        "serviceAccountName",
        "priority",
        "preemptionPolicy",
    ];
    remove(value, "/spec", &fields_from_admission);
    let is_token = |name: &str| name.starts_with("kube-api-access-");
    retain_items(value.pointer_mut("/spec/volumes"), &|item| {
        !is_named(item, "name", &is_token)
    });
    for field in ["containers", "initContainers"] {
        let list = value
            .pointer_mut(&format!("/spec/{field}"))
            .and_then(Value::as_array_mut);
        for container in list.into_iter().flatten() {
            retain_items(container.get_mut("volumeMounts"), &|item| {
                !is_named(item, "name", &is_token)
            });
            remove_if_empty(container, "volumeMounts");
        }
    }
    retain_items(value.pointer_mut("/spec/tolerations"), &|item| {
        let is_default_toleration =
            |key: &str| key == "node.kubernetes.io/not-ready" || key == "node.kubernetes.io/unreachable";
        !is_named(item, "key", &is_default_toleration) || item.get("tolerationSeconds") != Some(&Value::from(300))
    });
    if let Some(spec) = value.get_mut("spec") {
        remove_if_empty(spec, "tolerations");
        remove_if_empty(spec, "volumes");
    }
}

fn service_as_sent(value: &mut Value) {
    let is_headless = value.pointer("/spec/clusterIP").and_then(Value::as_str) == Some("None");
    let fields_from_registry: &[&str] = match is_headless {
        true => &["clusterIPs", "ipFamilies", "ipFamilyPolicy"],
        false => &[
            "clusterIP",
            "clusterIPs",
            "ipFamilies",
            "ipFamilyPolicy",
            "healthCheckNodePort",
        ],
    };
    remove(value, "/spec", fields_from_registry);
    let ports = value.pointer_mut("/spec/ports").and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten() {
        remove(port, "", &["nodePort"]);
    }
}

/// Removes fields from the map at a JSON pointer.
fn remove(value: &mut Value, at: &str, fields: &[&str]) {
    if let Some(map) = value.pointer_mut(at).and_then(Value::as_object_mut) {
        fields.iter().for_each(|field| drop(map.shift_remove(*field)));
    }
}

/// Returns whether a field of a list item holds a string that satisfies `is`.
fn is_named(item: &Value, key: &str, is: &dyn Fn(&str) -> bool) -> bool {
    item.get(key).and_then(Value::as_str).is_some_and(is)
}

fn retain_items(list: Option<&mut Value>, is_kept: &dyn Fn(&Value) -> bool) {
    if let Some(items) = list.and_then(Value::as_array_mut) {
        items.retain(|item| is_kept(item));
    }
}

/// Removes a field that is an empty list or map.
fn remove_if_empty(value: &mut Value, field: &str) {
    let is_empty = match value.get(field) {
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(map)) => map.is_empty(),
        _ => false,
    };
    if let Some(map) = value.as_object_mut().filter(|_| is_empty) {
        map.shift_remove(field);
    }
}

/// The fields that identify elements of a list; None for an atomic list.
#[must_use]
pub fn list_keys(field: &str, items: &[Value]) -> Option<&'static [&'static str]> {
    let has = |key: &str| items.iter().any(|item| item.get(key).is_some());
    Some(match field {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "volumes"
        | "env"
        | "imagePullSecrets"
        | "schedulingGates"
        | "resourceClaims" => &["name"],
        "volumeMounts" => &["mountPath"],
        "volumeDevices" => &["devicePath"],
        "ports" if has("containerPort") => &["containerPort", "protocol"],
        "ports" if has("port") => &["port", "protocol"],
        "conditions" | "addresses" => &["type"],
        "ownerReferences" => &["uid"],
        "hostAliases" => &["ip"],
        "topologySpreadConstraints" => &["topologyKey", "whenUnsatisfiable"],
        _ => return None,
    })
}

/// Returns whether the map in this field is atomic: a manager that sets a part of it owns all of it.
#[must_use]
pub fn is_atomic(field: &str) -> bool {
    matches!(
        field,
        "selector"
            | "labelSelector"
            | "namespaceSelector"
            | "podSelector"
            | "nodeSelector"
            | "preference"
            | "requiredDuringSchedulingIgnoredDuringExecution"
            | "configMapKeyRef"
            | "secretKeyRef"
            | "fileKeyRef"
            | "fieldRef"
            | "resourceFieldRef"
            | "scaleTargetRef"
            | "claimRef"
            | "dataSource"
            | "roleRef"
            | "secretRef"
    )
}

/// The path element for an element of a keyed list; None if it lacks a key.
#[must_use]
pub fn element_step(item: &Value, keys: &[&str]) -> Option<Str> {
    let mut step = Map::new();
    for key in keys {
        let value = match (item.get(*key), *key) {
            (Some(value), _) => value.clone(),
            (None, "protocol") => Value::from("TCP"),
            (None, _) => return None,
        };
        step.insert((*key).to_owned(), value);
    }
    Some(format!("k:{}", Value::Object(step)).into())
}

/// All fields of an object that a client can own, sorted.
#[must_use]
pub fn fields_of(object: &Value) -> Vec<FieldPath> {
    let mut found = Vec::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        let mut path = vec![step_of(name)];
        match name.as_str() {
            "apiVersion" | "kind" | "status" => {}
            "metadata" => {
                for part in ["annotations", "finalizers", "labels", "ownerReferences"] {
                    if let Some(value) = value.get(part) {
                        path.push(step_of(part));
                        collect_fields(part, value, &mut path, &mut found);
                        path.pop();
                    }
                }
            }
            _ => collect_fields(name, value, &mut path, &mut found),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn step_of(field: &str) -> Str {
    format!("f:{field}").into()
}

fn collect_fields(field: &str, value: &Value, path: &mut FieldPath, found: &mut Vec<FieldPath>) {
    match value {
        Value::Object(map) if !map.is_empty() && !is_atomic(field) => {
            for (key, value) in map {
                path.push(step_of(key));
                collect_fields(key, value, path, found);
                path.pop();
            }
        }
        Value::Array(items) if field == "finalizers" => {
            for item in items {
                path.push(format!("v:{item}").into());
                found.push(path.clone());
                path.pop();
            }
        }
        Value::Array(items) => {
            let Some(keys) = list_keys(field, items).filter(|_| !items.is_empty()) else {
                return found.push(path.clone());
            };
            for item in items {
                let Some(step) = element_step(item, keys) else { continue };
                path.push(step);
                found.push(path.clone());
                collect_fields("", item, path, found);
                path.pop();
            }
        }
        _ => found.push(path.clone()),
    }
}

/// The value at a path.
#[must_use]
pub fn value_at<'v>(object: &'v Value, path: &[Str]) -> Option<&'v Value> {
    path.iter().try_fold(object, |value, step| match step.split_once(':')? {
        ("f", name) => value.get(name),
        ("k", _) => {
            let items = value.as_array()?;
            items.get(position(items, step)?)
        }
        _ => {
            let wanted: Value = serde_json::from_str(step.get(2..)?).ok()?;
            value.as_array()?.iter().find(|item| **item == wanted)
        }
    })
}

/// The index of the list element that a path element `k:…` refers to.
#[must_use]
pub fn position(items: &[Value], step: &str) -> Option<usize> {
    let keys: Map<String, Value> = serde_json::from_str(step.get(2..)?).ok()?;
    let key_value = |item: &Value, key: &str| match item.get(key) {
        None if key == "protocol" => Some(Value::from("TCP")),
        value => value.cloned(),
    };
    items.iter().position(|item| {
        keys.iter()
            .all(|(key, value)| key_value(item, key).as_ref() == Some(value))
    })
}

/// Prints a path as in error messages: `.spec.containers[name="app"].image`.
#[must_use]
pub fn path_text(path: &[Str]) -> String {
    let mut text = String::new();
    for step in path {
        match step.split_once(':') {
            Some(("f", name)) => text.push_str(&format!(".{name}")),
            Some(("k", keys)) => {
                let keys: Map<String, Value> = serde_json::from_str(keys).unwrap_or_default();
                let keys: Vec<String> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                text.push_str(&format!("[{}]", keys.join(",")));
            }
            Some((_, value)) => text.push_str(&format!("[={value}]")),
            None => {}
        }
    }
    text
}

/// Encodes a set of fields as a FieldsV1 tree. An owned list element with owned fields is the key `.` in its own map.
fn fields_v1(fields: &[FieldPath]) -> Value {
    let mut tree = Map::new();
    fields.iter().for_each(|path| insert_path(&mut tree, path));
    Value::Object(tree)
}

fn insert_path(tree: &mut Map<String, Value>, path: &[Str]) {
    let Some((step, rest)) = path.split_first() else { return };
    let below = tree.entry(step.to_string()).or_insert_with(|| json!({}));
    let Some(below) = below.as_object_mut() else { return };
    match rest {
        [] if step.starts_with("k:") => drop(below.insert(".".to_owned(), json!({}))),
        rest => insert_path(below, rest),
    }
}
