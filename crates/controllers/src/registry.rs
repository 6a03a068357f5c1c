//! All controllers, in the order in which they see a change.

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

/// The constructors of all controllers.
pub(super) const CONTROLLERS: &[fn() -> Box<dyn Controller>] = &[
    ReplicaSetController::<ReplicaSet>::boxed,
    ReplicaSetController::<ReplicationController>::boxed,
    DeploymentController::boxed,
    StatefulSetController::boxed,
    DaemonSetController::boxed,
    JobController::boxed,
    CronJobController::boxed,
    TtlAfterFinishedController::boxed,
    NodeLifecycleController::boxed,
    TaintEvictionController::boxed,
    PodGcController::boxed,
    DisruptionController::boxed,
    EndpointSliceController::boxed,
    NamespaceController::boxed,
    GarbageCollector::boxed,
    PersistentVolumeController::boxed,
    VolumeProtectionController::boxed,
    ResourceQuotaController::boxed,
    HorizontalController::boxed,
    AttachDetachController::boxed,
    Descheduler::boxed,
    EndpointsController::boxed,
    NamespaceObjects::boxed,
    ResourceClaimController::boxed,
    DeviceTaintEvictionController::boxed,
    CustomResourceDefinitionController::boxed,
];
