//! Restart rules of containers, RestartAllContainers, and the status of containers that the runtime does not know
//! (LC-079, LC-096, LC-227, LC-228).

use podscope_cluster::{SimTime, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, seconds, status, web_pod};

/// Returns the fields of a container with one restart rule, which requires `action` after this exit code.
fn restart_rule(action: &str, exit_code: i32) -> Value {
    json!({
        "restartPolicy": "Never",
        "restartPolicyRules": [{"action": action, "exitCodes": {"operator": "In", "values": [exit_code]}}],
    })
}

fn condition_status_and_reason(lab: &Lab, kind: &str) -> (String, String) {
    let found = lab
        .web()
        .and_then(|pod| pod.condition(kind))
        .cloned()
        .unwrap_or_default();
    (found.status.to_string(), found.reason.to_string())
}

/// An exit that matches the rule restarts the container in place with the usual back-off; any other exit ends the pod.
/// Shows: L-17, LC-085, LC-227
#[test]
fn restart_rule_applies_only_to_its_exit_code() {
    for (exit, phase, is_restarted) in [(42, "Running", true), (1, "Failed", false), (0, "Succeeded", false)] {
        let behavior = format!("run=2s, exit={exit}");
        let mut lab = Lab::new(&[web_pod(
            json!({"restartPolicy": "Never"}),
            &[("main", restart_rule("Restart", 42), &behavior)],
        )]);
        lab.run(30.0);
        let found = status(lab.web().unwrap());
        assert_eq!(found["phase"], phase, "exit code {exit}");
        let starts = lab.times_of_kind(What::ContainerStarted, SimTime::ZERO).len();
        assert_eq!(starts > 1, is_restarted, "exit code {exit}: {starts} starts");
        // The first restart is immediate, the second follows after 10 s (LC-085).
        if is_restarted {
            let exits = lab.times_of_kind(What::ContainerExited, SimTime::ZERO);
            let starts = lab.times_of_kind(What::ContainerStarted, SimTime::ZERO);
            assert!(starts[1] - exits[0] < 2.0, "{starts:?} {exits:?}");
            assert!(starts[2] - exits[1] > 9.0, "{starts:?} {exits:?}");
            assert!(found["containerStatuses"][0]["restartCount"].as_i64() >= Some(2));
        }
    }
}

/// Condition, statuses, phase and order during RestartAllContainers; pod, node and address stay the same.
/// Shows: L-17, LC-228
#[test]
fn restart_all_containers_restarts_init_and_app_containers() {
    let restart_all = || restart_rule("RestartAllContainers", 88);
    let mut lab = Lab::new(&[web_pod(
        json!({"restartPolicy": "Never"}),
        &[
            ("prepare", json!({"init": true}), "run=1s, exit=0"),
            ("main", json!({}), "sigterm=20s"),
            ("watcher", restart_all(), "run=20s, exit=88"),
        ],
    )]);
    lab.run(15.0);
    let before = status(lab.web().unwrap());
    assert_eq!(condition_status_and_reason(&lab, "AllContainersRestarting").0, "False");
    assert!(lab.happens_by(
        30.0,
        |lab| condition_status_and_reason(lab, "AllContainersRestarting").0 == "True"
    ));
    assert_eq!(
        condition_status_and_reason(&lab, "AllContainersRestarting").1,
        "RestartAllContainersStarted"
    );
    // Every container is waiting, and its last state is RestartingAllContainers. The pod stays Running and initialized.
    assert!(lab.happens_by(35.0, |lab| lab.waiting_reason() == "RestartingAllContainers"));
    let during = status(lab.web().unwrap());
    for list in ["containerStatuses", "initContainerStatuses"] {
        for one in during[list].as_array().unwrap() {
            assert_eq!(one["state"]["waiting"]["reason"], "RestartingAllContainers", "{one}");
            let message = "The container is removed because RestartAllContainers in place";
            assert_eq!(one["state"]["waiting"]["message"], message, "{one}");
            let last = &one["lastState"]["terminated"];
            assert_eq!(last["message"], message, "{one}");
            assert!(last["startedAt"].is_null() && last["finishedAt"].is_null(), "{one}");
            assert_eq!(
                (&last["reason"], &last["exitCode"]),
                (&json!("RestartingAllContainers"), &json!(137)),
                "{one}"
            );
            assert_eq!(one["restartCount"], 1, "{one}");
        }
    }
    assert_eq!(
        (
            &during["phase"],
            condition_status_and_reason(&lab, "Initialized").0.as_str()
        ),
        (&json!("Running"), "True")
    );
    // This status already has the condition AllContainersRestarting=False. In the next status the containers wait like
    // those of a new pod.
    assert_eq!(condition_status_and_reason(&lab, "AllContainersRestarting").0, "False");
    assert!(lab.happens_by(36.0, |lab| lab.waiting_reason() == "PodInitializing"));
    let next = status(lab.web().unwrap());
    assert!(
        next["initContainerStatuses"][0]["state"]["running"].is_object(),
        "{next}"
    );
    for one in next["containerStatuses"].as_array().unwrap() {
        assert_eq!(one["state"]["waiting"], json!({"reason": "PodInitializing"}), "{one}");
        assert_eq!(
            one["lastState"]["terminated"]["reason"], "RestartingAllContainers",
            "{one}"
        );
        assert_eq!(one["restartCount"], 1, "{one}");
    }
    // The init containers run again.
    assert_eq!(
        (
            &next["phase"],
            condition_status_and_reason(&lab, "Initialized").0.as_str()
        ),
        (&json!("Pending"), "True")
    );
    lab.run(39.0);
    let after = status(lab.web().unwrap());
    for field in ["phase", "podIP", "hostIP", "startTime"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(after["containerStatuses"][0]["restartCount"], 1);
    let rows: Vec<(f64, String)> = lab
        .trace
        .records
        .iter()
        .filter(|record| matches!(record.what(), What::ContainerStarted | What::ContainerExited))
        .map(|record| {
            let name = record.container.as_deref().unwrap_or("");
            let what = if record.what() == What::ContainerStarted {
                "starts"
            } else {
                "ends"
            };
            (seconds(record.at - SimTime::ZERO), format!("{name} {what}"))
        })
        .collect();
    let order: Vec<&str> = rows.iter().map(|(_, row)| row.as_str()).collect();
    let once = ["prepare starts", "prepare ends", "main starts", "watcher starts"];
    assert_eq!(order, [&once[..], &["watcher ends", "main ends"], &once[..]].concat());
    // Killed containers get the minimum of two seconds between stop signal and SIGKILL.
    let at = |row: &str| rows.iter().find(|(_, known)| known == row).map(|(at, _)| *at).unwrap();
    let took = at("main ends") - at("watcher ends");
    assert!((2.0..4.0).contains(&took), "main exited {took} s after the watcher");
}

/// RestartAllContainers is no crash: it never leads to back-off.
/// Shows: LC-228
#[test]
fn restart_all_containers_has_no_back_off() {
    let mut lab = Lab::new(&[web_pod(
        json!({"restartPolicy": "Never"}),
        &[("main", restart_rule("RestartAllContainers", 88), "run=3s, exit=88")],
    )]);
    lab.run(60.0);
    let exits = lab.times_of_kind(What::ContainerExited, SimTime::ZERO);
    let starts = lab.times_of_kind(What::ContainerStarted, SimTime::ZERO);
    let waits: Vec<f64> = starts[1..]
        .iter()
        .zip(&exits)
        .map(|(start, exit)| start - exit)
        .collect();
    assert!(waits.len() > 3, "{waits:?}");
    assert!(waits.iter().all(|wait| *wait < 3.0), "{waits:?}");
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}

/// An init container that the runtime does not know counts as completed if the pod was initialized.
/// Shows: LC-079, LC-096
#[test]
fn unknown_init_container_of_initialized_pod_is_completed() {
    for initialized in ["True", "False"] {
        let mut imported = web_pod(
            json!({}),
            &[
                ("prepare", json!({"init": true}), "run=60s, exit=0"),
                ("main", json!({}), ""),
            ],
        );
        imported["metadata"]["uid"] = json!("11111111-2222-3333-4444-555555555555");
        imported["status"] = json!({
            "phase": "Running", "podIP": "10.9.8.7", "startTime": "2025-12-31T00:00:00Z",
            "conditions": [{"type": "Initialized", "status": initialized}, {"type": "PodScheduled", "status": "True"}],
            "initContainerStatuses": [{
                "name": "prepare", "ready": false, "restartCount": 2, "image": "busybox",
                "state": {"waiting": {"reason": "PodInitializing"}},
            }],
            "containerStatuses": [{
                "name": "main", "ready": true, "started": true, "restartCount": 0, "image": "busybox",
                "state": {"running": {"startedAt": "2025-12-31T12:00:00Z"}},
            }],
        });
        let mut lab = Lab::new(&[imported]);
        lab.run(20.0);
        let found = status(lab.web().unwrap());
        let prepare = &found["initContainerStatuses"][0];
        let terminated = &prepare["state"]["terminated"];
        if initialized == "True" {
            assert_eq!(
                (&terminated["reason"], &prepare["restartCount"]),
                (&json!("Completed"), &json!(2)),
                "{prepare}"
            );
            assert_eq!(
                terminated["message"],
                "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally"
            );
            assert_eq!(found["containerStatuses"][0]["restartCount"], 0);
        } else {
            assert!(terminated["message"].is_null(), "{prepare}");
        }
    }
}
