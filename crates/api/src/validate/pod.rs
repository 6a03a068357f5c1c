//! Validation of pods and pod templates on create (VA-018, VA-084 to VA-170).

use serde_json::Value;

use crate::schema::values;
use crate::well_known::annotation;
use crate::{
    BEHAVIOR_PREFIX, CALLS_ANNOTATION, Labels, MIRROR_ANNOTATION, Pod, PodSpec, PodTemplateSpec, PreemptionPolicy,
    Quantity, RestartPolicy, Str, container_behaviors, ordered, parse_calls,
};

use super::error_list::quoted;
use super::{
    ErrorList, Path, affinity, container, meta, names, os, resources, scheduling, security, untyped_fields, volume,
};
use crate::Extra;
use crate::untyped::is_true;
use crate::wire::Wire;

/// Validates a new pod, except its metadata.
pub(super) fn validate(pod: &Pod, errors: &mut ErrorList) {
    let metadata = Path::root("metadata");
    check_behavior_annotations(&pod.metadata.annotations, &pod.spec, &metadata, errors);
    check_pod_annotations(
        &pod.metadata.annotations,
        &pod.spec,
        &metadata.child("annotations"),
        errors,
    );
    let path = Path::root("spec");
    validate_spec_of_pod(pod, &path, errors);
    if !pod.spec.ephemeral_containers.is_empty() {
        errors.forbidden(&path.child("ephemeralContainers"), "cannot be set on create");
    }
    if !pod.spec.scheduling_gates.is_empty() && pod.spec.node_name.is_some() {
        errors.forbidden(
            &path.child("nodeName"),
            "cannot be set until all schedulingGates have been cleared",
        );
    }
}

/// Validates the spec of a new or changed pod.
pub(super) fn validate_spec_of_pod(pod: &Pod, path: &Path<'_>, errors: &mut ErrorList) {
    // An ephemeral container may mount the service account token volume, which the stored pod does not contain.
    let with_token_volume = (!pod.spec.ephemeral_containers.is_empty()).then(|| pod.with_token_volume());
    let pod = with_token_volume.as_deref().unwrap_or(pod);
    let value = pod_json_for_untyped_checks(&pod.spec, pod, &pod.extra);
    let value = value
        .as_ref()
        .and_then(|value| value.get("spec"))
        .unwrap_or(&Value::Null);
    validate_spec(&pod.spec, value, Some(&pod.metadata.name), path, errors);
    for (name, list) in [
        ("containers", &pod.spec.containers),
        ("initContainers", &pod.spec.init_containers),
    ] {
        let list_path = path.child(name);
        for (index, container) in list.iter().enumerate() {
            container::check_image_is_trimmed(container, &list_path.index(index), errors);
        }
    }
}

/// Validates a workload's pod template. `claim_templates` are the names of the workload's volume claim templates.
pub(super) fn validate_template(
    template: &PodTemplateSpec,
    claim_templates: &[Str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    meta::check_labels(&template.metadata.labels, &path.child("labels"), errors);
    meta::check_annotations(&template.metadata.annotations, &path.child("annotations"), errors);
    check_behavior_annotations(
        &template.metadata.annotations,
        &template.spec,
        &path.child("metadata"),
        errors,
    );
    check_pod_annotations(
        &template.metadata.annotations,
        &template.spec,
        &path.child("annotations"),
        errors,
    );
    let spec_path = path.child("spec");
    let value = pod_json_for_untyped_checks(&template.spec, template, &template.extra);
    let value = value
        .as_ref()
        .and_then(|value| value.get("spec"))
        .unwrap_or(&Value::Null);
    if claim_templates.is_empty() {
        validate_spec(&template.spec, value, None, &spec_path, errors);
    } else {
        // A volume claim template of the workload provides a volume with the template's name.
        let mut spec_of_pod = template.spec.clone();
        let volumes = std::sync::Arc::make_mut(&mut spec_of_pod.volumes);
        for claim in claim_templates {
            if !volumes.iter().any(|volume| volume.name == *claim) {
                volumes.push(crate::Volume {
                    name: claim.clone(),
                    persistent_volume_claim: Some(crate::ClaimVolume {
                        claim_name: claim.clone(),
                        ..crate::ClaimVolume::default()
                    }),
                    ..crate::Volume::default()
                });
            }
        }
        validate_spec(&spec_of_pod, value, None, &spec_path, errors);
    }
    if !template.spec.ephemeral_containers.is_empty() {
        errors.forbidden(
            &spec_path.child("ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}

/// Checks `hostnameOverride`, which replaces the whole host name (VA-340).
fn check_host_name_override(spec: &PodSpec, value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const MAX_HOST_NAME_BYTES: usize = 64;
    let Some(name) = value.get("hostnameOverride").and_then(Value::as_str) else {
        return;
    };
    let path = path.child("hostnameOverride");
    if value.get("setHostnameAsFQDN") == Some(&Value::Bool(true)) {
        errors.forbidden(&path, "may not be specified when setHostnameAsFQDN is true");
    }
    if spec.host_network == Some(true) {
        errors.forbidden(&path, "may not be specified when hostNetwork is true");
    }
    if name.len() > MAX_HOST_NAME_BYTES {
        errors.too_long(&path, MAX_HOST_NAME_BYTES);
    }
    errors.invalid_name(&path, name, &names::subdomain_faults(name));
}

/// Returns a pod or template in JSON form, for checks of its untyped fields and for checks that depend on `spec.os`;
/// None if it needs no such checks.
fn pod_json_for_untyped_checks(spec: &PodSpec, pod_or_template: &dyn Wire, extra: &Extra) -> Option<Value> {
    let is_needed = !extra.is_empty() || spec.os.is_some();
    is_needed.then(|| {
        let mut value = pod_or_template.to_json_value();
        extra.merge_into(&mut value);
        value
    })
}

/// Checks annotations that the server interprets, including those that fields have replaced (VA-301).
fn check_pod_annotations(annotations: &Labels, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    const APP_ARMOR_PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";
    const SECCOMP_PREFIX: &str = "container.seccomp.security.alpha.kubernetes.io/";
    if let Some(manifest) = annotations.get(MIRROR_ANNOTATION)
        && spec.node_name.as_ref().is_none_or(|node| node.is_empty())
    {
        errors.invalid_text(
            &path.key(MIRROR_ANNOTATION),
            manifest,
            "must set spec.nodeName if mirror pod annotation is set",
        );
    }
    if let Some(cost) = annotations.get(annotation::POD_DELETION_COST) {
        let digits = cost.strip_prefix('-').unwrap_or(cost);
        let is_plain = !cost.starts_with('+') && (digits == "0" || !digits.starts_with('0'));
        if !is_plain || cost.parse::<i32>().is_err() {
            errors.invalid_text(
                &path.key(annotation::POD_DELETION_COST),
                cost,
                "must be a 32bit integer",
            );
        }
    }
    for (key, profile) in annotations.iter() {
        if &**key == annotation::SECCOMP_POD || key.starts_with(SECCOMP_PREFIX) {
            let path = path.child(key);
            match profile.strip_prefix("localhost/") {
                Some(local) => volume::check_local_descending_path(local, &path, errors),
                None if matches!(&**profile, "runtime/default" | "docker/default" | "unconfined") => {}
                None => errors.invalid_text(&path, profile, "must be a valid seccomp profile"),
            }
        }
    }
    for (key, profile) in annotations.iter() {
        let Some(container) = key.strip_prefix(APP_ARMOR_PREFIX) else {
            continue;
        };
        let lists = [&spec.init_containers, &spec.containers, &spec.ephemeral_containers];
        if !lists
            .into_iter()
            .flat_map(|list| list.iter())
            .any(|item| &*item.name == container)
        {
            errors.invalid_text(&path.key(key), container, "container not found");
        }
        let is_known = matches!(&**profile, "" | "runtime/default" | "unconfined") || profile.starts_with("localhost/");
        if !is_known {
            let message = format!("invalid AppArmor profile name: {}", quoted(profile));
            errors.invalid_text(&path.key(key), profile, &message);
        }
    }
}

/// Refuses malformed annotations that describe the simulated behaviour of containers; the simulation would ignore them
/// silently (L-08).
pub(super) fn check_behavior_annotations(
    annotations: &Labels,
    spec: &PodSpec,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(text) = annotations.get(CALLS_ANNOTATION)
        && let Err(wrong) = parse_calls(text)
    {
        errors.invalid_text(
            &path.child("annotations").key(CALLS_ANNOTATION),
            text,
            &wrong.join("; "),
        );
    }
    if !annotations.keys().any(|key| key.starts_with(BEHAVIOR_PREFIX)) {
        return;
    }
    if let Err(problems) = container_behaviors(annotations, spec) {
        // Each malformed annotation is reported once, with all its errors.
        for of_one in problems.chunk_by(|one, next| one.container == next.container) {
            let Some(first) = of_one.first() else { continue };
            let key = format!("{BEHAVIOR_PREFIX}{}", first.container);
            let text = annotations.get(key.as_str()).map_or("", |text| &**text);
            let wrong: Vec<String> = of_one.iter().map(ToString::to_string).collect();
            errors.invalid_text(&path.child("annotations").key(&key), text, &wrong.join("; "));
        }
    }
}

/// Validates a pod spec. `value` is the spec in JSON form if it has untyped fields. `pod` is the pod's name, None for a
/// template.
#[expect(
    clippy::too_many_lines,
    reason = "the fields one by one, in the order in which the server checks them"
)]
fn validate_spec(spec: &PodSpec, value: &Value, pod: Option<&str>, path: &Path<'_>, errors: &mut ErrorList) {
    let volumes = volume::validate(spec, value, pod.unwrap_or_default(), &path.child("volumes"), errors);
    check_resource_claims(spec, &path.child("resourceClaims"), errors);
    container::validate(spec, value, &volumes, path, errors);
    check_pod_resources(spec, path, errors);
    container::check_host_network_ports(spec, pod.is_some(), path, errors);
    check_enum_fields(spec, path, errors);
    meta::check_labels(&spec.node_selector, &path.child("nodeSelector"), errors);
    let context = path.child("securityContext");
    match &spec.security_context {
        Some(given) => security::validate_pod_context(given, spec, value, &context, errors),
        None => security::check_shared_process_namespace(value, &context, errors),
    }
    if let Some(rules) = &spec.affinity {
        affinity::validate(rules, &path.child("affinity"), errors);
    }
    if &*spec.dns_policy == "None" && spec.dns_config.is_none() {
        errors.required(
            &path.child("dnsConfig"),
            "must provide `dnsConfig` when `dnsPolicy` is None",
        );
    }
    if let Some(config) = &spec.dns_config {
        untyped_fields::check_dns_config(&spec.dns_policy, config, &path.child("dnsConfig"), errors);
    }
    scheduling::check_readiness_gates(&spec.readiness_gates, &path.child("readinessGates"), errors);
    scheduling::check_scheduling_gates(&spec.scheduling_gates, &path.child("schedulingGates"), errors);
    scheduling::check_spread_constraints(
        &spec.topology_spread_constraints,
        &path.child("topologySpreadConstraints"),
        errors,
    );
    os::check_windows_host_processes(value, path, errors);
    if spec.host_users == Some(false) {
        for (name, is_shared) in [
            ("hostNetwork", spec.host_network == Some(true)),
            ("HostPID", spec.host_pid == Some(true)),
            ("HostIPC", is_true(value, "hostIPC")),
        ] {
            if is_shared {
                errors.forbidden(&path.child(name), "when `hostUsers` is false");
            }
        }
    }
    let node_name = spec.node_name.as_ref().map_or("", |name| name.as_str());
    check_host_name_override(spec, value, path, errors);
    for (name, value, rule) in [
        (
            "serviceAccountName",
            &*spec.service_account_name,
            names::subdomain_faults as names::NameRule,
        ),
        ("nodeName", node_name, names::subdomain_faults),
    ] {
        if !value.is_empty() {
            errors.invalid_name(&path.child(name), value, &rule(value));
        }
    }
    if let Some(seconds) = spec.active_deadline_seconds
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let message = names::out_of_range_message(1, i64::from(i32::MAX));
        errors.invalid(&path.child("activeDeadlineSeconds"), seconds, &message);
    }
    for (name, value) in [("hostname", &spec.hostname), ("subdomain", &spec.subdomain)] {
        if !value.is_empty() {
            errors.invalid_name(&path.child(name), value, &names::label_faults(value));
        }
    }
    scheduling::check_tolerations(&spec.tolerations, &path.child("tolerations"), errors);
    check_host_aliases(spec, &path.child("hostAliases"), errors);
    if !spec.priority_class_name.is_empty() {
        let messages = names::subdomain_faults(&spec.priority_class_name);
        errors.invalid_name(&path.child("priorityClassName"), &spec.priority_class_name, &messages);
    }
    if let Some(class) = &spec.runtime_class_name {
        errors.invalid_name(&path.child("runtimeClassName"), class, &names::subdomain_faults(class));
    }
    if let Some(policy) = &spec.preemption_policy {
        errors.check_one_of(
            &path.child("preemptionPolicy"),
            policy.as_str(),
            PreemptionPolicy::KNOWN,
        );
    }
    resources::check_pod_overhead(&spec.overhead, &path.child("overhead"), errors);
    if let Some(os) = &spec.os {
        os::check_fields_of_os(&os.name, value, path, errors);
    }
    container::check_file_key_volumes(spec, path, errors);
}

fn check_enum_fields(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    match &spec.restart_policy {
        None => errors.required(&path.child("restartPolicy"), ""),
        Some(policy) => errors.check_one_of(&path.child("restartPolicy"), policy.as_str(), RestartPolicy::KNOWN),
    }
    match &*spec.dns_policy {
        known if values::DNS_POLICY.contains(&known) => {}
        "" => errors.required(&path.child("dnsPolicy"), ""),
        other => errors.unsupported_text(
            &path.child("dnsPolicy"),
            other,
            &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
        ),
    }
}

/// Checks resource claims: unique names, and either a claim or a template.
fn check_resource_claims(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let mut seen = ordered::Set::new();
    for (index, claim) in spec.resource_claims.iter().enumerate() {
        let path = path.index(index);
        let name = path.child("name");
        if claim.name.is_empty() {
            errors.required(&name, "");
        } else if !seen.insert(&*claim.name) {
            errors.duplicate(&name, quoted(&claim.name), "");
        } else {
            errors.invalid_name(&name, &claim.name, &names::label_faults(&claim.name));
        }
        let given = (&claim.resource_claim_name, &claim.resource_claim_template_name);
        let text = |value: &Option<Str>| value.as_deref().map_or_else(|| "null".to_owned(), quoted);
        let message = match given {
            (Some(_), Some(_)) => "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
            (None, None) => "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            _ => "",
        };
        if !message.is_empty() {
            let value = format!(
                "{{\"Name\":{},\"ResourceClaimName\":{},\"ResourceClaimTemplateName\":{}}}",
                quoted(&claim.name),
                text(given.0),
                text(given.1)
            );
            errors.invalid(&path, value, message);
        }
        for (field, name) in [("resourceClaimName", given.0), ("resourceClaimTemplateName", given.1)] {
            if let Some(name) = name {
                errors.invalid_name(&path.child(field), name, &names::subdomain_faults(name));
            }
        }
    }
}

/// Checks pod-level resources against those of the containers (VA-125).
fn check_pod_resources(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(own) = &spec.resources else { return };
    let path = path.child("resources");
    if !own.claims.is_empty() {
        errors.forbidden(&path.child("claims"), "claims cannot be set for Resources at pod-level");
    }
    resources::validate_pod_level(own, &path, errors);
    let requests = path.child("requests");
    for (resource, request) in &own.requests {
        let total = spec
            .containers
            .iter()
            .filter_map(|container| container.resources.requests.get(resource).copied())
            .reduce(Quantity::plus)
            .unwrap_or_default();
        if total > *request {
            let message = format!("must be greater than or equal to aggregate container requests of {total}");
            errors.invalid_text(&requests.key(resource), &request.to_string(), &message);
        }
    }
    let containers = path.child("containers");
    for (index, container) in spec.containers.iter().enumerate() {
        let container_path = containers.index(index);
        for (resource, limit) in &container.resources.limits {
            if let Some(spec_of_pod) = own.limits.get(resource)
                && limit > spec_of_pod
            {
                let message = format!("must be less than or equal to pod limits of {spec_of_pod}");
                errors.invalid_text(
                    &container_path.key(resource).child("limits"),
                    &limit.to_string(),
                    &message,
                );
            }
        }
    }
}

fn check_host_aliases(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    for (index, alias) in spec.host_aliases.iter().enumerate() {
        let path = path.index(index);
        if let Some(problem) = names::ip_problem(&alias.ip) {
            errors.invalid(&path.child("ip"), quoted(&alias.ip), problem);
        }
        let hostnames = path.child("hostnames");
        for (index, hostname) in alias.hostnames.iter().enumerate() {
            errors.invalid_name(&hostnames.index(index), hostname, &names::subdomain_faults(hostname));
        }
    }
}
