//! Workload objects: the kinds whose controllers create pods.

use crate::ordered;
use std::sync::Arc;

use crate::macros::string_enum;
use crate::wire_types;
use crate::{
    ConditionStatus, IntOrString, LabelSelector, ObjectMeta, PersistentVolumeClaimTemplate, PodTemplateSpec, Str, Time,
};

wire_types! {
    pub struct ReplicaSet {
        pub metadata: ObjectMeta,
        pub spec: ReplicaSetSpec,
        pub status: ReplicaSetStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct ReplicaSetSpec {
        pub replicas: Option<i32>,
        pub min_ready_seconds: Option<i32>,
        pub selector: Option<LabelSelector>,
        pub template: Arc<PodTemplateSpec>,
    }

    /// Status of a ReplicaSet or ReplicationController.
    pub struct ReplicaSetStatus {
        pub replicas: i32,
        pub fully_labeled_replicas: Option<i32>,
        pub ready_replicas: Option<i32>,
        pub available_replicas: Option<i32>,
        pub terminating_replicas: Option<i32>,
        pub observed_generation: Option<i64>,
        pub conditions: Vec<WorkloadCondition>,
    }

    pub struct WorkloadCondition {
        pub kind as "type": Str,
        pub status: ConditionStatus,
        pub last_probe_time: Option<Time>,
        pub last_update_time: Option<Time>,
        pub last_transition_time: Option<Time>,
        pub reason: Str,
        pub message: Str,
    }

    pub struct ReplicationController {
        pub metadata: ObjectMeta,
        pub spec: ReplicationControllerSpec,
        pub status: ReplicaSetStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Spec of a ReplicationController. Its selector is a map of labels, not a label selector.
    pub struct ReplicationControllerSpec {
        pub replicas: Option<i32>,
        pub min_ready_seconds: Option<i32>,
        pub selector: ordered::Map<Str, Str>,
        pub template: Arc<PodTemplateSpec>,
    }

    pub struct Deployment {
        pub metadata: ObjectMeta,
        pub spec: DeploymentSpec,
        pub status: DeploymentStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct DeploymentSpec {
        pub replicas: Option<i32>,
        pub selector: Option<LabelSelector>,
        pub template: Arc<PodTemplateSpec>,
        pub strategy: DeploymentStrategy,
        pub min_ready_seconds: Option<i32>,
        pub revision_history_limit: Option<i32>,
        pub paused: Option<bool>,
        pub progress_deadline_seconds: Option<i32>,
    }

    /// How a Deployment replaces its pods.
    pub struct DeploymentStrategy { pub kind as "type": Option<DeploymentStrategyType>, pub rolling_update: Option<RollingUpdateDeployment> }
    /// Limits on unavailable and additional pods during a rolling update of a Deployment.
    pub struct RollingUpdateDeployment { pub max_unavailable: Option<IntOrString>, pub max_surge: Option<IntOrString> }
    pub struct DeploymentStatus {
        pub observed_generation: Option<i64>,
        pub replicas: Option<i32>,
        pub updated_replicas: Option<i32>,
        pub ready_replicas: Option<i32>,
        pub available_replicas: Option<i32>,
        pub unavailable_replicas: Option<i32>,
        pub terminating_replicas: Option<i32>,
        pub conditions: Vec<WorkloadCondition>,
        pub collision_count: Option<i32>,
    }

    pub struct StatefulSet {
        pub metadata: ObjectMeta,
        pub spec: StatefulSetSpec,
        pub status: StatefulSetStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct StatefulSetSpec {
        pub replicas: Option<i32>,
        pub selector: Option<LabelSelector>,
        pub template: Arc<PodTemplateSpec>,
        pub volume_claim_templates: Arc<Vec<PersistentVolumeClaimTemplate>>,
        pub service_name [shown]: Str,
        pub pod_management_policy: Option<PodManagementPolicy>,
        pub update_strategy: StatefulSetUpdateStrategy,
        pub revision_history_limit: Option<i32>,
        pub min_ready_seconds: Option<i32>,
        pub persistent_volume_claim_retention_policy: Option<ClaimRetentionPolicy>,
        pub ordinals: Option<StatefulSetOrdinals>,
    }

    /// The ordinal of the first pod of a StatefulSet.
    pub struct StatefulSetOrdinals { pub start: i32 }
    /// Whether volume claims are retained or deleted when the StatefulSet is deleted or scaled down.
    pub struct ClaimRetentionPolicy as "StatefulSetPersistentVolumeClaimRetentionPolicy" { pub when_deleted: Str, pub when_scaled: Str }
    /// How a StatefulSet replaces its pods.
    pub struct StatefulSetUpdateStrategy { pub kind as "type": Option<UpdateStrategyType>, pub rolling_update: Option<RollingUpdateStatefulSet> }
    /// Limits of a rolling update: the lowest ordinal that is updated, and the maximum of unavailable pods.
    pub struct RollingUpdateStatefulSet as "RollingUpdateStatefulSetStrategy" { pub partition: Option<i32>, pub max_unavailable: Option<IntOrString> }
    pub struct StatefulSetStatus {
        pub observed_generation: Option<i64>,
        pub replicas: i32,
        pub ready_replicas: Option<i32>,
        pub current_replicas: Option<i32>,
        pub updated_replicas: Option<i32>,
        pub current_revision: Str,
        pub update_revision: Str,
        pub collision_count: Option<i32>,
        pub conditions: Vec<WorkloadCondition>,
        pub available_replicas: i32,
    }

    /// A revision of a StatefulSet's or DaemonSet's pod template.
    pub struct ControllerRevision {
        pub metadata: ObjectMeta,
        pub data: Option<Arc<serde_json::Value>>,
        pub revision: i64,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct DaemonSet {
        pub metadata: ObjectMeta,
        pub spec: DaemonSetSpec,
        pub status: DaemonSetStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct DaemonSetSpec {
        pub selector: Option<LabelSelector>,
        pub template: Arc<PodTemplateSpec>,
        pub update_strategy: DaemonSetUpdateStrategy,
        pub min_ready_seconds: Option<i32>,
        pub revision_history_limit: Option<i32>,
    }

    /// How a DaemonSet replaces its pods.
    pub struct DaemonSetUpdateStrategy { pub kind as "type": Option<UpdateStrategyType>, pub rolling_update: Option<RollingUpdateDaemonSet> }
    /// Limits on unavailable and additional pods during a rolling update of a DaemonSet.
    pub struct RollingUpdateDaemonSet { pub max_unavailable: Option<IntOrString>, pub max_surge: Option<IntOrString> }
    pub struct DaemonSetStatus {
        pub current_number_scheduled: i32,
        pub number_misscheduled: i32,
        pub desired_number_scheduled: i32,
        pub number_ready: i32,
        pub observed_generation: Option<i64>,
        pub updated_number_scheduled: Option<i32>,
        pub number_available: Option<i32>,
        pub number_unavailable: Option<i32>,
        pub collision_count: Option<i32>,
    }

    pub struct Job {
        pub metadata: ObjectMeta,
        pub spec: JobSpec,
        pub status: JobStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct JobSpec {
        pub parallelism: Option<i32>,
        pub completions: Option<i32>,
        pub active_deadline_seconds: Option<i64>,
        pub backoff_limit: Option<i32>,
        pub backoff_limit_per_index: Option<i32>,
        pub pod_failure_policy: Option<serde_json::Value>,
        pub selector: Option<LabelSelector>,
        pub manual_selector: Option<bool>,
        pub template: Arc<PodTemplateSpec>,
        pub ttl_seconds_after_finished: Option<i32>,
        pub completion_mode: Option<Str>,
        pub suspend: Option<bool>,
        pub pod_replacement_policy: Option<Str>,
        pub max_failed_indexes: Option<i32>,
        pub success_policy: Option<serde_json::Value>,
        pub managed_by: Option<Str>,
    }

    pub struct JobStatus {
        pub conditions: Vec<WorkloadCondition>,
        pub start_time: Option<Time>,
        pub completion_time: Option<Time>,
        pub active: Option<i32>,
        pub ready: Option<i32>,
        pub terminating: Option<i32>,
        pub succeeded: Option<i32>,
        pub failed: Option<i32>,
        pub completed_indexes: Str,
        pub failed_indexes: Option<Str>,
        pub uncounted_terminated_pods: Option<UncountedTerminatedPods>,
    }

    /// A CronJob: it creates Jobs on a schedule.
    pub struct CronJob {
        pub metadata: ObjectMeta,
        pub spec: CronJobSpec,
        pub status: CronJobStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Spec of a CronJob: its schedule and the template of its Jobs.
    pub struct CronJobSpec {
        pub schedule: Str,
        pub time_zone: Option<Str>,
        pub starting_deadline_seconds: Option<i64>,
        pub concurrency_policy: Option<crate::ConcurrencyPolicy>,
        pub suspend: Option<bool>,
        pub job_template: JobTemplateSpec,
        pub successful_jobs_history_limit: Option<i32>,
        pub failed_jobs_history_limit: Option<i32>,
    }

    /// The template of the Jobs that a CronJob creates.
    pub struct JobTemplateSpec { pub metadata: ObjectMeta, pub spec: JobSpec }
    /// Status of a CronJob: its running Jobs, and the last times when a Job was scheduled and when a Job succeeded.
    pub struct CronJobStatus {
        pub active: Vec<crate::ObjectReference>,
        pub last_schedule_time: Option<Time>,
        pub last_successful_time: Option<Time>,
    }

    /// UIDs of finished pods that the Job's counters do not include yet.
    pub struct UncountedTerminatedPods { pub succeeded: Vec<Str>, pub failed: Vec<Str> }
}

string_enum! {
    pub enum DeploymentStrategyType { RollingUpdate, Recreate }
    /// Type of the update strategy of a StatefulSet or DaemonSet.
    pub enum UpdateStrategyType { RollingUpdate, OnDelete }
    /// The order in which a StatefulSet creates its pods.
    pub enum PodManagementPolicy { OrderedReady, Parallel }
}
