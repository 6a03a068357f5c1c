//! Cases whose expectation is a sentence: commands on a shell, and what their answers say.

use podscope_cluster::Span;
use podscope_session::scenario;
use podscope_session::shell::Shell;
use podscope_session::timeline::Session;

/// A cluster as `podscope shell` makes it: of a scenario or of objects.
///
/// # Panics
/// The text is not a scenario.
#[must_use]
pub fn shell(text: &str) -> Shell {
    let loaded = scenario::load(&[("case.yaml".into(), text.to_owned())]).expect("the case loads");
    Shell::new(Session::new(loaded).expect("a session"))
}

/// Runs a command, and all that it printed, with stderr behind stdout.
pub fn told(shell: &mut Shell, line: &str, stdin: Option<&str>) -> String {
    // No time passes but what the command takes.
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
