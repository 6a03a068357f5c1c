//! Webhook configurations: what the API server asks of each webhook before it would call it. Nothing calls them here.

use serde_json::Value;

use super::untyped::{items, one_of, text, texts};
use super::{ErrorList, Path, names};
use crate::{Kept, Kind};

/// A validating or mutating webhook configuration.
pub(super) fn validate(object: &Kept, errors: &mut ErrorList) {
    let list = object.at("/webhooks").and_then(Value::as_array);
    let path = Path::root("webhooks");
    let mut seen: Vec<&str> = Vec::new();
    for (index, webhook) in list.into_iter().flatten().enumerate() {
        let path = path.index(index);
        one(webhook, object.kind, &path, errors);
        let name = text(webhook, "name");
        if !name.is_empty() && seen.contains(&name) {
            errors.duplicate(&path.child("name"), super::quoted(name), "");
        }
        seen.push(name);
    }
}

fn one(webhook: &Value, kind: Kind, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("name");
    match text(webhook, "name") {
        "" => errors.required(&at, ""),
        name if !names::subdomain(name).is_empty() => errors.each_invalid(&at, name, &names::subdomain(name)),
        name if name.split('.').count() < 3 => {
            let message = "should be a domain with at least three segments separated by dots";
            errors.invalid_text(&at, name, message);
        }
        _ => {}
    }
    for (index, rule) in items(webhook, "rules") {
        self::rule(rule, &path.child("rules").index(index), errors);
    }
    one_of(webhook, "failurePolicy", &["Fail", "Ignore"], path, errors);
    one_of(webhook, "matchPolicy", &["Equivalent", "Exact"], path, errors);
    one_of(webhook, "sideEffects", &["None", "NoneOnDryRun"], path, errors);
    if webhook.get("sideEffects").is_none() {
        errors.required(&path.child("sideEffects"), "must specify one of None, NoneOnDryRun");
    }
    if let Some(seconds) = webhook.get("timeoutSeconds").and_then(Value::as_i64)
        && !(1..=30).contains(&seconds)
    {
        let message = "the timeout value must be between 1 and 30 seconds";
        errors.invalid(&path.child("timeoutSeconds"), seconds, message);
    }
    if kind == Kind::MutatingWebhookConfiguration {
        one_of(webhook, "reinvocationPolicy", &["IfNeeded", "Never"], path, errors);
    }
    let client = webhook.get("clientConfig").unwrap_or(&Value::Null);
    let at = path.child("clientConfig");
    match (client.get("url"), client.get("service")) {
        (None, None) | (Some(_), Some(_)) => errors.required(&at, "exactly one of url or service is required"),
        (None, Some(service)) => {
            let at = at.child("service");
            for (field, why) in [
                ("name", "service name is required"),
                ("namespace", "service namespace is required"),
            ] {
                if text(service, field).is_empty() {
                    errors.required(&at.child(field), why);
                }
            }
        }
        (Some(_), None) => {}
    }
    let versions = texts(webhook, "admissionReviewVersions");
    let at = path.child("admissionReviewVersions");
    if versions.is_empty() {
        errors.required(&at, "must specify one of v1, v1beta1");
    } else if !versions.iter().any(|version| matches!(*version, "v1" | "v1beta1")) {
        errors.invalid(
            &at,
            serde_json::json!(versions),
            "must include at least one of v1, v1beta1",
        );
    }
}

/// What a webhook is called for.
fn rule(rule: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
    for field in ["operations", "apiGroups", "apiVersions", "resources"] {
        let words = texts(rule, field);
        let at = path.child(field);
        if words.is_empty() {
            errors.required(&at, "");
        }
        let what = match field {
            "operations" => "operations",
            "apiGroups" => "API groups",
            "apiVersions" => "API versions",
            _ => continue,
        };
        if words.len() > 1 && words.contains(&"*") {
            let message = format!("if '*' is present, must not specify other {what}");
            errors.invalid(&at, serde_json::json!(words), &message);
        }
        for (index, word) in words.iter().enumerate() {
            if field == "operations" && !OPERATIONS.contains(word) {
                errors.unsupported_text(&at.index(index), word, OPERATIONS);
            }
        }
    }
}
