//! Validates objects by a structural schema, with the error messages of kube-openapi.

use serde_json::{Map, Value};

use super::{EMBEDDED_RESOURCE, FIELDS_OF_EVERY_OBJECT, field_schema};
use crate::untyped::{is_true, items, text, texts};
use crate::validate::{ErrorList, Path, quoted};

/// Schema field with validation rules in CEL; the API server evaluates them after the checks in this file.
const VALIDATION_RULES: &str = "x-kubernetes-validations";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// Checks an object by its schema and returns all errors. `old` holds the fields of the replaced object; values that
/// did not change are not checked again (HT-164).
///
/// Deviation: `pattern` is only checked in builds with the feature `patterns`.
#[must_use]
pub fn validate(fields: &Map<String, Value>, old: Option<&Map<String, Value>>, schema: &Value) -> ErrorList {
    let mut errors = ErrorList::default();
    let known = |fields: &Map<String, Value>| -> Vec<(String, Value)> {
        let own = fields
            .iter()
            .filter(|(name, _)| !FIELDS_OF_EVERY_OBJECT.contains(&name.as_str()));
        own.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let known = known(fields);
    let with_schema = || {
        known
            .iter()
            .filter_map(|(name, value)| Some((name, value, field_schema(schema, name)?)))
    };
    for (name, value, schema) in with_schema() {
        let old = old.and_then(|old| old.get(name));
        check_value(value, old, schema, &Path::root(name), &mut errors);
    }
    for name in texts(schema, "required") {
        if !fields.contains_key(name) && !FIELDS_OF_EVERY_OBJECT.contains(&name) {
            errors.required(&Path::root(name), "");
        }
    }
    let mut duplicates = ErrorList::default();
    for (name, value, schema) in with_schema() {
        check_duplicates(value, schema, &Path::root(name), &mut duplicates);
    }
    if !duplicates.is_empty() && !old.is_some_and(|old| has_duplicate_list_elements(old, schema)) {
        errors.extend(duplicates);
    }
    errors
}

/// Returns whether the object has a list of type `set` or `map` that contains an element twice.
fn has_duplicate_list_elements(fields: &Map<String, Value>, schema: &Value) -> bool {
    let mut errors = ErrorList::default();
    for (name, value) in fields {
        if let Some(schema) = field_schema(schema, name) {
            check_duplicates(value, schema, &Path::root(name), &mut errors);
        }
    }
    !errors.is_empty()
}

/// Returns whether the schema's validation rules cannot be evaluated because of other errors; if so, adds an error that
/// says this.
pub(crate) fn are_rules_blocked(errors: &mut ErrorList, schema: &Value) -> bool {
    let blocks = [
        "FieldValueRequired",
        "FieldValueNotSupported",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    ];
    let is_blocked = has_validation_rules(schema) && errors.iter().any(|error| blocks.contains(&error.reason));
    if is_blocked {
        let why = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
        errors.invalid(&Path::root("<nil>"), "null", why);
    }
    is_blocked
}

/// Checks that every value above the field at `path` is an object, as Go's accessors of nested fields do; used for the
/// fields of the `scale` subresource.
pub(crate) fn check_objects_above_path(fields: &Map<String, Value>, path: &str, errors: &mut ErrorList) {
    let (above, _) = path.rsplit_once('.').unwrap_or_default();
    let mut names = above.split('.').filter(|name| !name.is_empty());
    let mut value = names.next().and_then(|name| fields.get(name));
    loop {
        match value {
            None | Some(Value::Null) => return,
            Some(Value::Object(map)) => match names.next() {
                Some(name) => value = map.get(name),
                None => return,
            },
            Some(other) => {
                let (shown, of) = match other {
                    Value::String(text) => (text.clone(), "string"),
                    Value::Bool(_) => (other.to_string(), "bool"),
                    Value::Number(number) if number.is_f64() => (other.to_string(), "float64"),
                    Value::Number(_) => (other.to_string(), "int64"),
                    _ => (other.to_string(), "[]interface {}"),
                };
                let why =
                    format!("{path} accessor error: {shown} is of the type {of}, expected map[string]interface{{}}");
                return errors.invalid(&Path::root(path), 0, &why);
            }
        }
    }
}

fn has_validation_rules(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key(VALIDATION_RULES) || map.values().any(has_validation_rules),
        Value::Array(items) => items.iter().any(has_validation_rules),
        _ => false,
    }
}

fn check_value(value: &Value, old: Option<&Value>, schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if old == Some(value) {
        return;
    }
    if value.is_null() && is_true(schema, "nullable") {
        return;
    }
    check_type(value, schema, path, errors);
    check_combined_schemas(value, schema, path, errors);
    match value {
        Value::String(word) => check_string_by_schema(word, schema, path, errors),
        Value::Number(_) => check_number(value, schema, path, errors),
        Value::Array(list) => {
            check_element_count(list.len(), schema, ["minItems", "maxItems"], "items", path, errors);
            let schema_of_list = schema;
            if let Some(schema) = schema.get("items") {
                let keys = texts(schema_of_list, "x-kubernetes-list-map-keys");
                for (index, item) in list.iter().enumerate() {
                    let old = old.and_then(|old| old_element_with_keys(old, item, &keys));
                    check_value(item, old, schema, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
    check_enum(value, schema, path, errors);
    if let Value::Object(map) = value {
        check_element_count(
            map.len(),
            schema,
            ["minProperties", "maxProperties"],
            "properties",
            path,
            errors,
        );
        for name in texts(schema, "required") {
            if !map.contains_key(name) {
                errors.required(&path.child(name), "");
            }
        }
        let is_object = is_true(schema, EMBEDDED_RESOURCE);
        for (name, value) in map {
            if is_object && FIELDS_OF_EVERY_OBJECT.contains(&name.as_str()) {
                continue;
            }
            if let Some(schema) = field_schema(schema, name) {
                check_value(
                    value,
                    old.and_then(|old| old.get(name)),
                    schema,
                    &path.child(name),
                    errors,
                );
            }
        }
    }
}

/// Returns the element of the old list that has the same values in the fields `keys` as `item`; None if there is no
/// such element, or if `keys` is empty.
fn old_element_with_keys<'o>(old: &'o Value, item: &Value, keys: &[&str]) -> Option<&'o Value> {
    let is_same = |other: &&Value| keys.iter().all(|key| other.get(key) == item.get(key));
    old.as_array()?.iter().find(is_same).filter(|_| !keys.is_empty())
}

/// Returns OpenAPI's name for the type of a value.
fn openapi_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() != 0.0) => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn check_type(value: &Value, schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let expected = match text(schema, "type") {
        "" if is_true(schema, INT_OR_STRING) => "integer,string",
        expected => expected,
    };
    let found = openapi_type_name(value);
    let fits = expected.is_empty()
        || expected.split(',').any(|one| one == found)
        || (expected, found) == ("number", "integer");
    if !fits {
        let detail = format!("{path} in body must be of type {expected}: {}", quoted(found));
        errors.type_invalid(path, quoted(found), &detail);
    }
}

fn size_limit_in_schema(schema: &Value, field: &str) -> Option<usize> {
    let limit = schema.get(field)?.as_u64()?;
    usize::try_from(limit).ok()
}

/// Checks the length and the pattern of a string by its schema; only the first error is reported.
fn check_length_and_pattern(word: &str, schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let length = word.chars().count();
    if let Some(max) = size_limit_in_schema(schema, "maxLength").filter(|max| length > *max) {
        return errors.too_long(path, max);
    }
    if let Some(min) = size_limit_in_schema(schema, "minLength").filter(|min| length < *min) {
        let why = format!("{path} in body should be at least {min} chars long");
        return errors.invalid_text(path, word, &why);
    }
    let pattern = text(schema, "pattern");
    if !pattern.is_empty() && !matches_pattern(pattern, word) {
        errors.invalid_text(path, word, &format!("{path} in body should match '{pattern}'"));
    }
}

fn check_string_by_schema(word: &str, schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    check_length_and_pattern(word, schema, path, errors);
    let format = text(schema, "format");
    if !is_of_format(format, word) {
        let detail = format!("{path} in body must be of type {format}: {}", quoted(word));
        errors.type_invalid(path, quoted(word), &detail);
    }
}

#[cfg(feature = "patterns")]
fn matches_pattern(pattern: &str, word: &str) -> bool {
    // An invalid pattern is refused when the CustomResourceDefinition is created.
    regex_lite::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(word))
}

#[cfg(not(feature = "patterns"))]
fn matches_pattern(_pattern: &str, _word: &str) -> bool {
    true
}

/// Returns whether a string has the format that its schema requires, such as `date-time`. Deviation: supports only the
/// formats of `strfmt` that manifests use.
fn is_of_format(format: &str, word: &str) -> bool {
    match format {
        "date-time" => crate::parse_rfc3339(word).is_some(),
        "date" => crate::parse_rfc3339(&format!("{word}T00:00:00Z")).is_some(),
        "ipv4" => word.parse::<std::net::Ipv4Addr>().is_ok(),
        "ipv6" => word.parse::<std::net::Ipv6Addr>().is_ok(),
        "ip" => word.parse::<std::net::IpAddr>().is_ok(),
        "duration" => crate::parse_duration(word).is_ok(),
        _ => true,
    }
}

fn check_number(value: &Value, schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let bound = |field: &str| schema.get(field).filter(|bound| bound.is_number());
    let float = |value: &Value| value.as_f64().unwrap_or(0.0);
    if let Some(max) = bound("maximum") {
        let is_exclusive = is_true(schema, "exclusiveMaximum");
        if float(value) > float(max) || is_exclusive && float(value) >= float(max) {
            let or_equal = if is_exclusive { "" } else { " or equal to" };
            let detail = format!("{path} in body should be less than{or_equal} {max}");
            errors.invalid(path, value, &detail);
        }
    }
    if let Some(min) = bound("minimum") {
        let is_exclusive = is_true(schema, "exclusiveMinimum");
        if float(value) < float(min) || is_exclusive && float(value) <= float(min) {
            let or_equal = if is_exclusive { "" } else { " or equal to" };
            let detail = format!("{path} in body should be greater than{or_equal} {min}");
            errors.invalid(path, value, &detail);
        }
    }
    if let Some(factor) = bound("multipleOf").filter(|factor| float(factor) > 0.0)
        && (float(value) / float(factor)).fract() != 0.0
    {
        let detail = format!("{path} in body should be a multiple of {factor}");
        errors.invalid(path, value, &detail);
    }
}

fn check_element_count(
    found: usize,
    schema: &Value,
    [min_field, max_field]: [&str; 2],
    what: &str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(max) = size_limit_in_schema(schema, max_field).filter(|max| found > *max) {
        errors.too_many(path, found, max);
    }
    if let Some(min) = size_limit_in_schema(schema, min_field).filter(|min| found < *min) {
        errors.invalid(
            path,
            found,
            &format!("{path} in body should have at least {min} {what}"),
        );
    }
}

fn check_enum(value: &Value, schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let mut known = items(schema, "enum").map(|(_, known)| known).peekable();
    if known.peek().is_none() {
        return;
    }
    let known: Vec<&Value> = known.collect();
    if !known.contains(&value) {
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        let texts: Vec<String> = known.into_iter().map(plain).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        errors.unsupported(path, value, &texts);
    }
}

/// Checks a value by the schemas in `allOf`, `anyOf`, `oneOf` and `not` of its schema.
fn check_combined_schemas(value: &Value, schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let fits = |schema: &Value| {
        let mut errors = ErrorList::default();
        check_value(value, None, schema, path, &mut errors);
        errors.is_empty()
    };
    for (_, schema) in items(schema, "allOf") {
        check_value(value, None, schema, path, errors);
    }
    let given = |field: &str| {
        let all: Vec<&Value> = items(schema, field).map(|(_, schema)| schema).collect();
        (!all.is_empty()).then_some(all)
    };
    // The API server's error names neither the field nor the value.
    let mut refuse = |why: &str| {
        let why = format!("{} {why}", quoted(&path.to_string()));
        errors.invalid(&Path::root("<nil>"), "\"\"", &why);
    };
    if given("anyOf").is_some_and(|all| !all.into_iter().any(fits)) {
        refuse("must validate at least one schema (anyOf)");
    }
    if let Some(all) = given("oneOf") {
        match all.into_iter().filter(|schema| fits(schema)).count() {
            1 => {}
            0 => refuse("must validate one and only one schema (oneOf). Found none valid"),
            several => refuse(&format!(
                "must validate one and only one schema (oneOf). Found {several} valid alternatives"
            )),
        }
    }
    if schema.get("not").is_some_and(fits) {
        refuse("must not validate the schema (not)");
    }
}

/// Checks that lists of type set or map have no duplicate elements.
fn check_duplicates(value: &Value, schema: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    match value {
        Value::Array(list) => {
            let keys = texts(schema, "x-kubernetes-list-map-keys");
            let key = |item: &Value| match text(schema, "x-kubernetes-list-type") {
                "set" => Some(item.clone()),
                "map" => {
                    let given = keys
                        .iter()
                        .filter_map(|key| Some(((*key).to_owned(), item.get(key)?.clone())));
                    Some(Value::Object(given.collect()))
                }
                _ => None,
            };
            let all: Vec<Option<Value>> = list.iter().map(key).collect();
            for (index, own) in all.iter().enumerate() {
                if let Some(own) = own.as_ref().filter(|_| all[..index].contains(own)) {
                    errors.duplicate(&path.index(index), own, "");
                }
            }
            if let Some(schema) = schema.get("items") {
                for (index, item) in list.iter().enumerate() {
                    check_duplicates(item, schema, &path.index(index), errors);
                }
            }
        }
        Value::Object(map) => {
            for (name, value) in map {
                if let Some(schema) = field_schema(schema, name) {
                    check_duplicates(value, schema, &path.child(name), errors);
                }
            }
        }
        _ => {}
    }
}
