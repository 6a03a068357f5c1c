//! Which lists and maps are one field, and how the elements of the other lists are told apart
//! (`x-kubernetes-list-type`, `x-kubernetes-map-type`).

use serde_json::{Map, Value};

use crate::schema::SchemaNode;
use crate::untyped::{text, texts};
use crate::{Kind, Str};

/// Source of the merge semantics of a value, which determine its field ownership.
#[derive(Debug, Clone, Copy)]
pub enum Semantics<'s> {
    /// A value in an object of a built-in kind, with the name of its field; the name is empty for the object itself and
    /// for elements of lists.
    BuiltIn(Kind, &'s str, SchemaNode),
    /// A value of a structural schema; null for a value that the schema does not know.
    Defined(&'s Value),
}

/// How the elements of a list are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elements<'s> {
    /// The list is one field.
    Atomic,
    /// By their value.
    Set,
    /// By these fields.
    Keyed(Vec<&'s str>),
}

const NULL: &Value = &Value::Null;

impl<'s> Semantics<'s> {
    /// An object of a built-in kind.
    #[must_use]
    pub fn of_kind(kind: Kind) -> Semantics<'s> {
        Semantics::BuiltIn(kind, "", SchemaNode::of_kind(kind))
    }

    /// A field of a map or a struct.
    #[must_use]
    pub fn field<'f>(self, name: &'f str) -> Semantics<'f>
    where
        's: 'f,
    {
        match self {
            Semantics::BuiltIn(kind, _, node) => Semantics::BuiltIn(kind, name, node.field(name)),
            Semantics::Defined(schema) => {
                let own = schema.get("properties").and_then(|properties| properties.get(name));
                let more = || schema.get("additionalProperties").filter(|more| more.is_object());
                Semantics::Defined(own.or_else(more).unwrap_or(NULL))
            }
        }
    }

    /// An element of a list.
    #[must_use]
    pub fn item(self) -> Semantics<'s> {
        match self {
            Semantics::BuiltIn(kind, field, node) => {
                let is_reference = matches!(field, "ownerReferences" | "imagePullSecrets" | "secrets");
                Semantics::BuiltIn(kind, if is_reference { "reference" } else { "" }, node.item())
            }
            Semantics::Defined(schema) => Semantics::Defined(schema.get("items").unwrap_or(NULL)),
        }
    }

    /// How the elements of a list are told apart.
    #[must_use]
    pub fn elements(self) -> Elements<'s> {
        match self {
            // Only strategic merge patches tell these elements apart.
            Semantics::BuiltIn(Kind::Job, "conditions", _) => Elements::Atomic,
            Semantics::BuiltIn(.., node) => match node.element_keys() {
                Some(keys) if keys.is_empty() => Elements::Set,
                Some(keys) => Elements::Keyed(keys),
                None => Elements::Atomic,
            },
            Semantics::Defined(schema) => match text(schema, "x-kubernetes-list-type") {
                "set" => Elements::Set,
                "map" => Elements::Keyed(texts(schema, "x-kubernetes-list-map-keys")),
                _ => Elements::Atomic,
            },
        }
    }

    /// Returns whether a map is one field.
    #[must_use]
    pub fn is_atomic(self) -> bool {
        match self {
            Semantics::BuiltIn(Kind::ControllerRevision, "data", _) => true,
            Semantics::BuiltIn(_, field, _) => is_atomic(field),
            Semantics::Defined(schema) => text(schema, "x-kubernetes-map-type") == "atomic",
        }
    }

    /// The value that Go encodes for a field that is not set: of a struct that is no pointer, of `containers`, and of the
    /// times and texts of an Event.
    pub(super) fn unset(self, field: &str) -> Option<&'static Value> {
        static EMPTY: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::Object(Map::new()));
        static EMPTY_TEXT: Value = Value::String(String::new());
        let Semantics::BuiltIn(kind, ..) = self else {
            return None;
        };
        match field {
            "containers" => Some(NULL),
            "eventTime" | "firstTimestamp" | "lastTimestamp" if kind == Kind::Event => Some(NULL),
            "reportingComponent" | "reportingInstance" if kind == Kind::Event => Some(&EMPTY_TEXT),
            "podSelector" if kind == Kind::NetworkPolicy => Some(&EMPTY),
            "template" if kind == Kind::ReplicationController => None,
            "spec" | "status" | "metadata" | "template" | "jobTemplate" | "strategy" | "updateStrategy"
            | "scaleTargetRef" | "resources" | "devices" | "names" | "acceptedNames" | "source" | "loadBalancer"
            | "daemonEndpoints" | "nodeInfo" => Some(&EMPTY),
            _ => None,
        }
    }

    /// The path element for an element of a keyed list; None if it lacks a key that has no default.
    #[must_use]
    pub fn step(self, item: &Value, keys: &[&str]) -> Option<Str> {
        let Semantics::Defined(schema) = self else {
            return Some(built_in_step(item, keys));
        };
        let default = |key: &str| schema.pointer(&format!("/items/properties/{key}/default")).cloned();
        step(item, keys, default)
    }
}

/// The path element for an element of a keyed list of a built-in kind.
pub(super) fn built_in_step(item: &Value, keys: &[&str]) -> Str {
    let default = |key: &str| match key {
        "protocol" => "TCP".into(),
        "containerPort" | "port" => 0.into(),
        _ => "".into(),
    };
    step(item, keys, |key| Some(default(key))).unwrap_or_default()
}

fn step(item: &Value, keys: &[&str], default: impl Fn(&str) -> Option<Value>) -> Option<Str> {
    let mut step = Map::new();
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    for key in sorted {
        let value = item.get(key).cloned().or_else(|| default(key))?;
        step.insert(key.to_owned(), value);
    }
    Some(format!("k:{}", Value::Object(step)).into())
}

/// Returns whether the map in this field of a built-in kind is atomic: a manager that sets a part of it owns all of it.
fn is_atomic(field: &str) -> bool {
    matches!(
        field,
        "selector"
            | "labelSelector"
            | "namespaceSelector"
            | "objectSelector"
            | "podSelector"
            | "matchConstraints"
            | "nodeSelector"
            | "preference"
            | "requiredDuringSchedulingIgnoredDuringExecution"
            | "configMapKeyRef"
            | "secretKeyRef"
            | "fileKeyRef"
            | "fieldRef"
            | "resourceFieldRef"
            | "claimRef"
            | "dataSource"
            | "involvedObject"
            | "regarding"
            | "related"
            | "roleRef"
            | "secretRef"
            | "reference"
    )
}
