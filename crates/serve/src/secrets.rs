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

/// The records of a trace without the data of Secrets: those of requests that programs sent hold their bodies.
pub(crate) fn without_data_in_trace(trace: &str) -> String {
    let mut text = String::with_capacity(trace.len());
    for line in trace.lines() {
        let is_call = line.contains("\"what\":\"Command\"") && line.contains("/secrets");
        match is_call.then(|| without_data_in_record(line)).flatten() {
            Some(record) => text.push_str(&record),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// A record of a command without the data of Secrets; None if it holds none.
fn without_data_in_record(line: &str) -> Option<String> {
    let mut record: Value = serde_json::from_str(line).ok()?;
    let command = record.get("command")?.as_str()?;
    let (call, rest) = command.split_once("<<'EOF'\n")?;
    let body = rest.strip_suffix("\nEOF")?;
    let path = call.strip_prefix("api ")?.split(' ').nth(1)?;
    let body = without_data_in_body(path, body)?;
    let command = format!("{call}<<'EOF'\n{body}\nEOF");
    record["command"] = command.into();
    Some(record.to_string())
}

fn drop_data_of_call(call: &mut Map<String, Value>) {
    let text = |field: &str| call.get(field).and_then(Value::as_str).unwrap_or_default();
    if let Some(body) = without_data_in_body(text("path"), text("body")) {
        call.insert("body".to_owned(), body.into());
    }
}

/// The body of a request about Secrets (an object, or one of the patches) without their data; None if it has none. A
/// body that cannot be read is refused, whatever it holds, and stays.
fn without_data_in_body(path: &str, body: &str) -> Option<String> {
    if !path.split(['/', '?']).any(|part| part == "secrets") {
        return None;
    }
    let sent = podscope_api::read_yaml(body)
        .map(|tree: Tree<'_>| tree.to_value())
        .ok()?;
    let mut value = sent.clone();
    match &mut value {
        Value::Array(operations) => operations.iter_mut().for_each(drop_data_of_operation),
        value => drop_data(value),
    }
    (value != sent).then(|| value.to_string())
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
