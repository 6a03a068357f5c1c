//! Tests of explanations and suggestions for pods with resource claims: the devices that each request gets, why other
//! devices are unsuitable, and what would help.

use std::sync::Arc;

use podscope_api::explained::{DeviceObstacle, RequestDevices, RequestOutcome, SchedulingVerdict};
use podscope_api::{Object, Pod, parse};
use podscope_scheduler::explain::explain;
use podscope_scheduler::what_would_help::{Change, ClaimEdit, WhatWouldHelp};
use podscope_scheduler::{SchedulerConfiguration, cases, decide};

const NODE_AND_CLASS: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
"#;

/// Returns the ResourceSlices of node n1 with these devices and shared counters, in YAML.
fn slices_of_n1(devices: &str, counters: &str) -> String {
    let slice = |name: &str, count: u32, what: &str| {
        format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: {name}}}\nspec: {{driver: \
             gpu.example.com, nodeName: n1, pool: {{name: n1, generation: 1, resourceSliceCount: {count}}}, {what}}}\n"
        )
    };
    let count = if counters.is_empty() { 1 } else { 2 };
    let mut text = slice("s1", count, &format!("devices: [{devices}]"));
    if !counters.is_empty() {
        text.push_str(&slice("s0", count, &format!("sharedCounters: [{counters}]")));
    }
    text
}

/// Returns a claim with these fields of `spec.devices`, in YAML; with `device`, the device is allocated to the claim.
fn claim(name: &str, devices: &str, device: Option<&str>) -> String {
    let status = device.map_or_else(String::new, |device| {
        format!(
            ", status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: n1, device: \
             {device}}}]}}}}}}"
        )
    });
    format!(
        "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {name}, namespace: default, uid: \
         {name}}}, spec: {{devices: {{{devices}}}}}{status}}}\n"
    )
}

/// Returns a cluster of node n1, the class `gpu` and the given objects; and the pod to schedule, which uses the claim
/// `mine`.
fn cluster_and_pod(objects: &str) -> (Vec<Object>, Arc<Pod>) {
    let pod = "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: p}, spec: {resourceClaims: \
               [{name: c, resourceClaimName: mine}], containers: [{name: c, image: i}]}}\n";
    let text = format!("{NODE_AND_CLASS}{objects}{pod}");
    let parsed = parse(&text);
    assert_eq!(parsed.problems, [], "{text}");
    let mut objects: Vec<Object> = parsed.objects.into_iter().map(|located| located.value).collect();
    let Some(Object::Pod(mut pod)) = objects.pop() else {
        unreachable!("the last object is the pod")
    };
    Arc::make_mut(&mut pod).spec.scheduler_name = "default-scheduler".into();
    (objects, pod)
}

/// Returns one text per request: the devices of node n1 that the request gets, then the reasons why the other devices
/// are unsuitable.
fn explain_devices(objects: &str) -> Vec<String> {
    let (objects, pod) = cluster_and_pod(objects);
    let config = SchedulerConfiguration::default();
    let (mut cache, nominator) = cases::load(&objects, &config);
    let decision = decide(&mut cache, &config, &nominator, &pod, &mut 0).expect("a default profile");
    let explained = explain(&cache, &decision);
    let devices = explained.nodes().next().and_then(|(_, devices)| devices);
    let devices = devices.expect("a pod with claims");
    let has_failed = explained.explanation.verdict() == SchedulingVerdict::Error;
    assert_eq!(
        has_failed,
        devices.error.is_some(),
        "{:?}",
        explained.explanation.conclusion
    );
    let errors = devices.error.iter().map(|error| format!("error {error}"));
    errors.chain(devices.requests.iter().map(format_request)).collect()
}

fn format_request(request: &RequestDevices) -> String {
    let gets: Vec<&str> = request.gets.iter().map(|share| &*share.device.device).collect();
    let mut text = match request.outcome {
        RequestOutcome::TooFew { asks: Some(n) } => format!("{} {} of {n}", request.request, gets.len()),
        RequestOutcome::TooFew { asks: None } => format!("{} not all", request.request),
        RequestOutcome::Complete => request.request.clone(),
        RequestOutcome::PassedOver => format!("{} passed over", request.request),
        RequestOutcome::Allocated => format!("{} has", request.request),
        RequestOutcome::AllocatedElsewhere => format!("{} elsewhere", request.request),
    };
    for device in gets {
        text.push_str(&format!(" {device}"));
    }
    for group in &request.unsuitable {
        let devices: Vec<&str> = group.devices.iter().map(|device| &*device.device).collect();
        text.push_str(&format!("; {}: {}", devices.join(" "), format_obstacle(&group.why)));
    }
    text
}

fn format_obstacle(why: &DeviceObstacle) -> String {
    match why {
        DeviceObstacle::InUse { claim, pods } => format!("in use by {claim} {}", pods.join(" ")),
        DeviceObstacle::TakenBy { request, .. } => format!("taken by {request}"),
        DeviceObstacle::NotSelected { selector, .. } => format!("not selected by {selector:?}"),
        DeviceObstacle::SelectorError { error, .. } => format!("error {error}"),
        DeviceObstacle::Counter(counter) => format!("counter {} {} {}", counter.counter, counter.takes, counter.left),
        DeviceObstacle::Taint { key, value, effect } => format!("taint {key}={value}:{effect}"),
        DeviceObstacle::Differs { value, wanted, .. } => format!("differs {value} {wanted}"),
        DeviceObstacle::Repeats { value, .. } => format!("repeats {value}"),
        DeviceObstacle::Capacity { asks, left } => format!("capacity {} {} {left}", asks.name, asks.amount),
        other => format!("{other:?}"),
    }
}

/// Returns the suggested changes for the pod, in order.
fn suggested_changes(objects: &str) -> Vec<Change> {
    let (objects, pod) = cluster_and_pod(objects);
    let config = SchedulerConfiguration::default();
    let (cache, nominator) = cases::load(&objects, &config);
    let found = WhatWouldHelp::on_cluster(cache, nominator, config, &pod, &[]).finish();
    found.into_iter().map(|suggestion| suggestion.change).collect()
}

fn claim_edit(request: &str, edit: ClaimEdit) -> Change {
    Change::Claim {
        claim: "default/mine".to_owned(),
        request: request.to_owned(),
        edit,
    }
}

const ONE_DEVICE: &str = "requests: [{name: r, exactly: {deviceClassName: gpu}}]";
const TWO_DEVICES: &str = "requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]";
const PAIR_ON_SAME_NUMA: &str = "requests: [{name: a, exactly: {deviceClassName: gpu}}, \
                                 {name: b, exactly: {deviceClassName: gpu}}], \
                                 constraints: [{matchAttribute: gpu.example.com/numa}]";

/// Shows: S-14, DRA-143
#[test]
fn explanation_contains_failed_test_of_each_device() {
    let a100 = "requests: [{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: \
                'device.attributes[\"gpu.example.com\"].model == \"A100\"'}}]}}]";
    let all = "requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: All}}]";
    let list = "requests: [{name: r, firstAvailable: [{name: two, deviceClassName: gpu, count: 2}, {name: one, \
                deviceClassName: gpu}]}]";
    let half = "consumesCounters: [{counterSet: m, counters: {memory: {value: 20Gi}}}]";
    let whole = "consumesCounters: [{counterSet: m, counters: {memory: {value: 40Gi}}}]";
    let counters = "{name: m, counters: {memory: {value: 40Gi}}}";
    let shared = "allowMultipleAllocations: true, capacity: {memory: {value: 10Gi}}";
    let six = "requests: [{name: r, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 6Gi}}, count: 1}}, {name: \
               s, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 6Gi}}}}]";
    let numa = |device: &str, numa: u8| format!("{{name: {device}, attributes: {{numa: {{int: {numa}}}}}}}");
    let rows: &[(String, &[&str])] = &[
        (
            slices_of_n1("{name: g0}, {name: g1}, {name: g2}", "")
                + &claim("other", ONE_DEVICE, Some("g0"))
                + &claim("mine", ONE_DEVICE, None),
            &["r g1; g0: in use by default/other "],
        ),
        (
            slices_of_n1("{name: g0, attributes: {model: {string: T4}}}", "") + &claim("mine", a100, None),
            &["r 0 of 1; g0: not selected by Request { index: 0 }"],
        ),
        (
            slices_of_n1("{name: g0}", "") + &claim("mine", a100, None),
            &[
                "error claim default/mine: selector #0: CEL runtime error: no such key: model",
                "r 0 of 1; g0: error no such key: model",
            ],
        ),
        (
            slices_of_n1("{name: g0, taints: [{key: bad, value: x, effect: NoExecute}]}", "")
                + &claim("mine", ONE_DEVICE, None),
            &["r 0 of 1; g0: taint bad=x:NoExecute"],
        ),
        (
            slices_of_n1(&format!("{{name: h0, {half}}}, {{name: w, {whole}}}"), counters)
                + &claim("other", ONE_DEVICE, Some("h0"))
                + &claim("mine", ONE_DEVICE, None),
            &["r 0 of 1; h0: in use by default/other ; w: counter memory 40Gi 20Gi"],
        ),
        (
            slices_of_n1("{name: g0}", "") + &claim("mine", TWO_DEVICES, None),
            &["r 1 of 2 g0"],
        ),
        (claim("mine", ONE_DEVICE, None), &["r 0 of 1"]),
        (
            slices_of_n1("{name: g0}, {name: g1}", "")
                + &claim("other", ONE_DEVICE, Some("g0"))
                + &claim("mine", all, None),
            &["r not all g1; g0: in use by default/other "],
        ),
        (
            slices_of_n1("{name: g0}", "") + &claim("mine", list, None),
            &["r/two 1 of 2 g0", "r/one g0"],
        ),
        (
            slices_of_n1(&format!("{{name: g0, {shared}}}"), "") + &claim("mine", six, None),
            &["r g0", "s 0 of 1; g0: capacity memory 6Gi 4Gi"],
        ),
        (
            slices_of_n1(&[numa("g0", 0), numa("g1", 1)].join(", "), "") + &claim("mine", PAIR_ON_SAME_NUMA, None),
            &["a g0", "b 0 of 1; g0: taken by a; g1: differs 1 0"],
        ),
        // The search gives up g0 again, because no other device has the same numa value.
        (
            slices_of_n1(&[numa("g0", 0), numa("g1", 1), numa("g2", 1)].join(", "), "")
                + &claim("mine", PAIR_ON_SAME_NUMA, None),
            &["a g1; g0: differs 0 1", "b g2; g0: differs 0 1; g1: taken by a"],
        ),
        (
            slices_of_n1("{name: g0}", "") + &claim("mine", ONE_DEVICE, Some("g0")),
            &["r has g0"],
        ),
    ];
    for (objects, wanted) in rows {
        assert_eq!(explain_devices(objects), *wanted, "{objects}");
    }
}

/// Shows: S-15, DRA-082
#[test]
fn suggests_claim_edits_and_release_of_devices() {
    let a100 = "requests: [{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: 'false'}}]}}]";
    let user = "---\n{apiVersion: v1, kind: Pod, metadata: {name: user, namespace: default, uid: user}, spec: {nodeName: n1, \
                priority: -5, resourceClaims: [{name: c, resourceClaimName: other}], containers: [{name: c, image: i}]}}\n";
    let reserved = claim("other", ONE_DEVICE, Some("g0")).replace(
        "status: {",
        "status: {reservedFor: [{resource: pods, name: user, uid: user}], ",
    );
    let node = |change: &Change| matches!(change, Change::AddNodeWithDevices { .. });
    let rows: &[(String, Vec<Change>, bool)] = &[
        (
            slices_of_n1("{name: g0}", "") + &claim("mine", a100, None),
            vec![claim_edit("r", ClaimEdit::Selector("false".to_owned()))],
            false,
        ),
        (
            slices_of_n1("{name: g0, taints: [{key: bad, value: x, effect: NoSchedule}]}", "")
                + &claim("mine", ONE_DEVICE, None),
            vec![claim_edit("r", ClaimEdit::Toleration("bad=x:NoSchedule".to_owned()))],
            false,
        ),
        (
            slices_of_n1("{name: g0}", "") + &claim("mine", TWO_DEVICES, None),
            vec![claim_edit("r", ClaimEdit::Count { from: 2, to: 1 })],
            false,
        ),
        (
            slices_of_n1(
                "{name: g0, attributes: {numa: {int: 0}}}, {name: g1, attributes: {numa: {int: 1}}}",
                "",
            ) + &claim("mine", PAIR_ON_SAME_NUMA, None),
            vec![claim_edit("", ClaimEdit::Constraint("gpu.example.com/numa".to_owned()))],
            false,
        ),
        (
            slices_of_n1("{name: g0}", "") + &claim("other", ONE_DEVICE, Some("g0")) + &claim("mine", ONE_DEVICE, None),
            vec![Change::DeleteClaim {
                claim: "default/other".to_owned(),
            }],
            true,
        ),
        // The pod that uses the device has a lower priority, but the scheduler never preempts to free devices.
        (
            slices_of_n1("{name: g0}", "") + &reserved + user + &claim("mine", ONE_DEVICE, None),
            vec![Change::DeletePod {
                pod: "default/user".to_owned(),
                node: "n1".to_owned(),
                remade_by: String::new(),
            }],
            true,
        ),
    ];
    for (objects, wanted, is_node_of_help) in rows {
        let mut found = suggested_changes(objects);
        assert_eq!(found.iter().any(node), *is_node_of_help, "{objects} {found:?}");
        found.retain(|change| !node(change));
        assert_eq!(found, *wanted, "{objects}");
    }
}
