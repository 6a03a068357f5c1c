//! Computes sets of fields: the fields of a document, and the fields that differ between two objects.

use serde_json::{Map, Value};

use super::{ElementIdentity, FieldPath, OwnershipSemantics};
use crate::Str;
use crate::ordered::StableSort as _;

/// The fields that a write changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldChanges {
    /// Fields that are new or have another value, sorted.
    pub written: Vec<FieldPath>,
    /// Fields that no longer exist, sorted.
    pub removed: Vec<FieldPath>,
}

/// Fields of `metadata` for which no field manager is recorded as owner.
const UNOWNED_METADATA_FIELDS: [&str; 9] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "name",
    "namespace",
    "resourceVersion",
    "uid",
];

/// Returns whether no field manager is recorded as owner of the field.
fn is_unowned(path: &[Str]) -> bool {
    match path {
        [only] => matches!(&**only, "f:apiVersion" | "f:kind" | "f:metadata"),
        [first, second, ..] => {
            &**first == "f:metadata"
                && second
                    .get(2..)
                    .is_some_and(|name| UNOWNED_METADATA_FIELDS.contains(&name))
        }
        [] => true,
    }
}

fn only_owned_sorted(mut paths: Vec<FieldPath>) -> Vec<FieldPath> {
    paths.retain(|path| !is_unowned(path));
    paths.stable_sort();
    paths.dedup();
    paths
}

fn path_element_of_field(field: &str) -> Str {
    format!("f:{field}").into()
}

/// Returns the fields that a document sets, sorted: its leaves, and the elements of its lists.
#[must_use]
pub fn fields_of(document: &Value, semantics: OwnershipSemantics<'_>) -> Vec<FieldPath> {
    let mut found = Vec::new();
    collect_fields(document, semantics, &mut Vec::new(), &mut found);
    only_owned_sorted(found)
}

fn collect_fields(value: &Value, semantics: OwnershipSemantics<'_>, path: &mut FieldPath, found: &mut Vec<FieldPath>) {
    match value {
        Value::Object(map) if !map.is_empty() && !semantics.is_atomic() => {
            for (key, value) in map {
                path.push(path_element_of_field(key));
                collect_fields(value, semantics.field(key), path, found);
                path.pop();
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let elements = semantics.elements();
            if elements == ElementIdentity::Atomic {
                return found.push(path.clone());
            }
            for item in items {
                let Some(step) = list_path_element(item, semantics, &elements) else {
                    continue;
                };
                path.push(step);
                found.push(path.clone());
                let item_semantics = semantics.item();
                if item.is_object() && !item_semantics.is_atomic() {
                    collect_fields(item, item_semantics, path, found);
                }
                path.pop();
            }
        }
        _ => found.push(path.clone()),
    }
}

fn list_path_element(item: &Value, semantics: OwnershipSemantics<'_>, elements: &ElementIdentity<'_>) -> Option<Str> {
    match elements {
        ElementIdentity::Atomic => None,
        ElementIdentity::Set => Some(format!("v:{item}").into()),
        ElementIdentity::Keyed(keys) => semantics.path_element(item, keys),
    }
}

/// Compares two objects and returns the fields that differ.
#[must_use]
pub fn compare(old: &Value, new: &Value, semantics: OwnershipSemantics<'_>) -> FieldChanges {
    let mut changes = FieldChanges::default();
    compare_values((Some(old), Some(new)), semantics, &mut Vec::new(), &mut changes);
    FieldChanges {
        written: only_owned_sorted(changes.written),
        removed: only_owned_sorted(changes.removed),
    }
}

/// Returns the fields that the creation of an object sets, including defaults.
#[must_use]
pub fn fields_set_at_creation(object: &Value, semantics: OwnershipSemantics<'_>) -> Vec<FieldPath> {
    compare(&Value::Object(Map::new()), object, semantics).written
}

type OldAndNew<'v> = (Option<&'v Value>, Option<&'v Value>);

fn compare_values(
    pair: OldAndNew<'_>,
    semantics: OwnershipSemantics<'_>,
    path: &mut FieldPath,
    changes: &mut FieldChanges,
) {
    let (old, new) = pair;
    if old == new {
        return;
    }
    let is = |of: fn(&Value) -> bool| old.is_some_and(of) || new.is_some_and(of);
    let fits = |of: fn(&Value) -> bool| {
        let fits = |value: Option<&Value>| value.is_none_or(|value| value.is_null() || of(value));
        fits(old) && fits(new)
    };
    if is(Value::is_object) && fits(Value::is_object) {
        compare_maps(pair, semantics, path, changes);
    } else if is(Value::is_array) && fits(Value::is_array) {
        compare_lists(pair, semantics, path, changes);
    } else {
        compare_leaf(pair, path, changes);
    }
}

fn compare_leaf((old, new): OldAndNew<'_>, path: &FieldPath, changes: &mut FieldChanges) {
    match (old, new) {
        (Some(old), Some(new)) if old == new => {}
        (_, Some(_)) => changes.written.push(path.clone()),
        (Some(_), None) => changes.removed.push(path.clone()),
        (None, None) => {}
    }
}

/// Records a map or list itself as written if it did not exist before, and as removed if it no longer exists.
fn record_presence_change((old, new): OldAndNew<'_>, path: &FieldPath, changes: &mut FieldChanges) {
    match (old, new) {
        (None, Some(_)) => changes.written.push(path.clone()),
        (Some(_), None) => changes.removed.push(path.clone()),
        _ => {}
    }
}

fn compare_maps(
    pair: OldAndNew<'_>,
    semantics: OwnershipSemantics<'_>,
    path: &mut FieldPath,
    changes: &mut FieldChanges,
) {
    let (old, new) = (pair.0.and_then(Value::as_object), pair.1.and_then(Value::as_object));
    let is_empty = |map: Option<&Map<String, Value>>| map.is_none_or(Map::is_empty);
    if semantics.is_atomic() || is_empty(old) && is_empty(new) {
        return compare_leaf(pair, path, changes);
    }
    let mut keys: Vec<&String> = old.into_iter().chain(new).flat_map(Map::keys).collect();
    keys.stable_sort();
    keys.dedup();
    for key in keys {
        let unset = semantics.value_if_unset(key);
        let before = old.and_then(|map| map.get(key)).or(unset.filter(|_| pair.0.is_some()));
        let after = new.and_then(|map| map.get(key)).or(unset.filter(|_| pair.1.is_some()));
        path.push(path_element_of_field(key));
        compare_values((before, after), semantics.field(key), path, changes);
        path.pop();
    }
    record_presence_change(pair, path, changes);
}

fn list_items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn compare_lists(
    pair: OldAndNew<'_>,
    semantics: OwnershipSemantics<'_>,
    path: &mut FieldPath,
    changes: &mut FieldChanges,
) {
    let (old, new) = (list_items(pair.0), list_items(pair.1));
    let elements = semantics.elements();
    if elements == ElementIdentity::Atomic || old.is_empty() && new.is_empty() {
        return compare_leaf(pair, path, changes);
    }
    let with_steps = |items: &'_ [Value]| -> Vec<(Str, Value)> {
        let with_step = |item: &Value| Some((list_path_element(item, semantics, &elements)?, item.clone()));
        items.iter().filter_map(with_step).collect()
    };
    let (old, new) = (with_steps(old), with_steps(new));
    let mut steps: Vec<&Str> = old.iter().chain(&new).map(|(step, _)| step).collect();
    steps.stable_sort();
    steps.dedup();
    for step in steps {
        let find = |items: &'_ [(Str, Value)]| items.iter().position(|(known, _)| known == step);
        let (before, after) = (find(&old), find(&new));
        let pair = (before.map(|at| &old[at].1), after.map(|at| &new[at].1));
        path.push(step.clone());
        match semantics.item() {
            item if matches!(elements, ElementIdentity::Keyed(_)) && !item.is_atomic() => {
                compare_values(pair, item, path, changes)
            }
            _ => compare_leaf(pair, path, changes),
        }
        path.pop();
    }
    record_presence_change(pair, path, changes);
}

/// Returns the value at a path.
#[must_use]
pub fn value_at<'v>(object: &'v Value, path: &[Str]) -> Option<&'v Value> {
    path.iter().try_fold(object, |value, step| match step.split_once(':')? {
        ("f", name) => value.get(name),
        ("k", _) => {
            let items = value.as_array()?;
            items.get(list_index(items, step)?)
        }
        _ => {
            let expected: Value = serde_json::from_str(step.get(2..)?).ok()?;
            value.as_array()?.iter().find(|item| **item == expected)
        }
    })
}

/// Returns the index of the list element that a path element `k:…` refers to. If an element lacks a key field, the
/// default value of this field is compared.
#[must_use]
pub fn list_index(items: &[Value], path_element: &str) -> Option<usize> {
    let keys: Map<String, Value> = serde_json::from_str(path_element.get(2..)?).ok()?;
    let is_value = |item: &Value, key: &str, expected: &Value| match item.get(key) {
        Some(value) => value == expected,
        None if key == "protocol" => expected == "TCP",
        None => *expected == "" || *expected == 0,
    };
    items
        .iter()
        .position(|item| keys.iter().all(|(key, expected)| is_value(item, key, expected)))
}

/// Prints a path as it appears in error messages: `.spec.containers[name="app"].image`.
#[must_use]
pub fn path_text(path: &[Str]) -> String {
    let mut text = String::new();
    for step in path {
        match step.split_once(':') {
            Some(("f", name)) => text.push_str(&format!(".{name}")),
            Some(("k", keys)) => {
                let keys: Map<String, Value> = serde_json::from_str(keys).unwrap_or_default();
                let keys: Vec<String> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                text.push_str(&format!("[{}]", keys.join(",")));
            }
            Some((_, value)) => text.push_str(&format!("[={value}]")),
            None => {}
        }
    }
    text
}
