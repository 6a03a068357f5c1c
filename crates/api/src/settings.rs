//! Kinds that other objects are checked against or changed by: accounts, quotas, ranges, classes of runtimes, and what
//! scales workloads.

use crate::macros::string_enum;
use crate::wire_types;
use crate::{LocalReference, ObjectMeta, ObjectReference, ResourceList, Str, Time, Toleration, ordered};

wire_types! {
    /// An identity of pods.
    pub struct ServiceAccount {
        pub metadata: ObjectMeta,
        pub secrets: Vec<ObjectReference>,
        pub image_pull_secrets: Vec<LocalReference>,
        pub automount_service_account_token: Option<bool>,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// What a namespace may hold and use.
    pub struct ResourceQuota {
        pub metadata: ObjectMeta,
        pub spec: ResourceQuotaSpec,
        pub status: ResourceQuotaStatus,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// Amounts, and of which pods.
    pub struct ResourceQuotaSpec {
        pub hard: ResourceList,
        pub scopes: Vec<Str>,
        pub scope_selector: Option<serde_json::Value>,
    }

    /// What is used of it.
    pub struct ResourceQuotaStatus { pub hard: ResourceList, pub used: ResourceList }
    /// Bounds and defaults of the pods, containers and claims of a namespace.
    pub struct LimitRange {
        pub metadata: ObjectMeta,
        pub spec: LimitRangeSpec,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// A bound for each sort of thing.
    pub struct LimitRangeSpec { pub limits: Vec<LimitRangeItem> }
    /// Bounds of containers, of pods or of claims.
    pub struct LimitRangeItem {
        pub kind as "type": Str,
        pub max: ResourceList,
        pub min: ResourceList,
        pub default: ResourceList,
        pub default_request: ResourceList,
        pub max_limit_request_ratio: ResourceList,
    }

    /// What scales a workload by metrics.
    pub struct HorizontalPodAutoscaler {
        pub metadata: ObjectMeta,
        pub spec: HorizontalPodAutoscalerSpec,
        pub status: HorizontalPodAutoscalerStatus,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// What is scaled, between which bounds, by what.
    pub struct HorizontalPodAutoscalerSpec {
        pub scale_target_ref: ScaleTarget,
        pub min_replicas: Option<i32>,
        pub max_replicas: i32,
        pub metrics: Vec<serde_json::Value>,
        pub behavior: Option<serde_json::Value>,
    }

    /// A workload by name.
    pub struct ScaleTarget { pub kind: Str, pub name: Str, pub api_version: Str }
    /// What was seen and done last.
    pub struct HorizontalPodAutoscalerStatus {
        pub observed_generation: Option<i64>,
        pub last_scale_time: Option<Time>,
        pub current_replicas: Option<i32>,
        pub desired_replicas: i32,
        pub current_metrics [shown]: Option<Vec<serde_json::Value>>,
        pub conditions: Vec<serde_json::Value>,
    }

    /// A sort of container runtime, and what pods of it cost.
    pub struct RuntimeClass {
        pub metadata: ObjectMeta,
        pub handler: Str,
        pub overhead: Option<Overhead>,
        pub scheduling: Option<RuntimeScheduling>,
        /// What was given but has no behaviour here.
        pub extra as "": crate::Extra,
    }

    /// What a pod takes beside its containers.
    pub struct Overhead { pub pod_fixed: ResourceList }
    /// Where pods of a class may run.
    pub struct RuntimeScheduling { pub node_selector: ordered::Map<Str, Str>, pub tolerations: Vec<Toleration> }
}

string_enum! {
    /// What a CronJob does when its time comes and an earlier Job still runs.
    pub enum ConcurrencyPolicy { Allow = "Allow", Forbid = "Forbid", Replace = "Replace" }
}
