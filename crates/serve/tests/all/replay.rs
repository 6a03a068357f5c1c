//! A served session, exported as a scenario, replays to the same trace.

use std::net::SocketAddr;
use std::path::PathBuf;

use podscope_cluster::SimTime;
use podscope_serve::Options;
use podscope_session::timeline::{MAX_COMMANDS, Session};
use podscope_session::{report, scenario};

use crate::client::{get, post, send, serve, serve_with};

/// Replays a scenario file up to the simulated time of a server. Returns the trace.
fn trace_of_replay(at: SocketAddr, text: String) -> String {
    let loaded = scenario::load(&[("scenario.yaml".to_owned(), text)]).expect("the scenario is read");
    let mut session = Session::new(loaded).expect("it is admitted");
    let now = get(at, "/podscope/v1/time").json()["t"].as_f64().expect("seconds");
    session.advance(SimTime((now * 1e6).round() as i64), u64::MAX);
    report::trace(session.trace())
}

/// The path of a recording; the file is removed at the end of the test.
struct Recording(PathBuf);

impl Recording {
    fn new(name: &str) -> Recording {
        Recording(std::env::temp_dir().join(format!("podscope-record-{}-{name}.yaml", std::process::id())))
    }

    fn options(&self) -> Options {
        Options {
            record: Some(self.0.clone()),
            ..Options::default()
        }
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).expect("the recording is written")
    }

    /// Waits until the file has this many entries, because an answer is sent before its entry is written. Returns the
    /// text.
    fn wait_for_entries(&self, entries: usize) -> String {
        let begun = std::time::Instant::now();
        loop {
            let text = self.text();
            if text.matches("\n  - {").count() >= entries {
                return text;
            }
            assert!(begun.elapsed().as_secs() < 60, "{entries} entries: {text}");
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // Failure to remove the file is ignored.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Shows: T-02
#[test]
fn scenario_of_served_session_replays_to_same_trace() {
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
    let again = trace_of_replay(at, text);
    assert!(trace.lines().count() > 60, "{trace}");
    for (served, replay) in trace.lines().zip(again.lines()) {
        assert_eq!(served, replay);
    }
    assert_eq!(trace, again);
}

/// Shows: P-11, T-02
#[test]
fn recording_replays_to_same_trace_after_each_step() {
    let recording = Recording::new("steps");
    let scenario = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: recorded}
spec: {timeline: [{at: 5s, run: fault poweroff a-2}], title: A recorded run}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: default}
data: {text: \"a: b # c\"}
";
    let server = serve_with(scenario, recording.options());
    let at = server.address();
    let trace = || get(at, "/podscope/v1/trace?secrets=true").body;
    assert_eq!(trace_of_replay(at, recording.text()), trace());

    let config_maps = "/api/v1/namespaces/default/configmaps";
    let odd = "{\"metadata\": {\"name\": \"odd\"}, \"data\": {\"k\": \"\\\"'\\u0001\\u007f\\u0085\\n  - {é: ☃}\"}}";
    assert_eq!(post(at, config_maps, odd).status, 201);
    post(at, "/podscope/v1/advance", r#"{"seconds": 20}"#);
    post(
        at,
        "/podscope/v1/command",
        r#"{"run": "kubectl create deployment web --image=nginx"}"#,
    );
    let secret = r#"{"metadata": {"name": "s"}, "stringData": {"word": "hush"}}"#;
    assert_eq!(post(at, "/api/v1/namespaces/default/secrets", secret).status, 201);
    assert_eq!(trace_of_replay(at, recording.wait_for_entries(4)), trace());

    // The entries after the checkpoint are removed from the file.
    let made = post(at, "/podscope/v1/checkpoint", "").json();
    assert_eq!(send(at, "DELETE", &format!("{config_maps}/odd"), &[], b"").status, 200);
    assert!(recording.wait_for_entries(5).contains("DELETE"));
    post(at, "/podscope/v1/restore", &made.to_string());
    let later = r#"{"metadata": {"name": "later"}}"#;
    assert_eq!(post(at, config_maps, later).status, 201);
    post(at, "/podscope/v1/advance", r#"{"seconds": 10}"#);
    let text = recording.wait_for_entries(5);
    assert!(text.contains("later") && !text.contains("DELETE"), "{text}");
    assert_eq!(trace_of_replay(at, text), trace());
}

#[test]
fn recorded_session_has_higher_command_limit() {
    let recording = Recording::new("limit");
    let server = serve_with("", recording.options());
    let at = server.address();
    let path = "/api/v1/namespaces/default/configmaps/a";
    for _ in 0..=MAX_COMMANDS {
        assert_eq!(send(at, "DELETE", path, &[], b"").status, 404);
    }
    let text = recording.wait_for_entries(MAX_COMMANDS + 1);
    assert_eq!(trace_of_replay(at, text), get(at, "/podscope/v1/trace").body);
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
fn scenario_has_no_secret_data_unless_requested() {
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
    assert_eq!(get(at, "/podscope/v1/trace").body, trace_of_replay(at, shared));
}
