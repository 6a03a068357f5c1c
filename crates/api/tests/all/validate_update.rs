//! Validation of updates: immutable fields (LC-042, VA-171 to VA-214, VA-276).

use podscope_api::{Object, default_object, parse, validate_update};

fn parse_with_defaults(text: &str) -> Object {
    let parsed = parse(text);
    assert_eq!(parsed.problems, [], "{text}");
    let mut object = parsed.objects[0].value.clone();
    if object.kind().is_namespaced() {
        object.metadata_mut().namespace = "default".into();
    }
    object.metadata_mut().name = "x".into();
    default_object(&mut object);
    object
}

fn assert_update_errors(old: &str, new: &str, expected: &[&str]) {
    let got: Vec<String> = validate_update(&parse_with_defaults(old), &parse_with_defaults(new))
        .iter()
        .map(ToString::to_string)
        .collect();
    crate::validate::assert_errors(&got, expected, &format!("{old}\n{new}"));
}

fn pod(metadata: &str, spec: &str) -> String {
    format!("{{apiVersion: v1, kind: Pod, metadata: {{{metadata}}}, spec: {{{spec}}}}}")
}

const FORBIDDEN_POD_UPDATE: &str = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n@@ -…";

/// The mirror annotation of a pod can be neither added, nor changed, nor removed.
/// Shows: LC-213
#[test]
fn mirror_annotation_is_immutable() {
    let pod = |annotations: &str| {
        pod(
            &format!("annotations: {{{annotations}}}"),
            "nodeName: a-1, containers: [{name: c, image: i}]",
        )
    };
    let (plain, mirror) = (pod("a: b"), pod("kubernetes.io/config.mirror: 0a1b"));
    let path = "metadata.annotations[kubernetes.io/config.mirror]: Forbidden:";
    let changed = format!("{path} may not remove or update mirror pod annotation");
    assert_update_errors(&plain, &mirror, &[&format!("{path} may not add mirror pod annotation")]);
    assert_update_errors(&mirror, &plain, &[&changed]);
    assert_update_errors(&mirror, &pod("kubernetes.io/config.mirror: 0c"), &[&changed]);
    assert_update_errors(&mirror, &pod("kubernetes.io/config.mirror: 0a1b, a: b"), &[]);
}

/// Shows: LC-042, VA-171, VA-172, VA-173, VA-174, VA-175, VA-176, VA-177, VA-178
#[test]
fn changed_immutable_pod_fields_are_refused() {
    const CONTAINERS: &str = "containers: [{name: c, image: i}]";
    let with = |more: &str| pod("", &format!("{CONTAINERS}, {more}"));
    let rows: &[(String, String, &[&str])] = &[
        // Changes of a pod that the API server allows.
        (
            pod("", CONTAINERS),
            pod("labels: {a: b}", "containers: [{name: c, image: j}]"),
            &[],
        ),
        (pod("", CONTAINERS), with("activeDeadlineSeconds: 5"), &[]),
        (with("activeDeadlineSeconds: 9"), with("activeDeadlineSeconds: 5"), &[]),
        (
            with("tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]"),
            with(
                "tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 9}, {key: b, operator: \
                 Exists}]",
            ),
            &[],
        ),
        (
            with("terminationGracePeriodSeconds: -1"),
            with("terminationGracePeriodSeconds: 1"),
            &[],
        ),
        (
            with("schedulingGates: [{name: a}, {name: b}]"),
            with("schedulingGates: [{name: b}]"),
            &[],
        ),
        (
            with("schedulingGates: [{name: a}]"),
            with("schedulingGates: [{name: a}], nodeSelector: {a: b}"),
            &[],
        ),
        // Changes of a pod that the API server refuses.
        (
            pod("", CONTAINERS),
            pod("", "containers: [{name: c, image: i}, {name: d, image: i}]"),
            &["spec.containers: Forbidden: pod updates may not add or remove containers"],
        ),
        (pod("", CONTAINERS), with("nodeName: n1"), &[FORBIDDEN_POD_UPDATE]),
        (
            pod("", CONTAINERS),
            with("terminationGracePeriodSeconds: 5"),
            &[FORBIDDEN_POD_UPDATE],
        ),
        (
            pod("", CONTAINERS),
            with("automountServiceAccountToken: false"),
            &[FORBIDDEN_POD_UPDATE],
        ),
        (
            with("activeDeadlineSeconds: 5"),
            with("activeDeadlineSeconds: 60"),
            &["spec.activeDeadlineSeconds: Invalid value: 60: must be less than or equal to previous value"],
        ),
        (
            with("activeDeadlineSeconds: 5"),
            pod("", CONTAINERS),
            &["spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value"],
        ),
        (
            with("tolerations: [{key: a, operator: Exists}]"),
            with("tolerations: [{key: b, operator: Exists}]"),
            &["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
        ),
        (
            pod("", CONTAINERS),
            with("schedulingGates: [{name: g}]"),
            &["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
        ),
        (
            with("schedulingGates: [{name: a}], nodeSelector: {x: q}"),
            with("schedulingGates: [{name: a}], nodeSelector: {x: z}"),
            &[
                "spec.nodeSelector: Invalid value: {\"x\":\"z\"}: only additions to spec.nodeSelector are allowed (no \
                 mutations or deletions)",
            ],
        ),
        (
            with(
                "schedulingGates: [{name: a}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: \
                 {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}",
            ),
            with(
                "schedulingGates: [{name: a}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: \
                 {nodeSelectorTerms: [{matchExpressions: [{key: b, operator: Exists}]}]}}}",
            ),
            &[
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]: Invalid \
                 value: {\"MatchExpressions\":[{\"Key\":\"b\",\"Operator\":\"Exists\",\"Values\":null}],\
                 \"MatchFields\":null}: only additions are allowed (no mutations or deletions)",
            ],
        ),
        (
            pod("deletionTimestamp: '2026-01-01T00:00:00Z'", CONTAINERS),
            pod(
                "deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [a/b]",
                CONTAINERS,
            ),
            // The API server validates the metadata of an update twice, so it reports the same error twice.
            &[
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new \
                 finalizers []string{\"a/b\"}",
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new \
                 finalizers []string{\"a/b\"}",
            ],
        ),
    ];
    for (old, new, expected) in rows {
        assert_update_errors(old, new, expected);
    }
}

/// Shows: VA-193, VA-194, VA-195, VA-196, VA-197, VA-198, VA-199, VA-200, VA-201, VA-202, VA-203, VA-204, VA-205,
/// VA-206, VA-207, VA-208, VA-209, VA-210, VA-211, VA-212, VA-213, VA-214
#[test]
fn changed_immutable_fields_of_non_pod_kinds_are_refused() {
    const TEMPLATE: &str = "template: {metadata: {labels: {a: b, c: d}}, spec: {containers: [{name: c, image: i}]}}";
    let rows: &[(&str, String, String, &[&str])] = &[
        (
            "apps/v1, kind: Deployment",
            format!("spec: {{selector: {{matchLabels: {{a: b}}}}, {TEMPLATE}}}"),
            format!("spec: {{selector: {{matchLabels: {{c: d}}}}, replicas: 3, {TEMPLATE}}}"),
            &["spec.selector: Invalid value: {\"matchLabels\":{\"c\":\"d\"}}: field is immutable"],
        ),
        (
            "apps/v1, kind: StatefulSet",
            format!("spec: {{selector: {{matchLabels: {{a: b}}}}, {TEMPLATE}}}"),
            format!("spec: {{selector: {{matchLabels: {{a: b}}}}, replicas: 3, serviceName: s, {TEMPLATE}}}"),
            &[
                "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
                 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are \
                 forbidden",
            ],
        ),
        (
            "scheduling.k8s.io/v1, kind: PriorityClass",
            "value: 1".into(),
            "value: 2, preemptionPolicy: Never".into(),
            &[
                "value: Forbidden: may not be changed in an update.",
                "preemptionPolicy: Invalid value: \"Never\": field is immutable",
            ],
        ),
        (
            "v1, kind: Node",
            "spec: {podCIDR: 10.0.0.0/24, providerID: a}".into(),
            "spec: {podCIDR: 10.0.1.0/24, providerID: b, unschedulable: true}".into(),
            &[
                "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid",
                "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid",
            ],
        ),
        (
            "storage.k8s.io/v1, kind: StorageClass",
            "provisioner: a".into(),
            "provisioner: b, parameters: {a: b}, reclaimPolicy: Retain, volumeBindingMode: WaitForFirstConsumer".into(),
            &[
                "parameters: Invalid value: {\"a\":\"b\"}: field is immutable",
                "provisioner: Invalid value: \"b\": field is immutable",
                "reclaimPolicy: Invalid value: \"Retain\": field is immutable",
                "volumeBindingMode: Invalid value: \"WaitForFirstConsumer\": field is immutable",
            ],
        ),
        (
            "v1, kind: PersistentVolume",
            "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], nfs: {server: s, path: /a}}".into(),
            "spec: {capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], volumeMode: Block, nfs: {server: s, path: /b}}"
                .into(),
            &[
                "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -…",
                "volumeMode: Invalid value: \"Block\": field is immutable",
            ],
        ),
        (
            "v1, kind: PersistentVolumeClaim",
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}".into(),
            "spec: {accessModes: [ReadWriteOnce], volumeName: v, storageClassName: s, resources: {requests: {storage: 1Gi}}}"
                .into(),
            &[],
        ),
        (
            "v1, kind: PersistentVolumeClaim",
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}".into(),
            "spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}".into(),
            &[
                "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for \
                 bound claims\n@@ -…",
            ],
        ),
        (
            "v1, kind: PersistentVolumeClaim",
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}, status: {phase: Bound, capacity: \
             {storage: 2Gi}}"
                .into(),
            "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}, status: {phase: Bound, capacity: \
             {storage: 2Gi}}"
                .into(),
            &["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
        ),
        (
            "v1, kind: Service",
            "spec: {clusterIP: 10.0.0.1, ports: [{port: 1}]}".into(),
            "spec: {clusterIP: 10.0.0.2, ports: [{port: 1}]}".into(),
            &["spec.clusterIPs[0]: Invalid value: [\"10.0.0.2\"]: may not change once set"],
        ),
        (
            "batch/v1, kind: Job",
            "spec: {completions: 1, manualSelector: true, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: \
             b}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}"
                .into(),
            "spec: {completions: 2, manualSelector: true, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: \
             b}}, spec: {restartPolicy: Never, containers: [{name: c, image: j}]}}}"
                .into(),
            &[
                "spec.completions: Invalid value: 2: field is immutable",
                "spec.template: Invalid value: {\"labels\":{\"a\":\"b\"},\"Spec\":{\"Volumes\":null,…",
            ],
        ),
        // ControllerRevision, VolumeAttachment, CSIDriver and VolumeAttributesClass (VA-329).
        (
            "apps/v1, kind: ControllerRevision",
            "revision: 1, data: {a: 1}".into(),
            "revision: 2, data: {a: 2}".into(),
            &["data: Invalid value: {\"a\":2}: field is immutable"],
        ),
        (
            "storage.k8s.io/v1, kind: VolumeAttachment",
            "spec: {attacher: d.io, nodeName: a, source: {persistentVolumeName: v}}".into(),
            "spec: {attacher: d.io, nodeName: b, source: {persistentVolumeName: v}}".into(),
            &[
                "spec: Invalid value: {\"Attacher\":\"d.io\",\"Source\":{\"PersistentVolumeName\":\"v\",\
                 \"InlineVolumeSpec\":null},\"NodeName\":\"b\"}: field is immutable",
            ],
        ),
        (
            "storage.k8s.io/v1, kind: CSIDriver",
            "spec: {}".into(),
            "spec: {attachRequired: false, volumeLifecycleModes: [Ephemeral]}".into(),
            &[
                "spec.attachedRequired: Invalid value: false: field is immutable",
                "spec.volumeLifecycleModes: Invalid value: [\"Ephemeral\"]: field is immutable",
            ],
        ),
        (
            "storage.k8s.io/v1, kind: VolumeAttributesClass",
            "driverName: d.io, parameters: {a: b}".into(),
            "driverName: e.io, parameters: {a: c}".into(),
            &[
                "driverName: Forbidden: updates to driverName are forbidden.",
                "parameters: Forbidden: updates to parameters are forbidden.",
            ],
        ),
        (
            "coordination.k8s.io/v1, kind: Lease",
            "spec: {}".into(),
            "spec: {leaseDurationSeconds: 0}".into(),
            &["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"],
        ),
        (
            "batch/v1, kind: Job",
            "spec: {completions: 1, completionMode: Indexed, manualSelector: true, selector: {matchLabels: {a: b}}, template: \
             {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}"
                .into(),
            "spec: {completions: 1, completionMode: Indexed, manualSelector: true, selector: {matchLabels: {a: b}}, template: \
             {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}, \
             backoffLimitPerIndex: 1, podReplacementPolicy: Failed, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: \
             {operator: In, values: [1]}}]}, successPolicy: {rules: [{succeededCount: 1}]}}"
                .into(),
            &[
                "spec.podFailurePolicy: Invalid value: {\"Rules\":[{\"Action\":\"FailJob\",\"OnExitCodes\":{\"ContainerName\":\
                 null,\"Operator\":\"In\",\"Values\":[1]},\"OnPodConditions\":null}]}: field is immutable",
                "spec.backoffLimitPerIndex: Invalid value: 1: field is immutable",
                "spec.successPolicy: Invalid value: {\"Rules\":[{\"SucceededIndexes\":null,\"SucceededCount\":1}]}: field is \
                 immutable",
            ],
        ),
    ];
    for (kind, old, new, expected) in rows {
        assert_update_errors(
            &format!("{{apiVersion: {kind}, {old}}}"),
            &format!("{{apiVersion: {kind}, {new}}}"),
            expected,
        );
    }
}

/// Shows: VA-321
#[test]
fn csi_nodes_and_capacities_have_immutable_fields() {
    let rows: &[(&str, &str, &str, &[&str])] = &[
        (
            "CSINode",
            "spec: {drivers: [{name: a, nodeID: x, allocatable: {count: 1}}, {name: b, nodeID: x}]}",
            "spec: {drivers: [{name: a, nodeID: x, allocatable: {count: 2}}, {name: b, nodeID: z, topologyKeys: [k]}]}",
            &[
                "spec.drivers: Invalid value: {\"Name\":\"b\",\"NodeID\":\"z\",\"TopologyKeys\":[\"k\"],\"Allocatable\":null}: \
                 field is immutable",
            ],
        ),
        (
            "CSIStorageCapacity",
            "storageClassName: a, capacity: 1Gi",
            "storageClassName: b, capacity: 2Gi, nodeTopology: {matchLabels: {zone: a}}",
            &[
                "nodeTopology: Invalid value: {\"matchLabels\":{\"zone\":\"a\"}}: field is immutable",
                "storageClassName: Invalid value: \"b\": field is immutable",
            ],
        ),
    ];
    for (kind, old, new, expected) in rows {
        let text = |spec: &str| format!("{{apiVersion: storage.k8s.io/v1, kind: {kind}, {spec}}}");
        assert_update_errors(&text(old), &text(new), expected);
    }
}
