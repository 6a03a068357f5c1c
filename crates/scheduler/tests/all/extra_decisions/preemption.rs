//! Tests of decisions with preemption: victims, node, disruption budgets, messages.

use serde_json::{Value, json};

use crate::extra_decisions::{Row, check_rows, cpu_request, decide_case, merged, new_pod, node, nodes_a_and_b, pod_on};

fn labelled_pod_on(node: &str, name: &str, labels: Value, started: &str, cpu: &str) -> Value {
    let more = json!({"metadata": {"labels": labels}, "status": {"startTime": started}});
    pod_on(node, name, merged(cpu_request(cpu), &more))
}

fn disruption_budget(name: &str, labels: Value, allowed: i64, disrupted: Value) -> Value {
    json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels}},
        "status": {"disruptionsAllowed": allowed, "disruptedPods": disrupted},
    })
}

fn urgent_pod(cpu: &str) -> Value {
    new_pod(merged(json!({"spec": {"priority": 100}}), &cpu_request(cpu)))
}

const MORNING: &str = "2026-01-01T06:00:00Z";
const NOON: &str = "2026-01-01T12:00:00Z";

/// Shows: SCH-099, SCH-100, SCH-102
#[test]
fn disruption_budgets_determine_victims_and_node() {
    let both = || json!({"app": "web", "tier": "db"});
    let web = || json!({"app": "web"});
    let db = || json!({"tier": "db"});
    let world = |budgets: Vec<Value>| {
        let pods = vec![
            labelled_pod_on("a", "pa", both(), NOON, "4"),
            labelled_pod_on("b", "pb", web(), MORNING, "4"),
        ];
        [nodes_a_and_b(), pods, budgets].concat()
    };
    let three = |budgets: Vec<Value>| {
        let pods = vec![
            labelled_pod_on("a", "first", both(), MORNING, "1"),
            labelled_pod_on("a", "second", both(), NOON, "1"),
            labelled_pod_on("a", "third", web(), NOON, "1"),
        ];
        [vec![node("a", json!({}))], pods, budgets].concat()
    };
    let insufficient = "Insufficient cpu";
    let start = format!("a: {insufficient}; b: {insufficient}");
    let plain = format!("{start}; a* without pa; b without pb");
    let one_against = format!("{start}; a without pa (1 against a budget); b* without pb");
    let both_against = format!("{start}; a* without pa (1 against a budget); b without pb (1 against a budget)");
    let no_disrupted_pods = || json!({});
    let rows: Vec<Row<'_>> = vec![
        ("the latest start time wins", world(vec![]), urgent_pod("4"), &plain),
        (
            "a pod with two budgets violates if one of them is used up",
            world(vec![
                disruption_budget("w", web(), 2, no_disrupted_pods()),
                disruption_budget("d", db(), 0, no_disrupted_pods()),
            ]),
            urgent_pod("4"),
            &one_against,
        ),
        (
            "both candidates violate a budget",
            world(vec![disruption_budget("w", web(), 0, no_disrupted_pods())]),
            urgent_pod("4"),
            &both_against,
        ),
        (
            "an already disrupted pod is not counted again",
            world(vec![disruption_budget(
                "d",
                db(),
                0,
                json!({"pa": "2026-01-01T12:00:00Z"}),
            )]),
            urgent_pod("4"),
            &plain,
        ),
        (
            "a budget of another namespace",
            world(vec![merged(
                disruption_budget("w", both(), 0, no_disrupted_pods()),
                &json!({"metadata": {"namespace": "other"}}),
            )]),
            urgent_pod("4"),
            &plain,
        ),
        (
            "a budget with an empty selector protects nothing",
            world(vec![merged(
                disruption_budget("w", json!({}), 0, no_disrupted_pods()),
                &json!({"spec": {"selector": {}}}),
            )]),
            urgent_pod("4"),
            &plain,
        ),
        (
            "pods that violate a budget are reprieved first",
            three(vec![disruption_budget("d", db(), 1, no_disrupted_pods())]),
            urgent_pod("3"),
            "a: Insufficient cpu; a* without first third",
        ),
        (
            "victims that cannot be reprieved count as violations",
            three(vec![disruption_budget("d", db(), 0, no_disrupted_pods())]),
            urgent_pod("4"),
            "a: Insufficient cpu; a* without first second third (2 against a budget)",
        ),
    ];
    check_rows(rows);
}

/// Shows: SCH-026, SCH-027, SCH-094, SCH-101
#[test]
fn failure_message_sorts_reasons_by_text() {
    let at = |name: String, more: Value| node(&name, more);
    let cordoned = (0..10).map(|n| at(format!("c{n}"), json!({"spec": {"unschedulable": true}})));
    let tainted = (0..2).map(|n| {
        at(
            format!("t{n}"),
            json!({"spec": {"taints": [{"key": format!("k{n}"), "effect": "NoExecute"}]}}),
        )
    });
    let full = (0..3).map(|n| pod_on(&format!("f{n}"), &format!("p{n}"), cpu_request("4")));
    let nodes = (0..3).map(|n| at(format!("f{n}"), json!({})));
    let world: Vec<Value> = cordoned.chain(tainted).chain(nodes).chain(full).collect();
    let reasons = "0/15 nodes are available: 10 node(s) were unschedulable, 2 node(s) had untolerated taint(s), 3 Insufficient cpu.";
    let asks = |spec: Value| new_pod(merged(cpu_request("1"), &json!({"spec": spec})));
    for (what, pod, after) in [
        (
            "no lower-priority pods",
            asks(json!({})),
            " no new claims to deallocate, preemption: 0/15 nodes are available: 12 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod.",
        ),
        (
            "preemptionPolicy Never",
            asks(json!({"priority": 9, "preemptionPolicy": "Never"})),
            " no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
        ),
        ("with victims", asks(json!({"priority": 9})), ""),
    ] {
        assert_eq!(
            decide_case(&world, &pod, &Value::Null)["message"],
            format!("{reasons}{after}"),
            "{what}"
        );
    }
}

/// Shows: SCH-094, SCH-097
#[test]
fn preemptor_waits_for_terminating_victims_on_nominated_node() {
    let ending = |reason: &str| {
        let more = json!({
            "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"},
            "status": {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": reason}]},
        });
        vec![
            node("a", json!({})),
            pod_on("a", "old", merged(cpu_request("4"), &more)),
        ]
    };
    let nominated = |amount: &str, status: Value| merged(urgent_pod(amount), &json!({"status": status}));
    let to_a = || json!({"nominatedNodeName": "a"});
    let waits = "a: Insufficient cpu; not eligible due to a terminating pod on the nominated node.";
    let again = "a: Insufficient cpu; a* without old";
    let rows: Vec<Row<'_>> = vec![
        (
            "its own victim is terminating",
            ending("PreemptionByScheduler"),
            nominated("1", to_a()),
            waits,
        ),
        (
            "a pod evicted through the API is terminating",
            ending("EvictionByEvictionAPI"),
            nominated("1", to_a()),
            again,
        ),
        (
            "the pod has no nominated node",
            ending("PreemptionByScheduler"),
            nominated("1", json!({})),
            again,
        ),
        (
            "the nominated node does not exist",
            ending("PreemptionByScheduler"),
            nominated("1", json!({"nominatedNodeName": "z"})),
            again,
        ),
        (
            "the node is too small for the pod",
            ending("PreemptionByScheduler"),
            nominated("5", to_a()),
            "a! Insufficient cpu",
        ),
    ];
    check_rows(rows);
}
