//! Fields of an object that have no Rust type: unknown fields, `managedFields`, volume sources that are not simulated.
//!
//! They are stored as one JSON text, because most of the text of a large cluster's dump consists of such fields.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::Str;
use crate::residual::{IDENTITY_FIELDS, PARTIAL_LIST, PARTIAL_MAP, Residual};

/// Fields without behaviour in the simulation, shared by all copies of an object and by all pods of a template.
///
/// Invariant: merging the extra fields into the printed typed fields restores everything that was read (P-03).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extra(Option<Str>);

impl Extra {
    pub(crate) fn from_residual(residual: Option<Residual<'_>>) -> Self {
        let text = residual
            .filter(|residual| !residual.is_empty())
            .and_then(|residual| serde_json::to_string(&residual).ok());
        Self(text.map(Arc::from))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the length of the stored JSON text, in bytes.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |text| text.len())
    }

    /// Adds the untyped fields to `value`, which holds the typed fields. If a field is in both, the typed value stays.
    ///
    /// Elements of lists are matched by their identifying fields (`name`, `type`, `mountPath`, …), or by position where
    /// they have none. The untyped fields of an element that was removed are not added.
    pub fn merge_into(&self, value: &mut Value) {
        if let Some(kept) = self.parse_json() {
            merge_untyped(value, &kept);
        }
    }

    /// Returns the untyped fields below a path of keys; used to compare parts of two objects.
    pub(crate) fn value_at_path(&self, path: &[&str]) -> Option<Value> {
        let mut value = self.parse_json()?;
        for key in path {
            let Value::Object(mut map) = value else { return None };
            let Some(Value::Object(mut fields)) = map.remove(PARTIAL_MAP) else {
                return None;
            };
            value = fields.remove(*key)?;
        }
        Some(value)
    }

    /// Returns the paths of the untyped fields, such as `spec.containers[0].securityContext`; used to report fields
    /// that are not simulated.
    pub fn paths(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(kept) = self.parse_json() {
            collect_untyped_paths(&kept, &mut String::new(), &mut found);
        }
        found
    }

    /// Returns the timestamps in the untyped fields that have this name, in microseconds since the epoch; used for
    /// `managedFields`, which no other code reads. Searches the JSON text without parsing it, because it may be large.
    pub fn timestamps(&self, field: &str) -> impl Iterator<Item = i64> {
        let key = format!("\"{field}\":\"");
        let text = self.0.as_deref().unwrap_or_default();
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let from = at + text.get(at..)?.find(&key)? + key.len();
                let until = from + text.get(from..)?.find('"')?;
                at = until;
                if let Some(instant) = text.get(from..until).and_then(crate::parse_rfc3339) {
                    return Some(instant);
                }
            }
        })
    }

    fn parse_json(&self) -> Option<Value> {
        serde_json::from_str(self.0.as_deref()?).ok()
    }
}

/// What [`Extra`] stores of a value: untyped fields of a map, untyped parts of a list's elements, or the whole value.
enum UntypedPart<'v> {
    Map(&'v Map<String, Value>),
    List(&'v [Value]),
    Raw(&'v Value),
}

fn classify_untyped(value: &Value) -> UntypedPart<'_> {
    if let Value::Object(map) = value
        && map.len() == 1
    {
        if let Some(Value::Object(fields)) = map.get(PARTIAL_MAP) {
            return UntypedPart::Map(fields);
        }
        if let Some(Value::Array(items)) = map.get(PARTIAL_LIST) {
            return UntypedPart::List(items);
        }
    }
    UntypedPart::Raw(value)
}

fn merge_untyped(value: &mut Value, extra: &Value) {
    match (classify_untyped(extra), value) {
        (UntypedPart::Map(fields), Value::Object(map)) => merge_untyped_fields(map, fields),
        (UntypedPart::List(elements), Value::Array(items)) => {
            let mut taken = vec![false; items.len()];
            for (position, element) in elements.iter().enumerate() {
                let Value::Object(fields) = element else {
                    continue;
                };
                let keys: Vec<&str> = IDENTITY_FIELDS
                    .into_iter()
                    .filter(|key| fields.get(*key).is_some_and(is_scalar))
                    .collect();
                let at = if keys.is_empty() {
                    (items.len() == elements.len()).then_some(position)
                } else {
                    (0..items.len())
                        .filter(|at| !taken[*at])
                        .find(|at| keys.iter().all(|key| items[*at].get(*key) == fields.get(*key)))
                };
                if let Some(at) = at {
                    taken[at] = true;
                    if let Value::Object(map) = &mut items[at] {
                        merge_untyped_fields(map, fields);
                    }
                }
            }
        }
        _ => {}
    }
}

fn is_scalar(value: &Value) -> bool {
    !(value.is_object() || value.is_array())
}

fn merge_untyped_fields(map: &mut Map<String, Value>, fields: &Map<String, Value>) {
    for (key, extra) in fields {
        match (map.get_mut(key), classify_untyped(extra)) {
            (Some(value), _) => merge_untyped(value, extra),
            (None, UntypedPart::Raw(raw)) => {
                map.insert(key.clone(), raw.clone());
            }
            // The typed value under this key was removed, so its untyped fields are dropped.
            (None, _) => {}
        }
    }
}

fn collect_untyped_paths(value: &Value, path: &mut String, found: &mut Vec<String>) {
    let length = path.len();
    match classify_untyped(value) {
        UntypedPart::Raw(_) => found.push(path.clone()),
        UntypedPart::Map(fields) => collect_untyped_field_paths(fields, false, path, found),
        UntypedPart::List(elements) => {
            for (index, element) in elements.iter().enumerate() {
                path.push_str(&format!("[{index}]"));
                if let Value::Object(fields) = element {
                    collect_untyped_field_paths(fields, true, path, found);
                }
                path.truncate(length);
            }
        }
    }
}

fn collect_untyped_field_paths(
    fields: &Map<String, Value>,
    is_list_element: bool,
    path: &mut String,
    found: &mut Vec<String>,
) {
    let length = path.len();
    for (key, inner) in fields {
        if is_list_element && IDENTITY_FIELDS.contains(&key.as_str()) && is_scalar(inner) {
            continue;
        }
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        collect_untyped_paths(inner, path, found);
        path.truncate(length);
    }
}
