//! The interface between a controller and the manager that runs it.

use std::sync::Arc;

use podscope_api::{EventType, Kind, Resource, Time};
use podscope_sim::{Answer, Change, EventNote, Heartbeats, Objects, PendingEvent, Request, SimTime, Span};

use crate::Context;

use super::ControllerManagerSettings;
use super::index::Index;
use super::plan::{Failure, Plan};
use super::queue::{Backoff, Key, Queue};

/// A controller: watches kinds, enqueues keys for their changes, and syncs one key at a time.
pub(super) trait Controller: CloneController + std::fmt::Debug + Send + Sync {
    /// Returns the controller's name, which is the source component of its events.
    fn name(&self) -> &'static str;
    /// Returns the kinds whose changes the controller receives.
    fn watches(&self) -> &'static [Kind];
    /// Returns whether a key is synced only after the cache contains the creates and updates of its earlier syncs
    /// (CT-159).
    fn waits_for_own_writes(&self) -> bool {
        false
    }

    /// Returns the back-off of keys whose sync failed.
    fn backoff(&self) -> Backoff {
        Backoff::default()
    }

    /// Called when the cache contains the first list; starts periodic work.
    fn started(&mut self, _cx: &mut ControllerContext<'_, '_>) {}
    /// Enqueues the keys that a change of a watched kind concerns.
    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>);
    /// Called at a time set with [`ControllerContext::tick_at`].
    fn tick(&mut self, _tick: u8, _cx: &mut ControllerContext<'_, '_>) {}
    /// Compares the actual with the desired state, and returns the requests to send.
    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan;
    /// Receives the answer to one of the controller's requests.
    fn answered(&mut self, _key: &Key, _request: &Request, _answer: &Answer, _cx: &mut ControllerContext<'_, '_>) {}
    /// Called after a request failed and the rest of the plan was dropped. Returns requests that handle the failure;
    /// the key is retried with back-off.
    fn failed(&mut self, _key: &Key, _failure: &Failure, _cx: &mut ControllerContext<'_, '_>) -> Plan {
        Plan::default()
    }

    /// Returns the controller's pending deadlines.
    fn pending_events(&self, _outlook: &PendingContext<'_>) -> Vec<PendingEvent> {
        Vec::new()
    }
}

/// Clones a `Box<dyn Controller>` for a checkpoint.
pub(super) trait CloneController {
    fn clone_controller(&self) -> Box<dyn Controller>;
}

impl<C: Controller + Clone + 'static> CloneController for C {
    fn clone_controller(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Controller> {
    fn clone(&self) -> Self {
        self.as_ref().clone_controller()
    }
}

/// Read-only state from which a controller computes its pending deadlines outside a step.
pub(super) struct PendingContext<'c> {
    pub(super) now: SimTime,
    /// `now` as wall-clock time.
    pub(super) wall: Time,
    pub(super) objects: &'c Objects,
    pub(super) settings: &'c ControllerManagerSettings,
    pub(super) heartbeats: &'c Heartbeats,
}

/// The context of one step of a controller.
pub(super) struct ControllerContext<'c, 'a> {
    pub(super) ctx: &'c mut Context<'a>,
    pub(super) objects: &'c Arc<Objects>,
    pub(super) settings: &'c ControllerManagerSettings,
    pub(super) index: &'c Index,
    pub(super) queue: &'c mut Queue,
    /// Name of the controller in its events.
    pub(super) component: &'static str,
}

impl ControllerContext<'_, '_> {
    pub(super) fn now(&self) -> SimTime {
        self.ctx.now
    }

    /// Returns the wall-clock time in whole seconds, as objects store it.
    pub(super) fn time(&self) -> Time {
        Time::from_seconds(self.ctx.wall().seconds())
    }

    /// Returns whether the object was created before the simulation started. In the imported cluster, its controller
    /// had then already created its dependents.
    pub(super) fn existed_at_start(&self, metadata: &podscope_api::ObjectMeta) -> bool {
        let start = Time(self.ctx.wall().0 - self.ctx.now.0);
        metadata.creation_timestamp.is_some_and(|made| made < start)
    }

    /// Enqueues a key; the cause of the current step becomes the cause of its sync.
    pub(super) fn enqueue(&mut self, key: Key) {
        self.queue.add(key, self.ctx.caused_by());
    }

    pub(super) fn enqueue_after(&mut self, key: Key, span: Span) {
        self.queue.add_at(key, self.ctx.now + span, self.ctx.caused_by());
    }

    /// Schedules a call of [`Controller::tick`] with the number `tick`.
    pub(super) fn tick_at(&mut self, at: SimTime, tick: u8) {
        self.queue.ticks.insert((at.max(self.ctx.now), tick));
    }

    pub(super) fn emit_event(&mut self, mut note: EventNote) {
        note.component = self.component.into();
        self.ctx.call(Request::Event(note));
    }
}

/// Creates an event about an object. [`ControllerContext::emit_event`] fills in the component.
pub(super) fn note<T: Resource>(about: &T, kind: EventType, reason: &str, message: impl Into<String>) -> EventNote {
    let meta = about.metadata();
    EventNote {
        component: "".into(),
        kind: T::KIND,
        key: meta.key(),
        uid: meta.uid.clone(),
        field_path: "".into(),
        kind_of_event: kind,
        reason: reason.into(),
        message: message.into().into(),
        action: "".into(),
        related: None,
    }
}
