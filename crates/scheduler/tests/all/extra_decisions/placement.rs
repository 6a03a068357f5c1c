//! Tests of decisions about placement: host ports, selectors, node names, spread domains, affinity across namespaces,
//! images, sampling.

use serde_json::{Value, json};

use crate::extra_decisions::{
    Row, check_rows, cpu_request, decide_case, labelled_node, merged, new_pod, node, node_in_zone, nodes_a_and_b, pod,
    pod_on,
};

const REASON_ANTI_AFFINITY: &str = "node(s) didn't match pod anti-affinity rules";
const REASON_SKEW: &str = "node(s) didn't match pod topology spread constraints";
const REASON_NODE_AFFINITY: &str = "node(s) didn't match Pod's node affinity/selector";

/// Shows: SCH-049
#[test]
fn host_ports_conflict_by_protocol_port_and_address() {
    let port = |more: Value| merged(json!({"containerPort": 80, "hostPort": 80}), &more);
    let with = |port: Value| json!({"spec": {"containers": [{"name": "c", "image": "i", "ports": [port]}]}});
    let init = |more: Value| {
        let container = merged(json!({"name": "s", "image": "i", "ports": [port(json!({}))]}), &more);
        json!({"spec": {"initContainers": [container]}})
    };
    let taken = || {
        vec![
            node("a", json!({})),
            pod_on("a", "old", with(port(json!({"hostIP": "10.0.0.1"})))),
        ]
    };
    let conflict = "a: node(s) didn't have free ports for the requested pod ports";
    let rows: Vec<Row<'_>> = vec![
        (
            "the same address",
            taken(),
            new_pod(with(port(json!({"hostIP": "10.0.0.1"})))),
            conflict,
        ),
        (
            "another address",
            taken(),
            new_pod(with(port(json!({"hostIP": "10.0.0.2"})))),
            "a ok",
        ),
        ("every address", taken(), new_pod(with(port(json!({})))), conflict),
        (
            "every address, given explicitly",
            taken(),
            new_pod(with(port(json!({"hostIP": "0.0.0.0"})))),
            conflict,
        ),
        (
            "the address :: is one address",
            taken(),
            new_pod(with(port(json!({"hostIP": "::"})))),
            "a ok",
        ),
        (
            "another protocol",
            taken(),
            new_pod(with(port(json!({"protocol": "UDP"})))),
            "a ok",
        ),
        (
            "the default protocol by name",
            taken(),
            new_pod(with(port(json!({"protocol": "TCP"})))),
            conflict,
        ),
        (
            "port of a sidecar",
            taken(),
            new_pod(init(json!({"restartPolicy": "Always"}))),
            conflict,
        ),
        (
            "port of an ordinary init container",
            taken(),
            new_pod(init(json!({}))),
            "a ok",
        ),
        (
            "container port without host port",
            taken(),
            new_pod(with(json!({"containerPort": 80}))),
            "a ok",
        ),
    ];
    check_rows(rows);
}

fn with_node_affinity(term: Value) -> Value {
    json!({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [term]}}}}})
}

/// Shows: SCH-012, SCH-044, SCH-045, SCH-046, SCH-047
#[test]
fn node_affinity_matches_numbers_and_names() {
    let cores = || {
        vec![
            labelled_node("a", "cores", "4"),
            labelled_node("b", "cores", "8"),
            labelled_node("c", "cores", "many"),
            node("d", json!({})),
        ]
    };
    let expression = |operator: &str, values: &[&str]| {
        with_node_affinity(json!({"matchExpressions": [{"key": "cores", "operator": operator, "values": values}]}))
    };
    let field = |parts: &[(&str, &str)]| {
        let one =
            |(operator, name): &(&str, &str)| json!({"key": "metadata.name", "operator": operator, "values": [name]});
        with_node_affinity(json!({"matchFields": parts.iter().map(one).collect::<Vec<Value>>()}))
    };
    let all_rejected_but = |ok: &str| {
        let one = |name: &str| {
            if ok.contains(name) {
                format!("{name} ok")
            } else {
                format!("{name}! {REASON_NODE_AFFINITY}")
            }
        };
        ["a", "b", "c", "d"].map(one).join("; ")
    };
    let by_name = "node(s) didn't satisfy plugin(s) [NodeAffinity]";
    let (gt, lt, not_in, all_but, nowhere) = (
        all_rejected_but("b"),
        all_rejected_but("a"),
        all_rejected_but("bcd"),
        all_rejected_but("acd"),
        all_rejected_but(""),
    );
    let only_b = format!("a! {by_name}; b ok; c! {by_name}; d! {by_name}");
    let none = ["a", "b", "c", "d"].map(|name| format!("{name}! {by_name}")).join("; ");
    let rows: Vec<Row<'_>> = vec![
        ("Gt", cores(), new_pod(expression("Gt", &["4"])), &gt),
        ("Lt", cores(), new_pod(expression("Lt", &["8"])), &lt),
        (
            "NotIn takes nodes without the label",
            cores(),
            new_pod(expression("NotIn", &["4"])),
            &not_in,
        ),
        (
            "a bound that is no number matches nothing",
            cores(),
            new_pod(expression("Gt", &["few"])),
            &nowhere,
        ),
        ("one name", cores(), new_pod(field(&[("In", "b")])), &only_b),
        (
            "all except one name",
            cores(),
            new_pod(field(&[("NotIn", "b")])),
            &all_but,
        ),
        (
            "two names at once",
            cores(),
            new_pod(field(&[("In", "a"), ("In", "b")])),
            "NodeAffinity! pod affinity terms conflict",
        ),
        (
            "a name that no node has",
            cores(),
            new_pod(field(&[("In", "z")])),
            &none,
        ),
    ];
    check_rows(rows);
    let got = decide_case(&cores(), &new_pod(field(&[("In", "z")])), &Value::Null);
    assert_eq!(
        got["message"],
        "0/4 nodes are available: 4 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, \
         preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling."
    );
}

fn with_spread_constraint(more: Value) -> Value {
    let base = json!({
        "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    });
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {"topologySpreadConstraints": [merged(base, &more)]}})
}

fn web_pod_on(node: &str, name: &str, more: Value) -> Value {
    pod_on(
        node,
        name,
        merged(json!({"metadata": {"labels": {"app": "web"}}}), &more),
    )
}

/// Shows: SCH-072, SCH-074, SCH-075, SCH-076, SCH-077
#[test]
fn spread_counts_follow_inclusion_policies() {
    let tainted = || {
        let taint = json!({"spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}});
        merged(node_in_zone("c", "z3"), &taint)
    };
    let base = || {
        vec![
            node_in_zone("a", "z1"),
            node_in_zone("b", "z2"),
            web_pod_on("a", "wa", json!({})),
            web_pod_on("b", "wb", json!({})),
        ]
    };
    let with = |more: Value| [base(), vec![more]].concat();
    let third = || with(tainted());
    let untolerated = "node(s) had untolerated taint(s)";
    let (too_many, ab) = (
        format!("a: {REASON_SKEW}; b: {REASON_SKEW}"),
        format!("a ok; b ok; c! {untolerated}"),
    );
    let not_ab = format!("a: {REASON_SKEW}; b: {REASON_SKEW}; c! {untolerated}");
    let of_rev = |rev: &str| json!({"metadata": {"labels": {"rev": rev}}});
    let selector = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "a"}}});
    let by_selector = |policy: &str| {
        new_pod(merged(
            with_spread_constraint(json!({"nodeAffinityPolicy": policy})),
            &selector,
        ))
    };
    let (only_a, not_a) = (
        format!("a ok; b! {REASON_NODE_AFFINITY}"),
        format!("a: {REASON_SKEW}; b! {REASON_NODE_AFFINITY}"),
    );
    let keyless = format!("a ok; b ok; c! {REASON_SKEW} (missing required label)");
    let a_only = format!("a: {REASON_SKEW}; b ok");
    let rows: Vec<Row<'_>> = vec![
        ("even", base(), new_pod(with_spread_constraint(json!({}))), "a ok; b ok"),
        (
            "enough domains",
            base(),
            new_pod(with_spread_constraint(json!({"minDomains": 2}))),
            "a ok; b ok",
        ),
        (
            "too few domains",
            base(),
            new_pod(with_spread_constraint(json!({"minDomains": 3}))),
            &too_many,
        ),
        (
            "tainted nodes count",
            third(),
            new_pod(with_spread_constraint(json!({}))),
            &not_ab,
        ),
        (
            "tainted nodes do not count",
            third(),
            new_pod(with_spread_constraint(json!({"nodeTaintsPolicy": "Honor"}))),
            &ab,
        ),
        (
            "nodes that the pod excludes do not count",
            with(web_pod_on("a", "wa2", json!({}))),
            by_selector("Honor"),
            &only_a,
        ),
        (
            "nodes that the pod excludes count",
            with(web_pod_on("a", "wa2", json!({}))),
            by_selector("Ignore"),
            &not_a,
        ),
        (
            "a node without the label is no domain",
            with(node("c", json!({}))),
            new_pod(with_spread_constraint(json!({}))),
            &keyless,
        ),
        (
            "a terminating pod does not count",
            with(web_pod_on(
                "a",
                "wa2",
                json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
            )),
            new_pod(with_spread_constraint(json!({}))),
            "a ok; b ok",
        ),
        (
            "a terminal pod does not count",
            with(web_pod_on("a", "wa2", json!({"status": {"phase": "Succeeded"}}))),
            new_pod(with_spread_constraint(json!({}))),
            "a ok; b ok",
        ),
        (
            "a pod of another namespace does not count",
            with(web_pod_on("a", "wa2", json!({"metadata": {"namespace": "other"}}))),
            new_pod(with_spread_constraint(json!({}))),
            "a ok; b ok",
        ),
        (
            "one more running pod counts",
            with(web_pod_on("a", "wa2", json!({}))),
            new_pod(with_spread_constraint(json!({}))),
            &a_only,
        ),
        (
            "matchLabelKeys restricts the count to the pod's own revision",
            with(web_pod_on("a", "wa2", of_rev("1"))),
            new_pod(merged(
                with_spread_constraint(json!({"matchLabelKeys": ["rev"]})),
                &of_rev("2"),
            )),
            "a ok; b ok",
        ),
        (
            "matchLabelKeys with a label that the pod lacks has no effect",
            with(web_pod_on("a", "wa2", of_rev("1"))),
            new_pod(with_spread_constraint(json!({"matchLabelKeys": ["rev"]}))),
            &a_only,
        ),
    ];
    check_rows(rows);
}

fn with_anti_affinity(term: Value) -> Value {
    let term = merged(json!({"topologyKey": "kubernetes.io/hostname"}), &term);
    json!({"spec": {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}})
}

fn labelled_namespace(name: &str, team: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": team}}})
}

/// `mismatchLabelKeys` is given in its stored form: the API server has already merged it into the selector.
/// Shows: SCH-084, SCH-085
#[test]
fn anti_affinity_applies_to_selected_namespaces() {
    let world = |more: Vec<Value>| {
        let base = [
            nodes_a_and_b(),
            vec![
                labelled_namespace("default", "red"),
                labelled_namespace("one", "red"),
                labelled_namespace("two", "blue"),
                web_pod_on(
                    "a",
                    "wa",
                    json!({"metadata": {"namespace": "one", "labels": {"tenant": "x"}}}),
                ),
                web_pod_on(
                    "b",
                    "wb",
                    json!({"metadata": {"namespace": "two", "labels": {"tenant": "y"}}}),
                ),
            ],
        ];
        [base.concat(), more].concat()
    };
    let web_in = |more: Value| {
        new_pod(with_anti_affinity(merged(
            json!({"labelSelector": {"matchLabels": {"app": "web"}}}),
            &more,
        )))
    };
    let team = |operator: &str| json!({"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": operator, "values": ["red"]}]}});
    let (on_a, on_b, on_both) = (
        format!("a: {REASON_ANTI_AFFINITY}; b ok"),
        format!("a ok; b: {REASON_ANTI_AFFINITY}"),
        format!("a: {REASON_ANTI_AFFINITY}; b: {REASON_ANTI_AFFINITY}"),
    );
    let mismatch = json!({
        "namespaceSelector": {}, "mismatchLabelKeys": ["tenant"],
        "labelSelector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tenant", "operator": "NotIn", "values": ["x"]}]},
    });
    let existing_pod_with_rule = |more: Value| {
        let term = merged(json!({"labelSelector": {"matchLabels": {"app": "new"}}}), &more);
        vec![web_pod_on(
            "a",
            "other",
            merged(with_anti_affinity(term), &json!({"metadata": {"namespace": "two"}})),
        )]
    };
    let new_labelled_pod = || new_pod(json!({"metadata": {"labels": {"app": "new"}}}));
    let existing = "a: node(s) didn't satisfy existing pods anti-affinity rules; b ok";
    let rows: Vec<Row<'_>> = vec![
        (
            "its own namespace alone",
            world(vec![]),
            web_in(json!({})),
            "a ok; b ok",
        ),
        ("a list", world(vec![]), web_in(json!({"namespaces": ["two"]})), &on_b),
        ("by label", world(vec![]), web_in(team("In")), &on_a),
        (
            "NotIn selector matches every namespace",
            world(vec![]),
            web_in(team("NotIn")),
            &on_both,
        ),
        (
            "empty selector matches all namespaces",
            world(vec![]),
            web_in(json!({"namespaceSelector": {}})),
            &on_both,
        ),
        (
            "both, a list and a label",
            world(vec![]),
            web_in(merged(team("In"), &json!({"namespaces": ["two"]}))),
            &on_both,
        ),
        (
            "pods of other tenants",
            world(vec![]),
            new_pod(with_anti_affinity(mismatch)),
            &on_b,
        ),
        (
            "rule of an existing pod, matching namespace labels",
            world(existing_pod_with_rule(team("In"))),
            new_labelled_pod(),
            existing,
        ),
        (
            "rule of an existing pod, NotIn with an existing label",
            world(existing_pod_with_rule(team("NotIn"))),
            new_labelled_pod(),
            "a ok; b ok",
        ),
        (
            "rule of an existing pod for its own namespace",
            world(existing_pod_with_rule(json!({}))),
            new_labelled_pod(),
            "a ok; b ok",
        ),
    ];
    check_rows(rows);
}

/// ImageLocality also adds the sizes of image volumes, but the sum that gives the highest score grows only with the
/// number of containers.
/// Shows: SCH-108
#[test]
fn image_volumes_count_in_image_locality() {
    let mib = |amount: u64| amount << 20;
    let holds = json!({"status": {"images": [
        {"names": ["app:1"], "sizeBytes": mib(500)},
        {"names": ["data:1"], "sizeBytes": mib(700)},
        {"names": ["model:latest"], "sizeBytes": mib(1000)},
    ]}});
    let objects = [node("a", holds), node("b", json!({}))];
    let image = |reference: &str| json!({"name": reference.replace([':', '.'], ""), "image": {"reference": reference}});
    let uses = |references: &[&str], inits: Value| {
        let volumes: Vec<Value> = references.iter().map(|reference| image(reference)).collect();
        new_pod(
            json!({"spec": {"containers": [{"name": "c", "image": "app:1"}], "initContainers": inits, "volumes": volumes}}),
        )
    };
    let init = json!([{"name": "i", "image": "elsewhere:1"}]);
    for (what, pod, score) in [
        (
            "image of the container",
            uses(&[], json!([])),
            100 * (250 - 23) / (1000 - 23),
        ),
        (
            "image of a volume too",
            uses(&["data:1"], json!([])),
            100 * (250 + 350 - 23) / (1000 - 23),
        ),
        (
            "an image without tag means :latest",
            uses(&["model"], json!([])),
            100 * (250 + 500 - 23) / (1000 - 23),
        ),
        ("the score is capped at 100", uses(&["data:1", "model"], json!([])), 100),
        (
            "an init container doubles the divisor",
            uses(&["data:1"], init),
            100 * (250 + 350 - 23) / (2000 - 23),
        ),
    ] {
        let got = decide_case(&objects, &pod, &Value::Null);
        assert_eq!(got["scores"]["a"]["ImageLocality"], score, "{what}");
        assert_eq!(got["scores"]["b"]["ImageLocality"], 0, "{what}");
    }
}

/// Shows: S-18, SCH-033, LC-229
#[test]
fn pod_needing_feature_fits_only_nodes_declaring_it() {
    let declares = |name: &str, list: Value| node(name, json!({"status": {"declaredFeatures": list}}));
    let objects = vec![
        declares("a", json!(["RestartAllContainersOnContainerExits"])),
        declares("b", json!(["ExtendWebSocketsToKubelet"])),
        node("c", json!({"spec": {"unschedulable": true}})),
    ];
    let rule = |action: &str| {
        let rules = json!([{"action": action, "exitCodes": {"operator": "In", "values": [42]}}]);
        json!({"spec": {"containers": [{"name": "c", "image": "i", "restartPolicy": "Never", "restartPolicyRules": rules}]}})
    };
    let text = "node(s) didn't match Pod's required features";
    let wanted = format!("a ok; b! {text}; c! node(s) were unschedulable");
    let rows: Vec<Row<'_>> = vec![
        (
            "all containers restart",
            objects.clone(),
            new_pod(rule("RestartAllContainers")),
            &wanted,
        ),
        (
            "one container restarts",
            objects,
            new_pod(rule("Restart")),
            "a ok; b ok; c! node(s) were unschedulable",
        ),
    ];
    check_rows(rows);
}

/// Shows: SCH-013, SCH-014, SCH-015, SCH-019
#[test]
fn search_stops_after_enough_feasible_nodes() {
    let nodes = |n: usize, cordoned: fn(usize) -> bool| -> Vec<Value> {
        let one = |at: usize| node(&format!("n{at:03}"), json!({"spec": {"unschedulable": cordoned(at)}}));
        (0..n).map(one).collect()
    };
    let share = |percent: i64| json!({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "percentageOfNodesToScore": percent});
    let none: fn(usize) -> bool = |_| false;
    let even: fn(usize) -> bool = |at| at % 2 == 0;
    for (n, cordoned, config, feasible, refused) in [
        (1, none, Value::Null, 1, 0),
        (99, none, Value::Null, 99, 0),
        (100, none, Value::Null, 100, 0),
        (120, none, Value::Null, 100, 0),
        (250, none, Value::Null, 250 * 48 / 100, 0),
        (400, none, Value::Null, 400 * 47 / 100, 0),
        (400, none, share(10), 100, 0),
        (400, none, share(100), 400, 0),
        // Odd-numbered nodes fit. The 189th feasible node is the 378th examined node, after 189 rejections.
        (400, even, Value::Null, 188, 189),
    ] {
        let got = decide_case(&nodes(n, cordoned), &new_pod(json!({})), &config);
        let found = got["feasible"].as_array().map_or(0, Vec::len);
        let filtered = got["filter"].as_object().map_or(0, serde_json::Map::len);
        assert_eq!((found, filtered), (feasible, refused), "{n} nodes, {config}");
        assert_eq!(got["scores"].is_null(), n == 1, "{n} nodes");
    }
}

/// The resources of a nominated pod are not available to pods of equal or lower priority, even if it is terminating.
/// Shows: SCH-017
#[test]
fn nominated_pod_reserves_resources_against_lower_priority() {
    let nominated = |more: Value| {
        let base = json!({"spec": {"priority": 10}, "status": {"nominatedNodeName": "a"}});
        vec![
            node("a", json!({})),
            pod("nominated", merged(merged(base, &cpu_request("3")), &more)),
        ]
    };
    let asks = |priority: i64| new_pod(merged(json!({"spec": {"priority": priority}}), &cpu_request("2")));
    let gated = json!({"spec": {"schedulingGates": [{"name": "g"}]}});
    let rows: Vec<Row<'_>> = vec![
        ("lower priority", nominated(json!({})), asks(9), "a: Insufficient cpu"),
        ("equal priority", nominated(json!({})), asks(10), "a: Insufficient cpu"),
        ("higher priority", nominated(json!({})), asks(11), "a ok"),
        ("a gated pod is not nominated", nominated(gated), asks(9), "a ok"),
        (
            "a terminal pod is not nominated",
            nominated(json!({"status": {"phase": "Failed"}})),
            asks(9),
            "a ok",
        ),
        (
            "a pod of another scheduler is not nominated",
            nominated(json!({"spec": {"schedulerName": "other"}})),
            asks(9),
            "a ok",
        ),
        (
            "a terminating pod still uses its node",
            vec![
                node("a", json!({})),
                pod_on(
                    "a",
                    "old",
                    merged(
                        cpu_request("3"),
                        &json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
                    ),
                ),
            ],
            asks(0),
            "a: Insufficient cpu",
        ),
    ];
    check_rows(rows);
}
