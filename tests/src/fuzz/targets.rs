//! The doors that texts are thrown at, as a page or the command line would open them.

use std::cell::RefCell;
use std::fmt::Write;

use podscope_api::ContainerBehavior;
use podscope_cluster::{SimTime, Span};
use podscope_kubectl::command::{self, Command};
use podscope_protocol::{ExportKind, Request, Source, SubjectRef, Update};
use podscope_session::host::{Host, Wants};
use podscope_session::link::{self, Link};
use podscope_session::scenario;
use podscope_session::timeline::Session;

/// A door.
#[derive(Debug)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// The texts a run begins with.
    pub corpus: fn() -> Vec<String>,
    /// Throws a text; the answer is compared by its form.
    pub run: fn(&str) -> String,
}

/// All doors.
pub const TARGETS: &[Target] = &[
    Target {
        name: "links",
        corpus: link_corpus,
        run: open_link,
    },
    Target {
        name: "yaml",
        corpus: || {
            super::texts(
                &[
                    "tests/fuzz/yaml",
                    "tests/fixtures/bad",
                    "tests/scenarios",
                    "crates/session/lessons",
                ],
                &[".yaml", ".json"],
            )
        },
        run: |text| {
            open(Source::Files {
                files: vec![("fuzz.yaml".into(), text.to_owned())],
            })
        },
    },
    Target {
        name: "commands",
        corpus: || super::lines("commands.txt"),
        run: run_command,
    },
    Target {
        name: "annotations",
        corpus: || super::lines("annotations.txt"),
        run: run_annotation,
    },
];

/// Links, and what is in them: a changed character of packed text rarely reaches further than unpacking.
fn link_corpus() -> Vec<String> {
    let packed = super::texts(&["tests/fixtures/links", "tests/fuzz/links"], &[".link"]);
    let inner: Vec<String> = packed
        .iter()
        .filter_map(|text| serde_json::to_string(&link::decode(text).ok()?).ok())
        .filter(|text| text.len() <= super::MAX_INPUT)
        .collect();
    packed.into_iter().chain(inner).collect()
}

fn open_link(text: &str) -> String {
    let fragment = match serde_json::from_str::<Link>(text) {
        Ok(inner) => {
            let packed = inner.encode();
            if let Ok(read) = link::decode(&packed) {
                assert_eq!(read, inner, "a link reads back as it was written");
            }
            packed
        }
        Err(_) => text.to_owned(),
    };
    open(Source::Link { fragment })
}

/// Pieces of work that a text may cause.
const PIECES: usize = 12;

/// Opens a source as the page does: frames, a seek, the inspector, a share, an export.
fn open(source: Source) -> String {
    let mut host = Host::new();
    let mut answer = String::new();
    let mut clock = 0.0;
    let updates = host.handle(Request::Open { source }, clock);
    let opened = updates.iter().any(|update| matches!(update, Update::Opened(_)));
    tell(&mut answer, &updates);
    if !opened {
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
        },
        Request::Export {
            what: ExportKind::Scenario,
        },
    ];
    for request in requests {
        tell(&mut answer, &host.handle(request, clock));
        for _ in 0..PIECES {
            if host.wants() == Wants::Rest {
                break;
            }
            clock += 40.0;
            tell(&mut answer, &host.work(clock));
            host.handle(Request::FrameDone, clock);
        }
    }
    answer
}

/// The form of some updates: what kind they are, and the words of what was refused or said.
fn tell(answer: &mut String, updates: &[Update]) {
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
                let _ = write!(answer, "O {:?}", opened.notices);
            }
            Update::File { text, .. } => {
                let _ = write!(answer, "E{}", text.len().ilog2());
            }
            Update::Frame(_) => answer.push('F'),
            _ => answer.push('U'),
        }
    }
}

/// A cluster with one of most things, at twenty seconds.
const CLUSTER: &str = include_str!("../../fuzz/cluster.yaml");

fn session() -> Session {
    let files = [("cluster.yaml".to_owned(), CLUSTER.to_owned())];
    let loaded = scenario::load(&files).expect("the fuzzer's cluster loads");
    let mut session = Session::new(loaded).expect("the fuzzer's cluster starts");
    session.advance(SimTime::from_seconds(20), u64::MAX);
    session
}

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

fn run_command(text: &str) -> String {
    let completed = command::complete(text, text.len() / 2, &podscope_cluster::Objects::default());
    let command = match command::parse(text) {
        Ok(command) => command,
        Err(error) => return format!("{} {}", completed.1.len(), error.message),
    };
    let printed = command.to_string();
    assert_eq!(
        command::parse(&printed).as_ref(),
        Ok(&command),
        "{text:?} is printed as {printed:?}, which is not read as the same command"
    );
    let mut session = SESSION.with(|kept| kept.borrow_mut().get_or_insert_with(session).clone());
    match &command {
        Command::Help(topic) => return command::help_text(topic),
        Command::Kubectl(kubectl) => {
            if let Some(printed) = session.read(kubectl) {
                return printed.lines.into_iter().map(|(_, line)| line).take(3).collect();
            }
        }
        Command::Fault(_) | Command::Stop { .. } => {}
    }
    let before = session.outputs().len();
    let mut answer = session.command(command).err().unwrap_or_default();
    session.advance(session.now() + Span::seconds(40), 600);
    let back = session.now();
    session.seek(SimTime::from_seconds(21));
    session.advance(back, 600);
    for line in session.outputs().iter().skip(before).take(3) {
        answer.push_str(&line.text);
    }
    answer
}

fn run_annotation(text: &str) -> String {
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
        Ok(mut session) => {
            session.advance(SimTime::from_seconds(30), 500);
            if let Ok(command) = command::parse("kubectl delete pod p --wait=false") {
                let _ = session.command(command);
            }
            session.advance(SimTime::from_seconds(120), 500);
            let _ = write!(answer, " {}", session.trace().len().ilog2());
        }
        Err(problems) => answer.extend(problems.into_iter().map(|problem| problem.message)),
    }
    answer
}
