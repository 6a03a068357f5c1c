//! Defaulting: what the API server fills in when it decodes an object
//! (VA-023 to VA-056, LC-038, LC-039). An empty string counts as unset.
//!
//! Admission, which looks other objects up (priority classes, tolerations,
//! default storage class), is not here.

use std::sync::Arc;

use crate::{
    Container, DeploymentStrategyType, EmptyDirVolume, EphemeralVolume, IntOrString, Lifecycle, LifecycleHandler,
    NamespaceStatus, Object, PersistentVolumeClaimSpec, PodManagementPolicy, PodSpec, PreemptionPolicy, Probe,
    PullPolicy, ResourceList, ResourceRequirements, RestartPolicy, RollingUpdateDaemonSet, RollingUpdateDeployment,
    RollingUpdateStatefulSet, Str, UpdateStrategyType, Volume, VolumeBindingMode,
};

/// Fills in the defaults of an object, as the API server does at decode; doing it again changes nothing (VA-055).
pub fn default_object(object: &mut Object) {
    match object {
        Object::Pod(pod) => default_pod(&mut Arc::make_mut(pod).spec),
        Object::ReplicationController(object) => {
            let object = Arc::make_mut(object);
            fill(&mut object.spec.replicas, 1);
            default_shared(&mut object.spec.template, |template| {
                default_template(&mut template.spec)
            });
            let template = &object.spec.template;
            if object.spec.selector.is_empty() {
                object.spec.selector = (*template.metadata.labels).clone();
            }
            if object.metadata.labels.is_empty() {
                object.metadata.labels = template.metadata.labels.clone();
            }
        }
        Object::ReplicaSet(object) => {
            let spec = &mut Arc::make_mut(object).spec;
            fill(&mut spec.replicas, 1);
            default_shared(&mut spec.template, |template| default_template(&mut template.spec));
        }
        Object::Deployment(object) => {
            let spec = &mut Arc::make_mut(object).spec;
            // False is what is left out.
            spec.paused = spec.paused.filter(|paused| *paused);
            fill(&mut spec.replicas, 1);
            fill_text(
                &mut spec.strategy.kind,
                DeploymentStrategyType::RollingUpdate,
                DeploymentStrategyType::as_str,
            );
            if spec.strategy.kind == Some(DeploymentStrategyType::RollingUpdate) {
                let quarter = || IntOrString::String("25%".into());
                let rolling = spec
                    .strategy
                    .rolling_update
                    .get_or_insert_with(RollingUpdateDeployment::default);
                rolling.max_unavailable.get_or_insert_with(quarter);
                rolling.max_surge.get_or_insert_with(quarter);
            }
            fill(&mut spec.revision_history_limit, 10);
            fill(&mut spec.progress_deadline_seconds, 600);
            default_shared(&mut spec.template, |template| default_template(&mut template.spec));
        }
        Object::StatefulSet(object) => default_stateful_set(&mut Arc::make_mut(object).spec),
        Object::DaemonSet(object) => {
            let spec = &mut Arc::make_mut(object).spec;
            fill_text(
                &mut spec.update_strategy.kind,
                UpdateStrategyType::RollingUpdate,
                UpdateStrategyType::as_str,
            );
            if spec.update_strategy.kind == Some(UpdateStrategyType::RollingUpdate) {
                let rolling = spec
                    .update_strategy
                    .rolling_update
                    .get_or_insert_with(RollingUpdateDaemonSet::default);
                rolling.max_unavailable.get_or_insert(IntOrString::Int(1));
                rolling.max_surge.get_or_insert(IntOrString::Int(0));
            }
            fill(&mut spec.revision_history_limit, 10);
            default_shared(&mut spec.template, |template| default_template(&mut template.spec));
        }
        Object::Job(object) => default_job(Arc::make_mut(object)),
        Object::PersistentVolumeClaim(object) => {
            let object = Arc::make_mut(object);
            default_claim(&mut object.spec);
            object.status.phase.get_or_insert(crate::ClaimPhase::Pending);
        }
        Object::PersistentVolume(object) => {
            let object = Arc::make_mut(object);
            object.status.phase.get_or_insert(crate::VolumePhase::Pending);
            fill_str(&mut object.spec.persistent_volume_reclaim_policy, "Retain");
            fill(&mut object.spec.volume_mode, "Filesystem".into());
            if let Some(host_path) = &mut object.spec.host_path {
                fill(&mut host_path.kind, "".into());
            }
            if let Some(iscsi) = &mut object.spec.iscsi {
                set_str(&mut iscsi.iscsi_interface, "default");
            }
            round_up(&mut object.spec.capacity);
        }
        Object::StorageClass(object) => {
            let object = Arc::make_mut(object);
            fill_str(&mut object.reclaim_policy, "Delete");
            fill(&mut object.volume_binding_mode, VolumeBindingMode::Immediate);
        }
        Object::PriorityClass(object) => {
            let policy = &mut Arc::make_mut(object).preemption_policy;
            fill(policy, PreemptionPolicy::PreemptLowerPriority);
        }
        Object::Namespace(object) => {
            let object = Arc::make_mut(object);
            let NamespaceStatus { phase, .. } = &mut object.status;
            set_str(phase, "Active");
            if !object.metadata.name.is_empty() && object.metadata.label(NAME_LABEL).is_none() {
                let name = object.metadata.name.clone();
                Arc::make_mut(&mut object.metadata.labels).insert(NAME_LABEL.into(), name);
            }
        }
        Object::Node(object) => {
            let object = Arc::make_mut(object);
            if object.spec.pod_cidrs.is_empty() && !object.spec.pod_cidr.is_empty() {
                object.spec.pod_cidrs = vec![object.spec.pod_cidr.clone()];
            }
            let status = &mut object.status;
            if status.allocatable.is_empty() {
                status.allocatable.clone_from(&status.capacity);
            }
            round_up(&mut status.capacity);
            round_up(&mut status.allocatable);
        }
        Object::Service(object) => default_service(&mut Arc::make_mut(object).spec),
        Object::EndpointSlice(object) => {
            for port in &mut Arc::make_mut(object).ports {
                fill(&mut port.name, "".into());
                fill(&mut port.protocol, "TCP".into());
            }
        }
        Object::CsiDriver(object) => {
            let spec = &mut Arc::make_mut(object).spec;
            fill(&mut spec.attach_required, true);
            fill(&mut spec.storage_capacity, false);
        }
        Object::Secret(object) => default_secret(Arc::make_mut(object)),
        Object::CronJob(object) => default_cron_job(&mut Arc::make_mut(object).spec),
        Object::ResourceQuota(object) => round_up(&mut Arc::make_mut(object).spec.hard),
        Object::LimitRange(object) => {
            for item in &mut Arc::make_mut(object).spec.limits {
                default_limits(item);
            }
        }
        Object::HorizontalPodAutoscaler(object) => {
            let spec = &mut Arc::make_mut(object).spec;
            fill(&mut spec.min_replicas, 1);
            if let Some(behavior) = &mut spec.behavior {
                crate::autoscaler::default_behavior(behavior);
            }
            if spec.metrics.is_empty() {
                let target = serde_json::json!({"type": "Utilization", "averageUtilization": 80});
                let cpu = serde_json::json!({"name": "cpu", "target": target});
                spec.metrics = vec![serde_json::json!({"type": "Resource", "resource": cpu})];
            }
        }
        Object::Kept(object) => default_kept(Arc::make_mut(object)),
        Object::Endpoints(object) => {
            let subsets = &mut Arc::make_mut(object).subsets;
            for port in subsets.iter_mut().flat_map(|subset| &mut subset.ports) {
                fill(&mut port.protocol, "TCP".into());
            }
        }
        Object::ServiceAccount(_)
        | Object::RuntimeClass(_)
        | Object::Lease(_)
        | Object::ControllerRevision(_)
        | Object::PodDisruptionBudget(_)
        | Object::VolumeAttachment(_)
        | Object::CsiNode(_)
        | Object::CsiStorageCapacity(_)
        | Object::ConfigMap(_)
        | Object::Event(_) => {}
    }
}

const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Applies defaults to something shared; what needs none stays shared (pods of a template share its containers).
fn default_shared<T: Clone + PartialEq>(shared: &mut Arc<T>, apply: impl FnOnce(&mut T)) {
    let mut copy = T::clone(shared);
    apply(&mut copy);
    if copy != **shared {
        *shared = Arc::new(copy);
    }
}

fn fill<T>(field: &mut Option<T>, value: T) {
    field.get_or_insert(value);
}

/// Sets an optional enum that is absent or the empty string.
fn fill_text<T>(field: &mut Option<T>, value: T, text: fn(&T) -> &str) {
    if field.as_ref().is_none_or(|known| text(known).is_empty()) {
        *field = Some(value);
    }
}

fn fill_str(field: &mut Option<Str>, value: &str) {
    if field.as_deref().is_none_or(str::is_empty) {
        *field = Some(value.into());
    }
}

fn set_str(field: &mut Str, value: &str) {
    if field.is_empty() {
        *field = value.into();
    }
}

/// Fills in a number that is absent or 0 (VA-033).
fn fill_nonzero(field: &mut Option<i32>, value: i32) {
    if field.unwrap_or(0) == 0 {
        *field = Some(value);
    }
}

/// Amounts of resources are whole thousandths (VA-031).
fn round_up(list: &mut ResourceList) {
    for quantity in list.values_mut() {
        *quantity = quantity.rounded_up_to_milli();
    }
}

fn round_up_all(resources: &mut ResourceRequirements) {
    round_up(&mut resources.limits);
    round_up(&mut resources.requests);
}

/// What only pods get, not templates; then what both get.
fn default_pod(spec: &mut PodSpec) {
    // VA-030: requests from limits, per resource.
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
    if let Some(own) = &spec.resources
        && !own.limits.is_empty()
    {
        let mut own = ResourceRequirements::clone(own);
        default_pod_requests(&mut own, spec);
        spec.resources = Some(Arc::new(own));
    }
    fill(&mut spec.enable_service_links, true);
    // VA-029: ports of the node's network are the container's own.
    if spec.host_network == Some(true) {
        for list in [&mut spec.containers, &mut spec.init_containers] {
            default_shared(list, |list| {
                for port in list.iter_mut().flat_map(|container| &mut container.ports) {
                    if port.host_port.unwrap_or(0) == 0 {
                        port.host_port = Some(port.container_port);
                    }
                }
            });
        }
    }
    default_template(spec);
}

/// VA-032: pod-level requests, per resource: the sum over containers if any ask for it, else the pod's limit.
fn default_pod_requests(own: &mut ResourceRequirements, spec: &PodSpec) {
    let total = spec.of_containers(|resources| &resources.requests);
    for (name, limit) in own.limits.clone() {
        if own.requests.contains_key(&name) {
            continue;
        }
        let counted = matches!(&*name, "cpu" | "memory") || name.starts_with("hugepages-");
        if !counted {
            continue;
        }
        let sum = total.get(&name).copied().filter(|sum| !sum.is_zero());
        own.requests.insert(name, sum.unwrap_or(limit));
    }
}

/// What pods and pod templates get alike.
fn default_template(spec: &mut PodSpec) {
    fill_text(&mut spec.restart_policy, RestartPolicy::Always, RestartPolicy::as_str);
    set_str(&mut spec.dns_policy, "ClusterFirst");
    set_str(&mut spec.scheduler_name, "default-scheduler");
    if spec.service_account_name.is_empty() {
        spec.service_account_name = spec.service_account.clone();
    }
    spec.service_account = spec.service_account_name.clone();
    fill(&mut spec.termination_grace_period_seconds, 30);
    if spec.security_context.is_none() {
        spec.security_context = Some(Arc::default());
    }
    round_up(&mut spec.overhead);
    if let Some(own) = &mut spec.resources {
        default_shared(own, round_up_all);
    }
    for list in [
        &mut spec.init_containers,
        &mut spec.containers,
        &mut spec.ephemeral_containers,
    ] {
        if !list.is_empty() {
            default_shared(list, |list| list.iter_mut().for_each(default_container));
        }
    }
    if !spec.volumes.is_empty() {
        default_shared(&mut spec.volumes, |volumes| volumes.iter_mut().for_each(default_volume));
    }
}

fn default_container(container: &mut Container) {
    if container
        .image_pull_policy
        .as_ref()
        .is_none_or(|policy| policy.as_str().is_empty())
    {
        container.image_pull_policy = Some(default_pull_policy(&container.image));
    }
    set_str(&mut container.termination_message_path, "/dev/termination-log");
    set_str(&mut container.termination_message_policy, "File");
    for port in &mut container.ports {
        set_str(&mut port.protocol, "TCP");
    }
    for variable in &mut container.env {
        if let Some(field) = variable
            .value_from
            .as_mut()
            .and_then(|source| source.field_ref.as_mut())
        {
            set_str(&mut field.api_version, "v1");
        }
        let resource = variable.value_from.as_mut();
        if let Some(resource) = resource.and_then(|source| source.resource_field_ref.as_mut()) {
            fill(&mut resource.divisor, crate::Quantity::default());
        }
        let file = variable.value_from.as_mut();
        if let Some(file) = file.and_then(|source| source.file_key_ref.as_mut()) {
            fill(&mut file.optional, false);
        }
    }
    default_shared(&mut container.resources, round_up_all);
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
        // VA-056: without its feature gate this field vanishes.
        is_empty = stop_signal.take().is_some() && post_start.is_none() && pre_stop.is_none();
        for handler in [post_start, pre_stop].into_iter().flatten() {
            default_handler(handler);
        }
    }
    if is_empty {
        container.lifecycle = None;
    }
}

fn default_handler(handler: &mut LifecycleHandler) {
    if let Some(request) = &mut handler.http_get {
        set_str(&mut request.path, "/");
        set_str(&mut request.scheme, "HTTP");
    }
}

fn default_probe(probe: &mut Probe) {
    fill_nonzero(&mut probe.timeout_seconds, 1);
    fill_nonzero(&mut probe.period_seconds, 10);
    fill_nonzero(&mut probe.success_threshold, 1);
    fill_nonzero(&mut probe.failure_threshold, 3);
    if let Some(request) = &mut probe.http_get {
        set_str(&mut request.path, "/");
        set_str(&mut request.scheme, "HTTP");
    }
    if let Some(check) = &mut probe.grpc {
        fill(&mut check.service, "".into());
    }
}

/// VA-028: `Always` for the tag `latest` and for no tag at all, unless a digest or an unreadable name says otherwise.
fn default_pull_policy(image: &str) -> PullPolicy {
    let (name, digest) = match image.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (image, None),
    };
    let (repository, tag) = match name.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => (repository, Some(tag)),
        _ => (name, None),
    };
    // The first part may be a registry's host name; the others are lower case.
    let path = match repository.split_once('/') {
        Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => path,
        _ => repository,
    };
    let sound = !path.is_empty()
        && path.split('/').all(|part| {
            !part.is_empty()
                && part.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')
                })
        });
    if sound && (tag == Some("latest") || (tag.is_none() && digest.is_none())) {
        PullPolicy::Always
    } else {
        PullPolicy::IfNotPresent
    }
}

fn default_volume(volume: &mut Volume) {
    const FILE_MODE: i32 = 0o644;
    if volume.sources().next().is_none() {
        volume.empty_dir = Some(EmptyDirVolume::default());
    }
    if let Some(host_path) = &mut volume.host_path {
        fill(&mut host_path.kind, "".into());
    }
    if let Some(source) = &mut volume.config_map {
        fill(&mut source.default_mode, FILE_MODE);
    }
    if let Some(source) = &mut volume.secret {
        fill(&mut source.default_mode, FILE_MODE);
    }
    if let Some(source) = &mut volume.downward_api {
        fill(&mut source.default_mode, FILE_MODE);
        source.items.iter_mut().for_each(default_file);
    }
    if let Some(source) = &mut volume.projected {
        fill(&mut source.default_mode, FILE_MODE);
        for projection in &mut source.sources {
            if let Some(token) = &mut projection.service_account_token {
                fill(&mut token.expiration_seconds, 3600);
            }
            if let Some(files) = &mut projection.downward_api {
                files.items.iter_mut().for_each(default_file);
            }
        }
    }
    if let Some(iscsi) = &mut volume.iscsi {
        set_str(&mut iscsi.iscsi_interface, "default");
    }
    if let Some(EphemeralVolume {
        volume_claim_template: Some(template),
    }) = &mut volume.ephemeral
    {
        default_claim(&mut template.spec);
    }
}

/// A file of a pod's own fields.
fn default_file(file: &mut crate::DownwardFile) {
    if let Some(field) = &mut file.field_ref {
        set_str(&mut field.api_version, "v1");
    }
    if let Some(resource) = &mut file.resource_field_ref {
        fill(&mut resource.divisor, crate::Quantity::default());
    }
}

fn default_claim(spec: &mut PersistentVolumeClaimSpec) {
    fill(&mut spec.volume_mode, "Filesystem".into());
    // What else may be copied is only said by the newer field.
    let may_be_copied = |source: &serde_json::Value| {
        let text = |field: &str| {
            source
                .get(field)
                .and_then(serde_json::Value::as_str)
                .unwrap_or_default()
        };
        matches!(
            (text("apiGroup"), text("kind")),
            ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
        )
    };
    if spec.data_source.as_ref().is_some_and(|source| !may_be_copied(source)) {
        spec.data_source = None;
    }
    // Either stands for the other, unless it leads into another namespace.
    let is_elsewhere = |source: &serde_json::Value| source.get("namespace").is_some();
    match (&spec.data_source, &spec.data_source_ref) {
        (Some(source), None) => spec.data_source_ref = Some(source.clone()),
        (None, Some(source)) if !is_elsewhere(source) => spec.data_source = Some(source.clone()),
        _ => {}
    }
    round_up_all(&mut spec.resources);
}

fn default_stateful_set(spec: &mut crate::StatefulSetSpec) {
    fill(&mut spec.replicas, 1);
    fill_text(
        &mut spec.pod_management_policy,
        PodManagementPolicy::OrderedReady,
        PodManagementPolicy::as_str,
    );
    fill_text(
        &mut spec.update_strategy.kind,
        UpdateStrategyType::RollingUpdate,
        UpdateStrategyType::as_str,
    );
    if spec.update_strategy.kind == Some(UpdateStrategyType::RollingUpdate) {
        let rolling = spec
            .update_strategy
            .rolling_update
            .get_or_insert_with(RollingUpdateStatefulSet::default);
        fill(&mut rolling.partition, 0);
    }
    let retention = spec
        .persistent_volume_claim_retention_policy
        .get_or_insert_with(Default::default);
    set_str(&mut retention.when_deleted, "Retain");
    set_str(&mut retention.when_scaled, "Retain");
    fill(&mut spec.revision_history_limit, 10);
    default_shared(&mut spec.template, |template| default_template(&mut template.spec));
    if !spec.volume_claim_templates.is_empty() {
        for template in Arc::make_mut(&mut spec.volume_claim_templates) {
            default_claim(&mut template.spec);
            template.api_version = "v1".into();
            template.kind = "PersistentVolumeClaim".into();
            template.status = Some(serde_json::json!({"phase": "Pending"}));
        }
    }
}

fn default_job(job: &mut crate::Job) {
    let spec = &mut job.spec;
    if spec.completions.is_none() && spec.parallelism.is_none() {
        spec.completions = Some(1);
    }
    fill(&mut spec.parallelism, 1);
    let limit = if spec.backoff_limit_per_index.is_some() {
        i32::MAX
    } else {
        6
    };
    fill(&mut spec.backoff_limit, limit);
    let rules = spec
        .pod_failure_policy
        .as_mut()
        .and_then(|policy| policy.get_mut("rules"));
    for rule in rules.and_then(serde_json::Value::as_array_mut).into_iter().flatten() {
        let patterns = rule
            .get_mut("onPodConditions")
            .and_then(serde_json::Value::as_array_mut);
        for pattern in patterns
            .into_iter()
            .flatten()
            .filter_map(serde_json::Value::as_object_mut)
        {
            pattern.entry("status").or_insert_with(|| "True".into());
        }
    }
    fill(&mut spec.completion_mode, "NonIndexed".into());
    fill(&mut spec.suspend, false);
    fill(&mut spec.manual_selector, false);
    let replacement = if spec.pod_failure_policy.is_some() {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    fill(&mut spec.pod_replacement_policy, replacement.into());
    if job.metadata.labels.is_empty() {
        job.metadata.labels = spec.template.metadata.labels.clone();
    }
    default_shared(&mut spec.template, |template| default_template(&mut template.spec));
}

fn default_cron_job(spec: &mut crate::CronJobSpec) {
    use crate::ConcurrencyPolicy;
    fill_text(
        &mut spec.concurrency_policy,
        ConcurrencyPolicy::Allow,
        ConcurrencyPolicy::as_str,
    );
    fill(&mut spec.suspend, false);
    fill(&mut spec.successful_jobs_history_limit, 3);
    fill(&mut spec.failed_jobs_history_limit, 1);
    let template = &mut spec.job_template.spec.template;
    default_shared(template, |template| default_template(&mut template.spec));
}

/// A container's default limit is the most it may have, and its default request its default limit, or the least.
fn default_limits(item: &mut crate::LimitRangeItem) {
    let crate::LimitRangeItem {
        max,
        min,
        default,
        default_request,
        ..
    } = item;
    if &*item.kind == "Container" {
        fill_list(max, default);
        fill_list(default, default_request);
        fill_list(min, default_request);
    }
    [max, min, default, default_request].into_iter().for_each(round_up);
}

fn fill_list(from: &ResourceList, to: &mut ResourceList) {
    for (name, amount) in from {
        to.entry(name.clone()).or_insert(*amount);
    }
}

/// What the server fills in of kinds that are only kept.
fn default_kept(object: &mut crate::Kept) {
    use crate::Kind;
    use serde_json::Value;
    const RBAC: &str = "rbac.authorization.k8s.io";
    fn set(value: Option<&mut Value>, key: &str, text: &str) {
        if let Some(Value::Object(map)) = value {
            let slot = map.entry(key).or_insert_with(|| "".into());
            if slot.as_str() == Some("") {
                *slot = text.into();
            }
        }
    }
    let fields = &mut object.fields;
    match object.kind {
        Kind::RoleBinding | Kind::ClusterRoleBinding => {
            set(fields.get_mut("roleRef"), "apiGroup", RBAC);
            let subjects = fields.get_mut("subjects").and_then(Value::as_array_mut);
            for subject in subjects.into_iter().flatten() {
                if matches!(subject["kind"].as_str(), Some("User" | "Group")) {
                    set(Some(subject), "apiGroup", RBAC);
                }
            }
        }
        Kind::NetworkPolicy => {
            if let Some(Value::Object(spec)) = fields.get_mut("spec") {
                spec.entry("podSelector").or_insert_with(|| serde_json::json!({}));
                for list in ["ingress", "egress"] {
                    let rules = spec.get_mut(list).and_then(Value::as_array_mut);
                    let ports = rules.into_iter().flatten().filter_map(|rule| rule.get_mut("ports"));
                    for port in ports.filter_map(Value::as_array_mut).flatten() {
                        set(Some(port), "protocol", "TCP");
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

/// What is given as text is stored as base64.
fn default_secret(secret: &mut crate::Secret) {
    use base64::Engine as _;
    set_str(&mut secret.kind, "Opaque");
    for (key, text) in std::mem::take(&mut secret.string_data) {
        let encoded = base64::engine::general_purpose::STANDARD.encode(&*text);
        secret.data.insert(key, encoded.into());
    }
}

fn default_service(spec: &mut crate::ServiceSpec) {
    set_str(&mut spec.kind, "ClusterIP");
    set_str(&mut spec.session_affinity, "None");
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
        set_str(&mut port.protocol, "TCP");
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
        set_str(&mut spec.external_traffic_policy, "Cluster");
    }
    if &*spec.kind != "ExternalName" {
        fill_str(&mut spec.internal_traffic_policy, "Cluster");
    }
    if &*spec.kind == "LoadBalancer" {
        fill(&mut spec.allocate_load_balancer_node_ports, true);
    }
}

/// A Job's selector and the labels of its pods, made from its UID (VA-052); nothing where `manualSelector` is set.
pub fn generate_job_selector(job: &mut crate::Job) {
    if job.spec.manual_selector == Some(true) {
        return;
    }
    let uid = job.metadata.uid.0.clone();
    let name = job.metadata.name.clone();
    let template = Arc::make_mut(&mut job.spec.template);
    // A Job without labels of its own has its template's, those that are made here among them.
    let shares = job.metadata.labels.is_empty() || job.metadata.labels == template.metadata.labels;
    let labels = Arc::make_mut(&mut template.metadata.labels);
    for (key, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ] {
        labels.entry(key.into()).or_insert_with(|| value.clone());
    }
    if shares {
        job.metadata.labels = template.metadata.labels.clone();
    }
    job.spec
        .selector
        .get_or_insert_with(Default::default)
        .match_labels
        .entry("batch.kubernetes.io/controller-uid".into())
        .or_insert(uid);
}

/// A pod's grace period as the API server stores it: a negative one becomes 1 (VA-024).
pub fn stored_grace_period(seconds: i64) -> i64 {
    if seconds < 0 { 1 } else { seconds }
}
