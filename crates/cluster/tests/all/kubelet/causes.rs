//! Tests of events on a node that no manifest can express, such as a failed sandbox (F-06). The user brings them about
//! by a command or an annotation; their effect on the pod is that on a real node.

use podscope_cluster::What;
use podscope_cluster::fault::Fault;
use serde_json::{Value, json};

use crate::common::key;
use crate::kubelet::lab::{Lab, status, web_pod};

/// Returns the events about pod `web` without repetitions, in the order of their first occurrence.
fn distinct_events(lab: &Lab) -> Vec<String> {
    let mut events: Vec<String> = Vec::new();
    for (_, text) in lab.events() {
        if !events.contains(&text) {
            events.push(text);
        }
    }
    events
}

fn plain_web_pod() -> Value {
    web_pod(json!({}), &[("main", json!({}), "")])
}

/// Shows: F-06, LC-056, LC-071
#[test]
fn failed_sandbox_creation_is_retried() {
    let mut lab = Lab::new(&[plain_web_pod()]);
    lab.apply_fault(Fault::Sandbox(key("web")));
    lab.run(8.0);
    assert_eq!(
        distinct_events(&lab),
        [
            "FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = failed to start sandbox"
        ]
    );
    let waiting = status(lab.web().unwrap());
    assert_eq!(waiting["phase"], "Pending");
    assert_eq!(waiting["conditions"][0]["type"], "PodReadyToStartContainers");
    assert_eq!(waiting["conditions"][0]["status"], "False");
    // After an error, the sync is retried after 10 to 15 s (LC-056).
    lab.run(20.0);
    assert_eq!(lab.processes(), ["main"]);
}

/// Shows: L-01, F-06, LC-071
#[test]
fn lost_sandbox_restarts_all_containers_including_init() {
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("prepare", json!({"init": true}), ""), ("main", json!({}), "")],
    )]);
    lab.run(20.0);
    lab.apply_fault(Fault::Sandbox(key("web")));
    lab.run(40.0);
    let starts: Vec<String> = lab
        .records_of_kind(What::ContainerStarted)
        .iter()
        .filter_map(|record| Some(record.container.as_deref()?.to_owned()))
        .collect();
    assert_eq!(starts, ["prepare", "main", "prepare", "main"]);
    assert!(
        distinct_events(&lab)
            .contains(&"SandboxChanged: Pod sandbox changed, it will be killed and re-created.".to_owned()),
        "{:#?}",
        distinct_events(&lab)
    );
    // The phase does not go back meanwhile (L-01).
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
    assert_eq!(lab.trace.violations(), [""; 0]);
}

/// Shows: F-06
#[test]
fn containers_survive_runtime_crash_but_do_not_restart() {
    let runtime = |up| Fault::Runtime { node: "a-1".into(), up };
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", json!({}), "run=30s, exit=1")])]);
    lab.run(20.0);
    lab.apply_fault(runtime(false));
    lab.run(25.0);
    assert_eq!(lab.processes(), ["main"]);
    lab.run(60.0);
    assert!(
        lab.processes().is_empty(),
        "the container exited and cannot be restarted"
    );
    lab.apply_fault(runtime(true));
    lab.run(80.0);
    assert_eq!(lab.records_of_kind(What::ContainerStarted).len(), 2);
}

/// Shows: F-06, LC-178
#[test]
fn slow_runtime_exceeds_eviction_grace_period() {
    // The pod uses 8150Mi of 8Gi, and 100Mi must be available: it is evicted. The runtime needs a minute to kill it.
    let mut lab = Lab::new(&[web_pod(
        json!({}),
        &[("main", json!({}), "memory=8150Mi, sigterm=ignore, stop=60s")],
    )]);
    lab.run(60.0);
    assert!(
        distinct_events(&lab)
            .iter()
            .any(|text| text.starts_with("ExceededGracePeriod: ")),
        "{:#?}",
        distinct_events(&lab)
    );
    assert_eq!(lab.processes(), ["main"], "the kill itself continues");
}

/// Shows: F-06
#[test]
fn exit_fault_ends_container_with_given_exit_code() {
    let mut lab = Lab::new(&[plain_web_pod()]);
    lab.run(20.0);
    lab.apply_fault(Fault::Exit {
        pod: key("web"),
        container: "main".into(),
        code: 42,
    });
    lab.run(30.0);
    let container = &status(lab.web().unwrap())["containerStatuses"][0];
    assert_eq!(container["lastState"]["terminated"]["exitCode"], 42);
    assert_eq!(container["restartCount"], 1);
}

/// Shows: F-06, LC-117
#[test]
fn unknown_readiness_probe_result_keeps_pod_ready() {
    let probe = json!({"readinessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1, "failureThreshold": 1}});
    let mut lab = Lab::new(&[web_pod(json!({}), &[("main", probe, "readiness=unknown@10s..40s")])]);
    lab.run(35.0);
    assert!(lab.web().unwrap().is_ready());
    assert!(
        distinct_events(&lab)
            .iter()
            .any(|text| text.starts_with("Unhealthy: Readiness probe errored and resulted in unknown state: ")),
        "{:#?}",
        distinct_events(&lab)
    );
}

/// Returns the conditions of the endpoint of pod `web` in the Service `web`; None without an endpoint.
fn endpoint_conditions(lab: &Lab) -> Option<String> {
    let objects = lab.world.objects();
    let mut slices = objects.list::<podscope_api::EndpointSlice>();
    let slice = slices.find(|slice| slice.metadata.label("kubernetes.io/service-name") == Some("web"))?;
    let endpoint = slice.endpoints.first()?;
    let field = |name: &str, value: Option<bool>| format!("{name}={}", value.unwrap_or_default());
    let conditions = &endpoint.conditions;
    Some(
        [
            field("ready", conditions.ready),
            field("serving", conditions.serving),
            field("terminating", conditions.terminating),
        ]
        .join(" "),
    )
}

/// Shows: L-14, LC-184, LC-185
#[test]
fn endpoint_serves_until_readiness_probe_fails() {
    for (publish, rows) in [
        (
            false,
            [
                (19.0, Some("ready=true serving=true terminating=false")),
                (22.0, Some("ready=false serving=true terminating=true")),
                (28.0, Some("ready=false serving=false terminating=true")),
                (40.0, None),
            ],
        ),
        (
            true,
            [
                (19.0, Some("ready=true serving=true terminating=false")),
                (22.0, Some("ready=true serving=true terminating=true")),
                (28.0, Some("ready=true serving=false terminating=true")),
                (40.0, None),
            ],
        ),
    ] {
        let service = json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}], "publishNotReadyAddresses": publish},
        });
        let probe = json!({"readinessProbe": {"exec": {"command": ["ok"]}, "periodSeconds": 1, "failureThreshold": 1}});
        // The pod fails its readiness probe 4 s after the stop signal, and exits 10 s after it.
        let mut pod = web_pod(json!({}), &[("main", probe, "readiness=fail@24s..100s, sigterm=10s")]);
        pod["metadata"]["labels"] = json!({"app": "web"});
        let mut lab = Lab::new(&[service, pod]);
        for (at, expected) in rows {
            if at > 20.0 && lab.web().is_some_and(|pod| !pod.metadata.is_terminating()) {
                lab.run(20.0);
                lab.delete(None);
            }
            lab.run(at);
            assert_eq!(
                endpoint_conditions(&lab).as_deref(),
                expected,
                "publishNotReadyAddresses {publish}, {at} s"
            );
        }
    }
}
