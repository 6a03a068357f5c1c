//! Defaults of the API server (VA-023 to VA-056, LC-038, LC-039).

use podscope_api::{Object, default_object, parse};
use serde_json::{Value, json};

fn default_and_print(text: &str) -> Value {
    let mut parsed = parse(text);
    assert_eq!(parsed.problems, [], "{text}");
    let mut object = parsed.objects.remove(0).value;
    default_object(&mut object);
    let once = object.to_value();
    default_object(&mut object);
    assert_eq!(object.to_value(), once, "VA-055: defaulting twice changes nothing");
    once
}

fn assert_defaults(text: &str, values_by_pointer: &[(&str, Value)]) {
    let value = default_and_print(text);
    for (pointer, expected) in values_by_pointer {
        assert_eq!(
            value.pointer(pointer).unwrap_or(&Value::Null),
            expected,
            "{pointer} of {text}"
        );
    }
}

/// Shows: LC-038, LC-039, VA-023, VA-024, VA-025, VA-026, VA-027, VA-028, VA-029, VA-030, VA-031, VA-032, VA-033,
/// VA-034, VA-035, VA-036, VA-037, VA-038, VA-039, VA-040
#[test]
fn pods_get_the_api_servers_defaults() {
    assert_defaults(
        "apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  restartPolicy: ''
  hostNetwork: true
  containers:
  - name: c
    image: nginx
    ports: [{containerPort: 80}]
    resources: {limits: {cpu: 100u, memory: 1Gi}, requests: {memory: 1Mi}}
    livenessProbe: {httpGet: {port: 80}, periodSeconds: 0}
    readinessProbe: {grpc: {port: 5}, failureThreshold: 7}
    restartPolicy: Always
    lifecycle: {stopSignal: SIGUSR1, preStop: {httpGet: {port: 1}}}
    env:
    - {name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: B, valueFrom: {fileKeyRef: {volumeName: none, path: x, key: K}}}
  initContainers:
  - {name: i, image: 'r.io:5000/x:v1', restartPolicy: Never}
  volumes:
  - {name: none}
  - {name: h, hostPath: {path: /a}}
  - {name: c, configMap: {name: c}}
  - {name: odd, cephfs: {monitors: [x]}}
  - {name: p, projected: {sources: [{serviceAccountToken: {path: t}}]}}
",
        &[
            ("/spec/restartPolicy", json!("Always")),
            ("/spec/dnsPolicy", json!("ClusterFirst")),
            ("/spec/schedulerName", json!("default-scheduler")),
            ("/spec/terminationGracePeriodSeconds", json!(30)),
            ("/spec/securityContext", json!({})),
            ("/spec/enableServiceLinks", json!(true)),
            ("/spec/containers/0/imagePullPolicy", json!("Always")),
            ("/spec/containers/0/terminationMessagePolicy", json!("File")),
            (
                "/spec/containers/0/ports/0",
                json!({"containerPort": 80, "hostPort": 80, "protocol": "TCP"}),
            ),
            (
                "/spec/containers/0/resources/requests",
                json!({"cpu": "1m", "memory": "1Mi"}),
            ),
            (
                "/spec/containers/0/livenessProbe",
                json!({"httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}, "timeoutSeconds": 1, "periodSeconds": 10,
                       "successThreshold": 1, "failureThreshold": 3}),
            ),
            (
                "/spec/containers/0/readinessProbe/grpc",
                json!({"port": 5, "service": ""}),
            ),
            ("/spec/containers/0/readinessProbe/failureThreshold", json!(7)),
            ("/spec/containers/0/restartPolicy", json!("Always")),
            ("/spec/containers/0/lifecycle/stopSignal", Value::Null),
            ("/spec/containers/0/lifecycle/preStop/httpGet/path", json!("/")),
            ("/spec/containers/0/env/0/valueFrom/fieldRef/apiVersion", json!("v1")),
            ("/spec/containers/0/env/1/valueFrom/fileKeyRef/optional", json!(false)),
            ("/spec/initContainers/0/restartPolicy", json!("Never")),
            ("/spec/initContainers/0/imagePullPolicy", json!("IfNotPresent")),
            ("/spec/volumes/0/emptyDir", json!({})),
            ("/spec/volumes/1/hostPath/type", json!("")),
            ("/spec/volumes/2/configMap/defaultMode", json!(420)),
            ("/spec/volumes/3", json!({"name": "odd", "cephfs": {"monitors": ["x"]}})),
            (
                "/spec/volumes/4/projected",
                json!({"defaultMode": 420, "sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}]}),
            ),
        ],
    );
}

/// Shows: VA-028
#[test]
fn pull_policy_depends_on_the_image_tag() {
    for (image, policy) in [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("localhost:5000/nginx", "Always"),
        ("Registry.io/team/nginx", "Always"),
        ("nginx@sha256:0123", "IfNotPresent"),
        ("Nginx", "IfNotPresent"),
        ("''", "IfNotPresent"),
    ] {
        assert_defaults(
            &format!("{{apiVersion: v1, kind: Pod, spec: {{containers: [{{image: {image}}}]}}}}"),
            &[("/spec/containers/0/imagePullPolicy", json!(policy))],
        );
    }
}

/// Shows: VA-032
#[test]
fn pod_level_requests_default_from_limits_and_containers() {
    assert_defaults(
        "apiVersion: v1
kind: Pod
spec:
  resources: {limits: {cpu: 4, memory: 1Gi}}
  containers: [{name: a, resources: {requests: {cpu: 1}}}, {name: b, resources: {limits: {cpu: 500m}}}]
  initContainers: [{name: i, resources: {requests: {cpu: 2}}}]
",
        &[("/spec/resources/requests", json!({"cpu": "2", "memory": "1Gi"}))],
    );
}

/// Shows: VA-041, VA-042, VA-043, VA-044, VA-045, VA-046, VA-047, VA-048, VA-049, VA-050, VA-051, VA-052, VA-053
#[test]
fn kinds_other_than_pod_get_the_api_servers_defaults() {
    let rows: &[(&str, &[(&str, Value)])] = &[
        (
            "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {containers: [{name: a, resources: {limits: \
             {cpu: 1}}}]}}}}",
            &[
                ("/spec/replicas", json!(1)),
                (
                    "/spec/strategy",
                    json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}),
                ),
                ("/spec/revisionHistoryLimit", json!(10)),
                ("/spec/progressDeadlineSeconds", json!(600)),
                (
                    "/spec/template/spec/containers/0/resources",
                    json!({"limits": {"cpu": "1"}}),
                ),
                ("/spec/template/spec/enableServiceLinks", Value::Null),
                ("/spec/template/spec/restartPolicy", json!("Always")),
            ],
        ),
        (
            "{apiVersion: apps/v1, kind: StatefulSet, spec: {volumeClaimTemplates: [{metadata: {name: d}}]}}",
            &[
                ("/spec/replicas", json!(1)),
                ("/spec/podManagementPolicy", json!("OrderedReady")),
                (
                    "/spec/updateStrategy",
                    json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}),
                ),
                (
                    "/spec/persistentVolumeClaimRetentionPolicy",
                    json!({"whenDeleted": "Retain", "whenScaled": "Retain"}),
                ),
                ("/spec/volumeClaimTemplates/0/spec/volumeMode", json!("Filesystem")),
            ],
        ),
        (
            "{apiVersion: apps/v1, kind: DaemonSet}",
            &[(
                "/spec/updateStrategy",
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}),
            )],
        ),
        (
            "{apiVersion: batch/v1, kind: Job, spec: {template: {metadata: {labels: {a: b}}}}}",
            &[
                ("/spec/parallelism", json!(1)),
                ("/spec/completions", json!(1)),
                ("/spec/backoffLimit", json!(6)),
                ("/spec/completionMode", json!("NonIndexed")),
                ("/spec/podReplacementPolicy", json!("TerminatingOrFailed")),
                ("/metadata/labels", json!({"a": "b"})),
            ],
        ),
        (
            "{apiVersion: batch/v1, kind: Job, spec: {parallelism: 3, backoffLimitPerIndex: 1}}",
            &[
                ("/spec/parallelism", json!(3)),
                ("/spec/completions", Value::Null),
                ("/spec/backoffLimit", json!(2_147_483_647)),
            ],
        ),
        (
            "{apiVersion: v1, kind: Service, spec: {type: LoadBalancer, ports: [{port: 80}]}}",
            &[
                (
                    "/spec/ports/0",
                    json!({"port": 80, "targetPort": 80, "protocol": "TCP"}),
                ),
                ("/spec/sessionAffinity", json!("None")),
                ("/spec/externalTrafficPolicy", json!("Cluster")),
                ("/spec/internalTrafficPolicy", json!("Cluster")),
                ("/spec/allocateLoadBalancerNodePorts", json!(true)),
            ],
        ),
        (
            "{apiVersion: v1, kind: PersistentVolume}",
            &[
                ("/spec/persistentVolumeReclaimPolicy", json!("Retain")),
                ("/spec/volumeMode", json!("Filesystem")),
                ("/status/phase", json!("Pending")),
            ],
        ),
        (
            "{apiVersion: storage.k8s.io/v1, kind: StorageClass}",
            &[
                ("/reclaimPolicy", json!("Delete")),
                ("/volumeBindingMode", json!("Immediate")),
            ],
        ),
        (
            "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass}",
            &[
                ("/preemptionPolicy", json!("PreemptLowerPriority")),
                ("/value", json!(0)),
            ],
        ),
        (
            "{apiVersion: v1, kind: Namespace, metadata: {name: x}}",
            &[
                ("/metadata/labels", json!({"kubernetes.io/metadata.name": "x"})),
                ("/status/phase", json!("Active")),
            ],
        ),
        (
            "{apiVersion: v1, kind: Node, status: {capacity: {cpu: 4}}}",
            &[("/status/allocatable", json!({"cpu": "4"}))],
        ),
    ];
    for (text, expected) in rows {
        assert_defaults(text, expected);
    }
}

/// Shows: VA-052
#[test]
fn job_selector_is_generated_from_its_uid() {
    let parsed = parse("{apiVersion: batch/v1, kind: Job, metadata: {name: j, uid: u-1}}");
    let Object::Job(job) = &parsed.objects[0].value else {
        panic!("not a job")
    };
    let mut job = (**job).clone();
    podscope_api::generate_job_selector(&mut job);
    assert_eq!(
        podscope_api::wire::Wire::to_json_value(&job.spec).pointer("/selector/matchLabels"),
        Some(&json!({"batch.kubernetes.io/controller-uid": "u-1"}))
    );
    assert_eq!(job.spec.template.metadata.label("job-name"), Some("j"));
}

/// Defaulting a copy of a pod that has all defaults does not copy the containers that both pods share.
/// Shows: VA-055
#[test]
fn copied_pods_share_containers_after_defaulting() {
    let parsed = parse("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: i}]}}");
    let mut first = parsed.objects[0].value.clone();
    default_object(&mut first);
    let mut second = first.clone();
    second.metadata_mut().name = "b".into();
    default_object(&mut second);
    let (Object::Pod(first), Object::Pod(second)) = (&first, &second) else {
        panic!("not pods")
    };
    assert!(std::sync::Arc::ptr_eq(&first.spec.containers, &second.spec.containers));
}

/// Shows: K-02
#[test]
fn deprecated_service_account_field_is_read_and_printed() {
    let pod = |given: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{{given} containers: [{{name: c, image: i}}]}}\n"
        )
    };
    for (given, expected) in [
        ("serviceAccount: old,", json!("old")),
        ("serviceAccountName: new,", json!("new")),
        ("serviceAccount: old, serviceAccountName: new,", json!("new")),
        ("", Value::Null),
    ] {
        assert_defaults(
            &pod(given),
            &[
                ("/spec/serviceAccountName", expected.clone()),
                ("/spec/serviceAccount", expected),
            ],
        );
    }
}

/// Shows: VA-341
#[test]
fn csi_driver_boolean_fields_get_defaults() {
    assert_defaults(
        "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: a}\nspec: {podInfoOnMount: true}\n",
        &[(
            "/spec",
            json!({
                "attachRequired": true, "fsGroupPolicy": "ReadWriteOnceWithFSType", "podInfoOnMount": true,
                "requiresRepublish": false, "seLinuxMount": false, "storageCapacity": false,
                "volumeLifecycleModes": ["Persistent"]
            }),
        )],
    );
}
