//! Context of one step of a kubelet: the machine, the view of the API, the simulation context, and the state shared by
//! all pods of the node.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{Node, NodeName, ObjectKey, Uid};

use super::{KubeletSettings, KubeletTimer};
use crate::machine::{Machine, PullId};
use crate::{Context, Timer};
use podscope_sim::{CallId, Objects, SimTime, Span};

/// A request of the kubelet whose answer is pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PendingCall {
    /// A status patch of a pod, with the version of the status.
    Status(Uid, u32),
    /// The final DELETE of a pod (LC-171).
    Delete(Uid),
    /// Creation of the Node (LC-209).
    Register,
    /// A patch of the node's status.
    NodeStatus,
    /// DELETE of an unwanted mirror pod (LC-213).
    DeleteMirror(ObjectKey),
    /// Creation of a missing mirror pod.
    CreateMirror(ObjectKey),
}

/// State shared by all pods of a node.
#[derive(Debug, Clone)]
pub(super) struct SharedState {
    pub(super) node: NodeName,
    pub(super) settings: Arc<KubeletSettings>,
    pub(super) started_at: SimTime,
    /// Whether the process started while the simulation was already running (LC-120, LC-131).
    pub(super) is_restart: bool,
    /// Offset within each second at which the runtime is relisted (LC-056).
    pub(super) relist_phase: Span,
    /// Offset within each ten seconds at which the slow loops run: pod statuses, node status, eviction.
    pub(super) slow_phase: Span,
    pub(super) node_object: Option<Arc<Node>>,
    pub(super) calls: ordered::Map<CallId, PendingCall>,
    pub(super) pulls: ordered::Map<PullId, Uid>,
    pub(super) node_state: super::node::NodeState,
    /// Whether the admission of a critical pod blocks the sync loop: pods begin no sync meanwhile (LC-178).
    pub(super) is_sync_loop_blocked: bool,
    /// Instant of the scheduled pass of the status manager; `None` if none is scheduled.
    pub(super) next_status_pass: Option<SimTime>,
    /// When the connection of the device drivers was lost; `None` if they are connected or there are none.
    pub(super) driver_lost: Option<SimTime>,
}

/// Interval of relisting the runtime's containers (LC-056).
const RELIST_INTERVAL: Span = Span::seconds(1);
/// Interval of the slow loops (LC-056, LC-190, LC-203).
pub(super) const SLOW_LOOP_INTERVAL: Span = Span::seconds(10);

/// Returns the first instant later than `after` that is `phase` past a multiple of `period`.
pub(super) fn next_tick(after: SimTime, period: Span, phase: Span) -> SimTime {
    let periods = (after.0 - phase.0).div_euclid(period.0) + 1;
    SimTime(periods * period.0 + phase.0)
}

impl SharedState {
    /// Returns the time of the next relist of the runtime after `after`.
    pub(super) fn next_relist_after(&self, after: SimTime) -> SimTime {
        next_tick(after, RELIST_INTERVAL, self.relist_phase)
    }

    /// Returns the time of the next pass of the slow loops after `after`.
    pub(super) fn next_slow_pass_after(&self, after: SimTime) -> SimTime {
        next_tick(after, SLOW_LOOP_INTERVAL, self.slow_phase)
    }
}

/// Everything that one step of the kubelet can access.
pub(super) struct Host<'a, 'c> {
    pub(super) machine: &'a mut Machine,
    /// Objects other than pods and the Node, which arrive as inputs: the ConfigMaps and Secrets that a pod refers to,
    /// its claims with their volumes and drivers, and the VolumeAttachments of this node.
    ///
    /// Deviation: while the watch is connected, these objects are read from the API server's store as it is now,
    /// without delay and even while etcd is down. The real kubelet watches the ConfigMaps and Secrets of its pods and
    /// reads the others by GET: it would see a change after one latency or one round trip, and would have to retry
    /// while etcd is down. Only mounts and container starts depend on it, and a small delay does not matter there. When
    /// the link is cut or the API server stops, this view no longer changes.
    pub(super) cache: &'a Objects,
    pub(super) ctx: &'a mut Context<'c>,
    pub(super) shared: &'a mut SharedState,
}

impl Host<'_, '_> {
    /// Schedules the next pass of the status manager (LC-171, LC-177).
    pub(super) fn schedule_status_manager_pass(&mut self) {
        let at = self.shared.next_slow_pass_after(self.ctx.now);
        if self.shared.next_status_pass.is_none_or(|queued| queued > at) {
            self.shared.next_status_pass = Some(at);
            self.ctx.timer(at, Timer::Kubelet(KubeletTimer::Status));
        }
    }
}
