//! Generates text like `kubectl get nodes,pods,… -A -o yaml` of a live cluster (P-03): nodes and running pods with
//! status, managedFields and realistic ages, the workloads that own them, and objects of kinds that are not simulated.
//! Equal sizes give equal texts.

use podscope_cluster::Rng;
use serde_json::{Value, json};

/// Size of the generated cluster.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Number of nodes.
    pub nodes: u64,
    /// Number of running pods.
    pub pods: u64,
}

impl Size {
    /// Size of the 25 MB dump that must load within three seconds.
    pub const FULL_DUMP: Size = Size { nodes: 500, pods: 5000 };
}

/// Number of pods per Deployment.
const PODS_PER_DEPLOYMENT: u64 = 10;
/// Time of the dump in seconds since 1970: 2025-12-31T23:59:00Z.
const DUMP_TIME: i64 = 1_767_225_540;

/// Generates the dump of a cluster as YAML.
#[must_use]
pub fn dump(size: Size) -> String {
    let mut dump = Dump {
        text: "apiVersion: v1\nitems:\n".to_owned(),
        rng: Rng::split(500, "dump"),
        n_uids: 0,
    };
    let namespace = dump.new_metadata("shop", None, 90 * 86_400);
    dump.push_item(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": namespace, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}));
    for node in 0..size.nodes {
        dump.add_node(node);
    }
    for owner in 0..size.pods.div_ceil(PODS_PER_DEPLOYMENT) {
        let pods = PODS_PER_DEPLOYMENT.min(size.pods - owner * PODS_PER_DEPLOYMENT);
        dump.add_workload(owner, pods, size.nodes);
    }
    for at in 0..size.pods / 50 + 2 {
        dump.add_unsimulated_objects(at);
    }
    dump.text.push_str("kind: List\nmetadata:\n  resourceVersion: \"\"\n");
    dump.text
}

/// Formats a time in seconds since 1970 as RFC 3339.
fn rfc3339(seconds: i64) -> String {
    podscope_api::print_rfc3339(seconds * 1_000_000, 0)
}

struct Dump {
    text: String,
    rng: Rng,
    n_uids: u64,
}

impl Dump {
    fn push_item(&mut self, value: &Value) {
        for (at, line) in podscope_api::print_yaml(value).lines().enumerate() {
            self.text.push_str(if at == 0 { "- " } else { "  " });
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn next_uid(&mut self) -> String {
        self.n_uids += 1;
        let bits = self.rng.bits();
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            bits >> 32,
            (bits >> 16) & 0xffff,
            (bits >> 4) & 0xfff,
            bits & 0xfff,
            self.n_uids
        )
    }

    /// Returns an entry of `managedFields` of realistic length.
    fn managed_fields_entry(&mut self, manager: &str, at: i64, fields: &[&str]) -> Value {
        let mut tree = json!({});
        for field in fields {
            let mut node = &mut tree;
            for part in field.split('.') {
                node = &mut node[format!("f:{part}")];
                if node.is_null() {
                    *node = json!({});
                }
            }
        }
        json!({"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": tree, "manager": manager, "operation": "Update", "time": rfc3339(at)})
    }

    fn new_metadata(&mut self, name: &str, namespace: Option<&str>, age: i64) -> Value {
        let mut metadata = json!({
            "name": name,
            "uid": self.next_uid(),
            "resourceVersion": self.rng.below(90_000_000).to_string(),
            "creationTimestamp": rfc3339(DUMP_TIME - age),
        });
        if let Some(namespace) = namespace {
            metadata["namespace"] = json!(namespace);
        }
        metadata
    }

    fn add_node(&mut self, number: u64) {
        let name = node_name(number);
        let zone = ["eu-1a", "eu-1b", "eu-1c"][(number % 3) as usize];
        let age = 86_400 * (1 + self.rng.below(300) as i64);
        let mut metadata = self.new_metadata(&name, None, age);
        metadata["labels"] = json!({
            "beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/instance-type": "m6i.2xlarge", "beta.kubernetes.io/os": "linux",
            "failure-domain.beta.kubernetes.io/region": "eu-1", "failure-domain.beta.kubernetes.io/zone": zone,
            "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
            "node.kubernetes.io/instance-type": "m6i.2xlarge", "topology.kubernetes.io/region": "eu-1", "topology.kubernetes.io/zone": zone,
        });
        metadata["annotations"] = json!({"csi.volume.kubernetes.io/nodeid": format!("{{\"ebs.csi.aws.com\":\"i-{number:016x}\"}}"), "node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true"});
        let beat = DUMP_TIME - self.rng.below(40) as i64;
        metadata["managedFields"] = json!([
            self.managed_fields_entry(
                "kubelet",
                beat,
                &[
                    "metadata.annotations.volumes",
                    "metadata.labels.arch",
                    "metadata.labels.os",
                    "spec.providerID",
                    "status.allocatable.cpu",
                    "status.capacity.cpu",
                    "status.conditions.k:{\"type\":\"Ready\"}.lastHeartbeatTime",
                    "status.images"
                ]
            ),
            self.managed_fields_entry(
                "kube-controller-manager",
                DUMP_TIME - age,
                &[
                    "metadata.annotations.ttl",
                    "spec.podCIDR",
                    "spec.podCIDRs.v:\"10.0.0.0/24\""
                ]
            ),
        ]);
        let condition = |kind: &str, status: &str, reason: &str| json!({"lastHeartbeatTime": rfc3339(beat), "lastTransitionTime": rfc3339(DUMP_TIME - age), "message": format!("kubelet has {reason}"), "reason": reason, "status": status, "type": kind});
        let images: Vec<Value> = (0..6)
            .map(|at| json!({"names": [format!("registry.example.com/team/image-{at}@sha256:{at:064x}"), format!("registry.example.com/team/image-{at}:v1.{at}")], "sizeBytes": 20_000_000 + at * 7_654_321}))
            .collect();
        let address = format!("10.1.{}.{}", number / 200, number % 200 + 1);
        self.push_item(&json!({
            "apiVersion": "v1", "kind": "Node", "metadata": metadata,
            "spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"], "providerID": format!("aws:///{zone}/i-{number:016x}")},
            "status": {
                "addresses": [{"address": address, "type": "InternalIP"}, {"address": name, "type": "Hostname"}],
                "allocatable": {"cpu": "7910m", "ephemeral-storage": "95551679124", "hugepages-2Mi": "0", "memory": "31482908Ki", "pods": "58"},
                "capacity": {"cpu": "8", "ephemeral-storage": "104845292Ki", "hugepages-2Mi": "0", "memory": "32499740Ki", "pods": "58"},
                "conditions": [condition("MemoryPressure", "False", "KubeletHasSufficientMemory"), condition("DiskPressure", "False", "KubeletHasNoDiskPressure"), condition("PIDPressure", "False", "KubeletHasSufficientPID"), condition("Ready", "True", "KubeletReady")],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
                "images": images,
                "nodeInfo": {"architecture": "amd64", "bootID": format!("{number:032x}"), "containerRuntimeVersion": "containerd://1.7.27", "kernelVersion": "6.1.140", "kubeProxyVersion": "v1.34.1", "kubeletVersion": "v1.34.1", "machineID": format!("{number:032x}"), "operatingSystem": "linux", "osImage": "Linux", "systemUUID": format!("{number:032x}")},
            },
        }));
    }

    /// Adds a Deployment with its ReplicaSet and running pods.
    #[expect(clippy::too_many_lines, reason = "texts as kubectl prints them")]
    fn add_workload(&mut self, number: u64, pods: u64, nodes: u64) {
        let name = format!("app-{number:03}");
        let age = 3600 * (2 + self.rng.below(2000) as i64);
        let labels = json!({"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "shop"});
        let hash = format!("{:09x}", 0x1_0000_0000 + number);
        let mut pod_labels = labels.clone();
        pod_labels["pod-template-hash"] = json!(hash);
        let spec = |labels: &Value| {
            json!({"metadata": {"labels": labels}, "spec": {
                "containers": [{
                    "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}, {"name": "LOG_LEVEL", "value": "info"}],
                    "image": format!("registry.example.com/team/image-{}:v1.{}", number % 12, number % 12), "imagePullPolicy": "IfNotPresent",
                    "livenessProbe": {"failureThreshold": 3, "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1},
                    "name": "app", "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
                    "readinessProbe": {"failureThreshold": 3, "httpGet": {"path": "/ready", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1},
                    "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": "250m", "memory": "256Mi"}},
                    "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                    "volumeMounts": [{"mountPath": "/tmp", "name": "scratch"}],
                }],
                "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler", "securityContext": {}, "terminationGracePeriodSeconds": 30,
                "topologySpreadConstraints": [{"labelSelector": {"matchLabels": {"app.kubernetes.io/name": name}}, "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}],
                "volumes": [{"emptyDir": {}, "name": "scratch"}],
            }})
        };
        let since = rfc3339(DUMP_TIME - age);
        let conditions = json!([
            {"lastTransitionTime": since, "lastUpdateTime": since, "message": "Deployment has minimum availability.", "reason": "MinimumReplicasAvailable", "status": "True", "type": "Available"},
            {"lastTransitionTime": since, "lastUpdateTime": since, "message": format!("ReplicaSet \"{name}-{hash}\" has successfully progressed."), "reason": "NewReplicaSetAvailable", "status": "True", "type": "Progressing"},
        ]);
        let status = json!({"availableReplicas": pods, "conditions": conditions, "observedGeneration": 1, "readyReplicas": pods, "replicas": pods, "updatedReplicas": pods});
        let mut deployment = self.new_metadata(&name, Some("shop"), age);
        deployment["annotations"] = json!({"deployment.kubernetes.io/revision": "1"});
        deployment["generation"] = json!(1);
        let deployment_uid = deployment["uid"].clone();
        self.push_item(&json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": deployment, "spec": {"progressDeadlineSeconds": 600, "replicas": pods, "revisionHistoryLimit": 10, "selector": {"matchLabels": labels}, "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"}, "template": spec(&labels)}, "status": status}));
        let set_name = format!("{name}-{hash}");
        let mut set = self.new_metadata(&set_name, Some("shop"), age);
        set["annotations"] = json!({"deployment.kubernetes.io/desired-replicas": pods.to_string(), "deployment.kubernetes.io/max-replicas": (pods + pods.div_ceil(4)).to_string(), "deployment.kubernetes.io/revision": "1"});
        set["generation"] = json!(1);
        set["labels"] = pod_labels.clone();
        set["ownerReferences"] = owner_reference("Deployment", &name, &deployment_uid);
        let set_uid = set["uid"].clone();
        self.push_item(&json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": set, "spec": {"replicas": pods, "selector": {"matchLabels": pod_labels}, "template": spec(&pod_labels)}, "status": {"availableReplicas": pods, "fullyLabeledReplicas": pods, "observedGeneration": 1, "readyReplicas": pods, "replicas": pods}}));
        for pod in 0..pods {
            let node_number = (number * PODS_PER_DEPLOYMENT + pod) % nodes;
            let pod_age = 60 + self.rng.below(age as u64 - 60) as i64;
            let mut metadata = self.new_metadata(&format!("{set_name}-{:05x}", 0x1_0000 + pod), Some("shop"), pod_age);
            metadata["generateName"] = json!(format!("{set_name}-"));
            metadata["labels"] = pod_labels.clone();
            metadata["ownerReferences"] = owner_reference("ReplicaSet", &set_name, &set_uid);
            metadata["managedFields"] = json!([
                self.managed_fields_entry(
                    "kube-controller-manager",
                    DUMP_TIME - pod_age,
                    &[
                        "metadata.generateName",
                        "metadata.labels.pod-template-hash",
                        "metadata.ownerReferences",
                        "spec.containers.k:{\"name\":\"app\"}.env",
                        "spec.containers.k:{\"name\":\"app\"}.livenessProbe.httpGet.path",
                        "spec.containers.k:{\"name\":\"app\"}.resources.limits.memory",
                        "spec.dnsPolicy",
                        "spec.restartPolicy",
                        "spec.topologySpreadConstraints"
                    ]
                ),
                self.managed_fields_entry(
                    "kubelet",
                    DUMP_TIME - pod_age + 5,
                    &[
                        "status.conditions.k:{\"type\":\"Ready\"}.lastTransitionTime",
                        "status.containerStatuses",
                        "status.hostIP",
                        "status.phase",
                        "status.podIP",
                        "status.startTime"
                    ]
                ),
            ]);
            let mut inner = spec(&pod_labels)["spec"].take();
            inner["nodeName"] = json!(node_name(node_number));
            inner["enableServiceLinks"] = json!(true);
            inner["preemptionPolicy"] = json!("PreemptLowerPriority");
            inner["priority"] = json!(0);
            inner["serviceAccountName"] = json!("default");
            inner["tolerations"] = json!([{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300}, {"effect": "NoExecute", "key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 300}]);
            let since = |kind: &str, seconds: i64| json!({"lastProbeTime": null, "lastTransitionTime": rfc3339(DUMP_TIME - pod_age + seconds), "status": "True", "type": kind});
            let restarts = self.rng.below(40).saturating_sub(36);
            self.push_item(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": inner, "status": {
                "conditions": [since("PodReadyToStartContainers", 2), since("Initialized", 0), since("Ready", 9), since("ContainersReady", 9), since("PodScheduled", 0)],
                "containerStatuses": [{"allocatedResources": {"cpu": "250m", "memory": "256Mi"}, "containerID": format!("containerd://{:064x}", number * 1000 + pod), "image": format!("registry.example.com/team/image-{}:v1.{}", number % 12, number % 12), "imageID": format!("registry.example.com/team/image-{}@sha256:{:064x}", number % 12, number % 12), "lastState": {}, "name": "app", "ready": true, "restartCount": restarts, "started": true, "state": {"running": {"startedAt": rfc3339(DUMP_TIME - pod_age + 3)}}}],
                "hostIP": format!("10.1.{}.{}", node_number / 200, node_number % 200 + 1), "phase": "Running", "podIP": format!("10.2.{}.{}", node_number % 250, pod + 1), "qosClass": "Burstable", "startTime": rfc3339(DUMP_TIME - pod_age),
            }}));
        }
    }

    /// Adds objects of kinds that are not simulated: an Ingress, a custom resource and, once, the
    /// CustomResourceDefinition.
    fn add_unsimulated_objects(&mut self, number: u64) {
        let ingress = self.new_metadata(&format!("ingress-{number}"), Some("shop"), 9000);
        self.push_item(&json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": ingress, "spec": {"rules": [{"host": format!("app-{number}.example.com")}]}, "status": {"loadBalancer": {}}}));
        let widget = self.new_metadata(&format!("widget-{number}"), Some("shop"), 8000);
        self.push_item(&json!({"apiVersion": "example.com/v1alpha1", "kind": "Widget", "metadata": widget, "spec": {"size": number, "parts": [{"a": [1, 2.5, null, true]}]}}));
        if number == 0 {
            let crd = self.new_metadata("widgets.example.com", None, 7000);
            self.push_item(&json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": crd, "spec": {"group": "example.com", "names": {"kind": "Widget", "plural": "widgets"}, "scope": "Namespaced", "versions": [{"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}));
        }
    }
}

fn node_name(number: u64) -> String {
    format!("ip-10-1-{}-{}.eu-1.compute.internal", number / 200, number % 200 + 1)
}

fn owner_reference(kind: &str, name: &str, uid: &Value) -> Value {
    json!([{"apiVersion": "apps/v1", "blockOwnerDeletion": true, "controller": true, "kind": kind, "name": name, "uid": uid}])
}
