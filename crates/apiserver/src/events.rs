//! Events, as client-go's recorders make them. Those of most components are correlated: equal ones are one object with
//! a count, the tenth different message of one reason begins an event `(combined from similar events)`, and an object
//! that one component talks about all the time is heard once in five minutes. Writers of `events.k8s.io` (the
//! scheduler) say what they did and when in other fields (`eventTime`, `action`, `series`), and tell events apart by the
//! version of the object they are about (KC-073, SCH-128, CT-194).
//!
//! A recorder's memory ends with its process: what the next one says is counted anew.
//!
//! Deviation: the recorders' memories are kept here; a series is counted as it goes, where the real recorder writes its
//! beginning and its end.

mod fifo;
mod recent;

use podscope_api::{
    Event, EventSeries, EventSource, Kind, Labels, MicroTime, Namespace, Object, ObjectKey, ObjectReference, Str, Time,
    Uid, ordered, shared,
};
use std::sync::Arc;

use super::{ApiServer, Caller, Draft, Outcome};
use fifo::Fifo;
use podscope_api::hash::fnv1a;
use podscope_sim::{Actor, EventNote, subject};
use podscope_sim::{Happening, fnv64};
use recent::Recent;

/// Events kept; beyond this the oldest go. Deviation: the real server has no such bound; it keeps memory in check in
/// large runs.
const KEPT_MAX: usize = 10_000;
/// How long an event is kept after it was told last, in microseconds.
const KEPT_FOR: i64 = 3600 * 1_000_000;

/// `~` The name of the machine that the control plane runs on.
const HOST: &str = "control-plane";

/// Different messages of one reason, from which on they are combined.
const SIMILAR_MAX: usize = 10;
/// Silence after which similar messages are told one by one again, in microseconds.
const SIMILAR_FOR: i64 = 600 * 1_000_000;
/// What one component may say about one object without a pause, and how long it then waits for one more.
const BURST: i64 = 25;
const REFILL: i64 = 300 * 1_000_000;
/// A series of the scheduler ends after so much silence.
const SERIES_FOR: i64 = 360 * 1_000_000;

/// Which event objects exist, and what the recorders remember.
#[derive(Debug, Clone, Default)]
pub(super) struct EventLog {
    /// What was sent, by what makes it equal.
    sent: Recent<Sent>,
    /// Messages that differ only in their words, by what they have in common.
    similar: Recent<Similar>,
    /// What a component may still say about an object.
    budget: Recent<Budget>,
    /// Keys of events, in the order of their creation.
    order: Fifo<ObjectKey>,
    /// No event was told last before that; none: nobody has looked yet.
    first_told: Option<Time>,
    next: u64,
    /// How often each process began anew, of those that did.
    lives: ordered::Map<Actor, u64>,
    /// The labels of events.
    nothing: Labels,
}

/// An event as it was sent last.
#[derive(Debug, Clone)]
struct Sent {
    key: ObjectKey,
    count: i32,
    at: Time,
}

/// Hashes of different messages, in the order of their coming.
#[derive(Debug, Clone, Default)]
struct Similar {
    messages: Vec<u64>,
    at: Time,
}

/// A bucket of tokens, in microseconds of waiting.
#[derive(Debug, Clone)]
struct Budget {
    left: i64,
    at: Time,
}

/// What becomes of a note: what makes it equal to another, and its words.
struct Correlated {
    hash: u64,
    message: Str,
}

impl EventLog {
    /// Whether a note is told by itself or as one of many that are alike; `version` is that of the object it is about.
    fn correlate(&mut self, note: &EventNote, speaker: u64, version: &str, now: Time) -> Correlated {
        if !note.action.is_empty() {
            let what = [&*note.reason, note.kind_of_event.as_str(), &*note.action, version];
            return Correlated {
                hash: hash_of(speaker, &what),
                message: note.message.clone(),
            };
        }
        let alike = hash_of(speaker, &[&note.reason, note.kind_of_event.as_str()]);
        let message = fnv64([&*note.message]);
        let mut similar = self.similar.get(alike).cloned().unwrap_or_default();
        if now.0 - similar.at.0 > SIMILAR_FOR {
            similar.messages.clear();
        }
        if !similar.messages.contains(&message) {
            similar.messages.push(message);
        }
        let are_many = similar.messages.len() >= SIMILAR_MAX;
        if are_many {
            similar.messages.remove(0);
        }
        similar.at = now;
        self.similar.put(alike, similar);
        if are_many {
            return Correlated {
                hash: alike,
                message: format!("(combined from similar events): {}", note.message).into(),
            };
        }
        Correlated {
            hash: hash_of(
                speaker,
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

    /// Takes one of what a component may say about an object; false if it has to wait.
    fn may_say(&mut self, about: u64, now: Time) -> bool {
        let full = BURST * REFILL;
        let left = self
            .budget
            .get(about)
            .map_or(full, |budget| (budget.left + (now.0 - budget.at.0)).min(full));
        let may = left >= REFILL;
        let left = if may { left - REFILL } else { left };
        self.budget.put(about, Budget { left, at: now });
        may
    }
}

impl ApiServer {
    /// A process began anew: its recorder remembers nothing.
    pub fn forget_recorder(&mut self, actor: &Actor) {
        *self.events.lives.entry(actor.clone()).or_default() += 1;
    }

    /// Records an event, or raises the count of an equal one.
    pub(super) fn note_event(&mut self, note: &EventNote, caller: &Caller<'_>, out: &mut Outcome) {
        let (now, is_series) = (caller.wall(), !note.action.is_empty());
        let version = self.version_of(note.kind, &note.key, &note.uid);
        let lives = self.events.lives.get(caller.actor).copied().unwrap_or_default();
        let speaker = speaker(note, caller.actor).wrapping_add(lives);
        let Correlated { hash, message } = self.events.correlate(note, speaker, &version, now);
        let last = self.events.sent.get(hash).cloned();
        let last = last.filter(|last| !is_series || now.0 - last.at.0 <= SERIES_FOR);
        let count = last.as_ref().map_or(0, |last| last.count).saturating_add(1);
        let namespace = if note.key.namespace.is_empty() {
            shared("default")
        } else {
            note.key.namespace.clone()
        };
        let known = last.and_then(|last| match self.store.objects().get_kind(Kind::Event, &last.key) {
            Some(Object::Event(event)) if says(&event, note) => Some(event),
            _ => None,
        });
        // What is refused is not tried again.
        if known.is_none() && self.is_ending(&namespace) {
            return;
        }
        let is_heard = is_series || self.events.may_say(speaker, now);
        let (key, count) = match known {
            Some(event) => {
                let key = event.metadata.key();
                if is_heard {
                    self.count_again(event, &message, count, now);
                }
                (key, count)
            }
            None if is_heard => (self.first(note, namespace, &message, version, caller), 1),
            None => return,
        };
        self.events.sent.put(hash, Sent { key, count, at: now });
        if !is_heard {
            return;
        }
        out.records.push(Draft {
            happening: Happening::Event {
                kind: note.kind_of_event.clone(),
                reason: note.reason.clone(),
                message,
                count,
            },
            object: Some(subject(note.kind, note.key.clone(), self.uid_of(note))),
        });
    }

    /// The object that the note is about, also where its writer names it by its name alone.
    fn uid_of(&self, note: &EventNote) -> Uid {
        let object = note
            .uid
            .is_empty()
            .then(|| self.objects().get_kind(note.kind, &note.key));
        object
            .flatten()
            .map_or_else(|| note.uid.clone(), |object| object.metadata().uid.clone())
    }

    /// The version of an object that an event names, as far as its writer gives it: kubelets and the controllers of
    /// nodes name their node alone.
    fn version_of(&self, kind: Kind, key: &ObjectKey, uid: &Uid) -> Str {
        let object = (kind != Kind::Node)
            .then(|| self.objects().get_kind(kind, key))
            .flatten();
        let object = object.filter(|object| object.metadata().uid == *uid);
        object.map_or_else(Str::default, |object| object.metadata().resource_version.clone())
    }

    /// Makes the object of an event that is new.
    fn first(
        &mut self,
        note: &EventNote,
        namespace: Str,
        message: &Str,
        version: Str,
        caller: &Caller<'_>,
    ) -> ObjectKey {
        self.events.next += 1;
        let nanoseconds = caller.wall().0.wrapping_mul(1000) + (self.events.next % 1000) as i64;
        let (wall, signed) = (caller.wall(), source(caller.actor, note));
        let mut event = Event {
            metadata: podscope_api::ObjectMeta {
                name: format!("{}.{nanoseconds:x}", note.key.name).into(),
                namespace,
                uid: self.rng.uid(),
                creation_timestamp: Some(caller.wall()),
                labels: self.events.nothing.clone(),
                annotations: self.events.nothing.clone(),
                ..Default::default()
            },
            involved_object: ObjectReference {
                resource_version: version,
                ..reference(note.kind, &note.key, &note.uid, &note.field_path)
            },
            reason: shared(&note.reason),
            message: message.clone(),
            kind: shared(note.kind_of_event.as_str()),
            related: note.related.as_ref().map(|(kind, key, uid)| ObjectReference {
                resource_version: self.version_of(*kind, key, uid),
                ..reference(*kind, key, uid, "")
            }),
            reporting_component: signed.component.clone(),
            reporting_instance: signed.host.clone(),
            ..Event::default()
        };
        if note.action.is_empty() {
            event.source = signed;
            event.first_timestamp = Some(wall);
            event.last_timestamp = Some(wall);
            event.count = Some(1);
        } else {
            event.action = note.action.clone();
            event.event_time = Some(MicroTime(wall.0));
            event.reporting_instance = format!("{}-{HOST}", signed.component).into();
        }
        let key = event.metadata.key();
        self.store.put_unwatched(Object::Event(Arc::new(event)));
        self.events.order.push(key.clone());
        self.forget_oldest();
        key
    }

    /// Whether a namespace takes nothing new any more (CT-119).
    fn is_ending(&self, namespace: &str) -> bool {
        let namespace = self.objects().named::<Namespace>(namespace);
        namespace.is_some_and(|namespace| namespace.metadata.is_terminating())
    }

    /// Writes a new count, and the words of the last one.
    fn count_again(&mut self, mut event: Arc<Event>, message: &Str, count: i32, now: Time) {
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

    /// Takes up an event that was made before the world began.
    pub(super) fn adopt_event(&mut self, key: ObjectKey) {
        self.events.order.push(key);
        self.forget_oldest();
    }

    /// Events go an hour after they were told last (`--event-ttl`).
    pub fn forget_old_events(&mut self, now: Time) {
        let old = |event: &Event| now.0 - last_told(event).map_or(now.0, |at| at.0) >= KEPT_FOR;
        // The oldest of all is not younger than that.
        let has_old = self.events.first_told.is_none_or(|first| now.0 - first.0 >= KEPT_FOR);
        if !has_old {
            return;
        }
        let all = self.objects().clone();
        self.events.first_told = all
            .list::<Event>()
            .filter(|event| !old(event))
            .filter_map(|event| last_told(event))
            .min();
        self.events.first_told.get_or_insert(now);
        let gone: Vec<ObjectKey> = all
            .list::<Event>()
            .filter(|event| old(event))
            .map(|event| event.metadata.key())
            .collect();
        for key in gone {
            self.store.remove_unwatched(Kind::Event, &key);
        }
    }

    fn forget_oldest(&mut self) {
        while self.events.order.len() > KEPT_MAX
            && let Some((_, key)) = self.events.order.pop()
        {
            self.store.remove_unwatched(Kind::Event, &key);
        }
    }
}

/// When an event was told last.
fn last_told(event: &Event) -> Option<Time> {
    let series = event.series.as_ref().and_then(|series| series.last_observed_time);
    let told = series.max(event.event_time).map(|at| Time(at.0));
    told.max(event.last_timestamp).max(event.metadata.creation_timestamp)
}

/// Who speaks of which object: where the hashes of what is said begin.
fn speaker(note: &EventNote, actor: &Actor) -> u64 {
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

/// That, and what more is given; [`says`] tells those apart that share a number.
fn hash_of(speaker: u64, more: &[&str]) -> u64 {
    let on = |hash, text: &&str| fnv1a(hash, [0].into_iter().chain(text.bytes()));
    more.iter().fold(speaker, on)
}

/// Whether an event is of the kind that is noted now.
fn says(event: &Event, note: &EventNote) -> bool {
    let about = &event.involved_object;
    event.reporting_component == note.component
        && *about.kind == *note.kind.name()
        && about.namespace == note.key.namespace
        && about.name == note.key.name
        && about.uid == note.uid
        && event.reason == note.reason
}

fn reference(kind: Kind, key: &ObjectKey, uid: &Uid, field_path: &str) -> ObjectReference {
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

/// The component that says so, as the `From` column of `kubectl describe` shows it.
fn source(actor: &Actor, note: &EventNote) -> EventSource {
    EventSource {
        component: shared(&note.component),
        host: match actor {
            Actor::Kubelet(node) => node.0.clone(),
            _ => Str::default(),
        },
    }
}
