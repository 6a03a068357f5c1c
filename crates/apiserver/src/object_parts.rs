//! Determines the part of an object that a write may change: the main resource ignores `status`, the status subresource
//! changes only it, and the resize subresource changes only the resources of a pod. Also determines when
//! `metadata.generation` is incremented.

use std::sync::Arc;

use podscope_api::well_known::annotation;
use podscope_api::{IpAddress, Kind, Object, ObjectMeta, Pod, PodStatus};
use serde_json::{Map, Value};

use podscope_sim::Part;

/// Merges a write of `part`: fields of that part come from `new`, all others from `old`. Metadata that the server owns
/// (UID, deletion timestamp, …) always stays. `None` if the kinds differ.
pub(super) fn merge(old: &Object, new: Object, part: Part) -> Option<Object> {
    if part == Part::Resize {
        return match (old, new) {
            (Object::Pod(old), Object::Pod(new)) => Some(Object::Pod(with_resources_of(old, &new))),
            _ => None,
        };
    }
    if part == Part::EphemeralContainers {
        // All other differences between the pods are dropped (`dropNonEphemeralContainerUpdates`).
        return with_field_copied_from(old, &new, "spec/ephemeralContainers");
    }

    // The status of a Service, and fields of other statuses without a Rust type, are stored separately from the typed
    // fields. Such objects are merged as JSON.
    let is_service_status = old.kind() == Kind::Service && part == Part::Status;
    if is_service_status || old.differs_in_untyped_status(&new) {
        return with_status_merged_as_json(old, &new, part);
    }

    macro_rules! merge_by_kind {
        (status: $($with:ident),*; plain: $($without:ident),*) => {
            match (old, new) {
                $((Object::$with(old), Object::$with(mut new)) => Some(match part {
                    Part::Main => {
                        let typed = Arc::make_mut(&mut new);
                        typed.status.clone_from(&old.status);
                        restore_server_metadata(&mut typed.metadata, &old.metadata);
                        Object::$with(new)
                    }
                    Part::Status | Part::Resize | Part::EphemeralContainers => {
                        let mut merged = old.clone();
                        Arc::make_mut(&mut merged).status.clone_from(&new.status);
                        Object::$with(merged)
                    }
                }),)*
                $((Object::$without(old), Object::$without(mut new)) => {
                    restore_server_metadata(&mut Arc::make_mut(&mut new).metadata, &old.metadata);
                    Some(Object::$without(new))
                })*
                (Object::Untyped(old), Object::Untyped(mut new)) => Some(match part {
                    Part::Main => {
                        let untyped = Arc::make_mut(&mut new);
                        set_untyped_status(&mut untyped.fields, old.fields.get("status"));
                        restore_server_metadata(&mut untyped.metadata, &old.metadata);
                        Object::Untyped(new)
                    }
                    // Only pods have the subresources `resize` and `ephemeralcontainers`, so other objects do not
                    // change.
                    Part::Resize | Part::EphemeralContainers => Object::Untyped(old.clone()),
                    Part::Status => {
                        let mut merged = old.clone();
                        set_untyped_status(&mut Arc::make_mut(&mut merged).fields, new.fields.get("status"));
                        Object::Untyped(merged)
                    }
                }),
                _ => None,
            }
        };
    }
    merge_by_kind!(
        status: Namespace, Node, Pod, ReplicationController, ReplicaSet, Deployment, StatefulSet, DaemonSet, Job,
            PodDisruptionBudget, PersistentVolume, PersistentVolumeClaim, VolumeAttachment, CronJob, ResourceQuota,
            HorizontalPodAutoscaler, ResourceClaim;
        plain: Lease, ControllerRevision, PriorityClass, Service, EndpointSlice, StorageClass, CsiNode, CsiDriver,
            CsiStorageCapacity, ConfigMap, Secret, Event, ServiceAccount, LimitRange, RuntimeClass, Endpoints,
            DeviceClass, ResourceClaimTemplate, ResourceSlice
    )
}

/// Copies the metadata that a status write also changes, such as the annotations. Does nothing for the few kinds whose
/// status writes change no metadata (`PrepareForUpdate` of the status strategies, `ResetObjectMetaForStatus`).
pub(super) fn copy_status_metadata(merged: &mut Object, sent: ObjectMeta) {
    let kind = merged.kind();
    if matches!(
        kind,
        Kind::Custom(_)
            | Kind::CustomResourceDefinition
            | Kind::ApiService
            | Kind::FlowSchema
            | Kind::PriorityLevelConfiguration
            | Kind::ResourceClaim
            | Kind::ValidatingAdmissionPolicy
            | Kind::VolumeAttachment
    ) {
        return;
    }
    let metadata = merged.metadata_mut();
    metadata.annotations = sent.annotations;
    metadata.finalizers = sent.finalizers;
    if kind != Kind::Deployment {
        metadata.labels = sent.labels;
    }
    if kind != Kind::Pod {
        metadata.owner_references = sent.owner_references;
    }
}

/// Makes `podIPs` consistent with `podIP`, as the conversion of `v1.PodStatus` does: if they differ, `podIP` applies;
/// if only one is set, the other is derived from it.
pub(super) fn align_pod_ips(status: &mut PodStatus) {
    match status.pod_ips.first() {
        Some(first) if status.pod_ip.is_empty() => status.pod_ip = first.ip.clone(),
        first if first.is_none_or(|first| first.ip != status.pod_ip) && !status.pod_ip.is_empty() => {
            let ip = status.pod_ip.clone();
            status.pod_ips = vec![IpAddress { ip }];
        }
        _ => {}
    }
}

/// Merges a write through the JSON of the object: only the status changes, or everything except the status.
fn with_status_merged_as_json(old: &Object, new: &Object, part: Part) -> Option<Object> {
    if part == Part::Status {
        return with_field_copied_from(old, new, "status");
    }
    let mut merged = with_field_copied_from(new, old, "status")?;
    restore_server_metadata(merged.metadata_mut(), old.metadata());
    Some(merged)
}

/// Returns the object with a field, such as `status` or `spec/ephemeralContainers`, copied from another object. The
/// metadata is unchanged.
fn with_field_copied_from(object: &Object, other: &Object, path: &str) -> Option<Object> {
    let (mut value, other) = (object.to_value(), other.to_value());
    let (parent, field) = path.rsplit_once('/').unwrap_or(("", path));
    let pointer = |path: &str| match path {
        "" => String::new(),
        path => format!("/{path}"),
    };
    if let Some(Value::Object(fields)) = value.pointer_mut(&pointer(parent)) {
        match other.pointer(&pointer(path)) {
            Some(value) => drop(fields.insert(field.to_owned(), value.clone())),
            None => drop(fields.shift_remove(field)),
        }
    }
    let mut merged = podscope_api::object_from_value(&value).ok()?;
    merged.metadata_mut().clone_from(object.metadata());
    Some(merged)
}

/// Returns the old pod with the container resources of the new one, matched by container name. Other differences are
/// dropped (`dropNonResizeUpdates`).
fn with_resources_of(old: &Arc<Pod>, new: &Pod) -> Arc<Pod> {
    let mut merged = old.clone();
    let pod = Arc::make_mut(&mut merged);
    pod.copy_resources_from(new);
    for container in Arc::make_mut(&mut pod.spec.containers) {
        if let Some(wanted) = new.spec.containers.iter().find(|wanted| wanted.name == container.name) {
            container.resize_policy.clone_from(&wanted.resize_policy);
        }
    }
    merged
}

/// Returns the new object with the metadata of the old one that only the server may change; `None` if the kinds differ.
/// Used for kinds without a status subresource, whose status is a field like any other.
pub(super) fn with_server_metadata_of(old: &Object, mut new: Object) -> Option<Object> {
    restore_server_metadata(new.metadata_mut(), old.metadata());
    (new.kind() == old.kind()).then_some(new)
}

fn set_untyped_status(fields: &mut Map<String, Value>, status: Option<&Value>) {
    match status {
        Some(status) => drop(fields.insert("status".to_owned(), status.clone())),
        None => drop(fields.shift_remove("status")),
    }
}

/// Restores the stored values of the metadata fields that only the server may change.
fn restore_server_metadata(metadata: &mut ObjectMeta, old: &ObjectMeta) {
    let stored = old.clone();
    metadata.name = stored.name;
    metadata.namespace = stored.namespace;
    metadata.generate_name = stored.generate_name;
    metadata.uid = stored.uid;
    metadata.resource_version = stored.resource_version;
    metadata.generation = stored.generation;
    metadata.creation_timestamp = stored.creation_timestamp;
    metadata.deletion_timestamp = stored.deletion_timestamp;
    metadata.deletion_grace_period_seconds = stored.deletion_grace_period_seconds;
    metadata.managers = stored.managers;
}

/// Returns whether a change increments the object's generation.
pub(super) fn increments_generation(old: &Object, new: &Object) -> bool {
    macro_rules! spec_differs {
        ($($kind:ident),*) => {
            match (old, new) {
                (Object::Deployment(old), Object::Deployment(new)) => {
                    old.spec != new.spec || !have_equal_annotations(&old.metadata, &new.metadata)
                }
                (Object::EndpointSlice(old), Object::EndpointSlice(new)) => {
                    (&old.endpoints, &old.ports, &old.metadata.labels)
                        != (&new.endpoints, &new.ports, &new.metadata.labels)
                }
                $((Object::$kind(old), Object::$kind(new)) => old.spec != new.spec,)*
                (Object::Untyped(old), Object::Untyped(new)) => {
                    has_generation(&Object::Untyped(old.clone())) && old.fields.get("spec") != new.fields.get("spec")
                }
                _ => false,
            }
        };
    }
    spec_differs!(
        Pod,
        ReplicationController,
        ReplicaSet,
        StatefulSet,
        DaemonSet,
        Job,
        CronJob,
        PodDisruptionBudget,
        DeviceClass,
        ResourceSlice
    )
}

/// Returns whether the annotations are equal; a change of them increments the generation of Deployments only. The
/// revision annotation is ignored, because it is written together with the status.
fn have_equal_annotations(old: &ObjectMeta, new: &ObjectMeta) -> bool {
    let without_revision = |metadata: &ObjectMeta| {
        let mut without_revision = metadata.annotations.clone();
        Arc::make_mut(&mut without_revision).remove(annotation::DEPLOYMENT_REVISION);
        without_revision
    };
    old.annotations == new.annotations || without_revision(old) == without_revision(new)
}

/// Sets the first generation of a new object, and the template generation annotation of a DaemonSet. The conversion to
/// `apps/v1` sets this annotation, so the client that sends the DaemonSet becomes the annotation's field manager.
pub(super) fn set_first_generations(object: &mut Object) {
    if has_generation(object) {
        object.metadata_mut().generation = Some(1);
    }
    if let Object::DaemonSet(set) = object {
        let annotations = Arc::make_mut(&mut Arc::make_mut(set).metadata.annotations);
        annotations.insert(annotation::TEMPLATE_GENERATION.into(), "1".into());
    }
}

/// Increments the template generation annotation of a DaemonSet if its template changes.
pub(super) fn update_template_generation(old: &Object, new: &mut Object) {
    let (Object::DaemonSet(old), Object::DaemonSet(new)) = (old, new) else {
        return;
    };
    let old_generation = old
        .metadata
        .annotation(annotation::TEMPLATE_GENERATION)
        .and_then(|text| text.parse::<i64>().ok());
    let Some(old_generation) = old_generation else { return };
    let new_generation = if old.spec.template == new.spec.template {
        old_generation
    } else {
        old_generation + 1
    };
    if new.metadata.annotation(annotation::TEMPLATE_GENERATION) != Some(&new_generation.to_string()) {
        let annotations = &mut Arc::make_mut(new).metadata.annotations;
        Arc::make_mut(annotations).insert(
            annotation::TEMPLATE_GENERATION.into(),
            new_generation.to_string().into(),
        );
    }
}

/// Returns whether objects of this kind start with generation 1.
pub(super) fn has_generation(object: &Object) -> bool {
    matches!(
        object,
        Object::Pod(_)
            | Object::ReplicationController(_)
            | Object::ReplicaSet(_)
            | Object::Deployment(_)
            | Object::StatefulSet(_)
            | Object::DaemonSet(_)
            | Object::Job(_)
            | Object::PodDisruptionBudget(_)
            | Object::EndpointSlice(_)
            | Object::PriorityClass(_)
            | Object::CronJob(_)
            | Object::DeviceClass(_)
            | Object::ResourceSlice(_)
    ) || matches!(
        object.kind(),
        Kind::Ingress
            | Kind::IngressClass
            | Kind::NetworkPolicy
            | Kind::MutatingWebhookConfiguration
            | Kind::ValidatingWebhookConfiguration
            | Kind::ValidatingAdmissionPolicy
            | Kind::ValidatingAdmissionPolicyBinding
            | Kind::CustomResourceDefinition
            | Kind::Custom(_)
            | Kind::PodTemplate
            | Kind::FlowSchema
            | Kind::PriorityLevelConfiguration
    )
}

/// Clears the status of a new object (LC-040). A Node keeps the status that its kubelet reports.
pub(super) fn clear_status(object: &mut Object) {
    macro_rules! clear_status_of_kinds {
        ($($kind:ident),*) => {
            match object {
                $(Object::$kind(typed) => Arc::make_mut(typed).status = Default::default(),)*
                Object::Untyped(untyped) => set_untyped_status(&mut Arc::make_mut(untyped).fields, None),
                _ => {}
            }
        };
    }
    clear_status_of_kinds!(
        Namespace,
        Pod,
        ReplicationController,
        ReplicaSet,
        Deployment,
        StatefulSet,
        DaemonSet,
        Job,
        PodDisruptionBudget,
        PersistentVolume,
        PersistentVolumeClaim,
        VolumeAttachment,
        CronJob,
        ResourceQuota,
        HorizontalPodAutoscaler,
        ResourceClaim
    );
}
