//! Names to which Kubernetes itself gives a meaning: the keys of labels, taints and annotations, the names of
//! finalizers, and the types of conditions.
//!
//! This file contains the names that several files use; a name used in only one file is defined there.

/// Keys of labels.
pub mod label {
    /// The zone of a node, a volume or an endpoint.
    pub const ZONE: &str = "topology.kubernetes.io/zone";
    /// The region of a node or a volume.
    pub const REGION: &str = "topology.kubernetes.io/region";
    /// The zone of a node or volume, under the key that was used before v1.17.
    pub const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
    /// The region of a node or volume, under the key that was used before v1.17.
    pub const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";
    /// The host name of a node, as its kubelet reports it.
    pub const HOSTNAME: &str = "kubernetes.io/hostname";
    /// The operating system of a node.
    pub const OS: &str = "kubernetes.io/os";
    /// The processor architecture of a node.
    pub const ARCH: &str = "kubernetes.io/arch";
    /// The operating system of a node, under a deprecated key that kubelets still set in addition to [`OS`].
    pub const BETA_OS: &str = "beta.kubernetes.io/os";
    /// The processor architecture of a node, under a deprecated key that kubelets still set in addition to [`ARCH`].
    pub const BETA_ARCH: &str = "beta.kubernetes.io/arch";
    /// The Service that an EndpointSlice belongs to.
    pub const SERVICE_NAME: &str = "kubernetes.io/service-name";
    /// Set on the Endpoints and EndpointSlices of a Service without a cluster IP.
    pub const HEADLESS_SERVICE: &str = "service.kubernetes.io/headless";
    /// The name of a Namespace, set on the Namespace itself.
    pub const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";
    /// The UID of the Job that a pod belongs to.
    pub const JOB_CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
    /// The name of a node's group, if the node belongs to a group that a scenario declares.
    pub const NODE_GROUP: &str = "podscope.dev/node-group";
    /// The name of the Job that a pod belongs to.
    pub const JOB_NAME: &str = "batch.kubernetes.io/job-name";
}

/// Keys of the taints of nodes. The node lifecycle controller sets most of them (CT-027).
pub mod taint {
    /// The node's Ready condition is False.
    pub const NOT_READY: &str = "node.kubernetes.io/not-ready";
    /// The node's Ready condition is Unknown: its heartbeats are missing.
    pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
    /// The node is cordoned.
    pub const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
    /// An administrator declares that the machine is off: its pods are force-deleted and its volumes detached.
    pub const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";
    /// The kubelet reports a shortage of memory.
    pub const MEMORY_PRESSURE: &str = "node.kubernetes.io/memory-pressure";
    /// The kubelet reports a shortage of disk space or inodes.
    pub const DISK_PRESSURE: &str = "node.kubernetes.io/disk-pressure";
    /// The kubelet reports a shortage of process IDs.
    pub const PID_PRESSURE: &str = "node.kubernetes.io/pid-pressure";
    /// The network of the node has not been set up.
    pub const NETWORK_UNAVAILABLE: &str = "node.kubernetes.io/network-unavailable";
    /// The cluster autoscaler is removing the node (CA-028).
    pub const TO_BE_DELETED: &str = "ToBeDeletedByClusterAutoscaler";
    /// The cluster autoscaler considers the node unneeded (CA-029).
    pub const DELETION_CANDIDATE: &str = "DeletionCandidateOfClusterAutoscaler";
}

/// Keys of annotations.
pub mod annotation {
    /// The revision of a ReplicaSet; on a Deployment, its latest revision.
    pub const DEPLOYMENT_REVISION: &str = "deployment.kubernetes.io/revision";
    /// Earlier revisions of a ReplicaSet; a rollback gives it a new revision.
    pub const DEPLOYMENT_REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
    /// Set on a PersistentVolumeClaim whose binding is complete.
    pub const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
    /// Set on a PersistentVolumeClaim or PersistentVolume if the controller, not a user, bound them to each other.
    pub const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
    /// The node that the scheduler chose for the first pod of a claim with the binding mode WaitForFirstConsumer.
    pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
    /// The StorageClass of a claim or volume, under the key that was used before v1.6.
    pub const BETA_STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
    /// Set to `true` on the StorageClass that is used for claims without one.
    pub const DEFAULT_STORAGE_CLASS: &str = "storageclass.kubernetes.io/is-default-class";
    /// Number of changes of a DaemonSet's template; its pods carry the number as a label.
    pub const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";
    /// The manifest of the last client-side `kubectl apply`.
    pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
    /// The cause of a revision, as `kubectl rollout history` prints it.
    pub const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";
    /// Deletion cost of a pod: a ReplicaSet that scales down deletes pods with a lower cost first.
    pub const POD_DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
    /// The class of an Ingress; deprecated in favour of `spec.ingressClassName`.
    pub const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";
    /// Number of seconds for which a kubelet may cache Secrets and ConfigMaps.
    pub const NODE_TTL: &str = "node.alpha.kubernetes.io/ttl";
    /// The seccomp profile of a pod; deprecated in favour of `securityContext.seccompProfile`.
    pub const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
}

/// Names of finalizers.
pub mod finalizer {
    /// Prevents the deletion of a PersistentVolumeClaim while a pod uses it.
    pub const PVC_PROTECTION: &str = "kubernetes.io/pvc-protection";
    /// Prevents the deletion of a PersistentVolume while it is bound to a claim.
    pub const PV_PROTECTION: &str = "kubernetes.io/pv-protection";
    /// Prevents the deletion of a VolumeAttributesClass while a claim or volume uses it.
    pub const VAC_PROTECTION: &str = "kubernetes.io/vac-protection";
    /// Prevents the deletion of a finished pod until its Job has counted it.
    pub const JOB_TRACKING: &str = "batch.kubernetes.io/job-tracking";
}

/// Names that a StorageClass can have as its provisioner.
pub mod provisioner {
    /// The provisioner of a StorageClass whose volumes are created by hand.
    pub const NONE: &str = "kubernetes.io/no-provisioner";
}

/// Types of conditions.
pub mod condition {
    /// On a node: the kubelet reports that the node accepts pods. On a pod: the pod may receive requests (LC-107).
    pub const READY: &str = "Ready";
    /// On a node: memory is short.
    pub const MEMORY_PRESSURE: &str = "MemoryPressure";
    /// On a node: disk space or inodes are short.
    pub const DISK_PRESSURE: &str = "DiskPressure";
    /// On a node: process IDs are short.
    pub const PID_PRESSURE: &str = "PIDPressure";
    /// On a node: its network has not been set up.
    pub const NETWORK_UNAVAILABLE: &str = "NetworkUnavailable";
    /// On a pod: the scheduler has bound the pod; otherwise the condition has the reason why not.
    pub const POD_SCHEDULED: &str = "PodScheduled";
    /// On a pod: its sandbox exists and has a network.
    pub const POD_READY_TO_START_CONTAINERS: &str = "PodReadyToStartContainers";
    /// On a pod: all init containers have succeeded, and all sidecars have started.
    pub const INITIALIZED: &str = "Initialized";
    /// On a pod: all containers are ready; readiness gates are not counted.
    pub const CONTAINERS_READY: &str = "ContainersReady";
    /// On a pod: a disruption such as preemption or eviction is about to terminate it.
    pub const DISRUPTION_TARGET: &str = "DisruptionTarget";
    /// On a pod: the kubelet has not accepted a requested resize yet.
    pub const POD_RESIZE_PENDING: &str = "PodResizePending";
    /// On a pod: an accepted resize has not been applied to all containers yet.
    pub const POD_RESIZE_IN_PROGRESS: &str = "PodResizeInProgress";
    /// On a pod: the exit of one container makes all its containers restart.
    pub const ALL_CONTAINERS_RESTARTING: &str = "AllContainersRestarting";
    /// On a Deployment: whether a rollout advances, is complete, or has exceeded its deadline.
    pub const PROGRESSING: &str = "Progressing";
    /// On a Deployment: at least the minimum number of its pods is available.
    pub const AVAILABLE: &str = "Available";
    /// On a Deployment or ReplicaSet: a pod could not be created or deleted.
    pub const REPLICA_FAILURE: &str = "ReplicaFailure";
    /// On a Job: it is suspended, so it has no running pods.
    pub const SUSPENDED: &str = "Suspended";
    /// On a Job: it has succeeded, and its remaining pods are being terminated.
    pub const SUCCESS_CRITERIA_MET: &str = "SuccessCriteriaMet";
    /// On a Job: it has failed, and its remaining pods are being terminated.
    pub const FAILURE_TARGET: &str = "FailureTarget";
}
