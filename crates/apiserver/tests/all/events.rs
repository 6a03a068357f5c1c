//! Events as clients' recorders make them.

use podscope_api::{Event, EventType, Kind, Object, Uid};
use podscope_apiserver::{ApiServer, Outcome};
use podscope_sim::{EventNote, Happening, Request};

use crate::{CALLER, create, server};

fn note(about: &Object, uid: Uid) -> EventNote {
    EventNote {
        component: "speaker".into(),
        kind: Kind::Pod,
        key: about.key(),
        uid,
        field_path: "".into(),
        kind_of_event: EventType::Normal,
        reason: "Spoken".into(),
        message: "a word".into(),
        action: "".into(),
        related: None,
    }
}

/// The event as it is stored, and the UID of the object of its record.
fn noted(server: &mut ApiServer, note: EventNote) -> (Event, Uid) {
    let mut out = Outcome::default();
    server
        .handle(&Request::Event(note), &CALLER, &mut out)
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

/// Who names the pod by its name alone says nothing else of it; the record tells which pod that is.
/// Shows: CT-033
#[test]
fn what_names_a_pod_by_its_name_alone_has_no_uid() {
    let mut server = server();
    let about = pod(&mut server, "one");
    let (event, recorded) = noted(&mut server, note(&about, Uid::default()));
    let named = event.involved_object;
    assert_eq!((&*named.name, &*named.uid.0, &*named.resource_version), ("one", "", ""));
    assert_eq!(recorded, about.metadata().uid);
}

/// The event of a victim names its preemptor whole.
/// Shows: SCH-105
#[test]
fn a_second_object_is_named_like_the_first() {
    let mut server = server();
    let (victim, preemptor) = (pod(&mut server, "low"), pod(&mut server, "high"));
    let related = (Kind::Pod, preemptor.key(), preemptor.metadata().uid.clone());
    let (event, _) = noted(
        &mut server,
        EventNote {
            action: "Preempting".into(),
            related: Some(related),
            ..note(&victim, victim.metadata().uid.clone())
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
