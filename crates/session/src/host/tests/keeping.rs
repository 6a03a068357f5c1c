//! Links: what a session is kept and shared by.

use super::*;

/// What is shared opens as the same state.
/// Shows: T-03
#[test]
fn a_shared_session_opens_as_it_was() {
    let mut host = welcome().0;
    let mut clock = 0.0;
    host.handle(Request::Seek { at: 20_000_000 }, clock);
    settle(&mut host, &mut clock);
    host.handle(
        Request::Command {
            line: "fault partition a-1".into(),
        },
        clock,
    );
    host.handle(Request::Seek { at: 90_000_000 }, clock);
    settle(&mut host, &mut clock);
    let hash = host.show.as_ref().unwrap().session.trace_hash();
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
            source: Source::Link {
                fragment: fragment.clone(),
            },
        },
        clock,
    );
    assert!(
        matches!(updates.first(), Some(Update::Opened(opened)) if opened.screen.as_deref() == Some("x")),
        "{updates:?}"
    );
    settle(&mut other, &mut clock);
    let session = &other.show.as_ref().unwrap().session;
    assert_eq!(session.now(), SimTime(90_000_000));
    assert_eq!(session.trace_hash(), hash);
}

/// The link of what is shown, as a page keeps it: at once, or when the work under way allows.
fn kept(host: &mut Host, clock: &mut f64, revision: u64) -> Option<(String, String)> {
    let screen = String::new();
    let share = Request::Share {
        screen,
        anonymise: false,
        revision,
    };
    let mut updates = host.handle(share, *clock);
    updates.extend(settle(host, clock));
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
    assert_eq!(links.next(), None, "one answer");
    link
}

/// A page keeps what it opened while the engine is still on its way to the instant; what was done there
/// must not be missing in it.
/// Shows: T-05, T-08
#[test]
fn a_link_asked_for_on_the_way_holds_what_is_at_its_end() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    settle(&mut host, &mut clock);
    let line = "fault poweroff c-2".to_owned();
    host.handle(Request::Command { line }, clock);
    settle(&mut host, &mut clock);
    let (whole, fragment) = kept(&mut host, &mut clock, 1).expect("at rest it is told");
    assert_eq!(whole, fragment);

    let mut other = Host::new();
    let source = Source::Link {
        fragment: fragment.clone(),
    };
    other.handle(Request::Open { source }, clock);
    other.work(clock);
    assert_ne!(other.wants(), Wants::Rest, "it is on its way");
    for revision in [1, 2] {
        let screen = String::new();
        let share = Request::Share {
            screen,
            anonymise: false,
            revision,
        };
        assert_eq!(other.handle(share, clock), [], "not yet");
    }
    let (again, _) = kept(&mut other, &mut clock, 3).expect("told at the end");
    assert_eq!(again, fragment);
}

/// Once the page has kept the session by a link, each command comes with one, before it is seen.
/// Shows: T-05
#[test]
fn a_command_is_told_with_its_link_before_its_frame() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    settle(&mut host, &mut clock);
    let give = |host: &mut Host, line: &str, clock| {
        let line = line.to_owned();
        let updates = host.handle(Request::Command { line }, clock);
        let links = updates.into_iter().filter_map(|update| match update {
            Update::Link { fragment, .. } => Some(fragment),
            _ => None,
        });
        links.last()
    };
    assert_eq!(give(&mut host, "fault poweroff c-2", clock), None, "nobody keeps it");
    settle(&mut host, &mut clock);
    kept(&mut host, &mut clock, 1).expect("a link");
    let link = give(&mut host, "fault poweroff a-1", clock).expect("a link with the command");
    let commands = crate::link::decode(&link).expect("a link").commands;
    assert_eq!(commands.len(), 2);
}

/// Whoever goes back in time and reloads there finds again what was done; a link to share tells what led there.
/// Shows: T-05
#[test]
fn a_session_is_kept_with_what_came_after_the_cursor() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    host.handle(Request::Seek { at: 20_000_000 }, clock);
    settle(&mut host, &mut clock);
    let line = "fault poweroff c-2".to_owned();
    host.handle(Request::Command { line }, clock);
    host.handle(Request::Seek { at: 5_000_000 }, clock);
    settle(&mut host, &mut clock);
    let (whole, fragment) = kept(&mut host, &mut clock, 1).expect("a link");
    let commands = |fragment: &str| crate::link::decode(fragment).expect("a link").commands.len();
    assert_eq!((commands(&whole), commands(&fragment)), (1, 0));

    let mut other = Host::new();
    let source = Source::Link { fragment: whole };
    other.handle(Request::Open { source }, clock);
    let updates = settle(&mut other, &mut clock);
    let said = |update: &Update| matches!(update, Update::Console { .. });
    assert!(!updates.iter().any(said), "it runs as it ran: {updates:?}");
    let session = &other.show.as_ref().expect("a session").session;
    assert_eq!(session.now(), SimTime(5_000_000));
    assert!(
        session.horizon() >= SimTime(20_000_000),
        "the timeline goes on: {}",
        session.horizon()
    );
    // A command before it begins a branch of its own, as it would have before.
    let line = "fault poweroff a-1".to_owned();
    other.handle(Request::Command { line }, clock);
    settle(&mut other, &mut clock);
    assert_eq!(other.show.as_ref().expect("a session").session.commands().len(), 1);
}

/// A fork keeps the other branch, also over a reload: its commands, where it left, and where one stood on it.
/// Shows: T-01, T-05
#[test]
fn other_branches_are_kept_with_the_session() {
    let (mut host, mut clock) = (welcome().0, 0.0);
    let give = |host: &mut Host, clock: &mut f64, at: i64, line: &str| {
        host.handle(Request::Seek { at }, *clock);
        settle(host, clock);
        let line = line.to_owned();
        host.handle(Request::Command { line }, *clock);
        settle(host, clock);
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
    settle(&mut host, &mut clock);
    let (whole, fragment) = kept(&mut host, &mut clock, 1).expect("a link");
    assert!(
        crate::link::decode(&fragment).expect("a link").others.is_empty(),
        "one shares one run"
    );

    let mut other = Host::new();
    other.handle(
        Request::Open {
            source: Source::Link { fragment: whole },
        },
        clock,
    );
    settle(&mut other, &mut clock);
    let told = |host: &mut Host, clock: &mut f64| {
        let mut all = Vec::new();
        let count = host.show.as_ref().expect("a session").session.branches().len();
        for branch in 0..count as u32 {
            host.handle(Request::Branch { branch }, *clock);
            settle(host, clock);
            let session = &host.show.as_ref().expect("a session").session;
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
    let session = |host: &Host| host.show.as_ref().expect("a session").session.current();
    assert_eq!((session(&host), session(&other)), (1, 1));
    let (was, is) = (told(&mut host, &mut clock), told(&mut other, &mut clock));
    assert_eq!(was.len(), 3);
    assert_eq!(was, is);
}

/// Whoever comes back to a lesson finds the step that was read, what was answered, and a question that waited.
/// Shows: T-05, U-12
#[test]
fn a_lesson_is_kept_with_its_reader() {
    let (mut host, mut clock) = (Host::new(), 0.0);
    let name = "first-pod".to_owned();
    let source = Source::Lesson { name, seed: None };
    host.handle(Request::Open { source }, clock);
    settle(&mut host, &mut clock);
    let line = "kubectl run hello --image=nginx".to_owned();
    host.handle(Request::Command { line }, clock);
    host.handle(Request::Seek { at: 60_000_000 }, clock);
    settle(&mut host, &mut clock);
    let state = |host: &Host| host.reader.state(&host.show.as_ref().expect("a session").session);
    let come_back = |fragment: &str, clock: &mut f64| {
        let (mut other, fragment) = (Host::new(), fragment.to_owned());
        let source = Source::Link { fragment };
        other.handle(Request::Open { source }, *clock);
        settle(&mut other, clock);
        other
    };
    host.handle(Request::StoryStep { step: 1 }, clock);
    let before = state(&host);
    assert_eq!(
        (before.step, before.question),
        (1, Some(2)),
        "a question waits, the step before it is read"
    );
    let (_, link) = kept(&mut host, &mut clock, 1).expect("a link");
    let mut other = come_back(&link, &mut clock);
    assert_eq!(state(&other), before);
    let answer = Some("1".to_owned());
    other.handle(Request::Predict { step: 2, answer }, clock);
    assert!(other.pace.playing, "time goes on with the answer");
    other.handle(Request::Pause, clock);
    let (_, link) = kept(&mut other, &mut clock, 2).expect("a link");
    let third = come_back(&link, &mut clock);
    assert_eq!(state(&third).steps[2].answer.as_deref(), Some("1"));
    // A link of before says nothing of its reader: all that has shown counts as seen.
    let old = crate::link::Link {
        reading: None,
        ..crate::link::decode(&link).expect("a link")
    };
    let fourth = come_back(&old.encode(), &mut clock);
    assert_eq!(state(&fourth).steps[2].answer.as_deref(), Some(""));
    assert_eq!(state(&fourth).question, None);
}
