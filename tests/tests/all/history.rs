//! Recorded histories open as timelines (P-15): watch streams, audit logs, kwokctl recordings and SimKube traces.

use podscope_api::{Kind, Node, ObjectKey, Pod};
use podscope_cluster::SimTime;
use podscope_kubectl::command::{self, Command};
use podscope_session::link::{self, Link};
use podscope_session::scenario::{self, File, Loaded};
use podscope_session::timeline::{Session, Slice};
use podscope_session::{export, report};
use podscope_tests::{notices_of, root};
use serde_json::Value;

fn read_history(name: &str) -> File {
    let path = root().join("tests/histories").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (name.to_owned(), text)
}

fn load(files: &[File]) -> Loaded {
    scenario::load(files).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Returns for each entry of the timeline its time in seconds and the first line of its command, or method and path of
/// its API call.
fn timeline_lines(loaded: &Loaded) -> Vec<String> {
    let entries = loaded.scenario.timeline.iter().map(|timed| {
        let what = match &timed.command {
            Command::Api(call) => format!("{} {}", call.method.as_str(), call.path),
            command => command.to_string().lines().next().unwrap_or_default().to_owned(),
        };
        format!("{} {what}", timed.at.0 as f64 / 1e6)
    });
    entries.collect()
}

/// Formats an entry of the timeline, with the command in its canonical form.
fn timeline_line(at: &str, line: &str) -> String {
    let command = command::parse(line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
    format!("{at} {command}")
}

fn new_session(loaded: Loaded) -> Session {
    Session::new(loaded).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn advance(session: &mut Session, seconds: i64) {
    assert_eq!(session.advance(SimTime::from_seconds(seconds), u64::MAX), Slice::Done);
}

/// Returns the commands that the cluster refused.
fn refused_commands(session: &Session) -> Vec<String> {
    let text = report::trace(session.trace());
    let lines = text
        .lines()
        .filter(|line| line.contains("\"what\":\"Command\"") && line.contains("\"error\""));
    lines.map(str::to_owned).collect()
}

fn n_pods(session: &Session) -> usize {
    session.world().objects().list::<Pod>().count()
}

fn ready_status(session: &Session, node: &str) -> String {
    let node = session.world().objects().named::<Node>(node).expect("the node");
    let ready = node
        .status
        .conditions
        .iter()
        .find(|condition| &*condition.kind == "Ready");
    format!("{:?}", ready.expect("a condition").status)
}

fn has_notice(loaded: &Loaded, text: &str) -> bool {
    notices_of(loaded).iter().any(|notice| notice.contains(text))
}

/// Returns the objects of the watch stream, one after another, as `kubectl get -w` prints them without
/// `--output-watch-events`.
fn watch_stream_without_event_types(print: fn(&Value) -> String, separator: &str) -> String {
    let (_, text) = read_history("watch-events.json");
    let (documents, wrong) = podscope_api::read_documents(&text);
    assert_eq!(wrong, None);
    let objects = documents.iter().map(|event| print(&event.to_value()["object"]));
    objects.collect::<Vec<_>>().join(separator)
}

fn expected_commands_of_watch() -> [String; 3] {
    [
        timeline_line("60", "kubectl delete pod web-6d4cf56db6-b2k4d --wait=false"),
        timeline_line("120", "kubectl scale deployment web --replicas=3"),
        timeline_line("190", "fault partition n2"),
    ]
}

/// In the recording, a user deletes a pod and scales, then a node fails. The replay has the same changes at the same
/// times.
/// Shows: P-15
#[test]
fn watch_stream_is_replayed_at_its_times() {
    let loaded = load(&[read_history("watch-events.json")]);
    assert_eq!(timeline_lines(&loaded), expected_commands_of_watch());
    assert!(
        has_notice(&loaded, "1 node became Unknown"),
        "{:?}",
        notices_of(&loaded)
    );
    assert!(has_notice(&loaded, "writes by components are not replayed"));
    let mut session = new_session(loaded);
    let key = ObjectKey::new("default", "web-6d4cf56db6-b2k4d");
    let exists = |session: &Session| session.world().objects().get_kind(Kind::Pod, &key).is_some();
    advance(&mut session, 59);
    assert_eq!((n_pods(&session), exists(&session)), (2, true));
    advance(&mut session, 119);
    assert_eq!((n_pods(&session), exists(&session)), (2, false));
    advance(&mut session, 150);
    assert_eq!(n_pods(&session), 3);
    // In the recording the node becomes Unknown at 240 s.
    advance(&mut session, 229);
    assert_eq!(ready_status(&session, "n2"), "True");
    advance(&mut session, 246);
    assert_eq!(ready_status(&session, "n2"), "Unknown");
    assert_eq!(refused_commands(&session), Vec::<String>::new());
    assert_eq!(session.progress().bug_count(), 0);
}

/// Shows: P-15
#[test]
fn watch_stream_without_event_types_is_replayed() {
    let json = watch_stream_without_event_types(podscope_api::print_json, "");
    let yaml = watch_stream_without_event_types(podscope_api::print_yaml, "---\n");
    for (name, text) in [("pods.json", json), ("pods.yaml", yaml)] {
        let loaded = load(&[(name.to_owned(), text)]);
        assert_eq!(timeline_lines(&loaded), expected_commands_of_watch(), "{name}");
        assert!(has_notice(&loaded, "--output-watch-events"), "{name}");
    }
}

/// Shows: P-15
#[test]
fn node_with_new_boot_id_is_replayed_as_poweroff_and_boot() {
    let (name, mut text) = read_history("watch-events.json");
    let (documents, _) = podscope_api::read_documents(&text);
    let mut event = documents.last().expect("an event").to_value();
    drop(documents);
    event["object"]["metadata"]["resourceVersion"] = "9000".into();
    event["object"]["status"]["nodeInfo"]["bootID"] = "boot-2".into();
    let ready = &mut event["object"]["status"]["conditions"][0];
    ready["status"] = "True".into();
    ready["lastTransitionTime"] = "2026-01-06T10:06:00Z".into();
    text.push_str(&podscope_api::print_json(&event));
    let loaded = load(&[(name, text)]);
    let ends = [
        timeline_line("190", "fault poweroff n2"),
        timeline_line("360", "fault boot n2"),
    ];
    assert_eq!(timeline_lines(&loaded)[2..], ends);
}

/// A patch that changes the image of a Deployment.
const IMAGE_PATCH: &str = "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"app\",\
                           \"image\":\"example.com/api:2\",\"resources\":{\"requests\":{\"cpu\":\"100m\"}}}]}}}}";

/// Writes of users become API calls and commands; writes of components are not replayed but simulated.
/// Shows: P-15
#[test]
fn audit_log_replays_writes_of_users() {
    let loaded = load(&[read_history("audit.log")]);
    let expected = [
        "0.25 kubectl create -f - <<'EOF'".to_owned(),
        "5.25 kubectl create -f - <<'EOF'".to_owned(),
        "20 kubectl create -f - <<'EOF'".to_owned(),
        timeline_line("30.25", "kubectl scale deployment api -n shop --replicas=4"),
        timeline_line(
            "40",
            &format!("kubectl patch deployment api -n shop --type=merge -p '{IMAGE_PATCH}'"),
        ),
        "60 POST /api/v1/namespaces/shop/pods/debug/eviction".to_owned(),
        timeline_line("70", "kubectl delete deployment api -n shop --wait=false"),
    ];
    assert_eq!(timeline_lines(&loaded), expected);
    for notice in [
        "1 write is not replayed, because its audit event has no object (level Metadata): ConfigMap shop/flags",
        "not in the files before; a dump of the beginning, opened together with the history, has it: Node worker-1",
        "gives another name: Pod shop/api-7c9-4xk2p",
        "1 write of a kind that is not simulated is not replayed: certificates",
        "2 patches are taken as strategic merge patches",
        "7 writes by components",
        "The history has no Nodes, so the nodes are generated",
    ] {
        assert!(has_notice(&loaded, notice), "{notice}: {:?}", notices_of(&loaded));
    }
    let mut session = new_session(loaded);
    advance(&mut session, 35);
    assert_eq!(n_pods(&session), 5);
    advance(&mut session, 130);
    assert_eq!((n_pods(&session), refused_commands(&session)), (0, Vec::new()));
}

/// Shows: P-15
#[test]
fn audit_log_with_a_dump_starts_from_the_dump() {
    let node = "{apiVersion: v1, kind: Node, metadata: {name: worker-1, uid: w1, creationTimestamp: \
                '2026-01-06T12:00:52Z'}, status: {capacity: {cpu: '2', memory: 4Gi, pods: '110'}, conditions: \
                [{type: Ready, status: 'True', lastHeartbeatTime: '2026-01-06T12:00:52Z'}]}}\n";
    let loaded = load(&[("dump.yaml".to_owned(), node.to_owned()), read_history("audit.log")]);
    assert_eq!(
        timeline_lines(&loaded)[0],
        timeline_line("3", "kubectl cordon worker-1")
    );
    assert!(
        has_notice(&loaded, "writes are older than t = 0"),
        "{:?}",
        notices_of(&loaded)
    );
    let mut session = new_session(loaded);
    advance(&mut session, 5);
    let node = session.world().objects().named::<Node>("worker-1").expect("the node");
    assert_eq!(node.spec.unschedulable, Some(true));
}

/// Shows: P-15
#[test]
fn kwokctl_recording_is_replayed() {
    let loaded = load(&[read_history("kwok.yaml")]);
    let expected = [
        timeline_line("0", "kubectl scale deployment web --replicas=3"),
        "15 kubectl create -f - <<'EOF'".to_owned(),
        timeline_line("45", "kubectl cordon kwok-node-0"),
        timeline_line("50", "kubectl delete pod alone --wait=false"),
    ];
    assert_eq!(timeline_lines(&loaded), expected);
    let mut session = new_session(loaded);
    advance(&mut session, 40);
    let objects = session.world().objects();
    let alone = objects.get_kind(Kind::Pod, &ObjectKey::new("default", "alone"));
    assert!(alone.is_some());
    advance(&mut session, 100);
    assert_eq!(refused_commands(&session), Vec::<String>::new());
}

/// Shows: P-15
#[test]
fn simkube_trace_is_replayed() {
    let loaded = load(&[read_history("simkube.json")]);
    let expected = [
        timeline_line("60", "kubectl scale deployment web --replicas=5"),
        "90 kubectl create -f - <<'EOF'".to_owned(),
        timeline_line("120", "kubectl delete deployment web --wait=false"),
    ];
    assert_eq!(timeline_lines(&loaded), expected);
    assert!(has_notice(&loaded, "how long pods ran"), "{:?}", notices_of(&loaded));
    let mut session = new_session(loaded);
    advance(&mut session, 30);
    assert_eq!(n_pods(&session), 2);
    advance(&mut session, 110);
    assert_eq!(n_pods(&session), 7);
    advance(&mut session, 170);
    assert_eq!(n_pods(&session), 2);
}

/// A saved or shared history gives the same run.
/// Shows: P-15, T-05
#[test]
fn saved_or_shared_history_runs_the_same() {
    for name in ["watch-events.json", "audit.log", "kwok.yaml", "simkube.json"] {
        let mut first = new_session(load(&[read_history(name)]));
        let saved = export::scenario(&first);
        let shared = Link::of(&first, None, String::new()).encode();
        let end = first.loaded().default_until();
        assert_eq!(first.advance(end, u64::MAX), Slice::Done);
        let reopened = load(&[("saved.yaml".to_owned(), saved)]);
        let linked = link::decode(&shared).expect("a link").load();
        for (how, loaded) in [("saved", reopened), ("shared", linked.expect("a scenario"))] {
            let mut again = new_session(loaded);
            assert_eq!(again.advance(end, u64::MAX), Slice::Done);
            assert_eq!(again.trace_hash(), first.trace_hash(), "{name}, {how}");
        }
    }
}

/// Shows: P-04, P-15
#[test]
fn broken_record_is_reported_with_its_line() {
    let (name, text) = read_history("audit.log");
    let lines: Vec<&str> = text.lines().collect();
    let broken = format!("{}\n{{\"kind\": \n{}\n", lines[..4].join("\n"), lines[4..].join("\n"));
    let problems = scenario::load(&[(name.clone(), broken)]).expect_err("the fifth line is broken");
    assert_eq!(
        (problems[0].file.as_str(), problems[0].line),
        ("audit.log", 5),
        "{problems:?}"
    );
    let cut = text[..text.len() - 40].to_owned();
    let loaded = load(&[(name, cut)]);
    let line = format!("incomplete and is left out: line {}", lines.len());
    assert!(has_notice(&loaded, &line), "{:?}", notices_of(&loaded));
}

/// Shows: P-15
#[test]
fn history_together_with_a_scenario_is_refused() {
    let scenario = "{apiVersion: podscope.dev/v1alpha1, kind: Scenario, spec: {seed: 3}}\n".to_owned();
    let problems =
        scenario::load(&[("mine.yaml".to_owned(), scenario), read_history("audit.log")]).expect_err("two scenarios");
    assert_eq!(problems[0].file, "mine.yaml");
}

/// Shows: P-15, Q-03
#[test]
fn damaged_histories_cause_no_panic() {
    for name in ["watch-events.json", "audit.log", "kwok.yaml", "simkube.json"] {
        let (_, text) = read_history(name);
        for end in (0..text.len()).step_by(text.len() / 40) {
            let _ = scenario::load(&[(name.to_owned(), text[..end].to_owned())]);
        }
        for (from, to) in [
            ("\"", ""),
            ("{", "["),
            ("name", "type"),
            ("\"kind\"", "\"metadata\""),
            ("true", "{}"),
            ("1", "-1"),
        ] {
            let _ = scenario::load(&[(name.to_owned(), text.replace(from, to))]);
        }
    }
}

/// A history is converted to a scenario, whose names are then anonymised. Anonymising also removes API calls from the
/// timeline, here an eviction.
/// Shows: P-15, Q-06
#[test]
fn anonymised_history_keeps_its_commands() {
    let renamed = podscope_session::rename::rename(&[read_history("audit.log")]);
    assert!(
        !renamed.text.contains("shop") && !renamed.text.contains("jane"),
        "{}",
        renamed.text
    );
    let loaded = load(&[("renamed.yaml".to_owned(), renamed.text)]);
    assert_eq!(loaded.scenario.timeline.len(), 6);
}
