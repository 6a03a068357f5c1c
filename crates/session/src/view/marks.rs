//! Marks and bars of the timeline (U-05), from the branch's whole trace.

mod requests;

use podscope_api::{ConditionStatus, ordered};
use podscope_cluster::fault::{Fault, FenceMechanism};
use podscope_cluster::{
    AttemptResult, ControlPlaneProcess, FaultDetails, FaultKind, Happening, HookKind, OneWay, Record, SimTime,
};

use crate::timeline::Trace;
use podscope_kubectl::command::{self, Command, Kubectl};
use podscope_protocol::{Component, CutFrom, Evictor, FaultView, Lane, Mark, MarkKind, MarkLabel, SubjectRef};

/// The marks of one branch, kept up as the trace grows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    branch: usize,
    seen: usize,
    marks: ordered::Map<u64, Mark>,
    /// Open bars, and their marks.
    open: ordered::Map<Bar, u64>,
    /// What commands with manifests say of themselves: the same on every branch, and not read again after a seek back.
    given: ordered::Map<String, MarkLabel>,
    /// Containers that run, by the name of their pod and its UID.
    living: ordered::Map<String, ordered::Map<String, usize>>,
}

/// Whether a taint is the control plane's own: it says what a condition or a cordon has said. Only people say that a
/// node is out of service.
fn is_own_taint(key: &str) -> bool {
    key.starts_with("node.kubernetes.io/") && key != "node.kubernetes.io/out-of-service"
}

/// Whether a fault goes on until it is repaired.
const fn lasts(fault: FaultKind) -> bool {
    use FaultKind::{Detach, Exit, Join, Leave, Sandbox};
    !matches!(fault, Exit | Sandbox | Join | Leave | Detach)
}

/// What ends when a fault of that kind is repaired: power brings back the programs of a machine.
fn ends_with(fault: FaultKind) -> Vec<FaultKind> {
    use FaultKind::{Crash, CrashKubelet, CrashRuntime, Fence, PowerOff, Second, Shutdown};
    match fault {
        PowerOff => vec![
            PowerOff,
            Shutdown,
            Fence(FenceMechanism::Power),
            CrashKubelet,
            CrashRuntime,
        ],
        Crash(process) => vec![Crash(process), Second(process)],
        other => vec![other],
    }
}

/// What a bar that has no end yet is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Bar {
    /// A fault that goes on, since a record of the trace.
    Fault { fault: FaultKind, name: String, since: u64 },
    /// A container that is to end.
    Container { uid: String, container: String },
    /// What is believed of a node.
    Condition { node: String, condition: String },
    /// A guarantee that is broken of pods of a name.
    Broken { invariant: String, key: String },
    /// What is sent to a Service.
    Requests { service: String, client: String },
}

impl Bar {
    /// Whether it is of a fault, of one of these kinds, that strikes a name.
    fn is_fault(&self, of: &[FaultKind], whom: &str) -> bool {
        matches!(self, Self::Fault { fault, name, .. } if name == whom && of.contains(fault))
    }
}

/// How the page calls a fault; none of one whose mark says itself what it is.
fn fault_view(fault: FaultKind) -> Option<FaultView> {
    let component = |process: ControlPlaneProcess| match process {
        ControlPlaneProcess::Scheduler => Component::Scheduler(0),
        ControlPlaneProcess::ControllerManager => Component::ControllerManager(0),
        ControlPlaneProcess::ApiServer => Component::ApiServer,
    };
    Some(match fault {
        FaultKind::Partition => FaultView::Partition,
        FaultKind::Slow => FaultView::Slow,
        FaultKind::Leave => FaultView::Leave,
        FaultKind::Shutdown => FaultView::Shutdown,
        FaultKind::PowerOff => FaultView::PowerOff,
        FaultKind::CrashKubelet => FaultView::CrashKubelet,
        FaultKind::CrashRuntime => FaultView::CrashRuntime,
        FaultKind::Crash(process) => FaultView::Crash(component(process)),
        FaultKind::Second(process) => FaultView::Second(component(process)),
        FaultKind::EtcdDown => FaultView::EtcdDown,
        FaultKind::Exit => FaultView::Exit,
        FaultKind::Sandbox => FaultView::Sandbox,
        FaultKind::Detach => FaultView::Detach,
        FaultKind::Join | FaultKind::Fence(_) => return None,
    })
}

fn cut(node: String, from: &str, one_way: Option<OneWay>) -> MarkLabel {
    MarkLabel::Cut {
        node,
        from: match from {
            "everything" => None,
            "control-plane" => Some(CutFrom::ControlPlane),
            "nodes" => Some(CutFrom::Nodes),
            "storage" => Some(CutFrom::Storage),
            name => Some(CutFrom::Node(name.to_owned())),
        },
        is_in: one_way != Some(OneWay::Out),
        is_out: one_way != Some(OneWay::In),
    }
}

/// By whom a pod is evicted, as its condition DisruptionTarget says. A preemption has a record of its own.
fn evictor(reason: &str, message: &str) -> Option<Evictor> {
    match reason {
        "DeletionByTaintManager" => Some(Evictor::Taint),
        "TerminationByKubelet" if message.contains("low on resource") => Some(Evictor::Pressure),
        "TerminationByKubelet" => Some(Evictor::Shutdown),
        "EvictionByEvictionAPI" => Some(Evictor::Api),
        "DeletionByPodGC" => Some(Evictor::PodGc),
        _ => None,
    }
}

/// What a command on one line says of itself.
fn given(text: &str) -> MarkLabel {
    let is_marked = match command::parse(text) {
        Ok(Command::Fault(fault)) => !matches!(fault, Fault::Member { .. }),
        Ok(Command::Kubectl(kubectl)) => matches!(kubectl, Kubectl::Cordon { .. } | Kubectl::Taint { .. }),
        Ok(Command::Api(_) | Command::Stop { .. } | Command::Help(_)) | Err(_) => false,
    };
    match is_marked {
        true => MarkLabel::Marked(text.to_owned()),
        false => MarkLabel::Written(text.to_owned()),
    }
}

/// Objects that a mark names.
const NAMED: usize = 3;

/// What a command says of itself: of one with manifests, of what they are.
fn written(command: &str) -> MarkLabel {
    let (first, rest) = command.split_once('\n').unwrap_or((command, ""));
    let objects = podscope_api::parse(rest.rsplit_once('\n').map_or("", |(body, _)| body)).objects;
    let Some((verb, _)) = first.split_once(" -").filter(|_| !objects.is_empty()) else {
        return MarkLabel::Written(first.to_owned());
    };
    let named = objects.iter().take(NAMED).map(|found| {
        let object = &found.value;
        format!("{} {}", object.kind().name(), object.metadata().name)
    });
    MarkLabel::Given {
        command: verb.to_owned(),
        objects: named.collect(),
        more: objects.len().saturating_sub(NAMED),
    }
}

fn is_of_node(record: &Record) -> bool {
    (record.object.as_ref()).is_some_and(|subject| subject.kind == podscope_api::Kind::Node)
}

/// Guarantees that are broken for as long as processes of two pods of one name run.
const TWO_AT_ONCE: [&str; 3] = ["at-most-one", "safe-stall", "single-writer"];

/// It is broken for as long as the process runs that was not fenced.
const UNFENCED: &str = "fence-before-break";

/// The key under which a broken guarantee of a pod's name is open.
fn twice(invariant: &str, key: &str) -> Bar {
    Bar::Broken {
        invariant: invariant.to_owned(),
        key: key.to_owned(),
    }
}

fn pod_ref(record: &Record) -> Option<SubjectRef> {
    let subject = record.object.as_ref()?;
    Some(match subject.kind {
        podscope_api::Kind::Pod => SubjectRef::Pod {
            key: subject.key.to_string(),
            uid: subject.uid.to_string(),
        },
        podscope_api::Kind::Node => SubjectRef::Node {
            name: subject.key.name.to_string(),
        },
        kind => SubjectRef::Object {
            kind: kind.name().to_owned(),
            key: subject.key.to_string(),
        },
    })
}

impl Marks {
    /// All marks.
    pub(crate) fn all(&self) -> Vec<Mark> {
        self.marks.values().cloned().collect()
    }

    /// Takes in what the trace has beyond the last time: marks new or changed, and marks gone.
    pub(crate) fn update(&mut self, branch: usize, trace: &Trace) -> (Vec<Mark>, Vec<u64>) {
        let mut gone = Vec::new();
        if branch != self.branch || trace.len() < self.seen {
            gone = self.marks.keys().copied().collect();
            *self = Marks {
                branch,
                given: std::mem::take(&mut self.given),
                ..Marks::default()
            };
        }
        let mut changed = podscope_api::ordered::Set::new();
        for record in trace.range(self.seen, trace.len()) {
            self.take(&record, &mut changed);
        }
        self.seen = trace.len();
        gone.retain(|id| !self.marks.contains_key(id));
        let marks = changed.iter().filter_map(|id| self.marks.get(id).cloned()).collect();
        (marks, gone)
    }

    fn point(&mut self, record: &Record, lane: Lane, kind: MarkKind, label: MarkLabel) -> u64 {
        self.marks.insert(
            record.seq,
            Mark {
                id: record.seq,
                lane,
                from: record.at.0,
                to: Some(record.at.0),
                kind,
                label,
                subject: pod_ref(record),
            },
        );
        record.seq
    }

    fn close(&mut self, key: &Bar, at: SimTime) -> Option<u64> {
        let id = self.open.remove(key)?;
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = Some(at.0);
        }
        Some(id)
    }

    /// Ends every open bar that is meant.
    fn close_all(&mut self, is_meant: impl Fn(&Bar) -> bool, at: SimTime) -> Vec<u64> {
        let keys: Vec<_> = self.open.keys().filter(|bar| is_meant(bar)).cloned().collect();
        keys.iter().filter_map(|key| self.close(key, at)).collect()
    }

    /// A fault, and what ends by it.
    fn struck(&mut self, record: &Record, fault: FaultKind, details: &FaultDetails, name: &str) -> Vec<u64> {
        let node = name.to_owned();
        let (kind, label) = match (fault_view(fault), details) {
            (_, FaultDetails::Cut { from, one_way }) => (MarkKind::Cut, cut(node, from, *one_way)),
            (Some(fault), _) => (MarkKind::Fault, MarkLabel::Fault { fault, name: node }),
            (None, _) if fault == FaultKind::Join => (MarkKind::Healed, MarkLabel::Joined { node }),
            (None, _) => (MarkKind::Fenced, MarkLabel::Fenced { node }),
        };
        let mut changed = match fault {
            FaultKind::Leave => {
                let is_meant = |bar: &Bar| matches!(bar, Bar::Fault { name: of, .. } if of == name);
                self.close_all(is_meant, record.at)
            }
            // Cuts add up until the node is healed of all.
            FaultKind::Partition => Vec::new(),
            FaultKind::Crash(process) => {
                self.close_all(|bar| bar.is_fault(&[FaultKind::Second(process)], name), record.at)
            }
            _ => self.close_all(|bar| bar.is_fault(&[fault], name), record.at),
        };
        changed.push(self.point(record, Lane::Faults, kind, label));
        if lasts(fault) {
            self.begin(record, fault, name);
        }
        changed
    }

    /// The mark of a record becomes a bar that ends with the fault's repair.
    fn begin(&mut self, record: &Record, fault: FaultKind, name: &str) {
        if let Some(mark) = self.marks.get_mut(&record.seq) {
            mark.to = None;
            let (name, since) = (name.to_owned(), record.seq);
            self.open.insert(Bar::Fault { fault, name, since }, record.seq);
        }
    }

    /// A fault is repaired.
    fn healed(&mut self, record: &Record, fault: FaultKind, name: String) -> Vec<u64> {
        let ended = ends_with(fault);
        let mut changed = self.close_all(|bar| bar.is_fault(&ended, &name), record.at);
        let label = match fault_view(fault) {
            Some(fault) => MarkLabel::Healed { fault, name },
            None => MarkLabel::Unfenced { node: name },
        };
        changed.push(self.point(record, Lane::Faults, MarkKind::Healed, label));
        changed
    }

    /// A process has ended: by a signal that has a bar, or by itself.
    fn exited(&mut self, record: &Record, life: &Bar, code: i32, reason: &str) -> Vec<u64> {
        let mut changed: Vec<u64> = self.close(life, record.at).into_iter().collect();
        let pod = (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.name.to_string());
        // With the power of a machine everything ends.
        if changed.is_empty() && code != 0 && reason != "Unknown" {
            let label = MarkLabel::Exited {
                pod,
                container: record.container.as_deref().unwrap_or_default().to_owned(),
                code,
                is_out_of_memory: reason == "OOMKilled",
            };
            changed.push(self.point(record, Lane::Terminations, MarkKind::Exited, label));
        }
        changed.extend(self.ends(record));
        changed
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each happening that has a mark")]
    fn take(&mut self, record: &Record, changed: &mut podscope_api::ordered::Set<u64>) {
        let name = record
            .object
            .as_ref()
            .map_or_else(String::new, |subject| subject.key.name.to_string());
        let uid = record
            .object
            .as_ref()
            .map_or_else(String::new, |subject| subject.uid.to_string());
        let container = record.container.as_deref().unwrap_or_default().to_owned();
        let life = Bar::Container {
            uid,
            container: container.clone(),
        };
        match &record.happening {
            Happening::Fault { fault, details } => changed.extend(self.struck(record, *fault, details, &name)),
            Happening::Healed { fault, .. } => changed.extend(self.healed(record, *fault, name)),
            Happening::Fenced { by } => {
                let label = MarkLabel::Fenced { node: name.clone() };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Fenced, label));
                self.begin(record, FaultKind::Fence(*by), &name);
            }
            Happening::VolumeCorrupted { .. } => {
                let label = MarkLabel::Corrupted { volume: name };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Corrupted, label));
            }
            Happening::Command { command, error } => {
                let kind = if error.is_some() {
                    MarkKind::Refused
                } else {
                    MarkKind::Command
                };
                let label = match command.contains('\n') {
                    true => (self.given.entry(command.clone()).or_insert_with(|| written(command))).clone(),
                    false => given(command),
                };
                changed.insert(self.point(record, Lane::Commands, kind, label));
            }
            Happening::Bound { node } => {
                let (pod, node) = (name, node.to_string());
                let label = MarkLabel::Bound { pod, node };
                changed.insert(self.point(record, Lane::Decisions, MarkKind::Bound, label));
            }
            Happening::Attempt {
                result: AttemptResult::Scheduled { .. },
                ..
            } => {}
            Happening::Attempt { .. } => {
                let label = MarkLabel::NoNode { pod: name };
                changed.insert(self.point(record, Lane::Decisions, MarkKind::Failed, label));
            }
            Happening::Nominated { node } => {
                let (pod, node) = (name, node.to_string());
                let label = MarkLabel::Nominated { pod, node };
                changed.insert(self.point(record, Lane::Decisions, MarkKind::Nominated, label));
            }
            Happening::Preempted { .. } => {
                let label = MarkLabel::Preempted { pod: name };
                changed.insert(self.point(record, Lane::Decisions, MarkKind::Preempted, label));
            }
            Happening::HookStarted {
                hook: HookKind::PreStop,
            } => {
                changed.extend(self.close(&life, record.at));
                self.bar(record, life, MarkKind::PreStop, changed);
            }
            Happening::HookFinished {
                hook: HookKind::PreStop,
                ..
            } => changed.extend(self.close(&life, record.at)),
            Happening::ContainerStarted { attempt } => {
                self.lives(record);
                if *attempt > 0 {
                    let label = MarkLabel::Restarted { pod: name, container };
                    changed.insert(self.point(record, Lane::Terminations, MarkKind::Restarted, label));
                }
            }
            Happening::ContainerExited { exit_code, reason } => {
                changed.extend(self.exited(record, &life, *exit_code, reason));
            }
            Happening::SignalSent { signal } => {
                changed.extend(self.close(&life, record.at));
                let kind = if &**signal == "SIGKILL" {
                    MarkKind::Killed
                } else {
                    MarkKind::Sigterm
                };
                self.bar(record, life, kind, changed);
            }
            Happening::InvariantViolated { violation } => changed.extend(self.broken(record, &violation.invariant)),
            Happening::ConditionChanged { kind, status, .. } if is_of_node(record) => {
                changed.extend(self.of_node(record, kind, status, &name));
            }
            Happening::ConditionChanged {
                kind, reason, message, ..
            } if &**kind == "DisruptionTarget" => {
                let (reason, message) = (
                    reason.as_deref().unwrap_or_default(),
                    message.as_deref().unwrap_or_default(),
                );
                if let Some(by) = evictor(reason, message) {
                    let label = MarkLabel::Evicted { pod: name, by };
                    changed.insert(self.point(record, Lane::Terminations, MarkKind::Evicted, label));
                }
            }
            Happening::Updated { changed: what } if is_of_node(record) => {
                if let Some(is_on) = what.unschedulable {
                    let kind = if is_on { MarkKind::Fenced } else { MarkKind::Healed };
                    let label = MarkLabel::Cordoned { node: name, is_on };
                    changed.insert(self.point(record, Lane::Faults, kind, label));
                }
            }
            // Of a Node that is gone nothing is believed any more.
            Happening::Deleted if is_of_node(record) => {
                changed.extend(self.close_all(
                    |bar| matches!(bar, Bar::Condition { node, .. } if *node == name),
                    record.at,
                ));
            }
            Happening::TaintAdded { key, effect, .. } if is_of_node(record) && !is_own_taint(key) => {
                let label = MarkLabel::Tainted {
                    node: name,
                    key: key.to_string(),
                    effect: effect.to_string(),
                };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Fenced, label));
            }
            Happening::TaintRemoved { key, .. } if is_of_node(record) && !is_own_taint(key) => {
                let label = MarkLabel::Untainted {
                    node: name,
                    key: key.to_string(),
                };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Healed, label));
            }
            Happening::RequestRate { rate } => changed.extend(self.rate(record, rate)),
            Happening::RequestsFailed { failed } => {
                changed.insert(self.failed(record, failed));
            }
            Happening::Expectation { expect, ok, .. } => {
                let kind = if *ok { MarkKind::Expected } else { MarkKind::Unexpected };
                let label = MarkLabel::Written(expect.clone());
                changed.insert(self.point(record, Lane::Invariants, kind, label));
            }
            _ => {}
        }
    }

    fn lives(&mut self, record: &Record) {
        if let Some(subject) = &record.object {
            let lives = self.living.entry(subject.key.to_string()).or_default();
            *lives.entry(subject.uid.to_string()).or_insert(0) += 1;
        }
    }

    /// A process has ended: what was broken for as long as there were two of a name is whole again.
    fn ends(&mut self, record: &Record) -> Vec<u64> {
        let Some(subject) = &record.object else {
            return Vec::new();
        };
        let key = subject.key.to_string();
        if let Some(lives) = self.living.get_mut(&key) {
            let uid = subject.uid.to_string();
            let left = lives.get(&uid).map_or(0, |n| n.saturating_sub(1));
            match left {
                0 => drop(lives.remove(&uid)),
                left => {
                    lives.insert(uid, left);
                    return Vec::new();
                }
            }
            if lives.len() > 1 {
                return Vec::new();
            }
        }
        let closed = TWO_AT_ONCE.into_iter().chain([UNFENCED]);
        closed
            .filter_map(|invariant| self.close(&twice(invariant, &key), record.at))
            .collect()
    }

    /// A broken guarantee: a bar for as long as two of a name run, else a point.
    fn broken(&mut self, record: &Record, invariant: &str) -> Option<u64> {
        let key = (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.to_string());
        let lives = self.living.get(&key).map_or(0, ordered::Map::len);
        let are_two = TWO_AT_ONCE.contains(&invariant) && lives > 1;
        let lasts = are_two || invariant == UNFENCED && lives > 0;
        if lasts && self.open.contains_key(&twice(invariant, &key)) {
            return None;
        }
        let label = MarkLabel::Broken {
            invariant: invariant.to_owned(),
            name: (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.name.to_string()),
            at_once: if are_two { lives } else { 0 },
        };
        let id = self.point(record, Lane::Invariants, MarkKind::Broken, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            if lasts {
                mark.to = None;
                self.open.insert(twice(invariant, &key), id);
            }
            mark.subject = Some(SubjectRef::Invariant {
                name: invariant.to_owned(),
            });
        }
        Some(id)
    }

    fn bar(&mut self, record: &Record, life: Bar, kind: MarkKind, changed: &mut podscope_api::ordered::Set<u64>) {
        let label = MarkLabel::Container {
            pod: (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.name.to_string()),
            container: record.container.as_deref().unwrap_or_default().to_owned(),
        };
        let id = self.point(record, Lane::Terminations, kind, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = None;
        }
        self.open.insert(life, id);
        changed.insert(id);
    }

    /// What the API server knows of a node: a bar for as long as it is not ready or under pressure.
    fn of_node(&mut self, record: &Record, condition: &str, status: &ConditionStatus, name: &str) -> Option<u64> {
        let is_well = (condition == "Ready") == (*status == ConditionStatus::True);
        let open = Bar::Condition {
            node: name.to_owned(),
            condition: condition.to_owned(),
        };
        if is_well {
            return self.close(&open, record.at);
        }
        if self.open.contains_key(&open) {
            return None;
        }
        let label = MarkLabel::Condition {
            node: name.to_owned(),
            condition: if condition == "Ready" { "NotReady" } else { condition }.to_owned(),
        };
        let id = self.point(record, Lane::Faults, MarkKind::NotReady, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = None;
        }
        self.open.insert(open, id);
        Some(id)
    }
}
