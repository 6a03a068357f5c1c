//! P-07: the command line, through the built binary: what goes to which
//! stream, and with which status. T-02: a scenario is one file. P-04: errors
//! have places.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run came to.
struct Run {
    status: i32,
    out: String,
    err: String,
}

fn podscope_with(args: &[&str], stdin: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_podscope"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A command that reads nothing may be gone already.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run {
        status: output.status.code().expect("a status, no signal"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

fn podscope(args: &[&str]) -> Run {
    podscope_with(args, "")
}

/// A file of a test of its own.
fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a writable directory");
    path.to_str().expect("a UTF-8 path").to_owned()
}

/// Status 0 and nothing on stderr; the answer is stdout.
fn good(args: &[&str]) -> String {
    let run = podscope(args);
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{args:?}");
    run.out
}

/// Status 2, nothing on stdout; the answer is stderr.
fn bad(args: &[&str]) -> String {
    let run = podscope(args);
    assert_eq!((run.status, run.out.as_str()), (2, ""), "{args:?}: {}", run.err);
    run.err
}

const SCENARIO: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: small}
spec:
  title: A small one
  seed: 7
  cluster: {zones: [a], nodesPerZone: 2}
  timeline:
  - {at: 20s, run: "fault partition a-1"}
  - {at: 25s, run: "kubectl delete pod web --grace-period=0 --force"}
  expect:
  - {at: 15s, object: Pod default/web, path: .status.phase, equals: Running}
  - {at: 30s, object: Pod default/web, exists: false}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeName: a-1
  tolerations: [{operator: Exists}]
  containers: [{name: app, image: nginx}]
"#;

/// P-07.
#[test]
fn every_command_has_help() {
    for command in ["run", "check", "explain", "search", "link", "bench"] {
        let help = good(&[command, "--help"]);
        assert!(help.contains(&format!("podscope {command} ")), "{command}: {help}");
        assert_eq!(help, good(&["help"]), "{command}");
    }
    assert_eq!(good(&["--help"]), good(&["-h"]));
    assert!(good(&["--version"]).starts_with("podscope "));
}

/// P-07.
#[test]
fn wrong_use_is_told_and_ends_with_2() {
    let path = file("usage.yaml", SCENARIO);
    for (args, want) in [
        (vec![], "a command is missing"),
        (vec!["frobnicate"], "there is no command \"frobnicate\""),
        (vec!["run"], "run needs a file"),
        (vec!["check"], "check needs a file"),
        (vec!["run", &path, "--sed", "1"], "--sed"),
        (
            vec!["run", &path, "--seed", "x"],
            "--seed takes a number from 0 to 18446744073709551615, not \"x\"",
        ),
        (
            vec!["run", &path, "--until", "5"],
            "--until takes a duration such as 45s or 5m, not \"5\"",
        ),
        (
            vec!["run", &path, "--at", "-5s"],
            "--at takes a duration such as 45s or 5m, not \"-5s\"",
        ),
        (
            vec!["run", &path, "-o", "xml"],
            "-o takes summary, objects, processes, trace or events, not \"xml\"",
        ),
        (vec!["search", &path], "search needs --seeds N"),
        (
            vec!["search", &path, "--seeds", "1", "--invariant", "x"],
            "there is no invariant \"x\"",
        ),
        (vec!["link"], "use: podscope link encode"),
        (
            vec!["explain"],
            "explain needs --cases FILE, or --cluster FILE and --pod NS/NAME",
        ),
        (vec!["bench"], "bench needs a workload: basic"),
        (vec!["bench", "slow"], "there is no workload \"slow\""),
        (vec!["bench", "basic", "--nodes", "many"], "\"many\" is not a number"),
    ] {
        let error = bad(&args);
        assert!(error.contains(want), "{args:?}: {error}");
        assert!(error.ends_with("see `podscope --help`\n"), "{args:?}: {error}");
    }
}

// P-07, T-02, K-01: one file holds objects, timeline and expectations; each output shows its part of the run.
#[test]
fn run_prints_what_was_asked_for() {
    let path = file("outputs.yaml", SCENARIO);
    let summary = good(&["run", &path]);
    assert!(summary.starts_with("A small one: seed 7, ran to "), "{summary}");
    assert_eq!(summary.matches("\nok     ").count(), 2, "{summary}");
    assert!(summary.contains("\ntrace: ") && summary.contains(" hash "), "{summary}");
    assert_eq!(summary, good(&["run", &path, "-o", "summary"]));

    let objects = good(&["run", &path, "-o", "objects", "--at", "15s"]);
    assert!(objects.starts_with("apiVersion: v1\nitems:\n"), "{objects}");
    let parsed = podscope_api::parse(&objects);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let names: Vec<String> = parsed
        .objects
        .iter()
        .map(|object| object.value.key().to_string())
        .collect();
    for want in ["a-1", "a-2", "default/web", "default"] {
        assert!(names.iter().any(|name| name == want), "{want} in {names:?}");
    }
    let later = podscope_api::parse(&good(&["run", &path, "-o", "objects", "--at", "30s"]));
    let kinds: Vec<podscope_api::Kind> = later.objects.iter().map(|object| object.value.kind()).collect();
    assert!(
        kinds.contains(&podscope_api::Kind::Node) && !kinds.contains(&podscope_api::Kind::Pod),
        "{kinds:?}"
    );

    // The forced deletion leaves the process behind: a ghost until the partition heals.
    let processes = |at: &str| -> Vec<Value> {
        let text = good(&["run", &path, "-o", "processes", "--at", at]);
        serde_json::from_str(&text).expect("a JSON list")
    };
    let ghost = |row: &Value| {
        (
            row["pod"].clone(),
            row["node"].clone(),
            row["container"].clone(),
            row["ghost"].clone(),
        )
    };
    let row = |ghost: bool| {
        (
            Value::from("web"),
            Value::from("a-1"),
            Value::from("app"),
            Value::from(ghost),
        )
    };
    assert_eq!(processes("15s").iter().map(ghost).collect::<Vec<_>>(), [row(false)]);
    assert_eq!(processes("30s").iter().map(ghost).collect::<Vec<_>>(), [row(true)]);
    assert!(
        processes("15s")[0]["startedAt"]
            .as_f64()
            .is_some_and(|at| at > 0.0 && at < 15.0)
    );
    assert_eq!(processes("15s")[0]["signals"], serde_json::json!([]));

    let trace: Vec<Value> = good(&["run", &path, "-o", "trace"])
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    let command = trace
        .iter()
        .filter(|record| record["what"] == "Command")
        .collect::<Vec<_>>();
    assert_eq!(command[0]["t"], 20.0);
    assert_eq!(command[0]["command"], "fault partition a-1");
    assert_eq!(command[1]["command"], "kubectl delete pod web --grace-period=0 --force");
    for (at, record) in trace.iter().enumerate() {
        assert_eq!(record["seq"], Value::from(at), "records are numbered in order");
    }
    let events = good(&["run", &path, "-o", "events"]);
    assert!(events.starts_with("NAMESPACE   LAST SEEN   TYPE "), "{events}");
    assert!(events.contains("pod/web"), "{events}");
}

// P-02, P-07: the prefix rule of the contract.
#[test]
fn options_of_output_change_nothing_of_the_run() {
    let path = file("prefix.yaml", SCENARIO);
    let long = good(&["run", &path, "-o", "trace", "--until", "60s"]);
    let short = good(&["run", &path, "-o", "trace", "--until", "19s"]);
    assert!(long.starts_with(&short) && short.len() < long.len());
    assert_eq!(
        long,
        good(&["run", &path, "-o", "trace", "--until", "60s", "--at", "10s"])
    );
    assert_eq!(
        long,
        good(&["run", &path, "-o", "trace", "--until", "60s", "--seed", "7"])
    );
    assert_ne!(
        long,
        good(&["run", &path, "-o", "trace", "--until", "60s", "--seed", "8"])
    );
}

// P-07, T-02: a failed expectation is status 1, and is named.
#[test]
fn a_failed_expectation_ends_with_1() {
    let path = file("fails.yaml", &SCENARIO.replace("equals: Running", "equals: Failed"));
    let run = podscope(&["run", &path]);
    assert_eq!(run.status, 1);
    let place = format!("{path}:13:5: spec.expect[0]: expectation failed: at 15s: ");
    assert!(run.err.starts_with(&place), "{}", run.err);
    assert_eq!(run.out.matches("\nFAILED ").count(), 1, "{}", run.out);
    let run = podscope(&["run", &path, "-o", "processes"]);
    assert_eq!(run.status, 1);
    assert!(run.err.starts_with(&place), "{}", run.err);
    // What lies after the end is skipped.
    let run = podscope(&["run", &path, "--until", "10s"]);
    assert_eq!(run.status, 0, "{}", run.out);
    assert!(run.out.contains("\nskip   "), "{}", run.out);
}

// P-04: every problem at once, with file, line, column and field, in the server's words; for `run` and `check` alike.
#[test]
fn errors_have_file_line_and_column() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: Web}\nspec:\n  containers:\n  - name: app\n  topologySpreadConstraints:\n  - {maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}\n";
    let path = file("bad.yaml", text);
    for command in ["check", "run"] {
        let errors = bad(&[command, &path]);
        let lines: Vec<&str> = errors.lines().collect();
        assert!(lines.len() >= 3, "{errors}");
        assert!(
            lines.iter().all(|line| line.starts_with(&format!("{path}:"))),
            "{errors}"
        );
        assert!(
            errors.contains(&format!(
                "{path}:8:15: spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"
            )),
            "{errors}"
        );
        assert!(errors.contains("spec.containers[0].image: Required value"), "{errors}");
        assert!(
            errors.contains(&format!("{path}:3:")) && errors.contains("metadata.name: Invalid value: \"Web\""),
            "{errors}"
        );
    }
    let broken = file("broken.yaml", "a: [1\nb: }\n");
    let errors = bad(&["check", &broken]);
    assert!(errors.starts_with(&format!("{broken}:")), "{errors}");
    // A command of a timeline is read at once, with its place.
    let command = file(
        "command.yaml",
        &SCENARIO.replace("fault partition a-1", "kubectl gett pods"),
    );
    let errors = bad(&["check", &command]);
    assert!(
        errors.starts_with(&format!("{command}:10:")) && errors.contains("unknown command \"gett\" for \"kubectl\""),
        "{errors}"
    );
}

/// P-07.
#[test]
fn check_says_nothing_of_a_good_file() {
    let path = file("good.yaml", SCENARIO);
    assert_eq!(good(&["check", &path]), "");
    // What is not simulated is said, and is no error.
    let stranger = file(
        "stranger.yaml",
        "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web}\n",
    );
    let run = podscope(&["check", &stranger]);
    assert_eq!((run.status, run.out.as_str()), (0, ""));
    assert!(run.err.contains("1 × Certificate (not simulated)"), "{}", run.err);
}

/// P-07.
#[test]
fn files_come_from_standard_input_too() {
    let path = file("stdin.yaml", SCENARIO);
    let piped = podscope_with(&["run", "-", "-o", "trace"], SCENARIO);
    assert_eq!((piped.status, piped.err.as_str()), (0, ""));
    assert_eq!(piped.out, good(&["run", &path, "-o", "trace"]));
    let broken = podscope_with(&["check", "-"], "kind: Pod\n");
    assert_eq!(broken.status, 2);
    assert!(broken.err.starts_with("stdin:1:"), "{}", broken.err);
    // Several files are read as one, in order.
    let manifest = file("more.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n");
    let objects = good(&["run", &path, &manifest, "-o", "objects", "--until", "1s"]);
    assert!(objects.contains("name: more\n"), "{objects}");
    let missing = podscope(&["run", "/nowhere/x.yaml", "/nowhere/y.yaml"]);
    assert_eq!((missing.status, missing.out.as_str()), (2, ""));
    assert_eq!(missing.err.lines().count(), 2, "{}", missing.err);
    assert!(missing.err.starts_with("/nowhere/x.yaml: "), "{}", missing.err);
    let path = file("latin.yaml", "");
    std::fs::write(&path, b"a: b\nc: \xff\n").expect("a writable directory");
    assert_eq!(
        bad(&["check", &path]),
        format!("{path}:2:1: the file is not UTF-8 text\n")
    );
}

// T-03: the limit of a link is the page's: a long one is given with a warning, one beyond it not at all.
#[test]
fn a_link_that_not_every_browser_opens_is_refused() {
    // Text that does not pack.
    let mut state = 7_u64;
    let mut noise = |bytes: usize| -> String {
        let mut digit = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[(state >> 58) as usize])
        };
        (0..bytes).map(|_| digit()).collect()
    };
    let mut map = |name: &str, bytes: usize| {
        let text = noise(bytes);
        file(
            name,
            &format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{x: \"{text}\"}}\n"),
        )
    };
    let long = podscope(&["link", "encode", &map("long.yaml", 30_000)]);
    assert_eq!(long.status, 0);
    assert!(long.out.len() > 2_000 && long.out.len() < 64_000, "{}", long.out.len());
    assert!(
        long.err.contains("some programs cut links off after 2000"),
        "{}",
        long.err
    );
    let error = bad(&["link", "encode", &map("longest.yaml", 90_000)]);
    assert!(error.contains("pass the files on"), "{error}");
}

// P-07, T-03: a link holds the files; what is no link is told.
#[test]
fn links_go_both_ways() {
    let path = file("link.yaml", SCENARIO);
    let link = good(&["link", "encode", &path]);
    assert!(link.starts_with("#s1:") && link.ends_with('\n'), "{link}");
    let decoded = good(&[
        "link",
        "decode",
        &format!("https://example.com/podscope/{}", link.trim()),
    ]);
    let again = file("decoded.yaml", &decoded);
    let hash = |path: &str| {
        let summary = good(&["run", path]);
        summary.lines().last().expect("the line of the trace").to_owned()
    };
    assert_eq!(hash(&path), hash(&again), "the same run");
    let seeded = good(&["link", "encode", &path, "--seed", "9"]);
    assert!(good(&["link", "decode", seeded.trim()]).contains("seed: 9\n"));
    for (text, want) in [("#s1:!!!", "link: "), ("nonsense", "link: "), ("#s9:AAAA", "link: ")] {
        let error = bad(&["link", "decode", text]);
        assert!(error.starts_with(want) && error.lines().count() == 1, "{text}: {error}");
    }
}

// LC-227, LC-228: of the containers that ended, the rule or policy of their own that decided about each.
#[test]
fn explain_says_which_restart_rule_matched() {
    let cluster = file(
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
    for (pod, told) in rows {
        let pod = format!("default/{pod}");
        let lines: Vec<String> = told
            .iter()
            .map(|(name, words)| format!("  {name}  {words}\n"))
            .collect();
        let text = good(&["explain", "--cluster", &cluster, "--pod", &pod]);
        let wanted = format!("\nContainers that ended\n{}", lines.concat());
        assert!(text.ends_with(&wanted), "{text}");
        let json = good(&["explain", "--cluster", &cluster, "--pod", &pod, "-o", "json"]);
        let json: Value = serde_json::from_str(&json).expect("JSON");
        for (name, words) in told {
            assert_eq!(json["restarted"][name], *words, "{json}");
        }
    }
}

// P-07, X-01: one decision, told as text or JSON; cases are printed or compared.
#[test]
fn explain_tells_one_decision() {
    let cluster = file(
        "cluster.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: \"1\", memory: 1Gi, pods: \"10\"}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: big}\nspec: {containers: [{name: c, image: x, resources: {requests: {cpu: \"2\"}}}]}\n",
    );
    let text = good(&["explain", "--cluster", &cluster, "--pod", "default/big"]);
    assert!(text.contains("Insufficient cpu") && text.contains("n1"), "{text}");
    let json = good(&["explain", "--cluster", &cluster, "--pod", "default/big", "-o", "json"]);
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "{json}");
    assert_eq!(
        bad(&["explain", "--cluster", &cluster, "--pod", "default/none"]),
        format!("{cluster}: no pod default/none\n")
    );

    let case = serde_json::json!({
        "name": "one", "tags": [],
        "objects": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}],
        "pod": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [{"name": "c", "image": "x"}]}},
    });
    let cases = file("cases.jsonl", &format!("{case}\n"));
    let decision = good(&["explain", "--cases", &cases]);
    let decided: Value = serde_json::from_str(&decision).expect("one JSON object a line");
    let with = |expect: &Value| {
        let mut case = case.clone();
        case["expect"] = expect.clone();
        format!("{case}\n")
    };
    let checked = file("checked.jsonl", &with(&decided));
    assert_eq!(
        good(&["explain", "--cases", &checked, "--check"]),
        "1 passed, 0 failed\n"
    );
    let mut wrong = decided.clone();
    wrong["node"] = Value::from("n9");
    let wrong = file("wrong.jsonl", &(with(&decided) + &with(&wrong)));
    let run = podscope(&["explain", "--cases", &wrong, "--check"]);
    assert_eq!(run.status, 1);
    assert!(
        run.out.starts_with("one: ") && run.out.ends_with("1 passed, 1 failed\n"),
        "{}",
        run.out
    );
    let broken = file("broken.jsonl", "{\n");
    let run = podscope(&["explain", "--cases", &broken]);
    assert_eq!(run.status, 2);
    assert!(run.err.starts_with(&format!("{broken}:1: ")), "{}", run.err);
}

// P-07: a search that finds nothing says so, prints nothing and ends well.
#[test]
fn search_says_when_nothing_broke() {
    let path = file("calm.yaml", SCENARIO);
    let run = podscope(&["search", &path, "--seeds", "2", "--invariant", "attach-cas"]);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{}", run.err);
    assert!(run.err.ends_with("no attach-cas in 2 seeds\n"), "{}", run.err);
}

/// P-07, F-20: what a search finds is a scenario and its link; both, run again, break the same invariant at the same
/// instant.
#[test]
fn what_a_search_finds_breaks_again() {
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
    assert_eq!(run.status, 1, "a bug, by a switch of history: {}", run.err);
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
    let opened = good(&["link", "decode", link]);
    for (name, text) in [("found.yaml", &run.out), ("linked.yaml", &opened)] {
        let again = podscope(&["run", &file(name, text)]);
        assert_eq!(again.status, 1, "{}", again.err);
        let same = |line: &&str| line.contains("force-authority") && line.contains(at);
        assert!(again.out.lines().any(|line| same(&line)), "{name}, {at}: {}", again.out);
    }
}

/// P-07.
#[test]
fn bench_prints_one_line() {
    let line = good(&["bench", "basic", "--nodes", "4", "--pods", "4", "--decisions", "2"]);
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words.len(), 6, "{line}");
    assert_eq!(&words[..4], ["basic", "nodes=4", "existing=4", "decisions=2"], "{line}");
    assert!(words[4].parse::<f64>().is_ok() && words[5] == "us/decision", "{line}");
}

/// P-10: for programs.
#[test]
fn the_shell_answers_each_request_with_one_line_of_json() {
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

/// P-10: for people and pipes.
#[test]
fn the_shell_works_in_a_pipe() {
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
