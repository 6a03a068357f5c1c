//! The stories: recorded runs of several minutes. They are compared by their events, by the answers of commands, and by
//! the objects at the end.

use podscope_api::ordered;

use podscope_session::shell::Shell;
use serde::Deserialize;
use serde_json::Value;

use super::corpora::{RecordedCommand, sorted_json};
use super::normalise;
use super::{CaseComparison, number_duplicates, run_cases, span_of_seconds, stdout_and_stderr};

#[derive(Deserialize)]
struct Story {
    name: String,
    kinds: String,
    steps: Vec<RecordedCommand>,
    end: f64,
    events: Vec<Value>,
    objects: Vec<Value>,
}

/// Comparisons of one story, or of all stories, with the real cluster.
#[derive(Debug, Default)]
pub struct StoryComparisons {
    /// One comparison for each distinct Event that was recorded or simulated.
    pub events: Vec<CaseComparison>,
    /// One comparison for each command whose answer was recorded.
    pub steps: Vec<CaseComparison>,
    /// One comparison for each object that exists at the end.
    pub objects: Vec<CaseComparison>,
}

/// Runs all stories and compares them with the recordings.
#[must_use]
pub fn compare_stories() -> StoryComparisons {
    let cases: Vec<Story> = crate::files("tests/conformance/live/stories", ".json")
        .iter()
        .map(|path| {
            serde_json::from_str(&std::fs::read_to_string(path).expect("the story can be read")).expect("a story")
        })
        .collect();
    let mut all = StoryComparisons::default();
    for story in run_cases(&cases, run_story) {
        all.events.extend(story.events);
        all.steps.extend(story.steps);
        all.objects.extend(story.objects);
    }
    StoryComparisons {
        events: number_duplicates(all.events),
        steps: number_duplicates(all.steps),
        objects: number_duplicates(all.objects),
    }
}

fn run_story(story: &Story, mut shell: Shell) -> StoryComparisons {
    let name = &story.name;
    shell.run(&format!("kubectl create namespace {name}"), None, span_of_seconds(1.0));
    let mut outputs: Vec<(String, String)> = Vec::new();
    let mut waiting_command: Option<usize> = None;
    let mut now = 0.0;
    let advance =
        |shell: &mut Shell, outputs: &mut Vec<(String, String)>, waiting_command: Option<usize>, span: f64| {
            let (out, err) = stdout_and_stderr(&shell.advance(span_of_seconds(span)));
            if let Some((before, before_err)) = waiting_command.and_then(|at| outputs.get_mut(at)) {
                before.push_str(&out);
                before_err.push_str(&err);
            }
        };
    for step in &story.steps {
        if step.at > now {
            advance(&mut shell, &mut outputs, waiting_command, step.at - now);
            now = step.at;
        }
        outputs.push(stdout_and_stderr(&shell.run(
            &step.command,
            step.stdin.as_deref(),
            span_of_seconds(0.1),
        )));
        now += 0.1;
        // Output that arrives later belongs to the last command that may still be running (`get` and `describe` end at
        // once).
        if !step.command.starts_with("kubectl get") && !step.command.starts_with("kubectl describe") {
            waiting_command = Some(outputs.len() - 1);
        }
    }
    advance(&mut shell, &mut outputs, waiting_command, story.end - now);
    let steps = story
        .steps
        .iter()
        .zip(outputs)
        .filter_map(|(step, printed)| step.compare(format!("{name} t={}: {}", step.at, step.command), printed));
    StoryComparisons {
        steps: steps.collect(),
        events: compare_events(story, &list_objects(&mut shell, "events", name)),
        objects: compare_objects(story, list_objects(&mut shell, &story.kinds, name)),
    }
}

fn list_objects(shell: &mut Shell, kinds: &str, namespace: &str) -> Vec<Value> {
    let command = format!("kubectl get {kinds} -n {namespace} -o json");
    let (out, _) = stdout_and_stderr(&shell.run(&command, None, span_of_seconds(0.0)));
    match serde_json::from_str::<Value>(&out) {
        Ok(mut list) => match list.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        },
        Err(_) => Vec::new(),
    }
}

/// Returns whether an Event with this message may occur or not, depending on timing in milliseconds.
fn depends_on_timing(message: &str) -> bool {
    message.contains("context canceled")
        || message == "No matching pods found"
        || message.starts_with("(combined from similar events)")
}

/// Returns the fields that identify an event, as one text.
fn event_key(event: &Value) -> String {
    let fields = ["source", "kind", "name", "type", "reason", "message", "fieldPath"];
    let fields = fields.map(|field| event.get(field).cloned().unwrap_or_default());
    Value::from(fields.to_vec()).to_string()
}

fn compare_events(story: &Story, simulated: &[Value]) -> Vec<CaseComparison> {
    let string_at = |value: &Value, pointer: &str| {
        let found = value.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    let ours = simulated
        .iter()
        .filter(|event| !depends_on_timing(&string_at(event, "/message")))
        .map(|event| {
            let source = match string_at(event, "/source/component") {
                source if source.is_empty() => string_at(event, "/reportingComponent"),
                source => source,
            };
            event_key(&serde_json::json!({
                "source": source,
                "kind": string_at(event, "/involvedObject/kind"),
                "name": normalise::text(&string_at(event, "/involvedObject/name"), "", true),
                "type": string_at(event, "/type"),
                "reason": string_at(event, "/reason"),
                "message": normalise::text(&string_at(event, "/message"), "", true),
                "fieldPath": string_at(event, "/involvedObject/fieldPath"),
            }))
        });
    let ours: ordered::Set<String> = ours.collect();
    let recorded: ordered::Set<String> = story.events.iter().map(event_key).collect();
    let is_in = |set: &ordered::Set<String>, key: &String| (if set.contains(key) { "yes" } else { "no" }).to_owned();
    let keys: ordered::Set<&String> = recorded.iter().chain(ours.iter()).collect();
    keys.into_iter()
        .map(|key| {
            let pair = ("in the story", is_in(&recorded, key), is_in(&ours, key));
            CaseComparison::new(format!("{}: {key}", story.name), [pair])
        })
        .collect()
}

fn compare_objects(story: &Story, simulated: Vec<Value>) -> Vec<CaseComparison> {
    let recorded = printed_objects_by_name(story.objects.clone());
    let ours = printed_objects_by_name(
        simulated
            .into_iter()
            .map(|value| normalise::object(value, ""))
            .collect(),
    );
    let names: ordered::Set<&String> = recorded.keys().chain(ours.keys()).collect();
    let text = |set: &ordered::Map<String, Vec<String>>, name: &String| {
        let mut texts = set.get(name).cloned().unwrap_or_default();
        texts.sort_unstable();
        texts.join("\n")
    };
    names
        .into_iter()
        .map(|name| {
            let pair = ("object", text(&recorded, name), text(&ours, name));
            CaseComparison::new(format!("{}: {name}", story.name), [pair])
        })
        .collect()
}

/// Returns the printed objects by `Kind/name`. Objects whose names differ only in a random suffix share a key.
fn printed_objects_by_name(objects: Vec<Value>) -> ordered::Map<String, Vec<String>> {
    let mut found: ordered::Map<String, Vec<String>> = ordered::Map::new();
    for mut object in objects {
        let string_at = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (string_at("/kind").to_owned(), string_at("/metadata/name").to_owned());
        if name == "kube-root-ca.crt" || name == "kubernetes" {
            continue;
        }
        if kind == "Pod"
            && is_restarting(&object)
            && let Some(status) = object.get_mut("status")
        {
            *status = "<restarting>".into();
        }
        found
            .entry(format!("{kind}/{name}"))
            .or_default()
            .push(sorted_json(&object));
    }
    found
}

/// Returns whether a container of the pod was restarted or lacks its image, because then the pod's status changes from
/// second to second.
fn is_restarting(pod: &Value) -> bool {
    let lists = ["/status/containerStatuses", "/status/initContainerStatuses"];
    let statuses = lists
        .iter()
        .filter_map(|list| pod.pointer(list).and_then(Value::as_array))
        .flatten();
    let waits = [
        "ErrImagePull",
        "ImagePullBackOff",
        "CrashLoopBackOff",
        "ErrImageNeverPull",
    ];
    statuses.into_iter().any(|status| {
        let reason = status.pointer("/state/waiting/reason").and_then(Value::as_str);
        status.get("restartCount").and_then(Value::as_i64).unwrap_or_default() > 0
            || reason.is_some_and(|reason| waits.contains(&reason))
    })
}
