//! Several hosts join one session, which belongs to their caller.

use podscope_protocol::{Request, SessionSource, Update};

use super::super::*;
use super::frames;
use crate::scenario;
use crate::timeline::{Session, Slice};

/// A lesson that asks a question at t = 5 s.
const QUESTION_LESSON: &str = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: asks}
spec:
  cluster: {zones: [a], nodesPerZone: 2}
  steps:
  - {text: Wait for it., when: {at: 0s}}
  - {text: Now., when: {at: 5s}, predict: {ask: Where does the pod run?, options: [a-1, a-2], is: {object: Pod default/a, path: .spec.nodeName}}}
  timeline:
  - {at: 8s, run: kubectl run a --image=nginx}
";

fn session(text: &str) -> Session {
    let loaded = scenario::load(&[("scenario.yaml".to_owned(), text.to_owned())]).expect("the scenario is read");
    Session::new(loaded).expect("it is admitted")
}

/// Sends a request to a host that has joined the session.
fn send(host: &mut Host, session: &mut Session, request: Request) -> Vec<Update> {
    host.with_session(session, |host| host.handle(request, 0.0))
}

fn is_playing(host: &Host) -> bool {
    host.rate().is_playing
}

/// A change that one host makes to the joined session appears in the next frame of the other host. Each host keeps its
/// own selection.
/// Shows: P-11
#[test]
fn joined_hosts_show_one_session() {
    let mut session = session("");
    let (mut first, mut second) = (Host::new(), Host::new());
    for host in [&mut first, &mut second] {
        let updates = host.join(&mut session, None, 0.0);
        assert!(
            matches!(&updates[0], Update::Opened(opened) if opened.is_joined),
            "{updates:?}"
        );
        assert_eq!(frames(&updates)[0].nodes.len(), 6);
        host.handle(Request::FrameDone, 0.0);
    }
    let line = "kubectl run a --image=nginx".to_owned();
    send(&mut first, &mut session, Request::Command { line });
    let subject = SubjectRef::Node { name: "a-1".to_owned() };
    send(&mut first, &mut session, Request::Inspect { subject: Some(subject) });
    while session.advance(SimTime::from_seconds(5), u64::MAX) == Slice::More {}
    second.session_changed();
    let updates = second.with_session(&mut session, |host| host.work(100.0));
    assert!(
        frames(&updates)[0].pods.iter().any(|pod| pod.key == "default/a"),
        "{updates:?}"
    );
    assert!(
        !updates.iter().any(|update| matches!(update, Update::Detail(_))),
        "{updates:?}"
    );
}

/// Only the caller advances the time of a joined session, not its hosts.
#[test]
fn joined_host_does_not_advance_time_by_itself() {
    let mut session = session("");
    let mut host = Host::new();
    host.join(&mut session, None, 0.0);
    send(&mut host, &mut session, Request::Play);
    assert!(is_playing(&host));
    for clock in 1..100 {
        host.with_session(&mut session, |host| host.work(f64::from(clock) * 100.0));
    }
    assert_eq!(session.now(), SimTime::ZERO);
}

/// A hidden page does not acknowledge frames. Its host must not request to be called again immediately.
#[test]
fn joined_host_rests_until_frame_is_acknowledged() {
    let mut session = session("");
    let mut host = Host::new();
    host.join(&mut session, None, 0.0);
    send(&mut host, &mut session, Request::Play);
    let next = |host: &Host| match host.next_work() {
        NextWork::At(time) => time,
        other => panic!("{other:?}"),
    };
    assert_eq!(next(&host), 1000.0);
    host.session_changed();
    let updates = host.with_session(&mut session, |host| host.work(1000.0));
    assert_eq!(frames(&updates).len(), 1);
    assert_eq!(next(&host), 2000.0);
    send(&mut host, &mut session, Request::FrameDone);
    assert!(next(&host) < 1100.0);
}

#[test]
fn question_pauses_played_session_until_answered() {
    let mut session = session(QUESTION_LESSON);
    let mut host = Host::new();
    host.join(&mut session, None, 0.0);
    send(&mut host, &mut session, Request::Play);
    let play = |host: &mut Host, session: &mut Session| {
        let target = SimTime::from_seconds(30);
        while host.with_session(session, |host| host.play_to(target)).0 == Slice::More {}
    };
    play(&mut host, &mut session);
    assert_eq!(session.now(), SimTime::from_seconds(5));
    assert!(!is_playing(&host));
    let answer = Some("a-1".to_owned());
    send(&mut host, &mut session, Request::Predict { step: 1, answer });
    assert!(is_playing(&host));
    play(&mut host, &mut session);
    assert_eq!(session.now(), SimTime::from_seconds(30));
}

#[test]
fn session_opened_by_joined_host_replaces_callers_session() {
    let mut session = session("");
    let mut host = Host::new();
    host.join(&mut session, None, 0.0);
    let files = vec![("asks.yaml".to_owned(), QUESTION_LESSON.to_owned())];
    let source = SessionSource::Files { files };
    send(&mut host, &mut session, Request::Open { source });
    assert_eq!(session.world().machines().count(), 2);
}

#[test]
fn changes_run_is_false_for_requests_that_only_read() {
    let mut session = session("");
    let mut host = Host::new();
    host.join(&mut session, None, 0.0);
    let command = |line: &str| Request::Command { line: line.to_owned() };
    for (request, changes) in [
        (command("kubectl get pods"), false),
        (command("kubectl get pods | grep web | wc -l"), false),
        (command("kubectl explain pod"), false),
        (command("no command"), false),
        (command("help"), false),
        (command("kubectl get pods -o name | xargs kubectl delete"), true),
        (command("kubectl delete pod a"), true),
        (command("fault poweroff a-1"), true),
        (
            Request::Commands {
                lines: vec!["kubectl get pods".to_owned(), "stop".to_owned()],
            },
            true,
        ),
        (Request::Inspect { subject: None }, false),
        (Request::Pause, true),
        (Request::Seek { at: 0 }, true),
        (
            Request::Open {
                source: SessionSource::Free,
            },
            true,
        ),
    ] {
        let found = host.with_session(&mut session, |host| host.changes_run(&request));
        assert_eq!(found, changes, "{request:?}");
    }
}
