//! Static pods and their mirror pods (LC-213, LC-064, LC-066, LC-197). `tests/golden` covers what users do with them.

use podscope_api::fault::ControlPlaneProcess;
use podscope_api::{Kind, NodeName, ObjectKey, Uid};
use podscope_cluster::fault::Fault;
use podscope_cluster::{DeleteOptions, Request, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, pod, status, web_pod};

/// Returns the mirror pod of a static pod `web` on a-1. It has no UID, so a scenario that contains it gives the node
/// the manifest of the static pod.
fn mirror_pod(spec: Value, behavior: &str) -> Value {
    let mut pod = web_pod(spec, &[("main", json!({}), behavior)]);
    pod["metadata"]["annotations"]["kubernetes.io/config.mirror"] = json!("0a1b");
    pod["metadata"]["annotations"]["kubernetes.io/config.source"] = json!("file");
    pod
}

fn uid(lab: &Lab) -> Uid {
    lab.web().expect("the mirror pod exists").metadata.uid.clone()
}

fn node_a1() -> NodeName {
    NodeName::from("a-1")
}

fn count_starts(lab: &Lab) -> usize {
    lab.records_of_kind(What::ContainerStarted).len()
}

/// Shows: LC-213
#[test]
fn deleted_mirror_is_recreated_while_processes_keep_running() {
    let mut lab = Lab::new(&[mirror_pod(json!({}), "")]);
    lab.run(5.0);
    let first = uid(&lab);
    lab.delete(None);
    lab.run(6.0);
    let second = uid(&lab);
    assert_ne!(first, second);
    assert_eq!((lab.processes(), count_starts(&lab)), (vec!["main".to_owned()], 1));
    let found = status(lab.web().unwrap());
    assert_eq!(
        (&found["phase"], &found["containerStatuses"][0]["ready"]),
        (&json!("Running"), &json!(true))
    );
    // The machine now identifies the process by the UID of the new mirror pod.
    let machine = lab.world.machine(&node_a1()).expect("the machine exists");
    assert_eq!(machine.processes()[0].uid, second);
    assert!(lab.kill_timeline().is_empty(), "{:?}", lab.kill_timeline());
}

/// Shows: LC-085, LC-213
#[test]
fn static_pod_exits_as_scripted_after_mirror_deletion() {
    let mut lab = Lab::new(&[mirror_pod(json!({}), "run=20s, exit=1")]);
    lab.run(5.0);
    lab.delete(None);
    lab.run(25.0);
    let exits = lab.records_of_kind(What::ContainerExited);
    assert_eq!(exits.len(), 1);
    assert_eq!(count_starts(&lab), 2, "LC-085: the first restart is immediate");
}

/// Shows: LC-213
#[test]
fn static_pods_start_after_boot_without_api_server() {
    let mut lab = Lab::new(&[mirror_pod(json!({}), "")]);
    lab.run(5.0);
    let process = ControlPlaneProcess::ApiServer;
    lab.apply_fault(Fault::ControlPlane { process, up: false });
    lab.apply_fault(Fault::Power {
        node: node_a1(),
        on: false,
    });
    lab.run(10.0);
    assert!(lab.processes().is_empty());
    lab.apply_fault(Fault::Power {
        node: node_a1(),
        on: true,
    });
    lab.run(30.0);
    assert_eq!(lab.processes(), ["main"]);
    lab.apply_fault(Fault::ControlPlane { process, up: true });
    lab.run(90.0);
    assert_eq!(status(lab.web().unwrap())["containerStatuses"][0]["restartCount"], 1);
    assert_eq!(count_starts(&lab), 2);
}

/// Shows: LC-210, LC-213
#[test]
fn static_pod_without_node_object_runs_without_mirror() {
    let mut lab = Lab::new(&[mirror_pod(json!({}), "")]);
    lab.run(5.0);
    lab.send_request(Request::Delete {
        kind: Kind::Node,
        key: ObjectKey::cluster("a-1"),
        options: DeleteOptions::default(),
    });
    lab.run(120.0);
    assert!(
        lab.web().is_none(),
        "pod GC and the garbage collector delete the mirror pod"
    );
    assert_eq!(lab.processes(), ["main"]);
    // A restarted kubelet registers the Node again (LC-210); then the pod gets a mirror.
    lab.apply_fault(Fault::Kubelet {
        node: node_a1(),
        up: false,
    });
    lab.apply_fault(Fault::Kubelet {
        node: node_a1(),
        up: true,
    });
    lab.run(150.0);
    assert_eq!(status(lab.web().expect("the mirror pod exists"))["phase"], "Running");
    assert_eq!(count_starts(&lab), 1);
}

/// Shows: LC-213
#[test]
fn mirror_without_static_pod_is_deleted() {
    let mut lab = Lab::new(&[]);
    lab.run(5.0);
    lab.create(&mirror_pod(json!({}), ""));
    lab.run(8.0);
    assert!(lab.web().is_none());
    assert_eq!(count_starts(&lab), 0);
}

/// Static pods are admitted in spite of NoExecute taints, and preempt other pods.
/// Shows: LC-064, LC-066
#[test]
fn static_pod_preempts_other_pods() {
    let tainted = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "spec": {"taints": [{"key": "k", "effect": "NoExecute"}]},
        "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
    });
    let cpu = |amount: &str| json!({"resources": {"requests": {"cpu": amount}}});
    let on_n = json!({"nodeName": "n", "tolerations": [{"operator": "Exists"}]});
    let mut static_pod = pod("web", json!({"nodeName": "n"}), &[("main", cpu("3"), "")]);
    static_pod["metadata"]["annotations"]["kubernetes.io/config.mirror"] = json!("0a1b");
    let mut lab = Lab::new(&[tainted, pod("other", on_n, &[("main", cpu("2"), "")]), static_pod]);
    lab.run(40.0);
    assert_eq!(status(lab.pod("other").unwrap())["reason"], "Preempting");
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}
