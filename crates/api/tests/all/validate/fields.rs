//! Validation of untyped pod fields, volume sources, Services, Ingresses and network policies (VA-292 to VA-305).

use super::*;

fn assert_row_errors(problems_of: fn(&str) -> Vec<String>, rows: &[(&str, &[&str])]) {
    for (fields, expected) in rows {
        assert_errors(&problems_of(fields), expected, fields);
    }
}

/// Shows: VA-292, VA-293, VA-294
#[test]
fn invalid_env_sources_are_refused() {
    assert_row_errors(
        container_errors,
        &[
            (
                "env: [{name: A, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['a b']\"}}}, {name: B, valueFrom: {fieldRef: \
                 {fieldPath: \"metadata.annotations['A/B']\"}}}, {name: C, valueFrom: {fieldRef: {fieldPath: \
                 metadata.labels}}}, {name: D, valueFrom: {fieldRef: {fieldPath: \"spec.x['y']\"}}}, {name: E, valueFrom: \
                 {fieldRef: {apiVersion: v2, fieldPath: metadata.name}}}]",
                &[
                    "spec.containers[0].env[0].valueFrom.fieldRef: Invalid value: \"a b\": name part must consist of…",
                    "spec.containers[0].env[2].valueFrom.fieldRef.fieldPath: Unsupported value: \"metadata.labels\": supported \
                     values: \"metadata.name\", \"metadata.namespace\", \"metadata.uid\", \"spec.nodeName\", \
                     \"spec.serviceAccountName\", \"status.hostIP\", \"status.hostIPs\", \"status.podIP\", \"status.podIPs\"",
                    "spec.containers[0].env[3].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.x['y']\": error converting \
                     fieldPath: field label does not support subscript: spec.x['y']",
                    "spec.containers[0].env[4].valueFrom.fieldRef.fieldPath: Invalid value: \"metadata.name\": error \
                     converting fieldPath: unsupported pod version: v2",
                ],
            ),
            (
                "env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: '2'}}}, {name: B, valueFrom: \
                 {resourceFieldRef: {resource: requests.memory, divisor: 3Mi}}}, {name: C, valueFrom: {resourceFieldRef: \
                 {resource: limits.ephemeral-storage, divisor: 1m}}}, {name: D, valueFrom: {resourceFieldRef: {resource: \
                 limits.hugepages-2Mi, divisor: '7'}}}, {name: E, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: \
                 1m}}}, {name: F, valueFrom: {resourceFieldRef: {resource: ''}}}]",
                &[
                    "spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: \"limits.cpu\": only divisor's \
                     values 1m and 1 are supported with the cpu resource",
                    "spec.containers[0].env[1].valueFrom.resourceFieldRef.divisor: Invalid value: \"requests.memory\": only \
                     divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory \
                     resource",
                    "spec.containers[0].env[2].valueFrom.resourceFieldRef.divisor: Invalid value: \"limits.ephemeral-storage\": \
                     only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the \
                     local ephemeral storage resource",
                    "spec.containers[0].env[3].valueFrom.resourceFieldRef.divisor: Invalid value: \"limits.hugepages-2Mi\": only \
                     divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages \
                     resource",
                    "spec.containers[0].env[5].valueFrom.resourceFieldRef.resource: Required value",
                ],
            ),
            (
                "livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: a b}, {name: X-A, value: b}]}}",
                &[
                    "spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP header must \
                     consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is \
                     '[-A-Za-z0-9]+')",
                ],
            ),
        ],
    );
}

/// Shows: VA-295, VA-296
#[test]
fn invalid_volume_files_and_sources_are_refused() {
    assert_row_errors(
        pod_errors,
        &[
            (
                "volumes: [{name: v, downwardAPI: {items: [{path: ..a, fieldRef: {fieldPath: spec.nodeName}}, {path: b, \
                 resourceFieldRef: {resource: limits.cpu}}, {path: c, resourceFieldRef: {containerName: c, resource: x}, \
                 fieldRef: {fieldPath: metadata.name}}]}}]",
                &[
                    "spec.volumes[0].downwardAPI.path: Invalid value: \"..a\": must not start with '..'",
                    "spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: \"spec.nodeName\": supported values: \
                     \"metadata.annotations\", \"metadata.labels\", \"metadata.name\", \"metadata.namespace\", \
                     \"metadata.uid\"",
                    "spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value",
                    "spec.volumes[0].downwardAPI: Invalid value: \"resource\": fieldRef and resourceFieldRef can not be \
                     specified simultaneously",
                ],
            ),
            (
                "volumes: [{name: v, projected: {sources: [{configMap: {name: a, items: [{key: k, path: p}]}}, {secret: {name: \
                 s, items: [{key: k, path: p}]}}, {downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}, \
                 {serviceAccountToken: {path: ''}, configMap: {name: b}}]}}]",
                &[
                    "spec.volumes[0].projected: Invalid value: \"s\": conflicting duplicate paths",
                    "spec.volumes[0].projected: Invalid value: \"p\": conflicting duplicate paths",
                    "spec.volumes[0].projected.path: Required value",
                    "spec.volumes[0].projected.sources[3]: Forbidden: may not specify more than 1 volume type per source",
                ],
            ),
            (
                "volumes: [{name: a, flocker: {}}, {name: b, quobyte: {registry: x}}, {name: c, azureDisk: {diskName: d, diskURI: \
                 x, kind: Managed}}, {name: d, fc: {targetWWNs: [a], wwids: [b]}}, {name: e, iscsi: {targetPortal: p, iqn: \
                 iqn.2001-04.com.example, lun: 1, chapAuthSession: true}}, {name: f, flexVolume: {driver: d, options: \
                 {a.k8s.io/b: c}}}]",
                &[
                    "spec.volumes[0].flocker: Required value: one of datasetName and datasetUUID is required",
                    "spec.volumes[1].quobyte.registry: Invalid value: \"x\": must be a host:port pair or multiple pairs \
                     separated by commas",
                    "spec.volumes[1].quobyte.volume: Required value",
                    "spec.volumes[2].azureDisk.diskURI: Unsupported value: \"x\": supported values: \
                     \"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}\"",
                    "spec.volumes[3].fc.targetWWNs: Invalid value: [\"a\"]: targetWWNs and wwids can not be specified \
                     simultaneously",
                    "spec.volumes[3].fc.lun: Required value: lun is required if targetWWNs is specified",
                    "spec.volumes[4].iscsi.iqn: Invalid value: \"iqn.2001-04.com.example\": must be valid format",
                    "spec.volumes[4].iscsi.secretRef: Required value",
                    "spec.volumes[5].flexVolume.options[a.k8s.io/b]: Invalid value: \"a.k8s.io/b\": kubernetes.io and k8s.io \
                     namespaces are reserved",
                ],
            ),
        ],
    );
}

/// A volume with an error is reported, and each mount of that volume is reported too.
/// Shows: VA-297
#[test]
fn invalid_volume_mounts_are_refused() {
    assert_errors(
        &validation_errors(
            "{apiVersion: v1, kind: Pod, spec: {volumes: [{name: v, hostPath: {path: ''}}, {name: w}], containers: [{name: c, \
             image: i, volumeMounts: [{name: v, mountPath: /a}, {name: w, mountPath: /b, recursiveReadOnly: Enabled, \
             mountPropagation: HostToContainer}, {name: w, mountPath: /c, readOnly: true, recursiveReadOnly: X}]}]}}",
        ),
        &[
            "spec.volumes[0].hostPath.path: Required value",
            "spec.containers[0].volumeMounts[0].name: Not found: \"v\"",
            "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
            "spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None \
             or not specified",
            "spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: \"X\": supported values: \"Disabled\", \
             \"Enabled\", \"IfPossible\"",
        ],
        "VA-297",
    );
}

/// Shows: VA-298, VA-299
#[test]
fn fields_of_another_os_are_refused() {
    assert_row_errors(
        pod_errors,
        &[
            (
                "os: {name: windows}\nhostPID: true\nsecurityContext: {runAsUser: 1, seLinuxOptions: {level: x}, windowsOptions: \
                 {runAsUserName: 'a\\b\\c'}}",
                &[
                    "spec.securityContext.windowsOptions.runAsUserName: Invalid value: \"a\\\\b\\\\c\": runAsUserName cannot \
                     contain more than one backslash",
                    "spec.securityContext.seLinuxOptions: Forbidden: cannot be set for a windows pod",
                    "spec.hostPID: Forbidden: cannot be set for a windows pod",
                    "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
                ],
            ),
            (
                "os: {name: linux}\nsecurityContext: {windowsOptions: {hostProcess: true}}",
                &[
                    "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess \
                     containers",
                    "spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
                ],
            ),
            (
                "hostNetwork: true\nsecurityContext: {sysctls: [{name: net.ipv4.x, value: '1'}]}",
                &[
                    "spec.securityContext.sysctls[0].name: Invalid value: \"net.ipv4.x\": may not be specified when \
                     'hostNetwork' is true",
                ],
            ),
        ],
    );
    assert_row_errors(
        container_errors,
        &[(
            "securityContext: {privileged: true, allowPrivilegeEscalation: false, seccompProfile: {type: Foo}, runAsUser: -1}",
            &[
                "spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
                "spec.containers[0].securityContext.seccompProfile.type: Unsupported value: \"Foo\": supported values: \
                 \"Localhost\", \"RuntimeDefault\", \"Unconfined\"",
                "spec.containers[0].securityContext: Invalid value: {\"Capabilities\":null,…",
            ],
        )],
    );
}

/// Shows: VA-300, VA-301
#[test]
fn invalid_annotations_and_ephemeral_containers_are_refused() {
    assert_errors(
        &validation_errors(
            "{apiVersion: v1, kind: Pod, metadata: {annotations: {controller.kubernetes.io/pod-deletion-cost: '+1', \
             container.apparmor.security.beta.kubernetes.io/z: x}}, spec: {containers: [{name: c, image: i}], \
             ephemeralContainers: [{name: c, image: i, ports: [{containerPort: 1}], targetContainerName: d}]}}",
        ),
        &[
            "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: \"+1\": must be a 32bit integer",
            "metadata.annotations[container.apparmor.security.beta.kubernetes.io/z]: Invalid value: \"z\": container not found",
            "metadata.annotations[container.apparmor.security.beta.kubernetes.io/z]: Invalid value: \"x\": invalid AppArmor \
             profile name: \"x\"",
            "spec.ephemeralContainers[0].name: Duplicate value: \"c\"",
            "spec.ephemeralContainers[0].targetContainerName: Not found: \"d\"",
            "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
            "spec.ephemeralContainers: Forbidden: cannot be set on create",
        ],
        "VA-301",
    );
    assert_errors(
        &validation_errors(
            "{apiVersion: v1, kind: Pod, spec: {volumes: [{name: v, emptyDir: {}}], containers: [{name: c, image: i}], \
             ephemeralContainers: [{name: d, image: i, volumeMounts: [{name: v, mountPath: /v, subPath: a}]}]}}",
        ),
        &[
            "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
            "spec.ephemeralContainers: Forbidden: cannot be set on create",
        ],
        "VA-300",
    );
}

/// Shows: VA-302
#[test]
fn inconsistent_service_addresses_are_refused() {
    let service = |spec: &str| {
        validation_errors(&format!(
            "{{apiVersion: v1, kind: Service, spec: {{ports: [{{port: 1}}], {spec}}}}}"
        ))
    };
    assert_errors(
        &service("clusterIPs: [10.96.0.7]"),
        &["spec.clusterIPs: Invalid value: [\"10.96.0.7\"]: must be empty when `clusterIP` is not specified"],
        "VA-302",
    );
    assert_errors(
        &service("clusterIP: 10.96.0.7, clusterIPs: [10.96.0.7, 10.96.0.8, 10.96.0.9], ipFamilies: [IPv6]"),
        &[
            "spec.clusterIPs: Invalid value: [\"10.96.0.7\",\"10.96.0.8\",\"10.96.0.9\"]: may only hold up to 2 values",
            "spec.clusterIPs: Invalid value: [\"10.96.0.7\",\"10.96.0.8\",\"10.96.0.9\"]: may specify no more than one IP for \
             each IP family",
            "spec.clusterIPs[0]: Invalid value: \"10.96.0.7\": expected an IPv6 value as indicated by `ipFamilies[0]`",
        ],
        "VA-302",
    );
    assert_errors(
        &service("externalIPs: [224.0.0.5]"),
        &[
            "spec.externalIPs[0]: Invalid value: \"224.0.0.5\": may not be in the link-local multicast range (224.0.0.0/24, \
             ff02::/10)",
        ],
        "VA-302",
    );
}

/// Shows: VA-303, VA-304, VA-305
#[test]
fn invalid_ingresses_and_network_policies_are_refused() {
    let problems_of = |kind: &str, spec: &str| {
        validation_errors(&format!(
            "{{apiVersion: networking.k8s.io/v1, kind: {kind}, spec: {spec}}}"
        ))
    };
    assert_errors(
        &problems_of(
            "Ingress",
            "{defaultBackend: {service: {name: a, port: {number: 1, name: b}}}, rules: [{host: '*.B'}, {host: 1.2.3.4, http: \
             {paths: [{path: a//b, pathType: Exact, backend: {}}, {path: x, pathType: Yy, backend: {service: {name: '', port: \
             {}}}}]}}], tls: [{hosts: ['*'], secretName: A}]}",
        ),
        &[
            "spec.defaultBackend: Invalid value: \"\": cannot set both port name & port number",
            "spec.rules[0].host: Invalid value: \"*.B\": a wildcard DNS-1123 subdomain must start with '*.', followed by…",
            "spec.rules[1].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address",
            "spec.rules[1].http.paths[0].path: Invalid value: \"a//b\": must be an absolute path",
            "spec.rules[1].http.paths[0].path: Invalid value: \"a//b\": must not contain '//'",
            "spec.rules[1].http.paths[0].backend: Invalid value: \"\": resource or service backend is required",
            "spec.rules[1].http.paths[1].pathType: Unsupported value: \"Yy\": supported values: \"Exact\", \
             \"ImplementationSpecific\", \"Prefix\"",
            "spec.rules[1].http.paths[1].backend.service.name: Required value",
            "spec.rules[1].http.paths[1].backend: Required value: port name or number is required",
            "spec.tls[0].hosts[0]: Invalid value: \"*\": a wildcard DNS-1123 subdomain must start with '*.', followed by…",
            "spec.tls[0].secretName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of…",
        ],
        "VA-303",
    );
    assert_errors(
        &problems_of(
            "IngressClass",
            "{controller: a/@, parameters: {kind: K, name: p, scope: Namespace}}",
        ),
        &[
            "spec.controller: Invalid value: \"@\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
            "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
        ],
        "VA-304",
    );
    assert_errors(
        &problems_of(
            "NetworkPolicy",
            "{podSelector: {matchLabels: {a b: c}}, ingress: [{from: [{}, {podSelector: {}, ipBlock: {cidr: 10.0.0.0/8, except: \
             [10.1.0.0/16, 11.0.0.0/8]}}], ports: [{port: 80, endPort: 70}, {protocol: X, endPort: 5}]}], egress: [{to: \
             [{ipBlock: {}}]}]}",
        ),
        &[
            "spec.podSelector.matchLabels: Invalid value: \"a b\": name part must consist of…",
            "spec.ingress[0].ports[0].endPort: Invalid value: 70: must be greater than or equal to `port`",
            "spec.ingress[0].ports[1].protocol: Unsupported value: \"X\": supported values: \"TCP\", \"UDP\", \"SCTP\"",
            "spec.ingress[0].ports[1].endPort: Invalid value: 5: may not be specified when `port` is not specified",
            "spec.ingress[0].from[0]: Required value: must specify a peer",
            "spec.ingress[0].from[1].ipBlock.except[1]: Invalid value: \"11.0.0.0/8\": must be a strict subset of `cidr`",
            "spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer",
            "spec.egress[0].to[0].ipBlock.cidr: Required value",
        ],
        "VA-305",
    );
}
