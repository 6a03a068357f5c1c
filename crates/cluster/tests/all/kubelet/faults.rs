//! Behaviour of a kubelet and its machine under faults (LC-059 to LC-061, LC-166 to LC-168, LC-207 to LC-210).

use podscope_api::{ConditionStatus, Node, NodeName, ObjectKey};
use podscope_cluster::fault::{Fault, Targets};
use podscope_cluster::{Record, SimTime, Span, What};
use serde_json::json;

use crate::common::partition;
use crate::kubelet::lab::{Lab, assert_timeline_rows, status, text_field, web_pod};

fn a_1() -> NodeName {
    "a-1".into()
}

fn cut_links(lab: &mut Lab) {
    lab.apply_fault(partition(&[a_1()]));
}

fn heal_links(lab: &mut Lab) {
    lab.apply_fault(Fault::Heal(Targets::Nodes(vec![a_1()])));
}

/// Shows: L-13, LC-166, LC-208
#[test]
fn forced_deletion_under_partition_kills_processes_after_heal() {
    let hook = json!({"lifecycle": {"preStop": {"exec": {"command": ["stop"]}}}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", hook, "prestop=4s, sigterm=ignore")])]);
    lab.run(20.0);
    cut_links(&mut lab);
    lab.run(30.0);
    lab.delete(Some(0));
    lab.run(100.0);
    assert!(lab.web().is_none());
    assert_eq!(lab.processes(), ["main"]);
    heal_links(&mut lab);
    lab.run(200.0);
    assert!(lab.processes().is_empty());
}

/// Shows: LC-135, LC-208
#[test]
fn deletion_under_partition_takes_effect_after_heal() {
    let mut lab = Lab::new(&[web_pod(
        json!({"terminationGracePeriodSeconds": 10}),
        &[("main", json!({}), "sigterm=ignore")],
    )]);
    lab.run(20.0);
    cut_links(&mut lab);
    lab.run(30.0);
    lab.delete(None);
    lab.run(100.0);
    // The deletion timestamp is no deadline for the kubelet (LC-135): nothing has happened yet.
    assert!(lab.records_of_kind(What::SignalSent).is_empty());
    heal_links(&mut lab);
    lab.run(150.0);
    assert_timeline_rows(
        "the full grace period, counted from now",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (10.0, "SIGKILL main"), (10.0, "exit 137 main")],
    );
    assert!(lab.web().is_none());
}

/// Shows: LC-061, LC-168
#[test]
fn orphan_of_forced_deletion_is_killed_after_kubelet_restart() {
    let hook = json!({"lifecycle": {"preStop": {"exec": {"command": ["stop"]}}}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", hook, "sigterm=ignore")])]);
    lab.run(20.0);
    lab.apply_fault(Fault::Kubelet { node: a_1(), up: false });
    lab.delete(Some(0));
    lab.run(40.0);
    assert_eq!(lab.processes(), ["main"]);
    lab.apply_fault(Fault::Kubelet { node: a_1(), up: true });
    lab.run(60.0);
    assert_timeline_rows(
        "LC-061: an orphan gets no preStop hook and two seconds",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (2.0, "SIGKILL main"), (2.0, "exit 137 main")],
    );
}

/// Shows: LC-059, LC-131
#[test]
fn containers_survive_a_kubelet_restart() {
    let probe = json!({"readinessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 10}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", probe, "")])]);
    lab.run(30.0);
    assert!(lab.web().unwrap().is_ready());
    lab.apply_fault(Fault::Kubelet { node: a_1(), up: false });
    lab.run(35.0);
    lab.apply_fault(Fault::Kubelet { node: a_1(), up: true });
    let is_unready = |lab: &Lab| !lab.web().unwrap().is_ready();
    assert!(
        !lab.happens_by(60.0, is_unready),
        "readiness is kept until the probe has run"
    );
    assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), 1);
    assert_eq!(status(lab.web().unwrap())["containerStatuses"][0]["restartCount"], 0);
}

/// Probe results after a kubelet restart: a passed startup probe stays passed, a failing readiness probe still counts,
/// and a container that had run for less than ten seconds does not keep its readiness.
/// Shows: LC-131
#[test]
fn probe_results_survive_kubelet_restart() {
    let probes = json!({
        "startupProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 2, "failureThreshold": 30},
        "readinessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 5, "failureThreshold": 2},
    });
    let restarted_at = |seconds: f64, behavior: &str| {
        let mut lab = Lab::new(&[web_pod(json!({}), &[("main", probes.clone(), behavior)])]);
        lab.run(seconds);
        assert!(lab.web().unwrap().is_ready());
        lab.apply_fault(Fault::Kubelet { node: a_1(), up: false });
        lab.run(seconds + 1.0);
        lab.apply_fault(Fault::Kubelet { node: a_1(), up: true });
        lab
    };
    let not_ready = |lab: &Lab| !lab.web().unwrap().is_ready();
    let not_started = |lab: &Lab| status(lab.web().unwrap())["containerStatuses"][0]["started"] == false;
    let mut long = restarted_at(30.0, "");
    assert!(!long.happens_by(60.0, |lab| not_ready(lab) || not_started(lab)));
    let mut failing = restarted_at(30.0, "readiness=fail@30s..300s");
    assert!(failing.happens_by(60.0, not_ready));
    assert_eq!(
        failing.records_of_kind(What::ProbeFailed).len(),
        2,
        "the pod stays ready until the failure threshold"
    );
    let mut young = restarted_at(9.0, "readiness=fail@9s..300s");
    assert!(young.happens_by(20.0, not_ready));
    assert_eq!(
        young.records_of_kind(What::ProbeFailed).len(),
        1,
        "readiness is not kept"
    );
    assert!(!not_started(&young));
}

/// Shows: LC-203
#[test]
fn reboot_is_reported_when_the_kubelet_starts() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "")])]);
    lab.run(30.0);
    lab.apply_fault(Fault::Power { node: a_1(), on: false });
    lab.run(40.0);
    lab.apply_fault(Fault::Power { node: a_1(), on: true });
    lab.run(120.0);
    let at = |wanted: &str| {
        let is_wanted = |record: &&Record| record.what() == What::Event && text_field(record, "reason") == wanted;
        lab.trace.records.iter().rfind(is_wanted).expect(wanted).at
    };
    let delay = at("Rebooted") - at("Starting");
    assert!(delay < Span::seconds(1), "{delay:?}");
}

#[test]
fn reboot_restarts_pod_in_new_sandbox() {
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("prepare", json!({"init": true}), ""), ("main", json!({}), "")],
    )]);
    lab.run(30.0);
    lab.apply_fault(Fault::Power { node: a_1(), on: false });
    lab.run(40.0);
    assert!(lab.processes().is_empty());
    lab.apply_fault(Fault::Power { node: a_1(), on: true });
    lab.run(120.0);
    assert_eq!(lab.processes(), ["main"]);
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    assert!(
        events.contains(&"SandboxChanged: Pod sandbox changed, it will be killed and re-created.".to_owned()),
        "{events:#?}"
    );
    let starts: Vec<String> = lab
        .records_of_kind(What::ContainerStarted)
        .iter()
        .map(|record| record.container.as_deref().unwrap().into())
        .collect();
    assert_eq!(starts, ["prepare", "main", "prepare", "main"]);
    assert_eq!(status(lab.web().unwrap())["containerStatuses"][0]["restartCount"], 1);
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}

/// Shows: LC-071
#[test]
fn lost_sandbox_is_recreated() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "")])]);
    lab.run(20.0);
    lab.apply_fault(Fault::Sandbox(ObjectKey::new("default", "web")));
    lab.run(40.0);
    assert_eq!(lab.processes(), ["main"]);
    assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), 2);
}

/// Shows: LC-210
#[test]
fn only_restarted_kubelet_registers_deleted_node_again() {
    use podscope_api::Kind;
    use podscope_cluster::{DeleteOptions, Request};
    for (switch, reregisters) in [(None, false), (Some("healed-kubelet-reregisters"), true)] {
        let mut lab = match switch {
            None => Lab::new(&[]),
            Some(switch) => Lab::with_switch(&[], switch),
        };
        lab.run(5.0);
        lab.send_request(Request::Delete {
            kind: Kind::Node,
            key: ObjectKey::cluster("a-1"),
            options: DeleteOptions::default(),
        });
        lab.run(30.0);
        assert_eq!(
            lab.world.objects().named::<Node>("a-1").is_some(),
            reregisters,
            "{switch:?}"
        );
        if !reregisters {
            lab.apply_fault(Fault::Kubelet { node: a_1(), up: false });
            lab.apply_fault(Fault::Kubelet { node: a_1(), up: true });
            lab.run(60.0);
            assert!(lab.world.objects().named::<Node>("a-1").is_some());
        }
    }
}

/// Shows: LC-204
#[test]
fn dead_runtime_makes_node_not_ready() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "")])]);
    lab.run(20.0);
    lab.apply_fault(Fault::Runtime { node: a_1(), up: false });
    lab.run(65.0);
    let ready = |lab: &Lab| {
        lab.world
            .objects()
            .named::<Node>("a-1")
            .unwrap()
            .condition("Ready")
            .unwrap()
            .clone()
    };
    assert_eq!(ready(&lab).status, ConditionStatus::False);
    assert_eq!(&*ready(&lab).reason, "KubeletNotReady");
    assert_eq!(lab.processes(), ["main"]);
    lab.apply_fault(Fault::Runtime { node: a_1(), up: true });
    lab.run(80.0);
    assert_eq!(ready(&lab).status, ConditionStatus::True);
}

#[test]
fn imported_pod_keeps_restart_count_and_last_state() {
    let mut imported = web_pod(json!({}), &[("main", json!({}), "")]);
    imported["metadata"]["uid"] = json!("11111111-2222-3333-4444-555555555555");
    imported["status"] = json!({
        "phase": "Running", "podIP": "10.9.8.7", "startTime": "2025-12-31T00:00:00Z",
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}],
        "containerStatuses": [{
            "name": "main", "ready": true, "started": true, "restartCount": 3, "image": "busybox",
            "state": {"running": {"startedAt": "2025-12-31T12:00:00Z"}},
            "lastState": {"terminated": {"exitCode": 2, "reason": "Error", "finishedAt": "2025-12-31T11:59:00Z"}},
        }],
    });
    let mut lab = Lab::new(&[imported]);
    lab.run(0.0);
    assert_eq!(lab.processes(), ["main"]);
    lab.run(30.0);
    let found = status(lab.web().unwrap());
    assert_eq!(found["containerStatuses"][0]["restartCount"], 3);
    assert_eq!(
        found["containerStatuses"][0]["state"]["running"]["startedAt"],
        "2025-12-31T12:00:00Z"
    );
    assert_eq!(found["podIP"], "10.9.8.7");
    assert!(
        lab.records_of_kind(What::ContainerStarted)
            .iter()
            .all(|record| record.at == SimTime::ZERO)
    );
}

/// Shows: LC-114
#[test]
fn kubelet_restores_overwritten_ready_condition() {
    use podscope_api::{Kind, Pod};
    use podscope_cluster::{Mutation, Part, Request};
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "")])]);
    lab.run(20.0);
    lab.send_request(Request::Patch {
        kind: Kind::Pod,
        key: ObjectKey::new("default", "web"),
        uid: None,
        part: Part::Status,
        change: Mutation::new::<Pod>("not ready", |pod| {
            for one in pod.status.conditions.iter_mut().filter(|one| &*one.kind == "Ready") {
                one.status = ConditionStatus::False;
            }
        }),
    });
    lab.run(20.1);
    assert!(!lab.web().unwrap().is_ready());
    lab.run(31.0);
    assert!(lab.web().unwrap().is_ready());
}

/// Shows: LC-060
#[test]
fn restarted_kubelet_may_reject_a_running_pod() {
    use podscope_api::{Kind, Node};
    use podscope_cluster::{Mutation, Part, Request};
    let label = |value: Option<&'static str>| Request::Patch {
        kind: Kind::Node,
        key: ObjectKey::cluster("a-1"),
        uid: None,
        part: Part::Main,
        change: Mutation::new::<Node>("label", move |node| {
            let labels = std::sync::Arc::make_mut(&mut node.metadata.labels);
            match value {
                Some(value) => labels.insert("disk".into(), value.into()),
                None => labels.remove("disk"),
            };
        }),
    };
    let mut lab = Lab::new(&[]);
    lab.send_request(label(Some("ssd")));
    lab.run(2.0);
    lab.create(&web_pod(
        json!({"nodeSelector": {"disk": "ssd"}}),
        &[("main", json!({}), "sigterm=ignore")],
    ));
    lab.run(20.0);
    assert_eq!(lab.processes(), ["main"]);
    lab.send_request(label(None));
    lab.run(22.0);
    assert_eq!(
        lab.processes(),
        ["main"],
        "a running kubelet does not admit the pod again"
    );
    lab.apply_fault(Fault::Kubelet { node: a_1(), up: false });
    lab.apply_fault(Fault::Kubelet { node: a_1(), up: true });
    lab.run(40.0);
    let rejected = status(lab.web().unwrap());
    assert_eq!(
        (&rejected["phase"], &rejected["reason"]),
        (&json!("Failed"), &json!("NodeAffinity"))
    );
    assert_timeline_rows(
        "the containers are killed as orphans (LC-061)",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (2.0, "SIGKILL main"), (2.0, "exit 137 main")],
    );
}

/// The kubelet does not list a pod that was deleted by force, even while its processes still run: a new pod of the same
/// name can use its resources at once.
/// Shows: LC-065
#[test]
fn forced_deletion_frees_resources_at_once() {
    let three = json!({"resources": {"requests": {"cpu": "3"}}});
    let first = web_pod(json!({}), &[("main", three, "sigterm=ignore")]);
    let mut lab = Lab::new(std::slice::from_ref(&first));
    lab.run(10.0);
    lab.delete(Some(0));
    lab.run(10.1);
    lab.create(&first);
    lab.run(11.0);
    assert_eq!(
        lab.processes().first().map(String::as_str),
        Some("main"),
        "the process of the old pod still runs"
    );
    assert_ne!(status(lab.web().unwrap())["phase"], "Failed", "{:?}", lab.events());
    lab.run(30.0);
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}

/// The kubelet reports a cordoned node by an event, with its next status.
#[test]
fn kubelet_emits_event_when_node_is_cordoned() {
    use podscope_api::Kind;
    use podscope_cluster::{Mutation, Part, Request};
    let cordon = |unschedulable: bool| Request::Patch {
        kind: Kind::Node,
        key: ObjectKey::cluster("a-1"),
        uid: None,
        part: Part::Main,
        change: Mutation::new::<Node>("cordon", move |node| node.spec.unschedulable = Some(unschedulable)),
    };
    let mut lab = Lab::new(&[]);
    lab.run(5.0);
    for (unschedulable, until) in [(true, 20.0), (false, 40.0)] {
        lab.send_request(cordon(unschedulable));
        lab.run(until);
    }
    let messages: Vec<String> = lab
        .trace
        .records
        .iter()
        .filter(|record| record.what() == What::Event)
        .map(|record| crate::kubelet::lab::text_field(record, "message"))
        .filter(|message| message.contains("chedulable"))
        .collect();
    assert_eq!(
        messages,
        [
            "Node a-1 status is now: NodeNotSchedulable",
            "Node a-1 status is now: NodeSchedulable"
        ]
    );
}
