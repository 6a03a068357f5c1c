//! Validation: what the API server refuses on create and update, with its messages in its order (VA-001 to VA-022,
//! VA-057 to VA-214). All problems are reported at once.
//!
//! The object's defaults must already be set ([`crate::default_object`]). Checks that need other objects are part of
//! admission.

mod affinity;
mod allocation;
mod autoscaler;
mod config_data;
mod container;
mod crds;
mod csi;
mod device_claims;
mod device_lists;
mod device_slices;
mod downward_api;
mod endpoints;
mod ephemeral_containers;
mod error_list;
mod events;
mod internal;
mod job;
mod job_status;
mod meta;
mod mounts;
mod names;
mod networking;
mod node;
mod os;
mod pod;
mod pod_resize;
mod pod_update;
mod policy;
mod probe;
mod quota;
mod resources;
mod scheduling;
mod security;
mod selector;
mod service;
mod status;
mod storage;
mod untyped_fields;
mod untyped_object;
mod volume;
mod webhooks;
mod workload;
mod workload_update;

pub use self::allocation::{AllocationError, check_service_allocation};
use self::config_data::{validate_config_map_update, validate_secret_update};
pub use self::error_list::{ErrorList, ValidationError};
pub(crate) use self::error_list::{Path, quoted};
pub use self::events::{validate_events_k8s_io_event, validate_events_k8s_io_update};

pub use self::crds::stored_version;
pub use self::endpoints::ADDRESS_TYPES;
pub use self::ephemeral_containers::validate_ephemeral_containers;
pub use self::meta::validate_metadata_update;
pub use self::names::{label_value_problems, port_name_problems, qualified_name_problems, subdomain_problems};
pub use self::pod_resize::validate_resize;
pub use self::quota::QUOTA_SCOPES;
pub use self::security::PROC_MOUNT_TYPES;
pub use self::status::validate_status_update;
pub use self::volume::HOST_PATH_TYPES;
use crate::Object;

/// Returns all errors of an object that is to be created.
pub fn validate(object: &Object) -> ErrorList {
    let mut errors = ErrorList::default();
    meta::validate(object, &mut errors);
    match object {
        Object::Pod(pod) => pod::validate(pod, &mut errors),
        Object::ReplicationController(object) => workload::validate_replication_controller(object, &mut errors),
        Object::ReplicaSet(object) => workload::validate_replica_set(object, &mut errors),
        Object::Deployment(object) => workload::validate_deployment(object, &mut errors),
        Object::StatefulSet(object) => workload::validate_stateful_set(object, &mut errors),
        Object::DaemonSet(object) => workload::validate_daemon_set(object, &mut errors),
        Object::Job(object) => job::validate(object, &mut errors),
        Object::Node(object) => node::validate(object, &mut errors),
        Object::PersistentVolume(object) => storage::validate_volume(object, &mut errors),
        Object::PersistentVolumeClaim(object) => storage::validate_claim(object, &mut errors),
        Object::StorageClass(object) => storage::validate_class(object, &mut errors),
        Object::Service(object) => service::validate(object, &mut errors),
        Object::PodDisruptionBudget(object) => policy::validate_budget(object, &mut errors),
        Object::PriorityClass(object) => policy::validate_priority_class(object, &mut errors),
        Object::ConfigMap(object) => config_data::validate_config_map(object, &mut errors),
        Object::Secret(object) => config_data::validate_secret(object, &mut errors),
        Object::Lease(object) => node::validate_lease(object, &mut errors),
        Object::EndpointSlice(object) => endpoints::validate_slice(object, &mut errors),
        Object::Endpoints(object) => endpoints::validate(object, &mut errors),
        Object::ControllerRevision(object) => workload::validate_revision(object, &mut errors),
        Object::CronJob(object) => quota::validate_cron_job(object, &mut errors),
        Object::ResourceQuota(object) => quota::validate_quota(object, &mut errors),
        Object::LimitRange(object) => quota::validate_limit_range(object, &mut errors),
        Object::HorizontalPodAutoscaler(object) => autoscaler::validate(object, None, &mut errors),
        Object::RuntimeClass(object) => quota::validate_runtime_class(object, &mut errors),
        Object::Untyped(object) => untyped_object::validate(object, &mut errors),
        Object::Namespace(object) => node::validate_namespace(object, &mut errors),
        Object::VolumeAttachment(object) => node::validate_attachment(object, &mut errors),
        Object::CsiDriver(_) => csi::validate_driver(&object.to_value(), &mut errors),
        Object::CsiNode(_) => csi::validate_node(&object.to_value(), &mut errors),
        Object::CsiStorageCapacity(object) => csi::validate_capacity(object, &mut errors),
        Object::Event(object) => events::validate(object, &mut errors),
        Object::DeviceClass(class) => device_claims::validate_class(class, &mut errors),
        Object::ResourceClaim(claim) => device_claims::validate_claim(claim, &mut errors),
        Object::ResourceClaimTemplate(template) => device_claims::validate_template(template, &mut errors),
        Object::ResourceSlice(slice) => device_slices::validate(slice, &mut errors),
        Object::ServiceAccount(_) => {}
    }
    errors
}

/// Returns all errors of an update from `old` to `new` on the main resource (not `/status`).
pub fn validate_update(old: &Object, new: &Object) -> ErrorList {
    let mut errors = ErrorList::default();
    meta::validate_update(old, new, &mut errors);
    match (old, new) {
        (Object::Pod(old), Object::Pod(new)) => pod_update::validate(old, new, &mut errors),
        (Object::ReplicationController(_), Object::ReplicationController(new)) => {
            workload::validate_replication_controller(new, &mut errors);
        }
        (Object::ReplicaSet(old), Object::ReplicaSet(new)) => {
            workload_update::validate_replica_set(old, new, &mut errors)
        }
        (Object::Deployment(old), Object::Deployment(new)) => {
            workload_update::validate_deployment(old, new, &mut errors)
        }
        (Object::StatefulSet(old), Object::StatefulSet(new)) => {
            workload_update::validate_stateful_set(old, new, &mut errors)
        }
        (Object::DaemonSet(old), Object::DaemonSet(new)) => workload_update::validate_daemon_set(old, new, &mut errors),
        (Object::Job(old), Object::Job(new)) => workload_update::validate_job(old, new, &mut errors),
        (Object::Node(old), Object::Node(new)) => node::validate_update(old, new, &mut errors),
        (Object::PersistentVolume(old), Object::PersistentVolume(new)) => {
            storage::validate_volume_update(old, new, &mut errors)
        }
        (Object::PersistentVolumeClaim(old), Object::PersistentVolumeClaim(new)) => {
            storage::validate_claim_update(old, new, &mut errors);
        }
        (Object::CsiNode(_), Object::CsiNode(_)) => {
            csi::validate_node_update(&old.to_value(), &new.to_value(), &mut errors)
        }
        (Object::CsiStorageCapacity(old), Object::CsiStorageCapacity(new)) => {
            csi::validate_capacity_update(old, new, &mut errors);
        }
        (Object::StorageClass(old), Object::StorageClass(new)) => storage::validate_class_update(old, new, &mut errors),
        (Object::Service(old), Object::Service(new)) => service::validate_update(old, new, &mut errors),
        (Object::ConfigMap(old), Object::ConfigMap(new)) => validate_config_map_update(old, new, &mut errors),
        (Object::Secret(old), Object::Secret(new)) => validate_secret_update(old, new, &mut errors),
        (Object::PodDisruptionBudget(_), Object::PodDisruptionBudget(new)) => policy::validate_budget(new, &mut errors),
        (Object::PriorityClass(old), Object::PriorityClass(new)) => {
            policy::validate_priority_class_update(old, new, &mut errors);
        }
        (Object::Namespace(_), Object::Namespace(new)) => node::validate_namespace(new, &mut errors),
        (Object::CronJob(_), Object::CronJob(new)) => quota::validate_cron_job(new, &mut errors),
        (Object::ResourceQuota(old), Object::ResourceQuota(new)) => quota::validate_quota_update(old, new, &mut errors),
        (Object::LimitRange(_), Object::LimitRange(new)) => quota::validate_limit_range(new, &mut errors),
        (Object::HorizontalPodAutoscaler(old), Object::HorizontalPodAutoscaler(new)) => {
            autoscaler::validate(new, Some(old), &mut errors);
        }
        (Object::EndpointSlice(old), Object::EndpointSlice(new)) => {
            endpoints::validate_slice_update(old, new, &mut errors)
        }
        (Object::Endpoints(_), Object::Endpoints(new)) => endpoints::validate(new, &mut errors),
        (Object::RuntimeClass(old), Object::RuntimeClass(new)) => {
            quota::validate_runtime_class_update(old, new, &mut errors)
        }
        (Object::Untyped(old), Object::Untyped(new)) => untyped_object::validate_update(old, new, &mut errors),
        (Object::ControllerRevision(old), Object::ControllerRevision(new)) => {
            workload::validate_revision_update(old, new, &mut errors);
        }
        (Object::VolumeAttachment(old), Object::VolumeAttachment(new)) => {
            node::validate_attachment_update(old, new, &mut errors);
        }
        (Object::CsiDriver(before), Object::CsiDriver(now)) => {
            csi::validate_driver(&new.to_value(), &mut errors);
            csi::validate_driver_update(before, now, &mut errors);
        }
        (Object::DeviceClass(_), Object::DeviceClass(new)) => device_claims::validate_class(new, &mut errors),
        (Object::ResourceClaim(old), Object::ResourceClaim(new)) => {
            device_claims::validate_claim_update(old, new, &mut errors)
        }
        (Object::ResourceClaimTemplate(old), Object::ResourceClaimTemplate(new)) => {
            device_claims::validate_template_update(old, new, &mut errors);
        }
        (Object::ResourceSlice(old), Object::ResourceSlice(new)) => {
            device_slices::validate_update(old, new, &mut errors);
        }
        (Object::Lease(_), Object::Lease(new)) => node::validate_lease(new, &mut errors),
        (Object::Event(_), Object::Event(new)) => events::validate(new, &mut errors),
        _ => {}
    }
    errors
}

/// Returns the reasons why a text is not a DNS label.
pub(crate) fn dns_label_problems(text: &str) -> Vec<String> {
    names::fault_messages(names::label_faults(text))
}
