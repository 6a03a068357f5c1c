//! Nodes of a dump keep their conditions until a command or fault changes them, and the start time comes from the dump
//! (P-09).

use podscope_api::{ConditionStatus, Node, ObjectKey, Pod};
use podscope_cluster::SimTime;
use podscope_kubectl::command;
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};
use podscope_tests::notices_of;

/// Returns a node with the given spec fields and conditions.
fn node_with_conditions(name: &str, spec: &str, conditions: &str) -> String {
    format!(
        "
- apiVersion: v1
  kind: Node
  metadata: {{name: {name}, uid: {name}, creationTimestamp: '2026-07-01T08:00:00Z'}}
  spec: {{{spec}}}
  status:
    capacity: {{cpu: '4', memory: 8Gi, pods: '110'}}
    allocatable: {{cpu: '4', memory: 8Gi, pods: '110'}}
    conditions: [{conditions}]"
    )
}

/// Returns a condition of a node with the last heartbeat at 09:59.
fn node_condition(condition_type: &str, status: &str, reason: &str) -> String {
    format!(
        "{{type: {condition_type}, status: '{status}', reason: '{reason}', lastHeartbeatTime: '2026-07-01T09:59:00Z', \
         lastTransitionTime: '2026-07-01T09:00:00Z'}}"
    )
}

/// Returns a bound or pending pod without requests: node pressure evicts such pods first.
fn pod(name: &str, node: Option<&str>) -> String {
    let (spec, status) = match node {
        Some(node) => (
            format!("nodeName: {node}"),
            "phase: Running, startTime: '2026-07-01T09:00:00Z', qosClass: BestEffort, conditions: [{type: PodScheduled, \
             status: 'True'}, {type: Ready, status: 'True'}], containerStatuses: [{name: c, ready: true, image: i, \
             imageID: x, restartCount: 0, state: {running: {startedAt: '2026-07-01T09:00:00Z'}}}]",
        ),
        None => (String::new(), "phase: Pending, qosClass: BestEffort"),
    };
    format!(
        "
- apiVersion: v1
  kind: Pod
  metadata: {{name: {name}, namespace: default, uid: {name}, creationTimestamp: '2026-07-01T09:00:00Z'}}
  spec:
    {spec}
    containers: [{{name: c, image: i}}]
    tolerations: [{{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}}]
  status: {{{status}}}"
    )
}

fn open_dump(items: &[String]) -> (Session, Vec<String>) {
    let text = format!("apiVersion: v1\nitems:{}\nkind: List\n", items.concat());
    let loaded = scenario::load(&[("dump.yaml".to_owned(), text)]).unwrap_or_else(|problems| panic!("{problems:?}"));
    let notices = notices_of(&loaded);
    let session = Session::new(loaded).unwrap_or_else(|problems| panic!("{problems:?}"));
    (session, notices)
}

fn advance_to(session: &mut Session, seconds: i64) {
    assert_eq!(session.advance(SimTime::from_seconds(seconds), u64::MAX), Slice::Done);
}

/// Returns status and reason of a condition of a node, and the keys of its taints.
fn condition_and_taint_keys(
    session: &Session,
    node: &str,
    condition_type: &str,
) -> (ConditionStatus, String, Vec<String>) {
    let node = session.world().objects().get::<Node>(&ObjectKey::cluster(node));
    let node = node.expect("a node");
    let condition = node.condition(condition_type).expect("its condition");
    let taints = node.spec.taints.iter().map(|taint| taint.key.to_string());
    (condition.status.clone(), condition.reason.to_string(), taints.collect())
}

/// Returns phase and node of a pod.
fn phase_and_node(session: &Session, name: &str) -> (String, String) {
    let pod = session.world().objects().get::<Pod>(&ObjectKey::new("default", name));
    let pod = pod.expect("a pod");
    let node = pod.spec.node_name.as_ref().map(ToString::to_string);
    (
        pod.status.phase.as_ref().map_or_else(String::new, ToString::to_string),
        node.unwrap_or_default(),
    )
}

fn run_command(session: &mut Session, line: &str) {
    let command = command::parse(line).unwrap_or_else(|error| panic!("{error:?}"));
    session.command(command).unwrap_or_else(|error| panic!("{error:?}"));
}

/// A pressure condition of a dump keeps its status, reason and taint until the node reboots. Until then running pods
/// stay, and pending pods are not bound to the node.
/// Shows: P-09, LC-191
#[test]
fn pressure_of_a_dump_lasts_until_reboot() {
    for (kind, taint) in [
        ("MemoryPressure", "memory-pressure"),
        ("DiskPressure", "disk-pressure"),
        ("PIDPressure", "pid-pressure"),
    ] {
        let taint = format!("node.kubernetes.io/{taint}");
        let tainted = format!("taints: [{{key: {taint}, effect: NoSchedule}}]");
        let ready = node_condition("Ready", "True", "KubeletReady");
        // If the dump has the condition but not its taint, the result is the same.
        for (pressure, reason) in [
            (node_condition(kind, "True", "ItSaysSo"), "ItSaysSo"),
            (String::new(), ""),
        ] {
            let node_under_pressure = node_with_conditions("n1", &tainted, &format!("{ready}, {pressure}"));
            let (mut session, notices) = open_dump(&[node_under_pressure, pod("runs", Some("n1")), pod("waits", None)]);
            assert!(
                notices.iter().any(|notice| notice.contains(&format!("n1 ({kind})"))),
                "{notices:?}"
            );
            advance_to(&mut session, 900);
            let expected = (ConditionStatus::True, reason.to_owned(), vec![taint.clone()]);
            assert_eq!(condition_and_taint_keys(&session, "n1", kind), expected);
            assert_eq!(phase_and_node(&session, "waits"), ("Pending".into(), String::new()));
            assert_eq!(phase_and_node(&session, "runs"), ("Running".into(), "n1".into()));
            run_command(&mut session, "fault crash kubelet n1");
            run_command(&mut session, "fault restart kubelet n1");
            advance_to(&mut session, 1_000);
            assert_eq!(condition_and_taint_keys(&session, "n1", kind), expected);
            assert_eq!(phase_and_node(&session, "runs"), ("Running".into(), "n1".into()));
            run_command(&mut session, "fault poweroff n1");
            advance_to(&mut session, 1_010);
            run_command(&mut session, "fault boot n1");
            advance_to(&mut session, 1_200);
            let (status, _, taints) = condition_and_taint_keys(&session, "n1", kind);
            assert_eq!(
                (status, taints),
                (ConditionStatus::False, Vec::new()),
                "after the reboot"
            );
            assert_eq!(phase_and_node(&session, "waits"), ("Running".into(), "n1".into()));
        }
    }
}

/// If a node is not ready but its heartbeat is recent, its kubelet works. If the heartbeat is old, the node becomes
/// Unknown, whatever its last status was.
/// Shows: P-09, LC-204
#[test]
fn not_ready_node_with_recent_heartbeat_has_running_kubelet() {
    let tainted = "taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]";
    let own = node_condition("Ready", "False", "KubeletNotReady");
    let fresh = node_with_conditions("n1", tainted, &own);
    let stale = node_with_conditions("n2", tainted, &own.replace("09:59", "09:12"));
    let well = node_with_conditions("n3", "", &node_condition("Ready", "True", "KubeletReady"));
    let (mut session, notices) = open_dump(&[fresh, stale, well, pod("runs", Some("n1")), pod("waits", None)]);
    assert!(
        notices
            .iter()
            .any(|item| item.contains("One node is not well") && item.contains("n1 (not ready: KubeletNotReady)")),
        "{notices:?}"
    );
    assert!(!notices.iter().any(|item| item.contains("pressure")), "{notices:?}");
    advance_to(&mut session, 200);
    let (status, reason, taints) = condition_and_taint_keys(&session, "n1", "Ready");
    assert_eq!((status, &*reason), (ConditionStatus::False, "KubeletNotReady"));
    assert!(
        taints.iter().any(|taint| taint == "node.kubernetes.io/not-ready"),
        "{taints:?}"
    );
    assert_eq!(
        condition_and_taint_keys(&session, "n2", "Ready").0,
        ConditionStatus::Unknown
    );
    assert_eq!(phase_and_node(&session, "runs"), ("Running".into(), "n1".into()));
    assert_eq!(phase_and_node(&session, "waits"), ("Running".into(), "n3".into()));
    // The kubelet deletes the pod within its grace period.
    run_command(&mut session, "kubectl delete pod runs --grace-period=1");
    advance_to(&mut session, 210);
    let deleted = session.world().objects().get::<Pod>(&ObjectKey::new("default", "runs"));
    assert!(deleted.is_none(), "{deleted:?}");
    // The node of the dump violates no invariant, although some invariants assume healthy nodes.
    let fresh = node_with_conditions("n1", tainted, &own);
    let well = node_with_conditions("n3", "", &node_condition("Ready", "True", "KubeletReady"));
    let (mut session, _) = open_dump(&[fresh, well]);
    advance_to(&mut session, 900);
    let violations: Vec<_> = session.violations().collect();
    assert!(violations.is_empty(), "{violations:?}");
}

/// The start time t = 0 is the newest past time in the files; times in the future do not count. A crash-loop
/// back-off of the dump still takes the part of its delay that remains at the start time.
/// Shows: P-03, P-09
#[test]
fn start_is_newest_past_time_of_the_files() {
    let ready = |at: &str| {
        node_with_conditions(
            "n1",
            "",
            &node_condition("Ready", "True", "KubeletReady").replace("09:59:00", at),
        )
    };
    let pod = |meta: &str, status: &str| {
        format!(
            "
- apiVersion: v1
  kind: Pod
  metadata: {{name: a, namespace: default, uid: a, creationTimestamp: '2026-07-01T09:00:00Z'{meta}}}
  spec: {{nodeName: n1, containers: [{{name: c, image: i}}]}}
  status: {{phase: Running, startTime: '2026-07-01T09:00:00Z', {status}}}"
        )
    };
    let crash = "containerStatuses: [{name: c, restartCount: 9, ready: false, image: i, imageID: x, state: {waiting: {reason: \
                 CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, startedAt: '2026-07-01T10:02:01Z', \
                 finishedAt: '2026-07-01T10:02:02Z'}}}]";
    let kubelet_write = ", managedFields: [{manager: kubelet, operation: Update, time: '2026-07-01T10:03:00Z'}]";
    let future_deletion = ", deletionTimestamp: '2026-07-01T11:00:00Z', deletionGracePeriodSeconds: 3600";
    let deletion_with_600s_grace = ", deletionTimestamp: '2026-07-01T10:12:30Z', deletionGracePeriodSeconds: 600";
    let deletion_without_grace = ", deletionTimestamp: '2026-07-01T10:03:00Z'";
    let event = "
- apiVersion: v1
  kind: Event
  metadata: {name: e, namespace: default, uid: e, creationTimestamp: '2026-07-01T09:00:00Z'}
  involvedObject: {kind: Pod, namespace: default, name: a, uid: a}
  reason: BackOff
  lastTimestamp: '2026-07-01T10:04:00Z'";
    let lease = "
- apiVersion: coordination.k8s.io/v1
  kind: Lease
  metadata: {name: l, namespace: default, uid: l, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec: {holderIdentity: x, renewTime: '2026-07-01T10:05:00.250000Z'}";
    let set = "
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: d, namespace: default, uid: d, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec: {replicas: 0, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}
  status: {conditions: [{type: Progressing, status: 'True', lastUpdateTime: '2026-07-01T10:06:00Z'}]}";
    let rows = [
        (vec![ready("10:00:00")], "10:00:00"),
        (vec![ready("10:00:00"), pod("", crash)], "10:02:02"),
        (vec![ready("10:00:00"), pod(kubelet_write, crash)], "10:03:00"),
        (vec![ready("10:00:00"), pod(future_deletion, crash)], "10:02:02"),
        // Deletion was requested at 10:02:30: the deletion timestamp minus the grace period (default 30 s).
        (
            vec![ready("10:00:00"), pod(deletion_with_600s_grace, crash)],
            "10:02:30",
        ),
        (vec![ready("10:00:00"), pod(deletion_without_grace, crash)], "10:02:30"),
        (vec![ready("10:00:00"), pod("", crash), event.to_owned()], "10:04:00"),
        (vec![ready("10:00:00"), lease.to_owned()], "10:05:01"),
        (vec![ready("10:00:00"), set.to_owned()], "10:06:00"),
    ];
    for (items, start) in rows {
        let (session, notices) = open_dump(&items);
        let expected = format!("t = 0 is 2026-07-01T{start}Z, the latest moment that the files show to have passed");
        assert!(notices.contains(&expected), "{expected}: {notices:?}");
        let waits = session.world().kubelets().flat_map(|(node, kubelet)| {
            let machine = session
                .world()
                .machines()
                .find(|(machine_node, _)| *machine_node == node)
                .map(|(_, machine)| machine);
            kubelet.pending_events(machine.expect("a machine"), session.world().now())
        });
        for due in waits.filter(|due| due.what == podscope_api::pending_event::PendingEventKind::BackOff) {
            let world = session.world();
            let pod = world.objects().get::<Pod>(&due.key).expect("a pod");
            let ended = pod
                .status
                .statuses()
                .find_map(|item| item.last_state.terminated.as_ref()?.finished_at);
            let delay = world
                .kubelet_of("n1")
                .and_then(|kubelet| kubelet.back_off(&pod.metadata.uid, "c"));
            let remaining = ended.expect("its end").0 - world.start_time().0 + delay.expect("a delay").0;
            assert_eq!(remaining, due.at.0);
        }
    }
}
