//! Test harness: a world with its trace, and queries about one pod.

use std::sync::Arc;

use podscope_api::{NodeName, Pod};
use podscope_cluster::client::{ClientCommand, Write};
use podscope_cluster::fault::Fault;
use podscope_cluster::kubelet::KubeletSettings;
use podscope_cluster::{Record, Request, Settings, Setup, SimTime, Span, Switches, What, World};
use serde_json::{Value, json};

use crate::common::{Trace, delete, key, object};

/// A container of a test pod: its name, extra fields and behaviour annotation. The extra field `init` makes it an init
/// container.
pub(crate) type TestContainer<'a> = (&'a str, Value, &'a str);

/// Returns a pod `web` on node a-1 with these containers.
pub(crate) fn web_pod(spec: Value, containers: &[TestContainer<'_>]) -> Value {
    pod("web", spec, containers)
}

/// Returns a pod on node a-1 with these containers; the fields of `spec` are added to its spec.
pub(crate) fn pod(name: &str, spec: Value, containers: &[TestContainer<'_>]) -> Value {
    let mut annotations = serde_json::Map::new();
    let mut list = Vec::new();
    let mut inits = Vec::new();
    for (container, extra, behavior) in containers {
        if !behavior.is_empty() {
            annotations.insert(format!("behavior.podscope.dev/{container}"), json!(behavior));
        }
        let mut one = json!({"name": container, "image": "busybox"});
        let mut is_init = false;
        for (field, value) in extra.as_object().expect("extra fields are an object") {
            if field == "init" {
                is_init = true;
            } else {
                one[field] = value.clone();
            }
        }
        if is_init { inits.push(one) } else { list.push(one) }
    }
    let mut whole = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations},
        "spec": {"nodeName": "a-1", "terminationGracePeriodSeconds": 30, "restartPolicy": "Always", "containers": list, "initContainers": inits},
    });
    for (field, value) in spec.as_object().expect("the spec is an object") {
        whole["spec"][field] = value.clone();
    }
    whole
}

/// A world under test with its trace.
pub(crate) struct Lab {
    pub(crate) world: World,
    pub(crate) trace: Trace,
}

impl Lab {
    pub(crate) fn new(objects: &[Value]) -> Self {
        Self::with_setup(objects, Setup::default())
    }

    pub(crate) fn with_switch(objects: &[Value], switch: &str) -> Self {
        let mut switches = Switches::default();
        assert!(switches.turn_on(switch));
        Self::with_setup(
            objects,
            Setup {
                switches,
                ..Setup::default()
            },
        )
    }

    pub(crate) fn with_kubelet(objects: &[Value], kubelet: KubeletSettings) -> Self {
        let settings = Settings {
            kubelet: Arc::new(kubelet),
            ..Settings::default()
        };
        Self::with_setup(
            objects,
            Setup {
                settings,
                ..Setup::default()
            },
        )
    }

    pub(crate) fn with_setup(objects: &[Value], setup: Setup) -> Self {
        let mut trace = Trace::default();
        let setup = Setup {
            objects: objects.iter().map(object).collect(),
            ..setup
        };
        let world = World::new(setup, &mut trace).expect("the objects are accepted");
        Self { world, trace }
    }

    /// Runs the world until `seconds` after the start.
    pub(crate) fn run(&mut self, seconds: f64) {
        let until = SimTime((seconds * 1e6) as i64);
        self.world.run_until(until, &mut self.trace);
    }

    /// Runs until `holds` is true, or until second `until`; returns whether it became true. Checks every millisecond in
    /// which something happened.
    pub(crate) fn happens_by(&mut self, until: f64, holds: impl Fn(&Self) -> bool) -> bool {
        let end = SimTime((until * 1e6) as i64);
        let mut checked = None;
        while self.world.now() < end {
            let state = Some((self.world.revision(), self.trace.records.len()));
            if checked != state && holds(self) {
                return true;
            }
            checked = state;
            let next = self.world.now() + Span::millis(1);
            self.world.run_until(next, &mut self.trace);
        }
        holds(self)
    }

    /// Returns the reason of the waiting state of the first container of `web`; empty if it is not waiting.
    pub(crate) fn waiting_reason(&self) -> String {
        let reason = self
            .web()
            .map(|pod| status(pod)["containerStatuses"][0]["state"]["waiting"]["reason"].clone());
        reason
            .and_then(|reason| reason.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    pub(crate) fn delete(&mut self, grace_seconds: Option<i64>) {
        self.delete_pod("web", grace_seconds);
    }

    pub(crate) fn delete_pod(&mut self, name: &str, grace_seconds: Option<i64>) {
        let command = delete(name, grace_seconds, false);
        self.world.start_client(command, &mut self.trace);
    }

    pub(crate) fn create(&mut self, value: &Value) {
        let command = ClientCommand::Write(vec![Write::new(Request::Create(object(value)), "created")]);
        self.world.start_client(command, &mut self.trace);
    }

    /// Sends a request as a client.
    pub(crate) fn send_request(&mut self, request: Request) {
        self.world
            .start_client(ClientCommand::Write(vec![Write::new(request, "done")]), &mut self.trace);
    }

    /// Applies a fault, which must be possible.
    pub(crate) fn apply_fault(&mut self, fault: Fault) {
        self.world
            .apply_fault(&fault, &mut self.trace)
            .expect("the fault is possible");
    }

    /// Returns the pod `web`.
    pub(crate) fn web(&self) -> Option<&Pod> {
        self.pod("web")
    }

    pub(crate) fn pod(&self, name: &str) -> Option<&Pod> {
        self.world.objects().get::<Pod>(&key(name)).map(|pod| &**pod)
    }

    /// Returns the names of all running containers on a-1.
    pub(crate) fn processes(&self) -> Vec<String> {
        let machine = self.world.machine(&NodeName::from("a-1")).expect("the machine exists");
        machine
            .processes()
            .iter()
            .map(|process| process.container.to_string())
            .collect()
    }

    /// Returns the records of this kind about `web`.
    pub(crate) fn records_of_kind(&self, what: What) -> Vec<&Record> {
        let of_web = |record: &&Record| record.object.as_ref().is_some_and(|object| &*object.key.name == "web");
        self.trace
            .records
            .iter()
            .filter(|record| record.what() == what)
            .filter(of_web)
            .collect()
    }

    /// Returns the times of the records of this kind about `web`, in seconds since `origin`.
    pub(crate) fn times_of_kind(&self, what: What, origin: SimTime) -> Vec<f64> {
        self.records_of_kind(what)
            .iter()
            .map(|record| seconds(record.at - origin))
            .collect()
    }

    /// Returns `(second, REASON: MESSAGE)` of the events about `web`.
    pub(crate) fn events(&self) -> Vec<(f64, String)> {
        self.records_of_kind(What::Event)
            .iter()
            .map(|record| {
                (
                    seconds(record.at - SimTime::ZERO),
                    format!("{}: {}", text_field(record, "reason"), text_field(record, "message")),
                )
            })
            .collect()
    }

    /// Returns the hooks, signals and exits of the containers of `web`, for example `(2.0, "SIGTERM main")`; times are
    /// in seconds since the first of them.
    pub(crate) fn kill_timeline(&self) -> Vec<(f64, String)> {
        let kinds = [
            What::HookStarted,
            What::HookFinished,
            What::SignalSent,
            What::ContainerExited,
        ];
        let mut rows: Vec<(SimTime, String)> = Vec::new();
        for record in &self.trace.records {
            let of_web = record.object.as_ref().is_some_and(|object| &*object.key.name == "web");
            if !of_web || !kinds.contains(&record.what()) {
                continue;
            }
            let what = match record.what() {
                What::SignalSent => text_field(record, "signal"),
                What::HookStarted => format!("{} begins", text_field(record, "hook")),
                What::HookFinished => format!("{} ends", text_field(record, "hook")),
                _ => format!("exit {}", number_field(record, "exitCode").unwrap_or(0)),
            };
            rows.push((
                record.at,
                format!("{what} {}", record.container.as_deref().unwrap_or("")),
            ));
        }
        let origin = rows.first().map_or(SimTime::ZERO, |row| row.0);
        rows.into_iter()
            .map(|(at, what)| (seconds(at - origin), what))
            .collect()
    }
}

pub(crate) fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1e6
}

/// Returns the text of a field of a record; empty if the record has no such field.
pub(crate) fn text_field(record: &Record, field: &str) -> String {
    record
        .field(field)
        .unwrap_or_default()
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

pub(crate) fn number_field(record: &Record, field: &str) -> Option<i64> {
    record.field(field)?.as_i64()
}

/// Asserts that the rows `(seconds, text)` are the expected ones; times are compared to the millisecond.
#[track_caller]
pub(crate) fn assert_timeline_rows(name: &str, found: &[(f64, String)], expected: &[(f64, &str)]) {
    let print = |at: f64, what: &str| format!("{at:>9.3} {what}");
    let found: Vec<String> = found.iter().map(|(at, what)| print(*at, what)).collect();
    let expected: Vec<String> = expected.iter().map(|(at, what)| print(*at, what)).collect();
    assert_eq!(found, expected, "{name}");
}

/// Returns the pod's status as JSON.
pub(crate) fn status(pod: &Pod) -> Value {
    podscope_api::wire::Wire::to_json_value(&pod.status)
}
