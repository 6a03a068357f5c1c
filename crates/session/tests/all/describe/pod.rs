use super::{assert_output, output_and_errors, session_after};

const NODE: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: node-a, uid: n1}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
  conditions: [{type: Ready, status: "True", reason: KubeletReady, message: kubelet is posting ready status, lastHeartbeatTime: 2025-12-31T23:59:00Z, lastTransitionTime: 2025-12-31T20:00:00Z}]
"#;

const POD: &str = r#"
---
apiVersion: v1
kind: Pod
metadata:
  name: web-5d4-abcde
  namespace: default
  uid: p1
  creationTimestamp: 2025-12-31T23:50:00Z
  labels: {app: web, tier: front}
  annotations:
    note: short
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    long: |
      first line
      second line
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-5d4, uid: r1, controller: true}]
spec:
  nodeName: node-a
  serviceAccountName: default
  priority: 100
  priorityClassName: high
  nodeSelector: {disk: ssd}
  readinessGates: [{conditionType: example.com/gate}]
  tolerations:
  - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
  - {key: dedicated, value: web, effect: NoSchedule}
  - {operator: Exists, effect: NoSchedule}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
  - {maxSkew: 2, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}
  initContainers:
  - {name: fetch, image: "busybox:1", command: [sh, -c, "wget a\nwget b"]}
  containers:
  - name: app
    image: "nginx:1.27"
    args: ["-g", "daemon off;"]
    ports: [{containerPort: 80, name: http}, {containerPort: 443, hostPort: 8443}]
    resources: {requests: {cpu: 250m, memory: 64Mi}, limits: {memory: 128Mi}}
    livenessProbe: {httpGet: {path: "/healthz?full", port: 8080}, periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3}
    readinessProbe: {exec: {command: [cat, /tmp/ok]}, initialDelaySeconds: 5, periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3}
    startupProbe: {tcpSocket: {port: http}, periodSeconds: 10, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 30}
    envFrom: [{configMapRef: {name: settings, optional: true}}, {prefix: DB_, secretRef: {name: database}}]
    env:
    - {name: MODE, value: fast}
    - {name: ME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: WHERE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    - {name: CPUS, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    - {name: MEM, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}
    - {name: KEY, valueFrom: {secretKeyRef: {name: database, key: password}}}
    volumeMounts: [{name: data, mountPath: /data, subPath: web}, {name: conf, mountPath: /conf, readOnly: true}]
  - name: side
    image: "side:2"
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: data-web}}
  - {name: conf, configMap: {name: settings}}
  - {name: scratch, emptyDir: {sizeLimit: 1Gi}}
  - {name: logs, hostPath: {path: /var/log, type: Directory}}
  - {name: token, projected: {sources: [{serviceAccountToken: {path: token, expirationSeconds: 3607}}, {configMap: {name: ca}}, {downwardAPI: {items: []}}]}}
status:
  phase: Running
  qosClass: Burstable
  hostIP: 10.0.0.1
  podIP: 10.244.0.5
  podIPs: [{ip: 10.244.0.5}]
  startTime: 2025-12-31T23:50:01Z
  conditions:
  - {type: Initialized, status: "True"}
  - {type: Ready, status: "False"}
  initContainerStatuses:
  - {name: fetch, containerID: containerd://i1, image: "busybox:1", imageID: sha256:i, ready: true, restartCount: 0, state: {terminated: {exitCode: 0, reason: Completed, startedAt: 2025-12-31T23:50:02Z, finishedAt: 2025-12-31T23:50:03Z}}}
  containerStatuses:
  - {name: app, containerID: containerd://c1, image: "nginx:1.27", imageID: sha256:c, ready: true, restartCount: 1, started: true, state: {running: {startedAt: 2025-12-31T23:51:00Z}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled, message: too much, startedAt: 2025-12-31T23:50:04Z, finishedAt: 2025-12-31T23:50:59Z}}}
  - {name: side, image: "side:2", imageID: "", ready: false, restartCount: 0, state: {waiting: {reason: ImagePullBackOff, message: Back-off}}}
---
apiVersion: v1
kind: Event
metadata: {name: web.2, namespace: default}
involvedObject: {kind: Pod, namespace: default, name: web-5d4-abcde, uid: p1}
type: Warning
reason: BackOff
message: Back-off restarting failed container app
source: {component: kubelet, host: node-a}
firstTimestamp: 2025-12-31T23:56:12Z
lastTimestamp: 2025-12-31T23:59:12Z
count: 5
---
apiVersion: v1
kind: Event
metadata: {name: web.1, namespace: default}
involvedObject: {kind: Pod, namespace: default, name: web-5d4-abcde, uid: p1}
type: Normal
reason: Scheduled
message: Successfully assigned default/web-5d4-abcde to node-a
reportingComponent: default-scheduler
eventTime: "2025-12-31T23:54:33.000000Z"
reportingInstance: default-scheduler-0
action: Scheduling
---
apiVersion: v1
kind: Event
metadata: {name: web.0, namespace: default}
involvedObject: {kind: Pod, namespace: default, name: web-5d4-abcde, uid: another-life}
type: Normal
reason: Scheduled
message: of a pod that is gone
"#;

// Shows: K-02, KC-065, KC-067, KC-069, KC-070, KC-071, KC-072, KC-073
#[test]
fn pod_description_equals_kubectl() {
    let session = session_after(&format!("{NODE}{POD}"), 0);
    assert_output(
        &session,
        "kubectl describe pod web-5d4-abcde",
        "\
Name:                 web-5d4-abcde
Namespace:            default
Priority:             100
Priority Class Name:  high
Service Account:      default
Node:                 node-a/10.0.0.1
Start Time:           Wed, 31 Dec 2025 23:50:01 +0000
Labels:               app=web
                      tier=front
Annotations:          long:
                        first line
                        second line
                      note: short
Status:               Running
IP:                   10.244.0.5
IPs:
  IP:           10.244.0.5
Controlled By:  ReplicaSet/web-5d4
Init Containers:
  fetch:
    Container ID:  containerd://i1
    Image:         busybox:1
    Image ID:      sha256:i
    Port:          <none>
    Host Port:     <none>
    Command:
      sh
      -c
      wget a
      wget b
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      Wed, 31 Dec 2025 23:50:02 +0000
      Finished:     Wed, 31 Dec 2025 23:50:03 +0000
    Ready:          True
    Restart Count:  0
    Environment:    <none>
    Mounts:         <none>
Containers:
  app:
    Container ID:  containerd://c1
    Image:         nginx:1.27
    Image ID:      sha256:c
    Ports:         80/TCP (http), 443/TCP
    Host Ports:    0/TCP (http), 8443/TCP
    Args:
      -g
      daemon off;
    State:          Running
      Started:      Wed, 31 Dec 2025 23:51:00 +0000
    Last State:     Terminated
      Reason:       OOMKilled
      Message:      too much
      Exit Code:    137
      Started:      Wed, 31 Dec 2025 23:50:04 +0000
      Finished:     Wed, 31 Dec 2025 23:50:59 +0000
    Ready:          True
    Restart Count:  1
    Limits:
      memory:  128Mi
    Requests:
      cpu:      250m
      memory:   64Mi
    Liveness:   http-get http://:8080/healthz%3Ffull delay=0s timeout=1s period=10s #success=1 #failure=3
    Readiness:  exec [cat /tmp/ok] delay=5s timeout=1s period=10s #success=1 #failure=3
    Startup:    tcp-socket :http delay=0s timeout=1s period=10s #success=1 #failure=30
    Environment Variables from:
      settings  ConfigMap                 Optional: true
      database  Secret with prefix 'DB_'  Optional: false
    Environment:
      MODE:   fast
      ME:     web-5d4-abcde (v1:metadata.name)
      WHERE:   (v1:spec.nodeName)
      CPUS:   node allocatable (limits.cpu)
      MEM:    128 (limits.memory)
      KEY:    <set to the key 'password' in secret 'database'>  Optional: false
    Mounts:
      /conf from conf (ro)
      /data from data (rw,path=\"web\")
  side:
    Container ID:  ␠
    Image:          side:2
    Image ID:      ␠
    Port:           <none>
    Host Port:      <none>
    State:          Waiting
      Reason:       ImagePullBackOff
    Ready:          False
    Restart Count:  0
    Environment:    <none>
    Mounts:         <none>
Readiness Gates:
  Type               Status
  example.com/gate   <none>␠
Conditions:
  Type          Status
  Initialized   True␠
  Ready         False␠
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  data-web
    ReadOnly:   false
  conf:
    Type:      ConfigMap (a volume populated by a ConfigMap)
    Name:      settings
    Optional:  false
  scratch:
    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)
    Medium:    ␠
    SizeLimit:  1Gi
  logs:
    Type:          HostPath (bare host directory volume)
    Path:          /var/log
    HostPathType:  Directory
  token:
    Type:                     Projected (a volume that contains injected data from multiple sources)
    TokenExpirationSeconds:   3607
    ConfigMapName:            ca
    Optional:                 false
    DownwardAPI:              true
QoS Class:                    Burstable
Node-Selectors:               disk=ssd
Tolerations:                  :NoSchedule op=Exists
                              dedicated=web:NoSchedule
                              node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Topology Spread Constraints:  kubernetes.io/hostname:ScheduleAnyway when max skew 2 is exceeded
                              topology.kubernetes.io/zone:DoNotSchedule when max skew 1 is exceeded for selector app=web
Events:
  Type     Reason     Age                  From               Message
  ----     ------     ----                 ----               -------
  Normal   Scheduled  5m27s                default-scheduler  Successfully assigned default/web-5d4-abcde to node-a
  Warning  BackOff    48s (x5 over 3m48s)  kubelet            Back-off restarting failed container app
",
    );
}

// Shows: K-02, KC-066, KC-068
#[test]
fn describe_accepts_prefixes_and_reports_missing_objects() {
    let manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: web-1}\nspec: {terminationGracePeriodSeconds: 60, containers: [{name: c, image: x}]}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-2}\nspec: {containers: [{name: c, image: x}]}\n";
    let mut session = session_after(manifest, 10);
    let (both, errors) = output_and_errors(&session, "kubectl describe pods web --show-events=false");
    assert_eq!(errors, "");
    assert_eq!(both.matches("Name:             web-").count(), 2, "{both}");
    assert!(both.ends_with("\n\n") && !both.contains("\n\n\n"), "{both:?}");
    let (two, _) = output_and_errors(&session, "kubectl describe pods --show-events=false");
    assert_eq!(
        two.matches("\n\n\nName:").count(),
        1,
        "two blank lines between descriptions: {two}"
    );
    assert!(!two.contains("Events:"), "{two}");
    let (none, errors) = output_and_errors(&session, "kubectl describe pod/web");
    assert_eq!(
        (none.as_str(), errors.as_str()),
        ("", "Error from server (NotFound): pods \"web\" not found")
    );
    let (none, errors) = output_and_errors(&session, "kubectl describe deploy -n kube-system");
    assert_eq!(
        (none.as_str(), errors.as_str()),
        ("", "No resources found in kube-system namespace.")
    );
    let delete = podscope_kubectl::command::parse("kubectl delete pod web-1 --wait=false").expect("a command");
    session.command(delete).expect("there is room");
    while session.advance(podscope_cluster::SimTime::from_seconds(11), 1000) == podscope_session::timeline::Slice::More
    {
    }
    let (text, _) = output_and_errors(&session, "kubectl describe pod web-1");
    // kubectl prints an invalid age for a time in the future.
    assert!(
        text.contains("Status:                    Terminating (lasts <invalid>)\nTermination Grace Period:  60s\n"),
        "{text}"
    );
}
