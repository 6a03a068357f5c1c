//! Ctrl-C (the command `stop`) ends running commands. `create` and `rollout undo` print objects with `-o` and
//! `--dry-run` (K-01, K-02).

use podscope_cluster::SimTime;
use podscope_kubectl::command::parse;
use podscope_session::scenario;
use podscope_session::timeline::Session;

/// Returns a session with two nodes at 20 s. The image of its Deployment was changed once.
fn session() -> Session {
    let text = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: shell}
spec:
  cluster: {zones: [a], nodesPerZone: 2}
  timeline:
  - {at: 5s, run: kubectl set image deploy/web c=x:2}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: 'x:1'}]}}
";
    let loaded = scenario::load(&[("stop.yaml".to_owned(), text.to_owned())]).expect("readable");
    let mut session = Session::new(loaded).expect("admitted");
    advance_to(&mut session, 20);
    session
}

fn advance_to(session: &mut Session, seconds: i64) {
    session.advance(SimTime::from_seconds(seconds), u64::MAX);
}

/// Runs a command, and returns its output in the following second. Lines of stderr begin with `!`.
fn output_of(session: &mut Session, line: &str) -> Vec<String> {
    let seen = session.outputs().len();
    session.command(parse(line).expect("a command")).expect("room");
    let until = SimTime(session.now().0 + 1_000_000);
    session.advance(until, u64::MAX);
    let mark = |is_error: bool| if is_error { "!" } else { "" };
    let lines = session.outputs().get(seen..).unwrap_or_default();
    lines
        .iter()
        .map(|line| format!("{}{}", mark(line.kind.is_stderr()), line.text))
        .collect()
}

/// A watch keeps running until it is stopped.
/// Shows: K-02, KC-057
#[test]
fn stop_ends_running_commands() {
    let mut session = session();
    assert_eq!(output_of(&mut session, "stop"), ["!error: no command is running"]);
    let rows = output_of(&mut session, "kubectl get deploy web --watch");
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(session.world().client_count(), 1);
    assert_eq!(
        output_of(&mut session, "kubectl annotate deploy web a=b").len(),
        3,
        "the watch prints two rows: the annotation raises the generation, and the controller updates observedGeneration"
    );
    assert_eq!(output_of(&mut session, "stop"), ["!^C"]);
    assert_eq!(session.world().client_count(), 0);
    assert_eq!(
        session.finished_commands().last().map(|(_, _, status)| *status),
        Some(130)
    );
    assert_eq!(
        output_of(&mut session, "kubectl annotate deploy web c=d").len(),
        1,
        "the watch has ended"
    );

    // `stop` ends the last command that is running; `stop --all` ends all running commands.
    output_of(&mut session, "kubectl get pods --watch-only");
    output_of(&mut session, "kubectl get nodes --watch-only");
    output_of(&mut session, "kubectl get deploy --watch-only");
    assert_eq!(output_of(&mut session, "stop"), ["!^C"]);
    let rows = output_of(&mut session, "kubectl annotate deploy web e=f");
    assert_eq!(
        rows,
        ["deployment.apps/web annotated"],
        "the watch of deployments has ended"
    );
    assert_eq!(output_of(&mut session, "stop --all"), ["!^C", "!^C"]);
    assert_eq!(session.world().client_count(), 0);

    // `stop` is recorded like other commands, so a replay gives the same result.
    let (hash, end) = (session.trace_hash(), session.now());
    session.seek(SimTime::from_seconds(10));
    session.advance(end, u64::MAX);
    assert_eq!((session.trace_hash(), session.world().client_count()), (hash, 0));
    for wrong in ["stop now", "stop --all x"] {
        assert_eq!(
            parse(wrong).map_err(|error| error.message),
            Err("error: use: stop [--all]".to_owned())
        );
    }
}

/// With `-o` and `--dry-run`, `kubectl create` prints the object instead of creating it. A client dry run prints it
/// without defaults and namespace; a server dry run prints both (KC-080).
/// Shows: K-02, KC-080
#[test]
fn create_with_dry_run_prints_object() {
    let mut session = session();
    let text = output_of(
        &mut session,
        "kubectl create deployment api --image=nginx:1 --dry-run=client -o yaml",
    )
    .join("\n");
    assert_eq!(
        text,
        "\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: api
  name: api
spec:
  replicas: 1
  selector:
    matchLabels:
      app: api
  strategy: {}
  template:
    metadata:
      labels:
        app: api
    spec:
      containers:
      - image: nginx:1
        name: nginx
        resources: {}
status: {}"
    );
    let text = output_of(
        &mut session,
        "kubectl run one --image=x -n default --dry-run=client -o json",
    )
    .join("\n");
    let pod: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(pod["metadata"]["namespace"], "default");
    assert_eq!(
        (&pod["spec"]["restartPolicy"], &pod["spec"]["dnsPolicy"]),
        (&"Always".into(), &"ClusterFirst".into())
    );
    let text = output_of(&mut session, "kubectl run one --image=x --dry-run=server -o yaml").join("\n");
    assert!(
        text.contains("\n  uid: ") && text.contains("schedulerName: default-scheduler"),
        "{text}"
    );
    let manifest = "<<'EOF'\napiVersion: v1\nkind: Namespace\nmetadata: {name: n1}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n2}\nEOF";
    let lines = output_of(
        &mut session,
        &format!("kubectl create --dry-run=client -o yaml -f - {manifest}"),
    );
    assert_eq!(lines.iter().filter(|line| *line == "---").count(), 1, "{lines:?}");
    assert_eq!(
        output_of(&mut session, "kubectl get pods one"),
        ["!Error from server (NotFound): pods \"one\" not found"]
    );

    assert_eq!(
        output_of(&mut session, &format!("kubectl create -o name -f - {manifest}")),
        ["namespace/n1", "namespace/n2"]
    );
    let text = output_of(&mut session, "kubectl create cm conf --from-literal=a=b -o yaml").join("\n");
    assert!(
        text.starts_with("apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\n"),
        "{text}"
    );
    assert!(parse("kubectl run x --image=y -o wide").is_err_and(|error| {
        error
            .message
            .starts_with("error: unable to match a printer suitable for the output format \"wide\"")
    }));
}

/// kubectl prints errors after all objects: a single error in its long form, several errors as one line each.
/// Shows: K-02, KC-116
#[test]
fn errors_are_printed_after_all_objects() {
    let mut session = session();
    let pod = |name: &str, image: &str| {
        format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c{image}}}]}}\n")
    };
    let create = |texts: &[String]| format!("kubectl create -f - <<'EOF'\n{}EOF", texts.join("---\n"));
    let lines = output_of(&mut session, &create(&[pod("p1", ""), pod("p2", ", image: x")]));
    assert_eq!(
        lines,
        [
            "pod/p2 created",
            "!The Pod \"p1\" is invalid: spec.containers[0].image: Required value"
        ]
    );
    let lines = output_of(&mut session, &create(&[pod("p1", ""), pod("p2", ", image: x")]));
    assert_eq!(
        lines,
        [
            "!Error from server (Invalid): error when creating \"STDIN\": Pod \"p1\" is invalid: spec.containers[0].image: Required value",
            "!Error from server (AlreadyExists): error when creating \"STDIN\": pods \"p2\" already exists",
        ]
    );
}

/// With `--dry-run`, `rollout undo` changes nothing. A client dry run prints the previous pod template.
/// Shows: K-02, KC-080, KC-108
#[test]
fn rollout_undo_dry_run_changes_nothing() {
    let mut session = session();
    let lines = output_of(&mut session, "kubectl rollout undo deploy/web --dry-run=client");
    assert_eq!(
        lines.first().map(String::as_str),
        Some("deployment.apps/web Pod Template:")
    );
    assert!(lines.iter().any(|line| line.trim_start() == "Image:\tx:1"), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some(" (dry run)"));
    assert_eq!(
        output_of(&mut session, "kubectl rollout undo deploy/web --dry-run=server"),
        ["deployment.apps/web rolled back (server dry run)"]
    );
    let image = "kubectl get deploy web -o jsonpath={.spec.template.spec.containers[0].image}";
    assert_eq!(output_of(&mut session, image), ["x:2"]);
    assert_eq!(
        output_of(&mut session, "kubectl rollout undo deploy -l app=no"),
        Vec::<String>::new()
    );
    assert_eq!(
        output_of(&mut session, "kubectl rollout undo deploy/web"),
        ["deployment.apps/web rolled back"]
    );
    assert_eq!(output_of(&mut session, image), ["x:1"]);
}
