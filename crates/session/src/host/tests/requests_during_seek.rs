//! Requests that the page sends during a seek (issue 22, point 2): no request is lost, and a pause ends the seek.

use podscope_protocol::{ConsoleLine, LineKind, Request, Update};

use super::{frames, open_first_visit, work_until_idle};
use crate::host::{Host, NextWork};

const SEEK_TARGET_MICROS: i64 = 600_000_000;

/// Returns a host that is seeking a distant time, and the clock.
fn seeking_host() -> (Host, f64) {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    host.handle(Request::Seek { at: SEEK_TARGET_MICROS }, clock);
    for _ in 0..20 {
        clock += 0.1;
        host.work(clock);
    }
    assert_eq!(host.next_work(), NextWork::Now, "the seek is still running");
    (host, clock)
}

fn command_request(line: &str) -> Request {
    Request::Command { line: line.to_owned() }
}

fn console_lines(updates: &[Update]) -> Vec<&ConsoleLine> {
    let lines = updates.iter().filter_map(|update| match update {
        Update::Console { lines } => Some(lines),
        _ => None,
    });
    lines.flatten().collect()
}

fn last_frame_time(updates: &[Update]) -> i64 {
    frames(updates).last().map_or(-1, |frame| frame.now)
}

#[test]
fn command_during_seek_runs_at_target() {
    let (mut host, mut clock) = seeking_host();
    assert!(
        host.handle(command_request("fault partition a-1"), clock).is_empty(),
        "the command waits"
    );
    let updates = work_until_idle(&mut host, &mut clock);
    let given = console_lines(&updates).into_iter().find(|line| line.command.is_some());
    assert_eq!(
        given.map(|line| (line.at, line.text.plain_text())),
        Some((SEEK_TARGET_MICROS, "fault partition a-1".into()))
    );
    assert!(
        last_frame_time(&updates) >= SEEK_TARGET_MICROS,
        "{}",
        last_frame_time(&updates)
    );
}

#[test]
fn queued_commands_run_in_order_before_a_later_seek() {
    let (mut host, mut clock) = seeking_host();
    host.handle(command_request("kubectl cordon a-1"), clock);
    host.handle(Request::Seek { at: 5_000_000 }, clock);
    host.handle(Request::Seek { at: 20_000_000 }, clock);
    host.handle(command_request("kubectl get nodes"), clock);
    let updates = work_until_idle(&mut host, &mut clock);
    let inputs: Vec<(i64, String)> = console_lines(&updates)
        .into_iter()
        .filter(|line| line.kind == LineKind::Input)
        .map(|line| (line.at, line.text.to_string()))
        .collect();
    let wanted = [
        (SEEK_TARGET_MICROS, "kubectl cordon a-1"),
        (20_000_000, "kubectl get nodes"),
    ];
    assert_eq!(inputs, wanted.map(|(at, line)| (at, line.to_owned())));
    assert_eq!(last_frame_time(&updates), 20_000_000);
}

#[test]
fn play_and_fork_wait_for_seek() {
    let (mut host, mut clock) = seeking_host();
    host.handle(Request::Fork, clock);
    host.handle(Request::Play, clock);
    let mut updates = Vec::new();
    for _ in 0..200_000 {
        clock += 0.1;
        let some = host.work(clock);
        if !frames(&some).is_empty() {
            host.handle(Request::FrameDone, clock);
        }
        updates.extend(some);
        if last_frame_time(&updates) > SEEK_TARGET_MICROS {
            break;
        }
    }
    let last = *frames(&updates).last().expect("frames after the seek");
    assert!(last.playing && last.now > SEEK_TARGET_MICROS, "{}", last.now);
}

#[test]
fn pause_ends_seek_and_reports_dropped_commands() {
    let (mut host, mut clock) = seeking_host();
    host.handle(command_request("kubectl cordon a-1"), clock);
    let updates = host.handle(Request::Pause, clock);
    let texts: Vec<String> = console_lines(&updates)
        .into_iter()
        .map(|line| line.text.to_string())
        .collect();
    assert_eq!(
        texts.first().map(String::as_str),
        Some("not done, 10:00.0 was not reached: kubectl cordon a-1"),
        "{texts:?}"
    );
    let updates = [updates, work_until_idle(&mut host, &mut clock)].concat();
    assert!((0..SEEK_TARGET_MICROS).contains(&last_frame_time(&updates)));
}

#[test]
fn long_seek_reports_waiting_command() {
    let (mut host, mut clock) = seeking_host();
    host.handle(command_request("kubectl cordon a-1"), clock);
    clock += 150.0;
    let updates = host.work(clock);
    let texts: Vec<String> = console_lines(&updates)
        .into_iter()
        .map(|line| line.text.to_string())
        .collect();
    assert_eq!(texts, ["kubectl cordon a-1 waits until 10:00.0 is reached"]);
}

/// A line that only reads, or that cannot be parsed, does not stop the job that waits for the answer to an earlier
/// command.
/// Shows: K-01
#[test]
fn later_line_does_not_stop_wait_for_earlier_answer() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let mut updates = host.handle(command_request("kubectl get deploy --watch"), clock);
    updates.extend(host.handle(command_request("nonsense"), clock));
    updates.extend(host.handle(command_request("kubectl get nodes"), clock));
    updates.extend(work_until_idle(&mut host, &mut clock));
    let lines = console_lines(&updates);
    assert!(
        lines.iter().any(|line| line.text.plain_text().starts_with("web ")),
        "output of the watch"
    );
    assert!(
        lines.iter().any(|line| line.text.plain_text().starts_with("a-1 ")),
        "list of nodes"
    );
}

/// A host counts as settled when a seek has ended and the requests that waited for its end are handled, even if the
/// session is playing.
#[test]
fn host_settles_after_seek_and_waiting_requests() {
    let (mut host, _) = open_first_visit();
    let mut clock = 10.0;
    work_until_idle(&mut host, &mut clock);
    assert!(host.has_completed_requests(), "the session is open");
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    assert!(!host.has_completed_requests(), "the seek is running");
    let line = "fault poweroff c-2".to_string();
    host.handle(Request::Command { line }, clock);
    while host.job.is_some() || !host.waiting.is_empty() {
        assert!(!host.has_completed_requests());
        clock += 0.1;
        host.work(clock);
    }
    work_until_idle(&mut host, &mut clock);
    assert!(
        host.has_completed_requests(),
        "the seek has ended and the command has run"
    );
    host.handle(Request::Play, clock);
    clock += 40.0;
    host.work(clock);
    assert!(host.has_completed_requests(), "a playing session is settled");
}
