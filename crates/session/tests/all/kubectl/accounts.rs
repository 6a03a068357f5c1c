//! ServiceAccounts of pods in kubectl's output and events.

use super::*;

/// A controller can create pods only when their ServiceAccount exists. The error contains the prefix of the pod's name.
/// Shows: VA-284
#[test]
fn pods_wait_for_their_service_account() {
    let mut shell = Shell::with_manifests(
        "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {a: b}}, \
         template: {metadata: {labels: {a: b}}, spec: {serviceAccountName: late, containers: [{name: c, image: x}]}}}}",
    );
    shell.advance_to(5);
    let output = shell.run("kubectl describe rs web").join("\n");
    let refused = "Error creating: pods \"web-\" is forbidden: error looking up service account default/late: \
                   serviceaccount \"late\" not found";
    assert!(output.contains(refused), "{output}");
    assert_eq!(
        shell.run("kubectl get pods"),
        ["!No resources found in default namespace."]
    );
    assert_eq!(shell.run("kubectl create sa late"), ["serviceaccount/late created"]);
    shell.advance_to(60);
    let pods = shell.run("kubectl get pods --no-headers");
    assert!(pods.len() == 1 && pods[0].contains("Running"), "{pods:?}");
}

/// The ServiceAccount of pods that an imported CronJob creates is assumed to exist.
/// Shows: P-09
#[test]
fn service_account_of_imported_cron_job_is_assumed_to_exist() {
    let mut shell = Shell::with_manifests(
        "{apiVersion: batch/v1, kind: CronJob, metadata: {name: tick, namespace: default, uid: u-1, creationTimestamp: \
         '2025-12-31T23:00:00Z'}, spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {serviceAccountName: \
         runner, restartPolicy: Never, containers: [{name: c, image: x}]}}}}}, status: {lastScheduleTime: \
         '2026-01-01T00:00:00Z'}}\n---\n{apiVersion: podscope.dev/v1alpha1, kind: Scenario, metadata: {name: s}, spec: \
         {cluster: {zones: [a], nodesPerZone: 1}}}",
    );
    shell.advance_to(70);
    let pods = shell.run("kubectl get pods --no-headers");
    assert!(pods.len() == 1 && pods[0].contains("Running"), "{pods:?}");
}
