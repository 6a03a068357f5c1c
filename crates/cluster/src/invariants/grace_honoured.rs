//! `grace-honoured` (CT-167): a process gets its whole grace before SIGKILL,
//! and two seconds after the stop signal whatever happened, unless the grace
//! was shortened, the pod forced away, evicted, or its node lost. A sidecar's
//! grace began with its pod's: it waits its turn within it (LC-138, LC-160).

use std::sync::Arc;

use podscope_api::ordered;

use podscope_api::{Object, Pod, Str, Uid, phrase};

use super::ledger::LivePod;
use super::{Breach, Cause, Check, Group, Invariant, Promise, Seen, View, blame};
use crate::{FaultKind, Happening, HookKind, Record, SimTime, Span, Subject};

pub(super) const GRACE_HONOURED: Invariant = Invariant {
    name: "grace-honoured",
    fact: "CT-167",
    group: Group::Termination,
    promise: Promise::Safety,
    statement: "Between SIGTERM and SIGKILL a process has its grace period, less preStop, but at least two seconds.",
    keeper: "The kubelet.",
    breaker: "A shorter second delete, a force, an eviction, a lost node; a kubelet that comes back and refuses the pod.",
    lesson: "graceful-termination",
};

/// Least time between the stop signal and SIGKILL.
const FLOOR: Span = Span::seconds(2);
/// Rounding of the kubelet's own timers.
const SLACK: Span = Span::millis(50);

#[derive(Debug, Clone, Copy)]
struct Stopping {
    /// First act of the termination: the preStop hook or the stop signal.
    began: SimTime,
    signalled: Option<SimTime>,
    /// The least grace as it was then: a deletion that comes later waits for this end (LC-127).
    grace: Option<i64>,
}

/// Containers of a pod being stopped one after the other.
#[derive(Debug, Clone, Copy)]
struct Round {
    began: SimTime,
    /// The last stop or exit.
    last: SimTime,
}

/// Containers that are being stopped, and pods that the kubelet evicts.
#[derive(Debug, Clone, Default)]
pub(super) struct GraceHonoured {
    stopping: ordered::Map<(Uid, Str), Stopping>,
    rounds: ordered::Map<Uid, Round>,
    evicted: ordered::Set<Uid>,
    /// Pods that a kubelet refused when it came back: what runs of them is killed as an orphan (LC-060, LC-061).
    refused: ordered::Set<Uid>,
}

/// Reasons for which a kubelet refuses a pod at admission (LC-063).
fn is_refusal(reason: &str) -> bool {
    reason.starts_with("OutOf")
        || matches!(
            reason,
            "NodeAffinity"
                | "NodeName"
                | "NodePorts"
                | "TaintToleration"
                | "PodFeatureUnsupported"
                | "PodOSNotSupported"
        )
}

impl Check for GraceHonoured {
    fn see(&mut self, seen: &Seen<'_>, view: &View<'_>, out: &mut Vec<Breach>) {
        let Seen::Record(record) = seen else { return };
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
            Happening::Event { reason, .. } if is_refusal(reason) && view.ledger.live.contains_key(&object.uid) => {
                self.refused.insert(object.uid.clone());
            }
            // The pods of a machine that is shut down get what their group gets (LC-212).
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
                self.stop(key(), record.at, view);
            }
            Happening::ContainerStarted { .. } => {
                self.stopping.remove(&key());
            }
            Happening::ContainerExited { .. } => {
                self.stopping.remove(&key());
                if let Some(round) = self.rounds.get_mut(&object.uid) {
                    round.last = record.at;
                }
                if !view.ledger.live.contains_key(&object.uid) {
                    self.evicted.remove(&object.uid);
                    self.refused.remove(&object.uid);
                    self.rounds.remove(&object.uid);
                }
            }
            Happening::SignalSent { signal } if &**signal == "SIGKILL" => {
                self.killed(&key(), record, object, view, out);
            }
            Happening::SignalSent { .. } => {
                self.stop(key(), record.at, view).signalled.get_or_insert(record.at);
            }
            _ => {}
        }
    }
}

impl GraceHonoured {
    /// A container is killed: it had its grace, as it was when its end began, and the floor after the stop signal.
    fn killed(&self, key: &(Uid, Str), record: &Record, object: &Arc<Subject>, view: &View<'_>, out: &mut Vec<Breach>) {
        let Some(stopping) = self.stopping.get(key).copied() else {
            return;
        };
        let Some(signalled) = stopping.signalled else { return };
        let grace = self.grace(&object.uid, record.container.as_deref().unwrap_or_default(), view);
        let grace = grace.zip(stopping.grace).map(|(now, then)| now.min(then));
        let mut seen = None;
        if record.at + SLACK < signalled + FLOOR {
            seen = Some(phrase!(
                "SIGKILL {time} after the stop signal",
                time = (record.at - signalled).to_string()
            ));
        } else if let Some(grace) = grace
            && record.at + SLACK < stopping.began + Span::seconds(grace)
        {
            seen = Some(phrase!(
                "SIGKILL {time} into a grace of {grace} s",
                time = (record.at - stopping.began).to_string(),
                grace = grace
            ));
        }
        if let Some(seen) = seen {
            let (cause, by) = if self.refused.contains(&object.uid) {
                blame::of_restart(&record.actor, "CT-167, LC-060: refused when it came back", view)
            } else {
                (Cause::Bug, record.actor.to_string().into())
            };
            out.push(Breach {
                corrupts: None,
                invariant: GRACE_HONOURED.name,
                object: Some(object.clone()),
                cause,
                by,
                seen,
            });
        }
    }

    /// A container's hook or stop signal begins; it may have begun before.
    fn stop(&mut self, key: (Uid, Str), at: SimTime, view: &View<'_>) -> &mut Stopping {
        let (uid, container) = &key;
        let under_way = self.stopping.keys().any(|(other, _)| other == uid);
        let round = self.rounds.entry(uid.clone()).or_insert(Round { began: at, last: at });
        if !under_way && round.last + FLOOR < at {
            round.began = at;
        }
        round.last = at;
        let began = if is_sidecar(uid, container, view) {
            round.began
        } else {
            at
        };
        let grace = self.grace(uid, container, view);
        self.stopping.entry(key).or_insert(Stopping {
            began,
            signalled: None,
            grace,
        })
    }

    /// The least grace the container must get; none if the pod was forced away or evicted.
    fn grace(&self, uid: &Uid, container: &str, view: &View<'_>) -> Option<i64> {
        if self.evicted.contains(uid) {
            return None;
        }
        let Some(Object::Pod(pod)) = view.objects.by_uid(uid) else {
            return None;
        };
        if let Some(seconds) = pod.metadata.deletion_grace_period_seconds {
            return Some(seconds.max(1));
        }
        Some(own_grace(&pod, container))
    }
}

fn is_sidecar(uid: &Uid, container: &str, view: &View<'_>) -> bool {
    let Some(Object::Pod(pod)) = view.objects.by_uid(uid) else {
        return false;
    };
    let mut sidecars = pod.spec.init_containers.iter().filter(|init| init.is_sidecar());
    sidecars.any(|init| &*init.name == container)
}

/// What the pod asks for, or less where a probe of the container says so (LC-199).
fn own_grace(pod: &Pod, container: &str) -> i64 {
    let own = pod.spec.termination_grace_period_seconds.unwrap_or(30);
    pod.spec
        .all_containers()
        .filter(|other| &*other.name == container)
        .flat_map(|container| [&container.liveness_probe, &container.startup_probe])
        .flatten()
        .filter_map(|probe| probe.termination_grace_period_seconds)
        .fold(own, i64::min)
        .max(1)
}
