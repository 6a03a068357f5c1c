//! The termination sequence (LC-133 to LC-177) to the millisecond.

use podscope_cluster::{SimTime, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, assert_timeline_rows, status, web_pod};

fn pre_stop_hook() -> Value {
    json!({"lifecycle": {"preStop": {"exec": {"command": ["stop"]}}}})
}

/// Deletes a pod with one container at 20 s, and returns the hooks, signals and exits of its process.
/// `requested_grace` is the grace period of the delete request.
fn deletion_timeline(
    spec_grace: i64,
    requested_grace: Option<i64>,
    container: Value,
    behavior: &str,
    history_switch: Option<&str>,
) -> Vec<(f64, String)> {
    let objects = [web_pod(
        json!({"terminationGracePeriodSeconds": spec_grace}),
        &[("main", container, behavior)],
    )];
    let mut lab = match history_switch {
        Some(switch) => Lab::with_switch(&objects, switch),
        None => Lab::new(&objects),
    };
    lab.run(20.0);
    lab.delete(requested_grace);
    lab.run(200.0);
    assert!(lab.web().is_none(), "the kubelet finishes the deletion (LC-005)");
    assert!(lab.processes().is_empty());
    lab.kill_timeline()
}

/// Shows: L-10, LC-143, LC-146, LC-149, LC-150, LC-151, LC-152, LC-153, LC-154, LC-155, LC-156, LC-157
#[test]
fn termination_events_happen_at_documented_times() {
    for (name, grace, request, hook, behavior, rows) in [
        (
            "LC-149 no preStop hook",
            30,
            None,
            false,
            "sigterm=ignore",
            vec![(0.0, "SIGTERM main"), (30.0, "SIGKILL main"), (30.0, "exit 137 main")],
        ),
        (
            "LC-150 preStop 10 s",
            30,
            None,
            true,
            "prestop=10s, sigterm=ignore",
            vec![
                (0.0, "preStop begins main"),
                (10.0, "preStop ends main"),
                (10.0, "SIGTERM main"),
                (30.0, "SIGKILL main"),
                (30.0, "exit 137 main"),
            ],
        ),
        (
            "LC-151 preStop 10.9 s",
            30,
            None,
            true,
            "prestop=10900ms, sigterm=ignore",
            vec![
                (0.0, "preStop begins main"),
                (10.9, "preStop ends main"),
                (10.9, "SIGTERM main"),
                (30.9, "SIGKILL main"),
                (30.9, "exit 137 main"),
            ],
        ),
        (
            "LC-152 preStop 29 s",
            30,
            None,
            true,
            "prestop=29s, sigterm=ignore",
            vec![
                (0.0, "preStop begins main"),
                (29.0, "preStop ends main"),
                (29.0, "SIGTERM main"),
                (31.0, "SIGKILL main"),
                (31.0, "exit 137 main"),
            ],
        ),
        (
            "LC-153 preStop hangs, and ends with the container (LC-145)",
            30,
            None,
            true,
            "prestop=hang, sigterm=ignore",
            vec![
                (0.0, "preStop begins main"),
                (30.0, "SIGTERM main"),
                (32.0, "SIGKILL main"),
                (32.0, "exit 137 main"),
                (32.0, "preStop ends main"),
            ],
        ),
        (
            "LC-143 preStop fails at once",
            30,
            None,
            true,
            "prestop=fail, sigterm=ignore",
            vec![
                (0.0, "preStop begins main"),
                (0.0, "preStop ends main"),
                (0.0, "SIGTERM main"),
                (30.0, "SIGKILL main"),
                (30.0, "exit 137 main"),
            ],
        ),
        (
            "LC-146 hook and process share the grace period",
            30,
            None,
            true,
            "prestop=10s, sigterm=5s",
            vec![
                (0.0, "preStop begins main"),
                (10.0, "preStop ends main"),
                (10.0, "SIGTERM main"),
                (15.0, "exit 0 main"),
            ],
        ),
        (
            "LC-155 forced deletion, no preStop hook",
            30,
            Some(0),
            false,
            "sigterm=ignore",
            vec![(0.0, "SIGTERM main"), (2.0, "SIGKILL main"), (2.0, "exit 137 main")],
        ),
        (
            "LC-156 forced deletion, preStop hangs",
            30,
            Some(0),
            true,
            "prestop=hang, sigterm=ignore",
            vec![
                (0.0, "preStop begins main"),
                (1.0, "SIGTERM main"),
                (3.0, "SIGKILL main"),
                (3.0, "exit 137 main"),
                (3.0, "preStop ends main"),
            ],
        ),
        (
            "the runtime is slow to kill",
            5,
            None,
            false,
            "sigterm=ignore, stop=4s",
            vec![(0.0, "SIGTERM main"), (5.0, "SIGKILL main"), (9.0, "exit 137 main")],
        ),
        (
            "the container has its own stop signal",
            30,
            None,
            false,
            "stopsignal=SIGQUIT, sigterm=3s",
            vec![(0.0, "SIGQUIT main"), (3.0, "exit 0 main")],
        ),
    ] {
        let container = if hook { pre_stop_hook() } else { json!({}) };
        assert_timeline_rows(
            name,
            &deletion_timeline(grace, request, container, behavior, None),
            &rows,
        );
    }
}

/// Shows: L-11, LC-134, LC-137
#[test]
fn grace_rules_switch_restores_behavior_of_v1_23() {
    assert_timeline_rows(
        "LC-137, seed 003: in v1.23 the runtime gets the whole grace period after the hook",
        &deletion_timeline(
            30,
            None,
            pre_stop_hook(),
            "prestop=10s, sigterm=ignore",
            Some("grace-rules-v1.23"),
        ),
        &[
            (0.0, "preStop begins main"),
            (10.0, "preStop ends main"),
            (10.0, "SIGTERM main"),
            (40.0, "SIGKILL main"),
            (40.0, "exit 137 main"),
        ],
    );
    assert_timeline_rows(
        "LC-134: in v1.23 a forced deletion gets 30 s",
        &deletion_timeline(30, Some(0), json!({}), "sigterm=ignore", Some("grace-rules-v1.23")),
        &[(0.0, "SIGTERM main"), (30.0, "SIGKILL main"), (30.0, "exit 137 main")],
    );
    assert_timeline_rows(
        "without the two-second minimum, a grace period of one second lasts one second",
        &deletion_timeline(
            30,
            Some(0),
            json!({}),
            "sigterm=ignore",
            Some("kubelet-without-two-second-floor"),
        ),
        &[(0.0, "SIGTERM main"), (1.0, "SIGKILL main"), (1.0, "exit 137 main")],
    );
}

/// Shows: LC-113, LC-171, LC-173, LC-175, LC-176
#[test]
fn pod_is_removed_after_its_final_status_is_written() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "sigterm=3s")])]);
    lab.run(20.0);
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
    lab.delete(None);
    lab.run(22.0);
    // A deletion request alone does not change Ready (LC-113).
    assert!(lab.web().unwrap().is_ready());
    lab.run(23.1);
    // Exit code 0 makes the pod Succeeded, even under Always; the object still exists (LC-175).
    let pod = lab.web().expect("the pod exists until its terminal phase is written");
    assert_eq!(status(pod)["phase"], "Succeeded");
    assert_eq!(
        status(pod)["containerStatuses"][0]["state"]["terminated"]["reason"],
        "Completed"
    );
    lab.run(26.0);
    assert!(lab.web().is_none());
    let whats: Vec<&str> = lab
        .trace
        .records
        .iter()
        .filter(|record| {
            record.at > SimTime::from_seconds(20)
                && record.object.as_ref().is_some_and(|object| &*object.key.name == "web")
        })
        .filter(|record| {
            matches!(
                record.what(),
                What::DeletionRequested | What::Updated | What::Deleted | What::ContainerExited
            )
        })
        .map(|record| record.what().as_str())
        .collect();
    // The deletion increases the generation (LC-013), which the kubelet observes. Then: terminal status, DELETE with
    // grace period 0, removal (LC-176).
    assert_eq!(
        whats,
        [
            "DeletionRequested",
            "Updated",
            "ContainerExited",
            "Updated",
            "Updated",
            "Deleted"
        ]
    );
}

/// Shows: L-05, LC-158, LC-159, LC-160, LC-161
#[test]
fn sidecars_stop_in_reverse_order() {
    let sidecar = || json!({"init": true, "restartPolicy": "Always"});
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[
            ("s1", sidecar(), "sigterm=1s"),
            ("s2", sidecar(), "sigterm=2s"),
            ("app", json!({}), "sigterm=5s"),
        ],
    )]);
    lab.run(30.0);
    assert_eq!(lab.processes(), ["s1", "s2", "app"]);
    lab.delete(None);
    lab.run(60.0);
    assert_timeline_rows(
        "LC-158: in reverse order after the app containers",
        &lab.kill_timeline(),
        &[
            (0.0, "SIGTERM app"),
            (5.0, "exit 0 app"),
            (5.0, "SIGTERM s2"),
            (7.0, "exit 0 s2"),
            (7.0, "SIGTERM s1"),
            (8.0, "exit 0 s1"),
        ],
    );
    assert!(lab.web().is_none());
}

/// Shows: LC-159, LC-160, CT-167
#[test]
fn waiting_sidecars_are_signalled_when_grace_ends() {
    let sidecar = |hook: bool| {
        let mut one = json!({"init": true, "restartPolicy": "Always"});
        if hook {
            one["lifecycle"] = pre_stop_hook()["lifecycle"].clone();
        }
        one
    };
    let mut lab = Lab::new(&[web_pod(
        json!({"terminationGracePeriodSeconds": 10}),
        &[
            ("s1", sidecar(true), "sigterm=ignore, prestop=2s"),
            ("s2", sidecar(false), "sigterm=ignore"),
            ("app", json!({}), "sigterm=ignore"),
        ],
    )]);
    lab.run(30.0);
    lab.delete(None);
    lab.run(60.0);
    assert_timeline_rows(
        "LC-159: hooks start at 0; LC-160: signals at G and G + 2",
        &lab.kill_timeline(),
        &[
            (0.0, "preStop begins s1"),
            (0.0, "SIGTERM app"),
            (2.0, "preStop ends s1"),
            (10.0, "SIGTERM s1"),
            (10.0, "SIGTERM s2"),
            (10.0, "SIGKILL app"),
            (10.0, "exit 137 app"),
            (12.0, "SIGKILL s1"),
            (12.0, "SIGKILL s2"),
            (12.0, "exit 137 s1"),
            (12.0, "exit 137 s2"),
        ],
    );
    // The sidecars had the pod's whole grace period, most of it while they waited for their turn (CT-167).
    assert_eq!(lab.trace.violations(), Vec::<String>::new());
}

/// Shows: LC-164
#[test]
fn shorter_grace_does_not_affect_a_kill_in_progress() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "sigterm=ignore")])]);
    lab.run(20.0);
    lab.delete(None);
    lab.run(25.0);
    lab.delete(Some(3));
    lab.run(30.0);
    assert_eq!(lab.web().unwrap().metadata.deletion_grace_period_seconds, Some(1));
    lab.run(70.0);
    assert_timeline_rows(
        "the deadline does not change",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (30.0, "SIGKILL main"), (30.0, "exit 137 main")],
    );
}

/// Shows: L-12, LC-167
#[test]
fn crashed_kubelet_restarts_the_grace_period() {
    use podscope_cluster::fault::Fault;
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("main", pre_stop_hook(), "prestop=5s, sigterm=ignore")],
    )]);
    lab.run(20.0);
    lab.delete(None);
    lab.run(30.0);
    let node: podscope_api::NodeName = "a-1".into();
    lab.apply_fault(Fault::Kubelet {
        node: node.clone(),
        up: false,
    });
    lab.run(100.0);
    // Without a kubelet, no SIGKILL is sent.
    assert_eq!(lab.processes(), ["main"]);
    lab.apply_fault(Fault::Kubelet { node, up: true });
    lab.run(200.0);
    let rows = lab.kill_timeline();
    let whats: Vec<&str> = rows.iter().map(|row| row.1.as_str()).collect();
    assert_eq!(
        whats,
        [
            "preStop begins main",
            "preStop ends main",
            "SIGTERM main",
            "preStop begins main",
            "preStop ends main",
            "SIGTERM main",
            "SIGKILL main",
            "exit 137 main",
        ]
    );
    // The full grace period counts from the second start of the hook.
    assert!((rows[6].0 - rows[3].0 - 30.0).abs() < 0.001, "{rows:?}");
    assert!(lab.web().is_none());
}

/// Shows: LC-174
#[test]
fn pod_that_never_started_ends_as_failed() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "pull=fail")])]);
    lab.run(5.0);
    lab.delete(None);
    assert!(lab.happens_by(60.0, |lab| lab.web().is_some_and(|pod| pod.is_terminal())));
    let last = status(lab.web().unwrap());
    lab.run(70.0);
    assert!(lab.web().is_none());
    assert_eq!(last["phase"], "Failed");
    assert_eq!(
        last["containerStatuses"][0]["state"]["terminated"],
        json!({
            "exitCode": 137, "reason": "ContainerStatusUnknown",
            "message": "The container could not be located when the pod was terminated",
            "startedAt": null, "finishedAt": null,
        })
    );
}

/// Shows: LC-170
#[test]
fn early_exit_is_reported_when_the_last_container_ends() {
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("fast", json!({}), "sigterm=1s"), ("slow", json!({}), "sigterm=10s")],
    )]);
    lab.run(20.0);
    lab.delete(None);
    lab.run(28.0);
    let pod = status(lab.web().unwrap());
    assert!(pod["containerStatuses"][0]["state"]["running"].is_object(), "{pod:#}");
    assert_eq!(lab.processes(), ["slow"]);
    lab.run(40.0);
    assert!(lab.web().is_none());
}

/// Shows: L-16
#[test]
fn termination_view_shows_step_and_deadline() {
    use podscope_cluster::Span;
    use podscope_cluster::kubelet::TerminationStep;
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("main", pre_stop_hook(), "prestop=5s, sigterm=ignore, stop=3s")],
    )]);
    lab.run(20.0);
    lab.delete(None);
    let uid = lab.web().unwrap().metadata.uid.clone();
    let mut found = Vec::new();
    for second in [21.0, 30.0, 51.0] {
        lab.run(second);
        let (_, kubelet) = lab.world.kubelets().find(|(node, _)| node.as_str() == "a-1").unwrap();
        let view = kubelet.termination(&uid).expect("the pod is terminating");
        let one = &view.containers[0];
        found.push((one.step, one.until.map(|until| until - one.since)));
    }
    assert_eq!(
        found,
        [
            (TerminationStep::PreStop, Some(Span::seconds(30))),
            (TerminationStep::Stopping, Some(Span::seconds(25))),
            (TerminationStep::Killed, None),
        ]
    );
}

/// Shows: LC-169
#[test]
fn deletion_waits_for_a_pull_in_progress() {
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "pull=10s, sigterm=1s")])]);
    lab.run(3.0);
    lab.delete(None);
    lab.run(9.0);
    assert!(lab.web().is_some() && lab.processes().is_empty());
    lab.run(20.0);
    // The sync that starts the container completes before the kill begins.
    assert_timeline_rows(
        "the container starts and is then stopped",
        &lab.kill_timeline(),
        &[(0.0, "SIGTERM main"), (1.0, "exit 0 main")],
    );
    assert!(lab.web().is_none());
}

/// Shows: LC-127
#[test]
fn deletion_waits_for_a_liveness_kill_in_progress() {
    let probe = json!({"livenessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1, "failureThreshold": 1}});
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("main", probe, "liveness=fail@10s..200s, sigterm=ignore")],
    )]);
    lab.run(20.0);
    assert_eq!(
        lab.records_of_kind(What::SignalSent).len(),
        1,
        "the liveness kill is in progress"
    );
    lab.delete(Some(3));
    lab.run(60.0);
    let rows = lab.kill_timeline();
    assert_eq!(rows[0], (0.0, "SIGTERM main".to_owned()));
    assert_eq!(
        rows[1],
        (30.0, "SIGKILL main".to_owned()),
        "the kill in progress keeps its deadline"
    );
    lab.run(90.0);
    assert!(lab.web().is_none());
}
