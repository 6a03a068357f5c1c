//! Explanations of decisions with resource claims: what each request gets, why other devices do not do, what would help.

use podscope_api::explained::Refusal;
use podscope_api::{Object, parse};
use podscope_scheduler::explain::{NodeVerdict, explain};
use podscope_scheduler::{SchedulerConfiguration, cases, decide};

const CLUSTER: &str = r#"
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

/// A slice of node n1 with these devices and counters.
fn slice(devices: &str, counters: &str) -> String {
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

/// A claim `name` with these fields of `spec.devices`; with a status if it has a device.
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

/// The explanation's text about node n1 for a pod with the claim `mine`.
fn said(objects: &str) -> String {
    let pod = "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: p}, spec: {resourceClaims: \
               [{name: c, resourceClaimName: mine}], containers: [{name: c, image: i}]}}\n";
    let text = format!("{CLUSTER}{objects}{pod}");
    let parsed = parse(&text);
    assert_eq!(parsed.problems, [], "{text}");
    let mut objects: Vec<Object> = parsed.objects.into_iter().map(|located| located.value).collect();
    let Some(Object::Pod(mut pod)) = objects.pop() else {
        unreachable!("the last object is the pod")
    };
    std::sync::Arc::make_mut(&mut pod).spec.scheduler_name = "default-scheduler".into();
    let config = SchedulerConfiguration::default();
    let (mut cache, nominator) = cases::load(&objects, &config);
    let decision = decide(&mut cache, &config, &nominator, &pod, &mut 0).expect("a default profile");
    let explanation = explain(&cache, &decision);
    let node = &explanation.nodes[0];
    match &node.verdict {
        NodeVerdict::Refused(Refusal::Plugin { text, .. }) => text.clone(),
        _ => node.score_notes.iter().map(|(_, words)| words.as_str()).collect(),
    }
}

const ONE: &str = "requests: [{name: r, exactly: {deviceClassName: gpu}}]";

/// Shows: S-14, DRA-143
#[test]
fn chosen_device_and_refused_devices_are_named() {
    let objects = slice("{name: g0}, {name: g1}", "") + &claim("other", ONE, Some("g0")) + &claim("mine", ONE, None);
    assert_eq!(
        said(&objects),
        "request r of claim default/mine: gets g1; g0 is in use by claim default/other"
    );
}

/// Shows: S-14, DRA-143, DRA-160
#[test]
fn each_reason_against_a_device_is_named_with_what_would_do() {
    let selects = "requests: [{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: \
                   'device.attributes[\"gpu.example.com\"].model == \"A100\"'}}]}}]";
    let half = "consumesCounters: [{counterSet: m, counters: {memory: {value: 20Gi}}}]";
    let whole = "consumesCounters: [{counterSet: m, counters: {memory: {value: 40Gi}}}]";
    let counters = "{name: m, counters: {memory: {value: 40Gi}}}";
    let rows: &[(String, &str)] = &[
        (
            slice("{name: g0, attributes: {model: {string: T4}}}", "") + &claim("mine", selects, None),
            "cannot allocate all claims. request r of claim default/mine: no device does; g0 is not selected by claim \
             default/mine: selector #0: device.attributes[\"gpu.example.com\"].model == \"A100\". would do: request r \
             without its selector device.attributes[\"gpu.example.com\"].model == \"A100\"",
        ),
        (
            slice("{name: g0, taints: [{key: bad, value: x, effect: NoExecute}]}", "") + &claim("mine", ONE, None),
            "cannot allocate all claims. request r of claim default/mine: no device does; g0 has the taint \
             bad=x:NoExecute. would do: request r with a toleration of bad=x:NoExecute",
        ),
        (
            slice(&format!("{{name: h0, {half}}}, {{name: w, {whole}}}"), counters)
                + &claim("other", ONE, Some("h0"))
                + &claim("mine", ONE, None),
            "cannot allocate all claims. request r of claim default/mine: no device does; h0 is in use by claim \
             default/other; w needs 40Gi of the counter memory of m, which has 20Gi left. would do: the release of claim \
             default/other",
        ),
        (
            slice("{name: g0}", "")
                + &claim(
                    "mine",
                    "requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]",
                    None,
                ),
            "cannot allocate all claims. request r of claim default/mine: 1 of 2 devices do (g0). would do: request r with \
             count 1 instead of 2",
        ),
        (
            claim("mine", ONE, None),
            "cannot allocate all claims. request r of claim default/mine: no driver publishes a device for the node",
        ),
    ];
    for (objects, wanted) in rows {
        assert_eq!(said(objects), *wanted);
    }
}

/// Shows: S-14, DRA-156
#[test]
fn violated_constraint_is_named() {
    let pair = "requests: [{name: a, exactly: {deviceClassName: gpu}}, {name: b, exactly: {deviceClassName: gpu}}], \
                constraints: [{matchAttribute: gpu.example.com/numa}]";
    let devices = "{name: g0, attributes: {numa: {int: 0}}}, {name: g1, attributes: {numa: {int: 1}}}";
    assert_eq!(
        said(&(slice(devices, "") + &claim("mine", pair, None))),
        "cannot allocate all claims. request a of claim default/mine: gets g0. request b of claim default/mine: no device \
         does; g0 is taken by a request above; g1 differs from the devices before it in gpu.example.com/numa. would do: \
         claim default/mine without its constraints"
    );
}
