//! The table of invariants, and the contents of a violation record (F-03, F-04).

use podscope_api::{ObjectKey, Pod};
use podscope_cluster::{INVARIANTS, InvariantKind, SimTime};
use podscope_kubectl::command;
use podscope_session::report::field;
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// Each invariant of the facts CT-162 to CT-186 and two further ones are checked. Each has a statement, says what keeps
/// and what breaks it, and names a lesson.
/// Shows: F-03, CT-162, CT-163, CT-164, CT-165, CT-166, CT-167, CT-168, CT-169, CT-170, CT-171, CT-172, CT-173,
/// CT-174, CT-175, CT-176, CT-177, CT-178, CT-179, CT-180, CT-181, CT-182, CT-183, CT-184, CT-185, CT-186
#[test]
fn every_invariant_of_the_facts_is_checked() {
    let rows = [
        "at-most-one",
        "single-writer",
        "one-node",
        "forward-only",
        "grace-monotone",
        "grace-honoured",
        "force-authority",
        "no-early-removal",
        "pdb-ledger",
        "no-overcommit",
        "skew-at-bind",
        "preempt-lower",
        "attach-cas",
        "fence-before-break",
        "slot-unique",
        "daemon-one",
        "roll-bound",
        "evict-throttle",
        "nominee-resolved",
        "no-orphans",
        "namespace-gone",
        "ready-restored",
        "converge",
        "safe-stall",
        "detach-live",
    ];
    for (index, row) in rows.iter().enumerate() {
        let invariant = INVARIANTS.iter().find(|invariant| invariant.name == *row);
        let Some(invariant) = invariant else {
            panic!("{row} is not checked")
        };
        assert_eq!(invariant.fact, format!("CT-{}", 162 + index), "{row}");
    }
    assert!(
        INVARIANTS
            .iter()
            .any(|invariant| invariant.name == "pending-placed" && invariant.kind == InvariantKind::Liveness)
    );
    // Two invariants are not in the facts: `pending-placed` and `no-request-to-ended`.
    assert!(
        INVARIANTS
            .iter()
            .any(|invariant| invariant.name == "no-request-to-ended")
    );
    assert_eq!(INVARIANTS.len(), rows.len() + 2);
    let lessons = podscope_session::lessons::list();
    for invariant in INVARIANTS {
        for text in [invariant.statement, invariant.keeper, invariant.breaker].map(podscope_messages::Message::english)
        {
            assert!(text.ends_with('.') && text.len() >= 7, "{}: {text:?}", invariant.name);
        }
        assert!(
            lessons.iter().any(|lesson| lesson.name == invariant.lesson),
            "{}",
            invariant.name
        );
    }
}

/// A violation names the invariant, its first instant, the object and the command that caused it. It does not name
/// commands that did not contribute.
/// Shows: F-03, F-04
#[test]
fn violation_names_object_instant_and_command() {
    let force = "kubectl delete pod web-0 --grace-period=0 --force --wait=false";
    let text = "
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 1
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'web:1'}]}
";
    let loaded = scenario::load(&[("split.yaml".to_owned(), text.to_owned())]).expect("a scenario");
    let mut session = Session::new(loaded).expect("admitted objects");
    let mut run_at = |seconds: i64, line: &str| {
        assert_eq!(session.advance(SimTime::from_seconds(seconds), u64::MAX), Slice::Done);
        let key = ObjectKey::new("default", "web-0");
        let node = session
            .world()
            .objects()
            .get::<Pod>(&key)
            .and_then(|pod| pod.spec.node_name.clone());
        let line = line.replace("NODE", node.as_deref().unwrap_or_default());
        session
            .command(command::parse(&line).expect("a command"))
            .expect("within the limits");
    };
    run_at(20, "kubectl label pods web-0 tier=db");
    run_at(30, "fault partition NODE");
    // By now the node is tainted, so the replacement pod is bound to another node.
    run_at(100, force);
    assert_eq!(session.advance(SimTime::from_seconds(400), u64::MAX), Slice::Done);
    let violations: Vec<_> = session
        .violations()
        .filter(|record| field(record, "invariant") == "at-most-one")
        .collect();
    let [first, ..] = violations.as_slice() else {
        panic!(
            "the two processes of one identity were not reported: {:?}",
            session.progress().first_violations()
        );
    };
    let object = first.object.as_ref().expect("the second pod");
    assert_eq!(
        (object.kind.name(), object.key.to_string()),
        ("Pod", "default/web-0".to_owned())
    );
    assert!(first.at > SimTime::from_seconds(100));
    assert_eq!(
        session.progress().first_violations().get("at-most-one"),
        Some(&first.at),
        "the first instant must be kept"
    );
    assert_eq!(field(first, "cause"), "command");
    assert_eq!(field(first, "by"), format!("{force} (CT-162: force deletion)"));
    assert!(
        field(first, "message").contains("processes of two pods default/web-0 run"),
        "{}",
        field(first, "message")
    );
    // The trace contains the command at its instant.
    let commands = session
        .trace()
        .filter(|record| record.what() == podscope_cluster::What::Command);
    let instants = commands
        .filter(|record| field(record, "command") == force)
        .map(|record| record.at);
    let instants: Vec<SimTime> = instants.collect();
    assert!(instants.len() == 1 && instants[0] < first.at, "{instants:?}");
}
