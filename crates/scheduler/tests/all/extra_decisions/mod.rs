//! Tests of decisions on clusters that the conformance corpora do not contain. Each row has a cluster, a pod, and the
//! result of kube-scheduler v1.36.3.

use podscope_scheduler::cases::run_case;
use serde_json::{Value, json};

mod placement;
mod preemption;
mod requests;
mod volumes;

/// Merges `more` into `into`; objects are merged recursively.
fn merge(into: &mut Value, more: &Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (key, value) in more {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more.clone(),
    }
}

fn merged(mut base: Value, more: &Value) -> Value {
    merge(&mut base, more);
    base
}

/// Returns a node with 4 cpu, 8Gi of memory and 110 pods, labelled with its name.
fn node(name: &str, more: Value) -> Value {
    let base = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
    });
    merged(base, &more)
}

/// Returns a node with an additional label.
fn labelled_node(name: &str, key: &str, value: &str) -> Value {
    node(name, json!({"metadata": {"labels": {key: value}}}))
}

fn node_in_zone(name: &str, zone: &str) -> Value {
    labelled_node(name, "topology.kubernetes.io/zone", zone)
}

fn nodes_a_and_b() -> Vec<Value> {
    vec![node("a", json!({})), node("b", json!({}))]
}

fn pod(name: &str, more: Value) -> Value {
    let base = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {"schedulerName": "default-scheduler", "containers": [{"name": "c", "image": "i"}]},
    });
    merged(base, &more)
}

/// Returns a pod bound to a node.
fn pod_on(node: &str, name: &str, more: Value) -> Value {
    pod(name, merged(json!({"spec": {"nodeName": node}}), &more))
}

/// Returns the pod to schedule.
fn new_pod(more: Value) -> Value {
    pod("new", more)
}

fn cpu_request(amount: &str) -> Value {
    json!({"spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": amount}}}]}})
}

fn decide_case(objects: &[Value], pod: &Value, config: &Value) -> Value {
    run_case(&json!({"objects": objects, "pod": pod, "config": config})).expect("a readable case")
}

/// Formats a decision: `a ok`, `b: reason, reason`, `c! reason` (preemption does not help), or the rejection of the pod
/// itself; then the result of the preemption.
fn format_decision(objects: &[Value], pod: &Value) -> String {
    let got = decide_case(objects, pod, &Value::Null);
    let reasons = |status: &Value| -> String {
        let list = status["reasons"].as_array().expect("reasons");
        let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
        let mark = if status["code"] == "Unschedulable" { ':' } else { '!' };
        format!("{mark} {}", texts.join(", "))
    };
    let mut lines = Vec::new();
    if let Some(error) = got["error"].as_str() {
        lines.push(error.to_owned());
    }
    if !got["preFilter"].is_null() {
        let plugin = got["preFilter"]["plugin"].as_str().unwrap_or_default();
        lines.push(format!("{plugin}{}", reasons(&got["preFilter"])));
    }
    for object in objects.iter().filter(|object| object["kind"] == "Node") {
        let name = object["metadata"]["name"].as_str().expect("a name");
        let status = &got["filter"][name];
        if !status.is_null() {
            lines.push(format!("{name}{}", reasons(status)));
        } else if got["feasible"]
            .as_array()
            .is_some_and(|list| list.contains(&json!(name)))
        {
            lines.push(format!("{name} ok"));
        }
    }
    if let Some(text) = got["preemption"]["notEligible"].as_str() {
        lines.push(text.to_owned());
    }
    for (name, candidate) in got["preemption"]["candidates"].as_object().into_iter().flatten() {
        let victims: Vec<&str> = candidate["victims"]
            .as_array()
            .expect("victims")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let against = match candidate["pdbViolations"].as_u64() {
            Some(0) | None => String::new(),
            Some(n) => format!(" ({n} against a budget)"),
        };
        let is_best = got["preemption"]["nominated"]
            .as_array()
            .is_some_and(|list| list.contains(&json!(name)));
        let best = if is_best { "*" } else { "" };
        lines.push(format!(
            "{name}{best} without {}{against}",
            victims.join(" ").replace("default/", "")
        ));
    }
    lines.join("; ")
}

/// A row of a test: description, objects of the cluster, pod, expected result.
type Row<'a> = (&'a str, Vec<Value>, Value, &'a str);

#[track_caller]
fn check_rows(rows: Vec<Row<'_>>) {
    let mut wrong = Vec::new();
    for (what, objects, pod, wanted) in rows {
        let got = format_decision(&objects, &pod);
        if got != wanted {
            wrong.push(format!("{what}:\n  got      {got}\n  expected {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
