//! Determines which lists and maps are owned as one field, and how the elements of other lists are identified
//! (`x-kubernetes-list-type`, `x-kubernetes-map-type`).

use serde_json::{Map, Value};

use crate::schema::SchemaNode;
use crate::untyped::{text, texts};
use crate::{Kind, Str};

/// The schema of a value as far as it determines field ownership.
#[derive(Debug, Clone, Copy)]
pub enum OwnershipSemantics<'s> {
    /// A value in an object of a built-in kind, with the name of the field that holds it. The name is empty for the
    /// object itself and for elements of most lists.
    BuiltIn(Kind, &'s str, SchemaNode),
    /// A value in a custom object, with its schema from the CustomResourceDefinition. The schema is null if the
    /// definition does not describe the value.
    Defined(&'s Value),
}

/// How the elements of a list are identified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElementIdentity<'s> {
    /// The list is one field.
    Atomic,
    /// Elements are identified by their value.
    Set,
    /// Elements are identified by these fields.
    Keyed(Vec<&'s str>),
}

const NULL: &Value = &Value::Null;

impl<'s> OwnershipSemantics<'s> {
    /// Returns the semantics of a whole object of a built-in kind.
    #[must_use]
    pub fn of_kind(kind: Kind) -> OwnershipSemantics<'s> {
        OwnershipSemantics::BuiltIn(kind, "", SchemaNode::of_kind(kind))
    }

    /// Returns the semantics of a field of a map or a struct.
    #[must_use]
    pub fn field<'f>(self, name: &'f str) -> OwnershipSemantics<'f>
    where
        's: 'f,
    {
        match self {
            OwnershipSemantics::BuiltIn(kind, _, node) => OwnershipSemantics::BuiltIn(kind, name, node.field(name)),
            OwnershipSemantics::Defined(schema) => {
                let own = schema.get("properties").and_then(|properties| properties.get(name));
                let more = || schema.get("additionalProperties").filter(|more| more.is_object());
                OwnershipSemantics::Defined(own.or_else(more).unwrap_or(NULL))
            }
        }
    }

    /// Returns the semantics of an element of a list.
    #[must_use]
    pub fn item(self) -> OwnershipSemantics<'s> {
        match self {
            OwnershipSemantics::BuiltIn(kind, field, node) => {
                let is_reference = matches!(field, "ownerReferences" | "imagePullSecrets" | "secrets");
                OwnershipSemantics::BuiltIn(kind, if is_reference { "reference" } else { "" }, node.item())
            }
            OwnershipSemantics::Defined(schema) => OwnershipSemantics::Defined(schema.get("items").unwrap_or(NULL)),
        }
    }

    /// Returns how the elements of a list are identified.
    #[must_use]
    pub fn elements(self) -> ElementIdentity<'s> {
        match self {
            // Only strategic merge patches identify the conditions of a Job by a key.
            OwnershipSemantics::BuiltIn(Kind::Job, "conditions", _) => ElementIdentity::Atomic,
            OwnershipSemantics::BuiltIn(.., node) => match node.element_keys() {
                Some(keys) if keys.is_empty() => ElementIdentity::Set,
                Some(keys) => ElementIdentity::Keyed(keys),
                None => ElementIdentity::Atomic,
            },
            OwnershipSemantics::Defined(schema) => match text(schema, "x-kubernetes-list-type") {
                "set" => ElementIdentity::Set,
                "map" => ElementIdentity::Keyed(texts(schema, "x-kubernetes-list-map-keys")),
                _ => ElementIdentity::Atomic,
            },
        }
    }

    /// Returns whether a map is owned as one field.
    #[must_use]
    pub fn is_atomic(self) -> bool {
        match self {
            OwnershipSemantics::BuiltIn(Kind::ControllerRevision, "data", _) => true,
            OwnershipSemantics::BuiltIn(_, field, _) => is_atomic_map(field),
            OwnershipSemantics::Defined(schema) => text(schema, "x-kubernetes-map-type") == "atomic",
        }
    }

    /// Returns the value that Go encodes for an unset field of a built-in kind: an empty object for a struct that is
    /// not a pointer, null for `containers` and for the times of an Event, an empty string for `reportingComponent` and
    /// `reportingInstance` of an Event.
    pub(super) fn value_if_unset(self, field: &str) -> Option<&'static Value> {
        static EMPTY: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::Object(Map::new()));
        static EMPTY_TEXT: Value = Value::String(String::new());
        let OwnershipSemantics::BuiltIn(kind, ..) = self else {
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

    /// Returns the path element for an element of a keyed list; None if the element lacks a key that has no default.
    #[must_use]
    pub fn path_element(self, item: &Value, keys: &[&str]) -> Option<Str> {
        let OwnershipSemantics::Defined(schema) = self else {
            return Some(built_in_path_element(item, keys));
        };
        let default = |key: &str| schema.pointer(&format!("/items/properties/{key}/default")).cloned();
        keyed_path_element(item, keys, default)
    }
}

/// Returns the path element for an element of a keyed list of a built-in kind.
pub(super) fn built_in_path_element(item: &Value, keys: &[&str]) -> Str {
    let default = |key: &str| match key {
        "protocol" => "TCP".into(),
        "containerPort" | "port" => 0.into(),
        _ => "".into(),
    };
    keyed_path_element(item, keys, |key| Some(default(key))).unwrap_or_default()
}

fn keyed_path_element(item: &Value, keys: &[&str], default: impl Fn(&str) -> Option<Value>) -> Option<Str> {
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
fn is_atomic_map(field: &str) -> bool {
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
