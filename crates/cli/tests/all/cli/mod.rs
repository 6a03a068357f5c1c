//! Tests of the built `podscope` binary: its output on stdout and stderr, and its exit status (P-07). A scenario is one
//! file (T-02). Error messages contain file, line and column (P-04).

use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::Value;

mod advice;
mod commands;
mod compare;
mod devices;
mod help;
mod language;
mod merge;
#[cfg(unix)]
mod plugin;
mod whatif;

/// Result of a finished command.
struct Run {
    status: i32,
    out: String,
    err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Self {
            status: output.status.code().expect("an exit status, not a signal"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

fn podscope_with(args: &[&str], stdin: &str) -> Run {
    let mut child = crate::podscope_command()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // Writing fails if the command reads no input and has already exited; this is not an error.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
    child.wait_with_output().expect("the command exits").into()
}

fn podscope(args: &[&str]) -> Run {
    podscope_with(args, "")
}

/// Writes an input file and returns its path. Each test uses its own file names.
fn write_file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a writable directory");
    path.to_str().expect("a UTF-8 path").to_owned()
}

/// Asserts status 0 and an empty stderr, except for the notices of `explain`. Returns stdout.
fn succeed(args: &[&str]) -> String {
    let run = podscope(args);
    let is_quiet = run.err.is_empty() || args.first() == Some(&"explain");
    assert!(run.status == 0 && is_quiet, "{args:?}: {} {}", run.status, run.err);
    run.out
}

/// Asserts status 2 and an empty stdout. Returns stderr.
fn fail(args: &[&str]) -> String {
    let run = podscope(args);
    assert_eq!((run.status, run.out.as_str()), (2, ""), "{args:?}: {}", run.err);
    run.err
}

const TEST_SCENARIO: &str = r#"
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

/// Shows: P-07
#[test]
fn usage_errors_exit_with_status_2() {
    let path = write_file("usage.yaml", TEST_SCENARIO);
    for (args, want) in [
        (vec!["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (vec!["serch"], "some similar subcommands exist"),
        (vec!["run"], "required arguments were not provided:\n  <FILE>..."),
        (vec!["check"], "required arguments were not provided:\n  <FILE>..."),
        (vec!["run", &path, "--sed", "1"], "a similar argument exists: '--seed'"),
        (
            vec!["run", &path, "--seed", "x"],
            "invalid value 'x' for '--seed <SEED>': not a number from 0 to 18446744073709551615",
        ),
        (
            vec!["run", &path, "--until", "5"],
            "invalid value '5' for '--until <DURATION>': not a duration such as 45s or 5m",
        ),
        (
            vec!["run", &path, "--at", "-5s"],
            "invalid value '-5s' for '--at <DURATION>': not a duration such as 45s or 5m",
        ),
        (
            vec!["run", &path, "-o", "xml"],
            "possible values: summary, objects, processes, trace, events, causes, requests",
        ),
        (vec!["run", &path, "-o", "causes"], "-o causes needs --object"),
        (vec!["search", &path], "--seeds <N>"),
        (
            vec!["search", "--seeds", "1", "--invariant", "single-writter"],
            "a similar value exists: 'single-writer'",
        ),
        (vec!["explain"], "<--cluster <FILE>...|--cases <FILE.jsonl[.gz]>>"),
        (vec!["explain", "--cluster", &path], "--pod <NAMESPACE/NAME>"),
        (vec!["serve", "--listen", "0.0.0.0"], "--token <TOKEN>"),
        (vec!["serve", "--token", "t"], "--listen <IP>"),
        (
            vec!["serve", "--listen", "0.0.0.0:80", "--token", "t"],
            "invalid value '0.0.0.0:80' for '--listen <IP>'",
        ),
        (
            vec!["serve", "--listen", "0.0.0.0", "--token", "a b"],
            "a token is letters, digits and -._~+/, without spaces",
        ),
        (vec!["bench", "slow"], "possible values: basic, "),
        (vec!["bench", "basic", "--nodes", "many"], "invalid value 'many'"),
    ] {
        let error = fail(&args);
        assert!(error.contains(want), "{args:?}: {error}");
        assert!(
            error.ends_with("For more information, try '--help'.\n"),
            "{args:?}: {error}"
        );
    }
}

/// A command without its subcommand prints its help, as an error.
/// Shows: P-07
#[test]
fn missing_subcommand_prints_help_to_stderr() {
    for args in [&[][..], &["link"], &["whatif"]] {
        let error = fail(args);
        assert!(error.contains("\nCommands:\n"), "{args:?}: {error}");
    }
}

// One file contains objects, timeline and expectations; each output option prints its part of the run.
// Shows: P-07, K-01, T-02
#[test]
fn run_prints_requested_output() {
    let path = write_file("outputs.yaml", TEST_SCENARIO);
    let summary = succeed(&["run", &path]);
    assert!(summary.starts_with("A small one: seed 7, ran to "), "{summary}");
    assert_eq!(summary.matches("\nok     ").count(), 2, "{summary}");
    assert!(summary.contains("\ntrace: ") && summary.contains(" hash "), "{summary}");
    assert_eq!(summary, succeed(&["run", &path, "-o", "summary"]));

    let objects = succeed(&["run", &path, "-o", "objects", "--at", "15s"]);
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
    let later = podscope_api::parse(&succeed(&["run", &path, "-o", "objects", "--at", "30s"]));
    let kinds: Vec<podscope_api::Kind> = later.objects.iter().map(|object| object.value.kind()).collect();
    assert!(
        kinds.contains(&podscope_api::Kind::Node) && !kinds.contains(&podscope_api::Kind::Pod),
        "{kinds:?}"
    );

    // After a forced deletion during a partition, the process continues to run as a ghost until the partition heals.
    let processes = |at: &str| -> Vec<Value> {
        let text = succeed(&["run", &path, "-o", "processes", "--at", at]);
        serde_json::from_str(&text).expect("a JSON list")
    };
    let pod_and_ghost = |row: &Value| {
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
    assert_eq!(
        processes("15s").iter().map(pod_and_ghost).collect::<Vec<_>>(),
        [row(false)]
    );
    assert_eq!(
        processes("30s").iter().map(pod_and_ghost).collect::<Vec<_>>(),
        [row(true)]
    );
    assert!(
        processes("15s")[0]["startedAt"]
            .as_f64()
            .is_some_and(|at| at > 0.0 && at < 15.0)
    );
    assert_eq!(processes("15s")[0]["signals"], serde_json::json!([]));

    let trace: Vec<Value> = succeed(&["run", &path, "-o", "trace"])
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object per line"))
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
    let events = succeed(&["run", &path, "-o", "events"]);
    assert!(events.starts_with("NAMESPACE   LAST SEEN   TYPE "), "{events}");
    assert!(events.contains("pod/web"), "{events}");
}

// A shorter run is a prefix of a longer one; the output options do not influence the run.
// Shows: P-02, P-07
#[test]
fn output_options_do_not_change_the_run() {
    let path = write_file("prefix.yaml", TEST_SCENARIO);
    let long = succeed(&["run", &path, "-o", "trace", "--until", "60s"]);
    let short = succeed(&["run", &path, "-o", "trace", "--until", "19s"]);
    assert!(long.starts_with(&short) && short.len() < long.len());
    assert_eq!(
        long,
        succeed(&["run", &path, "-o", "trace", "--until", "60s", "--at", "10s"])
    );
    assert_eq!(
        long,
        succeed(&["run", &path, "-o", "trace", "--until", "60s", "--seed", "7"])
    );
    assert_ne!(
        long,
        succeed(&["run", &path, "-o", "trace", "--until", "60s", "--seed", "8"])
    );
}

// A failed expectation is reported with its position in the file, and the exit status is 1.
// Shows: P-07, T-02
#[test]
fn failed_expectation_exits_with_status_1() {
    let path = write_file(
        "fails.yaml",
        &TEST_SCENARIO.replace("equals: Running", "equals: Failed"),
    );
    let run = podscope(&["run", &path]);
    assert_eq!(run.status, 1);
    let place = format!("{path}:13:5: spec.expect[0]: expectation failed: at 15s: ");
    assert!(run.err.starts_with(&place), "{}", run.err);
    assert_eq!(run.out.matches("\nFAILED ").count(), 1, "{}", run.out);
    let run = podscope(&["run", &path, "-o", "processes"]);
    assert_eq!(run.status, 1);
    assert!(run.err.starts_with(&place), "{}", run.err);
    // Expectations after the end of the run are skipped.
    let run = podscope(&["run", &path, "--until", "10s"]);
    assert_eq!(run.status, 0, "{}", run.out);
    assert!(run.out.contains("\nskip   "), "{}", run.out);
}

// All problems are reported at once, with file, line, column and field and the message of the API server, by both `run`
// and `check`.
// Shows: P-04
#[test]
fn errors_have_file_line_and_column() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: Web}\nspec:\n  containers:\n  - name: app\n  topologySpreadConstraints:\n  - {maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}\n";
    let path = write_file("bad.yaml", text);
    for command in ["check", "run"] {
        let errors = fail(&[command, &path]);
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
    let broken = write_file("broken.yaml", "a: [1\nb: }\n");
    let errors = fail(&["check", &broken]);
    assert!(errors.starts_with(&format!("{broken}:")), "{errors}");
    // A malformed command in the timeline is reported before the run, with its position in the file.
    let command = write_file(
        "command.yaml",
        &TEST_SCENARIO.replace("fault partition a-1", "kubectl gett pods"),
    );
    let errors = fail(&["check", &command]);
    assert!(
        errors.starts_with(&format!("{command}:10:")) && errors.contains("unknown command \"gett\" for \"kubectl\""),
        "{errors}"
    );
}

/// Shows: P-07
#[test]
fn check_of_valid_file_prints_nothing() {
    let path = write_file("good.yaml", TEST_SCENARIO);
    assert_eq!(succeed(&["check", &path]), "");
    // An object of a kind that is not simulated causes a notice, not an error.
    let unsupported = write_file(
        "stranger.yaml",
        "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web}\n",
    );
    let run = podscope(&["check", &unsupported]);
    assert_eq!((run.status, run.out.as_str()), (0, ""));
    assert!(run.err.contains("1 × Certificate (not simulated)"), "{}", run.err);
}

/// Shows: P-07
#[test]
fn files_are_read_from_standard_input() {
    let path = write_file("stdin.yaml", TEST_SCENARIO);
    let piped = podscope_with(&["run", "-", "-o", "trace"], TEST_SCENARIO);
    assert_eq!((piped.status, piped.err.as_str()), (0, ""));
    assert_eq!(piped.out, succeed(&["run", &path, "-o", "trace"]));
    let broken = podscope_with(&["check", "-"], "kind: Pod\n");
    assert_eq!(broken.status, 2);
    assert!(broken.err.starts_with("stdin:1:"), "{}", broken.err);
    // Several files are read as one scenario, in order.
    let manifest = write_file("more.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n");
    let objects = succeed(&["run", &path, &manifest, "-o", "objects", "--until", "1s"]);
    assert!(objects.contains("name: more\n"), "{objects}");
    let missing = podscope(&["run", "/nowhere/x.yaml", "/nowhere/y.yaml"]);
    assert_eq!((missing.status, missing.out.as_str()), (2, ""));
    assert_eq!(missing.err.lines().count(), 2, "{}", missing.err);
    assert!(missing.err.starts_with("/nowhere/x.yaml: "), "{}", missing.err);
    let path = write_file("latin.yaml", "");
    std::fs::write(&path, b"a: b\nc: \xff\n").expect("a writable directory");
    assert_eq!(
        fail(&["check", &path]),
        format!("{path}:2:1: the file is neither UTF-8 nor UTF-16 text\n")
    );
}

// Links have the same limits as on the page: a long link causes a warning, and a link above the limit an error.
// Shows: T-03
#[test]
fn too_long_link_is_rejected() {
    // Random text, which cannot be compressed.
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
    let mut config_map = |name: &str, bytes: usize| {
        let text = noise(bytes);
        write_file(
            name,
            &format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{x: \"{text}\"}}\n"),
        )
    };
    let long = podscope(&["link", "encode", &config_map("long.yaml", 30_000)]);
    assert_eq!(long.status, 0);
    assert!(long.out.len() > 2_000 && long.out.len() < 64_000, "{}", long.out.len());
    assert!(
        long.err.contains("some programs cut links off after 2000"),
        "{}",
        long.err
    );
    let error = fail(&["link", "encode", &config_map("longest.yaml", 90_000)]);
    assert!(error.contains("pass the files on"), "{error}");
}

// A link contains the files; text that is not a link is rejected.
// Shows: P-07, T-03
#[test]
fn decoded_link_runs_identically() {
    let path = write_file("link.yaml", TEST_SCENARIO);
    let link = succeed(&["link", "encode", &path]);
    assert!(link.starts_with("#s1:") && link.ends_with('\n'), "{link}");
    let decoded = succeed(&[
        "link",
        "decode",
        &format!("https://example.com/podscope/{}", link.trim()),
    ]);
    let decoded_file = write_file("decoded.yaml", &decoded);
    let trace_line = |path: &str| {
        let summary = succeed(&["run", path]);
        summary.lines().last().expect("the line with the trace hash").to_owned()
    };
    assert_eq!(trace_line(&path), trace_line(&decoded_file), "the same run");
    let seeded = succeed(&["link", "encode", &path, "--seed", "9"]);
    assert!(succeed(&["link", "decode", seeded.trim()]).contains("seed: 9\n"));
    for (text, want) in [("#s1:!!!", "link: "), ("nonsense", "link: "), ("#s9:AAAA", "link: ")] {
        let error = fail(&["link", "decode", text]);
        assert!(error.starts_with(want) && error.lines().count() == 1, "{text}: {error}");
    }
}

/// Shows: P-07
#[test]
fn bench_prints_one_line() {
    let line = succeed(&["bench", "basic", "--nodes", "4", "--pods", "4", "--decisions", "2"]);
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words.len(), 6, "{line}");
    assert_eq!(&words[..4], ["basic", "nodes=4", "existing=4", "decisions=2"], "{line}");
    assert!(words[4].parse::<f64>().is_ok() && words[5] == "us/decision", "{line}");
}
