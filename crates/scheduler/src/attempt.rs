//! What a scheduling attempt asks the outside to do. The scheduler itself changes only its own state.

use std::sync::Arc;

use podscope_api::explained::Criterion;
use podscope_api::{
    AllocationResult, CausedBy, ContainerExtendedResourceRequest, NodeName, ObjectKey, PersistentVolume,
    PersistentVolumeClaim, ResourceClaim, Str,
};

/// An event to record (SCH-128). The reporting controller is the profile's scheduler name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventNote {
    /// The pod it is about.
    pub about: ObjectKey,
    pub about_uid: Str,
    /// `Normal` or `Warning`.
    pub kind: &'static str,
    /// `Scheduled`, `FailedScheduling`, `Preempted`.
    pub reason: &'static str,
    /// `Binding`, `Scheduling`, `Preempting`.
    pub action: &'static str,
    /// The text, cut to 1024 bytes.
    pub note: String,
    /// The other pod of a preemption: key and UID.
    pub related: Option<(ObjectKey, Str)>,
}

/// A change of the pod's status to write (SCH-024, SCH-025).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPatch {
    /// Condition PodScheduled=False: reason and whole message; `None` where it already says so.
    pub condition: Option<(&'static str, String)>,
    /// `Some("")` clears `status.nominatedNodeName`, `Some(node)` sets it, `None` leaves it.
    pub nominated_node_name: Option<Str>,
}

/// A pod that has to end for the attempt's pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Victim {
    /// Namespace and name.
    pub pod: ObjectKey,
    /// UID: the deletion's precondition.
    pub uid: Str,
    /// Already being deleted: left alone.
    pub terminating: bool,
}

/// A preemption to carry out (SCH-104, SCH-105).
///
/// In order: clear `clear_nominations`; for every victim that is not terminating condition
/// `DisruptionTarget=True` (reason `PreemptionByScheduler`, `message`), its answer, DELETE, the `Preempted`
/// event; all but the last may go at once, then [`crate::Scheduler::preemption_of_last`], then the last, then
/// [`crate::Scheduler::preemption_finished`]. A victim whose volumes are being bound is taken back instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preempt {
    pub node: NodeName,
    /// Who, most important first.
    pub victims: Vec<Victim>,
    /// Message of the victims' condition.
    pub message: String,
    /// Note of the victims' event (SCH-128).
    pub note: String,
    /// Pods of lower priority nominated to that node: they lose `nominatedNodeName`.
    pub clear_nominations: Vec<ObjectKey>,
    /// PodDisruptionBudgets violated.
    pub pdb_violations: usize,
    /// How many of its lower-priority pods may stay.
    pub reprieved: usize,
    /// How many nodes could have been chosen instead.
    pub candidates: usize,
    /// Why this node.
    pub criterion: Criterion,
}

/// What Reserve fixes of a pod's claims on devices (DRA-106).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReservedClaims {
    /// The claims in order, with the allocation of those that have none yet.
    pub claims: Vec<(Arc<ResourceClaim>, Option<AllocationResult>)>,
    /// The claim for extended resources, to be created, and the containers that its requests serve.
    pub extended: Option<(
        Arc<ResourceClaim>,
        AllocationResult,
        Vec<ContainerExtendedResourceRequest>,
    )>,
}

/// What PostFilter does to a claim so that its pod can be placed (DRA-101).
#[derive(Debug, Clone, PartialEq)]
pub enum FreedClaim {
    /// Its devices and its reservation are given back.
    Deallocate(Arc<ResourceClaim>),
    /// A claim for extended resources that an earlier cycle left.
    Delete(Arc<ResourceClaim>),
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A node was chosen and is assumed: write the nomination and the volumes where there is something to
    /// write, wait for the volumes, post the Binding, then call [`crate::Scheduler::bind_finished`].
    Assumed {
        node: NodeName,
        /// Nodes with the same total, itself included.
        ties: usize,
        /// PreBind has to wait for volumes, also where it has nothing to write.
        is_slow: bool,
        /// Volumes to write with their new claimRef.
        volumes: Vec<Arc<PersistentVolume>>,
        /// Claims to write with the selected-node annotation.
        claims: Vec<Arc<PersistentVolumeClaim>>,
        /// Claims on devices to write; then [`crate::Scheduler::claim_written`] for each.
        devices: Option<Box<ReservedClaims>>,
    },
    /// No node fits.
    Unschedulable {
        /// The whole text.
        message: String,
        /// Victims whose end would make room.
        preempt: Option<Preempt>,
    },
    /// The cycle or the binding failed; the pod is retried after back-off.
    Error {
        /// The whole text.
        message: String,
    },
    /// Not decided: being deleted.
    Skipped,
}

impl Outcome {
    /// Why there is no node.
    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Self::Unschedulable { message, .. } | Self::Error { message } => Some(message),
            Self::Assumed { .. } | Self::Skipped => None,
        }
    }

    /// The node that was drawn, to bind or to preempt on.
    pub(crate) fn chosen(&self) -> Option<&NodeName> {
        match self {
            Self::Assumed { node, .. } => Some(node),
            Self::Unschedulable { preempt, .. } => preempt.as_ref().map(|preempt| &preempt.node),
            Self::Error { .. } | Self::Skipped => None,
        }
    }
}

/// One attempt: the short record and what to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub pod: ObjectKey,
    pub uid: Str,
    /// The profile that decided.
    pub scheduler_name: Str,
    /// 1 for the first.
    pub number: u32,
    /// What brought the pod into the queue, as given to [`crate::Scheduler::because`].
    pub caused_by: CausedBy,
    /// How it ended.
    pub outcome: Outcome,
    /// Nodes that passed Filter.
    pub n_feasible: usize,
    /// Nodes that were examined.
    pub n_examined: usize,
    /// Events to record.
    pub events: Vec<EventNote>,
    /// Status to write.
    pub patch: Option<StatusPatch>,
    /// A claim to give up.
    pub freed: Option<FreedClaim>,
}

/// Cuts an event's note as kube-scheduler does (SCH-024).
pub(crate) fn truncate(text: &str) -> String {
    const MAX: usize = 1024;
    const SUFFIX: &str = " ...";
    if text.len() <= MAX {
        return text.to_owned();
    }
    let mut end = MAX - SUFFIX.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{SUFFIX}", &text[..end])
}
