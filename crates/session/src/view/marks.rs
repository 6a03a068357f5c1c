//! Marks and bars of the timeline (U-05), from the branch's whole trace.

use podscope_api::{ConditionStatus, ordered};
use podscope_cluster::{AttemptResult, FaultKind, Happening, HookKind, Record, SimTime};

use crate::timeline::Trace;
use podscope_protocol::{Lane, Mark, MarkKind, MarkLabel, SubjectRef};

/// The marks of one branch, kept up as the trace grows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    branch: usize,
    seen: usize,
    marks: ordered::Map<u64, Mark>,
    /// Open bars: (uid, container) or a fault's node → mark.
    open: ordered::Map<(String, String), u64>,
    /// Containers that run, by the name of their pod and its UID.
    living: ordered::Map<String, ordered::Map<String, usize>>,
}

/// Taints of the control plane's begin so.
const OWN_TAINTS: &str = "node.kubernetes.io/";

fn is_of_node(record: &Record) -> bool {
    (record.object.as_ref()).is_some_and(|subject| subject.kind == podscope_api::Kind::Node)
}

/// Guarantees that are broken for as long as processes of two pods of one name run.
const TWO_AT_ONCE: [&str; 3] = ["at-most-one", "safe-stall", "single-writer"];

/// The key under which a broken guarantee of a pod's name is open.
fn twice(invariant: &str, key: &str) -> (String, String) {
    (format!("broken {invariant}"), key.to_owned())
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

    fn close(&mut self, key: &(String, String), at: SimTime) -> Option<u64> {
        let id = self.open.remove(key)?;
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = Some(at.0);
        }
        Some(id)
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
        let life = (uid, container.clone());
        match &record.happening {
            Happening::Fault { fault, .. } => {
                let id = self.point(
                    record,
                    Lane::Faults,
                    if *fault == FaultKind::Partition {
                        MarkKind::Cut
                    } else {
                        MarkKind::Fault
                    },
                    MarkLabel::Fault {
                        fault: fault.to_string(),
                        name: name.clone(),
                    },
                );
                let key = ("fault".to_owned(), name);
                changed.extend(self.close(&key, record.at));
                if let Some(mark) = self.marks.get_mut(&id)
                    && !key.1.is_empty()
                    && !matches!(fault, FaultKind::Exit | FaultKind::Sandbox)
                {
                    mark.to = None;
                    self.open.insert(key, id);
                }
                changed.insert(id);
            }
            Happening::Healed {
                fault: FaultKind::Fence(_),
                ..
            } => {
                let label = MarkLabel::Unfenced { node: name };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Healed, label));
            }
            Happening::Healed { .. } => {
                changed.extend(self.close(&("fault".to_owned(), name.clone()), record.at));
                let label = MarkLabel::Healed { name };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Healed, label));
            }
            Happening::Fenced { .. } => {
                let label = MarkLabel::Fenced { node: name };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Fenced, label));
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
                let label = MarkLabel::Written(command.lines().next().unwrap_or_default().to_owned());
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
            Happening::ContainerStarted { .. } => self.lives(record),
            Happening::ContainerExited { .. } => {
                changed.extend(self.close(&life, record.at));
                changed.extend(self.ends(record));
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
            // The control plane's own taints say what the conditions have said.
            Happening::TaintAdded { key, effect, .. } if is_of_node(record) && !key.starts_with(OWN_TAINTS) => {
                let label = MarkLabel::Tainted {
                    node: name,
                    key: key.to_string(),
                    effect: effect.to_string(),
                };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Fenced, label));
            }
            Happening::TaintRemoved { key, .. } if is_of_node(record) && !key.starts_with(OWN_TAINTS) => {
                let label = MarkLabel::Untainted {
                    node: name,
                    key: key.to_string(),
                };
                changed.insert(self.point(record, Lane::Faults, MarkKind::Healed, label));
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
                left => drop(lives.insert(uid, left)),
            }
            if lives.len() > 1 {
                return Vec::new();
            }
        }
        let closed = TWO_AT_ONCE.into_iter();
        closed
            .filter_map(|invariant| self.close(&twice(invariant, &key), record.at))
            .collect()
    }

    /// A broken guarantee: a bar for as long as two of a name run, else a point.
    fn broken(&mut self, record: &Record, invariant: &str) -> Option<u64> {
        let key = (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.to_string());
        let lives = self.living.get(&key).map_or(0, ordered::Map::len);
        let lasts = TWO_AT_ONCE.contains(&invariant) && lives > 1;
        if lasts && self.open.contains_key(&twice(invariant, &key)) {
            return None;
        }
        let label = MarkLabel::Broken {
            invariant: invariant.to_owned(),
            name: (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.name.to_string()),
            at_once: if lasts { lives } else { 0 },
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

    fn bar(
        &mut self,
        record: &Record,
        life: (String, String),
        kind: MarkKind,
        changed: &mut podscope_api::ordered::Set<u64>,
    ) {
        let label = MarkLabel::Container {
            pod: (record.object.as_ref()).map_or_else(String::new, |subject| subject.key.name.to_string()),
            container: life.1.clone(),
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
        let open = (format!("condition {condition}"), name.to_owned());
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
