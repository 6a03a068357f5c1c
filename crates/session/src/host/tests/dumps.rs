//! Updates for a dump that contains only a part of its cluster: the page must not state anything that the dump does not
//! contain (P-09).

use podscope_protocol::{MissingObjectsView, NodeView, PodView, QueuePlace, Request, SubjectRef, Update};

use super::{frames, work_until_idle};
use crate::host::Host;

/// A Node that is ready, as an item of a dump.
const NODE: &str = "
- apiVersion: v1
  kind: Node
  metadata: {name: n1, uid: n1, creationTimestamp: '2026-07-01T08:00:00Z'}
  status:
    capacity: {cpu: '4', memory: 8Gi, pods: '110'}
    conditions: [{type: Ready, status: 'True', reason: KubeletReady, lastHeartbeatTime: '2026-07-01T09:59:00Z'}]";

const RUNNING_POD: &str = "
- apiVersion: v1
  kind: Pod
  metadata: {name: runs, namespace: default, uid: runs, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: 700m}}}]}
  status: {phase: Running, containerStatuses: [{name: c, ready: true, state: {running: {}}}]}";

/// A PersistentVolumeClaim that is bound to a volume, as an item of a dump. The dump does not contain the volume.
const CLAIM: &str = "
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: data, namespace: default, uid: data}
  spec: {accessModes: [ReadWriteOnce], storageClassName: s, volumeName: pv-1, resources: {requests: {storage: 1Gi}}}
  status: {phase: Bound}";

/// Returns a pending pod that the real scheduler refused with `message`, as an item of a dump. `spec` is appended to
/// the pod's spec.
fn pod_refused_with(spec: &str, message: &str) -> String {
    format!(
        "
- apiVersion: v1
  kind: Pod
  metadata: {{name: waits, namespace: default, uid: waits, creationTimestamp: '2026-07-01T09:00:00Z'}}
  spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: REQUEST}}}}}}]{spec}}}
  status:
    phase: Pending
    conditions: [{{type: PodScheduled, status: 'False', reason: Unschedulable, message: '{message}'}}]"
    )
    .replace("REQUEST", "'1'")
}

/// Returns the pods and nodes in the frames of a dump with these items, up to one minute after t = 0.
fn pods_and_nodes_after_a_minute(items: &[&str]) -> (Vec<PodView>, Vec<NodeView>) {
    let (_, updates) = open_pasted_dump(items);
    let (mut pods, mut nodes): (Vec<PodView>, Vec<NodeView>) = (Vec::new(), Vec::new());
    for frame in frames(&updates) {
        pods.extend(frame.pods.iter().map(|pod| (**pod).clone()));
        nodes.extend(frame.nodes.iter().cloned());
    }
    (pods, nodes)
}

/// Returns a host one minute after a dump with these items was pasted, with its updates.
fn open_pasted_dump(items: &[&str]) -> (Host, Vec<Update>) {
    let (mut host, mut clock) = (Host::new(), 0.0);
    let text = format!("apiVersion: v1\nitems:{}\nkind: List\n", items.concat());
    let name = "pasted.yaml".to_owned();
    let mut updates = host.handle(Request::Paste { name, text }, clock);
    updates.extend(work_until_idle(&mut host, &mut clock));
    host.handle(Request::FrameDone, clock);
    updates.extend(host.handle(Request::Seek { at: 60_000_000 }, clock));
    updates.extend(work_until_idle(&mut host, &mut clock));
    (host, updates)
}

/// Returns the position of the pod named `waits` in the scheduling queue, and the page's message about the pod.
fn queue_place(items: &[&str]) -> (QueuePlace, String) {
    let (pods, _) = pods_and_nodes_after_a_minute(items);
    let last = pods.iter().rev().find(|pod| pod.key == "default/waits");
    let queue = last.and_then(|pod| pod.queue.clone()).expect("a pending pod");
    (queue.place.clone(), queue.message.clone())
}

/// If no file contains the pod's claim or volume, the page reports this with the real scheduler's message. If nodes
/// reject the pod for known reasons, the page reports these reasons.
/// Shows: P-09
#[test]
fn pod_with_missing_claim_reports_missing_claim() {
    let message = "0/1 nodes are available: 1 node(s) had volume node affinity conflict.";
    let volumes = ", volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
    let waits = pod_refused_with(volumes, message);
    let named = || vec!["data".to_owned()];
    assert_eq!(
        queue_place(&[NODE, &waits]),
        (
            QueuePlace::Unknown(MissingObjectsView::Claims(named())),
            message.to_owned()
        )
    );
    assert_eq!(
        queue_place(&[NODE, CLAIM, &waits]),
        (
            QueuePlace::Unknown(MissingObjectsView::Volumes(named())),
            message.to_owned()
        )
    );
    // While the claim is unknown, the search for changes that help the pod suggests nothing.
    let (mut host, _) = open_pasted_dump(&[NODE, &waits]);
    let pod = "default/waits".to_owned();
    let mut updates = host.handle(Request::WhatWouldHelp { pod }, 70_000.0);
    updates.extend(work_until_idle(&mut host, &mut 70_000.0));
    let answer = updates.iter().rev().find_map(|update| match update {
        Update::Help { remedies, done, .. } => Some((remedies.len(), *done)),
        _ => None,
    });
    assert_eq!(answer, Some((0, true)));
    let (queue_place, _) = queue_place(&[NODE, &waits.replace("cpu: '1'", "cpu: '64'")]);
    assert_eq!(queue_place, QueuePlace::Unschedulable(vec!["NodeResourcesFit".into()]));
}

/// If only the name of a node is in the dump, the page gets neither the node's size nor its taints, and no reasons why
/// pods are pending.
/// Shows: P-09
#[test]
fn node_known_by_name_only_has_no_size_and_no_reasons() {
    let message = "0/3 nodes are available: 3 Insufficient cpu.";
    let waits = pod_refused_with("", message);
    let (pods, nodes) = pods_and_nodes_after_a_minute(&[RUNNING_POD, &waits]);
    let node = nodes.iter().rev().find(|node| node.name == "n1").expect("a node");
    assert!(node.only_name && node.taints.is_empty(), "{node:?}");
    let queue = pods
        .iter()
        .rev()
        .find_map(|pod| pod.queue.clone())
        .expect("a pending pod");
    assert_eq!(queue.place, QueuePlace::Unknown(MissingObjectsView::Nodes));
    assert_eq!((queue.message.as_str(), queue.refusal), (message, None));
    // The page shows no message for a pod that the real scheduler has not examined.
    let unseen = waits.replace("reason: Unschedulable", "reason: Other");
    assert_eq!(
        queue_place(&[RUNNING_POD, &unseen]),
        (QueuePlace::Unknown(MissingObjectsView::Nodes), String::new())
    );
}

/// A pod that is terminating in the dump was deleted before t = 0, for the cause in its conditions. The taint of its
/// unreachable node does not evict it again.
/// Shows: P-09, CT-033
#[test]
fn terminating_pod_in_dump_is_not_evicted_again() {
    let lost = NODE
        .replace("n1", "n2")
        .replace(
            "  status:",
            "  spec: {taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}]}\n  status:",
        )
        .replace("'True', reason: KubeletReady", "Unknown, reason: NodeStatusUnknown");
    let terminating_pod = |tolerations: &str, conditions: &str| {
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
        let (mut host, updates) = open_pasted_dump(&[NODE, &lost, &terminating_pod(tolerations, conditions)]);
        let marks = frames(&updates).into_iter().flat_map(|frame| frame.marks.iter());
        let labels: Vec<String> = marks.map(|mark| mark.label.to_string()).collect();
        assert!(!labels.iter().any(|label| label.contains("evicted")), "{labels:?}");
        let subject = Some(SubjectRef::Pod {
            key: "default/data-0".into(),
            uid: "data-0".into(),
        });
        let updates = host.handle(Request::Inspect { subject }, 70_000.0);
        let summary = updates.iter().find_map(|update| match update {
            Update::Detail(detail) => Some(detail.summary.to_string()),
            _ => None,
        });
        let summary = summary.expect("a summary");
        assert!(summary.starts_with(&format!("Being terminated: {cause}.")), "{summary}");
    }
}
