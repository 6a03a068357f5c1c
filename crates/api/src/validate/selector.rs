//! Validation of label selectors (VA-152, VA-180 to VA-183).

use crate::{LabelSelector, SelectorOperator, Str};

use super::{ErrorList, Path, meta, names};

/// Validates all parts of a label selector.
pub(super) fn validate(selector: &LabelSelector, path: &Path<'_>, errors: &mut ErrorList) {
    meta::check_labels(&selector.match_labels, &path.child("matchLabels"), errors);
    let expressions = path.child("matchExpressions");
    for (index, requirement) in selector.match_expressions.iter().enumerate() {
        let path = expressions.index(index);
        check_operator_values(&requirement.operator, &requirement.values, &path, errors);
        check_label_key(&requirement.key, &path, errors);
        check_label_values(&requirement.values, &path, errors);
    }
}

/// Checks a requirement's operator, and that the number of values suits the operator.
pub(super) fn check_operator_values(
    operator: &SelectorOperator,
    values: &[Str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    match operator {
        SelectorOperator::In | SelectorOperator::NotIn => {
            if values.is_empty() {
                let message = "must be specified when `operator` is 'In' or 'NotIn'";
                errors.required(&path.child("values"), message);
            }
        }
        SelectorOperator::Exists | SelectorOperator::DoesNotExist => {
            if !values.is_empty() {
                let message = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.forbidden(&path.child("values"), message);
            }
        }
        other => report_invalid_operator(other.as_str(), path, errors),
    }
}

pub(super) fn report_invalid_operator(given: &str, path: &Path<'_>, errors: &mut ErrorList) {
    errors.invalid_text(&path.child("operator"), given, "not a valid selector operator");
}

/// Checks the key of a requirement.
pub(super) fn check_label_key(key: &str, path: &Path<'_>, errors: &mut ErrorList) {
    errors.invalid_name(&path.child("key"), key, &names::qualified_name_faults(key));
}

/// Checks that the values of a requirement are valid label values.
pub(super) fn check_label_values(values: &[Str], path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child("values");
    for (index, value) in values.iter().enumerate() {
        errors.invalid_name(&path.index(index), value, &names::label_value_faults(value));
    }
}

/// Validates a label selector in JSON form. Returns true if the selector is valid or absent.
pub(super) fn validate_selector_json(
    value: Option<&serde_json::Value>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> bool {
    let before = errors.len();
    if let Some(labels) = value.and_then(|value| crate::wire::from_value::<LabelSelector>(value).ok()) {
        validate(&labels, path, errors);
    }
    errors.len() == before
}

/// Returns whether the label selector is valid.
pub(super) fn is_valid_selector(selector: &LabelSelector) -> bool {
    let mut errors = ErrorList::default();
    validate(selector, &Path::root(""), &mut errors);
    errors.is_empty()
}

/// Prints a selector as the API's messages do: JSON with wire names (VA-014).
pub(super) fn selector_json(selector: &LabelSelector) -> String {
    crate::wire::to_json(selector)
}

/// Prints labels as the API's messages do: JSON, or `null` if there are none.
pub(super) fn labels_json(labels: &crate::ordered::Map<Str, Str>) -> String {
    if labels.is_empty() {
        "null".into()
    } else {
        crate::wire::to_json(labels)
    }
}
