//! P-09: nodes of a dump are as their kubelets and the control plane said, for as long as nobody does anything about it.

use podscope_api::{ConditionStatus, Node, ObjectKey, Pod};
use podscope_cluster::SimTime;
use podscope_kubectl::command;
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// A node with its spec and its conditions beside those that are well.
fn node(name: &str, spec: &str, conditions: &str) -> String {
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

/// A condition of a node, written at 09:59.
fn condition(kind: &str, status: &str, reason: &str) -> String {
    format!(
        "{{type: {kind}, status: '{status}', reason: '{reason}', lastHeartbeatTime: '2026-07-01T09:59:00Z', \
         lastTransitionTime: '2026-07-01T09:00:00Z'}}"
    )
}

/// A pod, bound to a node or pending, that asks for nothing: the first to go under pressure.
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

fn open(items: &[String]) -> (Session, Vec<String>) {
    let text = format!("apiVersion: v1\nitems:{}\nkind: List\n", items.concat());
    let loaded = scenario::load(&[("dump.yaml".to_owned(), text)]).unwrap_or_else(|problems| panic!("{problems:?}"));
    let notices = loaded.notices.clone();
    let session = Session::new(loaded).unwrap_or_else(|problems| panic!("{problems:?}"));
    (session, notices)
}

fn at(session: &mut Session, seconds: i64) {
    assert_eq!(session.advance(SimTime::from_seconds(seconds), u64::MAX), Slice::Done);
}

/// Status and reason of a condition, and the taints, of a node.
fn said(session: &Session, node: &str, kind: &str) -> (ConditionStatus, String, Vec<String>) {
    let node = session.world().objects().get::<Node>(&ObjectKey::cluster(node));
    let node = node.expect("a node");
    let known = node.condition(kind).expect("its condition");
    let taints = node.spec.taints.iter().map(|taint| taint.key.to_string());
    (known.status.clone(), known.reason.to_string(), taints.collect())
}

/// Phase and node of a pod.
fn place(session: &Session, name: &str) -> (String, String) {
    let pod = session.world().objects().get::<Pod>(&ObjectKey::new("default", name));
    let pod = pod.expect("a pod");
    let node = pod.spec.node_name.as_ref().map(ToString::to_string);
    (
        pod.status.phase.as_ref().map_or_else(String::new, ToString::to_string),
        node.unwrap_or_default(),
    )
}

fn command(session: &mut Session, line: &str) {
    let command = command::parse(line).unwrap_or_else(|error| panic!("{error:?}"));
    session.command(command).unwrap_or_else(|error| panic!("{error:?}"));
}

/// P-09, LC-191: pressure that a dump shows keeps its condition, its words and its taint; who runs there stays, who waits
/// goes elsewhere or waits, until the machine starts anew.
#[test]
fn pressure_of_a_dump_lasts_until_the_machine_starts_anew() {
    for (kind, taint) in [
        ("MemoryPressure", "memory-pressure"),
        ("DiskPressure", "disk-pressure"),
        ("PIDPressure", "pid-pressure"),
    ] {
        let taint = format!("node.kubernetes.io/{taint}");
        let tainted = format!("taints: [{{key: {taint}, effect: NoSchedule}}]");
        let ready = condition("Ready", "True", "KubeletReady");
        // Where a hand took the condition away, its taint says the same.
        for (told, reason) in [(condition(kind, "True", "ItSaysSo"), "ItSaysSo"), (String::new(), "")] {
            let short = node("n1", &tainted, &format!("{ready}, {told}"));
            let (mut session, notices) = open(&[short, pod("runs", Some("n1")), pod("waits", None)]);
            assert!(
                notices.iter().any(|notice| notice.contains(&format!("n1 ({kind})"))),
                "{notices:?}"
            );
            at(&mut session, 900);
            let wanted = (ConditionStatus::True, reason.to_owned(), vec![taint.clone()]);
            assert_eq!(said(&session, "n1", kind), wanted);
            assert_eq!(place(&session, "waits"), ("Pending".into(), String::new()));
            assert_eq!(place(&session, "runs"), ("Running".into(), "n1".into()));
            command(&mut session, "fault crash kubelet n1");
            command(&mut session, "fault restart kubelet n1");
            at(&mut session, 1_000);
            assert_eq!(said(&session, "n1", kind), wanted);
            assert_eq!(place(&session, "runs"), ("Running".into(), "n1".into()));
            command(&mut session, "fault poweroff n1");
            at(&mut session, 1_010);
            command(&mut session, "fault boot n1");
            at(&mut session, 1_200);
            let (status, _, taints) = said(&session, "n1", kind);
            assert_eq!((status, taints), (ConditionStatus::False, Vec::new()));
            assert_eq!(place(&session, "waits"), ("Running".into(), "n1".into()));
        }
    }
}

/// P-09, LC-204: a kubelet that says it is not ready is heard; one of which nothing was heard for long is not, whatever
/// its last word was.
#[test]
fn a_node_that_is_not_ready_by_its_own_word_is_heard() {
    let tainted = "taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]";
    let own = condition("Ready", "False", "KubeletNotReady");
    let fresh = node("n1", tainted, &own);
    let stale = node("n2", tainted, &own.replace("09:59", "09:12"));
    let well = node("n3", "", &condition("Ready", "True", "KubeletReady"));
    let (mut session, notices) = open(&[fresh, stale, well, pod("runs", Some("n1")), pod("waits", None)]);
    assert!(
        notices
            .iter()
            .any(|one| one.contains("One node is not well") && one.contains("n1 (not ready: KubeletNotReady)")),
        "{notices:?}"
    );
    at(&mut session, 200);
    let (status, reason, taints) = said(&session, "n1", "Ready");
    assert_eq!((status, &*reason), (ConditionStatus::False, "KubeletNotReady"));
    assert!(
        taints.iter().any(|taint| taint == "node.kubernetes.io/not-ready"),
        "{taints:?}"
    );
    assert_eq!(said(&session, "n2", "Ready").0, ConditionStatus::Unknown);
    assert_eq!(place(&session, "runs"), ("Running".into(), "n1".into()));
    assert_eq!(place(&session, "waits"), ("Running".into(), "n3".into()));
    // What is asked of the kubelet it does: nobody has to wait for a timeout.
    command(&mut session, "kubectl delete pod runs --grace-period=1");
    at(&mut session, 210);
    let gone = session.world().objects().get::<Pod>(&ObjectKey::new("default", "runs"));
    assert!(gone.is_none(), "{gone:?}");
}
