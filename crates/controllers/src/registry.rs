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

/// Returns the constructor if the build has the feature `whole`, otherwise `None`. The controller does nothing unless
/// objects of its kind exist, so runs without such objects are the same with and without the feature; the kind is in
/// `LACKING` of `podscope_cluster::beyond`.
const fn with_feature_whole(constructor: Constructor) -> Option<Constructor> {
    if cfg!(feature = "whole") {
        Some(constructor)
    } else {
        None
    }
}

/// Returns the constructors of the controllers in this build.
pub(super) fn constructors() -> impl Iterator<Item = Constructor> {
    CONTROLLERS.iter().copied().flatten()
}

/// The constructors of all controllers; `None` for a controller that this build does not contain.
const CONTROLLERS: &[Option<Constructor>] = &[
    Some(new::<ReplicaSetController<ReplicaSet>>),
    with_feature_whole(new::<ReplicaSetController<ReplicationController>>),
    Some(new::<DeploymentController>),
    Some(new::<StatefulSetController>),
    Some(new::<DaemonSetController>),
    Some(new::<JobController>),
    with_feature_whole(new::<CronJobController>),
    Some(new::<TtlAfterFinishedController>),
    Some(new::<NodeLifecycleController>),
    Some(new::<TaintEvictionController>),
    Some(new::<PodGcController>),
    Some(new::<DisruptionController>),
    Some(new::<EndpointSliceController>),
    Some(new::<NamespaceController>),
    Some(new::<GarbageCollector>),
    Some(new::<PersistentVolumeController>),
    Some(new::<VolumeProtectionController>),
    Some(new::<ResourceQuotaController>),
    with_feature_whole(new::<HorizontalController>),
    Some(new::<AttachDetachController>),
    Some(new::<Descheduler>),
    Some(new::<EndpointsController>),
    Some(new::<NamespaceObjects>),
    with_feature_whole(new::<ResourceClaimController>),
    with_feature_whole(new::<DeviceTaintEvictionController>),
    with_feature_whole(new::<CustomResourceDefinitionController>),
];
