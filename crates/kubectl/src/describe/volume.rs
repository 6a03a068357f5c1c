//! `kubectl describe` of volumes (KC-071). A table lists the volume source types, each with its title and its fields.

use podscope_api::ordered::StableSort as _;
use serde_json::Value;

use super::super::jsonpath::value_text;
use super::super::text::TabbedText;

/// A field of a volume source: its title, its JSON name, and the text that is printed if it is absent.
type VolumeField = (&'static str, &'static str, &'static str);

/// A type of volume source: its JSON name, the text after `Type:`, and its fields.
type VolumeSourceFormat = (&'static str, &'static str, &'static [VolumeField]);

const READ_ONLY: VolumeField = ("ReadOnly:", "readOnly", "false");
const FS_TYPE: VolumeField = ("FSType:", "fsType", "");

/// The volume source types, in the order in which kubectl checks them.
const VOLUME_SOURCE_FORMATS: &[VolumeSourceFormat] = &[
    (
        "hostPath",
        "HostPath (bare host directory volume)",
        &[("Path:", "path", ""), ("HostPathType:", "type", "<none>")],
    ),
    (
        "emptyDir",
        "EmptyDir (a temporary directory that shares a pod's lifetime)",
        &[("Medium:", "medium", ""), ("SizeLimit:", "sizeLimit", "<unset>")],
    ),
    (
        "gcePersistentDisk",
        "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
        &[
            ("PDName:", "pdName", ""),
            FS_TYPE,
            ("Partition:", "partition", "0"),
            READ_ONLY,
        ],
    ),
    (
        "awsElasticBlockStore",
        "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
        &[
            ("VolumeID:", "volumeID", ""),
            FS_TYPE,
            ("Partition:", "partition", "0"),
            READ_ONLY,
        ],
    ),
    (
        "gitRepo",
        "GitRepo (a volume that is pulled from git when the pod is created)",
        &[("Repository:", "repository", ""), ("Revision:", "revision", "")],
    ),
    (
        "secret",
        "Secret (a volume populated by a Secret)",
        &[("SecretName:", "secretName", ""), ("Optional:", "optional", "false")],
    ),
    (
        "configMap",
        "ConfigMap (a volume populated by a ConfigMap)",
        &[("Name:", "name", ""), ("Optional:", "optional", "false")],
    ),
    (
        "nfs",
        "NFS (an NFS mount that lasts the lifetime of a pod)",
        &[("Server:", "server", ""), ("Path:", "path", ""), READ_ONLY],
    ),
    (
        "iscsi",
        "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
        &[
            ("TargetPortal:", "targetPortal", ""),
            ("IQN:", "iqn", ""),
            ("Lun:", "lun", "0"),
            ("ISCSIInterface", "iscsiInterface", ""),
            FS_TYPE,
            READ_ONLY,
            ("Portals:", "portals", "[]"),
            ("DiscoveryCHAPAuth:", "chapAuthDiscovery", "false"),
            ("SessionCHAPAuth:", "chapAuthSession", "false"),
            ("SecretRef:", "secretRef", "nil"),
            ("InitiatorName:", "initiatorName", "<none>"),
        ],
    ),
    (
        "glusterfs",
        "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
        &[("EndpointsName:", "endpoints", ""), ("Path:", "path", ""), READ_ONLY],
    ),
    (
        "persistentVolumeClaim",
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        &[("ClaimName:", "claimName", ""), READ_ONLY],
    ),
    (
        "rbd",
        "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
        &[
            ("CephMonitors:", "monitors", "[]"),
            ("RBDImage:", "image", ""),
            FS_TYPE,
            ("RBDPool:", "pool", ""),
            ("RadosUser:", "user", ""),
            ("Keyring:", "keyring", ""),
            ("SecretRef:", "secretRef", "nil"),
            READ_ONLY,
        ],
    ),
    (
        "azureDisk",
        "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
        &[
            ("DiskName:", "diskName", ""),
            ("DiskURI:", "diskURI", ""),
            ("Kind: ", "kind", "Shared"),
            ("FSType:", "fsType", "ext4"),
            ("CachingMode:", "cachingMode", "ReadWrite"),
            READ_ONLY,
        ],
    ),
    (
        "vsphereVolume",
        "vSphereVolume (a Persistent Disk resource in vSphere)",
        &[
            ("VolumePath:", "volumePath", ""),
            FS_TYPE,
            ("StoragePolicyName:", "storagePolicyName", ""),
        ],
    ),
    (
        "cinder",
        "Cinder (a Persistent Disk resource in OpenStack)",
        &[
            ("VolumeID:", "volumeID", ""),
            FS_TYPE,
            READ_ONLY,
            ("SecretRef:", "secretRef", "nil"),
        ],
    ),
    (
        "local",
        "LocalVolume (a persistent volume backed by local storage on a node)",
        &[("Path:", "path", "")],
    ),
    (
        "cephfs",
        "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
        &[
            ("Monitors:", "monitors", "[]"),
            ("Path:", "path", ""),
            ("User:", "user", ""),
            ("SecretFile:", "secretFile", ""),
            ("SecretRef:", "secretRef", "nil"),
            READ_ONLY,
        ],
    ),
    (
        "fc",
        "FC (a Fibre Channel disk)",
        &[
            ("TargetWWNs:", "targetWWNs", ""),
            ("LUN:", "lun", "<none>"),
            FS_TYPE,
            READ_ONLY,
        ],
    ),
    (
        "azureFile",
        "AzureFile (an Azure File Service mount on the host and bind mount to the pod)",
        &[
            ("SecretName:", "secretName", ""),
            ("ShareName:", "shareName", ""),
            READ_ONLY,
        ],
    ),
    (
        "flexVolume",
        "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
        &[
            ("Driver:", "driver", ""),
            FS_TYPE,
            ("SecretRef:", "secretRef", "nil"),
            READ_ONLY,
            ("Options:", "options", "map[]"),
        ],
    ),
    (
        "projected",
        "Projected (a volume that contains injected data from multiple sources)",
        &[],
    ),
    (
        "csi",
        "CSI (a Container Storage Interface (CSI) volume source)",
        &[("Driver:", "driver", ""), FS_TYPE, READ_ONLY],
    ),
    (
        "downwardAPI",
        "DownwardAPI (a volume populated by information about the pod)",
        &[],
    ),
    (
        "ephemeral",
        "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
        &[],
    ),
    (
        "image",
        "Image (a container image or OCI artifact)",
        &[("Reference:", "reference", ""), ("PullPolicy:", "pullPolicy", "")],
    ),
];

/// Prints the volumes of a pod, or with indentation those of a template.
pub(super) fn describe(volumes: &Value, indent: &str, text: &mut TabbedText) {
    let Some(volumes) = volumes.as_array().filter(|volumes| !volumes.is_empty()) else {
        return text.line(0, &format!("{indent}Volumes:\t<none>"));
    };
    text.line(0, &format!("{indent}Volumes:"));
    let name_indent = if indent.is_empty() { "" } else { " " };
    for volume in volumes {
        let name = volume.get("name").and_then(Value::as_str).unwrap_or_default();
        text.line(1, &format!("{name_indent}{name}:"));
        print_source(volume, false, text);
    }
}

/// Prints the source of a pod's volume or of a PersistentVolume.
pub(super) fn print_source(volume: &Value, is_persistent: bool, text: &mut TabbedText) {
    let found = VOLUME_SOURCE_FORMATS
        .iter()
        .find_map(|(name, title, fields)| Some((*name, *title, *fields, volume.get(name)?)));
    let Some((name, title, fields, source)) = found else {
        return text.line(1, "<unknown>");
    };
    text.line(2, &format!("Type:\t{title}"));
    for (title, field, absent) in fields {
        text.line(2, &format!("{title}\t{}", field_text(source.get(field), absent)));
        match (name, *field) {
            ("csi", "fsType") if is_persistent => {
                text.line(
                    2,
                    &format!("VolumeHandle:\t{}", field_text(source.get("volumeHandle"), "")),
                );
            }
            ("glusterfs", "endpoints") if is_persistent => {
                let namespace = field_text(source.get("endpointsNamespace"), "<unset>");
                text.line(2, &format!("EndpointsNamespace:\t{namespace}"));
            }
            ("azureFile", "secretName") if is_persistent => {
                let namespace = field_text(source.get("secretNamespace"), "");
                text.line(2, &format!("SecretNamespace:\t{namespace}"));
            }
            _ => {}
        }
    }
    match name {
        "csi" => print_volume_attributes(source.get("volumeAttributes"), text),
        "projected" => print_projected_sources(source, text),
        "downwardAPI" => print_downward_api_items(source, text),
        "ephemeral" => print_ephemeral_claim(source, text),
        _ => {}
    }
}

/// Formats the value of a field; returns `absent` if there is none.
fn field_text(value: Option<&Value>, absent: &str) -> String {
    match value {
        None | Some(Value::Null) => absent.to_owned(),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(value_text).collect();
            // The names of a Fibre Channel disk are joined by commas. Other lists have Go's format.
            if absent.is_empty() {
                items.join(", ")
            } else {
                format!("[{}]", items.join(" "))
            }
        }
        Some(Value::Object(map)) => match map.get("name") {
            Some(name) => format!("&LocalObjectReference{{Name:{},}}", value_text(name)),
            None => {
                let pairs: Vec<String> = map
                    .iter()
                    .map(|(key, value)| format!("{key}:{}", value_text(value)))
                    .collect();
                format!("map[{}]", pairs.join(" "))
            }
        },
        Some(value) => value_text(value),
    }
}

fn print_volume_attributes(attributes: Option<&Value>, text: &mut TabbedText) {
    let pairs: Vec<(String, String)> = attributes
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), value_text(value)))
        .collect();
    let Some(((key, value), rest)) = pairs.split_first() else {
        return text.line(2, "VolumeAttributes:\t<none>");
    };
    // kubectl indents both the part before the tab and the part after it.
    text.line(2, &format!("VolumeAttributes:\t    {key}={value}"));
    for (key, value) in rest {
        text.line(2, &format!("    \t    {key}={value}"));
    }
}

fn print_projected_sources(source: &Value, text: &mut TabbedText) {
    for part in source.get("sources").and_then(Value::as_array).into_iter().flatten() {
        let print_name_and_optional = |text: &mut TabbedText, title: &str, one: &Value| {
            text.line(2, &format!("{title}:\t{}", field_text(one.get("name"), "")));
            text.line(2, &format!("Optional:\t{}", field_text(one.get("optional"), "false")));
        };
        if let Some(secret) = part.get("secret") {
            print_name_and_optional(text, "SecretName", secret);
        } else if part.get("downwardAPI").is_some() {
            text.line(2, "DownwardAPI:\ttrue");
        } else if let Some(map) = part.get("configMap") {
            print_name_and_optional(text, "ConfigMapName", map);
        } else if let Some(token) = part.get("serviceAccountToken") {
            let seconds = field_text(token.get("expirationSeconds"), "3600");
            text.line(2, &format!("TokenExpirationSeconds:\t{seconds}"));
        }
    }
}

fn print_downward_api_items(source: &Value, text: &mut TabbedText) {
    text.line(2, "Items:");
    for item in source.get("items").and_then(Value::as_array).into_iter().flatten() {
        let path = field_text(item.get("path"), "");
        for from in ["/fieldRef/fieldPath", "/resourceFieldRef/resource"] {
            if let Some(from) = item.pointer(from) {
                text.line(3, &format!("{} -> {path}", value_text(from)));
            }
        }
    }
}

/// Prints the claim template of an ephemeral volume, without fields that are only set when the claim exists.
fn print_ephemeral_claim(source: &Value, text: &mut TabbedText) {
    let Some(template) = source.get("volumeClaimTemplate") else {
        return;
    };
    let spec = |field: &str| field_text(template.pointer(&format!("/spec/{field}")), "");
    text.line(2, &format!("StorageClass:\t{}", spec("storageClassName")));
    text.line(2, &format!("Volume:\t{}", spec("volumeName")));
    // From the second line on, kubectl indents a label before and after the tab, but an annotation only after it.
    for (title, field, separator, indent) in [
        ("Labels", "labels", "=", "    "),
        ("Annotations", "annotations", ": ", ""),
    ] {
        let map = template
            .pointer(&format!("/metadata/{field}"))
            .and_then(Value::as_object);
        let mut pairs: Vec<String> = map
            .into_iter()
            .flatten()
            .map(|(key, value)| format!("{key}{separator}{}", value_text(value)))
            .collect();
        pairs.stable_sort();
        if pairs.is_empty() {
            pairs.push("<none>".into());
        }
        for (at, pair) in pairs.iter().enumerate() {
            let title = if at == 0 { format!("{title}:") } else { indent.into() };
            text.line(2, &format!("{title}\t    {pair}"));
        }
    }
    text.line(2, "Capacity:\t");
    text.line(2, "Access Modes:\t");
    if let Some(mode) = template.pointer("/spec/volumeMode") {
        text.line(2, &format!("VolumeMode:\t{}", value_text(mode)));
    }
}
