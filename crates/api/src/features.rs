//! Feature names that a kubelet declares in `status.declaredFeatures`, by version.

use crate::{Pod, Str};

/// A container's restart rule can restart all containers of the pod.
pub const RESTART_ALL_CONTAINERS: &str = "RestartAllContainersOnContainerExits";
/// Pod-level resources can be resized in place.
pub const POD_LEVEL_RESIZE: &str = "InPlacePodLevelResourcesVerticalScaling";
/// Resources of non-sidecar init containers can be resized in place.
pub const INIT_CONTAINER_RESIZE: &str = "InPlacePodVerticalScalingInitContainers";

/// Features that kubelet v1.36 declares with default feature gates, sorted. The first concerns exec and attach, which
/// are not simulated.
const FEATURES_DECLARED_BY_V1_36: [&str; 4] = [
    "ExtendWebSocketsToKubelet",
    POD_LEVEL_RESIZE,
    INIT_CONTAINER_RESIZE,
    RESTART_ALL_CONTAINERS,
];

/// Returns the features that a kubelet of this version declares; kubelets before v1.36 declare none.
///
/// ```
/// use podscope_api::features::declared_by;
/// assert_eq!(declared_by("v1.36.3").len(), 4);
/// assert!(declared_by("v1.35.6").is_empty() && declared_by("").is_empty());
/// ```
pub fn declared_by(kubelet_version: &str) -> Vec<Str> {
    let mut parts = kubelet_version.trim_start_matches('v').split('.');
    let mut number = || parts.next().and_then(|part| part.parse::<u32>().ok());
    if (number(), number()) >= (Some(1), Some(36)) {
        FEATURES_DECLARED_BY_V1_36.map(Str::from).to_vec()
    } else {
        Vec::new()
    }
}

/// Returns the features that a node must declare so that this pod can start on the node.
pub fn needed_by(pod: &Pod) -> impl Iterator<Item = &'static str> {
    let mut rules = pod
        .spec
        .all_containers()
        .flat_map(|container| &container.restart_policy_rules);
    let restarts_all = rules.any(|rule| &*rule.action == "RestartAllContainers");
    let has_own_users_on_host = pod.spec.host_network == Some(true) && pod.spec.host_users == Some(false);
    [
        (restarts_all, RESTART_ALL_CONTAINERS),
        (has_own_users_on_host, "UserNamespacesHostNetworkSupport"),
    ]
    .into_iter()
    .filter_map(|(is_needed, name)| is_needed.then_some(name))
}
