//! Pod termination, continued from `termination.rs` (section 5 of `docs/facts/lifecycle.md`): sidecars, changes during
//! a termination, and its end (LC-154, LC-158, LC-160 to LC-163, LC-165 to LC-167, LC-170, LC-174, LC-176, LC-177).

use podscope_api::fault::ControlPlaneProcess;
use podscope_api::{ConditionStatus, Kind};
use podscope_cluster::fault::{Fault, Targets};
use podscope_cluster::{DeleteOptions, Request, SimTime, What};
use serde_json::{Value, json};

use crate::common::{key, partition};
use crate::kubelet::lab::{Lab, assert_timeline_rows, status, web_pod};

fn with_pre_stop_hook(mut container: Value) -> Value {
    container["lifecycle"] = json!({"preStop": {"exec": {"command": ["stop"]}}});
    container
}

fn sidecar() -> Value {
    json!({"init": true, "restartPolicy": "Always"})
}

fn runtime_fault(up: bool) -> Fault {
    Fault::Runtime { node: "a-1".into(), up }
}

/// Deletes a pod at second `at`, and returns the hooks, signals and exits of its processes. Each container has a name,
/// fields of its spec and a scripted behaviour.
fn deletion_timeline(containers: &[(&str, Value, &str)], grace: i64, at: f64) -> Vec<(f64, String)> {
    let mut lab = Lab::new(&[web_pod(json!({"terminationGracePeriodSeconds": grace}), containers)]);
    lab.run(at);
    lab.delete(None);
    lab.run(at + 80.0);
    assert!(lab.web().is_none(), "the deletion completes");
    lab.kill_timeline()
}

/// Shows: LC-154
#[test]
fn process_gets_grace_period_left_over_by_pre_stop_hook() {
    // Deviation: in LC-154 the hook fails after 1 s. A scripted hook cannot fail later than at its start, so here it
    // succeeds after 1 s, which has the same effect.
    assert_timeline_rows(
        "preStop returns at 1 s",
        &deletion_timeline(
            &[("main", with_pre_stop_hook(json!({})), "prestop=1s, sigterm=ignore")],
            30,
            20.0,
        ),
        &[
            (0.0, "preStop begins main"),
            (1.0, "preStop ends main"),
            (1.0, "SIGTERM main"),
            (30.0, "SIGKILL main"),
            (30.0, "exit 137 main"),
        ],
    );
}

/// Shows: L-05, LC-158
#[test]
fn sidecar_before_a_stopped_one_does_not_wait_for_later_ones() {
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[
            ("s1", sidecar(), "sigterm=1s"),
            ("s2", sidecar(), "run=1s, exit=1"),
            ("s3", sidecar(), "sigterm=5s"),
            ("app", json!({}), "sigterm=2s"),
        ],
    )]);
    // Wait until the second sidecar does not run, because it is in back-off.
    assert!(lab.happens_by(400.0, |lab| {
        let second = lab
            .web()
            .map(|pod| status(pod)["initContainerStatuses"][1]["state"].clone());
        let is_down = second.is_some_and(|state| state["waiting"]["reason"] == "CrashLoopBackOff");
        is_down && lab.processes() == ["s1", "s3", "app"]
    }));
    lab.delete(None);
    lab.run(600.0);
    let rows: Vec<(f64, String)> = {
        let before = lab.kill_timeline();
        // Keep only the rows after the deletion: they begin with the first signal.
        let first = before
            .iter()
            .position(|row| row.1.starts_with("SIGTERM"))
            .expect("the pod is stopped");
        let zero = before[first].0;
        before[first..]
            .iter()
            .map(|row| (row.0 - zero, row.1.clone()))
            .collect()
    };
    assert_timeline_rows(
        "s1 does not wait for s3",
        &rows,
        &[
            (0.0, "SIGTERM app"),
            (2.0, "exit 0 app"),
            (2.0, "SIGTERM s1"),
            (2.0, "SIGTERM s3"),
            (3.0, "exit 0 s1"),
            (7.0, "exit 0 s3"),
        ],
    );
    assert!(lab.web().is_none());
}

/// Shows: LC-161
#[test]
fn hook_and_wait_for_its_turn_reduce_grace_by_whole_seconds() {
    assert_timeline_rows(
        "1.9 s of hook and 8.x s of waiting for its turn: less than G + 3",
        &deletion_timeline(
            &[
                ("s1", with_pre_stop_hook(sidecar()), "prestop=1900ms, sigterm=ignore"),
                ("app", json!({}), "sigterm=ignore"),
            ],
            10,
            20.0,
        ),
        &[
            (0.0, "preStop begins s1"),
            (0.0, "SIGTERM app"),
            (1.9, "preStop ends s1"),
            (10.0, "SIGKILL app"),
            (10.0, "exit 137 app"),
            (10.0, "SIGTERM s1"),
            (12.0, "SIGKILL s1"),
            (12.0, "exit 137 s1"),
        ],
    );
}

/// Shows: LC-078, LC-160, LC-162
#[test]
fn completed_pod_stops_sidecars_in_order_with_spec_grace() {
    let mut lab = Lab::new(&[web_pod(
        json!({"restartPolicy": "Never", "terminationGracePeriodSeconds": 20}),
        &[
            ("s1", sidecar(), "sigterm=1s"),
            ("s2", sidecar(), "sigterm=ignore"),
            ("app", json!({}), "run=5s"),
        ],
    )]);
    lab.run(60.0);
    let rows = lab.kill_timeline();
    let names: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
    assert_eq!(
        names,
        [
            "exit 0 app",
            "SIGTERM s2",
            "SIGTERM s1",
            "SIGKILL s2",
            "exit 137 s2",
            "exit 0 s1"
        ]
    );
    // The first sidecar waited for the second as long as the grace period of the spec lasts (LC-160).
    for row in [2, 3] {
        assert!((rows[row].0 - rows[1].0 - 20.0).abs() < 0.001, "{rows:?}");
    }
    // Exit codes of sidecars do not affect the phase (LC-078).
    assert_eq!(status(lab.web().unwrap())["phase"], "Succeeded");
}

/// Shows: LC-163
#[test]
fn init_container_that_is_no_sidecar_is_stopped_at_once() {
    assert_timeline_rows(
        "both are stopped at once",
        &deletion_timeline(
            &[
                ("side", sidecar(), "sigterm=1s"),
                ("prepare", json!({"init": true}), "run=500s, sigterm=3s"),
                ("app", json!({}), ""),
            ],
            30,
            20.0,
        ),
        &[
            (0.0, "SIGTERM side"),
            (0.0, "SIGTERM prepare"),
            (1.0, "exit 0 side"),
            (3.0, "exit 0 prepare"),
        ],
    );
}

/// Shows: L-09, LC-165
#[test]
fn shorter_grace_requested_before_the_kill_begins_applies() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "pull=10s, sigterm=ignore")])]);
    lab.run(3.0);
    lab.delete(None);
    lab.run(5.0);
    lab.delete(Some(4));
    lab.run(60.0);
    assert_timeline_rows(
        "the smaller grace period, after the start in progress has completed (LC-169)",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (4.0, "SIGKILL main"), (4.0, "exit 137 main")],
    );
}

/// Shows: L-13, LC-166, LC-208
#[test]
fn pod_missing_after_relist_gets_full_grace_of_its_spec() {
    let mut lab = Lab::new(&[web_pod(
        json!({"terminationGracePeriodSeconds": 12}),
        &[("main", with_pre_stop_hook(json!({})), "prestop=4s, sigterm=ignore")],
    )]);
    lab.run(20.0);
    lab.apply_fault(partition(&["a-1".into()]));
    lab.run(30.0);
    lab.delete(Some(0));
    // Wait longer than a dead connection is kept, so that the kubelet lists again (LC-208).
    lab.run(70.0);
    assert!(lab.web().is_none() && lab.kill_timeline().is_empty());
    lab.apply_fault(Fault::Heal(Targets::All));
    lab.run(120.0);
    assert_timeline_rows(
        "preStop hook and 12 s, counted from the relist",
        &lab.kill_timeline(),
        &[
            (0.0, "preStop begins main"),
            (4.0, "preStop ends main"),
            (4.0, "SIGTERM main"),
            (12.0, "SIGKILL main"),
            (12.0, "exit 137 main"),
        ],
    );
}

/// Shows: LC-166
#[test]
fn forced_deletion_in_short_partition_gives_minimum_grace() {
    let mut lab = Lab::new(&[web_pod(
        json!({"terminationGracePeriodSeconds": 12}),
        &[("main", json!({}), "sigterm=ignore")],
    )]);
    lab.run(20.0);
    lab.apply_fault(partition(&["a-1".into()]));
    lab.run(22.0);
    lab.delete(Some(0));
    lab.run(40.0);
    lab.apply_fault(Fault::Heal(Targets::All));
    lab.run(60.0);
    assert_timeline_rows(
        "the connection survived: MODIFIED with grace period 0, then DELETED",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (2.0, "SIGKILL main"), (2.0, "exit 137 main")],
    );
}

/// Shows: F-06, LC-056, LC-167, LC-179
#[test]
fn restarted_runtime_restarts_the_grace_period() {
    let mut lab = Lab::new(&[web_pod(
        json!({"terminationGracePeriodSeconds": 10}),
        &[("main", json!({}), "sigterm=ignore")],
    )]);
    lab.run(20.0);
    lab.delete(None);
    lab.run(25.0);
    lab.apply_fault(runtime_fault(false));
    lab.apply_fault(runtime_fault(true));
    lab.run(80.0);
    let rows = lab.kill_timeline();
    let names: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
    assert_eq!(names, ["SIGTERM main", "SIGTERM main", "SIGKILL main", "exit 137 main"]);
    // The failed kill is retried after 10 to 15 s, with the whole grace period (LC-056).
    assert!((15.0..21.5).contains(&rows[1].0), "{rows:?}");
    assert!((rows[2].0 - rows[1].0 - 10.0).abs() < 0.001, "{rows:?}");
    let events: Vec<String> = lab.events().into_iter().map(|(_, text)| text).collect();
    assert!(
        events
            .iter()
            .any(|event| event.starts_with("FailedKillPod: error killing pod: ")),
        "{events:#?}"
    );
    assert!(lab.web().is_none());
}

/// Shows: LC-113, LC-129, LC-170
#[test]
fn readiness_probes_run_until_the_last_container_ends() {
    let probe = json!({"readinessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1, "failureThreshold": 1}});
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("main", probe, "readiness=fail@24s..200s, sigterm=ignore")],
    )]);
    lab.run(20.0);
    assert!(lab.web().unwrap().is_ready());
    lab.delete(None);
    lab.run(23.0);
    // A deletion request alone does not change Ready (LC-113).
    assert!(lab.web().unwrap().is_ready());
    lab.run(30.0);
    let pod = lab.web().expect("the pod is still terminating");
    assert!(
        !pod.is_ready()
            && pod
                .status
                .phase
                .as_ref()
                .is_some_and(|phase| phase.as_str() == "Running")
    );
    let ready = pod
        .condition("ContainersReady")
        .expect("the kubelet sets the condition");
    assert_eq!(
        (&ready.status, &*ready.reason),
        (&ConditionStatus::False, "ContainersNotReady")
    );
}

/// Shows: LC-174
#[test]
fn terminal_status_keeps_unstarted_containers_waiting() {
    let init = |image: &str| json!({"init": true, "image": image});
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[
            ("first", init("one"), ""),
            ("second", init("two"), "pull=fail"),
            ("third", init("three"), ""),
            ("app", json!({}), ""),
        ],
    )]);
    lab.run(15.0);
    lab.delete(None);
    assert!(lab.happens_by(60.0, |lab| lab.web().is_some_and(podscope_api::Pod::is_terminal)));
    let last = status(lab.web().unwrap());
    assert_eq!(last["phase"], "Failed");
    let state = |list: &str, idx: usize| last[list][idx]["state"].clone();
    assert_eq!(state("initContainerStatuses", 0)["terminated"]["exitCode"], 0);
    assert!(state("initContainerStatuses", 1)["waiting"].is_object(), "{last:#}");
    assert!(state("initContainerStatuses", 2)["waiting"].is_object(), "{last:#}");
    assert!(state("containerStatuses", 0)["waiting"].is_object(), "{last:#}");
}

/// Shows: LC-176, LC-177
#[test]
fn final_delete_is_retried_until_the_api_server_answers() {
    let server = |up: bool| Fault::ControlPlane {
        process: ControlPlaneProcess::ApiServer,
        up,
    };
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "sigterm=5s")])]);
    lab.run(20.0);
    lab.delete(None);
    lab.run(22.0);
    lab.apply_fault(server(false));
    lab.run(50.0);
    // The process has exited; the object waits for the final status and the DELETE.
    assert!(lab.processes().is_empty() && lab.web().is_some_and(|pod| !pod.is_terminal()));
    lab.apply_fault(server(true));
    lab.run(75.0);
    assert!(lab.web().is_none(), "the status pass runs every 10 s");
    let whats: Vec<&str> = lab
        .trace
        .records
        .iter()
        .filter(|record| record.at > SimTime::from_seconds(50))
        .filter(|record| record.object.as_ref().is_some_and(|object| &*object.key.name == "web"))
        .filter(|record| matches!(record.what(), What::Updated | What::Deleted))
        .map(|record| record.what().as_str())
        .collect();
    // Terminal status, DELETE with grace period 0, removal (LC-176).
    assert_eq!(whats.last(), Some(&"Deleted"), "{whats:?}");
    assert!(whats.len() >= 3, "{whats:?}");
}

/// Shows: LC-220
#[test]
fn terminal_pod_is_removed_at_once_without_a_signal() {
    let mut lab = Lab::new(&[web_pod(
        json!({"restartPolicy": "Never"}),
        &[("main", json!({}), "run=3s")],
    )]);
    lab.run(20.0);
    assert_eq!(status(lab.web().unwrap())["phase"], "Succeeded");
    lab.send_request(Request::Delete {
        kind: Kind::Pod,
        key: key("web"),
        options: DeleteOptions::default(),
    });
    lab.run(20.1);
    assert!(lab.web().is_none());
    assert!(lab.records_of_kind(What::SignalSent).is_empty());
}
