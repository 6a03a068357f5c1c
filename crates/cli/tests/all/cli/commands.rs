//! `podscope explain`, `search` and `shell`.

use super::*;

// For each container that ended, `explain` shows which restart rule or policy decided about its restart.
// Shows: LC-227, LC-228
#[test]
fn explain_shows_matched_restart_rule() {
    let cluster = write_file(
        "rules.yaml",
        r"
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: trained, uid: 11111111-2222-3333-4444-555555555551}
spec:
  nodeName: n1
  restartPolicy: Never
  containers:
  - name: train
    image: x
    restartPolicy: Never
    restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]
  - name: check
    image: x
    restartPolicy: Never
    restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]
  - {name: plain, image: x}
status:
  containerStatuses:
  - {name: train, image: x, restartCount: 1, state: {running: {}}, lastState: {terminated: {exitCode: 42}}}
  - {name: check, image: x, restartCount: 0, state: {terminated: {exitCode: 1}}}
  - {name: plain, image: x, restartCount: 0, state: {terminated: {exitCode: 1}}}
---
apiVersion: v1
kind: Pod
metadata: {name: anew, uid: 11111111-2222-3333-4444-555555555552}
spec:
  nodeName: n1
  containers:
  - name: watch
    image: x
    restartPolicy: Never
    restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [88]}}]
status:
  containerStatuses:
  - name: watch
    image: x
    restartCount: 1
    state: {waiting: {reason: ContainerCreating}}
    lastState: {terminated: {exitCode: 137, reason: RestartingAllContainers}}
",
    );
    let rows = [
        (
            "trained",
            vec![
                (
                    "train",
                    "exit code 42: restartPolicyRules[0] (Restart, exit code In [42]) starts it again",
                ),
                (
                    "check",
                    "exit code 1: no rule matches; its own restartPolicy Never leaves it ended",
                ),
            ],
        ),
        (
            "anew",
            vec![(
                "watch",
                "all containers of the pod begin anew, by watch's restartPolicyRules[0] (RestartAllContainers, exit code In [88])",
            )],
        ),
    ];
    for (pod, expected) in rows {
        let pod = format!("default/{pod}");
        let lines: Vec<String> = expected
            .iter()
            .map(|(name, words)| format!("  {name}  {words}\n"))
            .collect();
        let text = succeed(&["explain", "--cluster", &cluster, "--pod", &pod]);
        let section = format!("\nContainers that ended\n{}", lines.concat());
        assert!(text.ends_with(&section), "{text}");
        let json = succeed(&["explain", "--cluster", &cluster, "--pod", &pod, "-o", "json"]);
        let json: Value = serde_json::from_str(&json).expect("JSON");
        for (name, words) in expected {
            assert_eq!(json["restarted"][name], *words, "{json}");
        }
    }
}

// `explain` prints spread constraints, node verdicts and preemption as text, and as JSON with stable keys.
// Shows: P-07, S-14
#[test]
fn explain_prints_decision_as_text_and_json() {
    let node = |name: &str, zone: &str| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: {name}, labels: {{zone: {zone}}}}}, status: {{allocatable: {{cpu: '2', memory: 8Gi, pods: '10'}}}}}}\n---\n"
        )
    };
    let placed_pod = |name: &str, node: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{app: web}}}}, spec: {{nodeName: {node}, containers: [{{name: c, image: x, resources: {{requests: {{cpu: '2'}}}}}}]}}}}\n---\n"
        )
    };
    let world = [
        node("n1", "a"),
        node("n2", "b"),
        placed_pod("a", "n1"),
        placed_pod("b", "n2"),
    ]
    .concat();
    let spread = write_file(
        "spread.yaml",
        &format!(
            "{world}{{apiVersion: v1, kind: Pod, metadata: {{name: web, labels: {{app: web}}}}, spec: {{topologySpreadConstraints: [{{maxSkew: 1, minDomains: 4, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {{matchLabels: {{app: web}}}}}}], containers: [{{name: c, image: x}}]}}}}\n"
        ),
    );
    let text = succeed(&["explain", "--cluster", &spread, "--pod", "default/web"]);
    let expected = "
Spread over zone (DoNotSchedule, maxSkew 1, fewest 0: counts as 0, 2 of 4 domains)
  a  1  skew 2 with this pod  too many
  b  1  skew 2 with this pod  too many

Preemption: ending less important pods would not let the pod run on any node
  n1: no pod there is less important
  n2: no pod there is less important
";
    assert!(text.ends_with(expected), "{text}");
    let urgent = write_file(
        "urgent.yaml",
        &format!(
            "{world}{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: high}}, value: 9}}\n---\n{{apiVersion: v1, kind: Pod, metadata: {{name: web}}, spec: {{priorityClassName: high, containers: [{{name: c, image: x, resources: {{requests: {{cpu: '1'}}}}}}]}}}}\n"
        ),
    );
    let text = succeed(&["explain", "--cluster", &urgent, "--pod", "default/web"]);
    assert_eq!(
        text,
        "\
default/web waits: none of 2 nodes can take it. Of these: 2 too full for its requests. It may end a less important pod on n1 or n2 and take its room.
kube-scheduler says: 0/2 nodes are available: 2 Insufficient cpu.

Nodes
  n1  refused  NodeResourcesFit  has 0 of 2 cpu left, the pod asks for 1
  n2  refused  NodeResourcesFit  has 0 of 2 cpu left, the pod asks for 1

Preemption: 2 nodes would do without some less important pods; of these, several are equal and any may be taken
 *n1: victims default/a (priority 0); may stay: none; PodDisruptionBudgets violated: 0
 *n2: victims default/b (priority 0); may stay: none; PodDisruptionBudgets violated: 0
"
    );
    let json = succeed(&["explain", "--cluster", &urgent, "--pod", "default/web", "-o", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let keys = |value: &Value| -> Vec<String> { value.as_object().expect("an object").keys().cloned().collect() };
    assert_eq!(
        keys(&json),
        [
            "pod",
            "schedulerName",
            "priority",
            "verdict",
            "sentence",
            "hosts",
            "message",
            "plugins",
            "nodes",
            "preemption"
        ]
    );
    assert_eq!(
        keys(&json["nodes"][0]),
        ["name", "verdict", "plugin", "code", "reasons", "words"]
    );
    assert_eq!(json["nodes"][0]["verdict"], "refused");
    assert_eq!(
        keys(&json["preemption"]),
        ["words", "candidates", "chosen", "criterion"]
    );
    assert_eq!(json["preemption"]["criterion"], "tie");
}

// `explain` prints one decision as text or JSON; with `--cases` it prints many decisions, or compares them with the
// expected ones (P-07, X-01).
// Shows: P-07
#[test]
fn explain_prints_one_decision_and_checks_cases() {
    let cluster = write_file(
        "one-node.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: \"1\", memory: 1Gi, pods: \"10\"}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: big}\nspec: {containers: [{name: c, image: x, resources: {requests: {cpu: \"2\"}}}]}\n",
    );
    let text = succeed(&["explain", "--cluster", &cluster, "--pod", "default/big"]);
    assert!(text.contains("Insufficient cpu") && text.contains("n1"), "{text}");
    let json = succeed(&["explain", "--cluster", &cluster, "--pod", "default/big", "-o", "json"]);
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "{json}");
    let notice =
        "6 nodes are made beside the files' own 1; a Scenario with `cluster: {nodesPerZone: 0}` leaves them out";
    assert_eq!(
        fail(&["explain", "--cluster", &cluster, "--pod", "default/none"]),
        format!("{notice}\n{cluster}: no pod default/none\n")
    );

    let case = serde_json::json!({
        "name": "one", "tags": [],
        "objects": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}],
        "pod": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [{"name": "c", "image": "x"}]}},
    });
    let cases = write_file("cases.jsonl", &format!("{case}\n"));
    let decision = succeed(&["explain", "--cases", &cases]);
    let decided: Value = serde_json::from_str(&decision).expect("one JSON object per line");
    let case_with_expect = |expect: &Value| {
        let mut case = case.clone();
        case["expect"] = expect.clone();
        format!("{case}\n")
    };
    let checked = write_file("checked.jsonl", &case_with_expect(&decided));
    assert_eq!(
        succeed(&["explain", "--cases", &checked, "--check"]),
        "1 passed, 0 failed\n"
    );
    let mut wrong = decided.clone();
    wrong["node"] = Value::from("n9");
    let wrong = write_file("wrong.jsonl", &(case_with_expect(&decided) + &case_with_expect(&wrong)));
    let run = podscope(&["explain", "--cases", &wrong, "--check"]);
    assert_eq!(run.status, 1);
    assert!(
        run.out.starts_with("one: ") && run.out.ends_with("1 passed, 1 failed\n"),
        "{}",
        run.out
    );
    let broken = write_file("broken.jsonl", "{\n");
    let run = podscope(&["explain", "--cases", &broken]);
    assert_eq!(run.status, 2);
    assert!(run.err.starts_with(&format!("{broken}:1: ")), "{}", run.err);
}

// A search without a violation reports this on stderr, prints nothing to stdout and exits with status 0.
// Shows: P-07
#[test]
fn search_without_violation_exits_with_status_0() {
    let path = write_file("calm.yaml", TEST_SCENARIO);
    let run = podscope(&["search", &path, "--seeds", "2", "--invariant", "attach-cas"]);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{}", run.err);
    assert!(run.err.ends_with("no attach-cas in 2 seeds\n"), "{}", run.err);
}

/// A search prints the violating run as a scenario and a link. Both violate the same invariant at the same time when
/// they are run again.
/// Shows: P-07, F-20
#[test]
fn found_run_violates_same_invariant_when_replayed() {
    let switch = "node-controller-force-deletes";
    let run = podscope(&[
        "search",
        "--seeds",
        "6",
        "--history",
        switch,
        "--invariant",
        "force-authority",
    ]);
    assert_eq!(run.status, 1, "the historical switch causes a bug: {}", run.err);
    let found = run.err.lines().last().unwrap_or_default();
    assert!(
        found.starts_with("invariant force-authority broken at ") && found.contains("(cause: bug, "),
        "{}",
        run.err
    );
    let at = found.split_whitespace().nth(4).unwrap_or_default();
    let link = run
        .out
        .lines()
        .last()
        .and_then(|line| line.strip_prefix("# link: "))
        .expect("a link in the last line");
    let decoded = succeed(&["link", "decode", link]);
    for (name, text) in [("found.yaml", &run.out), ("linked.yaml", &decoded)] {
        let repeated = podscope(&["run", &write_file(name, text)]);
        assert_eq!(repeated.status, 1, "{}", repeated.err);
        let is_same_violation = |line: &&str| line.contains("force-authority") && line.contains(at);
        assert!(
            repeated.out.lines().any(|line| is_same_violation(&line)),
            "{name}, {at}: {}",
            repeated.out
        );
    }
}

/// `podscope shell --json`, for programs.
/// Shows: P-10
#[test]
fn shell_answers_each_request_with_one_json_line() {
    let requests = concat!(
        "{\"run\": \"kubectl create -f -\", \"stdin\": \"{apiVersion: v1, kind: Namespace, metadata: {name: x}}\", \"wait\": 1}\n",
        "{\"advance\": 2.5}\n",
        "{\"run\": \"kubectl get namespace x --no-headers\"}\n",
        "{\"run\": \"kubectl get namespace nope\"}\n",
        "{\"run\": \"nonsense\"}\n",
        "{\"advance\": -1}\n",
        "{\"advance\": 0}\n",
    );
    let run = podscope_with(&["shell", "--json"], requests);
    assert_eq!((run.status, run.err.as_str()), (0, ""));
    let answers: Vec<Value> = run
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let lines: Vec<String> = answers.iter().map(|answer| answer["lines"].to_string()).collect();
    assert_eq!(lines[0], r#"[[false,"namespace/x created"]]"#);
    assert_eq!((&answers[0]["t"], &answers[1]["t"]), (&1.0.into(), &3.5.into()));
    assert_eq!(lines[2], r#"[[false,"x     Active   3s"]]"#);
    assert_eq!(
        lines[3],
        r#"[[true,"Error from server (NotFound): namespaces \"nope\" not found"]]"#
    );
    for (answer, is_refused) in answers.iter().zip([false, false, false, false, true, true, false]) {
        assert_eq!(answer["refused"].is_string(), is_refused, "{answer}");
    }
    assert_eq!(answers.len(), 7);
}

/// `podscope shell` without `--json`, for people and pipes.
/// Shows: P-10
#[test]
fn shell_reads_commands_from_pipe() {
    let lines = concat!(
        "# a comment\n\n",
        "wait 3s\n",
        "kubectl apply -f - <<EOF\n",
        "{apiVersion: v1, kind: Namespace, metadata: {name: x}}\n",
        "EOF\n",
        "until 10s\n",
        "kubectl get namespace \\\n",
        "  x\n",
        "until 1s\n",
        "kubectl get pods",
    );
    let run = podscope_with(&["shell"], lines);
    assert_eq!(run.status, 0);
    assert_eq!(
        run.out,
        "namespace/x created\nNAME   STATUS   AGE\nx      Active   7s\n"
    );
    assert_eq!(
        run.err,
        "error: it is 10s already; time does not run backwards here\nNo resources found in default namespace.\n"
    );
}
