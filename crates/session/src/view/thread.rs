//! The thread of the selected object: the chain of causes of the records about the object.

use podscope_api::Kind;
use podscope_api::well_known::condition;
use podscope_cluster::{Actor, AttemptResult, Happening, Record, Subject};
use podscope_protocol::{
    CausalThread, MAX_THREAD_RECORDS, SubjectRef, ThreadActor, ThreadEvent, ThreadLink, UpcomingEvent,
};

use super::requests::{SelectedFailures, StretchOrigin};
use super::{Marks, pod_key};
use crate::causes;
use crate::timeline::Session;

/// Maximum number of trace records that are examined for one frame.
const MAX_RECORDS_PER_FRAME: usize = 40_000;
/// Maximum number of stored records about the selected object. It is greater than the maximum length of a thread,
/// because several records can have common causes.
const MAX_OWN_RECORDS: usize = 400;

/// State from which the thread of the selected object is updated: the sequence numbers of the records about the object,
/// up to the last examined record.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThreadTracker {
    subject: Option<SubjectRef>,
    branch: usize,
    seen: usize,
    own: Vec<u64>,
    is_cut: bool,
    made: Option<(usize, CausalThread)>,
}

impl ThreadTracker {
    /// Examines the records up to the cursor, and returns the thread. None if the selected object has no thread.
    pub(crate) fn update(
        &mut self,
        session: &Session,
        subject: Option<&SubjectRef>,
        marks: &Marks,
        pending_events: Vec<UpcomingEvent>,
    ) -> Option<CausalThread> {
        if let Some(SubjectRef::FailedRequests {
            service,
            endpoint,
            record,
        }) = subject
        {
            *self = Self::default();
            let selected = SelectedFailures {
                service,
                endpoint: endpoint.as_deref(),
                record: *record,
            };
            return Some(thread_of_failures(session, &selected, marks));
        }
        let subject = subject.filter(|subject| !matches!(subject, SubjectRef::Invariant { .. }));
        let len = session.trace().len();
        if self.subject.as_ref() != subject || self.branch != session.current_branch_index() || self.seen > len {
            *self = Self {
                subject: subject.cloned(),
                branch: session.current_branch_index(),
                ..Self::default()
            };
        }
        let subject = self.subject.clone()?;
        let until = len.min(self.seen + MAX_RECORDS_PER_FRAME);
        for record in session.trace().take(until).skip(self.seen) {
            if can_end_thread(&record.happening) && is_record_about(&record, &subject) {
                self.own.push(record.seq);
            }
        }
        if self.own.len() > MAX_OWN_RECORDS {
            self.own.drain(..self.own.len() - MAX_OWN_RECORDS);
            self.is_cut = true;
        }
        self.seen = until;
        let mut thread = match &self.made {
            Some((len, thread)) if *len == until => thread.clone(),
            _ => self.build_thread(session),
        };
        self.made = Some((until, thread.clone()));
        thread.due = pending_events
            .into_iter()
            .filter(|event| {
                event
                    .subject
                    .as_ref()
                    .is_some_and(|other| is_same_subject(other, &subject))
            })
            .collect();
        Some(thread)
    }

    /// Returns whether the trace has records that have not been examined yet.
    pub(crate) fn has_unprocessed_records(&self, session: &Session) -> bool {
        self.subject.is_some() && self.seen < session.trace().len()
    }

    /// Creates a thread from the latest records about the object: as many as fit into a thread together with all their
    /// causes.
    fn build_thread(&self, session: &Session) -> CausalThread {
        let mut kept = self.own.len().min(MAX_THREAD_RECORDS);
        loop {
            let own = &self.own[self.own.len() - kept..];
            let records = session.with_causes(own.iter().copied());
            if records.len() <= MAX_THREAD_RECORDS || kept <= 1 {
                let is_cut = self.is_cut || kept < self.own.len() || records.len() > MAX_THREAD_RECORDS;
                let mut links: Vec<ThreadLink> = (causes::arrange_as_trees(records).iter())
                    .map(|link| thread_link(&link.record, link.depth, own.binary_search(&link.record.seq).is_ok()))
                    .collect();
                let surplus = links.len().saturating_sub(MAX_THREAD_RECORDS);
                links.drain(..surplus);
                return CausalThread {
                    links,
                    due: Vec::new(),
                    is_cut,
                };
            }
            kept -= 1.max((records.len() - MAX_THREAD_RECORDS) / 4).min(kept - 1);
        }
    }
}

/// Creates the thread of a stretch of failed requests: the causes of the stretch, and the stretch itself.
fn thread_of_failures(session: &Session, selected: &SelectedFailures<'_>, marks: &Marks) -> CausalThread {
    let Some((failed, origin)) = selected.find(session, &marks.all()) else {
        return CausalThread::default();
    };
    let (last, is_recorded) = match origin {
        StretchOrigin::Recorded(seq) => (Some(seq), true),
        StretchOrigin::Ongoing(cause) => (cause.seq(), false),
    };
    let records = causes::arrange_as_trees(session.with_causes(last));
    let mut links: Vec<ThreadLink> = (records.iter())
        .map(|link| thread_link(&link.record, link.depth, is_recorded && last == Some(link.record.seq)))
        .collect();
    if !is_recorded {
        let depth = links.last().map_or(0, |link| link.depth + 1);
        links.push(ThreadLink {
            record: u64::MAX,
            caused_by: last,
            depth,
            at: failed.since,
            by: ThreadActor::Other,
            node: Some(failed.node.clone()),
            event: ThreadEvent::RequestsFailed(Box::new(failed)),
            subject: None,
            name: String::new(),
            is_own: true,
        });
    }
    let surplus = links.len().saturating_sub(MAX_THREAD_RECORDS);
    links.drain(..surplus);
    CausalThread {
        links,
        due: Vec::new(),
        is_cut: surplus > 0,
    }
}

/// Returns whether a thread can end with a record of this type. Records of other types occur only as causes.
fn can_end_thread(happening: &Happening) -> bool {
    match happening {
        Happening::Event { .. } | Happening::Expectation { .. } => false,
        Happening::Updated { changed } => changed.replicas.is_some() || changed.unschedulable.is_some(),
        Happening::ConditionChanged { kind, .. } => {
            matches!(
                &**kind,
                condition::READY
                    | condition::DISRUPTION_TARGET
                    | condition::MEMORY_PRESSURE
                    | condition::DISK_PRESSURE
                    | condition::PID_PRESSURE
            )
        }
        _ => true,
    }
}

fn is_record_about(record: &Record, subject: &SubjectRef) -> bool {
    let Some(object) = record.object.as_deref() else {
        return false;
    };
    match subject {
        SubjectRef::Pod { key, uid } => {
            object.kind == Kind::Pod
                && object.key == pod_key(key)
                && (uid.is_empty() || object.uid.is_empty() || object.uid == uid.as_str())
        }
        SubjectRef::Node { name } => object.kind == Kind::Node && *object.key.name == **name,
        SubjectRef::Object { kind, key } => object.kind.name() == kind && object_key(object) == *key,
        SubjectRef::Invariant { .. } | SubjectRef::FailedRequests { .. } => false,
    }
}

/// Returns whether two references refer to the same object. One of them may lack the UID.
fn is_same_subject(one: &SubjectRef, other: &SubjectRef) -> bool {
    match (one, other) {
        (
            SubjectRef::Pod { key, uid },
            SubjectRef::Pod {
                key: other,
                uid: others,
            },
        ) => key == other && (uid == others || uid.is_empty() || others.is_empty()),
        _ => one == other,
    }
}

fn object_key(object: &Subject) -> String {
    if object.key.namespace.is_empty() {
        object.key.name.to_string()
    } else {
        object.key.to_string()
    }
}

fn thread_link(record: &Record, depth: usize, is_own: bool) -> ThreadLink {
    let subject = record.object.as_deref().map(|object| match object.kind {
        Kind::Pod => SubjectRef::Pod {
            key: object.key.to_string(),
            uid: object.uid.to_string(),
        },
        Kind::Node => SubjectRef::Node {
            name: object.key.name.to_string(),
        },
        kind => SubjectRef::Object {
            kind: kind.name().to_owned(),
            key: object_key(object),
        },
    });
    let of_record = match &record.happening {
        Happening::Bound { node } | Happening::ImagePulled { node, .. } | Happening::VolumeAttached { node, .. } => {
            Some(node.to_string())
        }
        _ => None,
    };
    let of_actor = match &record.actor {
        Actor::Kubelet(node) | Actor::Machine(node) | Actor::Driver(node) => Some(node.to_string()),
        _ => None,
    };
    ThreadLink {
        record: record.seq,
        caused_by: record.caused_by.seq(),
        depth: u32::try_from(depth).unwrap_or(u32::MAX),
        at: record.at.0,
        by: match record.actor {
            Actor::Scheduler(_) => ThreadActor::Scheduler,
            Actor::ControllerManager(_) => ThreadActor::ControllerManager,
            _ => ThreadActor::Other,
        },
        event: thread_event(record),
        subject,
        name: record
            .object
            .as_deref()
            .map_or_else(String::new, |object| object.key.name.to_string()),
        node: of_record.or(of_actor),
        is_own,
    }
}

#[expect(clippy::too_many_lines, reason = "one arm for each thing that can happen")]
fn thread_event(record: &Record) -> ThreadEvent {
    let container = record.container.as_deref().unwrap_or_default().to_owned();
    let first_line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let taint = |key: &str, effect: &str| format!("{key}:{effect}");
    match &record.happening {
        Happening::Command { command, error } => match error {
            None => ThreadEvent::Command {
                line: first_line(command),
            },
            Some(_) => ThreadEvent::RefusedCommand {
                line: first_line(command),
            },
        },
        Happening::Fault { fault, .. } => ThreadEvent::Fault { fault: *fault },
        Happening::Healed { fault, .. } => ThreadEvent::Healed { fault: *fault },
        Happening::Fenced { .. } => ThreadEvent::Fenced,
        Happening::Created { .. } => ThreadEvent::Created,
        Happening::Updated { changed } => match changed.replicas {
            Some(replicas) => ThreadEvent::Scaled { replicas },
            None => ThreadEvent::Updated,
        },
        Happening::DeletionRequested { grace } => ThreadEvent::DeletionRequested { grace: *grace },
        Happening::Deleted => ThreadEvent::Deleted,
        Happening::Refused { message, .. } => ThreadEvent::Refused {
            message: first_line(message),
        },
        Happening::Bound { node } => ThreadEvent::Bound { node: node.to_string() },
        Happening::Attempt { result, .. } => match result {
            AttemptResult::Scheduled { node, .. } => ThreadEvent::Chosen { node: node.to_string() },
            AttemptResult::Unschedulable { preempts, .. } => ThreadEvent::Unschedulable {
                preempts: preempts.as_ref().map_or(0, |(count, _)| *count),
            },
            AttemptResult::Error { .. } | AttemptResult::Skipped => ThreadEvent::AttemptFailed,
        },
        Happening::Nominated { node } => ThreadEvent::Nominated { node: node.to_string() },
        Happening::Preempted { by, .. } => ThreadEvent::Preempted {
            by: by.name.to_string(),
        },
        Happening::Gated { .. } => ThreadEvent::Gated,
        Happening::ImagePulled { image, .. } => ThreadEvent::ImagePulled {
            image: image.to_string(),
        },
        Happening::ContainerStarted { attempt } => ThreadEvent::Started {
            container,
            restarts: *attempt,
        },
        Happening::ContainerExited { exit_code, reason } => ThreadEvent::Exited {
            container,
            code: *exit_code,
            reason: reason.to_string(),
        },
        Happening::HookStarted { hook } => ThreadEvent::HookStarted {
            container,
            hook: hook.as_str().to_owned(),
        },
        Happening::HookFinished { hook, succeeded } => ThreadEvent::HookFinished {
            container,
            hook: hook.as_str().to_owned(),
            succeeded: *succeeded,
        },
        Happening::SignalSent { signal } => ThreadEvent::Signal {
            container,
            signal: signal.to_string(),
        },
        Happening::ProbeFailed { probe } => ThreadEvent::ProbeFailed {
            container,
            probe: probe.as_str().to_owned(),
        },
        Happening::ProbeSucceeded { probe } => ThreadEvent::ProbeSucceeded {
            container,
            probe: probe.as_str().to_owned(),
        },
        Happening::VolumeAttached { volume, .. } => ThreadEvent::VolumeAttached {
            volume: volume.to_string(),
        },
        Happening::VolumeDetached { volume, .. } => ThreadEvent::VolumeDetached {
            volume: volume.to_string(),
        },
        Happening::VolumeMounted { volume, .. } => ThreadEvent::VolumeMounted {
            volume: volume.to_string(),
        },
        Happening::VolumeUnmounted { volume, .. } => ThreadEvent::VolumeUnmounted {
            volume: volume.to_string(),
        },
        Happening::VolumeCorrupted { .. } => ThreadEvent::VolumeCorrupted,
        Happening::NodeRegistered => ThreadEvent::Registered,
        Happening::ConditionChanged {
            kind, status, reason, ..
        } => ThreadEvent::Condition {
            condition: kind.to_string(),
            status: status.as_str().to_owned(),
            reason: reason.as_deref().unwrap_or_default().to_owned(),
        },
        Happening::TaintAdded { key, effect, .. } => ThreadEvent::TaintAdded {
            taint: taint(key, effect.as_str()),
        },
        Happening::TaintRemoved { key, effect, .. } => ThreadEvent::TaintRemoved {
            taint: taint(key, effect.as_str()),
        },
        Happening::Event { reason, .. } => ThreadEvent::Event {
            reason: reason.to_string(),
        },
        Happening::InvariantViolated { violation } => ThreadEvent::Broken {
            guarantee: violation.invariant.to_string(),
        },
        Happening::Expectation { ok, .. } => ThreadEvent::Judged { holds: *ok },
        Happening::RequestsFailed { failed } => {
            ThreadEvent::RequestsFailed(Box::new(super::requests::failed_stretch(failed)))
        }
        Happening::RequestRate { rate } => ThreadEvent::RequestRate {
            per_second: rate.per_second,
        },
    }
}
