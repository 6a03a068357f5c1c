//! Handover of a host's session to a host in another engine.

use podscope_protocol::ConsoleLine;

use super::*;

/// Hands a host over as bytes and replays its session. Returns the new host and its updates.
fn hand_over_and_replay(host: &mut Host, clock: &mut f64) -> (Host, Vec<Update>) {
    let bytes = host.hand_over().to_bytes();
    assert!(host.active.is_none());
    let state = Handover::from_bytes(&bytes).expect("a state");
    let (mut next, requests) = Host::take_over(state).expect("the scenario opens");
    assert!(requests.is_empty());
    let mut updates = Vec::new();
    while next.is_resuming() {
        *clock += 1.0;
        updates.extend(next.work(*clock));
    }
    (next, updates)
}

fn run_command(host: &mut Host, line: &str, clock: &mut f64) -> Vec<Update> {
    let mut updates = host.handle(Request::Command { line: line.into() }, *clock);
    updates.extend(settle(host, clock));
    updates
}

fn console(updates: &[Update]) -> Vec<&ConsoleLine> {
    let lines = updates.iter().filter_map(|update| match update {
        Update::Console { lines } => Some(lines),
        _ => None,
    });
    lines.flatten().collect()
}

fn session(host: &Host) -> &crate::timeline::Session {
    &host.active.as_ref().expect("a session").session
}

/// Returns a frame that contains everything, like the first frame of a page.
fn complete_frame(host: &mut Host, clock: f64) -> Frame {
    let active = host.active.as_mut().expect("a session");
    active.view_state = Default::default();
    let updates = host.frame(clock);
    frames(&updates)[0].clone()
}

/// Returns a host with two branches, both with commands. Before the last two commands, its cursor was moved back.
fn host_with_two_branches(clock: &mut f64) -> Host {
    let mut host = welcome().0;
    run_command(&mut host, "kubectl cordon a-1", clock);
    host.handle(Request::Seek { at: 40_000_000 }, *clock);
    settle(&mut host, clock);
    run_command(&mut host, "fault partition b-1", clock);
    host.handle(Request::Seek { at: 90_000_000 }, *clock);
    settle(&mut host, clock);
    host.handle(Request::Seek { at: 60_000_000 }, *clock);
    settle(&mut host, clock);
    run_command(&mut host, "kubectl get nodes", clock);
    run_command(&mut host, "kubectl delete pod --all", clock);
    host
}

/// The new host continues at the same position with the same trace, frame, branches and links, and prints no console
/// line again.
/// Shows: T-01, T-03
#[test]
fn handover_keeps_trace_branches_and_frame() {
    let mut clock = 0.0;
    let mut host = host_with_two_branches(&mut clock);
    let (now, hash) = (session(&host).now(), session(&host).trace_hash());
    let labels = |host: &Host| -> Vec<_> {
        let branches = session(host).branches().iter();
        branches
            .map(|branch| (branch.parent, branch.from, branch.label.clone()))
            .collect()
    };
    let branches = labels(&host);
    assert_eq!(branches.len(), 2);
    let link = crate::link::Link::of(session(&host), None, String::new());
    let before = complete_frame(&mut host, clock);

    let (mut next, updates) = hand_over_and_replay(&mut host, &mut clock);
    assert_eq!((session(&next).now(), session(&next).trace_hash()), (now, hash));
    assert_eq!(labels(&next), branches);
    assert_eq!(crate::link::Link::of(session(&next), None, String::new()), link);
    assert_eq!(console(&updates), Vec::<&ConsoleLine>::new());
    let sent = frames(&updates);
    assert!(sent.len() == 1 && sent[0].reset, "{sent:?}");
    assert_eq!(complete_frame(&mut next, clock), before);

    // The last command can be undone, and the other branch still exists.
    next.handle(Request::Undo, clock);
    settle(&mut next, &mut clock);
    assert!(
        session(&next)
            .commands()
            .iter()
            .all(|timed| !timed.command.to_string().contains("delete"))
    );
    next.handle(Request::Branch { branch: 0 }, clock);
    settle(&mut next, &mut clock);
    assert_eq!(session(&next).commands().len(), 2);
}

/// Returns a host with a lesson that has asked its first question.
fn host_at_question(clock: &mut f64) -> Host {
    let mut host = Host::new();
    open_lesson(&mut host, "why-pending", *clock);
    settle(&mut host, clock);
    host.handle(Request::SkipToStory, *clock);
    settle(&mut host, clock);
    host
}

/// A question is asked at the end of its instant, after the last record: the replay must reach this point.
/// Shows: U-23
#[test]
fn open_question_stays_open_after_handover() {
    let mut clock = 0.0;
    let mut host = host_at_question(&mut clock);
    let before = complete_frame(&mut host, clock).story;
    let question = before.as_ref().and_then(|story| story.question);
    assert_eq!(question, Some(0), "{before:?}");

    let (mut next, _) = hand_over_and_replay(&mut host, &mut clock);
    assert_eq!(complete_frame(&mut next, clock).story, before);
}

/// A handover can happen while a link is being opened, for example if the URL also contains a course. The reader's
/// answer and the instant of the link are restored.
/// Shows: T-03, U-23
#[test]
fn link_opened_during_handover_keeps_answer_and_instant() {
    let mut clock = 0.0;
    let mut host = host_at_question(&mut clock);
    let answer = Some("an answer".to_owned());
    host.handle(Request::Predict { step: 0, answer }, clock);
    let at = session(&host).now().0 + 2_000_000;
    for request in [Request::Pause, Request::Seek { at }] {
        host.handle(request, clock);
        settle(&mut host, &mut clock);
    }
    let before = complete_frame(&mut host, clock);
    assert!(
        before.story.as_ref().is_some_and(|story| story.question.is_none()),
        "{before:?}"
    );
    let (fragment, _) = super::keeping::stored_link(&mut host, &mut clock, 1).expect("a link");

    let mut opening = Host::new();
    let source = Source::Link { fragment };
    opening.handle(Request::Open { source }, clock);
    while opening.linked.is_none() {
        clock += 1.0;
        opening.work(clock);
    }
    let (mut next, _) = hand_over_and_replay(&mut opening, &mut clock);
    settle(&mut next, &mut clock);
    let after = complete_frame(&mut next, clock);
    assert_eq!((after.now, after.story), (before.now, before.story));
}

/// The new host answers a command that the previous host had not answered yet, and answers it only once.
/// Shows: K-01
#[test]
fn unanswered_command_is_answered_once_after_handover() {
    let mut clock = 0.0;
    let mut host = welcome().0;
    let line = "kubectl cordon a-1".to_owned();
    let mut updates = host.handle(Request::Command { line }, clock);
    let (mut next, replayed) = hand_over_and_replay(&mut host, &mut clock);
    updates.extend(replayed);
    updates.extend(settle(&mut next, &mut clock));
    let answers = console(&updates);
    let answers = answers
        .iter()
        .filter(|line| line.text.to_string().contains("node/a-1 cordoned"));
    assert_eq!(answers.count(), 1, "{:?}", console(&updates));
}

/// After a handover, a playing session continues at the same speed, and the page's selection stays.
/// Shows: U-05
#[test]
fn playing_session_continues_after_handover() {
    let mut host = playing_host();
    let mut clock = 100.0;
    host.handle(Request::Speed { per_mille: 10_000 }, clock);
    let node = SubjectRef::Node { name: "b-1".into() };
    let subject = Some(node.clone());
    host.handle(Request::Inspect { subject }, clock);
    for _ in 0..50 {
        clock += 5.0;
        host.work(clock);
    }
    let before = session(&host).now();
    let (mut next, updates) = hand_over_and_replay(&mut host, &mut clock);
    assert_eq!(session(&next).now(), before);
    let frame = frames(&updates)[0].clone();
    assert_eq!((frame.playing, frame.speed_per_mille), (true, 10_000));
    assert_eq!(next.subject, Some(node));
    for _ in 0..50 {
        clock += 5.0;
        next.work(clock);
    }
    assert!(session(&next).now() > before);
}

/// If several events occur at one instant, the new host stops at the same event as the previous one.
/// Shows: T-01
#[test]
fn handover_between_events_of_one_instant_keeps_position() {
    let mut clock = 0.0;
    let mut host = welcome().0;
    for _ in 0..40 {
        host.handle(Request::Step, clock);
        settle(&mut host, &mut clock);
        let (now, hash) = (session(&host).now(), session(&host).trace_hash());
        let (next, _) = hand_over_and_replay(&mut host, &mut clock);
        assert_eq!((session(&next).now(), session(&next).trace_hash()), (now, hash));
        host = next;
    }
}

/// Requests that waited in the previous host are returned in order, after a source that was being opened.
#[test]
fn handover_returns_waiting_requests_in_order() {
    let (mut host, _) = welcome();
    host.handle(Request::Seek { at: 600_000_000 }, 0.0);
    let line = "kubectl get pods".to_owned();
    host.handle(Request::Command { line: line.clone() }, 0.0);
    let files = vec![("large.yaml".to_owned(), format!("# {}\n", "x".repeat(2 << 20)))];
    let source = Source::Files { files };
    host.handle(Request::Open { source: source.clone() }, 0.0);
    let state = host.hand_over();
    assert_eq!(state.n_requests(), 2);
    let (_, requests) = Host::take_over(state).expect("the scenario opens");
    let expected = [Request::Open { source }, Request::Command { line }];
    assert!(requests == expected, "{} requests", requests.len());
}

/// The end-to-end story of the whole engine expects the same device (`tests/e2e/stories/whole-engine.mjs`).
/// Shows: S-01
#[test]
fn device_claim_is_allocated_by_selector() {
    let text = include_str!("../../../../../tests/fixtures/device-claim.yaml");
    let mut clock = 0.0;
    let mut host = Host::new();
    host.handle(Request::Open { source: Source::Free }, clock);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    settle(&mut host, &mut clock);
    run_command(&mut host, &format!("kubectl apply -f - <<'EOF'\n{text}EOF"), &mut clock);
    host.handle(Request::Seek { at: 40_000_000 }, clock);
    settle(&mut host, &mut clock);
    let device = "{.status.allocation.devices.results[0].device}";
    let line = format!("kubectl get resourceclaim big-gpu -o jsonpath='{device}'");
    let updates = run_command(&mut host, &line, &mut clock);
    let printed: Vec<String> = console(&updates).iter().map(|line| line.text.to_string()).collect();
    assert_eq!(printed.get(1).map(String::as_str), Some("gpu-1"), "{printed:?}");
}
