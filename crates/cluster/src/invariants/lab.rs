//! Helpers for the tests of the invariants.

use podscope_api::{Kind, Object};
use serde_json::{Value, json};

use crate::fault::{Fault, Targets};
use crate::{OutputLine, Record, Setup, SimTime, Sink, What, World};

/// A sink that collects the violations.
#[derive(Default)]
pub(super) struct Trace(Vec<Record>);

impl Sink for Trace {
    fn record(&mut self, record: Record) {
        if record.what() == What::InvariantViolated {
            self.0.push(record);
        }
    }

    fn output(&mut self, _: OutputLine) {}
    fn finished(&mut self, _: u32, _: SimTime, _: u8) {}
}

impl Trace {
    /// Formats each violation as `INVARIANT CAUSE BY`.
    pub(super) fn violations(&self) -> Vec<String> {
        let texts = |record: &Record| {
            let text = |(_, value): &(&'static str, Value)| value.as_str().unwrap_or_default().to_owned();
            let fields = record.happening.fields();
            fields.iter().take(3).map(text).collect::<Vec<_>>().join(" ")
        };
        self.0.iter().map(texts).collect()
    }

    /// Returns the violations of one invariant.
    pub(super) fn violations_of(&self, invariant: &str) -> Vec<String> {
        let mut violations = self.violations();
        violations.retain(|line| line.split(' ').next() == Some(invariant));
        violations
    }

    /// Returns the numbers of the commands to which the violations are attributed.
    pub(super) fn blamed_commands(&self) -> Vec<Option<u32>> {
        let culprits = self.0.iter().filter_map(Record::violation);
        culprits.map(|violation| violation.by.command).collect()
    }
}

/// Parses an object from JSON.
pub(super) fn object(value: &Value) -> Object {
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    let kind = Kind::from_wire(text("apiVersion"), text("kind")).expect("the kind exists");
    Object::from_typed_value(kind, value).expect("the object is well-formed")
}

/// Returns the default setup with these objects, given as JSON.
pub(super) fn setup(objects: &[Value]) -> Setup {
    Setup {
        objects: objects.iter().map(object).collect(),
        ..Setup::default()
    }
}

/// Creates a world with the default setup and these objects, given as JSON.
pub(super) fn world(objects: &[Value], trace: &mut Trace) -> World {
    World::new(setup(objects), trace).expect("the objects are accepted")
}

/// Returns the fault that cuts all links of a node.
pub(super) fn partition(node: &str) -> Fault {
    Fault::Partition {
        targets: Targets::Nodes(vec![node.into()]),
        from: None,
        one_way: None,
    }
}

/// Returns a pod of a StatefulSet.
pub(super) fn stateful_set_pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "set", "controller": true},
        ]},
        "spec": {"containers": [{"name": "main", "image": "web"}]},
    })
}

/// Returns pod `one` on a-1 and its volume `disk`, which is attached by compare-and-swap.
pub(super) fn volume_and_pod() -> Vec<Value> {
    vec![
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"},
            "spec": {
                "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "disk",
                "iscsi": {"targetPortal": "10.0.0.9:3260", "iqn": "iqn.2026-01.dev.podscope:disk", "lun": 0},
            },
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": "disk",
                "resources": {"requests": {"storage": "10Gi"}},
            },
        }),
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": "default"},
            "spec": {
                "nodeSelector": {"kubernetes.io/hostname": "a-1"},
                "containers": [{
                    "name": "db", "image": "db:1", "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                }],
                "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
            },
        }),
    ]
}
