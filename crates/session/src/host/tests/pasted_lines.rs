//! Lines that are pasted into the console together run one after another (K-01), in paused and in playing sessions.

use podscope_protocol::{ConsoleLine, ConsoleText, LineKind, Notice, Request, Update};

use super::{Host, open_first_visit, playing_host, work_until_idle};

fn commands_request(lines: &[&str]) -> Request {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    Request::Commands { lines }
}

fn console_lines(updates: Vec<Update>) -> Vec<ConsoleLine> {
    let lines = updates.into_iter().filter_map(|update| match update {
        Update::Console { lines } => Some(lines),
        _ => None,
    });
    lines.flatten().collect()
}

fn texts(lines: &[ConsoleLine]) -> String {
    let texts: Vec<String> = lines.iter().map(|line| line.text.to_string()).collect();
    texts.join("\n")
}

/// Pastes six command lines, each of which depends on the line before. If the session is playing, the host works once
/// every `frame_interval` milliseconds. Returns the console's output and the recorded commands.
fn paste_dependent_lines(mut host: Host, clock: f64, frame_interval: f64) -> (String, String) {
    let mut clock = clock;
    let mut updates = host.handle(
        commands_request(&[
            "kubectl run r2 --image=nginx",
            "kubectl get pod r2",
            "kubectl scale deploy web --replicas=2",
            "kubectl get deploy web",
            "kubectl wait --for=condition=Ready pod/r2",
            "kubectl get pod r2",
        ]),
        clock,
    );
    if host.pace.playing {
        for _ in 0..20_000 {
            clock += frame_interval;
            updates.extend(host.work(clock));
            host.handle(Request::FrameDone, clock);
            if clock > 20_000.0 {
                break;
            }
        }
        updates.extend(host.handle(Request::Pause, clock));
    }
    updates.extend(work_until_idle(&mut host, &mut clock));
    let session = &host.active.as_ref().expect("a session").session;
    let given: Vec<String> = session
        .commands()
        .iter()
        .map(|timed| format!("{} {}", timed.at, timed.command))
        .collect();
    (texts(&console_lines(updates)), given.join("\n"))
}

#[test]
fn pasted_line_runs_after_previous_line_has_ended() {
    let (printed, given) = paste_dependent_lines(playing_host(), 10.0, 1.0);
    assert!(!printed.contains("not found"), "{printed}");
    assert!(
        printed.contains("pod/r2 created") && printed.contains("deployment.apps/web scaled"),
        "{printed}"
    );
    assert!(printed.contains("/2 "), "the scaled Deployment: {printed}");
    assert!(
        printed.contains("pod/r2 condition met") && printed.contains("Running"),
        "{printed}"
    );
    assert_eq!(
        given.lines().count(),
        3,
        "commands that write or wait are recorded: {given}"
    );
    let (_, again) = paste_dependent_lines(playing_host(), 10.0, 7.0);
    assert_eq!(given, again, "the frame rate does not change the commands' times");
}

#[test]
fn waiting_lines_are_reported_while_paused() {
    let (printed, _) = paste_dependent_lines(open_first_visit().0, 0.0, 1.0);
    assert!(!printed.contains("not found"), "{printed}");
    assert!(printed.contains("Waiting until `kubectl wait"), "{printed}");
    assert!(printed.contains("Ctrl-C"), "{printed}");
}

#[test]
fn ctrl_c_ends_watch_and_drops_waiting_lines() {
    let mut host = playing_host();
    let mut updates = host.handle(
        commands_request(&["kubectl get pods -w", "kubectl get ns", "kubectl get nodes"]),
        10.0,
    );
    for step in 0..300 {
        updates.extend(host.work(11.0 + f64::from(step)));
    }
    let text = texts(&console_lines(updates));
    assert!(text.contains("kubectl get ns and another line"), "{text}");
    assert!(!text.contains("kube-system "), "{text}");
    let line = "stop".to_owned();
    let mut clock = 400.0;
    let mut updates = host.handle(Request::Command { line }, clock);
    host.handle(Request::Pause, clock);
    updates.extend(work_until_idle(&mut host, &mut clock));
    let lines = console_lines(updates);
    let dropped = lines
        .iter()
        .find(|line| matches!(line.text, ConsoleText::Notice(Notice::LinesDropped(_))));
    assert_eq!(dropped.map(|line| line.kind), Some(LineKind::Error), "{lines:?}");
    assert!(!texts(&lines).contains("kube-system"), "{lines:?}");
}
