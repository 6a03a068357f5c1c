//! Helpers for tests that run commands in a shell and check the sentences that the commands print.

use podscope_cluster::Span;
use podscope_session::scenario;
use podscope_session::shell::Shell;
use podscope_session::timeline::Session;

/// Creates a shell as `podscope shell` does, from a scenario or from manifests.
///
/// # Panics
/// If the text is not a valid scenario.
#[must_use]
pub fn shell(text: &str) -> Shell {
    let loaded = scenario::load(&[("case.yaml".into(), text.to_owned())]).expect("the case loads");
    Shell::new(Session::new(loaded).expect("a session"))
}

/// Runs a command and returns everything that it printed, including stderr and the reason of a refusal.
pub fn run_and_print(shell: &mut Shell, line: &str, stdin: Option<&str>) -> String {
    // Simulated time advances only as far as the command itself needs.
    let answer = shell.run(line, stdin, Span::ZERO);
    let mut text = String::new();
    for (_, line) in &answer.lines {
        text.push_str(line);
        text.push('\n');
    }
    if let Some(refused) = &answer.refused {
        text.push_str(refused);
        text.push('\n');
    }
    text
}
