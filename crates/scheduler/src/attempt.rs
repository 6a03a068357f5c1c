//! The result of a scheduling attempt and the actions its caller must carry out: the scheduler itself changes
//! only its own state.

use std::sync::Arc;

use podscope_api::explained::PreemptionCriterion;
use podscope_api::{
    AllocationResult, CausedBy, ContainerExtendedResourceRequest, NodeName, ObjectKey, PersistentVolume,
    PersistentVolumeClaim, ResourceClaim, Str,
};

use crate::queue::QueuedPod;

/// An Event object to create (SCH-128). The reporting controller is the profile's scheduler name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventToCreate {
    /// The pod that the event regards.
    pub about: ObjectKey,
    pub about_uid: Str,
    /// `Normal` or `Warning`.
    pub kind: &'static str,
    /// One of `Scheduled`, `FailedScheduling` and `Preempted`.
    pub reason: &'static str,
    /// One of `Binding`, `Scheduling` and `Preempting`.
    pub action: &'static str,
    /// Human-readable text, cut to 1024 bytes.
    pub note: String,
    /// For `Preempted`: key and UID of the preemptor pod.
    pub related: Option<(ObjectKey, Str)>,
}

/// A patch of the pod's status (SCH-024, SCH-025).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPatch {
    /// Reason and message of the condition PodScheduled=False; `None` if the condition already has both.
    pub condition: Option<(&'static str, String)>,
    /// `Some("")` clears `status.nominatedNodeName`, `Some(node)` sets it, `None` leaves it unchanged.
    pub nominated_node_name: Option<Str>,
}

/// A pod that preemption deletes so that the preemptor fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Victim {
    /// Namespace and name of the victim.
    pub pod: ObjectKey,
    /// UID of the victim, used as the precondition of the DELETE.
    pub uid: Str,
    /// Whether the victim already has a deletionTimestamp; in that case no DELETE is sent.
    pub terminating: bool,
}

/// A preemption to carry out (SCH-104, SCH-105).
///
/// The caller does the following, in order:
/// 1. clear `nominatedNodeName` of the pods in `clear_nominations`;
/// 2. for each victim that is not terminating: set the condition `DisruptionTarget=True` (reason
///    `PreemptionByScheduler`, `message`), wait for the answer, DELETE it and emit the `Preempted` event. All
///    victims but the last may be processed concurrently; before the last one,
///    [`crate::Scheduler::last_eviction_started`] is called;
/// 3. call [`crate::Scheduler::preemption_finished`].
///
/// A victim that still waits for its volumes to be bound is sent back to the queue instead of being deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreemptionPlan {
    pub node: NodeName,
    /// The pods to delete, the most important pod first.
    pub victims: Vec<Victim>,
    /// Message of the victims' condition `DisruptionTarget`.
    pub message: String,
    /// Note of the victims' `Preempted` event (SCH-128).
    pub note: String,
    /// Lower-priority pods nominated to `node`; their `nominatedNodeName` is cleared.
    pub clear_nominations: Vec<ObjectKey>,
    /// Number of PodDisruptionBudgets that the preemption violates.
    pub pdb_violations: usize,
    /// Number of lower-priority pods on the node that need not be deleted.
    pub reprieved: usize,
    /// Number of candidate nodes, `node` included.
    pub candidates: usize,
    /// The rule of `pickOneNodeForPreemption` that selected `node`.
    pub criterion: PreemptionCriterion,
}

/// Allocations for a pod's ResourceClaims made at the Reserve point (DRA-106).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReservedClaims {
    /// The pod's claims in order; each with a new allocation if the claim had none.
    pub claims: Vec<(Arc<ResourceClaim>, Option<AllocationResult>)>,
    /// If the pod needs a claim for extended resources: the claim to create, the claim's allocation, and a list that
    /// maps containers to the claim's requests.
    pub extended: Option<(
        Arc<ResourceClaim>,
        AllocationResult,
        Vec<ContainerExtendedResourceRequest>,
    )>,
}

/// A claim of an unschedulable pod that PostFilter deallocates or deletes, so that the next attempt can allocate other
/// devices (DRA-101).
#[derive(Debug, Clone, PartialEq)]
pub enum FreedClaim {
    /// Clear the claim's allocation and its `reservedFor`.
    Deallocate(Arc<ResourceClaim>),
    /// Delete a claim for extended resources that an earlier cycle created.
    Delete(Arc<ResourceClaim>),
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A node was chosen and the pod is assumed on it. The caller writes the nomination and the volumes if there
    /// are any, waits for the volumes, posts the Binding, then calls [`crate::Scheduler::bind_finished`].
    Assumed {
        node: NodeName,
        /// Number of nodes with the highest total score, the chosen one included.
        ties: usize,
        /// Whether PreBind waits for volumes, even if it has nothing to write.
        is_slow: bool,
        /// PersistentVolumes to update with their new claimRef.
        volumes: Vec<Arc<PersistentVolume>>,
        /// PersistentVolumeClaims to update with the selected-node annotation.
        claims: Vec<Arc<PersistentVolumeClaim>>,
        /// ResourceClaims to write; the caller reports each written claim with [`crate::Scheduler::claim_written`].
        devices: Option<Box<ReservedClaims>>,
    },
    /// No node fits.
    Unschedulable {
        /// Text of the FailedScheduling event.
        message: String,
        /// The preemption to carry out, if one helps.
        preempt: Option<PreemptionPlan>,
    },
    /// The cycle or the binding failed; the pod is retried after back-off.
    Error {
        /// Text of the error.
        message: String,
    },
    /// The pod is being deleted, so no decision was made.
    Skipped,
}

impl Outcome {
    /// Returns the failure text, if no node was chosen.
    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Self::Unschedulable { message, .. } | Self::Error { message } => Some(message),
            Self::Assumed { .. } | Self::Skipped => None,
        }
    }

    /// Returns the node chosen for binding or for preemption.
    pub(crate) fn chosen_node(&self) -> Option<&NodeName> {
        match self {
            Self::Assumed { node, .. } => Some(node),
            Self::Unschedulable { preempt, .. } => preempt.as_ref().map(|preempt| &preempt.node),
            Self::Error { .. } | Self::Skipped => None,
        }
    }
}

/// One scheduling attempt: its result and the actions to carry out.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub pod: ObjectKey,
    pub uid: Str,
    /// Name of the profile that made the decision.
    pub scheduler_name: Str,
    /// Number of this attempt for the pod, starting at 1.
    pub number: u32,
    /// The change that moved the pod into the active queue, as passed to [`crate::Scheduler::set_cause`].
    pub caused_by: CausedBy,
    pub outcome: Outcome,
    /// Number of nodes that passed Filter.
    pub n_feasible: usize,
    /// Number of nodes on which Filter ran.
    pub n_examined: usize,
    /// Events to create.
    pub events: Vec<EventToCreate>,
    /// Patch of the pod's status, if any.
    pub patch: Option<StatusPatch>,
    /// A claim that PostFilter releases.
    pub freed: Option<FreedClaim>,
}

impl Attempt {
    /// Creates an attempt that examined no node and has no actions to carry out. `scheduler_name` names its profile.
    pub(crate) fn without_result(pod: &QueuedPod, scheduler_name: &Str) -> Self {
        let info = &pod.incoming.info;
        Self {
            pod: info.pod.metadata.key(),
            uid: info.uid.clone(),
            scheduler_name: scheduler_name.clone(),
            number: pod.attempts,
            caused_by: pod.caused_by,
            outcome: Outcome::Skipped,
            n_feasible: 0,
            n_examined: 0,
            events: Vec::new(),
            patch: None,
            freed: None,
        }
    }

    /// Creates the attempt of a pod that is being deleted.
    pub(crate) fn skipped(pod: &QueuedPod, scheduler_name: &Str) -> Self {
        let attempt = Self::without_result(pod, scheduler_name);
        let key = attempt.pod.clone();
        Self {
            events: vec![EventToCreate {
                about: key.clone(),
                about_uid: attempt.uid.clone(),
                kind: "Warning",
                reason: "FailedScheduling",
                action: "Scheduling",
                note: format!("skip schedule deleting pod: {key}"),
                related: None,
            }],
            ..attempt
        }
    }
}

/// Cuts an event's note to 1024 bytes as kube-scheduler does (SCH-024).
pub(crate) fn truncate_event_note(text: &str) -> String {
    const MAX_NOTE_BYTES: usize = 1024;
    const TRUNCATION_SUFFIX: &str = " ...";
    if text.len() <= MAX_NOTE_BYTES {
        return text.to_owned();
    }
    let mut end = MAX_NOTE_BYTES - TRUNCATION_SUFFIX.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{TRUNCATION_SUFFIX}", &text[..end])
}
