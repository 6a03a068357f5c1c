//! The worked examples of topology spread constraints (seed document 004; S-10, S-12, SCH-071 to SCH-083) as one table:
//! a cluster, a pod and its feasible nodes.

use podscope_scheduler::cases::run_case;
use serde_json::{Value, json};

const ZONE_KEY: &str = "zone";
const NODE_KEY: &str = "node";

/// A node of the example cluster.
struct ExampleNode {
    name: &'static str,
    /// Key and value of the label for the node's zone.
    zone_label: Option<(&'static str, &'static str)>,
    /// Number of pods with the label `foo: bar` on the node.
    n_pods: usize,
}

const fn node_in_zone(name: &'static str, zone: &'static str, n_pods: usize) -> ExampleNode {
    ExampleNode {
        name,
        zone_label: Some((ZONE_KEY, zone)),
        n_pods,
    }
}

fn four_nodes() -> Vec<ExampleNode> {
    vec![
        node_in_zone("n1", "A", 1),
        node_in_zone("n2", "A", 1),
        node_in_zone("n3", "B", 1),
        node_in_zone("n4", "B", 0),
    ]
}

fn three_nodes() -> Vec<ExampleNode> {
    vec![
        node_in_zone("n1", "A", 2),
        node_in_zone("n2", "A", 1),
        node_in_zone("n3", "B", 2),
    ]
}

fn with_node(mut nodes: Vec<ExampleNode>, node: ExampleNode) -> Vec<ExampleNode> {
    nodes.push(node);
    nodes
}

fn spread_constraint(topology_key: &str, max_skew: i32, when_unsatisfiable: &str) -> Value {
    json!({"maxSkew": max_skew, "topologyKey": topology_key, "whenUnsatisfiable": when_unsatisfiable,
        "labelSelector": {"matchLabels": {"foo": "bar"}}})
}

fn hard_constraint(key: &str) -> Value {
    spread_constraint(key, 1, "DoNotSchedule")
}

fn soft_constraint(key: &str) -> Value {
    spread_constraint(key, 1, "ScheduleAnyway")
}

fn with_constraint_field(mut constraint: Value, field: &str, value: Value) -> Value {
    constraint[field] = value;
    constraint
}

/// Returns the pod `mypod` with the label `foo: bar` and these constraints.
fn pod(constraints: &[Value]) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "mypod", "namespace": "default", "uid": "mypod", "labels": {"foo": "bar"}},
        "spec": {"schedulerName": "default-scheduler", "containers": [{"name": "c", "image": "app:1"}], "topologySpreadConstraints": constraints},
        "status": {"phase": "Pending"}
    })
}

fn with_affinity_excluding_zone_c(mut pod: Value) -> Value {
    pod["spec"]["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": ZONE_KEY, "operator": "NotIn", "values": ["C"]}]}]}}});
    pod
}

fn scheduling_decision(nodes: &[ExampleNode], pod: &Value, namespace_of_others: &str) -> Value {
    let mut objects = vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}}),
    ];
    let size = json!({"cpu": "4", "memory": "8Gi", "pods": "110"});
    for ExampleNode { name, zone_label, .. } in nodes {
        let mut labels = json!({NODE_KEY: name, "kubernetes.io/hostname": name});
        if let Some((key, value)) = zone_label {
            labels[*key] = json!(value);
        }
        objects.push(
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"capacity": size, "allocatable": size}}),
        );
    }
    for ExampleNode { name, n_pods, .. } in nodes {
        for number in 0..*n_pods {
            objects.push(json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": format!("{name}-{number}"), "namespace": namespace_of_others, "uid": format!("{name}-{number}"), "labels": {"foo": "bar"}},
                "spec": {"nodeName": name, "containers": [{"name": "c", "image": "app:1"}]},
                "status": {"phase": "Running"}}));
        }
    }
    run_case(&json!({"name": "example", "objects": objects, "pod": pod})).expect("a decision")
}

fn feasible_nodes(decision: &Value) -> Vec<&str> {
    decision["feasible"]
        .as_array()
        .expect("feasible")
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

/// Shows: S-10
#[test]
fn worked_examples_have_their_feasible_nodes() {
    let zone_typo = || ExampleNode {
        name: "n5",
        zone_label: Some(("zone-typo", "C")),
        n_pods: 0,
    };
    let rows: Vec<(&str, Vec<ExampleNode>, Value, &[&str])> = vec![
        (
            "one constraint",
            four_nodes(),
            pod(&[hard_constraint(ZONE_KEY)]),
            &["n3", "n4"],
        ),
        (
            "maxSkew 2",
            four_nodes(),
            pod(&[spread_constraint(ZONE_KEY, 2, "DoNotSchedule")]),
            &["n1", "n2", "n3", "n4"],
        ),
        ("on nodes", four_nodes(), pod(&[hard_constraint(NODE_KEY)]), &["n4"]),
        (
            "both",
            four_nodes(),
            pod(&[hard_constraint(ZONE_KEY), hard_constraint(NODE_KEY)]),
            &["n4"],
        ),
        (
            "pod without the label",
            four_nodes(),
            {
                let mut pod = pod(&[hard_constraint(ZONE_KEY)]);
                pod["metadata"]["labels"] = json!({});
                pod
            },
            &["n1", "n2", "n3", "n4"],
        ),
        (
            "node without the key",
            with_node(four_nodes(), zone_typo()),
            pod(&[hard_constraint(ZONE_KEY)]),
            &["n3", "n4"],
        ),
        (
            "empty zone C",
            with_node(four_nodes(), node_in_zone("n5", "C", 0)),
            pod(&[hard_constraint(ZONE_KEY)]),
            &["n5"],
        ),
        (
            "zone C excluded",
            with_node(four_nodes(), node_in_zone("n5", "C", 0)),
            with_affinity_excluding_zone_c(pod(&[hard_constraint(ZONE_KEY)])),
            &["n3", "n4"],
        ),
        (
            "zone C excluded, policy Ignore",
            with_node(four_nodes(), node_in_zone("n5", "C", 0)),
            with_affinity_excluding_zone_c(pod(&[with_constraint_field(
                hard_constraint(ZONE_KEY),
                "nodeAffinityPolicy",
                json!("Ignore"),
            )])),
            &[],
        ),
        (
            "conflict",
            three_nodes(),
            pod(&[hard_constraint(ZONE_KEY), hard_constraint(NODE_KEY)]),
            &[],
        ),
        (
            "maxSkew 2 on zone",
            three_nodes(),
            pod(&[
                spread_constraint(ZONE_KEY, 2, "DoNotSchedule"),
                hard_constraint(NODE_KEY),
            ]),
            &["n2"],
        ),
        (
            "maxSkew 2 on node",
            three_nodes(),
            pod(&[
                hard_constraint(ZONE_KEY),
                spread_constraint(NODE_KEY, 2, "DoNotSchedule"),
            ]),
            &["n3"],
        ),
        (
            "maxSkew 2 on both",
            three_nodes(),
            pod(&[
                spread_constraint(ZONE_KEY, 2, "DoNotSchedule"),
                spread_constraint(NODE_KEY, 2, "DoNotSchedule"),
            ]),
            &["n1", "n2", "n3"],
        ),
        (
            "ScheduleAnyway on zone",
            three_nodes(),
            pod(&[soft_constraint(ZONE_KEY), hard_constraint(NODE_KEY)]),
            &["n2"],
        ),
        (
            "ScheduleAnyway on node",
            three_nodes(),
            pod(&[hard_constraint(ZONE_KEY), soft_constraint(NODE_KEY)]),
            &["n3"],
        ),
        (
            "one less on n1",
            vec![
                node_in_zone("n1", "A", 1),
                node_in_zone("n2", "A", 1),
                node_in_zone("n3", "B", 2),
            ],
            pod(&[hard_constraint(ZONE_KEY), hard_constraint(NODE_KEY)]),
            &["n1", "n2"],
        ),
        (
            "one less on n2",
            vec![
                node_in_zone("n1", "A", 2),
                node_in_zone("n2", "A", 0),
                node_in_zone("n3", "B", 2),
            ],
            pod(&[hard_constraint(ZONE_KEY), hard_constraint(NODE_KEY)]),
            &["n2"],
        ),
        (
            "one less on n3",
            vec![
                node_in_zone("n1", "A", 2),
                node_in_zone("n2", "A", 1),
                node_in_zone("n3", "B", 1),
            ],
            pod(&[hard_constraint(ZONE_KEY), hard_constraint(NODE_KEY)]),
            &["n3"],
        ),
        (
            "n1 without the zone key",
            vec![
                ExampleNode {
                    name: "n1",
                    zone_label: None,
                    n_pods: 2,
                },
                node_in_zone("n2", "A", 1),
                node_in_zone("n3", "B", 2),
            ],
            pod(&[hard_constraint(ZONE_KEY), hard_constraint(NODE_KEY)]),
            &["n2"],
        ),
        (
            "2, 2, 1",
            vec![
                node_in_zone("n1", "A", 2),
                node_in_zone("n2", "B", 2),
                node_in_zone("n3", "C", 1),
            ],
            pod(&[hard_constraint(ZONE_KEY)]),
            &["n3"],
        ),
        (
            "minDomains 3 of two",
            vec![node_in_zone("n1", "A", 1), node_in_zone("n2", "B", 1)],
            pod(&[with_constraint_field(hard_constraint(ZONE_KEY), "minDomains", json!(3))]),
            &[],
        ),
    ];
    for (name, nodes, pod, expected) in rows {
        let decision = scheduling_decision(&nodes, &pod, "default");
        assert_eq!(feasible_nodes(&decision), expected, "{name}: {}", decision["filter"]);
    }
}

/// Shows: S-10
#[test]
fn schedule_anyway_scores_the_emptier_zone_higher() {
    let decision = scheduling_decision(&four_nodes(), &pod(&[soft_constraint(ZONE_KEY)]), "default");
    assert_eq!(feasible_nodes(&decision), ["n1", "n2", "n3", "n4"]);
    let spread = |node: &str| decision["scores"][node]["PodTopologySpread"].as_i64().expect("a score");
    assert!(
        spread("n3") > spread("n1") && spread("n4") > spread("n2"),
        "{}",
        decision["scores"]
    );
}

/// Shows: S-10
#[test]
fn pods_of_other_namespaces_do_not_count() {
    let decision = scheduling_decision(&four_nodes(), &pod(&[hard_constraint(ZONE_KEY)]), "other");
    assert_eq!(feasible_nodes(&decision), ["n1", "n2", "n3", "n4"]);
}

/// Shows: S-12
#[test]
fn zone_without_nodes_is_not_a_spread_domain() {
    let balanced = || vec![node_in_zone("n1", "A", 3), node_in_zone("n2", "B", 3)];
    assert_eq!(
        feasible_nodes(&scheduling_decision(
            &balanced(),
            &pod(&[hard_constraint(ZONE_KEY)]),
            "default"
        )),
        ["n1", "n2"]
    );
    assert_eq!(
        feasible_nodes(&scheduling_decision(
            &with_node(balanced(), node_in_zone("n3", "C", 0)),
            &pod(&[hard_constraint(ZONE_KEY)]),
            "default"
        )),
        ["n3"]
    );
}

/// Shows: S-11
#[test]
fn match_label_keys_counts_only_pods_of_same_revision() {
    // The API server adds the labels of matchLabelKeys to the label selector, so the case contains both.
    let mut constraint_on_revision = with_constraint_field(
        hard_constraint("kubernetes.io/hostname"),
        "matchLabelKeys",
        json!(["pod-template-hash"]),
    );
    constraint_on_revision["labelSelector"]["matchExpressions"] =
        json!([{"key": "pod-template-hash", "operator": "In", "values": ["new"]}]);
    let mut mypod = pod(&[constraint_on_revision]);
    mypod["metadata"]["labels"]["pod-template-hash"] = json!("new");
    let nodes = vec![node_in_zone("n1", "A", 2), node_in_zone("n2", "A", 0)];
    assert_eq!(
        feasible_nodes(&scheduling_decision(&nodes, &mypod, "default")),
        ["n1", "n2"],
        "pods of the old revision do not count"
    );
    assert_eq!(
        feasible_nodes(&scheduling_decision(
            &nodes,
            &pod(&[hard_constraint("kubernetes.io/hostname")]),
            "default"
        )),
        ["n2"],
        "without matchLabelKeys they count"
    );
}
