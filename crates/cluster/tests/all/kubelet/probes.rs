//! Probes (LC-116 to LC-131).

use podscope_cluster::{SimTime, What};
use serde_json::json;

use crate::kubelet::lab::{Lab, status, text_field, web_pod};

/// Shows: L-07, LC-090, LC-125
#[test]
fn failed_liveness_probe_restarts_container() {
    let probe =
        json!({"livenessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5, "failureThreshold": 3}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", probe, "liveness=fail@30s..60s")])]);
    lab.run(60.0);
    let started = lab.times_of_kind(What::ContainerStarted, SimTime::ZERO);
    let failed = lab.times_of_kind(What::ProbeFailed, SimTime::ZERO);
    assert_eq!(failed.len(), 3, "{failed:?}");
    assert!(
        failed[0] >= started[0] + 30.0 && failed[0] < started[0] + 35.0,
        "{failed:?}"
    );
    assert!((failed[2] - failed[0] - 10.0).abs() < 0.001, "{failed:?}");
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    assert!(
        events.contains(&"Killing: Container main failed liveness probe, will be restarted".to_owned()),
        "{events:#?}"
    );
    assert!(
        events
            .iter()
            .any(|event| event.starts_with("Unhealthy: Liveness probe failed: ")),
        "{events:#?}"
    );
    // The first restart after a failed probe is immediate, in the same sync (LC-090).
    let exit = lab.times_of_kind(What::ContainerExited, SimTime::ZERO)[0];
    assert!((started[1] - exit).abs() < 0.001, "{started:?} {exit}");
    assert_eq!(status(lab.web().unwrap())["containerStatuses"][0]["restartCount"], 1);
}

/// Shows: LC-126
#[test]
fn probe_grace_period_overrides_pod_grace_period() {
    let probe = json!({"livenessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1, "failureThreshold": 1, "terminationGracePeriodSeconds": 7}});
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("main", probe, "liveness=fail@10s..20s, sigterm=ignore")],
    )]);
    lab.run(30.0);
    let signals = lab.records_of_kind(What::SignalSent);
    assert_eq!(text_field(signals[0], "signal"), "SIGTERM");
    assert_eq!(text_field(signals[1], "signal"), "SIGKILL");
    assert_eq!((signals[1].at - signals[0].at).0, 7_000_000);
}

/// Shows: LC-122, LC-130
#[test]
fn readiness_probe_waits_for_startup_probe_and_never_restarts() {
    let probes = json!({
        "startupProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 2, "failureThreshold": 30},
        "readinessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 5},
    });
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("main", probes, "startup=20s, readiness=fail@40s..60s")],
    )]);
    lab.run(15.0);
    let early = status(lab.web().unwrap());
    assert_eq!(early["phase"], "Running");
    assert_eq!(early["containerStatuses"][0]["started"], false);
    assert_eq!(early["containerStatuses"][0]["ready"], false);
    lab.run(35.0);
    assert!(lab.web().unwrap().is_ready());
    // Three consecutive failures make the pod not ready.
    lab.run(58.0);
    let middle = status(lab.web().unwrap());
    assert_eq!(middle["containerStatuses"][0]["ready"], false);
    let ready = middle["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["type"] == "Ready")
        .unwrap()
        .clone();
    assert_eq!(ready["message"], "containers with unready status: [main]");
    lab.run(75.0);
    assert!(lab.web().unwrap().is_ready());
    assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), 1);
}

/// Shows: LC-117
#[test]
fn unknown_liveness_probe_result_is_ignored() {
    let probe = json!({"livenessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1, "failureThreshold": 1}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", probe, "liveness=unknown")])]);
    lab.run(30.0);
    assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), 1);
    assert!(lab.records_of_kind(What::ProbeFailed).is_empty());
}

#[test]
fn succeeding_probe_creates_no_events() {
    let probes = json!({"readinessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1}, "livenessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", probes, "")])]);
    lab.run(60.0);
    assert!(lab.web().unwrap().is_ready());
    let (_, before) = lab.world.pending_and_processed_events();
    lab.run(1060.0);
    let (_, after) = lab.world.pending_and_processed_events();
    // Two probes per second for 1000 s: the remaining events are those of the control plane.
    let mut idle = Lab::new(&[]);
    idle.run(60.0);
    let (_, idle_before) = idle.world.pending_and_processed_events();
    idle.run(1060.0);
    let (_, idle_after) = idle.world.pending_and_processed_events();
    assert!(
        after - before <= idle_after - idle_before + 20,
        "{} {}",
        after - before,
        idle_after - idle_before
    );
}
