//! Server-side apply with field managers and conflicts, `logs` of workloads, and pipes, as a user sees them in the
//! console (K-02, K-05).

use podscope_cluster::{OutputKind, Span};
use podscope_session::scenario;
use podscope_session::shell::Shell;
use podscope_session::timeline::Session;

fn shell() -> Shell {
    let text = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: owners}\n";
    let loaded = scenario::load(&[("scenario.yaml".to_owned(), text.to_owned())]).expect("readable");
    Shell::new(Session::new(loaded).expect("admitted"))
}

/// Runs a command line, and returns its output in the following two seconds. Lines of stderr begin with `!`.
fn run(shell: &mut Shell, line: &str, stdin: Option<&str>) -> String {
    let answer = shell.run(line, stdin, Span::seconds(2));
    let refused = answer.refused.map(|text| (OutputKind::Error, text));
    let lines: Vec<String> = answer
        .lines
        .into_iter()
        .chain(refused)
        .map(|(kind, text)| if kind.is_stderr() { format!("!{text}") } else { text })
        .collect();
    lines.join("\n")
}

/// The client-side apply that created the labels owns the whole map of labels. The server-side apply owns only the keys
/// that it applies.
#[test]
fn server_side_apply_removes_keys_dropped_since_client_apply() {
    let mut shell = shell();
    let map = |data: &str| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: m, labels: {{app: web}}}}, data: {data}}}")
    };
    let mut apply = |flags: &str, data: &str| run(&mut shell, &format!("kubectl apply {flags} -f -"), Some(&map(data)));
    assert_eq!(apply("", "{a: one, b: one}"), "configmap/m created");
    assert_eq!(apply("--server-side", "{a: two}"), "configmap/m serverside-applied");
    let labels = run(
        &mut shell,
        "kubectl get cm m -o jsonpath={.metadata.labels}{.data}",
        None,
    );
    assert_eq!(labels, r#"{"app":"web"}{"a":"two"}"#);
}

#[test]
fn owned_field_changes_only_with_force_conflicts() {
    let mut shell = shell();
    let map = |data: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: m}}, data: {data}}}");
    let mut apply = |flags: &str, data: &str| {
        run(
            &mut shell,
            &format!("kubectl apply --server-side {flags} -f -"),
            Some(&map(data)),
        )
    };
    assert_eq!(apply("", "{a: one, b: one}"), "configmap/m serverside-applied");
    let refused = apply("--field-manager=other", "{a: two, b: two}");
    let first: Vec<&str> = refused.lines().take(3).collect();
    assert_eq!(
        first,
        [
            "!error: Apply failed with 2 conflicts: conflicts with \"kubectl\":",
            "!- .data.a",
            "!- .data.b"
        ]
    );
    assert_eq!(
        apply("--field-manager=other --force-conflicts", "{a: two}"),
        "configmap/m serverside-applied"
    );
    // A field that its manager no longer applies is removed, unless another manager owns the field now.
    assert_eq!(apply("", "{c: one}"), "configmap/m serverside-applied");
    let data = run(&mut shell, "kubectl get cm m -o jsonpath={.data}", None);
    assert_eq!(data, r#"{"a":"two","c":"one"}"#);
    let managed = run(&mut shell, "kubectl get cm m -o yaml --show-managed-fields", None);
    assert!(
        managed.contains("f:c: {}") && managed.contains("manager: other"),
        "{managed}"
    );
    assert!(!run(&mut shell, "kubectl get cm m -o yaml", None).contains("managedFields"));
}

#[test]
fn scale_makes_kubectl_owner_of_replicas() {
    let mut shell = shell();
    run(&mut shell, "kubectl create deployment web --image=nginx", None);
    run(&mut shell, "kubectl scale deploy web --replicas=3", None);
    let web = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {app: web}}, \
        template: {metadata: {labels: {app: web}}, spec: {containers: [{name: nginx, image: nginx}]}}}}";
    let refused = run(&mut shell, "kubectl apply --server-side -f -", Some(web));
    assert!(
        refused.starts_with("!error: Apply failed with 1 conflict: conflict with \"kubectl\" with subresource \"scale\" using apps/v1: .spec.replicas\n"),
        "{refused}"
    );
}

/// Shows: KC-097
#[test]
fn logs_are_limited_by_time_and_bytes() {
    let mut shell = shell();
    run(&mut shell, "kubectl run web --image=nginx", None);
    shell.advance(Span::seconds(5));
    let whole = run(&mut shell, "kubectl logs web", None);
    assert!(whole.len() > 4, "{whole}");
    assert_eq!(run(&mut shell, "kubectl logs web --limit-bytes=4", None), whole[..4]);
    assert_eq!(
        run(&mut shell, "kubectl logs web --since-time=2040-01-01T00:00:00Z", None),
        ""
    );
    assert_eq!(
        run(&mut shell, "kubectl logs web --since-time=2000-01-01T00:00:00Z", None),
        whole
    );
    for (flags, wanted) in [
        (
            "--since=1m --since-time=2000-01-01T00:00:00Z",
            "at most one of `sinceTime` or `sinceSeconds` may be specified",
        ),
        ("--limit-bytes=-1", "--limit-bytes must be greater than 0"),
        ("--since=-5s", "--since must be greater than 0"),
        (
            "--since-time=noon",
            "parsing time \"noon\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"noon\" as \"2006\"",
        ),
    ] {
        let refused = run(&mut shell, &format!("kubectl logs web {flags}"), None);
        assert_eq!(refused, format!("!error: {wanted}"));
    }
}

#[test]
fn logs_of_workload_use_one_of_its_pods() {
    let mut shell = shell();
    run(
        &mut shell,
        "kubectl create deployment web --image=nginx --replicas=2",
        None,
    );
    shell.advance(Span::seconds(5));
    let logs = run(&mut shell, "kubectl logs deploy/web", None);
    assert!(logs.starts_with("!Found 2 pods, using pod/web-"), "{logs}");
    assert_ne!(run(&mut shell, "kubectl logs -l app=web", None), "");
    assert_eq!(
        run(&mut shell, "kubectl logs -l app=none", None),
        "!No resources found in default namespace."
    );
    assert_eq!(
        run(&mut shell, "kubectl logs deploy/nope", None),
        "!error: error from server (NotFound): deployments.apps \"nope\" not found in namespace \"default\""
    );
    assert_eq!(run(&mut shell, "kubectl get pods | grep -c Running", None), "2");
    assert_eq!(
        run(&mut shell, "kubectl get pods -w | cat", None),
        "!error: a pipe takes what is printed at once; this command's answer comes while time runs"
    );
}
