//! Static pods and their mirrors (LC-213, LC-064, LC-066, LC-197); what users do to them is a golden scenario.

use podscope_api::{Kind, NodeName, ObjectKey, Uid};
use podscope_cluster::fault::{ControlPlaneProcess, Fault};
use podscope_cluster::{DeleteOptions, Request, What};
use serde_json::{Value, json};

use crate::kubelet::lab::{Lab, pod, status, web};

/// A static pod `web` on a-1, as its mirror: without a UID, the manifest of a scenario.
fn mirror(spec: Value, behavior: &str) -> Value {
    let mut pod = web(spec, &[("main", json!({}), behavior)]);
    pod["metadata"]["annotations"]["kubernetes.io/config.mirror"] = json!("0a1b");
    pod["metadata"]["annotations"]["kubernetes.io/config.source"] = json!("file");
    pod
}

fn uid(lab: &Lab) -> Uid {
    lab.web().expect("a mirror").metadata.uid.clone()
}

fn node() -> NodeName {
    NodeName::from("a-1")
}

fn starts(lab: &Lab) -> usize {
    lab.records(What::ContainerStarted).len()
}

/// Shows: LC-213
#[test]
fn a_mirror_that_goes_is_made_anew_and_its_processes_run_on() {
    let mut lab = Lab::new(&[mirror(json!({}), "")]);
    lab.run(5.0);
    let first = uid(&lab);
    lab.delete(None);
    lab.run(6.0);
    let second = uid(&lab);
    assert_ne!(first, second);
    assert_eq!((lab.processes(), starts(&lab)), (vec!["main".to_owned()], 1));
    let told = status(lab.web().unwrap());
    assert_eq!(
        (&told["phase"], &told["containerStatuses"][0]["ready"]),
        (&json!("Running"), &json!(true))
    );
    // The process goes by the new mirror's UID.
    let machine = lab.world.machine(&node()).expect("a machine");
    assert_eq!(machine.processes()[0].uid, second);
    assert!(lab.killing().is_empty(), "{:?}", lab.killing());
}

/// Shows: LC-085, LC-213
#[test]
fn what_is_planned_for_a_process_survives_its_mirror() {
    let mut lab = Lab::new(&[mirror(json!({}), "run=20s, exit=1")]);
    lab.run(5.0);
    lab.delete(None);
    lab.run(25.0);
    let exits = lab.records(What::ContainerExited);
    assert_eq!(exits.len(), 1);
    assert_eq!(starts(&lab), 2, "LC-085: it is restarted at once");
}

/// Shows: LC-213
#[test]
fn static_pods_run_without_an_api_server_after_a_boot() {
    let mut lab = Lab::new(&[mirror(json!({}), "")]);
    lab.run(5.0);
    let process = ControlPlaneProcess::ApiServer;
    lab.fault(Fault::ControlPlane { process, up: false });
    lab.fault(Fault::Power {
        node: node(),
        on: false,
    });
    lab.run(10.0);
    assert!(lab.processes().is_empty());
    lab.fault(Fault::Power { node: node(), on: true });
    lab.run(30.0);
    assert_eq!(lab.processes(), ["main"]);
    lab.fault(Fault::ControlPlane { process, up: true });
    lab.run(90.0);
    assert_eq!(status(lab.web().unwrap())["containerStatuses"][0]["restartCount"], 1);
    assert_eq!(starts(&lab), 2);
}

/// Shows: LC-210, LC-213
#[test]
fn without_its_node_a_static_pod_has_no_mirror_and_runs() {
    let mut lab = Lab::new(&[mirror(json!({}), "")]);
    lab.run(5.0);
    lab.request(Request::Delete {
        kind: Kind::Node,
        key: ObjectKey::cluster("a-1"),
        options: DeleteOptions::default(),
    });
    lab.run(120.0);
    assert!(lab.web().is_none(), "PodGC and the garbage collector take it");
    assert_eq!(lab.processes(), ["main"]);
    // LC-210: a restart registers the node again, and then the pod has a mirror.
    lab.fault(Fault::Kubelet {
        node: node(),
        up: false,
    });
    lab.fault(Fault::Kubelet { node: node(), up: true });
    lab.run(150.0);
    assert_eq!(status(lab.web().expect("a mirror"))["phase"], "Running");
    assert_eq!(starts(&lab), 1);
}

/// Shows: LC-213
#[test]
fn a_mirror_of_nothing_is_removed() {
    let mut lab = Lab::new(&[]);
    lab.run(5.0);
    lab.create(&mirror(json!({}), ""));
    lab.run(8.0);
    assert!(lab.web().is_none());
    assert_eq!(starts(&lab), 0);
}

/// Static pods are admitted past NoExecute taints, and others end for them.
/// Shows: LC-064, LC-066
#[test]
fn a_static_pod_makes_room_for_itself() {
    let tainted = json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "spec": {"taints": [{"key": "k", "effect": "NoExecute"}]},
        "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
    });
    let cpu = |amount: &str| json!({"resources": {"requests": {"cpu": amount}}});
    let on_n = json!({"nodeName": "n", "tolerations": [{"operator": "Exists"}]});
    let mut statically = pod("web", json!({"nodeName": "n"}), &[("main", cpu("3"), "")]);
    statically["metadata"]["annotations"]["kubernetes.io/config.mirror"] = json!("0a1b");
    let mut lab = Lab::new(&[tainted, pod("other", on_n, &[("main", cpu("2"), "")]), statically]);
    lab.run(40.0);
    assert_eq!(status(lab.pod("other").unwrap())["reason"], "Preempting");
    assert_eq!(status(lab.web().unwrap())["phase"], "Running");
}
