//! Scenarios without the data of Secrets: what is shared keeps the keys and loses the values. A run does not depend on
//! them.

use podscope_api::Tree;
use serde_json::{Map, Value};

/// The fields of a Secret that hold its data.
const DATA: [&str; 2] = ["data", "stringData"];

/// The documents of a scenario without the data of its Secrets, those that programs sent included.
pub(crate) fn without_data(scenario: &str) -> String {
    let (documents, _) = podscope_api::read_documents(scenario);
    let mut text = String::new();
    for document in &documents {
        let mut document = document.to_value();
        drop_data_of_objects(&mut document);
        let timeline = document.pointer_mut("/spec/timeline").and_then(Value::as_array_mut);
        for entry in timeline.into_iter().flatten() {
            if let Some(call) = entry.get_mut("api").and_then(Value::as_object_mut) {
                drop_data_of_call(call);
            }
        }
        if !text.is_empty() {
            text.push_str("---\n");
        }
        text.push_str(&podscope_api::print_yaml(&document));
    }
    text
}

/// Empties the data of a Secret, and of the Secrets of a list.
fn drop_data_of_objects(object: &mut Value) {
    if object.get("kind").is_some_and(|kind| kind == "Secret") {
        drop_data(object);
    }
    let items = object.get_mut("items").and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(drop_data_of_objects);
}

/// Empties the data in the body of a request about Secrets: an object, or one of the patches.
fn drop_data_of_call(call: &mut Map<String, Value>) {
    let path = call.get("path").and_then(Value::as_str).unwrap_or_default();
    let is_about_secrets = path.split(['/', '?']).any(|part| part == "secrets");
    let Some(Value::String(body)) = call.get_mut("body").filter(|_| is_about_secrets) else {
        return;
    };
    // A body that cannot be read is refused, whatever it holds.
    let Ok(mut value) = podscope_api::read_yaml(body).map(|tree: Tree<'_>| tree.to_value()) else {
        body.clear();
        return;
    };
    match &mut value {
        Value::Array(operations) => operations.iter_mut().for_each(drop_data_of_operation),
        value => drop_data(value),
    }
    *body = value.to_string();
}

/// Empties the value of an operation of a JSON patch that writes data.
fn drop_data_of_operation(operation: &mut Value) {
    let path = operation.get("path").and_then(Value::as_str).unwrap_or_default();
    let field = path.split('/').nth(1).unwrap_or_default().to_owned();
    match operation.get_mut("value") {
        Some(value) if field.is_empty() => drop_data(value),
        Some(value) if DATA.contains(&field.as_str()) => empty(value),
        _ => {}
    }
}

/// Empties the fields of a Secret that hold its data.
fn drop_data(secret: &mut Value) {
    for field in DATA {
        if let Some(data) = secret.get_mut(field) {
            empty(data);
        }
    }
}

/// Replaces each string in a value by the empty one.
fn empty(value: &mut Value) {
    match value {
        Value::String(text) => text.clear(),
        Value::Object(map) => map.values_mut().for_each(empty),
        Value::Array(items) => items.iter_mut().for_each(empty),
        _ => {}
    }
}
