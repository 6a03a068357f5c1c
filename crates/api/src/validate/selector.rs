//! Label selectors (VA-152, VA-180 to VA-183).

use crate::{LabelSelector, SelectorOperator};

use super::{ErrorList, Path, meta, names};

/// A selector's parts; `true` if it can be used.
pub(super) fn validate(selector: &LabelSelector, path: &Path<'_>, errors: &mut ErrorList) {
    meta::labels(&selector.match_labels, &path.child("matchLabels"), errors);
    let expressions = path.child("matchExpressions");
    for (index, requirement) in selector.match_expressions.iter().enumerate() {
        let path = expressions.index(index);
        let values = path.child("values");
        match requirement.operator {
            SelectorOperator::In | SelectorOperator::NotIn => {
                if requirement.values.is_empty() {
                    errors.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            SelectorOperator::Exists | SelectorOperator::DoesNotExist => {
                if !requirement.values.is_empty() {
                    errors.forbidden(
                        &values,
                        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                    );
                }
            }
            _ => errors.invalid_text(
                &path.child("operator"),
                requirement.operator.as_str(),
                "not a valid selector operator",
            ),
        }
        errors.each_invalid(
            &path.child("key"),
            &requirement.key,
            &names::qualified(&requirement.key),
        );
        for (index, value) in requirement.values.iter().enumerate() {
            errors.each_invalid(&values.index(index), value, &names::label_value(value));
        }
    }
}

/// A selector as JSON; `true` if there is none, or it can be used.
pub(super) fn validate_value(value: Option<&serde_json::Value>, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    let before = errors.len();
    if let Some(labels) = value.and_then(|value| crate::wire::from_value::<LabelSelector>(value).ok()) {
        validate(&labels, path, errors);
    }
    errors.len() == before
}

/// Whether the API can turn it into a matcher.
pub(super) fn is_sound(selector: &LabelSelector) -> bool {
    let mut errors = ErrorList::default();
    validate(selector, &Path::root(""), &mut errors);
    errors.is_empty()
}

/// A selector as the API prints it in messages: JSON with wire names (VA-014).
pub(super) fn json(selector: &LabelSelector) -> String {
    crate::wire::to_json(selector)
}

/// A map of labels as the API prints it; `null` where there is none.
pub(super) fn labels_json(labels: &crate::ordered::Map<crate::Str, crate::Str>) -> String {
    if labels.is_empty() {
        "null".into()
    } else {
        crate::wire::to_json(labels)
    }
}
