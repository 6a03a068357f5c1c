//! The accepted values of string fields that are enums, used for completion. Validation refuses other values; lists
//! that it shares are defined at the type.

use super::{GoType, Shape};
use crate::{
    AccessMode, ConcurrencyPolicy, ConditionStatus, DeploymentStrategyType, NodeInclusionPolicy, PodManagementPolicy,
    PodPhase, PreemptionPolicy, PullPolicy, QosClass, RestartPolicy, TaintEffect, TolerationOperator,
    UnsatisfiableAction, UpdateStrategyType, VolumeBindingMode,
};

impl GoType {
    /// The values that a field of this type, or an element of this list type, accepts. Empty if any value is accepted.
    #[must_use]
    pub fn values(self) -> &'static [&'static str] {
        let leaf = match self.shape() {
            Shape::List(element) => return element.values(),
            Shape::Leaf(leaf) => leaf,
            Shape::Map(_) | Shape::Struct(_) => return &[],
        };
        match leaf.split_once('=').map_or(leaf, |(_, named)| named) {
            "bool" => &["true", "false"],
            "AppArmorProfileType" | "SeccompProfileType" => &["RuntimeDefault", "Localhost", "Unconfined"],
            "CompletionMode" => &["NonIndexed", "Indexed"],
            "ConcurrencyPolicy" => ConcurrencyPolicy::KNOWN,
            "ConditionStatus" => ConditionStatus::KNOWN,
            "ContainerRestartPolicy" | "RestartPolicy" => RestartPolicy::KNOWN,
            "ContainerRestartRuleAction" => &["Restart", "RestartAllContainers"],
            "ContainerRestartRuleOnExitCodesOperator" | "PodFailurePolicyOnExitCodesOperator" => &["In", "NotIn"],
            "DaemonSetUpdateStrategyType" | "StatefulSetUpdateStrategyType" => UpdateStrategyType::KNOWN,
            "DeploymentStrategyType" => DeploymentStrategyType::KNOWN,
            "DNSPolicy" => &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
            "IPFamily" => &["IPv4", "IPv6"],
            "IPFamilyPolicy" => &["SingleStack", "PreferDualStack", "RequireDualStack"],
            "LabelSelectorOperator" => &["In", "NotIn", "Exists", "DoesNotExist"],
            "LimitType" => &["Container", "Pod", "PersistentVolumeClaim"],
            "MountPropagationMode" => &["None", "HostToContainer", "Bidirectional"],
            "NodeInclusionPolicy" => NodeInclusionPolicy::KNOWN,
            "NodeSelectorOperator" => &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
            "OSName" => &["linux", "windows"],
            "PersistentVolumeAccessMode" => AccessMode::KNOWN,
            "PersistentVolumeMode" => &["Filesystem", "Block"],
            "PersistentVolumeReclaimPolicy" => &["Retain", "Delete", "Recycle"],
            "PodFailurePolicyAction" => &["FailJob", "FailIndex", "Ignore", "Count"],
            "PodFSGroupChangePolicy" => &["OnRootMismatch", "Always"],
            "PodManagementPolicyType" => PodManagementPolicy::KNOWN,
            "PodPhase" => PodPhase::KNOWN,
            "PodQOSClass" => QosClass::KNOWN,
            "PodReplacementPolicy" => &["TerminatingOrFailed", "Failed"],
            "PreemptionPolicy" => PreemptionPolicy::KNOWN,
            "Protocol" => &["TCP", "UDP", "SCTP"],
            "PullPolicy" => PullPolicy::KNOWN,
            "RecursiveReadOnlyMode" => &["Disabled", "IfPossible", "Enabled"],
            "ResourceResizeRestartPolicy" => &["NotRequired", "RestartContainer"],
            "ServiceAffinity" => &["None", "ClientIP"],
            "ServiceExternalTrafficPolicy" | "ServiceInternalTrafficPolicy" => &["Cluster", "Local"],
            "ServiceType" => &["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"],
            "SupplementalGroupsPolicy" => &["Merge", "Strict"],
            "TaintEffect" => TaintEffect::KNOWN,
            "TerminationMessagePolicy" => &["File", "FallbackToLogsOnError"],
            "TolerationOperator" => TolerationOperator::KNOWN,
            "UnhealthyPodEvictionPolicyType" => &["IfHealthyBudget", "AlwaysAllow"],
            "UnsatisfiableConstraintAction" => UnsatisfiableAction::KNOWN,
            "URIScheme" => &["HTTP", "HTTPS"],
            "VolumeBindingMode" => VolumeBindingMode::KNOWN,
            _ => &[],
        }
    }
}
