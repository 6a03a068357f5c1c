//! Entry points that the fuzzer calls with inputs, in the way the page or the command line does.

use std::cell::RefCell;
use std::fmt::Write;

use podscope_api::ContainerBehavior;
use podscope_cluster::{Rng, SimTime, Span};
use podscope_kubectl::MAX_WORK;
use podscope_kubectl::command::{self, Command};
use podscope_protocol::{ExportKind, Request, SessionSource, SubjectRef, Update};
use podscope_session::host::{Host, NextWork};
use podscope_session::link::{self, Link};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

use super::make;

/// How completely an input is processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The input is parsed, checked, printed and parsed again; a query is answered by a small cluster. This is several
    /// times faster, and most inputs already fail at this depth.
    Reading,
    /// In addition, the session runs and seeks, and a large cluster answers queries.
    Whole,
}

/// An entry point for the fuzzer.
#[derive(Debug)]
pub struct Target {
    pub name: &'static str,
    /// Returns the initial inputs of a run.
    pub corpus: fn() -> Vec<String>,
    /// Generates structured inputs, if the target has a generator; it provides half of the inputs.
    pub make: Option<fn(&mut Rng) -> String>,
    /// Maximum number of allocations for one input, which is the same on every machine.
    pub budget: u64,
    /// Length of the target's turn in a long run, in seconds. Targets with fast inputs have longer turns.
    pub turn: u64,
    /// Runs an input and returns an answer, of which only the kind is compared.
    pub run: fn(&str, Depth) -> String,
}

/// All entry points that the fuzzer calls.
pub const TARGETS: &[Target] = &[
    Target {
        name: "links",
        corpus: link_corpus,
        make: Some(|rng| LESSONS_AND_COMMANDS.with(|lists| make::generate_link(rng, &lists.0, &lists.1))),
        budget: 8_000_000,
        turn: 3,
        run: open_link,
    },
    Target {
        name: "yaml",
        corpus: || {
            super::contents_of_files(
                &[
                    "tests/fuzz/yaml",
                    "tests/fixtures/bad",
                    "tests/scenarios",
                    "crates/session/lessons",
                ],
                &[".yaml", ".json"],
            )
        },
        make: None,
        budget: 8_000_000,
        turn: 4,
        run: open_file,
    },
    Target {
        name: "lessons",
        corpus: lesson_texts,
        make: Some(|rng| LESSONS_AND_COMMANDS.with(|lists| make::generate_lesson(rng, &lists.0))),
        budget: 8_000_000,
        turn: 3,
        run: open_file,
    },
    Target {
        name: "settings",
        corpus: || super::contents_of_files(&["tests/fuzz/settings"], &[".yaml"]),
        make: Some(make::generate_settings),
        budget: 4_000_000,
        turn: 4,
        run: run_settings,
    },
    Target {
        name: "commands",
        corpus: || super::corpus_lines("commands.txt"),
        make: None,
        budget: MAX_WORK * 5 / 4,
        turn: 16,
        run: run_command,
    },
    Target {
        name: "queries",
        corpus: || super::corpus_lines("queries.txt"),
        make: Some(make::generate_query),
        budget: MAX_WORK * 5 / 4,
        turn: 20,
        run: run_query,
    },
    Target {
        name: "annotations",
        corpus: || super::corpus_lines("annotations.txt"),
        make: None,
        budget: 500_000,
        turn: 8,
        run: run_annotation,
    },
];

thread_local! {
    /// Texts of lessons, and command lines, from which inputs are generated.
    static LESSONS_AND_COMMANDS: (Vec<String>, Vec<String>) = (lesson_texts(), super::corpus_lines("commands.txt"));
}

fn lesson_texts() -> Vec<String> {
    super::contents_of_files(&["crates/session/lessons"], &[".yaml"])
}

fn open_file(text: &str, depth: Depth) -> String {
    let source = SessionSource::Files {
        files: vec![("fuzz.yaml".into(), text.to_owned())],
    };
    open_session(source, depth)
}

/// Maximum number of simulation steps for a simulated minute of `settings.yaml`, whatever the settings. It is forty
/// times the number of steps with the default settings.
const MAX_STEPS_PER_MINUTE: u64 = 200_000;

/// Runs a scenario for one simulated minute, or for 15 s at [`Depth::Reading`].
fn run_settings(text: &str, depth: Depth) -> String {
    let loaded = match scenario::load(&[("settings.yaml".to_owned(), text.to_owned())]) {
        Ok(loaded) => loaded,
        Err(problems) => return problems.into_iter().map(|problem| problem.message.english()).collect(),
    };
    let mut session = match Session::new(loaded) {
        Ok(session) => session,
        Err(problems) => return problems.into_iter().map(|problem| problem.message.english()).collect(),
    };
    // Settings affect periodic actions, so parsing alone tests little.
    let until = if depth == Depth::Whole { 60 } else { 15 };
    let slice = session.advance(SimTime::from_seconds(until), MAX_STEPS_PER_MINUTE);
    // Only generated inputs have this cluster, for which the limit holds; a mutated input may have a larger one.
    if text.ends_with(make::SETTINGS_CLUSTER) {
        assert!(
            slice == Slice::Done,
            "a minute takes more than {MAX_STEPS_PER_MINUTE} steps"
        );
    }
    format!("{slice:?} {}", session.trace().len().ilog2())
}

/// Returns links and their unpacked content, because a mutation of packed text rarely gets further than unpacking.
fn link_corpus() -> Vec<String> {
    let packed = super::contents_of_files(&["tests/fixtures/links"], &[".link"]);
    let inner: Vec<String> = packed
        .iter()
        .filter_map(|text| serde_json::to_string(&link::decode(text).ok()?).ok())
        .filter(|text| text.len() <= super::MAX_INPUT_BYTES)
        .collect();
    let found = super::contents_of_files(&["tests/fuzz/links"], &[".json"]);
    packed.into_iter().chain(inner).chain(found).collect()
}

fn open_link(text: &str, depth: Depth) -> String {
    let fragment = match serde_json::from_str::<Link>(text) {
        Ok(inner) => {
            let packed = inner.encode();
            if let Ok(read) = link::decode(&packed) {
                assert_eq!(read, inner, "a link must decode to what was encoded");
            }
            packed
        }
        Err(_) => text.to_owned(),
    };
    open_session(SessionSource::Link { fragment }, depth)
}

/// Maximum number of times that the host is called to continue its work after a request.
const MAX_WORK_CALLS_PER_REQUEST: usize = 12;

/// Opens a scenario or link as the page does, and requests frames, seeks, an inspection of a pod, a share link and an
/// export.
fn open_session(source: SessionSource, depth: Depth) -> String {
    let mut host = Host::new();
    let mut answer = String::new();
    let mut clock = 0.0;
    let updates = host.handle(Request::Open { source }, clock);
    let opened = updates.iter().any(|update| matches!(update, Update::Opened(_)));
    append_update_summary(&mut answer, &updates);
    if !opened || depth == Depth::Reading {
        return answer;
    }
    let subject = SubjectRef::Pod {
        key: "default/web-0".into(),
        uid: String::new(),
    };
    let requests = [
        Request::Seek { at: 20_000_000 },
        Request::Inspect { subject: Some(subject) },
        Request::Seek { at: 5_000_000 },
        Request::NextDecision,
        Request::Share {
            screen: String::new(),
            anonymise: true,
            revision: 0,
        },
        Request::Export {
            what: ExportKind::Scenario,
            anonymise: true,
        },
    ];
    for request in requests {
        append_update_summary(&mut answer, &host.handle(request, clock));
        for _ in 0..MAX_WORK_CALLS_PER_REQUEST {
            if host.next_work() == NextWork::AfterRequest {
                break;
            }
            clock += 40.0;
            append_update_summary(&mut answer, &host.work(clock));
            host.handle(Request::FrameDone, clock);
        }
    }
    answer
}

/// Appends a summary of updates to the answer: their kinds, and the texts of problems and console lines.
fn append_update_summary(answer: &mut String, updates: &[Update]) {
    for update in updates {
        match update {
            Update::Refused { problems } => {
                answer.push('R');
                if let Some(problem) = problems.first() {
                    let _ = write!(answer, " {} {}", problem.path, problem.message);
                }
            }
            Update::Console { lines } => {
                answer.push('C');
                if let Some(line) = lines.last() {
                    let _ = write!(answer, " {}", line.text);
                }
            }
            Update::Opened(opened) => {
                let notices: Vec<String> = opened.notices.iter().map(ToString::to_string).collect();
                let _ = write!(answer, "O {notices:?}");
            }
            Update::File { text, .. } => {
                let _ = write!(answer, "E{}", text.len().ilog2());
            }
            Update::Frame(_) => answer.push('F'),
            _ => answer.push('U'),
        }
    }
}

/// A cluster with objects of most kinds. The target `commands` runs its inputs there at 20 s.
const COMMANDS_CLUSTER: &str = include_str!("../../fuzz/cluster.yaml");

/// A small cluster that answers queries quickly, with objects of the most queried kinds.
const QUERY_CLUSTER: &str = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: small}
spec: {cluster: {zones: [a], nodesPerZone: 1}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {a.b/c: x}}
    spec: {containers: [{name: c, image: \"web:1\"}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {a: \"1\", b: x}
";

fn session_of_text(text: &str) -> Session {
    let files = [("cluster.yaml".to_owned(), text.to_owned())];
    let loaded = scenario::load(&files).expect("the fuzzer's cluster must load");
    let mut session = Session::new(loaded).expect("the fuzzer's cluster must start");
    session.advance(SimTime::from_seconds(20), u64::MAX);
    session
}

thread_local! {
    static COMMANDS_SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    static QUERY_SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

fn run_command(text: &str, depth: Depth) -> String {
    let completed = command::complete(text, text.len() / 2, &podscope_cluster::Objects::default());
    let command = match command::parse(text) {
        Ok(command) => command,
        Err(error) => return format!("{} {}", completed.1.len(), error.message),
    };
    let printed = command.to_string();
    assert_eq!(
        command::parse(&printed).as_ref(),
        Ok(&command),
        "{text:?} is printed as {printed:?}, which does not parse to the same command"
    );
    if depth == Depth::Reading {
        // The first letters of each word of the printed command identify its form.
        return printed.split(' ').map(|word| word.get(..3).unwrap_or(word)).collect();
    }
    let mut session = COMMANDS_SESSION.with(|cached| {
        cached
            .borrow_mut()
            .get_or_insert_with(|| session_of_text(COMMANDS_CLUSTER))
            .clone()
    });
    match &command {
        Command::Help(topic) => return command::help_text(topic),
        Command::Kubectl { action: kubectl, .. } => {
            if let Some(printed) = session.read(kubectl) {
                return printed.lines.into_iter().map(|(_, line)| line).take(3).collect();
            }
        }
        Command::Api(_) | Command::Fault { .. } | Command::Stop { .. } => {}
    }
    let before = session.outputs().len();
    let mut answer = session
        .command(command)
        .err()
        .map(|limit| limit.to_string())
        .unwrap_or_default();
    session.advance(session.now() + Span::seconds(40), 600);
    let back = session.now();
    session.seek(SimTime::from_seconds(21));
    session.advance(back, 600);
    for line in session.outputs().iter().skip(before).take(3) {
        answer.push_str(&line.text);
    }
    answer
}

/// Parses and answers a query, without advancing time.
fn run_query(text: &str, depth: Depth) -> String {
    let command = match command::parse(text) {
        Ok(command) => command,
        Err(error) => return error.message,
    };
    assert_eq!(
        command::parse(&command.to_string()).as_ref(),
        Ok(&command),
        "{text:?} must parse again after printing"
    );
    let Command::Kubectl { action: kubectl, .. } = &command else {
        return String::new();
    };
    let small = QUERY_SESSION.with(|cached| {
        let mut cached = cached.borrow_mut();
        cached
            .get_or_insert_with(|| session_of_text(QUERY_CLUSTER))
            .read(kubectl)
    });
    let printed = match depth {
        Depth::Reading => small,
        Depth::Whole => COMMANDS_SESSION.with(|cached| {
            let mut cached = cached.borrow_mut();
            cached
                .get_or_insert_with(|| session_of_text(COMMANDS_CLUSTER))
                .read(kubectl)
        }),
    };
    let lines = printed.map(|printed| printed.lines).unwrap_or_default();
    lines.into_iter().map(|(_, line)| line).take(3).collect()
}

fn run_annotation(text: &str, depth: Depth) -> String {
    let mut answer = match ContainerBehavior::parse(text) {
        Ok(behavior) => format!("{behavior:?}"),
        Err(errors) => format!("{errors:?}"),
    };
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  annotations: {{behavior.podscope.dev/app: {quoted}, \
         podscope.dev/group: {quoted}}}\nspec:\n  terminationGracePeriodSeconds: 3\n  containers:\n  - name: app\n    image: a\n    \
         lifecycle: {{preStop: {{exec: {{command: [x]}}}}, postStart: {{exec: {{command: [x]}}}}}}\n    \
         livenessProbe: {{tcpSocket: {{port: 1}}, periodSeconds: 2}}\n    readinessProbe: {{tcpSocket: {{port: 1}}}}\n"
    );
    match scenario::load(&[("p.yaml".to_owned(), pod)]).and_then(Session::new) {
        Ok(_) if depth == Depth::Reading => answer.push_str(" starts"),
        Ok(mut session) => {
            session.advance(SimTime::from_seconds(30), 500);
            if let Ok(command) = command::parse("kubectl delete pod p --wait=false") {
                let _ = session.command(command);
            }
            session.advance(SimTime::from_seconds(120), 500);
            let _ = write!(answer, " {}", session.trace().len().ilog2());
        }
        Err(problems) => answer.extend(problems.into_iter().map(|problem| problem.message.english())),
    }
    answer
}
