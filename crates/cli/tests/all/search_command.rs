//! Tests of `podscope search … -- COMMAND` with shell scripts instead of operators. Simulated time starts when the
//! script has ended.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::clients::{assert_replays, create_folder};

/// A scenario that expects that a pod does not restart, which fails if the pod's node loses power. With seed 1, and
/// with seed 2, exactly one of the generated faults causes this.
const NO_RESTART_EXPECTED: &str = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: s}
spec:
  search: {faults: [poweroff], horizon: 30s, max: 8}
  expect:
  - {at: 2m, object: Pod default/p, path: '.status.containerStatuses[0].restartCount', equals: 0}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeName: a-1
  containers: [{name: c, image: nginx}]
";

/// A scenario whose expectation no fault can break.
const SIX_NODES_EXPECTED: &str = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: s}
spec:
  expect:
  - {at: 1s, count: nodes, equals: 6}
";

/// A folder that contains a scenario.
struct SearchFixture(PathBuf);

impl SearchFixture {
    fn new(name: &str, scenario: &str) -> SearchFixture {
        let folder = create_folder(name);
        std::fs::write(folder.join("scenario.yaml"), scenario).expect("it is written");
        SearchFixture(folder)
    }

    /// Creates the command of a search with a script as its client.
    fn command(&self, options: &[&str], script: &str) -> Command {
        let mut search = crate::podscope_command();
        search.current_dir(&self.0).args(["search", "scenario.yaml"]);
        search.args(options).args(["--", "sh", "-c", script]);
        search
    }

    fn search(&self, options: &[&str], script: &str) -> SearchOutput {
        SearchOutput::of(&self.command(options, script).output().expect("it runs"))
    }
}

/// The exit status and output of a search.
struct SearchOutput {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl SearchOutput {
    fn of(output: &Output) -> SearchOutput {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        SearchOutput {
            status: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Returns the faults of the printed run in order.
    fn faults(&self) -> Vec<&str> {
        let lines = self.stdout.lines();
        lines
            .filter_map(|line| line.trim().strip_prefix("run: fault "))
            .collect()
    }
}

#[test]
fn search_removes_faults_not_needed_for_failure() {
    let fixture = SearchFixture::new("search-shrinks", NO_RESTART_EXPECTED);
    let options = ["--seeds", "1", "--from", "1", "--speed", "10000"];
    let whole = fixture.search(&[&options[..], &["--repetitions", "0"]].concat(), "true");
    assert_eq!(whole.faults().len(), 16, "{}", whole.stdout);
    let shrunk = fixture.search(&[&options[..], &["--repetitions", "2"]].concat(), "true");
    assert_eq!(shrunk.status, Some(1), "{}", shrunk.stderr);
    assert_eq!(shrunk.faults(), ["poweroff a-1", "boot a-1"], "{}", shrunk.stdout);
    assert!(
        shrunk
            .stderr
            .contains("1 of 8 faults are left, 0 of them without repair: with these the run failed 2 of 2 times"),
        "{}",
        shrunk.stderr
    );
    assert_replays(&shrunk.stdout, &fixture.0, "expectation failed");
}

/// The script succeeds only in the first run. In every repetition it exits with status 3, so the failed expectation is
/// not reproduced.
#[test]
fn search_keeps_faults_if_failure_is_not_reproduced() {
    let fixture = SearchFixture::new("search-keeps", NO_RESTART_EXPECTED);
    let options = ["--seeds", "1", "--from", "1", "--speed", "1000"];
    let found = fixture.search(&options, "test -e worked && exit 3; touch worked");
    assert_eq!(found.status, Some(1), "{}", found.stderr);
    assert_eq!(found.faults().len(), 16, "{}", found.stdout);
    assert!(
        found.stderr.contains("none of the 8 faults could be left out"),
        "{}",
        found.stderr
    );
}

#[test]
fn sharded_searches_with_command_are_merged() {
    let fixture = SearchFixture::new("search-shards", NO_RESTART_EXPECTED);
    let shard = |shard: &str| {
        let options = ["--seeds", "3", "--from", "1", "--speed", "10000", "--shard", shard];
        let json = ["-o", "json", "--repetitions", "1"];
        let found = fixture.search(&[&options[..], &json].concat(), "echo $PODSCOPE_SEED >> seeds");
        assert_eq!(found.status, Some(1), "{}", found.stderr);
        let name = format!("{}.json", &shard[..1]);
        std::fs::write(fixture.0.join(&name), &found.stdout).expect("it is written");
        let result: Value = serde_json::from_str(&found.stdout).expect("JSON");
        (name, result)
    };
    let (first, second) = (shard("1/2"), shard("2/2"));
    assert_eq!(second.1["shortest"]["size"][0], 1, "{}", second.1);
    assert!(second.1["shortest"]["link"].is_string() && second.1["wanted"] == "failed run");
    let seeds = std::fs::read_to_string(fixture.0.join("seeds")).expect("the command ran");
    assert!(
        seeds.lines().next() == Some("1") && seeds.lines().last() == Some("2"),
        "{seeds}"
    );
    let merged = crate::podscope_command()
        .current_dir(&fixture.0)
        .args(["merge", &first.0, &second.0])
        .output();
    let merged = SearchOutput::of(&merged.expect("it runs"));
    assert_eq!(merged.status, Some(1));
    assert!(
        merged.stderr.starts_with("2 seeds, something broke in 2"),
        "{}",
        merged.stderr
    );
    assert_replays(&merged.stdout, &fixture.0, "expectation failed");
}

/// A background process holds a pipe open until it is killed; if it survives, it writes to the pipe.
#[test]
fn background_process_ends_when_its_run_or_search_ends() {
    const SCRIPT: &str = "exec 3> pipe; echo started >&3; (sleep 60; echo survived >&3) &";
    for (speed, is_killed) in [("10000", false), ("0.001", true)] {
        let fixture = SearchFixture::new("search-processes", SIX_NODES_EXPECTED);
        let made = Command::new("mkfifo").arg(fixture.0.join("pipe")).status();
        assert!(made.expect("mkfifo runs").success());
        let mut search = fixture.command(&["--seeds", "1", "--speed", speed], SCRIPT);
        let mut search = search.stderr(Stdio::null()).spawn().expect("it runs");
        let mut pipe = BufReader::new(File::open(fixture.0.join("pipe")).expect("the command opens it"));
        let mut line = String::new();
        pipe.read_line(&mut line).expect("a line");
        assert_eq!(line, "started\n");
        if is_killed {
            search.kill().expect("it runs");
        }
        let mut rest = String::new();
        pipe.read_to_string(&mut rest).expect("text");
        assert_eq!(rest, "", "speed {speed}");
        assert_eq!(search.wait().expect("it ends").success(), !is_killed);
    }
}

#[test]
fn search_with_failing_command_shows_its_output() {
    let fixture = SearchFixture::new("search-failing", SIX_NODES_EXPECTED);
    let failing = fixture.search(&["--seeds", "2", "--speed", "1"], "echo $PODSCOPE_SEED is bad; exit 3");
    assert!(
        failing.status == Some(2) && failing.stderr.contains("0 is bad"),
        "{}",
        failing.stderr
    );
    let passing = fixture.search(&["--seeds", "2", "--speed", "10000"], "test -s \"$KUBECONFIG\"");
    assert!(
        passing.status == Some(0) && passing.stderr.contains("no failed run in 2 seeds"),
        "{}",
        passing.stderr
    );
}

#[test]
fn search_refuses_missing_goal_and_options_without_command() {
    let fixture = SearchFixture::new("search-options", SIX_NODES_EXPECTED);
    let without_goal = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/tests/all/kubectl/draws.yaml");
    std::fs::copy(without_goal, fixture.0.join("scenario.yaml")).expect("it is copied");
    let refused = fixture.search(&["--seeds", "1"], "true");
    assert!(
        refused.status == Some(2) && refused.stderr.contains("nothing can fail"),
        "{}",
        refused.stderr
    );
    for option in ["--speed", "--repetitions"] {
        let mut search = crate::podscope_command();
        search.args(["search", "--seeds", "1", option, "2"]);
        let refused = SearchOutput::of(&search.output().expect("it runs"));
        assert!(
            refused.status == Some(2) && refused.stderr.contains("<COMMAND>"),
            "{option}: {}",
            refused.stderr
        );
    }
}
