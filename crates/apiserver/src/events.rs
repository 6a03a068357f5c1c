//! Events as client-go's event recorders create them (KC-073, SCH-128, CT-194).
//!
//! Most components correlate events: equal events become one object with a count. From the tenth different message with
//! the same reason on, events are combined into one, whose message begins with `(combined from similar events)`. A
//! component that has sent too many events about one object may send only one every five minutes.
//!
//! Writers of `events.k8s.io` (the scheduler) use other fields (`eventTime`, `action`, `series`), and also distinguish
//! events by the resourceVersion of the object.
//!
//! The state of a recorder is lost with its process; a restarted process counts from zero.
//!
//! Deviation: the state of the recorders is stored in the API server, and every event of a series updates its count;
//! the real recorder writes only the start and the end of a series.

mod fifo;
mod lru_cache;

use podscope_api::{
    Event, EventSeries, EventSource, Kind, Labels, MicroTime, Namespace, Object, ObjectKey, ObjectReference, Str, Time,
    Uid, ordered, shared,
};
use std::sync::Arc;

use super::{ApiServer, Caller, Outcome, RecordDraft};
use fifo::Fifo;
use lru_cache::LruCache;
use podscope_api::hash::fnv1a;
use podscope_sim::{Actor, EventNote, subject};
use podscope_sim::{Happening, fnv64};

/// Maximum number of stored events; the oldest are removed. Deviation: the real server has no such limit. It bounds
/// memory in large runs.
const EVENTS_MAX: usize = 10_000;
/// Retention of an event after its last occurrence, in microseconds.
const EVENT_TTL: i64 = 3600 * 1_000_000;

/// Host name of the control plane's machine, for `reportingInstance`. Not verified against a real cluster.
const CONTROL_PLANE_HOST: &str = "control-plane";

/// Number of different messages with the same reason at which the combining of events begins: the event with the tenth
/// message is the first combined one.
const MESSAGES_BEFORE_COMBINING: usize = 10;
/// Time without a similar event after which the different messages are counted anew, in microseconds.
const SIMILAR_EVENTS_PAUSE: i64 = 600 * 1_000_000;
/// Number of events that one component may send about one object without a pause.
const EVENT_BURST: i64 = 25;
/// Number of tokens that an event takes from its budget. One token is added per microsecond, so this is also the
/// interval in microseconds after which a component may send one more event about an object.
const TOKENS_PER_EVENT: i64 = 300 * 1_000_000;
/// Time without an event that ends an event series of the scheduler, in microseconds.
const SERIES_END_PAUSE: i64 = 360 * 1_000_000;

/// The existing event objects, and the state of all event recorders.
#[derive(Debug, Clone, Default)]
pub(super) struct EventLog {
    /// Sent events, by the hash of the properties that make two events equal.
    sent: LruCache<SentEvent>,
    /// The different messages of similar events, by the hash of component, object, type and reason.
    similar: LruCache<SimilarEvents>,
    /// Remaining event budgets, by the hash of component and object.
    budget: LruCache<EventBudget>,
    /// Keys of the stored events, in the order of their creation.
    order: Fifo<ObjectKey>,
    /// No stored event has its last occurrence before this time; `None` if not computed yet.
    oldest_occurrence: Option<Time>,
    next: u64,
    /// Number of restarts of each process.
    restarts: ordered::Map<Actor, u64>,
    /// An empty map, shared as labels and annotations by all events.
    no_labels: Labels,
}

/// A sent event: the key of its stored object, its count, and the time of its last occurrence.
#[derive(Debug, Clone)]
struct SentEvent {
    key: ObjectKey,
    count: i32,
    at: Time,
}

/// Similar events (same component, object, type and reason): the hashes of their different messages in order of
/// arrival, and the time of the last event.
#[derive(Debug, Clone, Default)]
struct SimilarEvents {
    messages: Vec<u64>,
    at: Time,
}

/// The event budget of a component for one object: a token bucket. Each elapsed microsecond adds one token, and each
/// event takes [`TOKENS_PER_EVENT`] tokens.
#[derive(Debug, Clone)]
struct EventBudget {
    tokens: i64,
    at: Time,
}

/// The result of correlation: the hash that identifies equal events, and the message to store.
struct CorrelatedEvent {
    hash: u64,
    message: Str,
}

impl EventLog {
    /// Decides whether an event is stored by itself or combined with similar events. `version` is the resourceVersion
    /// of the object that the event is about.
    fn correlate(&mut self, note: &EventNote, reporter_hash: u64, version: &str, now: Time) -> CorrelatedEvent {
        if !note.action.is_empty() {
            let parts = [&*note.reason, note.kind_of_event.as_str(), &*note.action, version];
            return CorrelatedEvent {
                hash: extend_reporter_hash(reporter_hash, &parts),
                message: note.message.clone(),
            };
        }
        let group_hash = extend_reporter_hash(reporter_hash, &[&note.reason, note.kind_of_event.as_str()]);
        let message = fnv64([&*note.message]);
        let mut similar = self.similar.get(group_hash).cloned().unwrap_or_default();
        if now.0 - similar.at.0 > SIMILAR_EVENTS_PAUSE {
            similar.messages.clear();
        }
        if !similar.messages.contains(&message) {
            similar.messages.push(message);
        }
        let is_combined = similar.messages.len() >= MESSAGES_BEFORE_COMBINING;
        if is_combined {
            similar.messages.remove(0);
        }
        similar.at = now;
        self.similar.put(group_hash, similar);
        if is_combined {
            return CorrelatedEvent {
                hash: group_hash,
                message: format!("(combined from similar events): {}", note.message).into(),
            };
        }
        CorrelatedEvent {
            hash: extend_reporter_hash(
                reporter_hash,
                &[
                    &note.reason,
                    note.kind_of_event.as_str(),
                    &note.field_path,
                    &note.message,
                ],
            ),
            message: note.message.clone(),
        }
    }

    /// Takes the tokens of one event from the budget of a component and object; false if the budget has too few.
    fn take_event_tokens(&mut self, about: u64, now: Time) -> bool {
        let capacity = EVENT_BURST * TOKENS_PER_EVENT;
        let tokens = self
            .budget
            .get(about)
            .map_or(capacity, |budget| (budget.tokens + (now.0 - budget.at.0)).min(capacity));
        let has_token = tokens >= TOKENS_PER_EVENT;
        let tokens = if has_token { tokens - TOKENS_PER_EVENT } else { tokens };
        self.budget.put(about, EventBudget { tokens, at: now });
        has_token
    }
}

impl ApiServer {
    /// Clears the state of a process's event recorder after a restart.
    pub fn forget_recorder(&mut self, actor: &Actor) {
        *self.events.restarts.entry(actor.clone()).or_default() += 1;
    }

    /// Stores an event, or increments the count of an equal one.
    pub(super) fn note_event(&mut self, note: &EventNote, caller: &Caller<'_>, out: &mut Outcome) {
        let (now, is_series) = (caller.wall_time(), !note.action.is_empty());
        let version = self.resource_version_of(note.kind, &note.key, &note.uid);
        let restarts = self.events.restarts.get(caller.actor).copied().unwrap_or_default();
        let reporter_hash = reporter_hash(note, caller.actor).wrapping_add(restarts);
        let CorrelatedEvent { hash, message } = self.events.correlate(note, reporter_hash, &version, now);
        let last = self.events.sent.get(hash).cloned();
        let last = last.filter(|last| !is_series || now.0 - last.at.0 <= SERIES_END_PAUSE);
        let count = last.as_ref().map_or(0, |last| last.count).saturating_add(1);
        let namespace = if note.key.namespace.is_empty() {
            shared("default")
        } else {
            note.key.namespace.clone()
        };
        let known = last.and_then(|last| match self.store.objects().get_kind(Kind::Event, &last.key) {
            Some(Object::Event(event)) if matches_note(&event, note) => Some(event),
            _ => None,
        });
        // The server refuses a new event in a terminating namespace, and the recorder does not retry it.
        if known.is_none() && self.is_terminating(&namespace) {
            return;
        }
        let is_within_budget = is_series || self.events.take_event_tokens(reporter_hash, now);
        let (key, count) = match known {
            Some(event) => {
                let key = event.metadata.key();
                if is_within_budget {
                    self.increment_event_count(event, &message, count, now);
                }
                (key, count)
            }
            None if is_within_budget => (self.create_event(note, namespace, &message, version, caller), 1),
            None => return,
        };
        self.events.sent.put(hash, SentEvent { key, count, at: now });
        if !is_within_budget {
            return;
        }
        out.records.push(RecordDraft {
            happening: Happening::Event {
                kind: note.kind_of_event.clone(),
                reason: note.reason.clone(),
                message,
                count,
            },
            object: Some(subject(note.kind, note.key.clone(), self.object_uid_of_note(note))),
        });
    }

    /// Returns the UID of the object that the event is about, looked up by name if the event has no UID.
    fn object_uid_of_note(&self, note: &EventNote) -> Uid {
        let object = note
            .uid
            .is_empty()
            .then(|| self.objects().get_kind(note.kind, &note.key));
        object
            .flatten()
            .map_or_else(|| note.uid.clone(), |object| object.metadata().uid.clone())
    }

    /// Returns the resourceVersion of the object that an event refers to. Empty for Nodes, because kubelets and node
    /// controllers set only the node's name.
    fn resource_version_of(&self, kind: Kind, key: &ObjectKey, uid: &Uid) -> Str {
        let object = (kind != Kind::Node)
            .then(|| self.objects().get_kind(kind, key))
            .flatten();
        let object = object.filter(|object| object.metadata().uid == *uid);
        object.map_or_else(Str::default, |object| object.metadata().resource_version.clone())
    }

    /// Stores a new event.
    fn create_event(
        &mut self,
        note: &EventNote,
        namespace: Str,
        message: &Str,
        version: Str,
        caller: &Caller<'_>,
    ) -> ObjectKey {
        self.events.next += 1;
        let nanoseconds = caller.wall_time().0.wrapping_mul(1000) + (self.events.next % 1000) as i64;
        let (wall_time, source) = (caller.wall_time(), event_source(caller.actor, note));
        let mut event = Event {
            metadata: podscope_api::ObjectMeta {
                name: format!("{}.{nanoseconds:x}", note.key.name).into(),
                namespace,
                uid: self.rng.uid(),
                creation_timestamp: Some(caller.wall_time()),
                labels: self.events.no_labels.clone(),
                annotations: self.events.no_labels.clone(),
                ..Default::default()
            },
            involved_object: ObjectReference {
                resource_version: version,
                ..object_reference(note.kind, &note.key, &note.uid, &note.field_path)
            },
            reason: shared(&note.reason),
            message: message.clone(),
            kind: shared(note.kind_of_event.as_str()),
            related: note.related.as_ref().map(|(kind, key, uid)| ObjectReference {
                resource_version: self.resource_version_of(*kind, key, uid),
                ..object_reference(*kind, key, uid, "")
            }),
            reporting_component: source.component.clone(),
            reporting_instance: source.host.clone(),
            ..Event::default()
        };
        if note.action.is_empty() {
            event.source = source;
            event.first_timestamp = Some(wall_time);
            event.last_timestamp = Some(wall_time);
            event.count = Some(1);
        } else {
            event.action = note.action.clone();
            event.event_time = Some(MicroTime(wall_time.0));
            event.reporting_instance = format!("{}-{CONTROL_PLANE_HOST}", source.component).into();
        }
        let key = event.metadata.key();
        self.store.put_unwatched(Object::Event(Arc::new(event)));
        self.events.order.push(key.clone());
        self.drop_excess_events();
        key
    }

    /// Returns whether a namespace is terminating, so that it accepts no new objects (CT-119).
    fn is_terminating(&self, namespace: &str) -> bool {
        let namespace = self.objects().named::<Namespace>(namespace);
        namespace.is_some_and(|namespace| namespace.metadata.is_terminating())
    }

    /// Increments the count of a stored event and updates its message.
    fn increment_event_count(&mut self, mut event: Arc<Event>, message: &Str, count: i32, now: Time) {
        let typed = Arc::make_mut(&mut event);
        if typed.action.is_empty() {
            typed.message = message.clone();
            typed.count = Some(count);
            typed.last_timestamp = Some(now);
        } else {
            let last_observed_time = Some(MicroTime(now.0));
            typed.series = Some(EventSeries {
                count,
                last_observed_time,
            });
        }
        self.store.put_unwatched(Object::Event(event));
    }

    /// Adds an imported event to the log.
    pub(super) fn add_imported_event(&mut self, key: ObjectKey) {
        self.events.order.push(key);
        self.drop_excess_events();
    }

    /// Removes events an hour after their last occurrence (`--event-ttl`).
    pub fn forget_old_events(&mut self, now: Time) {
        let is_old = |event: &Event| now.0 - last_occurrence_of(event).map_or(now.0, |at| at.0) >= EVENT_TTL;
        // All events last occurred at or after `oldest_occurrence`, so they are scanned only if that time is at least
        // an hour ago.
        let has_old = self
            .events
            .oldest_occurrence
            .is_none_or(|oldest| now.0 - oldest.0 >= EVENT_TTL);
        if !has_old {
            return;
        }
        let all = self.objects().clone();
        self.events.oldest_occurrence = all
            .list::<Event>()
            .filter(|event| !is_old(event))
            .filter_map(|event| last_occurrence_of(event))
            .min();
        self.events.oldest_occurrence.get_or_insert(now);
        let expired: Vec<ObjectKey> = all
            .list::<Event>()
            .filter(|event| is_old(event))
            .map(|event| event.metadata.key())
            .collect();
        for key in expired {
            self.store.remove_unwatched(Kind::Event, &key);
        }
    }

    fn drop_excess_events(&mut self) {
        while self.events.order.len() > EVENTS_MAX
            && let Some((_, key)) = self.events.order.pop()
        {
            self.store.remove_unwatched(Kind::Event, &key);
        }
    }
}

/// Returns the last occurrence of an event.
fn last_occurrence_of(event: &Event) -> Option<Time> {
    let series = event.series.as_ref().and_then(|series| series.last_observed_time);
    let last_occurrence = series.max(event.event_time).map(|at| Time(at.0));
    last_occurrence
        .max(event.last_timestamp)
        .max(event.metadata.creation_timestamp)
}

/// Computes the hash of the component and the object that it reports about; the other hashes extend it.
fn reporter_hash(note: &EventNote, actor: &Actor) -> u64 {
    let ObjectKey { namespace, name } = &note.key;
    let actor = actor.to_string();
    fnv64([
        &*actor,
        &*note.component,
        note.kind.name(),
        &**namespace,
        &**name,
        &*note.uid.0,
    ])
}

/// Extends the hash by further texts. Collisions are detected by [`matches_note`].
fn extend_reporter_hash(reporter_hash: u64, more: &[&str]) -> u64 {
    let extend = |hash, text: &&str| fnv1a(hash, [0].into_iter().chain(text.bytes()));
    more.iter().fold(reporter_hash, extend)
}

/// Returns whether a stored event has the component, object and reason of the new one.
fn matches_note(event: &Event, note: &EventNote) -> bool {
    let about = &event.involved_object;
    event.reporting_component == note.component
        && *about.kind == *note.kind.name()
        && about.namespace == note.key.namespace
        && about.name == note.key.name
        && about.uid == note.uid
        && event.reason == note.reason
}

fn object_reference(kind: Kind, key: &ObjectKey, uid: &Uid, field_path: &str) -> ObjectReference {
    ObjectReference {
        kind: shared(kind.name()),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: uid.clone(),
        api_version: shared(kind.api_version()),
        field_path: shared(field_path),
        ..ObjectReference::default()
    }
}

/// Returns the event source, which the `From` column of `kubectl describe` shows.
fn event_source(actor: &Actor, note: &EventNote) -> EventSource {
    EventSource {
        component: shared(&note.component),
        host: match actor {
            Actor::Kubelet(node) => node.0.clone(),
            _ => Str::default(),
        },
    }
}
