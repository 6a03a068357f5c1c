//! S-15: what would help a pending pod, each suggestion verified, smallest first.

use std::sync::Arc;

use podscope_api::{Kind, Object, Pod, Str};
use podscope_scheduler::what_would_help::WhatWouldHelp;
use podscope_scheduler::{SchedulerConfiguration, cases};
use serde_json::{Value, json};

fn object(kind: Kind, value: &Value) -> Object {
    Object::from_typed_value(kind, value).expect("a readable object")
}

fn node(name: &str, zone: &str, cpu: &str, spec: Value) -> Object {
    object(
        Kind::Node,
        &json!({"metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": name}},
                "spec": spec, "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}}),
    )
}

fn pod(name: &str, cpu: &str, spec: Value) -> Object {
    let mut full = json!({"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]});
    for (key, value) in spec.as_object().expect("an object") {
        full[key] = value.clone();
    }
    object(
        Kind::Pod,
        &json!({"metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"app": "web"}}, "spec": full}),
    )
}

fn ask(objects: &[Object], pod: &Object, classes: &[(Str, i32)]) -> Vec<String> {
    let Object::Pod(pod) = pod else { unreachable!() };
    let pod: &Arc<Pod> = pod;
    let (cache, nominator) = cases::load(objects, &SchedulerConfiguration::default());
    let mut search = WhatWouldHelp::on(cache, nominator, SchedulerConfiguration::default(), pod, classes);
    let total = search.progress().total;
    let mut steps = 0;
    while !search.progress().finished {
        search.step();
        steps += 1;
    }
    assert!(steps >= total);
    search
        .suggestions()
        .iter()
        .map(|suggestion| suggestion.text.clone())
        .collect()
}

/// S-15.
#[test]
fn each_single_change_that_would_help_is_found() {
    let objects = vec![
        node(
            "a-1",
            "a",
            "2",
            json!({"taints": [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]}),
        ),
        node("b-1", "b", "2", json!({"unschedulable": true})),
        node("c-1", "c", "2", json!({})),
        pod("busy", "1", json!({"nodeName": "c-1", "priority": 0})),
    ];
    let got = ask(&objects, &pod("new", "1500m", json!({})), &[("high".into(), 100)]);
    assert_eq!(
        got,
        [
            "Uncordon b-1: then one node can take it",
            "Let the pod tolerate the taint dedicated=db:NoSchedule: then one node can take it",
            "Request 1 of cpu instead of 1500m: then one node can take it",
            "Give the pod the PriorityClass high (100): it would end default/busy on c-1",
            "Delete pod default/busy on c-1: then one node can take it",
            "Add a node like a-1, without its taint dedicated=db, with topology.kubernetes.io/zone=a: then one node can take it",
            "Add a node like b-1 with topology.kubernetes.io/zone=b: then one node can take it",
            "Add a node like c-1 with topology.kubernetes.io/zone=c: then one node can take it",
        ]
    );
}

/// S-15.
#[test]
fn what_would_help_against_a_spread_constraint_is_found() {
    let mut objects = vec![node("a-1", "a", "4", json!({})), node("b-1", "b", "1", json!({}))];
    for index in 0..2 {
        objects.push(pod(&format!("w{index}"), "100m", json!({"nodeName": "a-1"})));
    }
    let constraint = json!({"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
                            "labelSelector": {"matchLabels": {"app": "web"}}});
    let got = ask(
        &objects,
        &pod("new", "2", json!({"topologySpreadConstraints": [constraint]})),
        &[],
    );
    assert_eq!(
        got,
        [
            "Allow a maxSkew of 3 over topology.kubernetes.io/zone: then one node can take it",
            "Make the spread over topology.kubernetes.io/zone a wish (ScheduleAnyway) instead of a rule: then one node can take it",
            "Leave out spec.topologySpreadConstraints[0]: then one node can take it",
            "Request 1 of cpu instead of 2: then one node can take it",
            "Add a node like a-1 in a domain of topology.kubernetes.io/zone that is not there yet: then one node can take it",
        ]
    );
}

/// S-15.
#[test]
fn nothing_is_suggested_to_a_pod_that_fits() {
    let objects = vec![node("a-1", "a", "4", json!({}))];
    assert!(ask(&objects, &pod("new", "1", json!({})), &[]).is_empty());
}

/// S-07, S-15: preemption does not reach across nodes, but a person may delete the pod that is in the way there.
#[test]
fn a_pod_on_another_node_of_the_domain_may_be_in_the_way() {
    let zone = "topology.kubernetes.io/zone";
    let away_from_web = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": zone}]}});
    let spread = json!([{"maxSkew": 1, "topologyKey": zone, "whenUnsatisfiable": "DoNotSchedule",
        "nodeAffinityPolicy": "Ignore", "labelSelector": {"matchLabels": {"app": "web"}}}]);
    let delete = ["Delete pod default/obstacle on a-2: then one node can take it"];
    for (rule, value, other, want) in [
        ("affinity", &away_from_web, "b-1", &delete[..]),
        ("affinity", &away_from_web, "a-2", &[]),
        ("topologySpreadConstraints", &spread, "", &delete[..]),
        // Two there and none in b: one less still leaves a skew of two.
        ("topologySpreadConstraints", &spread, "a-2", &[]),
    ] {
        let mut objects = vec![
            node("a-1", "a", "2", json!({})),
            node("a-2", "a", "2", json!({})),
            node("b-1", "b", "2", json!({})),
            pod("obstacle", "1", json!({"nodeName": "a-2"})),
        ];
        if !other.is_empty() {
            objects.push(pod("other", "1", json!({"nodeName": other})));
        }
        let here = json!({"kubernetes.io/hostname": "a-1"});
        let pending = pod("pinned", "1", json!({"nodeSelector": here, rule: value}));
        let texts = ask(&objects, &pending, &[]);
        let deletions: Vec<&String> = texts.iter().filter(|text| text.starts_with("Delete")).collect();
        assert_eq!(deletions, want, "{rule} {other}: {texts:?}");
    }
}

/// S-15, SCH-076: below minDomains the fewest counts as 0, and neither a system class nor a node in a domain
/// that is there would change that.
#[test]
fn a_pod_below_min_domains_is_told_of_a_new_domain_and_of_a_lower_min_domains() {
    let spread = json!({"topologySpreadConstraints": [{"maxSkew": 1, "minDomains": 4, "whenUnsatisfiable": "DoNotSchedule",
        "topologyKey": "topology.kubernetes.io/zone", "labelSelector": {"matchLabels": {"app": "web"}}}]});
    let objects = vec![
        node("a-1", "a", "2", json!({})),
        node("b-1", "b", "2", json!({})),
        pod("one", "1m", json!({"nodeName": "a-1", "priority": 0})),
        pod("two", "1m", json!({"nodeName": "b-1", "priority": 0})),
    ];
    let pod = pod("new", "1m", spread);
    let classes = [("system-cluster-critical".into(), 2_000_000_000), ("high".into(), 100)];
    assert_eq!(
        ask(&objects, &pod, &classes),
        [
            "Be content with 2 domains of topology.kubernetes.io/zone (minDomains): then 2 nodes can take it",
            "Allow a maxSkew of 2 over topology.kubernetes.io/zone: then 2 nodes can take it",
            "Make the spread over topology.kubernetes.io/zone a wish (ScheduleAnyway) instead of a rule: then 2 nodes can take it",
            "Leave out spec.topologySpreadConstraints[0]: then 2 nodes can take it",
            "Give the pod the PriorityClass high (100): it would end default/one on a-1",
            "Delete pod default/one on a-1: then one node can take it",
            "Delete pod default/two on b-1: then one node can take it",
            "Add a node like a-1 in a domain of topology.kubernetes.io/zone that is not there yet: then one node can take it",
        ]
    );
}
