//! The corpora of single answers: manifests, stored objects, commands, watches.

use serde::Deserialize;
use serde_json::Value;

use super::normalise::{object, text};
use super::{Compared, each, lines_of, numbered, path, printed, seconds};

#[derive(Deserialize)]
struct ApiCase {
    name: String,
    kind: String,
    verb: Option<String>,
    text: String,
    next: Option<String>,
    stdout: String,
    stderr: String,
}

/// `kubectl create|apply -f -` of a manifest, or apply of one and then of another.
#[must_use]
pub fn api() -> Vec<Compared> {
    let cases: Vec<ApiCase> = lines_of("api.jsonl.gz");
    let compared = each(&cases, |case, mut shell| {
        let (answer, context) = match (&case.next, &case.verb) {
            (Some(next), _) => {
                shell.run("kubectl apply -f -", Some(&case.text), seconds(0.7));
                let answer = shell.run("kubectl apply -f -", Some(next), seconds(0.7));
                (answer, format!("{}{next}", case.text))
            }
            (None, verb) => {
                let verb = verb.as_deref().expect("a case without `next` has a verb");
                let answer = shell.run(&format!("kubectl {verb} -f -"), Some(&case.text), seconds(1.0));
                (answer, case.text.clone())
            }
        };
        let (out, err) = printed(&answer);
        let pairs = [
            ("stdout", case.stdout.clone(), text(&out, &context, false)),
            ("stderr", case.stderr.clone(), text(&err, &context, false)),
        ];
        Compared::new(format!("{}: {}", case.kind, case.name), pairs)
    });
    numbered(compared)
}

#[derive(Deserialize)]
struct DefaultsCase {
    name: String,
    text: String,
    command: String,
    status: bool,
    object: Value,
}

/// What is stored of a manifest a second and a half later.
#[must_use]
pub fn defaults() -> Vec<Compared> {
    let cases: Vec<DefaultsCase> = lines_of("defaults.jsonl.gz");
    let compared = each(&cases, |case, mut shell| {
        shell.run("kubectl create -f -", Some(&case.text), seconds(1.5));
        let (out, err) = printed(&shell.run(&case.command, None, seconds(0.0)));
        let ours = match serde_json::from_str(&out) {
            Ok(value) => {
                let mut value = object(value, &case.text);
                if let (false, Value::Object(map)) = (case.status, &mut value) {
                    map.shift_remove("status");
                }
                sorted(&value)
            }
            Err(_) => out + &err,
        };
        Compared::new(case.name.clone(), [("object", sorted(&case.object), ours)])
    });
    numbered(compared)
}

/// A value printed with its keys in order.
pub(super) fn sorted(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    format!("{value:#}")
}

#[derive(Deserialize)]
pub(super) struct Step {
    pub(super) at: f64,
    pub(super) command: String,
    pub(super) stdin: Option<String>,
    pub(super) stdout: Option<String>,
    #[serde(default)]
    pub(super) stderr: String,
}

impl Step {
    /// What the case names, which is never normalised away.
    pub(super) fn context(&self) -> String {
        format!("{}\n{}", self.command, self.stdin.as_deref().unwrap_or_default())
    }

    /// The comparison of what the step printed, where the real answer is recorded.
    pub(super) fn compare(&self, name: String, (out, err): (String, String)) -> Option<Compared> {
        let context = self.context();
        let stdout = self.stdout.clone()?;
        let pairs = [
            ("stdout", stdout, text(&out, &context, true)),
            ("stderr", self.stderr.clone(), text(&err, &context, true)),
        ];
        Some(Compared::new(name, pairs))
    }
}

#[derive(Deserialize)]
struct Group {
    group: String,
    fixture: bool,
    end: f64,
    steps: Vec<Step>,
}

/// Commands, in groups that each have a cluster of their own.
#[must_use]
pub fn kubectl() -> Vec<Compared> {
    let groups: Vec<Group> = lines_of("kubectl.jsonl.gz");
    let fixture = std::fs::read_to_string(path("fixture.yaml")).expect("the fixture is there");
    let compared = each(&groups, |group, mut shell| {
        shell.advance(seconds(1.0));
        let first = group.steps.first().map_or(1.0, |step| step.at);
        if group.fixture {
            shell.run("kubectl apply -f -", Some(&fixture), seconds(first));
        }
        let next = group.steps.iter().skip(1).map(|step| step.at).chain([group.end]);
        let steps = group.steps.iter().zip(next);
        steps
            .filter_map(|(step, next)| {
                let wait = seconds((next - step.at).max(0.05));
                let answer = shell.run(&step.command, step.stdin.as_deref(), wait);
                step.compare(format!("{}: {}", group.group, step.command), printed(&answer))
            })
            .collect::<Vec<Compared>>()
    });
    numbered(compared.into_iter().flatten().collect())
}

#[derive(Deserialize)]
struct WatchCase {
    name: String,
    command: String,
    steps: Vec<Step>,
    end: f64,
    stdout: String,
}

/// What a watch printed while objects changed.
#[must_use]
pub fn watches() -> Vec<Compared> {
    let cases: Vec<WatchCase> = lines_of("watches.jsonl.gz");
    let compared = each(&cases, |case, mut shell| {
        shell.run(&format!("kubectl create namespace {}", case.name), None, seconds(1.0));
        let mut seen = String::new();
        let mut see = |answer| {
            let (out, err) = printed(&answer);
            seen.push_str(&out);
            seen.push_str(&err);
        };
        let mut now = 0.05;
        see(shell.run(&case.command, None, seconds(now)));
        for step in &case.steps {
            see(shell.advance(seconds(step.at - now)));
            now = step.at;
            see(shell.run(&step.command, step.stdin.as_deref(), seconds(0.0)));
        }
        see(shell.advance(seconds(case.end - now)));
        let name = format!("{}: {}", case.name, case.command);
        Compared::new(name, [("stdout", case.stdout.clone(), watched(&seen, &case.command))])
    });
    numbered(compared)
}

/// What a watch printed: without the answers of other commands, and rows that repeat the row before only once.
fn watched(seen: &str, command: &str) -> String {
    let kept: Vec<&str> = seen.split('\n').filter(|line| !is_answer(line)).collect();
    let normal = text(&kept.join("\n"), command, true);
    let mut lines: Vec<&str> = normal.split('\n').collect();
    lines.dedup();
    lines.join("\n")
}

/// Whether a line is the answer of a command that changes something.
fn is_answer(line: &str) -> bool {
    static ANSWER: std::sync::LazyLock<fancy_regex::Regex> = std::sync::LazyLock::new(|| {
        let pattern = r#"^(\S+/\S+ (created|configured|unchanged|scaled|patched)( \(.*\))?|\S+/\S+ image updated|\S+ "\S+" (force )?deleted( from \S+ namespace)?|Warning: .*)$"#;
        fancy_regex::Regex::new(pattern).expect("a pattern")
    });
    ANSWER.is_match(line).expect("the pattern needs no deep search")
}
