//! Commands for which the output of the console once differed from that of kubectl 1.36.3. The differences were found
//! by randomly generated commands (`crates/serve/tests/all/kubectl/random_commands.rs`).

use super::*;

const CRON_JOB: &str = "
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: '0 3 * * *'
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}}
";

fn shell() -> Shell {
    let mut shell = Shell::with_manifests(&format!("{CLUSTER}{CRON_JOB}"));
    shell.advance_to(10);
    shell
}

// If no object has the given name, kubectl checks whether the namespace exists. `delete` and lists do not check it.
// Shows: K-06
#[test]
fn missing_namespace_is_reported_instead_of_missing_object() {
    let mut shell = shell();
    let absent = "!Error from server (NotFound): namespaces \"nope\" not found";
    for line in [
        "kubectl get deploy web -n nope",
        "kubectl describe deploy web -n nope",
        "kubectl rollout history deploy/web -n nope",
        "kubectl label pod a k=v -n nope",
        "kubectl get pod a -n nope --watch",
        "kubectl autoscale deployment web --max=3 -n nope",
        "kubectl wait --for=condition=Ready pod/a -n nope",
    ] {
        assert_eq!(shell.run(line), [absent], "{line}");
    }
    assert_eq!(
        shell.run("kubectl logs a -n nope"),
        ["!error: error from server (NotFound): namespaces \"nope\" not found in namespace \"nope\""]
    );
    assert_eq!(
        shell.run("kubectl get node nope -n nope"),
        ["!Error from server (NotFound): nodes \"nope\" not found"]
    );
    assert_eq!(
        shell.run("kubectl delete pod a -n nope"),
        ["!Error from server (NotFound): pods \"a\" not found"]
    );
}

// Shows: K-06, KC-063
#[test]
fn get_all_lists_cron_jobs_and_each_kind_once() {
    let mut shell = shell();
    let all = shell.run("kubectl get all -o name");
    assert_eq!(all.last().map(String::as_str), Some("cronjob.batch/nightly"), "{all:?}");
    assert_eq!(shell.run("kubectl get all,deploy -o name"), all);
    let once = shell.run("kubectl get deploy --no-headers");
    assert_eq!(shell.run("kubectl get deploy,deployments --no-headers"), once);
}

// Shows: K-06
#[test]
fn describe_cron_job_prints_time_zone_after_suspend() {
    let lines = shell().run("kubectl describe cronjob nightly");
    let at = lines
        .iter()
        .position(|line| line.starts_with("Suspend:"))
        .expect("a line");
    assert_eq!(
        lines[at + 1].split_whitespace().collect::<Vec<_>>(),
        ["Time", "Zone:", "<unset>"]
    );
}

// Shows: K-06
#[test]
fn logs_of_unknown_container_lists_containers_of_pod() {
    let lines = shell().run("kubectl logs deploy/web -c nope");
    let last = lines.last().map(String::as_str).unwrap_or_default();
    assert!(
        last.starts_with("!error: container nope is not valid for pod web-"),
        "{lines:?}"
    );
    assert!(last.ends_with(" out of: c"), "{lines:?}");
}

// Shows: K-06, KC-066
#[test]
fn describe_shows_events_if_only_one_object_is_found() {
    let mut shell = shell();
    let mut has_events = |line: &str| {
        let lines = shell.run(line);
        assert!(lines[0].starts_with("Name:"), "{line}: {lines:?}");
        lines.iter().any(|line| line.starts_with("Events:"))
    };
    assert!(has_events("kubectl describe statefulsets,cronjobs"));
    assert!(has_events("kubectl describe nodes,deployments -l app=web"));
    assert!(!has_events("kubectl describe deployments,cronjobs"));
    assert!(!has_events("kubectl describe cronjobs nightly nope"));
}

// Shows: K-06, KC-066
#[test]
fn describe_treats_second_argument_as_name_prefix() {
    let mut shell = shell();
    assert_eq!(
        shell.run("kubectl describe deployments,cronjobs nightly"),
        ["!error: you may only specify a single resource type"]
    );
    assert_eq!(
        shell.run("kubectl describe cronjob/nightly deployment/nope"),
        ["!Error from server (NotFound): deployments.apps \"nope\" not found"]
    );
}
