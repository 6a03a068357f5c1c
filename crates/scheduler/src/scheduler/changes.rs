//! Processes watch events: updates the cache, and moves waiting pods that an event may make schedulable (SCH-112 to
//! SCH-126).

use std::sync::Arc;

use podscope_api::{CausedBy, NodeName, Object, Pod};

use super::Scheduler;
use crate::cache::is_bound_and_not_terminal;
use crate::plugins::node_affinity::AddedAffinity;
use crate::plugins::{Plugin, Point};
use crate::pod_info::{Incoming, PodInfo, uid_of};
use crate::queue::events::{Event, EventKind, WaitingPod, node_events, pod_events};
use crate::queue::{QueuePool, QueuedPod};

impl Scheduler {
    /// Sets the cause of the following calls. The cause of a change of an object is the trace record that reports it.
    /// Attempts that these calls trigger return the cause as [`crate::Attempt::caused_by`]. The cause has no effect on
    /// decisions.
    pub fn set_cause(&mut self, cause: CausedBy) {
        self.queue.cause = cause;
    }

    /// Processes a watch event: `None, Some` is an addition, `Some, None` a deletion.
    pub fn on_change(&mut self, old: Option<&Object>, new: Option<&Object>, now: i64) {
        match (old, new) {
            (old, new) if pod_of(old).is_some() || pod_of(new).is_some() => {
                // The informer filters out terminal pods: becoming Succeeded or Failed looks like a deletion (SCH-004).
                let visible = |pod: &&Arc<Pod>| !pod.is_terminal();
                let old = old.filter(|object| pod_of(Some(object)).filter(visible).is_some());
                let new = new.filter(|object| pod_of(Some(object)).filter(visible).is_some());
                self.on_pod_change(old, new, now);
            }
            (Some(Object::Node(before)), Some(Object::Node(after))) => {
                self.cache.on_change(old, new);
                for kind in node_events(before, after) {
                    self.move_waiting_pods(kind, old, new, now, None);
                }
            }
            _ => {
                self.cache.on_change(old, new);
                let kind = match (old, new) {
                    (None, Some(Object::Node(_))) => EventKind::NodeAdd,
                    (Some(Object::Node(_)), None) => EventKind::NodeDelete,
                    (None, Some(object)) => EventKind::Add(object.kind()),
                    (Some(_), Some(object)) => EventKind::Update(object.kind()),
                    (Some(object), None) => EventKind::Delete(object.kind()),
                    (None, None) => return,
                };
                self.move_waiting_pods(kind, old, new, now, None);
            }
        }
    }

    fn on_pod_change(&mut self, old: Option<&Object>, new: Option<&Object>, now: i64) {
        let (before, after) = (pod_of(old), pod_of(new));
        let was_placed = before.is_some_and(|pod| is_bound_and_not_terminal(pod));
        let is_now_placed = after.is_some_and(|pod| is_bound_and_not_terminal(pod));
        match (before, after) {
            (Some(before), Some(after)) if was_placed => {
                self.cache.on_change(old, new);
                for kind in pod_events(&mut self.cache, before, after) {
                    self.move_waiting_pods(kind, old, new, now, None);
                }
            }
            (_, Some(after)) if is_now_placed => {
                self.cache.on_change(old, new);
                self.move_waiting_pods(EventKind::PodAdd, None, new, now, None);
                self.binding.remove(&uid_of(after));
                if let Some(before) = before {
                    self.remove_from_queue(before);
                }
            }
            (Some(before), None) if was_placed => {
                self.binding.remove(&uid_of(before));
                self.cache.on_change(old, new);
                self.move_waiting_pods(EventKind::PodDelete, old, None, now, None);
                let node = before.spec.node_name.as_ref().map_or("", NodeName::as_str);
                for nominated in self.nominator.pods_nominated_to(node) {
                    self.queue.set_cause_of_next_attempt(&nominated.uid);
                }
            }
            (Some(before), None) => {
                self.remove_from_queue(before);
                let uid = uid_of(before);
                if self.cache.is_assumed(&uid) {
                    self.release_deleted_assumed_pod(&uid, now);
                } else if !before.status.nominated_node_name.is_empty() {
                    // Only pods with lower or equal priority are moved: they took the nominated pod into account as if
                    // it were placed (SCH-125).
                    self.move_waiting_pods(EventKind::PodDelete, old, None, now, Some(before.priority()));
                }
            }
            (Some(before), Some(after)) if self.is_responsible_for(after) => {
                self.update_unassigned(before, after, old, now)
            }
            (None, Some(after)) if self.is_responsible_for(after) => {
                self.unassigned.insert(uid_of(after), after.clone());
                self.enqueue(after, now);
            }
            _ => {}
        }
    }

    fn enqueue(&mut self, pod: &Arc<Pod>, now: i64) {
        let incoming = Arc::new(Incoming::new(&mut self.cache, pod));
        self.add_new_pod(incoming, now);
    }

    fn add_new_pod(&mut self, incoming: Arc<Incoming>, now: i64) {
        let info = incoming.info.clone();
        let gate = self.gating_plugin(&info.pod);
        self.queue.add(QueuedPod::new(incoming, now), gate);
        if gate.is_none() && !info.pod.status.nominated_node_name.is_empty() {
            let node = info.pod.status.nominated_node_name.clone();
            self.nominator.add(info, &node);
        }
    }

    /// Runs PreEnqueue and returns the first plugin that rejects the pod, if any (SCH-037, SCH-105).
    pub(super) fn gating_plugin(&self, pod: &Pod) -> Option<Plugin> {
        let profile = self.config.profile(&pod.spec.scheduler_name)?;
        profile.at(Point::PreEnqueue).iter().copied().find(|plugin| {
            let is_preempting = self.is_preempting(&uid_of(pod));
            plugin
                .extension_points()
                .pre_enqueue(&self.cache, pod, is_preempting)
                .is_err()
        })
    }

    /// Removes a bound or deleted pod from the queue, and removes its nomination. Does not move waiting pods. After a
    /// binding this is not needed: lower-priority pods already took the pod into account as if it were placed
    /// (SCH-125).
    fn remove_from_queue(&mut self, pod: &Pod) {
        let uid = uid_of(pod);
        self.unassigned.remove(&uid);
        self.preempting.remove(&uid);
        self.queue.remove(&uid);
        self.nominator.remove(&uid);
    }

    /// Handles the deletion of an assumed pod: its resources are released immediately, although its binding continues
    /// until it fails (SCH-125). The event contains the assumed pod, with its node.
    fn release_deleted_assumed_pod(&mut self, uid: &str, now: i64) {
        let assumed = self.cache.pod(uid).map(|info| Object::Pod(info.pod.clone()));
        self.cache.forget(uid);
        self.move_waiting_pods(EventKind::PodDelete, assumed.as_ref(), None, now, None);
    }

    fn update_unassigned(&mut self, before: &Arc<Pod>, after: &Arc<Pod>, old: Option<&Object>, now: i64) {
        let uid = uid_of(after);
        self.unassigned.insert(uid.clone(), after.clone());
        if self.cache.is_assumed(&uid) {
            if after.metadata.is_terminating() && !before.metadata.is_terminating() {
                self.release_deleted_assumed_pod(&uid, now);
            }
            return;
        }
        // A deleted pod that is no longer assumed is not queued while its binding is still in progress.
        if self.binding.contains_key(&uid) {
            return;
        }
        let new = Object::Pod(after.clone());
        match self.queue.pool(&uid) {
            None => self.enqueue(after, now),
            Some(pool) => {
                let incoming = Arc::new(Incoming::new(&mut self.cache, after));
                self.queue.replace_pod_object(&uid, incoming.clone());
                self.keep_nomination(before, &incoming.info);
                if matches!(pool, QueuePool::Unschedulable | QueuePool::Gated) {
                    for kind in pod_events(&mut self.cache, before, after) {
                        let event = Event::new(&mut self.cache, kind, old, Some(&new));
                        if self.move_if_event_helps(&uid, &event, true, now) {
                            break;
                        }
                    }
                }
            }
        }
        let nominated = &before.status.nominated_node_name;
        if !nominated.is_empty() && *nominated != after.status.nominated_node_name {
            self.move_waiting_pods(EventKind::PodDelete, old, None, now, Some(before.priority()));
        }
    }

    /// Keeps a nomination made by this scheduler if the update of the pod does not contain it yet (SCH-126).
    fn keep_nomination(&mut self, before: &Pod, info: &Arc<PodInfo>) {
        let kept = self.nominator.remove(&info.uid);
        let nominated = &info.pod.status.nominated_node_name;
        if !nominated.is_empty() {
            self.nominator.add(info.clone(), nominated);
        } else if before.status.nominated_node_name.is_empty()
            && let Some(node) = kept
        {
            self.nominator.add(info.clone(), &node);
        }
    }

    /// Moves the waiting pods that an event may make schedulable. With `at_most`, moves only pods with at most this
    /// priority.
    pub(super) fn move_waiting_pods(
        &mut self,
        kind: EventKind,
        old: Option<&Object>,
        new: Option<&Object>,
        now: i64,
        at_most: Option<i32>,
    ) {
        if !self.queue.has_pods_waiting_for_event() || !kind.has_registered_plugin() {
            return;
        }
        let event = Event::new(&mut self.cache, kind, old, new);
        for uid in self.queue.uids_waiting_for_event() {
            let has_low_priority = self
                .queue
                .get(&uid)
                .is_some_and(|pod| at_most.is_none_or(|limit| pod.incoming.info.priority <= limit));
            if has_low_priority {
                self.move_if_event_helps(&uid, &event, false, now);
            }
        }
    }

    /// Runs the queueing hints of the plugins that rejected a waiting pod, and moves the pod if a hint says that the
    /// event may make it schedulable. Returns whether the pod moved to activeQ or backoffQ.
    fn move_if_event_helps(&mut self, uid: &str, event: &Event<'_>, is_update_of_waiting_pod: bool, now: i64) -> bool {
        let Some(pod) = self.queue.get(uid) else {
            return false;
        };
        let Some(profile) = self.config.profile(&pod.incoming.info.pod.spec.scheduler_name).cloned() else {
            return false;
        };
        let (incoming, rejectors, gated_by) = (pod.incoming.clone(), pod.rejectors, pod.gated_by);
        let added_affinity = AddedAffinity::compile(&mut self.cache, &profile);
        let waiting = WaitingPod {
            profile: &profile,
            added_affinity: &added_affinity,
            incoming: &incoming,
        };
        // A gated pod moves only for events that its gating plugin registered for (SCH-118).
        let concerns_gate = gated_by.is_none_or(|plugin| plugin.spec().waits_for(event.kind));
        let helps = (is_update_of_waiting_pod || concerns_gate)
            && rejectors
                .iter()
                .any(|plugin| plugin.spec().queueing_hint(&mut self.cache, event, &waiting));
        if helps && let Some(pod) = self.queue.remove(uid) {
            let gate = self.gating_plugin(&pod.incoming.info.pod);
            let moved = gate.is_none();
            self.queue.requeue(pod, gate, now);
            return moved;
        }
        false
    }

    pub(super) fn run_queue_timers(&mut self, now: i64) {
        for uid in self.queue.run_due_timers(now) {
            if let Some(pod) = self.queue.remove(&uid) {
                let gate = self.gating_plugin(&pod.incoming.info.pod);
                self.queue.requeue(pod, gate, now);
            }
        }
    }
}

fn pod_of(object: Option<&Object>) -> Option<&Arc<Pod>> {
    match object {
        Some(Object::Pod(pod)) => Some(pod),
        _ => None,
    }
}
