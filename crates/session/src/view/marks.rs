//! Marks and bars (marks with a duration) on the page's timeline (U-05). They are derived from the whole trace of the
//! branch.

mod requests;

use podscope_api::fault::{FaultKind, FenceMechanism, OneWay};
use podscope_api::well_known::{condition, taint};
use podscope_api::{ConditionStatus, ordered};
use podscope_cluster::fault::Fault;
use podscope_cluster::{AttemptResult, FaultDetails, Happening, HookKind, Record, SimTime};

use crate::timeline::Trace;
use podscope_kubectl::command::{self, Command, Kubectl};
use podscope_protocol::{Evictor, Lane, Mark, MarkKind, MarkLabel, SubjectRef};

/// Marks on the timeline of one branch, up to the last processed record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    branch: usize,
    seen: usize,
    marks: ordered::Map<u64, Mark>,
    /// Bars that have not ended yet, each with the id of its mark.
    open: ordered::Map<OpenBarKey, u64>,
    /// Labels of commands with manifests, by the command's text. They are not cleared when the branch changes, because
    /// creating them is expensive.
    manifest_labels: ordered::Map<String, MarkLabel>,
    /// Number of running containers by pod key and pod UID.
    running_containers: ordered::Map<String, ordered::Map<String, usize>>,
}

/// Returns whether the control plane sets taints with this key. Such a taint has no mark, because the condition or
/// cordon that causes it has one. Only users set the taint out-of-service.
fn is_set_by_control_plane(key: &str) -> bool {
    key.starts_with("node.kubernetes.io/") && key != taint::OUT_OF_SERVICE
}

/// Returns whether a fault lasts until it is repaired.
const fn is_lasting(fault: FaultKind) -> bool {
    use FaultKind::{Detach, Device, Exit, Join, Leave, Sandbox};
    !matches!(fault, Exit | Sandbox | Join | Leave | Detach | Device)
}

/// Returns the faults that end when the given fault is repaired. For example, switching a machine on also restarts its
/// programs.
fn faults_ended_by_repair_of(fault: FaultKind) -> Vec<FaultKind> {
    use FaultKind::{Crash, CrashDriver, CrashKubelet, CrashRuntime, Fence, PowerOff, Second, Shutdown};
    match fault {
        PowerOff => vec![
            PowerOff,
            Shutdown,
            Fence(FenceMechanism::Power),
            CrashKubelet,
            CrashRuntime,
            CrashDriver,
        ],
        Crash(process) => vec![Crash(process), Second(process)],
        other => vec![other],
    }
}

/// Identifies a bar of the page's timeline that has not ended yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum OpenBarKey {
    /// A lasting fault; `since` is the sequence number of its record.
    Fault { fault: FaultKind, name: String, since: u64 },
    /// A container that the kubelet is terminating.
    Container { uid: String, container: String },
    /// A condition of a Node.
    Condition { node: String, condition: String },
    /// A violated invariant about the pods with the same key.
    Broken { invariant: String, key: String },
    /// The requests of one client to a Service.
    Requests { service: String, client: String },
}

impl OpenBarKey {
    /// Returns whether the bar is about one of these faults with this target.
    fn is_fault(&self, faults: &[FaultKind], target: &str) -> bool {
        matches!(self, Self::Fault { fault, name, .. } if name == target && faults.contains(fault))
    }
}

/// Returns who evicts a pod, according to the pod's condition DisruptionTarget. None for preemption, which has its own
/// record.
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

/// Returns the label of the mark of a command, on one line.
fn command_label(text: &str) -> MarkLabel {
    let is_marked = match command::parse(text) {
        Ok(Command::Fault { fault, .. }) => !matches!(fault, Fault::Member { .. }),
        Ok(Command::Kubectl { action: kubectl, .. }) => {
            matches!(kubectl, Kubectl::Cordon { .. } | Kubectl::Taint { .. })
        }
        Ok(Command::Api(_) | Command::Stop { .. } | Command::Help(_)) | Err(_) => false,
    };
    match is_marked {
        true => MarkLabel::Marked(text.to_owned()),
        false => MarkLabel::Written(text.to_owned()),
    }
}

/// Maximum number of objects in the label of a command.
const MAX_LISTED_OBJECTS: usize = 3;

/// Returns the label of the mark of a command with manifests. The label lists the objects in the manifests.
fn manifest_command_label(command: &str) -> MarkLabel {
    let (first, rest) = command.split_once('\n').unwrap_or((command, ""));
    let objects = podscope_api::parse(rest.rsplit_once('\n').map_or("", |(body, _)| body)).objects;
    let Some((verb, _)) = first.split_once(" -").filter(|_| !objects.is_empty()) else {
        return MarkLabel::Written(first.to_owned());
    };
    let named = objects.iter().take(MAX_LISTED_OBJECTS).map(|found| {
        let object = &found.value;
        format!("{} {}", object.kind().name(), object.metadata().name)
    });
    MarkLabel::Given {
        command: verb.to_owned(),
        objects: named.collect(),
        more: objects.len().saturating_sub(MAX_LISTED_OBJECTS),
    }
}

fn is_about_node(record: &Record) -> bool {
    (record.object.as_ref()).is_some_and(|subject| subject.kind == podscope_api::Kind::Node)
}

/// Invariants whose violation lasts as long as two pods with the same name have processes.
const DUPLICATE_POD_INVARIANTS: [&str; 3] = ["at-most-one", "safe-stall", "single-writer"];

/// The invariant whose violation lasts as long as the process that should have been fenced off is running.
const FENCING_INVARIANT: &str = "fence-before-break";

/// Returns the key of the bar of a violated invariant.
fn violation_bar(invariant: &str, key: &str) -> OpenBarKey {
    OpenBarKey::Broken {
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
    pub(crate) fn all(&self) -> Vec<Mark> {
        self.marks.values().cloned().collect()
    }

    /// Processes the new records of the trace. Returns new and changed marks, and the ids of removed marks.
    pub(crate) fn update(&mut self, branch: usize, trace: &Trace) -> (Vec<Mark>, Vec<u64>) {
        let mut gone = Vec::new();
        if branch != self.branch || trace.len() < self.seen {
            gone = self.marks.keys().copied().collect();
            *self = Marks {
                branch,
                manifest_labels: std::mem::take(&mut self.manifest_labels),
                ..Marks::default()
            };
        }
        let mut changed = podscope_api::ordered::Set::new();
        for record in trace.range(self.seen, trace.len()) {
            self.add_record(&record, &mut changed);
        }
        self.seen = trace.len();
        gone.retain(|id| !self.marks.contains_key(id));
        let marks = changed.iter().filter_map(|id| self.marks.get(id).cloned()).collect();
        (marks, gone)
    }

    fn add_point_mark(&mut self, record: &Record, lane: Lane, kind: MarkKind, label: MarkLabel) -> u64 {
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

    fn end_bar(&mut self, key: &OpenBarKey, at: SimTime) -> Option<u64> {
        let id = self.open.remove(key)?;
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = Some(at.0);
        }
        Some(id)
    }

    /// Ends all bars for which the predicate returns true.
    fn end_bars(&mut self, should_close: impl Fn(&OpenBarKey) -> bool, at: SimTime) -> Vec<u64> {
        let keys: Vec<_> = self.open.keys().filter(|bar| should_close(bar)).cloned().collect();
        keys.iter().filter_map(|key| self.end_bar(key, at)).collect()
    }

    /// Adds the mark of a fault, and ends the bars of earlier faults that it replaces.
    fn add_fault(&mut self, record: &Record, fault: FaultKind, details: &FaultDetails, name: &str) -> Vec<u64> {
        let label = match details {
            FaultDetails::Cut { from, one_way } => MarkLabel::Cut {
                node: name.to_owned(),
                from: from.clone(),
                is_in: *one_way != Some(OneWay::Out),
                is_out: *one_way != Some(OneWay::In),
            },
            _ => MarkLabel::Fault {
                fault,
                name: name.to_owned(),
            },
        };
        let kind = match fault {
            FaultKind::Partition => MarkKind::Cut,
            FaultKind::Join => MarkKind::Healed,
            FaultKind::Fence(_) => MarkKind::Fenced,
            _ => MarkKind::Fault,
        };
        let mut changed = match fault {
            FaultKind::Leave => {
                let should_close =
                    |bar: &OpenBarKey| matches!(bar, OpenBarKey::Fault { name: target, .. } if target == name);
                self.end_bars(should_close, record.at)
            }
            // Partitions of a node accumulate until the node is healed, so no bar ends.
            FaultKind::Partition => Vec::new(),
            FaultKind::Crash(process) => {
                self.end_bars(|bar| bar.is_fault(&[FaultKind::Second(process)], name), record.at)
            }
            _ => self.end_bars(|bar| bar.is_fault(&[fault], name), record.at),
        };
        changed.push(self.add_point_mark(record, Lane::Faults, kind, label));
        if is_lasting(fault) {
            self.open_fault_bar(record, fault, name);
        }
        changed
    }

    /// Turns the mark of a fault into a bar that ends when the fault is repaired.
    fn open_fault_bar(&mut self, record: &Record, fault: FaultKind, name: &str) {
        if let Some(mark) = self.marks.get_mut(&record.seq) {
            mark.to = None;
            let (name, since) = (name.to_owned(), record.seq);
            self.open.insert(OpenBarKey::Fault { fault, name, since }, record.seq);
        }
    }

    /// Adds the mark of a repair, and ends the bars of the repaired fault.
    fn add_repair(&mut self, record: &Record, fault: FaultKind, name: String) -> Vec<u64> {
        let ended = faults_ended_by_repair_of(fault);
        let mut changed = self.end_bars(|bar| bar.is_fault(&ended, &name), record.at);
        let label = MarkLabel::Healed { fault, name };
        changed.push(self.add_point_mark(record, Lane::Faults, MarkKind::Healed, label));
        changed
    }

    /// Ends the bar of a container that was being terminated, when its process ends. If there is no such bar and the
    /// process has failed, adds a mark for the exit.
    fn handle_exit(&mut self, record: &Record, container_bar: &OpenBarKey, code: i32, reason: &str) -> Vec<u64> {
        let mut changed: Vec<u64> = self.end_bar(container_bar, record.at).into_iter().collect();
        let pod = (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.name.to_string());
        // There is no mark for a process that ends because its machine loses power.
        if changed.is_empty() && code != 0 && reason != "Unknown" {
            let label = MarkLabel::Exited {
                pod,
                container: record.container.as_deref().unwrap_or_default().to_owned(),
                code,
                is_out_of_memory: reason == "OOMKilled",
            };
            changed.push(self.add_point_mark(record, Lane::Terminations, MarkKind::Exited, label));
        }
        changed.extend(self.end_violations(record));
        changed
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each happening that has a mark")]
    fn add_record(&mut self, record: &Record, changed: &mut podscope_api::ordered::Set<u64>) {
        let name = record
            .object
            .as_ref()
            .map_or_else(String::new, |subject| subject.key.name.to_string());
        let uid = record
            .object
            .as_ref()
            .map_or_else(String::new, |subject| subject.uid.to_string());
        let container = record.container.as_deref().unwrap_or_default().to_owned();
        let container_bar = OpenBarKey::Container {
            uid,
            container: container.clone(),
        };
        match &record.happening {
            Happening::Fault { fault, details } => changed.extend(self.add_fault(record, *fault, details, &name)),
            Happening::Healed { fault, .. } => changed.extend(self.add_repair(record, *fault, name)),
            Happening::Fenced { by } => {
                changed.extend(self.add_fault(record, FaultKind::Fence(*by), &FaultDetails::None, &name));
            }
            Happening::VolumeCorrupted { .. } => {
                let label = MarkLabel::Corrupted { volume: name };
                changed.insert(self.add_point_mark(record, Lane::Faults, MarkKind::Corrupted, label));
            }
            Happening::Command { command, error } => {
                let kind = if error.is_some() {
                    MarkKind::Refused
                } else {
                    MarkKind::Command
                };
                let label = match command.contains('\n') {
                    true => (self
                        .manifest_labels
                        .entry(command.clone())
                        .or_insert_with(|| manifest_command_label(command)))
                    .clone(),
                    false => command_label(command),
                };
                changed.insert(self.add_point_mark(record, Lane::Commands, kind, label));
            }
            Happening::Bound { node } => {
                let (pod, node) = (name, node.to_string());
                let label = MarkLabel::Bound { pod, node };
                changed.insert(self.add_point_mark(record, Lane::Decisions, MarkKind::Bound, label));
            }
            Happening::Attempt {
                result: AttemptResult::Scheduled { .. },
                ..
            } => {}
            Happening::Attempt { .. } => {
                let label = MarkLabel::NoNode { pod: name };
                changed.insert(self.add_point_mark(record, Lane::Decisions, MarkKind::Failed, label));
            }
            Happening::Nominated { node } => {
                let (pod, node) = (name, node.to_string());
                let label = MarkLabel::Nominated { pod, node };
                changed.insert(self.add_point_mark(record, Lane::Decisions, MarkKind::Nominated, label));
            }
            Happening::Preempted { .. } => {
                let label = MarkLabel::Preempted { pod: name };
                changed.insert(self.add_point_mark(record, Lane::Decisions, MarkKind::Preempted, label));
            }
            Happening::HookStarted {
                hook: HookKind::PreStop,
            } => {
                changed.extend(self.end_bar(&container_bar, record.at));
                self.open_container_bar(record, container_bar, MarkKind::PreStop, changed);
            }
            Happening::HookFinished {
                hook: HookKind::PreStop,
                ..
            } => changed.extend(self.end_bar(&container_bar, record.at)),
            Happening::ContainerStarted { attempt } => {
                self.count_container_start(record);
                if *attempt > 0 {
                    let label = MarkLabel::Restarted { pod: name, container };
                    changed.insert(self.add_point_mark(record, Lane::Terminations, MarkKind::Restarted, label));
                }
            }
            Happening::ContainerExited { exit_code, reason } => {
                changed.extend(self.handle_exit(record, &container_bar, *exit_code, reason));
            }
            Happening::SignalSent { signal } => {
                changed.extend(self.end_bar(&container_bar, record.at));
                let kind = if &**signal == "SIGKILL" {
                    MarkKind::Killed
                } else {
                    MarkKind::Sigterm
                };
                self.open_container_bar(record, container_bar, kind, changed);
            }
            Happening::InvariantViolated { violation } => {
                changed.extend(self.add_violation(record, &violation.invariant))
            }
            Happening::ConditionChanged { kind, status, .. } if is_about_node(record) => {
                changed.extend(self.update_node_condition(record, kind, status, &name));
            }
            Happening::ConditionChanged {
                kind, reason, message, ..
            } if &**kind == condition::DISRUPTION_TARGET => {
                let (reason, message) = (
                    reason.as_deref().unwrap_or_default(),
                    message.as_deref().unwrap_or_default(),
                );
                if let Some(by) = evictor(reason, message) {
                    let label = MarkLabel::Evicted { pod: name, by };
                    changed.insert(self.add_point_mark(record, Lane::Terminations, MarkKind::Evicted, label));
                }
            }
            Happening::Updated { changed: what } if is_about_node(record) => {
                if let Some(is_on) = what.unschedulable {
                    let kind = if is_on { MarkKind::Fenced } else { MarkKind::Healed };
                    let label = MarkLabel::Cordoned { node: name, is_on };
                    changed.insert(self.add_point_mark(record, Lane::Faults, kind, label));
                }
            }
            // A deleted Node has no conditions any more, so the bars of its conditions end.
            Happening::Deleted if is_about_node(record) => {
                changed.extend(self.end_bars(
                    |bar| matches!(bar, OpenBarKey::Condition { node, .. } if *node == name),
                    record.at,
                ));
            }
            Happening::TaintAdded { key, effect, .. } if is_about_node(record) && !is_set_by_control_plane(key) => {
                let label = MarkLabel::Tainted {
                    node: name,
                    key: key.to_string(),
                    effect: effect.to_string(),
                };
                changed.insert(self.add_point_mark(record, Lane::Faults, MarkKind::Fenced, label));
            }
            Happening::TaintRemoved { key, .. } if is_about_node(record) && !is_set_by_control_plane(key) => {
                let label = MarkLabel::Untainted {
                    node: name,
                    key: key.to_string(),
                };
                changed.insert(self.add_point_mark(record, Lane::Faults, MarkKind::Healed, label));
            }
            Happening::RequestRate { rate } => changed.extend(self.add_request_rate(record, rate)),
            Happening::RequestsFailed { failed } => {
                changed.insert(self.add_failed_requests(record, failed));
            }
            Happening::Expectation { expect, ok, .. } => {
                let kind = if *ok { MarkKind::Expected } else { MarkKind::Unexpected };
                let label = MarkLabel::Written(expect.clone());
                changed.insert(self.add_point_mark(record, Lane::Invariants, kind, label));
            }
            _ => {}
        }
    }

    fn count_container_start(&mut self, record: &Record) {
        if let Some(subject) = &record.object {
            let lives = self.running_containers.entry(subject.key.to_string()).or_default();
            *lives.entry(subject.uid.to_string()).or_insert(0) += 1;
        }
    }

    /// Ends the bars of violated invariants about pods with the same name when the last process of a pod ends, unless
    /// at least two such pods still have processes.
    fn end_violations(&mut self, record: &Record) -> Vec<u64> {
        let Some(subject) = &record.object else {
            return Vec::new();
        };
        let key = subject.key.to_string();
        if let Some(lives) = self.running_containers.get_mut(&key) {
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
        let closed = DUPLICATE_POD_INVARIANTS.into_iter().chain([FENCING_INVARIANT]);
        closed
            .filter_map(|invariant| self.end_bar(&violation_bar(invariant, &key), record.at))
            .collect()
    }

    /// Adds the mark of a violated invariant: a bar if the violation lasts while processes are running, otherwise a
    /// point.
    fn add_violation(&mut self, record: &Record, invariant: &str) -> Option<u64> {
        let key = (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.to_string());
        let lives = self.running_containers.get(&key).map_or(0, ordered::Map::len);
        let has_duplicate = DUPLICATE_POD_INVARIANTS.contains(&invariant) && lives > 1;
        let is_lasting = has_duplicate || invariant == FENCING_INVARIANT && lives > 0;
        if is_lasting && self.open.contains_key(&violation_bar(invariant, &key)) {
            return None;
        }
        let label = MarkLabel::Broken {
            invariant: invariant.to_owned(),
            name: (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.name.to_string()),
            at_once: if has_duplicate { lives } else { 0 },
        };
        let id = self.add_point_mark(record, Lane::Invariants, MarkKind::Broken, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            if is_lasting {
                mark.to = None;
                self.open.insert(violation_bar(invariant, &key), id);
            }
            mark.subject = Some(SubjectRef::Invariant {
                name: invariant.to_owned(),
            });
        }
        Some(id)
    }

    fn open_container_bar(
        &mut self,
        record: &Record,
        container_bar: OpenBarKey,
        kind: MarkKind,
        changed: &mut podscope_api::ordered::Set<u64>,
    ) {
        let label = MarkLabel::Container {
            pod: (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.name.to_string()),
            container: record.container.as_deref().unwrap_or_default().to_owned(),
        };
        let id = self.add_point_mark(record, Lane::Terminations, kind, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = None;
        }
        self.open.insert(container_bar, id);
        changed.insert(id);
    }

    /// Starts or ends the bar of a condition of a node: NotReady, or pressure.
    fn update_node_condition(
        &mut self,
        record: &Record,
        condition: &str,
        status: &ConditionStatus,
        name: &str,
    ) -> Option<u64> {
        let is_healthy = (condition == condition::READY) == (*status == ConditionStatus::True);
        let open = OpenBarKey::Condition {
            node: name.to_owned(),
            condition: condition.to_owned(),
        };
        if is_healthy {
            return self.end_bar(&open, record.at);
        }
        if self.open.contains_key(&open) {
            return None;
        }
        let label = MarkLabel::Condition {
            node: name.to_owned(),
            condition: if condition == condition::READY {
                "NotReady"
            } else {
                condition
            }
            .to_owned(),
        };
        let id = self.add_point_mark(record, Lane::Faults, MarkKind::NotReady, label);
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = None;
        }
        self.open.insert(open, id);
        Some(id)
    }
}
