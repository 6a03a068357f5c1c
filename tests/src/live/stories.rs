//! The stories: what a cluster did over minutes, by its events, by what commands said and by its objects at the end.

use podscope_api::ordered;

use podscope_session::shell::Shell;
use serde::Deserialize;
use serde_json::Value;

use super::corpora::{Step, sorted};
use super::normalise::{object, text};
use super::{Compared, each, numbered, printed, seconds};

#[derive(Deserialize)]
struct Story {
    name: String,
    kinds: String,
    steps: Vec<Step>,
    end: f64,
    events: Vec<Value>,
    objects: Vec<Value>,
}

/// What was compared of the stories.
#[derive(Debug, Default)]
pub struct Stories {
    /// One for each distinct event of either side.
    pub events: Vec<Compared>,
    /// One for each command whose answer was recorded.
    pub steps: Vec<Compared>,
    /// One for each object at the end.
    pub objects: Vec<Compared>,
}

/// Plays the stories.
#[must_use]
pub fn stories() -> Stories {
    let cases: Vec<Story> = crate::files("tests/conformance/live/stories", ".json")
        .iter()
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).expect("it reads")).expect("a story"))
        .collect();
    let mut all = Stories::default();
    for story in each(&cases, play) {
        all.events.extend(story.events);
        all.steps.extend(story.steps);
        all.objects.extend(story.objects);
    }
    Stories {
        events: numbered(all.events),
        steps: numbered(all.steps),
        objects: numbered(all.objects),
    }
}

fn play(story: &Story, mut shell: Shell) -> Stories {
    let name = &story.name;
    shell.run(&format!("kubectl create namespace {name}"), None, seconds(1.0));
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut late: Option<usize> = None;
    let mut now = 0.0;
    let go_on = |shell: &mut Shell, texts: &mut Vec<(String, String)>, late: Option<usize>, span: f64| {
        let (out, err) = printed(&shell.advance(seconds(span)));
        if let Some((before, before_err)) = late.and_then(|at| texts.get_mut(at)) {
            before.push_str(&out);
            before_err.push_str(&err);
        }
    };
    for step in &story.steps {
        if step.at > now {
            go_on(&mut shell, &mut texts, late, step.at - now);
            now = step.at;
        }
        texts.push(printed(&shell.run(&step.command, step.stdin.as_deref(), seconds(0.1))));
        now += 0.1;
        // What comes later is what the last command that waits prints.
        if !step.command.starts_with("kubectl get") && !step.command.starts_with("kubectl describe") {
            late = Some(texts.len() - 1);
        }
    }
    go_on(&mut shell, &mut texts, late, story.end - now);
    let steps = story
        .steps
        .iter()
        .zip(texts)
        .filter_map(|(step, printed)| step.compare(format!("{name} t={}: {}", step.at, step.command), printed));
    Stories {
        steps: steps.collect(),
        events: events(story, &listed(&mut shell, "events", name)),
        objects: objects(story, listed(&mut shell, &story.kinds, name)),
    }
}

fn listed(shell: &mut Shell, kinds: &str, namespace: &str) -> Vec<Value> {
    let command = format!("kubectl get {kinds} -n {namespace} -o json");
    let (out, _) = printed(&shell.run(&command, None, seconds(0.0)));
    match serde_json::from_str::<Value>(&out) {
        Ok(mut list) => match list.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        },
        Err(_) => Vec::new(),
    }
}

/// Whether it comes depends on the millisecond.
fn is_racy(message: &str) -> bool {
    message.contains("context canceled")
        || message == "No matching pods found"
        || message.starts_with("(combined from similar events)")
}

/// The keys by which events are told apart, as one text.
fn event_key(event: &Value) -> String {
    let fields = ["source", "kind", "name", "type", "reason", "message", "fieldPath"];
    let fields = fields.map(|field| event.get(field).cloned().unwrap_or_default());
    Value::from(fields.to_vec()).to_string()
}

fn events(story: &Story, ours: &[Value]) -> Vec<Compared> {
    let word = |value: &Value, pointer: &str| {
        let found = value.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    let ours = ours
        .iter()
        .filter(|event| !is_racy(&word(event, "/message")))
        .map(|event| {
            let source = match word(event, "/source/component") {
                source if source.is_empty() => word(event, "/reportingComponent"),
                source => source,
            };
            event_key(&serde_json::json!({
                "source": source,
                "kind": word(event, "/involvedObject/kind"),
                "name": text(&word(event, "/involvedObject/name"), "", true),
                "type": word(event, "/type"),
                "reason": word(event, "/reason"),
                "message": text(&word(event, "/message"), "", true),
                "fieldPath": word(event, "/involvedObject/fieldPath"),
            }))
        });
    let ours: ordered::Set<String> = ours.collect();
    let recorded: ordered::Set<String> = story.events.iter().map(event_key).collect();
    let is_in = |set: &ordered::Set<String>, key: &String| (if set.contains(key) { "yes" } else { "no" }).to_owned();
    let keys: ordered::Set<&String> = recorded.iter().chain(ours.iter()).collect();
    keys.into_iter()
        .map(|key| {
            let pair = ("in the story", is_in(&recorded, key), is_in(&ours, key));
            Compared::new(format!("{}: {key}", story.name), [pair])
        })
        .collect()
}

fn objects(story: &Story, ours: Vec<Value>) -> Vec<Compared> {
    let recorded = at_the_end(story.objects.clone());
    let ours = at_the_end(ours.into_iter().map(|value| object(value, "")).collect());
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
            Compared::new(format!("{}: {name}", story.name), [pair])
        })
        .collect()
}

/// Texts by kind and name; several where names end at random.
fn at_the_end(objects: Vec<Value>) -> ordered::Map<String, Vec<String>> {
    let mut found: ordered::Map<String, Vec<String>> = ordered::Map::new();
    for mut object in objects {
        let word = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (word("/kind").to_owned(), word("/metadata/name").to_owned());
        if name == "kube-root-ca.crt" || name == "kubernetes" {
            continue;
        }
        if kind == "Pod"
            && is_restarting(&object)
            && let Some(status) = object.get_mut("status")
        {
            *status = "<restarting>".into();
        }
        found.entry(format!("{kind}/{name}")).or_default().push(sorted(&object));
    }
    found
}

/// A pod whose containers end and start again, or have no image: what is seen is a matter of the second.
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
