//! The accepted values of string types, in the order in which completion offers them. Validation uses these lists to
//! refuse other values. The values of a string type with a Rust enum are listed in that enum.

use super::{GoType, Shape};
use crate::{
    AccessMode, ConcurrencyPolicy, ConditionStatus, DeploymentStrategyType, NodeInclusionPolicy, PodManagementPolicy,
    PodPhase, PreemptionPolicy, PullPolicy, QosClass, RestartPolicy, TaintEffect, TolerationOperator,
    UnsatisfiableAction, UpdateStrategyType, VolumeBindingMode,
};

pub(crate) const SECURITY_PROFILE: &[&str] = &["RuntimeDefault", "Localhost", "Unconfined"];
pub(crate) const COMPLETION_MODE: &[&str] = &["NonIndexed", "Indexed"];
pub(crate) const CONTAINER_RESTART_ACTION: &[&str] = &["Restart", "RestartAllContainers"];
pub(crate) const EXIT_CODES_OPERATOR: &[&str] = &["In", "NotIn"];
pub(crate) const DNS_POLICY: &[&str] = &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];
pub(crate) const IP_FAMILY: &[&str] = &["IPv4", "IPv6"];
pub(crate) const IP_FAMILY_POLICY: &[&str] = &["SingleStack", "PreferDualStack", "RequireDualStack"];
pub(crate) const MOUNT_PROPAGATION: &[&str] = &["None", "HostToContainer", "Bidirectional"];
pub(crate) const VOLUME_MODE: &[&str] = &["Filesystem", "Block"];
pub(crate) const VOLUME_RECLAIM_POLICY: &[&str] = &["Retain", "Delete", "Recycle"];
pub(crate) const POD_FAILURE_ACTION: &[&str] = &["FailJob", "FailIndex", "Ignore", "Count"];
pub(crate) const FS_GROUP_CHANGE_POLICY: &[&str] = &["OnRootMismatch", "Always"];
pub(crate) const OS_NAME: &[&str] = &["linux", "windows"];
pub(crate) const POD_REPLACEMENT_POLICY: &[&str] = &["TerminatingOrFailed", "Failed"];
pub(crate) const PROTOCOL: &[&str] = &["TCP", "UDP", "SCTP"];
pub(crate) const RECURSIVE_READ_ONLY: &[&str] = &["Disabled", "IfPossible", "Enabled"];
pub(crate) const RESIZE_RESTART_POLICY: &[&str] = &["NotRequired", "RestartContainer"];
pub(crate) const SERVICE_AFFINITY: &[&str] = &["None", "ClientIP"];
pub(crate) const SERVICE_TYPE: &[&str] = &["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"];
pub(crate) const SUPPLEMENTAL_GROUPS_POLICY: &[&str] = &["Merge", "Strict"];
pub(crate) const TERMINATION_MESSAGE_POLICY: &[&str] = &["File", "FallbackToLogsOnError"];
pub(crate) const TRAFFIC_POLICY: &[&str] = &["Cluster", "Local"];
pub(crate) const UNHEALTHY_POD_EVICTION_POLICY: &[&str] = &["IfHealthyBudget", "AlwaysAllow"];
pub(crate) const URI_SCHEME: &[&str] = &["HTTP", "HTTPS"];

impl GoType {
    /// Returns the values that a field of this type, or an element of this list type, accepts. Empty if any value is
    /// accepted.
    #[must_use]
    pub fn accepted_values(self) -> &'static [&'static str] {
        let leaf = match self.shape() {
            Shape::List(element) => return element.accepted_values(),
            Shape::Leaf(leaf) => leaf,
            Shape::Map(_) | Shape::Struct(_) => return &[],
        };
        match super::go_type_name(leaf) {
            "bool" => &["true", "false"],
            "AppArmorProfileType" | "SeccompProfileType" => SECURITY_PROFILE,
            "CompletionMode" => COMPLETION_MODE,
            "ConcurrencyPolicy" => ConcurrencyPolicy::KNOWN,
            "ConditionStatus" => ConditionStatus::KNOWN,
            "ContainerRestartPolicy" | "RestartPolicy" => RestartPolicy::KNOWN,
            "ContainerRestartRuleAction" => CONTAINER_RESTART_ACTION,
            "ContainerRestartRuleOnExitCodesOperator" | "PodFailurePolicyOnExitCodesOperator" => EXIT_CODES_OPERATOR,
            "DaemonSetUpdateStrategyType" | "StatefulSetUpdateStrategyType" => UpdateStrategyType::KNOWN,
            "DeploymentStrategyType" => DeploymentStrategyType::KNOWN,
            "DNSPolicy" => DNS_POLICY,
            "IPFamily" => IP_FAMILY,
            "IPFamilyPolicy" => IP_FAMILY_POLICY,
            "LabelSelectorOperator" => &["In", "NotIn", "Exists", "DoesNotExist"],
            "LimitType" => &["Container", "Pod", "PersistentVolumeClaim"],
            "MountPropagationMode" => MOUNT_PROPAGATION,
            "NodeInclusionPolicy" => NodeInclusionPolicy::KNOWN,
            "NodeSelectorOperator" => &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
            "OSName" => OS_NAME,
            "PersistentVolumeAccessMode" => AccessMode::KNOWN,
            "PersistentVolumeMode" => VOLUME_MODE,
            "PersistentVolumeReclaimPolicy" => VOLUME_RECLAIM_POLICY,
            "PodFailurePolicyAction" => POD_FAILURE_ACTION,
            "PodFSGroupChangePolicy" => FS_GROUP_CHANGE_POLICY,
            "PodManagementPolicyType" => PodManagementPolicy::KNOWN,
            "PodPhase" => PodPhase::KNOWN,
            "PodQOSClass" => QosClass::KNOWN,
            "PodReplacementPolicy" => POD_REPLACEMENT_POLICY,
            "PreemptionPolicy" => PreemptionPolicy::KNOWN,
            "Protocol" => PROTOCOL,
            "PullPolicy" => PullPolicy::KNOWN,
            "RecursiveReadOnlyMode" => RECURSIVE_READ_ONLY,
            "ResourceResizeRestartPolicy" => RESIZE_RESTART_POLICY,
            "ServiceAffinity" => SERVICE_AFFINITY,
            "ServiceExternalTrafficPolicy" | "ServiceInternalTrafficPolicy" => TRAFFIC_POLICY,
            "ServiceType" => SERVICE_TYPE,
            "SupplementalGroupsPolicy" => SUPPLEMENTAL_GROUPS_POLICY,
            "TaintEffect" => TaintEffect::KNOWN,
            "TerminationMessagePolicy" => TERMINATION_MESSAGE_POLICY,
            "TolerationOperator" => TolerationOperator::KNOWN,
            "UnhealthyPodEvictionPolicyType" => UNHEALTHY_POD_EVICTION_POLICY,
            "UnsatisfiableConstraintAction" => UnsatisfiableAction::KNOWN,
            "URIScheme" => URI_SCHEME,
            "VolumeBindingMode" => VolumeBindingMode::KNOWN,
            _ => &[],
        }
    }
}
