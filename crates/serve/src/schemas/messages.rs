//! Schemas of types that are missing in the table of kinds: options, responses, reviews and the like. Their fields come
//! from the table of protobuf messages.

use serde_json::{Map, Value, json};

use super::{META_PACKAGE, Schemas, put_required, put_type_properties, scalar_schema, schema_reference};
use crate::protobuf;

/// Returns the OpenAPI name of a message such as `meta.Status` or `authentication.v1.TokenRequest`.
fn openapi_name(message: &str) -> String {
    match message.split_once('.') {
        Some(("meta", name)) => format!("{META_PACKAGE}.{name}"),
        Some(("runtime", name)) => format!("io.k8s.apimachinery.pkg.runtime.{name}"),
        Some(("resource", name)) if !name.starts_with('v') => {
            format!("io.k8s.apimachinery.pkg.api.resource.{name}")
        }
        Some(("intstr", name)) => format!("io.k8s.apimachinery.pkg.util.intstr.{name}"),
        _ => format!("io.k8s.api.{message}"),
    }
}

impl Schemas {
    /// Adds the schemas of a message and of the messages that it contains.
    pub(crate) fn add_message(&mut self, message: &str) {
        let name = openapi_name(message);
        if self.0.contains_key(&name) {
            return;
        }
        // Messages can be recursive, so the name is reserved first.
        self.0.insert(name.clone(), Value::Null);
        let schema = match message {
            "meta.Time" | "meta.MicroTime" => json!({"type": "string", "format": "date-time"}),
            "meta.FieldsV1" | "meta.Patch" | "runtime.RawExtension" => json!({"type": "object"}),
            _ => self.message_schema(message),
        };
        self.0.insert(name, schema);
    }

    /// Adds the schema of the response to `/version`.
    pub(crate) fn add_version_info(&mut self) {
        let names = crate::resources::version_response();
        let fields = names.as_object().into_iter().flatten();
        let fields: Map<String, Value> = fields
            .map(|(name, _)| (name.clone(), json!({"type": "string"})))
            .collect();
        let name = "io.k8s.apimachinery.pkg.version.Info";
        let mut schema = json!({"type": "object", "properties": fields});
        put_required(name, &mut schema);
        self.0.insert(name.to_owned(), schema);
    }

    fn message_schema(&mut self, message: &str) -> Value {
        let mut properties = Map::new();
        for field in protobuf::json_fields(message) {
            let one = self.field_schema(&field.of, !field.is_repeated);
            let schema = match field.is_repeated {
                true => json!({"type": "array", "items": one, "x-kubernetes-list-type": "atomic"}),
                false => one,
            };
            properties.insert(field.name.to_owned(), schema);
        }
        let mut schema = json!({"type": "object", "properties": properties});
        put_required(&openapi_name(message), &mut schema);
        if matches!(
            message,
            "meta.DeleteOptions"
                | "meta.Status"
                | "meta.APIResourceList"
                | "meta.APIGroup"
                | "meta.APIGroupList"
                | "meta.APIVersions"
        ) {
            put_type_properties(&mut schema);
        }
        schema
    }

    fn field_schema(&mut self, type_name: &str, is_property: bool) -> Value {
        if let Some(types) = type_name.strip_prefix("map<") {
            let value = types
                .trim_end_matches('>')
                .split_once(',')
                .map_or("string", |(_, of)| of);
            let value = self.field_schema(value, false);
            return json!({"type": "object", "additionalProperties": value});
        }
        match type_name.rsplit_once('.') {
            None if type_name == "double" => scalar_schema("float64"),
            None => scalar_schema(type_name),
            // Messages that stand for a Go slice type; in JSON they are arrays.
            Some((_, "ExtraValue" | "Verbs")) => json!({"type": "array", "items": {"type": "string"}}),
            Some(_) => {
                self.add_message(type_name);
                let reference = schema_reference(&openapi_name(type_name));
                match is_property {
                    true => json!({"allOf": [reference]}),
                    false => reference,
                }
            }
        }
    }
}
