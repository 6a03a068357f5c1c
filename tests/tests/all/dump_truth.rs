//! A dump is simulated as it is: a saved dump reopens unchanged, nothing changes without a cause in the dump, every
//! object of the files exists, and problems are reported.

use podscope_api::{Event, Kind, Node, Pod, VolumeAttachment};
use podscope_cluster::SimTime;
use podscope_kubectl::command;
use podscope_session::link::{self, Link};
use podscope_session::scenario::{self, File};
use podscope_session::timeline::{Session, Slice};
use podscope_session::triage::{Scope, to_json, triage};
use podscope_session::{export, report};
use podscope_tests::dump::{Size, dump};
use podscope_tests::{files, notices_of};

fn open_session(files: &[File]) -> Session {
    let loaded = scenario::load(files).unwrap_or_else(|problems| panic!("{problems:?}"));
    Session::new(loaded).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn single_file(text: &str) -> Vec<File> {
    vec![("dump.yaml".to_owned(), text.to_owned())]
}

fn open_shared_dump(name: &str) -> Session {
    let path = podscope_tests::root().join("tests/dumps").join(name);
    open_session(&single_file(&std::fs::read_to_string(path).expect("a dump")))
}

fn advance_to(session: &mut Session, seconds: i64) {
    assert_eq!(session.advance(SimTime::from_seconds(seconds), u64::MAX), Slice::Done);
}

/// Returns objects, processes and notices at t = 0 as text. Notices about the conversion of old API versions are
/// omitted, because a saved dump contains the converted objects.
fn state_texts(session: &Session) -> [String; 3] {
    let notices = notices_of(session.loaded());
    let notices: Vec<_> = notices
        .into_iter()
        .filter(|notice| !notice.contains("converted to"))
        .collect();
    let notices = notices.join("\n");
    [report::objects(session), report::processes(session), notices]
}

/// Returns the dumps of `tests/dumps` and a generated one.
fn test_dumps() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = files("tests/dumps", "yaml")
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a dump");
            (path.display().to_string(), text)
        })
        .collect();
    all.push(("made".into(), dump(Size { nodes: 5, pods: 20 })));
    all
}

/// The objects at t = 0 that `podscope why` reads without a session are those with which a session starts.
/// Shows: P-09
#[test]
fn objects_at_start_are_the_same_without_a_session() {
    let scenarios = files("tests/scenarios", "yaml").into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).expect("a scenario");
        (path.display().to_string(), text)
    });
    for (name, text) in test_dumps().into_iter().chain(scenarios) {
        let Ok(loaded) = scenario::load(&single_file(&text)) else {
            continue;
        };
        let alone = loaded.objects_at_start();
        let session = Session::new(loaded);
        match (alone, session) {
            (Ok(alone), Ok(session)) => {
                let objects = session.world().objects();
                for kind in alone.kinds().chain(objects.kinds()) {
                    assert_eq!(alone.list_kind(kind), objects.list_kind(kind), "{name}");
                }
            }
            (Err(alone), Err(session)) => assert_eq!(alone, session, "{name}"),
            _ => panic!("{name}: only one of them is refused"),
        }
    }
}

/// Shows: Q-11, P-09
#[test]
fn saved_dump_reopens_unchanged() {
    for (name, text) in test_dumps() {
        let session = open_session(&single_file(&text));
        let before = state_texts(&session);
        // Save the dump to a file, reopen it, and save it again.
        let saved = open_session(&single_file(&export::scenario(&session)));
        assert_eq!(state_texts(&saved), before, "{name}, as a file");
        let again = open_session(&single_file(&export::scenario(&saved)));
        assert_eq!(state_texts(&again), before, "{name}, saved twice");
        // Open the dump from a link, and from the output of `link decode`.
        let fragment = Link::of(&session, None, String::new()).encode();
        let linked = link::decode(&fragment).expect("a link").load().expect("the link loads");
        let linked = Session::new(linked).expect("the link opens");
        assert_eq!(state_texts(&linked), before, "{name}, as a link");
        let decoded = open_session(&single_file(&export::scenario(&linked)));
        assert_eq!(state_texts(&decoded), before, "{name}, decoded");
    }
}

/// Shows: P-09
#[test]
fn healthy_dump_does_not_change_in_ten_minutes() {
    let mut session = open_session(&single_file(&dump(Size { nodes: 6, pods: 30 })));
    let kinds = || {
        Kind::ALL
            .iter()
            .filter(|kind| !matches!(kind, Kind::Node | Kind::Lease))
    };
    let all = |session: &Session| -> Vec<String> {
        let objects = session.world().objects();
        let each = kinds().flat_map(|kind| objects.list_kind(*kind));
        each.map(|object| object.to_value().to_string()).collect()
    };
    let before = all(&session);
    advance_to(&mut session, 600);
    let after = all(&session);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after);
    }
    assert_eq!(before.len(), after.len());
}

/// Shows: P-09
#[test]
fn unreachable_kubelet_does_nothing_until_partition_heals() {
    let mut session = open_shared_dump("min-unreachable.yaml");
    advance_to(&mut session, 300);
    let kubelet_records = session
        .trace()
        .filter(|record| record.actor.to_string() == "kubelet/n2")
        .count();
    assert_eq!(kubelet_records, 0);
    let pod = session.world().objects().list::<Pod>().next().expect("a pod").clone();
    assert!(!pod.is_ready() && pod.metadata.is_terminating());
    assert_eq!(report::process_values(&session).len(), 1);
    // After the partition heals, the kubelet receives the deletion and terminates the pod.
    session
        .command(command::parse("fault heal n2").expect("a command"))
        .expect("the command is accepted");
    advance_to(&mut session, 400);
    assert_eq!(session.world().objects().list::<Pod>().count(), 0);
}

/// Shows: P-09
#[test]
fn drain_detaches_volume_of_a_dump() {
    let mut session = open_shared_dump("min-drain-attached-volume.yaml");
    let line = "kubectl drain n1 --ignore-daemonsets --delete-emptydir-data --force";
    session
        .command(command::parse(line).expect("a command"))
        .expect("the command is accepted");
    advance_to(&mut session, 120);
    let objects = session.world().objects();
    let places: Vec<String> = objects
        .list::<VolumeAttachment>()
        .map(|attachment| attachment.spec.node_name.to_string())
        .collect();
    assert_eq!(places, ["n2"]);
    let pod = objects.list::<Pod>().next().expect("a pod");
    assert_eq!(pod.spec.node_name.as_ref().map(|node| node.as_str()), Some("n2"));
    assert!(pod.is_ready());
}

/// Shows: P-09
#[test]
fn events_of_a_dump_expire() {
    let mut session = open_shared_dump("min-events.yaml");
    let has_dumped_event = |session: &Session| {
        let all = session.world().objects();
        all.list::<Event>()
            .any(|event| &*event.metadata.name == "w.1" && event.count == Some(3))
    };
    assert!(has_dumped_event(&session));
    advance_to(&mut session, 3500);
    assert!(has_dumped_event(&session));
    advance_to(&mut session, 3700);
    assert!(!has_dumped_event(&session));
}

/// Shows: P-09
#[test]
fn unusual_formats_of_a_dump_are_read() {
    let node = "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n1\", \"uid\": \"n1\"}, \"status\": {\"allocatable\": {\"cpu\": \"2\", \"pods\": \"9\"}}}";
    let list = |items: &str| format!("{{\"kind\": \"NodeList\", \"apiVersion\": \"v1\", \"items\": {items}}}\n");
    let yaml = format!("apiVersion: v1\nitems:\n- {node}\nkind: List\nmetadata: {{resourceVersion: \"\"}}\n");
    let other = yaml.replace("n1", "n2");
    for text in [
        // `kubectl cluster-info dump` prints several lists, some with null items, and logs between them.
        format!(
            "{}{}==== START logs for container c of pod a/b ====\n{{ not: [json\n==== END logs for container c of pod a/b ====\n{}",
            list(&format!("[{node}]")),
            list("null"),
            list("[]")
        ),
        yaml.clone(),
        format!("\u{feff}{yaml}").replace('\n', "\r\n"),
    ] {
        let session = open_session(&single_file(&text));
        let names: Vec<String> = session
            .world()
            .objects()
            .list::<Node>()
            .map(|node| node.metadata.name.to_string())
            .collect();
        assert_eq!(names, ["n1"], "{text}");
    }
    // Two outputs in one file without a separator.
    let both = open_session(&single_file(&format!("{yaml}{other}")));
    assert_eq!(both.world().objects().list::<Node>().count(), 2);
    // Several files: one contains no object, and one is given twice.
    let files: Vec<File> = [
        ("a.yaml", &*yaml),
        ("b.json", "{\"x\": 1}"),
        ("c.yaml", &*yaml),
        ("d.yaml", &*other),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .to_vec();
    let session = open_session(&files);
    assert_eq!(session.world().objects().list::<Node>().count(), 2);
    let notices = notices_of(session.loaded()).join("\n");
    assert!(
        notices.contains("left out: b.json") && notices.contains("more than once"),
        "{notices}"
    );
}

/// Shows: P-09
#[test]
fn files_can_change_objects_that_every_cluster_has() {
    let text = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: default, labels: {a: b}}}\n---\n\
                {apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {c: d}}}\n---\n\
                {apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: default}, data: {ca.crt: mine}}\n";
    let session = open_session(&single_file(text));
    let objects = report::objects(&session);
    assert!(
        objects.contains("a: b") && objects.contains("c: d") && objects.contains("ca.crt: mine"),
        "{objects}"
    );
}

/// Shows: P-09
#[test]
fn no_nodes_are_made_up_for_dump_without_nodes() {
    let text = std::fs::read_to_string(podscope_tests::root().join("tests/dumps/min-events.yaml")).expect("a dump");
    let list = podscope_api::read_yaml(&text).expect("YAML").to_value();
    let items: Vec<_> = list["items"]
        .as_array()
        .expect("items")
        .iter()
        .filter(|item| item["kind"] == "Pod")
        .collect();
    let pods = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    for text in [
        pods.clone(),
        format!("apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: s}}\nspec: {{}}\n---\n{pods}"),
    ] {
        let session = open_session(&single_file(&text));
        assert_eq!(session.world().objects().list::<Node>().count(), 0, "{text}");
    }
}

/// Each row has a shared dump, a problem and an object, a part of the reason, a part of the help, and a text that the
/// help must not contain.
/// Shows: P-13
#[test]
fn triage_reports_reason_and_help() {
    for (name, problem, object, reason, help, not_in_help) in [
        (
            "min-gated.yaml",
            "Gated",
            "Pod default/g",
            "kueue.x-k8s.io/admission (of Kueue)",
            "Remove the scheduling gate",
            "",
        ),
        (
            "min-taint.yaml",
            "Pending",
            "Pod default/w",
            "untolerated taint",
            "Remove the taint maintenance=yes:NoSchedule from node n1",
            "",
        ),
        (
            "min-class-never.yaml",
            "Pending",
            "Pod default/w",
            "1 Insufficient cpu",
            "",
            "batch-never",
        ),
        (
            "min-unreachable.yaml",
            "Terminating",
            "Pod default/db-0",
            "its node n2 is not reachable",
            "",
            "",
        ),
        (
            "min-unreachable.yaml",
            "NodeNotReady",
            "Node n2",
            "Kubelet stopped posting node status",
            "",
            "",
        ),
        (
            "min-events.yaml",
            "Pending",
            "Pod default/w",
            "1 Insufficient cpu",
            "",
            "",
        ),
    ] {
        let session = open_shared_dump(name);
        let found = to_json(session.world().start_time(), &triage(&session, &Scope::default()));
        let rows = found.as_array().expect("rows");
        let row = rows
            .iter()
            .find(|row| row["problem"] == problem && row["object"] == object);
        let row = row.unwrap_or_else(|| panic!("{name}: {found:#}"));
        assert!(
            row["reason"].as_str().expect("text").contains(reason),
            "{name}: {row:#}"
        );
        let help_text = row["help"].to_string();
        assert!(help_text.contains(help), "{name}: {row:#}");
        assert!(
            not_in_help.is_empty() || !help_text.contains(not_in_help),
            "{name}: {row:#}"
        );
    }
    assert!(triage(&open_shared_dump("min-drain-attached-volume.yaml"), &Scope::default()).is_empty());
}
