//! What is asked for while a seek is under way. Issue 22's second point: nothing is lost, one button ends it.

use podscope_protocol::{ConsoleLine, LineKind, Request, Update};

use super::{frames, settle, welcome};
use crate::host::{Host, Wants};

const FAR: i64 = 600_000_000;

/// A session on its way to a far instant, and the clock.
fn on_the_way() -> (Host, f64) {
    let (mut host, mut clock) = (welcome().0, 0.0);
    host.handle(Request::Seek { at: FAR }, clock);
    for _ in 0..20 {
        clock += 0.1;
        host.work(clock);
    }
    assert_eq!(host.wants(), Wants::Now, "it is still on its way");
    (host, clock)
}

fn command(line: &str) -> Request {
    Request::Command { line: line.to_owned() }
}

fn printed(updates: &[Update]) -> Vec<&ConsoleLine> {
    let lines = updates.iter().filter_map(|update| match update {
        Update::Console { lines } => Some(lines),
        _ => None,
    });
    lines.flatten().collect()
}

fn last_now(updates: &[Update]) -> i64 {
    frames(updates).last().map_or(-1, |frame| frame.now)
}

#[test]
fn a_command_on_the_way_to_an_instant_is_given_there() {
    let (mut host, mut clock) = on_the_way();
    assert!(
        host.handle(command("fault partition a-1"), clock).is_empty(),
        "nothing yet"
    );
    let updates = settle(&mut host, &mut clock);
    let given = printed(&updates).into_iter().find(|line| line.command.is_some());
    assert_eq!(
        given.map(|line| (line.at, line.text.words())),
        Some((FAR, "fault partition a-1".into()))
    );
    assert!(last_now(&updates) >= FAR, "{}", last_now(&updates));
}

#[test]
fn what_waits_is_done_in_its_order_and_a_later_seek_comes_after_it() {
    let (mut host, mut clock) = on_the_way();
    host.handle(command("kubectl cordon a-1"), clock);
    host.handle(Request::Seek { at: 5_000_000 }, clock);
    host.handle(Request::Seek { at: 20_000_000 }, clock);
    host.handle(command("kubectl get nodes"), clock);
    let updates = settle(&mut host, &mut clock);
    let inputs: Vec<(i64, String)> = printed(&updates)
        .into_iter()
        .filter(|line| line.kind == LineKind::Input)
        .map(|line| (line.at, line.text.to_string()))
        .collect();
    let wanted = [(FAR, "kubectl cordon a-1"), (20_000_000, "kubectl get nodes")];
    assert_eq!(inputs, wanted.map(|(at, line)| (at, line.to_owned())));
    assert_eq!(last_now(&updates), 20_000_000);
}

#[test]
fn play_and_fork_wait_as_well() {
    let (mut host, mut clock) = on_the_way();
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
        if last_now(&updates) > FAR {
            break;
        }
    }
    let last = *frames(&updates).last().expect("it arrives");
    assert!(last.playing && last.now > FAR, "{}", last.now);
}

#[test]
fn a_pause_ends_the_way_and_says_what_was_not_done() {
    let (mut host, mut clock) = on_the_way();
    host.handle(command("kubectl cordon a-1"), clock);
    let updates = host.handle(Request::Pause, clock);
    let said: Vec<String> = printed(&updates)
        .into_iter()
        .map(|line| line.text.to_string())
        .collect();
    assert_eq!(
        said.first().map(String::as_str),
        Some("not done, 10:00.0 was not reached: kubectl cordon a-1"),
        "{said:?}"
    );
    let updates = [updates, settle(&mut host, &mut clock)].concat();
    assert!((0..FAR).contains(&last_now(&updates)));
}

#[test]
fn a_long_way_says_what_waits() {
    let (mut host, mut clock) = on_the_way();
    host.handle(command("kubectl cordon a-1"), clock);
    clock += 150.0;
    let updates = host.work(clock);
    let said: Vec<String> = printed(&updates)
        .into_iter()
        .map(|line| line.text.to_string())
        .collect();
    assert_eq!(said, ["kubectl cordon a-1 waits until 10:00.0 is reached"]);
}

/// A line that only reads, or is no command, does not end what a command before it waits for.
/// Shows: K-01
#[test]
fn what_only_reads_leaves_a_command_on_its_way_to_its_answer() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    settle(&mut host, &mut clock);
    let mut updates = host.handle(command("kubectl get deploy --watch"), clock);
    updates.extend(host.handle(command("nonsense"), clock));
    updates.extend(host.handle(command("kubectl get nodes"), clock));
    updates.extend(settle(&mut host, &mut clock));
    let lines = printed(&updates);
    assert!(
        lines.iter().any(|line| line.text.words().starts_with("web ")),
        "the watch's row"
    );
    assert!(
        lines.iter().any(|line| line.text.words().starts_with("a-1 ")),
        "and the nodes'"
    );
}

/// A host is settled when it has arrived where a seek goes, and has done what waited for that; time that runs by itself
/// does not count.
#[test]
fn host_settles_after_a_seek_and_what_waits_for_it() {
    let (mut host, _) = welcome();
    let mut clock = 10.0;
    settle(&mut host, &mut clock);
    assert!(host.is_settled(), "the session is open");
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    assert!(!host.is_settled(), "it is on the way");
    let line = "fault poweroff c-2".to_string();
    host.handle(Request::Command { line }, clock);
    while host.job.is_some() || !host.waiting.is_empty() {
        assert!(!host.is_settled());
        clock += 0.1;
        host.work(clock);
    }
    settle(&mut host, &mut clock);
    assert!(host.is_settled(), "it has arrived, and the command was given");
    host.handle(Request::Play, clock);
    clock += 40.0;
    host.work(clock);
    assert!(host.is_settled(), "time runs");
}
