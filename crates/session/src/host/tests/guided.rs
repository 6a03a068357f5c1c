//! The guided start: the lesson that the page offers at a first visit.

use super::{Host, frames, open_first_visit, open_lesson, work_until_idle};
use crate::timeline::Session;
use crate::{lessons, scenario};
use podscope_api::Kind;
use podscope_cluster::SimTime;
use podscope_protocol::{ConsoleText, FIRST_VISIT_COMMAND, FIRST_VISIT_LESSON, Notice, Request, SessionSource, Update};

fn trace_hash_of(host: &Host) -> String {
    host.active
        .as_ref()
        .map(|active| active.session.trace_hash())
        .unwrap_or_default()
}

/// If the user has given no command in the first visit, the guided start opens at the same time and with the same
/// trace.
/// Shows: U-10
#[test]
fn guided_start_continues_at_instant_of_first_visit() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    host.handle(Request::Seek { at: 14_500_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let before = trace_hash_of(&host);
    let updates = open_lesson(&mut host, FIRST_VISIT_LESSON, clock);
    let opened = updates.iter().find_map(|update| match update {
        Update::Opened(opened) => Some(opened),
        _ => None,
    });
    let opened = opened.expect("the lesson opens");
    assert_eq!(opened.lesson.as_deref(), Some(FIRST_VISIT_LESSON));
    assert_eq!(opened.story[0].try_command.as_deref(), Some(FIRST_VISIT_COMMAND));
    assert_eq!(frames(&updates).last().map(|frame| frame.now), Some(14_500_000));
    assert_eq!(trace_hash_of(&host), before);
}

/// When the page opens the lesson, starts time and runs the command, the console prints no notice that time is paused.
/// Shows: U-10
#[test]
fn guided_start_prints_no_notice_about_paused_time() {
    for plays in [true, false] {
        let (mut host, mut clock) = (open_first_visit().0, 0.0);
        work_until_idle(&mut host, &mut clock);
        let source = SessionSource::Lesson {
            name: FIRST_VISIT_LESSON.to_owned(),
            seed: None,
        };
        let line = FIRST_VISIT_COMMAND.to_owned();
        let mut updates = host.handle(Request::Open { source }, clock);
        if plays {
            updates.extend(host.handle(Request::Play, clock));
        }
        updates.extend(host.handle(Request::Command { line }, clock));
        for _ in 0..100 {
            clock += 5.0;
            updates.extend(host.work(clock));
        }
        let says_paused = updates.iter().any(|update| match update {
            Update::Console { lines } => {
                (lines.iter()).any(|line| line.text == ConsoleText::Notice(Notice::TimeIsPaused))
            }
            _ => false,
        });
        assert_eq!(says_paused, !plays);
    }
}

/// If the user never opened the cluster of a first visit before the lesson, or entered a command in that cluster, the
/// lesson starts at the instant at which all pods are running.
/// Shows: U-10
#[test]
fn lesson_opened_directly_starts_when_all_pods_are_running() {
    let (mut host, mut clock) = (open_first_visit().0, 0.0);
    host.handle(Request::Seek { at: 14_500_000 }, clock);
    work_until_idle(&mut host, &mut clock);
    let line = "kubectl cordon a-1".into();
    host.handle(Request::Command { line }, clock);
    work_until_idle(&mut host, &mut clock);
    for host in [&mut host, &mut Host::new()] {
        let updates = open_lesson(host, FIRST_VISIT_LESSON, clock);
        assert_eq!(frames(&updates).last().map(|frame| frame.now), Some(10_000_000));
    }
}

/// The scenario of free play has no story, and no timeline of commands that would run automatically.
/// Shows: U-10
#[test]
fn free_play_has_no_story_and_no_timeline() {
    let loaded = scenario::load(&[lessons::free_play_file()]).expect("it loads");
    assert!(loaded.scenario.steps.is_empty() && loaded.scenario.timeline.is_empty());
    let mut session = Session::new(loaded).expect("it starts");
    session.advance(SimTime::from_seconds(10), u64::MAX);
    assert_eq!(session.world().objects().count_kind(Kind::Pod), 7);
}
