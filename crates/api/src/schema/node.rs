//! Positions in the schema of a built-in kind, with the types that the table of fields contains.

use serde_json::Value;

use super::{GoType, Shape, StructField, served};
use crate::Kind;

/// A position in the schema of a built-in kind: an object, a field, an element of a list or a value of a map. The type
/// is unknown if the table does not contain the kind or the field.
#[derive(Debug, Clone, Copy)]
pub struct SchemaNode {
    /// The field that holds the value; None for the object itself, elements of lists and values of maps.
    field: Option<StructField>,
    of: Option<GoType>,
}

impl SchemaNode {
    /// Returns the schema node of the objects of a kind.
    #[must_use]
    pub fn of_kind(kind: Kind) -> SchemaNode {
        SchemaNode::of_served(kind.api_version(), kind.name())
    }

    /// Returns the schema node of an object, whose kind is given by its `apiVersion` and `kind`.
    #[must_use]
    pub fn of_object(object: &Value) -> SchemaNode {
        let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
        SchemaNode::of_served(text("apiVersion"), text("kind"))
    }

    fn of_served(api_version: &str, kind: &str) -> SchemaNode {
        let of = served(api_version, kind).map(|served| GoType(served.fields.name));
        SchemaNode { field: None, of }
    }

    /// Returns the schema node of a field of a struct, or of a value in a map.
    #[must_use]
    pub fn field(self, name: &str) -> SchemaNode {
        match self.of.map(GoType::shape) {
            Some(Shape::Struct(of)) => {
                let field = of.field(name);
                SchemaNode {
                    field,
                    of: field.map(|field| field.of),
                }
            }
            Some(Shape::Map(of)) => SchemaNode::without_field(Some(of)),
            Some(Shape::List(_) | Shape::Leaf(_)) | None => SchemaNode::without_field(None),
        }
    }

    /// Returns the schema node of an element of a list.
    #[must_use]
    pub fn item(self) -> SchemaNode {
        match self.of.map(GoType::shape) {
            Some(Shape::List(of)) => SchemaNode::without_field(Some(of)),
            Some(Shape::Struct(_) | Shape::Map(_) | Shape::Leaf(_)) | None => SchemaNode::without_field(None),
        }
    }

    fn without_field(of: Option<GoType>) -> SchemaNode {
        SchemaNode { field: None, of }
    }

    /// Returns the fields that identify the elements of a list; see [`StructField::element_keys`].
    #[must_use]
    pub fn element_keys(self) -> Option<Vec<&'static str>> {
        self.field?.element_keys()
    }

    /// Returns whether the value is a list whose elements are identified by their value.
    #[must_use]
    pub fn is_set_list(self) -> bool {
        self.element_keys().is_some_and(|keys| keys.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements of lists are identified as `x-kubernetes-list-type` says in the v1.36 API.
    /// Shows: HT-131
    #[test]
    fn list_elements_are_identified_as_in_the_api() {
        const ATOMIC_LIST: Option<&[&str]> = None;
        const SET_LIST: Option<&[&str]> = Some(&[]);
        for (kind, path, keys) in [
            (Kind::Pod, "spec containers", Some(["name"].as_slice())),
            (
                Kind::Pod,
                "spec containers - ports",
                Some(&["containerPort", "protocol"]),
            ),
            (Kind::Pod, "metadata finalizers", SET_LIST),
            (Kind::Namespace, "spec finalizers", ATOMIC_LIST),
            (Kind::Node, "spec podCIDRs", SET_LIST),
            (Kind::Service, "spec ports", Some(&["port", "protocol"])),
            (Kind::Service, "status loadBalancer ingress - ports", ATOMIC_LIST),
            (Kind::Ingress, "status loadBalancer ingress - ports", ATOMIC_LIST),
            (Kind::NetworkPolicy, "spec ingress - ports", ATOMIC_LIST),
            (Kind::NetworkPolicy, "spec egress - ports", ATOMIC_LIST),
            (Kind::EndpointSlice, "ports", ATOMIC_LIST),
            (Kind::EndpointSlice, "endpoints - addresses", SET_LIST),
            (Kind::Endpoints, "subsets - addresses", ATOMIC_LIST),
            (Kind::Endpoints, "subsets - ports", ATOMIC_LIST),
            (Kind::ServiceAccount, "imagePullSecrets", ATOMIC_LIST),
            (Kind::Job, "status uncountedTerminatedPods succeeded", SET_LIST),
            (Kind::CsiDriver, "spec volumeLifecycleModes", SET_LIST),
            (Kind::FlowSchema, "spec rules - resourceRules - verbs", SET_LIST),
        ] {
            let node = path
                .split(' ')
                .fold(SchemaNode::of_kind(kind), |node, step| match step {
                    "-" => node.item(),
                    field => node.field(field),
                });
            assert!(
                matches!(node.of.map(GoType::shape), Some(Shape::List(_))),
                "{kind:?} {path}"
            );
            assert_eq!(node.element_keys().as_deref(), keys, "{kind:?} {path}");
        }
    }
}
