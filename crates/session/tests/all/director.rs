//! The director for time: what is due is told from the components' own memories, a skip stops there, and nothing that
//! runs fast is without an end (U-05, E-05).

use podscope_protocol::{Caption, Director, DueKind, FastRun, Frame, Request, Source, SubjectRef, Update};
use podscope_session::host::{Host, Wants};

/// A host, its clock, and what its frames said last of the director.
struct Page {
    host: Host,
    clock: f64,
    director: Director,
    frame: Frame,
    /// Fast runs that a frame showed.
    ran: Vec<FastRun>,
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
    fn on(text: &str) -> Page {
        let mut page = Page {
            host: Host::new(),
            clock: 1.0,
            director: Director::default(),
            frame: Frame::default(),
            ran: Vec::new(),
        };
        let files = vec![("due.yaml".to_owned(), text.to_owned())];
        page.ask(Request::Open {
            source: Source::Files { files },
        });
        page
    }

    fn hear(&mut self, updates: Vec<Update>) {
        for update in updates {
            if let Update::Frame(frame) = update {
                if let Some(director) = &frame.director {
                    self.director = director.clone();
                    self.ran.extend(director.running);
                }
                self.frame = *frame;
                self.host.handle(Request::FrameDone, self.clock);
            }
        }
    }

    fn ask(&mut self, request: Request) {
        let updates = self.host.handle(request, self.clock);
        self.hear(updates);
        for _ in 0..1_000_000 {
            match self.host.wants() {
                Wants::Rest => return,
                Wants::Now => self.clock += 1.0,
                Wants::At(at) => self.clock = at.max(self.clock + 1.0),
            }
            let updates = self.host.work(self.clock);
            self.hear(updates);
        }
        panic!("it never rests");
    }

    fn seek(&mut self, seconds: i64) {
        self.ask(Request::Seek {
            at: seconds * 1_000_000,
        });
    }

    fn run(&mut self, line: &str) {
        self.ask(Request::Command { line: line.into() });
    }

    /// Whole seconds at which that kind of thing is due to that object, if it is.
    fn due(&self, what: DueKind, name: &str) -> Option<i64> {
        let found = self
            .director
            .next
            .iter()
            .find(|due| due.what == what && due.name == name)?;
        Some(found.at / 1_000_000)
    }
}

#[test]
fn a_silent_nodes_fall_and_the_evictions_after_it_are_due() {
    let mut page = Page::on(SCENARIO);
    page.seek(15);
    assert_eq!(page.due(DueKind::NotReady, "a-1"), None, "it is heard");
    assert_eq!(page.due(DueKind::Script, ""), Some(20), "the scenario's own next event");
    page.seek(30);
    let falls = page.due(DueKind::NotReady, "a-1").expect("it is silent");
    assert!(
        (60..=75).contains(&falls),
        "50 s after its last heartbeat, at a pass of the monitor: {falls}"
    );
    let gone = page
        .due(DueKind::Evicted, "web")
        .expect("its pod tolerates the taint for a while");
    assert_eq!(gone, falls + 300, "the 300 s of the default tolerations");
    let projected = page
        .director
        .next
        .iter()
        .find(|due| due.what == DueKind::Evicted)
        .map(|due| due.is_projected);
    assert_eq!(projected, Some(true), "the taint is not there yet");

    page.run("kubectl cordon b-1");
    while page.due(DueKind::NotReady, "a-1").is_some() {
        page.ask(Request::SkipAhead);
        let Some(Caption::Came(due, _)) = page.director.caption.clone() else {
            panic!("{:?}", page.director.caption);
        };
        assert!(page.frame.now >= due.at && page.frame.now < due.at + 20_000_000);
        assert!(
            matches!(page.ran.last(), Some(FastRun::Skip(to)) if *to == due.at),
            "it showed that it runs"
        );
    }
    let node = SubjectRef::Node { name: "a-1".into() };
    page.ask(Request::Inspect { subject: Some(node) });
    assert_eq!(page.frame.now / 1_000_000, falls, "the skip stops at the event");
    page.seek(falls + 2);
    let evicted = page
        .director
        .next
        .iter()
        .find(|due| due.what == DueKind::Evicted && due.name == "web");
    let evicted = evicted.expect("the taint is there, and the timer runs");
    assert!(!evicted.is_projected);
    assert!((evicted.at / 1_000_000 - gone).abs() <= 1);
    page.run("fault heal a-1");
    page.seek(falls + 20);
    assert_eq!(
        page.due(DueKind::Evicted, "web"),
        None,
        "healed in time: the timer is gone"
    );
}

#[test]
fn the_end_of_a_grace_and_of_a_back_off_are_due() {
    let mut page = Page::on(SCENARIO);
    page.seek(10);
    page.run("kubectl delete pod stubborn --wait=false");
    page.seek(12);
    assert_eq!(
        page.due(DueKind::Kill, "stubborn"),
        Some(35),
        "SIGTERM at 10 s, 25 s of grace"
    );
    let back = page.director.next.iter().find(|due| due.what == DueKind::BackOff);
    assert!(back.is_some(), "{:?}", page.director.next);
    page.seek(34);
    page.ask(Request::SkipAhead);
    while !matches!(&page.director.caption, Some(Caption::Came(due, _)) if due.what == DueKind::Kill) {
        assert!(page.frame.now < 60_000_000, "{:?}", page.director.caption);
        page.ask(Request::SkipAhead);
    }
    assert_eq!(page.frame.now / 1_000_000, 35);
    page.run("kubectl get pods");
    assert_eq!(
        page.director.caption, None,
        "what is done after it takes the caption away"
    );
}

#[test]
fn a_run_to_the_next_decision_ends_where_none_can_come_and_can_be_stopped() {
    let mut page = Page::on(SCENARIO);
    page.seek(25);
    page.run("kubectl run late --image=app:1");
    page.ask(Request::NextDecision);
    assert!(
        matches!(page.director.caption, Some(Caption::Decided(_))),
        "{:?}",
        page.director.caption
    );
    let from = page.frame.now;
    page.ask(Request::NextDecision);
    assert!(matches!(
        page.director.caption,
        Some(Caption::NoDecision(..) | Caption::Decided(_) | Caption::Before(..))
    ));
    assert!(
        page.frame.now - from <= 600 * 1_000_000,
        "ten minutes of simulated time are the end"
    );

    let updates = page.host.handle(Request::NextDecision, page.clock);
    page.hear(updates);
    let stopped = page.host.handle(Request::Pause, page.clock);
    page.hear(stopped);
    assert_eq!((page.host.wants(), page.director.running), (Wants::Rest, None));
}

#[test]
fn nothing_is_told_while_a_question_waits() {
    let story = SCENARIO.replace(
        "  timeline:",
        "  steps:\n  - text: Think.\n    predict: {ask: When?, options: [1m, 2m], until: {object: Pod default/web, exists: false}, why: {else: No.}}\n  timeline:",
    );
    let mut page = Page::on(&story);
    page.ask(Request::Play);
    assert_eq!(page.director.next, []);
    page.ask(Request::SkipAhead);
    assert_eq!(page.frame.now, 0, "nobody looks ahead");
    page.host.handle(Request::Predict { step: 0, answer: None }, page.clock);
    page.ask(Request::Pause);
    page.seek(30);
    assert!(page.due(DueKind::NotReady, "a-1").is_some());
}

/// A lesson whose next step waits for the clock, in a cluster where nothing comes by itself.
const WAITING: &str = r#"
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
fn a_story_that_waits_for_an_instant_is_a_press_away() {
    // Also one at which something else happens: nodes report every ten seconds of their own.
    for at in [90, 30] {
        let mut page = Page::on(&WAITING.replace("90s", &format!("{at}s")));
        page.seek(10);
        assert_eq!(page.due(DueKind::Story, ""), Some(at));
        page.ask(Request::SkipAhead);
        assert!(
            matches!(page.director.caption, Some(Caption::Came(..) | Caption::Story(_))),
            "{:?}",
            page.director.caption
        );
        assert_eq!(page.frame.now, at * 1_000_000);
        assert_eq!(
            page.frame.story.as_ref().map(|story| story.steps.len()),
            Some(2),
            "it has gone on at {at} s"
        );
    }
}

const SCRIPTED: &str = r#"
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
fn a_skip_to_what_the_scenario_does_ends_when_all_of_that_instant_is_done() {
    let mut page = Page::on(SCRIPTED);
    assert_eq!(page.due(DueKind::Script, ""), Some(20));
    page.ask(Request::SkipAhead);
    assert!(
        matches!(page.director.caption, Some(Caption::Came(..))),
        "{:?}",
        page.director.caption
    );
    assert_eq!(page.due(DueKind::Script, ""), None, "nothing of that instant is left");
    assert!((20_000_000..21_000_000).contains(&page.frame.now), "{}", page.frame.now);
    // The same where the clock was set to the instant before anything of it happened.
    let mut page = Page::on(SCRIPTED);
    page.seek(20);
    for _ in 0..3 {
        page.ask(Request::SkipAhead);
    }
    assert_eq!(page.due(DueKind::Script, ""), None, "a skip gets on");
}

/// A run to a decision leaps over nothing that a reader has to see, and says each time how it ended.
/// Shows: U-05
#[test]
fn a_run_to_the_next_decision_stops_at_what_comes_before_it() {
    let mut page = Page::on(SCENARIO);
    page.seek(40);
    let mut said = Vec::new();
    for _ in 0..4 {
        page.ask(Request::NextDecision);
        said.push(page.director.caption.clone().expect("it says how it ended"));
    }
    let kinds: Vec<_> = said
        .iter()
        .map(|caption| match caption {
            Caption::Before(due, _) => Some(due.what),
            _ => None,
        })
        .collect();
    assert_eq!(
        kinds[..2],
        [Some(DueKind::NotReady), Some(DueKind::Evicted)],
        "{said:?}"
    );
    assert!(
        matches!(said[2..], [Caption::NoDecision(_, a), Caption::NoDecision(_, b)] if b - a == 600_000_000),
        "{said:?}"
    );
}

/// Each press on *Next event* comes to one that is written down, and names it.
/// Shows: U-05
#[test]
fn a_step_names_the_event_that_happened() {
    let mut page = Page::on(SCENARIO);
    page.seek(40);
    for _ in 0..3 {
        page.ask(Request::Step);
        let caption = page.director.caption.clone();
        assert!(
            matches!(&caption, Some(Caption::Event { by, what, .. }) if !by.is_empty() && !what.is_empty()),
            "{caption:?}"
        );
    }
}

/// A story that begins late is one press away, whatever happens before it; one whose condition does not come true
/// says so.
/// Shows: E-05
#[test]
fn the_story_is_one_press_away() {
    let begun = WAITING.replace("  - text: Wait.\n", "");
    let mut page = Page::on(&begun.replace("  timeline:", ""));
    page.ask(Request::SkipToStory);
    assert_eq!(page.frame.now, 90_000_000);
    assert!(
        page.ran.iter().any(|run| matches!(run, FastRun::Skip(_))),
        "time is seen running"
    );
    let never = WAITING.replace("equals: 1, at: 90s", "equals: 7");
    let mut page = Page::on(&never);
    page.ask(Request::SkipToStory);
    assert!(
        matches!(page.director.caption, Some(Caption::Gone(..))),
        "{:?}",
        page.director.caption
    );
    assert!(page.frame.now <= 601_000_000, "{}", page.frame.now);
}

/// *Show me* goes to the solution's next command, and pressed again to the one after it, never back.
/// Shows: E-07
#[test]
fn show_me_goes_on_with_each_press() {
    let text = WAITING.replace(
        "  steps:",
        "  solution: [{at: 30s, run: \"kubectl cordon a-1\"}, {at: 10m, run: \"kubectl uncordon a-1\"}]\n  steps:",
    );
    let mut page = Page::on(&text.replace("at: 90s", "at: 15m"));
    page.seek(5);
    let mut at = page.frame.now;
    for (press, (shown, from)) in [("kubectl cordon a-1", 30), ("kubectl uncordon a-1", 600)]
        .into_iter()
        .enumerate()
    {
        // Afterwards time runs, and what it leads to is seen: it would never rest.
        page.director.caption = None;
        let updates = page.host.handle(Request::ShowMe, page.clock);
        page.hear(updates);
        for _ in 0..20_000 {
            page.clock += 1.0;
            let updates = page.host.work(page.clock);
            page.hear(updates);
            if page.director.caption.is_some() {
                break;
            }
        }
        let caption = page.director.caption.clone();
        assert!(
            matches!(&caption, Some(Caption::Came(due, _)) if due.what == DueKind::Solution && due.name == shown && due.at == from * 1_000_000),
            "press {press}: {caption:?}"
        );
        assert!(
            page.frame.playing && page.frame.now > at,
            "it never goes back: {}",
            page.frame.now
        );
        at = page.frame.now;
    }
}
