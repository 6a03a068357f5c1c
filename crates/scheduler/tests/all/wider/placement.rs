//! Where pods may stand and want to: ports, selectors, names, domains, affinity over namespaces, images, sampling.

use serde_json::{Value, json};

use crate::wider::{Row, check, cpu, decided, labelled, merged, new, node, on, pod, two, zoned};

const AWAY: &str = "node(s) didn't match pod anti-affinity rules";
const SKEW: &str = "node(s) didn't match pod topology spread constraints";
const NOT_ITS: &str = "node(s) didn't match Pod's node affinity/selector";

/// Shows: SCH-049
#[test]
fn ports_of_the_node_conflict_by_protocol_number_and_address() {
    let port = |more: Value| merged(json!({"containerPort": 80, "hostPort": 80}), &more);
    let with = |port: Value| json!({"spec": {"containers": [{"name": "c", "image": "i", "ports": [port]}]}});
    let init = |more: Value| {
        let container = merged(json!({"name": "s", "image": "i", "ports": [port(json!({}))]}), &more);
        json!({"spec": {"initContainers": [container]}})
    };
    let taken = || {
        vec![
            node("a", json!({})),
            on("a", "old", with(port(json!({"hostIP": "10.0.0.1"})))),
        ]
    };
    let conflict = "a: node(s) didn't have free ports for the requested pod ports";
    let rows: Vec<Row<'_>> = vec![
        (
            "the same address",
            taken(),
            new(with(port(json!({"hostIP": "10.0.0.1"})))),
            conflict,
        ),
        (
            "another address",
            taken(),
            new(with(port(json!({"hostIP": "10.0.0.2"})))),
            "a ok",
        ),
        ("every address", taken(), new(with(port(json!({})))), conflict),
        (
            "every address, said so",
            taken(),
            new(with(port(json!({"hostIP": "0.0.0.0"})))),
            conflict,
        ),
        (
            "the address :: is one address",
            taken(),
            new(with(port(json!({"hostIP": "::"})))),
            "a ok",
        ),
        (
            "another protocol",
            taken(),
            new(with(port(json!({"protocol": "UDP"})))),
            "a ok",
        ),
        (
            "the default protocol by name",
            taken(),
            new(with(port(json!({"protocol": "TCP"})))),
            conflict,
        ),
        (
            "a sidecar's",
            taken(),
            new(init(json!({"restartPolicy": "Always"}))),
            conflict,
        ),
        ("another init container's", taken(), new(init(json!({}))), "a ok"),
        (
            "one of a container only",
            taken(),
            new(with(json!({"containerPort": 80}))),
            "a ok",
        ),
    ];
    check(rows);
}

fn requires(term: Value) -> Value {
    json!({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [term]}}}}})
}

/// Shows: SCH-012, SCH-044, SCH-045, SCH-046, SCH-047
#[test]
fn nodes_are_chosen_by_numbers_and_names() {
    let cores = || {
        vec![
            labelled("a", "cores", "4"),
            labelled("b", "cores", "8"),
            labelled("c", "cores", "many"),
            node("d", json!({})),
        ]
    };
    let expression = |operator: &str, values: &[&str]| {
        requires(json!({"matchExpressions": [{"key": "cores", "operator": operator, "values": values}]}))
    };
    let field = |parts: &[(&str, &str)]| {
        let one =
            |(operator, name): &(&str, &str)| json!({"key": "metadata.name", "operator": operator, "values": [name]});
        requires(json!({"matchFields": parts.iter().map(one).collect::<Vec<Value>>()}))
    };
    let but = |ok: &str| {
        let one = |name: &str| {
            if ok.contains(name) {
                format!("{name} ok")
            } else {
                format!("{name}! {NOT_ITS}")
            }
        };
        ["a", "b", "c", "d"].map(one).join("; ")
    };
    let by_name = "node(s) didn't satisfy plugin(s) [NodeAffinity]";
    let (gt, lt, not_in, all_but, nowhere) = (but("b"), but("a"), but("bcd"), but("acd"), but(""));
    let only_b = format!("a! {by_name}; b ok; c! {by_name}; d! {by_name}");
    let none = ["a", "b", "c", "d"].map(|name| format!("{name}! {by_name}")).join("; ");
    let rows: Vec<Row<'_>> = vec![
        ("Gt", cores(), new(expression("Gt", &["4"])), &gt),
        ("Lt", cores(), new(expression("Lt", &["8"])), &lt),
        (
            "NotIn takes nodes without the label",
            cores(),
            new(expression("NotIn", &["4"])),
            &not_in,
        ),
        (
            "a bound that is no number matches nothing",
            cores(),
            new(expression("Gt", &["few"])),
            &nowhere,
        ),
        ("one name", cores(), new(field(&[("In", "b")])), &only_b),
        ("all but one name", cores(), new(field(&[("NotIn", "b")])), &all_but),
        (
            "two names at once",
            cores(),
            new(field(&[("In", "a"), ("In", "b")])),
            "NodeAffinity! pod affinity terms conflict",
        ),
        ("a name that no node has", cores(), new(field(&[("In", "z")])), &none),
    ];
    check(rows);
    let got = decided(&cores(), &new(field(&[("In", "z")])), &Value::Null);
    assert_eq!(
        got["message"],
        "0/4 nodes are available: 4 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, \
         preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling."
    );
}

fn spread(more: Value) -> Value {
    let base = json!({
        "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    });
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {"topologySpreadConstraints": [merged(base, &more)]}})
}

fn web(node: &str, name: &str, more: Value) -> Value {
    on(
        node,
        name,
        merged(json!({"metadata": {"labels": {"app": "web"}}}), &more),
    )
}

/// Shows: SCH-072, SCH-074, SCH-075, SCH-076, SCH-077
#[test]
fn domains_are_counted_as_the_constraint_says() {
    let tainted = || {
        let taint = json!({"spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}});
        merged(zoned("c", "z3"), &taint)
    };
    let base = || {
        vec![
            zoned("a", "z1"),
            zoned("b", "z2"),
            web("a", "wa", json!({})),
            web("b", "wb", json!({})),
        ]
    };
    let with = |more: Value| [base(), vec![more]].concat();
    let third = || with(tainted());
    let untolerated = "node(s) had untolerated taint(s)";
    let (too_many, ab) = (format!("a: {SKEW}; b: {SKEW}"), format!("a ok; b ok; c! {untolerated}"));
    let not_ab = format!("a: {SKEW}; b: {SKEW}; c! {untolerated}");
    let of_rev = |rev: &str| json!({"metadata": {"labels": {"rev": rev}}});
    let selector = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "a"}}});
    let by_selector = |policy: &str| new(merged(spread(json!({"nodeAffinityPolicy": policy})), &selector));
    let (only_a, not_a) = (format!("a ok; b! {NOT_ITS}"), format!("a: {SKEW}; b! {NOT_ITS}"));
    let keyless = format!("a ok; b ok; c! {SKEW} (missing required label)");
    let a_only = format!("a: {SKEW}; b ok");
    let rows: Vec<Row<'_>> = vec![
        ("even", base(), new(spread(json!({}))), "a ok; b ok"),
        (
            "enough domains",
            base(),
            new(spread(json!({"minDomains": 2}))),
            "a ok; b ok",
        ),
        (
            "too few domains",
            base(),
            new(spread(json!({"minDomains": 3}))),
            &too_many,
        ),
        ("tainted nodes count", third(), new(spread(json!({}))), &not_ab),
        (
            "tainted nodes do not count",
            third(),
            new(spread(json!({"nodeTaintsPolicy": "Honor"}))),
            &ab,
        ),
        (
            "nodes that the pod excludes do not count",
            with(web("a", "wa2", json!({}))),
            by_selector("Honor"),
            &only_a,
        ),
        (
            "nodes that the pod excludes count",
            with(web("a", "wa2", json!({}))),
            by_selector("Ignore"),
            &not_a,
        ),
        (
            "a node without the label is no domain",
            with(node("c", json!({}))),
            new(spread(json!({}))),
            &keyless,
        ),
        (
            "one that is being deleted extension_points not count",
            with(web(
                "a",
                "wa2",
                json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
            )),
            new(spread(json!({}))),
            "a ok; b ok",
        ),
        (
            "one that has ended extension_points not count",
            with(web("a", "wa2", json!({"status": {"phase": "Succeeded"}}))),
            new(spread(json!({}))),
            "a ok; b ok",
        ),
        (
            "one of another namespace extension_points not count",
            with(web("a", "wa2", json!({"metadata": {"namespace": "other"}}))),
            new(spread(json!({}))),
            "a ok; b ok",
        ),
        (
            "one more extension_points",
            with(web("a", "wa2", json!({}))),
            new(spread(json!({}))),
            &a_only,
        ),
        (
            "matchLabelKeys counts its own revision",
            with(web("a", "wa2", of_rev("1"))),
            new(merged(spread(json!({"matchLabelKeys": ["rev"]})), &of_rev("2"))),
            "a ok; b ok",
        ),
        (
            "matchLabelKeys that the pod extension_points not have says nothing",
            with(web("a", "wa2", of_rev("1"))),
            new(spread(json!({"matchLabelKeys": ["rev"]}))),
            &a_only,
        ),
    ];
    check(rows);
}

fn keeps_from(term: Value) -> Value {
    let term = merged(json!({"topologyKey": "kubernetes.io/hostname"}), &term);
    json!({"spec": {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}})
}

fn namespace(name: &str, team: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": team}}})
}

/// As the API server stores it, mismatchLabelKeys is part of the selector.
/// Shows: SCH-084, SCH-085
#[test]
fn affinity_reaches_into_the_namespaces_that_it_selects() {
    let world = |more: Vec<Value>| {
        let base = [
            two(),
            vec![
                namespace("default", "red"),
                namespace("one", "red"),
                namespace("two", "blue"),
                web(
                    "a",
                    "wa",
                    json!({"metadata": {"namespace": "one", "labels": {"tenant": "x"}}}),
                ),
                web(
                    "b",
                    "wb",
                    json!({"metadata": {"namespace": "two", "labels": {"tenant": "y"}}}),
                ),
            ],
        ];
        [base.concat(), more].concat()
    };
    let web_in = |more: Value| {
        new(keeps_from(merged(
            json!({"labelSelector": {"matchLabels": {"app": "web"}}}),
            &more,
        )))
    };
    let team = |operator: &str| json!({"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": operator, "values": ["red"]}]}});
    let (on_a, on_b, on_both) = (
        format!("a: {AWAY}; b ok"),
        format!("a ok; b: {AWAY}"),
        format!("a: {AWAY}; b: {AWAY}"),
    );
    let mismatch = json!({
        "namespaceSelector": {}, "mismatchLabelKeys": ["tenant"],
        "labelSelector": {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tenant", "operator": "NotIn", "values": ["x"]}]},
    });
    let theirs = |more: Value| {
        let term = merged(json!({"labelSelector": {"matchLabels": {"app": "new"}}}), &more);
        vec![web(
            "a",
            "other",
            merged(keeps_from(term), &json!({"metadata": {"namespace": "two"}})),
        )]
    };
    let labelled = || new(json!({"metadata": {"labels": {"app": "new"}}}));
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
            "by the lack of a label, every one",
            world(vec![]),
            web_in(team("NotIn")),
            &on_both,
        ),
        ("all", world(vec![]), web_in(json!({"namespaceSelector": {}})), &on_both),
        (
            "both, a list and a label",
            world(vec![]),
            web_in(merged(team("In"), &json!({"namespaces": ["two"]}))),
            &on_both,
        ),
        ("of other tenants", world(vec![]), new(keeps_from(mismatch)), &on_b),
        (
            "another's rule, by the real labels of the namespace",
            world(theirs(team("In"))),
            labelled(),
            existing,
        ),
        (
            "another's rule, by the lack of a label that is there",
            world(theirs(team("NotIn"))),
            labelled(),
            "a ok; b ok",
        ),
        (
            "another's rule about its own namespace",
            world(theirs(json!({}))),
            labelled(),
            "a ok; b ok",
        ),
    ];
    check(rows);
}

/// An image volume adds to the sum; what is divided by knows containers alone.
/// Shows: SCH-108
#[test]
fn images_of_volumes_draw_a_pod_to_their_node() {
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
        new(
            json!({"spec": {"containers": [{"name": "c", "image": "app:1"}], "initContainers": inits, "volumes": volumes}}),
        )
    };
    let init = json!([{"name": "i", "image": "elsewhere:1"}]);
    for (what, pod, score) in [
        ("its container's", uses(&[], json!([])), 100 * (250 - 23) / (1000 - 23)),
        (
            "a volume's too",
            uses(&["data:1"], json!([])),
            100 * (250 + 350 - 23) / (1000 - 23),
        ),
        (
            "one without a tag is the latest",
            uses(&["model"], json!([])),
            100 * (250 + 500 - 23) / (1000 - 23),
        ),
        ("no more than all", uses(&["data:1", "model"], json!([])), 100),
        (
            "an init container halves it",
            uses(&["data:1"], init),
            100 * (250 + 350 - 23) / (2000 - 23),
        ),
    ] {
        let got = decided(&objects, &pod, &Value::Null);
        assert_eq!(got["scores"]["a"]["ImageLocality"], score, "{what}");
        assert_eq!(got["scores"]["b"]["ImageLocality"], 0, "{what}");
    }
}

/// SCH-033, LC-229.
/// Shows: S-18, SCH-033, LC-229
#[test]
fn a_pod_that_needs_a_feature_goes_where_it_is_declared() {
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
            "all begin anew",
            objects.clone(),
            new(rule("RestartAllContainers")),
            &wanted,
        ),
        (
            "one restarts",
            objects,
            new(rule("Restart")),
            "a ok; b ok; c! node(s) were unschedulable",
        ),
    ];
    check(rows);
}

/// Shows: SCH-013, SCH-014, SCH-015, SCH-019
#[test]
fn many_nodes_are_searched_in_part() {
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
        // The 189th that fits is at 377: before it, and up to it, every other one refuses.
        (400, even, Value::Null, 188, 189),
    ] {
        let got = decided(&nodes(n, cordoned), &new(json!({})), &config);
        let found = got["feasible"].as_array().map_or(0, Vec::len);
        let filtered = got["filter"].as_object().map_or(0, serde_json::Map::len);
        assert_eq!((found, filtered), (feasible, refused), "{n} nodes, {config}");
        assert_eq!(got["scores"].is_null(), n == 1, "{n} nodes");
    }
}

/// Pods that were promised a node count for those of no higher priority, also while they end.
/// Shows: SCH-017
#[test]
fn promised_room_is_kept_from_the_less_important() {
    let promised = |more: Value| {
        let base = json!({"spec": {"priority": 10}, "status": {"nominatedNodeName": "a"}});
        vec![
            node("a", json!({})),
            pod("promised", merged(merged(base, &cpu("3")), &more)),
        ]
    };
    let asks = |priority: i64| new(merged(json!({"spec": {"priority": priority}}), &cpu("2")));
    let gated = json!({"spec": {"schedulingGates": [{"name": "g"}]}});
    let rows: Vec<Row<'_>> = vec![
        ("less important", promised(json!({})), asks(9), "a: Insufficient cpu"),
        ("as important", promised(json!({})), asks(10), "a: Insufficient cpu"),
        ("more important", promised(json!({})), asks(11), "a ok"),
        ("a gated pod is promised nothing", promised(gated), asks(9), "a ok"),
        (
            "one that has ended is promised nothing",
            promised(json!({"status": {"phase": "Failed"}})),
            asks(9),
            "a ok",
        ),
        (
            "another scheduler's",
            promised(json!({"spec": {"schedulerName": "other"}})),
            asks(9),
            "a ok",
        ),
        (
            "one that is being deleted holds its node",
            vec![
                node("a", json!({})),
                on(
                    "a",
                    "old",
                    merged(
                        cpu("3"),
                        &json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
                    ),
                ),
            ],
            asks(0),
            "a: Insufficient cpu",
        ),
    ];
    check(rows);
}
