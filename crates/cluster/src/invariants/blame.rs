//! Attribution of violations: finds the command or fault that caused a violation, and the exception in the table of
//! facts that covers it. A violation without such a cause is a bug. A fault covers only violations about its own node
//! or process, while it lasts and some minutes after.

use podscope_api::fault::ViolationCause;
use podscope_api::{NodeName, Str, Uid};
use podscope_messages::sentence;

use super::ledger::ActiveFault;
use podscope_sim::Originator;

use super::View;
use crate::Actor;

/// The kind of cause of a violation, and the command, fault or component that caused it.
type Blame = (ViolationCause, Originator);

/// Returns the command that the actor executes as the cause; None if it executes none.
fn command_blame(actor: &Actor, exception: &str, view: &View<'_>) -> Option<Blame> {
    Some((
        ViolationCause::Command,
        view.ledger.command_originator(actor, exception)?,
    ))
}

fn fault_blame(fault: &ActiveFault, exception: &str) -> Blame {
    (ViolationCause::Fault, fault.action.originator(exception))
}

/// Returns the grace period of zero in the pod's manifest as the cause.
fn manifest_grace_blame() -> Blame {
    (
        ViolationCause::Command,
        Originator::excused("terminationGracePeriodSeconds: 0 of the manifest", "LC-018"),
    )
}

/// Returns the command or fault that removed a pod object too early, with the exception of CT-162 that applies.
pub(super) fn of_pod_removal(uid: &Uid, view: &View<'_>) -> Blame {
    let Some(removal) = view.ledger.removals.get(uid) else {
        return (ViolationCause::Bug, sentence!(seen::nobody_removed_earlier_pod).into());
    };
    let assertions = [
        (Some(&removal.by), "CT-162: force deletion"),
        (removal.node_deleted_by.as_ref(), "CT-162: Node deletion"),
        (removal.out_of_service.as_ref(), "CT-162: out-of-service taint"),
    ];
    for (actor, exception) in assertions {
        if let Some(blame) = actor.and_then(|actor| command_blame(actor, exception, view)) {
            return blame;
        }
    }
    if removal.pod.spec.termination_grace_period_seconds == Some(0) {
        return manifest_grace_blame();
    }
    if removal.out_of_service == Some(Actor::Fencing) {
        return (
            ViolationCause::Fault,
            Originator::excused(
                "the fencing controller",
                "CT-149: a fence that leaves processes running",
            ),
        );
    }
    if let Some(node) = &removal.pod.spec.node_name
        && !view.nodes.contains_key(node)
    {
        return (
            ViolationCause::Fault,
            Originator::excused(
                sentence!(seen::no_machine, node = &**node),
                "CT-162: false Node deletion",
            ),
        );
    }
    let by = sentence!(seen::removed_earlier_pod, actor = removal.by.to_string());
    (ViolationCause::Bug, by.into())
}

/// Returns the cause of an actor's violation: the command that the actor executes, or else a bug of the actor itself.
pub(super) fn of_component(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    command_blame(actor, fact, view).unwrap_or_else(|| (ViolationCause::Bug, actor.to_string().into()))
}

/// Returns what caused a violation that two instances of a component can cause: the fault that started a second
/// instance of the actor's process (CT-154), or else what [`of_component`] returns.
pub(super) fn of_two_instances(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    let second = view.ledger.second_instance_fault(actor, view.now);
    second.map_or_else(|| of_component(actor, fact, view), |second| fault_blame(second, fact))
}

/// Like [`of_two_instances`], but instead of a bug blames a recent fault of the control plane by which a controller may
/// have lost its in-memory state (CT-159).
pub(super) fn of_lost_memory(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    let crash = view.ledger.recent_control_plane_fault(view.now);
    match of_two_instances(actor, fact, view) {
        (ViolationCause::Bug, by) => crash.map_or((ViolationCause::Bug, by), |crash| fault_blame(crash, fact)),
        blame => blame,
    }
}

/// Blames the latest fault of the run. Used for actions that no component requested.
pub(super) fn of_fault(fact: &str, view: &View<'_>) -> Blame {
    match &view.ledger.last_fault {
        Some(action) => (ViolationCause::Fault, action.originator(fact)),
        None => (ViolationCause::Bug, sentence!(seen::nobody).into()),
    }
}

/// Blames a kubelet's violation on the deletion of its Node or on its out-of-service taint, from which the controllers
/// concluded that nothing runs there any more.
pub(super) fn of_kubelet(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    if let Actor::Kubelet(node) = actor {
        let actions = [
            (
                view.ledger.actor_that_removed_node(node, view.objects, view.now),
                "Node deletion",
            ),
            (
                view.ledger.actor_of_out_of_service_taint(node, view.now),
                "out-of-service taint",
            ),
        ];
        for (by, action) in actions {
            if let Some(blame) = by.and_then(|by| command_blame(by, &format!("{fact}: {action}"), view)) {
                return blame;
            }
        }
    }
    of_component(actor, fact, view)
}

/// Blames a kube-proxy's violation on the fault that kept it from observing or acting, or else on kube-proxy itself.
pub(super) fn of_proxy(node: &NodeName, fact: &str, view: &View<'_>) -> Blame {
    match view.ledger.recent_node_fault(node, view.now) {
        Some(known) => fault_blame(known, fact),
        None => (ViolationCause::Bug, format!("kube-proxy/{node}").into()),
    }
}

/// Returns what caused a violation of a restarted kubelet: a recent fault at its node, or else what [`of_component`]
/// returns.
pub(super) fn of_restart(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    if let Actor::Kubelet(node) = actor
        && let Some(known) = view.ledger.recent_node_fault(node, view.now)
    {
        return fault_blame(known, fact);
    }
    of_component(actor, fact, view)
}

/// Blames the removal of a volume or pod from a node that may still use it: on the command that did or requested it, or
/// on the fault that made the node unreachable for the controllers (CT-083, CT-131).
pub(super) fn of_forced_removal(
    actor: &Actor,
    volume: Option<&Str>,
    uid: &Uid,
    node: &NodeName,
    fact: &str,
    view: &View<'_>,
) -> Blame {
    let ledger = view.ledger;
    if let Some(blame) = command_blame(actor, &format!("{fact}: operator error"), view) {
        return blame;
    }
    if *actor == Actor::World {
        return of_fault(fact, view);
    }
    let removal = ledger.removals.get(uid);
    let requested = volume.and_then(|volume| ledger.requested_detaches.get(&(volume.clone(), node.clone())));
    let deleted = ledger.actor_that_removed_node(node, view.objects, view.now);
    let actions = [
        (requested, "operator error"),
        (removal.map(|removal| &removal.by), "force deletion"),
        (
            removal.and_then(|removal| removal.node_deleted_by.as_ref()),
            "Node deletion",
        ),
        (deleted, "Node deletion"),
        (
            removal.and_then(|removal| removal.out_of_service.as_ref()),
            "out-of-service taint",
        ),
        (
            ledger.actor_of_out_of_service_taint(node, view.now),
            "out-of-service taint",
        ),
    ];
    for (actor, action) in actions {
        if let Some(blame) = actor.and_then(|actor| command_blame(actor, &format!("{fact}: {action}"), view)) {
            return blame;
        }
    }
    if removal.is_some_and(|removal| removal.pod.spec.termination_grace_period_seconds == Some(0)) {
        return manifest_grace_blame();
    }
    let manager = Actor::ControllerManager(0);
    if let Some(second) = ledger.second_instance_fault(&manager, view.now) {
        return fault_blame(second, "CT-154: two instances at once");
    }
    match ledger.recent_node_fault(node, view.now) {
        Some(known) => fault_blame(known, &format!("{fact}, CT-131: the node was out of sight")),
        None => (ViolationCause::Bug, actor.to_string().into()),
    }
}
