//! A saved session reopens unchanged (T-05), and exported files are readable (T-06).

use podscope_cluster::SimTime;
use podscope_kubectl::command;
use podscope_protocol::{ExportKind, Frame, Request, SessionSource, Update};
use podscope_session::host::{Host, NextWork};
use podscope_session::report;
use podscope_session::scenario;
use podscope_session::timeline::Session;
use serde_json::Value;

const CLUSTER: &str = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: saved}
spec:
  seed: 9
  cluster: {zones: [a, b], nodesPerZone: 1}
  timeline: [{at: 5s, run: kubectl cordon b-1}]
---
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {note: \"<script>&\\\"'\"}}
spec: {containers: [{name: c, image: \"nginx:1\"}]}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: kept}, spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}}
";

/// Returns a page at 60 s whose user partitioned a node and created a Deployment.
fn page_with_user_commands() -> Page {
    let mut page = Page::open(CLUSTER);
    page.seek(20);
    page.send_request(Request::Command {
        line: "fault partition a-1".into(),
    });
    page.seek(30);
    page.send_request(Request::Command {
        line: "kubectl create deployment late --image=i --replicas=2".into(),
    });
    page.seek(60);
    page
}

struct Page {
    host: Host,
    clock: f64,
}

impl Page {
    fn open(text: &str) -> Page {
        let mut page = Page {
            host: Host::new(),
            clock: 0.0,
        };
        let files = vec![("saved.yaml".to_owned(), text.to_owned())];
        page.send_request(Request::Open {
            source: SessionSource::Files { files },
        });
        page
    }

    fn seek(&mut self, seconds: i64) {
        self.send_request(Request::Seek {
            at: seconds * 1_000_000,
        });
    }

    /// Sends a request to the engine and returns all updates that it sends until its work is done.
    fn send_request(&mut self, request: Request) -> Vec<Update> {
        let mut updates = self.host.handle(request, self.clock);
        for _ in 0..1_000_000 {
            self.host.handle(Request::FrameDone, self.clock);
            match self.host.next_work() {
                NextWork::AfterRequest => break,
                NextWork::Now => self.clock += 0.1,
                NextWork::At(at) => self.clock = at.max(self.clock + 0.1),
            }
            updates.extend(self.host.work(self.clock));
        }
        updates
    }

    /// Exports a file and returns its name and its text.
    fn export_file(&mut self, what: ExportKind) -> (String, String) {
        let updates = self.send_request(Request::Export { what, anonymise: false });
        let file = updates.into_iter().find_map(|update| match update {
            Update::File { name, text, .. } => Some((name, text)),
            _ => None,
        });
        file.expect("a file")
    }
}

fn last_frame(updates: &[Update]) -> &Frame {
    let frame = updates.iter().rev().find_map(|update| match update {
        Update::Frame(frame) => Some(&**frame),
        _ => None,
    });
    frame.expect("a frame")
}

/// The saved file contains everything that the run needs: seed, objects, objects of unsimulated kinds, the commands of
/// the scenario and those of the user.
/// Shows: T-05
#[test]
fn saved_session_reopens_unchanged() {
    let mut page = page_with_user_commands();
    let (_, trace) = page.export_file(ExportKind::Trace);
    let (name, saved) = page.export_file(ExportKind::Scenario);
    assert!(name.ends_with(".yaml"));
    let mut again = Page::open(&saved);
    again.seek(60);
    assert_eq!(again.export_file(ExportKind::Trace).1, trace);
    // Saving the reopened session gives the same file.
    assert_eq!(again.export_file(ExportKind::Scenario).1, saved);
    assert!(saved.contains("kind: Ingress"));
}

/// Shows: T-05
#[test]
fn undo_removes_last_command_and_its_effects() {
    let mut page = page_with_user_commands();
    let updates = page.send_request(Request::Undo);
    assert!((29_999_999..=30_000_000).contains(&last_frame(&updates).now));
    page.seek(60);
    let (_, objects) = page.export_file(ExportKind::Objects);
    assert!(!objects.contains("name: late"));
    let (_, saved) = page.export_file(ExportKind::Scenario);
    assert!(saved.contains("fault partition a-1") && !saved.contains("create deployment"));
}

/// Shows: T-06
#[test]
fn objects_trace_and_picture_are_exported() {
    let mut page = page_with_user_commands();
    let (name, objects) = page.export_file(ExportKind::Objects);
    assert_eq!(name, "objects.yaml");
    let parsed = podscope_api::parse(&objects);
    assert_eq!(parsed.problems, []);
    let names: Vec<&str> = parsed
        .objects
        .iter()
        .map(|object| &*object.value.metadata().name)
        .collect();
    for expected in ["a-1", "b-1", "web", "late"] {
        assert!(names.contains(&expected), "{names:?}");
    }
    let (name, trace) = page.export_file(ExportKind::Trace);
    assert_eq!(name, "trace.jsonl");
    let records: Vec<Value> = trace
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let commands = records.iter().filter(|record| record["what"] == "Command");
    assert_eq!(commands.count(), 3);
    let mut session = Session::new(scenario::load(&[("a".into(), CLUSTER.into())]).expect("the scenario loads"))
        .expect("the session starts");
    for (at, line) in [
        (20, "fault partition a-1"),
        (30, "kubectl create deployment late --image=i --replicas=2"),
    ] {
        session.advance(SimTime::from_seconds(at), u64::MAX);
        session
            .command(command::parse(line).expect("a command"))
            .expect("the command is accepted");
    }
    session.advance(SimTime::from_seconds(60), u64::MAX);
    assert_eq!(trace, report::trace(session.trace()));
    let (name, picture) = page.export_file(ExportKind::Picture);
    assert_eq!(name, "cluster.svg");
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"));
    for expected in ["a-1", "b-1"] {
        assert!(picture.contains(expected), "{expected} is not in the picture");
    }
    assert!(!picture.contains("<script"));
}
