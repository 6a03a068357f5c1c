//! Restarts and CrashLoopBackOff (LC-082 to LC-090), phases (LC-214 to LC-219).

use podscope_cluster::{SimTime, What};
use serde_json::json;

use crate::kubelet::lab::{Lab, status, web_pod};

/// Shows: L-03, LC-085, LC-088, LC-094, LC-102
#[test]
fn crash_loop_back_off_doubles_delays() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "run=1s, exit=1")])]);
    lab.run(1500.0);
    let exits = lab.times_of_kind(What::ContainerExited, SimTime::ZERO);
    let starts = lab.times_of_kind(What::ContainerStarted, SimTime::ZERO);
    let waits: Vec<f64> = starts
        .iter()
        .skip(1)
        .zip(&exits)
        .map(|(start, exit)| start - exit)
        .collect();
    // The first restart follows the next relist of the runtime. Later ones wait for the delay plus up to 15 s and a
    // relist, because a blocked sync is retried only then (LC-088).
    assert!(waits[0] <= 2.0, "{waits:?}");
    for (wait, delay) in waits[1..].iter().zip([10.0, 20.0, 40.0, 80.0, 160.0, 300.0]) {
        assert!((delay..delay + 16.5).contains(wait), "{delay}: {waits:?}");
    }
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    let uid = lab.web().unwrap().metadata.uid.clone();
    assert!(
        events.contains(&format!(
            "BackOff: Back-off restarting failed container main in pod web_default({uid})"
        )),
        "{events:#?}"
    );
    // In the sync that the back-off blocks, the status still says Terminated; from the next sync on, Waiting (LC-094).
    assert!(lab.happens_by(1900.0, |lab| lab.waiting_reason() == "CrashLoopBackOff"));
    let starts = lab.times_of_kind(What::ContainerStarted, SimTime::ZERO);
    let container = &status(lab.web().unwrap())["containerStatuses"][0];
    assert_eq!(
        container["state"]["waiting"]["message"],
        format!("back-off 5m0s restarting failed container=main pod=web_default({uid})")
    );
    assert_eq!(container["lastState"]["terminated"]["exitCode"], 1);
    assert_eq!(container["restartCount"].as_u64().unwrap() as usize, starts.len() - 1);
    // A waiting container with a lastState counts as stopped; under Always the phase stays Running (LC-102).
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}

/// Shows: L-02, LC-087
#[test]
fn exit_0_under_always_restarts_with_back_off() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "run=1s")])]);
    assert!(lab.happens_by(60.0, |lab| lab.waiting_reason() == "CrashLoopBackOff"));
    assert!(lab.records_of_kind(What::ContainerStarted).len() >= 2);
}

/// Shows: LC-214, LC-215, LC-216
#[test]
fn restart_policy_decides_restart_and_phase() {
    for (policy, exit, phase, n_starts) in [
        ("Never", 0, "Succeeded", 1),
        ("Never", 1, "Failed", 1),
        ("OnFailure", 0, "Succeeded", 1),
        ("OnFailure", 1, "Running", 2),
        ("Always", 0, "Running", 2),
    ] {
        let behavior = format!("run=2s, exit={exit}");
        let mut lab = Lab::new(&[web_pod(
            json!({"restartPolicy": policy}),
            &[("main", json!({}), behavior.as_str())],
        )]);
        lab.run(9.0);
        let row = format!("{policy} {exit}");
        let found = status(lab.web().unwrap());
        assert_eq!(found["phase"], phase, "{row}");
        assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), n_starts, "{row}");
        if phase == "Succeeded" {
            let ready = found["conditions"]
                .as_array()
                .unwrap()
                .iter()
                .find(|one| one["type"] == "Ready")
                .unwrap()
                .clone();
            assert_eq!(
                (&ready["status"], &ready["reason"]),
                (&json!("False"), &json!("PodCompleted")),
                "{row}"
            );
        }
    }
}

/// Shows: LC-078
#[test]
fn sidecars_stop_when_app_containers_have_ended() {
    let mut lab = Lab::new(&[web_pod(
        json!({"restartPolicy": "Never"}),
        &[
            ("side", json!({"init": true, "restartPolicy": "Always"}), "sigterm=2s"),
            ("app", json!({}), "run=5s"),
        ],
    )]);
    lab.run(30.0);
    assert_eq!(status(lab.web().unwrap())["phase"], "Succeeded");
    assert!(lab.processes().is_empty());
    assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), 2);
}

/// Shows: LC-219
#[test]
fn pod_fails_at_its_active_deadline() {
    let mut lab = Lab::new(&[web_pod(
        json!({"activeDeadlineSeconds": 10}),
        &[("main", json!({}), "")],
    )]);
    lab.run(9.0);
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
    lab.run(20.0);
    let found = status(lab.web().unwrap());
    assert_eq!(found["phase"], "Failed");
    assert_eq!(found["reason"], "DeadlineExceeded");
    assert_eq!(
        found["message"],
        "Pod was active on the node longer than the specified deadline"
    );
}

/// Shows: L-08, LC-095
#[test]
fn process_over_its_memory_limit_is_oom_killed() {
    let limits = json!({"resources": {"limits": {"memory": "300Mi"}}});
    let mut lab = Lab::new(&[web_pod(
        json!({"restartPolicy": "Never"}),
        &[("main", limits, "memory=200Mi..600Mi@40s")],
    )]);
    lab.run(30.0);
    let terminated = status(lab.web().unwrap())["containerStatuses"][0]["state"]["terminated"].clone();
    assert_eq!(
        (&terminated["reason"], &terminated["exitCode"]),
        (&json!("OOMKilled"), &json!(137))
    );
    let ran = lab.times_of_kind(What::ContainerExited, SimTime::ZERO)[0]
        - lab.times_of_kind(What::ContainerStarted, SimTime::ZERO)[0];
    assert!((10.0..10.1).contains(&ran), "{ran}");
}
