//! `podscope compare`: compares two clusters, or one workload under several configurations.

use serde_json::{Value, json};

use super::{fail, succeed, write_file};

const CLUSTER_BEFORE: &str = r#"apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n-1, uid: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "9"}, conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: v1, kind: Node, metadata: {name: n-2, uid: n2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "9"}, conditions: [{type: Ready, status: "True"}]}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: shop, uid: p1}
  spec: {nodeName: n-1, containers: [{name: c, image: "web:1", resources: {requests: {cpu: "3"}}}]}
  status: {phase: Running, conditions: [{type: Ready, status: "True"}]}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: shop, uid: c1}}
"#;

fn compare_as_json(args: &[&str]) -> Value {
    let mut all = vec!["compare"];
    all.extend(args);
    all.extend(["-o", "json"]);
    serde_json::from_str(&succeed(&all)).expect("JSON")
}

/// Shows: P-14
#[test]
fn compare_shows_changed_objects_nodes_and_problems() {
    let before = write_file("compare-before.yaml", CLUSTER_BEFORE);
    let later = CLUSTER_BEFORE
        .replace("nodeName: n-1", "nodeName: n-2")
        .replace("web:1", "web:2");
    let later = later.replace("ConfigMap, metadata: {name: old", "ConfigMap, metadata: {name: new");
    let pending_pod = "- {apiVersion: v1, kind: Pod, metadata: {name: big, namespace: shop, uid: p2}, spec: {containers: [{name: c, image: x, resources: {requests: {cpu: \"9\"}}}]}, status: {phase: Pending}}\n";
    let after = write_file("compare-after.yaml", &format!("{later}{pending_pod}"));
    let difference = compare_as_json(&[&before, &after]);
    assert_eq!(difference["added"], json!(["ConfigMap shop/new", "Pod shop/big"]));
    assert_eq!(difference["removed"], json!(["ConfigMap shop/old"]));
    assert_eq!(
        difference["moved"],
        json!([{"pod": "shop/web", "from": "n-1", "to": "n-2"}])
    );
    let web = &difference["changed"][0];
    assert_eq!(web["object"], "Pod shop/web");
    assert_eq!(web["fields"], json!(["spec.containers[0].image", "spec.nodeName"]));
    assert_eq!(difference["nodes"][0]["before"]["cpu"], json!(["3", "4"]));
    assert_eq!(difference["nodes"][0]["after"]["cpu"], json!(["0", "4"]));
    assert_eq!(difference["new"][0]["problem"], "Pending");
    assert_eq!(difference["gone"], json!([]));
    assert_eq!(succeed(&["compare", &before, &before]), "Nothing differs.\n");
}

/// Shows: P-14
#[test]
fn compare_shows_packing_and_spreading_configurations() {
    let workload = write_file(
        "compare-workload.yaml",
        r#"apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: w}
spec: {title: W, seed: 2, cluster: {zones: [a, b, c], nodesPerZone: 1, node: {cpu: 4, memory: 8Gi, pods: 20}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      topologySpreadConstraints: []
      containers: [{name: c, image: x, resources: {requests: {cpu: 500m, memory: 1Gi}}}]
"#,
    );
    let configuration = |strategy: &str| {
        format!(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins: {{score: {{disabled: [{{name: PodTopologySpread}}, {{name: NodeResourcesBalancedAllocation}}]}}}}\n  pluginConfig:\n  - name: NodeResourcesFit\n    args: {{scoringStrategy: {{type: {strategy}, resources: [{{name: cpu, weight: 1}}]}}}}\n"
        )
    };
    let packs = write_file("compare-packs.yaml", &configuration("MostAllocated"));
    let spreads = write_file("compare-spreads.yaml", &configuration("LeastAllocated"));
    let comparison = compare_as_json(&[&workload, "--configs", &packs, &spreads]);
    let result = |at: usize, field: &str| comparison["configurations"][at][field].clone();
    assert_eq!((result(0, "placed"), result(1, "placed")), (json!(6), json!(6)));
    assert_eq!((result(0, "nodesUsed"), result(1, "nodesUsed")), (json!(1), json!(3)));
    let jain_index = |at: usize| result(at, "balance")["cpu"]["jain"].as_f64().expect("a number");
    assert!(
        jain_index(1) > 0.99 && jain_index(0) < 0.4,
        "{} and {}",
        jain_index(0),
        jain_index(1)
    );
    assert_eq!(result(0, "balance")["cpu"]["largestFree"], "4");
    assert_eq!(result(0, "balance")["cpu"]["shares"], json!([0.75, 0.0, 0.0]));
    assert_eq!(result(1, "balance")["cpu"]["shares"], json!([0.25, 0.25, 0.25]));
    assert_eq!(
        [result(0, "podsPerZone"), result(1, "podsPerZone")],
        [json!([0, 6]), json!([2, 2])]
    );
    assert_eq!(result(0, "devices"), json!(null), "no node has devices");
    let table = succeed(&["compare", &workload, "--configs", &packs, &spreads]);
    let row = |title: &str| {
        let line = table.lines().find(|line| line.starts_with(title)).unwrap_or_default();
        line[title.len().min(line.len())..]
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(row("cpu by node"), ["▆··", "▂▂▂"], "{table}");
    assert_eq!(row("pods in a zone"), ["0", "to", "6", "2", "to", "2"], "{table}");
    assert!(!comparison["differs"].as_array().expect("a list").is_empty());
}

/// Shows: P-14, P-04
#[test]
fn compare_with_too_few_files_is_rejected() {
    let one = write_file("compare-one.yaml", CLUSTER_BEFORE);
    for (args, expected) in [
        (vec!["compare", &*one], "two files"),
        (vec!["compare", &*one, "--configs", &*one], "two to 5 files"),
    ] {
        let error = fail(&args);
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}
