//! Tests of the fencing controller (V-05, CT-140 to CT-151).

use podscope_api::{Kind, Node, Pod};

use super::super::lab::Lab;
use super::super::{ControllerManagerSettings, FencingSettings};
use podscope_sim::Span;

const DB: &str = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 1, serviceName: db, selector: {matchLabels: {app: db}}, \
    template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: i}], tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]}}}}";

/// Returns a lab after 5 s, with or without the fencing controller, and the node of the pod `db-0`.
fn lab_with_db_node(manifests: &str, is_fencing_enabled: bool) -> (Lab, String) {
    let mut lab = Lab::with_settings(
        &["a-1", "b-1", "c-1"],
        manifests,
        ControllerManagerSettings::default(),
        podscope_sim::Switches::default(),
    );
    if is_fencing_enabled {
        lab.start_fencing(FencingSettings {
            enabled: true,
            ..FencingSettings::default()
        });
    }
    lab.run(Span::seconds(5));
    let node = lab.get::<Pod>("db-0").unwrap().spec.node_name.clone().unwrap();
    (lab, node.to_string())
}

/// The node is fenced, and marked out of service only after the confirmation. Its StatefulSet pod is then replaced.
/// Shows: V-05, V-06, CT-144
#[test]
fn lost_node_is_fenced_before_it_is_marked_out_of_service() {
    let (mut lab, node) = lab_with_db_node(DB, true);
    let uid = lab.get::<Pod>("db-0").unwrap().metadata.uid.clone();
    lab.partition(&node);
    lab.run(Span::seconds(80));
    assert_eq!(
        lab.records,
        Vec::<String>::new(),
        "the node has been Unknown for less than 30 s"
    );
    lab.run(Span::seconds(15));
    assert_eq!(lab.records, [format!("Fence(NodeName(\"{node}\"), Power)")]);
    let marked = lab
        .writes
        .iter()
        .rposition(|(_, write)| *write == format!("patch node {node}"));
    assert!(marked.is_some());
    lab.run(Span::seconds(40));
    assert_ne!(lab.get::<Pod>("db-0").unwrap().metadata.uid, uid);
    assert!(
        lab.get::<Node>(&node)
            .unwrap()
            .spec
            .taints
            .iter()
            .any(|taint| &*taint.key == "node.kubernetes.io/out-of-service")
    );
}

/// A node is not fenced if a pod forbids it, if most nodes are Unknown, or if fencing is disabled.
/// Shows: CT-143
#[test]
fn node_is_not_fenced_if_pod_forbids_or_most_nodes_are_lost() {
    let forbidden = DB.replace(
        "labels: {app: db}}, spec",
        "labels: {app: db}, annotations: {podscope.dev/fencing: never}}, spec",
    );
    for (name, manifests, enabled, partition_all) in [
        ("never", &*forbidden, true, false),
        ("off", DB, false, false),
        ("most are silent", DB, true, true),
    ] {
        let (mut lab, node) = lab_with_db_node(manifests, enabled);
        lab.partition(&node);
        if partition_all {
            for other in ["a-1", "b-1", "c-1"] {
                lab.partition(other);
            }
        }
        lab.run(Span::seconds(600));
        assert_eq!(lab.records, Vec::<String>::new(), "{name}");
        assert!(
            lab.get::<Pod>("db-0").is_some() && lab.objects().count_kind(Kind::Pod) == 1,
            "{name}"
        );
    }
}

#[test]
fn fencing_settings_parse_and_report_errors() {
    let read = |text: &str| FencingSettings::from_value(&serde_json::from_str(text).unwrap());
    let settings = read(r#"{"enabled": true, "mechanism": "storage", "detectAfter": "1m"}"#).unwrap();
    assert_eq!((settings.enabled, settings.detect_after), (true, Span::seconds(60)));
    let errors = read(r#"{"mechanism": "hope", "delay": 1}"#).unwrap_err();
    assert_eq!(errors.len(), 2);
}
