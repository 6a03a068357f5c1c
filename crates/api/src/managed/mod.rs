//! Field managers of server-side apply and the sets of fields that they own, as in `metadata.managedFields` (HT-131,
//! HT-132).
//!
//! [`OwnershipSemantics`] determines which lists and maps are owned as one field, and which have parts that are owned
//! separately. [`fields_of`] uses it to find the fields of a document, and [`compare`] to find the fields that a write
//! changes. A [`FieldSet`] is a set of fields as an object stores it.

mod fields;
mod semantics;
mod type_errors;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::ordered::StableSort as _;
use crate::{Object, Str, Time};

pub use self::fields::{FieldChanges, compare, fields_of, fields_set_at_creation, list_index, path_text, value_at};
pub use self::semantics::{ElementIdentity, OwnershipSemantics};
pub use self::type_errors::type_errors;

/// A field as a list of path elements in FieldsV1 form: `f:spec`, `k:{"name":"app"}`, `v:"example.com/hold"`.
pub type FieldPath = Vec<Str>;

/// A set of fields, stored as FieldsV1 text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldSet(Str);

impl FieldSet {
    /// Creates a set from the paths of its fields.
    #[must_use]
    pub fn of(paths: &[FieldPath]) -> FieldSet {
        if paths.is_empty() {
            return FieldSet::default();
        }
        let mut root = FieldTreeNode::default();
        paths.iter().for_each(|path| root.insert(path));
        FieldSet(root.to_value().to_string().into())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the set as a FieldsV1 value. An owned field that contains owned fields has the key `.`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_else(|_| json!({}))
    }

    /// Returns the paths of the fields, sorted.
    #[must_use]
    pub fn paths(&self) -> Vec<FieldPath> {
        let mut found = Vec::new();
        collect_paths(&self.to_value(), &mut Vec::new(), &mut found);
        found.stable_sort();
        found
    }
}

fn collect_paths(value: &Value, path: &mut FieldPath, found: &mut Vec<FieldPath>) {
    for (step, below) in value.as_object().into_iter().flatten() {
        if step == "." {
            found.push(path.clone());
            continue;
        }
        path.push(step.as_str().into());
        match below.as_object().is_none_or(Map::is_empty) {
            true => found.push(path.clone()),
            false => collect_paths(below, path, found),
        }
        path.pop();
    }
}

/// A node of a FieldsV1 tree.
#[derive(Default)]
struct FieldTreeNode {
    is_owned: bool,
    below: crate::ordered::Map<Str, FieldTreeNode>,
}

impl FieldTreeNode {
    fn insert(&mut self, path: &[Str]) {
        match path.split_first() {
            Some((step, rest)) => self.below.entry(step.clone()).or_default().insert(rest),
            None => self.is_owned = true,
        }
    }

    fn to_value(&self) -> Value {
        let own = (self.is_owned && !self.below.is_empty()).then(|| (".".to_owned(), json!({})));
        let below = self
            .below
            .iter()
            .map(|(step, node)| (step.to_string(), node.to_value()));
        Value::Object(own.into_iter().chain(below).collect())
    }
}

/// An entry of `managedFields`: a client, its operation (apply or update), and the fields that it owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldManager {
    /// The name of the client (`--field-manager`): `kubectl-create`.
    pub name: Str,
    /// The subresource: `scale`, `status`; usually empty.
    pub subresource: Str,
    /// Whether the manager used server-side apply.
    pub is_apply: bool,
    /// Time of the last write that changed the set of fields.
    pub time: Option<Time>,
    pub fields: FieldSet,
}

impl FieldManager {
    /// Creates an entry for the sender of a request; the API server determines the owned fields when it stores the
    /// object.
    #[must_use]
    pub fn of_sender(name: impl Into<Str>) -> FieldManager {
        FieldManager {
            name: name.into(),
            subresource: Str::default(),
            is_apply: false,
            time: None,
            fields: FieldSet::default(),
        }
    }

    /// Returns the manager's name as the API server's error messages print it.
    #[must_use]
    pub fn printed_name(&self, api_version: &str) -> String {
        let mut text = format!("{:?}", &*self.name);
        if !self.subresource.is_empty() {
            text.push_str(&format!(" with subresource {:?}", &*self.subresource));
        }
        if !self.is_apply {
            text.push_str(&format!(" using {api_version}"));
        }
        text
    }

    /// Returns whether two entries belong to the same manager.
    #[must_use]
    pub fn is_same(&self, other: &FieldManager) -> bool {
        (self.is_apply, &self.name, &self.subresource) == (other.is_apply, &other.name, &other.subresource)
    }

    fn to_value(&self, api_version: &str) -> Value {
        let mut entry = json!({
            "manager": &*self.name,
            "operation": if self.is_apply { "Apply" } else { "Update" },
            "apiVersion": api_version,
        });
        if let Some(time) = self.time {
            entry["time"] = Value::from(time.to_string());
        }
        entry["fieldsType"] = "FieldsV1".into();
        entry["fieldsV1"] = self.fields.to_value();
        if !self.subresource.is_empty() {
            entry["subresource"] = Value::from(&*self.subresource);
        }
        entry
    }

    fn from_value(entry: &Value) -> Option<FieldManager> {
        let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
        let mut paths = Vec::new();
        collect_paths(entry.get("fieldsV1")?, &mut Vec::new(), &mut paths);
        Some(FieldManager {
            name: text("manager").into(),
            subresource: text("subresource").into(),
            is_apply: text("operation") == "Apply",
            time: crate::parse_rfc3339(text("time")).map(Time),
            fields: FieldSet::of(&paths),
        })
    }
}

/// The field managers of an object; stored apart from the object's JSON form, and printed by `get
/// --show-managed-fields`.
///
/// Deviation: recorded only for objects that a client created or applied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldManagers(Option<Arc<Vec<FieldManager>>>);

impl FieldManagers {
    /// Creates the value from a list of managers.
    #[must_use]
    pub fn of(list: Vec<FieldManager>) -> FieldManagers {
        FieldManagers((!list.is_empty()).then(|| Arc::new(list)))
    }

    /// Decodes `metadata.managedFields`.
    #[must_use]
    pub fn from_value(entries: &Value) -> FieldManagers {
        let entries = entries.as_array().into_iter().flatten();
        FieldManagers::of(entries.filter_map(FieldManager::from_value).collect())
    }

    /// Decodes the managers that a client sends to replace the stored ones. An empty list, or a list of one empty
    /// entry, requests that all managers are removed: the result is then one manager without a name (HT-134).
    #[must_use]
    pub fn from_client(entries: &Value) -> FieldManagers {
        match FieldManagers::from_value(entries) {
            read if read.list().is_empty() => FieldManagers::of(vec![FieldManager::of_sender("")]),
            read => read,
        }
    }

    /// Returns the managers in the order of their first write.
    #[must_use]
    pub fn list(&self) -> &[FieldManager] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Returns `metadata.managedFields` of the object; None if there are no managers. Managers that use apply come
    /// first; then entries are sorted by time and name.
    #[must_use]
    pub fn to_value(&self, object: &Object) -> Option<Value> {
        let mut list: Vec<&FieldManager> = self.list().iter().collect();
        let rank = |one: &FieldManager| {
            let seconds = one.time.map_or(i64::MIN, |time| time.0.div_euclid(1_000_000));
            (!one.is_apply, seconds, one.name.clone(), one.subresource.clone())
        };
        list.stable_sort_by(|one, other| rank(one).cmp(&rank(other)));
        let api_version = object.kind().api_version();
        let entries: Vec<Value> = list.into_iter().map(|manager| manager.to_value(api_version)).collect();
        (!entries.is_empty()).then_some(Value::Array(entries))
    }
}
