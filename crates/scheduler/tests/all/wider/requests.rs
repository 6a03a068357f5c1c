//! What pods ask for and what they take: huge pages, extended resources, pods as a whole, sidecars, resizes.

use serde_json::{Value, json};

use crate::wider::{Row, check, decided, merged, new, node, on, two};

fn container(name: &str, amount: &str) -> Value {
    json!({"name": name, "image": "i", "resources": {"requests": {"cpu": amount}}})
}

fn sidecar(name: &str, amount: &str) -> Value {
    merged(container(name, amount), &json!({"restartPolicy": "Always"}))
}

fn spec(containers: Value, inits: Value, more: Value) -> Value {
    json!({"spec": merged(json!({"containers": containers, "initContainers": inits}), &more)})
}

/// Of a container: granted and in force.
fn status(name: &str, granted: &str, in_force: &str) -> Value {
    json!({"name": name, "allocatedResources": {"cpu": granted}, "resources": {"requests": {"cpu": in_force}}})
}

/// Of a pod: its containers, and the reason for which a resize waits.
fn reported(containers: Value, inits: Value, waits: &str) -> Value {
    let waits = match waits {
        "" => json!([]),
        reason => json!([{"type": "PodResizePending", "status": "True", "reason": reason}]),
    };
    json!({"status": {"containerStatuses": containers, "initContainerStatuses": inits, "conditions": waits}})
}

fn whole(amount: &str) -> Value {
    json!({"resources": {"requests": {"cpu": amount}}})
}

/// Of a pod as a whole.
fn whole_status(granted: &str, in_force: &str) -> Value {
    json!({"status": {"allocatedResources": {"cpu": granted}, "resources": {"requests": {"cpu": in_force}}}})
}

/// A new pod fits beside it that asks for exactly the rest, and none that asks for more.
/// Shows: SCH-050, SCH-052
#[test]
fn a_running_pod_takes_the_larger_of_what_is_asked_for_granted_and_in_force() {
    let one = |amount: &str| spec(json!([container("c", amount)]), json!([]), json!({}));
    let pair = || spec(json!([container("c", "1"), container("d", "2")]), json!([]), json!({}));
    let none = || json!([]);
    let rows = [
        ("its requests", one("1"), json!({}), 1000),
        (
            "still in force",
            one("1"),
            reported(json!([status("c", "1", "3")]), none(), ""),
            3000,
        ),
        (
            "granted, not yet in force",
            one("1"),
            reported(json!([status("c", "2", "1")]), none(), ""),
            2000,
        ),
        (
            "asked for and put off",
            one("3"),
            reported(json!([status("c", "1", "1")]), none(), "Deferred"),
            3000,
        ),
        (
            "asked for in vain",
            one("3"),
            reported(json!([status("c", "1", "2")]), none(), "Infeasible"),
            2000,
        ),
        (
            "a status without resources",
            one("1"),
            reported(json!([{"name": "c", "allocatedResources": {"cpu": "3"}}]), none(), ""),
            1000,
        ),
        (
            "container by container, not in sum",
            pair(),
            reported(
                json!([status("c", "2", "2"), status("d", "1", "1")]),
                none(),
                "Deferred",
            ),
            4000,
        ),
        (
            "a sidecar as it is, another init container as it asks",
            spec(
                json!([container("c", "1")]),
                json!([sidecar("s", "500m"), container("i", "100m")]),
                json!({}),
            ),
            reported(none(), json!([status("s", "1", "1"), status("i", "4", "4")]), ""),
            2000,
        ),
        (
            "an init container beside the sidecars before it",
            spec(
                json!([container("c", "1")]),
                json!([sidecar("s", "500m"), container("i", "3")]),
                json!({}),
            ),
            json!({}),
            3500,
        ),
        (
            "an init container before the sidecars",
            spec(
                json!([container("c", "1")]),
                json!([container("i", "3"), sidecar("s", "500m")]),
                json!({}),
            ),
            json!({}),
            3000,
        ),
        (
            "with its overhead",
            spec(
                json!([container("c", "1")]),
                none(),
                json!({"overhead": {"cpu": "250m"}}),
            ),
            json!({}),
            1250,
        ),
        (
            "as a whole, more than its containers",
            spec(json!([container("c", "1")]), none(), whole("2")),
            json!({}),
            2000,
        ),
        (
            "as a whole, less than its containers",
            spec(json!([container("c", "3")]), none(), whole("2")),
            json!({}),
            2000,
        ),
        (
            "as a whole, still in force",
            spec(json!([container("c", "1")]), none(), whole("1")),
            whole_status("1", "3"),
            3000,
        ),
        (
            "as a whole, granted",
            spec(json!([container("c", "1")]), none(), whole("1")),
            whole_status("2", "1"),
            2000,
        ),
        (
            "as a whole, asked for in vain",
            spec(json!([container("c", "1")]), none(), whole("4")),
            merged(reported(none(), none(), "Infeasible"), &whole_status("1", "1500m")),
            1500,
        ),
        (
            "as a whole, its overhead twice",
            spec(
                json!([container("c", "1")]),
                none(),
                merged(whole("1"), &json!({"overhead": {"cpu": "500m"}})),
            ),
            whole_status("1500m", "1500m"),
            2000,
        ),
        (
            "the status of a pod that asks for nothing as a whole",
            spec(json!([container("c", "1")]), none(), json!({})),
            whole_status("3", "3"),
            1000,
        ),
    ];
    for (what, spec, status, taken) in rows {
        let objects = [node("a", json!({})), on("a", "old", merged(spec, &status))];
        for (more, wanted) in [(0, "a ok"), (1, "a: Insufficient cpu")] {
            // Where nothing is left, only a pod that asks for nothing fits.
            let asked = 4000 - taken + more;
            let got = crate::wider::told(&objects, &new(crate::wider::cpu(&format!("{asked}m"))));
            assert_eq!(got, wanted, "{what}, a new pod of {asked}m");
        }
    }
}

/// Shows: SCH-051, SCH-053, SCH-054
#[test]
fn every_resource_that_is_short_is_named() {
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
            "huge pages that one node has",
            vec![huge(), node("b", json!({}))],
            new(asks(json!({"hugepages-2Mi": "2Mi"}))),
            "a ok; b! Insufficient hugepages-2Mi",
        ),
        (
            "huge pages in use",
            vec![huge(), on("a", "old", asks(json!({"hugepages-2Mi": "4Mi"})))],
            new(asks(json!({"hugepages-2Mi": "2Mi"}))),
            "a: Insufficient hugepages-2Mi",
        ),
        (
            "devices in use",
            vec![huge(), on("a", "old", asks(json!({"example.com/gpu": "1"})))],
            new(asks(json!({"example.com/gpu": "2", "cpu": "1"}))),
            "a: Insufficient example.com/gpu",
        ),
        (
            "none of a device",
            vec![node("b", json!({}))],
            new(asks(json!({"example.com/gpu": "0"}))),
            "b ok",
        ),
        (
            "all in Kubernetes' order",
            vec![node("a", has(json!({"pods": "0", "ephemeral-storage": "1Gi"})))],
            new(asks(json!({"ephemeral-storage": "2Gi", "memory": "9Gi", "cpu": "5"}))),
            "a! Too many pods, Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage",
        ),
        (
            "no place for one that asks for nothing",
            vec![node("a", has(json!({"pods": "0"})))],
            new(json!({})),
            "a: Too many pods",
        ),
        (
            "a name that the scheduler extension_points not know",
            vec![node("a", json!({}))],
            new(asks(json!({"tokens": "5"}))),
            "a ok",
        ),
        (
            "an overcommitted node takes what asks for nothing of it",
            vec![node("a", json!({})), on("a", "old", asks(json!({"cpu": "6"})))],
            new(asks(json!({"memory": "1Gi"}))),
            "a ok",
        ),
        (
            "huge pages of the pod as a whole",
            vec![huge(), node("b", json!({}))],
            new(json!({"spec": {"resources": {"requests": {"hugepages-2Mi": "4Mi", "cpu": "1"}}}})),
            "a ok; b! Insufficient hugepages-2Mi",
        ),
    ];
    check(rows);
}

/// What the pod asks for as a whole counts in Balanced, and not in Fit's score.
/// Shows: SCH-057, SCH-107
#[test]
fn requests_of_a_whole_pod_are_scored_by_one_plugin_only() {
    let asks = new(spec(json!([{"name": "c", "image": "i"}]), json!([]), whole("2")));
    let got = decided(&two(), &asks, &Value::Null);
    let scores = json!({
        "TaintToleration": 300, "NodeResourcesFit": 97, "NodeResourcesBalancedAllocation": 62, "DynamicResources": 0,
        "ImageLocality": 0,
    });
    assert_eq!(got["scores"], json!({"a": scores, "b": scores}));
}
