//! The `scale` part of an object, as `get` and `patch --subresource=scale` show it.

use podscope_api::{Kind, Object, Time};
use serde_json::{Value, json};

use super::columns::age;
use super::output::Form;
use super::text::table;
use super::{Printed, shown};
use crate::command::{Get, Output};

/// What the server says of a part that the kind has not.
const NO_SUCH_PART: &str = "Error from server (NotFound): the server could not find the requested resource";

/// Whether a kind can be scaled through this part.
pub(super) fn has_scale(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet
    )
}

/// The object's `Scale`.
pub(super) fn scale_of(object: &Object) -> Value {
    let whole = shown(object, false);
    let number = |at: &str| whole.pointer(at).and_then(Value::as_i64).unwrap_or(0);
    let mut metadata = json!({});
    for field in ["creationTimestamp", "name", "namespace", "resourceVersion", "uid"] {
        if let Some(value) = whole.pointer(&format!("/metadata/{field}")) {
            metadata[field] = value.clone();
        }
    }
    let wanted = number("/spec/replicas");
    let mut status = json!({"replicas": number("/status/replicas")});
    let selector = match object.kind() {
        Kind::ReplicationController => json!({"matchLabels": whole.pointer("/spec/selector")}),
        _ => whole.pointer("/spec/selector").cloned().unwrap_or_default(),
    };
    let selector = selector_text(&selector);
    if !selector.is_empty() {
        status["selector"] = Value::from(selector);
    }
    json!({
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": metadata,
        "spec": if wanted == 0 { json!({}) } else { json!({"replicas": wanted}) },
        "status": status,
    })
}

/// A selector as a command line has it, its keys sorted.
fn selector_text(selector: &Value) -> String {
    let mut parts: Vec<(String, String)> = Vec::new();
    let labels = selector.get("matchLabels").and_then(Value::as_object);
    for (key, value) in labels.into_iter().flatten() {
        parts.push((key.clone(), format!("{key}={}", value.as_str().unwrap_or_default())));
    }
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    for one in expressions.into_iter().flatten() {
        let text = |field: &str| one.get(field).and_then(Value::as_str).unwrap_or_default();
        let values = one.get("values").and_then(Value::as_array);
        let mut values: Vec<&str> = values.into_iter().flatten().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let (key, values) = (text("key"), values.join(","));
        parts.push((
            key.to_owned(),
            match text("operator") {
                "In" => format!("{key} in ({values})"),
                "NotIn" => format!("{key} notin ({values})"),
                "Exists" => key.to_owned(),
                _ => format!("!{key}"),
            },
        ));
    }
    parts.sort_unstable();
    parts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
}

/// `get --subresource=scale`.
pub(super) fn print(get: &Get, objects: &[Object], now: Time, printed: &mut Printed) {
    let (known, others): (Vec<&Object>, Vec<&Object>) = objects.iter().partition(|object| has_scale(object.kind()));
    if !known.is_empty() {
        let form = match Form::of(&get.output) {
            Ok(form) => form,
            Err(why) => return printed.fail(why),
        };
        let scales: Vec<Value> = known.iter().map(|object| scale_of(object)).collect();
        match (&get.output, form) {
            (Output::Name, _) => known
                .iter()
                .for_each(|object| printed.out(format!("scale.autoscaling/{}", object.metadata().name))),
            (_, Some(form)) => {
                let whole = match scales.as_slice() {
                    [one] => one.clone(),
                    all => {
                        json!({"apiVersion": "v1", "items": all, "kind": "List", "metadata": {"resourceVersion": ""}})
                    }
                };
                match form.text(&whole) {
                    Ok(text) => text.split('\n').for_each(|line| printed.out(line)),
                    Err(why) => return printed.fail(why),
                }
            }
            (_, None) => {
                let mut rows: Vec<Vec<String>> = Vec::new();
                if !get.no_headers {
                    rows.push(["NAME", "DESIRED", "AVAILABLE", "AGE"].map(String::from).to_vec());
                }
                for (object, scale) in known.iter().zip(&scales) {
                    let number = |at: &str| scale.pointer(at).and_then(Value::as_i64).unwrap_or(0).to_string();
                    rows.push(vec![
                        object.metadata().name.to_string(),
                        number("/spec/replicas"),
                        number("/status/replicas"),
                        age(object.metadata().creation_timestamp, now),
                    ]);
                }
                table(&rows).into_iter().for_each(|line| printed.out(line));
            }
        }
    }
    others.iter().for_each(|_| printed.fail(NO_SUCH_PART));
}
