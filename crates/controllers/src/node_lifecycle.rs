//! Node lifecycle: what is not heard from becomes Unknown, and is tainted.
//!
//! Every 5 s each node's heartbeats are looked at; a node silent for longer
//! than the grace period gets Ready=Unknown, its pods Ready=False, and waits in
//! its zone's queue for a NoExecute taint (CT-020 to CT-032). NoSchedule taints
//! follow conditions at once. It never deletes a pod; see [`super::taint_eviction`].
//!
//! A pass looks only at nodes that are silent or not plainly ready: renewals of
//! the others follow from their phase (`Heartbeats`), so idle nodes cost nothing.

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{
    CausedBy, ConditionStatus, EventType, Kind, Node, NodeCondition, NodeName, Object, ObjectKey, Pod, Taint,
    TaintEffect, Time,
};
use rpds::RedBlackTreeMapSync;

use podscope_sim::{Change, Coming, Due, Part, Request, SimTime, Span};

use super::controller::{Controller, ControllerContext, Outlook, note};
use super::node_zones::{Turn, Zones};
use super::plan::{Accept, Action, Plan};
use super::pod_util::set_condition;
use super::queue::Key;
use super::taint_eviction::{eviction, stay};
use super::taints::{NOT_READY, UNREACHABLE, has_taint, no_schedule_difference, ready_status, swap};

/// The loop that gives turns in the zones' queues.
const TAINT_PERIOD: Span = Span::millis(100);
const MONITOR: u8 = 0;
const TAINT: u8 = 1;

#[derive(Debug, Clone, Default)]
pub(super) struct NodeLifecycleController {
    start: SimTime,
    has_passed: bool,
    /// When each node was first seen, or last gave a sign other than its lease.
    seen: RedBlackTreeMapSync<NodeName, SimTime>,
    /// Nodes that are not plainly ready, and those just added.
    watched: ordered::Set<NodeName>,
    added: ordered::Set<NodeName>,
    /// Nodes whose pods are not all marked yet.
    to_mark: ordered::Set<NodeName>,
    /// Ready as this pass has written it, where the cache does not show it yet.
    written: ordered::Map<NodeName, ConditionStatus>,
    /// What changed the readiness of each node last.
    turned_by: ordered::Map<NodeName, CausedBy>,
    zones: Zones,
    zones_changed: bool,
    /// Whether a look at the zones would see the same nodes as the last one, as ready and in the same zones.
    is_assessed: bool,
    taint_tick: Option<SimTime>,
}

impl NodeLifecycleController {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self::default())
    }
}

/// What is to be done with a node, as the key's namespace: one queue serves all.
const NO_SCHEDULE: &str = "no-schedule";
const HEALTH: &str = "health";
const TURN: &str = "turn";
const CLEAR: &str = "clear";

fn job(job: &str, node: &str) -> Key {
    (Kind::Node, ObjectKey::new(job, node))
}

/// A node that needs a look at each pass.
fn needs_watch(node: &Node) -> bool {
    !node.is_ready()
        || [NOT_READY, UNREACHABLE]
            .iter()
            .any(|key| has_taint(node, key, &TaintEffect::NoExecute))
}

impl Controller for NodeLifecycleController {
    fn name(&self) -> &'static str {
        "node-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Node, Kind::Pod]
    }

    fn started(&mut self, cx: &mut ControllerContext<'_, '_>) {
        self.start = cx.now();
        cx.tick_at(self.start, MONITOR);
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::Node(_)) => self.node_changed(change, cx),
            Some(Object::Pod(pod)) if change.new.is_some() => {
                // A pod bound to a node that is not ready is marked too (CT-025).
                let was = match &change.old {
                    Some(Object::Pod(old)) => old.spec.node_name.clone(),
                    _ => None,
                };
                if let Some(node) = &pod.spec.node_name
                    && was.as_ref() != Some(node)
                    && cx.objects.named::<Node>(node).is_some_and(|node| !node.is_ready())
                {
                    cx.enqueue((Kind::Pod, pod.metadata.key()));
                }
            }
            _ => {}
        }
    }

    fn tick(&mut self, tick: u8, cx: &mut ControllerContext<'_, '_>) {
        if tick == MONITOR {
            self.monitor(cx);
            cx.tick_at(cx.now() + cx.settings.node_monitor_period, MONITOR);
        } else if self.taint_tick.is_some_and(|at| at <= cx.now()) {
            self.taint_tick = None;
            for node in self.zones.turns(cx.now()) {
                cx.enqueue(job(TURN, &node));
            }
            self.arm_taints(cx);
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if key.0 == Kind::Pod {
            let pod = cx.objects.get::<Pod>(&key.1).cloned();
            return Plan::default().then(pod.iter().flat_map(|pod| mark_not_ready(pod, cx.time())).collect());
        }
        let Some(node) = cx.objects.named::<Node>(&key.1.name).cloned() else {
            return Plan::default();
        };
        if matches!(&*key.1.namespace, HEALTH | TURN) {
            cx.ctx.because(self.cause(&node, cx));
        }
        match &*key.1.namespace {
            NO_SCHEDULE => {
                let (add, remove) = no_schedule_difference(&node);
                if add.is_empty() && remove.is_empty() {
                    return Plan::default();
                }
                Plan::one(swap(&node, add, remove, cx.time()))
            }
            HEALTH => self.check_health(&node, cx),
            TURN => taint(&node, ready_status(&node), cx.time()),
            _ => Plan::one(untaint(&node, cx.time())),
        }
    }

    fn due(&self, outlook: &Outlook<'_>) -> Vec<Due> {
        let is_well = |node: &&Arc<Node>| node.is_ready() && !outlook.heartbeats.is_silent(&node.metadata.name);
        let someone_is_well = outlook.objects.list::<Node>().any(|node| is_well(&node));
        let silent = outlook.heartbeats.silent();
        let nodes = silent.filter_map(|name| Some((name, outlook.objects.named::<Node>(name)?)));
        nodes
            .filter(|(_, node)| ready_status(node) == Some(&ConditionStatus::True))
            .flat_map(|(name, node)| self.fall(name, node, someone_is_well, outlook))
            .collect()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

impl NodeLifecycleController {
    fn node_changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        let node = |object: &Option<Object>| match object {
            Some(Object::Node(node)) => Some(node.clone()),
            _ => None,
        };
        let (old, new) = (node(&change.old), node(&change.new));
        let Some(name) = new
            .as_ref()
            .or(old.as_ref())
            .map(|node| NodeName::from(&*node.metadata.name))
        else {
            return;
        };
        let Some(new) = new else {
            self.seen.remove_mut(&name);
            self.watched.remove(&name);
            self.added.remove(&name);
            self.to_mark.remove(&name);
            self.written.remove(&name);
            self.turned_by.remove(&name);
            self.zones_changed = true;
            self.is_assessed = false;
            if let Some(old) = old {
                self.zones.remove(&old);
                let text = format!("Node {name} event: Removing Node {name} from Controller");
                cx.event(note(&*old, EventType::Normal, "RemovingNode", text));
            }
            return;
        };
        cx.enqueue(job(NO_SCHEDULE, &name));
        let heartbeat = |node: &Node| {
            node.condition("Ready")
                .map(|ready| (ready.last_heartbeat_time, ready.status.clone()))
        };
        match &old {
            None => {
                self.added.insert(name.clone());
                self.zones_changed = true;
            }
            Some(old) => {
                let (before, after) = (heartbeat(old), heartbeat(&new));
                let beats = |seen: &Option<(Option<Time>, ConditionStatus)>| seen.as_ref().map(|(at, _)| *at);
                if beats(&before) != beats(&after) {
                    // Seen at the next pass (CT-022).
                    let pass = self.pass_at_or_after(cx.now(), cx);
                    self.seen.insert_mut(name.clone(), pass);
                }
                let statuses =
                    |seen: &Option<(Option<Time>, ConditionStatus)>| seen.as_ref().map(|(_, status)| status.clone());
                if statuses(&before) != statuses(&after) {
                    self.turned_by.insert(name.clone(), cx.ctx.caused_by());
                }
                self.zones_changed |= before.map(|(_, status)| status) != after.map(|(_, status)| status);
                self.is_assessed &= old.metadata.labels == new.metadata.labels;
            }
        }
        self.is_assessed &= !self.zones_changed;
        if needs_watch(&new) {
            self.watched.insert(name.clone());
        } else {
            self.watched.remove(&name);
        }
        // What was written is in the cache now, or overtaken.
        self.is_assessed &= self.written.remove(&name).is_none();
    }

    /// What leads to what is done about a node: the change of its readiness, or, before it is written, what silenced it.
    fn cause(&self, node: &Node, cx: &ControllerContext<'_, '_>) -> CausedBy {
        let name = &node.metadata.name;
        let silenced = cx.ctx.heartbeats().map(|hearts| hearts.silenced_by(name));
        let silenced = silenced.unwrap_or_default();
        let turned = self.turned_by.get(&**name).copied();
        turned
            .filter(|_| !node.is_ready() || silenced == CausedBy::NOTHING)
            .unwrap_or(silenced)
    }

    fn pass_at_or_after(&self, at: SimTime, cx: &ControllerContext<'_, '_>) -> SimTime {
        pass_at_or_after(self.start, cx.settings.node_monitor_period, at)
    }

    /// One pass of the monitor.
    fn monitor(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        for name in std::mem::take(&mut self.added) {
            let Some(node) = cx.objects.named::<Node>(&name).cloned() else {
                continue;
            };
            if self.has_passed {
                // Deviation: nodes there from the beginning are not announced, one event each.
                let text = format!("Node {name} event: Registered Node {name} in Controller");
                cx.event(note(&*node, EventType::Normal, "RegisteredNode", text));
            }
            let first = if node.condition("Ready").is_none() {
                cx.ctx.sim_time(node.metadata.creation_timestamp.unwrap_or_default())
            } else {
                now
            };
            self.seen.insert_mut(name.clone(), first);
            self.watched.insert(name);
        }
        let silent: Vec<NodeName> = cx
            .ctx
            .heartbeats()
            .map(|hearts| hearts.silent().cloned().collect())
            .unwrap_or_default();
        let known = silent
            .into_iter()
            .filter(|name| cx.objects.named::<Node>(name).is_some());
        let look: ordered::Set<NodeName> = known.chain(self.watched.iter().cloned()).collect();
        for name in &look {
            cx.enqueue(job(HEALTH, name));
        }
        // The zones are assessed after the nodes, within the same pass.
        if self.zones_changed || !look.is_empty() || !self.zones.are_normal() || !self.has_passed {
            let written: ordered::Map<NodeName, ConditionStatus> = look
                .iter()
                .filter_map(|name| cx.objects.named::<Node>(name).map(|node| (name, node)))
                .filter(|(_, node)| ready_status(node) != Some(&ConditionStatus::Unknown) && self.is_overdue(node, cx))
                .map(|(name, _)| (name.clone(), ConditionStatus::Unknown))
                .collect();
            self.is_assessed &= written.is_empty();
            self.written.extend(written);
            if !self.is_assessed {
                self.is_assessed = self.assess(cx) == Turn::Nothing;
            }
        }
        self.zones_changed = false;
        self.has_passed = true;
        self.watched
            .retain(|name| cx.objects.named::<Node>(name).is_some_and(|node| needs_watch(node)));
    }

    fn assess(&mut self, cx: &mut ControllerContext<'_, '_>) -> Turn {
        let written = &self.written;
        let ready = |node: &Node| written.get(&*node.metadata.name).cloned();
        let nodes = cx.objects.list::<Node>().map(|node| &**node);
        let turn = self.zones.assess(nodes, ready, cx.settings, cx.ctx.now);
        match turn {
            Turn::Nothing => {}
            Turn::EnteredFull => {
                // Whatever silenced the last of them.
                let unready = cx
                    .objects
                    .list::<Node>()
                    .filter(|node| ready(node).is_some() || !node.is_ready());
                let causes = unready.map(|node| self.cause(node, cx));
                let latest = causes.fold(CausedBy::NOTHING, CausedBy::latest);
                cx.ctx.because(latest);
                let tainted: Vec<Arc<Node>> = cx
                    .objects
                    .list::<Node>()
                    .filter(|node| is_tainted(node))
                    .cloned()
                    .collect();
                for node in &tainted {
                    self.zones.remove(node);
                    cx.enqueue(job(CLEAR, &node.metadata.name));
                }
            }
            Turn::LeftFull => {
                let names: Vec<NodeName> = cx
                    .objects
                    .list::<Node>()
                    .map(|node| (&*node.metadata.name).into())
                    .collect();
                for name in names {
                    self.seen.insert_mut(name, cx.now());
                }
            }
        }
        turn
    }

    /// When the node was last heard of, as passes see it (CT-021, CT-022).
    fn probe(&self, node: &Node, cx: &ControllerContext<'_, '_>) -> SimTime {
        let name = NodeName::from(&*node.metadata.name);
        let seen = self.seen.get(&name).copied().unwrap_or(cx.now());
        let renewed = cx.ctx.last_renewal(&name).filter(|at| *at >= self.start);
        // Without heartbeats beside the API (tests) only what the status says counts.
        renewed.map_or(seen, |at| seen.max(self.pass_at_or_after(at, cx).min(cx.now())))
    }

    /// That a silent node becomes Unknown at the pass after its grace, and that its pods go when they have tolerated the
    /// taint for long enough; not if nobody would be left to evict for.
    fn fall(&self, name: &NodeName, node: &Node, someone_is_well: bool, outlook: &Outlook<'_>) -> Vec<Due> {
        let period = outlook.settings.node_monitor_period;
        let pass = |at: SimTime| pass_at_or_after(self.start, period, at);
        let renewed = outlook.heartbeats.last_renewal(name, outlook.now);
        let seen = self.seen.get(name).copied().unwrap_or(outlook.now);
        let heard = renewed.map_or(seen, |at| seen.max(pass(at)));
        let at = pass(heard + outlook.settings.node_monitor_grace_period + Span(1));
        let not_ready = Due {
            at,
            what: Coming::NotReady,
            kind: Kind::Node,
            key: node.metadata.key(),
            uid: "".into(),
            container: "".into(),
            is_projected: false,
        };
        let taint = Taint {
            key: UNREACHABLE.into(),
            effect: TaintEffect::NoExecute,
            ..Taint::default()
        };
        let pods = outlook.objects.pods_on(name).filter(|_| someone_is_well);
        let pods = pods.filter(|pod| !pod.metadata.is_terminating());
        let evictions = pods.filter_map(|pod| {
            let stay = stay(std::slice::from_ref(&taint), &pod.spec.tolerations)?;
            Some(eviction(pod, at + stay, true))
        });
        std::iter::once(not_ready).chain(evictions).collect()
    }

    fn is_overdue(&self, node: &Node, cx: &ControllerContext<'_, '_>) -> bool {
        let grace = if node.condition("Ready").is_some() {
            cx.settings.node_monitor_grace_period
        } else {
            cx.settings.node_startup_grace_period
        };
        cx.now() > self.probe(node, cx) + grace
    }

    /// The pass of one node: conditions, pods, taint queue.
    fn check_health(&mut self, node: &Arc<Node>, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let name = NodeName::from(&*node.metadata.name);
        let observed = ready_status(node).cloned();
        let mut current = observed.clone();
        let mut plan = Plan::default();
        if self.is_overdue(node, cx) {
            current = Some(ConditionStatus::Unknown);
            // Of who is silent for long nothing is written again.
            if observed != current {
                let updated = silenced(node, cx.time());
                plan = plan.then_one(Request::Update(Object::Node(Arc::new(updated)), Part::Status));
            }
        }
        match &current {
            None => return plan,
            Some(ConditionStatus::True) => {
                self.to_mark.remove(&name);
                self.zones.remove(node);
                if is_tainted(node) {
                    plan = plan.then_one(untaint(node, cx.time()));
                }
                return plan;
            }
            Some(_) => {}
        }
        if observed == Some(ConditionStatus::True) {
            let text = format!("Node {name} status is now: NodeNotReady");
            cx.event(note(&**node, EventType::Normal, "NodeNotReady", text));
            self.to_mark.insert(name.clone());
        }
        if self.to_mark.contains(&name) {
            let marks: Vec<Action> = cx
                .objects
                .pods_on(&name)
                .flat_map(|pod| mark_not_ready(pod, cx.time()))
                .collect();
            if marks.is_empty() {
                self.to_mark.remove(&name);
            }
            plan = plan.then(marks);
        }
        let (own, other) = keys_for(current.as_ref());
        if has_taint(node, other, &TaintEffect::NoExecute) {
            // One for the other: at once, no token (CT-027).
            return plan.then_one(exchange(node, own, other, cx.time()));
        }
        let tainted = has_taint(node, own, &TaintEffect::NoExecute);
        self.is_assessed &= self.zones.queue(node, tainted, cx.settings, cx.ctx.now);
        self.arm_taints(cx);
        plan
    }

    /// Wakes at the first tick of the taint loop at which a turn can be had; this very instant's tick is over.
    fn arm_taints(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let Some(next) = self.zones.next_turn() else { return };
        let earliest = next.max(cx.now() + Span(1));
        let passed = (earliest - self.start).0;
        let at = self.start + Span((passed + TAINT_PERIOD.0 - 1).div_euclid(TAINT_PERIOD.0) * TAINT_PERIOD.0);
        if self.taint_tick.is_none_or(|armed| at < armed) {
            self.taint_tick = Some(at);
            cx.tick_at(at, TAINT);
        }
    }
}

/// The first pass of a monitor that began at `start`, not before an instant.
fn pass_at_or_after(start: SimTime, period: Span, at: SimTime) -> SimTime {
    let period = period.0.max(1);
    let passed = (at - start).0;
    start + Span((passed + period - 1).div_euclid(period) * period)
}

/// The NoExecute taint of a status, and its opposite.
fn keys_for(status: Option<&ConditionStatus>) -> (&'static str, &'static str) {
    if status == Some(&ConditionStatus::False) {
        (NOT_READY, UNREACHABLE)
    } else {
        (UNREACHABLE, NOT_READY)
    }
}

fn is_tainted(node: &Node) -> bool {
    [NOT_READY, UNREACHABLE]
        .iter()
        .any(|key| has_taint(node, key, &TaintEffect::NoExecute))
}

fn exchange(node: &Node, add: &str, remove: &str, now: Time) -> Action {
    let taint = |key: &str| vec![(key.to_owned(), TaintEffect::NoExecute)];
    swap(node, taint(add), taint(remove), now)
}

fn untaint(node: &Node, now: Time) -> Action {
    let both = [NOT_READY, UNREACHABLE].map(|key| (key.to_owned(), TaintEffect::NoExecute));
    swap(node, Vec::new(), both.to_vec(), now)
}

/// What a turn does: the node is read again; a ready one is left alone (CT-029).
fn taint(node: &Node, ready: Option<&ConditionStatus>, now: Time) -> Plan {
    match ready {
        None | Some(ConditionStatus::True) => Plan::default(),
        Some(_) => {
            let (own, other) = keys_for(ready);
            Plan::one(exchange(node, own, other, now).accept(Accept::OrStop))
        }
    }
}

/// The node with the conditions of one that is not heard from (CT-024).
fn silenced(node: &Node, now: Time) -> Node {
    let mut node = node.clone();
    let created = node.metadata.creation_timestamp;
    for kind in ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] {
        match node
            .status
            .conditions
            .iter_mut()
            .find(|condition| &*condition.kind == kind)
        {
            Some(condition) if condition.status != ConditionStatus::Unknown => {
                condition.status = ConditionStatus::Unknown;
                condition.reason = "NodeStatusUnknown".into();
                condition.message = "Kubelet stopped posting node status.".into();
                condition.last_transition_time = Some(now);
            }
            Some(_) => {}
            None => node.status.conditions.push(NodeCondition {
                kind: kind.into(),
                status: ConditionStatus::Unknown,
                last_heartbeat_time: created,
                last_transition_time: Some(now),
                reason: "NodeStatusNeverUpdated".into(),
                message: "Kubelet never posted node status.".into(),
            }),
        }
    }
    node
}

/// Ready=False on a pod of a node that is not ready, with its event; nothing if it says so already (CT-025).
fn mark_not_ready(pod: &Arc<Pod>, now: Time) -> Option<Action> {
    let ready = pod.condition("Ready")?;
    if ready.status == ConditionStatus::False {
        return None;
    }
    let mut updated = (**pod).clone();
    let (reason, message) = (ready.reason.clone(), ready.message.clone());
    set_condition(&mut updated, "Ready", ConditionStatus::False, &reason, &message, now);
    let action = Action::from(Request::Update(Object::Pod(Arc::new(updated)), Part::Status));
    // A pod that changed meanwhile is seen to at a later pass.
    let event = note(&**pod, EventType::Warning, "NodeNotReady", "Node is not ready");
    Some(action.accept(Accept::Anything).on_success(event))
}
