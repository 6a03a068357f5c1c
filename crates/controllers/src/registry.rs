//! The list of all controllers, in the order in which they receive a change.

use podscope_api::{ReplicaSet, ReplicationController};

use super::attach_detach::AttachDetachController;
use super::controller::Controller;
use super::cronjob::CronJobController;
use super::custom_resource_definition::CustomResourceDefinitionController;
use super::daemonset::DaemonSetController;
use super::deployment::DeploymentController;
use super::descheduler::Descheduler;
use super::device_taint_eviction::DeviceTaintEvictionController;
use super::disruption::DisruptionController;
use super::endpoints::EndpointsController;
use super::endpointslice::EndpointSliceController;
use super::garbage_collector::GarbageCollector;
use super::job::JobController;
use super::namespace::NamespaceController;
use super::namespace_objects::NamespaceObjects;
use super::node_lifecycle::NodeLifecycleController;
use super::persistent_volume::PersistentVolumeController;
use super::podautoscaler::HorizontalController;
use super::podgc::PodGcController;
use super::replicaset::ReplicaSetController;
use super::resource_claim::ResourceClaimController;
use super::resource_quota::ResourceQuotaController;
use super::statefulset::StatefulSetController;
use super::taint_eviction::TaintEvictionController;
use super::ttl_after_finished::TtlAfterFinishedController;
use super::volume_protection::VolumeProtectionController;

/// A function that creates a controller.
type Constructor = fn() -> Box<dyn Controller>;

/// Creates a controller in its initial state.
pub(super) fn new<C: Controller + Default + 'static>() -> Box<dyn Controller> {
    Box::new(C::default())
}

/// Returns the constructors of all controllers.
pub(super) fn constructors() -> impl Iterator<Item = Constructor> {
    CONTROLLERS.iter().copied()
}

const CONTROLLERS: &[Constructor] = &[
    new::<ReplicaSetController<ReplicaSet>>,
    new::<ReplicaSetController<ReplicationController>>,
    new::<DeploymentController>,
    new::<StatefulSetController>,
    new::<DaemonSetController>,
    new::<JobController>,
    new::<CronJobController>,
    new::<TtlAfterFinishedController>,
    new::<NodeLifecycleController>,
    new::<TaintEvictionController>,
    new::<PodGcController>,
    new::<DisruptionController>,
    new::<EndpointSliceController>,
    new::<NamespaceController>,
    new::<GarbageCollector>,
    new::<PersistentVolumeController>,
    new::<VolumeProtectionController>,
    new::<ResourceQuotaController>,
    new::<HorizontalController>,
    new::<AttachDetachController>,
    new::<Descheduler>,
    new::<EndpointsController>,
    new::<NamespaceObjects>,
    new::<ResourceClaimController>,
    new::<DeviceTaintEvictionController>,
    new::<CustomResourceDefinitionController>,
];
