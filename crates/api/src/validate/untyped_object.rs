//! Validation of kinds without a Rust type; covers the most important rules only.

use serde_json::Value;

use crate::untyped::{items, list, text, texts};
use crate::{Kind, UntypedObject};

use super::{ErrorList, Path, crds, names, networking, pod, selector, storage, webhooks};

pub(super) fn validate(object: &UntypedObject, errors: &mut ErrorList) {
    match object.kind {
        Kind::Role => check_role_rules(object, errors),
        Kind::ClusterRole => {
            check_role_rules(object, errors);
            check_cluster_role_aggregation(object, errors);
        }
        Kind::VolumeAttributesClass => check_volume_attributes_class(object, errors),
        Kind::CertificateSigningRequest => check_certificate_request(object, errors),
        Kind::RoleBinding | Kind::ClusterRoleBinding => check_role_binding(object, errors),
        Kind::NetworkPolicy => networking::validate_network_policy(object, errors),
        Kind::Ingress => networking::validate_ingress(object, errors),
        Kind::IngressClass => networking::validate_ingress_class(object, errors),
        Kind::CustomResourceDefinition => crds::validate(object, errors),
        Kind::PodTemplate => check_pod_template(object, errors),
        Kind::ValidatingWebhookConfiguration | Kind::MutatingWebhookConfiguration => webhooks::validate(object, errors),
        _ => {}
    }
}

/// Validates the template of a PodTemplate after setting the defaults that it would have in a ReplicaSet.
fn check_pod_template(object: &UntypedObject, errors: &mut ErrorList) {
    let template = object.at("/template").cloned().unwrap_or_default();
    let set = serde_json::json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"template": template}});
    if let Ok(mut set) = crate::object_from_value(&set) {
        crate::default_object(&mut set);
        if let Some(template) = set.template() {
            pod::validate_template(template, &[], &Path::root("template"), errors);
        }
    }
}

pub(super) fn validate_update(old: &UntypedObject, new: &UntypedObject, errors: &mut ErrorList) {
    if new.kind == Kind::IngressClass {
        networking::validate_ingress_class_update(old, new, errors);
    }
    if new.kind == Kind::VolumeAttributesClass {
        for field in ["driverName", "parameters"] {
            if old.fields.get(field) != new.fields.get(field) {
                let message = format!("updates to {field} are forbidden.");
                errors.forbidden(&Path::root(field), &message);
            }
        }
    }
    validate(new, errors);
    if new.kind == Kind::CustomResourceDefinition {
        crds::validate_update(old, new, errors);
    }
    if matches!(new.kind, Kind::RoleBinding | Kind::ClusterRoleBinding) && old.at("/roleRef") != new.at("/roleRef") {
        let value = new
            .at("/roleRef")
            .map_or_else(|| "null".to_owned(), ToString::to_string);
        errors.invalid(&Path::root("roleRef"), value, "cannot change roleRef");
    }
}

/// Checks the aggregation rule of a ClusterRole (VA-329).
fn check_cluster_role_aggregation(object: &UntypedObject, errors: &mut ErrorList) {
    let Some(rule) = object.at("/aggregationRule") else {
        return;
    };
    let root = Path::root("aggregationRule");
    let path = root.child("clusterRoleSelectors");
    if items(rule, "clusterRoleSelectors").next().is_none() {
        let message = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.required(&path, message);
    }
    for (index, selector_value) in items(rule, "clusterRoleSelectors") {
        let path = path.index(index);
        if !selector::validate_selector_json(Some(selector_value), &path, errors) {
            errors.invalid(&path, selector_value, "invalid label selector.");
        }
    }
}

/// Validates a VolumeAttributesClass like a StorageClass, but with required parameters.
fn check_volume_attributes_class(object: &UntypedObject, errors: &mut ErrorList) {
    let driver = object.at("/driverName").and_then(Value::as_str).unwrap_or_default();
    storage::check_provisioner(driver, &Path::root("driverName"), errors);
    let path = Path::root("parameters");
    let parameters = object.at("/parameters").and_then(Value::as_object);
    let pairs = parameters.into_iter().flatten();
    let texts = pairs.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()));
    storage::check_parameters(texts, &path, errors);
    if parameters.is_none_or(serde_json::Map::is_empty) {
        errors.required(&path, "must contain at least one key/value pair");
    }
}

/// Checks that the request of a CertificateSigningRequest is PEM of the right type. Deviation: the encoded certificate
/// request is not parsed.
fn check_certificate_request(object: &UntypedObject, errors: &mut ErrorList) {
    use base64::Engine as _;
    let path = Path::root("spec");
    let request = object.at("/spec/request").and_then(Value::as_str).unwrap_or_default();
    let pem = base64::engine::general_purpose::STANDARD
        .decode(request)
        .unwrap_or_default();
    let begins = b"-----BEGIN CERTIFICATE REQUEST-----";
    if !pem.windows(begins.len()).any(|part| part == begins) {
        let detail = "PEM block type must be CERTIFICATE REQUEST";
        errors.invalid_text(&path.child("request"), request, detail);
    }
    if list(object.at("/spec/usages")).next().is_none() {
        errors.required(&path.child("usages"), "");
    }
}

/// Checks the rules of a Role or ClusterRole.
fn check_role_rules(object: &UntypedObject, errors: &mut ErrorList) {
    let path = Path::root("rules");
    for (index, rule) in list(object.at("/rules")) {
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
                errors.invalid(&field, &value, "namespaced rules cannot apply to non-resource URLs");
            }
            if !groups.is_empty() || !resources.is_empty() || !texts(rule, "resourceNames").is_empty() {
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

fn check_role_binding(object: &UntypedObject, errors: &mut ErrorList) {
    const RBAC_GROUP: &str = "rbac.authorization.k8s.io";
    let path = Path::root("roleRef");
    let role_ref = object.at("/roleRef").unwrap_or(&Value::Null);
    if text(role_ref, "apiGroup") != RBAC_GROUP {
        errors.unsupported_text(&path.child("apiGroup"), text(role_ref, "apiGroup"), &[RBAC_GROUP]);
    }
    let kinds: &[&str] = match object.kind {
        Kind::RoleBinding => &["Role", "ClusterRole"],
        _ => &["ClusterRole"],
    };
    if !kinds.contains(&text(role_ref, "kind")) {
        errors.unsupported_text(&path.child("kind"), text(role_ref, "kind"), kinds);
    }
    errors.check_name(&path.child("name"), text(role_ref, "name"), names::path_segment_faults);
    let path = Path::root("subjects");
    for (index, subject) in list(object.at("/subjects")) {
        let path = path.index(index);
        if text(subject, "name").is_empty() {
            errors.required(&path.child("name"), "");
        }
        match text(subject, "kind") {
            "ServiceAccount" => {
                let name = text(subject, "name");
                if !name.is_empty() {
                    errors.invalid_name(&path.child("name"), name, &names::subdomain_faults(name));
                }
                let group = text(subject, "apiGroup");
                if !group.is_empty() {
                    errors.unsupported_text(&path.child("apiGroup"), group, &[""]);
                }
                if text(subject, "namespace").is_empty() && object.kind == Kind::ClusterRoleBinding {
                    errors.required(&path.child("namespace"), "");
                }
            }
            kind @ ("User" | "Group") => {
                if text(subject, "name").is_empty() {
                    let message = format!("{} name cannot be empty", kind.to_ascii_lowercase());
                    errors.invalid_text(&path.child("name"), "", &message);
                }
                if text(subject, "apiGroup") != RBAC_GROUP {
                    errors.unsupported_text(&path.child("apiGroup"), text(subject, "apiGroup"), &[RBAC_GROUP]);
                }
            }
            other => errors.unsupported_text(&path.child("kind"), other, &["ServiceAccount", "User", "Group"]),
        }
    }
}
