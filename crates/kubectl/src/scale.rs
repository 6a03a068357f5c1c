//! The `scale` subresource, as `get` and `patch --subresource=scale` print it.

use podscope_api::{Kind, Object};
use podscope_cluster::client::{ErrorContext, error_text};
use podscope_cluster::{ApiError, Objects};
use serde_json::{Value, json};

use super::columns::{age, selector_from_value};
use super::get::list_of_items;
use super::output::ObjectFormat;
use super::text::table;
use super::{Printed, View, printed_value};
use crate::command::{Get, Output};
use crate::rest::{ScalePaths, no_subresource};

/// Returns whether a kind has the `scale` subresource.
pub fn has_scale(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Deployment | Kind::ReplicaSet | Kind::ReplicationController | Kind::StatefulSet
    )
}

/// How the `scale` subresource of a kind is read and written.
#[derive(Debug, Clone)]
pub(crate) enum ScaleSubresource {
    /// A built-in kind.
    BuiltIn,
    Custom(ScalePaths),
}

impl ScaleSubresource {
    /// Returns the `scale` subresource of a kind; `None` if the kind has no such subresource.
    pub(crate) fn of_kind(kind: Kind, objects: &Objects) -> Option<ScaleSubresource> {
        match kind {
            Kind::Custom(_) => ScalePaths::of(kind, objects).map(ScaleSubresource::Custom),
            kind => has_scale(kind).then_some(ScaleSubresource::BuiltIn),
        }
    }

    /// Returns the `Scale` of an object, as JSON.
    ///
    /// # Errors
    /// The custom object has no desired number of replicas.
    pub(crate) fn scale(&self, object: &Object) -> Result<Value, ApiError> {
        match self {
            ScaleSubresource::BuiltIn => Ok(scale_of(object)),
            ScaleSubresource::Custom(paths) => paths.scale(object),
        }
    }

    /// Returns a merge patch of the object that sets the desired number of replicas.
    pub(crate) fn patch(&self, replicas: i64) -> Value {
        match self {
            ScaleSubresource::BuiltIn => json!({"spec": {"replicas": replicas}}),
            ScaleSubresource::Custom(paths) => paths.patch(replicas),
        }
    }
}

/// Returns the `Scale` of an object of a built-in kind, as JSON.
pub fn scale_of(object: &Object) -> Value {
    let object_json = printed_value(object, false);
    let number = |at: &str| object_json.pointer(at).and_then(Value::as_i64).unwrap_or(0);
    let selector = match object.kind() {
        Kind::ReplicationController => json!({"matchLabels": object_json.pointer("/spec/selector")}),
        _ => object_json.pointer("/spec/selector").cloned().unwrap_or_default(),
    };
    let selector = selector_from_value(Some(&selector)).map(|selector| selector.to_string());
    let selector = selector.as_deref().filter(|selector| !selector.is_empty());
    let fields = ["creationTimestamp", "name", "namespace", "resourceVersion", "uid"];
    let replicas = (number("/spec/replicas"), number("/status/replicas"));
    scale_value(&object_json, fields, replicas, selector)
}

/// Creates a `Scale` in JSON. Its metadata has the object's `fields` in this order; `desired` and `actual` are numbers
/// of replicas.
pub(crate) fn scale_value(
    object_json: &Value,
    fields: [&str; 5],
    (desired, actual): (i64, i64),
    selector: Option<&str>,
) -> Value {
    let mut metadata = json!({});
    for field in fields {
        if let Some(value) = object_json.pointer(&format!("/metadata/{field}")) {
            metadata[field] = value.clone();
        }
    }
    let mut status = json!({"replicas": actual});
    if let Some(selector) = selector {
        status["selector"] = selector.into();
    }
    json!({
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": metadata,
        "spec": if desired == 0 { json!({}) } else { json!({"replicas": desired}) },
        "status": status,
    })
}

/// Prints the `Scale` of each object (`get --subresource=scale`); fails for kinds without this subresource.
pub(super) fn print_scales(get: &Get, objects: &[Object], view: &View<'_>, printed: &mut Printed) {
    let now = view.now;
    let (mut scalable, mut scales, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for object in objects {
        let scale = ScaleSubresource::of_kind(object.kind(), view.objects)
            .ok_or_else(|| no_subresource(object.kind(), &object.metadata().name))
            .and_then(|scale| scale.scale(object));
        match scale {
            Ok(scale) => {
                scalable.push(object);
                scales.push(scale);
            }
            Err(error) => errors.push(error_text(&error, &ErrorContext::None)),
        }
    }
    if !scalable.is_empty() {
        let format = match ObjectFormat::of(&get.output) {
            Ok(format) => format,
            Err(why) => return printed.fail(why),
        };
        match (&get.output, format) {
            (Output::Name, _) => scalable
                .iter()
                .for_each(|object| printed.out(format!("scale.autoscaling/{}", object.metadata().name))),
            (_, Some(format)) => {
                let scales_json = match scales.as_slice() {
                    [one] => one.clone(),
                    all => list_of_items(all.to_vec()),
                };
                match format.text(&scales_json) {
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
    errors.into_iter().for_each(|error| printed.fail(error));
}
