//! Objects that are derived from stored ones: CSINodes, IPAddresses, the ServiceCIDR.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{OpenWatch, get, post, send, serve};

const CSI_NODES_PATH: &str = "/apis/storage.k8s.io/v1/csinodes";
const IP_ADDRESSES_PATH: &str = "/apis/networking.k8s.io/v1/ipaddresses";

fn names_of_items(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().into_iter().flatten();
    items.filter_map(|item| item["metadata"]["name"].as_str()).collect()
}

/// Returns type and name of each event of a watch.
fn event_types_and_names(watch: &OpenWatch, count: usize) -> Vec<String> {
    let lines = watch.wait_for_lines(count, Duration::from_secs(10));
    let of = |line: &String| {
        let event: Value = serde_json::from_str(line).expect("an event");
        let name = event["object"]["metadata"]["name"].clone();
        format!(
            "{} {}",
            event["type"].as_str().unwrap_or_default(),
            name.as_str().unwrap_or_default()
        )
    };
    lines.iter().map(of).collect()
}

#[test]
fn csi_nodes_are_added_and_deleted_with_nodes() {
    let server = serve("");
    let at = server.address();
    let list = get(at, CSI_NODES_PATH).json();
    assert_eq!(names_of_items(&list), ["a-1", "a-2", "b-1", "b-2", "c-1", "c-2"]);
    let first = &list["items"][0];
    let node = get(at, "/api/v1/nodes/a-1").json();
    assert_eq!(first["metadata"]["ownerReferences"][0]["uid"], node["metadata"]["uid"]);
    // Go encodes the empty list as null.
    assert_eq!(first["spec"], json!({"drivers": null}));
    assert_eq!(
        get(at, &format!("{CSI_NODES_PATH}/a-1")).json()["metadata"]["uid"],
        first["metadata"]["uid"]
    );

    let version = list["metadata"]["resourceVersion"].as_str().expect("a version");
    let watch = OpenWatch::open(
        at,
        &format!("{CSI_NODES_PATH}?watch=true&resourceVersion={version}"),
        &[],
    );
    send(at, "DELETE", "/api/v1/nodes/c-2", &[], b"");
    post(at, "/api/v1/nodes", &json!({"metadata": {"name": "d-1"}}).to_string());
    assert_eq!(event_types_and_names(&watch, 2), ["DELETED c-2", "ADDED d-1"]);
    assert_eq!(
        names_of_items(&get(at, CSI_NODES_PATH).json()),
        ["a-1", "a-2", "b-1", "b-2", "c-1", "d-1"]
    );
    // A list at the earlier version shows the earlier objects.
    let earlier = format!("{CSI_NODES_PATH}?resourceVersion={version}&resourceVersionMatch=Exact");
    assert_eq!(
        names_of_items(&get(at, &earlier).json()),
        ["a-1", "a-2", "b-1", "b-2", "c-1", "c-2"]
    );
}

#[test]
fn stored_csi_node_replaces_derived_one() {
    let server = serve("");
    let at = server.address();
    let watch = OpenWatch::open(
        at,
        &format!("{CSI_NODES_PATH}?watch=true&fieldSelector=metadata.name%3Da-1"),
        &[],
    );
    let driver = json!({"name": "csi.example.com", "nodeID": "a-1", "topologyKeys": null});
    let stored = json!({"metadata": {"name": "a-1"}, "spec": {"drivers": [driver]}});
    assert_eq!(post(at, CSI_NODES_PATH, &stored.to_string()).status, 201);
    assert_eq!(
        get(at, &format!("{CSI_NODES_PATH}/a-1")).json()["spec"]["drivers"][0]["name"],
        "csi.example.com"
    );
    assert_eq!(event_types_and_names(&watch, 2), ["ADDED a-1", "MODIFIED a-1"]);
    send(at, "DELETE", "/api/v1/nodes/a-1", &[], b"");
    // The stored CSINode is not derived, so it remains without its node until a client deletes it.
    assert_eq!(get(at, &format!("{CSI_NODES_PATH}/a-1")).status, 200);
}

#[test]
fn ip_addresses_are_added_and_deleted_with_services() {
    let server = serve("");
    let at = server.address();
    let network = get(at, "/apis/networking.k8s.io/v1/servicecidrs/kubernetes").json();
    assert_eq!(network["spec"]["cidrs"], json!(["10.96.0.0/12"]));
    assert_eq!(network["status"]["conditions"][0]["type"], "Ready");
    assert_eq!(names_of_items(&get(at, IP_ADDRESSES_PATH).json()), ["10.96.0.1"]);

    let watch = OpenWatch::open(at, &format!("{IP_ADDRESSES_PATH}?watch=true"), &[]);
    let service =
        |name: &str, ip: &str| json!({"metadata": {"name": name}, "spec": {"clusterIP": ip, "ports": [{"port": 80}]}});
    let services = "/api/v1/namespaces/default/services";
    post(at, services, &service("web", "10.96.0.77").to_string());
    post(at, services, &service("headless", "None").to_string());
    let address = get(at, &format!("{IP_ADDRESSES_PATH}/10.96.0.77")).json();
    let parent = json!({"group": "", "resource": "services", "namespace": "default", "name": "web"});
    assert_eq!(address["spec"]["parentRef"], parent);
    send(at, "DELETE", &format!("{services}/web"), &[], b"");
    assert_eq!(
        event_types_and_names(&watch, 3),
        ["ADDED 10.96.0.1", "ADDED 10.96.0.77", "DELETED 10.96.0.77"]
    );
    assert_eq!(names_of_items(&get(at, IP_ADDRESSES_PATH).json()), ["10.96.0.1"]);
}

/// The server taints a new node, as the admission plugin NodeTaint of a real server does.
#[test]
fn created_node_is_tainted_until_it_is_ready() {
    let server = serve("");
    let at = server.address();
    let node = post(at, "/api/v1/nodes", &json!({"metadata": {"name": "d-1"}}).to_string()).json();
    let taint = json!([{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]);
    assert_eq!(node["spec"]["taints"], taint);
    assert_eq!(node["metadata"]["annotations"]["node.alpha.kubernetes.io/ttl"], "0");
}
