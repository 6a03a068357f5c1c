//! Validation of workloads and other kinds (VA-180 to VA-213).

use super::*;

/// Shows: VA-180, VA-181, VA-182, VA-183, VA-184, VA-185, VA-186, VA-187, VA-188, VA-189, VA-190, VA-191, VA-192,
/// VA-193, VA-194, VA-195, VA-196, VA-197
#[test]
fn invalid_workloads_are_refused() {
    const TEMPLATE: &str = "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}";
    let rows: &[(&str, String, &[&str])] = &[
        (
            "apps/v1, kind: Deployment",
            TEMPLATE.into(),
            &[
                "spec.selector: Required value",
                "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match template `labels`",
            ],
        ),
        (
            "apps/v1, kind: ReplicaSet",
            format!("{TEMPLATE}, selector: {{}}, replicas: -1"),
            &[
                "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
                "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
            ],
        ),
        (
            "apps/v1, kind: DaemonSet",
            "template: {spec: {containers: [{name: c, image: i}], restartPolicy: Never, activeDeadlineSeconds: 5}}".into(),
            &[
                "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
                "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"",
                "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
            ],
        ),
        (
            "apps/v1, kind: Deployment",
            format!(
                "{TEMPLATE}, selector: {{matchExpressions: [{{key: a, operator: Foo}}]}}, strategy: {{type: Foo}}, \
                 progressDeadlineSeconds: 5, minReadySeconds: 5"
            ),
            &[
                "spec.selector.matchExpressions[0].operator: Invalid value: \"Foo\": not a valid selector operator",
                "spec.selector: Invalid value: {\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Foo\"}]}: invalid label \
                 selector",
                "spec.strategy: Unsupported value: {\"Type\":\"Foo\",\"RollingUpdate\":null}: supported values: \"Recreate\", \
                 \"RollingUpdate\"",
                "spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds",
            ],
        ),
        (
            "apps/v1, kind: Deployment",
            format!(
                "{TEMPLATE}, selector: {{matchLabels: {{a: b}}}}, strategy: {{rollingUpdate: {{maxSurge: 0%, maxUnavailable: 0}}}}"
            ),
            &[
                "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
            ],
        ),
        (
            // Limits of a rolling update are percentages or integers (VA-325).
            "apps/v1, kind: DaemonSet",
            format!(
                "{TEMPLATE}, selector: {{matchLabels: {{a: b}}}}, updateStrategy: {{type: RollingUpdate, rollingUpdate: \
                 {{maxSurge: 101%, maxUnavailable: abc}}}}"
            ),
            &[
                "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"abc\": a valid percent string must be a \
                 numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
                "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: \"101%\": must not be greater than 100%",
            ],
        ),
        (
            "apps/v1, kind: Deployment",
            format!(
                "{TEMPLATE}, selector: {{matchLabels: {{a: b}}}}, strategy: {{rollingUpdate: {{maxSurge: '5', maxUnavailable: \
                 120%}}}}"
            ),
            &[
                "spec.strategy.rollingUpdate.maxSurge: Invalid value: \"5\": a valid percent string must be a numeric string \
                 followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
                "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"120%\": must not be greater than 100%",
            ],
        ),
        (
            "apps/v1, kind: DaemonSet",
            format!(
                "{TEMPLATE}, selector: {{matchLabels: {{a: b}}}}, updateStrategy: {{rollingUpdate: {{maxSurge: 1, maxUnavailable: \
                 1}}}}"
            ),
            &["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
        ),
        (
            "apps/v1, kind: StatefulSet",
            format!(
                "{TEMPLATE}, selector: {{matchLabels: {{a: b}}}}, podManagementPolicy: Foo, updateStrategy: {{type: Foo}}, \
                 serviceName: A, persistentVolumeClaimRetentionPolicy: {{whenDeleted: X}}"
            ),
            &[
                "spec.podManagementPolicy: Invalid value: \"Foo\": must be 'OrderedReady' or 'Parallel'",
                "spec.updateStrategy: Invalid value: {\"Type\":\"Foo\",\"RollingUpdate\":null}: must be 'RollingUpdate' or \
                 'OnDelete'",
                "spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: \"X\": supported values: \
                 \"Retain\", \"Delete\"",
                "spec.serviceName: Invalid value: \"A\": a lowercase RFC 1123 label…",
            ],
        ),
        (
            "apps/v1, kind: StatefulSet",
            "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i, volumeMounts: [{name: d, \
             mountPath: /d}]}]}}, selector: {matchLabels: {a: b}}, volumeClaimTemplates: [{metadata: {name: d}}]"
                .into(),
            &[
                "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
                "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
            ],
        ),
        (
            "batch/v1, kind: Job",
            format!("{TEMPLATE}, completionMode: Indexed, parallelism: 2, backoffLimit: -1"),
            &[
                "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
                "spec.completions: Required value: when completion mode is Indexed",
                "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"",
            ],
        ),
        (
            "batch/v1, kind: Job",
            "selector: {matchLabels: {x: z}}, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}"
                .into(),
            &[
                "spec.selector: Invalid value: {\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"\",\"x\":\"z\"}}: \
                 `selector` not auto-generated",
                "spec.template.metadata.labels: Invalid value: {\"batch.kubernetes.io/controller-uid\":\"\",…",
            ],
        ),
    ];
    for (kind, spec, expected) in rows {
        assert_errors(
            &validation_errors(&format!("{{apiVersion: {kind}, spec: {{{spec}}}}}")),
            expected,
            spec,
        );
    }
}

/// Shows: VA-064, VA-199, VA-200, VA-201, VA-202, VA-203, VA-204, VA-205, VA-206, VA-207, VA-208, VA-209, VA-210,
/// VA-211, VA-212, VA-213
#[test]
fn invalid_objects_of_kinds_other_than_workloads_are_refused() {
    let rows: &[(&str, &[&str])] = &[
        ("v1, kind: Service, spec: {}", &["spec.ports: Required value"]),
        ("v1, kind: Service, spec: {clusterIP: None}", &[]),
        // IP addresses must be in canonical form (VA-064).
        (
            "v1, kind: Service, spec: {ports: [{port: 80}], clusterIP: 010.96.0.7, externalIPs: ['::ffff:10.96.0.7']}",
            &[
                "spec.clusterIPs[0]: Invalid value: \"010.96.0.7\": must not have leading 0s",
                "spec.externalIPs[0]: Invalid value: \"::ffff:10.96.0.7\": must not be an IPv4-mapped IPv6 address",
            ],
        ),
        (
            "v1, kind: Service, spec: {type: Foo, sessionAffinity: X, ports: [{port: 0}, {port: 1, name: a}, {port: 2, name: \
             a}], clusterIP: x}",
            &[
                "spec.ports[0].name: Required value",
                "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
                "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
                "spec.ports[2].name: Duplicate value: \"a\"",
                "spec.sessionAffinity: Unsupported value: \"X\": supported values: \"ClientIP\", \"None\"",
                "spec.clusterIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "spec.type: Unsupported value: \"Foo\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \
                 \"NodePort\"",
            ],
        ),
        (
            "v1, kind: Service, spec: {ports: [{port: 1, nodePort: 30000}]}",
            &["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
        ),
        (
            "v1, kind: PersistentVolume, spec: {persistentVolumeReclaimPolicy: X, volumeMode: Q, accessModes: [RWO]}",
            &[
                "spec.accessModes: Unsupported value: \"RWO\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \
                 \"ReadWriteOnce\", \"ReadWriteOncePod\"",
                "spec.capacity: Required value",
                "spec.capacity: Unsupported value: null: supported values: \"storage\"",
                "spec.persistentVolumeReclaimPolicy: Unsupported value: \"X\": supported values: \"Delete\", \"Recycle\", \
                 \"Retain\"",
                "spec: Required value: must specify a volume type",
                "spec.volumeMode: Unsupported value: \"Q\": supported values: \"Block\", \"Filesystem\"",
            ],
        ),
        (
            "v1, kind: PersistentVolume, spec: {capacity: {storage: 0}, accessModes: [ReadWriteOncePod, ReadWriteOnce], local: \
             {path: /a}}",
            &[
                "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
                "spec.capacity[storage]: Invalid value: \"0\": must be greater than zero",
                "spec.nodeAffinity: Required value: Local volume requires node affinity",
            ],
        ),
        (
            "v1, kind: PersistentVolumeClaim, spec: {}",
            &[
                "spec.accessModes: Required value: at least 1 access mode is required",
                "spec.resources[storage]: Required value",
            ],
        ),
        (
            "storage.k8s.io/v1, kind: StorageClass, reclaimPolicy: X, volumeBindingMode: Q",
            &[
                "provisioner: Required value",
                "reclaimPolicy: Unsupported value: \"X\": supported values: \"Delete\", \"Retain\"",
                "volumeBindingMode: Unsupported value: \"Q\": supported values: \"Immediate\", \"WaitForFirstConsumer\"",
            ],
        ),
        (
            "scheduling.k8s.io/v1, kind: PriorityClass, value: 1000000001",
            &["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
        ),
        (
            "scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-foo}",
            &[
                "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: \
                 system-foo is not a known system priority class",
            ],
        ),
        (
            "scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-node-critical}, value: 2000001000",
            &[],
        ),
        (
            "policy/v1, kind: PodDisruptionBudget, spec: {minAvailable: 1, maxUnavailable: 1, selector: {}, \
             unhealthyPodEvictionPolicy: X}",
            &[
                "spec: Invalid value: {\"MinAvailable\":1,\"Selector\":{},\"MaxUnavailable\":1,\
                 \"UnhealthyPodEvictionPolicy\":\"X\"}: minAvailable and maxUnavailable cannot be both set",
                "spec.unhealthyPodEvictionPolicy: Unsupported value: \"X\": supported values: \"AlwaysAllow\", \
                 \"IfHealthyBudget\"",
            ],
        ),
        ("policy/v1, kind: PodDisruptionBudget, spec: {}", &[]),
        (
            "v1, kind: PodTemplate, template: {spec: {containers: [{name: A}]}}",
            &[
                "template.spec.containers[0].name: Invalid value: \"A\"…",
                "template.spec.containers[0].image: Required value",
            ],
        ),
        (
            "v1, kind: PodTemplate, template: {spec: {containers: [{name: a, image: b}]}}",
            &[],
        ),
        (
            "admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, webhooks: [{name: a.b, reinvocationPolicy: X, \
             rules: [{operations: [PATCH], apiGroups: [''], apiVersions: [v1]}], timeoutSeconds: 60, clientConfig: \
             {service: {name: x, namespace: team}}, admissionReviewVersions: [v7]}]",
            &[
                "webhooks[0].name: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots",
                "webhooks[0].rules[0].operations[0]: Unsupported value: \"PATCH\": supported values: \"*\", \"CONNECT\", \
                 \"CREATE\", \"DELETE\", \"UPDATE\"",
                "webhooks[0].rules[0].resources: Required value",
                "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun",
                "webhooks[0].timeoutSeconds: Invalid value: 60: the timeout value must be between 1 and 30 seconds",
                "webhooks[0].reinvocationPolicy: Unsupported value: \"X\": supported values: \"IfNeeded\", \"Never\"",
                "webhooks[0].admissionReviewVersions: Invalid value: [\"v7\"]: must include at least one of v1, v1beta1",
            ],
        ),
        (
            "admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, webhooks: [{name: a.b.c, sideEffects: None, \
             clientConfig: {}, admissionReviewVersions: [v1]}]",
            &["webhooks[0].clientConfig: Required value: exactly one of url or service is required"],
        ),
        (
            "v1, kind: Node, spec: {taints: [{key: a}, {key: b, value: z, effect: NoSchedule}, {key: b, value: z, effect: \
             NoSchedule}, {key: b, effect: X}], podCIDR: x}, status: {capacity: {cpu: -1, pods: 1500m}}",
            &[
                "metadata.taints[0].effect: Required value",
                "metadata.taints[2]: Duplicate value: \
                 {\"Key\":\"b\",\"Value\":\"z\",\"Effect\":\"NoSchedule\",\"TimeAdded\":null}: taints must be unique by key \
                 and effect pair",
                "metadata.taints[3].effect: Unsupported value: \"X\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \
                 \"NoExecute\"",
                "status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal to 0",
                "status.capacity.pods: Invalid value: \"1500m\": must be an integer",
                "status.allocatable.cpu: Invalid value: \"-1\": must be greater than or equal to 0",
                "status.allocatable.pods: Invalid value: \"1500m\": must be an integer",
                "spec.podCIDRs[0]: Invalid value: \"x\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
            ],
        ),
    ];
    for (text, expected) in rows {
        assert_errors(&validation_errors(&format!("{{apiVersion: {text}}}")), expected, text);
    }
}

/// Shows: VA-321, VA-323
#[test]
fn invalid_csi_objects_endpoint_hints_and_pod_cidrs_are_refused() {
    let rows: &[(&str, &[&str])] = &[
        (
            "storage.k8s.io/v1, kind: CSIDriver, spec: {fsGroupPolicy: X, volumeLifecycleModes: [Z], tokenRequests: \
             [{audience: a, expirationSeconds: 5}, {audience: a}]}",
            &[
                "spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes",
                "spec.tokenRequests[1].audience: Duplicate value: \"a\"",
                "spec.volumeLifecycleModes: Unsupported value: \"Z\": supported values: \"Persistent\", \"Ephemeral\"",
                "spec.fsGroupPolicy: Unsupported value: \"X\": supported values: \"File\", \"None\", \
                 \"ReadWriteOnceWithFSType\"",
            ],
        ),
        (
            "storage.k8s.io/v1, kind: CSINode, spec: {drivers: [{name: a, nodeID: x, allocatable: {count: -1}}, {name: a, \
             nodeID: ''}]}",
            &[
                "spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
                "spec.drivers[1].nodeID: Required value",
                "spec.drivers[1].name: Duplicate value: \"a\"",
            ],
        ),
        (
            "storage.k8s.io/v1, kind: CSIDriver, spec: {nodeAllocatableUpdatePeriodSeconds: 5}",
            &["spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 5: must be greater than or equal to 10 seconds"],
        ),
        (
            "storage.k8s.io/v1, kind: CSINode, spec: {drivers: [{name: a, nodeID: x, topologyKeys: [b, b, '']}]}",
            &[
                "spec.drivers[0]: Duplicate value: \"b\"",
                "spec.drivers[0]: Required value",
                "spec.drivers[0]: Invalid value: \"\": name part must be non-empty",
                "spec.drivers[0]: Invalid value: \"\": name part must consist of…",
            ],
        ),
        (
            "storage.k8s.io/v1, kind: CSIStorageCapacity, storageClassName: a, capacity: -1, maximumVolumeSize: -1",
            &["capacity: Invalid value: \"-1\": must be greater than or equal to 0"],
        ),
        (
            "discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [{addresses: [1.2.3.4], hints: \
             {forZones: [{name: z}, {name: z}]}}]",
            &["endpoints[0].hints.forZones[1].name: Duplicate value: \"z\""],
        ),
        (
            "v1, kind: Node, spec: {podCIDRs: [10.0.0.0/24, 10.0.1.0/24]}",
            &[
                "spec.podCIDRs: Invalid value: [\"10.0.0.0/24\",\"10.0.1.0/24\"]: may specify no more than one CIDR for each \
                 IP family",
            ],
        ),
        (
            "v1, kind: Node, spec: {podCIDRs: [10.0.0.0/24, 10.0.0.0/24]}",
            &[
                "spec.podCIDRs: Invalid value: [\"10.0.0.0/24\",\"10.0.0.0/24\"]: may specify no more than one CIDR for each \
                 IP family",
                "spec.podCIDRs[1]: Duplicate value: \"10.0.0.0/24\"",
            ],
        ),
    ];
    for (text, expected) in rows {
        assert_errors(&validation_errors(&format!("{{apiVersion: {text}}}")), expected, text);
    }
}

/// Service allocation makes several checks; only the errors of the first check that fails are reported.
/// Shows: VA-322, VA-324
#[test]
fn service_allocation_reports_only_the_first_failing_check() {
    use podscope_api::AllocationError;
    let service = |text: &str| {
        let text = format!("{{apiVersion: v1, kind: Service, metadata: {{name: s}}, spec: {{{text}}}}}");
        match &parse(&text).objects.last().expect("an object").value {
            Object::Service(service) => service.clone(),
            other => panic!("{text}: {other:?}"),
        }
    };
    let allocate = |text: &str, old: Option<&podscope_api::Service>| {
        let other = service(
            "type: NodePort, clusterIP: 10.96.5.5, clusterIPs: [10.96.5.5], ports: [{port: 80, nodePort: 30080}]",
        );
        match podscope_api::check_service_allocation(&service(text), old, std::iter::once(&*other)) {
            Ok(()) => String::new(),
            Err(AllocationError::Invalid(problems)) => {
                problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            }
            Err(AllocationError::Internal(why) | AllocationError::WithoutReason(why)) => why,
        }
    };
    const NODE_PORT_TAKEN: &str = "Invalid value: 30080: provided port is already allocated";
    for (text, expected) in [
        (
            "type: NodePort, clusterIP: 10.96.5.5, clusterIPs: [10.96.5.5], ports: [{port: 80, nodePort: 30080}]",
            "spec.clusterIPs: Invalid value: [\"10.96.5.5\"]: failed to allocate IP 10.96.5.5: provided IP is already allocated",
        ),
        (
            "type: NodePort, ports: [{port: 81}, {port: 80, nodePort: 30080}]",
            &format!("spec.ports[1].nodePort: {NODE_PORT_TAKEN}"),
        ),
        (
            "type: NodePort, ports: [{port: 80, nodePort: 30081}, {port: 81, nodePort: 30081, protocol: UDP}]",
            "spec.ports[1].nodePort: Invalid value: 30081: provided port is already allocated",
        ),
        (
            "type: NodePort, ports: [{port: 53, nodePort: 30053}, {port: 53, protocol: UDP}]",
            "",
        ),
        ("clusterIP: None, clusterIPs: [None], ports: [{port: 80}]", ""),
        (
            "clusterIPs: [10.96.5.6], ports: [{port: 0}]",
            "spec.clusterIPs: Invalid value: [\"10.96.5.6\"]: must be empty when `clusterIP` is not specified",
        ),
        (
            "ipFamilyPolicy: RequireDualStack",
            "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for dual-stack services",
        ),
        (
            "ipFamilies: [IPv4, IPv6]",
            "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when \
             multiple IP families are specified",
        ),
        (
            "type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 99, ports: [{port: 80}]",
            "failed to allocate requested HealthCheck NodePort 99: provided port is not in the valid range. The range of \
             valid ports is 30000-32767",
        ),
    ] {
        assert_eq!(allocate(text, None), expected, "{text}");
    }
    let old = service("type: NodePort, ports: [{port: 80, nodePort: 30090}]");
    for (text, expected) in [
        ("type: NodePort, ports: [{port: 80, nodePort: 30090}]", ""),
        (
            "type: NodePort, ports: [{port: 80, nodePort: 30080}]",
            &format!("spec.ports[0].nodePort: {NODE_PORT_TAKEN}"),
        ),
        (
            "type: NodePort, ports: [{port: 80, nodePort: 30090, protocol: TCP}, {port: 81, nodePort: 30090, protocol: TCP}]",
            "duplicate nodePort: {TCP 30090}",
        ),
    ] {
        assert_eq!(allocate(text, Some(&old)), expected, "{text}");
    }
}
