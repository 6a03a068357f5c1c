//! What the page is told of a dump that holds a part of its cluster: what nobody can know is not said (P-09).

use podscope_protocol::{NodeView, NotHeld, PodView, QueuePlace, Request, SubjectRef, Update};

use super::{frames, settle};
use crate::host::Host;

/// A node that is well.
const NODE: &str = "
- apiVersion: v1
  kind: Node
  metadata: {name: n1, uid: n1, creationTimestamp: '2026-07-01T08:00:00Z'}
  status:
    capacity: {cpu: '4', memory: 8Gi, pods: '110'}
    conditions: [{type: Ready, status: 'True', reason: KubeletReady, lastHeartbeatTime: '2026-07-01T09:59:00Z'}]";

const RUNS: &str = "
- apiVersion: v1
  kind: Pod
  metadata: {name: runs, namespace: default, uid: runs, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: 700m}}}]}
  status: {phase: Running, containerStatuses: [{name: c, ready: true, state: {running: {}}}]}";

/// A claim that is bound to a volume.
const CLAIM: &str = "
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: data, namespace: default, uid: data}
  spec: {accessModes: [ReadWriteOnce], storageClassName: s, volumeName: pv-1, resources: {requests: {storage: 1Gi}}}
  status: {phase: Bound}";

/// A pod that the real scheduler refused, with more of its spec.
fn refused(spec: &str, said: &str) -> String {
    format!(
        "
- apiVersion: v1
  kind: Pod
  metadata: {{name: waits, namespace: default, uid: waits, creationTimestamp: '2026-07-01T09:00:00Z'}}
  spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: REQUEST}}}}}}]{spec}}}
  status:
    phase: Pending
    conditions: [{{type: PodScheduled, status: 'False', reason: Unschedulable, message: '{said}'}}]"
    )
    .replace("REQUEST", "'1'")
}

/// The pods and nodes of the page, a minute after the dump was pasted.
fn after_a_minute(items: &[&str]) -> (Vec<PodView>, Vec<NodeView>) {
    let (_, updates) = opened(items);
    let (mut pods, mut nodes): (Vec<PodView>, Vec<NodeView>) = (Vec::new(), Vec::new());
    for frame in frames(&updates) {
        pods.extend(frame.pods.iter().map(|pod| (**pod).clone()));
        nodes.extend(frame.nodes.iter().cloned());
    }
    (pods, nodes)
}

/// An engine a minute after the dump was pasted, with what it said.
fn opened(items: &[&str]) -> (Host, Vec<Update>) {
    let (mut host, mut clock) = (Host::new(), 0.0);
    let text = format!("apiVersion: v1\nitems:{}\nkind: List\n", items.concat());
    let name = "pasted.yaml".to_owned();
    let mut updates = host.handle(Request::Paste { name, text }, clock);
    updates.extend(settle(&mut host, &mut clock));
    host.handle(Request::FrameDone, clock);
    updates.extend(host.handle(Request::Seek { at: 60_000_000 }, clock));
    updates.extend(settle(&mut host, &mut clock));
    (host, updates)
}

/// Where the page says that the pod stands, and the words beside it.
fn place(items: &[&str]) -> (QueuePlace, String) {
    let (pods, _) = after_a_minute(items);
    let last = pods.iter().rev().find(|pod| pod.key == "default/waits");
    let queue = last.and_then(|pod| pod.queue.clone()).expect("a pending pod");
    (queue.place.clone(), queue.message.clone())
}

/// The claim or the volume that no file has is what is said, with the real scheduler's words; a pod that the nodes
/// refuse for what is known of them waits for that.
/// Shows: P-09
#[test]
fn a_pod_whose_claim_no_file_has_says_so() {
    let said = "0/1 nodes are available: 1 node(s) had volume node affinity conflict.";
    let volumes = ", volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
    let waits = refused(volumes, said);
    let named = || vec!["data".to_owned()];
    assert_eq!(
        place(&[NODE, &waits]),
        (QueuePlace::Unknown(NotHeld::Claims(named())), said.to_owned())
    );
    assert_eq!(
        place(&[NODE, CLAIM, &waits]),
        (QueuePlace::Unknown(NotHeld::Volumes(named())), said.to_owned())
    );
    // What it is, no change makes up.
    let (mut host, _) = opened(&[NODE, &waits]);
    let pod = "default/waits".to_owned();
    let mut told = host.handle(Request::WhatWouldHelp { pod }, 70_000.0);
    told.extend(settle(&mut host, &mut 70_000.0));
    let answer = told.iter().rev().find_map(|update| match update {
        Update::Help { remedies, done, .. } => Some((remedies.len(), *done)),
        _ => None,
    });
    assert_eq!(answer, Some((0, true)));
    let (place, _) = place(&[NODE, &waits.replace("cpu: '1'", "cpu: '64'")]);
    assert_eq!(place, QueuePlace::Unschedulable(vec!["NodeResourcesFit".into()]));
}

/// Of a node of which only the name is known the page hears no more, and of pods that nobody can place.
/// Shows: P-09
#[test]
fn where_no_file_has_a_node_neither_sizes_nor_reasons_are_told() {
    let said = "0/3 nodes are available: 3 Insufficient cpu.";
    let waits = refused("", said);
    let (pods, nodes) = after_a_minute(&[RUNS, &waits]);
    let node = nodes.iter().rev().find(|node| node.name == "n1").expect("a node");
    assert!(node.only_name && node.taints.is_empty(), "{node:?}");
    let queue = pods
        .iter()
        .rev()
        .find_map(|pod| pod.queue.clone())
        .expect("a pending pod");
    assert_eq!(queue.place, QueuePlace::Unknown(NotHeld::Nodes));
    assert_eq!((queue.message.as_str(), queue.refusal), (said, None));
    // Nothing was said of one that nobody had looked at, and what is made up says nothing either.
    let unseen = waits.replace("reason: Unschedulable", "reason: Other");
    assert_eq!(
        place(&[RUNS, &unseen]),
        (QueuePlace::Unknown(NotHeld::Nodes), String::new())
    );
}

/// A pod that a dump shows as leaving was deleted before t = 0: for what it says itself, and by nobody again,
/// though the taint of its lost node would have evicted it.
/// Shows: P-09, CT-033
#[test]
fn a_pod_that_was_leaving_is_not_evicted_again() {
    let lost = NODE
        .replace("n1", "n2")
        .replace(
            "  status:",
            "  spec: {taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}]}\n  status:",
        )
        .replace("'True', reason: KubeletReady", "Unknown, reason: NodeStatusUnknown");
    let leaving = |tolerations: &str, conditions: &str| {
        format!(
            "
- apiVersion: v1
  kind: Pod
  metadata:
    name: data-0
    namespace: default
    uid: data-0
    creationTimestamp: '2026-07-01T09:00:00Z'
    deletionTimestamp: '2026-07-01T09:50:00Z'
    deletionGracePeriodSeconds: 30
  spec: {{nodeName: n2, containers: [{{name: c, image: i}}], tolerations: [{tolerations}]}}
  status:
    phase: Running
    conditions: [{conditions}]
    containerStatuses: [{{name: c, ready: true, state: {{running: {{}}}}}}]"
        )
    };
    let tolerant = "{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 20}";
    let by_taint = "{type: DisruptionTarget, status: 'True', reason: DeletionByTaintManager}";
    for (tolerations, conditions, cause) in [
        ("", "", "deleted by request"),
        (tolerant, "", "deleted by request"),
        ("", by_taint, "its node has a NoExecute taint that it does not tolerate"),
    ] {
        let (mut host, updates) = opened(&[NODE, &lost, &leaving(tolerations, conditions)]);
        let marks = frames(&updates).into_iter().flat_map(|frame| frame.marks.iter());
        let labels: Vec<String> = marks.map(|mark| mark.label.to_string()).collect();
        assert!(!labels.iter().any(|label| label.contains("evicted")), "{labels:?}");
        let subject = Some(SubjectRef::Pod {
            key: "default/data-0".into(),
            uid: "data-0".into(),
        });
        let told = host.handle(Request::Inspect { subject }, 70_000.0);
        let summary = told.iter().find_map(|update| match update {
            Update::Detail(detail) => Some(detail.summary.to_string()),
            _ => None,
        });
        let summary = summary.expect("a summary");
        assert!(summary.starts_with(&format!("Being terminated: {cause}.")), "{summary}");
    }
}
