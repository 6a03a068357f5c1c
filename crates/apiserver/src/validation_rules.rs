//! Validation rules of CustomResourceDefinitions (HT-163 to HT-167).

use podscope_api::{Object, UntypedObject, ValidationError};
use serde_json::Value;

/// Returns an error for each validation rule (CEL) of the schema that a custom object violates. `old` is the object
/// that it replaces.
pub(super) fn check_validation_rules(object: &Object, old: Option<&Object>, schema: &Value) -> Vec<ValidationError> {
    let old = old.map(Object::to_value);
    podscope_cel::rules::validate(&object.to_value(), old.as_ref(), schema)
}

/// Returns an error for each rule of a definition that does not compile. No rule is checked if `old`, the definition
/// that it replaces, has the same versions.
pub(super) fn check_definition(
    definition: &UntypedObject,
    old: Option<&std::sync::Arc<UntypedObject>>,
) -> Vec<ValidationError> {
    let versions = |definition: &UntypedObject| definition.at("/spec/versions").cloned().unwrap_or_default();
    let own = versions(definition);
    if old.is_some_and(|old| versions(old) == own) {
        return Vec::new();
    }
    let schemas: Vec<&Value> = own
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|version| version.pointer("/schema/openAPIV3Schema"))
        .collect();
    // If all versions have the same schema, the real server moves it to `spec.validation`, so the errors have that
    // path.
    if let [first, others @ ..] = schemas.as_slice()
        && others.iter().all(|other| other == first)
    {
        return podscope_cel::rules::check(first, "spec.validation.openAPIV3Schema");
    }
    let each = schemas.iter().enumerate().flat_map(|(index, schema)| {
        podscope_cel::rules::check(schema, &format!("spec.versions[{index}].schema.openAPIV3Schema"))
    });
    each.collect()
}
