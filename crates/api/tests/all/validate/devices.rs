//! Validation of the `resource.k8s.io` kinds (DRA-031 to DRA-044).

use super::*;
use podscope_api::{validate_status_update, validate_update};

/// Returns the errors of a ResourceClaim with this `spec.devices`.
fn claim_errors(devices: &str) -> Vec<String> {
    validation_errors(&format!(
        "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, spec: {{devices: {{{devices}}}}}}}"
    ))
}

/// Returns the errors of a ResourceSlice with this spec.
fn slice_errors(spec: &str) -> Vec<String> {
    validation_errors(&format!(
        "{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, spec: {{{spec}}}}}"
    ))
}

/// Returns the errors of a ResourceSlice of one node with this device.
fn device_errors(fields: &str) -> Vec<String> {
    slice_errors(&format!(
        "driver: d.example.com, nodeName: n1, pool: {{name: n1, resourceSliceCount: 1}}, devices: [{{{fields}}}]"
    ))
}

fn parse_object(text: &str) -> Object {
    parse(text).objects.last().expect("an object").value.clone()
}

/// Shows: DRA-004, DRA-032, DRA-033, DRA-034
#[test]
fn invalid_claims_are_refused() {
    const INVALID_REQUEST_REFERENCE: &str = "Invalid value: \"x\": must be the name of a request in the claim or the name \
                                             of a request and a subrequest separated by '/'";
    let rows: &[(&str, &[&str])] = &[
        (
            "requests: [{name: a}, {name: A, exactly: {}, firstAvailable: [{name: s, deviceClassName: c}]}]",
            &[
                "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
                "spec.devices.requests[1].name: Invalid value: \"A\": a lowercase RFC 1123 label…",
                "spec.devices.requests[1]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, \
                 but multiple fields are set",
            ],
        ),
        (
            "requests: [{name: a, exactly: {allocationMode: All, count: 2, selectors: [{}]}}, \
             {name: a, exactly: {deviceClassName: C, allocationMode: Some}}]",
            &[
                "spec.devices.requests[0].exactly.deviceClassName: Required value",
                "spec.devices.requests[0].exactly.selectors[0].cel: Required value",
                "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is \
                 'All'",
                "spec.devices.requests[1].exactly.deviceClassName: Invalid value: \"C\": a lowercase RFC 1123 subdomain…",
                "spec.devices.requests[1].exactly.allocationMode: Unsupported value: \"Some\": supported values: \"All\", \
                 \"ExactCount\"",
                "spec.devices.requests[1]: Duplicate value: \"a\"",
            ],
        ),
        (
            "requests: [{name: a, firstAvailable: [{name: s, deviceClassName: c, count: -1, tolerations: [\
             {operator: Exists, value: v}, {operator: Like, effect: Soon}]}]}]",
            &[
                "spec.devices.requests[0].firstAvailable[0].count: Invalid value: -1: must be greater than zero",
                "spec.devices.requests[0].firstAvailable[0].tolerations[0].value: Invalid value: \"v\": must be empty for \
                 operator `Exists`",
                "spec.devices.requests[0].firstAvailable[0].tolerations[1].operator: Unsupported value: \"Like\": \
                 supported values: \"Equal\", \"Exists\"",
                "spec.devices.requests[0].firstAvailable[0].tolerations[1].effect: Unsupported value: \"Soon\": supported \
                 values: \"NoExecute\", \"NoSchedule\", \"None\"",
            ],
        ),
        (
            "requests: [{name: a, exactly: {deviceClassName: c}}], constraints: [{requests: [x], matchAttribute: numa}, {}], \
             config: [{requests: [a], opaque: {driver: d.example.com, parameters: [1]}}, {}]",
            &[
                &format!("spec.devices.constraints[0].requests[0]: {INVALID_REQUEST_REFERENCE}"),
                "spec.devices.constraints[0].matchAttribute: Invalid value: \"numa\": a fully qualified name must be a \
                 domain and a name separated by a slash",
                "spec.devices.constraints[1]: Required value: exactly one of \"matchAttribute\" or \"distinctAttribute\" \
                 is required, but multiple fields are set",
                "spec.devices.config[0].opaque.parameters: Invalid value: \"<value omitted>\": must be a valid JSON object",
                "spec.devices.config[1].opaque: Required value",
            ],
        ),
    ];
    for (devices, expected) in rows {
        assert_errors(&claim_errors(devices), expected, devices);
    }
    let many: Vec<String> = (0..33).map(|nth| format!("{{name: r{nth}}}")).collect();
    let many = claim_errors(&format!("requests: [{}]", many.join(", ")));
    assert_errors(
        &many,
        &["spec.devices.requests: Too many: 33: must have at most 32 items"],
        "DRA-030",
    );
}

/// Shows: DRA-035
#[test]
fn changed_spec_of_a_claim_is_refused() {
    let with_class = |class: &str| {
        let mut claim = parse_object(&format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: c, namespace: default}}, \
             spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: {class}}}}}]}}}}}}"
        ));
        default_object(&mut claim);
        claim
    };
    let found: Vec<String> = (validate_update(&with_class("a"), &with_class("b")).iter())
        .map(ToString::to_string)
        .collect();
    assert_errors(
        &found,
        &[
            "spec: Invalid value: {\"Devices\":{\"Requests\":[{\"Name\":\"r\",\"Exactly\":{\"DeviceClassName\":\"b\",\
           \"Selectors\":null,\"AllocationMode\":\"ExactCount\",\"Count\":1,\"AdminAccess\":null,\"Tolerations\":null,\
           \"Capacity\":null},\"FirstAvailable\":null}],\"Constraints\":null,\"Config\":null}}: field is immutable",
        ],
        "DRA-035",
    );
}

/// Shows: DRA-037
#[test]
fn invalid_status_of_a_claim_is_refused() {
    let claim = |status: &str| {
        parse_object(&format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: c, namespace: default}}, \
             spec: {{devices: {{requests: [{{name: r}}]}}}}, status: {{{status}}}}}"
        ))
    };
    let new = claim(
        "reservedFor: [{resource: pods, name: a, uid: u}, {resource: pods, uid: u}], \
         devices: [{driver: d, pool: p, device: g}]",
    );
    let found: Vec<String> = (validate_status_update(&claim(""), &new).iter())
        .map(ToString::to_string)
        .collect();
    assert_errors(
        &found,
        &[
            "status.reservedFor[1].name: Required value",
            "status.reservedFor[1]: Duplicate value: \"u\"",
            "status.devices[0]: Invalid value: {\"Driver\":\"d\",\"Pool\":\"p\",\"Device\":\"g\",\"ShareID\":\"\"}: must be \
             an allocated device in the claim",
            "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
        ],
        "DRA-037",
    );
}

/// Shows: DRA-038
#[test]
fn invalid_classes_are_refused() {
    let class = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, spec: {selectors: [{}], config: [{}], \
                 extendedResourceName: kubernetes.io/gpu}}";
    assert_errors(
        &validation_errors(class),
        &[
            "spec.selectors[0].cel: Required value",
            "spec.config[0].opaque: Required value",
            "spec.extendedResourceName: Invalid value: \"kubernetes.io/gpu\": must be a valid extended resource name",
        ],
        "DRA-038",
    );
}

/// Shows: DRA-039
#[test]
fn invalid_slices_are_refused() {
    let rows: &[(&str, &[&str])] = &[
        (
            "pool: {generation: -1}",
            &[
                "spec.driver: Required value",
                "spec.pool.name: Required value",
                "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
                "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero",
                "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is \
                 required",
            ],
        ),
        (
            "driver: d, pool: {name: p, resourceSliceCount: 1}, nodeName: n1, allNodes: true, perDeviceNodeSelection: false, \
             devices: [{name: g}], sharedCounters: [{name: s}]",
            &[
                "spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true",
                "spec: Invalid value: \"{`nodeName`, `allNodes`}\": exactly one of `nodeName`, `nodeSelector`, `allNodes`, \
                 `perDeviceNodeSelection` is required, but multiple fields are set",
                "spec: Invalid value: \"\": only one of `sharedCounters` or `devices` is allowed",
                "spec.sharedCounters[0].counters: Required value",
            ],
        ),
    ];
    for (spec, expected) in rows {
        assert_errors(&slice_errors(spec), expected, spec);
    }
}

/// Shows: DRA-040, DRA-041, DRA-042, DRA-043, DRA-044
#[test]
fn invalid_devices_are_refused() {
    let rows: &[(&str, &[&str])] = &[
        (
            "name: G, attributes: {1a: {int: 1}, '/x': {version: v1}, ok: {}}",
            &[
                "spec.devices[0].name: Invalid value: \"G\": a lowercase RFC 1123 label…",
                "spec.devices[0].attributes: Invalid value: \"\": the domain must not be empty",
                "spec.devices[0].attributes: Invalid value: \"1a\": a valid C identifier must start with…",
                "spec.devices[0].attributes[/x].version: Invalid value: \"v1\": must be a string compatible with semver.org \
                 spec 2.0.0",
                "spec.devices[0].attributes[ok]: Invalid value: \"\": exactly one value must be specified",
            ],
        ),
        (
            "name: g, capacity: {memory: {value: 1Gi, requestPolicy: {default: 1Gi}}}",
            &["spec.devices[0].capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true"],
        ),
        (
            "name: g, allowMultipleAllocations: true, capacity: {m: {value: 10, requestPolicy: {default: 1, \
             validRange: {min: 2, max: 12, step: 3}}}}",
            &[
                "spec.devices[0].capacity[m].requestPolicy.validRange.min: Invalid value: \"1\": default is less than min: 2",
                "spec.devices[0].capacity[m].requestPolicy.validRange.max: Invalid value: \"12\": max is larger than \
                 capacity value: 10",
                "spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: \"1\": value is not a multiple of \
                 a given step (3) from (2)",
                "spec.devices[0].capacity[m].requestPolicy.validRange.step: Invalid value: \"12\": value is not a multiple \
                 of a given step (3) from (2)",
            ],
        ),
        (
            "name: g, allowMultipleAllocations: true, capacity: {m: {value: 10, requestPolicy: {default: 1, \
             validValues: [3, 2, 20]}}}",
            &[
                "spec.devices[0].capacity[m].requestPolicy.validValues[1]: Invalid value: \"2\": values must be sorted in \
                 ascending order",
                "spec.devices[0].capacity[m].requestPolicy.validValues[2]: Invalid value: \"20\": option is larger than \
                 capacity value: 10",
                "spec.devices[0].capacity[m].requestPolicy.validValues: Invalid value: \"1\": default value is not valid \
                 according to the requestPolicy",
            ],
        ),
        (
            "name: g, taints: [{key: k}], consumesCounters: [{counterSet: s}], nodeName: n1, bindingConditions: [a]",
            &[
                "spec.devices[0].taints[0].effect: Required value",
                "spec.devices[0].consumesCounters[0].counters: Required value",
                "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if \
                 `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
                "spec.devices[0].bindingFailureConditions: Invalid value: []: bindingFailureConditions are required to use \
                 bindingConditions",
            ],
        ),
    ];
    for (fields, expected) in rows {
        assert_errors(&device_errors(fields), expected, fields);
    }
}

/// A Node with a malformed `podscope.dev/devices` annotation is refused.
#[test]
fn malformed_devices_annotation_of_node_is_refused() {
    let node =
        "{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {podscope.dev/devices: '[{\"count\": 0}]'}}}";
    assert_errors(
        &validation_errors(node),
        &[
            "metadata.annotations[podscope.dev/devices]: Invalid value: \"[{\\\"count\\\": 0}]\": [0].count: must be a \
             number greater than 0",
            "metadata.annotations[podscope.dev/devices]: Invalid value: \"[{\\\"count\\\": 0}]\": [0].driver: Required value",
        ],
        "description",
    );
}
