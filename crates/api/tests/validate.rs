//! Create validation: the API server's texts, row by row (VA-057 to VA-213).

use podscope_api::{Object, default_object, generate_job_selector, parse, validate};

/// The problems of the last object of a text, after defaulting as on create.
fn problems(text: &str) -> Vec<String> {
    let parsed = parse(text);
    assert_eq!(parsed.problems, [], "{text}");
    let mut object = parsed.objects.last().expect("an object").value.clone();
    if object.kind().is_namespaced() && object.metadata().namespace.is_empty() {
        object.metadata_mut().namespace = "default".into();
    }
    if object.metadata().name.is_empty() && object.metadata().generate_name.is_empty() {
        object.metadata_mut().name = "x".into();
    }
    default_object(&mut object);
    if let Object::Job(job) = &mut object {
        generate_job_selector(std::sync::Arc::make_mut(job));
    }
    validate(&object).iter().map(ToString::to_string).collect()
}

/// A pod whose spec has these fields beside one sound container.
fn pod(spec: &str) -> Vec<String> {
    problems(&format!(
        "apiVersion: v1\nkind: Pod\nspec:\n  containers: [{{name: c, image: i}}]\n{}",
        indent(spec)
    ))
}

/// A pod with one sound container that has these fields too.
fn container(fields: &str) -> Vec<String> {
    problems(&format!(
        "apiVersion: v1\nkind: Pod\nspec:\n  volumes: [{{name: v}}]\n  containers:\n  - name: c\n    image: i\n{}",
        indent(&indent(fields))
    ))
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn check(got: &[String], wanted: &[&str], row: &str) {
    let same = got.len() == wanted.len()
        && got
            .iter()
            .zip(wanted)
            .all(|(got, wanted)| match wanted.strip_suffix('…') {
                Some(start) => got.starts_with(start),
                None => got == wanted,
            });
    assert!(same, "{row}\n  got: {got:#?}\n  wanted: {wanted:#?}");
}

#[test]
fn p04_the_example_of_the_specification() {
    check(
        &pod("topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]"),
        &["spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero"],
        "P-04",
    );
}

#[test]
fn va016_messages_are_joined() {
    let parsed =
        parse("{apiVersion: v1, kind: Pod, metadata: {name: My_Pod, namespace: a}, spec: {containers: [{name: c}]}}");
    let mut object = parsed.objects[0].value.clone();
    default_object(&mut object);
    let message = validate(&object).to_status_message(object.kind(), "My_Pod");
    assert!(message.starts_with(
        "Pod \"My_Pod\" is invalid: [metadata.name: Invalid value: \"My_Pod\": a lowercase RFC 1123 subdomain must consist"
    ));
    assert!(message.ends_with(", spec.containers[0].image: Required value]"));
    let parsed = parse("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: a}}");
    let message = validate(&parsed.objects[0].value).to_status_message(object.kind(), "d");
    assert!(message.starts_with("Pod \"d\" is invalid: ["));
}

#[test]
fn va070_to_va081_metadata() {
    let rows: &[(&str, &[&str])] = &[
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: C_2}}",
            &["metadata.name: Invalid value: \"C_2\": a lowercase RFC 1123 subdomain must consist of…"],
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: a-}}",
            &["metadata.name: Required value: name or generateName is required"],
        ),
        (
            "{apiVersion: v1, kind: Namespace, metadata: {name: a.b}}",
            &["metadata.name: Invalid value: \"a.b\": must not contain dots"],
        ),
        (
            "{apiVersion: v1, kind: Service, metadata: {name: 1a}, spec: {ports: [{port: 1}]}}",
            &["metadata.name: Invalid value: \"1a\": a DNS-1035 label must consist of…"],
        ),
        (
            "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: A/B%}}",
            &[
                "metadata.name: Invalid value: \"A/B%\": may not contain '/'",
                "metadata.name: Invalid value: \"A/B%\": may not contain '%'",
            ],
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {labels: {'/a': -b, '': '', a/b/c: d}}}",
            &[
                "metadata.labels: Invalid value: \"\": name part must be non-empty",
                "metadata.labels: Invalid value: \"\": name part must consist of alphanumeric characters…",
                "metadata.labels: Invalid value: \"/a\": prefix part must be non-empty",
                "metadata.labels: Invalid value: \"-b\": a valid label must be an empty string or consist of…",
                "metadata.labels: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', \
                 '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
                 '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS \
                 subdomain prefix and '/' (e.g. 'example.com/MyName')",
            ],
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {finalizers: [foo]}, spec: {containers: [{name: c, image: i}]}}",
            &[
                "metadata.finalizers[0]: Invalid value: \"foo\": name is neither a standard finalizer name nor is it fully \
                 qualified",
            ],
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {ownerReferences: [{kind: A, name: a, uid: u}]}}",
            &["metadata.ownerReferences.apiVersion: Invalid value: \"\": version must not be empty"],
        ),
        (
            "{apiVersion: v1, kind: Node, metadata: {namespace: a}}",
            &["metadata.namespace: Forbidden: not allowed on this type"],
        ),
    ];
    for (text, wanted) in rows {
        check(&problems(text), wanted, text);
    }
}

#[test]
fn va084_to_va103_containers() {
    check(
        &problems("{apiVersion: v1, kind: Pod, spec: {}}"),
        &["spec.containers: Required value"],
        "VA-084",
    );
    check(
        &problems(
            "{apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: ' i '}, {name: c}, {image: i, name: A}], \
             initContainers: [{name: c, image: i}]}}",
        ),
        &[
            "spec.containers[1].image: Required value",
            "spec.containers[1].name: Duplicate value: \"c\"",
            "spec.containers[2].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of…",
            "spec.initContainers[0].name: Duplicate value: \"c\"",
            "spec.containers[0].image: Invalid value: \" i \": must not have leading or trailing whitespace",
        ],
        "VA-085, VA-086",
    );
    let mirror = "annotations: {kubernetes.io/config.mirror: 0a}";
    check(
        &problems(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{{mirror}}}, spec: {{containers: [{{name: c, image: i}}]}}}}"
        )),
        &[
            "metadata.annotations[kubernetes.io/config.mirror]: Invalid value: \"0a\": must set spec.nodeName if mirror pod annotation is set",
        ],
        "LC-213",
    );
    let rows: &[(&str, &[&str])] = &[
        (
            "imagePullPolicy: Sometimes",
            &[
                "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \
                 \"IfNotPresent\", \"Never\"",
            ],
        ),
        (
            "terminationMessagePolicy: Foo",
            &[
                "spec.containers[0].terminationMessagePolicy: Unsupported value: \"Foo\": supported values: \"File\", \
                 \"FallbackToLogsOnError\"",
            ],
        ),
        (
            "ports: [{}, {containerPort: 70000}, {containerPort: 1, hostPort: -1, protocol: X}, {containerPort: 2, name: \
             '1'}, {containerPort: 2, name: a--b}]",
            &[
                "spec.containers[0].ports[0].containerPort: Required value",
                "spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
                "spec.containers[0].ports[2].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive",
                "spec.containers[0].ports[2].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                "spec.containers[0].ports[3].name: Invalid value: \"1\": must contain at least one letter (a-z)",
                "spec.containers[0].ports[4].name: Invalid value: \"a--b\": must not contain consecutive hyphens",
            ],
        ),
        (
            "ports: [{containerPort: 1, hostPort: 80}, {containerPort: 2, hostPort: 80}]",
            &["spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//80\""],
        ),
        (
            "env: [{name: A, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: B, valueFrom: {}}, {name: C, \
             valueFrom: {fieldRef: {fieldPath: spec.foo}}}, {name: D, valueFrom: {resourceFieldRef: {resource: \
             limits.gpu}}}, {name: E, valueFrom: {configMapKeyRef: {}}}, {name: 'a=b'}]",
            &[
                "spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty",
                "spec.containers[0].env[1].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, \
                 `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
                "spec.containers[0].env[2].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.foo\": error converting \
                 fieldPath: field label not supported: spec.foo",
                "spec.containers[0].env[3].valueFrom.resourceFieldRef.resource: Unsupported value: \"limits.gpu\": supported \
                 values: \"limits.cpu\", \"limits.ephemeral-storage\", \"limits.memory\", \"requests.cpu\", \
                 \"requests.ephemeral-storage\", \"requests.memory\"",
                "spec.containers[0].env[4].valueFrom.configMapKeyRef.name: Invalid value: \"\": a lowercase RFC 1123…",
                "spec.containers[0].env[4].valueFrom.configMapKeyRef.key: Required value",
                "spec.containers[0].env[5].name: Invalid value: \"a=b\": a valid environment variable name must consist only \
                 of printable ASCII characters other than '='",
            ],
        ),
        (
            "volumeMounts: [{name: nope, mountPath: /a}, {name: v, mountPath: /a}, {mountPath: /b}, {name: v, mountPath: /c, \
             subPath: ../x, mountPropagation: Bidirectional}]",
            &[
                "spec.containers[0].volumeMounts[0].name: Not found: \"nope\"",
                "spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique",
                "spec.containers[0].volumeMounts[2].name: Required value",
                "spec.containers[0].volumeMounts[2].name: Not found: \"\"",
                "spec.containers[0].volumeMounts.subPath: Invalid value: \"../x\": must not contain '..'",
                "spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available \
                 only to privileged containers",
            ],
        ),
    ];
    for (fields, wanted) in rows {
        check(&container(fields), wanted, fields);
    }
    check(
        &pod("hostNetwork: true\nsecurityContext: {runAsUser: -1}"),
        &["spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"],
        "VA-103",
    );
}

#[test]
fn va104_to_va114_probes_and_hooks() {
    check(
        &pod("initContainers: [{name: i, image: i, livenessProbe: {exec: {command: [a]}}, lifecycle: {}}]"),
        &[
            "spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always",
            "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without \
             restartPolicy=Always",
        ],
        "VA-104",
    );
    let rows: &[(&str, &[&str])] = &[
        (
            "livenessProbe: {}",
            &["spec.containers[0].livenessProbe: Required value: must specify a handler type"],
        ),
        (
            "livenessProbe: {exec: {}, httpGet: {port: 0}, successThreshold: 2, periodSeconds: -1, \
             terminationGracePeriodSeconds: 0}",
            &[
                "spec.containers[0].livenessProbe.exec.command: Required value",
                "spec.containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type",
                "spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0",
                "spec.containers[0].livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
                "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
            ],
        ),
        (
            "readinessProbe: {httpGet: {port: 0, scheme: FTP}, terminationGracePeriodSeconds: 5}",
            &[
                "spec.containers[0].readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive",
                "spec.containers[0].readinessProbe.httpGet.scheme: Unsupported value: \"FTP\": supported values: \"HTTP\", \
                 \"HTTPS\"",
                "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for \
                 readinessProbes",
            ],
        ),
        (
            "lifecycle: {preStop: {sleep: {seconds: 100}}, postStart: {}}",
            &[
                "spec.containers[0].lifecycle.postStart: Required value: must specify a handler type",
                "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 100: must be non-negative and less than \
                 terminationGracePeriodSeconds (30)",
            ],
        ),
        ("lifecycle: {preStop: {sleep: {seconds: 30}}}", &[]),
    ];
    for (fields, wanted) in rows {
        check(&container(fields), wanted, fields);
    }
}

#[test]
fn va115_to_va126_resources() {
    let rows: &[(&str, &[&str])] = &[
        (
            "resources: {requests: {foo: 1}}",
            &[
                "spec.containers[0].resources.requests[foo]: Invalid value: \"foo\": must be a standard resource type or \
                 fully qualified",
                "spec.containers[0].resources.requests[foo]: Invalid value: \"foo\": must be a standard resource for \
                 containers",
            ],
        ),
        (
            "resources: {requests: {pods: 1}}",
            &[
                "spec.containers[0].resources.requests[pods]: Invalid value: \"pods\": must be a standard resource for containers",
            ],
        ),
        (
            "resources: {requests: {cpu: 2, memory: -1}, limits: {cpu: 1}}",
            &[
                "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1",
                "spec.containers[0].resources.requests[memory]: Invalid value: \"-1\": must be greater than or equal to 0",
            ],
        ),
        (
            "resources: {requests: {example.com/gpu: 1}, limits: {example.com/gpu: 2}}",
            &[
                "spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to example.com/gpu limit of 2",
            ],
        ),
        (
            "resources: {requests: {example.com/gpu: 1500m}}",
            &[
                "spec.containers[0].resources.requests[example.com/gpu]: Invalid value: \"1500m\": must be an integer",
                "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources",
            ],
        ),
        (
            "resources: {limits: {hugepages-2Mi: 3Mi}}",
            &[
                "spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer \
                 multiple of hugepages-2Mi",
                "spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer \
                 multiple of hugepages-2Mi",
                "spec.containers[0].resources: Forbidden: HugePages require cpu or memory",
            ],
        ),
        (
            "resources: {claims: [{name: x}]}",
            &[
                "spec.containers[0].resources.claims[0]: Not found: \"x\": must be one of the names in \
                 pod.spec.resourceClaims which is empty",
            ],
        ),
    ];
    for (fields, wanted) in rows {
        check(&container(fields), wanted, fields);
    }
    check(
        &problems(
            "{apiVersion: v1, kind: Pod, spec: {resources: {limits: {cpu: 1}}, containers: [{name: c, image: i, resources: \
             {limits: {cpu: 2}, requests: {cpu: 1}}}]}}",
        ),
        &[
            "spec.resources.containers[0][cpu].limits: Invalid value: \"2\": must be less than or equal to pod limits of 1",
        ],
        "VA-125",
    );
}

#[test]
fn va127_to_va142_volumes() {
    let rows: &[(&str, &[&str])] = &[
        (
            "volumes: [{}, {name: A}, {name: v}, {name: v}]",
            &[
                "spec.volumes[0].name: Required value",
                "spec.volumes[1].name: Invalid value: \"A\": a lowercase RFC 1123 label…",
                "spec.volumes[3].name: Duplicate value: \"v\"",
            ],
        ),
        (
            "volumes: [{name: v, emptyDir: {sizeLimit: -1}, nfs: {}}]",
            &[
                "spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity",
                "spec.volumes[0].nfs: Forbidden: may not specify more than 1 volume type",
            ],
        ),
        (
            "volumes: [{name: v, hostPath: {path: /a/../b, type: Foo}}]",
            &[
                "spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
                "spec.volumes[0].hostPath.type: Unsupported value: \"Foo\": supported values: \"\", \"BlockDevice\", \
                 \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\"",
            ],
        ),
        (
            "volumes: [{name: v, persistentVolumeClaim: {}}, {name: w, configMap: {defaultMode: 512, items: [{path: /x}]}}]",
            &[
                "spec.volumes[0].persistentVolumeClaim.claimName: Required value",
                "spec.volumes[1].configMap.name: Required value",
                "spec.volumes[1].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both \
                 inclusive",
                "spec.volumes[1].configMap.items[0].key: Required value",
                "spec.volumes[1].configMap.items[0].path: Invalid value: \"/x\": must be a relative path",
            ],
        ),
        (
            "volumes: [{name: v, nfs: {path: x}}, {name: w, csi: {}}, {name: x, gcePersistentDisk: {}}, {name: q, \
             awsElasticBlockStore: {partition: 300}}, {name: z, ephemeral: {}}]",
            &[
                "spec.volumes[0].nfs.server: Required value",
                "spec.volumes[0].nfs.path: Invalid value: \"x\": must be an absolute path",
                "spec.volumes[1].csi.driver: Required value",
                "spec.volumes[1].csi.driver: Invalid value: \"\": a lowercase RFC 1123 subdomain…",
                "spec.volumes[2].persistentDisk.pdName: Required value",
                "spec.volumes[3].awsElasticBlockStore.volumeID: Required value",
                "spec.volumes[3].awsElasticBlockStore.partition: Invalid value: 300: must be between 1 and 255, inclusive",
                "spec.volumes[4].ephemeral.volumeClaimTemplate: Required value",
            ],
        ),
        (
            "volumes: [{name: v, iscsi: {iqn: foo, lun: 256}}]",
            &[
                "spec.volumes[0].iscsi.targetPortal: Required value",
                "spec.volumes[0].iscsi.iqn: Invalid value: \"foo\": must be valid format starting with iqn, eui, or naa",
                "spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
            ],
        ),
    ];
    for (spec, wanted) in rows {
        check(&pod(spec), wanted, spec);
    }
}

#[test]
fn va143_to_va164_scheduling() {
    const NA: &str = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    let node = |terms: &str| {
        pod(&format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{terms}]}}}}}}"
        ))
    };
    let rows: &[(&str, &[&str])] = &[
        ("", &[": Required value: must have at least one node selector term"]),
        ("{}", &[]),
        (
            "{matchExpressions: [{key: a, operator: In}]}",
            &["[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
        (
            "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
            &[
                "[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or \
                 'DoesNotExist'",
            ],
        ),
        (
            "{matchExpressions: [{key: a, operator: Gt}, {key: a, operator: Lt, values: [b]}]}",
            &[
                "[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or \
                 'Gt'",
            ],
        ),
        (
            "{matchExpressions: [{key: a, operator: Foo}]}",
            &["[0].matchExpressions[0].operator: Invalid value: \"Foo\": not a valid selector operator"],
        ),
        (
            "{matchFields: [{key: spec.x, operator: In, values: [a, b]}]}",
            &[
                "[0].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for \
                 node field selector",
                "[0].matchFields[0].key: Invalid value: \"spec.x\": not a valid field selector key",
            ],
        ),
    ];
    for (terms, wanted) in rows {
        let wanted: Vec<String> = wanted.iter().map(|text| format!("{NA}{text}")).collect();
        check(
            &node(terms),
            &wanted.iter().map(String::as_str).collect::<Vec<_>>(),
            terms,
        );
    }
    const REQUIRED: &str = "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
    check(
        &pod(
            "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{namespaces: [A], \
             matchLabelKeys: [k], labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}}], \
             preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, podAffinityTerm: {topologyKey: z, \
             matchLabelKeys: [k]}}]}}",
        ),
        &[
            &format!(
                "{REQUIRED}.labelSelector.matchExpressions[0].operator: Invalid value: \"Gt\": not a valid selector operator"
            ),
            &format!("{REQUIRED}.namespace: Invalid value: \"A\": a lowercase RFC 1123 label…"),
            &format!("{REQUIRED}.topologyKey: Required value: can not be empty"),
            &format!("{REQUIRED}.topologyKey: Invalid value: \"\": name part must be non-empty"),
            &format!("{REQUIRED}.topologyKey: Invalid value: \"\": name part must consist of…"),
            "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must \
             be in the range 1-100",
            "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys: \
             Forbidden: must not be specified when labelSelector is not set",
        ],
        "VA-149 to VA-153",
    );
    let rows: &[(&str, &[&str])] = &[
        (
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: q r, minDomains: 0}, {maxSkew: 1, topologyKey: z, \
             whenUnsatisfiable: ScheduleAnyway, minDomains: 2, nodeTaintsPolicy: X}, {maxSkew: 1, whenUnsatisfiable: \
             DoNotSchedule}, {maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}]",
            &[
                "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"\": supported values: \
                 \"DoNotSchedule\", \"ScheduleAnyway\"",
                "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero",
                "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if \
                 whenUnsatisfiable=DoNotSchedule, not ",
                "spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, ScheduleAnyway}\"",
                "spec.topologySpreadConstraints[1].minDomains: Invalid value: 2: can only use minDomains if \
                 whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
                "spec.topologySpreadConstraints[1].nodeTaintsPolicy: Unsupported value: \"X\": supported values: \"Honor\", \
                 \"Ignore\"",
                "spec.topologySpreadConstraints[2].topologyKey: Required value: can not be empty",
            ],
        ),
        (
            "tolerations: [{}, {key: a, operator: Exists, value: x}, {key: a, operator: Foo}, {key: a, value: '-'}, {key: a, \
             effect: Foo}, {key: a, effect: NoSchedule, tolerationSeconds: 1}]",
            &[
                "spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty, which means \
                 \"match all values and all keys\"",
                "spec.tolerations[1].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
                "spec.tolerations[2].operator: Unsupported value: \"Foo\": supported values: \"Equal\", \"Exists\"",
                "spec.tolerations[3].operator: Invalid value: \"-\": a valid label must be…",
                "spec.tolerations[4].effect: Unsupported value: \"Foo\": supported values: \"NoSchedule\", \
                 \"PreferNoSchedule\", \"NoExecute\"",
                "spec.tolerations[5].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when \
                 `tolerationSeconds` is set",
            ],
        ),
        (
            "schedulingGates: [{name: x}, {name: x}]\nnodeName: n1\nreadinessGates: [{conditionType: 'a b'}]",
            &[
                "spec.readinessGates[0].conditionType: Invalid value: \"a b\": name part…",
                "spec.schedulingGates[1]: Duplicate value: \"x\"",
                "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
            ],
        ),
        (
            "restartPolicy: Foo\ndnsPolicy: None\nactiveDeadlineSeconds: 0\nos: {name: mac}\nhostAliases: [{ip: x, hostnames: \
             [A]}]\nnodeName: A\nhostname: a.b\nnodeSelector: {a: '-'}",
            &[
                "spec.restartPolicy: Unsupported value: \"Foo\": supported values: \"Always\", \"OnFailure\", \"Never\"",
                "spec.nodeSelector: Invalid value: \"-\": a valid label must be…",
                "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
                "spec.nodeName: Invalid value: \"A\": a lowercase RFC 1123 subdomain…",
                "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
                "spec.hostname: Invalid value: \"a.b\": must not contain dots",
                "spec.hostAliases[0].ip: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "spec.hostAliases[0].hostnames[0]: Invalid value: \"A\": a lowercase RFC 1123 subdomain…",
                "spec.os: Unsupported value: \"mac\": supported values: \"linux\", \"windows\"",
            ],
        ),
    ];
    for (spec, wanted) in rows {
        check(&pod(spec), wanted, spec);
    }
}

#[test]
fn va180_to_va197_workloads() {
    const T: &str = "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}";
    let rows: &[(&str, String, &[&str])] = &[
        (
            "apps/v1, kind: Deployment",
            T.into(),
            &[
                "spec.selector: Required value",
                "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match template `labels`",
            ],
        ),
        (
            "apps/v1, kind: ReplicaSet",
            format!("{T}, selector: {{}}, replicas: -1"),
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
                "{T}, selector: {{matchExpressions: [{{key: a, operator: Foo}}]}}, strategy: {{type: Foo}}, \
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
                "{T}, selector: {{matchLabels: {{a: b}}}}, strategy: {{rollingUpdate: {{maxSurge: 0%, maxUnavailable: 0}}}}"
            ),
            &[
                "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
            ],
        ),
        (
            "apps/v1, kind: Deployment",
            format!(
                "{T}, selector: {{matchLabels: {{a: b}}}}, strategy: {{rollingUpdate: {{maxSurge: '5', maxUnavailable: \
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
                "{T}, selector: {{matchLabels: {{a: b}}}}, updateStrategy: {{rollingUpdate: {{maxSurge: 1, maxUnavailable: \
                 1}}}}"
            ),
            &["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
        ),
        (
            "apps/v1, kind: StatefulSet",
            format!(
                "{T}, selector: {{matchLabels: {{a: b}}}}, podManagementPolicy: Foo, updateStrategy: {{type: Foo}}, \
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
            &[],
        ),
        (
            "batch/v1, kind: Job",
            format!("{T}, completionMode: Indexed, parallelism: 2, backoffLimit: -1"),
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
    for (kind, spec, wanted) in rows {
        check(
            &problems(&format!("{{apiVersion: {kind}, spec: {{{spec}}}}}")),
            wanted,
            spec,
        );
    }
}

#[test]
fn va199_to_va213_other_kinds() {
    let rows: &[(&str, &[&str])] = &[
        ("v1, kind: Service, spec: {}", &["spec.ports: Required value"]),
        ("v1, kind: Service, spec: {clusterIP: None}", &[]),
        (
            "v1, kind: Service, spec: {type: Foo, sessionAffinity: X, ports: [{port: 0}, {port: 1, name: a}, {port: 2, name: \
             a}], clusterIP: x}",
            &[
                "spec.ports[0].name: Required value",
                "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
                "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
                "spec.ports[2].name: Duplicate value: \"a\"",
                "spec.sessionAffinity: Unsupported value: \"X\": supported values: \"ClientIP\", \"None\"",
                "spec.type: Unsupported value: \"Foo\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \
                 \"NodePort\"",
                "spec.clusterIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
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
    for (text, wanted) in rows {
        check(&problems(&format!("{{apiVersion: {text}}}")), wanted, text);
    }
}

#[test]
fn l08_behaviour_annotations_are_checked() {
    check(
        &problems(
            "{apiVersion: v1, kind: Pod, metadata: {annotations: {behavior.podscope.dev/c: exit=9000}}, spec: {containers: \
             [{name: c, image: i}]}}",
        ),
        &[
            "metadata.annotations[behavior.podscope.dev/c]: Invalid value: \"exit=9000\": exit: \"9000\" is not an exit code \
             from 0 to 255 (at character 6)",
        ],
        "a pod",
    );
}
