//! Kinds that admission or controllers apply to other objects: ServiceAccounts, quotas, limit ranges, runtime classes
//! and HorizontalPodAutoscalers.

use crate::macros::string_enum;
use crate::wire_types;
use crate::{LocalReference, ObjectMeta, ObjectReference, ResourceList, Str, Time, Toleration, ordered};

wire_types! {
    /// An identity for processes in pods.
    pub struct ServiceAccount {
        pub metadata: ObjectMeta,
        pub secrets: Vec<ObjectReference>,
        pub image_pull_secrets: Vec<LocalReference>,
        pub automount_service_account_token: Option<bool>,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// A limit on the objects and resources of a namespace.
    pub struct ResourceQuota {
        pub metadata: ObjectMeta,
        pub spec: ResourceQuotaSpec,
        pub status: ResourceQuotaStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Spec of a ResourceQuota: hard limits, and the scopes that select the pods to which the limits apply.
    pub struct ResourceQuotaSpec {
        pub hard: ResourceList,
        pub scopes: Vec<Str>,
        pub scope_selector: Option<serde_json::Value>,
    }

    /// Status of a ResourceQuota: the hard limits and the current usage.
    pub struct ResourceQuotaStatus { pub hard: ResourceList, pub used: ResourceList }
    /// Bounds and defaults for the pods, containers and claims of a namespace.
    pub struct LimitRange {
        pub metadata: ObjectMeta,
        pub spec: LimitRangeSpec,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    pub struct LimitRangeSpec { pub limits: Vec<LimitRangeItem> }
    /// Bounds for one type of object: `Container`, `Pod` or `PersistentVolumeClaim`.
    pub struct LimitRangeItem {
        pub kind as "type": Str,
        pub max: ResourceList,
        pub min: ResourceList,
        pub default: ResourceList,
        pub default_request: ResourceList,
        pub max_limit_request_ratio: ResourceList,
    }

    /// An autoscaler that sets a workload's replicas by metrics.
    pub struct HorizontalPodAutoscaler {
        pub metadata: ObjectMeta,
        pub spec: HorizontalPodAutoscalerSpec,
        pub status: HorizontalPodAutoscalerStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Spec of a HorizontalPodAutoscaler: the scaled workload, its minimum and maximum replicas, and the metrics.
    pub struct HorizontalPodAutoscalerSpec {
        pub scale_target_ref: ScaleTarget,
        pub min_replicas: Option<i32>,
        pub max_replicas: i32,
        pub metrics: Vec<serde_json::Value>,
        pub behavior: Option<serde_json::Value>,
    }

    /// A reference to the workload that a HorizontalPodAutoscaler scales.
    pub struct ScaleTarget as "CrossVersionObjectReference" { pub kind: Str, pub name: Str, pub api_version: Str }
    /// Status of a HorizontalPodAutoscaler: the last observed metrics, and the current and desired replicas.
    pub struct HorizontalPodAutoscalerStatus {
        pub observed_generation: Option<i64>,
        pub last_scale_time: Option<Time>,
        pub current_replicas: Option<i32>,
        pub desired_replicas: i32,
        pub current_metrics [shown]: Option<Vec<serde_json::Value>>,
        pub conditions: Vec<serde_json::Value>,
    }

    /// A container runtime configuration with its overhead per pod.
    pub struct RuntimeClass {
        pub metadata: ObjectMeta,
        pub handler: Str,
        pub overhead: Option<Overhead>,
        pub scheduling: Option<RuntimeScheduling>,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// Resources that each pod of a RuntimeClass needs in addition to those of its containers.
    pub struct Overhead { pub pod_fixed: ResourceList }
    /// Node selector and tolerations that admission adds to the pods of a RuntimeClass.
    pub struct RuntimeScheduling as "Scheduling" { pub node_selector: ordered::Map<Str, Str>, pub tolerations: Vec<Toleration> }
}

string_enum! {
    /// What a CronJob does at its scheduled time while an earlier Job still runs.
    pub enum ConcurrencyPolicy { Allow, Forbid, Replace }
}
