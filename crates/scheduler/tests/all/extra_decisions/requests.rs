//! Tests of decisions about resource requests: huge pages, extended resources, pod-level requests, sidecars, in-place
//! resizes.

use serde_json::{Value, json};

use crate::extra_decisions::{Row, check_rows, decide_case, merged, new_pod, node, nodes_a_and_b, pod_on};

fn container(name: &str, cpu: &str) -> Value {
    json!({"name": name, "image": "i", "resources": {"requests": {"cpu": cpu}}})
}

fn sidecar(name: &str, cpu: &str) -> Value {
    merged(container(name, cpu), &json!({"restartPolicy": "Always"}))
}

fn with_containers(containers: Value, inits: Value, more: Value) -> Value {
    json!({"spec": merged(json!({"containers": containers, "initContainers": inits}), &more)})
}

/// Returns the status of a container with its granted (`allocatedResources`) and actual (`resources`) cpu requests.
fn container_status(name: &str, allocated: &str, actual: &str) -> Value {
    json!({"name": name, "allocatedResources": {"cpu": allocated}, "resources": {"requests": {"cpu": actual}}})
}

/// Returns the status of a pod with its containers and the reason of a pending resize (empty if there is none).
fn pod_status(containers: Value, inits: Value, pending_reason: &str) -> Value {
    let conditions = match pending_reason {
        "" => json!([]),
        reason => json!([{"type": "PodResizePending", "status": "True", "reason": reason}]),
    };
    json!({"status": {"containerStatuses": containers, "initContainerStatuses": inits, "conditions": conditions}})
}

fn pod_level_request(cpu: &str) -> Value {
    json!({"resources": {"requests": {"cpu": cpu}}})
}

/// Returns the status of a pod with pod-level resources.
fn pod_level_status(allocated: &str, actual: &str) -> Value {
    json!({"status": {"allocatedResources": {"cpu": allocated}, "resources": {"requests": {"cpu": actual}}}})
}

/// Each row gives the cpu that the running pod uses. A new pod that requests exactly the remaining cpu of the node fits;
/// a pod that requests 1m more does not.
/// Shows: SCH-050, SCH-052
#[test]
fn running_pod_uses_maximum_of_requested_allocated_actual() {
    let one = |amount: &str| with_containers(json!([container("c", amount)]), json!([]), json!({}));
    let pair = || with_containers(json!([container("c", "1"), container("d", "2")]), json!([]), json!({}));
    let none = || json!([]);
    let rows = [
        ("requests of the spec", one("1"), json!({}), 1000),
        (
            "actual request is larger",
            one("1"),
            pod_status(json!([container_status("c", "1", "3")]), none(), ""),
            3000,
        ),
        (
            "allocated request is larger",
            one("1"),
            pod_status(json!([container_status("c", "2", "1")]), none(), ""),
            2000,
        ),
        (
            "resize deferred",
            one("3"),
            pod_status(json!([container_status("c", "1", "1")]), none(), "Deferred"),
            3000,
        ),
        (
            "resize infeasible",
            one("3"),
            pod_status(json!([container_status("c", "1", "2")]), none(), "Infeasible"),
            2000,
        ),
        (
            "a status without resources",
            one("1"),
            pod_status(json!([{"name": "c", "allocatedResources": {"cpu": "3"}}]), none(), ""),
            1000,
        ),
        (
            "maximum per container, then summed",
            pair(),
            pod_status(
                json!([container_status("c", "2", "2"), container_status("d", "1", "1")]),
                none(),
                "Deferred",
            ),
            4000,
        ),
        (
            "status counts for a sidecar, not for other init containers",
            with_containers(
                json!([container("c", "1")]),
                json!([sidecar("s", "500m"), container("i", "100m")]),
                json!({}),
            ),
            pod_status(
                none(),
                json!([container_status("s", "1", "1"), container_status("i", "4", "4")]),
                "",
            ),
            2000,
        ),
        (
            "init container runs beside earlier sidecars",
            with_containers(
                json!([container("c", "1")]),
                json!([sidecar("s", "500m"), container("i", "3")]),
                json!({}),
            ),
            json!({}),
            3500,
        ),
        (
            "init container runs before the sidecars",
            with_containers(
                json!([container("c", "1")]),
                json!([container("i", "3"), sidecar("s", "500m")]),
                json!({}),
            ),
            json!({}),
            3000,
        ),
        (
            "pod overhead is added",
            with_containers(
                json!([container("c", "1")]),
                none(),
                json!({"overhead": {"cpu": "250m"}}),
            ),
            json!({}),
            1250,
        ),
        (
            "pod-level request above the sum of containers",
            with_containers(json!([container("c", "1")]), none(), pod_level_request("2")),
            json!({}),
            2000,
        ),
        (
            "pod-level request below the sum of containers",
            with_containers(json!([container("c", "3")]), none(), pod_level_request("2")),
            json!({}),
            2000,
        ),
        (
            "pod-level, actual request is larger",
            with_containers(json!([container("c", "1")]), none(), pod_level_request("1")),
            pod_level_status("1", "3"),
            3000,
        ),
        (
            "pod-level, allocated request is larger",
            with_containers(json!([container("c", "1")]), none(), pod_level_request("1")),
            pod_level_status("2", "1"),
            2000,
        ),
        (
            "pod-level, resize infeasible",
            with_containers(json!([container("c", "1")]), none(), pod_level_request("4")),
            merged(
                pod_status(none(), none(), "Infeasible"),
                &pod_level_status("1", "1500m"),
            ),
            1500,
        ),
        (
            "pod-level status includes overhead, which is added again",
            with_containers(
                json!([container("c", "1")]),
                none(),
                merged(pod_level_request("1"), &json!({"overhead": {"cpu": "500m"}})),
            ),
            pod_level_status("1500m", "1500m"),
            2000,
        ),
        (
            "pod-level status without pod-level request is ignored",
            with_containers(json!([container("c", "1")]), none(), json!({})),
            pod_level_status("3", "3"),
            1000,
        ),
    ];
    for (what, spec, status, used) in rows {
        let objects = [node("a", json!({})), pod_on("a", "old", merged(spec, &status))];
        for (more, wanted) in [(0, "a ok"), (1, "a: Insufficient cpu")] {
            // If the running pod uses all of the cpu, the new pod that fits requests 0m.
            let request = 4000 - used + more;
            let got = crate::extra_decisions::format_decision(
                &objects,
                &new_pod(crate::extra_decisions::cpu_request(&format!("{request}m"))),
            );
            assert_eq!(got, wanted, "{what}, a new pod of {request}m");
        }
    }
}

/// Shows: SCH-051, SCH-053, SCH-054
#[test]
fn status_lists_all_insufficient_resources() {
    let has = |more: Value| json!({"status": {"allocatable": more}});
    let asks =
        |list: Value| json!({"spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": list}}]}});
    let huge = || {
        node(
            "a",
            has(json!({"hugepages-2Mi": "4Mi", "example.com/gpu": "2", "ephemeral-storage": "1Gi"})),
        )
    };
    let rows: Vec<Row<'_>> = vec![
        (
            "huge pages on one node only",
            vec![huge(), node("b", json!({}))],
            new_pod(asks(json!({"hugepages-2Mi": "2Mi"}))),
            "a ok; b! Insufficient hugepages-2Mi",
        ),
        (
            "huge pages in use",
            vec![huge(), pod_on("a", "old", asks(json!({"hugepages-2Mi": "4Mi"})))],
            new_pod(asks(json!({"hugepages-2Mi": "2Mi"}))),
            "a: Insufficient hugepages-2Mi",
        ),
        (
            "devices in use",
            vec![huge(), pod_on("a", "old", asks(json!({"example.com/gpu": "1"})))],
            new_pod(asks(json!({"example.com/gpu": "2", "cpu": "1"}))),
            "a: Insufficient example.com/gpu",
        ),
        (
            "request of 0 devices",
            vec![node("b", json!({}))],
            new_pod(asks(json!({"example.com/gpu": "0"}))),
            "b ok",
        ),
        (
            "all reasons in kube-scheduler's order",
            vec![node("a", has(json!({"pods": "0", "ephemeral-storage": "1Gi"})))],
            new_pod(asks(json!({"ephemeral-storage": "2Gi", "memory": "9Gi", "cpu": "5"}))),
            "a! Too many pods, Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage",
        ),
        (
            "no free pod slot for a pod without requests",
            vec![node("a", has(json!({"pods": "0"})))],
            new_pod(json!({})),
            "a: Too many pods",
        ),
        (
            "unknown resource name is ignored",
            vec![node("a", json!({}))],
            new_pod(asks(json!({"tokens": "5"}))),
            "a ok",
        ),
        (
            "overcommitted resource does not matter if not requested",
            vec![node("a", json!({})), pod_on("a", "old", asks(json!({"cpu": "6"})))],
            new_pod(asks(json!({"memory": "1Gi"}))),
            "a ok",
        ),
        (
            "pod-level request of huge pages",
            vec![huge(), node("b", json!({}))],
            new_pod(json!({"spec": {"resources": {"requests": {"hugepages-2Mi": "4Mi", "cpu": "1"}}}})),
            "a ok; b! Insufficient hugepages-2Mi",
        ),
    ];
    check_rows(rows);
}

/// Pod-level requests affect the score of NodeResourcesBalancedAllocation, but not the score of NodeResourcesFit.
/// Shows: SCH-057, SCH-107
#[test]
fn pod_level_requests_affect_only_balanced_allocation_score() {
    let asks = new_pod(with_containers(
        json!([{"name": "c", "image": "i"}]),
        json!([]),
        pod_level_request("2"),
    ));
    let got = decide_case(&nodes_a_and_b(), &asks, &Value::Null);
    let scores = json!({
        "TaintToleration": 300, "NodeResourcesFit": 97, "NodeResourcesBalancedAllocation": 62, "DynamicResources": 0,
        "ImageLocality": 0,
    });
    assert_eq!(got["scores"], json!({"a": scores, "b": scores}));
}
