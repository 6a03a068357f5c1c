//! The served resources, and discovery documents in both forms (HT-092 to HT-101). The table in `discovery.tsv` was
//! recorded from a real v1.36 API server; it contains only what [`Kind`] does not know.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use podscope_api::custom::{Definition, intern};
use podscope_api::schema::{self, ServedKind};
use podscope_api::{Kind, hash};
use podscope_cluster::Objects;
use podscope_kubectl::rest::stored_kind;
use serde_json::{Value, json};

use crate::negotiate::ResponseShape;

const DISCOVERY_TABLE: &str = include_str!("discovery.tsv");
/// Groups in the order of a real server's discovery. The order decides how clients resolve a name without a group (HT-101).
const GROUP_ORDER: [&str; 21] = [
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "metrics.k8s.io",
];

/// A resource or a subresource.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) api_version: &'static str,
    /// Plural name, with the subresource if there is one: `pods`, `pods/log`.
    pub(crate) name: &'static str,
    singular: &'static str,
    pub(crate) kind: &'static str,
    /// API version of the kind if it differs from the resource's, such as `autoscaling/v1`.
    kind_version: &'static str,
    pub(crate) is_namespaced: bool,
    pub(crate) verbs: Vec<&'static str>,
    short_names: Vec<&'static str>,
    categories: Vec<&'static str>,
    hash: &'static str,
    /// The kind, if this is a custom resource.
    custom: Option<Kind>,
}

fn split_at_commas(text: &'static str) -> Vec<&'static str> {
    text.split(',').filter(|word| !word.is_empty()).collect()
}

/// Returns all built-in resources, in the order of the table.
pub(crate) fn built_in_resources() -> &'static [Resource] {
    static RESOURCES: OnceLock<Vec<Resource>> = OnceLock::new();
    RESOURCES.get_or_init(|| {
        let rows = DISCOVERY_TABLE.lines().filter(|line| !line.starts_with('#'));
        rows.filter_map(parse_table_row).collect()
    })
}

/// Parses a row of the table. Empty cells are filled from the [`Kind`] of the resource.
fn parse_table_row(row: &'static str) -> Option<Resource> {
    let mut cells = row.split('\t');
    let mut next = || cells.next().unwrap_or_default();
    let (api_version, name, singular, kind) = (next(), next(), next(), next());
    let (kind, kind_version) = kind.split_once(" (").unwrap_or((kind, ""));
    let resource = Resource {
        api_version,
        name,
        singular,
        kind,
        kind_version: kind_version.trim_end_matches(')'),
        is_namespaced: next() == "N",
        verbs: split_at_commas(next()),
        short_names: split_at_commas(next()),
        categories: split_at_commas(next()),
        hash: next(),
        custom: None,
    };
    let mut kinds = Kind::ALL.iter();
    let resource = match kinds.find(|kind| kind.api_version() == api_version && kind.plural() == name) {
        Some(kind) => Resource {
            singular: kind.singular(),
            kind: kind.name(),
            is_namespaced: kind.is_namespaced(),
            short_names: kind.short_names().to_vec(),
            ..resource
        },
        None => resource,
    };
    (!name.is_empty()).then_some(resource)
}

/// Returns all built-in resources, then all custom resources.
pub(crate) fn all_resources(objects: &Objects) -> Vec<Cow<'static, Resource>> {
    let built_in = built_in_resources().iter().map(Cow::Borrowed);
    built_in
        .chain(custom_resources(objects).into_iter().map(Cow::Owned))
        .collect()
}

const CUSTOM_VERBS: [&str; 8] = [
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
];

/// Returns the custom resources, each with its subresources: one for each established definition and served version.
fn custom_resources(objects: &Objects) -> Vec<Resource> {
    let mut found = Vec::new();
    for object in objects.definitions() {
        let Some(definition) = Definition::of(&object).filter(|definition| definition.is_established()) else {
            continue;
        };
        for version in definition.served_versions() {
            let kind = version.kind();
            let hash = hash::fnv1a(hash::EMPTY, format!("{}/{}", kind.api_version(), kind.name()).bytes());
            let words = |words: Vec<&str>| words.into_iter().map(intern).collect();
            let whole = Resource {
                api_version: kind.api_version(),
                name: kind.plural(),
                singular: kind.singular(),
                kind: kind.name(),
                kind_version: "",
                is_namespaced: kind.is_namespaced(),
                verbs: CUSTOM_VERBS.to_vec(),
                short_names: words(version.short_names()),
                categories: words(version.categories()),
                hash: intern(&STANDARD.encode(hash.to_be_bytes())),
                custom: Some(kind),
            };
            let part = |name: &str| Resource {
                name: intern(&format!("{}/{name}", whole.name)),
                singular: "",
                verbs: vec!["get", "patch", "update"],
                short_names: Vec::new(),
                categories: Vec::new(),
                hash: "",
                ..whole.clone()
            };
            let status = version.has_status().then(|| part("status"));
            let scale = version.scale().map(|_| Resource {
                kind: "Scale",
                kind_version: "autoscaling/v1",
                ..part("scale")
            });
            let parts = status.into_iter().chain(scale);
            found.extend([whole.clone()].into_iter().chain(parts));
        }
    }
    found
}

/// Returns the groups of all resources: built-in groups, then custom groups by name.
fn groups_of(all: &[Cow<'static, Resource>]) -> Vec<&'static str> {
    let mut groups = GROUP_ORDER.to_vec();
    for resource in all.iter().filter(|resource| resource.custom.is_some()) {
        let group = resource.api_version.split_once('/').map_or("", |(group, _)| group);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups[GROUP_ORDER.len()..].sort_unstable();
    groups
}

/// Finds a resource or subresource of an API version.
pub(crate) fn find(
    api_version: &str,
    resource: &str,
    subresource: &str,
    objects: &Objects,
) -> Option<Cow<'static, Resource>> {
    all_resources(objects).into_iter().find(|one| {
        one.api_version == api_version
            && match one.name.split_once('/') {
                None => one.name == resource && subresource.is_empty(),
                Some((of, sub)) => of == resource && sub == subresource,
            }
    })
}

/// Returns whether a group is not built in.
pub(crate) fn is_custom_group(group: &str) -> bool {
    !group.is_empty() && !GROUP_ORDER.contains(&group)
}

/// Returns whether a group is served in any version.
pub(crate) fn has_group(group: &str, objects: &Objects) -> bool {
    GROUP_ORDER.contains(&group) || groups_of(&all_resources(objects)).contains(&group)
}

impl Resource {
    /// Returns the served and the stored kind of the resource; None if its objects are not stored.
    pub(crate) fn served_and_stored_kind(&self) -> Option<(ServedKind, Kind)> {
        if let Some(kind) = self.custom {
            return Some((schema::served_custom_kind(kind), kind));
        }
        let name = self.name.split('/').next().unwrap_or_default();
        let served = schema::served_resource(self.api_version, name)?;
        Some((served, stored_kind(served)?))
    }

    /// Returns the kind, if this is a custom resource.
    pub(crate) fn custom_kind(&self) -> Option<Kind> {
        self.custom
    }

    fn as_api_resource(&self) -> Value {
        let mut value = json!({
            "name": self.name,
            "singularName": self.singular,
            "namespaced": self.is_namespaced,
        });
        if let Some((group, version)) = self.kind_group_version_if_different() {
            value["group"] = group.into();
            value["version"] = version.into();
        }
        value["kind"] = self.kind.into();
        value["verbs"] = json!(self.verbs);
        for (field, words) in [("shortNames", &self.short_names), ("categories", &self.categories)] {
            if !words.is_empty() {
                value[field] = json!(words);
            }
        }
        if !self.hash.is_empty() {
            value["storageVersionHash"] = self.hash.into();
        }
        value
    }

    /// Returns group and version of the resource's kind.
    pub(crate) fn kind_group_version(&self) -> (&'static str, &'static str) {
        let own = self.api_version.split_once('/').unwrap_or(("", self.api_version));
        self.kind_group_version_if_different().unwrap_or(own)
    }

    /// Returns group and version of the kind, if they differ from the resource's.
    fn kind_group_version_if_different(&self) -> Option<(&'static str, &'static str)> {
        match self.kind_version {
            "" => None,
            version => Some(version.split_once('/').unwrap_or(("", version))),
        }
    }

    fn response_kind(&self) -> Value {
        // For built-in kinds, group and version are omitted if they equal the resource's.
        let (group, version) = match self.custom {
            Some(_) => self.kind_group_version(),
            None => self.kind_group_version_if_different().unwrap_or_default(),
        };
        json!({"group": group, "version": version, "kind": self.kind})
    }
}

/// Returns the versions of a group, preferred version first.
fn versions_of_group(group: &str, all: &[Cow<'static, Resource>]) -> Vec<&'static str> {
    let mut found: Vec<&str> = Vec::new();
    for resource in all {
        let (own, version) = resource
            .api_version
            .split_once('/')
            .unwrap_or(("", resource.api_version));
        if own == group && !found.contains(&version) {
            found.push(version);
        }
    }
    found
}

fn api_version_of(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

/// Returns the response to `/api`.
pub(crate) fn api_versions_response(address: &str) -> Value {
    json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// Returns the response to `/apis`.
pub(crate) fn api_group_list_response(objects: &Objects) -> Value {
    let all = all_resources(objects);
    let groups: Vec<Value> = groups_of(&all).iter().map(|group| group_value(group, &all)).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

fn group_value(group: &str, all: &[Cow<'static, Resource>]) -> Value {
    let versions: Vec<Value> = versions_of_group(group, all)
        .iter()
        .map(|version| json!({"groupVersion": api_version_of(group, version), "version": version}))
        .collect();
    json!({"name": group, "versions": versions, "preferredVersion": versions.first()})
}

/// Returns the response to `/apis/GROUP`.
pub(crate) fn api_group_response(group: &str, objects: &Objects) -> Value {
    let mut value = json!({"kind": "APIGroup", "apiVersion": "v1"});
    if let (Some(to), Value::Object(from)) = (value.as_object_mut(), group_value(group, &all_resources(objects))) {
        to.extend(from);
    }
    value
}

/// Returns the response to `/api/v1` and `/apis/GROUP/VERSION`; None if the version is not served.
pub(crate) fn api_resource_list_response(api_version: &str, objects: &Objects) -> Option<Value> {
    let found: Vec<Value> = all_resources(objects)
        .iter()
        .filter(|resource| resource.api_version == api_version)
        .map(|resource| resource.as_api_resource())
        .collect();
    if found.is_empty() {
        return None;
    }
    let mut value = json!({"kind": "APIResourceList"});
    if api_version != "v1" {
        value["apiVersion"] = "v1".into();
    }
    value["groupVersion"] = api_version.into();
    value["resources"] = found.into();
    Some(value)
}

/// Returns the aggregated discovery (HT-096) of the core group, or of all other groups.
pub(crate) fn aggregated_discovery(is_core: bool, shape: ResponseShape, objects: &Objects) -> Value {
    let all = all_resources(objects);
    let groups = if is_core { vec![""] } else { groups_of(&all) };
    let items: Vec<Value> = groups.iter().map(|group| aggregated_group(group, &all)).collect();
    let version = match shape {
        ResponseShape::Discovery { version } => version,
        _ => "v2",
    };
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": format!("apidiscovery.k8s.io/{version}"),
        "metadata": {},
        "items": items,
    })
}

fn aggregated_group(group: &str, all: &[Cow<'static, Resource>]) -> Value {
    let version = |version: &&str| {
        let of = api_version_of(group, version);
        let mut subresources: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        let mut whole: Vec<&Resource> = Vec::new();
        for resource in all.iter().filter(|resource| resource.api_version == of) {
            match resource.name.split_once('/') {
                None => whole.push(resource),
                Some((name, sub)) => subresources.entry(name).or_default().push(json!({
                    "subresource": sub,
                    "responseKind": resource.response_kind(),
                    "verbs": resource.verbs,
                })),
            }
        }
        let resources: Vec<Value> = whole
            .iter()
            .map(|resource| {
                let mut value = json!({
                    "resource": resource.name,
                    "responseKind": resource.response_kind(),
                    "scope": if resource.is_namespaced { "Namespaced" } else { "Cluster" },
                    "singularResource": resource.singular,
                    "verbs": resource.verbs,
                });
                for (field, words) in [
                    ("shortNames", &resource.short_names),
                    ("categories", &resource.categories),
                ] {
                    if !words.is_empty() {
                        value[field] = json!(words);
                    }
                }
                if let Some(subresources) = subresources.get(resource.name) {
                    value["subresources"] = json!(subresources);
                }
                value
            })
            .collect();
        json!({"version": version, "resources": resources, "freshness": "Current"})
    };
    let versions: Vec<Value> = versions_of_group(group, all).iter().map(version).collect();
    let metadata = if group.is_empty() {
        json!({})
    } else {
        json!({"name": group})
    };
    json!({"metadata": metadata, "versions": versions})
}

/// Returns the response to `/version` (HT-092).
pub(crate) fn version_response() -> Value {
    json!({
        "major": "1",
        "minor": "36",
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": podscope_api::KUBERNETES_VERSION,
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "gc",
        "platform": "linux/amd64",
    })
}
