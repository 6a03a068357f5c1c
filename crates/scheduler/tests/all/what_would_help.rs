//! Tests of the suggestions for a pending pod (S-15).

use std::sync::Arc;

use podscope_api::{Kind, Object, Pod, Str};
use podscope_scheduler::what_would_help::{ChangeEffect, Suggestion, WhatWouldHelp};
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

fn suggestions_for(objects: &[Object], pod: &Object, priority_classes: &[(Str, i32)]) -> Vec<String> {
    let Object::Pod(pod) = pod else { unreachable!() };
    let pod: &Arc<Pod> = pod;
    let (cache, nominator) = cases::load(objects, &SchedulerConfiguration::default());
    let class = |(name, value): &(Str, i32)| {
        let mut class = podscope_api::PriorityClass::default();
        class.metadata.name = name.clone();
        class.value = *value;
        if name.contains("never") {
            class.preemption_policy = Some(podscope_api::PreemptionPolicy::Never);
        }
        Arc::new(class)
    };
    let classes: Vec<_> = priority_classes.iter().map(class).collect();
    let mut search = WhatWouldHelp::on_cluster(cache, nominator, SchedulerConfiguration::default(), pod, &classes);
    let total = search.progress().total;
    let mut steps = 0;
    while !search.progress().finished {
        search.step();
        steps += 1;
    }
    assert!(steps >= total);
    search.suggestions().iter().map(format_suggestion).collect()
}

/// Formats a suggestion as `change and its fields → effect`.
fn format_suggestion(suggestion: &Suggestion) -> String {
    let change = serde_json::to_value(&suggestion.change).expect("JSON");
    let (name, fields) = match &change {
        Value::Object(one) => one
            .iter()
            .next()
            .map(|(name, fields)| (name.as_str(), format_fields(fields))),
        bare => bare.as_str().map(|name| (name, String::new())),
    }
    .expect("a name");
    let then = match &suggestion.effect {
        ChangeEffect::Fits(n) => n.to_string(),
        ChangeEffect::Ends { victims, node } => format!("{victims:?} end on {node}"),
    };
    format!("{name}{fields} → {then}")
}

fn format_fields(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => String::new(),
        Value::String(text) => format!(" {text}"),
        Value::Array(items) => items.iter().map(format_fields).collect(),
        Value::Object(fields) => fields.values().map(format_fields).collect(),
        other => format!(" {other}"),
    }
}

/// Shows: S-15
#[test]
fn all_helpful_single_changes_are_found() {
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
    let got = suggestions_for(&objects, &pod("new", "1500m", json!({})), &[("high".into(), 100)]);
    assert_eq!(
        got,
        [
            "uncordon b-1 → 1",
            "tolerate dedicated db NoSchedule → 1",
            "untaint a-1 dedicated db NoSchedule → 1",
            "shrink cpu 1500m 1 c 1 false → 1",
            "priority high 100 → [\"default/busy\"] end on c-1",
            "deletePod default/busy c-1 → 1",
            "addNode a-2 a-1 dedicated=db topology.kubernetes.io/zone=a cpu=2,memory=8Gi,pods=110 topology.kubernetes.io/zone a → 1",
            "addNode b-2 b-1 topology.kubernetes.io/zone=b cpu=2,memory=8Gi,pods=110 topology.kubernetes.io/zone b → 1",
            "addNode c-2 c-1 topology.kubernetes.io/zone=c cpu=2,memory=8Gi,pods=110 topology.kubernetes.io/zone c → 1",
        ]
    );
}

/// Shows: S-15
#[test]
fn changes_to_spread_constraint_are_suggested() {
    let mut objects = vec![node("a-1", "a", "4", json!({})), node("b-1", "b", "1", json!({}))];
    for index in 0..2 {
        objects.push(pod(&format!("w{index}"), "100m", json!({"nodeName": "a-1"})));
    }
    let constraint = json!({"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
                            "labelSelector": {"matchLabels": {"app": "web"}}});
    let got = suggestions_for(
        &objects,
        &pod("new", "2", json!({"topologySpreadConstraints": [constraint]})),
        &[],
    );
    assert_eq!(
        got,
        [
            "maxSkew 0 topology.kubernetes.io/zone 3 → 1",
            "soften 0 topology.kubernetes.io/zone → 1",
            "drop spec.topologySpreadConstraints[0] → 1",
            "shrink cpu 2 1 c 1 false → 1",
            "addNode c-1 a-1 topology.kubernetes.io/zone=c cpu=4,memory=8Gi,pods=110 topology.kubernetes.io/zone → 1",
        ]
    );
}

/// Shows: S-15
#[test]
fn feasible_pod_gets_no_suggestions() {
    let objects = vec![node("a-1", "a", "4", json!({}))];
    assert!(suggestions_for(&objects, &pod("new", "1", json!({})), &[]).is_empty());
}

/// Preemption does not consider pods on other nodes, but a person can delete the blocking pod there.
/// Shows: S-07, S-15
#[test]
fn suggests_deleting_blocking_pod_on_other_node() {
    let zone = "topology.kubernetes.io/zone";
    let away_from_web = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": zone}]}});
    let spread = json!([{"maxSkew": 1, "topologyKey": zone, "whenUnsatisfiable": "DoNotSchedule",
        "nodeAffinityPolicy": "Ignore", "labelSelector": {"matchLabels": {"app": "web"}}}]);
    let delete = ["deletePod default/obstacle a-2 → 1"];
    for (rule, value, other, want) in [
        ("affinity", &away_from_web, "b-1", &delete[..]),
        ("affinity", &away_from_web, "a-2", &[]),
        ("topologySpreadConstraints", &spread, "", &delete[..]),
        // There are two pods in zone a and none in b; after the deletion of one pod, the skew is still too large.
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
        let texts = suggestions_for(&objects, &pending, &[]);
        let deletions: Vec<&String> = texts.iter().filter(|text| text.starts_with("deletePod")).collect();
        assert_eq!(deletions, want, "{rule} {other}: {texts:?}");
    }
}

/// With fewer than minDomains domains, the global minimum count is 0. Neither a system PriorityClass nor a node in an
/// existing domain is suggested, because neither adds a domain.
/// Shows: S-15, SCH-076
#[test]
fn suggests_new_domain_and_lower_min_domains() {
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
        suggestions_for(&objects, &pod, &classes),
        [
            "minDomains 0 topology.kubernetes.io/zone 2 → 2",
            "maxSkew 0 topology.kubernetes.io/zone 2 → 2",
            "soften 0 topology.kubernetes.io/zone → 2",
            "drop spec.topologySpreadConstraints[0] → 2",
            "priority high 100 → [\"default/one\"] end on a-1",
            "deletePod default/one a-1 → 1",
            "deletePod default/two b-1 → 1",
            "addNode c-1 a-1 topology.kubernetes.io/zone=c cpu=2,memory=8Gi,pods=110 topology.kubernetes.io/zone → 1",
        ]
    );
}

fn pod_with(requests: Value, spec: Value) -> Object {
    let mut pod = json!({"metadata": {"name": "new", "namespace": "default", "uid": "new"}, "spec": spec});
    pod["spec"]["containers"] = json!([{"name": "c", "image": "i", "resources": {"requests": requests}}]);
    object(Kind::Pod, &pod)
}

/// Shows: S-15
#[test]
fn suggests_larger_node_for_request_exceeding_all_nodes() {
    let objects = [node("a-1", "a", "2", json!({})), node("b-1", "b", "4", json!({}))];
    let pod = pod_with(json!({"cpu": "9500m", "memory": "20000Mi"}), json!({}));
    assert_eq!(
        suggestions_for(&objects, &pod, &[]),
        ["addNode a-2 a-1 topology.kubernetes.io/zone=a cpu=10,memory=20Gi,pods=110 cpu=10,memory=20Gi → 1"]
    );
    let none = suggestions_for(&[], &pod_with(json!({"cpu": "1"}), json!({})), &[]);
    assert_eq!(none, ["addNode node-1 cpu=1,pods=110 cpu=1 → 1"]);
}

/// The pod requests more memory than is free; the suggested smaller request is a common amount (8Gi, 1.75Gi).
/// Shows: S-15
#[test]
fn suggested_smaller_request_is_rounded() {
    let objects = [
        node("a-1", "a", "2", json!({})),
        pod("busy", "1", json!({"nodeName": "a-1"})),
    ];
    let got = suggestions_for(&objects, &pod_with(json!({"memory": "10Gi"}), json!({})), &[]);
    assert_eq!(got[0], "shrink memory 10Gi 8Gi c 8Gi false → 1");
    let mut used = pod("used", "1m", json!({"nodeName": "a-1"}));
    if let Object::Pod(pod) = &mut used {
        let container = &mut Arc::make_mut(&mut Arc::make_mut(pod).spec.containers)[0];
        let requests = &mut Arc::make_mut(&mut container.resources).requests;
        requests.insert("memory".into(), "6300Mi".parse().expect("a quantity"));
    }
    let got = suggestions_for(
        &[objects[0].clone(), used],
        &pod_with(json!({"memory": "2048Mi"}), json!({})),
        &[],
    );
    assert_eq!(got[0], "shrink memory 2Gi 1.75Gi c 1.75Gi false → 1");
}

/// Shows: S-15, SCH-067, SCH-069
#[test]
fn suggests_node_in_volume_zone_unless_local_volume() {
    let zone = "topology.kubernetes.io/zone";
    let claim = object(
        Kind::PersistentVolumeClaim,
        &json!({"metadata": {"name": "data", "namespace": "default", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
                "spec": {"volumeName": "pv-1"}, "status": {"phase": "Bound"}}),
    );
    let volume = |key: &str, labels: Value| {
        object(
            Kind::PersistentVolume,
            &json!({"metadata": {"name": "pv-1", "labels": labels}, "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": key, "operator": "In", "values": ["c"]}]}]}}}}),
        )
    };
    let pod = pod_with(
        json!({"cpu": "1"}),
        json!({"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}),
    );
    for (volume, want) in [
        (
            volume(zone, json!({})),
            &[
                "addNode c-1 a-1 topology.kubernetes.io/zone=c cpu=2,memory=8Gi,pods=110 topology.kubernetes.io/zone c pv-1 → 1",
            ][..],
        ),
        (volume("kubernetes.io/hostname", json!({})), &[]),
    ] {
        let objects = [node("a-1", "a", "2", json!({})), claim.clone(), volume];
        let got = suggestions_for(&objects, &pod, &[]);
        let node_suggestions: Vec<&String> = got.iter().filter(|text| text.starts_with("add")).collect();
        assert_eq!(node_suggestions, want, "{got:?}");
    }
}

/// Shows: S-15
#[test]
fn suggests_node_offering_missing_extended_resource() {
    let objects = [node("a-1", "a", "2", json!({})), node("b-1", "b", "2", json!({}))];
    let got = suggestions_for(&objects, &pod_with(json!({"example.com/gpu": "2"}), json!({})), &[]);
    assert_eq!(
        got,
        [
            "dropRequest example.com/gpu → 2",
            "offer a-1 example.com/gpu 2 → 1",
            "addNode a-2 a-1 topology.kubernetes.io/zone=a cpu=2,example.com/gpu=2,memory=8Gi,pods=110 example.com/gpu=2 → 1"
        ]
    );
}

/// No label is suggested for a node affinity rule that excludes nodes on purpose (`Gt`).
/// Shows: S-15
#[test]
fn suggests_label_required_by_node_affinity() {
    let rule = |operator: &str, values: Value| {
        json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "disk", "operator": operator, "values": values}]}]}}}})
    };
    let objects = [node("a-1", "a", "2", json!({})), node("b-1", "b", "2", json!({}))];
    for (rule, want) in [
        (rule("In", json!(["ssd", "nvme"])), "label a-1 disk ssd → 1"),
        (rule("Exists", json!([])), "label a-1 disk true → 1"),
        (
            rule("Gt", json!(["3"])),
            "drop spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution → 2",
        ),
    ] {
        assert_eq!(suggestions_for(&objects, &pod("new", "1", rule), &[])[0], want);
    }
}

/// Shows: S-15
#[test]
fn suggests_pod_with_labels_required_by_pod_affinity() {
    let rule = |key: &str, selector: Value| {
        json!({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": key, "labelSelector": selector}]}}})
    };
    let zone = "topology.kubernetes.io/zone";
    let objects = [
        node("a-1", "a", "2", json!({})),
        node("a-2", "a", "2", json!({})),
        pod("db", "1", json!({"nodeName": "a-1"})),
    ];
    let adds = |rule: Value| -> Vec<String> {
        let got = suggestions_for(&objects, &pod("new", "1", rule), &[]);
        got.into_iter().filter(|text| text.starts_with("addPod")).collect()
    };
    let db = || json!({"matchLabels": {"app": "db"}});
    assert_eq!(adds(rule(zone, db())), ["addPod db-2 default app=db → 2"]);
    assert_eq!(
        adds(rule("kubernetes.io/hostname", db())),
        ["addPod db-2 default app=db → 1"]
    );
    assert!(adds(rule("rack", db())).is_empty());
    // This affinity also requires the label `tier`, whose value is unknown, so no pod is suggested.
    let more = json!({"matchLabels": {"app": "db"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]});
    assert!(adds(rule(zone, more)).is_empty());
}

/// If the pod's scheduler does not run, a running scheduler with a feasible node is suggested.
/// Shows: S-13, S-15
#[test]
fn suggests_running_scheduler_for_unknown_scheduler_name() {
    let objects = vec![node("a-1", "a", "2", json!({}))];
    let foreign = |cpu: &str| pod("new", cpu, json!({"schedulerName": "volcano"}));
    assert_eq!(
        suggestions_for(&objects, &foreign("1"), &[]),
        ["scheduler default-scheduler → 1"]
    );
    assert!(suggestions_for(&objects, &foreign("64"), &[]).is_empty());
}

/// The node affinity of a DaemonSet's pod selects the pod's node. Without it, the pod would run on a node that already
/// has a pod of the DaemonSet.
/// Shows: S-15
#[test]
fn node_affinity_of_daemon_set_pod_is_never_dropped() {
    let objects = [
        node("a-1", "a", "1", json!({})),
        node("b-1", "b", "4", json!({})),
        pod("busy", "1", json!({"nodeName": "a-1"})),
    ];
    let own_node = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a-1"]}]});
    let required = json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [own_node]}});
    let spec = json!({"affinity": {"nodeAffinity": required}});
    let drop = "drop spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution → 1".to_owned();
    let lone = pod("agent", "500m", spec);
    assert!(suggestions_for(&objects, &lone, &[]).contains(&drop));

    let mut owned = lone;
    owned.metadata_mut().owner_references = vec![podscope_api::OwnerReference {
        kind: "DaemonSet".into(),
        name: "agent".into(),
        controller: Some(true),
        ..Default::default()
    }];
    let got = suggestions_for(&objects, &owned, &[]);
    assert!(!got.contains(&drop), "{got:?}");
    assert!(got.contains(&"deletePod default/busy a-1 → 1".to_owned()), "{got:?}");
}
