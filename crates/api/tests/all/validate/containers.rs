//! Validation of containers: fields, probes and hooks, resources (VA-084 to VA-126).

use super::*;

/// Shows: LC-213, VA-084, VA-085, VA-086, VA-087, VA-088, VA-089, VA-090, VA-091, VA-092, VA-093, VA-094, VA-095,
/// VA-096, VA-097, VA-098, VA-099, VA-100, VA-101, VA-102, VA-103, VA-291
#[test]
fn invalid_containers_are_refused() {
    assert_errors(
        &validation_errors("{apiVersion: v1, kind: Pod, spec: {}}"),
        &["spec.containers: Required value"],
        "VA-084",
    );
    assert_errors(
        &validation_errors(
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
    assert_errors(
        &validation_errors(&format!(
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
                 `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
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
        // The server checks the volumes of env files last (VA-291).
        (
            "env: [{name: A, valueFrom: {fileKeyRef: {}}}, {name: B, valueFrom: {fileKeyRef: {volumeName: V, path: ../x, \
             key: 'a='}}}, {name: C, valueFrom: {fileKeyRef: {volumeName: v, path: x, key: K}, fieldRef: {fieldPath: \
             metadata.name}}}]",
            &[
                "spec.containers[0].env[0].valueFrom.fileKeyRef.key: Required value",
                "spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Required value",
                "spec.containers[0].env[0].valueFrom.fileKeyRef.path: Required value",
                "spec.containers[0].env[1].valueFrom.fileKeyRef.key: Invalid value: \"a=\": a valid environment variable name \
                 must consist only of printable ASCII characters other than '='",
                "spec.containers[0].env[1].valueFrom.fileKeyRef.volumeName: Invalid value: \"V\": a lowercase RFC 1123 label \
                 must consist of…",
                "spec.containers[0].env[1].valueFrom.fileKeyRef.path: Invalid value: \"../x\": must not contain '..'",
                "spec.containers[0].env[2].valueFrom: Invalid value: \"\": may not have more than one field specified at a time",
                "spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Not found: \"\"",
                "spec.containers[0].env[1].valueFrom.fileKeyRef.volumeName: Not found: \"V\"",
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
    for (fields, expected) in rows {
        assert_errors(&container_errors(fields), expected, fields);
    }
    assert_errors(
        &validation_errors(
            "{apiVersion: v1, kind: Pod, spec: {volumes: [{name: here, hostPath: {path: /x}}], containers: [{name: c, image: \
             i, env: [{name: A, valueFrom: {fileKeyRef: {volumeName: here, path: x, key: K}}}]}]}}",
        ),
        &[
            "spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Invalid value: \"here\": referenced volume must be of \
             type emptyDir",
        ],
        "VA-291",
    );
    assert_errors(
        &pod_errors("hostNetwork: true\nsecurityContext: {runAsUser: -1}"),
        &["spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"],
        "VA-103",
    );
}

/// Shows: VA-104, VA-105, VA-106, VA-107, VA-108, VA-109, VA-110, VA-111, VA-112, VA-113, VA-114
#[test]
fn invalid_probes_and_hooks_are_refused() {
    assert_errors(
        &pod_errors("initContainers: [{name: i, image: i, livenessProbe: {exec: {command: [a]}}, lifecycle: {}}]"),
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
    for (fields, expected) in rows {
        assert_errors(&container_errors(fields), expected, fields);
    }
}

/// Shows: VA-115, VA-116, VA-117, VA-118, VA-119, VA-120, VA-121, VA-122, VA-123, VA-124, VA-125, VA-126
#[test]
fn invalid_resources_are_refused() {
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
    for (fields, expected) in rows {
        assert_errors(&container_errors(fields), expected, fields);
    }
    assert_errors(
        &validation_errors(
            "{apiVersion: v1, kind: Pod, spec: {resources: {limits: {cpu: 1}}, containers: [{name: c, image: i, resources: \
             {limits: {cpu: 2}, requests: {cpu: 1}}}]}}",
        ),
        &[
            "spec.resources.containers[0][cpu].limits: Invalid value: \"2\": must be less than or equal to pod limits of 1",
        ],
        "VA-125",
    );
}
