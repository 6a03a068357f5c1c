//! Manifests as the input of commands, and pipes between commands.

use podscope_api::ordered::StableSort as _;
use podscope_cluster::Span;
use podscope_session::scenario;
use podscope_session::shell::Shell;
use podscope_session::timeline::Session;

const POD: &str =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: p}}\nspec: {containers: [{name: c, image: i}]}\n";

fn shell() -> Shell {
    let loaded = scenario::load(&[("objects.yaml".to_owned(), super::CLUSTER.to_owned())]).expect("readable");
    let mut shell = Shell::new(Session::new(loaded).expect("admitted"));
    shell.advance(Span::seconds(10));
    shell
}

/// Runs a command line, and returns its output in the following `seconds` seconds. Lines of stderr begin with `!`.
fn run(shell: &mut Shell, line: &str, stdin: Option<&str>, seconds: i64) -> Vec<String> {
    let answer = shell.run(line, stdin, Span::seconds(seconds));
    let refused = answer.refused.iter().flat_map(|text| text.lines());
    let lines = answer.lines.iter().map(|(kind, text)| match kind.is_stderr() {
        true => format!("!{text}"),
        false => text.clone(),
    });
    lines.chain(refused.map(|line| format!("!{line}"))).collect()
}

// kubectl 1.33 and later read a stream as JSON up to the first syntax error, then as YAML (issue 19, answer 3.2).
#[test]
fn stream_is_read_as_json_then_as_yaml() {
    let mut shell = shell();
    let map = |name: &str| format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}}}}"#);
    let parsing = "!error: error parsing STDIN: ";
    for (text, want) in [
        (
            map("a") + &map("b"),
            vec![
                "configmap/a created (dry run)".to_owned(),
                "configmap/b created (dry run)".to_owned(),
            ],
        ),
        // JSON with a trailing comma is not valid JSON, so it is read as YAML.
        (
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},}"#.to_owned(),
            vec!["configmap/a created (dry run)".to_owned()],
        ),
        (
            map("a") + "}",
            vec![
                "configmap/a created (dry run)".to_owned(),
                format!("{parsing}json: offset 63: invalid character '}}' looking for beginning of value"),
            ],
        ),
        (
            r#"{"a":"b" "c":1}"#.to_owned(),
            vec![format!(
                "{parsing}json: offset 10: invalid character '\"' after object key:value pair"
            )],
        ),
        (
            map("a") + &map("b") + "foo",
            vec![
                "configmap/a created (dry run)".to_owned(),
                "configmap/b created (dry run)".to_owned(),
                format!("{parsing}invalid character 'o' in literal false (expecting 'a')"),
            ],
        ),
        ("{\"a\":".to_owned(), vec![format!("{parsing}unexpected EOF")]),
        (
            "a: [1, 2\n".to_owned(),
            vec![format!(
                "{parsing}error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'"
            )],
        ),
        (
            "a: b: c\n".to_owned(),
            vec![format!(
                "{parsing}error converting YAML to JSON: yaml: mapping values are not allowed in this context"
            )],
        ),
        // In error messages, line numbers are relative to the beginning of the document.
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\nx: y\na: b: c\n".to_owned(),
            vec![
                "configmap/a created (dry run)".to_owned(),
                format!(
                    "{parsing}error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context"
                ),
            ],
        ),
        (
            "--- foo\na: b\n".to_owned(),
            vec![format!("{parsing}invalid Yaml document separator: foo")],
        ),
    ] {
        // stderr is a separate stream. Here its lines are printed before those of stdout.
        let mut printed = run(&mut shell, "kubectl create --dry-run=client -f -", Some(&text), 1);
        printed.stable_sort_by_key(|line| line.starts_with('!'));
        assert_eq!(printed, want, "{text}");
    }
    let without_validation = "kubectl apply --validate=false -f -";
    for (text, want) in [
        (
            "metadata: {name: x}",
            "!error: unable to decode \"STDIN\": Object 'Kind' is missing in '{\"metadata\":{\"name\":\"x\"}}'",
        ),
        (
            "5",
            "!error: unable to decode \"STDIN\": json: cannot unmarshal number into Go value of type unstructured.detector",
        ),
    ] {
        assert_eq!(run(&mut shell, without_validation, Some(text), 1), [want], "{text}");
    }
    // The items of a typed list need neither `apiVersion` nor `kind`.
    let list = "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: z}}]";
    assert_eq!(
        run(&mut shell, "kubectl apply -f -", Some(list), 1),
        ["configmap/z created"]
    );
    assert_eq!(
        run(
            &mut shell,
            "kubectl replace -f -",
            Some("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: z}\nfoo: 1"),
            1
        ),
        [
            "!Error from server (BadRequest): error when replacing \"STDIN\": ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"foo\""
        ]
    );
}

#[test]
fn local_flag_changes_text_without_server() {
    let mut shell = shell();
    for (line, want) in [
        ("kubectl label --local -f - a=b", vec!["pod/p labeled"]),
        (
            "kubectl set image --local -f - z=x",
            vec!["!error: unable to find container named \"z\""],
        ),
        (
            "kubectl set image --local -f - c=x -o jsonpath={.metadata}{.spec.containers[*].image}",
            vec!["{\"labels\":{\"app\":\"p\"},\"name\":\"p\"}x"],
        ),
        (
            "kubectl patch --local -f - -p '{\"metadata\":{\"labels\":{\"app\":\"q\"}}}' -o jsonpath={.metadata.labels.app}",
            vec!["q"],
        ),
        (
            "kubectl set env --local -f - A=b -o jsonpath={.spec.containers[0].env[0].value}",
            vec!["b"],
        ),
        (
            "kubectl get pods p",
            vec!["!Error from server (NotFound): pods \"p\" not found"],
        ),
    ] {
        let text = line.contains("-f -").then_some(POD);
        assert_eq!(run(&mut shell, line, text, 0), want, "{line}");
    }
    assert_eq!(
        run(&mut shell, "kubectl label --local pod p a=b", None, 0),
        ["!error: can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set"]
    );
}

#[test]
fn printed_yaml_can_be_applied_again() {
    let mut shell = shell();
    for (line, want) in [
        (
            "kubectl create cm piped --from-literal=a=b --dry-run=client -o yaml | kubectl apply -f -",
            vec!["configmap/piped created"],
        ),
        ("kubectl get cm piped -o yaml | grep -w a: | tail -n 1", vec!["  a: b"]),
        (
            "kubectl get cm piped -o name | xargs kubectl delete",
            vec!["configmap \"piped\" deleted from default namespace"],
        ),
        ("kubectl create cm piped | grep -c created", vec!["1"]),
        (
            "cat <<EOF | kubectl apply -f -\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: here}\nEOF",
            vec!["configmap/here created"],
        ),
        (
            "kubectl get pods -w | kubectl apply -f -",
            vec!["!error: a pipe takes what is printed at once; this command's answer comes while time runs"],
        ),
    ] {
        assert_eq!(run(&mut shell, line, None, 1), want, "{line}");
    }
}

#[test]
fn logs_follow_until_container_exits() {
    let mut shell = shell();
    run(&mut shell, "kubectl create -f -", Some(POD), 5);
    assert_eq!(run(&mut shell, "kubectl logs -f p", None, 1), ["process started"]);
    assert_eq!(
        run(&mut shell, "kubectl delete pod p --grace-period=3", None, 10),
        [
            "received SIGTERM",
            "pod \"p\" deleted from default namespace",
            "exiting with code 0"
        ]
    );
    run(&mut shell, "kubectl create -f -", Some(POD), 5);
    assert_eq!(
        run(&mut shell, "kubectl logs -f p --prefix", None, 1),
        ["[pod/p/c] process started"]
    );
    assert_eq!(run(&mut shell, "stop", None, 1), ["!^C"]);
    assert_eq!(
        run(&mut shell, "kubectl delete pod p", None, 40),
        ["pod \"p\" deleted from default namespace"]
    );
}

/// A container that was never restarted has no previous log.
/// Shows: K-02
#[test]
fn previous_log_exists_after_restart() {
    let mut shell = shell();
    run(&mut shell, "kubectl create -f -", Some(POD), 5);
    assert_eq!(
        run(&mut shell, "kubectl logs p --previous", None, 1),
        ["!Error from server (BadRequest): previous terminated container \"c\" in pod \"p\" not found"]
    );
    run(&mut shell, "fault exit p c 3", None, 20);
    assert_eq!(
        run(&mut shell, "kubectl logs p --previous", None, 1),
        ["process started", "exiting with code 3"]
    );
}

#[test]
fn confirmation_is_read_from_standard_input() {
    let mut shell = shell();
    run(&mut shell, "kubectl create cm a", None, 1);
    let question = ["You are about to delete the following 1 resource(s):", "configmap/a"];
    for (answer, last) in [
        (None, "Do you want to continue? (y/N): deletion is cancelled"),
        (Some("x\ny\n"), "Do you want to continue? (y/N): deletion is cancelled"),
        (
            Some("y\n"),
            "Do you want to continue? (y/N): configmap \"a\" deleted from default namespace",
        ),
    ] {
        let printed = run(&mut shell, "kubectl delete cm a -i", answer, 1);
        assert_eq!(printed, [question[0], question[1], last], "{answer:?}");
    }
}

#[test]
fn set_last_applied_changes_annotation_only() {
    let mut shell = shell();
    let map = |value: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{k: {value}}}\n");
    run(&mut shell, "kubectl create cm a", None, 1);
    for (line, text, want) in [
        (
            "kubectl apply set-last-applied -f -",
            map("v"),
            "!error: no last-applied-configuration annotation found on resource: a, to create the annotation, run the command with --create-annotation",
        ),
        (
            "kubectl apply set-last-applied --create-annotation -f -",
            map("v"),
            "configmap/a configured",
        ),
        (
            "kubectl apply set-last-applied -f -",
            map("v"),
            "set-last-applied a: no changes required.",
        ),
        (
            "kubectl apply set-last-applied -f -",
            map("w"),
            "configmap/a configured",
        ),
        ("kubectl apply edit-last-applied cm/a", map("x"), "configmap/a edited"),
    ] {
        assert_eq!(run(&mut shell, line, Some(&text), 1), [want], "{line}");
    }
    assert_eq!(
        run(
            &mut shell,
            "kubectl apply view-last-applied cm a -o json | grep k",
            None,
            1
        ),
        ["        \"k\": \"x\"", "    \"kind\": \"ConfigMap\","]
    );
    assert_eq!(run(&mut shell, "kubectl get cm a -o jsonpath={.data}", None, 1), [""]);
}

#[test]
fn prune_deletes_objects_missing_from_text() {
    let mut shell = shell();
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{a: b}}}}\n");
    let prune = "kubectl apply --prune -l a=b -f -";
    let stdout_of =
        |lines: Vec<String>| -> Vec<String> { lines.into_iter().filter(|line| !line.starts_with('!')).collect() };
    assert_eq!(
        stdout_of(run(&mut shell, prune, Some(&map("one")), 1)),
        ["configmap/one created"]
    );
    let dry_run = run(&mut shell, &format!("{prune} --dry-run=client"), Some(&map("two")), 1);
    assert_eq!(
        stdout_of(dry_run),
        ["configmap/two created (dry run)", "configmap/one pruned (dry run)"]
    );
    // `apply --prune` does not delete objects that were never applied.
    run(&mut shell, "kubectl create -f -", Some(&map("made")), 1);
    assert_eq!(
        stdout_of(run(&mut shell, prune, Some(&map("two")), 1)),
        ["configmap/two created", "configmap/one pruned"]
    );
    assert_eq!(
        run(&mut shell, "kubectl get cm -l a=b -o name", None, 1),
        ["configmap/made", "configmap/two"]
    );
}

#[test]
fn wait_timeout_applies_to_all_objects_together() {
    let mut shell = shell();
    let gated = POD
        .replace("spec: {", "spec: {schedulingGates: [{name: a/b}], ")
        .replace("name: p,", "name: g,");
    run(&mut shell, "kubectl create -f -", Some(POD), 1);
    run(&mut shell, "kubectl create -f -", Some(&gated), 10);
    for (line, want) in [
        (
            "kubectl wait --for=condition=Ready pod/p pod/g --timeout=0",
            vec!["pod/p condition met", "!error: condition not met for pods/g"],
        ),
        (
            "kubectl wait --for=condition=Ready pod/g pod/p --timeout=1s",
            vec![
                "!timed out waiting for the condition on pods/g",
                "!timed out waiting for the condition on pods/p",
            ],
        ),
    ] {
        assert_eq!(run(&mut shell, line, None, 3), want, "{line}");
    }
}

#[test]
fn component_status_reports_crashed_scheduler() {
    let mut shell = shell();
    let line = "kubectl get cs scheduler -o jsonpath={.conditions[0].status}";
    let deprecated = "!Warning: v1 ComponentStatus is deprecated in v1.19+";
    assert_eq!(run(&mut shell, line, None, 1), [deprecated, "True"]);
    run(&mut shell, "fault crash scheduler", None, 30);
    assert_eq!(run(&mut shell, line, None, 1), [deprecated, "False"]);
}
