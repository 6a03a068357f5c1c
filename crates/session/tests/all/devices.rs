//! Devices in scenarios: how a scenario describes them, what kubectl prints about them, and why a pod with a claim is
//! pending.

use podscope_cluster::SimTime;
use podscope_kubectl::command::{Command, parse};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};
use podscope_session::triage::{Scope, triage};

const SCENARIO: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: devices}
spec:
  cluster:
    zones: [a]
    nodesPerZone: 1
    devices: [{driver: gpu.example.com, count: 1, prefix: gpu}]
  timeline:
  - {at: 10s, run: "fault device a-1 gpu-0 taint example.com/bad=1:NoSchedule"}
  - {at: 11s, run: "fault device a-1 gpu-9 gone"}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: mine}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
"#;

/// Returns a session with these manifests, advanced by some seconds.
fn session_after(text: &str, seconds: i64) -> Session {
    let loaded = scenario::load(&[("devices.yaml".to_owned(), text.to_owned())]).expect("readable");
    let mut session = Session::new(loaded).expect("admitted");
    while session.advance(SimTime::from_seconds(seconds), 10_000) == Slice::More {}
    session
}

/// Returns what a command that only reads prints to stdout.
fn output_of(session: &Session, line: &str) -> String {
    let Ok(Command::Kubectl { action: kubectl, .. }) = parse(line) else {
        panic!("{line} is not a kubectl command");
    };
    session.read(&kubectl).expect("the command only reads").stdout()
}

/// Shows: DRA-264
#[test]
fn describe_node_prints_devices_of_scenario() {
    let session = session_after(SCENARIO, 20);
    let text = output_of(&session, "kubectl describe node a-1");
    let wanted = "\
Node-Local ResourceSlices:
  Driver           Pool  Slices  Devices
  ------           ----  ------  -------
  gpu.example.com  a-1   1       1
System Info:
";
    assert!(text.contains(wanted), "{text}");
    let slices = output_of(&session, "kubectl get resourceslices");
    assert!(slices.contains("a-1    gpu.example.com   a-1"), "{slices}");
}

#[test]
fn fault_on_unknown_device_is_refused() {
    let session = session_after(SCENARIO, 20);
    let trace = podscope_session::report::trace(session.trace());
    assert!(
        trace.contains("machine \\\"a-1\\\" has no device called \\\"gpu-9\\\"; it has gpu-0"),
        "{trace}"
    );
}

#[test]
fn malformed_devices_are_reported_with_position() {
    let wrong = SCENARIO.replace("count: 1", "count: none");
    let problems = scenario::load(&[("devices.yaml".to_owned(), wrong)]).expect_err("the count is no number");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].path, "spec.cluster.devices[0].count");
    assert_eq!(problems[0].line, 9);
}

#[test]
fn pending_claim_and_its_pod_are_listed_with_reason() {
    // The timeline creates the pod after the device has been tainted.
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: train}, spec: {resourceClaims: [{name: gpu, \
               resourceClaimName: mine}], containers: [{name: c, image: i}]}}";
    let late = format!("  - {{at: 12s, apply: '{pod}'}}\n---\napiVersion: resource");
    let text = SCENARIO.replacen("---\napiVersion: resource", &late, 1);
    let found = triage(&session_after(&text, 30), &Scope::default());
    let reason = |object: &str| {
        let row = found.iter().find(|one| one.object == object);
        row.map(|row| row.reason.to_string())
            .unwrap_or_else(|| panic!("no row for {object}: {found:?}"))
    };
    assert!(reason("Pod default/train").contains("gpu-0: taint example.com/bad=1:NoSchedule is not tolerated"));
    assert_eq!(
        reason("ResourceClaim default/mine"),
        "it gets its devices when pod train, which uses it, gets a node"
    );
}
