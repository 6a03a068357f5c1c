//! Problems of the dumped cluster also exist in the simulation, and no object is made up that would solve them (P-09).

use podscope_api::{HorizontalPodAutoscaler, ObjectKey, Pod};
use podscope_cluster::SimTime;
use podscope_kubectl::command::{self, Command};
use podscope_session::scenario;
use podscope_session::timeline::{Session, Slice};
use podscope_tests::notices_of;

const READY_NODE: &str = "
- apiVersion: v1
  kind: Node
  metadata: {name: n1, uid: n1, creationTimestamp: '2026-07-01T08:00:00Z'}
  status:
    capacity: {cpu: '4', memory: 8Gi, pods: '110'}
    allocatable: {cpu: '4', memory: 8Gi, pods: '110'}
    conditions: [{type: Ready, status: 'True', lastHeartbeatTime: '2026-07-01T09:59:00Z'}]";

/// Returns a bound pod with additional YAML fields of its metadata, container and status.
fn bound_pod(name: &str, meta_fields: &str, container_fields: &str, status_fields: &str) -> String {
    format!(
        "
- apiVersion: v1
  kind: Pod
  metadata: {{name: {name}, namespace: default, uid: {name}, creationTimestamp: '2026-07-01T09:00:00Z'{meta_fields}}}
  spec: {{nodeName: n1, containers: [{{name: app, image: app:1{container_fields}}}]}}
  status:
    startTime: '2026-07-01T09:00:00Z'
    conditions: [{{type: PodScheduled, status: 'True'}}]
    {status_fields}"
    )
}

fn pending_status_with_waiting_container(reason: &str, message: &str) -> String {
    format!(
        "phase: Pending
    containerStatuses: [{{name: app, restartCount: 0, ready: false, image: app:1, imageID: '', state: {{waiting: \
         {{reason: {reason}, message: '{message}'}}}}}}]"
    )
}

/// Returns a pod that uses a PersistentVolumeClaim and that the scheduler reported as unschedulable.
fn unschedulable_pod(name: &str, claim: &str, message: &str) -> String {
    format!(
        "
- apiVersion: v1
  kind: Pod
  metadata: {{name: {name}, namespace: default, uid: {name}, creationTimestamp: '2026-07-01T09:00:00Z'}}
  spec:
    containers: [{{name: app, image: app:1}}]
    volumes: [{{name: data, persistentVolumeClaim: {{claimName: {claim}}}}}]
  status:
    phase: Pending
    conditions: [{{type: PodScheduled, status: 'False', reason: Unschedulable, message: '{message}'}}]"
    )
}

fn open_dump(items: &str) -> Session {
    let text = format!("apiVersion: v1\nitems:{items}\nkind: List\n");
    let loaded = scenario::load(&[("dump.yaml".to_owned(), text)]).unwrap_or_else(|problems| panic!("{problems:?}"));
    Session::new(loaded).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Returns NAME, READY and STATUS of each pod, as `kubectl get pods` prints them.
fn pod_rows(session: &Session) -> Vec<Vec<String>> {
    let Ok(Command::Kubectl { action: get, .. }) = command::parse("kubectl get pods --no-headers") else {
        panic!("a command")
    };
    let printed = session.read(&get).expect("a table");
    let words = |line: &str| line.split_whitespace().take(3).map(str::to_owned).collect();
    printed.lines.iter().map(|(_, line)| words(line)).collect()
}

/// Shows: P-09
#[test]
fn dumped_pod_statuses_stay_unchanged_for_ten_minutes() {
    let running = "state: {running: {startedAt: '2026-07-01T09:00:05Z'}}";
    let running_status = |ready: bool| {
        format!(
            "phase: Running
    containerStatuses: [{{name: app, restartCount: 0, ready: {ready}, started: true, image: app:1, imageID: '', {running}}}]"
        )
    };
    let crashing = "phase: Running
    containerStatuses: [{name: app, restartCount: 42, ready: false, image: app:1, imageID: '', state: {waiting: {reason: \
                    CrashLoopBackOff}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled, startedAt: \
                    '2026-07-01T09:57:00Z', finishedAt: '2026-07-01T09:57:02Z'}}}]";
    let with_probe = ", readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 5}";
    let initializing = "
- apiVersion: v1
  kind: Pod
  metadata: {name: initializing, namespace: default, uid: initializing, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec: {nodeName: n1, initContainers: [{name: init, image: app:1}], containers: [{name: app, image: app:1}]}
  status:
    phase: Pending
    startTime: '2026-07-01T09:00:00Z'
    initContainerStatuses: [{name: init, restartCount: 0, ready: false, image: app:1, imageID: '', state: {running: \
                        {startedAt: '2026-07-01T09:00:05Z'}}}]
    containerStatuses: [{name: app, restartCount: 0, ready: false, image: app:1, imageID: '', state: {waiting: {reason: \
                        PodInitializing}}}]";
    let items = [
        READY_NODE.to_owned(),
        bound_pod(
            "bad-image",
            "",
            "",
            &pending_status_with_waiting_container("ImagePullBackOff", "Back-off pulling image"),
        ),
        bound_pod(
            "config",
            "",
            ", envFrom: [{configMapRef: {name: settings}}]",
            &pending_status_with_waiting_container("CreateContainerConfigError", "configmap \"settings\" not found"),
        ),
        bound_pod("crashing", "", "", crashing),
        bound_pod(
            "creating",
            "",
            "",
            &pending_status_with_waiting_container("ContainerCreating", ""),
        ),
        initializing.to_owned(),
        bound_pod("not-ready", "", with_probe, &running_status(false)),
        bound_pod(
            "root",
            "",
            "",
            &pending_status_with_waiting_container(
                "CreateContainerConfigError",
                "container has runAsNonRoot and image will run as root",
            ),
        ),
        bound_pod("well", "", with_probe, &running_status(true)),
        bound_pod(
            "young",
            "",
            ", envFrom: [{configMapRef: {name: other}}]",
            &running_status(true),
        ),
        bound_pod(
            "zombie",
            ", deletionTimestamp: '2026-07-01T09:30:00Z', deletionGracePeriodSeconds: 30",
            "",
            &running_status(true),
        ),
    ];
    let mut session = open_dump(&items.concat());
    let before = pod_rows(&session);
    assert_eq!(before.len(), 10);
    for seconds in [1, 600] {
        assert_eq!(session.advance(SimTime::from_seconds(seconds), u64::MAX), Slice::Done);
        assert_eq!(pod_rows(&session), before, "after {seconds} s");
    }
    let notices = notices_of(session.loaded()).join("\n");
    for name in ["bad-image", "crashing", "creating", "not-ready", "zombie"] {
        assert!(notices.contains(&format!("default/{name} (")), "{notices}");
    }
    assert!(
        !notices.contains("default/well") && !notices.contains("(settings)"),
        "{notices}"
    );
    // The container terminates again with the exit code and reason of the dump.
    let crashing = session
        .world()
        .objects()
        .get::<Pod>(&ObjectKey::new("default", "crashing"));
    let last = &crashing.expect("the pod").status.container_statuses[0].last_state;
    let last = last.terminated.as_ref().expect("the container terminated");
    assert_eq!((last.exit_code, &*last.reason), (137, "OOMKilled"));
}

/// If a dumped pod reports a missing ConfigMap, the ConfigMap is not assumed to exist, although the template of the
/// pod's owner names it.
/// Shows: P-09
#[test]
fn config_map_reported_missing_is_not_made_up() {
    let spec = ", envFrom: [{configMapRef: {name: settings}}]";
    let owner = "
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: web, namespace: default, uid: web}
  spec:
    replicas: 1
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {containers: [{name: app, image: app:1, envFrom: [{configMapRef: {name: settings}}]}]}
  status: {replicas: 1}";
    let meta = ", labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web, \
                controller: true}]";
    let status =
        pending_status_with_waiting_container("CreateContainerConfigError", "configmap \"settings\" not found");
    let mut session = open_dump(&[READY_NODE, &bound_pod("web-x", meta, spec, &status), owner].concat());
    assert_eq!(session.advance(SimTime::from_seconds(600), u64::MAX), Slice::Done);
    assert_eq!(pod_rows(&session), [["web-x", "0/1", "CreateContainerConfigError"]]);
}

/// If the real scheduler reports that a claim is missing or unbound, the claim is not bound to an assumed volume.
/// Shows: P-09
#[test]
fn pods_that_wait_for_storage_stay_pending() {
    let none = "0/1 nodes are available: persistentvolumeclaim \"data\" not found";
    let unbound = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims";
    let elsewhere = "0/1 nodes are available: 1 node(s) had volume node affinity conflict";
    let claim = "
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: data, namespace: default, uid: data}
  spec: {accessModes: [ReadWriteOnce], storageClassName: manual, resources: {requests: {storage: 1Gi}}VOLUME}
  status: {phase: PHASE}";
    let bound = claim.replace("VOLUME", ", volumeName: pv-1").replace("PHASE", "Bound");
    let pending = claim.replace("VOLUME", "").replace("PHASE", "Pending");
    for (scheduler_message, claim_object, reason) in [
        (none, "", "persistentvolumeclaim \"data\" not found"),
        (unbound, "", unbound),
        (unbound, &*pending, "pod has unbound immediate PersistentVolumeClaims"),
        // Claim and volume are assumed to exist; the pod still keeps the scheduler's message.
        (elsewhere, "", elsewhere),
        (elsewhere, &*bound, elsewhere),
    ] {
        let mut session = open_dump(
            &[
                READY_NODE,
                claim_object,
                &unschedulable_pod("waits", "data", scheduler_message),
            ]
            .concat(),
        );
        assert_eq!(session.advance(SimTime::from_seconds(600), u64::MAX), Slice::Done);
        assert_eq!(
            pod_rows(&session),
            [["waits", "0/1", "Pending"]],
            "{scheduler_message}\n{claim_object}"
        );
        let pod = session
            .world()
            .objects()
            .get::<Pod>(&ObjectKey::new("default", "waits"));
        let condition = pod.and_then(|pod| pod.condition("PodScheduled"));
        let message = condition.map(|condition| &*condition.message).unwrap_or_default();
        assert!(message.contains(reason), "{message}\n{scheduler_message}");
        let notices = notices_of(session.loaded()).join("\n");
        assert_eq!(notices.contains("stays Pending"), claim_object != pending, "{notices}");
    }
}

/// If a pending pod has no message of the scheduler, it may be able to run only because of objects that Podscope
/// assumes to exist. A notice names the pod and these objects.
/// Shows: P-09
#[test]
fn notice_names_pending_pod_that_uses_assumed_objects() {
    let pending_pod = "
- apiVersion: v1
  kind: Pod
  metadata: {name: waits, namespace: default, uid: waits, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec:
    containers: [{name: app, image: app:1, envFrom: [{configMapRef: {name: settings}}]}]
    volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
  status: {phase: Pending}";
    let notice = |items: &[&str]| {
        let notices = notices_of(open_dump(&items.concat()).loaded());
        notices
            .into_iter()
            .find(|notice| notice.contains("only assumed to exist"))
    };
    assert_eq!(
        notice(&[READY_NODE, pending_pod]).as_deref(),
        Some(
            "One pending pod uses what is only assumed to exist: default/waits (PersistentVolumeClaim data, ConfigMap \
             settings); if that is what it waits for, it runs here and not in the cluster"
        )
    );
    let unschedulable = unschedulable_pod("waits", "data", "0/1 nodes are available: 1 Insufficient cpu.");
    let runs = pending_pod.replace("  spec:", "  spec:\n    nodeName: n1");
    let elsewhere = runs.replace("waits", "other");
    // There is no such notice if only the names of nodes are known (then nothing is scheduled), if the dump contains
    // the scheduler's message, or if the pod is bound.
    for items in [
        &[pending_pod, &elsewhere][..],
        &[READY_NODE, &unschedulable],
        &[READY_NODE, &runs],
    ] {
        assert_eq!(notice(items), None, "{items:?}");
    }
}

/// A dump does not show resource usage, so an autoscaler has no metrics.
/// Shows: P-09
#[test]
fn autoscaler_of_a_dump_does_not_scale() {
    let items = "
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: default, uid: web}
  spec:
    replicas: 3
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec: {containers: [{name: app, image: app:1, resources: {requests: {cpu: 100m}}}]}
  status: {replicas: 3}
- apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: web, namespace: default, uid: hpa, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec:
    scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
    minReplicas: 2
    maxReplicas: 20
    metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}]
  status: {currentReplicas: 3, desiredReplicas: 3}";
    let mut session = open_dump(&[READY_NODE, items].concat());
    assert_eq!(session.advance(SimTime::from_seconds(600), u64::MAX), Slice::Done);
    let objects = session.world().objects();
    let key = ObjectKey::new("default", "web");
    let deployment = objects
        .get::<podscope_api::Deployment>(&key)
        .expect("the object exists");
    assert_eq!(deployment.spec.replicas, Some(3));
    let autoscaler = objects.get::<HorizontalPodAutoscaler>(&key).expect("the object exists");
    assert_eq!(autoscaler.status.current_replicas, Some(3));
    assert_eq!(autoscaler.status.desired_replicas, 3);
    // The simulation does not add conditions that the real cluster did not write.
    assert!(autoscaler.status.conditions.is_empty(), "{:?}", autoscaler.status);
    let notices = notices_of(session.loaded()).join("\n");
    assert!(
        notices.contains("A HorizontalPodAutoscaler scales nothing"),
        "{notices}"
    );
}

/// If a pasted text cannot be opened as a dump, the problem says what the text is: output of another command, or a
/// truncated dump.
/// Shows: P-09, U-07
#[test]
fn problem_says_what_unreadable_pasted_text_is() {
    for (text, expected) in [
        (
            "Name:             web-0\nNamespace:        default\n",
            "kubectl describe",
        ),
        (
            "NAME    READY   STATUS\nweb-0   1/1     Running\n",
            "a table of `kubectl get`",
        ),
        (
            "Error from server (NotFound): pods \"x\" not found\n",
            "kubectl has answered",
        ),
        (
            "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metada",
            "ends in the middle",
        ),
        (
            "{\"apiVersion\": \"v1\", \"items\": [{\"apiVersion\": \"v1\", \"kind\": \"Po",
            "ends in the middle",
        ),
    ] {
        let problems = scenario::load(&[("pasted.yaml".to_owned(), text.to_owned())]).expect_err(text);
        assert!(
            problems.len() == 1 && problems[0].message.english().contains(expected),
            "{problems:?}"
        );
    }
    let empty = scenario::load(&[(
        "a.yaml".to_owned(),
        "```yaml\napiVersion: v1\nitems: []\nkind: List\n```".to_owned(),
    )]);
    let notices = notices_of(&empty.expect("it opens"));
    assert_eq!(notices, ["No file has an object: the cluster of 6 nodes is made up"]);
}

/// The complete objects of a truncated List open. A notice, which is also shown beside each decision, says where the text
/// ends. A text with another error is refused with the position of that error.
/// Shows: P-04, P-09
#[test]
fn complete_objects_of_truncated_list_open() {
    let pod = |name: &str| {
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {{\"name\": \"{name}\", \"namespace\": \"default\", \
             \"uid\": \"{name}\"}}, \"spec\": {{\"containers\": [{{\"name\": \"c\", \"image\": \"i\"}}]}}}}"
        )
    };
    let json = format!(
        "{{\n\"apiVersion\": \"v1\",\n\"items\": [\n{},\n{},\n{}",
        pod("a"),
        pod("b"),
        pod("c")
    );
    let yaml = |from: &str, end: usize| {
        let lines: Vec<&str> = from.lines().collect();
        lines[..end].join("\n")
    };
    let printed = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a, namespace: default, uid: a}\n  \
                   spec:\n    containers:\n    - image: i\n      name: c\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: b\n\
                   kind: List\n";
    for (text, line, count, names) in [
        (
            json[..json.len() - 3].to_owned(),
            6,
            "2 objects were read",
            &["a", "b"][..],
        ),
        (yaml(printed, 13), 13, "one object was read", &["a"]),
        (yaml(printed, 11), 11, "one object was read", &["a"]),
    ] {
        let loaded = scenario::load(&[("pasted.yaml".to_owned(), text)]).expect("it opens");
        let pods: Vec<&str> = (loaded.setup.objects.iter())
            .filter(|object| object.kind() == podscope_api::Kind::Pod)
            .map(|pod| &*pod.metadata().name)
            .collect();
        assert_eq!(pods, names);
        let notice = format!("pasted.yaml ends in the middle of line {line}: {count}, and what came after is missing");
        assert!(notices_of(&loaded).contains(&notice), "{:?}", loaded.notices);
        assert_eq!(loaded.basis[0].to_string(), notice);
        // The pasted text is stored unchanged, so that a link opens the same objects with the same notice.
        let again = scenario::load(&loaded.files).expect("it opens");
        assert_eq!(again.setup.objects.len(), loaded.setup.objects.len());
        assert_eq!(notices_of(&again), notices_of(&loaded));
    }
    let malformed = json.replace(
        "\"spec\": {\"containers\": [{\"name\"",
        "\"spec\": {{\"containers\": [{\"name\"",
    );
    let problems =
        scenario::load(&[("pasted.yaml".to_owned(), malformed)]).expect_err("the error is before the end of the text");
    assert_eq!((problems.len(), problems[0].line), (1, 4), "{problems:?}");
}

/// If only the names of all nodes are known, an unschedulable pod keeps the message of the real scheduler: placeholder
/// nodes do not replace it. After a node with known resources joins, the pod gets a new message.
/// Shows: P-09
#[test]
fn unschedulable_pod_keeps_message_until_known_node_joins() {
    let items = "
- apiVersion: v1
  kind: Pod
  metadata: {name: runs, namespace: default, uid: runs, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec: {nodeName: ip-1, containers: [{name: c, image: i}]}
  status: {phase: Running, containerStatuses: [{name: c, ready: true, state: {running: {}}}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: waits, namespace: default, uid: waits, creationTimestamp: '2026-07-01T09:00:00Z'}
  spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '90'}}}]}
  status:
    phase: Pending
    conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/3 nodes are available: 3 Insufficient cpu.'}]";
    let mut session = open_dump(items);
    assert_eq!(session.advance(SimTime::from_seconds(600), u64::MAX), Slice::Done);
    let scheduler_message = |session: &Session| {
        let objects = session.world().objects();
        let pod = objects
            .get::<podscope_api::Pod>(&ObjectKey::new("default", "waits"))
            .expect("the pending pod");
        pod.condition("PodScheduled")
            .map(|condition| condition.message.to_string())
    };
    assert_eq!(
        scheduler_message(&session).as_deref(),
        Some("0/3 nodes are available: 3 Insufficient cpu.")
    );
    let events = session.world().objects().list::<podscope_api::Event>();
    let events = events.filter(|event| &*event.reason == "FailedScheduling");
    assert_eq!(events.count(), 0);
    let node = session
        .world()
        .objects()
        .get::<podscope_api::Node>(&ObjectKey::cluster("ip-1"))
        .expect("the placeholder node");
    assert!(
        node.status
            .conditions
            .iter()
            .all(|condition| condition.last_heartbeat_time.is_some())
    );
    let join = command::parse("fault join known").expect("a command");
    session.command(join).expect("the node joins");
    assert_eq!(session.advance(SimTime::from_seconds(1_200), u64::MAX), Slice::Done);
    let now = scheduler_message(&session).unwrap_or_default();
    // The placeholder node is not counted.
    assert!(now.starts_with("0/1 nodes are available: 1 Insufficient cpu."), "{now}");
}
