//! Events: equal ones are one object with a count, as client-go's recorders
//! make them. Writers of `events.k8s.io` (the scheduler) say what they did and
//! when in other fields than the rest: `eventTime`, `action`, `series` (KC-073,
//! SCH-128).
//!
//! Deviation: a series is counted as it goes; the real recorder writes its
//! beginning and its end.

use podscope_api::{
    Event, EventSeries, EventSource, Kind, Labels, MicroTime, Namespace, Object, ObjectKey, ObjectReference, Str, Uid,
    shared,
};
use rpds::RedBlackTreeMapSync;
use std::sync::Arc;

use super::{ApiServer, Caller, Draft, Outcome, new_uid};
use podscope_sim::{Actor, EventNote, subject};
use podscope_sim::{Happening, fnv64};

/// Events kept; beyond this the oldest go. Deviation: the real server forgets events after an hour
/// whatever their number; a bound keeps memory in check in large runs.
const KEPT_MAX: usize = 10_000;

/// `~` The name of the machine that the control plane runs on.
const HOST: &str = "control-plane";

/// Numbers, each with another one and the key of an event.
type Index = RedBlackTreeMapSync<u64, (u64, ObjectKey)>;

/// Which event objects exist.
#[derive(Debug, Clone, Default)]
pub(super) struct EventLog {
    /// The newest that says so, by a hash of who says what; with its number.
    known: Index,
    /// By number, in the order of their creation; with that hash.
    order: Index,
    next: u64,
    /// The labels of events.
    nothing: Labels,
}

impl ApiServer {
    /// Records an event, or raises the count of an equal one.
    pub(super) fn note_event(&mut self, note: &EventNote, caller: &Caller<'_>, out: &mut Outcome) {
        let hash = hash_of(note, caller.actor);
        let namespace = if note.key.namespace.is_empty() {
            shared("default")
        } else {
            note.key.namespace.clone()
        };
        let count = match self.repeated(hash, note, caller) {
            Some(count) => count,
            // What is refused is not tried again.
            None if self.is_ending(&namespace) => return,
            None => {
                self.events.next += 1;
                let nanoseconds = caller.wall().0.wrapping_mul(1000) + (self.events.next % 1000) as i64;
                let (wall, signed) = (caller.wall(), source(caller.actor, note));
                let mut event = Event {
                    metadata: podscope_api::ObjectMeta {
                        name: format!("{}.{nanoseconds:x}", note.key.name).into(),
                        namespace,
                        uid: new_uid(&mut self.rng),
                        creation_timestamp: Some(caller.wall()),
                        labels: self.events.nothing.clone(),
                        annotations: self.events.nothing.clone(),
                        ..Default::default()
                    },
                    involved_object: reference(note.kind, &note.key, &note.uid, &note.field_path),
                    reason: shared(&note.reason),
                    message: note.message.clone(),
                    kind: shared(note.kind_of_event.as_str()),
                    related: note
                        .related
                        .as_ref()
                        .map(|(kind, key, uid)| reference(*kind, key, uid, "")),
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
                let number = self.events.next;
                self.events.known.insert_mut(hash, (number, key.clone()));
                self.events.order.insert_mut(number, (hash, key));
                self.forget_oldest();
                1
            }
        };
        out.records.push(Draft {
            happening: Happening::Event {
                kind: note.kind_of_event.clone(),
                reason: note.reason.clone(),
                message: note.message.clone(),
                count,
            },
            object: Some(subject(note.kind, note.key.clone(), note.uid.clone())),
        });
    }

    /// Whether a namespace takes nothing new any more (CT-119).
    fn is_ending(&self, namespace: &str) -> bool {
        let namespace = self.objects().named::<Namespace>(namespace);
        namespace.is_some_and(|namespace| namespace.metadata.is_terminating())
    }

    /// Counts an event again that says the same; its count.
    fn repeated(&mut self, hash: u64, note: &EventNote, caller: &Caller<'_>) -> Option<i32> {
        let (_, key) = self.events.known.get(&hash)?;
        let Object::Event(mut event) = self.store.objects().get_kind(Kind::Event, key)? else {
            return None;
        };
        if !says(&event, note) {
            return None;
        }
        let typed = Arc::make_mut(&mut event);
        let known = typed.series.as_ref().map(|series| series.count).or(typed.count);
        let count = known.unwrap_or(1).saturating_add(1);
        if typed.action.is_empty() {
            typed.count = Some(count);
            typed.last_timestamp = Some(caller.wall());
        } else {
            let last_observed_time = Some(MicroTime(caller.wall().0));
            typed.series = Some(EventSeries {
                count,
                last_observed_time,
            });
        }
        self.store.put_unwatched(Object::Event(event));
        Some(count)
    }

    fn forget_oldest(&mut self) {
        while self.events.order.size() > KEPT_MAX {
            let Some((number, (hash, key))) = self.events.order.first().map(|(n, entry)| (*n, entry.clone())) else {
                return;
            };
            self.events.order.remove_mut(&number);
            if self.events.known.get(&hash).is_some_and(|(known, _)| *known == number) {
                self.events.known.remove_mut(&hash);
            }
            self.store.remove_unwatched(Kind::Event, &key);
        }
    }
}

/// What makes two events equal, as a number; [`says`] tells those apart that share one.
fn hash_of(note: &EventNote, actor: &Actor) -> u64 {
    let ObjectKey { namespace, name } = &note.key;
    let actor = actor.to_string();
    fnv64([
        &*actor,
        &*note.component,
        note.kind.name(),
        &**namespace,
        &**name,
        &*note.uid.0,
        &*note.field_path,
        &*note.reason,
        &*note.message,
    ])
}

/// Whether an event says what is noted now.
fn says(event: &Event, note: &EventNote) -> bool {
    let about = &event.involved_object;
    event.reporting_component == note.component
        && *about.kind == *note.kind.name()
        && about.namespace == note.key.namespace
        && about.name == note.key.name
        && about.uid == note.uid
        && about.field_path == note.field_path
        && event.reason == note.reason
        && event.message == note.message
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
