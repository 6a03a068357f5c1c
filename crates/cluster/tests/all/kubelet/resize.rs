//! In-place resizes: granted, deferred, infeasible, with and without a restart (LC-221 to LC-226), and the features
//! that a kubelet declares.

use std::sync::Arc;

use podscope_api::{Kind, Pod, Quantity};
use podscope_cluster::fault::Fault;
use podscope_cluster::{Mutation, Part, Request, SimTime, What};
use serde_json::{Value, json};

use crate::common::key;
use crate::kubelet::lab::{Lab, pod, status};

fn cpu_resources(amount: &str) -> Value {
    json!({"resources": {"requests": {"cpu": amount}, "limits": {"cpu": "4"}}})
}

/// Changes the CPU request of a pod, like `kubectl patch --subresource resize`.
fn resize_cpu(lab: &mut Lab, name: &str, amount: &'static str) {
    resize_resource(lab, name, "cpu", amount);
}

fn resize_resource(lab: &mut Lab, name: &str, resource: &'static str, amount: &'static str) {
    resize_with(lab, name, move |pod| {
        let container = &mut Arc::make_mut(&mut pod.spec.containers)[0];
        let resources = Arc::make_mut(&mut container.resources);
        let list = if resource == "cpu" {
            &mut resources.requests
        } else {
            &mut resources.limits
        };
        list.insert(resource.into(), quantity(amount));
    });
}

fn resize_with(lab: &mut Lab, name: &str, change: impl Fn(&mut Pod) + Send + Sync + 'static) {
    lab.send_request(Request::Patch {
        kind: Kind::Pod,
        key: key(name),
        uid: None,
        part: Part::Resize,
        change: Mutation::new::<Pod>("resize", change),
    });
}

fn quantity(amount: &str) -> Quantity {
    amount.parse().expect("the quantity is valid")
}

/// Returns the reason and message of a condition; None unless its status is True.
fn true_condition_reason_and_message(lab: &Lab, name: &str, kind: &str) -> Option<(String, String)> {
    let found = lab.pod(name)?.condition(kind)?.clone();
    (found.status == podscope_api::ConditionStatus::True).then(|| (found.reason.to_string(), found.message.to_string()))
}

/// Returns the resize events of `web`, as `REASON: MESSAGE`.
fn resize_events(lab: &Lab) -> Vec<String> {
    let events = lab.events().into_iter().map(|(_, event)| event);
    events.filter(|event| event.starts_with("Resize")).collect()
}

/// The container gets its new resources without a restart, and events report it.
/// Shows: L-18, K-02
#[test]
fn fitting_resize_is_applied_without_restart() {
    let mut lab = Lab::new(&[pod("web", json!({}), &[("main", cpu_resources("500m"), "")])]);
    lab.run(5.0);
    resize_cpu(&mut lab, "web", "1");
    lab.run(10.0);
    let found = status(lab.pod("web").unwrap());
    let container = &found["containerStatuses"][0];
    assert_eq!(container["resources"]["requests"]["cpu"], "1");
    assert_eq!(container["allocatedResources"]["cpu"], "1");
    assert_eq!(
        (&container["restartCount"], &found["allocatedResources"]["cpu"]),
        (&json!(0), &json!("1"))
    );
    assert_eq!(lab.pod("web").unwrap().metadata.generation, Some(2));
    let summary =
        r#"{"containers":[{"name":"main","resources":{"limits":{"cpu":"4"},"requests":{"cpu":"1"}}}],"generation":2}"#;
    assert_eq!(
        resize_events(&lab),
        [
            format!("ResizeStarted: Pod resize started: {summary}"),
            format!("ResizeCompleted: Pod resize completed: {summary}")
        ]
    );
    for kind in ["PodResizePending", "PodResizeInProgress"] {
        assert_eq!(true_condition_reason_and_message(&lab, "web", kind), None);
    }
}

/// A resize that does not fit is deferred and granted when another pod has ended; a restarted kubelet remembers it.
/// Shows: L-18
#[test]
fn deferred_resize_is_granted_when_neighbour_ends() {
    for restarts in [false, true] {
        let mut lab = Lab::new(&[
            pod("web", json!({}), &[("main", cpu_resources("500m"), "")]),
            pod(
                "neighbour",
                json!({"terminationGracePeriodSeconds": 1}),
                &[("main", cpu_resources("3"), "sigterm=0s")],
            ),
        ]);
        lab.run(5.0);
        resize_cpu(&mut lab, "web", "2");
        lab.run(8.0);
        let wanted = "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000";
        assert_eq!(
            true_condition_reason_and_message(&lab, "web", "PodResizePending"),
            Some(("Deferred".into(), wanted.into()))
        );
        let allocated = status(lab.pod("web").unwrap())["containerStatuses"][0]["allocatedResources"]["cpu"].clone();
        assert_eq!(allocated, "500m");
        assert!(
            resize_events(&lab)[0].starts_with("ResizeDeferred: Pod resize Deferred: {"),
            "{:?}",
            resize_events(&lab)
        );
        if restarts {
            for up in [false, true] {
                lab.apply_fault(Fault::Kubelet { node: "a-1".into(), up });
                lab.run(if up { 30.0 } else { 10.0 });
            }
            assert!(
                true_condition_reason_and_message(&lab, "web", "PodResizePending").is_some(),
                "the condition survives the restart"
            );
        }
        lab.delete_pod("neighbour", None);
        lab.run(45.0);
        let found = status(lab.pod("web").unwrap());
        assert_eq!(found["containerStatuses"][0]["resources"]["requests"]["cpu"], "2");
        assert_eq!(found["containerStatuses"][0]["restartCount"], 0);
        assert_eq!(true_condition_reason_and_message(&lab, "web", "PodResizePending"), None);
        assert!(
            resize_events(&lab).last().unwrap().starts_with("ResizeCompleted"),
            "{:?}",
            resize_events(&lab)
        );
    }
}

/// A resize that exceeds the node's capacity, which shrank meanwhile, is infeasible; a smaller request is granted.
/// Shows: L-18, LC-223
#[test]
fn resize_beyond_node_capacity_is_infeasible() {
    let mut lab = Lab::new(&[
        pod(
            "web",
            json!({}),
            &[("main", json!({"resources": {"requests": {"cpu": "500m"}}}), "")],
        ),
        pod(
            "neighbour",
            json!({"terminationGracePeriodSeconds": 1}),
            &[("main", cpu_resources("2"), "sigterm=0s")],
        ),
    ]);
    lab.run(5.0);
    resize_cpu(&mut lab, "web", "3");
    lab.run(8.0);
    assert_eq!(
        true_condition_reason_and_message(&lab, "web", "PodResizePending")
            .unwrap()
            .0,
        "Deferred"
    );
    lab.send_request(Request::Patch {
        kind: Kind::Node,
        key: podscope_api::ObjectKey::cluster("a-1"),
        uid: None,
        part: Part::Status,
        change: Mutation::new::<podscope_api::Node>("shrink", |node| {
            node.status.allocatable.insert("cpu".into(), quantity("2500m"));
        }),
    });
    lab.run(9.0);
    lab.delete_pod("neighbour", None);
    lab.run(20.0);
    let why = "Node didn't have enough capacity: cpu, requested: 3000, capacity: 2500";
    assert_eq!(
        true_condition_reason_and_message(&lab, "web", "PodResizePending"),
        Some(("Infeasible".into(), why.into()))
    );
    assert!(
        resize_events(&lab)
            .last()
            .unwrap()
            .starts_with("ResizeInfeasible: Pod resize Infeasible: {"),
        "{:?}",
        resize_events(&lab)
    );
    resize_cpu(&mut lab, "web", "2");
    lab.run(25.0);
    assert_eq!(true_condition_reason_and_message(&lab, "web", "PodResizePending"), None);
    let granted = status(lab.pod("web").unwrap())["allocatedResources"]["cpu"].clone();
    assert_eq!(granted, "2");
}

/// With resize policy `RestartContainer`, a higher memory limit restarts the container; it is then no longer
/// OOM-killed.
#[test]
fn resize_with_restart_container_policy_restarts_container() {
    let memory = json!({
        "resources": {"limits": {"memory": "300Mi"}},
        "resizePolicy": [{"resourceName": "memory", "restartPolicy": "RestartContainer"}],
    });
    let mut lab = Lab::new(&[pod("web", json!({}), &[("main", memory, "memory=200Mi")])]);
    lab.run(5.0);
    resize_resource(&mut lab, "web", "memory", "400Mi");
    lab.run(60.0);
    let container = status(lab.pod("web").unwrap())["containerStatuses"][0].clone();
    assert_eq!(container["restartCount"], 1);
    assert_eq!(container["resources"]["limits"]["memory"], "400Mi");
    let killing: Vec<String> = lab.events().into_iter().map(|(_, event)| event).collect();
    assert!(
        killing.contains(&"Killing: Container main resize requires restart".to_owned()),
        "{killing:?}"
    );
}

/// A raised limit saves a process that would have exceeded the old one; a limit below the present use is an error.
#[test]
fn memory_limit_resize_applies_or_fails_by_usage() {
    let memory = json!({"resources": {"requests": {"memory": "100Mi"}, "limits": {"memory": "300Mi"}}});
    let mut lab = Lab::new(&[pod(
        "web",
        json!({"restartPolicy": "Never"}),
        &[("main", memory, "memory=200Mi..400Mi@100s")],
    )]);
    lab.run(10.0);
    resize_resource(&mut lab, "web", "memory", "500Mi");
    lab.run(120.0);
    assert!(lab.times_of_kind(What::ContainerExited, SimTime::ZERO).is_empty());
    resize_resource(&mut lab, "web", "memory", "350Mi");
    // The next sync reports the error.
    lab.run(145.0);
    let used = 400 << 20;
    let why = format!(
        "attempting to set container \"main\" memory limit ({}) below current usage ({used})",
        350 << 20
    );
    assert_eq!(
        true_condition_reason_and_message(&lab, "web", "PodResizeInProgress"),
        Some(("Error".into(), why))
    );
    assert!(
        resize_events(&lab)
            .iter()
            .any(|event| event.starts_with("ResizeError: ")),
        "{:?}",
        resize_events(&lab)
    );
}

/// A kubelet rejects a pod that needs a feature which it does not have, even if the pod was bound to its node; a newer
/// kubelet admits it.
/// Shows: LC-063
#[test]
fn kubelet_without_required_feature_rejects_pod() {
    let rule = json!({
        "restartPolicy": "Never",
        "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}],
    });
    for (version, declared, phase) in [("v1.35.6", 0, "Failed"), ("v1.36.3", 4, "Running")] {
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "other"},
            "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "nodeInfo": {"kubeletVersion": version}},
        });
        let mut lab = Lab::new(&[
            node,
            pod("web", json!({"nodeName": "other"}), &[("main", rule.clone(), "")]),
        ]);
        lab.run(10.0);
        let found = status(lab.pod("web").unwrap());
        assert_eq!(found["phase"], phase, "{version}");
        let node = lab
            .world
            .objects()
            .named::<podscope_api::Node>("other")
            .unwrap()
            .clone();
        assert_eq!(node.status.declared_features.len(), declared, "{version}");
        if phase == "Failed" {
            assert_eq!(found["reason"], "PodFeatureUnsupported");
            assert_eq!(
                found["message"],
                "Pod was rejected: Pod requires node features that are not available: RestartAllContainersOnContainerExits"
            );
        }
    }
}

/// Running sidecars, and since v1.36 other running init containers, are resized too.
/// Shows: LC-222
#[test]
fn running_init_containers_are_resized() {
    let container = |more: Value| {
        let mut one = json!({"init": true, "resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "1"}}});
        for (field, value) in more.as_object().expect("extra fields are an object") {
            one[field] = value.clone();
        }
        one
    };
    for (what, extra, behavior) in [
        ("sidecar", container(json!({"restartPolicy": "Always"})), ""),
        ("plain init container", container(json!({})), "run=60s, exit=0"),
    ] {
        let mut lab = Lab::new(&[pod(
            "web",
            json!({}),
            &[("first", extra, behavior), ("main", cpu_resources("50m"), "")],
        )]);
        lab.run(5.0);
        resize_with(&mut lab, "web", |pod| {
            let first = &mut Arc::make_mut(&mut pod.spec.init_containers)[0];
            Arc::make_mut(&mut first.resources)
                .requests
                .insert("cpu".into(), quantity("300m"));
        });
        lab.run(10.0);
        let found = status(lab.pod("web").unwrap());
        let first = &found["initContainerStatuses"][0];
        assert_eq!(first["resources"]["requests"]["cpu"], "300m", "{what}");
        assert_eq!(first["allocatedResources"]["cpu"], "300m", "{what}");
        assert_eq!(first["restartCount"], 0, "{what}");
        let events = resize_events(&lab);
        assert!(
            events[0].starts_with("ResizeStarted: Pod resize started: {"),
            "{what}: {events:?}"
        );
        assert!(
            events[0].contains(r#""initContainers":[{"name":"first""#),
            "{what}: {events:?}"
        );
        assert!(events[1].starts_with("ResizeCompleted: "), "{what}: {events:?}");
        assert_eq!(events.len(), 2, "{what}: {events:?}");
    }
}

/// Pod-level resources are resized like those of containers; while a resize is deferred, the old ones apply.
/// Shows: LC-222, LC-226
#[test]
fn pod_level_resources_are_resized() {
    let pod_level = |amount: &str| json!({"resources": {"requests": {"cpu": amount}, "limits": {"cpu": "4"}}});
    let mut lab = Lab::new(&[
        pod("web", pod_level("1"), &[("main", json!({}), "")]),
        pod(
            "neighbour",
            json!({"terminationGracePeriodSeconds": 1}),
            &[("main", cpu_resources("2"), "sigterm=0s")],
        ),
    ]);
    let request = |lab: &mut Lab, amount: &'static str| {
        resize_with(lab, "web", move |pod| {
            let own = pod.spec.resources.as_mut().expect("the pod has resources");
            Arc::make_mut(own).requests.insert("cpu".into(), quantity(amount));
        });
    };
    let cpu_of_pod = |lab: &Lab| {
        let found = status(lab.pod("web").unwrap());
        let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
        (
            text(&found["allocatedResources"]["cpu"]),
            text(&found["resources"]["requests"]["cpu"]),
        )
    };
    let both = |amount: &str| (amount.to_owned(), amount.to_owned());
    lab.run(5.0);
    assert_eq!(cpu_of_pod(&lab), both("1"));
    request(&mut lab, "2");
    lab.run(10.0);
    assert_eq!(cpu_of_pod(&lab), both("2"));
    assert_eq!(
        status(lab.pod("web").unwrap())["containerStatuses"][0]["restartCount"],
        0
    );
    request(&mut lab, "3");
    lab.run(15.0);
    let why = "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000";
    assert_eq!(
        true_condition_reason_and_message(&lab, "web", "PodResizePending"),
        Some(("Deferred".into(), why.into()))
    );
    assert_eq!(cpu_of_pod(&lab), both("2"));
    lab.delete_pod("neighbour", None);
    lab.run(30.0);
    assert_eq!(cpu_of_pod(&lab), both("3"));
    let kinds: Vec<String> = resize_events(&lab)
        .iter()
        .filter_map(|line| Some(line.split_once(':')?.0.to_owned()))
        .collect();
    assert_eq!(
        kinds,
        [
            "ResizeStarted",
            "ResizeCompleted",
            "ResizeDeferred",
            "ResizeStarted",
            "ResizeCompleted"
        ]
    );
}

/// A resize requested while the kubelet is down is granted when it is back, without a restart.
/// Shows: LC-221, LC-223
#[test]
fn resize_without_kubelet_is_granted_after_restart() {
    let mut lab = Lab::new(&[pod("web", json!({}), &[("main", cpu_resources("500m"), "")])]);
    let applied_cpu = |lab: &Lab| {
        let container = status(lab.pod("web").unwrap())["containerStatuses"][0].clone();
        assert_eq!(container["restartCount"], 0);
        container["resources"]["requests"]["cpu"].clone()
    };
    let kubelet = |lab: &mut Lab, up: bool| lab.apply_fault(Fault::Kubelet { node: "a-1".into(), up });
    lab.run(5.0);
    kubelet(&mut lab, false);
    lab.run(6.0);
    resize_cpu(&mut lab, "web", "1");
    lab.run(20.0);
    assert_eq!((applied_cpu(&lab), resize_events(&lab).len()), (json!("500m"), 0));
    kubelet(&mut lab, true);
    lab.run(40.0);
    assert_eq!(applied_cpu(&lab), "1");
    // Another restart changes nothing: no container restarts, and no event is repeated.
    kubelet(&mut lab, false);
    lab.run(45.0);
    kubelet(&mut lab, true);
    lab.run(70.0);
    assert_eq!(applied_cpu(&lab), "1");
    let kinds: Vec<String> = resize_events(&lab)
        .iter()
        .filter_map(|line| Some(line.split_once(':')?.0.to_owned()))
        .collect();
    assert_eq!(kinds, ["ResizeStarted", "ResizeCompleted"]);
    for kind in ["PodResizePending", "PodResizeInProgress"] {
        assert_eq!(true_condition_reason_and_message(&lab, "web", kind), None);
    }
}
