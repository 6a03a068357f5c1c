//! Events as event recorders write them.

use podscope_api::{Event, EventType, Kind, Object, Uid};
use podscope_apiserver::{ApiServer, Outcome};
use podscope_sim::{EventNote, Happening, Request};

use crate::{CALLER, create, server};

fn event_note(about: &Object, uid: Uid) -> EventNote {
    EventNote {
        component: "reporter".into(),
        kind: Kind::Pod,
        key: about.key(),
        uid,
        field_path: "".into(),
        kind_of_event: EventType::Normal,
        reason: "Reported".into(),
        message: "a message".into(),
        action: "".into(),
        related: None,
    }
}

/// Sends an event; returns the stored event, and the UID of its object according to the record in the trace.
fn record_event(server: &mut ApiServer, event_note: EventNote) -> (Event, Uid) {
    let mut out = Outcome::default();
    server
        .handle(&Request::Event(event_note), &CALLER, &mut out)
        .expect("it is taken");
    let event = server.objects().list::<Event>().last().expect("an event");
    let mut records = out
        .records
        .iter()
        .filter(|draft| matches!(draft.happening, Happening::Event { .. }));
    let about = records.next().and_then(|draft| draft.object.clone()).expect("a record");
    (Event::clone(event), about.uid.clone())
}

fn pod(server: &mut ApiServer, name: &str) -> Object {
    let text = format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: default}}, spec: {{containers: [{{name: c, image: i}}]}}}}"
    );
    create(server, &text).expect("a pod")
}

/// An event that refers to its pod without a UID is stored without one; its record in the trace has the pod's UID.
/// Shows: CT-033
#[test]
fn record_of_event_without_uid_has_uid_of_its_pod() {
    let mut server = server();
    let about = pod(&mut server, "one");
    let (event, recorded) = record_event(&mut server, event_note(&about, Uid::default()));
    let named = event.involved_object;
    assert_eq!((&*named.name, &*named.uid.0, &*named.resource_version), ("one", "", ""));
    assert_eq!(recorded, about.metadata().uid);
}

/// The event of a preempted pod refers to the preemptor with its resourceVersion.
/// Shows: SCH-105
#[test]
fn event_reference_to_preemptor_has_resource_version() {
    let mut server = server();
    let (victim, preemptor) = (pod(&mut server, "low"), pod(&mut server, "high"));
    let related = (Kind::Pod, preemptor.key(), preemptor.metadata().uid.clone());
    let (event, _) = record_event(
        &mut server,
        EventNote {
            action: "Preempting".into(),
            related: Some(related),
            ..event_note(&victim, victim.metadata().uid.clone())
        },
    );
    let version = |object: &Object| object.metadata().resource_version.clone();
    assert_eq!(event.involved_object.resource_version, version(&victim));
    let related = event.related.expect("the preemptor");
    assert_eq!(
        (&*related.name, related.resource_version),
        ("high", version(&preemptor))
    );
}
