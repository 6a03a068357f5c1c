//! Who caused a break: the command or fault behind it, under which exception
//! of the facts' table, or nobody, which makes it a bug. No excuse covers more
//! than it explains: a fault excuses what concerns its own node or process,
//! while it lasts and some minutes after.

use podscope_api::{NodeName, Str, Uid, phrase};

use super::ledger::{AFTERMATH, Trouble};
use podscope_sim::Culprit;

use super::{Cause, View};
use crate::Actor;

type Blame = (Cause, Culprit);

/// The command behind an actor, as the cause.
fn command(actor: &Actor, exception: &str, view: &View<'_>) -> Option<Blame> {
    Some((Cause::Command, view.ledger.command(actor, exception)?))
}

fn fault(trouble: &Trouble, exception: &str) -> Blame {
    (Cause::Fault, trouble.deed.by(exception))
}

fn grace_of_manifest() -> Blame {
    (
        Cause::Command,
        Culprit::excused("terminationGracePeriodSeconds: 0 of the manifest", "LC-018"),
    )
}

/// Who removed a pod object, and under which exception of CT-162.
pub(super) fn of_removal(uid: &Uid, view: &View<'_>) -> Blame {
    let Some(removal) = view.ledger.removals.get(uid) else {
        return (Cause::Bug, "nobody removed the earlier pod".into());
    };
    let assertions = [
        (Some(&removal.by), "CT-162: force deletion"),
        (removal.node_gone.as_ref(), "CT-162: Node deletion"),
        (removal.out_of_service.as_ref(), "CT-162: out-of-service taint"),
    ];
    for (actor, exception) in assertions {
        if let Some(blame) = actor.and_then(|actor| command(actor, exception, view)) {
            return blame;
        }
    }
    if removal.pod.spec.termination_grace_period_seconds == Some(0) {
        return grace_of_manifest();
    }
    if removal.out_of_service == Some(Actor::Fencing) {
        return (
            Cause::Fault,
            Culprit::excused(
                "the fencing controller",
                "CT-149: a fence that leaves processes running",
            ),
        );
    }
    if let Some(node) = &removal.pod.spec.node_name
        && !view.nodes.contains_key(node)
    {
        return (
            Cause::Fault,
            Culprit::excused(
                phrase!("there is no machine {node}", node = &**node),
                "CT-162: false Node deletion",
            ),
        );
    }
    let by = phrase!("{actor} removed the earlier pod", actor = removal.by.to_string());
    (Cause::Bug, by.into())
}

/// A break by whoever did it: a command, or a bug of the component.
pub(super) fn of_component(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    command(actor, fact, view).unwrap_or_else(|| (Cause::Bug, actor.to_string().into()))
}

/// The same where two instances at once are an exception (CT-154).
pub(super) fn of_instances(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    let second = view.ledger.second(actor, view.now);
    second.map_or_else(|| of_component(actor, fact, view), |trouble| fault(trouble, fact))
}

/// The same where a controller that forgot what it did is an exception too (CT-159).
pub(super) fn of_memory(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    let forgot = view.ledger.control_plane_trouble(view.now);
    match of_instances(actor, fact, view) {
        (Cause::Bug, by) => forgot.map_or((Cause::Bug, by), |trouble| fault(trouble, fact)),
        blame => blame,
    }
}

/// The fault that the world itself carries out now.
pub(super) fn of_fault(fact: &str, view: &View<'_>) -> Blame {
    match &view.ledger.last_fault {
        Some(deed) => (Cause::Fault, deed.by(fact)),
        None => (Cause::Bug, "nobody".into()),
    }
}

/// Who deleted the Node, if it is not there or came back not long ago: until its kubelet has told all again, the
/// controllers do not know what it uses.
fn node_removal<'v>(node: &NodeName, view: &View<'v>) -> Option<&'v Actor> {
    let (at, actor) = view.ledger.node_removals.get(node)?;
    let is_absent = view.objects.named::<podscope_api::Node>(node.as_str()).is_none();
    (is_absent || view.now - *at <= AFTERMATH).then_some(actor)
}

/// A kubelet's break that follows from what was done to its node: from its deletion or its being declared out of service,
/// of which the controllers concluded that nothing runs there any more.
pub(super) fn of_kubelet(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    if let Actor::Kubelet(node) = actor {
        let deeds = [
            (node_removal(node, view), "Node deletion"),
            (view.ledger.out_of_service.get(node), "out-of-service taint"),
        ];
        for (by, deed) in deeds {
            if let Some(blame) = by.and_then(|by| command(by, &format!("{fact}: {deed}"), view)) {
                return blame;
            }
        }
    }
    of_component(actor, fact, view)
}

/// A kube-proxy's break: the fault that kept it from hearing or acting, or a bug of its own.
pub(super) fn of_proxy(node: &NodeName, fact: &str, view: &View<'_>) -> Blame {
    match view.ledger.node_trouble(node, view.now) {
        Some(trouble) => fault(trouble, fact),
        None => (Cause::Bug, format!("kube-proxy/{node}").into()),
    }
}

/// A break of a kubelet that began anew: the fault that ended the one before it.
pub(super) fn of_restart(actor: &Actor, fact: &str, view: &View<'_>) -> Blame {
    if let Actor::Kubelet(node) = actor
        && let Some(trouble) = view.ledger.node_trouble(node, view.now)
    {
        return fault(trouble, fact);
    }
    of_component(actor, fact, view)
}

/// Who took a volume or a pod away from a node that may still work with it: whose deed or word that was, or the
/// fault that made the controllers lose sight of the node (CT-083, CT-131).
pub(super) fn of_break(
    actor: &Actor,
    volume: Option<&Str>,
    uid: &Uid,
    node: &NodeName,
    fact: &str,
    view: &View<'_>,
) -> Blame {
    let ledger = view.ledger;
    if let Some(blame) = command(actor, &format!("{fact}: operator error"), view) {
        return blame;
    }
    if *actor == Actor::World {
        return of_fault(fact, view);
    }
    let removal = ledger.removals.get(uid);
    let asked = volume.and_then(|volume| ledger.detach_asked.get(&(volume.clone(), node.clone())));
    let deleted = node_removal(node, view);
    let deeds = [
        (asked, "operator error"),
        (removal.map(|removal| &removal.by), "force deletion"),
        (removal.and_then(|removal| removal.node_gone.as_ref()), "Node deletion"),
        (deleted, "Node deletion"),
        (
            removal.and_then(|removal| removal.out_of_service.as_ref()),
            "out-of-service taint",
        ),
        (ledger.out_of_service.get(node), "out-of-service taint"),
    ];
    for (actor, deed) in deeds {
        if let Some(blame) = actor.and_then(|actor| command(actor, &format!("{fact}: {deed}"), view)) {
            return blame;
        }
    }
    if removal.is_some_and(|removal| removal.pod.spec.termination_grace_period_seconds == Some(0)) {
        return grace_of_manifest();
    }
    let manager = Actor::ControllerManager(0);
    if let Some(second) = ledger.second(&manager, view.now) {
        return fault(second, "CT-154: two instances at once");
    }
    match ledger.node_trouble(node, view.now) {
        Some(trouble) => fault(trouble, &format!("{fact}, CT-131: the node was out of sight")),
        None => (Cause::Bug, actor.to_string().into()),
    }
}
