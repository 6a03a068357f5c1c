//! What a controller is: the interface between one and the manager that runs it.

use std::sync::Arc;

use podscope_api::{EventType, Kind, Resource, Time};
use podscope_sim::{Answer, Change, Due, EventNote, Heartbeats, Objects, Request, SimTime, Span};

use crate::Context;

use super::ControllerManagerSettings;
use super::index::Index;
use super::plan::{Failure, Plan};
use super::queue::{Backoff, Key, Queue};

/// One controller: what it watches, how a change leads to keys, how a key is brought to what is wanted.
pub(super) trait Controller: std::fmt::Debug + Send + Sync {
    /// What it calls itself, in the events it emits.
    fn name(&self) -> &'static str;
    /// The kinds whose changes concern it.
    fn watches(&self) -> &'static [Kind];
    /// Whether a key is not synced before the cache has seen what its earlier syncs created and updated (CT-159).
    fn waits_for_own_writes(&self) -> bool {
        false
    }

    /// How failed keys are retried.
    fn backoff(&self) -> Backoff {
        Backoff::default()
    }

    /// The cache is complete; periodic work begins here.
    fn started(&mut self, _cx: &mut ControllerContext<'_, '_>) {}
    /// A change of a watched kind: which keys does it concern?
    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>);
    /// A deadline set with [`ControllerContext::tick_at`].
    fn tick(&mut self, _tick: u8, _cx: &mut ControllerContext<'_, '_>) {}
    /// Compares what is with what should be, and says what to request.
    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan;
    /// An answer to one of its requests.
    fn answered(&mut self, _key: &Key, _request: &Request, _answer: &Answer, _cx: &mut ControllerContext<'_, '_>) {}
    /// A request failed and the rest of the plan was dropped: what is still to be said? The key is retried with back-off.
    fn failed(&mut self, _key: &Key, _failure: &Failure, _cx: &mut ControllerContext<'_, '_>) -> Plan {
        Plan::default()
    }

    /// What it waits for and will do by itself.
    fn due(&self, _outlook: &Outlook<'_>) -> Vec<Due> {
        Vec::new()
    }

    /// A copy, for checkpoints.
    fn clone_box(&self) -> Box<dyn Controller>;
}

/// What a controller needs to tell what it waits for: no step, and nothing changes.
pub(super) struct Outlook<'c> {
    pub(super) now: SimTime,
    /// The same by the calendar.
    pub(super) wall: Time,
    pub(super) objects: &'c Objects,
    pub(super) settings: &'c ControllerManagerSettings,
    pub(super) heartbeats: &'c Heartbeats,
}

/// What a controller is given at each step.
pub(super) struct ControllerContext<'c, 'a> {
    pub(super) ctx: &'c mut Context<'a>,
    pub(super) objects: &'c Arc<Objects>,
    pub(super) settings: &'c ControllerManagerSettings,
    pub(super) index: &'c Index,
    pub(super) queue: &'c mut Queue,
    /// What the controller calls itself, in its events.
    pub(super) component: &'static str,
}

impl ControllerContext<'_, '_> {
    pub(super) fn now(&self) -> SimTime {
        self.ctx.now
    }

    /// The wall-clock time, to the second, as objects carry it.
    pub(super) fn time(&self) -> Time {
        Time::from_seconds(self.ctx.wall().seconds())
    }

    /// Whether the object was there before the world began: what belongs to it would be there too.
    pub(super) fn is_older(&self, metadata: &podscope_api::ObjectMeta) -> bool {
        let start = Time(self.ctx.wall().0 - self.ctx.now.0);
        metadata.creation_timestamp.is_some_and(|made| made < start)
    }

    /// Asks for a sync of the key, because of what led to this step.
    pub(super) fn enqueue(&mut self, key: Key) {
        self.queue.add(key, self.ctx.caused_by());
    }

    pub(super) fn enqueue_after(&mut self, key: Key, span: Span) {
        self.queue.add_at(key, self.ctx.now + span, self.ctx.caused_by());
    }

    /// Calls [`Controller::tick`] with that number at an instant.
    pub(super) fn tick_at(&mut self, at: SimTime, tick: u8) {
        self.queue.ticks.insert((at.max(self.ctx.now), tick));
    }

    /// Emits an event.
    pub(super) fn event(&mut self, mut note: EventNote) {
        note.component = self.component.into();
        self.ctx.call(Request::Event(note));
    }
}

/// An event about an object; the controller that emits it signs it.
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
