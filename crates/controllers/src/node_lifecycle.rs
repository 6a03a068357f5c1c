//! Node lifecycle: detects lost nodes, marks them Unknown and taints them.
//!
//! Every 5 s a pass checks the heartbeats of each node. A node that is silent for longer than the grace period gets
//! Ready=Unknown, its pods get Ready=False, and it joins its zone's queue for a NoExecute taint (CT-020 to CT-032).
//! NoSchedule taints follow conditions at once. This controller never deletes pods; see [`super::taint_eviction`].
//!
//! A pass examines only nodes that are silent or not fully healthy. The lease renewals of all other nodes are computed
//! (`Heartbeats`), so healthy nodes cost no work.

use podscope_api::ordered;
use podscope_api::pending_event::PendingEventKind;
use podscope_api::well_known::{condition, taint};
use std::sync::Arc;

use podscope_api::{
    CausedBy, ConditionStatus, EventType, Kind, Node, NodeCondition, NodeName, Object, ObjectKey, Pod, Taint,
    TaintEffect, Time,
};
use rpds::RedBlackTreeMapSync;

use podscope_sim::{Change, Part, PendingEvent, Request, SimTime, Span};

use super::controller::{Controller, ControllerContext, PendingContext, note};
use super::node_zones::{ZoneTransition, Zones};
use super::plan::{Accept, Action, Plan};
use super::pod_util::set_condition;
use super::queue::Key;
use super::taint_eviction::{eviction_event, toleration_time};
use super::taints::{has_taint, no_schedule_taints_to_add_and_remove, patch_taints, ready_status};

/// Interval of the loop that takes nodes from the zones' queues.
const TAINT_PERIOD: Span = Span::millis(100);
const MONITOR_TICK: u8 = 0;
const TAINT_TICK: u8 = 1;

#[derive(Debug, Clone, Default)]
pub(super) struct NodeLifecycleController {
    start: SimTime,
    has_passed: bool,
    /// Time at which a pass first saw each node, or last saw a new heartbeat in its status (not its lease).
    last_seen: RedBlackTreeMapSync<NodeName, SimTime>,
    /// Nodes that every pass examines: those that are not fully healthy, and new ones.
    watched: ordered::Set<NodeName>,
    added: ordered::Set<NodeName>,
    /// Nodes whose pods must still be set to Ready=False.
    to_mark: ordered::Set<NodeName>,
    /// Ready statuses that a pass has written but that the cache does not show yet.
    written_status: ordered::Map<NodeName, ConditionStatus>,
    /// The cause of the last change of each node's readiness.
    readiness_cause: ordered::Map<NodeName, CausedBy>,
    zones: Zones,
    zones_changed: bool,
    /// Whether the last assessment of the zones is still valid: no node, label or readiness changed since.
    is_assessed: bool,
    taint_tick: Option<SimTime>,
    /// Nodes whose taints will be removed because all zones are fully disrupted; until then, a pass does not replace a
    /// NoExecute taint by the opposite one.
    to_clear: ordered::Set<NodeName>,
}

/// Type of work on a node: update its NoSchedule taints. The type is stored as the namespace of the key, so that one
/// queue serves all types.
const UPDATE_NO_SCHEDULE_WORK: &str = "no-schedule";
/// Type of work on a node: update its conditions, its pods and the taint queue.
const CHECK_HEALTH_WORK: &str = "health";
/// Type of work on a node: add a NoExecute taint, after the node was taken from its zone's queue.
const TAINT_NODE_WORK: &str = "turn";
/// Type of work on a node: remove its NoExecute taints, because all zones are fully disrupted.
const CLEAR_TAINTS_WORK: &str = "clear";

fn node_key(work: &str, node: &str) -> Key {
    (Kind::Node, ObjectKey::new(work, node))
}

/// Returns whether a node must be examined in each pass.
fn needs_examination(node: &Node) -> bool {
    !node.is_ready()
        || [taint::NOT_READY, taint::UNREACHABLE]
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
        cx.tick_at(self.start, MONITOR_TICK);
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::Node(_)) => self.node_changed(change, cx),
            Some(Object::Pod(pod)) if change.new.is_some() => {
                // A pod that becomes bound to an unready node is marked as not ready too (CT-025).
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
        if tick == MONITOR_TICK {
            self.monitor_nodes(cx);
            cx.tick_at(cx.now() + cx.settings.node_monitor_period, MONITOR_TICK);
        } else if self.taint_tick.is_some_and(|at| at <= cx.now()) {
            self.taint_tick = None;
            for node in self.zones.take_due_nodes(cx.now()) {
                cx.enqueue(node_key(TAINT_NODE_WORK, &node));
            }
            self.set_taint_tick(cx);
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        if key.0 == Kind::Pod {
            let pod = cx.objects.get::<Pod>(&key.1).cloned();
            return Plan::default().then(pod.iter().flat_map(|pod| mark_not_ready(pod, cx.time())).collect());
        }
        if &*key.1.namespace == CLEAR_TAINTS_WORK {
            self.to_clear.remove(&*key.1.name);
        }
        let Some(node) = cx.objects.named::<Node>(&key.1.name).cloned() else {
            return Plan::default();
        };
        if matches!(&*key.1.namespace, CHECK_HEALTH_WORK | TAINT_NODE_WORK) {
            cx.ctx.set_cause(self.cause_of_actions(&node, cx));
        }
        match &*key.1.namespace {
            UPDATE_NO_SCHEDULE_WORK => {
                let (add, remove) = no_schedule_taints_to_add_and_remove(&node);
                if add.is_empty() && remove.is_empty() {
                    return Plan::default();
                }
                Plan::one(patch_taints(&node, add, remove, cx.time()))
            }
            CHECK_HEALTH_WORK => self.check_health(&node, cx),
            TAINT_NODE_WORK => taint_lost_node(&node, ready_status(&node), cx.time()),
            _ => Plan::one(untaint_node(&node, cx.time())),
        }
    }

    fn pending_events(&self, pending: &PendingContext<'_>) -> Vec<PendingEvent> {
        let is_healthy = |node: &&Arc<Node>| node.is_ready() && !pending.heartbeats.is_silent(&node.metadata.name);
        let has_healthy_node = pending.objects.list::<Node>().any(|node| is_healthy(&node));
        let silent = pending.heartbeats.silent();
        let nodes = silent.filter_map(|name| Some((name, pending.objects.named::<Node>(name)?)));
        nodes
            .filter(|(_, node)| ready_status(node) == Some(&ConditionStatus::True))
            .flat_map(|(name, node)| self.pending_events(name, node, has_healthy_node, pending))
            .collect()
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
            self.last_seen.remove_mut(&name);
            self.watched.remove(&name);
            self.added.remove(&name);
            self.to_mark.remove(&name);
            self.written_status.remove(&name);
            self.readiness_cause.remove(&name);
            self.zones_changed = true;
            self.is_assessed = false;
            if let Some(old) = old {
                self.zones.remove(&old);
                let text = format!("Node {name} event: Removing Node {name} from Controller");
                cx.emit_event(note(&*old, EventType::Normal, "RemovingNode", text));
            }
            return;
        };
        cx.enqueue(node_key(UPDATE_NO_SCHEDULE_WORK, &name));
        let heartbeat = |node: &Node| {
            node.condition(condition::READY)
                .map(|ready| (ready.last_heartbeat_time, ready.status.clone()))
        };
        match &old {
            None => {
                self.added.insert(name.clone());
                self.zones_changed = true;
            }
            Some(old) => {
                let (before, after) = (heartbeat(old), heartbeat(&new));
                let beats = |last_seen: &Option<(Option<Time>, ConditionStatus)>| last_seen.as_ref().map(|(at, _)| *at);
                if beats(&before) != beats(&after) {
                    // The next pass notices the heartbeat (CT-022).
                    let pass = self.monitor_pass_at_or_after(cx.now(), cx);
                    self.last_seen.insert_mut(name.clone(), pass);
                }
                let statuses = |last_seen: &Option<(Option<Time>, ConditionStatus)>| {
                    last_seen.as_ref().map(|(_, status)| status.clone())
                };
                if statuses(&before) != statuses(&after) {
                    self.readiness_cause.insert(name.clone(), cx.ctx.caused_by());
                }
                self.zones_changed |= before.map(|(_, status)| status) != after.map(|(_, status)| status);
                self.is_assessed &= old.metadata.labels == new.metadata.labels;
            }
        }
        self.is_assessed &= !self.zones_changed;
        if needs_examination(&new) {
            self.watched.insert(name.clone());
        } else {
            self.watched.remove(&name);
        }
        // The cache now shows the written status, or a newer one.
        self.is_assessed &= self.written_status.remove(&name).is_none();
    }

    /// Returns the cause of actions on a node: the change of its readiness or, before that change is written, the cause
    /// of the node's silence.
    fn cause_of_actions(&self, node: &Node, cx: &ControllerContext<'_, '_>) -> CausedBy {
        let name = &node.metadata.name;
        let silenced_by = cx.ctx.heartbeats().map(|hearts| hearts.silenced_by(name));
        let silenced_by = silenced_by.unwrap_or_default();
        let readiness_cause = self.readiness_cause.get(&**name).copied();
        readiness_cause
            .filter(|_| !node.is_ready() || silenced_by == CausedBy::NOTHING)
            .unwrap_or(silenced_by)
    }

    fn monitor_pass_at_or_after(&self, at: SimTime, cx: &ControllerContext<'_, '_>) -> SimTime {
        pass_at_or_after(self.start, cx.settings.node_monitor_period, at)
    }

    /// Performs one monitoring pass: checks the heartbeats of the nodes, then assesses the zones.
    fn monitor_nodes(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let now = cx.now();
        for name in std::mem::take(&mut self.added) {
            let Some(node) = cx.objects.named::<Node>(&name).cloned() else {
                continue;
            };
            if self.has_passed {
                // Deviation: nodes that exist from the start get no event.
                let text = format!("Node {name} event: Registered Node {name} in Controller");
                cx.emit_event(note(&*node, EventType::Normal, "RegisteredNode", text));
            }
            let first = if node.condition(condition::READY).is_none() {
                cx.ctx.sim_time(node.metadata.creation_timestamp.unwrap_or_default())
            } else {
                now
            };
            self.last_seen.insert_mut(name.clone(), first);
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
        let to_check: ordered::Set<NodeName> = known.chain(self.watched.iter().cloned()).collect();
        for name in &to_check {
            cx.enqueue(node_key(CHECK_HEALTH_WORK, name));
        }
        // The same pass assesses the zones after it has checked the nodes.
        if self.zones_changed || !to_check.is_empty() || !self.zones.are_normal() || !self.has_passed {
            let written_status: ordered::Map<NodeName, ConditionStatus> = to_check
                .iter()
                .filter_map(|name| cx.objects.named::<Node>(name).map(|node| (name, node)))
                .filter(|(_, node)| {
                    ready_status(node) != Some(&ConditionStatus::Unknown) && self.is_heartbeat_overdue(node, cx)
                })
                .map(|(name, _)| (name.clone(), ConditionStatus::Unknown))
                .collect();
            self.is_assessed &= written_status.is_empty();
            self.written_status.extend(written_status);
            if !self.is_assessed {
                self.is_assessed = self.assess_zones(cx) == ZoneTransition::Nothing;
            }
        }
        self.zones_changed = false;
        self.has_passed = true;
        self.watched.retain(|name| {
            cx.objects
                .named::<Node>(name)
                .is_some_and(|node| needs_examination(node))
        });
    }

    /// Updates the disruption state of all zones, and handles a transition to or from full disruption.
    fn assess_zones(&mut self, cx: &mut ControllerContext<'_, '_>) -> ZoneTransition {
        let written_status = &self.written_status;
        let ready = |node: &Node| written_status.get(&*node.metadata.name).cloned();
        let nodes = cx.objects.list::<Node>().map(|node| &**node);
        let transition = self.zones.update_zone_states(nodes, ready, cx.settings, cx.ctx.now);
        match transition {
            ZoneTransition::Nothing => {}
            ZoneTransition::EnteredFull => {
                // The cause of the transition is the latest of the causes of the unready nodes.
                let unready = cx
                    .objects
                    .list::<Node>()
                    .filter(|node| ready(node).is_some() || !node.is_ready());
                let causes = unready.map(|node| self.cause_of_actions(node, cx));
                let latest = causes.fold(CausedBy::NOTHING, CausedBy::latest);
                cx.ctx.set_cause(latest);
                let tainted: Vec<Arc<Node>> = cx
                    .objects
                    .list::<Node>()
                    .filter(|node| has_not_ready_or_unreachable_taint(node))
                    .cloned()
                    .collect();
                for node in &tainted {
                    self.zones.remove(node);
                    self.to_clear.insert((&*node.metadata.name).into());
                    cx.enqueue(node_key(CLEAR_TAINTS_WORK, &node.metadata.name));
                }
            }
            ZoneTransition::LeftFull => {
                let names: Vec<NodeName> = cx
                    .objects
                    .list::<Node>()
                    .map(|node| (&*node.metadata.name).into())
                    .collect();
                for name in names {
                    self.last_seen.insert_mut(name, cx.now());
                }
            }
        }
        transition
    }

    /// Returns the time at which a pass last observed a heartbeat of the node: a new status or a renewed lease (CT-021,
    /// CT-022).
    fn last_observed_heartbeat(&self, node: &Node, cx: &ControllerContext<'_, '_>) -> SimTime {
        let name = NodeName::from(&*node.metadata.name);
        let last_seen = self.last_seen.get(&name).copied().unwrap_or(cx.now());
        let renewed = cx.ctx.last_renewal(&name).filter(|at| *at >= self.start);
        // In tests without computed heartbeats, only the status counts.
        renewed.map_or(last_seen, |at| {
            last_seen.max(self.monitor_pass_at_or_after(at, cx).min(cx.now()))
        })
    }

    /// Returns the pending events of a silent node: it becomes Unknown in the pass after its grace period, and its pods
    /// are evicted when their tolerations end. If no node would remain healthy, there are no evictions, because
    /// tainting is then suspended.
    fn pending_events(
        &self,
        name: &NodeName,
        node: &Node,
        has_healthy_node: bool,
        pending: &PendingContext<'_>,
    ) -> Vec<PendingEvent> {
        let period = pending.settings.node_monitor_period;
        let pass = |at: SimTime| pass_at_or_after(self.start, period, at);
        let renewed = pending.heartbeats.last_renewal(name, pending.now);
        let last_seen = self.last_seen.get(name).copied().unwrap_or(pending.now);
        let last_sign = renewed.map_or(last_seen, |at| last_seen.max(pass(at)));
        let at = pass(last_sign + pending.settings.node_monitor_grace_period + Span(1));
        let not_ready = PendingEvent {
            at,
            what: PendingEventKind::NotReady,
            kind: Kind::Node,
            key: node.metadata.key(),
            uid: "".into(),
            container: "".into(),
            is_projected: false,
        };
        let taint = Taint {
            key: taint::UNREACHABLE.into(),
            effect: TaintEffect::NoExecute,
            ..Taint::default()
        };
        let pods = pending.objects.pods_on(name).filter(|_| has_healthy_node);
        let pods = pods.filter(|pod| !pod.metadata.is_terminating());
        let evictions = pods.filter_map(|pod| {
            let stay = toleration_time(std::slice::from_ref(&taint), &pod.spec.tolerations)?;
            Some(eviction_event(pod, at + stay, true))
        });
        std::iter::once(not_ready).chain(evictions).collect()
    }

    /// Returns whether the node has been silent for longer than its grace period.
    fn is_heartbeat_overdue(&self, node: &Node, cx: &ControllerContext<'_, '_>) -> bool {
        let grace = if node.condition(condition::READY).is_some() {
            cx.settings.node_monitor_grace_period
        } else {
            cx.settings.node_startup_grace_period
        };
        cx.now() > self.last_observed_heartbeat(node, cx) + grace
    }

    /// Handles one node in a pass: conditions, pods, taint queue.
    fn check_health(&mut self, node: &Arc<Node>, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let name = NodeName::from(&*node.metadata.name);
        let observed = ready_status(node).cloned();
        let mut current = observed.clone();
        let mut plan = Plan::default();
        if self.is_heartbeat_overdue(node, cx) {
            current = Some(ConditionStatus::Unknown);
            // If the node is already Unknown, its status is not updated again.
            if observed != current {
                let updated = with_unknown_conditions(node, cx.time());
                plan = plan.then_action(Request::Update(Object::Node(Arc::new(updated)), Part::Status));
            }
        }
        match &current {
            None => return plan,
            Some(ConditionStatus::True) => {
                self.to_mark.remove(&name);
                self.zones.remove(node);
                if has_not_ready_or_unreachable_taint(node) {
                    plan = plan.then_action(untaint_node(node, cx.time()));
                }
                return plan;
            }
            Some(_) => {}
        }
        if observed == Some(ConditionStatus::True) {
            let text = format!("Node {name} status is now: NodeNotReady");
            cx.emit_event(note(&**node, EventType::Normal, "NodeNotReady", text));
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
        let (own, other) = taint_keys(current.as_ref());
        if self.to_clear.contains(&name) {
            // The assessment of the zones, later in this pass, removes all NoExecute taints, so none is replaced here.
            return plan;
        }
        if has_taint(node, other, &TaintEffect::NoExecute) {
            // The opposite taint is replaced at once, without using a token (CT-027).
            return plan.then_action(exchange_taint(node, own, other, cx.time()));
        }
        let tainted = has_taint(node, own, &TaintEffect::NoExecute);
        self.is_assessed &= self.zones.queue(node, tainted, cx.settings, cx.ctx.now);
        self.set_taint_tick(cx);
        plan
    }

    /// Schedules a tick for the time at which the taint loop can take the next node, after the current instant.
    fn set_taint_tick(&mut self, cx: &mut ControllerContext<'_, '_>) {
        let Some(next) = self.zones.next_taint_time() else {
            return;
        };
        let earliest = next.max(cx.now() + Span(1));
        let passed = (earliest - self.start).0;
        let at = self.start + Span((passed + TAINT_PERIOD.0 - 1).div_euclid(TAINT_PERIOD.0) * TAINT_PERIOD.0);
        if self.taint_tick.is_none_or(|armed| at < armed) {
            self.taint_tick = Some(at);
            cx.tick_at(at, TAINT_TICK);
        }
    }
}

/// Returns the time of the first pass at or after `at`, for a monitor that started at `start`.
fn pass_at_or_after(start: SimTime, period: Span, at: SimTime) -> SimTime {
    let period = period.0.max(1);
    let passed = (at - start).0;
    start + Span((passed + period - 1).div_euclid(period) * period)
}

/// Returns the NoExecute taint key for a Ready status, and the key of the opposite taint.
fn taint_keys(status: Option<&ConditionStatus>) -> (&'static str, &'static str) {
    if status == Some(&ConditionStatus::False) {
        (taint::NOT_READY, taint::UNREACHABLE)
    } else {
        (taint::UNREACHABLE, taint::NOT_READY)
    }
}

fn has_not_ready_or_unreachable_taint(node: &Node) -> bool {
    [taint::NOT_READY, taint::UNREACHABLE]
        .iter()
        .any(|key| has_taint(node, key, &TaintEffect::NoExecute))
}

fn exchange_taint(node: &Node, add: &str, remove: &str, now: Time) -> Action {
    let taint = |key: &str| vec![(key.to_owned(), TaintEffect::NoExecute)];
    patch_taints(node, taint(add), taint(remove), now)
}

fn untaint_node(node: &Node, now: Time) -> Action {
    let both = [taint::NOT_READY, taint::UNREACHABLE].map(|key| (key.to_owned(), TaintEffect::NoExecute));
    patch_taints(node, Vec::new(), both.to_vec(), now)
}

/// Taints a node that was taken from the queue; a node that is Ready again is not tainted (CT-029).
fn taint_lost_node(node: &Node, ready: Option<&ConditionStatus>, now: Time) -> Plan {
    match ready {
        None | Some(ConditionStatus::True) => Plan::default(),
        Some(_) => {
            let (own, other) = taint_keys(ready);
            Plan::one(exchange_taint(node, own, other, now).accept(Accept::OrStop))
        }
    }
}

/// Returns the node with all its conditions set to Unknown (CT-024).
fn with_unknown_conditions(node: &Node, now: Time) -> Node {
    let mut node = node.clone();
    let created = node.metadata.creation_timestamp;
    for kind in [
        condition::READY,
        condition::MEMORY_PRESSURE,
        condition::DISK_PRESSURE,
        condition::PID_PRESSURE,
    ] {
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

/// Sets Ready=False on a pod of an unready node, and emits an event; returns `None` if it is already False (CT-025).
fn mark_not_ready(pod: &Arc<Pod>, now: Time) -> Option<Action> {
    let ready = pod.condition(condition::READY)?;
    if ready.status == ConditionStatus::False {
        return None;
    }
    let mut updated = (**pod).clone();
    let (reason, message) = (ready.reason.clone(), ready.message.clone());
    set_condition(
        &mut updated,
        condition::READY,
        ConditionStatus::False,
        &reason,
        &message,
        now,
    );
    let action = Action::from(Request::Update(Object::Pod(Arc::new(updated)), Part::Status));
    // The event is emitted only if the update succeeds. If the pod was changed meanwhile, a later pass repeats it.
    let event = note(&**pod, EventType::Warning, "NodeNotReady", "Node is not ready");
    Some(action.accept(Accept::Anything).on_success(event))
}
