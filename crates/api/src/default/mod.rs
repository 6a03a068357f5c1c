//! Defaults that the API server sets when it decodes an object (VA-023 to VA-056, LC-038, LC-039). An empty string
//! counts as unset.
//!
//! Defaults that depend on other objects (priority classes, the default storage class) are set by admission, not here.

mod objects;
mod pod;
mod workload;

use std::sync::Arc;

use crate::{
    Container, CsiDriverSpec, DeploymentStrategyType, EmptyDirVolume, EphemeralVolume, IntOrString, Lifecycle,
    LifecycleHandler, NamespaceStatus, Object, PersistentVolumeClaimSpec, PodManagementPolicy, PodSpec,
    PreemptionPolicy, Probe, PullPolicy, ResourceList, ResourceRequirements, RestartPolicy, RollingUpdateDaemonSet,
    RollingUpdateDeployment, RollingUpdateStatefulSet, Str, UpdateStrategyType, Volume, VolumeBindingMode,
};

use self::objects::{
    default_autoscaler_spec, default_csi_driver, default_limit_range_item, default_namespace, default_node,
    default_persistent_volume, default_secret, default_service, default_untyped,
};
use self::pod::{default_claim_spec, default_pod_spec, default_pod_template_spec};
pub use self::workload::generate_job_selector;
use self::workload::{
    default_cron_job, default_daemon_set, default_deployment, default_job, default_replication_controller,
    default_stateful_set,
};

/// Sets the defaults of an object, as the API server does when it decodes the object. Idempotent (VA-055).
pub fn default_object(object: &mut Object) {
    match object {
        Object::Pod(pod) => {
            let pod = Arc::make_mut(pod);
            default_pod_spec(&mut pod.spec);
            pod.compact_token_volume();
        }
        Object::ReplicationController(object) => default_replication_controller(Arc::make_mut(object)),
        Object::ReplicaSet(object) => {
            let spec = &mut Arc::make_mut(object).spec;
            set_default(&mut spec.replicas, 1);
            default_shared_value(&mut spec.template, |template| {
                default_pod_template_spec(&mut template.spec)
            });
        }
        Object::Deployment(object) => default_deployment(&mut Arc::make_mut(object).spec),
        Object::StatefulSet(object) => default_stateful_set(&mut Arc::make_mut(object).spec),
        Object::DaemonSet(object) => default_daemon_set(&mut Arc::make_mut(object).spec),
        Object::Job(object) => default_job(Arc::make_mut(object)),
        Object::PersistentVolumeClaim(object) => {
            let object = Arc::make_mut(object);
            default_claim_spec(&mut object.spec);
            object.status.phase.get_or_insert(crate::ClaimPhase::Pending);
        }
        Object::PersistentVolume(object) => default_persistent_volume(Arc::make_mut(object)),
        Object::StorageClass(object) => {
            let object = Arc::make_mut(object);
            set_default_optional_string(&mut object.reclaim_policy, "Delete");
            set_default(&mut object.volume_binding_mode, VolumeBindingMode::Immediate);
        }
        Object::PriorityClass(object) => {
            let policy = &mut Arc::make_mut(object).preemption_policy;
            set_default(policy, PreemptionPolicy::PreemptLowerPriority);
        }
        Object::Namespace(object) => default_namespace(Arc::make_mut(object)),
        Object::Node(object) => default_node(Arc::make_mut(object)),
        Object::Service(object) => default_service(&mut Arc::make_mut(object).spec),
        Object::EndpointSlice(object) => {
            for port in &mut Arc::make_mut(object).ports {
                set_default(&mut port.name, "".into());
                set_default(&mut port.protocol, "TCP".into());
            }
        }
        Object::CsiDriver(object) => default_csi_driver(&mut Arc::make_mut(object).spec),
        Object::Secret(object) => default_secret(Arc::make_mut(object)),
        Object::CronJob(object) => default_cron_job(&mut Arc::make_mut(object).spec),
        Object::ResourceQuota(object) => round_up_to_milli(&mut Arc::make_mut(object).spec.hard),
        Object::LimitRange(object) => {
            for item in &mut Arc::make_mut(object).spec.limits {
                default_limit_range_item(item);
            }
        }
        Object::HorizontalPodAutoscaler(object) => default_autoscaler_spec(&mut Arc::make_mut(object).spec),
        Object::Untyped(object) => default_untyped(Arc::make_mut(object)),
        Object::ResourceClaim(object) => Arc::make_mut(object).spec.devices.set_defaults(),
        Object::ResourceClaimTemplate(object) => Arc::make_mut(object).spec.spec.devices.set_defaults(),
        Object::Endpoints(object) => {
            let subsets = &mut Arc::make_mut(object).subsets;
            for port in subsets.iter_mut().flat_map(|subset| &mut subset.ports) {
                set_default(&mut port.protocol, "TCP".into());
            }
        }
        Object::ServiceAccount(_)
        | Object::DeviceClass(_)
        | Object::ResourceSlice(_)
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

/// Sets defaults in a shared value. The value stays shared if nothing changes, so that pods of a template share their
/// containers.
fn default_shared_value<T: Clone + PartialEq>(shared: &mut Arc<T>, apply: impl FnOnce(&mut T)) {
    let mut copy = T::clone(shared);
    apply(&mut copy);
    if copy != **shared {
        *shared = Arc::new(copy);
    }
}

fn set_default<T>(field: &mut Option<T>, value: T) {
    field.get_or_insert(value);
}

/// Sets an optional enum field that is absent or an empty string.
fn set_default_or_empty_enum<T>(field: &mut Option<T>, value: T, text: fn(&T) -> &str) {
    if field.as_ref().is_none_or(|known| text(known).is_empty()) {
        *field = Some(value);
    }
}

fn set_default_optional_string(field: &mut Option<Str>, value: &str) {
    if field.as_deref().is_none_or(str::is_empty) {
        *field = Some(value.into());
    }
}

fn set_default_string(field: &mut Str, value: &str) {
    if field.is_empty() {
        *field = value.into();
    }
}

/// Sets a number field that is absent or 0 (VA-033).
fn set_default_number(field: &mut Option<i32>, value: i32) {
    if field.unwrap_or(0) == 0 {
        *field = Some(value);
    }
}

/// Rounds resource amounts up to whole thousandths (VA-031).
fn round_up_to_milli(list: &mut ResourceList) {
    for quantity in list.values_mut() {
        *quantity = quantity.rounded_up_to_milli();
    }
}

fn round_up_requests_and_limits(resources: &mut ResourceRequirements) {
    round_up_to_milli(&mut resources.limits);
    round_up_to_milli(&mut resources.requests);
}

/// Returns a pod's grace period as the API server stores it: a negative value becomes 1 (VA-024).
pub fn stored_grace_period(seconds: i64) -> i64 {
    if seconds < 0 { 1 } else { seconds }
}
