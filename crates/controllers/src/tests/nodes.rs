//! Node lifecycle, taint eviction and PodGC together: C-04, C-05, C-06, CT-020 to CT-051.

use podscope_api::{ConditionStatus, Kind, Node, NodeName, Pod, TaintEffect};

use super::super::ControllerManagerSettings;
use super::super::lab::Lab;
use podscope_sim::{Span, Switches};

fn pods(names: &[(&str, &str)]) -> String {
    let tolerations = "tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}, \
                       {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]";
    let pod = |(name, node): &(&str, &str)| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{nodeName: {node}, containers: [{{name: c, image: i}}], {tolerations}}}}}"
        )
    };
    names.iter().map(pod).collect::<Vec<_>>().join("\n---\n")
}

fn taints(lab: &Lab, node: &str) -> Vec<String> {
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

fn ready(lab: &Lab, node: &str) -> ConditionStatus {
    lab.get::<Node>(node)
        .unwrap()
        .condition("Ready")
        .unwrap()
        .status
        .clone()
}

/// The default timeline of a partition, from the last heartbeat.
/// Shows: C-05, CT-028, CT-042
#[test]
fn a_partition_leads_to_taints_and_evictions_at_their_times() {
    let mut lab = Lab::new(&["a-1", "a-2", "b-1"], &pods(&[("one", "a-1"), ("two", "a-2")]));
    lab.run(Span::millis(61_000));
    lab.partition("a-1");
    // The last renewal is at 60 s; the pass at 60 s saw it; the first pass after 110 s is at 115 s.
    lab.run(Span::millis(53_990));
    assert_eq!(
        (ready(&lab, "a-1"), taints(&lab, "a-1"), lab.pods()),
        (ConditionStatus::True, vec![], vec!["one".into(), "two".into()])
    );
    lab.run(Span::millis(60));
    assert_eq!(ready(&lab, "a-1"), ConditionStatus::Unknown);
    assert_eq!(taints(&lab, "a-1"), ["unreachable:NoSchedule"]);
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
        taints(&lab, "a-1"),
        ["unreachable:NoSchedule", "unreachable:NoExecute"],
        "CT-028: within 100 ms"
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
    assert_eq!(lab.pods(), ["-one", "two"], "never removed");
    assert!(!lab.writes.iter().any(|(_, write)| write.starts_with("force")), "C-05");
}

/// Healing in time removes the taints and cancels the timers.
/// Shows: CT-036
#[test]
fn a_heal_cancels_the_eviction() {
    let mut lab = Lab::new(&["a-1", "b-1"], &pods(&[("one", "a-1")]));
    lab.run(Span::seconds(10));
    lab.partition("a-1");
    lab.run(Span::seconds(120));
    assert_eq!(taints(&lab, "a-1").len(), 2);
    lab.heal("a-1");
    lab.run(Span::seconds(6));
    assert_eq!(taints(&lab, "a-1"), Vec::<String>::new());
    assert!(
        lab.events
            .contains(&"one TaintManagerEviction: Cancelling deletion of Pod default/one".to_owned()),
        "{:?}",
        lab.events
    );
    lab.run(Span::seconds(600));
    assert_eq!(lab.pods(), ["one"]);
}

/// One taint in ten seconds a zone; another zone has its own token.
/// Shows: CT-029
#[test]
fn taints_are_throttled_by_zone() {
    let mut lab = Lab::new(&["a-1", "a-2", "a-3", "a-4", "a-5", "b-1", "b-2"], "");
    lab.run(Span::seconds(10));
    for node in ["a-1", "a-2", "b-1"] {
        lab.partition(node);
    }
    lab.run(Span::millis(50_300));
    let tainted = |lab: &Lab| ["a-1", "a-2", "b-1"].map(|node| taints(lab, node).len() == 2);
    lab.run(Span::millis(5_000));
    assert_eq!(tainted(&lab), [true, false, true]);
    lab.run(Span::seconds(10));
    assert_eq!(tainted(&lab), [true, true, true]);
}

/// CT-030, trap 7: three of five nodes of a small zone: no NoExecute taint at all.
/// Shows: CT-030
#[test]
fn partial_disruption_of_a_small_zone_stops_taints() {
    let mut lab = Lab::new(&["a-1", "a-2", "a-3", "a-4", "a-5", "b-1"], "");
    lab.run(Span::seconds(10));
    for node in ["a-1", "a-2", "a-3"] {
        lab.partition(node);
    }
    lab.run(Span::seconds(300));
    assert_eq!(
        ["a-1", "a-2", "a-3"].map(|node| taints(&lab, node)),
        [["unreachable:NoSchedule"]; 3].map(|list| list.map(String::from).to_vec())
    );
}

/// CT-031, trap 6: when every zone is lost, NoExecute taints go and evictions are cancelled; NoSchedule stays.
/// Shows: CT-031
#[test]
fn an_outage_of_everything_cancels_evictions() {
    let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &pods(&[("one", "a-1")]));
    lab.run(Span::seconds(10));
    lab.partition("a-1");
    lab.run(Span::seconds(100));
    assert_eq!(taints(&lab, "a-1").len(), 2);
    lab.partition("b-1");
    lab.partition("c-1");
    lab.run(Span::seconds(100));
    assert_eq!(taints(&lab, "a-1"), ["unreachable:NoSchedule"]);
    lab.run(Span::seconds(1000));
    assert_eq!(lab.pods(), ["!one"], "not deleted");
    lab.heal("b-1");
    lab.run(Span::seconds(30));
    assert_eq!(taints(&lab, "a-1").len(), 2, "what is still Unknown is tainted again");
}

/// A restarted manager gives full grace again. Trap 3.
/// Shows: CT-032
#[test]
fn restart_restarts_grace() {
    let mut lab = Lab::new(&["a-1", "b-1"], "");
    lab.run(Span::seconds(10));
    lab.partition("a-1");
    lab.run(Span::seconds(45));
    lab.restart();
    lab.run(Span::seconds(49));
    assert_eq!(ready(&lab, "a-1"), ConditionStatus::True);
    lab.run(Span::seconds(10));
    assert_eq!(ready(&lab, "a-1"), ConditionStatus::Unknown);
}

/// At once without toleration, never for a daemon's, and a shorter one later moves nothing.
/// Shows: CT-034, CT-035, CT-038
#[test]
fn timers_are_not_moved() {
    let tolerating = |name: &str, tolerations: &str| {
        format!(
            "\n---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, \
             spec: {{nodeName: a-1, containers: [{{name: c, image: i}}], tolerations: [{tolerations}]}}}}"
        )
    };
    let manifests = pods(&[("one", "a-1")]) + &tolerating("two", "") + &tolerating("three", "{operator: Exists}");
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

/// A deleted node's pods are collected 40 to 60 s later, marked Failed, by force.
/// Shows: CT-048, CT-050, CT-053
#[test]
fn pods_of_nodes_that_are_gone_are_collected() {
    let mut lab = Lab::new(&["a-1", "b-1"], &pods(&[("one", "a-1"), ("two", "b-1")]));
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

    // A node of that name in time rescues them; the UID is ignored.
    lab.partition("b-1");
    lab.delete(Kind::Node, "b-1", None);
    lab.run(Span::seconds(30));
    lab.apply(
        "{apiVersion: v1, kind: Node, metadata: {name: b-1}, status: {conditions: [{type: Ready, status: 'True'}]}}",
    );
    lab.run(Span::seconds(120));
    assert_eq!(lab.pods().len(), 1);
}

/// Out of service needs a terminating pod and a node that is not ready.
/// Shows: C-05, CT-047
#[test]
fn pods_of_a_node_out_of_service_are_collected() {
    let mut lab = Lab::new(&["a-1", "b-1"], &pods(&[("one", "a-1"), ("two", "b-1")]));
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
    assert_eq!(lab.pods(), ["!one", "two"], "not terminating");
    lab.cut.insert(NodeName::from("b-1"));
    lab.delete(Kind::Pod, "one", None);
    lab.delete(Kind::Pod, "two", None);
    lab.run(Span::seconds(21));
    assert_eq!(lab.pods(), ["-two"], "its node is Ready: PodGC does not act");
}

/// Beyond the threshold, evicted ones first, then the oldest.
/// Shows: C-06, CT-046
#[test]
fn the_oldest_finished_pods_above_the_threshold_are_collected() {
    let settings = ControllerManagerSettings {
        terminated_pod_gc_threshold: 1,
        ..ControllerManagerSettings::default()
    };
    let mut lab = Lab::with(
        &["a-1"],
        &pods(&[("a", "a-1"), ("b", "a-1"), ("c", "a-1"), ("d", "a-1")]),
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

/// The three switches of this file change exactly their behaviour.
/// Shows: F-20
#[test]
fn switches_bring_older_rules_of_nodes_back() {
    for (switch, expected) in [
        ("node-controller-force-deletes", Vec::new()),
        ("lost-node-pods-failed", Vec::new()),
        ("podgc-absent", vec!["-one"]),
    ] {
        let mut switches = Switches::default();
        assert!(switches.turn_on(switch));
        let settings = ControllerManagerSettings::default();
        let mut lab = Lab::with(&["a-1", "b-1"], &pods(&[("one", "a-1")]), settings, switches);
        lab.run(Span::seconds(10));
        lab.partition("a-1");
        lab.run(Span::seconds(400));
        if switch == "lost-node-pods-failed" {
            let pod = lab.get_pod_in("default", "one").expect("it stays, and is failed");
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

/// Healthy nodes cost one wake-up in five seconds, and no request.
/// Shows: F-02
#[test]
fn idle_nodes_cost_no_requests() {
    let names: Vec<String> = (0..50).map(|number| format!("a-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut lab = Lab::new(&names, "");
    lab.run(Span::seconds(1));
    let before = lab.writes.len();
    lab.run(Span::seconds(3600));
    assert_eq!(lab.writes.len(), before);
}
