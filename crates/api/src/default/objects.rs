//! Defaults of objects other than pods and workloads.

use super::*;
use crate::well_known::label;

/// Sets the defaults of a LimitRange item: a container's default limit is the maximum; the default request is the
/// default limit, else the minimum.
pub(super) fn default_limit_range_item(item: &mut crate::LimitRangeItem) {
    let crate::LimitRangeItem {
        max,
        min,
        default,
        default_request,
        ..
    } = item;
    if &*item.kind == "Container" {
        copy_missing_amounts(max, default);
        copy_missing_amounts(default, default_request);
        copy_missing_amounts(min, default_request);
    }
    [max, min, default, default_request]
        .into_iter()
        .for_each(round_up_to_milli);
}

fn copy_missing_amounts(from: &ResourceList, to: &mut ResourceList) {
    for (name, amount) in from {
        to.entry(name.clone()).or_insert(*amount);
    }
}

/// Sets the defaults of kinds that are stored without a Rust type.
pub(super) fn default_untyped(object: &mut crate::UntypedObject) {
    use crate::Kind;
    use serde_json::Value;
    const RBAC_GROUP: &str = "rbac.authorization.k8s.io";
    let fields = &mut object.fields;
    match object.kind {
        Kind::RoleBinding | Kind::ClusterRoleBinding => {
            let role = fields.entry("roleRef").or_insert_with(|| serde_json::json!({}));
            set_missing_text_field(Some(role), "apiGroup", RBAC_GROUP);
            let subjects = fields.get_mut("subjects").and_then(Value::as_array_mut);
            for subject in subjects.into_iter().flatten() {
                if matches!(subject["kind"].as_str(), Some("User" | "Group")) {
                    set_missing_text_field(Some(subject), "apiGroup", RBAC_GROUP);
                }
            }
        }
        Kind::MutatingWebhookConfiguration | Kind::ValidatingWebhookConfiguration => {
            let is_mutating = object.kind == Kind::MutatingWebhookConfiguration;
            let webhooks = fields.get_mut("webhooks").and_then(Value::as_array_mut);
            for webhook in webhooks.into_iter().flatten().filter_map(Value::as_object_mut) {
                default_webhook(webhook, is_mutating);
            }
        }
        Kind::CustomResourceDefinition => {
            let spec = fields.entry("spec").or_insert_with(|| serde_json::json!({}));
            let kind = spec["names"]["kind"].as_str().unwrap_or_default().to_owned();
            if let Some(names) = spec.get_mut("names").filter(|_| !kind.is_empty()) {
                set_missing_text_field(Some(&mut *names), "singular", &kind.to_ascii_lowercase());
                set_missing_text_field(Some(names), "listKind", &format!("{kind}List"));
            }
            if let Some(spec) = spec.as_object_mut() {
                spec.entry("conversion")
                    .or_insert_with(|| serde_json::json!({"strategy": "None"}));
            }
        }
        Kind::ValidatingAdmissionPolicy => default_admission_policy(fields),
        Kind::PodTemplate => {
            // A template that cannot be decoded stays unchanged; validation reports it.
            if let Some(given) = fields.get_mut("template")
                && let Ok(mut template) = crate::wire::from_value::<crate::PodTemplateSpec>(given)
            {
                default_pod_template_spec(&mut template.spec);
                *given = crate::wire::Wire::to_json_value(&template);
            }
        }
        Kind::NetworkPolicy => {
            if let Some(Value::Object(spec)) = fields.get_mut("spec") {
                spec.entry("podSelector").or_insert_with(|| serde_json::json!({}));
                for list in ["ingress", "egress"] {
                    let rules = spec.get_mut(list).and_then(Value::as_array_mut);
                    let ports = rules.into_iter().flatten().filter_map(|rule| rule.get_mut("ports"));
                    for port in ports.filter_map(Value::as_array_mut).flatten() {
                        set_missing_text_field(Some(port), "protocol", "TCP");
                    }
                }
                if !spec.contains_key("policyTypes") {
                    let mut types = vec![Value::from("Ingress")];
                    if spec.contains_key("egress") {
                        types.push("Egress".into());
                    }
                    spec.insert("policyTypes".to_owned(), types.into());
                }
            }
        }
        _ => {}
    }
}

/// Sets the field `key` of a JSON object to `text` if it is absent or empty.
fn set_missing_text_field(value: Option<&mut serde_json::Value>, key: &str, text: &str) {
    if let Some(serde_json::Value::Object(map)) = value {
        let slot = map.entry(key).or_insert_with(|| "".into());
        if slot.as_str() == Some("") {
            *slot = text.into();
        }
    }
}

/// Sets the defaults of a ValidatingAdmissionPolicy.
fn default_admission_policy(fields: &mut serde_json::Map<String, serde_json::Value>) {
    use serde_json::{Value, json};
    let Some(Value::Object(spec)) = fields.get_mut("spec") else {
        return;
    };
    spec.entry("failurePolicy").or_insert_with(|| "Fail".into());
    let Some(Value::Object(constraints)) = spec.get_mut("matchConstraints") else {
        return;
    };
    for (field, value) in [
        ("matchPolicy", json!("Equivalent")),
        ("namespaceSelector", json!({})),
        ("objectSelector", json!({})),
    ] {
        constraints.entry(field).or_insert(value);
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        let rules = constraints.get_mut(rules).and_then(Value::as_array_mut);
        for rule in rules.into_iter().flatten() {
            set_missing_text_field(Some(rule), "scope", "*");
        }
    }
}

/// Sets the defaults of a webhook.
fn default_webhook(webhook: &mut serde_json::Map<String, serde_json::Value>, is_mutating: bool) {
    use serde_json::json;
    for (field, value) in [
        ("failurePolicy", json!("Fail")),
        ("matchPolicy", json!("Equivalent")),
        ("namespaceSelector", json!({})),
        ("objectSelector", json!({})),
        ("timeoutSeconds", json!(10)),
    ] {
        webhook.entry(field).or_insert(value);
    }
    if is_mutating {
        webhook.entry("reinvocationPolicy").or_insert_with(|| json!("Never"));
    }
    let rules = webhook.get_mut("rules").and_then(serde_json::Value::as_array_mut);
    for rule in rules.into_iter().flatten().filter_map(serde_json::Value::as_object_mut) {
        rule.entry("scope").or_insert_with(|| json!("*"));
    }
    let client = webhook.get_mut("clientConfig");
    if let Some(service) = client.and_then(|client| client.get_mut("service")?.as_object_mut()) {
        service.entry("port").or_insert_with(|| json!(443));
    }
}

/// Sets the default type, and moves `stringData` to `data`, encoded as base64.
pub(super) fn default_secret(secret: &mut crate::Secret) {
    use base64::Engine as _;
    set_default_string(&mut secret.kind, "Opaque");
    for (key, text) in std::mem::take(&mut secret.string_data) {
        let encoded = base64::engine::general_purpose::STANDARD.encode(&*text);
        secret.data.insert(key, encoded.into());
    }
}

pub(super) fn default_service(spec: &mut crate::ServiceSpec) {
    set_default_string(&mut spec.kind, "ClusterIP");
    set_default_string(&mut spec.session_affinity, "None");
    match &*spec.session_affinity {
        "ClientIP" => {
            let config = &mut spec.session_affinity_config;
            let config = config.get_or_insert_with(|| serde_json::json!({}));
            if config.pointer("/clientIP/timeoutSeconds").is_none() {
                *config = serde_json::json!({"clientIP": {"timeoutSeconds": 10_800}});
            }
        }
        _ => spec.session_affinity_config = None,
    }
    for port in &mut spec.ports {
        set_default_string(&mut port.protocol, "TCP");
        let unset = match &port.target_port {
            None | Some(IntOrString::Int(0)) => true,
            Some(IntOrString::String(name)) => name.is_empty(),
            Some(IntOrString::Int(_)) => false,
        };
        if unset {
            port.target_port = Some(IntOrString::Int(port.port));
        }
    }
    let external = matches!(&*spec.kind, "NodePort" | "LoadBalancer")
        || (&*spec.kind == "ClusterIP" && !spec.external_ips.is_empty());
    if external {
        set_default_string(&mut spec.external_traffic_policy, "Cluster");
    }
    if &*spec.kind != "ExternalName" {
        set_default_optional_string(&mut spec.internal_traffic_policy, "Cluster");
    }
    if &*spec.kind == "LoadBalancer" {
        set_default(&mut spec.allocate_load_balancer_node_ports, true);
    }
}

/// Sets the defaults of a CSIDriver: `attachRequired` is true by default, the other boolean fields are false (VA-341).
pub(super) fn default_csi_driver(spec: &mut CsiDriverSpec) {
    set_default(&mut spec.attach_required, true);
    for off in [
        &mut spec.pod_info_on_mount,
        &mut spec.requires_republish,
        &mut spec.se_linux_mount,
        &mut spec.storage_capacity,
    ] {
        set_default(off, false);
    }
    set_default_string(&mut spec.fs_group_policy, "ReadWriteOnceWithFSType");
    if spec.volume_lifecycle_modes.is_empty() {
        spec.volume_lifecycle_modes.push("Persistent".into());
    }
}

pub(super) fn default_persistent_volume(volume: &mut crate::PersistentVolume) {
    volume.status.phase.get_or_insert(crate::VolumePhase::Pending);
    set_default_optional_string(&mut volume.spec.persistent_volume_reclaim_policy, "Retain");
    set_default(&mut volume.spec.volume_mode, "Filesystem".into());
    if let Some(host_path) = &mut volume.spec.host_path {
        set_default(&mut host_path.kind, "".into());
    }
    if let Some(iscsi) = &mut volume.spec.iscsi {
        set_default_string(&mut iscsi.iscsi_interface, "default");
    }
    round_up_to_milli(&mut volume.spec.capacity);
}

pub(super) fn default_namespace(namespace: &mut crate::Namespace) {
    let NamespaceStatus { phase, .. } = &mut namespace.status;
    set_default_string(phase, "Active");
    if !namespace.metadata.name.is_empty() && namespace.metadata.label(label::NAMESPACE_NAME).is_none() {
        let name = namespace.metadata.name.clone();
        Arc::make_mut(&mut namespace.metadata.labels).insert(label::NAMESPACE_NAME.into(), name);
    }
}

pub(super) fn default_node(node: &mut crate::Node) {
    if node.spec.pod_cidrs.is_empty() && !node.spec.pod_cidr.is_empty() {
        node.spec.pod_cidrs = vec![node.spec.pod_cidr.clone()];
    }
    let status = &mut node.status;
    if status.allocatable.is_empty() {
        status.allocatable.clone_from(&status.capacity);
    }
    round_up_to_milli(&mut status.capacity);
    round_up_to_milli(&mut status.allocatable);
}

pub(super) fn default_autoscaler_spec(spec: &mut crate::HorizontalPodAutoscalerSpec) {
    set_default(&mut spec.min_replicas, 1);
    if let Some(behavior) = &mut spec.behavior {
        crate::autoscaler::default_behavior(behavior);
    }
    if spec.metrics.is_empty() {
        let target = serde_json::json!({"type": "Utilization", "averageUtilization": 80});
        let cpu = serde_json::json!({"name": "cpu", "target": target});
        spec.metrics = vec![serde_json::json!({"type": "Resource", "resource": cpu})];
    }
}
