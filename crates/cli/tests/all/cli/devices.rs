//! Dumps with devices from managed clusters and of older API versions: they can be opened, explained, and saved with
//! the same content.

use serde_json::{Value, json};

use super::{podscope, succeed};

fn device_dump_path(name: &str) -> String {
    format!("{}/../../tests/dumps/devices-{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the section about devices of `podscope explain`.
fn device_section(name: &str, pod: &str) -> String {
    let text = succeed(&["explain", "--cluster", &device_dump_path(name), "--pod", pod]);
    let section = text.split_once("\nDevices\n").map_or("", |(_, after)| after);
    section.split("\n\n").next().unwrap_or_default().trim_end().to_owned()
}

/// Shows: S-14, S-19, P-09
#[test]
fn explain_describes_devices_in_managed_cluster_dumps() {
    for (name, pod, wanted) in [
        (
            "gpu-operator",
            "default/train",
            r#"  cpu-1
    request gpu of claim default/whole-gpu (class gpu.nvidia.com): gets nothing: no driver publishes a device for this node
  dgx-1
    request gpu of claim default/whole-gpu (class gpu.nvidia.com): gets nothing: no device does
      daemon-0, channel-0, gpu-0-mig-1g5gb-0, gpu-0-mig-1g5gb-1: excluded by selector 0 of class gpu.nvidia.com, device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'
      gpu-0: needs 7 of copy-engines in gpu-0-counter-set, which has 6 left"#,
        ),
        (
            "gpu-operator",
            "default/notebook",
            r#"  cpu-1
    request mig of claim default/notebook-mig-k8w4d: already has gpu.nvidia.com/dgx-1/gpu-0-mig-1g5gb-0, which this node cannot use
  dgx-1
    request mig of claim default/notebook-mig-k8w4d: already has gpu.nvidia.com/dgx-1/gpu-0-mig-1g5gb-0"#,
        ),
        (
            "gke",
            "default/train",
            r#"  gke-tpu-1
    request tpu of claim default/two-tpus (class tpu.google.com): asks for 2 devices, and only 1 would do: tpu.google.com/gke-tpu-1/0
      pci-0000-00-05-0: excluded by selector 0 of class tpu.google.com, device.driver == "tpu.google.com"
      1: taint tpu.google.com/unhealthy:NoSchedule is not tolerated"#,
        ),
        (
            "gke",
            "monitoring/exporter",
            r#"  gke-tpu-1
    request all of claim monitoring/watch-tpus (class tpu.google.com): gets tpu.google.com/gke-tpu-1/0 and tpu.google.com/gke-tpu-1/1
      pci-0000-00-05-0: excluded by selector 0 of class tpu.google.com, device.driver == "tpu.google.com""#,
        ),
        (
            "aks",
            "default/infer",
            r#"  aks-gpunp-1
    request gpu/h100 of claim default/big (class gpu.nvidia.com): gets nothing: no device does
      gpu-0: excluded by selector 0 of the request, device.attributes['gpu.nvidia.com'].productName.contains('H100')
    request gpu/a100 of claim default/big (class gpu.nvidia.com): gets gpu.nvidia.com/aks-gpunp-1/gpu-0"#,
        ),
        (
            "eks",
            "default/second",
            r#"  ip-10-0-1-7.ec2.internal
    request gpu of claim default/pair (class gpu.nvidia.com): asks for 2 devices, and only 1 would do: gpu.nvidia.com/ip-10-0-1-7.ec2.internal/gpu-1
      gpu-0: held by claim default/held of pod first"#,
        ),
    ] {
        assert_eq!(device_section(name, pod), wanted, "{name} {pod}");
    }
}

/// Shows: S-14, P-07
#[test]
fn json_explanation_contains_device_fields() {
    let dump = device_dump_path("gpu-operator");
    let text = succeed(&["explain", "--cluster", &dump, "--pod", "default/train", "-o", "json"]);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let nodes = value["nodes"].as_array().expect("nodes");
    let node = nodes.iter().find(|node| node["name"] == "dgx-1").expect("dgx-1");
    let request = &node["devices"]["requests"][0];
    assert_eq!(request["claim"], "default/whole-gpu");
    assert_eq!(request["outcome"], json!({"tooFew": {"asks": 1}}));
    let why = &request["unsuitable"][1]["why"]["counter"];
    assert_eq!(
        (&why["counter"], &why["left"]),
        (&json!("copy-engines"), &json!("6")),
        "{request}"
    );
}

/// Shows: S-15, P-07
#[test]
fn triage_lists_devices_and_verified_remedies() {
    for (name, pod, reason, help) in [
        (
            "gpu-operator",
            "default/train",
            "gpu-0: needs 7 of copy-engines in gpu-0-counter-set, which has 6 left",
            "Delete pod default/notebook on dgx-1: then one node can take it",
        ),
        (
            "gke",
            "default/train",
            "1: taint tpu.google.com/unhealthy:NoSchedule is not tolerated",
            "Tolerate the device taint tpu.google.com/unhealthy:NoSchedule in request tpu of ResourceClaim default/two-tpus: \
             then one node can take it",
        ),
        (
            "eks",
            "default/second",
            "gpu-0: held by claim default/held of pod first",
            "Ask for 1 instead of 2 devices in request gpu of ResourceClaim default/pair: then one node can take it",
        ),
    ] {
        let run = podscope(&["why", &device_dump_path(name), "-o", "json", "--pod", pod]);
        let value: Value = serde_json::from_str(&run.out).expect("JSON");
        assert!(
            value[0]["reason"].as_str().is_some_and(|text| text.contains(reason)),
            "{value:#}"
        );
        assert_eq!(value[0]["help"][0], help, "{value:#}");
    }
}

/// Shows: P-09
#[test]
fn dumps_with_devices_are_saved_unchanged() {
    for name in ["gpu-operator", "gke"] {
        let dump = device_dump_path(name);
        let run = podscope(&["run", &dump, "--at", "0s", "-o", "objects"]);
        assert_eq!(run.status, 0, "{}", run.err);
        let text = std::fs::read_to_string(&dump).expect("a dump");
        let (before, after) = (device_objects(&text), device_objects(&run.out));
        assert!(!before.is_empty());
        for object in &before {
            let same =
                |one: &&Value| one["kind"] == object["kind"] && one["metadata"]["name"] == object["metadata"]["name"];
            assert_eq!(after.iter().find(same), Some(object), "{name}");
        }
    }
}

/// Returns the fields of the `resource.k8s.io` objects in a text, without those that the API server adds.
fn device_objects(text: &str) -> Vec<Value> {
    let parsed = podscope_api::parse(text);
    assert_eq!(parsed.problems, []);
    let values = parsed.objects.iter().map(|object| object.value.to_value());
    let mut values: Vec<Value> = values
        .filter(|value| value["apiVersion"] == "resource.k8s.io/v1")
        .collect();
    for value in &mut values {
        let metadata = value["metadata"].as_object_mut().expect("metadata");
        metadata.retain(|name, _| !matches!(name.as_str(), "resourceVersion" | "creationTimestamp"));
    }
    values
}

/// Shows: DRA-001, P-09
#[test]
fn older_api_versions_are_converted_with_a_notice() {
    for (name, version) in [("aks", "v1beta2"), ("eks", "v1beta1")] {
        let run = podscope(&["run", &device_dump_path(name), "--at", "0s", "-o", "objects"]);
        let notice = format!(
            "1 × ResourceSlice of resource.k8s.io/{version}, which v1.36 does not serve by default, converted to \
             resource.k8s.io/v1"
        );
        assert!(run.err.contains(&notice), "{}", run.err);
        assert!(!run.out.contains("resource.k8s.io/v1beta"), "{}", run.out);
    }
    let run = podscope(&["run", &device_dump_path("eks"), "--at", "0s", "-o", "objects"]);
    let objects = device_objects(&run.out);
    let named = |kind: &str, name: &str| {
        let mut found = objects.iter();
        let is_it = |one: &&Value| one["kind"] == kind && one["metadata"]["name"] == name;
        found.find(is_it).cloned().expect("an object")
    };
    assert_eq!(
        named("ResourceClaim", "pair")["spec"]["devices"]["requests"],
        json!([{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": 2}}])
    );
    let slice = named("ResourceSlice", "ip-10-0-1-7-gpu.nvidia.com-qz7tw");
    assert_eq!(slice["spec"]["devices"][1]["attributes"]["index"], json!({"int": 1}));
    assert_eq!(
        slice["spec"]["devices"][1]["capacity"]["memory"],
        json!({"value": "23034Mi"})
    );
}
