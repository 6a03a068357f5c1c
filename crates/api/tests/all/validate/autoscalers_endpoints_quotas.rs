//! Validation of autoscalers, endpoints and quota scopes (VA-306 to VA-310).

use super::*;

/// Shows: VA-306, VA-307
#[test]
fn invalid_autoscaler_metrics_and_behavior_are_refused() {
    let autoscaler_problems = |spec: &str| {
        validation_errors(&format!(
            "{{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {{maxReplicas: 3, scaleTargetRef: {{apiVersion: \
             apps/v1, kind: Deployment, name: w}}, {spec}}}}}"
        ))
    };
    assert_errors(
        &autoscaler_problems(
            "metrics: [{type: Resource, resource: {name: cpu, target: {type: Foo, averageUtilization: 0, averageValue: 1}}}, \
             {type: Foo}, {type: Pods, pods: {metric: {name: a/b}, target: {type: Value, value: '0'}}, resource: {name: cpu}}, \
             {type: ContainerResource, containerResource: {name: foo, container: A, target: {type: Utilization}}}, {type: \
             External}, {type: External, external: {metric: {name: q}, target: {type: Value, value: 1, averageValue: -1}}}, \
             {type: Object, object: {metric: {}, describedObject: {apiVersion: a/b/c, kind: K}, target: {type: Value}}}]",
        ),
        &[
            "spec.metrics[0].resource.target.type: Invalid value: \"Foo\": must be either Utilization, Value, or AverageValue",
            "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
            "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target \
             utilization",
            "spec.metrics[1].type: Unsupported value: \"Foo\": supported values: \"ContainerResource\", \"External\", \
             \"Object\", \"Pods\", \"Resource\"",
            "spec.metrics[2].pods.metric.name: Invalid value: \"a/b\": may not contain '/'",
            "spec.metrics[2].pods.target.value: Invalid value: \"0\": must be positive",
            "spec.metrics[2].pods.target.averageValue: Required value: must specify a positive target averageValue",
            "spec.metrics[2].resource: Forbidden: must populate the given metric source only",
            "spec.metrics[3].containerResource.name: Invalid value: \"foo\": must be a standard resource type or fully…",
            "spec.metrics[3].containerResource.name: Invalid value: \"foo\": must be a standard resource for containers",
            "spec.metrics[3].containerResource.container: Invalid value: \"A\": a lowercase RFC 1123 label must consist of…",
            "spec.metrics[3].containerResource.target.averageUtilization: Required value: must set either a target raw value \
             or a target utilization",
            "spec.metrics[4].external: Required value: must populate information for the given metric source",
            "spec.metrics[5].external.target.averageValue: Invalid value: \"-1\": must be positive",
            "spec.metrics[5].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target",
            "spec.metrics[6].object.describedObject.name: Required value",
            "spec.metrics[6].object.describedObject.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: \
             a/b/c",
            "spec.metrics[6].object.metric.name: Required value: must specify a metric name",
            "spec.metrics[6].object.target.averageValue: Required value: must set either a target value or averageValue",
        ],
        "VA-306",
    );
    assert_errors(
        &autoscaler_problems(
            "behavior: {scaleUp: {stabilizationWindowSeconds: 3601, selectPolicy: Foo, policies: []}, scaleDown: \
             {stabilizationWindowSeconds: -1, policies: [{type: X, value: 0, periodSeconds: 0}, {type: Pods, value: 1, \
             periodSeconds: 1801}]}}",
        ),
        &[
            "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
            "spec.behavior.scaleUp.selectPolicy: Unsupported value: \"Foo\": supported values: \"Disabled\", \"Max\", \"Min\"",
            "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy",
            "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero",
            "spec.behavior.scaleDown.policies[0].type: Unsupported value: \"X\": supported values: \"Percent\", \"Pods\"",
            "spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero",
            "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
            "spec.behavior.scaleDown.policies[1].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
        ],
        "VA-307",
    );
}

/// Shows: VA-308, VA-309
#[test]
fn invalid_endpoints_are_refused() {
    assert_errors(
        &validation_errors(
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [{addresses: [a, '::2', \
             127.0.0.1, 10.1.2.3], nodeName: A, hostname: a.b}, {addresses: []}], ports: [{name: A, protocol: X}, {name: A}]}",
        ),
        &[
            "endpoints[0].addresses[0]: Invalid value: \"a\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
            "endpoints[0].addresses[0]: Invalid value: \"a\": must be a valid IP address",
            "endpoints[0].addresses[1]: Invalid value: \"::2\": must be an IPv4 address",
            "endpoints[0].addresses[2]: Invalid value: \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, ::1/128)",
            "endpoints[0].nodeName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of…",
            "endpoints[0].hostname: Invalid value: \"a.b\": must not contain dots",
            "endpoints[1].addresses: Required value: must contain at least 1 address",
            "ports[0].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of…",
            "ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
            "ports[1].name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of…",
            "ports[1].name: Duplicate value: \"A\"",
        ],
        "VA-308",
    );
    assert_errors(
        &validation_errors(
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: FQDN, endpoints: [{addresses: [a.b, A.b.c, \
             '', a.b.c.]}]}",
        ),
        &[
            "endpoints[0].addresses[0]: Invalid value: \"a.b\": should be a domain with at least three segments separated by \
             dots",
            "endpoints[0].addresses[1]: Invalid value: \"A.b.c\": a lowercase RFC 1123 subdomain must consist of…",
            "endpoints[0].addresses[2]: Required value",
        ],
        "VA-308",
    );
    assert_errors(
        &validation_errors(
            "{apiVersion: v1, kind: Endpoints, subsets: [{}, {addresses: [{ip: 0.0.0.0}], ports: [{port: 0}, {name: B, port: \
             1}]}]}",
        ),
        &[
            "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
            "subsets[1].addresses[0].ip: Invalid value: \"0.0.0.0\": may not be unspecified (0.0.0.0)",
            "subsets[1].ports[0].name: Required value",
            "subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
            "subsets[1].ports[1].name: Invalid value: \"B\": a lowercase RFC 1123 label must consist of…",
        ],
        "VA-309",
    );
}

/// Shows: VA-310
#[test]
fn invalid_quota_scope_selector_is_refused() {
    assert_errors(
        &validation_errors(
            "{apiVersion: v1, kind: ResourceQuota, spec: {hard: {pods: 1, services: 2}, scopeSelector: {matchExpressions: \
             [{scopeName: Foo, operator: In}, {scopeName: PriorityClass, operator: Exists, values: [a]}, {scopeName: \
             Terminating, operator: Is}, {scopeName: NotTerminating, operator: Exists}]}}}",
        ),
        &[
            "spec.scopeSelector.matchExpressions.scopeName: Invalid value: \"Foo\": unsupported scope",
            "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or \
             'NotIn' for scope selector",
            "spec.scopeSelector.matchExpressions: Invalid value: {\"MatchExpressions\":[{\"ScopeName\":\"Foo\",…",
            "spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or \
             'DoesNotExist' for scope selector",
            "spec.scopeSelector.matchExpressions: Invalid value: {\"MatchExpressions\":[{\"ScopeName\":\"Foo\",…",
            "spec.scopeSelector.matchExpressions.operator: Invalid value: \"Is\": must be 'Exist' when scope is any of…",
            "spec.scopeSelector.matchExpressions.operator: Invalid value: \"Is\": not a valid selector operator",
            "spec.scopeSelector.matchExpressions: Invalid value: {\"MatchExpressions\":[{\"ScopeName\":\"Foo\",…",
            "spec.scopeSelector.matchExpressions: Invalid value: null: conflicting scopes",
        ],
        "VA-310",
    );
}
