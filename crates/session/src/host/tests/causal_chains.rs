//! The thread (chain of causes) of the selected object, and the messages between components, in frames.

use podscope_protocol::{
    CausalThread, MAX_MESSAGES, MAX_THREAD_RECORDS, MessageKind, Peer, SubjectRef, ThreadEvent, Traffic,
};

use super::*;

const SCENARIO: &str = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: cut}
spec:
  seed: 1
  cluster: {zones: [a, b], nodesPerZone: 1}
  timeline: [{at: 10s, run: fault partition a-1}]
---
{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {nodeName: a-1, containers: [{name: c, image: 'x:1'}]}}
";

fn open(text: &str) -> (Host, f64) {
    let mut host = Host::new();
    let files = vec![("cut.yaml".to_owned(), text.to_owned())];
    let source = SessionSource::Files { files };
    host.handle(Request::Open { source }, 0.0);
    host.handle(Request::FrameDone, 0.0);
    (host, 0.0)
}

/// Plays the session to a time. Returns the messages in all frames, and the last thread.
fn play_to(host: &mut Host, clock: &mut f64, seconds: i64) -> (Vec<Traffic>, Option<CausalThread>) {
    let at = seconds * 1_000_000;
    let mut all = host.handle(Request::Play, *clock);
    let mut traffic = Vec::new();
    let mut thread = None;
    for _ in 0..100_000 {
        for frame in frames(&all) {
            traffic.push(frame.traffic.clone());
            thread = frame.thread.clone().or(thread);
            if frame.now >= at {
                return (traffic, thread);
            }
        }
        if !frames(&all).is_empty() {
            host.handle(Request::FrameDone, *clock);
        }
        *clock = match host.next_work() {
            NextWork::At(at) => at.max(*clock + 0.1),
            _ => *clock + 0.1,
        };
        all = host.work(*clock);
    }
    panic!("the session does not reach {seconds} s");
}

/// Shows: U-22
#[test]
fn thread_of_node_leads_from_fault_to_condition() {
    let (mut host, mut clock) = open(SCENARIO);
    let subject = SubjectRef::Node { name: "a-1".into() };
    host.handle(Request::Inspect { subject: Some(subject) }, clock);
    host.handle(Request::Speed { per_mille: 10_000 }, clock);
    let (_, thread) = play_to(&mut host, &mut clock, 70);
    let thread = thread.expect("a thread");
    let events: Vec<(u32, &ThreadEvent)> = thread.links.iter().map(|link| (link.depth, &link.event)).collect();
    let line = "fault partition a-1".to_owned();
    assert!(events.contains(&(0, &ThreadEvent::Command { line })), "{events:?}");
    let unready = |event: &ThreadEvent| matches!(event, ThreadEvent::Condition { condition, status, .. } if condition == "Ready" && status == "Unknown");
    assert!(
        events.iter().any(|(depth, event)| *depth == 2 && unready(event)),
        "{events:?}"
    );
    for link in &thread.links {
        let is_in_thread = link
            .caused_by
            .is_none_or(|cause| thread.links.iter().any(|other| other.record == cause));
        assert!(is_in_thread || thread.is_cut, "{link:?}");
    }
    assert!(thread.links.len() <= MAX_THREAD_RECORDS);
}

#[test]
fn thread_of_pod_lists_pending_eviction() {
    let (mut host, mut clock) = open(SCENARIO);
    let subject = SubjectRef::Pod {
        key: "default/web".into(),
        uid: String::new(),
    };
    host.handle(Request::Inspect { subject: Some(subject) }, clock);
    host.handle(Request::Speed { per_mille: 10_000 }, clock);
    let (_, thread) = play_to(&mut host, &mut clock, 70);
    let due = thread.expect("a thread").due;
    assert!(
        due.iter().any(|due| due.what
            == podscope_protocol::UpcomingEventKind::Pending(podscope_protocol::PendingEventKind::Evicted)),
        "{due:?}"
    );
}

/// Shows: U-20
#[test]
fn messages_of_partitioned_node_do_not_arrive() {
    let (mut host, mut clock) = open(SCENARIO);
    let (before, _) = play_to(&mut host, &mut clock, 9);
    let messages: Vec<_> = before.iter().flat_map(|traffic| &traffic.messages).collect();
    let status = messages
        .iter()
        .find(|message| message.kind == MessageKind::Status)
        .expect("a status");
    assert_eq!(
        (&status.from, &status.to),
        (&Peer::Node("a-1".into()), &Peer::ApiServer)
    );
    assert!(status.record.is_some() && status.arrives.is_some_and(|at| at > status.sent));
    assert!(
        messages
            .iter()
            .any(|message| message.kind == MessageKind::Heartbeat && message.arrives.is_some())
    );
    let (after, _) = play_to(&mut host, &mut clock, 40);
    let a_1 = Peer::Node("a-1".into());
    let heartbeats: Vec<_> = (after.iter().flat_map(|traffic| &traffic.messages))
        .filter(|message| message.kind == MessageKind::Heartbeat && message.from == a_1 && message.sent > 10_100_000)
        .collect();
    assert!(
        !heartbeats.is_empty() && heartbeats.iter().all(|message| message.arrives.is_none()),
        "{heartbeats:?}"
    );
}

#[test]
fn messages_per_frame_are_limited_and_others_counted() {
    let scale = SCENARIO.replace(
        "fault partition a-1",
        "kubectl create deployment many --image=x --replicas=90",
    );
    let (mut host, mut clock) = open(&scale);
    host.handle(Request::Speed { per_mille: 1_000_000 }, clock);
    let (traffic, _) = play_to(&mut host, &mut clock, 60);
    assert!(traffic.iter().all(|traffic| traffic.messages.len() <= MAX_MESSAGES));
    assert!(traffic.iter().any(|traffic| !traffic.more.is_empty()));
}
