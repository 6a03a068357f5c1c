//! P-07: the command line, through the built binary: what goes to which
//! stream, and with which status. T-02: a scenario is one file. P-04: errors
//! have places.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

mod advice;
mod commands;
mod compare;
mod merge;
mod whatif;

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

/// Status 0 and nothing on stderr, but for the notices of `explain`; the answer is stdout.
fn good(args: &[&str]) -> String {
    let run = podscope(args);
    let is_quiet = run.err.is_empty() || args.first() == Some(&"explain");
    assert!(run.status == 0 && is_quiet, "{args:?}: {} {}", run.status, run.err);
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

/// Shows: P-07
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

/// Shows: P-07
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
            "-o takes summary, objects, processes, trace, events, causes or requests, not \"xml\"",
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

// One file holds objects, timeline and expectations; each output shows its part of the run.
// Shows: P-07, K-01, T-02
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

// The prefix rule of the contract.
// Shows: P-02, P-07
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

// A failed expectation is status 1, and is named.
// Shows: P-07, T-02
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

// Every problem at once, with file, line, column and field, in the server's words; for `run` and `check` alike.
// Shows: P-04
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

/// Shows: P-07
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

/// Shows: P-07
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
        format!("{path}:2:1: the file is neither UTF-8 nor UTF-16 text\n")
    );
}

// The limit of a link is the page's: a long one is given with a warning, one beyond it not at all.
// Shows: T-03
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

// A link holds the files; what is no link is told.
// Shows: P-07, T-03
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

/// Shows: P-07
#[test]
fn bench_prints_one_line() {
    let line = good(&["bench", "basic", "--nodes", "4", "--pods", "4", "--decisions", "2"]);
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words.len(), 6, "{line}");
    assert_eq!(&words[..4], ["basic", "nodes=4", "existing=4", "decisions=2"], "{line}");
    assert!(words[4].parse::<f64>().is_ok() && words[5] == "us/decision", "{line}");
}
