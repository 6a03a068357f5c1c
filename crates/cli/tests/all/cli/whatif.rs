//! `podscope whatif`: predicts the results of a drain, a lost zone, more nodes and more replicas for the cluster of a
//! file.

use serde_json::{Value, json};

use super::{fail, podscope, succeed, write_file};

const SHOP_CLUSTER: &str = r#"
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

fn whatif_as_json(args: &[&str]) -> Value {
    let mut all = vec!["whatif"];
    all.extend(args);
    all.extend(["-o", "json"]);
    serde_json::from_str(&succeed(&all)).expect("JSON")
}

/// Returns the predicted moves of a workload's pods: old node, new node, and whether a reason is given.
fn pod_moves(answer: &Value, prefix: &str) -> Vec<(Value, Value, bool)> {
    let all = answer["moves"].as_array().expect("moves");
    let has_prefix = |one: &&Value| one["pod"].as_str().is_some_and(|pod| pod.starts_with(prefix));
    let row = |one: &Value| (one["from"].clone(), one["to"].clone(), one["reason"].is_string());
    all.iter().filter(has_prefix).map(row).collect()
}

/// Shows: P-14
#[test]
fn drain_moves_pods_and_respects_disruption_budget() {
    let shop = write_file("whatif-drain.yaml", SHOP_CLUSTER);
    let answer = whatif_as_json(&["drain", "a-1", &shop]);
    assert_eq!(
        pod_moves(&answer, "default/web-"),
        [(json!("a-1"), json!("b-1"), false), (json!("a-1"), json!("c-1"), false)]
    );
    assert_eq!(pod_moves(&answer, "default/db-"), []);
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
    let shop = write_file("whatif-zone.yaml", SHOP_CLUSTER);
    let answer = whatif_as_json(&["lose-zone", "b", &shop]);
    let db = &pod_moves(&answer, "default/db-")[0];
    assert_eq!((&db.0, &db.1, db.2), (&json!("b-1"), &json!(null), true));
    let reason = answer["moves"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("does not confirm the end"), "{reason}");
    assert!(
        pod_moves(&answer, "default/web-")
            .iter()
            .all(|(from, to, _)| *from == "b-1" && !to.is_null())
    );
}

/// Shows: P-14
#[test]
fn pending_pods_are_placed_on_added_nodes() {
    let full = write_file("whatif-add.yaml", &SHOP_CLUSTER.replace("replicas: 6", "replicas: 12"));
    let answer = whatif_as_json(&["add", "c-1", "--count", "2", &full]);
    let placed = pod_moves(&answer, "default/");
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
    let full = write_file("whatif-full.yaml", &SHOP_CLUSTER.replace("replicas: 6", "replicas: 12"));
    let answer = whatif_as_json(&["drain", "a-1", &full]);
    let moved = pod_moves(&answer, "default/web-");
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
fn added_replicas_are_placed_with_every_seed() {
    let shop = write_file("whatif-scale.yaml", SHOP_CLUSTER);
    let answer = whatif_as_json(&["scale", "deploy/web", "--replicas", "9", "--draws", "4", &shop]);
    let placed = pod_moves(&answer, "default/web-");
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
    let shop = write_file("whatif-fit.yaml", SHOP_CLUSTER);
    let pod = write_file(
        "whatif-pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x, resources: {requests: {cpu: 500m}}}]}\n",
    );
    let answer = whatif_as_json(&["fit", &pod, &shop]);
    assert_eq!(answer["fits"], 6);
    assert_eq!(
        answer["stoppedBy"],
        json!(["a-1", "b-1", "c-1"].map(|node| json!({"node": node, "reason": "Insufficient cpu"})))
    );
}

/// The pods of a dump keep their nodes: no start of the cluster is simulated.
/// Shows: P-14
#[test]
fn fit_in_dump_counts_existing_pods() {
    const DUMP: &str = r#"
{apiVersion: v1, kind: Node, metadata: {name: a-1, uid: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: a-2, uid: n2}, spec: {unschedulable: true}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: default, uid: p1}, spec: {nodeName: a-1, containers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}, status: {phase: Running}}
---
{apiVersion: v1, kind: Pod, metadata: {name: done, namespace: default, uid: p2}, spec: {nodeName: a-1, containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}, status: {phase: Succeeded}}
"#;
    let dump = write_file("whatif-dump.yaml", DUMP);
    let pod = write_file(
        "whatif-dump-pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}\n",
    );
    let answer = whatif_as_json(&["fit", &pod, &dump]);
    assert_eq!(answer["fits"], 2);
    assert_eq!(answer["on"], json!({"a-1": 2}));
    let stopped = json!([
        {"node": "a-1", "reason": "Insufficient cpu"},
        {"node": "a-2", "reason": "node(s) were unschedulable"},
    ]);
    assert_eq!(answer["stoppedBy"], stopped);
}

/// Three nodes of 4 CPUs with four pods of one CPU, and a PodDisruptionBudget that allows one disruption at a time.
const TIGHT_CLUSTER: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: tight}
spec: {title: Tight, seed: 1, cluster: {zones: [a, b, c], nodesPerZone: 1, node: {cpu: 4, memory: 8Gi, pods: 20}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {behavior.podscope.dev/c: startup=5s}}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}, readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
"#;

/// Shows: P-14
#[test]
fn rolling_drain_finds_order_within_budget() {
    let tight = write_file("whatif-rolling.yaml", TIGHT_CLUSTER);
    let rolling = whatif_as_json(&["drain", "--rolling", &tight]);
    let order = rolling["order"].as_array().expect("an order");
    let nodes: Vec<&Value> = order.iter().map(|one| &one["node"]).collect();
    assert_eq!(nodes, ["a-1", "b-1", "c-1"]);
    assert_eq!(rolling["stopped"], json!([]));
    let web = rolling["shortfalls"].as_array().expect("shortfalls");
    let is_web = |one: &&Value| one["object"] == "Deployment default/web";
    let web = web.iter().find(is_web).expect("web has fewer replicas meanwhile");
    assert_eq!(
        (&web["wanted"], &web["least"], &web["lasts"]),
        (&json!(4), &json!(3), &json!(false))
    );
}

/// Shows: P-14
#[test]
fn rolling_drain_reports_pod_at_which_it_stops() {
    let shop = write_file("whatif-rolling-stops.yaml", SHOP_CLUSTER);
    let rolling = whatif_as_json(&["drain", "--rolling", &shop]);
    assert_eq!(
        rolling["order"],
        json!([]),
        "each node has a pod of db, whose budget allows no disruption"
    );
    let stopped = &rolling["stopped"][0];
    assert_eq!(stopped["node"], "a-1");
    assert_eq!(
        stopped["reason"],
        "PodDisruptionBudget default/db allows 0 disruptions, 1 needed"
    );
    let full = write_file(
        "whatif-rolling-full.yaml",
        &TIGHT_CLUSTER.replace("replicas: 4", "replicas: 12"),
    );
    let rolling = whatif_as_json(&["drain", "b-1", "--rolling", &full]);
    let reason = rolling["stopped"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("Insufficient cpu"), "{reason}");
}

/// Shows: P-14
#[test]
fn drain_reports_stuck_volumes_and_missing_replicas() {
    let local = write_file(
        "whatif-volumes.yaml",
        r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: local}
spec: {title: Local, seed: 1, cluster: {zones: [a, b], nodesPerZone: 1}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-a}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {path: /disk}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [a-1]}]}]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: db}, spec: {selector: {app: db}, ports: [{port: 80}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: db}
spec:
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: c, image: x, volumeMounts: [{name: data, mountPath: /data}, {name: cache, mountPath: /cache}]}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}, {name: cache, emptyDir: {}}]
"#,
    );
    let answer = whatif_as_json(&["drain", "a-1", &local]);
    let volumes = answer["volumes"].as_array().expect("volumes");
    let reasons: Vec<(&Value, &Value)> = volumes.iter().map(|one| (&one["volume"], &one["reason"])).collect();
    assert_eq!(
        reasons,
        [
            (
                &json!("data"),
                &json!("PersistentVolume disk-a can be used only on a-1")
            ),
            (&json!("cache"), &json!("emptyDir: its content is deleted with the pod")),
        ]
    );
    let shortfalls = answer["shortfalls"].as_array().expect("shortfalls");
    let lasting: Vec<(&Value, &Value)> = shortfalls.iter().map(|one| (&one["object"], &one["lasts"])).collect();
    assert_eq!(
        lasting,
        [
            (&json!("Deployment default/db"), &json!(true)),
            (&json!("Service default/db"), &json!(true)),
        ]
    );
}

/// A pod of one CPU on nodes with `disk: ssd`.
const SSD_POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: {disk: ssd}, containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}}\n";
/// A pod that requests half a CPU.
const SMALL_POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: s}, spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 500m}}}]}}\n";

/// Shows: P-14
#[test]
fn fit_places_pod_shapes_in_given_proportion() {
    let shop = write_file("whatif-shapes.yaml", SHOP_CLUSTER);
    let big = write_file("whatif-shape-big.yaml", &SMALL_POD.replace("500m", "1"));
    let small = write_file("whatif-shape-small.yaml", SMALL_POD);
    // One CPU is free on each node. A big pod needs one CPU, a small pod half a CPU.
    let answer = whatif_as_json(&["fit", &big, "--also", &format!("{small}=2"), &shop]);
    let counts: Vec<(&Value, &Value)> = (answer["shapes"].as_array().expect("shapes").iter())
        .map(|one| (&one["fits"], &one["stops"]))
        .collect();
    assert_eq!(counts, [(&json!(1), &json!(true)), (&json!(2), &json!(false))]);
    assert_eq!(answer["fits"], 3);
}

/// Shows: P-14
#[test]
fn fit_finds_smallest_change_that_makes_room() {
    let tight = write_file("whatif-room.yaml", TIGHT_CLUSTER);
    let picky = write_file("whatif-picky.yaml", SSD_POD);
    let answer = whatif_as_json(&["fit", &picky, "--need", "4", &tight]);
    assert_eq!(answer["fits"], 0);
    let changes = answer["changes"].as_array().expect("changes");
    let labels = &changes[0];
    assert_eq!(
        (&labels["nodes"], &labels["fits"]),
        (&json!(2), &json!(4)),
        "{changes:?}"
    );
    let commands = labels["commands"].as_array().expect("commands");
    let is_label = |one: &Value| one.as_str().is_some_and(|one| one.ends_with("--overwrite disk=ssd"));
    assert!(commands.iter().all(is_label), "{commands:?}");
    // 8 CPUs are free on the three nodes; two more nodes are needed for 16.
    let small = write_file("whatif-room-small.yaml", &SMALL_POD.replace("500m", "1"));
    let more = succeed(&["whatif", "fit", &small, "--need", "16", &tight]);
    assert!(
        more.contains("16 fit after: fault join a-1-copy --like a-1 --count 2"),
        "{more}"
    );
}

/// Shows: P-14
#[test]
fn fit_of_daemon_set_reports_full_nodes() {
    let shop = write_file(
        "whatif-daemon.yaml",
        &SHOP_CLUSTER.replace("replicas: 6", "replicas: 8"),
    );
    let set = write_file(
        "whatif-daemon-set.yaml",
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\nspec:\n  selector: {matchLabels: {app: \
         agent}}\n  template:\n    metadata: {labels: {app: agent}}\n    spec: {containers: [{name: c, image: x, \
         resources: {requests: {cpu: 1}}}]}\n",
    );
    let answer = whatif_as_json(&["fit", &set, &shop]);
    assert_eq!(answer["fits"], 1, "{answer}");
    let stopped = answer["stoppedBy"].as_array().expect("nodes");
    assert_eq!(stopped.len(), 2);
    assert!(
        stopped[0]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("Insufficient cpu")),
        "{stopped:?}"
    );
}

/// Shows: P-14
#[test]
fn consolidation_lists_nodes_that_can_be_drained() {
    let tight = write_file("whatif-consolidate.yaml", TIGHT_CLUSTER);
    let found = whatif_as_json(&["consolidate", &tight]);
    assert_eq!(
        found["nodes"].as_array().map(Vec::len),
        Some(2),
        "four pods of one CPU fit on one node: {found}"
    );
    let kept = found["kept"].as_array().expect("nodes");
    assert_eq!(kept.len(), 1);
    assert!(
        kept[0]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("nodes are available")),
        "{kept:?}"
    );
}

/// Shows: P-14, P-04
#[test]
fn invalid_whatif_questions_are_rejected() {
    let shop = write_file("whatif-bad.yaml", SHOP_CLUSTER);
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
        (vec!["scale", "deploy/web"], "--replicas <N>"),
        (vec!["drain"], "takes the nodes"),
        (vec!["burn", "a-1"], "unrecognized subcommand 'burn'"),
        (
            vec!["drain", "a-1", "--count", "2"],
            "unexpected argument '--count' found",
        ),
        (
            vec!["scale", "deploy/web", "--rolling"],
            "unexpected argument '--rolling' found",
        ),
        (
            vec!["drain", "a-1", "--need", "2"],
            "unexpected argument '--need' found",
        ),
        (vec!["fit", "pod.yaml=0"], "not FILE=N"),
        (vec!["consolidate", "a-1"], "a-1: No such file"),
        (vec!["drain", "--rolling", "z-9"], "nodes \"z-9\" not found"),
    ] {
        let mut all = vec!["whatif"];
        all.extend(args);
        all.push(&shop);
        let error = fail(&all);
        assert!(error.contains(expected), "{all:?}: {error}");
    }
}

/// A cluster with node groups that differ in size, taints and limits, and with pods that fit on none of its nodes.
const NODE_GROUPS: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: groups}
spec:
  cluster:
    zones: [a]
    nodesPerZone: 1
    nodeGroups:
    - {name: general, min: 1, max: 1, like: a-1}
    - {name: burst, max: 3, node: {cpu: 8, memory: 16Gi}, labels: {pool: burst}}
    - {name: gpu, max: 2, taints: [{key: gpu, value: present, effect: NoSchedule}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log}
spec:
  selector: {matchLabels: {app: log}}
  template:
    metadata: {labels: {app: log}}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: picky}
spec: {nodeSelector: {pool: burst}, containers: [{name: c, image: i, resources: {requests: {cpu: 7800m}}}]}
"#;

/// The DaemonSet pod on a new node needs resources too: 7.8 CPUs do not fit beside it on a node of 8.
/// Shows: P-14, CA-001, CA-004, CA-010, CA-011
#[test]
fn grow_lists_suitable_group_and_reasons_of_others() {
    let groups = write_file("whatif-groups.yaml", NODE_GROUPS);
    let all = whatif_as_json(&["grow", &groups]);
    assert_eq!(
        all["groups"][1],
        json!({"name": "burst", "nodes": 0, "min": 0, "max": 3, "like": null})
    );
    let pods = all["pods"].as_array().expect("pods");
    let row = |group: &str, helps: bool, accepts: bool, reason: &str| {
        let reasons: Vec<&str> = Some(reason).filter(|reason| !reason.is_empty()).into_iter().collect();
        json!({"group": group, "helps": helps, "accepts": accepts, "reasons": reasons})
    };
    let (full, taint) = ("max node group size reached", "node(s) had untolerated taint(s)");
    assert_eq!(pods.len(), 2, "pods of one ReplicaSet are one row: {all}");
    assert_eq!(
        pods[0]["groups"],
        json!([
            row("general", false, false, full),
            row("burst", false, false, "Insufficient cpu"),
            row("gpu", false, false, taint),
        ])
    );
    assert_eq!(
        pods[0]["event"],
        "pod didn't trigger scale-up: 1 Insufficient cpu, 1 max node group size reached, 1 node(s) had untolerated taint(s)"
    );
    assert_eq!(
        (&pods[1]["owner"], &pods[1]["count"]),
        (&json!("Deployment default/web"), &json!(2))
    );
    assert_eq!(
        pods[1]["groups"],
        json!([
            row("general", false, true, full),
            row("burst", true, true, ""),
            row("gpu", false, false, taint),
        ])
    );
    assert_eq!(pods[1]["event"], Value::Null);
    let text = succeed(&["whatif", "grow", "--pod", "default/picky", &groups]);
    assert!(
        text.contains("  general: 1 node, min 1, max 1, a new one like a-1\n"),
        "{text}"
    );
    assert!(text.contains("  burst: Insufficient cpu\n"), "{text}");
    let error = fail(&["whatif", "grow", "--pod", "default/nobody", &groups]);
    assert!(
        error.contains("there is no pod \"default/nobody\" that waits for a node"),
        "{error}"
    );
}

/// In a dump, the labels of a cloud define the node groups: an existing node of the group is its template, and its
/// limits are unknown.
const CLOUD_DUMP: &str = r#"
{apiVersion: v1, kind: Node, metadata: {name: ip-1, uid: n1, labels: {eks.amazonaws.com/nodegroup: apps, kubernetes.io/hostname: ip-1}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: ip-2, uid: n2, labels: {eks.amazonaws.com/nodegroup: spot}}, spec: {taints: [{key: spot, effect: NoSchedule}, {key: node.kubernetes.io/unreachable, effect: NoSchedule}]}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}, conditions: [{type: Ready, status: "Unknown"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: one, namespace: default, uid: p1}, spec: {nodeName: ip-1, containers: [{name: c, image: x, resources: {requests: {cpu: 3}}}]}, status: {phase: Running}}
---
{apiVersion: v1, kind: Pod, metadata: {name: two, namespace: default, uid: p2}, spec: {tolerations: [{key: spot, operator: Exists}], containers: [{name: c, image: x, resources: {requests: {cpu: 3}}}]}, status: {phase: Pending}}
"#;

/// Shows: P-14, CA-002, CA-003, CA-005
#[test]
fn explain_and_why_suggest_node_groups_from_cloud_labels() {
    let cloud = write_file("whatif-cloud.yaml", CLOUD_DUMP);
    let all = whatif_as_json(&["grow", &cloud]);
    let unknown = |name: &str, like: &str| json!({"name": name, "nodes": 1, "min": null, "max": null, "like": like});
    assert_eq!(all["groups"], json!([unknown("apps", "ip-1"), unknown("spot", "ip-2")]));
    let helps = |group: &str| json!({"group": group, "helps": true, "accepts": true, "reasons": []});
    assert_eq!(all["pods"][0]["groups"], json!([helps("apps"), helps("spot")]));
    let explained = succeed(&["explain", "--cluster", &cloud, "--pod", "default/two", "-o", "json"]);
    let explained: Value = serde_json::from_str(&explained).expect("JSON");
    assert_eq!(explained["nodeGroups"], json!([helps("apps"), helps("spot")]));
    let why = podscope(&["why", "--pod", "default/two", &cloud]).out;
    assert!(why.contains("One more node of a node group: apps, spot"), "{why}");
}

/// A new node has the same devices as the node that is its template.
/// Shows: P-14, CA-004
#[test]
fn grow_suggests_group_with_devices_for_pod_with_claim() {
    let dump = podscope_tests::root().join("tests/dumps/devices-eks.yaml");
    let answer = whatif_as_json(&["grow", dump.to_str().expect("a UTF-8 path")]);
    let helps = json!([{"group": "gpu", "helps": true, "accepts": true, "reasons": []}]);
    assert_eq!(
        (&answer["pods"][0]["pod"], &answer["pods"][0]["groups"]),
        (&json!("default/second"), &helps)
    );
}
