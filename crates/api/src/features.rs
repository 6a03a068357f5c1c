//! Features that a kubelet of a version declares in `status.declaredFeatures`, by name.

use crate::{Pod, Str};

/// All containers of a pod start anew when a rule says so.
pub const RESTART_ALL_CONTAINERS: &str = "RestartAllContainersOnContainerExits";
/// The resources of a pod as a whole change in place.
pub const POD_LEVEL_RESIZE: &str = "InPlacePodLevelResourcesVerticalScaling";
/// The resources of init containers that are no sidecars change in place.
pub const INIT_CONTAINER_RESIZE: &str = "InPlacePodVerticalScalingInitContainers";

/// What the kubelet of v1.36 declares with its default feature gates, sorted. The first is about exec and attach, which
/// nothing here does.
const OF_V1_36: [&str; 4] = [
    "ExtendWebSocketsToKubelet",
    POD_LEVEL_RESIZE,
    INIT_CONTAINER_RESIZE,
    RESTART_ALL_CONTAINERS,
];

/// What a kubelet of that version declares; kubelets before v1.36 declare nothing.
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
        OF_V1_36.map(Str::from).to_vec()
    } else {
        Vec::new()
    }
}

/// The features of its node that a pod needs to be started there.
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
