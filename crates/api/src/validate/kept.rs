//! Kinds that are only kept: the rules that a manifest meets first.

use serde_json::Value;

use crate::{Kept, Kind};

use super::{ErrorList, Path, names};

fn texts<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    let list = value.get(field).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn items(value: Option<&Value>) -> impl Iterator<Item = (usize, &Value)> {
    value.and_then(Value::as_array).into_iter().flatten().enumerate()
}

pub(super) fn validate(object: &Kept, errors: &mut ErrorList) {
    match object.kind {
        Kind::Role | Kind::ClusterRole => rules(object, errors),
        Kind::RoleBinding | Kind::ClusterRoleBinding => binding(object, errors),
        Kind::NetworkPolicy => network_policy(object, errors),
        Kind::Ingress => ingress(object, errors),
        _ => {}
    }
}

pub(super) fn validate_update(old: &Kept, new: &Kept, errors: &mut ErrorList) {
    validate(new, errors);
    if matches!(new.kind, Kind::RoleBinding | Kind::ClusterRoleBinding) && old.at("/roleRef") != new.at("/roleRef") {
        let value = new
            .at("/roleRef")
            .map_or_else(|| "null".to_owned(), ToString::to_string);
        errors.invalid(&Path::root("roleRef"), value, "cannot change roleRef");
    }
}

/// What a role may do.
fn rules(object: &Kept, errors: &mut ErrorList) {
    let path = Path::root("rules");
    for (index, rule) in items(object.at("/rules")) {
        let path = path.index(index);
        if texts(rule, "verbs").is_empty() {
            errors.required(&path.child("verbs"), "verbs must contain at least one value");
        }
        let urls = texts(rule, "nonResourceURLs");
        let (groups, resources) = (texts(rule, "apiGroups"), texts(rule, "resources"));
        if !urls.is_empty() {
            let field = path.child("nonResourceURLs");
            let value = serde_json::json!(urls);
            if object.kind == Kind::Role {
                errors.invalid(&field, value, "namespaced rules cannot apply to non-resource URLs");
            } else if !groups.is_empty() || !resources.is_empty() || !texts(rule, "resourceNames").is_empty() {
                errors.invalid(
                    &field,
                    value,
                    "rules cannot apply to both regular resources and non-resource URLs",
                );
            }
            continue;
        }
        if groups.is_empty() {
            let message = "resource rules must supply at least one api group";
            errors.required(&path.child("apiGroups"), message);
        }
        if resources.is_empty() {
            let message = "resource rules must supply at least one resource";
            errors.required(&path.child("resources"), message);
        }
    }
}

fn binding(object: &Kept, errors: &mut ErrorList) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    let path = Path::root("roleRef");
    let of = object.at("/roleRef").unwrap_or(&Value::Null);
    if text(of, "apiGroup") != GROUP {
        errors.unsupported_text(&path.child("apiGroup"), text(of, "apiGroup"), &[GROUP]);
    }
    let kinds: &[&str] = match object.kind {
        Kind::RoleBinding => &["Role", "ClusterRole"],
        _ => &["ClusterRole"],
    };
    if !kinds.contains(&text(of, "kind")) {
        errors.unsupported_text(&path.child("kind"), text(of, "kind"), kinds);
    }
    if text(of, "name").is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        errors.each_invalid(
            &path.child("name"),
            text(of, "name"),
            &names::path_segment(text(of, "name")),
        );
    }
    let path = Path::root("subjects");
    for (index, subject) in items(object.at("/subjects")) {
        let path = path.index(index);
        if text(subject, "name").is_empty() {
            errors.required(&path.child("name"), "");
        }
        match text(subject, "kind") {
            "ServiceAccount" => {
                let name = text(subject, "name");
                if !name.is_empty() {
                    errors.each_invalid(&path.child("name"), name, &names::subdomain(name));
                }
                if text(subject, "namespace").is_empty() && object.kind == Kind::ClusterRoleBinding {
                    errors.required(&path.child("namespace"), "");
                }
            }
            "User" | "Group" => {
                if text(subject, "apiGroup") != GROUP {
                    errors.unsupported_text(&path.child("apiGroup"), text(subject, "apiGroup"), &[GROUP]);
                }
            }
            other => errors.unsupported_text(&path.child("kind"), other, &["Group", "ServiceAccount", "User"]),
        }
    }
}

fn network_policy(object: &Kept, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let types = path.child("policyTypes");
    let spec = object.at("/spec").unwrap_or(&Value::Null);
    let given = texts(spec, "policyTypes");
    if given.len() > 2 {
        let value = serde_json::json!(given);
        errors.invalid(&types, value, "may not specify more than two policyTypes");
        return;
    }
    for (index, of) in given.iter().enumerate() {
        if !matches!(*of, "Ingress" | "Egress") {
            errors.unsupported_text(&types.index(index), of, &["Ingress", "Egress"]);
        }
    }
}

fn ingress(object: &Kept, errors: &mut ErrorList) {
    const TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];
    let path = Path::root("spec");
    if object.at("/spec/rules").is_none() && object.at("/spec/defaultBackend").is_none() {
        let message = "either `defaultBackend` or `rules` must be specified";
        errors.invalid(&path, "[]", message);
    }
    let rules = path.child("rules");
    for (index, rule) in items(object.at("/spec/rules")) {
        let path = rules.index(index);
        let host = text(rule, "host");
        if !host.is_empty() {
            if names::is_ip(host) {
                errors.invalid_text(&path.child("host"), host, "must be a DNS name, not an IP address");
            }
            if !host.starts_with("*.") {
                errors.each_invalid(&path.child("host"), host, &names::subdomain(host));
            }
        }
        let Some(http) = rule.get("http") else { continue };
        let http_path = path.child("http");
        let paths = http_path.child("paths");
        if items(http.get("paths")).next().is_none() {
            errors.required(&paths, "");
        }
        for (index, one) in items(http.get("paths")) {
            let path = paths.index(index);
            let of = text(one, "path");
            match text(one, "pathType") {
                "" => {
                    errors.required(&path.child("pathType"), "pathType must be specified");
                    continue;
                }
                "Exact" | "Prefix" if !of.starts_with('/') => {
                    errors.invalid_text(&path.child("path"), of, "must be an absolute path");
                }
                "ImplementationSpecific" if !of.is_empty() && !of.starts_with('/') => {
                    errors.invalid_text(&path.child("path"), of, "must be an absolute path");
                }
                known if TYPES.contains(&known) => {}
                other => errors.unsupported_text(&path.child("pathType"), other, &TYPES),
            }
            backend(one.get("backend"), &path.child("backend"), errors);
        }
    }
}

fn backend(value: Option<&Value>, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(service) = value.and_then(|value| value.get("service")) else {
        if value.and_then(|value| value.get("resource")).is_none() {
            errors.required(path, "exactly one of resource or service must be set");
        }
        return;
    };
    let path = path.child("service");
    let name = text(service, "name");
    if name.is_empty() {
        errors.required(&path.child("name"), "");
    } else {
        errors.each_invalid(&path.child("name"), name, &names::label(name));
    }
    let port = service.get("port");
    let number = port.and_then(|port| port.get("number")).and_then(Value::as_i64);
    let has_name = port.is_some_and(|port| !text(port, "name").is_empty());
    if number.is_none() && !has_name {
        errors.required(&path, "port name or number is required");
    }
    if let Some(number) = number.filter(|number| !(1..=65_535).contains(number)) {
        let port = path.child("port");
        errors.invalid(&port.child("number"), number, &names::range_text(1, 65_535));
    }
}
