//! Simulated clients' requests in the frames of a host: rates, routes and failures by Service.

use podscope_protocol::{
    CausalThread, MarkKind, Request, ServiceRequests, SessionSource, SubjectRef, ThreadEvent, Update,
};

use super::Page;

const SCENARIO: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: requests}
spec:
  title: Requests
  seed: 3
  cluster: {zones: [a, b], nodesPerZone: 1, node: {cpu: 2, memory: 4Gi, pods: 20}}
  timeline:
  - {at: 20s, run: app traffic start web --rate 20/s --from node/a-1}
  - {at: 30s, run: fault poweroff b-1}
  - {at: 50s, run: app traffic stop web}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, labels: {app: web}}
spec: {nodeName: a-1, containers: [{name: web, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, labels: {app: web}}
spec: {nodeName: b-1, containers: [{name: web, image: x}]}
"#;

/// Returns the client requests in the last of these updates that has any.
fn latest_service_requests(updates: Vec<Update>) -> Option<Vec<ServiceRequests>> {
    let frames = updates.into_iter().filter_map(|update| match update {
        Update::Frame(frame) => frame.requests,
        _ => None,
    });
    frames.last()
}

fn single_service_requests(mut requests: Vec<ServiceRequests>) -> ServiceRequests {
    assert_eq!(requests.len(), 1, "{requests:?}");
    requests.remove(0)
}

/// A Service to which the timeline sends requests only later is listed from the beginning. The routes of requests
/// follow the rules on the client's node. Failed requests are counted and explained, and their count stays when the
/// traffic ends.
/// Shows: TR-042
#[test]
fn frames_have_rates_routes_and_failures_by_service() {
    let (mut page, updates) = Page::open(SessionSource::Files {
        files: vec![("session.yaml".into(), SCENARIO.into())],
    });
    let opened = single_service_requests(latest_service_requests(updates).expect("the planned Service"));
    assert_eq!((&*opened.service, opened.per_second), ("default/web", 0));
    assert!(opened.clients.is_empty() && opened.routes.is_empty());

    let flowing = single_service_requests(latest_service_requests(page.seek(25)).expect("requests"));
    assert_eq!(flowing.clients, ["node/a-1"]);
    assert_eq!(
        (flowing.per_second, flowing.failing_per_second, flowing.failed),
        (20_000, 0, 0)
    );
    let routes: Vec<_> = (flowing.routes.iter())
        .map(|route| {
            (
                route.endpoint.clone().expect("an endpoint"),
                route.per_second,
                route.fails,
            )
        })
        .collect();
    let endpoint = |pod: &str, node: &str| (pod.to_owned(), node.to_owned());
    assert_eq!(
        routes,
        [
            (endpoint("default/web-0", "a-1"), 10_000, false),
            (endpoint("default/web-1", "b-1"), 10_000, false),
        ]
    );

    let failing = single_service_requests(latest_service_requests(page.seek(40)).expect("requests"));
    assert_eq!(failing.failing_per_second, 10_000);
    let lost = failing.failing.expect("a stretch of failures");
    assert_eq!(
        (&*lost.truth, lost.endpoint.as_deref()),
        ("no-power", Some("default/web-1"))
    );
    assert_eq!(lost.count, failing.failed);
    assert!(failing.routes.iter().any(|route| route.fails));

    let ended = single_service_requests(latest_service_requests(page.seek(60)).expect("requests"));
    assert_eq!((ended.per_second, ended.routes.len()), (0, 0));
    assert!(ended.failed >= failing.failed && ended.failing.is_none());

    assert_eq!(
        latest_service_requests(page.send(Request::Seek { at: 60_000_000 })),
        None,
        "nothing changed"
    );
}

fn failed_requests(endpoint: Option<&str>, record: Option<u64>) -> SubjectRef {
    SubjectRef::FailedRequests {
        service: "default/web".into(),
        endpoint: endpoint.map(str::to_owned),
        record,
    }
}

/// Selects failed requests on the page. Returns the inspector's sentence about them, and their thread (chain of
/// causes).
fn select_failures(page: &mut Page, subject: SubjectRef) -> (String, CausalThread) {
    // Nothing is selected first, so that the next frame contains the thread even if it has not changed.
    page.send(Request::Inspect { subject: None });
    let updates = page.send(Request::Inspect { subject: Some(subject) });
    let (mut sentence, mut thread) = (String::new(), CausalThread::default());
    for update in updates {
        match update {
            Update::Detail(detail) => sentence = detail.summary.to_string(),
            Update::Frame(frame) => thread = frame.thread.unwrap_or(thread),
            _ => {}
        }
    }
    (sentence, thread)
}

/// Returns for each record in a thread its depth, whether it is about the selected subject itself, and its text.
fn depth_own_and_text(thread: &CausalThread) -> Vec<(u32, bool, String)> {
    let links = thread.links.iter();
    links
        .map(|link| (link.depth, link.is_own, link.event.to_string()))
        .collect()
}

/// A sentence and a chain of causes explain selected failures, both ongoing ones and those of a record.
/// Shows: R-04, R-02
#[test]
fn selected_failed_requests_have_sentence_and_causes() {
    let (mut page, _) = Page::open(SessionSource::Files {
        files: vec![("session.yaml".into(), SCENARIO.into())],
    });
    let none = page.inspect(failed_requests(None, None));
    assert_eq!(
        (&*none.title, none.summary.to_string()),
        ("Requests to web", "No request has failed yet.".to_owned())
    );

    page.seek(40);
    let (sentence, thread) = select_failures(&mut page, failed_requests(Some("default/web-1"), None));
    assert_eq!(
        sentence,
        "100 requests timed out: a-1 sent to web-1, which is on a machine without power, for 10 s; a-1 listed it as an \
         endpoint since 0:20.0, and had not heard of the change."
    );
    let told = depth_own_and_text(&thread);
    assert_eq!(told[0], (0, false, "fault poweroff b-1".to_owned()), "{told:?}");
    let (depth, is_own, last) = told.last().expect("the stretch");
    assert!(
        *depth > 0 && *is_own && last.starts_with("100 requests timed out"),
        "{told:?}"
    );
    let (sentence, thread) = select_failures(&mut page, failed_requests(Some("default/web-0"), None));
    assert_eq!(sentence, "No request has failed yet.", "none at that pod");
    assert!(thread.links.is_empty());

    // The record about the stretch of failures is written when the traffic ends.
    let updates = page.seek(60);
    let marks = updates.into_iter().filter_map(|update| match update {
        Update::Frame(frame) => Some(frame.marks),
        _ => None,
    });
    let mark = (marks.flatten().find(|mark| mark.kind == MarkKind::RequestsFailed)).expect("a mark");
    assert_eq!(
        mark.subject,
        Some(failed_requests(Some("default/web-1"), Some(mark.id)))
    );
    let (sentence, thread) = select_failures(&mut page, failed_requests(None, Some(mark.id)));
    assert!(
        sentence.starts_with("200 requests timed out: a-1 sent to web-1"),
        "{sentence}"
    );
    let last = thread.links.last().expect("the record");
    assert!(last.is_own && last.record == mark.id, "{last:?}");
    assert!(matches!(last.event, ThreadEvent::RequestsFailed(_)));
}
