//! Merges of objects as kubectl and the API server perform them: three-way merge for `apply`, strategic merge patch,
//! JSON merge patch and JSON patch for `patch`.

mod json_patch;

use crate::command::PatchType;
use podscope_api::ordered::StableSort as _;
use podscope_api::schema::SchemaNode;
use serde_json::{Map, Value};

pub(crate) use self::json_patch::json_patch;

/// Returns the merge key of a list: the first of the keys by which the API server identifies its elements. `None` means
/// that the list is atomic, so a merge replaces it.
fn merge_key<'v>(list: SchemaNode, items: impl IntoIterator<Item = &'v Value>) -> Option<&'static str> {
    let key = list.element_keys()?.into_iter().next()?;
    let mut items = items.into_iter();
    items.all(|item| item.get(key).is_some()).then_some(key)
}

/// Returns the elements of a list; empty for any other value.
fn as_items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Merges objects as `apply` does: sets the fields of `desired`, removes fields of `original` that `desired` lacks, and
/// keeps the other fields of `live`.
pub(crate) fn three_way_merge(original: &Value, desired: &Value, live: &Value) -> Value {
    three_way_merge_field(SchemaNode::of_object(live), original, desired, live)
}

/// Merges objects as `apply` does for custom kinds, whose lists are replaced and not merged.
pub(crate) fn three_way_json_merge(original: &Value, desired: &Value, live: &Value) -> Value {
    let (Value::Object(wanted), Value::Object(have)) = (desired, live) else {
        return desired.clone();
    };
    let mut merged = have.clone();
    for key in original.as_object().into_iter().flat_map(Map::keys) {
        if !wanted.contains_key(key) {
            merged.shift_remove(key);
        }
    }
    for (key, value) in wanted {
        let before = original.get(key).unwrap_or(&Value::Null);
        let next = have.get(key).map_or_else(
            || without_nulls(value),
            |live| three_way_json_merge(before, value, live),
        );
        match next {
            Value::Null => drop(merged.shift_remove(key)),
            next => drop(merged.insert(key.clone(), next)),
        }
    }
    Value::Object(merged)
}

/// Applies `$retainKeys`: a changed `strategy` keeps only the keys that the manifest sets.
fn with_retained_keys(field: &str, mut merged: Value, desired: &Value, live: &Value) -> Value {
    if field == "strategy"
        && merged != *live
        && let (Some(map), Some(wanted)) = (merged.as_object_mut(), desired.as_object())
    {
        map.retain(|key, _| wanted.contains_key(key));
    }
    merged
}

/// Like [`three_way_merge`], for one field.
fn three_way_merge_field(of: SchemaNode, original: &Value, desired: &Value, live: &Value) -> Value {
    match (desired, live) {
        (Value::Object(wanted), Value::Object(have)) => {
            let empty = Map::new();
            let before = original.as_object().unwrap_or(&empty);
            let mut merged = have.clone();
            for key in before.keys() {
                if !wanted.contains_key(key) {
                    merged.shift_remove(key);
                }
            }
            for (key, value) in wanted {
                let next = match have.get(key) {
                    Some(live) => {
                        let before = before.get(key).unwrap_or(&Value::Null);
                        with_retained_keys(
                            key,
                            three_way_merge_field(of.field(key), before, value, live),
                            value,
                            live,
                        )
                    }
                    None => without_nulls(value),
                };
                if next.is_null() {
                    merged.shift_remove(key);
                } else {
                    merged.insert(key.clone(), next);
                }
            }
            Value::Object(merged)
        }
        (Value::Array(wanted), Value::Array(have)) => {
            let Some(key) = merge_key(of, wanted.iter().chain(have)) else {
                return desired.clone();
            };
            let before = as_items(Some(original));
            let same = |a: &Value, b: &Value| a.get(key) == b.get(key);
            let mut merged: Vec<Value> = wanted
                .iter()
                .map(|item| {
                    let old = before.iter().find(|old| same(old, item)).unwrap_or(&Value::Null);
                    match have.iter().find(|live| same(live, item)) {
                        Some(live) => three_way_merge_field(of.item(), old, item, live),
                        None => item.clone(),
                    }
                })
                .collect();
            merged.extend(
                have.iter()
                    .filter(|live| {
                        !wanted.iter().any(|item| same(item, live)) && !before.iter().any(|old| same(old, live))
                    })
                    .cloned(),
            );
            Value::Array(merged)
        }
        _ => desired.clone(),
    }
}

/// Returns the patch of `apply` as the API server prints it in its errors: lists with a merge key are missing, because
/// the server has already merged them and removed them from the patch.
pub(crate) fn printed_apply_patch(original: &Value, desired: &Value, live: &Value) -> Value {
    printed_apply_patch_of_field(SchemaNode::of_object(live), original, desired, live)
}

/// Like [`printed_apply_patch`], for one field.
fn printed_apply_patch_of_field(of: SchemaNode, original: &Value, desired: &Value, live: &Value) -> Value {
    let (empty, mut patch) = (Map::new(), Map::new());
    let as_map = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let before = original.as_object().unwrap_or(&empty);
    let (wanted, have) = (as_map(desired), as_map(live));
    for key in before.keys().filter(|key| !wanted.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, value) in &wanted {
        let given = have.get(key).unwrap_or(&Value::Null);
        let before = before.get(key).unwrap_or(&Value::Null);
        match (value, given) {
            (Value::Object(_), Value::Object(_)) => {
                let inner = printed_apply_patch_of_field(of.field(key), before, value, given);
                let is_changed = three_way_merge_field(of.field(key), before, value, given) != *given;
                if is_changed {
                    patch.insert(key.clone(), inner);
                }
            }
            (Value::Array(wanted), Value::Array(have)) => {
                if merge_key(of.field(key), wanted.iter().chain(have)).is_none() && value != given {
                    patch.insert(key.clone(), value.clone());
                }
            }
            _ if value == given => {}
            _ => drop(patch.insert(key.clone(), value.clone())),
        }
    }
    Value::Object(patch)
}

/// Returns the value without the fields that are null.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key.clone(), without_nulls(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Applies a strategic merge patch: lists with a merge key are merged; `$patch: delete|replace`, `$retainKeys`,
/// `$deleteFromPrimitiveList` and null are supported.
pub(crate) fn strategic_merge(live: &Value, patch: &Value) -> Value {
    strategic_merge_field("", SchemaNode::of_object(live), live, patch, None)
}

/// Sorts a merged list (`normalizeElementOrder` of apimachinery). Elements in `order` get that order; the other
/// elements keep the order of the live list. An element that is not in `order` precedes one in `order` only if it does
/// so in the live list.
fn normalize_element_order(
    merged: Vec<Value>,
    live: &[Value],
    order: &[Value],
    same: impl Fn(&Value, &Value) -> bool,
) -> Vec<Value> {
    let position = |list: &[Value], item: &Value| list.iter().position(|other| same(other, item));
    let (mut named, others): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|item| position(order, item).is_some());
    named.stable_sort_by_key(|item| position(order, item));
    let is_before = |one: &Value, other: &Value| match (position(live, one), position(live, other)) {
        (Some(one), Some(other)) => one < other,
        _ => false,
    };
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    let mut all = Vec::new();
    loop {
        let next = match (others.peek(), named.peek()) {
            (Some(other), Some(named)) if !is_before(other, named) => None,
            (Some(_), _) => others.next(),
            (None, _) => None,
        };
        match next.or_else(|| named.next()) {
            Some(item) => all.push(item),
            None => return all,
        }
    }
}

/// Applies a strategic merge patch to the field `name`. `order` is the `$setElementOrder` of a list.
fn strategic_merge_field(name: &str, of: SchemaNode, live: &Value, patch: &Value, order: Option<&Vec<Value>>) -> Value {
    match (live, patch) {
        (Value::Object(have), Value::Object(wanted)) => {
            let directive = wanted.get("$patch").and_then(Value::as_str);
            let mut merged = if matches!(directive, Some("replace" | "delete")) {
                Map::new()
            } else {
                have.clone()
            };
            if let Some(Value::Array(keys)) = wanted.get("$retainKeys") {
                merged.retain(|key, _| keys.iter().any(|kept| kept.as_str() == Some(key)));
            }
            for (key, value) in wanted {
                if let Some(list) = key.strip_prefix("$deleteFromPrimitiveList/") {
                    if let Some(Value::Array(items)) = merged.get_mut(list) {
                        items.retain(|item| !as_items(Some(value)).contains(item));
                    }
                } else if let Some(list) = key.strip_prefix("$setElementOrder/") {
                    if let (None, Some(Value::Array(live))) = (wanted.get(list), merged.get(list)) {
                        let key = merge_key(of.field(list), live);
                        let same = |one: &Value, other: &Value| match key {
                            Some(key) => one.get(key) == other.get(key),
                            None => one == other,
                        };
                        let next = normalize_element_order(live.clone(), live, as_items(Some(value)), same);
                        merged.insert(list.to_owned(), next.into());
                    }
                } else if key.starts_with('$') {
                } else if value.is_null() {
                    merged.shift_remove(key);
                } else {
                    let next = match merged.get(key) {
                        Some(live) => {
                            let order = wanted.get(&format!("$setElementOrder/{key}"));
                            strategic_merge_field(key, of.field(key), live, value, order.and_then(Value::as_array))
                        }
                        None => without_directives(value),
                    };
                    merged.insert(key.clone(), next);
                }
            }
            Value::Object(merged)
        }
        // `finalizers` is the only set that a patch merges; a patch replaces all other sets as a whole.
        (Value::Array(have), Value::Array(wanted)) if name == "finalizers" && of.is_set_list() => {
            merge_strategic_set(have, wanted, order.unwrap_or(wanted))
        }
        (Value::Array(have), Value::Array(wanted)) => merge_strategic_list(of, have, wanted, order.unwrap_or(wanted)),
        _ => without_directives(patch),
    }
}

/// Merges lists whose elements are identified by their value.
fn merge_strategic_set(live_items: &[Value], patch_items: &[Value], order: &[Value]) -> Value {
    let new = patch_items.iter().filter(|item| !live_items.contains(item));
    let merged = live_items.iter().chain(new).cloned().collect();
    Value::Array(normalize_element_order(merged, live_items, order, |one, other| {
        one == other
    }))
}

/// Merges lists that have a merge key; a list without a merge key is replaced.
fn merge_strategic_list(of: SchemaNode, live_items: &Vec<Value>, patch_items: &Vec<Value>, order: &[Value]) -> Value {
    if patch_items
        .iter()
        .any(|item| item.get("$patch").and_then(Value::as_str) == Some("replace"))
    {
        return Value::Array(
            patch_items
                .iter()
                .filter(|item| item.get("$patch").is_none())
                .cloned()
                .collect(),
        );
    }
    let Some(key) = merge_key(of, patch_items.iter().chain(live_items)) else {
        return Value::Array(patch_items.clone());
    };
    let mut merged = live_items.clone();
    for item in patch_items {
        let at = merged.iter().position(|live| live.get(key) == item.get(key));
        let delete = item.get("$patch").and_then(Value::as_str) == Some("delete");
        match (at, delete) {
            (Some(at), true) => {
                merged.remove(at);
            }
            (Some(at), false) => {
                if let Some(element) = merged.get_mut(at) {
                    *element = strategic_merge_field("", of.item(), element, item, None);
                }
            }
            (None, false) => merged.push(without_directives(item)),
            (None, true) => {}
        }
    }
    Value::Array(normalize_element_order(merged, live_items, order, |one, other| {
        one.get(key) == other.get(key)
    }))
}

/// Returns the value without the directives of a strategic merge patch, such as `$patch`.
fn without_directives(value: &Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .filter(|(key, value)| !key.starts_with('$') && !value.is_null())
                .map(|(key, value)| (key.clone(), without_directives(value)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(without_directives).collect()),
        other => other.clone(),
    }
}

/// Applies a patch of the given type to an object, for example `--overrides` of `--override-type`.
///
/// # Errors
/// The patch cannot be applied.
pub fn patched(object: &Value, patch_type: PatchType, patch: &Value) -> Result<Value, String> {
    Ok(match patch_type {
        PatchType::Strategic => strategic_merge(object, patch),
        PatchType::Merge => json_merge(object, patch),
        PatchType::Json => json_patch(object, patch)?,
    })
}

/// Applies a JSON merge patch (RFC 7396).
pub(crate) fn json_merge(live: &Value, patch: &Value) -> Value {
    let Value::Object(wanted) = patch else {
        return patch.clone();
    };
    let mut merged = live.as_object().cloned().unwrap_or_default();
    for (key, value) in wanted {
        if value.is_null() {
            merged.shift_remove(key);
        } else {
            let next = json_merge(merged.get(key).unwrap_or(&Value::Null), value);
            merged.insert(key.clone(), next);
        }
    }
    Value::Object(merged)
}

/// Finds an element of a patch list that lacks its merge key, and returns it with the key. The API server rejects such
/// a patch.
pub(crate) fn item_without_merge_key(live: &Value, patch: &Value) -> Option<(Value, &'static str)> {
    item_without_merge_key_in(SchemaNode::of_object(live), live, patch)
}

fn item_without_merge_key_in(of: SchemaNode, live: &Value, patch: &Value) -> Option<(Value, &'static str)> {
    match (live, patch) {
        (Value::Object(have), Value::Object(wanted)) => wanted
            .iter()
            .find_map(|(key, value)| item_without_merge_key_in(of.field(key), have.get(key)?, value)),
        (Value::Array(have), Value::Array(wanted)) => {
            let key = merge_key(of, have)?;
            let lacks = |item: &&Value| item.is_object() && item.get(key).is_none() && item.get("$patch").is_none();
            wanted.iter().find(lacks).map(|item| (item.clone(), key))
        }
        _ => None,
    }
}

/// Finds a `$patch` directive that is invalid in a strategic merge patch, and returns the API server's error about it.
pub(crate) fn invalid_directive_error(live: &Value, patch: &Value) -> Option<String> {
    invalid_directive_error_in(SchemaNode::of_object(live), live, patch)
}

fn invalid_directive_error_in(of: SchemaNode, live: &Value, patch: &Value) -> Option<String> {
    let unknown = |directive: &Value, map: &Value| {
        let directive = directive.as_str().map_or_else(|| directive.to_string(), str::to_owned);
        format!(
            "unknown patch type: {directive} in map: {}",
            crate::gotext::go_value_text(map)
        )
    };
    match (live, patch) {
        (Value::Object(have), Value::Object(wanted)) => match wanted.get("$patch") {
            Some(directive) if directive == "replace" || directive == "delete" => None,
            Some(directive) => Some(unknown(directive, patch)),
            None => wanted
                .iter()
                .find_map(|(key, value)| invalid_directive_error_in(of.field(key), have.get(key)?, value)),
        },
        (Value::Array(have), Value::Array(wanted)) => {
            let key = merge_key(of, wanted.iter().chain(have))?;
            wanted.iter().find_map(|item| match item.get("$patch") {
                Some(directive) if directive == "merge" => {
                    Some("merging lists cannot yet be specified in the patch".to_owned())
                }
                Some(directive) if directive == "replace" || directive == "delete" => None,
                Some(directive) => Some(unknown(directive, item)),
                None => {
                    let live = have.iter().find(|live| live.get(key) == item.get(key))?;
                    invalid_directive_error_in(of.item(), live, item)
                }
            })
        }
        _ => None,
    }
}

/// Returns whether a strategic merge patch sets a field of a map that its `$retainKeys` do not list.
pub(crate) fn has_bad_retain_keys(patch: &Value) -> bool {
    match patch {
        Value::Object(map) => {
            let retained = map.get("$retainKeys").and_then(Value::as_array);
            let is_retained = |key: &str| retained.is_none_or(|keys| keys.iter().any(|kept| kept == key));
            let is_bad = map.keys().any(|key| !key.starts_with('$') && !is_retained(key));
            is_bad || map.values().any(has_bad_retain_keys)
        }
        Value::Array(items) => items.iter().any(has_bad_retain_keys),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_api::Kind;
    use serde_json::json;

    /// Shows: KC-094
    #[test]
    fn three_way_merge_removes_dropped_and_keeps_other_fields() {
        let original = json!({"spec": {"replicas": 3, "paused": true, "template": {"spec": {"containers": [{"name": "a", "image": "x:1", "command": ["c"]}, {"name": "b"}]}}}});
        let desired =
            json!({"spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "a", "image": "x:2"}]}}}});
        let live = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 5, "paused": true, "strategy": "S", "template": {"spec": {"containers": [{"name": "a", "image": "x:1", "command": ["c"], "pull": "p"}, {"name": "b"}, {"name": "injected"}]}}}, "status": 1});
        assert_eq!(
            three_way_merge(&original, &desired, &live),
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 3, "strategy": "S", "template": {"spec": {"containers": [{"name": "a", "image": "x:2", "pull": "p"}, {"name": "injected"}]}}}, "status": 1})
        );
    }

    #[test]
    fn strategic_and_merge_patches_change_lists_and_fields() {
        let spec = SchemaNode::of_kind(Kind::Pod).field("spec");
        let container = spec.field("containers").item();
        let merge_strategically =
            |of: SchemaNode, live: &Value, patch: &Value| strategic_merge_field("", of, live, patch, None);
        let live = json!({"a": {"b": 1}, "containers": [{"name": "x", "image": "1"}], "l": [1]});
        assert_eq!(
            merge_strategically(
                spec,
                &live,
                &json!({"containers": [{"name": "x", "image": "2"}, {"name": "y"}], "a": {"b": null}, "l": [2]})
            ),
            json!({"a": {}, "containers": [{"name": "x", "image": "2"}, {"name": "y"}], "l": [2]})
        );
        let names = |names: &[&str]| -> Value { names.iter().map(|name| json!({"name": name})).collect() };
        let env = json!({"env": names(&["A", "B"])});
        for (patch, merged) in [
            (json!({"env": names(&["C"])}), ["C", "A", "B"].as_slice()),
            (json!({"env": names(&["B", "C"])}), &["A", "B", "C"]),
            (json!({"$setElementOrder/env": names(&["B", "A"])}), &["B", "A"]),
        ] {
            assert_eq!(
                merge_strategically(container, &env, &patch),
                json!({"env": names(merged)}),
                "{patch}"
            );
        }
        assert_eq!(
            merge_strategically(spec, &live, &json!({"containers": [{"name": "x", "$patch": "delete"}]})),
            json!({"a": {"b": 1}, "containers": [], "l": [1]})
        );
        assert_eq!(
            json_merge(&live, &json!({"a": null, "containers": []})),
            json!({"containers": [], "l": [1]})
        );
    }
}
