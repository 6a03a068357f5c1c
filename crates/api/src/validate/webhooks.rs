//! Validation of webhook configurations (VA-326). Podscope never calls webhooks.

use serde_json::Value;

use super::untyped_fields::check_known_text_field;
use super::{ErrorList, Path, names, selector};
use crate::untyped::{given, items, list, text, texts};
use crate::{Kind, UntypedObject};

/// Validates a ValidatingWebhookConfiguration or MutatingWebhookConfiguration.
pub(super) fn validate(object: &UntypedObject, errors: &mut ErrorList) {
    let path = Path::root("webhooks");
    let mut seen: Vec<&str> = Vec::new();
    for (index, webhook) in list(object.at("/webhooks")) {
        let path = path.index(index);
        check_webhook_fields(webhook, object.kind, &path, errors);
        let name = text(webhook, "name");
        if !name.is_empty() && seen.contains(&name) {
            errors.duplicate(&path.child("name"), super::quoted(name), "");
        }
        seen.push(name);
    }
}

fn check_webhook_fields(webhook: &Value, kind: Kind, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("name");
    match text(webhook, "name") {
        "" => errors.required(&at, ""),
        name if !names::subdomain_faults(name).is_empty() => {
            errors.invalid_name(&at, name, &names::subdomain_faults(name))
        }
        name if name.split('.').count() < 3 => {
            let message = "should be a domain with at least three segments separated by dots";
            errors.invalid_text(&at, name, message);
        }
        _ => {}
    }
    for (index, rule) in items(webhook, "rules") {
        check_webhook_rule(rule, &path.child("rules").index(index), errors);
    }
    check_known_text_field(webhook, "failurePolicy", &["Fail", "Ignore"], path, errors);
    check_known_text_field(webhook, "matchPolicy", &["Equivalent", "Exact"], path, errors);
    check_known_text_field(webhook, "sideEffects", &["None", "NoneOnDryRun"], path, errors);
    if webhook.get("sideEffects").is_none() {
        errors.required(&path.child("sideEffects"), "must specify one of None, NoneOnDryRun");
    }
    if let Some(seconds) = webhook.get("timeoutSeconds").and_then(Value::as_i64)
        && !(1..=30).contains(&seconds)
    {
        let message = "the timeout value must be between 1 and 30 seconds";
        errors.invalid(&path.child("timeoutSeconds"), seconds, message);
    }
    for field in ["namespaceSelector", "objectSelector"] {
        selector::validate_selector_json(given(webhook, field), &path.child(field), errors);
    }
    if kind == Kind::MutatingWebhookConfiguration {
        check_known_text_field(webhook, "reinvocationPolicy", &["IfNeeded", "Never"], path, errors);
    }
    let client = webhook.get("clientConfig").unwrap_or(&Value::Null);
    let at = path.child("clientConfig");
    match (given(client, "url"), given(client, "service")) {
        (None, None) | (Some(_), Some(_)) => errors.required(&at, "exactly one of url or service is required"),
        (None, Some(service)) => check_webhook_service(service, &at.child("service"), errors),
        (Some(address), None) => check_webhook_url(address.as_str().unwrap_or_default(), &at.child("url"), errors),
    }
    check_match_conditions(webhook, &path.child("matchConditions"), errors);
    check_review_versions(webhook, &path.child("admissionReviewVersions"), errors);
}

/// Checks a webhook's URL: only scheme, host and path are allowed.
fn check_webhook_url(address: &str, path: &Path<'_>, errors: &mut ErrorList) {
    const URL_FORM: &str = "; desired format: https://host[/path]";
    let (address, fragment) = address.split_once('#').unwrap_or((address, ""));
    let (scheme, rest) = match address.split_once(':') {
        Some((scheme, rest)) if !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            (scheme.to_ascii_lowercase(), rest)
        }
        _ => (String::new(), address),
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = rest
        .strip_prefix("//")
        .map_or("", |rest| rest.split('/').next().unwrap_or(rest));
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    if scheme != "https" {
        errors.invalid_text(
            path,
            &scheme,
            &format!("'https' is the only allowed URL scheme{URL_FORM}"),
        );
    }
    if host.is_empty() {
        errors.invalid_text(path, host, &format!("host must be specified{URL_FORM}"));
    }
    let parts = [
        (user, "user information is not permitted in the URL"),
        (
            Some(fragment).filter(|text| !text.is_empty()),
            "fragments are not permitted in the URL",
        ),
        (
            Some(query).filter(|text| !text.is_empty()),
            "query parameters are not permitted in the URL",
        ),
    ];
    for (part, why) in parts {
        if let Some(part) = part {
            errors.invalid_text(path, part, why);
        }
    }
}

/// Checks the Service of a webhook. The API server reports a missing namespace under `name`, and a missing name under
/// `namespace`.
fn check_webhook_service(service: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    for (field, reported_field) in [("namespace", "name"), ("name", "namespace")] {
        if text(service, field).is_empty() {
            errors.required(&path.child(reported_field), "");
        }
    }
    let port = service.get("port").and_then(Value::as_i64).unwrap_or(443);
    if !(1..=65_535).contains(&port) {
        let message = format!("port is not valid: {}", names::out_of_range_message(1, 65_535));
        errors.invalid(&path.child("port"), port, &message);
    }
    let (whole, at) = (text(service, "path"), path.child("path"));
    if matches!(whole, "" | "/") {
        return;
    }
    if whole == "//" {
        return errors.invalid_text(&at, whole, "segment[0] may not be empty");
    }
    if !whole.starts_with('/') {
        errors.invalid_text(&at, whole, "must start with a '/'");
    }
    let mut letters = whole.chars();
    letters.next();
    let steps = letters.as_str();
    for (index, step) in steps.strip_suffix('/').unwrap_or(steps).split('/').enumerate() {
        if step.is_empty() {
            errors.invalid_text(&at, whole, &format!("segment[{index}] may not be empty"));
            continue;
        }
        for problem in names::subdomain_faults(step) {
            let fault = names::join_faults(&[problem], &format!("segment[{index}]: "), "");
            errors.invalid_name(&at, whole, &[fault]);
        }
    }
}

/// Checks the match conditions of a webhook. Deviation: their CEL expressions are not compiled.
fn check_match_conditions(webhook: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const MAX_MATCH_CONDITIONS: usize = 64;
    let count = items(webhook, "matchConditions").count();
    if count > MAX_MATCH_CONDITIONS {
        errors.too_many(path, count, MAX_MATCH_CONDITIONS);
    }
    let mut known: Vec<&str> = Vec::new();
    for (index, condition) in items(webhook, "matchConditions") {
        let path = path.index(index);
        if text(condition, "expression").trim().is_empty() {
            errors.required(&path.child("expression"), "");
        }
        let name = text(condition, "name");
        errors.check_name(&path.child("name"), name, names::qualified_name_faults);
        if !name.is_empty() && known.contains(&name) {
            errors.duplicate(&path.child("name"), super::quoted(name), "");
        }
        known.push(name);
    }
}

fn check_review_versions(webhook: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let versions = texts(webhook, "admissionReviewVersions");
    if versions.is_empty() {
        return errors.required(path, "must specify one of v1, v1beta1");
    }
    for (index, version) in versions.iter().enumerate() {
        if versions.iter().take(index).any(|before| before == version) {
            errors.invalid_text(&path.index(index), version, "duplicate version");
        } else {
            errors.invalid_name(&path.index(index), version, &names::label_1035_faults(version));
        }
    }
    if !versions.iter().any(|version| matches!(*version, "v1" | "v1beta1")) {
        let message = "must include at least one of v1, v1beta1";
        errors.invalid(path, serde_json::json!(versions), message);
    }
}

/// Checks a rule that selects requests for the webhook.
fn check_webhook_rule(rule: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const OPERATIONS: &[&str] = &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
    for field in ["operations", "apiGroups", "apiVersions"] {
        let words = texts(rule, field);
        let at = path.child(field);
        if words.is_empty() {
            errors.required(&at, "");
        }
        let plural = match field {
            "operations" => "operations",
            "apiGroups" => "API groups",
            _ => "API versions",
        };
        if words.len() > 1 && words.contains(&"*") {
            let message = format!("if '*' is present, must not specify other {plural}");
            errors.invalid(&at, serde_json::json!(words), &message);
        }
        for (index, word) in words.iter().enumerate() {
            match field {
                "operations" if !OPERATIONS.contains(word) => {
                    errors.unsupported_text(&at.index(index), word, OPERATIONS);
                }
                "apiVersions" if word.is_empty() => errors.required(&at.index(index), ""),
                _ => {}
            }
        }
    }
    check_rule_resources(&texts(rule, "resources"), &path.child("resources"), errors);
    check_known_text_field(rule, "scope", &["*", "Cluster", "Namespaced"], path, errors);
}

/// Checks resources and subresources; a resource that a wildcard covers must not be listed again.
fn check_rule_resources(resources: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if resources.is_empty() {
        return errors.required(path, "");
    }
    let (mut all_parts, mut of_all): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut ends_whole = false;
    for (index, word) in resources.iter().enumerate() {
        if word.is_empty() {
            errors.required(&path.index(index), "");
            continue;
        }
        let Some((resource, part)) = word.split_once('/') else {
            ends_whole = *word != "*";
            continue;
        };
        if all_parts.contains(&resource) {
            let message = format!("if '{resource}/*' is present, must not specify {word}");
            errors.invalid_text(&path.index(index), word, &message);
        }
        if of_all.contains(&part) {
            let message = format!("if '*/{part}' is present, must not specify {word}");
            errors.invalid_text(&path.index(index), word, &message);
        }
        if part == "*" {
            all_parts.push(resource);
        }
        if resource == "*" {
            of_all.push(part);
        }
    }
    let all_resources = || serde_json::json!(resources);
    if resources.len() > 1 && resources.contains(&"*/*") {
        errors.invalid(
            path,
            all_resources(),
            "if '*/*' is present, must not specify other resources",
        );
    }
    if resources.contains(&"*") && ends_whole {
        let message = "if '*' is present, must not specify other resources without subresources";
        errors.invalid(path, all_resources(), message);
    }
}
