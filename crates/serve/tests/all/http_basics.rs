//! Access checks, the size limit of bodies, responses to paths that are not resources, and watches.

use crate::client::{OpenWatch, get, post, send, serve};
use std::time::Duration;

fn one_header(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

/// Web pages of other sites cannot reach the cluster through the user's browser.
#[test]
fn foreign_host_or_origin_is_forbidden() {
    let server = serve("");
    let at = server.address();
    for (name, value) in [
        ("Host", "evil.example".to_owned()),
        ("Host", format!("evil.example:{}", at.port())),
        ("Origin", "http://evil.example".to_owned()),
        ("Origin", "null".to_owned()),
    ] {
        let answer = send(at, "GET", "/version", &one_header(name, &value), b"");
        assert_eq!(answer.status, 403, "{name}: {value}");
    }
    for (name, value) in [
        ("Host", format!("localhost:{}", at.port())),
        ("Origin", format!("http://{at}")),
    ] {
        assert_eq!(
            send(at, "GET", "/version", &one_header(name, &value), b"").status,
            200,
            "{name}: {value}"
        );
    }
}

/// Shows: HT-034
#[test]
fn body_above_size_limit_is_refused() {
    let server = serve("");
    let body = vec![b' '; 3 * 1024 * 1024 + 1];
    let path = "/api/v1/namespaces/default/configmaps";
    let answer = send(
        server.address(),
        "POST",
        path,
        &one_header("Content-Type", "application/json"),
        &body,
    );
    assert!(matches!(answer.status, 413 | 0), "{answer:?}");
}

/// Shows: HT-005, HT-021, HT-092, HT-093
#[test]
fn paths_without_resources_are_answered() {
    let server = serve("");
    let at = server.address();
    let version = get(at, "/version/").json();
    assert_eq!(version["gitVersion"], podscope_api::KUBERNETES_VERSION);
    for path in ["/healthz", "/livez", "/readyz"] {
        let answer = get(at, path);
        assert_eq!((answer.status, answer.body.as_str()), (200, "ok"), "{path}");
    }
    let answer = get(at, "/nope");
    assert_eq!((answer.status, answer.body.as_str()), (404, "404 page not found\n"));
}

/// While the API server is crashed, connections are closed without a response, and watches end.
#[test]
fn crashed_api_server_closes_connections_and_watches() {
    let server = serve("");
    let at = server.address();
    let watch = OpenWatch::open(at, "/api/v1/nodes?watch=true", &[]);
    assert_eq!(watch.wait_for_lines(6, Duration::from_secs(10)).len(), 6);
    post(at, "/podscope/v1/command", r#"{"run": "fault crash apiserver"}"#);
    assert_eq!(get(at, "/api/v1/nodes").status, 0);
    assert_eq!(post(at, "/api/v1/namespaces", "{}").status, 0);
    watch.wait_for_lines(100, Duration::from_secs(10));
    assert!(watch.has_ended());
    post(at, "/podscope/v1/command", r#"{"run": "fault restart apiserver"}"#);
    post(at, "/podscope/v1/advance", r#"{"seconds": 1}"#);
    assert_eq!(get(at, "/api/v1/nodes").status, 200);
}

/// Shows: HT-072, HT-073, HT-074, HT-076
#[test]
fn watch_events_arrive_in_order() {
    let server = serve("");
    let at = server.address();
    let path = "/api/v1/namespaces/default/configmaps";
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let selected = format!("{path}?{query}&fieldSelector=metadata.name%3Da");
    let watch = OpenWatch::open(at, &selected, &[]);
    post(at, path, r#"{"metadata": {"name": "a"}, "data": {"k": "1"}}"#);
    let patch = one_header("Content-Type", "application/merge-patch+json");
    send(at, "PATCH", &format!("{path}/a"), &patch, br#"{"data": {"k": "2"}}"#);
    let gone = send(at, "DELETE", &format!("{path}/a"), &[], b"").json();
    let lines = watch.wait_for_lines(4, Duration::from_secs(10));
    let events: Vec<serde_json::Value> = lines
        .iter()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(types, ["BOOKMARK", "ADDED", "MODIFIED", "DELETED"]);
    assert_eq!(gone["details"]["uid"], events[3]["object"]["metadata"]["uid"]);
    let version = |at: usize| {
        events[at]["object"]["metadata"]["resourceVersion"]
            .as_str()
            .map(str::len)
    };
    assert!(version(3).is_some());
    // A watch from an earlier version sends the later events again.
    let since = events[1]["object"]["metadata"]["resourceVersion"]
        .as_str()
        .expect("a version");
    let again = OpenWatch::open(at, &format!("{path}?watch=true&resourceVersion={since}"), &[]);
    assert_eq!(again.wait_for_lines(2, Duration::from_secs(10)), lines[2..]);
}
