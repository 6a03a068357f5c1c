//! Devices in generated runs of a seed search: a driver on every node, claims from a template, a claim by name, and
//! faults of devices and drivers. They have their own random generator, so that the other parts of a run do not depend
//! on them.

use podscope_cluster::{Rng, Span};

use super::RunPart;
use super::faults::{command_part, pick};
use super::workloads::LAST_COMMAND_START;

/// One in this many generated runs has devices.
const RUNS_PER_DEVICE_RUN: u64 = 6;

/// The field `spec.cluster.devices` in the Scenario of a run with devices, as YAML.
pub(super) const DEVICES_FIELD: &str = ", devices: [{driver: gpu.example.com, count: 2, prefix: gpu, attributes: {model: A100}, capacity: {memory: 80Gi}}]";

const DEVICE_CLASS: &str = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: \
                     {expression: 'device.driver == \"gpu.example.com\"'}}]}}\n---\n";

/// Generates the parts of a run that are about devices. None if the run of this seed has no devices.
pub(super) fn generate_device_parts(seed: u64, nodes: &[String]) -> Option<Vec<RunPart>> {
    let mut rng = Rng::split(seed, "devices");
    if rng.below(RUNS_PER_DEVICE_RUN) != 0 {
        return None;
    }
    let tolerations = match rng.below(3) {
        0 => ", tolerations: [{key: sick, operator: Exists, effect: NoExecute, tolerationSeconds: 20}]",
        _ => "",
    };
    let request = format!("devices: {{requests: [{{name: g, exactly: {{deviceClassName: gpu{tolerations}}}}}]}}");
    let replicas = 1 + rng.below(2);
    let mut text = format!(
        "{DEVICE_CLASS}{{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {{name: gpu}}, spec: {{spec: \
         {{{request}}}}}}}\n---\n{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: train}}, spec: {{replicas: \
         {replicas}, selector: {{matchLabels: {{app: train}}}}, template: {{metadata: {{labels: {{app: train}}}}, spec: \
         {{terminationGracePeriodSeconds: 5, resourceClaims: [{{name: g, resourceClaimTemplateName: gpu}}], containers: \
         [{{name: c, image: train, resources: {{claims: [{{name: g}}]}}}}]}}}}}}}}\n"
    );
    if rng.below(2) == 0 {
        text.push_str(&format!(
            "---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: shared}}, spec: {{{request}}}}}\n"
        ));
        for pod in ["reader", "writer"] {
            text.push_str(&format!(
                "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {pod}}}, spec: {{resourceClaims: [{{name: g, \
                 resourceClaimName: shared}}], containers: [{{name: c, image: app, resources: {{claims: [{{name: \
                 g}}]}}}}]}}}}\n"
            ));
        }
    }
    let mut parts = vec![RunPart::Objects(("devices.yaml".to_owned(), text))];
    for _ in 0..rng.below(3) {
        let node = pick(&mut rng, nodes)?.clone();
        let device = format!("{node} gpu-{}", rng.below(2));
        let start = rng.between(Span::seconds(1), LAST_COMMAND_START).whole_seconds();
        let end = start + rng.between(Span::seconds(1), LAST_COMMAND_START).whole_seconds();
        let (fault, repair) = match rng.below(4) {
            0 => (
                format!("fault device {device} gone"),
                format!("fault device {device} back"),
            ),
            1 => (
                format!("fault crash driver {node}"),
                format!("fault restart driver {node}"),
            ),
            effect => {
                let effect = if effect == 2 { "NoExecute" } else { "NoSchedule" };
                (
                    format!("fault device {device} taint sick=yes:{effect}"),
                    format!("fault device {device} taint sick:{effect}-"),
                )
            }
        };
        parts.push(command_part(&[(start, fault), (end, repair)]));
    }
    Some(parts)
}
