//! Creates the links of `tests/fixtures/links` and the text files with their content. An existing link is never
//! recreated, because old links must open for ever (T-03).

use std::fs;

use podscope_cluster::{SimTime, Span};
use podscope_kubectl::command;
use podscope_session::link::{Link, MAX_DOCUMENT_BYTES};
use podscope_session::timeline::{MAX_COMMANDS, Session};
use podscope_session::{lessons, scenario};
use podscope_tests::links::link_content;
use podscope_tests::root;

const SCENARIO: &str = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: shared}
spec:
  title: A shared experiment
  seed: 11
  cluster: {zones: [a, b], nodesPerZone: 1, node: {cpu: 2}}
  timeline: [{at: 5s, run: \"fault partition b-1\"}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: nginx}]}}
";

const UNICODE_SCENARIO: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {who: \"Grüße, 世界 😀 \\u202e\\\"<b>\"}}
spec: {containers: [{name: c, image: nginx}]}
";

fn session_after(text: &str, timed_commands: &[(i64, &str)]) -> Session {
    let name = if text == UNICODE_SCENARIO {
        "übung.yaml"
    } else {
        "shared.yaml"
    };
    seek_and_run_commands(
        scenario::load(&[(name.to_owned(), text.to_owned())]).expect("the scenario must load"),
        timed_commands,
    )
}

/// Seeks to the instant of each command (in seconds), forwards or backwards, and runs the command.
fn seek_and_run_commands(loaded: scenario::Loaded, timed_commands: &[(i64, &str)]) -> Session {
    let mut session = Session::new(loaded).expect("the session must start");
    for (seconds, line) in timed_commands {
        let at = SimTime::from_seconds(*seconds);
        session.seek(at);
        session.advance(at, u64::MAX);
        session.command(command::parse(line).expect("a command")).expect("room");
    }
    session.advance(session.now() + Span::seconds(10), u64::MAX);
    session
}

fn main() {
    let lesson = seek_and_run_commands(
        lessons::load("partition-statefulset").expect("a lesson"),
        &[
            (20, "fault partition a-1"),
            (90, "kubectl get pods -o wide"),
            (100, "kubectl delete pod web-0 --force --grace-period=0"),
        ],
    );
    let largest = Link {
        screen: "x".repeat(MAX_DOCUMENT_BYTES),
        cursor: 10_500_000,
        commands: (0..MAX_COMMANDS)
            .map(|at| (1_000_000, format!("kubectl label node a-1 step={at} --overwrite")))
            .collect(),
        ..Link::of_files(vec![("shared.yaml".into(), SCENARIO.into())], u64::MAX)
    };
    let too_long = serde_json::to_string(&largest).expect("a document").len() - MAX_DOCUMENT_BYTES;
    let links = [
        ("plain", Link::of(&session_after(SCENARIO, &[]), None, String::new())),
        ("lesson", Link::of(&lesson, Some("partition-statefulset"), "{\"selected\":\"pod/default/web-0\"}".into())),
        ("fork", Link::of(&session_after(SCENARIO, &[(30, "fault heal b-1"), (60, "kubectl scale deploy/web --replicas=4"), (20, "kubectl cordon a-1")]), None, String::new())),
        ("unicode", Link::of(&session_after(UNICODE_SCENARIO, &[(5, "kubectl annotate pod p note='Grüße 😀' --overwrite")]), None, "ü😀".into())),
        ("files", Link::of_files(vec![("a.yaml".into(), SCENARIO.into()), ("b.json".into(), "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}".into())], 3)),
        ("largest", Link { screen: "x".repeat(MAX_DOCUMENT_BYTES - too_long), ..largest }),
    ];
    let dir = root().join("tests/fixtures/links");
    for (name, link) in links {
        let path = dir.join(format!("{name}.link"));
        if path.exists() {
            continue;
        }
        let text = link.encode();
        let content = link_content(&text).expect("a link that opens");
        let written = fs::create_dir_all(&dir)
            .and_then(|()| fs::write(&path, &text))
            .and_then(|()| fs::write(dir.join(format!("{name}.txt")), content));
        println!("{}: {} characters {written:?}", path.display(), text.len());
    }
}
