//! Complete output of `kubectl describe` (K-02, KC-064 to KC-078). `␠` stands for a space at the end of a line.

mod kinds;
mod networks;
mod node;
mod pod;
mod workloads;

use podscope_cluster::SimTime;
use podscope_kubectl::command::{Command, parse};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};

/// Returns a session with these manifests, advanced by some seconds.
fn session_after(manifests: &str, seconds: i64) -> Session {
    let loaded = scenario::load(&[("objects.yaml".to_owned(), manifests.to_owned())]).expect("readable");
    let mut session = Session::new(loaded).expect("admitted");
    while session.advance(SimTime::from_seconds(seconds), 10_000) == Slice::More {}
    session
}

/// Runs a command that only reads. Returns what it prints to stdout and stderr.
fn output_and_errors(session: &Session, line: &str) -> (String, String) {
    let Ok(Command::Kubectl { action: kubectl, .. }) = parse(line) else {
        panic!("{line} is not a kubectl command");
    };
    let printed = session.read(&kubectl).expect("the command only reads");
    let errors: Vec<&str> = printed
        .lines
        .iter()
        .filter(|(kind, _)| kind.is_stderr())
        .map(|(_, line)| line.as_str())
        .collect();
    (printed.stdout(), errors.join("\n"))
}

/// Asserts that a command prints exactly `want` to stdout and nothing to stderr.
fn assert_output(session: &Session, line: &str, want: &str) {
    let (have, errors) = output_and_errors(session, line);
    assert_eq!(errors, "", "{line}");
    let want = want.replace('␠', " ");
    assert!(have == want, "{line} printed\n{have}\ninstead of\n{want}");
}
