//! The corpora of answers that were recorded from a real cluster. Each corpus has one kind of answer: to manifests, to
//! reads of stored objects, to commands, or to watches.

use serde::Deserialize;
use serde_json::Value;

use super::normalise;
use super::{CaseComparison, live_file, number_duplicates, read_corpus, run_cases, span_of_seconds, stdout_and_stderr};

#[derive(Deserialize)]
struct ManifestCase {
    name: String,
    kind: String,
    verb: Option<String>,
    text: String,
    next: Option<String>,
    stdout: String,
    stderr: String,
}

/// Runs the cases of `api.jsonl.gz`: each creates or applies one manifest, or applies a manifest and then a second one.
#[must_use]
pub fn compare_api_cases() -> Vec<CaseComparison> {
    let cases: Vec<ManifestCase> = read_corpus("api.jsonl.gz");
    let compared = run_cases(&cases, |case, mut shell| {
        let (answer, user_input) = match (&case.next, &case.verb) {
            (Some(next), _) => {
                shell.run("kubectl apply -f -", Some(&case.text), span_of_seconds(0.7));
                let answer = shell.run("kubectl apply -f -", Some(next), span_of_seconds(0.7));
                (answer, format!("{}{next}", case.text))
            }
            (None, verb) => {
                let verb = verb.as_deref().expect("a case without `next` has a verb");
                let answer = shell.run(&format!("kubectl {verb} -f -"), Some(&case.text), span_of_seconds(1.0));
                (answer, case.text.clone())
            }
        };
        let (out, err) = stdout_and_stderr(&answer);
        let parts = [
            ("stdout", case.stdout.clone(), normalise::text(&out, &user_input, false)),
            ("stderr", case.stderr.clone(), normalise::text(&err, &user_input, false)),
        ];
        CaseComparison::new(format!("{}: {}", case.kind, case.name), parts)
    });
    number_duplicates(compared)
}

#[derive(Deserialize)]
struct DefaultsCase {
    name: String,
    text: String,
    command: String,
    status: bool,
    object: Value,
}

/// Runs the cases of `defaults.jsonl.gz`: each creates a manifest and reads the stored object 1.5 seconds later.
#[must_use]
pub fn compare_defaults_cases() -> Vec<CaseComparison> {
    let cases: Vec<DefaultsCase> = read_corpus("defaults.jsonl.gz");
    let compared = run_cases(&cases, |case, mut shell| {
        shell.run("kubectl create -f -", Some(&case.text), span_of_seconds(1.5));
        let (out, err) = stdout_and_stderr(&shell.run(&case.command, None, span_of_seconds(0.0)));
        let ours = match serde_json::from_str(&out) {
            Ok(value) => {
                let mut value = normalise::object(value, &case.text);
                if let (false, Value::Object(map)) = (case.status, &mut value) {
                    map.shift_remove("status");
                }
                sorted_json(&value)
            }
            Err(_) => out + &err,
        };
        CaseComparison::new(case.name.clone(), [("object", sorted_json(&case.object), ours)])
    });
    number_duplicates(compared)
}

/// Formats a JSON value with sorted keys.
pub(super) fn sorted_json(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    format!("{value:#}")
}

#[derive(Deserialize)]
pub(super) struct RecordedCommand {
    pub(super) at: f64,
    pub(super) command: String,
    pub(super) stdin: Option<String>,
    pub(super) stdout: Option<String>,
    #[serde(default)]
    pub(super) stderr: String,
}

impl RecordedCommand {
    /// Returns the command line and its stdin: the normalisation never replaces names that occur in them.
    pub(super) fn user_input(&self) -> String {
        format!("{}\n{}", self.command, self.stdin.as_deref().unwrap_or_default())
    }

    /// Compares what the command printed with the recorded answer; `None` if no answer was recorded.
    pub(super) fn compare(&self, name: String, (out, err): (String, String)) -> Option<CaseComparison> {
        let user_input = self.user_input();
        let stdout = self.stdout.clone()?;
        let parts = [
            ("stdout", stdout, normalise::text(&out, &user_input, true)),
            ("stderr", self.stderr.clone(), normalise::text(&err, &user_input, true)),
        ];
        Some(CaseComparison::new(name, parts))
    }
}

#[derive(Deserialize)]
struct CommandGroup {
    group: String,
    fixture: bool,
    end: f64,
    steps: Vec<RecordedCommand>,
}

/// Runs the groups of commands in `kubectl.jsonl.gz`, each group in its own cluster.
#[must_use]
pub fn compare_kubectl_cases() -> Vec<CaseComparison> {
    let groups: Vec<CommandGroup> = read_corpus("kubectl.jsonl.gz");
    let fixture = std::fs::read_to_string(live_file("fixture.yaml")).expect("the fixture is there");
    let compared = run_cases(&groups, |group, mut shell| {
        shell.advance(span_of_seconds(1.0));
        let first = group.steps.first().map_or(1.0, |step| step.at);
        if group.fixture {
            shell.run("kubectl apply -f -", Some(&fixture), span_of_seconds(first));
        }
        let next = group.steps.iter().skip(1).map(|step| step.at).chain([group.end]);
        let steps = group.steps.iter().zip(next);
        steps
            .filter_map(|(step, next)| {
                let wait = span_of_seconds((next - step.at).max(0.05));
                let answer = shell.run(&step.command, step.stdin.as_deref(), wait);
                step.compare(format!("{}: {}", group.group, step.command), stdout_and_stderr(&answer))
            })
            .collect::<Vec<CaseComparison>>()
    });
    number_duplicates(compared.into_iter().flatten().collect())
}

#[derive(Deserialize)]
struct WatchCase {
    name: String,
    command: String,
    steps: Vec<RecordedCommand>,
    end: f64,
    stdout: String,
}

/// Runs the cases of `watches.jsonl.gz`: each compares what a watch prints while other commands change objects.
#[must_use]
pub fn compare_watch_cases() -> Vec<CaseComparison> {
    let cases: Vec<WatchCase> = read_corpus("watches.jsonl.gz");
    let compared = run_cases(&cases, |case, mut shell| {
        shell.run(
            &format!("kubectl create namespace {}", case.name),
            None,
            span_of_seconds(1.0),
        );
        let mut printed_text = String::new();
        let mut append = |answer| {
            let (out, err) = stdout_and_stderr(&answer);
            printed_text.push_str(&out);
            printed_text.push_str(&err);
        };
        let mut now = 0.05;
        append(shell.run(&case.command, None, span_of_seconds(now)));
        for step in &case.steps {
            append(shell.advance(span_of_seconds(step.at - now)));
            now = step.at;
            append(shell.run(&step.command, step.stdin.as_deref(), span_of_seconds(0.0)));
        }
        append(shell.advance(span_of_seconds(case.end - now)));
        let name = format!("{}: {}", case.name, case.command);
        CaseComparison::new(
            name,
            [("stdout", case.stdout.clone(), watch_rows(&printed_text, &case.command))],
        )
    });
    number_duplicates(compared)
}

/// Returns the rows of the watch: drops the answers of other commands and merges equal consecutive rows.
fn watch_rows(printed_text: &str, command: &str) -> String {
    let rows: Vec<&str> = printed_text
        .split('\n')
        .filter(|line| !is_change_answer(line))
        .collect();
    let normalised = normalise::text(&rows.join("\n"), command, true);
    let mut lines: Vec<&str> = normalised.split('\n').collect();
    lines.dedup();
    lines.join("\n")
}

/// Returns whether a line is the answer of a command that changes an object.
fn is_change_answer(line: &str) -> bool {
    static CHANGE_ANSWER: std::sync::LazyLock<fancy_regex::Regex> = std::sync::LazyLock::new(|| {
        let pattern = r#"^(\S+/\S+ (created|configured|unchanged|scaled|patched)( \(.*\))?|\S+/\S+ image updated|\S+ "\S+" (force )?deleted( from \S+ namespace)?|Warning: .*)$"#;
        fancy_regex::Regex::new(pattern).expect("a pattern")
    });
    CHANGE_ANSWER.is_match(line).expect("the pattern needs no deep search")
}
