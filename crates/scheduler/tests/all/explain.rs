//! Tests of explanations (S-14).

mod spread;

use std::sync::Arc;

use podscope_api::explained::{
    DecisionOutcome, DomainCount, Explanation, NodeExplanation, NodeNotHelpedByPreemption, NodeRefusal, NodeVerdict,
    PreemptionObstacle, PreemptionResult, PreemptionRoom, RefusalCause, RefusedNodes, SchedulingVerdict, ScoreNote,
    WaitsBecause,
};
use podscope_api::{Kind, Object, Pod};
use podscope_scheduler::explain::explain;
use podscope_scheduler::{SchedulerConfiguration, cases, decide};
use serde_json::{Value, json};

fn object(kind: Kind, value: &Value) -> Object {
    Object::from_typed_value(kind, value).expect("a readable object")
}

fn explain_object(objects: &[Object], pod: &Object) -> Explanation {
    let Object::Pod(pod) = pod else { unreachable!() };
    explain_pod(objects, pod)
}

fn explain_pod(objects: &[Object], pod: &Arc<Pod>) -> Explanation {
    let (mut cache, nominator) = cases::load(objects, &SchedulerConfiguration::default());
    let config = SchedulerConfiguration::default();
    let decision = decide(&mut cache, &config, &nominator, pod, &mut 0).expect("a default profile");
    explain(&cache, &decision).explanation
}

/// Builds nodes from rows `(name, zone, number of pods)`; each pod has the label `foo: bar`. A zone `key=value` sets
/// this label instead of `zone`; `-` sets no label.
fn cluster_from_rows(rows: &[(&str, &str, usize)]) -> Vec<Object> {
    let mut objects = Vec::new();
    for (node, zone, pods) in rows {
        let mut labels = json!({"node": node});
        if let Some((key, value)) = zone.split_once('=') {
            labels[key] = value.into();
        } else if *zone != "-" {
            labels["zone"] = (*zone).into();
        }
        objects.push(object(
            Kind::Node,
            &json!({"metadata": {"name": node, "labels": labels},
                    "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}),
        ));
        for index in 0..*pods {
            objects.push(object(
                Kind::Pod,
                &json!({"metadata": {"name": format!("{node}-{index}"), "namespace": "default", "uid": format!("{node}-{index}"), "labels": {"foo": "bar"}},
                        "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}]}}),
            ));
        }
    }
    objects
}

fn constraint_on(key: &str, more: Value) -> Value {
    let mut value = json!({"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule",
                           "labelSelector": {"matchLabels": {"foo": "bar"}}});
    for (key, inner) in more.as_object().expect("an object") {
        value[key] = inner.clone();
    }
    value
}

fn mypod(constraints: &[Value], labelled: bool, more: Value) -> Object {
    let mut spec = json!({"containers": [{"name": "c", "image": "i"}], "topologySpreadConstraints": constraints});
    for (key, inner) in more.as_object().expect("an object") {
        spec[key] = inner.clone();
    }
    let labels = if labelled { json!({"foo": "bar"}) } else { json!({}) };
    object(
        Kind::Pod,
        &json!({"metadata": {"name": "mypod", "namespace": "default", "uid": "mypod", "labels": labels}, "spec": spec}),
    )
}

fn feasible_nodes(explanation: &Explanation) -> String {
    let mut names: Vec<&str> = explanation
        .nodes
        .iter()
        .filter(|node| matches!(node.verdict, NodeVerdict::Fits(_)))
        .map(|node| node.name.as_str())
        .collect();
    names.sort_unstable();
    names.join(" ")
}

/// Returns the text of the rejecting plugin about a node.
fn refusal(node: &NodeExplanation) -> &str {
    match &node.verdict {
        NodeVerdict::Refused {
            refusal: NodeRefusal::Plugin { text, .. },
            ..
        } => text,
        other => panic!("{} is not refused by a plugin: {other:?}", node.name),
    }
}

/// The explanation gives, for each node, the reason why preemption does not help.
/// Shows: S-14, SCH-095, SCH-097
#[test]
fn failed_preemption_is_explained_per_node() {
    let node = |name: &str, cpu: &str, taints: Value| {
        object(
            Kind::Node,
            &json!({"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}, "spec": {"taints": taints},
                    "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}}),
        )
    };
    let on = |name: &str, node: &str, priority: i32, spec: Value| {
        let mut value = json!({"metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"a": name}},
            "spec": {"nodeName": node, "priority": priority, "containers": [{"name": "c", "image": "i",
                "resources": {"requests": {"cpu": "1500m"}}}]}});
        for (key, inner) in spec.as_object().expect("an object") {
            value["spec"][key] = inner.clone();
        }
        object(Kind::Pod, &value)
    };
    let near = |name: &str| {
        json!({"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"a": name}}, "topologyKey": "kubernetes.io/hostname"}]})
    };
    let objects = [
        node("needed", "2", json!([])),
        node("small", "1600m", json!([])),
        node("important", "2", json!([])),
        node("closed", "2", json!([{"key": "k", "effect": "NoSchedule"}])),
        on("l", "needed", 0, json!({})),
        on("s", "small", 0, json!({})),
        on("i", "important", 5000, json!({})),
    ];
    let mut pod = json!({"metadata": {"name": "p", "namespace": "default", "uid": "p"},
        "spec": {"priority": 1000, "affinity": {"podAffinity": near("l")}, "containers": [{"name": "c", "image": "i",
            "resources": {"requests": {"cpu": "1700m"}}}]}});
    let not_helped_nodes = |pod: &Value| {
        let explanation = explain_object(&objects, &object(Kind::Pod, pod));
        let preemption = explanation.preemption.expect("it was tried");
        assert_eq!(preemption.result, PreemptionResult::NoCandidate);
        preemption.not_helped_nodes
    };
    let why = |node: &str, why: PreemptionObstacle| NodeNotHelpedByPreemption {
        node: node.to_owned(),
        why,
    };
    let still = |plugin: &str, text: &str| PreemptionObstacle::StillRefused(plugin.to_owned(), text.to_owned());
    let closed = || PreemptionObstacle::Other("node(s) had untolerated taint(s)".to_owned());
    let all = not_helped_nodes(&pod);
    assert_eq!(
        all[0],
        why(
            "needed",
            still("InterPodAffinity", "node(s) didn't match pod affinity rules")
        )
    );
    assert_eq!(all[3], why("closed", closed()));
    pod["spec"]["affinity"] = json!({});
    pod["spec"]["nodeSelector"] = json!({});
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("1900m");
    pod["spec"]["priority"] = json!(0);
    assert_eq!(
        not_helped_nodes(&pod)[2],
        why("important", PreemptionObstacle::NoVictims)
    );
    // The pod has affinity to the more important pod, which cannot be a victim.
    pod["spec"]["priority"] = json!(1000);
    pod["spec"]["affinity"] = json!({"podAffinity": near("i")});
    assert_eq!(
        not_helped_nodes(&pod)[2],
        why("important", PreemptionObstacle::NoVictims)
    );
}

/// Shows: S-14
#[test]
fn rejections_and_preemption_are_explained_in_words() {
    let mut objects = vec![
        object(
            Kind::Node,
            &json!({"metadata": {"name": "full"}, "status": {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "110"}}}),
        ),
        object(
            Kind::Node,
            &json!({"metadata": {"name": "closed"}, "spec": {"taints": [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]},
                                   "status": {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "110"}}}),
        ),
        object(
            Kind::Node,
            &json!({"metadata": {"name": "cordoned"}, "spec": {"unschedulable": true},
                                   "status": {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "110"}}}),
        ),
    ];
    for (name, cpu, priority) in [("a", "1500m", 5), ("b", "250m", 0)] {
        objects.push(object(Kind::Pod, &json!({"metadata": {"name": name, "namespace": "default", "uid": name},
            "spec": {"nodeName": "full", "priority": priority, "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}})));
    }
    let pod = object(
        Kind::Pod,
        &json!({"metadata": {"name": "web", "namespace": "default", "uid": "web"},
        "spec": {"priority": 1000, "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}),
    );
    let explanation = explain_object(&objects, &pod);
    assert_eq!(explanation.verdict(), SchedulingVerdict::Preempts);
    let words: Vec<(&str, &str)> = explanation
        .nodes
        .iter()
        .map(|node| (node.name.as_str(), refusal(node)))
        .collect();
    assert_eq!(
        words,
        [
            ("full", "has 250m of 2 cpu left, the pod asks for 1"),
            (
                "closed",
                "has the taint dedicated=db:NoSchedule, which the pod does not tolerate"
            ),
            ("cordoned", "is cordoned: no new pods until it is uncordoned"),
        ]
    );
    let preemption = explanation.preemption.as_ref().expect("a preemption");
    assert_eq!(preemption.candidates[0].victims[0].pod, "default/a");
    assert_eq!(preemption.candidates[0].reprieved[0].pod, "default/b");
    let cause = |text: &str| RefusalCause {
        nodes: 1,
        text: text.to_owned(),
    };
    let waits = DecisionOutcome::Waits {
        cause: WaitsBecause::Refused(RefusedNodes {
            nodes: 3,
            causes: vec![
                cause("too full for its requests"),
                cause("closed to it by a taint"),
                cause("cordoned"),
            ],
        }),
        room: Some(PreemptionRoom {
            victims: 1,
            nodes: vec!["full".to_owned()],
        }),
    };
    assert_eq!(explanation.conclusion.outcome, waits);
    let short = |node: &NodeExplanation| match &node.verdict {
        NodeVerdict::Refused { short, .. } => short.clone(),
        other => panic!("{} is not refused: {other:?}", node.name),
    };
    let short: Vec<String> = explanation.nodes.iter().map(short).collect();
    assert_eq!(short, ["Insufficient cpu", "untolerated taint", "unschedulable"]);
}

/// Shows: S-14
#[test]
fn verdict_is_scheduled_preempts_or_unschedulable() {
    let node = |name: &str| {
        let status = json!({"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "110"}});
        object(Kind::Node, &json!({"metadata": {"name": name}, "status": status}))
    };
    let pod = |name: &str, on: Value, priority: i32, cpu: &str| {
        let container = json!({"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}});
        object(
            Kind::Pod,
            &json!({"metadata": {"name": name, "namespace": "default", "uid": name},
                "spec": {"nodeName": on, "priority": priority, "containers": [container]}}),
        )
    };
    let filler = |name: &str, priority| pod(&format!("filler-{name}"), json!(name), priority, "1500m");
    let empty = vec![node("a"), node("b")];
    let with_room = vec![node("a"), filler("a", 0), node("b")];
    let full = vec![node("a"), filler("a", 0)];
    let important = vec![node("a"), filler("a", 9)];
    for (what, objects, cpu, wanted) in [
        ("a draw between two nodes", empty, "1", SchedulingVerdict::Scheduled),
        ("one of two nodes", with_room, "1", SchedulingVerdict::Scheduled),
        (
            "a less important pod in the way",
            full.clone(),
            "1",
            SchedulingVerdict::Preempts,
        ),
        (
            "a more important pod in the way",
            important,
            "1",
            SchedulingVerdict::Unschedulable,
        ),
        ("more than any node has", full, "3", SchedulingVerdict::Unschedulable),
        ("no nodes", Vec::new(), "1", SchedulingVerdict::Unschedulable),
    ] {
        let explanation = explain_object(&objects, &pod("web", Value::Null, 5, cpu));
        assert_eq!(explanation.verdict(), wanted, "{what}: {:?}", explanation.conclusion);
        let has_fitting = explanation
            .nodes
            .iter()
            .any(|node| matches!(node.verdict, NodeVerdict::Fits(_)));
        assert_eq!(wanted == SchedulingVerdict::Scheduled, has_fitting, "{what}");
    }
}

/// The worked example of docs/facts/v1.36.md: a node that becomes more balanced scores higher than a node that becomes
/// less balanced.
/// Shows: S-14, SCH-107
#[test]
fn balanced_allocation_explains_change_by_pod() {
    let node = |name: &str| {
        object(
            Kind::Node,
            &json!({"metadata": {"name": name}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}),
        )
    };
    let requesting = |name: &str, on: Value, cpu: &str, memory: &str| {
        object(
            Kind::Pod,
            &json!({"metadata": {"name": name, "namespace": "default", "uid": name},
                "spec": {"nodeName": on, "containers": [{"name": "c", "image": "i",
                    "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}}),
        )
    };
    let objects = [
        node("empty"),
        node("lopsided"),
        requesting("other", json!("lopsided"), "3", "1Gi"),
    ];
    let explanation = explain_object(&objects, &requesting("web", json!(null), "100m", "4Gi"));
    let said: Vec<ScoreNote> = (explanation.nodes.iter())
        .flat_map(|node| match &node.verdict {
            NodeVerdict::Fits(scores) => scores.notes.clone(),
            other => panic!("{} does not fit: {other:?}", node.name),
        })
        .map(|(_, note)| note)
        .collect();
    let evenness = |without, with| ScoreNote::Evenness { without, with };
    assert_eq!(said, [evenness(100, 76), evenness(68, 92)]);
}

/// The explanation contains the feature of newer kubelets that a node lacks.
/// Shows: S-14, LC-229
#[test]
fn explanation_names_missing_node_feature() {
    let node = |name: &str, features: Value| {
        object(
            Kind::Node,
            &json!({"metadata": {"name": name},
                "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "declaredFeatures": features}}),
        )
    };
    let pod = object(
        Kind::Pod,
        &json!({"metadata": {"name": "web", "namespace": "default", "uid": "web"},
            "spec": {"containers": [{"name": "c", "image": "i", "restartPolicy": "Never", "restartPolicyRules": [
                {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}]}]}}),
    );
    let objects = [
        node("old", json!([])),
        node("new", json!(["RestartAllContainersOnContainerExits"])),
    ];
    let explanation = explain_object(&objects, &pod);
    assert_eq!(feasible_nodes(&explanation), "new");
    let old = explanation
        .nodes
        .iter()
        .find(|node| node.name == "old")
        .expect("the node");
    assert_eq!(
        refusal(old),
        "its kubelet does not declare RestartAllContainersOnContainerExits, which the pod needs"
    );
}

/// The explanation contains the volume and its location, the conflicting pod, or the missing label.
/// Shows: S-14
#[test]
fn rejection_names_volume_pod_or_label() {
    const ZONE: &str = "topology.kubernetes.io/zone";
    let claimed = json!({"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]});
    let claim = object(
        Kind::PersistentVolumeClaim,
        &json!({"metadata": {"name": "data", "namespace": "default", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
                "spec": {"volumeName": "pv-1"}, "status": {"phase": "Bound"}}),
    );
    let volume = |labels: Value, rules: Value| {
        let affinity = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": rules}]}});
        let spec = if rules.is_null() {
            json!({})
        } else {
            json!({"nodeAffinity": affinity})
        };
        object(
            Kind::PersistentVolume,
            &json!({"metadata": {"name": "pv-1", "labels": labels}, "spec": spec}),
        )
    };
    let volume_in =
        |key: &str, values: Value| volume(json!({}), json!([{"key": key, "operator": "In", "values": values}]));
    let anti_affinity = |key: &str| {
        json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"foo": "bar"}}, "topologyKey": key}]}}})
    };
    let mut pod_with_anti_affinity = mypod(&[], false, anti_affinity("node"));
    if let Object::Pod(pod) = &mut pod_with_anti_affinity {
        let pod = Arc::make_mut(pod);
        pod.metadata.name = "hermit".into();
        pod.metadata.uid = podscope_api::Uid("hermit".into());
        pod.spec.node_name = Some(podscope_api::NodeName("node1".into()));
    }
    for (more, spec, want) in [
        (
            vec![claim.clone(), volume_in(ZONE, json!(["b", "c"]))],
            claimed.clone(),
            "cannot reach volume pv-1 of claim data, which is in zone b or c",
        ),
        (
            vec![claim.clone(), volume_in("kubernetes.io/hostname", json!(["gone"]))],
            claimed.clone(),
            "cannot reach volume pv-1 of claim data, which is on node gone",
        ),
        (
            vec![claim.clone(), volume_in("rack", json!(["r1"]))],
            claimed.clone(),
            "cannot reach volume pv-1 of claim data, which is where rack is r1",
        ),
        (
            vec![claim, volume(json!({ZONE: "b__c"}), Value::Null)],
            claimed,
            "is in zone a, but volume pv-1 is in zone b or c",
        ),
        (
            Vec::new(),
            anti_affinity("node"),
            "has pod default/node1-0, which the pod's required anti-affinity keeps away from",
        ),
        (
            Vec::new(),
            json!({"nodeSelector": {"disk": "ssd"}}),
            "has no label disk=ssd, which the pod's nodeSelector asks for",
        ),
        (
            vec![pod_with_anti_affinity],
            json!({}),
            "has pod default/hermit, whose own anti-affinity keeps this pod away",
        ),
    ] {
        let zone = format!("{ZONE}=a");
        let mut objects = cluster_from_rows(&[("node1", &zone, 1)]);
        objects.extend(more);
        let explanation = explain_object(&objects, &mypod(&[], true, spec));
        assert_eq!(refusal(&explanation.nodes[0]), want);
    }
    let zone = format!("{ZONE}=a");
    let objects = cluster_from_rows(&[("node1", &zone, 0), ("node2", &zone, 1)]);
    let explanation = explain_object(&objects, &mypod(&[], true, anti_affinity(ZONE)));
    assert_eq!(
        refusal(&explanation.nodes[0]),
        "is in zone a with pod default/node2-0 on node2, which the pod's required anti-affinity keeps away from"
    );
}
