//! All controllers, in the order in which they see a change.

use podscope_api::{ReplicaSet, ReplicationController};

use super::attach_detach::AttachDetach;
use super::controller::Controller;
use super::cronjob::CronJobController;
use super::daemonset::DaemonSets;
use super::deployment::Deployments;
use super::descheduler::Descheduler;
use super::disruption::Disruption;
use super::endpoints::LegacyEndpoints;
use super::endpointslice::EndpointSlices;
use super::garbage_collector::GarbageCollector;
use super::job::JobController;
use super::namespace::Namespaces;
use super::namespace_objects::NamespaceObjects;
use super::node_lifecycle::NodeLifecycle;
use super::persistent_volume::PersistentVolumes;
use super::podautoscaler::PodAutoscaler;
use super::podgc::PodGc;
use super::replicaset::Replicas;
use super::resource_quota::ResourceQuotaController;
use super::statefulset::StatefulSets;
use super::taint_eviction::TaintEviction;
use super::ttl_after_finished::TtlAfterFinishedController;
use super::volume_protection::VolumeProtection;

/// How each is made.
pub(super) const CONTROLLERS: &[fn() -> Box<dyn Controller>] = &[
    Replicas::<ReplicaSet>::boxed,
    Replicas::<ReplicationController>::boxed,
    Deployments::boxed,
    StatefulSets::boxed,
    DaemonSets::boxed,
    JobController::boxed,
    CronJobController::boxed,
    TtlAfterFinishedController::boxed,
    NodeLifecycle::boxed,
    TaintEviction::boxed,
    PodGc::boxed,
    Disruption::boxed,
    EndpointSlices::boxed,
    Namespaces::boxed,
    GarbageCollector::boxed,
    PersistentVolumes::boxed,
    VolumeProtection::boxed,
    ResourceQuotaController::boxed,
    PodAutoscaler::boxed,
    AttachDetach::boxed,
    Descheduler::boxed,
    LegacyEndpoints::boxed,
    NamespaceObjects::boxed,
];
