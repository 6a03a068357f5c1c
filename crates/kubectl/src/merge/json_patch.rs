//! JSON patches (RFC 6902), with the limits of the API server, and its deviations from the RFC.

use serde_json::Value;

/// Maximum number of bytes that the `copy` operations of one JSON patch may add (`JSONPatchMaxCopyBytes` of the API
/// server).
const MAX_COPIED_BYTES: usize = 3 * 1024 * 1024;
/// Maximum size of an object after `copy` operations, in bytes (etcd's `--max-request-bytes`).
const MAX_OBJECT_BYTES: usize = 3 * 512 * 1024;
/// Maximum number of operations of one JSON patch (`maxJSONPatchOperations` of the API server).
const MAX_OPERATIONS: usize = 10_000;

/// Applies a JSON patch (RFC 6902).
///
/// # Errors
/// The API server's message about an operation that cannot be applied.
pub(crate) fn json_patch(live: &Value, patch: &Value) -> Result<Value, String> {
    let operations = patch.as_array().ok_or("a JSON patch is a list of operations")?;
    if operations.len() > MAX_OPERATIONS {
        let found = operations.len();
        return Err(format!(
            "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {found}"
        ));
    }
    let mut value = live.clone();
    let mut copied = 0;
    for operation in operations {
        let text = |field: &str| operation.get(field).and_then(Value::as_str);
        // Like the API server, ignore everything before the first slash.
        let path = text("path").ok_or("an operation needs a path")?;
        let path = path.find('/').map_or(path, |at| path.get(at..).unwrap_or_default());
        // An `add` without a value adds null.
        let operation_value = || operation.get("value").cloned().unwrap_or_default();
        let missing = |path: &str| format!("the path {path:?} does not exist");
        match text("op") {
            Some("add") => json_patch_add(&mut value, path, operation_value())?,
            Some("remove") => {
                json_patch_remove(&mut value, path).ok_or_else(|| missing(path))?;
            }
            Some("replace") => {
                // In an object, `replace` also sets a key that does not exist.
                let is_key_of_object = is_key_of_object(&value, path);
                match value.pointer_mut(path) {
                    Some(target) => *target = operation_value(),
                    None if is_key_of_object => json_patch_add(&mut value, path, operation_value())?,
                    None => return Err(missing(path)),
                }
            }
            Some("test") => {
                // In an object, a missing key equals null: kube-rs uses this to test that there are no finalizers.
                let absent = is_key_of_object(&value, path).then_some(&Value::Null);
                if value.pointer(path).or(absent) != Some(&operation_value()) {
                    return Err(format!("testing value {path} failed"));
                }
            }
            Some("copy" | "move") => {
                let from = text("from").ok_or("an operation needs a from")?;
                let moved = value.pointer(from).cloned().ok_or_else(|| missing(from))?;
                if text("op") == Some("move") {
                    json_patch_remove(&mut value, from);
                } else {
                    copied += moved.to_string().len();
                    if copied > MAX_COPIED_BYTES {
                        return Err(format!(
                            "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the limit {MAX_COPIED_BYTES}"
                        ));
                    }
                }
                json_patch_add(&mut value, path, moved)?;
            }
            other => return Err(format!("unexpected kind: {}", other.unwrap_or_default())),
        }
    }
    if copied > 0 && value.to_string().len() > MAX_OBJECT_BYTES {
        return Err("etcdserver: request is too large".into());
    }
    Ok(value)
}

/// Splits a JSON pointer into the pointer of the parent and the unescaped last segment.
fn split_pointer(path: &str) -> Option<(&str, String)> {
    let (parent, last) = path.rsplit_once('/')?;
    Some((parent, last.replace("~1", "/").replace("~0", "~")))
}

/// Returns whether the parent of the value at a pointer is an object, so that the last segment of the pointer is a key.
/// The key need not exist.
fn is_key_of_object(value: &Value, path: &str) -> bool {
    split_pointer(path).is_some_and(|(above, _)| value.pointer(above).is_some_and(Value::is_object))
}

fn json_patch_add(value: &mut Value, path: &str, new: Value) -> Result<(), String> {
    let missing = || format!("the path {path:?} does not exist");
    let Some((above, last)) = split_pointer(path) else {
        *value = new;
        return Ok(());
    };
    match value.pointer_mut(above).ok_or_else(missing)? {
        Value::Object(map) => {
            map.insert(last, new);
        }
        Value::Array(items) => {
            let at = if last == "-" {
                items.len()
            } else {
                last.parse().map_err(|_| missing())?
            };
            if at > items.len() {
                return Err(missing());
            }
            items.insert(at, new);
        }
        _ => return Err(missing()),
    }
    Ok(())
}

fn json_patch_remove(value: &mut Value, path: &str) -> Option<Value> {
    let (above, last) = split_pointer(path)?;
    match value.pointer_mut(above)? {
        Value::Object(map) => map.shift_remove(&last),
        Value::Array(items) => {
            let at: usize = last.parse().ok()?;
            (at < items.len()).then(|| items.remove(at))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_patch_test_of_missing_key_equals_null() {
        let live = json!({"metadata": {"name": "a"}, "l": [1]});
        let test = |path: &str, value: Value| json_patch(&live, &json!([{"op": "test", "path": path, "value": value}]));
        for (path, value, is_fine) in [
            ("/metadata/finalizers", Value::Null, true),
            ("/metadata/finalizers", json!([]), false),
            ("/metadata/name", Value::Null, false),
            ("/metadata/name", json!("a"), true),
            ("/spec/replicas", Value::Null, false),
            ("/l/1", Value::Null, false),
        ] {
            assert_eq!(test(path, value.clone()).is_ok(), is_fine, "{path} {value}");
        }
    }

    #[test]
    fn json_patch_operations_change_keys_and_elements() {
        let live = json!({"a": {"b": 1}, "l": [1]});
        assert_eq!(
            json_patch(
                &live,
                &json!([{"op": "add", "path": "/a/c~1d", "value": 2}, {"op": "remove", "path": "/l/0"}, {"op": "add", "path": "/l/-", "value": 3}])
            ),
            Ok(json!({"a": {"b": 1, "c/d": 2}, "l": [3]}))
        );
        assert!(json_patch(&live, &json!([{"op": "remove", "path": "/zz/0"}])).is_err());
        // Shows: Q-03. Copy operations that double the object fail at three mebibytes.
        let double = |at: u32| json!({"op": "copy", "from": "", "path": format!("/x{at}")});
        let doubled: Vec<_> = (0..64).map(double).collect();
        let why = json_patch(&live, &json!(doubled)).expect_err("too much");
        assert!(why.starts_with("Unable to complete the copy"), "{why}");
    }
}
