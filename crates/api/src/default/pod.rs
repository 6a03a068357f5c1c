//! Defaults of pods, pod templates, containers, probes and volumes (VA-023 to VA-048).

use crate::untyped::text;

use super::*;

/// Sets the defaults of a pod's spec, including the defaults that pod templates get.
pub(super) fn default_pod_spec(spec: &mut PodSpec) {
    // Requests default to the limits, for each resource (VA-030).
    let defaults_requests = |container: &Container| {
        container
            .resources
            .limits
            .keys()
            .any(|name| !container.resources.requests.contains_key(name))
    };
    for list in [&mut spec.containers, &mut spec.init_containers] {
        if list.iter().any(defaults_requests) {
            for container in Arc::make_mut(list) {
                let ResourceRequirements { limits, requests, .. } = Arc::make_mut(&mut container.resources);
                for (name, limit) in &*limits {
                    requests.entry(name.clone()).or_insert(*limit);
                }
            }
        }
    }
    if let Some(pod_level) = &spec.resources
        && !pod_level.limits.is_empty()
    {
        let mut pod_level = ResourceRequirements::clone(pod_level);
        default_pod_requests(&mut pod_level, spec);
        spec.resources = Some(Arc::new(pod_level));
    }
    set_default(&mut spec.enable_service_links, true);
    // With host networking, the host port is the container's port (VA-029).
    if spec.host_network == Some(true) {
        for list in [&mut spec.containers, &mut spec.init_containers] {
            default_shared_value(list, |list| {
                for port in list.iter_mut().flat_map(|container| &mut container.ports) {
                    if port.host_port.unwrap_or(0) == 0 {
                        port.host_port = Some(port.container_port);
                    }
                }
            });
        }
    }
    default_pod_template_spec(spec);
}

/// Sets pod-level requests per resource: the sum over the containers, else the pod-level limit (VA-032).
pub(super) fn default_pod_requests(pod_level: &mut ResourceRequirements, spec: &PodSpec) {
    let total = spec.sum_containers(|resources| &resources.requests);
    for (name, limit) in pod_level.limits.clone() {
        if pod_level.requests.contains_key(&name) {
            continue;
        }
        let counted = matches!(&*name, "cpu" | "memory") || name.starts_with("hugepages-");
        if !counted {
            continue;
        }
        let sum = total.get(&name).copied().filter(|sum| !sum.is_zero());
        pod_level.requests.insert(name, sum.unwrap_or(limit));
    }
}

/// Sets the defaults that pods and pod templates have in common.
pub(super) fn default_pod_template_spec(spec: &mut PodSpec) {
    set_default_or_empty_enum(&mut spec.restart_policy, RestartPolicy::Always, RestartPolicy::as_str);
    set_default_string(&mut spec.dns_policy, "ClusterFirst");
    set_default_string(&mut spec.scheduler_name, "default-scheduler");
    if spec.service_account_name.is_empty() {
        spec.service_account_name = spec.service_account.clone();
    }
    spec.service_account = spec.service_account_name.clone();
    set_default(&mut spec.termination_grace_period_seconds, 30);
    if spec.security_context.is_none() {
        spec.security_context = Some(Arc::default());
    }
    round_up_to_milli(&mut spec.overhead);
    if let Some(pod_level) = &mut spec.resources {
        default_shared_value(pod_level, round_up_requests_and_limits);
    }
    for list in [
        &mut spec.init_containers,
        &mut spec.containers,
        &mut spec.ephemeral_containers,
    ] {
        if !list.is_empty() {
            default_shared_value(list, |list| list.iter_mut().for_each(default_container));
        }
    }
    if !spec.volumes.is_empty() {
        default_shared_value(&mut spec.volumes, |volumes| volumes.iter_mut().for_each(default_volume));
    }
}

pub(super) fn default_container(container: &mut Container) {
    if container
        .image_pull_policy
        .as_ref()
        .is_none_or(|policy| policy.as_str().is_empty())
    {
        container.image_pull_policy = Some(default_pull_policy(&container.image));
    }
    set_default_string(&mut container.termination_message_path, "/dev/termination-log");
    set_default_string(&mut container.termination_message_policy, "File");
    for port in &mut container.ports {
        set_default_string(&mut port.protocol, "TCP");
    }
    for variable in &mut container.env {
        if let Some(field) = variable
            .value_from
            .as_mut()
            .and_then(|source| source.field_ref.as_mut())
        {
            set_default_string(&mut field.api_version, "v1");
        }
        let resource = variable.value_from.as_mut();
        if let Some(resource) = resource.and_then(|source| source.resource_field_ref.as_mut()) {
            set_default(&mut resource.divisor, crate::Quantity::default());
        }
        let file = variable.value_from.as_mut();
        if let Some(file) = file.and_then(|source| source.file_key_ref.as_mut()) {
            set_default(&mut file.optional, false);
        }
    }
    default_shared_value(&mut container.resources, round_up_requests_and_limits);
    for probe in [
        &mut container.liveness_probe,
        &mut container.readiness_probe,
        &mut container.startup_probe,
    ]
    .into_iter()
    .flatten()
    {
        default_probe(probe);
    }
    let mut is_empty = false;
    if let Some(Lifecycle {
        post_start,
        pre_stop,
        stop_signal,
    }) = &mut container.lifecycle
    {
        // The API server drops `stopSignal` while its feature gate is off (VA-056).
        is_empty = stop_signal.take().is_some() && post_start.is_none() && pre_stop.is_none();
        for handler in [post_start, pre_stop].into_iter().flatten() {
            default_lifecycle_handler(handler);
        }
    }
    if is_empty {
        container.lifecycle = None;
    }
}

pub(super) fn default_lifecycle_handler(handler: &mut LifecycleHandler) {
    if let Some(request) = &mut handler.http_get {
        set_default_string(&mut request.path, "/");
        set_default_string(&mut request.scheme, "HTTP");
    }
}

pub(super) fn default_probe(probe: &mut Probe) {
    set_default_number(&mut probe.timeout_seconds, 1);
    set_default_number(&mut probe.period_seconds, 10);
    set_default_number(&mut probe.success_threshold, 1);
    set_default_number(&mut probe.failure_threshold, 3);
    if let Some(request) = &mut probe.http_get {
        set_default_string(&mut request.path, "/");
        set_default_string(&mut request.scheme, "HTTP");
    }
    if let Some(check) = &mut probe.grpc {
        set_default(&mut check.service, "".into());
    }
}

/// Returns the default pull policy: `Always` for the tag `latest` or no tag, but not with a digest or for a malformed
/// name (VA-028).
pub(super) fn default_pull_policy(image: &str) -> PullPolicy {
    let named = image.split_once('@').map_or(image, |(named, _)| named);
    let tag = match named.rsplit_once(':') {
        Some((_, tag)) if !tag.contains('/') => Some(tag),
        _ => None,
    };
    let is_latest = tag == Some("latest") || (tag.is_none() && named.len() == image.len());
    if is_latest && crate::check_image_name(image).is_ok() {
        PullPolicy::Always
    } else {
        PullPolicy::IfNotPresent
    }
}

pub(super) fn default_volume(volume: &mut Volume) {
    const FILE_MODE: i32 = 0o644;
    if volume.volume_source_names().next().is_none() {
        volume.empty_dir = Some(EmptyDirVolume::default());
    }
    if let Some(host_path) = &mut volume.host_path {
        set_default(&mut host_path.kind, "".into());
    }
    if let Some(source) = &mut volume.config_map {
        set_default(&mut source.default_mode, FILE_MODE);
    }
    if let Some(source) = &mut volume.secret {
        set_default(&mut source.default_mode, FILE_MODE);
    }
    if let Some(source) = &mut volume.downward_api {
        set_default(&mut source.default_mode, FILE_MODE);
        source.items.iter_mut().for_each(default_downward_file);
    }
    if let Some(source) = &mut volume.projected {
        set_default(&mut source.default_mode, FILE_MODE);
        for projection in &mut source.sources {
            if let Some(token) = &mut projection.service_account_token {
                set_default(&mut token.expiration_seconds, 3600);
            }
            if let Some(files) = &mut projection.downward_api {
                files.items.iter_mut().for_each(default_downward_file);
            }
        }
    }
    if let Some(source) = volume
        .image
        .as_mut()
        .and_then(|image| Arc::make_mut(image).as_object_mut())
    {
        let reference = source.get("reference").and_then(serde_json::Value::as_str);
        let policy = default_pull_policy(reference.unwrap_or_default());
        source.entry("pullPolicy").or_insert_with(|| policy.as_str().into());
    }
    if let Some(iscsi) = &mut volume.iscsi {
        set_default_string(&mut iscsi.iscsi_interface, "default");
    }
    if let Some(EphemeralVolume {
        volume_claim_template: Some(template),
    }) = &mut volume.ephemeral
    {
        default_claim_spec(&mut template.spec);
    }
}

/// Sets the defaults of a downward API file.
pub(super) fn default_downward_file(file: &mut crate::DownwardFile) {
    if let Some(field) = &mut file.field_ref {
        set_default_string(&mut field.api_version, "v1");
    }
    if let Some(resource) = &mut file.resource_field_ref {
        set_default(&mut resource.divisor, crate::Quantity::default());
    }
}

pub(super) fn default_claim_spec(spec: &mut PersistentVolumeClaimSpec) {
    set_default(&mut spec.volume_mode, "Filesystem".into());
    // `dataSource` supports only PersistentVolumeClaim and VolumeSnapshot; a value of another kind is dropped.
    let is_supported_source = |source: &serde_json::Value| {
        matches!(
            (text(source, "apiGroup"), text(source, "kind")),
            ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
        )
    };
    if spec
        .data_source
        .as_ref()
        .is_some_and(|source| !is_supported_source(source))
    {
        spec.data_source = None;
    }
    // `dataSourceRef` defaults to `dataSource`, and `dataSource` to `dataSourceRef` unless that refers to another
    // namespace.
    let is_in_other_namespace = |source: &serde_json::Value| source.get("namespace").is_some();
    match (&spec.data_source, &spec.data_source_ref) {
        (Some(source), None) => spec.data_source_ref = Some(source.clone()),
        (None, Some(source)) if !is_in_other_namespace(source) => spec.data_source = Some(source.clone()),
        _ => {}
    }
    // `apiGroup` is a pointer without `omitempty` in Go, so an unset `apiGroup` is printed as null.
    for source in [&mut spec.data_source, &mut spec.data_source_ref] {
        if let Some(source) = source.as_mut().and_then(serde_json::Value::as_object_mut) {
            source.entry("apiGroup").or_insert(serde_json::Value::Null);
        }
    }
    round_up_requests_and_limits(&mut spec.resources);
}
