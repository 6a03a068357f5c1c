//! Dumps of live clusters: triage and anonymised output.

use podscope_protocol::triage::{Problem, markdown};

use super::*;

/// A dump with a pending pod that fits on no node. The names of the node, the namespace and the pod are private.
const LIVE_DUMP: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: machine-of-acme, uid: n-1, creationTimestamp: "2026-11-25T00:00:00Z"}
status:
  allocatable: {cpu: "2", memory: 4Gi, pods: "10"}
  conditions: [{type: Ready, status: "True", lastHeartbeatTime: "2026-11-25T02:00:00Z", lastTransitionTime: "2026-11-25T00:00:00Z"}]
---
apiVersion: v1
kind: Namespace
metadata: {name: acme-shop, uid: s-1}
---
apiVersion: v1
kind: Pod
metadata: {name: secretproject-0, namespace: acme-shop, uid: p-1, creationTimestamp: "2026-11-25T01:00:00Z", labels: {team: acme-payments}}
spec:
  containers: [{name: ledger, image: registry.acme.example/ledger:1, resources: {requests: {cpu: "7"}}}]
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/1 nodes are available", lastTransitionTime: "2026-11-25T01:00:00Z"}]
"#;

/// The private names in the dump [`LIVE_DUMP`].
const PRIVATE_NAMES: [&str; 4] = ["acme", "secretproject", "ledger", "payments"];

fn assert_no_private_names(what: &str, text: &str) {
    for name in PRIVATE_NAMES {
        assert!(!text.contains(name), "{what} has {name}:\n{text}");
    }
}

fn open_live_dump() -> (Page, Vec<Update>) {
    Page::open(SessionSource::Files {
        files: vec![("acme.yaml".into(), LIVE_DUMP.into())],
    })
}

/// Shows: P-13
#[test]
fn dump_opens_paused_with_triage() {
    let (_, updates) = open_live_dump();
    let is_dump = updates
        .iter()
        .any(|update| matches!(update, Update::Opened(opened) if opened.is_dump));
    assert!(is_dump, "{updates:?}");
    let found = updates.iter().find_map(|update| match update {
        Update::Triage { findings, at, .. } => Some((findings, *at)),
        _ => None,
    });
    let (findings, at) = found.expect("a triage after opening");
    assert_eq!((at, last_frame(&updates).now), (0, 0));
    let first = findings.first().expect("the pending pod is a problem");
    assert_eq!((first.problem, &*first.namespace), (Problem::Pending, "acme-shop"));
    assert!(first.reason.english().contains("Insufficient cpu"), "{}", first.reason);
    let subject = SubjectRef::Pod {
        key: "acme-shop/secretproject-0".into(),
        uid: String::new(),
    };
    assert_eq!(first.subject(), subject);
    assert!(markdown(findings, at).starts_with("- **Pending** `Pod acme-shop/secretproject-0"));
}

/// In the simulation, an unreachable node sends no heartbeat, so its last heartbeat is the one in the dump.
/// Shows: P-09
#[test]
fn unreachable_node_keeps_heartbeat_of_its_dump() {
    let cut_off = r#"
---
apiVersion: v1
kind: Node
metadata: {name: cut-off, uid: n-2, creationTimestamp: "2026-11-25T00:00:00Z"}
status:
  allocatable: {cpu: "2", memory: 4Gi, pods: "10"}
  conditions: [{type: Ready, status: Unknown, lastHeartbeatTime: "2026-11-25T01:00:00Z", lastTransitionTime: "2026-11-25T01:00:40Z"}]
"#;
    let (_, updates) = Page::open(SessionSource::Files {
        files: vec![("acme.yaml".into(), format!("{LIVE_DUMP}{cut_off}"))],
    });
    let frame = last_frame(&updates);
    let node = (frame.nodes.iter())
        .find(|node| node.name == "cut-off")
        .expect("the node");
    let seconds = |micros: i64| micros / 1_000_000;
    assert_eq!(node.machine.last_heartbeat.map(seconds), Some(-3600));
    assert_eq!(seconds(node.ready_since), -3560);
}

/// The problems of a large dump are listed before the simulation of its cluster starts. The list is the same as after
/// the start.
/// Shows: P-13
#[test]
fn large_dump_lists_its_problems_before_it_opens() {
    let text = format!("{LIVE_DUMP}{}", "# a line of a large file\n".repeat(50_000));
    let (mut page, updates) = Page::open(SessionSource::Files {
        files: vec![("acme.yaml".into(), text)],
    });
    let is_triage = |update: &&Update| matches!(update, Update::Triage { .. });
    let opened = updates.iter().position(|update| matches!(update, Update::Opened(_)));
    let listed = updates.iter().position(|update| is_triage(&update));
    assert!(listed.is_some() && listed < opened, "{listed:?} before {opened:?}");
    assert_eq!(updates.iter().filter(is_triage).count(), 1);
    let later = page.send(Request::Triage { anonymise: false });
    let findings = |updates: &[Update]| {
        updates.iter().find_map(|update| match update {
            Update::Triage { findings, is_early, .. } => Some((findings.clone(), *is_early)),
            _ => None,
        })
    };
    let (early, later) = (findings(&updates).expect("early"), findings(&later).expect("later"));
    assert_eq!((early.0, early.1, later.1), (later.0, true, false));
}

/// The names of nodes are private too, so a file that contains only nodes is treated as a dump.
/// Shows: P-13, Q-06
#[test]
fn file_with_only_nodes_is_a_dump() {
    let (nodes, _) = LIVE_DUMP.split_once("---").expect("the node is first");
    let (_, updates) = Page::open(SessionSource::Files {
        files: vec![("nodes.yaml".into(), nodes.into())],
    });
    let is_dump = |update: &Update| matches!(update, Update::Opened(opened) if opened.is_dump);
    assert!(updates.iter().any(is_dump), "{updates:?}");
}

/// When handwritten manifests are opened, no triage is sent.
#[test]
fn manifests_are_not_a_dump() {
    let (_, updates) = Page::open(SessionSource::Welcome);
    assert!(!updates.iter().any(|update| matches!(update, Update::Triage { .. })));
}

/// Shows: Q-06
#[test]
fn anonymised_output_has_no_private_names() {
    let (mut page, _) = open_live_dump();
    page.run("kubectl label node machine-of-acme team=acme-payments");
    page.seek(3);
    let kinds = [
        ExportKind::Objects,
        ExportKind::Trace,
        ExportKind::Scenario,
        ExportKind::Picture,
        ExportKind::Image,
        ExportKind::Lesson,
    ];
    for what in kinds {
        let updates = page.send(Request::Export { what, anonymise: true });
        let text = updates.iter().find_map(|update| match update {
            Update::File { text, .. } => Some(text),
            _ => None,
        });
        assert_no_private_names(&format!("{what:?}"), text.expect("a file"));
    }
    let film = Request::Film {
        from: 0,
        to: 3_000_000,
        seconds: 2,
        anonymise: true,
    };
    let updates = page.send(film);
    let film = updates.iter().find_map(|update| match update {
        Update::Film(Ok(film)) => Some(film),
        _ => None,
    });
    assert_no_private_names("film", film.expect("a film"));
    let updates = page.send(Request::Triage { anonymise: true });
    let list = updates.iter().find_map(|update| match update {
        Update::Triage {
            findings,
            at,
            anonymised: true,
            ..
        } => Some(markdown(findings, *at)),
        _ => None,
    });
    let list = list.expect("a list");
    assert_no_private_names("triage", &list);
    // With the table of names, the real names in the anonymised list can be restored.
    let (_, _, names) = page.export(ExportKind::Names);
    let new = names.lines().find_map(|line| line.strip_prefix("secretproject-0\t"));
    assert!(list.contains(new.expect("the new name")), "{names}\n{list}");
}

/// Shows: P-09
#[test]
fn notices_are_sorted_by_severity() {
    let text = format!(
        "{LIVE_DUMP}---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: i, namespace: acme-shop, uid: i-1}}\n"
    );
    let (_, updates) = Page::open(SessionSource::Files {
        files: vec![("acme.yaml".into(), text)],
    });
    let notices = updates.iter().find_map(|update| match update {
        Update::Opened(opened) => Some(&opened.notices),
        _ => None,
    });
    let weights: Vec<u8> = notices
        .expect("the dump opens")
        .iter()
        .map(podscope_protocol::Remark::importance_rank)
        .collect();
    assert!(weights.len() > 1 && weights.is_sorted(), "{notices:?}");
}
