//! Pods: spec, containers, placement rules. The observed state is in `status`.
//!
//! The large parts of a spec are behind `Arc`, so that pods of one template share them and binding copies only
//! pointers.

mod status;

use crate::ordered;
use crate::well_known::condition;
use std::sync::Arc;

use crate::macros::string_enum;
use crate::wire_types;
use crate::{IntOrString, LabelSelector, NodeName, ObjectMeta, Quantity, SelectorOperator, Str};

pub use self::status::*;

/// Amounts by resource name (`cpu`, `memory`, `pods`, `example.com/gpu`, …).
pub type ResourceList = ordered::Map<Str, Quantity>;

wire_types! {
    /// A pod: one finite execution of containers on one node (CT-001).
    pub struct Pod {
        pub metadata: ObjectMeta,
        pub spec: PodSpec,
        pub status: PodStatus,
        /// Fields that Podscope does not simulate, kept for export.
        pub extra as "": crate::Extra,
    }

    /// The template of a workload's pods.
    pub struct PodTemplateSpec {
        pub metadata: ObjectMeta,
        pub spec: PodSpec,
        /// Fields that Podscope does not simulate, kept for export; every pod of the template gets them.
        pub extra as "": crate::Extra,
    }

    /// The pod's containers, its placement rules and its termination settings.
    pub struct PodSpec {
        /// The node on which the pod runs. Invariant: set only once, by binding (CT-164).
        pub node_name: Option<NodeName>,
        pub scheduler_name: Str,
        pub scheduling_gates: Vec<PodSchedulingGate>,
        pub priority_class_name: Str,
        pub priority: Option<i32>,
        pub preemption_policy: Option<PreemptionPolicy>,
        pub init_containers: Arc<Vec<Container>>,
        pub containers: Arc<Vec<Container>>,
        pub ephemeral_containers: Arc<Vec<Container>>,
        pub volumes: Arc<Vec<Volume>>,
        pub restart_policy: Option<RestartPolicy>,
        /// Grace period of a termination, in seconds; 30 by default.
        pub termination_grace_period_seconds: Option<i64>,
        pub active_deadline_seconds: Option<i64>,
        pub node_selector: Arc<ordered::Map<Str, Str>>,
        pub affinity: Option<Arc<Affinity>>,
        pub tolerations: Arc<Vec<Toleration>>,
        pub topology_spread_constraints: Arc<Vec<TopologySpreadConstraint>>,
        pub readiness_gates: Arc<Vec<PodReadinessGate>>,
        pub overhead: ResourceList,
        /// Pod-level resources (beta, enabled by default in v1.36).
        pub resources: Option<Arc<ResourceRequirements>>,
        pub host_network: Option<bool>,
        /// `false` runs the pod in a user namespace of its own.
        pub host_users: Option<bool>,
        pub host_pid as "hostPID": Option<bool>,
        pub hostname: Str,
        pub subdomain: Str,
        pub service_account_name: Str,
        /// Deprecated alias of `serviceAccountName`: used if that field is empty, and always printed with the same
        /// value.
        pub service_account: Str,
        /// `false`: the pod gets no service account token. None: the ServiceAccount decides.
        pub automount_service_account_token: Option<bool>,
        /// The end of the name of the service account token volume, if that volume has exactly the form that admission
        /// gives it.
        ///
        /// Invariant: this volume is not in `volumes`, and its mounts are not in the containers' `volume_mounts`.
        pub token_volume_suffix as "": Option<crate::TokenVolumeSuffix>,
        pub image_pull_secrets: Vec<LocalReference>,
        pub dns_policy: Str,
        pub dns_config: Option<serde_json::Value>,
        pub host_aliases: Vec<HostAlias>,
        pub security_context: Option<Arc<PodSecurityContext>>,
        pub runtime_class_name: Option<Str>,
        pub enable_service_links: Option<bool>,
        pub resource_claims: Vec<PodResourceClaim>,
        pub os: Option<PodOs>,
    }

    /// User and group IDs of all containers; other settings are kept in `Extra`.
    pub struct PodSecurityContext { pub run_as_user: Option<i64>, pub run_as_group: Option<i64>, pub run_as_non_root: Option<bool>, pub fs_group: Option<i64>, pub sysctls: Vec<Sysctl> }

    /// A kernel parameter set for the pod.
    pub struct Sysctl { pub name: Str, pub value: Str }
    /// Host names for an IP address in the pod's `/etc/hosts`.
    pub struct HostAlias { pub ip: Str, pub hostnames: Vec<Str> }
    /// A gate that keeps the pod from being scheduled until it is removed (S-03).
    pub struct PodSchedulingGate { pub name: Str }
    /// A custom condition that must be True before the pod is Ready.
    pub struct PodReadinessGate { pub condition_type: Str }
    /// A reference to a ResourceClaim or a ResourceClaimTemplate.
    pub struct PodResourceClaim { pub name: Str, pub resource_claim_name: Option<Str>, pub resource_claim_template_name: Option<Str> }
    /// The operating system of the pod's containers.
    pub struct PodOs as "PodOS" { pub name: Str }
    /// One container, init container, sidecar (init with `restartPolicy: Always`) or ephemeral container.
    pub struct Container {
        pub name: Str,
        pub image: Str,
        pub image_pull_policy: Option<PullPolicy>,
        pub command: Vec<Str>,
        pub args: Vec<Str>,
        pub working_dir: Str,
        pub ports: Vec<ContainerPort>,
        pub env_from: Vec<EnvFromSource>,
        pub env: Vec<EnvVar>,
        pub resources: Arc<ResourceRequirements>,
        /// For each resource, whether an in-place resize restarts the container.
        pub resize_policy: Vec<ContainerResizePolicy>,
        /// Overrides the pod's `restartPolicy`; `Always` on an init container makes it a sidecar.
        pub restart_policy: Option<RestartPolicy>,
        /// Rules for exit codes, evaluated before the restart policy.
        pub restart_policy_rules: Vec<ContainerRestartRule>,
        pub volume_mounts: Vec<VolumeMount>,
        pub liveness_probe: Option<Probe>,
        pub readiness_probe: Option<Probe>,
        pub startup_probe: Option<Probe>,
        pub lifecycle: Option<Lifecycle>,
        pub termination_message_path: Str,
        pub termination_message_policy: Str,
        pub security_context: Option<SecurityContext>,
    }

    /// Whether an in-place resize of a resource restarts the container: `NotRequired` or `RestartContainer`.
    pub struct ContainerResizePolicy { pub resource_name: Str, pub restart_policy: Str }
    /// A rule for the container's exit; the first matching rule applies.
    pub struct ContainerRestartRule {
        /// `Restart` or `RestartAllContainers`.
        pub action: Str,
        pub exit_codes: Option<ContainerRestartRuleOnExitCodes>,
    }

    /// The exit codes that a rule matches: those in `values` (`In`), or all others (`NotIn`).
    pub struct ContainerRestartRuleOnExitCodes { pub operator: Str, pub values: Vec<i32> }
    /// User, group and privileges of one container; other settings are kept in `Extra`.
    pub struct SecurityContext { pub privileged: Option<bool>, pub run_as_user: Option<i64>, pub run_as_group: Option<i64>, pub run_as_non_root: Option<bool> }
    pub struct ContainerPort {
        pub name: Str,
        pub container_port: i32,
        pub host_port: Option<i32>,
        pub host_ip as "hostIP": Str,
        pub protocol: Str,
    }

    /// An environment variable. The simulation uses only references to ConfigMaps, Secrets and files.
    pub struct EnvVar { pub name: Str, pub value: Str, pub value_from: Option<EnvVarSource> }
    /// The source of an environment variable's value.
    pub struct EnvVarSource {
        pub config_map_key_ref: Option<KeySelector>,
        pub secret_key_ref: Option<KeySelector>,
        pub file_key_ref: Option<FileKeySelector>,
        pub field_ref: Option<ObjectFieldSelector>,
        pub resource_field_ref: Option<ResourceFieldSelector>,
    }

    /// A reference to a resource request or limit of a container.
    pub struct ResourceFieldSelector { pub container_name: Str, pub resource: Str, pub divisor: Option<Quantity> }
    /// A reference to a field of the pod.
    pub struct ObjectFieldSelector { pub api_version: Str, pub field_path: Str }
    /// A reference to a key of a ConfigMap or Secret.
    pub struct KeySelector { pub name: Str, pub key: Str, pub optional: Option<bool> }
    /// A reference to a key in an env file that another container of the pod writes to an emptyDir volume.
    pub struct FileKeySelector { pub volume_name: Str, pub path: Str, pub key: Str, pub optional: Option<bool> }
    /// A ConfigMap or Secret whose keys all become environment variables.
    pub struct EnvFromSource { pub prefix: Str, pub config_map_ref: Option<LocalReference>, pub secret_ref: Option<LocalReference> }
    /// A reference to an object in the same namespace.
    pub struct LocalReference as "LocalObjectReference" { pub name: Str, pub optional: Option<bool> }
    /// Resource requests and limits of a container or pod, and the resource claims that a container uses.
    pub struct ResourceRequirements { pub limits: ResourceList, pub requests: ResourceList, pub claims: Vec<ResourceClaimRef> }
    /// A reference from a container to one of the pod's resource claims.
    pub struct ResourceClaimRef as "ResourceClaim" { pub name: Str, pub request: Str }
    pub struct VolumeMount { pub name: Str, pub mount_path: Str, pub read_only: Option<bool>, pub sub_path: Str, pub sub_path_expr: Str, pub mount_propagation: Option<Str> }

    /// A probe. By default, it has a timeout of 1 s and a period of 10 s, and succeeds after 1 result and fails after 3
    /// (LC-039).
    pub struct Probe {
        pub exec: Option<ExecAction>,
        pub http_get: Option<HttpGetAction>,
        pub tcp_socket: Option<TcpSocketAction>,
        pub grpc: Option<GrpcAction>,
        pub initial_delay_seconds: Option<i32>,
        pub timeout_seconds: Option<i32>,
        pub period_seconds: Option<i32>,
        pub success_threshold: Option<i32>,
        pub failure_threshold: Option<i32>,
        pub termination_grace_period_seconds: Option<i64>,
    }

    /// A probe or hook that runs a command in the container.
    pub struct ExecAction { pub command: Vec<Str> }
    /// A probe or hook that sends an HTTP request.
    pub struct HttpGetAction as "HTTPGetAction" { pub path: Str, pub port: IntOrString, pub host: Str, pub scheme: Str, pub http_headers: Vec<HttpHeader> }
    /// A header of an HTTP probe's request.
    pub struct HttpHeader as "HTTPHeader" { pub name: Str, pub value: Str }
    /// A probe that opens a TCP connection; the kubelet cannot run it as a hook (LC-144).
    pub struct TcpSocketAction as "TCPSocketAction" { pub port: IntOrString, pub host: Str }
    /// A probe that calls the gRPC health service.
    pub struct GrpcAction as "GRPCAction" { pub port: i32, pub service: Option<Str> }
    /// A hook that waits for a number of seconds.
    pub struct SleepAction { pub seconds: i64 }
    pub struct Lifecycle { pub post_start: Option<LifecycleHandler>, pub pre_stop: Option<LifecycleHandler>, pub stop_signal: Option<Str> }
    /// The action of a postStart or preStop hook.
    pub struct LifecycleHandler {
        pub exec: Option<ExecAction>,
        pub http_get: Option<HttpGetAction>,
        pub tcp_socket: Option<TcpSocketAction>,
        pub sleep: Option<SleepAction>,
    }

    /// A volume with its source. Sources without a Rust type are kept as JSON or in `Extra`.
    pub struct Volume {
        pub name: Str,
        pub empty_dir: Option<EmptyDirVolume>,
        pub host_path: Option<HostPathVolume>,
        pub persistent_volume_claim: Option<ClaimVolume>,
        pub ephemeral: Option<EphemeralVolume>,
        pub config_map: Option<ConfigMapVolume>,
        pub secret: Option<SecretVolume>,
        pub nfs: Option<NfsVolume>,
        pub iscsi: Option<IscsiVolume>,
        pub gce_persistent_disk: Option<GceDiskVolume>,
        pub aws_elastic_block_store: Option<AwsDiskVolume>,
        pub rbd: Option<RbdVolume>,
        pub projected: Option<Box<ProjectedVolume>>,
        pub downward_api as "downwardAPI": Option<Box<DownwardApiVolume>>,
        pub csi: Option<Box<CsiInlineVolume>>,
        pub git_repo: Option<Arc<serde_json::Value>>,
        pub glusterfs: Option<Arc<serde_json::Value>>,
        pub flex_volume: Option<Arc<serde_json::Value>>,
        pub cinder: Option<Arc<serde_json::Value>>,
        pub cephfs: Option<Arc<serde_json::Value>>,
        pub flocker: Option<Arc<serde_json::Value>>,
        pub fc: Option<Arc<serde_json::Value>>,
        pub azure_file: Option<Arc<serde_json::Value>>,
        pub azure_disk: Option<Arc<serde_json::Value>>,
        pub vsphere_volume: Option<Arc<serde_json::Value>>,
        pub quobyte: Option<Arc<serde_json::Value>>,
        pub photon_persistent_disk: Option<Arc<serde_json::Value>>,
        pub portworx_volume: Option<Arc<serde_json::Value>>,
        pub scale_io as "scaleIO": Option<Arc<serde_json::Value>>,
        pub storageos: Option<Arc<serde_json::Value>>,
        pub image: Option<Arc<serde_json::Value>>,
    }

    /// Scratch space that is deleted with the pod (LC-003).
    pub struct EmptyDirVolume as "EmptyDirVolumeSource" { pub medium: Str, pub size_limit: Option<Quantity> }
    /// A directory or file of the node.
    pub struct HostPathVolume as "HostPathVolumeSource" { pub path: Str, pub kind as "type": Option<Str> }
    /// A reference to a PersistentVolumeClaim.
    pub struct ClaimVolume as "PersistentVolumeClaimVolumeSource" { pub claim_name: Str, pub read_only: Option<bool> }
    /// A PersistentVolumeClaim created for the pod from a template.
    pub struct EphemeralVolume as "EphemeralVolumeSource" { pub volume_claim_template: Option<Box<crate::PersistentVolumeClaimTemplate>> }
    /// A ConfigMap mounted as files.
    pub struct ConfigMapVolume as "ConfigMapVolumeSource" { pub name: Str, pub items: Vec<KeyToPath>, pub default_mode: Option<i32>, pub optional: Option<bool> }
    /// One key of a ConfigMap or Secret, mounted as one file.
    pub struct KeyToPath { pub key: Str, pub path: Str, pub mode: Option<i32> }
    /// A Secret mounted as files.
    pub struct SecretVolume as "SecretVolumeSource" { pub secret_name: Str, pub items: Vec<KeyToPath>, pub default_mode: Option<i32>, pub optional: Option<bool> }
    /// A volume that combines several sources.
    pub struct ProjectedVolume as "ProjectedVolumeSource" { pub sources: Vec<VolumeProjection>, pub default_mode: Option<i32> }
    /// One source of a projected volume; sources without a Rust type are kept in `Extra`.
    pub struct VolumeProjection {
        pub service_account_token: Option<TokenProjection>,
        pub config_map: Option<FilesProjection>,
        pub secret: Option<FilesProjection>,
        pub downward_api as "downwardAPI": Option<DownwardProjection>,
    }

    /// A ConfigMap or Secret in a projected volume.
    pub struct FilesProjection { pub name: Str, pub items: Vec<KeyToPath>, pub optional: Option<bool> }
    /// Fields of the pod in a projected volume.
    pub struct DownwardProjection as "DownwardAPIProjection" { pub items: Vec<DownwardFile> }
    /// A field of the pod as a file.
    pub struct DownwardFile as "DownwardAPIVolumeFile" {
        pub path: Str,
        pub field_ref: Option<ObjectFieldSelector>,
        pub resource_field_ref: Option<ResourceFieldSelector>,
        pub mode: Option<i32>,
    }

    /// A service account token as a file.
    pub struct TokenProjection as "ServiceAccountTokenProjection" { pub audience: Str, pub expiration_seconds: Option<i64>, pub path: Str }
    /// Fields of the pod, mounted as files.
    pub struct DownwardApiVolume as "DownwardAPIVolumeSource" { pub items: Vec<DownwardFile>, pub default_mode: Option<i32> }
    /// An inline volume of a CSI driver, created for the pod.
    pub struct CsiInlineVolume as "CSIVolumeSource" { pub driver: Str, pub read_only: Option<bool>, pub node_publish_secret_ref: Option<LocalReference> }
    /// An NFS export.
    pub struct NfsVolume as "NFSVolumeSource" { pub server: Str, pub path: Str, pub read_only: Option<bool> }
    /// An iSCSI target.
    pub struct IscsiVolume { pub target_portal: Str, pub iqn: Str, pub lun: i32, pub iscsi_interface: Str, pub read_only: Option<bool> }
    pub struct GceDiskVolume as "GCEPersistentDiskVolumeSource" { pub pd_name: Str, pub read_only: Option<bool> }
    /// An EBS volume.
    pub struct AwsDiskVolume as "AWSElasticBlockStoreVolumeSource" { pub volume_id as "volumeID": Str, pub partition: Option<i32>, pub read_only: Option<bool> }
    /// A Ceph block device.
    pub struct RbdVolume { pub monitors: Vec<Str>, pub image: Str, pub pool: Str, pub read_only: Option<bool> }
    /// A toleration of a pod: the taints that the pod accepts (SCH-042).
    pub struct Toleration {
        pub key: Str,
        pub operator: Option<TolerationOperator>,
        pub value: Str,
        pub effect: Option<TaintEffect>,
        /// How long the pod stays on a node with a NoExecute taint, in seconds; None means forever.
        pub toleration_seconds: Option<i64>,
    }

    pub struct Affinity { pub node_affinity: Option<NodeAffinity>, pub pod_affinity: Option<PodAffinity>, pub pod_anti_affinity: Option<PodAffinity> }
    /// Required and preferred rules about the labels of the pod's node.
    pub struct NodeAffinity {
        pub required_during_scheduling_ignored_during_execution: Option<NodeSelector>,
        pub preferred_during_scheduling_ignored_during_execution: Vec<PreferredSchedulingTerm>,
    }

    /// A selector that matches if one of its terms matches (SCH-046).
    pub struct NodeSelector { pub node_selector_terms: Vec<NodeSelectorTerm> }
    /// A term that matches if all its expressions and fields match.
    pub struct NodeSelectorTerm { pub match_expressions: Vec<NodeSelectorRequirement>, pub match_fields: Vec<NodeSelectorRequirement> }
    /// An expression about a label or field of a node.
    pub struct NodeSelectorRequirement { pub key: Str, pub operator: SelectorOperator, pub values: Vec<Str> }
    /// A weighted preference for nodes.
    pub struct PreferredSchedulingTerm { pub weight: i32, pub preference: NodeSelectorTerm }
    /// Rules about pods in the same topology domain; also used for anti-affinity.
    pub struct PodAffinity {
        pub required_during_scheduling_ignored_during_execution: Vec<PodAffinityTerm>,
        pub preferred_during_scheduling_ignored_during_execution: Vec<WeightedPodAffinityTerm>,
    }

    /// The pods that a rule applies to, their namespaces, and the topology key (SCH-084).
    pub struct PodAffinityTerm {
        pub label_selector: Option<LabelSelector>,
        pub namespaces: Vec<Str>,
        pub topology_key: Str,
        pub namespace_selector: Option<LabelSelector>,
        pub match_label_keys: Vec<Str>,
        pub mismatch_label_keys: Vec<Str>,
    }

    /// A weighted rule about pods.
    pub struct WeightedPodAffinityTerm { pub weight: i32, pub pod_affinity_term: PodAffinityTerm }
    pub struct TopologySpreadConstraint {
        pub max_skew: i32,
        pub topology_key: Str,
        pub when_unsatisfiable: Option<UnsatisfiableAction>,
        pub label_selector: Option<LabelSelector>,
        pub min_domains: Option<i32>,
        pub node_affinity_policy: Option<NodeInclusionPolicy>,
        pub node_taints_policy: Option<NodeInclusionPolicy>,
        pub match_label_keys: Vec<Str>,
    }
}

string_enum! {
    /// Whether a pod may preempt pods of lower priority.
    pub enum PreemptionPolicy { PreemptLowerPriority, Never }
    /// The restart policy: whether the kubelet restarts containers that have exited.
    pub enum RestartPolicy { Always, OnFailure, Never }
    /// The image pull policy: when the kubelet pulls an image.
    pub enum PullPolicy { Always, Never, IfNotPresent }
    /// How a toleration compares its value with the taint's.
    pub enum TolerationOperator { Exists, Equal }
    /// What a taint does to pods that do not tolerate it.
    pub enum TaintEffect { NoSchedule, PreferNoSchedule, NoExecute }
    /// Whether a spread constraint is required or preferred.
    pub enum UnsatisfiableAction { DoNotSchedule, ScheduleAnyway }
    /// Whether node affinity or taints exclude nodes from the topology domains.
    pub enum NodeInclusionPolicy { Honor, Ignore }
}

/// Annotation that marks a pod as the mirror pod of a static pod.
pub const MIRROR_ANNOTATION: &str = "kubernetes.io/config.mirror";

impl Pod {
    /// Returns whether a DaemonSet controls the pod.
    pub fn is_daemon(&self) -> bool {
        let owner = self.metadata.controller_ref();
        owner.is_some_and(|owner| &*owner.kind == "DaemonSet")
    }

    /// Returns whether the phase is Succeeded or Failed.
    pub fn is_terminal(&self) -> bool {
        matches!(self.status.phase, Some(PodPhase::Succeeded | PodPhase::Failed))
    }

    /// Returns `spec.priority`, or 0 if it is unset (SCH-038).
    pub fn priority(&self) -> i32 {
        self.spec.priority.unwrap_or(0)
    }

    /// Returns whether this is a mirror pod: the API object that a kubelet creates for its static pod (LC-213).
    pub fn is_mirror(&self) -> bool {
        self.metadata.annotation(MIRROR_ANNOTATION).is_some()
    }

    /// Returns the condition of this type.
    pub fn condition(&self, kind: &str) -> Option<&PodCondition> {
        self.status.conditions.iter().find(|condition| &*condition.kind == kind)
    }

    pub fn is_ready(&self) -> bool {
        self.condition(condition::READY)
            .is_some_and(|condition| condition.status == ConditionStatus::True)
    }
}

impl Volume {
    /// Returns the names of the volume sources that are set, in the API server's order. A valid volume has exactly one.
    pub fn volume_source_names(&self) -> impl Iterator<Item = &'static str> {
        [
            ("emptyDir", self.empty_dir.is_some()),
            ("hostPath", self.host_path.is_some()),
            ("gitRepo", self.git_repo.is_some()),
            ("gcePersistentDisk", self.gce_persistent_disk.is_some()),
            ("awsElasticBlockStore", self.aws_elastic_block_store.is_some()),
            ("secret", self.secret.is_some()),
            ("nfs", self.nfs.is_some()),
            ("iscsi", self.iscsi.is_some()),
            ("glusterfs", self.glusterfs.is_some()),
            ("flocker", self.flocker.is_some()),
            ("persistentVolumeClaim", self.persistent_volume_claim.is_some()),
            ("rbd", self.rbd.is_some()),
            ("cinder", self.cinder.is_some()),
            ("cephfs", self.cephfs.is_some()),
            ("quobyte", self.quobyte.is_some()),
            ("downwardAPI", self.downward_api.is_some()),
            ("fc", self.fc.is_some()),
            ("flexVolume", self.flex_volume.is_some()),
            ("configMap", self.config_map.is_some()),
            ("azureFile", self.azure_file.is_some()),
            ("vsphereVolume", self.vsphere_volume.is_some()),
            ("photonPersistentDisk", self.photon_persistent_disk.is_some()),
            ("portworxVolume", self.portworx_volume.is_some()),
            ("azureDisk", self.azure_disk.is_some()),
            ("storageos", self.storageos.is_some()),
            ("projected", self.projected.is_some()),
            ("scaleIO", self.scale_io.is_some()),
            ("csi", self.csi.is_some()),
            ("ephemeral", self.ephemeral.is_some()),
            ("image", self.image.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, set)| set.then_some(name))
    }
}

impl Container {
    /// Returns whether this init container is a sidecar (`restartPolicy: Always`).
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy == Some(RestartPolicy::Always)
    }
}

impl PodSpec {
    /// Returns init containers, containers and ephemeral containers, in that order.
    pub fn all_containers(&self) -> impl Iterator<Item = &Container> {
        self.init_containers
            .iter()
            .chain(self.containers.iter())
            .chain(self.ephemeral_containers.iter())
    }

    /// Returns the grace period of a termination, in seconds: the pod's own, or the API server's default.
    pub fn grace_seconds(&self) -> i64 {
        self.termination_grace_period_seconds.unwrap_or(30)
    }
}

impl TopologySpreadConstraint {
    /// Returns whether the constraint is required (`DoNotSchedule`), not only a preference.
    pub fn is_do_not_schedule(&self) -> bool {
        self.when_unsatisfiable != Some(UnsatisfiableAction::ScheduleAnyway)
    }

    /// Returns whether the spread constraint counts a pod with these labels. A constraint with an absent or empty
    /// selector counts no pod (SCH-072).
    pub fn selects(&self, labels: &ordered::Map<Str, Str>) -> bool {
        let selector = self.label_selector.as_ref().filter(|selector| !selector.is_empty());
        selector.is_some_and(|selector| selector.matches(labels))
    }
}

impl Toleration {
    /// Returns whether this toleration accepts the taint (SCH-042).
    pub fn tolerates(&self, taint: &crate::Taint) -> bool {
        self.effect
            .as_ref()
            .is_none_or(|effect| effect.as_str().is_empty() || *effect == taint.effect)
            && (self.key.is_empty() || self.key == taint.key)
            && match &self.operator {
                None | Some(TolerationOperator::Equal) => self.value == taint.value,
                Some(TolerationOperator::Exists) => true,
                Some(TolerationOperator::Other(operator)) => operator.is_empty() && self.value == taint.value,
            }
    }
}
