//! Which API versions and kinds a v1.36 API server serves, as far as manifests
//! name them: to tell a typing error from a kind that is only not simulated.

use crate::Kind;

/// The version of Kubernetes that everything here follows.
pub const KUBERNETES_VERSION: &str = "v1.36.3";

/// What becomes of an object of some `apiVersion` and `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// It is stored.
    Simulated(Kind),
    /// It is kept and listed.
    Kept,
    /// The API server has no such kind.
    Unserved,
}

/// Kinds of the built-in groups that are served and have no objects that are stored here.
const KEPT: &[(&str, &[&str])] = &[
    ("v1", &["Binding", "ComponentStatus"]),
    ("apiextensions.k8s.io/v1", &["CustomResourceDefinition"]),
    ("autoscaling/v1", &["HorizontalPodAutoscaler", "Scale"]),
    ("events.k8s.io/v1", &["Event"]),
    ("policy/v1", &["Eviction"]),
    (
        "resource.k8s.io/v1beta1",
        &["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
    ),
    (
        "resource.k8s.io/v1beta2",
        &["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
    ),
    ("storage.k8s.io/v1beta1", &["VolumeAttributesClass"]),
];

/// Groups that belong to the API server itself; any other group is somebody's CRD.
const BUILT_IN: &[&str] = &[
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// What becomes of an object of that `apiVersion` and `kind`.
pub(crate) fn look_up(api_version: &str, kind: &str) -> Served {
    if let Some(kind) = Kind::from_wire(api_version, kind) {
        return Served::Simulated(kind);
    }
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let kept = KEPT
        .iter()
        .any(|(served, kinds)| *served == api_version && kinds.contains(&kind));
    if kept || !BUILT_IN.contains(&group) {
        Served::Kept
    } else {
        Served::Unserved
    }
}

/// kubectl's words for a kind that is not served (VA-255).
pub(crate) fn no_matches(api_version: &str, kind: &str) -> String {
    format!("no matches for kind {kind:?} in version {api_version:?}")
}
