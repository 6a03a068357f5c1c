use super::{assert_output, session_after};

const NODE: &str = r#"
apiVersion: v1
kind: Node
metadata:
  name: w-1
  uid: n1
  creationTimestamp: 2025-12-20T00:00:00Z
  labels: {kubernetes.io/hostname: w-1, kubernetes.io/os: linux, kubernetes.io/arch: amd64, node-role.kubernetes.io/worker: ""}
spec:
  podCIDR: 10.244.1.0/24
  podCIDRs: [10.244.1.0/24]
  providerID: sim://w-1
  unschedulable: true
  taints:
  - {key: node.kubernetes.io/unschedulable, effect: NoSchedule}
  - {key: gpu, value: "true", effect: NoExecute}
status:
  addresses: [{type: InternalIP, address: 10.0.0.7}, {type: Hostname, address: w-1}]
  capacity: {cpu: "4", memory: 8Gi, ephemeral-storage: 100Gi, pods: "110", hugepages-2Mi: "64Mi", example.com/gpu: "2"}
  allocatable: {cpu: "4", memory: 8Gi, ephemeral-storage: 100Gi, pods: "110", hugepages-2Mi: "64Mi", example.com/gpu: "2"}
  nodeInfo: {machineID: m1, systemUUID: s1, bootID: b1, kernelVersion: 6.12.0, osImage: Some Linux, operatingSystem: linux, architecture: amd64, containerRuntimeVersion: "containerd://2.1.4", kubeletVersion: v1.34.0, kubeProxyVersion: ""}
  conditions:
  - {type: MemoryPressure, status: "False", reason: KubeletHasSufficientMemory, message: kubelet has sufficient memory available, lastHeartbeatTime: 2025-12-31T23:59:00Z, lastTransitionTime: 2025-12-20T00:00:00Z}
  - {type: DiskPressure, status: "False", reason: KubeletHasNoDiskPressure, message: kubelet has no disk pressure, lastHeartbeatTime: 2025-12-31T23:59:00Z, lastTransitionTime: 2025-12-20T00:00:00Z}
  - {type: PIDPressure, status: "False", reason: KubeletHasSufficientPID, message: kubelet has sufficient PID available, lastHeartbeatTime: 2025-12-31T23:59:00Z, lastTransitionTime: 2025-12-20T00:00:00Z}
  - {type: Ready, status: "True", reason: KubeletReady, message: kubelet is posting ready status, lastHeartbeatTime: 2025-12-31T23:59:00Z, lastTransitionTime: 2025-12-20T00:00:10Z}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: w-1, namespace: kube-node-lease, uid: l1}
spec: {holderIdentity: w-1, leaseDurationSeconds: 40, renewTime: "2025-12-31T23:59:55.000000Z"}
---
apiVersion: v1
kind: Pod
metadata: {name: web-5d4-abcde, namespace: default, uid: p1, creationTimestamp: 2025-12-31T23:54:32Z}
spec:
  nodeName: w-1
  overhead: {cpu: 50m}
  initContainers: [{name: i, image: x, resources: {requests: {cpu: 100m, memory: 96Mi}}}]
  containers: [{name: c, image: x, resources: {requests: {cpu: 200m, memory: 64Mi, example.com/gpu: "1", ephemeral-storage: 25Gi}, limits: {memory: 128Mi, example.com/gpu: "1"}}}]
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: done, namespace: default, uid: p2, creationTimestamp: 2025-12-31T23:54:32Z}
spec: {nodeName: w-1, containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]}
status: {phase: Succeeded}
"#;

// In the description of a node, percentages refer to allocatable resources and are truncated. Finished pods are not
// counted.
// Shows: K-02, KC-074, KC-075
#[test]
fn node_description_equals_kubectl() {
    let session = session_after(NODE, 0);
    assert_output(
        &session,
        "kubectl describe node w-1",
        "\
Name:               w-1
Roles:              worker
Labels:             beta.kubernetes.io/arch=amd64
                    beta.kubernetes.io/os=linux
                    kubernetes.io/arch=amd64
                    kubernetes.io/hostname=w-1
                    kubernetes.io/os=linux
                    node-role.kubernetes.io/worker=
Annotations:        <none>
CreationTimestamp:  Sat, 20 Dec 2025 00:00:00 +0000
Taints:             gpu=true:NoExecute
                    node.kubernetes.io/unschedulable:NoSchedule
Unschedulable:      true
Lease:
  HolderIdentity:  w-1
  AcquireTime:     <unset>
  RenewTime:       RENEWED
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message
  ----             ------  -----------------                 ------------------                ------                       -------
  MemoryPressure   False   Wed, 31 Dec 2025 23:59:00 +0000   Sat, 20 Dec 2025 00:00:00 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
  DiskPressure     False   Wed, 31 Dec 2025 23:59:00 +0000   Sat, 20 Dec 2025 00:00:00 +0000   KubeletHasNoDiskPressure     kubelet has no disk pressure
  PIDPressure      False   Wed, 31 Dec 2025 23:59:00 +0000   Sat, 20 Dec 2025 00:00:00 +0000   KubeletHasSufficientPID      kubelet has sufficient PID available
  Ready            True    Wed, 31 Dec 2025 23:59:00 +0000   Sat, 20 Dec 2025 00:00:10 +0000   KubeletReady                 kubelet is posting ready status
Addresses:
  InternalIP:  10.0.0.7
  Hostname:    w-1
Capacity:
  cpu:                4
  ephemeral-storage:  100Gi
  example.com/gpu:    2
  hugepages-2Mi:      64Mi
  memory:             8Gi
  pods:               110
Allocatable:
  cpu:                4
  ephemeral-storage:  100Gi
  example.com/gpu:    2
  hugepages-2Mi:      64Mi
  memory:             8Gi
  pods:               110
System Info:
  Machine ID:                 m1
  System UUID:                s1
  Boot ID:                    b1
  Kernel Version:             6.12.0
  OS Image:                   Some Linux
  Operating System:           linux
  Architecture:               amd64
  Container Runtime Version:  containerd://2.1.4
  Kubelet Version:            v1.34.0
PodCIDR:                      10.244.1.0/24
PodCIDRs:                     10.244.1.0/24
ProviderID:                   sim://w-1
Non-terminated Pods:          (1 in total)
  Namespace                   Name             CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------                   ----             ------------  ----------  ---------------  -------------  ---
  default                     web-5d4-abcde    250m (6%)     0 (0%)      96Mi (1%)        128Mi (1%)     5m28s
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests    Limits
  --------           --------    ------
  cpu                250m (6%)   0 (0%)
  memory             96Mi (1%)   128Mi (1%)
  ephemeral-storage  25Gi (25%)  0 (0%)
  hugepages-2Mi      0 (0%)      0 (0%)
  example.com/gpu    1           1
Events:              <none>
"
        .replace(
            "RENEWED",
            // The time of the last Lease renewal before t = 0 depends on the seed.
            "Wed, 31 Dec 2025 23:59:52 +0000",
        )
        .as_str(),
    );
}

// The renewal time of a Lease advances with time, although the simulation does not store each renewal.
// Shows: K-02, LC-202
#[test]
fn describe_node_shows_last_lease_renewal() {
    let mut session = session_after("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", 100);
    let renewed = |session: &podscope_session::timeline::Session| {
        let (text, _) = super::output_and_errors(session, "kubectl describe node a-1");
        text.lines()
            .find(|line| line.contains("RenewTime"))
            .expect("a line")
            .to_owned()
    };
    let before = renewed(&session);
    assert!(before.contains("00:01:3") || before.contains("00:01:40"), "{before}");
    let cut = podscope_kubectl::command::parse("fault partition a-1").expect("a command");
    session.command(cut).expect("there is room");
    while session.advance(podscope_cluster::SimTime::from_seconds(160), 10_000)
        == podscope_session::timeline::Slice::More
    {}
    assert_eq!(
        renewed(&session),
        before,
        "a node that is cut off does not renew its Lease"
    );
}

// `kubectl describe node` counts the requests of a pending resize, but not those of a refused resize.
// Shows: SCH-052, KC-075
#[test]
fn describe_node_counts_pending_resize() {
    let pod = |name: &str, cpu: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{nodeName: a-1, containers: \
             [{{name: c, image: x, resources: {{requests: {{cpu: {cpu}}}}}}}]}}\n"
        )
    };
    let mut session = session_after(&format!("{}---\n{}", pod("web", "500m"), pod("other", "\"3\"")), 10);
    let mut seconds = 10;
    for (cpu, of_web, of_all) in [("2", "2 (50%)", "5 (125%)"), ("9", "2 (50%)", "5 (125%)")] {
        let patch =
            format!(r#"{{"spec":{{"containers":[{{"name":"c","resources":{{"requests":{{"cpu":"{cpu}"}}}}}}]}}}}"#);
        let line = format!("kubectl patch pod web --subresource=resize -p '{patch}'");
        session
            .command(podscope_kubectl::command::parse(&line).expect("a command"))
            .expect("there is room");
        seconds += 10;
        while session.advance(podscope_cluster::SimTime::from_seconds(seconds), 10_000)
            == podscope_session::timeline::Slice::More
        {}
        let (text, _) = super::output_and_errors(&session, "kubectl describe node a-1");
        let row = |start: &str| {
            let mut rows = text
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            rows.find(|row| row.starts_with(start)).expect("a row")
        };
        let rows = (row("default web "), row("cpu "));
        assert!(rows.0.starts_with(&format!("default web {of_web}")), "{rows:?}");
        assert!(rows.1.starts_with(&format!("cpu {of_all}")), "{rows:?}");
    }
}
