//! The dump of a live cluster opens unchanged (P-03): pods keep node and age, and kinds that are not simulated are
//! listed.

use podscope_api::ordered;

use podscope_api::{Node, Pod, PodPhase};
use podscope_cluster::SimTime;
use podscope_kubectl::command::{self, Command};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};
use podscope_tests::dump::{Size, dump};
use podscope_tests::notices_of;

const SMALL_DUMP: Size = Size { nodes: 9, pods: 45 };

fn open_dump(text: String) -> Session {
    let loaded = scenario::load(&[("dump.yaml".to_owned(), text)]).unwrap_or_else(|problems| panic!("{problems:?}"));
    Session::new(loaded).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Returns node, UID, creation time, restarts, container state and phase of each pod.
fn pod_states(session: &Session) -> ordered::Map<String, String> {
    session
        .world()
        .objects()
        .list::<Pod>()
        .map(|pod| {
            let status = &pod.status.container_statuses[0];
            let what = format!(
                "{:?} {:?} {:?} {} {:?} {:?}",
                pod.spec.node_name,
                pod.metadata.uid,
                pod.metadata.creation_timestamp,
                status.restart_count,
                status.state,
                pod.status.phase
            );
            (pod.metadata.key().to_string(), what)
        })
        .collect()
}

/// Shows: P-03
#[test]
fn running_pods_of_a_dump_keep_node_and_age() {
    let mut session = open_dump(dump(SMALL_DUMP));
    let before = pod_states(&session);
    assert_eq!(before.len(), 45);
    // Advance longer than the grace period after which a node without heartbeats becomes Unknown.
    assert_eq!(session.advance(SimTime::from_seconds(120), u64::MAX), Slice::Done);
    assert_eq!(pod_states(&session), before);
    let objects = session.world().objects();
    assert!(
        objects
            .list::<Pod>()
            .all(|pod| pod.status.phase == Some(PodPhase::Running))
    );
    // The cluster has only the nodes of the dump: no default node was added.
    assert_eq!(objects.list::<Node>().count(), 9);
    for node in objects.list::<Node>() {
        let machine = session
            .world()
            .machine(&podscope_api::NodeName(node.metadata.name.clone()));
        assert_eq!(
            machine.map(|machine| machine.processes().len()),
            Some(5),
            "{}",
            node.metadata.name
        );
    }
    assert_eq!(session.progress().bug_count(), 0);
    // Ages are relative to t = 0, which is one minute after the dump, plus two minutes of simulation.
    let Ok(Command::Kubectl { action: get, .. }) = command::parse("kubectl get pods -n shop --sort-by=.metadata.name")
    else {
        panic!("a command")
    };
    let printed = session.read(&get).expect("a table");
    let (_, first) = &printed.lines[1];
    let pod = objects.list::<Pod>().next().expect("a pod");
    let born = pod.metadata.creation_timestamp.expect("an age").0 / 1_000_000;
    let hours = (1_767_225_600 + 120 - born) / 3600;
    assert!(
        first.ends_with(&format!("{}d", hours / 24)) || first.contains(&format!("{hours}h")),
        "{first}: {hours} h"
    );
}

/// Shows: P-03
#[test]
fn unsimulated_kinds_are_listed() {
    let session = open_dump(dump(SMALL_DUMP));
    let notices = notices_of(session.loaded()).join("\n");
    for kind in ["Ingress", "CustomResourceDefinition"] {
        assert!(notices.contains(&format!("× {kind} (not simulated)")), "{notices}");
    }
    // The dump contains the CustomResourceDefinition of widgets, so they are not listed as unsimulated.
    assert!(!notices.contains("Widget"), "{notices}");
}

/// If the dump is newer than the default start time, t = 0 is the newest time in the dump.
/// Shows: P-03
#[test]
fn start_time_of_later_dump_is_its_newest_time() {
    let later = dump(SMALL_DUMP).replace("2025-12-31T23", "2026-11-20T23");
    let session = open_dump(later);
    let newest = podscope_api::parse_rfc3339("2026-11-20T23:59:00Z").expect("a time");
    assert!(
        (newest - 60_000_000..=newest).contains(&session.world().start_time().0),
        "{:?}",
        session.world().start_time()
    );
    assert!(
        notices_of(session.loaded())
            .iter()
            .any(|notice| notice.contains("t = 0"))
    );
}

/// If a dump has nodes without UIDs (some tools remove them), no other nodes are added.
/// Shows: P-09
#[test]
fn no_nodes_are_made_up_if_dumped_nodes_lack_uids() {
    let mut list = podscope_api::read_yaml(&dump(SMALL_DUMP)).expect("YAML").to_value();
    let items = list["items"].as_array_mut().expect("items");
    for node in items.iter_mut().filter(|item| item["kind"] == "Node") {
        let metadata = node["metadata"].as_object_mut().expect("metadata");
        metadata.remove("uid").expect("a UID");
    }
    let mut session = open_dump(list.to_string());
    let before = pod_states(&session);
    assert_eq!(session.advance(SimTime::from_seconds(120), u64::MAX), Slice::Done);
    assert_eq!(pod_states(&session), before);
    assert_eq!(session.world().objects().list::<Node>().count(), 9);
}

/// A node in a file is added to the default nodes, and a notice reports this; a node with the name of a default node
/// replaces the default node.
#[test]
fn node_in_file_joins_default_nodes_with_notice() {
    for (name, nodes, expected) in [
        (
            "big",
            7,
            &["6 nodes are made beside the files' own 1; a Scenario with `cluster: {nodesPerZone: 0}` leaves them out"]
                [..],
        ),
        ("a-1", 6, &[]),
    ] {
        let text =
            format!("{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}, status: {{allocatable: {{cpu: 16}}}}}}");
        let session = open_dump(text);
        assert_eq!(session.world().objects().list::<Node>().count(), nodes, "{name}");
        assert_eq!(notices_of(session.loaded()), expected, "{name}");
    }
}
