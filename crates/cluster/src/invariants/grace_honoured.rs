//! `grace-honoured` (CT-167): a process gets its whole grace period before SIGKILL, and always at least two seconds
//! after the stop signal. Exceptions: the grace period was shortened, or the pod was deleted by force, evicted, or its
//! node lost. The grace period of a sidecar begins with that of its pod and includes the wait for its turn (LC-138,
//! LC-160).

use podscope_messages::invariant;
use std::sync::Arc;

use podscope_api::ordered;
use podscope_messages::sentence;

use podscope_api::fault::{FaultKind, ViolationCause};
use podscope_api::{Object, Pod, Str, Uid};

use super::ledger::LivePod;
use super::{Check, DetectedViolation, Invariant, InvariantGroup, InvariantKind, Observation, View, blame};
use crate::world::ComponentState;
use crate::{Actor, Happening, HookKind, Record, SimTime, Span, Subject};

pub(super) const GRACE_HONOURED: Invariant = Invariant {
    name: "grace-honoured",
    fact: "CT-167",
    group: InvariantGroup::Termination,
    kind: InvariantKind::Safety,
    statement: invariant::grace_honoured,
    keeper: invariant::grace_honoured_keeper,
    breaker: invariant::grace_honoured_breaker,
    lesson: "graceful-termination",
};

/// Minimum time between the stop signal and SIGKILL.
const MIN_STOP_TIMEOUT: Span = Span::seconds(2);
/// Tolerance for rounding in the kubelet's timers.
const KILL_TIME_TOLERANCE: Span = Span::millis(50);

/// The termination of one container: when it began, when its stop signal was sent, and its grace period.
#[derive(Debug, Clone, Copy)]
struct ContainerTermination {
    /// When the termination began: with the preStop hook or with the stop signal.
    began: SimTime,
    signalled: Option<SimTime>,
    /// Minimum grace period when the termination began, in seconds; a later deletion does not shorten it (LC-127).
    grace: Option<i64>,
}

/// The termination of a whole pod, whose containers are stopped one after the other.
#[derive(Debug, Clone, Copy)]
struct StopSequence {
    began: SimTime,
    /// When a container of the pod was last stopped or last exited.
    last: SimTime,
}

/// State of the check of `grace-honoured`.
#[derive(Debug, Clone, Default)]
pub(super) struct GraceHonoured {
    stopping: ordered::Map<(Uid, Str), ContainerTermination>,
    sequences: ordered::Map<Uid, StopSequence>,
    evicted: ordered::Set<Uid>,
}

impl Check for GraceHonoured {
    fn check(&mut self, seen: &Observation<'_>, view: &View<'_>, out: &mut Vec<DetectedViolation>) {
        let Observation::Record(record) = seen else { return };
        let Some(object) = &record.object else { return };
        let key = || {
            (
                object.uid.clone(),
                record.container.clone().unwrap_or_else(|| Str::from("")),
            )
        };
        match &record.happening {
            Happening::Event { reason, .. } if matches!(&**reason, "Evicted" | "Preempting" | "NodeShutdown") => {
                self.evicted.insert(object.uid.clone());
            }
            // In a graceful node shutdown, pods get the grace period of their shutdown group (LC-212).
            Happening::Fault {
                fault: FaultKind::Shutdown,
                ..
            } => {
                let of_node = |live: &&LivePod| *live.node.0 == *object.key.name;
                let live = view.ledger.live.iter();
                self.evicted
                    .extend(live.filter(|(_, live)| of_node(live)).map(|(uid, _)| uid.clone()));
            }
            Happening::HookStarted {
                hook: HookKind::PreStop,
            } => {
                self.record_container_stop(key(), record.at, view);
            }
            Happening::ContainerStarted { .. } => {
                self.stopping.remove(&key());
            }
            Happening::ContainerExited { .. } => {
                self.stopping.remove(&key());
                if let Some(sequence) = self.sequences.get_mut(&object.uid) {
                    sequence.last = record.at;
                }
                if !view.ledger.live.contains_key(&object.uid) {
                    self.evicted.remove(&object.uid);
                    self.sequences.remove(&object.uid);
                }
            }
            Happening::SignalSent { signal } if &**signal == "SIGKILL" => {
                self.check_kill(&key(), record, object, view, out);
            }
            Happening::SignalSent { .. } => {
                self.record_container_stop(key(), record.at, view)
                    .signalled
                    .get_or_insert(record.at);
            }
            _ => {}
        }
    }
}

impl GraceHonoured {
    /// Checks a SIGKILL against the grace period at the beginning of the termination, and against the minimum after the
    /// stop signal.
    fn check_kill(
        &self,
        key: &(Uid, Str),
        record: &Record,
        object: &Arc<Subject>,
        view: &View<'_>,
        out: &mut Vec<DetectedViolation>,
    ) {
        let Some(stopping) = self.stopping.get(key).copied() else {
            return;
        };
        let Some(signalled) = stopping.signalled else { return };
        let grace = self.min_grace_period(&object.uid, record.container.as_deref().unwrap_or_default(), view);
        let grace = grace.zip(stopping.grace).map(|(now, then)| now.min(then));
        let mut seen = None;
        if record.at + KILL_TIME_TOLERANCE < signalled + MIN_STOP_TIMEOUT {
            seen = Some(sentence!(
                seen::killed_after_signal,
                time = (record.at - signalled).to_string()
            ));
        } else if let Some(grace) = grace
            && record.at + KILL_TIME_TOLERANCE < stopping.began + Span::seconds(grace)
        {
            seen = Some(sentence!(
                seen::killed_in_grace,
                time = (record.at - stopping.began).to_string(),
                grace = grace
            ));
        }
        if let Some(seen) = seen {
            let (cause, by) = if is_orphan(&record.actor, &object.uid, view) {
                blame::of_restart(&record.actor, "CT-167, LC-060: refused when it came back", view)
            } else {
                (ViolationCause::Bug, record.actor.to_string().into())
            };
            out.push(DetectedViolation {
                corrupts: None,
                invariant: GRACE_HONOURED.name,
                object: Some(object.clone()),
                cause,
                by,
                seen,
            });
        }
    }

    /// Records that a container's preStop hook started or its stop signal was sent; the termination may have begun
    /// earlier, with the hook.
    fn record_container_stop(&mut self, key: (Uid, Str), at: SimTime, view: &View<'_>) -> &mut ContainerTermination {
        let (uid, container) = &key;
        let is_in_progress = self.stopping.keys().any(|(other, _)| other == uid);
        let sequence = self
            .sequences
            .entry(uid.clone())
            .or_insert(StopSequence { began: at, last: at });
        if !is_in_progress && sequence.last + MIN_STOP_TIMEOUT < at {
            sequence.began = at;
        }
        sequence.last = at;
        let began = if is_sidecar(uid, container, view) {
            sequence.began
        } else {
            at
        };
        let grace = self.min_grace_period(uid, container, view);
        self.stopping.entry(key).or_insert(ContainerTermination {
            began,
            signalled: None,
            grace,
        })
    }

    /// Returns the minimum grace period of the container in seconds; None if the pod was deleted by force or evicted.
    fn min_grace_period(&self, uid: &Uid, container: &str, view: &View<'_>) -> Option<i64> {
        if self.evicted.contains(uid) {
            return None;
        }
        let Some(Object::Pod(pod)) = view.objects.by_uid(uid) else {
            return None;
        };
        if let Some(seconds) = pod.metadata.deletion_grace_period_seconds {
            return Some(seconds.max(1));
        }
        Some(min_pod_or_probe_grace(&pod, container))
    }
}

/// Returns whether the kubelet kills the pod's containers as orphans, as it does with running pods that it rejected
/// after a restart (LC-060, LC-061).
fn is_orphan(actor: &Actor, uid: &Uid, view: &View<'_>) -> bool {
    let Actor::Kubelet(node) = actor else { return false };
    let process = view.nodes.get(node).map(|state| &state.kubelet.component);
    matches!(process, Some(ComponentState::Kubelet(kubelet)) if kubelet.kills_as_orphan(uid))
}

fn is_sidecar(uid: &Uid, container: &str, view: &View<'_>) -> bool {
    let Some(Object::Pod(pod)) = view.objects.by_uid(uid) else {
        return false;
    };
    let mut sidecars = pod.spec.init_containers.iter().filter(|init| init.is_sidecar());
    sidecars.any(|init| &*init.name == container)
}

/// Returns the grace period of the pod in seconds, or that of a probe of the container if it is smaller (LC-199).
fn min_pod_or_probe_grace(pod: &Pod, container: &str) -> i64 {
    let own = pod.spec.grace_seconds();
    pod.spec
        .all_containers()
        .filter(|other| &*other.name == container)
        .flat_map(|container| [&container.liveness_probe, &container.startup_probe])
        .flatten()
        .filter_map(|probe| probe.termination_grace_period_seconds)
        .fold(own, i64::min)
        .max(1)
}
