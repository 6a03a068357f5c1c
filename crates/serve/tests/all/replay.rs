//! A served session can be exported as a scenario and replays to the same trace.

use podscope_cluster::SimTime;
use podscope_session::timeline::Session;
use podscope_session::{report, scenario};

use crate::client::{get, post, send, serve};

/// Shows: T-02
#[test]
fn scenario_of_a_served_session_replays_to_the_same_trace() {
    let server = serve("");
    let at = server.address();
    let deployment = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "nginx"}]}}}}"#;
    let path = "/apis/apps/v1/namespaces/default/deployments";
    assert_eq!(post(at, path, deployment).status, 201);
    post(at, "/podscope/v1/advance", r#"{"seconds": 20}"#);
    let kind = |of: &str| vec![("Content-Type".to_owned(), of.to_owned())];
    let patch = kind("application/merge-patch+json");
    let scaled = send(
        at,
        "PATCH",
        &format!("{path}/web/scale"),
        &patch,
        br#"{"spec": {"replicas": 3}}"#,
    );
    assert_eq!((scaled.status, &scaled.json()["spec"]["replicas"]), (200, &3.into()));
    post(
        at,
        "/podscope/v1/command",
        r#"{"run": "fault poweroff a-1", "wait": 5}"#,
    );
    let refused = post(
        at,
        "/api/v1/namespaces/default/pods",
        r#"{"metadata": {"name": "Bad_Name"}}"#,
    );
    assert_eq!(refused.status, 422);
    // The refusal of an invalid body is part of the simulation and of the trace.
    assert_eq!(post(at, "/api/v1/namespaces/default/pods", "{").status, 400);
    assert_eq!(
        send(at, "DELETE", &format!("{path}?labelSelector=no"), &[], b"").status,
        200
    );
    post(at, "/podscope/v1/advance", r#"{"seconds": 30}"#);
    let (trace, text) = (
        get(at, "/podscope/v1/trace").body,
        get(at, "/podscope/v1/scenario").body,
    );
    let now = get(at, "/podscope/v1/time").json()["t"].as_f64().expect("seconds");
    let loaded = scenario::load(&[("scenario.yaml".to_owned(), text)]).expect("the scenario is read");
    let mut session = Session::new(loaded).expect("it is admitted");
    session.advance(SimTime((now * 1e6).round() as i64), u64::MAX);
    assert!(trace.lines().count() > 60, "{trace}");
    for (served, replayed) in trace.lines().zip(report::trace(session.trace()).lines()) {
        assert_eq!(served, replayed);
    }
    assert_eq!(trace, report::trace(session.trace()));
}

#[test]
fn restored_checkpoint_equals_stored_world() {
    let server = serve("");
    let at = server.address();
    let made = post(at, "/podscope/v1/checkpoint", "").json();
    post(at, "/api/v1/namespaces", r#"{"metadata": {"name": "later"}}"#);
    assert_eq!(get(at, "/api/v1/namespaces/later").status, 200);
    let back = post(at, "/podscope/v1/restore", &made.to_string()).json();
    assert_eq!(back["t"], made["t"]);
    assert_eq!(get(at, "/api/v1/namespaces/later").status, 404);
    assert_eq!(
        post(at, "/api/v1/namespaces", r#"{"metadata": {"name": "later"}}"#).status,
        201
    );
}

/// Shows: HT-185
#[test]
fn scenario_has_no_secret_data_unless_asked_for() {
    let server = serve("");
    let at = server.address();
    let path = "/api/v1/namespaces/default/secrets";
    let secret = r#"{"metadata": {"name": "s"}, "data": {"token": "c2VjcmV0"}, "stringData": {"word": "hush"}}"#;
    assert_eq!(post(at, path, secret).status, 201);
    let merge = vec![("Content-Type".to_owned(), "application/merge-patch+json".to_owned())];
    let patch = br#"{"data": {"token": "cGF0Y2hlZA=="}}"#;
    assert_eq!(send(at, "PATCH", &format!("{path}/s"), &merge, patch).status, 200);
    let shared = get(at, "/podscope/v1/scenario").body;
    for data in ["c2VjcmV0", "hush", "cGF0Y2hlZA=="] {
        assert!(!shared.contains(data), "{shared}");
    }
    assert!(shared.contains("token"), "{shared}");
    let whole = get(at, "/podscope/v1/scenario?secrets=true").body;
    assert!(whole.contains("c2VjcmV0") && whole.contains("hush"), "{whole}");
    let loaded = scenario::load(&[("scenario.yaml".to_owned(), shared)]).expect("the scenario is read");
    let mut session = Session::new(loaded).expect("it is admitted");
    let now = get(at, "/podscope/v1/time").json()["t"].as_f64().expect("seconds");
    session.advance(SimTime((now * 1e6).round() as i64), u64::MAX);
    assert_eq!(get(at, "/podscope/v1/trace").body, report::trace(session.trace()));
}
