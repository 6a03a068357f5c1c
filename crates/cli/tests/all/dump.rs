//! P-09: an incomplete dump of a cluster can be opened, and running it changes nothing. The dump is taken from a
//! cluster that was simulated for some minutes; then each kind is omitted in turn, and each kind is used alone. The
//! tests run the built binary.

use podscope_api::ordered::{Map, Set};
use std::path::PathBuf;
use std::sync::OnceLock;

use podscope_api::{Kind, Object};
use serde_json::{Value, json};

/// One object of every kind that controllers handle, and a pod that fits on no node.
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

/// Runs `podscope run` on a file with this text. Returns exit status, stdout and stderr.
fn run(name: &str, text: &str, args: &[&str]) -> (i32, String, String) {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.yaml"));
    std::fs::write(&file, text).expect("the file is written");
    let output = crate::podscope_command()
        .arg("run")
        .arg(&file)
        .args(args)
        .output()
        .expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("an exit status, not a signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn parse_objects(yaml: &str) -> Vec<Object> {
    let parsed = podscope_api::parse(yaml);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.objects.into_iter().map(|located| located.value).collect()
}

/// Returns the cluster as `kubectl get … -A -o yaml` shows it after some minutes, without objects that every cluster
/// has. Created once and shared by the tests.
fn shared_cluster_dump() -> Vec<Object> {
    static DUMP: OnceLock<Vec<Object>> = OnceLock::new();
    DUMP.get_or_init(create_cluster_dump).clone()
}

fn create_cluster_dump() -> Vec<Object> {
    let (status, out, err) = run("cluster", CLUSTER, &["--at", "4m", "--until", "4m", "-o", "objects"]);
    assert_eq!(status, 0, "{err}");
    let mut objects = parse_objects(&out);
    // Every control plane creates these objects itself, with different UIDs.
    let is_built_in = |object: &Object| {
        let name = &*object.metadata().name;
        match object.kind() {
            Kind::Event | Kind::Lease => true,
            Kind::Namespace => name != "shop",
            Kind::PriorityClass => name.starts_with("system-"),
            _ => false,
        }
    };
    objects.retain(|object| !is_built_in(object));
    objects
}

fn yaml_list(objects: &[Object]) -> String {
    let items: Vec<Value> = objects.iter().map(Object::to_value).collect();
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

/// Returns the fields of an object that must not change: identity, deletion, node, start times, counts.
fn stable_fields(object: &Object) -> Value {
    let value = object.to_value();
    let part = |path: &str| value.pointer(path).cloned().unwrap_or(Value::Null);
    let mut stable_fields = json!({
        "uid": part("/metadata/uid"), "deletion": part("/metadata/deletionTimestamp"), "owners": part("/metadata/ownerReferences"),
        "phase": part("/status/phase"), "replicas": part("/status/replicas"), "ready": part("/status/readyReplicas"),
        "updated": part("/status/updatedReplicas"), "active": part("/status/active"), "scheduled": part("/status/currentNumberScheduled"),
        "healthy": part("/status/currentHealthy"), "expected": part("/status/expectedPods"), "allowed": part("/status/disruptionsAllowed"),
        "node": part("/spec/nodeName"), "volume": part("/spec/volumeName"), "attached": part("/status/attached"),
    });
    if object.kind() == Kind::Pod {
        stable_fields["started"] = part("/status/containerStatuses/0/state/running/startedAt");
        stable_fields["restarts"] = part("/status/containerStatuses/0/restartCount");
    }
    stable_fields
}

type StableFields = Map<(Kind, String), Value>;

fn all_stable_fields<'o>(objects: impl IntoIterator<Item = &'o Object>) -> StableFields {
    objects
        .into_iter()
        .map(|object| ((object.kind(), object.key().to_string()), stable_fields(object)))
        .collect()
}

/// Kinds of objects that controllers create. A run of a partial dump must not create any that the full cluster did not
/// have.
const CONTROLLER_CREATED_KINDS: [Kind; 5] = [
    Kind::Pod,
    Kind::ReplicaSet,
    Kind::PersistentVolumeClaim,
    Kind::VolumeAttachment,
    Kind::ControllerRevision,
];

/// Runs a partial dump for ten minutes and asserts that nothing changes. Returns the printed notices.
fn assert_unchanged(name: &str, whole: &[Object], part: &[Object]) -> String {
    let (status, out, err) = run(
        name,
        &yaml_list(part),
        &["--at", "10m", "--until", "10m", "-o", "objects"],
    );
    assert_eq!(status, 0, "{name}: {err}");
    let after = parse_objects(&out);
    let (before, now) = (all_stable_fields(part), all_stable_fields(&after));
    let mut changed = String::new();
    for (key, stable_fields) in &before {
        if now.get(key) != Some(stable_fields) {
            changed.push_str(&format!(
                "{key:?}: {stable_fields}\n     is {:?}\n",
                now.get(key).map(Value::to_string)
            ));
        }
    }
    let known: Set<_> = whole
        .iter()
        .map(|object| (object.kind(), object.key().to_string()))
        .collect();
    for key in now
        .keys()
        .filter(|key| CONTROLLER_CREATED_KINDS.contains(&key.0) && !known.contains(key))
    {
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

fn kinds_of(objects: &[Object]) -> Set<Kind> {
    objects.iter().map(Object::kind).collect()
}

/// Omits each kind in turn: a run changes nothing, and the notices mention the omitted kind.
/// Shows: P-09
#[test]
fn dump_without_one_kind_does_not_change() {
    let whole = shared_cluster_dump();
    assert!(kinds_of(&whole).len() >= 18, "{:?}", kinds_of(&whole));
    assert_unchanged("whole", &whole, &whole);
    let mut missing_notices = Vec::new();
    for omitted in kinds_of(&whole) {
        let part: Vec<Object> = whole
            .iter()
            .filter(|object| object.kind() != omitted)
            .cloned()
            .collect();
        let notices = assert_unchanged(&format!("without-{omitted:?}"), &whole, &part);
        let expected = expected_notice(omitted);
        if !notices.contains(&expected) {
            missing_notices.push(format!("without {omitted:?}: {expected:?} in {notices}"));
        }
    }
    assert!(missing_notices.is_empty(), "{}", missing_notices.join("\n"));
}

/// Returns part of the notice that is printed if a kind is omitted. Omitted objects to which others refer are assumed
/// to exist and are listed by name. Kinds without references are mentioned only if results depend on them.
fn expected_notice(omitted: Kind) -> String {
    match omitted {
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
fn dump_of_one_kind_does_not_change() {
    let whole = shared_cluster_dump();
    for only in kinds_of(&whole) {
        let part: Vec<Object> = whole.iter().filter(|object| object.kind() == only).cloned().collect();
        assert_unchanged(&format!("only-{only:?}"), &whole, &part);
    }
}

/// The start page proposes to dump nodes and pods only: every pod has an owner, but no owner is in the file.
#[test]
fn dump_of_nodes_and_pods_does_not_change() {
    let whole = shared_cluster_dump();
    let part: Vec<Object> = whole
        .iter()
        .filter(|object| matches!(object.kind(), Kind::Node | Kind::Pod))
        .cloned()
        .collect();
    let notices = assert_unchanged("nodes-and-pods", &whole, &part);
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
