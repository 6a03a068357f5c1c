//! The binding cycle of an assumed pod: the expected node is written to its status, volumes are written and awaited,
//! the pod is bound (SCH-022, SCH-023, SCH-070).
//!
//! ```text
//!  assumed ──► nominating ──► writing, one after the other ──► polling, each second ──► binding ──► bound
//!     └──────────────────── neither volume nor claim ────────────────────────────────────▲
//!  failed, preempted, or timed out after ten minutes: no longer assumed; back in the queue after a back-off
//! ```

use std::collections::VecDeque;

use podscope_api::well_known::annotation;
use podscope_api::{
    CausedBy, ClaimPhase, Node, NodeName, Object, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, Uid,
};
use podscope_scheduler::StatusPatch;

use super::claims::ClaimWrite;
use super::{Context, PendingCall, SchedulerProcess, emit_events, patch_status};
use crate::{Answer, EventNote, Part, Request, SimTime, Span};

/// Interval at which PreBind checks whether the volumes are bound; the first check is one interval after the last
/// write.
const VOLUME_POLL_PERIOD: Span = Span::seconds(1);

/// Stage of the binding cycle of a pod.
#[derive(Debug, Clone)]
pub(super) enum BindingStage {
    /// The expected node is being written to the pod's status.
    Nominating,
    /// A volume or claim is being written.
    Writing,
    /// All objects are written; the volumes are checked again at this instant.
    Polling(SimTime),
    /// The devices of the claims are not ready; they are checked again at this instant.
    Devices(SimTime),
    /// The Binding is sent to the API server.
    Binding,
}

/// An assumed pod in its binding cycle.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) pod: ObjectKey,
    pub(super) node: NodeName,
    /// Events to emit after the binding succeeded (SCH-128).
    events: Vec<EventNote>,
    pub(super) stage: BindingStage,
    /// Volumes and claims still to be written.
    pub(super) left: VecDeque<Write>,
    /// Whether PreBind must wait for volumes after the last write.
    is_slow: bool,
    /// Device claims that were written for the pod.
    pub(super) claims: Vec<ObjectKey>,
    /// Volumes and claims as the API server returned them.
    written: Vec<Object>,
    give_up_at: SimTime,
    /// The trace record that is the cause of the next step of the binding.
    caused_by: CausedBy,
}

/// A write of the scheduler in the PreBind phase of a binding cycle.
#[derive(Debug, Clone)]
pub(super) enum Write {
    /// A PersistentVolume or PersistentVolumeClaim.
    Volume(Object),
    /// A ResourceClaim.
    Claim(ClaimWrite),
}

/// Input of a binding cycle, from the scheduling attempt that chose the node.
pub(super) struct BindingPlan {
    pub(super) pod: ObjectKey,
    pub(super) uid: Uid,
    pub(super) node: NodeName,
    pub(super) events: Vec<EventNote>,
    /// Whether PreBind has to wait for volumes.
    pub(super) is_slow: bool,
    pub(super) writes: VecDeque<Write>,
    pub(super) patch: Option<StatusPatch>,
    /// Timeout of PreBind for volumes.
    pub(super) timeout: Span,
}

impl SchedulerProcess {
    /// Begins the binding cycle of a pod.
    pub(super) fn begin_binding(&mut self, plan: BindingPlan, ctx: &mut Context<'_>) {
        let uid = plan.uid;
        let binding = Binding {
            pod: plan.pod.clone(),
            node: plan.node,
            events: plan.events,
            stage: BindingStage::Nominating,
            left: plan.writes,
            is_slow: plan.is_slow,
            claims: Vec::new(),
            written: Vec::new(),
            give_up_at: ctx.now + plan.timeout,
            caused_by: ctx.caused_by(),
        };
        self.bindings.insert(uid.clone(), binding);
        match plan.patch {
            Some(patch) => {
                let id = patch_status(&plan.pod, &uid, patch, ctx);
                self.calls.insert(id, PendingCall::Expectation(uid));
            }
            None => self.write_next(&uid, ctx),
        }
    }

    /// Writes the next volume or claim. After the last one, waits for the volumes if necessary.
    pub(super) fn write_next(&mut self, uid: &Uid, ctx: &mut Context<'_>) {
        let Some(binding) = self.bindings.get_mut(uid) else {
            return;
        };
        binding.caused_by = ctx.caused_by();
        match binding.left.pop_front() {
            Some(Write::Volume(object)) => {
                binding.stage = BindingStage::Writing;
                let id = ctx.call(Request::Update(object, Part::Main));
                self.calls.insert(id, PendingCall::Volume(uid.clone()));
            }
            Some(Write::Claim(write)) => {
                binding.stage = BindingStage::Writing;
                let wall = ctx.wall();
                let id = ctx.call(write.request(&binding.pod, uid, wall));
                self.calls.insert(id, PendingCall::Claim(uid.clone(), Box::new(write)));
            }
            None if binding.is_slow => binding.stage = BindingStage::Polling(ctx.now + VOLUME_POLL_PERIOD),
            None => self.await_devices(uid, ctx),
        }
    }

    pub(super) fn handle_volume_answer(&mut self, uid: &Uid, answer: Answer, ctx: &mut Context<'_>) {
        match answer {
            Ok(written) => {
                if let Some(binding) = self.bindings.get_mut(uid) {
                    binding.written.extend(written);
                }
                self.write_next(uid, ctx);
            }
            Err(error) => self.fail_volume_binding(uid, &error.message, ctx),
        }
    }

    pub(super) fn bind(&mut self, uid: &Uid, ctx: &mut Context<'_>) {
        let Some(binding) = self.bindings.get_mut(uid) else {
            return;
        };
        binding.stage = BindingStage::Binding;
        let id = ctx.call(Request::Bind {
            pod: binding.pod.clone(),
            uid: uid.clone(),
            node: binding.node.clone(),
            metadata: None,
        });
        self.calls.insert(id, PendingCall::Binding(uid.clone()));
    }

    /// Returns the earliest instant at which a binding must be checked.
    pub(super) fn next_poll(&self) -> Option<SimTime> {
        let due = self.bindings.values().filter_map(|binding| match binding.stage {
            BindingStage::Polling(at) => Some(at.min(binding.give_up_at)),
            BindingStage::Devices(at) => Some(at),
            BindingStage::Nominating | BindingStage::Writing | BindingStage::Binding => None,
        });
        due.min()
    }

    /// Checks the volumes of the bindings whose next check is due.
    pub(super) fn poll_volumes(&mut self, ctx: &mut Context<'_>) {
        let due: Vec<Uid> = self
            .bindings
            .iter()
            .filter(|(_, binding)| match binding.stage {
                BindingStage::Polling(at) => at.min(binding.give_up_at) <= ctx.now,
                BindingStage::Devices(_) | BindingStage::Nominating | BindingStage::Writing | BindingStage::Binding => {
                    false
                }
            })
            .map(|(uid, _)| uid.clone())
            .collect();
        for uid in due {
            match self.are_volumes_bound(&uid) {
                Ok(true) => {
                    let cause = self.bindings.get(&uid).map(|binding| binding.caused_by);
                    ctx.set_cause(cause.unwrap_or_default());
                    self.await_devices(&uid, ctx);
                }
                Err(message) => self.fail_volume_binding(&uid, &format!("binding volumes: {message}"), ctx),
                Ok(false) => {
                    let Some(binding) = self.bindings.get_mut(&uid) else {
                        continue;
                    };
                    if binding.give_up_at <= ctx.now {
                        self.fail_volume_binding(&uid, "binding volumes: context deadline exceeded", ctx);
                    } else {
                        binding.stage = BindingStage::Polling(ctx.now + VOLUME_POLL_PERIOD);
                    }
                }
            }
        }
    }

    /// Returns whether all volumes and claims that were written for the pod are bound, according to the watch cache
    /// (`checkBindings` in binder.go).
    fn are_volumes_bound(&self, uid: &Uid) -> Result<bool, String> {
        let Some(binding) = self.bindings.get(uid) else {
            return Ok(false);
        };
        let node = &binding.node;
        if self.known.get::<Node>(&ObjectKey::cluster(node.0.clone())).is_none() {
            return Err(format!("failed to get node \"{node}\": node \"{node}\" not found"));
        }
        if self.known.get::<Pod>(&binding.pod).is_none() {
            let name = &binding.pod.name;
            return Err(format!("pod does not exist any more: pod \"{name}\" not found"));
        }
        for written in &binding.written {
            let is_bound = match written {
                Object::PersistentVolume(volume) => self.is_volume_bound(volume)?,
                Object::PersistentVolumeClaim(claim) => self.is_claim_provisioned(claim, node)?,
                other => unreachable!("a binding writes volumes and claims, not a {}", other.kind().name()),
            };
            if !is_bound {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a volume that the scheduler wrote is bound to its claim, according to the watch cache.
    fn is_volume_bound(&self, written: &PersistentVolume) -> Result<bool, String> {
        let name = &written.metadata.name;
        let Some(volume) = self.known.get::<PersistentVolume>(&written.metadata.key()) else {
            return Err(format!(
                "failed to check binding: could not find v1.PersistentVolume \"{name}\""
            ));
        };
        let claim = written.spec.claim_ref.as_ref();
        let Some(key) = claim.map(|claim| ObjectKey::new(claim.namespace.clone(), claim.name.clone())) else {
            return Ok(false);
        };
        let Some(claim) = self.known.get::<PersistentVolumeClaim>(&key) else {
            return Err(format!(
                "failed to check binding: could not find v1.PersistentVolumeClaim \"{key}\""
            ));
        };
        if is_older_version(&volume.metadata.resource_version, &written.metadata.resource_version) {
            return Ok(false);
        }
        if volume.spec.claim_ref.as_ref().is_none_or(|claim| claim.uid.is_empty()) {
            return Err(format!("ClaimRef got reset for pv \"{name}\""));
        }
        Ok(is_fully_bound(claim))
    }

    fn is_claim_provisioned(&self, written: &PersistentVolumeClaim, node: &NodeName) -> Result<bool, String> {
        let key = written.metadata.key();
        let Some(claim) = self.known.get::<PersistentVolumeClaim>(&key) else {
            return Err(format!(
                "failed to check provisioning pvc: could not find v1.PersistentVolumeClaim \"{key}\""
            ));
        };
        if is_older_version(&claim.metadata.resource_version, &written.metadata.resource_version) {
            return Ok(false);
        }
        let name = &claim.metadata.name;
        if claim.metadata.annotations.is_empty() {
            return Err(format!("selectedNode annotation reset for PVC \"{name}\""));
        }
        if claim.metadata.annotation(annotation::SELECTED_NODE) != Some(node.as_str()) {
            return Err(format!("provisioning failed for PVC \"{name}\""));
        }
        Ok(is_fully_bound(claim))
    }

    /// Cancels the binding of a preempted pod, if the pod waits for its volumes. Returns whether it waited (SCH-104).
    pub(super) fn cancel_waiting_binding(&mut self, uid: &Uid, ctx: &mut Context<'_>) -> bool {
        let is_waiting = self
            .bindings
            .get(uid)
            .is_some_and(|binding| matches!(binding.stage, BindingStage::Writing | BindingStage::Polling(_)));
        if is_waiting {
            self.fail_volume_binding(uid, "preempted by DefaultPreemption", ctx);
        }
        is_waiting
    }

    /// Fails the binding of a pod in the PreBind plugin VolumeBinding.
    fn fail_volume_binding(&mut self, uid: &Uid, why: &str, ctx: &mut Context<'_>) {
        let message = format!("running PreBind plugin \"VolumeBinding\": {why}");
        self.end_binding(uid, Err(message), ctx);
    }

    pub(super) fn binding_mut(&mut self, uid: &Uid) -> Option<&mut Binding> {
        self.bindings.get_mut(uid)
    }

    pub(super) fn end_binding(&mut self, uid: &Uid, result: Result<(), String>, ctx: &mut Context<'_>) {
        let Some(binding) = self.bindings.remove(uid) else {
            return;
        };
        match &result {
            Ok(()) => emit_events(binding.events, ctx),
            Err(_) => super::claims::unreserve_claims(&binding, uid, ctx),
        }
        if let Some(attempt) = self.core.bind_finished(uid.as_str(), result, ctx.now.0) {
            self.report_failed_binding(attempt, ctx);
        }
    }
}

/// Returns whether the claim is bound and the PV controller has completed the binding.
fn is_fully_bound(claim: &PersistentVolumeClaim) -> bool {
    !claim.spec.volume_name.is_empty()
        && claim.metadata.annotation(annotation::BIND_COMPLETED).is_some()
        && claim.status.phase == Some(ClaimPhase::Bound)
}

/// Returns whether one resourceVersion is older than the other.
fn is_older_version(version: &str, than: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().ok();
    number(version) < number(than)
}
