//! This crate parses a manifest as the official API types (`k8s-openapi`) do, and loses nothing (P-03).

use k8s_openapi::api::{apps, autoscaling, batch, coordination, core, networking, policy, rbac, scheduling, storage};
use podscope_api::schema::{GoType, Rejection, Shape, Struct, decode_object, served};
use podscope_api::{Kind, Quantity, Tree, ordered, parse};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn decode_and_print<T: DeserializeOwned + serde::Serialize>(value: &Value) -> Value {
    let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}\n{value}"));
    serde_json::to_value(typed).expect("a tree")
}

/// Decodes an object with the Rust types of `k8s-openapi` and returns it as they print it.
fn print_by_k8s_openapi(kind: Kind, value: &Value) -> Value {
    match kind {
        Kind::Namespace => decode_and_print::<core::v1::Namespace>(value),
        Kind::Node => decode_and_print::<core::v1::Node>(value),
        Kind::Pod => decode_and_print::<core::v1::Pod>(value),
        Kind::Lease => decode_and_print::<coordination::v1::Lease>(value),
        Kind::ReplicationController => decode_and_print::<core::v1::ReplicationController>(value),
        Kind::ReplicaSet => decode_and_print::<apps::v1::ReplicaSet>(value),
        Kind::Deployment => decode_and_print::<apps::v1::Deployment>(value),
        Kind::StatefulSet => decode_and_print::<apps::v1::StatefulSet>(value),
        Kind::DaemonSet => decode_and_print::<apps::v1::DaemonSet>(value),
        Kind::Job => decode_and_print::<batch::v1::Job>(value),
        Kind::PodDisruptionBudget => decode_and_print::<policy::v1::PodDisruptionBudget>(value),
        Kind::PriorityClass => decode_and_print::<scheduling::v1::PriorityClass>(value),
        Kind::Service => decode_and_print::<core::v1::Service>(value),
        Kind::PersistentVolume => decode_and_print::<core::v1::PersistentVolume>(value),
        Kind::PersistentVolumeClaim => decode_and_print::<core::v1::PersistentVolumeClaim>(value),
        Kind::StorageClass => decode_and_print::<storage::v1::StorageClass>(value),
        Kind::ConfigMap => decode_and_print::<core::v1::ConfigMap>(value),
        Kind::Event => decode_and_print::<core::v1::Event>(value),
        Kind::CronJob => decode_and_print::<batch::v1::CronJob>(value),
        Kind::Ingress => decode_and_print::<networking::v1::Ingress>(value),
        Kind::NetworkPolicy => decode_and_print::<networking::v1::NetworkPolicy>(value),
        Kind::ServiceAccount => decode_and_print::<core::v1::ServiceAccount>(value),
        Kind::ResourceQuota => decode_and_print::<core::v1::ResourceQuota>(value),
        Kind::LimitRange => decode_and_print::<core::v1::LimitRange>(value),
        Kind::Secret => decode_and_print::<core::v1::Secret>(value),
        Kind::HorizontalPodAutoscaler => decode_and_print::<autoscaling::v2::HorizontalPodAutoscaler>(value),
        Kind::Role => decode_and_print::<rbac::v1::Role>(value),
        Kind::RoleBinding => decode_and_print::<rbac::v1::RoleBinding>(value),
        Kind::ClusterRole => decode_and_print::<rbac::v1::ClusterRole>(value),
        Kind::ClusterRoleBinding => decode_and_print::<rbac::v1::ClusterRoleBinding>(value),
        other => panic!("no fixture should hold a {}", other.name()),
    }
}

/// Collects the scalars of a tree with their paths; nulls and empty lists and maps are skipped.
fn collect_leaves(value: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(map) => map
            .iter()
            .for_each(|(key, value)| collect_leaves(value, &format!("{path}/{key}"), found)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, value)| collect_leaves(value, &format!("{path}/{index}"), found)),
        Value::Null => {}
        leaf => found.push((path.to_owned(), leaf.clone())),
    }
}

/// Returns whether the values are equal, or the same quantity in different notations.
fn is_same_value(ours: Option<&Value>, theirs: &Value) -> bool {
    let amount = |value: &Value| match value {
        Value::String(text) => text.parse::<Quantity>().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    };
    ours == Some(theirs)
        || ours
            .and_then(amount)
            .is_some_and(|ours| amount(theirs).is_some_and(|theirs| ours == theirs))
}

/// Shows: P-03
#[test]
fn manifests_parse_and_print_like_k8s_openapi() {
    let mut compared = 0;
    for text in [
        include_str!("../fixtures/shop.yaml"),
        include_str!("../fixtures/database.yaml"),
        include_str!("../fixtures/dump.yaml"),
        include_str!("../fixtures/pods.json"),
    ] {
        for located in parse(text).objects {
            let object = located.value;
            let raw = located.at.parse_tree(text).expect("it is in the text").to_value();
            let ours = object.to_value();
            let theirs = print_by_k8s_openapi(object.kind(), &raw);
            let mut expected = Vec::new();
            collect_leaves(&theirs, "", &mut expected);
            assert!(!expected.is_empty());
            let pointer = |path: &str| {
                // A JSON pointer cannot find a key with a slash (a label), so search the leaves.
                let mut found = Vec::new();
                collect_leaves(&ours, "", &mut found);
                found
                    .into_iter()
                    .find(|(known, _)| known == path)
                    .map(|(_, value)| value)
            };
            // `k8s-openapi` always prints the kind of embedded objects.
            let embedded = |path: &str| {
                path.contains("/volumeClaimTemplates/") && (path.ends_with("/apiVersion") || path.ends_with("/kind"))
            };
            // Empty fields with `omitempty` are not stored (VA-355), but `k8s-openapi` prints them.
            let omitted = |path: &str, value: &Value| *value == Value::Bool(false) && pointer(path).is_none();
            for (path, value) in (expected.iter()).filter(|(path, value)| !embedded(path) && !omitted(path, value)) {
                assert!(
                    is_same_value(pointer(path).as_ref(), value),
                    "{} {}: {path}: ours {:?}, theirs {value}",
                    object.kind().name(),
                    object.key(),
                    pointer(path)
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared} fields compared");
}

/// Pairs of a Rust type and a Go struct with another name. The Rust type stands for several Go structs, so type errors
/// name the Rust type where Kubernetes names the Go struct.
const RUST_TYPES_OF_SEVERAL_GO_STRUCTS: [(&str, &str); 22] = [
    ("Container", "EphemeralContainer"),
    ("FilesProjection", "ConfigMapProjection"),
    ("FilesProjection", "SecretProjection"),
    ("IpAddress", "HostIP"),
    ("IpAddress", "PodIP"),
    ("IscsiVolume", "ISCSIPersistentVolumeSource"),
    ("IscsiVolume", "ISCSIVolumeSource"),
    ("KeySelector", "ConfigMapKeySelector"),
    ("KeySelector", "SecretKeySelector"),
    ("LocalObjectReference", "ConfigMapEnvSource"),
    ("LocalObjectReference", "SecretEnvSource"),
    ("PersistentVolumeClaimTemplate", "PersistentVolumeClaim"),
    ("PodAffinity", "PodAntiAffinity"),
    ("RbdVolume", "RBDPersistentVolumeSource"),
    ("RbdVolume", "RBDVolumeSource"),
    ("ReplicaSetStatus", "ReplicationControllerStatus"),
    ("ResourceRequirements", "VolumeResourceRequirements"),
    ("WorkloadCondition", "DeploymentCondition"),
    ("WorkloadCondition", "JobCondition"),
    ("WorkloadCondition", "ReplicaSetCondition"),
    ("WorkloadCondition", "ReplicationControllerCondition"),
    ("WorkloadCondition", "StatefulSetCondition"),
];

/// Returns a JSON value that a field of this Go type refuses.
fn refused_value(go_type: GoType) -> Value {
    match go_type.shape() {
        Shape::Leaf("bool") => json!(7),
        Shape::List(_) | Shape::Map(_) | Shape::Struct(_) | Shape::Leaf(_) => json!(true),
    }
}

fn wrap_in_lists_and_maps(go_type: GoType, value: Value) -> Value {
    match go_type.shape() {
        Shape::List(element) => json!([wrap_in_lists_and_maps(element, value)]),
        Shape::Map(element) => json!({"key": wrap_in_lists_and_maps(element, value)}),
        Shape::Struct(_) | Shape::Leaf(_) => value,
    }
}

/// For each field of a struct and of the structs inside it, calls `check` with an object in which only this field is
/// set, to a value of a wrong type.
fn for_each_refused_field(
    go_struct: Struct,
    above: &mut Vec<Struct>,
    wrap: &dyn Fn(Value) -> Value,
    check: &mut dyn FnMut(Value),
) {
    for field in go_struct.fields() {
        let wrap = |value: Value| wrap(json!({ field.name: value }));
        check(wrap(refused_value(field.of)));
        let Some(record) = field.of.innermost_struct().filter(|record| !above.contains(record)) else {
            continue;
        };
        above.push(record);
        for_each_refused_field(
            record,
            above,
            &|value| wrap(wrap_in_lists_and_maps(field.of, value)),
            check,
        );
        above.pop();
    }
}

/// Returns the name of the Go struct in the message of a type error.
fn struct_in_message(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("into Go struct field ")?;
    rest.split_once('.').map(|(holder, _)| holder)
}

/// For a wrong value in any field, the Rust types and the table of API fields name the same Go struct in their errors.
/// Shows: VA-238
#[test]
fn rust_types_and_field_table_name_same_go_struct_in_errors() {
    let (mut compared, mut shared) = (0, ordered::Set::new());
    for kind in Kind::ALL {
        let fields = served(kind.api_version(), kind.name()).expect("it is served").fields;
        let mut check = |mut document: Value| {
            document["apiVersion"] = kind.api_version().into();
            document["kind"] = kind.name().into();
            let problems = parse(&document.to_string()).problems;
            let ours = problems.iter().find_map(|problem| struct_in_message(&problem.message));
            let Err(Rejection::Type(theirs)) = decode_object(fields, &Tree::from_value(&document)) else {
                return;
            };
            // Kinds without a Rust type report type errors without the name of a struct.
            let ours = ours.filter(|ours| !ours.is_empty());
            if let (Some(ours), Some(theirs)) = (ours, struct_in_message(&theirs)) {
                compared += 1;
                if ours != theirs {
                    shared.insert((ours.to_owned(), theirs.to_owned()));
                }
            }
        };
        for_each_refused_field(fields, &mut vec![fields], &|value| value, &mut check);
    }
    let shared: Vec<(&str, &str)> = shared.iter().map(|(ours, theirs)| (&**ours, &**theirs)).collect();
    assert_eq!(shared, RUST_TYPES_OF_SEVERAL_GO_STRUCTS);
    assert!(compared > 2_000, "{compared} fields compared");
}
