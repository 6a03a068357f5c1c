//! Pods and pod templates on create (VA-018, VA-084 to VA-170).

use crate::{
    BEHAVIOR_PREFIX, Labels, MIRROR, Pod, PodSpec, PodTemplateSpec, PreemptionPolicy, Quantity, RestartPolicy, Str,
    container_behaviors,
};

use super::list::quoted;
use super::{ErrorList, Path, affinity, container, meta, names, resources, scheduling, untyped, volume};
use crate::Extra;
use crate::wire::Wire;

/// What is checked on create; the metadata is the caller's.
pub(super) fn validate(pod: &Pod, errors: &mut ErrorList) {
    let metadata = Path::root("metadata");
    behaviors(&pod.metadata.annotations, &pod.spec, &metadata, errors);
    if let Some(manifest) = pod.metadata.annotation(MIRROR)
        && pod.spec.node_name.as_ref().is_none_or(|node| node.is_empty())
    {
        errors.invalid_text(
            &metadata.child("annotations").key(MIRROR),
            manifest,
            "must set spec.nodeName if mirror pod annotation is set",
        );
    }
    let path = Path::root("spec");
    spec(&pod.spec, &path, errors);
    of_extra(&pod.spec, pod, &pod.extra, &path, errors);
    if !pod.spec.ephemeral_containers.is_empty() {
        errors.forbidden(&path.child("ephemeralContainers"), "cannot be set on create");
    }
    if !pod.spec.scheduling_gates.is_empty() && pod.spec.node_name.is_some() {
        errors.forbidden(
            &path.child("nodeName"),
            "cannot be set until all schedulingGates have been cleared",
        );
    }
    for (name, list) in [
        ("containers", &pod.spec.containers),
        ("initContainers", &pod.spec.init_containers),
    ] {
        let list_path = path.child(name);
        for (index, container) in list.iter().enumerate() {
            if container.image.trim() != &*container.image {
                errors.invalid_text(
                    &list_path.index(index).child("image"),
                    &container.image,
                    "must not have leading or trailing whitespace",
                );
            }
        }
    }
}

/// A workload's template. `claims` are names of volumes that the workload adds itself.
pub(super) fn template(template: &PodTemplateSpec, claims: &[Str], path: &Path<'_>, errors: &mut ErrorList) {
    meta::labels(&template.metadata.labels, &path.child("labels"), errors);
    meta::annotations(&template.metadata.annotations, &path.child("annotations"), errors);
    behaviors(
        &template.metadata.annotations,
        &template.spec,
        &path.child("metadata"),
        errors,
    );
    let spec_path = path.child("spec");
    if claims.is_empty() {
        spec(&template.spec, &spec_path, errors);
    } else {
        // A claim of the workload stands for a volume, and replaces one of its name.
        let mut whole = template.spec.clone();
        let volumes = std::sync::Arc::make_mut(&mut whole.volumes);
        for claim in claims {
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
        spec(&whole, &spec_path, errors);
    }
    of_extra(&template.spec, template, &template.extra, &spec_path, errors);
    if !template.spec.ephemeral_containers.is_empty() {
        errors.forbidden(
            &spec_path.child("ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}

/// What is only kept of a pod or a template is checked too, where there is any.
pub(super) fn of_extra(spec: &PodSpec, whole: &dyn Wire, extra: &Extra, path: &Path<'_>, errors: &mut ErrorList) {
    if extra.is_empty() {
        return;
    }
    let mut value = whole.write();
    extra.merge_into(&mut value);
    if let Some(value) = value.get("spec") {
        untyped::pod_spec(spec, value, path, errors);
    }
}

/// L-08: a behaviour annotation that cannot be followed is refused, as what it says would silently not happen.
pub(super) fn behaviors(annotations: &Labels, spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    if !annotations.keys().any(|key| key.starts_with(BEHAVIOR_PREFIX)) {
        return;
    }
    if let Err(problems) = container_behaviors(annotations, spec) {
        // An annotation is quoted once, however much of it is wrong.
        for of_one in problems.chunk_by(|one, next| one.container == next.container) {
            let Some(first) = of_one.first() else { continue };
            let key = format!("{BEHAVIOR_PREFIX}{}", first.container);
            let text = annotations.get(key.as_str()).map_or("", |text| &**text);
            let wrong: Vec<String> = of_one.iter().map(ToString::to_string).collect();
            errors.invalid_text(&path.child("annotations").key(&key), text, &wrong.join("; "));
        }
    }
}

pub(super) fn spec(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    volume::validate(spec, &path.child("volumes"), errors);
    container::validate(spec, path, errors);
    pod_resources(spec, path, errors);
    enums(spec, path, errors);
    let node_selector = path.child("nodeSelector");
    meta::labels(&spec.node_selector, &node_selector, errors);
    if let Some(context) = &spec.security_context {
        let path = path.child("securityContext");
        for (name, id) in [
            ("fsGroup", context.fs_group),
            ("runAsUser", context.run_as_user),
            ("runAsGroup", context.run_as_group),
        ] {
            container::user_id(id, &path.child(name), errors);
        }
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
        untyped::dns_config(&spec.dns_policy, config, &path.child("dnsConfig"), errors);
    }
    if spec.host_users == Some(false) {
        for (name, is_shared) in [("hostNetwork", spec.host_network), ("hostPID", spec.host_pid)] {
            if is_shared == Some(true) {
                errors.forbidden(&path.child(name), "when `hostUsers` is false");
            }
        }
    }
    scheduling::readiness_gates(&spec.readiness_gates, &path.child("readinessGates"), errors);
    scheduling::scheduling_gates(&spec.scheduling_gates, &path.child("schedulingGates"), errors);
    scheduling::spread(
        &spec.topology_spread_constraints,
        &path.child("topologySpreadConstraints"),
        errors,
    );
    let node_name = spec.node_name.as_ref().map_or("", |name| name.as_str());
    for (name, value, rule) in [
        (
            "serviceAccountName",
            &*spec.service_account_name,
            names::subdomain as fn(&str) -> Vec<String>,
        ),
        ("nodeName", node_name, names::subdomain),
    ] {
        if !value.is_empty() {
            errors.each_invalid(&path.child(name), value, &rule(value));
        }
    }
    if let Some(seconds) = spec.active_deadline_seconds
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let message = names::range_text(1, i64::from(i32::MAX));
        errors.invalid(&path.child("activeDeadlineSeconds"), seconds, &message);
    }
    for (name, value) in [("hostname", &spec.hostname), ("subdomain", &spec.subdomain)] {
        if !value.is_empty() {
            errors.each_invalid(&path.child(name), value, &names::label(value));
        }
    }
    scheduling::tolerations(&spec.tolerations, &path.child("tolerations"), errors);
    host_aliases(spec, &path.child("hostAliases"), errors);
    if !spec.priority_class_name.is_empty() {
        let messages = names::subdomain(&spec.priority_class_name);
        errors.each_invalid(&path.child("priorityClassName"), &spec.priority_class_name, &messages);
    }
    if let Some(class) = &spec.runtime_class_name {
        errors.each_invalid(&path.child("runtimeClassName"), class, &names::subdomain(class));
    }
    if let Some(policy) = &spec.preemption_policy
        && !policy.is_known()
    {
        errors.unsupported_text(
            &path.child("preemptionPolicy"),
            policy.as_str(),
            PreemptionPolicy::KNOWN,
        );
    }
    resources::list(&spec.overhead, &path.child("overhead"), errors);
    if let Some(os) = &spec.os
        && !matches!(&*os.name, "linux" | "windows")
    {
        if os.name.is_empty() {
            errors.required(&path.child("os").child("name"), "cannot be empty");
        } else {
            errors.unsupported_text(&path.child("os"), &os.name, &["linux", "windows"]);
        }
    }
    container::file_key_volumes(spec, path, errors);
}

fn enums(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    match &spec.restart_policy {
        Some(RestartPolicy::Always | RestartPolicy::OnFailure | RestartPolicy::Never) => {}
        None => errors.required(&path.child("restartPolicy"), ""),
        Some(RestartPolicy::Other(other)) => {
            errors.unsupported_text(&path.child("restartPolicy"), other, RestartPolicy::KNOWN);
        }
    }
    match &*spec.dns_policy {
        "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None" => {}
        "" => errors.required(&path.child("dnsPolicy"), ""),
        other => errors.unsupported_text(
            &path.child("dnsPolicy"),
            other,
            &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
        ),
    }
}

/// Pod-level resources against those of the containers (VA-125).
fn pod_resources(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(own) = &spec.resources else { return };
    let path = path.child("resources");
    for (name, list) in [("limits", &own.limits), ("requests", &own.requests)] {
        let list_path = path.child(name);
        for (resource, quantity) in list {
            let path = list_path.key(resource);
            if !matches!(&**resource, "cpu" | "memory") && !resources::is_huge_page(resource) {
                errors.unsupported_text(&path, resource, &["cpu", "hugepages-", "memory"]);
            }
            resources::amount(resource, *quantity, &path, errors);
        }
    }
    let requests = path.child("requests");
    for (resource, request) in &own.requests {
        if let Some(limit) = own.limits.get(resource)
            && request > limit
        {
            let message = format!("must be less than or equal to {resource} limit of {limit}");
            errors.invalid_text(&requests, &request.to_string(), &message);
        }
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
            if let Some(whole) = own.limits.get(resource)
                && limit > whole
            {
                let message = format!("must be less than or equal to pod limits of {whole}");
                errors.invalid_text(
                    &container_path.key(resource).child("limits"),
                    &limit.to_string(),
                    &message,
                );
            }
        }
    }
}

fn host_aliases(spec: &PodSpec, path: &Path<'_>, errors: &mut ErrorList) {
    for (index, alias) in spec.host_aliases.iter().enumerate() {
        let path = path.index(index);
        if let Some(problem) = names::ip_problem(&alias.ip) {
            errors.invalid(&path.child("ip"), quoted(&alias.ip), problem);
        }
        let hostnames = path.child("hostnames");
        for (index, hostname) in alias.hostnames.iter().enumerate() {
            errors.each_invalid(&hostnames.index(index), hostname, &names::subdomain(hostname));
        }
    }
}
