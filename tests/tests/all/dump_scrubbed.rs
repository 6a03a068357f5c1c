//! A dump from which UIDs were removed behaves like the complete dump, and manifests that a person wrote beside it are
//! created (P-09).

use podscope_api::{Kind, ObjectKey, Pod};
use podscope_cluster::{Record, SimTime, What};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};
use podscope_tests::notices_of;
use serde_json::Value;

const DUMP: &str = "
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, uid: node-1, resourceVersion: '7', creationTimestamp: '2026-07-01T08:00:00Z'}
  status:
    capacity: {cpu: '4', memory: 8Gi, pods: '110'}
    allocatable: {cpu: '4', memory: 8Gi, pods: '110'}
    conditions: [{type: Ready, status: 'True', lastHeartbeatTime: '2026-07-01T09:59:00Z'}]
- apiVersion: scheduling.k8s.io/v1
  kind: PriorityClass
  metadata: {name: high, uid: class-1, resourceVersion: '8', creationTimestamp: '2026-07-01T08:00:00Z'}
  value: 1000
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: web, namespace: default, uid: set-1, resourceVersion: '9', creationTimestamp: '2026-07-01T08:00:00Z'}
  spec:
    replicas: 1
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {priorityClassName: high, containers: [{name: app, image: app:1}]}
  status: {replicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1}
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-x
    namespace: default
    uid: pod-1
    resourceVersion: '10'
    creationTimestamp: '2026-07-01T08:00:00Z'
    labels: {app: web}
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: set-1, controller: true}]
  spec:
    nodeName: n1
    priorityClassName: high
    priority: 1000
    containers: [{name: app, image: app:1}]
    volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
  status:
    phase: Running
    startTime: '2026-07-01T08:00:00Z'
    conditions: [{type: PodScheduled, status: 'True'}, {type: Ready, status: 'True'}]
    containerStatuses: [{name: app, restartCount: 3, ready: true, started: true, image: app:1, imageID: '', state: \
                    {running: {startedAt: '2026-07-01T08:00:05Z'}}}]
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: data, namespace: default, uid: claim-1, resourceVersion: '11', creationTimestamp: '2026-07-01T08:00:00Z'}
  spec: {accessModes: [ReadWriteOnce], storageClassName: manual, volumeName: pv-1, resources: {requests: {storage: 1Gi}}}
  status: {phase: Bound}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: pv-1, uid: volume-1, resourceVersion: '12', creationTimestamp: '2026-07-01T08:00:00Z'}
  spec:
    capacity: {storage: 1Gi}
    accessModes: [ReadWriteOnce]
    storageClassName: manual
    hostPath: {path: /data}
    claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: default, name: data, uid: claim-1}
  status: {phase: Bound}
";

/// Returns the dump as a JSON value, so that a test can remove fields.
fn dump_json() -> Value {
    podscope_api::read_yaml(DUMP).expect("YAML").to_value()
}

fn open_dump(text: String) -> Session {
    let loaded = scenario::load(&[("dump.yaml".to_owned(), text.clone())])
        .unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    Session::new(loaded).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

/// Returns kind, name and creation time of each dumped object, and node, phase and restarts of each pod.
fn object_states(session: &Session) -> Vec<String> {
    let objects = session.world().objects();
    let kinds = [
        Kind::Node,
        Kind::PriorityClass,
        Kind::ReplicaSet,
        Kind::PersistentVolumeClaim,
        Kind::PersistentVolume,
    ];
    let others = kinds.into_iter().flat_map(|kind| objects.list_kind(kind));
    let others = others.map(|object| format!("{:?} {} {:?}", object.kind(), object.key(), creation_time(&object)));
    let pods = objects.list::<Pod>().map(|pod| {
        let restarts = pod.status.statuses().map(|status| status.restart_count).sum::<i32>();
        let (metadata, node, phase) = (&pod.metadata, &pod.spec.node_name, &pod.status.phase);
        format!(
            "{} {:?} {node:?} {phase:?} {restarts}",
            metadata.key(),
            metadata.creation_timestamp
        )
    });
    others.chain(pods).collect()
}

fn creation_time(object: &podscope_api::Object) -> Option<podscope_api::Time> {
    object.metadata().creation_timestamp
}

fn states_after_ten_minutes(mut session: Session) -> Vec<String> {
    assert_eq!(session.advance(SimTime::from_seconds(600), u64::MAX), Slice::Done);
    assert_eq!(session.progress().bug_count(), 0);
    object_states(&session)
}

/// Removes all fields with this name, at any depth.
fn remove_fields(value: &mut Value, name: &str) {
    match value {
        Value::Object(fields) => {
            fields.remove(name);
            fields.values_mut().for_each(|value| remove_fields(value, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| remove_fields(value, name)),
        _ => {}
    }
}

/// An object without UID is treated like a dumped object, and references to it still find it.
#[test]
fn dump_with_one_missing_uid_stays_unchanged() {
    let whole = states_after_ten_minutes(open_dump(dump_json().to_string()));
    for at in 0..6 {
        for more in [None, Some("resourceVersion"), Some("creationTimestamp")] {
            let mut scrubbed = dump_json();
            let metadata = scrubbed["items"][at]["metadata"].as_object_mut().expect("metadata");
            metadata.remove("uid").expect("a UID");
            let creation_time_of_item = metadata.get("creationTimestamp").cloned().expect("an age");
            if let Some(more) = more {
                metadata.remove(more);
            }
            let session = open_dump(scrubbed.to_string());
            let item = &scrubbed["items"][at];
            let notices = notices_of(session.loaded()).join("\n");
            let expected = format!("One object has no UID: {} ", item["kind"].as_str().expect("a kind"));
            assert!(notices.contains(&expected), "{expected}: {notices}");
            assert!(!notices.contains("assumed to exist"), "{notices}");
            if more != Some("creationTimestamp") {
                assert_eq!(
                    states_after_ten_minutes(session),
                    whole,
                    "{creation_time_of_item}: {item}"
                );
            } else {
                assert_eq!(states_after_ten_minutes(session).len(), whole.len(), "{item}");
            }
        }
    }
}

/// The dump has no UID at all, neither of objects nor in references.
#[test]
fn dump_without_any_uid_stays_unchanged() {
    let whole = states_after_ten_minutes(open_dump(dump_json().to_string()));
    for more in ["", "resourceVersion"] {
        let mut scrubbed = dump_json();
        remove_fields(&mut scrubbed, "uid");
        remove_fields(&mut scrubbed, more);
        let text = scrubbed.to_string();
        let first = open_dump(text.clone());
        let notices = notices_of(first.loaded());
        let expected = "6 objects have no UID: Node n1, PriorityClass high, ReplicaSet default/web, …; they are taken as \
                    dumped, not as something to create";
        assert!(notices.iter().any(|notice| notice == expected), "{notices:?}");
        let uids = |session: &Session| -> Vec<String> {
            let pods = session.world().objects().list::<Pod>();
            pods.map(|pod| pod.metadata.uid.to_string()).collect()
        };
        // The same text gives the same generated UIDs.
        assert_eq!(uids(&first), uids(&open_dump(text)));
        assert_eq!(states_after_ten_minutes(first), whole);
    }
}

/// If a pod names a PriorityClass that no file contains, the class is assumed to exist, also if the pod has no UID.
#[test]
fn pod_without_uid_may_use_priority_class_missing_in_dump() {
    let mut scrubbed = dump_json();
    let items = scrubbed["items"].as_array_mut().expect("items");
    items.remove(1);
    items[2]["metadata"].as_object_mut().expect("metadata").remove("uid");
    let pods = states_after_ten_minutes(open_dump(scrubbed.to_string()));
    assert!(pods.iter().any(|pod| pod.starts_with("default/web-x ")), "{pods:?}");
}

/// A manifest with `creationTimestamp: null` or an empty status, as tools print it, is created too.
#[test]
fn manifest_beside_a_dump_is_created() {
    let manifest = |metadata: &str, status: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: mine{metadata}}}\nspec: {{containers: [{{name: c, image: i}}]}}\n{status}"
        )
    };
    for (metadata, status) in [
        ("", ""),
        (", creationTimestamp: null", "status: {}\n"),
        (", labels: {a: b}", "status: {conditions: []}\n"),
    ] {
        let session = open_dump(format!("{DUMP}{}", manifest(metadata, status)));
        let notices = notices_of(session.loaded()).join("\n");
        assert!(!notices.contains("no UID"), "{notices}");
        let objects = session.world().objects();
        let pod = objects.get::<Pod>(&ObjectKey::new("default", "mine"));
        let pod = pod.expect("the pod was created");
        assert_eq!(pod.metadata.creation_timestamp, Some(session.world().start_time()));
    }
    // Without a dump, the same manifest causes no notice.
    let session = open_dump(manifest("", ""));
    assert!(
        notices_of(session.loaded()).is_empty(),
        "{:?}",
        session.loaded().notices
    );
}

/// Shows: P-09
#[test]
fn objects_with_equal_uids_are_distinguished_by_name() {
    let masked: String = ["node-1", "class-1", "set-1", "pod-1", "claim-1"]
        .iter()
        .fold(DUMP.to_owned(), |text, uid| {
            text.replace(&format!("uid: {uid}"), "uid: xxxx")
        });
    let second = "---\n{apiVersion: v1, kind: Pod, metadata: {name: two, namespace: default, uid: xxxx}, spec: {containers: \
                  [{name: c, image: x, resources: {requests: {cpu: 40}}}]}, status: {phase: Pending}}\n---\n{apiVersion: v1, kind: Pod, \
                  metadata: {name: three, namespace: default, uid: xxxx}, spec: {containers: [{name: c, image: x, resources: \
                  {requests: {cpu: 40}}}]}, status: {phase: Pending}}\n";
    let loaded = scenario::load(&[("masked.yaml".to_owned(), masked + second)]).expect("the dump opens");
    let notices = notices_of(&loaded);
    let notice_of_names = notices
        .iter()
        .find(|notice| notice.contains("told apart by their names"));
    assert!(notice_of_names.is_some(), "{notices:?}");
    let mut session = Session::new(loaded).expect("the session starts");
    let pods = |session: &Session| -> Vec<String> {
        let pods = session.world().objects().list::<Pod>();
        pods.map(|pod| format!("{} {}", pod.metadata.name, pod.metadata.uid))
            .collect()
    };
    let before = pods(&session);
    assert_eq!(before.len(), 3, "{before:?}");
    while session.advance(SimTime::from_seconds(60), u64::MAX) == Slice::More {}
    assert_eq!(pods(&session), before, "the set keeps its pod, which names it");
}

/// A running pod keeps running if its container statuses were removed from the dump.
/// Shows: P-09
#[test]
fn running_pod_without_container_statuses_keeps_running() {
    let from = DUMP
        .find("    containerStatuses: ")
        .expect("the dump has container statuses");
    let until = DUMP[from..].find("- apiVersion").expect("another object follows") + from;
    let without = format!("{}{}", &DUMP[..from], &DUMP[until..]);
    assert!(!without.contains("startedAt"));
    let loaded = scenario::load(&[("stripped.yaml".to_owned(), without)]).expect("the dump opens");
    let mut session = Session::new(loaded).expect("the session starts");
    let running = |session: &Session| {
        session
            .world()
            .machines()
            .flat_map(|(_, machine)| machine.processes())
            .count()
    };
    assert_eq!(running(&session), 1);
    while session.advance(SimTime::from_seconds(600), u64::MAX) == Slice::More {}
    assert_eq!(running(&session), 1);
    // Containers that run at t = 0 are recorded as started at t = 0.
    let is_unexpected = |record: &Record| match record.what() {
        What::ContainerStarted => record.at > SimTime::ZERO,
        what => matches!(what, What::InvariantViolated | What::ContainerExited),
    };
    let unexpected: Vec<_> = session.trace().filter(|record| is_unexpected(record)).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
}
