//! The input and output of a component. A component reads its input and its own state, and returns effects. The world
//! applies the effects; no component changes the state of another.

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, Object, ObjectKey, Str, Time, Uid};

use crate::{Actor, Answer, CallId, Happening, Objects, Request, Rng, SimTime, Span, Subject};

/// A write to the store of the API server: the object before and after it.
#[derive(Debug, Clone)]
pub struct Change {
    /// The store's revision after the write.
    pub revision: u64,
    /// The object before the write; `None` for a creation.
    pub old: Option<Object>,
    /// The object after the write; `None` for a removal.
    pub new: Option<Object>,
}

impl Change {
    /// Returns the object after the write or, for a removal, before it.
    pub fn object(&self) -> Option<&Object> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// A change as watches deliver it: together with all objects at its revision, so that a watch cache only stores a
/// pointer to them.
#[derive(Debug, Clone)]
pub struct WatchResponse {
    /// The write that the watch reports.
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

/// An input of a process that talks to the API server.
#[derive(Debug, Clone)]
pub enum Input<T> {
    /// The process starts, with empty state.
    Started,
    /// The result of a list, at start or when a broken watch cannot resume from its revision. It replaces the cache.
    Listed {
        /// Revision of the state.
        revision: u64,
        objects: Arc<Objects>,
    },
    /// A watch event.
    Changed(Arc<WatchResponse>),
    /// The answer to a call, or its timeout (`code` 0, reason `Timeout`).
    Answered(CallId, Answer),
    /// A timer that the process set.
    Timer(T),
}

impl<T> Input<T> {
    /// Converts the input for a part of the component that handles only some of the component's timers.
    ///
    /// # Errors
    /// Returns the conversion error if the timer does not belong to that part.
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

/// An output of a component. `T` is the type of its timers, `A` the type of its actions outside the API.
#[derive(Debug, Clone)]
pub enum Effect<T, A> {
    /// Sends a request to the API server over the actor's link.
    Call(CallId, Request),
    /// Wakes the actor at an instant, not before now.
    Timer(SimTime, T),
    /// Puts a record into the trace.
    Record {
        happening: Happening,
        /// The object that the record is about.
        object: Option<Arc<Subject>>,
        container: Option<Str>,
    },
    /// Later effects of this step name this record as their cause, instead of the record that led to the step.
    Because(CausedBy),
    /// Later effects of this step, including records, name the step's latest record as their cause.
    Follow,
    /// Performs an action that is specific to this kind of component.
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

/// The context of one step of one component, with timers of type `T` and actions of type `A`.
pub struct Context<'a, T, A> {
    /// The simulated time of this step.
    pub now: SimTime,
    /// Wall-clock time at t = 0.
    pub start: Time,
    /// The process that acts.
    pub actor: Actor,
    /// The actor's own random generator.
    pub rng: &'a mut Rng,
    /// Switches that bring back behaviour of older Kubernetes versions (F-20).
    pub switches: &'a crate::Switches,
    /// The network, for communication that bypasses the API server (storage, probes between peers).
    network: Option<&'a crate::Network>,
    heartbeats: Option<&'a crate::Heartbeats>,
    request_load: Option<&'a crate::RequestLoad>,
    next_call: &'a mut u64,
    caused_by: CausedBy,
    /// Whether a record was made since `caused_by` was set. If so, later effects are caused by that record.
    has_recorded: bool,
    effects: Vec<Effect<T, A>>,
}

impl<'a, T, A> Context<'a, T, A> {
    /// Creates a context with no effects yet.
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
            request_load: None,
            next_call,
            caused_by: CausedBy::NOTHING,
            has_recorded: false,
            effects: Vec::new(),
        }
    }

    /// Sets the record that caused this step.
    #[must_use]
    pub fn with_cause(mut self, cause: CausedBy) -> Self {
        self.caused_by = cause;
        self
    }

    /// Adds the network and the heartbeats, which components see besides the API.
    #[must_use]
    pub fn with_world(mut self, network: &'a crate::Network, heartbeats: &'a crate::Heartbeats) -> Self {
        self.network = Some(network);
        self.heartbeats = Some(heartbeats);
        self
    }

    /// Adds the CPU load of clients' requests, which a metrics server would report.
    #[must_use]
    pub fn with_request_load(mut self, load: &'a crate::RequestLoad) -> Self {
        self.request_load = Some(load);
        self
    }

    /// Returns the CPU load of clients' requests; `None` without a world (in tests).
    pub fn request_load(&self) -> Option<&'a crate::RequestLoad> {
        self.request_load
    }

    /// Returns whether messages pass from one place to another now. Always true without a world (in tests).
    pub fn reaches(&self, from: &crate::Place, to: &crate::Place) -> bool {
        self.network.is_none_or(|network| network.is_open(from, to))
    }

    /// Returns when the lease of a node was last renewed, as the API server has it now (LC-202). Leases are not stored
    /// as objects.
    pub fn last_renewal(&self, node: &podscope_api::NodeName) -> Option<SimTime> {
        self.heartbeats?.last_renewal(node, self.now)
    }

    /// Returns the heartbeats of all nodes; `None` without a world (in tests).
    pub fn heartbeats(&self) -> Option<&'a crate::Heartbeats> {
        self.heartbeats
    }

    /// Returns the effects in order, converted to the timer and action types of the caller.
    pub fn into_effects<U: From<T>, B: From<A>>(self) -> Vec<Effect<U, B>> {
        self.effects.into_iter().map(Effect::into).collect()
    }

    /// Returns the present wall-clock time, as API objects store it.
    pub fn wall(&self) -> Time {
        self.wall_at(self.now)
    }

    /// Returns the wall-clock time of an instant.
    pub fn wall_at(&self, at: SimTime) -> Time {
        Time(self.start.0 + at.0)
    }

    /// Returns the instant of a wall-clock time.
    pub fn sim_time(&self, wall: Time) -> SimTime {
        SimTime(wall.0 - self.start.0)
    }

    /// Returns the record that causes the current effects. A component that continues the work later stores it.
    pub fn caused_by(&self) -> CausedBy {
        self.caused_by
    }

    /// Sets the cause of the following effects. A record made after this call becomes the cause of later requests and
    /// timers, until `set_cause` is called again.
    pub fn set_cause(&mut self, cause: CausedBy) {
        if cause != self.caused_by || self.has_recorded {
            self.caused_by = cause;
            self.has_recorded = false;
            self.effects.push(Effect::Because(cause));
        }
    }

    /// Makes the latest record of this step the cause of the following effects, including records.
    pub fn set_cause_to_last_record(&mut self) {
        self.effects.push(Effect::Follow);
    }

    /// Sends a request. Returns the number of the call, which its answer repeats.
    pub fn call(&mut self, request: Request) -> CallId {
        *self.next_call += 1;
        let id = CallId(*self.next_call);
        self.effects.push(Effect::Call(id, request));
        id
    }

    /// Sets a timer for an instant.
    pub fn timer(&mut self, at: SimTime, timer: T) {
        self.effects.push(Effect::Timer(at.max(self.now), timer));
    }

    /// Sets a timer that fires after the span.
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

    /// Performs an action that is specific to this kind of component.
    pub fn act(&mut self, act: A) {
        self.effects.push(Effect::Act(act));
    }

    /// Runs `work` for a part of this component that has its own timer and action types, which convert to this
    /// component's.
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
            request_load: self.request_load,
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

/// Returns the subject of records about an object.
pub fn subject_of(object: &Object) -> Arc<Subject> {
    Arc::new(Subject {
        kind: object.kind(),
        key: object.key(),
        uid: object.metadata().uid.clone(),
    })
}

/// Returns the subject of records about an object, from its parts.
pub fn subject(kind: Kind, key: ObjectKey, uid: Uid) -> Arc<Subject> {
    Arc::new(Subject { kind, key, uid })
}
