//! Helpers for the tests of the world.
#![allow(dead_code, unreachable_pub, reason = "each test file uses only a part")]

use podscope_api::{Kind, NodeName, Object, ObjectKey};
use podscope_cluster::client::{ClientCommand, DeleteCommand};
use podscope_cluster::fault::{Fault, Targets};
use podscope_cluster::{DeleteOptions, OutputLine, Record, Setup, SimTime, Sink, What, World};
use serde_json::{Value, json};

/// A sink that collects everything a world reports.
#[derive(Default)]
pub struct Trace {
    pub records: Vec<Record>,
    pub output: Vec<OutputLine>,
    pub finished: Vec<(u32, SimTime, u8)>,
}

impl Sink for Trace {
    fn record(&mut self, record: Record) {
        self.records.push(record);
    }

    fn output(&mut self, line: OutputLine) {
        self.output.push(line);
    }

    fn finished(&mut self, command: u32, at: SimTime, status: u8) {
        self.finished.push((command, at, status));
    }
}

impl Trace {
    /// Returns all records of the trace, as JSON lines.
    pub fn lines(&self) -> Vec<String> {
        self.records.iter().map(Record::to_json_line).collect()
    }

    /// Returns the records of violated invariants, as JSON lines.
    pub fn violations(&self) -> Vec<String> {
        let violations = self
            .records
            .iter()
            .filter(|record| record.what() == What::InvariantViolated);
        violations.map(Record::to_json_line).collect()
    }

    /// Returns the kinds of the records about objects with this name.
    pub fn record_kinds(&self, name: &str) -> Vec<String> {
        self.records
            .iter()
            .filter(|record| record.object.as_ref().is_some_and(|object| &*object.key.name == name))
            .map(|record| record.what().as_str().to_owned())
            .collect()
    }
}

/// Parses an object from JSON.
pub fn object(value: &Value) -> Object {
    let kind = Kind::from_wire(
        value["apiVersion"].as_str().unwrap_or_default(),
        value["kind"].as_str().unwrap_or_default(),
    )
    .expect("the kind exists");
    Object::from_typed_value(kind, value).expect("the object is well-formed")
}

/// Returns a pod with one container, optionally bound to a node.
pub fn pod(name: &str, node: Option<&str>) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
        "spec": {"nodeName": node, "terminationGracePeriodSeconds": 30, "containers": [{"name": "main", "image": "busybox"}]},
    })
}

/// Returns a world with these objects and default settings.
pub fn world(objects: &[Value], trace: &mut Trace) -> World {
    let setup = Setup {
        objects: objects.iter().map(object).collect(),
        ..Setup::default()
    };
    World::new(setup, trace).expect("the objects are accepted")
}

/// Returns the fault that cuts all links of these nodes in both directions (`fault partition`).
pub fn partition(nodes: &[NodeName]) -> Fault {
    Fault::Partition {
        targets: Targets::Nodes(nodes.to_vec()),
        from: None,
        one_way: None,
    }
}

/// Returns the command `kubectl delete pod NAME`, with an optional grace period in seconds. With `wait`, the command
/// waits until the pod is gone.
pub fn delete(name: &str, grace_seconds: Option<i64>, wait: bool) -> ClientCommand {
    ClientCommand::Delete(DeleteCommand {
        targets: vec![(Kind::Pod, key(name))],
        options: DeleteOptions {
            grace_seconds,
            ..DeleteOptions::default()
        },
        wait,
        ..DeleteCommand::default()
    })
}

/// Returns the key of an object in namespace `default`.
pub fn key(name: &str) -> ObjectKey {
    ObjectKey::new("default", name)
}

/// Returns the instant `seconds` after the start.
pub fn at(seconds: i64) -> SimTime {
    SimTime::from_seconds(seconds)
}
