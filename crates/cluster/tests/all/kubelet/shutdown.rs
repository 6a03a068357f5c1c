//! Graceful node shutdown (LC-212), and admission of critical pods (LC-066).

use podscope_api::ordered::StableSort as _;
use podscope_api::{ConditionStatus, Node};
use podscope_cluster::fault::Fault;
use podscope_cluster::kubelet::{KubeletSettings, ShutdownGroup};
use podscope_cluster::{SimTime, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, assert_timeline_rows, pod, seconds, status, text_field, web_pod};

/// Returns a lab whose kubelets have these shutdown groups: (priority, grace period in seconds).
fn lab(objects: &[Value], grace_seconds_by_priority: &[(i32, i64)]) -> Lab {
    let shutdown = grace_seconds_by_priority
        .iter()
        .map(|(priority, grace_seconds)| ShutdownGroup {
            priority: *priority,
            grace_seconds: *grace_seconds,
        })
        .collect();
    let kubelet = KubeletSettings {
        shutdown,
        ..KubeletSettings::default()
    };
    Lab::with_kubelet(objects, kubelet)
}

fn node_ready_status_and_message(lab: &Lab) -> (ConditionStatus, String) {
    let node = lab.world.objects().named::<Node>("a-1").expect("the Node exists");
    let ready = node.condition("Ready").expect("the condition is set");
    (ready.status.clone(), ready.message.to_string())
}

/// Returns the signals and exits of all pods from `from` on, for example `(2.0, "SIGTERM web")`. Times are in seconds
/// since `from`; entries of the same instant are sorted by text.
fn signals_and_exits(lab: &Lab, from: SimTime) -> Vec<(f64, String)> {
    let of_processes = |record: &&podscope_cluster::Record| {
        record.at >= from && matches!(record.what(), What::SignalSent | What::ContainerExited)
    };
    let records = lab.trace.records.iter().filter(of_processes);
    let row = |record: &podscope_cluster::Record| {
        let name = record.object.as_ref().map(|object| object.key.name.to_string());
        let what = match record.what() {
            What::SignalSent => text_field(record, "signal"),
            _ => "exit".to_owned(),
        };
        (
            seconds(record.at - from),
            format!("{what} {}", name.unwrap_or_default()),
        )
    };
    let mut rows: Vec<(f64, String)> = records.map(row).collect();
    rows.stable_sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    rows
}

/// Shows: LC-035, LC-212
#[test]
fn shutdown_ends_pods_by_ascending_priority_before_power_off() {
    let critical = json!({"priorityClassName": "system-node-critical"});
    let mut lab = lab(
        &[
            web_pod(json!({}), &[("main", json!({}), "sigterm=ignore")]),
            pod("agent", critical, &[("main", json!({}), "sigterm=2s")]),
        ],
        &[(0, 20), (2_000_000_000, 10)],
    );
    lab.run(20.0);
    let from = lab.world.now();
    lab.apply_fault(Fault::Shutdown("a-1".into()));
    lab.run(21.0);
    assert_eq!(
        node_ready_status_and_message(&lab),
        (ConditionStatus::False, "node is shutting down".to_owned())
    );
    lab.create(&pod("late", json!({}), &[("main", json!({}), "")]));
    lab.run(22.0);
    let late = status(lab.pod("late").unwrap());
    assert_eq!(
        (&late["phase"], &late["reason"], &late["message"]),
        (
            &json!("Failed"),
            &json!("NodeShutdown"),
            &json!("Pod was rejected: Pod was rejected as the node is shutting down.")
        )
    );
    lab.run(60.0);
    assert_timeline_rows(
        "grace period = the minimum of the group's and the pod's",
        &signals_and_exits(&lab, from),
        &[
            (0.0, "SIGTERM web"),
            (20.0, "SIGKILL web"),
            (20.0, "SIGTERM agent"),
            (20.0, "exit web"),
            (22.0, "exit agent"),
        ],
    );
    // The pod objects stay, with phase Failed.
    for name in ["web", "agent"] {
        let found = status(lab.pod(name).unwrap());
        assert_eq!(
            (&found["phase"], &found["reason"], &found["message"]),
            (
                &json!("Failed"),
                &json!("Terminated"),
                &json!("Pod was terminated in response to imminent node shutdown.")
            ),
            "{name}"
        );
        let target = lab
            .pod(name)
            .unwrap()
            .condition("DisruptionTarget")
            .expect("LC-035: the kubelet sets the condition");
        assert_eq!(
            (&target.status, &*target.reason),
            (&ConditionStatus::True, "TerminationByKubelet")
        );
    }
    assert!(!lab.world.machine(&"a-1".into()).expect("the machine exists").is_on());
    assert_eq!(lab.trace.violations(), [""; 0]);
}

/// Shows: LC-212
#[test]
fn graceful_shutdown_is_disabled_by_default() {
    let mut lab = lab(&[web_pod(json!({}), &[("main", json!({}), "")])], &[]);
    lab.run(20.0);
    lab.apply_fault(Fault::Shutdown("a-1".into()));
    assert!(lab.processes().is_empty());
    assert!(lab.records_of_kind(What::SignalSent).is_empty());
}

/// Shows: LC-066
#[test]
fn critical_pod_preempts_the_best_victim_and_waits_for_it() {
    let requests = |cpu: &str| json!({"resources": {"requests": {"cpu": cpu}}});
    let mut lab = Lab::new(&[
        pod("small", json!({}), &[("main", requests("1"), "sigterm=ignore")]),
        pod(
            "large",
            json!({"terminationGracePeriodSeconds": 5}),
            &[("main", requests("2"), "sigterm=ignore")],
        ),
        pod("free", json!({}), &[("main", json!({}), "")]),
    ]);
    lab.run(20.0);
    let mut critical = pod(
        "agent",
        json!({"priorityClassName": "system-node-critical"}),
        &[("main", requests("3"), "")],
    );
    critical["metadata"]["namespace"] = json!("kube-system");
    lab.create(&critical);
    let from = lab.world.now();
    lab.run(60.0);
    // 3 of 4 CPUs are in use, so 2 are missing: `large` alone provides them. The BestEffort pod would free no CPU.
    let found = status(lab.pod("large").unwrap());
    assert_eq!(
        (&found["phase"], &found["reason"], &found["message"]),
        (
            &json!("Failed"),
            &json!("Preempting"),
            &json!("Preempted in order to admit critical pod")
        )
    );
    for name in ["small", "free"] {
        assert_eq!(status(lab.pod(name).unwrap())["phase"], "Running", "{name}");
    }
    let started = lab.trace.records.iter().find(|record| {
        record.what() == What::ContainerStarted && record.object.as_ref().is_some_and(|one| &*one.key.name == "agent")
    });
    let killed = signals_and_exits(&lab, from);
    assert_eq!(killed[1].1, "SIGKILL large", "{killed:?}");
    assert!(
        (killed[1].0 - killed[0].0 - 5.0).abs() < 0.001,
        "the victim gets the grace period of its spec: {killed:?}"
    );
    let started = started
        .map(|record| seconds(record.at - from))
        .expect("the critical pod starts");
    assert!(
        started >= killed[2].0,
        "the critical pod starts after its victim has ended: {started} {killed:?}"
    );
}

/// Shows: LC-066
#[test]
fn critical_pod_without_enough_victims_is_rejected() {
    let requests = json!({"resources": {"requests": {"cpu": "5"}}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "")])]);
    lab.run(20.0);
    lab.create(&pod(
        "agent",
        json!({"priorityClassName": "system-node-critical"}),
        &[("main", requests, "")],
    ));
    lab.run(40.0);
    assert_eq!(status(lab.pod("agent").unwrap())["reason"], "OutOfcpu");
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}
