//! OpenAPI v3 schemas (HT-105). Those of built-in kinds come from the table of `podscope_api::schema`, those of custom
//! kinds from their definitions.
//!
//! Schema names follow the real documents as far as the table allows: a struct that is reachable from a core kind belongs to
//! `core`, any other struct to the group of the first kind from which it is reachable.
//!
//! Deviation: only few fields have descriptions, and the texts are Podscope's own.

mod messages;
mod published;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use podscope_api::custom::Version;
use podscope_api::schema::{GoType, ServedKind, Shape, Struct, StructField};
use podscope_api::{Kind, schema};
use serde_json::{Map, Value, json};

use crate::protobuf;

const META_PACKAGE: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING: &str = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
/// Structs whose schemas belong to the package [`META_PACKAGE`].
const META_STRUCTS: [&str; 13] = [
    "Condition",
    "DeleteOptions",
    "FieldsV1",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
    "Preconditions",
    "Status",
    "StatusCause",
    "StatusDetails",
];

/// Schemas by name, including the schemas that they refer to.
#[derive(Debug, Default)]
pub(crate) struct Schemas(Map<String, Value>);

fn schema_reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Returns the Go package of the types of a group version.
fn go_package(group: &str, version: &str) -> String {
    match group {
        "" => format!("io.k8s.api.core.{version}"),
        "apiextensions.k8s.io" => format!("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.{version}"),
        "apiregistration.k8s.io" => format!("io.k8s.kube-aggregator.pkg.apis.apiregistration.{version}"),
        group => format!("io.k8s.api.{}.{version}", group.split('.').next().unwrap_or_default()),
    }
}

/// Returns the names of the structs that are reachable from kinds of the core group.
fn core_structs() -> &'static BTreeSet<&'static str> {
    static CORE_STRUCTS: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    CORE_STRUCTS.get_or_init(|| {
        let mut found = BTreeSet::new();
        let all = Kind::ALL.iter().filter(|kind| kind.api_version() == "v1");
        let mut open: Vec<Struct> = all
            .filter_map(|kind| schema::served("v1", kind.name()))
            .map(|served| served.fields)
            .collect();
        while let Some(one) = open.pop() {
            if found.insert(one.name()) {
                open.extend(one.fields().filter_map(|field| field.of.innermost_struct()));
            }
        }
        found
    })
}

/// Context of the schema being created.
struct SchemaContext<'a> {
    /// The Go package of the kind.
    package: &'a str,
    kind: Option<Kind>,
    path: Vec<String>,
}

impl Schemas {
    /// Returns all schemas that were added.
    pub(crate) fn finish(self) -> Value {
        let mut schemas = self.0;
        schemas.sort_keys();
        Value::Object(schemas)
    }

    /// Adds the schema of a built-in kind, and that of its list if it can be listed.
    pub(crate) fn add(&mut self, (group, version): (&str, &str), kind: &str, has_list: bool) {
        let package = go_package(group, version);
        let name = format!("{package}.{kind}");
        let api_version = match group {
            "" => version.to_owned(),
            group => format!("{group}/{version}"),
        };
        match schema::served(&api_version, kind) {
            _ if self.0.contains_key(&name) => {}
            Some(served) => self.add_served(served, &package, (group, version)),
            None => {
                let message = protobuf::message_name(&api_version, kind);
                if !protobuf::has_message(&message) {
                    return;
                }
                self.add_message(&message);
                if let Some(schema) = self.0.get_mut(&name) {
                    put_type_properties(schema);
                    schema["x-kubernetes-group-version-kind"] = group_version_kind(group, version, kind);
                }
            }
        }
        if has_list {
            self.add_list(&format!("{name}List"), &name, (group, version, kind));
        }
    }

    fn add_served(&mut self, served: ServedKind, package: &str, (group, version): (&str, &str)) {
        let mut context = SchemaContext {
            package,
            kind: Kind::from_wire(served.api_version, served.kind),
            path: Vec::new(),
        };
        let name = format!("{package}.{}", served.kind);
        let mut schema = self.struct_schema(&name, served.fields, &mut context);
        put_type_properties(&mut schema);
        schema["x-kubernetes-group-version-kind"] = group_version_kind(group, version, served.kind);
        self.0.insert(name, schema);
    }

    /// Adds the schemas of a version of a custom kind and of its list.
    pub(crate) fn add_custom(&mut self, version: Version<'_>) {
        let kind = version.kind();
        let (group, name) = kind.group_and_version();
        let reversed: Vec<&str> = group.split('.').rev().collect();
        let full = format!("{}.{name}.{}", reversed.join("."), kind.name());
        let mut context = SchemaContext {
            package: META_PACKAGE,
            kind: None,
            path: Vec::new(),
        };
        if let Some(metadata) = schema::served_custom_kind(kind).fields.field("metadata") {
            self.value_schema(metadata.of, &mut context);
        }
        let mut schema = version.schema().clone();
        if schema["x-kubernetes-preserve-unknown-fields"] == true || !schema.is_object() {
            // The real server omits the fields of a schema that preserves unknown fields.
            schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        }
        replace_int_or_string(&mut schema);
        put_type_properties(&mut schema);
        schema["properties"]["metadata"] = json!({
            "description": "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
            "allOf": [schema_reference(&format!("{META_PACKAGE}.ObjectMeta"))],
        });
        schema["x-kubernetes-group-version-kind"] = group_version_kind(group, name, kind.name());
        let selectable = version.selectable_fields().into_iter();
        let selectable: Vec<Value> = selectable
            .map(|path| json!({"fieldPath": path.trim_start_matches('.')}))
            .collect();
        if !selectable.is_empty() {
            schema["x-kubernetes-selectable-fields"] = selectable.into();
        }
        self.0.insert(full.clone(), schema);
        self.add_list(&format!("{full}List"), &full, (group, name, kind.name()));
    }

    fn add_list(&mut self, name: &str, item_name: &str, (group, version, kind): (&str, &str, &str)) {
        let metadata = format!("{META_PACKAGE}.ListMeta");
        let texts = ["continue", "resourceVersion", "selfLink"];
        let mut fields: Map<String, Value> = texts
            .iter()
            .map(|field| ((*field).to_owned(), json!({"type": "string"})))
            .collect();
        fields.insert(
            "remainingItemCount".to_owned(),
            json!({"type": "integer", "format": "int64"}),
        );
        self.add_message("meta.ShardInfo");
        let shard = schema_reference(&format!("{META_PACKAGE}.ShardInfo"));
        fields.insert("shardInfo".to_owned(), json!({"allOf": [shard]}));
        self.0
            .entry(metadata.clone())
            .or_insert_with(|| json!({"type": "object", "properties": fields}));
        let mut schema = json!({
            "type": "object",
            "required": ["items"],
            "properties": {
                "items": {"type": "array", "items": schema_reference(item_name)},
                "metadata": {"allOf": [schema_reference(&metadata)]},
            },
            "x-kubernetes-group-version-kind": group_version_kind(group, version, &format!("{kind}List")),
        });
        put_type_properties(&mut schema);
        self.0.insert(name.to_owned(), schema);
    }

    /// Creates the schema of a struct that is published as `name`.
    fn struct_schema(&mut self, name: &str, of: Struct, context: &mut SchemaContext<'_>) -> Value {
        let mut properties = Map::new();
        let required = published::required_fields(name);
        let mut all: Vec<StructField> = of.fields().collect();
        all.sort_unstable_by_key(|field| field.name);
        for field in all {
            context.path.push(field.name.to_owned());
            let mut schema = match field.name {
                "fieldsV1" => {
                    self.add_message("meta.FieldsV1");
                    json!({"allOf": [schema_reference(&format!("{META_PACKAGE}.FieldsV1"))]})
                }
                _ => self.value_schema(field.of, context),
            };
            if let Some(text) = context
                .kind
                .and_then(|kind| podscope_kubectl::field_description(kind, &context.path))
            {
                schema["description"] = text.into();
            }
            put_merge_extensions(field, &mut schema);
            if let Some(default) = published::field_default(of.name(), field, required.contains(&field.name)) {
                schema["default"] = default;
            }
            context.path.pop();
            properties.insert(field.name.to_owned(), schema);
        }
        let mut schema = json!({"type": "object", "properties": properties});
        put_required(name, &mut schema);
        schema
    }

    /// Creates the schema of a value; a struct becomes a reference.
    fn value_schema(&mut self, of: GoType, context: &mut SchemaContext<'_>) -> Value {
        match of.shape() {
            Shape::List(of) => json!({"type": "array", "items": self.item_schema(of, context)}),
            Shape::Map(of) => json!({"type": "object", "additionalProperties": self.item_schema(of, context)}),
            Shape::Struct(_) => json!({"allOf": [self.item_schema(of, context)]}),
            Shape::Leaf("Quantity" | "IntOrString" | "Time" | "MicroTime") => {
                json!({"allOf": [self.item_schema(of, context)]})
            }
            Shape::Leaf(leaf) => {
                let mut schema = scalar_schema(leaf);
                let values = published::enum_values(of);
                if !values.is_empty() {
                    schema["enum"] = json!(values);
                }
                schema
            }
        }
    }

    /// Creates the schema of a list item or map value; a struct becomes a plain `$ref` without other fields.
    fn item_schema(&mut self, of: GoType, context: &mut SchemaContext<'_>) -> Value {
        match of.shape() {
            Shape::Struct(of) => schema_reference(&self.add_struct(of, context)),
            Shape::Leaf("Quantity") => {
                let schema = || json!({"oneOf": [{"type": "string"}, {"type": "number"}]});
                self.0.entry(QUANTITY).or_insert_with(schema);
                schema_reference(QUANTITY)
            }
            Shape::Leaf("IntOrString") => {
                let schema = || json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]});
                self.0.entry(INT_OR_STRING).or_insert_with(schema);
                schema_reference(INT_OR_STRING)
            }
            Shape::Leaf(time @ ("Time" | "MicroTime")) => {
                self.add_message(&format!("meta.{time}"));
                schema_reference(&format!("{META_PACKAGE}.{time}"))
            }
            _ => self.value_schema(of, context),
        }
    }

    /// Adds the schema of a struct and returns its name.
    fn add_struct(&mut self, of: Struct, context: &mut SchemaContext<'_>) -> String {
        let name = match of.name() {
            name if META_STRUCTS.contains(&name) => format!("{META_PACKAGE}.{name}"),
            name if core_structs().contains(name) => format!("io.k8s.api.core.v1.{name}"),
            name => format!("{}.{name}", context.package),
        };
        if !self.0.contains_key(&name) {
            // Structs can be recursive, so the name is reserved first.
            self.0.insert(name.clone(), Value::Null);
            let schema = self.struct_schema(&name, of, context);
            self.0.insert(name.clone(), schema);
        }
        name
    }
}

/// Adds the required fields of a built-in schema, if it has any.
fn put_required(name: &str, schema: &mut Value) {
    let required = published::required_fields(name);
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
}

fn group_version_kind(group: &str, version: &str, kind: &str) -> Value {
    json!([{"group": group, "version": version, "kind": kind}])
}

/// Adds the properties `apiVersion` and `kind` to a schema.
fn put_type_properties(schema: &mut Value) {
    const API_VERSION_DESCRIPTION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
    const KIND_DESCRIPTION: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
    schema["properties"]["apiVersion"] = json!({"description": API_VERSION_DESCRIPTION, "type": "string"});
    schema["properties"]["kind"] = json!({"description": KIND_DESCRIPTION, "type": "string"});
}

/// Replaces `x-kubernetes-int-or-string` by an `anyOf` of integer and string.
fn replace_int_or_string(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
                let types = || json!([{"type": "integer"}, {"type": "string"}]);
                map.entry("anyOf").or_insert_with(types);
            }
            map.values_mut().for_each(replace_int_or_string);
        }
        Value::Array(items) => items.iter_mut().for_each(replace_int_or_string),
        _ => {}
    }
}

fn scalar_schema(leaf: &str) -> Value {
    match schema::plain_type_name(leaf) {
        "int32" => json!({"type": "integer", "format": "int32"}),
        "int64" => json!({"type": "integer", "format": "int64"}),
        "bool" => json!({"type": "boolean"}),
        "float64" => json!({"type": "number", "format": "double"}),
        "bytes" => json!({"type": "string", "format": "byte"}),
        "raw" => json!({"type": "object"}),
        _ => json!({"type": "string"}),
    }
}

/// Adds the schema extensions that control how strategic merge patches and server-side apply merge a list.
fn put_merge_extensions(field: StructField, schema: &mut Value) {
    let Shape::List(_) = field.of.shape() else {
        if field.name == "strategy" {
            schema["x-kubernetes-patch-strategy"] = "retainKeys".into();
        }
        return;
    };
    match field.element_keys() {
        Some(keys) if keys.is_empty() => {
            schema["x-kubernetes-list-type"] = "set".into();
            if field.name == "finalizers" {
                schema["x-kubernetes-patch-strategy"] = "merge".into();
            }
        }
        Some(keys) => {
            schema["x-kubernetes-list-type"] = "map".into();
            schema["x-kubernetes-list-map-keys"] = json!(keys);
            schema["x-kubernetes-patch-merge-key"] = keys.first().copied().into();
            schema["x-kubernetes-patch-strategy"] = match field.name {
                "volumes" => "merge,retainKeys",
                _ => "merge",
            }
            .into();
        }
        None => schema["x-kubernetes-list-type"] = "atomic".into(),
    }
}
