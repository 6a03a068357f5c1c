//! `podscope whatif`: predicts the results of a drain, a lost zone, more nodes and more replicas for the cluster of a
//! file.

use serde_json::{Value, json};

use super::{fail, file, succeed};

const SHOP: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: shop}
spec: {title: Shop, seed: 1, cluster: {zones: [a, b, c], nodesPerZone: 1, node: {cpu: 4, memory: 8Gi, pods: 20}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db}
spec: {maxUnavailable: 0, selector: {matchLabels: {app: db}}}
"#;

fn answer(args: &[&str]) -> Value {
    let mut all = vec!["whatif"];
    all.extend(args);
    all.extend(["-o", "json"]);
    serde_json::from_str(&succeed(&all)).expect("JSON")
}

/// The predicted moves of a workload's pods: old node, new node, and whether a reason is given.
fn moves(answer: &Value, prefix: &str) -> Vec<(Value, Value, bool)> {
    let all = answer["moves"].as_array().expect("moves");
    let has_prefix = |one: &&Value| one["pod"].as_str().is_some_and(|pod| pod.starts_with(prefix));
    let row = |one: &Value| (one["from"].clone(), one["to"].clone(), one["reason"].is_string());
    all.iter().filter(has_prefix).map(row).collect()
}

/// Shows: P-14
#[test]
fn drain_moves_pods_and_respects_disruption_budget() {
    let shop = file("whatif-drain.yaml", SHOP);
    let answer = answer(&["drain", "a-1", &shop]);
    assert_eq!(
        moves(&answer, "default/web-"),
        [(json!("a-1"), json!("b-1"), false), (json!("a-1"), json!("c-1"), false)]
    );
    assert_eq!(moves(&answer, "default/db-"), []);
    assert_eq!(
        answer["blocked"],
        json!([{"pod": "default/db-1", "by": "PodDisruptionBudget default/db", "allowed": 0, "needed": 1}])
    );
    let emptied = &answer["nodes"][0];
    assert_eq!(
        (&emptied["name"], &emptied["before"]["cpu"], &emptied["after"]["cpu"]),
        (&json!("a-1"), &json!(["3", "4"]), &json!(["1", "4"]))
    );
}

/// Shows: P-14
#[test]
fn lost_zone_blocks_replacement_of_stateful_pod() {
    let shop = file("whatif-zone.yaml", SHOP);
    let answer = answer(&["lose-zone", "b", &shop]);
    let db = &moves(&answer, "default/db-")[0];
    assert_eq!((&db.0, &db.1, db.2), (&json!("b-1"), &json!(null), true));
    let reason = answer["moves"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("does not confirm the end"), "{reason}");
    assert!(
        moves(&answer, "default/web-")
            .iter()
            .all(|(from, to, _)| *from == "b-1" && !to.is_null())
    );
}

/// Shows: P-14
#[test]
fn pending_pods_are_placed_on_added_nodes() {
    let full = file("whatif-add.yaml", &SHOP.replace("replicas: 6", "replicas: 12"));
    let answer = answer(&["add", "c-1", "--count", "2", &full]);
    let placed = moves(&answer, "default/");
    assert!(
        placed.len() >= 3,
        "15 CPUs are requested, and only 12 exist: {placed:?}"
    );
    let is_new_node = |to: &Value| to.as_str().is_some_and(|to| to.starts_with("c-1-copy-"));
    assert!(
        placed.iter().all(|(from, to, _)| from.is_null() && is_new_node(to)),
        "{placed:?}"
    );
}

/// Shows: P-14
#[test]
fn drain_in_full_cluster_leaves_pods_pending() {
    let full = file("whatif-full.yaml", &SHOP.replace("replicas: 6", "replicas: 12"));
    let answer = answer(&["drain", "a-1", &full]);
    let moved = moves(&answer, "default/web-");
    assert!(
        !moved.is_empty()
            && moved
                .iter()
                .all(|(from, to, has_reason)| *from == "a-1" && to.is_null() && *has_reason),
        "{moved:?}"
    );
}

/// Shows: P-14
#[test]
fn added_replicas_are_placed_in_every_draw() {
    let shop = file("whatif-scale.yaml", SHOP);
    let answer = answer(&["scale", "deploy/web", "--replicas", "9", "--draws", "4", &shop]);
    let placed = moves(&answer, "default/web-");
    assert_eq!(
        placed
            .iter()
            .map(|(_, to, has_reason)| (to.is_null(), *has_reason))
            .collect::<Vec<_>>(),
        [(false, false), (false, false), (false, false)]
    );
    assert_eq!(answer["draws"], 4);
    assert!(
        answer["moves"]
            .as_array()
            .expect("moves")
            .iter()
            .all(|one| one["share"].as_f64().is_some_and(|share| share > 0.0 && share <= 1.0))
    );
}

/// Shows: P-14
#[test]
fn fit_counts_pods_and_limiting_reason_per_node() {
    let shop = file("whatif-fit.yaml", SHOP);
    let pod = file(
        "whatif-pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x, resources: {requests: {cpu: 500m}}}]}\n",
    );
    let answer = answer(&["fit", &pod, &shop]);
    assert_eq!(answer["fits"], 6);
    assert_eq!(
        answer["stoppedBy"],
        json!(["a-1", "b-1", "c-1"].map(|node| json!({"node": node, "reason": "Insufficient cpu"})))
    );
}

/// Shows: P-14, P-04
#[test]
fn invalid_whatif_questions_are_rejected() {
    let shop = file("whatif-bad.yaml", SHOP);
    for (args, expected) in [
        (vec!["drain", "z-9"], "nodes \"z-9\" not found"),
        (
            vec!["lose-zone", "z"],
            "no node has the label topology.kubernetes.io/zone=z",
        ),
        (
            vec!["scale", "deploy/none", "--replicas", "2"],
            "deployments \"none\" not found",
        ),
        (vec!["scale", "web", "--replicas", "2"], "takes KIND/NAME"),
        (vec!["scale", "deploy/web"], "needs --replicas"),
        (vec!["drain"], "takes the nodes"),
        (vec!["burn", "a-1"], "not \"burn\""),
        (vec!["drain", "a-1", "--count", "2"], "--count goes with add"),
    ] {
        let mut all = vec!["whatif"];
        all.extend(args);
        all.push(&shop);
        let error = fail(&all);
        assert!(error.contains(expected), "{all:?}: {error}");
    }
}
