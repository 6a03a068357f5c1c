//! Tests of node lifecycle, taint eviction and PodGC together (C-04, C-05, C-06, CT-020 to CT-051).

use podscope_api::{ConditionStatus, Kind, Node, NodeName, Pod, TaintEffect};

use super::super::ControllerManagerSettings;
use super::super::lab::Lab;
use podscope_sim::{Span, Switches};

/// Returns the manifests of pods with the given names and nodes.
fn pod_manifests(names: &[(&str, &str)]) -> String {
    let tolerations = "tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}, \
                       {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]";
    let pod = |(name, node): &(&str, &str)| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{nodeName: {node}, containers: [{{name: c, image: i}}], {tolerations}}}}}"
        )
    };
    names.iter().map(pod).collect::<Vec<_>>().join("\n---\n")
}

/// Returns the taints of a node as `KEY:EFFECT`, without the prefix `node.kubernetes.io/`.
fn taints_of(lab: &Lab, node: &str) -> Vec<String> {
    let node = lab.get::<Node>(node).unwrap();
    node.spec
        .taints
        .iter()
        .map(|taint| {
            format!(
                "{}:{}",
                taint.key.trim_start_matches("node.kubernetes.io/"),
                taint.effect
            )
        })
        .collect()
}

fn ready_status(lab: &Lab, node: &str) -> ConditionStatus {
    lab.get::<Node>(node)
        .unwrap()
        .condition("Ready")
        .unwrap()
        .status
        .clone()
}

/// The timeline of a partition with default settings, from the last heartbeat.
/// Shows: C-05, CT-028, CT-042
#[test]
fn partition_timeline_ends_in_taints_and_evictions() {
    let mut lab = Lab::new(
        &["a-1", "a-2", "b-1"],
        &pod_manifests(&[("one", "a-1"), ("two", "a-2")]),
    );
    lab.run(Span::millis(61_000));
    lab.partition("a-1");
    // The last Lease renewal is at 60 s, and the monitoring pass at 60 s sees it. The first pass after the grace period
    // of 50 s is at 115 s.
    lab.run(Span::millis(53_990));
    assert_eq!(
        (ready_status(&lab, "a-1"), taints_of(&lab, "a-1"), lab.pods()),
        (ConditionStatus::True, vec![], vec!["one".into(), "two".into()])
    );
    lab.run(Span::millis(60));
    assert_eq!(ready_status(&lab, "a-1"), ConditionStatus::Unknown);
    assert_eq!(taints_of(&lab, "a-1"), ["unreachable:NoSchedule"]);
    assert_eq!(lab.pods(), ["!one", "two"]);
    let node = lab.get::<Node>("a-1").unwrap();
    let condition = node.condition("Ready").unwrap();
    assert_eq!(
        (&*condition.reason, &*condition.message),
        ("NodeStatusUnknown", "Kubelet stopped posting node status.")
    );
    assert_eq!(
        &*node.condition("DiskPressure").unwrap().reason,
        "NodeStatusNeverUpdated"
    );
    assert!(
        lab.events
            .contains(&"a-1 NodeNotReady: Node a-1 status is now: NodeNotReady".to_owned()),
        "{:?}",
        lab.events
    );
    assert!(lab.events.contains(&"one NodeNotReady: Node is not ready".to_owned()));
    lab.run(Span::millis(80));
    assert_eq!(
        taints_of(&lab, "a-1"),
        ["unreachable:NoSchedule", "unreachable:NoExecute"],
        "the NoExecute taint follows within 100 ms (CT-028)"
    );
    lab.run(Span::millis(299_900));
    assert_eq!(lab.pods(), ["!one", "two"]);
    lab.run(Span::millis(200));
    assert_eq!(lab.pods(), ["-one", "two"]);
    let pod = lab.get::<Pod>("one").unwrap();
    assert_eq!(
        &*pod.condition("DisruptionTarget").unwrap().reason,
        "DeletionByTaintManager"
    );
    assert!(
        lab.events
            .contains(&"one TaintManagerEviction: Marking for deletion Pod default/one".to_owned())
    );
    lab.run(Span::seconds(3600));
    assert_eq!(lab.pods(), ["-one", "two"], "the terminating pod is never removed");
    assert!(
        !lab.writes.iter().any(|(_, write)| write.starts_with("force")),
        "no pod is deleted by force (C-05)"
    );
}

/// If the partition heals in time, the taints are removed and the evictions cancelled.
/// Shows: CT-036
#[test]
fn healed_partition_cancels_evictions() {
    let mut lab = Lab::new(&["a-1", "b-1"], &pod_manifests(&[("one", "a-1")]));
    lab.run(Span::seconds(10));
    lab.partition("a-1");
    lab.run(Span::seconds(120));
    assert_eq!(taints_of(&lab, "a-1").len(), 2);
    lab.heal("a-1");
    lab.run(Span::seconds(6));
    assert_eq!(taints_of(&lab, "a-1"), Vec::<String>::new());
    assert!(
        lab.events
            .contains(&"one TaintManagerEviction: Cancelling deletion of Pod default/one".to_owned()),
        "{:?}",
        lab.events
    );
    lab.run(Span::seconds(600));
    assert_eq!(lab.pods(), ["one"]);
}

/// In each zone, one node per ten seconds gets the NoExecute taint, independently of other zones.
/// Shows: CT-029
#[test]
fn taints_are_rate_limited_per_zone() {
    let mut lab = Lab::new(&["a-1", "a-2", "a-3", "a-4", "a-5", "b-1", "b-2"], "");
    lab.run(Span::seconds(10));
    for node in ["a-1", "a-2", "b-1"] {
        lab.partition(node);
    }
    lab.run(Span::millis(50_300));
    let tainted = |lab: &Lab| ["a-1", "a-2", "b-1"].map(|node| taints_of(lab, node).len() == 2);
    lab.run(Span::millis(5_000));
    assert_eq!(tainted(&lab), [true, false, true]);
    lab.run(Span::seconds(10));
    assert_eq!(tainted(&lab), [true, true, true]);
}

/// If three of five nodes of a small zone are lost, no node gets a NoExecute taint (CT-030).
/// Shows: CT-030
#[test]
fn small_partly_disrupted_zone_gets_no_taints() {
    let mut lab = Lab::new(&["a-1", "a-2", "a-3", "a-4", "a-5", "b-1"], "");
    lab.run(Span::seconds(10));
    for node in ["a-1", "a-2", "a-3"] {
        lab.partition(node);
    }
    lab.run(Span::seconds(300));
    assert_eq!(
        ["a-1", "a-2", "a-3"].map(|node| taints_of(&lab, node)),
        [["unreachable:NoSchedule"]; 3].map(|list| list.map(String::from).to_vec())
    );
}

/// If all zones are lost, NoExecute taints are removed and evictions cancelled; NoSchedule taints stay (CT-031).
/// Shows: CT-031
#[test]
fn outage_of_all_zones_cancels_evictions() {
    let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &pod_manifests(&[("one", "a-1")]));
    lab.run(Span::seconds(10));
    lab.partition("a-1");
    lab.run(Span::seconds(100));
    assert_eq!(taints_of(&lab, "a-1").len(), 2);
    lab.partition("b-1");
    lab.partition("c-1");
    lab.run(Span::seconds(100));
    assert_eq!(taints_of(&lab, "a-1"), ["unreachable:NoSchedule"]);
    lab.run(Span::seconds(1000));
    assert_eq!(lab.pods(), ["!one"], "the pod is not deleted");
    lab.heal("b-1");
    lab.run(Span::seconds(30));
    assert_eq!(
        taints_of(&lab, "a-1").len(),
        2,
        "a node that is still Unknown is tainted again"
    );
}

/// After a restart, the manager waits for the full grace period again.
/// Shows: CT-032
#[test]
fn restarted_manager_waits_full_grace_period_again() {
    let mut lab = Lab::new(&["a-1", "b-1"], "");
    lab.run(Span::seconds(10));
    lab.partition("a-1");
    lab.run(Span::seconds(45));
    lab.restart();
    lab.run(Span::seconds(49));
    assert_eq!(ready_status(&lab, "a-1"), ConditionStatus::True);
    lab.run(Span::seconds(10));
    assert_eq!(ready_status(&lab, "a-1"), ConditionStatus::Unknown);
}

/// A pod without a toleration is evicted at once, a pod with an unlimited toleration never. A later, shorter toleration
/// does not change a timer.
/// Shows: CT-034, CT-035, CT-038
#[test]
fn eviction_timer_is_not_changed_by_later_toleration() {
    let tolerating = |name: &str, tolerations: &str| {
        format!(
            "\n---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, \
             spec: {{nodeName: a-1, containers: [{{name: c, image: i}}], tolerations: [{tolerations}]}}}}"
        )
    };
    let manifests =
        pod_manifests(&[("one", "a-1")]) + &tolerating("two", "") + &tolerating("three", "{operator: Exists}");
    let mut lab = Lab::new(&["a-1", "b-1"], &manifests);
    lab.run(Span::seconds(10));
    lab.partition("a-1");
    lab.run(Span::seconds(61));
    assert_eq!(lab.pods(), ["!one", "!three", "-two"]);
    lab.edit::<Pod>("one", |pod| {
        for toleration in std::sync::Arc::make_mut(&mut pod.spec.tolerations) {
            toleration.toleration_seconds = Some(1);
        }
    });
    lab.run(Span::seconds(60));
    assert_eq!(lab.pods(), ["!one", "!three", "-two"]);
    lab.run(Span::seconds(300));
    assert_eq!(lab.pods(), ["-one", "!three", "-two"]);
}

/// Pods of a deleted node are marked Failed and force-deleted 40 to 60 s later.
/// Shows: CT-048, CT-050, CT-053
#[test]
fn pods_of_deleted_nodes_are_garbage_collected() {
    let mut lab = Lab::new(&["a-1", "b-1"], &pod_manifests(&[("one", "a-1"), ("two", "b-1")]));
    lab.run(Span::seconds(30));
    lab.partition("a-1");
    lab.delete(Kind::Node, "a-1", None);
    lab.run(Span::seconds(49));
    assert_eq!(lab.pods(), ["one", "two"]);
    lab.run(Span::seconds(2));
    assert_eq!(lab.pods(), ["two"]);
    let tail: Vec<&str> = lab
        .writes
        .iter()
        .rev()
        .take(2)
        .map(|(_, write)| write.as_str())
        .collect();
    assert_eq!(tail, ["force pod one", "patch pod/status one"]);

    // A new node with the same name saves the pods if it appears in time; its UID does not matter.
    lab.partition("b-1");
    lab.delete(Kind::Node, "b-1", None);
    lab.run(Span::seconds(30));
    lab.apply(
        "{apiVersion: v1, kind: Node, metadata: {name: b-1}, status: {conditions: [{type: Ready, status: 'True'}]}}",
    );
    lab.run(Span::seconds(120));
    assert_eq!(lab.pods().len(), 1);
}

/// With the out-of-service taint, only terminating pods of unready nodes are deleted.
/// Shows: C-05, CT-047
#[test]
fn terminating_pods_of_out_of_service_node_are_collected() {
    let mut lab = Lab::new(&["a-1", "b-1"], &pod_manifests(&[("one", "a-1"), ("two", "b-1")]));
    lab.run(Span::seconds(10));
    lab.partition("a-1");
    for node in ["a-1", "b-1"] {
        lab.edit::<Node>(node, |node| {
            node.spec.taints.push(podscope_api::Taint {
                key: "node.kubernetes.io/out-of-service".into(),
                effect: TaintEffect::NoSchedule,
                ..Default::default()
            });
        });
    }
    lab.run(Span::seconds(90));
    assert_eq!(lab.pods(), ["!one", "two"], "pods that are not terminating stay");
    lab.partitioned.insert(NodeName::from("b-1"));
    lab.delete(Kind::Pod, "one", None);
    lab.delete(Kind::Pod, "two", None);
    lab.run(Span::seconds(21));
    assert_eq!(lab.pods(), ["-two"], "PodGC leaves the pod of a Ready node alone");
}

/// If there are more finished pods than the threshold, evicted pods are deleted first, then the oldest.
/// Shows: C-06, CT-046
#[test]
fn finished_pods_beyond_threshold_are_collected() {
    let settings = ControllerManagerSettings {
        terminated_pod_gc_threshold: 1,
        ..ControllerManagerSettings::default()
    };
    let mut lab = Lab::with_settings(
        &["a-1"],
        &pod_manifests(&[("a", "a-1"), ("b", "a-1"), ("c", "a-1"), ("d", "a-1")]),
        settings,
        Switches::default(),
    );
    for name in ["b", "c", "d"] {
        lab.edit::<Pod>(name, move |pod| {
            pod.status.phase = Some(podscope_api::PodPhase::Failed);
            if name == "d" {
                pod.status.reason = "Evicted".into();
            }
        });
    }
    lab.run(Span::seconds(21));
    assert_eq!(
        lab.pods()
            .iter()
            .map(|name| name.trim_start_matches('!'))
            .collect::<Vec<_>>(),
        ["a", "c"]
    );
}

/// Each of the three switches about nodes restores an older behaviour.
/// Shows: F-20
#[test]
fn switches_restore_older_node_behaviour() {
    for (switch, expected) in [
        ("node-controller-force-deletes", Vec::new()),
        ("lost-node-pods-failed", Vec::new()),
        ("podgc-absent", vec!["-one"]),
    ] {
        let mut switches = Switches::default();
        assert!(switches.turn_on(switch));
        let settings = ControllerManagerSettings::default();
        let mut lab = Lab::with_settings(&["a-1", "b-1"], &pod_manifests(&[("one", "a-1")]), settings, switches);
        lab.run(Span::seconds(10));
        lab.partition("a-1");
        lab.run(Span::seconds(400));
        if switch == "lost-node-pods-failed" {
            let pod = lab.get_pod_in("default", "one").expect("the failed pod stays");
            assert_eq!(pod.status.phase, Some(podscope_api::PodPhase::Failed));
            assert!(!pod.metadata.is_terminating());
        }
        lab.delete(Kind::Node, "a-1", None);
        if switch == "node-controller-force-deletes" {
            assert_eq!(lab.pods(), expected, "{switch}");
        }
        lab.run(Span::seconds(200));
        assert_eq!(lab.pods(), expected, "{switch}");
    }
}

/// Healthy nodes cause one wake-up every five seconds, and no requests.
/// Shows: F-02
#[test]
fn idle_nodes_cause_no_requests() {
    let names: Vec<String> = (0..50).map(|number| format!("a-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut lab = Lab::new(&names, "");
    lab.run(Span::seconds(1));
    let before = lab.writes.len();
    lab.run(Span::seconds(3600));
    assert_eq!(lab.writes.len(), before);
}
