//! `/openapi/v2`: all documents of `/openapi/v3` as one document in the older form (Swagger 2.0), in JSON only.

use podscope_cluster::Objects;
use serde_json::{Map, Value, json};

use super::{built_in_documents, custom_document};
use crate::http::{HttpRequest, JSON, Reply};
use crate::resources;

/// Responds to `/openapi/v2`.
pub(crate) fn answer(request: &HttpRequest, objects: &Objects) -> Reply {
    let accept = request.header("accept").unwrap_or("*/*");
    let mut accepted = accept
        .split(',')
        .map(|clause| clause.split(';').next().unwrap_or_default().trim());
    if !accepted.any(|media| matches!(media, "" | "*/*" | "application/*" | JSON)) {
        return Reply::new(406, "", "");
    }
    let (mut paths, mut definitions) = (Map::new(), Map::new());
    let mut take = |text: &str, definitions: &mut Map<String, Value>| {
        let document: Value = serde_json::from_str(text).unwrap_or_default();
        for (from, to) in [("/paths", &mut paths), ("/components/schemas", definitions)] {
            let found = document.pointer(from).and_then(Value::as_object).cloned();
            to.extend(found.unwrap_or_default());
        }
    };
    for document in built_in_documents().values() {
        take(&document.text, &mut definitions);
    }
    for definition in definitions.values_mut() {
        remove_defaults_and_enums(definition);
    }
    let mut versions: Vec<&str> = Vec::new();
    for resource in resources::all_resources(objects) {
        if resource.custom_kind().is_some() && !versions.contains(&resource.api_version) {
            versions.push(resource.api_version);
        }
    }
    for version in versions {
        if let Some(document) = custom_document(&super::document_name(version), objects) {
            take(&document.text, &mut definitions);
        }
    }
    let mut document = json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": resources::version_response()["gitVersion"]},
        "paths": paths,
        "definitions": definitions,
        "parameters": {},
        "securityDefinitions": {"BearerToken": {
            "description": "Bearer Token authentication", "type": "apiKey", "name": "authorization", "in": "header",
        }},
        "security": [{"BearerToken": []}],
    });
    to_version_2(&mut document);
    document.sort_all_objects();
    Reply::json(200, &document)
}

/// Removes defaults and enumerations, which built-in schemas do not have in version 2.
fn remove_defaults_and_enums(definition: &mut Value) {
    let fields = definition.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(Map::values_mut) {
        for part in ["/items", ""] {
            if let Some(map) = field.pointer_mut(part).and_then(Value::as_object_mut) {
                map.retain(|key, _| key != "default" && key != "enum");
            }
        }
    }
}

/// Converts references, the schemas of parameters, `allOf` and `oneOf` to the form that they have in version 2.
fn to_version_2(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get_mut("$ref") {
                *reference = reference.replace("#/components/schemas/", "#/definitions/");
            }
            // In version 3, a reference with other fields beside it is wrapped in an `allOf` of one entry.
            if let Some(Value::Array(all)) = map.get("allOf")
                && let [Value::Object(one)] = all.as_slice()
            {
                let one = one.clone();
                map.shift_remove("allOf");
                map.extend(one);
                return to_version_2(value);
            }
            if map.contains_key("in")
                && let Some(Value::Object(schema)) = map.shift_remove("schema")
            {
                map.extend(schema);
            }
            if map.shift_remove("oneOf").is_some() {
                map.insert("type".to_owned(), "string".into());
            }
            map.values_mut().for_each(to_version_2);
        }
        Value::Array(items) => items.iter_mut().for_each(to_version_2),
        _ => {}
    }
}
