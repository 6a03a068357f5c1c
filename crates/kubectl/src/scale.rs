//! The `scale` subresource, as `get` and `patch --subresource=scale` print it.

use podscope_api::{Kind, Object, Time};
use serde_json::{Value, json};

use super::columns::{age, selector_from_value};
use super::get::list_of;
use super::output::ObjectFormat;
use super::text::table;
use super::{Printed, printed_value};
use crate::command::{Get, Output};
use crate::refusals::NO_SUCH_RESOURCE;

/// Returns whether a kind has the `scale` subresource.
pub fn has_scale(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet
    )
}

/// The `Scale` of an object, as JSON.
pub fn scale_of(object: &Object) -> Value {
    let whole = printed_value(object, false);
    let number = |at: &str| whole.pointer(at).and_then(Value::as_i64).unwrap_or(0);
    let selector = match object.kind() {
        Kind::ReplicationController => json!({"matchLabels": whole.pointer("/spec/selector")}),
        _ => whole.pointer("/spec/selector").cloned().unwrap_or_default(),
    };
    let selector = selector_from_value(Some(&selector)).map(|selector| selector.to_string());
    let selector = selector.as_deref().filter(|selector| !selector.is_empty());
    let fields = ["creationTimestamp", "name", "namespace", "resourceVersion", "uid"];
    let replicas = (number("/spec/replicas"), number("/status/replicas"));
    scale(&whole, fields, replicas, selector)
}

/// The `Scale` of an object with these fields of its metadata, in this order; `(wanted, found)` replicas.
pub(crate) fn scale(whole: &Value, fields: [&str; 5], (wanted, found): (i64, i64), selector: Option<&str>) -> Value {
    let mut metadata = json!({});
    for field in fields {
        if let Some(value) = whole.pointer(&format!("/metadata/{field}")) {
            metadata[field] = value.clone();
        }
    }
    let mut status = json!({"replicas": found});
    if let Some(selector) = selector {
        status["selector"] = selector.into();
    }
    json!({
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": metadata,
        "spec": if wanted == 0 { json!({}) } else { json!({"replicas": wanted}) },
        "status": status,
    })
}

/// `get --subresource=scale`: prints the `Scale` of each object. Kinds without one give an error.
pub(super) fn print(get: &Get, objects: &[Object], now: Time, printed: &mut Printed) {
    let (scalable, others): (Vec<&Object>, Vec<&Object>) = objects.iter().partition(|object| has_scale(object.kind()));
    if !scalable.is_empty() {
        let format = match ObjectFormat::of(&get.output) {
            Ok(format) => format,
            Err(why) => return printed.fail(why),
        };
        let scales: Vec<Value> = scalable.iter().map(|object| scale_of(object)).collect();
        match (&get.output, format) {
            (Output::Name, _) => scalable
                .iter()
                .for_each(|object| printed.out(format!("scale.autoscaling/{}", object.metadata().name))),
            (_, Some(format)) => {
                let whole = match scales.as_slice() {
                    [one] => one.clone(),
                    all => list_of(all.to_vec()),
                };
                match format.text(&whole) {
                    Ok(text) => text.split('\n').for_each(|line| printed.out(line)),
                    Err(why) => return printed.fail(why),
                }
            }
            (_, None) => {
                let mut rows: Vec<Vec<String>> = Vec::new();
                if !get.no_headers {
                    rows.push(["NAME", "DESIRED", "AVAILABLE", "AGE"].map(String::from).to_vec());
                }
                for (object, scale) in scalable.iter().zip(&scales) {
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
    others.iter().for_each(|_| printed.fail(NO_SUCH_RESOURCE));
}
