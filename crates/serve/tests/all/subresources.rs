//! Requests to subresources of objects, such as `status`, `ephemeralcontainers`, `binding` and `log`.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::client::{get, post, send, serve};

fn patch(at: SocketAddr, path: &str, body: &Value) -> (u16, Value) {
    let kind = [(
        "Content-Type".to_owned(),
        "application/strategic-merge-patch+json".to_owned(),
    )];
    let answer = send(at, "PATCH", path, &kind, body.to_string().as_bytes());
    (answer.status, answer.json())
}

fn pod_json(name: &str, scheduler: &str) -> String {
    json!({
        "metadata": {"name": name},
        "spec": {"schedulerName": scheduler, "containers": [{"name": "c", "image": "nginx:1"}]},
    })
    .to_string()
}

/// Shows: HT-199
#[test]
fn status_write_changes_only_metadata_allowed_for_kind() {
    let server = serve("");
    let at = server.address();
    let sent = json!({
        "metadata": {
            "labels": {"via": "status"}, "annotations": {"via": "status"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "a-1", "uid": "u"}],
        },
        "spec": {"priority": 5, "paused": true},
    });
    post(at, "/api/v1/namespaces/default/pods", &pod_json("p", "none"));
    let (code, pod) = patch(at, "/api/v1/namespaces/default/pods/p/status", &sent);
    assert_eq!((code, &pod["spec"]["priority"]), (200, &json!(0)), "{pod}");
    let metadata = &pod["metadata"];
    assert_eq!(
        (&metadata["labels"]["via"], &metadata["annotations"]["via"]),
        (&json!("status"), &json!("status"))
    );
    assert_eq!(metadata["ownerReferences"], Value::Null);

    let deployment = json!({
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 0, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "a:1"}]}},
        },
    });
    post(
        at,
        "/apis/apps/v1/namespaces/default/deployments",
        &deployment.to_string(),
    );
    let (code, web) = patch(at, "/apis/apps/v1/namespaces/default/deployments/web/status", &sent);
    assert_eq!((code, &web["spec"]["paused"]), (200, &Value::Null), "{web}");
    assert_eq!(web["metadata"]["labels"], Value::Null);
    assert_eq!(web["metadata"]["annotations"]["via"], "status");
}

#[test]
fn status_write_keeps_pod_ip_and_pod_ips_consistent() {
    let server = serve("");
    let at = server.address();
    post(at, "/api/v1/namespaces/default/pods", &pod_json("p", "none"));
    for (status, ip, ips) in [
        (json!({"podIP": "10.0.0.1"}), "10.0.0.1", json!([{"ip": "10.0.0.1"}])),
        (json!({"podIP": "10.0.0.2"}), "10.0.0.2", json!([{"ip": "10.0.0.2"}])),
        (
            json!({"podIP": null, "podIPs": [{"$patch": "replace"}, {"ip": "10.0.0.3"}]}),
            "10.0.0.3",
            json!([{"ip": "10.0.0.3"}]),
        ),
    ] {
        let sent = json!({"status": status});
        let (code, pod) = patch(at, "/api/v1/namespaces/default/pods/p/status", &sent);
        let got = (code, &pod["status"]["podIP"], &pod["status"]["podIPs"]);
        assert_eq!(got, (200, &json!(ip), &ips), "{sent}");
    }
}

/// Shows: HT-109, HT-199
#[test]
fn service_status_and_spec_are_written_separately() {
    let server = serve("");
    let at = server.address();
    let service = json!({"metadata": {"name": "s"}, "spec": {"type": "LoadBalancer", "selector": {"a": "b"}, "ports": [{"port": 80}]}});
    post(at, "/api/v1/namespaces/default/services", &service.to_string());
    let path = "/api/v1/namespaces/default/services/s";
    let ingress = json!({"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}});
    let sent = json!({"metadata": {"labels": {"via": "status"}}, "spec": {"selector": {"c": "d"}}, "status": ingress});
    let (code, written) = patch(at, &format!("{path}/status"), &sent);
    assert_eq!(
        (code, &written["spec"]["selector"]),
        (200, &json!({"a": "b"})),
        "{written}"
    );
    assert_eq!(
        written["status"]["loadBalancer"]["ingress"][0]["ip"], "192.0.2.1",
        "{written}"
    );
    assert_eq!(written["metadata"]["labels"]["via"], "status");
    let sent = json!({"spec": {"selector": {"c": "d"}}, "status": {"loadBalancer": null}});
    let (code, written) = patch(at, path, &sent);
    assert_eq!(
        (code, &written["spec"]["selector"]["c"]),
        (200, &json!("d")),
        "{written}"
    );
    assert_eq!(
        written["status"]["loadBalancer"]["ingress"][0]["ip"], "192.0.2.1",
        "{written}"
    );
}

/// Shows: HT-118
#[test]
fn ephemeral_containers_are_unsupported_for_running_pods() {
    let server = serve("");
    let at = server.address();
    let with = |image: &str| json!({"spec": {"ephemeralContainers": [{"name": "dbg", "image": image}]}});
    post(at, "/api/v1/namespaces/default/pods", &pod_json("p", "none"));
    let path = "/api/v1/namespaces/default/pods/p/ephemeralcontainers";
    let (code, made) = patch(at, path, &with("busybox:1"));
    assert_eq!((code, &made["metadata"]["generation"]), (200, &json!(2)), "{made}");
    let container = &made["spec"]["ephemeralContainers"][0];
    assert_eq!(
        (&container["name"], &container["imagePullPolicy"]),
        (&json!("dbg"), &json!("IfNotPresent"))
    );
    let (code, refused) = patch(at, path, &with("busybox:2"));
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(
        code == 422 && message.contains("existing ephemeral containers \"dbg\" may not be changed\n@@ -1,6 +1,6 @@\n"),
        "{refused}"
    );
    let bad =
        json!({"spec": {"ephemeralContainers": [{"name": "c", "image": "a:1", "ports": [{"containerPort": 80}]}]}});
    let (code, refused) = patch(at, path, &bad);
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(
        code == 422 && message.contains("cannot be set for an Ephemeral Container"),
        "{refused}"
    );

    post(
        at,
        "/api/v1/namespaces/default/pods",
        &pod_json("run", "default-scheduler"),
    );
    post(at, "/podscope/v1/advance", r#"{"seconds": 30}"#);
    assert_eq!(
        get(at, "/api/v1/namespaces/default/pods/run").json()["status"]["phase"],
        "Running"
    );
    let (code, refused) = patch(
        at,
        "/api/v1/namespaces/default/pods/run/ephemeralcontainers",
        &with("busybox:1"),
    );
    assert_eq!(
        (code, &refused["message"]),
        (501, &json!("ephemeral containers are not simulated"))
    );
    let (code, _) = patch(
        at,
        "/api/v1/namespaces/default/pods/nope/ephemeralcontainers",
        &with("busybox:1"),
    );
    assert_eq!(code, 404);
}

/// Shows: HT-088
#[test]
fn unknown_directive_of_strategic_patch_is_an_error() {
    let server = serve("");
    let at = server.address();
    post(at, "/api/v1/namespaces/default/pods", &pod_json("p", "none"));
    let path = "/api/v1/namespaces/default/pods/p";
    let frob = json!({"spec": {"containers": [{"name": "c", "$patch": "frob"}]}});
    let merge = json!({"spec": {"containers": [{"name": "c", "$patch": "merge"}]}});
    let map = json!({"spec": {"$patch": "merge"}});
    for (sent, why) in [
        (frob, "unknown patch type: frob in map: map[$patch:frob name:c]"),
        (merge, "merging lists cannot yet be specified in the patch"),
        (map, "unknown patch type: merge in map: map[$patch:merge]"),
    ] {
        let (code, status) = patch(at, path, &sent);
        assert_eq!((code, status["message"].as_str()), (500, Some(why)));
    }
}

/// Shows: HT-110, HT-111
#[test]
fn binding_and_eviction_must_contain_name_of_pod() {
    let server = serve("");
    let at = server.address();
    post(at, "/api/v1/namespaces/default/pods", &pod_json("p", "none"));
    for (subresource, what) in [("binding", "Binding"), ("eviction", "Eviction")] {
        for metadata in [json!({}), json!({"name": "q"})] {
            let body = json!({"metadata": metadata, "target": {"kind": "Node", "name": "a-1"}}).to_string();
            let answer = post(at, &format!("/api/v1/namespaces/default/pods/p/{subresource}"), &body);
            let why = format!("name in URL does not match name in {what} object");
            assert_eq!(
                (answer.status, answer.json()["message"].as_str()),
                (400, Some(why.as_str()))
            );
        }
    }
}

/// Shows: HT-115
#[test]
fn log_refuses_two_start_times_and_missing_node() {
    let server = serve("");
    let at = server.address();
    post(at, "/api/v1/namespaces/default/pods", &pod_json("p", "none"));
    let log = "/api/v1/namespaces/default/pods/p/log";
    let answer = get(at, &format!("{log}?sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z"));
    let why =
        "PodLogOptions \"p\" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
    assert_eq!((answer.status, answer.json()["message"].as_str()), (422, Some(why)));
    let binding = json!({"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "nowhere"}}).to_string();
    assert_eq!(
        post(at, "/api/v1/namespaces/default/pods/p/binding", &binding).status,
        201
    );
    let answer = get(at, log);
    assert_eq!(
        (answer.status, answer.json()["message"].as_str()),
        (404, Some("pods \"nowhere\" not found"))
    );
}
