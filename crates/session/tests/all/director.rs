//! The director: the list of pending events in a frame, and fast-forwards to them. Pending events come from the
//! components' own state, a skip stops at the selected event, and every fast-forward ends (U-05, E-05).

use podscope_protocol::{
    Caption, Director, FastRun, Frame, PendingEventKind, Request, SessionSource, SubjectRef, UpcomingEvent,
    UpcomingEventKind, Update,
};
use podscope_session::host::{Host, NextWork};

/// A session host with its clock, as a page uses it, and the last frame and director state that the host has sent.
struct Page {
    host: Host,
    clock: f64,
    director: Director,
    frame: Frame,
    /// The fast-forwards that the frames have reported.
    shown_runs: Vec<FastRun>,
}

const SCENARIO: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: due}
spec:
  title: What comes next
  seed: 3
  cluster: {zones: [a, b], nodesPerZone: 1}
  timeline:
  - {at: 20s, run: "fault partition a-1"}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {nodeName: a-1, containers: [{name: app, image: "app:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: stubborn, annotations: {behavior.podscope.dev/app: "sigterm=ignore"}}
spec: {nodeName: b-1, terminationGracePeriodSeconds: 25, containers: [{name: app, image: "app:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: crashing, annotations: {behavior.podscope.dev/app: "run=1s, exit=1"}}
spec: {nodeName: b-1, containers: [{name: app, image: "app:1"}]}
"#;

impl Page {
    fn open(text: &str) -> Page {
        let mut page = Page {
            host: Host::new(),
            clock: 1.0,
            director: Director::default(),
            frame: Frame::default(),
            shown_runs: Vec::new(),
        };
        let files = vec![("due.yaml".to_owned(), text.to_owned())];
        page.send(Request::Open {
            source: SessionSource::Files { files },
        });
        page
    }

    fn apply(&mut self, updates: Vec<Update>) {
        for update in updates {
            if let Update::Frame(frame) = update {
                if let Some(director) = &frame.director {
                    self.director = director.clone();
                    self.shown_runs.extend(director.running);
                }
                self.frame = *frame;
                self.host.handle(Request::FrameDone, self.clock);
            }
        }
    }

    /// Sends a request, works until the host has no more work, and stores the frames.
    fn send(&mut self, request: Request) {
        let updates = self.host.handle(request, self.clock);
        self.apply(updates);
        for _ in 0..1_000_000 {
            match self.host.next_work() {
                NextWork::AfterRequest => return,
                NextWork::Now => self.clock += 1.0,
                NextWork::At(at) => self.clock = at.max(self.clock + 1.0),
            }
            let updates = self.host.work(self.clock);
            self.apply(updates);
        }
        panic!("the host never becomes idle");
    }

    fn seek(&mut self, seconds: i64) {
        self.send(Request::Seek {
            at: seconds * 1_000_000,
        });
    }

    fn run(&mut self, line: &str) {
        self.send(Request::Command { line: line.into() });
    }

    /// Returns the time in seconds of the pending event with this type and name. None if no such event is listed.
    fn pending_seconds(&self, what: UpcomingEventKind, name: &str) -> Option<i64> {
        let found = self
            .director
            .next
            .iter()
            .find(|due| due.what == what && due.name == name)?;
        Some(found.at / 1_000_000)
    }
}

#[test]
fn not_ready_and_evictions_of_silent_node_are_pending_events() {
    let mut page = Page::open(SCENARIO);
    page.seek(15);
    assert_eq!(
        page.pending_seconds(UpcomingEventKind::Pending(PendingEventKind::NotReady), "a-1"),
        None,
        "the node is not silent"
    );
    assert_eq!(
        page.pending_seconds(UpcomingEventKind::Script, ""),
        Some(20),
        "the scenario's next command"
    );
    page.seek(30);
    let not_ready_at = page
        .pending_seconds(UpcomingEventKind::Pending(PendingEventKind::NotReady), "a-1")
        .expect("a silent node becomes NotReady");
    assert!(
        (60..=75).contains(&not_ready_at),
        "50 s after the last heartbeat, when the controller checks nodes: {not_ready_at}"
    );
    let evicted_at = page
        .pending_seconds(UpcomingEventKind::Pending(PendingEventKind::Evicted), "web")
        .expect("an eviction is pending");
    assert_eq!(evicted_at, not_ready_at + 300, "default tolerations of 300 s");
    let projected = page
        .director
        .next
        .iter()
        .find(|due| due.what == UpcomingEventKind::Pending(PendingEventKind::Evicted))
        .map(|due| due.is_projected);
    assert_eq!(projected, Some(true), "the taint does not exist yet");

    page.run("kubectl cordon b-1");
    while page
        .pending_seconds(UpcomingEventKind::Pending(PendingEventKind::NotReady), "a-1")
        .is_some()
    {
        page.send(Request::SkipAhead { to: None });
        let Some(Caption::Occurred(due, _)) = page.director.caption.clone() else {
            panic!("{:?}", page.director.caption);
        };
        assert!(page.frame.now >= due.at && page.frame.now < due.at + 20_000_000);
        assert!(
            matches!(page.shown_runs.last(), Some(FastRun::Skip(to)) if *to == due.at),
            "frames show the run"
        );
    }
    let node = SubjectRef::Node { name: "a-1".into() };
    page.send(Request::Inspect { subject: Some(node) });
    assert_eq!(page.frame.now / 1_000_000, not_ready_at, "the skip stops at the event");
    page.seek(not_ready_at + 2);
    let evicted = page
        .director
        .next
        .iter()
        .find(|due| due.what == UpcomingEventKind::Pending(PendingEventKind::Evicted) && due.name == "web");
    let evicted = evicted.expect("the eviction is pending after the taint was added");
    assert!(!evicted.is_projected);
    assert!((evicted.at / 1_000_000 - evicted_at).abs() <= 1);
    page.run("fault heal a-1");
    page.seek(not_ready_at + 20);
    assert_eq!(
        page.pending_seconds(UpcomingEventKind::Pending(PendingEventKind::Evicted), "web"),
        None,
        "the heal cancels the eviction"
    );
}

#[test]
fn end_of_grace_period_and_end_of_back_off_are_pending_events() {
    let mut page = Page::open(SCENARIO);
    page.seek(10);
    page.run("kubectl delete pod stubborn --wait=false");
    page.seek(12);
    assert_eq!(
        page.pending_seconds(UpcomingEventKind::Pending(PendingEventKind::Kill), "stubborn"),
        Some(35),
        "SIGTERM at 10 s, 25 s of grace"
    );
    let back = page
        .director
        .next
        .iter()
        .find(|due| due.what == UpcomingEventKind::Pending(PendingEventKind::BackOff));
    assert!(back.is_some(), "{:?}", page.director.next);
    page.seek(34);
    page.send(Request::SkipAhead { to: None });
    while !matches!(&page.director.caption, Some(Caption::Occurred(due, _)) if due.what == UpcomingEventKind::Pending(PendingEventKind::Kill))
    {
        assert!(page.frame.now < 60_000_000, "{:?}", page.director.caption);
        page.send(Request::SkipAhead { to: None });
    }
    assert_eq!(page.frame.now / 1_000_000, 35);
    page.run("kubectl get pods");
    assert_eq!(page.director.caption, None, "a later command removes the caption");
}

/// The list of pending events on the page can be older than the list in the engine: the skip still leads to the event
/// that the user selected.
#[test]
fn skip_leads_to_selected_event_past_earlier_ones() {
    let mut page = Page::open(SCENARIO);
    page.seek(25);
    let is_not_ready = |due: &UpcomingEvent| due.what == UpcomingEventKind::Pending(PendingEventKind::NotReady);
    let place = page.director.next.iter().position(is_not_ready);
    assert!(place.is_some_and(|place| place > 0), "{:?}", page.director.next);
    let named = place.map(|place| page.director.next[place].clone());
    page.send(Request::SkipAhead {
        to: named.map(Box::new),
    });
    let Some(Caption::Occurred(due, _)) = &page.director.caption else {
        panic!("{:?}", page.director.caption);
    };
    assert_eq!(due.what, UpcomingEventKind::Pending(PendingEventKind::NotReady));
}

#[test]
fn run_to_decision_is_bounded_and_can_be_paused() {
    let mut page = Page::open(SCENARIO);
    page.seek(25);
    page.run("kubectl run late --image=app:1");
    page.send(Request::NextDecision);
    assert!(
        matches!(page.director.caption, Some(Caption::Decided(_))),
        "{:?}",
        page.director.caption
    );
    let from = page.frame.now;
    page.send(Request::NextDecision);
    assert!(matches!(
        page.director.caption,
        Some(Caption::NoDecision(..) | Caption::Decided(_) | Caption::Before(..))
    ));
    assert!(
        page.frame.now - from <= 600 * 1_000_000,
        "the run ends after ten minutes of simulated time"
    );

    let updates = page.host.handle(Request::NextDecision, page.clock);
    page.apply(updates);
    let stopped = page.host.handle(Request::Pause, page.clock);
    page.apply(stopped);
    assert_eq!(
        (page.host.next_work(), page.director.running),
        (NextWork::AfterRequest, None)
    );
}

#[test]
fn no_pending_events_are_listed_while_question_is_open() {
    let story = SCENARIO.replace(
        "  timeline:",
        "  steps:\n  - text: Think.\n    predict: {ask: When?, options: [1m, 2m], until: {object: Pod default/web, exists: false}, why: {else: No.}}\n  timeline:",
    );
    let mut page = Page::open(&story);
    page.send(Request::Play);
    assert_eq!(page.director.next, []);
    page.send(Request::SkipAhead { to: None });
    assert_eq!(page.frame.now, 0, "a question prevents skipping");
    page.host.handle(Request::Predict { step: 0, answer: None }, page.clock);
    page.send(Request::Pause);
    page.seek(30);
    assert!(
        page.pending_seconds(UpcomingEventKind::Pending(PendingEventKind::NotReady), "a-1")
            .is_some()
    );
}

/// A lesson whose next step waits for a time. The cluster has no other pending events.
const LESSON_WAITING_FOR_TIME: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: waits}
spec:
  title: A story that waits
  cluster: {zones: [a], nodesPerZone: 1}
  steps:
  - text: Wait.
  - text: Enough.
    when: {count: nodes, equals: 1, at: 90s}
"#;

#[test]
fn skip_reaches_step_that_waits_for_time() {
    // Nodes report every 10 s, so other events also occur at 30 s.
    for at in [90, 30] {
        let mut page = Page::open(&LESSON_WAITING_FOR_TIME.replace("90s", &format!("{at}s")));
        page.seek(10);
        assert_eq!(page.pending_seconds(UpcomingEventKind::Story, ""), Some(at));
        page.send(Request::SkipAhead { to: None });
        assert!(
            matches!(page.director.caption, Some(Caption::Occurred(..) | Caption::Story(_))),
            "{:?}",
            page.director.caption
        );
        assert_eq!(page.frame.now, at * 1_000_000);
        assert_eq!(
            page.frame.story.as_ref().map(|story| story.steps.len()),
            Some(2),
            "the next step is shown at {at} s"
        );
    }
}

const SCENARIO_WITH_COMMANDS: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: scripted}
spec:
  title: Three commands at one instant
  seed: 3
  cluster: {zones: [a], nodesPerZone: 1}
  timeline:
  - {at: 20s, run: "kubectl run one --image=app:1"}
  - {at: 20s, run: "kubectl run two --image=app:1"}
  - {at: 20s, run: "kubectl run three --image=app:1"}
"#;

#[test]
fn skip_to_command_runs_all_scenario_commands_of_its_time() {
    let mut page = Page::open(SCENARIO_WITH_COMMANDS);
    assert_eq!(page.pending_seconds(UpcomingEventKind::Script, ""), Some(20));
    page.send(Request::SkipAhead { to: None });
    assert!(
        matches!(page.director.caption, Some(Caption::Occurred(..))),
        "{:?}",
        page.director.caption
    );
    assert_eq!(
        page.pending_seconds(UpcomingEventKind::Script, ""),
        None,
        "all commands of that time are done"
    );
    assert!((20_000_000..21_000_000).contains(&page.frame.now), "{}", page.frame.now);
    // The result is the same if the clock has already reached the time of the commands, but they have not run yet.
    let mut page = Page::open(SCENARIO_WITH_COMMANDS);
    page.seek(20);
    for _ in 0..3 {
        page.send(Request::SkipAhead { to: None });
    }
    assert_eq!(
        page.pending_seconds(UpcomingEventKind::Script, ""),
        None,
        "skips perform the commands"
    );
}

/// A run to the next decision also stops at notable events before it, each time with a caption.
/// Shows: U-05
#[test]
fn run_to_decision_stops_at_notable_events() {
    let mut page = Page::open(SCENARIO);
    page.seek(40);
    let mut captions = Vec::new();
    for _ in 0..4 {
        page.send(Request::NextDecision);
        captions.push(page.director.caption.clone().expect("a caption after the run"));
    }
    let kinds: Vec<_> = captions
        .iter()
        .map(|caption| match caption {
            Caption::Before(due, _) => Some(due.what),
            _ => None,
        })
        .collect();
    assert_eq!(
        kinds[..2],
        [
            Some(UpcomingEventKind::Pending(PendingEventKind::NotReady)),
            Some(UpcomingEventKind::Pending(PendingEventKind::Evicted))
        ],
        "{captions:?}"
    );
    assert!(
        matches!(captions[2..], [Caption::NoDecision(_, a), Caption::NoDecision(_, b)] if b - a == 600_000_000),
        "{captions:?}"
    );
}

/// *Next event* processes events until one is recorded in the trace. The caption describes this event.
/// Shows: U-05
#[test]
fn caption_of_step_describes_recorded_event() {
    let mut page = Page::open(SCENARIO);
    page.seek(40);
    for _ in 0..3 {
        page.send(Request::Step);
        let caption = page.director.caption.clone();
        assert!(
            matches!(&caption, Some(Caption::Event { by, what, .. }) if !by.is_empty() && !what.is_empty()),
            "{caption:?}"
        );
    }
}

/// A skip to the story reaches a step that is shown late. If the condition of the step is never fulfilled, the caption
/// reports this.
/// Shows: E-05
#[test]
fn skip_to_story_reaches_next_step_or_gives_up() {
    let begun = LESSON_WAITING_FOR_TIME.replace("  - text: Wait.\n", "");
    let mut page = Page::open(&begun.replace("  timeline:", ""));
    page.send(Request::SkipToStory);
    assert_eq!(page.frame.now, 90_000_000);
    assert!(
        page.shown_runs.iter().any(|run| matches!(run, FastRun::Skip(_))),
        "frames show the run"
    );
    let never = LESSON_WAITING_FOR_TIME.replace("equals: 1, at: 90s", "equals: 7");
    let mut page = Page::open(&never);
    page.send(Request::SkipToStory);
    assert!(
        matches!(page.director.caption, Some(Caption::DidNotOccur(..))),
        "{:?}",
        page.director.caption
    );
    assert!(page.frame.now <= 601_000_000, "{}", page.frame.now);
}

/// *Show me* runs to the next command of the solution. When it is pressed again, it runs to the command after that.
/// Shows: E-07
#[test]
fn each_show_me_runs_next_solution_command() {
    let text = LESSON_WAITING_FOR_TIME.replace(
        "  steps:",
        "  solution: [{at: 30s, run: \"kubectl cordon a-1\"}, {at: 10m, run: \"kubectl uncordon a-1\"}]\n  steps:",
    );
    let mut page = Page::open(&text.replace("at: 90s", "at: 15m"));
    page.seek(5);
    let mut at = page.frame.now;
    for (press, (shown, from)) in [("kubectl cordon a-1", 30), ("kubectl uncordon a-1", 600)]
        .into_iter()
        .enumerate()
    {
        // Time continues after each command of the solution, so the host never becomes idle.
        page.director.caption = None;
        let updates = page.host.handle(Request::ShowMe, page.clock);
        page.apply(updates);
        for _ in 0..20_000 {
            page.clock += 1.0;
            let updates = page.host.work(page.clock);
            page.apply(updates);
            if page.director.caption.is_some() {
                break;
            }
        }
        let caption = page.director.caption.clone();
        assert!(
            matches!(&caption, Some(Caption::Occurred(due, _)) if due.what == UpcomingEventKind::Solution && due.name == shown && due.at == from * 1_000_000),
            "press {press}: {caption:?}"
        );
        assert!(
            page.frame.playing && page.frame.now > at,
            "time does not go back: {}",
            page.frame.now
        );
        at = page.frame.now;
    }
}
