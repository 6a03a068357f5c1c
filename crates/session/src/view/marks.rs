//! Marks and bars of the timeline (U-05), from the branch's whole trace.

use podscope_api::ordered;
use podscope_cluster::{AttemptResult, FaultKind, Happening, HookKind, Record, SimTime};

use crate::timeline::Trace;
use podscope_protocol::{Lane, Mark, MarkKind, SubjectRef};

/// The marks of one branch, kept up as the trace grows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    branch: usize,
    seen: usize,
    marks: ordered::Map<u64, Mark>,
    /// Open bars: (uid, container) or a fault's node → mark.
    open: ordered::Map<(String, String), u64>,
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

    fn point(&mut self, record: &Record, lane: Lane, kind: MarkKind, label: String) -> u64 {
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
                    format!("{fault} {name}").trim().to_owned(),
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
            Happening::Healed { .. } => {
                changed.extend(self.close(&("fault".to_owned(), name.clone()), record.at));
                changed.insert(self.point(
                    record,
                    Lane::Faults,
                    MarkKind::Healed,
                    format!("healed {name}").trim().to_owned(),
                ));
            }
            Happening::Fenced { .. } => {
                changed.insert(self.point(record, Lane::Faults, MarkKind::Fenced, format!("fenced {name}")));
            }
            Happening::VolumeCorrupted { .. } => {
                changed.insert(self.point(record, Lane::Faults, MarkKind::Corrupted, format!("{name} corrupted")));
            }
            Happening::Command { command, error } => {
                let kind = if error.is_some() {
                    MarkKind::Refused
                } else {
                    MarkKind::Command
                };
                changed.insert(self.point(
                    record,
                    Lane::Commands,
                    kind,
                    command.lines().next().unwrap_or_default().to_owned(),
                ));
            }
            Happening::Bound { node } => {
                changed.insert(self.point(record, Lane::Decisions, MarkKind::Bound, format!("{name} → {node}")));
            }
            Happening::Attempt {
                result: AttemptResult::Scheduled { .. },
                ..
            } => {}
            Happening::Attempt { .. } => {
                changed.insert(self.point(record, Lane::Decisions, MarkKind::Failed, format!("{name}: no node")));
            }
            Happening::Nominated { node } => {
                changed.insert(self.point(
                    record,
                    Lane::Decisions,
                    MarkKind::Nominated,
                    format!("{name} nominated to {node}"),
                ));
            }
            Happening::Preempted { .. } => {
                changed.insert(self.point(
                    record,
                    Lane::Decisions,
                    MarkKind::Preempted,
                    format!("{name} preempted"),
                ));
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
            }
            | Happening::ContainerExited { .. } => changed.extend(self.close(&life, record.at)),
            Happening::SignalSent { signal } => {
                changed.extend(self.close(&life, record.at));
                let kind = if &**signal == "SIGKILL" {
                    MarkKind::Killed
                } else {
                    MarkKind::Sigterm
                };
                self.bar(record, life, kind, changed);
            }
            Happening::InvariantViolated { violation } => {
                let invariant = violation.invariant.to_string();
                let id = self.point(record, Lane::Invariants, MarkKind::Broken, invariant.clone());
                if let Some(mark) = self.marks.get_mut(&id) {
                    mark.subject = Some(SubjectRef::Invariant { name: invariant });
                }
                changed.insert(id);
            }
            Happening::Expectation { expect, ok, .. } => {
                let kind = if *ok { MarkKind::Expected } else { MarkKind::Unexpected };
                changed.insert(self.point(record, Lane::Invariants, kind, expect.clone()));
            }
            _ => {}
        }
    }

    fn bar(
        &mut self,
        record: &Record,
        life: (String, String),
        kind: MarkKind,
        changed: &mut podscope_api::ordered::Set<u64>,
    ) {
        let name = record
            .object
            .as_ref()
            .map_or_else(String::new, |subject| subject.key.name.to_string());
        let id = self.point(record, Lane::Terminations, kind, format!("{name}/{}", life.1));
        if let Some(mark) = self.marks.get_mut(&id) {
            mark.to = None;
        }
        self.open.insert(life, id);
        changed.insert(id);
    }
}
