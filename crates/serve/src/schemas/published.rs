//! Required fields, defaults and enumerations in the published schemas of built-in kinds.
//!
//! The required fields are listed in `required.txt`. A default follows from the Go type of the field: it is `{}` for a
//! struct that is not a pointer, and the zero value for a required scalar. [`EXPLICIT_DEFAULTS`] lists the few other
//! defaults.
//!
//! Enumerations are the types that the source of Kubernetes marks with `+enum`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use podscope_api::schema::{GoType, Shape, StructField};
use podscope_api::{ADDRESS_TYPES, HOST_PATH_TYPES, PROC_MOUNT_TYPES, QUOTA_SCOPES, schema};
use serde_json::{Value, json};

const REQUIRED_FIELDS_TABLE: &str = include_str!("required.txt");

/// Returns the required fields of a schema, such as `io.k8s.api.core.v1.Container`.
pub(super) fn required_fields(schema: &str) -> &'static [&'static str] {
    static REQUIRED_FIELDS: OnceLock<BTreeMap<String, Vec<&str>>> = OnceLock::new();
    let all = REQUIRED_FIELDS.get_or_init(|| {
        let mut package = "";
        let rows = REQUIRED_FIELDS_TABLE.lines().filter(|line| !line.starts_with('#'));
        rows.filter_map(|line| {
            let (name, fields) = line.split_once(' ')?;
            if name == "=" {
                package = fields;
                return None;
            }
            Some((format!("{package}.{name}"), fields.split(',').collect()))
        })
        .collect()
    });
    all.get(schema).map_or(&[], Vec::as_slice)
}

/// Defaults that do not follow from the Go type: struct, field, default.
const EXPLICIT_DEFAULTS: [(&str, &str, &str); 13] = [
    ("AzureDiskVolumeSource", "cachingMode", "ReadWrite"),
    ("AzureDiskVolumeSource", "fsType", "ext4"),
    ("AzureDiskVolumeSource", "kind", "Shared"),
    ("ContainerPort", "protocol", "TCP"),
    ("ISCSIPersistentVolumeSource", "iscsiInterface", "default"),
    ("ISCSIVolumeSource", "iscsiInterface", "default"),
    ("RBDPersistentVolumeSource", "pool", "rbd"),
    ("RBDPersistentVolumeSource", "user", "admin"),
    ("RBDVolumeSource", "pool", "rbd"),
    ("RBDVolumeSource", "user", "admin"),
    ("ScaleIOPersistentVolumeSource", "storageMode", "ThinProvisioned"),
    ("ScaleIOVolumeSource", "storageMode", "ThinProvisioned"),
    ("ServicePort", "protocol", "TCP"),
];

/// Returns the default of a field, if it has one.
pub(super) fn field_default(struct_name: &str, field: StructField, is_required: bool) -> Option<Value> {
    if let Some((.., own)) = EXPLICIT_DEFAULTS
        .iter()
        .find(|(name, known, _)| *name == struct_name && *known == field.name)
    {
        return Some((*own).into());
    }
    match field.of.shape() {
        Shape::Struct(_) => (!field.of.is_pointer()).then(|| json!({})),
        Shape::Leaf(leaf) if is_required => match schema::plain_type_name(leaf) {
            "string" => Some("".into()),
            "int32" | "int64" => Some(0.into()),
            "bool" => Some(false.into()),
            _ => None,
        },
        _ => None,
    }
}

/// Go types whose values Podscope knows, but which are not marked with `+enum`.
const NOT_MARKED_AS_ENUM: [&str; 10] = [
    "ConditionStatus",
    "ContainerRestartPolicy",
    "ContainerRestartRuleAction",
    "ContainerRestartRuleOnExitCodesOperator",
    "LabelSelectorOperator",
    "LimitType",
    "OSName",
    "RecursiveReadOnlyMode",
    "ResourceResizeRestartPolicy",
    "bool",
];

/// Enumerations whose values are not in the table of `podscope_api::schema`.
const FURTHER_ENUMS: [(&str, &[&str]); 6] = [
    ("AddressType", ADDRESS_TYPES),
    ("HostPathType", HOST_PATH_TYPES),
    ("NamespacePhase", &["Active", "Terminating"]),
    ("ProcMountType", PROC_MOUNT_TYPES),
    ("ResourceQuotaScope", QUOTA_SCOPES),
    ("Signal", STOP_SIGNALS),
];

/// Stop signals of a container. Which of them a pod may use depends on its operating system.
const STOP_SIGNALS: &[&str] = &[
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGRTMIN",
    "SIGRTMIN+1",
    "SIGRTMIN+2",
    "SIGRTMIN+3",
    "SIGRTMIN+4",
    "SIGRTMIN+5",
    "SIGRTMIN+6",
    "SIGRTMIN+7",
    "SIGRTMIN+8",
    "SIGRTMIN+9",
    "SIGRTMIN+10",
    "SIGRTMIN+11",
    "SIGRTMIN+12",
    "SIGRTMIN+13",
    "SIGRTMIN+14",
    "SIGRTMIN+15",
    "SIGRTMAX-14",
    "SIGRTMAX-13",
    "SIGRTMAX-12",
    "SIGRTMAX-11",
    "SIGRTMAX-10",
    "SIGRTMAX-9",
    "SIGRTMAX-8",
    "SIGRTMAX-7",
    "SIGRTMAX-6",
    "SIGRTMAX-5",
    "SIGRTMAX-4",
    "SIGRTMAX-3",
    "SIGRTMAX-2",
    "SIGRTMAX-1",
    "SIGRTMAX",
];

/// Returns the sorted values that the published schema lists for a type; empty for types that are no enumeration there,
/// although Podscope may know their values ([`NOT_MARKED_AS_ENUM`]).
pub(super) fn enum_values(of: GoType) -> Vec<&'static str> {
    let Shape::Leaf(leaf) = of.shape() else {
        return Vec::new();
    };
    let name = schema::go_type_name(leaf);
    if NOT_MARKED_AS_ENUM.contains(&name) {
        return Vec::new();
    }
    let further = FURTHER_ENUMS.iter().find(|(known, _)| *known == name);
    let mut values = further.map_or(of.accepted_values(), |(_, values)| values).to_vec();
    values.sort_unstable();
    values
}
