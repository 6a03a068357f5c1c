//! Updates of the status subresource (VA-356).

use podscope_api::{Object, parse, validate_status_update};

use super::assert_errors;

fn parse_object(manifest: &str, status: &str) -> Object {
    let manifest = manifest.strip_suffix('}').expect("an object in braces");
    let parsed = parse(&format!("{manifest}, status: {status}}}"));
    assert_eq!(parsed.problems, [], "{manifest} {status}");
    parsed.objects.last().expect("an object").value.clone()
}

/// Asserts the errors of an update of the object in `manifest` that replaces the status `old` by `new`.
fn check_status_update(manifest: &str, old: &str, new: &str, expected: &[&str]) {
    let problems = validate_status_update(&parse_object(manifest, old), &parse_object(manifest, new));
    let got: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_errors(&got, expected, &format!("{manifest} {new}"));
}

/// Shows: VA-356
#[test]
fn invalid_status_updates_are_refused() {
    let node = "{apiVersion: v1, kind: Node, metadata: {name: x}}";
    let claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: x, namespace: d}}";
    let balanced = "{apiVersion: v1, kind: Service, metadata: {name: x, namespace: d}, spec: {type: LoadBalancer}}";
    let budget = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x, namespace: d}}";
    let rows: [(&str, &str, &[&str]); 16] = [
        (
            node,
            "{capacity: {cpu: -1}, addresses: [{type: InternalIP, address: a}, {type: InternalIP, address: a}]}",
            &[
                "status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal to 0",
                "status.addresses[1]: Duplicate value: {\"Type\":\"InternalIP\",\"Address\":\"a\"}",
            ],
        ),
        (
            node,
            "{addresses: [{type: InternalIP, address: a}, {type: Hostname, address: a}]}",
            &[],
        ),
        (
            "{apiVersion: v1, kind: Namespace, metadata: {name: x}}",
            "{phase: Terminating}",
            &["status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"],
        ),
        (
            "{apiVersion: v1, kind: Namespace, metadata: {name: x, deletionTimestamp: \"2026-01-01T00:00:00Z\"}}",
            "{phase: Active}",
            &["status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty"],
        ),
        (
            claim,
            "{capacity: {storage: -1Gi}, allocatedResources: {storage: -1}}",
            &[
                "status.capacity[storage]: Invalid value: -1073741824: must be a valid resource quantity",
                "status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity",
            ],
        ),
        (
            claim,
            "{capacity: {storage: 1Gi}, conditions: [{type: Resizing, status: Perhaps}]}",
            &[],
        ),
        (
            "{apiVersion: v1, kind: Service, metadata: {name: x, namespace: d}, spec: {type: ClusterIP}}",
            "{loadBalancer: {ingress: [{ip: 192.0.2.1}]}}",
            &["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is \"LoadBalancer\""],
        ),
        (
            balanced,
            "{loadBalancer: {ingress: [{ip: 192.0.2.1}, {ip: a}, {hostname: 192.0.2.1}]}}",
            &[
                "status.loadBalancer.ingress[1].ip: Invalid value: \"a\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "status.loadBalancer.ingress[2].hostname: Invalid value: \"192.0.2.1\": must be a DNS name, not an IP address",
            ],
        ),
        (
            balanced,
            "{loadBalancer: {ingress: [{ip: 192.0.2.1}, {hostname: a.example.com}]}}",
            &[],
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: d}}",
            "{podIPs: [{ip: a}], hostIP: \"2001:db8::1\", hostIPs: [{ip: \"2001:db8::1\"}, {ip: b}]}",
            &[
                "status.podIPs[0]: Invalid value: \"a\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "status.hostIPs[1]: Invalid value: \"b\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "status.hostIPs: Internal error: failed to check for dual stack with error:invalid IP[1]: <nil>",
                "status.hostIPs: Invalid value: [{\"IP\":\"2001:db8::1\"},{\"IP\":\"b\"}]: may specify no more than one IP \
                 for each IP family",
            ],
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: d}, spec: {resourceClaims: [{name: gpu}]}}",
            "{podIPs: [{ip: a}], resourceClaimStatuses: [{name: gpu, resourceClaimName: A}, {name: gpu}, {name: b}]}",
            &[
                "status.resourceClaimStatuses[0].name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must…",
                "status.resourceClaimStatuses[1].name: Duplicate value: \"gpu\"",
                "status.resourceClaimStatuses[2].name: Invalid value: \"b\": must match the name of an entry in \
                 `spec.resourceClaims`",
                "status.podIPs[0]: Invalid value: \"a\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
            ],
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: d}}",
            "{podIPs: [{ip: 10.0.0.1}, {ip: 10.0.0.2}], hostIP: 10.1.1.1, hostIPs: [{ip: 10.1.1.2}]}",
            &[
                "status.podIPs: Invalid value: [{\"IP\":\"10.0.0.1\"},{\"IP\":\"10.0.0.2\"}]: may specify no more than one IP for \
                 each IP family",
                "status.hostIPs[0].ip: Invalid value: \"10.1.1.2\": must be equal to `hostIP`",
            ],
        ),
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: d}}",
            "{podIPs: [{ip: 10.0.0.1}, {ip: \"fd00::1\"}], hostIP: 10.1.1.1, hostIPs: [{ip: 10.1.1.1}]}",
            &[],
        ),
        (
            budget,
            "{conditions: [{type: a, status: \"True\", reason: x y}]}",
            &[
                "status.conditions[0].lastTransitionTime: Required value: must be set",
                "status.conditions[0].reason: Invalid value: \"x y\": a condition reason must start with…",
            ],
        ),
        (
            budget,
            "{conditions: [{type: a, status: \"True\", reason: \"a:\", lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}",
            &["status.conditions[0].reason: Invalid value: \"a:\": a condition reason must start with…"],
        ),
        (
            budget,
            "{conditions: [{type: a, status: \"True\", reason: \"A,b:c_\", lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}",
            &[],
        ),
    ];
    for (manifest, status, expected) in rows {
        check_status_update(manifest, "{}", status, expected);
    }
}

/// Shows: VA-179
#[test]
fn restart_of_ended_ephemeral_container_is_refused() {
    let status = |state: &str| format!("{{ephemeralContainerStatuses: [{{name: debug, state: {{{state}}}}}]}}");
    check_status_update(
        "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: d}, spec: {restartPolicy: Always}}",
        &status("terminated: {exitCode: 1}"),
        &status("running: {}"),
        &["status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"],
    );
}

/// Shows: VA-356
#[test]
fn inconsistent_job_status_is_refused() {
    let manifest = "{apiVersion: batch/v1, kind: Job, metadata: {name: x, namespace: d}}";
    let running = "{active: 1, failed: 1, startTime: \"2026-01-01T00:00:00Z\"}";
    let done = "{failed: 1, succeeded: 1, startTime: \"2026-01-01T00:00:00Z\", completionTime: \"2026-01-01T00:00:05Z\", \
                conditions: [{type: SuccessCriteriaMet, status: \"True\"}, {type: Complete, status: \"True\"}]}";
    check_status_update(manifest, running, done, &[]);
    check_status_update(
        manifest,
        running,
        "{active: 1, failed: 1, conditions: [{type: Complete, status: \"True\"}, {type: Failed, status: \"True\"}]}",
        &[
            "status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions",
            "status.completionTime: Required value: completionTime is required for Complete jobs",
            "status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition",
            "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
            "status.active: Invalid value: 1: active>0 is invalid for finished job",
            "status.startTime: Required value: startTime is required for finished job",
        ],
    );
    check_status_update(
        manifest,
        running,
        "{active: 1, ready: 2, startTime: \"2026-01-01T00:00:00Z\", completionTime: \"2025-01-01T00:00:00Z\"}",
        &[
            "status.completionTime: Invalid value: \"2025-01-01T00:00:00Z\": cannot set completionTime when there is no Complete=True condition",
            "status.completionTime: Invalid value: \"2025-01-01T00:00:00Z\": completionTime cannot be set before startTime",
            "status.ready: Invalid value: 2: cannot set more ready pods than active",
            "status.failed: Invalid value: 0: cannot decrease the failed counter",
        ],
    );
    check_status_update(
        manifest,
        done,
        &done.replace("00:05Z", "00:06Z").replace("Complete", "Other"),
        &[
            "status.completionTime: Invalid value: \"2026-01-01T00:00:06Z\": cannot set completionTime when there is no Complete=True condition",
            "status.conditions: Invalid value: cannot disable the terminal Complete=True condition",
            "status.completionTime: Invalid value: \"2026-01-01T00:00:06Z\": completionTime cannot be mutated",
        ],
    );
    // An invalid status may be written again unchanged: only changes are checked.
    let wrong = "{active: 1, conditions: [{type: Failed, status: \"True\"}]}";
    check_status_update(manifest, wrong, wrong, &[]);
}
