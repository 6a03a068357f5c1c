//! K-02: what `kubectl describe` prints, whole texts. KC-064 to KC-078. A `␠` stands for a blank at a line's end.

mod kinds;
mod networks;
mod node;
mod pod;
mod workloads;

use podscope_cluster::SimTime;
use podscope_kubectl::command::{Command, parse};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// A session on these manifests, run for that many seconds.
fn session(manifests: &str, seconds: i64) -> Session {
    let loaded = scenario::load(&[("objects.yaml".to_owned(), manifests.to_owned())]).expect("readable");
    let mut session = Session::new(loaded).expect("admitted");
    while session.advance(SimTime::from_seconds(seconds), 10_000) == Slice::More {}
    session
}

/// What a reading command prints, and its errors.
fn run(session: &Session, line: &str) -> (String, String) {
    let Ok(Command::Kubectl(kubectl)) = parse(line) else {
        panic!("{line} is not a kubectl command");
    };
    let printed = session.read(&kubectl).expect("it only reads");
    let errors: Vec<&str> = printed
        .lines
        .iter()
        .filter(|(kind, _)| kind.is_stderr())
        .map(|(_, line)| line.as_str())
        .collect();
    (printed.stdout(), errors.join("\n"))
}

/// Compares what a command prints with a text.
fn check(session: &Session, line: &str, want: &str) {
    let (have, errors) = run(session, line);
    assert_eq!(errors, "", "{line}");
    let want = want.replace('␠', " ");
    assert!(have == want, "{line} printed\n{have}\ninstead of\n{want}");
}
