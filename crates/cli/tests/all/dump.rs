//! P-09: a dump of part of a cluster opens and stays as it is, through the built binary. The dump is a cluster of this
//! program after some minutes; then each kind is left out in turn, and each is given alone.

use podscope_api::ordered::{Map, Set};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use podscope_api::{Kind, Object};
use serde_json::{Value, json};

/// One of everything that controllers look after, and a pod that fits nowhere.
const CLUSTER: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: dump}
spec: {seed: 9}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: ebs.csi.aws.com, reclaimPolicy: Delete, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {level: info}}
---
{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: shop}, stringData: {key: x}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner, namespace: shop}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      priorityClassName: high
      serviceAccountName: runner
      containers:
        - name: web
          image: web
          resources: {requests: {cpu: 500m}}
          envFrom: [{secretRef: {name: token}}]
          env: [{name: LEVEL, valueFrom: {configMapKeyRef: {name: settings, key: level}}}]
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: shop}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: db, image: db, volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: agent}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: count, namespace: shop, annotations: {}}
spec:
  parallelism: 2
  template:
    metadata: {labels: {app: count}}
    spec: {restartPolicy: Never, containers: [{name: count, image: count}]}
---
{apiVersion: v1, kind: ReplicationController, metadata: {name: old, namespace: shop}, spec: {replicas: 2, selector: {app: old}, template: {metadata: {labels: {app: old}}, spec: {containers: [{name: old, image: old}]}}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: waiting, namespace: shop}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: huge, namespace: shop}
spec:
  containers: [{name: huge, image: huge, resources: {requests: {cpu: "40"}}}]
"#;

/// Runs the binary on a file with that text.
fn run(name: &str, text: &str, args: &[&str]) -> (i32, String, String) {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.yaml"));
    std::fs::write(&file, text).expect("the file is written");
    let output = Command::new(env!("CARGO_BIN_EXE_podscope"))
        .arg("run")
        .arg(&file)
        .args(args)
        .output()
        .expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("a status, no signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn objects_of(yaml: &str) -> Vec<Object> {
    let parsed = podscope_api::parse(yaml);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.objects.into_iter().map(|located| located.value).collect()
}

/// The cluster as `kubectl get … -A -o yaml` shows it after some minutes, without what nobody dumps: made once, the
/// tests run side by side.
fn dump() -> Vec<Object> {
    static WHOLE: OnceLock<Vec<Object>> = OnceLock::new();
    WHOLE.get_or_init(make_dump).clone()
}

fn make_dump() -> Vec<Object> {
    let (status, out, err) = run("cluster", CLUSTER, &["--at", "4m", "--until", "4m", "-o", "objects"]);
    assert_eq!(status, 0, "{err}");
    let mut objects = objects_of(&out);
    // Every control plane keeps these itself, with UIDs of its own.
    let is_own = |object: &Object| {
        let name = &*object.metadata().name;
        match object.kind() {
            Kind::Event | Kind::Lease => true,
            Kind::Namespace => name != "shop",
            Kind::PriorityClass => name.starts_with("system-"),
            _ => false,
        }
    };
    objects.retain(|object| !is_own(object));
    objects
}

fn list(objects: &[Object]) -> String {
    let items: Vec<Value> = objects.iter().map(Object::to_value).collect();
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

/// What must not change of an object: that it is, that it is not going, where it runs, since when, what it counts.
fn essence(object: &Object) -> Value {
    let value = object.to_value();
    let part = |path: &str| value.pointer(path).cloned().unwrap_or(Value::Null);
    let mut essence = json!({
        "uid": part("/metadata/uid"), "deletion": part("/metadata/deletionTimestamp"), "owners": part("/metadata/ownerReferences"),
        "phase": part("/status/phase"), "replicas": part("/status/replicas"), "ready": part("/status/readyReplicas"),
        "updated": part("/status/updatedReplicas"), "active": part("/status/active"), "scheduled": part("/status/currentNumberScheduled"),
        "healthy": part("/status/currentHealthy"), "expected": part("/status/expectedPods"), "allowed": part("/status/disruptionsAllowed"),
        "node": part("/spec/nodeName"), "volume": part("/spec/volumeName"), "attached": part("/status/attached"),
    });
    if object.kind() == Kind::Pod {
        essence["started"] = part("/status/containerStatuses/0/state/running/startedAt");
        essence["restarts"] = part("/status/containerStatuses/0/restartCount");
    }
    essence
}

type Essences = Map<(Kind, String), Value>;

fn essences<'o>(objects: impl IntoIterator<Item = &'o Object>) -> Essences {
    objects
        .into_iter()
        .map(|object| ((object.kind(), object.key().to_string()), essence(object)))
        .collect()
}

/// Kinds whose objects controllers make: none may appear that the whole cluster did not have.
const MADE: [Kind; 5] = [
    Kind::Pod,
    Kind::ReplicaSet,
    Kind::PersistentVolumeClaim,
    Kind::VolumeAttachment,
    Kind::ControllerRevision,
];

/// Opens a part and runs it for ten minutes; everything is as it was. Gives the notices.
fn stays(name: &str, whole: &[Object], part: &[Object]) -> String {
    let (status, out, err) = run(name, &list(part), &["--at", "10m", "--until", "10m", "-o", "objects"]);
    assert_eq!(status, 0, "{name}: {err}");
    let after = objects_of(&out);
    let (before, now) = (essences(part), essences(&after));
    let mut changed = String::new();
    for (key, essence) in &before {
        if now.get(key) != Some(essence) {
            changed.push_str(&format!(
                "{key:?}: {essence}\n     is {:?}\n",
                now.get(key).map(Value::to_string)
            ));
        }
    }
    let known: Set<_> = whole
        .iter()
        .map(|object| (object.kind(), object.key().to_string()))
        .collect();
    for key in now.keys().filter(|key| MADE.contains(&key.0) && !known.contains(key)) {
        let is_stand_in = after.iter().any(|object| {
            (object.kind(), object.key().to_string()) == *key
                && object.metadata().annotation("podscope.dev/not-in-the-dump").is_some()
        });
        if !is_stand_in {
            changed.push_str(&format!("{key:?} is new\n"));
        }
    }
    assert!(changed.is_empty(), "{name}:\n{changed}{err}");
    err
}

fn kinds(objects: &[Object]) -> Set<Kind> {
    objects.iter().map(Object::kind).collect()
}

/// Whatever kind the dump lacks.
/// Shows: P-09
#[test]
fn a_dump_without_one_kind_stays_as_it_is() {
    let whole = dump();
    assert!(kinds(&whole).len() >= 18, "{:?}", kinds(&whole));
    stays("whole", &whole, &whole);
    let mut unsaid = Vec::new();
    for left_out in kinds(&whole) {
        let part: Vec<Object> = whole
            .iter()
            .filter(|object| object.kind() != left_out)
            .cloned()
            .collect();
        let notices = stays(&format!("without-{left_out:?}"), &whole, &part);
        let said = said_of(left_out);
        if !notices.contains(&said) {
            unsaid.push(format!("without {left_out:?}: {said:?} in {notices}"));
        }
    }
    assert!(unsaid.is_empty(), "{}", unsaid.join("\n"));
}

/// What is said where a kind is in no file: what others refer to is assumed to exist, by name; what nothing refers to
/// is missed only where answers rest on it.
fn said_of(left_out: Kind) -> String {
    match left_out {
        Kind::PodDisruptionBudget => "No file has a PodDisruptionBudget".to_owned(),
        Kind::Pod
        | Kind::Service
        | Kind::ControllerRevision
        | Kind::VolumeAttachment
        | Kind::EndpointSlice
        | Kind::Endpoints
        | Kind::CsiNode
        | Kind::PersistentVolumeClaim => String::new(),
        kind => format!("{} (", kind.name()),
    }
}

#[test]
fn each_kind_alone_stays_as_it_is() {
    let whole = dump();
    for only in kinds(&whole) {
        let part: Vec<Object> = whole.iter().filter(|object| object.kind() == only).cloned().collect();
        stays(&format!("only-{only:?}"), &whole, &part);
    }
}

/// The command of the start page: every pod has an owner, and none is in the file.
#[test]
fn nodes_and_pods_alone_stay_and_the_pending_pod_stays_pending() {
    let whole = dump();
    let part: Vec<Object> = whole
        .iter()
        .filter(|object| matches!(object.kind(), Kind::Node | Kind::Pod))
        .cloned()
        .collect();
    let notices = stays("nodes-and-pods", &whole, &part);
    let assumed: Vec<&str> = notices
        .lines()
        .filter(|line| line.contains("assumed to exist"))
        .collect();
    assert_eq!(assumed.len(), 1, "one notice: {notices}");
    for kind in [
        "ReplicaSet (web-",
        "StatefulSet (db)",
        "DaemonSet (agent)",
        "Namespace (shop)",
        "PersistentVolumeClaim (",
    ] {
        assert!(assumed[0].contains(kind), "{kind}: {notices}");
    }
    assert!(
        notices.contains("PodDisruptionBudget: preemption and `kubectl drain` ignore them"),
        "{notices}"
    );
}
