//! Events: equal ones are one object with a count, as client-go's recorders
//! make them. Writers of `events.k8s.io` (the scheduler) say what they did and
//! when in other fields than the rest: `eventTime`, `action`, `series` (KC-073,
//! SCH-128).
//!
//! Deviation: a series is counted as it goes; the real recorder writes its
//! beginning and its end.

use podscope_api::{Event, EventSeries, EventSource, Kind, MicroTime, Object, ObjectKey, ObjectReference, Str, Uid};
use rpds::RedBlackTreeMapSync;
use serde_json::json;
use std::sync::Arc;

use super::{ApiServer, Caller, Draft, Outcome, new_uid};
use crate::{Actor, EventNote, What, subject};

/// Events kept; beyond this the oldest go. Deviation: the real server forgets events after an hour
/// whatever their number; a bound keeps memory in check in large runs.
const KEPT_MAX: usize = 20_000;

/// `~` The name of the machine that the control plane runs on.
const HOST: &str = "control-plane";

/// What makes two events equal.
type Identity = (Actor, Str, Kind, ObjectKey, Uid, Str, Str, Str);

/// Which event objects exist, by what they say, and in order of creation.
#[derive(Debug, Clone, Default)]
pub(super) struct EventLog {
    known: RedBlackTreeMapSync<Identity, ObjectKey>,
    order: RedBlackTreeMapSync<u64, (Identity, ObjectKey)>,
    next: u64,
}

impl ApiServer {
    /// Records an event, or raises the count of an equal one.
    pub(super) fn note_event(&mut self, note: &EventNote, caller: &Caller<'_>, out: &mut Outcome) {
        let identity: Identity = (
            caller.actor.clone(),
            note.component.clone(),
            note.kind,
            note.key.clone(),
            note.uid.clone(),
            note.field_path.clone(),
            note.reason.clone(),
            note.message.clone(),
        );
        let namespace = if note.key.namespace.is_empty() {
            Str::from("default")
        } else {
            note.key.namespace.clone()
        };
        let count = match self.repeated(&identity, caller) {
            Some(count) => count,
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
                        ..Default::default()
                    },
                    involved_object: reference(note.kind, &note.key, &note.uid, &note.field_path),
                    reason: note.reason.clone(),
                    message: note.message.clone(),
                    kind: note.kind_of_event.as_str().into(),
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
                self.events.known.insert_mut(identity.clone(), key.clone());
                self.events.order.insert_mut(number, (identity, key));
                self.forget_oldest();
                1
            }
        };
        out.records.push(Draft {
            what: What::Event,
            object: Some(subject(note.kind, note.key.clone(), note.uid.clone())),
            fields: vec![
                ("type", json!(note.kind_of_event.as_str())),
                ("reason", json!(&*note.reason)),
                ("message", json!(&*note.message)),
                ("count", json!(count)),
            ],
        });
    }

    fn repeated(&mut self, identity: &Identity, caller: &Caller<'_>) -> Option<i32> {
        let key = self.events.known.get(identity)?;
        let Object::Event(event) = self.store.objects().get_kind(Kind::Event, key)? else {
            return None;
        };
        let mut event = event;
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
            let Some((number, (identity, key))) = self.events.order.first().map(|(n, entry)| (*n, entry.clone()))
            else {
                return;
            };
            self.events.order.remove_mut(&number);
            if self.events.known.get(&identity) == Some(&key) {
                self.events.known.remove_mut(&identity);
            }
            self.store.remove_unwatched(Kind::Event, &key);
        }
    }
}

fn reference(kind: Kind, key: &ObjectKey, uid: &Uid, field_path: &str) -> ObjectReference {
    ObjectReference {
        kind: kind.name().into(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: uid.clone(),
        api_version: kind.api_version().into(),
        field_path: field_path.into(),
        ..ObjectReference::default()
    }
}

/// The component that says so, as the `From` column of `kubectl describe` shows it.
fn source(actor: &Actor, note: &EventNote) -> EventSource {
    EventSource {
        component: note.component.clone(),
        host: match actor {
            Actor::Kubelet(node) => node.0.clone(),
            _ => Str::from(""),
        },
    }
}
