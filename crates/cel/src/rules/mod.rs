//! Validation rules of CustomResourceDefinitions, `x-kubernetes-validations` (HT-163 to HT-167).
//!
//! [`check`] compiles the rules of a schema when its definition is written; [`validate`] evaluates them for an object.
//! Both return field errors in the API server's wording.
//!
//! Deviation: the cost of a rule is not estimated; only a rule that concatenates a string of unknown length is refused
//! as too expensive (HT-166). Errors in unchanged fields are tolerated (ratcheting) without a warning.

mod types;
mod value;

use cel::common::types::{CelBool, CelOptional, CelString};
use cel::common::value::Val;
use cel::{Context, Program};
use podscope_api::{ProblemKind, ValidationError};
use serde_json::{Value, json};

use crate::{cel_environment, check_variables, error_text};

const RULES_FIELD: &str = "x-kubernetes-validations";
const NULL: &Value = &Value::Null;

fn string_field<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(value: &Value, field: &str) -> bool {
    value.get(field) == Some(&Value::Bool(true))
}

fn validation_rules(schema: &Value) -> impl Iterator<Item = &Value> {
    schema.get(RULES_FIELD).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the path of a field; `path` is the path of the object that contains the field, empty for the root.
fn child_path(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

fn invalid_value_error(path: &str, message: String) -> ValidationError {
    field_error(path, "FieldValueInvalid", format!("Invalid value: {message}"))
}

fn field_error(path: &str, reason: &'static str, message: String) -> ValidationError {
    let path = if path.is_empty() { "<nil>" } else { path }.to_owned();
    ValidationError {
        path,
        reason,
        message,
        kind: ProblemKind::Other,
    }
}

/// Compiles an expression that may use the variables `self` and `oldSelf`, which have the type of the schema. The
/// result must have the expected type.
fn compile_rule(expression: &str, schema: &Value, expected: types::Type<'_>) -> Result<Program, String> {
    let program = cel_environment()
        .compile(expression)
        .map_err(|errors| format!("compilation failed: {errors}"))?;
    check_variables(&program, expression, &["self", "oldSelf"])?;
    types::check(&program, expression, schema, expected)?;
    Ok(program)
}

/// Compiles all rules of a schema and returns their errors; `path` is the path of the schema in its definition.
#[must_use]
pub fn check(schema: &Value, path: &str) -> Vec<ValidationError> {
    let mut errors = Vec::new();
    check_schema_at(&value::schema_with_metadata(schema), path, &mut errors);
    if errors.iter().any(|error| error.message.contains(COST_EXCEEDS_BUDGET)) {
        let why = format!(
            "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema {COST_EXCEEDS_BUDGET} ({RULE_COST_ADVICE})"
        );
        errors.push(field_error(path, "FieldValueForbidden", format!("Forbidden: {why}")));
    }
    errors
}

const COST_EXCEEDS_BUDGET: &str = "exceeds budget by factor of more than 100x";
const RULE_COST_ADVICE: &str = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";

/// Adds an error if the cost of an expression has no bound, because it concatenates a string of unknown length.
fn check_cost(program: &Program, field: &str, at: &str, errors: &mut Vec<ValidationError>) {
    if crate::cost::concatenates_unbounded(program.expression()) {
        let why = format!("Forbidden: estimated {field} cost {COST_EXCEEDS_BUDGET} ({RULE_COST_ADVICE})");
        errors.push(field_error(&format!("{at}.{field}"), "FieldValueForbidden", why));
    }
}

fn check_schema_at(schema: &Value, path: &str, errors: &mut Vec<ValidationError>) {
    for (index, rule) in validation_rules(schema).enumerate() {
        let at = format!("{path}.{RULES_FIELD}[{index}]");
        let expression = string_field(rule, "rule");
        if expression.trim().is_empty() {
            errors.push(field_error(
                &format!("{at}.rule"),
                "FieldValueRequired",
                "Required value: rule is not specified".to_owned(),
            ));
            continue;
        }
        match compile_rule(expression, schema, types::Type::Bool) {
            Ok(program) => check_cost(&program, "rule", &at, errors),
            Err(why) => errors.push(invalid_value_error(
                &format!("{at}.rule"),
                format!("{}: {why}", rule_as_go_struct(rule)),
            )),
        }
        let message = string_field(rule, "messageExpression");
        if message.is_empty() {
            continue;
        }
        match compile_rule(message, schema, types::Type::String) {
            Ok(program) => check_cost(&program, "messageExpression", &at, errors),
            Err(why) => {
                let why = why.replacen("compilation failed", "messageExpression compilation failed", 1);
                errors.push(invalid_value_error(
                    &format!("{at}.messageExpression"),
                    format!("{}: {why}", rule_as_go_struct(rule)),
                ));
            }
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        check_schema_at(schema, &format!("{path}.properties[{name}]"), errors);
    }
    for field in ["items", "additionalProperties"] {
        if let Some(schema) = schema.get(field).filter(|schema| schema.is_object()) {
            check_schema_at(schema, &format!("{path}.{field}"), errors);
        }
    }
}

/// Returns a rule with the field names of its Go struct, as the API server prints it in errors.
fn rule_as_go_struct(rule: &Value) -> Value {
    json!({
        "Rule": string_field(rule, "rule"),
        "Message": string_field(rule, "message"),
        "MessageExpression": string_field(rule, "messageExpression"),
        "Reason": rule.get("reason"),
        "FieldPath": string_field(rule, "fieldPath"),
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    })
}

/// Evaluates the rules of a schema for an object and returns their errors; `old` is the object that it replaces.
#[must_use]
pub fn validate(object: &Value, old: Option<&Value>, schema: &Value) -> Vec<ValidationError> {
    let mut errors = Vec::new();
    validate_at(object, old, &value::schema_with_metadata(schema), "", &mut errors);
    errors
}

fn validate_at(value: &Value, old: Option<&Value>, schema: &Value, path: &str, errors: &mut Vec<ValidationError>) {
    if value.is_null() {
        return;
    }
    for rule in validation_rules(schema) {
        errors.extend(evaluate_rule(rule, value, old, schema, path));
    }
    match value {
        Value::Array(items) => {
            let Some(of) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                let old = old.and_then(|old| find_correlated_old_item(old, item, schema));
                validate_at(item, old, of, &format!("{path}[{index}]"), errors);
            }
        }
        Value::Object(map) => {
            let more = schema.get("additionalProperties").filter(|more| more.is_object());
            for (name, value) in map {
                let own = schema.get("properties").and_then(|properties| properties.get(name));
                let at = match own {
                    Some(_) => child_path(path, name),
                    None => format!("{path}[{name}]"),
                };
                if let Some(of) = own.or(more) {
                    validate_at(value, old.and_then(|old| old.get(name)), of, &at, errors);
                }
            }
        }
        _ => {}
    }
}

/// Returns the element of the old list that has the same keys as an item (`x-kubernetes-list-map-keys`); None for lists
/// without keys.
fn find_correlated_old_item<'o>(old: &'o Value, item: &Value, schema: &Value) -> Option<&'o Value> {
    let keys = schema.get("x-kubernetes-list-map-keys")?.as_array()?;
    let is_same = |other: &&Value| {
        keys.iter()
            .filter_map(Value::as_str)
            .all(|key| other.get(key) == item.get(key))
    };
    old.as_array()?.iter().find(is_same)
}

/// Evaluates a rule for a value; returns an error if the rule does not hold.
fn evaluate_rule(
    rule: &Value,
    value: &Value,
    old: Option<&Value>,
    schema: &Value,
    path: &str,
) -> Option<ValidationError> {
    let expression = string_field(rule, "rule");
    // A rule that does not compile is ignored here: it is refused when its definition is written.
    let program = cel_environment().compile(expression).ok()?;
    let is_transition = program.references().variables().contains(&"oldSelf");
    let old_self_is_optional = is_true(rule, "optionalOldSelf");
    if is_transition && old.is_none() && !old_self_is_optional {
        return None;
    }
    let result = run_program(&program, value, old, schema, old_self_is_optional);
    let is_ratcheted = !is_transition && old == Some(value);
    let rule_text = match string_field(rule, "message").trim() {
        "" => expression.trim(),
        message => message,
    };
    match result {
        Ok(result) => {
            if result.downcast_ref::<CelBool>().is_some_and(|holds| *holds.inner()) || is_ratcheted {
                return None;
            }
        }
        Err(why) if why.starts_with("no such overload") => {
            let why = format!(
                "'{why}': call arguments did not match a supported operator, function or macro signature for rule: {rule_text}"
            );
            return Some(invalid_value_error(path, format!("{}{why}", error_value_prefix(value))));
        }
        Err(why) => {
            let of = string_field(schema, "type");
            return Some(invalid_value_error(
                path,
                format!("{of:?}: {why} evaluating rule: {rule_text}"),
            ));
        }
    }
    let own_message = || match string_field(rule, "message").trim() {
        "" => format!("failed rule: {rule_text}"),
        message => message.to_owned(),
    };
    let detail = evaluate_message(rule, value, old, schema).unwrap_or_else(own_message);
    let path = format!("{path}{}", string_field(rule, "fieldPath"));
    let path = path.trim_start_matches('.');
    Some(match string_field(rule, "reason") {
        "FieldValueForbidden" => field_error(path, "FieldValueForbidden", format!("Forbidden: {detail}")),
        "FieldValueRequired" => field_error(path, "FieldValueRequired", format!("Required value: {detail}")),
        "FieldValueDuplicate" => field_error(path, "FieldValueDuplicate", format!("Duplicate value: {value}")),
        _ => invalid_value_error(path, format!("{}{detail}", error_value_prefix(value))),
    })
}

/// Returns the printed value with which an error message begins; empty for objects and lists.
fn error_value_prefix(value: &Value) -> String {
    match value {
        Value::Object(_) | Value::Array(_) => String::new(),
        value => format!("{value}: "),
    }
}

/// Evaluates a rule's `messageExpression`; None if the rule has none, or its result is empty, has several lines or is
/// no string.
fn evaluate_message(rule: &Value, value: &Value, old: Option<&Value>, schema: &Value) -> Option<String> {
    let program = cel_environment()
        .compile(string_field(rule, "messageExpression"))
        .ok()?;
    let result = run_program(&program, value, old, schema, false).ok()?;
    let text = result.downcast_ref::<CelString<'_>>()?.inner().trim().to_owned();
    (!text.is_empty() && !text.contains('\n')).then_some(text)
}

fn run_program(
    program: &Program,
    value: &Value,
    old: Option<&Value>,
    schema: &Value,
    old_self_is_optional: bool,
) -> Result<Box<dyn Val>, String> {
    let mut context = Context::with_env(cel_environment().clone());
    context.add_variable_as_val("self", value::to_cel_value(value, schema));
    let old = old.map(|old| value::to_cel_value(old, schema));
    match old {
        old if old_self_is_optional => context.add_variable_as_val("oldSelf", Box::new(CelOptional::from(old))),
        Some(old) => context.add_variable_as_val("oldSelf", old),
        None => {}
    }
    let result = cel::Value::resolve_val(program.expression(), &context).map_err(|error| error_text(&error))?;
    Ok((*result).clone_as_boxed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_schema() -> Value {
        json!({"type": "object", "properties": {"spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer"},
                "replicas": {"type": "integer"},
                "name": {"type": "string", "x-kubernetes-validations": [
                    {"rule": "self == oldSelf", "message": "name is immutable"},
                ]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "limits": {"type": "object", "additionalProperties": {"type": "string"}},
                "in": {"type": "string"},
            },
            "x-kubernetes-validations": [
                {"rule": "!has(self.replicas) || self.replicas <= self.size", "message": "too many",
                 "reason": "FieldValueForbidden", "fieldPath": ".replicas"},
                {"rule": "self.size != 7", "messageExpression": "'not ' + string(self.size)"},
                {"rule": "!has(self.tags) || self.tags.all(tag, tag.startsWith('x') && size(tag) < 5)"},
                {"rule": "!has(self.limits) || (!('cpu' in self.limits) || self.limits['cpu'].matches('^[0-9]+$'))"},
                {"rule": "!has(self.__in__) || self.__in__ != 'no'"},
            ],
        }}})
    }

    fn rule_errors(new: Value, old: Option<Value>) -> Vec<String> {
        let object = |spec: Value| json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": spec});
        let old = old.map(object);
        let found = validate(&object(new), old.as_ref(), &test_schema());
        found.iter().map(ToString::to_string).collect()
    }

    /// Shows: HT-165
    #[test]
    fn broken_rules_have_the_messages_of_the_api_server() {
        for (spec, expected) in [
            (json!({"size": 3, "replicas": 2}), vec![]),
            (
                json!({"size": 3, "replicas": 4}),
                vec!["spec.replicas: Forbidden: too many"],
            ),
            (json!({"size": 7}), vec!["spec: Invalid value: not 7"]),
            (
                json!({"size": 1, "tags": ["x1", "longer"]}),
                vec![
                    "spec: Invalid value: failed rule: !has(self.tags) || self.tags.all(tag, tag.startsWith('x') && size(tag) < 5)",
                ],
            ),
            (json!({"size": 1, "limits": {"cpu": "5"}}), vec![]),
            (
                json!({"size": 1, "in": "no"}),
                vec!["spec: Invalid value: failed rule: !has(self.__in__) || self.__in__ != 'no'"],
            ),
            (
                json!({}),
                vec!["spec: Invalid value: \"object\": no such key: size evaluating rule: self.size != 7"],
            ),
        ] {
            assert_eq!(rule_errors(spec.clone(), None), expected, "{spec}");
        }
    }

    /// Shows: HT-164, HT-165
    #[test]
    fn transition_rule_needs_old_value_and_unchanged_value_passes() {
        let changed = rule_errors(json!({"size": 1, "name": "b"}), Some(json!({"size": 1, "name": "a"})));
        assert_eq!(changed, ["spec.name: Invalid value: \"b\": name is immutable"]);
        assert!(rule_errors(json!({"size": 1, "name": "b"}), Some(json!({"size": 1}))).is_empty());
        assert!(rule_errors(json!({"size": 7}), Some(json!({"size": 7}))).is_empty());
    }

    /// Shows: HT-166
    #[test]
    fn definition_with_uncompilable_rules_is_refused() {
        let with = |rule: &str| json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, RULES_FIELD: [{"rule": rule}]});
        for (rule, expected) in [
            ("self.a > 1", ""),
            ("self.metadata.name == self.b && self.b.size() > 2", ""),
            (
                "self.nope > 1",
                "compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope > 1\n | ....^",
            ),
            (
                "self.b > 1",
                "compilation failed: ERROR: <input>:1:8: found no matching overload for '_>_' applied to '(string, int)'\n | self.b > 1\n | .......^",
            ),
            ("self.a + 1", "must evaluate to a bool"),
            (
                "'size ' + string(self.a) != self.b",
                "Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
            ),
            (
                "slef.a > 1",
                "compilation failed: ERROR: <input>:1:1: undeclared reference to 'slef' (in container '')\n | slef.a > 1\n | ^",
            ),
        ] {
            let found = check(&with(rule), "spec.validation.openAPIV3Schema");
            match expected {
                "" => assert!(found.is_empty(), "{rule}: {found:?}"),
                expected => {
                    assert_eq!(
                        found[0].path,
                        "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule"
                    );
                    assert!(found[0].message.ends_with(expected), "{rule}: {}", found[0].message);
                }
            }
        }
    }
}
