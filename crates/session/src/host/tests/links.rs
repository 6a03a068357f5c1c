//! Links that the page stores or that the user shares.

use super::*;

/// A shared link restores the session's state.
/// Shows: T-03
#[test]
fn shared_link_restores_cursor_and_trace() {
    let mut host = open_first_visit().0;
    let mut clock = 0.0;
    host.handle(Request::Seek { at: 20_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    host.handle(
        Request::Command {
            line: "fault partition a-1".into(),
        },
        clock,
    );
    host.handle(Request::Seek { at: 90_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let hash = host.active.as_ref().unwrap().session.trace_hash();
    let updates = host.handle(
        Request::Share {
            screen: "x".into(),
            anonymise: false,
            revision: 0,
        },
        clock,
    );
    let Some(Update::Link { fragment, .. }) = updates.first() else {
        panic!("{updates:?}")
    };
    let mut other = Host::new();
    let updates = other.handle(
        Request::Open {
            source: SessionSource::Link {
                fragment: fragment.clone(),
            },
        },
        clock,
    );
    assert!(
        matches!(updates.first(), Some(Update::Opened(opened)) if opened.screen.as_deref() == Some("x")),
        "{updates:?}"
    );
    work_until_idle(&mut other, &mut clock);
    let session = &other.active.as_ref().unwrap().session;
    assert_eq!(session.now(), SimTime(90_000_000));
    assert_eq!(session.trace_hash(), hash);
}

/// Requests links to the session, and waits for the host's answer. Returns the link that the page stores, which
/// contains all branches, and the link for sharing.
pub(super) fn stored_and_shared_link(host: &mut Host, clock: &mut f64, revision: u64) -> Option<(String, String)> {
    let screen = String::new();
    let share = Request::Share {
        screen,
        anonymise: false,
        revision,
    };
    let mut updates = host.handle(share, *clock);
    updates.extend(work_until_idle(host, clock));
    let mut links = updates.into_iter().filter_map(|update| match update {
        Update::Link {
            fragment,
            whole,
            revision: answered,
            ..
        } if answered == revision => Some((whole.unwrap_or_else(|| fragment.clone()), fragment)),
        _ => None,
    });
    let link = links.next();
    assert_eq!(links.next(), None, "one answer per request");
    link
}

/// A link that is requested during a seek is created at the end of the seek, so that it contains all commands of the
/// session.
/// Shows: T-05, T-08
#[test]
fn link_requested_during_seek_is_created_at_its_end() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let line = "fault poweroff c-2".to_owned();
    host.handle(Request::Command { line }, clock);
    work_until_idle(&mut host, &mut clock);
    let (whole, fragment) =
        stored_and_shared_link(&mut host, &mut clock, 1).expect("a link is made at once when no seek is running");
    assert_eq!(whole, fragment);

    let mut other = Host::new();
    let source = SessionSource::Link {
        fragment: fragment.clone(),
    };
    other.handle(Request::Open { source }, clock);
    other.work(clock);
    assert_ne!(other.next_work(), NextWork::AfterRequest, "a seek is running");
    for revision in [1, 2] {
        let screen = String::new();
        let share = Request::Share {
            screen,
            anonymise: false,
            revision,
        };
        assert_eq!(other.handle(share, clock), [], "no link during the seek");
    }
    let (again, _) = stored_and_shared_link(&mut other, &mut clock, 3).expect("a link is made when the seek has ended");
    assert_eq!(again, fragment);
}

/// Once the page has stored a link, the host sends a new link after each command, before the frame that shows the
/// command's effect.
/// Shows: T-05
#[test]
fn command_updates_contain_new_link_once_session_is_stored() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    work_until_idle(&mut host, &mut clock);
    let give = |host: &mut Host, line: &str, clock| {
        let line = line.to_owned();
        let updates = host.handle(Request::Command { line }, clock);
        let links = updates.into_iter().filter_map(|update| match update {
            Update::Link { fragment, .. } => Some(fragment),
            _ => None,
        });
        links.last()
    };
    assert_eq!(
        give(&mut host, "fault poweroff c-2", clock),
        None,
        "the page has not stored a link yet"
    );
    work_until_idle(&mut host, &mut clock);
    stored_and_shared_link(&mut host, &mut clock, 1).expect("a link");
    let link = give(&mut host, "fault poweroff a-1", clock).expect("a link with the command");
    let commands = crate::link::decode(&link).expect("a link").commands;
    assert_eq!(commands.len(), 2);
}

/// The stored link contains also the commands after the cursor; the link for sharing contains only those up to the
/// cursor.
/// Shows: T-05
#[test]
fn stored_link_contains_commands_after_cursor() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    host.handle(Request::Seek { at: 20_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let line = "fault poweroff c-2".to_owned();
    host.handle(Request::Command { line }, clock);
    host.handle(Request::Seek { at: 5_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let (whole, fragment) = stored_and_shared_link(&mut host, &mut clock, 1).expect("a link");
    let commands = |fragment: &str| crate::link::decode(fragment).expect("a link").commands.len();
    assert_eq!((commands(&whole), commands(&fragment)), (1, 0));

    let mut other = Host::new();
    let source = SessionSource::Link { fragment: whole };
    other.handle(Request::Open { source }, clock);
    let updates = work_until_idle(&mut other, &mut clock);
    let is_console = |update: &Update| matches!(update, Update::Console { .. });
    assert!(
        !updates.iter().any(is_console),
        "the replay prints nothing: {updates:?}"
    );
    let session = &other.active.as_ref().expect("a session").session;
    assert_eq!(session.now(), SimTime(5_000_000));
    assert!(
        session.horizon() >= SimTime(20_000_000),
        "the horizon is after the command: {}",
        session.horizon()
    );
    // A command before the horizon starts a new branch.
    let line = "fault poweroff a-1".to_owned();
    other.handle(Request::Command { line }, clock);
    work_until_idle(&mut other, &mut clock);
    assert_eq!(other.active.as_ref().expect("a session").session.commands().len(), 1);
}

/// The stored link contains all branches with their commands, fork times and cursors.
/// Shows: T-01, T-05
#[test]
fn stored_link_contains_all_branches() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    let give = |host: &mut Host, clock: &mut f64, at: i64, line: &str| {
        host.handle(Request::Seek { at }, *clock);
        work_until_idle(host, clock);
        let line = line.to_owned();
        host.handle(Request::Command { line }, *clock);
        work_until_idle(host, clock);
    };
    give(&mut host, &mut clock, 20_000_000, "fault poweroff c-2");
    give(&mut host, &mut clock, 60_000_000, "kubectl cordon a-1");
    give(&mut host, &mut clock, 30_000_000, "fault partition a-1");
    give(
        &mut host,
        &mut clock,
        10_000_000,
        "kubectl scale deployment web --replicas=3",
    );
    host.handle(Request::Branch { branch: 1 }, clock);
    work_until_idle(&mut host, &mut clock);
    let (whole, fragment) = stored_and_shared_link(&mut host, &mut clock, 1).expect("a link");
    assert!(
        crate::link::decode(&fragment).expect("a link").others.is_empty(),
        "a link for sharing holds the current branch only"
    );

    let mut other = Host::new();
    other.handle(
        Request::Open {
            source: SessionSource::Link { fragment: whole },
        },
        clock,
    );
    work_until_idle(&mut other, &mut clock);
    let all_branches = |host: &mut Host, clock: &mut f64| {
        let mut all = Vec::new();
        let count = host.active.as_ref().expect("a session").session.branches().len();
        for branch in 0..count as u32 {
            host.handle(Request::Branch { branch }, *clock);
            work_until_idle(host, clock);
            let session = &host.active.as_ref().expect("a session").session;
            let branch = session.branch();
            all.push((
                branch.parent,
                branch.from,
                branch.label.clone(),
                session.now(),
                session.trace_hash(),
            ));
        }
        all
    };
    let session = |host: &Host| host.active.as_ref().expect("a session").session.current_branch_index();
    assert_eq!((session(&host), session(&other)), (1, 1));
    let (before, after) = (
        all_branches(&mut host, &mut clock),
        all_branches(&mut other, &mut clock),
    );
    assert_eq!(before.len(), 3);
    assert_eq!(before, after);
}

/// The stored link contains the lesson reader's step and answers, and whether a question is open.
/// Shows: T-05, U-12
#[test]
fn stored_link_contains_step_and_answers_of_reader() {
    let (mut host, mut clock) = (Host::new(), 0.0);
    open_lesson(&mut host, "first-pod", clock);
    work_until_idle(&mut host, &mut clock);
    let line = "kubectl run hello --image=nginx".to_owned();
    host.handle(Request::Command { line }, clock);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let state = |host: &Host| host.reader.state(&host.active.as_ref().expect("a session").session);
    let reopen = |fragment: &str, clock: &mut f64| {
        let (mut other, fragment) = (Host::new(), fragment.to_owned());
        let source = SessionSource::Link { fragment };
        other.handle(Request::Open { source }, *clock);
        work_until_idle(&mut other, clock);
        other
    };
    host.handle(Request::StoryStep { step: 1 }, clock);
    let before = state(&host);
    assert_eq!(
        (before.step, before.question),
        (1, Some(2)),
        "the reader is at the step before an open question"
    );
    let (_, link) = stored_and_shared_link(&mut host, &mut clock, 1).expect("a link");
    let mut other = reopen(&link, &mut clock);
    assert_eq!(state(&other), before);
    let answer = Some("1".to_owned());
    other.handle(Request::Predict { step: 2, answer }, clock);
    assert!(other.pace.playing, "time plays on after the answer");
    other.handle(Request::Pause, clock);
    let (_, link) = stored_and_shared_link(&mut other, &mut clock, 2).expect("a link");
    let third = reopen(&link, &mut clock);
    assert_eq!(state(&third).steps[2].answer.as_deref(), Some("1"));
    // A link of an older version has no step and answers: all shown steps are treated as seen.
    let old = crate::link::Link {
        reading: None,
        ..crate::link::decode(&link).expect("a link")
    };
    let fourth = reopen(&old.encode(), &mut clock);
    assert_eq!(state(&fourth).steps[2].answer.as_deref(), Some(""));
    assert_eq!(state(&fourth).question, None);
}

/// When another session is opened, the page gets a link with the last state of the replaced session, so that a stored
/// run of an exam task is complete.
/// Shows: T-05
#[test]
fn replaced_session_is_stored_in_its_last_state() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    assert!(stored_and_shared_link(&mut host, &mut clock, 1).is_some());
    let line = "kubectl cordon a-1".to_owned();
    host.handle(Request::Seek { at: 5_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    host.handle(Request::Command { line }, clock);
    work_until_idle(&mut host, &mut clock);
    host.handle(Request::Seek { at: 9_000_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let mut updates = host.handle(
        Request::Open {
            source: SessionSource::Free,
        },
        clock,
    );
    updates.extend(work_until_idle(&mut host, &mut clock));
    let place = |wanted: fn(&Update) -> bool| updates.iter().position(wanted).expect("an update");
    let link = place(|update| matches!(update, Update::Link { .. }));
    assert!(
        link < place(|update| matches!(update, Update::Opened(_))),
        "it belongs to the session before"
    );
    let Update::Link { fragment, .. } = &updates[link] else {
        unreachable!("found above");
    };
    let stored = crate::link::decode(fragment).expect("a link");
    assert_eq!((stored.commands.len(), stored.cursor_at()), (1, SimTime(9_000_000)));
}

/// Opening a shared link restores the comparison with another branch, or with the run without the user's commands.
/// Shows: T-03, T-04
#[test]
fn link_of_comparison_restores_it() {
    for is_branch in [true, false] {
        let (mut host, mut clock) = (open_first_visit().0, 0.0);
        for (at, line) in [(30, "fault partition a-1"), (20, "kubectl cordon b-1")] {
            host.handle(Request::Seek { at: at * 1_000_000 }, clock);
            work_until_idle(&mut host, &mut clock);
            host.handle(Request::Command { line: line.into() }, clock);
            work_until_idle(&mut host, &mut clock);
        }
        host.handle(Request::Seek { at: 90_000_000 }, clock);
        work_until_idle(&mut host, &mut clock);
        let text = joined_text(&host.active.as_ref().unwrap().session.loaded().files);
        host.handle(
            match is_branch {
                true => Request::CompareBranch { branch: 0 },
                false => Request::Compare { other: Some(text) },
            },
            clock,
        );
        work_until_idle(&mut host, &mut clock);
        let other_of = |host: &Host| {
            let other = &host.other.as_ref().expect("a comparison").session;
            (
                other.now(),
                other.trace_hash(),
                other.current_branch_index(),
                other.branches().len(),
            )
        };
        let compared = other_of(&host);
        assert_eq!(compared.2, 0, "the first branch is compared");
        let (_, shared) = stored_and_shared_link(&mut host, &mut clock, 0).expect("a link");
        let mut receiver = Host::new();
        let source = SessionSource::Link { fragment: shared };
        receiver.handle(Request::Open { source }, clock);
        work_until_idle(&mut receiver, &mut clock);
        assert_eq!(other_of(&receiver), compared);
        assert_eq!(receiver.active.as_ref().unwrap().session.now(), SimTime(90_000_000));
        // If the comparison has ended, a new link does not restore it.
        receiver.handle(Request::Compare { other: None }, clock);
        let (_, shared) = stored_and_shared_link(&mut receiver, &mut clock, 0).expect("a link");
        assert_eq!(crate::link::decode(&shared).expect("a link").compared(), None);
    }
}
