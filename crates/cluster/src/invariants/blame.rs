//! Who caused a break: the command or fault behind it, or nobody, which makes
//! it a bug.

use podscope_api::Uid;

use super::{Cause, View};
use crate::Actor;

/// Who removed a pod object, and under which exception of CT-162.
pub(super) fn of_removal(uid: &Uid, view: &View<'_>) -> (Cause, String) {
    let ledger = view.ledger;
    let Some(removal) = ledger.removals.get(uid) else {
        return (Cause::Bug, "nobody removed the earlier pod".into());
    };
    let spec_grace = removal.pod.spec.termination_grace_period_seconds;
    let by_command = |actor: &Actor, exception: &str| {
        ledger
            .command(actor)
            .map(|text| (Cause::Command, format!("{text} ({exception})")))
    };
    if let Some(blame) = by_command(&removal.by, "CT-162: force deletion") {
        return blame;
    }
    if spec_grace == Some(0) {
        return (
            Cause::Command,
            "terminationGracePeriodSeconds: 0 of the manifest (LC-018)".into(),
        );
    }
    if let Some(node) = &removal.pod.spec.node_name {
        let node_is_gone = view.objects.named::<podscope_api::Node>(node.as_str()).is_none();
        if let Some((_, actor)) = ledger.node_removals.get(node)
            && (node_is_gone || matches!(removal.by, Actor::ControllerManager(_)))
            && let Some(blame) = by_command(actor, "CT-162: Node deletion")
        {
            return blame;
        }
        if let Some(actor) = ledger.out_of_service.get(node)
            && let Some(blame) = by_command(actor, "CT-162: out-of-service taint")
        {
            return blame;
        }
        if ledger.out_of_service.get(node) == Some(&Actor::Fencing) {
            return (
                Cause::Fault,
                "the fencing controller (CT-149: a fence that leaves processes running)".into(),
            );
        }
        if node_is_gone && !view.nodes.contains_key(node) {
            return (
                Cause::Fault,
                format!("there is no machine {node} (CT-162: false Node deletion)"),
            );
        }
    }
    (Cause::Bug, format!("{} removed the earlier pod", removal.by))
}

/// A break by a component that may be excused by a second instance of it (CT-154).
pub(super) fn of_component(actor: &Actor, view: &View<'_>) -> (Cause, String) {
    if let Some(text) = view.ledger.command(actor) {
        return (Cause::Command, text.to_owned());
    }
    if view.ledger.second_since.is_some() {
        return (Cause::Fault, "fault second (CT-154: two instances at once)".into());
    }
    (Cause::Bug, actor.to_string())
}

/// The fault that happened last, as the cause; a bug if there was none.
pub(super) fn of_fault(fact: &str, view: &View<'_>) -> (Cause, String) {
    match &view.ledger.last_fault {
        Some((_, fault)) => (Cause::Fault, format!("{fault} ({fact})")),
        None => (Cause::Bug, "nobody".into()),
    }
}

/// Who took a volume or a pod away from a node that may still work with it: whose deed or word that was, or the
/// fault that made the controllers lose sight of the node (CT-083, CT-131).
pub(super) fn of_break(
    actor: &Actor,
    volume: Option<&podscope_api::Str>,
    uid: &Uid,
    node: &podscope_api::NodeName,
    fact: &str,
    view: &View<'_>,
) -> (Cause, String) {
    let ledger = view.ledger;
    let by_command = |actor: &Actor, exception: &str| {
        let text = ledger.command(actor)?;
        Some((Cause::Command, format!("{text} ({exception})")))
    };
    let own = by_command(actor, &format!("{fact}: operator error"));
    let removal = ledger.removals.get(uid);
    let asked = volume.and_then(|volume| ledger.detach_asked.get(&(volume.clone(), node.clone())));
    let deeds = [
        own,
        asked.and_then(|actor| by_command(actor, &format!("{fact}: operator error"))),
        removal.and_then(|removal| by_command(&removal.by, &format!("{fact}: force deletion"))),
    ];
    if let Some(blame) = deeds.into_iter().flatten().next() {
        return blame;
    }
    if *actor == Actor::World {
        return of_fault(fact, view);
    }
    if removal.is_some_and(|removal| removal.pod.spec.termination_grace_period_seconds == Some(0)) {
        let by = "terminationGracePeriodSeconds: 0 of the manifest (LC-018)";
        return (Cause::Command, by.into());
    }
    let removed = ledger
        .node_removals
        .get(node)
        .map(|(_, actor)| (actor, "Node deletion"));
    let tainted = ledger
        .out_of_service
        .get(node)
        .map(|actor| (actor, "out-of-service taint"));
    for (actor, deed) in [removed, tainted].into_iter().flatten() {
        if let Some(blame) = by_command(actor, &format!("{fact}: {deed}")) {
            return blame;
        }
    }
    if ledger.second_since.is_some() {
        return (Cause::Fault, "fault second (CT-154: two instances at once)".into());
    }
    match of_fault(fact, view) {
        (Cause::Bug, _) => (Cause::Bug, actor.to_string()),
        blame => blame,
    }
}
