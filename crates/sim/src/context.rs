//! What a component is given and what it may do: it reads its input and its
//! own state, and answers with effects. The world applies the effects; a
//! component never reaches into another.

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, Object, ObjectKey, Str, Time, Uid};

use crate::{Actor, Answer, CallId, Happening, Objects, Request, Rng, SimTime, Span, Subject};

/// One write to the store.
#[derive(Debug, Clone)]
pub struct Change {
    /// The store's revision after the write.
    pub revision: u64,
    /// The object before; none for a creation.
    pub old: Option<Object>,
    /// The object after; none for a removal.
    pub new: Option<Object>,
}

impl Change {
    /// The object after, or, for a removal, before.
    pub fn object(&self) -> Option<&Object> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// A change as watches carry it: with the whole state at its revision, so a watch cache is a pointer.
#[derive(Debug, Clone)]
pub struct WatchResponse {
    /// What was written.
    pub change: Arc<Change>,
    /// All objects at this revision.
    pub after: Arc<Objects>,
}

impl std::ops::Deref for WatchResponse {
    type Target = Change;

    fn deref(&self) -> &Change {
        &self.change
    }
}

/// What reaches a process that talks to the API server.
#[derive(Debug, Clone)]
pub enum Input<T> {
    /// The process starts, with empty memory.
    Started,
    /// A list answered (at start, or when a broken watch is resumed after its
    /// revision was lost): the cache is replaced by this state.
    Listed {
        /// Revision of the state.
        revision: u64,
        /// The state.
        objects: Arc<Objects>,
    },
    /// A watch event.
    Changed(Arc<WatchResponse>),
    /// The answer to a call, or its time-out (`code` 0, reason `Timeout`).
    Answered(CallId, Answer),
    /// A timer that the process set.
    Timer(T),
}

impl<T> Input<T> {
    /// The same input for a part whose timers are some of these.
    ///
    /// # Errors
    /// The timer is not one of the part's.
    pub fn narrow<U: TryFrom<T>>(self) -> Result<Input<U>, U::Error> {
        Ok(match self {
            Self::Started => Input::Started,
            Self::Listed { revision, objects } => Input::Listed { revision, objects },
            Self::Changed(change) => Input::Changed(change),
            Self::Answered(id, answer) => Input::Answered(id, answer),
            Self::Timer(timer) => Input::Timer(timer.try_into()?),
        })
    }
}

/// What a component may do: `T` are its timers, `A` is what it may do to the world beside the API.
#[derive(Debug, Clone)]
pub enum Effect<T, A> {
    /// Send a request to the API server over the actor's link.
    Call(CallId, Request),
    /// Wake the actor at an instant (not before now).
    Timer(SimTime, T),
    /// Put a record into the trace.
    Record {
        happening: Happening,
        /// About which object.
        object: Option<Arc<Subject>>,
        container: Option<Str>,
    },
    /// What follows in this step was caused by that record, not by what led to the step.
    Because(CausedBy),
    /// What follows in this step, records too, was caused by the record made last in it.
    Follow,
    /// Do what only this kind of component does.
    Act(A),
}

impl<T, A> Effect<T, A> {
    fn into<U: From<T>, B: From<A>>(self) -> Effect<U, B> {
        match self {
            Self::Call(id, request) => Effect::Call(id, request),
            Self::Timer(at, timer) => Effect::Timer(at, timer.into()),
            Self::Record {
                happening,
                object,
                container,
            } => Effect::Record {
                happening,
                object,
                container,
            },
            Self::Because(cause) => Effect::Because(cause),
            Self::Follow => Effect::Follow,
            Self::Act(act) => Effect::Act(act.into()),
        }
    }
}

/// The context of one step of one component, which sets timers of type `T` and does acts of type `A`.
pub struct Context<'a, T, A> {
    /// The instant.
    pub now: SimTime,
    /// Wall-clock time at t = 0.
    pub start: Time,
    /// Who is acting.
    pub actor: Actor,
    /// The actor's own generator.
    pub rng: &'a mut Rng,
    /// Switches for history and what-if (F-20).
    pub switches: &'a crate::Switches,
    /// The network, for what does not pass through the API server (storage, probes of peers).
    network: Option<&'a crate::Network>,
    heartbeats: Option<&'a crate::Heartbeats>,
    next_call: &'a mut u64,
    caused_by: CausedBy,
    /// Whether a record was made since `caused_by` was set: what follows is caused by that record.
    has_recorded: bool,
    effects: Vec<Effect<T, A>>,
}

impl<'a, T, A> Context<'a, T, A> {
    /// A context with no effects yet.
    pub fn new(
        now: SimTime,
        start: Time,
        actor: Actor,
        rng: &'a mut Rng,
        switches: &'a crate::Switches,
        next_call: &'a mut u64,
    ) -> Self {
        Self {
            now,
            start,
            actor,
            rng,
            switches,
            network: None,
            heartbeats: None,
            next_call,
            caused_by: CausedBy::NOTHING,
            has_recorded: false,
            effects: Vec::new(),
        }
    }

    /// The context of a step that a record led to.
    #[must_use]
    pub fn with_cause(mut self, cause: CausedBy) -> Self {
        self.caused_by = cause;
        self
    }

    /// The context with what the world knows beside the API.
    #[must_use]
    pub fn with_world(mut self, network: &'a crate::Network, heartbeats: &'a crate::Heartbeats) -> Self {
        self.network = Some(network);
        self.heartbeats = Some(heartbeats);
        self
    }

    /// Whether messages pass from one place to another now; true where there is no world (tests).
    pub fn reaches(&self, from: &crate::Place, to: &crate::Place) -> bool {
        self.network.is_none_or(|network| network.is_open(from, to))
    }

    /// When the lease of a node was last renewed, as stored now (LC-202); leases are not written as objects.
    pub fn last_renewal(&self, node: &podscope_api::NodeName) -> Option<SimTime> {
        self.heartbeats?.last_renewal(node, self.now)
    }

    /// The heartbeats of all nodes, if there is a world.
    pub fn heartbeats(&self) -> Option<&'a crate::Heartbeats> {
        self.heartbeats
    }

    /// The effects, in order, among those of whoever carries them out.
    pub fn into_effects<U: From<T>, B: From<A>>(self) -> Vec<Effect<U, B>> {
        self.effects.into_iter().map(Effect::into).collect()
    }

    /// Wall-clock time now, as API objects carry it.
    pub fn wall(&self) -> Time {
        self.wall_at(self.now)
    }

    /// Wall-clock time of an instant.
    pub fn wall_at(&self, at: SimTime) -> Time {
        Time(self.start.0 + at.0)
    }

    /// The instant of a wall-clock time.
    pub fn sim_time(&self, wall: Time) -> SimTime {
        SimTime(wall.0 - self.start.0)
    }

    /// The record that led to what is done now. A component that acts later for the same reason keeps it.
    pub fn caused_by(&self) -> CausedBy {
        self.caused_by
    }

    /// From here on, this led to what is done. Requests and timers after a record of this step are caused by that record
    /// until this is called again.
    pub fn because(&mut self, cause: CausedBy) {
        if cause != self.caused_by || self.has_recorded {
            self.caused_by = cause;
            self.has_recorded = false;
            self.effects.push(Effect::Because(cause));
        }
    }

    /// From here on, the record made last in this step led to what is done, to further records too.
    pub fn because_of_last_record(&mut self) {
        self.effects.push(Effect::Follow);
    }

    /// Sends a request; the answer comes back with the same number.
    pub fn call(&mut self, request: Request) -> CallId {
        *self.next_call += 1;
        let id = CallId(*self.next_call);
        self.effects.push(Effect::Call(id, request));
        id
    }

    /// Asks to be woken at an instant.
    pub fn timer(&mut self, at: SimTime, timer: T) {
        self.effects.push(Effect::Timer(at.max(self.now), timer));
    }

    /// Asks to be woken after a while.
    pub fn timer_in(&mut self, span: Span, timer: T) {
        self.timer(self.now + span, timer);
    }

    /// Puts a record about an object into the trace.
    pub fn record(&mut self, happening: Happening, object: &Object) {
        self.record_subject(happening, Some(subject_of(object)), None);
    }

    /// Puts a record into the trace.
    pub fn record_subject(&mut self, happening: Happening, object: Option<Arc<Subject>>, container: Option<Str>) {
        self.has_recorded = true;
        self.effects.push(Effect::Record {
            happening,
            object,
            container,
        });
    }

    /// Does what only this kind of component does.
    pub fn act(&mut self, act: A) {
        self.effects.push(Effect::Act(act));
    }

    /// Lets a part of this component work with timers and acts of its own, which are some of this one's.
    pub fn scoped<U, B, R>(&mut self, work: impl FnOnce(&mut Context<'_, U, B>) -> R) -> R
    where
        T: From<U>,
        A: From<B>,
    {
        let mut part = Context {
            now: self.now,
            start: self.start,
            actor: self.actor.clone(),
            rng: self.rng,
            switches: self.switches,
            network: self.network,
            heartbeats: self.heartbeats,
            next_call: self.next_call,
            caused_by: self.caused_by,
            has_recorded: self.has_recorded,
            effects: Vec::new(),
        };
        let result = work(&mut part);
        (self.caused_by, self.has_recorded) = (part.caused_by, part.has_recorded);
        let effects = part.effects;
        self.effects.extend(effects.into_iter().map(Effect::into));
        result
    }
}

/// The subject of records about an object.
pub fn subject_of(object: &Object) -> Arc<Subject> {
    Arc::new(Subject {
        kind: object.kind(),
        key: object.key(),
        uid: object.metadata().uid.clone(),
    })
}

/// The subject of records about an object that is not at hand.
pub fn subject(kind: Kind, key: ObjectKey, uid: Uid) -> Arc<Subject> {
    Arc::new(Subject { kind, key, uid })
}
