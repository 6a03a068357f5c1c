//! API versions and kinds that a v1.36 API server serves. The lists distinguish a misspelt kind from a valid kind that
//! is not simulated.

use crate::Kind;

/// The Kubernetes version that Podscope simulates.
pub const KUBERNETES_VERSION: &str = "v1.36.3";

/// How an object is treated, depending on its `apiVersion` and `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServedAs {
    /// The object is stored as this kind.
    Simulated(Kind),
    /// The object is stored and listed, but not simulated.
    Untyped,
    /// The API server does not serve this kind.
    Unserved,
}

/// A resource that a v1.36 API server serves in addition to those of [`Kind`]: reviews, API extensions, and further
/// names of stored resources (KC-063).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherResource {
    /// Plural resource name.
    pub plural: &'static str,
    /// Short names kubectl accepts.
    pub short_names: &'static [&'static str],
    /// The `apiVersion` of the resource's objects.
    pub api_version: &'static str,
    /// Whether objects of the resource live in a namespace.
    pub is_namespaced: bool,
    /// The `kind` of the resource's objects.
    pub kind: &'static str,
    /// Supported verbs, separated by commas.
    pub verbs: &'static str,
    /// The category of the resource in kubectl; empty if it has none.
    pub category: &'static str,
}

/// The verbs that all stored resources support.
pub const ALL_VERBS: &str = "create,delete,deletecollection,get,list,patch,update,watch";
/// The kubectl category of resources that extend the API, such as APIServices.
pub const API_EXTENSIONS: &str = "api-extensions";
const AUTHENTICATION_VERSION: &str = "authentication.k8s.io/v1";
const AUTHORIZATION_VERSION: &str = "authorization.k8s.io/v1";
const ADMISSION_VERSION: &str = "admissionregistration.k8s.io/v1";

const fn create_only_resource(api_version: &'static str, plural: &'static str, kind: &'static str) -> OtherResource {
    OtherResource {
        plural,
        short_names: &[],
        api_version,
        is_namespaced: false,
        kind,
        verbs: "create",
        category: "",
    }
}

const fn api_extension_resource(api_version: &'static str, plural: &'static str, kind: &'static str) -> OtherResource {
    OtherResource {
        verbs: ALL_VERBS,
        category: API_EXTENSIONS,
        ..create_only_resource(api_version, plural, kind)
    }
}

/// Served resources that are not in [`Kind`], ordered by group and name.
pub const OTHER_RESOURCES: &[OtherResource] = &[
    OtherResource {
        is_namespaced: true,
        ..create_only_resource("v1", "bindings", "Binding")
    },
    OtherResource {
        short_names: &["cs"],
        verbs: "get,list",
        ..create_only_resource("v1", "componentstatuses", "ComponentStatus")
    },
    api_extension_resource(
        ADMISSION_VERSION,
        "mutatingadmissionpolicies",
        "MutatingAdmissionPolicy",
    ),
    api_extension_resource(
        ADMISSION_VERSION,
        "mutatingadmissionpolicybindings",
        "MutatingAdmissionPolicyBinding",
    ),
    create_only_resource(AUTHENTICATION_VERSION, "selfsubjectreviews", "SelfSubjectReview"),
    create_only_resource(AUTHENTICATION_VERSION, "tokenreviews", "TokenReview"),
    OtherResource {
        is_namespaced: true,
        ..create_only_resource(
            AUTHORIZATION_VERSION,
            "localsubjectaccessreviews",
            "LocalSubjectAccessReview",
        )
    },
    create_only_resource(
        AUTHORIZATION_VERSION,
        "selfsubjectaccessreviews",
        "SelfSubjectAccessReview",
    ),
    create_only_resource(
        AUTHORIZATION_VERSION,
        "selfsubjectrulesreviews",
        "SelfSubjectRulesReview",
    ),
    create_only_resource(AUTHORIZATION_VERSION, "subjectaccessreviews", "SubjectAccessReview"),
    OtherResource {
        short_names: &["ev"],
        is_namespaced: true,
        verbs: ALL_VERBS,
        ..create_only_resource("events.k8s.io/v1", "events", "Event")
    },
];

/// Group versions that are served in addition to the versions of the stored resources.
pub const OTHER_GROUP_VERSIONS: &[&str] = &["autoscaling/v1"];

/// Further kinds of built-in groups, by group version: kinds of subresources, and older versions of stored kinds.
const OTHER_SERVED_KINDS: &[(&str, &[&str])] = &[
    ("autoscaling/v1", &["Scale"]),
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

/// API groups that are built into the API server; objects of any other group are custom resources.
const BUILT_IN_GROUPS: &[&str] = &[
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

/// Looks up how an object with this `apiVersion` and `kind` is treated.
pub(crate) fn look_up(api_version: &str, kind: &str) -> ServedAs {
    if let Some(kind) = Kind::from_wire(api_version, kind) {
        return ServedAs::Simulated(kind);
    }
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let is_other = OTHER_RESOURCES
        .iter()
        .any(|other| (other.api_version, other.kind) == (api_version, kind));
    let is_kept = OTHER_SERVED_KINDS
        .iter()
        .any(|(served, kinds)| *served == api_version && kinds.contains(&kind));
    if is_other || is_kept || !BUILT_IN_GROUPS.contains(&group) {
        ServedAs::Untyped
    } else {
        ServedAs::Unserved
    }
}

/// Returns kubectl's message for a kind that is not served (VA-255).
#[must_use]
pub fn no_matches_message(api_version: &str, kind: &str) -> String {
    format!("no matches for kind {kind:?} in version {api_version:?}")
}
