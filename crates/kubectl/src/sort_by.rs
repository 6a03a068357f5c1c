//! `--sort-by` of `kubectl get` (KC-058).

use podscope_api::ordered::go_sort;
use podscope_api::{Kind, Object, Quantity, Time};
use serde_json::{Value, json};

use super::gotext::klog_line;
use super::jsonpath::{Path, work_of_value};
use super::work::WorkCounter;
use crate::command::{Get, Output, Selection};

/// Sorts the objects of each table, or all objects together if they are printed as one list.
///
/// # Errors
/// The path is invalid or visits too many values, no object has the field, or its values cannot be ordered.
pub(super) fn sort_groups(
    get: &Get,
    path: &str,
    is_single_object: bool,
    groups: &mut Vec<(Kind, Vec<Object>)>,
    now: Time,
) -> Result<(), String> {
    let n_objects: usize = groups.iter().map(|(_, objects)| objects.len()).sum();
    if is_single_object && n_objects == 1 {
        return Ok(());
    }
    let refused = |why| format!("error: {why}");
    if !matches!(get.output, Output::Table | Output::Wide) {
        Path::parse(path).map_err(refused)?;
        // The objects are printed as one list, so all kinds are sorted together.
        let mut all: Vec<Object> = groups.drain(..).flat_map(|(_, objects)| objects).collect();
        if !sort(&mut all, path, now)? && n_objects > 0 {
            return Err(missing_field_error(path));
        }
        groups.push((Kind::Pod, all));
        return Ok(());
    }
    let n_tables = match &get.target.selection {
        Selection::Kinds { kinds, names } if names.is_empty() => kinds.len(),
        _ => n_objects,
    };
    // If the server returned several `Table` objects, kubectl first sorts these by the path, which fails if a `Table`
    // does not have the field.
    if n_tables > 1 {
        let table = json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": ""}});
        let path_of_table = Path::parse(path).map_err(refused)?;
        let found = path_of_table.find(&table, &WorkCounter::default());
        if found.is_ok_and(|found| found.is_empty()) {
            return Err(missing_field_error(path));
        }
    }
    for (_, objects) in groups.iter_mut() {
        // kubectl sorts only tables with several rows. If that fails, it prints neither the error nor the table.
        if objects.len() > 1 && !sort(objects, path, now)? {
            objects.clear();
        }
    }
    Ok(())
}

fn missing_field_error(path: &str) -> String {
    let path = strip_braces(path);
    format!("error: couldn't find any field with path \"{{.{path}}}\" in the list of objects")
}

/// Sorts by a path, objects without the field first. Returns whether any object has the field.
///
/// # Errors
/// The path visits too many values, or the values at the path cannot be ordered.
pub(super) fn sort(objects: &mut Vec<Object>, text: &str, now: Time) -> Result<bool, String> {
    let Ok(path) = Path::parse(text) else {
        return Ok(false);
    };
    let work = WorkCounter::default();
    let mut keyed: Vec<(Option<SortKey>, Object)> = Vec::new();
    let count = objects.len().max(1);
    for object in objects.drain(..) {
        let value = object.to_value();
        let found = path.find(&value, &work).map_err(|why| format!("error: {why}"))?;
        // Count the work of sorting: each key is copied, and compared about log2(count) times.
        let compared = 2 + u64::from(count.ilog2());
        work.spend(found.first().map_or(0, |value| work_of_value(value) * compared))
            .map_err(|why| format!("error: {why}"))?;
        keyed.push((found.first().map(|value| SortKey::of(value)), object));
    }
    let any_has_field = keyed.iter().any(|(key, _)| key.is_some());
    let mut found = keyed.iter().filter_map(|(key, _)| key.as_ref());
    // With fewer than two values nothing is compared, so an unsortable type is no error.
    if let (Some(SortKey::Unsortable(of)), Some(_)) = (found.next(), found.next()) {
        let field = format!("{{.{}}}", strip_braces(text));
        let why = format!(
            "Field {field} in [][][]reflect.Value is an unsortable type: interface, err: unsortable type: {of}"
        );
        return Err(klog_line('F', now, "sorter.go:359", &why));
    }
    // The order of equal keys is visible, so this is Go's `sort.Sort`, which kubectl uses. An object without the field
    // is less than any other object, even another one without the field.
    go_sort(&mut keyed, |a, b| a.0.is_none() || a.0 < b.0);
    objects.extend(keyed.into_iter().map(|(_, object)| object));
    Ok(any_has_field)
}

/// Returns a JSONPath without its braces and first dot.
fn strip_braces(path: &str) -> &str {
    path.trim_start_matches('{')
        .trim_end_matches('}')
        .trim_start_matches('.')
}

/// A sort key: quantities compare as quantities, numbers as numbers, everything else as text (KC-058).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum SortKey {
    Number(i128),
    Text(String),
    /// A value that kubectl cannot order; holds the Go name of its type.
    Unsortable(&'static str),
}

impl SortKey {
    fn of(value: &Value) -> SortKey {
        match value {
            Value::Number(number) => SortKey::Number(i128::from(number.as_i64().unwrap_or(i64::MAX)) * 1000),
            Value::String(text) => match text.parse::<Quantity>() {
                Ok(quantity) => SortKey::Number(i128::from(quantity.milli_value())),
                Err(_) => SortKey::Text(text.clone()),
            },
            Value::Null => SortKey::Text(String::new()),
            other => SortKey::Unsortable(crate::gotext::go_type_name(other)),
        }
    }
}
