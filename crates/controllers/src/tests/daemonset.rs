//! Tests of the DaemonSet controller (C-03, CT-087 to CT-090).

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_api::{DaemonSet, Kind, Node, Pod, Taint, TaintEffect};
use podscope_sim::Span;

use super::super::lab::Lab;
use super::super::node_selector::target_node;

/// Returns the manifest of the DaemonSet `agent`.
fn agent_manifest(extra_spec: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: DaemonSet, metadata: {{name: agent}}, spec: {{{extra_spec} selector: {{matchLabels: {{app: agent}}}}, \
         template: {{metadata: {{labels: {{app: agent}}}}, spec: {{containers: [{{name: c, image: 'i:1'}}]}}}}}}}}"
    )
}

/// Returns the node of each pod, sorted.
fn nodes_of_pods(lab: &Lab) -> Vec<String> {
    let mut nodes: Vec<String> = lab
        .objects()
        .list::<Pod>()
        .filter_map(|pod| target_node(pod))
        .map(|node| node.0.to_string())
        .collect();
    nodes.stable_sort();
    nodes
}

fn images_of_pods(lab: &Lab) -> Vec<String> {
    lab.objects()
        .list::<Pod>()
        .map(|pod| pod.spec.containers[0].image.to_string())
        .collect()
}

/// Each eligible node has one pod. A NoSchedule taint keeps the existing pod, a NoExecute taint removes it (C-03,
/// CT-087, CT-089).
#[test]
fn each_eligible_node_has_one_daemon_pod() {
    let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &agent_manifest(""));
    lab.run(Span::seconds(3));
    assert_eq!(nodes_of_pods(&lab), ["a-1", "b-1", "c-1"]);
    let pod = lab.objects().list::<Pod>().next().unwrap().clone();
    assert!(
        pod.spec
            .tolerations
            .iter()
            .any(|toleration| &*toleration.key == "node.kubernetes.io/unreachable"
                && toleration.toleration_seconds.is_none())
    );
    for (node, effect) in [("a-1", TaintEffect::NoSchedule), ("b-1", TaintEffect::NoExecute)] {
        lab.edit::<Node>(node, move |node| {
            node.spec.taints.push(Taint {
                key: "mine".into(),
                effect: effect.clone(),
                ..Taint::default()
            });
        });
    }
    lab.run(Span::seconds(3));
    assert_eq!(nodes_of_pods(&lab), ["a-1", "c-1"]);
    let status = lab.get::<DaemonSet>("agent").unwrap().status.clone();
    assert_eq!(
        (
            status.desired_number_scheduled,
            status.number_misscheduled,
            status.number_ready
        ),
        (1, 1, 1)
    );
    lab.apply("{apiVersion: v1, kind: Node, metadata: {name: d-1}}");
    lab.run(Span::seconds(3));
    assert_eq!(nodes_of_pods(&lab), ["a-1", "c-1", "d-1"]);
    lab.delete(Kind::Node, "d-1", None);
    lab.run(Span::seconds(3));
    assert_eq!(
        nodes_of_pods(&lab),
        ["a-1", "c-1"],
        "the pod pinned to a deleted node is deleted (CT-090)"
    );
}

/// On a lost node the daemon pod is neither evicted nor replaced, and a terminating pod blocks its node (CT-038,
/// CT-088).
#[test]
fn daemon_pod_stays_on_lost_node() {
    let mut lab = Lab::new(&["a-1", "b-1"], &agent_manifest(""));
    lab.run(Span::seconds(3));
    lab.partition("a-1");
    lab.run(Span::seconds(900));
    assert_eq!(lab.pods().iter().filter(|pod| pod.starts_with('!')).count(), 1);
    let lost = lab
        .objects()
        .pods_on(&"a-1".into())
        .next()
        .unwrap()
        .metadata
        .name
        .to_string();
    lab.delete(Kind::Pod, &lost, None);
    lab.run(Span::seconds(60));
    assert_eq!(nodes_of_pods(&lab), ["a-1", "b-1"]);
    lab.delete(Kind::Pod, &lost, Some(0));
    lab.run(Span::seconds(3));
    assert_eq!(
        nodes_of_pods(&lab),
        ["b-1"],
        "daemon pods do not tolerate the NoSchedule taint of a lost node"
    );
    lab.heal("a-1");
    lab.run(Span::seconds(10));
    assert_eq!(nodes_of_pods(&lab), ["a-1", "b-1"]);
}

/// A failed daemon pod is replaced, with back-off (CT-088).
#[test]
fn failed_daemon_pod_is_replaced() {
    let mut lab = Lab::new(&["a-1"], &agent_manifest(""));
    lab.run(Span::seconds(3));
    let name = lab.pods()[0].clone();
    lab.edit::<Pod>(&name, |pod| pod.status.phase = Some(podscope_api::PodPhase::Failed));
    lab.run(Span::seconds(3));
    assert_ne!(lab.pods()[0], name);
    let text =
        format!("agent FailedDaemonPod: Found failed daemon pod default/{name} on node a-1, will try to kill it");
    assert!(lab.events.contains(&text), "{:?}", lab.events);
}

/// An update replaces one pod at a time; with surge the new pod is created first (C-03, CT-177).
#[test]
fn daemon_set_update_respects_max_unavailable_and_surge() {
    for (more, max_pods) in [
        ("", 3),
        (
            "updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}},",
            4,
        ),
    ] {
        let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &agent_manifest(more));
        lab.run(Span::seconds(3));
        lab.edit::<DaemonSet>("agent", |set| {
            let template = Arc::make_mut(&mut set.spec.template);
            Arc::make_mut(&mut template.spec.containers)[0].image = "i:2".into();
        });
        let (mut least_ready, mut max_seen) = (3, 0);
        for _ in 0..2000 {
            lab.run(Span::millis(10));
            let ready = lab
                .objects()
                .list::<Pod>()
                .filter(|pod| pod.is_ready() && !pod.metadata.is_terminating())
                .count();
            least_ready = least_ready.min(ready);
            max_seen = max_seen.max(lab.pods().len());
        }
        assert_eq!(images_of_pods(&lab), ["i:2"; 3], "{more}");
        assert!(least_ready >= if max_pods == 4 { 3 } else { 2 }, "{more} {least_ready}");
        assert!(max_seen <= max_pods + 1, "{more} {max_seen}");
    }
}

/// An update to pods that never become ready makes at most one pod unavailable, and none with surge (CT-228).
#[test]
fn failing_update_stops_at_max_unavailable_or_surge() {
    let surge = "updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}},";
    for (more, wanted) in [("", [1, 2]), (surge, [1, 3])] {
        let mut lab = Lab::new(&["a-1", "b-1", "c-1"], &agent_manifest(more));
        lab.run(Span::seconds(3));
        lab.readiness_fails = true;
        for image in ["i:2", "i:3"] {
            lab.edit::<DaemonSet>("agent", |set| {
                let template = Arc::make_mut(&mut set.spec.template);
                Arc::make_mut(&mut template.spec.containers)[0].image = image.into();
            });
            lab.run(Span::seconds(60));
            let count = |image: &str| images_of_pods(&lab).iter().filter(|one| *one == image).count();
            assert_eq!(
                [count(image), count("i:1")],
                wanted,
                "{more} {:?}",
                images_of_pods(&lab)
            );
        }
    }
}

/// An update removes the old pod from a node that is no longer eligible, without a replacement (CT-228).
#[test]
fn update_removes_pods_from_ineligible_nodes() {
    let mut lab = Lab::new(&["a-1", "b-1"], &agent_manifest(""));
    lab.run(Span::seconds(3));
    lab.edit::<Node>("a-1", |node| {
        node.spec.taints.push(Taint {
            key: "mine".into(),
            effect: TaintEffect::NoSchedule,
            ..Taint::default()
        });
    });
    lab.run(Span::seconds(3));
    assert_eq!(nodes_of_pods(&lab), ["a-1", "b-1"]);
    lab.edit::<DaemonSet>("agent", |set| {
        let template = Arc::make_mut(&mut set.spec.template);
        Arc::make_mut(&mut template.spec.containers)[0].image = "i:2".into();
    });
    lab.run(Span::seconds(30));
    assert_eq!(
        (nodes_of_pods(&lab), images_of_pods(&lab)),
        (vec!["b-1".to_owned()], vec!["i:2".to_owned()])
    );
}
