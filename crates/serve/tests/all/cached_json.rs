//! The server caches the JSON text of each object. Lists and watches must nevertheless have the encoding that the
//! client requested, and must show the objects of the current history after a restore.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{OpenWatch, get, post, send, serve};

const CONFIG_MAPS_PATH: &str = "/api/v1/namespaces/default/configmaps";

fn put_config_map(at: std::net::SocketAddr, value: &str) -> Value {
    let kind = [("Content-Type".to_owned(), "application/merge-patch+json".to_owned())];
    let patch = json!({"data": {"key": value}}).to_string();
    let answer = send(at, "PATCH", &format!("{CONFIG_MAPS_PATH}/a"), &kind, patch.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["metadata"]["resourceVersion"].clone()
}

/// Returns the value `data.key` of ConfigMap `a`, as a list request shows it.
fn listed_config_map_value(at: std::net::SocketAddr) -> Value {
    let list = get(at, CONFIG_MAPS_PATH).json();
    let items = list["items"].as_array().cloned().unwrap_or_default();
    let found = items.iter().find(|item| item["metadata"]["name"] == "a");
    found.map(|item| item["data"]["key"].clone()).unwrap_or_default()
}

#[test]
fn list_after_restore_shows_restored_objects() {
    let server = serve("");
    let at = server.address();
    assert_eq!(post(at, CONFIG_MAPS_PATH, r#"{"metadata": {"name": "a"}}"#).status, 201);
    assert_eq!(listed_config_map_value(at), Value::Null);
    assert_eq!(post(at, "/podscope/v1/checkpoint", "").status, 200);
    let version = put_config_map(at, "one");
    assert_eq!(listed_config_map_value(at), "one");
    assert_eq!(post(at, "/podscope/v1/restore", "").status, 200);
    assert_eq!(listed_config_map_value(at), Value::Null);
    // The restore also resets the resourceVersion: a different object now gets the one of the discarded object.
    assert_eq!(put_config_map(at, "two"), version);
    assert_eq!(listed_config_map_value(at), "two");
}

#[test]
fn list_items_equal_single_objects_in_every_encoding() {
    let server = serve("");
    let at = server.address();
    let list = get(at, "/api/v1/nodes").json();
    let pretty = get(at, "/api/v1/nodes?pretty=true").json();
    assert_eq!(list, pretty);
    let fields: Vec<&String> = list.as_object().expect("a list").keys().collect();
    assert_eq!(fields, ["kind", "apiVersion", "metadata", "items"]);
    assert_eq!(list["items"].as_array().map(Vec::len), Some(6));
    let empty = get(at, "/api/v1/namespaces/nowhere/pods");
    assert!(empty.body.ends_with("\"items\":[]}\n"), "{}", empty.body);
}

#[test]
fn watches_receive_change_in_their_own_encoding() {
    let server = serve("");
    let at = server.address();
    assert_eq!(post(at, CONFIG_MAPS_PATH, r#"{"metadata": {"name": "a"}}"#).status, 201);
    let version = get(at, CONFIG_MAPS_PATH).json()["metadata"]["resourceVersion"].clone();
    let path = format!(
        "{CONFIG_MAPS_PATH}?watch=true&resourceVersion={}",
        version.as_str().unwrap_or_default()
    );
    let accept = |form: &str| {
        let form = format!("application/json;as={form};g=meta.k8s.io;v=v1");
        vec![("Accept".to_owned(), form)]
    };
    let forms = [
        Vec::new(),
        accept("PartialObjectMetadata"),
        accept("Table"),
        Vec::new(),
        accept("Table"),
    ];
    let watches = forms.map(|headers| OpenWatch::open(at, &path, &headers));
    put_config_map(at, "one");
    let events = watches.map(|watch| {
        let lines = watch.wait_for_lines(1, Duration::from_secs(20));
        let event: Value = serde_json::from_str(&lines[0]).expect("JSON");
        assert_eq!(event["type"], "MODIFIED");
        event["object"].clone()
    });
    let kinds = events.each_ref().map(|object| object["kind"].clone());
    assert_eq!(
        kinds,
        ["ConfigMap", "PartialObjectMetadata", "Table", "ConfigMap", "Table"]
    );
    assert_eq!((&events[0], &events[0]["data"]["key"]), (&events[3], &json!("one")));
    assert_eq!(events[1]["metadata"], events[0]["metadata"]);
    // The first event of each table watch contains the columns.
    assert!(
        events[2]["columnDefinitions"].is_array() && events[2] == events[4],
        "{}",
        events[4]
    );
}
