//! Tests of the host in-process: requests as a page sends them, and the updates that the host returns.

mod causal_chains;
mod danger;
mod devices;
mod dumps;
mod frame_updates;
mod frames_during_faults;
mod guided;
mod joined;
mod links;
mod pasted_lines;
mod pasted_texts;
mod requests_during_seek;
mod search;
mod what_if;

use podscope_protocol::{ConsoleText, Frame, Notice, Request, SessionSource, Task};

use super::*;

fn frames(updates: &[Update]) -> Vec<&Frame> {
    updates
        .iter()
        .filter_map(|update| match update {
            Update::Frame(frame) => Some(&**frame),
            _ => None,
        })
        .collect()
}

/// Creates a host and opens the session of the first visit. Returns the host and its updates.
fn open_first_visit() -> (Host, Vec<Update>) {
    let mut host = Host::new();
    let source = SessionSource::Welcome;
    let updates = host.handle(Request::Open { source }, 0.0);
    (host, updates)
}

/// Opens a built-in lesson with the seed in the lesson's file. Returns the updates.
fn open_lesson(host: &mut Host, name: &str, clock: f64) -> Vec<Update> {
    let (name, seed) = (name.to_owned(), None);
    let source = SessionSource::Lesson { name, seed };
    host.handle(Request::Open { source }, clock)
}

/// Returns a host whose session is playing and whose frames have all been acknowledged.
fn playing_host() -> Host {
    let (mut host, _) = open_first_visit();
    host.handle(Request::FrameDone, 0.0);
    host.handle(Request::Play, 10.0);
    host.handle(Request::FrameDone, 10.0);
    host
}

/// Lets the host work until it is idle, and acknowledges every frame. Returns all updates.
fn work_until_idle(host: &mut Host, clock: &mut f64) -> Vec<Update> {
    let mut all = Vec::new();
    for _ in 0..100_000 {
        match host.next_work() {
            NextWork::AfterRequest => break,
            NextWork::Now => *clock += 0.1,
            NextWork::At(at) => *clock = at.max(*clock + 0.1),
        }
        let updates = host.work(*clock);
        if !frames(&updates).is_empty() {
            host.handle(Request::FrameDone, *clock);
        }
        all.extend(updates);
    }
    all
}

/// A check of an editor text reports every problem with its position, even if no session is open.
/// Shows: P-04
#[test]
fn check_reports_problems_with_lines_and_paths() {
    let mut host = Host::new();
    let text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n\
                apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\nspec: {priority: high}\n"
        .to_string();
    let updates = host.handle(Request::Check { text, revision: 3 }, 0.0);
    let [
        Update::Checked {
            revision: 3, problems, ..
        },
    ] = updates.as_slice()
    else {
        panic!("{updates:?}")
    };
    let places: Vec<_> = problems
        .iter()
        .map(|problem| (problem.document, problem.line, problem.path.as_str()))
        .collect();
    assert_eq!(places, [(2, 7, "metadata.name"), (2, 8, "spec.priority")]);
}

/// A session can be opened, seeks forwards and back, forks when a command is given in the past, and undoes the command.
/// Shows: T-01
#[test]
fn session_seeks_forks_and_undoes() {
    let (mut host, updates) = open_first_visit();
    let mut clock = 0.0;
    assert!(matches!(updates.first(), Some(Update::Opened(_))), "{updates:?}");
    let first = frames(&updates);
    assert!(first.iter().all(|frame| frame.reset) && first.len() == 1);
    assert_eq!(first[0].nodes.len(), 6);
    host.handle(Request::FrameDone, clock);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    let updates = work_until_idle(&mut host, &mut clock);
    assert_eq!(frames(&updates).last().map(|frame| frame.now), Some(30_000_000));
    let updates = host.handle(
        Request::Command {
            line: "fault partition a-1".into(),
        },
        clock,
    );
    let frame = frames(&updates);
    assert_eq!(frame.last().map(|frame| frame.now), Some(30_000_001), "{updates:?}");
    assert!(frame.iter().any(|frame| {
        frame
            .nodes
            .iter()
            .any(|node| node.name == "a-1" && !node.machine.cuts.is_empty())
    }));
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    host.handle(Request::Seek { at: 10_000_000 }, clock);
    let updates = work_until_idle(&mut host, &mut clock);
    let back = frames(&updates);
    assert!(back.iter().any(|frame| {
        frame
            .nodes
            .iter()
            .any(|node| node.name == "a-1" && node.machine.cuts.is_empty())
    }));
    host.handle(
        Request::Command {
            line: "kubectl cordon b-1".into(),
        },
        clock,
    );
    let session = host.active.as_ref().map(|active| &active.session).unwrap();
    assert_eq!(session.branches().len(), 2);
    let texts: Vec<String> = session
        .commands()
        .iter()
        .map(|timed| timed.command.to_string())
        .collect();
    assert_eq!(texts, ["kubectl cordon b-1"]);
    host.handle(Request::Undo, clock);
    work_until_idle(&mut host, &mut clock);
    assert!(host.active.as_ref().unwrap().session.commands().is_empty());
}

/// While time is paused, the host advances time until a command is answered. The notice that time is paused is printed
/// only once.
/// Shows: K-01, T-01
#[test]
fn command_in_paused_session_takes_effect_immediately() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    host.handle(Request::Seek { at: 30_000_000 }, clock);
    let updates = work_until_idle(&mut host, &mut clock);
    let pods = frames(&updates)
        .last()
        .map(|frame| frame.pods.clone())
        .unwrap_or_default();
    let victim = pods
        .iter()
        .find(|pod| pod.mark == podscope_protocol::PodMark::Ready && pod.key.starts_with("default/web-"))
        .expect("a ready pod");
    let name = victim.key.trim_start_matches("default/");
    let line = format!("kubectl delete pod {name} --wait=false");
    let mut updates = host.handle(Request::Command { line }, clock);
    updates.extend(work_until_idle(&mut host, &mut clock));
    let last = frames(&updates).last().copied().expect("a frame");
    assert!((30_000_000..30_100_000).contains(&last.now), "{}", last.now);
    let after = last
        .pods
        .iter()
        .find(|pod| pod.id == victim.id)
        .expect("the deleted pod is in the frame");
    assert_eq!(after.mark, podscope_protocol::PodMark::Terminating);
    let notices = |updates: &[Update]| {
        updates
            .iter()
            .filter_map(|update| match update {
                Update::Console { lines } => Some(lines),
                _ => None,
            })
            .flatten()
            .filter(|line| line.text == ConsoleText::Notice(Notice::TimeIsPaused))
            .count()
    };
    assert_eq!(notices(&updates), 1);
    let line = "fault partition a-1".into();
    assert_eq!(
        notices(&host.handle(Request::Command { line }, clock)),
        0,
        "the notice was printed before"
    );
}

/// A large file is opened in pieces of work, with progress updates. The current session stays until the file has been
/// read, and also if the file is refused.
/// Shows: P-03
#[test]
fn large_file_opens_with_progress_and_keeps_session_until_read() {
    let mut host = open_first_visit().0;
    let mut clock = 0.0;
    let padding = "# live\n".repeat(200_000);
    let open = |text: &str| Request::Open {
        source: SessionSource::Files {
            files: vec![("dump.yaml".into(), format!("{padding}{text}"))],
        },
    };
    let per_mille = |updates: &[Update]| -> Vec<u32> {
        let progress = updates.iter().filter_map(|update| match update {
            Update::Progress {
                task: Task::Open,
                per_mille,
            } => Some(*per_mille),
            _ => None,
        });
        progress.collect()
    };
    for (text, opens) in [
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: UP}, spec: {containers: []}}\n",
            false,
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: {containers: [{name: c, image: i}]}}\n",
            true,
        ),
    ] {
        let mut updates = host.handle(open(text), clock);
        assert_eq!(per_mille(&updates), [0], "{updates:?}");
        assert_eq!(host.next_work(), NextWork::Now);
        assert!(host.active.is_some());
        updates.extend(work_until_idle(&mut host, &mut clock));
        assert_eq!(per_mille(&updates), [0, 700]);
        let refused = updates.iter().any(|update| matches!(update, Update::Refused { .. }));
        let opened = updates.iter().any(|update| matches!(update, Update::Opened(_)));
        assert_eq!((refused, opened), (!opens, opens));
        let objects = host
            .active
            .as_ref()
            .map(|active| active.session.world().objects().clone());
        let pods = objects.map_or(0, |objects| objects.list::<podscope_api::Pod>().count());
        assert_eq!(pods == 1, opens, "{pods} pods");
    }
}

/// A film of a session is rendered in pieces of work, with progress updates. The session's cursor does not move.
/// Shows: T-06
#[test]
fn film_is_rendered_without_moving_cursor() {
    let mut host = playing_host();
    let mut clock = 20.0;
    while clock < 4_000.0 {
        clock += 5.0;
        if !frames(&host.work(clock)).is_empty() {
            host.handle(Request::FrameDone, clock);
        }
    }
    host.handle(Request::Pause, clock);
    work_until_idle(&mut host, &mut clock);
    let film = Request::Film {
        from: 0,
        to: 3_000_000,
        seconds: 2,
        anonymise: false,
    };
    host.handle(film, clock);
    let updates = work_until_idle(&mut host, &mut clock);
    assert!(frames(&updates).is_empty(), "the cursor does not move");
    let progress = updates
        .iter()
        .filter(|update| matches!(update, Update::Progress { task: Task::Film, .. }));
    assert!(progress.count() > 3);
    let made = updates.iter().find_map(|update| match update {
        Update::Film(made) => Some(made.clone()),
        _ => None,
    });
    assert!(made.is_some_and(|film| film.is_ok_and(|text| text.contains("<animate "))));
    assert_eq!(host.next_work(), NextWork::AfterRequest);
}

/// For a field that the API server does not know, the editor's check reports the position, because `kubectl apply`
/// refuses such a field.
/// Shows: K-02
#[test]
fn check_reports_positions_of_unknown_fields() {
    let mut host = Host::new();
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    image: app\n    imagePolicy: Always\n";
    let text = text.to_owned();
    let updates = host.handle(Request::Check { text, revision: 1 }, 0.0);
    let [Update::Checked { problems, .. }] = updates.as_slice() else {
        panic!("{updates:?}");
    };
    let found: Vec<_> = problems
        .iter()
        .map(|problem| (problem.line, problem.column, problem.message.english()))
        .collect();
    let message = "strict decoding error: unknown field \"spec.containers[0].imagePolicy\"";
    assert_eq!(found, [(8, 5, message.to_owned())]);
}

/// All commands that are pasted while time is paused are answered.
/// Shows: K-01
#[test]
fn pasted_commands_are_all_answered_while_paused() {
    let mut host = playing_host();
    let mut clock = 20.0;
    host.handle(Request::Pause, clock);
    work_until_idle(&mut host, &mut clock);
    let line = |text: &str| Request::Command { line: text.to_owned() };
    let pod = "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Namespace\nmetadata: {name: pasted}\nEOF";
    let mut updates = host.handle(line(pod), clock);
    updates.extend(host.handle(line("kubectl label node a-1 looked=yes"), clock));
    updates.extend(work_until_idle(&mut host, &mut clock));
    let applies =
        |update: &Update| matches!(update, Update::Console { lines } if lines.iter().any(|line| line.applies));
    assert_eq!(
        updates.iter().filter(|update| applies(update)).count(),
        1,
        "only the line with manifests"
    );
    let printed: Vec<String> = (updates.iter())
        .filter_map(|update| match update {
            Update::Console { lines } => Some(lines.iter().map(|line| line.text.to_string())),
            _ => None,
        })
        .flatten()
        .collect();
    for wanted in ["namespace/pasted created", "node/a-1 labeled"] {
        assert!(printed.iter().any(|text| text == wanted), "{wanted}: {printed:?}");
    }
}
