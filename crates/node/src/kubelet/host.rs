//! What every part of a kubelet works with: the machine, the view of the API,
//! the context of the step, and what all pods of the node share.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Node, NodeName, ObjectKey, Uid};

use super::{KubeletSettings, KubeletTimer};
use crate::machine::{Machine, PullId};
use crate::{Context, Timer};
use podscope_sim::{CallId, Objects, SimTime, Span};

/// What a call of the kubelet was for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Call {
    /// A status of a pod, by version.
    Status(Uid, u32),
    /// The last DELETE of a pod (LC-171).
    Delete(Uid),
    /// The creation of the Node (LC-209).
    Register,
    /// The node's status.
    NodeStatus,
    /// The DELETE of an unwanted mirror (LC-213).
    DeleteMirror(ObjectKey),
    /// The POST of a missing one.
    CreateMirror(ObjectKey),
}

/// What all pods of a node share.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) node: NodeName,
    pub(super) settings: Arc<KubeletSettings>,
    /// When this process started.
    pub(super) started_at: SimTime,
    /// Whether it started while the world was already running (LC-120, LC-131).
    pub(super) is_restart: bool,
    /// Where in a second the runtime is looked at (LC-056).
    pub(super) relist_phase: Span,
    /// Where in ten seconds statuses are reconciled, the node's status computed, thresholds looked at.
    pub(super) slow_phase: Span,
    pub(super) node_object: Option<Arc<Node>>,
    pub(super) calls: ordered::Map<CallId, Call>,
    pub(super) pulls: ordered::Map<PullId, Uid>,
    pub(super) node_state: super::node::NodeState,
    /// The status pass that is queued.
    pub(super) status_pass: Option<SimTime>,
}

/// How often the runtime is looked at (LC-056).
const RELIST: Span = Span::seconds(1);
/// Period of the slow loops (LC-056, LC-190, LC-203).
pub(super) const SLOW: Span = Span::seconds(10);

/// The first instant after `after` that is `phase` past a multiple of `period`.
pub(super) fn next_tick(after: SimTime, period: Span, phase: Span) -> SimTime {
    let periods = (after.0 - phase.0).div_euclid(period.0) + 1;
    SimTime(periods * period.0 + phase.0)
}

impl Shared {
    /// The next look at the runtime after an instant.
    pub(super) fn relist_after(&self, after: SimTime) -> SimTime {
        next_tick(after, RELIST, self.relist_phase)
    }

    /// The next pass of the slow loops after an instant.
    pub(super) fn slow_after(&self, after: SimTime) -> SimTime {
        next_tick(after, SLOW, self.slow_phase)
    }
}

/// One step's surroundings.
pub(super) struct Host<'a, 'c> {
    pub(super) machine: &'a mut Machine,
    /// What is read beside pods and the Node, which come as inputs: the ConfigMaps and Secrets that a pod names, its
    /// claims with their volumes and drivers, this node's VolumeAttachments.
    ///
    /// Deviation: while the watch lives these are read from the API server's store as it is now, in no time and also
    /// while etcd is away. The real kubelet watches the ConfigMaps and Secrets of its pods and asks for the others by
    /// GET: it sees a change one way or one round trip later, and without etcd has to try again. No more than a mount
    /// or a start hangs on it, which may come that much later anyway; from the cut of its way or the end of the API
    /// server on, the view stands still.
    pub(super) cache: &'a Objects,
    pub(super) ctx: &'a mut Context<'c>,
    pub(super) shared: &'a mut Shared,
}

impl Host<'_, '_> {
    /// Asks for the status manager's next pass (LC-171, LC-177).
    pub(super) fn want_status_pass(&mut self) {
        let at = self.shared.slow_after(self.ctx.now);
        if self.shared.status_pass.is_none_or(|queued| queued > at) {
            self.shared.status_pass = Some(at);
            self.ctx.timer(at, Timer::Kubelet(KubeletTimer::Status));
        }
    }
}
