use super::{assert_output, output_and_errors, session_after};

const DEPLOYMENT: &str = r#"
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, tier: front}}
    spec:
      serviceAccountName: web
      priorityClassName: ""
      containers: [{name: app, image: "nginx:1", ports: [{containerPort: 80}], env: [{name: ME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}], volumeMounts: [{name: tmp, mountPath: /tmp}]}]
      volumes: [{name: tmp, emptyDir: {}}]
      nodeSelector: {kubernetes.io/os: linux}
"#;

// Shows: K-02, KC-076, KC-110
#[test]
fn deployment_description_equals_kubectl() {
    let mut session = session_after(DEPLOYMENT, 30);
    let replica_sets = |session: &podscope_session::timeline::Session| {
        let (names, _) = output_and_errors(session, "kubectl get rs -o name --sort-by=.metadata.creationTimestamp");
        names
            .lines()
            .map(|line| line.replace("replicaset.apps/", ""))
            .collect::<Vec<_>>()
    };
    let first = replica_sets(&session).remove(0);
    assert_output(
        &session,
        "kubectl describe deployment web",
        &"\
Name:                   web
Namespace:              default
CreationTimestamp:      Thu, 01 Jan 2026 00:00:00 +0000
Labels:                 app=web
Annotations:            deployment.kubernetes.io/revision: 1
Selector:               app=web
Replicas:               3 desired | 3 updated | 3 total | 3 available | 0 unavailable
StrategyType:           RollingUpdate
MinReadySeconds:        0
RollingUpdateStrategy:  25% max unavailable, 25% max surge
Pod Template:
  Labels:           app=web
                    tier=front
  Service Account:  web
  Containers:
   app:
    Image:      nginx:1
    Port:       80/TCP
    Host Port:  0/TCP
    Environment:
      ME:   (v1:metadata.name)
    Mounts:
      /tmp from tmp (rw)
  Volumes:
   tmp:
    Type:          EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:       ␠
    SizeLimit:     <unset>
  Node-Selectors:  kubernetes.io/os=linux
  Tolerations:     <none>
Conditions:
  Type           Status  Reason
  ----           ------  ------
  Available      True    MinimumReplicasAvailable
  Progressing    True    NewReplicaSetAvailable
OldReplicaSets:  <none>
NewReplicaSet:   FIRST (3/3 replicas created)
Events:
  Type    Reason             Age   From                   Message
  ----    ------             ----  ----                   -------
  Normal  ScalingReplicaSet  30s   deployment-controller  Scaled up replica set FIRST from 0 to 3
"
        .replace("FIRST", &first),
    );
    assert_output(
        &session,
        "kubectl describe rs --show-events=false",
        &"\
Name:           FIRST
Namespace:      default
Selector:       app=web,pod-template-hash=HASH
Labels:         app=web
                pod-template-hash=HASH
                tier=front
Annotations:    deployment.kubernetes.io/desired-replicas: 3
                deployment.kubernetes.io/max-replicas: 4
                deployment.kubernetes.io/revision: 1
Controlled By:  Deployment/web
Replicas:       3 current / 3 desired
Pods Status:    3 Running / 0 Waiting / 0 Succeeded / 0 Failed
Pod Template:
  Labels:           app=web
                    pod-template-hash=HASH
                    tier=front
  Service Account:  web
  Containers:
   app:
    Image:      nginx:1
    Port:       80/TCP
    Host Port:  0/TCP
    Environment:
      ME:   (v1:metadata.name)
    Mounts:
      /tmp from tmp (rw)
  Volumes:
   tmp:
    Type:          EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:       ␠
    SizeLimit:     <unset>
  Node-Selectors:  kubernetes.io/os=linux
  Tolerations:     <none>
"
        .replace("FIRST", &first)
        .replace("HASH", first.trim_start_matches("web-")),
    );
    // After an update, the description lists the old ReplicaSet, and the rollout history has two revisions (KC-110).
    for line in [
        "kubectl set image deploy/web app=nginx:2",
        "kubectl annotate deploy/web kubernetes.io/change-cause=update",
    ] {
        let command = podscope_kubectl::command::parse(line).expect("a command");
        session.command(command).expect("there is room");
    }
    while session.advance(podscope_cluster::SimTime::from_seconds(120), 10_000)
        == podscope_session::timeline::Slice::More
    {}
    let sets = replica_sets(&session);
    let second = sets.iter().find(|name| **name != first).expect("a second ReplicaSet");
    let (text, _) = output_and_errors(&session, "kubectl describe deployment web");
    let want =
        format!("OldReplicaSets:  {first} (0/0 replicas created)\nNewReplicaSet:   {second} (3/3 replicas created)\n");
    assert!(text.contains(&want), "{want} in\n{text}");
    assert_output(
        &session,
        "kubectl rollout history deploy/web",
        "deployment.apps/web␠\nREVISION  CHANGE-CAUSE\n1         <none>\n2         update\n\n",
    );
    let (text, _) = output_and_errors(&session, "kubectl rollout history deploy/web --revision=1");
    assert!(
        text.starts_with(
            "deployment.apps/web with revision #1\nPod Template:\n  Labels:\tapp=web\n\tpod-template-hash="
        ) && text.contains("    Image:\tnginx:1\n")
            && text.ends_with("  Tolerations:\t<none>\n\n"),
        "{text}"
    );
    let (_, errors) = output_and_errors(&session, "kubectl rollout history deploy/web --revision=9");
    assert_eq!(errors, "error: unable to find the specified revision");
}

const STATEFUL_SET: &str = r#"
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1}
spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce], storageClassName: fast, csi: {driver: disk.example.com, volumeHandle: h1}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}, annotations: {note: x}}
    spec: {containers: [{name: c, image: "db:1", volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates: [{metadata: {name: data, labels: {app: db}}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}}]
"#;

// Shows: K-02, KC-077
#[test]
fn stateful_set_description_equals_kubectl() {
    let session = session_after(STATEFUL_SET, 60);
    assert_output(
        &session,
        "kubectl describe sts db --show-events=false",
        "\
Name:               db
Namespace:          default
CreationTimestamp:  Thu, 01 Jan 2026 00:00:00 +0000
Selector:           app=db
Labels:             <none>
Annotations:        <none>
Replicas:           1 desired | 1 total
Update Strategy:    RollingUpdate
  Partition:        0
Pods Status:        1 Running / 0 Waiting / 0 Succeeded / 0 Failed
Pod Template:
  Labels:       app=db
  Annotations:  note: x
  Containers:
   c:
    Image:        db:1
    Port:         <none>
    Host Port:    <none>
    Environment:  <none>
    Mounts:
      /data from data (rw)
  Volumes:         <none>
  Node-Selectors:  <none>
  Tolerations:     <none>
Volume Claims:
  Name:          data
  StorageClass:  fast
  Labels:        app=db
  Annotations:   <none>
  Capacity:      1Gi
  Access Modes:  [ReadWriteOnce]
",
    );
    assert_output(
        &session,
        "kubectl rollout history sts/db",
        "statefulset.apps/db␠\nREVISION  CHANGE-CAUSE\n1         <none>\n\n",
    );
    assert_output(
        &session,
        "kubectl describe pvc data-db-0 --show-events=false",
        "\
Name:          data-db-0
Namespace:     default
StorageClass:  fast
Status:        Bound
Volume:        pv-1
Labels:        app=db
Annotations:   pv.kubernetes.io/bind-completed: yes
               pv.kubernetes.io/bound-by-controller: yes
Finalizers:    [kubernetes.io/pvc-protection]
Capacity:      5Gi
Access Modes:  RWO
VolumeMode:    Filesystem
Used By:       db-0
",
    );
    assert_output(
        &session,
        "kubectl describe pv pv-1 --show-events=false",
        "\
Name:            pv-1
Labels:          <none>
Annotations:     pv.kubernetes.io/bound-by-controller: yes
Finalizers:      [kubernetes.io/pv-protection]
StorageClass:    fast
Status:          Bound
Claim:           default/data-db-0
Reclaim Policy:  Retain
Access Modes:    RWO
VolumeMode:      Filesystem
Capacity:        5Gi
Node Affinity:   <none>
Message:        ␠
Source:
    Type:              CSI (a Container Storage Interface (CSI) volume source)
    Driver:            disk.example.com
    FSType:           ␠
    VolumeHandle:      h1
    ReadOnly:          false
    VolumeAttributes:  <none>
",
    );
}

const DAEMON_SET_AND_JOB: &str = r#"
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {nodeSelector: {topology.kubernetes.io/zone: a}, tolerations: [{operator: Exists}], containers: [{name: c, image: x}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: load}
spec:
  completions: 2
  parallelism: 1
  template:
    metadata: {annotations: {behavior.podscope.dev/c: "run=5s"}}
    spec: {restartPolicy: Never, containers: [{name: c, image: x}]}
"#;

// Shows: K-02, KC-077
#[test]
fn daemon_set_and_job_descriptions_equal_kubectl() {
    let session = session_after(DAEMON_SET_AND_JOB, 60);
    assert_output(
        &session,
        "kubectl describe ds agent --show-events=false",
        "\
Name:           agent
Namespace:      default
Selector:       app=agent
Node-Selector:  topology.kubernetes.io/zone=a
Labels:         <none>
Annotations:    deprecated.daemonset.template.generation: 1
Desired Number of Nodes Scheduled: 2
Current Number of Nodes Scheduled: 2
Number of Nodes Scheduled with Up-to-date Pods: 2
Number of Nodes Scheduled with Available Pods: 2
Number of Nodes Misscheduled: 0
Pods Status:  2 Running / 0 Waiting / 0 Succeeded / 0 Failed
Pod Template:
  Labels:  app=agent
  Containers:
   c:
    Image:         x
    Port:          <none>
    Host Port:     <none>
    Environment:   <none>
    Mounts:        <none>
  Volumes:         <none>
  Node-Selectors:  topology.kubernetes.io/zone=a
  Tolerations:     op=Exists
",
    );
    let (text, _) = output_and_errors(&session, "kubectl describe job load --show-events=false");
    for want in [
        "Parallelism:      1\nCompletions:      2\nCompletion Mode:  NonIndexed\nSuspend:          false\nBackoff Limit:    6\nStart Time:       Thu, 01 Jan 2026 00:00:00 +0000\nCompleted At:     ",
        "Pods Statuses:    0 Active (0 Ready) / 2 Succeeded / 0 Failed\nPod Template:\n",
        "  Annotations:  behavior.podscope.dev/c: run=5s\n",
    ] {
        assert!(text.contains(want), "{want}\nin\n{text}");
    }
}
