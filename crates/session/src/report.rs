//! Prints the results of a run in the formats of the option `-o`: objects, processes, trace, events, requests.

use podscope_api::{Kind, Object};
use podscope_cluster::{Objects, Record, seconds};
use serde_json::{Value, json};

use crate::timeline::{Records, Session};
use podscope_kubectl::command::{Get, Target};

/// Returns all objects as one `v1` `List`, as `kubectl get -o json` prints them.
pub fn object_list(session: &Session) -> Value {
    let objects = session.world().objects();
    let all: Vec<Object> = Kind::ALL.iter().flat_map(|kind| objects.list_kind(*kind)).collect();
    podscope_kubectl::list_value(&all, true)
}

/// Prints all objects as one `v1` `List` in YAML.
pub fn objects(session: &Session) -> String {
    podscope_api::print_yaml(&object_list(session))
}

/// Returns the running containers of all machines, including ghosts (containers whose pod the API server no longer
/// stores).
pub fn process_values(session: &Session) -> Vec<Value> {
    let world = session.world();
    let objects = world.objects();
    let mut rows = Vec::new();
    for (node, machine) in world.machines() {
        for process in machine.processes() {
            let mut row = json!({
                "node": node.as_str(),
                "pod": &*process.pod.name,
                "namespace": &*process.pod.namespace,
                "uid": process.uid.as_str(),
                "container": &*process.container,
                "startedAt": seconds(process.started_at.0),
                "signals": process.signals.iter().map(|signal| Value::from(&**signal)).collect::<Vec<_>>(),
                "ghost": objects.by_uid(&process.uid).is_none(),
            });
            // Volumes to which the container cannot write, because the storage is unreachable or has fenced off the
            // machine.
            let failing = world.failing_volumes(node, &process.uid);
            if !failing.is_empty() {
                row["ioErrors"] = failing.iter().map(|volume| Value::from(&**volume)).collect();
            }
            // emptyDir volumes of the pod, each with the container that wrote data to it.
            let written = world.empty_dir_contents(node, &process.uid);
            if !written.is_empty() {
                let written = written.iter().map(|one| {
                    json!({
                        "volume": &*one.volume,
                        "container": &*one.container,
                        "bytes": one.bytes,
                        "since": seconds(one.since.0),
                    })
                });
                row["emptyDirs"] = written.collect();
            }
            rows.push(row);
        }
    }
    rows
}

/// Prints the running containers of all machines as JSON, one per line.
pub fn processes(session: &Session) -> String {
    let rows = process_values(session);
    let mut text = String::from("[");
    for (index, row) in rows.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&podscope_api::visible(&row.to_string()));
    }
    text.push_str(if rows.is_empty() { "]\n" } else { "\n]\n" });
    text
}

/// Prints the trace as JSON Lines. Invisible characters are escaped.
pub fn trace(records: Records<'_>) -> String {
    let mut text = String::new();
    for record in records {
        text.push_str(&podscope_api::visible(&record.to_json_line()));
        text.push('\n');
    }
    text
}

/// Prints the events as `kubectl get events -A` does.
pub fn events(session: &Session) -> String {
    let get = Get {
        sort_by: Some(".lastTimestamp".into()),
        ..Get::of(Target {
            all_namespaces: true,
            ..Target::of_kind(Kind::Event, Vec::new())
        })
    };
    session
        .read(&podscope_kubectl::command::Kubectl::Get(get))
        .map_or_else(String::new, |printed| printed.stdout())
}

/// Prints a table with the number of client requests per Service and outcome.
pub fn request_table(session: &Session) -> String {
    let totals = session.world().requests();
    let rows = totals.iter();
    let rows =
        rows.map(|((service, outcome), count)| [service.to_string(), outcome.as_str().to_owned(), count.to_string()]);
    let header = ["SERVICE", "OUTCOME", "REQUESTS"].map(str::to_owned);
    let all: Vec<[String; 3]> = std::iter::once(header).chain(rows).collect();
    let width = |at: usize| all.iter().map(|row| row[at].len()).max().unwrap_or_default();
    let (services, outcomes) = (width(0), width(1));
    let line =
        |[service, outcome, count]: &[String; 3]| format!("{service:services$}   {outcome:outcomes$}   {count}\n");
    all.iter().map(line).collect()
}

/// Counts objects by kind, as text such as `6 Node, 3 Pod`.
pub fn object_counts(objects: &Objects) -> String {
    Kind::ALL
        .iter()
        .map(|kind| (kind, objects.count_kind(*kind)))
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.name()))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns a field of a record's JSON line as text, or an empty text if there is no such field. It is for tests and
/// tools that use only the JSON form.
pub fn field(record: &Record, name: &str) -> String {
    record.field(name).map_or_else(String::new, |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    })
}
