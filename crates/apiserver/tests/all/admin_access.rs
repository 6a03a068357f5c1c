//! Tests of admin access to devices, which depends on a label of the namespace.

use crate::{create, server};

/// Shows: DRA-036, DRA-288
#[test]
fn admin_access_needs_the_namespace_label() {
    let labelled = "{apiVersion: v1, kind: Namespace, metadata: {name: ops, labels: {resource.kubernetes.io/admin-access: \"true\"}}}";
    let other = "{apiVersion: v1, kind: Namespace, metadata: {name: half, labels: {resource.kubernetes.io/admin-access: \"yes\"}}}";
    let mut server = server();
    for namespace in [labelled, other] {
        create(&mut server, namespace).expect("a namespace");
    }
    let devices = "devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}, {name: b, exactly: {deviceClassName: gpu, \
                   adminAccess: true}}]}";
    for (kind, spec) in [
        ("ResourceClaim", format!("{{{devices}}}")),
        ("ResourceClaimTemplate", format!("{{spec: {{{devices}}}}}")),
    ] {
        for (namespace, is_refused) in [("default", true), ("half", true), ("ops", false)] {
            let text = format!(
                "{{apiVersion: resource.k8s.io/v1, kind: {kind}, metadata: {{name: c, namespace: {namespace}}}, spec: {spec}}}"
            );
            let answer = create(&mut server, &text);
            let message = format!(
                "{kind}.resource.k8s.io \"c\" is invalid: spec.devices.requests[1].adminAccess: Forbidden: admin access to \
                 devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"
            );
            assert_eq!(answer.err(), is_refused.then_some(message), "{kind} in {namespace}");
        }
    }
}
