//! Comparison with kube-scheduler v1.36.3 over time (S-01, S-02). Each sequence of `tests/conformance/sequences` is
//! converted to a scenario and run. Attempts, bindings, preemptions, nominations and pod states are compared step by step.

use podscope_api::ordered::{Map, StableSort as _};
use std::io::Read as _;

use podscope_api::{Kind, Object};
use podscope_cluster::SimTime;
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};
use serde_json::{Value, json};

fn text_field<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn seconds_of(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

fn list_items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn seconds_to_millis(at: f64) -> i64 {
    (at * 1000.0).round() as i64
}

fn quote_yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Formats a map as `a=1,b=2` (with `separator` between the pairs); a null value gives `a-`.
fn format_pairs(map: &Value, separator: &str) -> String {
    let pair = |(key, value): (&String, &Value)| match value.as_str() {
        Some(value) => format!("{key}={value}"),
        None => format!("{key}-"),
    };
    let pairs: Vec<String> = map.as_object().into_iter().flatten().map(pair).collect();
    pairs.join(separator)
}

/// Converts an operation of a sequence to the key (`apply` or `run`) and value of a timeline entry.
fn timeline_entry(op: &Value) -> (&'static str, String) {
    let kind = text_field(op, "kind").to_ascii_lowercase();
    let is_cluster_wide = matches!(
        kind.as_str(),
        "node"
            | "namespace"
            | "persistentvolume"
            | "storageclass"
            | "csinode"
            | "csidriver"
            | "priorityclass"
            | "volumeattachment"
    );
    let (name, node) = (text_field(op, "name"), text_field(op, "node"));
    let namespace = match op["ns"].as_str() {
        _ if is_cluster_wide => String::new(),
        Some(namespace) => format!(" -n {namespace}"),
        None => " -n default".to_owned(),
    };
    let run = match text_field(op, "op") {
        "create" => return ("apply", op["object"].to_string()),
        "delete" => format!("kubectl delete {kind} {name}{namespace} --wait=false"),
        "label" => {
            let labels = format_pairs(&op["labels"], " ");
            format!("kubectl label {kind} {name} {labels}{namespace} --overwrite")
        }
        "taint" => {
            let is_removed = op["remove"] == true;
            let value = match op["value"].as_str() {
                Some(value) if !is_removed && !value.is_empty() => format!("={value}"),
                _ => String::new(),
            };
            let end = if is_removed { "-" } else { " --overwrite" };
            let (key, effect) = (text_field(op, "key"), text_field(op, "effect"));
            format!("kubectl taint nodes {node} {key}{value}:{effect}{end}")
        }
        verb @ ("cordon" | "uncordon") => format!("kubectl {verb} {node}"),
        "allocatable" => {
            let patch = json!({"status": {"allocatable": op["resources"], "capacity": op["resources"]}});
            let patch = quote_yaml(&patch.to_string());
            format!("kubectl patch node {node} --subresource=status -p {patch}")
        }
        "addNode" => {
            let (metadata, status) = (&op["object"]["metadata"], &op["object"]["status"]);
            let (labels, capacity) = (
                format_pairs(&metadata["labels"], ","),
                format_pairs(&status["capacity"], ","),
            );
            let name = text_field(metadata, "name");
            format!("fault join {name} --labels {labels} --capacity {capacity}")
        }
        "removeNode" => format!("kubectl delete node {node} --wait=false"),
        "ungate" => {
            let place = match op.get("gate") {
                Some(_) => format!("/{}", op["index"]),
                None => String::new(),
            };
            let patch = json!([{"op": "remove", "path": format!("/spec/schedulingGates{place}")}]);
            let patch = quote_yaml(&patch.to_string());
            format!("kubectl patch pod {name}{namespace} --type=json -p {patch}")
        }
        "patch" => {
            let patch = quote_yaml(&op["patch"].to_string());
            format!("kubectl patch {kind} {name}{namespace} --type=merge -p {patch}")
        }
        other => panic!("unknown operation {other:?}"),
    };
    ("run", run)
}

/// Converts a sequence to a scenario. The network latency is that of the recording: 3.3 ms in each direction.
fn scenario_of(sequence: &Value) -> String {
    let mut timeline: Vec<(i64, &str, String)> = Vec::new();
    let mut restarts = Vec::new();
    for step in list_items(&sequence["steps"]) {
        for (index, op) in list_items(&step["ops"]).iter().enumerate() {
            let at = seconds_to_millis(seconds_of(&step["at"]) + 0.02 * index as f64);
            if text_field(op, "op") == "restartScheduler" {
                timeline.push((at, "run", "fault crash scheduler".to_owned()));
                restarts.push((at + 1000, "run", "fault restart scheduler".to_owned()));
                continue;
            }
            let (key, value) = timeline_entry(op);
            timeline.push((at, key, value));
        }
    }
    timeline.extend(restarts);
    timeline.stable_sort_by_key(|(at, ..)| *at);
    let timeline: Vec<Value> = timeline
        .into_iter()
        .map(|(at, key, value)| json!({"at": format!("{at}ms"), key: value}))
        .collect();
    let mut components = json!({"network": {"latency": "3300us", "jitter": "0ms"}});
    if let Some(config) = sequence.get("config") {
        components["kubeScheduler"] = config.clone();
    }
    let head = json!({
        "apiVersion": "podscope.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "sequence"},
        "spec": {
            "title": sequence["name"],
            "seed": 7,
            "cluster": {"zones": [], "nodesPerZone": 0},
            "components": components,
            "timeline": timeline,
        },
    });
    let documents: Vec<String> = std::iter::once(&head)
        .chain(list_items(&sequence["objects"]))
        .map(ToString::to_string)
        .collect();
    documents.join("\n---\n")
}

/// Replaces UIDs, which are random, by `UID`.
fn mask_uids(text: &str) -> String {
    let is_uid = |word: &str| {
        let shape: Vec<usize> = word.split('-').map(str::len).collect();
        shape == [8, 4, 4, 4, 12] && word.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
    };
    let words: Vec<&str> = text
        .split(' ')
        .map(|word| if is_uid(word) { "UID" } else { word })
        .collect();
    words.join(" ")
}

/// A scheduling attempt, binding, preemption or nomination of a pod.
#[derive(Debug, Clone)]
struct PodEvent {
    at: f64,
    pod: String,
    what: String,
}

#[derive(Default)]
struct SequenceRun {
    attempts: Vec<PodEvent>,
    bound: Vec<PodEvent>,
    preempted: Vec<PodEvent>,
    nominated: Vec<PodEvent>,
    states: Vec<Map<String, Value>>,
    problems: Vec<String>,
}

fn attempt_result_text(record: &Value) -> String {
    match text_field(record, "result") {
        "scheduled" => format!("scheduled {}", text_field(record, "node")),
        result => format!("{result} {}", mask_uids(text_field(record, "message"))),
    }
}

impl SequenceRun {
    fn of_recording(real: &Value) -> Self {
        let all = |field: &str, pod: &str, what: &dyn Fn(&Value) -> String| -> Vec<PodEvent> {
            let event = |record: &Value| PodEvent {
                at: seconds_of(&record["t"]),
                pod: text_field(record, pod).to_owned(),
                what: what(record),
            };
            list_items(&real[field]).iter().map(event).collect()
        };
        let node = |record: &Value| text_field(record, "node").to_owned();
        let mut states = Vec::new();
        for state in list_items(&real["states"]) {
            let pods = state["pods"].as_object().into_iter().flatten();
            let pods = pods.map(|(name, pod)| (name.clone(), pod.clone()));
            states.push(pods.collect());
        }
        let mut nominated = all("nominated", "pod", &node);
        nominated.retain(|record| !record.what.is_empty());
        Self {
            attempts: all("attempts", "pod", &attempt_result_text),
            bound: all("bound", "pod", &node),
            preempted: all("preempted", "victim", &|record| {
                format!("{} on {}", text_field(record, "by"), text_field(record, "node"))
            }),
            nominated,
            states,
            problems: Vec::new(),
        }
    }

    fn of_simulation(sequence: &Value) -> Result<Self, String> {
        let files = [("sequence.yaml".to_owned(), scenario_of(sequence))];
        let loaded = scenario::load(&files).map_err(|problems| format!("{problems:?}"))?;
        let mut session = Session::new(loaded).map_err(|problems| format!("{problems:?}"))?;
        let mut story = Self::default();
        let advance_to = |session: &mut Session, at: f64| {
            let at = SimTime(seconds_to_millis(at) * 1000);
            assert_eq!(session.advance(at, u64::MAX), Slice::Done);
        };
        for state in list_items(&sequence["real"]["states"]) {
            advance_to(&mut session, seconds_of(&state["t"]));
            story.states.push(pod_states(&session));
        }
        advance_to(&mut session, seconds_of(&sequence["end"]));
        for record in session.trace() {
            let record: Value = serde_json::from_str(&record.to_json_line()).map_err(|error| error.to_string())?;
            story.add_trace_record(&record);
        }
        Ok(story)
    }

    fn add_trace_record(&mut self, record: &Value) {
        let (what, object) = (text_field(record, "what"), &record["object"]);
        if what == "Command" && record.get("error").is_some() {
            self.problems.push(record.to_string());
        }
        if text_field(object, "kind") != "Pod" {
            return;
        }
        let pod = format!("{}/{}", text_field(object, "namespace"), text_field(object, "name"));
        let list = match what {
            "Attempt" => &mut self.attempts,
            "Bound" => &mut self.bound,
            "Preempted" => &mut self.preempted,
            "Nominated" => &mut self.nominated,
            _ => return,
        };
        let what = match what {
            "Attempt" if text_field(record, "result") == "skipped" => {
                format!("error skip schedule deleting pod: {pod}")
            }
            "Attempt" => attempt_result_text(record),
            "Preempted" => format!("{} on {}", text_field(record, "by"), text_field(record, "node")),
            _ => text_field(record, "node").to_owned(),
        };
        let at = seconds_of(&record["t"]);
        list.push(PodEvent { at, pod, what });
    }
}

fn pod_states(session: &Session) -> Map<String, Value> {
    let mut pods = Map::new();
    for object in session.world().objects().list_kind(Kind::Pod) {
        let Object::Pod(pod) = &object else { continue };
        let mut state = json!({
            "node": pod.spec.node_name.as_ref().map_or("", |node| node.as_str()),
            "nominated": &*pod.status.nominated_node_name,
        });
        if let Some(condition) = pod.condition("PodScheduled") {
            state["scheduled"] = condition.status.as_str().into();
            state["reason"] = (&*condition.reason).into();
            state["message"] = (&*condition.message).into();
        }
        if pod.metadata.is_terminating() {
            state["terminating"] = true.into();
        }
        if pod.is_terminal() {
            state["hidden"] = true.into();
        }
        pods.insert(pod.metadata.key().to_string(), state);
    }
    pods
}

/// For each step and pod, the text of each event of the pod, and the time of the event in seconds.
type EventsByStepAndPod = Map<(usize, String), Vec<(String, f64)>>;

fn events_by_step_and_pod(sequence: &Value, events: &[PodEvent]) -> EventsByStepAndPod {
    let mut out = EventsByStepAndPod::new();
    for event in events {
        let has_started = |step: &&Value| event.at >= seconds_of(&step["at"]) - 0.01;
        let step = list_items(&sequence["steps"])
            .iter()
            .filter(has_started)
            .count()
            .saturating_sub(1);
        let key = (step, event.pod.clone());
        out.entry(key).or_default().push((event.what.clone(), event.at));
    }
    out
}

/// Removes an attempt of a pod with volume claims if it has the same result as the attempt less than 0.1 s before: the
/// number of such repetitions depends on the writes of the volume controller, not on the scheduler.
fn without_repeated_attempts(attempts: &[PodEvent], has_claims: &dyn Fn(&str) -> bool) -> Vec<PodEvent> {
    let mut last: Map<&str, (&str, f64)> = Map::new();
    let mut out = Vec::new();
    for event in attempts {
        let before = last.insert(&event.pod, (&event.what, event.at));
        let is_repeated = before.is_some_and(|(what, at)| what == event.what && event.at - at < 0.1);
        if !(is_repeated && has_claims(&event.pod)) {
            out.push(event.clone());
        }
    }
    out
}

fn objects_of_sequence(sequence: &Value) -> impl Iterator<Item = &Value> {
    let steps = list_items(&sequence["steps"]).iter();
    let created = steps.flat_map(|step| list_items(&step["ops"])).map(|op| &op["object"]);
    list_items(&sequence["objects"]).iter().chain(created)
}

fn sequence_differences(sequence: &Value) -> Result<Vec<String>, String> {
    let (real, ours) = (
        SequenceRun::of_recording(&sequence["real"]),
        SequenceRun::of_simulation(sequence)?,
    );
    let mut out = ours.problems.clone();
    let has_claims = |pod: &str| {
        objects_of_sequence(sequence).any(|object| {
            let meta = &object["metadata"];
            let namespace = meta["namespace"].as_str().unwrap_or("default");
            let claims = |volume: &Value| {
                volume
                    .get("persistentVolumeClaim")
                    .or(volume.get("ephemeral"))
                    .is_some()
            };
            text_field(object, "kind") == "Pod"
                && pod == format!("{namespace}/{}", text_field(meta, "name"))
                && list_items(&object["spec"]["volumes"]).iter().any(claims)
        })
    };
    let operations = || {
        list_items(&sequence["steps"])
            .iter()
            .flat_map(|step| list_items(&step["ops"]))
    };
    let has_loose_timing = operations().any(|op| text_field(op, "op") == "restartScheduler")
        || list_items(&sequence["objects"])
            .iter()
            .any(|object| text_field(object, "kind") == "CSINode");
    let mut compare = |name: &str, real: EventsByStepAndPod, ours: EventsByStepAndPod, are_timed: bool| {
        for key in real
            .keys()
            .chain(ours.keys())
            .collect::<podscope_api::ordered::Set<_>>()
        {
            let events_of = |steps: &EventsByStepAndPod| steps.get(key).cloned().unwrap_or_default();
            let (a, b) = (events_of(&real), events_of(&ours));
            let texts = |list: &[(String, f64)]| -> Vec<String> { list.iter().map(|(what, _)| what.clone()).collect() };
            if texts(&a) != texts(&b) {
                out.push(format!("{name} of {key:?}: real {a:?}, ours {b:?}"));
                continue;
            }
            let limit = match (has_loose_timing, has_claims(&key.1)) {
                (true, _) => 20.0,
                (false, true) => 2.5,
                (false, false) => 1.3,
            };
            let deviation = a
                .iter()
                .zip(&b)
                .find(|((_, real), (_, ours))| (real - ours).abs() > limit);
            if are_timed && let Some(deviation) = deviation {
                out.push(format!("{name} of {key:?} at another time: {deviation:?}"));
            }
        }
    };
    let attempts = |story: &SequenceRun| {
        events_by_step_and_pod(sequence, &without_repeated_attempts(&story.attempts, &has_claims))
    };
    compare("attempts", attempts(&real), attempts(&ours), true);
    let others = [
        ("bindings", &real.bound, &ours.bound),
        ("preemptions", &real.preempted, &ours.preempted),
        ("nominations", &real.nominated, &ours.nominated),
    ];
    for (name, real, ours) in others {
        compare(
            name,
            events_by_step_and_pod(sequence, real),
            events_by_step_and_pod(sequence, ours),
            false,
        );
    }
    for (at, (real, ours)) in real.states.iter().zip(&ours.states).enumerate() {
        for name in real
            .keys()
            .chain(ours.keys())
            .collect::<podscope_api::ordered::Set<_>>()
        {
            let (a, b) = (comparable_state(real.get(name)), comparable_state(ours.get(name)));
            // The time that a kubelet needs to remove a terminating pod is not compared.
            let is_terminating = |pod: &Option<Value>| pod.as_ref().is_some_and(|pod| pod["terminating"] == true);
            let is_removed_on_one_side = (a.is_none() && is_terminating(&b)) || (b.is_none() && is_terminating(&a));
            if a != b && !is_removed_on_one_side {
                out.push(format!("state {at} of {name}: real {a:?}, ours {b:?}"));
            }
        }
    }
    Ok(out)
}

/// Returns the state of a pod with masked UIDs; `None` for a finished pod.
fn comparable_state(pod: Option<&Value>) -> Option<Value> {
    let mut pod = pod.filter(|pod| pod.get("hidden").is_none())?.clone();
    if let Some(message) = pod.get_mut("message") {
        *message = mask_uids(message.as_str().unwrap_or_default()).into();
    }
    Some(pod)
}

/// Shows: S-17
#[test]
fn every_sequence_matches_the_real_scheduler() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/conformance/sequences/sequences.jsonl.gz");
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut lines = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut lines)
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut failures = Vec::new();
    let mut n = 0;
    for line in lines.lines() {
        let sequence: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        n += 1;
        let found = sequence_differences(&sequence).unwrap_or_else(|error| vec![error]);
        if !found.is_empty() {
            failures.push(format!("{}: {}", sequence["name"], found.join("; ")));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {n} differ:\n{}",
        failures.len(),
        failures.iter().take(10).cloned().collect::<Vec<_>>().join("\n")
    );
    assert_eq!(n, 254);
}
