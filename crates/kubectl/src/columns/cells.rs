//! The cells of an object, one for each of its kind's columns (KC-013 to KC-049).

use podscope_api::{ConditionStatus, IntOrString, Object, ReplicaSetStatus, Time};

use super::super::pod_status::pod_row;
use super::super::text::cell;
use super::{
    access_modes, age, claim_class, containers, event_times, extra_text, first_three, is_default_class, job_status,
    map_text, node_roles, node_status, or_none, or_unset, selector_text, volume_class,
};
use crate::duration::human_duration;

/// DESIRED, CURRENT and READY.
fn replicas(wanted: Option<i32>, status: &ReplicaSetStatus) -> [String; 3] {
    let current = status.replicas.to_string();
    [
        wanted.unwrap_or(0).to_string(),
        current,
        status.ready_replicas.unwrap_or(0).to_string(),
    ]
}

/// The cells of an object, one for each of [`headers`]; the name is `prefix` + name.
pub(crate) fn cells(object: &Object, prefix: &str, now: Time) -> Vec<String> {
    let meta = object.metadata();
    let name = format!("{prefix}{}", meta.name);
    let created = age(meta.creation_timestamp, now);
    let int = |value: Option<i32>| value.unwrap_or(0).to_string();
    let row = match object {
        Object::Pod(pod) => {
            let row = pod_row(pod, now);
            let gates = pod.spec.readiness_gates.len();
            let held = pod
                .spec
                .readiness_gates
                .iter()
                .filter(|gate| {
                    pod.condition(&gate.condition_type)
                        .is_some_and(|condition| condition.status == ConditionStatus::True)
                })
                .count();
            vec![
                name,
                format!("{}/{}", row.ready, row.total),
                row.status,
                row.restarts,
                created,
                pod.status
                    .pod_ips
                    .first()
                    .map_or_else(|| "<none>".into(), |ip| or_none(&ip.ip)),
                pod.spec
                    .node_name
                    .as_ref()
                    .map_or_else(|| "<none>".into(), |node| or_none(node)),
                or_none(&pod.status.nominated_node_name),
                if gates == 0 {
                    "<none>".into()
                } else {
                    format!("{held}/{gates}")
                },
            ]
        }
        Object::Node(node) => {
            let address = |kind: &str| {
                node.status
                    .addresses
                    .iter()
                    .find(|address| &*address.kind == kind)
                    .map_or_else(|| "<none>".into(), |address| address.address.to_string())
            };
            let info = node.status.node_info.clone().unwrap_or_default();
            let known = |text: &str| {
                if text.is_empty() {
                    "<unknown>".to_owned()
                } else {
                    text.to_owned()
                }
            };
            vec![
                name,
                node_status(node),
                node_roles(node),
                created,
                info.kubelet_version.to_string(),
                address("InternalIP"),
                address("ExternalIP"),
                known(&info.os_image),
                match &*info.architecture {
                    "" => known(&info.kernel_version),
                    architecture => format!("{} ({architecture})", known(&info.kernel_version)),
                },
                known(&info.container_runtime_version),
            ]
        }
        Object::Deployment(deployment) => {
            let [names, images] = containers(&deployment.spec.template);
            let selector = selector_text(deployment.spec.selector.as_ref());
            vec![
                name,
                format!(
                    "{}/{}",
                    int(deployment.status.ready_replicas),
                    int(deployment.spec.replicas)
                ),
                int(deployment.status.updated_replicas),
                int(deployment.status.available_replicas),
                created,
                names,
                images,
                if selector == "<none>" { String::new() } else { selector },
            ]
        }
        Object::ReplicaSet(set) => {
            let selector = selector_text(set.spec.selector.as_ref());
            let [wanted, current, ready] = replicas(set.spec.replicas, &set.status);
            let [names, images] = containers(&set.spec.template);
            vec![name, wanted, current, ready, created, names, images, selector]
        }
        Object::ReplicationController(set) => {
            let selector = map_text(&set.spec.selector);
            let [wanted, current, ready] = replicas(set.spec.replicas, &set.status);
            let [names, images] = containers(&set.spec.template);
            vec![name, wanted, current, ready, created, names, images, selector]
        }
        Object::StatefulSet(set) => {
            let [names, images] = containers(&set.spec.template);
            vec![
                name,
                format!("{}/{}", int(set.status.ready_replicas), int(set.spec.replicas)),
                created,
                names,
                images,
            ]
        }
        Object::DaemonSet(set) => {
            let [names, images] = containers(&set.spec.template);
            vec![
                name,
                set.status.desired_number_scheduled.to_string(),
                set.status.current_number_scheduled.to_string(),
                set.status.number_ready.to_string(),
                int(set.status.updated_number_scheduled),
                int(set.status.number_available),
                map_text(&set.spec.template.spec.node_selector),
                created,
                names,
                images,
                selector_text(set.spec.selector.as_ref()),
            ]
        }
        Object::Job(job) => {
            let [names, images] = containers(&job.spec.template);
            let succeeded = job.status.succeeded.unwrap_or(0);
            let parallelism = job.spec.parallelism.unwrap_or(1);
            let completions = match job.spec.completions {
                Some(completions) => format!("{succeeded}/{completions}"),
                None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
                None => format!("{succeeded}/1"),
            };
            let duration = match (job.status.start_time, job.status.completion_time) {
                (None, _) => String::new(),
                (Some(start), end) => human_duration((end.unwrap_or(now).0 - start.0).div_euclid(1_000_000)),
            };
            vec![
                name,
                job_status(job).into(),
                completions,
                duration,
                created,
                names,
                images,
                selector_text(job.spec.selector.as_ref()),
            ]
        }
        Object::PodDisruptionBudget(budget) => {
            let bound = |value: &Option<IntOrString>| value.as_ref().map_or_else(|| "N/A".into(), ToString::to_string);
            vec![
                name,
                bound(&budget.spec.min_available),
                bound(&budget.spec.max_unavailable),
                budget.status.disruptions_allowed.to_string(),
                created,
            ]
        }
        Object::PriorityClass(class) => vec![
            name,
            class.value.to_string(),
            class.global_default.unwrap_or(false).to_string(),
            created,
            class
                .preemption_policy
                .as_ref()
                .map_or_else(|| "PreemptLowerPriority".into(), |policy| policy.as_str().to_owned()),
        ],
        Object::Service(service) => {
            let kind = if service.spec.kind.is_empty() {
                "ClusterIP"
            } else {
                &service.spec.kind
            };
            let external = match kind {
                "ExternalName" => or_none(&service.spec.external_name),
                "LoadBalancer" => "<pending>".into(),
                _ => match extra_text(object, &["spec", "externalIPs"]) {
                    Some(serde_json::Value::Array(ips)) => {
                        or_none(&ips.iter().filter_map(|ip| ip.as_str()).collect::<Vec<_>>().join(","))
                    }
                    _ => "<none>".into(),
                },
            };
            let ports: Vec<String> = service
                .spec
                .ports
                .iter()
                .map(|port| {
                    let protocol = if port.protocol.is_empty() {
                        "TCP"
                    } else {
                        &port.protocol
                    };
                    match port.node_port.filter(|port| *port > 0) {
                        Some(node) => format!("{}:{node}/{protocol}", port.port),
                        None => format!("{}/{protocol}", port.port),
                    }
                })
                .collect();
            vec![
                name,
                kind.to_owned(),
                or_none(&service.spec.cluster_ip),
                external,
                or_none(&ports.join(",")),
                created,
                service.spec.selector.as_ref().map_or_else(|| "<none>".into(), map_text),
            ]
        }
        Object::EndpointSlice(slice) => {
            let ports = slice
                .ports
                .iter()
                .map(|port| match (port.port, &port.name) {
                    (Some(number), _) => number.to_string(),
                    (None, Some(name)) if !name.is_empty() => name.to_string(),
                    _ => "*".into(),
                })
                .collect();
            let addresses = slice
                .endpoints
                .iter()
                .flat_map(|endpoint| endpoint.addresses.iter().map(ToString::to_string))
                .collect();
            vec![
                name,
                slice.address_type.to_string(),
                first_three(ports),
                first_three(addresses),
                created,
            ]
        }
        Object::PersistentVolume(volume) => {
            let phase = if volume.metadata.is_terminating() {
                "Terminating".to_owned()
            } else {
                volume
                    .status
                    .phase
                    .as_ref()
                    .map_or_else(String::new, ToString::to_string)
            };
            vec![
                name,
                volume
                    .spec
                    .capacity
                    .get("storage")
                    .map_or_else(String::new, ToString::to_string),
                access_modes(&volume.spec.access_modes),
                volume
                    .spec
                    .persistent_volume_reclaim_policy
                    .as_deref()
                    .unwrap_or("Retain")
                    .to_owned(),
                phase,
                volume
                    .spec
                    .claim_ref
                    .as_ref()
                    .map_or_else(String::new, |claim| format!("{}/{}", claim.namespace, claim.name)),
                volume_class(volume),
                or_unset(volume.spec.volume_attributes_class_name.as_ref()),
                volume.status.reason.to_string(),
                created,
                or_unset(volume.spec.volume_mode.as_ref()),
            ]
        }
        Object::PersistentVolumeClaim(claim) => {
            let phase = if claim.metadata.is_terminating() {
                "Terminating".to_owned()
            } else {
                claim
                    .status
                    .phase
                    .as_ref()
                    .map_or_else(String::new, ToString::to_string)
            };
            let bound = !claim.spec.volume_name.is_empty();
            vec![
                name,
                phase,
                claim.spec.volume_name.to_string(),
                claim
                    .status
                    .capacity
                    .get("storage")
                    .filter(|_| bound)
                    .map_or_else(String::new, ToString::to_string),
                if bound {
                    access_modes(&claim.status.access_modes)
                } else {
                    String::new()
                },
                claim_class(&claim.metadata, &claim.spec),
                or_unset(claim.spec.volume_attributes_class_name.as_ref()),
                created,
                or_unset(claim.spec.volume_mode.as_ref()),
            ]
        }
        Object::StorageClass(class) => {
            let is_default = is_default_class(&class.metadata);
            let value = object.typed_value();
            let text = |field: &str, default: &str| match value.get(field) {
                Some(serde_json::Value::String(text)) if !text.is_empty() => text.clone(),
                Some(serde_json::Value::Bool(on)) => on.to_string(),
                _ => default.to_owned(),
            };
            vec![
                if is_default { format!("{name} (default)") } else { name },
                text("provisioner", ""),
                text("reclaimPolicy", "Delete"),
                text("volumeBindingMode", "Immediate"),
                text("allowVolumeExpansion", "false"),
                created,
            ]
        }
        Object::VolumeAttachment(attachment) => vec![
            name,
            attachment.spec.attacher.to_string(),
            attachment
                .spec
                .source
                .persistent_volume_name
                .as_deref()
                .unwrap_or("")
                .to_owned(),
            attachment.spec.node_name.to_string(),
            attachment.status.attached.to_string(),
            created,
        ],
        Object::Namespace(namespace) => vec![name, namespace.status.phase.to_string(), created],
        Object::Lease(lease) => vec![
            name,
            lease.spec.holder_identity.as_deref().unwrap_or("").to_owned(),
            created,
        ],
        Object::Event(event) => {
            let (first, last, count) = event_times(event);
            let source = if event.source.component.is_empty() {
                (&event.reporting_component, &event.reporting_instance)
            } else {
                (&event.source.component, &event.source.host)
            };
            vec![
                age(last, now),
                event.kind.to_string(),
                event.reason.to_string(),
                format!(
                    "{}/{}",
                    event.involved_object.kind.to_ascii_lowercase(),
                    event.involved_object.name
                ),
                event.involved_object.field_path.to_string(),
                if source.1.is_empty() {
                    source.0.to_string()
                } else {
                    format!("{}, {}", source.0, source.1)
                },
                event.message.trim().to_owned(),
                age(first, now),
                count.to_string(),
                name,
            ]
        }
        Object::ConfigMap(map) => {
            let binary =
                extra_text(object, &["binaryData"]).and_then(|value| value.as_object().map(serde_json::Map::len));
            vec![name, (map.data.len() + binary.unwrap_or(0)).to_string(), created]
        }
        Object::Secret(secret) => vec![
            name,
            if secret.kind.is_empty() {
                "Opaque".into()
            } else {
                secret.kind.to_string()
            },
            secret.data.len().to_string(),
            created,
        ],
        Object::ControllerRevision(revision) => {
            let controller = revision.metadata.controller_ref().map_or_else(
                || "<none>".into(),
                |owner| {
                    let group = owner
                        .api_version
                        .split_once('/')
                        .map_or(String::new(), |(group, _)| format!(".{group}"));
                    format!("{}{group}/{}", owner.kind.to_ascii_lowercase(), owner.name)
                },
            );
            vec![name, controller, revision.revision.to_string(), created]
        }
        Object::CsiNode(node) => vec![name, node.spec.drivers.len().to_string(), created],
        Object::CsiDriver(driver) => vec![
            name,
            driver.spec.attach_required.unwrap_or(true).to_string(),
            driver.spec.storage_capacity.unwrap_or(false).to_string(),
            created,
        ],
        other => super::settings::cells(other, name, created, now),
    };
    row.into_iter().map(|text| cell(&text)).collect()
}
