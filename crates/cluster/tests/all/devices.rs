//! Device drivers on nodes: what they publish, the kubelet's preparation of claims, and faults (DRA-240 to DRA-271).

use podscope_api::{DEVICES_ANNOTATION, Node, NodeName, Pod, PodPhase, ResourceClaim, ResourceSlice};
use podscope_cluster::fault::{DeviceChange, Fault};
use podscope_cluster::{Happening, Setup, World};
use serde_json::{Value, json};

use crate::common::{self, Trace, at, key, partition};

/// Two GPUs on each generated node.
const GPU_DEVICES: &str =
    r#"[{"driver": "gpu.example.com", "count": 2, "prefix": "gpu", "attributes": {"model": "A100"}}]"#;

fn gpu_class() -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
        "spec": {"selectors": [{"cel": {"expression": "device.driver == \"gpu.example.com\""}}]},
    })
}

fn claim_template() -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
        "metadata": {"name": "one", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}},
    })
}

/// Returns a pod that may run only on node a-1, with a claim for one GPU.
fn gpu_pod(name: &str) -> Value {
    let mut pod = common::pod(name, None);
    pod["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": "a-1"});
    pod["spec"]["resourceClaims"] = json!([{"name": "gpu", "resourceClaimTemplateName": "one"}]);
    pod["spec"]["containers"][0]["resources"] = json!({"claims": [{"name": "gpu"}]});
    pod
}

/// Returns a world whose generated nodes have these devices (JSON of the annotation `podscope.dev/devices`).
fn world_with_devices(devices: &str, objects: &[Value]) -> (World, Trace) {
    let mut trace = Trace::default();
    let mut setup = Setup {
        objects: [gpu_class(), claim_template()]
            .iter()
            .chain(objects)
            .map(common::object)
            .collect(),
        ..Setup::default()
    };
    setup.nodes.devices = devices.into();
    let world = World::new(setup, &mut trace).expect("the objects are accepted");
    (world, trace)
}

fn a_1() -> NodeName {
    NodeName("a-1".into())
}

fn device_fault(name: &str, change: DeviceChange) -> Fault {
    Fault::Device {
        node: a_1(),
        device: name.into(),
        change,
    }
}

/// Returns the ResourceSlices of node a-1, in name order.
fn resource_slices(world: &World) -> Vec<ResourceSlice> {
    let slices = world.objects().list::<ResourceSlice>();
    let local = slices.filter(|slice| slice.spec.node_name.as_deref() == Some("a-1"));
    local.map(|slice| ResourceSlice::clone(slice)).collect()
}

/// Returns the names of the devices in the ResourceSlices of node a-1, and the generation of their pool.
fn published_devices_and_pool_generation(world: &World) -> (Vec<String>, i64) {
    let slices = resource_slices(world);
    let names = slices
        .iter()
        .flat_map(|slice| &slice.spec.devices)
        .map(|device| device.name.to_string());
    (
        names.collect(),
        slices.iter().map(|slice| slice.spec.pool.generation).max().unwrap_or(0),
    )
}

fn resource_claims(world: &World) -> Vec<ResourceClaim> {
    world
        .objects()
        .list::<ResourceClaim>()
        .map(|claim| ResourceClaim::clone(claim))
        .collect()
}

fn phase(world: &World, pod: &str) -> Option<PodPhase> {
    world.objects().get::<Pod>(&key(pod))?.status.phase.clone()
}

/// Returns the messages of the events with this reason.
fn event_messages(trace: &Trace, expected_reason: &str) -> Vec<String> {
    let message = |happening: &Happening| match happening {
        Happening::Event { reason, message, .. } if &**reason == expected_reason => Some(message.to_string()),
        _ => None,
    };
    trace
        .records
        .iter()
        .filter_map(|record| message(&record.happening))
        .collect()
}

/// Returns the health of the devices of a pod's container, as `RESOURCE DEVICE HEALTH`.
fn device_health(world: &World, pod: &str) -> Vec<String> {
    let pod = world.objects().get::<Pod>(&key(pod)).expect("the pod exists");
    let statuses = pod
        .status
        .container_statuses
        .iter()
        .flat_map(|status| &status.allocated_resources_status);
    let shown = statuses.flat_map(|status| {
        let resources = status.resources.iter();
        resources.map(|one| format!("{} {} {}", status.name, one.resource_id, one.health))
    });
    shown.collect()
}

/// Shows: DRA-270, DRA-271
#[test]
fn devices_of_annotation_are_published_at_start() {
    let partitioned = r#"[{"driver": "gpu.example.com", "prefix": "gpu", "capacity": {"memory": "40Gi"},
        "partitions": [{"name": "half", "count": 2, "consumes": {"memory": "20Gi"}}]}]"#;
    let (world, _) = world_with_devices(partitioned, &[]);
    let slices = resource_slices(&world);
    assert_eq!(slices.len(), 2);
    assert!(
        slices[0].metadata.name.starts_with("0-gpu.example.com-a-1-"),
        "{}",
        slices[0].metadata.name
    );
    assert_eq!(
        slices[0].spec.shared_counters[0].counters["memory"].value.to_string(),
        "40Gi"
    );
    assert_eq!(slices[1].metadata.owner_references[0].kind.as_ref(), "Node");
    assert_eq!(
        published_devices_and_pool_generation(&world),
        (vec!["gpu-0-half-0".into(), "gpu-0-half-1".into(), "gpu-0".into()], 1)
    );
    assert_eq!(slices[1].spec.pool.resource_slice_count, 2);
}

/// Shows: DRA-200, DRA-203, DRA-240, DRA-245, DRA-246, DRA-249, DRA-281
#[test]
fn claim_is_prepared_and_deleted_with_its_pod() {
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[gpu_pod("a")]);
    world.run_until(at(20), &mut trace);
    assert_eq!(phase(&world, "a"), Some(PodPhase::Running));
    let claim = &resource_claims(&world)[0];
    assert_eq!(claim.status.reserved_for.len(), 1);
    assert_eq!(
        device_health(&world, "a"),
        ["claim:gpu gpu.example.com/a-1/gpu-0 Healthy"]
    );
    world.start_client(common::delete("a", Some(0), false), &mut trace);
    world.run_until(at(60), &mut trace);
    assert_eq!(phase(&world, "a"), None);
    assert_eq!(resource_claims(&world), []);
    assert_eq!(trace.violations(), [] as [String; 0]);
}

/// Shows: DRA-116, DRA-120
#[test]
fn claim_for_extended_resource_does_not_overcommit_node() {
    let asks = |name: &str| {
        let mut pod = common::pod(name, None);
        let amount = json!({"deviceclass.resource.kubernetes.io/gpu": 1});
        pod["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": "a-1"});
        pod["spec"]["containers"][0]["resources"] = json!({"requests": amount, "limits": amount});
        pod
    };
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[asks("a"), asks("b"), asks("c")]);
    world.run_until(at(30), &mut trace);
    let phases = ["a", "b", "c"].map(|pod| phase(&world, pod));
    let (running, pending) = (Some(PodPhase::Running), Some(PodPhase::Pending));
    assert_eq!(phases, [running.clone(), running, pending]);
    assert_eq!(resource_claims(&world).len(), 2);
    assert_eq!(trace.violations(), [] as [String; 0]);
}

/// Shows: DRA-243
#[test]
fn failed_claim_preparation_keeps_pod_pending() {
    let fails = GPU_DEVICES.replace("\"count\"", "\"prepare\": \"fails\", \"count\"");
    let (mut world, mut trace) = world_with_devices(&fails, &[gpu_pod("a")]);
    world.run_until(at(120), &mut trace);
    assert_eq!(phase(&world, "a"), Some(PodPhase::Pending));
    let messages = event_messages(&trace, "FailedPrepareDynamicResources");
    assert_eq!(
        messages.len(),
        2,
        "the kubelet tries again after 60 to 90 s: {messages:?}"
    );
    let start = "Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources failed for \
                 ResourceClaim a-gpu-";
    assert!(messages[0].starts_with(start), "{}", messages[0]);
}

/// Shows: DRA-220, DRA-222, DRA-224, DRA-228, DRA-272, DRA-291
#[test]
fn device_taint_evicts_pod_and_keeps_device_free() {
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[gpu_pod("a")]);
    world.run_until(at(20), &mut trace);
    let taint = DeviceChange::Taint {
        key: "example.com/bad".into(),
        value: "1".into(),
        effect: "NoExecute".into(),
    };
    world
        .apply_fault(&device_fault("gpu-0", taint), &mut trace)
        .expect("the device exists");
    world.run_until(at(70), &mut trace);
    assert_eq!(
        event_messages(&trace, "DeviceTaintManagerEviction"),
        ["Marking for deletion"]
    );
    assert_eq!(phase(&world, "a"), None);
    let slices = resource_slices(&world);
    let [slice] = slices.as_slice() else {
        panic!("{slices:?}")
    };
    assert_eq!(slice.spec.pool.generation, 1, "one update keeps the generation");
    assert_eq!(slice.spec.devices[0].taints.len(), 1);
    assert!(slice.spec.devices[0].taints[0].time_added.is_some());
    let untaint = DeviceChange::Untaint {
        key: "example.com/bad".into(),
        effect: None,
    };
    world
        .apply_fault(&device_fault("gpu-0", untaint.clone()), &mut trace)
        .expect("the taint exists");
    let again = world.apply_fault(&device_fault("gpu-0", untaint), &mut trace);
    assert_eq!(
        again,
        Err("device \"gpu-0\" of \"a-1\" has no such taint by a fault".into())
    );
}

/// Shows: DRA-226, DRA-249
#[test]
fn pod_keeps_running_when_its_device_is_gone() {
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[gpu_pod("a")]);
    world.run_until(at(20), &mut trace);
    world
        .apply_fault(&device_fault("gpu-0", DeviceChange::Gone), &mut trace)
        .expect("the device exists");
    world.run_until(at(40), &mut trace);
    assert_eq!(published_devices_and_pool_generation(&world).0, ["gpu-1"]);
    assert_eq!(phase(&world, "a"), Some(PodPhase::Running));
    assert_eq!(
        device_health(&world, "a"),
        ["claim:gpu gpu.example.com/a-1/gpu-0 Unhealthy"]
    );
    world
        .apply_fault(&device_fault("gpu-0", DeviceChange::Back), &mut trace)
        .expect("the device is gone");
    world.run_until(at(60), &mut trace);
    assert_eq!(published_devices_and_pool_generation(&world).0, ["gpu-0", "gpu-1"]);
    assert_eq!(
        device_health(&world, "a"),
        ["claim:gpu gpu.example.com/a-1/gpu-0 Healthy"]
    );
    let unknown = world.apply_fault(&device_fault("gpu-7", DeviceChange::Gone), &mut trace);
    assert_eq!(
        unknown,
        Err("machine \"a-1\" has no device called \"gpu-7\"; it has gpu-0, gpu-1".into())
    );
}

/// Shows: DRA-241, DRA-245, DRA-250
#[test]
fn restarted_driver_publishes_new_pool_generation() {
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[gpu_pod("a")]);
    world.run_until(at(20), &mut trace);
    let driver = |up: bool| Fault::Driver { node: a_1(), up };
    world.apply_fault(&driver(false), &mut trace).expect("the driver runs");
    world.run_until(at(45), &mut trace);
    assert_eq!(
        published_devices_and_pool_generation(&world).0.len(),
        2,
        "the kubelet waits for 30 s"
    );
    world.start_client(common::delete("a", Some(0), false), &mut trace);
    world.run_until(at(60), &mut trace);
    assert_eq!(published_devices_and_pool_generation(&world).0.len(), 0);
    let pod = world.objects().get::<Pod>(&key("a"));
    assert!(
        pod.is_none(),
        "a deletion with grace period 0 does not wait for the kubelet"
    );
    world
        .apply_fault(&driver(true), &mut trace)
        .expect("the driver is down");
    world.run_until(at(90), &mut trace);
    assert_eq!(
        published_devices_and_pool_generation(&world),
        (vec!["gpu-0".into(), "gpu-1".into()], 2)
    );
}

/// Shows: DRA-245
#[test]
fn pod_stays_terminating_until_driver_restarts() {
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[gpu_pod("a")]);
    world.run_until(at(20), &mut trace);
    let driver = |up: bool| Fault::Driver { node: a_1(), up };
    world.apply_fault(&driver(false), &mut trace).expect("the driver runs");
    world.start_client(common::delete("a", None, false), &mut trace);
    world.run_until(at(80), &mut trace);
    assert_eq!(phase(&world, "a"), Some(PodPhase::Running));
    world
        .apply_fault(&driver(true), &mut trace)
        .expect("the driver is down");
    world.run_until(at(110), &mut trace);
    assert_eq!(phase(&world, "a"), None);
}

/// Shows: DRA-250
#[test]
fn restarted_kubelet_makes_the_drivers_publish_again() {
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[]);
    world.run_until(at(5), &mut trace);
    let before = resource_slices(&world);
    let restart = Fault::Kubelet { node: a_1(), up: true };
    world.apply_fault(&restart, &mut trace).expect("the machine runs");
    world.run_until(at(20), &mut trace);
    let after = resource_slices(&world);
    assert_eq!(published_devices_and_pool_generation(&world).0, ["gpu-0", "gpu-1"]);
    assert_ne!(before[0].metadata.uid, after[0].metadata.uid);
}

#[test]
fn driver_on_partitioned_node_publishes_after_heal() {
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[]);
    world.run_until(at(5), &mut trace);
    world
        .apply_fault(&partition(&[a_1()]), &mut trace)
        .expect("the machine exists");
    world
        .apply_fault(&device_fault("gpu-1", DeviceChange::Gone), &mut trace)
        .expect("the device exists");
    world.run_until(at(30), &mut trace);
    assert_eq!(published_devices_and_pool_generation(&world).0.len(), 2);
    let heal = Fault::Heal(podscope_cluster::fault::Targets::All);
    world.apply_fault(&heal, &mut trace).expect("a link is cut");
    world.run_until(at(60), &mut trace);
    assert_eq!(published_devices_and_pool_generation(&world).0, ["gpu-0"]);
}

/// The first fault of a device that is known only from an existing ResourceSlice creates the driver process of its
/// node.
#[test]
fn device_fault_creates_driver_for_existing_slices() {
    let slice = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "gpus"},
        "spec": {
            "driver": "gpu.example.com", "nodeName": "a-1",
            "pool": {"name": "a-1", "generation": 4, "resourceSliceCount": 1},
            "devices": [{"name": "g0"}, {"name": "g1"}],
        },
    });
    let (mut world, mut trace) = world_with_devices("", &[slice, gpu_pod("a")]);
    world.run_until(at(20), &mut trace);
    assert_eq!(phase(&world, "a"), Some(PodPhase::Running));
    assert_eq!(device_health(&world, "a"), ["claim:gpu gpu.example.com/a-1/g0 Unknown"]);
    world
        .apply_fault(&device_fault("g1", DeviceChange::Gone), &mut trace)
        .expect("the device exists");
    world.run_until(at(40), &mut trace);
    assert_eq!(published_devices_and_pool_generation(&world), (vec!["g0".into()], 5));
    assert_eq!(device_health(&world, "a"), ["claim:gpu gpu.example.com/a-1/g0 Healthy"]);
}

#[test]
fn machine_joined_as_copy_of_node_has_its_devices() {
    let (mut world, mut trace) = world_with_devices(GPU_DEVICES, &[]);
    let join = Fault::Join {
        node: NodeName("z".into()),
        count: None,
        like: Some(a_1()),
        labels: podscope_api::ordered::Map::new(),
        capacity: podscope_api::ResourceList::new(),
    };
    world.apply_fault(&join, &mut trace).expect("the name is free");
    world.run_until(at(20), &mut trace);
    let node = world.objects().named::<Node>("z").expect("the kubelet registers");
    assert_eq!(node.metadata.annotation(DEVICES_ANNOTATION), Some(GPU_DEVICES));
    let of_z = |slice: &&std::sync::Arc<ResourceSlice>| slice.spec.node_name.as_deref() == Some("z");
    assert_eq!(world.objects().list::<ResourceSlice>().filter(of_z).count(), 1);
    let no_devices = world_with_devices("", &[])
        .0
        .apply_fault(&device_fault("gpu-0", DeviceChange::Gone), &mut trace);
    assert_eq!(no_devices, Err("machine \"a-1\" has no devices".into()));
}
