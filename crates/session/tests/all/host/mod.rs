//! Tests of how the page uses a session through the protocol: comparison (T-04), saving, opening and undo (T-05),
//! exports (T-06), anonymised links (Q-06), the console (K-01 to K-03), and answers for the inspector, explanations and
//! help.

use podscope_protocol::explained::{NodeExplanation, NodeVerdict, SchedulingVerdict};
use podscope_protocol::{
    ConsoleLine, ExportKind, Frame, InspectorContent, LineKind, Request, SessionSource, SubjectRef, Subtitle, Update,
};
use podscope_session::host::{Host, NextWork};

mod dumps;
mod inspector;
mod remedies;
mod requests;

/// A session host with its clock, as a page uses it.
struct Page {
    host: Host,
    clock: f64,
}

const SCENARIO: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: page}
spec:
  title: A page's session
  seed: 3
  cluster: {zones: [a, b], nodesPerZone: 1, node: {cpu: 2, memory: 4Gi, pods: 20}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ledger}
spec:
  replicas: 2
  serviceName: ledger
  selector: {matchLabels: {app: ledger}}
  template:
    metadata: {labels: {app: ledger}}
    spec: {containers: [{name: books, image: "acme.example/ledger:1", resources: {requests: {cpu: 100m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: huge}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "7"}}}]}
"#;

impl Page {
    fn open(source: SessionSource) -> (Page, Vec<Update>) {
        let mut page = Page {
            host: Host::new(),
            clock: 0.0,
        };
        let updates = page.send(Request::Open { source });
        (page, updates)
    }

    fn with_file(text: &str) -> Page {
        let (page, updates) = Page::open(SessionSource::Files {
            files: vec![("session.yaml".into(), text.into())],
        });
        assert!(matches!(updates.first(), Some(Update::Opened(_))), "{updates:?}");
        page
    }

    /// Sends a request, and works until the host has no more work. Returns all updates.
    fn send(&mut self, request: Request) -> Vec<Update> {
        let mut all = self.host.handle(request, self.clock);
        for _ in 0..1_000_000 {
            if all.iter().any(|update| matches!(update, Update::Frame(_))) {
                self.host.handle(Request::FrameDone, self.clock);
            }
            match self.host.next_work() {
                NextWork::AfterRequest => break,
                NextWork::Now => self.clock += 0.1,
                NextWork::At(at) => self.clock = at.max(self.clock + 0.1),
            }
            all.extend(self.host.work(self.clock));
        }
        all
    }

    fn seek(&mut self, seconds: i64) -> Vec<Update> {
        self.send(Request::Seek {
            at: seconds * 1_000_000,
        })
    }

    /// Runs a command line and returns the console's lines, beginning with the input.
    fn run(&mut self, line: &str) -> Vec<ConsoleLine> {
        self.send(Request::Command { line: line.into() })
            .into_iter()
            .filter_map(|update| match update {
                Update::Console { lines } => Some(lines),
                _ => None,
            })
            .flatten()
            .collect()
    }

    /// Exports a file. Returns its name, media type and text.
    fn export(&mut self, what: ExportKind) -> (String, String, String) {
        match self.send(Request::Export { what, anonymise: false }).into_iter().next() {
            Some(Update::File { name, media_type, text }) => (name, media_type, text),
            other => panic!("{other:?}"),
        }
    }

    fn inspect(&mut self, subject: SubjectRef) -> InspectorContent {
        let updates = self.send(Request::Inspect { subject: Some(subject) });
        updates
            .into_iter()
            .find_map(|update| match update {
                Update::Detail(detail) => Some(*detail),
                _ => None,
            })
            .expect("a detail")
    }
}

fn last_frame(updates: &[Update]) -> &Frame {
    updates
        .iter()
        .rev()
        .find_map(|update| match update {
            Update::Frame(frame) => Some(&**frame),
            _ => None,
        })
        .expect("a frame")
}

fn console_texts(lines: &[ConsoleLine], kind: LineKind) -> Vec<String> {
    lines
        .iter()
        .filter(|line| line.kind == kind)
        .map(|line| line.text.to_string())
        .collect()
}

fn pod(key: &str) -> SubjectRef {
    SubjectRef::Pod {
        key: key.into(),
        uid: String::new(),
    }
}

// The second session of a comparison has the same seed and follows the time of the first. It does not affect the first.
// Shows: T-04
#[test]
fn comparison_follows_cursor_of_session() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    let other = SCENARIO
        .replace("seed: 3", "seed: 99")
        .replace("replicas: 2", "replicas: 1");
    let updates = page.send(Request::Compare { other: Some(other) });
    let frame = last_frame(&updates);
    let other = frame.other.as_deref().expect("the other session");
    assert_eq!((frame.now, other.now), (30_000_000, 30_000_000));
    let keys = |frame: &Frame| {
        let mut keys: Vec<String> = frame.pods.iter().map(|pod| pod.key.clone()).collect();
        keys.sort_unstable();
        keys
    };
    assert_eq!(
        keys(other),
        ["default/huge", "default/ledger-0"],
        "one replica in the first frame"
    );
    // Both compared sessions seek together, also backwards.
    let updates = page.seek(60);
    let frame = last_frame(&updates);
    assert_eq!(frame.other.as_ref().map(|other| other.now), Some(60_000_000));
    let updates = page.seek(5);
    assert_eq!(
        last_frame(&updates).other.as_ref().map(|other| other.now),
        Some(5_000_000)
    );
    // An invalid scenario is refused, and the comparison stays.
    let refused = page.send(Request::Compare {
        other: Some("kind: Pod\n".into()),
    });
    assert!(
        matches!(refused.as_slice(), [Update::Refused { problems }] if !problems.is_empty()),
        "{refused:?}"
    );
    let updates = page.seek(6);
    assert!(last_frame(&updates).other.is_some());
    let updates = page.send(Request::Compare { other: None });
    assert!(last_frame(&updates).other.is_none());
}

// A branch can be compared with another one. Each has its own commands, and both are at the same time.
// Shows: T-04
#[test]
fn branches_can_be_compared() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    page.send(Request::Fork);
    page.run("fault poweroff a-1");
    page.seek(40);
    let updates = page.send(Request::CompareBranch { branch: 0 });
    let is_a_1_off = |frame: &Frame| {
        frame
            .nodes
            .iter()
            .any(|node| node.name == "a-1" && !node.machine.powered)
    };
    let other = last_frame(&updates).other.as_deref().expect("the first branch");
    assert_eq!((other.now, is_a_1_off(other)), (40_000_000, false));
    let current = |frame: &Frame| {
        let all = frame.branches.iter().flatten();
        all.filter(|branch| branch.current)
            .map(|branch| branch.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(current(other), [0], "the frame marks its branch as current");
    // The same branches can be compared in the opposite direction. Selecting a branch that does not exist changes
    // nothing.
    page.send(Request::Branch { branch: 0 });
    page.seek(41);
    let updates = page.send(Request::CompareBranch { branch: 1 });
    assert!(last_frame(&updates).other.as_deref().is_some_and(is_a_1_off));
    page.send(Request::CompareBranch { branch: 7 });
    let updates = page.seek(42);
    assert_eq!(
        last_frame(&updates).other.as_ref().map(|other| other.now),
        Some(42_000_000)
    );
}

// Shows: T-06
#[test]
fn exported_files_are_valid() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    let (name, media_type, text) = page.export(ExportKind::Objects);
    assert_eq!(
        (name.as_str(), media_type.as_str()),
        ("objects.yaml", "application/yaml")
    );
    let parsed = podscope_api::parse(&text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let pods: Vec<String> = parsed
        .objects
        .iter()
        .filter(|object| object.value.kind() == podscope_api::Kind::Pod)
        .map(|object| object.value.metadata().name.to_string())
        .collect();
    assert_eq!(pods, ["huge", "ledger-0", "ledger-1"]);
    // If the exported objects are opened in a new session, the pods run on the same nodes.
    let (mut again, _) = Page::open(SessionSource::Files {
        files: vec![(name, text)],
    });
    let nodes = |page: &mut Page| {
        console_texts(
            &page.run("kubectl get pods -o custom-columns=N:.metadata.name,ON:.spec.nodeName,U:.metadata.uid"),
            LineKind::Output,
        )
    };
    assert_eq!(nodes(&mut again), nodes(&mut page));

    let (name, media_type, text) = page.export(ExportKind::Trace);
    assert_eq!(
        (name.as_str(), media_type.as_str()),
        ("trace.jsonl", "application/jsonl")
    );
    assert!(text.lines().count() > 10);
    for (index, line) in text.lines().enumerate() {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON Lines");
        assert_eq!(record["seq"], serde_json::json!(index));
    }
    let (name, media_type, text) = page.export(ExportKind::Picture);
    assert_eq!((name.as_str(), media_type.as_str()), ("cluster.svg", "image/svg+xml"));
    assert!(
        text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && text.ends_with("</svg>\n"),
        "{text}"
    );
    for want in [
        "zone a",
        "zone b",
        ">a-1<",
        ">b-1<",
        "default/ledger-0 Running",
        ">pending<",
        "default/huge Pending",
    ] {
        assert!(text.contains(want), "{want} in {text}");
    }
    // Every opened tag of the SVG is closed.
    for tag in ["svg", "rect", "text", "title"] {
        let opened = text.matches(&format!("<{tag}")).count();
        let closed =
            text.matches(&format!("</{tag}>")).count() + if tag == "rect" { text.matches("/>").count() } else { 0 };
        assert_eq!(opened, closed, "{tag}");
    }
}

// A saved scenario contains the user's commands with their times. When it is opened, it results in the same trace.
// Shows: P-04, T-05
#[test]
fn saved_scenario_gives_same_trace() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(20);
    page.run("kubectl cordon a-1");
    page.seek(30);
    page.run("kubectl delete pod ledger-0");
    page.seek(90);
    let (name, _, text) = page.export(ExportKind::Scenario);
    assert_eq!(name, "scenario.yaml");
    assert!(
        text.contains("run: kubectl cordon a-1\n") && text.contains("run: kubectl delete pod ledger-0\n"),
        "{text}"
    );
    let mut again = Page::with_file(&text);
    again.seek(90);
    let state = |page: &mut Page| console_texts(&page.run("kubectl get pods,nodes -o wide"), LineKind::Output);
    assert_eq!(state(&mut again), state(&mut page));
    assert_eq!(
        again.export(ExportKind::Trace).2,
        page.export(ExportKind::Trace).2,
        "equal traces"
    );
    // An invalid file is refused and does not change the session (P-04).
    let before = state(&mut page);
    let refused = page.send(Request::Open {
        source: SessionSource::Files {
            files: vec![("bad.yaml".into(), "kind: Pod\nmetadata: {name: Bad}\n".into())],
        },
    });
    let [Update::Refused { problems }] = refused.as_slice() else {
        panic!("{refused:?}")
    };
    assert!(
        problems
            .iter()
            .all(|problem| problem.file == "bad.yaml" && problem.line > 0),
        "{problems:?}"
    );
    assert_eq!(state(&mut page), before);
}

// Shows: T-05
#[test]
fn undo_removes_last_command_and_its_effects() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(20);
    let before = console_texts(&page.run("kubectl get nodes"), LineKind::Output);
    page.run("kubectl cordon a-1");
    page.seek(25);
    page.run("kubectl cordon b-1");
    page.seek(40);
    let cordoned = |page: &mut Page| {
        let lines = console_texts(&page.run("kubectl get nodes"), LineKind::Output);
        lines.iter().filter(|line| line.contains("SchedulingDisabled")).count()
    };
    assert_eq!(cordoned(&mut page), 2);
    let updates = page.send(Request::Undo);
    // After the undo, the cursor is just before the time of the removed command.
    assert_eq!(last_frame(&updates).now, 25_000_000);
    assert_eq!(cordoned(&mut page), 1);
    page.send(Request::Undo);
    assert_eq!(console_texts(&page.run("kubectl get nodes"), LineKind::Output), before);
    let nothing = page.send(Request::Undo);
    let Some(Update::Console { lines }) = nothing.first() else {
        panic!("{nothing:?}")
    };
    assert_eq!(
        console_texts(lines, LineKind::Error),
        ["there is no command to take back on this branch"]
    );
    // After all commands have been undone, the trace is equal to that of a new session.
    page.seek(40);
    let mut other = Page::with_file(SCENARIO);
    other.seek(40);
    assert_eq!(page.export(ExportKind::Trace).2, other.export(ExportKind::Trace).2);
}

// An anonymised link contains no private names. When it is opened, the session behaves the same.
// Shows: Q-06
#[test]
fn anonymised_link_has_no_private_names() {
    let secret = SCENARIO
        .replace(
            "metadata: {labels: {app: ledger}}",
            "metadata: {labels: {app: ledger}, annotations: {contact: bob@acme.example}}",
        )
        .replace(
            "image: \"acme.example/ledger:1\"",
            "image: \"acme.example/ledger:1\", args: [--token=hunter2], env: [{name: PASSWORD, value: hunter2}]",
        );
    let mut page = Page::with_file(&secret);
    page.seek(20);
    page.run("kubectl delete pod ledger-0 --wait=false");
    page.run("kubectl label pods -l app=ledger team=blue");
    page.run("kubectl apply -f - <<'EOF'\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: payroll}\ndata: {salary: hunter2}\nEOF");
    page.seek(60);
    let share = |page: &mut Page, anonymise: bool| {
        let updates = page.send(Request::Share {
            screen: r#"{"s":{"kind":"pod","key":"books/ledger-0"}}"#.into(),
            anonymise,
            revision: 0,
        });
        match updates.into_iter().next() {
            Some(Update::Link {
                fragment, anonymised, ..
            }) if anonymised == anonymise => fragment,
            other => panic!("{other:?}"),
        }
    };
    let open = share(&mut page, false);
    let hidden = share(&mut page, true);
    let text = |fragment: &str| {
        let link = podscope_session::link::decode(fragment).expect("a link");
        format!("{:?} {:?} {}", link.files, link.commands, link.screen)
    };
    assert!(text(&open).contains("ledger") && text(&open).contains("hunter2"));
    for word in ["ledger", "acme", "books", "bob", "hunter2", "payroll", "blue"] {
        assert!(!text(&hidden).contains(word), "{word} in {}", text(&hidden));
    }
    let (mut other, updates) = Page::open(SessionSource::Link { fragment: hidden });
    assert!(matches!(updates.first(), Some(Update::Opened(_))), "{updates:?}");
    let shape = |page: &mut Page| {
        page.seek(60);
        console_texts(
            &page.run("kubectl get pods,sts,cm --no-headers -o custom-columns=P:.status.phase,ON:.spec.nodeName"),
            LineKind::Output,
        )
    };
    assert_eq!(shape(&mut other).len(), shape(&mut page).len());
    let names = console_texts(&other.run("kubectl get pods -o name"), LineKind::Output);
    // Ordinals at the end of names are kept.
    assert!(names.iter().any(|name| name.ends_with("-0")), "{names:?}");
}

/// Returns the problems that the page's editor shows for a text.
fn editor_problems(page: &mut Page, text: &str) -> Vec<String> {
    let (text, revision) = (text.to_owned(), 1);
    let updates = page.send(Request::Check { text, revision });
    let editor_problems = updates.into_iter().find_map(|update| match update {
        Update::Checked { problems, .. } => Some(problems),
        _ => None,
    });
    let editor_problems = editor_problems.expect("the text is checked");
    editor_problems
        .into_iter()
        .map(|problem| format!("{}:{}", problem.line, problem.message))
        .collect()
}

/// In the editor, an unknown field is reported before the required field that is missing because of it. A kind that the
/// API server does not serve is reported with its position.
/// Shows: U-07
#[test]
fn editor_reports_errors_of_api_server() {
    let mut page = Page::with_file(SCENARIO);
    let misspelt =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    imag: nginx\n";
    let problems = editor_problems(&mut page, misspelt);
    assert!(
        problems[0].starts_with("7:strict decoding error: unknown field \"spec.containers[0].imag\""),
        "{problems:?}"
    );
    assert!(problems[1].ends_with("Required value"), "{problems:?}");
    for (version, kind) in [
        ("extensions/v1beta1", "Deployment"),
        ("policy/v1beta1", "PodDisruptionBudget"),
        ("foo.io/v1", "Foo"),
    ] {
        let text = format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\nspec: {{}}\n");
        let problems = editor_problems(&mut page, &text);
        let wanted = format!("2:no matches for kind {kind:?} in version {version:?}");
        assert_eq!(problems, [wanted]);
    }
    let valid = misspelt.replace("imag:", "image:");
    assert_eq!(editor_problems(&mut page, &valid), Vec::<String>::new());
}

/// For a violated invariant, the page gets the time of the command that caused it, and whether that is the user's last
/// command.
/// Shows: F-04
#[test]
fn violation_has_time_of_command_that_caused_it() {
    let mut page = Page::with_file(SCENARIO);
    page.seek(30);
    page.run("fault partition a-1");
    page.seek(40);
    page.run("kubectl delete pod ledger-0 ledger-1 --grace-period=0 --force");
    let violation_of = |updates: Vec<Update>| {
        let frames = updates.into_iter().filter_map(|update| match update {
            Update::Frame(frame) => frame.control_plane,
            _ => None,
        });
        let plane = frames.last()?;
        plane.broken.iter().find(|broken| broken.name == "at-most-one").cloned()
    };
    let broken = violation_of(page.seek(60)).expect("two pods with the same name run");
    assert_eq!((broken.since, broken.is_last), (Some(40_000_001), true), "{broken:?}");
    let line = "fault heal a-1".to_owned();
    let updates = page.send(Request::Command { line });
    let broken = violation_of(updates).expect("the violation remains");
    assert_eq!((broken.since, broken.is_last), (Some(40_000_001), false), "{broken:?}");
}

/// Faults and refused commands do not start a client, but the output of each command is still printed below its own
/// line.
/// Shows: K-01
#[test]
fn output_after_a_fault_belongs_to_its_command() {
    let mut page = Page::with_file(SCENARIO);
    page.run("fault partition a-1");
    page.run("kubectl cordon nobody");
    let mut lines = page.run("kubectl cordon b-1");
    for update in page.seek(5) {
        if let Update::Console { lines: more } = update {
            lines.extend(more);
        }
    }
    let command_of = |text: &str| {
        let line = lines.iter().find(|line| line.text.plain_text() == text);
        line.unwrap_or_else(|| panic!("{text}: {lines:?}")).command
    };
    assert_eq!(command_of("node/b-1 cordoned"), command_of("kubectl cordon b-1"));
}
